//! AMD's real HIP 5.2, as Debian packages it, on a machine without a GPU: it fails cleanly, and its compiler compiles.
//! Each test runs in a separate process, because this HIP's compiler ends the process instead of returning an error.
mod common;
use common::{packages, passes, var};
use rushlight_hip::{Device, Error, Hip, MissingSymbol, rtc, sys};
use std::ffi::CString;
use std::path::{Path, PathBuf};

/// The folder with libamdhip64.so.5, and the folders of the libraries that it needs.
fn real() -> Result<(PathBuf, String), String> {
    if let Some(own) = std::env::var_os("RUSHLIGHT_TEST_ROCM5") {
        return Ok((own.into(), String::new()));
    }
    let usual = Path::new("/usr/lib/x86_64-linux-gnu");
    if usual.join("libamdhip64.so.5").exists() && usual.join("libhiprtc-builtins.so.5").exists() {
        return Ok((usual.into(), String::new()));
    }
    let folder = packages("bookworm")?;
    let lib = folder.join("usr/lib/x86_64-linux-gnu");
    let path = format!("{}:{}", lib.display(), folder.join("lib/x86_64-linux-gnu").display());
    Ok((lib, path))
}

/// Runs a child on the real library, or prints why it is missing.
fn on_real(name: &str) {
    match real() {
        Ok((lib, path)) => {
            // Hides a GPU that this machine may have.
            let hidden = [("HIP_VISIBLE_DEVICES", "-1"), ("ROCR_VISIBLE_DEVICES", "-1")];
            let own = ("RUSHLIGHT_ROCM_PATH", lib.to_str().unwrap());
            passes(name, &[&hidden[..], &[own, ("LD_LIBRARY_PATH", &path)]].concat());
        }
        Err(why) => println!("skipped: {why}"),
    }
}

#[test]
fn real_hip_without_a_device_fails_cleanly() {
    on_real("child_fails");
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_fails() {
    let hip = Hip::get().unwrap();
    assert_eq!(hip.major(), 5);
    assert!(hip.library_paths()[0].1.starts_with(var("RUSHLIGHT_ROCM_PATH")));
    assert_eq!(hip.device_count().unwrap(), 0);
    let e = Device::new(0).unwrap_err();
    assert!(e.is_no_device() && e.to_string().contains("HIP sees 0 devices"), "{e}");
    // The layer below: every call is an error, none a crash.
    let mut ptr = std::ptr::null_mut();
    let mut stream = std::ptr::null_mut();
    let (mut free, mut total) = (0, 0);
    let image = [0u64; 64];
    let mut module = std::ptr::null_mut();
    let calls = hip.calls();
    // SAFETY: the pointers are those of locals.
    let results = unsafe {
        [
            calls.hipInit(0),
            calls.hipMalloc(&mut ptr, 16),
            calls.hipMemGetInfo(&mut free, &mut total),
            calls.hipStreamCreateWithFlags(&mut stream, 0),
            calls.hipModuleLoadData(&mut module, image.as_ptr().cast()),
        ]
    };
    for r in results {
        let e = r.unwrap_err();
        assert!(e.is_no_device(), "{e}");
    }
    // Neither unloading nor exiting crashes: the parent checks the exit status.
}

#[test]
fn real_hip_lacks_only_newer_functions() {
    on_real("child_symbols");
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_symbols() {
    let file = Hip::get().unwrap().library_paths().remove(0).1;
    let file = CString::new(file.to_str().unwrap()).unwrap();
    // SAFETY: the library is loaded already.
    let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW) };
    let all = sys::hip::HipSymbols::PROTOTYPES.iter().chain(sys::hiprtc::HiprtcSymbols::PROTOTYPES);
    let missing: Vec<&str> = all
        .map(|p| p.name)
        .filter(|name| {
            let name = CString::new(*name).unwrap();
            // SAFETY: the handle is open and the name ends with NUL.
            unsafe { libc::dlsym(handle, name.as_ptr()) }.is_null()
        })
        .collect();
    assert_eq!(missing, ["hipGetDevicePropertiesR0600"]);
    // Looked up through the table, a missing function is an error that names it.
    let symbols = Hip::get().unwrap().calls().symbols();
    assert!(symbols.hipMalloc().is_ok());
    let e = symbols.hipGetDevicePropertiesR0600().unwrap_err();
    assert!(
        matches!(e, MissingSymbol { name: "hipGetDevicePropertiesR0600", needed_for: "devices", .. }),
        "{e:?}"
    );
}

#[test]
fn real_compiler_compiles() {
    on_real("child_compiles");
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_compiles() {
    let source = r#"
        #include "scale.h"
        extern "C" __global__ void scale(float *x, unsigned n) {
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            if constexpr (sizeof(x) == 8) { if (i < n) x[i] *= SCALE; }
        }"#;
    let headers = [("scale.h", "#define SCALE 2.0f")];
    assert_eq!(rtc::version().unwrap(), (9, 0));
    // Wave 64 and wave 32, with and without features; the numbers are LLVM's EF_AMDGPU_MACH.
    for (arch, mach) in
        [("gfx90a", 0x3f), ("gfx90a:sramecc+:xnack-", 0x3f), ("gfx1030", 0x36), ("gfx906:xnack-", 0x2f)]
    {
        let made = rtc::compile(source, "scale.hip", &headers, &[format!("--offload-arch={arch}")]).unwrap();
        assert!(made.code.starts_with(b"\x7fELF"), "{arch}");
        // Machine AMDGPU; the target in the flags; the kernel's name in the symbols.
        assert_eq!((&made.code[18..20], made.code[48]), (&224u16.to_le_bytes()[..], mach), "{arch}");
        assert!(made.code.windows(6).any(|w| w == b"scale\0"), "{arch}");
        assert_eq!(made.log, "", "{arch}");
    }
    let arch = ["--offload-arch=gfx1030".to_string(), "-Wall".into()];
    // A success logs the warning, a failure logs the error with the file's name.
    let warned = rtc::compile("__global__ void k() { int unused; }", "k.hip", &[], &arch).unwrap();
    assert!(warned.log.contains("unused variable 'unused'"), "{}", warned.log);
    let e = rtc::compile("__global__ void k() { int x = missing; }", "k.hip", &[], &arch).unwrap_err();
    assert!(matches!(e, Error::Rtc { call: "hiprtcCompileProgram", code: 6, .. }), "{e:?}");
    assert!(e.log().unwrap().contains("use of undeclared identifier 'missing'"), "{e}");
    let e = rtc::compile("x", "k.hip", &[], &["--offload-arch=gfx1030".into(), "-no-such-option".into()])
        .unwrap_err();
    assert!(e.log().is_some(), "{e}");
    // Targets that end the process in this version are rejected before.
    for arch in ["gfx1100", "gfx942", "gfx1030:xnack-", "gfx90a:other+", "gfx"] {
        let e = rtc::compile(source, "scale.hip", &headers, &[format!("--offload-arch={arch}")]).unwrap_err();
        assert!(matches!(e, Error::Argument { .. }), "{arch}: {e:?}");
    }
    for empty in ["", " \n"] {
        assert!(matches!(rtc::compile(empty, "e.hip", &[], &arch).unwrap_err(), Error::Argument { .. }));
    }
}
