//! The profiler: records ops, kernels, calls of vendors' libraries, transfers, waits and compilations, with the host's times and, for
//! work of GPUs, the device's.
//!
//! ```
//! use rushlight::{Device, Tensor, profiler};
//! profiler::start(profiler::Options::default())?;
//! let x = Tensor::randn(0f32, 1., (64, 64), &Device::Cpu)?;
//! let range = profiler::range("product");
//! x.matmul(&x)?;
//! drop(range);
//! let profile = profiler::stop()?;
//! let product = profile.events.iter().find(|e| e.name == "matmul").unwrap();
//! assert_eq!(profile.events[product.parent.unwrap()].name, "product");
//! # Ok::<(), rushlight::Error>(())
//! ```
use crate::{DType, Device, DeviceLocation, Error, Result, Tensor};
use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Choices of what [`start`] records beside the times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether dtypes and shapes of ops' inputs are recorded.
    pub shapes: bool,
    /// Whether the bytes in use on the device are recorded after each op.
    pub memory: bool,
    /// Whether GPUs measure the times of kernels and library calls. It costs the host two further calls for each.
    pub device_times: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { shapes: false, memory: false, device_times: true }
    }
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A part of the program that the user named, or a backward pass.
    Range,
    /// An op. On a GPU the host's time is that of queueing its work.
    Op,
    /// The launch of a kernel.
    Kernel,
    /// A call of a vendor's library.
    Library,
    /// A copy to a GPU.
    Upload,
    /// A copy from a GPU. The host waits for the work queued before.
    Download,
    /// A wait for a GPU.
    Wait,
    /// The compilation of a file of kernels.
    Compile,
}

impl Kind {
    /// Returns the kind's name in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Op => "op",
            Self::Kernel => "kernel",
            Self::Library => "library",
            Self::Upload => "upload",
            Self::Download => "download",
            Self::Wait => "wait",
            Self::Compile => "compile",
        }
    }
}

/// Something that happened while the profiler was active.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its kind.
    pub kind: Kind,
    /// The name of the range, op, kernel, library or file.
    pub name: Cow<'static, str>,
    /// The device; `None` for ranges.
    pub device: Option<DeviceLocation>,
    /// A number of the thread, from 0 in the order in which threads recorded their first event.
    pub thread: u64,
    /// The index of the event inside which it happened, in the same thread.
    pub parent: Option<usize>,
    /// Host time at which it began, since [`start`].
    pub start: Duration,
    /// Host time that it took; until [`stop`], if it had not ended.
    pub duration: Duration,
    /// The device's times: begin, since [`start`], and duration. `None` if they were not measured.
    pub on_device: Option<(Duration, Duration)>,
    /// Bytes copied, or of an op's inputs and outputs. Elements that a broadcast repeats are counted once.
    pub bytes: usize,
    /// Dtypes and shapes of an op's inputs, with [`Options::shapes`].
    pub inputs: Vec<(DType, Vec<usize>)>,
    /// Bytes in use on the device after an op, with [`Options::memory`].
    pub memory: Option<usize>,
}

impl Event {
    pub(crate) fn new(
        kind: Kind,
        name: impl Into<Cow<'static, str>>,
        device: Option<DeviceLocation>,
        bytes: usize,
    ) -> Self {
        Self {
            kind,
            name: name.into(),
            device,
            thread: 0,
            parent: None,
            start: Duration::ZERO,
            duration: Duration::ZERO,
            on_device: None,
            bytes,
            inputs: Vec::new(),
            memory: None,
        }
    }
}

/// The events of a recording.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// The events in the order in which they began.
    pub events: Vec<Event>,
    /// Host time from [`start`] to [`stop`].
    pub duration: Duration,
}

/// Returns the device's times of an event, once the device has reached the marks.
type Measured = Box<dyn FnOnce() -> Option<(Duration, Duration)> + Send>;
/// A device's first mark and its host time.
type Clock = Arc<dyn Any + Send + Sync>;

