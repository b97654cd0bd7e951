//! `generate [--check]`: PARITY.md and docs/OPS.md, from the op cards and from running their samples on the CPU.
use crate::{Outcome, tree};
use rushlight::ops::{Differentiable, Op, Role};
use rushlight::sweep::{Case, Form, targets};
use rushlight::{DType, DTypeSet, Device, Support, Tensor, Var, sets};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Writes the files, or with `--check` fails where one is stale.
pub fn run(args: &[String]) -> Outcome {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("usage: generate [--check]".into()),
    };
    let root = tree::root();
    let ops = gather()?;
    let asked = crate::asked::read(&root, &ops)?;
    let mut stale = Vec::new();
    for (file, text) in [("PARITY.md", parity(&ops, &asked)?), ("docs/OPS.md", table(&ops)?)] {
        let old = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        if old != text {
            stale.push(file);
            if !check {
                tree::write(&root.join(file), &text)?;
            }
        }
    }
    match (check, stale.is_empty()) {
        (true, false) => Err(format!("stale: {}; run `cargo xtask generate`", stale.join(", ")).into()),
        (_, true) => {
            println!("generated files are up to date");
            Ok(())
        }
        _ => {
            println!("wrote {}", stale.join(", "));
            Ok(())
        }
    }
}

/// One op with what running its samples showed.
pub struct Row {
    /// An op of this name.
    pub op: Op,
    forward: BTreeMap<DType, Cell>,
    gradient: BTreeMap<DType, Cell>,
}

/// Cases that ran, and the first failure.
#[derive(Default)]
struct Cell {
    ran: usize,
    failure: Option<String>,
}

impl Cell {
    fn add(&mut self, result: rushlight::Result<()>) {
        match result {
            Ok(()) => self.ran += 1,
            Err(e) => self.failure = self.failure.take().or(Some(e.to_string())),
        }
    }

    fn good(&self) -> bool {
        self.ran > 0 && self.failure.is_none()
    }
}

/// Every op in the list's order, with its good samples run on the CPU.
fn gather() -> Outcome<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for case in Case::all() {
        let Some(&dtype) = case.dtypes.first() else { continue };
        if case.error.is_some() || case.form != Form::Contiguous {
            continue;
        }
        let name = case.op.name();
        let at = match rows.iter().position(|r| r.op.name() == name) {
            Some(at) => at,
            None => {
                let row = Row { op: case.op.clone(), forward: BTreeMap::new(), gradient: BTreeMap::new() };
                rows.push(row);
                rows.len() - 1
            }
        };
        rows[at].forward.entry(dtype).or_default().add(forward(&case));
        if case.grad && sets::FLOAT.contains(dtype) && case.op.differentiable() == Differentiable::Yes {
            rows[at].gradient.entry(dtype).or_default().add(gradient(&case));
        }
    }
    if rows.is_empty() { Err("the cards have no samples".into()) } else { Ok(rows) }
}

fn forward(case: &Case) -> rushlight::Result<()> {
    case.run(&case.tensors(&Device::Cpu)?).map(|_| ())
}

/// Runs an op forwards and backwards, and checks that a gradient of the input's shape and dtype came.
fn gradient(case: &Case) -> rushlight::Result<()> {
    if targets(&case.op) > 0 {
        rushlight::bail!("{} works in place", case.op.name())
    }
    let vars: Vec<Var> =
        case.tensors(&Device::Cpu)?.iter().map(Var::from_tensor).collect::<rushlight::Result<_>>()?;
    let inputs: Vec<&Tensor> = vars.iter().map(|v| v.as_tensor()).collect();
    let grads = Tensor::run(case.op.clone(), &inputs)?.sum_all()?.backward()?;
    let mut found = 0;
    for (x, g) in inputs.iter().filter_map(|x| grads.get(x).map(|g| (x, g))) {
        found += 1;
        if g.shape() != x.shape() || g.dtype() != x.dtype() {
            rushlight::bail!(
                "gradient {:?} {:?} of an input {:?} {:?}",
                g.shape(),
                g.dtype(),
                x.shape(),
                x.dtype()
            )
        }
    }
    if found == 0 { rushlight::bail!("no input has a gradient") } else { Ok(()) }
}

