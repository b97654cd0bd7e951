//! Single instructions, on machine code of both wave sizes: the expected results are derived from AMD's ISA
//! documents.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::isa::{assemble, program, targets};
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;

/// The registers of an operand: of 32 bits or pairs of them, vector or scalar.
#[derive(Clone, Copy)]
enum Kind {
    V,
    W,
    S,
    D,
}
use Kind::*;

/// An instruction: its text with operands `%0` (result) and `%1` to `%3`, their kinds, their values, the result.
#[derive(Clone)]
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
include!("data/flow.rs");

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

/// Returns an assembler source that executes the cases one after the other; lane 5 has the results.
fn source(cases: &[Case], arch: &str) -> String {
    let mut text = String::from("v_mov_b32 v0, 0\n");
    for (n, Case(words, result, operands, ..)) in cases.iter().enumerate() {
        for k in 0..3 {
            let at = register(k + 1, D);
            text += &format!("s_load_dwordx2 {at}, s[6:7], {:#x}\n", 24 * n + 8 * k);
        }
        text += "s_waitcnt lgkmcnt(0)\ns_mov_b32 s20, 0xaaaaaaaa\ns_mov_b32 s21, 0xaaaaaaaa\n";
        for r in 20..28 {
            text += &format!("v_mov_b32 v{r}, s{r}\n");
        }
        let vcc = if arch.starts_with("gfx11") { "vcc_lo" } else { "vcc" };
        let mut words = words.replace("%0", &register(0, *result));
        words = words.replace("%V", vcc).replace("%L", &format!("at_{n}_"));
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
    program(arch, &(text + "s_endpgm\n"), 0)
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
    for arch in targets(&["gfx1100", "gfx90a", "gfx942"]) {
        child("of_both", &[("ENGINE", "isa"), ("ARCH", arch)], || run(BOTH));
    }
}

#[test]
fn of_flow() {
    for arch in targets(&["gfx1100", "gfx90a", "gfx942"]) {
        let own = if arch == "gfx1100" { [FLOW_RDNA3, MASKS_RDNA3] } else { [FLOW_CDNA, MASKS_CDNA] };
        let cases = [&[FLOW, MASKS][..], &own].concat().concat();
        child("of_flow", &[("ENGINE", "isa"), ("ARCH", arch)], || run(&cases));
    }
}

#[test]
fn of_rdna3() {
    child("of_rdna3", &[("ENGINE", "isa"), ("ARCH", "gfx1100")], || run(RDNA3));
}

#[test]
fn of_cdna() {
    for arch in targets(&["gfx90a", "gfx942"]) {
        child("of_cdna", &[("ENGINE", "isa"), ("ARCH", arch)], || run(CDNA));
    }
}

#[test]
fn cdna2_only_instructions() {
    child("cdna2_only_instructions", &[("ENGINE", "isa"), ("ARCH", "gfx90a")], || run(CDNA2));
}

#[test]
fn cdna3_only_instructions() {
    child("cdna3_only_instructions", &[("ENGINE", "isa"), ("ARCH", "gfx942")], || run(CDNA3));
}
