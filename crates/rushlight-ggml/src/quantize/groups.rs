//! Blocks of 256 elements whose groups of 16 or 32 elements have quantized scales.
use super::put_f16;
use super::search::{Signed, nearest, positive, with_min, with_min_weighted};
use crate::levels::{q3k_scales, scales_and_minima};

type Block = [f32; 256];

/// Returns the weights of a group's elements: the importance, larger for elements that are large beside the block's.
fn weigh<const N: usize>(x: &[f32; N], importance: &[f32], sigma2: f32) -> [f32; N] {
    let mut weights = [0.0; N];
    for ((w, x), importance) in weights.iter_mut().zip(x).zip(importance) {
        *w = importance * (sigma2 + x * x).sqrt();
    }
    weights
}

fn sum_of_squares(x: &Block) -> f32 {
    x.iter().map(|x| x * x).sum()
}

/// Scales and minima of G groups of N elements, as whole numbers up to `most`, and their factors.
struct Groups<const G: usize> {
    scales: [u8; G],
    mins: [u8; G],
    d: f32,
    dmin: f32,
}

impl<const G: usize> Groups<G> {
    /// Searches scales and minima for levels up to `levels`.
    fn search<const N: usize>(
        x: &Block,
        importance: Option<&Block>,
        levels: i32,
        most: u8,
        spread: f32,
    ) -> Self {
        let (mut scales, mut mins, mut sums) = ([0.0; G], [0.0; G], [0.0; G]);
        let sigma2 = spread * sum_of_squares(x) / 256.0;
        for (g, x) in x.as_chunks::<N>().0.iter().enumerate() {
            (scales[g], mins[g]) = match importance {
                None => with_min(x, levels),
                Some(importance) => {
                    let weights = weigh(x, &importance[g * N..][..N], sigma2);
                    sums[g] = weights.iter().sum();
                    with_min_weighted(x, &weights, levels)
                }
            };
        }
        let mut groups = Self { scales: [0; G], mins: [0; G], d: 0.0, dmin: 0.0 };
        let each =
            [(&scales, &mut groups.scales, &mut groups.d), (&mins, &mut groups.mins, &mut groups.dmin)];
        for (values, quantized, factor) in each {
            *factor = match importance {
                Some(_) => positive(values, &sums, most, quantized),
                None => linear(values, most, quantized),
            };
        }
        groups
    }
}

/// Quantizes values that are not negative by the largest of them.
fn linear(values: &[f32], most: u8, quantized: &mut [u8]) -> f32 {
    let max = values.iter().fold(0.0f32, |max, x| x.max(max));
    // (The maximum ignores NaN.)
    if max <= 0.0 {
        return 0.0;
    }
    let inverse = f32::from(most) / max;
    for (q, x) in quantized.iter_mut().zip(values) {
        *q = nearest(inverse * x).min(i32::from(most)) as u8;
    }
    max / f32::from(most)
}

/// Returns the level of each element for the rounded scale d and minimum m; a group without a scale keeps `levels`.
fn round<const N: usize>(x: &[f32; N], d: f32, m: f32, (low, high): (i32, i32), levels: &mut [u8]) {
    if d == 0.0 {
        return;
    }
    for (level, x) in levels.iter_mut().zip(x) {
        *level = (nearest((x + m) / d).clamp(low, high) - low) as u8;
    }
}

/// Packs the low two bits of 256 levels: byte b of a half has elements b, b + 32, b + 64 and b + 96.
fn pack_twos(levels: &[u8; 256], out: &mut [u8]) {
    for (levels, out) in levels.as_chunks::<128>().0.iter().zip(out.as_chunks_mut::<32>().0) {
        for (i, b) in out.iter_mut().enumerate() {
            *b = (0..4).fold(0, |bits, g| bits | (levels[i + 32 * g] & 3) << (2 * g));
        }
    }
}

/// Packs the low four bits of 256 levels: byte b of a quarter has elements b and b + 32.
fn pack_fours(levels: &[u8; 256], out: &mut [u8]) {
    for (levels, out) in levels.as_chunks::<64>().0.iter().zip(out.as_chunks_mut::<32>().0) {
        for (i, b) in out.iter_mut().enumerate() {
            *b = levels[i] & 15 | (levels[i + 32] & 15) << 4;
        }
    }
}

/// Packs bit `bit` of 256 levels: byte b has elements b, b + 32, ...
fn pack_bit(levels: &[u8; 256], bit: u32, out: &mut [u8]) {
    for (i, b) in out.iter_mut().enumerate() {
        *b = (0..8).fold(0, |bits, g| bits | (levels[i + 32 * g] >> bit & 1) << g);
    }
}

pub fn q2k(x: &Block, importance: Option<&Block>, block: &mut [u8; 84]) {
    let groups = Groups::<16>::search::<16>(x, importance, 3, 15, 1.0);
    let d = put_f16(block, 80, groups.d);
    let dmin = put_f16(block, 82, groups.dmin);
    let mut levels = [0; 256];
    for (g, x) in x.as_chunks::<16>().0.iter().enumerate() {
        let (scale, min) = (groups.scales[g], groups.mins[g]);
        block[g] = scale | min << 4;
        let (d, m) = (d * f32::from(scale & 15), dmin * f32::from(min & 15));
        round(x, d, m, (0, 3), &mut levels[16 * g..][..16]);
    }
    pack_twos(&levels, &mut block[16..80]);
}

