//! Scalar instructions.
use super::*;
use crate::engine::isa::types::Class;

impl<const L: usize> Wave<L> {
    pub(super) fn s32(&self, s: &Source) -> u32 {
        match s.from {
            From::Scalar(NULL) => 0,
            From::Scalar(r) => self.s[r as usize],
            From::Constant(c) => c as u32,
            From::Vccz => (self.read_mask(VCC) == 0) as u32,
            From::Execz => (self.read_mask(EXEC) == 0) as u32,
            From::Scc => self.scc as u32,
            From::Vector(r) => self.v[r as usize][self.first_lane()],
        }
    }

    pub(super) fn s64(&self, s: &Source) -> u64 {
        match s.from {
            From::Scalar(NULL) => 0,
            From::Scalar(r) => self.s[r as usize] as u64 | (self.s[r as usize + 1] as u64) << 32,
            From::Constant(c) => c,
            _ => self.s32(s) as u64,
        }
    }

    /// Returns the first active lane, or lane 0.
    pub(super) fn first_lane(&self) -> usize {
        match self.exec() {
            0 => 0,
            exec => exec.trailing_zeros() as usize,
        }
    }

    pub(super) fn scalar(&mut self, i: &Inst, program: &Program) -> Outcome {
        if i.op == Op::compare {
            return self.compare_scalars(i);
        }
        if matches!(i.op, Op::s_sendmsg_rtn_b32 | Op::s_sendmsg_rtn_b64) {
            // The number of a doorbell, with which a trap notifies the driver; a clock that advances only with this
            // wave.
            return match (i.op, i.src[0].code) {
                (Op::s_sendmsg_rtn_b32, 128) => {
                    self.write_scalar(i.dst, 0);
                    Ok(())
                }
                (Op::s_sendmsg_rtn_b64, 131) => {
                    self.write_scalar64(i.dst, self.count);
                    Ok(())
                }
                _ => Err(refused(i)),
            };
        }
        if i.row.ty[0].bits == 64 || i.row.ty[1].bits == 64 {
            return self.scalar64(i, program);
        }
        let (a, b) = (self.s32(&i.src[0]), self.s32(&i.src[1]));
        let k = i.imm as u32;
        let exec = self.s[EXEC as usize];
        // The result, and the condition code if it changes.
        let (r, scc): (u32, Option<bool>) = match i.op {
            Op::s_mov_b32 => (a, None),
            Op::s_movk_i32 => (k, None),
            Op::s_set_gpr_idx_on | Op::s_set_gpr_idx_idx => {
                let m0 = &mut self.s[M0 as usize];
                *m0 = *m0 & !255 | a & 255;
                if i.op == Op::s_set_gpr_idx_on {
                    *m0 = *m0 & !0xf000 | k << 12;
                    self.indexed = true;
                }
                return Ok(());
            }
            Op::s_cmov_b32 if self.scc => (a, None),
            Op::s_cmovk_i32 if self.scc => (k, None),
            Op::s_cmov_b32 | Op::s_cmovk_i32 => return Ok(()),
            Op::s_brev_b32 => (a.reverse_bits(), None),
            Op::s_ctz_i32_b32 => (if a == 0 { !0 } else { a.trailing_zeros() }, None),
            Op::s_clz_i32_u32 => (if a == 0 { !0 } else { a.leading_zeros() }, None),
            Op::s_cls_i32 => (number::sign_bits(a), None),
            Op::s_sext_i32_i8 => (a as i8 as u32, None),
            Op::s_sext_i32_i16 => (a as i16 as u32, None),
            Op::s_bitset0_b32 => (self.s[i.dst as usize] & !(1 << (a & 31)), None),
            Op::s_bitset1_b32 => (self.s[i.dst as usize] | 1 << (a & 31), None),
            Op::s_abs_i32 => nonzero((a as i32).wrapping_abs() as u32),
            Op::s_bcnt0_i32_b32 => nonzero(a.count_zeros()),
            Op::s_bcnt1_i32_b32 => nonzero(a.count_ones()),
            Op::s_not_b32 => nonzero(!a),
            Op::s_add_u32 => (a.wrapping_add(b), Some(a.checked_add(b).is_none())),
            Op::s_sub_u32 => (a.wrapping_sub(b), Some(b > a)),
            Op::s_add_i32 => (a.wrapping_add(b), Some((a as i32).checked_add(b as i32).is_none())),
            Op::s_sub_i32 => (a.wrapping_sub(b), Some((a as i32).checked_sub(b as i32).is_none())),
            Op::s_addk_i32 => {
                let d = self.s[i.dst as usize];
                (d.wrapping_add(k), Some((d as i32).checked_add(k as i32).is_none()))
            }
            Op::s_mulk_i32 => (self.s[i.dst as usize].wrapping_mul(k), None),
            Op::s_addc_u32 => {
                let sum = a as u64 + b as u64 + self.scc as u64;
                (sum as u32, Some(sum >> 32 != 0))
            }
            Op::s_subb_u32 => {
                let c = self.scc as u32;
                (a.wrapping_sub(b).wrapping_sub(c), Some(b as u64 + c as u64 > a as u64))
            }
            Op::s_absdiff_i32 => nonzero((a as i32).wrapping_sub(b as i32).wrapping_abs() as u32),
            Op::s_lshl_b32 => nonzero(a << (b & 31)),
            Op::s_lshr_b32 => nonzero(a >> (b & 31)),
            Op::s_ashr_i32 => nonzero(((a as i32) >> (b & 31)) as u32),
            Op::s_lshl1_add_u32 => shift_add(a, b, 1),
            Op::s_lshl2_add_u32 => shift_add(a, b, 2),
            Op::s_lshl3_add_u32 => shift_add(a, b, 3),
            Op::s_lshl4_add_u32 => shift_add(a, b, 4),
            Op::s_min_i32 => (if (a as i32) < b as i32 { a } else { b }, Some((a as i32) < b as i32)),
            Op::s_min_u32 => (a.min(b), Some(a < b)),
            Op::s_max_i32 => (if (a as i32) >= b as i32 { a } else { b }, Some((a as i32) >= b as i32)),
            Op::s_max_u32 => (a.max(b), Some(a >= b)),
            Op::s_and_b32 => nonzero(a & b),
            Op::s_or_b32 => nonzero(a | b),
            Op::s_xor_b32 => nonzero(a ^ b),
            Op::s_nand_b32 => nonzero(!(a & b)),
            Op::s_nor_b32 => nonzero(!(a | b)),
            Op::s_xnor_b32 => nonzero(!(a ^ b)),
            Op::s_and_not1_b32 => nonzero(a & !b),
            Op::s_or_not1_b32 => nonzero(a | !b),
            Op::s_bfe_u32 => nonzero(number::field(a as u64, b, false) as u32),
            Op::s_bfe_i32 => nonzero(number::field(a as i32 as i64 as u64, b, true) as u32),
            Op::s_bfm_b32 => ((((1u64 << (a & 31)) - 1) as u32) << (b & 31), None),
            Op::s_mul_i32 => (a.wrapping_mul(b), None),
            Op::s_mul_hi_u32 => (((a as u64 * b as u64) >> 32) as u32, None),
            Op::s_mul_hi_i32 => (((a as i32 as i64 * b as i32 as i64) >> 32) as u32, None),
            Op::s_cselect_b32 => (if self.scc { a } else { b }, None),
            Op::s_pack_ll_b32_b16 => (a & 0xffff | b << 16, None),
            Op::s_pack_lh_b32_b16 => (a & 0xffff | b & 0xffff_0000, None),
            Op::s_pack_hh_b32_b16 => (a >> 16 | b & 0xffff_0000, None),
            Op::s_pack_hl_b32_b16 => (a >> 16 | b << 16, None),
            Op::s_bitcmp0_b32 | Op::s_bitcmp1_b32 => {
                self.scc = (a >> (b & 31) & 1 == 1) == (i.op == Op::s_bitcmp1_b32);
                return Ok(());
            }
            Op::s_and_saveexec_b32
            | Op::s_or_saveexec_b32
            | Op::s_xor_saveexec_b32
            | Op::s_and_not0_saveexec_b32
            | Op::s_or_not0_saveexec_b32
            | Op::s_and_not1_saveexec_b32
            | Op::s_or_not1_saveexec_b32 => {
                let new = match i.op {
                    Op::s_and_saveexec_b32 => a & exec,
                    Op::s_or_saveexec_b32 => a | exec,
                    Op::s_xor_saveexec_b32 => a ^ exec,
                    Op::s_and_not0_saveexec_b32 => !a & exec,
                    Op::s_or_not0_saveexec_b32 => !a | exec,
                    Op::s_and_not1_saveexec_b32 => a & !exec,
                    _ => a | !exec,
                };
                self.write_scalar(i.dst, exec);
                self.s[EXEC as usize] = new;
                self.scc = new != 0;
                return Ok(());
            }
            Op::s_waitcnt_vscnt | Op::s_waitcnt_vmcnt | Op::s_waitcnt_expcnt | Op::s_waitcnt_lgkmcnt => {
                return Ok(());
            }
            _ => return Err(refused(i)),
        };
        self.write_scalar(i.dst, r);
        if let Some(scc) = scc {
            self.scc = scc;
        }
        Ok(())
    }

