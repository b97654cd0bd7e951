//! The Rust examples, each of which checks its own results.
use super::{no_arguments, vgpu};
use crate::process::{cargo, run as start};
use crate::{Outcome, tree};

/// The crate with the examples, and their folder.
const CRATE: &str = "rushlight";
const FOLDER: &str = "crates/rushlight/examples";

/// `examples`: runs all Rust examples; those that use a GPU run on the virtual AMD GPU.
pub fn run(args: &[String]) -> Outcome {
    no_arguments(args)?;
    vgpu::ensure()?;
    let mut names: Vec<String> = std::fs::read_dir(tree::root().join(FOLDER))?
        .flatten()
        .filter_map(|e| Some(e.file_name().to_str()?.strip_suffix(".rs")?.to_string()))
        .collect();
    names.sort();
    for name in &names {
        // Built for the whole workspace, as the tests are, so that nothing is compiled twice.
        let mut c = cargo(&["run", "--quiet", "--release", "--locked", "--example", name]);
        println!("example {name} of {CRATE}");
        start(c.envs(vgpu::rocm()))?;
    }
    println!("examples: {} passed", names.len());
    Ok(())
}
