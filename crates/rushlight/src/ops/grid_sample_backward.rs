//! Gradients of sampling at given positions.
use super::grid_sample::{GridSample, samples};
use super::norm::wide as wide_dtype;
use super::window::{Each, last3, shape_of, sizes, wide};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::tensor::grid_sample::composed_input_grad;
use crate::{Error, Result, Shape, Tensor};

/// Computes the gradient of `grid_sample` by its input: each sample's gradient times its weights is added to the
/// elements that the sample read, in row-major order of the samples. The result is not rounded to the gradient's dtype:
/// it is F64 for F64, else F32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridSampleInputGrad {
    /// The forward op.
    pub forward: GridSample,
    /// Spatial sizes of the forward op's input.
    pub size: Each,
}

impl OpDef for GridSampleInputGrad {
    fn name(&self) -> &'static str {
        "grid_sample_input_grad"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("g", sets::FLOAT), Input::same("grid", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (g, grid) = (&ins[0].shape, &ins[1].shape);
        let n = g.rank().saturating_sub(2);
        if !(n == 2 || n == 3) {
            return Err(Error::invalid(
                self.name(),
                format!("the gradient has rank 4 or 5, got shape {g:?}"),
            ));
        }
        let [batch, channels, ..] = sizes(g, n)?;
        let x = shape_of(batch, channels, wide(self.size), n);
        let out = self.forward.sampled(self.name(), &x, grid)?;
        if out != *g {
            return Err(Error::shapes(&out, g, self.name()));
        }
        Ok(Meta::new(x, wide_dtype(ins[0].dtype)))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs(if wanted == 0 { 2 } else { 3 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if c.records() && c.needs(1) {
            let size = wide(self.size);
            return c.composed(|ins| {
                let spatial = ins[0].rank().saturating_sub(2);
                composed_input_grad(&self.forward, &size[size.len() - spatial..], ins)
            });
        }
        // The result is linear in `g`, and its product with an image is that of `g` with the samples of the image.
        let (u, dtype) = (c.grad(), c.meta(0)?.dtype);
        let grid = c.input(1)?.to_dtype(u.dtype())?;
        grads![
            c.when(0, || Tensor::run(Op::GridSample(self.forward), &[u, &grid])?.to_dtype(dtype))?,
            c.when(1, || {
                let g = c.input(0)?.to_dtype(u.dtype())?;
                let op = Op::GridSampleGridGrad(GridSampleGridGrad(self.forward));
                Tensor::run(op, &[&g, u, &grid])?.to_dtype(dtype)
            })?
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, input_size ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[GridSample::SPECS[0], GridSample::SPECS[1], GridSample::SPECS[2], attribute::INPUT_SIZE] }
    }

    fn values(&self) -> Vec<Value> {
        let mut all = self.forward.all_values();
        all.push(Value::sizes(3, wide(self.size)));
        all
    }

    fn pattern(&self) -> Pattern {
        Pattern::Windows
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Accumulated
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::INDEXED
    }

    fn samples() -> Vec<Sample> {
        let mut all = samples(|forward, x, grid, domain| {
            let (size, out) = shapes(&forward, x, grid);
            let op = Op::GridSampleInputGrad(Self { forward, size });
            (op, vec![Spec::new(out, Domain::Range(-2.0, 2.0)), Spec::new(grid, domain)])
        });
        finish(&mut all);
        all
    }
}

/// Returns the sizes of an input and the shape of its samples. For invalid shapes it returns a placeholder.
fn shapes(forward: &GridSample, x: &[usize], grid: &[usize]) -> (Each, Shape) {
    let shape = Shape::from(x);
    let size = sizes(&shape, x.len() - 2).map_or([1; 3], |v| last3(v).map(|v| v as u32));
    let out = forward.sampled("", &shape, &grid.into()).unwrap_or(shape);
    (size, out)
}

/// Adapts samples of the forward op: these ops have no gradients, and calls that are invalid for it are valid here,
/// except those with wrong shapes.
fn finish(all: &mut Vec<Sample>) {
    all.iter_mut().for_each(|s| s.grad = false);
    all.retain(|s| s.error.is_none_or(|words| words == "shape mismatch"));
}

/// Computes the gradient of `grid_sample` by its grid. For each coordinate it is the sum, over the elements read, of
/// the derivative of the weight times the sum over the channels of element times gradient. It is 0 where padding makes
/// the position constant, and everywhere in mode nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridSampleGridGrad(pub GridSample);

impl OpDef for GridSampleGridGrad {
    fn name(&self) -> &'static str {
        "grid_sample_grid_grad"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("g", sets::FLOAT), Input::same("x", sets::FLOAT), Input::same("grid", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let out = self.0.sampled(self.name(), &ins[1].shape, &ins[2].shape)?;
        if out != ins[0].shape {
            return Err(Error::shapes(&out, &ins[0].shape, self.name()));
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Refused("take it with create_graph=True, which records other ops instead")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(2)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &GridSample::SPECS
    }

    fn values(&self) -> Vec<Value> {
        self.0.all_values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Windows
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Accumulated
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let mut all = samples(|forward, x, grid, domain| {
            let (_, out) = shapes(&forward, x, grid);
            let ins = vec![
                Spec::new(out, Domain::Range(-2.0, 2.0)),
                Spec::new(x, Domain::Range(-3.0, 3.0)),
                Spec::new(grid, domain),
            ];
            (Op::GridSampleGridGrad(Self(forward)), ins)
        });
        finish(&mut all);
        all
    }
}
