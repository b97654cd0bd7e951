//! Pinned host memory.
use super::Device;
use crate::sys::hip::{hipHostMallocCoherent, hipHostMallocMapped, hipHostMallocPortable};
use crate::{Error, Result, process};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// Pinned, zeroed host memory that kernels can address and that copies use directly.
///
/// A kernel may access it at any time, so the host reads it with atomics of 4 bytes and writes it with atomics of 8, where they
/// are aligned.
#[derive(Debug)]
pub struct HostBuffer {
    device: Device,
    ptr: *mut u8,
    device_ptr: u64,
    len: usize,
}

// SAFETY: the memory belongs to the process, and is accessed by atomics only.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    pub(super) fn new(device: &Device, bytes: usize) -> Result<Self> {
        let calls = device.0.enter("hipHostMalloc")?;
        let len = bytes.max(1);
        let flags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent;
        let mut ptr = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local; the new memory is `len` bytes that nothing else uses.
        unsafe {
            calls.hipHostMalloc(&mut ptr, len, flags)?;
            std::ptr::write_bytes(ptr.cast::<u8>(), 0, len);
        }
        let mut buffer = Self { device: device.clone(), ptr: ptr.cast(), device_ptr: 0, len: bytes };
        let mut at = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local; the memory is mapped. On failure `buffer` frees it.
        unsafe { calls.hipHostGetDevicePointer(&mut at, ptr, 0)? };
        buffer.device_ptr = at as usize as u64;
        Ok(buffer)
    }

    /// Returns the size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the size is 0.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address for kernels.
    pub fn device_ptr(&self) -> u64 {
        self.device_ptr
    }

    /// Returns the address for the host. In a forked process it is not mapped.
    pub fn as_ptr(&self) -> *mut u8 {
        self.ptr
    }

    pub(super) fn range(&self, call: &'static str, offset: usize, bytes: usize) -> Result<*mut u8> {
        // The driver does not map the memory in forked processes: an access would be a SIGSEGV.
        process::check(call)?;
        match offset.checked_add(bytes) {
            Some(end) if end <= self.len => Ok(self.ptr.wrapping_add(offset)),
            _ => Err(Error::argument(
                call,
                format!("{bytes} bytes at {offset} are outside the buffer of {} bytes", self.len),
            )),
        }
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// A range outside the buffer.
    pub fn read(&self, offset: usize, out: &mut [u8]) -> Result<()> {
        let from = self.range("HostBuffer::read", offset, out.len())?;
        let mut done = 0;
        while done < out.len() {
            let at = from.wrapping_add(done);
            let word = at.addr().is_multiple_of(4) && out.len() - done >= 4;
            // SAFETY: within the buffer and, for a word, aligned.
            let value = unsafe {
                if word {
                    (*at.cast::<AtomicU32>()).load(Ordering::Relaxed).to_ne_bytes()
                } else {
                    [(*at.cast::<AtomicU8>()).load(Ordering::Relaxed), 0, 0, 0]
                }
            };
            let n = if word { 4 } else { 1 };
            out[done..done + n].copy_from_slice(&value[..n]);
            done += n;
        }
        Ok(())
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// A range outside the buffer.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        let to = self.range("HostBuffer::write", offset, bytes.len())?;
        let first = to.align_offset(8).min(bytes.len());
        let words = bytes[first..].chunks_exact(8);
        let rest = bytes.len() - words.remainder().len();
        // SAFETY: within the buffer; bytes need no alignment.
        let byte = |i: usize| unsafe { (*to.add(i).cast::<AtomicU8>()).store(bytes[i], Ordering::Relaxed) };
        (0..first).for_each(byte);
        for (i, word) in words.enumerate() {
            let word = u64::from_ne_bytes(word.try_into().unwrap_or_default());
            // SAFETY: within the buffer and aligned.
            unsafe { (*to.add(first + 8 * i).cast::<AtomicU64>()).store(word, Ordering::Relaxed) };
        }
        (rest..bytes.len()).for_each(byte);
        Ok(())
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        let ptr = self.ptr;
        self.device.0.on_drop(|calls| {
            // SAFETY: nothing uses the memory after the device has come to rest.
            unsafe {
                let rest = calls.hipDeviceSynchronize();
                calls.hipHostFree(ptr.cast()).and(rest)
            }
        });
    }
}
