//! The tape: nodes and edges, how ops record them, and how a graph is dropped.
use super::{GradFn, is_enabled};
use crate::custom_op::CustomBackward;
use crate::handle::{Handle, Slot, Unique};
use crate::ops::Op;
use crate::storage::StorageCell;
use crate::{DType, Shape, Tensor, TensorId};
use smallvec::SmallVec;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One input of a node.
#[derive(Default)]
pub(super) enum Edge {
    /// Not tracked, and not read.
    #[default]
    None,
    /// Tracked, and not read.
    Node(Handle<Node>),
    /// Its values and their version, which the rule reads; the node is the tensor's.
    Saved(Tensor, u64),
}

/// A node's inputs. The first are fields, not a vector's: those are written in place, where a vector that is filled and
/// then moved makes the processor wait for its parts.
pub(super) struct Edges {
    first: [Edge; 3],
    more: Option<Box<[Edge]>>,
    pub(super) len: u32,
}

impl Edges {
    /// Edges to the inputs, with the values that a bit mask names.
    #[inline(always)]
    fn new(inputs: &[&Tensor], reads: u32) -> Self {
        let more = if inputs.len() > 3 { Self::more(inputs, reads) } else { None };
        let edge = |i| Edge::new(inputs, reads, i);
        Self { first: [edge(0), edge(1), edge(2)], more, len: inputs.len() as u32 }
    }

    #[cold]
    fn more(inputs: &[&Tensor], reads: u32) -> Option<Box<[Edge]>> {
        Some((3..inputs.len()).map(|i| Edge::new(inputs, reads, i)).collect())
    }

    pub(super) fn get(&self, i: usize) -> Option<&Edge> {
        self.first.get(i).or_else(|| self.more.as_ref()?.get(i - 3))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.first.iter().chain(self.more.iter().flat_map(|m| m.iter())).take(self.len as usize)
    }

    /// Gives all edges to a function.
    #[inline]
    fn take(&mut self, mut f: impl FnMut(Edge)) {
        self.first.iter_mut().take(self.len as usize).for_each(|edge| f(std::mem::take(edge)));
        if let Some(more) = self.more.take() {
            more.into_iter().for_each(f);
        }
        self.len = 0;
    }
}

/// A saved output: the storage only, since a tensor would hold its own node. Its device is the gradient's.
pub(super) struct SavedOutput {
    pub(super) cell: Handle<StorageCell>,
    pub(super) version: u64,
}

/// A node of the gradient graph.
pub(crate) struct Node {
    pub(super) id: TensorId,
    pub(super) rule: GradFn,
    pub(super) shape: Shape,
    pub(super) dtype: DType,
    pub(super) edges: Edges,
    pub(super) output: Option<SavedOutput>,
}

impl Node {
    pub(crate) fn leaf(shape: Shape, dtype: DType) -> Self {
        Self::new(GradFn::Leaf(Mutex::new(None)), shape, dtype, Edges::new(&[], 0), None)
    }

    #[inline(always)]
    fn new(rule: GradFn, shape: Shape, dtype: DType, edges: Edges, output: Option<SavedOutput>) -> Self {
        Self { id: TensorId::new(), rule, shape, dtype, edges, output }
    }

    pub(crate) fn id(&self) -> TensorId {
        self.id
    }

    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.rule, GradFn::Leaf(_))
    }

    /// The gathered gradient, of a leaf.
    pub(super) fn grad(&self) -> Option<MutexGuard<'_, Option<Tensor>>> {
        match &self.rule {
            GradFn::Leaf(grad) => Some(grad.lock().unwrap_or_else(PoisonError::into_inner)),
            _ => None,
        }
    }
}

impl Drop for Node {
    /// A node below that nothing else holds is taken apart here: its own drop would recurse.
    #[inline]
    fn drop(&mut self) {
        self.edges.take(|edge| {
            if let Some(node) = edge.last() {
                dismantle(node);
            }
        });
    }
}

