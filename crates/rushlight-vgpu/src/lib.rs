//! A virtual AMD GPU: the C ABI of HIP, hiprtc, rocBLAS, MIOpen, rocFFT and rocSOLVER, backed by kernels that run on the CPU.
//!
//! It tests code that uses ROCm on machines without an AMD GPU. It is stricter than hardware: invalid memory accesses,
//! barriers that some threads never reach, and invalid arguments are reported with the kernel, block and thread. Its speed
//! says nothing about a real GPU, and the device name contains "virtual".
//!
//! - [`api`]: the exported C functions, a module per library.
//! - `device`: the state behind them: memory, modules, streams, launches.
//! - `engine`: runs kernels, either compiled for the host or as AMD machine code.
//! - `support`: settings, targets, error codes, ELF, pages.
//! - [`cli`]: the command `rushlight-vgpu`.
//!
//! This crate exports no C symbol. `rushlight-vgpu-abi` makes the shared library; `make vgpu`
//! builds it and prints the folder for `RUSHLIGHT_ROCM_PATH`. The README lists the settings.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

pub mod api;
pub mod cli;
mod device;
mod engine;
mod support;

pub use api::{cuda, hip, hiprtc, miopen, rocblas, rocfft, rocsolver};
pub use engine::isa::{Disassembler, Line};
pub use support::config::{set_cuda, set_major};
pub use support::error::Code;
pub use support::out::Out;
