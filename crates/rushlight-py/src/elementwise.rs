//! Elementwise functions and operators: promotion, then one core op.
use crate::args::Operand;
use crate::compare::compare;
use crate::error::{OrPy, run};
use crate::promote::Num;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use rushlight::ops::Op;
use rushlight::ops::binary::{Binary, BinaryOp};
use rushlight::ops::cmp::CmpOp;
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::{DType, Tensor};

/// What happens to dtypes that the op itself does not take.
#[derive(Clone, Copy, PartialEq)]
pub enum Rule {
    /// The common dtype.
    Same,
    /// Integers and bools become the default float.
    Float,
}

/// The dtype an op computes in.
fn computes_in(common: DType, rule: Rule) -> DType {
    if rule == Rule::Float && (common.is_int() || common == DType::Bool) { DType::F32 } else { common }
}

/// Both sides in their common dtype and shape.
pub fn aligned(a: &Operand, b: &Operand, rule: Rule, name: &'static str) -> PyResult<(Tensor, Tensor)> {
    let dtype = computes_in(Operand::common(a, b)?, rule);
    let device = Operand::device(&[a, b]);
    let (a, b) = (a.tensor(dtype, &device)?, b.tensor(dtype, &device)?);
    if a.shape() == b.shape() {
        return Ok((a, b));
    }
    let shape = a.shape().broadcast_shape_binary_op(b.shape(), name).py()?;
    Ok((a.broadcast_as(shape.clone()).py()?, b.broadcast_as(shape).py()?))
}

/// A unary op.
pub fn unary(py: Python<'_>, op: UnaryOp, rule: Rule, x: &Tensor) -> PyResult<Tensor> {
    let dtype = computes_in(x.dtype(), rule);
    run(py, x.elem_count(), || Tensor::run(Op::Unary(Unary(op)), &[&x.to_dtype(dtype)?]))
}

/// A binary op.
pub fn binary(py: Python<'_>, op: BinaryOp, rule: Rule, a: &Operand, b: &Operand) -> PyResult<Tensor> {
    if let (BinaryOp::Pow, Operand::Tensor(t), Operand::Num(n)) = (op, a, b)
        && t.dtype().is_float()
        && !matches!(n, Num::Complex(..))
    {
        let e = n.to_f64();
        return run(py, t.elem_count(), || if e == 2.0 { t.square() } else { t.powf(e) });
    }
    let name = rushlight::ops::Card::name(&Binary(op));
    let (l, r) = aligned(a, b, rule, name)?;
    if op == BinaryOp::Pow && l.dtype().is_int() {
        refuse_negative_exponent(b)?;
    }
    let op = match (op, l.dtype()) {
        // Bools add and multiply as `or` and `and`.
        (BinaryOp::Add | BinaryOp::Maximum, DType::Bool) => BinaryOp::BitwiseOr,
        (BinaryOp::Mul | BinaryOp::Minimum, DType::Bool) => BinaryOp::BitwiseAnd,
        (op, _) => op,
    };
    run(py, l.elem_count(), || Tensor::run(Op::Binary(Binary(op)), &[&l, &r]))
}

fn refuse_negative_exponent(b: &Operand) -> PyResult<()> {
    match b {
        Operand::Num(Num::Int(i)) if *i < 0 => Err(pyo3::exceptions::PyValueError::new_err(
            "integers to negative integer powers are not allowed",
        )),
        _ => Ok(()),
    }
}

macro_rules! unary_ops {
    ($($name:ident $v:ident $rule:ident $doc:literal;)*) => {
        $(#[doc = $doc]
        #[pyfunction]
        #[pyo3(signature = (x, /))]
        pub fn $name(py: Python<'_>, x: crate::args::Arg) -> PyResult<PyTensor> {
            unary(py, UnaryOp::$v, Rule::$rule, &x.0).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = $doc]
            fn $name(&self, py: Python<'_>) -> PyResult<PyTensor> {
                unary(py, UnaryOp::$v, Rule::$rule, &self.get()).map(PyTensor::new)
            })*
        }
    };
}