/// Takes a graph apart with an explicit stack, so that a long chain does not overflow the thread's.
#[inline(never)]
fn dismantle(mut node: Unique<Node>) {
    let mut stack: SmallVec<[Edge; 3]> = SmallVec::new();
    node.edges.take(|edge| stack.push(edge));
    drop(node);
    while let Some(edge) = stack.pop() {
        if let Some(mut node) = edge.last() {
            node.edges.take(|edge| stack.push(edge));
        }
    }
}

impl Edge {
    /// The edge to input `i`, if there is one. (In registers, therefore always inline.)
    #[inline(always)]
    fn new(inputs: &[&Tensor], reads: u32, i: usize) -> Self {
        let Some(t) = inputs.get(i) else { return Self::None };
        if reads >> i.min(31) & 1 == 1 {
            return Self::Saved((*t).clone(), t.version());
        }
        t.node().map_or(Self::None, |n| Self::Node(n.clone()))
    }

    /// The input's node, if it is tracked.
    #[inline]
    pub(super) fn node(&self) -> Option<&Handle<Node>> {
        match self {
            Self::None => None,
            Self::Node(node) => Some(node),
            Self::Saved(t, _) => t.node(),
        }
    }

    /// Drops what the edge holds, but for the node if nothing else holds it.
    #[inline]
    fn last(self) -> Option<Unique<Node>> {
        match self {
            Self::None => None,
            Self::Node(node) => Handle::into_unique(node),
            Self::Saved(t, _) => Handle::into_unique(Handle::into_unique(t.0)?.node.take()?),
        }
    }
}

#[inline]
fn tracked(inputs: &[&Tensor]) -> bool {
    is_enabled() && inputs.iter().any(|t| t.node().is_some())
}

/// Records a view, join or move of tensors.
pub(crate) fn record(
    rule: impl FnOnce() -> GradFn,
    inputs: &[&Tensor],
    shape: &Shape,
    dtype: DType,
) -> Option<Handle<Node>> {
    tracked(inputs).then(|| {
        let (slot, rule) = (Slot::new(), rule());
        slot.fill(Node::new(rule, shape.clone(), dtype, Edges::new(inputs, 0), None))
    })
}

/// Records an op of the list; nothing when its output can carry no gradient.
#[inline(always)]
pub(crate) fn record_op(
    op: Op,
    inputs: &[&Tensor],
    shape: &Shape,
    dtype: DType,
    cell: &Handle<StorageCell>,
) -> Option<Handle<Node>> {
    // The op is moved only if it is kept.
    if tracked(inputs) && dtype.is_float() { record_tracked(op, inputs, shape, dtype, cell) } else { None }
}

fn record_tracked(
    op: Op,
    inputs: &[&Tensor],
    shape: &Shape,
    dtype: DType,
    cell: &Handle<StorageCell>,
) -> Option<Handle<Node>> {
    if let crate::ops::Differentiable::No(_) = op.differentiable() {
        return None;
    }
    let wanted = inputs.iter().enumerate().filter(|(_, t)| t.node().is_some());
    let reads = wanted.fold(crate::ops::Reads::NONE, |reads, (i, _)| reads.or(op.reads_for(i)));
    // First the memory, then what is written there: with both in hand a failure to get it would drop the parts, which
    // keeps them elsewhere until then.
    let slot = Slot::new();
    let output = reads.output.then(|| SavedOutput { version: cell.version(), cell: cell.clone() });
    let edges = Edges::new(inputs, reads.inputs);
    Some(slot.fill(Node::new(GradFn::Op(op), shape.clone(), dtype, edges, output)))
}

/// Records a custom op: all inputs and the output are kept.
pub(crate) fn record_custom(
    backward: Box<dyn CustomBackward>,
    inputs: &[&Tensor],
    out: &Tensor,
) -> Option<Handle<Node>> {
    if !tracked(inputs) {
        return None;
    }
    let cell = out.0.cell.clone();
    let output = SavedOutput { version: cell.version(), cell };
    let rule = GradFn::Custom(backward);
    let edges = Edges::new(inputs, u32::MAX);
    Some(Handle::new(Node::new(rule, out.shape().clone(), out.dtype(), edges, Some(output))))
}
