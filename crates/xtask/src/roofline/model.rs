//! The model of a kernel's time: the largest of what its memory traffic, its caches, LDS, the issue of its instructions and
//! the latencies of its loads need, each by itself. It knows neither how memory pages are opened nor how blocks are spread,
//! so that its times are what a kernel cannot beat.
use super::counts::{Case, Ideal, Launch};
use super::gpus::Gpu;

/// The cause of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Bytes of memory.
    Bandwidth,
    /// Lines of the caches.
    Cache,
    Lds,
    Issue,
    Latency,
    /// Waits between launches.
    Launch,
}

impl Bound {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Bandwidth => "bandwidth",
            Bound::Cache => "cache",
            Bound::Lds => "LDS",
            Bound::Issue => "issue",
            Bound::Latency => "latency",
            Bound::Launch => "launch",
        }
    }
}

/// Returns how many waves of a kernel a SIMD holds, by registers and LDS of the code object's notes.
pub fn occupancy(gpu: &Gpu, vgprs: u64, sgprs: u64, lds: u64, waves_of_block: f64) -> f64 {
    let by = |total: u64, unit: u64, used: u64| total / used.max(1).next_multiple_of(unit);
    let mut waves = gpu.waves.min(by(gpu.vgprs, gpu.vgpr_unit, vgprs));
    if gpu.sgprs > 0 {
        waves = waves.min(by(gpu.sgprs, 16, sgprs));
    }
    let mut waves = waves as f64;
    if lds > 0 {
        waves = waves.min(by(gpu.lds, gpu.lds_unit, lds) as f64 * waves_of_block / gpu.simds);
    }
    waves.max(waves_of_block / gpu.simds).min(gpu.waves as f64)
}

/// Returns the occupancy of a launch.
pub fn waves(gpu: &Gpu, l: &Launch) -> f64 {
    let [vgprs, sgprs, lds] = ["vgprs", "sgprs", "lds_size"].map(|n| l.get(n) as u64);
    occupancy(gpu, vgprs, sgprs, lds, l.threads.div_ceil(l.wave.max(1)) as f64)
}

/// Returns the nanoseconds of a launch, and what they are due to, of a problem that is `factor` times as large as the counted
/// one.
pub fn launch(gpu: &Gpu, l: &Launch, case: &Case, factor: f64) -> (f64, Bound) {
    let (g, grown) = (case.growth, |power: i32| factor.powi(power));
    let (work, bytes) = (grown(g.work), grown(g.bytes));
    let blocks = (l.blocks as f64 * grown(g.blocks)).max(1.0);
    let of_block = l.threads.div_ceil(l.wave.max(1)) as f64;
    let (units, all) = (gpu.units.min(blocks), blocks * of_block);
    let simds = (gpu.units * gpu.simds).min(all);
    let resident = (gpu.units * gpu.simds * waves(gpu, l)).min(all);
    // Instructions of one wave follow each other; a SIMD issues one of each class at a time.
    let slower = [("trans", gpu.trans), ("mul32", gpu.mul32), ("f64", gpu.f64)];
    let vector = l.get("valu") + slower.iter().map(|(c, t)| l.get(c) * t).sum::<f64>();
    let vector = vector * gpu.slot + l.get("matrix") * gpu.matrix + l.get("matrix32") * gpu.matrix32;
    let others = ["salu", "smem", "vmem", "lds", "branch", "barrier", "other"].map(|c| l.get(c) * gpu.slot);
    let serial = vector + others.iter().sum::<f64>();
    let busiest = others.into_iter().fold(vector, f64::max);
    let issue = busiest / simds / gpu.clock;
    // Lines that the grid touches for the first time come from memory.
    let touched = (l.get("read") + l.get("written")) * bytes;
    let first = (touched / (l.get("lines") * work * 128.0).max(1.0)).min(1.0);
    let far = gpu.hit + (gpu.far - gpu.hit) * first;
    let latency = (l.get("far") * far + l.get("near") * gpu.near + serial / gpu.clock) / resident;
    let cache = (l.get("clocks") / units / gpu.clock).max(l.get("lines") * 128.0 / (gpu.l2 * 1000.0));
    let times = [
        ((l.get("read") + l.get("written")) * bytes / (gpu.memory * 1000.0), Bound::Bandwidth),
        (issue * work, Bound::Issue),
        (cache * work, Bound::Cache),
        (l.get("lds_clocks") / units / gpu.clock * work, Bound::Lds),
        (latency * work, Bound::Latency),
    ];
    times.into_iter().fold((0.0, Bound::Bandwidth), |most, t| if t.0 > most.0 { t } else { most })
}

/// The estimate of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub microseconds: f64,
    /// The fraction of the peak in percent.
    pub percent: f64,
    pub bound: Bound,
}

/// Estimates a case that is `factor` times as large as the counted one.
pub fn estimate(gpu: &Gpu, case: &Case, launches: &[&Launch], factor: f64) -> Estimate {
    let times: Vec<(f64, Bound)> = launches.iter().map(|l| launch(gpu, l, case, factor)).collect();
    let (longest, bound) =
        times.iter().fold((0.0, Bound::Bandwidth), |most, t| if t.0 > most.0 { *t } else { most });
    let between = launches.len().saturating_sub(1) as f64 * gpu.launch * 1000.0;
    let total = times.iter().map(|t| t.0).sum::<f64>() + between;
    let best = match case.ideal {
        Ideal::Memory => case.bytes * factor.powi(case.growth.bytes) / (gpu.memory * 1000.0),
        Ideal::F16 => case.operations * factor.powi(case.growth.work) / (gpu.f16 * 1000.0),
        Ideal::F32 => case.operations * factor.powi(case.growth.work) / (gpu.f32 * 1000.0),
        Ideal::I8 => case.operations * factor.powi(case.growth.work) / (gpu.i8 * 1000.0),
    };
    let percent = if total > 0.0 { 100.0 * best / total } else { 0.0 };
    let bound = if between > longest { Bound::Launch } else { bound };
    Estimate { microseconds: total / 1000.0, percent, bound }
}

