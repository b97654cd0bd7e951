//! The op scatter: writes or adds elements at indices of a dimension.
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern,
    PythonSignature, Reads, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument,
    TermOrder, Thresholds, Value, given, grads, index_mode, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::gather::Gather;
use crate::{DType, Dim, Error, Result, Tensor, pydoc};

/// The effect of a source element on the target element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScatterMode {
    /// It replaces the target element. If an index is repeated, the last source element in row-major order is kept.
    Set,
    /// It is added to the target element, in row-major order. f16 and bf16 accumulate in f32.
    Add,
}

/// Computes `out = x; out[i, ids[i, j, k], k] = src[i, j, k]` (or `+=`) along a dimension (here 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scatter {
    /// The dimension.
    pub dim: usize,
    /// Whether to replace or to add.
    pub mode: ScatterMode,
    /// Whether to change `x` itself instead of a copy.
    pub in_place: bool,
    /// Meaning of indices outside the dimension.
    pub rule: IndexMode,
}

/// Returns an error unless the source (input 2) has the shape of the indices (input 1), and fits into input 0 in all
/// dimensions but `dim`.
pub(super) fn check_shapes(ins: &[Meta], dim: usize) -> Result<()> {
    let (x, ids, src) = (&ins[0], &ins[1], &ins[2]);
    let fits = x.shape.rank() == src.shape.rank()
        && x.shape.dims().iter().zip(src.shape.dims()).enumerate().all(|(i, (x, n))| i == dim || n <= x);
    if !fits {
        return Err(Error::ShapeMismatchBinaryOp {
            lhs: x.shape.clone(),
            rhs: src.shape.clone(),
            op: "scatter (self, src)",
        }
        .bt());
    }
    if ids.shape != src.shape {
        return Err(Error::ShapeMismatchBinaryOp {
            lhs: ids.shape.clone(),
            rhs: src.shape.clone(),
            op: "scatter (indexes, src)",
        }
        .bt());
    }
    Ok(())
}

impl OpDef for Scatter {
    fn name(&self) -> &'static str {
        match (self.mode, self.in_place) {
            (ScatterMode::Set, false) => "scatter",
            (ScatterMode::Set, true) => "scatter_set",
            (ScatterMode::Add, false) => "scatter_add",
            (ScatterMode::Add, true) => "scatter_add_set",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        match self.mode {
            ScatterMode::Set => {
                const {
                    &[
                        Input::new("x", sets::ALL),
                        Input::new("ids", sets::INDEX),
                        Input::same("src", sets::ALL),
                    ]
                }
            }
            ScatterMode::Add => {
                const {
                    &[
                        Input::new("x", sets::NUMERIC),
                        Input::new("ids", sets::INDEX),
                        Input::same("src", sets::NUMERIC),
                    ]
                }
            }
        }
    }

    fn role(&self) -> Role {
        if self.in_place { Role::InOut(1) } else { Role::Out }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let shape = self.shape_rule().infer(self.name(), ins)?;
        check_shapes(ins, self.dim)?;
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        if self.in_place {
            Differentiable::No("it changes a tensor in place; use scatter or scatter_add")
        } else {
            Differentiable::Yes
        }
    }

