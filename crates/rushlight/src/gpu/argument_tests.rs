//! Every launch of the op suite against what the compiled kernels take, on the recording runtime: argument lists are verified
//! without a GPU. The CUBINs are those of `cargo xtask kernels --cuda --arch sm_80`.
use super::record;
use super::settings::Settings;
use crate::sweep::Case;
use crate::{Device, Result};
use rushlight_cuda::cubin;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Bytes of parameters by unit and kernel, as launches name them.
fn kernels(folder: &Path) -> HashMap<String, u32> {
    let mut all = HashMap::new();
    for instance in super::instances() {
        let file = folder.join(format!("{}_{}.cubin", instance.unit, instance.name));
        let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for k in cubin::kernels(&bytes).unwrap_or_else(|e| panic!("{}: {e}", file.display())) {
            let unit = instance.unit;
            all.insert(format!("{unit}.hip:{}", k.name), k.arguments);
        }
    }
    all
}

/// Runs the suite; gives how many cases ran, their errors, and the kernels that were launched.
fn run(kernels: HashMap<String, u32>) -> (usize, Vec<String>, BTreeSet<String>) {
    let (gpu, state) = record::device(1 << 32, Settings::default());
    let device = Device::Record(gpu);
    let (mut ran, mut failed, mut launched) = (0, Vec::new(), BTreeSet::new());
    state.lock().unwrap().kernels = Some(kernels);
    for case in Case::all().iter().filter(|c| c.error.is_none()) {
        ran += 1;
        let done = case.tensors(&device).and_then(|t| case.run(&t).map(|_| ()));
        failed.extend(done.err().map(|e| format!("{}: {e}", case.name)));
        launched.extend(state.lock().unwrap().launches.drain(..).map(|l| l.0.to_string()));
    }
    (ran, failed, launched)
}

#[test]
#[ignore = "needs CUBINs, which RUSHLIGHT_TEST_CUBINS names: make test-cubins"]
fn every_launch_of_the_op_suite_has_the_cubins_parameters() -> Result<()> {
    let folder = std::env::var_os("RUSHLIGHT_TEST_CUBINS").expect("RUSHLIGHT_TEST_CUBINS");
    let all = kernels(Path::new(&folder));
    let (ran, failed, launched) = run(all.clone());
    assert!(failed.is_empty(), "{} of {ran} cases, such as {}", failed.len(), failed[0]);
    println!("{ran} cases launched {} of {} kernels, each as its CUBIN takes it", launched.len(), all.len());
    assert!(ran > 10_000 && launched.len() * 2 > all.len(), "{ran} cases, {} kernels", launched.len());
    // One word more or less in a struct is seen.
    let mut wrong = all;
    let add = wrong.get_mut("binary.hip:add_f32_c").expect("a sum");
    *add += 8;
    let (_, failed, _) = run(wrong);
    assert!(
        !failed.is_empty() && failed.iter().all(|f| f.contains("add_f32_c was launched with")),
        "{failed:?}"
    );
    Ok(())
}