const NOTE: &str = "<!-- Written by `cargo xtask generate`. Do not edit. -->\n";

/// PARITY.md.
fn parity(rows: &[Row], asked: &crate::asked::Asked) -> Outcome<String> {
    let mut s = format!("# Parity\n\n{NOTE}\n");
    let count = |f: fn(&Row) -> &BTreeMap<DType, Cell>| {
        let all = rows.iter().flat_map(|r| f(r).values());
        (all.clone().filter(|c| c.good()).count(), all.count())
    };
    let (forward, all_forward) = count(|r| &r.forward);
    let (gradient, all_gradient) = count(|r| &r.gradient);
    writeln!(
        s,
        "What runs where, and how it is known. A cell is an op with the dtype of its first input.\n"
    )?;
    writeln!(s, "| backend | ops | forward | gradient | evidence |\n|---|---|---|---|---|")?;
    writeln!(
        s,
        "| CPU | {} | {forward} of {all_forward} | {gradient} of {all_gradient} | hardware |",
        rows.len()
    )?;
    let kernels: Vec<&Row> = rows.iter().filter(|r| on_gpu(r).is_none()).collect();
    let cells = |f: fn(&Row) -> usize| kernels.iter().map(|r| f(r)).sum::<usize>();
    writeln!(
        s,
        "| ROCm, waves of 32 and of 64 | {} | {} of {all_forward} | {} of {all_gradient} | host |",
        kernels.len(),
        cells(|r| r.forward.len()),
        cells(|r| r.gradient.len()),
    )?;
    writeln!(
        s,
        "| CUDA, sm_80 | {} | {} of {all_forward} | {} of {all_gradient} | built |",
        kernels.len(),
        cells(|r| r.forward.len()),
        cells(|r| r.gradient.len()),
    )?;
    writeln!(s, "\n{}", asked.summary())?;
    s.push_str(
        "\nEvidence is one of\n\n\
         - `hardware`: ran on such a device. For the CPU: every cell's samples run each time this page is made, and the\n  \
           sweep of `make test` compares them over layouts and devices, and the gradients with finite differences in f64.\n\
         - `emulated`: the device's machine code ran on a virtual device.\n\
         - `host`: the kernel's source ran on the CPU, behind HIP's own interface. For ROCm: `make test` runs every cell's\n  \
           samples over all layouts on the virtual AMD GPU, for waves of 32 and of 64 lanes, and compares them with the CPU's\n  \
           (bits where NUMERICS.md says so), and its gradients. It never ran on an AMD GPU.\n\
         - `built`: it compiles, no more. For CUDA: the same kernels, compiled by NVIDIA's own compiler to machine code; `make test`\n  \
           compares every launch of the samples with what that code takes, and the calls with NVIDIA's headers. It never ran\n  \
           on an NVIDIA GPU.\n\
         - `no: reason`.\n",
    );
    writeln!(s, "\n<details><summary>Every op and dtype on the CPU</summary>\n")?;
    writeln!(s, "F: forward, G: gradient too, empty: the op is not defined for the dtype.\n")?;
    let dtypes: Vec<&str> = DType::ALL.iter().map(|d| d.as_str()).collect();
    writeln!(
        s,
        "| op | {} | ROCm | CUDA |\n|---|{}---|---|",
        dtypes.join(" | "),
        "---|".repeat(dtypes.len())
    )?;
    let mut failures = Vec::new();
    for row in rows {
        let name = row.op.name();
        write!(s, "| {name} |")?;
        for dtype in DType::ALL {
            let (f, g) = (row.forward.get(dtype), row.gradient.get(dtype));
            let text = match (f, g) {
                (Some(f), Some(g)) if f.good() && g.good() => "G",
                (Some(f), _) if f.good() => "F",
                (Some(_), _) => "no",
                (None, _) => "",
            };
            for failure in [f, g].into_iter().flatten().filter_map(|c| c.failure.as_ref()) {
                failures.push(format!("- {name} {}: {failure}", dtype.as_str()));
            }
            write!(s, " {text} |")?;
        }
        let gpu = |known: &str| on_gpu(row).map_or(known.to_string(), |why| format!("no: {why}"));
        writeln!(s, " {} | {} |", gpu("host"), gpu("built"))?;
    }
    if !failures.is_empty() {
        writeln!(s, "\nWhat failed:\n\n{}", failures.join("\n"))?;
    }
    writeln!(s, "\n</details>\n\n{}", asked.table()?)?;
    Ok(s)
}

