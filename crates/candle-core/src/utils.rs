//! Candle's questions about the machine, and its threads.
use rushlight::cpu::SimdLevel;
use std::ops::Range;
use std::sync::OnceLock;

/// Returns the number of threads that an op on the CPU may use.
pub fn get_num_threads() -> usize {
    rushlight::cpu::num_threads()
}

/// False: Apple's library is not used.
pub fn has_accelerate() -> bool {
    false
}

/// False: MKL is not used.
pub fn has_mkl() -> bool {
    false
}

/// Whether `Device::new_cuda(0)` opens a GPU on this machine: one of NVIDIA, or one of AMD if `RUSHLIGHT_CUDA_AS=rocm` says so.
/// (In candle: whether the program was compiled for CUDA.)
pub fn cuda_is_available() -> bool {
    rushlight::Device::cuda_if_available(0).is_ok_and(|d| !d.is_cpu())
}

/// False: there is no Metal backend.
pub fn metal_is_available() -> bool {
    false
}

/// Whether ops use AVX2.
pub fn with_avx() -> bool {
    rushlight::cpu::simd_level() >= SimdLevel::V3
}

/// Whether ops use NEON by choice at run time: they do not.
pub fn with_neon() -> bool {
    false
}

/// Whether ops use WebAssembly's vectors.
pub fn with_simd128() -> bool {
    false
}

/// Whether ops use the instructions that convert f16.
pub fn with_f16c() -> bool {
    with_avx()
}

/// Calls a function. Ops in it use Rushlight's threads.
pub fn with_threadpool<F: FnOnce() -> R + Send, R: Send>(f: F) -> R {
    f()
}

/// Initializes what ops on the CPU need.
pub fn init_global_threadpool() {
    rushlight::cpu::prepare();
}

/// Does nothing: threads are not bound to processors.
pub fn set_thread_affinity() {}

/// Rushlight's threads, as candle's crates ask for them.
#[derive(Debug)]
pub struct BarrierPool {
    /// Callers divide memory by this number, so it never changes.
    workers: usize,
}

/// Returns the pool.
pub fn barrier_pool() -> &'static BarrierPool {
    static POOL: OnceLock<BarrierPool> = OnceLock::new();
    POOL.get_or_init(|| BarrierPool { workers: get_num_threads().saturating_sub(1) })
}

impl BarrierPool {
    /// Returns the number of threads that help the caller.
    pub fn n_workers(&self) -> usize {
        self.workers
    }

    /// Calls `f(0)` to `f(n_workers())`, each once, on any threads.
    pub fn execute<F: Fn(usize) + Sync>(&self, f: F) {
        rushlight::cpu::parallel(self.workers + 1, &f);
    }

    /// Calls `f` with ranges that together are `0..n_items`.
    pub fn execute_chunked<F: Fn(Range<usize>) + Sync>(&self, n_items: usize, f: F) {
        // Some for each thread: one that begins late does fewer.
        let chunk = n_items.div_ceil((self.workers + 1) * 8).max(1);
        rushlight::cpu::parallel(n_items.div_ceil(chunk), &|i| {
            f(i * chunk..n_items.min((i + 1) * chunk));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn every_part_and_every_item_is_handled_once() {
        let pool = barrier_pool();
        let parts = AtomicUsize::new(0);
        pool.execute(|i| _ = parts.fetch_add(1 << i.min(20), Relaxed));
        assert_eq!(parts.into_inner(), (1 << (pool.n_workers() + 1)) - 1);
        for n in [0, 1, 7, 1000] {
            let items: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
            pool.execute_chunked(n, |range| range.for_each(|i| _ = items[i].fetch_add(1, Relaxed)));
            assert!(items.iter().all(|i| i.load(Relaxed) == 1));
        }
    }
}
