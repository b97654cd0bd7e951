//! Devices, memory, streams, events, modules and the compiler, with owners that free what they hold.
//!
//! A [`Device`] may be used from any thread; each call makes it the thread's current device if needed. An error of a
//! destructor is kept and returned by the next call on that device.
mod blas;
mod conv;
mod device;
mod event;
mod fft;
mod graph;
mod hip;
mod host;
mod memory;
mod miopen;
mod module;
mod pooling;
mod props;
pub mod rtc;
mod solver;
mod stream;

pub use blas::{Blas, BlasType, Gemm, Matrix, Trans};
pub use conv::{Conv, ConvConfig, Direction, Found, Solution};
pub use device::Device;
pub use event::Event;
pub use fft::{Fft, FftConfig, FftPlan, Lines};
pub use graph::Graph;
pub use hip::{Hip, MemoryKind, PointerInfo};
pub use host::HostBuffer;
pub use miopen::{DnnType, Miopen, Tensor};
pub use module::{Function, FunctionInfo, LaunchConfig, Module};
pub use pooling::{Pool, PoolMode};
pub use props::Props;
pub use rtc::Compiled;
pub use solver::{Factors, Solver};
pub use stream::Stream;
