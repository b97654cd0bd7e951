//! Ops that a vendor's library can run: chooses between library and kernel, and reports why a library is not used.
//!
//! A library is used when it opens for the device, supports the case, and its first product or convolution of that kind
//! agreed with a plain loop. Else our kernels run and one warning says why; or, where the library was asked for by name,
//! there is an error.
use super::dnn::Problems;
use super::launch::Call;
use super::runtime::{Failure, Outcome, Runtime};
use super::{GpuDevice, lock};
use crate::{DType, Error, Result};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Ops that vendors have a library for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Matrix products: rocBLAS, cuBLAS.
    Blas,
    /// Convolutions and pooling: MIOpen, cuDNN.
    Conv,
}

/// The code that runs a family of ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Choice {
    /// The library where it can, else this crate's kernels.
    Auto,
    /// This crate's kernels.
    Native,
    /// The library; an error where it cannot.
    Vendor,
}

impl Family {
    pub(crate) const ALL: [Self; 2] = [Self::Blas, Self::Conv];

    /// The environment's variable with the choice at the start.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Blas => "RUSHLIGHT_BLAS",
            Self::Conv => "RUSHLIGHT_CONV",
        }
    }

    fn choice(self) -> Result<Choice> {
        let Some(value) = std::env::var_os(self.variable()).filter(|v| !v.is_empty()) else {
            return Ok(Choice::Auto);
        };
        match value.to_str() {
            Some("auto") => Ok(Choice::Auto),
            Some("native") => Ok(Choice::Native),
            Some("vendor") => Ok(Choice::Vendor),
            _ => {
                let text =
                    format!("{}={}: expected auto, native or vendor", self.variable(), value.display());
                Err(Error::Device(text).bt())
            }
        }
    }
}

/// A matrix, or a batch of them, whose columns are contiguous (BLAS's order): address, elements from a column to the next
/// and from a matrix to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matrix {
    /// Address.
    pub ptr: u64,
    /// Elements from a column to the next.
    pub ld: u64,
    /// Elements from a matrix of the batch to the next; 0 where all are one.
    pub stride: u64,
}

/// `d = alpha op(a) op(b) + beta c` for each of a batch: `op(a)` is m x k, `op(b)` k x n. f16 and bf16 are computed in f32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gemm {
    /// Of all matrices: f16, bf16, f32 or f64.
    pub dtype: DType,
    /// Whether a, and b, are stored transposed.
    pub transposed: [bool; 2],
    /// Rows of d.
    pub m: u64,
    /// Columns of d.
    pub n: u64,
    /// The summed dimension.
    pub k: u64,
    /// Matrices.
    pub batch: u64,
    /// Factor of the product.
    pub alpha: f64,
    /// Factor of c, which is not read where this is 0.
    pub beta: f64,
    /// The left side.
    pub a: Matrix,
    /// The right side.
    pub b: Matrix,
    /// The summand; may be d.
    pub c: Matrix,
    /// The result.
    pub d: Matrix,
}

/// A library's own name of the dtype of a product, of those for f16, bf16, f32 and f64.
pub(super) fn product_type<T>(dtype: DType, [f16, bf16, f32, f64]: [T; 4]) -> Outcome<T> {
    match dtype {
        DType::F16 => Ok(f16),
        DType::BF16 => Ok(bf16),
        DType::F32 => Ok(f32),
        DType::F64 => Ok(f64),
        other => Err(Failure::Other(format!("it has no product of {other:?}"))),
    }
}

/// A library's handle of a device, once it was asked for: one, since the device has one stream.
#[derive(Debug)]
pub(super) struct Handle<T>(OnceLock<Mutex<T>>, &'static str);

impl<T> Handle<T> {
    pub const fn new(library: &'static str) -> Self {
        Self(OnceLock::new(), library)
    }

    /// Keeps what was opened; of two handles made at once, one.
    pub fn keep(&self, handle: T) {
        let _ = self.0.set(Mutex::new(handle));
    }

    /// Lends it to one caller.
    pub fn get(&self) -> Outcome<MutexGuard<'_, T>> {
        let handle = self.0.get().map(lock);
        handle.ok_or_else(|| Failure::Other(format!("{} was not opened", self.1)))
    }
}

/// Why a library does not run an op. It is reported once, unless no user would expect a library to run it.
#[derive(Debug)]
pub(crate) struct Reason {
    text: Cow<'static, str>,
    reported: AtomicBool,
}

impl Reason {
    pub const fn new(text: &'static str) -> Self {
        Self { text: Cow::Borrowed(text), reported: AtomicBool::new(false) }
    }

    /// For work that the library never runs: reported only if the user requires the library.
    pub const fn never(text: &'static str) -> Self {
        Self { text: Cow::Borrowed(text), reported: AtomicBool::new(true) }
    }
}

impl From<Failure> for Reason {
    fn from(f: Failure) -> Self {
        let text = match f {
            Failure::OutOfMemory => Cow::Borrowed("no device memory is left for it"),
            Failure::Other(text) => Cow::Owned(text),
        };
        Self { text, reported: AtomicBool::new(false) }
    }
}

/// Kinds of calls that are checked at their first use, by a number that the family gives them.
pub(super) const KINDS: usize = 128;

/// A kind of call: checked and good, or why it is not made.
#[derive(Debug, Default)]
struct Kind {
    good: AtomicBool,
    bad: OnceLock<Reason>,
}

#[derive(Debug)]
struct State {
    choice: AtomicU8,
    opened: OnceLock<std::result::Result<(), Reason>>,
    kinds: Box<[Kind]>,
    calls: AtomicU64,
}

