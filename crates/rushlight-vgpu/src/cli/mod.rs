//! The command line: runs, traces, disassembles and repeats kernels of AMD machine code without a host program.
mod args;
mod options;
mod replay;
mod run;

use crate::engine::isa::Disassembler;
use options::Options;
use std::ffi::{CStr, OsString, c_char, c_int};
use std::io::Write;
use std::path::Path;

const HELP: &str = "\
rushlight-vgpu: runs AMD machine code on the CPU

  rushlight-vgpu run FILE.co KERNEL --grid X[,Y,Z] --block X[,Y,Z] [--lds BYTES] [--arg ARGUMENT]..
  rushlight-vgpu trace FILE.co KERNEL (as run) [--at X[,Y,Z]] [--wave N] [--lane N] [--limit N]
  rushlight-vgpu disasm FILE.co [KERNEL]
  rushlight-vgpu replay DIR

FILE.co is a code object, which clang makes from HIP sources with
  clang++-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx1100 ..
for RDNA3 (gfx1100 and similar targets), gfx90a or gfx942. Grids are given in blocks, blocks in threads.

run runs a kernel, with one --arg for each of its arguments, in order:
  u8: i8: u16: i16: u32: i32: u64: i64:NUMBER     an integer, decimal or with 0x
  f16: bf16: f32: f64:NUMBER                      a number
  hex:0011..                                      raw bytes
  in:FILE                                         a buffer with the contents of a file
  out:BYTES[:FILE]                                a buffer that is written to a file afterwards, or printed; initially NaNs
  inout:FILE[:FILE]                               a buffer with the contents of a file, written back to it or to the second file
  zero:BYTES                                      a buffer of zeros that is not printed
  '{u32:5,out:4096:x.bin,..}'                     a struct of these, each at its natural alignment
BYTES may end in K, M or G. --lds is dynamic LDS.

trace runs a kernel and prints each instruction of one wave (0) of one block (0,0,0): address, text, and the registers that it
changed, for one lane or for all. It stops after 10000 instructions, or after --limit.

disasm prints the instructions of a kernel, or of all kernels, with their addresses.

replay repeats a launch that any program recorded with RUSHLIGHT_VGPU_RECORD=DIR, or all launches of such a folder, and compares
the contents of every allocation afterwards, byte by byte. (A launch of the host engine is native code: replay only records
that you trust.)

The settings of the virtual GPU apply here too: RUSHLIGHT_VGPU_RACES=1, _FRESH=1, _ORDER=seed:N, _COUNT=1, _BUDGET=N, ..
Exit status: 0 for success; 1 if the kernel failed or a launch differs from its record; 2 if the command is invalid or
impossible.
";

/// The reason why a command ends early.
enum Stop {
    /// The command is invalid or impossible.
    Refused(String),
    /// The kernel failed.
    Failed(String),
    /// The reader of the output has closed it.
    Unread,
}

type Outcome<T = ()> = Result<T, Stop>;

fn refused<T>(why: impl Into<String>) -> Outcome<T> {
    Err(Stop::Refused(why.into()))
}

impl From<String> for Stop {
    fn from(why: String) -> Stop {
        Stop::Refused(why)
    }
}

impl From<std::io::Error> for Stop {
    fn from(e: std::io::Error) -> Stop {
        match e.kind() {
            std::io::ErrorKind::BrokenPipe => Stop::Unread,
            _ => Stop::Refused(format!("the output cannot be written: {e}")),
        }
    }
}

/// Runs a command line (without the program's name), as the program `rushlight-vgpu` does; returns the exit status.
///
/// ```
/// # #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
/// assert_eq!(rushlight_vgpu::cli::command(["--help".into()]), 0);
/// ```
pub fn command(args: impl IntoIterator<Item = OsString>) -> u8 {
    let out = std::io::stdout();
    let mut out = std::io::BufWriter::new(out.lock());
    let done = dispatch(args, &mut out).and_then(|()| Ok(out.flush()?));
    let (why, status) = match done {
        Ok(()) | Err(Stop::Unread) => return 0,
        Err(Stop::Refused(why)) => (why, 2),
        Err(Stop::Failed(why)) => (why, 1),
    };
    let _ = out.flush();
    // Names and paths may contain control characters: the message stays one line.
    eprintln!("rushlight-vgpu: {}", why.replace(|c: char| c.is_control(), " "));
    status
}

