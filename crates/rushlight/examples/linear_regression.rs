//! Fits a line to points with noise by gradient descent, and compares with the closed solution.
//!
//! `cargo run --example linear_regression`
use rushlight::{Device, Result, Tensor, Var};

const POINTS: usize = 200;
const RATE: f64 = 0.1;

fn main() -> Result<()> {
    let device = Device::Cpu;
    // y = 3 x - 0.5, and noise from a fixed sequence, so that every run sees the same points.
    let x: Vec<f64> = (0..POINTS).map(|i| i as f64 / 100.0 - 1.0).collect();
    let y: Vec<f64> =
        x.iter().enumerate().map(|(i, x)| 3.0 * x - 0.5 + 0.1 * (i as f64 * 12.9898).sin()).collect();
    let (slope, offset) = least_squares(&x, &y);

    let inputs = Tensor::from_vec(x, (POINTS, 1), &device)?;
    let targets = Tensor::from_vec(y, (POINTS, 1), &device)?;
    let weight = Var::new(&[[0f64]], &device)?;
    let bias = Var::new(&[0f64], &device)?;
    for step in 0..200 {
        let predicted = inputs.matmul(weight.as_tensor())?.broadcast_add(bias.as_tensor())?;
        let loss = (predicted - &targets)?.sqr()?.mean_all()?;
        let grads = loss.backward()?;
        for parameter in [&weight, &bias] {
            let grad = grads.get(parameter.as_tensor()).expect("the loss depends on every parameter");
            parameter.set(&(parameter.as_detached_tensor() - (grad * RATE)?)?)?;
        }
        if step % 50 == 0 {
            println!("step {step:>3}: loss {:.5}", loss.to_scalar::<f64>()?);
        }
    }

    let found = (weight.flatten_all()?.to_vec1::<f64>()?[0], bias.to_vec1::<f64>()?[0]);
    println!("found y = {:.4} x + {:.4}; least squares: y = {slope:.4} x + {offset:.4}", found.0, found.1);
    assert!((found.0 - slope).abs() < 1e-3 && (found.1 - offset).abs() < 1e-3);
    Ok(())
}

/// Returns the slope and offset of the line with the least squared error.
fn least_squares(x: &[f64], y: &[f64]) -> (f64, f64) {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(x), mean(y));
    let covariance: f64 = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let slope = covariance / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>();
    (slope, my - slope * mx)
}
