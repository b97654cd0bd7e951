//! Layer and root-mean-square normalization with the op before or behind it, in one pass over memory.
use super::bias_activation::{self, Activation};
use super::index_add::IndexAdd;
use super::norm::{EPS, Norm, NormKind, Operands, WEIGHTED};
use super::{
    Accuracy, AttributeSpec, Domain, Fill, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern,
    PythonSignature, Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::index_select::IndexSelect;
use crate::{DType, Error, Result, Shape, Tensor};

/// The op that a normalization is fused with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FusedWith {
    /// relu of the result of layer_norm.
    Relu,
    /// Exact GELU of the result of layer_norm, which is not rounded.
    Gelu,
    /// layer_norm of the sum of two tensors of one shape, which is rounded to their dtype.
    Residual,
    /// rms_norm of rows of a table, by index.
    Lookup,
}

/// [`Norm`] of the last dimensions, fused with another op.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FusedNorm {
    /// The other op.
    pub with: FusedWith,
    /// Number of last dimensions; 1 for a look-up.
    pub size: usize,
    /// Added to the variance.
    pub eps: f64,
    /// A weight is a further input.
    pub weighted: bool,
    /// A bias is a further input; not of a look-up.
    pub biased: bool,
}

/// The inputs with and without a weight and a bias, behind these.
macro_rules! inputs {
    ($self:ident, $($first:expr),*) => {{
        const WEIGHT: Input = Input::same("weight", sets::FLOAT);
        const BIAS: Input = Input::same("bias", sets::FLOAT);
        match ($self.weighted, $self.biased) {
            (true, true) => const { &[$($first,)* WEIGHT, BIAS] },
            (true, false) => const { &[$($first,)* WEIGHT] },
            (false, true) => const { &[$($first,)* BIAS] },
            (false, false) => const { &[$($first),*] },
        }
    }};
}

impl FusedNorm {
    /// The normalization alone.
    pub(crate) fn norm(&self) -> Norm {
        let kind = if self.with == FusedWith::Lookup { NormKind::Rms } else { NormKind::Layer };
        Norm { kind, size: self.size, eps: self.eps, weighted: self.weighted, biased: self.biased }
    }

    /// Number of the inputs before the weight and the bias.
    pub(crate) fn operands(&self) -> usize {
        match self.with {
            FusedWith::Relu | FusedWith::Gelu => 1,
            FusedWith::Residual | FusedWith::Lookup => 2,
        }
    }

    /// The number of the bias among the inputs.
    pub(crate) fn bias_at(&self) -> usize {
        self.operands() + usize::from(self.weighted)
    }

    /// The shape of the output.
    fn shape(&self, ins: &[Meta]) -> Result<Shape> {
        let name = self.name();
        match self.with {
            FusedWith::Relu | FusedWith::Gelu => Ok(ins[0].shape.clone()),
            FusedWith::Residual if ins[0].shape != ins[1].shape => {
                Err(Error::shapes(&ins[0].shape, &ins[1].shape, name))
            }
            FusedWith::Residual => Ok(ins[0].shape.clone()),
            FusedWith::Lookup => {
                let (table, indices) = (ins[0].shape.dims(), ins[1].shape.dims());
                let (&[_, width], &[count]) = (table, indices) else {
                    let what = "expected a table of 2 dimensions and a vector of indices";
                    return Err(Error::invalid(name, format!("{what}, got {table:?} and {indices:?}")));
                };
                Ok((count, width).into())
            }
        }
    }
}

