//! Disassembles a code object: its kernels, their arguments and resources, and their instructions with addresses.
use super::Disassembler;
use super::code::KernelCode;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Equal instructions in a row that are printed before they are counted.
const RUN: usize = 4;

impl Disassembler<'_> {
    /// Returns the processor that the code is for: `gfx1100`.
    pub(crate) fn processor(&self) -> &str {
        self.object.processor()
    }

    /// Returns the lanes of a wave, and the names of the kernels.
    pub(crate) fn kernels(&self) -> (u32, Vec<&str>) {
        let wave = self.object.kernels.first().map_or(32, |k| k.wave);
        (wave, self.object.kernels.iter().map(|k| k.name.as_str()).collect())
    }

    /// Returns the instructions of a kernel, or of all, as text; `None` if the kernel does not exist.
    pub(crate) fn listing(&self, kernel: Option<&str>) -> Option<String> {
        let mut names: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for s in self.object.symbols.iter().filter(|s| s.kind == 2) {
            names.entry(s.at).or_default().push(format!("{}:", s.name));
        }
        for k in &self.object.kernels {
            // A kernel's line says more than its symbol's.
            let at = names.entry(k.entry).or_default();
            at.retain(|n| n.strip_suffix(':') != Some(&k.name));
            at.push(headline(k));
        }
        let mut text = String::new();
        for s in self.object.segments.iter().filter(|s| s.executable) {
            let (mut from, mut to) = (s.at, s.at + s.len);
            if let Some(name) = kernel {
                let k = self.object.kernels.iter().find(|k| k.name == name)?;
                if !(from..to).contains(&k.entry) {
                    continue;
                }
                let size = self.object.symbols.iter().find(|s| s.kind == 2 && s.at == k.entry);
                let next = names.range(k.entry + 1..to).next().map(|n| *n.0);
                (from, to) = match size.filter(|s| s.size > 0) {
                    Some(symbol) => (k.entry, k.entry.saturating_add(symbol.size).min(to)),
                    None => (k.entry, next.unwrap_or(to)),
                };
            }
            self.range(from, to, &names, &mut text);
        }
        Some(text)
    }

    fn range(&self, from: usize, to: usize, names: &BTreeMap<usize, Vec<String>>, text: &mut String) {
        let mut at = from;
        let (mut last, mut again) = (String::new(), 0);
        let mut print = |text: &mut String, at: usize, line: String, named: bool| {
            again = if line == last && !named { again + 1 } else { 0 };
            last = line;
            if again < RUN {
                let _ = writeln!(text, "  {at:#06x}  {last}");
            } else if again == RUN {
                text.push_str("  ..\n");
            }
        };
        while at < to {
            for name in names.get(&at).into_iter().flatten() {
                let _ = writeln!(text, "{}{name}", if text.is_empty() { "" } else { "\n" });
            }
            let (line, len) = match self.at(at) {
                Ok(line) if line.executable => (line.text, line.len),
                Ok(line) => (format!("{}  ; not supported by the engine", line.text), line.len),
                Err(_) => match self.word(at) {
                    Some(word) => (format!(".long {word:#010x}  ; unknown instruction"), 4),
                    None => return,
                },
            };
            print(text, at, line, names.contains_key(&at));
            at += len.max(4);
        }
    }

    /// Returns the word at an address of the code.
    fn word(&self, at: usize) -> Option<u32> {
        let s = self.object.segments.iter().find(|s| s.executable && s.at <= at && at - s.at + 4 <= s.len)?;
        crate::support::elf::number(self.image, s.file + at - s.at, 4).map(|n| n as u32)
    }
}

/// Describes a kernel and its resources.
fn headline(k: &KernelCode) -> String {
    let own = || k.args.iter().filter(|a| !a.hidden());
    let mut args = own().map(|a| match a.kind.as_str() {
        "global_buffer" => "pointer".to_string(),
        _ => format!("{} bytes", a.size),
    });
    let first = args.next().unwrap_or("none".into());
    let args = args.fold(first, |all, a| format!("{all}, {a}"));
    let explicit = own().map(|a| a.offset + a.size).max().unwrap_or(0);
    format!(
        "{}:  ; waves of {}, at most {} threads a block, {} bytes of LDS, {} of scratch, {} vector registers\n\
         {}   ; arguments: {args} ({explicit} of {} bytes)",
        k.name,
        k.wave,
        k.max_threads,
        k.lds,
        k.scratch,
        k.vectors,
        " ".repeat(k.name.chars().count()),
        k.kernarg,
    )
}
