//! Random numbers: Philox4x32-10 with the key (seed, index of the draw) and the block as counter, so that all devices
//! give the same numbers.
//!
//! Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011. docs/NUMERICS.md defines how
//! random words are converted to numbers. The functions here use only `+ - * /`, `sqrt`, shifts and correctly rounded
//! conversions, so that a GPU kernel written in the same way gives the same bits.

use std::cell::RefCell;

/// The state of a device's generator: a seed, and the number of tensors drawn.
#[derive(Debug, Clone)]
pub struct Generator {
    seed: u64,
    draws: u64,
}

impl Generator {
    /// Returns a generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, draws: 0 }
    }

    /// Returns a generator with a seed from the operating system.
    pub fn from_entropy() -> Self {
        use std::hash::{BuildHasher, Hasher};
        Self::new(std::collections::hash_map::RandomState::new().build_hasher().finish())
    }

    /// Returns a generator that has drawn `draws` tensors since it was seeded.
    pub fn from_state(seed: u64, draws: u64) -> Self {
        Self { seed, draws }
    }

    /// Returns the seed, and the number of tensors drawn since. The next draws depend on nothing else.
    pub fn state(&self) -> (u64, u64) {
        (self.seed, self.draws)
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the key of the next draw, and advances the generator.
    pub fn next_draw(&mut self) -> (u64, u64) {
        let draw = self.draws;
        self.draws += 1;
        (self.seed, draw)
    }
}

thread_local! {
    /// The generator that this thread uses instead of the devices' generators, if `drawing_from` has set one.
    static CHOSEN: RefCell<Option<Generator>> = const { RefCell::new(None) };
}

/// Runs `f` on this thread with `generator` instead of the devices' generators.
///
/// ```
/// use rushlight::rng::{Generator, drawing_from};
/// use rushlight::{Device, Tensor};
/// let draw = || Tensor::rand(0f32, 1., 4, &Device::Cpu)?.to_vec1::<f32>();
/// let a = drawing_from(&mut Generator::new(7), draw)?;
/// let b = drawing_from(&mut Generator::new(7), draw)?;
/// assert_eq!(a, b);
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn drawing_from<R>(generator: &mut Generator, f: impl FnOnce() -> R) -> R {
    /// Restores the previous generator, also if `f` panics.
    struct Restore(Option<Generator>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CHOSEN.with(|c| *c.borrow_mut() = self.0.take());
        }
    }
    let restore = Restore(CHOSEN.with(|c| c.borrow_mut().replace(generator.clone())));
    let out = f();
    if let Some(after) = CHOSEN.with(|c| c.borrow_mut().take()) {
        *generator = after;
    }
    drop(restore);
    out
}

/// Returns the key of the next draw of the generator that `drawing_from` has set on this thread, if there is one.
pub(crate) fn chosen_draw() -> Option<(u64, u64)> {
    CHOSEN.with(|c| c.borrow_mut().as_mut().map(Generator::next_draw))
}

/// Computes one Philox4x32-10 block: four random words from a counter and a key.
///
/// ```
/// // Known answer of the paper's reference implementation.
/// assert_eq!(
///     rushlight::rng::philox4x32([0; 4], [0; 2]),
///     [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
/// );
/// ```
pub fn philox4x32(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let p0 = 0xD251_1F53u64 * c[0] as u64;
        let p1 = 0xCD9E_8D57u64 * c[2] as u64;
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
        k = [k[0].wrapping_add(0x9E37_79B9), k[1].wrapping_add(0xBB67_AE85)];
    }
    c
}

/// Returns the four words of a block of a draw. `key` is (seed, index of the draw).
#[inline]
pub fn block(key: (u64, u64), block: u64) -> [u32; 4] {
    philox4x32(
        [block as u32, (block >> 32) as u32, key.1 as u32, (key.1 >> 32) as u32],
        [key.0 as u32, (key.0 >> 32) as u32],
    )
}

/// Returns words 2j and 2j + 1 of a block as one number; the first is the low half.
#[inline]
pub fn word64(w: &[u32; 4], j: usize) -> u64 {
    w[2 * j] as u64 | (w[2 * j + 1] as u64) << 32
}

