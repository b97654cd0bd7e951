//! Reads PyTorch's pth files (`torch.save`).
//!
//! Supports the zip format of PyTorch 1.6 and later. The pickle inside is parsed but never executed, so a malicious
//! file cannot call functions. Only the tensors at the top level of the saved dict, or of the dict under a key, are
//! read.
use super::unpickle::{Id, Objects, Value};
use super::{Archive, at, byte_len, damaged, finish, read_storage, to_tensor};
use crate::autograd::GradFn;
use crate::{DType, Device, Error, Layout, Result, Shape, Tensor};
use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

/// Size in bytes of the longest pickle that is read. Large data of a checkpoint is stored outside of the pickle.
const MAX_PICKLE: u64 = 1 << 30;

fn pth(msg: impl std::fmt::Display) -> Error {
    Error::Pickle(msg.to_string()).bt()
}

/// Location and layout of a tensor in a pth file.
#[derive(Debug, Clone)]
pub struct TensorInfo {
    /// Key of the tensor in the saved dict.
    pub name: String,
    /// Dtype of the tensor.
    pub dtype: DType,
    /// Shape, strides and offset in the storage, in elements.
    pub layout: Layout,
    /// Name of the archive's entry that holds the storage.
    pub path: String,
    /// Number of elements of the storage.
    pub storage_size: usize,
}

fn dtype_of(module: &str, class: &str) -> Result<DType> {
    let error = || pth(format_args!("storage type {module}.{class} is not supported"));
    if module != "torch" {
        return Err(error());
    }
    // Class names in old files. An untyped storage comes with the name of a dtype.
    Ok(match class {
        "FloatStorage" => DType::F32,
        "DoubleStorage" => DType::F64,
        "HalfStorage" => DType::F16,
        "BFloat16Storage" => DType::BF16,
        "LongStorage" => DType::I64,
        "IntStorage" => DType::I32,
        "ShortStorage" => DType::I16,
        "CharStorage" => DType::I8,
        "ByteStorage" => DType::U8,
        "BoolStorage" => DType::Bool,
        "ComplexFloatStorage" => DType::C64,
        "ComplexDoubleStorage" => DType::C128,
        name => DType::from_long_name(name).ok_or_else(error)?,
    })
}

impl Objects {
    fn int(&self, id: Id) -> Result<usize> {
        match self.get(id) {
            Value::Int(v) => Ok(usize::try_from(*v)?),
            other => Err(pth(format_args!("expected a size, found {other:?}"))),
        }
    }

    fn ints(&self, id: Id) -> Result<Vec<usize>> {
        match self.get(id) {
            // A torch.Size is pickled as a call with the tuple as its argument.
            Value::Call { args, .. } => match self.get(*args) {
                Value::Tuple(ids) if ids.len() == 1 => self.flat_ints(ids[0]),
                other => Err(pth(format_args!("expected sizes, found {other:?}"))),
            },
            _ => self.flat_ints(id),
        }
    }

    fn flat_ints(&self, id: Id) -> Result<Vec<usize>> {
        match self.get(id) {
            Value::Tuple(ids) | Value::List(ids) => ids.iter().map(|i| self.int(*i)).collect(),
            other => Err(pth(format_args!("expected sizes, found {other:?}"))),
        }
    }

    fn global(&self, id: Id) -> Option<(&str, &str)> {
        match self.get(id) {
            Value::Global(m, n) => Some((m, n)),
            _ => None,
        }
    }

    fn dict(&self, id: Id) -> Option<&[(Id, Id)]> {
        match self.get(id) {
            Value::Dict(items) => Some(items),
            Value::Call { state, items, .. } => match state.map(|s| self.get(s)) {
                // A module that was saved as a whole: use its state.
                Some(Value::Dict(state)) if items.is_empty() => Some(state),
                _ => Some(items),
            },
            _ => None,
        }
    }

