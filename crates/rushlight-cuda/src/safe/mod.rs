//! The driver, devices with their memory, modules and launches, the compiler, matrix products and convolutions, with owners
//! that free what they hold.
mod blas;
mod device;
mod dnn;
mod driver;
pub mod nvrtc;
mod solver;

pub use blas::{Blas, Gemm, Kind, Matrix};
pub use device::{Device, Function, Module, Page, Pinned, Props};
pub use dnn::{Algorithm, Conv, ConvConfig, Direction, Dnn, DnnKind, Pool, PoolConfig};
pub use driver::Cuda;
pub use solver::{Decomposition, Factors, Job, Solver, SolverKind};
