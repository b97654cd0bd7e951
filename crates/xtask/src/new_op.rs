//! `new-op NAME [--kind op|unary|binary]`: writes the files and lines of a new op, to be completed.
//!
//! The scaffold compiles, has its name in Python, and fails its sweep until the formulas are written.
use crate::{Outcome, tree};
use std::path::Path;

/// Scaffolds an op in this workspace.
pub fn run(args: &[String]) -> Outcome {
    let (name, kind) = match args {
        [name] => (name, "op"),
        [name, flag, kind] if flag == "--kind" => (name, kind.as_str()),
        _ => return Err("usage: new-op NAME [--kind op|unary|binary]".into()),
    };
    let first = name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    if !first || !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
        return Err(format!("`{name}` is not a snake_case name").into());
    }
    if rushlight::ops::Op::all_samples().iter().any(|s| s.op.name() == name || s.op.card() == name) {
        return Err(format!("an op `{name}` exists already").into());
    }
    let root = tree::root();
    let edit = |file: &str, f: &dyn Fn(&str) -> Option<String>| -> Outcome {
        let text = tree::read(&root.join(file))?;
        let new = f(&text).ok_or_else(|| format!("{file}: unexpected text; edit it by hand"))?;
        tree::write(&root.join(file), &new)?;
        println!("  {file}");
        Ok(())
    };
    println!("scaffolded {name}:");
    let camel = camel(name);
    match kind {
        "op" => {
            create(&root, &format!("{OPS}/{name}.rs"), &fill(DEFINITION, name, &camel))?;
            create(&root, &format!("{KERNELS}/{name}.rs"), &fill(KERNEL, name, &camel))?;
            edit(&format!("{OPS}/mod.rs"), &|t| {
                let t = add_module(t, name)?;
                before_end(&t, "ops! {\n", "}", &format!("    {name}::{camel},\n"))
            })?;
            edit(&format!("{KERNELS}/mod.rs"), &|t| add_module(t, name))?;
            let arm = format!("        Op::{camel}(_) => super::kernels::{name}::{name}(input(0)?, out),\n");
            edit("crates/rushlight/src/cpu/run.rs", &|t| before_end(t, "    match op {\n", "    }", &arm))?;
            let later = format!("        Op::{camel}(_) => KernelEntry::No(LATER),\n");
            edit("crates/rushlight/src/gpu/run/mod.rs", &|t| {
                before_end(t, "    match op {\n", "    }", &later)
            })?;
        }
        "unary" => family(&edit, name, &camel, "unary", UNARY, ["U", "RL_EW1", "(v)"])?,
        "binary" => family(&edit, name, &camel, "binary", BINARY, ["B", "RL_EW2", "(a, b)"])?,
        _ => return Err(format!("no kind `{kind}`: expected op, unary or binary").into()),
    }
    edit("CHANGELOG.md", &|t| {
        let start = t.find("### Added\n")?;
        let end = t[start..].match_indices("\n\n").map(|(i, _)| start + i + 1);
        // The first blank line is the one under the heading.
        let end = end.into_iter().nth(1).unwrap_or(t.len());
        Some(format!("{}- Op `{name}`.\n{}", &t[..end], &t[end..]))
    })
}

const OPS: &str = "crates/rushlight/src/ops";
const KERNELS: &str = "crates/rushlight/src/cpu/kernels";

type Edit<'a> = dyn Fn(&str, &dyn Fn(&str) -> Option<String>) -> Outcome + 'a;

/// Adds a row to a family's table, the arms of its facts, its arm on the CPU and its kernel on GPUs.
fn family(edit: &Edit<'_>, name: &str, camel: &str, table: &str, row: &str, names: [&str; 3]) -> Outcome {
    let [letter, kernel, values] = names;
    let row = fill(row, name, camel);
    let facts: &[(&str, &str)] = match table {
        "unary" => &[("accuracy", "Accuracy::Accumulated"), ("reference", "Reference::UNWRITTEN")],
        _ => &[
            ("accuracy", "Accuracy::Accumulated"),
            ("special_values", "SpecialValues::ALL"),
            ("reference", "Reference::UNWRITTEN"),
        ],
    };
    edit(&format!("{OPS}/{table}.rs"), &|t| {
        let mut text = before_end(t, "        $then! {\n", "        }", &row)?;
        for (fact, value) in facts {
            let start = text.find(&format!("fn {fact}(&self)"))?;
            let enumeration = if table == "unary" { "UnaryOp" } else { "BinaryOp" };
            let arm = format!("            {enumeration}::{camel} => {value},\n");
            let rest = before_end(&text[start..], "        match self.0 {\n", "        }", &arm)?;
            text.replace_range(start.., &rest);
        }
        Some(text)
    })?;
    let arm = format!(
        "        {letter}::{camel} => Err(Error::invalid(\"{name}\", \"has no CPU formula yet\")),\n"
    );
    edit(&format!("{KERNELS}/elementwise.rs"), &|t| {
        let start = t.find(&format!("pub fn {table}("))?;
        Some(format!("{}{}", &t[..start], before_end(&t[start..], "    match op {\n", "    }", &arm)?))
    })?;
    let line = format!("{kernel}({name}, no_formula_yet{values})\n");
    edit(&format!("hip/{table}.hip"), &|t| before_end(t, "#if RL_FLOAT\n", "#endif", &line))
}

