//! Second derivatives of every op definition, by finite differences of its first gradient in f64, and the gradient rules of the
//! ops that are parts of gradients.
//!
//! `RUSHLIGHT_CASE=softmax#1/f64 cargo test -p rushlight-parity --test second` runs the cases whose name contains the text.
#[path = "../../rushlight/tests/common/mod.rs"]
mod common;
use common::report::{Check, Report, as_f64, text};
use rushlight::autograd::{GradOptions, grad};
use rushlight::ops::{Differentiable, Op};
use rushlight::{DType, Device, Result, Tensor};
use rushlight_parity::sweep::{Case, Form};
use std::collections::BTreeSet;

/// The largest number of elements of an input for which a finite difference is computed.
const MOVED: usize = 24;

/// Returns fixed numbers without symmetry, in the shape and dtype of a tensor.
fn weights(like: &Tensor, seed: usize) -> Result<Tensor> {
    let v: Vec<f64> =
        (0..like.elem_count()).map(|i| ((i * 37 + 11 * seed + 5) % 23) as f64 / 11.0 - 0.93).collect();
    Tensor::from_vec(v, like.shape(), &Device::Cpu)?.to_dtype(like.dtype())
}

fn is_float(t: &Tensor) -> bool {
    t.dtype() == DType::F64
}

/// Compares gradients with central differences of a function, whose result is one number, at some of the elements.
fn differences(
    leaves: &[Tensor],
    grads: &[Option<Tensor>],
    f: &dyn Fn(&[Tensor]) -> std::result::Result<f64, String>,
) -> std::result::Result<f64, String> {
    let mut largest = 0f64;
    for (k, leaf) in leaves.iter().enumerate().filter(|(_, t)| is_float(t)) {
        let n = leaf.elem_count();
        let grad = match &grads[k] {
            Some(g) => as_f64(g)?,
            None => vec![0.0; n],
        };
        for e in (0..n).step_by(n.div_ceil(MOVED).max(1)) {
            let moved = |by: f64| -> std::result::Result<f64, String> {
                let mut v = as_f64(leaf)?;
                v[e] += by;
                let mut at = leaves.to_vec();
                at[k] = text(Tensor::from_vec(v, leaf.shape(), &Device::Cpu))?;
                f(&at)
            };
            let h = 1e-5;
            let numeric = (moved(h)? - moved(-h)?) / (2.0 * h);
            let diff = (numeric - grad[e]).abs();
            largest = largest.max(grad[e].abs());
            // The condition is written so that a NaN fails.
            if diff.is_nan() || diff > 1e-5 * grad[e].abs().max(1.0) {
                return Err(format!(
                    "input {k}, element {e}: gradient {}, finite differences {numeric}",
                    grad[e]
                ));
            }
        }
    }
    Ok(largest)
}

/// The float inputs as leaves.
fn tracked(ins: &[Tensor]) -> Vec<Tensor> {
    ins.iter().map(|t| if is_float(t) { t.leaf() } else { t.clone() }).collect()
}

/// Returns the weighted sum of an op's gradients. The last input is the gradient of the op's output.
fn first(op: &Op, ins: &[Tensor], options: GradOptions) -> Result<Tensor> {
    let (cotangent, ins) = ins.split_last().expect("a cotangent");
    let out = op.run(ins)?.remove(0);
    let wanted: Vec<&Tensor> = ins.iter().filter(|t| is_float(t)).collect();
    let grads = grad(&[&out], &wanted, &[Some(cotangent.clone())], options)?;
    let mut sum = Tensor::zeros((), DType::F64, &Device::Cpu)?;
    for (i, g) in grads.iter().flatten().enumerate() {
        sum =
            (sum + (g.to_dtype(DType::F64)? * weights(&g.detach(), i)?.to_dtype(DType::F64)?)?.sum_all()?)?;
    }
    Ok(sum)
}

