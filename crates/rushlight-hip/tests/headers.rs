//! Compares every prototype, constant, size and offset with AMD's headers: generated files must compile.
mod common;
use common::{Tree, packages};
use rushlight_hip::sys::{Prototype, hip, hiprtc, miopen, rocblas, rocfft, rocsolver};
use std::fmt::Write;
use std::mem::{offset_of, size_of};
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
        "c_void" | "()" => "void",
        "c_char" => "char",
        "c_int" => "int",
        "c_uint" => "unsigned int",
        "c_ulonglong" => "unsigned long long",
        "usize" => "size_t",
        "u8" => "unsigned char",
        "i32" => "int32_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "f32" => "float",
        "f64" => "double",
        other => other,
    };
    base.into()
}

/// The pointer type of a function.
fn pointer(p: &Prototype) -> String {
    let args: Vec<String> = p.args.iter().map(|a| c(a)).collect();
    let args = if args.is_empty() { "void".into() } else { args.join(", ") };
    format!("{} (*)({args})", c(p.ret))
}

/// A file of assertions.
struct Check {
    text: String,
    cpp: bool,
    count: usize,
}

impl Check {
    fn new(cpp: bool, includes: &[&str]) -> Self {
        let mut text = String::from("#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n");
        includes.iter().for_each(|i| writeln!(text, "#include <{i}>").unwrap());
        if cpp {
            text.push_str("#include <type_traits>\n#define _Static_assert static_assert\n");
        }
        Self { text, cpp, count: 0 }
    }

    fn assert(&mut self, condition: &str, what: &str) {
        writeln!(self.text, "_Static_assert({condition}, \"{what}\");").unwrap();
        self.count += 1;
    }

    fn functions(&mut self, all: &[Prototype], except: &[&str]) {
        for p in all.iter().filter(|p| !except.contains(&p.name)) {
            self.function(p, &[pointer(p)]);
        }
    }

    /// Asserts one of several types, where a version added const.
    fn function(&mut self, p: &Prototype, types: &[String]) {
        let name = p.name;
        let condition = if self.cpp {
            format!("(std::is_same<decltype(&{name}), {}>::value)", types[0])
        } else {
            let cases: Vec<String> = types.iter().map(|t| format!("{t}: 1")).collect();
            format!("_Generic(&{name}, {}, default: 0)", cases.join(", "))
        };
        self.assert(&condition, &format!("prototype of {name}"));
    }

    fn constants(&mut self, all: &[(&str, &str, u64)]) {
        for (kind, name, value) in all {
            self.assert(&format!("(unsigned long long){name} == {value}ull"), name);
            self.assert(&format!("sizeof({kind}) == 4"), kind);
        }
    }

    fn offset(&mut self, kind: &str, field: &str, at: usize) {
        self.assert(&format!("offsetof({kind}, {field}) == {at}"), &format!("{kind}.{field}"));
    }

    /// Compiles the file, then again with one wrong assertion, which must fail.
    fn compile(&self, what: &str, include: &Path) {
        assert!(self.count > 10, "{what}: {} assertions", self.count);
        let broken = self.text.replacen("_Static_assert(", "_Static_assert(!", 2).replacen(
            "_Static_assert(!",
            "_Static_assert(",
            1,
        );
        for (text, good) in [(&self.text, true), (&broken, false)] {
            let tree = Tree::new();
            let (file, standard) =
                if self.cpp { ("check.cpp", "-std=c++17") } else { ("check.c", "-std=c11") };
            std::fs::write(tree.path(file), text).unwrap();
            let out = Command::new(if self.cpp { "c++" } else { "cc" })
                .args([standard, "-fsyntax-only", "-w", "-D__HIP_PLATFORM_AMD__", "-I"])
                .arg(include)
                .arg(tree.path(file))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&out.stderr);
            assert_eq!(out.status.success(), good, "{what} in {}:\n{said}", include.display());
        }
        println!("{what}: {} assertions hold in {}", self.count, include.display());
    }
}

/// Returns folders with AMD's headers: unpacked packages, and those that a variable names.
fn headers(file: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for suite in ["bookworm", "trixie", "sid"] {
        match packages(suite) {
            Ok(folder) => all.push(folder.join("usr/include")),
            Err(why) => println!("skipped: headers of {suite}: {why}"),
        }
    }
    if let Some(more) = std::env::var_os("RUSHLIGHT_TEST_ROCM_HEADERS") {
        all.extend(std::env::split_paths(&more));
    }
    all.retain(|f| f.join(file).exists());
    all
}

/// Returns HIP's major version from its header.
fn major(include: &Path) -> u32 {
    let text = std::fs::read_to_string(include.join("hip/hip_version.h")).unwrap();
    let line = text.lines().find_map(|l| l.strip_prefix("#define HIP_VERSION_MAJOR ")).unwrap();
    line.trim().parse().unwrap()
}

