//! Reads and writes NumPy's npy and npz files.
//!
//! Format: [NEP 1](https://numpy.org/neps/nep-0001-npy-format.html), versions 1 to 3; C and Fortran order; either byte
//! order. NumPy has no bfloat16 or float8, and saves `ml_dtypes` arrays of them as the raw types `<V2` and `|V1`. This
//! module does the same, so `np.load(f).view(ml_dtypes.bfloat16)` (or `.float8_e4m3fn`) returns the numbers. The code
//! `<f1`, which some versions write for float8, is also read.
use super::{Archive, at, byte_len, damaged, finish, open, read_storage, to_tensor, write_file};
use crate::{DType, Device, Error, Result, Shape, Tensor};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
const SUFFIX: &str = ".npy";
/// Longer headers are rejected: they belong to structured dtypes.
const MAX_HEADER: usize = 1 << 20;

fn npy(msg: impl std::fmt::Display) -> Error {
    Error::Npy(msg.to_string()).bt()
}

/// A parsed npy header.
#[derive(Debug, Clone, PartialEq)]
struct Header {
    dtype: DType,
    big_endian: bool,
    fortran_order: bool,
    shape: Vec<usize>,
}

/// Returns the dtype, and whether it is big-endian, from NumPy's text for it.
fn parse_descr(descr: &str) -> Result<(DType, bool)> {
    let (order, code) = match descr.as_bytes().first() {
        Some(b'<' | b'>' | b'=' | b'|') => descr.split_at(1),
        _ => ("=", descr),
    };
    let dtype = match code {
        "?" | "b1" => DType::Bool,
        "B" | "u1" => DType::U8,
        "b" | "i1" => DType::I8,
        "H" | "u2" => DType::U16,
        "h" | "i2" => DType::I16,
        "I" | "u4" => DType::U32,
        "i" | "i4" => DType::I32,
        "Q" | "u8" => DType::U64,
        "q" | "i8" => DType::I64,
        "V1" | "f1" => DType::F8E4M3,
        "V2" => DType::BF16,
        "e" | "f2" => DType::F16,
        "f" | "f4" => DType::F32,
        "d" | "f8" => DType::F64,
        "F" | "c8" => DType::C64,
        "D" | "c16" => DType::C128,
        _ => return Err(npy(format_args!("no dtype for the descr '{descr}'"))),
    };
    let big_endian = match order {
        ">" => true,
        "<" => false,
        _ => cfg!(target_endian = "big"),
    };
    Ok((dtype, big_endian))
}

fn descr(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "|b1",
        DType::U8 => "|u1",
        DType::I8 => "|i1",
        DType::U16 => "<u2",
        DType::I16 => "<i2",
        DType::U32 => "<u4",
        DType::I32 => "<i4",
        DType::U64 => "<u8",
        DType::I64 => "<i8",
        DType::F8E4M3 => "|V1",
        DType::BF16 => "<V2",
        DType::F16 => "<f2",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::C64 => "<c8",
        DType::C128 => "<c16",
    }
}

/// A parser of the Python literals in a header.
struct Literal<'a>(&'a str);

impl<'a> Literal<'a> {
    fn bad(&self, wanted: &str) -> Error {
        let rest: String = self.0.chars().take(40).collect();
        npy(format_args!("header: expected {wanted} at '{rest}'"))
    }

    /// Consumes a token, if it comes next.
    fn take(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        match self.0.strip_prefix(token) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.take(token) { Ok(()) } else { Err(self.bad(&format!("'{token}'"))) }
    }

