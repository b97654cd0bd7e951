//! The operation of memory instructions and comparisons, derived from their names when a table is read.
use super::types::{Class, Enc, Ty};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rmw {
    Swap,
    CompareSwap,
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
    Inc,
    Dec,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    Load,
    Store,
    /// Two elements of LDS, whose offsets are multiplied by the number.
    LoadTwo(u16),
    StoreTwo(u16),
    Atomic(Rmw),
}

/// A memory instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mem {
    pub act: Act,
    /// The type of an element.
    pub ty: Ty,
    /// Only half of a register: 1 its lower, 2 its upper half; the other half keeps its value.
    pub half: u8,
    /// An atomic that returns the old value whatever the cache bits say.
    pub returns: bool,
    /// The compared value comes before the stored value.
    pub swapped: bool,
}

impl Mem {
    pub fn of(enc: Enc, name: &str) -> Option<Mem> {
        let (lds, rest) = match enc {
            Enc::Ds => (true, name.strip_prefix("ds_")?),
            Enc::Flat => (false, name.strip_prefix("flat_")?),
            Enc::Global => (false, name.strip_prefix("global_")?),
            Enc::Scratch => (false, name.strip_prefix("scratch_")?),
            Enc::Mubuf => (false, name.strip_prefix("buffer_")?),
            _ => return None,
        };
        let mut words: Vec<&str> = rest.split('_').collect();
        let mut has = |word: &str| match words.iter().position(|w| *w == word) {
            Some(i) => {
                words.remove(i);
                true
            }
            None => false,
        };
        let half = match (has("d16"), has("hi")) {
            (false, false) => 0,
            (true, false) => 1,
            _ => 2,
        };
        let (two, far) = (has("2addr"), has("stride64"));
        let (atomic, rtn) = (has("atomic"), has("rtn"));
        let [verb, ty] = words[..] else { return None };
        let ty = Ty::parse(ty)?;
        let step = ty.bits / 8 * if far { 64 } else { 1 };
        let act = match verb {
            "load" if two => Act::LoadTwo(step),
            "store" if two => Act::StoreTwo(step),
            "load" => Act::Load,
            "store" => Act::Store,
            _ if two || !(lds || atomic) => return None,
            "swap" | "storexchg" => Act::Atomic(Rmw::Swap),
            "cmpswap" | "cmpstore" => Act::Atomic(Rmw::CompareSwap),
            "add" => Act::Atomic(Rmw::Add),
            "sub" => Act::Atomic(Rmw::Sub),
            "min" => Act::Atomic(Rmw::Min),
            "max" => Act::Atomic(Rmw::Max),
            "and" => Act::Atomic(Rmw::And),
            "or" => Act::Atomic(Rmw::Or),
            "xor" => Act::Atomic(Rmw::Xor),
            "inc" => Act::Atomic(Rmw::Inc),
            "dec" => Act::Atomic(Rmw::Dec),
            _ => return None,
        };
        // Integers of 32 and 64 bits, and sums, minima and maxima of f32 and f64.
        let float = ty.class == Class::Float;
        if let Act::Atomic(rmw) = act
            && (ty.bits < 32 || (float && !matches!(rmw, Rmw::Add | Rmw::Min | Rmw::Max)))
        {
            return None;
        }
        Some(Mem { act, ty, half, returns: rtn, swapped: false })
    }

    /// Returns the registers of one element.
    pub fn words(&self) -> usize {
        self.ty.bits.div_ceil(32) as usize
    }

    /// Returns the bytes of one element.
    pub fn bytes(&self) -> usize {
        self.ty.bits as usize / 8
    }
}

/// A comparison of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cond {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    /// Neither, because one is NaN.
    pub unordered: bool,
}

impl Cond {
    /// Returns the condition in the middle of a name: `v_cmp_lt_f32`, `v_cmpx_nge_f16`, `s_cmpk_lg_u32`.
    pub fn of(name: &str) -> Option<Cond> {
        let mut words = name.split('_').skip(1);
        if !words.next()?.starts_with("cmp") {
            return None;
        }
        let c = |less, equal, greater, unordered| Some(Cond { less, equal, greater, unordered });
        match words.next()? {
            "f" => c(false, false, false, false),
            "lt" => c(true, false, false, false),
            "eq" => c(false, true, false, false),
            "le" => c(true, true, false, false),
            "gt" => c(false, false, true, false),
            // For floats `lg` is false if one is NaN; integers have no NaN.
            "lg" => c(true, false, true, false),
            "ge" => c(false, true, true, false),
            "o" => c(true, true, true, false),
            "u" => c(false, false, false, true),
            "nge" => c(true, false, false, true),
            "nlg" => c(false, true, false, true),
            "ngt" => c(true, true, false, true),
            "nle" => c(false, false, true, true),
            "neq" | "ne" => c(true, false, true, true),
            "nlt" => c(false, true, true, true),
            "t" | "tru" => c(true, true, true, true),
            _ => None,
        }
    }

    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match a.partial_cmp(&b) {
            Some(std::cmp::Ordering::Less) => self.less,
            Some(std::cmp::Ordering::Equal) => self.equal,
            Some(std::cmp::Ordering::Greater) => self.greater,
            None => self.unordered,
        }
    }
}
