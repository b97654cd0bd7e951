//! `kernels`: the kernels of `hip/` compiled ahead of time, with the sources, headers and options that the library's kernel
//! cache gives to hiprtc, to `target/kernels-aot/TARGET/UNIT_DTYPE.co`. Existing objects are reused. `--cuda`: the same for
//! NVIDIA's targets.
pub mod archives;
mod check;
mod cuda;
mod object;
mod targets;
mod toolchain;

use crate::{Outcome, tree};
use rushlight::gpu::{Instance, headers, instances};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use targets::{TARGETS, Target};
use toolchain::Toolchain;

/// Targets for which `--some` compiles all kernels; the table of scratch memory lists these targets. A sample compiles all
/// kernels of one of them.
const WHOLE: [&str; 2] = ["gfx1100", "gfx90a"];

/// The parsed arguments.
struct Asked {
    targets: Vec<&'static Target>,
    /// The targets for which all kernels are compiled, or the third of them that a sample draws.
    whole: Vec<&'static str>,
    /// The seed of a sample.
    seed: Option<usize>,
    /// Whether to write the table of kernels that use scratch memory.
    write: bool,
    jobs: usize,
}

/// One compile.
struct Job<'a> {
    target: &'static Target,
    tools: &'a Toolchain,
    instance: &'a Instance,
    file: PathBuf,
}

/// Compiles the requested units.
pub fn run(args: &[String]) -> Outcome {
    if args.iter().any(|a| a == "--cuda") {
        return cuda::run(args);
    }
    let asked = asked(args)?;
    let folder = tree::target().join("kernels-aot");
    let all = instances();
    let sources = write_sources(&folder, &all)?;
    let mut tools = Vec::new();
    for target in &asked.targets {
        tools.push(Toolchain::find(target, &folder)?);
    }
    let mut jobs = Vec::new();
    for (target, tools) in asked.targets.iter().zip(&tools) {
        let whole = asked.whole.contains(&target.name);
        for instance in if whole { third(&all, asked.seed) } else { some(&all, turn(target)) } {
            jobs.push(Job::new(target, tools, instance, &folder));
        }
    }
    let begun = Instant::now();
    let compiled = compile_all(&jobs, asked.jobs, |j| j.compile(&sources), Job::name)?;
    let (n, targets, seconds) = (jobs.len(), asked.targets.len(), begun.elapsed().as_secs_f32());
    println!(
        "kernels: {n} code objects of {targets} targets in {}, {compiled} compiled now, {seconds:.1} s",
        folder.display()
    );
    let whole = asked.targets.iter().any(|t| asked.whole.contains(&t.name));
    check::all(&jobs, whole, asked.write)
}

fn asked(args: &[String]) -> Outcome<Asked> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let every: Vec<&Target> = TARGETS.iter().collect();
    let whole = TARGETS.iter().map(|t| t.name).collect();
    let mut asked = Asked { targets: every, whole, seed: None, write: false, jobs: cores };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg} wants a value"));
        match arg.as_str() {
            "--arch" => asked.targets = value()?.split(',').map(targets::find).collect::<Outcome<_>>()?,
            "--write-table" => asked.write = true,
            "--some" => asked.whole = WHOLE.to_vec(),
            "--sample" => {
                let seed = value()?.parse().map_err(|e| format!("--sample: {e}"))?;
                (asked.targets, asked.whole) = sample(seed);
                asked.seed = Some(seed);
            }
            "--jobs" => asked.jobs = value()?.parse().map_err(|e| format!("--jobs: {e}"))?,
            other => {
                return Err(format!(
                    "no option `{other}`: --arch a,b,.. --some --sample SEED --write-table --jobs N"
                )
                .into());
            }
        }
    }
    Ok(asked)
}

/// Dtypes that every sample compiles: between them they have each kernel of the list of hot kernels. Kernels that only move
/// values are compiled for unsigned integers of their size.
const ALWAYS: [&str; 2] = ["f32", "u32"];

/// The number of targets of a sample besides those of [`WHOLE`].
const SAMPLED: usize = 2;

