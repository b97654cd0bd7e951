//! Settings, parsed from the environment once, at the first call. `device::startup` validates them.
use crate::support::arch::{self, Arch};
use rushlight_load::settings::{
    self, Invalid, Setting, VGPU_ARCH, VGPU_BUDGET, VGPU_COUNT, VGPU_DEVICES, VGPU_ENGINE, VGPU_FAULT,
    VGPU_FRESH, VGPU_MEM, VGPU_ORDER, VGPU_RACES, VGPU_SANITIZE, VGPU_STRICT, VGPU_SYNC, VGPU_THREADS,
    VGPU_TRACE, VGPU_WAVE,
};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// HIP's major version, which selects struct layouts and error semantics. The shared library sets it when it is
/// loaded.
static MAJOR: AtomicU32 = AtomicU32::new(7);

/// Selects the HIP version: 5, 6 or 7.
pub fn set_major(major: u32) {
    MAJOR.store(major, Relaxed);
}

pub(crate) fn major() -> u32 {
    MAJOR.load(Relaxed)
}

/// Whether the library is the virtual NVIDIA GPU.
static CUDA: AtomicBool = AtomicBool::new(false);

/// Makes the library the virtual NVIDIA GPU. Must be called before any other function.
pub fn set_cuda() {
    CUDA.store(true, Relaxed);
}

pub(crate) fn cuda() -> bool {
    CUDA.load(Relaxed)
}

/// Faults that tests inject: `RUSHLIGHT_VGPU_FAULT=lost_after:N,oom_after:N,compile_fail` and the others below.
#[derive(Default, Debug, PartialEq)]
pub(crate) struct Faults {
    /// The device is lost at this launch, counted from 0.
    pub lost_after: Option<u64>,
    /// Allocations fail from this one on, counted from 0.
    pub oom_after: Option<u64>,
    /// Every compilation fails.
    pub compile_fail: bool,
    /// rocBLAS has no kernel for any product.
    pub blas_no_solution: bool,
    /// rocBLAS cannot allocate the workspace of a handle.
    pub blas_no_memory: bool,
    /// Results of rocBLAS have a wrong element.
    pub blas_wrong: bool,
    /// Products of rocBLAS fail from this one on, counted from 0.
    pub blas_fails_after: Option<u64>,
    /// MIOpen has no kernel for any convolution or pooling.
    pub dnn_no_solution: bool,
    /// MIOpen's find-db is missing: times are estimates until Find ran.
    pub dnn_no_db: bool,
    /// MIOpen cannot compile kernels.
    pub dnn_compile_fail: bool,
    /// Each compilation of MIOpen takes this many milliseconds.
    pub dnn_slow: Option<u64>,
    /// MIOpen's kernels compute wrong results.
    pub dnn_wrong: bool,
    /// rocFFT cannot allocate the tables of a plan.
    pub fft_no_memory: bool,
    /// Results of rocFFT have a wrong element.
    pub fft_wrong: bool,
    /// Transforms of rocFFT fail from this one on, counted from 0.
    pub fft_fails_after: Option<u64>,
    /// rocSOLVER and cuSOLVER cannot allocate memory.
    pub solver_no_memory: bool,
    /// Their results have a wrong element.
    pub solver_wrong: bool,
    /// Their decompositions fail from this one on, counted from 0.
    pub solver_fails_after: Option<u64>,
}

/// The order of blocks, and of threads or waves in a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Order {
    Forward,
    Reverse,
    /// Waves of machine code run in random time slices, the same for the same number.
    Seed(u64),
}

impl Order {
    fn read(text: &str) -> Option<Order> {
        match text {
            "forward" => Some(Order::Forward),
            "reverse" => Some(Order::Reverse),
            _ => Some(Order::Seed(text.strip_prefix("seed:")?.parse().ok()?)),
        }
    }
}

pub(crate) struct Config {
    pub arch: &'static Arch,
    pub wave: u32,
    pub devices: usize,
    pub memory: usize,
    pub strict: bool,
    /// Kernels are compiled to trap on undefined behaviour.
    pub sanitize: bool,
    /// Kernels are compiled with AddressSanitizer, whose runtime must be preloaded.
    pub address: bool,
    pub order: Order,
    /// Machine code is checked for data races.
    pub races: bool,
    pub fresh: bool,
    /// Each launch of machine code prints the number of instructions that its waves executed.
    pub count: bool,
    pub sync: bool,
    pub trace: bool,
    pub threads: usize,
    /// The compiler, and a Python that may have one.
    pub cxx: Option<String>,
    /// A program that compiles to machine code with AMD's hiprtc.
    pub hiprtc: Option<String>,
    pub python: Option<String>,
    pub faults: Faults,
    /// hiprtc compiles to AMD machine code, which is executed.
    pub isa: bool,
    /// The most instructions that a wave may execute.
    pub budget: u64,
    /// The folder to which each launch is written.
    pub record: Option<PathBuf>,
    /// The first invalid setting; no device is offered then.
    pub wrong: Option<String>,
}

