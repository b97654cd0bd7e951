//! CPU kernels, one file for each op or family of ops. They are simple loops, since other backends are compared with
//! them.
pub mod accumulate_norm;
pub mod activation;
pub mod attention;
pub mod bias_activation;
pub mod cast;
mod channels;
pub mod complex;
mod complex_elementary;
pub mod conv;
mod conv_reads;
mod conv_tiles;
pub mod copy;
pub mod cumsum;
mod division;
pub mod eig;
pub mod eigh;
pub mod elementwise;
pub mod fft;
pub mod fused;
mod gelu;
pub mod generate;
pub mod grid_sample;
pub mod grouped_matmul;
pub mod im2col;
pub mod index;
pub mod layerwise;
pub mod linalg;
pub mod loss;
pub mod matmul;
pub mod moves;
pub mod norm;
pub mod num;
pub mod optim;
pub mod pad;
pub mod pointwise_loss;
pub mod pooling;
pub mod predicate;
pub mod qr;
pub mod quantized;
pub mod random;
pub mod recurrent;
pub mod reduce;
mod reduce_arg;
mod reduce_complex;
mod reduce_extreme;
mod reduce_tree;
mod reflections;
pub mod rotary_embedding;
mod rotations;
pub mod softmax;
pub mod softplus;
pub mod sort;
pub mod sparse;
pub mod spatial;
pub mod svd;
pub mod upsample;

/// The Rust type of each dtype, under the dtype's name (for the dispatch macros).
#[allow(missing_docs)]
pub mod types {
    pub type Bool = bool;
    pub type U8 = u8;
    pub type I8 = i8;
    pub type U16 = u16;
    pub type I16 = i16;
    pub type U32 = u32;
    pub type I32 = i32;
    pub type U64 = u64;
    pub type I64 = i64;
    pub type F8E4M3 = float8::F8E4M3;
    pub type BF16 = half::bf16;
    pub type F16 = half::f16;
    pub type F32 = f32;
    pub type F64 = f64;
    pub type C64 = crate::dtype::C64;
    pub type C128 = crate::dtype::C128;
}
