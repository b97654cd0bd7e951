//! The op lstm_cell: the elementwise part of an LSTM step.
use super::lstm_cell_backward::{LstmCellBackward, composed};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::{self, Vjp};
use crate::dtype::sets;
use crate::ops::norm::stacked;
use crate::{Error, Result, Shape, Tensor};

/// Inputs are the gates' pre-activations `gates` of shape `[.., 4, H]`, in the order input, forget, cell and output,
/// and the cell state `c` of shape `[.., H]`. Computes `c' = sigmoid(f) c + sigmoid(i) tanh(g)` and
/// `h' = sigmoid(o) tanh(c')` (Hochreiter and Schmidhuber 1997; Gers, Schmidhuber, Cummins 2000), stacked as `[h', c']`
/// of shape `[2, .., H]`. f16 and bf16 compute in f32, and round `c'` before its tanh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LstmCell;

/// Checks that `gates` has shape `[.., n, H]` for a state of shape `[.., H]`.
pub(super) fn check_gates(op: &'static str, gates: &Shape, n: usize, state: &Shape) -> Result<()> {
    let expected = match state.dims() {
        [outer @ .., hidden] => Shape::from(outer).extend(&[n, *hidden]),
        [] => return Err(Error::invalid(op, "needs a state of shape [.., H], got a scalar")),
    };
    if *gates == expected {
        return Ok(());
    }
    let msg =
        format!("{op}: the gates' pre-activations have shape [.., {n}, H] for a state of shape [.., H]");
    Err(Error::UnexpectedShape { msg, expected, got: gates.clone() }.bt())
}

/// Returns gate `k` of pre-activations of shape `[.., n, H]`.
pub(super) fn gate(gates: &Tensor, k: usize) -> Result<Tensor> {
    let dim = gates.rank() - 2;
    gates.narrow(dim, k, 1)?.squeeze(dim)
}

/// Returns `n` parts of size H, from part `start` on, of gradients of shape `[.., parts H]`.
pub(crate) fn part(all: &Tensor, start: usize, n: usize, hidden: usize) -> Result<Tensor> {
    all.narrow(all.rank() - 1, start * hidden, n * hidden)
}

/// Shapes of states for samples.
pub(super) const STATES: &[&[usize]] = &[&[3, 5], &[5], &[2, 3, 2], &[0, 5], &[3, 0]];

/// Returns the shape of the pre-activations of `n` gates for a state of a given shape.
pub(super) fn gates_shape(n: usize, state: &[usize]) -> Shape {
    let (last, outer) = (state.last().copied().unwrap_or(1), &state[..state.len().saturating_sub(1)]);
    Shape::from(outer).extend(&[n, last])
}

impl OpDef for LstmCell {
    fn name(&self) -> &'static str {
        "lstm_cell"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("gates", sets::FLOAT), Input::same("c", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        check_gates(self.name(), &ins[0].shape, 4, &ins[1].shape)?;
        Ok(Meta::new(stacked(2, &ins[1].shape), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (gates, state) = (c.input(0)?, c.input(1)?);
        let (dh, dc) = (c.grad().get(0)?, c.grad().get(1)?);
        let all = backward(&dh, &dc, &gates, &state)?;
        let hidden = state.dims()[state.rank() - 1];
        grads![
            c.when(0, || part(&all, 0, 4, hidden)?.reshape(gates.shape()))?,
            c.when(1, || part(&all, 4, 1, hidden))?
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[2, .., H] of a state of shape [.., H]")
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
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let op = || Op::LstmCell(LstmCell);
        let x = |shape: Shape| Spec::new(shape, Domain::Range(-2.0, 2.0));
        let mut all: Vec<Sample> = STATES
            .iter()
            .map(|state| Sample::new(op(), vec![x(gates_shape(4, state)), x((*state).into())]))
            .collect();
        all.push(Sample::bad(op(), vec![x((2, 3, 5).into()), x((2, 5).into())], "shape [.., 4, H]"));
        all.push(Sample::bad(op(), vec![x((2, 4, 5).into()), x((3, 5).into())], "shape [.., 4, H]"));
        all.push(Sample::bad(op(), vec![x(4.into()), x(().into())], "a scalar"));
        all
    }
}

/// Returns the gradients of the pre-activations and of `c` in the layout of [`LstmCellBackward`]. If gradients are
/// recorded, computes them with ops that have gradients.
pub(crate) fn backward(dh: &Tensor, dc: &Tensor, gates: &Tensor, c: &Tensor) -> Result<Tensor> {
    if autograd::is_enabled() {
        return composed(dh, dc, gates, c);
    }
    Tensor::run(Op::LstmCellBackward(LstmCellBackward), &[dh, dc, gates, c])
}

impl Tensor {
    /// Computes the elementwise part of an LSTM step: the new hidden state and the new cell state, stacked as
    /// `[2, .., H]`, from the gates' pre-activations `self` of shape `[.., 4, H]` (input, forget, cell, output) and the
    /// cell state `c` of shape `[.., H]`. FLOAT dtypes; both have the same one.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let gates = Tensor::zeros((1, 4, 2), DType::F32, &Device::Cpu)?;
    /// let c = Tensor::new(&[[2f32, -4.]], &Device::Cpu)?;
    /// let states = gates.lstm_cell(&c)?;
    /// assert_eq!(states.get(1)?.to_vec2::<f32>()?, [[1., -2.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn lstm_cell(&self, c: &Self) -> Result<Self> {
        Tensor::run(Op::LstmCell(LstmCell), &[self, c])
    }
}