/// Converts a word to a uniform number in `[0, 1)`: the upper 24 bits, exactly.
#[inline]
pub fn unit_f32(w: u32) -> f32 {
    (w >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Converts a word to a uniform number in `[0, 1)`: the upper 53 bits, exactly.
#[inline]
pub fn unit_f64(w: u64) -> f64 {
    (w >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Returns the threshold below which a word counts as success with probability `p`: `p 2^32`, rounded, ties to even.
pub fn threshold(p: f64) -> u64 {
    (p * 4_294_967_296.0).round_ties_even() as u64
}

/// Returns an integer below `span` (1 to 2^32) from 64 random bits: `w span / 2^64`. The relative error of a value's
/// probability is at most `span / 2^64`.
#[inline]
pub fn below_small(w: u64, span: u64) -> u64 {
    ((w as u128 * span as u128) >> 64) as u64
}

/// Returns an integer below `span` (up to 2^64) from the 128 bits of a block: `w span / 2^128`.
#[inline]
pub fn below_large(w: &[u32; 4], span: u128) -> u64 {
    let (low, high) = (word64(w, 0) as u128, word64(w, 1) as u128);
    ((high * span + ((low * span) >> 64)) >> 64) as u64
}

/// Defines the Box-Muller method for one float type, with Taylor polynomials. They are cut where the next term is below
/// the type's precision on the reduced range.
macro_rules! normals {
    ($pair:ident, $ln:ident, $turn:ident, $f:ty, $w:ty, $signed:ty, $exp:literal, $bias:literal,
     $ln2_hi:expr, $ln2_lo:literal, [$($l:literal),*], [$($s:literal),*], [$($c:literal),*]) => {
        /// Computes the natural logarithm for `(0, 1]`: `u = m 2^e` with `m` around 1, and the series of
        /// `2 atanh((m - 1) / (m + 1))`.
        #[inline]
        pub fn $ln(u: $f) -> $f {
            const MANTISSA: u32 = <$f>::MANTISSA_DIGITS - 1;
            let bits = u.to_bits();
            let mut e = ((bits >> MANTISSA) as i32 - $bias) as $f;
            let mut m = <$f>::from_bits(bits & ((1 << MANTISSA) - 1) | $bias << MANTISSA);
            // (Choices without branches, which half of the numbers would mispredict.)
            let large = m > std::f64::consts::SQRT_2 as $f;
            m = if large { m * 0.5 } else { m };
            e = if large { e + 1.0 } else { e };
            let s = (m - 1.0) / (m + 1.0);
            let z = s * s;
            let mut p: $f = 0.0;
            $(p = p * z + 2.0 / $l;)*
            let series = s * 2.0 + s * (p * z);
            e * ($ln2_hi) + (e * $ln2_lo + series)
        }

        /// Computes cosine and sine of the angle `w`, where `2^BITS` is a full turn. Multiples of a quarter turn are
        /// split off exactly; the rest is at most an eighth of a turn.
        #[inline]
        pub fn $turn(w: $w) -> ($f, $f) {
            const BITS: u32 = <$w>::BITS;
            let q = w.wrapping_add(1 << (BITS - 3)) >> (BITS - 2);
            let rest = w.wrapping_sub(q << (BITS - 2)) as $signed;
            let x = rest as $f * (std::f64::consts::PI / $exp) as $f;
            let z = x * x;
            let mut p: $f = 0.0;
            $(p = p * z + 1.0 / $s;)*
            let sin = x + x * (p * z);
            let mut p: $f = 0.0;
            $(p = p * z + 1.0 / $c;)*
            let cos = 1.0 + p * z;
            let (a, b) = if q & 1 == 0 { (cos, sin) } else { (sin, cos) };
            let turned = |v: $f, half: bool| if half { -v } else { v };
            (turned(a, q == 1 || q == 2), turned(b, q >= 2))
        }

        /// Computes two standard normal numbers from two random words (Box and Muller 1958).
        #[inline]
        pub fn $pair(a: $w, b: $w) -> [$f; 2] {
            let u = (a as $f + 1.0) * (0.5 / $exp);
            let r = ($ln(u) * -2.0).sqrt();
            let (cos, sin) = $turn(b);
            [r * cos, r * sin]
        }
    };
}
normals!(
    normals_f32,
    ln_f32,
    turn_f32,
    f32,
    u32,
    i32,
    2_147_483_648.0,
    127,
    355.0 / 512.0,
    -2.121_944_4e-4,
    [9.0, 7.0, 5.0, 3.0],
    [362_880.0, -5_040.0, 120.0, -6.0],
    [-3_628_800.0, 40_320.0, -720.0, 24.0, -2.0]
);
normals!(
    normals_f64,
    ln_f64,
    turn_f64,
    f64,
    u64,
    i64,
    9_223_372_036_854_775_808.0,
    1023,
    0.693_147_180_369_123_8,
    1.908_214_929_270_587_7e-10,
    [23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0],
    [
        355_687_428_096_000.0,
        -1_307_674_368_000.0,
        6_227_020_800.0,
        -39_916_800.0,
        362_880.0,
        -5_040.0,
        120.0,
        -6.0
    ],
    [
        -6_402_373_705_728_000.0,
        20_922_789_888_000.0,
        -87_178_291_200.0,
        479_001_600.0,
        -3_628_800.0,
        40_320.0,
        -720.0,
        24.0,
        -2.0
    ]
);
