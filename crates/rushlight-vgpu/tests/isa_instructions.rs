//! Instructions one by one, on machine code of both wave sizes: what they give is worked out from AMD's documents of the
//! instruction sets.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use std::path::Path;
use std::process::Command;

/// How operands are held: registers of 32 bits or pairs of them, vectors' or scalars'.
#[derive(Clone, Copy)]
enum Kind {
    V,
    W,
    S,
    D,
}
use Kind::*;

/// An instruction: its text with operands `%0` (result) and `%1` to `%3`, how they are held, their values, the result.
struct Case(&'static str, Kind, &'static [Kind], [u64; 3], u64);

const fn f(v: f32) -> u64 {
    v.to_bits() as u64
}
const fn d(v: f64) -> u64 {
    v.to_bits()
}
/// Two f32 in a pair of registers.
const fn ff(lo: f32, hi: f32) -> u64 {
    f(lo) | f(hi) << 32
}
const ONES: u64 = 0xffff_ffff;

include!("data/instructions.rs");

/// Registers of the result and of the operands.
fn register(n: usize, kind: Kind) -> String {
    let first = 20 + 2 * n;
    match kind {
        V => format!("v{first}"),
        W => format!("v[{first}:{}]", first + 1),
        S => format!("s{first}"),
        D => format!("s[{first}:{}]", first + 1),
    }
}

/// An assembler's program that executes the cases one after the other; lane 5 has the results.
fn source(cases: &[Case], arch: &str) -> String {
    let mut text = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{arch}\"\n.text\n.globl one\n.p2align 8\n.type one,@function\none:\n\
         s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v0, 0\n"
    );
    for (n, Case(words, result, operands, ..)) in cases.iter().enumerate() {
        for k in 0..3 {
            let at = register(k + 1, D);
            text += &format!("s_load_dwordx2 {at}, s[6:7], {:#x}\n", 24 * n + 8 * k);
        }
        text += "s_waitcnt lgkmcnt(0)\ns_mov_b32 s20, 0xaaaaaaaa\ns_mov_b32 s21, 0xaaaaaaaa\n";
        for r in 20..28 {
            text += &format!("v_mov_b32 v{r}, s{r}\n");
        }
        let mut words = words.replace("%0", &register(0, *result));
        for (k, kind) in operands.iter().enumerate() {
            words = words.replace(&format!("%{}", k + 1), &register(k + 1, *kind));
        }
        text += &(words + "\n");
        let (lo, hi) = match result {
            V => ("v_readlane_b32 s40, v20, 5", "s_mov_b32 s41, 0"),
            W => ("v_readlane_b32 s40, v20, 5", "v_readlane_b32 s41, v21, 5"),
            S => ("s_mov_b32 s40, s20", "s_mov_b32 s41, 0"),
            D => ("s_mov_b32 s40, s20", "s_mov_b32 s41, s21"),
        };
        text += &format!(
            "{lo}\n{hi}\nv_mov_b32 v10, s40\nv_mov_b32 v11, s41\nv_mov_b32 v0, {}\n\
             global_store_dwordx2 v0, v[10:11], s[4:5]\n",
            8 * n
        );
    }
    let wave = if arch.starts_with("gfx11") { 32 } else { 64 };
    let more = if wave == 64 { ".amdhsa_accum_offset 64\n" } else { ".amdhsa_wavefront_size32 1\n" };
    text + "s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel one\n.amdhsa_next_free_vgpr 64\n.amdhsa_next_free_sgpr 64\n\
        .amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_kernarg_size 16\n.amdhsa_float_denorm_mode_32 3\n"
        + more
        + ".end_amdhsa_kernel\n.amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--"
        + arch
        + &format!(
            "\namdhsa.kernels:\n  - .name: one\n    .symbol: one.kd\n    .kernarg_segment_size: 16\n    \
             .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n    \
             .wavefront_size: {wave}\n    .sgpr_count: 64\n    .vgpr_count: 64\n    .max_flat_workgroup_size: 256\n    \
             .args:\n      - {{ .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }}\n      \
             - {{ .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }}\n\
             .end_amdgpu_metadata\n"
        )
}

fn tool(name: &str, args: &[&str], dir: &Path) {
    let out = Command::new(name).args(args).current_dir(dir).output().expect("LLVM's tools are installed");
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
}

/// Assembles and links.
fn assemble(text: &str, arch: &str) -> Vec<u8> {
    let dir = std::env::temp_dir().join(format!("vgpu-instructions-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("one.s"), text).unwrap();
    let cpu = format!("-mcpu={arch}");
    let args = ["-triple=amdgcn-amd-amdhsa", &cpu, "-filetype=obj", "one.s", "-o", "one.o"];
    tool("llvm-mc-19", &args, &dir);
    tool("ld.lld-19", &["-shared", "one.o", "-o", "one.co"], &dir);
    let image = std::fs::read(dir.join("one.co")).unwrap();
    std::fs::remove_dir_all(dir).unwrap();
    image
}

fn run(cases: &[Case]) {
    let arch = std::env::var("RUSHLIGHT_VGPU_ARCH").unwrap();
    let image = assemble(&source(cases, &arch), &arch);
    let mut m: Ptr = std::ptr::null_mut();
    assert_eq!(hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast()), 0);
    let values: Vec<u64> = cases.iter().flat_map(|c| c.3).collect();
    let (input, out) = (upload(&values), malloc(8 * cases.len()));
    assert_eq!(Module(m).launch("one", 1, 64, 0, &mut [out, input]), 0);
    let got = download::<u64>(out, cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .zip(got)
        .filter(|(c, g)| c.4 != *g)
        .map(|(c, g)| format!("{} of {:x?}: {g:#x}, expected {:#x}", c.0, c.3, c.4))
        .collect();
    println!("{arch}: {} instructions", cases.len());
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn of_both() {
    for arch in ["gfx1100", "gfx90a", "gfx942"] {
        child("of_both", &[("ENGINE", "isa"), ("ARCH", arch)], || run(BOTH));
    }
}

#[test]
fn of_rdna3() {
    child("of_rdna3", &[("ENGINE", "isa"), ("ARCH", "gfx1100")], || run(RDNA3));
}

#[test]
fn of_cdna() {
    for arch in ["gfx90a", "gfx942"] {
        child("of_cdna", &[("ENGINE", "isa"), ("ARCH", arch)], || run(CDNA));
    }
}

#[test]
fn of_cdna2_alone() {
    child("of_cdna2_alone", &[("ENGINE", "isa"), ("ARCH", "gfx90a")], || run(CDNA2));
}

#[test]
fn of_cdna3_alone() {
    child("of_cdna3_alone", &[("ENGINE", "isa"), ("ARCH", "gfx942")], || run(CDNA3));
}
