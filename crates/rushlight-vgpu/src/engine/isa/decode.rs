//! Decodes the machine code of RDNA3, and the parts that other families share.
mod gcn;
#[cfg(test)]
mod tests;

use super::inst::*;
use super::ops::Op;
use super::table::{Row, Table};
use super::types::{Class, Enc, Family, Ty};

/// Returns bits `from` (the lowest) to `to` of a word.
fn bits(word: u64, to: u32, from: u32) -> u32 {
    (word >> from & ((1 << (to - from + 1)) - 1)) as u32
}

/// Returns bits as a signed number.
fn signed(word: u64, to: u32, from: u32) -> i32 {
    let shift = 31 - (to - from);
    (bits(word, to, from) << shift) as i32 >> shift
}

struct Decoder<'a> {
    code: &'a [u8],
    at: usize,
    wave: u32,
    family: Family,
    table: &'static Table,
    /// Bytes used so far.
    used: usize,
    literal: Option<u32>,
}

/// Decodes the instruction at an offset; `None` if it is unknown.
pub(crate) fn decode(family: Family, code: &[u8], at: usize, wave: u32) -> Option<Inst> {
    let mut d = Decoder { code, at, wave, family, table: Table::get(family), used: 0, literal: None };
    let first = d.word()?;
    let mut inst = if family.gcn() { d.instruction_gcn(first) } else { d.instruction(first) }?;
    inst.size = d.used as u8;
    Some(inst)
}

