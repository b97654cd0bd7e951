//! Gradients: leaves, `backward`, `.grad`, and switching the recording.
use crate::args::Arg;
use crate::dtype;
use crate::error::{OrPy, detached};
use crate::protocols::{is_leaf, with_grad};
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{type_hint_identifier, type_hint_subscript, type_hint_union};
use rushlight::{Tensor, pydoc};

#[pymethods]
impl PyTensor {
    #[doc = pydoc!(
        "Whether gradients are recorded for the tensor; it can be set on leaf tensors.";
        ();
        ();
        [">>> rl.tensor([1.0], requires_grad=True).requires_grad", "True"]
    )]
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

    #[doc = pydoc!(
        "Switches the recording of gradients on or off, in place.";
        (requires_grad: "bool, default True" "Whether gradients are recorded.") -> "Tensor" "The tensor itself.";
        (RuntimeError: "If the dtype is not floating-point, or recording of a computed tensor is switched off.");
        [">>> x = rl.tensor([1.0]).requires_grad_()", ">>> x.requires_grad", "True"]
    )]
    #[pyo3(signature = (requires_grad = true))]
    fn requires_grad_(slf: Bound<'_, Self>, requires_grad: bool) -> PyResult<Bound<'_, Self>> {
        slf.get().set_requires_grad(requires_grad)?;
        Ok(slf)
    }

    #[doc = pydoc!(
        "Whether the tensor was made by the user, not computed from a tensor that requires a gradient.";
        ();
        ();
        [">>> x = rl.tensor([1.0], requires_grad=True)", ">>> x.is_leaf, (x * 2).is_leaf", "(True, False)"]
    )]
    #[getter]
    fn is_leaf(&self) -> bool {
        is_leaf(&self.get())
    }

    #[doc = pydoc!(
        "Name of the operation that the tensor was computed by, if gradients are recorded for it, or None.";
        ();
        ();
        [">>> x = rl.tensor([1.0], requires_grad=True)", ">>> x.exp().grad_fn", "'exp'"]
    )]
    #[getter]
    fn grad_fn(&self) -> Option<&'static str> {
        self.get().grad_fn()
    }

    #[doc = pydoc!(
        "Gradient accumulated by ``backward``, or None; it can be set and deleted.";
        ();
        ();
        [
            ">>> x = rl.tensor([1.0, 2.0], requires_grad=True)",
            ">>> (x * x).sum().backward()",
            ">>> x.grad",
            "tensor([2., 4.], dtype=float32, device='cpu')",
        ]
    )]
    #[getter]
    fn grad(&self) -> Option<Self> {
        self.get().grad().map(Self::new)
    }

    #[setter(grad)]
    fn set_grad(&self, value: Option<Arg>) -> PyResult<()> {
        let t = self.get();
        let Some(g) = value else {
            let has = t.is_variable() || t.retains_grad();
            return if has { t.set_grad(None).py() } else { Ok(()) };
        };
        if !t.is_variable() {
            return Err(PyRuntimeError::new_err("only a leaf that requires a gradient can be given one"));
        }
        if g.0.shape() != t.shape() {
            return Err(PyValueError::new_err(format!(
                "the gradient has shape {:?}, the tensor {:?}",
                g.0.shape(),
                t.shape()
            )));
        }
        if g.0.dtype() != t.dtype() {
            return Err(PyTypeError::new_err(format!(
                "the gradient has dtype {}, the tensor {}",
                dtype::name(g.0.dtype()),
                dtype::name(t.dtype())
            )));
        }
        t.set_grad(Some(g.0)).py()
    }

    #[deleter(grad)]
    fn delete_grad(&self) -> PyResult<()> {
        self.set_grad(None)
    }

    #[doc = pydoc!(
        "Returns the tensor without its gradient history; the memory is shared.";
        () -> "Tensor" "Leaf tensor over the same memory.";
        ();
        [">>> x = rl.tensor([1.0], requires_grad=True)", ">>> (x * 2).detach().requires_grad", "False"]
    )]
    fn detach(&self) -> Self {
        Self::new(self.get().detach())
    }

    #[doc = pydoc!(
        "Removes the tensor from the gradient graph, in place.";
        () -> "Tensor" "The tensor itself.";
        ();
        [">>> x = rl.tensor([1.0], requires_grad=True) * 2", ">>> x.detach_().requires_grad", "False"]
    )]
    fn detach_(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        let t = slf.get().get();
        slf.get().set(t.detach());
        slf
    }

    #[doc = pydoc!(
        "Elements without gradient history, over the same memory.\n\nAssigning replaces the elements. A leaf stays a leaf, and keeps its gradient if shape and dtype still match. A change in place, as in ``x.data += y``, changes the elements of ``x`` and is not part of its gradient history.";
        ();
        ();
        [
            ">>> x = rl.tensor([1.0], requires_grad=True)",
            ">>> x.data = rl.tensor([5.0])",
            ">>> x.item()",
            "5.0",
        ]
    )]
    #[getter(data)]
    fn data(&self) -> Self {
        Self::data_of(&self.get())
    }

    /// Replaces the elements; a leaf stays a leaf, and keeps its gradient where that still fits.
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

    #[doc = pydoc!(
        "Computes gradients and adds them to ``.grad`` of every leaf that the tensor was computed from.\n\nThen the tensor forgets the graph that computed it, unless it is retained. The memory of the graph is freed when no other tensor needs it.";
        (gradient: "Tensor, optional" "Gradient of the result with respect to this tensor, in its shape. Needed unless the tensor has one element.", retain_graph: "bool, optional" "Whether ``backward`` can be called again; by default the value of ``create_graph``.", create_graph: "bool, default False" "Whether the gradients are parts of a graph, so that they have gradients. Set ``.grad`` to None when you are done: gradient and leaf then keep each other alive.", inputs: "Tensor or sequence of Tensor, optional" "Leaves that get a gradient; all by default.");
        (RuntimeError: "If the tensor does not require a gradient, its graph was freed, ``gradient`` is missing, or an input is not a leaf.", NotImplementedError: "If an op has no second derivative, and ``create_graph`` was asked for.");
        [
            ">>> x = rl.tensor([1.0, 2.0], requires_grad=True)",
            ">>> (x ** 2).sum().backward()",
            ">>> x.grad",
            "tensor([2., 4.], dtype=float32, device='cpu')",
        ]
    )]
    #[pyo3(signature = (gradient = None, retain_graph = None, create_graph = false, inputs = None))]
    fn backward(
        &self,
        py: Python<'_>,
        gradient: Option<Arg>,
        retain_graph: Option<bool>,
        create_graph: bool,
        inputs: Option<Inputs>,
    ) -> PyResult<()> {
        let t = self.get();
        if !t.track_op() {
            return Err(PyRuntimeError::new_err(
                "the tensor does not require a gradient and was not computed from one that does",
            ));
        }
        if gradient.is_none() && t.elem_count() != 1 {
            return Err(PyRuntimeError::new_err(format!(
                "backward() of shape {:?} needs a gradient argument; without one only a single number has a gradient",
                t.shape()
            )));
        }
        let seed = gradient.map(|g| g.0);
        detached(py, || {
            let inputs: Option<Vec<&Tensor>> = inputs.as_ref().map(|i| i.0.iter().collect());
            rushlight::autograd::backward(&[&t], &[seed], inputs.as_deref(), create_graph)
        })
        .py()?;
        // A loss that is kept, as in `total += loss`, then does not keep the graph of its step.
        if !retain_graph.unwrap_or(create_graph) {
            self.set(t.without_graph());
        }
        Ok(())
    }
}

