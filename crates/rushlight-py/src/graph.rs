//! Python functions and hooks as nodes of the gradient graph, and the general forms of `grad` and `backward`.
use crate::args::Arg;
use crate::error::{OrPy, detached};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyWeakrefReference};
use pyo3::{PyTraverseError, PyVisit};
use rushlight::autograd::{
    self, ForeignCount, Function, FunctionOptions, GradHook, GradOptions, HookHandle, backward, grad,
};
use rushlight::{Error, Result, Tensor, pydoc};
use std::any::Any;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// A Python function that a graph holds.
struct PyHook {
    function: Py<PyAny>,
    /// If set, the hook is called with this tensor, if that is still alive, in place of the gradient.
    of: Option<Py<PyWeakrefReference>>,
    _count: ForeignCount,
}

impl GradHook for PyHook {
    fn call(&self, grad: &Tensor) -> Result<Option<Tensor>> {
        Python::attach(|py| {
            let given = match &self.of {
                None => Bound::new(py, PyTensor::new(grad.clone()))?.into_any(),
                Some(weak) => match weak.bind(py).upgrade() {
                    Some(tensor) => tensor,
                    None => return Ok(None),
                },
            };
            let found = self.function.bind(py).call1((given,))?;
            if self.of.is_some() || found.is_none() {
                return Ok(None);
            }
            match found.cast::<PyTensor>() {
                Ok(t) => Ok(Some(t.get().get())),
                Err(_) => Err(PyTypeError::new_err(format!(
                    "a hook of a tensor returns None or a Tensor, got {}",
                    found.get_type().name()?
                ))),
            }
        })
        .map_err(Error::wrap)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

/// The `backward` of a class derived from `autograd.Function`.
struct PyFunction {
    name: &'static str,
    /// Called with the context, the saved tensors and the gradients of the outputs.
    run: Py<PyAny>,
    context: Py<PyAny>,
    _count: ForeignCount,
}

fn given(py: Python<'_>, t: &Option<Tensor>) -> PyResult<Py<PyAny>> {
    match t {
        None => Ok(py.None()),
        Some(t) => Ok(Py::new(py, PyTensor::new(t.clone()))?.into_any()),
    }
}

fn tuple<'py>(py: Python<'py>, all: &[Option<Tensor>]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, all.iter().map(|t| given(py, t)).collect::<PyResult<Vec<_>>>()?)
}

impl Function for PyFunction {
    fn name(&self) -> &'static str {
        self.name
    }

    fn backward(&self, saved: &[Option<Tensor>], grads: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
        Python::attach(|py| {
            let arguments = (&self.context, tuple(py, saved)?, tuple(py, grads)?);
            let found: Vec<Option<Arg>> = self.run.bind(py).call1(arguments)?.extract()?;
            Ok(found.into_iter().map(|g| g.map(|g| g.0)).collect())
        })
        .map_err(|e: PyErr| Error::wrap(e))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

/// Returns the name with lifetime `'static`; each distinct name is leaked once.
fn interned(name: String) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    match names.get(name.as_str()) {
        Some(known) => known,
        None => {
            let name: &'static str = Box::leak(name.into_boxed_str());
            names.insert(name);
            name
        }
    }
}

impl PyTensor {
    /// Reports to Python's cycle collector the objects in the part of the graph that only this tensor keeps
    /// alive.
    pub fn traverse_graph(&self, visit: &PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        if !ForeignCount::any() {
            return Ok(());
        }
        let mut out = Ok(());
        self.peek(|t| {
            t.visit_foreign(&mut |object| {
                if out.is_err() {
                    return;
                }
                if let Some(hook) = object.downcast_ref::<PyHook>() {
                    out = visit.call(&hook.function);
                } else if let Some(function) = object.downcast_ref::<PyFunction>() {
                    out = visit.call(&function.context);
                }
            });
        });
        out
    }
}

/// The registration of a hook of a tensor; `rushlight._hooks.GradientHandle` wraps it.
#[pyclass(frozen, name = "_HookHandle", module = "rushlight._native")]
pub struct PyHookHandle(HookHandle);

