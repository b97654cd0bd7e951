//! The reduce family: sums, products, extrema and their indices, over any axes.
use super::{
    Accuracy, Allowed, AttributeSpec, Calling, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef,
    Pattern, PythonSignature, Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument,
    TermOrder, Thresholds, Value, given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::shape::{DimVec, Dims};
use crate::{DType, Error, Result, Shape, Tensor, pydoc};

/// The signature of an extreme over axes, which needs elements.
fn extreme(signature: PythonSignature, calling: Calling) -> PythonSignature {
    const X: &[TensorArgument] = &[TensorArgument::new("x", "Input, of any dtype but a complex one.")];
    signature.calling(X, calling).raises(&[
        pydoc!(@error axes),
        pydoc!(@error dtype),
        pydoc!(@error ValueError: "If there is no element to choose from."),
    ])
}

/// Reduces axes that have elements, for the function `name`; no axes may be empty.
fn of_elements(name: &'static str, op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let [x] = given(&op, tensors)?;
    let none = |(i, n): (usize, &usize)| *n == 0 && matches!(&op, Op::Reduce(r) if r.reduces(i));
    if x.dims().iter().enumerate().any(none) {
        let text = format!("the largest or smallest of no elements is not defined: shape {:?}", x.shape());
        return Err(Error::invalid(name, text));
    }
    Tensor::run(op, &[x])
}

/// The kind of a reduction's result. It determines the arguments and the output's dtype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReduceKind {
    /// A number computed from all elements, in the input's dtype or one with more bits.
    Total,
    /// One of the elements. The reduced axes must not be empty.
    Extreme,
    /// The index of one of the elements. The reduced axes must not be empty.
    Place,
    /// The result of a test: true or false.
    Test,
}

macro_rules! reduce {
    ($($kind:ident { $($v:ident $name:ident $set:ident $doc:literal, $x:literal => $y:literal;)* })*) => {
        /// An op of the reduce family.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ReduceOp { $($(#[doc = $doc] $v,)*)* }

        impl ReduceOp {
            /// Every reduction.
            pub const ALL: &'static [Self] = &[$($(Self::$v,)*)*];

            /// Returns the kind of the result.
            pub fn kind(self) -> ReduceKind {
                match self { $($(Self::$v => ReduceKind::$kind,)*)* }
            }

            fn name(self) -> &'static str {
                match self { $($(Self::$v => stringify!($name),)*)* }
            }

            fn inputs(self) -> &'static [Input] {
                match self { $($(Self::$v => const { &[Input::new("x", sets::$set)] },)*)* }
            }
        }

        fn functions() -> Vec<PythonSignature> {
            [$($(reduce!(
                @function $kind, $v, $doc, [concat!(">>> rl.", stringify!($name), "(rl.tensor(", $x, "))"), $y]
            ),)*)*]
            .into_iter()
            .flatten()
            .collect()
        }
    };
    (@function Total, $v:ident, $doc:expr, $example:tt) => {
        Some(signature!(
            Promoted, $doc, $example, (axes: Axes [all], keepdim: Bool = false, dtype: DType [total]) =>
            Op::Reduce(Reduce { op: ReduceOp::$v, axes, keepdim, dtype })
        ))
    };
    // `max` and `min` also return indices; the Python module declares them.
    (@function Extreme, Max, $doc:expr, [$call:expr, $y:expr]) => { reduce!(@extreme Max, "amax", "max", $doc, $y) };
    (@function Extreme, Min, $doc:expr, [$call:expr, $y:expr]) => { reduce!(@extreme Min, "amin", "min", $doc, $y) };
    (@extreme $v:ident, $name:literal, $other:literal, $doc:expr, $y:expr) => {
        Some(extreme(signature!(
            AsGiven,
            concat!($doc, " PyTorch's name of ``", $other, "`` over axes."),
            [concat!(">>> rl.", $name, "(rl.tensor([3, 1, 2]))"), $y],
            (axes: Axes [all], keepdim: Bool = false, dtype: DType [input]) =>
            Op::Reduce(Reduce { op: ReduceOp::$v, axes, keepdim, dtype })
        ).named($name), |op, tensors| of_elements($name, op, tensors)))
    };
    (@function Place, $v:ident, $doc:expr, $example:tt) => {
        Some(signature!(
            AsGiven, $doc, $example, (axes: Axes [one], keepdim: Bool = false) =>
            Op::Reduce(Reduce { op: ReduceOp::$v, axes, keepdim, dtype: DType::I64 })
        ))
    };
    (@function Test, $v:ident, $doc:expr, $example:tt) => {
        Some(signature!(
            AsGiven, $doc, $example, (axes: Axes [all], keepdim: Bool = false) =>
            Op::Reduce(Reduce { op: ReduceOp::$v, axes, keepdim, dtype: DType::Bool })
        ))
    };
}