    fn reads(&self) -> Reads {
        if self.in_place { Reads::NONE } else { Reads::inputs(2) }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (g, ids) = (c.grad(), c.input(1)?);
        let pick = Op::Gather(Gather { dim: self.dim, rule: self.rule });
        match self.mode {
            ScatterMode::Add => grads![g.clone(), None, c.when(2, || Tensor::run(pick, &[g, &ids]))?],
            ScatterMode::Set => {
                let put = Op::Scatter(Scatter { in_place: true, ..*self });
                let dx = c.when(0, || {
                    let zeros = Tensor::zeros((), g.dtype(), g.device())?.broadcast_as(ids.shape())?;
                    if c.records() {
                        return Tensor::run(Op::Scatter(*self), &[g, &ids, &zeros]);
                    }
                    let dx = g.copy()?;
                    Tensor::run_inplace(put.clone(), &[&dx], &[&ids, &zeros])?;
                    Ok(dx)
                })?;
                let dsrc = c.when(2, || {
                    // Only the source element that was written last has a gradient. To find it, each source element
                    // writes its number to its target, and then compares the number found there with its own.
                    let number =
                        Tensor::arange(0i64, ids.elem_count() as i64, g.device())?.reshape(ids.shape())?;
                    let last = Tensor::full(-1i64, g.shape(), g.device())?;
                    Tensor::run_inplace(put.clone(), &[&last], &[&ids, &number])?;
                    let won = Tensor::run(pick.clone(), &[&last, &ids])?.eq(&number)?;
                    let g = Tensor::run(pick, &[g, &ids])?;
                    won.where_cond(&g, &g.constant_like(0.0)?)
                })?;
                grads![dx, None, dsrc]
            }
        }
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
        match self.mode {
            ScatterMode::Set => Accuracy::Rounded,
            ScatterMode::Add => Accuracy::Accumulated,
        }
    }

    fn term_order(&self) -> TermOrder {
        match self.mode {
            ScatterMode::Set => TermOrder::Fixed,
            ScatterMode::Add => TermOrder::Arrival,
        }
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
        let mut all = Vec::new();
        for mode in [ScatterMode::Set, ScatterMode::Add] {
            for in_place in [false, true] {
                let op = |dim| Op::Scatter(Scatter { dim, mode, in_place, rule: IndexMode::Within });
                let ins = |x: &[usize], ids: &[usize], size| {
                    vec![Spec::new(x, d), Spec::index(ids, size), Spec::new(ids, d)]
                };
                for (dim, x, ids) in [
                    (0, &[4usize, 3][..], &[2usize, 3][..]),
                    (0, &[3, 2], &[5, 2]),
                    (1, &[2, 4, 3], &[2, 5, 3]),
                    (1, &[3, 4, 3], &[2, 3, 2]),
                    (2, &[2, 2, 4], &[2, 2, 1]),
                    (0, &[5], &[7]),
                    (0, &[4, 3], &[0, 3]),
                ] {
                    let s = Sample::new(op(dim), ins(x, ids, x[dim]));
                    all.push(if in_place { s.no_grad() } else { s });
                }
                for rule in [IndexMode::FromEnd, IndexMode::MaxSkips] {
                    // If an index is repeated, the last source element is kept.
                    let ins = vec![Spec::new([2, 4], d), Spec::ruled([2, 9], 4, rule), Spec::new([2, 9], d)];
                    let s = Sample::new(Op::Scatter(Scatter { dim: 1, mode, in_place, rule }), ins);
                    all.push(if in_place { s.no_grad() } else { s });
                }
                // Many indices of a long dimension: a GPU adds with atomics.
                all.push(Sample::new(op(0), ins(&[40, 30], &[100, 30], 40)).no_grad());
                all.push(Sample::bad(
                    op(0),
                    ins(&[4, 3], &[2, 4], 4),
                    "shape mismatch in scatter (self, src)",
                ));
                let uneven = vec![Spec::new([4, 3], d), Spec::index([2, 3], 4), Spec::new([3, 3], d)];
                all.push(Sample::bad(op(0), uneven, "shape mismatch in scatter (indexes, src)"));
                all.push(Sample::bad(op(2), ins(&[4, 3], &[4, 3], 4), "out of range"));
            }
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const RAISES: &[&str] =
            &[index_mode::RAISES, pydoc!(@error ValueError: "If the shapes do not match.")];
        const ORDER: &[&str] = &["x", "dim", "index", "src"];
        vec![
            signature!(
                AsGiven,
                "Returns a copy with elements written at indices: ``out[i, index[i, j]] = src[i, j]`` along dimension 1.\n\nOf equal indices the last one wins.",
                [
                    ">>> rl.scatter(rl.zeros(3), 0, rl.tensor([2, 0]), rl.tensor([5.0, 7.0]))",
                    "tensor([7., 0., 5.], dtype=float32, device='cpu')",
                ],
                (dim: Axis [named]) => Op::Scatter(Self {
                    dim, mode: ScatterMode::Set, in_place: false, rule: IndexMode::Within
                })
            )
            .calling(const {
                &[
                    index_mode::X,
                    index_mode::INDEX,
                    TensorArgument::new("src", "Values to write; a tensor has at least the shape of ``index``.")
                        .or_number_like("index"),
                ]
            }, scattered)
            .in_order(ORDER)
            .returns("Copy of ``x`` with these elements replaced.")
            .raises(RAISES),
            signature!(
                AsGiven,
                "Returns a copy with elements added at indices: ``out[i, index[i, j]] += src[i, j]`` along dimension 1.",
                [
                    ">>> rl.scatter_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))",
                    "tensor([ 0.,  0., 12.], dtype=float32, device='cpu')",
                ],
                (dim: Axis [named]) => Op::Scatter(Self {
                    dim, mode: ScatterMode::Add, in_place: false, rule: IndexMode::Within
                })
            )
            .calling(const {
                &[
                    index_mode::X,
                    index_mode::INDEX,
                    TensorArgument::new("src", "Values to add; a tensor has at least the shape of ``index``.")
                        .or_number_like("index"),
                ]
            }, scattered)
            .in_order(ORDER)
            .returns("Copy of ``x`` with the values added.")
            .raises(RAISES),
        ]
    }
}

/// Writes or adds at indices as Python means them.
fn scattered(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let ([x, index, src], Op::Scatter(definition)) = (given(&op, tensors)?, &op) else {
        return Err(Error::invalid(op.name(), "not a scatter"));
    };
    let message = match definition.mode {
        ScatterMode::Set => "scatter: indices must be integers",
        ScatterMode::Add => "scatter_add: indices must be integers",
    };
    let (ids, rule) = IndexMode::of(index, message)?;
    let op = Op::Scatter(Scatter { rule, ..*definition });
    Tensor::run(op, &[x, &ids, &src.to_dtype(x.dtype())?])
}

impl Tensor {
    /// Returns an error if an in-place op that reads this tensor would lose its gradient.
    pub(crate) fn check_lost(&self, op: &'static str) -> Result<()> {
        if crate::autograd::is_enabled() && self.track_op() {
            let msg = "the source is part of a gradient graph, which an in-place op does not record; \
                use the form that returns a new tensor, or detach it";
            return Err(Error::InplaceOnTracked { op, msg }.bt());
        }
        Ok(())
    }

