//! Compiles HIP source for this machine with clang.
use super::amdgpu;
use super::compiler::{self, Compiler};
use super::rewrite::{Found, rewrite};
use super::step::{Options, Source, Step, run, write, write_source};
use crate::device::module::NOTE;
use crate::device::startup;
use crate::engine::host::fiber::STACK;
use crate::support::arch;
use crate::support::config;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const PRELUDE: [&str; 4] = [
    include_str!("../../../prelude/language.h"),
    include_str!("../../../prelude/atomics.h"),
    include_str!("../../../prelude/math.h"),
    include_str!("../../../prelude/vectors.h"),
];

/// Separates the options of the target, which are handled here, from those that are passed to clang.
fn options(given: &[String]) -> Result<Options, String> {
    let c = config::get();
    let mut o = Options { arch: c.arch, wave: c.wave, clang: Vec::new() };
    let mut archs = Vec::new();
    let mut rest = given.iter().map(|s| s.trim()).filter(|s| !s.is_empty());
    while let Some(option) = rest.next() {
        if let Some(arch) =
            option.strip_prefix("--offload-arch=").or_else(|| option.strip_prefix("--gpu-architecture="))
        {
            archs.push(arch.to_string());
        } else if option == "-mwavefrontsize64" {
            o.wave = 64;
        } else if option == "-mno-wavefrontsize64" {
            o.wave = 32;
        } else if option == "-fgpu-rdc" {
            return Err("error: -fgpu-rdc: the virtual GPU cannot link bitcode\n".into());
        } else if ["-D", "-I", "-U", "-include"].contains(&option) {
            o.clang.push(option.into());
            o.clang.extend(rest.next().map(str::to_string));
        } else if !amd_only(option) {
            o.clang.push(option.into());
        }
    }
    match &archs[..] {
        [] => {}
        [id] => {
            o.arch = arch::find(id, config::cuda()).ok_or(format!("error: invalid target ID '{id}'\n"))?;
            // Another target than the device's implies that target's wave size.
            if o.arch.name != c.arch.name {
                o.wave = o.arch.wave;
            }
        }
        // As in the real compiler: an error without a message.
        _ => return Err(String::new()),
    }
    Ok(o)
}

/// Returns whether an option applies only to AMD's targets.
fn amd_only(option: &str) -> bool {
    let names = [
        "-munsafe-fp-atomics",
        "-mno-unsafe-fp-atomics",
        "-mcumode",
        "-mno-cumode",
        "-mtgsplit",
        "-x",
        "-nogpulib",
    ];
    let starts = [
        "-mcode-object-version=",
        "-mno-tgsplit",
        "--hip-version",
        "--rocm-path",
        "--amdgpu",
        "-famdgpu",
        "--gpu-max",
    ];
    names.contains(&option)
        || starts.iter().any(|s| option.starts_with(s))
        || ["-nogpuinc", "--hiprtc-no-builtin-header", "-fcuda-flush-denormals-to-zero"].contains(&option)
}

/// A folder that is removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> std::io::Result<Scratch> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let time =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let name = format!("rushlight-vgpu-{}-{n}-{time:x}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir(&dir)?;
        Ok(Scratch(dir))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A failure leaves files in the folder of temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a program; returns the image and the log, or only the log.
