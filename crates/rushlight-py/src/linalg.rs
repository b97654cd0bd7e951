//! Linear algebra behind `rushlight.linalg`, which is written in Python: functions that return several tensors or compose ops.
use crate::args::Arg;
use crate::error::run;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::ops::qr::QrMode;
use rushlight::{Result, Tensor};

fn one(py: Python<'_>, x: &Tensor, f: impl FnOnce() -> Result<Tensor> + Send) -> PyResult<PyTensor> {
    run(py, x.elem_count(), f).map(PyTensor::new)
}

fn two(
    py: Python<'_>,
    x: &Tensor,
    f: impl FnOnce() -> Result<(Tensor, Tensor)> + Send,
) -> PyResult<(PyTensor, PyTensor)> {
    run(py, x.elem_count(), f).map(|(a, b)| (PyTensor::new(a), PyTensor::new(b)))
}

type Three = (PyTensor, PyTensor, PyTensor);

fn three(
    py: Python<'_>,
    x: &Tensor,
    f: impl FnOnce() -> Result<(Tensor, Tensor, Tensor)> + Send,
) -> PyResult<Three> {
    run(py, x.elem_count(), f).map(|(a, b, c)| (PyTensor::new(a), PyTensor::new(b), PyTensor::new(c)))
}

/// Returns Cholesky's factor.
#[pyfunction]
#[pyo3(signature = (x, upper, /))]
pub fn _cholesky(py: Python<'_>, x: Arg, upper: bool) -> PyResult<PyTensor> {
    one(py, &x.0, || x.0.cholesky(upper))
}

/// Returns Cholesky's factor and the order of the first minor that is not positive.
#[pyfunction]
#[pyo3(signature = (x, upper, /))]
pub fn _cholesky_ex(py: Python<'_>, x: Arg, upper: bool) -> PyResult<(PyTensor, PyTensor)> {
    two(py, &x.0, || x.0.cholesky_ex(upper))
}

/// Returns the factors, pivots and the number of the first pivot that is 0.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn _lu_factor_ex(py: Python<'_>, x: Arg) -> PyResult<Three> {
    three(py, &x.0, || x.0.lu_factor_ex())
}

/// Returns P, L and U.
#[pyfunction]
#[pyo3(signature = (lu, pivots, /))]
pub fn _lu_unpack(py: Python<'_>, lu: Arg, pivots: Arg) -> PyResult<Three> {
    three(py, &lu.0, || lu.0.lu_unpack(&pivots.0))
}

/// Returns the solution of a system by the factors of its matrix.
#[pyfunction]
#[pyo3(signature = (lu, pivots, b, left, transposed, /))]
pub fn _lu_solve(
    py: Python<'_>,
    lu: Arg,
    pivots: Arg,
    b: Arg,
    left: bool,
    transposed: bool,
) -> PyResult<PyTensor> {
    one(py, &lu.0, || lu.0.lu_solve(&pivots.0, &b.0, left, transposed))
}

/// Returns the solution of a triangular system.
#[pyfunction]
#[pyo3(signature = (a, b, upper, left, unit, /))]
pub fn _solve_triangular(
    py: Python<'_>,
    a: Arg,
    b: Arg,
    upper: bool,
    left: bool,
    unit: bool,
) -> PyResult<PyTensor> {
    one(py, &b.0, || a.0.solve_triangular(&b.0, upper, left, unit))
}

/// Returns the solution of a system.
#[pyfunction]
#[pyo3(signature = (a, b, left, /))]
pub fn _solve(py: Python<'_>, a: Arg, b: Arg, left: bool) -> PyResult<PyTensor> {
    one(py, &a.0, || a.0.solve(&b.0, left))
}

/// Returns the solution of a system, and the number of the first pivot that is 0.
#[pyfunction]
#[pyo3(signature = (a, b, left, /))]
pub fn _solve_ex(py: Python<'_>, a: Arg, b: Arg, left: bool) -> PyResult<(PyTensor, PyTensor)> {
    two(py, &a.0, || a.0.solve_ex(&b.0, left))
}

/// Returns the inverse.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn _inv(py: Python<'_>, x: Arg) -> PyResult<PyTensor> {
    one(py, &x.0, || x.0.inv())
}

/// Returns the inverse, and the number of the first pivot that is 0.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn _inv_ex(py: Python<'_>, x: Arg) -> PyResult<(PyTensor, PyTensor)> {
    two(py, &x.0, || x.0.inv_ex())
}

/// Returns the determinant.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn _det(py: Python<'_>, x: Arg) -> PyResult<PyTensor> {
    one(py, &x.0, || x.0.det())
}

/// Returns the sign of the determinant and the logarithm of its magnitude.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn _slogdet(py: Python<'_>, x: Arg) -> PyResult<(PyTensor, PyTensor)> {
    two(py, &x.0, || x.0.slogdet())
}

/// Returns Q and R.
#[pyfunction]
#[pyo3(signature = (x, mode, /))]
pub fn _qr(py: Python<'_>, x: Arg, mode: &str) -> PyResult<(PyTensor, PyTensor)> {
    let mode = match mode {
        "reduced" => QrMode::Reduced,
        "complete" => QrMode::Complete,
        "r" => QrMode::R,
        other => {
            let text = format!("qr: mode is 'reduced', 'complete' or 'r', got {other:?}");
            return Err(PyValueError::new_err(text));
        }
    };
    two(py, &x.0, || x.0.qr(mode))
}

/// Returns eigenvalues and eigenvectors.
#[pyfunction]
#[pyo3(signature = (x, upper, /))]
pub fn _eigh(py: Python<'_>, x: Arg, upper: bool) -> PyResult<(PyTensor, PyTensor)> {
    two(py, &x.0, || x.0.eigh(upper))
}

/// Returns eigenvalues.
#[pyfunction]
#[pyo3(signature = (x, upper, /))]
pub fn _eigvalsh(py: Python<'_>, x: Arg, upper: bool) -> PyResult<PyTensor> {
    one(py, &x.0, || x.0.eigvalsh(upper))
}

/// Returns U, S and V^T.
#[pyfunction]
#[pyo3(signature = (x, full, /))]
pub fn _svd(py: Python<'_>, x: Arg, full: bool) -> PyResult<Three> {
    three(py, &x.0, || x.0.svd(full))
}

/// Returns singular values.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn _svdvals(py: Python<'_>, x: Arg) -> PyResult<PyTensor> {
    one(py, &x.0, || x.0.svdvals())
}

/// Returns eigenvalues and eigenvectors of general matrices.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn _eig(py: Python<'_>, x: Arg) -> PyResult<(PyTensor, PyTensor)> {
    two(py, &x.0, || x.0.eig())
}

/// Returns eigenvalues of general matrices.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn _eigvals(py: Python<'_>, x: Arg) -> PyResult<PyTensor> {
    one(py, &x.0, || x.0.eigvals())
}
