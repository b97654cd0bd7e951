//! Elements of a product of two matrices, at given positions.
use super::csr_matmul::{SKIPS, by_rows, skips, vector, widened};
use super::{
    Accuracy, AttributeSpec, Domain, Fill, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern,
    PythonSignature, Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Error, Result, Tensor};

/// Computes elements of `a b^T`: element `k` of the result is the sum of `a[row[k]] * b[col[k]]` along their rows. Lane `l` of 32
/// adds the products `l`, `l + 32`, .. in order, and then the lanes are folded as in the tree of sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledMatMul {
    /// Meaning of indices outside the matrices: an error, or, for the largest number of the dtype, the result 0.
    pub rule: IndexMode,
}

impl OpDef for SampledMatMul {
    fn name(&self) -> &'static str {
        "sampled_matmul"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("a", sets::NUMERIC),
                Input::same("b", sets::NUMERIC),
                Input::new("row", sets::INDEX),
                Input::new("col", sets::INDEX),
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let name = self.name();
        skips(name, self.rule)?;
        let mismatch = |lhs: &Meta, rhs: &Meta| {
            let (lhs, rhs) = (lhs.shape.clone(), rhs.shape.clone());
            Error::ShapeMismatchBinaryOp { lhs, rhs, op: name }.bt()
        };
        match (ins[0].shape.dims(), ins[1].shape.dims()) {
            ([_, k], [_, depth]) if k == depth => {}
            _ => return Err(mismatch(&ins[0], &ins[1])),
        }
        let entries = vector(name, "row", &ins[2])?;
        if vector(name, "col", &ins[3])? != entries {
            return Err(mismatch(&ins[2], &ins[3]));
        }
        Ok(Meta::new(entries.into(), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(15)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs(if wanted == 0 { 14 } else { 13 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (g, row, col) = (c.grad(), widened(&c.input(2)?)?, widened(&c.input(3)?)?);
        grads![
            c.when(0, || by_rows(g, &c.input(1)?, &row, &col, c.meta(0)?.shape.dims()[0]))?,
            c.when(1, || by_rows(g, &c.input(0)?, &col, &row, c.meta(1)?.shape.dims()[0]))?,
            None,
            None
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[entries]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[SKIPS] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Bool(self.rule == IndexMode::MaxSkips)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Indexed
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
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::INDEXED
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        let make = |entries: usize, [rows, depth, columns]: [usize; 3], rule| {
            let ids = |size| {
                let domain =
                    if rule == IndexMode::MaxSkips { Domain::OrMax(size) } else { Domain::Index(size) };
                Spec { shape: entries.into(), domain, fill: Fill::Fixed(DType::I64) }
            };
            let ins =
                vec![Spec::new([rows, depth], d), Spec::new([columns, depth], d), ids(rows), ids(columns)];
            (Op::SampledMatMul(Self { rule }), ins)
        };
        let mut all = Vec::new();
        for (entries, sizes) in
            [(7, [3, 4, 5]), (11, [4, 1, 3]), (9, [5, 70, 8]), (0, [2, 3, 2]), (3, [2, 0, 3]), (0, [0, 3, 0])]
        {
            let (op, ins) = make(entries, sizes, IndexMode::Within);
            all.push(Sample::new(op, ins));
        }
        let (op, ins) = make(12, [4, 5, 3], IndexMode::MaxSkips);
        all.push(Sample::new(op, ins));
        // Each index dtype.
        for at in [2, 3] {
            let (op, mut ins) = make(7, [3, 4, 5], IndexMode::Within);
            ins[at].fill = Fill::Own;
            all.push(Sample::new(op, ins).no_grad());
        }
        let wrong = |at: usize, shape: &[usize], text| {
            let (op, mut ins) = make(7, [3, 4, 5], IndexMode::Within);
            ins[at].shape = shape.into();
            Sample::bad(op, ins, text)
        };
        all.extend([
            wrong(0, &[3, 5], "shape mismatch in sampled_matmul"),
            wrong(1, &[4], "shape mismatch in sampled_matmul"),
            wrong(2, &[7, 1], "row is a vector"),
            wrong(3, &[8], "shape mismatch in sampled_matmul"),
        ]);
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("a", "Matrix."),
            TensorArgument::new("b", "Matrix with as many columns, of the dtype of ``a``."),
            TensorArgument::new("row", "Row of ``a`` for each element."),
            TensorArgument::new("col", "Row of ``b`` for each element."),
        ];
        vec![
            signature!(AsGiven, "Computes elements of the product of ``a`` and the transpose of ``b``.", [], () =>
                Op::SampledMatMul(Self { rule: IndexMode::Within }))
            .named("_sampled_matmul")
            .calling(TENSORS, |op, tensors| {
                let [a, b, row, col] = given(&op, tensors)?;
                a.sampled_matmul(b, row, col)
            })
            .without_method(),
        ]
    }
}

impl Tensor {
    /// Computes elements of the product of this matrix, `[rows, depth]`, and the transpose of `b`, `[columns, depth]`: element `k` of
    /// the result is that at `row[k]`, `col[k]`. NUMERIC dtypes; indices: vectors of INDEX dtypes. Gradients: of both matrices.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let (a, b) = (Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?, Tensor::new(&[[1f32, 1.]], &Device::Cpu)?);
    /// let (row, col) = (Tensor::new(&[1i64, 0, 1], &Device::Cpu)?, Tensor::new(&[0i64, 0, 0], &Device::Cpu)?);
    /// assert_eq!(a.sampled_matmul(&b, &row, &col)?.to_vec1::<f32>()?, [7., 3., 7.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// An index is out of range, or shapes, dtypes or devices do not fit.
    pub fn sampled_matmul(&self, b: &Self, row: &Self, col: &Self) -> Result<Self> {
        Tensor::run(Op::SampledMatMul(SampledMatMul { rule: IndexMode::Within }), &[self, b, row, col])
    }
}
