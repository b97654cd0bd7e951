//! Modules of machine code, and grids that run their kernels.
pub(crate) use super::code::KernelCode;
use super::code::{self, CodeObject};
use super::exec::{Env, Mode, Shadow, Space, State, Watch, Wave, Why};
use super::inst::{ACCUMULATORS, EXEC, PRIVATE_BASE, SCRATCH_BUFFER, SHARED_BASE};
use super::program::Program;
use super::tally::Tally;
use super::trace::Tracer;
use crate::engine::types::{Cause, Dim, Failure};
use crate::support::config::Order;
use crate::support::pages::Pages;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// A loaded image and its code.
pub(crate) struct Loaded {
    /// The memory of the image; kernels access it by its addresses.
    pages: Pages,
    pub object: CodeObject,
    program: Program,
}

impl Loaded {
    /// Loads a code object for a target, at an address if one is given.
    pub fn new(image: &[u8], arch: &str, wave: u32, at: Option<usize>) -> Result<Loaded, String> {
        let object = code::parse(image)?;
        if object.processor() != arch {
            return Err(format!("it is for {}, the device is {arch}", object.processor()));
        }
        let family = super::family(arch).ok_or(format!("the engine does not execute {arch}"))?;
        if let Some(k) = object.kernels.iter().find(|k| k.wave != wave) {
            return Err(format!("kernel `{}` has waves of {}, the device of {wave}", k.name, k.wave));
        }
        let mut pages = Pages::new(object.size, at)?;
        let base = pages.base() as u64;
        let bytes = pages.bytes();
        for s in &object.segments {
            bytes[s.at..s.at + s.len].copy_from_slice(&image[s.file..s.file + s.len]);
        }
        for r in &object.relocations {
            let value = match (r.kind, r.symbol) {
                // Relative to the image, and absolute.
                (13, _) => base.wrapping_add(r.addend as u64),
                (3, Some(symbol)) => base.wrapping_add(symbol as u64).wrapping_add(r.addend as u64),
                (kind, _) => {
                    return Err(format!("its relocation of kind {kind} at {:#x} cannot be resolved", r.at));
                }
            };
            let word = bytes.get_mut(r.at..r.at + 8).ok_or("a relocation lies outside of it")?;
            word.copy_from_slice(&value.to_le_bytes());
        }
        let Some(s) = object.segments.iter().find(|s| s.executable) else {
            return Err("it has no code".into());
        };
        let entries: Vec<usize> = object.kernels.iter().map(|k| k.entry).collect();
        if entries.iter().any(|e| *e < s.at || *e >= s.at + s.len) {
            return Err("a kernel lies outside of its code".into());
        }
        let mut program = Program::new(family, &image[s.file..s.file + s.len], s.at, wave, &entries);
        program.base = base + s.at as u64;
        Ok(Loaded { pages, object, program })
    }

    /// Returns the address range of the image.
    pub fn range(&self) -> (u64, u64) {
        let base = self.pages.base() as u64;
        (base, base + self.object.size as u64)
    }

    /// Returns the variables: name, address, bytes.
    pub fn variables(&self) -> Vec<(String, usize, usize)> {
        let base = self.pages.base();
        let named =
            self.object.symbols.iter().filter(|s| s.kind == 1 && s.size > 0 && !s.name.ends_with(".kd"));
        named.map(|s| (s.name.clone(), base + s.at, s.size)).collect()
    }
}

/// A kernel of a loaded module.
#[derive(Clone)]
pub(crate) struct Machine {
    loaded: Arc<Loaded>,
    number: usize,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Machine({})", self.code().name)
    }
}

impl Machine {
    pub fn new(loaded: Arc<Loaded>, number: usize) -> Machine {
        Machine { loaded, number }
    }

    pub fn code(&self) -> &KernelCode {
        &self.loaded.object.kernels[self.number]
    }

    /// Returns the address range of the module's image.
    pub fn image(&self) -> (u64, u64) {
        self.loaded.range()
    }
}

/// Bytes of the dispatch packet and of an empty queue, which follow the arguments.
const PACKET: usize = 64;
const QUEUE: usize = 256;

/// A grid of a kernel.
pub(crate) struct Grid {
    machine: Machine,
    /// Arguments, then the dispatch packet, then the queue.
    memory: Vec<u128>,
    packet: usize,
    space: Space,
    block: Dim,
    lds: usize,
    wave: u32,
    blocks: Dim,
    strict: bool,
    order: Order,
    budget: u64,
    /// The accesses of waves, if they are checked.
    shadow: Option<Mutex<Shadow>>,
    /// The number of instructions that waves have executed.
    executed: AtomicU64,
    /// Their classes and accesses, if `RUSHLIGHT_VGPU_COUNT` asks for it.
    tally: Option<Mutex<Tally>>,
    /// Traces one of the waves.
    pub tracer: Option<Arc<Tracer>>,
}

