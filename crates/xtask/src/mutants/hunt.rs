//! `mutants --drawn [--seed N] [--count N] [--jobs N] [--resume] [--quick SECONDS]`: wrong kernels drawn at random (40 a seed)
//! are caught by the parity suite on the virtual AMD GPU, or are written down as equivalent. Each outcome is written
//! to `tests/parity/mutants.tsv` as soon as it is known; `--resume` goes on from there. `--quick SECONDS` postpones mutants that
//! are not caught in SECONDS of processor time. A mutant that the host engine does not show, or of a line that only AMD's
//! machine code contains, is judged by machine code.
use super::ARCHS;
use super::draw::{Site, draw};
use super::ledger::{End, Ledger};
use super::watch::{Limits, watch};
use crate::{Outcome, tree};
use rushlight::ops::TermOrder;
use rushlight::{DType, Device, set_deterministic};
use rushlight_parity::{Against, Case, Status, interleave};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// Wrong kernels of a seed.
const COUNT: usize = 40;
const SEEDS: [u64; 2] = [1, 2];
/// The dtypes whose cases run first, in this order: one of each kind. The other dtypes follow.
const DTYPES: [DType; 5] = [DType::F32, DType::I32, DType::F16, DType::U8, DType::F64];
/// The number of cases of an op and dtype that run before kernels of the next dtype are compiled.
const FIRST: usize = 24;
/// Processor time, without that of the compilers. `late` is the suite's default time on the virtual GPU.
const LIMITS: Limits = Limits {
    late: Duration::from_secs(600),
    hang: Duration::from_secs(20),
    still: Duration::from_secs(1800),
};

/// Returns the cases in an order that finds a wrong kernel soon. Most of the time is spent in the compiler, which compiles
/// a file for one dtype, so the first cases of every op come dtype by dtype. The others follow, evenly over the ops.
fn in_turn(all: &[Case]) -> Vec<&Case> {
    let rank = |c: &Case| DTYPES.iter().position(|d| *d == c.dtype()).unwrap_or(DTYPES.len());
    let mut seen: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    let mut keyed: Vec<(usize, &Case)> = interleave(all, 0)
        .into_iter()
        .map(|i| {
            let (case, rank) = (&all[i], rank(&all[i]));
            let n = seen.entry((case.op(), rank)).or_default();
            *n += 1;
            // Cases of hard numbers always come early: they are few, and find errors that ordinary numbers do not.
            (if *n <= FIRST || case.is_hard() { rank } else { DTYPES.len() + 1 }, case)
        })
        .collect();
    keyed.sort_by_key(|k| k.0);
    keyed.into_iter().map(|k| k.1).collect()
}

/// In the child: runs the suite until a case fails. Exit status 0: all passed, 1: one failed, 3: kernels do not compile.
pub fn judge() -> Outcome {
    let device = Device::new_rocm(0)?;
    let all = Case::all(0);
    let cases = in_turn(&all);
    let stop = |status: i32, words: &str| -> ! {
        println!("{words}");
        std::process::exit(status)
    };
    for (i, case) in cases.iter().enumerate() {
        if i % 20 == 0 {
            println!("{i}");
        }
        let v = case.run(&device, Against::F64);
        if v.status == Status::Fail {
            let broken = v.reason.contains("COMPILATION")
                || v.reason.contains("does not compile")
                || v.reason.contains("error:");
            stop(
                if broken { 3 } else { 1 },
                &format!("{}: {}", case.name, v.reason.lines().next().unwrap_or_default()),
            );
        }
    }
    // In a second pass, runs the kernels that add in a fixed order.
    set_deterministic(true);
    let added = cases.iter().filter(|c| c.what().term_order() == TermOrder::Arrival);
    for (i, case) in added.enumerate() {
        if i % 20 == 0 {
            println!("deterministic {i}");
        }
        let v = case.run(&device, Against::F64);
        if v.status == Status::Fail {
            stop(1, &format!("deterministic {}: {}", case.name, v.reason));
        }
    }
    println!("{} cases passed", cases.len());
    Ok(())
}