#[pymethods]
impl PyHookHandle {
    /// Removes the hook.
    fn remove(&self) {
        self.0.remove();
    }
}

fn handle(py: Python<'_>, handle: HookHandle) -> PyResult<Py<PyAny>> {
    let class = py.import("rushlight._hooks")?.getattr("GradientHandle")?;
    Ok(class.call1((PyHookHandle(handle),))?.unbind())
}

fn hook(function: Bound<'_, PyAny>, of: Option<Py<PyWeakrefReference>>) -> PyResult<Arc<PyHook>> {
    if !function.is_callable() {
        let name = function.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a hook is a function, got {name}")));
    }
    Ok(Arc::new(PyHook { function: function.unbind(), of, _count: ForeignCount::new() }))
}

#[pymethods]
impl PyTensor {
    #[doc = pydoc!(
        "Registers a function that ``backward`` calls with the gradient of this tensor, and that may replace it.\n\nIt is called each time the whole gradient of the tensor was computed, before the gradient goes on to what the tensor was computed from, and before it is added to ``.grad``.";
        (hook: "callable" "Takes the gradient; returns None, or a gradient of the same shape and dtype to go on with.")
            -> "RemovableHandle" "Its ``remove()`` removes the hook.";
        (RuntimeError: "If the tensor does not require a gradient.", TypeError: "If ``hook`` cannot be called.");
        [
            ">>> x = rl.tensor([1.0, 2.0], requires_grad=True)",
            ">>> handle = x.register_hook(lambda grad: grad * 10)",
            ">>> (x * x).sum().backward()",
            ">>> x.grad.tolist()",
            "[20.0, 40.0]",
        ]
    )]
    fn register_hook(&self, py: Python<'_>, hook: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let t = self.tracked("cannot register a hook on a tensor that does not require a gradient")?;
        handle(py, t.register_hook(self::hook(hook, None)?).py()?)
    }

    #[doc = pydoc!(
        "Registers a function that ``backward`` calls after it has added to ``.grad`` of this leaf.";
        (hook: "callable" "Takes this tensor. Its result is not used.")
            -> "RemovableHandle" "Its ``remove()`` removes the hook.";
        (RuntimeError: "If the tensor is not a leaf that requires a gradient.", TypeError: "If ``hook`` cannot be called.");
        [
            ">>> x = rl.tensor([1.0, 2.0], requires_grad=True)",
            ">>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad.tolist()))",
            ">>> (x * x).sum().backward()",
            "[2.0, 4.0]",
        ]
    )]
    fn register_post_accumulate_grad_hook(
        slf: &Bound<'_, Self>,
        hook: Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let t = slf.get().tracked("a tensor that does not require a gradient accumulates none")?;
        if !t.is_variable() {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "post accumulate grad hooks are for leaf tensors; use register_hook for a computed tensor",
            ));
        }
        let of = PyWeakrefReference::new(slf.as_any())?.unbind();
        handle(slf.py(), t.register_post_accumulate_grad_hook(self::hook(hook, Some(of))?).py()?)
    }

    #[doc = pydoc!(
        "Makes ``backward`` keep the gradient of this computed tensor in ``.grad``. A leaf keeps it anyway.";
        ();
        (RuntimeError: "If the tensor does not require a gradient.");
        [
            ">>> x = rl.tensor([1.0, 2.0], requires_grad=True)",
            ">>> y = x * 3",
            ">>> y.retain_grad()",
            ">>> (y * y).sum().backward()",
            ">>> y.grad.tolist()",
            "[6.0, 12.0]",
        ]
    )]
    fn retain_grad(&self) -> PyResult<()> {
        self.tracked("cannot retain the gradient of a tensor that does not require one")?.retain_grad().py()
    }

    #[doc = pydoc!(
        "Whether ``retain_grad`` was called on this computed tensor.";
        ();
        ();
        [">>> x = rl.tensor([1.0], requires_grad=True)", ">>> x.retains_grad", "False"]
    )]
    #[getter]
    fn retains_grad(&self) -> bool {
        self.get().retains_grad()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        self.traverse_graph(&visit)
    }

    fn __clear__(&self) {
        self.peek(Tensor::drop_hooks_of_last_handle);
    }
}

