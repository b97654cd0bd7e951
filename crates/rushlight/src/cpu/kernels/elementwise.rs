//! Elementwise kernels.
//!
//! A loop is compiled once for all dtypes that give the same results: f16 and bf16 compute in f32, signed and unsigned
//! integers share loops whose arithmetic wraps, and ops that only move or compare bits run by element size.
use super::activation::mul_sigmoid;
use super::division::{FloorDivide, Remainder};
use super::num::{Arith, Num, Real};
use crate::cpu::driver::{Bits, In, Out};
use crate::cpu::elementary::Elementary;
use crate::cpu::map::{
    map1, map1_bf16, map1_costly, map1_f32, map1_function, map2, map2_bf16, map2_costly, map2_f32,
    map2_function, map2_own, map3,
};
use crate::cpu::{CpuStorage, dispatch, elementary, elementary_f64};
use crate::ops::affine::Affine;
use crate::ops::binary::BinaryOp;
use crate::ops::clamp::Bounds;
use crate::ops::cmp::{Cmp, CmpOp};
use crate::ops::unary::UnaryOp;
use crate::{DType, Element, Error, Result};

pub use crate::cpu::driver::{Dst, Src};

/// Returns the typed elements of an operand. (Always inline, like other functions between an op and its kernel: a pair
/// that is returned through memory in two words and read as one makes the CPU wait for its stores.)
#[inline(always)]
pub fn src<'a, T: Element>(s: Src<'a>) -> Result<In<'a, T>> {
    Ok((s.0.as_slice()?, s.1))
}

/// Returns the typed elements of an output.
#[inline(always)]
pub fn dst<'a, T: Element>(d: &'a mut Dst<'_>) -> Result<Out<'a, T>> {
    let got = d.0.dtype();
    match T::buffer_mut(d.0) {
        Some(b) => Ok((&mut b[..], d.1)),
        None => Err(Error::dtype("output", T::DTYPE, got)),
    }
}

pub(super) fn unsupported(dtype: DType, name: &'static str) -> Result<()> {
    Err(Error::UnsupportedDTypeForOp(dtype, name).bt())
}

/// Evaluates the body with `W` set to the unsigned integer of a dtype's size, which is at most 8 bytes.
macro_rules! by_size {
    ($dtype:expr, $W:ident => $body:expr) => {
        match $dtype.size_in_bytes() {
            1 => {
                type $W = u8;
                $body
            }
            2 => {
                type $W = u16;
                $body
            }
            4 => {
                type $W = u32;
                $body
            }
            _ => {
                type $W = u64;
                $body
            }
        }
    };
}
pub(super) use by_size;

/// Evaluates the body with `W` set to the word of a dtype's size, for ops that only move elements.
macro_rules! by_word {
    ($dtype:expr, $W:ident => $body:expr) => {
        if $dtype.size_in_bytes() == 16 {
            type $W = [u64; 2];
            $body
        } else {
            $crate::cpu::kernels::elementwise::by_size!($dtype, $W => $body)
        }
    };
}
pub(super) use by_word;

/// Maps a function over floats. It is computed in f64 for F64, and in f32 for the others. (It is inlined whatever its size,
/// since a call would keep the loop from being vectorized.)
macro_rules! float1 {
    ($x:expr, $out:expr, $name:expr, |$v:ident| $e:expr) => {
        float1!(map1_costly, $x, $out, $name, |$v| $e)
    };
    ($f64:ident, $x:expr, $out:expr, $name:expr, |$v:ident| $e:expr) => {
        match $x.0.dtype() {
            DType::F64 => $f64(
                $x,
                $out,
                #[inline(always)]
                move |$v: f64| -> f64 { $e },
            ),
            DType::F32 | DType::F16 | DType::BF16 => map1_f32(
                $x,
                $out,
                #[inline(always)]
                move |$v: f32| -> f32 { $e },
            ),
            other => unsupported(other, $name),
        }
    };
}

