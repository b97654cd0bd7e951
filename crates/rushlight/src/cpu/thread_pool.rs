//! The library's thread pool. Its size can be set at any time, and a forked child gets a new pool.
//!
//! A thread that runs an op does tasks itself, and invites threads of the pool to help. It waits only for those that have
//! come: one that wakes late costs nothing. After an op, threads look for more work for some microseconds and then sleep:
//! ops that follow one another find them awake. Waking one takes the caller about 5 microseconds, and begins to help after 10
//! to 50, so a short op wakes none, unless many follow one another. A thread sleeps away from the CPU of the last caller:
//! woken there, it would wait for the caller, and do nothing.
//!
//! A fork copies locks in the state they are in, but not the threads that hold them. So running an op locks only
//! its process's pool, and a thread never waits indefinitely for a lock that a thread of another process may hold.
use super::driver::{Helpers, Job, Line};
use rushlight_load::processor;
use rushlight_load::settings::NUM_THREADS;
use std::cell::{OnceCell, RefCell};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// How long a thread looks for work, or waits for others, before it sleeps: a few times as long as waking it takes.
const PATIENCE: Duration = Duration::from_micros(50);
/// Time that the rest of a short op must take for threads to be woken for it.
const WORTH: Duration = Duration::from_micros(40);
/// Time that the rests of short ops which follow one another must take for threads to be woken.
const WORTH_OF_MANY: Duration = Duration::from_micros(160);
/// Number of tasks for each thread: one that begins late, or is interrupted, does fewer of them.
const EACH: usize = 8;

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
    /// The board of the pool that this thread belongs to.
    static MEMBER: OnceCell<Arc<Board>> = const { OnceCell::new() };
}

/// A wait that is short enough to spend without sleeping.
pub(super) struct Patience(Instant);

impl Patience {
    pub fn new() -> Self {
        Self(Instant::now())
    }

    /// Waits a moment, and returns whether to go on waiting like this.
    pub fn wait(&self) -> bool {
        for _ in 0..8 {
            std::hint::spin_loop();
        }
        if self.0.elapsed() < PATIENCE / 8 {
            return true;
        }
        std::thread::yield_now();
        self.0.elapsed() < PATIENCE
    }
}

/// Where threads of a pool find jobs.
#[derive(Default)]
struct Board {
    list: Mutex<List>,
    wake: Condvar,
    /// Number of free slots in all jobs, a copy of what the list says: what threads read that look for work.
    slots: Line<AtomicUsize>,
    /// Number of threads that look for work and do not sleep.
    looking: Line<AtomicUsize>,
    /// One more than the CPU of the thread that ran the last op; 0 if it is unknown.
    caller: Line<AtomicUsize>,
}

/// A job that is open to helpers.
struct Open {
    job: Arc<Job>,
    /// Number of helpers that may still come, at least one.
    slots: usize,
    /// Whether sleeping threads are woken for it.
    wakes: bool,
}

#[derive(Default)]
struct List {
    jobs: Vec<Open>,
    sleeping: usize,
    /// Time of the rests of short ops that followed one another without help, and when the last of them ran.
    short: Duration,
    last: Option<Instant>,
    /// The pool is gone.
    over: bool,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes threads if those that look for work are too few for the free slots. Two at most: each wakes others, so that
    /// one need not wake them all.
    fn wake(&self, list: MutexGuard<'_, List>) {
        let free = list.jobs.iter().filter(|open| open.wakes).map(|open| open.slots).sum::<usize>();
        let missing = free.saturating_sub(self.looking.0.load(SeqCst));
        let wakes = missing.min(list.sleeping).min(2);
        drop(list);
        (0..wakes).for_each(|_| self.wake.notify_one());
    }

