//! Kernel sources, and the cache from (family, dtypes, kernel) to a launchable function: a table in memory that is read
//! without a lock, and files of compiled code objects.
use super::launch::{Nothing, Params};
use super::run::conv::ConvParams;
use super::run::elementwise::{Bits, Edge, Line, Number, Range};
use super::run::index::{PickParams, SpreadParams};
use super::run::loss::Loss;
use super::run::matmul::MatMulParams;
use super::run::optim::{Adam, Sgd};
use super::run::pool::PoolParams;
use super::run::random::Draw;
use super::run::reduce::Fold;
use super::run::softmax::Lines;
use super::run::sort::{Order, Scan};
use super::run::upsample::ResizeParams;
use super::runtime::{Failure, Outcome, Runtime, c_name};
use super::turns::{self, Turns};
use crate::dtype::sets::{ALL, FLOAT, NUMERIC, ORDERED};
use crate::{DType, DTypeSet};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::size_of;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Headers of the kernel sources.
pub(crate) const HEADERS: &[(&str, &str)] = &[
    ("port.h", include_str!("../../hip/port.h")),
    ("num.h", include_str!("../../hip/num.h")),
    ("walk.h", include_str!("../../hip/walk.h")),
    ("fault.h", include_str!("../../hip/fault.h")),
    ("reduce.h", include_str!("../../hip/reduce.h")),
    ("line.h", include_str!("../../hip/line.h")),
    ("index.h", include_str!("../../hip/index.h")),
    ("gemm.h", include_str!("../../hip/gemm.h")),
    ("planes.h", include_str!("../../hip/planes.h")),
];

macro_rules! units {
    ($($v:ident $file:literal $set:ident [$($name:literal: $t:ty),*];)*) => {
        /// A kernel source: what is compiled at once for a dtype.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum Unit { $($v),* }

        impl Unit {
            pub const ALL: &'static [Unit] = &[$(Unit::$v),*];
            /// Dtypes that it is compiled for.
            pub const fn dtypes(self) -> DTypeSet {
                match self { $(Unit::$v => $set),* }
            }
            /// The file's stem.
            pub fn name(self) -> &'static str {
                match self { $(Unit::$v => $file),* }
            }
            fn source(self) -> &'static str {
                match self { $(Unit::$v => include_str!(concat!("../../hip/", $file, ".hip"))),* }
            }
            /// Sizes of its parameter structs, which the source asserts.
            fn sizes(self) -> &'static [(&'static str, usize)] {
                match self { $(Unit::$v => const { &[$(($name, size_of::<$t>())),*] }),* }
            }
        }
    };
}
/// What only moves is compiled for words of its size.
const WORDS: DTypeSet = DTypeSet::of(&[DType::U8, DType::U16, DType::U32, DType::U64]);
const EIGHT_BITS: DTypeSet = DTypeSet::of(&[DType::F8E4M3]);
const NUMERIC_F8: DTypeSet = NUMERIC.or(EIGHT_BITS);
const ORDERED_F8: DTypeSet = ORDERED.or(EIGHT_BITS);

