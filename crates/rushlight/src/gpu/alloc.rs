//! The caching allocator. Blocks of up to 1 MiB are cut from slabs of 2 MiB ([`super::slab`]), since one
//! device allocation, however small, costs up to 4 MiB and a mapping. Larger blocks are cached by size class. A block is reused in
//! the stream's order, so no wait is needed. If the device is out of memory, the cache is released first.
use super::runtime::{Failure, Outcome, Runtime};
use super::slab::{SLAB, Slabs, UNIT};
use std::collections::BTreeMap;

/// Size in bytes of the guard band on each side of a block (`GUARD`), and the byte that fills it (`GUARD_BYTE`).
const GUARD: usize = 256;
const GUARD_BYTE: u8 = 0xA5;
/// Size in bytes of the largest block that is cut from a slab.
const SMALL: usize = 1 << 20;

/// How blocks are allocated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Small blocks are cut from slabs.
    #[default]
    Slabs,
    /// Each block is a device allocation of exactly the requested bytes. A virtual device or a memory checker, which
    /// knows only allocations, then reports every access beyond the end of a tensor (`RUSHLIGHT_GPU_POOL=exact`).
    Exact,
    /// As `Exact`, with guard bands around each block, compared when the block is freed (`RUSHLIGHT_GPU_GUARD=1`).
    /// Works on any device.
    Guards,
}

/// Statistics of device memory. In bytes, except for the two counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GpuMemoryStats {
    /// Bytes requested by the tensors that exist now.
    pub requested: usize,
    /// Bytes in use by tensors now, rounded up to block sizes.
    pub live: usize,
    /// The largest number of bytes in use at once, since the start or the last reset.
    pub peak: usize,
    /// Bytes allocated from the device: in use and cached.
    pub reserved: usize,
    /// Number of blocks in use by tensors now.
    pub blocks: usize,
    /// Number of calls of the device's allocation function so far.
    pub device_allocations: usize,
}

/// A block: address and number of its usable bytes, and the number of requested bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub ptr: u64,
    pub bytes: usize,
    requested: usize,
    /// The chunk of a slab that it occupies, if it was cut from a slab.
    chunk: Option<u32>,
    /// The arena of a graph that it is part of, or 0.
    pub arena: u32,
}

impl Block {
    /// A block without memory, for tensors without elements.
    pub const EMPTY: Self = Self { ptr: 0, bytes: 0, requested: 0, chunk: None, arena: 0 };
}

/// Free memory, from which blocks are taken.
#[derive(Debug, Default)]
struct Arena {
    slabs: Slabs,
    /// Free blocks that are device allocations, by size.
    free: BTreeMap<usize, Vec<u64>>,
    /// Blocks in use.
    blocks: usize,
    /// Whether the graph was dropped, so that the memory is released with the last block.
    closed: bool,
}

/// The free blocks and the statistics.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    arena: Arena,
    /// The memory of graphs, which no other work uses.
    graphs: BTreeMap<u32, Arena>,
    /// The arena of the graph that is being captured.
    recording: Option<u32>,
    /// Number of arenas of graphs so far.
    numbered: u32,
    pub stats: GpuMemoryStats,
    mode: Mode,
    /// Whether no block is kept for reuse (`RUSHLIGHT_GPU_POOL=0`).
    apart: bool,
}

/// Rounds a request up to its size class: a multiple of 512 bytes up to 1 MiB, then a multiple of an eighth of the
/// power of two below.
pub(crate) fn class(bytes: usize) -> usize {
    let step = if bytes <= SMALL { UNIT } else { (1usize << (usize::BITS - 1 - bytes.leading_zeros())) / 8 };
    bytes.div_ceil(step).saturating_mul(step)
}

impl Pool {
    /// Creates an empty pool. If `apart`, no block is kept for reuse.
    pub fn new(mode: Mode, apart: bool) -> Self {
        Self { mode, apart, ..Self::default() }
    }

    pub fn alloc<R: Runtime>(&mut self, rt: &R, bytes: usize) -> Outcome<Block> {
        if bytes == 0 {
            return Ok(Block::EMPTY);
        }
        let size = if self.mode == Mode::Slabs { class(bytes) } else { bytes };
        let arena = self.recording.unwrap_or(0);
        let (ptr, chunk) = if self.mode == Mode::Slabs && size <= SMALL {
            let units = size / UNIT;
            let cut = match self.arena(arena).slabs.take(units) {
                Some(cut) => cut,
                None => {
                    self.slab(rt, units)?;
                    let lost = || Failure::Other("a new slab has no room".to_string());
                    self.arena(arena).slabs.take(units).ok_or_else(lost)?
                }
            };
            (cut.ptr, Some(cut.chunk))
        } else {
            match self.arena(arena).free.get_mut(&size).and_then(Vec::pop) {
                Some(ptr) => (ptr, None),
                None => (self.own(rt, size)?, None),
            }
        };
        self.arena(arena).blocks += 1;
        let s = &mut self.stats;
        s.requested += bytes;
        s.live += size;
        s.blocks += 1;
        s.peak = s.peak.max(s.live);
        Ok(Block { ptr, bytes: size, requested: bytes, chunk, arena })
    }

