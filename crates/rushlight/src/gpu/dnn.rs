//! Convolutions and pooling by a vendor's library, and the state of each problem that was met.
use super::lock;
use super::runtime::Outcome;
use super::vendor::Reason;
use crate::{DType, Error, Result};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Which of x, w and y = conv(x, w) is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// y of x and w.
    Forward,
    /// x of y and w: the transposed convolution.
    BackwardData,
    /// w of x and y.
    BackwardWeights,
}

/// A convolution of packed tensors in one direction. Sizes are batch, channels and three spatial ones, of which the
/// leading ones are 1 where there are fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Conv {
    /// The tensor that is computed.
    pub direction: Direction,
    /// Of all tensors: f16, bf16 or f32.
    pub dtype: DType,
    /// Spatial dimensions, 2 or 3; one dimension is passed as two.
    pub spatial: usize,
    /// The input.
    pub x: [u64; 5],
    /// The kernel.
    pub w: [u64; 5],
    /// The output.
    pub y: [u64; 5],
    /// Zeros at both sides.
    pub pads: [u64; 3],
    /// Steps.
    pub strides: [u64; 3],
    /// Steps within the window.
    pub dilations: [u64; 3],
    /// Groups of channels.
    pub groups: u64,
}

/// An average pooling of packed f32 tensors, or its gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Average {
    /// Whether x is computed from the gradient of y.
    pub backward: bool,
    /// Spatial dimensions, 2 or 3; one dimension is passed as two.
    pub spatial: usize,
    /// The input.
    pub x: [u64; 5],
    /// The output.
    pub y: [u64; 5],
    /// Sizes of the window.
    pub window: [u64; 3],
    /// Padding at both sides.
    pub pads: [u64; 3],
    /// Steps.
    pub strides: [u64; 3],
    /// Whether padding counts as zeros.
    pub include_pad: bool,
}

/// A kernel that a library has for a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Its index in the library's list.
    pub number: usize,
    /// Bytes of workspace.
    pub workspace: u64,
}

/// The kernel that a library has for a problem without a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// A kernel that was measured for it.
    Plan(Plan),
    /// Guesses, of which some are very slow.
    Guesses,
    /// No kernel.
    Nothing,
}

/// A library of convolutions. Calls are made one at a time, work goes to the device's stream.
pub trait Dnn {
    /// Returns the kernel for a problem, without a search.
    fn ready(&mut self, conv: &Conv) -> Outcome<Ready>;
    /// Compiles a kernel, unless that was done before.
    fn prepare(&mut self, plan: Plan) -> Outcome<()>;
    /// Bytes of workspace with which every kernel can be tried.
    fn search_space(&mut self, conv: &Conv) -> Outcome<u64>;
    /// Tries all kernels of a problem, which may take minutes. `at` are x, w and y, `space` address and bytes.
    fn search(&mut self, conv: &Conv, at: [u64; 3], space: (u64, u64)) -> Outcome<Plan>;
    /// Issues a kernel.
    fn run(&mut self, plan: Plan, at: [u64; 3], space: (u64, u64)) -> Outcome<()>;
    /// Issues a pooling of x to y. For a gradient x is written, and `spare` is memory of its size that nobody reads.
    fn average(&mut self, pool: &Average, x: u64, y: u64, spare: u64) -> Outcome<()>;
}

/// The state of a problem.
#[derive(Debug, Clone, Copy)]
pub(crate) enum State {
    /// A kernel runs it; the flag: its results were compared with ours.
    Runs(Plan, bool),
    /// The library does not, for this reason.
    Not(&'static Reason),
}

/// Problems that were met, and how long their kernels were waited for.
#[derive(Debug)]
pub(crate) struct Problems {
    /// By problem, and whether a search was allowed.
    known: Mutex<HashMap<(Conv, bool), State>>,
    /// Microseconds.
    waited: AtomicU64,
    patience: Duration,
}

impl Problems {
    /// The variable that says how many seconds `auto` waits for kernels in all.
    const WAIT: &str = "RUSHLIGHT_CONV_WAIT";

    pub fn new() -> Result<Self> {
        let patience = match std::env::var_os(Self::WAIT).filter(|v| !v.is_empty()) {
            None => Some(Duration::from_secs(20)),
            Some(v) => v.to_str().and_then(|v| Duration::try_from_secs_f64(v.parse().ok()?).ok()),
        };
        let Some(patience) = patience else {
            return Err(Error::Device(format!("{}: expected a number of seconds", Self::WAIT)).bt());
        };
        Ok(Self { known: Mutex::default(), waited: AtomicU64::new(0), patience })
    }

    pub fn get(&self, key: &(Conv, bool)) -> Option<State> {
        lock(&self.known).get(key).copied()
    }

    pub fn set(&self, key: (Conv, bool), state: State) {
        lock(&self.known).insert(key, state);
    }

    /// Whether kernels may still be waited for.
    pub fn patient(&self) -> bool {
        self.waited.load(Relaxed) < self.patience.as_micros() as u64
    }

    pub fn waited(&self, time: Duration) {
        self.waited.fetch_add(time.as_micros() as u64, Relaxed);
    }
}
