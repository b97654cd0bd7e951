//! Vector instructions with a mask: carries, comparisons, scaling of quotients.
use super::*;
use crate::engine::isa::mem::Cond;
use crate::engine::isa::types::Class;
use ::half::f16;
use number::*;

/// Returns one bit for each lane for which a comparison holds.
fn condition<T: PartialOrd + Copy, const L: usize>(c: Cond, a: &[T; L], b: &[T; L]) -> u64 {
    if c.unordered {
        let not = Cond { less: !c.less, equal: !c.equal, greater: !c.greater, unordered: false };
        return !condition(not, a, b);
    }
    match (c.less, c.equal, c.greater) {
        (false, false, false) => 0,
        (true, false, false) => truths(a, b, |a, b| a < b),
        (false, true, false) => truths(a, b, |a, b| a == b),
        (false, false, true) => truths(a, b, |a, b| a > b),
        (true, true, false) => truths(a, b, |a, b| a <= b),
        (false, true, true) => truths(a, b, |a, b| a >= b),
        (true, false, true) => truths(a, b, |a, b| a.partial_cmp(&b).is_some_and(|o| o.is_ne())),
        (true, true, true) => truths(a, b, |a, b| a.partial_cmp(&b).is_some()),
    }
}

impl<const L: usize> Wave<L> {
    /// Writes the bits of active lanes, and zeros for the others.
    fn put_mask(&mut self, register: u8, mask: u64) {
        let exec = self.exec();
        self.write_mask(register, mask & exec);
    }

    /// Writes a comparison's mask; GCN's v_cmpx also writes EXEC.
    fn put_comparison(&mut self, i: &Inst, mask: u64) {
        let active = mask & self.exec();
        self.write_mask(i.sdst, active);
        if i.both {
            self.write_mask(EXEC, active);
        }
    }

    /// Computes a + b + carry, or a - b - carry.
    fn sum(&mut self, i: &Inst, a: [u32; L], b: [u32; L], minus: bool, carry: u64) -> bool {
        let (mut r, mut out) = ([0; L], 0u64);
        for l in 0..L {
            let c = carry >> l & 1;
            let exact = if minus {
                (a[l] as u64).wrapping_sub(b[l] as u64).wrapping_sub(c)
            } else {
                a[l] as u64 + b[l] as u64 + c
            };
            r[l] = exact as u32;
            out |= (exact >> 32 & 1) << l;
        }
        if i.clamp {
            for l in 0..L {
                r[l] = if out >> l & 1 == 0 {
                    r[l]
                } else if minus {
                    0
                } else {
                    u32::MAX
                };
            }
        }
        self.put(i.dst, &r);
        self.put_mask(i.sdst, out);
        true
    }

    /// Executes the instruction if it is one of these; returns whether it did.
    pub(super) fn carries(&mut self, i: &Inst) -> bool {
        match i.op {
            Op::v_add_co_u32 | Op::v_sub_co_u32 | Op::v_subrev_co_u32 => {
                let (a, b) = (self.get(&i.src[0]), self.get(&i.src[1]));
                match i.op {
                    Op::v_subrev_co_u32 => self.sum(i, b, a, true, 0),
                    _ => self.sum(i, a, b, i.op == Op::v_sub_co_u32, 0),
                }
            }
            Op::v_add_co_ci_u32 | Op::v_sub_co_ci_u32 | Op::v_subrev_co_ci_u32 => {
                let (a, b) = (self.get(&i.src[0]), self.get(&i.src[1]));
                let carry = self.mask_of(&i.src[2]);
                match i.op {
                    Op::v_subrev_co_ci_u32 => self.sum(i, b, a, true, carry),
                    _ => self.sum(i, a, b, i.op == Op::v_sub_co_ci_u32, carry),
                }
            }
            Op::v_mad_u64_u32 | Op::v_mad_i64_i32 => {
                let (a, b, c) = (self.get(&i.src[0]), self.get(&i.src[1]), self.get64(&i.src[2]));
                let (mut r, mut out) = ([0u64; L], 0u64);
                for l in 0..L {
                    if i.op == Op::v_mad_u64_u32 {
                        let (sum, over) = (a[l] as u64 * b[l] as u64).overflowing_add(c[l]);
                        (r[l], out) = (sum, out | (over as u64) << l);
                    } else {
                        let exact = a[l] as i32 as i128 * b[l] as i32 as i128 + c[l] as i64 as i128;
                        (r[l], out) = (exact as u64, out | ((exact >> 64) as u64 & 1) << l);
                    }
                }
                self.put64(i.dst, &r);
                self.put_mask(i.sdst, out);
                true
            }
            Op::v_div_scale_f32 => {
                let (a, b, c) = (self.floats(&i.src[0]), self.floats(&i.src[1]), self.floats(&i.src[2]));
                let mut out = 0u64;
                let r = std::array::from_fn(|l| {
                    let (r, scaled) = div_scale32(a[l], b[l], c[l]);
                    out |= (scaled as u64) << l;
                    r
                });
                self.put_floats(i, r);
                self.put_mask(i.sdst, out);
                true
            }
            Op::v_div_scale_f64 => {
                let (a, b, c) = (self.doubles(&i.src[0]), self.doubles(&i.src[1]), self.doubles(&i.src[2]));
                let mut out = 0u64;
                let r = std::array::from_fn(|l| {
                    let (r, scaled) = div_scale64(a[l], b[l], c[l]);
                    out |= (scaled as u64) << l;
                    r
                });
                self.put_doubles(i, r);
                self.put_mask(i.sdst, out);
                true
            }
            Op::v_cmp_class_f16
            | Op::v_cmp_class_f32
            | Op::v_cmp_class_f64
            | Op::v_cmpx_class_f16
            | Op::v_cmpx_class_f32
            | Op::v_cmpx_class_f64 => {
                let mask = self.classes(i);
                self.put_comparison(i, mask);
                true
            }
            _ => false,
        }
    }

