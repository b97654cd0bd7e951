//! The tape: nodes and edges, how ops record them, and how a graph is dropped.
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
    /// Functions that see the gradient, and the gradient that a node other than a leaf keeps.
    hooks: OnceLock<Arc<Hooks>>,
}

impl Node {
    pub(crate) fn leaf(shape: Shape, dtype: DType) -> Self {
        Self::new(GradFn::Leaf(Mutex::new(None)), shape, dtype, Edges::new(&[], 0), None)
    }

    #[inline(always)]
    fn new(rule: GradFn, shape: Shape, dtype: DType, edges: Edges, output: Option<SavedOutput>) -> Self {
        Self { id: TensorId::new(), rule, shape, dtype, edges, output, hooks: OnceLock::new() }
    }

    /// The hooks, if any were registered.
    #[inline]
    pub(super) fn hooks(&self) -> Option<&Arc<Hooks>> {
        self.hooks.get()
    }

    /// The hooks, to register one.
    pub(super) fn hooks_or_new(&self) -> &Arc<Hooks> {
        self.hooks.get_or_init(Arc::default)
    }

    pub(crate) fn id(&self) -> TensorId {
        self.id
    }

    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.rule, GradFn::Leaf(_))
    }

    /// The gathered gradient, of a leaf or of a node that was asked to keep it.
    pub(super) fn grad(&self) -> Option<MutexGuard<'_, Option<Tensor>>> {
        let grad = match &self.rule {
            GradFn::Leaf(grad) => grad,
            _ => self.hooks.get()?.kept()?,
        };
        Some(grad.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes out what may own tensors besides the edges: a user's function, hooks and a gathered gradient, whose graphs
    /// may be long, too.
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

/// Owners of tensors that a node had besides its edges, until they are dropped.
#[allow(dead_code, reason = "held only to be dropped")]
struct Foreign {
    hooks: Option<Arc<Hooks>>,
    grad: Option<Tensor>,
    rule: Option<GradFn>,
}

thread_local! {
    /// Owners of further graphs that wait to be dropped; `None` while none is dropped on this thread.
    static LEFT: RefCell<Option<Vec<Foreign>>> = const { RefCell::new(None) };
}

/// Drops what a node owned; what goes with it is dropped afterwards and not inside, so that a chain of such owners does not
/// overflow the stack.
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
    /// A node below that nothing else holds is taken apart here: its own drop would recurse.
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

impl Tensor {
    /// The tensor's node, if this handle of the tensor alone keeps it alive.
    pub(super) fn sole_node(&self) -> Option<&Node> {
        let node = self.node()?;
        (Handle::count(&self.0) == 1 && Handle::count(node) == 1).then_some(node)
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

/// Records a function that computed several outputs: the node of the function. The inputs of a bit mask are kept.
pub(super) fn record_function(function: FunctionNode, inputs: &[&Tensor], reads: u32) -> Handle<Node> {
    let rule = GradFn::Function(Box::new(function));
    Handle::new(Node::new(rule, Shape::from(()), DType::F32, Edges::new(inputs, reads), None))
}

/// A node for output `index` of a function.
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