/// The schedule of a block's waves: their order, and how many instructions each executes before the next one runs.
struct Schedule(Option<u64>);

impl Schedule {
    /// Creates the schedule of a block; with a seed it changes in every round.
    fn new(order: Order, block: u64) -> Schedule {
        match order {
            Order::Seed(s) => Schedule(Some(s ^ block.wrapping_mul(0x9e37_79b9_7f4a_7c15))),
            _ => Schedule(None),
        }
    }

    /// Returns the next random number (splitmix64).
    fn draw(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn shuffle(&mut self, waves: &mut [usize]) {
        let Some(state) = &mut self.0 else { return };
        for n in (1..waves.len()).rev() {
            waves.swap(n, (Self::draw(state) % (n as u64 + 1)) as usize);
        }
    }

    fn slice(&mut self) -> u64 {
        self.0.as_mut().map_or(SLICE, |state| 1 + Self::draw(state) % 24)
    }
}

impl Grid {
    /// `packed` are the caller's arguments; the hidden ones are filled in here.
    pub fn new(machine: &Machine, packed: &[u8], grid: Dim, block: Dim, dynamic: usize) -> Grid {
        let c = crate::support::config::get();
        let code = machine.code();
        let packet = code.kernarg.next_multiple_of(64);
        let mut bytes = vec![0u8; packet + PACKET + QUEUE];
        bytes[..packed.len().min(code.kernarg)].copy_from_slice(&packed[..packed.len().min(code.kernarg)]);
        let sizes = [block.x, block.y, block.z];
        let counts = [grid.x, grid.y, grid.z];
        let dims = if grid.z * block.z > 1 {
            3
        } else if grid.y * block.y > 1 {
            2
        } else {
            1
        };
        for a in code.args.iter().filter(|a| a.hidden()) {
            let axis = a.kind.bytes().last().map_or(0, |b| b.wrapping_sub(b'x') as usize).min(2);
            let value: u64 = match a.kind.trim_end_matches(['x', 'y', 'z']) {
                "hidden_block_count_" => counts[axis] as u64,
                "hidden_group_size_" => sizes[axis] as u64,
                "hidden_grid_dims" => dims,
                "hidden_dynamic_lds_size" => dynamic as u64,
                "hidden_private_base" => PRIVATE_BASE >> 32,
                "hidden_shared_base" => SHARED_BASE >> 32,
                // Remainders and offsets are 0, because grids have whole blocks. There is no printf buffer, heap or
                // queue.
                _ => 0,
            };
            bytes[a.offset..a.offset + a.size].copy_from_slice(&value.to_le_bytes()[..a.size.min(8)]);
        }
        let mut put = |at: usize, v: &[u8]| bytes[packet + at..packet + at + v.len()].copy_from_slice(v);
        for n in 0..3 {
            put(4 + 2 * n, &(sizes[n] as u16).to_le_bytes());
            put(12 + 4 * n, &(sizes[n].wrapping_mul(counts[n])).to_le_bytes());
        }
        let mut memory = vec![0u128; bytes.len() / 16];
        for (word, chunk) in memory.iter_mut().zip(bytes.chunks_exact(16)) {
            let mut b = [0; 16];
            b.copy_from_slice(chunk);
            *word = u128::from_le_bytes(b);
        }
        let at = memory.as_ptr() as u64;
        let arguments = (at, at + memory.len() as u64 * 16);
        Grid {
            machine: machine.clone(),
            space: Space { blocks: Vec::new(), arguments },
            tally: c.count.then(|| Mutex::new(Tally::new(&machine.loaded.program, arguments))),
            memory,
            packet,
            block,
            lds: code.lds + dynamic,
            wave: code.wave,
            blocks: grid,
            strict: c.strict,
            order: c.order,
            budget: c.budget,
            executed: AtomicU64::new(0),
            tracer: None,
            shadow: (c.races || c.fresh).then(Mutex::default),
        }
    }

    /// Returns the bytes of all arguments, including hidden ones.
    pub fn arguments(&self) -> &[u8] {
        // SAFETY: `memory` begins with them.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.machine.code().kernarg) }
    }

