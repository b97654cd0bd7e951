//! cuFFT: Fourier transforms of complex numbers.
use super::Device;
use crate::result::cufft::{Calls, open};
use crate::sys::*;
use crate::{Error, Result, process};
use std::ffi::{c_longlong, c_void};

/// How the numbers of a batch of lines lie in memory, in complex numbers. Both steps are 1 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// From one number of a line to the next.
    pub step: u64,
    /// From one line to the next.
    pub distance: u64,
}

/// A batch of Fourier transforms of complex numbers along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FftConfig {
    /// Whether the parts of a number are f64, else f32.
    pub double: bool,
    /// Numbers of a line.
    pub length: u64,
    /// Lines.
    pub batch: u64,
    /// The layout of the input.
    pub input: Lines,
    /// The layout of the result.
    pub output: Lines,
}

/// A plan on a device's stream: the kernels and tables of a batch of transforms in both directions.
#[derive(Debug)]
pub struct FftPlan {
    calls: &'static Calls,
    device: Device,
    /// The handle, a number from 0.
    raw: Option<cufftHandle>,
    double: bool,
    workspace: u64,
}

/// Opens cuFFT and returns its version: 1000 × major + 100 × minor + patch.
///
/// # Errors
/// cuFFT is missing.
///
/// ```
/// match rushlight_cuda::fft_version() {
///     Ok(version) => println!("cuFFT {version}"),
///     Err(e) => println!("{e}"),
/// }
/// ```
pub fn fft_version() -> Result<i32> {
    process::check("cufftGetVersion")?;
    let mut version = 0;
    // SAFETY: the pointer is that of a local.
    unsafe { open()?.cufftGetVersion(&mut version)? };
    Ok(version)
}

impl FftPlan {
    /// Makes a plan, whose workspace the caller provides.
    ///
    /// # Errors
    /// cuFFT is missing; lines of no numbers, no lines, steps of 0; an error of cuFFT, such as `CUFFT_INVALID_SIZE`.
    pub fn new(device: &Device, config: &FftConfig) -> Result<Self> {
        let call = "cufftMakePlanMany64";
        let c = *config;
        let refuse = |why: &str| Error::argument(call, format!("{c:?}: {why}"));
        if [c.length, c.batch].contains(&0) {
            return Err(refuse("nothing to transform"));
        }
        if [c.input, c.output].iter().any(|l| l.step == 0 || l.distance == 0) {
            return Err(refuse("a step or distance of 0"));
        }
        let long = |v: u64| c_longlong::try_from(v).map_err(|_| refuse("a number of 2^63 or more"));
        let (mut length, batch) = (long(c.length)?, long(c.batch)?);
        let steps = [c.input.step, c.input.distance, c.output.step, c.output.distance].map(long);
        let [in_step, in_distance, out_step, out_distance] = steps;
        device.enter(call)?;
        let calls = open()?;
        let mut plan = Self { calls, device: device.clone(), raw: None, double: c.double, workspace: 0 };
        // The sizes that the memory around the lines would have: of one dimension cuFFT only asks whether they are given.
        let (mut in_embed, mut out_embed) = (length, length);
        let (mut raw, mut bytes) = (0, 0);
        let kind = if c.double { CUFFT_Z2Z } else { CUFFT_C2C };
        // SAFETY: the pointers are those of locals; the stream lives as long as the device.
        unsafe {
            calls.cufftCreate(&mut raw)?;
            plan.raw = Some(raw);
            calls.cufftSetAutoAllocation(raw, 0)?;
            calls.cufftMakePlanMany64(
                raw,
                1,
                &mut length,
                &mut in_embed,
                in_step?,
                in_distance?,
                &mut out_embed,
                out_step?,
                out_distance?,
                kind,
                batch,
                &mut bytes,
            )?;
            calls.cufftSetStream(raw, device.stream())?;
        }
        plan.workspace = bytes as u64;
        Ok(plan)
    }

    /// Returns the size of the workspace in bytes.
    pub fn workspace(&self) -> u64 {
        self.workspace
    }

    /// Issues the transforms from one address to another on the device's stream. The exponents are positive if `inverse` is
    /// set. `space` is the address and size of the workspace.
    ///
    /// # Errors
    /// Addresses that are not aligned to the numbers; a workspace that is too small; an error of cuFFT.
    pub fn run(&mut self, inverse: bool, input: u64, output: u64, space: (u64, u64)) -> Result<()> {
        let call = if self.double { "cufftExecZ2Z" } else { "cufftExecC2C" };
        let size = if self.double { 16 } else { 8 };
        for at in [input, output] {
            if !at.is_multiple_of(size) {
                return Err(Error::argument(call, format!("{at:#x} is not aligned to {size} bytes")));
            }
        }
        if space.1 < self.workspace {
            let why = format!("a workspace of {} bytes, expected {}", space.1, self.workspace);
            return Err(Error::argument(call, why));
        }
        let Some(raw) = self.raw else { return Err(Error::argument(call, "the plan was not made")) };
        self.device.enter(call)?;
        let direction = if inverse { CUFFT_INVERSE } else { CUFFT_FORWARD };
        let at = |ptr: u64| ptr as usize as *mut c_void;
        // SAFETY: the plan lives; the caller's addresses are memory of the device, of the sizes of the plan.
        unsafe {
            if self.workspace > 0 {
                self.calls.cufftSetWorkArea(raw, at(space.0))?;
            }
            match self.double {
                true => self.calls.cufftExecZ2Z(raw, at(input).cast(), at(output).cast(), direction),
                false => self.calls.cufftExecC2C(raw, at(input).cast(), at(output).cast(), direction),
            }
        }
    }
}

impl Drop for FftPlan {
    /// Waits for the device's work, which may use the plan's tables, and destroys the plan.
    fn drop(&mut self) {
        if let Some(raw) = self.raw
            && process::fine()
            && self.device.enter("cufftDestroy").is_ok()
        {
            // The next call returns an error of the work, too.
            let _ = self.device.synchronize();
            // SAFETY: this is the last use of the plan. There is nothing to be done about a failure.
            let _ = unsafe { self.calls.cufftDestroy(raw) };
        }
    }
}
