//! The caching allocator: size classes over plain device memory. Blocks come back when a storage is dropped and are
//! reused in the stream's order, so no wait is needed; before the device is out of memory the cache is given back.
use super::runtime::{Failure, Outcome, Runtime};
use std::collections::BTreeMap;

/// Bytes kept on each side of a block when guards are on, and what fills them.
const GUARD: usize = 256;
const GUARD_BYTE: u8 = 0xA5;

/// Device memory in numbers. All in bytes but the counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GpuMemoryStats {
    /// Held by tensors now (rounded up to size classes).
    pub live: usize,
    /// The most held at once since the start or the last reset.
    pub peak: usize,
    /// Taken from the device: live and cached.
    pub reserved: usize,
    /// Blocks held by tensors now.
    pub blocks: usize,
    /// Calls of the device's own allocation function so far.
    pub device_allocations: usize,
}

/// A block: where its usable bytes start and how many there are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub ptr: u64,
    pub bytes: usize,
}

impl Block {
    /// No memory: for tensors without elements.
    pub const EMPTY: Self = Self { ptr: 0, bytes: 0 };
}

/// Free blocks by class, and the counts.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: BTreeMap<usize, Vec<u64>>,
    pub stats: GpuMemoryStats,
    /// Bands around each block that no kernel may write (`RUSHLIGHT_GPU_GUARD=1`).
    guards: bool,
    /// Each block is an allocation of its own, of the bytes asked for (`RUSHLIGHT_GPU_POOL=0`): tools that watch the
    /// device's allocations see every tensor.
    apart: bool,
}

/// The class of a request: multiples of 512 bytes up to 1 MiB, then an eighth of the power of two below.
pub(crate) fn class(bytes: usize) -> usize {
    let step = if bytes <= 1 << 20 { 512 } else { (1usize << (usize::BITS - 1 - bytes.leading_zeros())) / 8 };
    bytes.div_ceil(step).saturating_mul(step)
}

impl Pool {
    pub fn new(guards: bool) -> Self {
        Self { guards, ..Self::default() }
    }

    /// From now on nothing is kept for reuse.
    pub fn set_apart(&mut self) {
        self.apart = true;
    }

    pub fn alloc<R: Runtime>(&mut self, rt: &R, bytes: usize) -> Outcome<Block> {
        if bytes == 0 {
            return Ok(Block::EMPTY);
        }
        let size = if self.apart { bytes } else { class(bytes) };
        let ptr = match self.free.get_mut(&size).and_then(Vec::pop) {
            Some(ptr) => ptr,
            None => self.fresh(rt, size)?,
        };
        let s = &mut self.stats;
        s.live += size;
        s.blocks += 1;
        s.peak = s.peak.max(s.live);
        Ok(Block { ptr, bytes: size })
    }

    fn band(&self) -> usize {
        if self.guards { GUARD } else { 0 }
    }

    fn fresh<R: Runtime>(&mut self, rt: &R, size: usize) -> Outcome<u64> {
        let band = self.band();
        let whole = size + 2 * band;
        let base = match rt.malloc(whole) {
            Err(Failure::OutOfMemory) => {
                self.empty(rt)?;
                rt.malloc(whole)?
            }
            other => other?,
        };
        self.stats.reserved += size;
        self.stats.device_allocations += 1;
        if band > 0 {
            rt.fill(base, GUARD_BYTE, band)?;
            rt.fill(base + (band + size) as u64, GUARD_BYTE, band)?;
        }
        Ok(base + band as u64)
    }

    /// Takes a block back. With guards on, an error if something was written beside it.
    pub fn release<R: Runtime>(&mut self, rt: &R, block: &Block) -> Outcome<()> {
        if block.bytes == 0 {
            return Ok(());
        }
        self.stats.live -= block.bytes;
        self.stats.blocks -= 1;
        self.free.entry(block.bytes).or_default().push(block.ptr);
        let checked = if self.guards { self.check(rt, block) } else { Ok(()) };
        if self.apart {
            self.empty(rt)?;
        }
        checked
    }

    fn check<R: Runtime>(&self, rt: &R, block: &Block) -> Outcome<()> {
        let mut band = [0u8; GUARD];
        for (side, at) in [("before", block.ptr - GUARD as u64), ("after", block.ptr + block.bytes as u64)] {
            rt.download(&mut band, at)?;
            if let Some(i) = band.iter().position(|b| *b != GUARD_BYTE) {
                rt.fill(at, GUARD_BYTE, GUARD)?;
                return Err(Failure::Other(format!(
                    "a kernel wrote outside its buffer: byte {i} of the {GUARD} {side} a block of {} bytes",
                    block.bytes
                )));
            }
        }
        Ok(())
    }

    /// Gives the cached blocks back to the device.
    pub fn empty<R: Runtime>(&mut self, rt: &R) -> Outcome<()> {
        rt.synchronize()?;
        let band = self.band() as u64;
        for (size, list) in std::mem::take(&mut self.free) {
            for ptr in list {
                rt.free(ptr - band)?;
                self.stats.reserved -= size;
            }
        }
        Ok(())
    }
}
