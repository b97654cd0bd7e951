//! AMD code objects: segments to load, kernels, and how kernels are started.
use super::msgpack::Value;
use crate::support::elf::{self, Section};

/// Offsets in a kernel descriptor: the entry, the three resource words, the properties.
const ENTRY: usize = 16;
const RSRC3: usize = 44;
const PROPERTIES: usize = 56;
const DESCRIPTOR: usize = 64;

/// An argument of a kernel, as the notes describe it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arg {
    pub offset: usize,
    pub size: usize,
    /// `by_value`, `global_buffer`, `hidden_block_count_x`, ..
    pub kind: String,
}

impl Arg {
    /// Returns whether the runtime fills it, not the caller.
    pub fn hidden(&self) -> bool {
        self.kind.starts_with("hidden_")
    }
}

#[derive(Clone, Debug)]
pub(crate) struct KernelCode {
    pub name: String,
    pub args: Vec<Arg>,
    /// Bytes of all arguments, including hidden ones.
    pub kernarg: usize,
    /// Bytes of LDS that the kernel declares, and of scratch memory for each lane.
    pub lds: usize,
    pub scratch: usize,
    pub wave: u32,
    pub max_threads: u32,
    /// Vector registers in use.
    pub vectors: usize,
    /// Accumulation registers.
    pub accumulators: usize,
    /// Vector registers with the accumulation registers of one file, as the notes count them, and scalar registers.
    pub registers: usize,
    pub scalars: usize,
    /// Address of the first instruction in the image.
    pub entry: usize,
    pub rsrc1: u32,
    pub rsrc2: u32,
    pub properties: u16,
}

/// A range of bytes in the file with its address in the image.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub at: usize,
    pub file: usize,
    pub len: usize,
    pub memory: usize,
    pub executable: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub name: String,
    pub at: usize,
    pub size: usize,
    pub kind: u8,
}

/// A word of the image that depends on the load address.
#[derive(Clone, Debug)]
pub(crate) struct Relocation {
    pub at: usize,
    pub kind: u32,
    /// The address of the symbol in the image, if the image defines it.
    pub symbol: Option<usize>,
    pub addend: i64,
}

#[derive(Debug)]
pub(crate) struct CodeObject {
    /// The target in the notes: `amdgcn-amd-amdhsa--gfx1100`.
    pub target: String,
    pub segments: Vec<Segment>,
    pub symbols: Vec<Symbol>,
    pub relocations: Vec<Relocation>,
    pub kernels: Vec<KernelCode>,
    /// Bytes from the image's first address to its last.
    pub size: usize,
}

struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    fn number(&self, at: usize, len: usize) -> Option<usize> {
        elf::number(self.0, at, len)
    }
    fn bytes(&self, at: usize, len: usize) -> Option<&'a [u8]> {
        self.0.get(at..at.checked_add(len)?)
    }
    fn text(&self, at: usize) -> Option<&'a str> {
        let rest = self.0.get(at..)?;
        std::str::from_utf8(&rest[..rest.iter().position(|b| *b == 0)?]).ok()
    }
}

/// Reads a code object, or returns why it is invalid.
pub(crate) fn parse(bytes: &[u8]) -> Result<CodeObject, String> {
    let f = File(bytes);
    let header = || {
        if !bytes.starts_with(b"\x7fELF\x02\x01") || f.number(18, 2)? != 224 {
            return None;
        }
        Some((bytes[7], bytes[8]))
    };
    let (abi, version) = header().ok_or("it is not an AMDGPU code object")?;
    if abi != 64 || !(2..=4).contains(&version) {
        return Err(format!(
            "its ABI is {abi} version {version}; supported are HSA's 2 to 4 (code objects v4 to v6)"
        ));
    }
    let segments = segments(&f).ok_or("its program headers are damaged")?;
    let sections = elf::sections(bytes).ok_or("its section headers are damaged")?;
    let symbols = symbols(&f, &sections).ok_or("its symbols are damaged")?;
    let relocations = relocations(&f, &sections, &symbols).ok_or("its relocations are damaged")?;
    let note = note(&f, &sections).ok_or("it has no notes")?;
    let target = note.text("amdhsa.target").unwrap_or_default().to_string();
    let mut kernels = Vec::new();
    for k in note.list("amdhsa.kernels") {
        let name = k.text(".name").unwrap_or_default();
        let kernel = kernel(&f, &segments, &symbols, k);
        kernels.push(
            kernel.ok_or(format!("its notes and the descriptor of kernel `{name}` contradict each other"))?,
        );
    }
    let size = segments.iter().map(|s| s.at + s.memory).max().unwrap_or(0);
    Ok(CodeObject {
        target,
        segments,
        symbols: symbols.into_iter().flatten().collect(),
        relocations,
        kernels,
        size,
    })
}

fn segments(f: &File<'_>) -> Option<Vec<Segment>> {
    let (at, size, count) = (f.number(32, 8)?, f.number(54, 2)?, f.number(56, 2)?);
    let mut all = Vec::new();
    for i in 0..count {
        let p = at + i * size;
        let s = Segment {
            at: f.number(p + 16, 8)?,
            file: f.number(p + 8, 8)?,
            len: f.number(p + 32, 8)?,
            memory: f.number(p + 40, 8)?,
            executable: f.number(p + 4, 4)? & 1 == 1,
        };
        if f.number(p, 4)? == 1 {
            f.bytes(s.file, s.len)?;
            // Images are small: a larger size means a damaged header.
            (s.len <= s.memory && s.at.checked_add(s.memory)? < 1 << 32).then_some(())?;
            all.push(s);
        }
    }
    Some(all)
}

