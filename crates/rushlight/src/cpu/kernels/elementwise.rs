//! Elementwise kernels: the family tables' functions for each op.
use super::num::{Arith, Num, Real};
use crate::cpu::driver::{In, Out, map1, map2, map3};
use crate::cpu::{CpuStorage, dispatch, dispatch_all};
use crate::ops::affine::Affine;
use crate::ops::binary::BinaryOp;
use crate::ops::cmp::{Cmp, CmpOp};
use crate::ops::predicate::{Predicate, PredicateOp};
use crate::ops::unary::UnaryOp;
use crate::{DType, Element, Error, Layout, Result};

/// A storage with its layout, to read.
pub type Src<'a> = (&'a CpuStorage, &'a Layout);
/// A storage with its layout, to write.
pub type Dst<'a> = (&'a mut CpuStorage, &'a Layout);

/// The typed elements of an operand. (Always inline, like others on the way of an op to its kernel: a pair that is
/// returned through memory in two words and read as one makes the processor wait.)
#[inline(always)]
pub fn src<'a, T: Element>(s: Src<'a>) -> Result<In<'a, T>> {
    Ok((T::cpu_storage_as_slice(s.0)?, s.1))
}

/// The typed elements of an output.
#[inline(always)]
pub fn dst<'a, T: Element>(d: &'a mut Dst<'_>) -> Result<Out<'a, T>> {
    let got = d.0.dtype();
    match T::buffer_mut(d.0) {
        Some(b) => Ok((&mut b[..], d.1)),
        None => Err(Error::dtype("output", T::DTYPE, got)),
    }
}

fn real<T: Num>(x: Src<'_>, mut out: Dst<'_>, f: impl Fn(T::Acc) -> T::Acc + Sync) -> Result<()> {
    map1(src::<T>(x)?, dst::<T>(&mut out)?, |v: T| T::from_acc(f(v.acc())))
}

pub fn unary(op: UnaryOp, name: &'static str, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    use UnaryOp as U;
    /// For float dtypes, in f32 or f64.
    macro_rules! float {
        (|$v:ident| $e:expr) => {
            dispatch!(x.0.dtype(), name, FLOAT => T { real::<T>(x, out, |$v| $e) })
        };
    }
    /// For numbers of any sort.
    macro_rules! number {
        (|$v:ident| $e:expr) => {
            dispatch!(x.0.dtype(), name, NUMERIC => T { real::<T>(x, out, |$v| $e) })
        };
    }
    /// For floats; integers are left as they are.
    macro_rules! rounding {
        ($f:ident) => {
            if x.0.dtype().is_int() {
                super::copy::copy(x.0, x.1, out.0, out.1)
            } else {
                float!(|v| num_traits::Float::$f(v))
            }
        };
    }
    use num_traits::Float as F;
    match op {
        U::Exp => float!(|v| F::exp(v)),
        U::Log => float!(|v| F::ln(v)),
        U::Log1p => float!(|v| F::ln_1p(v)),
        U::Expm1 => float!(|v| F::exp_m1(v)),
        U::Log2 => float!(|v| F::log2(v)),
        U::Log10 => float!(|v| F::log10(v)),
        U::Sin => float!(|v| F::sin(v)),
        U::Cos => float!(|v| F::cos(v)),
        U::Tan => float!(|v| F::tan(v)),
        U::Asin => float!(|v| F::asin(v)),
        U::Acos => float!(|v| F::acos(v)),
        U::Atan => float!(|v| F::atan(v)),
        U::Sinh => float!(|v| F::sinh(v)),
        U::Cosh => float!(|v| F::cosh(v)),
        U::Tanh => float!(|v| F::tanh(v)),
        U::Asinh => float!(|v| Real::asinh(v)),
        U::Acosh => float!(|v| Real::acosh(v)),
        U::Atanh => float!(|v| Real::atanh(v)),
        U::Erf => float!(|v| Real::erf(v)),
        U::Sqrt => float!(|v| F::sqrt(v)),
        U::Rsqrt => float!(|v| Real::inverse_sqrt(v)),
        U::Reciprocal => float!(|v| Real::inverse(v)),
        U::Frac => float!(|v| Real::fraction(v)),
        U::Sigmoid => float!(|v| Real::sigmoid(v)),
        U::Silu => float!(|v| Real::silu(v)),
        U::Gelu => float!(|v| Real::gelu_tanh(v)),
        U::GeluErf => float!(|v| Real::gelu_erf(v)),
        U::Square => number!(|v| Arith::mul(v, v)),
        U::Abs => number!(|v| Arith::abs(v)),
        U::Neg => number!(|v| Arith::neg(v)),
        U::Sign => number!(|v| Arith::sign(v)),
        U::Relu => number!(|v| Arith::max(v, Arith::ZERO)),
        U::Floor => rounding!(floor),
        U::Ceil => rounding!(ceil),
        U::Trunc => rounding!(trunc),
        U::Round => {
            if x.0.dtype().is_int() {
                super::copy::copy(x.0, x.1, out.0, out.1)
            } else {
                float!(|v| Real::round_even(v))
            }
        }
        U::BitwiseNot if x.0.dtype() == DType::Bool => map1(src::<bool>(x)?, dst::<bool>(&mut out)?, |v| !v),
        U::BitwiseNot => dispatch!(x.0.dtype(), name, INT => T {
            map1(src::<T>(x)?, dst::<T>(&mut out)?, |v| !v)
        }),
    }
}

