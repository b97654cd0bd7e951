//! Every instruction of compiled kernels is decoded as by llvm-objdump.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::isa::{OBJECT, OBJECTS};
use rushlight_vgpu::Disassembler;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Returns the address and the text of each instruction from llvm-objdump.
fn objdump(file: &Path) -> Vec<(usize, String)> {
    let out = Command::new("llvm-objdump-19").arg("-d").arg(file).output().expect("llvm-objdump-19 runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    let line = |l: &str| {
        let (words, rest) = l.strip_prefix('\t')?.split_once("//")?;
        let at = usize::from_str_radix(rest.trim().split(':').next()?, 16).ok()?;
        Some((at, words.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    text.lines().filter_map(line).collect()
}

#[derive(Default)]
struct Report {
    instructions: usize,
    /// For each of LLVM's mnemonics: how many differ, and the first one.
    differences: BTreeMap<String, (usize, String)>,
    refused: BTreeMap<String, usize>,
}

fn compare(file: &Path, report: &mut Report) {
    let image = std::fs::read(file).unwrap();
    let d = Disassembler::new(&image).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    for (at, words) in objdump(file) {
        report.instructions += 1;
        let mnemonic = words.split(' ').next().unwrap().to_string();
        let mut differ = |what: String| {
            report.differences.entry(mnemonic.clone()).or_insert((0, what)).0 += 1;
        };
        match d.at(at) {
            Ok(line) if line.text == words => {
                if !line.executable {
                    *report.refused.entry(mnemonic).or_default() += 1;
                }
            }
            Ok(line) => differ(format!("{name} {at:#x}: ours `{}`, theirs `{words}`", line.text)),
            Err(e) => differ(format!("{name}: {e}: theirs `{words}`")),
        }
    }
}

/// The kernels of the tests, and all files of the folder RUSHLIGHT_ISA_OBJECTS: `cargo xtask kernels --arch gfx1100`
/// makes one with the kernels of `hip/`, and RUSHLIGHT_CACHE_DIR contains those compiled on demand.
#[test]
fn kernels_disassemble_as_with_llvm() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut files: Vec<_> = OBJECTS.iter().map(|(arch, ..)| data.join(format!("{arch}.co"))).collect();
    if let Ok(dir) = std::env::var("RUSHLIGHT_ISA_OBJECTS") {
        files.extend(std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()));
        files.retain(|f| f.extension().is_some_and(|e| e == "co"));
    }
    let mut report = Report::default();
    for file in &files {
        compare(file, &mut report);
    }
    println!("{} files, {} instructions", files.len(), report.instructions);
    let shown: Vec<String> =
        report.differences.iter().map(|(m, (n, first))| format!("{n} {m}: {first}")).collect();
    assert!(shown.is_empty(), "mnemonics that differ: {}\n{}", shown.len(), shown.join("\n"));
    assert!(report.refused.is_empty(), "decoded and not executed: {:?}", report.refused);
    assert!(report.instructions > 600, "the kernels have more");
}

#[test]
fn invalid_code_objects_are_rejected() {
    let why = |image: &[u8]| Disassembler::new(image).err().unwrap_or_default();
    assert_eq!(why(b"garbage"), "it is not an AMDGPU code object");
    assert_eq!(why(OBJECT), "");
    for len in (64..OBJECT.len()).step_by(97) {
        assert_ne!(why(&OBJECT[..len]), "", "cut at {len}");
    }
    let mut other = OBJECT.to_vec();
    other[8] = 9;
    assert!(why(&other).contains("version 9"), "{}", why(&other));
}
