//! Functions for neural networks and the fused steps of optimizers, as `rushlight.nn.functional` and `rushlight.optim`
//! call them.
use crate::args::{Arg, Ints, Whole};
use crate::error::{of, run};
use crate::function::{Function, function};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::ops::adam_step::AdamStep;
use rushlight::ops::loss::Reduction;
use rushlight::ops::sgd_step::SgdStep;
use rushlight::{Error, Result, Tensor};

/// One number per axis of a window, none negative.
pub(crate) fn sizes(op: &str, name: &str, v: &Ints) -> PyResult<Vec<usize>> {
    v.values.iter().map(|&v| Whole(v.into()).count(op, name)).collect()
}

fn kernel_rank(op: &str, kernel: &Tensor, rank: usize) -> PyResult<()> {
    if kernel.rank() == rank + 2 {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{op}: weight has rank {}, got shape {:?}", rank + 2, kernel.dims())))
}

fn with_bias(op: &'static str, out: Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    let Some(b) = bias else { return Ok(out) };
    let channels = out.dims()[1];
    if b.dims() != [channels] {
        let (lhs, rhs) = (out.shape().clone(), b.shape().clone());
        return Err(Error::ShapeMismatchBinaryOp { lhs, rhs, op }.bt());
    }
    let mut shape = vec![1; out.rank()];
    shape[1] = channels;
    out.broadcast_add(&b.reshape(shape)?)
}

/// The numbers of a convolution, as Python gives them.
struct Window {
    stride: Ints,
    padding: Ints,
    /// Of a transposed convolution.
    output_padding: Option<Ints>,
    dilation: Ints,
    groups: Whole,
}

/// A convolution over `rank` axes, transposed where there is an output padding, plus a bias.
fn convolve(
    py: Python<'_>,
    op: &'static str,
    rank: usize,
    (x, w, bias): (Tensor, Tensor, Option<Arg>),
    by: &Window,
) -> PyResult<PyTensor> {
    kernel_rank(op, &w, rank)?;
    let (p, s) = (sizes(op, "padding", &by.padding)?, sizes(op, "stride", &by.stride)?);
    let (d, g) = (sizes(op, "dilation", &by.dilation)?, by.groups.count(op, "groups")?);
    let extra = by.output_padding.as_ref().map(|o| sizes(op, "output_padding", o)).transpose()?;
    if extra.iter().flatten().zip(s.iter().zip(&d)).any(|(o, (s, d))| o >= s.max(d)) {
        return Err(PyValueError::new_err(format!(
            "{op}: output_padding {extra:?} is not below stride {s:?} or dilation {d:?}",
            extra = extra.unwrap_or_default()
        )));
    }
    run(py, x.elem_count().max(w.elem_count()), || {
        let out = match &extra {
            None => of(op, x.conv_nd(&w, &p, &s, &d, g))?,
            Some(extra) => of(op, x.conv_transpose_nd(&w, &p, extra, &s, &d, g))?,
        };
        with_bias(op, out, bias.as_ref().map(|b| &b.0))
    })
    .map(PyTensor::new)
}

fn reduction_of(op: &str, name: &str) -> PyResult<Reduction> {
    match name {
        "mean" => Ok(Reduction::Mean),
        "sum" => Ok(Reduction::Sum),
        "none" => Ok(Reduction::None),
        _ => Err(PyValueError::new_err(format!("{op}: reduction '{name}' is none of 'mean', 'sum', 'none'"))),
    }
}

/// Negative log-likelihood of class indices: x is (n, c, ..), target (n, ..), weight (c,).
fn nll_loss(
    py: Python<'_>,
    x: Arg,
    target: Arg,
    weight: Option<Arg>,
    ignore_index: i64,
    reduction: &str,
) -> PyResult<PyTensor> {
    let reduction = reduction_of("nll_loss", reduction)?;
    run(py, x.0.elem_count(), || match &weight {
        None => x.0.nll_loss(&target.0, reduction, ignore_index),
        Some(w) => x.0.nll_loss_weighted(&target.0, &w.0, reduction, ignore_index),
    })
    .map(PyTensor::new)
}

/// Cross-entropy of logits with class indices: x is (n, c, ..), target (n, ..), weight (c,).
fn cross_entropy(
    py: Python<'_>,
    x: Arg,
    target: Arg,
    weight: Option<Arg>,
    ignore_index: i64,
    reduction: &str,
    label_smoothing: f64,
) -> PyResult<PyTensor> {
    let reduction = reduction_of("cross_entropy", reduction)?;
    run(py, x.0.elem_count(), || match &weight {
        None => x.0.cross_entropy(&target.0, reduction, ignore_index, label_smoothing),
        Some(w) => x.0.cross_entropy_weighted(&target.0, &w.0, reduction, ignore_index, label_smoothing),
    })
    .map(PyTensor::new)
}

/// A convolution over `$rank` dimensions, as `rushlight.nn.functional` calls it.
macro_rules! convolution {
    ($name:literal, $rank:literal, $summary:literal) => {
        function!(
            concat!("_", $name, "(x, weight, bias, stride, padding, dilation, groups, /)"); $summary; () -> "Tensor" ""; (); [];
            |py, x: Arg, weight: Arg, bias: Option<Arg>, stride: Ints, padding: Ints, dilation: Ints, groups: Whole|
            convolve(py, $name, $rank, (x.0, weight.0, bias), &Window { stride, padding, output_padding: None, dilation, groups })
        )
    };
    (transposed $name:literal, $rank:literal, $summary:literal) => {
        function!(
            concat!("_", $name, "(x, weight, bias, stride, padding, dilation, groups, output_padding, /)"); $summary;
            () -> "Tensor" ""; (); [];
            |py, x: Arg, weight: Arg, bias: Option<Arg>, stride: Ints, padding: Ints, dilation: Ints, groups: Whole,
             output_padding: Ints| {
                let output_padding = Some(output_padding);
                convolve(py, $name, $rank, (x.0, weight.0, bias), &Window { stride, padding, output_padding, dilation, groups })
            }
        )
    };
}

/// One step of Adam.
macro_rules! adam_step {
    ($name:literal, $decoupled:literal, $summary:literal) => {
        function!(
            concat!($name, "(param, grad, exp_avg, exp_avg_sq, /, *, step, lr, beta1, beta2, eps, weight_decay)");
            $summary;
            (
                param: "Tensor" "Parameter to update.",
                grad: "Tensor" "Its gradient.",
                exp_avg: "Tensor" "Running mean of gradients, which is updated too.",
                exp_avg_sq: "Tensor" "Running mean of squared gradients, which is updated too.",
                step: "int" "Number of the step; the first is 1.",
                lr: "float" "Learning rate.",
                beta1: "float" "Decay of the running mean of gradients.",
                beta2: "float" "Decay of the running mean of squared gradients.",
                eps: "float" "Added to the denominator.",
                weight_decay: "float" "Factor of the weight decay.",
            );
            (ValueError: "If the shapes differ.", TypeError: "If the dtypes differ.");
            [
                ">>> w, m, v = rl.tensor([1.0]), rl.zeros(1), rl.zeros(1)",
                ">>> how = dict(step=1, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0)",
                concat!(">>> rl.", $name, "(w, rl.tensor([2.0]), m, v, **how)"),
                ">>> w",
                "tensor([0.9000], dtype=float32, device='cpu')",
            ];
            |py, param: Arg, grad: Arg, exp_avg: Arg, exp_avg_sq: Arg, step: u64, lr: f64, beta1: f64, beta2: f64,
             eps: f64, weight_decay: f64| {
                let how = AdamStep { lr, beta1, beta2, eps, weight_decay, decoupled: $decoupled, step };
                let param = param.0.detach();
                run(py, param.elem_count(), || param.adam_step(&exp_avg.0, &exp_avg_sq.0, &grad.0, how)).map(|()| py.None())
            }
        )
    };
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        convolution!("conv1d", 1, "Cross-correlation of (n, c, l) with (o, c / groups, k), plus a bias of shape (o,)."),
        convolution!("conv2d", 2, "Cross-correlation of (n, c, h, w) with (o, c / groups, kh, kw), plus a bias of shape (o,)."),
        convolution!(
            "conv3d", 3, "Cross-correlation of (n, c, d, h, w) with (o, c / groups, kd, kh, kw), plus a bias of shape (o,)."
        ),
        convolution!(
            transposed "conv_transpose1d", 1,
            "Transposed convolution of (n, c, l) with (c, o / groups, k), plus a bias of shape (o,)."
        ),
        convolution!(
            transposed "conv_transpose2d", 2,
            "Transposed convolution of (n, c, h, w) with (c, o / groups, kh, kw), plus a bias of shape (o,)."
        ),
        convolution!(
            transposed "conv_transpose3d", 3,
            "Transposed convolution of (n, c, d, h, w) with (c, o / groups, kd, kh, kw), plus a bias of shape (o,)."
        ),
        function!(
            "addmm(x, mat1, mat2, /, *, beta=1.0, alpha=1.0)";
            "Computes ``beta * x + alpha * (mat1 @ mat2)`` in one pass; ``x`` is broadcast to the shape of the product.";
            (x, mat1: "Tensor" "Left factor, of shape (n, k).", mat2: "Tensor" "Right factor, of shape (k, m).", beta: "float, default 1.0" "Factor of ``x``.", alpha: "float, default 1.0" "Factor of the product.") -> "Tensor" "Result of shape (n, m).";
            (broadcast, TypeError: "If the dtypes differ.");
            [
                ">>> rl.addmm(rl.tensor([1.0, 2.0]), rl.ones((1, 3)), rl.ones((3, 2)))",
                "tensor([[4., 5.]], dtype=float32, device='cpu')",
            ];
            |py, x: Arg, mat1: Arg, mat2: Arg, beta: f64, alpha: f64| {
                let work = mat1.0.elem_count().max(mat2.0.elem_count());
                run(py, work, || x.0.addmm(&mat1.0, &mat2.0, beta, alpha)).map(PyTensor::new)
            }
        )
        .method(),
        function!(
            "_dropout(input, p, training, /)";
            "In training, zeros in place of elements with probability ``p`` and the others over ``1 - p``; else the tensor itself.";
            () -> "Tensor" ""; (); [];
            |py, input: Arg, p: f64, training: bool|
            run(py, input.0.elem_count(), || input.0.dropout(p, training)).map(PyTensor::new)
        ),
        function!(
            "_nll_loss(x, target, weight, ignore_index, reduction, /)";
            "Negative log-likelihood of class indices: x is (n, c, ..), target (n, ..), weight (c,).";
            () -> "Tensor" ""; (); [];
            |py, x: Arg, target: Arg, weight: Option<Arg>, ignore_index: i64, reduction: String|
            nll_loss(py, x, target, weight, ignore_index, &reduction)
        ),
        function!(
            "_cross_entropy(x, target, weight, ignore_index, reduction, label_smoothing, /)";
            "Cross-entropy of logits with class indices: x is (n, c, ..), target (n, ..), weight (c,).";
            () -> "Tensor" ""; (); [];
            |py, x: Arg, target: Arg, weight: Option<Arg>, ignore_index: i64, reduction: String, label_smoothing: f64|
            cross_entropy(py, x, target, weight, ignore_index, &reduction, label_smoothing)
        ),
        function!(
            "sgd_step(param, grad, buffer, /, *, lr, momentum, dampening, weight_decay, nesterov, first)";
            "Performs one step of stochastic gradient descent, in place.";
            (param: "Tensor" "Parameter to update.", grad: "Tensor" "Its gradient.", buffer: "Tensor or None" "Momentum buffer, which is updated too; needed if ``momentum`` is not 0.", lr: "float" "Learning rate.", momentum: "float" "Factor of the momentum buffer.", dampening: "float" "Reduction of the gradient that enters the buffer.", weight_decay: "float" "Factor of the L2 penalty.", nesterov: "bool" "Whether to use Nesterov momentum.", first: "bool" "Whether this is the first step, which fills the buffer.");
            (ValueError: "If the shapes differ.", TypeError: "If the dtypes differ.");
            [
                ">>> w = rl.tensor([1.0])",
                ">>> rl.sgd_step(w, rl.tensor([2.0]), None, lr=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, first=True)",
                ">>> w",
                "tensor([0.8000], dtype=float32, device='cpu')",
            ];
            |py, param: Arg, grad: Arg, buffer: Option<Arg>, lr: f64, momentum: f64, dampening: f64, weight_decay: f64,
             nesterov: bool, first: bool| {
                let step = SgdStep { lr, momentum, dampening, weight_decay, nesterov, first };
                let param = param.0.detach();
                run(py, param.elem_count(), || param.sgd_step(buffer.as_ref().map(|b| &b.0), &grad.0, step)).map(|()| py.None())
            }
        ),
        adam_step!("adam_step", false, "Performs one step of Adam, in place; the weight decay is added to the gradient."),
        adam_step!("adamw_step", true, "Performs one step of AdamW, in place; the weight decay shrinks the parameter itself."),
    ]
}
