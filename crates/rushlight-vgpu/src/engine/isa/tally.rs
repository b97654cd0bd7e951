//! Counts what the waves of a grid execute: instructions by class, accesses to memory, and how often a wave waits for them.
//! Cost models of real GPUs start from these counts; `RUSHLIGHT_VGPU_COUNT` prints them.
use super::engine::KernelCode;
use super::inst::{GLC, Inst, counters};
use super::mem::Act;
use super::ops::Op;
use super::program::Program;
use super::types::{Class, Enc};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;

/// The class of an instruction: the unit of a processor that executes it, and for vector instructions the rate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unit {
    /// Vector instructions at the full rate.
    Vector,
    /// Exponentials, logarithms, reciprocals, roots, sines.
    Transcendental,
    /// Products of 32-bit integers, and wider.
    WideProduct,
    /// f64.
    Double,
    /// Matrix instructions, and those of f32.
    Matrix,
    MatrixSingle,
    Scalar,
    /// Loads through the scalar cache.
    ScalarMemory,
    /// Accesses of each lane to global or scratch memory.
    Memory,
    Lds,
    Branch,
    Barrier,
    /// Waits, hints and cache instructions.
    Other,
}

/// The name of each class in the printed counts.
const NAMES: [(Unit, &str); 13] = [
    (Unit::Vector, "valu"),
    (Unit::Transcendental, "trans"),
    (Unit::WideProduct, "mul32"),
    (Unit::Double, "f64"),
    (Unit::Matrix, "matrix"),
    (Unit::MatrixSingle, "matrix32"),
    (Unit::Scalar, "salu"),
    (Unit::ScalarMemory, "smem"),
    (Unit::Memory, "vmem"),
    (Unit::Lds, "lds"),
    (Unit::Branch, "branch"),
    (Unit::Barrier, "barrier"),
    (Unit::Other, "other"),
];

/// Returns the class of an instruction.
pub(super) fn unit(i: &Inst) -> Unit {
    let name = i.row.name;
    let starts = |words: &[&str]| words.iter().any(|w| name.starts_with(w));
    match i.enc {
        Enc::Sopp if i.op == Op::s_barrier => Unit::Barrier,
        Enc::Sopp if starts(&["s_branch", "s_cbranch", "s_endpgm"]) => Unit::Branch,
        Enc::Sopp => Unit::Other,
        Enc::Sop1 | Enc::Sopk if starts(&["s_setpc", "s_swappc", "s_call"]) => Unit::Branch,
        Enc::Sopk if starts(&["s_waitcnt"]) => Unit::Other,
        Enc::Sop1 | Enc::Sop2 | Enc::Sopc | Enc::Sopk => Unit::Scalar,
        Enc::Smem if i.row.bits[0] == 0 => Unit::Other,
        Enc::Smem => Unit::ScalarMemory,
        Enc::Ds => Unit::Lds,
        Enc::Mubuf if i.row.mem.is_none() => Unit::Other,
        Enc::Flat | Enc::Global | Enc::Scratch | Enc::Mubuf => Unit::Memory,
        Enc::Vop1 | Enc::Vop2 | Enc::Vopc | Enc::Vop3 | Enc::Vop3sd | Enc::Vop3p | Enc::Vopd => {
            let is64 = |t: &super::types::Ty| t.class == Class::Float && t.bits == 64;
            if matches!(i.op, Op::v_mfma_f32_32x32x2_f32 | Op::v_mfma_f32_16x16x4_f32) {
                Unit::MatrixSingle
            } else if starts(&["v_mfma", "v_smfmac", "v_wmma", "v_swmmac"]) {
                Unit::Matrix
            } else if starts(&["v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"]) {
                Unit::Transcendental
            } else if i.row.ty.iter().any(is64) {
                Unit::Double
            } else if starts(&["v_mul_lo_u32", "v_mul_hi_", "v_mad_u64_u32", "v_mad_i64_i32"]) {
                Unit::WideProduct
            } else {
                Unit::Vector
            }
        }
    }
}

