//! Checks the licences of the dependency tree by the list in deny.toml.
use crate::{Outcome, process, tree};

/// Checks every package that cargo resolves for this machine.
pub fn run() -> Outcome {
    let root = tree::root();
    let allowed = allowed(&tree::read(&root.join("deny.toml"))?)?;
    let host = process::stdout_in(&root, "rustc", &["--print", "host-tuple"])?;
    let args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", host.trim()];
    let metadata: serde_json::Value = serde_json::from_str(&process::stdout_in(&root, "cargo", &args)?)?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata has no packages")?;
    // Packages of other platforms are listed but not resolved, so they are never built.
    let nodes = metadata["resolve"]["nodes"].as_array().ok_or("cargo metadata has no resolved tree")?;
    let mut bad = Vec::new();
    for node in nodes {
        let package = packages.iter().find(|p| p["id"] == node["id"]).ok_or("an unknown package")?;
        let licence = package["license"].as_str().unwrap_or("");
        if !accepts(licence, &allowed) {
            bad.push(format!("{} {}: licence {licence:?}", package["name"], package["version"]));
        }
    }
    if !bad.is_empty() {
        return Err(format!("not in deny.toml's list:\n  {}", bad.join("\n  ")).into());
    }
    println!("licences of {} packages are in deny.toml's list", nodes.len());
    Ok(())
}

/// Returns the list `allow = [...]` of deny.toml.
fn allowed(deny: &str) -> Outcome<Vec<String>> {
    let (_, rest) = deny.split_once("allow = [").ok_or("deny.toml has no `allow = [`")?;
    let (list, _) = rest.split_once(']').ok_or("deny.toml's `allow` does not end")?;
    Ok(list.split(',').map(|s| s.trim().trim_matches('"').to_string()).filter(|s| !s.is_empty()).collect())
}

/// Returns whether an SPDX expression can be satisfied with the allowed licences. `/` is the old spelling of OR; AND binds
/// tighter than OR.
fn accepts(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<String> = Vec::new();
    for word in spaced.split_whitespace() {
        // `X WITH Y` is one licence.
        match words.last_mut() {
            Some(last) if word == "WITH" || last.ends_with(" WITH") => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_string()),
        }
    }
    let mut at = 0;
    any_of(&words, &mut at, allowed) && at == words.len()
}

fn any_of(words: &[String], at: &mut usize, allowed: &[String]) -> bool {
    let mut ok = all_of(words, at, allowed);
    while words.get(*at).is_some_and(|w| w == "OR") {
        *at += 1;
        ok |= all_of(words, at, allowed);
    }
    ok
}

fn all_of(words: &[String], at: &mut usize, allowed: &[String]) -> bool {
    let mut ok = one(words, at, allowed);
    while words.get(*at).is_some_and(|w| w == "AND") {
        *at += 1;
        ok &= one(words, at, allowed);
    }
    ok
}

fn one(words: &[String], at: &mut usize, allowed: &[String]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if word != "(" {
        return allowed.contains(word);
    }
    let ok = any_of(words, at, allowed);
    let closed = words.get(*at).is_some_and(|w| w == ")");
    *at += 1;
    ok && closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spdx_expressions() {
        let allowed =
            allowed("allow = [\n \"MIT\", \"ISC\",\n \"Apache-2.0 WITH LLVM-exception\",\n]").unwrap();
        for good in
            ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-3.0", "(MIT AND ISC) OR GPL-3.0", "MIT AND (GPL-3.0 OR ISC)"]
        {
            assert!(accepts(good, &allowed), "{good}");
        }
        assert!(accepts("Apache-2.0 WITH LLVM-exception", &allowed));
        for bad in
            ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT", "MIT ISC", "MIT AND (GPL-3.0 OR X)"]
        {
            assert!(!accepts(bad, &allowed), "{bad}");
        }
    }
}
