//! NVIDIA GPUs.
pub use rushlight::{CudaDevice, CudaStorage};
