//! The compiler, and the kernel descriptions in CUBINs: runs with the NVRTC of `cargo xtask tools cuda`, if it is installed.
use rushlight_cuda::{Error, cubin, nvrtc};
use std::path::Path;

/// Returns whether NVRTC is installed.
fn found() -> bool {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    rushlight_cuda::search_also(target.join("cuda-packages/nvidia/cuda_nvrtc/lib"));
    let asked = nvrtc::version();
    if let Err(e) = &asked {
        println!("skipped: {e}; `cargo xtask tools cuda` brings NVRTC");
    }
    asked.is_ok()
}

const SOURCE: &str = r#"#include "two.h"
struct Params { long long a[TWO]; int b; };
extern "C" __global__ void __launch_bounds__(256) one(Params p, float* x) {
    __shared__ float all[64];
    all[threadIdx.x % 64] = (float)p.a[p.b];
    __syncthreads();
    x[threadIdx.x] = all[0];
}
"#;

fn compile(target: &str, source: &str) -> rushlight_cuda::Result<nvrtc::Compiled> {
    let options = [format!("--gpu-architecture={target}"), "-std=c++17".to_string()];
    nvrtc::compile(source, "one.cu", &[("two.h", "#define TWO 2")], &options)
}

#[test]
fn every_target_compiles_to_a_cubin_with_parameter_info() {
    if !found() {
        return;
    }
    let all = nvrtc::targets().unwrap();
    assert!(all.contains(&80) && all.is_sorted(), "{all:?}");
    for target in all {
        let made = compile(&format!("sm_{target}"), SOURCE).unwrap();
        let kernels = cubin::kernels(&made.code).unwrap();
        assert_eq!(kernels.len(), 1);
        let k = &kernels[0];
        assert_eq!((k.name.as_str(), &k.parameters[..], k.arguments), ("one", &[(0, 24), (24, 8)][..], 32));
        assert!(k.threads == 256 && k.shared >= 256 && k.registers > 0 && k.stack < 64, "sm_{target}: {k:?}");
        // Truncation anywhere is an error, not a crash.
        for n in (0..made.code.len()).step_by(97) {
            let _ = cubin::kernels(&made.code[..n]);
        }
        assert!(cubin::kernels(&made.code[..200]).is_err());
    }
}

#[test]
fn ptx_for_a_newer_device_and_errors_with_the_log() {
    if !found() {
        return;
    }
    let ptx = compile("compute_80", SOURCE).unwrap().code;
    assert!(ptx.last() == Some(&0) && String::from_utf8_lossy(&ptx).contains(".target sm_80"));
    let Err(Error::Nvrtc { call: "nvrtcCompileProgram", code: 6, log }) =
        compile("sm_80", "int x = no_such_name;")
    else {
        panic!("no error");
    };
    assert!(log.contains("one.cu(1)") && log.contains("no_such_name"), "{log}");
    let e = compile("gfx90a", SOURCE).unwrap_err().to_string();
    assert_eq!(e, "nvrtcCompileProgram: the options lack --gpu-architecture=sm_NN or compute_NN");
}

#[test]
fn target_is_the_devices_unless_the_compiler_is_older() {
    let known = [75, 80, 90];
    let choose = |target, driver, compiler| nvrtc::choose(target, driver, compiler, &known);
    // The compiler supports the device: a CUBIN, even if the driver is older within a major version.
    assert_eq!(choose(90, 12_000, (12, 9)), Ok("--gpu-architecture=sm_90".into()));
    assert_eq!(choose(75, 13_000, (12, 9)), Ok("--gpu-architecture=sm_75".into()));
    assert!(choose(90, 12_090, (13, 0)).unwrap_err().contains("install NVRTC of CUDA 12"));
    // It does not, and the driver is newer: PTX.
    assert_eq!(choose(120, 12_090, (12, 9)), Ok("--gpu-architecture=compute_90".into()));
    assert!(choose(120, 12_040, (12, 9)).is_err());
    assert!(choose(70, 12_090, (12, 9)).unwrap_err().contains("does not support sm_70"));
}
