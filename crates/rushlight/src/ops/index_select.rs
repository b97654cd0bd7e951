//! The op index_select: selects elements of a dimension by a vector of indices.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value,
    given, grads, index_mode, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::index_add::IndexAdd;
use crate::{Dim, Error, Result, Tensor, pydoc};

/// Computes `out[.., j, ..] = x[.., ids[j], ..]` along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexSelect {
    /// The dimension.
    pub dim: usize,
    /// Meaning of indices outside the dimension.
    pub rule: IndexMode,
}

impl OpDef for IndexSelect {
    fn name(&self) -> &'static str {
        "index_select"
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
        let add = Op::IndexAdd(IndexAdd { dim: self.dim, rule: self.rule });
        let add = |g: &Tensor| {
            let zeros = Tensor::zeros(shape.clone(), g.dtype(), g.device())?;
            Tensor::run(add.clone(), &[&zeros, &ids, g])
        };
        grads![c.grad().map_parts(add)?, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Selected { dim: self.dim }
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
        let op = |dim| Op::IndexSelect(IndexSelect { dim, rule: IndexMode::Within });
        let ruled = |rule| {
            let ins = vec![Spec::new([4, 3], d), Spec::ruled(9, 4, rule)];
            Sample::new(Op::IndexSelect(IndexSelect { dim: 0, rule }), ins)
        };
        vec![
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index(5, 4)]),
            Sample::new(op(1), vec![Spec::new([2, 4, 3], d), Spec::index(2, 4)]),
            Sample::new(op(2), vec![Spec::new([2, 3, 4], d), Spec::index(6, 4)]),
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index(0, 4)]),
            ruled(IndexMode::FromEnd),
            ruled(IndexMode::MaxSkips),
            Sample::bad(op(0), vec![Spec::new([4, 3], d), Spec::index([2, 2], 4)], "unexpected rank"),
            Sample::bad(op(2), vec![Spec::new([4, 3], d), Spec::index(2, 4)], "out of range"),
        ]
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Selects entries along a dimension by a vector of indices.",
                [
                    ">>> rl.index_select(rl.tensor([10, 20, 30]), 0, rl.tensor([2, 0]))",
                    "tensor([30, 10], dtype=int64, device='cpu')",
                ],
                (dim: Axis [named]) => Op::IndexSelect(Self { dim, rule: IndexMode::Within })
            )
            .calling(&[index_mode::X, index_mode::INDEX], |op, tensors| {
                selected(op, tensors, "index_select: indices must be integers")
            })
            .in_order(&["x", "dim", "index"])
            .returns("Copy with one entry for each index.")
            .raises(&[index_mode::RAISES]),
            signature!(
                AsGiven,
                "Selects entries along an axis by indices of any shape.",
                [
                    ">>> rl.take(rl.tensor([10, 20, 30]), rl.tensor([2, 0]))",
                    "tensor([30, 10], dtype=int64, device='cpu')",
                ],
                (dim: Axis [vector]) => Op::IndexSelect(Self { dim, rule: IndexMode::Within })
            )
            .named("take")
            .calling(&[index_mode::X, index_mode::INDICES_ARGUMENT], |op, tensors| {
                selected(op, tensors, "take: indices must be integers")
            })
            .returns("Entries; the axis is replaced by the dimensions of ``indices``.")
            .raises(&[
                index_mode::RAISES,
                pydoc!(@error ValueError: "If ``axis`` is missing and ``x`` is not a vector."),
            ]),
            signature!(
                AsGiven,
                "Returns rows of a table, one for each index; negative indices are errors.",
                [],
                () => Op::IndexSelect(Self { dim: 0, rule: IndexMode::Within })
            )
            .named("_embedding")
            .calling(TABLE, rows)
            .without_method(),
        ]
    }
}

const TABLE: &[TensorArgument] = &[
    TensorArgument::new("input", "Indices, of an integer dtype."),
    TensorArgument::new("weight", "Table, of shape (rows, columns)."),
];

/// Selects by indices of any shape, as Python means them; `message` is the error of indices that are not integers.
fn selected(op: Op, tensors: &[Option<&Tensor>], message: &'static str) -> Result<Tensor> {
    let ([x, indices], Op::IndexSelect(definition)) = (given(&op, tensors)?, &op) else {
        return Err(Error::invalid(op.name(), "not a selection"));
    };
    let (ids, rule) = IndexMode::of(indices, message)?;
    picked(IndexSelect { rule, ..*definition }, x, &ids)
}

fn rows(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let ([indices, table], Op::IndexSelect(definition)) = (given(&op, tensors)?, &op) else {
        return Err(Error::invalid(op.name(), "not a selection"));
    };
    if table.rank() != 2 {
        let text = format!("the table has shape {:?}, not 2 axes", table.shape());
        return Err(Error::invalid("embedding", text));
    }
    let (ids, _) = IndexMode::of(indices, "embedding: indices must be integers")?;
    picked(*definition, table, &ids)
}

fn picked(definition: IndexSelect, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
    let d = definition.dim;
    let shape = [&x.dims()[..d], ids.dims(), &x.dims()[d + 1..]].concat();
    Tensor::run(Op::IndexSelect(definition), &[x, &ids.flatten_all()?])?.reshape(shape)
}

impl Tensor {
    /// Selects elements of a dimension by a vector of indices. All dtypes; indices: INDEX dtypes. An index equal to its
    /// dtype's largest value gives zeros, as in candle; any other index out of range is an error.
    pub fn index_select<D: Dim>(&self, ids: &Self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "index_select")?;
        Tensor::run(Op::IndexSelect(IndexSelect { dim, rule: IndexMode::MaxSkips }), &[self, ids])
    }
}
