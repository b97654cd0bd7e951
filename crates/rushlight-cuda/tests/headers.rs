//! Compares every prototype and constant with NVIDIA's headers: cuda.h and nvrtc.h of `cargo xtask tools cuda`, and those of
//! cuBLAS, cuDNN, cuFFT and cuSOLVER, whose packages have 200 to 600 MB each, of `cargo xtask cuda-carry`.
use rushlight_cuda::sys::{
    self, CublasSymbols, CudaSymbols, CudnnSymbols, CufftSymbols, CusolverSymbols, NvrtcSymbols,
};
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
        "c_ulonglong" => "unsigned long long",
        "c_schar" => "signed char",
        "i64" => "int64_t",
        "f32" => "float",
        "f64" => "double",
        "usize" => "size_t",
        other => other,
    };
    base.into()
}

/// Returns the folders of headers, if they contain this one and the headers that it includes.
fn include(header: &str) -> Option<Vec<PathBuf>> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let carried = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cuda/lib/nvidia");
    let packages = [target.join("cuda-packages/nvidia"), carried];
    let entries = packages.iter().filter_map(|p| std::fs::read_dir(p).ok()).flatten().flatten();
    let all: Vec<PathBuf> = entries.map(|e| e.path().join("include")).collect();
    let library = ["cuda_runtime_api.h", "crt/host_defines.h"];
    let large = ["cublas_v2.h", "cudnn.h", "cufft.h", "cusolverDn.h"].contains(&header);
    let more: &[&str] = if large { &library } else { &[] };
    let lacks = |h: &&str| !all.iter().any(|f| f.join(h).is_file());
    let missing = [&[header], more].concat().into_iter().find(lacks);
    if let Some(missing) = missing {
        let [tools, carried] = packages.map(|p| p.display().to_string());
        println!(
            "skipped: no {missing} in {tools} (`cargo xtask tools cuda`) or {carried} (`cargo xtask cuda-carry`)"
        );
    }
    missing.is_none().then_some(all)
}

/// Compiles assertions about functions and about the constants of some types; one wrong assertion must fail.
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
    // A header of a package that is not fetched; only kernels need its contents.
    let other = Path::new(env!("CARGO_TARGET_TMPDIR")).join("headers");
    std::fs::create_dir_all(other.join("nv")).unwrap();
    std::fs::write(other.join("nv/target"), "").unwrap();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{header}-{}.c", std::process::id()));
    let broken = text.replacen("default: 0", "default: 1", 1).replacen(": 1, default", ": 0, default", 1);
    for (text, good) in [(&text, true), (&broken, false)] {
        std::fs::write(&file, text).unwrap();
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-fsyntax-only", "-w"]);
        for folder in &include {
            cc.arg("-I").arg(folder);
        }
        cc.arg("-idirafter").arg(&other).arg(&file);
        let out = cc.output().unwrap();
        assert_eq!(out.status.success(), good, "{header}\n{}", String::from_utf8_lossy(&out.stderr));
    }
    let _ = std::fs::remove_file(&file);
    println!("{header}: {} functions and {constants} constants", functions.len());
}

#[test]
fn the_drivers_header() {
    let flags = "_Static_assert(CU_MEMHOSTALLOC_PORTABLE == 1 && CU_MEMHOSTALLOC_DEVICEMAP == 2, \"flags\");";
    check(
        "cuda.h",
        flags,
        CudaSymbols::PROTOTYPES,
        &["CUresult", "CUdevice_attribute", "CUstream_flags", "CUstreamCaptureMode", "CUstreamCaptureStatus"],
    );
}

#[test]
fn nvrtcs_header() {
    check("nvrtc.h", "", NvrtcSymbols::PROTOTYPES, &["nvrtcResult"]);
}

#[test]
fn cublass_header() {
    let types = [
        "cublasStatus_t",
        "cublasOperation_t",
        "cudaDataType",
        "cublasComputeType_t",
        "cublasMath_t",
        "cublasGemmAlgo_t",
    ];
    check("cublas_v2.h", "", CublasSymbols::PROTOTYPES, &types);
}

#[test]
fn cusolvers_header() {
    let types = ["cusolverStatus_t", "cusolverEigMode_t", "cublasFillMode_t", "cudaDataType"];
    check("cusolverDn.h", "", CusolverSymbols::PROTOTYPES, &types);
}

#[test]
fn cudnns_header() {
    // One struct is used for all three directions.
    let same = |of: &str| {
        let at = |field: &str, offset: usize| format!("offsetof({of}, {field}) == {offset}");
        let fields =
            [("algo", 0), ("status", 4), ("time", 8), ("memory", 16), ("determinism", 24), ("mathType", 28)];
        let all: Vec<String> = fields.iter().map(|(f, p)| at(f, *p)).collect();
        format!("_Static_assert(sizeof({of}) == 48 && {}, \"{of}\");\n", all.join(" && "))
    };
    assert_eq!(size_of::<sys::cudnnConvolutionFwdAlgoPerf_t>(), 48);
    assert_eq!(std::mem::offset_of!(sys::cudnnConvolutionFwdAlgoPerf_t, memory), 16);
    assert_eq!(std::mem::offset_of!(sys::cudnnConvolutionFwdAlgoPerf_t, mathType), 28);
    let more: String = ["Fwd", "BwdData", "BwdFilter"]
        .iter()
        .map(|d| same(&format!("cudnnConvolution{d}AlgoPerf_t")))
        .collect();
    let types: Vec<&str> =
        sys::CONSTANTS.iter().map(|c| c.0).filter(|kind| kind.starts_with("cudnn")).collect();
    check("cudnn.h", &more, CudnnSymbols::PROTOTYPES, &types);
}

#[test]
fn cuffts_header() {
    let more = "_Static_assert(CUFFT_FORWARD == -1 && CUFFT_INVERSE == 1, \"directions\");\n\
        _Static_assert(sizeof(cufftHandle) == 4 && sizeof(cufftComplex) == 8, \"types\");\n\
        _Static_assert(sizeof(cufftDoubleComplex) == 16, \"type\");";
    check("cufft.h", more, CufftSymbols::PROTOTYPES, &["cufftResult", "cufftType"]);
}
