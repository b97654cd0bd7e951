//! Functions and methods of the elementwise families: one for each row of the core's tables.
use crate::args::{Arg, Operand};
use crate::compare::compare;
use crate::elementwise::{binary, logical, predicate, unary};
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use rushlight::ops::Op;
use rushlight::ops::binary::{Binary, BinaryOp};
use rushlight::ops::cmp::{Cmp, CmpOp};
use rushlight::ops::predicate::PredicateOp;
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::pydoc;

/// Adds the families' functions to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    unary_functions(m)?;
    binary_functions(m)?;
    cmp_functions(m)?;
    predicate_functions(m)
}

/// The Python name of a family's op; `None` for other ops.
pub fn python_name(op: &Op) -> Option<&'static str> {
    match *op {
        Op::Unary(Unary(op)) => Some(unary_name(op)),
        Op::Binary(Binary(op)) => Some(binary_name(op)),
        // Python's comparisons are bool.
        Op::Cmp(Cmp { op, dtype: rushlight::DType::Bool }) => Some(cmp_name(op)),
        Op::Predicate(op) => Some(rushlight::ops::OpDef::name(&op)),
        _ => None,
    }
}

macro_rules! unary_ops {
    ($( $v:ident $method:ident $name:ident $set:ident $need:ident $domain:expr, $rule:expr,
        $doc:literal, $x:literal => $y:literal; )*) => {
        $(#[doc = pydoc!(
            $doc;
            (x $set) -> "Tensor" "Result in the shape of ``x``.";
            (dtype);
            [concat!(">>> rl.", stringify!($name), "(rl.tensor(", $x, "))"), $y]
        )]
        #[pyfunction]
        #[pyo3(signature = (x, /))]
        fn $name(py: Python<'_>, x: Arg) -> PyResult<PyTensor> {
            unary(py, UnaryOp::$v, &x.0).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = pydoc!(
                $doc;
                () -> "Tensor" "Result in the shape of the tensor.";
                (own_dtype);
                [concat!(">>> rl.tensor(", $x, ").", stringify!($name), "()"), $y]
            )]
            fn $name(&self, py: Python<'_>) -> PyResult<PyTensor> {
                unary(py, UnaryOp::$v, &self.get()).map(PyTensor::new)
            })*
        }

        fn unary_functions(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(m.add_function(wrap_pyfunction!($name, m)?)?;)*
            Ok(())
        }

        fn unary_name(op: UnaryOp) -> &'static str {
            match op { $(UnaryOp::$v => stringify!($name)),* }
        }
    };
}
rushlight::unary_table!(unary_ops);

macro_rules! binary_ops {
    ($( $v:ident $method:ident $bmethod:ident $name:ident $set:ident $reads:expr, $domains:expr,
        $rule:expr, $doc:literal, $x1:literal, $x2:literal => $y:literal; )*) => {
        $(#[doc = pydoc!(
            $doc;
            (x1_x2 $set) -> "Tensor" "Result in the common dtype and shape.";
            (operands);
            [concat!(">>> rl.", stringify!($name), "(rl.tensor(", $x1, "), rl.tensor(", $x2, "))"), $y]
        )]
        #[pyfunction]
        #[pyo3(signature = (x1, x2, /))]
        fn $name(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
            binary(py, BinaryOp::$v, &x1, &x2).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = pydoc!(
                $doc;
                (other $set) -> "Tensor" "Result in the common dtype and shape.";
                (operands);
                [concat!(">>> rl.tensor(", $x1, ").", stringify!($name), "(rl.tensor(", $x2, "))"), $y]
            )]
            #[pyo3(signature = (other, /))]
            fn $name(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
                binary(py, BinaryOp::$v, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
            })*
        }

        fn binary_functions(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(m.add_function(wrap_pyfunction!($name, m)?)?;)*
            Ok(())
        }

        fn binary_name(op: BinaryOp) -> &'static str {
            match op { $(BinaryOp::$v => stringify!($name)),* }
        }
    };
}
rushlight::binary_table!(binary_ops);

macro_rules! comparisons {
    ($($v:ident $method:ident $bmethod:ident $name:ident $doc:literal, $x1:literal, $x2:literal => $y:literal;)*) => {
        $(#[doc = pydoc!(
            concat!("Tells where an element of x1 is ", $doc, " that of x2.");
            (x1_x2) -> "Tensor" "Result of dtype bool in the common shape.";
            (operands);
            [concat!(">>> rl.", stringify!($name), "(rl.tensor(", $x1, "), rl.tensor(", $x2, "))"), $y]
        )]
        #[pyfunction]
        #[pyo3(signature = (x1, x2, /))]
        fn $name(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
            compare(py, CmpOp::$v, &x1, &x2).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            // PyTorch's names.
            $(#[doc = pydoc!(
                concat!("Tells where an element is ", $doc, " that of another tensor.");
                (other) -> "Tensor" "Result of dtype bool in the common shape.";
                (operands);
                [concat!(">>> rl.tensor(", $x1, ").", stringify!($method), "(rl.tensor(", $x2, "))"), $y]
            )]
            #[pyo3(signature = (other, /))]
            fn $method(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
                compare(py, CmpOp::$v, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
            })*
        }

        fn cmp_functions(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(m.add_function(wrap_pyfunction!($name, m)?)?;)*
            Ok(())
        }

        fn cmp_name(op: CmpOp) -> &'static str {
            match op { $(CmpOp::$v => stringify!($name)),* }
        }
    };
}
rushlight::cmp_table!(comparisons);

