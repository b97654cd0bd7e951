//! hiprtc: compiles source to a code object at run time. No GPU is needed.
use super::Hip;
use crate::result::hiprtc::Calls;
use crate::sys::hiprtc::{hiprtcProgram, result_name};
use crate::{Error, Result, process};
use rushlight_load::Strings;
use std::ffi::c_int;

/// The result of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// The code object, for [`Device::load_module`](crate::Device::load_module).
    pub code: Vec<u8>,
    /// Warnings.
    pub log: String,
}

/// Returns hiprtc's version. It carries little information: AMD's returns 9.0 in every release.
pub fn version() -> Result<(i32, i32)> {
    process::check("hiprtcVersion")?;
    let calls = Hip::get()?.rtc()?;
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: the pointers are those of locals.
    unsafe { calls.hiprtcVersion(&mut major, &mut minor)? };
    Ok((major, minor))
}

/// Compiles HIP source.
///
/// `headers` are (name, text) for `#include "name"`. `options` are clang's; one must be `--offload-arch=TARGET` with
/// the device's full target. Without a `-std` option the standard is C++17 in every version of HIP.
///
/// # Errors
/// [`Error::Rtc`] with the compiler's log; [`Error::Argument`] for input that crashes old compilers.
///
/// ```no_run
/// use rushlight_hip::rtc;
/// let source = "extern \"C\" __global__ void one(int *x) { *x = ONE; }";
/// let options = ["--offload-arch=gfx1100".to_string()];
/// let compiled = rtc::compile(source, "one.hip", &[("one.h", "#define ONE 1")], &options)?;
/// assert!(compiled.code.starts_with(b"\x7fELF"));
/// # Ok::<(), rushlight_hip::Error>(())
/// ```
pub fn compile(source: &str, name: &str, headers: &[(&str, &str)], options: &[String]) -> Result<Compiled> {
    let call = "hiprtcCompileProgram";
    process::check(call)?;
    let hip = Hip::get()?;
    let target = options
        .iter()
        .find_map(|o| o.strip_prefix("--offload-arch=").or_else(|| o.strip_prefix("--gpu-architecture=")));
    if !target.is_some_and(|t| t.len() > 3 && t.starts_with("gfx")) {
        let why =
            "the options lack --offload-arch=gfx..., in one string: hiprtc would ask the current device";
        return Err(Error::argument(call, why));
    }
    let unknown =
        target.filter(|t| !hip.has_target(t)).and_then(|t| compiler_aborts(hip.runtime_version(), t));
    if let Some(why) = unknown {
        return Err(Error::argument(call, why));
    }
    if source.trim().is_empty() {
        return Err(Error::argument(call, format!("the source of {name} is empty")));
    }
    let standard = options.iter().any(|o| o.starts_with("-std=") || o.starts_with("--std="));
    let more = (!standard).then(|| "-std=c++17".to_string());
    let all: Vec<String> = options.iter().cloned().chain(more).collect();
    let strings = Strings::new(source, name, headers, &all).map_err(|why| Error::argument(call, why))?;
    let ((source, c_name), (count, texts, names)) = (strings.source(), strings.headers());

    let calls = hip.rtc()?;
    let mut program = Program { calls, raw: std::ptr::null_mut() };
    // SAFETY: all strings end with NUL and live until the end of this function.
    unsafe {
        calls.hiprtcCreateProgram(
            &mut program.raw,
            source,
            c_name,
            count,
            texts.cast_mut(),
            names.cast_mut(),
        )?;
    }
    let (count, options) = strings.options();
    // SAFETY: as above; hiprtc reads the lists only.
    let compiled = unsafe { calls.hiprtcCompileProgram(program.raw, count, options.cast_mut()) };
    let log = program.log().unwrap_or_default();
    match compiled {
        Ok(()) => Ok(Compiled { code: program.code()?, log }),
        Err(Error::Rtc { call, code, .. }) => {
            let log = if log.is_empty() { format!("{name}: the compiler left no message") } else { log };
            Err(Error::Rtc { call, code, name: result_name(code), log })
        }
        Err(e) => Err(e),
    }
}