// THE list of kernel sources: file, dtypes, and the parameter structs it checks.
units! {
    Unary "unary" ORDERED ["Params2": Params<2, Nothing>];
    Binary "binary" ORDERED ["Params3": Params<3, Nothing>];
    Compare "compare" ORDERED ["Params2": Params<2, Nothing>, "Params3": Params<3, Nothing>];
    Cast "cast" ALL ["Params2": Params<2, Nothing>];
    Move "move" WORDS ["Params2": Params<2, Nothing>, "Params4": Params<4, Nothing>, "Fill": Params<1, Bits>,
        "Triangle": Params<2, Edge>];
    Scale "scale" NUMERIC_F8 ["Affine": Params<2, Line>, "Number": Params<2, Number>, "Add": Params<4, Number>,
        "Range": Params<1, Range>];
    Reduce "reduce" NUMERIC ["Fold1": Fold<1>];
    Extreme "extreme" ORDERED ["Fold1": Fold<1>];
    Softmax "softmax" FLOAT ["Fold1": Fold<1>, "Fold2": Fold<2>, "Lines": Lines];
    Loss "loss" FLOAT ["Fold1": Fold<1>, "Loss": Loss];
    Optim "optim" FLOAT ["SgdParams": Params<2, Sgd>, "MomentumParams": Params<3, Sgd>, "AdamParams": Params<4, Adam>];
    Random "random" ORDERED_F8 ["RandomParams": Params<1, Draw>, "DropoutParams": Params<2, Draw>];
    CumSum "cumsum" NUMERIC ["Scan": Scan];
    Sort "sort" ORDERED ["Order": Order];
    Index "index" WORDS ["PickParams": PickParams, "SpreadParams": SpreadParams];
    IndexAdd "index_add" NUMERIC ["PickParams": PickParams, "SpreadParams": SpreadParams,
        "Params2": Params<2, Nothing>];
    MatMul "matmul" NUMERIC ["MatMulParams": MatMulParams];
    Conv "conv" NUMERIC ["ConvParams": ConvParams];
    Pool "pool" NUMERIC ["PoolParams": PoolParams];
    Upsample "upsample" NUMERIC ["ResizeParams": ResizeParams];
}

/// Which kernel: `NAME_T_FORM`, or `NAME_T_U_FORM` when there is a second dtype.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernel {
    pub unit: Unit,
    pub t: DType,
    pub u: Option<DType>,
    pub name: &'static str,
    pub form: &'static str,
}

type Id = [u64; 3];

impl Kernel {
    /// A kernel without a second dtype, of form `c`.
    pub fn new(unit: Unit, t: DType, name: &'static str) -> Self {
        Self { unit, t, u: None, name, form: "c" }
    }

    /// Texts by address and length: equal ids name equal kernels.
    fn id(&self) -> Id {
        let small = (self.unit as u64) << 48
            | (self.t as u64) << 40
            | self.u.map_or(0xFF, |u| u as u64) << 32
            | (self.name.len() as u64) << 16
            | self.form.len() as u64;
        [small, self.name.as_ptr() as u64, self.form.as_ptr() as u64]
    }

    fn symbol(&self) -> String {
        match self.u {
            None => format!("{}_{}_{}", self.name, c_name(self.t), self.form),
            Some(u) => format!("{}_{}_{}_{}", self.name, c_name(self.t), c_name(u), self.form),
        }
    }
}

const SLOTS: usize = 1 << 13;

/// What is compiled at once: a unit holds the kernels of every second dtype.
type ModuleKey = (Unit, DType);
/// A source's text.
type Text = std::borrow::Cow<'static, str>;

/// A module, and who makes it.
struct Loaded<M> {
    making: Mutex<()>,
    module: OnceLock<M>,
}

/// Loaded modules and functions of one device.
pub(crate) struct Kernels<R: Runtime> {
    table: Box<[OnceLock<(Id, R::Function)>]>,
    insert: Mutex<()>,
    modules: Mutex<HashMap<ModuleKey, Arc<Loaded<R::Module>>>>,
    compiling: Turns,
    compiles: AtomicU64,
    /// Where compiled code is kept between processes.
    dir: Option<PathBuf>,
    /// Where sources are read from, if not those that are built in.
    from: Option<PathBuf>,
}

impl<R: Runtime> std::fmt::Debug for Kernels<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kernels")
    }
}

impl<R: Runtime> Kernels<R> {
    /// Nothing loaded yet; code objects are kept in `dir`, sources are built in or read `from` a folder.
    pub fn new(dir: Option<PathBuf>, from: Option<PathBuf>) -> Self {
        Self {
            table: (0..SLOTS).map(|_| OnceLock::new()).collect(),
            insert: Mutex::new(()),
            modules: Mutex::default(),
            compiling: Turns::default(),
            compiles: AtomicU64::new(0),
            dir,
            from,
        }
    }
}

