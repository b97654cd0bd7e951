//! Memory of the ROCm backend, and cases that the parity suite (`parity.rs` of crate rushlight-parity) does not have.
//! The tests are ignored by default, since they need an AMD GPU or the virtual one:
//!
//! `make test-rocm`, or `RUSHLIGHT_ROCM_PATH=... cargo test --release -p rushlight --test gpu -- --ignored`.
mod common;
use common::device::gpu;
use rushlight::{DType, Device, Tensor};

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn dropped_tensors_give_their_memory_back() {
    let (device, handle) = gpu();
    let live = handle.memory_stats().live;
    let t = Tensor::zeros((1000, 300), DType::F32, &device).expect("zeros");
    assert!(handle.memory_stats().live >= live + 1_200_000);
    drop(t);
    assert_eq!(handle.memory_stats().live, live);
    handle.empty_cache().expect("empty_cache");
}

/// Whether this process has the default memory pool. The other tests run with `RUSHLIGHT_GPU_POOL` set. In that case
/// this function runs the named test in a separate process without it, and returns false.
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
    let (device, handle) = gpu();
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
    let (device, handle) = gpu();
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
    let turn = gpu();
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
