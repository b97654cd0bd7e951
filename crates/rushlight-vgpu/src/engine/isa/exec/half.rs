//! Vector instructions of 16 bits, single and in pairs.
use super::*;
use crate::engine::isa::types::Class;
use ::half::f16;
use number::*;

/// Computes in f32 and rounds once to f16: f32 holds the sum or product exactly.
fn through(a: f16, b: f16, f: impl Fn(f32, f32) -> f32) -> f16 {
    f16::from_f32(f(a.to_f32(), b.to_f32()))
}

fn map16(v: f16, f: impl Fn(f32) -> f32) -> f16 {
    f16::from_f32(f(v.to_f32()))
}

fn mad16(a: f16, b: f16, c: f16) -> f16 {
    through(through(a, b, |a, b| a * b), c, |a, b| a + b)
}

fn whole16(v: f32) -> f16 {
    f16::from_f32(v)
}

impl<const L: usize> Wave<L> {
    /// Returns a source's 16 bits in every lane.
    #[inline(always)]
    pub(super) fn shorts(&self, s: &Source) -> [u16; L] {
        let shift = if s.hi { 16 } else { 0 };
        self.get(s).map(|v| (v >> shift) as u16)
    }

    #[inline(always)]
    pub(super) fn half_floats(&self, s: &Source) -> [f16; L] {
        let flush = self.mode.flush64;
        self.shorts(s).map(|mut b| {
            b = if s.abs { b & 0x7fff } else { b };
            b = if s.neg { b ^ 0x8000 } else { b };
            f16::from_bits(if flush && b & 0x7c00 == 0 { b & 0x8000 } else { b })
        })
    }

    /// Writes half of a register; the other half keeps its value.
    #[inline(always)]
    pub(super) fn put_half(&mut self, i: &Inst, r: [u16; L]) {
        if i.clears && !i.dst_hi {
            self.put(i.dst, &r.map(u32::from));
            return;
        }
        let old = self.v[i.dst as usize];
        let merged = std::array::from_fn(|l| {
            if i.dst_hi { old[l] & 0xffff | (r[l] as u32) << 16 } else { old[l] & 0xffff_0000 | r[l] as u32 }
        });
        self.put(i.dst, &merged);
    }

    #[inline(always)]
    fn put_half_floats(&mut self, i: &Inst, mut r: [f16; L]) {
        if i.omod != 0 {
            let by = [1.0, 2.0, 4.0, 0.5][i.omod as usize & 3];
            r.iter_mut().for_each(|v| *v = map16(*v, |v| v * by));
        }
        if i.clamp {
            let nan = self.mode.clamp_nan;
            r.iter_mut().for_each(|v| *v = clamp16(*v, nan));
        }
        self.put_half(i, r.map(f16::to_bits));
    }

    #[inline(always)]
    fn h1(&mut self, i: &Inst, f: impl Fn(f16) -> f16) -> bool {
        let r = self.half_floats(&i.src[0]).map(f);
        self.put_half_floats(i, r);
        true
    }

    #[inline(always)]
    fn h2(&mut self, i: &Inst, f: impl Fn(f16, f16) -> f16) -> bool {
        let (a, b) = (self.half_floats(&i.src[0]), self.half_floats(&i.src[1]));
        self.put_half_floats(i, std::array::from_fn(|l| f(a[l], b[l])));
        true
    }

    #[inline(always)]
    fn h3(&mut self, i: &Inst, f: impl Fn(f16, f16, f16) -> f16) -> bool {
        let (a, b) = (self.half_floats(&i.src[0]), self.half_floats(&i.src[1]));
        let c = self.half_floats(&i.src[2]);
        self.put_half_floats(i, std::array::from_fn(|l| f(a[l], b[l], c[l])));
        true
    }

    #[inline(always)]
    fn s1(&mut self, i: &Inst, f: impl Fn(u16) -> u16) -> bool {
        let r = self.shorts(&i.src[0]).map(f);
        self.put_half(i, r);
        true
    }

