//! Gradient rules: of the list's ops by their definitions, of views, joins and moves here.
use super::backward::Plan;
use super::function::FunctionNode;
use super::tape::{Edge, Node};
use crate::custom_op::CustomBackward;
use crate::handle::Handle;
use crate::ops::{Grads, Meta, Op, grads};
use crate::shape::MAX_RANK;
use crate::{Device, Error, Result, Shape, Tensor};
use std::sync::Mutex;

/// How a tensor was computed, which decides where its gradient goes.
#[derive(Debug)]
pub(crate) enum GradFn {
    /// With what `backward_accumulate` has gathered.
    Leaf(Mutex<Option<Tensor>>),
    Op(Op),
    Reshape,
    /// `len` entries of a dimension from `start`, `step` apart.
    Slice {
        dim: usize,
        start: usize,
        step: usize,
    },
    /// The index that each dimension had before.
    Permute([u8; MAX_RANK]),
    Broadcast,
    /// Windows of a dimension, `step` apart, as a new last dimension.
    Unfold {
        dim: usize,
        step: usize,
    },
    /// Joined along a dimension from pieces of these lengths.
    Cat {
        dim: usize,
        lens: Vec<usize>,
    },
    ToDevice(Device),
    Custom(Box<dyn CustomBackward>),
    /// A function of the user with any number of outputs, whose nodes are `Output`.
    Function(Box<FunctionNode>),
    /// Output `index` of the function that is the only input.
    Output {
        index: usize,
        name: &'static str,
    },
    /// Zeros with the tensor as the entries that `Slice` takes.
    SliceGrad {
        dim: usize,
        start: usize,
        step: usize,
    },
    /// The sums over the windows that `Unfold` makes.
    UnfoldGrad {
        dim: usize,
        step: usize,
    },
}

impl GradFn {
    pub(crate) fn permute(order: &[usize]) -> Self {
        let mut from = [0; MAX_RANK];
        from.iter_mut().zip(order).for_each(|(f, &o)| *f = o as u8);
        Self::Permute(from)
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Leaf(_) => "leaf",
            Self::Op(op) => op.name(),
            Self::Reshape => "reshape",
            Self::Slice { .. } => "narrow",
            Self::Permute(_) => "permute",
            Self::Broadcast => "broadcast_as",
            Self::Unfold { .. } => "unfold",
            Self::Cat { .. } => "cat",
            Self::ToDevice(_) => "to_device",
            Self::Custom(c) => c.name(),
            Self::Function(f) => f.name(),
            Self::Output { name, .. } => name,
            Self::SliceGrad { .. } => "narrow_backward",
            Self::UnfoldGrad { .. } => "unfold_backward",
        }
    }
}

/// The arguments of a gradient rule: the output's gradient, and the values that the op's definition says it reads.
pub struct Vjp<'a> {
    node: &'a Handle<Node>,
    grad: &'a Tensor,
    plan: Option<&'a Plan>,
    records: bool,
}

impl<'a> Vjp<'a> {
    pub(super) fn new(
        node: &'a Handle<Node>,
        grad: &'a Tensor,
        plan: Option<&'a Plan>,
        records: bool,
    ) -> Self {
        Self { node, grad, plan, records }
    }

    /// Whether the rule's ops are recorded, because gradients of the gradient may be asked for (`create_graph`). A rule that
    /// changes a tensor in place must then do without, and an op without a gradient must be composed of others.
    pub fn records(&self) -> bool {
        self.records
    }

    /// Gradient of the output.
    pub fn grad(&self) -> &Tensor {
        self.grad
    }

