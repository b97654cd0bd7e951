//! Layer, root-mean-square and group normalization, in one op.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::norm_backward::NormBackward;
use crate::ops::norm_weight_grad::NormWeightGrad;
use crate::ops::reduce::ReduceOp;
use crate::{DType, Error, Result, Shape, Tensor};

/// Which elements are normalized together: a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NormKind {
    /// The last dimensions, about their mean. Each position in them has a weight.
    Layer,
    /// The last dimensions, about 0. Each position in them has a weight.
    Rms,
    /// A group of neighbouring channels (dimension 1) of one sample, about their mean. Each channel has a weight.
    Group,
}

/// `(x - m) / sqrt(v + eps) * weight + bias`, with `m` and `v` the mean and the variance of a line, by the tree of sums:
/// `m = sum(x) / n`, `d = x - m`, `c = sum(d) / n`, `v = max(sum(d^2) - sum(d) c, 0) / n`, and `d - c` for `x - m` (the
/// corrected algorithm of two passes: Chan, Golub, LeVeque 1983). rms_norm has 0 for `m` and `sum(x^2) / n` for `v`. f16 and
/// bf16 compute in f32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Norm {
    /// The definition of a line.
    pub kind: NormKind,
    /// Number of last dimensions, or of groups.
    pub size: usize,
    /// Added to the variance.
    pub eps: f64,
    /// A weight is a further input.
    pub weighted: bool,
    /// A bias is a further input.
    pub biased: bool,
}

/// How the elements lie in lines, row-major. Element `i` of line `l` has the weight `(l % groups) * per + i / inner`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Lines.
    pub lines: usize,
    /// Elements of a line.
    pub length: usize,
    /// Lines with separate weights.
    pub groups: usize,
    /// Weights of a line.
    pub per: usize,
    /// Neighbouring elements that share a weight.
    pub inner: usize,
}

/// The dtype that a float dtype is computed in.
pub(crate) fn wide(dtype: DType) -> DType {
    if dtype == DType::F64 { dtype } else { DType::F32 }
}

const BOTH: [Input; 3] =
    [Input::new("x", sets::FLOAT), Input::same("weight", sets::FLOAT), Input::same("bias", sets::FLOAT)];
const BIASED: [Input; 2] = [Input::new("x", sets::FLOAT), Input::same("bias", sets::FLOAT)];

pub(super) const EPS: AttributeSpec =
    AttributeSpec::new("eps", Kind::Float, Allowed::Any, "Number added to the variance.");
pub(super) const WEIGHTED: AttributeSpec =
    AttributeSpec::flag("weighted", "Whether a weight is a further input.");
pub(super) const BIAS: AttributeSpec = AttributeSpec::flag("biased", "Whether a bias is a further input.");