unary_ops! {
    exp Exp Float "e to the power x.";
    log Log Float "Natural logarithm.";
    log1p Log1p Float "log(1 + x), exact near 0.";
    expm1 Expm1 Float "exp(x) - 1, exact near 0.";
    log2 Log2 Float "Logarithm to base 2.";
    log10 Log10 Float "Logarithm to base 10.";
    sin Sin Float "Sine of radians.";
    cos Cos Float "Cosine of radians.";
    tan Tan Float "Tangent of radians.";
    asin Asin Float "Arc sine, in radians.";
    acos Acos Float "Arc cosine, in radians.";
    atan Atan Float "Arc tangent, in radians.";
    sinh Sinh Float "Hyperbolic sine.";
    cosh Cosh Float "Hyperbolic cosine.";
    tanh Tanh Float "Hyperbolic tangent.";
    asinh Asinh Float "Inverse hyperbolic sine.";
    acosh Acosh Float "Inverse hyperbolic cosine.";
    atanh Atanh Float "Inverse hyperbolic tangent.";
    erf Erf Float "Error function.";
    sqrt Sqrt Float "Square root.";
    rsqrt Rsqrt Float "1 / sqrt(x).";
    reciprocal Reciprocal Float "1 / x.";
    square Square Same "x * x.";
    abs Abs Same "Absolute value.";
    sign Sign Same "-1, 0 or 1 by the sign; NaN stays NaN.";
    floor Floor Same "Rounded down.";
    ceil Ceil Same "Rounded up.";
    round Round Same "Rounded to the nearest integer, halves to even.";
    trunc Trunc Same "Rounded towards 0.";
    frac Frac Float "x - trunc(x).";
    relu Relu Same "max(x, 0).";
    sigmoid Sigmoid Float "1 / (1 + exp(-x)).";
    silu Silu Float "x * sigmoid(x).";
    gelu Gelu Float "GELU, tanh form.";
    gelu_erf GeluErf Float "GELU, exact form: x * Phi(x).";
    bitwise_invert BitwiseNot Same "Bits inverted; logical not for bool.";
}

/// -x.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn negative(py: Python<'_>, x: crate::args::Arg) -> PyResult<PyTensor> {
    neg(py, &x.0)
}

fn neg(py: Python<'_>, x: &Tensor) -> PyResult<PyTensor> {
    if x.dtype() == DType::Bool {
        return Err(PyTypeError::new_err("a bool has no negative; use ~x, or convert it with astype"));
    }
    unary(py, UnaryOp::Neg, Rule::Same, x).map(PyTensor::new)
}

/// x itself, for numbers.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn positive(x: crate::args::Arg) -> PyTensor {
    PyTensor::new(x.0)
}

macro_rules! binary_ops {
    ($($name:ident $v:ident $rule:ident $doc:literal;)*) => {
        $(#[doc = $doc]
        #[pyfunction]
        #[pyo3(signature = (x1, x2, /))]
        pub fn $name(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
            binary(py, BinaryOp::$v, Rule::$rule, &x1, &x2).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = $doc]
            #[pyo3(signature = (other, /))]
            fn $name(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
                binary(py, BinaryOp::$v, Rule::$rule, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
            })*
        }
    };
}

binary_ops! {
    add Add Same "x1 + x2.";
    subtract Sub Same "x1 - x2.";
    multiply Mul Same "x1 * x2.";
    divide Div Float "x1 / x2; integers give the default float.";
    pow Pow Same "x1 to the power x2.";
    remainder Remainder Same "Remainder with the sign of x2.";
    floor_divide FloorDivide Same "Quotient rounded down.";
    maximum Maximum Same "The larger of the two; NaN if either is.";
    minimum Minimum Same "The smaller of the two; NaN if either is.";
    atan2 Atan2 Float "Angle of the point (x2, x1), in radians.";
    bitwise_and BitwiseAnd Same "Bits set in both; logical and for bool.";
    bitwise_or BitwiseOr Same "Bits set in either; logical or for bool.";
    bitwise_xor BitwiseXor Same "Bits set in one of the two.";
    bitwise_left_shift LeftShift Same "Bits moved up.";
    bitwise_right_shift RightShift Same "Bits moved down; the sign is kept.";
}

macro_rules! comparisons {
    ($($name:ident $v:ident $doc:literal;)*) => {
        $(#[doc = $doc]
        #[pyfunction]
        #[pyo3(signature = (x1, x2, /))]
        pub fn $name(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
            compare(py, CmpOp::$v, &x1, &x2).map(PyTensor::new)
        })*
    };
}

comparisons! {
    equal Eq "Where x1 equals x2, as bool.";
    not_equal Ne "Where x1 differs from x2, as bool.";
    less Lt "Where x1 is less than x2, as bool.";
    less_equal Le "Where x1 is at most x2, as bool.";
    greater Gt "Where x1 is greater than x2, as bool.";
    greater_equal Ge "Where x1 is at least x2, as bool.";
}

