//! Streams.
use super::{Device, Event};
use crate::sys::hip::{hipErrorNotReady, hipStream_t, hipStreamNonBlocking};
use crate::{Error, Result};
use std::sync::Arc;

/// A queue of work; clones are the same queue. The last clone destroys it after its work is done.
#[derive(Clone, Debug)]
pub struct Stream(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    raw: hipStream_t,
}

// SAFETY: HIP's functions on streams may be called from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Stream {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let calls = device.0.enter("hipStreamCreateWithFlags")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local.
        unsafe { calls.hipStreamCreateWithFlags(&mut raw, hipStreamNonBlocking)? };
        Ok(Self(Arc::new(Inner { device: device.clone(), raw })))
    }

    pub(super) fn null(device: &Device) -> Self {
        Self(Arc::new(Inner { device: device.clone(), raw: std::ptr::null_mut() }))
    }

    /// Returns the device that the stream belongs to.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns the handle, for libraries that take one.
    pub fn raw(&self) -> hipStream_t {
        self.0.raw
    }

    /// Waits for the work issued so far.
    ///
    /// # Errors
    /// Errors of the kernels that ran.
    pub fn synchronize(&self) -> Result<()> {
        let calls = self.0.device.0.enter("hipStreamSynchronize")?;
        // SAFETY: the stream lives.
        unsafe { calls.hipStreamSynchronize(self.0.raw) }
    }

    /// Returns whether the work issued so far is done.
    pub fn is_done(&self) -> Result<bool> {
        let calls = self.0.device.0.enter("hipStreamQuery")?;
        // SAFETY: the stream lives.
        ready(unsafe { calls.hipStreamQuery(self.0.raw) })
    }

    /// Makes the work issued from now on wait for an event.
    pub fn wait(&self, event: &Event) -> Result<()> {
        let calls = self.0.device.0.enter("hipStreamWaitEvent")?;
        // SAFETY: both live.
        unsafe { calls.hipStreamWaitEvent(self.0.raw, event.raw(), 0) }
    }
}

/// Turns "not ready" into `false`; every other code is an error, so that no caller waits for a lost GPU.
pub(super) fn ready(asked: Result<()>) -> Result<bool> {
    match asked {
        Ok(()) => Ok(true),
        Err(Error::Hip { code: hipErrorNotReady, .. }) => Ok(false),
        Err(e) => Err(e),
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let raw = self.raw;
        if raw.is_null() {
            return;
        }
        // SAFETY: this is the last use of the handle.
        self.device.0.on_drop(|calls| unsafe {
            let rest = calls.hipStreamSynchronize(raw);
            calls.hipStreamDestroy(raw).and(rest)
        });
    }
}