/// The effect of an instruction on the counters of outstanding accesses.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Nothing,
    /// Starts an access of `vmcnt`, or one of `lgkmcnt`.
    Far,
    Near,
    /// Waits until at most these numbers of accesses are outstanding.
    Wait(u8, u8),
}

fn step(i: &Inst) -> Step {
    match (unit(i), i.row.mem) {
        (Unit::Memory, Some(mem)) => {
            let returns = match mem.act {
                Act::Store | Act::StoreTwo(_) => false,
                Act::Atomic(_) => mem.returns || i.cache & GLC != 0,
                _ => true,
            };
            // RDNA counts stores by themselves, and code hardly ever waits for them.
            if returns || i.family.gcn() { Step::Far } else { Step::Nothing }
        }
        (Unit::ScalarMemory | Unit::Lds, _) => Step::Near,
        _ if i.op == Op::s_waitcnt => {
            let (far, _, near) = counters(i.family, i.imm as u32);
            Step::Wait(far as u8, near as u8)
        }
        _ => Step::Nothing,
    }
}

/// Accesses of a wave that are outstanding, in units of one latency: an access that starts at time `t` ends at `t + 1`.
#[derive(Default, Clone)]
struct Latency {
    now: u64,
    started: VecDeque<u64>,
}

impl Latency {
    fn start(&mut self) {
        self.started.push_back(self.now);
    }

    fn wait(&mut self, left: usize) {
        while self.started.len() > left {
            let start = self.started.pop_front().unwrap_or(self.now);
            self.now = self.now.max(start + 1);
        }
    }
}

/// Bytes of the smallest unit of memory traffic, and of a cache line.
const SECTOR: u64 = 64;
const LINE: u64 = 128;

/// Which sectors of 4,096 bytes the grid has read, and which it has written.
#[derive(Default)]
struct Page {
    read: u64,
    written: u64,
}

/// The counts of a grid.
pub(crate) struct Tally {
    /// How often each instruction of the program was executed, and what it does to a wave's latencies.
    executed: Vec<u64>,
    steps: Vec<Step>,
    /// The waves of the running block: accesses through vmcnt and through lgkmcnt.
    waves: Vec<[Latency; 2]>,
    /// Latencies of the ended blocks' waves, one after the other in each wave.
    serial: [u64; 2],
    started: u64,
    /// The kernel's arguments, whose loads are not counted.
    arguments: (u64, u64),
    pages: HashMap<u64, Page>,
    /// Bytes that lanes loaded and stored in global memory, and in scratch memory.
    requested: [u64; 2],
    scratch: u64,
    /// Cache lines that instructions touch, and the clocks in which a cache serves them: one line, or 64 bytes, in each.
    lines: u64,
    clocks: u64,
    /// Bytes of LDS, and the clocks of its 32 banks of 4 bytes.
    lds: u64,
    lds_clocks: u64,
    /// Sectors or words of one access.
    touched: Vec<u64>,
}

impl Tally {
    pub fn new(program: &Program, arguments: (u64, u64)) -> Tally {
        Tally {
            executed: vec![0; program.insts.len()],
            steps: program.insts.iter().map(step).collect(),
            waves: Vec::new(),
            serial: [0; 2],
            started: 0,
            arguments,
            pages: HashMap::new(),
            requested: [0; 2],
            scratch: 0,
            lines: 0,
            clocks: 0,
            lds: 0,
            lds_clocks: 0,
            touched: Vec::new(),
        }
    }

    /// Starts a block of some waves.
    pub fn begin(&mut self, waves: usize) {
        self.end();
        self.waves = vec![Default::default(); waves];
        self.started += waves as u64;
    }

    /// Ends the running block.
    pub fn end(&mut self) {
        for wave in self.waves.drain(..) {
            for (sum, latency) in self.serial.iter_mut().zip(wave) {
                *sum += latency.now;
            }
        }
    }

