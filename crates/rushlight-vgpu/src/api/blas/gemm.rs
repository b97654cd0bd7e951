//! Matrix products, computed column by column in the order of the indices.
use half::{bf16, f16};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Type {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    I32,
    C32,
    C64,
}

/// The column-major matrices of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Matrix {
    pub at: usize,
    pub rows: usize,
    pub cols: usize,
    pub ld: usize,
    pub stride: i64,
}

impl Matrix {
    /// Returns the first and last address of all elements.
    pub fn span(&self, batch: usize, size: usize) -> Option<(usize, usize)> {
        let one =
            self.cols.saturating_sub(1).checked_mul(self.ld)?.checked_add(self.rows)?.checked_mul(size)?;
        let step = self.stride.checked_mul(size as i64)?.checked_mul(batch as i64 - 1)?;
        let (low, high) = (step.min(0), step.max(0));
        Some((
            self.at.checked_add_signed(low as isize)?,
            self.at.checked_add(one)?.checked_add_signed(high as isize)?,
        ))
    }

    pub fn index(&self, batch: usize, row: usize, col: usize) -> isize {
        batch as isize * self.stride as isize + (col * self.ld + row) as isize
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub m: Matrix,
    pub transposed: bool,
    pub conjugated: bool,
}

/// A type that products are computed in.
pub(crate) trait Acc: Copy {
    const ZERO: Self;
    fn mul_add(self, a: Self, b: Self) -> Self;
    fn conj(self) -> Self {
        self
    }
}
/// An element type, with the conversion to and from the type of the computation.
pub(crate) trait Element<A>: Copy {
    fn load(self) -> A;
    fn store(v: A) -> Self;
}

macro_rules! number {
    ($t:ty, $add:ident, $mul:ident) => {
        impl Acc for $t {
            const ZERO: Self = 0 as $t;
            fn mul_add(self, a: Self, b: Self) -> Self {
                $add(self, $mul(a, b))
            }
        }
        impl Element<$t> for $t {
            fn load(self) -> $t {
                self
            }
            fn store(v: $t) -> $t {
                v
            }
        }
    };
}
fn add<T: std::ops::Add<Output = T>>(a: T, b: T) -> T {
    a + b
}
fn mul<T: std::ops::Mul<Output = T>>(a: T, b: T) -> T {
    a * b
}
fn wrap_add(a: i32, b: i32) -> i32 {
    a.wrapping_add(b)
}
fn wrap_mul(a: i32, b: i32) -> i32 {
    a.wrapping_mul(b)
}
number!(f32, add, mul);
number!(f64, add, mul);
number!(i32, wrap_add, wrap_mul);

impl Acc for f16 {
    const ZERO: Self = f16::ZERO;
    /// Each step rounds, as for an f16 computation.
    fn mul_add(self, a: Self, b: Self) -> Self {
        f16::from_f32(self.to_f32() + f16::from_f32(a.to_f32() * b.to_f32()).to_f32())
    }
}
impl Element<f16> for f16 {
    fn load(self) -> f16 {
        self
    }
    fn store(v: f16) -> f16 {
        v
    }
}
impl Element<f32> for f16 {
    fn load(self) -> f32 {
        self.to_f32()
    }
    fn store(v: f32) -> f16 {
        f16::from_f32(v)
    }
}
impl Element<f32> for bf16 {
    fn load(self) -> f32 {
        self.to_f32()
    }
    fn store(v: f32) -> bf16 {
        bf16::from_f32(v)
    }
}
impl Element<i32> for i8 {
    fn load(self) -> i32 {
        self as i32
    }
    fn store(v: i32) -> i8 {
        v as i8
    }
}

/// int8 convolutions may return floats.
impl Element<i32> for f32 {
    fn load(self) -> i32 {
        self as i32
    }
    fn store(v: i32) -> f32 {
        v as f32
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Complex<T>(T, T);

macro_rules! complex {
    ($t:ty) => {
        impl Acc for Complex<$t> {
            const ZERO: Self = Complex(0.0, 0.0);
            fn mul_add(self, a: Self, b: Self) -> Self {
                Complex(self.0 + (a.0 * b.0 - a.1 * b.1), self.1 + (a.0 * b.1 + a.1 * b.0))
            }
            fn conj(self) -> Self {
                Complex(self.0, -self.1)
            }
        }
        impl Element<Complex<$t>> for Complex<$t> {
            fn load(self) -> Self {
                self
            }
            fn store(v: Self) -> Self {
                v
            }
        }
    };
}
complex!(f32);
complex!(f64);

/// Computes D = alpha op(A) op(B) + beta C. With `k` 0, A and B are not read; without beta, C is not read.
pub(crate) fn run(
    ab: Type,
    cd: Type,
    by: Type,
    a: &Operand,
    b: &Operand,
    c: &Matrix,
    d: &Matrix,
    k: usize,
    batch: usize,
    alpha: &[u8; 16],
    beta: Option<&[u8; 16]>,
) {
    use Type::*;
    let go = match (ab, cd, by) {
        (F32, F32, F32) => typed::<f32, f32, f32>,
        (F64, F64, F64) => typed::<f64, f64, f64>,
        (F16, F16, F16) => typed::<f16, f16, f16>,
        (F16, F16, F32) => typed::<f16, f16, f32>,
        (F16, F32, F32) => typed::<f16, f32, f32>,
        (Bf16, Bf16, F32) => typed::<bf16, bf16, f32>,
        (Bf16, F32, F32) => typed::<bf16, f32, f32>,
        (I8, I32, I32) => typed::<i8, i32, i32>,
        (C32, C32, C32) => typed::<Complex<f32>, Complex<f32>, Complex<f32>>,
        (C64, C64, C64) => typed::<Complex<f64>, Complex<f64>, Complex<f64>>,
        // The callers' tables contain only the combinations above.
        _ => return,
    };
    go(a, b, c, d, k, batch, alpha, beta);
}

fn typed<I: Element<A>, O: Element<A>, A: Acc>(
    a: &Operand,
    b: &Operand,
    c: &Matrix,
    d: &Matrix,
    k: usize,
    batch: usize,
    alpha: &[u8; 16],
    beta: Option<&[u8; 16]>,
) {
    // SAFETY: the scalars hold a value of the computation's type, zero bytes behind it.
    let read = |bytes: &[u8; 16]| unsafe { bytes.as_ptr().cast::<A>().read_unaligned() };
    let (alpha, beta) = (read(alpha), beta.map(read));
    let load = |x: &Operand, batch, row, col| {
        let (row, col) = if x.transposed { (col, row) } else { (row, col) };
        // SAFETY: the caller checked that every element lies inside one allocation.
        let v = unsafe { (x.m.at as *const I).offset(x.m.index(batch, row, col)).read() }.load();
        if x.conjugated { v.conj() } else { v }
    };
    let mut column = vec![A::ZERO; k];
    for i in 0..batch {
        for col in 0..d.cols {
            for (l, v) in column.iter_mut().enumerate() {
                *v = load(b, i, l, col);
            }
            for row in 0..d.rows {
                let mut sum = A::ZERO;
                for (l, v) in column.iter().enumerate() {
                    sum = sum.mul_add(load(a, i, row, l), *v);
                }
                let mut out = if k == 0 { A::ZERO } else { A::ZERO.mul_add(alpha, sum) };
                if let Some(beta) = beta {
                    // SAFETY: as above.
                    out = out.mul_add(
                        beta,
                        unsafe { (c.at as *const O).offset(c.index(i, row, col)).read() }.load(),
                    );
                }
                // SAFETY: as above; D overlaps A and B nowhere.
                unsafe { (d.at as *mut O).offset(d.index(i, row, col)).write(O::store(out)) };
            }
        }
    }
}
