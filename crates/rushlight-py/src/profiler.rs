//! Native functions behind `rushlight.profiler`.
use crate::error::detached;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rushlight::profiler::{self, Options, Span};
use std::sync::{Mutex, PoisonError};

/// Converts an error. The only ones are that the profiler is active already, or is not active: no argument causes them.
fn misused(e: rushlight::Error) -> PyErr {
    PyRuntimeError::new_err(e.to_string())
}

/// Begins to record. The arguments say whether shapes of inputs, bytes in use and times of GPUs are recorded.
#[pyfunction]
#[pyo3(signature = (shapes, memory, device_times, /))]
pub fn _profiler_start(shapes: bool, memory: bool, device_times: bool) -> PyResult<()> {
    profiler::start(Options { shapes, memory, device_times }).map_err(misused)
}

/// Ends the recording. Gives its duration in seconds and a dict for each event; times are in seconds since the start.
#[pyfunction]
pub fn _profiler_stop(py: Python<'_>) -> PyResult<(f64, Bound<'_, PyList>)> {
    let profile = detached(py, || profiler::stop().map_err(misused))?;
    let events = PyList::empty(py);
    for event in &profile.events {
        let d = PyDict::new(py);
        d.set_item("kind", event.kind.as_str())?;
        d.set_item("name", &*event.name)?;
        d.set_item("device", event.device.map(|d| d.to_string()))?;
        d.set_item("thread", event.thread)?;
        d.set_item("parent", event.parent)?;
        d.set_item("start", event.start.as_secs_f64())?;
        d.set_item("duration", event.duration.as_secs_f64())?;
        let times = event.on_device.map(|(start, duration)| (start.as_secs_f64(), duration.as_secs_f64()));
        d.set_item("device_start", times.map(|t| t.0))?;
        d.set_item("device_duration", times.map(|t| t.1))?;
        d.set_item("bytes", event.bytes)?;
        let inputs: Vec<(&str, &[usize])> =
            event.inputs.iter().map(|(t, dims)| (t.as_str(), dims.as_slice())).collect();
        d.set_item("inputs", inputs)?;
        d.set_item("memory", event.memory)?;
        events.append(d)?;
    }
    Ok((profile.duration.as_secs_f64(), events))
}

/// A named part of the program, which `_profiler_range` begins.
#[pyclass(frozen, module = "rushlight._native")]
pub struct _ProfilerRange(Mutex<Option<Span>>);

#[pymethods]
impl _ProfilerRange {
    /// Ends the part.
    fn end(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Begins a named part of the program.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub fn _profiler_range(name: String) -> _ProfilerRange {
    _ProfilerRange(Mutex::new(Some(profiler::range(name))))
}
