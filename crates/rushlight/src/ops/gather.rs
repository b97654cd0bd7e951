//! The op gather: selects an element along a dimension for each element of an index tensor.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, given, grads,
    index_mode, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::scatter::{Scatter, ScatterMode};
use crate::{Dim, Error, Result, Tensor, pydoc};

/// Computes `out[i, j, k] = x[i, ids[i, j, k], k]` along a dimension (here 1). The output has the shape of `ids`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gather {
    /// The dimension.
    pub dim: usize,
    /// Meaning of indices outside the dimension.
    pub rule: IndexMode,
}

impl OpDef for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL), Input::new("ids", sets::INDEX)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(2)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (shape, ids) = (c.meta(0)?.shape, c.input(1)?);
        let definition = Scatter { dim: self.dim, mode: ScatterMode::Add, in_place: true, rule: self.rule };
        let add = |g: &Tensor| {
            let zeros = Tensor::zeros(shape.clone(), g.dtype(), g.device())?;
            if c.records() {
                let definition = Scatter { in_place: false, ..definition };
                return Tensor::run(Op::Scatter(definition), &[&zeros, &ids, g]);
            }
            Tensor::run_inplace(Op::Scatter(definition), &[&zeros], &[&ids, g])?;
            Ok(zeros)
        };
        grads![c.grad().map_parts(add)?, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Gathered { dim: self.dim }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::dim("Dimension that the indices are of."), index_mode::MODE] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Axis(self.dim), self.rule.value()]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Indexed
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Rounded
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::INDEXED
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let op = |dim| Op::Gather(Gather { dim, rule: IndexMode::Within });
        let ruled = |rule| {
            let ins = vec![Spec::new([2, 4], d), Spec::ruled([2, 9], 4, rule)];
            Sample::new(Op::Gather(Gather { dim: 1, rule }), ins)
        };
        vec![
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index([2, 3], 4)]),
            Sample::new(op(1), vec![Spec::new([2, 4, 3], d), Spec::index([2, 5, 3], 4)]),
            Sample::new(op(1), vec![Spec::new([3, 4, 3], d), Spec::index([2, 3, 2], 4)]),
            Sample::new(op(2), vec![Spec::new([2, 2, 4], d), Spec::index([2, 2, 1], 4)]),
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index([0, 3], 4)]),
            Sample::new(op(0), vec![Spec::new(5, d), Spec::index(7, 5)]),
            ruled(IndexMode::FromEnd),
            ruled(IndexMode::MaxSkips),
            Sample::bad(
                op(0),
                vec![Spec::new([4, 3], d), Spec::index([2, 4], 4)],
                "shape mismatch in gather",
            ),
            Sample::bad(op(0), vec![Spec::new([4, 3], d), Spec::index(2, 4)], "shape mismatch in gather"),
            Sample::bad(op(2), vec![Spec::new([4, 3], d), Spec::index([4, 3], 4)], "out of range"),
        ]
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Selects one element for each index: ``out[i, j] = x[i, index[i, j]]`` along dimension 1.",
                [
                    ">>> rl.gather(rl.tensor([[1, 2], [3, 4]]), 1, rl.tensor([[1], [0]]))",
                    "tensor([[2],",
                    "        [3]], dtype=int64, device='cpu')",
                ],
                (dim: Axis [named]) => Op::Gather(Self { dim, rule: IndexMode::Within })
            )
            .calling(&[index_mode::X, index_mode::INDEX], gathered)
            .in_order(&["x", "dim", "index"])
            .returns("Elements in the shape of ``index``.")
            .raises(&[index_mode::RAISES, pydoc!(@error ValueError: "If the shapes do not match.")]),
            signature!(
                AsGiven,
                "Selects one element for each index: ``out[i, j] = x[i, indices[i, j]]`` along axis 1.\n\nThe axes other than ``axis`` are broadcast.",
                [
                    ">>> x = rl.tensor([[3, 1], [2, 4]])",
                    ">>> rl.take_along_axis(x, rl.argsort(x))",
                    "tensor([[1, 3],",
                    "        [2, 4]], dtype=int64, device='cpu')",
                ],
                (dim: Axis [last]) => Op::Gather(Self { dim, rule: IndexMode::Within })
            )
            .named("take_along_axis")
            .calling(&[index_mode::X, index_mode::INDICES_ARGUMENT], gathered_along)
            .returns("Elements in the shape of ``indices``.")
            .raises(&[index_mode::RAISES, pydoc!(@error ValueError: "If the shapes do not match.")])
            .without_method(),
        ]
    }
}

/// Gathers by indices as Python means them.
fn gathered(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let ([x, index], Op::Gather(definition)) = (given(&op, tensors)?, &op) else {
        return Err(Error::invalid(op.name(), "not a gather"));
    };
    let (ids, rule) = IndexMode::of(index, "gather: indices must be integers")?;
    Tensor::run(Op::Gather(Gather { rule, ..*definition }), &[x, &ids])
}

/// Gathers along a dimension; the others are broadcast.
fn gathered_along(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    const NAME: &str = "take_along_axis";
    let ([x, indices], Op::Gather(definition)) = (given(&op, tensors)?, &op) else {
        return Err(Error::invalid(NAME, "not a gather"));
    };
    let (mut a, mut b) = (x.dims().to_vec(), indices.dims().to_vec());
    let shapes = || format!("shapes {:?} and {:?}", x.shape(), indices.shape());
    if a.len() != b.len() {
        return Err(Error::invalid(NAME, format!("{} have different ranks", shapes())));
    }
    for (i, (a, b)) in a.iter_mut().zip(&mut b).enumerate().filter(|(i, _)| *i != definition.dim) {
        match (*a, *b) {
            (1, n) => *a = n,
            (n, 1) => *b = n,
            (n, m) if n == m => {}
            _ => return Err(Error::invalid(NAME, format!("{} do not match in dimension {i}", shapes()))),
        }
    }
    let (ids, rule) = IndexMode::of(indices, "take_along_axis: indices must be integers")?;
    let op = Op::Gather(Gather { rule, ..*definition });
    Tensor::run(op, &[&x.broadcast_as(a)?, &ids.broadcast_as(b)?])
}

impl Tensor {
    /// Selects an element along a dimension for each element of `indexes`: for dimension 0,
    /// `out[i][j] = self[indexes[i][j]][j]`. The output has the shape of `indexes`, which may be smaller than this
    /// tensor in the other dimensions. All dtypes; `indexes`: INDEX dtypes. An index equal to its dtype's largest value
    /// gives 0, as in candle; any other index out of range is an error.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// let ids = Tensor::new(&[[1u32], [0]], &Device::Cpu)?;
    /// assert_eq!(t.gather(&ids, 1)?.to_vec2::<f32>()?, [[2.], [3.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn gather<D: Dim>(&self, indexes: &Self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "gather")?;
        Tensor::run(Op::Gather(Gather { dim, rule: IndexMode::MaxSkips }), &[self, indexes])
    }
}
