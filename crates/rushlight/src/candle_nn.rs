//! candle-nn's custom ops on other devices than the CPU. They have code for the CPU, and for CUDA and Metal by candle's own kernels;
//! here ops of the same meaning are run instead.
//!
//! An op is recognized by its type, since its name alone may be that of another op.
use crate::cpu::CpuStorage;
use crate::{CustomOp1, CustomOp2, CustomOp3, D, Layout, Result, Tensor};
use std::any::type_name;

/// Computes an op of one tensor, if it is one of candle-nn's and the tensor is not on the CPU.
pub(crate) fn op1<C: CustomOp1>(_: &C, x: &Tensor) -> Option<Result<Tensor>> {
    if x.device().is_cpu() {
        return None;
    }
    match type_name::<C>() {
        "candle_nn::ops::Sigmoid" => Some(x.sigmoid()),
        "candle_nn::ops::SoftmaxLastDim" => Some(x.softmax(D::Minus1)),
        _ => None,
    }
}

/// Same as [`op1`], for two tensors.
pub(crate) fn op2<C: CustomOp2>(op: &C, x: &Tensor, alpha: &Tensor) -> Option<Result<Tensor>> {
    if x.device().is_cpu() || type_name::<C>() != "candle_nn::ops::RmsNorm" {
        return None;
    }
    let l = Layout::contiguous(2);
    let eps = eps_of(|x, ones, _| op.cpu_fwd(x, &l, ones, &l).map(|(s, _)| s));
    Some(eps.and_then(|eps| x.rms_norm(1, Some(alpha), eps)))
}

/// Same as [`op1`], for three tensors.
pub(crate) fn op3<C: CustomOp3>(op: &C, x: &Tensor, t2: &Tensor, t3: &Tensor) -> Option<Result<Tensor>> {
    if x.device().is_cpu() {
        return None;
    }
    match type_name::<C>() {
        "candle_nn::ops::LayerNorm" => {
            let l = Layout::contiguous(2);
            let eps = eps_of(|x, ones, zeros| op.cpu_fwd(x, &l, ones, &l, zeros, &l).map(|(s, _)| s));
            Some(eps.and_then(|eps| x.layer_norm(1, Some(t2), Some(t3), eps)))
        }
        "candle_nn::rotary_emb::RotaryEmb" => Some(rotated(x, t2, t3, false)),
        "candle_nn::rotary_emb::RotaryEmbI" => Some(rotated(x, t2, t3, true)),
        "candle_nn::rotary_emb::RotaryEmbThd" => Some(
            x.transpose(1, 2)
                .and_then(|x| rotated(&x, t2, t3, false))
                .and_then(|y| y.transpose(1, 2)?.contiguous()),
        ),
        _ => None,
    }
}

/// Rotates `[batch, heads, length, size]` by the first angles, as many as the length.
fn rotated(x: &Tensor, cos: &Tensor, sin: &Tensor, interleaved: bool) -> Result<Tensor> {
    let (_, _, length, _) = x.dims4()?;
    let first = |t: &Tensor| t.narrow(t.rank().saturating_sub(2), 0, length);
    x.rotary_embedding(&first(cos)?, &first(sin)?, interleaved)
}

/// Returns the number that a normalization adds to the variance, which is a private field of candle-nn's ops. `norm` computes, on the
/// CPU, the normalization of two numbers with the weights 1 and the bias 0. Of numbers `a` and `-a` it is `a / sqrt(a^2 + eps)`.
fn eps_of(norm: impl FnOnce(&CpuStorage, &CpuStorage, &CpuStorage) -> Result<CpuStorage>) -> Result<f64> {
    let a = 1e-12f32;
    let storage = |v: [f32; 2]| CpuStorage::from(v.to_vec());
    let y = norm(&storage([a, -a]), &storage([1.0; 2]), &storage([0.0; 2]))?;
    let y = y.as_slice::<f32>()?.first().copied().unwrap_or(1.0);
    let (a, y) = (f64::from(a), f64::from(y));
    let eps = (a / y).powi(2) - a * a;
    // The square has an error in the seventh digit, and programs write fewer.
    let digits = format!("{eps:.5e}").parse().unwrap_or(eps);
    // Of 0 there is only the error.
    Ok(if digits < 1e-28 { 0.0 } else { digits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_of_a_normalization_is_found() {
        for eps in [0f32, 1e-12, 1e-8, 1e-6, 1e-5, 2.5e-5, 1e-3, 0.125] {
            let found = eps_of(|x, _, _| {
                let x = x.as_slice::<f32>()?[0];
                Ok(CpuStorage::from(vec![x / (x * x + eps).sqrt()]))
            });
            let wanted: f64 = eps.to_string().parse().unwrap();
            let found = found.unwrap();
            assert!((found - wanted).abs() <= 1e-6 * wanted, "{found} for {wanted}");
        }
    }
}
