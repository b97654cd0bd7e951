//! Instructions that access parts of registers.
use super::*;

/// Returns a part of a word as 32 bits.
fn part(v: u32, which: u8, signed: bool) -> u32 {
    match (which, signed) {
        (0..=3, false) => v >> (8 * which) & 255,
        (0..=3, true) => (v >> (8 * which)) as i8 as u32,
        (4 | 5, false) => v >> (16 * (which - 4)) & 0xffff,
        (4 | 5, true) => (v >> (16 * (which - 4))) as i16 as u32,
        _ => v,
    }
}

/// Inserts a result into the old value of the register.
fn merge(old: u32, new: u32, which: u8, unused: u8) -> u32 {
    let (at, bits) = match which {
        0..=3 => (8 * which as u32, 8),
        4 | 5 => (16 * (which as u32 - 4), 16),
        _ => return new,
    };
    let mask = ((1u32 << bits) - 1) << at;
    let shifted = new << at & mask;
    match unused {
        // Sign-extended above, zeros below.
        1 => {
            let extended = ((new << (32 - bits)) as i32) >> (32 - bits);
            (extended as u32) << at
        }
        2 => old & !mask | shifted,
        _ => shifted,
    }
}

impl<const L: usize> Wave<L> {
    pub(super) fn parts(&mut self, i: &Inst, parts: &Sdwa) -> Outcome {
        let mut plain = i.clone();
        plain.sdwa = None;
        for n in 0..(i.count as usize).min(2) {
            let s = &mut plain.src[n];
            let v = self.get(s);
            self.v[SPARE as usize + n] = v.map(|v| part(v, parts.src[n], parts.signed[n]));
            s.from = From::Vector(SPARE + n as u16);
        }
        if i.row.enc == Enc::Vopc {
            return self.single(&plain);
        }
        // Into a temporary register, which holds the old value for instructions that accumulate.
        let old = self.v[i.dst as usize];
        self.v[RESULT as usize] = old;
        plain.dst = RESULT;
        self.single(&plain)?;
        let new = self.v[RESULT as usize];
        let merged = std::array::from_fn(|l| merge(old[l], new[l], parts.dst, parts.unused));
        self.put(i.dst, &merged);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_registers() {
        let v = 0x8182_f384;
        assert_eq!((part(v, 0, false), part(v, 1, true), part(v, 3, false)), (0x84, 0xffff_fff3, 0x81));
        assert_eq!((part(v, 4, true), part(v, 5, false), part(v, 6, true)), (0xffff_f384, 0x8182, v));
        assert_eq!(merge(v, 0x1234_5678, 2, 0), 0x0078_0000);
        assert_eq!(merge(v, 0x1234_5678, 2, 2), 0x8178_f384);
        assert_eq!(merge(v, 0x1234_56f8, 1, 1), 0xffff_f800);
        assert_eq!(merge(v, 0x1234_5678, 5, 2), 0x5678_f384);
        assert_eq!(merge(v, 0x1234_5678, 6, 2), 0x1234_5678);
    }
}
