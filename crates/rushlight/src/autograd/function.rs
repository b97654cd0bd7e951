//! User-defined functions with a custom gradient, and any number of inputs and outputs.
use super::tape::{Edge, Node, output_of, record_function};
use super::{GradFn, is_enabled};
use crate::handle::Handle;
use crate::ops::Meta;
use crate::{Device, Error, Result, Tensor};
use std::any::Any;
use std::sync::Arc;

/// The gradient of a user-defined function.
pub trait Function: Send + Sync {
    /// Name of the function, for errors and [`Tensor::grad_fn`].
    fn name(&self) -> &'static str;

    /// Returns the gradients of the inputs, in order, from the gradients of the outputs. `saved` holds the tensors that
    /// were saved. `grads` holds `None` for an output that no gradient reached, or zeros unless
    /// [`FunctionOptions::keep_none`] is set.
    ///
    /// # Errors
    /// An error ends the walk.
    fn backward(&self, saved: &[Option<Tensor>], grads: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>>;

    /// Returns the function itself, for a language binding that looks for its objects in a graph.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

/// A saved tensor.
enum Saved {
    None,
    /// An input, by index: the tensor is stored in the edge.
    Input(usize),
    /// An output: its index, the tensor without its node, and its version.
    Output(usize, Tensor, u64),
    /// Another tensor, such as an intermediate result, and its version.
    Other(Tensor, u64),
}

/// The data of a function's node on the tape.
pub(crate) struct FunctionNode {
    function: Arc<dyn Function>,
    outputs: Vec<(Meta, Device)>,
    saved: Vec<Saved>,
    /// Whether an output that no gradient reached gets zeros instead of `None`.
    zeros: bool,
}

impl std::fmt::Debug for FunctionNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Options of [`apply`].
#[derive(Debug, Clone, Default)]
pub struct FunctionOptions {
    /// Tensors that `backward` reads: inputs, outputs or others.
    pub saved: Vec<Option<Tensor>>,
    /// Indices of outputs that have no gradient.
    pub constant: Vec<usize>,
    /// Whether `backward` gets `None`, instead of zeros, for an output that no gradient reached.
    pub keep_none: bool,
}

/// Records that `function` computed `outputs` from `inputs`, and returns the outputs as parts of the gradient graph. If
/// nothing is recorded, it returns the outputs unchanged. Outputs that are not floating-point have no gradient.
///
/// ```
/// use rushlight::{autograd::{self, Function, FunctionOptions}, Device, Result, Tensor, Var};
/// use std::sync::Arc;
/// struct Double;
/// impl Function for Double {
///     fn name(&self) -> &'static str { "double" }
///     fn backward(&self, _: &[Option<Tensor>], g: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
///         Ok(vec![g[0].as_ref().map(|g| g * 2.0).transpose()?])
///     }
/// }
/// let x = Var::new(&[1f32, 2.], &Device::Cpu)?;
/// let y = autograd::no_grad(|| &*x * 2.0)?;
/// let y = autograd::apply(Arc::new(Double), &[&x], vec![y], FunctionOptions::default())?.remove(0);
/// assert_eq!(y.backward()?.get(&x).unwrap().to_vec1::<f32>()?, [2., 2.]);
/// # Ok::<(), rushlight::Error>(())
/// ```
///
/// # Errors
/// None at present. The signature allows for checks to be added.
pub fn apply(
    function: Arc<dyn Function>,
    inputs: &[&Tensor],
    outputs: Vec<Tensor>,
    options: FunctionOptions,
) -> Result<Vec<Tensor>> {
    if !is_enabled() || inputs.iter().all(|t| !t.track_op()) {
        return Ok(outputs.iter().map(Tensor::detach).collect());
    }
    let (mut reads, mut saved) = (0u32, Vec::with_capacity(options.saved.len()));
    let is = |a: &Tensor, b: &Tensor| Handle::same(&a.0, &b.0);
    for t in options.saved {
        saved.push(match t {
            None => Saved::None,
            Some(t) => {
                if let Some(i) = inputs.iter().position(|x| is(x, &t)) {
                    reads |= 1 << i.min(31);
                    Saved::Input(i)
                } else if let Some(i) = outputs.iter().position(|y| is(y, &t)) {
                    let version = t.version();
                    Saved::Output(i, t.detach(), version)
                } else {
                    let version = t.version();
                    Saved::Other(t, version)
                }
            }
        });
    }
    let name = function.name();
    let metas =
        outputs.iter().map(|t| (Meta::new(t.shape().clone(), t.dtype()), t.device().clone())).collect();
    let node = FunctionNode { function, outputs: metas, saved, zeros: !options.keep_none };
    let node = record_function(node, inputs, reads);
    let attach = |(i, t): (usize, &Tensor)| {
        if options.constant.contains(&i) || !t.dtype().is_inexact() {
            return t.detach();
        }
        t.with_node(Some(output_of(&node, i, name, t.shape(), t.dtype())))
    };
    Ok(outputs.iter().enumerate().map(attach).collect())
}

impl FunctionNode {
    pub(super) fn name(&self) -> &'static str {
        self.function.name()
    }

    pub(super) fn outputs(&self) -> usize {
        self.outputs.len()
    }

    pub(super) fn visit(&self, see: &mut dyn FnMut(&dyn Any)) {
        if let Some(object) = self.function.as_any() {
            see(object);
        }
    }

    /// Runs the function's `backward`. `node` is the function's node. If the walk records, the saved tensors are passed
    /// with their graphs.
    pub(super) fn run(
        &self,
        node: &Handle<Node>,
        mut grads: Vec<Option<Tensor>>,
        records: bool,
    ) -> Result<Vec<Option<Tensor>>> {
        if self.zeros {
            for (g, (meta, device)) in grads.iter_mut().zip(&self.outputs) {
                if g.is_none() {
                    *g = Some(Tensor::zeros(meta.shape.clone(), meta.dtype, device)?);
                }
            }
        }
        let check = |t: &Tensor, expected: u64| {
            let found = t.version();
            if found == expected {
                return Ok(());
            }
            let (op, shape) = (self.name(), t.shape().clone());
            Err(Error::ChangedAfterUse { op, shape, expected, found }.bt())
        };
        let mut saved = Vec::with_capacity(self.saved.len());
        for s in &self.saved {
            saved.push(match s {
                Saved::None => None,
                Saved::Input(i) => {
                    let Some(Edge::Saved(t, version)) = node.edges.get(*i) else {
                        return Err(Error::gradient(self.name(), "a saved input is missing"));
                    };
                    check(t, *version)?;
                    Some(if records { t.clone() } else { t.detach() })
                }
                Saved::Output(i, t, version) => {
                    check(t, *version)?;
                    let again = || output_of(node, *i, self.name(), t.shape(), t.dtype());
                    Some(if records && t.dtype().is_inexact() {
                        t.with_node(Some(again()))
                    } else {
                        t.clone()
                    })
                }
                Saved::Other(t, version) => {
                    check(t, *version)?;
                    Some(if records { t.clone() } else { t.detach() })
                }
            });
        }
        let found = self.function.backward(&saved, &grads)?;
        let inputs = node.edges.len as usize;
        if found.len() != inputs {
            return Err(Error::gradient(
                self.name(),
                format!("its backward returned {} gradients for {inputs} inputs", found.len()),
            ));
        }
        Ok(found)
    }
}

/// Returns the function's node of an `Output` node, and the index of the output.
pub(super) fn output(node: &Node) -> Option<(&Handle<Node>, usize)> {
    match node.rule {
        GradFn::Output { index, .. } => Some((node.edges.get(0)?.node()?, index)),
        _ => None,
    }
}
