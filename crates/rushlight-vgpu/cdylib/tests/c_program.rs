//! The shared library as a C program meets it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
use std::path::Path;
use std::process::Command;

#[test]
fn a_c_program_runs_kernels() {
    // Cargo puts the library beside the tests.
    let here = std::env::current_exe().unwrap();
    let dir = here.parent().unwrap();
    let library = dir.join("librushlight_vgpu_abi.so");
    let program = dir.join(format!("c_program-{}", std::process::id()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_program.c");
    let cc = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let built =
        Command::new(cc).args(["-Wall", "-O1", "-o"]).arg(&program).arg(source).arg("-ldl").status().unwrap();
    assert!(built.success());
    let major = if cfg!(feature = "hip7") {
        "7"
    } else if cfg!(feature = "hip6") {
        "6"
    } else {
        "5"
    };
    let out = Command::new(&program).arg(library).arg(major).output().unwrap();
    std::fs::remove_file(&program).unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && text.ends_with("fine\n"),
        "{text}{}",
        String::from_utf8_lossy(&out.stderr)
    );
}
