//! Compares the arguments of every launch of the op suite with the parameters of the compiled kernels. The recording
//! runtime collects the launches, so this needs no GPU. The CUBINs are those of `cargo xtask kernels --cuda --arch sm_80`.
use rushlight::gpu::record::{self, Kernels};
use rushlight::ops::{Reduction, TermOrder};
use rushlight::quantized::GgmlDType;
use rushlight::{DType, Device, Result, Tensor, Var};
use rushlight_cuda::cubin;
use rushlight_parity::{Case, Pass, gradients};
use std::collections::BTreeSet;
use std::path::Path;

/// Kernels that are compiled although no call of the suite launches them.
#[derive(Debug)]
struct NeverLaunched {
    /// Kernel name as `unit.hip:name`, without the dtype.
    name: &'static str,
    variants: &'static [&'static str],
    /// The reason why no call launches it.
    #[expect(dead_code, reason = "read in the source, and in a failure's words")]
    why: &'static str,
}

/// The reason of the kernels that arrange matrices for a library of decompositions.
const BY_LIBRARY: &str = "they run before and after a vendor's library, which the recording device has not";

const NEVER_LAUNCHED: &[NeverLaunched] = &[
    NeverLaunched {
        name: "sort.hip:argsort",
        variants: &["tile64", "merge64"],
        why: "lines of more than 2^32 elements",
    },
    NeverLaunched { name: "solver.hip:solver_load", variants: &["thread"], why: BY_LIBRARY },
    NeverLaunched { name: "solver.hip:solver_signs", variants: &["thread"], why: BY_LIBRARY },
    NeverLaunched { name: "solver.hip:solver_store", variants: &["thread"], why: BY_LIBRARY },
    NeverLaunched { name: "solver.hip:solver_values", variants: &["thread"], why: BY_LIBRARY },
];

/// Ops that run on the CPU alone.
const NO_KERNEL: &[&str] = &["eig"];

/// Ops with a kernel for the deterministic mode.
const PRODUCTS: &[&str] = &["matmul", "addmm"];

impl NeverLaunched {
    /// Returns whether the entry names this kernel, given as `unit.hip:name_dtype_variant`.
    fn holds(&self, kernel: &str) -> bool {
        let rest = kernel.strip_prefix(self.name).and_then(|r| r.strip_prefix('_'));
        rest.and_then(|r| r.split_once('_')).is_some_and(|(_, variant)| self.variants.contains(&variant))
    }
}

/// Returns the kernels of a folder, where a sample of the units and dtypes is compiled (`kernels --cuda --sample`).
fn kernels(folder: &Path) -> Kernels {
    let mut all = Kernels::default();
    for instance in rushlight::gpu::instances() {
        let file = folder.join(format!("{}_{}.cubin", instance.unit, instance.name));
        if !file.exists() {
            all.absent.push((instance.unit, instance.name));
            continue;
        }
        let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for k in cubin::kernels(&bytes).unwrap_or_else(|e| panic!("{}: {e}", file.display())) {
            let unit = instance.unit;
            all.sizes.insert(format!("{unit}.hip:{}", k.name), k.arguments);
        }
    }
    all
}

/// Runs the forward and gradient cases of the parity suite. Returns the number of cases, their errors, and the kernels that
/// were launched.
fn run(kernels: Kernels) -> (usize, Vec<String>, BTreeSet<String>) {
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
    let mut cases = Case::all(0);
    cases.retain(|c| c.pass != Pass::Error && !NO_KERNEL.contains(&c.op()));
    cases.iter().for_each(&mut one);
    // The first run adds by atomics and multiplies f16 and bf16 by matrix units, the second does both in a fixed order.
    rushlight::set_deterministic(true);
    let added = |c: &&Case| c.what().term_order() == TermOrder::Arrival || PRODUCTS.contains(&c.op());
    cases.iter().filter(added).for_each(&mut one);
    rushlight::set_deterministic(false);
    if let Err(e) = long_lines(&device) {
        failed.push(format!("long lines: {e}"));
    }
    if let Err(e) = products_in_8_bits(&device) {
        failed.push(format!("products in 8 bits: {e}"));
    }
    if let Err(e) = convolutions(&device) {
        failed.push(format!("convolutions: {e}"));
    }
    launched.extend(state.lock().unwrap().launches.drain(..).map(|l| l.0.to_string()));
    (ran, failed, launched)
}