/// The places in the list of headers of those that a text includes.
fn included(text: &str) -> Vec<usize> {
    let name = |line: &str| Some(line.strip_prefix("#include \"")?.split_once('"')?.0.to_string());
    let names: Vec<String> = text.lines().filter_map(name).collect();
    (0..HEADERS.len()).filter(|i| names.iter().any(|n| n == HEADERS[*i].0)).collect()
}

fn slot(id: &Id) -> usize {
    let mut h = id[0];
    for w in &id[1..] {
        h = (h ^ w).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    h as usize % SLOTS
}

impl<R: Runtime> Kernels<R> {
    /// The function of a kernel. A hit reads a few words; a miss compiles and loads the kernel's unit.
    pub fn get(&self, rt: &R, kernel: &Kernel) -> Outcome<&R::Function> {
        let id = kernel.id();
        if let Some(f) = self.find(&id) {
            return Ok(f);
        }
        let module = self.module(rt, (kernel.unit, kernel.t))?;
        let loaded = module.module.get().ok_or_else(|| Failure::Other("a module vanished".to_string()))?;
        let function = rt.function(loaded, &kernel.symbol())?;
        let _one = self.insert.lock().unwrap_or_else(PoisonError::into_inner);
        let start = slot(&id);
        for i in 0..SLOTS {
            let cell = &self.table[(start + i) % SLOTS];
            let (found, f) = cell.get_or_init(|| (id, function.clone()));
            if *found == id {
                return Ok(f);
            }
        }
        Err(Failure::Other("the kernel table is full".to_string()))
    }

    fn find(&self, id: &Id) -> Option<&R::Function> {
        let start = slot(id);
        for i in 0..SLOTS {
            let (found, f) = self.table[(start + i) % SLOTS].get()?;
            if found == id {
                return Some(f);
            }
        }
        None
    }

    /// How many units were compiled.
    pub fn compiles(&self) -> u64 {
        self.compiles.load(Relaxed)
    }

    /// Compiles and loads a unit that is not there yet.
    pub fn prepare(&self, rt: &R, unit: Unit, dtype: DType) -> Outcome<()> {
        self.module(rt, (unit, dtype)).map(|_| ())
    }

    /// An error where compiled code would not be kept.
    pub fn writable(&self) -> Outcome<()> {
        let Some(dir) = &self.dir else {
            return Err(Failure::Other(
                "no folder for compiled kernels: RUSHLIGHT_CACHE_DIR is empty".into(),
            ));
        };
        let probe = dir.join("kernels").join(format!(".probe-{}", std::process::id()));
        let written = write(&probe, "", b"probe").and_then(|()| std::fs::remove_file(&probe));
        written.map_err(|e| {
            Failure::Other(format!(
                "{}, the folder for compiled kernels, cannot be written: {e}",
                dir.display()
            ))
        })
    }

    fn module(&self, rt: &R, key: ModuleKey) -> Outcome<Arc<Loaded<R::Module>>> {
        let cell = {
            let mut map = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(Loaded { making: Mutex::new(()), module: OnceLock::new() });
            map.entry(key).or_insert_with(new).clone()
        };
        if cell.module.get().is_none() {
            // A second thread that wants the same module finds it made.
            let _one = cell.making.lock().unwrap_or_else(PoisonError::into_inner);
            if cell.module.get().is_none() {
                let (code, kept) = self.code(rt, key, true)?;
                let made = match rt.load(&code) {
                    // What was kept and cannot be loaded is made anew.
                    Err(_) if kept => rt.load(&self.code(rt, key, false)?.0)?,
                    made => made?,
                };
                let _ = cell.module.set(made);
            }
        }
        Ok(cell)
    }

    /// Headers and source of a unit. Of a folder's headers only those that the unit includes are read, so that a change of
    /// another compiles nothing anew.
    fn sources(&self, unit: Unit) -> Outcome<(Vec<(&'static str, Text)>, Text)> {
        let text = |file: &str, built_in| match &self.from {
            None => Ok(Text::Borrowed(built_in)),
            Some(folder) => {
                let path = folder.join(file);
                let text = std::fs::read_to_string(&path);
                let told = |e| Failure::Other(format!("RUSHLIGHT_KERNEL_SOURCES: {}: {e}", path.display()));
                text.map(Text::Owned).map_err(told)
            }
        };
        let source = text(&format!("{}.hip", unit.name()), unit.source())?;
        let mut headers: Vec<(&str, Text)> = HEADERS.iter().map(|(n, b)| (*n, Text::Borrowed(*b))).collect();
        let mut wanted = included(&source);
        let mut next = 0;
        while let Some(&at) = wanted.get(next) {
            let (name, built_in) = HEADERS[at];
            headers[at].1 = text(name, built_in)?;
            let more: Vec<usize> =
                included(&headers[at].1).into_iter().filter(|i| !wanted.contains(i)).collect();
            wanted.extend(more);
            next += 1;
        }
        Ok((headers, source))
    }

    /// The code object of a unit: from the disk if it is there and may be `kept`, else compiled and stored; and whether
    /// it was on the disk.
    fn code(&self, rt: &R, key: ModuleKey, kept: bool) -> Outcome<(Vec<u8>, bool)> {
        let (unit, t) = key;
        if !unit.dtypes().contains(t) {
            // It would be missing among what is compiled ahead of time, too.
            let what = format!("the list of kernel sources has no {} for {key:?}", unit.name());
            return Err(Failure::Other(what));
        }
        let options = options(key);
        let (headers, source) = self.sources(unit)?;
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, body)| (*name, body.as_ref())).collect();
        let mut text = DefaultHasher::new();
        headers.iter().for_each(|h| h.hash(&mut text));
        source.hash(&mut text);
        let info = rt.info();
        let id = format!(
            "rushlight {} {} {} wave{} {} {} {} {:016x}",
            env!("CARGO_PKG_VERSION"),
            R::KIND,
            info.arch,
            info.wave,
            info.compiler,
            unit.name(),
            options.join(" "),
            text.finish()
        );
        let file = self.dir.as_ref().map(|d| cache_file(d, &id));
        if kept && let Some(code) = file.as_ref().and_then(|f| read(f, &id)) {
            return Ok((code, true));
        }
        let name = format!("{}.hip", unit.name());
        let _turn = self.compiling.take();
        let code = turns::noted(|| self.note(rt), || rt.compile(&name, &source, &headers, &options))?;
        self.compiles.fetch_add(1, Relaxed);
        if let Some(file) = &file {
            // A cache that cannot be written is no error: the next process compiles again.
            let _ = write(file, &id, &code);
        }
        Ok((code, false))
    }

    /// What a user who waits is told.
    fn note(&self, rt: &R) -> String {
        let info = rt.info();
        let kept = match &self.dir {
            Some(d) => format!("they are kept in {} (`rushlight warm` compiles them ahead)", d.display()),
            None => "RUSHLIGHT_CACHE_DIR is empty, so they are not kept".to_string(),
        };
        format!("compiling kernels for {} ({}) as they are first used; {kept}", info.name, info.arch)
    }
}

