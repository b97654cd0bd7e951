//! Our own thread pool: its size is ours to set, and a forked child gets a new one.
use std::sync::{Arc, RwLock};

struct State {
    pid: u32,
    threads: usize,
    pool: Option<Arc<rayon::ThreadPool>>,
}

static STATE: RwLock<State> = RwLock::new(State { pid: 0, threads: 0, pool: None });

/// How many threads an op may use: the CPUs this process may run on (a container's limit counts), unless set.
pub fn num_threads() -> usize {
    let s = STATE.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    if s.threads > 0 { s.threads } else { default_threads() }
}

/// Sets how many threads an op may use; 0 chooses the default. Results do not depend on it.
pub fn set_num_threads(threads: usize) {
    let mut s = STATE.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    s.threads = threads;
    s.pool = None;
}

fn default_threads() -> usize {
    static N: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *N.get_or_init(|| {
        std::env::var("RUSHLIGHT_NUM_THREADS")
            .ok()
            .and_then(|v| v.parse().ok())
            .filter(|n| *n > 0)
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    })
}

fn pool() -> Option<Arc<rayon::ThreadPool>> {
    let pid = std::process::id();
    {
        let s = STATE.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        if s.pid == pid && s.pool.is_some() {
            return s.pool.clone();
        }
    }
    let n = num_threads();
    let mut s = STATE.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    if s.pid != pid {
        // The parent's threads do not exist here; dropping their pool would wait for them.
        std::mem::forget(s.pool.take());
        s.pid = pid;
    }
    if s.pool.is_none() {
        s.pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .thread_name(|i| format!("rushlight-{i}"))
            .build()
            .ok()
            .map(Arc::new);
    }
    s.pool.clone()
}

/// Runs `task(0..tasks)`, each once, on the pool; on this thread when there is one task or one thread.
pub(crate) fn parallel(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    if tasks > 1
        && num_threads() > 1
        && let Some(pool) = pool()
    {
        use rayon::prelude::*;
        pool.install(|| (0..tasks).into_par_iter().for_each(task));
        return;
    }
    (0..tasks).for_each(task);
}