/// Passes the table of reductions to a macro, grouped by [`ReduceKind`]. A row is: variant, name, dtype set, the
/// documentation, and an example: the elements of `x` and the result, in Python's format.
#[doc(hidden)]
#[macro_export]
macro_rules! reduce_table {
    ($then:ident) => {
        $then! {
            Total {
                Sum sum NUMBER "Sums elements over axes; integers are summed in 64 bits.",
                    "[1, 2, 3]" => "tensor(6, dtype=int64, device='cpu')";
                Mean mean INEXACT "Averages elements over axes; integers and bools are averaged in float32.",
                    "[1.0, 2.0, 6.0]" => "tensor(3., dtype=float32, device='cpu')";
                Prod prod NUMBER "Multiplies elements over axes; integers are multiplied in 64 bits.",
                    "[2, 3, 4]" => "tensor(24, dtype=int64, device='cpu')";
            }
            Extreme {
                Min min ORDERED "Finds the smallest element over axes; NaN if there is one.",
                    "[3, 1, 2]" => "tensor(1, dtype=int64, device='cpu')";
                Max max ORDERED "Finds the largest element over axes; NaN if there is one.",
                    "[3, 1, 2]" => "tensor(3, dtype=int64, device='cpu')";
            }
            Place {
                ArgMin argmin ORDERED "Finds the index of the first smallest element along an axis, or in the flattened tensor.",
                    "[3, 1, 2]" => "tensor(1, dtype=int64, device='cpu')";
                ArgMax argmax ORDERED "Finds the index of the first largest element along an axis, or in the flattened tensor.",
                    "[3, 1, 2]" => "tensor(0, dtype=int64, device='cpu')";
            }
            Test {
                Any any ORDERED "Tests whether any element over axes is nonzero.",
                    "[0, 2]" => "tensor(True, dtype=bool, device='cpu')";
                All all ORDERED "Tests whether all elements over axes are nonzero.",
                    "[0, 2]" => "tensor(False, dtype=bool, device='cpu')";
            }
        }
    };
}
reduce_table!(reduce);

/// A reduction over a set of axes. Sums, means and products follow the reduction tree of docs/NUMERICS.md. min and max
/// return NaN if an element is NaN. argmin and argmax return the first index (row-major over the reduced axes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduce {
    /// The op.
    pub op: ReduceOp,
    /// The set of axes, as a bit mask: bit i stands for axis i.
    pub axes: u32,
    /// Whether reduced axes are kept with size 1.
    pub keepdim: bool,
    /// Output dtype. Sum and prod: the input's, or I64 or U64 for a smaller integer (which is then also the
    /// accumulation type). ArgMin and ArgMax: U32 or I64. Any and All: U8 or Bool. Others: the input's.
    pub dtype: DType,
}

impl Reduce {
    /// Whether an axis is reduced.
    pub fn reduces(&self, axis: usize) -> bool {
        self.axes >> axis & 1 == 1
    }

    /// Returns the output's shape with reduced axes kept with size 1.
    pub fn kept(&self, shape: &Shape) -> Shape {
        let dims: DimVec =
            shape.dims().iter().enumerate().map(|(i, &d)| if self.reduces(i) { 1 } else { d }).collect();
        dims.into()
    }
}

impl Reduce {
    /// Computes the product by repeatedly multiplying the two halves. Unlike the usual gradient rule, this has correct
    /// gradients of any order where factors are 0.
    fn product(&self, x: &Tensor) -> Result<Tensor> {
        let mut out = x.to_dtype(self.dtype)?;
        for dim in (0..x.rank()).filter(|d| self.reduces(*d)) {
            if out.dims()[dim] == 0 {
                let mut dims = out.dims().to_vec();
                dims[dim] = 1;
                out = Tensor::ones(dims, out.dtype(), out.device())?;
            }
            while out.dims()[dim] > 1 {
                let (n, half) = (out.dims()[dim], out.dims()[dim] / 2);
                let halves = (out.narrow(dim, 0, half)? * out.narrow(dim, half, half)?)?;
                let odd = (n % 2 == 1).then(|| out.narrow(dim, n - 1, 1)).transpose()?;
                out = match odd {
                    Some(last) => Tensor::cat(&[halves, last], dim)?,
                    None => halves,
                };
            }
        }
        out.reshape(self.shape_rule().infer(self.name(), &[Meta::new(x.shape().clone(), x.dtype())])?)
    }
}

