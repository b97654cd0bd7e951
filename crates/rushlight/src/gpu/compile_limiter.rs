//! Limits how many kernels are compiled at a time, and prints a note for the user who waits for the compiler.
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Largest number of kernels that are compiled at a time.
const AT_ONCE: u32 = 2;
/// Time after which the note is printed.
const LONG: Duration = Duration::from_secs(2);

/// Limits the number of concurrent compilations.
#[derive(Debug, Default)]
pub(crate) struct CompileLimiter {
    busy: Mutex<u32>,
    free: Condvar,
}

/// Permission to compile, which ends when it is dropped.
pub(crate) struct Permit<'a>(&'a CompileLimiter);

impl CompileLimiter {
    /// Waits until fewer than [`AT_ONCE`] compilations run.
    pub fn acquire(&self) -> Permit<'_> {
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let mut busy = self.free.wait_while(busy, |n| *n >= AT_ONCE).unwrap_or_else(PoisonError::into_inner);
        *busy += 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.busy.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.free.notify_one();
    }
}

static NOTED: AtomicBool = AtomicBool::new(false);

/// Suppresses the note, in a process whose purpose is to compile.
pub(crate) fn hush() {
    NOTED.store(true, Relaxed);
}

/// Runs `work`. If it takes longer than [`LONG`], prints the text to stderr, once in a process.
pub(crate) fn noted<T>(text: impl FnOnce() -> String + Send, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, wait) = mpsc::channel::<()>();
        let watch = move || {
            let long = wait.recv_timeout(LONG) == Err(mpsc::RecvTimeoutError::Timeout);
            if long && !NOTED.swap(true, Relaxed) {
                eprintln!("rushlight: {}", text());
            }
        };
        // If no thread can be started, no note is printed.
        let _ = std::thread::Builder::new().spawn_scoped(scope, watch);
        let made = work();
        drop(done);
        made
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn at_most_two_compile_at_a_time() {
        let (limiter, now, most) = (CompileLimiter::default(), AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|s| {
            for _ in 0..6 {
                s.spawn(|| {
                    let _permit = limiter.acquire();
                    most.fetch_max(now.fetch_add(1, Relaxed) + 1, Relaxed);
                    std::thread::sleep(Duration::from_millis(20));
                    now.fetch_sub(1, Relaxed);
                });
            }
        });
        assert_eq!((most.into_inner(), now.into_inner()), (2, 0));
    }

    #[test]
    fn short_work_prints_no_note() {
        let printed = AtomicBool::new(false);
        let text = || {
            printed.store(true, Relaxed);
            String::new()
        };
        assert_eq!(noted(text, || 7), 7);
        assert!(!printed.into_inner());
    }
}