    fn scatter_op<D: Dim>(&self, mode: ScatterMode, ids: &Self, src: &Self, dim: D) -> Result<Self> {
        let definition = Scatter { dim: 0, mode, in_place: false, rule: IndexMode::MaxSkips };
        let dim = dim.to_index(self.shape(), definition.name())?;
        Tensor::run(Op::Scatter(Scatter { dim, ..definition }), &[self, ids, src])
    }

    fn scatter_inplace<D: Dim>(&self, mode: ScatterMode, ids: &Self, src: &Self, dim: D) -> Result<()> {
        let definition = Scatter { dim: 0, mode, in_place: true, rule: IndexMode::MaxSkips };
        if self.shares_storage(src) {
            return Err(Error::SharedStorage { op: definition.name() }.bt());
        }
        src.check_lost(definition.name())?;
        let dim = dim.to_index(self.shape(), definition.name())?;
        Tensor::run_inplace(Op::Scatter(Scatter { dim, ..definition }), &[self], &[ids, src])
    }

    /// Returns a copy of this tensor with `source`'s elements written at indices of a dimension: for dimension 0,
    /// `out[indexes[i][j]][j] = source[i][j]`. If an index is repeated, the last source element in row-major order is
    /// kept, and only that one has a gradient. `indexes` and `source` have one shape, which may be smaller than this
    /// tensor in the other dimensions. All dtypes; `indexes`: INDEX dtypes. An index equal to its dtype's largest value
    /// is skipped, as in candle; any other index out of range is an error.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[1f32, 2., 3.], &Device::Cpu)?;
    /// let ids = Tensor::new(&[2u32, 0, 2], &Device::Cpu)?;
    /// let src = Tensor::new(&[7f32, 8., 9.], &Device::Cpu)?;
    /// assert_eq!(t.scatter(&ids, &src, 0)?.to_vec1::<f32>()?, [8., 2., 9.]);
    /// assert_eq!(t.scatter_add(&ids, &src, 0)?.to_vec1::<f32>()?, [9., 2., 19.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn scatter<D: Dim>(&self, indexes: &Self, source: &Self, dim: D) -> Result<Self> {
        self.scatter_op(ScatterMode::Set, indexes, source, dim)
    }

