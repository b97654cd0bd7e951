//! Decodes the machine code of CDNA, which has GCN's encodings.
use super::*;

/// Returns what is added to a register's number if a bit says that it is an accumulation register.
fn accumulators(w: u64, bit: u32) -> u16 {
    if bits(w, bit, bit) == 1 { ACCUMULATORS } else { 0 }
}

impl Decoder<'_> {
    pub(super) fn instruction_gcn(&mut self, w: u64) -> Option<Inst> {
        match w >> 26 & 63 {
            0b110100 if w >> 23 & 7 == 7 => self.vop3p(w),
            0b110100 => self.vop3_gcn(w),
            0b110110 => self.ds_gcn(w),
            0b110111 => self.flat_gcn(w),
            0b111000 => self.buffer_gcn(w),
            0b110000 => self.smem_gcn(w),
            _ if w >> 31 == 0 => self.vector_gcn(w),
            _ if w >> 30 == 0b10 => self.scalar(w),
            _ => None,
        }
    }

    fn smem_gcn(&mut self, w: u64) -> Option<Inst> {
        let (w, mut i) = self.long(w, Enc::Smem, 25, 18)?;
        i.dst = self.register(bits(w, 12, 6) as u8) as u16;
        i.addr = self.register((bits(w, 5, 0) * 2) as u8);
        i.cache = flag(w, 16, GLC);
        match (bits(w, 17, 17), bits(w, 14, 14)) {
            (1, 1) => (i.imm, i.base) = (signed(w, 52, 32), self.register(bits(w, 63, 57) as u8)),
            (1, _) => i.imm = signed(w, 52, 32),
            (_, 1) => i.base = self.register(bits(w, 63, 57) as u8),
            // The offset field contains a register.
            _ => i.base = self.register(bits(w, 38, 32) as u8),
        }
        Some(i)
    }

    /// Decodes 32-bit vector instructions, including DPP and SDWA.
    fn vector_gcn(&mut self, w: u64) -> Option<Inst> {
        let src0 = bits(w, 8, 0);
        let mut i = self.brief(w)?;
        let (row, enc) = (i.row, i.enc);
        if row.name == "v_readfirstlane_b32" {
            i.dst = self.register(i.dst as u8) as u16;
        }
        self.effects(&mut i);
        let parts = if src0 == 249 { Some(self.word()? as u32) } else { None };
        let (src0, last) = match parts {
            Some(s) => (self.sdwa(&mut i, s), bits(w, 16, 9) + if s >> 31 == 0 { 256 } else { 0 }),
            None => (self.exchange(&mut i, src0)?, 256 + bits(w, 16, 9)),
        };
        if row.sources() == 0 {
            return Some(i);
        }
        self.source(&mut i, src0, row.ty[1])?;
        match row.name {
            "v_madmk_f32" | "v_fmamk_f32" | "v_madmk_f16" => {
                let k = self.constant(row.ty[2])?;
                i.src[1] = k;
                i.count = 2;
                self.source(&mut i, last, row.ty[2])?;
            }
            "v_madak_f32" | "v_fmaak_f32" | "v_madak_f16" => {
                self.source(&mut i, last, row.ty[2])?;
                i.src[2] = self.constant(row.ty[2])?;
                i.count = 3;
            }
            "v_accvgpr_mov_b32" => {
                i.dst += ACCUMULATORS;
                let From::Vector(r) = &mut i.src[0].from else { return None };
                *r += ACCUMULATORS;
            }
            _ if enc == Enc::Vop1 => {}
            _ => {
                self.source(&mut i, last, row.ty[2])?;
                match row.op {
                    Op::v_cndmask_b32
                    | Op::v_add_co_ci_u32
                    | Op::v_sub_co_ci_u32
                    | Op::v_subrev_co_ci_u32 => {
                        self.source(&mut i, VCC as u32, Ty { class: Class::Mask, bits: 0 })?;
                        i.sdst = VCC;
                    }
                    Op::v_add_co_u32 | Op::v_sub_co_u32 | Op::v_subrev_co_u32 => i.sdst = VCC,
                    _ => {}
                }
            }
        }
        match parts {
            Some(s) => {
                (i.src[0].neg, i.src[0].abs) = (s >> 20 & 1 == 1, s >> 21 & 1 == 1);
                (i.src[1].neg, i.src[1].abs) = (s >> 28 & 1 == 1, s >> 29 & 1 == 1);
            }
            None => self.modifiers(&mut i),
        }
        Some(i)
    }

    /// Decodes the second word of SDWA; returns the first source's code.
    fn sdwa(&mut self, i: &mut Inst, s: u32) -> u32 {
        let field = |at: u32| (s >> at & 7) as u8;
        let mut parts = Sdwa {
            dst: field(8),
            unused: (s >> 11 & 3) as u8,
            src: [field(16), field(24)],
            signed: [s >> 19 & 1 == 1, s >> 27 & 1 == 1],
        };
        if i.enc == Enc::Vopc {
            (parts.dst, parts.unused) = (6, 0);
            if s >> 15 & 1 == 1 {
                i.sdst = self.register((s >> 8 & 127) as u8);
            }
        } else {
            (i.clamp, i.omod) = (s >> 13 & 1 == 1, (s >> 14 & 3) as u8);
        }
        i.sdwa = Some(parts);
        (s & 255) + if s >> 23 & 1 == 0 { 256 } else { 0 }
    }

    /// Sets the effects of an instruction other than its result.
    fn effects(&mut self, i: &mut Inst) {
        let name = i.row.name;
        i.both = name.starts_with("v_cmpx");
        // Instructions new in gfx9 keep the upper half, older ones clear it. AMD's documents state it for some,
        // LLVM's zeroesHigh16BitsOfDest for the others.
        let keep = [
            "v_mad_f16",
            "v_mad_u16",
            "v_mad_i16",
            "v_fma_f16",
            "v_fma_mix",
            "v_div_fixup_f16",
            "v_min3",
            "v_max3",
            "v_med3",
            "v_add_i16",
            "v_sub_i16",
        ];
        i.clears = i.row.ty[0].bits == 16 && !keep.iter().any(|k| name.starts_with(k));
    }

    fn vop3_gcn(&mut self, w: u64) -> Option<Inst> {
        let w = w | self.word()? << 32;
        let code = bits(w, 25, 16);
        if let Some(row) = self.row(Enc::Vop3sd, code) {
            let mut i = self.vop3sd(w, row)?;
            i.sdst = self.register(i.sdst);
            return Some(i);
        }
        let row = match code {
            0..=255 => self.row(Enc::Vopc, code),
            256..=319 => self.row(Enc::Vop2, code - 256),
            320..=447 => self.row(Enc::Vop1, code - 320),
            _ => self.row(Enc::Vop3, code),
        }?;
        let mut i = self.inst(row, Enc::Vop3);
        i.dst = bits(w, 7, 0) as u16;
        if row.enc == Enc::Vopc {
            (i.sdst, i.dst) = (self.register(i.dst as u8), 0);
        }
        if row.name == "v_readlane_b32" {
            i.dst = self.register(i.dst as u8) as u16;
        }
        self.effects(&mut i);
        self.three(&mut i, w, bits(w, 40, 32))?;
        // No 32-bit constant can follow these.
        self.literal.is_none().then_some(i)
    }

    /// Decodes a matrix instruction. Bits select accumulation registers: 15 for sum and result, 59 and 60 for the factors.
    pub(super) fn mfma(&mut self, w: u64, mut i: Inst) -> Option<Inst> {
        i.dst += accumulators(w, 15);
        for (n, bit) in [59, 60, 15].into_iter().enumerate() {
            let low = 32 + 9 * n as u32;
            let ty = i.row.ty[n + 1];
            self.source(&mut i, bits(w, low + 8, low), ty)?;
            match &mut i.src[n].from {
                From::Vector(r) => *r += accumulators(w, bit),
                From::Constant(_) if n == 2 && self.literal.is_none() => {}
                _ => return None,
            }
        }
        // cbsz, abid and blgp.
        i.imm = (bits(w, 14, 8) | bits(w, 63, 61) << 7) as i32;
        Some(i)
    }

    fn ds_gcn(&mut self, w: u64) -> Option<Inst> {
        let (w, mut i) = self.long(w, Enc::Ds, 24, 17)?;
        let of = accumulators(w, 25);
        i.dst = bits(w, 63, 56) as u16 + of;
        i.addr = bits(w, 39, 32) as u8;
        (i.data, i.data1) = (bits(w, 47, 40) as u16 + of, bits(w, 55, 48) as u16 + of);
        i.imm = bits(w, 15, 0) as i32;
        i.cache = flag(w, 16, GDS);
        Some(i)
    }

    fn flat_gcn(&mut self, w: u64) -> Option<Inst> {
        let enc = [Enc::Flat, Enc::Scratch, Enc::Global].into_iter().nth(bits(w, 15, 14) as usize)?;
        let (w, mut i) = self.long(w, enc, 24, 18)?;
        let of = accumulators(w, 55);
        i.dst = bits(w, 63, 56) as u16 + of;
        (i.addr, i.data) = (bits(w, 39, 32) as u8, bits(w, 47, 40) as u16 + of);
        i.base = match bits(w, 54, 48) as u8 {
            127 => NULL,
            _ if enc == Enc::Flat => NULL,
            code => self.register(code),
        };
        i.imm = if enc == Enc::Flat { bits(w, 11, 0) as i32 } else { signed(w, 12, 0) };
        i.cache = flag(w, 16, GLC) | flag(w, 17, SLC) | flag(w, 25, SCC);
        i.cache |= match self.family {
            Family::Cdna3 => flag(w, 13, VADDR),
            _ if enc == Enc::Scratch && i.base == NULL => VADDR,
            _ => 0,
        };
        Some(i)
    }

    /// Decodes buffer instructions, with which gfx90a accesses scratch memory, and cache instructions.
    fn buffer_gcn(&mut self, w: u64) -> Option<Inst> {
        let (w, mut i) = self.long(w, Enc::Mubuf, 24, 18)?;
        let of = accumulators(w, 55);
        i.cache = flag(w, 14, GLC) | flag(w, 17, SLC) | flag(w, 15, SCC);
        if i.row.mem.is_none() {
            return Some(i);
        }
        i.cache |= flag(w, 12, VADDR) | flag(w, 13, INDEX);
        (i.dst, i.data) = (bits(w, 47, 40) as u16 + of, bits(w, 47, 40) as u16 + of);
        (i.addr, i.base) = (bits(w, 39, 32) as u8, (bits(w, 52, 48) * 4) as u8);
        i.imm = bits(w, 11, 0) as i32;
        self.source(&mut i, bits(w, 63, 56), Ty { class: Class::Bits, bits: 32 })?;
        Some(i)
    }
}
