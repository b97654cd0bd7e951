//! Reads and writes the safetensors format.
//!
//! Every dtype is stored as the safetensors dtype of the same meaning. Tensors are written in an order that keeps each
//! of them aligned. The texts of `__metadata__` are written, too, if there are any.
use super::{at, byte_len, read_storage, to_tensor, write_file};
use crate::{DType, Device, Error, Result, Tensor};
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, Metadata, TensorInfo, TensorView};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{Read, Write};
use std::path::Path;

pub use super::mmap::{MmapedFile, MmapedSafetensors};

/// Size in bytes of the number at the start of a file, which is the header's length.
const PREFIX: usize = 8;
/// Size in bytes of the longest header that is read, as in the `safetensors` crate.
const MAX_HEADER: u64 = 100_000_000;

macro_rules! dtypes {
    ($($ours:ident $theirs:ident),*) => {
        impl TryFrom<DType> for Dtype {
            type Error = Error;
            fn try_from(dtype: DType) -> Result<Self> {
                match dtype {
                    $(DType::$ours => Ok(Dtype::$theirs),)*
                    other => Err(Error::invalid(
                        "safetensors",
                        format!("the format has no {}; save the real and the imaginary parts", other.long_name()),
                    )),
                }
            }
        }

        impl TryFrom<Dtype> for DType {
            type Error = Error;
            fn try_from(dtype: Dtype) -> Result<Self> {
                match dtype {
                    $(Dtype::$theirs => Ok(DType::$ours),)*
                    other => Err(Error::UnsupportedSafeTensorDtype(other).bt()),
                }
            }
        }
    };
}
dtypes!(Bool BOOL, U8 U8, I8 I8, U16 U16, I16 I16, U32 U32, I32 I32, U64 U64, I64 I64, F8E4M3 F8_E4M3, BF16 BF16,
    F16 F16, F32 F32, F64 F64, C64 C64);

pub(super) fn element_dtype(dtype: Dtype) -> Result<DType> {
    DType::try_from(dtype)
}

/// The header of a file.
#[derive(Debug)]
pub(super) struct Header {
    tensors: Metadata,
    /// Texts of `__metadata__`, in the standard library's map: the type of the crate's map depends on its features.
    metadata: HashMap<String, String>,
    /// Offset of the first tensor's bytes in the file.
    start: usize,
}

impl Header {
    /// Returns the length of the header's text, checked against the length of the file.
    fn text_len(prefix: [u8; PREFIX], file_len: u64) -> Result<usize> {
        let len = u64::from_le_bytes(prefix);
        if len > MAX_HEADER {
            return Err(SafeTensorError::HeaderTooLarge.into());
        }
        if len + PREFIX as u64 > file_len {
            return Err(SafeTensorError::InvalidHeaderLength.into());
        }
        Ok(len as usize)
    }

    /// Parses the header's text, and checks that the tensors fill the rest of the file exactly.
    fn parse(text: &[u8], file_len: u64) -> Result<Self> {
        let text = std::str::from_utf8(text).map_err(SafeTensorError::InvalidHeader)?;
        let tensors: Metadata =
            serde_json::from_str(text).map_err(SafeTensorError::InvalidHeaderDeserialization)?;
        let start = PREFIX + text.len();
        if (start as u64).checked_add(tensors.data_len() as u64) != Some(file_len) {
            return Err(SafeTensorError::MetadataIncompleteBuffer.into());
        }
        let texts = tensors.metadata().iter().flatten();
        let metadata = texts.map(|(k, v)| (k.clone(), v.clone())).collect();
        Ok(Self { tensors, metadata, start })
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let prefix = bytes.first_chunk::<PREFIX>().ok_or(SafeTensorError::HeaderTooSmall)?;
        let len = bytes.len() as u64;
        let text = bytes.get(PREFIX..PREFIX + Self::text_len(*prefix, len)?);
        Self::parse(text.ok_or(SafeTensorError::InvalidHeaderLength)?, len)
    }

    /// Returns the names in the order in which the tensors are stored.
    pub(super) fn names(&self) -> Vec<String> {
        self.tensors.offset_keys()
    }

    pub(super) fn metadata(&self) -> &HashMap<String, String> {
        &self.metadata
    }

    fn info(&self, name: &str) -> Result<&TensorInfo> {
        self.tensors.info(name).ok_or_else(|| Error::CannotFindTensor { path: name.to_string() }.bt())
    }

    /// Returns a tensor in the bytes from which the header was read.
    pub(super) fn view<'a>(&self, bytes: &'a [u8], name: &str) -> Result<TensorView<'a>> {
        let info = self.info(name)?;
        let (from, to) = info.data_offsets;
        let data = bytes.get(self.start + from..self.start + to);
        let data = data.ok_or(SafeTensorError::MetadataIncompleteBuffer)?;
        Ok(TensorView::new(info.dtype, info.shape.clone(), data)?)
    }

    pub(super) fn views<'a>(&self, bytes: &'a [u8]) -> Vec<(String, TensorView<'a>)> {
        let names = self.names().into_iter();
        names.filter_map(|n| self.view(bytes, &n).ok().map(|v| (n, v))).collect()
    }
}

