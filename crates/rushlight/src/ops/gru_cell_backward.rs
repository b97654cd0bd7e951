//! The gradient of `gru_cell`.
use super::lstm_cell::{STATES, check_gates, gate, gates_shape};
use super::lstm_cell_backward::widened;
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Input, Meta, Op, OpDef, Pattern, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, same_shape,
};
use crate::dtype::sets;
use crate::{Result, Shape, Tensor};

/// Recomputes `r`, `z` and `n` from the inputs of `gru_cell`, and `dn = dh (1 - z) (1 - n^2)`, `dr = dn y_n r (1 - r)`
/// and `dz = dh (h - n) z (1 - z)`. Returns the gradients `dr`, `dz`, `dn` of `x`, `dr`, `dz`, `dn r` of `y` and `dh z`
/// of `h`, side by side in the last dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GruCellBackward;

impl OpDef for GruCellBackward {
    fn name(&self) -> &'static str {
        "gru_cell_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("dh", sets::FLOAT),
                Input::same("x", sets::FLOAT),
                Input::same("y", sets::FLOAT),
                Input::same("h", sets::FLOAT),
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let state = same_shape(&[ins[3].clone(), ins[0].clone()], self.name())?;
        ins[1..3].iter().try_for_each(|m| check_gates(self.name(), &m.shape, 3, &state))?;
        Ok(Meta::new(widened(&state, 7), ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Refused("take it with create_graph=True, which records other ops instead")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[.., 7 H] of a state of shape [.., H]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::LOSS
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let op = || Op::GruCellBackward(GruCellBackward);
        let x = |shape: Shape| Spec::new(shape, Domain::Range(-2.0, 2.0));
        let ins = |state: &[usize], gates: Shape| {
            vec![x(state.into()), x(gates.clone()), x(gates), x(state.into())]
        };
        let mut all: Vec<Sample> = STATES
            .iter()
            .map(|state| Sample::new(op(), ins(state, gates_shape(3, state))).no_grad())
            .collect();
        all.push(Sample::bad(op(), ins(&[2, 5], (2, 4, 5).into()), "shape [.., 3, H]"));
        let mut other = ins(&[2, 5], (2, 3, 5).into());
        other[0] = x((2, 4).into());
        all.push(Sample::bad(op(), other, "shape mismatch in"));
        all
    }
}

/// Computes the result of the op with ops that have gradients.
pub(super) fn composed(dh: &Tensor, x: &Tensor, y: &Tensor, h: &Tensor) -> Result<Tensor> {
    let both = |k| gate(x, k)? + gate(y, k)?;
    let (r, z, hidden) = (both(0)?.sigmoid()?, both(1)?.sigmoid()?, gate(y, 2)?);
    let n = (gate(x, 2)? + (&r * &hidden)?)?.tanh()?;
    let of_sigmoid = |v: &Tensor| v * v.affine(-1.0, 1.0)?;
    let dn = ((dh * z.affine(-1.0, 1.0)?)? * n.sqr()?.affine(-1.0, 1.0)?)?;
    let dr = ((&dn * hidden)? * of_sigmoid(&r)?)?;
    let dz = ((dh * (h - &n)?)? * of_sigmoid(&z)?)?;
    let (last, dnr, direct) = (h.rank() - 1, (&dn * r)?, (dh * z)?);
    Tensor::cat(&[&dr, &dz, &dn, &dr, &dz, &dnr, &direct], last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn composed_gradients_are_those_of_the_kernel() -> Result<()> {
        let draw = |shape: &[usize]| Tensor::randn(0f64, 1.0, shape, &Device::Cpu);
        let (dh, x, y, h) = (draw(&[3, 5])?, draw(&[3, 3, 5])?, draw(&[3, 3, 5])?, draw(&[3, 5])?);
        let a = Tensor::run(Op::GruCellBackward(GruCellBackward), &[&dh, &x, &y, &h])?;
        let b = composed(&dh, &x, &y, &h)?;
        assert_eq!(a.dims(), [3, 35]);
        let worst = (a - b)?.abs()?.max_all()?.to_scalar::<f64>()?;
        assert!(worst < 1e-14, "{worst}");
        Ok(())
    }
}
