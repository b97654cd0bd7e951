//! Decompositions of one matrix in complex f64, one step at a time: elimination, Householder's reflections, and Jacobi's rotations
//! for eigenvalues and singular values.
use std::ops::{Add, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Z(pub f64, pub f64);

impl Add for Z {
    type Output = Z;
    fn add(self, o: Z) -> Z {
        Z(self.0 + o.0, self.1 + o.1)
    }
}
impl Sub for Z {
    type Output = Z;
    fn sub(self, o: Z) -> Z {
        Z(self.0 - o.0, self.1 - o.1)
    }
}
impl Mul for Z {
    type Output = Z;
    fn mul(self, o: Z) -> Z {
        Z(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }
}

const ZERO: Z = Z(0.0, 0.0);
const ONE: Z = Z(1.0, 0.0);

impl Z {
    fn conj(self) -> Z {
        Z(self.0, -self.1)
    }
    fn by(self, s: f64) -> Z {
        Z(self.0 * s, self.1 * s)
    }
    fn square(self) -> f64 {
        self.0 * self.0 + self.1 * self.1
    }
    fn size(self) -> f64 {
        self.0.hypot(self.1)
    }
    fn over(self, o: Z) -> Z {
        (self * o.conj()).by(1.0 / o.square())
    }
}

/// A column-major matrix without gaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense {
    pub rows: usize,
    pub cols: usize,
    pub all: Vec<Z>,
}

impl Dense {
    pub fn new(rows: usize, cols: usize, f: impl Fn(usize, usize) -> Z) -> Dense {
        Dense { rows, cols, all: (0..rows * cols).map(|e| f(e % rows, e / rows)).collect() }
    }
    fn unit(n: usize) -> Dense {
        Dense::new(n, n, |i, j| if i == j { ONE } else { ZERO })
    }
    pub fn at(&self, i: usize, j: usize) -> Z {
        self.all[j * self.rows + i]
    }
    fn put(&mut self, i: usize, j: usize, v: Z) {
        self.all[j * self.rows + i] = v;
    }
    fn column(&self, j: usize) -> &[Z] {
        &self.all[j * self.rows..(j + 1) * self.rows]
    }
    pub fn adjoint(&self) -> Dense {
        Dense::new(self.cols, self.rows, |i, j| self.at(j, i).conj())
    }
    /// Replaces columns p and q by `c p - s b` and `s p + c b`, where b is q times the conjugate of a phase.
    fn rotate(&mut self, p: usize, q: usize, c: f64, s: f64, phase: Z) {
        for i in 0..self.rows {
            let (x, b) = (self.at(i, p), self.at(i, q) * phase.conj());
            self.put(i, p, x.by(c) - b.by(s));
            self.put(i, q, x.by(s) + b.by(c));
        }
    }
}

fn dot(x: &[Z], y: &[Z]) -> Z {
    x.iter().zip(y).fold(ZERO, |sum, (x, y)| sum + x.conj() * *y)
}

/// Factorizes in place. Returns the pivots, from 1 on, and the first one that is 0, else 0.
pub(crate) fn lu(a: &mut Dense) -> (Vec<usize>, i32) {
    let (m, n) = (a.rows, a.cols);
    let (mut pivots, mut info) = (Vec::new(), 0);
    for k in 0..m.min(n) {
        let mut pivot = k;
        for i in k + 1..m {
            if a.at(i, k).size() > a.at(pivot, k).size() {
                pivot = i;
            }
        }
        pivots.push(pivot + 1);
        for j in 0..n {
            let (x, y) = (a.at(k, j), a.at(pivot, j));
            a.put(k, j, y);
            a.put(pivot, j, x);
        }
        let by = a.at(k, k);
        if by == ZERO {
            if info == 0 {
                info = k as i32 + 1;
            }
            continue;
        }
        for i in k + 1..m {
            let factor = a.at(i, k).over(by);
            a.put(i, k, factor);
            for j in k + 1..n {
                let v = a.at(i, j) - factor * a.at(k, j);
                a.put(i, j, v);
            }
        }
    }
    (pivots, info)
}

/// Factorizes the lower triangle in place. Stops at the first minor that is not positive, and returns its order, else 0.
pub(crate) fn cholesky(a: &mut Dense) -> i32 {
    for j in 0..a.rows {
        let mut d = a.at(j, j).0;
        for k in 0..j {
            d -= a.at(j, k).square();
        }
        if !(d > 0.0) {
            return j as i32 + 1;
        }
        let root = d.sqrt();
        a.put(j, j, Z(root, 0.0));
        for i in j + 1..a.rows {
            let mut v = a.at(i, j);
            for k in 0..j {
                v = v - a.at(i, k) * a.at(j, k).conj();
            }
            a.put(i, j, v.by(1.0 / root));
        }
    }
    0
}

/// Factorizes in place: R, and below it the vectors of reflections, without their first elements, which are 1. Returns tau.
pub(crate) fn qr(a: &mut Dense) -> Vec<Z> {
    let (m, n) = (a.rows, a.cols);
    let mut all = Vec::new();
    for k in 0..m.min(n) {
        let alpha = a.at(k, k);
        let tail: f64 = (k + 1..m).map(|i| a.at(i, k).square()).sum();
        if tail == 0.0 && alpha.1 == 0.0 {
            all.push(ZERO);
            continue;
        }
        let norm = (alpha.square() + tail).sqrt();
        let beta = if alpha.0 < 0.0 { norm } else { -norm };
        let tau = Z((beta - alpha.0) / beta, -alpha.1 / beta);
        for i in k + 1..m {
            let v = a.at(i, k).over(alpha - Z(beta, 0.0));
            a.put(i, k, v);
        }
        a.put(k, k, Z(beta, 0.0));
        for j in k + 1..n {
            let sum = (k + 1..m).fold(a.at(k, j), |s, i| s + a.at(i, k).conj() * a.at(i, j));
            let by = tau.conj() * sum;
            let v = a.at(k, j) - by;
            a.put(k, j, v);
            for i in k + 1..m {
                let v = a.at(i, j) - a.at(i, k) * by;
                a.put(i, j, v);
            }
        }
        all.push(tau);
    }
    all
}

/// Replaces reflections by the first columns of their product.
pub(crate) fn product(a: &mut Dense, tau: &[Z]) {
    let (m, n) = (a.rows, a.cols);
    let mut q = Dense::new(m, n, |i, j| if i == j { ONE } else { ZERO });
    for (k, tau) in tau.iter().enumerate().rev() {
        for j in 0..n {
            let sum = (k + 1..m).fold(q.at(k, j), |s, i| s + a.at(i, k).conj() * q.at(i, j));
            let by = *tau * sum;
            let v = q.at(k, j) - by;
            q.put(k, j, v);
            for i in k + 1..m {
                let v = q.at(i, j) - a.at(i, k) * by;
                q.put(i, j, v);
            }
        }
    }
    *a = q;
}

/// Returns the cosine and the sine of the rotation that makes two columns with these squares, and a real product, orthogonal.
fn rotation(p: f64, q: f64, product: f64) -> (f64, f64) {
    let zeta = (q - p) / (2.0 * product);
    let t = 1.0f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    (c, c * t)
}

const SWEEPS: usize = 40;

/// Computes the eigenvalues of the Hermitian matrix with this lower triangle, ascending, and the eigenvectors. `None` if it does not
/// converge.
pub(crate) fn eigh(lower: &Dense) -> Option<(Vec<f64>, Dense)> {
    let n = lower.rows;
    let mut a = Dense::new(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => lower.at(j, i).conj(),
        std::cmp::Ordering::Equal => Z(lower.at(i, i).0, 0.0),
        std::cmp::Ordering::Greater => lower.at(i, j),
    });
    let mut v = Dense::unit(n);
    let whole: f64 = a.all.iter().map(|x| x.square()).sum();
    for _ in 0..SWEEPS {
        let beside: f64 =
            (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).map(|(i, j)| a.at(i, j).square()).sum();
        if beside <= 1e-32 * whole {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|i, j| a.at(*i, *i).0.total_cmp(&a.at(*j, *j).0));
            let values = order.iter().map(|i| a.at(*i, *i).0).collect();
            return Some((values, Dense::new(n, n, |i, j| v.at(i, order[j]))));
        }
        for p in 0..n {
            for q in p + 1..n {
                let x = a.at(p, q);
                let size = x.size();
                if size == 0.0 {
                    continue;
                }
                let phase = x.by(1.0 / size);
                let (c, s) = rotation(a.at(p, p).0, a.at(q, q).0, size);
                a.rotate(p, q, c, s, phase);
                // The rows change as the columns of the adjoint.
                for j in 0..n {
                    let (x, b) = (a.at(p, j), a.at(q, j) * phase);
                    a.put(p, j, x.by(c) - b.by(s));
                    a.put(q, j, x.by(s) + b.by(c));
                }
                v.rotate(p, q, c, s, phase);
                a.put(p, q, ZERO);
                a.put(q, p, ZERO);
                for i in [p, q] {
                    let d = a.at(i, i).0;
                    a.put(i, i, Z(d, 0.0));
                }
            }
        }
    }
    None
}