/// Same as [`float1`], for a cheap function.
macro_rules! short1 {
    ($x:expr, $out:expr, $name:expr, |$v:ident| $e:expr) => {
        match $x.0.dtype() {
            DType::BF16 => map1_bf16(
                $x,
                $out,
                #[inline(always)]
                move |$v: f32| -> f32 { $e },
            ),
            _ => float1!(map1, $x, $out, $name, |$v| $e),
        }
    };
}

/// Same as [`float1`], for a function of two floats.
macro_rules! float2 {
    ($x:expr, $y:expr, $out:expr, $name:expr, |$v:ident, $w:ident| $e:expr) => {
        float2!(map2_costly, $x, $y, $out, $name, |$v, $w| $e)
    };
    ($f64:ident, $x:expr, $y:expr, $out:expr, $name:expr, |$v:ident, $w:ident| $e:expr) => {
        match $x.0.dtype() {
            DType::F64 => $f64(
                $x,
                $y,
                $out,
                #[inline(always)]
                move |$v: f64, $w: f64| -> f64 { $e },
            ),
            DType::F32 | DType::F16 | DType::BF16 => map2_f32(
                $x,
                $y,
                $out,
                #[inline(always)]
                move |$v: f32, $w: f32| -> f32 { $e },
            ),
            other => unsupported(other, $name),
        }
    };
}

/// Same as [`float2`], for a cheap function.
macro_rules! short2 {
    ($x:expr, $y:expr, $out:expr, $name:expr, |$v:ident, $w:ident| $e:expr) => {
        match $x.0.dtype() {
            DType::BF16 => map2_bf16(
                $x,
                $y,
                $out,
                #[inline(always)]
                move |$v: f32, $w: f32| -> f32 { $e },
            ),
            _ => float2!(map2, $x, $y, $out, $name, |$v, $w| $e),
        }
    };
}

pub(super) use {float1, float2, short1, short2};

