//! Memory for images of modules. The images are far from everything else and follow each other, at the same addresses
//! in every new process, so that `replay` can restore them at their recorded addresses.
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

pub(crate) const PAGE: usize = 4096;
/// The preferred address of the first image.
const FIRST: usize = 0x3000_0000_0000;
const GUARD: usize = 64 << 10;

/// Readable and writable pages, initially zero.
#[derive(Debug)]
pub(crate) struct Pages {
    at: usize,
    len: usize,
}

impl Pages {
    /// Maps pages for `bytes` bytes, at an address if one is given.
    pub fn new(bytes: usize, at: Option<usize>) -> Result<Pages, String> {
        static NEXT: AtomicUsize = AtomicUsize::new(FIRST);
        let len = bytes.max(1).checked_next_multiple_of(PAGE).ok_or("it is too large")?;
        let at = match at {
            Some(at) => {
                map(at, len)?;
                at
            }
            None => {
                let hint = NEXT.fetch_add(len + GUARD, Relaxed);
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
                let access = libc::PROT_READ | libc::PROT_WRITE;
                // SAFETY: a new mapping at an address that the kernel chooses; nothing existing is replaced.
                let at = unsafe { libc::mmap(hint as *mut c_void, len, access, flags, -1, 0) };
                if at == libc::MAP_FAILED {
                    return Err(format!("cannot map {bytes} bytes for its image"));
                }
                at as usize
            }
        };
        Ok(Pages { at, len })
    }

    pub fn base(&self) -> usize {
        self.at
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is this struct's own and lives as long.
        unsafe { std::slice::from_raw_parts_mut(self.at as *mut u8, self.len) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: a mapping of our own, whole.
        unsafe { libc::munmap(self.at as *mut c_void, self.len) };
    }
}

/// Maps memory at an unused address.
pub(crate) fn map(at: usize, len: usize) -> Result<(), String> {
    let range = format!("{at:#x} to {:#x}", at.saturating_add(len));
    if !at.is_multiple_of(PAGE) || at == 0 || at.checked_add(len).is_none_or(|end| end >> 47 != 0) {
        return Err(format!("cannot map {range}: not a valid page address"));
    }
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping; where something is already the call fails.
    let got = unsafe { libc::mmap(at as *mut c_void, len, access, flags, -1, 0) };
    match got as usize {
        got if got == at => Ok(()),
        _ if got == libc::MAP_FAILED => {
            let why = std::io::Error::last_os_error();
            Err(match why.raw_os_error() {
                Some(libc::EEXIST) => format!(
                    "{range} is in use by this process: try again, the system chooses new addresses for each process"
                ),
                _ => format!("cannot map {range}: {why}"),
            })
        }
        elsewhere => {
            // SAFETY: the mapping just made, which an old system put elsewhere.
            unsafe { libc::munmap(elsewhere as *mut c_void, len) };
            Err(format!("{range} is in use by this process: try again"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_mapped_at_the_requested_address() {
        let mut a = Pages::new(5000, None).expect("memory");
        assert_eq!((a.base() % PAGE, a.bytes().len()), (0, 8192));
        a.bytes()[8191] = 7;
        let at = a.base();
        assert!(Pages::new(1, Some(at + PAGE)).expect_err("it is in use").contains("in use"));
        drop(a);
        let mut b = Pages::new(5000, Some(at)).expect("it is free again");
        assert_eq!((b.base(), b.bytes()[8191]), (at, 0));
        for wrong in [0, 1, PAGE + 1, usize::MAX - 4095, 1 << 60] {
            assert!(Pages::new(1, Some(wrong)).is_err(), "{wrong:#x}");
        }
    }
}
