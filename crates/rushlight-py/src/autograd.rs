//! Switching the recording of gradients.
use pyo3::prelude::*;

/// Whether ops on this thread record gradients.
#[pyfunction]
pub fn is_grad_enabled() -> bool {
    rushlight::autograd::is_enabled()
}

/// Switches recording on this thread; gives the state before.
#[pyfunction]
#[pyo3(signature = (enabled, /))]
pub fn _set_grad_enabled(enabled: bool) -> bool {
    rushlight::autograd::set_enabled(enabled)
}