pub fn unary(op: UnaryOp, name: &'static str, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    use UnaryOp as U;
    use num_traits::Float as F;
    let dtype = x.0.dtype();
    if dtype.is_complex() {
        return super::complex::unary(op, name, x, out);
    }
    macro_rules! short {
        (|$v:ident| $e:expr) => {
            short1!(x, out, name, |$v| $e)
        };
    }
    /// For floats, given a function of the bits and the bit of the sign.
    macro_rules! sign_bit {
        (|$v:ident, $sign:ident| $e:expr) => {
            by_size!(dtype, W => map1(Bits(x), Bits(out), |$v: W| {
                let $sign = 1 << (W::BITS - 1);
                $e
            }))
        };
    }
    /// For floats: functions of f64 and f32 whose loops vectorize.
    macro_rules! vector {
        ($f64:ident, $f32:ident) => {
            match dtype {
                DType::F64 => map1_costly(
                    x,
                    out,
                    #[inline(always)]
                    |v: f64| -> f64 { elementary_f64::$f64(v) },
                ),
                DType::F32 | DType::F16 | DType::BF16 => map1_f32(x, out, elementary::$f32),
                other => unsupported(other, name),
            }
        };
    }
    macro_rules! periodic {
        ($function:ident) => {
            match dtype {
                DType::F64 => map1_function(x, out, elementary_f64::$function),
                _ => map1_f32(x, out, elementary::$function),
            }
        };
    }
    /// For integers and floats. The result for integers must not depend on their signedness.
    macro_rules! wrapping {
        (|$v:ident| $e:expr) => {
            if dtype.is_int() {
                by_size!(dtype, W => map1(Bits(x), Bits(out), |$v: W| -> W { $e }))
            } else {
                short1!(x, out, name, |$v| $e)
            }
        };
    }
    /// For integers and floats. Signed integers are computed in their own type.
    macro_rules! signed {
        (|$v:ident| $e:expr) => {
            match dtype {
                DType::I8 => map1(x, out, |$v: i8| -> i8 { $e }),
                DType::I16 => map1(x, out, |$v: i16| -> i16 { $e }),
                DType::I32 => map1(x, out, |$v: i32| -> i32 { $e }),
                DType::I64 => map1(x, out, |$v: i64| -> i64 { $e }),
                _ if dtype.is_int() => by_size!(dtype, W => map1(Bits(x), Bits(out), |$v: W| -> W { $e })),
                _ => short1!(x, out, name, |$v| $e),
            }
        };
    }
    /// For functions that round floats; integers are copied.
    macro_rules! rounding {
        (|$v:ident| $e:expr) => {
            if dtype.is_int() { super::copy::copy(x.0, x.1, out.0, out.1) } else { short!(|$v| $e) }
        };
    }
    match op {
        U::Exp => vector!(exp, Exp),
        U::Log => vector!(ln, Ln),
        U::Log1p => vector!(ln_1p, Ln1p),
        U::Expm1 => vector!(exp_m1, ExpM1),
        U::Log2 => vector!(log2, Log2),
        U::Log10 => vector!(log10, Log10),
        U::Sin => periodic!(Sin),
        U::Cos => periodic!(Cos),
        U::Tan => periodic!(Tan),
        U::Asin => vector!(asin, Asin),
        U::Acos => vector!(acos, Acos),
        U::Atan => vector!(atan, Atan),
        U::Sinh => vector!(sinh, Sinh),
        U::Cosh => vector!(cosh, Cosh),
        U::Tanh => vector!(tanh, Tanh),
        U::Asinh => vector!(asinh, Asinh),
        U::Acosh => vector!(acosh, Acosh),
        U::Atanh => vector!(atanh, Atanh),
        U::Erf => vector!(erf, Erf),
        U::Erfinv => vector!(erfinv, Erfinv),
        U::Sqrt => short!(|v| F::sqrt(v)),
        U::Rsqrt => short!(|v| Real::inverse_sqrt(v)),
        U::Reciprocal => short!(|v| Real::inverse(v)),
        U::Frac => short!(|v| Real::fraction(v)),
        U::Sigmoid => vector!(sigmoid, Sigmoid),
        U::Silu => vector!(silu, Silu),
        U::Gelu => vector!(gelu_tanh, GeluTanh),
        U::GeluErf => vector!(gelu_erf, GeluErf),
        U::Square => wrapping!(|v| Arith::mul(v, v)),
        U::Neg if dtype.is_float() => sign_bit!(|v, sign| v ^ sign),
        U::Neg => wrapping!(|v| Arith::neg(v)),
        U::Abs if dtype.is_float() => sign_bit!(|v, sign| v & !sign),
        U::Abs => signed!(|v| Arith::abs(v)),
        U::Sign => signed!(|v| Arith::sign(v)),
        U::Relu => signed!(|v| Arith::max(v, Arith::ZERO)),
        U::ReluSquared => short!(|v| {
            let v = Arith::max(v, Arith::ZERO);
            v * v
        }),
        U::Floor => rounding!(|v| F::floor(v)),
        U::Ceil => rounding!(|v| F::ceil(v)),
        U::Trunc => rounding!(|v| F::trunc(v)),
        U::Round => rounding!(|v| Real::round_even(v)),
        U::BitwiseNot if dtype == DType::Bool => map1(Bits(x), Bits(out), |v: u8| v ^ 1),
        U::BitwiseNot if dtype.is_int() => by_size!(dtype, W => map1(Bits(x), Bits(out), |v: W| !v)),
        U::BitwiseNot | U::Sgn | U::ConjPhysical | U::Real | U::Imag => unsupported(dtype, name),
    }
}

/// Shifts that are defined for negative and for too large counts.
trait Shift: Copy {
    fn shl(self, n: Self) -> Self;
    fn shr(self, n: Self) -> Self;
}
macro_rules! shift {
    ($($t:ty),*) => {$(
        #[allow(unused_comparisons)]
        impl Shift for $t {
            #[inline(always)]
            fn shl(self, n: Self) -> Self {
                if n < 0 || n as u64 >= <$t>::BITS as u64 { 0 } else { self << n }
            }
            #[inline(always)]
            fn shr(self, n: Self) -> Self {
                if n < 0 || n as u64 >= <$t>::BITS as u64 {
                    if self < 0 { !0 } else { 0 }
                } else {
                    self >> n
                }
            }
        }
    )*};
}
shift!(u8, i8, u16, i16, u32, i32, u64, i64);