    /// Name of the op.
    pub fn op_name(&self) -> &'static str {
        self.node.rule.name()
    }

    /// Whether input `i` wants a gradient.
    pub fn needs(&self, i: usize) -> bool {
        let node = self.node.edges.get(i).and_then(|e| e.node());
        node.is_some_and(|n| self.plan.is_none_or(|p| p.needs(n)))
    }

    /// A gradient, computed only if input `i` wants it.
    pub fn when(&self, i: usize, f: impl FnOnce() -> Result<Tensor>) -> Result<Option<Tensor>> {
        self.needs(i).then(f).transpose()
    }

    /// Returns the values of input `i`, which the op's definition names for a gradient that is wanted. An error when they were changed in place
    /// since.
    pub fn input(&self, i: usize) -> Result<Tensor> {
        let Some(Edge::Saved(t, version)) = self.node.edges.get(i) else {
            return Err(Error::invalid(self.op_name(), "its gradient rule reads an input it did not save"));
        };
        self.check_version(*version, t.version(), t.shape())?;
        // Part of its graph if gradients of the gradient may be asked for.
        Ok(if self.records { t.clone() } else { t.detach() })
    }

    /// Returns the values of the output, if the definition's `reads` names it.
    pub fn output(&self) -> Result<Tensor> {
        let Some(o) = &self.node.output else {
            return Err(Error::invalid(self.op_name(), "its gradient rule reads the output it did not save"));
        };
        self.check_version(o.version, o.cell.version(), &self.node.shape)?;
        let node = self.records.then(|| self.node.clone());
        let device = self.grad.device().clone();
        Tensor::over(o.cell.clone(), self.node.shape.clone(), self.node.dtype, device, node)
    }

    /// Returns gradients of the inputs by the tape of `f`, which computes the op's result from its inputs with other ops. All
    /// inputs must be saved. For ops whose gradient is asked for rarely: gradients of gradients.
    pub(crate) fn composed(&self, f: impl FnOnce(&[Tensor]) -> Result<Tensor>) -> Result<Grads> {
        let count = self.node.edges.len as usize;
        let mut at = Vec::with_capacity(count);
        for i in 0..count {
            let t = self.input(i)?;
            // A node here, where this walk ends.
            at.push(match (self.needs(i), t.track_op()) {
                (true, true) => t.view(t.layout(), || GradFn::Reshape)?,
                (true, false) => t.leaf(),
                (false, _) => t,
            });
        }
        let out = super::with_enabled(true, || f(&at))?;
        let wanted: Vec<&Tensor> =
            at.iter().enumerate().filter(|(i, _)| self.needs(*i)).map(|(_, t)| t).collect();
        let options = super::GradOptions { create_graph: self.records, allow_unused: true };
        let mut found = super::grad(&[&out], &wanted, &[Some(self.grad.clone())], options)?.into_iter();
        Ok((0..count).map(|i| if self.needs(i) { found.next().flatten() } else { None }).collect())
    }

    fn check_version(&self, expected: u64, found: u64, shape: &Shape) -> Result<()> {
        if expected == found {
            return Ok(());
        }
        Err(Error::ChangedAfterUse { op: self.op_name(), shape: shape.clone(), expected, found }.bt())
    }

    /// Shape and dtype of input `i`, if it wants a gradient or was saved.
    pub fn meta(&self, i: usize) -> Result<Meta> {
        match self.node.edges.get(i) {
            Some(Edge::Node(n)) => Ok(Meta::new(n.shape.clone(), n.dtype)),
            Some(Edge::Saved(t, _)) => Ok(Meta::new(t.shape().clone(), t.dtype())),
            _ => Err(Error::invalid(self.op_name(), "its gradient rule asks for an input it did not save")),
        }
    }

    /// Gradients of the node's inputs.
    pub(super) fn grads(&self) -> Result<Grads> {
        let g = self.grad;
        match &self.node.rule {
            GradFn::Leaf(_) => Ok(Grads::new()),
            GradFn::Op(op) => op.vjp(self),
            GradFn::Reshape => grads![g.reshape(self.meta(0)?.shape)?],
            GradFn::Slice { dim, start, step } => {
                let all = Tensor::zeros(self.meta(0)?.shape, g.dtype(), g.device())?;
                all.slice(*dim, *start, g.dims()[*dim], *step)?.write(g)?;
                let (dim, start, step) = (*dim, *start, *step);
                grads![self.recorded(all, || GradFn::SliceGrad { dim, start, step })]
            }
            GradFn::Permute(perm) => {
                let mut back = vec![0; g.rank()];
                perm.iter().take(g.rank()).enumerate().for_each(|(new, &old)| back[usize::from(old)] = new);
                grads![g.permute(back)?]
            }
            GradFn::Broadcast => {
                let to = self.meta(0)?.shape;
                let added = g.rank() - to.rank();
                let axes = (0..g.rank())
                    .filter(|&i| i < added || (to.dims()[i - added] == 1 && g.dims()[i] != 1))
                    .fold(0u32, |m, i| m | 1 << i);
                let sum = g.reduce(crate::ops::reduce::ReduceOp::Sum, axes, true, g.dtype())?;
                grads![sum.reshape(to)?]
            }
            GradFn::Unfold { dim, step } => {
                // Windows overlap: each element of the window is one strided sum into the input.
                let mut all = Tensor::zeros(self.meta(0)?.shape, g.dtype(), g.device())?;
                let g = &g.detach();
                let last = g.rank() - 1;
                for i in 0..g.dims()[last] {
                    let part = Tensor::zeros(all.shape(), g.dtype(), g.device())?;
                    let to = part.slice(*dim, i, g.dims()[*dim], *step)?;
                    to.write(&g.narrow(last, i, 1)?.squeeze(last)?)?;
                    all = all.add(&part)?;
                }
                let (dim, step) = (*dim, *step);
                grads![self.recorded(all, || GradFn::UnfoldGrad { dim, step })]
            }
            GradFn::Cat { dim, lens } => {
                let mut start = 0;
                let mut out = Grads::new();
                for (i, &len) in lens.iter().enumerate() {
                    out.push(self.when(i, || g.narrow(*dim, start, len))?);
                    start += len;
                }
                Ok(out)
            }
            GradFn::SliceGrad { dim, start, step } => {
                grads![g.slice(*dim, *start, self.meta(0)?.shape.dims()[*dim], *step)?]
            }
            GradFn::UnfoldGrad { dim, step } => {
                let windows = self.meta(0)?.shape;
                grads![g.unfold(*dim, windows.dims()[windows.rank() - 1], *step)?]
            }
            // The walk hands the gradients of all outputs to the function at once.
            GradFn::Function(_) | GradFn::Output { .. } => Ok(Grads::new()),
            GradFn::ToDevice(from) => grads![g.to_device(from)?],
            GradFn::Custom(custom) => {
                let inputs: Vec<Tensor> =
                    (0..self.node.edges.len as usize).map(|i| self.input(i)).collect::<Result<_>>()?;
                custom.backward(&inputs, &self.output()?, g)
            }
        }
    }

    /// A tensor that was computed from the gradient in place, as part of the gradient's graph.
    fn recorded(&self, out: Tensor, rule: impl FnOnce() -> GradFn) -> Tensor {
        let node = super::record(rule, &[self.grad], out.shape(), out.dtype());
        if node.is_some() { out.with_node(node) } else { out }
    }
}
