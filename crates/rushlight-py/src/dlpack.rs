//! DLPack, both ways: versioned and legacy capsules.
#![allow(unsafe_code)]
use crate::buffer;
use crate::error::{DeviceError, OrPy, drop_later, is_detached};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::cpu::scratch;
use rushlight::{DType, Device, DeviceLocation, Layout, Tensor};
use std::ffi::{CStr, c_void};

const VERSIONED: &CStr = c"dltensor_versioned";
const LEGACY: &CStr = c"dltensor";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";
const USED_LEGACY: &CStr = c"used_dltensor";
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

/// DLPack's number for the CPU.
pub const CPU: i32 = 1;
/// DLPack's number for NVIDIA GPUs.
pub const CUDA: i32 = 2;
/// DLPack's number for AMD GPUs.
pub const ROCM: i32 = 10;

#[repr(C)]
#[derive(Clone, Copy)]
struct DLDevice {
    kind: i32,
    id: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DLDataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct DLTensor {
    data: *mut c_void,
    device: DLDevice,
    ndim: i32,
    dtype: DLDataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Legacy {
    tensor: DLTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Legacy)>,
}

#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: DLTensor,
}

/// The owner of a capsule's memory. It holds the storage and no Python object, because the deleter may run on
/// any thread.
struct Context {
    _memory: buffer::Exported,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

fn code(d: DType) -> PyResult<DLDataType> {
    use rushlight::Kind;
    let code = match (d, d.kind()) {
        (DType::BF16, _) => 4,
        (DType::F8E4M3, _) => 10,
        (_, Kind::Int) => 0,
        (_, Kind::UInt) => 1,
        (_, Kind::Float) => 2,
        (_, Kind::Complex) => 5,
        (_, Kind::Bool) => 6,
    };
    Ok(DLDataType { code, bits: 8 * d.size_in_bytes() as u8, lanes: 1 })
}

fn dtype(t: DLDataType) -> Option<DType> {
    if t.lanes != 1 {
        return None;
    }
    Some(match (t.code, t.bits) {
        (0, 8) => DType::I8,
        (0, 16) => DType::I16,
        (0, 32) => DType::I32,
        (0, 64) => DType::I64,
        (1, 8) => DType::U8,
        (1, 16) => DType::U16,
        (1, 32) => DType::U32,
        (1, 64) => DType::U64,
        (2, 16) => DType::F16,
        (2, 32) => DType::F32,
        (2, 64) => DType::F64,
        (4, 16) => DType::BF16,
        (5, 64) => DType::C64,
        (5, 128) => DType::C128,
        (6, 8) => DType::Bool,
        (10, 8) => DType::F8E4M3,
        _ => return None,
    })
}

/// DLPack's name of a device.
pub fn device_pair(d: &Device) -> (i32, i32) {
    match d.location() {
        DeviceLocation::Cuda { gpu_id } => (CUDA, gpu_id as i32),
        DeviceLocation::Rocm { gpu_id } => (ROCM, gpu_id as i32),
        DeviceLocation::Test { id } => (12, id as i32),
        _ => (CPU, 0),
    }
}

unsafe extern "C" fn delete_legacy(m: *mut Legacy) {
    if m.is_null() {
        return;
    }
    // SAFETY: both boxes were leaked by `export`, and a consumer calls the deleter once.
    unsafe {
        drop(Box::from_raw((*m).context.cast::<Context>()));
        drop(Box::from_raw(m));
    }
}

unsafe extern "C" fn delete_versioned(m: *mut Versioned) {
    if m.is_null() {
        return;
    }
    // SAFETY: both boxes were leaked by `export`, and a consumer calls the deleter once.
    unsafe {
        drop(Box::from_raw((*m).context.cast::<Context>()));
        drop(Box::from_raw(m));
    }
}

unsafe extern "C" fn capsule_gone(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with the live capsule; a consumed one has another name and is left alone.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, LEGACY.as_ptr()) == 1 {
            delete_legacy(ffi::PyCapsule_GetPointer(capsule, LEGACY.as_ptr()).cast());
        }
    }
}

