//! Every launch of the op suite against what the compiled kernels take, on the recording runtime: argument lists are verified
//! without a GPU. The CUBINs are those of `cargo xtask kernels --cuda --arch sm_80`.
use rushlight::Result;
use rushlight::gpu::record;
use rushlight::ops::TermOrder;
use rushlight_cuda::cubin;
use rushlight_parity::{Case, Pass, gradients};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Kernels that are compiled, as every kernel is for every dtype of its unit, and that no call asks for.
#[derive(Debug)]
struct Never {
    /// Unit and kernel, without dtype.
    name: &'static str,
    forms: &'static [&'static str],
    /// Dtypes in which it is asked for all the same.
    but: &'static [&'static str],
    /// Why.
    #[expect(dead_code, reason = "read in the source, and in a failure's words")]
    why: &'static str,
}

const NEVER: &[Never] = &[
    Never {
        name: "sort.hip:argsort",
        forms: &["bw", "mw"],
        but: &[],
        why: "lines of more than 2^32 elements",
    },
    Never { name: "index.hip:gather", forms: &["v"], but: &[], why: "each element has its own index" },
    Never { name: "index.hip:ids", forms: &["s"], but: &["u8"], why: "indices are read in their own dtype" },
    Never {
        name: "index_add.hip:index_add",
        forms: &["a"],
        but: ADDED,
        why: "no atomic adds bytes or pairs of them",
    },
    Never {
        name: "index_add.hip:scatter_add",
        forms: &["a"],
        but: ADDED,
        why: "no atomic adds bytes or pairs of them",
    },
    Never { name: "index_add.hip:widen", forms: &["c", "s"], but: HALVES, why: "is added in its own dtype" },
    Never { name: "index_add.hip:narrow", forms: &["c", "s"], but: HALVES, why: "is added in its own dtype" },
    Never {
        name: "random.hip:randint_large",
        forms: &["s"],
        but: &["i64", "u64"],
        why: "spans of over 2^32",
    },
    Never { name: "upsample.hip:upsample_nearest", forms: &["s"], but: WORDS, why: "moved by size" },
];
const ADDED: &[&str] = &["i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"];
const HALVES: &[&str] = &["f16", "bf16"];
const WORDS: &[&str] = &["u8", "u16", "u32", "u64"];

impl Never {
    /// Whether it is this kernel: `unit.hip:name_dtype_form`.
    fn holds(&self, kernel: &str) -> bool {
        let rest = kernel.strip_prefix(self.name).and_then(|r| r.strip_prefix('_'));
        let Some((dtype, form)) = rest.and_then(|r| r.split_once('_')) else { return false };
        self.forms.contains(&form) && !self.but.contains(&dtype)
    }
}

/// A cast to the dtype that a tensor has: it is the tensor.
fn to_itself(kernel: &str) -> bool {
    let parts: Vec<&str> = kernel.split('_').collect();
    matches!(parts[..], ["cast.hip:cast", a, b, _] if a == b)
}

/// Bytes of parameters by unit and kernel, as launches name them.
fn kernels(folder: &Path) -> HashMap<String, u32> {
    let mut all = HashMap::new();
    for instance in rushlight::gpu::instances() {
        let file = folder.join(format!("{}_{}.cubin", instance.unit, instance.name));
        let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for k in cubin::kernels(&bytes).unwrap_or_else(|e| panic!("{}: {e}", file.display())) {
            let unit = instance.unit;
            all.insert(format!("{unit}.hip:{}", k.name), k.arguments);
        }
    }
    all
}

/// Runs the parity suite's cases, values and gradients; gives how many ran, their errors, and the kernels that were launched.
fn run(kernels: HashMap<String, u32>) -> (usize, Vec<String>, BTreeSet<String>) {
    let (device, state) = record::recorded(1 << 36).expect("a recording device");
    let (mut ran, mut failed, mut launched) = (0, Vec::new(), BTreeSet::new());
    state.lock().unwrap().kernels = Some(kernels);
    let mut one = |case: &Case| {
        ran += 1;
        let done = case.tensors(&device).and_then(|t| match case.pass {
            Pass::Gradient => gradients(case.what(), &t),
            _ => case.what().run(&t),
        });
        failed.extend(done.err().map(|e| format!("{}: {e}", case.name)));
        launched.extend(state.lock().unwrap().launches.drain(..).map(|l| l.0.to_string()));
    };
    let cases = Case::all(0);
    cases.iter().filter(|c| c.pass != Pass::Error).for_each(&mut one);
    // Sums by atomics, and in a fixed order.
    rushlight::set_deterministic(true);
    let added = |c: &&Case| c.what().term_order() == TermOrder::Arrival;
    cases.iter().filter(added).filter(|c| c.pass != Pass::Error).for_each(&mut one);
    rushlight::set_deterministic(false);
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
    // Which is every kernel but those that no call asks for.
    let of_no_call = |k: &&String| to_itself(k) || NEVER.iter().any(|n| n.holds(k));
    let expected: BTreeSet<&String> = all.keys().filter(of_no_call).collect();
    let never: BTreeSet<&String> = all.keys().filter(|k| !launched.contains(*k)).collect();
    let more: Vec<_> = never.difference(&expected).collect();
    assert!(more.is_empty(), "no case launches {more:?}");
    let less: Vec<_> = expected.difference(&never).collect();
    assert!(less.is_empty(), "launched, against NEVER: {less:?}");
    for n in NEVER {
        assert!(all.keys().any(|k| n.holds(k)), "no such kernel: {n:?}");
    }
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
