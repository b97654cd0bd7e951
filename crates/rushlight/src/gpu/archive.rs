//! Archives of compiled kernels, which are looked up before the compiler is called: by target, file of kernels, dtype and
//! a hash of everything that the compiler would read.
//!
//! An archive is a ZIP file named `TARGET.zip`. Its member `archive.json` lists the code objects of one target. Each
//! further member `UNIT.lzma` has the code objects of one kernel file one after the other, compressed together because
//! the kernels of different dtypes resemble each other. If an archive cannot be used, that is not an error: its kernels are
//! compiled, and one note on stderr gives the reason.
use super::kernel_files::cache_dir;
use super::lock;
use rushlight_load::settings as env;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

const FORMAT: &str = "rushlight code objects";
/// Version of the format.
const VERSION: u64 = 1;
const LIST: &str = "archive.json";
/// Largest size in bytes of an archive, and of a member when it is decompressed.
const LARGEST: u64 = 256 << 20;
/// Memory limit of the decompressor, in KiB.
const DECODER_KIB: u32 = 96 << 10;

/// Folders that programs have added.
static ADDED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Adds a folder with archives of compiled kernels (`gfx1100.zip`, ..) for devices that are opened later. The setting
/// `RUSHLIGHT_KERNEL_ARCHIVES` replaces all added folders.
///
/// ```
/// rushlight::gpu::add_kernel_archives("/opt/rushlight/kernels");
/// ```
pub fn add_kernel_archives(folder: impl Into<PathBuf>) {
    let (mut all, folder) = (lock(&ADDED), folder.into());
    if !all.contains(&folder) {
        all.push(folder);
    }
}

/// Returns the folders that are searched for archives: those of `RUSHLIGHT_KERNEL_ARCHIVES` (none if it is empty), else
/// the added ones and the folder `archives` beside the cached kernels.
pub(super) fn folders() -> Vec<PathBuf> {
    match env::KERNEL_ARCHIVES.os() {
        Some(set) => std::env::split_paths(&set).filter(|p| !p.as_os_str().is_empty()).collect(),
        None => {
            let own = cache_dir().map(|d| d.join("archives"));
            lock(&ADDED).iter().cloned().chain(own).collect()
        }
    }
}

/// An archive that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelArchive {
    /// The file.
    pub path: PathBuf,
    /// The target, such as `gfx1100`, or the reason why the file cannot be used.
    pub target: Result<String, String>,
    /// The version of the library that it was made for.
    pub version: String,
    /// The version line of the compiler.
    pub compiler: String,
    /// Number of code objects.
    pub objects: usize,
}

/// Returns the archives in all folders that are searched, in order. Their lists are read, but no code.
pub fn kernel_archives() -> Vec<KernelArchive> {
    let files = |folder: PathBuf| {
        let all = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
        let mut all: Vec<PathBuf> = all.filter(|p| p.extension().is_some_and(|e| e == "zip")).collect();
        all.sort();
        all
    };
    let describe = |path: PathBuf| {
        let target = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match Archive::open(&path, &target) {
            Ok(a) => KernelArchive {
                path,
                target: Ok(target),
                version: a.version,
                compiler: a.compiler,
                objects: a.objects.len(),
            },
            Err(why) => KernelArchive {
                path,
                target: Err(why),
                version: String::new(),
                compiler: String::new(),
                objects: 0,
            },
        }
    };
    folders().into_iter().flat_map(files).map(describe).collect()
}

/// FNV-1a of 128 bits, which is the same for every version of Rust.
struct Fnv(u128);

impl Fnv {
    fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
    fn add(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u128::from(*b)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
    fn text(&self) -> String {
        format!("{:032x}", self.0)
    }
}

fn sum(bytes: &[u8]) -> String {
    let mut h = Fnv::new();
    h.add(bytes);
    h.text()
}

/// Returns the hash of everything that the compiler reads besides the target: headers, source and options.
pub fn source_hash(headers: &[(&str, &str)], source: &str, options: &[String]) -> String {
    let mut h = Fnv::new();
    for (name, text) in headers {
        [name.as_bytes(), &[0], text.as_bytes(), &[0]].iter().for_each(|part| h.add(part));
    }
    h.add(source.as_bytes());
    options.iter().for_each(|o| [&[0], o.as_bytes()].iter().for_each(|part| h.add(part)));
    h.text()
}

/// A code object to be packed.
#[derive(Debug)]
pub struct Packed<'a> {
    /// Name of the kernel file, without `.hip`.
    pub unit: &'a str,
    /// Name of the dtype in kernel names.
    pub dtype: &'a str,
    /// The hash of the unit's source, headers and compiler options.
    pub source: String,
    /// The code object.
    pub code: Vec<u8>,
}

