//! The kernel sources, and the cache that maps a kernel (unit, dtypes, name, variant) to a launchable function. It
//! consists of a table in memory, which is read without a lock, and of files with compiled code objects.
use super::archive::{self, Archives};
use super::compile_limiter::{self, CompileLimiter};
use super::fault::Checker;
use super::kernel_files::{cache_file, read, write};
use super::launch::{ElementwiseParams, NoParams, StridedIter};
use super::params::{self, Declaration};
use super::run::bias_activation::{ActivationKind, ActivationParams};
use super::run::decompose::DecomposeParams;
use super::run::elementwise::{
    AffineParams, ArangeParams, ClampParams, FillParams, PlaneParams, ScalarParams, TriangleParams,
};
use super::run::fft::FftParams;
use super::run::grid_sample::{GridSampleParams, SampleEdge, SampleScale};
use super::run::index::{GatherParams, IndexDType, IndexMode, IndexTensor, ScatterParams};
use super::run::linalg::LinalgParams;
use super::run::loss::{LossMode, LossParams};
use super::run::matmul::{BetaKind, MatMulParams, MatrixStrides};
use super::run::norm::{FusedNormParams, NormActivation, NormParams, NormSource};
use super::run::optim::{
    AdagradParams, AdamParams, ClipParams, RmspropParams, SgdParams, StepParams, TableParams, UnscaleParams,
};
use super::run::pad::{PadKind, PadParams};
use super::run::pointwise_loss::{LossKind, PointwiseLossParams};
use super::run::solver::{SolverParams, SolverPart};
use super::run::sort::{CumSumParams, SortParams};
use super::run::{
    accumulate_norm::NormTotalParams,
    activation::ActivationNumbers,
    attention::AttentionParams,
    batch_norm::BatchNormParams,
    conv::ConvParams,
    grouped_matmul::GroupedParams,
    im2col::ColumnParams,
    pooling::PoolParams,
    quantized::{BlockFormat, QuantizedParams},
    random::RandomParams,
    recurrent::CellParams,
    reduce::ReduceParams,
    rotary_embedding::RotaryParams,
    softmax::SoftmaxParams,
    softplus::SoftplusParams,
    sparse::SparseParams,
    spatial::SpatialTensor,
    upsample::ResizeParams,
};
use super::runtime::{Failure, Outcome, Runtime, c_name};
use super::settings::Settings;
pub(crate) use super::variant::Variant;
use crate::dtype::sets::{ALL, COMPLEX, FLOAT, NUMBER, NUMERIC, ORDERED, PARTS};
use crate::profiler::{self, Event, Kind};
use crate::{DType, DTypeSet};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Headers of the kernel sources.
pub(crate) const HEADERS: &[(&str, &str)] = &[
    ("port.h", include_str!("../../hip/port.h")),
    ("num.h", include_str!("../../hip/num.h")),
    ("complex.h", include_str!("../../hip/complex.h")),
    ("params.h", include_str!("../../hip/params.h")),
    ("elementwise.h", include_str!("../../hip/elementwise.h")),
    ("activation.h", include_str!("../../hip/activation.h")),
    ("fault.h", include_str!("../../hip/fault.h")),
    ("philox.h", include_str!("../../hip/philox.h")),
    ("optim.h", include_str!("../../hip/optim.h")),
    ("reduce.h", include_str!("../../hip/reduce.h")),
    ("line.h", include_str!("../../hip/line.h")),
    ("norm.h", include_str!("../../hip/norm.h")),
    ("index.h", include_str!("../../hip/index.h")),
    ("gemm.h", include_str!("../../hip/gemm.h")),
    ("atoms.h", include_str!("../../hip/atoms.h")),
    ("mma.h", include_str!("../../hip/mma.h")),
    ("attention.h", include_str!("../../hip/attention.h")),
    ("attention_lanes.h", include_str!("../../hip/attention_lanes.h")),
    ("attention_matrix.h", include_str!("../../hip/attention_matrix.h")),
    ("attention_gradient.h", include_str!("../../hip/attention_gradient.h")),
    ("blocks.h", include_str!("../../hip/blocks.h")),
    ("int8.h", include_str!("../../hip/int8.h")),
    ("spatial.h", include_str!("../../hip/spatial.h")),
    ("conv_matrix.h", include_str!("../../hip/conv_matrix.h")),
    ("reflections.h", include_str!("../../hip/reflections.h")),
];

