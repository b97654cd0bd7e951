//! Families of instruction sets, encodings, and types of operands.

/// A family of instruction sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    /// gfx11: RDNA3.
    Rdna3,
    /// gfx90a.
    Cdna2,
    /// gfx942.
    Cdna3,
}

impl Family {
    /// Returns whether the family has GCN's encodings and waves of 64.
    pub fn gcn(self) -> bool {
        self != Family::Rdna3
    }

    /// Returns the mark of table rows that only this family has.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Family::Rdna3 => "",
            Family::Cdna2 => "90a",
            Family::Cdna3 => "942",
        }
    }
}

/// The encoding of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Enc {
    Sop1,
    Sop2,
    Sopc,
    Sopk,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    Vop3,
    Vop3sd,
    Vop3p,
    Vopd,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
}

/// The class of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    None,
    /// Bits or an unsigned number.
    Bits,
    /// A signed number.
    Int,
    Float,
    /// A pair of 16-bit integers.
    PackInt,
    PackFloat,
    /// One bit for each lane.
    Mask,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ty {
    pub class: Class,
    pub bits: u16,
}

impl Ty {
    pub const NONE: Ty = Ty { class: Class::None, bits: 0 };

    pub fn parse(word: &str) -> Option<Ty> {
        let pair = word.strip_prefix('p');
        let (letters, digits) = word.split_at(word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len()));
        let class = match (letters, pair) {
            ("-", _) => return Some(Ty::NONE),
            ("m", _) => return Some(Ty { class: Class::Mask, bits: 0 }),
            ("pf" | "pbf", _) => Class::PackFloat,
            (_, Some(_)) => Class::PackInt,
            ("b" | "u", _) => Class::Bits,
            ("i", _) => Class::Int,
            ("f" | "bf", _) => Class::Float,
            _ => return None,
        };
        let bits: u16 = digits.parse().ok()?;
        Some(Ty { class, bits: if pair.is_some() { 2 * bits } else { bits } })
    }

    /// Returns the number of registers.
    pub fn words(self, wave: u32) -> u8 {
        match self.class {
            Class::None => 0,
            Class::Mask => (wave / 32) as u8,
            _ => self.bits.div_ceil(32) as u8,
        }
    }
}