/// Returns the targets of a sample, and those for which a third of all kernels is compiled: the targets of [`WHOLE`], one of
/// them with its third, and [`SAMPLED`] others. The choice rotates with the seed.
fn sample(seed: usize) -> (Vec<&'static Target>, Vec<&'static str>) {
    let (mut chosen, others): (Vec<&Target>, Vec<&Target>) =
        TARGETS.iter().partition(|t| WHOLE.contains(&t.name));
    let start = seed % others.len();
    let picked: Vec<&Target> = others.iter().cycle().skip(start).take(SAMPLED).copied().collect();
    let names: Vec<&str> = picked.iter().map(|t| t.name).collect();
    let whole = WHOLE[seed / others.len() % WHOLE.len()];
    println!(
        "kernels: {} and a third of the other dtypes of every unit for {whole}; a dtype of each unit for the other of {} and for \
         {SAMPLED} of {} other targets ({}), by seed {seed}; `make test-full` compiles all",
        ALWAYS.join(", "),
        WHOLE.join(" and "),
        others.len(),
        names.join(", ")
    );
    chosen.extend(picked);
    (chosen, vec![whole])
}

/// Returns all instances; with a seed, the instances of [`ALWAYS`] and a third of the others. The thirds of seeds that follow
/// each other are all instances.
fn third(all: &[Instance], seed: Option<usize>) -> Vec<&Instance> {
    let Some(seed) = seed else { return all.iter().collect() };
    all.iter()
        .enumerate()
        .filter(|(n, i)| ALWAYS.contains(&i.name) || (n + seed) % 3 == 0)
        .map(|(_, i)| i)
        .collect()
}

/// Returns a target's index in the list.
fn turn(target: &Target) -> usize {
    TARGETS.iter().position(|t| t.name == target.name).unwrap_or(0)
}

/// Returns one instance of each unit. The dtype varies between units and targets, so that every dtype is compiled.
fn some(all: &[Instance], turn: usize) -> Vec<&Instance> {
    let units: BTreeSet<&str> = all.iter().map(|i| i.unit).collect();
    let mut picked = Vec::new();
    for (n, unit) in units.into_iter().enumerate() {
        let own: Vec<&Instance> = all.iter().filter(|i| i.unit == unit).collect();
        picked.push(own[(n + turn) % own.len()]);
    }
    picked
}

/// Writes the sources and headers below a folder, and returns the folder with them.
fn write_sources(folder: &Path, all: &[Instance]) -> Outcome<PathBuf> {
    let sources = folder.join("src");
    std::fs::create_dir_all(&sources)?;
    for (name, text) in headers() {
        keep(&sources.join(name), text)?;
    }
    for i in all {
        keep(&sources.join(format!("{}.hip", i.unit)), i.source)?;
    }
    Ok(sources)
}

/// Writes a file unless it already holds this text, so that an unchanged file keeps its modification time.
fn keep(path: &Path, text: &str) -> Outcome {
    if std::fs::read_to_string(path).is_ok_and(|t| t == text) { Ok(()) } else { tree::write(path, text) }
}