    /// Takes a slot of a job, or gives the list back if there is none.
    fn take<'a>(&self, mut list: MutexGuard<'a, List>) -> Result<Arc<Job>, MutexGuard<'a, List>> {
        let Some(open) = list.jobs.first_mut() else {
            return Err(list);
        };
        let job = open.job.clone();
        open.slots -= 1;
        if open.slots == 0 {
            list.jobs.remove(0);
        }
        self.slots.0.fetch_sub(1, SeqCst);
        self.wake(list);
        Ok(job)
    }

    /// Looks for a job without sleeping.
    fn look(&self) -> Option<Arc<Job>> {
        let patience = Patience::new();
        self.looking.0.fetch_add(1, SeqCst);
        while patience.wait() {
            if self.slots.0.load(SeqCst) == 0 {
                continue;
            }
            self.looking.0.fetch_sub(1, SeqCst);
            // (Without waiting for the lock: the slots may be taken by then.)
            if let Some(Ok(job)) = self.list.try_lock().ok().map(|list| self.take(list)) {
                return Some(job);
            }
            self.looking.0.fetch_add(1, SeqCst);
        }
        self.looking.0.fetch_sub(1, SeqCst);
        None
    }

    /// Waits for a job; returns `None` if the pool is gone. The thread is then not on the CPU of the job's owner, which it
    /// would only interrupt.
    fn next(&self) -> Option<Arc<Job>> {
        let job = match self.look() {
            Some(job) => job,
            None => self.sleep()?,
        };
        let caller = self.caller.0.load(Relaxed).checked_sub(1);
        if caller.is_some() && caller == processor::current() {
            drop(caller.and_then(processor::avoid));
        }
        Some(job)
    }

    /// Same as [`Self::next`], without looking for one first.
    fn sleep(&self) -> Option<Arc<Job>> {
        // A thread that is woken on the caller's CPU may have to wait until the op is over.
        let caller = self.caller.0.load(Relaxed).checked_sub(1);
        let _avoided = caller.and_then(processor::avoid);
        let mut list = self.lock();
        loop {
            if list.over {
                return None;
            }
            match self.take(list) {
                Ok(job) => return Some(job),
                Err(nothing) => list = nothing,
            }
            list.sleeping += 1;
            list = self.wake.wait(list).unwrap_or_else(PoisonError::into_inner);
            list.sleeping -= 1;
        }
    }

    /// Notes the CPU of a thread that runs an op.
    fn called(&self) {
        let caller = processor::current().map_or(0, |cpu| cpu + 1);
        if self.caller.0.load(Relaxed) != caller {
            self.caller.0.store(caller, Relaxed);
        }
    }
}

/// The helpers of a call: `slots` threads of a pool.
struct Invited<'a> {
    board: &'a Board,
    slots: usize,
}

impl Invited<'_> {
    /// Calls `f` with the list and the index of a job in it, unless all its slots are taken.
    fn listed(&self, job: &Arc<Job>, f: impl FnOnce(MutexGuard<'_, List>, usize)) {
        if self.board.slots.0.load(SeqCst) > 0 {
            let list = self.board.lock();
            if let Some(i) = list.jobs.iter().position(|open| Arc::ptr_eq(&open.job, job)) {
                f(list, i);
            }
        }
    }
}

impl Helpers for Invited<'_> {
    fn invite(&self, job: &Arc<Job>) {
        let open = Open { job: job.clone(), slots: self.slots, wakes: false };
        let mut list = self.board.lock();
        list.jobs.push(open);
        self.board.slots.0.fetch_add(self.slots, SeqCst);
    }

    fn wake(&self, job: &Arc<Job>) {
        self.listed(job, |mut list, i| {
            list.jobs[i].wakes = true;
            self.board.wake(list);
        });
    }

    fn wake_for_many(&self, job: &Arc<Job>, left: Duration, now: Instant) {
        self.listed(job, |mut list, i| {
            let follows = list.last.is_some_and(|last| now.saturating_duration_since(last) < PATIENCE);
            list.short = if follows { list.short + left } else { left };
            list.last = Some(now);
            if list.short >= WORTH_OF_MANY {
                list.short = Duration::ZERO;
                list.jobs[i].wakes = true;
                self.board.wake(list);
            }
        });
    }

    fn withdraw(&self, job: &Arc<Job>) {
        self.listed(job, |mut list, i| {
            self.board.slots.0.fetch_sub(list.jobs.remove(i).slots, SeqCst);
        });
    }
}

/// The threads of a process, which end when the pool is dropped.
struct Pool {
    pid: u32,
    board: Arc<Board>,
    /// Number of threads.
    size: usize,
}

