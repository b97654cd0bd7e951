//! Captures of streams, and graphs.
use super::{Device, Stream};
use crate::sys::hip::{hipGraphExec_t, hipStreamCaptureModeRelaxed, hipStreamCaptureModeThreadLocal};
use crate::{Error, Result};

/// Work that was recorded from a stream and runs as a whole.
#[derive(Debug)]
pub struct Graph {
    device: Device,
    raw: hipGraphExec_t,
}

// SAFETY: HIP's functions on graphs may be called from any thread, one at a time for a graph; launches are ordered by the
// stream's own lock.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

impl Stream {
    /// Starts to record the stream's work instead of running it, until [`Stream::end_capture`] in the same thread. Until then this
    /// thread must not wait for the stream, nor allocate or free memory outside of [`Device::relaxed`]; other threads may.
    ///
    /// # Errors
    /// A runtime that lacks a function of graphs; the null stream; a stream that is captured already.
    pub fn begin_capture(&self) -> Result<()> {
        let calls = self.device().0.enter("hipStreamBeginCapture")?;
        // A function that is missing is found out now, not when the work was recorded.
        let symbols = calls.symbols();
        symbols.hipStreamEndCapture()?;
        symbols.hipThreadExchangeStreamCaptureMode()?;
        symbols.hipGraphInstantiateWithFlags()?;
        symbols.hipGraphLaunch()?;
        symbols.hipGraphExecDestroy()?;
        symbols.hipGraphDestroy()?;
        // SAFETY: the stream lives.
        unsafe { calls.hipStreamBeginCapture(self.raw(), hipStreamCaptureModeThreadLocal) }
    }

    /// Ends the capture and returns what was recorded.
    ///
    /// # Errors
    /// A capture that a forbidden call made invalid; the stream is usable again then, too.
    pub fn end_capture(&self) -> Result<Graph> {
        let calls = self.device().0.enter("hipStreamEndCapture")?;
        let (mut graph, mut raw) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the stream lives, the pointers are those of locals, and the graph is destroyed once.
        unsafe {
            calls.hipStreamEndCapture(self.raw(), &mut graph)?;
            let made = calls.hipGraphInstantiateWithFlags(&mut raw, graph, 0);
            calls.hipGraphDestroy(graph).and(made)?;
        }
        Ok(Graph { device: self.device().clone(), raw })
    }

    /// Returns whether the stream's work is recorded.
    pub fn is_capturing(&self) -> Result<bool> {
        let calls = self.device().0.enter("hipStreamIsCapturing")?;
        let mut status = 0;
        // SAFETY: the stream lives, the pointer is that of a local.
        unsafe { calls.hipStreamIsCapturing(self.raw(), &mut status)? };
        Ok(status != 0)
    }

    /// Issues the work of a graph. The memory that it uses must still exist.
    ///
    /// # Errors
    /// A stream of another device.
    pub fn launch_graph(&self, graph: &Graph) -> Result<()> {
        if graph.device != *self.device() {
            let text = format!("the graph belongs to {:?}, the stream to {:?}", graph.device, self.device());
            return Err(Error::argument("hipGraphLaunch", text));
        }
        let calls = self.device().0.enter("hipGraphLaunch")?;
        // SAFETY: both live.
        unsafe { calls.hipGraphLaunch(graph.raw, self.raw()) }
    }
}

impl Device {
    /// Makes calls that a capture of this thread forbids by default, such as allocations; they are not recorded.
    pub fn relaxed<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut mode = hipStreamCaptureModeRelaxed;
        let exchange = |mode: &mut u32| {
            let calls = self.0.enter("hipThreadExchangeStreamCaptureMode")?;
            // SAFETY: the pointer is that of a local.
            unsafe { calls.hipThreadExchangeStreamCaptureMode(mode) }
        };
        exchange(&mut mode)?;
        let done = f();
        exchange(&mut mode)?;
        done
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let raw = self.raw;
        // SAFETY: this is the last use of the handle.
        self.device.0.on_drop(|calls| unsafe { calls.hipGraphExecDestroy(raw) });
    }
}
