//! Compiles this crate's kernels with a real AMD compiler, the hiprtc of HIP 5.2 as packaged by Debian, for waves of 64
//! and of 32 lanes. No GPU is needed. Each compilation run is a separate process, because this compiler aborts the
//! process where it should return an error.
use rushlight::gpu::{Instance, headers, instances};
use rushlight_hip::rtc;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Targets, and their numbers in LLVM (EF_AMDGPU_MACH).
const TARGETS: [(&str, u8); 2] = [("gfx90a", 0x3f), ("gfx1030", 0x36)];

/// Returns the folder with the libraries that `cargo xtask rocm-packages` unpacks.
fn debian() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let folder = target.join("rocm-packages/bookworm");
    folder.join("complete").exists().then_some(folder)
}

#[test]
fn it_compiles_our_kernels() {
    let Some(folder) = debian() else {
        println!("skipped: `cargo xtask rocm-packages` unpacks Debian's HIP 5.2");
        return;
    };
    let lib = folder.join("usr/lib/x86_64-linux-gnu");
    let path = format!("{}:{}", lib.display(), folder.join("lib/x86_64-linux-gnu").display());
    let children: Vec<(&str, Child)> = TARGETS
        .iter()
        .map(|(arch, _)| {
            let child = Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "child_compiles", "--nocapture"])
                .env("RUSHLIGHT_ROCM_PATH", &lib)
                .env("LD_LIBRARY_PATH", &path)
                .env("RUSHLIGHT_TEST_ARCH", arch)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            (*arch, child.unwrap())
        })
        .collect();
    for (arch, child) in children {
        let out = child.wait_with_output().unwrap();
        let text = [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
        assert!(out.status.success() && text.contains("1 passed"), "{arch}: {}\n{text}", out.status);
    }
}

/// Returns one dtype of each unit, a different one for each `turn`; all dtypes with `RUSHLIGHT_TEST_FULL`.
fn chosen(turn: usize) -> Vec<Instance> {
    let all = instances();
    if std::env::var_os("RUSHLIGHT_TEST_FULL").is_some() {
        return all;
    }
    let mut units: BTreeMap<&str, Vec<Instance>> = BTreeMap::new();
    for i in all {
        units.entry(i.unit).or_default().push(i);
    }
    units.into_values().enumerate().map(|(n, own)| own[(n + turn) % own.len()].clone()).collect()
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_compiles() {
    let arch = std::env::var("RUSHLIGHT_TEST_ARCH").unwrap();
    let turn = TARGETS.iter().position(|t| t.0 == arch).unwrap();
    assert_eq!(rtc::version().unwrap(), (9, 0));
    let chosen = chosen(turn);
    assert!(chosen.len() >= 20);
    for i in &chosen {
        let name = format!("{} {} for {arch}", i.unit, i.name);
        let options = [&[format!("--offload-arch={arch}")], &i.options[..]].concat();
        let made = rtc::compile(i.source, &format!("{}.hip", i.unit), headers(), &options)
            .unwrap_or_else(|e| panic!("{name}: {e}\n{}", e.log().unwrap_or("")));
        assert!(made.code.starts_with(b"\x7fELF"), "{name}");
        assert_eq!(
            (&made.code[18..20], made.code[48]),
            (&224u16.to_le_bytes()[..], TARGETS[turn].1),
            "{name}"
        );
        // The code object contains the descriptor of a kernel of this dtype.
        let kernel = format!("_{}_", i.name);
        let text = String::from_utf8_lossy(&made.code);
        assert!(text.split('\0').any(|s| s.ends_with(".kd") && s.contains(&kernel)), "{name}");
        assert_eq!(made.log, "", "{name}");
    }
}
