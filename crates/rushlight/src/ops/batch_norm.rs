//! Batch normalization, by given means and variances.
use super::batch_norm_backward::BatchNormBackward;
use super::batch_norm_stats::{SHAPES, channels, sizes};
use super::batch_norm_weight_grad::BatchNormWeightGrad;
use super::norm::{BIAS, EPS, Operands, WEIGHTED, wide};
use super::{
    Accuracy, AttributeSpec, Domain, Fill, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::{DTypeSet, sets};
use crate::ops::reduce::ReduceOp;
use crate::{DType, Error, Result, Shape, Tensor};

/// `(x - mean) (weight / sqrt(var + eps)) + bias` for `x` of shape `[N, C, ..]`, the others of shape `[C]`. Mean and variance
/// are F64 for F64, else F32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchNorm {
    /// Added to the variance.
    pub eps: f64,
    /// Mean and variance are those of `x`, so the gradient of `x` flows through them, and they have none.
    pub training: bool,
    /// A weight is a further input.
    pub weighted: bool,
    /// A bias is a further input.
    pub biased: bool,
}

/// Dtypes of means and variances.
pub(super) const WIDE: DTypeSet = DTypeSet::of(&[DType::F32, DType::F64]);
pub(super) const MEAN: Input = Input::new("mean", WIDE);

const fn var(mean: usize) -> Input {
    Input { name: "var", dtypes: WIDE, same_as: Some(mean) }
}
const X: Input = Input::new("x", sets::FLOAT);
const BOTH: [Input; 5] =
    [X, MEAN, var(1), Input::same("weight", sets::FLOAT), Input::same("bias", sets::FLOAT)];
const BIASED: [Input; 4] = [X, MEAN, var(1), Input::same("bias", sets::FLOAT)];

/// Checks operands of one number for each channel: `wide` of them, which are not rounded to the dtype of `x`, first.
pub(super) fn check(op: &'static str, x: &Meta, wides: &[Meta], others: &[Meta]) -> Result<()> {
    let expected = Shape::from(channels(op, &x.shape)?);
    if let Some(m) = wides.iter().chain(others).find(|m| m.shape != expected) {
        return Err(Error::UnexpectedShape {
            msg: format!("{op}: mean, variance, weight and bias have one number for each channel"),
            expected,
            got: m.shape.clone(),
        }
        .bt());
    }
    match wides.iter().find(|m| m.dtype != wide(x.dtype)) {
        Some(m) => Err(Error::dtype("the dtype of mean and variance", wide(x.dtype), m.dtype)),
        None => Ok(()),
    }
}

/// Means and variances for samples.
pub(super) fn wides(c: usize) -> [Spec; 2] {
    [Domain::Range(-1.0, 1.0), Domain::Range(0.5, 2.0)].map(|domain| Spec {
        shape: c.into(),
        domain,
        fill: Fill::Wide,
    })
}

/// A number of each channel for each element of `x`.
pub(super) fn per_channel(t: &Tensor, x: &Tensor) -> Result<Tensor> {
    let mut dims = vec![1; x.rank()];
    dims[1] = t.elem_count();
    t.reshape(dims)?.broadcast_as(x.shape().clone())
}

/// By ops that have gradients: `x` normalized, and `1 / sqrt(var + eps)`, for each element.
pub(super) fn normalized(x: &Tensor, mean: &Tensor, var: &Tensor, eps: f64) -> Result<(Tensor, Tensor)> {
    let root = per_channel(&var.affine(1.0, eps)?.sqrt()?.recip()?, x)?;
    let centered = (x.to_dtype(mean.dtype())? - per_channel(mean, x)?)?;
    Ok(((centered * &root)?, root))
}

/// By ops that have gradients: the mean and the variance of each channel.
fn statistics(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let x = x.to_dtype(wide(x.dtype()))?;
    let axes = ((1 << x.rank()) - 1) & !2;
    let mean = |t: &Tensor| t.reduce(ReduceOp::Mean, axes, false, t.dtype());
    let m = mean(&x)?;
    let var = mean(&(&x - per_channel(&m, &x)?)?.sqr()?)?;
    Ok((m, var))
}

