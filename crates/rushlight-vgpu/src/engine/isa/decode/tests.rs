//! Compares the text of every row of the tables with LLVM's disassembler.
use super::*;
use std::io::Write;
use std::process::{Command, Stdio};

/// Source codes to test: scalars, a vector register, constants.
const SCALARS: [u64; 4] = [4, 106, 129, 240];
const VECTOR: u64 = 256 + 6;

/// Returns the words of a row's instruction in several variants.
fn forms(family: Family, row: &Row) -> Vec<Vec<u32>> {
    let (code, n) = (row.code as u64, row.sources());
    let used = |k: usize, v: u64| if n > k { v } else { 0 };
    let to = if row.ty[0].class == Class::None { 0 } else { 10 };
    let gcn = family.gcn();
    let two = |w: u64| vec![w as u32, (w >> 32) as u32];
    let constant = ["fmaak", "fmamk", "madak", "madmk", "setreg_imm32"].iter().any(|c| row.name.contains(c));
    let one = |w: u64| if constant { vec![w as u32, 0x4248_0000] } else { vec![w as u32] };
    let scalars = |f: &dyn Fn(u64, u64) -> u64| -> Vec<Vec<u32>> {
        SCALARS.iter().map(|s| one(f(used(0, *s), used(1, 8)))).collect()
    };
    match row.enc {
        Enc::Sopp => vec![one(0xbf80_0000 | code << 16)],
        Enc::Sopk => vec![one(0xb000_0000 | code << 23 | 8 << 16 | 0x0801)],
        Enc::Sop1 => scalars(&|a, _| 0xbe80_0000 | to << 16 | code << 8 | a),
        Enc::Sopc => scalars(&|a, b| 0xbf00_0000 | code << 16 | b << 8 | a),
        Enc::Sop2 => scalars(&|a, b| 0x8000_0000 | code << 23 | to << 16 | b << 8 | a),
        Enc::Vop1 => {
            let sources = if n == 0 { vec![0] } else { vec![VECTOR, 4, 240] };
            sources.iter().map(|s| one(0x7e00_0000 | to << 17 | code << 9 | s)).collect()
        }
        Enc::Vop2 => [VECTOR, 4].iter().map(|s| one(code << 25 | to << 17 | 2 << 9 | s)).collect(),
        Enc::Vopc => [VECTOR, 4].iter().map(|s| one(0x7c00_0000 | code << 17 | 2 << 9 | s)).collect(),
        Enc::Vop3 | Enc::Vop3sd => {
            let prefix = if gcn { 0xd000_0000 } else { 0xd400_0000 };
            let carry = if row.enc == Enc::Vop3sd { 12 << 8 } else { 0 };
            let mask = |k: usize, v: u64| match row.ty.get(k + 1) {
                Some(t) if t.class == Class::Mask => 20,
                _ => used(k, v),
            };
            let word = |first: u64, second: u64| {
                let sources = mask(0, first) << 32 | mask(1, second) << 41 | mask(2, 256 + 24) << 50;
                two(prefix | code << 16 | carry | to | sources)
            };
            vec![word(VECTOR, 256 + 16), word(240, 256 + 16), word(VECTOR, 4), word(VECTOR, 241)]
        }
        Enc::Vop3p => {
            let prefix = if gcn { 0xd380_0000 } else { 0xcc00_0000 };
            let sources = used(0, VECTOR) << 32 | used(1, 256 + 16) << 41 | used(2, 256 + 24) << 50;
            if row.name.starts_with("v_mfma_") {
                // In vector registers, in accumulation registers, from a constant, and with modifiers.
                let plain = prefix | code << 16 | to | sources;
                let zero = plain & !(511 << 50) | 128 << 50;
                let [of_sum, of_first, of_second] = [1 << 15, 1 << 59, 1 << 60];
                let modified = plain | 1 << 8 | 2 << 11 | 3 << 61;
                let all =
                    [plain, plain | of_sum, plain | of_first, plain | of_sum | of_second, zero, modified];
                return all.map(two).to_vec();
            }
            // Defaults: second results read upper halves, except f32 operands of mixed instructions.
            let high = match row.name.starts_with("v_fma_mix") {
                true => 0,
                false => 1 << 14 | 3 << 59,
            };
            let constant = sources & !(511 << 32) | 240 << 32;
            vec![
                two(prefix | code << 16 | to | sources | high),
                two(prefix | code << 16 | to | constant | high),
            ]
        }
        Enc::Smem => {
            let base = if row.bits[0] == 0 || row.name.contains("time") { 0 } else { 4 };
            let imm = if base == 0 { 0 } else { 0x10 };
            let to = if row.bits[0] == 0 { 0 } else { 16 };
            match gcn {
                true => vec![two(0xc000_0000 | code << 18 | (imm >> 4) << 17 | to << 6 | base | imm << 32)],
                false => vec![two(0xf400_0000 | code << 18 | to << 6 | base | imm << 32 | 124 << 57)],
            }
        }
        Enc::Ds => {
            let [d, a, x, y] = row.bits.map(|b| b > 0);
            let set = |on: bool, v: u64, at: u32| if on { v << at } else { 0 };
            let fields = set(a, 2, 32) | set(x, 6, 40) | set(y, 12, 48) | set(d, 20, 56);
            let at = if gcn { 17 } else { 18 };
            let mut all =
                vec![two(0xd800_0000 | code << at | 4 | fields), two(0xd800_0000 | code << at | fields)];
            if gcn {
                // Data in accumulation registers.
                all.push(two(0xd800_0000 | code << at | 1 << 25 | fields));
            }
            all
        }
        Enc::Flat | Enc::Global | Enc::Scratch => {
            let segment = match row.enc {
                Enc::Flat => 0,
                Enc::Scratch => 1,
                _ => 2,
            };
            let none = match (gcn, row.enc) {
                (true, Enc::Flat) => 0,
                (true, _) => 127,
                (false, _) => 124,
            };
            let atomic = row.name.contains("_atomic_");
            let set = |on: bool, v: u64, at: u32| if on { v << at } else { 0 };
            let own = if row.enc == Enc::Scratch && family != Family::Cdna2 { 1 } else { 0 };
            let word = |base: u64, returns: bool| {
                let fields =
                    set(row.bits[2] > 0, 6, 40) | set(row.bits[0] > 0 && (!atomic || returns), 20, 56);
                let (segments, glc) = if gcn { (14, 16) } else { (16, 14) };
                let own = if base != none { 0 } else { own };
                let own = if gcn { own << 13 } else { own << 55 };
                let address = if row.enc == Enc::Scratch && base != none { 0 } else { 2 << 32 };
                two(0xdc00_0000
                    | code << 18
                    | segment << segments
                    | (returns as u64) << glc
                    | address
                    | base << 48
                    | fields
                    | 8
                    | own)
            };
            let mut all = vec![word(none, false)];
            if atomic && row.bits[0] > 0 {
                all.push(word(none, true));
            }
            if row.enc != Enc::Flat {
                all.push(word(4, false));
            }
            if gcn {
                // Data in accumulation registers.
                let accumulators = all[0].iter().zip([0, 1 << 23]).map(|(w, bit)| w | bit).collect();
                all.push(accumulators);
            }
            all
        }
        Enc::Mubuf if row.bits == [0; 4] => vec![two(0xe000_0000 | code << 18)],
        Enc::Mubuf => {
            let fields = 6 << 40 | 1 << 48 | 128 << 56;
            vec![
                two(0xe000_0000 | code << 18 | 12 | fields),
                two(0xe000_1000 | code << 18 | 2 << 32 | fields),
                // Data in accumulation registers.
                two(0xe000_0000 | code << 18 | 12 | fields | u64::from(gcn) << 55),
            ]
        }
        Enc::Vopd => Vec::new(),
    }
}