    fn scalar64(&mut self, i: &Inst, program: &Program) -> Outcome {
        let (a, b) = (self.s64(&i.src[0]), self.s64(&i.src[1]));
        let shift = self.s32(&i.src[1]);
        let exec = self.s[EXEC as usize] as u64 | (self.s[EXEC as usize + 1] as u64) << 32;
        // The address of the next instruction.
        let next = program.base + i.at as u64 + i.size as u64;
        let there = |to: u64| to.wrapping_sub(program.base) as i64;
        let (r, scc): (u64, Option<bool>) = match i.op {
            Op::s_mov_b64 => (a, None),
            Op::s_cmov_b64 if self.scc => (a, None),
            Op::s_cmov_b64 => return Ok(()),
            Op::s_brev_b64 => (a.reverse_bits(), None),
            Op::s_not_b64 => nonzero64(!a),
            Op::s_lshl_b64 => nonzero64(a << (shift & 63)),
            Op::s_lshr_b64 => nonzero64(a >> (shift & 63)),
            Op::s_ashr_i64 => nonzero64(((a as i64) >> (shift & 63)) as u64),
            Op::s_and_b64 => nonzero64(a & b),
            Op::s_or_b64 => nonzero64(a | b),
            Op::s_xor_b64 => nonzero64(a ^ b),
            Op::s_nand_b64 => nonzero64(!(a & b)),
            Op::s_nor_b64 => nonzero64(!(a | b)),
            Op::s_xnor_b64 => nonzero64(!(a ^ b)),
            Op::s_and_not1_b64 => nonzero64(a & !b),
            Op::s_or_not1_b64 => nonzero64(a | !b),
            Op::s_cselect_b64 => (if self.scc { a } else { b }, None),
            Op::s_bfe_u64 => nonzero64(number::field64(a, shift, false)),
            Op::s_bfe_i64 => nonzero64(number::field64(a, shift, true)),
            Op::s_bfm_b64 => {
                let width = self.s32(&i.src[0]) & 63;
                (((1u64 << width) - 1) << (shift & 63), None)
            }
            Op::s_bitset0_b64 | Op::s_bitset1_b64 => {
                let old = self.s[i.dst as usize] as u64 | (self.s[i.dst as usize + 1] as u64) << 32;
                let bit = 1u64 << (self.s32(&i.src[0]) & 63);
                (if i.op == Op::s_bitset1_b64 { old | bit } else { old & !bit }, None)
            }
            Op::s_bitcmp0_b64 | Op::s_bitcmp1_b64 => {
                self.scc = (a >> (shift & 63) & 1 == 1) == (i.op == Op::s_bitcmp1_b64);
                return Ok(());
            }
            Op::s_ctz_i32_b64
            | Op::s_clz_i32_u64
            | Op::s_cls_i32_i64
            | Op::s_bcnt0_i32_b64
            | Op::s_bcnt1_i32_b64 => {
                let (r, counts) = match i.op {
                    Op::s_ctz_i32_b64 => (if a == 0 { !0 } else { a.trailing_zeros() }, false),
                    Op::s_clz_i32_u64 => (if a == 0 { !0 } else { a.leading_zeros() }, false),
                    Op::s_cls_i32_i64 => (number::sign_bits64(a), false),
                    Op::s_bcnt0_i32_b64 => (a.count_zeros(), true),
                    _ => (a.count_ones(), true),
                };
                self.write_scalar(i.dst, r);
                if counts {
                    self.scc = r != 0;
                }
                return Ok(());
            }
            Op::s_and_saveexec_b64
            | Op::s_or_saveexec_b64
            | Op::s_xor_saveexec_b64
            | Op::s_and_not0_saveexec_b64
            | Op::s_or_not0_saveexec_b64
            | Op::s_and_not1_saveexec_b64
            | Op::s_or_not1_saveexec_b64 => {
                let new = match i.op {
                    Op::s_and_saveexec_b64 => a & exec,
                    Op::s_or_saveexec_b64 => a | exec,
                    Op::s_xor_saveexec_b64 => a ^ exec,
                    Op::s_and_not0_saveexec_b64 => !a & exec,
                    Op::s_or_not0_saveexec_b64 => !a | exec,
                    Op::s_and_not1_saveexec_b64 => a & !exec,
                    _ => a | !exec,
                };
                self.write_scalar64(i.dst, exec);
                self.write_scalar64(EXEC as u16, new);
                self.scc = new != 0;
                return Ok(());
            }
            Op::s_getpc_b64 => (next, None),
            Op::s_setpc_b64 => return self.jump(there(a), program),
            Op::s_swappc_b64 => {
                self.write_scalar64(i.dst, next);
                return self.jump(there(a), program);
            }
            Op::s_call_b64 => {
                self.write_scalar64(i.dst, next);
                return self.jump(i.at as i64 + 4 + i.imm as i64 * 4, program);
            }
            _ => return Err(refused(i)),
        };
        self.write_scalar64(i.dst, r);
        if let Some(scc) = scc {
            self.scc = scc;
        }
        Ok(())
    }

