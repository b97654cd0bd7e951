//! A decoded instruction with everything that execution and disassembly need.
use super::ops::Op;
use super::table::Row;
use super::types::{Class, Enc, Family, Ty};

/// The kind of a source operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum From {
    /// A vector register, or the first of several.
    Vector(u16),
    /// A scalar register in the hardware's numbering (which includes VCC, M0 and EXEC).
    Scalar(u8),
    /// A constant: the same bits in every lane.
    Constant(u64),
    /// Whether VCC is zero, whether EXEC is zero, the condition code.
    Vccz,
    Execz,
    Scc,
}

/// A source operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub from: From,
    /// The code in the encoding (0 to 511).
    pub code: u16,
    pub ty: Ty,
    /// The number of 32-bit registers.
    pub words: u8,
    pub neg: bool,
    pub abs: bool,
    /// For 16 bits: the upper half of a register. For pairs: the half that the first result reads.
    pub hi: bool,
    /// For pairs: the half that the second result reads, and its sign.
    pub second_hi: bool,
    pub second_neg: bool,
}

/// A source with code 233, 234 or 250: lanes exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dpp {
    /// The exchange of DPP16; for DPP8 24 bits of lane numbers.
    pub control: u32,
    pub eight: bool,
    pub rows: u8,
    pub banks: u8,
    /// Lanes without a source read 0 instead of keeping their result.
    pub bound: bool,
    /// Inactive lanes can be read.
    pub fetch_inactive: bool,
}

/// Parts of registers as operands, on GCN: 0 to 3 a byte, 4 and 5 a half, 6 the whole register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sdwa {
    pub dst: u8,
    /// The other bits of the destination: 0 zero, 1 sign-extended, 2 unchanged.
    pub unused: u8,
    pub src: [u8; 2],
    pub signed: [bool; 2],
}

#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub op: Op,
    pub family: Family,
    pub row: &'static Row,
    /// The encoding, which differs from its row's if it is promoted.
    pub enc: Enc,
    /// Offset in the code, and size in bytes.
    pub at: u32,
    pub size: u8,
    /// The wave size that it was decoded for.
    pub wave: u8,
    /// The destination register: scalar if the row's destination is scalar, else vector.
    pub dst: u16,
    /// The scalar register for a carry or a mask, if the instruction writes one.
    pub sdst: u8,
    /// The upper half of the destination (16 bits).
    pub dst_hi: bool,
    pub src: [Source; 3],
    pub count: u8,
    pub clamp: bool,
    /// The result is multiplied by 2, by 4, or halved (1, 2, 3).
    pub omod: u8,
    /// A 16-bit constant, or an offset.
    pub imm: i32,
    /// For memory instructions: registers of address, data and base (124: none).
    pub addr: u8,
    pub data: u16,
    pub data1: u16,
    pub base: u8,
    /// Bits: 1 glc, 2 slc, 4 dlc, 8 gds; 16: the scratch address is in a vector register; 32 scc; 64: a buffer's
    /// index is in one.
    pub cache: u8,
    /// A 16-bit result clears the upper half of its register.
    pub clears: bool,
    /// A comparison that writes EXEC in addition to its mask.
    pub both: bool,
    pub dpp: Option<Dpp>,
    pub sdwa: Option<Sdwa>,
    /// The second half of a dual instruction.
    pub dual: Option<Box<Inst>>,
}

pub(crate) const GLC: u8 = 1;
pub(crate) const SLC: u8 = 2;
pub(crate) const DLC: u8 = 4;
pub(crate) const GDS: u8 = 8;
pub(crate) const VADDR: u8 = 16;
pub(crate) const SCC: u8 = 32;
pub(crate) const INDEX: u8 = 64;
pub(crate) const VCC: u8 = 106;
pub(crate) const NULL: u8 = 124;
pub(crate) const M0: u8 = 125;
pub(crate) const EXEC: u8 = 126;
/// Scalar registers whose codes GCN uses differently: the scratch base and a mask for page faults.
pub(crate) const FLAT_SCRATCH: u8 = 138;
pub(crate) const XNACK_MASK: u8 = 140;

