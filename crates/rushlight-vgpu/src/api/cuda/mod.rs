//! The virtual NVIDIA GPU: CUDA's driver, NVRTC, cuBLAS and cuDNN, as far as rushlight-cuda calls them, over the engine that
//! runs HIP's kernels. Their meaning is NVIDIA's documentation's; where that leaves a case undefined they return an error.
#![allow(missing_docs, non_snake_case, clippy::not_unsafe_ptr_arg_deref)]

mod cublas;
mod cudnn;
mod driver;
mod nvrtc;

pub use cublas::*;
pub use cudnn::*;
pub use driver::*;
pub use nvrtc::*;
