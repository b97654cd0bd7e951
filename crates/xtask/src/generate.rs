//! `generate [--check]`: writes PARITY.md, docs/OPS.md and tests/parity/ops.md from the op definitions and the committed
//! results of the parity suite, hip/params.h from the parameter structs of kernels, and
//! docs/guide/environment.md from the table of settings.
use crate::{Outcome, environment, page, results, tree};
use rushlight::ops::{Accuracy, AttributeSpec, Differentiable, Op, Pattern, Role};
use rushlight::{DType, DTypeSet, sets};
use rushlight_parity::{Case, Pass};
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
    let mut stale = Vec::new();
    let mut write = |file: &'static str, text: String| -> Outcome {
        let old = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        if old != text {
            stale.push(file);
            if !check {
                tree::write(&root.join(file), &text)?;
            }
        }
        Ok(())
    };
    write(environment::FILE, environment::page())?;
    write("hip/params.h", rushlight::gpu::params_header())?;
    let ops = gather()?;
    let asked = crate::asked::read(&root, &ops)?;
    write("PARITY.md", page::parity(&ops, &asked, &results::read(&root)?)?)?;
    write("docs/OPS.md", table(&ops)?)?;
    write("tests/parity/ops.md", format!("# Ops that are planned\n\n{NOTE}\n{}", asked.page()?))?;
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

/// One op with the dtypes that the suite has cases of.
pub struct Row {
    /// An op of this name.
    pub op: Op,
    /// Dtypes of forward cases.
    pub forward: BTreeSet<DType>,
    gradient: BTreeSet<DType>,
}

impl Row {
    /// The dtypes with cases of a pass.
    pub const fn cells(&self, pass: Pass) -> &BTreeSet<DType> {
        match pass {
            Pass::Gradient => &self.gradient,
            _ => &self.forward,
        }
    }
}

/// Gathers every op, in the order of the list of definitions.
fn gather() -> Outcome<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut indices: BTreeMap<&'static str, usize> = BTreeMap::new();
    for case in Case::all(0).iter().filter(|c| c.pass != Pass::Error) {
        let at = *indices.entry(case.op()).or_insert(rows.len());
        if at == rows.len() {
            rows.push(Row { op: case.what().clone(), forward: BTreeSet::new(), gradient: BTreeSet::new() });
        }
        let row = &mut rows[at];
        let cells = if case.pass == Pass::Gradient { &mut row.gradient } else { &mut row.forward };
        cells.insert(case.dtype());
    }
    if rows.is_empty() { Err("the op definitions have no samples".into()) } else { Ok(rows) }
}

/// The comment at the head of a generated page.
pub const NOTE: &str = "<!-- Written by `cargo xtask generate`. Do not edit. -->\n";

/// Returns the text of docs/OPS.md.
fn table(rows: &[Row]) -> Outcome<String> {
    let mut s = format!("# Ops\n\n{NOTE}\n");
    writeln!(
        s,
        "{} ops of {} definitions. The dtype sets of inputs are defined in `crates/rushlight/src/dtype.rs`; `same` is the \
         dtype of the first input. \"Reads\" is how output elements depend on input elements, \"accuracy\" how near a result \
         must be to the true one ([NUMERICS.md](NUMERICS.md)): `rounded`, `accumulated` and `drawn` promise the CPU's bits \
         on every device.\n",
        rows.len(),
        rows.iter().map(|r| r.op.definition()).collect::<BTreeSet<_>>().len()
    )?;
    writeln!(
        s,
        "| op | definition | inputs | attributes | output shape | reads | accuracy | writes | gradient |\n\
         |---|---|---|---|---|---|---|---|---|"
    )?;
    for Row { op, .. } in rows {
        let input = |i: &rushlight::ops::Input| {
            let set = if i.same_as.is_some() { "same".to_string() } else { set_name(i.dtypes) };
            format!("`{}`: {set}", i.name)
        };
        let inputs: Vec<String> = op.inputs().iter().map(input).collect();
        let writes = match op.role() {
            Role::Out => "a new tensor".to_string(),
            Role::InOut(1) => "its first input".to_string(),
            Role::InOut(n) => format!("its first {n} inputs"),
        };
        let gradient = match op.differentiable() {
            Differentiable::Yes => "yes".to_string(),
            Differentiable::Again => "yes, as a second derivative".to_string(),
            Differentiable::Refused(why) => format!("an error: {why}"),
            Differentiable::No(why) => format!("no: {why}"),
        };
        let (name, definition) = (op.name(), op.definition());
        let link = format!("[{definition}](../crates/rushlight/src/ops/{definition}.rs)");
        let attributes = attributes(op.attributes());
        let (reads, accuracy) = (pattern(op.pattern()), accuracy(op.accuracy()));
        let (inputs, shape) = (inputs.join(", "), op.shape_rule());
        writeln!(
            s,
            "| {name} | {link} | {inputs} | {attributes} | {shape} | {reads} | {accuracy} | {writes} | {gradient} |"
        )?;
    }
    Ok(s)
}

/// Names a pattern.
const fn pattern(p: Pattern) -> &'static str {
    match p {
        Pattern::Elementwise { .. } => "one element",
        Pattern::Lines => "a line",
        Pattern::Windows => "a window",
        Pattern::Convolution(_) => "a window and a kernel",
        Pattern::Product { .. } => "a row and a column",
        Pattern::Attention { .. } => "a row and all rows",
        Pattern::Matrix => "a matrix",
        Pattern::Indexed => "indexed elements",
        Pattern::Filled => "nothing",
    }
}

/// Names an accuracy.
fn accuracy(a: Accuracy) -> String {
    match a {
        Accuracy::Rounded => "rounded".to_string(),
        Accuracy::Accumulated => "accumulated".to_string(),
        Accuracy::Drawn => "drawn".to_string(),
        Accuracy::Ulps { single, half } => format!("{single} ulp ({half} in f16, bf16)"),
        Accuracy::Scaled { single, half } => {
            format!("{single} eps of the largest ({half} in f16, bf16)")
        }
        Accuracy::Products => "sums of products".to_string(),
    }
}

fn set_name(set: DTypeSet) -> String {
    let named = [
        ("FLOAT", sets::FLOAT),
        ("INT", sets::INT),
        ("SIGNED", sets::SIGNED),
        ("BOOL", sets::BOOL),
        ("NUMERIC", sets::NUMERIC),
        ("COMPLEX", sets::COMPLEX),
        ("INEXACT", sets::INEXACT),
        ("NUMBER", sets::NUMBER),
        ("EQUATABLE", sets::EQUATABLE),
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

/// Returns the names, kinds and defaults of an op's attributes.
fn attributes(specs: &[AttributeSpec]) -> String {
    let one = |a: &AttributeSpec| {
        let default = a.default.map_or_else(String::new, |v| format!(" = {v}"));
        format!("{}: {}{default}", a.name, a.kind.as_str())
    };
    specs.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_have_kinds_and_defaults() {
        let specs = [AttributeSpec::dim("Dimension."), AttributeSpec::flag("keepdim", "Keeps.")];
        assert_eq!(attributes(&specs), "dim: axis, keepdim: bool = false");
        assert_eq!(attributes(&[]), "");
    }

    #[test]
    fn sets_have_names() {
        assert_eq!(set_name(sets::INDEX), "INDEX");
        assert_eq!(set_name(DTypeSet::of(&[DType::U8, DType::F32])), "u8 f32");
    }
}