macro_rules! units {
    ($($v:ident $file:literal $set:ident [$($t:ty),*];)*) => {
        /// A unit: one kernel source file, compiled for one dtype at a time.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum Unit { $($v),* }

        impl Unit {
            pub const ALL: &'static [Unit] = &[$(Unit::$v),*];
            /// Dtypes for which the unit is compiled.
            pub const fn dtypes(self) -> DTypeSet {
                match self { $(Unit::$v => $set),* }
            }
            /// Returns the stem of the file's name.
            pub fn name(self) -> &'static str {
                match self { $(Unit::$v => $file),* }
            }
            /// Returns the built-in source.
            pub fn source(self) -> &'static str {
                match self { $(Unit::$v => include_str!(concat!("../../hip/", $file, ".hip"))),* }
            }
            /// Returns the parameter structs of the unit's kernels, with their sizes in bytes.
            pub fn sizes(self) -> &'static [(&'static str, usize)] {
                match self { $(Unit::$v => const { &[$((stringify!($t), size_of::<$t>())),*] }),* }
            }
        }
    };
}
/// Dtypes of kernels that only move elements: the unsigned integers of each element size, and C128 for 16 bytes.
const WORDS: DTypeSet = DTypeSet::of(&[DType::U8, DType::U16, DType::U32, DType::U64, DType::C128]);
/// `WORDS`, and the dtypes of arithmetic.
const WORDS_NUMERIC: DTypeSet = WORDS.or(NUMERIC);
/// `WORDS`, and the float dtypes, for which gradients are computed.
const WORDS_FLOAT: DTypeSet = WORDS.or(FLOAT);
/// Complex dtypes and those of their parts.
const COMPLEX_PARTS: DTypeSet = COMPLEX.or(PARTS);
/// Dtypes of matrices that are factorized, and of exchanges of their rows.
const MATRIX: DTypeSet = PARTS.or(DTypeSet::of(&[DType::I32, DType::I64]));
const EIGHT_BITS: DTypeSet = DTypeSet::of(&[DType::F8E4M3]);
const NUMERIC_F8: DTypeSet = NUMERIC.or(EIGHT_BITS);
const ORDERED_F8: DTypeSet = ORDERED.or(EIGHT_BITS);

