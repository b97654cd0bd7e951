//! `kernels --cuda`: compiles the kernels of `hip/` for NVIDIA's targets with NVRTC, to
//! `target/kernels-aot/sm_NN/UNIT_DTYPE.cubin`. No GPU or driver is needed.
use super::check::{block_of, hot};
use super::{compile_all, is_made, made_once, some, third};
use crate::{Outcome, tree};
use rushlight::gpu::{Instance, cuda, headers, instances};
use rushlight_cuda::cubin::{self, Kernel, Memory};
use rushlight_cuda::nvrtc;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::Instant;

/// Targets: Turing to Blackwell.
const TARGETS: [i32; 4] = [75, 80, 90, 100];
/// The target for which `--some` compiles all kernels and `--sample` a third of them. Tests compare launches with its kernels.
const WHOLE: i32 = 80;
/// The number of other targets.
const OTHERS: usize = TARGETS.len() - 1;

/// Bytes of shared memory that a block has on every target. (AMD's compiler lets arrays of separate
/// lifetimes share memory; NVIDIA's adds their sizes.)
const SHARED: u64 = 48 << 10;

/// Bytes of registers that these hot kernels may spill; all other hot kernels may spill none. NVIDIA's assembler limits
/// itself to 32, 48 or 128 registers, so that more warps fit, and spills the rest.
const SPILLS: [(&str, u32); 12] = [
    ("sum", 12),
    ("max", 128),
    ("matmul", 4),
    ("addmm", 24),
    // Variant gather in f16: 52 bytes written and 68 read on sm_80.
    ("conv", 128),
    // Variant large: 136 bytes written and 236 read on sm_80. (Where there is cuDNN, it computes most of them.)
    ("conv_transpose", 384),
    ("conv_weight_grad", 56),
    // Variant wide: 64 registers a thread.
    ("softmax", 64),
    ("softmax_backward", 160),
    ("cross_entropy", 160),
    ("cross_entropy_backward", 320),
    ("max_pool", 4),
];

/// The parsed arguments.
struct Asked {
    targets: Vec<i32>,
    some: bool,
    /// The seed of a sample. It chooses the dtype of each unit for the targets for which only some kernels are compiled.
    seed: Option<usize>,
    jobs: usize,
}

/// One compile.
struct Job<'a> {
    target: i32,
    instance: &'a Instance,
    file: PathBuf,
    key: String,
}

impl<'a> Job<'a> {
    fn new(target: i32, instance: &'a Instance, compiler: (i32, i32)) -> Self {
        let mut h = DefaultHasher::new();
        // The last part of the key names the file kept beside the code.
        (headers(), instance.source, &instance.options, compiler, target, "log").hash(&mut h);
        let folder = tree::target().join(format!("kernels-aot/sm_{target}"));
        let file = folder.join(format!("{}_{}.cubin", instance.unit, instance.name));
        Self { target, instance, file, key: format!("{:016x}", h.finish()) }
    }

    fn name(&self) -> String {
        format!("sm_{} {}_{}", self.target, self.instance.unit, self.instance.name)
    }

    fn compile(&self) -> Outcome<bool> {
        let i = self.instance;
        made_once(&self.file, &self.key, |to| {
            // With `-v` the assembler reports each kernel's stack and spilled registers.
            let target = [format!("--gpu-architecture=sm_{}", self.target), "--ptxas-options=-v".to_string()];
            let name = format!("{}.hip", i.unit);
            let made = cuda::compile(&name, i.source, headers(), &i.options, &target)?;
            std::fs::write(self.log(), made.log)?;
            Ok(std::fs::write(to, made.code)?)
        })
    }

    /// The compiler's output.
    fn log(&self) -> PathBuf {
        self.file.with_extension("log")
    }
}

