//! Device memory: a separate address range. An inaccessible guard follows every block, freed blocks become
//! inaccessible, and the rest of a block's last page holds a pattern.
use crate::engine::host::asan;
use crate::support::error::{self, Code};
use crate::support::pages::{self, PAGE};
use crate::support::written;
use std::collections::BTreeMap;
use std::ffi::c_void;

/// The smallest distance between two blocks.
const GUARD: usize = 64 << 10;
/// The alignment of hipMalloc's pointers.
const ALIGN: usize = 256;
const PATTERN: u8 = 0x5c;
/// The value of fresh device memory, which is NaN in every float type, and the number of bytes at the start of a
/// block that get it.
const FRESH: (u8, usize) = (0xff, 16 << 20);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// hipMalloc.
    Device,
    /// hipHostMalloc.
    Pinned,
    /// hipHostRegister: the user's own memory.
    Registered,
    /// A variable of a module.
    Global,
}

impl Kind {
    /// Returns the name in a recorded launch.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Device => "device",
            Kind::Pinned => "pinned",
            Kind::Registered => "registered",
            Kind::Global => "global",
        }
    }

    pub fn of(name: &str) -> Option<Kind> {
        [Kind::Device, Kind::Pinned, Kind::Registered, Kind::Global].into_iter().find(|k| k.name() == name)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub base: usize,
    pub size: usize,
    pub kind: Kind,
    pub device: usize,
    pub flags: u32,
    /// The number of the allocation in the process.
    pub serial: u64,
    /// The pages of the block: address and length.
    pages: (usize, usize),
}

impl Block {
    fn holds(&self, at: usize, len: usize) -> bool {
        at >= self.base && len <= self.size && at - self.base <= self.size - len
    }
    pub fn on_device(&self) -> bool {
        matches!(self.kind, Kind::Device | Kind::Global)
    }
}

struct Region {
    start: usize,
    len: usize,
    next: usize,
}

pub(crate) struct Memory {
    region: Region,
    live: BTreeMap<usize, Block>,
    freed: BTreeMap<usize, Block>,
    serial: u64,
}

impl Memory {
    pub fn new() -> Option<Memory> {
        // Far from the program, the heap and the libraries, so that device addresses are easy to recognize.
        let hint = 0x2000_0000_0000 as *mut c_void;
        for len in [4usize << 40, 512 << 30, 64 << 30, 8 << 30] {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new mapping at an address that the kernel chooses; nothing existing is replaced.
            let at = unsafe { libc::mmap(hint, len, libc::PROT_NONE, flags, -1, 0) };
            if at != libc::MAP_FAILED {
                let start = at as usize;
                let region = Region { start, len, next: start + GUARD };
                return Some(Memory { region, live: BTreeMap::new(), freed: BTreeMap::new(), serial: 0 });
            }
        }
        None
    }

    /// Returns whether an address is in the range of device memory.
    pub fn in_range(&self, at: usize) -> bool {
        at >= self.region.start && at - self.region.start < self.region.len
    }

    pub fn used(&self, device: usize) -> usize {
        self.live.values().filter(|b| b.kind == Kind::Device && b.device == device).map(|b| b.size).sum()
    }

