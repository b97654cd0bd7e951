//! Writes assembler programs that execute instructions on the cases of the vectors, and checks the results.
use super::common::isa::program;
use super::read::*;
use std::fmt::Write;
use std::ops::Range;

/// The inactive lanes of each instruction's first variant, for 32 lanes.
const OFF: u32 = 1 << 5 | 1 << 11 | 1 << 26;
const BEFORE: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// An instruction in one variant.
pub struct Item {
    pub words: String,
    line: usize,
    pub cases: std::vec::IntoIter<usize>,
    off: u32,
    /// Whether a 16-bit result clears the upper half.
    clears: bool,
}

pub struct Program {
    pub text: String,
    pub items: Vec<Item>,
    arch: String,
    wave: usize,
    /// Whether the next variant is half of a dual instruction, the second half.
    dual: Option<bool>,
}

/// The instructions that can be dual (VOPD), and whether only as the second one.
const DUAL: &[&str] = &[
    "v_fmac_f32",
    "v_fmaak_f32",
    "v_fmamk_f32",
    "v_mul_f32",
    "v_add_f32",
    "v_sub_f32",
    "v_subrev_f32",
    "v_mul_dx9_zero_f32",
    "v_mov_b32",
    "v_cndmask_b32",
    "v_max_f32",
    "v_min_f32",
];
const DUAL_SECOND: &[&str] = &["v_add_nc_u32", "v_lshlrev_b32", "v_and_b32"];

/// Returns whether VCC is an operand.
fn carries(name: &str) -> bool {
    name.contains("_ci_u32")
        || ["v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32", "v_cndmask_b32"].contains(&name)
}

/// Returns how many floats are between two floats of a width.
fn distance(a: u64, b: u64, bits: usize) -> u64 {
    let sign = 1u64 << (bits - 1);
    let ordinal = |v: u64| if v & sign != 0 { -((v & !sign) as i128) } else { v as i128 };
    (ordinal(a) - ordinal(b)).unsigned_abs() as u64
}

fn is_nan(v: u64, bits: usize) -> bool {
    let mantissa = match bits {
        16 => 10,
        32 => 23,
        _ => 52,
    };
    let top = ((1u64 << (bits - 1 - mantissa)) - 1) << mantissa;
    v & top == top && v & ((1 << mantissa) - 1) != 0
}

/// Returns the allowed error of an approximation in units in the last digit: AMD's documents specify 1 for f32, and
/// 2^29 for the initial approximations of f64.
fn units(name: &str) -> u64 {
    let what = name.trim_start_matches("v_").split('_').next().unwrap();
    match (what, name.ends_with("f64")) {
        ("rcp" | "rsq" | "sqrt", true) => 1 << 29,
        ("rcp" | "rsq" | "sqrt" | "exp" | "log" | "sin" | "cos", false) => 1,
        _ => 0,
    }
}

impl Item {
    /// Returns why a result, in registers or in a mask, is wrong.
    pub fn differs(&self, vectors: &Vectors, case: usize, got: u64, mask: u64) -> Option<String> {
        let line = &vectors.lines[self.line];
        let on = self.off >> (case % 32) & 1 == 0;
        let operands: Vec<u64> = line.operands.iter().map(|s| vectors.value(s, case)).collect();
        let wrong = |what: &str, got: u64, expected: &str| {
            Some(format!("of {operands:x?} {what} {got:x}, expected {expected}"))
        };
        if let Some(bits) = line.mask {
            let (bit, lane) = (bits >> case & 1, if line.scalar() { 0 } else { case % 64 });
            // A wave of 32 lanes has the mask in 32 bits.
            let shift = if self.words.ends_with("|32") { lane % 32 } else { lane };
            if (mask >> shift & 1) as u128 != bit * on as u128 {
                return wrong("the bit is", mask >> shift & 1, &format!("{}", bit * on as u128));
            }
        }
        if line.result == "-" {
            let other = line.name.starts_with("v_cmpx_") && self.words.ends_with("|64") && got != mask;
            return if other { wrong("beside EXEC it writes", got, &format!("{mask:x}")) } else { None };
        }
        let old = match line.enc {
            "sopk" => operands[0],
            _ if line.adds() => *operands.last().unwrap(),
            _ => BEFORE,
        };
        let width = bits(line.result);
        let low = u64::MAX >> (64 - width);
        let rest = if self.clears && on && width == 16 { 0xaaaa_aaaa_0000_0000 } else { old };
        let upper = if line.adds() { low | 0xffff } else { !0 };
        if width < 64 && (got ^ rest) & !low & upper != 0 {
            return wrong("the rest of the register is", got, &format!("{rest:x}"));
        }
        let got = got & low;
        if !on {
            return if got == old & low {
                None
            } else {
                wrong("an inactive lane has", got, &format!("{old:x}"))
            };
        }
        let value = line.values[case];
        if value == "-" {
            return None;
        }
        let field = if line.result.starts_with('p') { width / 2 } else { width };
        for n in 0..width / field {
            let end = value.len() - n * field / 4;
            let digits = &value[end - field / 4..end];
            let got = got >> (n * field) & (u64::MAX >> (64 - field));
            let right = match u64::from_str_radix(digits, 16) {
                Err(_) => is_nan(got, field),
                Ok(v) => got == v || units(line.name) > 0 && distance(got, v, field) <= units(line.name),
            };
            if !right {
                return wrong("it gives", got, value);
            }
        }
        None
    }
}