// The list of kernel sources: file, dtypes, and the parameter structs of its kernels. A new unit needs an entry here.
units! {
    Unary "unary" ORDERED [ElementwiseParams<2, NoParams>];
    Binary "binary" ORDERED [ElementwiseParams<3, NoParams>];
    Compare "compare" ORDERED [ElementwiseParams<2, NoParams>, ElementwiseParams<3, NoParams>];
    Complex "complex" COMPLEX_PARTS [ElementwiseParams<2, NoParams>, ElementwiseParams<3, NoParams>,
        ElementwiseParams<2, AffineParams>];
    ComplexUnary "complex_unary" COMPLEX [ElementwiseParams<2, NoParams>];
    Cast "cast" ALL [ElementwiseParams<2, NoParams>];
    Move "move" WORDS [ElementwiseParams<2, NoParams>, ElementwiseParams<4, NoParams>,
        ElementwiseParams<1, FillParams>, ElementwiseParams<2, TriangleParams>, ElementwiseParams<2, PlaneParams>];
    Scale "scale" NUMERIC_F8 [ElementwiseParams<2, AffineParams>, ElementwiseParams<2, ScalarParams>,
        ElementwiseParams<4, ScalarParams>, ElementwiseParams<1, ArangeParams>, ElementwiseParams<2, ClampParams>,
        ElementwiseParams<3, ClampParams>, ElementwiseParams<3, ScalarParams>, ElementwiseParams<4, NoParams>];
    Reduce "reduce" NUMBER [ReduceParams<1>];
    Extreme "extreme" ORDERED [ReduceParams<1>];
    Softmax "softmax" FLOAT [ReduceParams<1>, ReduceParams<2>, SoftmaxParams];
    Loss "loss" FLOAT [ReduceParams<1>, LossParams];
    Norm "norm" FLOAT [ReduceParams<1>, ReduceParams<2>, NormParams, FusedNormParams];
    BatchNorm "batch_norm" FLOAT [ReduceParams<1>, ReduceParams<2>, BatchNormParams];
    Attention "attention" FLOAT [AttentionParams];
    RotaryEmbedding "rotary_embedding" FLOAT [ElementwiseParams<4, RotaryParams>];
    Optim "optim" FLOAT [ElementwiseParams<2, SgdParams>, ElementwiseParams<3, SgdParams>, ElementwiseParams<4, AdamParams>,
        ElementwiseParams<3, RmspropParams>, ElementwiseParams<4, RmspropParams>, ElementwiseParams<5, RmspropParams>,
        ElementwiseParams<3, AdagradParams>, ElementwiseParams<1, UnscaleParams>, ElementwiseParams<1, ClipParams>,
        TableParams<2, SgdParams>, TableParams<3, SgdParams>, TableParams<4, AdamParams>, TableParams<3, RmspropParams>,
        TableParams<4, RmspropParams>, TableParams<5, RmspropParams>, TableParams<3, AdagradParams>,
        ElementwiseParams<3, StepParams>, ElementwiseParams<4, StepParams>, ElementwiseParams<5, StepParams>,
        TableParams<3, StepParams>, TableParams<4, StepParams>, TableParams<5, StepParams>, TableParams<1, UnscaleParams>, TableParams<1, ClipParams>];
    Layerwise "layerwise" FLOAT [ElementwiseParams<3, StepParams>, ElementwiseParams<4, StepParams>,
        ElementwiseParams<5, StepParams>, TableParams<3, StepParams>, TableParams<4, StepParams>, TableParams<5, StepParams>];
    AccumulateNorm "accumulate_norm" FLOAT [TableParams<2, ScalarParams>, ReduceParams<1>, NormTotalParams];
    Random "random" ORDERED_F8 [ElementwiseParams<1, RandomParams>, ElementwiseParams<2, RandomParams>,
        ElementwiseParams<3, RandomParams>];
    CumSum "cumsum" NUMERIC [CumSumParams];
    Fft "fft" COMPLEX [FftParams];
    Sort "sort" ORDERED [SortParams];
    Index "index" WORDS [GatherParams, ScatterParams];
    IndexAdd "index_add" NUMERIC [GatherParams, ScatterParams, ElementwiseParams<2, NoParams>];
    ScatterReduce "scatter_reduce" NUMERIC [GatherParams, ScatterParams];
    MatMul "matmul" NUMERIC [MatMulParams];
    Conv "conv" NUMERIC [ConvParams];
    Pooling "pooling" NUMERIC [PoolParams];
    Upsample "upsample" WORDS_NUMERIC [ResizeParams];
    Im2Col "im2col" WORDS_NUMERIC [ColumnParams];
    Pad "pad" WORDS_FLOAT [PadParams];
    GridSample "grid_sample" FLOAT [GridSampleParams];
    GroupedMatMul "grouped_matmul" FLOAT [GroupedParams];
    Sparse "sparse" NUMERIC [SparseParams];
    Quantized "quantized" FLOAT [QuantizedParams];
    QuantizedInt8 "quantized_int8" FLOAT [QuantizedParams];
    Linalg "linalg" MATRIX [LinalgParams];
    Decompose "decompose" COMPLEX_PARTS [DecomposeParams];
    Solver "solver" COMPLEX_PARTS [SolverParams];
    Activation "activation" FLOAT [ElementwiseParams<2, ActivationNumbers>, ElementwiseParams<3, ActivationNumbers>];
    Softplus "softplus" FLOAT [ElementwiseParams<2, SoftplusParams>];
    BiasActivation "bias_activation" FLOAT [ElementwiseParams<3, ActivationParams>,
        ElementwiseParams<4, ActivationParams>];
    PointwiseLoss "pointwise_loss" FLOAT [ElementwiseParams<3, PointwiseLossParams>,
        ElementwiseParams<4, PointwiseLossParams>, ReduceParams<2>];
    Recurrent "recurrent" FLOAT [ElementwiseParams<3, CellParams>, ElementwiseParams<4, CellParams>,
        ElementwiseParams<5, CellParams>];
}

