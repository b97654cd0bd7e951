//! Single memory instructions, on machine code of both wave sizes: the expected registers and memory are computed
//! here, byte by byte and lane by lane, as AMD's ISA documents state.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::isa::{assemble, program, targets};
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use std::collections::BTreeSet;
use std::process::Command;

/// The memory of a case: its image, which the instruction accesses (for LDS and scratch memory it is copied there and
/// back), then the inputs of registers, then their results.
const IMAGE: usize = 4096;
const INPUT: usize = 4096;
const OUTPUT: usize = 8192;
const PIECE: usize = 12288;
/// Inputs after 32 bytes for scalars: addresses of lanes, and their data.
const ADDRESSES: usize = 64;
const DATA: usize = ADDRESSES + 16 * 64;
/// Offsets of images in LDS and in scratch memory, and the size of each lane's scratch memory.
const LDS: usize = 8192;
const SCRATCH: usize = 4032;
const OWN: usize = 64;
/// The initial value of result registers, and their number.
const BEFORE: u32 = 0x5a5a_a5a0;
/// An unsigned offset that would be negative as a signed number.
const FAR: u64 = 0xf000_0000;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Space {
    Global,
    Lds,
    Scratch,
}

/// The source of the address, in addition to the offset in the instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Addressing {
    /// 64 bits in `v[2:3]`.
    Pointer,
    /// 32 bits in v4.
    Vector,
    /// s22 for all lanes.
    Scalar,
    /// v4, and `s[20:21]` or s22.
    Both,
    /// The offset alone.
    Fixed,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Rmw {
    Swap,
    CompareSwap,
    Add,
    Sub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    FAdd,
    FMin,
    FMax,
}

type Exchange = fn(usize, &[u32], &[u32], u64) -> u32;

/// The operation of an instruction.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Loads bytes, with or without sign extension, or to one half of the register (1: lower, 2: upper).
    Load(usize, bool, u8),
    /// Stores the lower bytes of the data, or those of its upper half.
    Store(usize, bool),
    /// Two elements, with their size and their distances from the address.
    LoadTwo(usize, [usize; 2]),
    StoreTwo(usize, [usize; 2]),
    /// The size, whether it returns the old value, and the word of the data that is compared.
    Atomic(Rmw, usize, bool, usize),
    /// Loads scalars from an offset of the image.
    Scalars(usize, usize),
    /// Computes a lane's value from its index, the lanes' data and the active lanes.
    Lanes(Exchange),
    Nothing,
}

struct Case {
    text: String,
    space: Space,
    addressing: Addressing,
    act: Act,
    offset: i64,
    /// The index of each lane's element in the image, or in the lane's own memory.
    at: fn(usize, usize) -> usize,
    /// Bytes from one element to the next, and the offset of all.
    stride: usize,
    moved: usize,
}

include!("data/memory.rs");

/// Elements in another order than the lanes.
fn apart(lane: usize, lanes: usize) -> usize {
    (lane * 5 + 3) % lanes
}
/// Several lanes share an element.
fn shared(lane: usize, _: usize) -> usize {
    lane % 3
}
fn same(_: usize, _: usize) -> usize {
    1
}

/// Random numbers (an LCG's upper bits).
struct Draw(u64);
impl Draw {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 32) as u32
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}
fn put(bytes: &mut [u8], at: usize, value: u64, size: usize) {
    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
}
fn element(bytes: &[u8], at: usize, size: usize) -> u64 {
    (0..size).map(|k| (bytes[at + k] as u64) << (8 * k)).sum()
}

impl Case {
    /// Returns the active lanes: the first and the last one in some cases only, never all.
    fn exec(&self, n: usize, lanes: usize) -> u64 {
        if matches!(self.act, Act::Nothing) {
            return 0x0f0f_3355_9966_5aa5 & (u64::MAX >> (64 - lanes));
        }
        (0x9d3b_57a6_e1c4_2f8b_u64.rotate_left(n as u32 * 7)) & (u64::MAX >> (64 - lanes))
    }

