//! The driver, devices with their memory, modules and launches, the compiler, matrix products, convolutions and Fourier transforms, with owners
//! that free what they hold.
mod blas;
mod device;
mod dnn;
mod driver;
mod event;
mod fft;
mod graph;
pub mod nvrtc;
mod solver;

pub use blas::{Blas, Gemm, Kind, Matrix};
pub use device::{Device, Function, Module, Page, Pinned, Props};
pub use dnn::{Algorithm, Conv, ConvConfig, Direction, Dnn, DnnKind, Pool, PoolConfig};
pub use driver::Cuda;
pub use event::Event;
pub use fft::{FftConfig, FftPlan, Lines, fft_version};
pub use graph::Graph;
pub use solver::{Decomposition, Factors, Job, Solver, SolverKind};