/// Returns the bytes of an archive. Equal arguments give equal bytes. The objects of a unit must be neighbours.
///
/// # Errors
/// If the compressor fails.
pub fn pack(target: &str, compiler: &str, objects: &[Packed]) -> std::io::Result<Vec<u8>> {
    let stored = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default());
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut list = Vec::new();
    for unit in objects.chunk_by(|a, b| a.unit == b.unit) {
        let name = unit.first().map_or("", |o| o.unit);
        let mut all: Vec<u8> = Vec::new();
        for o in unit {
            list.push(json!({
                "unit": o.unit, "dtype": o.dtype, "source": o.source, "offset": all.len(), "size": o.code.len(),
                "sum": sum(&o.code),
            }));
            all.extend(&o.code);
        }
        let size = Some(all.len() as u64);
        let mut options = lzma_rust2::LzmaOptions::with_preset(9);
        // Machine code is words of 4 bytes. (2 % smaller than with the usual contexts.)
        (options.lc, options.lp) = (0, 2);
        options.dict_size = (all.len() as u32).next_power_of_two().clamp(1 << 16, 1 << 26);
        let mut packer = lzma_rust2::LzmaWriter::new_use_header(Vec::new(), &options, size)?;
        packer.write_all(&all)?;
        let packed = packer.finish()?;
        out.start_file(format!("{name}.lzma"), stored)?;
        out.write_all(&packed)?;
    }
    let list = json!({
        "format": FORMAT, "version": VERSION, "rushlight": env!("CARGO_PKG_VERSION"), "target": target,
        "compiler": compiler, "objects": list,
    });
    out.start_file(LIST, stored)?;
    out.write_all(serde_json::to_string_pretty(&list)?.as_bytes())?;
    Ok(out.finish()?.into_inner())
}

/// A code object of an archive, as the list describes it.
#[derive(Debug)]
struct Object {
    unit: String,
    dtype: String,
    source: String,
    sum: String,
    offset: usize,
    size: usize,
}

/// An open archive.
struct Archive {
    path: PathBuf,
    version: String,
    compiler: String,
    objects: Vec<Object>,
    zip: Mutex<zip::ZipArchive<Cursor<Vec<u8>>>>,
    /// Whether the archive is not used any more.
    refused: AtomicBool,
}

impl Archive {
    /// Reads the file and its list. Returns the reason why it is not a valid archive of the target.
    fn open(path: &Path, target: &str) -> Result<Self, String> {
        let read = || {
            let mut bytes = Vec::new();
            std::fs::File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
            std::io::Result::Ok(bytes)
        };
        let bytes = read().map_err(|e| format!("it cannot be read: {e}"))?;
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes))
            .map_err(|_| "it is not a complete ZIP file".to_string())?;
        let list = member(&mut zip, LIST)?;
        let list: Value = serde_json::from_slice(&list).map_err(|e| format!("{LIST}: {e}"))?;
        let text = |v: &Value, name: &str| Some(v.get(name)?.as_str()?.to_string());
        if text(&list, "format").as_deref() != Some(FORMAT) {
            return Err(format!("{LIST} is not a list of code objects"));
        }
        match list.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(other) => {
                return Err(format!("its format is version {other}, and this library reads {VERSION}"));
            }
            None => return Err(format!("{LIST} has no version")),
        }
        match text(&list, "target") {
            Some(t) if t == target => {}
            Some(t) => return Err(format!("its code is for {t}, not for {target}")),
            None => return Err(format!("{LIST} has no target")),
        }
        let object = |v: &Value| {
            let number = |name: &str| usize::try_from(v.get(name)?.as_u64()?).ok();
            Some(Object {
                unit: text(v, "unit")?,
                dtype: text(v, "dtype")?,
                source: text(v, "source")?,
                sum: text(v, "sum")?,
                offset: number("offset")?,
                size: number("size")?,
            })
        };
        let objects = list.get("objects").and_then(Value::as_array);
        let objects = objects.and_then(|all| all.iter().map(object).collect::<Option<Vec<_>>>());
        Ok(Self {
            path: path.to_path_buf(),
            version: text(&list, "rushlight").unwrap_or_default(),
            compiler: text(&list, "compiler").unwrap_or_default(),
            objects: objects.ok_or_else(|| format!("the objects of {LIST} lack a field"))?,
            zip: Mutex::new(zip),
            refused: AtomicBool::new(false),
        })
    }

    /// Returns the code of an object for a device. Returns the reason if the code is damaged or is for another device.
    fn code(&self, o: &Object, arch: &str) -> Result<Vec<u8>, String> {
        let name = format!("{}.lzma", o.unit);
        let packed = member(&mut lock(&self.zip), &name)?;
        let mut all = Vec::new();
        lzma_rust2::LzmaReader::new_mem_limit(&packed[..], DECODER_KIB, None)
            .and_then(|reader| reader.take(LARGEST).read_to_end(&mut all))
            .map_err(|e| format!("{name} cannot be decompressed: {e}"))?;
        let end = o.offset.checked_add(o.size);
        let code = end.and_then(|end| all.get(o.offset..end));
        let code = code.filter(|c| sum(c) == o.sum).ok_or_else(|| format!("{name} is damaged"))?;
        runs_on(code, arch).map_err(|why| format!("{} of {} {why}", o.dtype, o.unit))?;
        Ok(code.to_vec())
    }
}

