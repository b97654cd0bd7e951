//! Gradient rules. An op's definition has the rule of the op; those of views, joins and copies between devices are
//! here.
use super::backward::Plan;
use super::function::FunctionNode;
use super::tape::{Edge, Node};
use crate::custom_op::CustomBackward;
use crate::handle::Handle;
use crate::ops::{Grads, Meta, Op, grads};
use crate::shape::MAX_RANK;
use crate::{Device, Error, Result, Shape, Tensor};
use std::sync::Mutex;

/// The computation that made a tensor, which determines its gradient rule.
#[derive(Debug)]
pub(crate) enum GradFn {
    /// A leaf, with the gradient that `backward_accumulate` has added up.
    Leaf(Mutex<Option<Tensor>>),
    /// The rule of this name, without its inputs: see [`Tensor::without_graph`].
    Freed(&'static str),
    Op(Op),
    Reshape,
    /// `len` elements of a dimension from `start` on, `step` apart.
    Slice {
        dim: usize,
        start: usize,
        step: usize,
    },
    /// For each dimension, its index before the permutation.
    Permute([u8; MAX_RANK]),
    Broadcast,
    /// Matrices that are symmetric, of which an op reads one triangle.
    Symmetric,
    /// Windows of a dimension, `step` elements apart, as a new last dimension.
    Unfold {
        dim: usize,
        step: usize,
    },
    /// A concatenation along a dimension of pieces with these lengths.
    Cat {
        dim: usize,
        lens: Vec<usize>,
    },
    ToDevice(Device),
    Custom(Box<dyn CustomBackward>),
    /// A user-defined function. Each of its outputs has an `Output` node.
    Function(Box<FunctionNode>),
    /// Output `index` of a function; the node's only input is the function's node.
    Output {
        index: usize,
        name: &'static str,
    },
    /// The gradient of `Slice`: zeros, except that the tensor is written at the elements of the slice.
    SliceGrad {
        dim: usize,
        start: usize,
        step: usize,
    },
    /// The gradient of `Unfold`: sums over the windows.
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
            Self::Freed(name) => name,
            Self::Op(op) => op.name(),
            Self::Reshape => "reshape",
            Self::Slice { .. } => "narrow",
            Self::Permute(_) => "permute",
            Self::Broadcast => "broadcast_as",
            Self::Symmetric => "symmetric",
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

/// The arguments of a gradient rule: the output's gradient, and the values that the op's definition declares in
/// `reads`.
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

    /// Whether the rule's ops are recorded, because the gradient may be differentiated in turn (`create_graph`). A rule
    /// must then not change tensors in place, and must compose an op that has no gradient of differentiable ones.
    pub fn records(&self) -> bool {
        self.records
    }

    /// The gradient of the output.
    pub fn grad(&self) -> &Tensor {
        self.grad
    }

    /// Name of the op.
    pub fn op_name(&self) -> &'static str {
        self.node.rule.name()
    }

    /// Whether the gradient of input `i` is needed.
    pub fn needs(&self, i: usize) -> bool {
        let node = self.node.edges.get(i).and_then(|e| e.node());
        node.is_some_and(|n| self.plan.is_none_or(|p| p.needs(n)))
    }

    /// Computes a gradient with `f`, only if input `i` needs it.
    pub fn when(&self, i: usize, f: impl FnOnce() -> Result<Tensor>) -> Result<Option<Tensor>> {
        self.needs(i).then(f).transpose()
    }

    /// Returns the values of input `i`. The op's `reads_for` must declare them for a gradient that is needed. Fails if
    /// they have been changed in place since.
    pub fn input(&self, i: usize) -> Result<Tensor> {
        let Some(Edge::Saved(t, version)) = self.node.edges.get(i) else {
            return Err(Error::invalid(self.op_name(), "its gradient rule reads an input it did not save"));
        };
        self.check_version(*version, t.version(), t.shape())?;
        // If the gradient may be differentiated, the tensor is returned with its graph.
        Ok(if self.records { t.clone() } else { t.detach() })
    }

    /// Returns the values of the output. The op's `reads` must declare it.
    pub fn output(&self) -> Result<Tensor> {
        let Some(o) = &self.node.output else {
            return Err(Error::invalid(self.op_name(), "its gradient rule reads the output it did not save"));
        };
        self.check_version(o.version, o.cell.version(), &self.node.shape)?;
        let node = self.records.then(|| self.node.clone());
        let device = self.grad.device().clone();
        Tensor::over(o.cell.clone(), self.node.shape.clone(), self.node.dtype, device, node)
    }

    /// Computes the gradients of the inputs by recording `f`, which computes the op's result from its inputs with other
    /// ops, and differentiating that. All inputs must be saved. For gradients that are needed rarely, such as second
    /// derivatives.
    pub(crate) fn composed(&self, f: impl FnOnce(&[Tensor]) -> Result<Tensor>) -> Result<Grads> {
        let count = self.node.edges.len as usize;
        let mut at = Vec::with_capacity(count);
        for i in 0..count {
            let t = self.input(i)?;
            // Give each needed input a new node, at which the inner walk ends.
            at.push(match (self.needs(i), t.track_op()) {
                (true, true) => t.view(t.layout(), || GradFn::Reshape)?,
                (true, false) => t.leaf(),
                (false, _) => t,
            });
        }
        let out = super::with_enabled(true, || f(&at))?;
        if out.node().is_none() {
            // The result depends on no input that needs a gradient, so all gradients are 0.
            let zeros = |(i, t): (usize, &Tensor)| self.when(i, || t.detach().zeros_like());
            return at.iter().enumerate().map(zeros).collect();
        }
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

    /// Returns shape and dtype of input `i`. The input must need a gradient or be saved.
    pub fn meta(&self, i: usize) -> Result<Meta> {
        match self.node.edges.get(i) {
            Some(Edge::Node(n)) => Ok(Meta::new(n.shape.clone(), n.dtype)),
            Some(Edge::Saved(t, _)) => Ok(Meta::new(t.shape().clone(), t.dtype())),
            _ => Err(Error::invalid(self.op_name(), "its gradient rule asks for an input it did not save")),
        }
    }

    /// Returns the gradients of the node's inputs.
    pub(super) fn grads(&self) -> Result<Grads> {
        let g = self.grad;
        match &self.node.rule {
            GradFn::Leaf(_) => Ok(Grads::new()),
            GradFn::Freed(_) => Err(super::freed()),
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
            GradFn::Symmetric => grads![((g + g.t()?.conj()?)? * 0.5)?],
            GradFn::Unfold { dim, step } => {
                // Windows overlap, so each index within a window is added to the input separately, as one strided view.
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
            // The walk passes the gradients of all outputs to the function at once, so there is nothing to do here.
            GradFn::Function(_) | GradFn::Output { .. } => Ok(Grads::new()),
            GradFn::ToDevice(from) => grads![g.to_device(from)?],
            GradFn::Custom(custom) => {
                let inputs: Vec<Tensor> =
                    (0..self.node.edges.len as usize).map(|i| self.input(i)).collect::<Result<_>>()?;
                custom.backward(&inputs, &self.output()?, g)
            }
        }
    }

    /// Makes a result that was computed from the gradient in place a part of the gradient's graph.
    fn recorded(&self, out: Tensor, rule: impl FnOnce() -> GradFn) -> Tensor {
        let node = super::record(rule, &[self.grad], out.shape(), out.dtype());
        if node.is_some() { out.with_node(node) } else { out }
    }
}
