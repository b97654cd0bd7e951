//! AMD's HIP runtime, its run-time compiler hiprtc, rocBLAS, MIOpen and rocFFT for Rust, opened at run time.
//!
//! Building and starting a program that uses this crate needs no part of ROCm: [`Hip::get`] searches for the
//! libraries when it is first called, and a missing library or function is an [`Error`] that lists the paths that
//! were tried and what to install. HIP 5, 6 and 7 are supported.
//!
//! | layer | |
//! |---|---|
//! | [`sys`] | C's types and constants, and the address of each function, resolved at its first use |
//! | [`result`] | the same functions with errors instead of codes; still unsafe |
//! | [`safe`] | devices, memory, streams, events, modules, launches, the compiler, matrix products, convolutions, Fourier transforms; re-exported here |
//!
//! ```no_run
//! use rushlight_hip::{Device, LaunchConfig, rtc};
//!
//! # fn main() -> Result<(), rushlight_hip::Error> {
//! let device = Device::new(0)?;
//! let source = r#"extern "C" __global__ void double_it(float *x, unsigned n) {
//!     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n) x[i] *= 2.0f;
//! }"#;
//! let arch = format!("--offload-arch={}", device.arch());
//! let compiled = rtc::compile(source, "double_it.hip", &[], &[arch])?;
//! let module = device.load_module(&compiled.code)?;
//! let kernel = module.function("double_it")?;
//!
//! let stream = device.stream()?;
//! let mut x = device.alloc(4 * 256)?;
//! device.memset_d8(x, 0, 4 * 256, &stream)?;
//! let mut n = 256u32;
//! let mut args = [(&raw mut x).cast(), (&raw mut n).cast()];
//! // SAFETY: the kernel takes a pointer to n floats on the device, and n.
//! unsafe { kernel.launch(LaunchConfig::cover(n, 256), &stream, &mut args)? };
//! stream.synchronize()?;
//! device.free(x)?;
//! # Ok(())
//! # }
//! ```
// Names from C are kept.
#![allow(non_snake_case, non_upper_case_globals)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod error;
mod load;
mod process;
pub mod result;
pub mod safe;
pub mod sys;

pub use error::{Error, LoadError, MissingSymbol, Tried};
pub use load::{Library, Search};
pub use safe::{
    Blas, BlasType, Compiled, Conv, ConvConfig, Device, Direction, DnnType, Event, Factors, Fft, FftConfig,
    FftPlan, Found, Function, FunctionInfo, Gemm, Graph, Hip, HostBuffer, LaunchConfig, Lines, Matrix,
    MemoryKind, Miopen, Module, PointerInfo, Pool, PoolMode, Props, Solution, Solver, Stream, Tensor, Trans,
    rtc,
};

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Compiles the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
