//! Products of quantized blocks with a factor in 8 bits.
use super::dequantize::{BYTES, FORMAT, sizes};
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Fill, Input, Kind, Meta, Op, OpDef, Pattern,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, quantize_int8,
};
use crate::dtype::sets;
use crate::quantized::{ALL, GgmlDType};
use crate::{DType, Error, Result};

/// Multiplies rows in 8 bits, the bytes of [`QuantizeInt8`](super::quantize_int8::QuantizeInt8), by the transpose of a matrix of ggml's
/// blocks: m rows and n rows of blocks with as many elements give `[m, n]`. Products of integers are added exactly in each block of 32
/// elements, or 16 where the type of blocks has a scale for 16; docs/NUMERICS.md has the order in which blocks are added, in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QMatMulInt8 {
    /// The type of the blocks, one with levels.
    pub format: GgmlDType,
    /// Dtype of the output, of FLOAT; F64 has numbers of f32.
    pub dtype: DType,
}

impl OpDef for QMatMulInt8 {
    fn name(&self) -> &'static str {
        "qmatmul_int8"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", BYTES), Input::new("blocks", BYTES)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if !sets::FLOAT.contains(self.dtype) {
            return Err(Error::UnsupportedDTypeForOp(self.dtype, self.name()).bt());
        }
        if self.format.block_size() == 1 {
            let text = format!("{} blocks are single numbers; qmatmul multiplies them", self.format);
            return Err(Error::invalid(self.name(), text));
        }
        let (rows, elements) = sizes(self.name(), self.format, &ins[1].shape)?;
        let bytes = elements / quantize_int8::ELEMENTS * quantize_int8::BYTES;
        match *ins[0].shape.dims() {
            [m, got] if got == bytes => Ok(Meta::new((m, rows).into(), self.dtype)),
            _ => {
                let text = format!(
                    "rows of {elements} elements in 8 bits have {bytes} bytes, x has shape {:?}",
                    ins[0].shape
                );
                Err(Error::invalid(self.name(), text))
            }
        }
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its inputs are not floating-point numbers")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[m, rows of blocks]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[FORMAT, AttributeSpec::new("dtype", Kind::DType, Allowed::Any, "Dtype of the output.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Choice(self.format.as_str()), Value::DType(self.dtype)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Product { lhs: 0 }
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
        Reference::None("NumPy and PyTorch have no blocks of this kind")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::PRODUCT
    }

    fn samples() -> Vec<Sample> {
        let make = |(format, m, n, k, dtype): (GgmlDType, usize, usize, usize, DType)| {
            let row = k / quantize_int8::ELEMENTS * quantize_int8::BYTES;
            let x = Spec { shape: [m, row].into(), domain: Domain::Int8Blocks, fill: Fill::Fixed(DType::U8) };
            let shape = [n, k / format.block_size() * format.type_size()].into();
            let blocks = Spec { shape, domain: Domain::Blocks(format), fill: Fill::Fixed(DType::U8) };
            (Op::QMatMulInt8(Self { format, dtype }), vec![x, blocks])
        };
        let leveled = ALL.into_iter().filter(|f| f.block_size() > 1);
        let every = leveled.flat_map(|f| [(f, 1, 5, 768, DType::F32), (f, 5, 3, 256, DType::F32)]);
        let more = [
            (GgmlDType::Q4_0, 2, 3, 64, DType::F32),
            (GgmlDType::Q8_0, 5, 14, 96, DType::F16),
            (GgmlDType::Q4K, 7, 10, 512, DType::BF16),
            (GgmlDType::Q6K, 5, 3, 768, DType::F64),
            (GgmlDType::Q5_1, 1, 37, 1056, DType::F32),
            (GgmlDType::Q4_0, 0, 3, 32, DType::F32),
            (GgmlDType::Q4_0, 3, 0, 32, DType::F32),
            (GgmlDType::Q4_0, 3, 2, 0, DType::F16),
            (GgmlDType::Q3K, 9, 6, 256, DType::F16),
            (GgmlDType::Q8_0, 66, 67, 32, DType::F32),
            (GgmlDType::Q2K, 17, 33, 2560, DType::F32),
        ];
        let mut all = Sample::table(make, more.into_iter().chain(every), []);
        let mut bad = |format, dtype, x: &[usize], blocks: &[usize], text| {
            let (_, mut ins) = make((GgmlDType::Q4_0, 2, 3, 64, DType::F32));
            ins[0].shape = x.into();
            ins[1].shape = blocks.into();
            all.push(Sample::bad(Op::QMatMulInt8(Self { format, dtype }), ins, text));
        };
        let q4 = GgmlDType::Q4_0;
        bad(q4, DType::F32, &[2, 40], &[3, 36], "rows of 64 elements in 8 bits have 80 bytes");
        bad(q4, DType::F32, &[2, 2, 80], &[3, 36], "rows of 64 elements in 8 bits have 80 bytes");
        bad(q4, DType::F32, &[2, 80], &[3, 35], "has a multiple of 18 bytes, got 35");
        bad(q4, DType::F32, &[2, 80], &[36], "blocks is a matrix of bytes");
        bad(q4, DType::I32, &[2, 80], &[3, 36], "unsupported dtype");
        bad(GgmlDType::F16, DType::F32, &[2, 80], &[3, 128], "qmatmul multiplies them");
        all
    }
}
