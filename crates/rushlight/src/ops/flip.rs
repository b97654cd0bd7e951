//! The op flip: reverses elements along dimensions.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes `out[k] = x[n - 1 - k]` along each dimension of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flip {
    /// The set of dimensions, as a bit mask: bit i stands for dimension i.
    pub axes: u32,
}

impl Flip {
    /// Whether a dimension is reversed.
    pub fn flips(&self, axis: usize) -> bool {
        self.axes >> axis & 1 == 1
    }
}

impl OpDef for Flip {
    fn name(&self) -> &'static str {
        "flip"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let x = &ins[0];
        let highest = 31 - self.axes.leading_zeros() as i32;
        if highest >= x.shape.rank() as i32 {
            return Err(x.shape.out_of_range(highest, "flip"));
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, x.dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Tensor::run(Op::Flip(*self), &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::new("axes", Kind::Axes, Allowed::ByShape, "Dimensions to reverse.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Axes(self.axes)]
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
        Thresholds::FLIPPED
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let op = |axes| Op::Flip(Flip { axes });
        let good: [(&[usize], u32); 8] = [
            (&[5], 1),
            (&[2, 3], 0b01),
            (&[2, 3], 0b10),
            (&[2, 3], 0b11),
            (&[2, 3, 4], 0b101),
            (&[2, 1, 3, 1, 2, 2], 0b110011),
            (&[0, 4], 0b11),
            (&[], 0),
        ];
        let mut all: Vec<_> =
            good.iter().map(|(shape, axes)| Sample::new(op(*axes), vec![Spec::new(*shape, d)])).collect();
        all.push(Sample::bad(op(0b100), vec![Spec::new([2, 3], d)], "out of range"));
        all
    }
}

impl Tensor {
    /// Returns a copy with the elements reversed along each of the dimensions. All dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[1u8, 2], [3, 4]], &Device::Cpu)?;
    /// assert_eq!(t.flip(&[0])?.to_vec2::<u8>()?, [[3, 4], [1, 2]]);
    /// assert_eq!(t.flip(&[0, 1])?.to_vec2::<u8>()?, [[4, 3], [2, 1]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn flip(&self, dims: &[usize]) -> Result<Tensor> {
        let mut axes = 0u32;
        for &dim in dims {
            if dim >= self.rank() {
                return Err(self.shape().out_of_range(i32::try_from(dim).unwrap_or(i32::MAX), "flip"));
            }
            if axes >> dim & 1 == 1 {
                return Err(Error::DuplicateDimIndex {
                    shape: self.shape().clone(),
                    dims: dims.to_vec(),
                    op: "flip",
                }
                .bt());
            }
            axes |= 1 << dim;
        }
        Tensor::run(Op::Flip(Flip { axes }), &[self])
    }
}
