//! The arithmetic of instructions, on one lane's values.
use half::f16;

/// Returns zero for denormal numbers.
pub(crate) fn flush(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

pub(crate) fn flushed(v: f32) -> f32 {
    f32::from_bits(flush(v.to_bits()))
}

/// Computes a function that the hardware approximates and that treats denormal arguments and results as zero.
pub(crate) fn coarse(v: f32, f: impl Fn(f32) -> f32) -> f32 {
    flushed(f(flushed(v)))
}

/// Returns how often a word's sign bit is repeated, or -1 if all bits are equal.
pub(crate) fn sign_bits(v: u32) -> u32 {
    let n = (v ^ ((v as i32) >> 31) as u32).leading_zeros();
    if n == 32 { !0 } else { n }
}

pub(crate) fn sign_bits64(v: u64) -> u32 {
    let n = (v ^ ((v as i64) >> 63) as u64).leading_zeros();
    if n == 64 { !0 } else { n }
}

pub(crate) fn signed24(v: u32) -> i32 {
    ((v << 8) as i32) >> 8
}

/// Returns the bit field of a scalar extract: its offset is in bits 0 to 4, its width in bits 16 to 22.
pub(crate) fn field(v: u64, what: u32, signed: bool) -> u64 {
    let (at, width) = (what & 31, (what >> 16 & 127).min(32));
    cut((((v << 32) as i64) >> 32) as u64, v & 0xffff_ffff, at, width, signed)
}

pub(crate) fn field64(v: u64, what: u32, signed: bool) -> u64 {
    let (at, width) = (what & 63, (what >> 16 & 127).min(64));
    cut(v, v, at, width, signed)
}

fn cut(signed_value: u64, value: u64, at: u32, width: u32, signed: bool) -> u64 {
    match (width, signed) {
        (0, _) => 0,
        (64, true) => ((signed_value as i64) >> at) as u64,
        (64, false) => value >> at,
        (_, false) => value >> at & ((1 << width) - 1),
        (_, true) => {
            let kept = ((signed_value as i64) >> at) as u64;
            (((kept << (64 - width)) as i64) >> (64 - width)) as u64
        }
    }
}

/// Returns the bytes of a (4 to 7) and b (0 to 3) that a selector names.
pub(crate) fn permute(a: u32, b: u32, select: u32) -> u32 {
    let both = (a as u64) << 32 | b as u64;
    (0..4).fold(0, |r, n| {
        let sign = |at: u32| if both >> at & 1 == 1 { 255 } else { 0 };
        let byte = match select >> (8 * n) & 255 {
            s @ 0..=7 => both >> (8 * s) & 255,
            8 => sign(15),
            9 => sign(31),
            10 => sign(47),
            11 => sign(63),
            12 => 0,
            _ => 255,
        };
        r | (byte as u32) << (8 * n)
    })
}

macro_rules! clamps {
    ($name:ident $t:ty) => {
        /// Clamps to [0, 1]; NaN becomes zero if `nan` is set.
        pub(crate) fn $name(v: $t, nan: bool) -> $t {
            if v > 1.0 {
                1.0
            } else if v > 0.0 || (v.is_nan() && !nan) {
                v
            } else {
                0.0
            }
        }
    };
}
clamps!(clamp32 f32);
clamps!(clamp64 f64);

/// The rules of minimum and maximum for NaN.
#[derive(Clone, Copy)]
pub(crate) struct Nans {
    /// A signalling NaN is the result, made quiet.
    pub ieee: bool,
    /// With two quiet NaNs the second is the result (CDNA), not the first (RDNA3).
    pub second: bool,
}

macro_rules! extremes {
    ($min:ident $max:ident $t:ty, $quiet:expr) => {
        extremes!($min $t, $quiet, <, is_sign_negative, "Returns the smaller number, or the other one if one is NaN; -0 is less than 0.");
        extremes!($max $t, $quiet, >, is_sign_positive, "Returns the larger number, likewise.");
    };
    ($name:ident $t:ty, $quiet:expr, $better:tt, $zero:ident, $doc:expr) => {
        #[doc = $doc]
        pub(crate) fn $name(a: $t, b: $t, nans: Nans) -> $t {
            let signals = |v: $t| v.is_nan() && v.to_bits() & $quiet == 0;
            let quiet = |v: $t| <$t>::from_bits(v.to_bits() | $quiet);
            if nans.ieee && signals(a) {
                quiet(a)
            } else if nans.ieee && signals(b) {
                quiet(b)
            } else if nans.second && a.is_nan() {
                b
            } else if b.is_nan() || a $better b || (a == b && a.$zero()) {
                a
            } else {
                b
            }
        }
    };
}
extremes!(min32 max32 f32, 1 << 22);
extremes!(min64 max64 f64, 1 << 51);
extremes!(min16 max16 f16, 1 << 9);

macro_rules! median {
    ($name:ident $min:ident $max:ident $t:ty) => {
        /// Returns the median; with a NaN, the smallest number.
        pub(crate) fn $name(a: $t, b: $t, c: $t, nans: Nans) -> $t {
            if a.is_nan() || b.is_nan() || c.is_nan() {
                return $min($min(a, b, nans), c, nans);
            }
            let most = $max($max(a, b, nans), c, nans);
            if most == a {
                $max(b, c, nans)
            } else if most == b {
                $max(a, c, nans)
            } else {
                $max(a, b, nans)
            }
        }
    };
}
median!(median32 min32 max32 f32);
median!(median16 min16 max16 f16);

/// Returns x - floor(x), less than 1.
pub(crate) fn fract32(v: f32) -> f32 {
    let f = v - v.floor();
    if f >= 1.0 { f32::from_bits(0x3f7f_ffff) } else { f }
}

pub(crate) fn fract64(v: f64) -> f64 {
    let f = v - v.floor();
    if f >= 1.0 { f64::from_bits(0x3fef_ffff_ffff_ffff) } else { f }
}

/// Returns the sine or cosine of an angle in revolutions.
pub(crate) fn turn(v: f64, cosine: bool) -> f64 {
    let x = (v - v.floor()) * std::f64::consts::TAU;
    if cosine { x.cos() } else { x.sin() }
}

/// Returns v times 2^n, rounded once.
pub(crate) fn ldexp64(v: f64, n: i32) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return v;
    }
    // Larger exponents give zero or infinity anyway. The first steps are exact, the last one rounds.
    let mut n = n.clamp(-2300, 2300);
    let mut v = v;
    let power = |n: i32| f64::from_bits(((1023 + n) as u64) << 52);
    while n > 1000 {
        v *= power(1000);
        n -= 1000;
    }
    if n < -1000 || (n < 0 && v.abs() < f64::MIN_POSITIVE) {
        // Towards the denormal range: scale the number up first, so that it is rounded only at the end.
        let (m, e) = (mantissa64(v), exponent64(v));
        return scale(m, e as i64 + n as i64, 0);
    }
    let e = exponent64(v);
    if e + n < -1020 {
        return scale(mantissa64(v), e as i64 + n as i64, 0);
    }
    v * power(n)
}