impl Pool {
    /// Starts threads; fewer if the system allows no more.
    fn new(pid: u32, threads: usize) -> Self {
        let board = Arc::<Board>::default();
        let start = |i: &usize| {
            let (board, part) = (board.clone(), i + 1);
            let work = move || {
                let board = MEMBER.with(|m| m.get_or_init(|| board).clone());
                while let Some(job) = board.next() {
                    job.help(part);
                }
            };
            std::thread::Builder::new().name(format!("rushlight-{i}")).spawn(work).is_ok()
        };
        let size = (0..threads).take_while(start).count();
        Self { pid, board, size }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // (In a forked child there are no threads to end, and one of the parent's may hold the lock.)
        if self.pid == std::process::id() {
            self.board.lock().over = true;
            self.board.wake.notify_all();
        }
    }
}

/// A pool, with the value of `SETTINGS` that it was made for.
#[derive(Clone)]
struct Known {
    settings: usize,
    pool: Arc<Pool>,
}

impl Known {
    /// Returns the pool, if it was made for `pid` and `settings`.
    fn fits(known: &mut Option<Self>, pid: u32, settings: usize) -> Option<Self> {
        let found = known.take()?;
        if found.pool.pid == pid && found.settings == settings {
            *known = Some(found.clone());
            return Some(found);
        }
        None
    }