/// Entry point.
pub fn run(args: &[String]) -> Outcome {
    let mut seeds = SEEDS.to_vec();
    let (mut count, mut jobs) = (COUNT, std::thread::available_parallelism().map_or(2, |n| n.get().min(8)));
    let (mut resume, mut limits) = (false, LIMITS);
    let mut quick = false;
    let mut args = args.iter();
    while let Some(flag) = args.next() {
        let mut number = || args.next().ok_or_else(|| format!("{flag} needs a number"));
        match flag.as_str() {
            "--seed" => seeds = vec![number()?.parse()?],
            "--count" => count = number()?.parse()?,
            "--jobs" => jobs = number()?.parse()?,
            "--resume" => resume = true,
            "--quick" => {
                limits.late = Duration::from_secs(number()?.parse()?);
                quick = true;
            }
            _ => {
                let usage =
                    "usage: mutants --drawn [--seed N] [--count N] [--jobs N] [--resume] [--quick SECONDS]";
                return Err(usage.into());
            }
        }
    }
    let root = tree::root();
    let mut files = Vec::new();
    for file in std::fs::read_dir(root.join("hip"))? {
        let file = file?;
        files.push((file.file_name().to_string_lossy().into_owned(), tree::read(&file.path())?));
    }
    files.sort();
    // The ledger is written only for the seeds of `make test-full`.
    let kept = seeds.iter().all(|s| SEEDS.contains(s));
    let path = root.join("tests/parity/mutants.tsv");
    let mut ledger = Ledger::read(kept.then_some(path.clone()), &path, &files)?;
    if !resume {
        ledger.forget(&seeds);
    }
    for &seed in &seeds {
        ledger.hold_against(seed, &draw(&files, seed));
    }
    let place = Place { root, files, folder: tree::target().join("mutants"), limits, quick };
    if !ledger.whole() {
        place.whole()?;
        ledger.passes()?;
    }
    let ledger = Mutex::new(ledger);
    for &seed in &seeds {
        place.seed(seed, count, jobs, &ledger)?;
    }
    let ledger = ledger.into_inner().unwrap_or_else(|e| e.into_inner());
    seeds.iter().for_each(|s| println!("{}", ledger.summary(*s)));
    match ledger.survivors(&seeds) {
        none if none.is_empty() => Ok(()),
        all => Err(format!("{} wrong kernels survived:\n{}", all.len(), all.join("\n")).into()),
    }
}

struct Place {
    root: PathBuf,
    files: Vec<(String, String)>,
    folder: PathBuf,
    limits: Limits,
    /// Whether mutants that take longer than the limits are left for a later run.
    quick: bool,
}

impl Place {
    /// Checks that the suite passes with unchanged kernels; otherwise a failure would show nothing about a mutant.
    fn whole(&self) -> Outcome {
        for arch in ARCHS {
            match self.suite(&self.root.join("hip"), arch, "host", &LIMITS)?.1 {
                End::Survived => println!("{arch}: the suite passes with the kernels as they are"),
                end => return Err(format!("{arch}: the kernels as they are: {end:?}").into()),
            }
        }
        Ok(())
    }

    /// Runs the first mutants of a seed that compile and that the ledger does not have.
    fn seed(&self, seed: u64, count: usize, jobs: usize, ledger: &Mutex<Ledger>) -> Outcome {
        let drawn = draw(&self.files, seed);
        let lock = || ledger.lock().unwrap_or_else(|e| e.into_inner());
        let failed: Mutex<Option<String>> = Mutex::default();
        std::thread::scope(|s| {
            for _ in 0..jobs.max(1) {
                s.spawn(|| {
                    loop {
                        let next = lock().begin(seed, count);
                        let Some((i, site)) = next.and_then(|i| Some((i, drawn.get(i)?))) else { return };
                        let done = self.one(seed, i, site).and_then(|end| {
                            println!("{seed}/{i} {}:{} {}: {end:?}", site.file, site.line + 1, site.operator);
                            end.map_or(Ok(()), |end| lock().put(seed, i, site, end))
                        });
                        if let Err(e) = done {
                            *failed.lock().unwrap_or_else(|e| e.into_inner()) = Some(e.to_string());
                            return;
                        }
                    }
                });
            }
        });
        failed.into_inner().unwrap_or_else(|e| e.into_inner()).map_or(Ok(()), |e| Err(e.into()))
    }