#[test]
fn hip_matches_its_headers() {
    for include in headers("hip/hip_runtime_api.h") {
        let major = major(&include);
        let mut check = Check::new(false, &["hip/hip_runtime_api.h"]);
        // From HIP 6 on the plain name is a macro for the new one; the old function is exported, but not declared.
        let except = if major < 6 { "hipGetDevicePropertiesR0600" } else { "hipGetDeviceProperties" };
        check.functions(hip::HipSymbols::PROTOTYPES, &[except]);
        check.constants(hip::CONSTANTS);
        hip::FLAGS.iter().for_each(|(name, value)| check.assert(&format!("{name} == {value}u"), name));

        let (types, layout, kind) = if major < 6 {
            (&hip::MEMORY_TYPE_5[..], hip::PROP_R0000, "memoryType")
        } else {
            (&hip::MEMORY_TYPE_6[..], hip::PROP_R0600, "type")
        };
        types.iter().for_each(|(value, name)| check.assert(&format!("{name} == {value}"), name));
        check.assert(&format!("sizeof(hipDeviceProp_t) == {}", layout.size), "hipDeviceProp_t");
        check.offset("hipDeviceProp_t", "name", 0);
        check.offset("hipDeviceProp_t", "gcnArchName", layout.arch_name);
        check.offset("hipDeviceProp_t", "totalGlobalMem", layout.total_mem);
        check.offset("hipDeviceProp_t", "warpSize", layout.warp_size);
        check.offset("hipDeviceProp_t", "pciDomainID", layout.pci_domain);

        type Attribute = hip::hipPointerAttribute_t;
        check.assert(&format!("sizeof(hipPointerAttribute_t) == {}", size_of::<Attribute>()), "size");
        for (field, at) in [
            (kind, offset_of!(Attribute, kind)),
            ("device", offset_of!(Attribute, device)),
            ("devicePointer", offset_of!(Attribute, devicePointer)),
            ("hostPointer", offset_of!(Attribute, hostPointer)),
            ("isManaged", offset_of!(Attribute, isManaged)),
            ("allocationFlags", offset_of!(Attribute, allocationFlags)),
        ] {
            check.offset("hipPointerAttribute_t", field, at);
        }
        check.compile(&format!("HIP {major}"), &include);
    }
}

#[test]
fn hiprtc_matches_its_headers() {
    for include in headers("hip/hiprtc.h") {
        let mut check = Check::new(false, &["hip/hiprtc.h"]);
        for p in hiprtc::HiprtcSymbols::PROTOTYPES {
            // HIP 7 takes the arrays of strings as const.
            let plain = pointer(p);
            let promised = plain.replace("char const * *", "char const * const *");
            let types = if plain == promised { vec![plain] } else { vec![plain, promised] };
            check.function(p, &types);
        }
        check.constants(hiprtc::CONSTANTS);
        check.compile("hiprtc", &include);
    }
}

#[test]
fn rocblas_matches_its_headers() {
    for include in headers("rocblas/rocblas.h") {
        let mut check = Check::new(false, &["rocblas/rocblas.h"]);
        check.functions(rocblas::RocblasSymbols::PROTOTYPES, &[]);
        // Two statuses came with ROCm 5.7.
        let types = std::fs::read_to_string(include.join("rocblas/internal/rocblas-types.h")).unwrap();
        let new = ["rocblas_status_excluded_from_build", "rocblas_status_arch_mismatch"];
        let known: Vec<_> = rocblas::CONSTANTS
            .iter()
            .copied()
            .filter(|c| !new.contains(&c.1) || types.contains(c.1))
            .collect();
        check.constants(&known);
        check.compile("rocBLAS", &include);
    }
}

#[test]
fn rocsolver_matches_its_headers() {
    for include in headers("rocsolver/rocsolver.h") {
        let mut check = Check::new(false, &["rocsolver/rocsolver.h"]);
        check.functions(rocsolver::RocsolverSymbols::PROTOTYPES, &[]);
        check.constants(rocsolver::CONSTANTS);
        check.compile("rocSOLVER", &include);
    }
}

#[test]
fn miopen_matches_its_headers() {
    for include in headers("miopen/miopen.h") {
        let mut check = Check::new(true, &["miopen/miopen.h"]);
        check.functions(miopen::MiopenSymbols::PROTOTYPES, &[]);
        check.constants(miopen::CONSTANTS);
        type Perf = miopen::miopenConvAlgoPerf_t;
        type Solution = miopen::miopenConvSolution_t;
        check.assert(&format!("sizeof(miopenConvAlgoPerf_t) == {}", size_of::<Perf>()), "size");
        check.offset("miopenConvAlgoPerf_t", "fwd_algo", offset_of!(Perf, algorithm));
        check.offset("miopenConvAlgoPerf_t", "bwd_weights_algo", offset_of!(Perf, algorithm));
        check.offset("miopenConvAlgoPerf_t", "time", offset_of!(Perf, time));
        check.offset("miopenConvAlgoPerf_t", "memory", offset_of!(Perf, memory));
        check.assert(&format!("sizeof(miopenConvSolution_t) == {}", size_of::<Solution>()), "size");
        check.offset("miopenConvSolution_t", "time", offset_of!(Solution, time));
        check.offset("miopenConvSolution_t", "workspace_size", offset_of!(Solution, workspace_size));
        check.offset("miopenConvSolution_t", "solution_id", offset_of!(Solution, solution_id));
        check.offset("miopenConvSolution_t", "algorithm", offset_of!(Solution, algorithm));
        check.compile("MIOpen", &include);
    }
}

#[test]
fn rocfft_matches_its_headers() {
    for include in headers("rocfft/rocfft.h") {
        let mut check = Check::new(false, &["rocfft/rocfft.h"]);
        check.functions(rocfft::RocfftSymbols::PROTOTYPES, &[]);
        check.constants(rocfft::CONSTANTS);
        check.compile("rocFFT", &include);
    }
}