/// Returns the dynamic symbols by number; `None` for undefined ones.
fn symbols(f: &File<'_>, sections: &[Section]) -> Option<Vec<Option<Symbol>>> {
    let Some(table) = sections.iter().find(|s| s.kind == 11) else { return Some(Vec::new()) };
    let names = sections.get(table.link)?.at;
    (0..table.len / 24)
        .map(|i| {
            let s = table.at + i * 24;
            let info = f.number(s + 4, 1)?;
            let symbol = Symbol {
                name: f.text(names + f.number(s, 4)?)?.to_string(),
                at: f.number(s + 8, 8)?,
                size: f.number(s + 16, 8)?,
                kind: info as u8 & 15,
            };
            Some((f.number(s + 6, 2)? != 0).then_some(symbol))
        })
        .collect()
}

fn relocations(f: &File<'_>, sections: &[Section], symbols: &[Option<Symbol>]) -> Option<Vec<Relocation>> {
    let mut all = Vec::new();
    for table in sections.iter().filter(|s| s.kind == 4) {
        for i in 0..table.len / 24 {
            let r = table.at + i * 24;
            let symbol = symbols.get(f.number(r + 12, 4)?).and_then(|s| s.as_ref());
            all.push(Relocation {
                at: f.number(r, 8)?,
                kind: f.number(r + 8, 4)? as u32,
                symbol: symbol.map(|s| s.at),
                addend: f.number(r + 16, 8)? as i64,
            });
        }
    }
    Some(all)
}

/// Returns the metadata note.
fn note<'a>(f: &File<'a>, sections: &[Section]) -> Option<Value<'a>> {
    for s in sections.iter().filter(|s| s.kind == 7) {
        let mut at = s.at;
        while at + 12 <= s.at + s.len {
            let (name, len, kind) = (f.number(at, 4)?, f.number(at + 4, 4)?, f.number(at + 8, 4)?);
            let value = at + 12 + name.next_multiple_of(4);
            if kind == 32 {
                return Value::read(f.bytes(value, len)?);
            }
            at = value + len.next_multiple_of(4);
        }
    }
    None
}

/// Additional scratch memory for each lane of a kernel with recursion or indirect calls. (LLVM itself adds the same
/// in code objects of version 4.)
const STACK: usize = 16 << 10;

fn kernel(
    f: &File<'_>,
    segments: &[Segment],
    symbols: &[Option<Symbol>],
    note: &Value<'_>,
) -> Option<KernelCode> {
    let name = note.text(".name")?;
    let symbol = note.text(".symbol")?;
    let found = symbols.iter().flatten().find(|s| s.name == symbol)?;
    let segment = segments.iter().find(|s| s.at <= found.at && found.at + DESCRIPTOR <= s.at + s.len)?;
    let d = segment.file + found.at - segment.at;
    let entry = f.number(d + ENTRY, 8)? as u64 as i64;
    let properties = f.number(d + PROPERTIES, 2)? as u16;
    let args = note.list(".args").iter().map(|a| {
        Some(Arg {
            offset: a.int(".offset")? as usize,
            size: a.int(".size")? as usize,
            kind: a.text(".value_kind")?.to_string(),
        })
    });
    let args = args.collect::<Option<Vec<_>>>()?;
    let kernarg = note.int(".kernarg_segment_size")? as usize;
    args.iter().all(|a| a.size <= kernarg && a.offset <= kernarg - a.size).then_some(())?;
    Some(KernelCode {
        name: name.to_string(),
        args,
        kernarg,
        lds: note.int(".group_segment_fixed_size")? as usize,
        scratch: note.int(".private_segment_fixed_size")? as usize
            + if note.is(".uses_dynamic_stack") { STACK } else { 0 },
        wave: note.int(".wavefront_size")? as u32,
        max_threads: note.int(".max_flat_workgroup_size")? as u32,
        vectors: (note.int(".vgpr_count")? as usize).min(256),
        accumulators: note.int(".agpr_count").map_or(0, |n| n as usize).min(256),
        registers: note.int(".vgpr_count")? as usize,
        scalars: note.int(".sgpr_count").map_or(0, |n| n as usize),
        entry: usize::try_from(found.at as i64 + entry).ok()?,
        rsrc1: f.number(d + RSRC3 + 4, 4)? as u32,
        rsrc2: f.number(d + RSRC3 + 8, 4)? as u32,
        properties,
    })
}

impl CodeObject {
    /// Returns the name of the processor: `gfx1100` of `amdgcn-amd-amdhsa--gfx1100`.
    pub fn processor(&self) -> &str {
        let id = self.target.rsplit("--").next().unwrap_or_default();
        id.split(':').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_clangs_code_objects() {
        // As `llvm-readelf --notes` prints them: kernel, vector registers, scalar registers.
        let gfx90a: &[u8] = include_bytes!("../../../tests/data/gfx90a.co");
        let gfx942: &[u8] = include_bytes!("../../../tests/data/gfx942.co");
        for (bytes, wanted) in [
            (gfx90a, [("add", 8, 12), ("down", 6, 10), ("all", 7, 20)]),
            (gfx942, [("add", 8, 14), ("down", 6, 10), ("all", 4, 22)]),
        ] {
            let object = parse(bytes).expect("a code object");
            let found = object.kernels.iter().map(|k| (k.name.as_str(), k.registers, k.scalars));
            assert_eq!(found.collect::<Vec<_>>(), wanted);
            assert!(object.kernels.iter().all(|k| k.wave == 64 && k.lds == 0));
        }
    }
}
