//! `new-op NAME [--kind definition|unary|binary]`: scaffolds an op.
//!
//! The scaffold compiles, has its name in Python, and fails its tests until the formulas are written, so that a forgotten
//! formula shows.
use crate::{Outcome, tree};
use std::path::Path;

/// Scaffolds an op in this workspace.
pub fn run(args: &[String]) -> Outcome {
    let (name, kind) = match args {
        [name] => (name, "definition"),
        [name, flag, kind] if flag == "--kind" => (name, kind.as_str()),
        _ => return Err("usage: new-op NAME [--kind definition|unary|binary]".into()),
    };
    let first = name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    if !first || !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
        return Err(format!("`{name}` is not a snake_case name").into());
    }
    if rushlight::ops::Op::all_samples().iter().any(|s| s.op.name() == name || s.op.definition() == name) {
        return Err(format!("the op `{name}` exists already").into());
    }
    let root = tree::root();
    let edit = |file: &str, f: &dyn Fn(&str) -> Option<String>| -> Outcome {
        let text = tree::read(&root.join(file))?;
        let new = f(&text).ok_or_else(|| format!("{file}: does not look as expected; edit it manually"))?;
        tree::write(&root.join(file), &new)?;
        println!("  {file}");
        Ok(())
    };
    println!("scaffolded {name}:");
    let camel = camel(name);
    match kind {
        "definition" => {
            create(&root, &format!("{OPS}/{name}.rs"), &fill(DEFINITION, name, &camel))?;
            create(&root, &format!("{KERNELS}/{name}.rs"), &fill(KERNEL, name, &camel))?;
            edit(&format!("{OPS}/mod.rs"), &|t| {
                let t = add_module(t, "pub ", name)?;
                before_end(&t, "ops! {\n", "}", &format!("    {name}::{camel},\n"))
            })?;
            edit(&format!("{KERNELS}/mod.rs"), &|t| add_module(t, "pub ", name))?;
            let arm = format!("        Op::{camel}(_) => super::kernels::{name}::{name}(input(0)?, out),\n");
            edit("crates/rushlight/src/cpu/run.rs", &|t| before_end(t, "    match op {\n", "    }", &arm))?;
            create(&root, &format!("hip/{name}.hip"), &fill(HIP, name, &camel))?;
            create(&root, &format!("{GPU}/run/{name}.rs"), &fill(LAUNCH, name, &camel))?;
            edit(&format!("{GPU}/run/mod.rs"), &|t| {
                let t = add_module(t, "", name)?;
                let arm = format!("        Op::{camel}(_) => Run({name}::{name}),\n");
                before_end(&t, "    match op {\n", "    }", &arm)
            })?;
            let unit = fill(UNIT, name, &camel);
            edit(&format!("{GPU}/kernels.rs"), &|t| before_end(t, "\nunits! {\n", "}", &unit))?;
            let mutant = fill(MUTANT, name, &camel);
            edit("crates/xtask/src/mutants/by_op.rs", &|t| {
                before_end(t, "BY_OP: &[Mutant] = &[\n", "];", &mutant)
            })?;
        }
        "unary" => {
            family(&edit, name, &camel, "unary", UNARY, ["U", "RL_EW1", "(v)", "UnaryOp"], UNARY_FACTS)?
        }
        "binary" => family(
            &edit,
            name,
            &camel,
            "binary",
            BINARY,
            ["B", "RL_EW2", "(a, b)", "BinaryOp"],
            BINARY_FACTS,
        )?,
        _ => return Err(format!("unknown kind `{kind}`: expected definition, unary or binary").into()),
    }
    edit("CHANGELOG.md", &|t| note(t, name))?;
    println!(
        "next: docs/contributing/add-an-op.md, step 2; `cargo xtask t {name}` fails until the formulas are written"
    );
    Ok(())
}

/// Adds a line about an op to a changelog, at the top of the first list under "Added".
fn note(text: &str, name: &str) -> Option<String> {
    let start = text.find("### Added\n")?;
    let at = start + text[start..].find("\n- ")? + 1;
    Some(format!("{}- Op `{name}`.\n{}", &text[..at], &text[at..]))
}

const OPS: &str = "crates/rushlight/src/ops";
const KERNELS: &str = "crates/rushlight/src/cpu/kernels";
const GPU: &str = "crates/rushlight/src/gpu";

type Edit<'a> = dyn Fn(&str, &dyn Fn(&str) -> Option<String>) -> Outcome + 'a;

/// Functions of a family's definition that have an arm for each row, with the arm of a new row: the strictest value, so
/// that tests fail until the author chooses the right one.
type Facts = &'static [(&'static str, &'static str)];
const UNARY_FACTS: Facts = &[("accuracy", "Accuracy::Rounded"), ("reference", "Reference::UNWRITTEN")];
const BINARY_FACTS: Facts = &[
    ("accuracy", "Accuracy::Rounded"),
    ("special_values", "SpecialValues::ALL"),
    ("reference", "Reference::UNWRITTEN"),
];