/// Runs ops on lines that are too long for a block, of which the suite has none.
fn long_lines(device: &Device) -> Result<()> {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let x = Var::zeros((1, (1 << 20) + 1), dtype, device)?;
        x.softmax(1)?.sum_all()?.backward()?;
        x.log_softmax(1)?.sum_all()?.backward()?;
        let target = Tensor::zeros(1, DType::U32, device)?;
        x.cross_entropy(&target, Reduction::Mean, -100, 0.1)?.backward()?;
    }
    Ok(())
}

/// Runs convolutions of many large tiles, and with kernels that are too long for the variants by atoms. The suite has neither.
fn convolutions(device: &Device) -> Result<()> {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let x = Tensor::zeros((1, 128, 256, 512), dtype, device)?;
        let w = Tensor::zeros((128, 128, 3, 3), dtype, device)?;
        x.conv2d(&w, 1, 1, 1, 1)?;
        x.conv_transpose2d(&w, 1, 0, 1, 1)?;
        let x = Var::zeros((1, 8, 64), dtype, device)?;
        let w = Var::zeros((8, 8, 31), dtype, device)?;
        x.conv1d(&w, 0, 1, 1, 1)?.sum_all()?.backward()?;
    }
    Ok(())
}

/// Runs products of one row, of few and of many for each dtype of their results. The suite, whose dtypes are those of inputs, has
/// some of them.
fn products_in_8_bits(device: &Device) -> Result<()> {
    let blocks = Tensor::zeros((3, 34), DType::U8, device)?;
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
        for rows in [1, 2, 9] {
            let x = Tensor::zeros((rows, 40), DType::U8, device)?;
            x.qmatmul_int8(&blocks, GgmlDType::Q8_0, dtype)?;
        }
    }
    Ok(())
}

#[test]
#[ignore = "needs CUBINs, which RUSHLIGHT_TEST_CUBINS names: cargo xtask test-cubins"]
fn every_launch_of_the_op_suite_has_the_cubins_parameters() -> Result<()> {
    let folder = std::env::var_os("RUSHLIGHT_TEST_CUBINS").expect("RUSHLIGHT_TEST_CUBINS");
    let all = kernels(Path::new(&folder));
    let (ran, failed, launched) = run(all.clone());
    assert!(failed.is_empty(), "{} of {ran} cases, such as {}", failed.len(), failed[0]);
    let checked = launched.iter().filter(|k| all.sizes.contains_key(*k)).count();
    println!(
        "{ran} cases launched {checked} of {} kernels, each as its CUBIN takes it; {} units and dtypes are not compiled",
        all.sizes.len(),
        all.absent.len()
    );
    assert!(
        3 * all.absent.len() <= 2 * rushlight::gpu::instances().len(),
        "{:?} are not compiled",
        all.absent
    );
    // Every kernel that is not in `NEVER_LAUNCHED` must have been launched.
    let of_no_call = |k: &&String| NEVER_LAUNCHED.iter().any(|n| n.holds(k));
    let expected: BTreeSet<&String> = all.sizes.keys().filter(of_no_call).collect();
    let never: BTreeSet<&String> = all.sizes.keys().filter(|k| !launched.contains(*k)).collect();
    let more: Vec<_> = never.difference(&expected).collect();
    assert!(more.is_empty(), "no case launches {more:?}");
    let less: Vec<_> = expected.difference(&never).collect();
    assert!(less.is_empty(), "launched, against NEVER_LAUNCHED: {less:?}");
    for n in NEVER_LAUNCHED {
        assert!(all.sizes.keys().any(|k| n.holds(k)), "no such kernel: {n:?}");
    }
    // A difference of one word in the size of a struct must be reported.
    let mut wrong = all;
    let add = wrong.sizes.get_mut("binary.hip:add_f32_contig").expect("a sum");
    *add += 8;
    let (_, failed, _) = run(wrong);
    assert!(
        !failed.is_empty() && failed.iter().all(|f| f.contains("add_f32_contig was launched with")),
        "{failed:?}"
    );
    Ok(())
}