impl Decoder<'_> {
    fn word(&mut self) -> Option<u64> {
        let at = self.at + self.used;
        let bytes = self.code.get(at..at + 4)?;
        self.used += 4;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as u64)
    }

    /// Reads the word after the instruction, which all its operands of code 255 share.
    fn literal(&mut self) -> Option<u32> {
        if self.literal.is_none() {
            self.literal = Some(self.word()? as u32);
        }
        self.literal
    }

    /// Returns the register of a scalar code.
    fn register(&self, code: u8) -> u8 {
        match code {
            102..=105 if self.family.gcn() => code - 102 + FLAT_SCRATCH,
            124 if self.family.gcn() => M0,
            _ => code,
        }
    }

    fn row(&self, enc: Enc, code: u32) -> Option<&'static Row> {
        self.table.find(enc, code as u16)
    }

    fn inst(&self, row: &'static Row, enc: Enc) -> Inst {
        Inst {
            op: row.op,
            family: self.family,
            row,
            enc,
            at: self.at as u32,
            size: 0,
            wave: self.wave as u8,
            dst: 0,
            sdst: NULL,
            dst_hi: false,
            src: [Source::NONE; 3],
            count: 0,
            clamp: false,
            omod: 0,
            imm: 0,
            addr: 0,
            data: 0,
            data1: 0,
            base: NULL,
            cache: 0,
            clears: false,
            both: false,
            dpp: None,
            sdwa: None,
            dual: None,
        }
    }

    fn source(&mut self, inst: &mut Inst, code: u32, ty: Ty) -> Option<()> {
        let literal = if code == 255 { Some(self.literal()?) } else { None };
        let mut s = Source::of(code as u16, ty, self.wave, literal)?;
        if let From::Scalar(c) = s.from {
            s.from = From::Scalar(self.register(c));
        }
        inst.src[inst.count as usize] = s;
        inst.count += 1;
        Some(())
    }

    /// Decodes a source of a 32-bit instruction. For 16-bit operands the vector register's number selects the half.
    fn short(&mut self, inst: &mut Inst, code: u32, ty: Ty) -> Option<()> {
        let half = ty.bits == 16 && code >= 256 + 128;
        self.source(inst, if half { code - 128 } else { code }, ty)?;
        inst.src[inst.count as usize - 1].hi = half;
        Some(())
    }

    /// Decodes an instruction of two words, whose opcode is in some bits of the first; returns both words.
    fn long(&mut self, w: u64, enc: Enc, to: u32, from: u32) -> Option<(u64, Inst)> {
        let w = w | self.word()? << 32;
        let row = self.row(enc, bits(w, to, from))?;
        Some((w, self.inst(row, enc)))
    }

    fn instruction(&mut self, w: u64) -> Option<Inst> {
        match w >> 26 & 63 {
            0b110101 => self.vop3(w),
            0b110011 => self.vop3p(w),
            0b110010 => self.vopd(w),
            0b110110 => self.ds(w),
            0b110111 => self.flat(w),
            0b111000 => {
                let (_, i) = self.long(w, Enc::Mubuf, 25, 18)?;
                // Only instructions that control caches and have no operands.
                (i.row.ty == [Ty::NONE; 4]).then_some(i)
            }
            0b111101 => self.smem(w),
            _ if w >> 31 == 0 => self.vector(w),
            _ => self.scalar(w),
        }
    }

    fn scalar(&mut self, w: u64) -> Option<Inst> {
        let (enc, code) = match w >> 23 & 511 {
            0b101111101 => (Enc::Sop1, bits(w, 15, 8)),
            0b101111110 => (Enc::Sopc, bits(w, 22, 16)),
            0b101111111 => (Enc::Sopp, bits(w, 22, 16)),
            _ if w >> 28 == 0b1011 => (Enc::Sopk, bits(w, 27, 23)),
            _ => (Enc::Sop2, bits(w, 29, 23)),
        };
        let row = self.row(enc, code)?;
        let mut i = self.inst(row, enc);
        match enc {
            Enc::Sopp => i.imm = bits(w, 15, 0) as i32,
            Enc::Sopk => {
                (i.imm, i.dst) = (signed(w, 15, 0), self.register(bits(w, 22, 16) as u8) as u16);
                if row.name == "s_setreg_imm32_b32" {
                    let literal = self.literal()?;
                    i.src[0] =
                        Source::of(255, Ty { class: Class::Bits, bits: 32 }, self.wave, Some(literal))?;
                    i.count = 1;
                }
            }
            _ => {
                if enc != Enc::Sopc {
                    i.dst = self.register(bits(w, 22, 16) as u8) as u16;
                }
                if row.name == "s_set_gpr_idx_on" {
                    // The operands that are meant, encoded as the second source.
                    i.imm = bits(w, 11, 8) as i32;
                }
                for (n, ty) in row.ty[1..].iter().enumerate().take(row.sources()) {
                    self.source(&mut i, bits(w, n as u32 * 8 + 7, n as u32 * 8), *ty)?;
                }
            }
        }
        Some(i)
    }

    fn smem(&mut self, w: u64) -> Option<Inst> {
        let (w, mut i) = self.long(w, Enc::Smem, 25, 18)?;
        i.dst = bits(w, 12, 6) as u16;
        i.addr = (bits(w, 5, 0) * 2) as u8;
        i.base = bits(w, 63, 57) as u8;
        i.imm = signed(w, 52, 32);
        i.cache = flag(w, 14, GLC) | flag(w, 13, DLC);
        Some(i)
    }

    /// Decodes a 32-bit vector instruction without its sources.
    fn brief(&mut self, w: u64) -> Option<Inst> {
        let (enc, code) = match w >> 25 & 63 {
            0b111111 => (Enc::Vop1, bits(w, 16, 9)),
            0b111110 => (Enc::Vopc, bits(w, 24, 17)),
            op => (Enc::Vop2, op as u32),
        };
        let row = self.row(enc, code)?;
        let mut i = self.inst(row, enc);
        i.dst = bits(w, 24, 17) as u16;
        if enc == Enc::Vopc {
            // GCN's write VCC, and some of them EXEC as well.
            let only_exec = !self.family.gcn() && row.name.starts_with("v_cmpx");
            (i.dst, i.sdst) = (0, if only_exec { EXEC } else { VCC });
        }
        Some(i)
    }

    /// Decodes 32-bit vector instructions.
    fn vector(&mut self, w: u64) -> Option<Inst> {
        let src0 = bits(w, 8, 0);
        let mut i = self.brief(w)?;
        let (row, enc) = (i.row, i.enc);
        if row.ty[0].bits == 16 && i.dst >= 128 && row.ty[0].class != Class::None {
            (i.dst, i.dst_hi) = (i.dst - 128, true);
        }
        let src0 = self.exchange(&mut i, src0)?;
        if row.sources() == 0 {
            return Some(i);
        }
        self.short(&mut i, src0, row.ty[1])?;
        let last = 256 + bits(w, 16, 9);
        match row.name {
            "v_fmamk_f32" | "v_fmamk_f16" => {
                let k = self.constant(row.ty[2])?;
                i.src[1] = k;
                i.count = 2;
                self.short(&mut i, last, row.ty[2])?;
            }
            "v_fmaak_f32" | "v_fmaak_f16" => {
                self.short(&mut i, last, row.ty[2])?;
                i.src[2] = self.constant(row.ty[2])?;
                i.count = 3;
            }
            _ if enc == Enc::Vop1 => {}
            _ => {
                self.short(&mut i, last, row.ty[2])?;
                if matches!(
                    row.name,
                    "v_cndmask_b32" | "v_add_co_ci_u32" | "v_sub_co_ci_u32" | "v_subrev_co_ci_u32"
                ) {
                    self.source(&mut i, VCC as u32, Ty { class: Class::Mask, bits: 0 })?;
                    i.sdst = VCC;
                }
            }
        }
        self.modifiers(&mut i);
        Some(i)
    }

    /// Decodes the constant of fmaak and fmamk.
    fn constant(&mut self, ty: Ty) -> Option<Source> {
        let literal = self.literal()?;
        Source::of(255, ty, self.wave, Some(literal))
    }

    /// Decodes a first source that lanes exchange; returns the code of the register.
    fn exchange(&mut self, i: &mut Inst, code: u32) -> Option<u32> {
        match code {
            250 => {
                let w = self.word()?;
                i.dpp = Some(Dpp {
                    control: bits(w, 16, 8),
                    eight: false,
                    rows: bits(w, 31, 28) as u8,
                    banks: bits(w, 27, 24) as u8,
                    bound: bits(w, 19, 19) == 1,
                    fetch_inactive: bits(w, 18, 18) == 1,
                });
                // Signs in the 32-bit encodings; `modifiers` applies them.
                i.imm = bits(w, 23, 20) as i32;
                Some(256 + bits(w, 7, 0))
            }
            233 | 234 => {
                let w = self.word()?;
                i.dpp = Some(Dpp {
                    control: bits(w, 31, 8),
                    eight: true,
                    rows: 15,
                    banks: 15,
                    bound: true,
                    fetch_inactive: code == 234,
                });
                Some(256 + bits(w, 7, 0))
            }
            _ => Some(code),
        }
    }

    fn modifiers(&mut self, i: &mut Inst) {
        if i.dpp.is_some() {
            let m = std::mem::take(&mut i.imm);
            (i.src[0].neg, i.src[0].abs) = (m & 1 != 0, m & 2 != 0);
            (i.src[1].neg, i.src[1].abs) = (m & 4 != 0, m & 8 != 0);
        }
    }

    fn vop3(&mut self, w: u64) -> Option<Inst> {
        let w = w | self.word()? << 32;
        let code = bits(w, 25, 16);
        if let Some(row) = self.row(Enc::Vop3sd, code) {
            return self.vop3sd(w, row);
        }
        let row = match code {
            0..=255 => self.row(Enc::Vopc, code),
            256..=319 => self.row(Enc::Vop2, code - 256),
            384..=511 => self.row(Enc::Vop1, code - 384),
            _ => self.row(Enc::Vop3, code),
        }?;
        let mut i = self.inst(row, Enc::Vop3);
        i.dst = bits(w, 7, 0) as u16;
        if row.enc == Enc::Vopc {
            (i.sdst, i.dst) = (i.dst as u8, 0);
        }
        let first = self.exchange(&mut i, bits(w, 40, 32))?;
        i.imm = 0;
        self.three(&mut i, w, first)?;
        Some(i)
    }

    /// Decodes the sources of a 64-bit instruction (`first` is the code of the first one), with the modifiers of
    /// sources and result.
    fn three(&mut self, i: &mut Inst, w: u64, first: u32) -> Option<()> {
        (i.clamp, i.omod) = (bits(w, 15, 15) == 1, bits(w, 60, 59) as u8);
        let opsel = bits(w, 14, 11);
        for (n, code) in [first, bits(w, 49, 41), bits(w, 58, 50)].into_iter().enumerate() {
            let ty = match i.row.ty.get(n + 1) {
                Some(ty) if ty.class != Class::None => *ty,
                _ if n == 2 && i.row.name == "v_cndmask_b32" => Ty { class: Class::Mask, bits: 0 },
                _ => break,
            };
            self.source(i, code, ty)?;
            let s = &mut i.src[n];
            s.neg = w >> (61 + n) & 1 == 1;
            s.abs = w >> (8 + n) & 1 == 1;
            s.hi = opsel >> n & 1 == 1;
        }
        i.dst_hi = opsel & 8 != 0;
        Some(())
    }

    fn vop3sd(&mut self, w: u64, row: &'static Row) -> Option<Inst> {
        let mut i = self.inst(row, Enc::Vop3sd);
        (i.dst, i.sdst) = (bits(w, 7, 0) as u16, bits(w, 14, 8) as u8);
        (i.clamp, i.omod) = (bits(w, 15, 15) == 1, bits(w, 60, 59) as u8);
        let mut codes = [bits(w, 40, 32), bits(w, 49, 41), bits(w, 58, 50)];
        codes[0] = self.exchange(&mut i, codes[0])?;
        i.imm = 0;
        for (n, code) in codes.into_iter().enumerate().take(row.sources()) {
            self.source(&mut i, code, row.ty[n + 1])?;
            i.src[n].neg = w >> (61 + n) & 1 == 1;
        }
        Some(i)
    }

    fn vop3p(&mut self, w: u64) -> Option<Inst> {
        let (w, mut i) = self.long(w, Enc::Vop3p, 22, 16)?;
        i.dst = bits(w, 7, 0) as u16;
        if i.row.name.starts_with("v_mfma_") {
            return self.mfma(w, i);
        }
        i.clamp = bits(w, 15, 15) == 1;
        let high = bits(w, 60, 59) | bits(w, 14, 14) << 2;
        for n in 0..i.row.sources() {
            let (n32, ty) = (n as u32, i.row.ty[n + 1]);
            self.source(&mut i, bits(w, 40 + 9 * n32, 32 + 9 * n32), ty)?;
            let s = &mut i.src[n];
            s.hi = w >> (11 + n) & 1 == 1;
            s.second_hi = high >> n & 1 == 1;
            s.neg = w >> (61 + n) & 1 == 1;
            s.second_neg = w >> (8 + n) & 1 == 1;
        }
        match (i.op, &mut i.src[0].from) {
            (Op::v_accvgpr_read_b32, From::Vector(r)) => *r += ACCUMULATORS,
            (Op::v_accvgpr_read_b32, _) => return None,
            (Op::v_accvgpr_write_b32, _) => i.dst += ACCUMULATORS,
            _ => {}
        }
        Some(i)
    }

    /// Decodes a dual instruction.
    fn vopd(&mut self, w: u64) -> Option<Inst> {
        let w = w | self.word()? << 32;
        let (x, y) = (bits(w, 25, 22), bits(w, 21, 17));
        let mut first = self.half(x, bits(w, 8, 0), bits(w, 16, 9), bits(w, 63, 56))?;
        let dst = bits(w, 55, 49) << 1 | (bits(w, 56, 56) ^ 1);
        let second = self.half(y, bits(w, 40, 32), bits(w, 48, 41), dst)?;
        first.dual = Some(Box::new(second));
        Some(first)
    }

    fn half(&mut self, code: u32, src0: u32, vsrc1: u32, dst: u32) -> Option<Inst> {
        // Dual instructions have separate opcodes and share the rows of the operations.
        let (enc, op) = match code {
            0 => (Enc::Vop2, 43),
            1 => (Enc::Vop2, 45),
            2 => (Enc::Vop2, 44),
            3 => (Enc::Vop2, 8),
            4 => (Enc::Vop2, 3),
            5 => (Enc::Vop2, 4),
            6 => (Enc::Vop2, 5),
            7 => (Enc::Vop2, 7),
            8 => (Enc::Vop1, 1),
            9 => (Enc::Vop2, 1),
            10 => (Enc::Vop2, 16),
            11 => (Enc::Vop2, 15),
            12 => (Enc::Vop2, 2),
            16 => (Enc::Vop2, 37),
            17 => (Enc::Vop2, 24),
            18 => (Enc::Vop2, 27),
            _ => return None,
        };
        let row = self.row(enc, op)?;
        let mut i = self.inst(row, Enc::Vopd);
        i.dst = dst as u16;
        self.source(&mut i, src0, row.ty[1])?;
        match code {
            8 => {}
            1 => {
                self.source(&mut i, 256 + vsrc1, row.ty[2])?;
                i.src[2] = self.constant(row.ty[2])?;
                i.count = 3;
            }
            2 => {
                i.src[1] = self.constant(row.ty[2])?;
                i.count = 2;
                self.source(&mut i, 256 + vsrc1, row.ty[2])?;
            }
            _ => {
                self.source(&mut i, 256 + vsrc1, row.ty[2])?;
                if code == 9 {
                    self.source(&mut i, VCC as u32, Ty { class: Class::Mask, bits: 0 })?;
                }
            }
        }
        Some(i)
    }

    fn ds(&mut self, w: u64) -> Option<Inst> {
        let (w, mut i) = self.long(w, Enc::Ds, 25, 18)?;
        i.dst = bits(w, 63, 56) as u16;
        (i.addr, i.data, i.data1) = (bits(w, 39, 32) as u8, bits(w, 47, 40) as u16, bits(w, 55, 48) as u16);
        i.imm = bits(w, 15, 0) as i32;
        i.cache = flag(w, 17, GDS);
        Some(i)
    }

    fn flat(&mut self, w: u64) -> Option<Inst> {
        let enc = [Enc::Flat, Enc::Scratch, Enc::Global].into_iter().nth(bits(w, 17, 16) as usize)?;
        let (w, mut i) = self.long(w, enc, 24, 18)?;
        i.dst = bits(w, 63, 56) as u16;
        (i.addr, i.data, i.base) = (bits(w, 39, 32) as u8, bits(w, 47, 40) as u16, bits(w, 54, 48) as u8);
        i.imm = signed(w, 12, 0);
        i.cache = flag(w, 14, GLC) | flag(w, 15, SLC) | flag(w, 13, DLC) | flag(w, 55, VADDR);
        Some(i)
    }
}

fn flag(word: u64, at: u32, value: u8) -> u8 {
    if word >> at & 1 == 1 { value } else { 0 }
}
