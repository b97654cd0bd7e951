//! Products of four bytes of each factor, added to a 32-bit integer.
use super::*;

impl<const L: usize> Wave<L> {
    /// Executes the instruction if it is one of these; returns whether it did.
    pub(super) fn dots(&mut self, i: &Inst) -> bool {
        // Which factors have signs. RDNA3's instruction says it in the bits that negate other operands.
        let signs = match i.op {
            Op::v_dot4_i32_i8 | Op::v_dot4c_i32_i8 => [true; 2],
            Op::v_dot4_i32_iu8 => [i.src[0].neg, i.src[1].neg],
            Op::v_dot4_u32_u8 => [false; 2],
            _ => return false,
        };
        let old = Source { from: From::Vector(i.dst), ..Source::NONE };
        let (a, b) = (self.get(&i.src[0]), self.get(&i.src[1]));
        let c = self.get(if i.op == Op::v_dot4c_i32_i8 { &old } else { &i.src[2] });
        let (unsigned, clamp) = (i.op == Op::v_dot4_u32_u8, i.clamp);
        let r = std::array::from_fn(|l| {
            let start = if unsigned { c[l] as i64 } else { c[l] as i32 as i64 };
            let sum = a[l]
                .to_le_bytes()
                .into_iter()
                .zip(b[l].to_le_bytes())
                .fold(start, |sum, (a, b)| sum + number(a, signs[0]) * number(b, signs[1]));
            match (clamp, unsigned) {
                (true, true) => sum.min(u32::MAX as i64) as u32,
                (true, false) => sum.clamp(i32::MIN as i64, i32::MAX as i64) as u32,
                _ => sum as u32,
            }
        });
        self.put(i.dst, &r);
        true
    }
}

fn number(byte: u8, signed: bool) -> i64 {
    if signed { byte as i8 as i64 } else { byte as i64 }
}