pub(crate) fn ldexp32(v: f32, n: i32) -> f32 {
    // f64 holds the value exactly, so it is rounded once.
    ldexp64(v as f64, n.clamp(-400, 400)) as f32
}

/// Returns the mantissa in [0.5, 1), or v itself if it is not finite.
pub(crate) fn mantissa64(v: f64) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return v;
    }
    let bits = if v.abs() < f64::MIN_POSITIVE {
        (v * f64::from_bits(0x4350_0000_0000_0000)).to_bits()
    } else {
        v.to_bits()
    };
    f64::from_bits(bits & 0x800f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000)
}

/// Returns the exponent: v is its mantissa times 2 to this; 0 if v is not finite.
pub(crate) fn exponent64(v: f64) -> i32 {
    if v == 0.0 || !v.is_finite() {
        return 0;
    }
    if v.abs() < f64::MIN_POSITIVE {
        // Scaled by 2^54.
        return exponent64(v * f64::from_bits(0x4350_0000_0000_0000)) - 54;
    }
    (v.to_bits() >> 52 & 2047) as i32 - 1022
}

pub(crate) fn mantissa32(v: f32) -> f32 {
    mantissa64(v as f64) as f32
}

pub(crate) fn exponent32(v: f32) -> i32 {
    exponent64(v as f64)
}