    fn text(&mut self) -> Result<&'a str> {
        let quote = if self.take("'") {
            '\''
        } else if self.take("\"") {
            '"'
        } else {
            return Err(self.bad("a text (structured dtypes are not supported)"));
        };
        let (text, rest) = self.0.split_once(quote).ok_or_else(|| self.bad("the end of a text"))?;
        self.0 = rest;
        Ok(text)
    }

    fn boolean(&mut self) -> Result<bool> {
        if self.take("True") {
            Ok(true)
        } else if self.take("False") {
            Ok(false)
        } else {
            Err(self.bad("True or False"))
        }
    }

    fn number(&mut self) -> Result<usize> {
        self.0 = self.0.trim_start();
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        let n = digits.parse().map_err(|_| self.bad("a dimension"))?;
        // Python 2 wrote an L after long integers.
        self.0 = rest.strip_prefix('L').unwrap_or(rest);
        Ok(n)
    }

    fn shape(&mut self) -> Result<Vec<usize>> {
        let mut dims = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            if dims.len() == crate::shape::MAX_RANK {
                return Err(npy(format_args!("the array has more than {} dimensions", dims.len())));
            }
            dims.push(self.number()?);
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(dims)
    }
}

impl Header {
    fn parse(text: &str) -> Result<Self> {
        let mut lit = Literal(text);
        let (mut dtype, mut order, mut shape) = (None, None, None);
        lit.expect("{")?;
        while !lit.take("}") {
            let key = lit.text()?;
            lit.expect(":")?;
            match key {
                "descr" => dtype = Some(parse_descr(lit.text()?)?),
                "fortran_order" => order = Some(lit.boolean()?),
                "shape" => shape = Some(lit.shape()?),
                _ => return Err(npy(format_args!("header: unknown key '{key}'"))),
            }
            if !lit.take(",") {
                lit.expect("}")?;
                break;
            }
        }
        if !lit.0.trim().is_empty() {
            return Err(lit.bad("nothing more"));
        }
        match (dtype, order, shape) {
            (Some((dtype, big_endian)), Some(fortran_order), Some(shape)) => {
                Ok(Self { dtype, big_endian, fortran_order, shape })
            }
            _ => Err(npy("header: descr, fortran_order or shape is missing")),
        }
    }

    /// Reads magic number, version and header. Returns the header and its length in the file.
    fn read(reader: &mut impl Read, size: u64) -> Result<(Self, u64)> {
        let mut start = [0; 8];
        let short = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => npy("the file ends inside its header"),
            _ => e.into(),
        };
        reader.read_exact(&mut start).map_err(short)?;
        if &start[..6] != MAGIC {
            return Err(npy("not an npy file (the magic string is missing)"));
        }
        let width = match start[6] {
            1 => 2,
            2 | 3 => 4,
            v => return Err(npy(format_args!("version {v} is not supported (1 to 3 are)"))),
        };
        let mut len = [0; 4];
        reader.read_exact(&mut len[..width]).map_err(short)?;
        let len = u32::from_le_bytes(len) as usize;
        let read = (start.len() + width + len) as u64;
        if len > MAX_HEADER || read > size {
            return Err(npy(format_args!("a header of {len} bytes in a file of {size}")));
        }
        let mut text = vec![0; len];
        reader.read_exact(&mut text).map_err(short)?;
        // Versions 1 and 2 are Latin-1, version 3 is UTF-8. All text that is interpreted below is ASCII.
        Ok((Self::parse(&String::from_utf8_lossy(&text))?, read))
    }

    /// Returns the text in NumPy's format, padded so that the data begins at a multiple of 64 bytes.
    fn bytes(&self) -> Result<Vec<u8>> {
        let order = if self.fortran_order { "True" } else { "False" };
        let dims: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let shape = match &dims[..] {
            [one] => format!("({one},)"),
            dims => format!("({})", dims.join(", ")),
        };
        let descr = descr(self.dtype);
        let mut text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        let before = MAGIC.len() + 4;
        let padded = (before + text.len() + 1).next_multiple_of(64) - before;
        text.extend(std::iter::repeat_n(' ', padded - 1 - text.len()));
        text.push('\n');
        let mut out = MAGIC.to_vec();
        out.extend([1, 0]);
        out.extend(u16::try_from(text.len())?.to_le_bytes());
        out.extend(text.into_bytes());
        Ok(out)
    }
}

