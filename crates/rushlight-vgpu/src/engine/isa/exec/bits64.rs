//! Vector instructions of 64 bits.
use super::*;
use number::*;

impl<const L: usize> Wave<L> {
    /// Returns a source's 64 bits in every lane.
    #[inline(always)]
    pub(super) fn get64(&self, s: &Source) -> [u64; L] {
        match s.from {
            From::Vector(r) => {
                let (lo, hi) = (&self.v[r as usize], &self.v[r as usize + 1]);
                std::array::from_fn(|l| lo[l] as u64 | (hi[l] as u64) << 32)
            }
            _ => [self.s64(s); L],
        }
    }

    #[inline(always)]
    pub(super) fn doubles(&self, s: &Source) -> [f64; L] {
        let mut bits = self.get64(s);
        if s.abs {
            bits.iter_mut().for_each(|b| *b &= !(1 << 63));
        }
        if s.neg {
            bits.iter_mut().for_each(|b| *b ^= 1 << 63);
        }
        if self.mode.flush64 {
            bits.iter_mut().for_each(|b| *b = flush64(*b));
        }
        bits.map(f64::from_bits)
    }

    #[inline(always)]
    pub(super) fn put64(&mut self, register: u16, r: &[u64; L]) {
        self.put(register, &r.map(|v| v as u32));
        self.put(register + 1, &r.map(|v| (v >> 32) as u32));
    }

    #[inline(always)]
    pub(super) fn put_doubles(&mut self, i: &Inst, mut r: [f64; L]) {
        if i.omod != 0 {
            let by = [1.0, 2.0, 4.0, 0.5][i.omod as usize & 3];
            r.iter_mut().for_each(|v| *v *= by);
        }
        if i.clamp {
            let nan = self.mode.clamp_nan;
            r.iter_mut().for_each(|v| *v = clamp64(*v, nan));
        }
        let mut bits = r.map(f64::to_bits);
        if self.mode.flush64 {
            bits.iter_mut().for_each(|b| *b = flush64(*b));
        }
        self.put64(i.dst, &bits);
    }

    #[inline(always)]
    fn d1(&mut self, i: &Inst, f: impl Fn(f64) -> f64) -> bool {
        let r = self.doubles(&i.src[0]).map(f);
        self.put_doubles(i, r);
        true
    }

    #[inline(always)]
    fn d2(&mut self, i: &Inst, f: impl Fn(f64, f64) -> f64) -> bool {
        let (mut a, b) = (self.doubles(&i.src[0]), self.doubles(&i.src[1]));
        for l in 0..L {
            a[l] = f(a[l], b[l]);
        }
        self.put_doubles(i, a);
        true
    }

    #[inline(always)]
    fn d3(&mut self, i: &Inst, f: impl Fn(f64, f64, f64) -> f64) -> bool {
        let (mut a, b, c) = (self.doubles(&i.src[0]), self.doubles(&i.src[1]), self.doubles(&i.src[2]));
        for l in 0..L {
            a[l] = f(a[l], b[l], c[l]);
        }
        self.put_doubles(i, a);
        true
    }

    /// Shifts the second source by the first.
    #[inline(always)]
    fn shift(&mut self, i: &Inst, f: impl Fn(u64, u32) -> u64) -> bool {
        let (by, v) = (self.get(&i.src[0]), self.get64(&i.src[1]));
        let r = std::array::from_fn(|l| f(v[l], by[l] & 63));
        self.put64(i.dst, &r);
        true
    }

    /// Computes 32-bit results.
    #[inline(always)]
    fn narrow(&mut self, i: &Inst, f: impl Fn(f64) -> u32) -> bool {
        let r = self.doubles(&i.src[0]).map(f);
        self.put(i.dst, &r);
        true
    }

