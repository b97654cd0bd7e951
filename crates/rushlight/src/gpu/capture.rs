//! Graphs: work that is recorded once and then launched as a whole, by one call and with the addresses that it was recorded with.
//!
//! While a device is captured by a thread, its ops are recorded, other threads get an error, and what cannot be recorded is an error
//! that names the op. Memory comes from an arena of the graph ([`super::alloc`]), which no other tensor uses as long as the graph
//! or a tensor in it exists.
use super::launch::Call;
use super::runtime::{Failure, Runtime};
use super::{GpuDevice, GpuStorage, lock};
use crate::ops::Op;
use crate::ops::optimizer_step::StepOp;
use crate::profiler::Kind;
use crate::{Device, Error, Result};
use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};

/// Which thread captures the device, and how many calls are under way.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// The number of the capturing thread, 0 if there is none.
    owner: AtomicU64,
    calls: AtomicU64,
}

/// A call that is under way.
pub(crate) struct Entered<'a>(&'a Gate);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, SeqCst);
    }
}

/// Returns a number of the calling thread that no other thread has, from 1.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: u64 = NEXT.fetch_add(1, Relaxed));
    NUMBER.with(|n| *n)
}

impl Gate {
    /// Counts a call, unless another thread captures the device.
    fn enter(&self) -> Option<Entered<'_>> {
        // The count comes first, so that a capture that begins now waits for this call.
        self.calls.fetch_add(1, SeqCst);
        let entered = Entered(self);
        let owner = self.owner.load(SeqCst);
        (owner == 0 || owner == this_thread()).then_some(entered)
    }

    /// Starts a capture by this thread, after the calls of other threads that are under way.
    fn close(&self) -> bool {
        if self.owner.compare_exchange(0, this_thread(), SeqCst, SeqCst).is_err() {
            return false;
        }
        while self.calls.load(SeqCst) > 0 {
            std::thread::yield_now();
        }
        true
    }

    fn open(&self) {
        self.owner.store(0, SeqCst);
    }

    /// Whether the device is captured, by any thread.
    pub(super) fn is_closed(&self) -> bool {
        self.owner.load(Relaxed) != 0
    }

    fn is_mine(&self) -> bool {
        let owner = self.owner.load(Relaxed);
        owner != 0 && owner == this_thread()
    }
}

/// Data that a device keeps for the capture under way and for the time after it.
pub(super) struct Recording<R: Runtime> {
    /// Memory from before the capture whose tensors were dropped during it. The recorded work may use it.
    held: Vec<GpuStorage<R>>,
    /// Launch numbers and names of recorded ops that check indices.
    names: Vec<(u64, &'static str)>,
    /// Graphs that were dropped during the capture, with their arenas.
    dropped: Vec<(R::Graph, u32)>,
    /// Numbers of recorded launches at the start.
    before: u64,
    /// The graph's arena.
    arena: u32,
}

impl<R: Runtime> Default for Recording<R> {
    fn default() -> Self {
        Self { held: Vec::new(), names: Vec::new(), dropped: Vec::new(), before: 0, arena: 0 }
    }
}

/// The state of a device's captures.
pub(super) struct Captures<R: Runtime> {
    pub(super) gate: Gate,
    recording: Mutex<Recording<R>>,
    /// Launches that were recorded, not run.
    pub(super) recorded: AtomicU64,
    /// Launches of graphs.
    pub(super) replays: AtomicU64,
}

impl<R: Runtime> Default for Captures<R> {
    fn default() -> Self {
        Self {
            gate: Gate::default(),
            recording: Mutex::default(),
            recorded: AtomicU64::new(0),
            replays: AtomicU64::new(0),
        }
    }
}

impl<R: Runtime> GpuDevice<R> {
    fn recording(&self) -> MutexGuard<'_, Recording<R>> {
        lock(&self.0.captures.recording)
    }