pub(crate) fn compile(source: &Source, given: &[String]) -> Result<(Vec<u8>, String), String> {
    if config::get().faults.compile_fail {
        return Err("error: compilation fails on request (RUSHLIGHT_VGPU_FAULT=compile_fail)\n".into());
    }
    // Prints an invalid setting, also in a program that never asks for a device.
    startup::problem();
    let o = options(given)?;
    let amd = config::get().isa.then(compiler::hiprtc).flatten();
    let scratch = Scratch::new().map_err(|e| format!("error: no folder for temporary files: {e}\n"))?;
    let dir = &scratch.0;
    let mut log = String::new();
    let made = match (amd, config::get().isa) {
        (Some(program), _) => amdgpu::by_hiprtc(source, &o, &program, dir, &mut log),
        (None, true) => amdgpu::steps(source, &o, &compiler::find()?, dir, &mut log),
        (None, false) => steps(source, &o, &compiler::find()?, dir, &mut log),
    };
    let image = made.map_err(|e| match e {
        Some(why) => format!("{log}{why}"),
        None => std::mem::take(&mut log),
    });
    // Paths of the temporary folder are removed from the log.
    let shown = format!("{}/", dir.display());
    image.map(|i| (i, log.replace(&shown, ""))).map_err(|e| e.replace(&shown, ""))
}

fn steps(source: &Source, o: &Options, cxx: &Compiler, dir: &Path, log: &mut String) -> Step<Vec<u8>> {
    write(dir, "rlv_prelude.h", &PRELUDE.concat())?;
    let name = write_source(source, dir)?;

    // 1. Preprocess, with HIP's names as macros.
    let mut args: Vec<String> =
        ["-E", "-x", "c++", "-nostdlibinc", "-include", "rlv_prelude.h", "-I."].map(String::from).into();
    args.extend(macros(o));
    let (given, defines) = split_defines(&o.clang);
    write(dir, "rlv_given.h", &defines)?;
    args.extend(["-include", "rlv_given.h"].map(String::from));
    args.extend(given);
    args.extend([name, "-o".into(), "rlv.i".into()]);
    run(cxx, &args, dir, log)?;
    let text = std::fs::read_to_string(dir.join("rlv.i")).map_err(|e| Some(format!("error: {e}\n")))?;

    // 2. Rewrite, and append a description of each kernel.
    let rewritten = rewrite(&text, config::cuda()).map_err(|e| Some(format!("error: {e}\n")))?;
    let described = format!("{}\n{}", rewritten.text, describe(&rewritten.kernels, &source.expressions, o));
    write(dir, "rlv.ii", &described)?;

    // 3. Compile and link, without the preprocessor's options.
    let mut args: Vec<String> = FLAGS.iter().map(|s| s.to_string()).collect();
    let avx2 = std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("f16c")
        && std::arch::is_x86_feature_detected!("bmi2");
    args.extend(cxx.machine(avx2));
    if config::get().sanitize {
        // A trap needs no sanitizer library; the report names kernel, block and thread.
        let all = [
            "-fsanitize=undefined,float-cast-overflow",
            "-fno-sanitize=vptr,function",
            "-fsanitize-trap=all",
        ];
        args.extend(all.map(String::from));
    }
    if config::get().address {
        args.extend(ASAN.iter().map(|s| s.to_string()));
    }
    let mut skip = false;
    for option in &o.clang {
        let preprocessing = ["-D", "-I", "-U", "-include"];
        if skip || preprocessing.iter().any(|p| option.starts_with(p)) {
            skip = !skip && preprocessing.contains(&option.as_str());
            continue;
        }
        args.push(option.clone());
    }
    // Zig does not support "c++-cpp-output"; preprocessing the text again does not change it.
    args.extend(["-x", "c++", "rlv.ii", "-lm", "-lc", "-o", "rlv.so"].map(String::from));
    run(cxx, &args, dir, log)?;
    std::fs::read(dir.join("rlv.so")).map_err(|e| Some(format!("error: {e}\n")))
}

/// f16 and bf16 round after each operation, as on the GPU. Code keeps the order of the source, because the lower
/// address decides which part of a diverged wave runs first.
const FLAGS: &[&str] = &[
    "-O2",
    "-fPIC",
    "-shared",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-Xclang",
    "-ffloat16-excess-precision=none",
    "-Xclang",
    "-fbfloat16-excess-precision=none",
    "-mllvm",
    "-disable-block-placement",
    "-fno-strict-aliasing",
    // Large frames touch each page, so that an overflow hits the guard page.
    "-fstack-clash-protection",
    "-fvisibility=default",
    "-Wno-unknown-attributes",
    "-Wno-ignored-attributes",
    "-Wno-unused-command-line-argument",
    "-nostartfiles",
    "-Wl,-z,defs",
];

