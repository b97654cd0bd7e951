//! Rounding of the other factor of products with quantized blocks to 8 bits.
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Input, Meta, Op, OpDef, Pattern, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::dtype::sets;
use crate::{DType, Error, Result};

/// Rounds the rows of a matrix, `[m, k]`, to integers of 8 bits in blocks of 32: bytes `[m, k / 32 * 40]`, which
/// [`QMatMulInt8`](super::qmatmul_int8::QMatMulInt8) multiplies. A block has the scale, an f32 (bytes 0 to 3), the sum of its integers,
/// an i32 (bytes 4 to 7), both little-endian, and 32 signed integers of 8 bits.
///
/// Elements are first rounded to f32. With `a` the largest magnitude of a block the scale is `a / 127`, and an integer is
/// `x * (1 / scale)`, each operation rounded, rounded to nearest even and clamped to -127..127. A scale below the smallest normal f32
/// is 0, and so are its integers. A block with an infinity or NaN has the scale NaN and the integers 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuantizeInt8;

/// Number of elements of a block.
pub const ELEMENTS: usize = 32;
/// Number of bytes of a block.
pub const BYTES: usize = 40;

impl OpDef for QuantizeInt8 {
    fn name(&self) -> &'static str {
        "quantize_int8"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        match *ins[0].shape.dims() {
            [m, k] if k % ELEMENTS == 0 => Ok(Meta::new((m, k / ELEMENTS * BYTES).into(), DType::U8)),
            _ => {
                let shape = &ins[0].shape;
                let text =
                    format!("x is a matrix whose rows have whole blocks of 32 elements, got shape {shape:?}");
                Err(Error::invalid(self.name(), text))
            }
        }
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its result is not a floating-point number")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[m, bytes of the blocks of a row]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
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
        let of = |shape: [usize; 2], d| (Op::QuantizeInt8(Self), vec![Spec::new(shape, d)]);
        let d = Domain::Range(-2.0, 2.0);
        let good = [[2, 64], [3, 32], [1, 96], [7, 256], [5, 1056], [0, 32], [3, 0]];
        let mut all: Vec<Sample> =
            good.into_iter().map(|shape| of(shape, d)).map(|(op, ins)| Sample::new(op, ins)).collect();
        // Ties, which go to even: the scale of a block with 127 is 1.
        let (op, ins) = of([4, 64], Domain::Range(-127.0, 127.0));
        all.push(Sample::new(op, ins));
        for shape in [&[2usize, 33][..], &[64], &[2, 2, 32]] {
            let ins = vec![Spec::new(shape, d)];
            all.push(Sample::bad(Op::QuantizeInt8(Self), ins, "rows have whole blocks of 32 elements"));
        }
        all
    }
}
