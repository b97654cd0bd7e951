//! Matrix instructions: MFMA of CDNA, WMMA of RDNA3. They ignore EXEC and the floating-point mode.
//!
//! How their sums are rounded is not in AMD's documents. CDNA's arithmetic is the one that Microsoft's MMA-Sim found on
//! hardware; RDNA3's is assumed to be a chain of fused multiply-adds.
use super::*;
use ::half::{bf16, f16};

/// The elements of the factors.
#[derive(Clone, Copy, PartialEq)]
enum Element {
    F32,
    F16,
    Bf16,
    I8,
}

/// The matrices of an instruction: A has `side` rows and `depth` columns, B the reverse, sum and result `side` of each.
#[derive(Clone, Copy)]
struct Shape {
    side: usize,
    depth: usize,
    element: Element,
}

fn shape(op: Op) -> Option<Shape> {
    let (side, depth, element) = match op {
        Op::v_mfma_f32_32x32x2_f32 => (32, 2, Element::F32),
        Op::v_mfma_f32_16x16x4_f32 => (16, 4, Element::F32),
        Op::v_mfma_f32_32x32x8_f16 => (32, 8, Element::F16),
        Op::v_mfma_f32_16x16x16_f16 | Op::v_wmma_f32_16x16x16_f16 => (16, 16, Element::F16),
        Op::v_mfma_f32_32x32x8_bf16 => (32, 8, Element::Bf16),
        Op::v_mfma_f32_16x16x16_bf16 | Op::v_wmma_f32_16x16x16_bf16 => (16, 16, Element::Bf16),
        Op::v_mfma_i32_32x32x8_i8 => (32, 8, Element::I8),
        Op::v_mfma_i32_16x16x16_i8 | Op::v_wmma_i32_16x16x16_iu8 => (16, 16, Element::I8),
        Op::v_mfma_i32_32x32x16_i8 => (32, 16, Element::I8),
        Op::v_mfma_i32_16x16x32_i8 => (16, 32, Element::I8),
        _ => return None,
    };
    Some(Shape { side, depth, element })
}

/// The largest number of elements of a factor's row.
const DEEPEST: usize = 32;
type Line<T> = [T; DEEPEST];

impl<const L: usize> Wave<L> {
    /// Executes the instruction if it is one of these; returns whether it did.
    pub(super) fn matrix(&mut self, i: &Inst) -> Outcome<bool> {
        let wmma = i.family == Family::Rdna3;
        if i.op == Op::v_mfma_f64_16x16x4_f64 {
            unmodified(i)?;
            return self.product64(i).map(|()| true);
        }
        let Some(shape) = shape(i.op) else { return Ok(false) };
        if wmma {
            self.repeated(i)?;
        } else {
            unmodified(i)?;
        }
        let width = shape.side;
        let results = width * width / L;
        let row = |r: usize, l: usize| match (wmma, width) {
            (true, _) => 2 * r + l / 16,
            (_, 32) => 8 * (r / 4) + 4 * (l / 32) + r % 4,
            _ => 4 * (l / 16) + r,
        };
        let [a, b] = [0, 1].map(|n| self.factor(i, n, shape));
        let mut sums: Vec<[u32; L]> = (0..results).map(|r| self.addend(i, r as u16)).collect();
        match (shape.element, i.family) {
            (Element::I8, _) => {
                let (signs, clamp) =
                    if wmma { ([i.src[0].neg, i.src[1].neg], i.clamp) } else { ([true; 2], false) };
                let number = |n: usize| move |v: u32| if signs[n] { v as u8 as i8 as i64 } else { v as i64 };
                let (a, b) = (mapped(&a, number(0)), mapped(&b, number(1)));
                each(&mut sums, |r, l, c| integers(&a[row(r, l)], &b[l % width], clamp, c));
            }
            (element, Family::Cdna2) if element != Element::F32 => {
                let (a, b) =
                    (mapped(&a, |v| factor_or_zero(v, element)), mapped(&b, |v| factor_or_zero(v, element)));
                each(&mut sums, |r, l, c| {
                    pairwise(&a[row(r, l)], &b[l % width], f32::from_bits(c), shape.depth).to_bits()
                });
            }
            (element, Family::Cdna3) if element != Element::F32 => {
                let (a, b) = (mapped(&a, |v| Parts::of(v, element)), mapped(&b, |v| Parts::of(v, element)));
                let digits = element.digits();
                each(&mut sums, |r, l, c| {
                    aligned(&a[row(r, l)], &b[l % width], f32::from_bits(c), shape.depth, digits).to_bits()
                });
            }
            // Fused multiply-adds in order.
            (element, _) => {
                let (a, b) = (mapped(&a, |v| wide(v, element)), mapped(&b, |v| wide(v, element)));
                for (r, sum) in sums.iter_mut().enumerate() {
                    let mut c = sum.map(f32::from_bits);
                    for k in 0..shape.depth {
                        let mut x: [f32; L] = std::array::from_fn(|l| a[row(r, l)][k]);
                        let y: [f32; L] = std::array::from_fn(|l| b[l % width][k]);
                        fused::fused32(&mut x, &y, &c);
                        c = x;
                    }
                    *sum = c.map(f32::to_bits);
                }
            }
        }
        for (r, sum) in sums.into_iter().enumerate() {
            self.v[i.dst as usize + r] = sum;
        }
        Ok(true)
    }

