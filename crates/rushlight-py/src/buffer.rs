//! The buffer protocol, both ways: NumPy arrays and tensors share memory.
#![allow(unsafe_code)]
use crate::error::{OrPy, drop_later, is_detached};
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use rushlight::cpu::{Buffer, CpuStorage, scratch};
use rushlight::{DType, Device, Element, Layout, Storage, Tensor};
use std::any::Any;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

/// Returns whether an object exports a buffer.
pub fn has_buffer(obj: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the pointer is a live object and the GIL is held.
    unsafe { ffi::PyObject_CheckBuffer(obj.as_ptr()) == 1 }
}

/// A buffer obtained from an exporter, released on drop.
struct Held(Option<Box<ffi::Py_buffer>>);

// SAFETY: the description is only read; releasing it takes the GIL first.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(mut filled) = self.0.take() else { return };
        if is_detached() {
            return drop_later(Held(Some(filled)));
        }
        let view: *mut ffi::Py_buffer = &mut *filled;
        Python::attach(|_| {
            // SAFETY: the view was filled by PyObject_GetBuffer, is released once, and the GIL is held.
            unsafe { ffi::PyBuffer_Release(view) }
        });
    }
}

impl Held {
    fn view(&self) -> PyResult<&ffi::Py_buffer> {
        self.0.as_deref().ok_or_else(|| PyBufferError::new_err("the buffer is released"))
    }
}

fn get(obj: &Bound<'_, PyAny>) -> PyResult<Held> {
    let mut view = Box::new(ffi::Py_buffer::new());
    // SAFETY: the object is live, the view is ours, and the GIL is held.
    let rc = unsafe { ffi::PyObject_GetBuffer(obj.as_ptr(), &mut *view, ffi::PyBUF_FULL_RO) };
    if rc != 0 {
        return Err(PyErr::take(obj.py()).unwrap_or_else(|| PyBufferError::new_err("no buffer")));
    }
    Ok(Held(Some(view)))
}

/// Returns the dtype of a format of Python's `struct` module.
fn dtype_of(format: &str, itemsize: usize) -> Option<DType> {
    let code = format.strip_prefix(['@', '=']).unwrap_or(format);
    let code = if cfg!(target_endian = "little") { code.strip_prefix('<').unwrap_or(code) } else { code };
    Some(match (code, itemsize) {
        ("?", 1) => DType::Bool,
        ("e", 2) => DType::F16,
        ("f", 4) => DType::F32,
        ("d", 8) => DType::F64,
        ("g", 8) => DType::F64,
        ("Zf", 8) => DType::C64,
        ("Zd", 16) => DType::C128,
        ("b" | "h" | "i" | "l" | "q" | "n", 1) => DType::I8,
        ("b" | "h" | "i" | "l" | "q" | "n", 2) => DType::I16,
        ("b" | "h" | "i" | "l" | "q" | "n", 4) => DType::I32,
        ("b" | "h" | "i" | "l" | "q" | "n", 8) => DType::I64,
        ("B" | "H" | "I" | "L" | "Q" | "N", 1) => DType::U8,
        ("B" | "H" | "I" | "L" | "Q" | "N", 2) => DType::U16,
        ("B" | "H" | "I" | "L" | "Q" | "N", 4) => DType::U32,
        ("B" | "H" | "I" | "L" | "Q" | "N", 8) => DType::U64,
        _ => return None,
    })
}

