//! Runs kernels of AMD machine code: threads, waves, atomics, mathematics, and reported errors.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::isa::{ISA, KERNELS, OBJECT, OBJECTS, object, targets};
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;

fn load(image: &[u8]) -> Module {
    let mut m: Ptr = std::ptr::null_mut();
    assert_eq!(hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast()), 0);
    Module(m)
}

fn module() -> Module {
    load(OBJECT)
}

/// The module selects the engine, whatever hiprtc compiles to.
#[test]
fn kernels_compute_the_expected_results() {
    for (n, order) in ["forward", "reverse"].into_iter().cycle().take(6).enumerate() {
        let arch = OBJECTS[n / 2].0;
        child("kernels_compute_the_expected_results", &[("ORDER", order), ("ARCH", arch)], || {
            let arch = std::env::var("RUSHLIGHT_VGPU_ARCH").unwrap();
            let (_, wave, image) = OBJECTS.into_iter().find(|o| o.0 == arch).unwrap();
            let m = load(image);
            let n = 10_003usize;
            let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let b: Vec<f32> = (0..n).map(|i| (2 * i) as f32).collect();
            let (pa, pb, out) = (upload(&a), upload(&b), malloc(n * 4));
            assert_eq!(m.launch("add", (n as u32).div_ceil(256), 256, 0, &mut [out, pa, pb, n as u64]), 0);
            assert!(download::<f32>(out, n).iter().enumerate().all(|(i, v)| *v == (3 * i) as f32));

            let out = malloc(4096);
            assert_eq!(m.launch("down", 1, 128, 0, &mut [out]), 0);
            let got = download::<u32>(out, 128);
            for first in (0..128u32).step_by(wave as usize) {
                assert_eq!(got[first as usize], (first..first + wave).sum::<u32>(), "wave at {first}");
            }

            let (i, u, f, d) = (upload(&[0i32; 8]), upload(&[0u64; 2]), upload(&[0f32]), upload(&[0f64]));
            assert_eq!(m.launch("all", 30, 64, 0, &mut [i, u, f, d]), 0);
            let n = 30 * 64;
            assert_eq!(download::<i32>(i, 5), [n, n - 1, 1 - n, i32::MAX, 2 * n]);
            assert_eq!(download::<u64>(u, 2), [(n as u64) << 32, (0..n as u64).fold(0, |a, b| a ^ b)]);
            assert_eq!((download::<f32>(f, 1)[0], download::<f64>(d, 1)[0]), (n as f32, n as f64 / 2.0));
        });
    }
}

fn ulps(a: f64, b: f64, step: f64) -> f64 {
    ((a - b) / (step * b.abs())).abs()
}

/// Quotients and square roots are correctly rounded, also if the operands need scaling; library functions are
/// approximate.
#[test]
fn division_and_sqrt_are_correctly_rounded() {
    child("division_and_sqrt_are_correctly_rounded", &[ISA], || {
        let m = Module::new(KERNELS);
        let float = |i: usize| f32::from_bits((i as u32).wrapping_mul(0x9e37_79b9) & 0x7f7f_ffff);
        let double =
            |i: usize| f64::from_bits((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) & 0x7fef_ffff_ffff_ffff);
        let mut f: Vec<f32> = (0..256).map(float).collect();
        let mut d: Vec<f64> = (0..256).map(double).collect();
        let special =
            [0.0, 1.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, 3e-39, f32::INFINITY, f32::NAN, -7.5, -0.0];
        f[..10].copy_from_slice(&special);
        let special =
            [0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 3e-310, f64::INFINITY, f64::NAN, 7.5, -0.0];
        d[..10].copy_from_slice(&special);
        for i in 100..200 {
            (f[i], d[i]) = (i as f32 / 13.0 - 9.0, i as f64 * 1e3 + 0.25);
        }
        let (mut all_f, mut all_d) = (f.clone(), d.clone());
        all_f.resize(1024, 0.0);
        all_d.resize(1280, 0.0);
        let (pf, pd) = (upload(&all_f), upload(&all_d));
        assert_eq!(m.launch("mathematics", 1, 256, 0, &mut [pf, pd]), 0);
        let (gf, gd) = (download::<f32>(pf, 1024), download::<f64>(pd, 1280));
        for i in 0..256 {
            let same32 = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            let same64 = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            let (v, w) = (f[i], d[i]);
            assert!(same32(gf[256 + i], v / 3.0), "{v:e} / 3 = {:e}", gf[256 + i]);
            assert!(same32(gf[512 + i], v.sqrt()), "sqrt {v:e} = {:e}", gf[512 + i]);
            assert!(same64(gd[256 + i], w / 3.0), "{w:e} / 3 = {:e}", gd[256 + i]);
            assert!(same64(gd[512 + i], w.sqrt()), "sqrt {w:e} = {:e}", gd[512 + i]);
            if (100..200).contains(&i) {
                assert!(ulps(gf[768 + i] as f64, (v as f64).exp(), 1.2e-7) < 2.0, "exp {v}: {}", gf[768 + i]);
                assert!(ulps(gd[768 + i], w.sin(), 2.3e-16) < 4.0, "sin {w}: {}", gd[768 + i]);
                assert!(ulps(gd[1024 + i], w.ln(), 2.3e-16) < 4.0, "log {w}: {}", gd[1024 + i]);
            }
        }
        let h: Vec<u16> = (0..64).map(|i| half::f16::from_f32(i as f32 * 1.7 - 20.0).to_bits()).collect();
        let p = upload(&[h.clone(), vec![0; 64]].concat());
        assert_eq!(m.launch("halves", 1, 64, 0, &mut [p, 64]), 0);
        for (i, got) in download::<u16>(p, 128)[64..].iter().enumerate() {
            let third = half::f16::from_f32(half::f16::from_bits(h[i]).to_f32() / 3.0);
            assert_eq!(*got, half::f16::from_f32(third.to_f32() + 1.0).to_bits(), "{i}");
        }
    });
}

