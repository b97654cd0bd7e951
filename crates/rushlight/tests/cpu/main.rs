//! Tests of the library on the CPU, as one program: separate programs would link the library twenty times.
#[path = "../common/mod.rs"]
mod common;
#[path = "../golden/mod.rs"]
mod golden;

mod arithmetic;
mod autograd;
mod candle_defects_conv;
mod candle_defects_core;
mod candle_defects_index;
mod complex;
mod conv;
mod double_backward;
mod elementary;
mod exact;
mod fft;
mod fused;
mod golden_index;
mod index_ops;
mod index_props;
mod io;
mod layouts;
mod movement;
mod norm;
mod optim;
mod pointwise_loss;
mod pooling;
mod quantized;
mod quantized_int8;
mod recurrent;
mod reduction;
mod rng;
mod semantics;
mod simd_levels;
mod sort_scan;
mod values;