/// Why the GPU backend has no kernel of an op, if so.
fn on_gpu(row: &Row) -> Option<&'static str> {
    match rushlight::gpu::has_kernel(&row.op) {
        Support::Yes => None,
        Support::No(why) => Some(why),
    }
}

/// docs/OPS.md.
fn table(rows: &[Row]) -> Outcome<String> {
    let mut s = format!("# Ops\n\n{NOTE}\n");
    writeln!(
        s,
        "{} ops of {} cards. An input's dtype set is defined in `crates/rushlight/src/dtype.rs`; `same` is the dtype of \
         the first input.\n",
        rows.len(),
        rows.iter().map(|r| r.op.card()).collect::<BTreeSet<_>>().len()
    )?;
    writeln!(s, "| op | card | inputs | attributes | writes | gradient |\n|---|---|---|---|---|---|")?;
    for Row { op, .. } in rows {
        let input = |i: &rushlight::ops::Input| {
            let set = if i.same_as.is_some() { "same".to_string() } else { set_name(i.dtypes) };
            format!("{}: {set}", i.name)
        };
        let inputs: Vec<String> = op.inputs().iter().map(input).collect();
        let writes = match op.role() {
            Role::Out => "a new tensor".to_string(),
            Role::InOut(1) => "its first input".to_string(),
            Role::InOut(n) => format!("its first {n} inputs"),
        };
        let gradient = match op.differentiable() {
            Differentiable::Yes => "yes".to_string(),
            Differentiable::No(why) => format!("no: {why}"),
        };
        let (name, card) = (op.name(), op.card());
        let link = format!("[{card}](../crates/rushlight/src/ops/{card}.rs)");
        let attributes = attributes(&format!("{op:?}"));
        writeln!(s, "| {name} | {link} | {} | {attributes} | {writes} | {gradient} |", inputs.join(", "))?;
    }
    Ok(s)
}

fn set_name(set: DTypeSet) -> String {
    let named = [
        ("FLOAT", sets::FLOAT),
        ("INT", sets::INT),
        ("SIGNED", sets::SIGNED),
        ("BOOL", sets::BOOL),
        ("NUMERIC", sets::NUMERIC),
        ("BITS", sets::BITS),
        ("ORDERED", sets::ORDERED),
        ("INDEX", sets::INDEX),
        ("ALL", sets::ALL),
    ];
    match named.iter().find(|n| n.1 == set) {
        Some((name, _)) => name.to_string(),
        None => set.iter().map(DType::as_str).collect::<Vec<_>>().join(" "),
    }
}

/// The names of a card's fields, from its `Debug` text.
fn attributes(debug: &str) -> String {
    let mut depth = 0;
    let mut names = Vec::new();
    for (i, c) in debug.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            ':' if depth == 2 => {
                let start = debug[..i].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |p| p + 1);
                names.push(&debug[start..i]);
            }
            _ => {}
        }
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_card() {
        assert_eq!(
            attributes("Op(Card { dim: 0, keys: (1, 2), inner: Inner { x: 1 }, last: true })"),
            "dim, keys, inner, last"
        );
        assert_eq!(attributes("Op(Card(3))"), "");
    }

    #[test]
    fn sets_have_names() {
        assert_eq!(set_name(sets::INDEX), "INDEX");
        assert_eq!(set_name(DTypeSet::of(&[DType::U8, DType::F32])), "u8 f32");
    }
}