/// Returns LLVM's text of each; `None` for invalid instructions.
fn llvm(cpu: &str, all: &[Vec<u32>], marker: u32) -> Vec<Option<String>> {
    let mut text = String::new();
    let mut line = |words: &[u32]| {
        let bytes: Vec<String> =
            words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:#04x}")).collect();
        text += &(bytes.join(",") + "\n");
    };
    for (n, words) in all.iter().enumerate() {
        // The number of the instruction, as the constant of an s_nop.
        line(&[marker | n as u32]);
        line(words);
    }
    let mut tool = Command::new("llvm-mc-19");
    tool.args(["-disassemble", "-arch=amdgcn", "-mcpu"]).arg(cpu);
    tool.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut run = tool.spawn().expect("llvm-mc-19 runs");
    let mut input = run.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let out = run.wait_with_output().expect("llvm-mc-19 ends");
    writer.join().expect("the writer ends").expect("all is written");
    let mut said = vec![None; all.len()];
    let mut at = None;
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let number = words.strip_prefix("s_nop ").and_then(|n| match n.strip_prefix("0x") {
            Some(n) => usize::from_str_radix(n, 16).ok(),
            None => n.parse().ok(),
        });
        match (number, at) {
            (Some(n), _) if n == at.map_or(0, |a| a + 1) => at = Some(n),
            (_, Some(a)) if said[a].is_none() && !words.starts_with('.') => said[a] = Some(words),
            _ => {}
        }
    }
    said
}

#[test]
fn every_row_as_llvm_shows_it() {
    for (family, cpu, least) in
        [(Family::Rdna3, "gfx1100", 920), (Family::Cdna2, "gfx90a", 800), (Family::Cdna3, "gfx942", 800)]
    {
        let wave = if family.gcn() { 64 } else { 32 };
        let (mut rows, mut all) = (Vec::new(), Vec::new());
        for row in Table::get(family).rows() {
            for words in forms(family, row) {
                rows.push(row);
                all.push(words);
            }
        }
        let (mut wrong, mut shown) = (Vec::new(), std::collections::BTreeSet::new());
        for ((row, words), said) in rows.iter().zip(&all).zip(llvm(cpu, &all, 0xbf80_0000)) {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let ours = decode(family, &bytes, 0, wave).map(|i| i.to_string());
            // For an invalid variant LLVM prints the name of another row, or none.
            let Some(said) = said.filter(|s| s.starts_with(row.name) && !s.contains("/*Invalid")) else {
                continue;
            };
            shown.insert((row.enc as u16, row.code));
            if ours.as_ref() != Some(&said) {
                wrong.push(format!("{said}: ours {ours:?} of {words:x?}"));
            }
        }
        println!("{cpu}: {} of {} rows", shown.len(), Table::get(family).rows().len());
        assert!(wrong.is_empty(), "{cpu}: {} differences\n{}", wrong.len(), wrong.join("\n"));
        assert!(shown.len() >= least, "{cpu}: LLVM decodes only {} of them", shown.len());
    }
}
