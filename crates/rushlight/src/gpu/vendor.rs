//! Ops that a vendor's library can run: chooses between library and kernel, and reports why a library is not used.
//!
//! A library is used if it opens for the device, supports the op, and its first result of that kind agrees with a plain
//! loop or our kernel. Otherwise our kernels run, and a warning gives the reason once; if the user requires the
//! library, there is an error instead.
use super::dnn::Problems;
use super::launch::Call;
use super::runtime::{Failure, Outcome, Runtime};
use super::{GpuDevice, lock};
use crate::profiler;
use crate::settings::of_device;
use crate::{DType, Error, Result};
use rushlight_load::settings::{BLAS, CONV, FFT, SOLVER, Setting};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// A family of ops for which vendors have a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Matrix products: rocBLAS, cuBLAS.
    Blas,
    /// Convolutions and pooling: MIOpen, cuDNN.
    Conv,
    /// Fourier transforms: rocFFT, cuFFT.
    Fft,
    /// Decompositions of matrices: rocSOLVER, cuSOLVER.
    Solver,
}

/// The code that runs a family of ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Choice {
    /// The library where it can run the op, else this crate's kernels.
    Auto,
    /// This crate's kernels.
    Native,
    /// The library. If it cannot run the op, there is an error.
    Vendor,
}

impl Family {
    pub(crate) const ALL: [Self; 4] = [Self::Blas, Self::Conv, Self::Fft, Self::Solver];

    fn setting(self) -> &'static Setting {
        match self {
            Self::Blas => &BLAS,
            Self::Conv => &CONV,
            Self::Fft => &FFT,
            Self::Solver => &SOLVER,
        }
    }

    /// Returns the name of the environment variable that sets the initial choice.
    pub fn variable(self) -> &'static str {
        self.setting().name
    }

    fn choice(self) -> Result<Choice> {
        Ok(match self.setting().choice().map_err(of_device)? {
            Some("native") => Choice::Native,
            Some("vendor") => Choice::Vendor,
            _ => Choice::Auto,
        })
    }
}

/// A matrix, or a batch of matrices, whose columns are contiguous (BLAS's order).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matrix {
    /// Address of the first element.
    pub ptr: u64,
    /// Distance from one column to the next, in elements.
    pub ld: u64,
    /// Distance from one matrix of the batch to the next, in elements; 0 if all are the same matrix.
    pub stride: u64,
}

/// A batch of products `d = alpha op(a) op(b) + beta c`, where `op(a)` is m x k and `op(b)` is k x n. f16 and bf16
/// accumulate in f32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gemm {
    /// Dtype of all matrices: f16, bf16, f32 or f64.
    pub dtype: DType,
    /// Whether a is stored transposed, and whether b is.
    pub transposed: [bool; 2],
    /// Number of rows of d.
    pub m: u64,
    /// Number of columns of d.
    pub n: u64,
    /// Size of the dimension that is summed over.
    pub k: u64,
    /// Number of matrices in the batch.
    pub batch: u64,
    /// Factor of the product.
    pub alpha: f64,
    /// Factor of c. If it is 0, c is not read.
    pub beta: f64,
    /// The left factor.
    pub a: Matrix,
    /// The right factor.
    pub b: Matrix,
    /// The summand, which may be d.
    pub c: Matrix,
    /// The result.
    pub d: Matrix,
}

/// Selects the library's constant for the dtype of a product, from those for f16, bf16, f32 and f64.
pub(super) fn product_type<T>(dtype: DType, [f16, bf16, f32, f64]: [T; 4]) -> Outcome<T> {
    match dtype {
        DType::F16 => Ok(f16),
        DType::BF16 => Ok(bf16),
        DType::F32 => Ok(f32),
        DType::F64 => Ok(f64),
        other => Err(Failure::Other(format!("it has no product of {other:?}"))),
    }
}

/// A library's handle for a device, set when the library is opened. One is enough, since a device has one stream.
#[derive(Debug)]
pub(super) struct Handle<T>(OnceLock<Mutex<T>>, &'static str);

impl<T> Handle<T> {
    pub const fn new(library: &'static str) -> Self {
        Self(OnceLock::new(), library)
    }

    /// Stores the handle. If two threads open the library at once, the first handle is kept.
    pub fn keep(&self, handle: T) {
        let _ = self.0.set(Mutex::new(handle));
    }

    /// Locks the handle for one caller.
    pub fn get(&self) -> Outcome<MutexGuard<'_, T>> {
        let handle = self.0.get().map(lock);
        handle.ok_or_else(|| Failure::Other(format!("{} was not opened", self.1)))
    }
}

/// The reason why a library does not run an op. It is reported once, or never, if no user would expect a library to run
/// the op.
#[derive(Debug)]
pub(crate) struct Reason {
    text: Cow<'static, str>,
    reported: AtomicBool,
}

impl Reason {
    pub const fn new(text: &'static str) -> Self {
        Self { text: Cow::Borrowed(text), reported: AtomicBool::new(false) }
    }

