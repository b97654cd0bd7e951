//! Every prototype and constant against NVIDIA's own headers, where `make cuda-tools` has brought them: cuda.h, nvrtc.h.
use rushlight_cuda::sys::{self, CublasSymbols, CudaSymbols, NvrtcSymbols};
use rushlight_load::Prototype;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A type of a prototype in C.
fn c(rust: &str) -> String {
    // The compiler prints a type as `* mut T`.
    let rust = rust.replace("* ", "*");
    let rust = rust.trim();
    if let Some(to) = rust.strip_prefix("*mut ") {
        return format!("{} *", c(to));
    }
    if let Some(to) = rust.strip_prefix("*const ") {
        return format!("{} const *", c(to));
    }
    let base = match rust {
        "c_void" => "void",
        "c_char" => "char",
        "c_uchar" => "unsigned char",
        "c_int" => "int",
        "c_uint" => "unsigned int",
        "c_longlong" => "long long",
        "usize" => "size_t",
        other => other,
    };
    base.into()
}

/// The folders of headers, if one has this.
fn include(header: &str) -> Option<Vec<PathBuf>> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let packages = target.join("cuda-packages/nvidia");
    let entries = std::fs::read_dir(&packages).map(|e| e.flatten().collect()).unwrap_or_else(|_| Vec::new());
    let all: Vec<PathBuf> = entries.into_iter().map(|e| e.path().join("include")).collect();
    let found = all.iter().any(|f| f.join(header).is_file());
    if !found {
        println!("skipped: no {header} in {}; `make cuda-tools` brings it", packages.display());
    }
    found.then_some(all)
}

/// Compiles assertions about functions, and constants of some types; one that is wrong must fail.
fn check(header: &str, more: &str, functions: &[Prototype], types: &[&str]) {
    let Some(include) = include(header) else { return };
    let mut text = format!("#include <stddef.h>\n#include <{header}>\n{more}\n");
    for p in functions {
        let args: Vec<String> = p.args.iter().map(|a| c(a)).collect();
        let args = if args.is_empty() { "void".into() } else { args.join(", ") };
        let (name, ret) = (p.name, c(p.ret));
        writeln!(text, "_Static_assert(_Generic(&{name}, {ret} (*)({args}): 1, default: 0), \"{name}\");")
            .unwrap();
    }
    let mut constants = 0;
    for (kind, name, value) in sys::CONSTANTS.iter().filter(|k| types.contains(&k.0)) {
        constants += 1;
        writeln!(text, "_Static_assert((long long){name} == {value} && sizeof({kind}) == 4, \"{name}\");")
            .unwrap();
    }
    assert!(functions.len() > 3 && constants > 3, "{header}");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{header}-{}.c", std::process::id()));
    let broken = text.replacen("default: 0", "default: 1", 1).replacen(": 1, default", ": 0, default", 1);
    for (text, good) in [(&text, true), (&broken, false)] {
        std::fs::write(&place, text).unwrap();
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-fsyntax-only", "-w"]);
        for folder in &include {
            cc.arg("-I").arg(folder);
        }
        cc.arg(&place);
        let out = cc.output().unwrap();
        assert_eq!(out.status.success(), good, "{header}\n{}", String::from_utf8_lossy(&out.stderr));
    }
    let _ = std::fs::remove_file(&place);
    println!("{header}: {} functions and {constants} constants", functions.len());
}

#[test]
fn the_drivers_header() {
    let flags = "_Static_assert(CU_MEMHOSTALLOC_PORTABLE == 1 && CU_MEMHOSTALLOC_DEVICEMAP == 2, \"flags\");";
    check("cuda.h", flags, CudaSymbols::PROTOTYPES, &["CUresult", "CUdevice_attribute", "CUstream_flags"]);
}

#[test]
fn nvrtcs_header() {
    check("nvrtc.h", "", NvrtcSymbols::PROTOTYPES, &["nvrtcResult"]);
}

#[test]
fn cublass_header() {
    // cuBLAS's package has 600 MB and is not fetched: the header is looked at where somebody has put it.
    let types =
        ["cublasStatus_t", "cublasOperation_t", "cudaDataType", "cublasComputeType_t", "cublasGemmAlgo_t"];
    check("cublas_v2.h", "", CublasSymbols::PROTOTYPES, &types);
}