/// The state of the vendor's libraries for a device.
#[derive(Debug)]
pub(crate) struct Vendor {
    families: [State; 2],
    /// Convolutions that were met.
    pub problems: Problems,
    /// First uses are made one at a time.
    first: Mutex<()>,
}

impl Vendor {
    /// Nothing opened; choices are the environment's.
    pub fn new() -> Result<Self> {
        let state = |family: Family| -> Result<State> {
            Ok(State {
                choice: AtomicU8::new(family.choice()? as u8),
                opened: OnceLock::new(),
                kinds: (0..KINDS).map(|_| Kind::default()).collect(),
                calls: AtomicU64::new(0),
            })
        };
        let [blas, conv] = Family::ALL;
        Ok(Self { families: [state(blas)?, state(conv)?], problems: Problems::new()?, first: Mutex::new(()) })
    }

    pub fn choice(&self, family: Family) -> Choice {
        match self.families[family as usize].choice.load(Relaxed) {
            1 => Choice::Native,
            2 => Choice::Vendor,
            _ => Choice::Auto,
        }
    }

    pub fn choose(&self, family: Family, choice: Choice) {
        self.families[family as usize].choice.store(choice as u8, Relaxed);
    }

    /// Calls of a family's library so far.
    pub fn calls(&self, family: Family) -> u64 {
        self.families[family as usize].calls.load(Relaxed)
    }
}

/// The library of a family on a device, as [`by_library`] lends it.
pub(crate) struct Library<'a, R: Runtime> {
    dev: &'a GpuDevice<R>,
    family: Family,
}

/// Whether a library ran the op, or the reason why not.
pub(crate) type Asked<'a> = std::result::Result<(), &'a Reason>;

impl<'a, R: Runtime> Library<'a, R> {
    fn state(&self) -> &'a State {
        &self.dev.vendor().families[self.family as usize]
    }

    /// Whether the library can be used on this device. It is opened once.
    fn open(&self) -> Asked<'a> {
        let opened = &self.state().opened;
        let done =
            opened.get_or_init(|| self.roomy(|| self.dev.runtime().open(self.family)).map_err(Reason::from));
        done.as_ref().copied()
    }

    /// Whether calls of a kind may be made: the library opens, and `check`, run at the kind's first use, finds its
    /// results right.
    pub fn kind(&self, kind: usize, check: impl FnOnce() -> Outcome<()>) -> Asked<'a> {
        let at = &self.state().kinds[kind];
        if let Some(reason) = at.bad.get() {
            return Err(reason);
        }
        if at.good.load(Relaxed) {
            return Ok(());
        }
        if let Some(Err(reason)) = self.state().opened.get() {
            return Err(reason);
        }
        let _one = lock(&self.dev.vendor().first);
        self.open()?;
        if at.bad.get().is_none() && !at.good.load(Relaxed) {
            match check() {
                Ok(()) => at.good.store(true, Relaxed),
                Err(f) => drop(at.bad.set(f.into())),
            }
        }
        at.bad.get().map_or(Ok(()), Err)
    }

    /// Makes a call of a kind and counts it. After one that fails the kind is not called again.
    pub fn call(&self, kind: usize, call: impl FnMut() -> Outcome<()>) -> Asked<'a> {
        self.attempt(call).map_err(|f| self.distrust(kind, f))
    }

    /// Makes a call and counts it.
    pub fn attempt(&self, call: impl FnMut() -> Outcome<()>) -> Outcome<()> {
        self.roomy(call)?;
        self.state().calls.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Calls of a kind are not made again, for the first reason that is given.
    pub fn distrust(&self, kind: usize, why: Failure) -> &'a Reason {
        self.state().kinds[kind].bad.get_or_init(|| why.into())
    }

    /// Whether the user requires the library.
    pub fn by_name(&self) -> bool {
        self.dev.vendor().choice(self.family) == Choice::Vendor
    }

    /// Libraries allocate memory themselves: if none is left, releases our cache and retries.
    pub fn roomy(&self, mut call: impl FnMut() -> Outcome<()>) -> Outcome<()> {
        match call() {
            Err(Failure::OutOfMemory) => {
                lock(&self.dev.0.pool).empty(self.dev.runtime())?;
                call()
            }
            other => other,
        }
    }
}

/// Runs an op by the library of a family, if it is chosen and can run it. Returns `false` if our kernels must run; the reason was
/// reported.
pub(crate) fn by_library<'a, R: Runtime>(
    c: &Call<'a, R>,
    family: Family,
    run: impl FnOnce(&Library<'a, R>) -> Asked<'a>,
) -> Result<bool> {
    let choice = c.dev.vendor().choice(family);
    if choice == Choice::Native || crate::deterministic() {
        return Ok(false);
    }
    match run(&Library { dev: c.dev, family }) {
        Ok(()) => Ok(true),
        Err(reason) if choice == Choice::Auto => {
            warn::<R>(family, reason);
            Ok(false)
        }
        Err(reason) => {
            let (what, library) = (c.describe(), R::library(family));
            let text = format!(
                "{what}: {}=vendor asks for {library}, which cannot do it: {}; `auto` or `native` take rushlight's kernels",
                family.variable(),
                reason.text
            );
            Err(Error::Device(text).bt())
        }
    }
}

/// Prints to stderr, once in a process, why our kernels run instead of a library.
fn warn<R: Runtime>(family: Family, reason: &Reason) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if reason.reported.swap(true, Relaxed) {
        return;
    }
    let text = format!(
        "rushlight: its own kernels run where {} would: {} ({}=native is silent, =vendor an error)",
        R::library(family),
        reason.text,
        family.variable()
    );
    if lock(&TOLD).insert(text.clone()) {
        eprintln!("{text}");
    }
}
