//! `mutants --drawn [--seed N]`: wrong kernels drawn at random (40 a seed) are caught by the parity suite on the virtual AMD
//! GPU, or are written down as equivalent. What came of each is in `tests/parity/mutants.tsv`.
use super::ARCHS;
use super::draw::{Site, draw};
use crate::{Outcome, tree};
use rushlight::parity::{Against, Case, Status, spread};
use rushlight::{Device, set_deterministic};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Wrong kernels of a seed.
const COUNT: usize = 40;
const SEEDS: [u64; 2] = [1, 2];
/// The suite's default time on the virtual GPU.
const LIMIT: Duration = Duration::from_secs(600);
/// A launch that does not end: nothing is told for so long.
const HANG: Duration = Duration::from_secs(180);
const LIST: &str = "tests/parity/mutants.tsv";

/// What came of a wrong kernel.
#[derive(Debug, Clone)]
enum End {
    /// The suite failed, and how.
    Caught(String),
    /// The suite passed on both wave sizes.
    Survived,
    /// It does not compile, so it is no wrong kernel.
    Stillborn,
}

/// In the child: runs the suite until a case fails. Exit status 0: all passed, 1: one failed, 3: kernels do not compile.
pub fn judge() -> Outcome {
    let device = Device::new_rocm(0)?;
    let all = Case::all(0);
    let cases: Vec<&Case> = spread(&all, 0).into_iter().map(|i| &all[i]).collect();
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
    // The rest of index_add's and scatter_add's kernels.
    set_deterministic(true);
    for case in cases.iter().filter(|c| matches!(c.op(), "index_add" | "scatter_add" | "scatter_add_set")) {
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
    let mut count = COUNT;
    for pair in args.chunks(2) {
        match pair {
            [flag, n] if flag == "--seed" => seeds = vec![n.parse()?],
            [flag, n] if flag == "--count" => count = n.parse()?,
            _ => return Err("usage: mutants --drawn [--seed N] [--count N]".into()),
        }
    }
    let root = tree::root();
    let mut files = Vec::new();
    for file in std::fs::read_dir(root.join("hip"))? {
        let file = file?;
        files.push((file.file_name().to_string_lossy().into_owned(), tree::read(&file.path())?));
    }
    files.sort();
    let place = Place { root: root.clone(), files, folder: tree::target().join("mutants") };
    place.whole()?;
    let equivalent = equivalent(&root)?;
    let mut text = String::from(HEAD);
    let mut bad = Vec::new();
    for seed in seeds {
        let found = place.seed(seed, count)?;
        let (mut caught, mut same) = (0, 0);
        for (site, end) in found {
            let key = (site.file.clone(), site.before.trim().to_string(), site.after.trim().to_string());
            let (end, words) = match (end, equivalent.get(&key)) {
                (End::Caught(words), _) => {
                    caught += 1;
                    ("caught", words)
                }
                (_, Some(why)) => {
                    same += 1;
                    ("equivalent", why.clone())
                }
                _ => {
                    bad.push(format!(
                        "seed {seed}: {}:{}: {}\n  {}\n  {}",
                        site.file,
                        site.line + 1,
                        site.operator,
                        key.1,
                        key.2
                    ));
                    ("SURVIVED", String::new())
                }
            };
            writeln!(
                text,
                "{seed}\t{}\t{}\t{}\t{}\t{end}\t{}",
                key.0,
                site.operator,
                key.1,
                key.2,
                words.replace(['\t', '\n'], " ")
            )?;
        }
        println!("seed {seed}: {caught} caught, {same} equivalent");
    }
    if args.is_empty() {
        tree::write(&root.join(LIST), &text)?;
    } else {
        print!("{text}");
    }
    if bad.is_empty() {
        Ok(())
    } else {
        Err(format!("{} wrong kernels survived:\n{}", bad.len(), bad.join("\n")).into())
    }
}

const HEAD: &str = "# Wrong kernels that `cargo xtask mutants --drawn` drew and ran the parity suite on, and what came of them.\n\
# caught: by this case. equivalent: no result can differ, and why; these lines are written by hand and kept.\n\
seed\tfile\toperator\tbefore\tafter\tend\tby\n";

type Equivalent = BTreeMap<(String, String, String), String>;

/// The reasons of the list's equivalent kernels.
fn equivalent(root: &Path) -> Outcome<Equivalent> {
    let text = tree::read(&root.join(LIST)).unwrap_or_default();
    let mut all = BTreeMap::new();
    for line in text.lines() {
        if let [_, file, _, before, after, "equivalent", why] = line.split('\t').collect::<Vec<_>>()[..] {
            all.insert((file.to_string(), before.to_string(), after.to_string()), why.to_string());
        }
    }
    Ok(all)
}

struct Place {
    root: PathBuf,
    files: Vec<(String, String)>,
    folder: PathBuf,
}

impl Place {
    /// The suite passes with the kernels as they are: else nothing is shown.
    fn whole(&self) -> Outcome {
        for arch in ARCHS {
            match self.suite(&self.root.join("hip"), arch)? {
                End::Survived => println!("{arch}: the suite passes with the kernels as they are"),
                end => return Err(format!("{arch}: the kernels as they are: {end:?}").into()),
            }
        }
        Ok(())
    }

    /// The first places of a seed that compile, each with its end.
    fn seed(&self, seed: u64, count: usize) -> Outcome<Vec<(Site, End)>> {
        let drawn = draw(&self.files, seed);
        let (next, good) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let found: Mutex<BTreeMap<usize, Result<End, String>>> = Mutex::default();
        std::thread::scope(|s| {
            for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get().min(8)) {
                s.spawn(|| {
                    while good.load(Relaxed) < count {
                        let i = next.fetch_add(1, Relaxed);
                        let Some(site) = drawn.get(i) else { return };
                        let end = self.one(seed, i, site).map_err(|e| e.to_string());
                        if !matches!(end, Ok(End::Stillborn)) {
                            good.fetch_add(1, Relaxed);
                        }
                        println!("{seed}/{i} {}:{} {}: {end:?}", site.file, site.line + 1, site.operator);
                        found.lock().unwrap_or_else(|e| e.into_inner()).insert(i, end);
                    }
                });
            }
        });
        let mut all = Vec::new();
        for (i, end) in found.into_inner().unwrap_or_else(|e| e.into_inner()) {
            match end? {
                End::Stillborn => {}
                end => all.push((drawn[i].clone(), end)),
            }
        }
        all.truncate(count);
        Ok(all)
    }

    fn one(&self, seed: u64, number: usize, site: &Site) -> Outcome<End> {
        let to = self.folder.join(format!("drawn-{seed}-{number}"));
        std::fs::create_dir_all(&to)?;
        for (file, text) in &self.files {
            let mut lines: Vec<&str> = text.lines().collect();
            if *file == site.file {
                lines[site.line] = &site.after;
            }
            tree::write(&to.join(file), &(lines.join("\n") + "\n"))?;
        }
        for arch in ARCHS {
            match self.suite(&to, arch)? {
                End::Survived => {}
                end => return Ok(end),
            }
        }
        Ok(End::Survived)
    }

    /// The suite on kernels of a folder, in a process of its own.
    fn suite(&self, sources: &Path, arch: &str) -> Outcome<End> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["mutants", "--judge"])
            .current_dir(&self.root)
            .env("RUSHLIGHT_KERNEL_SOURCES", sources)
            .env("RUSHLIGHT_ROCM_PATH", tree::target().join("vgpu/hip7"))
            .env("RUSHLIGHT_CACHE_DIR", tree::target().join("kernels"))
            .env("RUSHLIGHT_VGPU_ARCH", arch)
            .env("RUSHLIGHT_VGPU_THREADS", "1")
            // In a slab a wrong access hits a neighbour, which the virtual GPU does not see.
            .envs([("RUSHLIGHT_GPU_POOL", "exact"), ("RUSHLIGHT_GPU_GUARD", "1")])
            .envs([("RUSHLIGHT_BLAS", "native"), ("RUSHLIGHT_CONV", "native")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let (tell, told) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            use std::io::BufRead;
            for line in std::io::BufReader::new(out).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        let start = Instant::now();
        let mut last = String::new();
        let (mut hung, mut late) = (false, false);
        while !hung && !late {
            match told.recv_timeout(HANG) {
                Ok(line) => last = line,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => hung = true,
            }
            late = start.elapsed() > LIMIT;
        }
        if hung || late {
            child.kill()?;
        }
        let status = child.wait()?;
        drop(told);
        reader.join().map_err(|_| "the reader failed")?;
        Ok(match status.code() {
            Some(0) => End::Survived,
            Some(3) => End::Stillborn,
            // Nothing was found in the suite's default time.
            _ if late => End::Survived,
            _ if hung => End::Caught(format!("TIMEOUT after case {last}")),
            Some(1) => End::Caught(format!("{arch} {last}")),
            _ => End::Caught(format!("{arch} CRASH ({status}) after case {last}")),
        })
    }
}
