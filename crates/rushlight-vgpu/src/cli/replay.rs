//! `replay`: repeats a recorded launch and compares the contents of every allocation afterwards.
use super::options::Options;
use super::run::{attempt, device, launchable, load};
use super::{Outcome, Stop, read, refused};
use crate::device::gpu::Gpu;
use crate::device::launch::Job;
use crate::device::memory::Kind;
use crate::device::module::Module;
use crate::device::record::{FORMAT, VERSION};
use crate::engine::types::Dim;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Bytes compared at a time, and the most allocations whose differences are printed.
const CHUNK: usize = 1 << 20;
const SHOWN: usize = 20;

/// An allocation of a recorded launch.
struct Allocation {
    at: usize,
    size: usize,
    kind: String,
    number: u64,
    name: Option<String>,
    before: PathBuf,
    after: PathBuf,
}

/// A recorded launch.
struct Recorded {
    arch: String,
    wave: u32,
    code: PathBuf,
    kernel: String,
    grid: Dim,
    block: Dim,
    lds: usize,
    kernarg: Vec<u8>,
    /// The recorded settings.
    order: String,
    strict: bool,
    failure: Option<String>,
    allocations: Vec<Allocation>,
}

/// Returns a file of the folder, without a path elsewhere.
fn file(dir: &Path, name: &Value) -> Option<PathBuf> {
    let name = name.as_str().filter(|n| !n.is_empty() && !n.contains('/') && *n != "..")?;
    Some(dir.join(name))
}

fn dim(v: &Value) -> Option<Dim> {
    let n = |i: usize| v.get(i)?.as_u64().and_then(|n| u32::try_from(n).ok());
    (v.as_array()?.len() == 3).then_some(Dim { x: n(0)?, y: n(1)?, z: n(2)? })
}

/// Parses a number, or a text with 0x, because some JSON readers cannot hold 64 bits.
fn address(v: &Value) -> Option<usize> {
    match v {
        Value::String(text) => usize::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
        _ => v.as_u64().and_then(|n| usize::try_from(n).ok()),
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16);
    text.len().is_multiple_of(2).then_some(())?;
    text.as_bytes().chunks_exact(2).map(|p| Some((digit(p[0])? << 4 | digit(p[1])?) as u8)).collect()
}

impl Recorded {
    /// Adds the file of the record to an error.
    fn at(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Refused(why) => {
                Stop::Refused(format!("{}: {why}", self.code.with_file_name("launch.json").display()))
            }
            other => other,
        }
    }
}

impl Allocation {
    fn parse(dir: &Path, v: &Value) -> Option<Allocation> {
        Some(Allocation {
            at: address(&v["address"])?,
            size: usize::try_from(v["size"].as_u64()?).ok()?,
            kind: v["kind"].as_str()?.into(),
            number: v["number"].as_u64().unwrap_or(0),
            name: v["name"].as_str().map(str::to_string),
            before: file(dir, &v["before"])?,
            after: file(dir, &v["after"])?,
        })
    }

    /// Returns its name in a sentence.
    fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("variable `{name}` ({} bytes)", self.size),
            None => format!("{} at {:#x} ({} bytes)", self.kind, self.at, self.size),
        }
    }
}

fn parse(dir: &Path) -> Outcome<Recorded> {
    let path = dir.join("launch.json");
    let v: Value = match serde_json::from_slice(&read(&path)?) {
        Ok(v) => v,
        Err(e) => return refused(format!("{} is not valid JSON: {e}", path.display())),
    };
    if v["format"] != FORMAT || v["version"] != VERSION {
        return refused(format!("{} is not a `{FORMAT}` of version {VERSION}", path.display()));
    }
    let wrong = |what: &str| Stop::Refused(format!("{}: `{what}` is missing or invalid", path.display()));
    let text = |key: &str| v[key].as_str().map(str::to_string).ok_or(wrong(key));
    let number = |key: &str| v[key].as_u64().ok_or(wrong(key));
    let allocations = v["allocations"].as_array().ok_or(wrong("allocations"))?;
    let allocations = allocations.iter().enumerate();
    Ok(Recorded {
        arch: text("arch")?,
        wave: number("wave")? as u32,
        code: file(dir, &v["code"]).ok_or(wrong("code"))?,
        kernel: text("kernel")?,
        grid: dim(&v["grid"]).ok_or(wrong("grid"))?,
        block: dim(&v["block"]).ok_or(wrong("block"))?,
        lds: number("dynamic_lds")? as usize,
        kernarg: hex(&text("kernarg")?).ok_or(wrong("kernarg"))?,
        order: v["order"].as_str().unwrap_or("forward").into(),
        strict: v["strict"].as_bool().unwrap_or(false),
        failure: v["failure"].as_str().map(str::to_string),
        allocations: allocations
            .map(|(n, a)| Allocation::parse(dir, a).ok_or(wrong(&format!("allocations[{n}]"))))
            .collect::<Outcome<_>>()?,
    })
}

