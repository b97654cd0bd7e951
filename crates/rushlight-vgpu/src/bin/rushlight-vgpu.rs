//! The command `rushlight-vgpu`: runs, shows, traces and repeats kernels of AMD's machine code.
use std::process::ExitCode;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> ExitCode {
    ExitCode::from(rushlight_vgpu::cli::command(std::env::args_os().skip(1)))
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() -> ExitCode {
    eprintln!("rushlight-vgpu: it runs on Linux on x86-64 only");
    ExitCode::from(2)
}
