//! Vector instructions with 32-bit results.
use super::*;
use number::*;

/// Returns a*b + c, rounded twice, with denormal numbers as zero.
fn mad32(a: f32, b: f32, c: f32) -> f32 {
    flushed(flushed(flushed(a) * flushed(b)) + flushed(c))
}

impl<const L: usize> Wave<L> {
    /// Returns a source's 32 bits in every lane.
    #[inline(always)]
    pub(super) fn get(&self, s: &Source) -> [u32; L] {
        match s.from {
            From::Vector(r) => self.v[r as usize],
            _ => [self.s32(s); L],
        }
    }

    /// Returns a source as f32, with its sign modifiers.
    #[inline(always)]
    pub(super) fn floats(&self, s: &Source) -> [f32; L] {
        let mut bits = self.get(s);
        if s.abs {
            bits.iter_mut().for_each(|b| *b &= 0x7fff_ffff);
        }
        if s.neg {
            bits.iter_mut().for_each(|b| *b ^= 0x8000_0000);
        }
        if self.mode.flush32 {
            bits.iter_mut().for_each(|b| *b = flush(*b));
        }
        bits.map(f32::from_bits)
    }

    /// Writes f32 results, scaled and clamped as the instruction requires.
    #[inline(always)]
    pub(super) fn put_floats(&mut self, i: &Inst, mut r: [f32; L]) {
        if i.omod != 0 {
            let by = [1.0, 2.0, 4.0, 0.5][i.omod as usize & 3];
            r.iter_mut().for_each(|v| *v *= by);
        }
        if i.clamp {
            let nan = self.mode.clamp_nan;
            r.iter_mut().for_each(|v| *v = clamp32(*v, nan));
        }
        let mut bits = r.map(f32::to_bits);
        if self.mode.flush32 {
            bits.iter_mut().for_each(|b| *b = flush(*b));
        }
        self.put(i.dst, &bits);
    }

    #[inline(always)]
    fn f1(&mut self, i: &Inst, f: impl Fn(f32) -> f32) -> bool {
        let r = self.floats(&i.src[0]).map(f);
        self.put_floats(i, r);
        true
    }

    #[inline(always)]
    fn f2(&mut self, i: &Inst, f: impl Fn(f32, f32) -> f32) -> bool {
        let (mut a, b) = (self.floats(&i.src[0]), self.floats(&i.src[1]));
        for l in 0..L {
            a[l] = f(a[l], b[l]);
        }
        self.put_floats(i, a);
        true
    }

    #[inline(always)]
    fn f3(&mut self, i: &Inst, f: impl Fn(f32, f32, f32) -> f32) -> bool {
        let (mut a, b, c) = (self.floats(&i.src[0]), self.floats(&i.src[1]), self.floats(&i.src[2]));
        for l in 0..L {
            a[l] = f(a[l], b[l], c[l]);
        }
        self.put_floats(i, a);
        true
    }

    #[inline(always)]
    fn u1(&mut self, i: &Inst, f: impl Fn(u32) -> u32) -> bool {
        let r = self.get(&i.src[0]).map(f);
        self.put(i.dst, &r);
        true
    }

    #[inline(always)]
    fn u2(&mut self, i: &Inst, f: impl Fn(u32, u32) -> u32) -> bool {
        let (mut a, b) = (self.get(&i.src[0]), self.get(&i.src[1]));
        for l in 0..L {
            a[l] = f(a[l], b[l]);
        }
        self.put(i.dst, &a);
        true
    }

    #[inline(always)]
    fn u3(&mut self, i: &Inst, f: impl Fn(u32, u32, u32) -> u32) -> bool {
        let (mut a, b, c) = (self.get(&i.src[0]), self.get(&i.src[1]), self.get(&i.src[2]));
        for l in 0..L {
            a[l] = f(a[l], b[l], c[l]);
        }
        self.put(i.dst, &a);
        true
    }