    /// Same as [`Tensor::scatter`], but adds to the old elements. f16 and bf16 accumulate in f32. NUMERIC dtypes.
    pub fn scatter_add<D: Dim>(&self, indexes: &Self, source: &Self, dim: D) -> Result<Self> {
        self.scatter_op(ScatterMode::Add, indexes, source, dim)
    }

    /// Same as [`Tensor::scatter`], in place: every tensor that shares this storage sees the change. Nothing is written
    /// if an index is out of range. Fails if `source` shares the storage, or if this tensor or `source` is part of a
    /// gradient graph.
    pub fn scatter_set<D: Dim>(&self, indexes: &Self, source: &Self, dim: D) -> Result<()> {
        self.scatter_inplace(ScatterMode::Set, indexes, source, dim)
    }

    /// Same as [`Tensor::scatter_add`], in place (see [`Tensor::scatter_set`]).
    pub fn scatter_add_set<D: Dim>(&self, indexes: &Self, source: &Self, dim: D) -> Result<()> {
        self.scatter_inplace(ScatterMode::Add, indexes, source, dim)
    }

    /// Returns one-hot rows: a new last dimension of size `depth` that holds `on` at the index given by this tensor's
    /// value, and `off` elsewhere. As in candle-nn, the value -1 gives a row of `off`; any other value outside
    /// `0..depth` is an error. INDEX dtypes; the output has the dtype of `on` and `off`.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let ids = Tensor::new(&[2i64, 0, -1], &Device::Cpu)?;
    /// assert_eq!(ids.one_hot(3, 1u8, 0)?.to_vec2::<u8>()?, [[0, 0, 1], [1, 0, 0], [0, 0, 0]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn one_hot<T: crate::Element>(&self, depth: usize, on: T, off: T) -> Result<Self> {
        let ids = match self.dtype() {
            DType::I64 | DType::I32 | DType::I16 => {
                let ids = self.to_dtype(DType::I64)?;
                let padding = Tensor::full(i64::MAX, (), self.device())?.broadcast_as(self.shape())?;
                // Replace -1 by the padding value, and make sure that no other value equals it.
                ids.eq(-1i64)?.where_cond(&padding, &ids.minimum(i64::MAX - 1)?)?
            }
            _ => self.clone(),
        };
        ids.one_hot_scalar(depth, on.to_scalar(), off.to_scalar(), self.dtype().is_signed_int())
    }

    /// Same as [`Tensor::one_hot`], for values given as scalars of one dtype. If `sentinel`, an index equal to its
    /// dtype's largest value gives a row of `off`; every other value outside `0..depth` (also -1) is an error.
    pub fn one_hot_scalar(
        &self,
        depth: usize,
        on: crate::Scalar,
        off: crate::Scalar,
        sentinel: bool,
    ) -> Result<Self> {
        if on.dtype() != off.dtype() {
            return Err(
                Error::DTypeMismatchBinaryOp { lhs: on.dtype(), rhs: off.dtype(), op: "one_hot" }.bt()
            );
        }
        let dim = self.rank();
        let ids = self.detach().unsqueeze(dim)?;
        let mut dims = self.dims().to_vec();
        dims.push(depth);
        let out = Tensor::full_scalar(off, dims, self.device())?;
        let on = Tensor::full_scalar(on, (), self.device())?.broadcast_as(ids.shape())?;
        let rule = if sentinel { IndexMode::MaxSkips } else { IndexMode::Within };
        let definition = Scatter { dim, mode: ScatterMode::Set, in_place: true, rule };
        Tensor::run_inplace(Op::Scatter(definition), &[&out], &[&ids, &on])?;
        Ok(out)
    }
}
