//! Errors that the isa engine reports: each is tested with a kernel that has the bug, on both wave sizes, and with a
//! similar kernel without it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::isa::{assemble, program, targets};
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;

fn load(body: &str, lds: usize) -> Module {
    let arch = std::env::var("RUSHLIGHT_VGPU_ARCH").unwrap();
    // The lanes of a wave, as a power of two.
    let wave = if arch == "gfx1100" { 5 } else { 6 };
    let body = body.replace("WAVE", &wave.to_string());
    let image = assemble(&program(&arch, &body, lds), &arch);
    let mut m: Ptr = std::ptr::null_mut();
    assert_eq!(hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast()), 0);
    Module(m)
}

/// A kernel that must fail with a code and these words, on both wave sizes. Every report contains the kernel, the
/// instruction, its address in the code object, and the lane.
fn fails(test: &str, settings: &[(&str, &str)], code: i32, words: &[&str], start: impl Fn() -> i32) {
    for arch in targets(&["gfx1100", "gfx90a"]) {
        let all: Vec<_> = settings.iter().copied().chain([("ARCH", arch)]).collect();
        let words: Vec<&str> = words.iter().copied().chain(["kernel `one`", "` at 0x", "(lane "]).collect();
        prints(test, &all, &words, || {
            assert_eq!(start(), 0, "the launch itself is accepted");
            assert_eq!(hipDeviceSynchronize(), code);
        });
    }
}

/// A kernel that must pass under the same settings.
fn passes(test: &str, settings: &[(&str, &str)], start: impl Fn() -> i32) {
    for arch in targets(&["gfx1100", "gfx90a"]) {
        let all: Vec<_> = settings.iter().copied().chain([("ARCH", arch)]).collect();
        child(test, &all, || {
            assert_eq!(start(), 0);
            assert_eq!(hipDeviceSynchronize(), 0);
        });
    }
}

const STORE: &str = "v_lshlrev_b32 v1, 2, v0\nglobal_store_dword v1, v0, s[4:5]\ns_endpgm";

#[test]
fn freed_memory() {
    let words = ["write to", "which was freed", "4 bytes by `global_store_", "(lane 0 of wave 0)"];
    fails("freed_memory", &[], 700, &words, || {
        // The address comes from memory, so that only the kernel sees it.
        let m = load(
            "s_load_dwordx2 s[4:5], s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\n\
            global_store_dword v1, v0, s[4:5]\ns_endpgm",
            0,
        );
        let gone = malloc(1024);
        let holder = upload(&[gone]);
        assert_eq!(hipFree(gone as Ptr), 0);
        m.launch("one", 1, 64, 0, &mut [holder, holder])
    });
}

#[test]
fn past_the_end_of_lds() {
    let words = ["read of byte 1024 of LDS, past its end: 4 bytes by `ds_", "lane 3 of wave 0"];
    fails("past_the_end_of_lds", &[], 700, &words, || {
        let m = load("v_lshlrev_b32 v1, 2, v0\nds_read_b32 v2, v1 offset:1012\ns_endpgm", 1024);
        m.launch("one", 1, 64, 0, &mut [0, 0])
    });
}

#[test]
fn an_atomic_that_is_not_aligned() {
    let words = ["an atomic of 4 bytes at", "which is not aligned: `global_atomic_add", "(lane 0 of wave 0)"];
    fails("an_atomic_that_is_not_aligned", &[], 719, &words, || {
        let m = load("v_mov_b32 v1, 2\nglobal_atomic_add v1, v0, s[4:5]\ns_endpgm", 0);
        let at = malloc(64);
        m.launch("one", 1, 64, 0, &mut [at, at])
    });
}

#[test]
fn an_atomic_on_lds_that_is_not_aligned() {
    let words =
        ["an atomic of 4 bytes at byte 2 of LDS, which is not aligned: `ds_add_", "(lane 0 of wave 0)"];
    fails("an_atomic_on_lds_that_is_not_aligned", &[], 719, &words, || {
        load("v_mov_b32 v1, 2\nds_add_u32 v1, v0\ns_endpgm", 1024).launch("one", 1, 64, 0, &mut [0, 0])
    });
}

#[test]
fn before_an_allocation() {
    let words = ["read of 0x", "4 bytes by `global_load_", "(lane 0 of wave 0)"];
    fails("before_an_allocation", &[], 700, &words, || {
        let m = load("v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5] offset:-4\ns_endpgm", 0);
        let at = malloc(1024);
        m.launch("one", 1, 64, 0, &mut [at, at])
    });
}

