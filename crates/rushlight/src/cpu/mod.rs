//! The CPU: the reference backend, whose results other backends are compared with. One exhaustive match runs every op.
pub mod buffer;
pub(crate) mod driver;
pub(crate) mod elementary;
pub(crate) mod elementary_f64;
mod elementary_f64_gelu;
mod elementary_f64_inverse;
pub(crate) mod elementary_f64_pow;
pub(crate) mod elementary_inverse;
pub(crate) mod map;
mod map_half;
mod run;
pub mod scratch;
pub(crate) mod simd_convert;
pub mod simd_gemm;
pub(crate) mod simd_half;
mod simd_int8;
#[cfg(target_arch = "x86_64")]
mod simd_int8_levels;
pub(crate) mod simd_isa;
pub mod simd_panel;
pub(crate) mod simd_tile;
mod simd_vector;
mod storage;
mod thread_pool;
mod vec_ops;

pub(crate) mod kernels;

pub use buffer::{Buffer, MemoryStats, empty_cache, memory_stats, reset_peak};
pub(crate) use run::{join, run};
pub(crate) use simd_isa::check as check_simd_level;
pub use simd_isa::{SimdLevel, highest_simd_level, set_simd_level, simd_level};
pub use storage::CpuStorage;
pub(crate) use storage::{dispatch, dispatch_all};
pub use thread_pool::{num_threads, parallel, prepare, set_num_threads};
pub use vec_ops::VecOps;

/// Applies a function to each element of a layout, row-major. Candle's helper for custom ops.
pub fn unary_map<T: Copy, U: crate::Element, F: FnMut(T) -> U>(
    vs: &[T],
    layout: &crate::Layout,
    mut f: F,
) -> Buffer<U> {
    layout.strided_index().map(|i| f(vs[i])).collect()
}