#[cfg(test)]
mod tests {
    use super::super::counts::Growth;
    use super::super::gpus::GPUS;
    use super::*;

    const MI300X: &Gpu = &GPUS[0];
    const XTX: &Gpu = &GPUS[2];

    fn case() -> Case {
        Case {
            name: "x".into(),
            family: "x".into(),
            ideal: Ideal::Memory,
            elements: 1e6,
            bytes: 53e6,
            operations: 0.0,
            growth: Growth { work: 1, bytes: 1, blocks: 1 },
            goal: 80.0,
        }
    }

    fn kernel(blocks: u64, counts: &[(&str, u64)]) -> Launch {
        let notes = [("vgprs", 16), ("sgprs", 16)];
        let counts = counts.iter().chain(&notes).map(|(k, n)| (k.to_string(), *n)).collect();
        Launch { blocks, threads: 256, wave: 64, counts, ..Launch::default() }
    }

    #[test]
    fn waves_by_registers_and_lds() {
        // Blocks of 256 threads: 4 waves of 64, or 8 of 32.
        let of = |gpu: &Gpu, v, s, lds| occupancy(gpu, v, s, lds, if gpu.sgprs > 0 { 4.0 } else { 8.0 });
        // 512 registers: 64 of them each are 8 waves, 65 (rounded to 72) are 7, 200 are 2.
        assert_eq!([64, 65, 200].map(|v| of(MI300X, v, 16, 0)), [8.0, 7.0, 2.0]);
        // 800 scalar registers in units of 16: 112 each are 7.
        assert_eq!(of(MI300X, 16, 102, 0), 7.0);
        // 31,744 bytes of LDS: two blocks of four waves on four SIMDs.
        assert_eq!(of(MI300X, 16, 16, 31_744), 2.0);
        // 1,536 registers in units of 24: 96 each are 16 waves, 97 (120) are 12; two blocks of eight waves on two SIMDs.
        assert_eq!([96, 97].map(|v| of(XTX, v, 16, 0)), [16.0, 12.0]);
        assert_eq!(of(XTX, 16, 16, 31_744), 8.0);
    }

    #[test]
    fn each_bound_by_hand() {
        let time = |l: &Launch, factor| launch(MI300X, l, &case(), factor);
        // 53 MB at 5.3 TB/s are 10 us; twice as much at twice the size.
        let l = kernel(10_000, &[("read", 50_000_000), ("written", 3_000_000), ("valu", 1000)]);
        assert_eq!(time(&l, 1.0), (10_000.0, Bound::Bandwidth));
        assert_eq!(time(&l, 2.0), (20_000.0, Bound::Bandwidth));
        // 1,216 SIMDs issue a vector instruction in 4 clocks of 1 / 2.1 ns: 304,000,000 take 476,190 ns.
        let (t, bound) = time(&kernel(10_000, &[("valu", 304_000_000)]), 1.0);
        assert_eq!((t.round(), bound), (476_190.0, Bound::Issue));
        // Exponentials take four times as long.
        let (t, _) = time(&kernel(10_000, &[("trans", 76_000_000)]), 1.0);
        assert_eq!(t.round(), 476_190.0);
        // One block: its four waves are on four SIMDs of one unit.
        let (t, bound) = time(&kernel(1, &[("valu", 4000), ("far", 400), ("lines", 10), ("read", 640)]), 1.0);
        // Each wave: 1,000 slots of 4 clocks, and 100 latencies between 250 and 700 ns: half of the bytes are touched for the
        // first time.
        assert_eq!((t.round(), bound), ((100.0f64 * 475.0 + 4000.0 / 2.1).round(), Bound::Latency));
        // Lines of 128 bytes at 34.4 TB/s; clocks of LDS on 304 units.
        let (t, bound) = time(&kernel(10_000, &[("lines", 344_000_000), ("clocks", 1)]), 1.0);
        assert_eq!((t.round(), bound), (1_280_000.0, Bound::Cache));
        let (t, bound) = time(&kernel(10_000, &[("lds_clocks", 638_400)]), 1.0);
        assert_eq!((t.round(), bound), (1000.0, Bound::Lds));
    }

    #[test]
    fn an_op_is_its_launches_and_the_waits_between_them() {
        let l = kernel(10_000, &[("read", 53_000_000)]);
        let one = estimate(MI300X, &case(), &[&l], 1.0);
        assert_eq!((one.microseconds, one.percent, one.bound), (10.0, 100.0, Bound::Bandwidth));
        // Three passes of 10 us and two waits of 3.5 us: 10 of 37 us.
        let three = estimate(MI300X, &case(), &[&l, &l, &l], 1.0);
        assert_eq!((three.microseconds, three.percent.round()), (37.0, 27.0));
        let small = estimate(MI300X, &case(), &[&l, &l, &l], 0.01);
        assert_eq!(small.bound, Bound::Launch);
        // A product of matrices of twice the size has eight times the operations: 1,307.4 TFLOP/s are 100 %.
        let growth = Growth { work: 3, bytes: 2, blocks: 2 };
        let product = Case { ideal: Ideal::F16, operations: 1_307.4e6, growth, ..case() };
        let l = kernel(10_000, &[("valu", 304_000_000)]);
        let e = estimate(MI300X, &product, &[&l], 2.0);
        assert_eq!((e.percent * 476.19).round(), 100.0);
        assert_eq!((e.microseconds / 8.0).round(), 476.0);
    }
}