/// What the kernel cache compiles at once. `cargo xtask kernels` compiles the same ahead of time.
#[derive(Debug, Clone)]
pub struct Instance {
    /// The source's file, without `.hip`.
    pub unit: &'static str,
    /// Its text.
    pub source: &'static str,
    /// The dtype that its kernels are made for.
    pub dtype: DType,
    /// The dtype's name in kernels.
    pub name: &'static str,
    /// Options that every compiler gets.
    pub options: Vec<String>,
    /// Its parameter structs with their bytes.
    pub params: &'static [(&'static str, usize)],
}

/// Every unit for every dtype that it is compiled for.
pub fn instances() -> Vec<Instance> {
    let of = |unit: Unit| {
        let dtypes = DType::ALL.iter().copied().filter(move |d| unit.dtypes().contains(*d));
        dtypes.map(move |dtype| Instance {
            unit: unit.name(),
            source: unit.source(),
            dtype,
            name: c_name(dtype),
            options: options((unit, dtype)),
            params: unit.sizes(),
        })
    };
    Unit::ALL.iter().copied().flat_map(of).collect()
}

/// Names and texts of the headers that kernel sources include.
pub fn headers() -> &'static [(&'static str, &'static str)] {
    HEADERS
}

/// Compile options of a unit: the language, exact arithmetic, and what the source is told about its dtype.
pub(crate) fn options((unit, t): ModuleKey) -> Vec<String> {
    let mut o = vec!["-std=c++17".to_string(), "-ffp-contract=off".to_string()];
    o.push(format!("-DRL_T={}", c_name(t)));
    let arithmetic = !matches!(t, DType::Bool | DType::F8E4M3 | DType::C64);
    for (name, yes) in [
        ("FLOAT", t.is_float() && arithmetic),
        ("INT", t.is_int()),
        ("SIGNED", t.is_signed_int()),
        ("NUMERIC", arithmetic),
        ("BOOL", t == DType::Bool),
    ] {
        o.push(format!("-DRL_{name}={}", yes as u8));
    }
    o.extend(unit.sizes().iter().map(|(name, bytes)| format!("-DRL_SIZEOF_{name}={bytes}")));
    o
}