    #[inline(always)]
    fn s2(&mut self, i: &Inst, f: impl Fn(u16, u16) -> u16) -> bool {
        let (a, b) = (self.shorts(&i.src[0]), self.shorts(&i.src[1]));
        self.put_half(i, std::array::from_fn(|l| f(a[l], b[l])));
        true
    }

    #[inline(always)]
    fn s3(&mut self, i: &Inst, f: impl Fn(u16, u16, u16) -> u16) -> bool {
        let (a, b, c) = (self.shorts(&i.src[0]), self.shorts(&i.src[1]), self.shorts(&i.src[2]));
        self.put_half(i, std::array::from_fn(|l| f(a[l], b[l], c[l])));
        true
    }

    /// Converts 16 bits to 32.
    pub(super) fn halves_to_words(&mut self, i: &Inst, f: impl Fn(u16) -> u32) -> bool {
        let r = self.shorts(&i.src[0]).map(f);
        self.put(i.dst, &r);
        true
    }

    /// Computes both results of a pair.
    #[inline(always)]
    fn pair(&mut self, i: &Inst, f: impl Fn([u16; 3]) -> u16) -> bool {
        let float = i.row.ty[0].class == Class::PackFloat;
        let side = |w: &Self, s: &Source, second: bool| -> [u16; L] {
            let (hi, neg) = if second { (s.second_hi, s.second_neg) } else { (s.hi, s.neg) };
            let sign = if neg && float { 0x8000 } else { 0 };
            let shift = if hi { 16 } else { 0 };
            w.get(s).map(|v| (v >> shift) as u16 ^ sign)
        };
        let [a, b, c] = [0, 1, 2].map(|n| side(self, &i.src[n], false));
        let [x, y, z] = [0, 1, 2].map(|n| side(self, &i.src[n], true));
        let r = std::array::from_fn(|l| f([a[l], b[l], c[l]]) as u32 | (f([x[l], y[l], z[l]]) as u32) << 16);
        self.put(i.dst, &r);
        true
    }

    #[inline(always)]
    fn pair_floats(&mut self, i: &Inst, f: impl Fn([f16; 3]) -> f16) -> bool {
        let (clamp, nan) = (i.clamp, self.mode.clamp_nan);
        self.pair(i, |v| {
            let r = f(v.map(f16::from_bits));
            if clamp { clamp16(r, nan) } else { r }.to_bits()
        })
    }

    /// Returns a source of a mixed fma: f32, or half of a register as f16.
    fn mixed(&self, s: &Source) -> [f32; L] {
        let mut r: [f32; L] = if s.second_hi {
            let shift = if s.hi { 16 } else { 0 };
            self.get(s).map(|v| f16::from_bits((v >> shift) as u16).to_f32())
        } else {
            self.get(s).map(f32::from_bits)
        };
        if s.second_neg {
            r.iter_mut().for_each(|v| *v = v.abs());
        }
        if s.neg {
            r.iter_mut().for_each(|v| *v = -*v);
        }
        r
    }

