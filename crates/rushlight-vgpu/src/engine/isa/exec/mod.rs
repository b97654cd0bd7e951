//! Executes a wave: one instruction for all its lanes at a time.
// Loops over lanes read several arrays.
#![allow(clippy::needless_range_loop)]
mod bits64;
mod buffer;
mod carry;
mod dot;
mod fused;
mod half;
mod lanes;
mod matrix;
mod memory;
pub(crate) mod number;
mod pairs;
mod scalar;
mod sdwa;
mod vector;
mod watch;

use super::inst::*;
use super::ops::Op;
use super::program::Program;
use super::tally::Tally;
use super::types::{Enc, Family};
pub(crate) use memory::Space;
use std::sync::MutexGuard;
pub(crate) use watch::{Shadow, Watch};

/// The reason why a wave cannot continue.
#[derive(Clone, Debug)]
pub(crate) enum Why {
    /// An invalid access: bytes, address, whether it was a write.
    Memory {
        at: u64,
        bytes: usize,
        write: bool,
    },
    /// Any other reason.
    Other(String),
    Trap,
}

#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub lane: usize,
    pub why: Why,
}

impl Fault {
    pub fn other(text: impl Into<String>) -> Fault {
        Fault { lane: 0, why: Why::Other(text.into()) }
    }
}

pub(crate) type Outcome<T = ()> = Result<T, Fault>;

/// The state of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Runs,
    AtBarrier,
    Ended,
}

/// The floating-point mode in the descriptor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode {
    /// Treat denormal f32, and f16 and f64, as zero.
    pub flush32: bool,
    pub flush64: bool,
    /// Minima and maxima quiet signalling NaNs.
    pub ieee: bool,
    /// Clamping turns NaN to zero.
    pub clamp_nan: bool,
}

/// Vector registers, some temporary ones after them, and accumulation registers.
const VECTORS: usize = ACCUMULATORS as usize + 256;
const SPARE: u16 = 270;
const RESULT: u16 = 268;

/// A wave of `L` lanes.
pub(crate) struct Wave<const L: usize> {
    pub v: Vec<[u32; L]>,
    /// Scalar registers in the hardware's numbering, which includes VCC, M0 and EXEC.
    pub s: [u32; 144],
    pub scc: bool,
    /// Index of the next instruction.
    pub pc: usize,
    pub mode: Mode,
    pub state: State,
    /// Scratch memory of all lanes, one after the other.
    pub scratch: Vec<u8>,
    pub scratch_lane: usize,
    /// The allocation of the last access.
    pub near: (u64, u64),
    /// The wave's number in the block, and whether it executes an atomic.
    pub number: u32,
    atomic: bool,
    /// M0 is added to vector register numbers (GCN).
    pub indexed: bool,
    /// The lanes that write, if fewer than EXEC.
    mask: Option<u64>,
    /// Instructions executed, and the limit.
    pub count: u64,
    pub budget: u64,
}

/// The state that the waves of a block share.
pub(crate) struct Env<'a> {
    pub program: &'a Program,
    pub space: &'a Space,
    pub lds: &'a mut [u8],
    /// The checks of memory accesses, if enabled.
    pub watch: Option<Watch<'a>>,
    /// The counts of the grid, if asked for: only one block runs at a time.
    pub tally: Option<MutexGuard<'a, Tally>>,
}

impl<const L: usize> Wave<L> {
    pub fn new(budget: u64) -> Wave<L> {
        Wave {
            v: vec![[0; L]; VECTORS],
            s: [0; 144],
            scc: false,
            pc: 0,
            mode: Mode::default(),
            state: State::Runs,
            scratch: Vec::new(),
            scratch_lane: 0,
            near: (0, 0),
            number: 0,
            atomic: false,
            indexed: false,
            mask: None,
            count: 0,
            budget,
        }
    }

    /// The mask of all lanes.
    const FULL: u64 = if L == 64 { u64::MAX } else { (1 << L) - 1 };

    pub fn exec(&self) -> u64 {
        let exec = self.read_mask(EXEC);
        self.mask.map_or(exec, |m| m & exec)
    }

