//! The numbers of quantized blocks.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, chosen, given, signature,
};
use crate::dtype::{DTypeSet, sets};
use crate::quantized::{ALL, GgmlDType};
use crate::{DType, Error, Result, Shape, Tensor};

/// Computes the numbers of ggml's blocks. A row of `blocks` has the bytes of whole blocks; the result has their elements. They are
/// computed in f32 and rounded to the dtype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dequantize {
    /// The type of the blocks.
    pub format: GgmlDType,
    /// Dtype of the output, of FLOAT.
    pub dtype: DType,
}

/// Names of the block types.
pub(super) const NAMES: &[&str] = &{
    let mut names = [""; ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = ALL[i].as_str();
        i += 1;
    }
    names
};

/// The attribute of both ops on blocks.
pub(super) const FORMAT: AttributeSpec =
    AttributeSpec::new("format", Kind::Choice(NAMES), Allowed::Any, "The type of the blocks.");

pub(super) const BYTES: DTypeSet = DTypeSet::of(&[DType::U8]);

/// Returns the number of rows, and of the elements of a row, of a matrix of blocks.
pub(super) fn sizes(op: &'static str, format: GgmlDType, blocks: &Shape) -> Result<(usize, usize)> {
    let &[rows, bytes] = blocks.dims() else {
        return Err(Error::invalid(op, format!("blocks is a matrix of bytes, got shape {blocks:?}")));
    };
    let size = format.type_size();
    if !bytes.is_multiple_of(size) {
        let text = format!("a row of {format} blocks has a multiple of {size} bytes, got {bytes}");
        return Err(Error::invalid(op, text));
    }
    Ok((rows, bytes / size * format.block_size()))
}

impl OpDef for Dequantize {
    fn name(&self) -> &'static str {
        "dequantize"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("blocks", BYTES)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if !sets::FLOAT.contains(self.dtype) {
            return Err(Error::UnsupportedDTypeForOp(self.dtype, self.name()).bt());
        }
        let (rows, elements) = sizes(self.name(), self.format, &ins[0].shape)?;
        Ok(Meta::new((rows, elements).into(), self.dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its input is not a floating-point number")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[rows, elements of a row]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[FORMAT, AttributeSpec::new("dtype", Kind::DType, Allowed::Any, "Dtype of the output.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Choice(self.format.as_str()), Value::DType(self.dtype)]
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
        Reference::None("NumPy and PyTorch have no blocks of this kind")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::PRODUCT
    }

    fn samples() -> Vec<Sample> {
        let make = |format: GgmlDType, dtype, rows: usize, blocks: usize| {
            let shape = [rows, blocks * format.type_size()];
            (Op::Dequantize(Self { format, dtype }), vec![Spec::new(shape, Domain::Blocks(format))])
        };
        let mut all = Vec::new();
        for format in ALL {
            for (dtype, rows, blocks) in [(DType::F32, 3, 2), (DType::F16, 2, 1), (DType::BF16, 1, 3)] {
                let (op, ins) = make(format, dtype, rows, blocks);
                all.push(Sample::new(op, ins));
            }
        }
        for (rows, blocks) in [(0, 2), (2, 0), (5, 40)] {
            let (op, ins) = make(GgmlDType::Q4_0, DType::F64, rows, blocks);
            all.push(Sample::new(op, ins));
        }
        let op = |dtype| Op::Dequantize(Self { format: GgmlDType::Q4_0, dtype });
        let blocks = |shape: &[usize]| vec![Spec::new(shape, Domain::Blocks(GgmlDType::Q4_0))];
        all.push(Sample::bad(op(DType::F32), blocks(&[18]), "blocks is a matrix of bytes"));
        all.push(Sample::bad(op(DType::F32), blocks(&[2, 20]), "has a multiple of 18 bytes, got 20"));
        all.push(Sample::bad(op(DType::I32), blocks(&[2, 18]), "unsupported dtype"));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] =
            &[TensorArgument::new("blocks", "Matrix of uint8 whose rows have the bytes of whole blocks.")];
        vec![
            signature!(AsGiven, "Computes the numbers of ggml's blocks, in float32.", [],
                (format: Choice(NAMES)) => Op::Dequantize(Self { format: chosen(GgmlDType::from_name(format), format)?, dtype: DType::F32 }))
            .named("_dequantize")
            .calling(TENSORS, |op, tensors| {
                let [blocks] = given(&op, tensors)?;
                Tensor::run(op, &[blocks])
            })
            .without_method(),
        ]
    }
}

impl Tensor {
    /// Computes the numbers of ggml's blocks, whose bytes are in the rows of `self`, a matrix of u8: in f32, rounded to a FLOAT
    /// dtype. [`QTensor`](crate::quantized::QTensor) has the shape and the type of such blocks.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor, quantized::GgmlDType};
    /// let mut block = vec![0u8, 0x38]; // the scale 0.5, and 32 numbers of 8 bits
    /// block.extend(0..32);
    /// let blocks = Tensor::from_vec(block, (1, 34), &Device::Cpu)?;
    /// assert_eq!(blocks.dequantize(GgmlDType::Q8_0, DType::F32)?.to_vec2::<f32>()?[0][..3], [0., 0.5, 1.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The tensor is not a matrix of u8, or a row does not have whole blocks.
    pub fn dequantize(&self, format: GgmlDType, dtype: DType) -> Result<Self> {
        Tensor::run(Op::Dequantize(Dequantize { format, dtype }), &[self])
    }
}
