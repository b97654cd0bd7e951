//! Gradients: leaves, `backward`, `.grad`, and switching the recording.
use crate::args::Arg;
use crate::dtype;
use crate::error::{OrPy, detached};
use crate::tensor::{PyTensor, is_leaf, with_grad};
use pyo3::exceptions::{PyNotImplementedError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

#[pymethods]
impl PyTensor {
    /// Whether gradients are computed for it.
    #[getter]
    fn requires_grad(&self) -> bool {
        self.get().track_op()
    }

    #[setter(requires_grad)]
    fn set_requires_grad(&self, value: bool) -> PyResult<()> {
        let t = self.get();
        match (t.track_op(), value) {
            (true, true) | (false, false) => Ok(()),
            (false, true) => {
                let leaf = with_grad(t, true)?;
                self.set(leaf.get());
                Ok(())
            }
            (true, false) if t.is_variable() => {
                self.set(t.detach());
                Ok(())
            }
            _ => Err(PyRuntimeError::new_err(
                "requires_grad of a computed tensor cannot be switched off; use detach()",
            )),
        }
    }

    /// Asks for gradients, in place.
    #[pyo3(signature = (requires_grad = true))]
    fn requires_grad_(slf: Bound<'_, Self>, requires_grad: bool) -> PyResult<Bound<'_, Self>> {
        slf.get().set_requires_grad(requires_grad)?;
        Ok(slf)
    }

    /// Whether it was made by the user and not computed from a tensor that requires a gradient.
    #[getter]
    fn is_leaf(&self) -> bool {
        is_leaf(&self.get())
    }

    /// The name of the op that it was computed by where gradients are recorded, or None.
    #[getter]
    fn grad_fn(&self) -> Option<&'static str> {
        self.get().grad_fn()
    }

    /// The gradient gathered by ``backward``, or None.
    #[getter]
    fn grad(&self) -> Option<Self> {
        self.get().grad().map(Self::new)
    }

    #[setter(grad)]
    fn set_grad(&self, value: Option<Arg>) -> PyResult<()> {
        let t = self.get();
        let Some(g) = value else {
            return if t.is_variable() { t.set_grad(None).py() } else { Ok(()) };
        };
        if !t.is_variable() {
            return Err(PyRuntimeError::new_err("only a leaf that requires a gradient can be given one"));
        }
        if g.0.shape() != t.shape() {
            return Err(PyValueError::new_err(format!(
                "the gradient has shape {:?}, the tensor {:?}",
                g.0.dims(),
                t.dims()
            )));
        }
        if g.0.dtype() != t.dtype() {
            return Err(PyTypeError::new_err(format!(
                "the gradient has dtype {}, the tensor {}",
                dtype::name(g.0.dtype()),
                dtype::name(t.dtype())
            )));
        }
        t.set_grad(Some(g.0.detach())).py()
    }

    #[deleter(grad)]
    fn delete_grad(&self) -> PyResult<()> {
        self.set_grad(None)
    }

    /// The elements outside the gradient graph, sharing memory.
    fn detach(&self) -> Self {
        Self::new(self.get().detach())
    }

    /// Takes the tensor out of the gradient graph, in place.
    fn detach_(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        let t = slf.get().get();
        slf.get().set(t.detach());
        slf
    }

    /// The elements outside the gradient graph, sharing memory.
    #[getter(data)]
    fn data(&self) -> Self {
        self.detach()
    }

    /// Other elements in its place; a leaf stays a leaf, and keeps its gradient where that still fits.
    #[setter(data)]
    fn set_data(&self, value: Arg) -> PyResult<()> {
        let t = self.get();
        let new = value.0.detach();
        if !t.is_variable() {
            self.set(new);
            return Ok(());
        }
        let leaf = with_grad(new, true)?.get();
        if let Some(g) = t.grad().filter(|g| g.shape() == leaf.shape() && g.dtype() == leaf.dtype()) {
            leaf.set_grad(Some(g)).py()?;
        }
        self.set(leaf);
        Ok(())
    }

    /// Adds the gradient of this tensor to ``.grad`` of every leaf it was computed from.
    ///
    /// The graph lives as long as the tensors computed by it, so it can be walked again whatever ``retain_graph`` says.
    #[pyo3(signature = (gradient = None, retain_graph = None, create_graph = false))]
    fn backward(
        &self,
        py: Python<'_>,
        gradient: Option<Arg>,
        retain_graph: Option<bool>,
        create_graph: bool,
    ) -> PyResult<()> {
        let t = self.get();
        let _ = retain_graph;
        if create_graph {
            return Err(PyNotImplementedError::new_err(
                "backward: create_graph=True is not supported, a gradient has no gradient of its own; compute the \
                 derivative as an expression and differentiate that",
            ));
        }
        if !t.track_op() {
            return Err(PyRuntimeError::new_err(
                "the tensor does not require a gradient and was not computed from one that does",
            ));
        }
        if gradient.is_none() && t.elem_count() != 1 {
            return Err(PyRuntimeError::new_err(format!(
                "backward() of shape {:?} needs a gradient argument; without one only a single number has a gradient",
                t.dims()
            )));
        }
        let seed = gradient.map(|g| g.0);
        detached(py, || t.backward_accumulate(seed.as_ref())).py()
    }
}

/// Whether ops on this thread record gradients.
#[pyfunction]
pub fn is_grad_enabled() -> bool {
    rushlight::autograd::is_enabled()
}

/// Switches recording on this thread; gives the state before.
#[pyfunction]
#[pyo3(signature = (enabled, /))]
pub fn _set_grad_enabled(enabled: bool) -> bool {
    rushlight::autograd::set_enabled(enabled)
}
