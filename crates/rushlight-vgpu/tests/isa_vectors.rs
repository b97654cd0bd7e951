//! Single instructions with the cases of `vectors/vectors.tsv`: the results that AMD's documents specify for edge and
//! random operands. See `vectors/README.md`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
#[path = "vectors/read.rs"]
mod read;
#[path = "vectors/write.rs"]
mod write;
use common::isa::{assemble, targets};
use common::*;
use read::{CASES, Vectors};
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use write::Program;

/// Runs a program on the vectors' inputs; returns the results that are wrong.
fn run(vectors: &Vectors, program: &Program, arch: &str, grid: u32, block: u32) -> Vec<String> {
    let image = assemble(&program.text, arch);
    let mut m: Ptr = std::ptr::null_mut();
    assert_eq!(hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast()), 0);
    let input = upload(&vectors.inputs());
    let words = program.items.len() * CASES * 2;
    let out = upload(&vec![0u64; words]);
    assert_eq!(Module(m).launch("one", grid, block, 0, &mut [out, input]), 0);
    let got = download::<u64>(out, words);
    let mut wrong = Vec::new();
    for (n, item) in program.items.iter().enumerate() {
        for case in item.cases.clone() {
            let at = 2 * (n * CASES + case);
            if let Some(why) = item.differs(vectors, case, got[at], got[at + 1]) {
                wrong.push(format!("{}, case {case}: {why}", item.words));
            }
        }
    }
    wrong
}

fn all(scalar: bool) {
    let arch = std::env::var("RUSHLIGHT_VGPU_ARCH").unwrap();
    let vectors = Vectors::of(&arch);
    let mut program = Program::new(&arch);
    for line in vectors.lines.iter().filter(|l| l.scalar() == scalar) {
        if scalar { program.scalar(&vectors, line) } else { program.vector(&vectors, line) }
    }
    let program = program.end();
    let (grid, block) = if scalar { (CASES as u32, 32) } else { (1, CASES as u32) };
    let wrong = run(&vectors, &program, &arch, grid, block);
    let mut names: Vec<&str> = wrong.iter().map(|w| w.split([' ', ',']).next().unwrap()).collect();
    names.dedup();
    println!("{arch}: {} variants of instructions, {} cases of each", program.items.len(), CASES);
    let shown = wrong.iter().take(400).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} results of {names:?}\n{shown}", wrong.len());
}

#[test]
fn of_vectors() {
    for arch in targets(&["gfx1100", "gfx90a", "gfx942"]) {
        child("of_vectors", &[("ENGINE", "isa"), ("ARCH", arch)], || all(false));
    }
}

#[test]
fn of_scalars() {
    for arch in targets(&["gfx1100", "gfx90a", "gfx942"]) {
        child("of_scalars", &[("ENGINE", "isa"), ("ARCH", arch)], || all(true));
    }
}
