//! One direction of a recurrent layer over a whole sequence.
//!
//! The caller computes the pre-activations from the inputs for the whole sequence, in one matrix product. Each step
//! then needs one product with the hidden state and the cell (`lstm_cell`, `gru_cell`, or an activation). A step of the
//! backward pass needs one product, too; the gradients of the weights are one product over all steps at the end.
use crate::autograd::{self, no_grad};
use crate::custom_op::CustomBackward;
use crate::ops::Grads;
use crate::ops::lstm_cell::part;
use crate::ops::{gru_cell, lstm_cell};
use crate::{Error, Result, Tensor};

/// The function that computes a step from its pre-activations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// `tanh` of one pre-activation (Elman 1990).
    Tanh,
    /// `relu` of one pre-activation.
    Relu,
    /// The gates of an LSTM: input, forget, cell, output.
    Lstm,
    /// The gates of a GRU: reset, update, new.
    Gru,
}

impl Cell {
    /// Number of gates.
    pub const fn gates(self) -> usize {
        match self {
            Self::Tanh | Self::Relu => 1,
            Self::Lstm => 4,
            Self::Gru => 3,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Tanh => "rnn_tanh",
            Self::Relu => "rnn_relu",
            Self::Lstm => "lstm",
            Self::Gru => "gru",
        }
    }
}

/// One direction of a recurrent layer.
///
/// ```
/// use rushlight::{DType, Device, Tensor, recurrent::{Cell, Recurrence}};
/// let weight = Tensor::new(&[[0.5f32]], &Device::Cpu)?;
/// let layer = Recurrence { cell: Cell::Relu, sizes: &[1, 1, 1], reverse: false, weight: &weight, bias: None, projection: None };
/// let (gates, h) = (Tensor::new(&[[4f32], [0.], [1.]], &Device::Cpu)?, Tensor::zeros((1, 1), DType::F32, &Device::Cpu)?);
/// let (output, last, _) = layer.run(&gates, &h, None)?;
/// assert_eq!(output.to_vec2::<f32>()?, [[4.], [2.], [2.]]);
/// assert_eq!(last.to_vec2::<f32>()?, [[2.]]);
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Recurrence<'a> {
    /// The function of a step.
    pub cell: Cell,
    /// The number of sequences that are still running at each step; it never increases.
    pub sizes: &'a [usize],
    /// Whether the steps run from the last to the first.
    pub reverse: bool,
    /// The weight of the hidden state, of shape `[gates H, O]`, where `O` is the size of the hidden state.
    pub weight: &'a Tensor,
    /// For a GRU: the bias of the pre-activations from the hidden state, of shape `[3 H]`.
    pub bias: Option<&'a Tensor>,
    /// For an LSTM: the projection weight, of shape `[O, H]`. Without it, `O` is `H`.
    pub projection: Option<&'a Tensor>,
}

/// The settings of a direction, without its tensors.
#[derive(Debug, Clone)]
struct Settings {
    cell: Cell,
    sizes: Vec<usize>,
    /// Index of each step's first row.
    starts: Vec<usize>,
    reverse: bool,
    biased: bool,
    projected: bool,
    /// Size `H` of the cell.
    hidden: usize,
}

/// Values of a step that its gradient reads.
#[derive(Debug, Clone)]
struct Step {
    /// LSTM: the pre-activations; GRU: the pre-activations from the hidden state; others: the result.
    gates: Tensor,
    h: Tensor,
    c: Option<Tensor>,
    /// The hidden state before its projection.
    full: Option<Tensor>,
}

/// The tensors of a call, in the order of the tape's edges.
struct Inputs<'a> {
    gates: &'a Tensor,
    h: &'a Tensor,
    c: Option<&'a Tensor>,
    weight: &'a Tensor,
    bias: Option<&'a Tensor>,
    projection: Option<&'a Tensor>,
}

/// Returns the first `n` rows.
fn head(t: &Tensor, n: usize) -> Result<Tensor> {
    t.narrow(0, 0, n)
}

