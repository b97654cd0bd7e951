//! Tests the shared library with a C program.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
use std::path::Path;
use std::process::Command;

#[test]
fn a_c_program_runs_kernels() {
    // Cargo does not build the shared library for tests of its package, so the script does; its last line is the
    // folder.
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = Command::new("sh").arg(manifest.join("../build.sh")).arg("7").output().unwrap();
    let output = String::from_utf8_lossy(&made.stdout);
    let folder = output.lines().last().unwrap_or_default();
    assert!(made.status.success(), "{output}{}", String::from_utf8_lossy(&made.stderr));
    let library = Path::new(folder).join("lib/librushlight_vgpu.so");
    let program = std::env::temp_dir().join(format!("rushlight-c-program-{}", std::process::id()));
    let source = manifest.join("tests/c_program.c");
    let cc = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let built =
        Command::new(cc).args(["-Wall", "-O1", "-o"]).arg(&program).arg(source).arg("-ldl").status().unwrap();
    assert!(built.success());
    let out = Command::new(&program).arg(library).arg("7").output().unwrap();
    std::fs::remove_file(&program).unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && text.ends_with("fine\n"),
        "{text}{}",
        String::from_utf8_lossy(&out.stderr)
    );
}
