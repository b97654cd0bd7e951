//! Shared helpers: HIP's functions, and child processes with different settings.
#![allow(dead_code)]
pub mod cli;
pub mod isa;

use rushlight_vgpu::hip::*;
use rushlight_vgpu::hiprtc::*;
use rushlight_vgpu::{Code, Out};
use std::ffi::{CString, c_void};
use std::process::Command;

/// Compiles; returns the code, or the result and the log.
pub fn compile(source: &str, options: &[&str]) -> Result<Vec<u8>, (i32, String)> {
    let source = CString::new(source).unwrap();
    let options: Vec<CString> = options.iter().map(|o| CString::new(*o).unwrap()).collect();
    let mut list: Vec<_> = options.iter().map(|o| o.as_ptr()).collect();
    let list = list.first_mut().map_or(Out::null(), Out::to);
    let mut program: Ptr = std::ptr::null_mut();
    let created = hiprtcCreateProgram(
        Out::to(&mut program),
        source.as_ptr(),
        c"test.hip".as_ptr(),
        0,
        Out::null(),
        Out::null(),
    );
    assert_eq!(created, 0);
    let rc = hiprtcCompileProgram(program, options.len() as i32, list);
    let mut n = 0;
    assert_eq!(hiprtcGetProgramLogSize(program, Out::to(&mut n)), 0);
    let mut log = vec![0u8; n + 1];
    assert_eq!(hiprtcGetProgramLog(program, Out::to(&mut log[0])), 0);
    let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_string();
    let mut code = Vec::new();
    if rc == 0 {
        assert_eq!(hiprtcGetCodeSize(program, Out::to(&mut n)), 0);
        code = vec![0u8; n];
        assert_eq!(hiprtcGetCode(program, Out::to(&mut code[0])), 0);
    }
    assert_eq!(hiprtcDestroyProgram(Out::to(&mut program)), 0);
    if rc == 0 { Ok(code) } else { Err((rc, log)) }
}

/// A module of one source.
pub struct Module(pub Ptr);

impl Module {
    pub fn new(source: &str) -> Module {
        let code = compile(source, &["-std=c++17"]).unwrap_or_else(|e| panic!("{}: {}", e.0, e.1));
        let mut m: Ptr = std::ptr::null_mut();
        assert_eq!(hipModuleLoadData(Out::to(&mut m), code.as_ptr().cast()), 0);
        Module(m)
    }

    pub fn function(&self, name: &str) -> Ptr {
        let (mut f, name) = (std::ptr::null_mut(), CString::new(name).unwrap());
        assert_eq!(hipModuleGetFunction(Out::to(&mut f), self.0, name.as_ptr()), 0);
        f
    }

    /// Launches on the null stream.
    pub fn launch(&self, name: &str, grid: u32, block: u32, lds: u32, args: &mut [u64]) -> Code {
        launch(self.function(name), grid, block, lds, args)
    }
}

/// Launches with arguments of up to 8 bytes each.
pub fn launch(f: Ptr, grid: u32, block: u32, lds: u32, args: &mut [u64]) -> Code {
    let mut list: Vec<Ptr> = args.iter_mut().map(|a| (a as *mut u64).cast()).collect();
    let list = list.first_mut().map_or(Out::null(), Out::to);
    hipModuleLaunchKernel(f, grid, 1, 1, block, 1, 1, lds, std::ptr::null_mut(), list, Out::null())
}

pub fn malloc(bytes: usize) -> u64 {
    let mut p: Ptr = std::ptr::null_mut();
    assert_eq!(hipMalloc(Out::to(&mut p), bytes), 0);
    p as u64
}

pub fn upload<T: Copy>(values: &[T]) -> u64 {
    let at = malloc(size_of_val(values));
    assert_eq!(hipMemcpy(at as Ptr, values.as_ptr().cast(), size_of_val(values), 1), 0);
    at
}

pub fn download<T: Copy + Default>(at: u64, n: usize) -> Vec<T> {
    let mut v = vec![T::default(); n];
    assert_eq!(hipMemcpy(v.as_mut_ptr().cast(), at as *const c_void, n * size_of::<T>(), 2), 0);
    v
}

/// In the child process runs `body`. In the parent process runs this test in a child with the settings, and returns
/// its stderr. A kernel's error affects the whole process, as with HIP.
pub fn child(test: &str, settings: &[(&str, &str)], body: impl FnOnce()) -> Option<String> {
    const TURN: &str = "VGPU_TEST_CHILD";
    if std::env::var(TURN).is_ok_and(|t| t == test) {
        body();
        return None;
    }
    let mut c = Command::new(std::env::current_exe().unwrap());
    c.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(TURN, test);
    for (name, value) in settings {
        c.env(format!("RUSHLIGHT_VGPU_{name}"), value);
    }
    let out = c.output().unwrap();
    let (text, err) =
        (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr).into_owned());
    assert!(out.status.success(), "{test} {settings:?}: {}\n{text}\n{err}", out.status);
    assert!(text.contains("1 passed"), "{test}: no such test\n{text}");
    Some(err)
}

/// Runs a test as `child` does; its stderr must contain these words.
pub fn prints(test: &str, settings: &[(&str, &str)], words: &[&str], body: impl FnOnce()) {
    if let Some(err) = child(test, settings, body) {
        for word in words {
            assert!(err.contains(word), "`{word}` is not in: {err}");
        }
    }
}