macro_rules! operators {
    ($($fwd:ident $rev:ident $inplace:ident $v:ident $rule:ident;)*) => {
        #[pymethods]
        impl PyTensor {
            $(
            fn $fwd(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
                binary(py, BinaryOp::$v, Rule::$rule, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
            }
            fn $rev(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
                binary(py, BinaryOp::$v, Rule::$rule, &other, &Operand::Tensor(self.get())).map(PyTensor::new)
            }
            fn $inplace(&self, py: Python<'_>, other: Operand) -> PyResult<()> {
                let t = self.get();
                let out = binary(py, BinaryOp::$v, Rule::$rule, &Operand::Tensor(t.clone()), &other)?;
                self.replace_with(py, &t, out)
            }
            )*
        }
    };
}

operators! {
    __add__ __radd__ __iadd__ Add Same;
    __sub__ __rsub__ __isub__ Sub Same;
    __mul__ __rmul__ __imul__ Mul Same;
    __truediv__ __rtruediv__ __itruediv__ Div Float;
    __floordiv__ __rfloordiv__ __ifloordiv__ FloorDivide Same;
    __mod__ __rmod__ __imod__ Remainder Same;
    __and__ __rand__ __iand__ BitwiseAnd Same;
    __or__ __ror__ __ior__ BitwiseOr Same;
    __xor__ __rxor__ __ixor__ BitwiseXor Same;
    __lshift__ __rlshift__ __ilshift__ LeftShift Same;
    __rshift__ __rrshift__ __irshift__ RightShift Same;
}

#[pymethods]
impl PyTensor {
    fn __pow__(
        &self,
        py: Python<'_>,
        other: Operand,
        modulo: Option<Bound<'_, PyAny>>,
    ) -> PyResult<PyTensor> {
        if modulo.is_some() {
            return Err(PyTypeError::new_err("pow of a Tensor takes no modulo"));
        }
        binary(py, BinaryOp::Pow, Rule::Same, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
    }

    fn __rpow__(
        &self,
        py: Python<'_>,
        other: Operand,
        modulo: Option<Bound<'_, PyAny>>,
    ) -> PyResult<PyTensor> {
        let _ = modulo;
        binary(py, BinaryOp::Pow, Rule::Same, &other, &Operand::Tensor(self.get())).map(PyTensor::new)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<PyTensor> {
        neg(py, &self.get())
    }

    fn __pos__(&self) -> PyTensor {
        PyTensor::new(self.get())
    }

    fn __abs__(&self, py: Python<'_>) -> PyResult<PyTensor> {
        unary(py, UnaryOp::Abs, Rule::Same, &self.get()).map(PyTensor::new)
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<PyTensor> {
        unary(py, UnaryOp::BitwiseNot, Rule::Same, &self.get()).map(PyTensor::new)
    }

    fn __richcmp__(&self, py: Python<'_>, other: Operand, op: CompareOp) -> PyResult<PyTensor> {
        let op = match op {
            CompareOp::Eq => CmpOp::Eq,
            CompareOp::Ne => CmpOp::Ne,
            CompareOp::Lt => CmpOp::Lt,
            CompareOp::Le => CmpOp::Le,
            CompareOp::Gt => CmpOp::Gt,
            CompareOp::Ge => CmpOp::Ge,
        };
        compare(py, op, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
    }

    fn __matmul__(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
        matmul_operands(py, &Operand::Tensor(self.get()), &other)
    }

    fn __rmatmul__(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
        matmul_operands(py, &other, &Operand::Tensor(self.get()))
    }

    /// Matrix product over the last two dimensions; vectors and batches as in NumPy.
    #[pyo3(signature = (other, /))]
    fn matmul(&self, py: Python<'_>, other: crate::args::Arg) -> PyResult<PyTensor> {
        matmul_operands(py, &Operand::Tensor(self.get()), &Operand::Tensor(other.0))
    }
}

/// Matrix product over the last two dimensions; vectors and batches as in NumPy.
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub fn matmul(py: Python<'_>, x1: crate::args::Arg, x2: crate::args::Arg) -> PyResult<PyTensor> {
    matmul_operands(py, &Operand::Tensor(x1.0), &Operand::Tensor(x2.0))
}

fn matmul_operands(py: Python<'_>, a: &Operand, b: &Operand) -> PyResult<PyTensor> {
    let (Operand::Tensor(l), Operand::Tensor(r)) = (a, b) else {
        return Err(PyTypeError::new_err("matmul needs two tensors; use * with a number"));
    };
    let dtype = Operand::common(a, b)?;
    if l.rank() == 0 || r.rank() == 0 {
        return Err(pyo3::exceptions::PyValueError::new_err(
            "matmul: a tensor of rank 0 has no matrix product; use *",
        ));
    }
    let work = l.elem_count().saturating_mul(r.dims().last().copied().unwrap_or(1));
    run(py, work, || {
        let (l, r) = (l.to_dtype(dtype)?, r.to_dtype(dtype)?);
        let (lv, rv) = (l.rank() == 1, r.rank() == 1);
        let l = if lv { l.unsqueeze(0)? } else { l };
        let r = if rv { r.unsqueeze(1)? } else { r };
        let mut out = l.broadcast_matmul(&r)?;
        if rv {
            out = out.squeeze(out.rank() - 1)?;
        }
        if lv {
            out = out.squeeze(out.rank() - usize::from(!rv) - 1)?;
        }
        Ok(out)
    })
    .map(PyTensor::new)
}
