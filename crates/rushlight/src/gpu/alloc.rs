//! The caching allocator. Blocks of up to 1 MiB are cut from slabs of 2 MiB ([`super::slab`]), since an allocation of
//! the device's own costs up to 4 MiB and a mapping, however small; larger ones are cached by size class. A block is
//! reused in the stream's order, so no wait is needed; before the device is out of memory the cache is given back.
use super::runtime::{Failure, Outcome, Runtime};
use super::slab::{SLAB, Slabs, UNIT};
use std::collections::BTreeMap;

/// Bytes kept on each side of a block when guards are on, and what fills them.
const GUARD: usize = 256;
const GUARD_BYTE: u8 = 0xA5;
/// The largest block that is cut from a slab.
const SMALL: usize = 1 << 20;

/// How blocks are made of the device's allocations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Small ones from slabs.
    #[default]
    Slabs,
    /// Each is an allocation of exactly the bytes asked for, so that a virtual device or a memory checker, which know
    /// allocations only, see every access beyond a tensor's end (`RUSHLIGHT_GPU_POOL=exact`).
    Exact,
    /// As `Exact`, with bands around each block that no kernel may write (`RUSHLIGHT_GPU_GUARD=1`): found on any device.
    Guards,
}

/// Device memory in numbers. All in bytes but the counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GpuMemoryStats {
    /// Asked for by the tensors that live now.
    pub requested: usize,
    /// Held by tensors now (rounded up to what blocks are made of).
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

/// A block: where its usable bytes start, how many there are and how many were asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub ptr: u64,
    pub bytes: usize,
    requested: usize,
    /// The chunk of a slab that it is.
    chunk: Option<u32>,
}

impl Block {
    /// No memory: for tensors without elements.
    pub const EMPTY: Self = Self { ptr: 0, bytes: 0, requested: 0, chunk: None };
}

/// Free blocks, and the counts.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    slabs: Slabs,
    /// Blocks that are allocations of their own, by size.
    free: BTreeMap<usize, Vec<u64>>,
    pub stats: GpuMemoryStats,
    mode: Mode,
    /// Nothing is kept for reuse (`RUSHLIGHT_GPU_POOL=0`).
    apart: bool,
}

/// The class of a request: multiples of 512 bytes up to 1 MiB, then an eighth of the power of two below.
pub(crate) fn class(bytes: usize) -> usize {
    let step = if bytes <= SMALL { UNIT } else { (1usize << (usize::BITS - 1 - bytes.leading_zeros())) / 8 };
    bytes.div_ceil(step).saturating_mul(step)
}

impl Pool {
    /// A pool without blocks; `apart` keeps none for reuse.
    pub fn new(mode: Mode, apart: bool) -> Self {
        Self { mode, apart, ..Self::default() }
    }

    pub fn alloc<R: Runtime>(&mut self, rt: &R, bytes: usize) -> Outcome<Block> {
        if bytes == 0 {
            return Ok(Block::EMPTY);
        }
        let size = if self.mode == Mode::Slabs { class(bytes) } else { bytes };
        let (ptr, chunk) = if self.mode == Mode::Slabs && size <= SMALL {
            let units = size / UNIT;
            let cut = match self.slabs.take(units) {
                Some(cut) => cut,
                None => {
                    self.slab(rt, units)?;
                    let lost = || Failure::Other("a new slab has no room".to_string());
                    self.slabs.take(units).ok_or_else(lost)?
                }
            };
            (cut.ptr, Some(cut.chunk))
        } else {
            match self.free.get_mut(&size).and_then(Vec::pop) {
                Some(ptr) => (ptr, None),
                None => (self.own(rt, size)?, None),
            }
        };
        let s = &mut self.stats;
        s.requested += bytes;
        s.live += size;
        s.blocks += 1;
        s.peak = s.peak.max(s.live);
        Ok(Block { ptr, bytes: size, requested: bytes, chunk })
    }

    fn band(&self) -> usize {
        if self.mode == Mode::Guards { GUARD } else { 0 }
    }

    /// Memory of the device; the cache is given back first if there is none.
    fn malloc<R: Runtime>(&mut self, rt: &R, bytes: usize) -> Outcome<u64> {
        let ptr = match rt.malloc(bytes) {
            Err(Failure::OutOfMemory) => {
                self.empty(rt)?;
                rt.malloc(bytes)?
            }
            other => other?,
        };
        self.stats.device_allocations += 1;
        Ok(ptr)
    }

    /// One more slab, of just these units where the device has no room for more.
    fn slab<R: Runtime>(&mut self, rt: &R, units: usize) -> Outcome<()> {
        let (base, bytes) = match self.malloc(rt, SLAB) {
            Err(Failure::OutOfMemory) => (self.malloc(rt, units * UNIT)?, units * UNIT),
            other => (other?, SLAB),
        };
        self.stats.reserved += bytes;
        self.slabs.add(base, bytes / UNIT);
        Ok(())
    }

    /// A block that is an allocation of its own.
    fn own<R: Runtime>(&mut self, rt: &R, size: usize) -> Outcome<u64> {
        let band = self.band();
        let base = self.malloc(rt, size.saturating_add(2 * band))?;
        self.stats.reserved += size;
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
        self.stats.requested -= block.requested;
        self.stats.live -= block.bytes;
        self.stats.blocks -= 1;
        match block.chunk {
            Some(chunk) => self.slabs.give(chunk),
            None => self.free.entry(block.bytes).or_default().push(block.ptr),
        }
        let checked = if self.mode == Mode::Guards { self.check(rt, block) } else { Ok(()) };
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

    /// Gives cached blocks and slabs without a block back to the device.
    pub fn empty<R: Runtime>(&mut self, rt: &R) -> Outcome<()> {
        rt.synchronize()?;
        while let Some((base, bytes)) = self.slabs.remove_free() {
            self.stats.reserved -= bytes;
            rt.free(base)?;
        }
        let band = self.band() as u64;
        while let Some((size, list)) = self.free.pop_first() {
            for ptr in list {
                self.stats.reserved -= size;
                rt.free(ptr - band)?;
            }
        }
        Ok(())
    }
}
