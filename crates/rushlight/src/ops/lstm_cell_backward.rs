//! The gradient of `lstm_cell`.
use super::lstm_cell::{STATES, check_gates, gate, gates_shape};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Input, Meta, Op, OpDef, Pattern, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, same_shape,
};
use crate::dtype::sets;
use crate::{Result, Shape, Tensor};

/// Recomputes the gates `i`, `f`, `g`, `o` after their activations and `t = tanh(c')` from the inputs of `lstm_cell`,
/// and `s = dc + dh o (1 - t^2)`. Returns the gradients `s g i (1 - i)`, `s c f (1 - f)`, `s i (1 - g^2)`,
/// `dh t o (1 - o)` of the pre-activations and `s f` of `c`, side by side in the last dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LstmCellBackward;

impl OpDef for LstmCellBackward {
    fn name(&self) -> &'static str {
        "lstm_cell_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("dh", sets::FLOAT),
                Input::same("dc", sets::FLOAT),
                Input::same("gates", sets::FLOAT),
                Input::same("c", sets::FLOAT),
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let state = same_shape(&[ins[3].clone(), ins[0].clone(), ins[1].clone()], self.name())?;
        check_gates(self.name(), &ins[2].shape, 4, &state)?;
        Ok(Meta::new(widened(&state, 5), ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Refused("take it with create_graph=True, which records other ops instead")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[.., 5 H] of a state of shape [.., H]")
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
        let op = || Op::LstmCellBackward(LstmCellBackward);
        let x = |shape: Shape| Spec::new(shape, Domain::Range(-2.0, 2.0));
        let ins =
            |state: &[usize], gates: Shape| vec![x(state.into()), x(state.into()), x(gates), x(state.into())];
        let mut all: Vec<Sample> = STATES
            .iter()
            .map(|state| Sample::new(op(), ins(state, gates_shape(4, state))).no_grad())
            .collect();
        all.push(Sample::bad(op(), ins(&[2, 5], (2, 3, 5).into()), "shape [.., 4, H]"));
        let mut other = ins(&[2, 5], (2, 4, 5).into());
        other[1] = x((2, 4).into());
        all.push(Sample::bad(op(), other, "shape mismatch in"));
        all
    }
}

/// Returns the shape of a state, with the last dimension multiplied by `n`.
pub(super) fn widened(state: &Shape, n: usize) -> Shape {
    match state.dims() {
        [outer @ .., hidden] => Shape::from(outer).extend(&[n * hidden]),
        [] => n.into(),
    }
}

/// Computes the result of the op with ops that have gradients.
pub(super) fn composed(dh: &Tensor, dc: &Tensor, gates: &Tensor, c: &Tensor) -> Result<Tensor> {
    let [i, f, o] = [gate(gates, 0)?, gate(gates, 1)?, gate(gates, 3)?].map(|v| v.sigmoid());
    let (i, f, o, g) = (i?, f?, o?, gate(gates, 2)?.tanh()?);
    let t = ((&f * c)? + (&i * &g)?)?.tanh()?;
    let of_square = |v: &Tensor| v.sqr()?.affine(-1.0, 1.0);
    let of_sigmoid = |v: &Tensor| v * v.affine(-1.0, 1.0)?;
    let s = (dc + ((dh * &o)? * of_square(&t)?)?)?;
    let di = ((&s * &g)? * of_sigmoid(&i)?)?;
    let df = ((&s * c)? * of_sigmoid(&f)?)?;
    let dg = ((&s * &i)? * of_square(&g)?)?;
    let dout = ((dh * &t)? * of_sigmoid(&o)?)?;
    Tensor::cat(&[di, df, dg, dout, (s * f)?], c.rank() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn composed_gradients_are_those_of_the_kernel() -> Result<()> {
        let draw = |shape: &[usize]| Tensor::randn(0f64, 1.0, shape, &Device::Cpu);
        let (dh, dc, gates, c) = (draw(&[3, 5])?, draw(&[3, 5])?, draw(&[3, 4, 5])?, draw(&[3, 5])?);
        let a = Tensor::run(Op::LstmCellBackward(LstmCellBackward), &[&dh, &dc, &gates, &c])?;
        let b = composed(&dh, &dc, &gates, &c)?;
        assert_eq!(a.dims(), [3, 25]);
        let worst = (a - b)?.abs()?.max_all()?.to_scalar::<f64>()?;
        assert!(worst < 1e-14, "{worst}");
        Ok(())
    }
}