#[test]
fn waves_at_different_barriers() {
    let words = [
        "thread (0,0,0) waits at one barrier, thread (",
        "at another: `s_barrier` at 0x",
        "and `s_barrier` at 0x",
    ];
    fails("waves_at_different_barriers", &[], 719, &words, || {
        let body = "v_lshrrev_b32 v1, WAVE, v0\nv_readfirstlane_b32 s8, v1\ns_cmp_eq_u32 s8, 0\n\
            s_cbranch_scc1 .Lfirst\ns_barrier\ns_endpgm\n.Lfirst:\ns_barrier\ns_endpgm";
        load(body, 0).launch("one", 1, 256, 0, &mut [0, 0])
    });
}

#[test]
fn wave_that_never_arrives() {
    let words = ["never arrives: it has returned: `s_barrier` at 0x"];
    fails("wave_that_never_arrives", &[("STRICT", "1")], 719, &words, || {
        let body = "v_lshrrev_b32 v1, WAVE, v0\nv_readfirstlane_b32 s8, v1\ns_cmp_eq_u32 s8, 0\n\
            s_cbranch_scc1 .Lout\ns_barrier\n.Lout:\ns_endpgm";
        load(body, 0).launch("one", 1, 256, 0, &mut [0, 0])
    });
}

#[test]
fn an_endless_loop() {
    let words = ["a wave has executed 1000 instructions", "an endless loop?: `s_branch"];
    fails("an_endless_loop", &[("BUDGET", "1000")], 719, &words, || {
        load(".Lagain:\ns_branch .Lagain\ns_endpgm", 0).launch("one", 1, 64, 0, &mut [0, 0])
    });
}

/// Each wave writes its own words of LDS and reads those of the next wave.
fn neighbours(barrier: &str) -> String {
    format!(
        "v_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n{barrier}\nv_mov_b32 v3, 1\n\
         v_lshlrev_b32 v3, WAVE, v3\nv_xor_b32 v2, v0, v3\nv_lshlrev_b32 v2, 2, v2\nds_read_b32 v4, v2\n\
         s_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v4, s[4:5]\ns_endpgm"
    )
}

#[test]
fn race_on_lds() {
    let words =
        ["a race: it writes byte", "of LDS, which wave 0 of the block has read (`ds_", "no barrier between"];
    fails("race_on_lds", &[("RACES", "1")], 719, &words, || {
        let out = malloc(1024);
        load(&neighbours(""), 1024).launch("one", 1, 256, 0, &mut [out, out])
    });
}

#[test]
fn no_race_with_a_barrier() {
    passes("no_race_with_a_barrier", &[("RACES", "1"), ("FRESH", "1")], || {
        let out = malloc(1024);
        load(&neighbours("s_barrier"), 1024).launch("one", 1, 256, 0, &mut [out, out])
    });
}

#[test]
fn read_of_unwritten_lds() {
    let words = ["it reads byte", "of LDS, which nothing has written: `ds_"];
    fails("read_of_unwritten_lds", &[("FRESH", "1")], 719, &words, || {
        let out = malloc(1024);
        load(&neighbours(""), 1024).launch("one", 1, 256, 0, &mut [out, out])
    });
}

/// Each thread copies one word of the input to the output.
const COPY: &str = "v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[6:7]\ns_waitcnt vmcnt(0)\n\
    global_store_dword v1, v2, s[4:5]\ns_endpgm";

#[test]
fn read_of_unwritten_memory() {
    let words = ["it reads 0x", "which nothing has written: `global_load_", "(lane 3 of wave 0)"];
    fails("read_of_unwritten_memory", &[("FRESH", "1")], 719, &words, || {
        let (out, input) = (malloc(256), malloc(256));
        assert_eq!(hipMemset(input as Ptr, 0, 14), 0);
        load(COPY, 0).launch("one", 1, 64, 0, &mut [out, input])
    });
}

