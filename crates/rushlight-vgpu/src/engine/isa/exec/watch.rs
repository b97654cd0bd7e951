//! Checks memory accesses on request: data races between waves, and reads of uninitialized memory.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// One access of a byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Access {
    pub block: u64,
    pub wave: u32,
    /// The number of barriers that the block had passed.
    pub epoch: u32,
    pub atomic: bool,
    pub write: bool,
    /// The instruction's index in the program.
    pub pc: u32,
}

impl Access {
    /// Returns whether nothing orders the two accesses, and one of them writes.
    fn races(&self, other: &Access) -> bool {
        let ordered = self.block == other.block && (self.wave == other.wave || self.epoch != other.epoch);
        (self.write || other.write) && !(self.atomic && other.atomic) && !ordered
    }
}

/// The last write of a byte, and reads of two waves, so that one of them is not the next writer's.
#[derive(Default)]
struct Byte {
    write: Option<Access>,
    reads: [Option<Access>; 2],
}

/// The accesses of each byte.
#[derive(Default)]
pub(crate) struct Shadow(HashMap<u64, Byte>);

impl Shadow {
    /// Records an access of a byte; returns the one that it races with.
    fn record(&mut self, at: u64, v: Access) -> Option<Access> {
        let b = self.0.entry(at).or_default();
        let others = [b.write, b.reads[0], b.reads[1]];
        let found = others.into_iter().flatten().find(|o| o.races(&v));
        if v.write {
            *b = Byte { write: Some(v), reads: [None; 2] };
        } else {
            let same = |r: &Option<Access>| r.is_some_and(|r| r.block == v.block && r.wave == v.wave);
            let n = if same(&b.reads[1]) || (b.reads[0].is_some() && !same(&b.reads[0])) { 1 } else { 0 };
            b.reads[n] = Some(v);
        }
        found
    }

    fn written(&self, at: u64) -> bool {
        self.0.get(&at).is_some_and(|b| b.write.is_some())
    }
}

/// The checks of one block.
pub(crate) struct Watch<'a> {
    /// Whether races and uninitialized reads are reported.
    pub races: bool,
    pub fresh: bool,
    /// The accesses to the grid's memory and to the block's LDS.
    pub global: &'a Mutex<Shadow>,
    pub lds: Shadow,
    pub block: u64,
    pub epoch: u32,
}

/// An error at a byte.
pub(crate) enum Found {
    Race(Access),
    Fresh,
}

impl Watch<'_> {
    /// Checks an access, to LDS if `lds`. Returns the first byte with an error.
    pub fn access(&mut self, at: u64, bytes: usize, lds: bool, access: Access) -> Option<(u64, Found)> {
        let access = Access { block: self.block, epoch: self.epoch, ..access };
        if let Some(mut w) = crate::support::written::followed().filter(|_| !lds) {
            if access.write {
                w.wrote(at as usize, bytes);
            } else if let Some(byte) = w.unwritten(at as usize, bytes) {
                return Some((byte as u64, Found::Fresh));
            }
        }
        for at in at..at + bytes as u64 {
            if lds && self.fresh && !access.write && !self.lds.written(at) {
                return Some((at, Found::Fresh));
            }
            let other = match lds {
                true => self.lds.record(at, access),
                false if self.races => {
                    self.global.lock().unwrap_or_else(PoisonError::into_inner).record(at, access)
                }
                false => None,
            };
            if let Some(other) = other.filter(|_| self.races) {
                return Some((at, Found::Race(other)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V: Access = Access { block: 0, wave: 0, epoch: 0, atomic: false, write: false, pc: 0 };

    #[test]
    fn racing_and_ordered_accesses() {
        let write = Access { write: true, ..V };
        let other = Access { wave: 1, ..V };
        for (first, second, races) in [
            (write, other, true),
            (other, write, true),
            (write, Access { epoch: 1, ..other }, false),
            (write, V, false),
            (V, other, false),
            (write, Access { block: 1, epoch: 7, ..V }, true),
            (Access { atomic: true, ..write }, Access { atomic: true, write: true, ..other }, false),
            (Access { atomic: true, ..write }, other, true),
        ] {
            let mut s = Shadow::default();
            assert_eq!(s.record(4, first), None);
            assert_eq!(s.record(4, second).is_some(), races, "{first:?} {second:?}");
        }
        // A write of a wave that has read the byte races with earlier reads of other waves.
        let mut s = Shadow::default();
        assert_eq!((s.record(1, other), s.record(1, V)), (None, None));
        assert_eq!(s.record(1, Access { write: true, ..V }), Some(other));
    }
}