macro_rules! predicates {
    (
        one { $($v:ident $name:ident $doc:literal, $x:literal => $y:literal;)* }
        two { $($v2:ident $name2:ident $bmethod:ident $doc2:literal, $x1:literal, $x2:literal => $y2:literal;)* }
    ) => {
        $(#[doc = pydoc!(
            $doc;
            (x ORDERED) -> "Tensor" "Result of dtype bool in the shape of ``x``.";
            (dtype);
            [concat!(">>> rl.", stringify!($name), "(rl.tensor(", $x, "))"), $y]
        )]
        #[pyfunction]
        #[pyo3(signature = (x, /))]
        fn $name(py: Python<'_>, x: Arg) -> PyResult<PyTensor> {
            predicate(py, PredicateOp::$v, &x.0).map(PyTensor::new)
        })*
        $(#[doc = pydoc!(
            $doc2;
            (x1_x2) -> "Tensor" "Result of dtype bool in the common shape.";
            (operands);
            [concat!(">>> rl.", stringify!($name2), "(rl.tensor(", $x1, "), rl.tensor(", $x2, "))"), $y2]
        )]
        #[pyfunction]
        #[pyo3(signature = (x1, x2, /))]
        fn $name2(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
            logical(py, PredicateOp::$v2, &x1, &x2).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = pydoc!(
                $doc;
                () -> "Tensor" "Result of dtype bool in the shape of the tensor.";
                (own_dtype);
                [concat!(">>> rl.tensor(", $x, ").", stringify!($name), "()"), $y]
            )]
            fn $name(&self, py: Python<'_>) -> PyResult<PyTensor> {
                predicate(py, PredicateOp::$v, &self.get()).map(PyTensor::new)
            })*
            $(#[doc = pydoc!(
                $doc2;
                (other) -> "Tensor" "Result of dtype bool in the common shape.";
                (operands);
                [concat!(">>> rl.tensor(", $x1, ").", stringify!($name2), "(rl.tensor(", $x2, "))"), $y2]
            )]
            #[pyo3(signature = (other, /))]
            fn $name2(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
                logical(py, PredicateOp::$v2, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
            })*
        }

        fn predicate_functions(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(m.add_function(wrap_pyfunction!($name, m)?)?;)*
            $(m.add_function(wrap_pyfunction!($name2, m)?)?;)*
            Ok(())
        }
    };
}
rushlight::predicate_table!(predicates);

// PyTorch's names of the operators' methods.
#[pymethods]
impl PyTensor {
    #[doc = pydoc!(
        "Computes self - other; integers wrap. PyTorch's name of ``subtract``.";
        (other NUMERIC) -> "Tensor" "Result in the common dtype and shape.";
        (operands);
        [">>> rl.tensor([1, 2]).sub(rl.tensor([10, 20]))", "tensor([ -9, -18], dtype=int64, device='cpu')"]
    )]
    #[pyo3(signature = (other, /))]
    fn sub(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
        binary(py, BinaryOp::Sub, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
    }

    #[doc = pydoc!(
        "Computes self * other; integers wrap. PyTorch's name of ``multiply``.";
        (other NUMERIC) -> "Tensor" "Result in the common dtype and shape.";
        (operands);
        [">>> rl.tensor([1, 2]).mul(rl.tensor([10, 20]))", "tensor([10, 40], dtype=int64, device='cpu')"]
    )]
    #[pyo3(signature = (other, /))]
    fn mul(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
        binary(py, BinaryOp::Mul, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
    }

    #[doc = pydoc!(
        "Computes self / other, correctly rounded. PyTorch's name of ``divide``.";
        (other NUMERIC) -> "Tensor" "Result in the common dtype and shape; integers give float32.";
        (operands);
        [">>> rl.tensor([1, 3]).div(2)", "tensor([0.5000, 1.5000], dtype=float32, device='cpu')"]
    )]
    #[pyo3(signature = (other, /))]
    fn div(&self, py: Python<'_>, other: Operand) -> PyResult<PyTensor> {
        binary(py, BinaryOp::Div, &Operand::Tensor(self.get()), &other).map(PyTensor::new)
    }

    #[doc = pydoc!(
        "Computes -x; integers wrap. PyTorch's name of ``negative``.";
        () -> "Tensor" "Result in the shape of the tensor.";
        (own_dtype);
        [">>> rl.tensor([-3, 2]).neg()", "tensor([ 3, -2], dtype=int64, device='cpu')"]
    )]
    fn neg(&self, py: Python<'_>) -> PyResult<PyTensor> {
        unary(py, UnaryOp::Neg, &self.get()).map(PyTensor::new)
    }
}