/// Makes a tensor of a buffer's elements. It shares the memory if that is aligned and its strides are
/// non-negative multiples of the element size; otherwise it is a copy.
pub fn import(obj: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Tensor> {
    let py = obj.py();
    // ml_dtypes arrays have no format of the buffer protocol: their bits come in as integers.
    let name = obj.getattr("dtype").and_then(|d| d.getattr("name")).and_then(|n| n.extract::<String>());
    let bits = match name.as_deref() {
        Ok("bfloat16") => Some((DType::BF16, "uint16")),
        Ok("float8_e4m3fn") => Some((DType::F8E4M3, "uint8")),
        _ => None,
    };
    if let Some((dtype, raw)) = bits {
        let array = py.import("numpy")?.call_method1("asarray", (obj,))?.call_method1("view", (raw,))?;
        return from_view(&array, Some(dtype), copy);
    }
    if !has_buffer(obj) {
        let array = py.import("numpy")?.call_method1("asarray", (obj,))?;
        return from_view(&array, None, copy);
    }
    // An array of the other byte order is converted to the native one first.
    if let Ok(d) = obj.getattr("dtype")
        && let Ok(order) = d.getattr("byteorder").and_then(|b| b.extract::<String>())
        && order == (if cfg!(target_endian = "little") { ">" } else { "<" })
    {
        if copy == Some(false) {
            return Err(PyValueError::new_err("the array's bytes are in another order: a copy is needed"));
        }
        let native = d.call_method1("newbyteorder", ("=",))?;
        return from_view(&obj.call_method1("astype", (native,))?, None, copy);
    }
    from_view(obj, None, copy)
}

fn from_view(obj: &Bound<'_, PyAny>, dtype: Option<DType>, copy: Option<bool>) -> PyResult<Tensor> {
    let held = get(obj)?;
    let view = held.view()?;
    let (ndim, itemsize) = (view.ndim as usize, view.itemsize as usize);
    let format = if view.format.is_null() {
        "B".to_string()
    } else {
        // SAFETY: a filled view's format is a NUL-terminated text that lives as long as the view.
        unsafe { CStr::from_ptr(view.format) }.to_string_lossy().into_owned()
    };
    let dtype = dtype.or_else(|| dtype_of(&format, itemsize)).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "no dtype of rushlight for elements of format '{format}' ({itemsize} bytes)"
        ))
    })?;
    if ndim > 8 {
        return Err(PyValueError::new_err(format!(
            "a tensor has at most 8 dimensions, the array has {ndim}"
        )));
    }
    // SAFETY: PyBUF_FULL_RO asks for shape and strides, arrays of ndim integers; they may be null only for ndim 0.
    let (dims, strides): (Vec<usize>, Vec<isize>) = unsafe {
        let list = |p: *mut ffi::Py_ssize_t| {
            if ndim == 0 || p.is_null() { &[][..] } else { std::slice::from_raw_parts(p, ndim) }
        };
        (list(view.shape).iter().map(|d| *d as usize).collect(), list(view.strides).to_vec())
    };
    let count = dims.iter().product::<usize>();
    let shareable = view.suboffsets.is_null()
        && strides.len() == ndim
        && (view.buf as usize).is_multiple_of(itemsize)
        && dims
            .iter()
            .zip(&strides)
            .all(|(d, s)| *d <= 1 || (*s >= 0 && (*s as usize).is_multiple_of(itemsize)));
    if copy != Some(true) && shareable && count > 0 {
        let steps: Vec<usize> = dims
            .iter()
            .zip(&strides)
            .map(|(d, s)| if *d <= 1 { 1 } else { *s as usize / itemsize })
            .collect();
        let len = 1 + dims.iter().zip(&steps).map(|(d, s)| (d - 1) * s).sum::<usize>();
        let (ptr, read_only) = (view.buf, view.readonly != 0);
        // SAFETY: strides are not negative, so `len` elements from `ptr` are inside the exporter's memory.
        let valid = dtype != DType::Bool
            || unsafe { std::slice::from_raw_parts(ptr.cast::<u8>(), len) }.iter().all(|b| *b <= 1);
        if valid {
            let storage = foreign(ptr, len, dtype, Box::new(held), read_only)?;
            return Tensor::from_cpu_storage_layout(storage, Layout::new(dims.into(), steps, 0)).py();
        }
    }
    if copy == Some(false) && count > 0 {
        return Err(PyValueError::new_err(
            "the array cannot be shared (it is misaligned or has negative strides) and copy=False",
        ));
    }
    let mut bytes = scratch::filled(count * itemsize, 0u8).py()?;
    if count > 0 {
        let source: *const ffi::Py_buffer = view;
        // SAFETY: the target has the view's length in bytes; the GIL is held.
        let rc = unsafe {
            ffi::PyBuffer_ToContiguous(
                bytes.as_mut_ptr().cast(),
                source.cast_mut(),
                bytes.len() as ffi::Py_ssize_t,
                b'C' as std::ffi::c_char,
            )
        };
        if rc != 0 {
            return Err(PyErr::take(obj.py()).unwrap_or_else(|| PyBufferError::new_err("the copy failed")));
        }
    }
    if dtype == DType::Bool {
        bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    Tensor::from_raw_buffer(&bytes, dtype, &dims, &Device::Cpu).py()
}