/// Locals stay on the fibers' own stacks, and variables of modules keep their sizes.
const ASAN: &[&str] = &[
    "-fsanitize=address",
    "-shared-libasan",
    "-fsanitize-address-use-after-return=never",
    "-mllvm",
    "-asan-globals=0",
];

fn macros(o: &Options) -> Vec<String> {
    let mut all = vec![format!("-D__RLV_STACK__={STACK}ul"), format!("-D__HIP_VGPU_WAVE__={}", o.wave)];
    if config::cuda() {
        all.push(format!("-D__CUDA_ARCH__={}0", o.arch.number()));
        all.extend(["RLV_CUDA__", "CUDACC_RTC__", "CUDACC__"].map(|name| format!("-D__{name}=1")));
        return all;
    }
    all.push(format!("-D__HIP_VGPU_ARCH__=\"{}\"", o.arch.name));
    for name in
        ["HIP_VGPU_HOST__", "HIPCC_RTC__", "HIPCC__", "HIP__", "HIP_PLATFORM_AMD__", "HIP_DEVICE_COMPILE__"]
    {
        all.push(format!("-D__{name}=1"));
    }
    all.push(format!("-DHIP_VERSION_MAJOR={}", config::major()));
    all.extend(o.arch.macros().into_iter().map(|m| format!("-D{m}=1")));
    all
}

/// Splits the program's macro definitions from the other options; they become text that follows the prelude, whose
/// names they must not change.
fn split_defines(options: &[String]) -> (Vec<String>, String) {
    let (mut rest, mut text) = (Vec::new(), String::new());
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let (kind, inline) = option.split_at(option.len().min(2));
        let own = match (kind, inline) {
            ("-D" | "-U", "") => options.next().map_or("", String::as_str),
            ("-D" | "-U", inline) => inline,
            _ => {
                rest.push(option.clone());
                continue;
            }
        };
        let (name, value) = own.split_once('=').unwrap_or((own, "1"));
        text += &if kind == "-D" { format!("#define {name} {value}\n") } else { format!("#undef {name}\n") };
    }
    (rest, text)
}

/// Returns the table of kernels, and the note with the target.
fn describe(kernels: &[Found], expressions: &[String], o: &Options) -> String {
    let mut text = String::from("# 1 \"kernel table\"\n");
    let note = format!("{} {} ", o.arch.name, o.wave);
    text += &format!(
        "__attribute__((section(\"{NOTE}\"), used, retain)) static const char __rlv_note[] = \"{note}\";\n"
    );
    text += "extern \"C\" __attribute__((visibility(\"default\"), used)) const __rlv_record __rlv_kernels[] = {\n";
    let mut add = |name: &str, bounds: &str| {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("__rlv_kernel<decltype(&{name}), &{name}>::record(\"{quoted}\", {bounds}),\n");
    };
    for k in kernels {
        add(&k.name, &format!("(unsigned)({})", k.bounds.as_deref().unwrap_or("1024")));
    }
    for e in expressions {
        if kernels.iter().all(|k| k.name != *e) {
            add(e, "1024");
        }
    }
    text + "{nullptr, nullptr, nullptr, 0, 0, nullptr, nullptr, 0} };\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_macros_follow_the_prelude() {
        let options = ["-DT=float", "-O3", "-D", "N=a b", "-DX", "-UY", "-I", "d"].map(String::from);
        let (rest, text) = split_defines(&options);
        assert_eq!(rest, ["-O3", "-I", "d"]);
        assert_eq!(text, "#define T float\n#define N a b\n#define X 1\n#undef Y\n");
    }
}
