//! The virtual NVIDIA GPU: the functions of CUDA's driver, NVRTC, cuBLAS, cuDNN, cuFFT and cuSOLVER that rushlight-cuda calls, on the
//! host engine. They behave as NVIDIA documents; undefined cases return an error.
#![allow(missing_docs, non_snake_case, clippy::not_unsafe_ptr_arg_deref)]

mod cublas;
mod cudnn;
mod cufft;
mod cusolver;
mod driver;
mod nvrtc;

pub use cublas::*;
pub use cudnn::*;
pub use cufft::*;
pub use cusolver::*;
pub use driver::*;
pub use nvrtc::*;
