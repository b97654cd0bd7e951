//! The cost of kernels on AMD GPUs, measured without a clock: numbers of instructions that the virtual GPU's waves
//! execute. `fixtures/instructions.tsv` holds those for one compiler, so a kernel whose cost changes shows as a change
//! of that file. Ignored by default, see `gpu.rs`:
//!
//! `cargo xtask test-isa`; with `RUSHLIGHT_WRITE=1` it rewrites the rows of its target.
mod common;
use common::device::gpu;
use rushlight::ops::Reduction;
use rushlight::quantized::{GgmlDType, QTensor};
use rushlight::{DType, Device, Result, Tensor};
use std::path::Path;
use std::process::Command;

const TEST: &str = "kernels_execute_as_many_instructions_as_the_table_says";
const CHILD: &str = "RUSHLIGHT_TEST_CHILD";
const HEAD: &str = "# Instructions that waves execute, by target: compiler, kernel, blocks, threads of a block, instructions of all waves.\n\
# `RUSHLIGHT_WRITE=1 cargo xtask test-isa gfx1100 gfx90a` makes this file.\n";

/// Returns numbers that are the same in every run.
fn data(shape: &[usize], device: &Device) -> Result<Tensor> {
    let n = shape.iter().product();
    let v = (0..n).map(|i: usize| ((i * 7919 + i / 7) % 257) as f32 / 64.0 - 2.0).collect();
    Tensor::from_vec::<_, f32>(v, shape, &Device::Cpu)?.to_device(device)
}

fn ids(n: usize, below: usize, device: &Device) -> Result<Tensor> {
    let v = (0..n).map(|i| (i * 31 % below) as u32).collect();
    Tensor::from_vec::<_, u32>(v, n, &Device::Cpu)?.to_device(device)
}

/// Returns the first error, if there is one.
fn ran<const N: usize>(results: [Result<Tensor>; N]) -> Result<()> {
    results.into_iter().try_for_each(|r| r.map(drop))
}

/// Runs kernels in which programs spend most of their time, at sizes of several blocks.
fn work(device: &Device) -> Result<()> {
    let (x, y) = (data(&[256, 256], device)?, data(&[256, 256], device)?);
    ran([&x + &y, &x * &y, x.exp(), x.gelu(), x.relu(), x.affine(2.0, 1.0)])?;
    ran([x.to_dtype(DType::F16), x.t()?.copy(), x.gt(0.0)?.where_cond(&x, &y)])?;
    ran([x.sum(1), x.sum(0), x.max(1), x.sum_all()])?;
    ran([x.softmax(1), x.cumsum(1), x.arg_sort_last_dim(true)])?;
    let targets = ids(256, 256, device)?;
    let tracked = x.leaf();
    tracked.cross_entropy(&targets, Reduction::Mean, -100, 0.0)?.backward_accumulate(None)?;
    let rows = ids(64, 256, device)?;
    ran([x.index_select(&rows, 0), x.index_add(&rows, &y.narrow(0, 0, 64)?, 0)])?;
    let (a, b) = (data(&[128, 128], device)?, data(&[128, 128], device)?);
    ran([a.matmul(&b), a.to_dtype(DType::F16)?.matmul(&b.to_dtype(DType::F16)?)])?;
    let heads = data(&[1, 2, 192, 128], device)?.to_dtype(DType::F16)?;
    ran([heads.scaled_dot_product_attention(&heads, &heads, None, 0.0, true, None)])?;
    let (image, window) = (data(&[2, 8, 16, 16], device)?.leaf(), data(&[16, 8, 3, 3], device)?.leaf());
    image.conv2d(&window, 1, 1, 1, 1)?.backward_accumulate(None)?;
    let image = image.detach();
    ran([image.max_pool2d(2), image.upsample_nearest2d(32, 32)])?;
    let weights =
        QTensor::quantize(&data(&[64, 512], &Device::Cpu)?, GgmlDType::Q4K)?.blocks().to_device(device)?;
    for rows in [1, 64] {
        let x = data(&[rows, 512], device)?;
        ran([x.qmatmul(&weights, GgmlDType::Q4K)])?;
        ran([x.quantize_int8()?.qmatmul_int8(&weights, GgmlDType::Q4K, DType::F32)])?;
    }
    device.synchronize()
}