    pub fn alloc(&mut self, size: usize, kind: Kind, device: usize, flags: u32) -> Result<usize, Code> {
        let rounded = size.checked_next_multiple_of(ALIGN).ok_or(error::OUT_OF_MEMORY)?;
        let pages = rounded.checked_next_multiple_of(PAGE).ok_or(error::OUT_OF_MEMORY)?;
        let at = self.free_pages(pages).ok_or(error::OUT_OF_MEMORY)?;
        // SAFETY: `free_pages` found pages of our own reserved range that no live block has.
        if unsafe { libc::mprotect(at as *mut c_void, pages, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return Err(error::OUT_OF_MEMORY);
        }
        asan::allow(at, pages);
        // The block ends at the end of its pages, so that the guard follows it immediately.
        let base = at + pages - rounded;
        self.serial += 1;
        let block = Block { base, size, kind, device, flags, serial: self.serial, pages: (at, pages) };
        for (from, to) in Self::slack(&block) {
            // SAFETY: these bytes lie in the pages made accessible above.
            unsafe { std::ptr::write_bytes(from as *mut u8, PATTERN, to - from) };
            asan::forbid(from, to - from);
        }
        if kind == Kind::Device {
            // SAFETY: the block's own bytes, just made accessible.
            unsafe { std::ptr::write_bytes(base as *mut u8, FRESH.0, size.min(FRESH.1)) };
            written::followed().into_iter().for_each(|mut w| w.allocated(base, size));
        }
        self.live.insert(base, block);
        Ok(base)
    }

    /// Finds a free range for some bytes and a guard: after the last block, or from the start again when the range is
    /// used up.
    fn free_pages(&mut self, pages: usize) -> Option<usize> {
        let guard = GUARD.max(pages.min(1 << 30));
        let need = pages.checked_add(guard)?;
        let end = self.region.start + self.region.len;
        let mut at = self.region.next;
        for pass in 0..2 {
            while at.checked_add(need)? <= end {
                let in_way = self
                    .live
                    .range(..at + need)
                    .next_back()
                    .filter(|(_, b)| b.on_device_range() && b.pages.0 + b.pages.1 + GUARD > at);
                match in_way {
                    Some((_, b)) => at = b.pages.0 + b.pages.1 + GUARD,
                    None => {
                        self.region.next = at + need;
                        let old: Vec<usize> =
                            self.freed.range(at.saturating_sub(need)..at + need).map(|f| *f.0).collect();
                        for base in old {
                            self.freed.remove(&base);
                        }
                        return Some(at);
                    }
                }
            }
            if pass == 0 {
                at = self.region.start + GUARD;
            }
        }
        None
    }

    /// Returns the bytes of a block's pages outside the block.
    fn slack(b: &Block) -> [(usize, usize); 2] {
        match b.kind {
            Kind::Device | Kind::Pinned => [(b.pages.0, b.base), (b.base + b.size, b.pages.0 + b.pages.1)],
            _ => [(0, 0); 2],
        }
    }

    /// Returns the first byte around a block that was overwritten.
    pub fn overwritten(b: &Block) -> Option<usize> {
        Self::slack(b).into_iter().find_map(|(from, to)| {
            // SAFETY: the block is live, so its pages are readable.
            let bytes = unsafe { std::slice::from_raw_parts(from.max(1) as *const u8, to - from) };
            bytes.iter().position(|v| *v != PATTERN).map(|i| from + i)
        })
    }

    /// Registers memory that was allocated elsewhere: pinned by the user, or a variable of a module.
    pub fn adopt(
        &mut self,
        base: usize,
        size: usize,
        kind: Kind,
        device: usize,
        flags: u32,
    ) -> Result<(), Code> {
        // One block may end where another begins.
        let taken = |at| self.find(at).is_some_and(|b| b.holds(at, 1));
        if taken(base) || taken(base + size - 1) {
            return Err(error::ALREADY_REGISTERED);
        }
        self.serial += 1;
        let block = Block { base, size, kind, device, flags, serial: self.serial, pages: (base, size) };
        self.live.insert(base, block);
        Ok(())
    }

    /// Creates blocks at the addresses that they had in another process: address, size, kind and number. Nothing may
    /// have been allocated here.
    pub fn restore(&mut self, blocks: &[(usize, usize, Kind, u64)]) -> Result<(), String> {
        let mut blocks: Vec<_> = blocks.iter().filter(|b| b.1 > 0).collect();
        blocks.sort_unstable_by_key(|b| b.0);
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        let mut free = 0;
        for (at, size, ..) in &blocks {
            let end = at.checked_add(*size).filter(|end| end >> 47 == 0);
            let end = end
                .ok_or(format!("an allocation of {size} bytes at {at:#x} is outside of the address space"))?;
            if *at < free {
                return Err(format!("its allocations overlap at {at:#x}"));
            }
            free = end;
            let (from, to) = (at - at % PAGE, end.next_multiple_of(PAGE));
            match ranges.last_mut().filter(|r| from <= r.1) {
                Some(last) => last.1 = to,
                None => ranges.push((from, to)),
            }
        }
        for (from, to) in ranges {
            if !(self.in_range(from) && self.in_range(to - 1)) {
                pages::map(from, to - from)?;
                continue;
            }
            // SAFETY: pages of our own reserved range.
            if unsafe { libc::mprotect(from as *mut c_void, to - from, libc::PROT_READ | libc::PROT_WRITE) }
                != 0
            {
                return Err(format!("cannot map memory at {from:#x}: {}", std::io::Error::last_os_error()));
            }
            asan::allow(from, to - from);
        }
        for (base, size, kind, serial) in blocks {
            let (base, size) = (*base, *size);
            let block =
                Block { base, size, kind: *kind, device: 0, flags: 0, serial: *serial, pages: (base, size) };
            self.live.insert(base, block);
        }
        Ok(())
    }

    pub fn forget(&mut self, base: usize, kind: Kind) -> Option<Block> {
        self.live.get(&base).filter(|b| b.kind == kind)?;
        self.live.remove(&base)
    }

    /// Frees a block. Returns a message if the memory around it was overwritten.
    pub fn free(&mut self, base: usize, kind: Kind) -> Result<Option<String>, Code> {
        let Some(block) = self.forget(base, kind) else { return Err(error::INVALID_VALUE) };
        written::followed().into_iter().for_each(|mut w| w.freed(base));
        let harm = Self::overwritten(&block)
            .map(|at| format!("{} was overwritten at {at:#x}", relative(&block, at)));
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: the block's own pages, in our reserved range; they become untouchable and lose their contents.
        unsafe { libc::mmap(block.pages.0 as *mut c_void, block.pages.1, libc::PROT_NONE, flags, -1, 0) };
        self.freed.insert(base, block);
        Ok(harm)
    }

    /// Returns all live blocks by address.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.live.values()
    }

