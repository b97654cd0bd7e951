//! Device memory. Addresses are plain numbers; safe copies are checked against the live allocations of the device.
use super::{Device, HostBuffer, Stream};
use crate::sys::hip::*;
use crate::{Error, Result, process};
use std::ffi::c_void;
use std::sync::PoisonError;

/// Converts a device address to C's type.
fn at(ptr: u64) -> *mut c_void {
    ptr as usize as *mut c_void
}

impl Device {
    /// Allocates device memory; 0 bytes give address 0. The contents are undefined.
    ///
    /// # Errors
    /// [`Error::is_out_of_memory`] when the device has too little.
    pub fn alloc(&self, bytes: u64) -> Result<u64> {
        let calls = self.0.enter("hipMalloc")?;
        if bytes == 0 {
            return Ok(0);
        }
        let size = usize::try_from(bytes).map_err(|_| {
            Error::argument("hipMalloc", format!("{bytes} bytes are more than an address can count"))
        })?;
        let mut ptr = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local.
        unsafe { calls.hipMalloc(&mut ptr, size)? };
        let ptr = ptr as usize as u64;
        self.live().insert(ptr, bytes);
        Ok(ptr)
    }

    /// Frees an allocation of [`Device::alloc`] after all work issued to the device has run; address 0 is ignored.
    ///
    /// # Errors
    /// An address that `alloc` did not return, or that was freed before.
    pub fn free(&self, ptr: u64) -> Result<()> {
        let calls = self.0.enter("hipFree")?;
        if ptr == 0 {
            return Ok(());
        }
        if self.live().remove(&ptr).is_none() {
            return Err(Error::argument("hipFree", format!("{ptr:#x} is not a live allocation of {self:?}")));
        }
        // SAFETY: the address is that of an allocation that was live until now.
        unsafe { calls.hipFree(at(ptr)) }
    }

    /// Returns the bytes currently allocated through this crate; 0 in a process forked from one that uses HIP.
    pub fn allocated(&self) -> u64 {
        if !process::fine() {
            return 0;
        }
        self.live().values().sum()
    }

    /// Registers memory that something else allocated (PyTorch, over DLPack), so that copies of this device may use
    /// it. Memory may be adopted several times, also memory of [`Device::alloc`]; each time needs its own
    /// [`Device::disown`].
    ///
    /// # Safety
    /// The `bytes` bytes at `ptr` are this device's memory, and stay so until [`Device::disown`].
    pub unsafe fn adopt(&self, ptr: u64, bytes: u64) {
        // In a forked child a thread that no longer exists may hold the lock, and no call follows anyway.
        if !process::fine() {
            return;
        }
        self.adopted().entry((ptr, bytes)).and_modify(|n| *n += 1).or_insert(1);
    }

    /// Ends one [`Device::adopt`] of the same range; frees nothing.
    pub fn disown(&self, ptr: u64, bytes: u64) {
        if !process::fine() {
            return;
        }
        let mut adopted = self.adopted();
        if let Some(n) = adopted.get_mut(&(ptr, bytes)) {
            *n -= 1;
            if *n == 0 {
                adopted.remove(&(ptr, bytes));
            }
        }
    }

    fn adopted(&self) -> std::sync::MutexGuard<'_, std::collections::BTreeMap<(u64, u64), u32>> {
        self.0.adopted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> std::sync::MutexGuard<'_, std::collections::BTreeMap<u64, u64>> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that the range lies in one live allocation.
    pub(super) fn check_range(&self, call: &'static str, ptr: u64, bytes: u64) -> Result<()> {
        let inside = |(base, size): (&u64, &u64)| {
            let offset = ptr - base;
            offset <= *size && bytes <= size - offset
        };
        if self.live().range(..=ptr).next_back().is_some_and(inside) {
            return Ok(());
        }
        if self.adopted().keys().any(|(base, size)| *base <= ptr && inside((base, size))) {
            return Ok(());
        }
        Err(Error::argument(
            call,
            format!("{bytes} bytes at {ptr:#x} are not inside a live allocation of {self:?}"),
        ))
    }

    fn check_stream(&self, call: &'static str, stream: &Stream) -> Result<()> {
        if stream.device() == self {
            return Ok(());
        }
        Err(Error::argument(call, format!("the stream belongs to {:?}, not to {self:?}", stream.device())))
    }