    /// Begins a call on the device. Fails while another thread captures it.
    pub(crate) fn enter(&self, what: &'static str) -> Result<Entered<'_>> {
        self.0.captures.gate.enter().ok_or_else(|| {
            let device = R::location(self.ordinal());
            let text = format!(
                "{what}: another thread captures a graph on {device}, which is its own until the capture ends; let this thread wait for that, or use another device"
            );
            Error::Device(text).bt()
        })
    }

    /// Whether this thread captures the device.
    pub(crate) fn is_recording(&self) -> bool {
        self.0.captures.gate.is_mine()
    }

    /// The error for something that a graph cannot record.
    pub(crate) fn unrecordable(&self, what: &str, why: &str) -> Error {
        let device = R::location(self.ordinal());
        Error::Device(format!("{what}: a graph is being captured on {device}, and {why}")).bt()
    }

    /// Fails if this thread captures the device.
    pub(crate) fn refuse_recording(&self, what: &'static str, why: &str) -> Result<()> {
        if self.is_recording() {
            return Err(self.unrecordable(crate::error::name_of_call(what), why));
        }
        Ok(())
    }

    /// Counts a launch that is recorded.
    pub(super) fn count_recorded(&self) {
        if self.is_recording() {
            self.0.captures.recorded.fetch_add(1, Relaxed);
        }
    }

    /// Keeps the name of a recorded op that checks indices.
    pub(super) fn keep_name(&self, launch: u64, name: &'static str) {
        if self.is_recording() {
            self.recording().names.push((launch, name));
        }
    }

    /// Takes over the memory of a tensor that was dropped, if a capture is under way and the memory is not of the arena of its graph,
    /// where the recorded work uses it again.
    pub(super) fn hold(&self, arena: u32, storage: impl FnOnce() -> GpuStorage<R>) -> bool {
        if !self.0.captures.gate.is_closed() {
            return false;
        }
        let mut recording = self.recording();
        let other = recording.arena != arena || arena == 0;
        if other {
            recording.held.push(storage());
        }
        other
    }

    /// Fails if the op cannot be recorded: if its parameters change from call to call.
    pub(crate) fn check_recordable(&self, op: &Op) -> Result<()> {
        if !self.is_recording() {
            return Ok(());
        }
        const DRAWS: &str = "it draws random numbers with a key from the host, so every replay would repeat the same ones; draw them \
            before the replay into a tensor that the graph reads, or leave the op out (a module's eval())";
        const COUNTS: &str = "its numbers depend on the number of the step, so every replay would repeat the same step; capture the gradients \
            only and call the optimizer after each replay, or use one whose steps are alike (SGD, RMSprop, Adadelta, Lion)";
        const FIRST: &str = "the first step differs from the others; do one step before the capture";
        let why = match op {
            Op::Random(_) => DRAWS,
            Op::Dropout(d) if d.p > 0.0 => DRAWS,
            Op::BiasDropout(d) if d.0.p > 0.0 => DRAWS,
            Op::Attention(a) if a.dropout.p > 0.0 => DRAWS,
            Op::AdamStep(_) => COUNTS,
            Op::AdagradStep(a) if a.lr_decay != 0.0 => COUNTS,
            Op::SgdStep(s) if s.momentum != 0.0 && s.first => FIRST,
            Op::OptimizerStep(s) => match s.op {
                StepOp::Adadelta | StepOp::Rprop | StepOp::Lion | StepOp::Lars => return Ok(()),
                StepOp::LarsMomentum if s.numbers[4] == 0.0 => return Ok(()),
                StepOp::LarsMomentum => FIRST,
                _ => COUNTS,
            },
            _ => return Ok(()),
        };
        Err(self.unrecordable(crate::error::name_of_call(op.name()), why))
    }

    /// Starts a capture by this thread and returns the number of the graph's arena.
    fn begin_capture(&self) -> Result<u32> {
        let gate = &self.0.captures.gate;
        if !gate.close() {
            let device = R::location(self.ordinal());
            return Err(Error::Device(format!(
                "capture: a graph is being captured on {device}; a device has one capture at a time"
            ))
            .bt());
        }
        if let Err(e) = self.prepare_capture() {
            gate.open();
            return Err(e);
        }
        // The pool comes first: from now on it frees nothing, which would wait for the stream.
        let arena = lock(&self.0.pool).begin_recording();
        if let Err(f) = self.runtime().begin_capture() {
            lock(&self.0.pool).end_recording();
            gate.open();
            self.close_arena(arena);
            return Err(self.error(f));
        }
        let before = self.0.captures.recorded.load(Relaxed);
        *self.recording() = Recording { before, arena, ..Recording::default() };
        Ok(arena)
    }

    /// Waits for the device, so that errors of earlier work are not found in the graph.
    fn prepare_capture(&self) -> Result<()> {
        self.fault_page()?;
        self.late()?;
        self.call(self.runtime().synchronize())?;
        self.take_fault()
    }

    /// Fails unless this thread captures the device.
    fn owns_capture(&self) -> Result<()> {
        if self.is_recording() {
            return Ok(());
        }
        let device = R::location(self.ordinal());
        Err(Error::Device(format!(
            "capture: the capture on {device} must be ended by the thread that began it"
        ))
        .bt())
    }

    /// Ends this thread's capture. The device is usable again, even if this fails.
    fn end_capture(&self, arena: u32) -> Result<GpuGraph<R>> {
        let ended = self.runtime().end_capture();
        lock(&self.0.pool).end_recording();
        let recording = std::mem::take(&mut *self.recording());
        let launches = self.0.captures.recorded.load(Relaxed) - recording.before;
        self.0.captures.gate.open();
        for (graph, arena) in recording.dropped {
            self.retire(graph, arena);
        }
        match ended {
            Ok(exec) => {
                lock(&self.0.ring).keep(&recording.names);
                let (held, names) = (recording.held, recording.names);
                Ok(GpuGraph { device: self.clone(), exec: Some(exec), arena, held, names, launches })
            }
            Err(f) => {
                drop(recording.held);
                self.close_arena(arena);
                Err(self.error(f))
            }
        }
    }

    /// Destroys a graph after its launches, and releases its memory; during a capture this waits for its end, because neither
    /// waiting nor freeing is allowed.
    fn retire(&self, exec: R::Graph, arena: u32) {
        let entered = self.enter("drop");
        if entered.is_err() || self.is_recording() {
            self.recording().dropped.push((exec, arena));
            return;
        }
        if let Err(f) = self.runtime().synchronize() {
            self.note_late(f);
        }
        drop(exec);
        self.close_arena(arena);
    }

    fn close_arena(&self, arena: u32) {
        if let Err(f) = lock(&self.0.pool).close(self.runtime(), arena) {
            self.note_late(f);
        }
    }
}

/// The error for a launch during a capture whose kernel would have to be compiled now.
pub(super) fn not_loaded<R: Runtime>(c: &Call<'_, R>) -> Error {
    let why =
        "its kernel was not used before, so it is not compiled; run the function once before the capture";
    c.dev.unrecordable(crate::error::name_of_call(c.name), why)
}

/// A graph of one vendor's device.
struct GpuGraph<R: Runtime> {
    device: GpuDevice<R>,
    exec: Option<R::Graph>,
    arena: u32,
    /// Memory that the recorded work may use, released after the graph.
    #[allow(dead_code)]
    held: Vec<GpuStorage<R>>,
    names: Vec<(u64, &'static str)>,
    launches: u64,
}

impl<R: Runtime> Debug for GpuGraph<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} launches on {}", self.launches, R::location(self.device.ordinal()))
    }
}

