//! Autograd: the tape that ops record, and the backward pass over it.
//!
//! A node holds its op, an edge to each input, and only the values that its gradient rule reads. Nodes are numbered in
//! the order of creation, so descending numbers are a valid order for the backward pass. Neither the pass nor dropping
//! a graph recurses.
mod backward;
mod function;
mod grad_fn;
mod hooks;
mod tape;

pub use backward::{GradOptions, GradStore, backward, grad, reaches_others};
pub use function::{Function, FunctionOptions, apply};
pub(crate) use grad_fn::GradFn;
pub use grad_fn::Vjp;
pub use hooks::{ForeignCount, GradHook, HookHandle};
pub(crate) use tape::{Node, record, record_custom, record_op};

use crate::Error;
use std::cell::Cell;

/// The error for a graph that is needed again after it was freed.
pub(crate) fn freed() -> Error {
    let text =
        "the graph was freed by an earlier backward; call that one with retain_graph=True to use it again";
    Error::gradient("backward", text)
}

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(true) };
    static ANOMALIES: Cell<bool> = const { Cell::new(false) };
}

/// Whether backward passes on this thread check each gradient for NaN.
pub fn detects_anomalies() -> bool {
    ANOMALIES.get()
}

/// Makes backward passes on this thread fail at the first op whose gradient contains a NaN although its output's
/// gradient did not. Returns the previous setting. This is slow, since every gradient is read.
pub fn set_detect_anomalies(detect: bool) -> bool {
    ANOMALIES.replace(detect)
}

/// Whether ops on this thread record gradients.
pub fn is_enabled() -> bool {
    ENABLED.get()
}

/// Switches recording on this thread on or off, and returns the previous setting.
pub fn set_enabled(enabled: bool) -> bool {
    ENABLED.replace(enabled)
}

/// Runs a closure without recording.
///
/// ```
/// use rushlight::{autograd, DType, Device, Var};
/// let v = Var::zeros(3, DType::F32, &Device::Cpu)?;
/// assert!(!autograd::no_grad(|| v.exp())?.track_op());
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn no_grad<R>(f: impl FnOnce() -> R) -> R {
    with_enabled(false, f)
}

/// Runs a closure with recording on or off.
///
/// ```
/// use rushlight::{autograd, DType, Device, Var};
/// let v = Var::zeros(3, DType::F32, &Device::Cpu)?;
/// let y = autograd::no_grad(|| autograd::with_enabled(true, || v.exp()))?;
/// assert!(y.track_op());
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn with_enabled<R>(enabled: bool, f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ENABLED.set(self.0);
        }
    }
    let _restore = Restore(set_enabled(enabled));
    f()
}