    fn new(pid: u32, settings: usize) -> Self {
        // The thread that runs an op is one of them.
        let threads = num_threads().saturating_sub(1);
        Self { settings, pool: Arc::new(Pool::new(pid, threads)) }
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
/// cache sizes (reading them may take milliseconds) and the number of threads. A
/// child that is forked during such an initialization would wait for ever. The Python module calls this on import; a
/// Rust program that forks while its threads compute calls it before it starts them. Starts no thread.
///
/// ```
/// rushlight::cpu::prepare();
/// assert!(rushlight::cpu::num_threads() >= 1);
/// ```
pub fn prepare() {
    num_threads();
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

fn pool() -> Arc<Pool> {
    let (pid, settings) = (std::process::id(), SETTINGS.load(Relaxed));
    MINE.with_borrow_mut(|mine| {
        if let Some(known) = Known::fits(mine, pid, settings) {
            return known.pool;
        }
        let known = match lock(pid) {
            Some(mut shared) => match Known::fits(&mut shared, pid, settings) {
                Some(known) => known,
                None => shared.insert(Known::new(pid, settings)).clone(),
            },
            None => Known::new(pid, settings),
        };
        mine.insert(known).pool.clone()
    })
}

/// Returns the number of tasks for work that could be done in up to `most` parts.
pub(crate) fn tasks(most: usize) -> usize {
    match num_threads() {
        0 | 1 => 1,
        n => most.clamp(1, n * EACH),
    }
}

/// Does `task(0..tasks)`, each once, on this thread and on those of the pool. On this thread alone if there is one task or
/// one thread.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// let sum = AtomicUsize::new(0);
/// rushlight::cpu::parallel(5, &|i| _ = sum.fetch_add(i, Relaxed));
/// assert_eq!(sum.into_inner(), 10);
/// ```
pub fn parallel(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    run(tasks, task, Duration::ZERO);
}

/// Same as [`parallel`], for tasks that may be so short that it is not worth while to wake threads.
pub(crate) fn parallel_short(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    run(tasks, task, WORTH);
}

fn run(tasks: usize, task: &(dyn Fn(usize) + Sync), worth: Duration) {
    if tasks <= 1 || num_threads() <= 1 {
        return (0..tasks).for_each(task);
    }
    let (board, helpers) = match MEMBER.with(|m| m.get().cloned()) {
        // A task of a task: this thread belongs to a pool.
        Some(board) => (board, num_threads() - 1),
        None => {
            let pool = pool();
            pool.board.called();
            (pool.board.clone(), pool.size)
        }
    };
    let slots = helpers.min(tasks - 1);
    if slots == 0 {
        return (0..tasks).for_each(task);
    }
    Job::run(tasks, slots + 1, task, &Invited { board: &board, slots }, worth);
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
                (sum.into_inner(), pool().size > 0)
            });
            let done = got.join();
            drop(held);
            done
        });
        assert_eq!(done.unwrap(), (4950, true));
    }

    /// Tests that set the number of threads run one after the other.
    static ONE: Mutex<()> = Mutex::new(());

    /// Calls `f` with a pool of `n` threads.
    fn with_threads(n: usize, f: impl FnOnce()) {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        set_num_threads(n);
        f();
        set_num_threads(0);
    }

    /// Tasks of several callers at once, of which some have tasks themselves, on a pool of several threads.
    #[test]
    fn each_task_is_done_once() {
        let counts: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        let add = &|i: usize| {
            counts[i].fetch_add(1, Relaxed);
        };
        let inner = |first| parallel_short(5, &|k| (0..2).for_each(|j| add(first + 2 * k + j)));
        with_threads(4, || {
            std::thread::scope(|s| {
                for first in (0..1000).step_by(250) {
                    s.spawn(move || parallel(25, &|i| inner(first + 10 * i)));
                }
            });
        });
        assert!(counts.iter().all(|n| n.load(Relaxed) == 1), "{counts:?}");
    }

    #[test]
    fn threads_of_the_pool_help() {
        let ids = Mutex::new(std::collections::HashSet::new());
        let begun = std::sync::Barrier::new(3);
        with_threads(3, || {
            parallel(3, &|_| {
                ids.lock().unwrap_or_else(PoisonError::into_inner).insert(std::thread::current().id());
                // Only three threads at once come past this.
                begun.wait();
            });
        });
        assert_eq!(ids.into_inner().map(|ids| ids.len()).ok(), Some(3));
    }

    #[test]
    fn many_short_ops_wake_a_thread_that_one_does_not() {
        if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
            return; // A second thread would have to wait for the first.
        }
        let caller = std::thread::current().id();
        let helped = AtomicUsize::new(0);
        let task = |_| {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_micros(4) {
                std::hint::spin_loop();
            }
            helped.fetch_add(usize::from(std::thread::current().id() != caller), Relaxed);
        };
        with_threads(2, || {
            let begin = Instant::now();
            while helped.load(Relaxed) == 0 && begin.elapsed() < Duration::from_secs(20) {
                (0..100).for_each(|_| parallel_short(4, &task));
            }
        });
        assert!(helped.into_inner() > 0);
    }

    /// A thread that slept on the caller's CPU could be woken there, and would not run before the op is over.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_sleeping_thread_avoids_one_cpu() {
        let cpus = |task: &str| {
            let status = std::fs::read_to_string(format!("/proc/{task}/status")).unwrap_or_default();
            status.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap_or_default().to_string()
        };
        let own = cpus("thread-self");
        if !own.contains([',', '-']) {
            assert!(own.starts_with("Cpus_allowed_list"), "this system lists no CPUs");
            return; // There is no other CPU.
        }
        with_threads(2, || {
            let (begun, seen) = (std::sync::Barrier::new(2), Mutex::new(Vec::new()));
            let caller = std::thread::current().id();
            let task = |_| {
                begun.wait();
                if std::thread::current().id() != caller {
                    let id = std::fs::read_link("/proc/thread-self").unwrap_or_default();
                    let found = (id.to_string_lossy().into_owned(), cpus("thread-self"));
                    seen.lock().unwrap_or_else(PoisonError::into_inner).push(found);
                }
            };
            parallel(2, &task);
            let (id, first) = seen.lock().map(|seen| seen[0].clone()).unwrap_or_default();
            assert_eq!(first, own);
            let begin = Instant::now();
            while cpus(&id) == own && begin.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let asleep = cpus(&id);
            assert!(asleep.starts_with("Cpus_allowed_list") && asleep != own, "{id}: {asleep}");
            parallel(2, &task);
            let last = seen.lock().ok().and_then(|seen| seen.last().cloned());
            assert_eq!(last, Some((id, own)));
        });
    }

    #[test]
    fn a_panic_of_a_task_reaches_the_caller_when_all_threads_are_done() {
        let running = AtomicUsize::new(0);
        let sum = AtomicUsize::new(0);
        with_threads(3, || {
            for wrong in 0..8 {
                let call = || {
                    parallel(8, &|i| {
                        running.fetch_add(1, Relaxed);
                        std::thread::sleep(Duration::from_millis(1));
                        running.fetch_sub(1, Relaxed);
                        assert_ne!(i, wrong, "as intended");
                    });
                };
                assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
                assert_eq!(running.load(Relaxed), 0);
            }
            parallel(100, &|i| {
                sum.fetch_add(i, Relaxed);
            });
        });
        assert_eq!(sum.into_inner(), 4950);
    }
}
