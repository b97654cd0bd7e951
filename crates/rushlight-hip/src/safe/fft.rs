//! Fourier transforms with rocFFT.
use super::{Device, Hip, Stream};
use crate::result::rocfft::Calls;
use crate::sys::rocfft::*;
use crate::{Error, Result};
use std::ffi::{CStr, c_void};
use std::ptr::null;
use std::sync::OnceLock;

/// How the numbers of a batch of lines lie in memory, in complex numbers. Both steps are 1 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// From one number of a line to the next.
    pub step: u64,
    /// From one line to the next.
    pub distance: u64,
}

/// A batch of Fourier transforms of complex numbers along one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FftConfig {
    /// Whether the parts of a number are f64, else f32.
    pub double: bool,
    /// Whether the exponents are positive.
    pub inverse: bool,
    /// Numbers of a line.
    pub length: u64,
    /// Lines.
    pub batch: u64,
    /// The layout of the input.
    pub input: Lines,
    /// The layout of the result.
    pub output: Lines,
    /// Factor of the result.
    pub scale: f64,
}

impl FftConfig {
    /// Returns the bytes from the first number to the end of the last.
    fn extent(&self, lines: Lines) -> Option<u64> {
        let line = (self.length.checked_sub(1)?).checked_mul(lines.step)?;
        let lines = (self.batch.checked_sub(1)?).checked_mul(lines.distance)?;
        line.checked_add(lines)?.checked_add(1)?.checked_mul(if self.double { 16 } else { 8 })
    }
}

/// rocFFT on a stream. Transforms are issued without waiting for them.
#[derive(Debug)]
pub struct Fft {
    calls: &'static Calls,
    info: rocfft_execution_info,
    stream: Stream,
}

/// A plan: the kernels and tables of a batch of transforms. Destroying it waits for the device.
#[derive(Debug)]
pub struct FftPlan {
    calls: &'static Calls,
    raw: rocfft_plan,
    device: Device,
    config: FftConfig,
    /// Bytes of the input, of the result, and of the workspace.
    bytes: [u64; 3],
}

// SAFETY: the objects may be used by any thread, one at a time; calls take `&mut Fft`.
unsafe impl Send for Fft {}
// SAFETY: as above; nothing can be done with a shared reference.
unsafe impl Sync for Fft {}
// SAFETY: as above; a plan is only run by an `Fft`.
unsafe impl Send for FftPlan {}
// SAFETY: as above.
unsafe impl Sync for FftPlan {}

/// Sets rocFFT up, once a process, as its documentation requires.
fn set_up(calls: &Calls) -> Result<()> {
    static DONE: OnceLock<Result<()>> = OnceLock::new();
    // SAFETY: takes nothing.
    DONE.get_or_init(|| unsafe { calls.rocfft_setup() }).clone()
}

impl Fft {
    /// Opens rocFFT for a stream's device.
    ///
    /// # Errors
    /// [`Error::Load`] if rocFFT is missing; a status of rocFFT.
    ///
    /// ```no_run
    /// let stream = rushlight_hip::Device::new(0)?.stream()?;
    /// let _fft = rushlight_hip::Fft::new(&stream)?;
    /// # Ok::<(), rushlight_hip::Error>(())
    /// ```
    pub fn new(stream: &Stream) -> Result<Self> {
        let device = stream.device();
        let calls = device.hip().fft()?;
        device.0.enter("rocfft_setup")?;
        set_up(calls)?;
        let mut fft = Self { calls, info: std::ptr::null_mut(), stream: stream.clone() };
        // SAFETY: the pointer is that of a field; the stream lives as long as its handle in the struct.
        unsafe {
            calls.rocfft_execution_info_create(&mut fft.info)?;
            calls.rocfft_execution_info_set_stream(fft.info, stream.raw().cast())?;
        }
        Ok(fft)
    }

    /// Returns rocFFT's version, as `1.0.32.hash`.
    ///
    /// # Errors
    /// [`Error::Load`] if rocFFT is missing.
    pub fn version() -> Result<String> {
        let calls = Hip::get()?.fft()?;
        let mut text = [0u8; 256];
        // SAFETY: the buffer has the length that is passed.
        unsafe { calls.rocfft_get_version_string(text.as_mut_ptr().cast(), text.len())? };
        Ok(CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy().into_owned())
    }

