//! Parses kernel arguments of the command line.
use super::options::bytes;
use super::{Outcome, read, refused};
use crate::device::gpu::Gpu;
use crate::device::memory::Kind;
use std::path::{Path, PathBuf};

/// An argument, or a member of a struct.
#[derive(Debug, PartialEq)]
enum Piece {
    /// The bytes, and their alignment.
    Value(Vec<u8>, usize),
    /// A buffer with its size in bytes, its initial contents, and its use afterwards.
    Buffer {
        source: Source,
        after: After,
    },
    Struct(Vec<Piece>),
}

#[derive(Debug, PartialEq)]
enum Source {
    File(PathBuf),
    Fresh(usize),
    Zeros(usize),
}

#[derive(Debug, PartialEq)]
pub(super) enum After {
    Nothing,
    Shown,
    File(PathBuf),
}

/// A buffer in device memory.
pub(super) struct Buffer {
    /// The argument's text.
    pub text: String,
    pub at: usize,
    pub len: usize,
    pub after: After,
}

const KINDS: &str =
    "u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 hex in out inout zero, or {..} (see --help)";

fn integer<T: TryFrom<i128>>(text: &str) -> Option<T> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |d| (-1, d));
    let n = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()? as i128,
        None => digits.parse::<u64>().ok()? as i128,
    };
    T::try_from(sign * n).ok()
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    let digits = digits.filter(|d| d.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|p| p[0] << 4 | p[1]).collect())
}

/// Parses a value of a kind; `None` if the text is invalid.
fn value(kind: &str, text: &str) -> Option<Vec<u8>> {
    Some(match kind {
        "u8" => integer::<u8>(text)?.to_le_bytes().to_vec(),
        "i8" => integer::<i8>(text)?.to_le_bytes().to_vec(),
        "u16" => integer::<u16>(text)?.to_le_bytes().to_vec(),
        "i16" => integer::<i16>(text)?.to_le_bytes().to_vec(),
        "u32" => integer::<u32>(text)?.to_le_bytes().to_vec(),
        "i32" => integer::<i32>(text)?.to_le_bytes().to_vec(),
        "u64" => integer::<u64>(text)?.to_le_bytes().to_vec(),
        "i64" => integer::<i64>(text)?.to_le_bytes().to_vec(),
        "f16" => half::f16::from_f64(text.parse().ok()?).to_le_bytes().to_vec(),
        "bf16" => half::bf16::from_f64(text.parse().ok()?).to_le_bytes().to_vec(),
        "f32" => text.parse::<f32>().ok()?.to_le_bytes().to_vec(),
        "f64" => text.parse::<f64>().ok()?.to_le_bytes().to_vec(),
        _ => return None,
    })
}

/// Splits the members of a struct at commas outside of inner braces.
fn members(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&text[from..i]);
                from = i + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    all.push(&text[from..]);
    (depth == 0).then_some(all)
}

/// The deepest nesting of braces.
const DEPTH: usize = 16;

fn piece(text: &str, depth: usize) -> Outcome<Piece> {
    if let Some(inner) = text.strip_prefix('{') {
        let inner = inner.strip_suffix('}').filter(|_| depth < DEPTH);
        let Some(list) = inner.and_then(members) else {
            return refused(format!("--arg {text}: unbalanced braces"));
        };
        return Ok(Piece::Struct(list.into_iter().map(|m| piece(m, depth + 1)).collect::<Outcome<_>>()?));
    }
    let Some((kind, rest)) = text.split_once(':') else {
        return refused(format!("--arg {text}: expected KIND:VALUE with one of the kinds {KINDS}"));
    };
    let file = |name: &str| match name {
        "" => refused(format!("--arg {text}: the file name is missing")),
        name => Ok(PathBuf::from(name)),
    };
    let size = |n: &str| match bytes(n).and_then(|n| usize::try_from(n).ok()) {
        Some(n) => Ok(n),
        None => refused(format!("--arg {text}: expected a number of bytes, such as 4096 or 4K")),
    };
    let (first, second) = rest.split_once(':').map_or((rest, None), |(a, b)| (a, Some(b)));
    match kind {
        "in" => Ok(Piece::Buffer { source: Source::File(file(rest)?), after: After::Nothing }),
        "inout" => {
            let (from, to) = (file(first)?, file(second.unwrap_or(first))?);
            Ok(Piece::Buffer { source: Source::File(from), after: After::File(to) })
        }
        "out" => {
            let after = second.map_or(Ok(After::Shown), |name| file(name).map(After::File))?;
            Ok(Piece::Buffer { source: Source::Fresh(size(first)?), after })
        }
        "zero" => Ok(Piece::Buffer { source: Source::Zeros(size(rest)?), after: After::Nothing }),
        "hex" => match hex(rest) {
            Some(bytes) => Ok(Piece::Value(bytes, 1)),
            None => refused(format!("--arg {text}: expected pairs of hexadecimal digits")),
        },
        _ => match value(kind, rest) {
            Some(bytes) => {
                let align = bytes.len();
                Ok(Piece::Value(bytes, align))
            }
            None if KINDS.split(' ').any(|k| k == kind) => {
                refused(format!("--arg {text}: `{rest}` is not a valid {kind}"))
            }
            None => refused(format!("--arg {text}: `{kind}` is not one of {KINDS}")),
        },
    }
}