/// Where compiled kernels are kept: `RUSHLIGHT_CACHE_DIR` (empty: nowhere), else the user's cache folder.
pub fn cache_dir() -> Option<PathBuf> {
    match std::env::var_os("RUSHLIGHT_CACHE_DIR") {
        Some(d) if d.is_empty() => None,
        Some(d) => Some(PathBuf::from(d)),
        None => match std::env::var_os("XDG_CACHE_HOME") {
            Some(d) if !d.is_empty() => Some(PathBuf::from(d).join("rushlight")),
            _ => Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/rushlight")),
        },
    }
}

fn cache_file(dir: &Path, id: &str) -> PathBuf {
    let mut h = DefaultHasher::new();
    id.hash(&mut h);
    dir.join("kernels").join(format!("{:016x}.co", h.finish()))
}

fn sum(code: &[u8]) -> [u8; 8] {
    let mut h = DefaultHasher::new();
    code.hash(&mut h);
    h.finish().to_le_bytes()
}

/// The code of a cache file whose first line is the id; a file of another id, a torn or a changed one is no hit.
fn read(file: &Path, id: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(file).ok()?;
    let rest = bytes.strip_prefix(id.as_bytes())?.strip_prefix(b"\n")?;
    let (len, rest) = rest.split_first_chunk::<8>()?;
    let (check, code) = rest.split_first_chunk::<8>()?;
    let whole = u64::from_le_bytes(*len) as usize == code.len() && !code.is_empty() && *check == sum(code);
    whole.then(|| code.to_vec())
}

/// Writes beside and renames, so that no reader sees a half.
pub(super) fn write(file: &Path, id: &str, code: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let Some(dir) = file.parent() else { return Ok(()) };
    std::fs::create_dir_all(dir)?;
    // Two devices of one process may compile the same kernel at once.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = file.file_name().and_then(|n| n.to_str()).unwrap_or("kernel");
    let temp = dir.join(format!("{name}.{}.{}.tmp", std::process::id(), COUNT.fetch_add(1, Relaxed)));
    let put = || {
        let mut out = std::fs::File::create(&temp)?;
        out.write_all(id.as_bytes())?;
        out.write_all(b"\n")?;
        out.write_all(&(code.len() as u64).to_le_bytes())?;
        out.write_all(&sum(code))?;
        out.write_all(code)
    };
    put().and_then(|()| std::fs::rename(&temp, file)).inspect_err(|_| {
        // A full disk is not filled up by halves.
        let _ = std::fs::remove_file(&temp);
    })
}
