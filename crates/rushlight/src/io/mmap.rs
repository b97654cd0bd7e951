//! Files mapped into memory. A tensor on the CPU uses the file's pages without a copy if its bytes are aligned.
#![allow(unsafe_code)]
use super::safetensors::{Header, Load, element_dtype};
use super::{at, to_tensor};
use crate::cpu::{Buffer, CpuStorage};
use crate::dtype::Element;
use crate::{DType, Device, Error, Result, Tensor};
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

/// A mapped file.
pub struct MmapedFile {
    path: PathBuf,
    map: Arc<memmap2::Mmap>,
}

impl MmapedFile {
    /// Maps a file.
    ///
    /// # Safety
    /// No process may change or truncate the file while it, or a tensor loaded from it, is in use.
    pub unsafe fn new<P: AsRef<Path>>(path: P) -> Result<Self> {
        let path = path.as_ref();
        at(path, || {
            let (file, len) = super::open(path)?;
            if len > isize::MAX as u64 {
                return Err(Error::msg("the file is larger than the address space"));
            }
            // SAFETY: the caller guarantees that the file does not change.
            let map = unsafe { memmap2::MmapOptions::new().map(&file) }?;
            Ok(Self { path: path.to_path_buf(), map: Arc::new(map) })
        })
    }

    /// Returns the file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Reads the file as safetensors.
    pub fn deserialize(&self) -> Result<SafeTensors<'_>> {
        at(&self.path, || {
            Header::read(&self.map)?;
            Ok(SafeTensors::deserialize(&self.map)?)
        })
    }
}

/// Safetensors files mapped into memory. A tensor is looked up by name in all of them.
///
/// A tensor loaded to the CPU shares the file's memory if its bytes are aligned (as in files written by this crate and
/// by current versions of `safetensors`). The file then stays mapped, and the tensor is copied before its first change
/// in place.
pub struct MmapedSafetensors {
    files: Vec<(MmapedFile, Header)>,
    /// Index of the file that holds a tensor. Of several files, the last.
    routing: HashMap<String, usize>,
}

impl MmapedSafetensors {
    /// Maps one file.
    ///
    /// # Safety
    /// As for [`MmapedFile::new`].
    pub unsafe fn new<P: AsRef<Path>>(path: P) -> Result<Self> {
        // SAFETY: the caller's condition.
        unsafe { Self::multi(&[path]) }
    }

    /// Maps several files. If a name occurs in several files, the tensor of the last file is used.
    ///
    /// # Safety
    /// As for [`MmapedFile::new`].
    pub unsafe fn multi<P: AsRef<Path>>(paths: &[P]) -> Result<Self> {
        let mut out = Self { files: Vec::with_capacity(paths.len()), routing: HashMap::new() };
        for (i, path) in paths.iter().enumerate() {
            // SAFETY: the caller's condition.
            let file = unsafe { MmapedFile::new(path) }?;
            let header = at(&file.path, || Header::read(&file.map))?;
            out.routing.extend(header.names().into_iter().map(|n| (n, i)));
            out.files.push((file, header));
        }
        Ok(out)
    }

    /// Returns names, shapes and bytes of all tensors, file by file, in the order of storage.
    pub fn tensors(&self) -> Vec<(String, TensorView<'_>)> {
        self.files.iter().flat_map(|(file, header)| header.views(&file.map)).collect()
    }

    fn find(&self, name: &str) -> Result<(&MmapedFile, TensorView<'_>)> {
        let missing = || Error::CannotFindTensor { path: name.to_string() }.bt();
        let (file, header) = self.routing.get(name).and_then(|i| self.files.get(*i)).ok_or_else(missing)?;
        Ok((file, at(&file.path, || header.view(&file.map, name))?))
    }

    /// Returns a tensor's dtype, shape and bytes.
    pub fn get(&self, name: &str) -> Result<TensorView<'_>> {
        Ok(self.find(name)?.1)
    }

    /// Loads a tensor to a device. On the CPU it shares the file's memory if its bytes are aligned.
    pub fn load(&self, name: &str, device: &Device) -> Result<Tensor> {
        let (file, view) = self.find(name)?;
        at(&file.path, || match borrow(&file.map, &view)? {
            Some(storage) if device.is_cpu() => to_tensor(storage, view.shape(), device),
            _ => view.load(device),
        })
    }

    /// Returns the metadata texts of all files together.
    pub fn metadata(&self) -> HashMap<String, String> {
        self.files.iter().flat_map(|(_, h)| h.metadata().clone()).collect()
    }
}

/// Returns a storage over the mapped bytes of a tensor, or `None` if they must be copied.
fn borrow(map: &Arc<memmap2::Mmap>, view: &TensorView<'_>) -> Result<Option<CpuStorage>> {
    let dtype = element_dtype(view.dtype())?;
    let bytes = view.data();
    let aligned = (bytes.as_ptr() as usize).is_multiple_of(dtype.size_in_bytes());
    // The bytes of bools must be checked, so bools are copied.
    if dtype == DType::Bool || bytes.is_empty() || !aligned || cfg!(target_endian = "big") {
        return Ok(None);
    }
    crate::cpu::dispatch_all!(dtype, "mmap", T => { Ok(foreign::<T>(map, bytes)) })
}

fn foreign<T: Element>(map: &Arc<memmap2::Mmap>, bytes: &[u8]) -> Option<CpuStorage> {
    let within = map.as_ptr_range();
    let range = bytes.as_ptr_range();
    let size = std::mem::size_of::<T>();
    if range.start < within.start
        || range.end > within.end
        || T::DTYPE == DType::Bool
        || !(range.start as usize).is_multiple_of(size)
    {
        return None;
    }
    let ptr = NonNull::new(range.start.cast_mut())?.cast::<T>();
    // SAFETY: the bytes lie in the mapping (checked), which the boxed `Arc` keeps alive; the caller of `new` guarantees
    // that its file does not change. They are aligned to the element (checked), every bit pattern is a valid element
    // (bools are excluded above), and the buffer is read-only.
    let buffer = unsafe { Buffer::foreign(ptr, bytes.len() / size, Box::new(map.clone()), true) };
    Some(T::into_storage(buffer))
}