impl Norm {
    /// The attributes, also of the gradients.
    pub(super) fn specs(&self) -> &'static [AttributeSpec] {
        const DIMS: AttributeSpec = AttributeSpec::new(
            "dims",
            Kind::Int,
            Allowed::ByShape,
            "Number of last dimensions that are normalized together.",
        );
        const GROUPS: AttributeSpec =
            AttributeSpec::new("num_groups", Kind::Int, Allowed::ByShape, "Number of groups of channels.");
        match self.kind {
            NormKind::Layer | NormKind::Rms => const { &[DIMS, EPS, WEIGHTED, BIAS] },
            NormKind::Group => const { &[GROUPS, EPS, WEIGHTED, BIAS] },
        }
    }

    /// The values of the attributes.
    pub(super) fn all_values(&self) -> Vec<Value> {
        vec![
            Value::Int(self.size as i64),
            Value::Float(self.eps),
            Value::Bool(self.weighted),
            Value::Bool(self.biased),
        ]
    }

    /// Whether lines are normalized about their mean.
    pub(crate) fn centers(&self) -> bool {
        self.kind != NormKind::Rms
    }

    /// The shape of the weight and the bias of an input, or what is wrong with the input's shape.
    pub(super) fn weight_shape(&self, op: &'static str, x: &Shape) -> Result<Shape> {
        let (rank, size) = (x.rank(), self.size);
        match self.kind {
            NormKind::Layer | NormKind::Rms if size == 0 || size > rank => Err(Error::invalid(
                op,
                format!("normalizes at least 1 and at most all dimensions, got {size} for shape {x:?}"),
            )),
            NormKind::Layer | NormKind::Rms => Ok(x.dims()[rank - size..].into()),
            NormKind::Group if rank < 2 => {
                Err(Error::invalid(op, format!("needs an input of shape (N, C, ..), got {x:?}")))
            }
            NormKind::Group if size == 0 || !x.dims()[1].is_multiple_of(size) => Err(Error::invalid(
                op,
                format!("the number of channels must be divisible by groups, got {size} for shape {x:?}"),
            )),
            NormKind::Group => Ok(x.dims()[1].into()),
        }
    }

    /// Checks the parameters, which are the inputs from `first` on, against the input `x`.
    pub(super) fn check(&self, op: &'static str, x: &Shape, parameters: &[Meta]) -> Result<()> {
        let expected = self.weight_shape(op, x)?;
        if let Some(m) = parameters.iter().find(|m| m.shape != expected) {
            return Err(Error::UnexpectedShape {
                msg: format!("{op}: weight and bias must have the shape of what is normalized"),
                expected,
                got: m.shape.clone(),
            }
            .bt());
        }
        Ok(())
    }

    /// How the elements of an input of these dimensions, which were checked, lie in lines.
    pub(crate) fn geometry(&self, dims: &[usize]) -> Geometry {
        match self.kind {
            NormKind::Layer | NormKind::Rms => {
                let (outer, last) = dims.split_at(dims.len() - self.size);
                let length = last.iter().product();
                Geometry { lines: outer.iter().product(), length, groups: 1, per: length, inner: 1 }
            }
            NormKind::Group => {
                let (groups, inner) = (self.size, dims[2..].iter().product());
                let per = dims[1] / groups;
                Geometry { lines: dims[0] * groups, length: per * inner, groups, per, inner }
            }
        }
    }

    /// The dimensions that share a weight, as a mask.
    pub(crate) fn shares_weights(&self, rank: usize) -> u32 {
        match self.kind {
            NormKind::Layer | NormKind::Rms => (1 << (rank - self.size)) - 1,
            NormKind::Group => ((1 << rank) - 1) & !2,
        }
    }
}

impl Norm {
    /// The gradients of the input, the weight and the bias, where `wanted`, from that of the output.
    pub(super) fn gradients(
        &self,
        g: &Tensor,
        x: impl Fn() -> Result<Tensor>,
        weight: impl FnOnce() -> Result<Tensor>,
        wanted: [bool; 3],
    ) -> Result<[Option<Tensor>; 3]> {
        let mut dx = None;
        if wanted[0] {
            let op = Op::NormBackward(NormBackward(Norm { biased: false, ..*self }));
            let x = x()?;
            dx = Some(if self.weighted {
                Tensor::run(op, &[g, &x, &weight()?])?
            } else {
                Tensor::run(op, &[g, &x])?
            });
        }
        let row = |t: &Tensor, i| t.narrow(0, i, 1)?.squeeze(0)?.to_dtype(g.dtype());
        if wanted[1] {
            let op = Op::NormWeightGrad(NormWeightGrad(Norm { biased: wanted[2], ..*self }));
            let sums = Tensor::run(op, &[g, &x()?])?;
            let bias = wanted[2].then(|| row(&sums, 1)).transpose()?;
            return Ok([dx, Some(row(&sums, 0)?), bias]);
        }
        let axes = self.shares_weights(g.rank());
        let bias = wanted[2].then(|| g.reduce(ReduceOp::Sum, axes, false, g.dtype())).transpose()?;
        Ok([dx, None, bias])
    }
}

/// An input that was normalized by ops that have gradients, in lines, and the factor of each element.
pub(super) struct Lines {
    /// The elements, `[lines, length]`, without weight and bias.
    pub y: Tensor,
    /// `1 / sqrt(v + eps)` of the line of each element.
    pub root: Tensor,
}

impl Norm {
    /// Normalizes by ops that have gradients, in the dtype that the op computes in.
    pub(super) fn composed(&self, x: &Tensor) -> Result<Lines> {
        let g = self.geometry(x.dims());
        let lines = x.to_dtype(wide(x.dtype()))?.reshape((g.lines, g.length))?;
        let mean = |t: &Tensor| t.mean_keepdim(1)?.broadcast_as(t.shape().clone());
        let d = if self.centers() { (&lines - mean(&lines)?)? } else { lines };
        let root = mean(&d.sqr()?)?.affine(1.0, self.eps)?.sqrt()?.recip()?;
        Ok(Lines { y: (d * &root)?, root })
    }