    fn element_of(&self, lane: usize, lanes: usize) -> usize {
        let own = if self.space == Space::Scratch { lane * OWN } else { 0 };
        let n = (self.at)(lane, lanes);
        // A lane's scratch memory has only a few elements.
        let n = if self.space == Space::Scratch { n % (OWN / self.stride - 1) } else { n };
        own + n * self.stride + self.moved
    }

    fn float(&self) -> bool {
        matches!(self.act, Act::Atomic(Rmw::FAdd | Rmw::FMin | Rmw::FMax, ..))
    }

    /// Returns the initial memory of a case, at an address.
    fn piece(&self, n: usize, lanes: usize, address: u64) -> Vec<u8> {
        let mut p = vec![0u8; PIECE];
        let mut draw = Draw(n as u64 + 1);
        let mut number = |size: usize| match (self.float(), size) {
            // Sums of these are exact in any order.
            (true, 8) => ((draw.next() % 4001) as f64 * 0.25 - 500.0).to_bits(),
            (true, _) => ((draw.next() % 4001) as f32 * 0.25 - 500.0).to_bits() as u64,
            _ => (draw.next() as u64) << 32 | draw.next() as u64,
        };
        let size = if let Act::Atomic(_, size, ..) = self.act { size } else { 8 };
        for at in (0..IMAGE).step_by(size) {
            put(&mut p, at, number(size), size);
        }
        for at in (0..32 * 64).step_by(size) {
            put(&mut p, INPUT + DATA + at, number(size), size);
        }
        let exec = self.exec(n, lanes);
        let base = match self.space {
            Space::Global => address,
            Space::Lds => LDS as u64,
            Space::Scratch => SCRATCH as u64,
        };
        let less = base.wrapping_sub(self.offset as u64);
        // Scalars: bases, active lanes, VCC.
        let (pair, single) = match (self.space, self.addressing) {
            (Space::Global, Addressing::Both) => (less.wrapping_sub(FAR), FAR),
            (Space::Global, Addressing::Scalar) => (less.wrapping_sub(FAR) | 3, FAR | 3),
            (Space::Global, _) => (less, 0),
            (_, Addressing::Scalar) => (0, less + same(0, 0) as u64 * self.stride as u64 + self.moved as u64),
            _ => (0, less.wrapping_sub(40)),
        };
        put(&mut p, INPUT, pair, 8);
        // The offset of a buffer counts the bytes of all lanes.
        let scale = if self.text.contains("buffer_") { 64 } else { 1 };
        put(&mut p, INPUT + 8, single.wrapping_mul(scale), 4);
        put(&mut p, INPUT + 16, exec, 8);
        put(&mut p, INPUT + 24, 0x1234_5678_9abc_def0, 8);
        for lane in 0..lanes {
            let at = INPUT + ADDRESSES + 16 * lane;
            if exec >> lane & 1 == 0 {
                // Unmapped memory.
                put(&mut p, at, 0x1000, 8);
                put(&mut p, at + 8, 0x0dea_df00, 4);
                continue;
            }
            let own = (self.element_of(lane, lanes)
                - if self.space == Space::Scratch { lane * OWN } else { 0 }) as u64;
            put(&mut p, at, less.wrapping_add(own), if self.space == Space::Global { 8 } else { 4 });
            let index = match (self.space, self.addressing) {
                (Space::Global, _) => FAR + own,
                (_, Addressing::Both) => own + 40,
                _ => less.wrapping_add(own),
            };
            put(&mut p, at + 8, index, 4);
        }
        if let Act::Atomic(rmw @ (Rmw::CompareSwap | Rmw::Inc | Rmw::Dec), size, _, compared) = self.act {
            for lane in 0..lanes {
                let old = element(&p, self.element_of(lane, lanes), size);
                let (at, which) =
                    (INPUT + DATA + 32 * lane, if rmw == Rmw::CompareSwap { compared } else { 0 });
                match (rmw, lane % 4) {
                    (Rmw::CompareSwap, 0) => put(&mut p, at + 4 * which, old ^ 1 << (8 * size - 1), size),
                    // The limits of counters: at, above and below them.
                    (Rmw::Inc | Rmw::Dec, 0) => put(&mut p, at, old.wrapping_sub(1), size),
                    (Rmw::Inc | Rmw::Dec, 1) => put(&mut p, at, old.wrapping_add(1), size),
                    (Rmw::Dec, 2) => put(&mut p, self.element_of(lane, lanes), 0, size),
                    _ => put(&mut p, at + 4 * which, old, size),
                }
            }
        }
        p
    }

