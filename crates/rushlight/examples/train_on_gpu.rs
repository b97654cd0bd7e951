//! Trains a small network on an AMD GPU, or on the virtual one, and compares the losses with the CPU's.
//!
//! `RUSHLIGHT_ROCM_PATH=$(make -s vgpu | tail -1) cargo run --example train_on_gpu`; without a GPU it says what is missing.
use rushlight::ops::Reduction;
use rushlight::{DType, Device, Result, Tensor, Var};

const POINTS: usize = 96;
const STEPS: usize = 60;
const RATE: f64 = 0.8;

fn main() -> Result<()> {
    let gpu = match Device::new_rocm(0) {
        Ok(device) => device,
        Err(e) => {
            eprintln!("this example needs an AMD GPU or the virtual one (make vgpu): {e}");
            std::process::exit(1);
        }
    };
    let (on_gpu, correct) = train(&gpu)?;
    let (on_cpu, _) = train(&Device::Cpu)?;
    println!("{:?}: loss {:.4} to {:.4}", gpu.location(), on_gpu[0], on_gpu[STEPS - 1]);
    println!("{:?}: loss {:.4} to {:.4}", Device::Cpu.location(), on_cpu[0], on_cpu[STEPS - 1]);
    println!("{correct} of {POINTS} points are classified right");
    assert!(on_gpu.iter().zip(&on_cpu).all(|(g, c)| (g - c).abs() < 1e-3));
    assert!(on_gpu[STEPS - 1] < 0.5 * on_gpu[0] && correct > POINTS * 9 / 10);
    Ok(())
}

/// Trains two layers to tell the inside of a circle from its outside; returns the loss of each step, and how many points the
/// network classifies right in the end.
fn train(device: &Device) -> Result<(Vec<f32>, usize)> {
    // A spiral through both classes: data and weights are the same on every device.
    let at = |i: usize| (i as f32 / POINTS as f32 * 1.5, i as f32 * 2.4);
    let points: Vec<f32> =
        (0..POINTS).flat_map(|i| [at(i).0 * at(i).1.cos(), at(i).0 * at(i).1.sin()]).collect();
    let classes: Vec<u32> = (0..POINTS).map(|i| u32::from(at(i).0 > 0.75)).collect();
    let x = Tensor::from_vec(points, (POINTS, 2), device)?;
    let classes = Tensor::from_vec(classes, POINTS, device)?;

    let start = |rows: usize, columns: usize| -> Result<Var> {
        let values = Tensor::arange(0f32, (rows * columns) as f32, device)?.affine(2.0, 1.0)?.sin()?;
        Var::from_tensor(&values.reshape((rows, columns))?)
    };
    let (w1, b1) = (start(2, 16)?, Var::zeros(16, DType::F32, device)?);
    let (w2, b2) = (start(16, 2)?, Var::zeros(2, DType::F32, device)?);
    let forward = || -> Result<Tensor> {
        let hidden = x.matmul(w1.as_tensor())?.broadcast_add(b1.as_tensor())?.relu()?;
        hidden.matmul(w2.as_tensor())?.broadcast_add(b2.as_tensor())
    };
    let mut losses = Vec::new();
    for _ in 0..STEPS {
        let loss = forward()?.cross_entropy(&classes, Reduction::Mean, -100, 0.0)?;
        let grads = loss.backward()?;
        for parameter in [&w1, &b1, &w2, &b2] {
            let grad = grads.get(parameter.as_tensor()).expect("the loss depends on every parameter");
            parameter.set(&(parameter.as_detached_tensor() - (grad * RATE)?)?)?;
        }
        losses.push(loss.to_scalar::<f32>()?);
    }
    let right = forward()?.argmax(1)?.eq(&classes)?.to_dtype(DType::F32)?.sum_all()?;
    Ok((losses, right.to_scalar::<f32>()? as usize))
}