/// An allocation, and its address in this process.
struct Placed<'a> {
    from: &'a Allocation,
    at: usize,
}

impl Placed<'_> {
    fn bytes(&self) -> &[u8] {
        // SAFETY: memory of this size that was mapped for it; no kernel runs while it is borrowed.
        unsafe { std::slice::from_raw_parts(self.at.max(1) as *const u8, self.from.size) }
    }

    fn fill(&self) -> Outcome {
        let mut file = open(&self.from.before, self.from.size)?;
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.at.max(1) as *mut u8, self.from.size) };
        file.read_exact(bytes).or_else(|e| unreadable(&self.from.before, e))
    }
}

fn unreadable<T>(path: &Path, e: std::io::Error) -> Outcome<T> {
    refused(format!("{} cannot be read: {e}", path.display()))
}

/// Opens the file of an allocation and checks its size.
fn open(path: &Path, size: usize) -> Outcome<File> {
    let opened = File::open(path).and_then(|f| Ok((f.metadata()?.len(), f)));
    match opened {
        Ok((len, file)) if len == size as u64 => Ok(file),
        Ok((len, _)) => refused(format!("{} has {len} bytes, launch.json says {size}", path.display())),
        Err(e) => unreadable(path, e),
    }
}

/// Restores code and memory at their recorded addresses.
fn restore<'a>(r: &'a Recorded, gpu: &mut Gpu) -> Outcome<(Module, Vec<Placed<'a>>)> {
    let path = r.code.display().to_string();
    let own = |a: &&Allocation| a.kind == "image" || a.name.is_some();
    let mut blocks = Vec::new();
    for a in &r.allocations {
        for file in [&a.before, &a.after] {
            open(file, a.size)?;
        }
        if !own(&a) {
            let Some(kind) = Kind::of(&a.kind) else {
                return Err(r.at(format!("`{}` is not a kind of allocation", a.kind).into()));
            };
            blocks.push((a.at, a.size, kind, a.number));
        }
    }
    let image = r.allocations.iter().find(|a| a.kind == "image");
    let module = load(&path, &read(&r.code)?, image.map(|a| a.at), gpu)?;
    gpu.memory.restore(&blocks)?;
    let mut placed = Vec::new();
    for a in &r.allocations {
        let variable = a.name.as_ref().map(|n| module.variables.get(n));
        let at = match variable {
            None => a.at,
            Some(Some(v)) if v.size == a.size => v.at,
            Some(_) => return refused(format!("{path} has no {}", a.title())),
        };
        let whole = module.image.is_some_and(|(from, to)| to - from == a.size && from == a.at);
        if a.kind == "image" && !whole {
            return refused(format!(
                "the image of {path} does not have the {} bytes and the address in launch.json",
                a.size
            ));
        }
        let p = Placed { from: a, at };
        p.fill()?;
        placed.push(p);
    }
    Ok((module, placed))
}

/// Returns the recorded launch.
fn job(r: &Recorded, module: &Module) -> Outcome<(std::sync::Arc<crate::device::module::Kernel>, Job)> {
    let path = r.code.display().to_string();
    let Some(kernel) = module.kernels.get(&r.kernel).cloned() else {
        let names: Vec<&str> = module.kernels.keys().map(String::as_str).collect();
        return refused(super::no_kernel(&path, &r.kernel, &names));
    };
    launchable(&r.kernel, &kernel, r.grid, r.block, r.lds).map_err(|e| r.at(e))?;
    let explicit = crate::device::module::offsets(&kernel.sizes).1;
    let wrong = |takes: usize| {
        r.at(format!("kernarg has {} bytes, the kernel takes {takes}", r.kernarg.len()).into())
    };
    let packed = r.kernarg.get(..explicit).ok_or(wrong(explicit))?;
    let mut job = Job::new(&kernel, packed, r.grid, r.block, r.lds);
    if let Some(grid) = &mut job.machine {
        let all = grid.arguments_mut();
        if all.len() != r.kernarg.len() {
            return Err(wrong(all.len()));
        }
        all.copy_from_slice(&r.kernarg);
    }
    Ok((kernel, job))
}

/// Returns the number of bytes that differ from a file, and the offset of the first.
fn differences(p: &Placed<'_>) -> Outcome<(usize, usize)> {
    let mut file = open(&p.from.after, p.from.size)?;
    let (mut count, mut first) = (0, 0);
    let mut read = vec![0; CHUNK.min(p.from.size)];
    for (n, chunk) in p.bytes().chunks(CHUNK).enumerate() {
        let read = &mut read[..chunk.len()];
        file.read_exact(read).or_else(|e| unreadable(&p.from.after, e))?;
        for (i, _) in chunk.iter().zip(read.iter()).enumerate().filter(|(_, (a, b))| a != b) {
            if count == 0 {
                first = n * CHUNK + i;
            }
            count += 1;
        }
    }
    Ok((count, first))
}

/// Returns the word that contains an offset, in hexadecimal.
fn word(bytes: &[u8], at: usize) -> String {
    let from = at - at % 4;
    let digits: Vec<String> = bytes.iter().skip(from).take(4).map(|b| format!("{b:02x}")).collect();
    digits.join(" ")
}