struct Session {
    number: u64,
    options: Options,
    started: Instant,
    events: Vec<Event>,
    threads: u64,
    clocks: HashMap<DeviceLocation, Clock>,
    waits: Vec<Box<dyn FnOnce() + Send>>,
    measured: Vec<(usize, Measured)>,
}

static ACTIVE: AtomicBool = AtomicBool::new(false);
static SESSIONS: AtomicU64 = AtomicU64::new(0);
static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// The duration of an event that has not ended.
const OPEN: Duration = Duration::MAX;

thread_local! {
    /// The session of the innermost event that the thread is in, and the event's index.
    static INSIDE: Cell<(u64, Option<usize>)> = const { Cell::new((0, None)) };
    /// The session in which the thread got its number, and the number.
    static THREAD: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

fn session() -> MutexGuard<'static, Option<Session>> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether the profiler records.
#[inline(always)]
pub fn is_active() -> bool {
    ACTIVE.load(Relaxed)
}

/// Begins to record what all threads do.
///
/// # Errors
/// If the profiler records already.
pub fn start(options: Options) -> Result<()> {
    let mut held = session();
    if held.is_some() {
        return Err(Error::invalid("profiler", "is active already; stop it before it is started again"));
    }
    let number = SESSIONS.fetch_add(1, Relaxed) + 1;
    *held = Some(Session {
        number,
        options,
        started: Instant::now(),
        events: Vec::new(),
        threads: 0,
        clocks: HashMap::new(),
        waits: Vec::new(),
        measured: Vec::new(),
    });
    ACTIVE.store(true, Relaxed);
    Ok(())
}

/// Ends the recording, waits for the GPUs whose work was measured, and returns the events.
///
/// # Errors
/// If the profiler is not active.
pub fn stop() -> Result<Profile> {
    let taken = session().take();
    ACTIVE.store(false, Relaxed);
    let Some(s) = taken else {
        return Err(Error::invalid("profiler", "is not active; start it before it is stopped"));
    };
    let mut profile = Profile { events: s.events, duration: s.started.elapsed() };
    for open in profile.events.iter_mut().filter(|e| e.duration == OPEN) {
        open.duration = profile.duration - open.start;
    }
    s.waits.into_iter().for_each(|wait| wait());
    for (index, measured) in s.measured {
        profile.events[index].on_device = measured();
    }
    Ok(profile)
}

/// Names the part of the program until the returned value is dropped. Does nothing while the profiler is not active.
pub fn range(name: impl Into<Cow<'static, str>>) -> Span {
    Span { _open: Open::if_active(|| Event::new(Kind::Range, name, None, 0)) }
}

/// An event that ends when the value is dropped, in the thread where it began.
#[derive(Debug)]
#[must_use = "the event ends when the value is dropped"]
pub struct Span {
    _open: Option<Open>,
}

#[derive(Debug)]
pub(crate) struct Open {
    session: u64,
    index: usize,
    options: Options,
    began: Instant,
    outside: (u64, Option<usize>),
}

impl Open {
    /// Begins an event while the profiler is active.
    #[inline(always)]
    pub(crate) fn if_active(event: impl FnOnce() -> Event) -> Option<Self> {
        if is_active() { Self::begin(|_| event()) } else { None }
    }

    /// Begins an event, which a function of the session's options makes, unless the recording has ended.
    fn begin(event: impl FnOnce(Options) -> Event) -> Option<Self> {
        let mut held = session();
        let s = held.as_mut()?;
        let mut event = event(s.options);
        let outside = INSIDE.get();
        event.parent = outside.1.filter(|_| outside.0 == s.number);
        // Ranges of Python may end in another order than that in which they began.
        while let Some(ended) = event.parent.filter(|i| s.events[*i].duration != OPEN) {
            event.parent = s.events[ended].parent;
        }
        let mut thread = THREAD.get();
        if thread.0 != s.number {
            thread = (s.number, s.threads);
            s.threads += 1;
            THREAD.set(thread);
        }
        event.thread = thread.1;
        let index = s.events.len();
        INSIDE.set((s.number, Some(index)));
        let began = Instant::now();
        event.start = began - s.started;
        event.duration = OPEN;
        s.events.push(event);
        Some(Self { session: s.number, index, options: s.options, began, outside })
    }

    /// Changes the event, if its recording has not ended.
    fn change(&self, f: impl FnOnce(&mut Session, usize)) {
        if let Some(s) = session().as_mut().filter(|s| s.number == self.session) {
            f(s, self.index);
        }
    }

    /// Returns whether the device's times are wanted.
    pub(crate) fn wants_device_times(&self) -> bool {
        self.options.device_times
    }

    /// Returns the clock of a device. The first time, `make` starts it, given the session's start, and `wait` is kept for the end.
    pub(crate) fn clock<T: Any + Send + Sync>(
        &self,
        device: DeviceLocation,
        make: impl FnOnce(Instant) -> Option<T>,
        wait: impl FnOnce() + Send + 'static,
    ) -> Option<Arc<T>> {
        let mut found = None;
        self.change(|s, _| {
            found = match s.clocks.get(&device) {
                Some(clock) => Some(clock.clone()),
                None => make(s.started).map(|clock| {
                    let clock: Clock = Arc::new(clock);
                    s.clocks.insert(device, clock.clone());
                    s.waits.push(Box::new(wait));
                    clock
                }),
            };
        });
        found?.downcast().ok()
    }

    /// Keeps the function that returns the device's times.
    pub(crate) fn measure(&self, measured: impl FnOnce() -> Option<(Duration, Duration)> + Send + 'static) {
        self.change(|s, index| s.measured.push((index, Box::new(measured))));
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let duration = self.began.elapsed();
        self.change(|s, index| s.events[index].duration = duration);
        // (A range that Python ends late, or in another thread, leaves what the thread is in now.)
        if INSIDE.get() == (self.session, Some(self.index)) {
            INSIDE.set(self.outside);
        }
    }
}

/// Runs a function, and records it while the profiler is active.
#[inline(always)]
pub(crate) fn span<T>(event: impl FnOnce() -> Event, run: impl FnOnce() -> T) -> T {
    let _open = Open::if_active(event);
    run()
}

/// Runs an op on tensors, and records it while the profiler is active. `written` counts the bytes of a new output.
#[inline(always)]
pub(crate) fn op<'a, T>(
    name: &'static str,
    device: &Device,
    tensors: impl Iterator<Item = &'a Tensor>,
    written: usize,
    run: impl FnOnce() -> T,
) -> T {
    if !is_active() {
        return run();
    }
    let open = begin_op(name, device, &tensors.collect::<Vec<_>>(), written);
    let done = run();
    if let Some(open) = open.filter(|o| o.options.memory) {
        let bytes = device.memory_in_use();
        open.change(|s, index| s.events[index].memory = bytes);
    }
    done
}

#[cold]
fn begin_op(name: &'static str, device: &Device, tensors: &[&Tensor], written: usize) -> Option<Open> {
    let bytes = tensors.iter().map(|t| bytes(t)).fold(written, usize::saturating_add);
    Open::begin(|options| {
        let mut event = Event::new(Kind::Op, name, Some(device.location()), bytes);
        if options.shapes {
            event.inputs = tensors.iter().map(|t| (t.dtype(), t.dims().to_vec())).collect();
        }
        event
    })
}

/// Returns the bytes of a tensor's elements, of which a broadcast dimension has one.
fn bytes(t: &Tensor) -> usize {
    let own = t.dims().iter().zip(t.stride()).filter(|(_, stride)| **stride != 0).map(|(n, _)| *n);
    let empty = t.elem_count() == 0;
    if empty { 0 } else { own.fold(t.dtype().size_in_bytes(), usize::saturating_mul) }
}
