//! Words and options of a command line.
use super::{Outcome, refused};
use crate::engine::types::Dim;

/// What a command takes: its name, how many words, its options, each with a value.
pub(super) struct Form {
    name: &'static str,
    words: usize,
    options: &'static [&'static str],
}

pub(super) const RUN: Form =
    Form { name: "run", words: 2, options: &["--grid", "--block", "--lds", "--arg"] };
pub(super) const TRACE: Form = Form {
    name: "trace",
    words: 2,
    options: &["--grid", "--block", "--lds", "--arg", "--at", "--wave", "--lane", "--limit"],
};
pub(super) const DISASM: Form = Form { name: "disasm", words: 2, options: &[] };
pub(super) const REPLAY: Form = Form { name: "replay", words: 1, options: &[] };

#[derive(Debug)]
pub(super) struct Options {
    name: &'static str,
    pub words: Vec<String>,
    options: Vec<(&'static str, String)>,
}

impl Options {
    pub fn parse(args: &[String], form: &Form) -> Outcome<Options> {
        let mut o = Options { name: form.name, words: Vec::new(), options: Vec::new() };
        let mut rest = args.iter();
        while let Some(word) = rest.next() {
            if !word.starts_with("--") {
                if o.words.len() == form.words {
                    return refused(format!("`{word}` is one word too many for {}", form.name));
                }
                o.words.push(word.clone());
                continue;
            }
            let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v)));
            let Some(known) = form.options.iter().find(|k| **k == name) else {
                let known = if form.options.is_empty() { "none".into() } else { form.options.join(", ") };
                return refused(format!("{} has no option {name}; it has: {known}", form.name));
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

    /// A word that must be there.
    pub fn word(&self, n: usize, what: &str) -> Outcome<&str> {
        match self.words.get(n) {
            Some(w) => Ok(w),
            None => refused(format!("{} needs {what} (--help tells more)", self.name)),
        }
    }

    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.options.iter().filter(move |o| o.0 == name).map(|o| o.1.as_str())
    }

    /// A number, or what it is by default.
    pub fn number(&self, name: &str, default: Option<u64>) -> Outcome<Option<u64>> {
        match self.all(name).next() {
            None => Ok(default),
            Some(text) => match bytes(text) {
                Some(n) => Ok(Some(n)),
                None => refused(format!("{name} {text}: a number is expected, such as 64 or 4K")),
            },
        }
    }

    /// One to three sizes that must be there.
    pub fn dim(&self, name: &str) -> Outcome<Dim> {
        match self.all(name).next() {
            Some(text) => dim(name, text, 1),
            None => refused(format!("{} needs {name} X[,Y,Z]", self.name)),
        }
    }
}

/// One to three numbers; `rest` are those that are not given.
pub(super) fn dim(name: &str, text: &str, rest: u32) -> Outcome<Dim> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([x]) => Ok(Dim { x: *x, y: rest, z: rest }),
        Some([x, y]) => Ok(Dim { x: *x, y: *y, z: rest }),
        Some([x, y, z]) => Ok(Dim { x: *x, y: *y, z: *z }),
        _ => refused(format!("{name} {text}: one to three numbers are expected, such as 64 or 16,16")),
    }
}

/// A number of bytes, which may end in K, M or G.
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
    fn sizes_as_people_write_them() {
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