/// The functions of a graph, for any vendor.
trait Replay: Debug + Send + Sync {
    fn replay(&self) -> Result<()>;
    fn launches(&self) -> u64;
}

impl<R: Runtime> Replay for GpuGraph<R> {
    fn replay(&self) -> Result<()> {
        let dev = &self.device;
        let _entered = dev.enter("replay")?;
        dev.refuse_recording(
            "replay",
            "a graph does not contain another one; replay it outside of the capture",
        )?;
        dev.late()?;
        let Some(exec) = &self.exec else { return Ok(()) };
        dev.count_launch();
        dev.0.captures.replays.fetch_add(1, Relaxed);
        let event = || dev.event(Kind::Kernel, "graph", 0);
        let done = dev.profiled(event, || dev.runtime().replay(exec));
        done.map_err(|f| dev.error(f))?;
        dev.settle()
    }

    fn launches(&self) -> u64 {
        self.launches
    }
}

impl<R: Runtime> Drop for GpuGraph<R> {
    fn drop(&mut self) {
        lock(&self.device.0.ring).forget(&self.names);
        if let Some(exec) = self.exec.take() {
            self.device.retire(exec, self.arena);
        }
    }
}

/// A capture that is under way on one device, by [`Capture::begin`]: ops of this thread on the device are recorded.
#[derive(Debug)]
pub struct Capture {
    device: Device,
    arena: Option<u32>,
}

