//! The op index_add: adds a tensor at indices of a dimension.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value,
    given, grads, index_mode, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::index_select::IndexSelect;
use crate::{Dim, Error, Result, Tensor, pydoc};

/// Computes `out = x; out[.., ids[j], ..] += src[.., j, ..]` along a dimension. f16 and bf16 accumulate in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexAdd {
    /// The dimension.
    pub dim: usize,
    /// Meaning of indices outside the dimension.
    pub rule: IndexMode,
}

impl OpDef for IndexAdd {
    fn name(&self) -> &'static str {
        "index_add"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("x", sets::NUMERIC),
                Input::new("ids", sets::INDEX),
                Input::same("src", sets::NUMERIC),
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (x, ids, src) = (&ins[0], &ins[1], &ins[2]);
        let shape = self.shape_rule().infer(self.name(), ins)?;
        if ids.shape.rank() != 1 {
            return Err(Error::UnexpectedNumberOfDims {
                expected: 1,
                got: ids.shape.rank(),
                shape: ids.shape.clone(),
            }
            .bt());
        }
        let mut want = x.shape.dims().to_vec();
        want[self.dim] = ids.shape.dims()[0];
        if src.shape.dims() != want {
            return Err(Error::UnexpectedShape {
                msg: "index_add: the source must have the base's shape with as many entries as indices"
                    .to_string(),
                expected: want.into(),
                got: src.shape.clone(),
            }
            .bt());
        }
        Ok(Meta::new(shape, x.dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(2)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        if wanted == 0 { Reads::NONE } else { self.reads() }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        let select = Op::IndexSelect(IndexSelect { dim: self.dim, rule: self.rule });
        grads![g.clone(), None, c.when(2, || Tensor::run(select, &[g, &c.input(1)?]))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Indexed { dim: self.dim }
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
        Accuracy::Accumulated
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Arrival
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
        let op = |dim| Op::IndexAdd(IndexAdd { dim, rule: IndexMode::Within });
        let ruled = |rule| {
            let ins = vec![Spec::new([4, 3], d), Spec::ruled(9, 4, rule), Spec::new([9, 3], d)];
            Sample::new(Op::IndexAdd(IndexAdd { dim: 0, rule }), ins)
        };
        // Many indices of a long dimension: a GPU adds with atomics.
        let many = vec![Spec::new([40, 30], d), Spec::index(100, 40), Spec::new([100, 30], d)];
        vec![
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index(5, 4), Spec::new([5, 3], d)]),
            Sample::new(op(1), vec![Spec::new([2, 4, 3], d), Spec::index(2, 4), Spec::new([2, 2, 3], d)]),
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index(0, 4), Spec::new([0, 3], d)]),
            ruled(IndexMode::FromEnd),
            ruled(IndexMode::MaxSkips),
            Sample::new(op(0), many).no_grad(),
            Sample::bad(
                op(0),
                vec![Spec::new([4, 3], d), Spec::index(2, 4), Spec::new([3, 3], d)],
                "index_add: the source",
            ),
            Sample::bad(
                op(3),
                vec![Spec::new([4, 3], d), Spec::index(2, 4), Spec::new([2, 3], d)],
                "out of range",
            ),
        ]
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            index_mode::X,
            index_mode::INDEX,
            TensorArgument::new("source", "Entries to add, one for each index."),
        ];
        vec![
            signature!(
                AsGiven,
                "Returns a copy with entries of ``source`` added along a dimension at indices.",
                [
                    ">>> rl.index_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))",
                    "tensor([ 0.,  0., 12.], dtype=float32, device='cpu')",
                ],
                (dim: Axis [named]) => Op::IndexAdd(Self { dim, rule: IndexMode::Within })
            )
            .calling(TENSORS, added)
            .in_order(&["x", "dim", "index", "source"])
            .returns("Copy of ``x`` with the entries added.")
            .raises(&[index_mode::RAISES, pydoc!(@error ValueError: "If the shapes do not match.")]),
        ]
    }
}

/// Adds at indices as Python means them.
fn added(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let ([x, index, source], Op::IndexAdd(definition)) = (given(&op, tensors)?, &op) else {
        return Err(Error::invalid(op.name(), "not an index_add"));
    };
    let (ids, rule) = IndexMode::of(index, "index_add: indices must be integers")?;
    let op = Op::IndexAdd(IndexAdd { rule, ..*definition });
    Tensor::run(op, &[x, &ids, &source.to_dtype(x.dtype())?])
}

impl Tensor {
    /// Returns this tensor with the elements of `source` added at indices of a dimension. NUMERIC dtypes; indices:
    /// INDEX dtypes. An index equal to its dtype's largest value is skipped, as in candle; any other index out of range
    /// is an error.
    pub fn index_add<D: Dim>(&self, indexes: &Self, source: &Self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "index_add")?;
        Tensor::run(Op::IndexAdd(IndexAdd { dim, rule: IndexMode::MaxSkips }), &[self, indexes, source])
    }
}