/// Returns the text of hip/params.h, which `cargo xtask generate` writes, from the declarations of the parameter structs.
pub fn params_header() -> String {
    let declarations: &[Declaration] = &[
        StridedIter::<1>::DECLARATION,
        NoParams::DECLARATION,
        ElementwiseParams::<1, NoParams>::DECLARATION,
        FillParams::DECLARATION,
        PlaneParams::DECLARATION,
        TriangleParams::DECLARATION,
        AffineParams::DECLARATION,
        ScalarParams::DECLARATION,
        ClampParams::DECLARATION,
        ArangeParams::DECLARATION,
        RandomParams::DECLARATION,
        Checker::DECLARATION,
        SgdParams::DECLARATION,
        AdamParams::DECLARATION,
        RmspropParams::DECLARATION,
        AdagradParams::DECLARATION,
        StepParams::DECLARATION,
        ClipParams::DECLARATION,
        UnscaleParams::DECLARATION,
        TableParams::<1, NoParams>::DECLARATION,
        ReduceParams::<1>::DECLARATION,
        NormTotalParams::DECLARATION,
        SoftmaxParams::DECLARATION,
        NormParams::DECLARATION,
        BatchNormParams::DECLARATION,
        AttentionParams::DECLARATION,
        RotaryParams::DECLARATION,
        IndexDType::DECLARATION,
        IndexMode::DECLARATION,
        IndexTensor::DECLARATION,
        NormSource::DECLARATION,
        NormActivation::DECLARATION,
        FusedNormParams::DECLARATION,
        GatherParams::DECLARATION,
        ScatterParams::DECLARATION,
        LossMode::DECLARATION,
        LossParams::DECLARATION,
        CumSumParams::DECLARATION,
        FftParams::DECLARATION,
        SortParams::DECLARATION,
        BetaKind::DECLARATION,
        MatrixStrides::DECLARATION,
        MatMulParams::DECLARATION,
        SpatialTensor::DECLARATION,
        ConvParams::DECLARATION,
        PoolParams::DECLARATION,
        ResizeParams::DECLARATION,
        GroupedParams::DECLARATION,
        SparseParams::DECLARATION,
        BlockFormat::DECLARATION,
        QuantizedParams::DECLARATION,
        LinalgParams::DECLARATION,
        DecomposeParams::DECLARATION,
        SolverPart::DECLARATION,
        SolverParams::DECLARATION,
        SampleEdge::DECLARATION,
        SampleScale::DECLARATION,
        GridSampleParams::DECLARATION,
        ColumnParams::DECLARATION,
        PadKind::DECLARATION,
        PadParams::DECLARATION,
        ActivationNumbers::DECLARATION,
        SoftplusParams::DECLARATION,
        ActivationKind::DECLARATION,
        ActivationParams::DECLARATION,
        LossKind::DECLARATION,
        PointwiseLossParams::DECLARATION,
        CellParams::DECLARATION,
    ];
    let mut sizes: Vec<(&str, usize)> = Unit::ALL.iter().flat_map(|u| u.sizes().iter().copied()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    params::header(declarations, &sizes)
}

/// Identifies a kernel: its name in the source is `NAME_T_VARIANT`, or `NAME_T_U_VARIANT` if it has a second dtype.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernel {
    pub unit: Unit,
    pub t: DType,
    pub u: Option<DType>,
    pub name: &'static str,
    pub variant: Variant,
}

type Id = [u64; 2];

impl Kernel {
    /// Returns a kernel that has no second dtype.
    pub fn new(unit: Unit, t: DType, name: &'static str, variant: Variant) -> Self {
        Self { unit, t, u: None, name, variant }
    }

