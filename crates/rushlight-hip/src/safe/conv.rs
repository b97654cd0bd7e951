//! Convolutions with MIOpen: immediate mode and Find.
use super::miopen::{Descriptor, Miopen, Tensor, ints};
use crate::result::miopen::Calls;
use crate::sys::miopen::*;
use crate::{Error, Result, process};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

/// The direction of a convolution y = conv(x, w): which of x, w and y it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Computes y from x and w.
    Forward,
    /// Computes x from y and w: the gradient of the input, and the transposed convolution.
    BackwardData,
    /// Computes w from y and x: the gradient of the weights.
    BackwardWeights,
}

/// The parameters of a convolution: one number for each spatial dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvConfig {
    /// Zero padding on both sides.
    pub pads: Vec<u64>,
    /// Strides.
    pub strides: Vec<u64>,
    /// Dilations.
    pub dilations: Vec<u64>,
    /// Groups of channels.
    pub groups: u64,
    /// Whether kernels must produce the same bits in each run.
    pub deterministic: bool,
}

/// A convolution of given shapes in one direction.
#[derive(Debug)]
pub struct Conv {
    calls: &'static Calls,
    raw: miopenConvolutionDescriptor_t,
    direction: Direction,
    x: Descriptor,
    w: Descriptor,
    y: Descriptor,
    number: u64,
}

// SAFETY: descriptors are not changed after they are made, and MIOpen reads them only.
unsafe impl Send for Conv {}
// SAFETY: as above.
unsafe impl Sync for Conv {}

/// A kernel of MIOpen's immediate mode for a convolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    conv: u64,
    id: u64,
    family: u32,
    time_ms: f32,
    workspace: u64,
}

impl Solution {
    /// Returns MIOpen's number of the kernel.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns MIOpen's number of its algorithm family, as [`Found::algorithm`].
    pub fn family(&self) -> u32 {
        self.family
    }

    /// Returns milliseconds. Without a measurement MIOpen returns an estimate: negative, or 10 and more.
    pub fn time_ms(&self) -> f32 {
        self.time_ms
    }

    /// Returns the bytes of workspace that it needs.
    pub fn workspace(&self) -> u64 {
        self.workspace
    }
}

/// An algorithm family that [`Conv::find`] measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    conv: u64,
    algorithm: u32,
    time_ms: f32,
    workspace: u64,
}

impl Found {
    /// Returns MIOpen's number of the family, which depends on the direction.
    pub fn algorithm(&self) -> u32 {
        self.algorithm
    }

    /// Returns milliseconds.
    pub fn time_ms(&self) -> f32 {
        self.time_ms
    }

    /// Returns the bytes of workspace that it needs.
    pub fn workspace(&self) -> u64 {
        self.workspace
    }
}

/// Calls the function of the direction; its arguments have the same types in all three.
macro_rules! by_direction {
    ($direction:expr, $calls:ident, $forward:ident, $data:ident, $weights:ident, ($($arg:expr),* $(,)?)) => {
        match $direction {
            Direction::Forward => $calls.$forward($($arg),*),
            Direction::BackwardData => $calls.$data($($arg),*),
            Direction::BackwardWeights => $calls.$weights($($arg),*),
        }
    };
}

