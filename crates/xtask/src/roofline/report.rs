//! The estimates and counts as text: docs/ROOFLINE.md, and what the task prints.
use super::counts::{CLASSES, Ideal, Launch, Table};
use super::goals::{Reason, estimates, factors};
use super::gpus::{GPUS, Gpu, SOURCES};
use super::model;

const INTRODUCTION: &str = "# Estimated speed of GPU kernels

Nothing on this page was measured on a GPU. `cargo xtask roofline --count` executes each kernel form on the virtual GPU's machine
code (gfx942, gfx90a, gfx1100), counts what its waves execute (`crates/xtask/roofline.tsv`), and writes this page; `cargo xtask
roofline gfx942` also prints the counts of a target. A change of the model or of the counts changes this page, and CI compares both.

A kernel's time is the largest of six, each computed as if the others were free:

- bandwidth: the distinct units of 64 bytes that the grid reads and writes, at the memory's rate. Everything that a grid reads
  twice comes from a cache.
- cache: one line, or 64 bytes, in each clock of a compute unit; and 128 bytes of L2 for each line of each instruction.
- LDS: the clocks of its banks.
- issue: the class of instructions that occupies a SIMD longest. Exponentials, 32-bit products and f64 take longer.
- latency: each wave's instructions one after the other, and each wait for a load; a SIMD works on as many waves at a time as
  registers and LDS admit. Loads that a wave starts before it waits cost one latency together.
- launch: the waits between the launches of one op. Its first launch is not charged, since an earlier op hides it.