pub fn binary(op: BinaryOp, name: &'static str, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    use BinaryOp as B;
    let dtype = a.0.dtype();
    if b.0.dtype() != dtype {
        return Err(Error::dtype("unexpected dtype", dtype, b.0.dtype()));
    }
    if dtype.is_complex() {
        return super::complex::binary(op, name, a, b, out);
    }
    /// For integers and floats. The result for integers must not depend on their signedness.
    macro_rules! wrapping {
        ($f:ident) => {
            if dtype.is_int() {
                by_size!(dtype, W => map2(Bits(a), Bits(b), Bits(out), |x: W, y: W| Arith::$f(x, y)))
            } else {
                short2!(a, b, out, name, |x, y| Arith::$f(x, y))
            }
        };
    }
    macro_rules! integers {
        ($f:ident) => {
            dispatch!(dtype, name, INT => T { map2(a, b, out, |x: T, y: T| Arith::$f(x, y)) })
        };
    }
    /// For integers and floats. Integers are computed in their own type.
    macro_rules! number {
        ($f:ident) => {
            number!($f, float2)
        };
        ($f:ident, $floats:ident) => {
            if dtype.is_int() { integers!($f) } else { $floats!(a, b, out, name, |x, y| Arith::$f(x, y)) }
        };
    }
    /// For integers and floats, whose functions divide.
    macro_rules! division {
        ($f:ident, $function:expr) => {
            match dtype {
                DType::I64 => map2_own::<i64>(a, b, out, $function),
                _ if dtype.is_int() => integers!($f),
                _ => map2_function(a, b, out, $function),
            }
        };
    }
    macro_rules! bits {
        ($op:tt) => {
            if dtype.is_int() || dtype == DType::Bool {
                by_size!(dtype, W => map2(Bits(a), Bits(b), Bits(out), |x: W, y: W| x $op y))
            } else {
                unsupported(dtype, name)
            }
        };
    }
    macro_rules! shifts {
        ($f:ident) => {
            dispatch!(dtype, name, INT => T { map2(a, b, out, |x: T, y: T| Shift::$f(x, y)) })
        };
    }
    match op {
        B::Add => wrapping!(add),
        B::Sub => wrapping!(sub),
        B::Mul => wrapping!(mul),
        B::Div => number!(div, short2),
        B::Pow => number!(pow),
        B::Remainder => division!(rem, Remainder),
        B::FloorDivide => division!(floor_div, FloorDivide),
        B::Maximum => number!(max, short2),
        B::Minimum => number!(min, short2),
        B::Atan2 => float2!(a, b, out, name, |y, x| Elementary::atan2(y, x)),
        B::Complex => super::complex::join(name, a, b, out),
        B::Prelu => short2!(a, b, out, name, |x, y| if x > 0.0 { x } else { x * y }),
        B::MulSigmoid => float2!(a, b, out, name, |x, y| mul_sigmoid(x, y)),
        B::BitwiseAnd => bits!(&),
        B::BitwiseOr => bits!(|),
        B::BitwiseXor => bits!(^),
        B::LeftShift => shifts!(shl),
        B::RightShift => shifts!(shr),
    }
}