impl OpDef for BatchNorm {
    fn name(&self) -> &'static str {
        "batch_norm"
    }

    fn inputs(&self) -> &'static [Input] {
        match (self.weighted, self.biased) {
            (true, true) => &BOTH,
            (true, false) => const { BOTH.split_at(4).0 },
            (false, true) => &BIASED,
            (false, false) => const { BOTH.split_at(3).0 },
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        check(self.name(), &ins[0], &ins[1..3], &ins[3..])?;
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(7 | u32::from(self.weighted) << 3)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        match wanted {
            0 if !self.training => Reads::inputs(6 | u32::from(self.weighted) << 3),
            3 if self.weighted => Reads::inputs(7),
            3 | 4 => Reads::inputs(7),
            _ => self.reads(),
        }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        let (weight_at, bias_at) = (3, 3 + usize::from(self.weighted));
        let weight = self.weighted && c.needs(weight_at);
        let bias = self.biased && c.needs(bias_at);
        let through = [1, 2].map(|i| !self.training && c.needs(i));
        // The gradient of the gradient of `x` in training flows through mean and variance.
        let of_x = if self.training && c.records() { Some(statistics(&c.input(0)?)?) } else { None };
        let mean = || of_x.as_ref().map_or_else(|| c.input(1), |s| Ok(s.0.clone()));
        let var = || of_x.as_ref().map_or_else(|| c.input(2), |s| Ok(s.1.clone()));
        let mut sums = None;
        if weight || bias || through[0] || through[1] || (self.training && c.needs(0)) {
            let op = Op::BatchNormWeightGrad(BatchNormWeightGrad { eps: self.eps });
            sums = Some(Tensor::run(op, &[g, &c.input(0)?, &mean()?, &var()?])?);
        }
        let row = |i| match &sums {
            Some(t) => t.narrow(0, i, 1)?.squeeze(0),
            None => Err(Error::invalid("batch_norm", "its gradient's sums are missing")),
        };
        let dx = c.when(0, || {
            let w = if self.weighted { Some(c.input(3)?) } else { None };
            let var = var()?;
            let (zero, x, m);
            let mut ins: Operands<'_> = Operands::new();
            let op = match sums.as_ref().filter(|_| self.training) {
                Some(sums) => {
                    (x, m) = (c.input(0)?, mean()?);
                    ins.extend([g, &x, &m, &var, sums]);
                    Op::BatchNormBackward(BatchNormBackward { eps: self.eps, weighted: self.weighted })
                }
                // The gradient is normalized as x was, about 0.
                None => {
                    zero = var.zeros_like()?;
                    ins.extend([g, &zero, &var]);
                    Op::BatchNorm(Self { biased: false, ..*self })
                }
            };
            ins.extend(&w);
            Tensor::run(op, &ins)
        })?;
        let mut all = Grads::new();
        all.push(dx);
        // With r = weight / sqrt(var + eps): -r sum(g), and -r sum(g y) / (2 sqrt(var + eps)).
        let factor = || -> Result<(Tensor, Tensor)> {
            let root = c.input(2)?.affine(1.0, self.eps)?.sqrt()?.recip()?;
            let r = if self.weighted { (&root * c.input(3)?.to_dtype(root.dtype())?)? } else { root.clone() };
            Ok((r, root))
        };
        all.push(through[0].then(|| (row(1)? * factor()?.0)?.neg()).transpose()?);
        all.push(
            through[1]
                .then(|| {
                    let (r, root) = factor()?;
                    ((row(0)? * r)? * root)?.affine(-0.5, 0.0)
                })
                .transpose()?,
        );
        if self.weighted {
            all.push(weight.then(|| row(0)?.to_dtype(g.dtype())).transpose()?);
        }
        if self.biased {
            all.push(bias.then(|| row(1)?.to_dtype(g.dtype())).transpose()?);
        }
        Ok(all)
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const TRAINING: AttributeSpec =
            AttributeSpec::flag("training", "Whether mean and variance are those of the input.");
        const { &[EPS, TRAINING, WEIGHTED, BIAS] }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::Float(self.eps),
            Value::Bool(self.training),
            Value::Bool(self.weighted),
            Value::Bool(self.biased),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Accumulated
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::OF_POWERS
    }

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::LINES
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        let base = BatchNorm { eps: 1e-5, training: false, weighted: true, biased: true };
        let make = |n: BatchNorm, shape: &[usize], c: usize| {
            let mut ins = vec![Spec::new(shape, Domain::Range(-3.0, 3.0))];
            ins.extend(wides(c));
            let parameter = || Spec::new(c, Domain::Range(-2.0, 2.0));
            ins.extend((0..u8::from(n.weighted) + u8::from(n.biased)).map(|_| parameter()));
            (Op::BatchNorm(n), ins)
        };
        for &shape in SHAPES {
            let (op, ins) = make(base, shape, shape[1]);
            all.push(Sample::new(op, ins));
        }
        for (weighted, biased) in [(false, false), (true, false), (false, true)] {
            let (op, ins) = make(BatchNorm { weighted, biased, ..base }, &[2, 3, 4], 3);
            all.push(Sample::new(op, ins));
        }
        // Differences cannot know that mean and variance follow x: tests/cpu/norm.rs has the gradient in training.
        let (op, ins) = make(BatchNorm { training: true, ..base }, &[2, 3, 4], 3);
        all.push(Sample::new(op, ins).no_grad());
        let mut bad = |shape: &[usize], c, words| {
            let (op, ins) = make(base, shape, c);
            all.push(Sample::bad(op, ins, words));
        };
        bad(&[3], 3, "of shape (N, C, ..)");
        bad(&[2, 3], 2, "one number for each channel");
        all
    }
}

