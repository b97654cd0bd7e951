//! Rules about declarations: op names, parameter structs of kernels, and docstrings of public Python names.
use std::collections::BTreeSet;

/// Folders of code that handles every op, which must ask the op definition and not compare an op's name. `peers.py` is an
/// exception, because it holds NumPy expressions for named ops.
const BY_DEFINITION: &[&str] =
    &["crates/rushlight-parity/src/", "crates/xtask/src/mutants/", "python/rushlight/_parity/"];
const BY_NAME: &str = "python/rushlight/_parity/peers.py";

/// Op names that also have other meanings, so the check ignores them.
const AMBIGUOUS: &[&str] = &["sign", "copy", "log", "all", "any", "round", "fill"];

/// Returns the names of the ops that docs/OPS.md, which is generated, lists.
pub fn op_names(table: &str) -> BTreeSet<String> {
    let rows = table.lines().filter(|l| l.contains("](../crates/"));
    rows.filter_map(|l| Some(l.split('|').nth(1)?.trim().to_string())).collect()
}

/// Checks one file.
pub fn check(file: &str, text: &str, ops: &BTreeSet<String>, found: &mut Vec<String>) {
    if BY_DEFINITION.iter().any(|f| file.starts_with(f)) && file != BY_NAME && !file.ends_with("_tests.rs") {
        names_of_ops(file, text, ops, found);
    }
    if file.starts_with("crates/rushlight/src/") || file.starts_with("hip/") {
        parameter_structs(file, text, found);
    }
    let public = !file.split('/').any(|part| part.starts_with('_') && part != "__init__.py");
    if file.starts_with("python/rushlight/") && file.ends_with(".py") && public {
        documentation(file, text, found);
    }
}

/// Reports code for every op that compares an op's name: facts about an op belong to its definition.
fn names_of_ops(file: &str, text: &str, ops: &BTreeSet<String>, found: &mut Vec<String>) {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    for (i, line) in code.lines().enumerate() {
        if line.trim_start().starts_with("//") || line.trim_start().starts_with('#') {
            continue;
        }
        let quoted = line.split('"').skip(1).step_by(2);
        for name in quoted.filter(|q| ops.contains(*q) && !AMBIGUOUS.contains(q)) {
            found.push(format!("{file}:{}: names the op `{name}`: ask its definition (OpDef)", i + 1));
        }
        let pattern = line.contains("=>") || line.contains("matches!") || line.contains("if let ");
        let variant = line.split("Op::").nth(1).is_some_and(|v| v.starts_with(|c: char| c.is_uppercase()));
        if pattern && variant {
            found.push(format!("{file}:{}: matches one op: ask its definition (OpDef)", i + 1));
        }
    }
}

/// Reports parameter structs of kernels that are not declared by `kernel_params!`, from which hip/params.h is written.
fn parameter_structs(file: &str, text: &str, found: &mut Vec<String>) {
    if ["crates/rushlight/src/gpu/params.rs", "hip/params.h"].contains(&file) {
        return;
    }
    for (i, line) in text.lines().enumerate() {
        let by_hand = match file.starts_with("hip/") {
            true => line
                .trim_start()
                .strip_prefix("struct ")
                .and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next())
                .is_some_and(|name| name.ends_with("Params")),
            false => line.trim() == "#[repr(C)]",
        };
        if by_hand {
            found.push(format!("{file}:{}: declare a kernel's parameters with `kernel_params!`", i + 1));
        }
    }
}

/// Reports public Python classes and functions without a docstring. Tests check the docstring's sections and run its
/// examples.
fn documentation(file: &str, text: &str, found: &mut Vec<String>) {
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let name = ["def ", "class "].iter().find_map(|k| line.trim_start().strip_prefix(k));
        let Some(name) = name.filter(|n| indent <= 4 && !n.starts_with('_')) else { continue };
        let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // Methods of private classes and functions inside functions are not public.
        let owner =
            lines[..i].iter().rev().find(|l| !l.is_empty() && !l.starts_with(' ') && !l.starts_with(')'));
        let private = owner.is_some_and(|o| {
            let class = o.strip_prefix("class ");
            class.is_none_or(|c| c.starts_with('_'))
        });
        let stub = i > 0 && lines[i - 1].trim_start().starts_with("@overload");
        if (indent > 0 && private) || stub {
            continue;
        }
        let end = (i..lines.len()).find(|&j| lines[j].trim_end().ends_with(':') || lines[j].ends_with("..."));
        let first = end.and_then(|j| lines.get(j + 1)).map_or("", |l| l.trim_start());
        if !first.starts_with("\"\"\"") && !first.starts_with("r\"\"\"") {
            found.push(format!("{file}:{}: `{name}` is public and has no docstring", i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(file: &str, text: &str) -> usize {
        let ops =
            op_names("| exp | [unary](../crates/x.rs) |\n| copy | [copy](../crates/y.rs) |\n| op | a |");
        assert_eq!(ops.len(), 2);
        let mut found = Vec::new();
        check(file, text, &ops, &mut found);
        found.len()
    }

    #[test]
    fn op_names_are_not_compared() {
        let text =
            "if op.name() == \"exp\" {}\n// \"exp\"\nlet a = \"copy\";\n#[cfg(test)]\nlet b = \"exp\";";
        assert_eq!(findings("crates/rushlight-parity/src/bound.rs", text), 1);
        assert_eq!(findings("crates/rushlight-parity/src/bound.rs", "Op::AddMm(a) if one => a,"), 1);
        assert_eq!(findings("crates/rushlight-parity/src/bound.rs", "let op = Op::Copy(CopyOp::Into);"), 0);
        assert_eq!(findings("crates/rushlight-parity/src/a_tests.rs", text), 0);
        assert_eq!(findings("crates/rushlight/src/gpu/a.rs", text), 0);
        assert_eq!(findings(BY_NAME, text), 0);
    }

    #[test]
    fn parameter_structs_are_declared_by_the_macro() {
        assert_eq!(findings("crates/rushlight/src/gpu/run.rs", "#[repr(C)]\nstruct A {}"), 1);
        assert_eq!(findings("crates/rushlight/src/gpu/params.rs", "#[repr(C)]\nstruct A {}"), 0);
        assert_eq!(findings("hip/a.hip", "struct LineParams {\n};\nstruct Line {\n};"), 1);
        assert_eq!(findings("hip/params.h", "struct LineParams {\n};"), 0);
    }

    #[test]
    fn public_python_names_have_docstrings() {
        let file = "python/rushlight/data.py";
        assert_eq!(findings(file, "def f(\n    x: int,\n) -> int:\n    return x\n"), 1);
        assert_eq!(findings(file, "def f(x: int) -> int:\n    \"\"\"Return it.\"\"\"\n"), 0);
        assert_eq!(findings(file, "def _f(x: int) -> int:\n    return x\n"), 0);
        assert_eq!(findings(file, "class A:\n    \"\"\"One.\"\"\"\n\n    def f(self):\n        pass\n"), 1);
        assert_eq!(findings(file, "class _A:\n    def f(self):\n        pass\n"), 0);
        assert_eq!(findings("python/rushlight/_grad.py", "def f(x):\n    pass\n"), 0);
    }
}