/// A tensor, or several.
struct Inputs(Vec<Tensor>);

impl<'py> FromPyObject<'_, 'py> for Inputs {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        <PyTensor as pyo3::PyTypeInfo>::TYPE_HINT,
        type_hint_subscript!(
            type_hint_identifier!("collections.abc", "Sequence"),
            <PyTensor as pyo3::PyTypeInfo>::TYPE_HINT
        )
    );

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(t) = obj.cast::<PyTensor>() {
            return Ok(Self(vec![t.get().get()]));
        }
        let all: Vec<Arg> = obj.extract()?;
        if all.is_empty() {
            return Err(PyRuntimeError::new_err("backward: inputs cannot be empty; omit it for all leaves"));
        }
        Ok(Self(all.into_iter().map(|a| a.0).collect()))
    }
}

#[doc = pydoc!(
    "Returns whether gradients are recorded on this thread.";
    () -> "bool" "False inside ``no_grad()``.";
    ();
    [">>> rl.is_grad_enabled()", "True"]
)]
#[pyfunction]
pub fn is_grad_enabled() -> bool {
    rushlight::autograd::is_enabled()
}

/// Sets whether this thread records, and returns the setting before.
#[pyfunction]
#[pyo3(signature = (enabled, /))]
pub fn _set_grad_enabled(enabled: bool) -> bool {
    rushlight::autograd::set_enabled(enabled)
}