/// Reads one array of `size` bytes, header included.
fn read_array(reader: &mut impl Read, size: u64) -> Result<Tensor> {
    let (header, read) = Header::read(reader, size)?;
    let bytes = byte_len(&header.shape, header.dtype, "npy")? as u64;
    if bytes > size - read {
        let Header { dtype, shape, .. } = &header;
        let has = size - read;
        return Err(npy(format_args!(
            "shape {shape:?} of {dtype:?} needs {bytes} bytes, the file has {has}"
        )));
    }
    let count = bytes as usize / header.dtype.size_in_bytes();
    let storage = read_storage(reader, header.dtype, count, header.big_endian)?;
    if !header.fortran_order || header.shape.len() < 2 {
        return to_tensor(storage, &header.shape, &Device::Cpu);
    }
    let reversed: Vec<usize> = header.shape.iter().rev().copied().collect();
    let order: Vec<usize> = (0..reversed.len()).rev().collect();
    to_tensor(storage, &reversed, &Device::Cpu)?.permute(order)?.contiguous()
}

fn write_array(t: &Tensor, out: &mut impl Write) -> Result<()> {
    let header =
        Header { dtype: t.dtype(), big_endian: false, fortran_order: false, shape: t.dims().to_vec() };
    out.write_all(&header.bytes()?)?;
    super::safetensors::write_elements(t, out)
}

fn array_name(entry: &str) -> &str {
    entry.strip_suffix(SUFFIX).unwrap_or(entry)
}

fn read_entry<R: Read + Seek>(zip: &mut Archive<R>, entry: &str) -> Result<Tensor> {
    let (mut reader, size) = zip.entry(entry)?;
    let array = read_array(&mut reader, size).map_err(damaged);
    let array = array.and_then(|a| finish(&mut reader).map(|()| a));
    array.map_err(|e| e.context(format_args!("array {}", array_name(entry))))
}

impl Tensor {
    /// Reads an npy file to the CPU. Fortran-ordered and big-endian arrays are converted.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let path = std::env::temp_dir().join(format!("rushlight-doc-{}.npy", std::process::id()));
    /// Tensor::new(&[1i16, -2, 3], &Device::Cpu)?.write_npy(&path)?;
    /// assert_eq!(Tensor::read_npy(&path)?.to_vec1::<i16>()?, [1, -2, 3]);
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn read_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        read_file(path.as_ref())
    }

    /// Reads an npy file's bytes.
    pub fn read_npy_buffer(bytes: &[u8]) -> Result<Self> {
        read_array(&mut &*bytes, bytes.len() as u64)
    }

    /// Reads all arrays of an npz file, with their names, in the file's order.
    pub fn read_npz<P: AsRef<Path>>(path: P) -> Result<Vec<(String, Self)>> {
        read_archive(path.as_ref())
    }

    /// Reads some arrays of an npz file, in the order of the names.
    pub fn read_npz_by_name<P: AsRef<Path>>(path: P, names: &[&str]) -> Result<Vec<Self>> {
        read_entries(path.as_ref(), names)
    }

    /// Writes an npy file (version 1, C order, little-endian).
    pub fn write_npy<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        write_array_to(self, path.as_ref())
    }

    /// Writes arrays and their names to an npz file, uncompressed like `numpy.savez`.
    pub fn write_npz<S: AsRef<str>, T: AsRef<Tensor>, P: AsRef<Path>>(ts: &[(S, T)], path: P) -> Result<()> {
        let ts: Vec<(&str, &Self)> = ts.iter().map(|(name, t)| (name.as_ref(), t.as_ref())).collect();
        write_arrays_to(&ts, path.as_ref())
    }
}

// These functions are not generic, so that they are compiled only here and not in each crate that calls them.

fn read_file(path: &Path) -> Result<Tensor> {
    at(path, || {
        let (file, len) = open(path)?;
        read_array(&mut std::io::BufReader::new(file), len)
    })
}