/// Makes a tensor of rank 1 of a dtype from the bytes of an object's buffer. It shares the memory if that is
/// contiguous and aligned; otherwise it is a copy.
pub fn reinterpreted(obj: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Tensor> {
    let held = get(obj)?;
    let (len, size) = (held.view()?.len as usize, dtype.size_in_bytes());
    if !len.is_multiple_of(size) {
        return Err(PyValueError::new_err(format!(
            "frombuffer: {len} bytes are not a multiple of the {size} bytes of a {}",
            crate::dtype::name(dtype)
        )));
    }
    let view: *const ffi::Py_buffer = held.view()?;
    // SAFETY: the view is filled and not released.
    let contiguous = unsafe { ffi::PyBuffer_IsContiguous(view, b'C' as std::ffi::c_char) } == 1;
    let (ptr, read_only) = (held.view()?.buf, held.view()?.readonly != 0);
    if contiguous && len > 0 && (ptr as usize).is_multiple_of(size) {
        // SAFETY: a contiguous view has `len` bytes at `buf`.
        let bytes = unsafe { std::slice::from_raw_parts(ptr.cast::<u8>(), len) };
        if dtype != DType::Bool || bytes.iter().all(|b| *b <= 1) {
            let storage = foreign(ptr, len / size, dtype, Box::new(held), read_only)?;
            return Tensor::from_cpu_storage(storage, len / size, &Device::Cpu).py();
        }
    }
    drop(held);
    let copy = import(obj, Some(true))?.to_cpu_storage().py()?;
    Tensor::from_raw_buffer(copy.as_bytes(), dtype, &[len / size], &Device::Cpu).py()
}

/// Makes a storage over foreign memory, which `keep` keeps alive.
pub fn foreign(
    ptr: *mut c_void,
    len: usize,
    dtype: DType,
    keep: Box<dyn Any + Send + Sync>,
    read_only: bool,
) -> PyResult<CpuStorage> {
    fn typed<T: Element>(
        ptr: *mut c_void,
        len: usize,
        keep: Box<dyn Any + Send + Sync>,
        read_only: bool,
    ) -> PyResult<CpuStorage> {
        let ptr =
            NonNull::new(ptr.cast::<T>()).ok_or_else(|| PyBufferError::new_err("the address is null"))?;
        // SAFETY: the callers have checked alignment and extent, and that bools are 0 or 1; `keep` holds the exporter.
        Ok(T::into_storage(unsafe { Buffer::foreign(ptr, len, keep, read_only) }))
    }
    crate::scalar::each_dtype!(dtype, T => typed::<T>(ptr, len, keep, read_only))
}

/// The memory of an exported tensor and its owner.
pub struct Exported {
    /// First element.
    pub ptr: *mut u8,
    /// Writing is not allowed.
    pub read_only: bool,
    /// Holds the storage.
    _tensor: Tensor,
    /// Holds foreign memory even if a write copies the storage away from it.
    _owner: Option<Arc<dyn Any + Send + Sync>>,
}

/// Returns the memory of a tensor on a GPU after waiting for the work on it; `None` for other devices. A
/// tensor in a gradient graph is an error.
pub fn export_gpu(t: &Tensor) -> PyResult<Option<Exported>> {
    if !matches!(t.device(), Device::Rocm(_) | Device::Cuda(_)) {
        return Ok(None);
    }
    if t.track_op() {
        return Err(PyBufferError::new_err("the tensor requires a gradient; share t.detach() instead"));
    }
    t.device().synchronize().py()?;
    let (guard, layout) = t.storage_and_layout();
    let address = match &*guard {
        Storage::Rocm(s) => s.address(),
        Storage::Cuda(s) => s.address(),
        _ => return Ok(None),
    };
    let ptr = address + (layout.start_offset() * t.dtype().size_in_bytes()) as u64;
    let read_only = layout.may_overlap_itself();
    drop(guard);
    Ok(Some(Exported { ptr: ptr as usize as *mut u8, read_only, _tensor: t.clone(), _owner: None }))
}

/// Returns the memory of a CPU tensor; a tensor in a gradient graph is an error.
pub fn export(t: &Tensor) -> PyResult<Exported> {
    if t.track_op() {
        return Err(PyBufferError::new_err("the tensor requires a gradient; share t.detach() instead"));
    }
    let (guard, layout) = t.storage_and_layout();
    let Storage::Cpu(s) = &*guard else {
        return Err(PyTypeError::new_err(format!(
            "the tensor is on {}; use t.cpu() first",
            t.device().location()
        )));
    };
    // A broadcast tensor repeats elements in memory, so a write through it would change several.
    let read_only = s.is_read_only() || layout.may_overlap_itself();
    let base = s.as_ptr().cast_mut();
    let ptr = if t.elem_count() == 0 {
        base
    } else {
        base.wrapping_add(layout.start_offset() * t.dtype().size_in_bytes())
    };
    let owner = s.owner();
    drop(guard);
    Ok(Exported { ptr, read_only, _tensor: t.clone(), _owner: owner })
}

struct View {
    _memory: Exported,
    format: CString,
    shape: Vec<ffi::Py_ssize_t>,
    strides: Vec<ffi::Py_ssize_t>,
}

fn format_of(d: DType) -> Option<&'static CStr> {
    Some(match d {
        DType::Bool => c"?",
        DType::U8 => c"B",
        DType::I8 => c"b",
        DType::U16 => c"H",
        DType::I16 => c"h",
        DType::U32 => c"I",
        DType::I32 => c"i",
        DType::U64 if size_of::<std::ffi::c_long>() == 8 => c"L",
        DType::I64 if size_of::<std::ffi::c_long>() == 8 => c"l",
        DType::U64 => c"Q",
        DType::I64 => c"q",
        DType::F16 => c"e",
        DType::F32 => c"f",
        DType::F64 => c"d",
        DType::C64 => c"Zf",
        DType::C128 => c"Zd",
        _ => return None,
    })
}

