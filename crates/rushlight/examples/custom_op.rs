//! An op that the library does not have, `x / (1 + |x|)`, with a gradient that is checked by finite differences.
//!
//! `cargo run --example custom_op`
use rushlight::{CpuStorage, CustomOp1, Device, Layout, Result, Shape, Tensor};

/// `x / (1 + |x|)`.
struct Softsign;

impl CustomOp1 for Softsign {
    fn name(&self) -> &'static str {
        "softsign"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = storage.as_slice::<f64>()?;
        // The layout says where the elements lie: a transposed or sliced tensor works, too.
        let y: Vec<f64> = layout.strided_index().map(|i| x[i] / (1.0 + x[i].abs())).collect();
        Ok((CpuStorage::F64(y.into()), layout.shape().clone()))
    }

    fn bwd(&self, x: &Tensor, _result: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        Ok(Some((grad / x.abs()?.affine(1.0, 1.0)?.sqr()?)?))
    }
}

fn main() -> Result<()> {
    let values = [[-2.0f64, -0.5, 0.25], [1.0, 3.0, 8.0]];
    let x = Tensor::new(&values, &Device::Cpu)?.t()?.leaf();
    let y = x.apply_op1(Softsign)?;
    println!("softsign:\n{y}");
    assert_eq!(y.get(0)?.to_vec1::<f64>()?, [-2.0 / 3.0, 0.5]);

    let grads = y.sum_all()?.backward()?;
    let grad = grads.get(&x).expect("y depends on x");
    println!("gradient:\n{grad}");
    let difference = finite_differences(&x)?;
    let largest = (grad - difference)?.abs()?.max_all()?.to_scalar::<f64>()?;
    println!("largest difference from finite differences: {largest:.1e}");
    assert!(largest < 1e-8);
    Ok(())
}

/// Returns `(f(x + h) - f(x - h)) / 2h` of each element.
fn finite_differences(x: &Tensor) -> Result<Tensor> {
    const H: f64 = 1e-5;
    let x = x.detach();
    let above = x.affine(1.0, H)?.apply_op1(Softsign)?;
    let below = x.affine(1.0, -H)?.apply_op1(Softsign)?;
    (above - below)?.affine(0.5 / H, 0.0)
}