/// Makes a capsule of a tensor. `copied` sets DLPack's flag `IS_COPIED` for the consumer.
pub fn export<'py>(
    py: Python<'py>,
    t: &Tensor,
    versioned: bool,
    copied: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let memory = match buffer::export_gpu(t)? {
        Some(m) => m,
        None => buffer::export(t)?,
    };
    if memory.read_only && !versioned {
        return Err(PyBufferError::new_err(
            "the tensor's memory is read-only, which a capsule before DLPack 1.0 cannot say; copy it first",
        ));
    }
    let context = Context {
        shape: t.dims().iter().map(|d| *d as i64).collect(),
        strides: t.dims().iter().zip(t.stride()).map(|(d, s)| if *d == 1 { 1 } else { *s as i64 }).collect(),
        _memory: memory,
    };
    let (kind, id) = device_pair(t.device());
    let dtype = code(t.dtype())?;
    let (data, read_only) = (context._memory.ptr, context._memory.read_only);
    let context = Box::into_raw(Box::new(context));
    // SAFETY: the box was just leaked; its vectors do not move while it lives.
    let (shape, strides) = unsafe { ((*context).shape.as_mut_ptr(), (*context).strides.as_mut_ptr()) };
    let tensor = DLTensor {
        data: if t.elem_count() == 0 { std::ptr::null_mut() } else { data.cast() },
        device: DLDevice { kind, id },
        ndim: t.rank() as i32,
        dtype,
        shape,
        strides,
        byte_offset: 0,
    };
    let (pointer, name): (*mut c_void, &CStr) = if versioned {
        let flags = if read_only { READ_ONLY } else { 0 } | if copied { IS_COPIED } else { 0 };
        let m = Versioned {
            major: 1,
            minor: 0,
            context: context.cast(),
            deleter: Some(delete_versioned),
            flags,
            tensor,
        };
        (Box::into_raw(Box::new(m)).cast(), VERSIONED)
    } else {
        let m = Legacy { tensor, context: context.cast(), deleter: Some(delete_legacy) };
        (Box::into_raw(Box::new(m)).cast(), LEGACY)
    };
    // SAFETY: the pointer is not null, the name is static, and the GIL is held.
    unsafe {
        Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(pointer, name.as_ptr(), Some(capsule_gone)))
    }
}

/// Calls the deleter of a consumed capsule, or releases a Python object, when the last tensor over its memory
/// is dropped.
struct Owner(Option<Consumed>);

enum Consumed {
    Legacy(*mut Legacy),
    Versioned(*mut Versioned),
    Object(Py<PyAny>),
}

// SAFETY: DLPack allows the deleter to be called from any thread, and it is called once.
unsafe impl Send for Consumed {}
// SAFETY: nothing is reached through a shared reference.
unsafe impl Sync for Consumed {}

impl Drop for Owner {
    fn drop(&mut self) {
        let Some(capsule) = self.0.take() else { return };
        if is_detached() {
            return drop_later(Owner(Some(capsule)));
        }
        // Producers in Python expect the GIL.
        Python::attach(|_| {
            // SAFETY: the capsule was renamed, so the deleter is ours to call, once.
            unsafe {
                match capsule {
                    Consumed::Legacy(m) => {
                        if let Some(f) = (*m).deleter {
                            f(m);
                        }
                    }
                    Consumed::Versioned(m) => {
                        if let Some(f) = (*m).deleter {
                            f(m);
                        }
                    }
                    Consumed::Object(o) => drop(o),
                }
            }
        });
    }
}

