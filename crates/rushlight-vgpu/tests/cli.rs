//! The program `rushlight-vgpu`: kernels are run, disassembled and traced, and every error of a file or an argument
//! is one line.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::cli::{Folder, bytes, compile, ended, fails, fine, program, says};
use common::isa::{OBJECTS, assemble};
use std::process::Command;

fn object(arch: &str) -> String {
    format!("{}/tests/data/{arch}.co", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn run_reads_and_writes_files() {
    let dir = Folder::new();
    let (n, a) = (1000, (0..1000).map(|i| i as f32).collect::<Vec<_>>());
    let (x, y) = (dir.put("x", &bytes(&a)), dir.put("y", &bytes(&vec![0.5; n])));
    for (arch, ..) in OBJECTS {
        let out = format!("out:4000:{}", dir.at("sum"));
        let (x, y) = (format!("in:{x}"), format!("in:{y}"));
        let args = ["--arg", &out, "--arg", &x, "--arg", &y, "--arg", "i32:1000"];
        let head = ["run", &object(arch), "add", "--grid", "4", "--block", "256"];
        assert_eq!(fine(&[&head[..], &args].concat()), "");
        assert_eq!(dir.floats("sum"), a.iter().map(|v| v + 0.5).collect::<Vec<_>>(), "{arch}");
    }
    // In place; a buffer that is not written to a file is printed.
    let inout = format!("inout:{x}:{}", dir.at("twice"));
    let same = format!("inout:{y}");
    let args = ["--arg=out:20", "--arg", &inout, "--arg", &same, "--arg=i32:4"];
    let head = ["run", &object("gfx1100"), "add", "--grid=1,1,1", "--block=64"];
    let text = fine(&[&head[..], &args].concat());
    assert!(text.starts_with("out:20 at 0x"), "{text}");
    assert!(text.contains("0x0000  3f000000 3fc00000 40200000 40600000   0.5 1.5 2.5 3.5\n"), "{text}");
    assert!(text.contains("0x0010  ffffffff "), "unwritten memory is NaN: {text}");
    assert_eq!((dir.floats("twice"), dir.floats("y")), (a, vec![0.5; n]));
}

const STRUCTS: &str = r#"
struct Inner { short h; double d; };
struct All { float* out; unsigned char b; Inner inner; const int* n; _Float16 f; };
extern "C" __global__ void all(All p) {
    extern __shared__ float lds[];
    lds[threadIdx.x] = (float)p.inner.d + p.b + p.inner.h + *p.n + (float)p.f;
    __syncthreads();
    p.out[blockIdx.y * 64 + threadIdx.x] = lds[63 - threadIdx.x] + threadIdx.x;
}
"#;

/// A struct of pointers and numbers, as the kernels of this project take one; dynamic LDS; a 2-D grid.
#[test]
fn structs_have_the_compilers_layout() {
    for arch in ["gfx1100", "gfx90a"] {
        let dir = Folder::new();
        let co = compile(&dir, STRUCTS, arch);
        let n = dir.put("n", &1000i32.to_le_bytes());
        let arg = format!("{{out:512:{},u8:7,{{i16:-3,f64:0.25}},in:{n},f16:2.5}}", dir.at("out"));
        let args = ["--lds", "256", "--arg", &arg];
        fine(&[&["run", &co, "all", "--grid", "1,2", "--block", "64"][..], &args].concat());
        let wanted: Vec<f32> = (0..128).map(|i| 1006.75 + (i % 64) as f32).collect();
        assert_eq!(dir.floats("out"), wanted, "{arch}");
    }
}

/// Compared with llvm-objdump.
#[test]
fn disasm_prints_instructions_with_addresses() {
    for (arch, wave, _) in OBJECTS {
        let ours = fine(&["disasm", &object(arch), "down"]);
        let (head, code): (Vec<_>, Vec<_>) = ours.lines().partition(|l| l.contains("  ; "));
        assert!(
            head[0].starts_with(&format!("down:  ; waves of {wave}, at most 1024 threads a block, ")),
            "{ours}"
        );
        assert!(ours.contains("; arguments: pointer (8 of "), "{ours}");
        let out = Command::new("llvm-objdump-19")
            .args(["-d", "--disassemble-symbols=down", &object(arch)])
            .output()
            .expect("llvm-objdump-19 runs");
        let theirs = String::from_utf8(out.stdout).unwrap();
        let line = |l: &str| {
            let (words, rest) = l.strip_prefix('\t')?.split_once("//")?;
            let at = usize::from_str_radix(rest.trim().split(':').next()?, 16).ok()?;
            Some(format!("{at:#06x} {}", words.split_whitespace().collect::<Vec<_>>().join(" ")))
        };
        let theirs: Vec<String> = theirs.lines().filter_map(line).collect();
        let ours: Vec<String> =
            code.iter().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert!(theirs.len() > 10);
        // LLVM also prints the padding after the kernel.
        assert_eq!(ours, theirs[..ours.len()], "{arch}");
        assert!(ours.last().unwrap().ends_with("s_endpgm"), "{arch}: {ours:?}");
        // All kernels, each with its name.
        let all = fine(&["disasm", &object(arch)]);
        for name in ["add:", "down:", "all:"] {
            assert_eq!(all.lines().filter(|l| l.starts_with(name)).count(), 1, "{arch}: {name}");
        }
    }
}

const TINY: &str = "s_mov_b32 s8, 5\ns_cmp_eq_u32 s8, 5\nv_lshlrev_b32 v1, 2, v0\nv_cvt_f32_u32 v2, v0\n\
                    global_store_dword v1, v2, s[4:5]\ns_endpgm";

#[test]
fn trace_prints_instructions_of_one_wave() {
    let dir = Folder::new();
    for (arch, lanes, store) in [
        ("gfx1100", 32, "global_store_b32 v1, v2, s[4:5]"),
        ("gfx90a", 64, "global_store_dword v1, v2, s[4:5]"),
    ] {
        let co = dir.put("tiny.co", &assemble(&common::isa::program(arch, TINY, 0), arch));
        let out = format!("out:1024:{}", dir.at("out"));
        let args = ["--grid", "2", "--block", "200", "--arg", &out, "--arg", "zero:4"];
        let all =
            fine(&[&["trace", &co, "one", "--lane", "3", "--at", "1", "--wave", "1"][..], &args].concat());
        let (head, rest) = all.split_once("\n  0x").unwrap();
        assert!(head.starts_with(&format!("wave 1 of block (1,0,0), {lanes} lanes\n")), "{all}");
        let first = lanes + 3;
        assert!(head.contains(&format!("            v0 = {first:#010x}")), "{all}");
        let steps = rest.split("\n  0x").map(|s| s.split_once("  ").unwrap());
        let steps: Vec<(usize, &str)> =
            steps.map(|(at, text)| (usize::from_str_radix(at, 16).unwrap(), text)).collect();
        assert!(steps.windows(2).all(|w| w[0].0 < w[1].0), "{all}");
        let find =
            |words: &str| steps.iter().find(|s| s.1.starts_with(words)).unwrap_or_else(|| panic!("{all}")).1;
        assert_eq!(find("s_mov_b32 s8, 5"), "s_mov_b32 s8, 5\n            s8 = 0x00000005");
        assert!(find("s_cmp_eq_u32").ends_with("\n            scc = 1"), "{all}");
        assert!(find("v_lshlrev_b32").ends_with(&format!("\n            v1 = {:#010x}", 4 * first)), "{all}");
        let float = first as f32;
        let wanted = format!("\n            v2 = {:#010x} ({float:?})", float.to_bits());
        assert!(find("v_cvt_f32_u32").ends_with(&wanted), "{all}");
        assert_eq!(find(store), store, "a store changes no register");
        assert_eq!(steps.last().unwrap().1, "s_endpgm\n");
        // The whole kernel ran.
        assert_eq!(dir.floats("out")[..200], (0..200).map(|i| i as f32).collect::<Vec<_>>());
        // All lanes; and no more instructions than the limit.
        let all = fine(&[&["trace", &co, "one"][..], &args].concat());
        assert!(all.contains("            v0, lane 1 = 0x00000001\n"), "{all}");
        assert!(all.contains(&format!("            v2: {} lanes more\n", lanes - 4)), "{all}");
        let two = fine(&[&["trace", &co, "one", "--limit", "2"][..], &args].concat());
        assert_eq!(two.matches("\n  0x").count(), 2, "{two}");
        assert!(two.ends_with("  .. stopped after 2 instructions (--limit)\n"), "{two}");
        fails(&[&["trace", &co, "one", "--at", "2"][..], &args].concat(), 2, &["no block (2,0,0)"]);
        fails(&[&["trace", &co, "one", "--lane", "64"][..], &args].concat(), 2, &["--lane 64", "lanes"]);
        fails(&[&["trace", &co, "one", "--wave", "9"][..], &args].concat(), 2, &["--wave 9", "waves"]);
    }
}

/// The kernel's error is reported with its location, and is not an error of the command.
#[test]
fn failing_kernel_exits_with_status_1() {
    let co = object("gfx1100");
    let args =
        ["run", &co, "add", "--grid", "1", "--block", "256", "--arg", "out:1000", "--arg", "zero:1024"];
    let words = ["kernel `add`", "write to", "past the end of", "global_store_b32", "lane 26 of wave 7"];
    fails(&[&args[..], &["--arg", "zero:1024", "--arg", "i32:256"]].concat(), 1, &words);
    let null = ["--arg", "u64:0", "--arg", "i32:256"];
    fails(&[&args[..], &null].concat(), 1, &["kernel `add`", "read of 0x", "a null pointer"]);
}

/// Settings apply to commands too: the contents of a buffer count as written, other bytes do not.
#[test]
fn reads_of_unwritten_memory_are_reported() {
    let dir = Folder::new();
    let (co, file) = (object("gfx90a"), format!("in:{}", dir.put("file", &[0; 256])));
    for (input, status) in [("zero:256", 0), (&file, 0), ("out:256", 1)] {
        let head = ["run", &co, "add", "--grid", "1", "--block", "64", "--arg", "out:256", "--arg", input];
        let args = [&head[..], &["--arg", "zero:256", "--arg", "i32:64"]].concat();
        let t = ended(program(&args).env("RUSHLIGHT_VGPU_FRESH", "1").output().unwrap());
        assert_eq!(t.status, status, "{input}: {}", t.err);
        assert_eq!(t.err.contains("which nothing has written"), status == 1, "{}", t.err);
    }
}

#[test]
fn every_error_is_one_line() {
    let dir = Folder::new();
    let co = object("gfx1100");
    let run = ["run", &co, "add", "--grid", "1", "--block", "64"];
    let ok = ["--arg", "out:4", "--arg", "zero:4", "--arg", "zero:4", "--arg", "i32:1"];
    let with =
        |more: &[&'static str]| -> Vec<String> { run.iter().chain(more).map(|s| s.to_string()).collect() };
    let cases: Vec<(Vec<String>, Vec<&str>)> = vec![
        (vec![], vec!["a command is missing", "--help"]),
        (vec!["walk".into()], vec!["`walk` is not a command", "run"]),
        (vec!["run".into()], vec!["needs FILE.co"]),
        (vec!["run".into(), co.clone()], vec!["needs KERNEL"]),
        (vec!["run".into(), co.clone(), "add".into()], vec!["needs --grid X[,Y,Z]"]),
        (vec!["disasm".into(), dir.at("none")], vec!["none cannot be read: No such file"]),
        (vec!["disasm".into(), "/".into()], vec!["/ cannot be read: Is a directory"]),
        (vec!["disasm".into(), co.clone(), "sub".into()], vec!["no kernel `sub`; it has: add, down, all"]),
        (vec!["disasm".into(), co.clone(), "a\nb".into()], vec!["no kernel `a b`"]),
        (vec!["disasm".into(), co.clone(), "add".into(), "x".into()], vec!["`x` is an extra word"]),
        (with(&["--gird", "1"]), vec!["no option --gird; it has: --grid"]),
        (with(&["--grid", "2"]), vec!["--grid is given twice"]),
        (with(&["--arg"]), vec!["--arg needs a value"]),
        (with(&["--lds", "x"]), vec!["--lds x: expected a number"]),
        (with(&[]), vec!["takes 4 arguments (of 8, 8, 8, 4 bytes), got 0"]),
        (
            with(&["--arg", "out:4", "--arg", "zero:4", "--arg", "zero:4", "--arg", "u64:1"]),
            vec!["u64:1: got 8 bytes, argument 4 of kernel `add` has 4"],
        ),
        (
            with(&["--arg", "in:/nowhere", "--arg", "zero:4", "--arg", "zero:4", "--arg", "u32:1"]),
            vec!["/nowhere cannot be read"],
        ),
        (
            with(&["--arg", "out:400G", "--arg", "zero:4", "--arg", "zero:4", "--arg", "u32:1"]),
            vec!["too little memory for 429496729600 bytes"],
        ),
        (
            with(&["--arg", "f32:one", "--arg", "zero:4", "--arg", "zero:4", "--arg", "u32:1"]),
            vec!["`one` is not a valid f32"],
        ),
        (
            with(&["--arg", "out:4:/no/where", "--arg", "zero:4", "--arg", "zero:4", "--arg", "u32:1"]),
            vec!["/no/where cannot be written"],
        ),
        (
            with(&["--arg", "5", "--arg", "zero:4", "--arg", "zero:4", "--arg", "u32:1"]),
            vec!["--arg 5: expected KIND:VALUE"],
        ),
    ];
    for (args, words) in cases {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        fails(&args, 2, &words);
    }
    for (grid, block, words) in [
        ("1", "2000", "blocks of 1 to 256 threads"),
        ("0", "64", "cannot be launched"),
        ("1,2,3,4", "64", "--grid 1,2,3,4: expected one to three numbers"),
        ("4294967295,4294967295,4294967295", "64", "cannot be launched"),
    ] {
        let head = ["run", &co, "add", "--grid", grid, "--block", block];
        fails(&[&head[..], &ok].concat(), 2, &[words]);
    }
    let lds = ["run", &co, "add", "--grid", "1", "--block", "64", "--lds", "65537"];
    fails(&[&lds[..], &ok].concat(), 2, &["and up to 65536 bytes"]);
    // An invalid setting.
    let t = ended(program(&[&run[..], &ok].concat()).env("RUSHLIGHT_VGPU_ORDER", "up").output().unwrap());
    says(&t, 2, &["RUSHLIGHT_VGPU_ORDER=up: expected forward, reverse or seed:N"], "a setting");
    // A closed reader is not an error.
    let mut child = program(&["disasm", &co]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn files_other_than_code_objects_are_rejected() {
    let dir = Folder::new();
    let own = std::env::current_exe().unwrap();
    fails(&["disasm", own.to_str().unwrap()], 2, &["one of ELF machine 62"]);
    for (bytes, words) in [
        (&b""[..], "not a 64-bit ELF file"),
        (b"hello", "not a 64-bit ELF file"),
        (b"__CLANG_OFFLOAD_BUNDLE__\0\0\0\0", "--no-gpu-bundle-output"),
        (b"\x7fELF\x02\x01", "truncated in its header"),
    ] {
        fails(&["disasm", &dir.put("file", bytes)], 2, &[words]);
    }
    // For a target that is not executed, as the note says.
    let image = OBJECTS[0].2;
    let other: Vec<u8> = replace(image, b"--gfx1100", b"--gfx1200");
    let words = ["the target is not supported", "gfx1100", "gfx90a"];
    fails(&["run", &dir.put("file", &other), "add", "--grid", "1", "--block", "1"], 2, &words);
    // Truncated anywhere.
    for len in (0..image.len()).step_by(97).chain([64, image.len() - 1]) {
        let t = ended(program(&["disasm", &dir.put("file", &image[..len]), "add"]).output().unwrap());
        says(&t, 2, &["file"], &format!("the first {len} bytes"));
    }
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|w| w == from).unwrap();
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

/// Sizes that no compiler emits, and code with an invalid register.
#[test]
fn impossible_kernels_are_rejected() {
    let dir = Folder::new();
    let run = |image: &[u8], name: &str, status: i32, words: &[&str]| {
        let file = dir.put("file", image);
        let head = ["run", &file, name, "--grid", "8", "--block", "64", "--arg", "out:8"];
        fails(&[&head[..], &["--arg", "out:8"]].concat(), status, words);
    };
    // Negative numbers: a signed 16-bit number (d1) instead of 288, and -1 instead of 0.
    let image = OBJECTS[0].2;
    let arguments = replace(image, b"kernarg_segment_size\xcd\x01\x20", b"kernarg_segment_size\xd1\xff\x20");
    run(&arguments, "add", 2, &["kernel `add` asks for 18446744073709551392 bytes of arguments"]);
    let scratch = replace(image, b"private_segment_fixed_size\0", b"private_segment_fixed_size\xff");
    run(&scratch, "add", 2, &["kernel `add` asks for 18446744073709551615 bytes of scratch memory per lane"]);
    // v_readlane_b32 s144, v0, s2: other encodings have 7 bits for a scalar register.
    let text = ".long 0xd7600090\n.long 0x00000500\ns_endpgm";
    let image = assemble(&common::isa::program("gfx1100", text, 0), "gfx1100");
    run(&image, "one", 1, &["kernel `one`", "with invalid registers or operands"]);
}

/// Random damage: whatever happens is neither a panic nor a signal.
#[test]
fn damaged_files_cause_neither_panics_nor_signals() {
    let dir = Folder::new();
    let mut state = 7u64;
    let mut draw = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    for round in 0..150 {
        let (_, _, image) = OBJECTS[round % 3];
        let mut image = image.to_vec();
        // Headers, notes, descriptors and code are in the first 8 KiB; symbol names are in the last.
        for _ in 0..1 + draw(8) {
            let at = draw(image.len());
            image[at] = [0, 0xff, 0x80, draw(256) as u8][draw(4)];
        }
        let file = dir.put("damaged.co", &image);
        let head = ["run", &file, "add", "--grid", "1", "--block", "64"];
        let args = ["--arg", "zero:256", "--arg", "zero:256", "--arg", "zero:256", "--arg", "i32:64"];
        for command in [&["disasm", &file][..], &[&head[..], &args].concat()] {
            let t = ended(program(command).env("RUSHLIGHT_VGPU_BUDGET", "10000").output().unwrap());
            let fine = (0..=2).contains(&t.status) && !t.err.contains("panicked");
            if !fine {
                std::fs::copy(&file, std::env::temp_dir().join("vgpu-damaged.co")).unwrap();
            }
            assert!(fine, "round {round} {}: {}", command[0], t.err);
        }
    }
}
