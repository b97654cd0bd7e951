//! The op scatter_reduce: multiplies, or takes extremes of, elements with the same index of a dimension.
use super::scatter::check_shapes;
use super::{
    Accuracy, AttributeSpec, Domain, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value,
    given, grads, index_mode, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::gather::Gather;
use crate::ops::scatter::{Scatter, ScatterMode};
use crate::{Dim, Error, Result, Tensor, pydoc};

/// How a source element changes the target element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScatterReduceOp {
    /// The product, in row-major order. f16 and bf16 are multiplied in f32 and rounded once.
    Prod,
    /// The larger one; NaN if either is. Of two zeros 0 is larger than -0, so the order does not matter.
    Max,
    /// The smaller one, likewise.
    Min,
}

use ScatterReduceOp as R;

/// Computes `out = x; out[i, ids[i, j, k], k] = op(that element, src[i, j, k])` along a dimension (here 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScatterReduce {
    /// The dimension.
    pub dim: usize,
    /// How elements are combined.
    pub op: ScatterReduceOp,
    /// Meaning of indices outside the dimension.
    pub rule: IndexMode,
}

impl OpDef for ScatterReduce {
    fn name(&self) -> &'static str {
        match self.op {
            R::Prod => "scatter_prod",
            R::Max => "scatter_max",
            R::Min => "scatter_min",
        }
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
        let shape = self.shape_rule().infer(self.name(), ins)?;
        check_shapes(ins, self.dim)?;
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        match self.op {
            R::Prod => Reads::inputs(0b111),
            R::Max | R::Min => Reads::inputs(0b111).or(Reads::OUTPUT),
        }
    }

    /// Elements that give an extreme share its gradient, as in a reduction. The gradient of a factor is the product of
    /// the others, which is computed without a division by 0.
    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (x, ids, src, g) = (c.input(0)?, c.input(1)?, c.input(2)?, c.grad());
        let pick = Op::Gather(Gather { dim: self.dim, rule: self.rule });
        let pick = |t: &Tensor| Tensor::run(pick.clone(), &[t, &ids]);
        let add = Scatter { dim: self.dim, mode: ScatterMode::Add, in_place: false, rule: self.rule };
        let count = |start: &Tensor, marks: &Tensor| {
            let marks = marks.to_dtype(g.dtype())?;
            Tensor::run(Op::Scatter(add), &[&start.to_dtype(g.dtype())?, &ids, &marks])
        };
        let zeros = g.constant_like(0.0)?;
        if self.op == R::Prod {
            let dx =
                c.when(0, || g * Tensor::run(Op::ScatterReduce(*self), &[&x.ones_like()?, &ids, &src])?)?;
            let dsrc = c.when(2, || {
                // The product without the zeros of the source, and for each element the number of other zeros.
                let zero = src.detach().eq(0.0)?;
                let filled = zero.where_cond(&src.ones_like()?, &src)?;
                let product = Tensor::run(Op::ScatterReduce(*self), &[&x, &ids, &filled])?;
                let others = (pick(&count(&zeros, &zero)?)? - zero.to_dtype(g.dtype())?)?;
                let factor = (pick(&(g * product)?)? / filled)?;
                others.detach().eq(0.0)?.where_cond(&factor, &factor.zeros_like()?)
            })?;
            return grads![dx, None, dsrc];
        }
        let out = c.output()?.detach();
        let (kept, hit) = (x.detach().eq(&out)?, pick(&out)?.eq(&src.detach())?);
        let share = (g / count(&kept, &hit)?.maximum(1.0)?)?;
        let dx = c.when(0, || kept.where_cond(&share, &zeros))?;
        let dsrc = c.when(2, || {
            let share = pick(&share)?;
            hit.where_cond(&share, &share.zeros_like()?)
        })?;
        grads![dx, None, dsrc]
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
        match self.op {
            R::Prod => Accuracy::Accumulated,
            R::Max | R::Min => Accuracy::Rounded,
        }
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
        let mut all = Vec::new();
        for kind in [R::Prod, R::Max, R::Min] {
            let d = if kind == R::Prod { Domain::Away(-1.5, 1.5, 4.0) } else { Domain::Range(-3.0, 3.0) };
            let op = |dim, rule| Op::ScatterReduce(ScatterReduce { dim, op: kind, rule });
            let within = |dim| op(dim, IndexMode::Within);
            let ins = |x: &[usize], ids: &[usize], size| {
                vec![Spec::new(x, d), Spec::index(ids, size), Spec::new(ids, d)]
            };
            for (dim, x, ids) in [
                (0, &[4usize, 3][..], &[2usize, 3][..]),
                (1, &[2, 4, 3], &[2, 5, 3]),
                (1, &[3, 4, 3], &[2, 3, 2]),
                (0, &[5], &[7]),
                (0, &[4, 3], &[0, 3]),
            ] {
                let s = Sample::new(within(dim), ins(x, ids, x[dim]));
                // Random numbers may be closer than the steps of finite differences: one extreme must not become another.
                all.push(if kind == R::Prod { s } else { s.no_grad() });
            }
            if kind != R::Prod {
                let far = vec![
                    Spec::new([4], Domain::Range(-9.0, -8.0)),
                    Spec::index([9], 4),
                    Spec::new([9], Domain::Distinct),
                ];
                all.push(Sample::new(within(0), far));
                let near = vec![
                    Spec::new([9], Domain::Distinct),
                    Spec::index([2], 9),
                    Spec::new([2], Domain::Range(-9.0, -8.0)),
                ];
                all.push(Sample::new(within(0), near));
            }
            for rule in [IndexMode::FromEnd, IndexMode::MaxSkips] {
                let ins = vec![Spec::new([2, 4], d), Spec::ruled([2, 9], 4, rule), Spec::new([2, 9], d)];
                all.push(Sample::new(op(1, rule), ins).no_grad());
            }
            // Many indices of a long dimension: a GPU takes extremes with atomics.
            all.push(Sample::new(within(0), ins(&[40, 30], &[100, 30], 40)).no_grad());
            all.push(Sample::bad(
                within(0),
                ins(&[4, 3], &[2, 4], 4),
                "shape mismatch in scatter (self, src)",
            ));
            let uneven = vec![Spec::new([4, 3], d), Spec::index([2, 3], 4), Spec::new([3, 3], d)];
            all.push(Sample::bad(within(0), uneven, "shape mismatch in scatter (indexes, src)"));
            all.push(Sample::bad(within(2), ins(&[4, 3], &[2, 3], 4), "out of range"));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            index_mode::X,
            index_mode::INDEX,
            TensorArgument::new("src", "Values to combine; the tensor has at least the shape of ``index``."),
        ];
        const RAISES: &[&str] =
            &[index_mode::RAISES, pydoc!(@error ValueError: "If the shapes do not match.")];
        macro_rules! each {
            ($($kind:ident $name:literal $summary:literal $call:literal $shown:literal;)*) => {
                vec![$(signature!(
                    AsGiven,
                    $summary,
                    [$call, $shown],
                    (dim: Axis [named]) => Op::ScatterReduce(Self { dim, op: R::$kind, rule: IndexMode::Within })
                )
                .calling(TENSORS, reduced)
                .named($name)
                .without_method()
                .in_order(&["x", "dim", "index", "src"])
                .returns("Copy of ``x`` with the elements combined.")
                .raises(RAISES)),*]
            };
        }
        each! {
            Prod "_scatter_prod" "Returns a copy with elements multiplied at indices."
                ">>> rl._native._scatter_prod(rl.ones(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))"
                "tensor([ 1.,  1., 35.], dtype=float32, device='cpu')";
            Max "_scatter_max" "Returns a copy with the largest elements at indices."
                ">>> rl._native._scatter_max(rl.ones(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))"
                "tensor([1., 1., 7.], dtype=float32, device='cpu')";
            Min "_scatter_min" "Returns a copy with the smallest elements at indices."
                ">>> rl._native._scatter_min(rl.ones(3), 0, rl.tensor([2, 2]), rl.tensor([-5.0, 7.0]))"
                "tensor([ 1.,  1., -5.], dtype=float32, device='cpu')";
        }
    }
}