    /// Checks the final memory of a case; the error says what is wrong.
    fn check(&self, n: usize, lanes: usize, before: &[u8], after: &[u8]) -> Result<(), String> {
        let exec = self.exec(n, lanes);
        let active = || (0..lanes).filter(|l| exec >> l & 1 == 1);
        let data = |lane: usize, word_: usize| word(before, INPUT + DATA + 32 * lane + 4 * word_);
        let mut image = before[..IMAGE].to_vec();
        let mut registers = vec![[0, 1, 2, 3].map(|r| BEFORE + r); lanes];
        let mut scalars: Vec<u32> = (0..16).map(|r| BEFORE + r).collect();
        let got: Vec<[u32; 4]> =
            (0..lanes).map(|l| [0, 1, 2, 3].map(|r| word(after, OUTPUT + 16 * l + 4 * r))).collect();
        match self.act {
            Act::Load(size, signed, half) => {
                for l in active() {
                    let at = self.element_of(l, lanes);
                    let value = element(&image, at, size.min(4));
                    let first = match (size, signed) {
                        (1, true) => value as u8 as i8 as i32 as u32,
                        (2, true) => value as u16 as i16 as i32 as u32,
                        _ => value as u32,
                    };
                    let old = registers[l][0];
                    registers[l][0] = match half {
                        1 => old & 0xffff_0000 | first & 0xffff,
                        2 => old & 0xffff | first << 16,
                        _ => first,
                    };
                    for (k, to) in registers[l].iter_mut().enumerate().take(size / 4).skip(1) {
                        *to = word(&image, at + 4 * k);
                    }
                }
            }
            Act::Store(size, high) => {
                for l in active() {
                    for k in 0..size {
                        let from = data(l, k / 4) >> (8 * (k % 4) + if high { 16 } else { 0 });
                        image[self.element_of(l, lanes) + k] = from as u8;
                    }
                }
            }
            Act::LoadTwo(size, far) => {
                for l in active() {
                    for k in 0..size / 2 {
                        let at = self.element_of(l, lanes) + far[k / (size / 4)] + 4 * (k % (size / 4));
                        registers[l][k] = word(&image, at);
                    }
                }
            }
            Act::StoreTwo(size, far) => {
                for l in active() {
                    for k in 0..size / 2 {
                        let (which, k) = (k / (size / 4), k % (size / 4));
                        let at = self.element_of(l, lanes) + far[which] + 4 * k;
                        put(&mut image, at, data(l, 4 * which + k) as u64, 4);
                    }
                }
            }
            Act::Atomic(rmw, size, back, compared) => {
                let value = |l: usize, w: usize| element(before, INPUT + DATA + 32 * l + 4 * w, size);
                let given =
                    |l: usize| got[l][0] as u64 | if size == 8 { (got[l][1] as u64) << 32 } else { 0 };
                let elements: BTreeSet<usize> = active().map(|l| self.element_of(l, lanes)).collect();
                for at in elements {
                    let mut left: Vec<usize> =
                        active().filter(|l| self.element_of(*l, lanes) == at).collect();
                    let mut now = element(&image, at, size);
                    // Some order of the lanes must explain the old values that they got; if none is returned, any
                    // order is valid.
                    while !left.is_empty() {
                        let next = |l: usize| applied(rmw, size, now, value(l, 0), value(l, compared));
                        let may: Vec<usize> =
                            left.iter().copied().filter(|l| !back || given(*l) == now).collect();
                        let idle = may.iter().copied().find(|l| next(*l) == now);
                        let Some(l) = idle.or(may.first().copied()) else {
                            return Err(format!(
                                "lanes {left:?} got values that no order of them gives ({now:#x})"
                            ));
                        };
                        if back {
                            (registers[l][0], registers[l][1]) =
                                (now as u32, if size == 8 { (now >> 32) as u32 } else { BEFORE + 1 });
                        }
                        now = next(l);
                        left.retain(|o| *o != l);
                    }
                    put(&mut image, at, now, size);
                }
            }
            Act::Scalars(count, at) => (0..count).for_each(|k| scalars[k] = word(&image, at + 4 * k)),
            Act::Lanes(f) => {
                let all: Vec<u32> = (0..lanes).map(|l| data(l, 0)).collect();
                let index: Vec<u32> = (0..lanes).map(|l| data(l, 1)).collect();
                active().for_each(|l| registers[l][0] = f(l, &index, &all, exec));
            }
            Act::Nothing => {}
        }
        for l in 0..lanes {
            if registers[l] != got[l] {
                return Err(format!("lane {l} has {:x?}, expected {:x?}", got[l], registers[l]));
            }
            let state = [0, 1, 2, 3].map(|k| word(after, OUTPUT + 1024 + 16 * l + 4 * k));
            let expected = [1, exec as u32, (exec >> 32) as u32, 0x9abc_def0];
            if state != expected {
                return Err(format!("SCC, EXEC and VCC are {state:x?}, expected {expected:x?}"));
            }
        }
        let had: Vec<u32> = (0..16).map(|k| word(after, OUTPUT + 2048 + 4 * k)).collect();
        if matches!(self.act, Act::Scalars(..)) && had != scalars {
            return Err(format!("scalars are {had:x?}, expected {scalars:x?}"));
        }
        match (0..IMAGE).find(|i| image[*i] != after[*i]) {
            Some(i) => Err(format!("byte {i} of memory is {:#x}, expected {:#x}", after[i], image[i])),
            None => Ok(()),
        }
    }