    /// Executes the instruction if it is one of these; returns whether it did.
    pub(super) fn words64(&mut self, i: &Inst) -> bool {
        let nans = Nans { ieee: self.mode.ieee, second: L == 64 };
        match i.op {
            Op::v_add_f64 => self.d2(i, |a, b| a + b),
            Op::v_mul_f64 => self.d2(i, |a, b| a * b),
            Op::v_min_f64 => self.d2(i, |a, b| min64(a, b, nans)),
            Op::v_max_f64 => self.d2(i, |a, b| max64(a, b, nans)),
            Op::v_fma_f64 | Op::v_fmac_f64 => {
                let (mut a, b) = (self.doubles(&i.src[0]), self.doubles(&i.src[1]));
                let old = Source { from: From::Vector(i.dst), ..Source::NONE };
                let c = self.doubles(if i.op == Op::v_fmac_f64 { &old } else { &i.src[2] });
                fused::fused64(&mut a, &b, &c);
                self.put_doubles(i, a);
                true
            }
            Op::v_mov_b64 => {
                let r = self.get64(&i.src[0]);
                self.put64(i.dst, &r);
                true
            }
            Op::v_lshl_add_u64 => {
                let (a, by, c) = (self.get64(&i.src[0]), self.get(&i.src[1]), self.get64(&i.src[2]));
                let r = std::array::from_fn(|l| (a[l] << (by[l] & 7)).wrapping_add(c[l]));
                self.put64(i.dst, &r);
                true
            }
            Op::v_trunc_f64 => self.d1(i, f64::trunc),
            Op::v_ceil_f64 => self.d1(i, f64::ceil),
            Op::v_floor_f64 => self.d1(i, f64::floor),
            Op::v_rndne_f64 => self.d1(i, f64::round_ties_even),
            Op::v_fract_f64 => self.d1(i, fract64),
            Op::v_rcp_f64 => self.d1(i, |a| 1.0 / a),
            Op::v_rsq_f64 => self.d1(i, |a| 1.0 / a.sqrt()),
            Op::v_sqrt_f64 => self.d1(i, f64::sqrt),
            Op::v_frexp_mant_f64 => self.d1(i, mantissa64),
            Op::v_frexp_exp_i32_f64 => self.narrow(i, |a| exponent64(a) as u32),
            Op::v_ldexp_f64 => {
                let (mut a, n) = (self.doubles(&i.src[0]), self.get(&i.src[1]));
                for l in 0..L {
                    a[l] = ldexp64(a[l], n[l] as i32);
                }
                self.put_doubles(i, a);
                true
            }
            Op::v_trig_preop_f64 => {
                let (mut a, n) = (self.doubles(&i.src[0]), self.get(&i.src[1]));
                for l in 0..L {
                    a[l] = two_over_pi(a[l], n[l]);
                }
                self.put_doubles(i, a);
                true
            }
            Op::v_div_fixup_f64 => self.d3(i, fixup64),
            Op::v_div_fmas_f64 => {
                let (mut a, b, c) =
                    (self.doubles(&i.src[0]), self.doubles(&i.src[1]), self.doubles(&i.src[2]));
                let vcc = self.read_mask(VCC);
                for l in 0..L {
                    a[l] = fmas64(a[l], b[l], c[l], vcc >> l & 1 == 1);
                }
                self.put_doubles(i, a);
                true
            }
            Op::v_cvt_i32_f64 => self.narrow(i, |a| a as i32 as u32),
            Op::v_cvt_u32_f64 => self.narrow(i, |a| a as u32),
            Op::v_cvt_f32_f64 => {
                let r = self.doubles(&i.src[0]).map(|a| a as f32);
                self.put_floats(i, r);
                true
            }
            Op::v_cvt_f64_f32 => {
                let r = self.floats(&i.src[0]).map(|a| a as f64);
                self.put_doubles(i, r);
                true
            }
            Op::v_cvt_f64_i32 => {
                let r = self.get(&i.src[0]).map(|a| a as i32 as f64);
                self.put_doubles(i, r);
                true
            }
            Op::v_cvt_f64_u32 => {
                let r = self.get(&i.src[0]).map(|a| a as f64);
                self.put_doubles(i, r);
                true
            }
            Op::v_lshlrev_b64 => self.shift(i, |v, by| v << by),
            Op::v_lshrrev_b64 => self.shift(i, |v, by| v >> by),
            Op::v_ashrrev_i64 => self.shift(i, |v, by| ((v as i64) >> by) as u64),
            _ => false,
        }
    }
}

fn flush64(bits: u64) -> u64 {
    if bits & 0x7ff0_0000_0000_0000 == 0 { bits & 1 << 63 } else { bits }
}