    fn compare_scalars(&mut self, i: &Inst) -> Outcome {
        let Some(cond) = i.row.cond else { return Err(refused(i)) };
        self.scc = match i.row.ty {
            // Encoded as the destination, but read here.
            [ty, ..] if i.enc == Enc::Sopk => {
                let a = self.s[i.dst as usize];
                match ty.class {
                    Class::Int => cond.holds(a as i32, i.imm),
                    _ => cond.holds(a, i.imm as u32 & 0xffff),
                }
            }
            [_, ty, ..] if ty.bits == 64 => cond.holds(self.s64(&i.src[0]), self.s64(&i.src[1])),
            [_, ty, ..] if ty.class == Class::Int => {
                cond.holds(self.s32(&i.src[0]) as i32, self.s32(&i.src[1]) as i32)
            }
            [_, ty, ..] if ty.class == Class::Bits => cond.holds(self.s32(&i.src[0]), self.s32(&i.src[1])),
            _ => return Err(refused(i)),
        };
        Ok(())
    }
}

/// Returns a result with the condition code "not zero".
fn nonzero(r: u32) -> (u32, Option<bool>) {
    (r, Some(r != 0))
}

fn nonzero64(r: u64) -> (u64, Option<bool>) {
    (r, Some(r != 0))
}

fn shift_add(a: u32, b: u32, shift: u32) -> (u32, Option<bool>) {
    let sum = ((a as u64) << shift) + b as u64;
    (sum as u32, Some(sum >> 32 != 0))
}