    /// Returns its source: it fills registers and memory, executes the instruction after `s_nop 5`, and writes
    /// everything back.
    fn source(&self, n: usize, lanes: usize) -> String {
        let mask = |to: &str, from: &str| match lanes {
            32 => {
                format!("s_mov_b32 {to}_lo, {}\n", from.split([':', ']']).next().unwrap().replace("s[", "s"))
            }
            _ => format!("s_mov_b64 {to}, {from}\n"),
        };
        let mut t = mask("exec", "-1");
        for (to, at) in [(12, INPUT), (14, OUTPUT), (18, 0)] {
            t += &format!("s_add_u32 s{to}, s4, {}\ns_addc_u32 s{}, s5, 0\n", n * PIECE + at, to + 1);
        }
        t += &format!(
            "s_load_dwordx8 s[20:27], s[12:13], 0x0\nglobal_load_dwordx4 v[2:5], v10, s[12:13] offset:{ADDRESSES}\n\
             global_load_dwordx4 v[30:33], v11, s[12:13] offset:{DATA}\n\
             global_load_dwordx4 v[34:37], v11, s[12:13] offset:{}\ns_waitcnt vmcnt(0) lgkmcnt(0)\n",
            DATA + 16
        );
        (0..4).for_each(|r| t += &format!("v_mov_b32 v{}, {:#x}\n", 20 + r, BEFORE + r));
        let scalars = if matches!(self.act, Act::Scalars(..)) { 16 } else { 0 };
        (0..scalars).for_each(|r| t += &format!("s_mov_b32 s{}, {:#x}\n", 32 + r, BEFORE + r));
        // Images of LDS are copied unchanged, those of scratch memory lane by lane.
        let (window, from, own, base, step, count) = match self.space {
            Space::Lds => ("shared", "v10", "v10", LDS, 16 * lanes, IMAGE / 16 / lanes),
            _ => ("private", "v12", "v9", SCRATCH, 16, OWN / 16),
        };
        let copy = |back: bool| {
            let mut t = String::new();
            let all: Vec<usize> = (0..count).filter(|_| self.space != Space::Global).collect();
            for some in all.chunks(4) {
                let own = |k: usize| (format!("v[{}:{}]", 40 + 4 * (k % 4), 43 + 4 * (k % 4)), k * step);
                for (data, at) in some.iter().map(|k| own(*k)) {
                    t += &match back {
                        true => format!("flat_load_dwordx4 {data}, v[6:7] offset:{at}\n"),
                        false => format!("global_load_dwordx4 {data}, {from}, s[18:19] offset:{at}\n"),
                    };
                }
                t += "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
                for (data, at) in some.iter().map(|k| own(*k)) {
                    t += &match back {
                        true => format!("global_store_dwordx4 {from}, {data}, s[18:19] offset:{at}\n"),
                        false => format!("flat_store_dwordx4 v[6:7], {data} offset:{at}\n"),
                    };
                }
            }
            t
        };
        if self.space != Space::Global {
            t += &format!(
                "s_mov_b64 s[16:17], src_{window}_base\nv_or_b32 v3, s17, v3\nv_mov_b32 v7, s17\nv_or_b32 v6, {base}, {own}\n"
            );
        }
        t += &copy(false);
        t += "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_cmp_eq_u32 s4, s4\ns_mov_b32 s31, 0\n";
        t += &(mask("vcc", "s[26:27]") + &mask("exec", "s[24:25]"));
        t += &format!("s_nop 5\n{}\ns_waitcnt vmcnt(0) lgkmcnt(0)\n", self.text);
        t += "s_cselect_b32 s28, 1, 0\n";
        t += if lanes == 32 { "s_mov_b32 s30, exec_lo\n" } else { "s_mov_b64 s[30:31], exec\n" };
        t += &mask("exec", "-1");
        t += "v_mov_b32 v44, s28\nv_mov_b32 v45, s30\nv_mov_b32 v46, s31\nv_mov_b32 v47, vcc_lo\n\
              global_store_dwordx4 v10, v[20:23], s[14:15]\nglobal_store_dwordx4 v10, v[44:47], s[14:15] offset:1024\n";
        t += &copy(true);
        for k in 0..scalars / 4 {
            (0..4).for_each(|r| t += &format!("v_mov_b32 v{}, s{}\n", 40 + r, 32 + 4 * k + r));
            t += &format!("global_store_dwordx4 v9, v[40:43], s[14:15] offset:{}\n", 2048 + 16 * k);
        }
        t
    }
}

