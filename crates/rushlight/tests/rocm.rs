//! The ROCm backend against the CPU: every sample of every card, dtype and layout, and gradients. Ignored unless asked
//! for, since they need an AMD GPU or the virtual one:
//!
//! `make test-rocm`, or `RUSHLIGHT_ROCM_PATH=... cargo test --release -p rushlight --test rocm -- --ignored`.
//! `RUSHLIGHT_CASE=add#1/f32` chooses cases by a part of their names.
mod common;
use common::device::rocm;
use common::oracle::agrees;
use common::report::{Report, as_f64, bits, differentiable, gradients, text};
use rushlight::gpu::GpuCounters;
use rushlight::sweep::{Case, Form};
use rushlight::{DType, Device, Support, Tensor, sets};
use std::collections::BTreeSet;

fn supported(device: &Device, case: &Case) -> bool {
    device.supports(&case.op, &case.dtypes) == Support::Yes
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn every_op_dtype_and_layout_agrees_with_the_cpu() {
    let (device, handle) = rocm();
    println!("{handle:?}");
    let mut r = Report::new();
    let mut missing = BTreeSet::new();
    for case in Case::all().iter().filter(|c| c.error.is_none()) {
        if !supported(&device, case) {
            missing.insert(case.op.name());
            continue;
        }
        r.case(&case.name, || {
            let host = text(case.tensors(&Device::Cpu))?;
            let want = text(case.run(&host))?;
            let inputs = text(case.tensors(&device))?;
            let before = handle.counters();
            let got = text(case.run(&inputs))?;
            let after = handle.counters();
            if (before.uploads, before.downloads) != (after.uploads, after.downloads) {
                return Err(format!("the op moved memory: {before:?} -> {after:?}"));
            }
            // Without elements to write (an empty index of an op in place) nothing need be launched.
            let busy = got.iter().chain(&inputs).all(|t| t.elem_count() > 0);
            let work = |c: GpuCounters| c.launches + c.blas_calls + c.conv_calls;
            if work(after) == work(before) && busy {
                return Err("nothing was launched".to_string());
            }
            for (g, w) in got.iter().zip(&want) {
                agrees(&case.op, &host, g, w)?;
            }
            drop((got, inputs));
            // With guard bands: what was written outside of them is told when they are given back.
            text(device.synchronize())
        });
    }
    if !missing.is_empty() {
        println!("without a kernel: {missing:?}");
    }
    r.finish(10_000);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn bad_uses_fail_with_the_cpus_words() {
    let (device, _) = rocm();
    let mut r = Report::new();
    for case in Case::all().iter().filter(|c| supported(&device, c)) {
        let Some(want) = case.error else { continue };
        r.case(&case.name, || {
            let on = |device: &Device| -> std::result::Result<String, String> {
                let run = case.run(&text(case.tensors(device))?);
                // An index out of range shows when the result is read.
                match run.and_then(|out| out.iter().try_for_each(|t| t.to_cpu_storage().map(|_| ()))) {
                    Ok(()) => Err(format!("gave no error on {:?}", device.location())),
                    Err(e) => Ok(e.to_string()),
                }
            };
            let (cpu, gpu) = (on(&Device::Cpu)?, on(&device)?);
            if cpu.contains(want) && cpu == gpu {
                Ok(())
            } else {
                Err(format!("wanted `{want}`, got `{cpu}` and `{gpu}`"))
            }
        });
    }
    r.finish(100);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn gradients_are_the_cpus_and_stay_on_the_device() {
    let (device, handle) = rocm();
    let mut r = Report::new();
    let mut missing = BTreeSet::new();
    let cases = Case::all()
        .into_iter()
        .filter(|c| c.grad && c.error.is_none() && differentiable(&c.op))
        .filter(|c| c.dtypes.iter().any(|d| d.is_float()))
        .filter(|c| c.dtypes.iter().all(|d| !d.is_float() || sets::FLOAT.contains(*d)))
        .filter(|c| matches!(c.form, Form::Contiguous | Form::Stepped) && supported(&device, c));
    for case in cases {
        let want =
            gradients(case.tensors(&Device::Cpu).expect("inputs"), &case.op).expect("gradients on the CPU");
        let ins = case.tensors(&device).expect("inputs");
        let before = handle.counters();
        let got = gradients(ins, &case.op);
        if got.as_ref().is_err_and(|e| e.contains("its kernel is not written yet")) {
            missing.insert(case.op.name());
            continue;
        }
        r.case(&case.name, || {
            let after = handle.counters();
            let got = got?;
            if (before.uploads, before.downloads) != (after.uploads, after.downloads) {
                return Err(format!("moved memory: {before:?} -> {after:?}"));
            }
            if got.len() != want.len() {
                return Err(format!("{} gradients, on the CPU {}", got.len(), want.len()));
            }
            for (g, w) in got.iter().zip(&want) {
                if bits(g)? == bits(w)? {
                    continue;
                }
                let may = match g.dtype() {
                    DType::F64 => 1e-13,
                    DType::F32 => 1e-5,
                    // Two roundings of the dtype.
                    DType::F16 => 2f64.powi(-10),
                    _ => 2f64.powi(-7),
                };
                let host = text(g.to_device(&Device::Cpu))?;
                let (g, w) = (as_f64(&host)?, as_f64(w)?);
                let norm = w.iter().map(|v| v * v).sum::<f64>().sqrt();
                let off = g.iter().zip(&w).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                if off.is_nan() || off > may * norm.max(1e-30) {
                    return Err(format!("{off:e} from the CPU's gradient, whose norm is {norm:e}"));
                }
            }
            Ok(())
        });
    }
    if !missing.is_empty() {
        println!("gradients without a kernel: {missing:?}");
    }
    r.finish(500);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn dropped_tensors_give_their_memory_back() {
    let (device, handle) = rocm();
    let live = handle.memory_stats().live;
    let t = Tensor::zeros((1000, 300), DType::F32, &device).expect("zeros");
    assert!(handle.memory_stats().live >= live + 1_200_000);
    drop(t);
    assert_eq!(handle.memory_stats().live, live);
    handle.empty_cache().expect("empty_cache");
}

/// Whether this process has memory as users get it. The other tests run with `RUSHLIGHT_GPU_POOL`; there this one runs
/// the named test again, without, in a process of its own.
fn pooled(test: &str) -> bool {
    const POOL: &str = "RUSHLIGHT_GPU_POOL";
    if std::env::var_os(POOL).is_none() {
        return true;
    }
    let program = std::env::current_exe().expect("this program's path");
    let args = ["--exact", test, "--ignored", "--nocapture"];
    let done = std::process::Command::new(program).args(args).env_remove(POOL).output().expect("a process");
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
    false
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_hundred_thousand_small_tensors_live_at_once() -> rushlight::Result<()> {
    if !pooled("a_hundred_thousand_small_tensors_live_at_once") {
        return Ok(());
    }
    let (device, handle) = rocm();
    let before = handle.memory_stats();
    let all: Vec<Tensor> =
        (0..100_000).map(|i| Tensor::full(i as f32, (), &device)).collect::<rushlight::Result<_>>()?;
    let s = handle.memory_stats();
    assert_eq!(s.blocks - before.blocks, 100_000);
    assert!(s.device_allocations - before.device_allocations <= 26, "{s:?}");
    for (i, t) in all.iter().enumerate() {
        assert_eq!(t.to_scalar::<f32>()?, i as f32);
    }
    drop(all);
    let s = handle.memory_stats();
    assert_eq!((s.live, s.requested, s.blocks), (before.live, before.requested, before.blocks));
    handle.empty_cache()?;
    assert!(handle.memory_stats().reserved <= before.reserved);
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn training_holds_as_much_at_step_1000_as_at_step_10() -> rushlight::Result<()> {
    if !pooled("training_holds_as_much_at_step_1000_as_at_step_10") {
        return Ok(());
    }
    let (device, handle) = rocm();
    let start = handle.memory_stats();
    let mut held = Vec::new();
    {
        let x = Tensor::randn(0f32, 1.0, (16, 4), &device)?;
        let y = Tensor::randn(0f32, 1.0, (16, 1), &device)?;
        let w = rushlight::Var::randn(0f32, 1.0, (4, 1), &device)?;
        for _ in 0..1000 {
            let loss = (x.matmul(&w)? - &y)?.sqr()?.mean_all()?;
            let grads = loss.backward()?;
            let Some(g) = grads.get(&w) else { panic!("no gradient") };
            w.set(&(w.detach() - g.affine(0.05, 0.0)?)?)?;
            let s = handle.memory_stats();
            held.push((s.live, s.blocks, s.reserved));
        }
    }
    assert_eq!(held[9], held[999], "memory grows from step to step");
    let end = handle.memory_stats();
    assert_eq!((end.live, end.requested, end.blocks), (start.live, start.requested, start.blocks));
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn reductions_of_no_elements_in_any_order_of_dimensions() -> rushlight::Result<()> {
    let turn = rocm();
    let device = &turn.0;
    for (shape, order) in
        [(vec![0, 0], vec![1, 0]), (vec![0, 5, 3], vec![2, 0, 1]), (vec![4, 0, 2], vec![1, 2, 0])]
    {
        let on = |device: &Device| -> rushlight::Result<Vec<f32>> {
            let t = Tensor::zeros(shape.clone(), DType::F32, device)?.permute(order.clone())?;
            let sums = [t.sum_all()?, t.exp()?.sum_all()?];
            let all = t.sum((0, 1))?.flatten_all()?.to_vec1::<f32>()?;
            sums.iter().map(|s| s.to_scalar::<f32>()).chain(all.into_iter().map(Ok)).collect()
        };
        assert_eq!(on(device)?, on(&Device::Cpu)?, "{shape:?} as {order:?}");
    }
    Ok(())
}
