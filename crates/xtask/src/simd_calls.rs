//! `simd-calls`: lists the functions that code compiled for AVX2 or AVX-512 (`cpu/simd_isa.rs`) calls instead of inlining them.
//!
//! Such a function is compiled with the baseline's instructions, although its caller has those of a level: a closure that has
//! several callers, an iterator's `fold`, `array::map`. In a loop it costs several times the time. Closures get
//! `#[inline(always)]` where they are passed, array functions become loops. The compiler decides anew with each change what it
//! inlines, so this check is not part of `make test`.
use crate::{Outcome, process, tree};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Calls that stay, by parts of the functions' names, and why.
const KEPT: &[(&str, &str)] = &[
    (
        "kernels::complex::unary::{{closure}}",
        "a function of complex numbers in f64, which does not vectorize",
    ),
    ("core::ops::function::Fn::call", "the same, for complex128"),
    ("reflections::Reflections<S>::make", "once for a column; its sums are separate work"),
    ("cpu::simd_half::", "once for a slice, and compiled for F16C itself"),
];

/// Whether the function belongs to the C library, whose names have no `::`: copies, and mathematics that have no instruction.
fn of_the_system(name: &str) -> bool {
    !name.contains("::")
}

/// Prints the calls, and fails if one is not in the list of those that stay.
pub fn run(_args: &[String]) -> Outcome {
    if !cfg!(target_arch = "x86_64") {
        println!("simd-calls: only x86-64 has levels of instructions");
        return Ok(());
    }
    process::run(&mut process::cargo(&["build", "--release", "--locked", "--quiet", "--bin", "xtask-ops"]))?;
    let program = tree::target().join("release/xtask-ops");
    let mut objdump = Command::new("objdump");
    objdump.args(["--disassemble", "--no-show-raw-insn", "--demangle=rust"]).arg(&program);
    let mut child = objdump
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("objdump: {e}; it belongs to binutils, which C linkers need"))?;
    let text = BufReader::new(child.stdout.take().ok_or("objdump has no output")?);
    let calls = calls(text.split(b'\n').map_while(Result::ok))?;
    if !child.wait()?.success() {
        return Err(format!("objdump cannot read {}", program.display()).into());
    }
    let mut found = Vec::new();
    for (name, count) in &calls.callees {
        match KEPT.iter().find(|(part, _)| name.contains(part)) {
            Some((_, why)) => println!("simd-calls: {count:3} {name} ({why})"),
            None => found.push(format!("{count:3} {name}")),
        }
    }
    if calls.functions < 1000 {
        return Err(format!("simd-calls: found only {} functions of simd_isa.rs", calls.functions).into());
    }
    if found.is_empty() {
        println!("simd-calls: {} functions for AVX2 and AVX-512 call no others", calls.functions);
        return Ok(());
    }
    Err(format!(
        "code for AVX2 calls functions that are compiled without it; inline them (see crates/xtask/src/simd_calls.rs):\n{}",
        found.join("\n")
    )
    .into())
}

/// The functions that code compiled for a level calls.
struct Calls {
    functions: usize,
    callees: BTreeMap<String, usize>,
}

/// Reads a disassembly.
fn calls(lines: impl Iterator<Item = Vec<u8>>) -> Outcome<Calls> {
    let mut all = Calls { functions: 0, callees: BTreeMap::new() };
    let mut inside: Option<String> = None;
    for line in lines {
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        // A function begins with its address and its name: `0000000000123456 <name>:`.
        if let Some(name) = line.strip_suffix(">:").and_then(|l| l.split_once(" <")).map(|(_, name)| name) {
            let level = ["simd_isa::v3", "simd_isa::v4"].iter().any(|f| name.contains(f));
            inside = level.then(|| name.to_string());
            all.functions += usize::from(level);
            continue;
        }
        let Some(own) = &inside else { continue };
        let Some((instruction, callee)) = line.strip_suffix('>').and_then(|l| l.split_once(" <")) else {
            continue;
        };
        let jumps = instruction.split_whitespace().any(|w| w == "call" || w == "jmp");
        let callee = callee.split("+0x").next().unwrap_or(callee);
        if jumps && callee != own && !of_the_system(callee.trim_end_matches("@plt")) {
            *all.callees.entry(callee.to_string()).or_default() += 1;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn calls_of_other_functions_are_found() {
        let text = "\
0000000000001000 <rushlight::cpu::simd_isa::v3>:
    1000:\tjmp    1020 <rushlight::cpu::simd_isa::v3+0x20>
    1004:\tcall   2000 <core::array::try_from_fn>
    1008:\tcall   3000 <memcpy@plt>
0000000000002000 <core::array::try_from_fn>:
    2000:\tcall   4000 <core::iter::fold>
";
        let all = calls(text.split('\n').map(|l| l.as_bytes().to_vec())).unwrap();
        assert_eq!(all.functions, 1);
        let names: Vec<&str> = all.callees.keys().map(String::as_str).collect();
        assert_eq!(names, ["core::array::try_from_fn"]);
    }
}
