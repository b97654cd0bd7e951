//! Reads the description of kernels in a CUBIN: ELF sections and the attributes of `.nv.info` (records of a format
//! byte, an attribute byte and a 16-bit length or value).
use std::collections::BTreeMap;

/// A kernel as its CUBIN describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Offset and size of each parameter, in order.
    pub parameters: Vec<(u32, u32)>,
    /// Bytes of all parameters.
    pub arguments: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of local memory of each thread, for values that registers do not hold.
    pub stack: u32,
    /// Bytes of shared memory of a block.
    pub shared: u64,
    /// Most threads of a block.
    pub threads: u32,
}

/// Reads a CUBIN.
///
/// # Errors
/// The bytes are not a CUBIN, or it is truncated.
///
/// ```
/// use rushlight_cuda::cubin;
/// assert_eq!(cubin::kernels(b"text").unwrap_err(), "not a CUBIN");
/// ```
pub fn kernels(bytes: &[u8]) -> Result<Vec<Kernel>, String> {
    read(bytes).ok_or_else(|| {
        match bytes.starts_with(b"\x7fELF\x02\x01") && number(bytes, 18, 2) == Some(CUDA) {
            true => "the CUBIN is truncated or has an unknown format".to_string(),
            false => "not a CUBIN".to_string(),
        }
    })
}

/// The memory use of a kernel as the assembler reports it with `--ptxas-options=-v`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of each thread's stack: arrays with dynamic indices, and spilled registers.
    pub stack: u32,
    /// Bytes of spill stores.
    pub stores: u32,
    /// Bytes of spill loads.
    pub loads: u32,
}

/// Reads the memory use of each function from a compilation log, by name.
///
/// ```
/// let log = "ptxas info    : Function properties for add\n\
///     ptxas         .     40 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n";
/// let memory = rushlight_cuda::cubin::memory(log);
/// assert_eq!(memory["add"], rushlight_cuda::cubin::Memory { stack: 40, stores: 8, loads: 12 });
/// ```
pub fn memory(log: &str) -> BTreeMap<String, Memory> {
    let mut all = BTreeMap::new();
    let mut of = None;
    for line in log.lines() {
        if let Some((_, name)) = line.split_once("Function properties for ") {
            of = Some(name.trim().to_string());
        } else if line.contains(" bytes stack frame, ")
            && let Some(name) = of.take()
        {
            let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
            let mut next = || numbers.next().unwrap_or(0);
            all.insert(name, Memory { stack: next(), stores: next(), loads: next() });
        }
    }
    all
}

/// The ELF machine number.
const CUDA: u64 = 190;

// Formats of records, and attributes. NVIDIA's tool cuobjdump prints them by name (EIATTR_...).
const VALUE_16: u64 = 3;
const SIZED: u64 = 4;
const MAX_THREADS: u64 = 0x05;
const MIN_STACK_SIZE: u64 = 0x12;
const KPARAM_INFO: u64 = 0x17;
const CBANK_PARAM_SIZE: u64 = 0x19;
const REGCOUNT: u64 = 0x2f;

fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(len)?)?;
    Some(field.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
}

/// A section: name, type, bytes in the file, size in memory.
struct Section<'a> {
    name: &'a str,
    kind: u64,
    bytes: &'a [u8],
    size: u64,
}

fn text(bytes: &[u8], at: usize) -> Option<&str> {
    let rest = bytes.get(at..)?;
    std::str::from_utf8(&rest[..rest.iter().position(|b| *b == 0)?]).ok()
}

fn sections(bytes: &[u8]) -> Option<Vec<Section<'_>>> {
    if !bytes.starts_with(b"\x7fELF\x02\x01") || number(bytes, 18, 2)? != CUDA {
        return None;
    }
    let field = |at, len| number(bytes, at, len).map(|n| n as usize);
    let (table, entry, count, names) = (field(40, 8)?, field(58, 2)?, field(60, 2)?, field(62, 2)?);
    let range = |i: usize| -> Option<&[u8]> {
        const NOBITS: usize = 8;
        let at = table.checked_add(i.checked_mul(entry)?)?;
        if field(at + 4, 4)? == NOBITS {
            return Some(&[]);
        }
        let (start, len) = (field(at + 24, 8)?, field(at + 32, 8)?);
        bytes.get(start..start.checked_add(len)?)
    };
    let strings = range(names)?;
    (0..count)
        .map(|i| {
            let at = table + i * entry;
            Some(Section {
                name: text(strings, field(at, 4)?)?,
                kind: number(bytes, at + 4, 4)?,
                bytes: range(i)?,
                size: number(bytes, at + 32, 8)?,
            })
        })
        .collect()
}

/// Returns the records of an info section: attribute, and value or payload.
fn records(mut bytes: &[u8]) -> Option<Vec<(u64, u64, &[u8])>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let (format, attribute, low) = (number(bytes, 0, 1)?, number(bytes, 1, 1)?, number(bytes, 2, 2)?);
        let len = if format == SIZED { low as usize } else { 0 };
        let payload = bytes.get(4..4usize.checked_add(len)?)?;
        if matches!(format, VALUE_16 | SIZED) {
            all.push((attribute, low, payload));
        }
        bytes = &bytes[4 + len..];
    }
    Some(all)
}

fn read(bytes: &[u8]) -> Option<Vec<Kernel>> {
    let all = sections(bytes)?;
    let section = |name: &str| all.iter().find(|s| s.name == name);
    // Symbols by number, for records that apply to several kernels.
    let symbols = all.iter().find(|s| s.kind == 2)?;
    let strings = section(".strtab")?.bytes;
    let symbol = |i: u64| text(strings, number(symbols.bytes, i as usize * 24, 4)? as usize);
    let mut kernels = BTreeMap::new();
    for s in &all {
        let Some(name) = s.name.strip_prefix(".nv.info.") else { continue };
        let mut k = Kernel { name: name.to_string(), ..Kernel::default() };
        let mut parameters = Vec::new();
        for (attribute, low, payload) in records(s.bytes)? {
            match attribute {
                KPARAM_INFO => {
                    let (ordinal, offset) = (number(payload, 4, 2)?, number(payload, 6, 2)?);
                    parameters.push((ordinal, offset as u32, (number(payload, 8, 4)? >> 18) as u32));
                }
                CBANK_PARAM_SIZE => k.arguments = low as u32,
                MAX_THREADS => k.threads = number(payload, 0, 4)? as u32,
                _ => {}
            }
        }
        parameters.sort_unstable();
        k.parameters = parameters.into_iter().map(|(_, offset, size)| (offset, size)).collect();
        k.shared = section(&format!(".nv.shared.{name}")).map_or(0, |s| s.size);
        kernels.insert(name, k);
    }
    for (attribute, _, payload) in records(section(".nv.info")?.bytes)? {
        let of = |kernels: &mut BTreeMap<&str, Kernel>, set: fn(&mut Kernel, u32)| -> Option<()> {
            let value = number(payload, 4, 4)? as u32;
            // Records also name functions that are not kernels.
            if let Some(k) = kernels.get_mut(symbol(number(payload, 0, 4)?)?) {
                set(k, value);
            }
            Some(())
        };
        match attribute {
            REGCOUNT => of(&mut kernels, |k, v| k.registers = v)?,
            MIN_STACK_SIZE => of(&mut kernels, |k, v| k.stack = v)?,
            _ => {}
        }
    }
    Some(kernels.into_values().collect())
}