/// Returns why a compiler of HIP 5 or 6 would end the process (an invalid free) instead of rejecting a target.
///
/// The lists were measured with HIP 5.2.3 and 6.4.3. A version that was not measured uses the longer list. Targets of
/// devices in use are not checked, and HIP 7 needs no check.
fn compiler_aborts(version: i32, target: &str) -> Option<String> {
    const ALL: &[&str] = &[
        "600", "601", "700", "701", "702", "703", "704", "705", "801", "802", "803", "805", "810", "900",
        "902", "904", "906", "908", "909", "90a", "90c", "1010", "1011", "1012", "1013", "1030", "1031",
        "1032", "1033", "1034", "1035", "1036",
    ];
    const SINCE_5_3: &[&str] = &["942", "1100", "1101", "1102", "1103"];
    const BEFORE_6_4: &[&str] = &["940", "941"];
    const SINCE_6: &[&str] = &[
        "602",
        "950",
        "1150",
        "1151",
        "1152",
        "1153",
        "1200",
        "1201",
        "9-generic",
        "9-4-generic",
        "10-1-generic",
        "10-3-generic",
        "11-generic",
        "12-generic",
    ];
    const SRAMECC: &[&str] = &["906", "908", "90a", "940", "941", "942", "950", "9-4-generic"];
    if version >= 70_000_000 {
        return None;
    }
    let mut parts = target.split(':');
    let full = parts.next().unwrap_or("");
    let name = full.strip_prefix("gfx").unwrap_or("");
    let known = ALL.contains(&name)
        || version >= 50_300_000 && SINCE_5_3.contains(&name)
        || (50_300_000..60_400_000).contains(&version) && BEFORE_6_4.contains(&name)
        || version >= 60_000_000 && SINCE_6.contains(&name);
    let xnack = || ["9", "101", "10-1-", "801", "810"].iter().any(|p| name.starts_with(p));
    let features = parts.all(|f| match f.trim_end_matches(['+', '-']) {
        "sramecc" => SRAMECC.contains(&name),
        "xnack" => xnack(),
        _ => false,
    });
    (!known || !features).then(|| {
        format!(
            "the compiler of HIP {}.{} does not support {target}, and would end the process instead of returning an error",
            version / 10_000_000,
            version / 100_000 % 100
        )
    })
}

/// A program that is destroyed when dropped.
struct Program<'a> {
    calls: &'a Calls,
    raw: hiprtcProgram,
}

impl Program<'_> {
    fn log(&self) -> Result<String> {
        let mut size = 0usize;
        // SAFETY: the pointer is that of a local, the program lives.
        unsafe { self.calls.hiprtcGetProgramLogSize(self.raw, &mut size)? };
        if size == 0 {
            return Ok(String::new());
        }
        // One byte more: not every version counts or writes the NUL.
        let mut log = vec![0u8; size + 1];
        // SAFETY: the buffer has the size that the library named.
        unsafe { self.calls.hiprtcGetProgramLog(self.raw, log.as_mut_ptr().cast())? };
        let end = log.iter().position(|b| *b == 0).unwrap_or(log.len());
        Ok(String::from_utf8_lossy(&log[..end]).trim_end().to_string())
    }

    fn code(&self) -> Result<Vec<u8>> {
        let mut size = 0usize;
        // SAFETY: the pointer is that of a local, the program lives.
        unsafe { self.calls.hiprtcGetCodeSize(self.raw, &mut size)? };
        let mut code = vec![0u8; size];
        // SAFETY: the buffer has the size that the library named.
        unsafe { self.calls.hiprtcGetCode(self.raw, code.as_mut_ptr().cast())? };
        Ok(code)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() && process::fine() {
            // SAFETY: this is the last use of the handle. There is nothing to be done about a failure.
            let _ = unsafe { self.calls.hiprtcDestroyProgram(&mut self.raw) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compiler_aborts;

    /// The behaviour of the real compilers, each measured in a separate process.
    #[test]
    fn targets_that_end_the_process_are_refused() {
        let (five, six) = (50_221_153, 60_443_484);
        for target in
            ["gfx600", "gfx803", "gfx906:sramecc+", "gfx90a:sramecc+:xnack-", "gfx1013:xnack+", "gfx1036"]
        {
            assert_eq!(compiler_aborts(five, target), None);
            assert_eq!(compiler_aborts(six, target), None);
        }
        for target in [
            "gfx942:sramecc+:xnack-",
            "gfx950:xnack-",
            "gfx1100",
            "gfx1153",
            "gfx1201",
            "gfx9-generic:xnack-",
        ] {
            assert!(compiler_aborts(five, target).is_some(), "{target}");
            assert_eq!(compiler_aborts(six, target), None);
        }
        for target in [
            "gfx940",
            "gfx941:sramecc-",
            "gfx1250",
            "gfx1030:xnack-",
            "gfx1100:sramecc+",
            "gfx90a:other+",
            "gfx",
        ] {
            assert!(compiler_aborts(five, target).is_some(), "{target}");
            assert!(compiler_aborts(six, target).is_some(), "{target}");
        }
        // Not measured.
        for (version, target) in [(50_700_000, "gfx941"), (60_100_000, "gfx1200"), (70_151_831, "gfx1250")] {
            assert_eq!(compiler_aborts(version, target), None);
        }
    }
}
