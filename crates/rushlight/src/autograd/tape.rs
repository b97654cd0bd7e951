//! The tape: its nodes and edges, how ops record them, and how a graph is dropped.
use super::function::FunctionNode;
use super::hooks::Hooks;
use super::{GradFn, is_enabled};
use crate::custom_op::CustomBackward;
use crate::handle::{Handle, Slot, Unique};
use crate::ops::Op;
use crate::storage::StorageCell;
use crate::{DType, Shape, Tensor, TensorId};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// One input of a node.
#[derive(Default)]
pub(super) enum Edge {
    /// Not part of a graph, and not read by the gradient rule.
    #[default]
    None,
    /// Part of a graph, and not read by the gradient rule.
    Node(Handle<Node>),
    /// Read by the gradient rule: the tensor, which also holds the node, and its version at recording.
    Saved(Tensor, u64),
}

/// The inputs of a node. The first three are fields, written straight to their final memory. Filling a vector and then
/// moving it would make the CPU wait for its stores.
pub(super) struct Edges {
    first: [Edge; 3],
    more: Option<Box<[Edge]>>,
    pub(super) len: u32,
}

impl Edges {
    /// Makes edges to the inputs. Bit i of `reads` selects the inputs whose values are saved.
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

    /// Takes all edges out and passes each to `f`.
    #[inline]
    fn take(&mut self, mut f: impl FnMut(Edge)) {
        self.first.iter_mut().take(self.len as usize).for_each(|edge| f(std::mem::take(edge)));
        if let Some(more) = self.more.take() {
            more.into_iter().for_each(f);
        }
        self.len = 0;
    }
}

/// A saved output: its storage only, because a tensor would hold its own node (a cycle). Its device is that of the
/// gradient.
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
    /// Hooks of the tensor, and the retained gradient of a node that is not a leaf.
    hooks: OnceLock<Arc<Hooks>>,
}

impl Node {
    pub(crate) fn leaf(shape: Shape, dtype: DType) -> Self {
        Self::new(GradFn::Leaf(Mutex::new(None)), shape, dtype, Edges::new(&[], 0), None)
    }

    /// Returns a node of the same tensor without inputs, at which a backward pass ends with an error. A leaf stays as it is.
    pub(crate) fn freed(node: &Handle<Self>) -> Handle<Self> {
        if node.is_leaf() {
            return node.clone();
        }
        let rule = GradFn::Freed(node.rule.name());
        let freed = Self::new(rule, node.shape.clone(), node.dtype, Edges::new(&[], 0), None);
        if let Some(hooks) = node.hooks() {
            freed.hooks.get_or_init(|| hooks.clone());
        }
        Handle::new(freed)
    }

    #[inline(always)]
    fn new(rule: GradFn, shape: Shape, dtype: DType, edges: Edges, output: Option<SavedOutput>) -> Self {
        Self { id: TensorId::new(), rule, shape, dtype, edges, output, hooks: OnceLock::new() }
    }

    /// Returns the hooks, if any were registered.
    #[inline]
    pub(super) fn hooks(&self) -> Option<&Arc<Hooks>> {
        self.hooks.get()
    }

    /// Returns the hooks, which are created at the first call.
    pub(super) fn hooks_or_new(&self) -> &Arc<Hooks> {
        self.hooks.get_or_init(Arc::default)
    }

    pub(crate) fn id(&self) -> TensorId {
        self.id
    }

    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.rule, GradFn::Leaf(_))
    }

    /// Locks the accumulated gradient of a leaf, or the retained gradient of another node.
    pub(super) fn grad(&self) -> Option<MutexGuard<'_, Option<Tensor>>> {
        let grad = match &self.rule {
            GradFn::Leaf(grad) => grad,
            _ => self.hooks.get()?.kept()?,
        };
        Some(grad.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes out the objects that may own tensors besides the edges: a user-defined function, hooks and an accumulated
    /// gradient. Their graphs may be long, too.
    #[inline]
    fn take_foreign(&mut self) -> Option<Foreign> {
        let hooks = self.hooks.take();
        let rule = match &mut self.rule {
            GradFn::Leaf(grad) => {
                let grad = grad.get_mut().unwrap_or_else(PoisonError::into_inner).take();
                return (grad.is_some() || hooks.is_some()).then_some(Foreign { hooks, grad, rule: None });
            }
            rule @ (GradFn::Function(_) | GradFn::Custom(_)) => {
                Some(std::mem::replace(rule, GradFn::Reshape))
            }
            _ if hooks.is_none() => return None,
            _ => None,
        };
        Some(Foreign { hooks, grad: None, rule })
    }
}

/// Objects of a node that may own tensors, to be dropped.
#[allow(dead_code, reason = "held only to be dropped")]
struct Foreign {
    hooks: Option<Arc<Hooks>>,
    grad: Option<Tensor>,
    rule: Option<GradFn>,
}

