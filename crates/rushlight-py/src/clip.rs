//! `clip` and `clamp`: elements limited to an interval. By hand, since it calls one op for numbers and another for tensors.
use crate::args::{Arg, Operand};
use crate::elementwise::{Rule, aligned, broadcast};
use crate::error::{OrPy, run};
use crate::function::{Function, function};
use crate::scalar;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use rushlight::{DType, Scalar, Tensor};

fn clip(py: Python<'_>, x: Arg, min: Option<Operand>, max: Option<Operand>) -> PyResult<PyTensor> {
    let dtype = x.0.dtype();
    if min.is_none() && max.is_none() {
        return Ok(PyTensor::new(x.0));
    }
    if let (Some(min), Some(max)) = (number(min.as_ref(), dtype)?, number(max.as_ref(), dtype)?) {
        return Ok(PyTensor::new(run(py, x.0.elem_count(), || x.0.clamp_between(min, max))?));
    }
    let mut tensors = vec![x.0];
    let given = [min.is_some(), max.is_some()];
    for bound in [min, max].into_iter().flatten() {
        let bound = match bound {
            Operand::Num(n) if dtype.is_int() => Operand::Num(saturated(n, dtype)?),
            Operand::Tensor(t) if t.dtype().kind() != dtype.kind() && dtype.is_float() => {
                Operand::Tensor(t.to_dtype(dtype).py()?)
            }
            bound => bound,
        };
        let (x, bound) = aligned(&Operand::Tensor(tensors[0].clone()), &bound, Rule::Same, "clip")?;
        tensors[0] = x;
        tensors.push(bound);
    }
    let common = tensors[0].dtype();
    // A bool is compared as a byte.
    let computed = if common == DType::Bool { DType::U8 } else { common };
    let tensors = tensors.iter().map(|t| t.to_dtype(computed).py()).collect::<PyResult<_>>()?;
    let tensors = broadcast(tensors, "clip")?;
    let (x, mut bounds) = (&tensors[0], tensors[1..].iter());
    let [min, max] = given.map(|given| if given { bounds.next() } else { None });
    Ok(PyTensor::new(run(py, x.elem_count(), || x.clamp_tensor(min, max)?.to_dtype(common))?))
}

/// Returns a missing bound, or a number that does not change the dtype of the result; else `None`.
fn number(bound: Option<&Operand>, dtype: DType) -> PyResult<Option<Option<Scalar>>> {
    use crate::promote::Num;
    Ok(match bound {
        None => Some(None),
        Some(Operand::Num(n @ (Num::Int(_) | Num::Huge(_)))) if dtype.is_int() => {
            Some(Some(saturated(*n, dtype)?.to_scalar(dtype)?))
        }
        Some(Operand::Num(n)) if dtype.is_float() && dtype != DType::F8E4M3 => match n {
            Num::Complex(..) => None,
            n => Some(Some(Scalar::F64(n.to_f64()))),
        },
        Some(_) => None,
    })
}

/// Saturates a bound to the range of an integer dtype.
fn saturated(n: crate::promote::Num, dtype: DType) -> PyResult<crate::promote::Num> {
    use crate::promote::Num;
    match n {
        Num::Int(_) | Num::Huge(_) => {
            let s = Scalar::from_f64(n.to_f64(), dtype);
            if n.to_scalar(dtype).is_ok() {
                return Ok(n);
            }
            let end = Tensor::full_scalar(s, (), &rushlight::Device::Cpu).py()?;
            scalar::item(&end)
        }
        n => Ok(n),
    }
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "clip(x, /, min=None, max=None)";
            "Limits elements to an interval; a missing bound does not limit.";
            (x, min: "Tensor or number, optional" "Lower bound.", max: "Tensor or number, optional" "Upper bound.") -> "Tensor" "Result in the dtype of ``x``; NaN stays.";
            (dtype, broadcast);
            [">>> rl.clip(rl.tensor([-2, 1, 5]), 0, 3)", "tensor([0, 1, 3], dtype=int64, device='cpu')"];
            |py, x: Arg, min: Option<Operand>, max: Option<Operand>| clip(py, x, min, max)
        )
        .method()
        .also("clamp"),
    ]
}
