//! Elementwise ops, matrix products and the operators: promotion, then one core op. By hand: `positive`, which returns its argument,
//! `gelu`, which chooses between two ops, and `matmul`, whose operands are promoted and not broadcast to one shape, or sparse.
use crate::args::{Arg, Operand, Whole};
use crate::compare::compare;
use crate::error::{OrPy, run};
use crate::function::{Function, document, function};
use crate::promote::{Num, default_float};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use pyo3::{IntoPyObjectExt, type_hint_identifier, type_hint_union};
use rushlight::ops::binary::{Binary, BinaryOp};
use rushlight::ops::cmp::CmpOp;
use rushlight::ops::predicate::{Predicate, PredicateOp};
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::ops::{Input, Op, OpDef};
use rushlight::{DType, Error, Tensor, sets};

/// The conversion of an operand whose dtype the op does not support.
#[derive(Clone, Copy, PartialEq)]
pub enum Rule {
    /// The common dtype.
    Same,
    /// Integers and bools become the default float.
    Float,
}

/// The dtype an op computes in.
pub fn computes_in(common: DType, rule: Rule) -> DType {
    if rule == Rule::Float && (common.is_int() || common == DType::Bool) { default_float() } else { common }
}

/// Returns the rule of an op with these inputs: `Float` if they accept floating-point dtypes only.
pub fn rule_of(inputs: &[Input]) -> Rule {
    if [sets::FLOAT, sets::INEXACT].contains(&inputs[0].dtypes) { Rule::Float } else { Rule::Same }
}

/// Converts both operands to their common dtype and shape.
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

/// Broadcasts tensors to one shape.
pub fn broadcast(tensors: Vec<Tensor>, name: &'static str) -> PyResult<Vec<Tensor>> {
    let Some((first, others)) = tensors.split_first() else { return Ok(tensors) };
    let mut shape = first.shape().clone();
    for t in others {
        shape = shape.broadcast_shape_binary_op(t.shape(), name).py()?;
    }
    tensors.iter().map(|t| t.broadcast_as(shape.clone()).py()).collect()
}

/// A unary op.
pub fn unary(py: Python<'_>, op: UnaryOp, x: &Tensor) -> PyResult<Tensor> {
    let op_def = Unary(op);
    if op == UnaryOp::Neg && x.dtype() == DType::Bool {
        return Err(PyTypeError::new_err(
            "negative is not defined for bool; use ~x, or convert it with astype",
        ));
    }
    let dtype = computes_in(x.dtype(), rule_of(op_def.inputs()));
    if dtype == x.dtype() {
        return run(py, x.elem_count(), || {
            complex_unary(op, x).unwrap_or_else(|| Tensor::run(Op::Unary(op_def), &[x]))
        });
    }
    run(py, x.elem_count(), || Tensor::run(Op::Unary(op_def), &[&x.to_dtype(dtype)?]))
}

/// Functions of complex numbers that consist of several ops. Returns `None` for all others.
fn complex_unary(op: UnaryOp, x: &Tensor) -> Option<rushlight::Result<Tensor>> {
    if !x.dtype().is_complex() {
        return None;
    }
    match op {
        UnaryOp::Sign => Some(Tensor::run(Op::Unary(Unary(UnaryOp::Sgn)), &[x])),
        UnaryOp::Round => Some((|| x.real()?.round()?.complex(&x.imag()?.round()?))()),
        UnaryOp::Sigmoid => Some(complex_sigmoid(x)),
        _ => None,
    }
}

/// The logistic function of complex numbers, whose exponential is of a number without a positive real part, so that it does not
/// overflow.
fn complex_sigmoid(x: &Tensor) -> rushlight::Result<Tensor> {
    let real = x.real()?;
    let below = real.lt(&real.zeros_like()?)?;
    let one = x.ones_like()?;
    let power = below.where_cond(x, &x.neg()?)?.exp()?;
    let top = below.where_cond(&power, &one)?;
    top / (one + power)?
}

/// A predicate of one element, as bool.
pub fn predicate(py: Python<'_>, op: PredicateOp, x: &Tensor) -> PyResult<Tensor> {
    run(py, x.elem_count(), || Tensor::run(Op::Predicate(Predicate(op)), &[x]))
}

/// Returns where an operand is not zero, as bool, so that operands of any two dtypes can be combined.
fn truth(x: &Operand) -> PyResult<Operand> {
    Ok(match x {
        Operand::Tensor(t) => Operand::Tensor(t.to_dtype(DType::Bool).py()?),
        Operand::Num(Num::Complex(re, im)) => Operand::Num(Num::Bool(*re != 0.0 || *im != 0.0)),
        Operand::Num(n) => Operand::Num(Num::Bool(n.to_f64() != 0.0)),
    })
}