    /// The weight of each element of `x`, in the dtype that the op computes in.
    pub(super) fn spread_weight(&self, weight: &Tensor, x: &Tensor) -> Result<Tensor> {
        let w = weight.to_dtype(wide(x.dtype()))?;
        let w = match self.kind {
            NormKind::Layer | NormKind::Rms => w,
            NormKind::Group => {
                let mut dims = vec![1; x.rank()];
                dims[1] = w.elem_count();
                w.reshape(dims)?
            }
        };
        w.broadcast_as(x.shape().clone())
    }
}

impl OpDef for Norm {
    fn name(&self) -> &'static str {
        match self.kind {
            NormKind::Layer => "layer_norm",
            NormKind::Rms => "rms_norm",
            NormKind::Group => "group_norm",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        match (self.weighted, self.biased) {
            (true, true) => &BOTH,
            (true, false) => const { BOTH.split_at(2).0 },
            (false, true) => &BIASED,
            (false, false) => const { BOTH.split_at(1).0 },
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.check(self.name(), &ins[0].shape, &ins[1..])?;
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1 | u32::from(self.weighted) << 1)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        match wanted {
            0 => self.reads(),
            1 if self.weighted => Reads::inputs(1),
            _ => Reads::NONE,
        }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let bias_at = 1 + usize::from(self.weighted);
        let wanted = [c.needs(0), self.weighted && c.needs(1), self.biased && c.needs(bias_at)];
        let [x, weight, bias] = self.gradients(c.grad(), || c.input(0), || c.input(1), wanted)?;
        let mut all = Grads::new();
        all.push(x);
        all.extend(self.weighted.then_some(weight));
        all.extend(self.biased.then_some(bias));
        Ok(all)
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        self.specs()
    }

    fn values(&self) -> Vec<Value> {
        self.all_values()
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
        samples(|n, x, w| {
            let parameter = || Spec::new(w.clone(), Domain::Range(-2.0, 2.0));
            let mut ins = vec![Spec::new(x, Domain::Range(-3.0, 3.0))];
            ins.extend((0..u8::from(n.weighted) + u8::from(n.biased)).map(|_| parameter()));
            (Op::Norm(n), ins)
        })
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Normalizes the last ``dims`` axes to mean 0 and variance 1, times ``weight`` plus ``bias``.",
                [],
                (dims: Count, eps: Float, weighted: Bool [weight], biased: Bool [bias]) =>
                Op::Norm(Self { kind: NormKind::Layer, size: dims, eps, weighted, biased })
            )
            .named("_layer_norm")
            .without_method(),
            signature!(
                AsGiven,
                "Scales the last ``dims`` axes to a mean square of 1, times ``weight``.",
                [],
                (dims: Count, eps: Float, weighted: Bool [weight]) =>
                Op::Norm(Self { kind: NormKind::Rms, size: dims, eps, weighted, biased: false })
            )
            .named("_rms_norm")
            .without_method(),
            signature!(
                AsGiven,
                "Normalizes each group of channels of (n, c, ..) to mean 0 and variance 1, times ``weight`` plus ``bias`` of shape (c,).",
                [],
                (num_groups: Count, eps: Float, weighted: Bool [weight], biased: Bool [bias]) =>
                Op::Norm(Self { kind: NormKind::Group, size: num_groups, eps, weighted, biased })
            )
            .named("_group_norm")
            .without_method(),
        ]
    }
}