/// Returns the state `all` with the first rows replaced by `new`.
fn replaced(all: &Tensor, new: Tensor) -> Result<Tensor> {
    let (rows, n) = (all.dims()[0], new.dims()[0]);
    if n == rows { Ok(new) } else { Tensor::cat(&[new, all.narrow(0, n, rows - n)?], 0) }
}

impl Settings {
    fn order(&self) -> impl DoubleEndedIterator<Item = usize> {
        let (n, reverse) = (self.sizes.len(), self.reverse);
        (0..n).map(move |t| if reverse { n - 1 - t } else { t })
    }

    fn rows(&self) -> usize {
        self.sizes.iter().sum()
    }

    fn inputs<'a>(&self, all: &'a [Tensor]) -> Result<Inputs<'a>> {
        let mut rest = all.iter();
        let mut next = || rest.next().ok_or_else(|| Error::invalid(self.cell.name(), "an input is missing"));
        Ok(Inputs {
            gates: next()?,
            h: next()?,
            c: if self.cell == Cell::Lstm { Some(next()?) } else { None },
            weight: next()?,
            bias: if self.biased { Some(next()?) } else { None },
            projection: if self.projected { Some(next()?) } else { None },
        })
    }

    /// Runs the steps. Returns the hidden states of all steps, then the last hidden and cell states, concatenated in
    /// one dimension. `keep` receives the values that the gradient reads.
    fn forward(&self, x: &Inputs<'_>, mut keep: Option<&mut Vec<Option<Step>>>) -> Result<Tensor> {
        let mut transposed = x.weight.t()?;
        if transposed.device().is_cpu() {
            // Every step reads all of it; rows need no packing.
            transposed = transposed.contiguous()?;
        }
        let projection = x.projection.map(Tensor::t).transpose()?;
        let (mut h, mut c) = (x.h.clone(), x.c.cloned());
        let mut outputs: Vec<Option<Tensor>> = vec![None; self.sizes.len()];
        for t in self.order() {
            let n = self.sizes[t];
            let (before, input) = (head(&h, n)?, x.gates.narrow(0, self.starts[t], n)?);
            let mut step = Step { gates: input.clone(), h: before.clone(), c: None, full: None };
            let mut new = match self.cell {
                Cell::Lstm => {
                    let state = c.as_ref().ok_or_else(|| Error::invalid("lstm", "needs a cell state"))?;
                    let old = head(state, n)?;
                    let pre = input.addmm(&before, &transposed, 1.0, 1.0)?.reshape((n, 4, self.hidden))?;
                    let both = pre.lstm_cell(&old)?;
                    c = Some(replaced(state, both.get(1)?)?);
                    (step.gates, step.c) = (pre, Some(old));
                    both.get(0)?
                }
                Cell::Gru => {
                    let y = match x.bias {
                        Some(bias) => bias.addmm(&before, &transposed, 1.0, 1.0)?,
                        None => before.matmul(&transposed)?,
                    };
                    step.gates = y.reshape((n, 3, self.hidden))?;
                    input.reshape((n, 3, self.hidden))?.gru_cell(&step.gates, &before)?
                }
                Cell::Tanh | Cell::Relu => {
                    let pre = input.addmm(&before, &transposed, 1.0, 1.0)?;
                    step.gates = if self.cell == Cell::Tanh { pre.tanh()? } else { pre.relu()? };
                    step.gates.clone()
                }
            };
            if let Some(w) = &projection {
                step.full = Some(new.clone());
                new = new.matmul(w)?;
            }
            h = replaced(&h, new.clone())?;
            outputs[t] = Some(new);
            if let Some(kept) = keep.as_deref_mut() {
                kept[t] = Some(step);
            }
        }
        let all: Vec<Tensor> =
            outputs.iter().flatten().chain([&h]).chain(&c).map(Tensor::flatten_all).collect::<Result<_>>()?;
        Tensor::cat(&all, 0)
    }

    /// Returns the gradients of the inputs, given the gradient of the tensor that `forward` returns.
    fn backward(&self, x: &Inputs<'_>, steps: &[Option<Step>], grad: &Tensor) -> Result<Grads> {
        let (rows, wide) = (self.rows(), x.h.dims()[1]);
        let outputs = head(grad, rows * wide)?.reshape((rows, wide))?;
        let mut dh = grad.narrow(0, rows * wide, x.h.elem_count())?.reshape(x.h.shape())?;
        let mut dc =
            x.c.map(|c| grad.narrow(0, rows * wide + x.h.elem_count(), c.elem_count())?.reshape(c.shape()))
                .transpose()?;
        let none = || vec![None; self.sizes.len()];
        // For each step: the gradients of the pre-activations from the input and from the hidden state, and of the
        // projected states.
        let (mut of_input, mut of_hidden, mut of_projected) = (none(), none(), none());
        for t in self.order().rev() {
            let n = self.sizes[t];
            let step = steps.get(t).and_then(Option::as_ref);
            let step = step.ok_or_else(|| Error::invalid(self.cell.name(), "a step was not kept"))?;
            let mut from = (head(&dh, n)? + outputs.narrow(0, self.starts[t], n)?)?;
            if let Some(w) = x.projection {
                of_projected[t] = Some(from.clone());
                from = from.matmul(w)?;
            }
            let before = match (self.cell, &dc, &step.c) {
                (Cell::Lstm, Some(state), Some(c)) => {
                    let all = lstm_cell::backward(&from, &head(state, n)?, &step.gates, c)?;
                    let gates = part(&all, 0, 4, self.hidden)?;
                    dc = Some(replaced(state, part(&all, 4, 1, self.hidden)?)?);
                    let before = gates.matmul(x.weight)?;
                    of_input[t] = Some(gates);
                    before
                }
                (Cell::Lstm, ..) => return Err(Error::invalid("lstm", "needs a cell state")),
                (Cell::Gru, ..) => {
                    let input = x.gates.narrow(0, self.starts[t], n)?.reshape((n, 3, self.hidden))?;
                    let all = gru_cell::backward(&from, &input, &step.gates, &step.h)?;
                    let gates = part(&all, 3, 3, self.hidden)?;
                    let before = part(&all, 6, 1, self.hidden)?.addmm(&gates, x.weight, 1.0, 1.0)?;
                    of_input[t] = Some(part(&all, 0, 3, self.hidden)?);
                    of_hidden[t] = Some(gates);
                    before
                }
                (Cell::Tanh | Cell::Relu, ..) => {
                    let y = &step.gates;
                    let gates = match self.cell {
                        Cell::Tanh => (from * y.sqr()?.affine(-1.0, 1.0)?)?,
                        _ => y.gt(&y.zeros_like()?)?.where_cond(&from, &from.zeros_like()?)?,
                    };
                    let before = gates.matmul(x.weight)?;
                    of_input[t] = Some(gates);
                    before
                }
            };
            dh = replaced(&dh, before)?;
        }
        let joined = |all: &[Option<Tensor>]| Tensor::cat(&all.iter().flatten().collect::<Vec<_>>(), 0);
        let of_steps = |f: &dyn Fn(&Step) -> Option<Tensor>| {
            joined(&steps.iter().map(|s| s.as_ref().and_then(f)).collect::<Vec<_>>())
        };
        let dx = joined(&of_input)?;
        let dy = if self.cell == Cell::Gru { joined(&of_hidden)? } else { dx.clone() };
        let weight = dy.t()?.matmul(&of_steps(&|s| Some(s.h.clone()))?)?;
        let mut all = Grads::new();
        all.extend([Some(dx), Some(dh)]);
        all.extend(dc.map(Some));
        all.push(Some(weight));
        if self.biased {
            all.push(Some(dy.sum(0)?));
        }
        if self.projected {
            let full = of_steps(&|s| s.full.clone())?;
            all.push(Some(joined(&of_projected)?.t()?.matmul(&full)?));
        }
        Ok(all)
    }
}

