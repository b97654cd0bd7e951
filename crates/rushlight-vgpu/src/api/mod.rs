//! The exported C functions, a module per library, and the matrix products, Fourier transforms and decompositions that two of them share.
mod blas;
pub mod cuda;
mod fft;
pub mod hip;
pub mod hiprtc;
pub mod miopen;
pub mod rocblas;
pub mod rocfft;
pub mod rocsolver;
mod solver;