/// Returns the exponent field, as division instructions use it.
fn field32(v: f32) -> i32 {
    (v.to_bits() >> 23 & 255) as i32
}

fn exponent_field64(v: f64) -> i32 {
    (v.to_bits() >> 52 & 2047) as i32
}

/// Returns m (the mantissa) times 2^e, where the true value is slightly larger or smaller by the sign of `rest`:
/// rounded once to nearest even, also in the denormal range.
fn scale(m: f64, e: i64, rest: i32) -> f64 {
    let e = e + exponent64(m) as i64;
    let m = mantissa64(m);
    if m == 0.0 || !m.is_finite() {
        return m;
    }
    let bits = m.to_bits() & 0xf_ffff_ffff_ffff | 1 << 52;
    let sign = m.to_bits() & 1 << 63;
    // The value is bits * 2^(e - 53); the smallest f64 is 2^-1074.
    let drop = -1074 - (e - 53);
    if drop <= 0 {
        let biased = e + 1022;
        let value = if biased >= 2047 {
            f64::INFINITY.to_bits()
        } else {
            (biased as u64) << 52 | bits & 0xf_ffff_ffff_ffff
        };
        return f64::from_bits(sign | value);
    }
    if drop > 54 {
        return f64::from_bits(sign);
    }
    let (kept, lost) = (bits >> drop, bits & ((1 << drop) - 1));
    let half = 1u64 << (drop - 1);
    let up = lost > half || (lost == half && (rest > 0 || (rest == 0 && kept & 1 == 1)));
    f64::from_bits(sign | (kept + up as u64))
}

/// Returns a*b + c as the nearest f64, and the sign of the remainder (away from zero is positive).
fn fma_exact(a: f64, b: f64, c: f64) -> (f64, i32) {
    let r = a.mul_add(b, c);
    if !r.is_finite() {
        return (r, 0);
    }
    let two_sum = |a: f64, b: f64| {
        let s = a + b;
        let t = s - a;
        (s, (a - (s - t)) + (b - t))
    };
    let u1 = a * b;
    let u2 = a.mul_add(b, -u1);
    let (x1, x2) = two_sum(c, u2);
    let (y1, y2) = two_sum(u1, x1);
    let rest = ((y1 - r) + y2) + x2;
    let sign = if rest == 0.0 {
        0
    } else if rest > 0.0 {
        1
    } else {
        -1
    };
    (r, if r < 0.0 { -sign } else { sign })
}

/// Rounds to odd: if there is a remainder, returns the odd neighbour, so that rounding again is correct.
fn to_odd((r, rest): (f64, i32)) -> f64 {
    match rest {
        _ if r.to_bits() & 1 == 1 || rest == 0 || r == 0.0 => r,
        1 => f64::from_bits(r.to_bits() + 1),
        _ => f64::from_bits(r.to_bits() - 1),
    }
}

/// Computes the last step of a quotient: a*b + c, scaled back if the division was scaled.
pub(crate) fn fmas32(a: f32, b: f32, c: f32, scaled: bool) -> f32 {
    if !scaled {
        return a.mul_add(b, c);
    }
    let n = if field32(c) > 127 { 64 } else { -64 };
    let exact = to_odd(fma_exact(a as f64, b as f64, c as f64));
    ldexp64(exact, n) as f32
}

pub(crate) fn fmas64(a: f64, b: f64, c: f64, scaled: bool) -> f64 {
    if !scaled {
        return a.mul_add(b, c);
    }
    let n = if exponent_field64(c) > 1023 { 128 } else { -128 };
    let (r, rest) = fma_exact(a, b, c);
    if r == 0.0 || !r.is_finite() { r } else { scale(mantissa64(r), exponent64(r) as i64 + n, rest) }
}

/// Scales an operand (`s0`) of the quotient `s2 / s1`; returns whether the result must be scaled back.
pub(crate) fn div_scale32(s0: f32, s1: f32, s2: f32) -> (f32, bool) {
    let (f1, f2) = (s1 as f64, s2 as f64);
    let small = |v: f64| v != 0.0 && v.abs() < f32::MIN_POSITIVE as f64;
    let what = if s1 == 0.0 || s2 == 0.0 {
        return (f32::NAN, false);
    } else if field32(s2) - field32(s1) >= 96 {
        (if s0 == s1 { 64 } else { 0 }, true)
    } else if small(f1) {
        (64, false)
    } else if small(1.0 / f1) && small(f2 / f1) {
        (if s0 == s1 { -64 } else { 0 }, true)
    } else if small(1.0 / f1) {
        (-64, false)
    } else if small(f2 / f1) {
        (if s0 == s2 { 64 } else { 0 }, true)
    } else if field32(s2) <= 23 {
        (64, false)
    } else {
        (0, false)
    };
    (ldexp32(s0, what.0), what.1)
}

