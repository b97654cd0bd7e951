//! Converts tensors to other types, devices and the objects of other libraries.
use crate::buffer;
use crate::convert;
use crate::device::DeviceArg;
use crate::dlpack;
use crate::dtype::DTypeArg;
use crate::error::{OrPy, run};
use crate::scalar;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::pydoc;
use rushlight::{DType, Device, Kind, Tensor};

/// NumPy's universal functions that are operators: the name in NumPy, and Python's methods for a tensor as
/// the left and as the right operand.
const OPERATORS: &[(&str, &str, &str)] = &[
    ("add", "__add__", "__radd__"),
    ("subtract", "__sub__", "__rsub__"),
    ("multiply", "__mul__", "__rmul__"),
    ("divide", "__truediv__", "__rtruediv__"),
    ("floor_divide", "__floordiv__", "__rfloordiv__"),
    ("remainder", "__mod__", "__rmod__"),
    ("power", "__pow__", "__rpow__"),
    ("matmul", "__matmul__", "__rmatmul__"),
    ("bitwise_and", "__and__", "__rand__"),
    ("bitwise_or", "__or__", "__ror__"),
    ("bitwise_xor", "__xor__", "__rxor__"),
    ("left_shift", "__lshift__", "__rlshift__"),
    ("right_shift", "__rshift__", "__rrshift__"),
    ("equal", "__eq__", "__eq__"),
    ("not_equal", "__ne__", "__ne__"),
    ("less", "__lt__", "__gt__"),
    ("less_equal", "__le__", "__ge__"),
    ("greater", "__gt__", "__lt__"),
    ("greater_equal", "__ge__", "__le__"),
];

