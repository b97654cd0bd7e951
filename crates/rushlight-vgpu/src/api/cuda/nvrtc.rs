//! NVRTC's functions. A CUBIN is a shared object for this machine; PTX is text that contains one, which the driver
//! loads on a device of the same target or a newer one.
use crate::api::hip::Ptr;
use crate::api::hiprtc::{self, Rtc};
use crate::support::arch;
use crate::support::out::Out;
use std::collections::HashMap;
use std::ffi::{c_char, c_int};
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, OnceLock};

const INVALID_INPUT: Rtc = 3;
const INVALID_PROGRAM: Rtc = 4;
const INVALID_OPTION: Rtc = 5;

/// The targets of compiled programs: the number, and whether it is a real target (`sm_NN`).
fn targets() -> MutexGuard<'static, HashMap<usize, (i32, bool)>> {
    static ALL: OnceLock<Mutex<HashMap<usize, (i32, bool)>>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

/// Returns the supported targets. The newest is missing, so that a device can be newer than the compiler.
fn known() -> impl Iterator<Item = i32> {
    arch::all(true).iter().map(arch::Arch::number).filter(|n| *n < 120)
}

pub extern "C" fn nvrtcVersion(major: Out<c_int>, minor: Out<c_int>) -> Rtc {
    let put = |to: Out<c_int>, v| to.set(v).map_or(INVALID_INPUT, |()| 0);
    put(major, 12).max(put(minor, 9))
}

pub extern "C" fn nvrtcGetNumSupportedArchs(to: Out<c_int>) -> Rtc {
    to.set(known().count() as c_int).map_or(INVALID_INPUT, |()| 0)
}

pub extern "C" fn nvrtcGetSupportedArchs(to: Out<c_int>) -> Rtc {
    if to.is_null() {
        return INVALID_INPUT;
    }
    let mut all: Vec<c_int> = known().collect();
    all.sort_unstable();
    to.fill(&all);
    0
}

pub extern "C" fn nvrtcCreateProgram(
    to: Out<Ptr>,
    source: *const c_char,
    name: *const c_char,
    count: c_int,
    texts: Out<*const c_char>,
    names: Out<*const c_char>,
) -> Rtc {
    hiprtc::hiprtcCreateProgram(to, source, name, count, texts, names)
}

pub extern "C" fn nvrtcDestroyProgram(program: Out<Ptr>) -> Rtc {
    if let Some(key) = program.get() {
        targets().remove(&(key as usize));
    }
    hiprtc::hiprtcDestroyProgram(program)
}

/// NVRTC's options converted to clang's, and the target.
struct Options {
    clang: Vec<String>,
    target: i32,
    real: bool,
}

fn options(given: &[String]) -> Result<Options, String> {
    let wrong = |o: &str| format!("nvrtc: error: invalid value or option: {o}\n");
    let mut all = Options { clang: Vec::new(), target: 75, real: false };
    // The default is contraction.
    let mut contract = "fast";
    for option in given {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match name {
            "--gpu-architecture" | "-arch" => {
                let number = value.strip_prefix("sm_").or_else(|| value.strip_prefix("compute_"));
                let number = number.and_then(|n| n.parse().ok()).filter(|n| known().any(|k| k == *n));
                all.target = number.ok_or_else(|| wrong(option))?;
                all.real = value.starts_with("sm_");
            }
            "-fmad" | "--fmad" => {
                contract = match value {
                    "true" => "fast",
                    "false" => "off",
                    _ => return Err(wrong(option)),
                }
            }
            "-std" | "--std" if ["c++11", "c++14", "c++17", "c++20"].contains(&value) => {
                all.clang.push(format!("-std={value}"));
            }
            // Options of the assembler, and the defaults of divisions and square roots.
            "--ptxas-options" | "-Xptxas" => {}
            "--prec-div" | "--prec-sqrt" if value == "true" => {}
            // (clang lets kernels call every function.)
            "--device-as-default-execution-space" | "-default-device" if value.is_empty() => {}
            "--ftz" if value == "false" => {}
            _ if name.len() > 2 && ["-D", "-U", "-I"].iter().any(|p| name.starts_with(p)) => {
                all.clang.push(option.clone());
            }
            _ => return Err(wrong(option)),
        }
    }
    all.clang.push(format!("-ffp-contract={contract}"));
    all.clang.push(format!("--gpu-architecture=sm_{}", all.target));
    Ok(all)
}

pub extern "C" fn nvrtcCompileProgram(program: Ptr, count: c_int, list: Out<*const c_char>) -> Rtc {
    let read = hiprtc::strings(count, list).ok_or((INVALID_INPUT, String::new()));
    let made = read.and_then(|given| options(&given).map_err(|log| (INVALID_OPTION, log)));
    if let Ok(o) = &made {
        targets().insert(program as usize, (o.target, o.real));
    }
    hiprtc::compile_program(program, made.map(|o| o.clang))
}