/// A tensor over the memory of an object with `__dlpack__`.
pub fn import(obj: &Bound<'_, PyAny>, device: Option<&Device>, copy: Option<bool>) -> PyResult<Tensor> {
    let py = obj.py();
    if !obj.hasattr("__dlpack__")? {
        return Err(PyTypeError::new_err(format!("{} has no __dlpack__", obj.get_type().name()?)));
    }
    // PyTorch conjugates and negates late, by flags: its export refuses the first, and loses the second.
    let mut resolved = obj.clone();
    for name in [pyo3::intern!(py, "resolve_conj"), pyo3::intern!(py, "resolve_neg")] {
        if resolved.hasattr(name)? {
            resolved = resolved.call_method0(name)?;
        }
    }
    if copy == Some(false) && !resolved.is(obj) {
        return Err(PyBufferError::new_err(
            "a tensor that is conjugated or negated late needs a copy, and copy=False",
        ));
    }
    let obj = &resolved;
    let kwargs = PyDict::new(py);
    kwargs.set_item("max_version", (1, 0))?;
    if let Some(c) = copy {
        kwargs.set_item("copy", c)?;
    }
    let call = obj.call_method("__dlpack__", (), Some(&kwargs));
    let capsule = match call {
        // A producer older than DLPack 1.0 has no such keyword arguments.
        Err(e) if e.is_instance_of::<PyTypeError>(py) => obj.call_method0("__dlpack__")?,
        other => other?,
    };
    let t = consume(&capsule)?;
    let t = if copy == Some(true) { t.copy().py()? } else { t };
    match device {
        Some(d) if !d.same_device(t.device()) => {
            if copy == Some(false) {
                return Err(PyValueError::new_err("another device needs a copy, and copy=False"));
            }
            t.to_device(d).py()
        }
        _ => Ok(t),
    }
}

fn consume(capsule: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let p = capsule.as_ptr();
    // SAFETY: the object is live and the GIL is held; a valid capsule's pointer is the struct its name says.
    unsafe {
        if ffi::PyCapsule_IsValid(p, VERSIONED.as_ptr()) == 1 {
            let m: *mut Versioned = ffi::PyCapsule_GetPointer(p, VERSIONED.as_ptr()).cast();
            if (*m).major != 1 {
                return Err(PyBufferError::new_err(format!("DLPack version {} is not known", (*m).major)));
            }
            let plan = Plan::of(&(*m).tensor)?;
            ffi::PyCapsule_SetName(p, USED_VERSIONED.as_ptr());
            plan.tensor(Owner(Some(Consumed::Versioned(m))), (*m).flags & READ_ONLY != 0)
        } else if ffi::PyCapsule_IsValid(p, LEGACY.as_ptr()) == 1 {
            let m: *mut Legacy = ffi::PyCapsule_GetPointer(p, LEGACY.as_ptr()).cast();
            let plan = Plan::of(&(*m).tensor)?;
            ffi::PyCapsule_SetName(p, USED_LEGACY.as_ptr());
            plan.tensor(Owner(Some(Consumed::Legacy(m))), false)
        } else {
            Err(PyTypeError::new_err("not an unused DLPack capsule"))
        }
    }
}

/// Returns whether an object has `__cuda_array_interface__` and not `__dlpack__`.
pub fn has_interface(obj: &Bound<'_, PyAny>) -> bool {
    let has = |name| obj.hasattr(name).unwrap_or(false);
    has(pyo3::intern!(obj.py(), "__cuda_array_interface__")) && !has(pyo3::intern!(obj.py(), "__dlpack__"))
}

