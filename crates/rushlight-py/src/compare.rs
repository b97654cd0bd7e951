//! Comparisons with bool results. Operands are promoted to one dtype, except that integers without a common
//! integer dtype are compared exactly.
use crate::args::Operand;
use crate::elementwise::{Rule, aligned};
use crate::error::{OrPy, run};
use crate::promote::{Num, promote_scalar};
use pyo3::prelude::*;
use rushlight::ops::binary::{Binary, BinaryOp};
use rushlight::ops::cmp::{Cmp, CmpOp};
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::ops::{Op, OpDef};
use rushlight::{DType, Kind, Scalar, Tensor};

/// A comparison, as bool.
pub fn compare(py: Python<'_>, op: CmpOp, a: &Operand, b: &Operand) -> PyResult<Tensor> {
    match (a, b) {
        (Operand::Tensor(t), Operand::Num(n)) => {
            if let Some(holds) = beyond(t.dtype(), *n, op) {
                return everywhere(t, holds);
            }
        }
        (Operand::Num(n), Operand::Tensor(t)) => {
            if let Some(holds) = beyond(t.dtype(), *n, mirrored(op)) {
                return everywhere(t, holds);
            }
        }
        (Operand::Tensor(l), Operand::Tensor(r)) => match (l.dtype(), r.dtype()) {
            (DType::U64, s) if s.kind() == Kind::Int => return unsigned_with_signed(py, op, l, r),
            (s, DType::U64) if s.kind() == Kind::Int => return unsigned_with_signed(py, mirrored(op), r, l),
            _ => {}
        },
        _ => {}
    }
    let name = Cmp { op, dtype: DType::Bool }.name();
    let (l, r) = aligned(a, b, Rule::Same, name)?;
    run(py, l.elem_count(), || l.compare(&r, op, DType::Bool))
}

/// Returns the comparison that gives the same result with its operands exchanged.
fn mirrored(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
        CmpOp::Eq | CmpOp::Ne => op,
    }
}

/// Returns the result of `x op n`, which is the same for every x of the dtype, if the integer n lies outside
/// its range; else `None`.
fn beyond(dtype: DType, n: Num, op: CmpOp) -> Option<bool> {
    let dtype = promote_scalar(dtype, n);
    let above = match n {
        Num::Int(i) if dtype.is_int() && !n.fits(dtype) => i > 0,
        Num::Huge(f) if dtype.is_int() => f > 0.0,
        _ => return None,
    };
    Some(match op {
        CmpOp::Eq => false,
        CmpOp::Ne => true,
        CmpOp::Lt | CmpOp::Le => above,
        CmpOp::Gt | CmpOp::Ge => !above,
    })
}

fn everywhere(like: &Tensor, value: bool) -> PyResult<Tensor> {
    let value = Scalar::from_i128(i128::from(value), DType::Bool);
    Tensor::full_scalar(value, like.shape().clone(), like.device()).py()
}

/// Computes `u op s` of a uint64 tensor and a signed one: both are compared as uint64, and u is greater than
/// every negative s.
fn unsigned_with_signed(py: Python<'_>, op: CmpOp, u: &Tensor, s: &Tensor) -> PyResult<Tensor> {
    let name = Cmp { op, dtype: DType::Bool }.name();
    let shape = u.shape().broadcast_shape_binary_op(s.shape(), name).py()?;
    run(py, shape.elem_count(), || {
        let (u, s) = (u.broadcast_as(shape.clone())?, s.broadcast_as(shape)?);
        let negative = s.compare(&s.zeros_like()?, CmpOp::Lt, DType::Bool)?;
        let as_unsigned = u.compare(&s.to_dtype(DType::U64)?, op, DType::Bool)?;
        let (join, mask) = match op {
            CmpOp::Gt | CmpOp::Ge | CmpOp::Ne => (BinaryOp::BitwiseOr, negative),
            _ => (BinaryOp::BitwiseAnd, Tensor::run(Op::Unary(Unary(UnaryOp::BitwiseNot)), &[&negative])?),
        };
        Tensor::run(Op::Binary(Binary(join)), &[&as_unsigned, &mask])
    })
}