/// U, the singular values and V^H.
type Parts = (Dense, Vec<f64>, Dense);

/// Computes U, square, the singular values, descending, and V^H, square. `None` if it does not converge.
pub(crate) fn svd(a: &Dense) -> Option<Parts> {
    if a.rows < a.cols {
        let (u, s, v) = svd(&a.adjoint())?;
        return Some((v.adjoint(), s, u.adjoint()));
    }
    let (m, n) = (a.rows, a.cols);
    let (mut a, mut v) = (a.clone(), Dense::unit(n));
    let mut turned = true;
    for _ in 0..SWEEPS {
        turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let product = dot(a.column(p), a.column(q));
                let [x, y] = [p, q].map(|j| dot(a.column(j), a.column(j)).0);
                let size = product.size();
                if size <= f64::EPSILON * m as f64 * (x * y).sqrt() {
                    continue;
                }
                turned = true;
                let (c, s) = rotation(x, y, size);
                let phase = product.by(1.0 / size);
                a.rotate(p, q, c, s, phase);
                v.rotate(p, q, c, s, phase);
            }
        }
        if !turned {
            break;
        }
    }
    if turned {
        return None;
    }
    let sizes: Vec<f64> = (0..n).map(|j| dot(a.column(j), a.column(j)).0.sqrt()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| sizes[*j].total_cmp(&sizes[*i]));
    let most = order.first().map_or(0.0, |j| sizes[*j]);
    let mut u = Vec::new();
    for j in &order {
        if sizes[*j] > most * 1e-14 * m as f64 {
            u.extend(a.column(*j).iter().map(|x| x.by(1.0 / sizes[*j])));
        }
    }
    complete(&mut u, m);
    let values = order.iter().map(|j| sizes[*j]).collect();
    let vh = Dense::new(n, n, |i, j| v.at(j, order[i]).conj());
    Some((Dense { rows: m, cols: m, all: u }, values, vh))
}