impl Tensor {
    /// Batch normalization of `[N, C, ..]`: `(x - mean) (weight / sqrt(var + eps)) + bias` with one number of each for every
    /// channel. `mean` and `var` are F64 for F64, else F32. In `training` they are those of [`Tensor::batch_norm_stats`], and
    /// the gradient flows through them to `self`. FLOAT dtypes, one for `self`, `weight` and `bias`.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[1f32, 10.], [3., 30.]], &Device::Cpu)?;
    /// let (mean, var) = x.batch_norm_stats()?;
    /// let y = x.batch_norm(&mean, &var, None, None, true, 0.0)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[-1., -1.], [1., 1.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn batch_norm(
        &self,
        mean: &Self,
        var: &Self,
        weight: Option<&Self>,
        bias: Option<&Self>,
        training: bool,
        eps: f64,
    ) -> Result<Self> {
        let op = BatchNorm { eps, training, weighted: weight.is_some(), biased: bias.is_some() };
        let ins: Operands<'_> =
            [Some(self), Some(mean), Some(var), weight, bias].into_iter().flatten().collect();
        Tensor::run(Op::BatchNorm(op), &ins)
    }

    /// Batch normalization as in PyTorch, of `[N, C, ..]`: in `training` by the mean and the variance of each channel, which
    /// also move the `running` mean and variance, in place, by the share `momentum` (the variance as over n - 1); otherwise by
    /// the running ones. FLOAT dtypes, one for all.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let x = Tensor::new(&[[1f32, 10.], [3., 30.]], &Device::Cpu)?;
    /// let (mean, var) = (Tensor::zeros(2, DType::F32, &Device::Cpu)?, Tensor::ones(2, DType::F32, &Device::Cpu)?);
    /// let y = x.batch_norm_running(Some((&mean, &var)), None, None, true, 0.5, 0.0)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[-1., -1.], [1., 1.]]);
    /// assert_eq!(mean.to_vec1::<f32>()?, [1., 10.]);
    /// assert_eq!(var.to_vec1::<f32>()?, [1.5, 100.5]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn batch_norm_running(
        &self,
        running: Option<(&Self, &Self)>,
        weight: Option<&Self>,
        bias: Option<&Self>,
        training: bool,
        momentum: f64,
        eps: f64,
    ) -> Result<Self> {
        if training {
            let (mean, var) = self.batch_norm_stats()?;
            if let Some(running) = running {
                let n = self.elem_count() / mean.elem_count().max(1);
                move_running(running, &mean, &var, n, momentum)?;
            }
            return self.batch_norm(&mean, &var, weight, bias, true, eps);
        }
        let Some((mean, var)) = running else {
            return Err(Error::invalid("batch_norm", "needs running statistics outside of training"));
        };
        let to = wide(self.dtype());
        self.batch_norm(&mean.detach().to_dtype(to)?, &var.detach().to_dtype(to)?, weight, bias, false, eps)
    }

    /// Instance normalization as in PyTorch, of `[N, C, ..]`: by the mean and the variance of each channel of each sample, whose
    /// averages over the samples move the `running` ones; see [`Tensor::batch_norm_running`]. Without `running` it is
    /// [`Tensor::group_norm`] with a group for each channel. FLOAT dtypes, one for all.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let x = Tensor::new(&[[[1f32, 3.]], [[10., 30.]]], &Device::Cpu)?;
    /// let (mean, var) = (Tensor::zeros(1, DType::F32, &Device::Cpu)?, Tensor::ones(1, DType::F32, &Device::Cpu)?);
    /// let y = x.instance_norm_running((&mean, &var), None, None, 0.5, 0.0)?;
    /// assert_eq!(y.to_vec3::<f32>()?, [[[-1., 1.]], [[-1., 1.]]]);
    /// assert_eq!(mean.to_vec1::<f32>()?, [5.5]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn instance_norm_running(
        &self,
        running: (&Self, &Self),
        weight: Option<&Self>,
        bias: Option<&Self>,
        momentum: f64,
        eps: f64,
    ) -> Result<Self> {
        let channels = channels("instance_norm", self.shape())?;
        let [n, _, inner] = sizes(self.dims());
        let (mean, var) = self.detach().reshape((1, n * channels, inner))?.batch_norm_stats()?;
        let average = |t: Tensor| t.reshape((n, channels))?.mean(0);
        move_running(running, &average(mean)?, &average(var)?, inner, momentum)?;
        self.group_norm(channels, weight, bias, eps)
    }
}

/// Moves running statistics by the share `momentum` to those of a batch, whose variance is over `n` elements.
fn move_running(
    (mean, var): (&Tensor, &Tensor),
    new_mean: &Tensor,
    new_var: &Tensor,
    n: usize,
    momentum: f64,
) -> Result<()> {
    let unbiased = n as f64 / n.saturating_sub(1) as f64;
    for (running, new, share) in [(mean, new_mean, momentum), (var, new_var, momentum * unbiased)] {
        let running = running.detach();
        let kept = running.to_dtype(new.dtype())?.affine(1.0 - momentum, 0.0)?;
        running.write(&(kept + new.affine(share, 0.0)?)?.to_dtype(running.dtype())?)?;
    }
    Ok(())
}