/// The first accumulation register (CDNA), after the vector registers.
pub(crate) const ACCUMULATORS: u16 = 272;

/// The flat addresses of LDS and scratch memory.
pub(crate) const SHARED_BASE: u64 = 1 << 48;
pub(crate) const PRIVATE_BASE: u64 = 2 << 48;

/// The buffer descriptor of scratch memory, which kernels receive and pass to buffer instructions.
pub(crate) const SCRATCH_BUFFER: [u32; 4] = [0, (PRIVATE_BASE >> 32) as u32, u32::MAX, 0x00f0_0000];

/// Returns the numbers of accesses in the constant of `s_waitcnt`: vmcnt, expcnt, lgkmcnt.
pub(crate) fn counters(family: Family, n: u32) -> (u32, u32, u32) {
    match family.gcn() {
        true => (n & 15 | n >> 10 & 0x30, n >> 4 & 7, n >> 8 & 15),
        false => (n >> 10 & 63, n & 7, n >> 4 & 63),
    }
}

impl Source {
    pub const NONE: Source = Source {
        from: From::Constant(0),
        code: 128,
        ty: Ty::NONE,
        words: 0,
        neg: false,
        abs: false,
        hi: false,
        second_hi: false,
        second_neg: false,
    };

    /// Returns the source of a code. `literal` is the word that follows the instruction.
    pub fn of(code: u16, ty: Ty, wave: u32, literal: Option<u32>) -> Option<Source> {
        let from = match code {
            0..=127 => From::Scalar(code as u8),
            256..=511 => From::Vector(code - 256),
            251 => From::Vccz,
            252 => From::Execz,
            253 => From::Scc,
            255 => From::Constant(extend(literal?, ty)),
            _ => From::Constant(inline(code, ty)?),
        };
        Some(Source { from, code, ty, words: ty.words(wave), ..Source::NONE })
    }
}

/// Converts a literal to the operand's type.
fn extend(literal: u32, ty: Ty) -> u64 {
    match (ty.class, ty.bits) {
        (Class::Float, 64) => (literal as u64) << 32,
        (Class::Int, 64) => literal as i32 as i64 as u64,
        _ => literal as u64,
    }
}

/// Returns whether an operand is two 32-bit words, of which a constant sets the first.
fn pair(ty: Ty) -> bool {
    matches!(ty.class, Class::PackInt | Class::PackFloat) && ty.bits == 64
}

/// Returns the inline constant of a code.
fn inline(code: u16, ty: Ty) -> Option<u64> {
    let whole = match code {
        128..=192 => Some(code as i64 - 128),
        193..=208 => Some(192 - code as i64),
        235 => return Some(SHARED_BASE),
        236 => return Some(SHARED_BASE | 0xffff_ffff),
        237 => return Some(PRIVATE_BASE),
        238 => return Some(PRIVATE_BASE | 0xffff_ffff),
        _ => None,
    };
    if let Some(n) = whole {
        return Some(if ty.bits == 64 && !pair(ty) { n as u64 } else { n as u32 as u64 });
    }
    let value: f64 = match code {
        240 => 0.5,
        241 => -0.5,
        242 => 1.0,
        243 => -1.0,
        244 => 2.0,
        245 => -2.0,
        246 => 4.0,
        247 => -4.0,
        248 => return Some(one_over_two_pi(ty)),
        _ => return None,
    };
    Some(match (ty.class, ty.bits) {
        (_, 64) if !pair(ty) => value.to_bits(),
        (Class::PackFloat, 32) | (Class::Float | Class::Bits | Class::Int, 16) => {
            half::f16::from_f64(value).to_bits() as u64
        }
        _ => (value as f32).to_bits() as u64,
    })
}

fn one_over_two_pi(ty: Ty) -> u64 {
    match (ty.class, ty.bits) {
        (_, 64) if !pair(ty) => 0x3fc4_5f30_6dc9_c882,
        (Class::PackFloat, 32) | (_, 16) => 0x3118,
        _ => 0x3e22_f983,
    }
}