/// Computes a logical op of two operands, as bool.
pub fn logical(py: Python<'_>, op: PredicateOp, a: &Operand, b: &Operand) -> PyResult<Tensor> {
    let op_def = Predicate(op);
    let (l, r) = match (a, b) {
        // The op itself reads elements of one dtype.
        (Operand::Tensor(l), Operand::Tensor(r))
            if l.dtype() == r.dtype() && sets::ORDERED.contains(l.dtype()) =>
        {
            aligned(a, b, Rule::Same, op_def.name())?
        }
        _ => aligned(&truth(a)?, &truth(b)?, Rule::Same, op_def.name())?,
    };
    run(py, l.elem_count(), || Tensor::run(Op::Predicate(op_def), &[&l, &r]))
}

/// A binary op.
pub fn binary(py: Python<'_>, op: BinaryOp, a: &Operand, b: &Operand) -> PyResult<Tensor> {
    if let (BinaryOp::Pow, Operand::Tensor(t), Operand::Num(n)) = (op, a, b)
        && !matches!(n, Num::Complex(..))
        && let e = n.to_f64()
        && t.dtype().is_inexact()
    {
        return run(py, t.elem_count(), || if e == 2.0 { t.square() } else { t.powf(e) });
    }
    let op_def = Binary(op);
    let rule = if op == BinaryOp::Div { Rule::Float } else { rule_of(op_def.inputs()) };
    let (l, r) = aligned(a, b, rule, op_def.name())?;
    if op == BinaryOp::Pow && l.dtype().is_int() {
        refuse_negative_exponent(b)?;
    }
    let op = match (op, l.dtype()) {
        // For bools `+` and `maximum` are `or`, `*` and `minimum` are `and`.
        (BinaryOp::Add | BinaryOp::Maximum, DType::Bool) => BinaryOp::BitwiseOr,
        (BinaryOp::Mul | BinaryOp::Minimum, DType::Bool) => BinaryOp::BitwiseAnd,
        (op, _) => op,
    };
    run(py, l.elem_count(), || match op {
        // Those of complex numbers consist of several ops.
        BinaryOp::Pow => l.pow(&r),
        op => Tensor::run(Op::Binary(Binary(op)), &[&l, &r]),
    })
}

/// A binary op whose second operand is multiplied by a number in the common dtype first.
pub fn scaled(py: Python<'_>, op: BinaryOp, a: &Operand, b: &Operand, alpha: Num) -> PyResult<Tensor> {
    let b = Operand::Tensor(b.tensor(Operand::common(a, b)?, &Operand::device(&[a, b]))?);
    let b = binary(py, BinaryOp::Mul, &b, &Operand::Num(alpha))?;
    binary(py, op, a, &Operand::Tensor(b))
}

/// A unary op on the elements times a power of ten, by which the result is divided. f16 and bf16 are computed in float32, integers
/// in float64: decimals do not change them.
pub fn to_decimals(py: Python<'_>, op: UnaryOp, x: &Tensor, decimals: Whole) -> PyResult<Tensor> {
    let decimals = decimals.0.clamp(-400, 400) as i32;
    let dtype = x.dtype();
    if decimals == 0 || (decimals > 0 && dtype.is_int()) {
        return unary(py, op, x);
    }
    let wide = match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        d if d.is_int() => DType::F64,
        d => d,
    };
    let wide = run(py, x.elem_count(), || x.to_dtype(wide))?;
    // As NumPy and PyTorch: powers of positive exponents are exact.
    let power = Operand::Num(Num::Float(10f64.powi(decimals.abs())));
    let (first, second) =
        if decimals > 0 { (BinaryOp::Mul, BinaryOp::Div) } else { (BinaryOp::Div, BinaryOp::Mul) };
    let large = unary(py, op, &binary(py, first, &Operand::Tensor(wide), &power)?)?;
    let out = binary(py, second, &Operand::Tensor(large), &power)?;
    run(py, x.elem_count(), || out.to_dtype(dtype))
}

/// `divmod(a, b)`.
fn quotient_and_rest(py: Python<'_>, a: &Operand, b: &Operand) -> PyResult<(PyTensor, PyTensor)> {
    let quotient = binary(py, BinaryOp::FloorDivide, a, b)?;
    Ok((PyTensor::new(quotient), PyTensor::new(binary(py, BinaryOp::Remainder, a, b)?)))
}