/// Makes a tensor over the GPU memory that `__cuda_array_interface__` describes. The interface does not say
/// the kind of GPU, so the caller gives the device.
pub fn from_interface(obj: &Bound<'_, PyAny>, device: Option<&Device>) -> PyResult<Tensor> {
    let gpu = match device.map(Device::location) {
        Some(DeviceLocation::Rocm { gpu_id }) => (ROCM, gpu_id),
        Some(DeviceLocation::Cuda { gpu_id }) => (CUDA, gpu_id),
        _ => {
            return Err(PyTypeError::new_err(format!(
                "{} has a __cuda_array_interface__, which does not tell the kind of GPU: give device=\"rocm:0\" or another",
                obj.get_type().name()?
            )));
        }
    };
    let d = obj.getattr(pyo3::intern!(obj.py(), "__cuda_array_interface__"))?;
    let d = d.cast::<PyDict>()?;
    let field = |name: &str| Ok::<_, PyErr>(d.get_item(name)?.filter(|v| !v.is_none()));
    let wrong = |what: &str| PyBufferError::new_err(format!("__cuda_array_interface__: {what}"));
    if field("mask")?.is_some() {
        return Err(wrong("masked arrays cannot be shared"));
    }
    let typestr: String = field("typestr")?.ok_or_else(|| wrong("typestr is missing"))?.extract()?;
    let dtype = interface_dtype(&typestr).ok_or_else(|| wrong(&format!("no dtype for {typestr:?}")))?;
    let dims: Vec<usize> = field("shape")?.ok_or_else(|| wrong("shape is missing"))?.extract()?;
    if dims.len() > 8 {
        return Err(wrong("a tensor has at most 8 dimensions"));
    }
    let strides = match field("strides")? {
        None => Layout::contiguous(dims.clone()).stride().to_vec(),
        Some(list) => {
            let size = dtype.size_in_bytes();
            let steps = list.extract::<Vec<i64>>()?.into_iter().map(|s| usize::try_from(s).ok());
            let steps: Option<Vec<usize>> =
                steps.map(|s| s.filter(|s| s.is_multiple_of(size)).map(|s| s / size)).collect();
            steps.filter(|s| s.len() == dims.len()).ok_or_else(|| {
                wrong("strides that are negative or not multiples of the element size cannot be shared; copy the array first")
            })?
        }
    };
    let (at, read_only): (usize, bool) = field("data")?.ok_or_else(|| wrong("data is missing"))?.extract()?;
    let at = at.wrapping_add(field("offset")?.map_or(Ok(0), |o| o.extract())?);
    let plan = Plan { dtype, dims, strides, data: at as *mut c_void, gpu: Some(gpu) };
    plan.tensor(Owner(Some(Consumed::Object(obj.clone().unbind()))), read_only)
}

/// Returns the dtype of a NumPy type string, or of the names and letters that hip-python gives instead.
fn interface_dtype(text: &str) -> Option<DType> {
    let plain = text.strip_prefix(['<', '|', '=']).unwrap_or(text);
    Some(match plain {
        "b1" | "?" => DType::Bool,
        "i1" | "b" => DType::I8,
        "i2" | "h" => DType::I16,
        "i4" | "i" => DType::I32,
        "i8" | "q" | "l" => DType::I64,
        "u1" | "B" => DType::U8,
        "u2" | "H" => DType::U16,
        "u4" | "I" => DType::U32,
        "u8" | "Q" | "L" => DType::U64,
        "f2" | "e" => DType::F16,
        "f4" | "f" => DType::F32,
        "f8" | "d" => DType::F64,
        "c8" | "F" => DType::C64,
        "c16" | "D" => DType::C128,
        name => return DType::from_long_name(name),
    })
}

/// A checked description of a producer's tensor.
struct Plan {
    dtype: DType,
    dims: Vec<usize>,
    strides: Vec<usize>,
    data: *mut c_void,
    /// The GPU that has the memory, as DLPack's device type and device number; `None` for host memory.
    gpu: Option<(i32, usize)>,
}

