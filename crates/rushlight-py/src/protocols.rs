//! Properties of `Tensor`, changes in place, and the protocols that Python expects of it.
use crate::args::{Arg, Ints};
use crate::convert;
use crate::device::{DeviceArg, PyDevice};
use crate::dtype::{self, DTypeArg, TheDType};
use crate::error::{OrPy, run};
use crate::indexing::rank_of;
use crate::promote::Num;
use crate::repr;
use crate::scalar;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rushlight::pydoc;
use rushlight::{DType, Tensor};

impl PyTensor {
    /// Writes the result `out` of an in-place operator to this tensor. `t` is the tensor before the operator.
    pub fn replace_with(&self, py: Python<'_>, t: &Tensor, out: Tensor) -> PyResult<()> {
        if out.shape() != t.shape() {
            return Err(PyValueError::new_err(format!(
                "an in-place operator cannot change the shape from {:?} to {:?}",
                t.shape(),
                out.shape()
            )));
        }
        if rank_of(out.dtype()) > rank_of(t.dtype()) {
            return Err(PyTypeError::new_err(format!(
                "an in-place operator cannot change the dtype from {} to {}",
                dtype::name(t.dtype()),
                dtype::name(out.dtype())
            )));
        }
        // As in PyTorch and NumPy, a result of another dtype of the same kind is converted back.
        let out = out.to_dtype(t.dtype()).py()?;
        self.write(py, t, out)
    }

    /// Replaces the elements: in the tensor's memory, or, if gradients are recorded, by a new node of the
    /// gradient graph.
    pub fn write(&self, py: Python<'_>, t: &Tensor, out: Tensor) -> PyResult<()> {
        if rushlight::autograd::is_enabled() {
            if t.is_variable() {
                return Err(PyRuntimeError::new_err(
                    "a leaf tensor that requires a gradient cannot be changed in place; use no_grad() or .data",
                ));
            }
            if t.track_op() || out.track_op() {
                return self.record(py, t, out);
            }
        }
        let out = out.detach();
        run(py, t.elem_count(), || t.assign(&out))
    }
}

impl PyTensor {
    /// Gives this tensor the elements and the history of `out`, where `t` is this tensor as it was.
    pub fn record(&self, py: Python<'_>, t: &Tensor, out: Tensor) -> PyResult<()> {
        if self.is_data() {
            // The tensor whose `.data` this is has the elements, too, but not the history.
            run(py, t.elem_count(), || t.detach().assign(&out.detach()))?;
            self.set(t.with_history_of(&out).py()?);
            return Ok(());
        }
        alone(t, None)?;
        self.set(out);
        Ok(())
    }
}

/// An error when other tensors than `value` view the memory of `t`: a change that gradients are recorded for makes a new
/// tensor, which they would not see.
pub fn alone(t: &Tensor, value: Option<&Tensor>) -> PyResult<()> {
    let own = 1 + usize::from(value.is_some_and(|v| v.shares_storage(t)));
    if t.storage_handles() > own {
        return Err(PyRuntimeError::new_err(
            "this tensor shares its memory with others (it is a view, has views, or its values are kept for a \
             gradient), and they would not see a change that gradients are recorded for: clone() it first, build the \
             result with where, stack or concat, index the whole tensor at once (x[:, 1] = x[:, 1] * 2 in place of \
             x[:, 1] *= 2), or change it under no_grad()",
        ));
    }
    Ok(())
}

/// Returns whether the tensor was made by the user and not computed from a tensor that requires a gradient.
pub fn is_leaf(t: &Tensor) -> bool {
    !t.track_op() || t.is_variable()
}

/// Wraps a tensor; with `requires_grad` it becomes a leaf.
pub fn with_grad(t: Tensor, requires_grad: bool) -> PyResult<PyTensor> {
    if requires_grad && !t.dtype().is_inexact() {
        return Err(PyRuntimeError::new_err(format!(
            "only floating-point and complex tensors can require a gradient, not {}",
            dtype::name(t.dtype())
        )));
    }
    Ok(PyTensor::new(if requires_grad { t.detach().leaf() } else { t }))
}

#[pymethods]
impl PyTensor {
    #[new]
    #[pyo3(signature = (data, *, dtype = None, device = None, requires_grad = false))]
    fn py_new(
        data: &Bound<'_, PyAny>,
        dtype: Option<DTypeArg>,
        device: Option<DeviceArg>,
        requires_grad: bool,
    ) -> PyResult<Self> {
        let t = match data.cast::<Self>() {
            Ok(t) => {
                let t = t.get().get();
                let t = dtype.map_or(Ok(t.clone()), |d| t.to_dtype(d.0)).py()?;
                device.map_or(Ok(t.clone()), |d| t.to_device(&d.0)).py()?
            }
            Err(_) => convert::from_data(data, dtype.map(|d| d.0), &crate::device::or_default(device))?,
        };
        with_grad(t, requires_grad)
    }