/// Returns the new value of an atomic operation.
fn applied(rmw: Rmw, size: usize, old: u64, data: u64, compared: u64) -> u64 {
    let bits = 8 * size as u32;
    let cut = |v: u64| v << (64 - bits) >> (64 - bits);
    let signed = |v: u64| (v << (64 - bits)) as i64 >> (64 - bits);
    let float = |v: u64| if size == 8 { f64::from_bits(v) } else { f32::from_bits(v as u32) as f64 };
    let pick = |first: bool| if first { old } else { data };
    match rmw {
        Rmw::Swap => data,
        Rmw::CompareSwap if old == compared => data,
        Rmw::CompareSwap => old,
        Rmw::Add => cut(old.wrapping_add(data)),
        Rmw::Sub => cut(old.wrapping_sub(data)),
        Rmw::SMin => pick(signed(old) <= signed(data)),
        Rmw::SMax => pick(signed(old) >= signed(data)),
        Rmw::UMin => pick(old <= data),
        Rmw::UMax => pick(old >= data),
        Rmw::And => old & data,
        Rmw::Or => old | data,
        Rmw::Xor => old ^ data,
        // Up to the data, then from 0; down from the data.
        Rmw::Inc if old >= data => 0,
        Rmw::Inc => old + 1,
        Rmw::Dec if old == 0 || old > data => data,
        Rmw::Dec => old - 1,
        Rmw::FAdd if size == 8 => (float(old) + float(data)).to_bits(),
        Rmw::FAdd => ((float(old) + float(data)) as f32).to_bits() as u64,
        Rmw::FMin => pick(float(old) <= float(data)),
        Rmw::FMax => pick(float(old) >= float(data)),
    }
}

