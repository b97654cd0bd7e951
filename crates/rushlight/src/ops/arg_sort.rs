//! The op argsort: the indices that sort a dimension. Sorting is a gather by these indices.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, IndexMode, Input, Kind, Meta, Op, OpDef,
    Pattern, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::gather::Gather;
use crate::shape::DimVec;
use crate::{D, DType, Dim, Error, Result, Tensor};
use std::ops::Range;

/// Returns the indices along a dimension in the order of their elements. The sort is stable (also when descending). NaN
/// is greater than every other element, -0 equals +0, and false is less than true. `start` and `count` select a part of
/// the order, which takes less time than all of it on the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgSort {
    /// The dimension.
    pub dim: usize,
    /// Whether the largest element comes first.
    pub descending: bool,
    /// Dtype of the indices: U32 (candle) or I64 (Python).
    pub dtype: DType,
    /// Number of indices that are left out at the beginning of the order.
    pub start: usize,
    /// Number of indices to return, at most.
    pub count: usize,
}

impl ArgSort {
    /// Returns an op that returns the whole order.
    pub fn all(dim: usize, descending: bool, dtype: DType) -> Self {
        Self { dim, descending, dtype, start: 0, count: usize::MAX }
    }

    /// Returns the part of the order of `n` elements that the op returns.
    pub(crate) fn ranks(&self, n: usize) -> Range<usize> {
        let start = self.start.min(n);
        start..start + self.count.min(n - start)
    }
}

impl OpDef for ArgSort {
    fn name(&self) -> &'static str {
        "argsort"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ORDERED)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let x = &ins[0];
        let x_dims = x.shape.dims();
        if self.dim >= x_dims.len() {
            return Err(x.shape.out_of_range(self.dim as i32, self.name()));
        }
        let mut dims = DimVec::from_slice(x_dims);
        dims[self.dim] = self.ranks(dims[self.dim]).len();
        if !matches!(self.dtype, DType::U32 | DType::I64) {
            return Err(Error::UnsupportedDTypeForOp(self.dtype, "argsort").bt());
        }
        if self.dtype == DType::U32 && x.shape.dims()[self.dim] > u32::MAX as usize {
            return Err(Error::invalid(
                "argsort",
                format!("indices of {:?} do not fit U32; use I64", x.shape),
            ));
        }
        Ok(Meta::new(dims.into(), self.dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its output is an index")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("that of the input, with at most `count` indices from `start` on in `dim`")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::dim("Dimension to sort."),
                AttributeSpec::flag("descending", "Whether the largest element comes first."),
                AttributeSpec::new(
                    "dtype",
                    Kind::DType,
                    Allowed::ByShape,
                    "Dtype of the indices: U32 or I64.",
                ),
                AttributeSpec::new(
                    "start",
                    Kind::Int,
                    Allowed::Any,
                    "Number of indices left out at the beginning of the order.",
                ),
                AttributeSpec::new("count", Kind::Int, Allowed::Any, "Number of indices to return, at most."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        let int = |n: usize| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        vec![
            Value::Axis(self.dim),
            Value::Bool(self.descending),
            Value::DType(self.dtype),
            int(self.start),
            int(self.count),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
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
        Thresholds::SORT
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let mut all = Vec::new();
        for descending in [false, true] {
            let op = |dim, dtype| Op::ArgSort(ArgSort::all(dim, descending, dtype));
            for (shape, dim) in
                [(&[7usize][..], 0), (&[3, 5], 0), (&[3, 5], 1), (&[2, 6, 3], 1), (&[0, 4], 1), (&[4, 0], 1)]
            {
                for dtype in [DType::U32, DType::I64] {
                    all.push(Sample::new(op(dim, dtype), vec![Spec::new(shape, d)]));
                }
            }
            for dtype in [DType::U32, DType::I64] {
                let part = |start, count| ArgSort { start, count, ..ArgSort::all(1, descending, dtype) };
                for (start, count) in [(0, 2), (2, 1), (1, 3), (4, 9), (9, 1), (0, 0)] {
                    all.push(Sample::new(Op::ArgSort(part(start, count)), vec![Spec::new([3, 5], d)]));
                }
                all.push(Sample::bad(op(2, dtype), vec![Spec::new([3, 5], d)], "out of range"));
            }
        }
        all
    }
}

impl Tensor {
    /// Returns the indices of a dimension's elements in ascending (or descending) order, as U32 or I64: `out[0]` is the
    /// index of the smallest (largest) element. Stable: equal elements keep their order, also when descending. NaN is
    /// greater than every other element. ORDERED dtypes, any length.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let t = Tensor::new(&[3f32, f32::NAN, 1., 3.], &Device::Cpu)?;
    /// assert_eq!(t.argsort(0, false, DType::U32)?.to_vec1::<u32>()?, [2, 0, 3, 1]);
    /// assert_eq!(t.argsort(0, true, DType::I64)?.to_vec1::<i64>()?, [1, 0, 3, 2]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn argsort<I: Dim>(&self, dim: I, descending: bool, dtype: DType) -> Result<Tensor> {
        let dim = dim.to_index(self.shape(), "argsort")?;
        Tensor::run(Op::ArgSort(ArgSort::all(dim, descending, dtype)), &[self])
    }

    /// Same as [`Tensor::argsort`], but returns at most `count` indices of the order, from `start` on. On the CPU this takes
    /// less time than the whole order.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let t = Tensor::new(&[3f32, 9., 5., 7.], &Device::Cpu)?;
    /// assert_eq!(t.argsort_part(0, true, DType::U32, 0, 2)?.to_vec1::<u32>()?, [1, 3]);
    /// assert_eq!(t.argsort_part(0, false, DType::U32, 1, 1)?.to_vec1::<u32>()?, [2]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn argsort_part<I: Dim>(
        &self,
        dim: I,
        descending: bool,
        dtype: DType,
        start: usize,
        count: usize,
    ) -> Result<Tensor> {
        let dim = dim.to_index(self.shape(), "argsort")?;
        Tensor::run(Op::ArgSort(ArgSort { dim, descending, dtype, start, count }), &[self])
    }

    /// Returns a dimension's elements in ascending (or descending) order, and their indices in the input as U32 (see
    /// [`Tensor::argsort`]). Gradients flow back to those indices. ORDERED dtypes, any length.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[3f32, 1.], [2., 4.]], &Device::Cpu)?;
    /// let (sorted, indices) = t.sort(0, false)?;
    /// assert_eq!(sorted.to_vec2::<f32>()?, [[2., 1.], [3., 4.]]);
    /// assert_eq!(indices.to_vec2::<u32>()?, [[1, 0], [0, 1]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn sort<I: Dim>(&self, dim: I, descending: bool) -> Result<(Tensor, Tensor)> {
        let dim = dim.to_index(self.shape(), "sort")?;
        let order = self.argsort(dim, descending, DType::U32)?;
        let sorted = Tensor::run(Op::Gather(Gather { dim, rule: IndexMode::Within }), &[self, &order])?;
        Ok((sorted, order))
    }

    /// Same as [`Tensor::argsort`] for the last dimension, as U32. Unlike candle's, it is stable, and supports any
    /// layout and length.
    pub fn arg_sort_last_dim(&self, asc: bool) -> Result<Tensor> {
        self.argsort(D::Minus1, !asc, DType::U32)
    }

    /// Same as [`Tensor::sort`] for the last dimension.
    pub fn sort_last_dim(&self, asc: bool) -> Result<(Tensor, Tensor)> {
        self.sort(D::Minus1, !asc)
    }
}