pub extern "C" fn nvrtcGetProgramLogSize(program: Ptr, to: Out<usize>) -> Rtc {
    // An empty log consists of its NUL.
    let code = hiprtc::hiprtcGetProgramLogSize(program, to);
    if code == 0 && to.get() == Some(0) { to.set(1).map_or(INVALID_INPUT, |()| 0) } else { code }
}

pub extern "C" fn nvrtcGetProgramLog(program: Ptr, to: Out<u8>) -> Rtc {
    if to.is_null() {
        return INVALID_INPUT;
    }
    to.bytes(&[0]);
    hiprtc::hiprtcGetProgramLog(program, to)
}

/// Returns the code of a compiled program.
fn code(program: Ptr) -> Result<(Vec<u8>, i32, bool), Rtc> {
    let (target, real) = targets().get(&(program as usize)).copied().ok_or(INVALID_PROGRAM)?;
    let mut size = 0;
    match hiprtc::hiprtcGetCodeSize(program, Out::to(&mut size)) {
        0 => {}
        error => return Err(error),
    }
    let mut bytes = vec![0; size.max(1)];
    match hiprtc::hiprtcGetCode(program, Out::to(&mut bytes[0])) {
        0 => Ok((bytes, target, real)),
        error => Err(error),
    }
}

/// Returns the CUBIN, which a virtual target lacks, or the PTX.
fn wanted(program: Ptr, ptx: bool) -> Result<Vec<u8>, Rtc> {
    let (bytes, target, real) = code(program)?;
    Ok(match (ptx, real) {
        (true, _) => wrap_ptx(target, &bytes).into_bytes(),
        (false, true) => bytes,
        (false, false) => Vec::new(),
    })
}

fn size(program: Ptr, ptx: bool, to: Out<usize>) -> Rtc {
    match wanted(program, ptx) {
        Ok(code) => to.set(code.len()).map_or(INVALID_INPUT, |()| 0),
        Err(error) => error,
    }
}

fn put(program: Ptr, ptx: bool, to: Out<u8>) -> Rtc {
    match wanted(program, ptx) {
        Ok(code) if !to.is_null() => {
            to.bytes(&code);
            0
        }
        Ok(_) => INVALID_INPUT,
        Err(error) => error,
    }
}

pub extern "C" fn nvrtcGetCUBINSize(program: Ptr, to: Out<usize>) -> Rtc {
    size(program, false, to)
}

pub extern "C" fn nvrtcGetCUBIN(program: Ptr, to: Out<u8>) -> Rtc {
    put(program, false, to)
}

pub extern "C" fn nvrtcGetPTXSize(program: Ptr, to: Out<usize>) -> Rtc {
    size(program, true, to)
}

pub extern "C" fn nvrtcGetPTX(program: Ptr, to: Out<u8>) -> Rtc {
    put(program, true, to)
}

const PTX: &str =
    "// Made by the virtual NVIDIA GPU: the code below is this machine's.\n.version 8.8\n.target sm_";
const CODE: &str = "\n// ";

fn wrap_ptx(target: i32, code: &[u8]) -> String {
    let mut text = format!("{PTX}{target}{CODE}");
    for byte in code {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text + "\n\0"
}

/// Returns the target and the code of PTX text.
pub(super) fn unwrap_ptx(text: &str) -> Option<(i32, Vec<u8>)> {
    let (target, code) = text.strip_prefix(PTX)?.split_once(CODE)?;
    let digits = code.trim_end().as_bytes();
    let pair = |p: &[u8]| u8::from_str_radix(std::str::from_utf8(p).ok()?, 16).ok();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    Some((target.parse().ok()?, digits.chunks(2).map(pair).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_round_trip() {
        let text = wrap_ptx(90, b"\x00\x7fELF\xff");
        assert_eq!(unwrap_ptx(text.trim_end_matches('\0')), Some((90, b"\x00\x7fELF\xff".to_vec())));
        assert_eq!((unwrap_ptx(".version 8.8"), unwrap_ptx(&format!("{PTX}90{CODE}7"))), (None, None));
    }

    #[test]
    fn options_are_nvrtcs() {
        let of = |list: &[&str]| options(&list.iter().map(|o| o.to_string()).collect::<Vec<_>>());
        let o = of(&["--gpu-architecture=sm_90", "-std=c++17", "--fmad=false", "-default-device", "-DA=1"])
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(o.clang, ["-std=c++17", "-DA=1", "-ffp-contract=off", "--gpu-architecture=sm_90"]);
        assert_eq!((o.target, o.real), (90, true));
        assert!(of(&["-arch=compute_80"]).is_ok_and(|o| !o.real && o.clang[0] == "-ffp-contract=fast"));
        for bad in
            ["--offload-arch=gfx1100", "-ffp-contract=off", "-arch=sm_61", "-O3", "--fmad=no", "-std=c++98"]
        {
            assert!(of(&[bad]).is_err_and(|e| e.contains(bad)), "{bad}");
        }
    }
}
