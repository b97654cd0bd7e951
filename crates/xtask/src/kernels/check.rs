//! Checks of every code object, and the table of kernels that keep registers in scratch memory.
use super::object::{self, Kernel};
use super::{Job, WHOLE};
use crate::{Outcome, tree};
use rushlight::gpu::Instance;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of LDS that a kernel may use (docs/GPU.md).
const LDS: u64 = 32 << 10;

/// Kernels in which programs spend their time, with their limits for the dtypes of [`HOT_DTYPES`] on every target: name,
/// vector registers on AMD, registers on NVIDIA, and bytes of stack on NVIDIA, whose compiler keeps small arrays there (a
/// thread's elements, or some sums). The limits leave room for enough waves to hide memory latency. Registers may not
/// spill.
const HOT: &[(&str, u64, u64, u64)] = &[
    ("add", 96, 64, 0),
    ("mul", 96, 64, 0),
    ("exp", 96, 64, 0),
    ("gelu", 96, 64, 0),
    ("relu", 96, 64, 0),
    ("affine", 96, 64, 0),
    ("cast", 96, 64, 0),
    ("copy", 96, 64, 0),
    ("where_cond", 96, 64, 0),
    ("sum", 128, 96, 192),
    ("max", 128, 96, 192),
    ("softmax", 128, 96, 32),
    ("softmax_backward", 128, 128, 64),
    ("cross_entropy", 128, 96, 96),
    ("cross_entropy_backward", 128, 128, 96),
    ("gather", 96, 64, 0),
    ("index_select", 96, 64, 0),
    ("index_add", 128, 96, 0),
    // Large tiles keep 64 sums of a thread: three waves fit into a SIMD of CDNA, six into one of RDNA3 (f16), a block into
    // an SM.
    ("matmul", 224, 240, 64),
    ("addmm", 224, 240, 64),
    // Large tiles, as of matmul: two waves of CDNA, six of RDNA3.
    ("conv", 232, 240, 64),
    ("conv_transpose", 224, 240, 256),
    ("conv_weight_grad", 200, 200, 64),
    ("max_pool", 128, 96, 8),
    ("upsample_nearest", 128, 96, 0),
    ("dropout", 128, 96, 16),
    ("sgd_step", 96, 64, 0),
    ("adam_step", 128, 96, 0),
];
/// Returns the threads of a kernel's block: more in variant wide (docs/GPU.md).
pub fn block_of(kernel: &str) -> u64 {
    if kernel.ends_with("_wide") { 1024 } else { 256 }
}

const HOT_DTYPES: [&str; 5] = ["f32", "f16", "bf16", "u16", "u32"];

/// The committed table. Each line names the compiler that its figures are from.
const TABLE: &str = "crates/xtask/kernel_scratch.tsv";
const HEAD: &str = "# Kernels that keep registers or arrays in memory. `cargo xtask kernels --write-table` makes\n\
                    # this file. Figures are those of the compiler named, for each target.\n\
                    target\tcompiler\tobject\tkernel\tscratch\tspilled registers\n";

/// Stands in the kernel column for a target of which no kernel uses scratch memory.
const NONE: &str = "none";

/// Rows of code object, kernel, bytes of scratch memory and spilled registers, by target and compiler.
type Table = BTreeMap<(String, String), BTreeSet<[String; 4]>>;

