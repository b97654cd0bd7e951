//! The library's thread pool. Its size can be set at any time, and a forked child gets a new pool.
//!
//! A fork copies locks in the state they are in, but not the threads that hold them. So running an op normally takes no
//! lock, and a thread never waits indefinitely for a lock that a thread of another process may hold.
use rayon::ThreadPool;
use rushlight_load::settings::NUM_THREADS;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// The number of threads that the user has set; 0 for the default.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// Number of calls of `set_num_threads`.
static SETTINGS: AtomicUsize = AtomicUsize::new(0);
static SHARED: Mutex<Option<Known>> = Mutex::new(None);
/// Id of the process whose threads may wait for `SHARED`.
static LOCKED_BY: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The pool that this thread used last.
    static MINE: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// A pool, with the process and the value of `SETTINGS` that it was made for.
#[derive(Clone)]
struct Known {
    pid: u32,
    settings: usize,
    pool: Arc<ThreadPool>,
}

impl Known {
    /// Returns the pool, if it was made for `pid` and `settings`. A pool of another process is leaked: its threads do
    /// not exist in this process, and dropping it would wait for them.
    fn fits(known: &mut Option<Self>, pid: u32, settings: usize) -> Option<Self> {
        let found = known.take()?;
        if found.pid != pid {
            std::mem::forget(found);
        } else if found.settings == settings {
            *known = Some(found.clone());
            return Some(found);
        }
        None
    }

    fn new(pid: u32, settings: usize) -> Option<Self> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(num_threads())
            .thread_name(|i| format!("rushlight-{i}"))
            .build();
        Some(Self { pid, settings, pool: Arc::new(pool.ok()?) })
    }
}

/// Returns the number of threads that an op may use: as set by `set_num_threads` or `RUSHLIGHT_NUM_THREADS`, else the
/// number of CPUs that this process may use (a container's limit counts).
pub fn num_threads() -> usize {
    match THREADS.load(Relaxed) {
        0 => default_threads(),
        n => n,
    }
}

/// Sets the number of threads that an op may use; 0 selects the default. Results do not depend on it.
pub fn set_num_threads(threads: usize) {
    THREADS.store(threads, Relaxed);
    SETTINGS.fetch_add(1, Relaxed);
}

/// Initializes global state that would otherwise be initialized at its first use, while other threads wait for it: the
/// cache sizes (reading them may take milliseconds), the thread pool's memory reclaimer, and the number of threads. A
/// child that is forked during such an initialization would wait for ever. The Python module calls this on import; a
/// Rust program that forks while its threads compute calls it before it starts them. Starts no thread.
///
/// ```
/// rushlight::cpu::prepare();
/// assert!(rushlight::cpu::num_threads() >= 1);
/// ```
pub fn prepare() {
    num_threads();
    crossbeam_epoch::default_collector();
    let m = super::simd_gemm::Mat { start: 0, rs: 4, cs: 1 };
    let (a, mut out) = ([1f32; 16], [0f32; 16]);
    let done = super::simd_gemm::gemm(4, 4, 4, (&a, m), (&a, m), &mut out, 4);
    debug_assert!(done && out == [4.0; 16]);
}

fn default_threads() -> usize {
    static N: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *N.get_or_init(|| {
        // An invalid value is reported by every op, so it is ignored here.
        let set = NUM_THREADS.integer().unwrap_or_default().and_then(|n| usize::try_from(n).ok());
        set.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    })
}

/// Locks the shared pool, or returns `None` if a thread that does not exist in this process holds the lock.
fn lock(pid: u32) -> Option<MutexGuard<'static, Option<Known>>> {
    if LOCKED_BY.load(Relaxed) == pid {
        return Some(SHARED.lock().unwrap_or_else(PoisonError::into_inner));
    }
    for _ in 0..1000 {
        match SHARED.try_lock() {
            Ok(guard) => {
                LOCKED_BY.store(pid, Relaxed);
                return Some(guard);
            }
            Err(TryLockError::Poisoned(e)) => return Some(e.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

fn pool() -> Option<Arc<ThreadPool>> {
    let (pid, settings) = (std::process::id(), SETTINGS.load(Relaxed));
    MINE.with_borrow_mut(|mine| {
        if let Some(known) = Known::fits(mine, pid, settings) {
            return Some(known.pool);
        }
        let known = match lock(pid) {
            Some(mut shared) => match Known::fits(&mut shared, pid, settings) {
                Some(known) => known,
                None => shared.insert(Known::new(pid, settings)?).clone(),
            },
            None => Known::new(pid, settings)?,
        };
        Some(mine.insert(known).pool.clone())
    })
}

/// Runs `task(0..tasks)` on the pool, each once. Runs on this thread if there is one task or one thread.
pub(crate) fn parallel(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;
    let all = || (0..tasks).into_par_iter().for_each(task);
    if tasks > 1 && num_threads() > 1 {
        if rayon::current_thread_index().is_some() {
            return all();
        }
        if let Some(pool) = pool() {
            return pool.install(all);
        }
    }
    (0..tasks).for_each(task);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a child that was forked while another thread of its parent held the lock.
    #[test]
    fn a_lock_of_another_process_is_not_waited_for() {
        let done = std::thread::scope(|s| {
            let held = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
            LOCKED_BY.store(u32::MAX, Relaxed);
            let got = s.spawn(|| {
                let sum = AtomicUsize::new(0);
                parallel(100, &|i| {
                    sum.fetch_add(i, Relaxed);
                });
                (sum.into_inner(), pool().is_some())
            });
            let done = got.join();
            drop(held);
            done
        });
        assert_eq!(done.unwrap(), (4950, true));
    }
}
