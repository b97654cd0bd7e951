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
    ($( $v:ident $method:ident $name:ident $set:ident $need:ident $domain:expr, $rule:expr, $doc:literal; )*) => {
        $(#[doc = $doc]
        #[pyfunction]
        #[pyo3(signature = (x, /))]
        fn $name(py: Python<'_>, x: Arg) -> PyResult<PyTensor> {
            unary(py, UnaryOp::$v, &x.0).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = $doc]
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
        $rule:expr, $doc:literal; )*) => {
        $(#[doc = $doc]
        #[pyfunction]
        #[pyo3(signature = (x1, x2, /))]
        fn $name(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
            binary(py, BinaryOp::$v, &x1, &x2).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = $doc]
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
    ($($v:ident $method:ident $bmethod:ident $name:ident $doc:literal;)*) => {
        $(#[doc = concat!("Where an element of x1 is ", $doc, " that of x2, as bool.")]
        #[pyfunction]
        #[pyo3(signature = (x1, x2, /))]
        fn $name(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
            compare(py, CmpOp::$v, &x1, &x2).map(PyTensor::new)
        })*

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
    (one { $($v:ident $name:ident $doc:literal;)* } two { $($v2:ident $name2:ident $bmethod:ident $doc2:literal;)* }) => {
        $(#[doc = concat!($doc, " As bool.")]
        #[pyfunction]
        #[pyo3(signature = (x, /))]
        fn $name(py: Python<'_>, x: Arg) -> PyResult<PyTensor> {
            predicate(py, PredicateOp::$v, &x.0).map(PyTensor::new)
        })*
        $(#[doc = concat!($doc2, " As bool.")]
        #[pyfunction]
        #[pyo3(signature = (x1, x2, /))]
        fn $name2(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
            logical(py, PredicateOp::$v2, &x1, &x2).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = concat!($doc, " As bool.")]
            fn $name(&self, py: Python<'_>) -> PyResult<PyTensor> {
                predicate(py, PredicateOp::$v, &self.get()).map(PyTensor::new)
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