/// Returns the bytes of a member, or why there are none.
fn member(zip: &mut zip::ZipArchive<Cursor<Vec<u8>>>, name: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = zip.by_name(name).map_err(|e| format!("{name}: {e}"))?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|e| format!("{name}: {e}"))?;
    Ok(bytes)
}

/// Checks the header of a code object: the kind of file, its version, and the features that it was compiled for
/// (LLVM's "User Guide for AMDGPU Backend", "ELF Header"). Code for any setting of a feature runs with each.
fn runs_on(code: &[u8], arch: &str) -> Result<(), String> {
    let amdgpu = code.starts_with(b"\x7fELF\x02\x01")
        && code.get(7) == Some(&64)
        && code.get(18..20) == Some(&[224, 0]);
    let (Some(version), Some(flags)) = (code.get(8), code.get(48..52)) else {
        return Err("is not a code object".into());
    };
    if !amdgpu {
        return Err("is not a code object".into());
    }
    if !(2..=4).contains(version) {
        return Err(format!("has the code object version {}, not 4 to 6", u32::from(*version) + 2));
    }
    let flags = flags.iter().rev().fold(0u32, |n, b| n << 8 | u32::from(*b));
    for (feature, shift) in [("xnack", 8), ("sramecc", 10)] {
        let wanted = match flags >> shift & 3 {
            2 => '-',
            3 => '+',
            _ => continue,
        };
        if !arch.split(':').any(|f| f.strip_prefix(feature).is_some_and(|sign| sign.starts_with(wanted))) {
            return Err(format!("is for {feature}{wanted}, and the device is {arch}"));
        }
    }
    Ok(())
}

/// Prints why an archive, or a folder of archives, is not used, once for each in a process.
fn note(path: &Path, why: &str) {
    static NOTED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if lock(&NOTED).insert(path.to_path_buf()) {
        let path = path.display();
        eprintln!("rushlight: no compiled kernels are taken from {path}: {why}. They are compiled instead");
    }
}

/// The archives of a device.
pub(super) struct Archives {
    folders: Vec<PathBuf>,
    open: OnceLock<Vec<Archive>>,
}

impl Archives {
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self { folders, open: OnceLock::new() }
    }

    fn open(&self, arch: &str) -> &[Archive] {
        self.open.get_or_init(|| {
            let target = arch.split(':').next().unwrap_or_default();
            if env::KERNEL_ARCHIVES.os().is_some() {
                let missing = self.folders.iter().filter(|f| !f.is_dir());
                missing
                    .for_each(|f| note(f, "RUSHLIGHT_KERNEL_ARCHIVES names it, and there is no such folder"));
            }
            let files = self.folders.iter().map(|f| f.join(format!("{target}.zip")));
            let open = |path: PathBuf| Archive::open(&path, target).inspect_err(|why| note(&path, why)).ok();
            files.filter(|p| p.is_file()).filter_map(open).collect()
        })
    }

    /// Returns the code of a unit and dtype for a device, if an archive has it. `source` computes the hash of the
    /// sources. Sources that are not built in (`edited`) differ on purpose, so no note is printed for them.
    pub fn find(
        &self,
        arch: &str,
        [unit, dtype]: [&str; 2],
        edited: bool,
        source: impl FnOnce() -> String,
    ) -> Option<Vec<u8>> {
        let all = self.open(arch).iter().filter(|a| !a.refused.load(Relaxed));
        let named = |a: &'_ Archive| a.objects.iter().position(|o| o.unit == unit && o.dtype == dtype);
        let all: Vec<(&Archive, usize)> = all.filter_map(|a| Some((a, named(a)?))).collect();
        if all.is_empty() {
            return None;
        }
        let source = source();
        all.into_iter().find_map(|(archive, at)| {
            let object = archive.objects.get(at)?;
            if object.source != source {
                if !edited {
                    let (of, this) = (&archive.version, env!("CARGO_PKG_VERSION"));
                    let why = format!(
                        "{unit} was compiled from other sources, those of version {of} (this is {this})"
                    );
                    note(&archive.path, &why);
                }
                return None;
            }
            let refuse = |why: &String| {
                archive.refused.store(true, Relaxed);
                note(&archive.path, why);
            };
            archive.code(object, arch).inspect_err(refuse).ok()
        })
    }

    /// Does not use the archives any more, because the device did not load their code.
    pub fn refuse(&self, unit: &str, why: &str) {
        for archive in self.open.get().into_iter().flatten() {
            if !archive.refused.swap(true, Relaxed) {
                note(&archive.path, &format!("the device does not load {unit}: {why}"));
            }
        }
    }
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