    /// Reads a mask with one bit for each lane.
    pub fn read_mask(&self, register: u8) -> u64 {
        let r = register as usize;
        match (register, L) {
            (NULL, _) => 0,
            (_, 64) => self.s[r] as u64 | (self.s[r + 1] as u64) << 32,
            _ => self.s[r] as u64,
        }
    }

    pub fn write_mask(&mut self, register: u8, value: u64) {
        if register == NULL {
            return;
        }
        let r = register as usize;
        self.s[r] = value as u32;
        if L == 64 {
            self.s[r + 1] = (value >> 32) as u32;
        }
    }

    fn write_scalar(&mut self, register: u16, value: u32) {
        if register != NULL as u16 {
            self.s[register as usize] = value;
        }
    }

    fn write_scalar64(&mut self, register: u16, value: u64) {
        if register != NULL as u16 {
            self.s[register as usize] = value as u32;
            self.s[register as usize + 1] = (value >> 32) as u32;
        }
    }

    /// Writes the active lanes of a vector register.
    #[inline(always)]
    fn put(&mut self, register: u16, value: &[u32; L]) {
        let exec = self.exec();
        let to = &mut self.v[register as usize];
        if exec == Self::FULL {
            *to = *value;
        } else {
            let new = masks::<L>(exec);
            for l in 0..L {
                to[l] = value[l] & new[l] | to[l] & !new[l];
            }
        }
    }

    /// Runs until the wave ends, waits, or has executed `slice` instructions. A fault belongs to the instruction
    /// before `pc`.
    pub fn run(&mut self, env: &mut Env<'_>, slice: u64) -> Outcome {
        let program = env.program;
        let until = self.count + slice;
        while self.state == State::Runs && self.count < until {
            let Some(i) = program.insts.get(self.pc) else {
                return Err(Fault::other("it runs past the end of the code"));
            };
            if let Some(tally) = &mut env.tally {
                tally.execute(self.pc, self.number);
            }
            self.pc += 1;
            self.count += 1;
            if self.count > self.budget {
                return Err(Fault::other(format!(
                    "a wave has executed {} instructions (RUSHLIGHT_VGPU_BUDGET): an endless loop?",
                    self.budget
                )));
            }
            match i.enc {
                Enc::Sopp => self.control(i, program)?,
                Enc::Sop1 | Enc::Sop2 | Enc::Sopc | Enc::Sopk => self.scalar(i, program)?,
                Enc::Smem => self.load_scalars(i, env)?,
                Enc::Ds | Enc::Flat | Enc::Global | Enc::Scratch => self.memory(i, env)?,
                Enc::Mubuf => self.buffer(i, env)?,
                _ => self.vector(i)?,
            }
        }
        Ok(())
    }

    /// Executes a vector instruction, or a dual one.
    fn vector(&mut self, i: &Inst) -> Outcome {
        if self.indexed { self.relative(i) } else { self.absolute(i) }
    }

    /// Executes an instruction whose vector register numbers are increased by M0, for the operands that M0 selects.
    fn relative(&mut self, i: &Inst) -> Outcome {
        let (mut i, m0) = (i.clone(), self.s[M0 as usize]);
        let add = (m0 & 255) as u16;
        for (n, s) in i.src.iter_mut().enumerate().filter(|(n, _)| m0 >> (12 + n) & 1 == 1) {
            match &mut s.from {
                From::Vector(r) if *r + add < 256 => *r += add,
                From::Vector(r) => return Err(Fault::other(format!("its operand {n} is v{}", *r + add))),
                _ => {}
            }
        }
        let scalar = matches!(i.op, Op::compare | Op::v_readlane_b32 | Op::v_readfirstlane_b32);
        if m0 >> 15 & 1 == 1 && !scalar {
            i.dst += add;
            if i.dst > 255 {
                return Err(Fault::other(format!("its result is v{}", i.dst)));
            }
        }
        self.absolute(&i)
    }

    fn absolute(&mut self, i: &Inst) -> Outcome {
        if i.dpp.is_some() {
            return self.exchanged(i);
        }
        if let Some(parts) = &i.sdwa {
            return self.parts(i, parts);
        }
        let Some(second) = &i.dual else { return self.single(i) };
        // Both read before either writes: the first result is stored aside while the second one reads.
        let register = i.dst as usize;
        let old = self.v[register];
        self.single(i)?;
        let new = std::mem::replace(&mut self.v[register], old);
        self.single(second)?;
        self.v[register] = new;
        Ok(())
    }

