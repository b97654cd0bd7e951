//! Events.
use super::Device;
use crate::sys::*;
use crate::{Error, Result, process};

/// A mark on a device's stream, to measure the time between two of them.
#[derive(Debug)]
pub struct Event {
    device: Device,
    raw: CUevent,
}

// SAFETY: the driver's functions on events may be called from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Device {
    /// Puts a mark on the stream after the work that was issued.
    ///
    /// ```no_run
    /// let device = rushlight_cuda::Device::new(0)?;
    /// let (start, end) = (device.mark()?, device.mark()?);
    /// device.synchronize()?;
    /// assert!(end.elapsed_ms(&start)? >= 0.0);
    /// # Ok::<(), rushlight_cuda::Error>(())
    /// ```
    pub fn mark(&self) -> Result<Event> {
        let calls = self.calls("cuEventCreate")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local; the stream lives as long as the device.
        unsafe { calls.cuEventCreate(&mut raw, CU_EVENT_DEFAULT as u32)? };
        let event = Event { device: self.clone(), raw };
        // SAFETY: event and stream live.
        unsafe { calls.cuEventRecord(raw, self.stream())? };
        Ok(event)
    }
}

impl Event {
    /// Returns the milliseconds from another mark to this one; both must have been reached.
    ///
    /// # Errors
    /// Marks of two devices, or one that was not reached.
    pub fn elapsed_ms(&self, start: &Event) -> Result<f32> {
        let call = "cuEventElapsedTime";
        if self.device != start.device {
            let text = format!("the events belong to {:?} and {:?}", start.device, self.device);
            return Err(Error::argument(call, text));
        }
        let calls = self.device.calls(call)?;
        let mut ms = 0.0;
        // SAFETY: both live; the pointer is that of a local.
        unsafe { calls.cuEventElapsedTime(&mut ms, start.raw, self.raw)? };
        Ok(ms)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if !process::fine() {
            return;
        }
        let Ok(calls) = self.device.calls("cuEventDestroy_v2") else { return };
        // SAFETY: this is the last use of the handle. A GPU that fails here fails in the next call, too.
        let _ = unsafe { calls.cuEventDestroy_v2(self.raw) };
    }
}