impl Conv {
    /// Describes a convolution. All three tensors are given, whichever is computed.
    ///
    /// # Errors
    /// Incompatible shapes: some versions of MIOpen do not check them.
    pub fn new(
        miopen: &Miopen,
        direction: Direction,
        x: &Tensor,
        w: &Tensor,
        y: &Tensor,
        config: &ConvConfig,
    ) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let call = "miopenInitConvolutionNdDescriptor";
        let calls = miopen.enter(call)?;
        check_shapes(x, w, y, config).map_err(|why| Error::argument(call, why))?;
        let (pads, strides) = (ints(call, &config.pads)?, ints(call, &config.strides)?);
        let (dilations, groups) = (ints(call, &config.dilations)?, ints(call, &[config.groups])?);
        let (x, w, y) = (
            Descriptor::new(calls, "x", x)?,
            Descriptor::new(calls, "w", w)?,
            Descriptor::new(calls, "y", y)?,
        );
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local; the arrays have the length that is passed.
        unsafe {
            calls.miopenCreateConvolutionDescriptor(&mut raw)?;
            let made = Self { calls, raw, direction, x, w, y, number: COUNT.fetch_add(1, Ordering::Relaxed) };
            let rank = pads.len() as c_int;
            calls.miopenInitConvolutionNdDescriptor(
                raw,
                rank,
                pads.as_ptr(),
                strides.as_ptr(),
                dilations.as_ptr(),
                miopenConvolution,
            )?;
            calls.miopenSetConvolutionGroupCount(raw, groups[0])?;
            // Otherwise gfx90a computes gradients of halves in bfloat16, with three bits less.
            calls.miopenSetConvolutionAttribute(raw, MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL, 0)?;
            if config.deterministic {
                calls.miopenSetConvolutionAttribute(raw, MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC, 1)?;
            }
            Ok(made)
        }
    }

    /// Returns which tensor is computed.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the operands in the order of the direction's functions; forward functions of immediate mode take w
    /// before x.
    fn operands<T>(&self, x: T, w: T, y: T, immediate: bool) -> (T, T, T) {
        match (self.direction, immediate) {
            (Direction::Forward, true) => (w, x, y),
            (Direction::Forward, false) => (x, w, y),
            (Direction::BackwardData, _) => (y, w, x),
            (Direction::BackwardWeights, _) => (y, x, w),
        }
    }

    fn descriptors(
        &self,
        immediate: bool,
    ) -> (miopenTensorDescriptor_t, miopenTensorDescriptor_t, miopenTensorDescriptor_t) {
        self.operands(self.x.raw, self.w.raw, self.y.raw, immediate)
    }

    fn addresses(&self, call: &'static str, m: &Miopen, x: u64, w: u64, y: u64) -> Result<[*mut c_void; 3]> {
        let device = m.device();
        Ok([self.x.at(call, device, x)?, self.w.at(call, device, w)?, self.y.at(call, device, y)?])
    }

    /// Returns at most `most` kernels for this convolution, fastest first.
    pub fn solutions(&self, miopen: &mut Miopen, most: usize) -> Result<Vec<Solution>> {
        let calls = miopen.enter("miopenConvolutionGetSolution")?;
        let (a, b, out) = self.descriptors(true);
        let mut count = 0;
        // SAFETY: the handle and the descriptors live; the pointers are those of locals of the length that is passed.
        let found = unsafe {
            by_direction!(
                self.direction,
                calls,
                miopenConvolutionForwardGetSolutionCount,
                miopenConvolutionBackwardDataGetSolutionCount,
                miopenConvolutionBackwardWeightsGetSolutionCount,
                (miopen.raw, a, b, self.raw, out, &mut count)
            )?;
            let mut found = vec![miopenConvSolution_t::default(); count.min(most)];
            let room = found.len();
            if room == 0 {
                return Ok(Vec::new());
            }
            by_direction!(
                self.direction,
                calls,
                miopenConvolutionForwardGetSolution,
                miopenConvolutionBackwardDataGetSolution,
                miopenConvolutionBackwardWeightsGetSolution,
                (miopen.raw, a, b, self.raw, out, room, &mut count, found.as_mut_ptr())
            )?;
            found.truncate(count);
            found
        };
        let solution = |s: miopenConvSolution_t| Solution {
            conv: self.number,
            id: s.solution_id,
            family: s.algorithm.unsigned_abs(),
            time_ms: s.time,
            workspace: s.workspace_size as u64,
        };
        Ok(found.into_iter().map(solution).collect())
    }

    fn check(&self, call: &'static str, conv: u64) -> Result<()> {
        if conv == self.number {
            return Ok(());
        }
        Err(Error::argument(call, "the kernel was found for another convolution"))
    }

    /// Compiles a solution's kernel, which may take seconds, so that [`Conv::run`] does not have to.
    pub fn compile(&self, miopen: &mut Miopen, solution: &Solution) -> Result<()> {
        let call = "miopenConvolutionCompileSolution";
        self.check(call, solution.conv)?;
        let calls = miopen.enter(call)?;
        let (a, b, out) = self.descriptors(true);
        // SAFETY: the handle and the descriptors live.
        unsafe {
            by_direction!(
                self.direction,
                calls,
                miopenConvolutionForwardCompileSolution,
                miopenConvolutionBackwardDataCompileSolution,
                miopenConvolutionBackwardWeightsCompileSolution,
                (miopen.raw, a, b, self.raw, out, solution.id)
            )
        }
    }

    /// Issues a solution, which writes the operand of the direction. `workspace` is an address and a number of bytes.
    ///
    /// # Errors
    /// Operands outside the device's live allocations; a workspace that is too small.
    pub fn run(
        &self,
        miopen: &mut Miopen,
        solution: &Solution,
        x: u64,
        w: u64,
        y: u64,
        workspace: (u64, u64),
    ) -> Result<()> {
        let call = "miopenConvolutionImmediate";
        self.check(call, solution.conv)?;
        let calls = miopen.enter(call)?;
        let (a, b, out) = self.descriptors(true);
        let [x, w, y] = self.addresses(call, miopen, x, w, y)?;
        let (a_at, b_at, out_at) = self.operands(x, w, y, true);
        let (space, bytes) = miopen.workspace(call, workspace, solution.workspace)?;
        // SAFETY: the handle and the descriptors live; operands and workspace lie in live allocations.
        unsafe {
            by_direction!(
                self.direction,
                calls,
                miopenConvolutionForwardImmediate,
                miopenConvolutionBackwardDataImmediate,
                miopenConvolutionBackwardWeightsImmediate,
                (miopen.raw, a, a_at, b, b_at, self.raw, out, out_at, space, bytes, solution.id)
            )
        }
    }

    /// Returns the bytes of workspace with which [`Conv::find`] can try every kernel.
    pub fn find_workspace(&self, miopen: &mut Miopen) -> Result<u64> {
        let calls = miopen.enter("miopenConvolutionGetWorkSpaceSize")?;
        let (a, b, out) = self.descriptors(true);
        let mut bytes = 0;
        // SAFETY: the handle and the descriptors live; the pointer is that of a local.
        unsafe {
            by_direction!(
                self.direction,
                calls,
                miopenConvolutionForwardGetWorkSpaceSize,
                miopenConvolutionBackwardDataGetWorkSpaceSize,
                miopenConvolutionBackwardWeightsGetWorkSpaceSize,
                (miopen.raw, a, b, self.raw, out, &mut bytes)
            )?;
        }
        Ok(bytes as u64)
    }

    /// Compiles and measures kernels, which takes seconds to minutes, and returns the best, fastest first. It
    /// overwrites the operand of the direction. `exhaustive` also tunes them.
    ///
    /// # Errors
    /// As [`Conv::run`]; `miopenStatusUnknownError` if no kernel fits.
    pub fn find(
        &self,
        miopen: &mut Miopen,
        x: u64,
        w: u64,
        y: u64,
        workspace: (u64, u64),
        exhaustive: bool,
    ) -> Result<Vec<Found>> {
        const MOST: usize = 4;
        let call = "miopenFindConvolutionAlgorithm";
        let calls = miopen.enter(call)?;
        let (a, b, out) = self.descriptors(false);
        let [x, w, y] = self.addresses(call, miopen, x, w, y)?;
        let (a_at, b_at, out_at) = self.operands(x, w, y, false);
        let (space, bytes) = miopen.workspace(call, workspace, 0)?;
        let mut found = [miopenConvAlgoPerf_t::default(); MOST];
        let (most, mut count) = (MOST as c_int, 0);
        let raw = self.raw;
        // SAFETY: the handle and the descriptors live; operands and workspace lie in live allocations; the results have
        // the length that is passed.
        unsafe {
            let at = found.as_mut_ptr();
            by_direction!(
                self.direction,
                calls,
                miopenFindConvolutionForwardAlgorithm,
                miopenFindConvolutionBackwardDataAlgorithm,
                miopenFindConvolutionBackwardWeightsAlgorithm,
                (
                    miopen.raw, a, a_at, b, b_at, raw, out, out_at, most, &mut count, at, space, bytes,
                    exhaustive
                )
            )?;
        }
        let result = |p: &miopenConvAlgoPerf_t| Found {
            conv: self.number,
            algorithm: p.algorithm.unsigned_abs(),
            time_ms: p.time,
            workspace: p.memory as u64,
        };
        Ok(found.iter().take(usize::try_from(count).unwrap_or(0)).map(result).collect())
    }

    /// Issues a kernel that [`Conv::find`] found with the same handle.
    ///
    /// # Errors
    /// As [`Conv::run`].
    pub fn run_found(
        &self,
        miopen: &mut Miopen,
        found: &Found,
        x: u64,
        w: u64,
        y: u64,
        workspace: (u64, u64),
    ) -> Result<()> {
        let call = "miopenConvolution";
        self.check(call, found.conv)?;
        let calls = miopen.enter(call)?;
        let (a, b, out) = self.descriptors(false);
        let [x, w, y] = self.addresses(call, miopen, x, w, y)?;
        let (a_at, b_at, out_at) = self.operands(x, w, y, false);
        let (space, bytes) = miopen.workspace(call, workspace, found.workspace)?;
        let (one, zero) = (1f32, 0f32);
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        let (raw, algorithm) = (self.raw, found.algorithm);
        // SAFETY: as above; the factors are floats for every type that `DnnType` has.
        unsafe {
            by_direction!(
                self.direction,
                calls,
                miopenConvolutionForward,
                miopenConvolutionBackwardData,
                miopenConvolutionBackwardWeights,
                (miopen.raw, alpha, a, a_at, b, b_at, raw, algorithm, beta, out, out_at, space, bytes)
            )
        }
    }
}

