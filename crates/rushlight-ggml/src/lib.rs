//! ggml's block formats of quantized numbers, and the files that hold them.
//!
//! A quantized tensor is a sequence of blocks: bytes that hold a fixed number of elements, with one or more scales.
//! [`quantize`] and [`dequantize`] convert between f32 and blocks, [`gguf`] and [`ggml`] read files, [`imatrix`] reads
//! importance weights.
//!
//! ```
//! use rushlight_ggml::{GgmlDType, dequantize, quantize};
//! let x: Vec<f32> = (0..32).map(|i| i as f32).collect();
//! let mut blocks = vec![0; GgmlDType::Q8_0.bytes_of(x.len())?];
//! quantize(GgmlDType::Q8_0, &x, &mut blocks)?;
//! let mut y = vec![0.0; 32];
//! dequantize(GgmlDType::Q8_0, &blocks, &mut y)?;
//! assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 0.2));
//! # Ok::<(), rushlight_ggml::Error>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod blocks;
mod dtype;
mod error;
pub mod ggml;
pub mod gguf;
pub mod imatrix;
pub mod levels;
mod quantize;
mod source;

pub use blocks::{dequantize, dequantize_blocks, limit_scales, widen_blocks};
pub use dtype::{ALL, GgmlDType};
pub use error::{Error, Result};
pub use quantize::{quantize, quantize_imatrix};