    /// Returns the key for the table in memory: the enum values, and the name's address and length (names are static).
    fn id(&self) -> Id {
        let small = (self.unit as u64) << 48
            | (self.t as u64) << 40
            | self.u.map_or(0xFF, |u| u as u64) << 32
            | (self.name.len() as u64) << 16
            | self.variant as u64;
        [small, self.name.as_ptr() as u64]
    }

    pub fn symbol(&self) -> String {
        match self.u {
            None => format!("{}_{}_{}", self.name, c_name(self.t), self.variant.suffix()),
            Some(u) => format!("{}_{}_{}_{}", self.name, c_name(self.t), c_name(u), self.variant.suffix()),
        }
    }
}

const SLOTS: usize = 1 << 13;

/// One compilation: a unit for a dtype, which contains the kernels of every second dtype.
type ModuleKey = (Unit, DType);
/// The text of a source.
type Text = std::borrow::Cow<'static, str>;

/// A module, and the lock that a thread holds while it loads the module.
struct Loaded<M> {
    making: Mutex<()>,
    module: OnceLock<M>,
}

/// Loaded modules and functions of one device.
pub(crate) struct Kernels<R: Runtime> {
    table: Box<[OnceLock<(Id, R::Function)>]>,
    insert: Mutex<()>,
    modules: Mutex<HashMap<ModuleKey, Arc<Loaded<R::Module>>>>,
    compiling: CompileLimiter,
    compiles: AtomicU64,
    /// The folder that keeps compiled code between processes.
    dir: Option<PathBuf>,
    /// A folder from which sources are read instead of the built-in ones.
    from: Option<PathBuf>,
    archives: Archives,
}

/// Where code comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Origin {
    Compiler,
    Cache,
    Archive,
}

impl<R: Runtime> std::fmt::Debug for Kernels<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kernels")
    }
}

impl<R: Runtime> Kernels<R> {
    /// Returns an empty cache. Code objects are kept in a folder, or come from archives; sources are built in, or read
    /// from a folder.
    pub fn new(settings: &Settings) -> Self {
        Self {
            table: (0..SLOTS).map(|_| OnceLock::new()).collect(),
            insert: Mutex::new(()),
            modules: Mutex::default(),
            compiling: CompileLimiter::default(),
            compiles: AtomicU64::new(0),
            dir: settings.cache.clone(),
            from: settings.sources.clone(),
            archives: Archives::new(settings.archives.clone()),
        }
    }
}