    /// Returns the rows of A (columns of B) as the bits of their elements.
    fn factor(&self, i: &Inst, n: usize, shape: Shape) -> Vec<Line<u32>> {
        let From::Vector(first) = i.src[n].from else { return vec![[0; DEEPEST]; shape.side] };
        let bits = match shape.element {
            Element::F32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::I8 => 8,
        };
        let (each, mask) = (32 / bits, u32::MAX >> (32 - bits));
        // Consecutive elements of a row are in one lane; MFMA spreads a row over several lanes.
        let lane = if i.family == Family::Rdna3 { shape.depth } else { shape.depth * shape.side / L };
        let element = |row: usize, k: usize| {
            let (from, j) = (row + shape.side * (k / lane), k % lane);
            self.v[first as usize + j / each][from] >> (j % each * bits) & mask
        };
        (0..shape.side)
            .map(|row| std::array::from_fn(|k| if k < shape.depth { element(row, k) } else { 0 }))
            .collect()
    }

    /// Returns a register of the sum that is added to.
    fn addend(&self, i: &Inst, n: u16) -> [u32; L] {
        match i.src[2].from {
            From::Vector(r) => self.v[(r + n) as usize],
            _ => [self.s32(&i.src[2]); L],
        }
    }

    /// A product of f64, whose rows are spread over the lanes in another way.
    fn product64(&mut self, i: &Inst) -> Outcome {
        let pair = |s: &Source, n: u16, l: usize| match s.from {
            From::Vector(r) => {
                let r = (r + 2 * n) as usize;
                f64::from_bits(self.v[r][l] as u64 | (self.v[r + 1][l] as u64) << 32)
            }
            _ => 0.0,
        };
        if !matches!(i.src[2].from, From::Vector(_) | From::Constant(0)) {
            return Err(Fault::other(format!("the engine executes `{}` with no constant but 0", i.row.name)));
        }
        let mut out = [[0.0f64; L]; 4];
        for (r, out) in out.iter_mut().enumerate() {
            for l in 0..L {
                let row = 4 * r + l / 16;
                let mut sum = pair(&i.src[2], r as u16, l);
                for k in 0..4 {
                    sum = pair(&i.src[0], 0, 16 * k + row).mul_add(pair(&i.src[1], 0, 16 * k + l % 16), sum);
                }
                out[l] = sum;
            }
        }
        for (r, out) in out.iter().enumerate() {
            let to = i.dst as usize + 2 * r;
            self.v[to] = out.map(|v| v.to_bits() as u32);
            self.v[to + 1] = out.map(|v| (v.to_bits() >> 32) as u32);
        }
        Ok(())
    }

    /// Checks that lanes 16 to 31 repeat the factors of lanes 0 to 15, as RDNA3 requires.
    fn repeated(&self, i: &Inst) -> Outcome {
        if L != 32 {
            return Err(Fault::other(format!("the engine executes `{}` in waves of 32 only", i.row.name)));
        }
        let float = i.op != Op::v_wmma_i32_16x16x16_iu8;
        if float && i.src.iter().any(|s| s.neg || s.second_neg) {
            return Err(Fault::other(format!(
                "the engine executes `{}` without neg_lo and neg_hi",
                i.row.name
            )));
        }
        for (n, s) in i.src[..2].iter().enumerate() {
            let From::Vector(r) = s.from else { continue };
            for word in 0..s.words as usize {
                let v = &self.v[r as usize + word];
                if let Some(l) = (0..16).find(|l| v[*l] != v[l + 16]) {
                    let text = format!(
                        "factor {n} of `{}` differs in lanes {l} and {}: lanes 16 to 31 must repeat the others",
                        i.row.name,
                        l + 16
                    );
                    return Err(Fault { lane: l + 16, why: Why::Other(text) });
                }
            }
        }
        Ok(())
    }
}

/// Refuses modifiers that broadcast or exchange blocks, or change signs.
fn unmodified(i: &Inst) -> Outcome {
    if i.imm == 0 {
        return Ok(());
    }
    Err(Fault::other(format!("the engine executes `{}` without cbsz, abid, blgp and neg", i.row.name)))
}

impl Element {
    /// Digits of the mantissa after the point, and the exponent of the smallest normal number.
    fn digits(self) -> i32 {
        if self == Element::F16 { 10 } else { 7 }
    }

    fn smallest(self) -> i32 {
        if self == Element::F16 { -14 } else { -126 }
    }
}

/// Converts the elements of each row.
fn mapped<T: Copy>(rows: &[Line<u32>], f: impl Fn(u32) -> T) -> Vec<Line<T>> {
    rows.iter().map(|row| row.map(&f)).collect()
}

