//! Products of a sparse and a dense matrix.
use super::sampled_matmul::SampledMatMul;
use super::{
    Accuracy, AttributeSpec, Domain, Fill, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern,
    PythonSignature, Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::index_add::IndexAdd;
use crate::{DType, Device, Error, Result, Scalar, Tensor};

/// Multiplies a sparse matrix in CSR (compressed sparse row) form by a dense matrix: row `r` of the result is the sum of
/// `values[k] * dense[col[k]]` for `k` from `crow[r]` up to, but without, `crow[r + 1]`, in the order of `k`. The product and the
/// sum are rounded at each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsrMatMul {
    /// Meaning of columns outside the dense matrix: an error, or, for the largest number of the dtype, an entry that is left out.
    pub rule: IndexMode,
}

/// The attribute of both sparse products.
pub(super) const SKIPS: AttributeSpec = AttributeSpec::flag(
    "max_skips",
    "Whether an index equal to its dtype's largest number leaves its entry out.",
)
.or(Value::Bool(false));

/// The value of [`SKIPS`], or an error for a rule that the sparse products do not have.
pub(super) fn skips(op: &'static str, rule: IndexMode) -> Result<bool> {
    match rule {
        IndexMode::Within => Ok(false),
        IndexMode::MaxSkips => Ok(true),
        IndexMode::FromEnd => Err(Error::invalid(op, "indices that count from the end are not supported")),
    }
}

/// Returns the length of a vector of the inputs.
pub(super) fn vector(op: &'static str, name: &str, meta: &Meta) -> Result<usize> {
    match *meta.shape.dims() {
        [n] => Ok(n),
        _ => Err(Error::invalid(op, format!("{name} is a vector, got shape {:?}", meta.shape))),
    }
}