fn fails(
    test: &str,
    settings: &[(&str, &str)],
    code: i32,
    words: &[&str],
    start: impl FnOnce(&Module) -> i32,
) {
    prints(test, settings, words, || {
        let m = module();
        assert_eq!(start(&m), 0, "the launch itself is accepted");
        assert_eq!(hipDeviceSynchronize(), code);
    });
}

#[test]
fn store_past_the_end_names_the_instruction() {
    let words = [
        "kernel `add`, grid (1,1,1) of (256,1,1): block (0,0,0), thread (250,0,0)",
        "write to",
        "0 bytes past the end of",
        "(1000 bytes at",
        "4 bytes by `global_store_b32 v[0:1], v2, off` at 0x10a4 (lane 26 of wave 7)",
    ];
    // Hardware would accept it: the allocation's page continues.
    fails("store_past_the_end_names_the_instruction", &[("ORDER", "forward")], 700, &words, |m| {
        let (a, b) = (upload(&[1f32; 256]), upload(&[1f32; 256]));
        m.launch("add", 1, 256, 0, &mut [malloc(1000), a, b, 256])
    });
}

/// All 32 instructions of `add`, by each of 8 waves.
#[test]
fn instructions_are_counted() {
    let words = [
        "kernel `add`, grid (1,1,1) of (256,1,1): 256 instructions by waves of 32: ",
        // Each wave loads two lines of 128 bytes, waits once, and stores one; both loads read the same 1,024 bytes.
        " vmem=24 lds=0 ",
        " waves=8 far=8 ",
        " read=1024 written=1024 loaded=2048 stored=1024 lines=24 clocks=48 ",
        " vgprs=6 sgprs=18 lds_size=0 global_load_4=16 global_store_4=8",
    ];
    prints("instructions_are_counted", &[("COUNT", "1")], &words, || {
        let m = module();
        let a = upload(&[1f32; 256]);
        assert_eq!(m.launch("add", 1, 256, 0, &mut [malloc(1024), a, a, 256]), 0);
        assert_eq!(hipDeviceSynchronize(), 0);
    });
}

#[test]
fn endless_wave_is_stopped_by_the_budget() {
    let words = ["kernel `add`", "a wave has executed 10 instructions", "an endless loop?"];
    fails("endless_wave_is_stopped_by_the_budget", &[("BUDGET", "10")], 719, &words, |m| {
        let a = upload(&[1f32; 256]);
        m.launch("add", 1, 256, 0, &mut [malloc(1024), a, a, 256])
    });
}