impl Drop for Conv {
    fn drop(&mut self) {
        if process::fine() {
            // SAFETY: this is the last use of the handle. Nothing but memory of the host is freed, so nothing is lost.
            let _ = unsafe { self.calls.miopenDestroyConvolutionDescriptor(self.raw) };
        }
    }
}

/// Checks that the shapes of x, w and y fit each other.
fn check_shapes(x: &Tensor, w: &Tensor, y: &Tensor, c: &ConvConfig) -> std::result::Result<(), String> {
    let (xd, wd, yd) = (&x.dims, &w.dims, &y.dims);
    let shapes = || format!("x {xd:?}, w {wd:?}, y {yd:?}");
    let rank = xd.len();
    let spatial = [c.pads.len(), c.strides.len(), c.dilations.len()];
    if !(4..=5).contains(&rank) || wd.len() != rank || yd.len() != rank || spatial != [rank - 2; 3] {
        return Err(format!(
            "{}: expected 4 or 5 dimensions each, and 2 fewer paddings, strides and dilations",
            shapes()
        ));
    }
    if c.groups == 0 || c.strides.contains(&0) || c.dilations.contains(&0) {
        return Err(format!("{c:?}: groups, strides and dilations must be at least 1"));
    }
    if xd.contains(&0) || wd.contains(&0) || yd.contains(&0) {
        return Err(format!("{}: no dimension may be 0", shapes()));
    }
    if x.kind != w.kind {
        return Err(format!("x is {:?}, w is {:?}", x.kind, w.kind));
    }
    if Some(xd[1]) != wd[1].checked_mul(c.groups) || !wd[0].is_multiple_of(c.groups) {
        return Err(format!("{}: channels do not fit {} groups", shapes(), c.groups));
    }
    let mut want = vec![xd[0], wd[0]];
    for i in 0..rank - 2 {
        let window = c.dilations[i].checked_mul(wd[i + 2] - 1).and_then(|v| v.checked_add(1));
        let padded = c.pads[i].checked_mul(2).and_then(|v| v.checked_add(xd[i + 2]));
        match (window, padded) {
            (Some(window), Some(padded)) if window <= padded => {
                want.push((padded - window) / c.strides[i] + 1)
            }
            _ => return Err(format!("{}: the window is larger than the padded input", shapes())),
        }
    }
    if *yd != want { Err(format!("{}: expected y {want:?}", shapes())) } else { Ok(()) }
}