    /// Returns the live block that contains an address, or ends there: an empty slice points to the end of its block.
    pub fn find(&self, at: usize) -> Option<&Block> {
        self.live.range(..=at).next_back().map(|e| e.1).filter(|b| b.holds(at, 0))
    }

    /// Returns the live block that contains a range. `None` means ordinary host memory. A range that is partly
    /// outside of a block, freed or never allocated is an error.
    pub fn range(&self, at: usize, len: usize) -> Result<Option<&Block>, Code> {
        match self.find(at) {
            Some(b) if b.holds(at, len) => Ok(Some(b)),
            Some(b) if b.kind == Kind::Registered && at == b.base + b.size => Ok(None),
            Some(_) => Err(error::INVALID_VALUE),
            None if self.in_range(at) => Err(error::INVALID_VALUE),
            None => Ok(None),
        }
    }

    pub fn freed(&self, at: usize) -> Option<&Block> {
        self.freed.range(..=at).next_back().map(|e| e.1).filter(|b| b.holds(at, 0))
    }

    /// Describes an address, as the end of a sentence.
    pub fn describe(&self, at: usize) -> String {
        if let Some(b) = self.freed(at).filter(|b| b.holds(at, 1)) {
            return format!("{}, which was freed", relative(b, at));
        }
        if !self.in_range(at) {
            return match at {
                0..PAGE => "a null pointer".into(),
                _ => "which is not device memory".into(),
            };
        }
        let near = |b: &&Block| at.saturating_sub(b.base + b.size).max(b.base.saturating_sub(at));
        match self.live.values().filter(|b| b.on_device_range()).min_by_key(near) {
            Some(b) if near(&b) < 1 << 30 => relative(b, at),
            _ => "in no allocation".into(),
        }
    }
}

impl Block {
    fn on_device_range(&self) -> bool {
        matches!(self.kind, Kind::Device | Kind::Pinned)
    }
}

/// Describes an address relative to a block.
fn relative(b: &Block, at: usize) -> String {
    let position = if at < b.base {
        format!("{} bytes before", b.base - at)
    } else if at >= b.base + b.size {
        format!("{} bytes past the end of", at - b.base - b.size)
    } else {
        format!("{} bytes into", at - b.base)
    };
    format!("{position} allocation {} ({} bytes at {:#x})", b.serial, b.size, b.base)
}
