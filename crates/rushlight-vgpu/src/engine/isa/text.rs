//! Disassembly in the syntax of LLVM's assembler.
mod gcn;

use super::inst::*;
use super::mem::Act;
use super::ops::Op;
use super::types::{Class, Enc, Family, Ty};
use std::fmt::{Display, Formatter, Result, Write};

/// Returns the name of a scalar register with a code below 128, or of several registers.
fn scalar(code: u8, words: u8) -> String {
    let special = |name: &str, low: u8| match (words, code - low) {
        (1, 0) => format!("{name}_lo"),
        (1, _) => format!("{name}_hi"),
        _ => name.to_string(),
    };
    match code {
        106 | 107 => special("vcc", 106),
        126 | 127 => special("exec", 126),
        FLAT_SCRATCH | 139 => special("flat_scratch", FLAT_SCRATCH),
        XNACK_MASK | 141 => special("xnack_mask", XNACK_MASK),
        108..=123 => range("ttmp", code as u16 - 108, words),
        124 => "null".into(),
        125 => "m0".into(),
        _ => range("s", code as u16, words),
    }
}

fn range(letter: &str, first: u16, words: u8) -> String {
    match words {
        0 | 1 => format!("{letter}{first}"),
        n => format!("{letter}[{first}:{}]", first + n as u16 - 1),
    }
}

fn vector(first: u16, words: u8) -> String {
    match first.checked_sub(ACCUMULATORS) {
        Some(n) => range("a", n, words),
        None => range("v", first, words),
    }
}

/// Returns whether an operand is a constant, whose sign is written as a function.
fn immediate(s: &Source) -> bool {
    matches!(s.from, From::Constant(_)) && !(235..=238).contains(&s.code)
}

fn source(s: &Source) -> String {
    match s.code {
        251 => "src_vccz".into(),
        252 => "src_execz".into(),
        253 => "src_scc".into(),
        235 => "src_shared_base".into(),
        236 => "src_shared_limit".into(),
        237 => "src_private_base".into(),
        238 => "src_private_limit".into(),
        128..=192 => (s.code - 128).to_string(),
        193..=208 => format!("-{}", s.code - 192),
        240..=248 if s.ty.bits == 16 && s.ty.class != Class::Float => match s.from {
            From::Constant(c) => format!("{c:#x}"),
            _ => String::new(),
        },
        240 => "0.5".into(),
        241 => "-0.5".into(),
        242 => "1.0".into(),
        243 => "-1.0".into(),
        244 => "2.0".into(),
        245 => "-2.0".into(),
        246 => "4.0".into(),
        247 => "-4.0".into(),
        248 if s.ty.bits == 64 => "0.15915494309189532".into(),
        248 => "0.15915494".into(),
        _ => match s.from {
            From::Vector(v) => vector(v, s.words),
            From::Scalar(c) => scalar(c, s.words),
            From::Constant(c) if s.ty.bits == 64 && s.ty.class == Class::Float => format!("{:#x}", c >> 32),
            From::Constant(c) => format!("{:#x}", c as u32),
            _ => String::new(),
        },
    }
}

/// Returns a source with its sign.
fn signed(s: &Source) -> String {
    let plain = source(s);
    match (s.neg, s.abs) {
        (false, false) => plain,
        (false, true) => format!("|{plain}|"),
        (true, true) => format!("-|{plain}|"),
        (true, false) if immediate(s) => format!("neg({plain})"),
        (true, false) => format!("-{plain}"),
    }
}

impl Inst {
    fn words(&self, ty: Ty) -> u8 {
        ty.words(self.wave as u32)
    }

    fn mask(&self, code: u8) -> String {
        scalar(code, self.wave / 32)
    }