pub fn cmp(c: Cmp, name: &'static str, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    let dtype = a.0.dtype();
    if b.0.dtype() != dtype {
        return Err(Error::dtype("unexpected dtype", dtype, b.0.dtype()));
    }
    if dtype.is_complex() {
        return super::complex::cmp(c.op, name, a, b, out);
    }
    // The result is a byte of 0 or 1, for outputs of dtype U8 and of Bool.
    if matches!(c.op, CmpOp::Eq | CmpOp::Ne) {
        macro_rules! compare {
            ($op:tt) => {
                if dtype.is_int() || dtype == DType::Bool {
                    by_size!(dtype, W => map2(Bits(a), Bits(b), Bits(out), |x: W, y: W| u8::from(x $op y)))
                } else {
                    dispatch!(dtype, name, FLOAT => T {
                        map2(a, b, Bits(out), |x: T, y: T| u8::from(x $op y))
                    })
                }
            };
        }
        return if c.op == CmpOp::Eq { compare!(==) } else { compare!(!=) };
    }
    // Swap the operands: `a >= b` is `b <= a`, and `a > b` is `b < a`, also for NaN.
    let (a, b) = if matches!(c.op, CmpOp::Ge | CmpOp::Gt) { (b, a) } else { (a, b) };
    let or_equal = matches!(c.op, CmpOp::Le | CmpOp::Ge);
    if dtype == DType::Bool {
        return map2(Bits(a), Bits(b), Bits(out), |x: u8, y: u8| u8::from(x < y || (or_equal && x == y)));
    }
    if or_equal {
        dispatch!(dtype, name, NUMERIC => T { map2(a, b, Bits(out), |x: T, y: T| u8::from(x <= y)) })
    } else {
        dispatch!(dtype, name, NUMERIC => T { map2(a, b, Bits(out), |x: T, y: T| u8::from(x < y)) })
    }
}

pub fn affine(c: Affine, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let dtype = x.0.dtype();
    if dtype.is_complex() {
        return super::complex::affine(c, x, out);
    }
    if dtype.is_int() {
        let exact = |v: f64| v == v.trunc() && v.abs() < 9e15;
        if exact(c.mul) && exact(c.add) {
            // Wrapping conversion, so that -1 works for unsigned integers too.
            return by_size!(dtype, W => {
                let (mul, add) = (c.mul as i64 as W, c.add as i64 as W);
                map1(Bits(x), Bits(out), move |v: W| v.wrapping_mul(mul).wrapping_add(add))
            });
        }
        return dispatch!(dtype, "affine", INT => T {
            map1(x, out, |v: T| <T as Element>::from_f64(Element::to_f64(v) * c.mul + c.add))
        });
    }
    // Adding 0 would turn -0 into +0; adding -0 changes nothing.
    let (mul, add) = (c.mul, if c.add == 0.0 { -0.0 } else { c.add });
    float1!(x, out, "affine", |v| Arith::add(Arith::mul(v, Arith::of(mul)), Arith::of(add)))
}

pub fn powf(e: f64, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    float1!(x, out, "powf", |v| Arith::pow(v, Arith::of(e)))
}

pub fn elu(alpha: f64, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    match x.0.dtype() {
        DType::F64 => map1_costly(
            x,
            out,
            #[inline(always)]
            move |v: f64| {
                let negative = elementary_f64::exp_m1(v) * alpha;
                if v > 0.0 { v } else { negative }
            },
        ),
        DType::F32 | DType::F16 | DType::BF16 => map1_f32(x, out, elementary::Elu(alpha as f32)),
        other => unsupported(other, "elu"),
    }
}

/// Returns the ends of an interval as numbers that elements of type `T` are computed in.
fn ends<T: Num>(bounds: &Bounds) -> Result<[T::Acc; 2]> {
    let number = |end| -> Result<T::Acc> {
        let mut one = CpuStorage::uninit(T::DTYPE, 1)?;
        fill_one(end, &mut one);
        Ok(one.as_slice::<T>()?[0].acc())
    };
    let [low, high] = bounds.ends(T::DTYPE);
    Ok([number(low)?, number(high)?])
}

pub fn clamp(bounds: &Bounds, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "clamp", NUMERIC => T {
        let [low, high] = ends::<T>(bounds)?;
        map1(x, out, move |v: T| T::from_acc(Arith::min(Arith::max(v.acc(), low), high)))
    })
}

