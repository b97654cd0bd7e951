//! Reads `vectors.tsv`.
use std::collections::HashMap;

/// Cases of an instruction: 64 with edge values, then random ones.
pub const CASES: usize = 96;
const TEXT: &str = include_str!("vectors.tsv");

/// An operand: the name of its list of values, and its registers.
#[derive(Clone, Copy)]
pub struct Slot {
    pub name: &'static str,
    /// Offset of its values in the input, in bytes.
    pub at: usize,
}

impl Slot {
    /// Returns the kind of its values: `f32`, `pu16`, or `n` (a number of bits) and other 32-bit kinds.
    pub fn kind(&self) -> &'static str {
        self.name.split('.').next().unwrap()
    }

    pub fn bits(&self) -> usize {
        bits(self.kind())
    }
}

/// Returns the bits of a kind: of both values for a pair.
pub fn bits(kind: &str) -> usize {
    let n = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(32);
    if kind.starts_with('p') { 2 * n } else { n }
}

/// An instruction and its results.
pub struct Line {
    pub name: &'static str,
    pub enc: &'static str,
    /// The kind of the result: `f32`, or `-` for a mask only.
    pub result: &'static str,
    pub operands: Vec<Slot>,
    /// One bit for each case: of a comparison, a carry, the condition code.
    pub mask: Option<u128>,
    /// In hexadecimal digits; `n` if any NaN is valid, `-` if the result is unspecified.
    pub values: Vec<&'static str>,
}

impl Line {
    pub fn scalar(&self) -> bool {
        self.name.starts_with("s_")
    }

    /// Returns whether it adds to its result register, which is then its last operand.
    pub fn adds(&self) -> bool {
        self.name.starts_with("v_fmac_") || self.name.starts_with("v_mac_")
    }
}

pub struct Vectors {
    pub lines: Vec<Line>,
    values: Vec<u64>,
}

/// Returns VCC's bit, or the condition code, before a case.
pub fn before(case: usize) -> u64 {
    ((case * 5 + case / 7) >> 1 & 1) as u64
}

impl Vectors {
    pub fn of(arch: &str) -> Vectors {
        let mut v = Vectors { lines: Vec::new(), values: (0..CASES).map(before).collect() };
        let mut offsets = HashMap::new();
        for line in TEXT.lines() {
            let words: Vec<&'static str> = line.split('\t').collect();
            if let Some(name) = words[0].strip_prefix('#') {
                offsets.insert(name, 8 * v.values.len());
                v.values.extend(words[1].split(' ').map(|w| u64::from_str_radix(w, 16).unwrap()));
                continue;
            }
            let family = if arch.starts_with("gfx11") { "rdna3" } else { "cdna" };
            if !words[0].split(',').any(|w| w == family || w == arch) {
                continue;
            }
            let slots = words[4].split(',').filter(|w| !w.is_empty());
            v.lines.push(Line {
                name: words[1],
                enc: words[2],
                result: words[3],
                operands: slots.map(|name| Slot { name, at: offsets[name] }).collect(),
                mask: (words[5] != "-").then(|| u128::from_str_radix(words[5], 16).unwrap()),
                values: if words[6] == "-" { Vec::new() } else { words[6].split(' ').collect() },
            });
            let line = v.lines.last().unwrap();
            assert!(line.values.is_empty() || line.values.len() == CASES, "{}", line.name);
        }
        assert!(v.lines.len() > 400, "{} instructions", v.lines.len());
        v
    }

    /// Returns the input of the programs: bits of VCC first.
    pub fn inputs(&self) -> Vec<u64> {
        self.values.clone()
    }

    pub fn value(&self, slot: &Slot, case: usize) -> u64 {
        self.values[slot.at / 8 + case]
    }
}
