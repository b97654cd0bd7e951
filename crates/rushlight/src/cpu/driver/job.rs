//! A job: tasks that a thread does with the help of others, which may come late or not at all.
//!
//! The tasks are borrowed from the thread that owns the job, and its call does not return while a helper may use them: it
//! closes the job, after which no helper can join, and waits for those who have.
use crate::cpu::thread_pool::Patience;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Bits of a job's state: no helper may join; the owner sleeps until the last helper has left. The rest is the number of
/// helpers, times [`HELPER`].
const CLOSED: usize = 1;
const ASLEEP: usize = 2;
const HELPER: usize = 4;

/// Number of parts into which the tasks of a job are divided, at most.
const PARTS: usize = 16;

/// A value in a separate line of the cache, so that threads that read its neighbours do not wait for those that change it.
#[derive(Default)]
#[repr(align(64))]
pub(in crate::cpu) struct Line<T>(pub T);

/// Consecutive tasks of a job. Each thread begins with another part, the same one in each op, so that it finds in its
/// cache what it wrote before.
#[derive(Default)]
struct Part {
    /// The first task that nobody has begun.
    next: AtomicUsize,
    end: usize,
}

/// The tasks of one call.
pub struct Job {
    /// Valid while the job is not closed, and until all helpers have left.
    task: *const (dyn Fn(usize) + Sync),
    owner: Thread,
    /// Number of parts in use.
    count: usize,
    /// The panic of a helper's task.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    state: Line<AtomicUsize>,
    parts: [Line<Part>; PARTS],
}

thread_local! {
    /// The last job of this thread, whose memory the next one may use.
    static LAST: Cell<Option<Arc<Job>>> = const { Cell::new(None) };
}

// SAFETY: `task` is called by several threads, which its type allows, and only while it lives (see `Job::one`).
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

/// The threads that may help with a job.
pub trait Helpers {
    /// Shows the job to those that look for work.
    fn invite(&self, job: &Arc<Job>);
    /// Wakes others for it.
    fn wake(&self, job: &Arc<Job>);
    /// Wakes others for it if it is one of many short jobs. `left` is the time that its remaining tasks take, measured `now`.
    fn wake_for_many(&self, job: &Arc<Job>, left: Duration, now: Instant);
    /// Hides it.
    fn withdraw(&self, job: &Arc<Job>);
}

/// Closes a job when its owner is done, or panics.
struct Close<'a>(&'a Arc<Job>, &'a dyn Helpers);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.1.withdraw(self.0);
        self.0.close();
    }
}

impl Job {
    /// Makes a job of `count` parts, in the memory of this thread's last one if no helper has it any more.
    fn new(task: *const (dyn Fn(usize) + Sync), tasks: usize, count: usize) -> Arc<Self> {
        let part = |i| Part { next: AtomicUsize::new(i * tasks / count), end: (i + 1) * tasks / count };
        if let Some(mut job) = LAST.try_with(Cell::take).ok().flatten()
            && let Some(last) = Arc::get_mut(&mut job)
        {
            (last.task, last.count, last.state) = (task, count, Line::default());
            (0..count).for_each(|i| last.parts[i] = Line(part(i)));
            return job;
        }
        let parts = |i| Line(if i < count { part(i) } else { Part::default() });
        Arc::new(Self {
            task,
            owner: std::thread::current(),
            count,
            panic: Mutex::new(None),
            state: Line::default(),
            parts: std::array::from_fn(parts),
        })
    }

    /// Does `task(0..tasks)`, each once, on this thread and on those that `help` meanwhile, `threads` in all. Sleeping
    /// threads are woken if the tasks that are left after the first one take at least `worth`, each as long as that one, or if
    /// many jobs follow one another that take less.
    pub fn run(
        tasks: usize,
        threads: usize,
        task: &(dyn Fn(usize) + Sync),
        helpers: &dyn Helpers,
        worth: Duration,
    ) {
        // SAFETY: only the lifetime changes. `Close` ends the use of the tasks before this function returns or unwinds.
        let task =
            unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(task) };
        let job = Self::new(task, tasks, threads.min(tasks).clamp(1, PARTS));
        let mut part = 0;
        let close = Close(&job, helpers);
        helpers.invite(&job);
        let first = if worth.is_zero() { None } else { Some(Instant::now()) };
        match first {
            None => helpers.wake(&job),
            // SAFETY: the job is not closed before `close` is dropped.
            Some(first) if unsafe { job.one(&mut part) } => {
                let now = Instant::now();
                let left = job.left(now - first);
                if left >= worth { helpers.wake(&job) } else { helpers.wake_for_many(&job, left, now) }
            }
            Some(_) => {}
        }
        // SAFETY: as above.
        while unsafe { job.one(&mut part) } {}
        drop(close);
        let panic = job.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        // (Without the variable, at the end of a thread, its memory is freed.)
        _ = LAST.try_with(|last| last.set(Some(job)));
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// The time that the tasks which nobody has begun will take one after the other, if each takes as long as one.
    fn left(&self, one: Duration) -> Duration {
        let left = |Line(p): &Line<Part>| p.end.saturating_sub(p.next.load(Relaxed));
        let left = self.parts[..self.count].iter().map(left).sum::<usize>();
        one.saturating_mul(u32::try_from(left).unwrap_or(u32::MAX))
    }

    /// Does tasks of the job until all have been begun, first those of one part. Does nothing if the job is closed.
    pub fn help(&self, part: usize) {
        let join = |state| (state & CLOSED == 0).then_some(state + HELPER);
        if self.state.0.fetch_update(Acquire, Relaxed, join).is_err() {
            return;
        }
        let mut part = part % self.count;
        // SAFETY: this thread is a helper until `state` is changed below.
        let all = AssertUnwindSafe(|| while unsafe { self.one(&mut part) } {});
        if let Err(panic) = catch_unwind(all) {
            self.stop();
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
        if self.state.0.fetch_sub(HELPER, AcqRel) == CLOSED | ASLEEP | HELPER {
            self.owner.unpark();
        }
    }

    /// Does the next task of a part, or of the first part after it that has one, and returns whether there was one.
    ///
    /// # Safety
    /// The job is not closed, or this thread is one of its helpers.
    unsafe fn one(&self, part: &mut usize) -> bool {
        for _ in 0..self.count {
            let Line(Part { next, end }) = &self.parts[*part];
            let i = next.fetch_add(1, Relaxed);
            if i < *end {
                // SAFETY: the caller's condition; the owner's call has not returned, so the tasks live.
                unsafe { (*self.task)(i) };
                return true;
            }
            *part = if *part + 1 < self.count { *part + 1 } else { 0 };
        }
        false
    }

    /// Lets nobody begin a task.
    fn stop(&self) {
        self.parts[..self.count].iter().for_each(|Line(p)| p.next.store(p.end, Relaxed));
    }

    /// Lets no more helpers join, and waits until those who have are done.
    fn close(&self) {
        if std::thread::panicking() {
            self.stop();
        }
        let mut state = self.state.0.fetch_or(CLOSED, AcqRel) | CLOSED;
        let patience = Patience::new();
        while state >= HELPER {
            if patience.wait() {
                state = self.state.0.load(Acquire);
                continue;
            }
            state = self.state.0.fetch_or(ASLEEP, AcqRel) | ASLEEP;
            if state >= HELPER {
                std::thread::park();
                state = self.state.0.load(Acquire);
            }
        }
    }
}