    /// Executes the instruction if it is one of these; returns whether it did.
    pub(super) fn halves(&mut self, i: &Inst) -> bool {
        let nans = Nans { ieee: self.mode.ieee, second: L == 64 };
        match i.op {
            Op::v_add_f16 => self.h2(i, |a, b| through(a, b, |a, b| a + b)),
            Op::v_sub_f16 => self.h2(i, |a, b| through(a, b, |a, b| a - b)),
            Op::v_subrev_f16 => self.h2(i, |a, b| through(a, b, |a, b| b - a)),
            Op::v_mul_f16 => self.h2(i, |a, b| through(a, b, |a, b| a * b)),
            Op::v_min_f16 => self.h2(i, |a, b| min16(a, b, nans)),
            Op::v_max_f16 => self.h2(i, |a, b| max16(a, b, nans)),
            Op::v_min3_f16 => self.h3(i, |a, b, c| min16(min16(a, b, nans), c, nans)),
            Op::v_maxmin_f16 => self.h3(i, |a, b, c| min16(max16(a, b, nans), c, nans)),
            Op::v_minmax_f16 => self.h3(i, |a, b, c| max16(min16(a, b, nans), c, nans)),
            Op::v_max3_f16 => self.h3(i, |a, b, c| max16(max16(a, b, nans), c, nans)),
            Op::v_fma_f16 | Op::v_fmaak_f16 | Op::v_fmamk_f16 => self.h3(i, fma16),
            Op::v_fmac_f16 => {
                let (a, b) = (self.half_floats(&i.src[0]), self.half_floats(&i.src[1]));
                let c = self.half_floats(&Source { from: From::Vector(i.dst), hi: i.dst_hi, ..Source::NONE });
                self.put_half_floats(i, std::array::from_fn(|l| fma16(a[l], b[l], c[l])));
                true
            }
            // Not fused: the product is rounded too.
            Op::v_mad_f16 | Op::v_madak_f16 | Op::v_madmk_f16 => self.h3(i, mad16),
            Op::v_mac_f16 => {
                let (a, b) = (self.half_floats(&i.src[0]), self.half_floats(&i.src[1]));
                let c = self.half_floats(&Source { from: From::Vector(i.dst), hi: i.dst_hi, ..Source::NONE });
                self.put_half_floats(i, std::array::from_fn(|l| mad16(a[l], b[l], c[l])));
                true
            }
            Op::v_med3_f16 => self.h3(i, |a, b, c| median16(a, b, c, nans)),
            Op::v_div_fixup_f16 => self.h3(i, fixup16),
            Op::v_trunc_f16 => self.h1(i, |a| map16(a, f32::trunc)),
            Op::v_ceil_f16 => self.h1(i, |a| map16(a, f32::ceil)),
            Op::v_floor_f16 => self.h1(i, |a| map16(a, f32::floor)),
            Op::v_rndne_f16 => self.h1(i, |a| map16(a, f32::round_ties_even)),
            Op::v_fract_f16 => self.h1(i, |a| {
                let r = map16(a, |a| a - a.floor());
                if r.to_f32() >= 1.0 { f16::from_bits(0x3bff) } else { r }
            }),
            Op::v_rcp_f16 => self.h1(i, |a| map16(a, |a| 1.0 / a)),
            Op::v_sqrt_f16 => self.h1(i, |a| map16(a, f32::sqrt)),
            Op::v_rsq_f16 => self.h1(i, |a| map16(a, |a| (1.0 / (a as f64).sqrt()) as f32)),
            Op::v_log_f16 => self.h1(i, |a| map16(a, |a| (a as f64).log2() as f32)),
            Op::v_exp_f16 => self.h1(i, |a| map16(a, |a| (a as f64).exp2() as f32)),
            Op::v_sin_f16 => self.h1(i, |a| map16(a, |a| turn(a as f64, false) as f32)),
            Op::v_cos_f16 => self.h1(i, |a| map16(a, |a| turn(a as f64, true) as f32)),
            Op::v_frexp_mant_f16 => self.h1(i, |a| map16(a, mantissa32)),
            Op::v_frexp_exp_i16_f16 => {
                let r = self.half_floats(&i.src[0]).map(|a| exponent32(a.to_f32()) as u16);
                self.put_half(i, r);
                true
            }
            Op::v_ldexp_f16 => {
                let (a, n) = (self.half_floats(&i.src[0]), self.shorts(&i.src[1]));
                let r = std::array::from_fn(|l| f16::from_f32(ldexp32(a[l].to_f32(), n[l] as i16 as i32)));
                self.put_half_floats(i, r);
                true
            }
            Op::v_cvt_f32_f16 => {
                let r = self.half_floats(&i.src[0]).map(f16::to_f32);
                self.put_floats(i, r);
                true
            }
            Op::v_cvt_f16_u16 => {
                let r = self.shorts(&i.src[0]).map(|v| whole16(v as f32));
                self.put_half_floats(i, r);
                true
            }
            Op::v_cvt_f16_i16 => {
                let r = self.shorts(&i.src[0]).map(|v| whole16(v as i16 as f32));
                self.put_half_floats(i, r);
                true
            }
            Op::v_cvt_u16_f16 => {
                let r = self.half_floats(&i.src[0]).map(|v| v.to_f32() as u16);
                self.put_half(i, r);
                true
            }
            Op::v_cvt_i16_f16 => {
                let r = self.half_floats(&i.src[0]).map(|v| v.to_f32() as i16 as u16);
                self.put_half(i, r);
                true
            }
            Op::v_not_b16 => self.s1(i, |a| !a),
            Op::v_and_b16 => self.s2(i, |a, b| a & b),
            Op::v_or_b16 => self.s2(i, |a, b| a | b),
            Op::v_xor_b16 => self.s2(i, |a, b| a ^ b),
            Op::v_add_nc_u16 if i.clamp => self.s2(i, u16::saturating_add),
            Op::v_sub_nc_u16 if i.clamp => self.s2(i, u16::saturating_sub),
            Op::v_add_nc_i16 if i.clamp => self.s2(i, |a, b| (a as i16).saturating_add(b as i16) as u16),
            Op::v_sub_nc_i16 if i.clamp => self.s2(i, |a, b| (a as i16).saturating_sub(b as i16) as u16),
            Op::v_add_nc_u16 | Op::v_add_nc_i16 => self.s2(i, u16::wrapping_add),
            Op::v_sub_nc_u16 | Op::v_sub_nc_i16 => self.s2(i, u16::wrapping_sub),
            Op::v_subrev_u16 => self.s2(i, |a, b| b.wrapping_sub(a)),
            Op::v_med3_u16 => self.s3(i, |a, b, c| a.max(b).min(a.min(b).max(c))),
            Op::v_med3_i16 => self.s3(i, |a, b, c| {
                let (a, b, c) = (a as i16, b as i16, c as i16);
                a.max(b).min(a.min(b).max(c)) as u16
            }),
            Op::v_mul_lo_u16 => self.s2(i, u16::wrapping_mul),
            Op::v_max_u16 => self.s2(i, u16::max),
            Op::v_min_u16 => self.s2(i, u16::min),
            Op::v_max_i16 => self.s2(i, |a, b| (a as i16).max(b as i16) as u16),
            Op::v_min_i16 => self.s2(i, |a, b| (a as i16).min(b as i16) as u16),
            Op::v_max3_u16 => self.s3(i, |a, b, c| a.max(b).max(c)),
            Op::v_min3_u16 => self.s3(i, |a, b, c| a.min(b).min(c)),
            Op::v_max3_i16 => self.s3(i, |a, b, c| (a as i16).max(b as i16).max(c as i16) as u16),
            Op::v_min3_i16 => self.s3(i, |a, b, c| (a as i16).min(b as i16).min(c as i16) as u16),
            Op::v_mad_u16 | Op::v_mad_i16 => self.s3(i, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
            Op::v_lshlrev_b16 => self.s2(i, |a, b| b << (a & 15)),
            Op::v_lshrrev_b16 => self.s2(i, |a, b| b >> (a & 15)),
            Op::v_ashrrev_i16 => self.s2(i, |a, b| ((b as i16) >> (a & 15)) as u16),
            Op::v_mad_u32_u16 | Op::v_mad_i32_i16 => {
                let (a, b, c) = (self.shorts(&i.src[0]), self.shorts(&i.src[1]), self.get(&i.src[2]));
                let signed = i.op == Op::v_mad_i32_i16;
                let extend = |v: u16| if signed { v as i16 as u32 } else { v as u32 };
                let r = std::array::from_fn(|l| extend(a[l]).wrapping_mul(extend(b[l])).wrapping_add(c[l]));
                self.put(i.dst, &r);
                true
            }
            Op::v_pack_b32_f16 => {
                let (a, b) = (self.half_floats(&i.src[0]), self.half_floats(&i.src[1]));
                let r = std::array::from_fn(|l| a[l].to_bits() as u32 | (b[l].to_bits() as u32) << 16);
                self.put(i.dst, &r);
                true
            }
            Op::v_pk_mad_i16 | Op::v_pk_mad_u16 => {
                self.pair(i, |[a, b, c]| a.wrapping_mul(b).wrapping_add(c))
            }
            Op::v_pk_mul_lo_u16 => self.pair(i, |[a, b, _]| a.wrapping_mul(b)),
            Op::v_pk_add_i16 if i.clamp => {
                self.pair(i, |[a, b, _]| (a as i16).saturating_add(b as i16) as u16)
            }
            Op::v_pk_sub_i16 if i.clamp => {
                self.pair(i, |[a, b, _]| (a as i16).saturating_sub(b as i16) as u16)
            }
            Op::v_pk_add_u16 if i.clamp => self.pair(i, |[a, b, _]| a.saturating_add(b)),
            Op::v_pk_sub_u16 if i.clamp => self.pair(i, |[a, b, _]| a.saturating_sub(b)),
            Op::v_pk_add_i16 | Op::v_pk_add_u16 => self.pair(i, |[a, b, _]| a.wrapping_add(b)),
            Op::v_pk_sub_i16 | Op::v_pk_sub_u16 => self.pair(i, |[a, b, _]| a.wrapping_sub(b)),
            Op::v_pk_lshlrev_b16 => self.pair(i, |[a, b, _]| b << (a & 15)),
            Op::v_pk_lshrrev_b16 => self.pair(i, |[a, b, _]| b >> (a & 15)),
            Op::v_pk_ashrrev_i16 => self.pair(i, |[a, b, _]| ((b as i16) >> (a & 15)) as u16),
            Op::v_pk_max_i16 => self.pair(i, |[a, b, _]| (a as i16).max(b as i16) as u16),
            Op::v_pk_min_i16 => self.pair(i, |[a, b, _]| (a as i16).min(b as i16) as u16),
            Op::v_pk_max_u16 => self.pair(i, |[a, b, _]| a.max(b)),
            Op::v_pk_min_u16 => self.pair(i, |[a, b, _]| a.min(b)),
            Op::v_pk_fma_f16 => self.pair_floats(i, |[a, b, c]| fma16(a, b, c)),
            Op::v_pk_add_f16 => self.pair_floats(i, |[a, b, _]| through(a, b, |a, b| a + b)),
            Op::v_pk_mul_f16 => self.pair_floats(i, |[a, b, _]| through(a, b, |a, b| a * b)),
            Op::v_pk_min_f16 => self.pair_floats(i, |[a, b, _]| min16(a, b, nans)),
            Op::v_pk_max_f16 => self.pair_floats(i, |[a, b, _]| max16(a, b, nans)),
            Op::v_fma_mix_f32 | Op::v_fma_mixlo_f16 | Op::v_fma_mixhi_f16 => {
                let [mut r, b, c] = [0, 1, 2].map(|n| self.mixed(&i.src[n]));
                fused::fused32(&mut r, &b, &c);
                match i.op {
                    Op::v_fma_mix_f32 => self.put_floats(i, r),
                    _ => {
                        let to = Inst { dst_hi: i.op == Op::v_fma_mixhi_f16, omod: 0, ..i.clone() };
                        self.put_half_floats(&to, r.map(f16::from_f32));
                    }
                }
                true
            }
            _ => false,
        }
    }
}

fn clamp16(v: f16, nan: bool) -> f16 {
    f16::from_f32(clamp32(v.to_f32(), nan))
}