pub fn clamp_backward(bounds: &Bounds, x: Src<'_>, grad: Src<'_>, out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "clamp_backward", FLOAT => T {
        let [low, high] = ends::<T>(bounds)?;
        let zero = T::from_acc(Arith::ZERO);
        map2(x, grad, out, move |v: T, g: T| {
            let v = v.acc();
            // (Without `&&`, whose branch would depend on the data.)
            if (v >= low) & (v <= high) { g } else { zero }
        })
    })
}

pub fn clamp_tensor(x: Src<'_>, min: Option<Src<'_>>, max: Option<Src<'_>>, out: Dst<'_>) -> Result<()> {
    let name = "clamp_tensor";
    match (min, max) {
        (Some(min), Some(max)) => dispatch!(x.0.dtype(), name, NUMERIC => T {
            map3(x, min, max, out, |x: T, low: T, high: T| {
                T::from_acc(Arith::min(Arith::max(x.acc(), low.acc()), high.acc()))
            })
        }),
        (Some(min), None) => binary(BinaryOp::Maximum, name, x, min, out),
        (None, Some(max)) => binary(BinaryOp::Minimum, name, x, max, out),
        (None, None) => Err(Error::invalid(name, "an operand is missing")),
    }
}

/// Computes `x + weight (end - x)`, from the nearer end.
#[inline(always)]
fn interpolated<F: Real>(x: F, end: F, weight: F) -> F {
    let step = end - x;
    if Arith::abs(weight) < F::of(0.5) { x + weight * step } else { end - step * (F::ONE - weight) }
}

pub fn lerp_scalar(weight: f64, x: Src<'_>, end: Src<'_>, out: Dst<'_>) -> Result<()> {
    short2!(x, end, out, "lerp_scalar", |x, end| interpolated(x, end, Arith::of(weight)))
}

pub fn lerp(x: Src<'_>, end: Src<'_>, weight: Src<'_>, out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "lerp", FLOAT => T {
        map3(x, end, weight, out, |x: T, end: T, weight: T| {
            T::from_acc(interpolated(x.acc(), end.acc(), weight.acc()))
        })
    })
}

/// A choice between words by a mask. (The compiler branches for an `if`, element by element.)
trait Choose {
    fn choose(first: bool, x: Self, y: Self) -> Self;
}
macro_rules! choose {
    ($($word:ty)*) => {$(
        impl Choose for $word {
            #[inline(always)]
            fn choose(first: bool, x: Self, y: Self) -> Self {
                let mask = Self::from(first).wrapping_neg();
                y ^ ((x ^ y) & mask)
            }
        }
    )*};
}
choose!(u8 u16 u32 u64);
impl Choose for [u64; 2] {
    #[inline(always)]
    fn choose(first: bool, x: Self, y: Self) -> Self {
        std::array::from_fn(|i| u64::choose(first, x[i], y[i]))
    }
}

pub fn where_cond(cond: Src<'_>, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    // The condition is tested by its bits, and the values are only moved, so both run by element size.
    if a.0.dtype() != b.0.dtype() || a.0.dtype() != out.0.dtype() {
        return Err(Error::invalid("where_cond", "operands of different dtypes"));
    }
    by_size!(cond.0.dtype(), C => {
        by_word!(a.0.dtype(), W => {
            map3(Bits(cond), Bits(a), Bits(b), Bits(out), |c: C, x: W, y: W| W::choose(c != 0, x, y))
        })
    })
}

pub fn fill(value: crate::Scalar, out: Dst<'_>) -> Result<()> {
    let dtype = out.0.dtype();
    let mut one = CpuStorage::uninit(dtype, 1)?;
    fill_one(value, &mut one);
    super::copy::copy(&one, &super::index::one_element(out.1), out.0, out.1)
}

fn fill_one(value: crate::Scalar, one: &mut CpuStorage) {
    macro_rules! set {
        ($(($v:ident, $t:ty, $name:literal, $kind:ident)),* $(,)?) => {
            match (one, value) {
                $((CpuStorage::$v(b), crate::Scalar::$v(x)) => b[0] = x,)*
                _ => {}
            }
        };
    }
    crate::dtype::with_dtypes!(set);
}