impl Config {
    /// Returns the device name.
    pub fn title(&self) -> String {
        self.arch.title(if self.isa { "isa" } else { "host" })
    }
}

/// Settings of the command line, which override the environment.
static PRESET: OnceLock<Vec<(&str, String)>> = OnceLock::new();

/// Overrides settings before the first call; an empty text selects the default.
pub(crate) fn preset(values: Vec<(&'static str, String)>) {
    let _ = PRESET.set(values);
}

/// Returns a setting of the environment.
pub(crate) fn variable(name: &str) -> Option<String> {
    let name = format!("RUSHLIGHT_VGPU_{name}");
    debug_assert!(settings::ALL.iter().any(|s| s.name == name), "{name} is missing from the table");
    std::env::var(name).ok().filter(|v| !v.is_empty())
}

pub(crate) fn get() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| {
        parse(cuda(), |name| match PRESET.get().and_then(|p| p.iter().find(|p| p.0 == name)) {
            Some((_, value)) => Some(value.clone()).filter(|v| !v.is_empty()),
            None => variable(name),
        })
    })
}

/// Returns whether the command line has overridden settings; it reports an invalid one itself.
pub(crate) fn is_preset() -> bool {
    PRESET.get().is_some()
}

pub(crate) fn parse(cuda: bool, var: impl Fn(&str) -> Option<String>) -> Config {
    let mut wrong = None;
    let os = |name: &str| var(name).map(OsString::from);
    let arch = match var("ARCH") {
        None => &arch::all(cuda)[0],
        Some(name) => arch::find(&name, cuda).unwrap_or_else(|| {
            wrong = Some(format!("{}={name}: expected {}", VGPU_ARCH.name, arch::names(cuda)));
            &arch::all(cuda)[0]
        }),
    };
    let wave = match parsed(&mut wrong, &VGPU_WAVE, |s| s.choice_of(os("WAVE"))) {
        Some("64") if cuda => {
            wrong.get_or_insert("RUSHLIGHT_VGPU_WAVE=64: expected 32".into());
            arch.wave
        }
        Some("64") => 64,
        Some(_) => 32,
        None => arch.wave,
    };
    let mut number = |setting: &'static Setting, default: u64| {
        parsed(&mut wrong, setting, |s| s.integer_of(os(short(s)))).unwrap_or(default)
    };
    let devices = number(&VGPU_DEVICES, 1) as usize;
    let memory = number(&VGPU_MEM, 4 << 30) as usize;
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let threads = number(&VGPU_THREADS, cores) as usize;
    let sanitize = number(&VGPU_SANITIZE, 0);
    let budget = number(&VGPU_BUDGET, 1 << 40);
    let mut flag = |setting: &'static Setting| {
        parsed(&mut wrong, setting, |s| s.flag_of(os(short(s))).map(Some)).unwrap_or(false)
    };
    let (strict, sync, trace) = (flag(&VGPU_STRICT), flag(&VGPU_SYNC), flag(&VGPU_TRACE));
    let (races, fresh, count) = (flag(&VGPU_RACES), flag(&VGPU_FRESH), flag(&VGPU_COUNT));
    let engine = parsed(&mut wrong, &VGPU_ENGINE, |s| s.choice_of(os("ENGINE"))).unwrap_or("host");
    let mut complain = |setting: &Setting, value: &str, expected: &str| {
        wrong.get_or_insert(format!("{}={value}: expected {expected}", setting.name));
    };
    let text = var("ORDER").unwrap_or_else(|| "forward".into());
    let order = Order::read(&text).unwrap_or_else(|| {
        complain(&VGPU_ORDER, &text, &VGPU_ORDER.kind.expected());
        Order::Forward
    });
    let text = var("FAULT").unwrap_or_default();
    let faults = faults(&text).unwrap_or_else(|| {
        complain(
            &VGPU_FAULT,
            &text,
            "lost_after:N, oom_after:N, compile_fail, blas_no_solution, blas_no_memory, blas_wrong, \
             blas_fails_after:N, dnn_no_solution, dnn_no_db, dnn_compile_fail, dnn_slow:MS, dnn_wrong, \
             fft_no_memory, fft_wrong, fft_fails_after:N, \
             solver_no_memory, solver_wrong, solver_fails_after:N, separated by commas",
        );
        Faults::default()
    });
    Config {
        arch,
        wave,
        devices,
        memory,
        strict,
        sanitize: sanitize > 0,
        address: sanitize == 2,
        order,
        races,
        fresh,
        count,
        sync,
        trace,
        threads,
        cxx: var("CXX"),
        hiprtc: var("HIPRTC"),
        python: var("PYTHON"),
        faults,
        isa: engine == "isa",
        budget,
        record: var("RECORD").map(PathBuf::from),
        wrong,
    }
}

