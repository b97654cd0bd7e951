//! The exported C functions, a module per library, and the matrix products and decompositions that two of them share.
mod blas;
pub mod cuda;
pub mod hip;
pub mod hiprtc;
pub mod miopen;
pub mod rocblas;
pub mod rocsolver;
mod solver;
