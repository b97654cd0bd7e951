//! The class behind the graphs of `rushlight.rocm` and `rushlight.cuda`.
use crate::device::DeviceArg;
use crate::error::{DeviceError, OrPy, detached};
use pyo3::prelude::*;
use rushlight::Device;
use rushlight::gpu::{Capture, Graph};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

enum State {
    Empty,
    Capturing(Capture),
    Ready(Arc<Graph>),
}

/// A graph of one GPU, and its capture.
#[pyclass(frozen, module = "rushlight._native")]
pub struct _GpuGraph {
    device: Device,
    state: Mutex<State>,
}

impl _GpuGraph {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ready(&self, what: &str) -> PyResult<Arc<Graph>> {
        match &*self.state() {
            State::Ready(graph) => Ok(graph.clone()),
            State::Empty => Err(DeviceError::new_err(format!(
                "{what}: the graph is empty; capture a function into it first"
            ))),
            State::Capturing(_) => Err(DeviceError::new_err(format!(
                "{what}: the graph is being captured; end the capture first"
            ))),
        }
    }
}

#[pymethods]
impl _GpuGraph {
    #[new]
    #[pyo3(signature = (device, /))]
    fn new(device: DeviceArg) -> Self {
        Self { device: device.0, state: Mutex::new(State::Empty) }
    }

    /// Starts to record the work of this thread on the device.
    fn begin(&self, py: Python<'_>) -> PyResult<()> {
        if !matches!(&*self.state(), State::Empty) {
            return Err(DeviceError::new_err(
                "capture: the graph has been captured already; reset() it first, or make another one",
            ));
        }
        let capture = detached(py, || Capture::begin(&self.device).py())?;
        *self.state() = State::Capturing(capture);
        Ok(())
    }

    /// Ends the capture; if `keep` is false, what was recorded is dropped.
    #[pyo3(signature = (keep, /))]
    fn end(&self, py: Python<'_>, keep: bool) -> PyResult<()> {
        detached(py, || {
            let mut state = self.state();
            let State::Capturing(capture) = &mut *state else {
                return Err(DeviceError::new_err("capture: none is under way for this graph"));
            };
            let ended = capture.end();
            *state = match ended {
                Ok(graph) if keep => State::Ready(Arc::new(graph)),
                Ok(_) => State::Empty,
                // Another thread may still end it.
                Err(e) if capture.is_open() => return Err(e).py(),
                Err(e) => {
                    *state = State::Empty;
                    return Err(e).py();
                }
            };
            Ok(())
        })
    }

    /// Queues the recorded work.
    fn replay(&self, py: Python<'_>) -> PyResult<()> {
        let graph = self.ready("replay")?;
        detached(py, || graph.replay().py())
    }

    /// Drops the recorded work and its memory.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            let mut state = self.state();
            if matches!(&*state, State::Capturing(_)) {
                return Err(DeviceError::new_err(
                    "reset: the graph is being captured; end the capture first",
                ));
            }
            *state = State::Empty;
            Ok(())
        })
    }

    /// Number of kernels of this library that a replay runs.
    fn launches(&self) -> PyResult<u64> {
        self.ready("launches").map(|g| g.launches())
    }
}
