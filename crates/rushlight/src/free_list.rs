//! A short list of free blocks that a thread keeps for reuse, without a lock.
use std::cell::Cell;

/// Addresses of free blocks of one size, at most `KEPT`. Used by one thread.
pub(crate) struct FreeList<const KEPT: usize> {
    len: Cell<usize>,
    blocks: [Cell<usize>; KEPT],
}

impl<const KEPT: usize> FreeList<KEPT> {
    pub const fn new() -> Self {
        Self { len: Cell::new(0), blocks: [const { Cell::new(0) }; KEPT] }
    }

    /// Removes and returns the address that was added last.
    #[inline(always)]
    pub fn pop(&self) -> Option<usize> {
        let last = self.len.get().checked_sub(1)?;
        self.len.set(last);
        Some(self.blocks[last].get())
    }

    /// Adds an address, and returns false if the list is full.
    #[inline(always)]
    pub fn push(&self, addr: usize) -> bool {
        let Some(slot) = self.blocks.get(self.len.get()) else { return false };
        slot.set(addr);
        self.len.set(self.len.get() + 1);
        true
    }
}
