//! Searches for the scale (and the minimum) of some elements that make a squared error small.
//!
//! Formulas are those of ggml's k-quants, as candle computes them: the order of every sum and product decides about bits.

/// Rounds to the nearest whole number, halves away from zero.
pub fn nearest(x: f32) -> i32 {
    x.round() as i32
}

/// Weighted sums that give the scale `xl / l2` and the quality `xl^2 / l2` of levels l for elements x.
#[derive(Clone, Copy)]
struct Sums {
    xl: f32,
    l2: f32,
}

impl Sums {
    fn scale(self) -> f32 {
        self.xl / self.l2
    }

    /// Returns whether these levels fit better than others.
    fn better_than(self, other: Self) -> bool {
        self.xl * self.xl * other.l2 > other.xl * other.xl * self.l2
    }
}

/// How levels from -n to n - 1 are searched.
pub struct Signed {
    /// The number n of negative levels.
    pub n: i32,
    /// Number of times that all elements are rounded again with the scale found.
    pub refits: usize,
    /// The weighted square of a level: `(w l) l` and `w (l l)` are rounded differently.
    pub square: fn(f32, f32) -> f32,
}

impl Signed {
    /// Returns the scale d of `x = d l`, and writes `l + n` for each element. An element's error has a weight: the one
    /// given, or its square.
    pub fn search(&self, x: &[f32], weights: Option<&[f32]>, levels: &mut [u8]) -> f32 {
        let extreme = super::extreme(x);
        if extreme == 0.0 {
            levels.fill(0);
            return 0.0;
        }
        let weight = |i: usize| weights.map_or_else(|| x[i] * x[i], |w| w[i]);
        let level = |v: f32| nearest(v).clamp(-self.n, self.n - 1);
        let sums = |inverse: f32| {
            (0..x.len()).fold(Sums { xl: 0.0, l2: 0.0 }, |s, i| {
                let (w, l) = (weight(i), level(inverse * x[i]) as f32);
                Sums { xl: s.xl + w * x[i] * l, l2: s.l2 + (self.square)(w, l) }
            })
        };
        let round = |inverse: f32, levels: &mut [u8]| {
            levels.iter_mut().zip(x).for_each(|(q, &x)| *q = (level(inverse * x) + self.n) as u8);
        };
        let mut inverse = -(self.n as f32) / extreme;
        round(inverse, levels);
        let mut best = sums(inverse);
        for _ in 0..self.refits {
            inverse = 1.0 / best.scale();
            let new = sums(inverse);
            let changed = levels.iter().zip(x).any(|(&q, &x)| level(inverse * x) + self.n != i32::from(q));
            if !changed || new.l2 == 0.0 || new.xl * new.xl <= best.scale() * best.xl * new.l2 {
                break;
            }
            round(inverse, levels);
            best = new;
        }
        // Each element's level is fitted to the others.
        for _ in 0..5 {
            let mut changed = false;
            for (i, q) in levels.iter_mut().enumerate() {
                let (w, l) = (weight(i), (i32::from(*q) - self.n) as f32);
                let mut without = Sums { xl: best.xl - w * x[i] * l, l2: 0.0 };
                let positive = without.xl > 0.0;
                if !positive {
                    continue;
                }
                without.l2 = best.l2 - (self.square)(w, l);
                let new = level(x[i] * without.l2 / without.xl);
                if new as f32 == l {
                    continue;
                }
                let l = new as f32;
                let with = Sums { xl: without.xl + w * x[i] * l, l2: without.l2 + (self.square)(w, l) };
                if with.l2 > 0.0 && with.better_than(best) {
                    *q = (new + self.n) as u8;
                    best = with;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        best.scale()
    }
}

/// Returns the scale d and the minimum m of `x = d l - m` with levels from 0 to `most`, by alternating between both.
/// Equal elements give zeros.
pub fn with_min(x: &[f32], most: i32) -> (f32, f32) {
    let order = |a: &&f32, b: &&f32| a.total_cmp(b);
    let (Some(&min), Some(&max)) = (x.iter().min_by(order), x.iter().max_by(order)) else {
        return (0.0, 0.0);
    };
    if max == min {
        return (0.0, 0.0);
    }
    let mut min = min.min(0.0);
    let mut inverse = most as f32 / (max - min);
    let mut scale = 1.0 / inverse;
    let mut levels = [0i32; 32];
    for _ in 0..5 {
        let (mut xl, mut l2, mut changed) = (0.0, 0, false);
        for (&x, level) in x.iter().zip(&mut levels) {
            let l = nearest(inverse * (x - min)).clamp(0, most);
            changed |= l != *level;
            *level = l;
            xl += (x - min) * l as f32;
            l2 += l * l;
        }
        scale = xl / l2 as f32;
        let rest: f32 = x.iter().zip(&levels).map(|(x, &l)| x - scale * l as f32).sum();
        min = rest / x.len() as f32;
        if min > 0.0 {
            min = 0.0;
        }
        inverse = 1.0 / scale;
        if !changed {
            break;
        }
    }
    (scale, -min)
}

/// Returns the scale d and the minimum m of `x = d l - m` with levels from 0 to `most`, the best of 37 scales with the
/// least squares of each one's levels.
pub fn with_min_weighted(x: &[f32], weights: &[f32], most: i32) -> (f32, f32) {
    let (Some((&first, rest)), Some((&w, rest_weights))) = (x.split_first(), weights.split_first()) else {
        return (0.0, 0.0);
    };
    let (mut min, mut max, mut sum_w, mut sum_x) = (first, first, w, w * first);
    for (&x, &w) in rest.iter().zip(rest_weights) {
        if x < min {
            min = x;
        }
        if x > max {
            max = x;
        }
        sum_w += w;
        sum_x += w * x;
    }
    if min > 0.0 {
        min = 0.0;
    }
    if max <= min {
        return (0.0, -min);
    }
    // Levels count from the lowest value, which is the best minimum until now.
    let level = |inverse: f32, lowest: f32, x: f32| nearest(inverse * (x - lowest)).clamp(0, most) as f32;
    let error = |inverse: f32, lowest: f32, (scale, min): (f32, f32)| {
        x.iter().zip(weights).fold(0.0, |sum, (&x, &w)| {
            let difference = scale * level(inverse, lowest, x) + min - x;
            sum + w * (difference * difference)
        })
    };
    let inverse = most as f32 / (max - min);
    let mut best = (1.0 / inverse, min);
    let mut least = error(inverse, min, best);
    for step in 0..=36 {
        let lowest = best.1;
        let inverse = (-0.9 + 0.05 * step as f32 + most as f32) / (max - lowest);
        let (mut sum_l, mut sum_l2, mut sum_xl) = (0.0, 0.0, 0.0);
        for (&x, &w) in x.iter().zip(weights) {
            let l = level(inverse, lowest, x);
            sum_l += w * l;
            sum_l2 += w * (l * l);
            sum_xl += w * l * x;
        }
        let determinant = sum_w * sum_l2 - sum_l * sum_l;
        let solvable = determinant > 0.0;
        if !solvable {
            continue;
        }
        let mut scale = (sum_w * sum_xl - sum_x * sum_l) / determinant;
        let mut min = (sum_l2 * sum_x - sum_l * sum_xl) / determinant;
        if min > 0.0 {
            (scale, min) = (sum_xl / sum_l2, 0.0);
        }
        let new = error(inverse, lowest, (scale, min));
        if new < least {
            (least, best) = (new, (scale, min));
        }
    }
    (best.0, -best.1)
}

/// Returns the scale d of `x = d l` for levels from 0 to `most` of elements that are not negative, and writes the levels.
pub fn positive(x: &[f32], weights: &[f32], most: u8, levels: &mut [u8]) -> f32 {
    let max = x.iter().copied().fold(0.0, f32::max);
    if max == 0.0 {
        levels.fill(0);
        return 0.0;
    }
    let error = |inverse: f32, most: u8| {
        let scale = 1.0 / inverse;
        let squares = x.iter().zip(weights).map(|(&x, &w)| {
            let difference = x - scale * f32::from((nearest(inverse * x) as u8).min(most));
            w * difference * difference
        });
        squares.sum::<f32>()
    };
    let mut best = f32::from(most) / max;
    // The levels of the first scale are not limited.
    let mut least = error(best, u8::MAX);
    for step in (-4..=4).filter(|s| *s != 0) {
        let inverse = (0.1 * step as f32 + f32::from(most)) / max;
        let new = error(inverse, most);
        if new < least {
            (least, best) = (new, inverse);
        }
    }
    let mut sums = Sums { xl: 0.0, l2: 0.0 };
    for ((&x, level), &w) in x.iter().zip(levels.iter_mut()).zip(weights) {
        *level = ((best * x).round() as u8).min(most);
        let l = f32::from(*level);
        sums.xl += w * x * l;
        sums.l2 += w * (l * l);
    }
    for _ in 0..5 {
        let mut changed = false;
        for ((&x, level), &w) in x.iter().zip(levels.iter_mut()).zip(weights) {
            let l = f32::from(*level);
            let without = Sums { xl: sums.xl - w * x * l, l2: sums.l2 - w * (l * l) };
            let positive = without.xl > 0.0 && without.l2 > 0.0;
            if !positive {
                continue;
            }
            let new = (nearest(x * without.l2 / without.xl) as u8).min(most);
            if new == *level {
                continue;
            }
            let l = f32::from(new);
            let with = Sums { xl: without.xl + w * x * l, l2: without.l2 + w * (l * l) };
            if with.better_than(sums) {
                (*level, sums, changed) = (new, with, true);
            }
        }
        if !changed {
            break;
        }
    }
    sums.scale()
}