impl Plan {
    /// # Safety
    /// `t` is a tensor a producer filled: `shape` and (if not null) `strides` are arrays of `ndim`.
    unsafe fn of(t: &DLTensor) -> PyResult<Self> {
        let number = usize::try_from(t.device.id).ok().filter(|_| [ROCM, CUDA].contains(&t.device.kind));
        let gpu = number.map(|n| (t.device.kind, n));
        if gpu.is_none() && ![CPU, 3, 11, 13].contains(&t.device.kind) {
            return Err(DeviceError::new_err(format!(
                "memory of DLPack device {} cannot be used by this version; copy it to the CPU first",
                t.device.kind
            )));
        }
        let dtype = dtype(t.dtype).ok_or_else(|| {
            PyBufferError::new_err(format!(
                "no dtype of rushlight for DLPack code {}, {} bits, {} lanes",
                t.dtype.code, t.dtype.bits, t.dtype.lanes
            ))
        })?;
        let ndim = usize::try_from(t.ndim).unwrap_or(0);
        if ndim > 8 {
            return Err(PyBufferError::new_err("a tensor has at most 8 dimensions"));
        }
        // SAFETY: as the caller promises.
        let list = |p: *mut i64| unsafe {
            if ndim == 0 || p.is_null() { Vec::new() } else { std::slice::from_raw_parts(p, ndim).to_vec() }
        };
        let (dims, strides) = (list(t.shape), list(t.strides));
        let bad =
            || PyBufferError::new_err("negative sizes or strides cannot be shared; copy the tensor first");
        let dims: Vec<usize> =
            dims.into_iter().map(usize::try_from).collect::<Result<_, _>>().map_err(|_| bad())?;
        let strides: Vec<usize> = if strides.len() == ndim {
            dims.iter()
                .zip(strides)
                .map(|(d, s)| if *d <= 1 { Ok(1) } else { usize::try_from(s) })
                .collect::<Result<_, _>>()
                .map_err(|_| bad())?
        } else {
            Layout::contiguous(dims.clone()).stride().to_vec()
        };
        let data = t.data.wrapping_byte_add(t.byte_offset as usize);
        Ok(Self { dtype, dims, strides, data, gpu })
    }

    fn tensor(self, owner: Owner, read_only: bool) -> PyResult<Tensor> {
        let device = match self.gpu {
            None => Ok(Device::Cpu),
            Some((ROCM, number)) => Device::new_rocm(number),
            Some((_, number)) => Device::new_cuda(number),
        };
        let device = device.py()?;
        if self.dims.contains(&0) {
            return Tensor::zeros(self.dims, self.dtype, &device).py();
        }
        let size = self.dtype.size_in_bytes();
        let len = self
            .dims
            .iter()
            .zip(&self.strides)
            .try_fold(1usize, |n, (d, s)| n.checked_add((d - 1).checked_mul(*s)?))
            .filter(|n| n.checked_mul(size).is_some_and(|b| b <= isize::MAX as usize))
            .ok_or_else(|| PyBufferError::new_err("the tensor's sizes and strides reach too far"))?;
        if self.data.is_null() {
            return Err(PyBufferError::new_err("the tensor's address is null"));
        }
        let aligned = (self.data as usize).is_multiple_of(size);
        if self.gpu.is_some() {
            if !aligned {
                return Err(PyBufferError::new_err("the tensor's address is not aligned to its elements"));
            }
            let (at, owner) = (self.data as u64, Box::new(owner));
            // SAFETY: the producer says that the elements are memory of this GPU, which its capsule keeps alive.
            let storage = unsafe {
                match &device {
                    Device::Cuda(gpu) => gpu.foreign(at, self.dtype, len, owner),
                    Device::Rocm(gpu) => gpu.foreign(at, self.dtype, len, owner),
                    other => {
                        let location = other.location();
                        return Err(DeviceError::new_err(format!(
                            "{location} cannot use memory of other libraries"
                        )));
                    }
                }
            };
            let storage = storage.py()?;
            let layout = Layout::new(self.dims.into(), self.strides, 0);
            return Tensor::from_storage_layout(storage, layout, &device).py();
        }
        // SAFETY: the producer says that all elements the strides reach, the last of them at `len - 1`, are its memory.
        let bytes = unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), len * size) };
        if !aligned || (self.dtype == DType::Bool && bytes.iter().any(|b| *b > 1)) {
            let mut copy = scratch::copied(bytes).py()?;
            if self.dtype == DType::Bool {
                copy.iter_mut().for_each(|b| *b = u8::from(*b != 0));
            }
            let storage = rushlight::CpuStorage::from_bytes(self.dtype, &copy).py()?;
            return Tensor::from_cpu_storage_layout(storage, Layout::new(self.dims.into(), self.strides, 0))
                .py();
        }
        let storage = buffer::foreign(self.data, len, self.dtype, Box::new(owner), read_only)?;
        Tensor::from_cpu_storage_layout(storage, Layout::new(self.dims.into(), self.strides, 0)).py()
    }
}