fn second(op: &Op, ins: &[Tensor]) -> std::result::Result<f64, String> {
    let mut leaves = ins.to_vec();
    let out = text(op.run(ins))?.remove(0);
    leaves.push(text(weights(&out, 1).and_then(|t| t.copy()))?);
    let options = GradOptions { create_graph: true, allow_unused: true };
    let at = tracked(&leaves);
    let sum = text(first(op, &at, options))?;
    let plain = GradOptions { create_graph: false, ..options };
    let value = |at: &[Tensor]| text(first(op, &tracked(at), plain).and_then(|t| t.to_scalar::<f64>()));
    let (with, without) = (text(sum.to_scalar::<f64>())?, value(&leaves)?);
    if (with - without).abs() > 1e-9 * without.abs().max(1.0) {
        return Err(format!("with a graph the gradients' sum is {with}, without {without}"));
    }
    let wanted: Vec<&Tensor> = at.iter().filter(|t| is_float(t)).collect();
    // Constant gradients, such as those of rounding, are not part of a graph; their finite differences must be 0.
    let mut found = if sum.track_op() {
        text(grad(&[&sum], &wanted, &[], plain))?.into_iter()
    } else {
        vec![None; wanted.len()].into_iter()
    };
    let grads: Vec<_> = at.iter().map(|t| if is_float(t) { found.next().flatten() } else { None }).collect();
    differences(&leaves, &grads, &value)
}

/// Good cases of contiguous f64 tensors.
fn cases(wanted: Differentiable) -> impl Iterator<Item = Case> {
    Case::all().into_iter().filter(move |c| {
        c.error.is_none()
            && c.form == Form::Contiguous
            && c.op.targets() == 0
            && c.op.differentiable() == wanted
            && c.dtypes.contains(&DType::F64)
            && c.dtypes.iter().all(|d| !d.is_float() || *d == DType::F64)
    })
}

#[test]
fn second_derivatives_agree_with_finite_differences() {
    let mut r = Report::new();
    let mut curved = BTreeSet::new();
    for case in cases(Differentiable::Yes).filter(|c| c.grad) {
        r.case(&case.name, || {
            let ins = text(case.tensors(&Device::Cpu))?;
            if second(&case.op, &ins)? > 1e-3 {
                curved.insert(case.op.name());
            }
            Ok(())
        });
    }
    println!("{} ops with second derivatives: {curved:?}", curved.len());
    let filtered = std::env::var("RUSHLIGHT_CASE").is_ok();
    assert!(filtered || curved.len() >= 80, "only {} ops have a second derivative", curved.len());
    r.finish(200);
}

#[test]
fn rules_of_ops_that_are_parts_of_gradients_agree_with_finite_differences() {
    let mut r = Report::new();
    let mut seen = BTreeSet::new();
    for case in cases(Differentiable::Again) {
        seen.insert(case.op.name());
        r.case(&case.name, || -> Check {
            let ins = text(case.tensors(&Device::Cpu))?;
            // No gradient flows to the weights of classes.
            let loss = case.op.name() == "nll_loss_backward";
            let (ins, fixed) = ins.split_at(if loss { 2 } else { ins.len() });
            let run = |ins: &[Tensor]| -> Result<Tensor> {
                let all: Vec<Tensor> = ins.iter().chain(fixed).cloned().collect();
                let out = case.op.run(&all)?.remove(0);
                (&out * weights(&out.detach(), 3)?)?.sum_all()
            };
            let leaves = tracked(ins);
            let out = text(run(&leaves))?;
            if !out.track_op() {
                return Err("the output is not part of a graph".to_string());
            }
            let wanted: Vec<&Tensor> = leaves.iter().filter(|t| is_float(t)).collect();
            let options = GradOptions { allow_unused: true, ..Default::default() };
            let mut found = text(grad(&[&out], &wanted, &[], options))?.into_iter();
            let grads: Vec<_> =
                leaves.iter().map(|t| if is_float(t) { found.next().flatten() } else { None }).collect();
            differences(ins, &grads, &|at| text(run(at).and_then(|t| t.to_scalar::<f64>())))?;
            // Checks the gradients of these gradients too.
            if fixed.is_empty() {
                second(&case.op, ins)?;
            }
            Ok(())
        });
    }
    println!("{seen:?}");
    r.finish(60);
}

/// An op that computes a gradient and is not recorded would make second derivatives silently zero.
#[test]
fn no_part_of_a_gradient_is_left_out_of_the_graph() {
    let parts =
        |name: &str| name.ends_with("_backward") || name.ends_with("_grad") || name == "attention_stats";
    let left: BTreeSet<String> = Op::all_samples()
        .iter()
        .filter(|s| parts(s.op.name()) && matches!(s.op.differentiable(), Differentiable::No(_)))
        .map(|s| s.op.name().to_string())
        .collect();
    assert!(
        left.is_empty(),
        "{left:?} are not recorded: give them a rule and `Differentiable::Again`, or `Differentiable::Refused(reason and remedy)`"
    );
}