/// Repeats a launch, or all launches of a folder.
pub(super) fn replay(options: &Options, out: &mut dyn Write) -> Outcome {
    let dir = Path::new(options.word(0, "DIR")?);
    if dir.join("launch.json").exists() {
        return one(dir, out);
    }
    let list = std::fs::read_dir(dir).or_else(|e| unreadable(dir, e))?;
    let mut folders: Vec<PathBuf> = list.filter_map(|e| Some(e.ok()?.path())).collect();
    folders.retain(|f| f.is_dir());
    folders.sort();
    let (folders, cut): (Vec<_>, Vec<_>) = folders.into_iter().partition(|f| f.join("launch.json").exists());
    if folders.is_empty() {
        return refused(format!("neither {} nor a folder in it has a launch.json", dir.display()));
    }
    for folder in cut {
        writeln!(out, "{}: skipped, it has no launch.json", folder.display())?;
    }
    each(&folders, out)
}

/// Repeats each in a separate process, because its memory must be at the recorded addresses.
fn each(folders: &[PathBuf], out: &mut dyn Write) -> Outcome {
    let (mut wrong, mut impossible) = (Vec::new(), Vec::new());
    for folder in folders {
        out.flush()?;
        // SAFETY: no other thread of ours runs yet; the child ends here.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let status = super::command(["replay".into(), folder.clone().into_os_string()]);
            // SAFETY: its output is written; what the parent has to clean up is not the child's.
            unsafe { libc::_exit(status.into()) };
        }
        let mut status = 0;
        // SAFETY: a child of ours, or -1, for which there is nothing to wait.
        if child < 0 || unsafe { libc::waitpid(child, &mut status, 0) } != child {
            return refused(format!("cannot start a process: {}", std::io::Error::last_os_error()));
        }
        let asked_wrongly = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 2;
        if status != 0 {
            if asked_wrongly { &mut impossible } else { &mut wrong }.push(folder.display().to_string());
        }
    }
    let list = |mut names: Vec<String>| {
        let more = names.len().saturating_sub(SHOWN);
        names.truncate(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("of {} launches: {}{more}", folders.len(), names.join(", "))
    };
    match (wrong.is_empty(), impossible.is_empty()) {
        (true, true) => Ok(writeln!(out, "launches repeated: {}, all as recorded", folders.len())?),
        (true, false) => refused(format!("cannot be repeated, {}", list(impossible))),
        (false, true) => Err(Stop::Failed(format!("not as recorded, {}", list(wrong)))),
        (false, false) => {
            let both = format!("not as recorded, {}; cannot be repeated, {}", list(wrong), list(impossible));
            Err(Stop::Failed(both))
        }
    }
}

fn one(dir: &Path, out: &mut dyn Write) -> Outcome {
    let r = parse(dir)?;
    let settings = [("ORDER", r.order.clone()), ("STRICT", u32::from(r.strict).to_string())];
    // Settings of the environment override the recorded ones.
    let settings = settings.into_iter().filter(|s| crate::support::config::variable(s.0).is_none());
    let mut gpu = device(&r.code.display().to_string(), &r.arch, r.wave, settings)?;
    let (module, placed) = restore(&r, &mut gpu)?;
    let (kernel, job) = job(&r, &module)?;
    let title = format!("{}: kernel `{}`, grid {} of {}", dir.display(), r.kernel, r.grid, r.block);
    let key = gpu.handle();
    gpu.modules.insert(key, module);
    match (attempt(&mut gpu, &kernel, job), &r.failure) {
        (Ok(()), None) => {}
        (Err(why), Some(then)) => {
            writeln!(out, "{title}: fails as recorded")?;
            if why != *then {
                writeln!(out, "  now:  {why}\n  then: {then}")?;
            }
            return Ok(());
        }
        (Ok(()), Some(then)) => {
            return Err(Stop::Failed(format!("{title}: succeeds, but failed when it was recorded: {then}")));
        }
        (Err(why), None) => {
            return Err(Stop::Failed(format!("{title}: fails, but succeeded when it was recorded: {why}")));
        }
    }
    let mut wrong = 0;
    for p in &placed {
        let (count, first) = differences(p)?;
        if count == 0 {
            continue;
        }
        wrong += 1;
        if wrong <= SHOWN {
            let then = read(&p.from.after)?;
            writeln!(
                out,
                "{}: {count} bytes differ, first byte {first}: word {} here, {} in {}",
                p.from.title(),
                word(p.bytes(), first),
                word(&then, first),
                p.from.after.display()
            )?;
        }
    }
    if wrong > 0 {
        let all = placed.len();
        return Err(Stop::Failed(format!("{title}: {wrong} of {all} allocations differ from the record")));
    }
    let bytes: usize = placed.iter().map(|p| p.from.size).sum();
    Ok(writeln!(out, "{title}: {} allocations of {bytes} bytes are as recorded", placed.len())?)
}