    /// Makes a reason for work that the library never runs. It is reported only if the user requires the library.
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

/// Number of kinds of calls. Each kind is checked at its first use; the family numbers its kinds.
pub(super) const KINDS: usize = 128;

/// The state of a kind of call: checked successfully, or the reason why it must not be used.
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
    families: Box<[State]>,
    /// The problems of convolutions that have occurred.
    pub problems: Problems,
    /// Lock under which first uses of a kind are checked one at a time.
    first: Mutex<()>,
}

impl Vendor {
    /// Returns the state before any library is opened, with the environment's choices.
    pub fn new() -> Result<Self> {
        let state = |family: Family| -> Result<State> {
            Ok(State {
                choice: AtomicU8::new(family.choice()? as u8),
                opened: OnceLock::new(),
                kinds: (0..KINDS).map(|_| Kind::default()).collect(),
                calls: AtomicU64::new(0),
            })
        };
        let families = Family::ALL.into_iter().map(state).collect::<Result<_>>()?;
        Ok(Self { families, problems: Problems::new()?, first: Mutex::new(()) })
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

    /// Returns the number of calls of a family's library so far.
    pub fn calls(&self, family: Family) -> u64 {
        self.families[family as usize].calls.load(Relaxed)
    }
}

/// Access to the library of a family on a device, which [`by_library`] passes to a function.
pub(crate) struct Library<'a, R: Runtime> {
    dev: &'a GpuDevice<R>,
    family: Family,
}

/// Why a library cannot run an op during a capture, where other kernels than before the capture must not run.
pub(crate) static FIRST_USE: Reason = Reason::never(
    "the library checks its first call of a kind, and waits for it; run the function once before the capture",
);
static REFUSED: Reason = Reason::never("the library refused the call");
static WAITS: Reason = Reason::never("the library waits for the GPU");

/// `Ok` if a library ran the op, else the reason why it did not.
pub(crate) type Asked<'a> = std::result::Result<(), &'a Reason>;

impl<'a, R: Runtime> Library<'a, R> {
    fn state(&self) -> &'a State {
        &self.dev.vendor().families[self.family as usize]
    }

    /// Opens the library on this device, once, or returns the reason why it cannot be used.
    fn open(&self) -> Asked<'a> {
        let opened = &self.state().opened;
        let done =
            opened.get_or_init(|| self.roomy(|| self.dev.runtime().open(self.family)).map_err(Reason::from));
        done.as_ref().copied()
    }

    /// Checks whether calls of a kind are allowed: the library must open, and `check`, which runs at the kind's first
    /// use, must find its results correct.
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
        if self.dev.is_recording() {
            return Err(&FIRST_USE);
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

    /// Makes a call of a kind and counts it. If it fails, the kind is not used again.
    pub fn call(&self, kind: usize, call: impl FnMut() -> Outcome<()>) -> Asked<'a> {
        self.attempt(call).map_err(|f| match self.dev.is_recording() {
            // The call may work outside of a capture.
            true => &REFUSED,
            false => self.distrust(kind, f),
        })
    }

    /// Makes a call and counts it, if it succeeds.
    pub fn attempt(&self, call: impl FnMut() -> Outcome<()>) -> Outcome<()> {
        let event = || self.dev.event(profiler::Kind::Library, R::library(self.family), 0);
        self.dev.profiled(event, || self.roomy(call))?;
        self.state().calls.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Marks a kind as not to be used again. The first reason is kept.
    pub fn distrust(&self, kind: usize, why: Failure) -> &'a Reason {
        self.state().kinds[kind].bad.get_or_init(|| why.into())
    }

    /// Whether the user requires the library.
    pub fn by_name(&self) -> bool {
        self.dev.vendor().choice(self.family) == Choice::Vendor
    }

    /// Makes a call. Libraries allocate memory themselves, so if none is left, releases our cache and retries.
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

/// Runs an op by the library of a family, if the library is chosen and can run the op. Returns `false` if our kernels
/// must run; the reason has then been reported.
pub(crate) fn by_library<'a, R: Runtime>(
    c: &Call<'a, R>,
    family: Family,
    run: impl FnOnce(&Library<'a, R>) -> Asked<'a>,
) -> Result<bool> {
    let choice = c.dev.vendor().choice(family);
    if choice == Choice::Native || crate::deterministic() {
        return Ok(false);
    }
    let recording = c.dev.is_recording();
    // rocFFT and cuFFT make plans when they need them, and decompositions read the library's verdict.
    let asked = match family {
        Family::Fft | Family::Solver if recording => Err(&WAITS),
        _ => run(&Library { dev: c.dev, family }),
    };
    match asked {
        Ok(()) => Ok(true),
        Err(reason)
            if recording && [&FIRST_USE, &REFUSED, &WAITS].into_iter().any(|r| std::ptr::eq(r, reason)) =>
        {
            let native = format!("{}=native takes kernels that can be recorded", family.variable());
            let why = format!("{} cannot be recorded here: {}; {native}", R::library(family), reason.text);
            Err(c.dev.unrecordable(crate::error::name_of_call(c.name), &why))
        }
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
