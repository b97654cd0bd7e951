//! Checks that every instruction of the engine has a test: its name is in the vectors or in a table.
use super::ops::Op;
use super::table::Table;
use super::types::Family;
use std::collections::BTreeSet;

/// Memory instructions, which `tests/isa_memory.rs` lists.
const MEMORY: &[&str] = &[
    "ds_",
    "global_",
    "flat_",
    "scratch_",
    "buffer_",
    "s_load_",
    "s_buffer_",
    "s_waitcnt",
    "s_dcache_",
    "s_gl1_",
    "s_memtime",
];
/// These end a wave or wait for other waves, which `tests/isa_detect.rs` and `tests/errors.rs` test.
const ENDS: &[&str] = &["s_endpgm", "s_code_end", "s_trap", "s_barrier"];
const TABLES: [&str; 3] = [
    include_str!("../../../tests/data/instructions.rs"),
    include_str!("../../../tests/data/flow.rs"),
    include_str!("../../../tests/data/matrix.rs"),
];
const VECTORS: &str = include_str!("../../../tests/vectors/vectors.tsv");

/// Returns the names in a table's text, without the suffixes of encodings.
fn named(text: &str) -> BTreeSet<String> {
    let text = text.replace("\\n", " ");
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = words.filter(|w| w.starts_with("v_") || w.starts_with("s_"));
    let plain = |w: &str| {
        ["_e32", "_e64", "_dpp", "_sdwa"]
            .iter()
            .fold(w.to_string(), |w, end| w.trim_end_matches(end).to_string())
    };
    names.map(plain).collect()
}

/// Returns the instructions of a target that no test executes.
fn untested(family: Family, targets: [&str; 2], tables: &[&str], vectors: &str) -> Vec<&'static str> {
    let mut tested: BTreeSet<String> = tables.iter().flat_map(|t| named(t)).collect();
    for line in vectors.lines().filter(|l| !l.starts_with('#')) {
        let mut words = line.split('\t');
        if words.next().unwrap().split(',').any(|t| targets.contains(&t)) {
            tested.insert(words.next().unwrap().into());
        }
    }
    let table = Table::get(family);
    let executed = table.rows().iter().filter(|r| !matches!(r.op, Op::unknown | Op::memory));
    let names: BTreeSet<&str> = executed.map(|r| r.name).collect();
    // gfx11.5 has these; the engine rejects them.
    let later = |n: &str| n.starts_with("s_cmp_") && (n.ends_with("_f16") || n.ends_with("_f32"));
    let other = |n: &str| MEMORY.iter().any(|m| n.starts_with(m)) || ENDS.contains(&n) || later(n);
    names.into_iter().filter(|n| !other(n) && !tested.contains(*n)).collect()
}

#[test]
fn each_instruction_has_a_separate_test() {
    let targets = [
        (Family::Rdna3, ["rdna3", "gfx1100"]),
        (Family::Cdna2, ["cdna", "gfx90a"]),
        (Family::Cdna3, ["cdna", "gfx942"]),
    ];
    for (family, targets) in targets {
        let none = untested(family, targets, &TABLES, VECTORS);
        assert!(none.is_empty(), "{family:?}: {none:?}");
        // A missing line is noticed.
        let rest: Vec<&str> = VECTORS.lines().filter(|l| !l.contains("\tv_perm_b32\t")).collect();
        let fewer: Vec<String> = TABLES.iter().map(|t| t.replace("v_perm_b32", "")).collect();
        let fewer: Vec<&str> = fewer.iter().map(String::as_str).collect();
        assert_eq!(untested(family, targets, &fewer, &rest.join("\n")), ["v_perm_b32"], "{family:?}");
    }
}
