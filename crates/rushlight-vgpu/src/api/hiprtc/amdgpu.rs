//! Compiles HIP source to AMD machine code with clang and AMD's device libraries.
use super::compiler::Compiler;
use super::step::{Options, Source, Step, run, write, write_source};
use std::path::{Path, PathBuf};

/// The bitcode of Debian's package.
const BITCODE: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc";

/// The declarations of HIP for a compilation without headers.
const PRELUDE: &str = include_str!("../../../prelude/machine.h");

/// Returns the file with AMD's mathematical functions.
fn bitcode() -> Result<PathBuf, String> {
    let own = std::env::var_os("RUSHLIGHT_DEVICE_LIBS").map(|d| PathBuf::from(d).join("ocml.bc"));
    let files: Vec<PathBuf> = own.into_iter().chain([PathBuf::from(BITCODE)]).collect();
    files.iter().find(|p| p.is_file()).cloned().ok_or_else(|| {
        let tried: Vec<String> = files.iter().map(|p| p.display().to_string()).collect();
        format!(
            "error: no AMD device libraries: tried {}. Install rocm-device-libs, or name their folder in \
             RUSHLIGHT_DEVICE_LIBS\n",
            tried.join(", ")
        )
    })
}

/// Returns the constants that the bitcode reads: the target, and options for exact results.
fn constants(o: &Options) -> String {
    let step = o.arch.name.bytes().last().map_or(0, |b| (b as char).to_digit(16).unwrap_or(0));
    let isa = o.arch.major as u32 * 1000 + o.arch.minor as u32 * 100 + step;
    let mut text = String::from("target triple = \"amdgcn-amd-amdhsa\"\n");
    for (name, bits, value) in [
        ("ISA_version", 32, isa),
        ("ABI_version", 32, 500),
        ("finite_only_opt", 8, 0),
        ("unsafe_math_opt", 8, 0),
        ("daz_opt", 8, 0),
        ("correctly_rounded_sqrt32", 8, 1),
        ("wavefrontsize64", 8, u32::from(o.wave == 64)),
    ] {
        let kind = "linkonce_odr hidden local_unnamed_addr addrspace(4) constant";
        text += &format!("@__oclc_{name} = {kind} i{bits} {value}\n");
    }
    text
}

/// Compiles with AMD's hiprtc in a separate program: two hiprtc libraries in one process would conflict.
pub(super) fn by_hiprtc(
    source: &Source,
    o: &Options,
    program: &Compiler,
    dir: &Path,
    log: &mut String,
) -> Step<Vec<u8>> {
    let mut args = vec![write_source(source, dir)?, "rlv.co".to_string()];
    args.extend(source.headers.iter().map(|h| h.0.clone()));
    args.extend(["--".to_string(), format!("--offload-arch={}", o.arch.name)]);
    args.extend(o.clang.iter().cloned());
    run(program, &args, dir, log)?;
    std::fs::read(dir.join("rlv.co")).map_err(|e| Some(format!("error: {e}\n")))
}

/// Compiles and links; clang's messages go to the log.
pub(super) fn steps(
    source: &Source,
    o: &Options,
    cxx: &Compiler,
    dir: &Path,
    log: &mut String,
) -> Step<Vec<u8>> {
    let math = bitcode().map_err(Some)?.display().to_string();
    write(dir, "rlv_machine.h", PRELUDE)?;
    write(dir, "rlv_oclc.ll", &constants(o))?;
    let name = write_source(source, dir)?;
    let strings = |words: &[&str]| words.iter().map(|w| w.to_string()).collect::<Vec<_>>();
    let target = "--target=amdgcn-amd-amdhsa";
    let mut args = strings(&["-nogpulib", "-x", "ir", target, "-Wno-override-module", "-emit-llvm", "-c"]);
    args.extend(strings(&["rlv_oclc.ll", "-o", "rlv_oclc.bc"]));
    run(cxx, &args, dir, log)?;
    let mut args = strings(&["-x", "hip", "--offload-device-only", "--no-gpu-bundle-output"]);
    args.push(format!("--offload-arch={}", o.arch.name));
    args.extend(strings(&[
        "-nogpuinc",
        "-nogpulib",
        "-nostdinc",
        "-fdeclspec",
        "-O3",
        "-include",
        "rlv_machine.h",
        "-I.",
    ]));
    for file in [math.as_str(), "rlv_oclc.bc"] {
        args.extend(strings(&["-Xclang", "-mlink-builtin-bitcode", "-Xclang", file]));
    }
    args.push("-mcode-object-version=5".into());
    args.extend(o.clang.iter().cloned());
    args.extend(strings(&["-c", &name, "-o", "rlv.co"]));
    run(cxx, &args, dir, log)?;
    std::fs::read(dir.join("rlv.co")).map_err(|e| Some(format!("error: {e}\n")))
}