fn refuse_negative_exponent(b: &Operand) -> PyResult<()> {
    match b {
        Operand::Num(Num::Int(i)) if *i < 0 => Err(pyo3::exceptions::PyValueError::new_err(
            "an integer tensor to a negative power is not defined; convert it to floats first, as in x.float() ** -1",
        )),
        _ => Ok(()),
    }
}

/// Computes the variant of GELU that `approximate` names.
fn gelu(py: Python<'_>, x: &Tensor, approximate: &str) -> PyResult<PyTensor> {
    let op = match approximate {
        "none" => UnaryOp::GeluErf,
        "tanh" => UnaryOp::Gelu,
        _ => {
            return Err(pyo3::exceptions::PyValueError::new_err(format!(
                "gelu: approximate '{approximate}' is neither 'none' nor 'tanh'"
            )));
        }
    };
    unary(py, op, x).map(PyTensor::new)
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "positive(x, /)";
            "Returns the tensor unchanged: the unary ``+``.";
            (x) -> "Tensor" "``x`` itself.";
            (TypeError: "If ``x`` is not a tensor.");
            [">>> rl.positive(rl.tensor([1, -2]))", "tensor([ 1, -2], dtype=int64, device='cpu')"];
            |py, x: Arg| Ok(PyTensor::new(x.0))
        ),
        function!(
            "gelu(x, /, approximate=\"none\")";
            "Computes GELU, x * Phi(x), where Phi is the normal distribution function.";
            (x FLOAT, approximate: "str, default \"none\"" "``\"none\"`` computes the exact function, ``\"tanh\"`` the approximation by a tanh.") -> "Tensor" "Result in the shape of ``x``.";
            (dtype, ValueError: "If ``approximate`` is another word.");
            [">>> rl.gelu(rl.tensor([-1.0, 1.0]))", "tensor([-0.1587,  0.8413], dtype=float32, device='cpu')"];
            |py, x: Arg, approximate: String| gelu(py, &x.0, &approximate)
        )
        .method(),
        function!(
            "matmul(x1, x2, /)";
            "Multiplies matrices over the last two dimensions; the other dimensions are broadcast.\n\nA vector on the left is a row, one on the right a column; that dimension is removed from the result.";
            (x1: "Tensor or SparseTensor" "Left factor, of shape (.., n, k) or (k,); a sparse one is multiplied by ``rushlight.sparse.mm``.", x2: "Tensor or SparseTensor" "Right factor, of shape (.., k, m) or (k,).") -> "Tensor" "Product of shape (.., n, m), in the common dtype; sparse if both factors are.";
            (ValueError: "If the sizes do not match, or a factor has rank 0.", TypeError: "If an argument is not a tensor.");
            [
                ">>> rl.matmul(rl.tensor([[1, 2], [3, 4]]), rl.tensor([1, 10]))",
                "tensor([21, 43], dtype=int64, device='cpu')",
            ];
            |py, x1: Factor<'_, '_>, x2: Factor<'_, '_>| product(py, x1, x2)
        )
        .method_with(
            "matmul(other, /)",
            document!(
                "Multiplies by a matrix over the last two dimensions; the other dimensions are broadcast.";
                (other: "Tensor or SparseTensor" "Right factor, of shape (.., k, m) or (k,).") -> "Tensor" "Product of shape (.., n, m), in the common dtype.";
                (ValueError: "If the sizes do not match, or a factor has rank 0.", TypeError: "If ``other`` is not a tensor.");
                [
                    ">>> rl.tensor([[1, 2], [3, 4]]).matmul(rl.tensor([1, 10]))",
                    "tensor([21, 43], dtype=int64, device='cpu')",
                ]
            ),
        ),
    ]
}

