//! Promotion: the array API's table, completed with PyTorch's results, and weak Python scalars.
use crate::dtype::{self, DTypeArg, TheDType};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use rushlight::{C64, C128, DType, Element, Kind, Scalar, pydoc};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A Python number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Num {
    /// `bool`.
    Bool(bool),
    /// `int` that fits 128 bits.
    Int(i128),
    /// `int` that does not, as the nearest float.
    Huge(f64),
    /// `float`.
    Float(f64),
    /// `complex`.
    Complex(f64, f64),
}

fn rank(k: Kind) -> u8 {
    match k {
        Kind::Bool => 0,
        Kind::UInt | Kind::Int => 1,
        Kind::Float => 2,
        Kind::Complex => 3,
    }
}

/// Number of the default dtype in `DType::ALL`, plus 1; 0 for float32.
static DEFAULT: AtomicUsize = AtomicUsize::new(0);

/// Returns the default dtype: that of Python floats, of new tensors, and of integers passed to a function
/// that computes in floats.
pub fn default_float() -> DType {
    match DEFAULT.load(Ordering::Relaxed) {
        0 => DType::F32,
        n => DType::ALL.get(n - 1).copied().unwrap_or(DType::F32),
    }
}

#[doc = pydoc!(
    "Sets the dtype of new tensors of floats, for the whole process: float32 at first.";
    (dtype: "DType or str" "A floating-point dtype.");
    (TypeError: "If the dtype is not a floating-point one.");
    [
        ">>> rl.set_default_dtype(rl.float64)",
        ">>> rl.tensor([1.0]).dtype, rl.zeros(2).dtype",
        "(rushlight.float64, rushlight.float64)",
        ">>> rl.set_default_dtype(rl.float32)",
    ]
)]
#[pyfunction]
#[pyo3(signature = (dtype, /))]
pub fn set_default_dtype(dtype: DTypeArg) -> PyResult<()> {
    let d = dtype.0;
    if !d.is_float() || d == DType::F8E4M3 {
        return Err(PyTypeError::new_err(format!(
            "set_default_dtype: expected float16, bfloat16, float32 or float64, got {}",
            crate::dtype::name(d)
        )));
    }
    DEFAULT.store(DType::ALL.iter().position(|a| *a == d).map_or(0, |n| n + 1), Ordering::Relaxed);
    Ok(())
}

#[doc = pydoc!(
    "Returns the dtype of new tensors of floats.";
    () -> "DType" "float32, unless ``set_default_dtype`` was called.";
    ();
    [">>> rl.get_default_dtype()", "rushlight.float32"]
)]
#[pyfunction]
pub fn get_default_dtype() -> TheDType {
    TheDType(default_float())
}

impl Num {
    fn rank(self) -> u8 {
        match self {
            Self::Bool(_) => 0,
            Self::Int(_) | Self::Huge(_) => 1,
            Self::Float(_) => 2,
            Self::Complex(..) => 3,
        }
    }