    /// Returns the arena of a graph, or the common one.
    fn arena(&mut self, number: u32) -> &mut Arena {
        if number == 0 { &mut self.arena } else { self.graphs.entry(number).or_default() }
    }

    /// Starts a new arena, from which all blocks come until [`Pool::end_recording`].
    pub fn begin_recording(&mut self) -> u32 {
        self.numbered += 1;
        self.recording = Some(self.numbered);
        self.graphs.insert(self.numbered, Arena::default());
        self.numbered
    }

    pub fn end_recording(&mut self) {
        self.recording = None;
    }

    /// Releases the arena of a dropped graph to the device, or lets its last block do so.
    pub fn close<R: Runtime>(&mut self, rt: &R, number: u32) -> Outcome<()> {
        self.arena(number).closed = true;
        self.sweep(rt, number)
    }

    /// Releases a closed arena without blocks. During a capture nothing may be freed; the next release does it.
    fn sweep<R: Runtime>(&mut self, rt: &R, number: u32) -> Outcome<()> {
        if self.recording.is_some() || !self.graphs.get(&number).is_some_and(|a| a.closed && a.blocks == 0) {
            return Ok(());
        }
        let Some(mut arena) = self.graphs.remove(&number) else { return Ok(()) };
        rt.synchronize()?;
        Self::drain(&mut arena, &mut self.stats, rt, 0)
    }

    /// Bytes of the guard bands. Blocks of graphs have none: nothing can be compared or filled while work is only recorded.
    fn band(&self) -> usize {
        if self.mode == Mode::Guards && self.recording.is_none() { GUARD } else { 0 }
    }

    /// Allocates device memory. If none is left, releases the cache and retries, except during a capture.
    fn malloc<R: Runtime>(&mut self, rt: &R, bytes: usize) -> Outcome<u64> {
        if self.recording.is_some() {
            let ptr = rt.malloc_recording(bytes)?;
            self.stats.device_allocations += 1;
            return Ok(ptr);
        }
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

    /// Adds a slab. If the device has too little memory for a whole one, the slab has just `units` units.
    fn slab<R: Runtime>(&mut self, rt: &R, units: usize) -> Outcome<()> {
        let (base, bytes) = match self.malloc(rt, SLAB) {
            Err(Failure::OutOfMemory) => (self.malloc(rt, units * UNIT)?, units * UNIT),
            other => (other?, SLAB),
        };
        self.stats.reserved += bytes;
        let arena = self.recording.unwrap_or(0);
        self.arena(arena).slabs.add(base, bytes / UNIT);
        Ok(())
    }

    /// Allocates a block directly from the device.
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

    /// Frees a block. With guards on, returns an error if a kernel wrote outside of it.
    pub fn release<R: Runtime>(&mut self, rt: &R, block: &Block) -> Outcome<()> {
        if block.bytes == 0 {
            return Ok(());
        }
        self.stats.requested -= block.requested;
        self.stats.live -= block.bytes;
        self.stats.blocks -= 1;
        let arena = self.arena(block.arena);
        arena.blocks -= 1;
        match block.chunk {
            Some(chunk) => arena.slabs.give(chunk),
            None => arena.free.entry(block.bytes).or_default().push(block.ptr),
        }
        if block.arena != 0 {
            return self.sweep(rt, block.arena);
        }
        if self.recording.is_some() {
            return Ok(());
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

    /// Releases cached blocks and empty slabs to the device.
    pub fn empty<R: Runtime>(&mut self, rt: &R) -> Outcome<()> {
        rt.synchronize()?;
        let closed: Vec<u32> = self.graphs.iter().filter(|g| g.1.closed).map(|g| *g.0).collect();
        closed.into_iter().try_for_each(|number| self.sweep(rt, number))?;
        let band = self.band() as u64;
        Self::drain(&mut self.arena, &mut self.stats, rt, band)
    }

    /// Frees the free memory of an arena.
    fn drain<R: Runtime>(arena: &mut Arena, stats: &mut GpuMemoryStats, rt: &R, band: u64) -> Outcome<()> {
        while let Some((base, bytes)) = arena.slabs.remove_free() {
            stats.reserved -= bytes;
            rt.free(base)?;
        }
        while let Some((size, list)) = arena.free.pop_first() {
            for ptr in list {
                stats.reserved -= size;
                rt.free(ptr - band)?;
            }
        }
        Ok(())
    }
}