    /// Converts integers to f32.
    #[inline(always)]
    fn of_word(&mut self, i: &Inst, f: impl Fn(u32) -> f32) -> bool {
        let r = self.get(&i.src[0]).map(f);
        self.put_floats(i, r);
        true
    }

    /// Converts f32 to integers.
    #[inline(always)]
    fn of_float(&mut self, i: &Inst, f: impl Fn(f32) -> u32) -> bool {
        let r = self.floats(&i.src[0]).map(f);
        self.put(i.dst, &r);
        true
    }

    /// Executes the instruction if it is one of these; returns whether it did.
    pub(super) fn words32(&mut self, i: &Inst) -> bool {
        let nans = Nans { ieee: self.mode.ieee, second: L == 64 };
        match i.op {
            Op::v_nop => true,
            Op::v_mov_b32 | Op::v_accvgpr_read_b32 | Op::v_accvgpr_write_b32 | Op::v_accvgpr_mov_b32 => {
                self.u1(i, |a| a)
            }
            Op::v_cndmask_b32 => {
                let mut a = self.get(&i.src[0]);
                let mut b = self.get(&i.src[1]);
                // Sign modifiers also apply to operands that are not numbers.
                for (v, s) in [(&mut a, &i.src[0]), (&mut b, &i.src[1])] {
                    if s.abs || s.neg {
                        for w in v.iter_mut() {
                            *w = if s.abs { *w & 0x7fff_ffff } else { *w };
                            *w = if s.neg { *w ^ 0x8000_0000 } else { *w };
                        }
                    }
                }
                let second = masks::<L>(self.mask_of(&i.src[2]));
                for l in 0..L {
                    a[l] = b[l] & second[l] | a[l] & !second[l];
                }
                self.put(i.dst, &a);
                true
            }
            Op::v_add_f32 => self.f2(i, |a, b| a + b),
            Op::v_sub_f32 => self.f2(i, |a, b| a - b),
            Op::v_subrev_f32 => self.f2(i, |a, b| b - a),
            Op::v_mul_f32 => self.f2(i, |a, b| a * b),
            Op::v_mul_dx9_zero_f32 => self.f2(i, |a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b }),
            Op::v_min_f32 => self.f2(i, |a, b| min32(a, b, nans)),
            Op::v_max_f32 => self.f2(i, |a, b| max32(a, b, nans)),
            Op::v_fma_f32 | Op::v_fmaak_f32 | Op::v_fmamk_f32 | Op::v_fmac_f32 => {
                let (mut a, b) = (self.floats(&i.src[0]), self.floats(&i.src[1]));
                let old = Source { from: From::Vector(i.dst), ..Source::NONE };
                let c = self.floats(if i.op == Op::v_fmac_f32 { &old } else { &i.src[2] });
                fused::fused32(&mut a, &b, &c);
                self.put_floats(i, a);
                true
            }
            // Not fused, and with denormal numbers as zero in every mode.
            Op::v_mad_f32 | Op::v_madak_f32 | Op::v_madmk_f32 => self.f3(i, mad32),
            Op::v_mac_f32 => {
                let (mut a, b) = (self.floats(&i.src[0]), self.floats(&i.src[1]));
                let c = self.floats(&Source { from: From::Vector(i.dst), ..Source::NONE });
                for l in 0..L {
                    a[l] = mad32(a[l], b[l], c[l]);
                }
                self.put_floats(i, a);
                true
            }
            Op::v_min3_f32 => self.f3(i, |a, b, c| min32(min32(a, b, nans), c, nans)),
            Op::v_max3_f32 => self.f3(i, |a, b, c| max32(max32(a, b, nans), c, nans)),
            Op::v_maxmin_f32 => self.f3(i, |a, b, c| min32(max32(a, b, nans), c, nans)),
            Op::v_minmax_f32 => self.f3(i, |a, b, c| max32(min32(a, b, nans), c, nans)),
            Op::v_med3_f32 => self.f3(i, |a, b, c| median32(a, b, c, nans)),
            Op::v_trunc_f32 => self.f1(i, f32::trunc),
            Op::v_ceil_f32 => self.f1(i, f32::ceil),
            Op::v_floor_f32 => self.f1(i, f32::floor),
            Op::v_rndne_f32 => self.f1(i, f32::round_ties_even),
            Op::v_fract_f32 => self.f1(i, fract32),
            Op::v_rcp_f32 | Op::v_rcp_iflag_f32 => self.f1(i, |a| coarse(a, |a| 1.0 / a)),
            Op::v_rsq_f32 => self.f1(i, |a| coarse(a, |a| (1.0 / (a as f64).sqrt()) as f32)),
            Op::v_sqrt_f32 => self.f1(i, |a| coarse(a, f32::sqrt)),
            Op::v_exp_f32 => self.f1(i, |a| coarse(a, |a| (a as f64).exp2() as f32)),
            Op::v_log_f32 => self.f1(i, |a| coarse(a, |a| (a as f64).log2() as f32)),
            Op::v_sin_f32 => self.f1(i, |a| coarse(a, |a| turn(a as f64, false) as f32)),
            Op::v_cos_f32 => self.f1(i, |a| coarse(a, |a| turn(a as f64, true) as f32)),
            Op::v_frexp_mant_f32 => self.f1(i, mantissa32),
            Op::v_frexp_exp_i32_f32 => self.of_float(i, |a| exponent32(a) as u32),
            Op::v_ldexp_f32 => {
                let (mut a, n) = (self.floats(&i.src[0]), self.get(&i.src[1]));
                for l in 0..L {
                    a[l] = ldexp32(a[l], n[l] as i32);
                }
                self.put_floats(i, a);
                true
            }
            Op::v_div_fixup_f32 => self.f3(i, fixup32),
            Op::v_div_fmas_f32 => {
                let (mut a, b, c) = (self.floats(&i.src[0]), self.floats(&i.src[1]), self.floats(&i.src[2]));
                let vcc = self.read_mask(VCC);
                for l in 0..L {
                    a[l] = fmas32(a[l], b[l], c[l], vcc >> l & 1 == 1);
                }
                self.put_floats(i, a);
                true
            }
            Op::v_cvt_f32_i32 => self.of_word(i, |a| a as i32 as f32),
            Op::v_cvt_f32_u32 => self.of_word(i, |a| a as f32),
            Op::v_cvt_f32_ubyte0 => self.of_word(i, |a| (a & 255) as f32),
            Op::v_cvt_f32_ubyte1 => self.of_word(i, |a| (a >> 8 & 255) as f32),
            Op::v_cvt_f32_ubyte2 => self.of_word(i, |a| (a >> 16 & 255) as f32),
            Op::v_cvt_f32_ubyte3 => self.of_word(i, |a| (a >> 24) as f32),
            // Saturates; NaN becomes 0.
            Op::v_cvt_u32_f32 => self.of_float(i, |a| a as u32),
            Op::v_cvt_i32_f32 => self.of_float(i, |a| a as i32 as u32),
            Op::v_cvt_f16_f32 => {
                let r = self.floats(&i.src[0]).map(half_bits);
                self.put_half(i, r);
                true
            }
            Op::v_cvt_pk_rtz_f16_f32 => {
                let (a, b) = (self.floats(&i.src[0]), self.floats(&i.src[1]));
                let r = std::array::from_fn(|l| {
                    half_toward_zero(a[l]) as u32 | (half_toward_zero(b[l]) as u32) << 16
                });
                self.put(i.dst, &r);
                true
            }
            Op::v_cvt_pk_i16_f32 | Op::v_cvt_pk_u16_f32 => {
                let (a, b) = (self.floats(&i.src[0]), self.floats(&i.src[1]));
                let to =
                    |v: f32| if i.op == Op::v_cvt_pk_i16_f32 { v as i16 as u16 } else { v as u16 } as u32;
                let r = std::array::from_fn(|l| to(a[l]) | to(b[l]) << 16);
                self.put(i.dst, &r);
                true
            }
            Op::v_not_b32 => self.u1(i, |a| !a),
            Op::v_bfrev_b32 => self.u1(i, u32::reverse_bits),
            Op::v_clz_i32_u32 => self.u1(i, |a| if a == 0 { !0 } else { a.leading_zeros() }),
            Op::v_ctz_i32_b32 => self.u1(i, |a| if a == 0 { !0 } else { a.trailing_zeros() }),
            Op::v_cls_i32 => self.u1(i, sign_bits),
            Op::v_mul_i32_i24 => self.u2(i, |a, b| signed24(a).wrapping_mul(signed24(b)) as u32),
            Op::v_mul_u32_u24 => self.u2(i, |a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff)),
            Op::v_mad_i32_i24 => {
                self.u3(i, |a, b, c| signed24(a).wrapping_mul(signed24(b)).wrapping_add(c as i32) as u32)
            }
            Op::v_mad_u32_u24 => {
                self.u3(i, |a, b, c| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c))
            }
            Op::v_min_i32 => self.u2(i, |a, b| (a as i32).min(b as i32) as u32),
            Op::v_max_i32 => self.u2(i, |a, b| (a as i32).max(b as i32) as u32),
            Op::v_min_u32 => self.u2(i, u32::min),
            Op::v_max_u32 => self.u2(i, u32::max),
            Op::v_min3_i32 => self.u3(i, |a, b, c| (a as i32).min(b as i32).min(c as i32) as u32),
            Op::v_max3_i32 => self.u3(i, |a, b, c| (a as i32).max(b as i32).max(c as i32) as u32),
            Op::v_min3_u32 => self.u3(i, |a, b, c| a.min(b).min(c)),
            Op::v_max3_u32 => self.u3(i, |a, b, c| a.max(b).max(c)),
            Op::v_maxmin_i32 => self.u3(i, |a, b, c| (a as i32).max(b as i32).min(c as i32) as u32),
            Op::v_minmax_i32 => self.u3(i, |a, b, c| (a as i32).min(b as i32).max(c as i32) as u32),
            Op::v_maxmin_u32 => self.u3(i, |a, b, c| a.max(b).min(c)),
            Op::v_minmax_u32 => self.u3(i, |a, b, c| a.min(b).max(c)),
            Op::v_med3_u32 => self.u3(i, |a, b, c| a.max(b).min(a.min(b).max(c))),
            Op::v_med3_i32 => self.u3(i, |a, b, c| {
                let (a, b, c) = (a as i32, b as i32, c as i32);
                a.max(b).min(a.min(b).max(c)) as u32
            }),
            Op::v_sad_u32 => self.u3(i, |a, b, c| a.abs_diff(b).wrapping_add(c)),
            Op::v_lshlrev_b32 => self.u2(i, |a, b| b << (a & 31)),
            Op::v_lshrrev_b32 => self.u2(i, |a, b| b >> (a & 31)),
            Op::v_ashrrev_i32 => self.u2(i, |a, b| ((b as i32) >> (a & 31)) as u32),
            Op::v_and_b32 => self.u2(i, |a, b| a & b),
            Op::v_or_b32 => self.u2(i, |a, b| a | b),
            Op::v_xor_b32 => self.u2(i, |a, b| a ^ b),
            Op::v_xnor_b32 => self.u2(i, |a, b| !(a ^ b)),
            Op::v_add_nc_u32 if i.clamp => self.u2(i, u32::saturating_add),
            Op::v_sub_nc_u32 if i.clamp => self.u2(i, u32::saturating_sub),
            Op::v_add_nc_u32 => self.u2(i, u32::wrapping_add),
            Op::v_sub_nc_u32 => self.u2(i, u32::wrapping_sub),
            Op::v_subrev_nc_u32 => self.u2(i, |a, b| b.wrapping_sub(a)),
            Op::v_add_nc_i32 if i.clamp => self.u2(i, |a, b| (a as i32).saturating_add(b as i32) as u32),
            Op::v_sub_nc_i32 if i.clamp => self.u2(i, |a, b| (a as i32).saturating_sub(b as i32) as u32),
            Op::v_add_nc_i32 => self.u2(i, u32::wrapping_add),
            Op::v_sub_nc_i32 => self.u2(i, u32::wrapping_sub),
            Op::v_mul_lo_u32 => self.u2(i, u32::wrapping_mul),
            Op::v_mul_hi_u32 => self.u2(i, |a, b| ((a as u64 * b as u64) >> 32) as u32),
            Op::v_mul_hi_i32 => self.u2(i, |a, b| ((a as i32 as i64 * b as i32 as i64) >> 32) as u32),
            Op::v_bfe_u32 => self.u3(i, |a, at, n| a >> (at & 31) & ((1u32 << (n & 31)) - 1)),
            Op::v_bfe_i32 => self.u3(i, |a, at, n| {
                let (at, n) = (at & 31, n & 31);
                let kept = ((a as i32) >> at) as u32 & ((1u32 << n) - 1);
                if n == 0 { 0 } else { (((kept << (32 - n)) as i32) >> (32 - n)) as u32 }
            }),
            Op::v_bfi_b32 => self.u3(i, |a, b, c| a & b | !a & c),
            Op::v_bfm_b32 => self.u2(i, |a, b| ((1u32 << (a & 31)) - 1) << (b & 31)),
            Op::v_alignbit_b32 => self.u3(i, |a, b, c| (((a as u64) << 32 | b as u64) >> (c & 31)) as u32),
            Op::v_alignbyte_b32 => {
                self.u3(i, |a, b, c| (((a as u64) << 32 | b as u64) >> (c % 4 * 8)) as u32)
            }
            Op::v_perm_b32 => self.u3(i, permute),
            Op::v_lerp_u8 => self.u3(i, |a, b, c| {
                (0..4).fold(0, |r, n| {
                    let byte = |v: u32| v >> (8 * n) & 255;
                    r | ((byte(a) + byte(b) + (byte(c) & 1)) >> 1) << (8 * n)
                })
            }),
            Op::v_xad_u32 => self.u3(i, |a, b, c| (a ^ b).wrapping_add(c)),
            Op::v_lshl_add_u32 => self.u3(i, |a, b, c| (a << (b & 31)).wrapping_add(c)),
            Op::v_add_lshl_u32 => self.u3(i, |a, b, c| a.wrapping_add(b) << (c & 31)),
            Op::v_add3_u32 => self.u3(i, |a, b, c| a.wrapping_add(b).wrapping_add(c)),
            Op::v_lshl_or_b32 => self.u3(i, |a, b, c| a << (b & 31) | c),
            Op::v_and_or_b32 => self.u3(i, |a, b, c| a & b | c),
            Op::v_or3_b32 => self.u3(i, |a, b, c| a | b | c),
            Op::v_xor3_b32 => self.u3(i, |a, b, c| a ^ b ^ c),
            Op::v_bcnt_u32_b32 => self.u2(i, |a, b| a.count_ones().wrapping_add(b)),
            Op::v_cvt_i32_i16 => self.halves_to_words(i, |a| a as i16 as u32),
            Op::v_cvt_u32_u16 => self.halves_to_words(i, |a| a as u32),
            _ => false,
        }
    }

    /// Returns the mask of a source with one bit for each lane.
    pub(super) fn mask_of(&self, s: &Source) -> u64 {
        match s.from {
            From::Scalar(r) => self.read_mask(r),
            From::Constant(c) => c,
            _ => self.s32(s) as u64,
        }
    }
}