/// Returns the code object of some cases, with scratch memory.
fn image(arch: &str, cases: &[Case]) -> Vec<u8> {
    let lanes = lanes(arch);
    let mut text = String::from(
        "v_lshlrev_b32 v10, 4, v0\nv_lshlrev_b32 v11, 5, v0\nv_lshlrev_b32 v12, 6, v0\nv_mov_b32 v9, 0\n",
    );
    cases.iter().enumerate().for_each(|(n, c)| text += &c.source(n, lanes));
    assemble(&scratchy(arch, &program(arch, &(text + "s_endpgm\n"), LDS + IMAGE), SCRATCH + OWN), arch)
}

/// Returns the source with scratch memory for each lane; on gfx90a its descriptor is in `s[0:3]`.
fn scratchy(arch: &str, text: &str, bytes: usize) -> String {
    let own = match arch {
        "gfx90a" => {
            ".amdhsa_user_sgpr_private_segment_buffer 1\n.amdhsa_system_sgpr_private_segment_wavefront_offset 1\n"
        }
        _ => ".amdhsa_enable_private_segment 1\n",
    };
    let text = text
        .replace(".private_segment_fixed_size: 0", &format!(".private_segment_fixed_size: {bytes}"))
        .replace(
            ".end_amdhsa_kernel",
            &format!(".amdhsa_private_segment_fixed_size {bytes}\n{own}.end_amdhsa_kernel"),
        );
    match arch {
        "gfx90a" => text.replace("s_load_dwordx4 s[4:7], s[0:1]", "s_load_dwordx4 s[4:7], s[4:5]"),
        _ => text,
    }
}

fn lanes(arch: &str) -> usize {
    if arch == "gfx1100" { 32 } else { 64 }
}

#[test]
fn every_memory_instruction_has_its_effect() {
    for arch in targets(&["gfx1100", "gfx90a", "gfx942"]) {
        child("every_memory_instruction_has_its_effect", &[("ENGINE", "isa"), ("ARCH", arch)], || {
            let (cases, lanes) = (cases(arch), lanes(arch));
            let image = image(arch, &cases);
            let mut m: Ptr = std::ptr::null_mut();
            assert_eq!(hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast()), 0);
            let out = malloc(PIECE * cases.len());
            let before: Vec<u8> = cases
                .iter()
                .enumerate()
                .flat_map(|(n, c)| c.piece(n, lanes, out + (n * PIECE) as u64))
                .collect();
            assert_eq!(hipMemcpy(out as Ptr, before.as_ptr().cast(), before.len(), 1), 0);
            assert_eq!(Module(m).launch("one", 1, lanes as u32, 0, &mut [out, out]), 0);
            assert_eq!(hipDeviceSynchronize(), 0);
            let after = download::<u8>(out, before.len());
            let pieces = before.chunks(PIECE).zip(after.chunks(PIECE));
            let wrong: Vec<String> = cases
                .iter()
                .zip(pieces)
                .enumerate()
                .filter_map(|(n, (c, (b, a)))| {
                    c.check(n, lanes, b, a).err().map(|e| format!("{}: {e}", c.text))
                })
                .collect();
            println!("{arch}: {} cases", cases.len());
            let shown = wrong.len().min(20);
            assert!(
                wrong.is_empty(),
                "{arch}: {} of {} are wrong\n{}",
                wrong.len(),
                cases.len(),
                wrong[..shown].join("\n")
            );
        });
    }
}