fn dispatch(args: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Outcome {
    let mut words = Vec::new();
    for a in args {
        words.push(a.into_string().map_err(|a| format!("`{}` is not UTF-8", a.to_string_lossy()))?);
    }
    let Some((verb, rest)) = words.split_first() else {
        return refused("a command is missing: run, trace, disasm, replay (see --help)");
    };
    if words.iter().any(|w| w == "--help" || w == "-h") || verb == "help" {
        return Ok(out.write_all(HELP.as_bytes())?);
    }
    match verb.as_str() {
        "run" => run::run(&Options::parse(rest, &options::RUN)?, out),
        "trace" => run::trace(&Options::parse(rest, &options::TRACE)?, out),
        "replay" => replay::replay(&Options::parse(rest, &options::REPLAY)?, out),
        "disasm" => disasm(&Options::parse(rest, &options::DISASM)?, out),
        _ => {
            refused(format!("`{verb}` is not a command; expected run, trace, disasm or replay (see --help)"))
        }
    }
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).or_else(|e| refused(format!("{} cannot be read: {e}", path.display())))
}

/// Reads a code object, or returns why a file is not one.
fn object<'a>(path: &str, image: &'a [u8]) -> Outcome<Disassembler<'a>> {
    if image.starts_with(b"__CLANG_OFFLOAD_BUNDLE__") || image.starts_with(b"CCOB") {
        return refused(format!(
            "{path} is a bundle of several targets' code: compile with --no-gpu-bundle-output, or take one out with \
             clang-offload-bundler --unbundle"
        ));
    }
    if !image.starts_with(b"\x7fELF\x02\x01") {
        return refused(format!(
            "{path} is not a code object: it is not a 64-bit ELF file (--help shows how to make one)"
        ));
    }
    match crate::support::elf::machine(image) {
        Some(crate::device::module::AMDGPU) => {}
        Some(n) => {
            return refused(format!(
                "{path} is not an AMDGPU code object but one of ELF machine {n}: pass only the GPU's code \
                 (--help shows how)"
            ));
        }
        None => return refused(format!("{path} is truncated in its header")),
    }
    if let Some(whole) = crate::support::elf::image_len(image).filter(|n| *n > image.len()) {
        return refused(format!("{path} is truncated: it has {} of {whole} bytes", image.len()));
    }
    Disassembler::new(image).or_else(|why| {
        let executed: Vec<&str> = crate::support::arch::all(false)
            .iter()
            .map(|a| a.name)
            .filter(|a| crate::engine::isa::executes(a))
            .collect();
        refused(format!(
            "{path} cannot be read: {why}; supported are complete code objects for {}",
            executed.join(", ")
        ))
    })
}

/// Returns the error for a kernel that a code object does not contain, with the names of its kernels.
fn no_kernel(path: &str, name: &str, kernels: &[&str]) -> String {
    match kernels {
        [] => format!("{path} has no kernels"),
        _ => format!("{path} has no kernel `{name}`; it has: {}", kernels.join(", ")),
    }
}

fn disasm(options: &Options, out: &mut dyn Write) -> Outcome {
    let path = options.word(0, "FILE.co")?;
    let kernel = options.words.get(1).map(String::as_str);
    let image = read(Path::new(path))?;
    let object = object(path, &image)?;
    match object.listing(kernel) {
        Some(text) => Ok(out.write_all(text.as_bytes())?),
        None => refused(no_kernel(path, kernel.unwrap_or_default(), &object.kernels().1)),
    }
}

/// [`command`] for C callers: `argv` has `argc` strings, without the program's name.
///
/// ```
/// # #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
/// assert_eq!(rushlight_vgpu::cli::rushlight_vgpu_command(1, [c"--help".as_ptr()].as_ptr()), 0);
/// ```
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub extern "C" fn rushlight_vgpu_command(argc: c_int, argv: *const *const c_char) -> c_int {
    use std::os::unix::ffi::OsStringExt;
    let text = |i: usize| {
        // SAFETY: the caller's promise: `argc` strings that end in NUL.
        let text = unsafe { CStr::from_ptr(*argv.add(i)) };
        OsString::from_vec(text.to_bytes().to_vec())
    };
    command((0..argc.max(0) as usize).map(text)).into()
}