/// Shifts whose count may be negative or too large.
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

pub fn binary(op: BinaryOp, name: &'static str, a: Src<'_>, b: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    use BinaryOp as B;
    macro_rules! number {
        ($f:ident) => {
            dispatch!(a.0.dtype(), name, NUMERIC => T {
                map2(src::<T>(a)?, src::<T>(b)?, dst::<T>(&mut out)?, |x, y| {
                    T::from_acc(Arith::$f(x.acc(), y.acc()))
                })
            })
        };
    }
    macro_rules! bits {
        ($op:tt) => {
            if a.0.dtype() == DType::Bool {
                map2(src::<bool>(a)?, src::<bool>(b)?, dst::<bool>(&mut out)?, |x, y| x $op y)
            } else {
                dispatch!(a.0.dtype(), name, INT => T {
                    map2(src::<T>(a)?, src::<T>(b)?, dst::<T>(&mut out)?, |x, y| x $op y)
                })
            }
        };
    }
    macro_rules! shifts {
        ($f:ident) => {
            dispatch!(a.0.dtype(), name, INT => T {
                map2(src::<T>(a)?, src::<T>(b)?, dst::<T>(&mut out)?, Shift::$f)
            })
        };
    }
    match op {
        B::Add => number!(add),
        B::Sub => number!(sub),
        B::Mul => number!(mul),
        B::Div => number!(div),
        B::Pow => number!(pow),
        B::Remainder => number!(rem),
        B::FloorDivide => number!(floor_div),
        B::Maximum => number!(max),
        B::Minimum => number!(min),
        B::Atan2 => dispatch!(a.0.dtype(), name, FLOAT => T {
            map2(src::<T>(a)?, src::<T>(b)?, dst::<T>(&mut out)?, |x, y| {
                T::from_acc(num_traits::Float::atan2(x.acc(), y.acc()))
            })
        }),
        B::BitwiseAnd => bits!(&),
        B::BitwiseOr => bits!(|),
        B::BitwiseXor => bits!(^),
        B::LeftShift => shifts!(shl),
        B::RightShift => shifts!(shr),
    }
}

pub fn cmp(c: Cmp, name: &'static str, a: Src<'_>, b: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    macro_rules! compare {
        ($op:tt) => {
            dispatch!(a.0.dtype(), name, ORDERED => T {
                match c.dtype {
                    DType::Bool => map2(src::<T>(a)?, src::<T>(b)?, dst::<bool>(&mut out)?, |x, y| x $op y),
                    _ => map2(src::<T>(a)?, src::<T>(b)?, dst::<u8>(&mut out)?, |x, y| (x $op y) as u8),
                }
            })
        };
    }
    match c.op {
        CmpOp::Eq => compare!(==),
        CmpOp::Ne => compare!(!=),
        CmpOp::Le => compare!(<=),
        CmpOp::Ge => compare!(>=),
        CmpOp::Lt => compare!(<),
        CmpOp::Gt => compare!(>),
    }
}