/// Compiles the requested units, and checks them.
pub fn run(args: &[String]) -> Outcome {
    let asked = asked(args)?;
    for package in ["cuda_nvrtc", "cu13"] {
        rushlight_cuda::search_also(tree::target().join("cuda-packages/nvidia").join(package).join("lib"));
    }
    let help = "`cargo xtask tools cuda` installs NVRTC";
    let (major, minor) = nvrtc::version().map_err(|e| format!("{e}; {help}"))?;
    let known = nvrtc::targets()?;
    if let Some(t) = asked.targets.iter().find(|t| !known.contains(t)) {
        return Err(format!("NVRTC {major}.{minor} does not know sm_{t}, but {known:?}; {help}").into());
    }
    let all = instances();
    let mut jobs = Vec::new();
    for target in &asked.targets {
        let turn = asked.seed.unwrap_or(0) / OTHERS + TARGETS.iter().position(|t| t == target).unwrap_or(0);
        let chosen = if asked.some && *target != WHOLE { some(&all, turn) } else { third(&all, asked.seed) };
        jobs.extend(chosen.into_iter().map(|instance| Job::new(*target, instance, (major, minor))));
    }
    // `test-cubins` checks all CUBINs of this target that it finds, also those of earlier samples.
    for old in all.iter().map(|i| Job::new(WHOLE, i, (major, minor))) {
        if old.file.exists() && !is_made(&old.file, &old.key) {
            std::fs::remove_file(&old.file)?;
        }
    }
    let begun = Instant::now();
    let compiled = compile_all(&jobs, asked.jobs, Job::compile, Job::name)?;
    println!(
        "kernels: {} CUBINs of {} targets by NVRTC {major}.{minor}, {compiled} compiled now, {:.1} s",
        jobs.len(),
        asked.targets.len(),
        begun.elapsed().as_secs_f32()
    );
    check(&jobs, !asked.some || asked.targets.contains(&WHOLE))
}

fn asked(args: &[String]) -> Outcome<Asked> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut asked = Asked { targets: TARGETS.to_vec(), some: false, seed: None, jobs: cores };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg} wants a value"));
        match arg.as_str() {
            "--cuda" => {}
            "--arch" => asked.targets = value()?.split(',').map(target).collect::<Outcome<_>>()?,
            "--some" => asked.some = true,
            "--sample" => {
                let seed = value()?.parse().map_err(|e| format!("--sample: {e}"))?;
                (asked.targets, asked.seed, asked.some) = (sample(seed), Some(seed), true);
            }
            "--jobs" => asked.jobs = value()?.parse().map_err(|e| format!("--jobs: {e}"))?,
            other => {
                return Err(format!(
                    "no option `{other}`: --cuda --arch sm_80,sm_90,.. --some --sample SEED --jobs N"
                )
                .into());
            }
        }
    }
    Ok(asked)
}

/// Returns the targets of a sample: [`WHOLE`] and one other, which rotates with the seed.
fn sample(seed: usize) -> Vec<i32> {
    let other = TARGETS.into_iter().filter(|t| *t != WHOLE).nth(seed % OTHERS);
    let other = other.unwrap_or(WHOLE);
    println!(
        "kernels: {} and a third of the other dtypes of every unit for sm_{WHOLE}; a dtype of each unit for sm_{other} of \
         {OTHERS} other targets, by seed {seed}; `make test-full` compiles all",
        super::ALWAYS.join(", ")
    );
    vec![WHOLE, other]
}

/// Returns the number of a target: 80 for `sm_80`.
fn target(name: &str) -> Outcome<i32> {
    let number = name.strip_prefix("sm_").and_then(|n| n.parse().ok());
    number.ok_or_else(|| format!("`{name}` is not an NVIDIA target such as sm_80").into())
}