    /// Counts an instruction of a wave.
    #[inline]
    pub fn execute(&mut self, pc: usize, wave: u32) {
        self.executed[pc] += 1;
        let Some([far, near]) = self.waves.get_mut(wave as usize) else { return };
        match self.steps[pc] {
            Step::Nothing => {}
            Step::Far => far.start(),
            Step::Near => near.start(),
            Step::Wait(f, n) => {
                far.wait(f as usize);
                near.wait(n as usize);
            }
        }
    }

    /// Counts an access of the active lanes.
    pub fn access(&mut self, at: &[u64], bytes: usize, exec: u64, write: bool) {
        let active = || at.iter().enumerate().filter(|(l, _)| exec >> l & 1 == 1).map(|(_, a)| *a);
        let Some(first) = active().next() else { return };
        let moved = active().count() as u64 * bytes as u64;
        match first >> 48 {
            1 => {
                self.lds += moved;
                self.banks(at, bytes, exec);
            }
            2 => self.scratch += moved,
            _ if self.argument(first) => {}
            _ => {
                let mut touched = std::mem::take(&mut self.touched);
                touched.clear();
                for a in active() {
                    for sector in a / SECTOR..=(a + bytes as u64 - 1) / SECTOR {
                        if touched.last() != Some(&sector) {
                            touched.push(sector);
                        }
                    }
                }
                touched.sort_unstable();
                touched.dedup();
                self.requested[usize::from(write)] += moved;
                let mut lines = 0;
                let mut last = None;
                for sector in &touched {
                    self.mark(*sector, write);
                    let line = Some(sector / (LINE / SECTOR));
                    lines += u64::from(last != line);
                    last = line;
                }
                self.lines += lines;
                self.clocks += lines.max(moved.div_ceil(SECTOR));
                self.touched = touched;
            }
        }
    }

    /// Counts a load through the scalar cache.
    pub fn scalar(&mut self, at: u64, bytes: usize) {
        if self.argument(at) {
            return;
        }
        self.requested[0] += bytes as u64;
        for sector in at / SECTOR..=(at + bytes as u64 - 1) / SECTOR {
            self.mark(sector, false);
        }
    }

    /// Returns whether an address is in the kernel's arguments, which are elsewhere in each run.
    fn argument(&self, at: u64) -> bool {
        at >= self.arguments.0 && at < self.arguments.1
    }

    fn mark(&mut self, sector: u64, write: bool) {
        let page = self.pages.entry(sector / 64).or_default();
        let bits = if write { &mut page.written } else { &mut page.read };
        *bits |= 1 << (sector % 64);
    }

    /// Adds the clocks of an access to LDS: in each, 128 bytes of neighbouring lanes whose words are in different banks.
    fn banks(&mut self, at: &[u64], bytes: usize, exec: u64) {
        let group = (128 / bytes.max(4)).clamp(1, 32);
        for (g, lanes) in at.chunks(group).enumerate() {
            self.touched.clear();
            for (l, a) in lanes.iter().enumerate().filter(|(l, _)| exec >> (g * group + l) & 1 == 1) {
                let words = l..l + 1;
                self.touched.extend(words.flat_map(|_| a / 4..=(a + bytes as u64 - 1) / 4));
            }
            self.touched.sort_unstable();
            self.touched.dedup();
            let mut banks = [0u64; 32];
            self.touched.iter().for_each(|w| banks[(w % 32) as usize] += 1);
            self.lds_clocks += banks.into_iter().max().unwrap_or(0);
        }
    }

