//! Taking turns at the compiler, and a note for the user who waits for it.
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// How many kernels are compiled at a time.
const AT_ONCE: u32 = 2;
/// After this a user is told what takes so long.
const LONG: Duration = Duration::from_secs(2);

/// Who compiles.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    busy: Mutex<u32>,
    free: Condvar,
}

/// The right to compile, until it is dropped.
pub(crate) struct Turn<'a>(&'a Turns);

impl Turns {
    /// Waits until fewer than two compile.
    pub fn take(&self) -> Turn<'_> {
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let mut busy = self.free.wait_while(busy, |n| *n >= AT_ONCE).unwrap_or_else(PoisonError::into_inner);
        *busy += 1;
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.busy.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.free.notify_one();
    }
}

static TOLD: AtomicBool = AtomicBool::new(false);

/// The note is not for a process that compiles on purpose.
pub(crate) fn hush() {
    TOLD.store(true, Relaxed);
}

/// Does the work; when it takes more than two seconds, the text goes to stderr, once in a process.
pub(crate) fn noted<T>(text: impl FnOnce() -> String + Send, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, wait) = mpsc::channel::<()>();
        let watch = move || {
            let long = wait.recv_timeout(LONG) == Err(mpsc::RecvTimeoutError::Timeout);
            if long && !TOLD.swap(true, Relaxed) {
                eprintln!("rushlight: {}", text());
            }
        };
        // Without a thread to spare the work is done without a note.
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
    fn two_at_a_time() {
        let (turns, now, most) = (Turns::default(), AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|s| {
            for _ in 0..6 {
                s.spawn(|| {
                    let _turn = turns.take();
                    most.fetch_max(now.fetch_add(1, Relaxed) + 1, Relaxed);
                    std::thread::sleep(Duration::from_millis(20));
                    now.fetch_sub(1, Relaxed);
                });
            }
        });
        assert_eq!((most.into_inner(), now.into_inner()), (2, 0));
    }

    #[test]
    fn short_work_is_not_noted() {
        let told = AtomicBool::new(false);
        let text = || {
            told.store(true, Relaxed);
            String::new()
        };
        assert_eq!(noted(text, || 7), 7);
        assert!(!told.into_inner());
    }
}
