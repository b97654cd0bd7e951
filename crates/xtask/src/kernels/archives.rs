//! `kernel-archives`: packs code objects to the archives that the library looks up before it compiles, one for each target.
use super::{Job, compile_all, object, targets, toolchain::Toolchain, write_sources};
use crate::{Outcome, tree};
use rushlight::gpu::{Instance, Packed, instances, pack};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The units that common programs use, which `cargo xtask common-kernels` writes.
const COMMON: &str = "crates/xtask/rushlight-kernels/common_kernels.tsv";

/// Targets of the wheel `rushlight-kernels`.
const TARGETS: &str = "gfx90a,gfx942,gfx1030,gfx1100,gfx1101,gfx1151,gfx1200,gfx1201";

/// Returns the units and dtypes of some programs of the table, or of all of them.
fn common(programs: &[&str]) -> Outcome<BTreeSet<(String, String)>> {
    let table = tree::read(&tree::root().join(COMMON))?;
    let rows = table.lines().filter(|l| !l.starts_with('#')).map(|l| l.split('\t').collect::<Vec<_>>());
    let mut found = BTreeSet::new();
    for row in rows {
        let [unit, dtype, of] = row[..] else {
            return Err(format!("{COMMON}: rows have three columns").into());
        };
        if programs.is_empty() || of.split(',').any(|p| programs.contains(&p)) {
            found.insert((unit.to_string(), dtype.to_string()));
        }
    }
    if found.is_empty() {
        return Err(format!("{COMMON} lists no {}", programs.join(",")).into());
    }
    Ok(found)
}

/// Compiles and packs.
pub fn run(args: &[String]) -> Outcome {
    let (mut archs, mut units, mut out) = (TARGETS, "common", tree::target().join("kernel-archives"));
    let mut jobs_at_once = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg} wants a value"));
        match arg.as_str() {
            "--arch" => archs = value()?,
            "--units" => units = value()?,
            "--out" => out = PathBuf::from(value()?),
            "--jobs" => jobs_at_once = value()?.parse().map_err(|e| format!("--jobs: {e}"))?,
            other => {
                return Err(format!(
                    "no option `{other}`: --arch A,.. --units all|common|PROGRAM,.. --out FOLDER --jobs N"
                )
                .into());
            }
        }
    }
    let all = instances();
    let chosen: Vec<&Instance> = match units {
        "all" => all.iter().collect(),
        programs => {
            let programs: Vec<&str> = programs.split(',').filter(|p| *p != "common").collect();
            let wanted = common(&programs)?;
            let chosen: Vec<&Instance> =
                all.iter().filter(|i| wanted.contains(&(i.unit.to_string(), i.name.to_string()))).collect();
            if chosen.len() != wanted.len() {
                return Err(
                    "common_kernels.tsv lists units that do not exist: run `cargo xtask common-kernels`"
                        .into(),
                );
            }
            chosen
        }
    };
    let folder = tree::target().join("kernels-aot");
    let sources = write_sources(&folder, &all)?;
    std::fs::create_dir_all(&out)?;
    println!("target      objects  compiled  bytes of code  bytes of the archive");
    let mut total = 0;
    for arch in archs.split(',') {
        let target = targets::find(arch)?;
        let tools = Toolchain::find(target, &folder)?;
        let jobs: Vec<Job> = chosen.iter().map(|i| Job::new(target, &tools, i, &folder)).collect();
        let compiled = compile_all(&jobs, jobs_at_once, |j| j.compile(&sources), Job::name)?;
        let mut packed = Vec::new();
        for job in &jobs {
            let code = std::fs::read(&job.file)?;
            let made = object::read(&code)?;
            // The archive is for the processor with any setting of its features.
            if made.target != format!("amdgcn-amd-amdhsa--{arch}") || made.version != target.object {
                return Err(
                    format!("{}: made for {} (version {})", job.name(), made.target, made.version).into()
                );
            }
            let (unit, dtype) = (job.instance.unit, job.instance.name);
            packed.push(Packed { unit, dtype, source: job.instance.source_hash(), code });
        }
        let code: usize = packed.iter().map(|p| p.code.len()).sum();
        let bytes = pack(arch, &tools.version, &packed)?;
        println!("{arch:<10} {:>8} {compiled:>9} {code:>14} {:>21}", packed.len(), bytes.len());
        total += bytes.len();
        let file = out.join(format!("{arch}.zip"));
        let new = file.with_extension("new");
        std::fs::write(&new, bytes)?;
        std::fs::rename(new, file)?;
    }
    println!("kernel-archives: {total} bytes in {}", out.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_common_kernels_names_units_that_exist() {
        let all = instances();
        let exists = |(unit, dtype): &(String, String)| all.iter().any(|i| i.unit == unit && i.name == dtype);
        let listed = common(&[]).expect("a table");
        assert!(listed.iter().all(exists), "cargo xtask common-kernels");
        // Every program of the table has products and an optimizer in f32.
        for program in ["mlp", "cnn", "transformer"] {
            let of = common(&[program]).expect("a table");
            for unit in ["matmul", "optim", "loss"] {
                assert!(of.contains(&(unit.to_string(), "f32".to_string())), "{program} {unit}");
            }
        }
        assert!(common(&["no program"]).is_err());
    }
}