    fn classes(&self, i: &Inst) -> u64 {
        let wanted = self.get(&i.src[1]);
        let is = |l: usize, c: u32| ((wanted[l] & c != 0) as u64) << l;
        match i.row.ty[1].bits {
            16 => {
                let v = self.half_floats(&i.src[0]);
                (0..L).fold(0, |m, l| {
                    let (v, b) = (v[l], v[l].to_bits());
                    let zero = b & 0x7fff == 0;
                    let denormal = b & 0x7c00 == 0 && !zero;
                    m | is(
                        l,
                        class(v.is_nan(), b >> 9 & 1 == 1, v.is_infinite(), zero, denormal, b >> 15 == 1),
                    )
                })
            }
            32 => {
                let v = self.floats(&i.src[0]);
                (0..L).fold(0, |m, l| {
                    let (v, b) = (v[l], v[l].to_bits());
                    m | is(
                        l,
                        class(
                            v.is_nan(),
                            b >> 22 & 1 == 1,
                            v.is_infinite(),
                            v == 0.0,
                            v.is_subnormal(),
                            b >> 31 == 1,
                        ),
                    )
                })
            }
            _ => {
                let v = self.doubles(&i.src[0]);
                (0..L).fold(0, |m, l| {
                    let (v, b) = (v[l], v[l].to_bits());
                    m | is(
                        l,
                        class(
                            v.is_nan(),
                            b >> 51 & 1 == 1,
                            v.is_infinite(),
                            v == 0.0,
                            v.is_subnormal(),
                            b >> 63 == 1,
                        ),
                    )
                })
            }
        }
    }

    /// Executes a comparison: one bit for each active lane, in a scalar register or in EXEC.
    pub(super) fn compare(&mut self, i: &Inst) -> Outcome {
        let Some(cond) = i.row.cond else { return Err(refused(i)) };
        let (a, b) = (&i.src[0], &i.src[1]);
        let ty = i.row.ty[1];
        macro_rules! lanes {
            ($get:ident, $as:ty) => {{
                let (a, b) = (self.$get(a).map(|v| v as $as), self.$get(b).map(|v| v as $as));
                condition(cond, &a, &b)
            }};
        }
        let mask = match (ty.class, ty.bits) {
            (Class::Float, 16) => {
                let (a, b): ([f16; L], [f16; L]) = (self.half_floats(a), self.half_floats(b));
                condition(cond, &a, &b)
            }
            (Class::Float, 32) => lanes!(floats, f32),
            (Class::Float, 64) => lanes!(doubles, f64),
            (Class::Int, 16) => lanes!(shorts, i16),
            (Class::Int, 32) => lanes!(get, i32),
            (Class::Int, 64) => lanes!(get64, i64),
            (_, 16) => lanes!(shorts, u16),
            (_, 32) => lanes!(get, u32),
            (_, 64) => lanes!(get64, u64),
            _ => return Err(refused(i)),
        };
        self.put_comparison(i, mask);
        Ok(())
    }
}