    /// Returns the mnemonic, with the suffix of the encoding.
    pub fn mnemonic(&self) -> String {
        let name = self.row.name;
        if self.enc == Enc::Vopd {
            return format!("v_dual_{}", &name[2..]);
        }
        let only_short = [
            "v_fmaak_",
            "v_fmamk_",
            "v_madak_",
            "v_madmk_",
            "v_readfirstlane",
            "v_swap_",
            "v_pk_fmac",
            "v_nop",
            "v_permlane64",
            "v_swaprel_",
            "v_dot2acc_",
            "v_accvgpr_",
        ];
        let two = matches!(self.row.enc, Enc::Vop1 | Enc::Vop2 | Enc::Vopc)
            && !only_short.iter().any(|n| name.starts_with(n));
        // In GCN codes below 320 also have a 32-bit encoding.
        let short = self.family.gcn() && self.row.code < 320;
        let carries = matches!(self.op, Op::v_add_co_ci_u32 | Op::v_sub_co_ci_u32 | Op::v_subrev_co_ci_u32);
        let promoted = match self.enc {
            Enc::Vop3 => two,
            Enc::Vop3sd => carries || short,
            _ => false,
        };
        let dpp = match (&self.dpp, &self.sdwa) {
            (Some(d), _) if d.eight => "_dpp8",
            (Some(_), _) => "_dpp",
            (_, Some(_)) => "_sdwa",
            _ => "",
        };
        let suffix = match (promoted, two, dpp.is_empty()) {
            (true, ..) | (_, _, false) if self.enc == Enc::Vop3 => "_e64",
            (false, true, true) => "_e32",
            (true, ..) => "_e64",
            _ => "",
        };
        format!("{name}{suffix}{dpp}")
    }

    fn operands(&self) -> Vec<String> {
        let ty = &self.row.ty;
        let sources = self.src[..self.count as usize].iter();
        let mut out = Vec::new();
        match self.enc {
            Enc::Sop1 | Enc::Sop2 | Enc::Sopc => {
                if ty[0].class != Class::None {
                    out.push(scalar(self.dst as u8, self.words(ty[0])));
                }
                match self.op {
                    Op::s_sendmsg_rtn_b32 | Op::s_sendmsg_rtn_b64 => out.push(question(self.src[0].code)),
                    _ => out.extend(sources.map(source)),
                }
                if self.op == Op::s_set_gpr_idx_on {
                    out.push(gcn::indexed(self.imm as u32));
                }
            }
            Enc::Sopk => {
                let name = self.row.name;
                if name != "s_version" {
                    out.push(scalar(self.dst as u8, if name == "s_call_b64" { 2 } else { 1 }));
                }
                out.push(match name {
                    "s_getreg_b32" | "s_setreg_b32" | "s_setreg_imm32_b32" => hardware(self.imm as u16),
                    "s_call_b64" => (self.imm as u16).to_string(),
                    _ => format!("{:#x}", self.imm as u16),
                });
                if name.starts_with("s_setreg") {
                    out.rotate_left(1);
                }
                if name == "s_setreg_imm32_b32" {
                    out.pop();
                    out.extend(sources.map(source));
                }
            }
            Enc::Sopp => out.extend(constant(self)),
            Enc::Smem => {
                if self.row.bits[0] > 0 {
                    out.push(scalar(self.dst as u8, (self.row.bits[0] / 32) as u8));
                }
                if self.row.bits[0] > 0 && !self.row.name.contains("time") {
                    out.push(scalar(self.addr, if self.row.name.starts_with("s_buffer") { 4 } else { 2 }));
                    out.push(match (self.base, self.imm) {
                        (NULL, 0) if !self.family.gcn() => "null".into(),
                        (NULL, n) if n < 0 => format!("-{:#x}", -n),
                        (NULL, n) => format!("{n:#x}"),
                        (s, 0) => scalar(s, 1),
                        (s, n) => format!("{} offset:{n:#x}", scalar(s, 1)),
                    });
                }
            }
            Enc::Vop1 | Enc::Vop2 | Enc::Vopc | Enc::Vop3 | Enc::Vop3sd | Enc::Vop3p | Enc::Vopd => {
                self.vector_operands(&mut out);
            }
            Enc::Ds => self.lds_operands(&mut out),
            Enc::Flat | Enc::Global | Enc::Scratch => self.flat_operands(&mut out),
            Enc::Mubuf => self.buffer_operands(&mut out),
        }
        out
    }

