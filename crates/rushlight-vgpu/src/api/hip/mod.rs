//! HIP's functions with HIP's names and arguments as ordinary Rust items, which the shared libraries export. They
//! behave as HIP documents; undefined cases return an error.
#![allow(missing_docs, non_snake_case, clippy::not_unsafe_ptr_arg_deref)]

mod device;
mod event;
mod graph;
mod memory;
pub(crate) mod module;
mod stream;

pub use device::*;
pub use event::*;
pub use graph::*;
pub use memory::*;
pub use module::*;
pub use stream::*;

/// A handle, a stream or a pointer.
pub type Ptr = *mut std::ffi::c_void;