/// Returns LLVM's names of the instructions that cases execute: those after `s_nop 5`.
fn executed(arch: &str) -> BTreeSet<String> {
    let name = format!("vgpu-memory-{}-{arch}.co", std::process::id());
    let file = std::env::temp_dir().join(name);
    let text: String = cases(arch).iter().map(|c| format!("s_nop 5\n{}\n", c.text)).collect();
    std::fs::write(&file, assemble(&program(arch, &(text + "s_endpgm\n"), 0), arch)).unwrap();
    let out = Command::new("llvm-objdump-19").args(["-d", "--no-show-raw-insn"]).arg(&file).output();
    let out = out.expect("LLVM's tools are installed");
    std::fs::remove_file(file).unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let own = lines.windows(2).filter(|w| w[0].starts_with("s_nop 5"));
    own.map(|w| w[1].split(' ').next().unwrap().to_string()).collect()
}

#[test]
fn every_memory_instruction_of_the_kernels_has_a_case() {
    for (arch, list) in [("gfx1100", KERNELS_GFX1100), ("gfx90a", KERNELS_GFX90A), ("gfx942", KERNELS_GFX942)]
    {
        let have = executed(arch);
        let missing: Vec<&str> = list.split_whitespace().filter(|name| !have.contains(*name)).collect();
        println!(
            "{arch}: {} of the kernels' instructions, {} in all",
            list.split_whitespace().count(),
            have.len()
        );
        assert!(missing.is_empty(), "{arch}: no case executes {missing:?}");
    }
}

/// Each kind of access outside of its memory stops the kernel, and the report contains the instruction, its address
/// and the lane. Lane 5 is the first one outside: the memory has 96 bytes, lanes are 16 bytes apart.
#[test]
fn accesses_outside_of_memory_are_reported() {
    for arch in targets(&["gfx1100", "gfx90a", "gfx942"]) {
        for (n, (own, text, what)) in OUTSIDE.iter().enumerate() {
            let number = n.to_string();
            let asked = std::env::var("RUSHLIGHT_VGPU_TEST_CASE").ok();
            if asked.is_some_and(|a| a != number) || !(own.is_empty() || own.contains(arch)) {
                continue;
            }
            let lane = if text.starts_with("s_load") { "(lane 0 of wave 0)" } else { "(lane 5 of wave 0)" };
            let words = [*what, lane, "kernel `one`", "` at 0x"];
            prints(
                "accesses_outside_of_memory_are_reported",
                &[("ARCH", arch), ("TEST_CASE", &number)],
                &words,
                || {
                    let body = format!(
                        "v_lshlrev_b32 v1, 4, v0\nv_or_b32 v2, s4, v1\nv_mov_b32 v3, s5\ns_mov_b64 s[16:17], src_shared_base\n\
                     v_mov_b32 v5, s17\nv_mov_b32 v4, v1\n{text}\ns_endpgm\n"
                    );
                    let code = assemble(&scratchy(arch, &program(arch, &body, 96), 96), arch);
                    let mut m: Ptr = std::ptr::null_mut();
                    assert_eq!(hipModuleLoadData(Out::to(&mut m), code.as_ptr().cast()), 0);
                    let at = malloc(96);
                    assert_eq!(Module(m).launch("one", 1, 32, 0, &mut [at, at]), 0);
                    assert_eq!(hipDeviceSynchronize(), 700);
                },
            );
        }
    }
}
