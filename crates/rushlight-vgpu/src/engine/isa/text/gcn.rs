//! The parts of the syntax that differ for GCN.
use super::*;

/// Returns the counters that an instruction waits for.
pub(super) fn waits(n: u32) -> String {
    let (vm, exp, lgkm) = counters(Family::Cdna2, n);
    let all = vm == 63 && lgkm == 15 && exp == 7;
    let named = [("vmcnt", vm, 63), ("expcnt", exp, 7), ("lgkmcnt", lgkm, 15)];
    let named = named.iter().filter(|(_, value, most)| value != most || all);
    named.map(|(name, value, _)| format!("{name}({value})")).collect::<Vec<_>>().join(" ")
}

/// Returns the lanes that a swizzle reads.
pub(super) fn swizzle(n: u32) -> String {
    let (and, or, xor) = (n & 31, n >> 5 & 31, n >> 10 & 31);
    match n {
        0x8000..=0x80ff => {
            let lanes: Vec<String> = (0..4).map(|l| (n >> (2 * l) & 3).to_string()).collect();
            format!("swizzle(QUAD_PERM,{})", lanes.join(","))
        }
        _ if n & 0x8000 == 0 => match (and, or, xor) {
            (31, 0, 1 | 2 | 4 | 8 | 16) => format!("swizzle(SWAP,{xor})"),
            (31, 0, 3 | 7 | 15 | 31) => format!("swizzle(REVERSE,{})", xor + 1),
            _ => {
                let size = [2, 4, 8, 16, 32].into_iter().find(|s| and == 32 - s && or < *s && xor == 0);
                match size {
                    Some(s) => format!("swizzle(BROADCAST,{s},{or})"),
                    None => {
                        let bit = |b: u32| match (and >> b & 1, or >> b & 1, xor >> b & 1) {
                            (0, 0, 0) => '0',
                            (0, _, x) if x ^ (or >> b & 1) == 0 => '0',
                            (0, ..) => '1',
                            (_, 0, 0) => 'p',
                            (_, 0, _) => 'i',
                            (_, _, 0) => '1',
                            _ => '0',
                        };
                        let mask: String = (0..5).rev().map(bit).collect();
                        format!("swizzle(BITMASK_PERM,\"{mask}\")")
                    }
                }
            }
        },
        _ => format!("{n:#x}"),
    }
}

/// Returns the operands that M0 is added to.
pub(super) fn indexed(n: u32) -> String {
    let names = ["SRC0", "SRC1", "SRC2", "DST"];
    let named = names.iter().enumerate().filter(|(bit, _)| n >> bit & 1 == 1).map(|(_, name)| *name);
    format!("gpr_idx({})", named.collect::<Vec<_>>().join(","))
}

fn part(n: u8) -> &'static str {
    ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "?"][n as usize & 7]
}

/// Returns the modifiers of a matrix instruction: blocks that are broadcast or exchanged, or signs.
pub(super) fn blocks(i: &Inst) -> String {
    let (cbsz, abid, blgp) = (i.imm & 7, i.imm >> 3 & 15, i.imm >> 7);
    let mut t = String::new();
    for (name, n) in [("cbsz", cbsz), ("abid", abid)] {
        if n != 0 {
            let _ = write!(t, " {name}:{n}");
        }
    }
    if blgp != 0 {
        let signs = i.op == Op::v_mfma_f64_16x16x4_f64 && i.family == Family::Cdna3;
        let _ = match signs {
            true => write!(t, " neg:[{},{},{}]", blgp & 1, blgp >> 1 & 1, blgp >> 2),
            false => write!(t, " blgp:{blgp}"),
        };
    }
    t
}

/// Returns the parts of registers that an instruction accesses.
pub(super) fn parts(i: &Inst, s: &Sdwa) -> String {
    let mut t = String::new();
    if i.row.enc != Enc::Vopc {
        let unused = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"][s.unused as usize & 3];
        let _ = write!(t, " dst_sel:{} dst_unused:{unused}", part(s.dst));
    }
    let _ = write!(t, " src0_sel:{}", part(s.src[0]));
    if i.row.sources() > 1 {
        let _ = write!(t, " src1_sel:{}", part(s.src[1]));
    }
    t
}

impl Inst {
    /// Returns the cache flags.
    pub(super) fn cache_flags(&self) -> String {
        let names: &[(u8, &str)] = match self.family {
            Family::Rdna3 => &[(GLC, " glc"), (SLC, " slc"), (DLC, " dlc")],
            Family::Cdna2 => &[(GLC, " glc"), (SLC, " slc"), (SCC, " scc")],
            Family::Cdna3 => &[(GLC, " sc0"), (SLC, " nt"), (SCC, " sc1")],
        };
        names.iter().filter(|(bit, _)| self.cache & bit != 0).map(|(_, name)| *name).collect()
    }

    pub(super) fn buffer_operands(&self, out: &mut Vec<String>) {
        if self.row.mem.is_none() {
            return;
        }
        let words = self.row.bits[0].max(self.row.bits[2]).div_ceil(32) as u8;
        out.push(vector(self.data, words));
        out.push(match self.cache & (VADDR | INDEX) {
            0 => "off".into(),
            both if both == VADDR | INDEX => vector(self.addr as u16, 2),
            _ => vector(self.addr as u16, 1),
        });
        out.push(scalar(self.base, 4));
        let mut last = source(&self.src[0]);
        if self.cache & INDEX != 0 {
            last += " idxen";
        }
        if self.cache & VADDR != 0 {
            last += " offen";
        }
        if self.imm != 0 {
            let _ = write!(last, " offset:{}", self.imm);
        }
        out.push(last + &self.cache_flags());
    }
}
