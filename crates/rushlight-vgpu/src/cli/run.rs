//! `run` and `trace`: run a kernel of a code object with arguments from the command line.
use super::args::{After, pack, write};
use super::options::{Options, dim};
use super::{Outcome, Stop, no_kernel, object, read, refused};
use crate::device::gpu::{Gpu, check_launch, gpu};
use crate::device::launch::Job;
use crate::device::memory::Kind;
use crate::device::module::{self, AMDGPU, Kernel, Module, load_machine};
use crate::device::startup;
use crate::engine::isa::trace::Tracer;
use crate::engine::types::Dim;
use crate::support::{config, elf};
use std::io::Write;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Arc, MutexGuard};

/// Bytes of a buffer that are printed.
const SHOWN: usize = 256;

/// The default number of instructions that `trace` prints.
const LIMIT: u64 = 10_000;

/// Returns the virtual GPU for a code object.
pub(super) fn device(
    path: &str,
    arch: &str,
    wave: u32,
    more: impl IntoIterator<Item = (&'static str, String)>,
) -> Outcome<MutexGuard<'static, Gpu>> {
    if crate::support::arch::find(arch, true).is_some() {
        config::set_cuda();
    } else if crate::support::arch::find(arch, false).is_none() {
        return refused(format!("{path} is for {arch}, which the virtual GPU does not support"));
    }
    let none = String::new();
    let own =
        [("ARCH", arch.into()), ("WAVE", wave.to_string()), ("ENGINE", none.clone()), ("DEVICES", none)];
    config::preset(own.into_iter().chain(more).collect());
    if let Some(why) = startup::problem() {
        return refused(why);
    }
    gpu().or_else(|code| refused(crate::support::error::text(code).to_string_lossy()))
}

/// Loads a module, AMD machine code at an address if one is given.
pub(super) fn load(path: &str, image: &[u8], at: Option<usize>, gpu: &mut Gpu) -> Outcome<Module> {
    let c = config::get();
    let module = match elf::machine(image) {
        Some(AMDGPU) => load_machine(image, 0, c.arch.name, c.wave, at),
        _ => module::load(image, 0, c.arch.name, c.wave),
    };
    let module = module.or_else(|(why, _)| refused(format!("{path} cannot be loaded: {why}")))?;
    for v in module.variables.values() {
        let adopted = gpu.memory.adopt(v.at, v.size, Kind::Global, 0, 0);
        adopted.or_else(|_| refused(format!("{path} cannot be loaded: its variables overlap")))?;
    }
    Ok(module)
}

/// A checked launch of a kernel.
struct Launch {
    kernel: Arc<Kernel>,
    job: Job,
    buffers: Vec<super::args::Buffer>,
    /// Keeps the code loaded.
    _module: Module,
}

/// Rejects launches that no GPU can run.
pub(super) fn launchable(name: &str, kernel: &Kernel, grid: Dim, block: Dim, lds: usize) -> Outcome {
    if check_launch(kernel, grid, block, lds).is_ok() {
        return Ok(());
    }
    let room = config::get().arch.lds.saturating_sub(kernel.lds);
    refused(format!(
        "a grid of {grid} blocks of {block} threads with {lds} bytes of dynamic LDS cannot be launched: kernel \
         `{name}` takes grids of 1 to {},65535,65535 blocks and less than 2^32 threads a side, blocks of 1 to {} \
         threads and up to {room} bytes",
        i32::MAX,
        kernel.max_threads
    ))
}

fn prepare(options: &Options) -> Outcome<(Launch, MutexGuard<'static, Gpu>)> {
    let (path, name) = (options.word(0, "FILE.co")?, options.word(1, "KERNEL")?);
    let (grid, block) = (options.dim("--grid")?, options.dim("--block")?);
    let lds = options.number("--lds", Some(0))?.unwrap_or(0) as usize;
    let image = read(Path::new(path))?;
    let object = object(path, &image)?;
    let (wave, kernels) = object.kernels();
    if !kernels.contains(&name) {
        return refused(no_kernel(path, name, &kernels));
    }
    let mut gpu = device(path, object.processor(), wave, [])?;
    let module = load(path, &image, None, &mut gpu)?;
    let Some(kernel) = module.kernels.get(name).cloned() else {
        return refused(no_kernel(path, name, &kernels));
    };
    launchable(name, &kernel, grid, block, lds)?;
    let (packed, buffers) = pack(name, &kernel.sizes, options.all("--arg"), &mut gpu)?;
    let job = Job::new(&kernel, &packed, grid, block, lds);
    Ok((Launch { kernel, job, buffers, _module: module }, gpu))
}