/// Returns a parsed setting. The first invalid one is kept in `wrong`.
fn parsed<T>(
    wrong: &mut Option<String>,
    setting: &'static Setting,
    parse: impl FnOnce(&'static Setting) -> Result<Option<T>, Invalid>,
) -> Option<T> {
    parse(setting).unwrap_or_else(|e| {
        wrong.get_or_insert(e.to_string());
        None
    })
}

/// Returns the part of a name after the prefix.
fn short(setting: &Setting) -> &'static str {
    setting.name.trim_start_matches("RUSHLIGHT_VGPU_")
}

fn faults(text: &str) -> Option<Faults> {
    let mut f = Faults::default();
    for part in text.split(',').filter(|p| !p.is_empty()) {
        match part.split_once(':') {
            Some(("lost_after", n)) => f.lost_after = Some(n.parse().ok()?),
            Some(("oom_after", n)) => f.oom_after = Some(n.parse().ok()?),
            Some(("dnn_slow", ms)) => f.dnn_slow = Some(ms.parse().ok()?),
            None if part == "compile_fail" => f.compile_fail = true,
            None if part == "blas_no_solution" => f.blas_no_solution = true,
            None if part == "blas_no_memory" => f.blas_no_memory = true,
            None if part == "blas_wrong" => f.blas_wrong = true,
            Some(("blas_fails_after", n)) => f.blas_fails_after = Some(n.parse().ok()?),
            None if part == "dnn_no_solution" => f.dnn_no_solution = true,
            None if part == "dnn_no_db" => f.dnn_no_db = true,
            None if part == "dnn_compile_fail" => f.dnn_compile_fail = true,
            None if part == "dnn_wrong" => f.dnn_wrong = true,
            None if part == "fft_no_memory" => f.fft_no_memory = true,
            None if part == "fft_wrong" => f.fft_wrong = true,
            Some(("fft_fails_after", n)) => f.fft_fails_after = Some(n.parse().ok()?),
            None if part == "solver_no_memory" => f.solver_no_memory = true,
            None if part == "solver_wrong" => f.solver_wrong = true,
            Some(("solver_fails_after", n)) => f.solver_fails_after = Some(n.parse().ok()?),
            _ => return None,
        }
    }
    Some(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &[(&str, &str)]) -> Config {
        parse(false, |name| vars.iter().find(|v| v.0 == name).map(|v| v.1.to_string()))
    }

    #[test]
    fn targets_belong_to_a_vendor() {
        let nvidia = |vars: &[(&str, &str)]| {
            parse(true, |name| vars.iter().find(|v| v.0 == name).map(|v| v.1.to_string()))
        };
        let c = nvidia(&[("ARCH", "sm_90")]);
        assert_eq!((c.arch.name, c.arch.number(), c.wave, c.arch.lds), ("sm_90", 90, 32, 48 << 10));
        assert_eq!((nvidia(&[]).arch.name, nvidia(&[]).wrong), ("sm_80", None));
        for (name, value) in [("ARCH", "gfx1100"), ("WAVE", "64")] {
            assert!(nvidia(&[(name, value)]).wrong.is_some_and(|w| w.contains(name)), "{name}={value}");
        }
        assert!(with(&[("ARCH", "sm_80")]).wrong.is_some());
    }

    #[test]
    fn defaults_follow_the_target() {
        let c = with(&[]);
        assert_eq!((c.arch.name, c.wave, c.devices, c.memory), ("gfx1100", 32, 1, 4 << 30));
        assert_eq!(with(&[("ARCH", "gfx90a")]).wave, 64);
        assert_eq!(with(&[("ARCH", "gfx90a"), ("WAVE", "32")]).wave, 32);
    }

    #[test]
    fn invalid_settings_are_named() {
        for (name, value) in [
            ("ARCH", "gfx1"),
            ("WAVE", "16"),
            ("ORDER", "seed:x"),
            ("RACES", "2"),
            ("ENGINE", "amd"),
            ("FAULT", "lost"),
            ("MEM", "x"),
        ] {
            let wrong = with(&[(name, value)]).wrong.expect("a complaint");
            assert!(wrong.contains(name) && wrong.contains(value), "{wrong}");
        }
        let f = with(&[("FAULT", "oom_after:3,compile_fail")]).faults;
        assert_eq!(f, Faults { oom_after: Some(3), compile_fail: true, ..Faults::default() });
    }
}
