//! Reading and writing files of tensors: safetensors, npy and npz, and PyTorch's pth (reading only).
//!
//! A size stated in a file is checked against the file's length before memory is allocated, and nothing in a file is
//! ever executed. Files are written in little-endian order; npy and pth files in big-endian order are converted.
mod mmap;
pub mod npy;
pub mod pickle;
pub mod safetensors;
mod unpickle;

use crate::cpu::CpuStorage;
use crate::{DType, Device, Error, Result, Shape, Tensor};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

/// Returns the size in bytes of a shape's elements, or an error on overflow.
fn byte_len(shape: &[usize], dtype: DType, op: &'static str) -> Result<usize> {
    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    let bytes = count.and_then(|n| n.checked_mul(dtype.size_in_bytes()));
    bytes
        .filter(|b| *b <= isize::MAX as usize)
        .ok_or_else(|| Error::SizeOverflow { op, shape: Shape::from(shape) }.bt())
}

/// Reverses the bytes of every number (both parts of a complex one).
fn swap_bytes(bytes: &mut [u8], dtype: DType) {
    let part = dtype.real_part().size_in_bytes();
    if part > 1 {
        bytes.chunks_exact_mut(part).for_each(<[u8]>::reverse);
    }
}

/// Reads `len` elements. The caller has checked that the source has enough bytes.
fn read_storage(reader: &mut impl Read, dtype: DType, len: usize, big_endian: bool) -> Result<CpuStorage> {
    if dtype == DType::Bool {
        // A bool must never hold a byte other than 0 and 1, not even temporarily.
        let mut bytes = vec![0; len];
        reader.read_exact(&mut bytes)?;
        return CpuStorage::from_bytes(dtype, &bytes);
    }
    let mut storage = CpuStorage::uninit(dtype, len)?;
    let bytes = crate::cpu::driver::bytes_mut(&mut storage)?;
    reader.read_exact(bytes)?;
    if big_endian != cfg!(target_endian = "big") {
        swap_bytes(bytes, dtype);
    }
    Ok(storage)
}

/// Returns a tensor on a device with the elements of a host storage.
fn to_tensor(storage: CpuStorage, shape: &[usize], device: &Device) -> Result<Tensor> {
    let shape = Shape::from(shape);
    if storage.len() != shape.elem_count() {
        return Err(Error::ShapeMismatch { buffer_size: storage.len(), shape }.bt());
    }
    Tensor::from_parts(device.backend().upload(storage)?, shape, device)
}

/// Opens a file, and returns it with its length in bytes.
fn open(path: &Path) -> Result<(std::fs::File, u64)> {
    let file = std::fs::File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory).into());
    }
    Ok((file, meta.len()))
}

/// Runs `f`, a function that reads a file, and adds the file's path to its errors.
fn at<T>(path: &Path, f: impl FnOnce() -> Result<T>) -> Result<T> {
    f().map_err(|e| match e {
        Error::WithPath { .. } => e,
        e => e.with_path(path),
    })
}

/// Writes a file under a temporary name and renames it. A failure then leaves the old file unchanged, and processes
/// that have the old file mapped do not see a change. A symbolic link is kept, and the file that it points to is
/// replaced. A device or a pipe cannot be replaced, and is written directly.
fn write_file(path: &Path, f: impl FnOnce(&mut Output) -> Result<()>) -> Result<()> {
    use std::io::Write;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let path = behind_links(path)?;
    let write = |file| {
        let mut writer = Output::with_capacity(1 << 20, file);
        f(&mut writer)?;
        Ok(writer.flush()?)
    };
    match std::fs::metadata(&path) {
        Ok(meta) if meta.is_dir() => {
            return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory).into());
        }
        Ok(meta) if !meta.is_file() => return write(std::fs::OpenOptions::new().write(true).open(&path)?),
        _ => {}
    }
    let name = path.file_name().ok_or_else(|| std::io::Error::from(std::io::ErrorKind::InvalidInput))?;
    let mut temp = std::ffi::OsString::from(".");
    temp.push(name);
    temp.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Relaxed)));
    let temp = path.with_file_name(temp);
    let written = std::fs::File::create_new(&temp).map_err(Error::from).and_then(|file| {
        write(file)?;
        Ok(std::fs::rename(&temp, &path)?)
    });
    if written.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&temp);
    }
    written
}

/// Writes a file with `f` under a temporary name, and renames it when it is complete.
///
/// # Errors
/// Those of `f` and of the operating system.
pub fn replace_file(
    path: &Path,
    f: impl FnOnce(&mut std::io::BufWriter<std::fs::File>) -> Result<()>,
) -> Result<()> {
    at(path, || write_file(path, f))
}

/// Follows a chain of symbolic links to its end. The path returned need not exist.
fn behind_links(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_path_buf();
    // The same limit as in Linux.
    for _ in 0..40 {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().map_or(target.clone(), |dir| dir.join(&target)),
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("too many symbolic links").into())
}

/// A file that is being written.
type Output = std::io::BufWriter<std::fs::File>;

/// Converts an error that occurred while an archive entry was read. An I/O error that does not come from the operating
/// system (a wrong checksum, a damaged stream) becomes an error of the archive.
fn damaged(e: impl Into<Error>) -> Error {
    match e.into() {
        Error::Io(io) if io.raw_os_error().is_none() => {
            Error::Zip(zip::result::ZipError::InvalidArchive(io.to_string().into())).bt()
        }
        e => e,
    }
}

/// Reads to the end of an entry, where its checksum is compared.
fn finish(entry: &mut impl Read) -> Result<()> {
    std::io::copy(entry, &mut std::io::sink()).map(|_| ()).map_err(damaged)
}

/// A zip archive, and the length of its file in bytes.
struct Archive<R> {
    zip: zip::ZipArchive<R>,
    len: u64,
}

impl Archive<std::io::BufReader<std::fs::File>> {
    fn open(path: &Path) -> Result<Self> {
        let (file, len) = open(path)?;
        Ok(Self { zip: zip::ZipArchive::new(std::io::BufReader::new(file))?, len })
    }
}

impl<R: Read + Seek> Archive<R> {
    /// Names of all entries, in the archive's order.
    fn names(&self) -> Result<Vec<String>> {
        let names = self.zip.file_names();
        names.map(|n| Ok(n?.into_owned())).collect()
    }

    /// Opens an entry by name, and returns it with its size. Fails if the archive's bytes cannot hold that size.
    fn entry(&mut self, name: &str) -> Result<(zip::read::ZipFile<'_, R>, u64)> {
        let index = self.zip.index_for_name(name);
        let index = index.ok_or_else(|| Error::CannotFindTensor { path: name.to_string() }.bt())?;
        let len = self.len;
        let entry = self.zip.by_index(index)?;
        // Deflate expands a byte to 1,032 bytes at most.
        let most = entry.compressed_size().min(len).saturating_mul(1032).saturating_add(64);
        if entry.size() > most {
            return Err(Error::msg(format_args!("zip entry {name}: states {} bytes", entry.size())));
        }
        let size = entry.size();
        Ok((entry, size))
    }
}
