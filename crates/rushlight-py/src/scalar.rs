//! Single elements: the Rust type of a dtype, and elements as Python numbers.
use crate::error::OrPy;
use crate::promote::Num;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat};
use rushlight::cpu::CpuStorage;
use rushlight::{DType, Element, Tensor};

/// Expands to a match that evaluates the body with `T` as the Rust type of the dtype.
macro_rules! each_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {{
        use rushlight::DType as D;
        match $dtype {
            D::Bool => {
                type $T = bool;
                $body
            }
            D::U8 => {
                type $T = u8;
                $body
            }
            D::I8 => {
                type $T = i8;
                $body
            }
            D::U16 => {
                type $T = u16;
                $body
            }
            D::I16 => {
                type $T = i16;
                $body
            }
            D::U32 => {
                type $T = u32;
                $body
            }
            D::I32 => {
                type $T = i32;
                $body
            }
            D::U64 => {
                type $T = u64;
                $body
            }
            D::I64 => {
                type $T = i64;
                $body
            }
            D::F8E4M3 => {
                type $T = float8::F8E4M3;
                $body
            }
            D::BF16 => {
                type $T = half::bf16;
                $body
            }
            D::F16 => {
                type $T = half::f16;
                $body
            }
            D::F32 => {
                type $T = f32;
                $body
            }
            D::F64 => {
                type $T = f64;
                $body
            }
            D::C64 => {
                type $T = rushlight::C64;
                $body
            }
            D::C128 => {
                type $T = rushlight::C128;
                $body
            }
            other => Err(pyo3::exceptions::PyTypeError::new_err(format!(
                "dtype {other:?} is not known to the Python module"
            ))),
        }
    }};
}
pub(crate) use each_dtype;

/// Returns element `i` of a CPU storage as a number.
pub fn num_at(s: &CpuStorage, i: usize) -> PyResult<Num> {
    let complex = match s {
        CpuStorage::C64(v) => Some(v.get(i).map(|c| Num::Complex(f64::from(c.re), f64::from(c.im)))),
        CpuStorage::C128(v) => Some(v.get(i).map(|c| Num::Complex(c.re, c.im))),
        _ => None,
    };
    if let Some(number) = complex {
        return number.ok_or_else(|| PyValueError::new_err("no such element"));
    }
    each_dtype!(s.dtype(), T => {
        let v = s.as_slice::<T>().py()?;
        let v = v.get(i).ok_or_else(|| PyValueError::new_err("no such element"))?;
        Ok(match Element::to_i128(*v) {
            Some(b) if s.dtype() == DType::Bool => Num::Bool(b != 0),
            Some(i) => Num::Int(i),
            None => Num::Float(v.to_f64()),
        })
    })
}

/// Returns the element of a tensor that has exactly one.
pub fn item(t: &Tensor) -> PyResult<Num> {
    if t.elem_count() != 1 {
        return Err(PyValueError::new_err(format!(
            "only a tensor of one element is a number; this one has shape {:?}",
            t.shape()
        )));
    }
    num_at(&t.to_cpu_storage().py()?, 0)
}

/// A number as a Python object.
pub fn to_object<'py>(py: Python<'py>, n: Num) -> PyResult<Bound<'py, PyAny>> {
    Ok(match n {
        Num::Bool(b) => PyBool::new(py, b).to_owned().into_any(),
        Num::Int(i) => i.into_pyobject(py)?.into_any(),
        Num::Huge(f) | Num::Float(f) => PyFloat::new(py, f).into_any(),
        Num::Complex(re, im) => PyComplex::from_doubles(py, re, im).into_any(),
    })
}