/// Compiles missing objects; returns their number.
fn compile_all<J: Sync>(
    jobs: &[J],
    workers: usize,
    compile: impl Fn(&J) -> Outcome<bool> + Sync,
    name: impl Fn(&J) -> String + Sync,
) -> Outcome<usize> {
    let (next, compiled) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failed = Mutex::new(Vec::new());
    let fail = |e: String| failed.lock().unwrap_or_else(PoisonError::into_inner).push(e);
    std::thread::scope(|s| {
        for _ in 0..workers.clamp(1, jobs.len().max(1)) {
            s.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
                    match compile(job) {
                        Ok(true) => _ = compiled.fetch_add(1, Relaxed),
                        Ok(false) => {}
                        Err(e) => fail(format!("{}: {e}", name(job))),
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if failed.is_empty() { Ok(compiled.into_inner()) } else { Err(failed.join("\n").into()) }
}

/// Returns the file that holds the key with which another was made.
fn stamp(file: &Path) -> PathBuf {
    file.with_extension("key")
}

/// Returns whether a file exists and was made with a key.
fn is_made(file: &Path, key: &str) -> bool {
    file.is_file() && std::fs::read_to_string(stamp(file)).is_ok_and(|k| k == key)
}

/// Makes a file unless it exists and was made with the same key; returns whether it was made now.
fn made_once(file: &Path, key: &str, make: impl FnOnce(&Path) -> Outcome) -> Outcome<bool> {
    if is_made(file, key) {
        return Ok(false);
    }
    let stamp = stamp(file);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let made = file.with_extension("new");
    make(&made)?;
    let _ = std::fs::remove_file(&stamp);
    std::fs::rename(&made, file)?;
    std::fs::write(&stamp, key)?;
    Ok(true)
}

impl<'a> Job<'a> {
    fn new(target: &'static Target, tools: &'a Toolchain, instance: &'a Instance, folder: &Path) -> Self {
        let file = folder.join(target.name).join(format!("{}_{}.co", instance.unit, instance.name));
        Self { target, tools, instance, file }
    }

    fn name(&self) -> String {
        format!("{} {}_{}", self.target.name, self.instance.unit, self.instance.name)
    }

    /// Compiles unless the file exists and was made from the same text by the same tools.
    fn compile(&self, sources: &Path) -> Outcome<bool> {
        let i = self.instance;
        let mut args = self.tools.args.clone();
        args.extend(i.options.iter().cloned());
        let key = {
            let mut h = DefaultHasher::new();
            (headers(), i.source, &args, &self.tools.version).hash(&mut h);
            format!("{:016x}", h.finish())
        };
        made_once(&self.file, &key, |made| {
            let show = |p: &Path| p.display().to_string();
            let source = show(&sources.join(format!("{}.hip", i.unit)));
            args.extend(["-c".into(), source, "-o".into(), show(made)]);
            self.tools.clang(&args)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_a_whole_target_and_rotate_over_all_others() {
        let names = |seed: usize| -> BTreeSet<&str> { sample(seed).0.iter().map(|t| t.name).collect() };
        let all: BTreeSet<&str> = (0..TARGETS.len()).flat_map(names).collect();
        assert_eq!(all.len(), TARGETS.len());
        for seed in 0..TARGETS.len() {
            assert!(
                WHOLE.iter().all(|w| names(seed).contains(w)) && names(seed).len() == WHOLE.len() + SAMPLED
            );
        }
        let seeds = 0..2 * TARGETS.len();
        let whole: BTreeSet<&str> = seeds.flat_map(|s| sample(s).1).collect();
        assert_eq!(whole, BTreeSet::from(WHOLE));
    }

    #[test]
    fn three_thirds_are_all_instances() {
        let all = instances();
        let of = |seed| -> BTreeSet<String> {
            third(&all, seed).iter().map(|i| format!("{} {}", i.unit, i.name)).collect()
        };
        let whole = of(None);
        assert_eq!(whole.len(), all.len());
        assert_eq!(&(&of(Some(6)) | &of(Some(7))) | &of(Some(8)), whole);
        let always = all.iter().filter(|i| ALWAYS.contains(&i.name));
        let always: BTreeSet<String> = always.map(|i| format!("{} {}", i.unit, i.name)).collect();
        for seed in [6, 7, 8] {
            assert!(of(Some(seed)).is_superset(&always));
            assert!(of(Some(seed)).len() * 2 < whole.len());
        }
    }

    #[test]
    fn some_instances_have_every_unit_and_dtype() {
        let all = instances();
        let names = |f: fn(&Instance) -> &str, of: &[&Instance]| -> BTreeSet<String> {
            of.iter().map(|i| f(i).to_string()).collect()
        };
        let every: Vec<&Instance> = all.iter().collect();
        for target in TARGETS {
            assert_eq!(
                names(|i| i.unit, &some(&all, turn(target))),
                names(|i| i.unit, &every),
                "{}",
                target.name
            );
        }
        let picked: Vec<&Instance> = TARGETS.iter().flat_map(|t| some(&all, turn(t))).collect();
        assert_eq!(names(|i| i.name, &picked), names(|i| i.name, &every));
    }
}
