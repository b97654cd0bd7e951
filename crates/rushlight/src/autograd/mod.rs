//! Gradients: the tape that ops record, and the walk back over it.
//!
//! A node holds its op, an edge to each input, and only the values its gradient rule reads. Nodes are numbered as they
//! are made, so descending numbers are a valid order to walk; neither the walk nor dropping a graph recurses.
mod backward;
mod grad_fn;
mod tape;

pub use backward::GradStore;
pub(crate) use grad_fn::GradFn;
pub use grad_fn::Vjp;
pub(crate) use tape::{Node, record, record_custom, record_op};

use std::cell::Cell;

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(true) };
}

/// Whether ops on this thread record gradients.
pub fn is_enabled() -> bool {
    ENABLED.get()
}

/// Switches recording on this thread on or off; gives the state before.
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
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ENABLED.set(self.0);
        }
    }
    let _restore = Restore(set_enabled(false));
    f()
}