/// The memory of a CPU tensor, for the buffer protocol.
///
/// `Tensor` itself exports no buffer: `torch.asarray` asks for one before DLPack, and reads it as a flat run of float32
/// whatever its shape and dtype are.
#[pyclass(frozen, name = "_Memory", module = "rushlight._native")]
pub struct Memory(Tensor);

impl Memory {
    /// The memory of a tensor.
    pub fn new(t: Tensor) -> Self {
        Self(t)
    }
}

#[pymethods]
impl Memory {
    #[new]
    fn py_new(tensor: PyRef<'_, PyTensor>) -> Self {
        Self(tensor.get())
    }

    /// # Safety
    /// Called by Python with a view to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        let t = slf.get().0.clone();
        let format = format_of(t.dtype()).ok_or_else(|| {
            PyBufferError::new_err(format!(
                "the buffer protocol has no code for {}",
                crate::dtype::name(t.dtype())
            ))
        })?;
        let memory = export(&t)?;
        if memory.read_only && flags & ffi::PyBUF_WRITABLE != 0 {
            return Err(PyBufferError::new_err("the tensor's memory is read-only"));
        }
        if flags & ffi::PyBUF_STRIDES != ffi::PyBUF_STRIDES && !t.is_contiguous() {
            return Err(PyBufferError::new_err("the tensor is not contiguous; use t.contiguous()"));
        }
        let size = t.dtype().size_in_bytes();
        let info = Box::new(View {
            format: format.to_owned(),
            shape: t.dims().iter().map(|d| *d as ffi::Py_ssize_t).collect(),
            strides: t.stride().iter().map(|s| (s * size) as ffi::Py_ssize_t).collect(),
            _memory: memory,
        });
        let has = |flag: c_int| flags & flag == flag;
        // SAFETY: `view` is Python's to be filled; what it points to lives in `info`, which `__releasebuffer__` frees.
        unsafe {
            (*view).buf = info._memory.ptr.cast();
            (*view).len = (t.elem_count() * size) as ffi::Py_ssize_t;
            (*view).readonly = c_int::from(info._memory.read_only);
            (*view).itemsize = size as ffi::Py_ssize_t;
            (*view).format =
                if has(ffi::PyBUF_FORMAT) { info.format.as_ptr().cast_mut() } else { std::ptr::null_mut() };
            (*view).ndim = t.rank() as c_int;
            (*view).shape =
                if has(ffi::PyBUF_ND) { info.shape.as_ptr().cast_mut() } else { std::ptr::null_mut() };
            (*view).strides =
                if has(ffi::PyBUF_STRIDES) { info.strides.as_ptr().cast_mut() } else { std::ptr::null_mut() };
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = Box::into_raw(info).cast();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }

    /// # Safety
    /// Called by Python once for each view that `__getbuffer__` filled.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: `internal` is the box that `__getbuffer__` left there, and is taken once.
        unsafe {
            if !(*view).internal.is_null() {
                drop(Box::from_raw((*view).internal.cast::<View>()));
                (*view).internal = std::ptr::null_mut();
            }
        }
    }
}