macro_rules! operators {
    ($($fwd:ident $rev:ident $inplace:ident $v:ident;)*) => {
        #[pymethods]
        impl PyTensor {
            $(
            fn $fwd(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
                binary(py, BinaryOp::$v, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
            }
            fn $rev(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
                binary(py, BinaryOp::$v, &other, &Operand::Tensor(self.get())).map(PyTensor::new)
            }
            fn $inplace(&self, py: Python<'_>, other: Operand) -> PyResult<()> {
                let t = self.get();
                let out = binary(py, BinaryOp::$v, &Operand::Tensor(t.clone()), &other)?;
                self.replace_with(py, &t, out)
            }
            )*
        }
    };
}

operators! {
    __add__ __radd__ __iadd__ Add;
    __sub__ __rsub__ __isub__ Sub;
    __mul__ __rmul__ __imul__ Mul;
    __truediv__ __rtruediv__ __itruediv__ Div;
    __floordiv__ __rfloordiv__ __ifloordiv__ FloorDivide;
    __mod__ __rmod__ __imod__ Remainder;
    __and__ __rand__ __iand__ BitwiseAnd;
    __or__ __ror__ __ior__ BitwiseOr;
    __xor__ __rxor__ __ixor__ BitwiseXor;
    __lshift__ __rlshift__ __ilshift__ LeftShift;
    __rshift__ __rrshift__ __irshift__ RightShift;
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
        binary(py, BinaryOp::Pow, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
    }

    fn __ipow__(&self, py: Python<'_>, other: Operand, modulo: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let _ = modulo;
        let t = self.get();
        let out = binary(py, BinaryOp::Pow, &Operand::Tensor(t.clone()), &other)?;
        self.replace_with(py, &t, out)
    }

    fn __rpow__(
        &self,
        py: Python<'_>,
        other: Operand,
        modulo: Option<Bound<'_, PyAny>>,
    ) -> PyResult<PyTensor> {
        let _ = modulo;
        binary(py, BinaryOp::Pow, &other, &Operand::Tensor(self.get())).map(PyTensor::new)
    }

    fn __divmod__(&self, py: Python<'_>, other: Operand) -> PyResult<(PyTensor, PyTensor)> {
        quotient_and_rest(py, &Operand::Tensor(self.get()), &other)
    }

    fn __rdivmod__(&self, py: Python<'_>, other: Operand) -> PyResult<(PyTensor, PyTensor)> {
        quotient_and_rest(py, &other, &Operand::Tensor(self.get()))
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<PyTensor> {
        unary(py, UnaryOp::Neg, &self.get()).map(PyTensor::new)
    }

    fn __pos__(&self) -> PyTensor {
        PyTensor::new(self.get())
    }

    fn __abs__(&self, py: Python<'_>) -> PyResult<PyTensor> {
        unary(py, UnaryOp::Abs, &self.get()).map(PyTensor::new)
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<PyTensor> {
        unary(py, UnaryOp::BitwiseNot, &self.get()).map(PyTensor::new)
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
        matmul(py, &Operand::Tensor(self.get()), &other)
    }

    fn __imatmul__(&self, py: Python<'_>, other: Operand) -> PyResult<()> {
        let t = self.get();
        let out = matmul(py, &Operand::Tensor(t.clone()), &other)?.get();
        self.replace_with(py, &t, out)
    }

    fn __rmatmul__(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
        matmul(py, &other, &Operand::Tensor(self.get()))
    }
}

/// A factor of a product: a tensor (or an array that can become one), or a sparse tensor, whose classes are Python's.
enum Factor<'a, 'py> {
    Tensor(Tensor),
    Sparse(Borrowed<'a, 'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Factor<'a, 'py> {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(Arg::INPUT_TYPE, type_hint_identifier!("rushlight.sparse", "SparseTensor"));

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        static SPARSE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        if let Ok(t) = obj.cast::<PyTensor>() {
            return Ok(Self::Tensor(t.get().get()));
        }
        if obj.is_instance(SPARSE.import(obj.py(), "rushlight.sparse", "SparseTensor")?)? {
            return Ok(Self::Sparse(obj));
        }
        obj.extract::<Arg>().map(|x| Self::Tensor(x.0))
    }
}

/// Multiplies matrices, dense or sparse.
fn product<'py>(py: Python<'py>, x1: Factor<'_, 'py>, x2: Factor<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let (Factor::Tensor(a), Factor::Tensor(b)) = (&x1, &x2) {
        return matmul(py, &Operand::Tensor(a.clone()), &Operand::Tensor(b.clone()))?.into_bound_py_any(py);
    }
    let object = |x: Factor<'_, 'py>| match x {
        Factor::Tensor(x) => PyTensor::new(x).into_bound_py_any(py),
        Factor::Sparse(x) => Ok(x.to_owned()),
    };
    py.import("rushlight.sparse")?.getattr("mm")?.call1((object(x1)?, object(x2)?))
}

fn matmul(py: Python<'_>, a: &Operand, b: &Operand) -> PyResult<PyTensor> {
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
        let (x, y) = (l.to_dtype(dtype)?, r.to_dtype(dtype)?);
        let (lv, rv) = (l.rank() == 1, r.rank() == 1);
        let x = if lv { x.unsqueeze(0)? } else { x };
        let y = if rv { y.unsqueeze(1)? } else { y };
        let mut out = x.broadcast_matmul(&y).map_err(|e| match e.root() {
            // The error shows the shapes that the caller gave.
            Error::ShapeMismatchBinaryOp { .. } => {
                let (lhs, rhs) = (l.shape().clone(), r.shape().clone());
                Error::ShapeMismatchBinaryOp { lhs, rhs, op: "matmul" }
            }
            _ => e,
        })?;
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