/// The sizes of blocks and grids follow the arguments since version 5; before, they are in the dispatch packet.
const SIZES: &str = r#"
extern "C" __attribute__((global)) void sizes(unsigned* out) {
    unsigned size = __builtin_amdgcn_workgroup_size_x();
    unsigned i = __builtin_amdgcn_workgroup_id_x() * size + __builtin_amdgcn_workitem_id_x();
    out[3 * i] = i;
    out[3 * i + 1] = size;
    out[3 * i + 2] = __builtin_amdgcn_grid_size_x();
}
"#;

#[test]
fn code_objects_of_every_version() {
    for arch in targets(&["gfx1100", "gfx90a"]) {
        child("code_objects_of_every_version", &[("ARCH", arch)], || {
            for version in [4, 5, 6] {
                let image = object(SIZES, &std::env::var("RUSHLIGHT_VGPU_ARCH").unwrap(), version);
                assert_eq!(u32::from(image[8]) + 2, version, "the ABI's version in the header");
                let (m, out) = (load(&image), malloc(12 * 480));
                assert_eq!(m.launch("sizes", 5, 96, 0, &mut [out]), 0);
                let got = download::<u32>(out, 3 * 480);
                let wrong = got.chunks(3).enumerate().find(|(i, v)| *v != [*i as u32, 96, 480]);
                assert_eq!(wrong, None, "version {version}");
            }
        });
    }
}

/// Programs cache compiled kernels by `hipRuntimeGetVersion`: the engines return different versions, and the isa
/// engine rejects host code.
#[test]
fn cached_kernels_of_the_other_engine_are_rejected() {
    const TEST: &str = "cached_kernels_of_the_other_engine_are_rejected";
    let version = || {
        let mut n = 0;
        assert_eq!(hipRuntimeGetVersion(Out::to(&mut n)), 0);
        n
    };
    let file = std::env::temp_dir().join(format!("vgpu-kept-{}", std::process::id()));
    let path = file.to_str().unwrap();
    child(TEST, &[("ENGINE", "host"), ("TEST_FILE", path)], || {
        let path = std::env::var("RUSHLIGHT_VGPU_TEST_FILE").unwrap();
        let isa = std::env::var("RUSHLIGHT_VGPU_ENGINE").unwrap() == "isa";
        if !isa {
            let image = compile("extern \"C\" __global__ void one(int* p) { *p = 1; }", &[]).unwrap();
            return std::fs::write(path, [&version().to_le_bytes()[..], &image].concat()).unwrap();
        }
        let kept = std::fs::read(path).unwrap();
        assert_ne!(version().to_le_bytes(), kept[..4]);
        let mut m: Ptr = std::ptr::null_mut();
        assert_eq!(hipModuleLoadData(Out::to(&mut m), kept[4..].as_ptr().cast()), 209);
    });
    if std::env::var_os("RUSHLIGHT_VGPU_TEST_FILE").is_some() {
        return;
    }
    let body = || unreachable!("the child runs the body above");
    prints(TEST, &[("ENGINE", "isa"), ("TEST_FILE", path)], &["the module is host code"], body);
}

#[test]
fn code_for_another_target_is_rejected() {
    let err = child("code_for_another_target_is_rejected", &[("ARCH", "gfx1101")], || {
        let mut m: Ptr = std::ptr::null_mut();
        assert_eq!(hipModuleLoadData(Out::to(&mut m), OBJECT.as_ptr().cast()), 209);
    });
    assert!(err.is_none_or(|e| e.contains("it is for gfx1100, the device is gfx1101")));
}

/// The same wave runs again, which caches the allocation of its last access.
#[test]
fn memory_freed_between_launches_is_reported() {
    let source = r#"
        struct Held { long pad[8]; int* p; };
        extern "C" __global__ void store(Held h) { h.p[threadIdx.x] = h.pad[3]; }
    "#;
    let words = ["kernel `store`", "write to 0x", "which was freed: 4 bytes by `global_store"];
    prints("memory_freed_between_launches_is_reported", &[ISA], &words, || {
        let m = Module::new(source);
        let p = malloc(256);
        let mut held = [0, 0, 0, 7, 0, 0, 0, 0, p];
        let f = m.function("store");
        let mut go = || {
            let mut list: Ptr = held.as_mut_ptr().cast();
            let none = std::ptr::null_mut();
            hipModuleLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, none, Out::to(&mut list), Out::null())
        };
        assert_eq!(go(), 0);
        assert_eq!(hipFree(p as Ptr), 0);
        assert_eq!(go(), 0);
        assert_eq!(hipDeviceSynchronize(), 700);
    });
}
