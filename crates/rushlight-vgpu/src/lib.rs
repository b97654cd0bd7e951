//! The virtual AMD GPU: HIP's and hiprtc's C ABI over kernels that are compiled for this machine and run on its cores.
//!
//! It exists to test code that uses ROCm where there is no AMD GPU. It is stricter than hardware: memory errors,
//! barriers that not all threads reach, and wrong arguments are reported with kernel, block and thread. It says nothing
//! about speed, and its device's name says "virtual".
//!
//! This crate exports no symbol. `rushlight-vgpu-abi` makes the shared library; `make vgpu`
//! builds it and prints the folder to put in `RUSHLIGHT_ROCM_PATH`. The README lists the settings.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod arch;
mod asan;
mod blas;
mod block;
pub mod cli;
mod config;
pub mod cuda;
mod elf;
mod error;
mod fault;
mod fiber;
pub mod hip;
pub mod hiprtc;
mod isa;
mod launch;
mod memory;
pub mod miopen;
mod module;
mod out;
mod pages;
mod product;
mod queue;
mod record;
pub mod rocblas;
mod state;
mod written;

pub use config::{set_cuda, set_major};
pub use error::Code;
pub use isa::{Disassembler, Line};
pub use out::Out;
