//! Tracks which bytes of device memory have been written, for RUSHLIGHT_VGPU_FRESH: by copies, fills and machine
//! code. Writes of libraries and of the host engine's kernels are not tracked; after one of them all memory counts as
//! written.
use crate::support::config;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Allocations: the end of each, and a bit for each byte that was written.
#[derive(Default)]
pub(crate) struct Written(BTreeMap<usize, (usize, Vec<u64>)>);

/// Returns the tracker of the process, if tracking is enabled.
pub(crate) fn followed() -> Option<MutexGuard<'static, Written>> {
    static ALL: Mutex<Written> = Mutex::new(Written(BTreeMap::new()));
    config::get().fresh.then(|| ALL.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Written {
    pub fn allocated(&mut self, base: usize, size: usize) {
        self.0.insert(base, (base + size, vec![0; size.div_ceil(64)]));
    }

    pub fn freed(&mut self, base: usize) {
        self.0.remove(&base);
    }

    /// Marks all memory as written, after an untracked write.
    pub fn all(&mut self) {
        self.0.clear();
    }

    /// Returns the allocation that contains an address.
    fn block(&mut self, at: usize) -> Option<(usize, usize, &mut Vec<u64>)> {
        let (base, (end, bits)) = self.0.range_mut(..=at).next_back()?;
        (at < *end).then_some((*base, *end, bits))
    }

    pub fn wrote(&mut self, at: usize, n: usize) {
        let Some((base, end, bits)) = self.block(at) else { return };
        for byte in at - base..(at + n).min(end) - base {
            bits[byte / 64] |= 1 << (byte % 64);
        }
    }

    /// Copies the state of each byte from source to destination.
    pub fn copied(&mut self, to: usize, from: usize, n: usize) {
        let known: Vec<bool> = (from..from + n).map(|at| self.unwritten(at, 1).is_none()).collect();
        let Some((base, end, bits)) = self.block(to) else { return };
        for (known, at) in known.into_iter().zip(to..end) {
            let (word, bit) = ((at - base) / 64, 1 << ((at - base) % 64));
            bits[word] = if known { bits[word] | bit } else { bits[word] & !bit };
        }
    }

    /// Returns the first address in a range that has not been written.
    pub fn unwritten(&mut self, at: usize, n: usize) -> Option<usize> {
        let (base, end, bits) = self.block(at)?;
        (at..(at + n).min(end)).find(|at| bits[(at - base) / 64] >> ((at - base) % 64) & 1 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_bytes_are_tracked() {
        let mut w = Written::default();
        w.allocated(1000, 100);
        w.allocated(2000, 70);
        assert_eq!(
            (w.unwritten(999, 1), w.unwritten(1000, 4), w.unwritten(1100, 4)),
            (None, Some(1000), None)
        );
        w.wrote(1062, 4);
        assert_eq!(
            (w.unwritten(1062, 4), w.unwritten(1060, 4), w.unwritten(1064, 4)),
            (None, Some(1060), Some(1066))
        );
        // From untracked memory, from written and from unwritten bytes.
        w.copied(2000, 5000, 8);
        assert_eq!(w.unwritten(2000, 70), Some(2008));
        w.copied(2060, 1062, 6);
        assert_eq!(w.unwritten(2060, 6), Some(2064));
        w.copied(2000, 1000, 4);
        assert_eq!(w.unwritten(2000, 8), Some(2000));
        w.freed(1000);
        assert_eq!(w.unwritten(1000, 4), None);
        w.all();
        assert_eq!(w.unwritten(2000, 70), None);
    }
}