thread_local! {
    /// Objects that wait to be dropped. `None` unless this thread is in `drop_foreign`.
    static LEFT: RefCell<Option<Vec<Foreign>>> = const { RefCell::new(None) };
}

/// Drops a node's objects. Further objects that this would drop recursively are queued and dropped afterwards, so that
/// a long chain of them does not overflow the stack.
#[cold]
fn drop_foreign(foreign: Foreign) {
    let mut next = Some(foreign);
    let outermost = LEFT.try_with(|left| {
        let mut left = left.borrow_mut();
        match left.as_mut() {
            Some(waiting) => {
                waiting.extend(next.take());
                false
            }
            None => {
                *left = Some(Vec::new());
                true
            }
        }
    });
    if !matches!(outermost, Ok(true)) {
        return;
    }
    while let Some(foreign) = next {
        drop(foreign);
        next = LEFT.with(|left| left.borrow_mut().as_mut().and_then(Vec::pop));
    }
    LEFT.with(|left| *left.borrow_mut() = None);
}

impl Drop for Node {
    /// Drops the node. An input node whose last handle is here goes to `dismantle`, because its own drop would recurse.
    #[inline]
    fn drop(&mut self) {
        self.edges.take(|edge| {
            if let Some(node) = edge.last() {
                dismantle(node);
            }
        });
        if let Some(foreign) = self.take_foreign() {
            drop_foreign(foreign);
        }
    }
}

/// Drops a graph with an explicit stack, so that a long chain does not overflow the thread's stack.
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
    /// Makes the edge to input `i`. (Always inline, so that it is built in registers.)
    #[inline(always)]
    fn new(inputs: &[&Tensor], reads: u32, i: usize) -> Self {
        let Some(t) = inputs.get(i) else { return Self::None };
        if reads >> i.min(31) & 1 == 1 {
            return Self::Saved((*t).clone(), t.version());
        }
        t.node().map_or(Self::None, |n| Self::Node(n.clone()))
    }

    /// Returns the input's node, if it is part of a graph.
    #[inline]
    pub(super) fn node(&self) -> Option<&Handle<Node>> {
        match self {
            Self::None => None,
            Self::Node(node) => Some(node),
            Self::Saved(t, _) => t.node(),
        }
    }

    /// Drops the edge, and returns its node if nothing else holds it.
    #[inline]
    fn last(self) -> Option<Unique<Node>> {
        match self {
            Self::None => None,
            Self::Node(node) => Handle::into_unique(node),
            Self::Saved(t, _) => Handle::into_unique(Handle::into_unique(t.0)?.node.take()?),
        }
    }
}

impl Tensor {
    /// Returns the tensor's node, if only this handle of the tensor keeps it alive.
    pub(super) fn sole_node(&self) -> Option<&Node> {
        let node = self.node()?;
        (Handle::count(&self.0) == 1 && Handle::count(node) == 1).then_some(node)
    }
}

#[inline]
fn tracked(inputs: &[&Tensor]) -> bool {
    is_enabled() && inputs.iter().any(|t| t.node().is_some())
}

/// Records a view, a join or a copy between devices.
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

/// Records an op, unless its output cannot have a gradient.
#[inline(always)]
pub(crate) fn record_op(
    op: Op,
    inputs: &[&Tensor],
    shape: &Shape,
    dtype: DType,
    cell: &Handle<StorageCell>,
) -> Option<Handle<Node>> {
    // The op is moved only if it is recorded.
    if tracked(inputs) && dtype.is_inexact() { record_tracked(op, inputs, shape, dtype, cell) } else { None }
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
    // The memory is allocated before the parts are made. If it were allocated afterwards, the parts would have to be
    // dropped on a failure, so the compiler would keep them in temporary memory.
    let slot = Slot::new();
    let output = reads.output.then(|| SavedOutput { version: cell.version(), cell: cell.clone() });
    let edges = Edges::new(inputs, reads.inputs);
    Some(slot.fill(Node::new(GradFn::Op(op), shape.clone(), dtype, edges, output)))
}

/// Records a user-defined function, and returns its node. Bit i of `reads` selects the inputs that are saved.
pub(super) fn record_function(function: FunctionNode, inputs: &[&Tensor], reads: u32) -> Handle<Node> {
    let rule = GradFn::Function(Box::new(function));
    Handle::new(Node::new(rule, Shape::from(()), DType::F32, Edges::new(inputs, reads), None))
}

/// Makes the node of output `index` of a function.
pub(super) fn output_of(
    function: &Handle<Node>,
    index: usize,
    name: &'static str,
    shape: &Shape,
    dtype: DType,
) -> Handle<Node> {
    let first = [Edge::Node(function.clone()), Edge::None, Edge::None];
    let edges = Edges { first, more: None, len: 1 };
    Handle::new(Node::new(GradFn::Output { index, name }, shape.clone(), dtype, edges, None))
}

/// Records a custom op. All inputs and the output are saved.
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