impl PyTensor {
    fn tracked(&self, error: &str) -> PyResult<Tensor> {
        let t = self.get();
        if t.track_op() {
            return Ok(t);
        }
        Err(pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }
}

fn tensors(args: Vec<Arg>) -> Vec<Tensor> {
    args.into_iter().map(|a| a.0).collect()
}

fn optional(args: Vec<Option<Arg>>) -> Vec<Option<Tensor>> {
    args.into_iter().map(|a| a.map(|a| a.0)).collect()
}

/// Computes the gradients of the weighted outputs with respect to the inputs; None for an input that is not used.
#[pyfunction]
#[pyo3(signature = (outputs, inputs, grad_outputs, create_graph, /))]
pub fn _grad(
    py: Python<'_>,
    outputs: Vec<Arg>,
    inputs: Vec<Arg>,
    grad_outputs: Vec<Option<Arg>>,
    create_graph: bool,
) -> PyResult<Vec<Option<PyTensor>>> {
    let (outputs, inputs, weights) = (tensors(outputs), tensors(inputs), optional(grad_outputs));
    let options = GradOptions { create_graph, allow_unused: true };
    let found = detached(py, || {
        let (outputs, inputs): (Vec<_>, Vec<_>) = (outputs.iter().collect(), inputs.iter().collect());
        grad(&outputs, &inputs, &weights, options)
    });
    Ok(found.py()?.into_iter().map(|g| g.map(PyTensor::new)).collect())
}

/// Adds the gradients of the outputs, weighted, to those of leaves, or only of the inputs.
#[pyfunction]
#[pyo3(signature = (outputs, grad_outputs, inputs, create_graph, /))]
pub fn _backward(
    py: Python<'_>,
    outputs: Vec<Arg>,
    grad_outputs: Vec<Option<Arg>>,
    inputs: Option<Vec<Arg>>,
    create_graph: bool,
) -> PyResult<()> {
    let (outputs, inputs, weights) = (tensors(outputs), inputs.map(tensors), optional(grad_outputs));
    detached(py, || {
        let outputs: Vec<_> = outputs.iter().collect();
        let inputs: Option<Vec<_>> = inputs.as_ref().map(|i| i.iter().collect());
        backward(&outputs, &weights, inputs.as_deref(), create_graph)
    })
    .py()
}

/// Records that a function computed the outputs from the inputs, and returns the outputs as parts of the graph.
#[pyfunction]
#[pyo3(signature = (name, run, context, inputs, outputs, constant, saved, keep_none, /))]
pub fn _apply(
    name: String,
    run: Py<PyAny>,
    context: Py<PyAny>,
    inputs: Vec<Arg>,
    outputs: Vec<Arg>,
    constant: Vec<usize>,
    saved: Vec<Option<Arg>>,
    keep_none: bool,
) -> PyResult<Vec<PyTensor>> {
    let function = PyFunction { name: interned(name), run, context, _count: ForeignCount::new() };
    let options = FunctionOptions { saved: optional(saved), constant, keep_none };
    let inputs = tensors(inputs);
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    let out = autograd::apply(Arc::new(function), &inputs, tensors(outputs), options).py()?;
    Ok(out.into_iter().map(PyTensor::new).collect())
}

/// Tells whether the outputs were computed from leaves other than the inputs.
#[pyfunction]
#[pyo3(signature = (outputs, inputs, /))]
pub fn _reaches_others(outputs: Vec<Arg>, inputs: Vec<Arg>) -> bool {
    let (outputs, inputs) = (tensors(outputs), tensors(inputs));
    let (outputs, inputs): (Vec<_>, Vec<_>) = (outputs.iter().collect(), inputs.iter().collect());
    autograd::reaches_others(&outputs, &inputs)
}

/// Sets whether walks check for NaN on this thread, and returns the setting before.
#[pyfunction]
#[pyo3(signature = (detect, /))]
pub fn _set_detect_anomalies(detect: bool) -> bool {
    autograd::set_detect_anomalies(detect)
}
