//! Gradient rules: of the list's ops by their definitions, of views, joins and moves here.
use super::tape::{Edge, Node};
use crate::custom_op::CustomBackward;
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
        }
    }
}

/// The arguments of a gradient rule: the output's gradient, and the values that the op's definition says it reads.
pub struct Vjp<'a> {
    node: &'a Node,
    grad: &'a Tensor,
}

impl<'a> Vjp<'a> {
    pub(super) fn new(node: &'a Node, grad: &'a Tensor) -> Self {
        Self { node, grad }
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
        self.node.edges.get(i).is_some_and(|e| e.node().is_some())
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
        Ok(t.detach())
    }

    /// Returns the values of the output, if the definition's `reads` names it.
    pub fn output(&self) -> Result<Tensor> {
        let Some(o) = &self.node.output else {
            return Err(Error::invalid(self.op_name(), "its gradient rule reads the output it did not save"));
        };
        self.check_version(o.version, o.cell.version(), &self.node.shape)?;
        Tensor::over(o.cell.clone(), self.node.shape.clone(), self.node.dtype, self.grad.device().clone())
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
                grads![all]
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
                let last = g.rank() - 1;
                for i in 0..g.dims()[last] {
                    let part = Tensor::zeros(all.shape(), g.dtype(), g.device())?;
                    let to = part.slice(*dim, i, g.dims()[*dim], *step)?;
                    to.write(&g.narrow(last, i, 1)?.squeeze(last)?)?;
                    all = all.add(&part)?;
                }
                grads![all]
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
            GradFn::ToDevice(from) => grads![g.to_device(from)?],
            GradFn::Custom(custom) => {
                let inputs: Vec<Tensor> =
                    (0..self.node.edges.len as usize).map(|i| self.input(i)).collect::<Result<_>>()?;
                custom.backward(&inputs, &self.output()?, g)
            }
        }
    }
}
