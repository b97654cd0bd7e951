//! NVRTC: compiles source to a CUBIN or PTX at run time. Neither a GPU nor a driver is needed.
use crate::result::nvrtc::{Calls, open};
use crate::sys::*;
use crate::{Error, Result, process};
use rushlight_load::Strings;
use std::ffi::c_int;

/// Returns NVRTC's version.
///
/// # Errors
/// NVRTC is missing: the error lists the paths that were tried.
pub fn version() -> Result<(i32, i32)> {
    let calls = open()?;
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: the pointers are those of locals.
    unsafe { calls.nvrtcVersion(&mut major, &mut minor)? };
    Ok((major, minor))
}

/// Returns the targets that it compiles for, as 80 for sm_80, in order.
///
/// # Errors
/// NVRTC is missing.
pub fn targets() -> Result<Vec<i32>> {
    let calls = open()?;
    let mut count: c_int = 0;
    // SAFETY: the pointer is that of a local.
    unsafe { calls.nvrtcGetNumSupportedArchs(&mut count)? };
    let mut all = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: the buffer has as many elements as the library reported.
    unsafe { calls.nvrtcGetSupportedArchs(all.as_mut_ptr())? };
    all.sort_unstable();
    Ok(all)
}

/// Returns the option that selects a device's target, for a driver of a given version (as 12040). If this compiler
/// supports the target, the result is a CUBIN, which runs on any driver of the compiler's major version. Otherwise it
/// is PTX of the newest supported target; PTX of a compiler newer than the driver does not run, so this needs a
/// driver that is at least as new as the compiler.
///
/// # Errors
/// Neither is possible.
///
/// ```
/// use rushlight_cuda::nvrtc::choose;
/// assert_eq!(choose(80, 12_040, (12, 9), &[75, 80, 90]), Ok("--gpu-architecture=sm_80".into()));
/// assert_eq!(choose(100, 12_090, (12, 4), &[75, 80, 90]), Ok("--gpu-architecture=compute_90".into()));
/// assert!(choose(61, 12_040, (13, 0), &[75, 80, 90]).is_err());
/// ```
pub fn choose(
    target: i32,
    driver: i32,
    compiler: (i32, i32),
    known: &[i32],
) -> std::result::Result<String, String> {
    let (major, minor) = compiler;
    if known.contains(&target) {
        if driver / 1000 < major {
            let (d, m) = (driver / 1000, driver / 10 % 100);
            return Err(format!(
                "NVRTC is that of CUDA {major}.{minor}, the driver that of CUDA {d}.{m}, which cannot run its code: \
                 update the driver, or install NVRTC of CUDA {d}"
            ));
        }
        return Ok(format!("--gpu-architecture=sm_{target}"));
    }
    match known.iter().filter(|k| **k < target).max() {
        Some(newest) if driver >= major * 1000 + minor * 10 => {
            Ok(format!("--gpu-architecture=compute_{newest}"))
        }
        _ => Err(format!(
            "NVRTC of CUDA {major}.{minor} does not support sm_{target}: install another version"
        )),
    }
}

/// The result of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// A CUBIN, or PTX that ends with NUL, for [`Device::load_module`](crate::Device::load_module).
    pub code: Vec<u8>,
    /// Warnings.
    pub log: String,
}

/// Compiles CUDA source.
///
/// `headers` are (name, text) for `#include "name"`. One of the options must be `--gpu-architecture=sm_NN`, for a CUBIN, or
/// `compute_NN`, for PTX.
///
/// # Errors
/// [`Error::Nvrtc`] with the compiler's log; [`Error::Argument`] for options without a target.
///
/// ```
/// use rushlight_cuda::nvrtc;
/// let source = "extern \"C\" __global__ void one(int *x) { *x = ONE; }";
/// match nvrtc::compile(source, "one.cu", &[("one.h", "#define ONE 1")], &["--gpu-architecture=sm_80".into()]) {
///     Ok(_) => unreachable!("the header was not included"),
///     Err(e) => println!("{e}"), // the compiler's log, or the paths that were tried
/// }
/// ```
pub fn compile(source: &str, name: &str, headers: &[(&str, &str)], options: &[String]) -> Result<Compiled> {
    let call = "nvrtcCompileProgram";
    process::check(call)?;
    let target = options.iter().find_map(|o| o.strip_prefix("--gpu-architecture="));
    let ptx = match target {
        Some(t) if t.starts_with("sm_") => false,
        Some(t) if t.starts_with("compute_") => true,
        _ => return Err(Error::argument(call, "the options lack --gpu-architecture=sm_NN or compute_NN")),
    };
    let strings = Strings::new(source, name, headers, options).map_err(|why| Error::argument(call, why))?;
    let ((source, c_name), (count, texts, names)) = (strings.source(), strings.headers());

    let calls = open()?;
    let mut program = Program { calls, raw: std::ptr::null_mut() };
    // SAFETY: all strings end with NUL and live until the end of this function.
    unsafe {
        calls.nvrtcCreateProgram(&mut program.raw, source, c_name, count, texts, names)?;
    }
    let (count, options) = strings.options();
    // SAFETY: as above.
    let compiled = unsafe { calls.nvrtcCompileProgram(program.raw, count, options) };
    let log = program.log().unwrap_or_default();
    match compiled {
        Ok(()) => Ok(Compiled { code: program.code(ptx)?, log }),
        Err(Error::Nvrtc { call, code, .. }) => {
            let log = if log.is_empty() { format!("{name}: the compiler left no message") } else { log };
            Err(Error::Nvrtc { call, code, log })
        }
        Err(e) => Err(e),
    }
}

/// A program that is destroyed when dropped.
struct Program<'a> {
    calls: &'a Calls,
    raw: nvrtcProgram,
}

impl Program<'_> {
    fn log(&self) -> Result<String> {
        let mut size = 0usize;
        // SAFETY: the pointer is that of a local, the program lives.
        unsafe { self.calls.nvrtcGetProgramLogSize(self.raw, &mut size)? };
        let mut log = vec![0u8; size + 1];
        // SAFETY: the buffer has the size that the library named.
        unsafe { self.calls.nvrtcGetProgramLog(self.raw, log.as_mut_ptr().cast())? };
        let end = log.iter().position(|b| *b == 0).unwrap_or(log.len());
        Ok(String::from_utf8_lossy(&log[..end]).trim_end().to_string())
    }

    fn code(&self, ptx: bool) -> Result<Vec<u8>> {
        let mut size = 0usize;
        // SAFETY: the pointer is that of a local, the program lives.
        unsafe {
            match ptx {
                true => self.calls.nvrtcGetPTXSize(self.raw, &mut size)?,
                false => self.calls.nvrtcGetCUBINSize(self.raw, &mut size)?,
            }
        }
        let mut code = vec![0u8; size];
        // SAFETY: the buffer has the size that the library named.
        unsafe {
            match ptx {
                true => self.calls.nvrtcGetPTX(self.raw, code.as_mut_ptr().cast())?,
                false => self.calls.nvrtcGetCUBIN(self.raw, code.as_mut_ptr().cast())?,
            }
        }
        Ok(code)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() && process::fine() {
            // SAFETY: this is the last use of the handle. There is nothing to be done about a failure.
            let _ = unsafe { self.calls.nvrtcDestroyProgram(&mut self.raw) };
        }
    }
}
