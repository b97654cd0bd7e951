//! Common parts of the classification losses: reductions, checks of shapes, and samples.
use super::{Allowed, AttributeSpec, Domain, Fill, Input, Kind, Meta, Op, Sample, Spec, Value};
use crate::dtype::sets;
use crate::shape::DimVec;
use crate::{Error, Result, Shape};

/// The reduction of the losses of all targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reduction {
    /// No reduction: a loss for each target, which is 0 for an ignored one.
    None,
    /// The sum of the losses, divided by the sum of the weights (or by the number of targets if there are no weights).
    /// Ignored targets do not count. NaN if all targets are ignored, as in PyTorch.
    #[default]
    Mean,
    /// The sum of the losses.
    Sum,
    /// Same as `Mean`, where the weights are the lengths of the classes (tokens) in bytes: the loss per byte of text. 0
    /// if there are no bytes. VibeTensor's `byte_mean`.
    ByteMean,
}

impl Reduction {
    /// Every reduction.
    pub const ALL: &'static [Self] = &[Self::None, Self::Mean, Self::Sum, Self::ByteMean];

    /// Returns the name that users pass.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Mean => "mean",
            Self::Sum => "sum",
            Self::ByteMean => "byte_mean",
        }
    }

    /// Returns the reduction with this name.
    pub(super) fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|r| r.name() == name);
        found.copied().ok_or_else(|| Error::msg(format!("'{name}' is not a reduction")))
    }
}

/// PyTorch's default for the target that is ignored.
pub const IGNORE_INDEX: i64 = -100;

/// The attributes of a classification loss. Scores have shape `[C]`, `[N, C]` or `[N, C, d1, ..]`; targets have that
/// shape without `C`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassLoss {
    /// The reduction of the losses.
    pub reduction: Reduction,
    /// Targets with this value are ignored: they have no loss and no gradient.
    pub ignore_index: i64,
    /// Share of the target's probability that is spread evenly over all classes, 0 to 1 (cross_entropy only).
    pub label_smoothing: f64,
    /// Whether there is a third input, with a weight for each class.
    pub weighted: bool,
}

pub(super) const SCORES: [Input; 3] =
    [Input::new("x", sets::FLOAT), Input::new("target", sets::INDEX), Input::same("weight", sets::FLOAT)];

pub(super) const BACKWARD: [Input; 4] = [
    Input::new("grad", sets::FLOAT),
    Input::same("x", sets::FLOAT),
    Input::new("target", sets::INDEX),
    Input::same("weight", sets::FLOAT),
];

/// Returns the index of the class dimension.
pub(crate) fn class_dim(rank: usize) -> usize {
    usize::from(rank > 1)
}

impl ClassLoss {
    pub(super) const ATTRIBUTES: &'static [AttributeSpec] = &[
        AttributeSpec::new(
            "reduction",
            Kind::Choice(&["none", "mean", "sum", "byte_mean"]),
            Allowed::ByShape,
            "How the losses of the elements are combined.",
        )
        .or(Value::Choice("mean")),
        AttributeSpec::new(
            "ignore_index",
            Kind::Int,
            Allowed::Any,
            "Elements with this target have no loss and no gradient.",
        )
        .or(Value::Int(IGNORE_INDEX)),
        AttributeSpec::new(
            "label_smoothing",
            Kind::Float,
            Allowed::Probability,
            "Share of the target that is distributed evenly over all classes.",
        )
        .or(Value::Float(0.0)),
        AttributeSpec::flag("weighted", "Whether a weight for each class is a further input."),
    ];

    /// The values of the attributes.
    pub(super) fn values(&self) -> Vec<Value> {
        vec![
            Value::Choice(self.reduction.name()),
            Value::Int(self.ignore_index),
            Value::Float(self.label_smoothing),
            Value::Bool(self.weighted),
        ]
    }

    /// Returns the output's shape and dtype, or an error if the inputs do not fit.
    pub(super) fn check(
        &self,
        op: &'static str,
        x: &Meta,
        target: &Meta,
        weight: Option<&Meta>,
    ) -> Result<Shape> {
        let rank = x.shape.rank();
        if rank == 0 {
            return Err(Error::invalid(
                op,
                "needs scores of shape (C,), (N, C) or (N, C, d1, ..), got a scalar",
            ));
        }
        let dim = class_dim(rank);
        let mut want = DimVec::from_slice(x.shape.dims());
        let classes = want.remove(dim);
        if target.shape.dims() != want.as_slice() {
            return Err(Error::UnexpectedShape {
                msg: format!("{op}: the target must have the shape of the scores without the classes"),
                expected: want.into(),
                got: target.shape.clone(),
            }
            .bt());
        }
        if let Some(w) = weight
            && w.shape.dims() != [classes]
        {
            return Err(Error::UnexpectedShape {
                msg: format!("{op}: there must be one weight for each class"),
                expected: classes.into(),
                got: w.shape.clone(),
            }
            .bt());
        }
        if self.reduction == Reduction::ByteMean && !self.weighted {
            return Err(Error::invalid(op, "reduction byte_mean needs the bytes of each class as weights"));
        }
        Ok(if self.reduction == Reduction::None { want.into() } else { ().into() })
    }

    /// Same as [`Self::check`] for the gradient: also checks the shape of the output's gradient, and returns the
    /// scores' shape.
    pub(super) fn check_backward(&self, op: &'static str, ins: &[Meta]) -> Result<Meta> {
        let out = self.check(op, &ins[1], &ins[2], ins.get(3))?;
        if ins[0].shape != out {
            return Err(Error::UnexpectedShape {
                msg: format!("{op}: the gradient must have the shape of the loss"),
                expected: out,
                got: ins[0].shape.clone(),
            }
            .bt());
        }
        Ok(ins[1].clone())
    }
}