/// Returns the version of the compiler that the virtual GPU uses.
fn compiler() -> String {
    let said =
        Command::new("clang++-19").arg("--version").output().expect("clang++-19 (cargo xtask tools vgpu)");
    String::from_utf8_lossy(&said.stdout).lines().next().unwrap_or_default().to_string()
}

/// Parses a line printed for RUSHLIGHT_VGPU_COUNT into a row of the table.
fn row(line: &str, arch: &str, compiler: &str) -> Option<String> {
    let (kernel, rest) = line.strip_prefix("rushlight-vgpu: kernel `")?.split_once("`, grid ")?;
    let (grid, rest) = rest.split_once(" of ")?;
    let (block, rest) = rest.split_once(": ")?;
    let (count, _) = rest.split_once(" instructions")?;
    Some(format!("{arch}\t{compiler}\t{kernel}\t{grid}\t{block}\t{count}"))
}

#[test]
#[ignore = "needs the virtual AMD GPU: cargo xtask test-isa"]
fn kernels_execute_as_many_instructions_as_the_table_says() {
    if std::env::var_os(CHILD).is_some() {
        let (device, _) = gpu();
        return work(&device).expect("the kernels run");
    }
    let arch = std::env::var("RUSHLIGHT_VGPU_ARCH").expect("a target in RUSHLIGHT_VGPU_ARCH");
    let compiler = compiler();
    let mut child = Command::new(std::env::current_exe().expect("this program's path"));
    child
        .args(["--exact", TEST, "--ignored", "--nocapture"])
        .env(CHILD, "1")
        .env("RUSHLIGHT_VGPU_COUNT", "1");
    // One thread, so that the order is fixed: retries of atomics are counted, too.
    child.env("RUSHLIGHT_VGPU_ENGINE", "isa").env("RUSHLIGHT_VGPU_THREADS", "1");
    child.env("RUSHLIGHT_BLAS", "native").env("RUSHLIGHT_CONV", "native").env("RUSHLIGHT_FFT", "native");
    let out = child.output().expect("a process");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
    let now: Vec<String> = said.lines().filter_map(|l| row(l, &arch, &compiler)).collect();
    assert!(now.len() > 30, "only {} launches\n{said}", now.len());
    now.iter().for_each(|r| println!("{r}"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/instructions.tsv");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let of = |arch: &str| format!("{arch}\t");
    let (own, others): (Vec<&str>, Vec<&str>) =
        text.lines().filter(|l| !l.starts_with('#')).partition(|l| l.starts_with(&of(&arch)));
    if std::env::var_os("RUSHLIGHT_WRITE").is_some() {
        let mut rows: Vec<&str> = others.into_iter().chain(now.iter().map(String::as_str)).collect();
        // (The sort is stable: rows of a target stay in the order of launches.)
        rows.sort_by_key(|r| r.split('\t').next());
        return std::fs::write(&path, format!("{HEAD}{}\n", rows.join("\n"))).expect("the table is written");
    }
    if !own.iter().any(|l| l.contains(&compiler)) {
        return println!("not compared: the table has no figures of {compiler}");
    }
    let changed: Vec<String> = now.iter().filter(|r| !own.contains(&r.as_str())).cloned().collect();
    assert!(
        changed.is_empty() && now.len() == own.len(),
        "{} launches, {} in the table; changed (RUSHLIGHT_WRITE=1 writes it anew):\n{}",
        now.len(),
        own.len(),
        changed.join("\n")
    );
}