    fn vector_operands(&self, out: &mut Vec<String>) {
        let ty = &self.row.ty;
        let name = self.row.name;
        if self.row.enc == Enc::Vopc {
            if !name.starts_with("v_cmpx") || self.both {
                out.push(self.mask(self.sdst));
            }
        } else if ty[0].class != Class::None {
            out.push(match name {
                "v_readlane_b32" | "v_readfirstlane_b32" => scalar(self.dst as u8, 1),
                _ => half(vector(self.dst, self.words(ty[0])), self.dst_hi && self.short()),
            });
            let carries = self.sdst != NULL && self.enc != Enc::Vopd && self.enc != Enc::Vop3;
            if (carries && name != "v_cndmask_b32") || self.enc == Enc::Vop3sd {
                out.push(self.mask(self.sdst));
            }
        }
        let mixed = name.starts_with("v_fma_mix");
        for (n, s) in self.src[..self.count as usize].iter().enumerate() {
            if let Some(parts) = self.sdwa.filter(|_| s.ty.class != Class::Mask) {
                let text = signed(s);
                out.push(if parts.signed[n] { format!("sext({text})") } else { text });
                continue;
            }
            out.push(match self.enc {
                Enc::Vop3p if mixed => {
                    let s = Source { abs: s.second_neg, ..*s };
                    signed(&s)
                }
                Enc::Vop3p => source(s),
                Enc::Vopd if s.ty.class == Class::Mask => continue,
                Enc::Vop1 | Enc::Vop2 | Enc::Vopc => half(signed(s), s.hi),
                _ => signed(s),
            });
        }
    }

    fn short(&self) -> bool {
        matches!(self.enc, Enc::Vop1 | Enc::Vop2 | Enc::Vopc)
    }

    fn lds_operands(&self, out: &mut Vec<String>) {
        let name = self.row.name;
        let [dst, addr, data0, data1] = self.row.bits;
        let words = |bits: u16| bits.div_ceil(32) as u8;
        for (bits, register) in
            [(dst, self.dst), (addr, self.addr as u16), (data0, self.data), (data1, self.data1)]
        {
            if bits > 0 {
                out.push(vector(register, words(bits)));
            }
        }
        let mut flags = String::new();
        if matches!(self.row.mem, Some(m) if matches!(m.act, Act::LoadTwo(_) | Act::StoreTwo(_)))
            || ["2addr", "wrxchg2"].iter().any(|two| name.contains(two))
        {
            for (n, offset) in [self.imm & 255, self.imm >> 8].into_iter().enumerate() {
                if offset != 0 {
                    let _ = write!(flags, " offset{n}:{offset}");
                }
            }
        } else if name == "ds_swizzle_b32" && self.imm != 0 {
            let _ = write!(flags, " offset:{}", gcn::swizzle(self.imm as u32));
        } else if self.imm != 0 {
            let _ = write!(flags, " offset:{}", self.imm);
        }
        if self.cache & GDS != 0 {
            flags += " gds";
        }
        if let Some(last) = out.last_mut() {
            last.push_str(&flags);
        }
    }

    fn flat_operands(&self, out: &mut Vec<String>) {
        let name = self.row.name;
        let [dst, _, data, _] = self.row.bits;
        let words = |bits: u16| bits.div_ceil(32) as u8;
        let atomic = name.contains("_atomic_");
        if dst > 0 && (!atomic || self.cache & GLC != 0) {
            out.push(vector(self.dst, words(dst)));
        }
        let base = self.base != NULL;
        out.push(match self.enc {
            Enc::Flat => vector(self.addr as u16, 2),
            Enc::Global => vector(self.addr as u16, if base { 1 } else { 2 }),
            _ if self.cache & VADDR != 0 => vector(self.addr as u16, 1),
            _ => "off".into(),
        });
        if data > 0 {
            out.push(vector(self.data, words(data)));
        }
        match self.enc {
            Enc::Global if base => out.push(scalar(self.base, 2)),
            Enc::Scratch if base => out.push(scalar(self.base, 1)),
            Enc::Flat => {}
            _ => out.push("off".into()),
        }
        let mut flags = String::new();
        if self.imm != 0 {
            let _ = write!(flags, " offset:{}", self.imm);
        }
        flags += &self.cache_flags();
        if let Some(last) = out.last_mut() {
            last.push_str(&flags);
        }
    }