    /// Returns the bytes of [`Grid::arguments`], which may be changed before the grid runs.
    pub fn arguments_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe {
            std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.machine.code().kernarg)
        }
    }

    /// Returns the address range of the module's image.
    pub fn image(&self) -> (u64, u64) {
        self.machine.image()
    }

    /// Stores the accessible address ranges, right before the grid runs.
    pub fn set_accessible(&mut self, allocations: impl Iterator<Item = (u64, u64)>) {
        let mut blocks: Vec<(u64, u64)> = allocations.collect();
        blocks.push(self.machine.loaded.range());
        blocks.sort_unstable();
        self.space.blocks = blocks;
    }

    /// Describes how many instructions its waves have executed.
    pub fn count(&self) -> String {
        let (n, code) = (self.executed.load(Relaxed), self.machine.code());
        let name = &code.name;
        let counts = self.tally.as_ref().map(|t| {
            t.lock().unwrap_or_else(PoisonError::into_inner).text(&self.machine.loaded.program, code)
        });
        format!(
            "kernel `{name}`, grid {} of {}: {n} instructions by waves of {}: {}",
            self.blocks,
            self.block,
            self.wave,
            counts.unwrap_or_default()
        )
    }

    /// Runs a block.
    pub fn run(&self, at: Dim) -> Result<(), Failure> {
        thread_local! {
            static NARROW: RefCell<Buffers<32>> = const { RefCell::new(Buffers { waves: Vec::new(), lds: Vec::new() }) };
            static WIDE: RefCell<Buffers<64>> = const { RefCell::new(Buffers { waves: Vec::new(), lds: Vec::new() }) };
        }
        match self.wave {
            32 => NARROW.with_borrow_mut(|p| self.run_block(p, at)),
            64 => WIDE.with_borrow_mut(|p| self.run_block(p, at)),
            n => Err(self.failure(at, 0, Cause::Trap(format!("the engine does not support waves of {n}")))),
        }
    }

    fn failure(&self, block: Dim, thread: usize, cause: Cause) -> Failure {
        Failure { block, thread: self.block.at(thread as u64), cause }
    }

    fn run_block<const L: usize>(&self, buffers: &mut Buffers<L>, at: Dim) -> Result<(), Failure> {
        let threads = self.block.count() as usize;
        let count = threads.div_ceil(L);
        while buffers.waves.len() < count {
            buffers.waves.push(Wave::new(self.budget));
        }
        buffers.lds.clear();
        buffers.lds.resize(self.lds, 0xff);
        for (n, w) in buffers.waves[..count].iter_mut().enumerate() {
            self.start(w, at, n, threads);
        }
        let program = &self.machine.loaded.program;
        let block = at.x as u64 + self.blocks.x as u64 * (at.y as u64 + self.blocks.y as u64 * at.z as u64);
        let c = crate::support::config::get();
        let watch = self.shadow.as_ref().map(|global| Watch {
            races: c.races,
            fresh: c.fresh,
            global,
            lds: Shadow::default(),
            block,
            epoch: 0,
        });
        let mut tally = self.tally.as_ref().map(|t| t.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(tally) = &mut tally {
            tally.begin(count);
        }
        let mut env = Env { program, space: &self.space, lds: &mut buffers.lds, watch, tally };
        let waves = &mut buffers.waves[..count];
        let mut schedule = Schedule::new(self.order, block);
        let mut order: Vec<usize> = (0..count).collect();
        if self.order == Order::Reverse {
            order.reverse();
        }
        loop {
            let mut going = false;
            schedule.shuffle(&mut order);
            for n in order.iter().copied() {
                let w = &mut waves[n];
                if w.state == State::Runs {
                    let (slice, tracer) = (schedule.slice(), self.tracer.as_deref());
                    let ran = match tracer.filter(|t| t.watches(at, n)) {
                        Some(t) => t.run(w, &mut env, slice),
                        None => w.run(&mut env, slice),
                    };
                    if let Err(fault) = ran {
                        return Err(self.explain(w, at, n * L + fault.lane, fault.why));
                    }
                    going |= w.state == State::Runs;
                }
            }
            if going {
                continue;
            }
            // No wave can run: all that have not ended wait at a barrier.
            let waiting: Vec<usize> = (0..count).filter(|n| waves[*n].state == State::AtBarrier).collect();
            let Some(first) = waiting.first().copied() else {
                self.executed.fetch_add(waves.iter().map(|w| w.count).sum(), Relaxed);
                return Ok(());
            };
            let name = |n: usize| format!("thread {}", self.block.at((n * L) as u64));
            if let Some(other) = waiting.iter().find(|n| waves[**n].pc != waves[first].pc) {
                let (own, theirs) =
                    (self.describe(&waves[first], first * L), self.describe(&waves[*other], other * L));
                let (a, b) = (name(first), name(*other));
                let why = format!("{a} waits at one barrier, {b} at another: {own} and {theirs}");
                return Err(self.failure(at, first * L, Cause::Barrier(why)));
            }
            if self.strict
                && let Some(gone) = (0..count).find(|n| waves[*n].state == State::Ended)
            {
                let own = self.describe(&waves[first], first * L);
                let why = format!("{} never arrives: it has returned: {own}", name(gone));
                return Err(self.failure(at, first * L, Cause::Barrier(why)));
            }
            waves.iter_mut().filter(|w| w.state == State::AtBarrier).for_each(|w| w.state = State::Runs);
            if let Some(watch) = &mut env.watch {
                watch.epoch += 1;
            }
        }
    }

    /// Describes a wave's last instruction, its address and the lane of a thread.
    fn describe<const L: usize>(&self, w: &Wave<L>, thread: usize) -> String {
        let program = &self.machine.loaded.program;
        match w.pc.checked_sub(1).and_then(|pc| program.insts.get(pc)) {
            Some(i) => {
                let at = program.at + i.at as usize;
                format!("`{i}` at {at:#x} (lane {} of wave {})", thread % L, thread / L)
            }
            None => "its end".into(),
        }
    }

    /// Describes a failure with the instruction.
    fn explain<const L: usize>(&self, w: &Wave<L>, block: Dim, thread: usize, why: Why) -> Failure {
        let instruction = self.describe(w, thread);
        let cause = match why {
            Why::Memory { at, bytes, write } => Cause::Access { at: at as usize, bytes, write, instruction },
            Why::Trap => Cause::Trap(format!("trap: {instruction}")),
            Why::Other(text) => Cause::Trap(format!("{text}: {instruction}")),
        };
        self.failure(block, thread, cause)
    }

    /// Initializes a wave at the kernel's start, with the registers that the descriptor requests.
    fn start<const L: usize>(&self, w: &mut Wave<L>, at: Dim, number: usize, threads: usize) {
        let code = self.machine.code();
        let program = &self.machine.loaded.program;
        (w.state, w.scc, w.count, w.budget) = (State::Runs, false, 0, self.budget);
        (w.number, w.indexed) = (number as u32, false);
        // The allocation may have been freed since.
        w.near = (0, 0);
        // On hardware registers keep values of the last wave; here they hold a value that kernels do not mistake for
        // a number.
        w.v.iter_mut().take(code.vectors + 1).for_each(|v| *v = [u32::MAX; L]);
        let behind = w.v.iter_mut().skip(ACCUMULATORS as usize);
        behind.take(code.accumulators).for_each(|v| *v = [u32::MAX; L]);
        w.s = [u32::MAX; 144];
        w.pc = program.index(code.entry as i64 - program.at as i64).unwrap_or(usize::MAX - 1);
        w.mode = Mode {
            flush32: code.rsrc1 >> 16 & 3 != 3,
            flush64: code.rsrc1 >> 18 & 3 != 3,
            ieee: code.rsrc1 >> 23 & 1 == 1,
            clamp_nan: code.rsrc1 >> 21 & 1 == 1,
        };
        w.scratch_lane = code.scratch;
        w.scratch.clear();
        w.scratch.resize(code.scratch * L, 0xff);
        let arguments = self.memory.as_ptr() as u64;
        let packet = arguments + self.packet as u64;
        let mut next = 0;
        let mut give = |w: &mut Wave<L>, bit: u32, words: &[u32]| {
            if code.properties >> bit & 1 == 1 {
                w.s[next..next + words.len()].copy_from_slice(words);
                next += words.len();
            }
        };
        let pair = |v: u64| [v as u32, (v >> 32) as u32];
        give(w, 0, &SCRATCH_BUFFER);
        give(w, 1, &pair(packet));
        give(w, 2, &pair(packet + PACKET as u64));
        give(w, 3, &pair(arguments));
        give(w, 4, &[0; 2]);
        give(w, 5, &[0; 2]);
        give(w, 6, &[code.scratch as u32]);
        // System registers follow the user registers.
        let mut next = (code.rsrc2 >> 1 & 31) as usize;
        for (bit, value) in [(7, at.x), (8, at.y), (9, at.z), (10, 0), (0, 0)] {
            if code.rsrc2 >> bit & 1 == 1 {
                w.s[next] = value;
                next += 1;
            }
        }
        let first = number * L;
        let lanes = (threads - first).min(L);
        w.s[EXEC as usize] = 0;
        w.s[EXEC as usize + 1] = 0;
        w.write_mask(EXEC, if lanes == 64 { u64::MAX } else { (1 << lanes) - 1 });
        for l in 0..L {
            let t = self.block.at((first + l) as u64);
            w.v[0][l] = t.x | t.y << 10 | t.z << 20;
        }
    }
}

/// Instructions that a wave executes before the next one runs.
const SLICE: u64 = 1 << 20;

struct Buffers<const L: usize> {
    waves: Vec<Wave<L>>,
    lds: Vec<u8>,
}
