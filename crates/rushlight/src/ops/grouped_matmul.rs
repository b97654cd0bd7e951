//! Grouped matrix products: groups of rows, or groups of the inner dimension.
use super::{
    Accuracy, AttributeSpec, Domain, Fill, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value, given,
    grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::{DTypeSet, sets};
use crate::{DType, Error, Result, Shape, Tensor};

/// Computes a matrix product for each group; entry `g` of `offs` is the end of group `g`. If `b` has shape
/// `[groups, k, n]`, the groups consist of rows of `a`, `[m, k]`, and each is multiplied by its own matrix; the result
/// is `[m, n]`, with zeros in the rows after the last group. If `b` has shape `[k, n]`, the groups divide the inner
/// dimension; the result is `[groups, m, n]`. Ends are clamped: to at least the end before, and at most the size of the
/// dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupedMatMul;

const OFFSETS: DTypeSet = DTypeSet::of(&[DType::I32]);

impl OpDef for GroupedMatMul {
    fn name(&self) -> &'static str {
        "grouped_matmul"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("a", sets::FLOAT), Input::same("b", sets::FLOAT), Input::new("offs", OFFSETS)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (a, b) = (&ins[0].shape, &ins[1].shape);
        let [groups] = *ins[2].shape.dims() else {
            return Err(Error::invalid(
                "grouped_matmul",
                format!("offs is a vector, got shape {:?}", ins[2].shape),
            ));
        };
        let shape: Shape = match (a.dims(), b.dims()) {
            (&[m, k], &[g, depth, n]) if k == depth && g == groups => (m, n).into(),
            (&[m, k], &[depth, n]) if k == depth => (groups, m, n).into(),
            _ => {
                let (a, b) = (a.clone(), b.clone());
                return Err(Error::ShapeMismatchBinaryOp { lhs: a, rhs: b, op: "grouped_matmul" }.bt());
            }
        };
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(7)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs(if wanted == 0 { 6 } else { 5 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (g, offs) = (c.grad(), c.input(2)?);
        let product = |a: &Tensor, b: &Tensor| Tensor::run(Op::GroupedMatMul(Self), &[a, b, &offs]);
        if c.meta(1)?.shape.rank() == 3 {
            return grads![
                c.when(0, || product(g, &c.input(1)?.transpose(1, 2)?))?,
                c.when(1, || product(&c.input(0)?.t()?, g))?,
                None
            ];
        }
        grads![
            c.when(0, || product(&c.input(1)?, &g.transpose(1, 2)?)?.t()?.contiguous())?,
            c.when(1, || product(&c.input(0)?.t()?, g))?,
            None
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[m, n] for groups of rows, [groups, m, n] for groups of the inner dimension")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Product { lhs: 0 }
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Products
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
        Thresholds::PRODUCT
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        let make = |a: &[usize], b: &[usize], groups: usize, ends: usize| {
            let offs = Spec { shape: groups.into(), domain: Domain::Index(ends), fill: Fill::Own };
            (Op::GroupedMatMul(Self), vec![Spec::new(a, d), Spec::new(b, d), offs])
        };
        type Case<'a> = (&'a [usize], &'a [usize], usize, usize);
        let good: [Case<'_>; 5] = [
            (&[5, 3], &[2, 3, 4], 2, 5),
            (&[4, 5], &[5, 3], 2, 5),
            (&[9, 2], &[3, 2, 1], 3, 12),
            (&[1, 6], &[6, 1], 3, 9),
            (&[0, 3], &[2, 3, 4], 2, 1),
        ];
        let bad: [(Case<'_>, &'static str); 3] = [
            ((&[5, 3], &[2, 4, 4], 2, 5), "shape mismatch in grouped_matmul"),
            ((&[5, 3], &[3, 3, 4], 2, 5), "shape mismatch in grouped_matmul"),
            ((&[2, 5, 3], &[3, 4], 2, 5), "shape mismatch in grouped_matmul"),
        ];
        Sample::table(|(a, b, groups, ends)| make(a, b, groups, ends), good, bad)
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("a", "Left factors, of a floating-point dtype."),
            TensorArgument::new("b", "Right factors, of the dtype of ``a``."),
            TensorArgument::new("offs", "End of each group, of dtype int32."),
        ];
        vec![
            signature!(AsGiven, "Multiplies the matrices of groups.", [], () => Op::GroupedMatMul(Self))
                .named("_grouped_matmul")
                .calling(TENSORS, |op, tensors| {
                    let [a, b, offs] = given(&op, tensors)?;
                    a.grouped_matmul(b, offs)
                })
                .without_method(),
        ]
    }
}

impl Tensor {
    /// Computes a matrix product for each group. Entry `g` of `offs`, a nondecreasing vector of i32, is the end of
    /// group `g`:
    ///
    /// - `[m, k]` with `[groups, k, n]`: groups of rows, each multiplied by its own matrix. Rows after the last group
    ///   are 0.
    /// - `[groups, m, k]` with `[k, n]`: groups of columns of the right matrix. Columns after the last group are 0.
    /// - `[m, k]` with `[k, n]`: groups of the inner dimension. The result is `[groups, m, n]`.
    ///
    /// The offsets stay on the device. FLOAT dtypes; both matrices have the same one. Fails for other shapes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let a = Tensor::new(&[[1f32], [2.], [3.]], &Device::Cpu)?;
    /// let b = Tensor::new(&[[[10f32]], [[100.]]], &Device::Cpu)?;
    /// let y = a.grouped_matmul(&b, &Tensor::new(&[2i32, 3], &Device::Cpu)?)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[10.], [20.], [300.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn grouped_matmul(&self, rhs: &Self, offs: &Self) -> Result<Self> {
        let product = |a: &Self, b: &Self| Tensor::run(Op::GroupedMatMul(GroupedMatMul), &[a, b, offs]);
        match (self.rank(), rhs.rank()) {
            // Computed as the transposed product, which has groups of rows.
            (3, 2) => product(&rhs.t()?, &self.transpose(1, 2)?)?.t()?.contiguous(),
            _ => product(self, rhs),
        }
    }
}