/// A sequence as the tape stores it.
#[derive(Debug)]
struct Backward {
    settings: Settings,
    steps: Vec<Option<Step>>,
}

impl CustomBackward for Backward {
    fn name(&self) -> &'static str {
        self.settings.cell.name()
    }

    fn backward(&self, inputs: &[Tensor], _: &Tensor, grad: &Tensor) -> Result<Grads> {
        let x = self.settings.inputs(inputs)?;
        if !autograd::is_enabled() {
            return self.settings.backward(&x, &self.steps, grad);
        }
        // Run the steps again, recorded, so that second derivatives flow through them.
        let mut steps = vec![None; self.steps.len()];
        self.settings.forward(&x, Some(&mut steps))?;
        self.settings.backward(&x, &steps, grad)
    }
}

impl Recurrence<'_> {
    /// Runs the steps. `gates` holds the pre-activations from the inputs, of shape `[n, gates H]`, with the rows of the
    /// first step first. `h` holds the initial hidden states of shape `[B, O]`, and `c` the cell states of an LSTM, of
    /// shape `[B, H]`. Returns the hidden states of all rows, of shape `[n, O]`, and the last hidden and cell states.
    /// FLOAT dtypes; all tensors have the same one.
    ///
    /// # Errors
    /// If sizes increase or do not match the tensors, or shapes do not fit.
    pub fn run(
        &self,
        gates: &Tensor,
        h: &Tensor,
        c: Option<&Tensor>,
    ) -> Result<(Tensor, Tensor, Option<Tensor>)> {
        let settings = self.settings(gates, h, c)?;
        let ins: Vec<Tensor> = [Some(gates), Some(h), c, Some(self.weight), self.bias, self.projection]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let x = settings.inputs(&ins)?;
        let tracked = autograd::is_enabled() && ins.iter().any(|t| t.node().is_some());
        let mut steps = vec![None; settings.sizes.len()];
        let mut out = no_grad(|| settings.forward(&x, tracked.then_some(&mut steps)))?;
        let (rows, wide) = (settings.rows(), h.dims()[1]);
        if tracked {
            let refs: Vec<&Tensor> = ins.iter().collect();
            let node = autograd::record_custom(Box::new(Backward { settings, steps }), &refs, &out);
            out = out.with_node(node);
        }
        let state = |start, like: &Tensor| out.narrow(0, start, like.elem_count())?.reshape(like.shape());
        let end = rows * wide;
        let last = c.map(|c| state(end + h.elem_count(), c)).transpose()?;
        Ok((head(&out, end)?.reshape((rows, wide))?, state(end, h)?, last))
    }

    /// Checks the shapes, and returns the settings.
    fn settings(&self, gates: &Tensor, h: &Tensor, c: Option<&Tensor>) -> Result<Settings> {
        let name = self.cell.name();
        let bad = |msg: String| Err(Error::invalid(name, msg));
        let (Some(&batch), true) = (self.sizes.first(), self.sizes.windows(2).all(|w| w[0] >= w[1])) else {
            return bad(format!(
                "needs the sizes of at least one step, which never rise, got {:?}",
                self.sizes
            ));
        };
        if (self.cell == Cell::Lstm) != c.is_some() {
            return bad("an LSTM, and no other cell, has a cell state".to_string());
        }
        if (self.bias.is_some() && self.cell != Cell::Gru)
            || (self.projection.is_some() && self.cell != Cell::Lstm)
        {
            return bad("only a GRU has a bias here, and only an LSTM a projection".to_string());
        }
        let [wide, tall] = match (self.weight.dims(), h.dims()) {
            (&[tall, k], &[b, wide]) if k == wide && b == batch && tall % self.cell.gates() == 0 => {
                [wide, tall]
            }
            (weight, h) => {
                return bad(format!(
                    "hidden states of shape {h:?} do not fit {batch} sequences and the weight of shape {weight:?}"
                ));
            }
        };
        let hidden = tall / self.cell.gates();
        let rows: usize = self.sizes.iter().sum();
        let shapes = [
            ("pre-activations", Some(gates), vec![rows, tall]),
            ("cell states", c, vec![batch, hidden]),
            ("bias", self.bias, vec![tall]),
            ("projection", self.projection, vec![wide, hidden]),
        ];
        for (what, t, expected) in shapes {
            if let Some(t) = t.filter(|t| t.dims() != expected) {
                return bad(format!("{what}: expected shape {expected:?}, got {:?}", t.dims()));
            }
        }
        if self.projection.is_none() && wide != hidden {
            return bad(format!("hidden states have size {wide}, the cell has {hidden}"));
        }
        let starts = self.sizes.iter().scan(0, |sum, n| {
            *sum += n;
            Some(*sum - n)
        });
        Ok(Settings {
            cell: self.cell,
            sizes: self.sizes.to_vec(),
            starts: starts.collect(),
            reverse: self.reverse,
            biased: self.bias.is_some(),
            projected: self.projection.is_some(),
            hidden,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, Var};

    /// Returns the sum of squares of all gradients of a direction.
    fn squares(back: &Backward, tensors: &[Tensor], cotangent: &Tensor) -> Result<Tensor> {
        let all = back.backward(tensors, cotangent, cotangent)?;
        let mut sum = Tensor::zeros((), cotangent.dtype(), cotangent.device())?;
        for g in all.iter().flatten() {
            sum = (sum + g.sqr()?.sum_all()?)?;
        }
        Ok(sum)
    }

    #[test]
    fn gradients_of_gradients_agree_with_finite_differences() -> Result<()> {
        let draw = |shape: &[usize]| Tensor::randn(0f64, 1.0, shape, &Device::Cpu);
        for (cell, reverse, projected) in [
            (Cell::Tanh, false, false),
            (Cell::Relu, false, false),
            (Cell::Lstm, true, true),
            (Cell::Lstm, false, false),
            (Cell::Gru, true, false),
        ] {
            let (hidden, wide, tall) = (2, if projected { 1 } else { 2 }, 2 * cell.gates());
            let mut shapes = vec![vec![4, tall], vec![2, wide]];
            shapes.extend((cell == Cell::Lstm).then(|| vec![2, hidden]));
            shapes.push(vec![tall, wide]);
            shapes.extend((cell == Cell::Gru).then(|| vec![tall]));
            shapes.extend(projected.then(|| vec![wide, hidden]));
            let tensors = shapes.iter().map(|s| draw(s)).collect::<Result<Vec<_>>>()?;
            let (sizes, starts) = (vec![2, 1, 1], vec![0, 2, 3]);
            let biased = cell == Cell::Gru;
            let settings = Settings { cell, sizes, starts, reverse, biased, projected, hidden };
            let of_states = if cell == Cell::Lstm { 2 * hidden } else { 0 };
            let cotangent = draw(&[6 * wide + of_states])?;
            let value = |tensors: &[Tensor]| -> Result<f64> {
                no_grad(|| {
                    let mut steps = vec![None; 3];
                    settings.forward(&settings.inputs(tensors)?, Some(&mut steps))?;
                    let back = Backward { settings: settings.clone(), steps };
                    squares(&back, tensors, &cotangent)?.to_scalar::<f64>()
                })
            };
            let vars = tensors.iter().map(Var::from_tensor).collect::<Result<Vec<_>>>()?;
            let leaves: Vec<Tensor> = vars.iter().map(|v| v.as_tensor().clone()).collect();
            let back = Backward { settings: settings.clone(), steps: vec![None; 3] };
            let whole = squares(&back, &leaves, &cotangent)?;
            assert!((whole.to_scalar::<f64>()? - value(&tensors)?).abs() < 1e-12);
            let grads = whole.backward()?;
            for (i, var) in vars.iter().enumerate() {
                let Some(grad) = grads.get(var) else { panic!("{cell:?}: no gradient of input {i}") };
                let way = draw(&shapes[i])?;
                let moved = |step: f64| -> Result<f64> {
                    let mut all = tensors.clone();
                    all[i] = (&tensors[i] + way.affine(step, 0.0)?)?;
                    value(&all)
                };
                let want = (moved(1e-5)? - moved(-1e-5)?) / 2e-5;
                let got = (grad * &way)?.sum_all()?.to_scalar::<f64>()?;
                assert!((got - want).abs() < 1e-6 * want.abs().max(1.0), "{cell:?} {i}: {got} {want}");
            }
        }
        Ok(())
    }
}