/// Evaluates an expression for the GPU inside a device; other devices are an error.
macro_rules! on_gpu {
    ($device:expr, $d:ident => $e:expr) => {
        match $device {
            Device::Rocm($d) => $e,
            Device::Cuda($d) => $e,
            #[cfg(any(test, feature = "testing"))]
            Device::Record($d) => $e,
            other => Err(Error::Device(format!(
                "capture: {} has no graphs, only GPUs have; call the function itself there",
                other.location()
            ))
            .bt()),
        }
    };
}

fn boxed<R: Runtime>(graph: GpuGraph<R>) -> Graph {
    Graph(Box::new(graph))
}

impl Capture {
    /// Starts a capture. Waits for the device first.
    ///
    /// # Errors
    /// A device that is not a GPU, one that is captured already, or a runtime without graphs.
    pub fn begin(device: &Device) -> Result<Self> {
        let arena = on_gpu!(device, d => d.begin_capture())?;
        Ok(Self { device: device.clone(), arena: Some(arena) })
    }

    /// Whether the capture has not ended.
    pub fn is_open(&self) -> bool {
        self.arena.is_some()
    }

    /// Ends the capture and returns the graph.
    ///
    /// # Errors
    /// Another thread than the one that began it, which can still end it then; a capture that has ended. The runtime's error, if a
    /// call that a capture forbids was made outside of this crate; the device is usable again.
    pub fn end(&mut self) -> Result<Graph> {
        let Some(arena) = self.arena else {
            return Err(Error::Device("capture: it has ended".to_string()).bt());
        };
        on_gpu!(&self.device, d => {
            d.owns_capture()?;
            self.arena = None;
            d.end_capture(arena).map(boxed)
        })
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        if self.arena.is_some() {
            // The graph is dropped; the runtime's error would only repeat that the capture was not completed.
            drop(self.end());
        }
    }
}

/// Work of a GPU that was recorded by [`Graph::capture`] and can be run again and again, each time by one launch.
///
/// A replay reads and writes the memory of the tensors that the function used and made. So inputs are tensors that exist before
/// the capture and are overwritten in place between replays, and the tensors that the function returned have the newest
/// results after each replay. All numbers of the host (factors, learning rates, shapes) are those of the capture. The graph's
/// memory is released when the graph and its tensors are dropped.
#[derive(Debug)]
pub struct Graph(Box<dyn Replay>);

impl Graph {
    /// Records what a function does on a device, and returns the graph and what the function returned. The recorded work does
    /// not run yet: results are undefined before the first [`Graph::replay`].
    ///
    /// Call the function once before, so that kernels are compiled and libraries are checked. While it is recorded it must not read
    /// results, upload, draw random numbers or wait, and other threads cannot use the device.
    ///
    /// # Errors
    /// The function's error; an op that cannot be recorded; a device that is not a GPU. The device is usable afterwards.
    ///
    /// ```no_run
    /// use rushlight::gpu::Graph;
    /// use rushlight::{DType, Device, Tensor};
    /// let device = Device::new_rocm(0)?;
    /// let x = Tensor::zeros((8, 4), DType::F32, &device)?;
    /// let w = Tensor::randn(0f32, 1., (4, 2), &device)?;
    /// let f = || x.matmul(&w)?.relu();
    /// f()?;
    /// let (graph, y) = Graph::capture(&device, f)?;
    /// x.assign(&Tensor::randn(0f32, 1., (8, 4), &device)?)?;
    /// graph.replay()?;
    /// println!("{y}");
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn capture<T>(device: &Device, f: impl FnOnce() -> Result<T>) -> Result<(Self, T)> {
        let mut capture = Capture::begin(device)?;
        let made = f()?;
        Ok((capture.end()?, made))
    }

    /// Queues the recorded work, as one launch.
    ///
    /// # Errors
    /// A capture that is under way on the device.
    pub fn replay(&self) -> Result<()> {
        self.0.replay()
    }

    /// Number of kernels of this crate that a replay runs, without calls of the vendor's libraries, copies and fills.
    pub fn launches(&self) -> u64 {
        self.0.launches()
    }
}

/// Adds what to do to the error of a runtime that cannot capture.
pub(super) fn without_graphs(f: Failure) -> Failure {
    match f {
        Failure::Other(text) if text.contains("needed for graphs") => Failure::Other(format!(
            "{text}: update the runtime, or call the function itself instead of a graph"
        )),
        f => f,
    }
}
