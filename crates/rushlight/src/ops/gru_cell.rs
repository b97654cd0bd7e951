//! The op gru_cell: the elementwise part of a GRU step.
use super::gru_cell_backward::{GruCellBackward, composed};
use super::lstm_cell::{STATES, check_gates, gates_shape, part};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::{self, Vjp};
use crate::dtype::sets;
use crate::{Result, Shape, Tensor};

/// Inputs are the pre-activations `x` from the input and `y` from the hidden state, both of shape `[.., 3, H]` in the
/// order reset, update and new, and the hidden state `h` of shape `[.., H]`. Computes `r = sigmoid(x_r + y_r)`,
/// `z = sigmoid(x_z + y_z)`, `n = tanh(x_n + r y_n)` and `h' = n + z (h - n)` (Cho et al. 2014, with the reset gate
/// after the product, as in PyTorch). f16 and bf16 compute in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GruCell;

impl OpDef for GruCell {
    fn name(&self) -> &'static str {
        "gru_cell"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("y", sets::FLOAT), Input::same("h", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        ins[..2].iter().try_for_each(|m| check_gates(self.name(), &m.shape, 3, &ins[2].shape))?;
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(7)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (x, y, h) = (c.input(0)?, c.input(1)?, c.input(2)?);
        let all = backward(c.grad(), &x, &y, &h)?;
        let hidden = h.dims()[h.rank() - 1];
        grads![
            c.when(0, || part(&all, 0, 3, hidden)?.reshape(x.shape()))?,
            c.when(1, || part(&all, 3, 3, hidden)?.reshape(y.shape()))?,
            c.when(2, || part(&all, 6, 1, hidden))?
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(2)
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
        let op = || Op::GruCell(GruCell);
        let x = |shape: Shape| Spec::new(shape, Domain::Range(-2.0, 2.0));
        let mut all: Vec<Sample> = STATES
            .iter()
            .map(|state| {
                let gates = || x(gates_shape(3, state));
                Sample::new(op(), vec![gates(), gates(), x((*state).into())])
            })
            .collect();
        let (good, wrong) = (|| x((2, 3, 5).into()), || x((2, 4, 5).into()));
        for ins in [[wrong(), good()], [good(), wrong()]] {
            let all_ins = ins.into_iter().chain([x((2, 5).into())]).collect();
            all.push(Sample::bad(op(), all_ins, "shape [.., 3, H]"));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Returns the hidden state after a step of a GRU, from the pre-activations (.., 3, h) of the input and of the hidden state.",
                [],
                () => Op::GruCell(Self)
            )
            .named("_gru_cell")
            .without_method(),
        ]
    }
}

/// Returns the gradients of `x`, `y` and `h` in the layout of [`GruCellBackward`]. If gradients are recorded, computes
/// them with ops that have gradients.
pub(crate) fn backward(dh: &Tensor, x: &Tensor, y: &Tensor, h: &Tensor) -> Result<Tensor> {
    if autograd::is_enabled() {
        return composed(dh, x, y, h);
    }
    Tensor::run(Op::GruCellBackward(GruCellBackward), &[dh, x, y, h])
}

impl Tensor {
    /// Computes the elementwise part of a GRU step: the new hidden state, from the pre-activations of the input
    /// (`self`) and of the hidden state (`y`), both of shape `[.., 3, H]` (reset, update, new), and the hidden state
    /// `h` of shape `[.., H]`. FLOAT dtypes; all have the same one.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let gates = Tensor::zeros((1, 3, 2), DType::F32, &Device::Cpu)?;
    /// let h = Tensor::new(&[[2f32, -4.]], &Device::Cpu)?;
    /// assert_eq!(gates.gru_cell(&gates, &h)?.to_vec2::<f32>()?, [[1., -2.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn gru_cell(&self, y: &Self, h: &Self) -> Result<Self> {
        Tensor::run(Op::GruCell(GruCell), &[self, y, h])
    }
}
