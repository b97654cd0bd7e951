//! Captures of a device's stream, and graphs.
use super::Device;
use crate::sys::*;
use crate::{Error, Result, process};

/// Work that was recorded from a device's stream and runs as a whole.
#[derive(Debug)]
pub struct Graph {
    device: Device,
    raw: CUgraphExec,
}

// SAFETY: the driver's functions on graphs may be called from any thread, one at a time for a graph; launches are ordered by
// the stream's own lock.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

impl Device {
    /// Starts to record the stream's work instead of running it, until [`Device::end_capture`] in the same thread. Until then this
    /// thread must not wait for the stream, nor allocate or free memory outside of [`Device::relaxed`]; other threads may.
    ///
    /// # Errors
    /// A stream that is captured already.
    pub fn begin_capture(&self) -> Result<()> {
        let calls = self.calls("cuStreamBeginCapture_v2")?;
        // SAFETY: the stream lives.
        unsafe { calls.cuStreamBeginCapture_v2(self.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) }
    }

    /// Ends the capture and returns what was recorded.
    ///
    /// # Errors
    /// A capture that a forbidden call made invalid; the stream is usable again then, too.
    pub fn end_capture(&self) -> Result<Graph> {
        let calls = self.calls("cuStreamEndCapture")?;
        let (mut graph, mut raw) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the stream lives, the pointers are those of locals, and the graph is destroyed once.
        unsafe {
            calls.cuStreamEndCapture(self.stream(), &mut graph)?;
            let made = calls.cuGraphInstantiateWithFlags(&mut raw, graph, 0);
            calls.cuGraphDestroy(graph).and(made)?;
        }
        Ok(Graph { device: self.clone(), raw })
    }

    /// Returns whether the stream's work is recorded.
    pub fn is_capturing(&self) -> Result<bool> {
        let calls = self.calls("cuStreamIsCapturing")?;
        let mut status = 0;
        // SAFETY: the stream lives, the pointer is that of a local.
        unsafe { calls.cuStreamIsCapturing(self.stream(), &mut status)? };
        Ok(status != 0)
    }

    /// Issues the work of a graph. The memory that it uses must still exist.
    ///
    /// # Errors
    /// A graph of another device.
    pub fn launch_graph(&self, graph: &Graph) -> Result<()> {
        if graph.device != *self {
            let text = format!("the graph belongs to {:?}, not to {self:?}", graph.device);
            return Err(Error::argument("cuGraphLaunch", text));
        }
        let calls = self.calls("cuGraphLaunch")?;
        // SAFETY: both live.
        unsafe { calls.cuGraphLaunch(graph.raw, self.stream()) }
    }

    /// Makes calls that a capture of this thread forbids by default, such as allocations; they are not recorded.
    pub fn relaxed<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED;
        let exchange = |mode: &mut CUstreamCaptureMode| {
            let calls = self.calls("cuThreadExchangeStreamCaptureMode")?;
            // SAFETY: the pointer is that of a local.
            unsafe { calls.cuThreadExchangeStreamCaptureMode(mode) }
        };
        exchange(&mut mode)?;
        let done = f();
        exchange(&mut mode)?;
        done
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if !process::fine() {
            return;
        }
        let Ok(calls) = self.device.calls("cuGraphExecDestroy") else { return };
        // SAFETY: this is the last use of the handle. A GPU that fails here fails in the next call, too.
        let _ = unsafe { calls.cuGraphExecDestroy(self.raw) };
    }
}