    fn single(&mut self, i: &Inst) -> Outcome {
        if i.op == Op::compare {
            return self.compare(i);
        }
        if self.words32(i)
            || self.words64(i)
            || self.halves(i)
            || self.across(i)
            || self.carries(i)
            || self.pairs(i)
            || self.dots(i)
        {
            return Ok(());
        }
        if self.matrix(i)? { Ok(()) } else { Err(refused(i)) }
    }

    fn control(&mut self, i: &Inst, program: &Program) -> Outcome {
        let vcc = self.read_mask(VCC);
        let jump = match i.op {
            Op::s_endpgm => {
                self.state = State::Ended;
                return Ok(());
            }
            Op::s_barrier => {
                self.state = State::AtBarrier;
                return Ok(());
            }
            Op::s_branch => true,
            Op::s_cbranch_scc0 => !self.scc,
            Op::s_cbranch_scc1 => self.scc,
            Op::s_cbranch_vccz => vcc == 0,
            Op::s_cbranch_vccnz => vcc != 0,
            Op::s_cbranch_execz => self.read_mask(EXEC) == 0,
            Op::s_cbranch_execnz => self.read_mask(EXEC) != 0,
            Op::s_set_gpr_idx_off => {
                self.indexed = false;
                return Ok(());
            }
            Op::s_set_gpr_idx_mode => {
                let m0 = &mut self.s[M0 as usize];
                *m0 = *m0 & !0xf000 | (i.imm as u32 & 15) << 12;
                return Ok(());
            }
            Op::s_trap => return Err(Fault { lane: 0, why: Why::Trap }),
            // Without a trap handler clang emits this for a trap.
            Op::s_sethalt if i.imm & 1 == 1 => return Err(Fault { lane: 0, why: Why::Trap }),
            Op::s_sethalt => return Ok(()),
            Op::s_code_end => return Err(Fault::other("it runs past the end of the code")),
            Op::unknown => return Err(refused(i)),
            // Waits, hints and cache instructions: here every instruction completes before the next one.
            _ => false,
        };
        if jump {
            self.jump(i.at as i64 + 4 + i.imm as i16 as i64 * 4, program)?;
        }
        Ok(())
    }

    /// Continues at an offset in the code.
    fn jump(&mut self, to: i64, program: &Program) -> Outcome {
        self.pc = program
            .index(to)
            .ok_or_else(|| Fault::other(format!("it jumps to offset {to:#x}, outside of the code")))?;
        Ok(())
    }
}

/// The bit of a lane in half of a mask: a table, so that loops over lanes vectorize.
const BIT: [u32; 32] = {
    let mut bit = [0; 32];
    let mut l = 0;
    while l < 32 {
        bit[l] = 1 << l;
        l += 1;
    }
    bit
};

/// Returns all ones for each lane of a mask, and zeros for the others.
#[inline(always)]
fn masks<const L: usize>(mask: u64) -> [u32; L] {
    let mut all = [0; L];
    for (n, half) in all.chunks_exact_mut(32).enumerate() {
        let bits = (mask >> (32 * n)) as u32;
        for l in 0..32 {
            half[l] = if bits & BIT[l] != 0 { u32::MAX } else { 0 };
        }
    }
    all
}

/// Returns one bit for each lane whose operands satisfy a condition.
#[inline(always)]
fn truths<T: Copy, const L: usize>(a: &[T; L], b: &[T; L], holds: impl Fn(T, T) -> bool) -> u64 {
    let mut all = 0;
    for n in 0..L / 32 {
        let (a, b) = (&a[32 * n..32 * n + 32], &b[32 * n..32 * n + 32]);
        let mut bits = 0;
        for l in 0..32 {
            bits |= if holds(a[l], b[l]) { BIT[l] } else { 0 };
        }
        all |= (bits as u64) << (32 * n);
    }
    all
}

fn refused(i: &Inst) -> Fault {
    Fault::other(format!("the engine does not execute `{}`", i.row.name))
}
