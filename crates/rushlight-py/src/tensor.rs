//! The class `Tensor`: what a tensor is, and the protocols Python expects of it.
use crate::args::{Arg, Ints};
use crate::convert;
use crate::device::{DeviceArg, PyDevice};
use crate::dtype::{self, DTypeArg, PyDType};
use crate::error::{OrPy, run};
use crate::promote::Num;
use crate::{dlpack, repr};
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rushlight::{DType, Device, Tensor};
use std::sync::{PoisonError, RwLock};

/// An n-dimensional array on a device, which may take part in gradients.
///
/// ``Tensor(data)`` of an existing tensor shares its memory; of other data it copies, as ``rushlight.tensor``.
#[pyclass(frozen, subclass, weakref, name = "Tensor", module = "rushlight")]
pub struct PyTensor {
    inner: RwLock<Tensor>,
}

impl PyTensor {
    /// Wraps a core tensor.
    pub fn new(t: Tensor) -> Self {
        Self { inner: RwLock::new(t) }
    }

    /// The core tensor.
    pub fn get(&self) -> Tensor {
        self.inner.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts another core tensor in its place.
    pub fn set(&self, t: Tensor) {
        *self.inner.write().unwrap_or_else(PoisonError::into_inner) = t;
    }

    /// `self[...] = out` for the result of an in-place operator on `t`, this tensor as it was.
    pub fn replace_with(&self, py: Python<'_>, t: &Tensor, out: Tensor) -> PyResult<()> {
        if out.shape() != t.shape() {
            return Err(PyValueError::new_err(format!(
                "an in-place operator cannot change the shape from {:?} to {:?}",
                t.dims(),
                out.dims()
            )));
        }
        if out.dtype() != t.dtype() {
            return Err(PyTypeError::new_err(format!(
                "an in-place operator cannot change the dtype from {} to {}",
                dtype::name(t.dtype()),
                dtype::name(out.dtype())
            )));
        }
        self.write(py, t, out)
    }

    /// Gives this tensor new elements: in its memory, or as a new place in the gradient graph where one is recorded.
    pub fn write(&self, py: Python<'_>, t: &Tensor, out: Tensor) -> PyResult<()> {
        if rushlight::autograd::is_enabled() {
            if t.is_variable() {
                return Err(PyRuntimeError::new_err(
                    "a leaf tensor that requires a gradient cannot be changed in place; use no_grad() or .data",
                ));
            }
            if t.track_op() || out.track_op() {
                self.set(out);
                return Ok(());
            }
        }
        let out = out.detach();
        run(py, t.elem_count(), || t.assign(&out))
    }
}

fn is_leaf(t: &Tensor) -> bool {
    !t.track_op() || t.is_variable()
}

/// With `requires_grad`, a leaf.
pub fn with_grad(t: Tensor, requires_grad: bool) -> PyResult<PyTensor> {
    if requires_grad && !t.dtype().is_float() {
        return Err(PyRuntimeError::new_err(format!(
            "only floating-point tensors can require a gradient, not {}",
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
            Err(_) => convert::from_data(data, dtype.map(|d| d.0), &crate::device::or_cpu(device))?,
        };
        with_grad(t, requires_grad)
    }

    // --- what it is ---

    /// Sizes of the dimensions.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.get().dims())
    }

    /// Type of the elements.
    #[getter]
    fn dtype(&self) -> PyDType {
        PyDType(self.get().dtype())
    }

    /// Where the elements are.
    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice(self.get().device().clone())
    }

    /// Number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.get().rank()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.get().elem_count()
    }

    /// Number of elements.
    fn numel(&self) -> usize {
        self.get().elem_count()
    }

    /// Number of dimensions.
    fn dim(&self) -> usize {
        self.get().rank()
    }