/// Combines at indices as Python means them.
fn reduced(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let ([x, index, src], Op::ScatterReduce(definition)) = (given(&op, tensors)?, &op) else {
        return Err(Error::invalid(op.name(), "not a scatter_reduce"));
    };
    let (ids, rule) = IndexMode::of(index, "scatter_reduce: indices must be integers")?;
    let op = Op::ScatterReduce(ScatterReduce { rule, ..*definition });
    Tensor::run(op, &[x, &ids, &src.to_dtype(x.dtype())?])
}

impl Tensor {
    /// Returns a copy of this tensor, in which elements are combined with those of `source` at indices of a dimension: for
    /// dimension 0, `out[indexes[i][j]][j] = op(out[indexes[i][j]][j], source[i][j])`. Shapes, dtypes, indices and errors are those
    /// of [`Tensor::scatter_add`]. Sources that give the same extreme share its gradient.
    ///
    /// ```
    /// use rushlight::ops::scatter_reduce::ScatterReduceOp;
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[1f32, 2., 3.], &Device::Cpu)?;
    /// let ids = Tensor::new(&[2u32, 0, 2], &Device::Cpu)?;
    /// let src = Tensor::new(&[7f32, 8., 9.], &Device::Cpu)?;
    /// assert_eq!(t.scatter_reduce(&ids, &src, 0, ScatterReduceOp::Max)?.to_vec1::<f32>()?, [8., 2., 9.]);
    /// assert_eq!(t.scatter_reduce(&ids, &src, 0, ScatterReduceOp::Prod)?.to_vec1::<f32>()?, [8., 2., 189.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn scatter_reduce<D: Dim>(
        &self,
        indexes: &Self,
        source: &Self,
        dim: D,
        op: ScatterReduceOp,
    ) -> Result<Self> {
        let definition = ScatterReduce { dim: 0, op, rule: IndexMode::MaxSkips };
        let dim = dim.to_index(self.shape(), definition.name())?;
        Tensor::run(Op::ScatterReduce(ScatterReduce { dim, ..definition }), &[self, indexes, source])
    }
}
