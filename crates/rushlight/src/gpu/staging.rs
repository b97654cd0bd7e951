//! Uploads through pinned memory: the host copies the bytes there and goes on, and the device fetches them in order with its
//! launches. A copy from other memory would make the host wait for all work launched before.
use super::lock;
use super::runtime::{Outcome, Runtime};
use std::sync::Mutex;

/// Bytes of the first pinned buffer.
const FIRST: usize = 4 << 20;
/// Most bytes of one upload through pinned memory. A longer one is copied from where it is, and waited for.
pub(super) const MOST: usize = 32 << 20;
/// Alignment of uploads within the buffer: a cache line.
const LINE: usize = 64;

/// A pinned buffer, filled from its start to its end and then, after a wait, from its start again.
struct Buffer<R: Runtime> {
    pinned: R::Pinned,
    bytes: usize,
    next: usize,
}

/// The pinned buffer of a device, allocated for the first upload. It grows to twice the largest upload so far.
pub(super) struct Staging<R: Runtime>(Mutex<Option<Buffer<R>>>);

impl<R: Runtime> Default for Staging<R> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<R: Runtime> Staging<R> {
    /// Copies bytes to the device. They may change when the call returns.
    pub(super) fn upload(&self, runtime: &R, dst: u64, src: &[u8]) -> Outcome<()> {
        if src.len() > MOST {
            return runtime.upload(dst, src);
        }
        let mut held = lock(&self.0);
        let wanted = (2 * src.len()).next_power_of_two().max(FIRST);
        if held.as_ref().is_none_or(|b| b.bytes < wanted) {
            if held.is_some() {
                // Copies from the old buffer may be under way.
                runtime.synchronize()?;
                *held = None;
            }
            // A system may limit the memory that a process pins.
            let Ok(pinned) = runtime.pinned(wanted) else { return runtime.upload(dst, src) };
            *held = Some(Buffer { pinned, bytes: wanted, next: 0 });
        }
        let Some(buffer) = &mut *held else { return runtime.upload(dst, src) };
        if buffer.next + src.len() > buffer.bytes {
            runtime.synchronize()?;
            buffer.next = 0;
        }
        runtime.upload_pinned(dst, src, &buffer.pinned, buffer.next)?;
        buffer.next += src.len().next_multiple_of(LINE);
        Ok(())
    }
}