    /// Returns the counts as words `name=number`.
    pub fn text(&mut self, program: &Program, code: &KernelCode) -> String {
        self.end();
        let mut classes: BTreeMap<Unit, u64> = BTreeMap::new();
        let mut widths: BTreeMap<(&str, &str, usize), u64> = BTreeMap::new();
        for (i, n) in program.insts.iter().zip(&self.executed).filter(|(_, n)| **n > 0) {
            let class = unit(i);
            *classes.entry(class).or_default() += n;
            if let (Unit::Memory, Some(mem)) = (class, i.row.mem) {
                let space = match i.enc {
                    Enc::Flat => "flat",
                    Enc::Global => "global",
                    _ => "scratch",
                };
                let act = match mem.act {
                    Act::Load | Act::LoadTwo(_) => "load",
                    Act::Store | Act::StoreTwo(_) => "store",
                    Act::Atomic(_) => "atomic",
                };
                *widths.entry((space, act, mem.bytes())).or_default() += n;
            }
        }
        let sectors =
            |of: fn(&Page) -> u64| self.pages.values().map(|p| of(p).count_ones() as u64).sum::<u64>();
        let (read, written) = (sectors(|p| p.read) * SECTOR, sectors(|p| p.written) * SECTOR);
        let mut text = String::new();
        let mut say = |name: &str, n: u64| _ = write!(text, " {name}={n}");
        for (class, name) in NAMES {
            let n = classes.get(&class).copied().unwrap_or(0);
            if n > 0 || class != Unit::MatrixSingle {
                say(name, n);
            }
        }
        say("waves", self.started);
        say("far", self.serial[0]);
        say("near", self.serial[1]);
        say("read", read);
        say("written", written);
        say("loaded", self.requested[0]);
        say("stored", self.requested[1]);
        say("lines", self.lines);
        say("clocks", self.clocks);
        say("lds_bytes", self.lds);
        say("lds_clocks", self.lds_clocks);
        say("scratch_bytes", self.scratch);
        say("vgprs", code.registers as u64);
        say("sgprs", code.scalars as u64);
        say("lds_size", code.lds as u64);
        for ((space, act, bytes), n) in widths {
            say(&format!("{space}_{act}_{bytes}"), n);
        }
        text.split_off(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::types::Family;
    use super::*;
    use crate::engine::isa::decode::decode;

    fn of(family: Family, words: &[u32]) -> Inst {
        let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let wave = if family.gcn() { 64 } else { 32 };
        decode(family, &code, 0, wave).expect("an instruction")
    }

    #[test]
    fn instructions_have_the_class_of_the_unit_that_executes_them() {
        use Family::*;
        // Words as llvm-mc encodes the instructions in the comments.
        for (family, words, class) in [
            (Rdna3, &[0x0604_0501][..], Unit::Vector),     // v_add_f32 v2, v1, v2
            (Rdna3, &[0x7e04_4b01], Unit::Transcendental), // v_exp_f32 v2, v1
            (Rdna3, &[0xd72c_0002, 0x0002_0501], Unit::WideProduct), // v_mul_lo_u32 v2, v1, v2
            (Rdna3, &[0xd727_0002, 0x0002_0501], Unit::Double), // v_add_f64 v[2:3], v[1:2], v[2:3]
            (Rdna3, &[0x8000_0001], Unit::Scalar),         // s_add_u32 s0, s1, s0
            (Rdna3, &[0xbfa0_0001], Unit::Branch),         // s_branch 1
            (Rdna3, &[0xbfb0_0000], Unit::Branch),         // s_endpgm
            (Rdna3, &[0xbfbd_0000], Unit::Barrier),        // s_barrier
            (Rdna3, &[0xbf89_fc07], Unit::Other),          // s_waitcnt lgkmcnt(0)
            (Rdna3, &[0xdc52_0000, 0x017c_0002], Unit::Memory), // global_load_b32 v1, v[2:3], off
            (Rdna3, &[0xd8d8_0000, 0x0100_0002], Unit::Lds), // ds_load_b32 v1, v2
            (Rdna3, &[0xcc40_4000, 0x1c02_2108], Unit::Matrix), // v_wmma_f32_16x16x16_f16 ..
            (Cdna2, &[0xd3cc_0000, 0x0402_2510], Unit::Matrix), // v_mfma_f32_32x32x8f16 ..
            (Cdna2, &[0xd3c4_0000, 0x0402_2510], Unit::MatrixSingle), // v_mfma_f32_32x32x2f32 ..
            (Cdna2, &[0xbf8a_0000], Unit::Barrier),        // s_barrier
            (Cdna2, &[0xbf8c_0070], Unit::Other),          // s_waitcnt vmcnt(0) lgkmcnt(0)
        ] {
            let i = of(family, words);
            assert_eq!(unit(&i), class, "{i}");
        }
    }

    #[test]
    fn waits_and_accesses_change_the_counters() {
        use Family::*;
        for (family, words, effect) in [
            (Rdna3, &[0xbf89_0c27][..], Step::Wait(3, 2)), // s_waitcnt vmcnt(3) lgkmcnt(2)
            (Cdna2, &[0xbf8c_0273], Step::Wait(3, 2)),     // the same
            (Rdna3, &[0xdc52_0000, 0x017c_0002], Step::Far), // global_load_b32 v1, v[2:3], off
            (Rdna3, &[0xdc6a_0000, 0x007c_0100], Step::Nothing), // global_store_b32 v[0:1], v1, off
            (Cdna2, &[0xdc70_8000, 0x007f_0100], Step::Far), // global_store_dword v[0:1], v1, off
            (Rdna3, &[0xd8d8_0000, 0x0100_0002], Step::Near), // ds_load_b32 v1, v2
            (Rdna3, &[0x0604_0501], Step::Nothing),        // v_add_f32 v2, v1, v2
        ] {
            let i = of(family, words);
            assert_eq!(step(&i), effect, "{i}");
        }
    }

    #[test]
    fn overlapping_accesses_cost_one_latency() {
        let mut l = Latency::default();
        (0..3).for_each(|_| l.start());
        l.wait(2);
        l.wait(1);
        l.wait(0);
        assert_eq!(l.now, 1, "three started together");
        l.start();
        l.wait(0);
        assert_eq!(l.now, 2, "one after the other");
        l.start();
        l.wait(1);
        assert_eq!(l.now, 2, "prefetched: nothing was waited for");
        l.start();
        l.wait(1);
        assert_eq!(l.now, 3);
    }

    fn empty() -> Tally {
        let program = Program::new(Family::Rdna3, &[], 0, 32, &[]);
        Tally::new(&program, (0, 0))
    }

    #[test]
    fn lines_sectors_and_clocks_of_an_access() {
        let all = u64::from(u32::MAX);
        // 32 lanes, 4 bytes each, side by side: one line, 2 clocks of 64 bytes.
        let mut t = empty();
        t.access(&std::array::from_fn::<u64, 32, _>(|l| 4096 + 4 * l as u64), 4, all, false);
        assert_eq!((t.lines, t.clocks, t.requested, t.pages.len()), (1, 2, [128, 0], 1));
        assert_eq!(t.pages[&1].read, 3, "the first two sectors of the page");
        // A column of a matrix with rows of 4,096 bytes: a line and a page for each lane.
        let mut t = empty();
        t.access(&std::array::from_fn::<u64, 32, _>(|l| 4096 * (l as u64 + 1)), 4, all, true);
        assert_eq!((t.lines, t.clocks, t.requested, t.pages.len()), (32, 32, [0, 128], 32));
        // Inactive lanes touch nothing, and arguments are not counted.
        t.access(&[4096; 32], 4, 0, true);
        t.arguments = (4096, 8192);
        t.access(&[4096; 32], 4, all, false);
        t.scalar(8188, 4);
        assert_eq!((t.lines, t.requested), (32, [0, 128]));
    }

    #[test]
    fn banks_of_lds() {
        let lds = |f: fn(u64) -> u64, bytes: usize| {
            let mut t = empty();
            let at: [u64; 32] = std::array::from_fn(|l| 1 << 48 | f(l as u64));
            t.access(&at, bytes, u64::from(u32::MAX), false);
            t.lds_clocks
        };
        assert_eq!(lds(|l| 4 * l, 4), 1, "32 banks");
        assert_eq!(lds(|_| 64, 4), 1, "one word for all lanes");
        assert_eq!(lds(|l| 128 * l, 4), 32, "one bank");
        assert_eq!(lds(|l| 132 * l, 4), 1, "padded rows");
        assert_eq!(lds(|l| 16 * l, 16), 4, "512 bytes");
    }
}