/// Adds an op to a family: a row of the table, an arm on the CPU, and a kernel on GPUs.
fn family(
    edit: &Edit<'_>,
    name: &str,
    camel: &str,
    table: &str,
    row: &str,
    names: [&str; 4],
    facts: Facts,
) -> Outcome {
    let [letter, kernel, values, family] = names;
    let row = fill(row, name, camel);
    edit(&format!("{OPS}/{table}.rs"), &|t| {
        let t = before_end(t, "        $then! {\n", "        }", &row)?;
        facts.iter().try_fold(t, |t, (function, value)| {
            let start = t.find(&format!("    fn {function}(&self)"))?;
            let arm = format!("            {family}::{camel} => {value},\n");
            let rest = before_end(&t[start..], "        match self.0 {\n", "        }", &arm)?;
            Some(format!("{}{rest}", &t[..start]))
        })
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

/// Adds a module in alphabetical order, with a visibility such as `pub ` before `mod`.
fn add_module(text: &str, visibility: &str, name: &str) -> Option<String> {
    let new = format!("{visibility}mod {name};");
    let mut lines: Vec<&str> = text.lines().collect();
    let module = |l: &str| -> Option<String> {
        let (before, rest) = l.split_once("mod ")?;
        let plain = before.is_empty() || before.starts_with("pub") && before.ends_with(' ');
        plain.then(|| rest.strip_suffix(';').map(str::to_string))?
    };
    let later = lines.iter().position(|l| module(l).is_some_and(|m| m.as_str() > name));
    let at = later.or_else(|| lines.iter().rposition(|l| module(l).is_some()).map(|i| i + 1))?;
    lines.insert(at, &new);
    Some(lines.join("\n") + "\n")
}

/// Puts a line before the line `end` that closes the block which `start` opens.
fn before_end(text: &str, start: &str, end: &str, line: &str) -> Option<String> {
    let open = text.find(start)? + start.len();
    let close = open + text[open..].find(&format!("\n{end}\n"))? + 1;
    Some(format!("{}{line}{}", &text[..close], &text[close..]))
}

const DEFINITION: &str = r#"//! One line about `@name`.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
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
        Accuracy::Rounded
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
        vec![signature!(Promoted, "Computes it.", [">>> rl.@name(rl.ones(1))"], () => Op::@Camel(@Camel))]
    }
}

impl Tensor {
    /// One line about it. FLOAT dtypes.
    pub fn @name(&self) -> Result<Self> {
        Tensor::run(Op::@Camel(@Camel), &[self])
    }
}
"#;

const KERNEL: &str = r#"//! `@name` on the CPU.
use super::elementwise::{Dst, Src};
use crate::{Error, Result};

/// Plain code for any layout: other backends are compared with it.
pub fn @name(_x: Src<'_>, _out: Dst<'_>) -> Result<()> {
    Err(Error::invalid("@name", "has no CPU function yet"))
}
"#;

const HIP: &str = r#"// @name: one line about it. Compiled for the dtype RL_T.
#include "elementwise.h"

RL_EW1(@name, no_formula_yet(v))
"#;

const LAUNCH: &str = r#"//! Launches the kernels of `hip/@name.hip`.
use crate::Result;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{Call, NoParams};
use crate::gpu::runtime::Runtime;

pub(super) fn @name<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (x, out) = (c.input(0)?, c.output(0)?);
    let kernel = Kernel::new(Unit::@Camel, x.dtype, "@name", Variant::Contig);
    c.elementwise(kernel, [out, x], NoParams::default())
}
"#;

const UNIT: &str = r#"    @Camel "@name" FLOAT [ElementwiseParams<2, NoParams>];
"#;

const MUTANT: &str = r#"    value("@name: its input", "@name.hip", "no_formula_yet(v)", "v", "@name#"),
"#;

const UNARY: &str = r#"            @Camel @name @name FLOAT X WIDE,
                Some(|_, _| Err(crate::Error::invalid("@name", "has no gradient rule yet"))), "Computes it.",
                "[1.0]" => "";
"#;

const BINARY: &str = r#"            @Camel @name broadcast_@name @name FLOAT BOTH, WIDE,
                Some(|_, _| Err(crate::Error::invalid("@name", "has no gradient rule yet"))), "Computes it.",
                "[1.0]", "[1.0]" => "";
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
        let with = |name| add_module(text, "pub ", name).unwrap();
        assert_eq!(with("b"), "//! x\npub mod a;\npub mod b;\npub mod c;\n\nfn f() {}\n");
        assert_eq!(with("d"), "//! x\npub mod a;\npub mod c;\npub mod d;\n\nfn f() {}\n");
        assert!(add_module("fn f() {}\n", "", "b").is_none());
        let text = "mod a;\npub(crate) mod c;\n";
        assert_eq!(add_module(text, "", "b").unwrap(), "mod a;\nmod b;\npub(crate) mod c;\n");
    }

    #[test]
    fn the_changelog_gets_an_entry_of_a_list() {
        let text = "## Unreleased\n\n### Added\n\nThe library:\n\n- A.\n- B.\n\nTools:\n\n- C.\n";
        let want = "## Unreleased\n\n### Added\n\nThe library:\n\n- Op `x`.\n- A.\n- B.\n\nTools:\n\n- C.\n";
        assert_eq!(note(text, "x").unwrap(), want);
        assert!(note("## Unreleased\n", "x").is_none());
    }

    #[test]
    fn blocks() {
        let text = "x! {\n    a,\n}\n";
        assert_eq!(before_end(text, "x! {\n", "}", "    b,\n").unwrap(), "x! {\n    a,\n    b,\n}\n");
        assert!(before_end(text, "y! {\n", "}", "b\n").is_none());
    }
}
