//! hiprtc's functions, under their own names.
#![allow(missing_docs, non_snake_case, clippy::not_unsafe_ptr_arg_deref)]

mod amdgpu;
mod compile;
mod compiler;
mod rewrite;
mod step;

use crate::api::hip::Ptr;
use crate::support::out::{Out, text};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int};
use std::sync::{Mutex, MutexGuard, OnceLock};
use step::Source;

/// hiprtcResult.
pub type Rtc = c_int;
const INVALID_INPUT: Rtc = 3;
const INVALID_PROGRAM: Rtc = 4;
const COMPILATION: Rtc = 6;
const NO_NAMES_AFTER: Rtc = 8;
const NO_LOWERED_BEFORE: Rtc = 9;
const NAME_INVALID: Rtc = 10;
const INTERNAL: Rtc = 11;

struct Program {
    source: Source,
    /// Name expressions as the user gave them, each with the name that is compiled.
    expressions: Vec<(String, String)>,
    compiled: bool,
    code: Option<Vec<u8>>,
    log: Vec<u8>,
    lowered: HashMap<String, CString>,
}

type Programs = HashMap<usize, Program>;

fn programs() -> MutexGuard<'static, Programs> {
    static ALL: OnceLock<Mutex<Programs>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

fn result(r: Result<(), Rtc>) -> Rtc {
    r.err().unwrap_or(0)
}

fn with(program: Ptr, f: impl FnOnce(&mut Program) -> Result<(), Rtc>) -> Rtc {
    result(programs().get_mut(&(program as usize)).ok_or(INVALID_PROGRAM).and_then(f))
}

fn put<T>(to: Out<T>, value: T) -> Result<(), Rtc> {
    to.set(value).map_err(|_| INVALID_INPUT)
}

pub extern "C" fn hiprtcVersion(major: Out<c_int>, minor: Out<c_int>) -> Rtc {
    result(put(major, 9).and_then(|()| put(minor, 0)))
}

pub extern "C" fn hiprtcGetErrorString(code: Rtc) -> *const c_char {
    let name = match code {
        0 => c"HIPRTC_SUCCESS",
        1 => c"HIPRTC_ERROR_OUT_OF_MEMORY",
        2 => c"HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
        3 => c"HIPRTC_ERROR_INVALID_INPUT",
        4 => c"HIPRTC_ERROR_INVALID_PROGRAM",
        5 => c"HIPRTC_ERROR_INVALID_OPTION",
        6 => c"HIPRTC_ERROR_COMPILATION",
        7 => c"HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        8 => c"HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        9 => c"HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        10 => c"HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        11 => c"HIPRTC_ERROR_INTERNAL_ERROR",
        100 => c"HIPRTC_ERROR_LINKING",
        _ => return std::ptr::null(),
    };
    name.as_ptr()
}

pub extern "C" fn hiprtcCreateProgram(
    to: Out<Ptr>,
    source: *const c_char,
    name: *const c_char,
    count: c_int,
    texts: Out<*const c_char>,
    names: Out<*const c_char>,
) -> Rtc {
    result((|| {
        let (Some(source), false, 0..) = (text(source), to.is_null(), count) else {
            return Err(INVALID_INPUT);
        };
        let count = count as usize;
        if count > 0 && (texts.is_null() || names.is_null()) {
            return Err(INVALID_INPUT);
        }
        let pairs = names.list(count).into_iter().zip(texts.list(count));
        let headers = pairs
            .map(|(n, t)| Some((text(n)?, text(t)?)))
            .collect::<Option<Vec<_>>>()
            .ok_or(INVALID_INPUT)?;
        let name = text(name).unwrap_or_default();
        let program = Program {
            source: Source { text: source, name, headers, expressions: Vec::new() },
            expressions: Vec::new(),
            compiled: false,
            code: None,
            log: Vec::new(),
            lowered: HashMap::new(),
        };
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0x7661_0000_0000);
        let key = NEXT.fetch_add(64, std::sync::atomic::Ordering::Relaxed);
        programs().insert(key, program);
        put(to, key as Ptr)
    })())
}

pub extern "C" fn hiprtcDestroyProgram(program: Out<Ptr>) -> Rtc {
    let Some(key) = program.get() else { return INVALID_INPUT };
    match programs().remove(&(key as usize)) {
        Some(_) => result(put(program, std::ptr::null_mut())),
        None => INVALID_PROGRAM,
    }
}