    fn begin(&self, call: &'static str, stream: &Stream) -> Result<&'static crate::result::hip::Calls> {
        self.check_stream(call, stream)?;
        self.0.enter(call)
    }

    /// Copies from the host to the device; when it returns the source may change.
    ///
    /// # Errors
    /// A destination outside the live allocations.
    pub fn memcpy_htod(&self, dst: u64, src: &[u8], stream: &Stream) -> Result<()> {
        let calls = self.begin("memcpy_htod", stream)?;
        if src.is_empty() {
            return Ok(());
        }
        self.check_range("memcpy_htod", dst, src.len() as u64)?;
        // SAFETY: the destination is in a live allocation; the source is borrowed until the stream has run.
        unsafe {
            calls.hipMemcpyAsync(
                at(dst),
                src.as_ptr().cast(),
                src.len(),
                hipMemcpyHostToDevice,
                stream.raw(),
            )?;
            calls.hipStreamSynchronize(stream.raw())
        }
    }

    /// Copies from the device to the host, after the work issued to the stream before.
    ///
    /// # Errors
    /// A source outside the live allocations; errors of kernels that ran before.
    pub fn memcpy_dtoh(&self, dst: &mut [u8], src: u64, stream: &Stream) -> Result<()> {
        let calls = self.begin("memcpy_dtoh", stream)?;
        if dst.is_empty() {
            return Ok(());
        }
        self.check_range("memcpy_dtoh", src, dst.len() as u64)?;
        // SAFETY: the source is in a live allocation; the destination is borrowed until the stream has run.
        unsafe {
            calls.hipMemcpyAsync(
                dst.as_mut_ptr().cast(),
                at(src),
                dst.len(),
                hipMemcpyDeviceToHost,
                stream.raw(),
            )?;
            calls.hipStreamSynchronize(stream.raw())
        }
    }

    /// Issues a copy within the device.
    ///
    /// # Errors
    /// A range outside the live allocations.
    pub fn memcpy_dtod(&self, dst: u64, src: u64, bytes: u64, stream: &Stream) -> Result<()> {
        let calls = self.begin("memcpy_dtod", stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.check_range("memcpy_dtod", dst, bytes)?;
        self.check_range("memcpy_dtod", src, bytes)?;
        // SAFETY: both ranges are in live allocations, so `bytes` fits an address. hipFree waits for the copy.
        unsafe {
            calls.hipMemcpyAsync(at(dst), at(src), bytes as usize, hipMemcpyDeviceToDevice, stream.raw())
        }
    }

    /// Issues a copy from another device to this one.
    ///
    /// # Errors
    /// A range outside the live allocations of its device.
    pub fn memcpy_peer(&self, dst: u64, from: &Device, src: u64, bytes: u64, stream: &Stream) -> Result<()> {
        if from == self {
            return self.memcpy_dtod(dst, src, bytes, stream);
        }
        let calls = self.begin("memcpy_peer", stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.check_range("memcpy_peer", dst, bytes)?;
        from.check_range("memcpy_peer", src, bytes)?;
        let (to, from) = (self.ordinal() as i32, from.ordinal() as i32);
        // SAFETY: as above.
        unsafe { calls.hipMemcpyPeerAsync(at(dst), to, at(src), from, bytes as usize, stream.raw()) }
    }

    /// Issues a fill with a byte.
    ///
    /// # Errors
    /// A range outside the live allocations.
    pub fn memset_d8(&self, dst: u64, value: u8, bytes: u64, stream: &Stream) -> Result<()> {
        let calls = self.begin("memset_d8", stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.check_range("memset_d8", dst, bytes)?;
        // SAFETY: the range is in a live allocation.
        unsafe { calls.hipMemsetD8Async(at(dst), value, bytes as usize, stream.raw()) }
    }

    /// Issues a copy from pinned memory and returns at once; the buffer is read when the stream reaches the copy.
    ///
    /// # Errors
    /// A range outside the live allocations or outside the buffer.
    pub fn memcpy_from_host(
        &self,
        dst: u64,
        src: &HostBuffer,
        offset: usize,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let calls = self.begin("memcpy_from_host", stream)?;
        let from = src.range("memcpy_from_host", offset, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.check_range("memcpy_from_host", dst, bytes as u64)?;
        // SAFETY: both ranges are live. The buffer is read by atomics only, and waits for the device when dropped.
        unsafe { calls.hipMemcpyAsync(at(dst), from.cast(), bytes, hipMemcpyHostToDevice, stream.raw()) }
    }

    /// Issues a copy to pinned memory and returns at once; the contents are valid when the stream has passed the
    /// copy.
    ///
    /// # Errors
    /// A range outside the live allocations or outside the buffer.
    pub fn memcpy_to_host(
        &self,
        dst: &HostBuffer,
        offset: usize,
        src: u64,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let calls = self.begin("memcpy_to_host", stream)?;
        let to = dst.range("memcpy_to_host", offset, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.check_range("memcpy_to_host", src, bytes as u64)?;
        // SAFETY: as above.
        unsafe { calls.hipMemcpyAsync(to.cast(), at(src), bytes, hipMemcpyDeviceToHost, stream.raw()) }
    }
}