/// Checks all code objects. `whole` says that these are all units and dtypes of their targets.
pub fn all(jobs: &[Job<'_>], whole: bool, write: bool) -> Outcome {
    let mut found = Vec::new();
    let mut table = Table::new();
    let mut seen = BTreeSet::new();
    let mut kernels = 0;
    for job in jobs {
        let (target, instance) = (job.target, job.instance);
        let object_name = || format!("{} {}_{}", target.name, instance.unit, instance.name);
        let bytes = std::fs::read(&job.file).map_err(|e| format!("{}: {e}", job.file.display()))?;
        let object = object::read(&bytes).map_err(|e| format!("{}: {e}", job.file.display()))?;
        if object.version != target.object || object.target != format!("amdgcn-amd-amdhsa--{}", target.name) {
            let is = format!("version {} for {}", object.version, object.target);
            found.push(format!("{}: a code object of {is}, not of version {}", object_name(), target.object));
        }
        if object.kernels.is_empty() {
            found.push(format!("{}: no kernels", object_name()));
        }
        let rows = table.entry((target.name.to_string(), job.tools.version.clone())).or_default();
        for k in &object.kernels {
            kernels += 1;
            found.extend(
                faults(k, instance, target.wave)
                    .into_iter()
                    .filter(|f| !kept_in_memory(target.name, &k.name, f))
                    .map(|f| format!("{} {}: {f}", object_name(), k.name)),
            );
            seen.extend(hot(&k.name, instance).map(|h| h.0));
            if k.scratch + k.spills > 0 {
                let object = format!("{}_{}", instance.unit, instance.name);
                let [scratch, spills] = [k.scratch, k.spills].map(|n| n.to_string());
                rows.insert([object, k.name.clone(), scratch, spills]);
            }
        }
    }
    if whole {
        found.extend(absent(&seen));
    }
    let changed = compare(jobs, &table, write)?;
    found.extend(changed);
    if !found.is_empty() {
        return Err(format!("{} findings\n{}", found.len(), found.join("\n")).into());
    }
    let rows: usize = table.values().map(BTreeSet::len).sum();
    println!("kernels: {kernels} kernels are what they must be; {rows} keep registers or arrays in memory");
    Ok(())
}

/// Returns a kernel's entry in the list of hot kernels.
pub fn hot(kernel: &str, i: &Instance) -> Option<(&'static str, u64, u64, u64)> {
    let name = kernel.split(&format!("_{}_", i.name)).next()?;
    HOT.iter().find(|h| h.0 == name && HOT_DTYPES.contains(&i.name)).copied()
}

/// Returns an error if entries of the list of hot kernels match none of the kernels seen.
pub fn absent(seen: &BTreeSet<&str>) -> Option<String> {
    let absent: Vec<&str> = HOT.iter().map(|h| h.0).filter(|n| !seen.contains(n)).collect();
    let error = || format!("the list of hot kernels names missing kernels: {}", absent.join(", "));
    (!absent.is_empty()).then(error)
}

/// Whether a fault is known: code for all of gfx9 converts f16 by more instructions, and a thread of a block of 1,024 has 128
/// registers there, so lines of f16 in registers are partly in memory. (Code for one target keeps none.)
fn kept_in_memory(target: &str, kernel: &str, fault: &str) -> bool {
    let memory = fault.starts_with("scratch of") || fault.starts_with("spilled registers of");
    target == "gfx9-generic" && kernel.ends_with("_f16_wide") && memory
}

/// Returns the faults of a kernel.
fn faults(k: &Kernel, i: &Instance, wave: u32) -> Vec<String> {
    let mut found = Vec::new();
    let mut expect = |what: &str, is: u64, right: bool, must: String| {
        if !right {
            found.push(format!("{what} is {is}, must be {must}"));
        }
    };
    let sizes: Vec<u64> = i.params.iter().map(|p| p.1 as u64).collect();
    let one =
        k.parameters.len() == 1 && k.parameters[0].0 == "by_value" && sizes.contains(&k.parameters[0].1);
    let structs: Vec<String> = i.params.iter().map(|(n, b)| format!("{n} of {b} bytes")).collect();
    let structs = structs.join(" or ");
    expect(
        "the number of parameters",
        k.parameters.len() as u64,
        one,
        format!("one struct by value, {structs}"),
    );
    let sized = k.parameters.first().is_some_and(|p| p.1 == k.arguments);
    expect(
        "the bytes of arguments",
        k.arguments,
        sized,
        format!("those of the parameter struct alone, {structs}"),
    );
    expect("the wave", k.wave, k.wave == u64::from(wave), wave.to_string());
    let block = block_of(&k.name);
    expect("the most threads of a block", k.threads, k.threads == block, block.to_string());
    expect("LDS", k.lds, k.lds <= LDS, format!("at most {LDS}"));
    expect("a call of unknown depth", k.dynamic.into(), !k.dynamic, "0".into());
    if let Some((_, vgprs, ..)) = hot(&k.name, i) {
        expect("scratch of a hot kernel", k.scratch, k.scratch == 0, "0".into());
        expect("spilled registers of a hot kernel", k.spills, k.spills == 0, "0".into());
        expect("vector registers of a hot kernel", k.vgprs, k.vgprs <= vgprs, format!("at most {vgprs}"));
    }
    found
}

/// Compares the compiled kernels with the committed table, or writes the table.
fn compare(jobs: &[Job<'_>], now: &Table, write: bool) -> Outcome<Vec<String>> {
    let path = tree::root().join(TABLE);
    let mut committed = Table::new();
    let text = tree::read(&path).unwrap_or_default();
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.starts_with("target\t")) {
        let own = |s: &str| s.to_string();
        let [target, compiler, object, kernel, scratch, spills] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            return Err(format!("{TABLE}: not six columns: {line}").into());
        };
        let rows = committed.entry((own(target), own(compiler))).or_default();
        if kernel != NONE {
            rows.insert([object, kernel, scratch, spills].map(own));
        }
    }
    let objects: BTreeSet<(&str, String)> =
        jobs.iter().map(|j| (j.target.name, format!("{}_{}", j.instance.unit, j.instance.name))).collect();
    let mut found = Vec::new();
    for ((target, compiler), rows) in now.iter().filter(|n| WHOLE.contains(&n.0.0.as_str())) {
        // Figures depend on the compiler, and the table has those of one compiler for each target. A target that the table
        // does not have with this compiler is not compared; `--write-table` adds it.
        if !write && !committed.keys().any(|k| k.0 == *target) {
            println!("kernels: {target}: {TABLE} has no figures of it to compare with");
            continue;
        }
        let other = committed.keys().any(|k| k.0 == *target && k.1 != *compiler);
        if other && !write {
            println!(
                "kernels: {target}: figures of {compiler} are not compared, the table has another compiler's"
            );
            continue;
        }
        if other {
            committed.retain(|k, _| k.0 != *target);
        }
        let kept = committed.entry((target.clone(), compiler.clone())).or_default();
        let before: BTreeSet<_> =
            kept.iter().filter(|r| objects.contains(&(target, r[0].clone()))).cloned().collect();
        for (what, one, two) in [("now", rows, &before), ("in the table", &before, rows)] {
            for r in one.difference(two).filter(|_| !write) {
                let say = "bytes of scratch and spilled registers";
                found.push(format!(
                    "{target} {}: {say} {what}: {}; `cargo xtask kernels --write-table`",
                    r[1],
                    r[2..].join(" ")
                ));
            }
        }
        kept.retain(|r| !before.contains(r));
        kept.extend(rows.iter().cloned());
    }
    if write {
        let mut text = HEAD.to_string();
        for ((target, compiler), rows) in &committed {
            if rows.is_empty() {
                text += &format!("{target}\t{compiler}\tall\t{NONE}\t0\t0\n");
            }
            for r in rows {
                text += &format!("{target}\t{compiler}\t{}\n", r.join("\t"));
            }
        }
        tree::write(&path, &text)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance() -> Instance {
        let all = rushlight::gpu::instances();
        all.into_iter().find(|i| i.unit == "matmul" && i.name == "f32").expect("a product")
    }

    fn good(i: &Instance) -> Kernel {
        let size = i.params[0].1 as u64;
        Kernel {
            name: "matmul_f32_tile".into(),
            arguments: size,
            parameters: vec![("by_value".into(), size)],
            wave: 32,
            threads: 256,
            lds: LDS,
            scratch: 0,
            vgprs: 128,
            spills: 0,
            dynamic: false,
        }
    }

    #[test]
    fn each_fault_is_found() {
        let i = instance();
        assert_eq!(faults(&good(&i), &i, 32), Vec::<String>::new());
        let wrong: [(&str, fn(&mut Kernel)); 9] = [
            ("wave", |k| k.wave = 64),
            ("threads", |k| k.threads = 1024),
            ("LDS", |k| k.lds += 1),
            ("bytes of arguments", |k| k.arguments += 256),
            ("parameters", |k| k.parameters.push(("hidden_block_count_x".into(), 4))),
            ("scratch", |k| k.scratch = 4),
            ("spilled", |k| k.spills = 1),
            ("vector registers", |k| k.vgprs = 225),
            ("unknown depth", |k| k.dynamic = true),
        ];
        for (word, spoil) in wrong {
            let mut k = good(&i);
            spoil(&mut k);
            let found = faults(&k, &i, 32);
            assert!(found.len() == 1 && found[0].contains(word), "{word}: {found:?}");
        }
        // A kernel that is not hot may use scratch memory, which the table lists.
        let (mut k, mut wide) = (good(&i), i.clone());
        (k.name, k.scratch, wide.name) = ("matmul_u64_tile".into(), 80, "u64");
        assert_eq!(faults(&k, &wide, 32), Vec::<String>::new());
    }
}