/// Uses of every kind with every set of parameters. `make(op, shape of x, shape of the weight)` gives an op and its inputs.
pub(super) fn samples(make: impl Fn(Norm, Shape, Shape) -> (Op, Vec<Spec>)) -> Vec<Sample> {
    let mut all = Vec::new();
    for kind in [NormKind::Layer, NormKind::Rms, NormKind::Group] {
        let cases: &[(&[usize], usize)] = match kind {
            NormKind::Layer | NormKind::Rms => &[
                (&[3, 5], 1),
                (&[2, 3, 4], 2),
                (&[5], 1),
                (&[2, 3, 4], 1),
                (&[2, 3, 4], 3),
                (&[0, 4], 1),
                (&[3, 0], 1),
            ],
            NormKind::Group => &[
                (&[2, 4, 3], 2),
                (&[3, 6], 2),
                (&[2, 3, 5], 3),
                (&[3, 6, 2, 2], 3),
                (&[2, 4, 3], 1),
                (&[0, 4, 3], 2),
                (&[2, 4, 0], 2),
            ],
        };
        let base = Norm { kind, size: 1, eps: 1e-5, weighted: true, biased: kind != NormKind::Rms };
        let one = |n: Norm, shape: &[usize]| {
            let shape = Shape::from(shape);
            // A bad use has no shape of weights.
            let w = n
                .weight_shape("", &shape)
                .unwrap_or_else(|_| shape.dims().last().copied().unwrap_or(1).into());
            make(n, shape, w)
        };
        for &(shape, size) in cases {
            let (op, ins) = one(Norm { size, ..base }, shape);
            all.push(Sample::new(op, ins));
        }
        let (shape, size) = cases[0];
        for (weighted, biased) in [(false, false), (true, !base.biased), (false, true)] {
            let (op, ins) = one(Norm { size, weighted, biased, eps: 0.25, ..base }, shape);
            all.push(Sample::new(op, ins));
        }
        let mut bad = |n: Norm, shape: &[usize], words| {
            let (op, ins) = one(n, shape);
            all.push(Sample::bad(op, ins, words));
        };
        match kind {
            NormKind::Layer | NormKind::Rms => {
                bad(Norm { size: 3, ..base }, &[2, 3], "at most all dimensions");
                bad(Norm { size: 0, ..base }, &[2, 3], "at least 1");
                bad(base, &[], "at most all dimensions");
            }
            NormKind::Group => {
                bad(base, &[3], "of shape (N, C, ..)");
                bad(Norm { size: 2, ..base }, &[2, 3], "divisible by groups");
                bad(Norm { size: 0, ..base }, &[2, 3], "divisible by groups");
            }
        }
        let (op, ins) = make(Norm { size, ..base }, shape.into(), 7.into());
        if ins.iter().any(|i| i.shape.dims() == [7]) {
            all.push(Sample::bad(op, ins, "the shape of what is normalized"));
        }
    }
    all
}

impl Tensor {
    pub(super) fn norm_by(&self, op: Norm, weight: Option<&Self>, bias: Option<&Self>) -> Result<Self> {
        let op = Norm { weighted: weight.is_some(), biased: bias.is_some(), ..op };
        let ins: Operands<'_> = [Some(self), weight, bias].into_iter().flatten().collect();
        Tensor::run(Op::Norm(op), &ins)
    }

    /// Layer normalization: the last `dims` dimensions together get mean 0 and variance 1, then are multiplied by `weight` and
    /// `bias` is added, which have the shape of these dimensions. FLOAT dtypes, one for all.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[1f32, 3.], [10., 30.]], &Device::Cpu)?;
    /// let y = x.layer_norm(1, None, None, 0.0)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[-1., 1.], [-1., 1.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn layer_norm(
        &self,
        dims: usize,
        weight: Option<&Self>,
        bias: Option<&Self>,
        eps: f64,
    ) -> Result<Self> {
        let op = Norm { kind: NormKind::Layer, size: dims, eps, weighted: false, biased: false };
        self.norm_by(op, weight, bias)
    }

    /// Root-mean-square normalization: the last `dims` dimensions together get mean square 1, then are multiplied by `weight`,
    /// which has the shape of these dimensions. FLOAT dtypes, one for all.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[3f32, 3.], [-5., 5.]], &Device::Cpu)?;
    /// assert_eq!(x.rms_norm(1, None, 0.0)?.to_vec2::<f32>()?, [[1., 1.], [-1., 1.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn rms_norm(&self, dims: usize, weight: Option<&Self>, eps: f64) -> Result<Self> {
        let op = Norm { kind: NormKind::Rms, size: dims, eps, weighted: false, biased: false };
        self.norm_by(op, weight, None)
    }

    /// Group normalization of `[N, C, ..]`: each of `groups` groups of neighbouring channels of a sample gets mean 0 and
    /// variance 1, then is multiplied by `weight` and `bias` is added, which have shape `[C]`. With one group a channel it is
    /// instance normalization. FLOAT dtypes, one for all.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[1f32, 3.], [10., 30.]]], &Device::Cpu)?;
    /// let y = x.group_norm(2, None, None, 0.0)?;
    /// assert_eq!(y.to_vec3::<f32>()?, [[[-1., 1.], [-1., 1.]]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn group_norm(
        &self,
        groups: usize,
        weight: Option<&Self>,
        bias: Option<&Self>,
        eps: f64,
    ) -> Result<Self> {
        let op = Norm { kind: NormKind::Group, size: groups, eps, weighted: false, biased: false };
        self.norm_by(op, weight, bias)
    }
}

/// The inputs of a call.
pub(super) type Operands<'a> = smallvec::SmallVec<[&'a Tensor; 5]>;

/// The shape `[rows, ..shape]`.
pub(super) fn stacked(rows: usize, shape: &Shape) -> Shape {
    Shape::from(rows).extend(shape.dims())
}
