//! Tensors in the style of candle, for CPUs, AMD GPUs and NVIDIA GPUs.
//!
//! ```
//! use rushlight::{DType, Device, Tensor};
//! let device = Device::Cpu;
//! let a = Tensor::randn(0f32, 1., (2, 3), &device)?;
//! let b = Tensor::ones((3, 4), DType::F32, &device)?;
//! assert_eq!(a.matmul(&b)?.dims(), &[2, 4]);
//! # Ok::<(), rushlight::Error>(())
//! ```
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

// The library's own code and examples refer to it by its name, as users do.
extern crate self as rushlight;

pub mod autograd;
pub mod backend;
mod candle_nn;
pub mod cpu;
mod custom_op;
mod deterministic;
mod device;
mod dimvec;
pub mod display;
mod dtype;
pub mod error;
mod free_list;
pub mod gpu;
mod handle;
mod indexer;
pub mod io;
mod layout;
pub mod ops;
pub mod profiler;
pub mod quantized;
pub mod recurrent;
pub mod rng;
mod scalar;
pub mod settings;
pub mod shape;
mod storage;
mod tensor;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testdev;
mod variable;

/// Candle's name for [`autograd`].
pub use autograd as backprop;
/// Candle's name for [`cpu`].
pub use cpu as cpu_backend;

/// Candle's module of convolutions, with what programs name of it.
pub mod conv {
    pub use crate::ops::conv::CudnnFwdAlgo;
}

pub use autograd::GradStore;
pub use cpu::CpuStorage;
pub use custom_op::{CustomOp1, CustomOp2, CustomOp3, InplaceOp1, InplaceOp2, InplaceOp3};
pub use deterministic::{deterministic, set_deterministic};
pub use device::{
    CudaDevice, CudaStorage, Device, DeviceLocation, MetalDevice, MetalStorage, NdArray, RocmDevice,
    RocmStorage,
};
pub use dtype::{
    C64, C128, DType, DTypeParseError, DTypeSet, Element, FloatDType, IntDType, Kind, WithDType, sets,
};
pub use error::{Context, Error, Result};
pub use gpu::{KernelArg, RocmKernel};
pub use indexer::{IndexOp, TensorIndexer};
pub use io::{npy, pickle, safetensors};
pub use layout::{Layout, StridedBlocks, StridedIndex};
pub use ops::window::ToUsize2;
pub use scalar::{Scalar, TensorOrScalar, TensorScalar};
pub use shape::{D, Dim, Dims, Shape, ShapeWithOneHole};
pub use storage::{Backend, Storage, StorageCell, Support, View, ViewMut};
pub use tensor::{Tensor, TensorId};
pub use variable::Var;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// A function from a tensor to a tensor: a layer, or a closure.
pub trait Module {
    /// Applies the module.
    fn forward(&self, xs: &Tensor) -> Result<Tensor>;
}

impl<T: Fn(&Tensor) -> Result<Tensor>> Module for T {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        self(xs)
    }
}

impl<M: Module> Module for Option<&M> {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        match self {
            None => Ok(xs.clone()),
            Some(m) => m.forward(xs),
        }
    }
}

/// A module that behaves differently in training (dropout, batch norm).
pub trait ModuleT {
    /// Applies the module, in training or evaluation mode.
    fn forward_t(&self, xs: &Tensor, train: bool) -> Result<Tensor>;
}

impl<M: Module> ModuleT for M {
    fn forward_t(&self, xs: &Tensor, _train: bool) -> Result<Tensor> {
        self.forward(xs)
    }
}