/// Replaces each sum, given its register, lane and old value.
fn each<const L: usize>(sums: &mut [[u32; L]], f: impl Fn(usize, usize, u32) -> u32) {
    for (r, sum) in sums.iter_mut().enumerate() {
        for (l, c) in sum.iter_mut().enumerate() {
            *c = f(r, l, *c);
        }
    }
}

/// Exact, and then wrapped, or clamped to the range.
fn integers(a: &Line<i64>, b: &Line<i64>, clamp: bool, c: u32) -> u32 {
    let sum = a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>() + c as i32 as i64;
    if clamp { sum.clamp(i32::MIN as i64, i32::MAX as i64) as u32 } else { sum as u32 }
}

/// Widens an element to f32, exactly.
fn wide(v: u32, element: Element) -> f32 {
    match element {
        Element::F32 => f32::from_bits(v),
        Element::F16 => f16::from_bits(v as u16).to_f32(),
        _ => bf16::from_bits(v as u16).to_f32(),
    }
}

/// Returns 0 in place of a subnormal number.
fn normal(v: f32) -> f32 {
    if v.is_subnormal() { 0.0f32.copysign(v) } else { v }
}

/// As `wide`, with 0 in place of subnormal numbers.
fn factor_or_zero(v: u32, element: Element) -> f32 {
    let field = if element == Element::F16 { 0x7c00 } else { 0x7f80 };
    if v & field == 0 { 0.0 } else { wide(v, element) }
}

/// CDNA2: subnormal numbers are 0 everywhere, products of four neighbours are added in pairs, then to the sum.
fn pairwise(a: &Line<f32>, b: &Line<f32>, c: f32, depth: usize) -> f32 {
    let mut sum = if c.is_subnormal() { 0.0 } else { c };
    for (a, b) in a[..depth].chunks_exact(4).zip(b.chunks_exact(4)) {
        let p: [f32; 4] = std::array::from_fn(|k| normal(a[k] * b[k]));
        let four = normal(normal(p[0] + p[1]) + normal(p[2] + p[3]));
        sum = normal(sum + four);
    }
    sum
}

/// Bits below the largest exponent that products, and the sum that they are added to, keep; and that their sum keeps.
const KEPT: i32 = 24;
const KEPT_OF_SUM: i32 = 31;

/// A number as a whole number and an exponent: it is `whole * 2^(exponent - digits)`, where subnormal numbers have the exponent
/// of the smallest normal ones.
#[derive(Clone, Copy)]
struct Parts {
    whole: i64,
    exponent: i32,
    value: f32,
}

impl Parts {
    fn of(v: u32, element: Element) -> Parts {
        Parts::new(wide(v, element), element.digits(), element.smallest())
    }

    fn new(value: f32, digits: i32, smallest: i32) -> Parts {
        let field = (value.to_bits() >> 23 & 255) as i32;
        let exponent = if value == 0.0 { smallest } else { (field.max(1) - 127).max(smallest) };
        Parts { whole: (value as f64 * power(digits - exponent)) as i64, exponent, value }
    }
}

/// Returns 2^n, for exponents of normal numbers.
fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// Shifts left (right: toward negative infinity, if `n` is negative).
fn shifted(v: i64, n: i32) -> i64 {
    if n >= 0 { v << n } else { v >> (-n).min(63) }
}

/// CDNA3: groups of eight products are aligned to their largest exponent and cut toward zero, added exactly, and aligned
/// with the sum so far; both are rounded down, added, and rounded to nearest once.
fn aligned(a: &Line<Parts>, b: &Line<Parts>, c: f32, depth: usize, digits: i32) -> f32 {
    let mut sum = c;
    for (a, b) in a[..depth].chunks(8).zip(b.chunks(8)) {
        let mut terms = [(0i64, -126); 8];
        let mut most = -126;
        let mut special = 0.0f32;
        for ((term, x), y) in terms.iter_mut().zip(a).zip(b) {
            if !x.value.is_finite() || !y.value.is_finite() {
                special += x.value * y.value;
                continue;
            }
            let (product, exponent) = (x.whole * y.whole, x.exponent + y.exponent);
            if product == 0 {
                continue;
            }
            // Too large for f32.
            let two = product.abs() >> (2 * digits) >= 2;
            if exponent + i32::from(two) >= 128 {
                special += f32::INFINITY.copysign(product as f32);
                continue;
            }
            *term = (product, exponent);
            most = most.max(exponent);
        }
        if special != 0.0 || !sum.is_finite() {
            sum += special;
            continue;
        }
        let cut = |t: &(i64, i32)| t.0.signum() * shifted(t.0.abs(), t.1 - most + KEPT - 2 * digits);
        let products: i64 = terms.iter().map(cut).sum();
        let old = Parts::new(sum, 23, -126);
        let largest = most.max(old.exponent);
        let products = shifted(products, most - largest + KEPT_OF_SUM - KEPT);
        let old = shifted(old.whole, old.exponent - largest + KEPT - 23) << (KEPT_OF_SUM - KEPT);
        sum = ((products + old) as f64 * power(largest - KEPT_OF_SUM)) as f32;
    }
    sum
}