/// Returns samples of every reduction, for the losses and (`backward`) their gradients.
pub(super) fn samples(smoothing: &[f64], backward: bool, op: impl Fn(ClassLoss) -> Op) -> Vec<Sample> {
    let mut all = Vec::new();
    let x = Domain::Range(-3.0, -0.1);
    let w = Domain::Range(0.2, 2.0);
    let base =
        ClassLoss { reduction: Reduction::Mean, ignore_index: -100, label_smoothing: 0.0, weighted: false };
    let make = |c: &ClassLoss, shape: &[usize], target: &[usize], classes: usize| {
        let t = Spec::index(target, classes);
        let grad = if c.reduction == Reduction::None { target } else { &[][..] };
        let mut v = vec![Spec::new(shape, x), t];
        if backward {
            v.insert(0, Spec::new(grad, Domain::Range(-2.0, 2.0)));
        }
        if c.weighted {
            v.push(Spec::new(classes, w));
        }
        v
    };
    for &reduction in Reduction::ALL {
        for &label_smoothing in smoothing {
            for weighted in [false, true] {
                if reduction == Reduction::ByteMean && !weighted {
                    continue;
                }
                // The last item is the ignored target: in the small cases it is class 1, so that some targets are
                // ignored.
                for (shape, target, classes, ignore_index) in [
                    (&[4usize, 3][..], &[4usize][..], 3, -100),
                    (&[3, 4, 2], &[3, 2], 4, 1),
                    (&[3], &[], 3, -100),
                ] {
                    let c = ClassLoss { reduction, ignore_index, label_smoothing, weighted };
                    let s = Sample::new(op(c), make(&c, shape, target, classes));
                    // Weights have no gradient, so only unweighted calls are checked by finite differences.
                    all.push(if weighted || backward { s.no_grad() } else { s });
                }
            }
        }
    }
    // 4,096 classes are a line for a GPU's block of 256 threads, 9,000 for one of 1,024; other cases have classes that are not
    // adjacent in memory.
    for &label_smoothing in smoothing.iter().filter(|s| **s != 0.0) {
        for (weighted, shape, target) in [
            (true, &[1usize, 4096][..], &[1usize][..]),
            (true, &[2, 33, 20], &[2, 20]),
            (true, &[2, 20, 20], &[2, 20]),
            (true, &[2, 9000], &[2]),
            (false, &[2, 4096], &[2]),
        ] {
            let c = ClassLoss { weighted, label_smoothing, ..base };
            all.push(Sample::new(op(c), make(&c, shape, target, shape[1])).no_grad());
        }
    }
    let empty = ClassLoss { reduction: Reduction::Sum, ..base };
    all.push(Sample::new(op(empty), make(&empty, &[0, 3], &[0], 3)).no_grad());
    let weighted = ClassLoss { weighted: true, ..base };
    let mut short = make(&weighted, &[4, 3], &[4], 3);
    if let Some(w) = short.last_mut() {
        w.shape = 2.into();
    }
    all.push(Sample::bad(op(weighted), short, "one weight for each class"));
    all.push(Sample::bad(op(base), make(&base, &[4, 3], &[3], 3), "without the classes"));
    all.push(Sample::bad(op(base), make(&base, &[], &[], 3), "got a scalar"));
    let bytes = ClassLoss { reduction: Reduction::ByteMean, ..base };
    all.push(Sample::bad(op(bytes), make(&bytes, &[4, 3], &[4], 3), "byte_mean needs"));
    let mut outside = make(&base, &[4, 3], &[4], 3);
    outside[1 + usize::from(backward)] =
        Spec { shape: 4.into(), domain: Domain::Range(6.0, 9.0), fill: Fill::Own };
    // One class: a target of another class would read outside of the tensor.
    let mut one = outside.clone();
    one.iter_mut().filter(|s| s.shape.rank() == 2).for_each(|s| s.shape = (4, 1).into());
    all.push(Sample::bad(op(base), outside, "invalid index"));
    all.push(Sample::bad(op(base), one, "invalid index"));
    all
}
