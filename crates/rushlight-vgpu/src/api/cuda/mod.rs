//! The virtual NVIDIA GPU: the functions of CUDA's driver, NVRTC, cuBLAS, cuDNN and cuFFT that rushlight-cuda calls, on the
//! host engine. They behave as NVIDIA documents; undefined cases return an error.
#![allow(missing_docs, non_snake_case, clippy::not_unsafe_ptr_arg_deref)]

mod cublas;
mod cudnn;
mod cufft;
mod driver;
mod nvrtc;

pub use cublas::*;
pub use cudnn::*;
pub use cufft::*;
pub use driver::*;
pub use nvrtc::*;