    /// Returns the outcome of one mutant; `None` if it is left for a later run.
    fn one(&self, seed: u64, number: usize, site: &Site) -> Outcome<Option<End>> {
        let to = self.folder.join(format!("drawn-{seed}-{number}"));
        std::fs::create_dir_all(&to)?;
        let mut engines = &["host", "isa"][..];
        for (file, text) in &self.files {
            let mut lines: Vec<&str> = text.lines().collect();
            if *file == site.file {
                if for_amd_alone(text, site.line) {
                    engines = &["isa"];
                }
                lines[site.line] = &site.after;
            }
            tree::write(&to.join(file), &(lines.join("\n") + "\n"))?;
        }
        // Machine code is tried too, because a mutant with undefined behaviour may act like the original on the host.
        for engine in engines {
            for arch in ARCHS {
                match self.suite(&to, arch, engine, &self.limits)? {
                    (true, End::Survived) if self.quick => return Ok(None),
                    (_, End::Survived) => {}
                    (_, end) => return Ok(Some(end)),
                }
            }
        }
        Ok(Some(End::Survived))
    }

    /// Runs the suite on kernels of a folder, in a separate process; returns whether it ran out of time, and the outcome.
    fn suite(&self, sources: &Path, arch: &str, engine: &str, limits: &Limits) -> Outcome<(bool, End)> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["mutants", "--judge"])
            .current_dir(&self.root)
            .env("RUSHLIGHT_KERNEL_SOURCES", sources)
            .env("RUSHLIGHT_ROCM_PATH", tree::target().join("vgpu/hip7"))
            .env("RUSHLIGHT_CACHE_DIR", tree::target().join("kernels"))
            .envs([("RUSHLIGHT_VGPU_ARCH", arch), ("RUSHLIGHT_VGPU_ENGINE", engine)])
            .env("RUSHLIGHT_VGPU_THREADS", "1")
            // In a slab a wrong access would hit another tensor, and beside a block its guard band. The virtual GPU would
            // report neither.
            .envs([("RUSHLIGHT_GPU_POOL", "exact"), ("RUSHLIGHT_GPU_GUARD", "0")])
            .envs([("RUSHLIGHT_BLAS", "native"), ("RUSHLIGHT_CONV", "native"), ("RUSHLIGHT_FFT", "native")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let seen = watch(&mut child, limits)?;
        let last = seen.last;
        let end = match seen.status.code() {
            Some(0) => End::Survived,
            Some(3) => End::Stillborn,
            // The suite found nothing within its default time.
            _ if seen.late => End::Survived,
            _ if seen.hung => End::Caught(format!("{arch} TIMEOUT after case {last}")),
            Some(1) => End::Caught(format!("{arch} {last}")),
            _ => End::Caught(format!("{arch} CRASH ({}) after case {last}", seen.status)),
        };
        Ok((seen.late, end))
    }
}

/// Returns whether a line is compiled only for AMD's machine code, which the host engine does not run.
fn for_amd_alone(text: &str, line: usize) -> bool {
    let mut open = Vec::new();
    for l in text.lines().take(line) {
        let amd = l.contains("defined(RL_AMD)") && !l.contains("!defined(RL_AMD)");
        match l.split(' ').next() {
            Some("#if" | "#ifdef" | "#ifndef") => open.push(amd),
            Some("#elif" | "#else") => {
                open.pop();
                open.push(amd);
            }
            Some("#endif") => _ = open.pop(),
            _ => {}
        }
    }
    open.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_for_machine_code_are_known() {
        let text = "#if defined(RL_AMD)\na\n#if X\nb\n#endif\n#elif defined(RL_CUDA)\nc\n#else\nd\n#endif\ne";
        let amd: Vec<&str> =
            text.lines().enumerate().filter(|(i, _)| for_amd_alone(text, *i)).map(|l| l.1).collect();
        assert_eq!(amd, ["a", "#if X", "b", "#endif", "#elif defined(RL_CUDA)"]);
    }

    #[test]
    fn the_order_holds_every_case_and_begins_with_every_op() {
        let all = Case::all(0);
        let order = in_turn(&all);
        let names = |cases: &[&Case]| -> BTreeSet<String> { cases.iter().map(|c| c.name.clone()).collect() };
        assert_eq!((order.len(), names(&order).len()), (all.len(), all.len()));
        let ops = |cases: &[&Case], dtype: DType| -> BTreeSet<&'static str> {
            cases.iter().filter(|c| c.dtype() == dtype).map(|c| c.op()).collect()
        };
        let first: Vec<&Case> = order.iter().copied().take_while(|c| c.dtype() == DType::F32).collect();
        let hard = first.iter().filter(|c| c.is_hard()).count();
        let few = first.len() - hard <= FIRST * ops(&order, DType::F32).len();
        assert!(
            few && ops(&first, DType::F32) == ops(&order, DType::F32),
            "{} of them {hard} hard",
            first.len()
        );
    }
}