/// Runs a kernel and prints what one of its waves executes.
pub(super) fn trace(options: &Options, out: &mut dyn Write) -> Outcome {
    let (mut launch, gpu) = prepare(options)?;
    let (grid, block, wave) = (launch.job.host.grid, launch.job.host.block, launch.job.host.wave as u64);
    let at = match options.all("--at").next() {
        Some(text) => dim("--at", text, 0)?,
        None => Dim::default(),
    };
    if at.x >= grid.x || at.y >= grid.y || at.z >= grid.z {
        return refused(format!("--at: the grid {grid} has no block {at}"));
    }
    let number = |name: &str, count: u64, what: &str| match options.number(name, None)? {
        Some(n) if n >= count => {
            refused(format!("{name} {n}: expected less than {count}, the number of {what}"))
        }
        n => Ok(n.map(|n| n as usize)),
    };
    let chosen = number("--wave", block.count().div_ceil(wave), "waves in a block")?.unwrap_or(0);
    let lane = number("--lane", wave, "lanes in a wave")?;
    let limit = options.number("--limit", Some(LIMIT))?.unwrap_or(LIMIT);
    let Some(machine) = &mut launch.job.machine else { return refused("only machine code can be traced") };
    out.flush()?;
    // Not through `out`, because the thread that runs the block writes it.
    let stdout = std::fs::File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let sink = Box::new(std::io::BufWriter::new(stdout));
    let tracer = Arc::new(Tracer::new(at, chosen, lane, limit, sink));
    machine.tracer = Some(tracer.clone());
    let done = execute(launch, gpu, &mut std::io::sink());
    let (printed, full, failed) = tracer.end();
    if let Some(e) = failed {
        return Err(e.into());
    }
    match full {
        true => Ok(writeln!(out, "  .. stopped after {printed} instructions (--limit)")?),
        false => done,
    }
}

/// Runs a kernel and writes its buffers.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Outcome {
    let (launch, gpu) = prepare(options)?;
    execute(launch, gpu, out)
}

/// Runs a kernel. A panic of the engine is reported once, like any failure.
pub(super) fn attempt(gpu: &mut Gpu, kernel: &Kernel, job: Job) -> Result<(), String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = gpu.attempt(kernel, job, 0);
    std::panic::set_hook(hook);
    done.map_err(|(why, _)| why)
}

fn execute(launch: Launch, mut gpu: MutexGuard<'static, Gpu>, out: &mut dyn Write) -> Outcome {
    attempt(&mut gpu, &launch.kernel, launch.job).map_err(Stop::Failed)?;
    for b in &launch.buffers {
        match &b.after {
            After::Nothing => {}
            After::File(path) => write(path, b.contents())?,
            After::Shown => {
                writeln!(out, "{} at {:#x}", b.text, b.at)?;
                show(b.contents(), out)?;
            }
        }
    }
    Ok(())
}

/// Prints 32-bit words, and their values as f32.
fn show(bytes: &[u8], out: &mut dyn Write) -> std::io::Result<()> {
    for (n, line) in bytes[..bytes.len().min(SHOWN)].chunks(16).enumerate() {
        write!(out, "  {:#06x} ", n * 16)?;
        for word in line.chunks(4) {
            let digits: String = word.iter().rev().map(|b| format!("{b:02x}")).collect();
            write!(out, " {digits:>8}")?;
        }
        write!(out, "{}  ", " ".repeat(9 * (4 - line.len().div_ceil(4))))?;
        for word in line.chunks_exact(4) {
            write!(out, " {:?}", f32::from_le_bytes([word[0], word[1], word[2], word[3]]))?;
        }
        writeln!(out)?;
    }
    match bytes.len().checked_sub(SHOWN) {
        Some(n) if n > 0 => writeln!(out, "  .. and {n} bytes more: out:BYTES:FILE writes all to a file"),
        _ => Ok(()),
    }
}