pub(crate) fn div_scale64(s0: f64, s1: f64, s2: f64) -> (f64, bool) {
    // A quotient below the denormal range is small too.
    let small = |v: f64| v.abs() < f64::MIN_POSITIVE;
    let what = if s1 == 0.0 || s2 == 0.0 {
        return (f64::NAN, false);
    } else if exponent_field64(s2) - exponent_field64(s1) >= 768 {
        (if s0 == s1 { 128 } else { 0 }, true)
    } else if small(s1) {
        (128, false)
    } else if small(1.0 / s1) && small(s2 / s1) {
        (if s0 == s1 { -128 } else { 0 }, true)
    } else if small(1.0 / s1) {
        (-128, false)
    } else if small(s2 / s1) {
        (if s0 == s2 { 128 } else { 0 }, true)
    } else if exponent_field64(s2) <= 53 {
        (128, false)
    } else {
        (0, false)
    };
    (ldexp64(s0, what.0), what.1)
}

macro_rules! fixup {
    ($name:ident $t:ty, $quiet:expr, $nan:expr, $far:expr) => {
        /// Handles the special cases of a quotient `s2 / s1` whose value is `s0`.
        pub(crate) fn $name(s0: $t, s1: $t, s2: $t) -> $t {
            let negative = s1.is_sign_negative() != s2.is_sign_negative();
            let zero = <$t>::from_bits(0);
            let signed = |v: $t| if negative { -v } else { v };
            if s2.is_nan() {
                <$t>::from_bits(s2.to_bits() | $quiet)
            } else if s1.is_nan() {
                <$t>::from_bits(s1.to_bits() | $quiet)
            } else if (s1 == zero && s2 == zero) || (s1.is_infinite() && s2.is_infinite()) {
                <$t>::from_bits($nan)
            } else if s1 == zero || s2.is_infinite() {
                signed(<$t>::INFINITY)
            } else if s1.is_infinite() || s2 == zero || $far(s1, s2) {
                signed(zero)
            } else if s0.is_nan() {
                // Refining an overflowing quotient ended as inf - inf; AMD's pages test the wrong operand's exponent.
                signed(<$t>::INFINITY)
            } else {
                signed(if s0.is_sign_negative() { -s0 } else { s0 })
            }
        }
    };
}
fixup!(fixup32 f32, 1 << 22, 0xffc0_0000, |a, b| field32(b) - field32(a) < -150);
fixup!(fixup64 f64, 1 << 51, 0xfff8_0000_0000_0000, |a, b| exponent_field64(b) - exponent_field64(a) < -1075);
fixup!(fixup16 f16, 1 << 9, 0xfe00, |_, _| false);

/// Returns the class of a number as one of ten bits.
pub(crate) fn class(
    nan: bool,
    quiet: bool,
    infinite: bool,
    zero: bool,
    denormal: bool,
    negative: bool,
) -> u32 {
    let signed = |minus, plus| if negative { minus } else { plus };
    1 << match (nan, infinite, zero, denormal) {
        (true, ..) => quiet as u32,
        (_, true, ..) => signed(2, 9),
        (_, _, true, _) => signed(5, 6),
        (.., true) => signed(4, 7),
        _ => signed(3, 8),
    }
}

/// Converts f32 to f16, to nearest even.
pub(crate) fn half_bits(v: f32) -> u16 {
    f16::from_f32(v).to_bits()
}

pub(crate) fn half_toward_zero(v: f32) -> u16 {
    let near = f16::from_f32(v);
    let over = near.to_f32().abs() > v.abs();
    // The largest finite number is nearer to zero than infinity.
    if over { near.to_bits() - 1 } else { near.to_bits() }
}

