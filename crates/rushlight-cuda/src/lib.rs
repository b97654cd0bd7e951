//! NVIDIA's CUDA driver, its run-time compiler NVRTC, cuBLAS, cuDNN, cuFFT and cuSOLVER for Rust, opened at run time.
//!
//! Building and starting a program that uses this crate needs no part of CUDA: each library is searched for at its
//! first use, and a missing library or function is an [`Error`] that lists the paths that were tried and what to
//! install.
//!
//! | layer | |
//! |---|---|
//! | [`sys`] | C's types and constants, and the address of each function, resolved at its first use |
//! | [`result`] | the same functions with errors instead of codes; still unsafe |
//! | [`safe`] | devices, memory, modules, launches, the compiler, matrix products, convolutions, Fourier transforms, decompositions; re-exported here |
//! | [`cubin`] | reads the description of kernels in a CUBIN |
//!
//! ```no_run
//! use rushlight_cuda::{Device, nvrtc};
//!
//! # fn main() -> Result<(), rushlight_cuda::Error> {
//! let device = Device::new(0)?;
//! let source = r#"extern "C" __global__ void double_it(float *x, unsigned n) {
//!     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n) x[i] *= 2.0f;
//! }"#;
//! let compiled = nvrtc::compile(source, "double_it.cu", &[], &[format!("--gpu-architecture={}", device.arch())])?;
//! let kernel = device.load_module(&compiled.code)?.function("double_it")?;
//! let mut x = device.alloc(4 * 256)?;
//! device.fill(x, 0, 4 * 256)?;
//! let mut n = 256u32;
//! let mut args = [(&raw mut x).cast(), (&raw mut n).cast()];
//! // SAFETY: the kernel takes a pointer to n floats on the device, and n.
//! unsafe { kernel.launch([1, 1, 1], [256, 1, 1], 0, &mut args)? };
//! device.synchronize()?;
//! device.free(x)?;
//! # Ok(())
//! # }
//! ```
// Names from C are kept.
#![allow(non_snake_case, non_upper_case_globals)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod cubin;
mod error;
mod process;
pub mod result;
pub mod safe;
mod search;
pub mod sys;

pub use error::Error;
pub use rushlight_load::{LoadError, MissingSymbol, Tried};
pub use safe::{
    Algorithm, Blas, Conv, ConvConfig, Cuda, Decomposition, Device, Direction, Dnn, DnnKind, Event, Factors,
    FftConfig, FftPlan, Function, Gemm, Graph, Job, Kind, Lines, Matrix, Module, Page, Pinned, Pool,
    PoolConfig, Props, Solver, SolverKind, fft_version, nvrtc,
};
pub use search::search_also;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;