    /// Bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.get().dtype().size_in_bytes()
    }

    /// Bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        let t = self.get();
        t.elem_count() * t.dtype().size_in_bytes()
    }

    /// Strides in elements.
    fn stride<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.get().stride())
    }

    /// Whether the elements are row-major in memory.
    fn is_contiguous(&self) -> bool {
        self.get().is_contiguous()
    }

    /// The transposed matrix.
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

    /// The last two dimensions swapped.
    #[getter(mT)]
    fn matrix_transposed(&self) -> PyResult<Self> {
        self.get().t().py().map(Self::new)
    }

    /// Whether the dtype is a real floating-point one.
    fn is_floating_point(&self) -> bool {
        self.get().dtype().is_float()
    }

    /// Address of the first element.
    fn data_ptr(&self) -> PyResult<usize> {
        Ok(crate::buffer::export(&self.get().detach())?.ptr as usize)
    }

    // --- conversions ---

    /// The one element as a Python number.
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::to_object(py, convert::item(&self.get())?)
    }

    /// The elements as nested lists.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::to_list(py, &self.get())
    }

    /// A NumPy array that shares the memory. ``force=True`` detaches and brings the tensor to the CPU first.
    #[pyo3(signature = (*, force = false))]
    fn numpy<'py>(&self, py: Python<'py>, force: bool) -> PyResult<Bound<'py, PyAny>> {
        let t = self.get();
        if !force && t.track_op() {
            return Err(PyRuntimeError::new_err(
                "a tensor that requires a gradient does not become a NumPy array; use .detach().numpy() or force=True",
            ));
        }
        if !force && !t.device().is_cpu() {
            return Err(PyTypeError::new_err(
                "the tensor is not on the CPU; use .cpu().numpy() or force=True",
            ));
        }
        let t = t.detach().to_device(&Device::Cpu).py()?;
        to_numpy(py, t)
    }

    /// For ``numpy.asarray``.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.numpy(py, false)?;
        let same = match &dtype {
            None => true,
            Some(d) => py.import("numpy")?.call_method1("dtype", (d,))?.eq(array.getattr("dtype")?)?,
        };
        if !same {
            if copy == Some(false) {
                return Err(PyValueError::new_err("another dtype needs a copy, and copy=False"));
            }
            return array.call_method1("astype", (dtype,));
        }
        if copy == Some(true) { array.call_method0("copy") } else { Ok(array) }
    }

    #[classattr]
    fn __array_priority__() -> i64 {
        1000
    }

    /// The namespace of array functions: ``rushlight``.
    #[pyo3(signature = (*, api_version = None))]
    fn __array_namespace__<'py>(
        &self,
        py: Python<'py>,
        api_version: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(v) = api_version
            && !["2021.12", "2022.12", "2023.12", "2024.12", "2025.12"].contains(&v)
        {
            return Err(PyValueError::new_err(format!("array API version {v} is not known")));
        }
        Ok(py.import("rushlight")?.into_any())
    }

    /// A DLPack capsule that shares the memory.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if stream.is_some_and(|s| !s.extract::<i64>().is_ok_and(|v| v == -1)) {
            return Err(PyBufferError::new_err("a CPU tensor takes no stream"));
        }
        let t = self.get();
        if t.track_op() {
            return Err(PyBufferError::new_err("the tensor requires a gradient; share .detach() instead"));
        }
        let here = dlpack::device_pair(t.device());
        let there = dl_device.unwrap_or(here);
        if there != here && there != (dlpack::CPU, 0) {
            return Err(PyBufferError::new_err(format!(
                "cannot bring the tensor to DLPack device {there:?}"
            )));
        }
        let moved = there != here;
        if moved && copy == Some(false) {
            return Err(PyBufferError::new_err("another device needs a copy, and copy=False"));
        }
        let copied = moved || copy == Some(true);
        let t = match (moved, copied) {
            (true, _) => t.to_device(&Device::Cpu).py()?,
            (false, true) => t.copy().py()?,
            _ => t,
        };
        dlpack::export(py, &t, max_version.is_some_and(|v| v.0 >= 1), copied)
    }

    /// DLPack's device type and number.
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device_pair(self.get().device())
    }

    /// The tensor in another dtype. ``copy=False`` gives the tensor itself where nothing changes.
    #[pyo3(signature = (dtype, /, *, copy = true, device = None))]
    fn astype(
        &self,
        py: Python<'_>,
        dtype: DTypeArg,
        copy: bool,
        device: Option<DeviceArg>,
    ) -> PyResult<Self> {
        self.convert(py, Some(dtype.0), device.map(|d| d.0), copy)
    }

    /// The tensor in another dtype, on another device, or both; itself where nothing changes.
    #[pyo3(signature = (*args, dtype = None, device = None, copy = false))]
    fn to(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        dtype: Option<DTypeArg>,
        device: Option<DeviceArg>,
        copy: bool,
    ) -> PyResult<Self> {
        let (mut dtype, mut device) = (dtype.map(|d| d.0), device.map(|d| d.0));
        for a in args {
            if let Ok(t) = a.cast::<PyTensor>() {
                let t = t.get().get();
                (dtype, device) = (Some(t.dtype()), Some(t.device().clone()));
            } else if let Ok(d) = a.extract::<DTypeArg>() {
                dtype = Some(d.0);
            } else {
                device = Some(a.extract::<DeviceArg>()?.0);
            }
        }
        self.convert(py, dtype, device, copy)
    }

    /// The tensor on another device; itself if it is there.
    #[pyo3(signature = (device, /, *, stream = None))]
    fn to_device(
        &self,
        py: Python<'_>,
        device: DeviceArg,
        stream: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if stream.is_some() {
            return Err(PyValueError::new_err("to_device: no stream can be chosen"));
        }
        self.convert(py, None, Some(device.0), false)
    }

    /// The tensor on the CPU.
    fn cpu(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, None, Some(Device::Cpu), false)
    }

    /// The tensor as float32.
    fn float(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::F32), None, false)
    }

    /// The tensor as float64.
    fn double(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::F64), None, false)
    }

    /// The tensor as float16.
    fn half(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::F16), None, false)
    }

    /// The tensor as bfloat16.
    fn bfloat16(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::BF16), None, false)
    }

    /// The tensor as int64.
    fn long(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::I64), None, false)
    }

    /// The tensor as int32.
    fn int(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::I32), None, false)
    }

    /// The tensor as bool: not zero.
    fn bool(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::Bool), None, false)
    }

    /// A row-major tensor of the elements; itself if it is row-major.
    fn contiguous(&self, py: Python<'_>) -> PyResult<Self> {
        let t = self.get();
        run(py, t.elem_count(), || t.contiguous()).map(Self::new)
    }

    /// A copy with memory of its own, in the gradient graph.
    fn clone(&self, py: Python<'_>) -> PyResult<Self> {
        let t = self.get();
        run(py, t.elem_count(), || t.copy()).map(Self::new)
    }

    // --- in place ---

    /// Copies the elements of another tensor (stretched and converted as needed) into this one.
    #[pyo3(signature = (src, /))]
    fn copy_<'py>(slf: Bound<'py, Self>, src: Arg) -> PyResult<Bound<'py, Self>> {
        let t = slf.get().get();
        let out = src.0.to_dtype(t.dtype()).py()?.to_device(t.device()).py()?;
        let out = out.broadcast_as(t.shape().clone()).py()?;
        slf.get().write(slf.py(), &t, out)?;
        Ok(slf)
    }

    /// Sets every element to a number.
    #[pyo3(signature = (value, /))]
    fn fill_<'py>(slf: Bound<'py, Self>, value: crate::args::NumArg) -> PyResult<Bound<'py, Self>> {
        let t = slf.get().get();
        let out = Tensor::full_scalar(value.0.to_scalar(t.dtype())?, (), t.device()).py()?;
        slf.get().write(slf.py(), &t, out.broadcast_as(t.shape().clone()).py()?)?;
        Ok(slf)
    }

    /// Sets every element to 0.
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
        let rows = (0..t.dims()[0]).map(|i| t.get(i).py().map(Self::new)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, rows.into_iter().map(|r| Py::new(py, r)).collect::<PyResult<Vec<_>>>()?)?
            .try_iter()?
            .into_any())
    }

    fn __contains__(&self, py: Python<'_>, value: crate::args::Operand) -> PyResult<bool> {
        use rushlight::ops::cmp::CmpOp;
        use rushlight::ops::reduce::ReduceOp;
        let hit =
            crate::elementwise::compare(py, CmpOp::Eq, &crate::args::Operand::Tensor(self.get()), &value)?;
        let axes = (1u32 << hit.rank()) - 1;
        let any = hit.reduce(ReduceOp::Any, axes, false, DType::Bool).py()?;
        Ok(any.to_scalar::<bool>().py()?)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Ok(match convert::item(&self.get())? {
            Num::Complex(re, im) => re != 0.0 || im != 0.0,
            n => n.to_f64() != 0.0,
        })
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFloat>> {
        match convert::item(&self.get())? {
            Num::Complex(..) => Err(PyTypeError::new_err("a complex number is no float")),
            n => Ok(PyFloat::new(py, n.to_f64())),
        }
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let v = convert::to_object(py, convert::item(&self.get())?)?;
        py.get_type::<PyInt>().call1((v,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match convert::item(&self.get())? {
            n @ Num::Int(_) => convert::to_object(py, n),
            _ => Err(PyTypeError::new_err("only an integer tensor of one element can be an index")),
        }
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyComplex>> {
        let (re, im) = match convert::item(&self.get())? {
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
        convert::to_object(py, convert::item(&t)?)?.call_method1("__format__", (spec,))
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
        let args = PyTuple::new(
            py,
            [
                PyBytes::new(py, host.as_bytes()).into_any(),
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

    // --- gradients ---

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

    /// Adds the gradient of this tensor to ``.grad`` of every leaf it was computed from.
    #[pyo3(signature = (gradient = None))]
    fn backward(&self, py: Python<'_>, gradient: Option<Arg>) -> PyResult<()> {
        let t = self.get();
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
        py.detach(|| t.backward_accumulate(seed.as_ref())).py()
    }

    // --- shape ---

    /// The same elements in another shape; one dimension may be -1.
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

    /// As ``reshape``.
    #[pyo3(signature = (shape, *more))]
    fn view(&self, py: Python<'_>, shape: Ints, more: &Bound<'_, PyTuple>) -> PyResult<Self> {
        crate::manipulate::reshape_to(py, &self.get(), &shape.more(more)?, None).map(Self::new)
    }
}

impl PyTensor {
    fn convert(
        &self,
        py: Python<'_>,
        dtype: Option<DType>,
        device: Option<Device>,
        copy: bool,
    ) -> PyResult<Self> {
        let t = self.get();
        run(py, t.elem_count(), || {
            let mut out = t.to_dtype(dtype.unwrap_or(t.dtype()))?;
            if let Some(d) = &device {
                out = out.to_device(d)?;
            }
            if copy && out.shares_storage(&t) { out.copy() } else { Ok(out) }
        })
        .map(Self::new)
    }
}

fn to_numpy(py: Python<'_>, t: Tensor) -> PyResult<Bound<'_, PyAny>> {
    let numpy = py.import("numpy").map_err(|e| {
        let err = PyTypeError::new_err("NumPy is not installed; install it, or use .tolist() or DLPack");
        err.set_cause(py, Some(e));
        err
    })?;
    let bits = match t.dtype() {
        DType::BF16 => "bfloat16",
        DType::F8E4M3 => "float8_e4m3fn",
        _ => {
            let memory = pyo3::types::PyMemoryView::from(Bound::new(py, PyTensor::new(t))?.as_any())?;
            return numpy.call_method1("asarray", (memory,));
        }
    };
    let ml = py.import("ml_dtypes").map_err(|_| {
        PyTypeError::new_err(format!(
            "NumPy has no {bits}: install ml_dtypes, or convert with .float() first"
        ))
    })?;
    let host = t.to_cpu_storage().py()?;
    let flat = numpy.call_method1(
        "frombuffer",
        (pyo3::types::PyByteArray::new(py, host.as_bytes()), ml.getattr(bits)?),
    )?;
    flat.call_method1("reshape", (PyTuple::new(py, t.dims())?,))
}

/// A pickled tensor.
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
