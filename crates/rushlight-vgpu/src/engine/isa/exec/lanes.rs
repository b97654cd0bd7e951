//! Instructions that exchange values between lanes.
use super::*;

/// The lane that each lane reads, if any.
type From64 = [Option<u8>; 64];

/// Returns the lanes that a DPP16 exchange reads.
fn sources(d: &Dpp, lanes: usize) -> From64 {
    let n = (d.control & 15) as usize;
    let mut from = [None; 64];
    for (l, from) in from.iter_mut().enumerate().take(lanes) {
        let (row, at) = (l & !15, l & 15);
        let to = if d.eight {
            Some((l & !7) + (d.control as usize >> (3 * (l & 7)) & 7))
        } else {
            match d.control {
                0..=0xff => Some((l & !3) + (d.control as usize >> (2 * (l & 3)) & 3)),
                0x101..=0x10f => (at + n < 16).then_some(l + n),
                0x111..=0x11f => (at >= n).then(|| l - n),
                0x121..=0x12f => Some(row + (at + 16 - n) % 16),
                0x130 => (l + 1 < lanes).then_some(l + 1),
                0x134 => Some((l + 1) % lanes),
                0x138 => l.checked_sub(1),
                0x13c => Some((l + lanes - 1) % lanes),
                0x140 => Some(row + 15 - at),
                0x141 => Some((l & !7) + 7 - (l & 7)),
                0x142 => row.checked_sub(1),
                0x143 => (l & !31).checked_sub(1),
                0x150..=0x15f => Some(row + n),
                0x160..=0x16f => Some(row + (at ^ n)),
                _ => None,
            }
        };
        *from = to.map(|t| t as u8);
    }
    from
}

impl<const L: usize> Wave<L> {
    /// Executes an instruction whose first source comes from other lanes.
    pub(super) fn exchanged(&mut self, i: &Inst) -> Outcome {
        let Some(d) = &i.dpp else { return self.single(i) };
        let From::Vector(register) = i.src[0].from else { return Err(refused(i)) };
        if i.src[0].words > 1 {
            return Err(refused(i));
        }
        let exec = self.exec();
        let from = sources(d, L);
        let old = self.v[register as usize];
        let (mut new, mut mask) = ([0; L], 0u64);
        for l in 0..L {
            let taken = d.rows >> ((l / 16) & 3) & 1 == 1 && d.banks >> ((l / 4) & 3) & 1 == 1;
            let there = from[l].filter(|f| d.fetch_inactive || exec >> *f & 1 == 1);
            if let Some(f) = there {
                new[l] = old[f as usize];
            }
            if taken && (there.is_some() || d.bound) {
                mask |= 1 << l;
            }
        }
        self.v[SPARE as usize] = new;
        let mut plain = i.clone();
        plain.dpp = None;
        plain.src[0].from = From::Vector(SPARE);
        self.mask = Some(mask);
        let r = self.single(&plain);
        self.mask = None;
        r
    }

    /// Executes the instruction if it is one of these; returns whether it did.
    pub(super) fn across(&mut self, i: &Inst) -> bool {
        match i.op {
            Op::v_readfirstlane_b32 => {
                let lane = self.first_lane();
                let v = self.get(&i.src[0])[lane];
                self.write_scalar(i.dst, v);
                true
            }
            Op::v_readlane_b32 => {
                let lane = self.s32(&i.src[1]) as usize % L;
                let v = self.get(&i.src[0])[lane];
                self.write_scalar(i.dst, v);
                true
            }
            Op::v_writelane_b32 => {
                let lane = self.s32(&i.src[1]) as usize % L;
                self.v[i.dst as usize][lane] = self.s32(&i.src[0]);
                true
            }
            Op::v_movreld_b32 => {
                let to = (i.dst as u32).wrapping_add(self.s[M0 as usize]);
                let v = self.get(&i.src[0]);
                self.put((to & 255) as u16, &v);
                true
            }
            Op::v_movrels_b32 => {
                let From::Vector(r) = i.src[0].from else { return false };
                let from = (r as u32).wrapping_add(self.s[M0 as usize]) & 255;
                let v = self.v[from as usize];
                self.put(i.dst, &v);
                true
            }
            Op::v_swap_b32 => {
                let From::Vector(r) = i.src[0].from else { return false };
                let (a, b) = (self.v[r as usize], self.v[i.dst as usize]);
                self.put(i.dst, &a);
                self.put(r, &b);
                true
            }
            Op::v_mbcnt_lo_u32_b32 | Op::v_mbcnt_hi_u32_b32 => {
                let (mask, plus) = (self.get(&i.src[0]), self.get(&i.src[1]));
                let first = if i.op == Op::v_mbcnt_lo_u32_b32 { 0 } else { 32 };
                let r = std::array::from_fn(|l| {
                    let before = match l.saturating_sub(first) {
                        n if n >= 32 => u32::MAX,
                        n => (1u32 << n) - 1,
                    };
                    plus[l].wrapping_add((mask[l] & before).count_ones())
                });
                self.put(i.dst, &r);
                true
            }
            Op::v_permlane16_b32 | Op::v_permlanex16_b32 => {
                let v = self.get(&i.src[0]);
                let select = self.s32(&i.src[1]) as u64 | (self.s32(&i.src[2]) as u64) << 32;
                let exec = self.exec();
                // op_sel: inactive lanes can be read; lanes without a source read 0.
                let (fetch, bound) = (i.src[0].hi, i.src[1].hi);
                let other = if i.op == Op::v_permlanex16_b32 { 16 } else { 0 };
                let old = self.v[i.dst as usize];
                let r = std::array::from_fn(|l| {
                    let from = ((l & !15) ^ other) + (select >> (4 * (l & 15)) & 15) as usize;
                    match (fetch || exec >> from & 1 == 1, bound) {
                        (true, _) => v[from],
                        (_, true) => 0,
                        _ => old[l],
                    }
                });
                self.put(i.dst, &r);
                true
            }
            _ => false,
        }
    }

    /// Computes exchanges by the LDS hardware, which use no LDS memory; `None` if the instruction is another one.
    pub(super) fn permuted(&self, i: &Inst) -> Option<[u32; L]> {
        let address = &self.v[i.addr as usize];
        let data = &self.v[i.data as usize];
        let exec = self.exec();
        let lane = |l: usize| (address[l].wrapping_add(i.imm as u32) / 4) as usize % L;
        // All lanes of GCN's waves of 64.
        let near = lane;
        match i.op {
            Op::ds_bpermute_b32 => Some(std::array::from_fn(|l| {
                let from = near(l);
                if exec >> from & 1 == 1 { data[from] } else { 0 }
            })),
            Op::ds_permute_b32 => {
                let mut r = [0; L];
                for l in (0..L).filter(|l| exec >> l & 1 == 1) {
                    r[near(l)] = data[l];
                }
                Some(r)
            }
            // Quads and masks; the other modes (rotations, FFT) are not supported.
            Op::ds_swizzle_b32 if i.imm & 0x8000 == 0 || i.imm <= 0x80ff => {
                let data = address;
                Some(std::array::from_fn(|l| {
                    let o = i.imm as usize;
                    let from = if o & 0x8000 != 0 {
                        (l & !3) + (o >> (2 * (l & 3)) & 3)
                    } else {
                        ((l & !31) + ((l & 31 & o) | (o >> 5 & 31))) ^ (o >> 10 & 31)
                    };
                    if exec >> from & 1 == 1 { data[from] } else { 0 }
                }))
            }
            _ => None,
        }
    }
}