/// A value from which a tensor can be made.
pub trait Load {
    /// Makes the tensor on a device.
    fn load(&self, device: &Device) -> Result<Tensor>;
}

impl Load for TensorView<'_> {
    fn load(&self, device: &Device) -> Result<Tensor> {
        let dtype = element_dtype(self.dtype())?;
        let bytes = byte_len(self.shape(), dtype, "safetensors")?;
        if bytes != self.data().len() {
            return Err(SafeTensorError::TensorInvalidInfo.into());
        }
        let storage = read_storage(&mut self.data(), dtype, bytes / dtype.size_in_bytes(), false)?;
        to_tensor(storage, self.shape(), device)
    }
}

impl Tensor {
    /// Writes this tensor to a safetensors file, under a name.
    pub fn save_safetensors<P: AsRef<Path>>(&self, name: &str, path: P) -> Result<()> {
        save(&HashMap::from([(name, self.clone())]), path)
    }
}

/// Tensors by name, and the metadata texts.
pub type WithMetadata = (HashMap<String, Tensor>, HashMap<String, String>);

/// Reads a file, tensor by tensor, and its metadata texts.
pub fn load_with_metadata<P: AsRef<Path>>(path: P, device: &Device) -> Result<WithMetadata> {
    loaded_at(path.as_ref(), device)
}

/// Not generic, so that it is compiled only here.
fn loaded_at(path: &Path, device: &Device) -> Result<WithMetadata> {
    at(path, || {
        let (mut file, len) = super::open(path)?;
        let mut prefix = [0; PREFIX];
        file.read_exact(&mut prefix).map_err(|_| SafeTensorError::HeaderTooSmall)?;
        let mut text = vec![0; Header::text_len(prefix, len)?];
        file.read_exact(&mut text)?;
        let header = Header::parse(&text, len)?;
        let mut tensors = HashMap::new();
        // Tensors are read in the order of storage, so that the file is read sequentially.
        for name in header.names() {
            let info = header.info(&name)?;
            let dtype = element_dtype(info.dtype)?;
            let count = byte_len(&info.shape, dtype, "safetensors")? / dtype.size_in_bytes();
            let storage = read_storage(&mut file, dtype, count, false)?;
            tensors.insert(name, to_tensor(storage, &info.shape, device)?);
        }
        Ok((tensors, header.metadata().clone()))
    })
}

/// Reads all tensors of a file.
///
/// ```
/// use rushlight::{safetensors, DType, Device, Tensor};
/// use std::collections::HashMap;
/// let path = std::env::temp_dir().join(format!("rushlight-doc-{}.safetensors", std::process::id()));
/// let weight = Tensor::arange(0f32, 6., &Device::Cpu)?.reshape((2, 3))?;
/// safetensors::save(&HashMap::from([("weight", weight)]), &path)?;
/// let back = safetensors::load(&path, &Device::Cpu)?;
/// assert_eq!(back["weight"].to_vec2::<f32>()?, [[0., 1., 2.], [3., 4., 5.]]);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn load<P: AsRef<Path>>(path: P, device: &Device) -> Result<HashMap<String, Tensor>> {
    Ok(load_with_metadata(path, device)?.0)
}

/// Reads all tensors from the bytes of a file.
pub fn load_buffer(data: &[u8], device: &Device) -> Result<HashMap<String, Tensor>> {
    let header = Header::read(data)?;
    header.names().into_iter().map(|n| Ok((n.clone(), header.view(data, &n)?.load(device)?))).collect()
}

/// Writes tensors and texts in the safetensors format.
pub fn write<K: AsRef<str> + Display, W: Write>(
    tensors: &HashMap<K, Tensor>,
    metadata: Option<&HashMap<String, String>>,
    out: &mut W,
) -> Result<()> {
    write_named(tensors.iter().map(|(k, t)| (k.as_ref(), t)).collect(), metadata, out)
}

/// Not generic, so that it is compiled only here.
fn write_named(
    tensors: Vec<(&str, &Tensor)>,
    metadata: Option<&HashMap<String, String>>,
    mut out: &mut dyn Write,
) -> Result<()> {
    // Sort by decreasing alignment, then by name. Each tensor is then aligned to its element.
    let with_dtype = |(name, t): (_, &Tensor)| Ok((name, t.clone(), Dtype::try_from(t.dtype())?));
    let mut sorted: Vec<(&str, Tensor, Dtype)> =
        tensors.into_iter().map(with_dtype).collect::<Result<_>>()?;
    sorted.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(b.0)));
    let mut infos = Vec::with_capacity(sorted.len());
    let mut end = 0usize;
    for (name, t, dtype) in &sorted {
        if *name == "__metadata__" {
            return Err(Error::msg("safetensors: no tensor can be called __metadata__"));
        }
        let from = end;
        end += byte_len(t.dims(), t.dtype(), "safetensors")?;
        let info = TensorInfo { dtype: *dtype, shape: t.dims().to_vec(), data_offsets: (from, end) };
        infos.push((name.to_string(), info));
    }
    let texts = metadata.map(|m| m.iter().map(|(k, v)| (k.clone(), v.clone())).collect());
    let header = Metadata::new(texts, infos)?;
    let mut text = serde_json::to_vec(&header).map_err(SafeTensorError::from)?;
    text.resize(text.len().next_multiple_of(PREFIX), b' ');
    if text.len() as u64 > MAX_HEADER {
        return Err(SafeTensorError::HeaderTooLarge.into());
    }
    out.write_all(&(text.len() as u64).to_le_bytes())?;
    out.write_all(&text)?;
    for (_, t, _) in &sorted {
        write_elements(t, &mut out)?;
    }
    Ok(())
}

