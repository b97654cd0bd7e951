//! Events.
use super::stream::ready;
use super::{Device, Stream};
use crate::sys::hip::{hipEvent_t, hipEventDefault, hipEventDisableTiming};
use crate::{Error, Result};

/// A mark in a stream: other work waits for it, or measures the time between two of them.
#[derive(Debug)]
pub struct Event {
    device: Device,
    raw: hipEvent_t,
    timing: bool,
}

// SAFETY: HIP's functions on events may be called from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    pub(super) fn new(device: &Device, timing: bool) -> Result<Self> {
        let calls = device.0.enter("hipEventCreateWithFlags")?;
        let mut raw = std::ptr::null_mut();
        let flags = if timing { hipEventDefault } else { hipEventDisableTiming };
        // SAFETY: the pointer is that of a local.
        unsafe { calls.hipEventCreateWithFlags(&mut raw, flags)? };
        Ok(Self { device: device.clone(), raw, timing })
    }

    /// Returns the handle, for libraries that take one.
    pub fn raw(&self) -> hipEvent_t {
        self.raw
    }

    /// Sets the mark after the work issued so far.
    ///
    /// # Errors
    /// A stream of another device.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        if *stream.device() != self.device {
            return Err(Error::argument(
                "hipEventRecord",
                format!("the event belongs to {:?}, the stream to {:?}", self.device, stream.device()),
            ));
        }
        let calls = self.device.0.enter("hipEventRecord")?;
        // SAFETY: both live.
        unsafe { calls.hipEventRecord(self.raw, stream.raw()) }
    }

    /// Waits until the mark is reached.
    pub fn synchronize(&self) -> Result<()> {
        let calls = self.device.0.enter("hipEventSynchronize")?;
        // SAFETY: the event lives.
        unsafe { calls.hipEventSynchronize(self.raw) }
    }

    /// Returns whether the mark was reached.
    pub fn is_done(&self) -> Result<bool> {
        let calls = self.device.0.enter("hipEventQuery")?;
        // SAFETY: the event lives.
        ready(unsafe { calls.hipEventQuery(self.raw) })
    }

    /// Returns the milliseconds from another mark to this one; both must have been reached.
    ///
    /// # Errors
    /// An event without timing.
    pub fn elapsed_ms(&self, start: &Event) -> Result<f32> {
        if !self.timing || !start.timing {
            return Err(Error::argument("hipEventElapsedTime", "an event was made without timing"));
        }
        let calls = self.device.0.enter("hipEventElapsedTime")?;
        let mut ms = 0.0;
        // SAFETY: both live; the pointer is that of a local.
        unsafe { calls.hipEventElapsedTime(&mut ms, start.raw, self.raw)? };
        Ok(ms)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let raw = self.raw;
        // SAFETY: this is the last use of the handle.
        self.device.0.on_drop(|calls| unsafe { calls.hipEventDestroy(raw) });
    }
}
