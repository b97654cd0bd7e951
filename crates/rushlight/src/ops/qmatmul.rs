//! Products with a matrix of quantized blocks.
use super::dequantize::{BYTES, FORMAT, NAMES, sizes};
use super::{
    Accuracy, AttributeSpec, Domain, Fill, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value, chosen,
    given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::quantized::GgmlDType;
use crate::{DType, Error, Result, Tensor};

/// Multiplies a matrix by the transpose of a matrix of ggml's blocks: `x`, `[m, k]`, and n rows of blocks with k elements each give
/// `[m, n]`. The numbers of the blocks are computed in f32; `x` is not quantized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QMatMul {
    /// The type of the blocks.
    pub format: GgmlDType,
    /// The numbers in place of the blocks' numbers, which error bounds need; GPUs have the numbers alone.
    pub weights: Weights,
}

/// The numbers that a product takes from blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// The numbers.
    Numbers,
    /// Their absolute values.
    Magnitudes,
    /// Ones.
    Ones,
}

impl OpDef for QMatMul {
    fn name(&self) -> &'static str {
        "qmatmul"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::new("blocks", BYTES)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (rows, elements) = sizes(self.name(), self.format, &ins[1].shape)?;
        match *ins[0].shape.dims() {
            [m, k] if k == elements => Ok(Meta::new((m, rows).into(), ins[0].dtype)),
            _ => {
                let (lhs, rhs) = (ins[0].shape.clone(), (rows, elements).into());
                Err(Error::ShapeMismatchBinaryOp { lhs, rhs, op: self.name() }.bt())
            }
        }
    }

    fn reads(&self) -> Reads {
        Reads::inputs(2)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        // The sums of narrow floats are not rounded before the end, nor are the weights.
        let wide = if g.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
        let weights = c.input(1)?.dequantize(self.format, wide)?;
        grads![g.to_dtype(wide)?.matmul(&weights)?.to_dtype(g.dtype())?, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[m, rows of blocks]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[FORMAT] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Choice(self.format.as_str())]
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
        Reference::None("NumPy and PyTorch have no blocks of this kind")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::PRODUCT
    }

    fn map_factors(&self, f: fn(f64) -> f64) -> Option<Self> {
        // The factors are in the blocks, whose bytes cannot be mapped, so the function is recognized by a value.
        let weights = match f(-2.0) {
            2.0 => Weights::Magnitudes,
            1.0 => Weights::Ones,
            _ => Weights::Numbers,
        };
        Some(Self { weights, ..*self })
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        let make = |(format, m, n, k): (GgmlDType, usize, usize, usize)| {
            let shape = [n, k / format.block_size() * format.type_size()].into();
            let blocks = Spec { shape, domain: Domain::Blocks(format), fill: Fill::Fixed(DType::U8) };
            let op = Op::QMatMul(Self { format, weights: Weights::Numbers });
            (op, vec![Spec::new([m, k], d), blocks])
        };
        let some = [(GgmlDType::Q4_0, 2, 3, 64), (GgmlDType::F32, 3, 4, 5), (GgmlDType::F16, 1, 2, 37)];
        let every = crate::quantized::ALL.into_iter().map(|f| (f, 2, 3, f.block_size().max(32)));
        let more = [
            (GgmlDType::Q8_0, 5, 14, 96),
            (GgmlDType::Q4K, 7, 10, 512),
            (GgmlDType::Q6K, 5, 3, 768),
            (GgmlDType::Q4_0, 0, 3, 32),
            (GgmlDType::Q4_0, 3, 0, 32),
            (GgmlDType::Q4_0, 3, 2, 0),
            (GgmlDType::Q5K, 1, 5, 512),
            (GgmlDType::Q3K, 9, 6, 256),
            (GgmlDType::Q8_0, 66, 67, 32),
        ];
        let good = some.into_iter().chain(every).chain(more);
        let mut all = Sample::table(make, good, []);
        let mut bad = |x: &[usize], blocks: &[usize], text| {
            let (op, mut ins) = make((GgmlDType::Q4_0, 2, 3, 64));
            ins[0].shape = x.into();
            ins[1].shape = blocks.into();
            all.push(Sample::bad(op, ins, text));
        };
        bad(&[2, 32], &[3, 36], "shape mismatch in qmatmul, lhs: (2, 32), rhs: (3, 64)");
        bad(&[2, 2, 64], &[3, 36], "shape mismatch in qmatmul");
        bad(&[2, 64], &[3, 35], "has a multiple of 18 bytes, got 35");
        bad(&[2, 64], &[36], "blocks is a matrix of bytes");
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new(
                "x",
                "Left factor, of a floating-point dtype; its last dimension is multiplied.",
            ),
            TensorArgument::new("blocks", "Matrix of uint8 whose rows have the bytes of whole blocks."),
        ];
        vec![
            signature!(AsGiven, "Multiplies by the transpose of a matrix of ggml's blocks.", [],
                (format: Choice(NAMES)) =>
                    Op::QMatMul(Self { format: chosen(GgmlDType::from_name(format), format)?, weights: Weights::Numbers }))
            .named("_qmatmul")
            .calling(TENSORS, |op, tensors| {
                let [x, blocks] = given(&op, tensors)?;
                match op {
                    Op::QMatMul(c) => x.qmatmul(blocks, c.format),
                    op => Err(Error::invalid(op.name(), "is not a product")),
                }
            })
            .without_method(),
        ]
    }
}

impl Tensor {
    /// Multiplies the last dimension by the transpose of a matrix of ggml's blocks: `[.., k]` and n rows of blocks with k elements
    /// each give `[.., n]`. FLOAT dtypes; `blocks` is a matrix of u8. The numbers of the blocks are computed in f32 where they are
    /// multiplied. Gradient: of `self`.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor, quantized::GgmlDType};
    /// let mut block = vec![0u8, 0x38]; // the scale 0.5, and 32 numbers of 8 bits
    /// block.extend(0..32);
    /// let blocks = Tensor::from_vec(block, (1, 34), &Device::Cpu)?;
    /// let y = Tensor::ones((2, 32), DType::F32, &Device::Cpu)?.qmatmul(&blocks, GgmlDType::Q8_0)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[248.], [248.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The shapes do not fit, or a row does not have whole blocks.
    pub fn qmatmul(&self, blocks: &Self, format: GgmlDType) -> Result<Self> {
        let op = Op::QMatMul(QMatMul { format, weights: Weights::Numbers });
        if self.rank() == 2 {
            return Tensor::run(op, &[self, blocks]);
        }
        let Some((&k, batch)) = self.dims().split_last() else {
            return Err(Error::invalid("qmatmul", "x has no dimension to multiply"));
        };
        let (rows, mut shape) = (batch.iter().product::<usize>(), batch.to_vec());
        shape.push(blocks.dims().first().copied().unwrap_or(0));
        Tensor::run(op, &[&self.reshape((rows, k))?, blocks])?.reshape(shape)
    }
}
