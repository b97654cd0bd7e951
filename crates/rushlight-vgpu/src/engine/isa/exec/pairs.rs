//! Pairs of 32-bit values in two registers.
use super::*;

impl<const L: usize> Wave<L> {
    /// Returns half of a pair, for the first or the second result.
    fn side(&self, s: &Source, second: bool) -> [u32; L] {
        let hi = if second { s.second_hi } else { s.hi };
        self.get64(s).map(|v| if hi { (v >> 32) as u32 } else { v as u32 })
    }

    fn side_floats(&self, s: &Source, second: bool) -> [f32; L] {
        let sign = if if second { s.second_neg } else { s.neg } { 1 << 31 } else { 0 };
        let flush = self.mode.flush32;
        self.side(s, second).map(|v| f32::from_bits(if flush { number::flush(v) } else { v } ^ sign))
    }

    fn both(&mut self, i: &Inst, f: impl Fn(&mut [f32; L], &[f32; L], &[f32; L])) -> bool {
        let one = |w: &Self, second: bool| -> [f32; L] {
            let [mut a, b, c] = [0, 1, 2].map(|n| w.side_floats(&i.src[n], second));
            f(&mut a, &b, &c);
            a
        };
        let (lo, hi) = (one(self, false), one(self, true));
        self.put_floats(i, lo);
        let next = Inst { dst: i.dst + 1, ..i.clone() };
        self.put_floats(&next, hi);
        true
    }

    /// Executes the instruction if it is one of these; returns whether it did.
    pub(super) fn pairs(&mut self, i: &Inst) -> bool {
        match i.op {
            Op::v_pk_fma_f32 => self.both(i, fused::fused32),
            Op::v_pk_mul_f32 => self.both(i, |a, b, _| a.iter_mut().zip(b).for_each(|(a, b)| *a *= b)),
            Op::v_pk_add_f32 => self.both(i, |a, b, _| a.iter_mut().zip(b).for_each(|(a, b)| *a += b)),
            // The first result comes from the first source, the second from the second; op_sel selects the halves.
            Op::v_pk_mov_b32 => {
                let (lo, hi) = (self.side(&i.src[0], false), self.side(&i.src[1], false));
                self.put(i.dst, &lo);
                self.put(i.dst + 1, &hi);
                true
            }
            _ => false,
        }
    }
}