#[pymethods]
impl PyTensor {
    #[doc = pydoc!(
        "Returns the only element as a Python number.";
        () -> "number" "bool, int, float or complex, by the dtype.";
        (ValueError: "If the tensor does not have exactly one element.");
        [">>> rl.tensor([2.5]).item()", "2.5"]
    )]
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        scalar::to_object(py, scalar::item(&self.get())?)
    }

    #[doc = pydoc!(
        "Returns the elements as nested lists of Python numbers.";
        () -> "list or number" "One level of lists for each dimension; a number for rank 0.";
        ();
        [">>> rl.tensor([[1, 2], [3, 4]]).tolist()", "[[1, 2], [3, 4]]"]
    )]
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::to_list(py, &self.get())
    }

    #[doc = pydoc!(
        "Returns a NumPy array that shares the memory.";
        (force: "bool, default False" "Whether to detach the tensor and copy it to the CPU first, if that is needed.") -> "numpy.ndarray" "Array over the tensor's memory; bfloat16 and float8 need the package ml_dtypes and are copied.";
        (RuntimeError: "If the tensor requires a gradient and ``force`` is False.", TypeError: "If the tensor is not on the CPU and ``force`` is False, or NumPy is not installed.");
        [">>> rl.tensor([1, 2]).numpy()", "array([1, 2])"]
    )]
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

    /// Converts to a NumPy array, for ``numpy.asarray``.
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

    /// NumPy's universal functions: the operators' give a tensor where an array meets one, others take the tensor as an
    /// array. ``array += tensor`` changes the array.
    #[pyo3(signature = (ufunc, method, /, *inputs, **kwargs))]
    fn __array_ufunc__<'py>(
        slf: &Bound<'py, Self>,
        ufunc: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let name: String = ufunc.getattr("__name__")?.extract()?;
        if method == "__call__" && kwargs.is_none_or(|k| k.is_empty()) && inputs.len() == 2 {
            let (left, right) = (inputs.get_item(0)?, inputs.get_item(1)?);
            let ours = left.is_instance_of::<Self>();
            // In comparisons NumPy passes a scalar as an array of rank 0.
            let scalar = ["less", "greater", "equal"].iter().any(|part| name.contains(part))
                && left.getattr("ndim").is_ok_and(|n| n.eq(0).unwrap_or(false));
            let left = if scalar && !ours { left.get_item(())? } else { left };
            let of = OPERATORS.iter().find(|o| o.0 == name);
            if let Some((_, forward, reflected)) = of {
                return if ours {
                    left.call_method1(*forward, (right,))
                } else {
                    right.call_method1(*reflected, (left,))
                };
            }
        }
        let outputs = kwargs.and_then(|k| k.get_item("out").transpose()).transpose()?;
        if let Some(out) = outputs.and_then(|o| o.cast_into::<PyTuple>().ok())
            && out.iter().any(|o| o.is_instance_of::<Self>())
        {
            return Err(PyTypeError::new_err(format!(
                "numpy.{name}: out is a Tensor; assign the result instead, as in t[...] = .."
            )));
        }
        let arrays = inputs
            .iter()
            .map(|x| match x.cast::<Self>() {
                Ok(t) => Ok(t.get().numpy(py, false)?.into_any()),
                Err(_) => Ok(x),
            })
            .collect::<PyResult<Vec<_>>>()?;
        ufunc.getattr(method)?.call(PyTuple::new(py, arrays)?, kwargs)
    }

    /// Returns the namespace of array functions: ``rushlight``.
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

    /// Returns a DLPack capsule that shares the memory.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let t = self.get();
        // Waits for the work on a GPU tensor, so that the consumer may use any stream.
        if t.device().is_cuda() && stream.as_ref().is_some_and(|s| s.extract::<i64>().is_ok_and(|v| v == 0)) {
            return Err(PyBufferError::new_err(
                "stream 0 has two meanings on CUDA: 1 is the legacy default stream, 2 the default stream of a thread",
            ));
        }
        if t.device().is_cpu() && stream.is_some_and(|s| !s.extract::<i64>().is_ok_and(|v| v == -1)) {
            return Err(PyBufferError::new_err("a CPU tensor takes no stream"));
        }
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

    /// Numba's description of a GPU's memory, version 3; libraries of AMD GPUs ask for it by this name too. The tensor is
    /// waited for, so that any stream may use it.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let t = self.get();
        let refuse = |why: String| Err(PyAttributeError::new_err(why));
        if !(t.device().is_cuda() || t.device().is_rocm()) {
            return refuse(format!("the tensor is on {}, not on a GPU", t.device().location()));
        }
        let size = t.dtype().size_in_bytes();
        let kind = match t.dtype().kind() {
            _ if matches!(t.dtype(), DType::BF16 | DType::F8E4M3) => {
                return refuse(format!(
                    "NumPy has no type for {}; use DLPack",
                    crate::dtype::name(t.dtype())
                ));
            }
            Kind::Bool => 'b',
            Kind::Int => 'i',
            Kind::UInt => 'u',
            Kind::Float => 'f',
            Kind::Complex => 'c',
        };
        let memory = match buffer::export_gpu(&t) {
            Ok(Some(memory)) => memory,
            Ok(None) => return refuse("the tensor has no memory of a GPU".to_string()),
            // A tensor that must not be shared raises AttributeError here, so that consumers try another
            // protocol.
            Err(e) if e.is_instance_of::<PyBufferError>(py) => return refuse(e.value(py).to_string()),
            Err(e) => return Err(e),
        };
        let d = PyDict::new(py);
        d.set_item("version", 3)?;
        d.set_item("shape", PyTuple::new(py, t.dims())?)?;
        d.set_item("typestr", format!("{}{kind}{size}", if size == 1 { '|' } else { '<' }))?;
        let at = if t.elem_count() == 0 { 0 } else { memory.ptr as usize };
        d.set_item("data", (at, memory.read_only))?;
        d.set_item("strides", PyTuple::new(py, t.stride().iter().map(|s| s * size))?)?;
        d.set_item("stream", py.None())?;
        Ok(d)
    }

    /// Returns DLPack's device type and number.
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device_pair(self.get().device())
    }

    #[doc = pydoc!(
        "Converts the tensor to another dtype.";
        (dtype: "DType or str" "Dtype of the result.", copy: "bool, default True" "Whether to copy even if nothing changes.", device: "Device or str, optional" "Device of the result; the tensor's own by default.") -> "Tensor" "Converted tensor.";
        (TypeError: "If the argument is not a dtype.");
        [">>> rl.tensor([1.7, -1.7]).astype(rl.int32)", "tensor([ 1, -1], dtype=int32, device='cpu')"]
    )]
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

    #[doc = pydoc!(
        "Converts the tensor to another dtype, another device, or both.";
        (args: "DType, Device, str or Tensor" "Dtype or device, in any order; a tensor gives both.", dtype: "DType or str, optional" "Dtype of the result.", device: "Device or str, optional" "Device of the result.", copy: "bool, default False" "Whether to copy even if nothing changes.", non_blocking: "bool, default False" "Accepted for compatibility with PyTorch, without effect.") -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        (device, TypeError: "If an argument is neither a dtype nor a device.");
        [
            ">>> rl.tensor([1, 2]).to(rl.float64)",
            "tensor([1., 2.], dtype=float64, device='cpu')",
            ">>> rl.tensor([1, 2]).to('cpu').device",
            "Device('cpu')",
        ]
    )]
    #[pyo3(signature = (*args, dtype = None, device = None, copy = false, non_blocking = false))]
    fn to(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        dtype: Option<DTypeArg>,
        device: Option<DeviceArg>,
        copy: bool,
        non_blocking: bool,
    ) -> PyResult<Self> {
        let _ = non_blocking;
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

    #[doc = pydoc!(
        "Copies the tensor to another device.";
        (device: "Device or str" "Device of the result.", stream: "None" "Only None: streams cannot be chosen.") -> "Tensor" "Tensor on the device; the tensor itself if it is on that device already.";
        (device, ValueError: "If a stream is given.");
        [">>> rl.ones(2).to_device('cpu').device", "Device('cpu')"]
    )]
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

    #[doc = pydoc!(
        "Copies the tensor to the CPU.";
        () -> "Tensor" "Tensor on the CPU; the tensor itself if it is on the CPU already.";
        ();
        [">>> rl.ones(2).cpu().device", "Device('cpu')"]
    )]
    fn cpu(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, None, Some(Device::Cpu), false)
    }

    #[doc = pydoc!(
        "Converts the tensor to float32.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([1, 2]).float()", "tensor([1., 2.], dtype=float32, device='cpu')"]
    )]
    fn float(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::F32), None, false)
    }

    #[doc = pydoc!(
        "Converts the tensor to float64.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([1, 2]).double()", "tensor([1., 2.], dtype=float64, device='cpu')"]
    )]
    fn double(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::F64), None, false)
    }

    #[doc = pydoc!(
        "Converts the tensor to float16.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([1, 2]).half()", "tensor([1., 2.], dtype=float16, device='cpu')"]
    )]
    fn half(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::F16), None, false)
    }

    #[doc = pydoc!(
        "Converts the tensor to bfloat16.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([1, 2]).bfloat16()", "tensor([1., 2.], dtype=bfloat16, device='cpu')"]
    )]
    fn bfloat16(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::BF16), None, false)
    }

    #[doc = pydoc!(
        "Converts the tensor to complex64.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([1.5, -2.0]).cfloat().dtype", "rushlight.complex64"]
    )]
    fn cfloat(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::C64), None, false)
    }

    #[doc = pydoc!(
        "Converts the tensor to complex128.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([1.5, -2.0]).cdouble().dtype", "rushlight.complex128"]
    )]
    fn cdouble(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::C128), None, false)
    }

    #[doc = pydoc!(
        "Converts the tensor to int64.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([1.5, -1.5]).long()", "tensor([ 1, -1], dtype=int64, device='cpu')"]
    )]
    fn long(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::I64), None, false)
    }

    #[doc = pydoc!(
        "Converts the tensor to int32.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([1.5, -1.5]).int()", "tensor([ 1, -1], dtype=int32, device='cpu')"]
    )]
    fn int(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::I32), None, false)
    }

    #[doc = pydoc!(
        "Converts the tensor to bool: True where an element is nonzero.";
        () -> "Tensor" "Converted tensor; the tensor itself if nothing changes.";
        ();
        [">>> rl.tensor([0.0, 2.0]).bool()", "tensor([False,  True], dtype=bool, device='cpu')"]
    )]
    fn bool(&self, py: Python<'_>) -> PyResult<Self> {
        self.convert(py, Some(DType::Bool), None, false)
    }

    #[doc = pydoc!(
        "Returns the elements in row-major order in memory.";
        () -> "Tensor" "Row-major tensor; the tensor itself if it is row-major already.";
        ();
        [">>> rl.ones((2, 3)).mT.contiguous().is_contiguous()", "True"]
    )]
    fn contiguous(&self, py: Python<'_>) -> PyResult<Self> {
        let t = self.get();
        run(py, t.elem_count(), || t.contiguous()).map(Self::new)
    }

    #[doc = pydoc!(
        "Copies the tensor; gradients flow through the copy.";
        () -> "Tensor" "Tensor that shares no memory with this one.";
        ();
        [
            ">>> x = rl.ones(2)",
            ">>> y = x.clone()",
            ">>> y[0] = 5",
            ">>> x",
            "tensor([1., 1.], dtype=float32, device='cpu')",
        ]
    )]
    fn clone(&self, py: Python<'_>) -> PyResult<Self> {
        let t = self.get();
        run(py, t.elem_count(), || t.copy()).map(Self::new)
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
            let memory = pyo3::types::PyMemoryView::from(Bound::new(py, buffer::Memory::new(t))?.as_any())?;
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