/// Returns a*b + c in f16, rounded once.
pub(crate) fn fma16(a: f16, b: f16, c: f16) -> f16 {
    // The product is exact in f64; the sum is rounded to odd, so that rounding again is correct.
    half_of(to_odd(fma_exact(a.to_f64(), b.to_f64(), c.to_f64())))
}

/// Converts f64 to f16, rounded once: the conversion to f32 rounds to odd.
fn half_of(v: f64) -> f16 {
    let near = v as f32;
    let odd = match near as f64 == v || !near.is_finite() || near.to_bits() & 1 == 1 {
        true => near,
        false if (near as f64).abs() < v.abs() => f32::from_bits(near.to_bits() + 1),
        false => f32::from_bits(near.to_bits() - 1),
    };
    f16::from_f32(odd)
}

/// The bits of 2/pi after the binary point.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b0000,
    0,
];

/// Returns 53 bits of 2/pi: the `segment`-th that matter for an argument of this size.
pub(crate) fn two_over_pi(v: f64, segment: u32) -> f64 {
    let mut shift = (segment & 31) as i32 * 53;
    let e = exponent_field64(v);
    if e > 1077 {
        shift += e - 1077;
    }
    let mut bits = 0u64;
    for n in 0..53 {
        let at = shift as usize + n;
        let bit = TWO_OVER_PI.get(at / 64).map_or(0, |w| w >> (63 - at % 64) & 1);
        bits = bits << 1 | bit;
    }
    ldexp64(bits as f64, -53 - shift + if e >= 1968 { 128 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values derived from AMD's description of the instructions.
    #[test]
    fn bits_are_cut_moved_and_counted() {
        assert_eq!((sign_bits(0), sign_bits(!0), sign_bits(1), sign_bits(0xffff_0000)), (!0, !0, 31, 16));
        assert_eq!((sign_bits64(0), sign_bits64(1)), (!0, 63));
        assert_eq!(field(0xabcd_1234, 8 << 16 | 4, false), 0x23);
        assert_eq!(field(0xabcd_1234, 8 << 16 | 24, true) as u32, 0xffff_ffab);
        assert_eq!((field(5, 0, false), field(0x8000_0000, 32 << 16, true) as u32), (0, 0x8000_0000));
        assert_eq!(field64(0xff00_0000_0000_0000, 8 << 16 | 56, true), u64::MAX);
        // Bytes of the second source are 0 to 3, of the first 4 to 7; then signs, 0 and 255.
        assert_eq!(permute(0x8899_aabb, 0xccdd_eeff, 0x0d0c_0704), 0xff00_88bb);
        assert_eq!(permute(0x8000_0000, 0x0000_7fff, 0x0b0a_0908), 0xff00_0000);
    }

    #[test]
    fn smallest_and_largest_order_zeros_and_quiet_nans() {
        let signalling = f32::from_bits(0x7f80_0001);
        let nans = Nans { ieee: true, second: false };
        assert_eq!(min32(0.0, -0.0, nans).to_bits(), 1 << 31);
        assert_eq!(max32(-0.0, 0.0, nans).to_bits(), 0);
        assert_eq!((min32(f32::NAN, 2.0, nans), max32(2.0, f32::NAN, nans)), (2.0, 2.0));
        assert_eq!(min32(2.0, signalling, nans).to_bits(), 0x7fc0_0001);
        assert_eq!(min32(2.0, signalling, Nans { ieee: false, ..nans }), 2.0);
        assert_eq!(median32(3.0, 1.0, 2.0, nans), 2.0);
    }

    #[test]
    fn numbers_are_taken_apart_and_put_together() {
        assert_eq!((mantissa32(-6.0), exponent32(-6.0)), (-0.75, 3));
        assert_eq!((mantissa32(1e-45), exponent32(1e-45)), (0.5, -148));
        assert_eq!((exponent64(f64::INFINITY), exponent64(0.0), mantissa64(-0.0).to_bits()), (0, 0, 1 << 63));
        assert_eq!((mantissa64(5e-324), exponent64(5e-324)), (0.5, -1073));
        // One rounding: 3 * 2^-1076 is 0.75 of the smallest number, 2 * 2^-1076 is a tie that rounds to zero.
        assert_eq!(ldexp64(3.0, -1076), 5e-324);
        assert_eq!((ldexp64(2.0, -1076), ldexp64(6.0, -1076)), (0.0, 1e-323));
        assert_eq!((ldexp64(1.5, 5000), ldexp64(5e-324, 2097)), (f64::INFINITY, 2f64.powi(1023)));
        assert_eq!(
            (ldexp32(1.0, -149).to_bits(), ldexp32(1.0, -150), ldexp32(1.5, -150).to_bits()),
            (1, 0.0, 1)
        );
        assert_eq!((fract32(-1e-10), fract64(2.75)), (f32::from_bits(0x3f7f_ffff), 0.75));
    }

    #[test]
    fn sums_of_products_are_rounded_once() {
        // 1 + 2^-11 is a tie in f16; the part that f64 cannot hold decides.
        let f = f16::from_f64;
        let tiny = f(2f64.powi(-24));
        assert_eq!(fma16(f(1.0), f(1.0), f(2f64.powi(-11))), f(1.0));
        assert_eq!(fma16(f(1.0 + 2f64.powi(-10)), f(2f64.powi(-11)), f(1.0)), f(1.0 + 2f64.powi(-10)));
        assert_eq!(fma16(tiny, tiny, f(1.0)), f(1.0));
        // Scaled back into the denormal range: 3 * 2^-150 is 1.5 of the smallest f32, and slightly less rounds down.
        assert_eq!(fmas32(1.5, 2f32.powi(-85), 0.0, true).to_bits(), 2);
        assert_eq!(fmas32(1.5, 2f32.powi(-85), -(2f32.powi(-120)), true).to_bits(), 1);
        assert_eq!(fmas64(1.5, 2f64.powi(-946), 0.0, true).to_bits(), 2);
        assert_eq!(fmas64(1.5, 2f64.powi(-946), -(2f64.powi(-1010)), true).to_bits(), 1);
        assert_eq!(fmas32(1.0, 2f32.powi(3), 2f32.powi(3), true), 2f32.powi(68));
    }

    #[test]
    fn quotients_are_scaled_where_they_must_be() {
        // Numerator and denominator of 1e38 / 1e-3: only the denominator and the result are scaled.
        assert_eq!(div_scale32(1e-3, 1e-3, 1e38), (ldexp32(1e-3, 64), true));
        assert_eq!(div_scale32(1e38, 1e-3, 1e38), (1e38, true));
        // A denormal denominator scales both.
        assert_eq!(div_scale32(1e-40, 1e-40, 1.0).0, ldexp32(1e-40, 64));
        assert!(div_scale32(1.0, 0.0, 1.0).0.is_nan());
        assert_eq!(fixup32(7.0, -0.0, 1.0), f32::NEG_INFINITY);
        assert_eq!(fixup32(7.0, 1.0, f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert_eq!((fixup32(-7.0, 2.0, 14.0), fixup32(7.0, f32::INFINITY, 1.0)), (7.0, 0.0));
        assert_eq!(fixup32(f32::NAN, -1e-30, 1e38), f32::NEG_INFINITY);
        assert!(fixup64(1.0, 0.0, 0.0).is_nan() && fixup64(1.0, f64::INFINITY, f64::INFINITY).is_nan());
    }

    #[test]
    fn halves_are_rounded_as_asked() {
        assert_eq!((half_bits(65519.0), half_bits(65520.0)), (0x7bff, 0x7c00));
        assert_eq!(
            (half_toward_zero(65535.0), half_toward_zero(-1.9999), half_toward_zero(1e9)),
            (0x7bff, 0xbfff, 0x7bff)
        );
    }

    /// The segments of 2/pi, put together, are 2/pi.
    #[test]
    fn two_over_pi_has_its_bits() {
        let sum = two_over_pi(1.0, 0) + two_over_pi(1.0, 1);
        assert_eq!(sum, std::f64::consts::FRAC_2_PI);
        assert_eq!(two_over_pi(1.0, 0).to_bits() >> 1, std::f64::consts::FRAC_2_PI.to_bits() >> 1);
        // For 2^1000 (exponent field 1077 + 946) the first 946 bits do not matter; the others are scaled by 2^128.
        let far = two_over_pi(2f64.powi(1000), 0);
        assert!((2f64.powi(-870)..2f64.powi(-818)).contains(&far), "{far:e}");
    }
}