pub extern "C" fn hiprtcAddNameExpression(program: Ptr, expression: *const c_char) -> Rtc {
    with(program, |p| {
        let given = text(expression).ok_or(INVALID_INPUT)?;
        if p.compiled {
            return Err(NO_NAMES_AFTER);
        }
        let bare = given.trim().trim_start_matches('&').trim();
        if bare.is_empty() || bare.starts_with('(') {
            return Err(NAME_INVALID);
        }
        p.expressions.push((given.clone(), bare.to_string()));
        if !p.source.expressions.iter().any(|e| e == bare) {
            p.source.expressions.push(bare.to_string());
        }
        Ok(())
    })
}

pub extern "C" fn hiprtcCompileProgram(program: Ptr, count: c_int, options: Out<*const c_char>) -> Rtc {
    let given = strings(count, options).ok_or((INVALID_INPUT, String::new()));
    compile_program(program, given)
}

/// Reads the strings of a C array.
pub(crate) fn strings(count: c_int, list: Out<*const c_char>) -> Option<Vec<String>> {
    list.list(count.max(0) as usize).into_iter().map(text).collect()
}

/// Compiles with clang's options, or stores the error of the given options: a result and the log.
pub(crate) fn compile_program(program: Ptr, given: Result<Vec<String>, (Rtc, String)>) -> Rtc {
    // The program is removed from the table during compilation, so that other programs can compile at the same time.
    let Some(mut p) = programs().remove(&(program as usize)) else { return INVALID_PROGRAM };
    let outcome = match given {
        Err((code, log)) => {
            (p.log, p.code) = (log.into_bytes(), None);
            Err(code)
        }
        Ok(given) => match compile::compile(&p.source, &given) {
            Ok((code, log)) => {
                (p.log, p.compiled) = (log.into_bytes(), true);
                lower(&mut p, &code).map(|()| p.code = Some(code))
            }
            Err(log) => {
                (p.log, p.code) = (log.into_bytes(), None);
                Err(COMPILATION)
            }
        },
    };
    // The real log ends with a NUL that its size includes.
    if !p.log.is_empty() {
        p.log.push(0);
    }
    programs().insert(program as usize, p);
    result(outcome)
}

/// Finds the symbol of each name expression in the image.
fn lower(p: &mut Program, code: &[u8]) -> Result<(), Rtc> {
    if p.expressions.is_empty() {
        return Ok(());
    }
    let names = crate::device::module::names(code).ok_or(INTERNAL)?;
    for (given, bare) in &p.expressions {
        let symbol = names.iter().find(|n| n.0 == *bare).ok_or(NAME_INVALID)?;
        p.lowered.insert(given.clone(), CString::new(symbol.1.as_str()).map_err(|_| INTERNAL)?);
    }
    Ok(())
}

pub extern "C" fn hiprtcGetLoweredName(
    program: Ptr,
    expression: *const c_char,
    to: Out<*const c_char>,
) -> Rtc {
    with(program, |p| {
        let given = text(expression).ok_or(INVALID_INPUT)?;
        if !p.compiled {
            return Err(NO_LOWERED_BEFORE);
        }
        put(to, p.lowered.get(&given).ok_or(NAME_INVALID)?.as_ptr())
    })
}

pub extern "C" fn hiprtcGetProgramLogSize(program: Ptr, to: Out<usize>) -> Rtc {
    with(program, |p| put(to, p.log.len()))
}

pub extern "C" fn hiprtcGetProgramLog(program: Ptr, to: Out<u8>) -> Rtc {
    with(program, |p| {
        if to.is_null() {
            return Err(INVALID_INPUT);
        }
        to.bytes(&p.log);
        Ok(())
    })
}

pub extern "C" fn hiprtcGetCodeSize(program: Ptr, to: Out<usize>) -> Rtc {
    with(program, |p| put(to, p.code.as_ref().ok_or(INVALID_PROGRAM)?.len()))
}

pub extern "C" fn hiprtcGetCode(program: Ptr, to: Out<u8>) -> Rtc {
    with(program, |p| {
        if to.is_null() {
            return Err(INVALID_INPUT);
        }
        to.bytes(p.code.as_ref().ok_or(INVALID_PROGRAM)?);
        Ok(())
    })
}