/// Appends orthonormal columns of m elements until the matrix is square.
fn complete(u: &mut Vec<Z>, m: usize) {
    while u.len() < m * m {
        let mut best = (0.0, Vec::new());
        for e in 0..m {
            let mut x: Vec<Z> = (0..m).map(|i| if i == e { ONE } else { ZERO }).collect();
            // Twice, because the first pass leaves rounding errors.
            for _ in 0..2 {
                for column in u.chunks(m) {
                    let by = dot(column, &x);
                    x.iter_mut().zip(column).for_each(|(x, c)| *x = *x - *c * by);
                }
            }
            let size = dot(&x, &x).0.sqrt();
            if size > best.0 {
                best = (size, x.iter().map(|x| x.by(1.0 / size)).collect());
            }
            // No vector is better than about this one on average.
            if size * size > 0.5 * (1.0 - u.len() as f64 / (m * m) as f64) {
                break;
            }
        }
        u.append(&mut best.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(rows: usize, cols: usize) -> Dense {
        let number = |e: usize| ((e * 7919 + 13) % 401) as f64 / 200.0 - 1.0;
        Dense::new(rows, cols, |i, j| Z(number(2 * (j * rows + i)), number(2 * (j * rows + i) + 1)))
    }

    fn times(a: &Dense, b: &Dense) -> Dense {
        Dense::new(a.rows, b.cols, |i, j| (0..a.cols).fold(ZERO, |s, k| s + a.at(i, k) * b.at(k, j)))
    }

    fn near(a: &Dense, b: &Dense) {
        assert_eq!((a.rows, a.cols), (b.rows, b.cols));
        for (x, y) in a.all.iter().zip(&b.all) {
            assert!((*x - *y).size() < 1e-12, "{x:?} {y:?}");
        }
    }

    #[test]
    fn products_of_factors_are_the_matrix() {
        for (m, n) in [(7, 5), (5, 5), (4, 6)] {
            let a = drawn(m, n);
            let (mut f, k) = (a.clone(), m.min(n));
            let tau = qr(&mut f);
            let r = Dense::new(m, n, |i, j| if i <= j { f.at(i, j) } else { ZERO });
            let mut q = Dense::new(m, m, |i, j| if j < k { f.at(i, j) } else { ZERO });
            product(&mut q, &tau);
            near(&times(&q, &r), &a);
            near(&times(&q.adjoint(), &q), &Dense::unit(m));

            let mut f = a.clone();
            let (pivots, info) = lu(&mut f);
            assert_eq!((info, pivots.len()), (0, k));
            let l = Dense::new(m, k, |i, j| match i.cmp(&j) {
                std::cmp::Ordering::Less => ZERO,
                std::cmp::Ordering::Equal => ONE,
                std::cmp::Ordering::Greater => f.at(i, j),
            });
            let u = Dense::new(k, n, |i, j| if i <= j { f.at(i, j) } else { ZERO });
            let mut x = a.clone();
            for (i, p) in pivots.iter().enumerate() {
                for j in 0..n {
                    x.all.swap(j * m + i, j * m + p - 1);
                }
            }
            near(&times(&l, &u), &x);

            let (u, s, v) = svd(&a).unwrap();
            assert!(s.is_sorted_by(|a, b| a >= b));
            let scaled = Dense::new(m, n, |i, j| if j < k { u.at(i, j).by(s[j]) } else { ZERO });
            near(&times(&scaled, &v), &a);
            near(&times(&u.adjoint(), &u), &Dense::unit(m));
            near(&times(&v.adjoint(), &v), &Dense::unit(n));
        }
        let x = drawn(6, 6);
        let a = times(&x, &x.adjoint());
        let mut l = a.clone();
        assert_eq!(cholesky(&mut l), 0);
        let l = Dense::new(6, 6, |i, j| if i >= j { l.at(i, j) } else { ZERO });
        near(&times(&l, &l.adjoint()), &a);
        let (values, v) = eigh(&a).unwrap();
        assert!(values.is_sorted());
        let scaled = Dense::new(6, 6, |i, j| v.at(i, j).by(values[j]));
        near(&times(&scaled, &v.adjoint()), &a);
    }

    #[test]
    fn singular_matrices() {
        // Rank 1, and 0.
        for a in [Dense::new(5, 4, |_, _| ONE), Dense::new(5, 4, |_, _| ZERO)] {
            let (u, s, v) = svd(&a).unwrap();
            let scaled = Dense::new(5, 4, |i, j| u.at(i, j).by(s[j]));
            near(&times(&scaled, &v), &a);
            near(&times(&u.adjoint(), &u), &Dense::unit(5));
        }
        let mut a = Dense::new(3, 3, |i, j| {
            Z(if j == 1 { 0.0 } else { (i + 1) as f64 * if i == j { 3.0 } else { 1.0 } }, 0.0)
        });
        assert_eq!(lu(&mut a).1, 2);
        let mut a =
            Dense::new(3, 3, |i, j| Z(if i == j { if i == 2 { -1.0 } else { 4.0 } } else { 1.0 }, 0.0));
        assert_eq!(cholesky(&mut a), 3);
    }
}