/// Lets the functions of the `safetensors` crate write tensors. Its trait has no errors, so that the methods panic where
/// [`save`] returns an error: for the dtype C128, which the format does not have, and if a GPU's memory cannot be read.
#[allow(clippy::panic)]
impl safetensors::View for Tensor {
    fn dtype(&self) -> Dtype {
        Dtype::try_from(self.dtype()).unwrap_or_else(|e| panic!("{e}"))
    }
    fn shape(&self) -> &[usize] {
        self.dims()
    }
    fn data(&self) -> Cow<'_, [u8]> {
        let mut bytes = Vec::new();
        write_elements(self, &mut bytes).unwrap_or_else(|e| panic!("{e}"));
        Cow::Owned(bytes)
    }
    fn data_len(&self) -> usize {
        self.elem_count() * self.dtype().size_in_bytes()
    }
}

impl safetensors::View for &Tensor {
    fn dtype(&self) -> Dtype {
        safetensors::View::dtype(*self)
    }
    fn shape(&self) -> &[usize] {
        self.dims()
    }
    fn data(&self) -> Cow<'_, [u8]> {
        safetensors::View::data(*self)
    }
    fn data_len(&self) -> usize {
        safetensors::View::data_len(*self)
    }
}

/// Writes a tensor's elements, row-major and little-endian.
pub(super) fn write_elements(t: &Tensor, out: &mut impl Write) -> Result<()> {
    if cfg!(target_endian = "little") {
        return t.write_bytes(out);
    }
    let mut bytes = t.to_cpu_storage()?.as_bytes().to_vec();
    super::swap_bytes(&mut bytes, t.dtype());
    Ok(out.write_all(&bytes)?)
}

/// Writes tensors to a file. An existing file is replaced only when the new one is complete.
pub fn save<K: AsRef<str> + Ord + Display, P: AsRef<Path>>(
    tensors: &HashMap<K, Tensor>,
    path: P,
) -> Result<()> {
    at(path.as_ref(), || write_file(path.as_ref(), |f| write(tensors, None, f)))
}

/// Same as [`save`], with metadata texts.
pub fn save_with_metadata<K: AsRef<str> + Ord + Display, P: AsRef<Path>>(
    tensors: &HashMap<K, Tensor>,
    metadata: &HashMap<String, String>,
    path: P,
) -> Result<()> {
    at(path.as_ref(), || write_file(path.as_ref(), |f| write(tensors, Some(metadata), f)))
}

/// Same as [`save`], but returns the bytes.
pub fn save_buffer<K: AsRef<str> + Ord + Display>(
    tensors: &HashMap<K, Tensor>,
    metadata: Option<&HashMap<String, String>>,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    write(tensors, metadata, &mut out)?;
    Ok(out)
}

macro_rules! in_memory {
    ($(#[$doc:meta])* $name:ident $(<$life:lifetime>)?, $bytes:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name $(<$life>)? {
            bytes: $bytes,
            header: Header,
        }

        impl $(<$life>)? $name $(<$life>)? {
            /// Reads the header.
            pub fn new(bytes: $bytes) -> Result<Self> {
                let header = Header::read(&bytes)?;
                Ok(Self { bytes, header })
            }

            /// Returns names, shapes and bytes of all tensors, in the order of storage.
            pub fn tensors(&self) -> Vec<(String, TensorView<'_>)> {
                self.header.views(&self.bytes)
            }

            /// Returns a tensor's dtype, shape and bytes.
            pub fn get(&self, name: &str) -> Result<TensorView<'_>> {
                self.header.view(&self.bytes, name)
            }

            /// Loads a tensor to a device.
            pub fn load(&self, name: &str, device: &Device) -> Result<Tensor> {
                self.get(name)?.load(device)
            }

            /// Returns the metadata texts.
            pub fn metadata(&self) -> &HashMap<String, String> {
                self.header.metadata()
            }
        }
    };
}
in_memory!(
    /// A safetensors file's bytes, borrowed.
    SliceSafetensors<'a>, &'a [u8]
);
in_memory!(
    /// A safetensors file's bytes, owned.
    BufferedSafetensors, Vec<u8>
);
