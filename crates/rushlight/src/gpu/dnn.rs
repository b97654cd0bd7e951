//! Convolutions and pooling by a vendor's library, and the state of each problem (op, dtype and sizes) that has
//! occurred.
use super::lock;
use super::runtime::Outcome;
use super::vendor::Reason;
use crate::settings::of_device;
use crate::{DType, Result};
use rushlight_load::settings::CONV_WAIT;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Direction of a convolution y = conv(x, w): the tensor that is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Computes y from x and w.
    Forward,
    /// Computes x from y and w: the transposed convolution.
    BackwardData,
    /// Computes w from x and y.
    BackwardWeights,
}

/// A convolution of contiguous tensors in one direction. Sizes are batch, channels and three spatial sizes, with
/// leading 1s where there are fewer dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Conv {
    /// The direction.
    pub direction: Direction,
    /// Dtype of all tensors: f16, bf16 or f32.
    pub dtype: DType,
    /// Number of spatial dimensions, 2 or 3. A 1-d convolution is passed as 2-d.
    pub spatial: usize,
    /// Sizes of the input.
    pub x: [u64; 5],
    /// Sizes of the kernel.
    pub w: [u64; 5],
    /// Sizes of the output.
    pub y: [u64; 5],
    /// Padding on both sides.
    pub pads: [u64; 3],
    /// Stride of the windows.
    pub strides: [u64; 3],
    /// Dilation of the kernel.
    pub dilations: [u64; 3],
    /// Number of channel groups.
    pub groups: u64,
}

/// An average pooling of contiguous f32 tensors, or its gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Average {
    /// Whether this is the gradient, which computes x from y.
    pub backward: bool,
    /// Number of spatial dimensions, 2 or 3. A 1-d pooling is passed as 2-d.
    pub spatial: usize,
    /// Sizes of the input.
    pub x: [u64; 5],
    /// Sizes of the output.
    pub y: [u64; 5],
    /// Sizes of the window.
    pub window: [u64; 3],
    /// Padding on both sides.
    pub pads: [u64; 3],
    /// Stride of the windows.
    pub strides: [u64; 3],
    /// Whether padding counts as elements of value zero.
    pub include_pad: bool,
}

/// A library's kernel for a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Index of the kernel in the library's list.
    pub number: usize,
    /// Size of the workspace in bytes.
    pub workspace: u64,
}

/// The result of asking a library for a problem's kernel without a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// A kernel to use: measured before (MIOpen), or selected by the library (cuDNN).
    Plan(Plan),
    /// The library only has estimates, and some of its kernels are very slow.
    Guesses,
    /// The library's kernels are not exact enough, so they run only if the user requires the library.
    Inexact,
    /// The library has no kernel.
    Nothing,
}

/// A vendor's library of convolutions. Calls come from one thread at a time; work is queued on the device's stream.
pub trait Dnn {
    /// Returns the kernel for a problem, without a search.
    fn ready(&mut self, conv: &Conv) -> Outcome<Ready>;
    /// Compiles a kernel, unless it is compiled already.
    fn prepare(&mut self, plan: Plan) -> Outcome<()>;
    /// Returns the size in bytes of a workspace with which every kernel can be tried.
    fn search_space(&mut self, conv: &Conv) -> Outcome<u64>;
    /// Measures all kernels of a problem, which may take minutes. `at` are the addresses of x, w and y, `space` is the
    /// address and size of the workspace.
    fn search(&mut self, conv: &Conv, at: [u64; 3], space: (u64, u64)) -> Outcome<Plan>;
    /// Launches a kernel. Addresses as in `search`.
    fn run(&mut self, plan: Plan, at: [u64; 3], space: (u64, u64)) -> Outcome<()>;
    /// Launches a pooling from x to y. A gradient writes x instead, and may use `spare`, memory of the size of x, as
    /// scratch.
    fn average(&mut self, pool: &Average, x: u64, y: u64, spare: u64) -> Outcome<()>;
}

/// The decision for a problem.
#[derive(Debug, Clone, Copy)]
pub(crate) enum State {
    /// The library's kernel is used. The flag: whether its results have been compared with those of our kernel.
    Runs(Plan, bool),
    /// The library is not used, for this reason.
    Not(&'static Reason),
}

/// The problems that have occurred, and the time spent waiting for the library to compile their kernels.
#[derive(Debug)]
pub(crate) struct Problems {
    /// The decision for each problem; the flag in the key: whether a search was allowed.
    known: Mutex<HashMap<(Conv, bool), State>>,
    /// Total time spent waiting, in microseconds.
    waited: AtomicU64,
    patience: Duration,
}

impl Problems {
    pub fn new() -> Result<Self> {
        let patience = CONV_WAIT.seconds().map_err(of_device)?.unwrap_or(Duration::from_secs(20));
        Ok(Self { known: Mutex::default(), waited: AtomicU64::new(0), patience })
    }

    pub fn get(&self, key: &(Conv, bool)) -> Option<State> {
        lock(&self.known).get(key).copied()
    }

    pub fn set(&self, key: (Conv, bool), state: State) {
        lock(&self.known).insert(key, state);
    }

    /// Whether the time limit for waiting has not been reached (`RUSHLIGHT_CONV_WAIT`).
    pub fn patient(&self) -> bool {
        self.waited.load(Relaxed) < self.patience.as_micros() as u64
    }

    pub fn waited(&self, time: Duration) {
        self.waited.fetch_add(time.as_micros() as u64, Relaxed);
    }
}