pub fn q3k(x: &Block, importance: Option<&Block>, block: &mut [u8; 110]) {
    let search = match importance {
        None => Signed { n: 4, refits: 0, square: |w, l| w * (l * l) },
        Some(_) => Signed { n: 4, refits: 3, square: |w, l| w * l * l },
    };
    let (mut scales, mut sums, mut levels) = ([0.0; 16], [0.0; 16], [0; 256]);
    let sigma2 = 2.0 * sum_of_squares(x) / 256.0;
    for (g, x) in x.as_chunks::<16>().0.iter().enumerate() {
        let weights = importance.map(|importance| weigh(x, &importance[16 * g..][..16], sigma2));
        if let Some(weights) = &weights {
            sums[g] = weights.iter().sum();
        }
        let weights = weights.as_ref().map(|w| w.as_slice());
        scales[g] = search.search(x, weights, &mut levels[16 * g..][..16]);
    }
    let mut quantized = [0; 16];
    let d = if importance.is_some() {
        let search = Signed { n: 32, refits: 3, square: |w, l| w * l * l };
        search.search(&scales, Some(&sums), &mut quantized)
    } else {
        levels = [0; 256];
        let extreme = super::extreme(&scales);
        let inverse = -32.0 / extreme;
        if extreme != 0.0 {
            for (q, scale) in quantized.iter_mut().zip(scales) {
                *q = (nearest(inverse * scale).clamp(-32, 31) + 32) as u8;
            }
        }
        if extreme != 0.0 { 1.0 / inverse } else { 0.0 }
    };
    block[96..108].fill(0);
    for (g, q) in quantized.into_iter().enumerate() {
        block[96 + g % 8] |= (q & 15) << (g / 8 * 4);
        block[104 + g % 4] |= (q >> 4) << (g / 4 * 2);
    }
    let d = put_f16(block, 108, d);
    let scales = q3k_scales(&block[96..108]);
    for (g, x) in x.as_chunks::<16>().0.iter().enumerate() {
        let d = d * f32::from(scales[g]);
        round(x, d, 0.0, (-4, 3), &mut levels[16 * g..][..16]);
    }
    pack_bit(&levels, 2, &mut block[..32]);
    pack_twos(&levels, &mut block[32..96]);
}

/// Writes the scales and minima of Q4K and Q5K: the first four have the low six bits of a byte, the others four bits in
/// bytes 8 to 11 and two in the high bits of the first bytes.
fn put_scale_mins(groups: &Groups<8>, out: &mut [u8]) {
    for g in 0..4 {
        let (scale, min) = (groups.scales[g + 4], groups.mins[g + 4]);
        out[g] = groups.scales[g] | scale >> 4 << 6;
        out[g + 4] = groups.mins[g] | min >> 4 << 6;
        out[g + 8] = scale & 15 | (min & 15) << 4;
    }
}

/// Quantizes 8 groups of 32 elements to levels up to `most`, and writes the factors, scales and minima.
fn eight_groups(x: &Block, importance: Option<&Block>, most: i32, head: &mut [u8]) -> [u8; 256] {
    let groups = Groups::<8>::search::<32>(x, importance, most, 63, 2.0);
    let d = put_f16(head, 0, groups.d);
    let dmin = put_f16(head, 2, groups.dmin);
    put_scale_mins(&groups, &mut head[4..]);
    let ((scales, minima), mut levels) = (scales_and_minima(&head[4..]), [0; 256]);
    for (g, x) in x.as_chunks::<32>().0.iter().enumerate() {
        let (d, m) = (d * f32::from(scales[g]), dmin * f32::from(minima[g]));
        round(x, d, m, (0, most), &mut levels[32 * g..][..32]);
    }
    levels
}

pub fn q4k(x: &Block, importance: Option<&Block>, block: &mut [u8; 144]) {
    let levels = eight_groups(x, importance, 15, &mut block[..16]);
    pack_fours(&levels, &mut block[16..]);
}

pub fn q5k(x: &Block, importance: Option<&Block>, block: &mut [u8; 176]) {
    let levels = eight_groups(x, importance, 31, &mut block[..16]);
    pack_bit(&levels, 4, &mut block[16..48]);
    pack_fours(&levels, &mut block[48..]);
}

pub fn q6k(x: &Block, importance: Option<&Block>, block: &mut [u8; 210]) {
    let search = Signed { n: 32, refits: 3, square: |w, l| w * l * l };
    let (mut scales, mut levels) = ([0.0; 16], [0; 256]);
    for (g, x) in x.as_chunks::<16>().0.iter().enumerate() {
        let weights = importance.map(|importance| &importance[16 * g..][..16]);
        scales[g] = search.search(x, weights, &mut levels[16 * g..][..16]);
    }
    let inverse = -128.0 / super::extreme(&scales);
    let d = put_f16(block, 208, 1.0 / inverse);
    for (g, x) in x.as_chunks::<16>().0.iter().enumerate() {
        let scale = nearest(inverse * scales[g]).min(127) as i8;
        block[192 + g] = scale as u8;
        round(x, d * f32::from(scale), 0.0, (-32, 31), &mut levels[16 * g..][..16]);
    }
    for (half, levels) in levels.as_chunks::<128>().0.iter().enumerate() {
        for i in 0..64 {
            block[half * 64 + i] = levels[i] & 15 | levels[i + 64] << 4;
        }
    }
    pack_twos(&levels.map(|q| q >> 4), &mut block[128..192]);
}