impl OpDef for FusedNorm {
    fn name(&self) -> &'static str {
        match self.with {
            FusedWith::Relu => "layernorm_relu",
            FusedWith::Gelu => "layernorm_gelu",
            FusedWith::Residual => "residual_layernorm",
            FusedWith::Lookup => "embedding_rms_norm",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        const X: Input = Input::new("x", sets::FLOAT);
        match self.with {
            FusedWith::Relu | FusedWith::Gelu => inputs!(self, X),
            FusedWith::Residual => inputs!(self, X, Input::same("residual", sets::FLOAT)),
            FusedWith::Lookup => {
                inputs!(self, Input::new("table", sets::FLOAT), Input::new("ids", sets::INDEX))
            }
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let shape = self.shape(ins)?;
        self.norm().check(self.name(), &shape, &ins[self.operands()..])?;
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        let weight = u32::from(self.weighted) << self.operands();
        match self.with {
            FusedWith::Relu => Reads::inputs(1 | weight).or(Reads::OUTPUT),
            FusedWith::Gelu => Reads::inputs(1 | weight | u32::from(self.biased) << self.bias_at()),
            FusedWith::Residual | FusedWith::Lookup => Reads::inputs(3 | weight),
        }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (norm, first, bias_at) = (self.norm(), self.operands(), self.bias_at());
        let x = match self.with {
            FusedWith::Relu | FusedWith::Gelu => c.input(0)?,
            FusedWith::Residual => (c.input(0)? + c.input(1)?)?,
            FusedWith::Lookup => {
                let rows = IndexSelect { dim: 0, rule: IndexMode::Within };
                Tensor::run(Op::IndexSelect(rows), &[&c.input(0)?, &c.input(1)?])?
            }
        };
        let g = match self.with {
            FusedWith::Relu => activation_grad(Activation::Relu, c.grad(), &c.output()?)?,
            FusedWith::Gelu => {
                let weight = self.weighted.then(|| c.input(first)).transpose()?;
                let bias = self.biased.then(|| c.input(bias_at)).transpose()?;
                let z = x.norm_by(norm, weight.as_ref(), bias.as_ref())?;
                activation_grad(Activation::Gelu, c.grad(), &z)?
            }
            FusedWith::Residual | FusedWith::Lookup => c.grad().clone(),
        };
        let residual = self.with == FusedWith::Residual;
        let wanted = [
            c.needs(0) || residual && c.needs(1),
            self.weighted && c.needs(first),
            self.biased && c.needs(bias_at),
        ];
        let [dx, weight, bias] = norm.gradients(&g, || Ok(x.clone()), || c.input(first), wanted)?;
        let mut all = Grads::new();
        match self.with {
            FusedWith::Relu | FusedWith::Gelu => all.push(dx),
            FusedWith::Residual => all.extend([dx.clone().filter(|_| c.needs(0)), dx.filter(|_| c.needs(1))]),
            FusedWith::Lookup => {
                let table = dx.map(|dx| {
                    let table = c.meta(0)?;
                    let zeros = Tensor::zeros(table.shape, table.dtype, dx.device())?;
                    let add = Op::IndexAdd(IndexAdd { dim: 0, rule: IndexMode::Within });
                    Tensor::run(add, &[&zeros, &c.input(1)?, &dx])
                });
                all.extend([table.transpose()?, None]);
            }
        }
        all.extend(self.weighted.then_some(weight));
        all.extend(self.biased.then_some(bias));
        Ok(all)
    }

    fn shape_rule(&self) -> ShapeRule {
        match self.with {
            FusedWith::Lookup => ShapeRule::Selected { dim: 0 },
            _ => ShapeRule::Input(0),
        }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        match self.with {
            FusedWith::Lookup => const { &[EPS, WEIGHTED] },
            _ => self.norm().specs(),
        }
    }

    fn values(&self) -> Vec<Value> {
        match self.with {
            FusedWith::Lookup => vec![Value::Float(self.eps), Value::Bool(self.weighted)],
            _ => self.norm().all_values(),
        }
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        match self.with {
            FusedWith::Gelu => Accuracy::LOSS,
            FusedWith::Relu | FusedWith::Residual | FusedWith::Lookup => Accuracy::Accumulated,
        }
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
        let plain = |with, size| Self { with, size, eps: 1e-5, weighted: false, biased: false };
        let full =
            |with, size| Self { weighted: true, biased: with != FusedWith::Lookup, ..plain(with, size) };
        use FusedWith::{Gelu, Lookup, Relu, Residual};
        let mut all = Sample::table(
            |(op, x): (Self, &[usize])| op.sample(x),
            [
                (full(Relu, 1), &[3, 5][..]),
                (full(Gelu, 1), &[3, 5]),
                (plain(Gelu, 2), &[2, 3, 4]),
                (Self { weighted: false, ..full(Gelu, 1) }, &[0, 4]),
                (full(Residual, 1), &[3, 5]),
                (plain(Residual, 2), &[2, 3, 4]),
                (full(Residual, 1), &[3, 0]),
                (full(Lookup, 1), &[3, 5]),
                (plain(Lookup, 1), &[0, 4]),
            ],
            [
                ((plain(Relu, 3), &[2, 3][..]), "at most all dimensions"),
                ((plain(Lookup, 1), &[2, 3, 4]), "a table of 2 dimensions"),
            ],
        );
        let (op, mut ins) = full(Residual, 1).sample(&[2, 3]);
        ins[1].shape = 3.into();
        all.push(Sample::bad(op, ins, "shape mismatch in"));
        let (op, mut ins) = full(Lookup, 1).sample(&[2, 3]);
        ins[2].shape = 7.into();
        all.push(Sample::bad(op, ins, "the shape of what is normalized"));
        // On both sides of the kink of relu.
        for (op, shape) in [(full(Relu, 1), &[3, 5][..]), (plain(Relu, 1), &[0, 4])] {
            let (op, mut ins) = op.sample(shape);
            ins[1..].iter_mut().for_each(|s| s.domain = Domain::Range(-2.0, 2.0));
            all.push(Sample::new(op, ins).no_grad());
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        /// The signature of a layer normalization.
        macro_rules! layer {
            ($with:ident, $name:literal, $doc:literal) => {
                signature!(
                    AsGiven,
                    $doc,
                    [],
                    (dims: Count, eps: Float, weighted: Bool [weight], biased: Bool [bias]) =>
                    Op::FusedNorm(Self { with: FusedWith::$with, size: dims, eps, weighted, biased })
                )
                .named($name)
                .without_method()
            };
        }
        vec![
            layer!(
                Relu,
                "_layernorm_relu",
                "Normalizes the last ``dims`` axes to mean 0 and variance 1, and applies relu."
            ),
            layer!(
                Gelu,
                "_layernorm_gelu",
                "Normalizes the last ``dims`` axes to mean 0 and variance 1, and applies exact GELU."
            ),
            layer!(
                Residual,
                "_residual_layernorm",
                "Normalizes the last ``dims`` axes of a sum to mean 0 and variance 1."
            ),
            signature!(
                AsGiven,
                "Returns rows of a table, scaled to a mean square of 1, times ``weight``.",
                [],
                (eps: Float, weighted: Bool [weight]) =>
                Op::FusedNorm(Self { with: FusedWith::Lookup, size: 1, eps, weighted, biased: false })
            )
            .named("_embedding_rms_norm")
            .without_method(),
        ]
    }
}

impl FusedNorm {
    /// A use with an output of this shape. relu stays away from its kink: the bias outweighs the rest.
    fn sample(self, shape: &[usize]) -> (Op, Vec<Spec>) {
        let range = Domain::Range(-3.0, 3.0);
        let mut ins = match self.with {
            FusedWith::Relu | FusedWith::Gelu => vec![Spec::new(shape, range)],
            FusedWith::Residual => vec![Spec::new(shape, range); 2],
            FusedWith::Lookup => {
                let mut table = shape.to_vec();
                table[0] = 4;
                let mut ids = Spec::index(shape[0], 4);
                if shape[0] > 0 {
                    // index_select reads indices of the other dtypes by the same functions.
                    ids.fill = Fill::Fixed(DType::I64);
                }
                vec![Spec::new(table, range), ids]
            }
        };
        let weights: Shape = shape[shape.len().saturating_sub(self.size)..].into();
        let (weight, bias) = match self.with {
            FusedWith::Relu => (Domain::Range(-0.1, 0.1), Domain::Range(2.0, 3.0)),
            _ => (Domain::Range(-2.0, 2.0), Domain::Range(-2.0, 2.0)),
        };
        ins.extend(self.weighted.then(|| Spec::new(weights.clone(), weight)));
        ins.extend(self.biased.then(|| Spec::new(weights, bias)));
        (Op::FusedNorm(self), ins)
    }
}

/// `g f'(z)`.
fn activation_grad(f: Activation, g: &Tensor, z: &Tensor) -> Result<Tensor> {
    bias_activation::gradient(f, g, z, &z.constant_like(0.0)?)
}

impl Tensor {
    fn fused_norm(
        &self,
        op: FusedNorm,
        second: Option<&Self>,
        parameters: [Option<&Self>; 2],
    ) -> Result<Self> {
        let [weight, bias] = parameters;
        let op = FusedNorm { weighted: weight.is_some(), biased: bias.is_some(), ..op };
        let ins: Operands<'_> = [Some(self), second, weight, bias].into_iter().flatten().collect();
        Tensor::run(Op::FusedNorm(op), &ins)
    }

    /// [`Tensor::layer_norm`] and the function behind it, in one pass: [`FusedWith::Relu`] or [`FusedWith::Gelu`]. FLOAT dtypes,
    /// one for all. An error for another value of `f`.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::fused_norm::FusedWith};
    /// let x = Tensor::new(&[[1f32, 3.], [30., 10.]], &Device::Cpu)?;
    /// let y = x.layernorm_activation(FusedWith::Relu, 1, None, None, 0.0)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[0., 1.], [1., 0.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn layernorm_activation(
        &self,
        f: FusedWith,
        dims: usize,
        weight: Option<&Self>,
        bias: Option<&Self>,
        eps: f64,
    ) -> Result<Self> {
        if !matches!(f, FusedWith::Relu | FusedWith::Gelu) {
            return Err(Error::invalid("layernorm_activation", format!("{f:?} is not an activation")));
        }
        let op = FusedNorm { with: f, size: dims, eps, weighted: false, biased: false };
        self.fused_norm(op, None, [weight, bias])
    }

    /// [`Tensor::layer_norm`] of the sum with `residual`, which is broadcast to the shape of the tensor, in one pass. FLOAT
    /// dtypes, one for all.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[1f32, 3.], [30., 10.]], &Device::Cpu)?;
    /// let y = x.residual_layernorm(&Tensor::new(&[4f32, 0.], &Device::Cpu)?, 1, None, None, 0.0)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[1., -1.], [1., -1.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn residual_layernorm(
        &self,
        residual: &Self,
        dims: usize,
        weight: Option<&Self>,
        bias: Option<&Self>,
        eps: f64,
    ) -> Result<Self> {
        let op = FusedNorm { with: FusedWith::Residual, size: dims, eps, weighted: false, biased: false };
        self.fused_norm(op, Some(&residual.broadcast_as(self.shape())?), [weight, bias])
    }

    /// [`Tensor::rms_norm`] of rows of this table of shape `[rows, width]`, one for each index of a vector, in one pass.
    /// `weight` has shape `[width]`. FLOAT dtypes, one for both; indices: INDEX dtypes, an error where out of range.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let table = Tensor::new(&[[3f32, 3.], [-5., 5.]], &Device::Cpu)?;
    /// let ids = Tensor::new(&[1i64, 0, 1], &Device::Cpu)?;
    /// assert_eq!(table.embedding_rms_norm(&ids, None, 0.0)?.to_vec2::<f32>()?, [[-1., 1.], [1., 1.], [-1., 1.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn embedding_rms_norm(&self, ids: &Self, weight: Option<&Self>, eps: f64) -> Result<Self> {
        let op = FusedNorm { with: FusedWith::Lookup, size: 1, eps, weighted: false, biased: false };
        self.fused_norm(op, Some(ids), [weight, None])
    }
}