/// Filled, copied from the host, copied from the device, and written by a kernel.
#[test]
fn reads_of_written_memory_pass() {
    passes("reads_of_written_memory_pass", &[("FRESH", "1")], || {
        let (out, input, other) = (malloc(256), upload(&[7u32; 64]), malloc(256));
        assert_eq!(hipMemset(out as Ptr, 0, 256), 0);
        let m = load(COPY, 0);
        assert_eq!(m.launch("one", 1, 64, 0, &mut [other, out]), 0);
        assert_eq!(m.launch("one", 1, 64, 0, &mut [out, other]), 0);
        assert_eq!(hipMemcpyDtoD(other as Ptr, input as Ptr, 256), 0);
        assert_eq!(m.launch("one", 1, 64, 0, &mut [out, other]), 0);
        assert!(download::<u32>(out, 64).iter().all(|v| *v == 7));
        0
    });
}

/// A kernel that declares no scratch memory has none.
#[test]
fn past_the_end_of_scratch_memory() {
    let words = ["write to byte 16 of a lane's scratch memory, past its end: 4 bytes by `scratch_store_"];
    fails("past_the_end_of_scratch_memory", &[], 700, &words, || {
        let m = load("v_mov_b32 v1, 16\nscratch_store_dword v1, v0, off\ns_endpgm", 0);
        m.launch("one", 1, 64, 0, &mut [0, 0])
    });
}

/// Two waves of a block write the same words of global memory.
#[test]
fn race_on_global_memory() {
    let body = "v_and_b32 v1, 31, v0\nv_lshlrev_b32 v1, 2, v1\nglobal_store_dword v1, v0, s[4:5]\ns_endpgm";
    let words = [
        "a race: it writes 0x",
        "which wave 0 of the block has written (`global_store_",
        "no barrier between",
    ];
    fails("race_on_global_memory", &[("RACES", "1")], 719, &words, || {
        let out = malloc(1024);
        load(body, 0).launch("one", 1, 256, 0, &mut [out, out])
    });
}

#[test]
fn race_between_blocks() {
    let words = ["a race: it writes 0x", "which wave 0 of block", "has written (`global_store_"];
    fails("race_between_blocks", &[("RACES", "1"), ("THREADS", "1")], 719, &words, || {
        let out = malloc(1024);
        load(STORE, 0).launch("one", 3, 64, 0, &mut [out, out])
    });
}

#[test]
fn atomics_do_not_race() {
    passes("atomics_do_not_race", &[("RACES", "1")], || {
        let out = upload(&[0u32; 64]);
        let m = load("v_lshlrev_b32 v1, 2, v0\nglobal_atomic_add v1, v0, s[4:5]\ns_endpgm", 0);
        assert_eq!(m.launch("one", 3, 64, 0, &mut [out, out]), 0);
        assert!(download::<u32>(out, 64).iter().enumerate().all(|(i, v)| *v == 3 * i as u32));
        0
    });
}

/// The result of a kernel without its barrier depends on the order of waves; a seed repeats its order.
#[test]
fn seeds_reveal_order_dependence() {
    let run = |arch: &str, order: &str| -> Vec<u32> {
        let file = std::env::temp_dir().join(format!("vgpu-order-{}", std::process::id()));
        let settings = [("ARCH", arch), ("ORDER", order), ("TEST_FILE", file.to_str().unwrap())];
        child("seeds_reveal_order_dependence", &settings, || {
            let out = upload(&[u32::MAX; 256]);
            let m = load(&neighbours(""), 1024);
            assert_eq!(m.launch("one", 1, 256, 0, &mut [out, out]), 0);
            let words: Vec<String> = download::<u32>(out, 256).iter().map(u32::to_string).collect();
            std::fs::write(std::env::var("RUSHLIGHT_VGPU_TEST_FILE").unwrap(), words.join(" ")).unwrap();
        });
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        text.split(' ').filter_map(|w| w.parse().ok()).collect()
    };
    for arch in targets(&["gfx1100", "gfx90a"]) {
        let forward = run(arch, "forward");
        if std::env::var("RUSHLIGHT_VGPU_TEST_FILE").is_ok() {
            return;
        }
        let reverse = run(arch, "reverse");
        assert_ne!(forward, reverse, "{arch}: the order shows");
        let seeds: Vec<Vec<u32>> = ["seed:1", "seed:2", "seed:3"].map(|s| run(arch, s)).into();
        assert_eq!(seeds[0], run(arch, "seed:1"), "{arch}: a seed repeats");
        assert!(seeds.iter().any(|s| *s != forward && *s != reverse), "{arch}: seeds give different orders");
    }
}