impl OpDef for Reduce {
    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn inputs(&self) -> &'static [Input] {
        self.op.inputs()
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let x = &ins[0];
        let n: usize =
            x.shape.dims().iter().enumerate().filter(|(i, _)| self.reduces(*i)).map(|(_, d)| *d).product();
        let needs_one = matches!(self.op.kind(), ReduceKind::Extreme | ReduceKind::Place);
        let kept = self.kept(&x.shape);
        if needs_one && n == 0 && kept.elem_count() > 0 {
            return Err(Error::EmptyTensor { op: self.name(), shape: x.shape.clone() }.bt());
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, self.dtype))
    }

    fn differentiable(&self) -> Differentiable {
        match self.op.kind() {
            ReduceKind::Place => Differentiable::No("its output is an index"),
            ReduceKind::Test => Differentiable::No("its output is not a floating-point number"),
            ReduceKind::Total | ReduceKind::Extreme => Differentiable::Yes,
        }
    }

    fn reads(&self) -> Reads {
        match self.op {
            ReduceOp::Prod => Reads::inputs(1),
            ReduceOp::Min | ReduceOp::Max => Reads { inputs: 1, output: true },
            _ => Reads::NONE,
        }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let x = c.meta(0)?;
        let kept = self.kept(&x.shape);
        if self.op == ReduceOp::Prod && c.records() {
            return c.composed(|ins| self.product(&ins[0]));
        }
        let spread = |t: &Tensor| t.reshape(kept.clone())?.broadcast_as(x.shape.clone());
        let g = spread(c.grad())?;
        match self.op {
            ReduceOp::Sum => grads![g],
            ReduceOp::Mean => {
                let n = x.shape.elem_count() / kept.elem_count().max(1);
                grads![g.affine(1.0 / n as f64, 0.0)?]
            }
            ReduceOp::Min | ReduceOp::Max => {
                // Equal elements share the gradient evenly.
                let hit = c.input(0)?.eq(&spread(&c.output()?)?)?.to_dtype(x.dtype)?;
                let count = spread(&hit.reduce(ReduceOp::Sum, self.axes, true, x.dtype)?)?;
                grads![((g * hit)? / count)?]
            }
            ReduceOp::Prod => {
                // The gradient is the product of the other elements: p / x if no element is zero. If one is zero, only
                // that element has a gradient.
                let x_t = c.input(0)?;
                let zero = x_t.constant_like(0.0)?;
                let is_zero = x_t.eq(&zero)?;
                let filled = is_zero.where_cond(&x_t.constant_like(1.0)?, &x_t)?;
                let p = spread(&filled.reduce(ReduceOp::Prod, self.axes, true, x.dtype)?)?;
                let zeros =
                    spread(&is_zero.to_dtype(x.dtype)?.reduce(ReduceOp::Sum, self.axes, true, x.dtype)?)?;
                let one = zeros.constant_like(1.0)?;
                let others = zeros.eq(&zero)?.where_cond(&(&p / &filled)?, &zero)?;
                let alone = zeros.eq(&one)?.where_cond(&p, &zero)?;
                grads![(g * is_zero.where_cond(&alone, &others)?.conj()?)?]
            }
            _ => grads![None],
        }
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Reduced { axes: self.axes, keepdim: self.keepdim }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::new("axes", Kind::Axes, Allowed::ByShape, "Dimensions to reduce."),
                AttributeSpec::flag("keepdim", "Whether reduced dimensions stay with size 1."),
                AttributeSpec::new("dtype", Kind::DType, Allowed::Any, "Dtype of the output."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Axes(self.axes), Value::Bool(self.keepdim), Value::DType(self.dtype)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        match self.op.kind() {
            ReduceKind::Total => Accuracy::Accumulated,
            ReduceKind::Extreme | ReduceKind::Place | ReduceKind::Test => Accuracy::Rounded,
        }
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        match self.op {
            ReduceOp::Min | ReduceOp::ArgMin => SpecialValues::OF_MINIMUM,
            ReduceOp::Sum
            | ReduceOp::Mean
            | ReduceOp::Prod
            | ReduceOp::Max
            | ReduceOp::ArgMax
            | ReduceOp::Any
            | ReduceOp::All => SpecialValues::ALL,
        }
    }

    fn reference(&self) -> Reference {
        match self.op {
            ReduceOp::Sum | ReduceOp::Prod => Reference::FLOAT_EXPRESSION,
            ReduceOp::Mean | ReduceOp::Min | ReduceOp::Max => Reference::EXPRESSION,
            ReduceOp::ArgMin | ReduceOp::ArgMax | ReduceOp::Any | ReduceOp::All => Reference::UNWRITTEN,
        }
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::LINES
    }

    fn with_dtype(&self, dtype: DType) -> Option<Self> {
        let follows = matches!(self.op.kind(), ReduceKind::Total | ReduceKind::Extreme);
        // A total of integers in 64 bits keeps its dtype.
        (follows && !(self.dtype.is_int() && dtype.is_int())).then_some(Self { dtype, ..*self })
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &op in ReduceOp::ALL {
            let (dtypes, domain): (&[DType], _) = match op.kind() {
                ReduceKind::Place => (&[DType::U32, DType::I64], Domain::Distinct),
                ReduceKind::Test => (&[DType::U8, DType::Bool], Domain::Mask),
                ReduceKind::Extreme => (&[DType::F32], Domain::Distinct),
                ReduceKind::Total => (&[DType::F32], Domain::Range(-2.0, 2.0)),
            };
            for &dtype in dtypes {
                for (shape, axes) in [
                    (&[3usize, 24][..], 0b10),
                    (&[2, 3], 0b01),
                    (&[2, 3], 0b10),
                    (&[2, 3], 0b11),
                    (&[2, 3, 4], 0b101),
                    (&[5], 0b1),
                    (&[2, 3], 0),
                    (&[], 0),
                    (&[3, 0, 2], 0b001),
                ] {
                    for keepdim in [false, true] {
                        let definition = Reduce { op, axes, keepdim, dtype };
                        let s = Sample::new(Op::Reduce(definition), vec![Spec::new(shape, domain)]);
                        // For these reductions the sweep sets the output dtype to that of the input.
                        all.push(s);
                    }
                }
            }
            // Cases with adjacent outputs whose reduced elements are not adjacent, and totals of integers in 64 bits.
            let sides = [(&[40usize, 20][..], 0b01), (&[2, 40, 20], 0b011)];
            let wide = [(&[2usize, 3][..], 0b01), (&[40, 20], 0b01), (&[3, 40], 0b10), (&[1100], 0b1)];
            let same = dtypes.iter().flat_map(|d| sides.map(|s| (*d, s)));
            let totals = matches!(op, ReduceOp::Sum | ReduceOp::Prod);
            let totals = [DType::I64, DType::U64].into_iter().filter(|_| totals);
            for (dtype, (shape, axes)) in same.chain(totals.flat_map(|d| wide.map(|s| (d, s)))) {
                let definition = Reduce { op, axes, keepdim: false, dtype };
                all.push(Sample::new(Op::Reduce(definition), vec![Spec::new(shape, domain)]).no_grad());
            }
            if matches!(op.kind(), ReduceKind::Extreme | ReduceKind::Place) {
                let definition = Reduce { op, axes: 0b01, keepdim: false, dtype: DType::U32 };
                all.push(Sample::bad(
                    Op::Reduce(definition),
                    vec![Spec::new((0, 4), domain)],
                    "empty tensor for",
                ));
            }
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        functions()
    }
}

pub(crate) fn axes_mask(shape: &Shape, dims: impl Dims, op: &'static str) -> Result<u32> {
    Ok(dims.to_indexes(shape, op)?.iter().fold(0, |m, d| m | 1 << d))
}

impl Tensor {
    /// Runs a reduction with all attributes given. The named methods are simpler to use.
    pub fn reduce(&self, op: ReduceOp, axes: u32, keepdim: bool, dtype: DType) -> Result<Tensor> {
        Tensor::run(Op::Reduce(Reduce { op, axes, keepdim, dtype }), &[self])
    }

    fn reduce_dims(&self, op: ReduceOp, dims: impl Dims, keepdim: bool) -> Result<Tensor> {
        self.reduce(op, axes_mask(self.shape(), dims, op.name())?, keepdim, self.dtype())
    }

    fn all_axes(&self) -> u32 {
        (1u32 << self.rank()) - 1
    }

    fn reduce_all(&self, op: ReduceOp) -> Result<Tensor> {
        self.reduce(op, self.all_axes(), false, self.dtype())
    }

    fn reduce_one(&self, op: ReduceOp, dim: impl crate::Dim, keepdim: bool, dtype: DType) -> Result<Tensor> {
        let dim = dim.to_index(self.shape(), op.name())?;
        self.reduce(op, 1 << dim, keepdim, dtype)
    }

    /// Returns the sum of all elements, as a tensor of rank 0 and the same dtype. NUMERIC dtypes.
    pub fn sum_all(&self) -> Result<Tensor> {
        self.reduce_all(ReduceOp::Sum)
    }
    /// Returns the mean of all elements. FLOAT dtypes.
    pub fn mean_all(&self) -> Result<Tensor> {
        self.reduce_all(ReduceOp::Mean)
    }
    /// Returns the product of all elements. NUMERIC dtypes.
    pub fn prod_all(&self) -> Result<Tensor> {
        self.reduce_all(ReduceOp::Prod)
    }
    /// Returns the largest element, or NaN if an element is NaN. ORDERED dtypes.
    pub fn max_all(&self) -> Result<Tensor> {
        self.reduce_all(ReduceOp::Max)
    }
    /// Returns the smallest element, or NaN if an element is NaN. ORDERED dtypes.
    pub fn min_all(&self) -> Result<Tensor> {
        self.reduce_all(ReduceOp::Min)
    }
    /// Returns the sum over axes, which are removed. Integers wrap. NUMERIC dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let a = Tensor::new(&[[0f32, 1.], [2., 3.]], &Device::Cpu)?;
    /// assert_eq!(a.sum(0)?.to_vec1::<f32>()?, [2., 4.]);
    /// assert_eq!(a.sum((0, 1))?.to_scalar::<f32>()?, 6.);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn sum<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        self.reduce_dims(ReduceOp::Sum, dims, false)
    }
    /// Returns the sum over axes, which are kept with size 1.
    pub fn sum_keepdim<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        self.reduce_dims(ReduceOp::Sum, dims, true)
    }
    /// Returns the mean over axes, which are removed. FLOAT dtypes.
    pub fn mean<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        self.reduce_dims(ReduceOp::Mean, dims, false)
    }
    /// Returns the mean over axes, which are kept with size 1.
    pub fn mean_keepdim<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        self.reduce_dims(ReduceOp::Mean, dims, true)
    }
    /// Returns the product over axes, which are removed. Integers wrap. NUMERIC dtypes.
    pub fn prod<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        self.reduce_dims(ReduceOp::Prod, dims, false)
    }
    /// Returns the product over axes, which are kept with size 1.
    pub fn prod_keepdim<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        self.reduce_dims(ReduceOp::Prod, dims, true)
    }
    /// Returns the largest element along a dimension, which is removed. ORDERED dtypes.
    pub fn max<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.reduce_one(ReduceOp::Max, dim, false, self.dtype())
    }
    /// Returns the largest element along a dimension, which is kept with size 1.
    pub fn max_keepdim<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.reduce_one(ReduceOp::Max, dim, true, self.dtype())
    }
    /// Returns the smallest element along a dimension, which is removed. ORDERED dtypes.
    pub fn min<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.reduce_one(ReduceOp::Min, dim, false, self.dtype())
    }
    /// Returns the smallest element along a dimension, which is kept with size 1.
    pub fn min_keepdim<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.reduce_one(ReduceOp::Min, dim, true, self.dtype())
    }
    /// Returns the index of the first largest element along a dimension, as U32. ORDERED dtypes.
    pub fn argmax<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.reduce_one(ReduceOp::ArgMax, dim, false, DType::U32)
    }
    /// Same as [`Tensor::argmax`], but the dimension is kept with size 1.
    pub fn argmax_keepdim<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.reduce_one(ReduceOp::ArgMax, dim, true, DType::U32)
    }
    /// Returns the index of the first smallest element along a dimension, as U32. ORDERED dtypes.
    pub fn argmin<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.reduce_one(ReduceOp::ArgMin, dim, false, DType::U32)
    }
    /// Same as [`Tensor::argmin`], but the dimension is kept with size 1.
    pub fn argmin_keepdim<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.reduce_one(ReduceOp::ArgMin, dim, true, DType::U32)
    }
    /// Returns whether any element along the axes is not zero, as Bool. ORDERED dtypes.
    pub fn any<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        self.reduce(ReduceOp::Any, axes_mask(self.shape(), dims, "any")?, false, DType::Bool)
    }
    /// Returns whether all elements along the axes are not zero, as Bool. ORDERED dtypes.
    pub fn all<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        self.reduce(ReduceOp::All, axes_mask(self.shape(), dims, "all")?, false, DType::Bool)
    }
}
