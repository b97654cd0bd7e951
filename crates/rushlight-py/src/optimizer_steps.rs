//! Steps of optimizers, and limits of gradients, over many tensors: on a GPU, one launch for up to 64 of them.
use crate::args::Arg;
use crate::error::run;
use crate::function::{Function, function};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::Tensor;
use rushlight::ops::Op;
use rushlight::ops::accumulate_norm::AccumulateNorm;
use rushlight::ops::adagrad_step::AdagradStep;
use rushlight::ops::adam_step::AdamStep;
use rushlight::ops::clip_value::ClipValue;
use rushlight::ops::optimizer_step::{OptimizerStep, StepOp};
use rushlight::ops::rmsprop_step::RmspropStep;
use rushlight::ops::sgd_step::SgdStep;
use rushlight::ops::unscale_and_check_finite::UnscaleAndCheckFinite;

/// Runs an op on the first, second, .. tensor of each list; it updates those of the lists `updated`.
fn each(py: Python<'_>, op: Op, updated: &[&[Arg]], inputs: &[&[Arg]], shared: &[&Arg]) -> PyResult<()> {
    let lists = || updated.iter().chain(inputs);
    let count = lists().next().map_or(0, |list| list.len());
    if lists().any(|list| list.len() != count) {
        return Err(PyValueError::new_err(format!("{}: the lists have different lengths", op.name())));
    }
    let tensors: Vec<[Vec<&Tensor>; 2]> = (0..count)
        .map(|i| [updated, inputs].map(|lists| lists.iter().map(|list| &list[i].0).collect()))
        .collect();
    let calls: Vec<(&[&Tensor], &[&Tensor])> =
        tensors.iter().map(|[targets, inputs]| (&targets[..], &inputs[..])).collect();
    let shared: Vec<&Tensor> = shared.iter().map(|a| &a.0).collect();
    let elems = lists().next().into_iter().flat_map(|list| list.iter()).map(|a| a.0.elem_count()).sum();
    run(py, elems, || Tensor::run_inplace_each(op, &calls, &shared))
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "_sgd_steps(params, grads, buffers, lr, momentum, dampening, weight_decay, nesterov, first, maximize, /)";
            "Runs `sgd_step` on lists of tensors; `buffers` is not read where momentum is 0.";
            () -> "None" ""; (); [];
            |py, params: Vec<Arg>, grads: Vec<Arg>, buffers: Vec<Arg>, lr: f64, momentum: f64, dampening: f64,
             weight_decay: f64, nesterov: bool, first: bool, maximize: bool| {
                let op = Op::SgdStep(SgdStep { lr, momentum, dampening, weight_decay, nesterov, first, maximize });
                let lists: &[&[Arg]] = if momentum == 0.0 { &[&params] } else { &[&params, &buffers] };
                each(py, op, lists, &[&grads], &[])
            }
        ),
        function!(
            "_adam_steps(params, grads, exp_avgs, exp_avg_sqs, step, lr, beta1, beta2, eps, weight_decay, decoupled, maximize, /)";
            "Runs `adam_step`, or `adamw_step` where `decoupled`, on lists of tensors.";
            () -> "None" ""; (); [];
            |py, params: Vec<Arg>, grads: Vec<Arg>, exp_avgs: Vec<Arg>, exp_avg_sqs: Vec<Arg>, step: u64, lr: f64,
             beta1: f64, beta2: f64, eps: f64, weight_decay: f64, decoupled: bool, maximize: bool| {
                let op = Op::AdamStep(AdamStep { lr, beta1, beta2, eps, weight_decay, decoupled, step, maximize });
                each(py, op, &[&params, &exp_avgs, &exp_avg_sqs], &[&grads], &[])
            }
        ),
        function!(
            "_rmsprop_steps(params, grads, square_avgs, grad_avgs, buffers, lr, alpha, eps, weight_decay, momentum, centered, maximize, /)";
            "Runs `rmsprop_step` on lists of tensors; lists that a step does not need are not read.";
            () -> "None" ""; (); [];
            |py, params: Vec<Arg>, grads: Vec<Arg>, square_avgs: Vec<Arg>, grad_avgs: Vec<Arg>, buffers: Vec<Arg>,
             lr: f64, alpha: f64, eps: f64, weight_decay: f64, momentum: f64, centered: bool, maximize: bool| {
                let op =
                    Op::RmspropStep(RmspropStep { lr, alpha, eps, weight_decay, momentum, centered, maximize });
                let mut lists: Vec<&[Arg]> = vec![&params, &square_avgs];
                lists.extend(centered.then_some(grad_avgs.as_slice()));
                lists.extend((momentum != 0.0).then_some(buffers.as_slice()));
                each(py, op, &lists, &[&grads], &[])
            }
        ),
        function!(
            "_adagrad_steps(params, grads, sums, step, lr, lr_decay, weight_decay, eps, maximize, /)";
            "Runs `adagrad_step` on lists of tensors.";
            () -> "None" ""; (); [];
            |py, params: Vec<Arg>, grads: Vec<Arg>, sums: Vec<Arg>, step: u64, lr: f64, lr_decay: f64,
             weight_decay: f64, eps: f64, maximize: bool| {
                let op = Op::AdagradStep(AdagradStep { lr, lr_decay, weight_decay, eps, step, maximize });
                each(py, op, &[&params, &sums], &[&grads], &[])
            }
        ),
        function!(
            "_optimizer_steps(name, params, grads, states, numbers, keep, weight_decay, maximize, /)";
            "Runs the step `name` of the family of `optimizer_step` on lists of tensors; `states` has a list for each state.";
            () -> "None" ""; (); [];
            |py, name: String, params: Vec<Arg>, grads: Vec<Arg>, states: Vec<Vec<Arg>>, numbers: Vec<f64>, keep: f64,
             weight_decay: f64, maximize: bool| {
                let op = StepOp::ALL.iter().find(|op| op.as_str() == name);
                let op = *op.ok_or_else(|| PyValueError::new_err(format!("no optimizer has the step '{name}'")))?;
                let step = run(py, 0, || OptimizerStep::new(op, &numbers))?;
                let mut lists: Vec<&[Arg]> = vec![&params];
                lists.extend(states.iter().map(Vec::as_slice));
                each(py, Op::OptimizerStep(OptimizerStep { keep, weight_decay, maximize, ..step }), &lists, &[&grads], &[])
            }
        ),
        function!(
            "_unscale_and_check_finite(grads, found, factor, /)";
            "Runs `unscale_and_check_finite` on a list of gradients.";
            () -> "None" ""; (); [];
            |py, grads: Vec<Arg>, found: Arg, factor: Arg| {
                let factors: Vec<Arg> = grads.iter().map(|_| Arg(factor.0.clone())).collect();
                each(py, Op::UnscaleAndCheckFinite(UnscaleAndCheckFinite), &[&grads], &[&factors], &[&found])
            }
        ),
        function!(
            "_clip_values(grads, min, max, /)";
            "`clip_value` over a list of gradients.";
            () -> "None" ""; (); [];
            |py, grads: Vec<Arg>, min: f64, max: f64| {
                each(py, Op::ClipValue(ClipValue { min, max }), &[&grads], &[], &[])
            }
        ),
        function!(
            "_accumulate_norms(total, tensors, order, /)";
            "`accumulate_norm` over a list of tensors.";
            () -> "None" ""; (); [];
            |py, total: Arg, tensors: Vec<Arg>, order: f64| {
                each(py, Op::AccumulateNorm(AccumulateNorm { order }), &[], &[&tensors], &[&total])
            }
        ),
    ]
}