impl OpDef for CsrMatMul {
    fn name(&self) -> &'static str {
        "csr_matmul"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("values", sets::NUMERIC),
                Input::same("dense", sets::NUMERIC),
                Input::new("crow", sets::INDEX),
                Input::new("col", sets::INDEX),
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let name = self.name();
        skips(name, self.rule)?;
        let (entries, ends) = (vector(name, "values", &ins[0])?, vector(name, "crow", &ins[2])?);
        if vector(name, "col", &ins[3])? != entries {
            let (lhs, rhs) = (ins[0].shape.clone(), ins[3].shape.clone());
            return Err(Error::ShapeMismatchBinaryOp { lhs, rhs, op: name }.bt());
        }
        let &[_, columns] = ins[1].shape.dims() else {
            return Err(Error::invalid(name, format!("dense is a matrix, got shape {:?}", ins[1].shape)));
        };
        if ends == 0 {
            return Err(Error::invalid(name, "crow has an element more than there are rows, got none"));
        }
        Ok(Meta::new((ends - 1, columns).into(), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(15)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs(if wanted == 0 { 14 } else { 13 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (g, col) = (c.grad(), c.input(3)?);
        let row = rows_of(&c.input(2)?, c.meta(0)?.shape.elem_count())?;
        let rule = IndexMode::MaxSkips;
        grads![
            c.when(0, || {
                Tensor::run(
                    Op::SampledMatMul(SampledMatMul { rule }),
                    &[g, &c.input(1)?, &row, &widened(&col)?],
                )
            })?,
            c.when(1, || by_rows(&c.input(0)?, g, &widened(&col)?, &row, c.meta(1)?.shape.dims()[0]))?,
            None,
            None
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[rows, columns of dense]")
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
        let wide = |shape: usize, domain| Spec { shape: shape.into(), domain, fill: Fill::Fixed(DType::I64) };
        let make = |entries: usize, [rows, inner, columns]: [usize; 3], rule| {
            let domain =
                if rule == IndexMode::MaxSkips { Domain::OrMax(inner) } else { Domain::Index(inner) };
            let ins = vec![
                Spec::new([entries], d),
                Spec::new([inner, columns], d),
                wide(rows + 1, Domain::Offsets(entries)),
                wide(entries, domain),
            ];
            (Op::CsrMatMul(Self { rule }), ins)
        };
        let mut all = Vec::new();
        for (entries, sizes) in [
            (7, [3, 4, 5]),
            (9, [4, 3, 1]),
            (40, [5, 8, 37]),
            (0, [2, 3, 2]),
            (3, [0, 3, 2]),
            (5, [2, 3, 0]),
            (0, [2, 0, 2]),
        ] {
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
            wrong(0, &[8], "shape mismatch in csr_matmul"),
            wrong(0, &[7, 1], "values is a vector"),
            wrong(1, &[4], "dense is a matrix"),
            wrong(2, &[0], "crow has an element more than there are rows"),
            wrong(2, &[2, 2], "crow is a vector"),
        ]);
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("values", "Entries of the sparse matrix."),
            TensorArgument::new("dense", "Dense matrix, of the dtype of ``values``."),
            TensorArgument::new("crow", "Start of each row among the entries, and the end of the last one."),
            TensorArgument::new("col", "Column of each entry."),
        ];
        vec![
            signature!(AsGiven, "Multiplies a matrix in CSR form by a dense one.", [], () =>
                Op::CsrMatMul(Self { rule: IndexMode::Within }))
            .named("_csr_matmul")
            .calling(TENSORS, |op, tensors| {
                let [values, dense, crow, col] = given(&op, tensors)?;
                values.csr_matmul(dense, crow, col)
            })
            .without_method(),
        ]
    }
}

/// Returns indices as I64; the largest number of their dtype becomes I64's.
pub(super) fn widened(ids: &Tensor) -> Result<Tensor> {
    let most = match ids.dtype() {
        DType::U8 => i64::from(u8::MAX),
        DType::I16 => i64::from(i16::MAX),
        DType::I32 => i64::from(i32::MAX),
        DType::U32 => i64::from(u32::MAX),
        _ => return Ok(ids.clone()),
    };
    let wide = ids.to_dtype(DType::I64)?;
    wide.eq(most)?.where_cond(&number(i64::MAX, wide.dims(), wide.device())?, &wide)
}

fn number(value: i64, dims: &[usize], device: &Device) -> Result<Tensor> {
    Tensor::full_scalar(Scalar::I64(value), dims, device)
}

/// Returns how many of the indices are at most 0, 1, .. up to `size - 1`; the largest number of I64 is not counted.
fn counts_up_to(ids: &Tensor, size: usize) -> Result<Tensor> {
    let (device, add) = (ids.device(), Op::IndexAdd(IndexAdd { dim: 0, rule: IndexMode::MaxSkips }));
    let zeros = Tensor::zeros(size, DType::I64, device)?;
    Tensor::run(add, &[&zeros, ids, &number(1, ids.dims(), device)?])?.cumsum(0)
}

/// Returns the row of each of `entries` entries of a CSR matrix, as I64; its largest number for an entry outside of all rows.
fn rows_of(crow: &Tensor, entries: usize) -> Result<Tensor> {
    let rows = crow.dims()[0] as i64 - 1;
    let row = (counts_up_to(&widened(crow)?, entries + 1)?.narrow(0, 0, entries)? - 1.0)?;
    let none = number(i64::MAX, &[entries], crow.device())?;
    let before = row.lt(0i64)?.where_cond(&none, &row)?;
    before.ge(rows)?.where_cond(&none, &before)
}

/// Multiplies the matrix with entry `values[k]` at `row[k]`, `col[k]`, in any order, by a dense matrix. The indices are I64, whose
/// largest number leaves an entry out. The terms of a row are added in the order of k.
pub(super) fn by_rows(
    values: &Tensor,
    dense: &Tensor,
    row: &Tensor,
    col: &Tensor,
    rows: usize,
) -> Result<Tensor> {
    let order = row.argsort(0, false, DType::I64)?;
    let ends = counts_up_to(row, rows)?;
    let crow = Tensor::cat(&[&number(0, &[1], row.device())?, &ends], 0)?;
    let (values, col) = (values.index_select(&order, 0)?, col.index_select(&order, 0)?);
    Tensor::run(Op::CsrMatMul(CsrMatMul { rule: IndexMode::MaxSkips }), &[&values, dense, &crow, &col])
}

impl Tensor {
    /// Multiplies a sparse matrix in CSR (compressed sparse row) form, whose entries `self` holds, by a dense matrix.
    /// `crow`, of `rows + 1` ascending numbers, has the start of each row among the entries and the end of the last row; `col`
    /// has the column of each entry. The result is `[rows, columns of dense]`; a row without entries is 0. NUMERIC dtypes;
    /// indices: INDEX dtypes. Gradients: of the entries and of the dense matrix.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let new = |v: &[f32]| Tensor::new(v, &Device::Cpu);
    /// let (crow, col) = (Tensor::new(&[0i64, 2, 2, 3], &Device::Cpu)?, Tensor::new(&[0i64, 1, 1], &Device::Cpu)?);
    /// let dense = new(&[1., 10.])?.reshape((2, 1))?;
    /// let y = new(&[2., 3., 4.])?.csr_matmul(&dense, &crow, &col)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[32.], [0.], [40.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A column or an element of `crow` is out of range, or shapes, dtypes or devices do not fit.
    pub fn csr_matmul(&self, dense: &Self, crow: &Self, col: &Self) -> Result<Self> {
        Tensor::run(Op::CsrMatMul(CsrMatMul { rule: IndexMode::Within }), &[self, dense, crow, col])
    }
}