    // --- properties ---

    #[doc = pydoc!(
        "Sizes of the dimensions, as a tuple.";
        ();
        ();
        [">>> rl.ones((2, 3)).shape", "(2, 3)"]
    )]
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.get().dims())
    }

    #[doc = pydoc!(
        "Dtype of the elements.";
        ();
        ();
        [">>> rl.ones(2).dtype", "rushlight.float32"]
    )]
    #[getter]
    fn dtype(&self) -> TheDType {
        TheDType(self.get().dtype())
    }

    #[doc = pydoc!(
        "Device that holds the elements.";
        ();
        ();
        [">>> rl.ones(2).device", "Device('cpu')"]
    )]
    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice(self.get().device().clone())
    }

    #[doc = pydoc!(
        "Number of dimensions.";
        ();
        ();
        [">>> rl.ones((2, 3)).ndim", "2"]
    )]
    #[getter]
    fn ndim(&self) -> usize {
        self.get().rank()
    }

    #[doc = pydoc!(
        "Number of elements.";
        ();
        ();
        [">>> rl.ones((2, 3)).size", "6"]
    )]
    #[getter]
    fn size(&self) -> usize {
        self.get().elem_count()
    }

    #[doc = pydoc!(
        "Returns the number of elements.";
        () -> "int" "Product of the sizes.";
        ();
        [">>> rl.ones((2, 3)).numel()", "6"]
    )]
    fn numel(&self) -> usize {
        self.get().elem_count()
    }

    #[doc = pydoc!(
        "Returns the number of dimensions.";
        () -> "int" "Rank of the tensor.";
        ();
        [">>> rl.ones((2, 3)).dim()", "2"]
    )]
    fn dim(&self) -> usize {
        self.get().rank()
    }

    #[doc = pydoc!(
        "Bytes of one element.";
        ();
        ();
        [">>> rl.ones(2).itemsize", "4"]
    )]
    #[getter]
    fn itemsize(&self) -> usize {
        self.get().dtype().size_in_bytes()
    }

    #[doc = pydoc!(
        "Bytes of all elements.";
        ();
        ();
        [">>> rl.ones((2, 3)).nbytes", "24"]
    )]
    #[getter]
    fn nbytes(&self) -> usize {
        let t = self.get();
        t.elem_count() * t.dtype().size_in_bytes()
    }

    #[doc = pydoc!(
        "Returns the strides: how many elements apart in memory neighbours along each dimension are.";
        () -> "tuple[int, ...]" "One stride for each dimension.";
        ();
        [">>> rl.ones((2, 3)).stride()", "(3, 1)"]
    )]
    fn stride<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.get().stride())
    }

    #[doc = pydoc!(
        "Returns whether the elements are in row-major order in memory.";
        () -> "bool" "False for most transposed tensors and slices.";
        ();
        [">>> rl.ones((2, 3)).is_contiguous(), rl.ones((2, 3)).mT.is_contiguous()", "(True, False)"]
    )]
    fn is_contiguous(&self) -> bool {
        self.get().is_contiguous()
    }

    #[doc = pydoc!(
        "Transposed matrix, a view.\n\nRaises ValueError unless the tensor has rank 2.";
        ();
        ();
        [
            ">>> rl.tensor([[1, 2], [3, 4]]).T",
            "tensor([[1, 3],",
            "        [2, 4]], dtype=int64, device='cpu')",
        ]
    )]
    #[getter(T)]
    fn transposed(&self) -> PyResult<Self> {
        let t = self.get();
        if t.rank() != 2 {
            return Err(PyValueError::new_err(format!(
                "T is for matrices; this tensor has rank {}: use mT or permute_dims",
                t.rank()
            )));
        }
        t.t().py().map(Self::new)
    }

    #[doc = pydoc!(
        "View with the last two dimensions exchanged.\n\nRaises ValueError if the tensor has rank 0 or 1.";
        ();
        ();
        [">>> rl.ones((5, 2, 3)).mT.shape", "(5, 3, 2)"]
    )]
    #[getter(mT)]
    fn matrix_transposed(&self) -> PyResult<Self> {
        self.get().t().py().map(Self::new)
    }

    #[doc = pydoc!(
        "Returns whether the dtype is a real floating-point one.";
        () -> "bool" "True for float16, bfloat16, float32, float64 and float8_e4m3fn.";
        ();
        [">>> rl.ones(2).is_floating_point()", "True"]
    )]
    fn is_floating_point(&self) -> bool {
        self.get().dtype().is_float()
    }

    #[doc = pydoc!(
        "Returns the address of the first element, after the work on the tensor's device has ended.";
        () -> "int" "Address in the memory of the device.";
        ();
        [">>> rl.ones(2).data_ptr() > 0", "True"]
    )]
    fn data_ptr(&self) -> PyResult<usize> {
        let t = self.get().detach();
        Ok(match crate::buffer::export_gpu(&t)? {
            Some(memory) => memory.ptr as usize,
            None => crate::buffer::export(&t)?.ptr as usize,
        })
    }

    // --- in place ---

    #[doc = pydoc!(
        "Copies the elements of another tensor into this one; they are broadcast and converted.";
        (src: "Tensor" "Tensor to copy from, on any device.") -> "Tensor" "The tensor itself.";
        (ValueError: "If the shape of ``src`` cannot be broadcast to that of the tensor.", RuntimeError: "If the tensor is a leaf that requires a gradient.");
        [
            ">>> x = rl.zeros(2)",
            ">>> x.copy_(rl.tensor([1, 2]))",
            "tensor([1., 2.], dtype=float32, device='cpu')",
        ]
    )]
    #[pyo3(signature = (src, /))]
    fn copy_<'py>(slf: Bound<'py, Self>, src: Arg) -> PyResult<Bound<'py, Self>> {
        let t = slf.get().get();
        let out = src.0.to_dtype(t.dtype()).py()?.to_device(t.device()).py()?;
        let out = out.broadcast_as(t.shape().clone()).py()?;
        slf.get().write(slf.py(), &t, out)?;
        Ok(slf)
    }

    #[doc = pydoc!(
        "Sets every element to a number, in place.";
        (value: "number" "New value of every element.") -> "Tensor" "The tensor itself.";
        (OverflowError: "If the value does not fit the dtype.", RuntimeError: "If the tensor is a leaf that requires a gradient.");
        [">>> rl.zeros(2).fill_(7)", "tensor([7., 7.], dtype=float32, device='cpu')"]
    )]
    #[pyo3(signature = (value, /))]
    fn fill_<'py>(slf: Bound<'py, Self>, value: crate::args::NumArg) -> PyResult<Bound<'py, Self>> {
        let t = slf.get().get();
        let out = Tensor::full_scalar(value.0.to_scalar(t.dtype())?, (), t.device()).py()?;
        slf.get().write(slf.py(), &t, out.broadcast_as(t.shape().clone()).py()?)?;
        Ok(slf)
    }

    #[doc = pydoc!(
        "Sets every element to 0, in place.";
        () -> "Tensor" "The tensor itself.";
        (RuntimeError: "If the tensor is a leaf that requires a gradient.");
        [">>> rl.ones(2).zero_()", "tensor([0., 0.], dtype=float32, device='cpu')"]
    )]
    fn zero_(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        Self::fill_(slf, crate::args::NumArg(Num::Int(0)))
    }

    // --- protocols ---

    fn __len__(&self) -> PyResult<usize> {
        self.get()
            .dims()
            .first()
            .copied()
            .ok_or_else(|| PyTypeError::new_err("a tensor of rank 0 has no len()"))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let t = self.get();
        if t.rank() == 0 {
            return Err(PyTypeError::new_err("a tensor of rank 0 cannot be iterated over"));
        }
        let count = crate::args::countable("iteration", t.dims()[0])?;
        let rows = (0..count).map(|i| t.get(i).py().map(Self::new)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, rows.into_iter().map(|r| Py::new(py, r)).collect::<PyResult<Vec<_>>>()?)?
            .try_iter()?
            .into_any())
    }

    fn __contains__(&self, py: Python<'_>, value: crate::args::Operand) -> PyResult<bool> {
        use rushlight::ops::cmp::CmpOp;
        use rushlight::ops::reduce::ReduceOp;
        let hit = crate::compare::compare(py, CmpOp::Eq, &crate::args::Operand::Tensor(self.get()), &value)?;
        let axes = (1u32 << hit.rank()) - 1;
        let any = hit.reduce(ReduceOp::Any, axes, false, DType::Bool).py()?;
        any.to_scalar::<bool>().py()
    }

    fn __bool__(&self) -> PyResult<bool> {
        let t = self.get();
        if t.elem_count() != 1 {
            return Err(PyValueError::new_err(format!(
                "only a tensor of one element is True or False; this one has shape {:?}: use x.any() or x.all()",
                t.shape()
            )));
        }
        Ok(match scalar::item(&t)? {
            Num::Complex(re, im) => re != 0.0 || im != 0.0,
            n => n.to_f64() != 0.0,
        })
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFloat>> {
        match scalar::item(&self.get())? {
            Num::Complex(..) => Err(PyTypeError::new_err("cannot convert complex to float")),
            n => Ok(PyFloat::new(py, n.to_f64())),
        }
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let v = scalar::to_object(py, scalar::item(&self.get())?)?;
        py.get_type::<PyInt>().call1((v,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let t = self.get();
        if t.rank() > 0 || !t.dtype().is_int() {
            return Err(PyTypeError::new_err(format!(
                "only an integer tensor of rank 0 is an index, not {} of shape {:?}; use .item()",
                dtype::name(t.dtype()),
                t.shape()
            )));
        }
        scalar::to_object(py, scalar::item(&t)?)
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyComplex>> {
        let (re, im) = match scalar::item(&self.get())? {
            Num::Complex(re, im) => (re, im),
            n => (n.to_f64(), 0.0),
        };
        Ok(PyComplex::from_doubles(py, re, im))
    }

    fn __format__<'py>(slf: Bound<'py, Self>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let t = slf.get().get();
        if spec.is_empty() || t.elem_count() != 1 || t.rank() > 0 {
            let text = slf.str()?;
            return text.call_method1("__format__", (spec,));
        }
        scalar::to_object(py, scalar::item(&t)?)?.call_method1("__format__", (spec,))
    }

    fn __hash__(slf: Bound<'_, Self>) -> usize {
        (slf.as_ptr() as usize) >> 4
    }

    fn __repr__(&self) -> PyResult<String> {
        repr::repr(&self.get())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let t = self.get();
        let host = t.to_cpu_storage().py()?;
        let from = host.as_bytes();
        let bytes = PyBytes::new_with(py, from.len(), |to| {
            to.copy_from_slice(from);
            Ok(())
        })?;
        let args = PyTuple::new(
            py,
            [
                bytes.into_any(),
                PyString::new(py, dtype::name(t.dtype())).into_any(),
                PyTuple::new(py, t.dims())?.into_any(),
                PyString::new(py, &t.device().location().to_string()).into_any(),
                pyo3::types::PyBool::new(py, t.is_variable()).to_owned().into_any(),
            ],
        )?;
        Ok((py.import("rushlight._native")?.getattr("_rebuild")?, args))
    }

    fn __copy__(&self) -> Self {
        Self::new(self.get())
    }

    #[pyo3(signature = (memo, /))]
    fn __deepcopy__(slf: Bound<'_, Self>, memo: &Bound<'_, PyDict>) -> PyResult<Py<Self>> {
        let t = slf.get().get();
        if !is_leaf(&t) {
            return Err(PyRuntimeError::new_err(
                "only leaf tensors can be deep-copied; use .detach() or .clone() for computed ones",
            ));
        }
        let copy = with_grad(t.detach().copy().py()?, t.is_variable())?;
        let copy = Py::new(slf.py(), copy)?;
        memo.set_item(slf.as_ptr() as usize, &copy)?;
        Ok(copy)
    }

    // --- shape ---

    #[doc = pydoc!(
        "Returns the elements in another shape; memory is shared where that is possible.";
        (new_shape, copy: "bool, optional" "True copies always; False raises an error where a copy is needed.") -> "Tensor" "Tensor in the new shape.";
        (ValueError: "If the number of elements differs, or ``copy=False`` and a copy is needed.");
        [
            ">>> rl.arange(6).reshape(2, -1)",
            "tensor([[0, 1, 2],",
            "        [3, 4, 5]], dtype=int64, device='cpu')",
        ]
    )]
    #[pyo3(signature = (shape, *more, copy = None))]
    fn reshape(
        &self,
        py: Python<'_>,
        shape: Ints,
        more: &Bound<'_, PyTuple>,
        copy: Option<bool>,
    ) -> PyResult<Self> {
        crate::manipulate::reshape_to(py, &self.get(), &shape.more(more)?, copy).map(Self::new)
    }

    #[doc = pydoc!(
        "Returns the elements in another shape, as ``reshape`` without ``copy``.";
        (new_shape) -> "Tensor" "Tensor in the new shape.";
        (ValueError: "If the number of elements differs.");
        [
            ">>> rl.arange(6).view(2, 3)",
            "tensor([[0, 1, 2],",
            "        [3, 4, 5]], dtype=int64, device='cpu')",
        ]
    )]
    #[pyo3(signature = (shape, *more))]
    fn view(&self, py: Python<'_>, shape: Ints, more: &Bound<'_, PyTuple>) -> PyResult<Self> {
        crate::manipulate::reshape_to(py, &self.get(), &shape.more(more)?, None).map(Self::new)
    }
}

/// Returns the tensor of a pickle.
#[pyfunction]
#[pyo3(name = "_rebuild", signature = (data, dtype, shape, device, requires_grad, /))]
pub fn rebuild(
    data: &[u8],
    dtype: DTypeArg,
    shape: Ints,
    device: DeviceArg,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    let t = Tensor::from_raw_buffer(data, dtype.0, shape.shape()?.dims(), &device.0).py()?;
    with_grad(t, requires_grad)
}