    /// Returns the modifiers after the operands of a vector instruction.
    fn suffix(&self) -> String {
        let mut t = String::new();
        let n = self.count as usize;
        let src = &self.src[..n];
        let list = |bits: Vec<bool>| {
            let digits: Vec<&str> = bits.into_iter().map(|b| if b { "1" } else { "0" }).collect();
            format!("[{}]", digits.join(","))
        };
        match self.enc {
            Enc::Vop3 => {
                let mut bits: Vec<bool> = src.iter().map(|s| s.hi).collect();
                bits.push(self.dst_hi);
                if self.row.name.starts_with("v_permlane") {
                    bits.truncate(2);
                }
                if bits.contains(&true) {
                    t += &format!(" op_sel:{}", list(bits));
                }
            }
            Enc::Vop3p if self.row.name.starts_with("v_mfma_") => t += &gcn::blocks(self),
            Enc::Vop3p => {
                let mixed = self.row.name.starts_with("v_fma_mix");
                if src.iter().any(|s| s.hi) {
                    t += &format!(" op_sel:{}", list(src.iter().map(|s| s.hi).collect()));
                }
                if src.iter().any(|s| s.second_hi == mixed) {
                    t += &format!(" op_sel_hi:{}", list(src.iter().map(|s| s.second_hi).collect()));
                }
                if !mixed && src.iter().any(|s| s.neg) {
                    t += &format!(" neg_lo:{}", list(src.iter().map(|s| s.neg).collect()));
                }
                if !mixed && src.iter().any(|s| s.second_neg) {
                    t += &format!(" neg_hi:{}", list(src.iter().map(|s| s.second_neg).collect()));
                }
            }
            // For gfx90a they are part of the instruction.
            Enc::Mubuf if self.row.mem.is_none() && self.family != Family::Cdna2 => t += &self.cache_flags(),
            _ => {}
        }
        if self.clamp {
            t += " clamp";
        }
        t += ["", " mul:2", " mul:4", " div:2"][self.omod as usize & 3];
        if let Some(d) = &self.dpp {
            t += &exchange(d, self.family);
        }
        if let Some(s) = &self.sdwa {
            t += &gcn::parts(self, s);
        }
        t
    }
}

fn half(register: String, hi: bool) -> String {
    if hi { register + ".h" } else { register }
}

fn exchange(d: &Dpp, family: Family) -> String {
    let mut t = String::new();
    if d.eight {
        let lanes: Vec<String> = (0..8).map(|i| (d.control >> (3 * i) & 7).to_string()).collect();
        let _ = write!(t, " dpp8:[{}]", lanes.join(","));
        if d.fetch_inactive {
            t += " fi:1";
        }
        return t;
    }
    let n = d.control & 15;
    let _ = match d.control {
        0..=0xff => {
            let q = |i: u32| d.control >> (2 * i) & 3;
            write!(t, " quad_perm:[{},{},{},{}]", q(0), q(1), q(2), q(3))
        }
        0x101..=0x10f => write!(t, " row_shl:{n}"),
        0x111..=0x11f => write!(t, " row_shr:{n}"),
        0x121..=0x12f => write!(t, " row_ror:{n}"),
        0x140 => write!(t, " row_mirror"),
        0x141 => write!(t, " row_half_mirror"),
        0x130 => write!(t, " wave_shl:1"),
        0x134 => write!(t, " wave_rol:1"),
        0x138 => write!(t, " wave_shr:1"),
        0x13c => write!(t, " wave_ror:1"),
        0x142 => write!(t, " row_bcast:15"),
        0x143 => write!(t, " row_bcast:31"),
        0x150..=0x15f if family.gcn() => write!(t, " row_newbcast:{n}"),
        0x150..=0x15f => write!(t, " row_share:{n}"),
        0x160..=0x16f => write!(t, " row_xmask:{n}"),
        other => write!(t, " dpp_ctrl:{other:#x}"),
    };
    let _ = write!(t, " row_mask:{:#x} bank_mask:{:#x}", d.rows, d.banks);
    if d.bound {
        t += " bound_ctrl:1";
    }
    if d.fetch_inactive {
        t += " fi:1";
    }
    t
}

/// Returns the operand of an instruction that has only a constant.
fn constant(i: &Inst) -> Option<String> {
    let n = i.imm as u32;
    match i.row.name {
        "s_endpgm" | "s_barrier" | "s_code_end" | "s_endpgm_saved" | "s_wakeup" | "s_icache_inv" => {
            (n != 0).then(|| n.to_string())
        }
        "s_set_gpr_idx_off" => None,
        "s_set_gpr_idx_mode" => Some(gcn::indexed(n)),
        "s_waitcnt" if i.family.gcn() => Some(gcn::waits(n)),
        "s_waitcnt" => Some(waits(n)),
        "s_delay_alu" => Some(delays(n)),
        "s_sendmsg" if n == 1 => Some("sendmsg(MSG_INTERRUPT)".into()),
        "s_sendmsg" if n == 3 && !i.family.gcn() => Some("sendmsg(MSG_DEALLOC_VGPRS)".into()),
        "s_sendmsg" | "s_sendmsghalt" => Some(format!("sendmsg({}, {}, {})", n & 15, n >> 4 & 7, n >> 8 & 3)),
        "s_waitcnt_depctr" => Some(depends(n)),
        "s_clause"
        | "s_set_inst_prefetch_distance"
        | "s_round_mode"
        | "s_wait_event"
        | "s_ttracedata_imm" => Some(format!("{n:#x}")),
        _ => Some(n.to_string()),
    }
}