fn read_archive(path: &Path) -> Result<Vec<(String, Tensor)>> {
    at(path, || {
        let mut zip = Archive::open(path)?;
        let names = zip.names()?.into_iter();
        names.map(|n| Ok((array_name(&n).to_string(), read_entry(&mut zip, &n)?))).collect()
    })
}

fn read_entries(path: &Path, names: &[&str]) -> Result<Vec<Tensor>> {
    at(path, || {
        let mut zip = Archive::open(path)?;
        names.iter().map(|n| read_entry(&mut zip, &format!("{n}{SUFFIX}"))).collect()
    })
}

fn write_array_to(t: &Tensor, path: &Path) -> Result<()> {
    at(path, || write_file(path, |f| write_array(t, f)))
}

fn write_arrays_to(ts: &[(&str, &Tensor)], path: &Path) -> Result<()> {
    at(path, || {
        write_file(path, |f| {
            if f.get_ref().metadata()?.is_file() {
                write_archive(ts, zip::ZipWriter::new(f))
            } else {
                // It is not possible to seek back in a device or a pipe to write an entry's length, so the length
                // follows the entry.
                write_archive(ts, zip::ZipWriter::new_stream(f))
            }
        })
    })
}

fn write_archive<W: Write + Seek>(ts: &[(&str, &Tensor)], mut zip: zip::ZipWriter<W>) -> Result<()> {
    for &(name, t) in ts {
        let bytes = byte_len(t.dims(), t.dtype(), "npz")?;
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .large_file(bytes > u32::MAX as usize - MAX_HEADER);
        zip.start_file(format!("{name}{SUFFIX}"), options)?;
        write_array(t, &mut zip)?;
    }
    zip.finish()?;
    Ok(())
}

/// The arrays of an npz file. Each is read when it is requested.
#[derive(Debug, Clone)]
pub struct NpzTensors {
    /// Names of the arrays and of their entries.
    entries: std::collections::BTreeMap<String, String>,
    path: PathBuf,
}

impl NpzTensors {
    /// Reads the names of the arrays.
    pub fn new<P: AsRef<Path>>(path: P) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let names = at(&path, || Archive::open(&path)?.names())?;
        let entries = names.into_iter().map(|n| (array_name(&n).to_string(), n)).collect();
        Ok(Self { entries, path })
    }

    /// Returns the names of the arrays, sorted.
    pub fn names(&self) -> Vec<&String> {
        self.entries.keys().collect()
    }

    /// Reads shape and dtype of an array from its header.
    pub fn get_shape_and_dtype(&self, name: &str) -> Result<(Shape, DType)> {
        at(&self.path, || {
            let entry = self.entries.get(name);
            let entry = entry.ok_or_else(|| Error::CannotFindTensor { path: name.to_string() }.bt())?;
            let mut zip = Archive::open(&self.path)?;
            let (mut reader, size) = zip.entry(entry)?;
            let (header, _) = Header::read(&mut reader, size).map_err(damaged)?;
            Ok((Shape::from(header.shape), header.dtype))
        })
    }

    /// Reads an array. Returns `None` if the file has no array of that name.
    pub fn get(&self, name: &str) -> Result<Option<Tensor>> {
        let Some(entry) = self.entries.get(name) else { return Ok(None) };
        at(&self.path, || read_entry(&mut Archive::open(&self.path)?, entry)).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_every_dtype_parse_back() {
        for &dtype in DType::ALL {
            for shape in [vec![], vec![3], vec![2, 0, 5]] {
                let h = Header { dtype, big_endian: false, fortran_order: true, shape };
                let bytes = h.bytes().unwrap();
                assert_eq!(bytes.len() % 64, 0);
                assert_eq!(Header::read(&mut &bytes[..], bytes.len() as u64).unwrap().0, h, "{dtype:?}");
            }
        }
    }

    #[test]
    fn bad_headers_are_refused() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<f4'}",
            "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<c32', 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        ] {
            assert!(matches!(Header::parse(text).unwrap_err().root(), Error::Npy(_)), "{text}");
        }
    }
}