    /// Returns the dtype of a tensor that is made of this value only.
    pub fn default_dtype(self) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::Int(_) | Self::Huge(_) => DType::I64,
            Self::Float(_) => default_float(),
            Self::Complex(..) => complex_of(default_float()),
        }
    }

    /// The value as f64 (real part).
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Bool(b) => f64::from(u8::from(b)),
            Self::Int(i) => i as f64,
            Self::Huge(f) | Self::Float(f) | Self::Complex(f, _) => f,
        }
    }

    /// Returns an error if the value, without its fraction, is outside an integer dtype's range.
    fn check(self, to: DType) -> PyResult<()> {
        if !to.is_int() || self.fits(to) {
            return Ok(());
        }
        let name = dtype::name(to);
        Err(match self {
            Self::Float(f) if f.is_nan() => {
                PyValueError::new_err(format!("cannot convert float NaN to {name}"))
            }
            Self::Int(i) => {
                PyOverflowError::new_err(format!("Python integer {i} is out of bounds for {name}"))
            }
            Self::Huge(_) => PyOverflowError::new_err(format!(
                "a Python integer of more than 128 bits is out of bounds for {name}"
            )),
            n => {
                PyOverflowError::new_err(format!("Python float {:e} is out of bounds for {name}", n.to_f64()))
            }
        })
    }

    /// Returns whether the value, without its fraction, is inside an integer dtype's range.
    pub fn fits(self, d: DType) -> bool {
        let bits = 8 * d.size_in_bytes() as u32;
        let (least, end) = match d.kind() {
            Kind::UInt => (0, 1i128 << bits),
            _ => (-(1i128 << (bits - 1)), 1i128 << (bits - 1)),
        };
        match self {
            Self::Int(i) => (least..end).contains(&i),
            Self::Huge(_) => false,
            // Both ends are powers of two, which are exact.
            Self::Float(f) => (least as f64..end as f64).contains(&f.trunc()),
            Self::Bool(_) | Self::Complex(..) => true,
        }
    }

    /// Converts the value to an element. A value outside an integer dtype's range is an OverflowError, NaN a
    /// ValueError.
    pub fn to_scalar(self, to: DType) -> PyResult<Scalar> {
        self.check(to)?;
        Ok(match self {
            Self::Bool(b) => Scalar::from_i128(i128::from(b), to),
            Self::Int(i) => Scalar::from_i128(i, to),
            Self::Huge(f) | Self::Float(f) => Scalar::from_f64(f, to),
            Self::Complex(re, im) if to == DType::C64 => Scalar::C64(C64::new(re as f32, im as f32)),
            Self::Complex(re, im) if to == DType::C128 => Scalar::C128(C128::new(re, im)),
            Self::Complex(..) => {
                return Err(PyTypeError::new_err(format!(
                    "a complex number cannot become {}",
                    dtype::name(to)
                )));
            }
        })
    }

    /// Converts the value as [`Num::to_scalar`] does, to a Rust type.
    pub fn to_element<T: Element>(self) -> PyResult<T> {
        self.check(T::DTYPE)?;
        match self {
            Self::Bool(b) => Ok(T::from_i128(i128::from(b))),
            Self::Int(i) => Ok(T::from_i128(i)),
            Self::Huge(f) | Self::Float(f) => Ok(T::from_f64(f)),
            Self::Complex(..) => self.to_scalar(T::DTYPE).map(|_| T::default()),
        }
    }
}

/// Returns the complex dtype that holds the numbers of a real one; floats of fewer bits and integers have complex64.
fn complex_of(real: DType) -> DType {
    if real == DType::F64 { DType::C128 } else { DType::C64 }
}

fn uint_of(bytes: usize) -> DType {
    match bytes {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    }
}

fn int_of(bytes: usize) -> DType {
    match bytes {
        1 => DType::I8,
        2 => DType::I16,
        4 => DType::I32,
        _ => DType::I64,
    }
}

/// Returns the dtype to which two tensors are promoted.
pub fn promote(a: DType, b: DType) -> PyResult<DType> {
    if a == b {
        return Ok(a);
    }
    let none = || {
        PyTypeError::new_err(format!(
            "no common dtype for {} and {}; convert one with astype",
            dtype::name(a),
            dtype::name(b)
        ))
    };
    let (hi, lo) = if rank(a.kind()) >= rank(b.kind()) { (a, b) } else { (b, a) };
    Ok(match (hi.kind(), lo.kind()) {
        (_, Kind::Bool) => hi,
        (Kind::Complex, Kind::Complex) => DType::C128,
        (Kind::Complex, _) if lo == DType::F64 => DType::C128,
        (Kind::Complex, _) => hi,
        (Kind::Float, Kind::Float) if hi == DType::F8E4M3 || lo == DType::F8E4M3 => return Err(none()),
        (Kind::Float, Kind::Float) => {
            if hi.size_in_bytes() == lo.size_in_bytes() {
                DType::F32 // bfloat16 and float16
            } else if hi.size_in_bytes() > lo.size_in_bytes() {
                hi
            } else {
                lo
            }
        }
        (Kind::Float, _) => hi,
        (Kind::UInt, Kind::UInt) => uint_of(hi.size_in_bytes().max(lo.size_in_bytes())),
        (Kind::Int, Kind::Int) => int_of(hi.size_in_bytes().max(lo.size_in_bytes())),
        (Kind::Int, Kind::UInt) | (Kind::UInt, Kind::Int) => {
            let (s, u) = if hi.kind() == Kind::Int { (hi, lo) } else { (lo, hi) };
            let bytes = s.size_in_bytes().max(2 * u.size_in_bytes());
            if bytes > 8 {
                return Err(none()); // as PyTorch: no integer dtype holds both, and a float would lose digits
            }
            int_of(bytes)
        }
        _ => return Err(none()),
    })
}

/// Returns the dtype to which a tensor and a Python scalar are promoted: the tensor's, unless the scalar is
/// of a higher kind. A float dtype and a complex number give the complex dtype of its precision.
pub fn promote_scalar(d: DType, s: Num) -> DType {
    match s {
        _ if s.rank() <= rank(d.kind()) => d,
        Num::Complex(..) if d.is_float() => complex_of(d),
        _ => s.default_dtype(),
    }
}
