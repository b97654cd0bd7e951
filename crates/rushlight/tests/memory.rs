//! Live bytes of a training loop. This file has one test, because the counters are global to the process.
use rushlight::{DType, Device, Result, Tensor, Var, cpu};

/// Runs one step of gradient descent on a small network. Every tensor of the step is dropped at its end.
fn step(w1: &Var, w2: &Var, b: &Var, x: &Tensor, y: &Tensor) -> Result<()> {
    let h = x.matmul(w1)?.broadcast_add(b)?.relu()?;
    let out = h.matmul(w2)?;
    let loss = (out - y)?.sqr()?.mean_all()?;
    let grads = loss.backward()?;
    for v in [w1, w2, b] {
        let g = grads.get(v).ok_or(rushlight::Error::UnwrapNone)?;
        v.set(&(v.as_tensor().detach() - (g * 0.01)?)?)?;
    }
    // Accumulated gradients are kept by the leaves until they are cleared.
    let h = x.matmul(w1)?.tanh()?;
    h.sqr()?.sum_all()?.backward_accumulate(None)?;
    w1.set_grad(None)
}

#[test]
fn live_bytes_stay_the_same_and_end_at_zero() -> Result<()> {
    let device = &Device::Cpu;
    assert_eq!(cpu::memory_stats().live, 0);
    let mut at = Vec::new();
    {
        let w1 = Var::randn(0f32, 0.1, (20, 32), device)?;
        let w2 = Var::randn(0f32, 0.1, (32, 3), device)?;
        let b = Var::zeros(32, DType::F32, device)?;
        let x = Tensor::randn(0f32, 1.0, (16, 20), device)?;
        let y = Tensor::randn(0f32, 1.0, (16, 3), device)?;
        for i in 1..=1000 {
            step(&w1, &w2, &b, &x, &y)?;
            if i == 10 || i == 1000 {
                at.push(cpu::memory_stats().live);
            }
        }
        // An error during the backward pass keeps no memory either.
        let h = w1.sqr()?;
        let z = h.sqr()?;
        rushlight::autograd::no_grad(|| h.zero_set())?;
        assert!(z.backward().is_err());
    }
    assert!(at[0] > 0 && at[0] == at[1], "live bytes after steps 10 and 1000: {at:?}");
    assert_eq!(cpu::memory_stats().live, 0, "something is still held");
    // Threads count small blocks separately. The peak of one thread, and blocks that one thread takes and another
    // returns, are counted exactly.
    let small = |n| (0..n).map(|_| cpu::Buffer::<f32>::zeros(16)).collect::<Result<Vec<_>>>();
    cpu::reset_peak();
    drop(small(10)?);
    let stats = cpu::memory_stats();
    assert_eq!((stats.live, stats.peak), (0, 10 * 64));
    let taken = std::thread::spawn(move || small(1000)).join().expect("a thread that takes blocks")?;
    assert_eq!(cpu::memory_stats().live, 1000 * 64);
    drop(taken);
    let stats = cpu::memory_stats();
    assert_eq!((stats.live, stats.peak), (0, 1000 * 64));
    cpu::empty_cache();
    assert_eq!(cpu::memory_stats().cached, 0);
    Ok(())
}
