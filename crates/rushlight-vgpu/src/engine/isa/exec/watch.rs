//! What is watched for when it is asked for: two waves at one place without a barrier between them, and reads of LDS that
//! nothing wrote.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Who was at a place, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Visit {
    pub block: u64,
    pub wave: u32,
    /// How many barriers the block had passed.
    pub epoch: u32,
    pub atomic: bool,
    pub write: bool,
    /// The instruction's number in the program.
    pub pc: u32,
}

impl Visit {
    /// Whether nothing orders the two, and one of them writes.
    fn races(&self, other: &Visit) -> bool {
        let ordered = self.block == other.block && (self.wave == other.wave || self.epoch != other.epoch);
        (self.write || other.write) && !(self.atomic && other.atomic) && !ordered
    }
}

/// The last write of a byte, and reads of two waves: one of them is not the next writer's.
#[derive(Default)]
struct Byte {
    write: Option<Visit>,
    reads: [Option<Visit>; 2],
}

/// Bytes that were visited.
#[derive(Default)]
pub(crate) struct Shadow(HashMap<u64, Byte>);

impl Shadow {
    /// Takes note of a visit of a byte; gives the one that it races with.
    fn visit(&mut self, at: u64, v: Visit) -> Option<Visit> {
        let b = self.0.entry(at).or_default();
        let others = [b.write, b.reads[0], b.reads[1]];
        let found = others.into_iter().flatten().find(|o| o.races(&v));
        if v.write {
            *b = Byte { write: Some(v), reads: [None; 2] };
        } else {
            let same = |r: &Option<Visit>| r.is_some_and(|r| r.block == v.block && r.wave == v.wave);
            let n = if same(&b.reads[1]) || (b.reads[0].is_some() && !same(&b.reads[0])) { 1 } else { 0 };
            b.reads[n] = Some(v);
        }
        found
    }

    fn written(&self, at: u64) -> bool {
        self.0.get(&at).is_some_and(|b| b.write.is_some())
    }
}

/// What a block sees of it.
pub(crate) struct Watch<'a> {
    /// Whether races are looked for, and reads of what nobody wrote.
    pub races: bool,
    pub fresh: bool,
    /// The grid's memory, and the block's LDS.
    pub global: &'a Mutex<Shadow>,
    pub lds: Shadow,
    pub block: u64,
    pub epoch: u32,
}

/// What was found at a byte.
pub(crate) enum Found {
    Race(Visit),
    Fresh,
}

impl Watch<'_> {
    /// An access of some bytes; `lds` says where. Gives the first byte with something wrong.
    pub fn access(&mut self, at: u64, bytes: usize, lds: bool, visit: Visit) -> Option<(u64, Found)> {
        let visit = Visit { block: self.block, epoch: self.epoch, ..visit };
        if let Some(mut w) = crate::support::written::followed().filter(|_| !lds) {
            if visit.write {
                w.wrote(at as usize, bytes);
            } else if let Some(byte) = w.unwritten(at as usize, bytes) {
                return Some((byte as u64, Found::Fresh));
            }
        }
        for at in at..at + bytes as u64 {
            if lds && self.fresh && !visit.write && !self.lds.written(at) {
                return Some((at, Found::Fresh));
            }
            let other = match lds {
                true => self.lds.visit(at, visit),
                false if self.races => {
                    self.global.lock().unwrap_or_else(PoisonError::into_inner).visit(at, visit)
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

    const V: Visit = Visit { block: 0, wave: 0, epoch: 0, atomic: false, write: false, pc: 0 };

    #[test]
    fn what_races_and_what_does_not() {
        let write = Visit { write: true, ..V };
        let other = Visit { wave: 1, ..V };
        for (first, second, races) in [
            (write, other, true),
            (other, write, true),
            (write, Visit { epoch: 1, ..other }, false),
            (write, V, false),
            (V, other, false),
            (write, Visit { block: 1, epoch: 7, ..V }, true),
            (Visit { atomic: true, ..write }, Visit { atomic: true, write: true, ..other }, false),
            (Visit { atomic: true, ..write }, other, true),
        ] {
            let mut s = Shadow::default();
            assert_eq!(s.visit(4, first), None);
            assert_eq!(s.visit(4, second).is_some(), races, "{first:?} {second:?}");
        }
        // A write of a wave that has read, too, races with the reads of others before it.
        let mut s = Shadow::default();
        assert_eq!((s.visit(1, other), s.visit(1, V)), (None, None));
        assert_eq!(s.visit(1, Visit { write: true, ..V }), Some(other));
    }
}
