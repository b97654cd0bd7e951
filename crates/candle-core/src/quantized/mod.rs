//! Quantized tensors: [`rushlight::quantized`], and the blocks as types.
pub use rushlight::quantized::*;

pub mod k_quants;

pub use k_quants::GgmlType;
