//! MIOpen's handle and tensors.
use super::{Device, Hip, Stream};
use crate::result::miopen::Calls;
use crate::sys::miopen::*;
use crate::{Error, Result};
use std::ffi::{c_int, c_void};

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DnnType {
    /// IEEE half.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE single.
    F32,
    /// Signed byte.
    I8,
    /// Signed 32-bit integer.
    I32,
}

impl DnnType {
    /// Returns the bytes of an element.
    pub fn bytes(self) -> u64 {
        match self {
            DnnType::I8 => 1,
            DnnType::F16 | DnnType::BF16 => 2,
            DnnType::F32 | DnnType::I32 => 4,
        }
    }

    fn raw(self) -> miopenDataType_t {
        match self {
            DnnType::F16 => miopenHalf,
            DnnType::BF16 => miopenBFloat16,
            DnnType::F32 => miopenFloat,
            DnnType::I8 => miopenInt8,
            DnnType::I32 => miopenInt32,
        }
    }
}

/// Type, dimensions and strides of a tensor, always in the order N, C, (D,) H, W; another memory order is expressed
/// by the strides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Type of the elements.
    pub kind: DnnType,
    /// Dimensions.
    pub dims: Vec<u64>,
    /// Strides in elements.
    pub strides: Vec<u64>,
}

impl Tensor {
    /// Creates a contiguous tensor.
    ///
    /// ```
    /// use rushlight_hip::{DnnType, Tensor};
    /// assert_eq!(Tensor::packed(DnnType::F32, &[2, 3, 4, 5]).strides, [60, 20, 5, 1]);
    /// ```
    pub fn packed(kind: DnnType, dims: &[u64]) -> Self {
        let mut strides = vec![1u64; dims.len()];
        for i in (1..dims.len()).rev() {
            strides[i - 1] = strides[i].saturating_mul(dims[i]);
        }
        Self { kind, dims: dims.to_vec(), strides }
    }

    /// Returns the bytes from the first element to the end of the last.
    fn extent(&self) -> Option<u64> {
        let mut last = 0u64;
        for (d, s) in self.dims.iter().zip(&self.strides) {
            last = last.checked_add((d - 1).checked_mul(*s)?)?;
        }
        last.checked_add(1)?.checked_mul(self.kind.bytes())
    }
}

/// A tensor descriptor of MIOpen.
#[derive(Debug)]
pub(super) struct Descriptor {
    calls: &'static Calls,
    pub raw: miopenTensorDescriptor_t,
    extent: u64,
    name: &'static str,
}

impl Descriptor {
    pub fn new(calls: &'static Calls, name: &'static str, t: &Tensor) -> Result<Self> {
        let call = "miopenSetTensorDescriptor";
        let refuse = |why: &str| {
            Error::argument(
                call,
                format!("{name} of dimensions {:?}, strides {:?}: {why}", t.dims, t.strides),
            )
        };
        if t.dims.len() != t.strides.len() || !(4..=5).contains(&t.dims.len()) {
            return Err(refuse("expected 4 or 5 of each"));
        }
        if t.dims.contains(&0) || t.strides.contains(&0) {
            return Err(refuse("no dimension may be 0"));
        }
        let extent = t.extent().ok_or_else(|| refuse("larger than an address can count"))?;
        let (dims, strides) = (ints(call, &t.dims)?, ints(call, &t.strides)?);
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local; the arrays have the length that is passed.
        unsafe {
            calls.miopenCreateTensorDescriptor(&mut raw)?;
            let made = Self { calls, raw, extent, name };
            let rank = dims.len() as c_int;
            calls.miopenSetTensorDescriptor(raw, t.kind.raw(), rank, dims.as_ptr(), strides.as_ptr())?;
            Ok(made)
        }
    }

    /// Returns the address for C, if the tensor at `ptr` lies in a live allocation.
    pub fn at(&self, call: &'static str, device: &Device, ptr: u64) -> Result<*mut c_void> {
        device.check_range(call, ptr, self.extent).map_err(|e| match e {
            Error::Argument { call, why } => Error::Argument { call, why: format!("{}: {why}", self.name) },
            e => e,
        })?;
        Ok(ptr as usize as *mut c_void)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        if crate::process::fine() {
            // SAFETY: this is the last use of the handle. Nothing but memory of the host is freed, so nothing is lost.
            let _ = unsafe { self.calls.miopenDestroyTensorDescriptor(self.raw) };
        }
    }
}

/// Numbers as C takes them.
pub(super) fn ints(call: &'static str, all: &[u64]) -> Result<Vec<c_int>> {
    let int =
        |v: &u64| c_int::try_from(*v).map_err(|_| Error::argument(call, format!("{v} is beyond 31 bits")));
    all.iter().map(int).collect()
}

/// A MIOpen handle on a stream. It holds a rocBLAS handle, with 32 to 128 MiB of device memory.
///
/// MIOpen writes a sentence to standard error for each of its errors.
#[derive(Debug)]
pub struct Miopen {
    pub(super) calls: &'static Calls,
    pub(super) raw: miopenHandle_t,
    stream: Stream,
}

// SAFETY: a handle may be used by any thread, one at a time; calls take `&mut Miopen`.
unsafe impl Send for Miopen {}
// SAFETY: as above; a shared reference gives the stream only.
unsafe impl Sync for Miopen {}

impl Miopen {
    /// A handle for a stream's device.
    ///
    /// # Errors
    /// [`Error::Load`] where MIOpen is missing.
    pub fn new(stream: &Stream) -> Result<Self> {
        let device = stream.device();
        let calls = device.hip().miopen()?;
        device.0.enter("miopenCreateWithStream")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local; the stream lives as long as the handle.
        unsafe { calls.miopenCreateWithStream(&mut raw, stream.raw())? };
        Ok(Self { calls, raw, stream: stream.clone() })
    }

    /// MIOpen's version.
    ///
    /// # Errors
    /// [`Error::Load`] where MIOpen is missing.
    pub fn version() -> Result<(usize, usize, usize)> {
        let calls = Hip::get()?.miopen()?;
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: the pointers are those of locals.
        unsafe { calls.miopenGetVersion(&mut major, &mut minor, &mut patch)? };
        Ok((major, minor, patch))
    }

    /// The stream that work is issued to.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The device.
    pub fn device(&self) -> &Device {
        self.stream.device()
    }

    pub(super) fn enter(&self, call: &'static str) -> Result<&'static Calls> {
        self.device().0.enter(call)?;
        Ok(self.calls)
    }

    /// The address of a workspace for C: null without bytes, as MIOpen wants both or none.
    pub(super) fn workspace(
        &self,
        call: &'static str,
        workspace: (u64, u64),
        needed: u64,
    ) -> Result<(*mut c_void, usize)> {
        let (ptr, bytes) = workspace;
        if bytes < needed {
            return Err(Error::argument(
                call,
                format!("got a workspace of {bytes} bytes, expected {needed}"),
            ));
        }
        if bytes == 0 {
            return Ok((std::ptr::null_mut(), 0));
        }
        self.device().check_range(call, ptr, bytes)?;
        Ok((ptr as usize as *mut c_void, bytes as usize))
    }
}

impl Drop for Miopen {
    fn drop(&mut self) {
        let (calls, raw, stream) = (self.calls, self.raw, self.stream.raw());
        // SAFETY: this is the last use of the handle, and its work is done.
        self.device().0.on_drop(|hip| unsafe {
            let rest = hip.hipStreamSynchronize(stream);
            calls.miopenDestroy(raw).and(rest)
        });
    }
}
