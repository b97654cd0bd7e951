//! The CPUs on which a thread runs.
//!
//! A scheduler may wake a thread on the CPU of the thread that wakes it, although another CPU is idle: some virtual
//! machines gather threads on few CPUs to let the others sleep. A thread that should compute beside the one that woke it
//! then waits for it, for milliseconds. On systems other than Linux these functions do nothing.

/// Returns the index of the CPU that runs this thread, if the system tells it.
#[inline]
pub fn current() -> Option<usize> {
    imp::current()
}

/// Keeps this thread off a CPU until the result is dropped; it leaves the CPU at once if it is on it. Returns `None`, and
/// changes nothing, if the thread may run on no other CPU, or the system refuses.
///
/// ```
/// use rushlight_load::processor::{avoid, current};
/// if let Some(here) = current() {
///     if let Some(_avoided) = avoid(here) {
///         assert_ne!(current(), Some(here));
///     }
/// }
/// ```
pub fn avoid(cpu: usize) -> Option<Avoided> {
    imp::avoid(cpu).map(Avoided)
}

/// A thread's promise to stay off a CPU: see [`avoid`]. Drop it on the thread that made it.
pub struct Avoided(#[allow(dead_code)] imp::Masks);

#[cfg(target_os = "linux")]
mod imp {
    use libc::{CPU_CLR, CPU_COUNT, CPU_EQUAL, CPU_ISSET, cpu_set_t};
    use std::marker::PhantomData;

    /// The CPUs of a thread before and after a change. (Not `Send`: it belongs to one thread.)
    pub struct Masks {
        old: cpu_set_t,
        new: cpu_set_t,
        thread: PhantomData<*const ()>,
    }

    #[inline]
    pub fn current() -> Option<usize> {
        // SAFETY: the call has no arguments and changes nothing.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }

    /// Returns the CPUs on which this thread may run. Fails on systems with more CPUs than the set has bits.
    fn allowed() -> Option<cpu_set_t> {
        // SAFETY: zero bytes are an empty set.
        let mut set: cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: 0 is this thread, and the set has the given size.
        let failed = unsafe { libc::sched_getaffinity(0, size_of::<cpu_set_t>(), &raw mut set) };
        (failed == 0).then_some(set)
    }

    fn allow(set: &cpu_set_t) -> bool {
        // SAFETY: as above.
        unsafe { libc::sched_setaffinity(0, size_of::<cpu_set_t>(), &raw const *set) == 0 }
    }

    pub fn avoid(cpu: usize) -> Option<Masks> {
        let old = allowed()?;
        let mut new = old;
        if cpu >= 8 * size_of::<cpu_set_t>() {
            return None;
        }
        // SAFETY: the sets are initialized, and the bit lies in them.
        let others = unsafe {
            if !CPU_ISSET(cpu, &old) {
                return None;
            }
            CPU_CLR(cpu, &mut new);
            CPU_COUNT(&new)
        };
        (others > 0 && allow(&new)).then_some(Masks { old, new, thread: PhantomData })
    }

    impl Drop for Masks {
        fn drop(&mut self) {
            // (Unless the user has chosen other CPUs for the thread meanwhile.)
            // SAFETY: both sets are initialized.
            if allowed().is_some_and(|now| unsafe { CPU_EQUAL(&now, &self.new) }) {
                allow(&self.old);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    pub enum Masks {}

    #[inline]
    pub fn current() -> Option<usize> {
        None
    }

    pub fn avoid(_: usize) -> Option<Masks> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{avoid, current};

    /// Returns the CPUs on which this thread may run, as the system lists them.
    fn listed() -> String {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
        status.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap_or_default().to_string()
    }

    #[test]
    fn a_thread_leaves_a_cpu_and_may_return_to_it() {
        let before = listed();
        let here = current().expect("Linux tells the CPU");
        let Some(avoided) = avoid(here) else {
            assert!(!before.contains([',', '-']), "refused, though there are several CPUs: {before}");
            return;
        };
        assert_ne!(current(), Some(here));
        assert_ne!(listed(), before);
        assert!(avoid(here).is_none(), "the thread avoids the CPU already");
        drop(avoided);
        assert_eq!(listed(), before);
        assert!(avoid(usize::MAX).is_none());
    }
}