/// Returns the names of registers.
fn registers(letter: char, first: usize, bits: usize) -> String {
    if bits == 64 { format!("{letter}[{first}:{}]", first + 1) } else { format!("{letter}{first}") }
}

impl Program {
    pub fn new(arch: &str) -> Program {
        let wave = if arch.starts_with("gfx11") { 32 } else { 64 };
        let text = match wave {
            32 => "s_mov_b32 s60, exec_lo\n",
            _ => "s_mov_b64 s[60:61], exec\n",
        };
        Program { text: text.into(), items: Vec::new(), arch: arch.into(), wave, dual: None }
    }

    pub fn end(mut self) -> Program {
        self.text = program(&self.arch, &(self.text + "s_endpgm\n"), 0);
        self
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn item(&mut self, vectors: &Vectors, line: &Line, words: &str, cases: Vec<usize>, off: u32) {
        let number = vectors.lines.iter().position(|l| std::ptr::eq(l, line)).unwrap();
        let legacy = line.name.contains("_legacy_");
        let clears = self.wave == 64 && (line.enc != "vop3" || legacy);
        let words = format!("{words} |{}", self.wave);
        self.items.push(Item { words, line: number, cases: cases.into_iter(), off, clears });
    }

    /// Loads a list of values, one case for each lane.
    fn load(&mut self, register: usize, at: usize) {
        self.line(&format!(
            "s_mov_b32 s62, {at:#x}\nv_lshl_add_u32 v1, v0, 3, s62\nglobal_load_dwordx2 v[{register}:{}], v1, s[6:7]",
            register + 1
        ));
    }

    /// Executes a vector instruction in all of its variants.
    pub fn vector(&mut self, vectors: &Vectors, line: &Line) {
        let short = ["vop1", "vop2", "vopc"].contains(&line.enc);
        let slots = line.operands.len() - line.adds() as usize;
        let literal = line.name.contains("mk_f") || line.name.contains("ak_f");
        let plain: Vec<String> =
            (0..slots).map(|n| registers('v', 20 + 2 * n, line.operands[n].bits())).collect();
        let everything: Vec<usize> = (0..CASES).collect();
        self.variant(vectors, line, line.name, &plain, "vcc", everything.clone(), OFF);
        if !literal {
            let name = format!("{}{}", line.name, if short { "_e64" } else { "" });
            let mut operands = plain.clone();
            for (n, operand) in operands.iter_mut().enumerate() {
                // A float's sign is flipped twice.
                let slot = &line.operands[n];
                if slot.kind().starts_with('f') {
                    let (sign, register) = match slot.bits() {
                        16 => (0x8000, 20 + 2 * n),
                        32 => (0x8000_0000u32, 20 + 2 * n),
                        _ => (0x8000_0000, 21 + 2 * n),
                    };
                    *operand = format!("-{operand}");
                    self.line(&format!("s_mov_b32 s62, {sign:#x}\nv_xor_b32 v{register}, s62, v{register}"));
                }
            }
            self.variant(vectors, line, &name, &operands, "s[50:51]", everything.clone(), 0);
            self.constants(vectors, line, &plain);
        }
        if self.wave == 32 && DUAL.contains(&line.name) {
            self.dual = Some(false);
            self.variant(vectors, line, line.name, &plain, "vcc", everything.clone(), 0);
        }
        if self.wave == 32 && (DUAL.contains(&line.name) || DUAL_SECOND.contains(&line.name)) {
            self.dual = Some(true);
            self.variant(vectors, line, line.name, &plain, "vcc", everything.clone(), 0);
        }
        let is64 = line.result.ends_with("64") || line.operands.iter().any(|o| o.bits() == 64);
        if self.wave == 64 && short && !literal && !line.adds() && !is64 {
            for (n, slot) in line.operands.iter().enumerate().filter(|(_, o)| o.kind().ends_with("16")) {
                let (register, junk) = (20 + 2 * n, 0x1234 + slot.at);
                self.line(&format!(
                    "v_lshlrev_b32 v{register}, 16, v{register}\ns_mov_b32 s62, {junk:#x}\n\
                     v_or_b32 v{register}, s62, v{register}"
                ));
            }
            let name = format!("{}_sdwa", line.name);
            self.variant(vectors, line, &name, &plain, "vcc", everything, 0);
        }
    }

    /// Replaces the first operand by a scalar register, and by a constant: the value of one case each.
    fn constants(&mut self, vectors: &Vectors, line: &Line, plain: &[String]) {
        let slot = &line.operands[0];
        let case = 7 * self.items.len() % 32;
        // GCN reads one scalar per instruction, and a carry is one.
        if self.wave == 64 && carries(line.name) {
            return;
        }
        self.line(&format!("v_readlane_b32 s52, v20, {case}\nv_readlane_b32 s53, v21, {case}"));
        let mut operands = plain.to_vec();
        operands[0] = registers('s', 52, slot.bits());
        let lanes = (0..CASES).filter(|c| c % self.wave == case).collect();
        self.variant(vectors, line, line.name, &operands, "vcc", lanes, 0);
        let number = slot.kind().starts_with(['f', 'u', 'i']) && slot.bits() < 64;
        if number && ["vop1", "vop2", "vopc"].contains(&line.enc) {
            let low = u64::MAX >> (64 - slot.bits());
            operands[0] = format!("{:#x}", vectors.value(slot, case) & low);
            self.variant(vectors, line, line.name, &operands, "vcc", vec![case], 0);
        }
    }

    /// Executes it once, with VCC and the result register as before a case.
    fn variant(
        &mut self,
        vectors: &Vectors,
        line: &Line,
        name: &str,
        operands: &[String],
        mask: &str,
        cases: Vec<usize>,
        off: u32,
    ) {
        let text = std::mem::take(&mut self.text);
        // The caller's text of this variant follows the loads.
        let split = text.rfind("; item\n").map_or(0, |at| at + 7);
        let (done, own) = text.split_at(if split == 0 { text.find('\n').unwrap() + 1 } else { split });
        let (done, own) = (done.to_string(), own.to_string());
        self.text = done;
        self.load(46, 0);
        for (n, slot) in line.operands.iter().enumerate() {
            self.load(20 + 2 * n, slot.at);
        }
        self.line("s_waitcnt vmcnt(0)");
        self.text += &own;
        if line.adds() {
            let from = 20 + 2 * (line.operands.len() - 1);
            self.line(&format!("v_mov_b32 v40, v{from}\nv_mov_b32 v41, v{}", from + 1));
        } else {
            self.line("v_mov_b32 v40, 0xaaaaaaaa\nv_mov_b32 v41, 0xaaaaaaaa");
        }
        let is64 = self.wave == 64;
        let mask = if is64 {
            mask
        } else if mask == "vcc" {
            "vcc_lo"
        } else {
            "s50"
        };
        let (pair, exec) = if is64 { ("s[48:49]", "exec") } else { ("s48", "exec_lo") };
        let bits = if is64 { "b64" } else { "b32" };
        self.line(&format!("v_cmp_ne_u32_e64 {mask}, 0, v46"));
        let x = line.name.starts_with("v_cmpx_");
        let dual = self.dual.take();
        let carry = carries(line.name) && dual.is_none();
        let mut list: Vec<String> = operands.to_vec();
        if line.result == "-" {
            if !x || is64 {
                list.insert(0, mask.into());
            }
        } else {
            if line.mask.is_some() {
                list.insert(0, mask.into());
            }
            list.insert(0, registers('v', 40, super::read::bits(line.result)));
        }
        if carry {
            list.push(mask.into());
        }
        let k = if line.result == "f16" { "0x4248" } else { "0x40490fdb" };
        if line.name.contains("mk_f") {
            list.insert(2, k.into());
        } else if line.name.contains("ak_f") {
            list.push(k.into());
        }
        let mut words = format!("{name} {}", list.join(", "));
        if name.ends_with("_sdwa") {
            if line.result != "-" {
                words += " dst_sel:DWORD dst_unused:UNUSED_PAD";
            }
            for (n, slot) in line.operands.iter().enumerate() {
                let half = if slot.kind().ends_with("16") { "WORD_1" } else { "DWORD" };
                write!(words, " src{n}_sel:{half}").unwrap();
            }
        }
        if let Some(second) = dual {
            let own = words.replacen("v_", "v_dual_", 1);
            let other = "v_dual_mov_b32 v61, v47";
            words = if second { format!("{other} :: {own}") } else { format!("{own} :: {other}") };
        }
        if off != 0 {
            let on = !off;
            self.line(&format!("s_mov_b32 s62, {on:#x}\ns_mov_b32 s63, {on:#x}"));
            self.line(&format!("s_and_{bits} {exec}, {exec}, {}", if is64 { "s[62:63]" } else { "s62" }));
        }
        self.line(&words);
        self.line(&format!("s_mov_{bits} {pair}, {}", if x { exec } else { mask }));
        if x && is64 {
            // The register is written, too.
            let (lo, hi) = if mask == "vcc" { ("vcc_lo", "vcc_hi") } else { ("s50", "s51") };
            self.line(&format!("s_mov_b64 {exec}, s[60:61]\nv_mov_b32 v40, {lo}\nv_mov_b32 v41, {hi}"));
        }
        self.line(&format!("s_mov_{bits} {exec}, {}", if is64 { "s[60:61]" } else { "s60" }));
        let high = if is64 { "s49" } else { "0" };
        let at = 16 * CASES * self.items.len();
        let mut store = String::new();
        write!(
            store,
            "v_mov_b32 v42, s48\nv_mov_b32 v43, {high}\ns_mov_b32 s62, {at:#x}\nv_lshl_add_u32 v1, v0, 4, s62\n\
             global_store_dwordx4 v1, v[40:43], s[4:5]\n; item"
        )
        .unwrap();
        self.line(&store);
        self.item(vectors, line, &words, cases, off);
    }

    /// Executes a scalar instruction; each block has a case.
    pub fn scalar(&mut self, vectors: &Vectors, line: &Line) {
        if line.enc != "sopk" {
            return self.scalar_form(vectors, line, "", 0..CASES);
        }
        // Constants are part of the instruction: one for eight cases.
        for first in (0..CASES).step_by(8) {
            let constant = format!("{:#x}", vectors.value(&line.operands[1], first) & 0xffff);
            self.scalar_form(vectors, line, &constant, first..first + 8);
        }
    }

    fn scalar_form(&mut self, vectors: &Vectors, line: &Line, constant: &str, cases: Range<usize>) {
        let sopk = line.enc == "sopk";
        self.line("s_lshl_b32 s3, s2, 3\ns_add_u32 s8, s6, s3\ns_addc_u32 s9, s7, 0");
        self.line("s_load_dwordx2 s[30:31], s[8:9], 0x0");
        for (n, slot) in line.operands.iter().enumerate() {
            let first = if sopk && n == 0 { 40 } else { 20 + 2 * n };
            self.line(&format!("s_load_dwordx2 s[{first}:{}], s[8:9], {:#x}", first + 1, slot.at));
        }
        self.line("s_waitcnt lgkmcnt(0)");
        if !sopk {
            self.line("s_mov_b32 s40, 0xaaaaaaaa\ns_mov_b32 s41, 0xaaaaaaaa");
        }
        self.line("s_cmp_lg_u32 s30, 0");
        let mut list: Vec<String> = if sopk {
            vec!["s40".into(), constant.into()]
        } else {
            (0..line.operands.len()).map(|n| registers('s', 20 + 2 * n, line.operands[n].bits())).collect()
        };
        if line.result != "-" && !sopk {
            list.insert(0, registers('s', 40, bits(line.result)));
        }
        let words = format!("{} {}", line.name, list.join(", "));
        self.line(&words);
        let at = 16 * CASES * self.items.len();
        self.line(&format!(
            "s_cselect_b32 s42, 1, 0\ns_mov_b32 s62, {at:#x}\ns_lshl_b32 s3, s2, 4\ns_add_u32 s62, s62, s3\n\
             v_mov_b32 v1, s62\nv_mov_b32 v40, s40\nv_mov_b32 v41, s41\nv_mov_b32 v42, s42\nv_mov_b32 v43, 0\n\
             global_store_dwordx4 v1, v[40:43], s[4:5]"
        ));
        self.item(vectors, line, &words, cases.collect(), 0);
    }
}