    /// Returns the function and the arguments of the call that makes a tensor, inside parameters and subclasses. `None`
    /// for other objects.
    fn tensor_call(&self, mut id: Id) -> Option<(&str, &[Id])> {
        // A longer chain must contain a cycle.
        for _ in 0..8 {
            let Value::Call { callable, args, .. } = self.get(id) else { return None };
            let Value::Tuple(args) = self.get(*args) else { return None };
            match self.global(*callable)? {
                ("torch._utils", f @ ("_rebuild_tensor" | "_rebuild_tensor_v2" | "_rebuild_tensor_v3")) => {
                    return Some((f, args));
                }
                ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => {
                    id = *args.first()?
                }
                ("torch._tensor", "_rebuild_from_type_v2") => match self.get(*args.get(2)?) {
                    Value::Tuple(inner) => {
                        let name = self.global(*args.first()?)?.1;
                        return Some((name, inner));
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        None
    }

    /// Returns the location of a tensor, if the object is one. `dir` is the folder inside the archive.
    fn tensor(&self, name: &str, id: Id, dir: &str) -> Result<Option<TensorInfo>> {
        let Some((function, args)) = self.tensor_call(id) else { return Ok(None) };
        let [storage, offset, size, stride, ..] = *args else {
            return Err(pth(format_args!("{function} has {} arguments", args.len())));
        };
        let Value::Persistent(key) = *self.get(storage) else {
            return Err(pth("a tensor without a storage"));
        };
        let Value::Tuple(key) = self.get(key) else { return Err(pth("a storage without a key")) };
        let [_, class, key, _, numel] = key[..] else { return Err(pth("a storage without a key")) };
        let Value::Text(key) = self.get(key) else { return Err(pth("a storage's key is not a string")) };
        let (module, class) = self.global(class).ok_or_else(|| pth("a storage without a type"))?;
        let mut storage_size = self.int(numel)?;
        let dtype = if function == "_rebuild_tensor_v3" || class == "UntypedStorage" {
            // The storage's size is in bytes, and the dtype is an argument.
            let dtype = args.get(6).and_then(|d| self.global(*d));
            let (module, class) = dtype.ok_or_else(|| pth("a tensor without a dtype"))?;
            let dtype = dtype_of(module, class)?;
            storage_size /= dtype.size_in_bytes();
            dtype
        } else {
            dtype_of(module, class)?
        };
        let (size, stride, offset) = (self.ints(size)?, self.ints(stride)?, self.int(offset)?);
        byte_len(&size, dtype, "pth")?;
        if size.len() != stride.len() || size.len() > crate::shape::MAX_RANK {
            return Err(pth(format_args!("a tensor of size {size:?} with stride {stride:?}")));
        }
        let empty = size.contains(&0);
        let layout = Layout::new(Shape::from(size), &stride[..], offset);
        if !empty && layout.end().is_none_or(|end| end > storage_size) {
            return Err(pth(format_args!(
                "a tensor of shape {:?}, strides {stride:?} and offset {offset} in a storage of {storage_size} elements",
                layout.dims()
            )));
        }
        let path = format!("{dir}data/{key}");
        Ok(Some(TensorInfo { name: name.to_string(), dtype, layout, path, storage_size }))
    }

    /// Returns the value for a text key of a dict.
    fn item(&self, dict: Id, key: &str) -> Option<Id> {
        let found = |(k, _): &&(Id, Id)| matches!(self.get(*k), Value::Text(t) if t == key);
        self.dict(dict)?.iter().find(found).map(|(_, v)| *v)
    }
}

/// An open pth file.
struct File<R> {
    zip: Archive<R>,
    big_endian: bool,
}

type OpenFile = File<std::io::BufReader<std::fs::File>>;

impl OpenFile {
    /// Opens a file, and determines the folder inside the archive that contains all entries.
    fn open(path: &Path) -> Result<(Self, String)> {
        let zip = Archive::open(path).map_err(|e| match e.root() {
            Error::Zip(_) => e.context("not a zip archive (files of PyTorch before 1.6 must be saved again)"),
            _ => e,
        })?;
        let names = zip.names()?;
        let found = names.iter().find_map(|n| n.strip_suffix("data.pkl"));
        let dir = found.filter(|d| d.is_empty() || d.ends_with('/'));
        let dir = dir.ok_or_else(|| pth("the archive has no data.pkl"))?.to_string();
        let mut out = Self { zip, big_endian: false };
        let order = format!("{dir}byteorder");
        if names.contains(&order) {
            out.big_endian = out.bytes(&order, 64)?.starts_with(b"big");
        }
        Ok((out, dir))
    }
}

impl<R: Read + Seek> File<R> {
    fn bytes(&mut self, name: &str, most: u64) -> Result<Vec<u8>> {
        let (mut entry, size) = self.zip.entry(name)?;
        if size > most {
            return Err(pth(format_args!("{name} has {size} bytes")));
        }
        let mut out = vec![0; size as usize];
        entry.read_exact(&mut out).map_err(damaged)?;
        finish(&mut entry)?;
        Ok(out)
    }

    /// Reads elements `from..to` of a storage as a vector.
    fn storage(&mut self, info: &TensorInfo, from: usize, to: usize) -> Result<Tensor> {
        let size = info.dtype.size_in_bytes();
        let need = byte_len(&[to], info.dtype, "pth")? as u64;
        let (mut entry, has) = self.zip.entry(&info.path)?;
        if need > has {
            return Err(pth(format_args!("storage {} has {has} bytes, {need} are needed", info.path)));
        }
        std::io::copy(&mut (&mut entry).take((from * size) as u64), &mut std::io::sink()).map_err(damaged)?;
        let storage = read_storage(&mut entry, info.dtype, to - from, self.big_endian).map_err(damaged)?;
        if need == has {
            finish(&mut entry)?;
        }
        to_tensor(storage, &[to - from], &Device::Cpu)
    }
}

/// Returns a tensor as a view of its storage, of which `storage` holds the elements from `from` on.
fn view(storage: &Tensor, layout: &Layout, from: usize) -> Result<Tensor> {
    let start = layout.start_offset().saturating_sub(from);
    let layout = Layout::new(layout.shape().clone(), layout.stride(), start);
    storage.view(layout, || GradFn::Reshape)
}

/// Reads the locations of the tensors of a pth file.
///
/// `key` names an entry of the saved dict that holds the tensors (such as `"model_state_dict"`). `verbose` prints each
/// tensor to stdout. Values that are not tensors are skipped; a tensor that cannot be read is an error that names it.
pub fn read_pth_tensor_info<P: AsRef<Path>>(
    file: P,
    verbose: bool,
    key: Option<&str>,
) -> Result<Vec<TensorInfo>> {
    infos_at(file.as_ref(), verbose, key)
}

/// Not generic, so that it is compiled only here.
fn infos_at(path: &Path, verbose: bool, key: Option<&str>) -> Result<Vec<TensorInfo>> {
    at(path, || {
        let (mut file, dir) = OpenFile::open(path)?;
        let objects = Objects::read(&file.bytes(&format!("{dir}data.pkl"), MAX_PICKLE)?)?;
        let root = match key {
            Some(key) => objects.item(objects.root, key).ok_or_else(|| pth(format_args!("no key {key}")))?,
            None => objects.root,
        };
        let items = objects.dict(root).ok_or_else(|| pth("the saved object is not a dict of tensors"))?;
        let mut infos = Vec::new();
        for (name, value) in items {
            let Value::Text(name) = objects.get(*name) else { continue };
            let info =
                objects.tensor(name, *value, &dir).map_err(|e| e.context(format_args!("tensor {name}")))?;
            if verbose {
                println!("{name}: {info:?}");
            }
            infos.extend(info);
        }
        Ok(infos)
    })
}

/// The tensors of a pth file. Each is read when it is requested.
///
/// ```no_run
/// use rushlight::pickle::PthTensors;
/// let checkpoint = PthTensors::new("model.pth", Some("model_state_dict"))?;
/// let weight = checkpoint.get("fc.weight")?;
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PthTensors {
    infos: HashMap<String, TensorInfo>,
    path: PathBuf,
}

impl PthTensors {
    /// Reads the locations of the tensors; `key` as for [`read_pth_tensor_info`].
    pub fn new<P: AsRef<Path>>(path: P, key: Option<&str>) -> Result<Self> {
        let infos = read_pth_tensor_info(path.as_ref(), false, key)?;
        let infos = infos.into_iter().map(|i| (i.name.clone(), i)).collect();
        Ok(Self { infos, path: path.as_ref().to_path_buf() })
    }

    /// Returns the location of each tensor.
    pub fn tensor_infos(&self) -> &HashMap<String, TensorInfo> {
        &self.infos
    }

    /// Reads a tensor to the CPU. Returns `None` if the file has no tensor of that name.
    pub fn get(&self, name: &str) -> Result<Option<Tensor>> {
        let Some(info) = self.infos.get(name) else { return Ok(None) };
        at(&self.path, || {
            let (mut file, _) = OpenFile::open(&self.path)?;
            let end = info.layout.end();
            let from = if end.is_some() { info.layout.start_offset() } else { 0 };
            let storage = file.storage(info, from, end.unwrap_or(0))?;
            Ok(Some(view(&storage, &info.layout, from)?))
        })
    }
}

/// Reads all tensors of a pth file, sorted by name; `key` as for [`read_pth_tensor_info`]. Tensors that shared a
/// storage when they were saved share one again.
pub fn read_all_with_key<P: AsRef<Path>>(path: P, key: Option<&str>) -> Result<Vec<(String, Tensor)>> {
    all_at(path.as_ref(), key)
}

/// Not generic, so that it is compiled only here.
fn all_at(path: &Path, key: Option<&str>) -> Result<Vec<(String, Tensor)>> {
    let pth = PthTensors::new(path, key)?;
    at(&pth.path, || {
        let (mut file, _) = OpenFile::open(&pth.path)?;
        let mut storages: HashMap<(&str, DType), Tensor> = HashMap::new();
        let sorted: BTreeMap<&String, &TensorInfo> = pth.infos.iter().collect();
        let read = sorted.into_iter().map(|(name, info)| {
            let storage = match storages.entry((&info.path, info.dtype)) {
                std::collections::hash_map::Entry::Occupied(e) => e.into_mut(),
                std::collections::hash_map::Entry::Vacant(e) => {
                    e.insert(file.storage(info, 0, info.storage_size)?)
                }
            };
            if info.layout.end().is_some_and(|end| end > storage.elem_count()) {
                return Err(pth_storage_differs(name));
            }
            Ok((name.clone(), view(storage, &info.layout, 0)?))
        });
        read.collect()
    })
}

fn pth_storage_differs(name: &str) -> Error {
    pth(format_args!("tensor {name}: its storage is given two sizes"))
}

/// Reads all tensors of a pth file, sorted by name.
pub fn read_all<P: AsRef<Path>>(path: P) -> Result<Vec<(String, Tensor)>> {
    read_all_with_key(path, None)
}