impl Piece {
    /// Returns the bytes and the alignment, and allocates buffers.
    fn lower(self, text: &str, gpu: &mut Gpu, buffers: &mut Vec<Buffer>) -> Outcome<(Vec<u8>, usize)> {
        match self {
            Piece::Value(bytes, align) => Ok((bytes, align)),
            Piece::Struct(list) => {
                let (mut all, mut most) = (Vec::new(), 1);
                for p in list {
                    let (bytes, align) = p.lower(text, gpu, buffers)?;
                    all.resize(all.len().next_multiple_of(align), 0);
                    all.extend(bytes);
                    most = most.max(align);
                }
                all.resize(all.len().next_multiple_of(most), 0);
                Ok((all, most))
            }
            Piece::Buffer { source, after } => {
                let (len, contents) = match &source {
                    Source::File(path) => read(path).map(|b| (b.len(), b))?,
                    Source::Fresh(len) | Source::Zeros(len) => (*len, Vec::new()),
                };
                // As in hipMalloc, an empty buffer has the address 0.
                let at = match len {
                    0 => 0,
                    _ => gpu.alloc(len, Kind::Device, 0).or_else(|_| {
                        refused(format!(
                            "--arg {text}: the device has too little memory for {len} bytes (RUSHLIGHT_VGPU_MEM)"
                        ))
                    })?,
                };
                let device = at as *mut u8;
                match source {
                    // SAFETY: the block just allocated, of this size.
                    Source::File(_) if len > 0 => unsafe { device.copy_from(contents.as_ptr(), len) },
                    // SAFETY: as above.
                    Source::Zeros(_) if len > 0 => unsafe { device.write_bytes(0, len) },
                    _ => {}
                }
                if !matches!(source, Source::Fresh(_)) {
                    crate::support::written::followed().into_iter().for_each(|mut w| w.wrote(at, len));
                }
                buffers.push(Buffer { text: text.to_string(), at, len, after });
                Ok((at.to_le_bytes().to_vec(), 8))
            }
        }
    }
}

/// Packs a kernel's arguments with their sizes and alignments; returns the bytes, and the buffers they point to.
pub(super) fn pack<'a>(
    kernel: &str,
    sizes: &[(usize, usize)],
    texts: impl Iterator<Item = &'a str>,
    gpu: &mut Gpu,
) -> Outcome<(Vec<u8>, Vec<Buffer>)> {
    let texts: Vec<&str> = texts.collect();
    if texts.len() != sizes.len() {
        let takes: Vec<String> = sizes.iter().map(|s| s.0.to_string()).collect();
        let takes = if takes.is_empty() { "none".into() } else { format!("of {} bytes", takes.join(", ")) };
        return refused(format!(
            "kernel `{kernel}` takes {} arguments ({takes}), got {} by --arg",
            sizes.len(),
            texts.len()
        ));
    }
    let pieces = texts.iter().map(|t| piece(t, 0)).collect::<Outcome<Vec<_>>>()?;
    let (offsets, len) = crate::device::module::offsets(sizes);
    let (mut packed, mut buffers) = (vec![0; len], Vec::new());
    for (n, p) in pieces.into_iter().enumerate() {
        let (bytes, _) = p.lower(texts[n], gpu, &mut buffers)?;
        if bytes.len() != sizes[n].0 {
            return refused(format!(
                "--arg {}: got {} bytes, argument {} of kernel `{kernel}` has {}",
                texts[n],
                bytes.len(),
                n + 1,
                sizes[n].0
            ));
        }
        packed[offsets[n]..offsets[n] + bytes.len()].copy_from_slice(&bytes);
    }
    Ok((packed, buffers))
}

impl Buffer {
    /// Returns the contents.
    pub fn contents(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: a block of the device that is never freed, and no kernel runs while it is borrowed.
        unsafe { std::slice::from_raw_parts(self.at as *const u8, self.len) }
    }
}

/// Writes a file, or returns why it cannot be written.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Outcome {
    std::fs::write(path, bytes).or_else(|e| refused(format!("{} cannot be written: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded() {
        for (text, bytes) in [
            ("u32:5", vec![5, 0, 0, 0]),
            ("i16:-2", vec![0xfe, 0xff]),
            ("u64:0xff", vec![0xff, 0, 0, 0, 0, 0, 0, 0]),
            ("f32:1.5", vec![0, 0, 0xc0, 0x3f]),
            ("f16:1.5", vec![0, 0x3e]),
            ("bf16:-1", vec![0x80, 0xbf]),
            ("hex:00fF", vec![0, 0xff]),
        ] {
            match piece(text, 0) {
                Ok(Piece::Value(got, _)) => assert_eq!(got, bytes, "{text}"),
                _ => panic!("{text}"),
            }
        }
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        let deep = "{".repeat(100) + &"}".repeat(100);
        for text in [
            "", "5", "u32:", "u8:256", "i8:-129", "u32:-1", "f32:x", "hex:0", "hex:é", "in:", "out:x",
            "zero:-1",
        ]
        .into_iter()
        .chain(["out:4:", "inout:", "{u32:5", "{u32:5}}", "{{u32:5}", "{}", "u128:1", deep.as_str()])
        {
            assert!(matches!(piece(text, 0), Err(super::super::Stop::Refused(_))), "{text}");
        }
    }
}