/// Checks that every CUBIN has the properties that the library relies on.
fn check(jobs: &[Job<'_>], whole: bool) -> Outcome {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    let (mut count, mut arrays, mut spilling) = (0, 0, 0);
    for job in jobs {
        let bytes = std::fs::read(&job.file).map_err(|e| format!("{}: {e}", job.file.display()))?;
        let kernels = cubin::kernels(&bytes).map_err(|e| format!("{}: {e}", job.file.display()))?;
        if kernels.is_empty() {
            found.push(format!("{}: no kernels", job.name()));
        }
        let log = std::fs::read_to_string(job.log()).map_err(|e| format!("{}: {e}", job.log().display()))?;
        let memory = cubin::memory(&log);
        for k in &kernels {
            count += 1;
            seen.extend(hot(&k.name, job.instance).map(|h| h.0));
            let mut wrong = faults(k, job.instance);
            match memory.get(&k.name) {
                Some(m) => {
                    arrays += usize::from(m.stack > 0 && m.stores + m.loads == 0);
                    spilling += usize::from(m.stores + m.loads > 0);
                    wrong.extend(spilled(k, *m, job.instance));
                }
                None => wrong.push("the compiler's log does not report its use of memory".to_string()),
            }
            found.extend(wrong.into_iter().map(|f| format!("{} {}: {f}", job.name(), k.name)));
        }
    }
    if whole {
        found.extend(super::check::absent(&seen));
    }
    if !found.is_empty() {
        return Err(format!("{} findings\n{}", found.len(), found.join("\n")).into());
    }
    println!(
        "kernels: {count} kernels are what they must be; {arrays} keep arrays in memory, {spilling} registers, hot ones what they may"
    );
    Ok(())
}

/// Returns the faults of a kernel.
fn faults(k: &Kernel, i: &Instance) -> Vec<String> {
    let mut found = Vec::new();
    let structs: Vec<String> = i.params.iter().map(|(n, b)| format!("{n} of {b} bytes")).collect();
    let one = matches!(k.parameters[..], [(0, size)] if size == k.arguments
        && i.params.iter().any(|p| p.1 == size as usize));
    if !one {
        let is = format!("{:?} in {} bytes", k.parameters, k.arguments);
        found.push(format!("its parameters are {is}, must be one struct by value, {}", structs.join(" or ")));
    }
    let mut expect = |what: &str, is: u64, right: bool, must: u64| {
        if !right {
            found.push(format!("{what} is {is}, must be {must}"));
        }
    };
    let block = block_of(&k.name);
    expect("the most threads of a block", k.threads.into(), u64::from(k.threads) == block, block);
    expect("shared memory", k.shared, k.shared <= SHARED, SHARED);
    if let Some((_, _, registers, stack)) = hot(&k.name, i) {
        expect("stack of a hot kernel", k.stack.into(), u64::from(k.stack) <= stack, stack);
        expect(
            "registers of a hot kernel",
            k.registers.into(),
            u64::from(k.registers) <= registers,
            registers,
        );
    }
    found
}

/// Returns a fault if a hot kernel spills more registers than it may.
fn spilled(k: &Kernel, m: Memory, i: &Instance) -> Option<String> {
    let (name, ..) = hot(&k.name, i)?;
    let most = SPILLS.iter().find(|s| s.0 == name).map_or(0, |s| s.1);
    let error = || {
        let Memory { stores, loads, .. } = m;
        format!(
            "a hot kernel keeps registers in memory: {stores} bytes written, {loads} read, must be {most}"
        )
    };
    (m.stores.max(m.loads) > most).then(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_rotate_over_the_other_targets() {
        let targets: BTreeSet<i32> = (0..OTHERS).flat_map(sample).collect();
        assert_eq!(targets, BTreeSet::from(TARGETS));
        assert!((0..OTHERS).all(|s| sample(s)[0] == WHOLE && sample(s).len() == 2));
    }

    #[test]
    fn each_fault_is_found() {
        let all = instances();
        let i = all.iter().find(|i| i.unit == "matmul" && i.name == "f32").expect("a product");
        let size = i.params[0].1 as u32;
        let good = Kernel {
            name: "matmul_f32_tile".into(),
            parameters: vec![(0, size)],
            arguments: size,
            registers: 160,
            stack: 64,
            shared: SHARED,
            threads: 256,
        };
        assert_eq!(faults(&good, i), Vec::<String>::new());
        let wrong: [(&str, fn(&mut Kernel)); 7] = [
            ("threads", |k| k.threads = 1024),
            ("shared", |k| k.shared += 1),
            ("parameters", |k| k.parameters.push((k.arguments, 8))),
            ("parameters", |k| k.arguments += 8),
            ("parameters", |k| (k.parameters[0].1, k.arguments) = (8, 8)),
            ("stack", |k| k.stack = 999),
            ("registers", |k| k.registers = 256),
        ];
        for (word, spoil) in wrong {
            let mut k = good.clone();
            spoil(&mut k);
            let found = faults(&k, i);
            assert!(found.len() == 1 && found[0].contains(word), "{word}: {found:?}");
        }
        // `SPILLS` allows a hot product 4 bytes of spilled registers and a hot sum 12. A kernel that is not hot may spill
        // any number.
        let memory = |stores, loads| Memory { stack: 8, stores, loads };
        assert_eq!(spilled(&good, memory(0, 0), i), None);
        assert!(spilled(&good, memory(4, 4), i).is_none());
        assert!(spilled(&good, memory(8, 0), i).is_some() && spilled(&good, memory(0, 8), i).is_some());
        let i = all.iter().find(|i| i.unit == "reduce" && i.name == "f32").expect("a reduction");
        let sum = Kernel { name: "sum_f32_row".into(), ..good };
        assert!(spilled(&sum, memory(12, 12), i).is_none() && spilled(&sum, memory(12, 16), i).is_some());
        let cold = Kernel { name: "mean_f32_row".into(), ..sum };
        assert_eq!(spilled(&cold, memory(99, 99), i), None);
        assert!(target("sm_90").is_ok_and(|t| t == 90) && target("gfx1100").is_err());
    }
}