    /// Makes a plan for transforms out of place. rocFFT may compile kernels for it.
    ///
    /// # Errors
    /// Lines of no numbers, no lines, steps of 0, and a factor that is not finite; a status of rocFFT, such as
    /// `failure` if it cannot allocate its tables.
    pub fn plan(&mut self, config: &FftConfig) -> Result<FftPlan> {
        let call = "rocfft_plan_create";
        let c = *config;
        let refuse = |why: &str| Error::argument(call, format!("{c:?}: {why}"));
        if c.length == 0 || c.batch == 0 {
            return Err(refuse("nothing to transform"));
        }
        // rocFFT would take a distance of 0 for the default.
        if [c.input, c.output].iter().any(|l| l.step == 0 || l.distance == 0) {
            return Err(refuse("a step or distance of 0"));
        }
        if !c.scale.is_finite() {
            return Err(refuse("the factor is not finite"));
        }
        let extent = |lines: Lines| c.extent(lines).ok_or_else(|| refuse("larger than an address can count"));
        let (read, written) = (extent(c.input)?, extent(c.output)?);
        self.stream.device().0.enter(call)?;
        let kind = match c.inverse {
            false => rocfft_transform_type_complex_forward,
            true => rocfft_transform_type_complex_inverse,
        };
        let precision = if c.double { rocfft_precision_double } else { rocfft_precision_single };
        let (calls, length) = (self.calls, c.length as usize);
        let (from, to) = (c.input.step as usize, c.output.step as usize);
        let mut description = std::ptr::null_mut();
        let interleaved = rocfft_array_type_complex_interleaved;
        let device = self.stream.device().clone();
        let mut plan =
            FftPlan { calls, raw: std::ptr::null_mut(), device, config: c, bytes: [read, written, 0] };
        // SAFETY: the pointers are those of locals; rocFFT copies the lengths and steps of one dimension.
        unsafe {
            calls.rocfft_plan_description_create(&mut description)?;
            let made = (|| {
                calls.rocfft_plan_description_set_data_layout(
                    description,
                    interleaved,
                    interleaved,
                    null(),
                    null(),
                    1,
                    &from,
                    c.input.distance as usize,
                    1,
                    &to,
                    c.output.distance as usize,
                )?;
                if c.scale != 1.0 {
                    calls.rocfft_plan_description_set_scale_factor(description, c.scale)?;
                }
                let (place, batch) = (rocfft_placement_notinplace, c.batch as usize);
                calls.rocfft_plan_create(
                    &mut plan.raw,
                    place,
                    kind,
                    precision,
                    1,
                    &length,
                    batch,
                    description,
                )
            })();
            made.and(calls.rocfft_plan_description_destroy(description))?;
            let mut bytes = 0;
            calls.rocfft_plan_get_work_buffer_size(plan.raw, &mut bytes)?;
            plan.bytes[2] = bytes as u64;
        }
        Ok(plan)
    }

    /// Issues the transforms of a plan from one address to another. `space` is the address and size of the workspace.
    ///
    /// # Errors
    /// A plan of another device; addresses that are not aligned to the numbers; input, result or workspace outside of
    /// the device's live allocations, or a workspace that is too small; a status of rocFFT.
    pub fn run(&mut self, plan: &FftPlan, input: u64, output: u64, space: (u64, u64)) -> Result<()> {
        let call = "rocfft_execute";
        let device = self.stream.device();
        if plan.device != *device {
            return Err(Error::argument(
                call,
                format!("the plan is for {:?}, the stream of {device:?}", plan.device),
            ));
        }
        let size = if plan.config.double { 16 } else { 8 };
        let [read, written, workspace] = plan.bytes;
        for (name, at, bytes) in [("the input", input, read), ("the result", output, written)] {
            if !at.is_multiple_of(size) {
                return Err(Error::argument(
                    call,
                    format!("{name} at {at:#x} is not aligned to {size} bytes"),
                ));
            }
            device.check_range(call, at, bytes)?;
        }
        if space.1 < workspace {
            return Err(Error::argument(
                call,
                format!("a workspace of {} bytes, expected {workspace}", space.1),
            ));
        }
        device.0.enter(call)?;
        let at = |ptr: u64| ptr as usize as *mut c_void;
        let (mut from, mut to) = (at(input), at(output));
        // SAFETY: plan and info live; the memory was checked, and one pointer each is what interleaved numbers take.
        unsafe {
            if workspace > 0 {
                device.check_range(call, space.0, workspace)?;
                let bytes = space.1 as usize;
                self.calls.rocfft_execution_info_set_work_buffer(self.info, at(space.0), bytes)?;
            }
            self.calls.rocfft_execute(plan.raw, &mut from, &mut to, self.info)
        }
    }
}

impl FftPlan {
    /// Returns the size of the workspace in bytes.
    pub fn workspace(&self) -> u64 {
        self.bytes[2]
    }
}

impl Drop for Fft {
    fn drop(&mut self) {
        let (calls, info) = (self.calls, self.info);
        if !info.is_null() {
            // SAFETY: this is the last use of the handle; issued transforms do not need it.
            self.stream.device().0.on_drop(|_| unsafe { calls.rocfft_execution_info_destroy(info) });
        }
    }
}

impl Drop for FftPlan {
    fn drop(&mut self) {
        let (calls, raw) = (self.calls, self.raw);
        if !raw.is_null() {
            // SAFETY: this is the last use of the plan, and its work is done.
            self.device.0.on_drop(|hip| unsafe {
                let rest = hip.hipDeviceSynchronize();
                calls.rocfft_plan_destroy(raw).and(rest)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_count_to_the_last_number() {
        let (side, beside) = (Lines { step: 3, distance: 1 }, Lines { step: 1, distance: 4 });
        let c = FftConfig {
            double: false,
            inverse: false,
            length: 4,
            batch: 3,
            input: side,
            output: beside,
            scale: 1.0,
        };
        assert_eq!((c.extent(side), c.extent(beside)), (Some(8 * 12), Some(8 * 12)));
        let c = FftConfig { double: true, length: 1, ..c };
        assert_eq!((c.extent(side), c.extent(beside)), (Some(16 * 3), Some(16 * 9)));
        assert_eq!(FftConfig { length: u64::MAX, ..c }.extent(side), None);
    }
}