Not modelled: how banks of memory are opened, the size of caches, the spread of blocks, dependent instructions. So a percentage is
what a kernel cannot exceed, and 100 means that the counts show nothing but memory traffic that is necessary. Percentages are of
the data sheet's bandwidth, for operands and results each moved once, or of its peak for products. Times are those of the counted
problem, scaled: bytes, instructions and blocks grow with the number of lines or elements (with the third power of a product's
side, or of a sequence's length and its heads). H100's numbers come from the counts of gfx1100, which also has waves of 32; NVIDIA's
compiler makes other code, so they show an order of magnitude.
";

const ESTIMATES: &str = "
## Estimates

Percent of the peak at three sizes, and the bound of the largest:

- memory-bound forms: 1, 16 and 256 MiB of operands and results. Of the forms named \"large\" 8,388,608 elements were counted, so
  that each thread of the grid has work; of the others about 8 to 16 MiB.
- products: sides of 512, 1,024 and 4,096; attention: sequences of these lengths with 2, 4 and 16 heads of 64 numbers, or of 128.
- convolutions: 1, 16 and 64 images of 64 channels of 32 x 32; Cholesky's factors: 8, 128 and 512 matrices.

The goal applies from 16 MiB on, or to the largest size.

";

/// Returns docs/ROOFLINE.md.
pub fn page(table: &Table, reasons: &[Reason]) -> String {
    let mut text = INTRODUCTION.to_string();
    text += ESTIMATES;
    let names: Vec<String> =
        GPUS.iter().map(|g| format!("{}{}", g.name, if g.foreign { " (AMD code)" } else { "" })).collect();
    text += &format!(
        "| family | form | peak | goal | {} |\n|---|---|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(GPUS.len())
    );
    for case in &table.cases {
        let cell = |gpu: &Gpu| {
            let all = estimates(table, gpu, case);
            let percents: Vec<String> = all.iter().map(|e| percent(e.percent)).collect();
            format!("{} {}", percents.join(" / "), all[2].bound.name())
        };
        let cells: Vec<String> = GPUS.iter().map(cell).collect();
        let (family, name, peak) = (&case.family, &case.name, case.ideal.name());
        text += &format!("| {family} | {name} | {peak} | {} | {} |\n", case.goal, cells.join(" | "));
    }
    text += "\n## Forms that miss their goal\n\n`cargo xtask roofline --check` fails if a form misses its goal and this list, \
             `crates/xtask/roofline_reasons.tsv`, does not have it, or if the list has a form that does not.\n\n\
             | form | on | reason |\n|---|---|---|\n";
    for r in reasons {
        text += &format!("| {} | {} | {} |\n", r.form, r.gpus.join(", "), r.why);
    }
    text + &assumptions()
}

fn percent(p: f64) -> String {
    if p < 9.5 { format!("{p:.1}") } else { format!("{p:.0}") }
}

fn assumptions() -> String {
    type Field = (&'static str, fn(&Gpu) -> String);
    let fields: [Field; 20] = [
        ("compute units, clock", |g| format!("{}, {} GHz", g.units, g.clock)),
        ("SIMDs", |g| g.simds.to_string()),
        ("slot", |g| format!("{} clocks", g.slot)),
        ("transcendental, 32-bit product, f64", |g| format!("{}, {}, {} slots", g.trans, g.mul32, g.f64)),
        ("matrix instruction", |g| format!("{} clocks", g.matrix)),
        ("matrix instruction of f32", |g| match g.matrix32 {
            0.0 => "none".into(),
            n => format!("{n} clocks"),
        }),
        ("memory", |g| format!("{} TB/s", g.memory)),
        ("L2", |g| format!("{} TB/s", g.l2)),
        ("cache line, clocks of the first cache", |_| "128 bytes, 64 bytes a clock".into()),
        ("far", |g| format!("{} ns", g.far)),
        ("hit", |g| format!("{} ns", g.hit)),
        ("near", |g| format!("{} ns", g.near)),
        ("launch", |g| format!("{} us", g.launch)),
        ("waves", |g| format!("{} a SIMD", g.waves)),
        ("vector registers", |g| format!("{} in {}s", g.vgprs, g.vgpr_unit)),
        ("scalar registers", |g| if g.sgprs == 0 { "no limit".into() } else { g.sgprs.to_string() }),
        ("LDS", |g| format!("{} KiB", g.lds >> 10)),
        ("f16 peak", |g| format!("{} TFLOP/s", g.f16)),
        ("f32 peak", |g| format!("{} TFLOP/s", g.f32)),
        ("i8 peak", |g| format!("{} TOP/s", g.i8)),
    ];
    let names: Vec<&str> = GPUS.iter().map(|g| g.name).collect();
    let mut text = format!(
        "\n## Assumptions\n\nMI250X is one of its two dies, which programs see as a device. \"far\" is the latency of memory, \"hit\" that of the L2 cache, for lines that the grid has touched before, \"near\" that of LDS and the scalar cache.\n\n| | {} | source |\n|---|{}---|\n",
        names.join(" | "),
        "---|".repeat(GPUS.len())
    );
    for (name, show) in fields {
        let source = SOURCES.iter().find(|s| s.0 == name).map_or("", |s| s.1);
        let cells: Vec<String> = GPUS.iter().map(show).collect();
        text += &format!("| {name} | {} | {source} |\n", cells.join(" | "));
    }
    text
}

/// Returns the launches of a target: lane instructions an element by class, bytes, kinds of accesses, registers, waves.
pub fn counts(table: &Table, target: &str) -> String {
    let mut text = format!(
        "\n{target}: lane instructions an element, {}\n\
         (vector total with slower ones | scalar | loads of scalars | memory | LDS | matrix | branches | barriers, waits, others)\n",
        table.targets.get(target).map_or("", |t| &t.compiler)
    );
    for case in &table.cases {
        let best = match case.ideal {
            Ideal::Memory => format!("{:.2} bytes at best", case.bytes / case.elements),
            _ => "elements are multiplications".to_string(),
        };
        text += &format!("{} ({} elements, {best})\n", case.name, case.elements);
        for l in table.launches(target, &case.name) {
            text += &format!("  {}\n", launch(l, case.elements, target));
        }
    }
    text
}

fn launch(l: &Launch, elements: f64, target: &str) -> String {
    let each = |n: f64| format!("{:.2}", n * l.wave as f64 / elements);
    let sum = |names: &[&str]| each(names.iter().map(|c| l.get(c)).sum());
    let classes: Vec<String> = [
        &CLASSES[..4],
        &["salu"],
        &["smem"],
        &["vmem"],
        &["lds"],
        &["matrix", "matrix32"],
        &["branch"],
        &["barrier", "other"],
    ]
    .into_iter()
    .map(sum)
    .collect();
    let vmem = l.get("vmem").max(1.0);
    let kinds: Vec<String> = l.kinds().map(|(k, n)| format!("{k} {:.0}%", 100.0 * n as f64 / vmem)).collect();
    let held: Vec<String> = GPUS
        .iter()
        .filter(|g| g.target == target && !g.foreign)
        .map(|g| format!("{:.0} of {}", model::waves(g, l), g.waves))
        .collect();
    format!(
        "{}: {} blocks, {} = {} | {:.2} bytes, {:.2} lines of 128 | {} | {} VGPRs, {} SGPRs, {} bytes of LDS, {} waves",
        l.kernel,
        l.blocks,
        each(l.instructions()),
        classes.join(" "),
        (l.get("read") + l.get("written")) / elements,
        l.get("lines") * 128.0 / elements,
        kinds.join(", "),
        l.get("vgprs"),
        l.get("sgprs"),
        l.get("lds_size"),
        held.join("")
    )
}

/// Returns the largest factor's row for each form as text for the terminal.
pub fn summary(table: &Table) -> String {
    let mut text = format!("{:<24} {:>7}", "form", "factor");
    GPUS.iter().for_each(|g| text += &format!(" {:>22}", g.name));
    for case in &table.cases {
        for (n, factor) in factors(case).into_iter().enumerate() {
            text += &format!("\n{:<24} {:>7.2}", case.name, factor);
            for gpu in &GPUS {
                let e = estimates(table, gpu, case)[n];
                text +=
                    &format!(" {:>9.1}us {:>3}% {:<6.6}", e.microseconds, percent(e.percent), e.bound.name());
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_assumption_has_a_source() {
        let text = assumptions();
        for (name, source) in SOURCES {
            assert!(text.contains(&format!("| {name} |")) && text.contains(source), "{name}");
        }
        assert!(text.lines().filter(|l| l.starts_with("| ")).all(|l| !l.ends_with("|  |")), "{text}");
    }
}
