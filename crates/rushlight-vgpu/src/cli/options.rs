//! Parses the words and options of a command line.
use super::{Outcome, refused};
use crate::engine::types::Dim;

/// The syntax of a command: its name, the number of words, and its options, each with a value.
pub(super) struct Syntax {
    name: &'static str,
    words: usize,
    options: &'static [&'static str],
}

pub(super) const RUN: Syntax =
    Syntax { name: "run", words: 2, options: &["--grid", "--block", "--lds", "--arg"] };
pub(super) const TRACE: Syntax = Syntax {
    name: "trace",
    words: 2,
    options: &["--grid", "--block", "--lds", "--arg", "--at", "--wave", "--lane", "--limit"],
};
pub(super) const DISASM: Syntax = Syntax { name: "disasm", words: 2, options: &[] };
pub(super) const REPLAY: Syntax = Syntax { name: "replay", words: 1, options: &[] };

#[derive(Debug)]
pub(super) struct Options {
    name: &'static str,
    pub words: Vec<String>,
    options: Vec<(&'static str, String)>,
}

impl Options {
    pub fn parse(args: &[String], syntax: &Syntax) -> Outcome<Options> {
        let mut o = Options { name: syntax.name, words: Vec::new(), options: Vec::new() };
        let mut rest = args.iter();
        while let Some(word) = rest.next() {
            if !word.starts_with("--") {
                if o.words.len() == syntax.words {
                    return refused(format!("`{word}` is an extra word for {}", syntax.name));
                }
                o.words.push(word.clone());
                continue;
            }
            let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v)));
            let Some(known) = syntax.options.iter().find(|k| **k == name) else {
                let known = if syntax.options.is_empty() { "none".into() } else { syntax.options.join(", ") };
                return refused(format!("{} has no option {name}; it has: {known}", syntax.name));
            };
            let Some(value) = value.map(str::to_string).or_else(|| rest.next().cloned()) else {
                return refused(format!("{name} needs a value"));
            };
            if *known != "--arg" && o.options.iter().any(|(k, _)| k == known) {
                return refused(format!("{name} is given twice"));
            }
            o.options.push((known, value));
        }
        Ok(o)
    }

    /// Returns a required word.
    pub fn word(&self, n: usize, what: &str) -> Outcome<&str> {
        match self.words.get(n) {
            Some(w) => Ok(w),
            None => refused(format!("{} needs {what} (see --help)", self.name)),
        }
    }

    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.options.iter().filter(move |o| o.0 == name).map(|o| o.1.as_str())
    }

    /// Returns a number, or its default.
    pub fn number(&self, name: &str, default: Option<u64>) -> Outcome<Option<u64>> {
        match self.all(name).next() {
            None => Ok(default),
            Some(text) => match bytes(text) {
                Some(n) => Ok(Some(n)),
                None => refused(format!("{name} {text}: expected a number, such as 64 or 4K")),
            },
        }
    }

    /// Returns one to three required sizes.
    pub fn dim(&self, name: &str) -> Outcome<Dim> {
        match self.all(name).next() {
            Some(text) => dim(name, text, 1),
            None => refused(format!("{} needs {name} X[,Y,Z]", self.name)),
        }
    }
}

/// Parses one to three numbers; `rest` is the value of missing ones.
pub(super) fn dim(name: &str, text: &str, rest: u32) -> Outcome<Dim> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([x]) => Ok(Dim { x: *x, y: rest, z: rest }),
        Some([x, y]) => Ok(Dim { x: *x, y: *y, z: rest }),
        Some([x, y, z]) => Ok(Dim { x: *x, y: *y, z: *z }),
        _ => refused(format!("{name} {text}: expected one to three numbers, such as 64 or 16,16")),
    }
}

/// Parses a number of bytes, which may end in K, M or G.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        b'G' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    number.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_with_suffixes() {
        assert_eq!((bytes("64"), bytes("4K"), bytes("0x10")), (Some(64), Some(4096), Some(16)));
        for wrong in ["", "K", "-1", "1T", "0x", "99999999999G", "é", "1é"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        assert!(matches!(dim("--grid", "2,3", 1), Ok(Dim { x: 2, y: 3, z: 1 })));
        for wrong in ["", "1,2,3,4", "1,", "a", "-1", "4294967296"] {
            assert!(dim("--grid", wrong, 1).is_err(), "{wrong}");
        }
    }
}