pub fn affine(c: Affine, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let dtype = x.0.dtype();
    if dtype.is_int() {
        return dispatch!(dtype, "affine", INT => T {
            let exact = |v: f64| v == v.trunc() && v.abs() < 9e15;
            if exact(c.mul) && exact(c.add) {
                // Wrapping conversion, so that -1 works for unsigned integers too.
                let (mul, add) = (c.mul as i64 as T, c.add as i64 as T);
                map1(src::<T>(x)?, dst::<T>(&mut out)?, |v| v.wrapping_mul(mul).wrapping_add(add))
            } else {
                map1(src::<T>(x)?, dst::<T>(&mut out)?, |v| Element::from_f64(Element::to_f64(v) * c.mul + c.add))
            }
        });
    }
    dispatch!(dtype, "affine", FLOAT => T {
        let (mul, add) = (Arith::of(c.mul), Arith::of(c.add));
        if c.add == 0.0 {
            // Adding 0 would turn -0 into +0.
            real::<T>(x, out, |v| Arith::mul(v, mul))
        } else {
            real::<T>(x, out, |v| Arith::add(Arith::mul(v, mul), add))
        }
    })
}

pub fn powf(e: f64, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "powf", FLOAT => T { real::<T>(x, out, |v| Arith::pow(v, Arith::of(e))) })
}

pub fn elu(alpha: f64, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "elu", FLOAT => T {
        real::<T>(x, out, |v| {
            if v > Arith::ZERO { v } else { Arith::mul(num_traits::Float::exp_m1(v), Arith::of(alpha)) }
        })
    })
}

pub fn where_cond(cond: Src<'_>, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    use crate::cpu::driver::{Words, WordsMut, words, words_mut};
    // A condition is zero where its word is, and the values only move: both by size. No operand is copied.
    macro_rules! choose {
        ($c:expr; $($w:ident),*) => {
            match (words(a.0), words(b.0), words_mut(out.0)?) {
                $((Words::$w(x), Words::$w(y), WordsMut::$w(o)) => {
                    map3(($c, cond.1), (x, a.1), (y, b.1), (o, out.1), |c, x, y| if c != 0 { x } else { y })
                })*
                _ => Err(Error::invalid("where_cond", "operands of different dtypes")),
            }
        };
    }
    match words(cond.0) {
        Words::W1(c) => choose!(c; W1, W2, W4, W8),
        Words::W2(c) => choose!(c; W1, W2, W4, W8),
        Words::W4(c) => choose!(c; W1, W2, W4, W8),
        Words::W8(c) => choose!(c; W1, W2, W4, W8),
    }
}

pub fn fill(value: crate::Scalar, mut out: Dst<'_>) -> Result<()> {
    let dtype = out.0.dtype();
    dispatch_all!(dtype, "const_set", T => {
        let mut one = CpuStorage::uninit(dtype, 1)?;
        fill_one(value, &mut one);
        let v = T::cpu_storage_as_slice(&one)?[0];
        crate::cpu::driver::map0(dst::<T>(&mut out)?, || v)
    })
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

pub fn predicate(
    c: Predicate,
    name: &'static str,
    x: Src<'_>,
    y: Option<Src<'_>>,
    mut out: Dst<'_>,
) -> Result<()> {
    use PredicateOp as P;
    if let Some(y) = y {
        // Truth table: bit 2x + y.
        let table = match c.0 {
            P::And => 0b1000u8,
            P::Or => 0b1110,
            _ => 0b0110,
        };
        return dispatch!(x.0.dtype(), name, ORDERED => T {
            map2(src::<T>(x)?, src::<T>(y)?, dst::<bool>(&mut out)?, |x, y| {
                let (x, y) = ((x != T::default()) as u8, (y != T::default()) as u8);
                table >> (2 * x + y) & 1 == 1
            })
        });
    }
    let dtype = x.0.dtype();
    match c.0 {
        P::Not => dispatch!(dtype, name, ORDERED => T {
            map1(src::<T>(x)?, dst::<bool>(&mut out)?, |v| v == T::default())
        }),
        op if !dtype.is_float() => crate::cpu::driver::map0(dst::<bool>(&mut out)?, || op == P::IsFinite),
        op => dispatch!(dtype, name, FLOAT => T {
            let o = dst::<bool>(&mut out)?;
            match op {
                P::IsNan => map1(src::<T>(x)?, o, |v| Arith::is_nan(v.acc())),
                P::IsInf => map1(src::<T>(x)?, o, |v| num_traits::Float::is_infinite(v.acc())),
                _ => map1(src::<T>(x)?, o, |v| num_traits::Float::is_finite(v.acc())),
            }
        }),
    }
}