/// Returns the indices in [`HEADERS`] of the headers that a text includes.
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
    /// Returns the function of a kernel. If it is in the table, this reads a few words; otherwise the kernel's unit is
    /// compiled and loaded.
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

    /// Returns the function of a kernel whose unit is loaded, during a capture.
    pub fn get_recording(&self, rt: &R, kernel: &Kernel) -> Outcome<Option<R::Function>> {
        if let Some(f) = self.find(&kernel.id()) {
            return Ok(Some(f.clone()));
        }
        let map = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        match map.get(&(kernel.unit, kernel.t)).and_then(|cell| cell.module.get()) {
            Some(module) => rt.function_recording(module, &kernel.symbol()).map(Some),
            None => Ok(None),
        }
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

    /// Returns the number of units compiled.
    pub fn compiles(&self) -> u64 {
        self.compiles.load(Relaxed)
    }

    /// Returns the names of the units and dtypes that are loaded.
    pub fn loaded(&self) -> Vec<(&'static str, &'static str)> {
        let all = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = all.iter().filter(|(_, cell)| cell.module.get().is_some());
        let mut names: Vec<_> = loaded.map(|((unit, t), _)| (unit.name(), c_name(*t))).collect();
        names.sort_unstable();
        names
    }

    /// Compiles and loads a unit, unless it is loaded.
    pub fn prepare(&self, rt: &R, unit: Unit, dtype: DType) -> Outcome<()> {
        self.module(rt, (unit, dtype)).map(|_| ())
    }

    /// Returns an error if compiled code could not be stored in the cache folder.
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
            // A second thread that needs the same module waits here, and then finds it loaded.
            let _one = cell.making.lock().unwrap_or_else(PoisonError::into_inner);
            if cell.module.get().is_none() {
                let (code, origin) = self.code(rt, key, true)?;
                let made = match rt.load(&code) {
                    // Code from disk that cannot be loaded is compiled.
                    Err(why) if origin != Origin::Compiler => {
                        if origin == Origin::Archive {
                            self.archives.refuse(key.0.name(), why.text());
                        }
                        rt.load(&self.code(rt, key, false)?.0)?
                    }
                    made => made?,
                };
                let _ = cell.module.set(made);
            }
        }
        Ok(cell)
    }

    /// Returns headers and source of a unit. Only the headers that the unit includes are read, so a change of another
    /// header does not recompile it.
    fn sources(&self, unit: Unit) -> Outcome<(Vec<(&'static str, Text)>, Text)> {
        let text = |file: &str, built_in| match &self.from {
            None => Ok(Text::Borrowed(built_in)),
            Some(folder) => {
                let path = folder.join(file);
                let text = std::fs::read_to_string(&path);
                let error = |e| Failure::Other(format!("RUSHLIGHT_KERNEL_SOURCES: {}: {e}", path.display()));
                text.map(Text::Owned).map_err(error)
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

    /// Returns the code object of a unit, and its origin. If `kept` is true, the cached file is used if it exists, else
    /// that of an archive. Otherwise the unit is compiled, and stored in the cache.
    fn code(&self, rt: &R, key: ModuleKey, kept: bool) -> Outcome<(Vec<u8>, Origin)> {
        let (unit, t) = key;
        if !unit.dtypes().contains(t) {
            // The ahead-of-time build uses the same list, so it lacks this dtype, too.
            let what = format!("the list of kernel sources has no {} for {key:?}", unit.name());
            return Err(Failure::Other(what));
        }
        let options = options(t);
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
            return Ok((code, Origin::Cache));
        }
        let hash = || archive::source_hash(&headers, &source, &options);
        let of = [unit.name(), c_name(t)];
        if kept && let Some(code) = self.archives.find(&info.arch, of, self.from.is_some(), hash) {
            return Ok((code, Origin::Archive));
        }
        let name = format!("{}.hip", unit.name());
        let _permit = self.compiling.acquire();
        let compile = || rt.compile(&name, &source, &headers, &options);
        let event = || Event::new(Kind::Compile, format!("{} {}", unit.name(), c_name(t)), None, 0);
        let code = profiler::span(event, || compile_limiter::noted(|| self.note(rt), compile))?;
        self.compiles.fetch_add(1, Relaxed);
        if let Some(file) = &file {
            // A cache that cannot be written is not an error: the next process compiles again.
            let _ = write(file, &id, &code);
        }
        Ok((code, Origin::Compiler))
    }

    /// Returns the note that is printed when compiling takes long.
    fn note(&self, rt: &R) -> String {
        let info = rt.info();
        let kept = match &self.dir {
            Some(d) => format!("they are kept in {} (`rushlight warm` compiles them ahead)", d.display()),
            None => "RUSHLIGHT_CACHE_DIR is empty, so they are not kept".to_string(),
        };
        format!("compiling kernels for {} ({}) as they are first used; {kept}", info.name, info.arch)
    }
}

/// Returns the compile options for a dtype: the language, exact arithmetic, and macros that describe the dtype.
pub(crate) fn options(t: DType) -> Vec<String> {
    let mut o = vec!["-std=c++17".to_string(), "-ffp-contract=off".to_string()];
    o.push(format!("-DRL_T={}", c_name(t)));
    o.push(format!("-DRL_T_IS_{}=1", c_name(t)));
    o.push(format!("-DRL_BYTES={}", t.size_in_bytes()));
    let arithmetic = NUMERIC.contains(t);
    for (name, yes) in [
        ("FLOAT", t.is_float() && arithmetic),
        ("INT", t.is_int()),
        ("SIGNED", t.is_signed_int()),
        ("NUMERIC", arithmetic),
        ("BOOL", t == DType::Bool),
        ("COMPLEX", t.is_complex()),
        ("WORD", WORDS.contains(t)),
    ] {
        o.push(format!("-DRL_{name}={}", yes as u8));
    }
    o
}