fn camel(name: &str) -> String {
    let word = |w: &str| w[..1].to_uppercase() + &w[1..];
    name.split('_').filter(|w| !w.is_empty()).map(word).collect()
}

fn fill(template: &str, name: &str, camel: &str) -> String {
    template.replace("@name", name).replace("@Camel", camel)
}

fn create(root: &Path, file: &str, text: &str) -> Outcome {
    if root.join(file).exists() {
        return Err(format!("{file} exists already").into());
    }
    tree::write(&root.join(file), text)?;
    println!("  {file}");
    Ok(())
}

/// Adds `pub mod name;` in alphabetical order.
fn add_module(text: &str, name: &str) -> Option<String> {
    let new = format!("pub mod {name};");
    let mut lines: Vec<&str> = text.lines().collect();
    let is_module = |l: &&str| l.starts_with("pub mod ") && l.ends_with(';');
    let later = lines.iter().position(|l| is_module(l) && *l > new.as_str());
    let at = later.or_else(|| lines.iter().rposition(is_module).map(|i| i + 1))?;
    lines.insert(at, &new);
    Some(lines.join("\n") + "\n")
}

/// Inserts a line before the line `end` that closes the block which `start` opens.
fn before_end(text: &str, start: &str, end: &str, line: &str) -> Option<String> {
    let open = text.find(start)? + start.len();
    let close = open + text[open..].find(&format!("\n{end}\n"))? + 1;
    Some(format!("{}{line}{}", &text[..close], &text[close..]))
}

const DEFINITION: &str = r#"//! One line: what `@name` computes.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// The formula of `@name`, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct @Camel;

impl OpDef for @Camel {
    fn name(&self) -> &'static str {
        "@name"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let rule: Result<Tensor> = Err(crate::Error::invalid(c.op_name(), "has no gradient rule yet"));
        grads![rule?]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Accumulated
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let op = || Op::@Camel(@Camel);
        let x = |shape: &[usize]| vec![Spec::new(shape, Domain::Range(-2.0, 2.0))];
        vec![Sample::new(op(), x(&[2, 3])), Sample::new(op(), x(&[])), Sample::new(op(), x(&[0, 4]))]
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![signature!(Promoted, "What it computes.", () => Op::@Camel(@Camel))]
    }
}

impl Tensor {
    /// What it computes. FLOAT dtypes.
    pub fn @name(&self) -> Result<Self> {
        Tensor::run(Op::@Camel(@Camel), &[self])
    }
}
"#;

const KERNEL: &str = r#"//! `@name` on the CPU.
use super::elementwise::{Dst, Src};
use crate::{Error, Result};

/// Plain code for any layout: it is what other backends are compared with.
pub fn @name(_x: Src<'_>, _out: Dst<'_>) -> Result<()> {
    Err(Error::invalid("@name", "has no CPU function yet"))
}
"#;

const UNARY: &str = r#"            @Camel @name @name FLOAT X WIDE,
                Some(|_, _| Err(crate::Error::invalid("@name", "has no gradient rule yet"))), "What it computes.";
"#;

const BINARY: &str = r#"            @Camel @name broadcast_@name @name FLOAT BOTH, WIDE,
                Some(|_, _| Err(crate::Error::invalid("@name", "has no gradient rule yet"))), "What it computes.";
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(camel("index_add"), "IndexAdd");
        assert_eq!(camel("conv2d"), "Conv2d");
    }

    #[test]
    fn modules_stay_sorted() {
        let text = "//! x\npub mod a;\npub mod c;\n\nfn f() {}\n";
        let with = |name| add_module(text, name).unwrap();
        assert_eq!(with("b"), "//! x\npub mod a;\npub mod b;\npub mod c;\n\nfn f() {}\n");
        assert_eq!(with("d"), "//! x\npub mod a;\npub mod c;\npub mod d;\n\nfn f() {}\n");
        assert!(add_module("fn f() {}\n", "b").is_none());
    }

    #[test]
    fn blocks() {
        let text = "x! {\n    a,\n}\n";
        assert_eq!(before_end(text, "x! {\n", "}", "    b,\n").unwrap(), "x! {\n    a,\n    b,\n}\n");
        assert!(before_end(text, "y! {\n", "}", "b\n").is_none());
    }
}