/// Returns the text of s_sendmsg_rtn's message.
fn question(code: u16) -> String {
    let names = ["GET_DOORBELL", "GET_DDID", "GET_TMA", "GET_REALTIME", "SAVE_WAVE", "GET_TBA"];
    match code.checked_sub(128).and_then(|n| names.get(n as usize)) {
        Some(name) => format!("sendmsg(MSG_RTN_{name})"),
        None => format!("sendmsg({code}, 0, 0)"),
    }
}

fn waits(n: u32) -> String {
    let (vm, exp, lgkm) = counters(Family::Rdna3, n);
    let all = vm == 63 && lgkm == 63 && exp == 7;
    let mut t = Vec::new();
    for (name, value, most) in [("vmcnt", vm, 63), ("expcnt", exp, 7), ("lgkmcnt", lgkm, 63)] {
        if value != most || all {
            t.push(format!("{name}({value})"));
        }
    }
    t.join(" ")
}

/// Returns the counters that an instruction waits for before it accesses registers.
fn depends(n: u32) -> String {
    let fields: [(&str, u32, u32); 7] = [
        ("depctr_hold_cnt", 7, 1),
        ("depctr_sa_sdst", 0, 1),
        ("depctr_va_vdst", 12, 15),
        ("depctr_va_sdst", 9, 7),
        ("depctr_va_ssrc", 8, 1),
        ("depctr_va_vcc", 1, 1),
        ("depctr_vm_vsrc", 2, 7),
    ];
    if n & 0x60 != 0 {
        return format!("{n:#x}");
    }
    let named = fields.iter().filter(|(_, at, most)| n >> at & most != *most);
    named.map(|(name, at, most)| format!("{name}({})", n >> at & most)).collect::<Vec<_>>().join(" ")
}

fn delays(n: u32) -> String {
    let id = |n: u32| match n {
        1..=4 => format!("VALU_DEP_{n}"),
        5..=7 => format!("TRANS32_DEP_{}", n - 4),
        8 => "FMA_ACCUM_CYCLE_1".into(),
        9..=11 => format!("SALU_CYCLE_{}", n - 8),
        _ => "/* invalid instid value */".into(),
    };
    let mut t = Vec::new();
    if n & 15 != 0 {
        t.push(format!("instid0({})", id(n & 15)));
    }
    if n >> 4 & 7 != 0 {
        t.push(match n >> 4 & 7 {
            1 => "instskip(NEXT)".to_string(),
            s @ 2..=5 => format!("instskip(SKIP_{})", s - 1),
            _ => "instskip(/* invalid instskip value */)".into(),
        });
    }
    if n >> 7 & 15 != 0 {
        t.push(format!("instid1({})", id(n >> 7 & 15)));
    }
    if t.is_empty() { "0".into() } else { t.join(" | ") }
}

/// Returns the name of a hardware register's field.
fn hardware(n: u16) -> String {
    let (id, offset, width) = (n & 63, n >> 6 & 31, (n >> 11) + 1);
    let name = match id {
        1 => "HW_REG_MODE".into(),
        2 => "HW_REG_STATUS".into(),
        3 => "HW_REG_TRAPSTS".into(),
        15 => "HW_REG_SH_MEM_BASES".into(),
        20 => "HW_REG_FLAT_SCR_LO".into(),
        21 => "HW_REG_FLAT_SCR_HI".into(),
        29 => "HW_REG_SHADER_CYCLES".into(),
        n => n.to_string(),
    };
    match (offset, width) {
        (0, 32) => format!("hwreg({name})"),
        _ => format!("hwreg({name}, {offset}, {width})"),
    }
}

impl Display for Inst {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.mnemonic())?;
        let operands = self.operands();
        if !operands.is_empty() {
            write!(f, " {}", operands.join(", "))?;
        }
        f.write_str(&self.suffix())?;
        match &self.dual {
            Some(d) => write!(f, " :: {d}"),
            None => Ok(()),
        }
    }
}
