//! Gradients: the tape that ops record, and the walk back over it.
//!
//! A node holds its op, an edge to each input, and only the values its gradient rule reads. Nodes are numbered as they
//! are made, so descending numbers are a valid order to walk; neither the walk nor dropping a graph recurses.
use crate::custom_op::CustomBackward;
use crate::handle::{Handle, Slot, Unique};
use crate::ops::{Grads, Meta, Op, grads};
use crate::shape::MAX_RANK;
use crate::storage::StorageCell;
use crate::{DType, Device, Error, Result, Shape, Tensor, TensorId};
use smallvec::SmallVec;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(true) };
}

/// Whether ops on this thread record gradients.
pub fn is_enabled() -> bool {
    ENABLED.get()
}

/// Switches recording on this thread on or off; gives the state before.
pub fn set_enabled(enabled: bool) -> bool {
    ENABLED.replace(enabled)
}

/// Runs a closure without recording.
///
/// ```
/// use rushlight::{autograd, DType, Device, Var};
/// let v = Var::zeros(3, DType::F32, &Device::Cpu)?;
/// assert!(!autograd::no_grad(|| v.exp())?.track_op());
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn no_grad<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ENABLED.set(self.0);
        }
    }
    let _restore = Restore(set_enabled(false));
    f()
}

/// How a tensor came to be: where its gradient goes.
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
    /// Where each dimension was.
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

    fn name(&self) -> &'static str {
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

/// One input of a node.
#[derive(Default)]
enum Edge {
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
struct Edges {
    first: [Edge; 3],
    more: Option<Box<[Edge]>>,
    len: u32,
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

    fn get(&self, i: usize) -> Option<&Edge> {
        self.first.get(i).or_else(|| self.more.as_ref()?.get(i - 3))
    }

    fn iter(&self) -> impl Iterator<Item = &Edge> {
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
struct SavedOutput {
    cell: Handle<StorageCell>,
    version: u64,
}

/// A place in the gradient graph.
pub(crate) struct Node {
    id: TensorId,
    rule: GradFn,
    shape: Shape,
    dtype: DType,
    edges: Edges,
    output: Option<SavedOutput>,
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
    fn grad(&self) -> Option<MutexGuard<'_, Option<Tensor>>> {
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
    fn node(&self) -> Option<&Handle<Node>> {
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

/// What a gradient rule sees: the output's gradient, and the values its card says it reads.
pub struct Vjp<'a> {
    node: &'a Node,
    grad: &'a Tensor,
}

impl Vjp<'_> {
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

    /// Values of input `i`, which the card names for a gradient that is wanted. An error when they were changed in place
    /// since.
    pub fn input(&self, i: usize) -> Result<Tensor> {
        let Some(Edge::Saved(t, version)) = self.node.edges.get(i) else {
            return Err(Error::invalid(self.op_name(), "its gradient rule reads an input it did not save"));
        };
        self.check_version(*version, t.version(), t.shape())?;
        Ok(t.detach())
    }

    /// Values of the output, if the card's `reads` names it.
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

    fn grads(&self) -> Result<Grads> {
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
                // Windows overlap: each place of the window is one strided sum into the input.
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

/// Gradients by tensor, as [`Tensor::backward`] returns them.
#[derive(Debug, Default)]
pub struct GradStore(HashMap<TensorId, Tensor>);

impl GradStore {
    /// The gradient of a tensor, if one was computed.
    pub fn get(&self, tensor: &Tensor) -> Option<&Tensor> {
        self.0.get(&tensor.id())
    }
    /// The gradient for a tensor's number.
    pub fn get_id(&self, id: TensorId) -> Option<&Tensor> {
        self.0.get(&id)
    }
    /// Takes the gradient of a tensor out.
    pub fn remove(&mut self, tensor: &Tensor) -> Option<Tensor> {
        self.0.remove(&tensor.id())
    }
    /// Sets the gradient of a tensor.
    pub fn insert(&mut self, tensor: &Tensor, grad: Tensor) -> Option<Tensor> {
        self.0.insert(tensor.id(), grad)
    }
    /// Sets the gradient for a tensor's number.
    pub fn insert_id(&mut self, id: TensorId, grad: Tensor) -> Option<Tensor> {
        self.0.insert(id, grad)
    }
    /// The numbers of the tensors that have a gradient.
    pub fn get_ids(&self) -> impl Iterator<Item = &TensorId> {
        self.0.keys()
    }
    /// Takes over the gradients of another store.
    pub fn extend(&mut self, other: GradStore) {
        self.0.extend(other.0);
    }
}

/// A gradient in memory of its own: rules hand one tensor to several inputs, and callers may change what they get.
fn own(grad: Tensor) -> Result<Tensor> {
    let alone = Handle::count(&grad.0) == 1 && grad.storage_handles() == 1;
    if alone && grad.is_contiguous() { Ok(grad) } else { grad.force_contiguous() }
}

/// Walks the graph from `root` with `seed` as its gradient and hands each leaf's whole gradient to `leaf`.
fn walk(
    root: &Handle<Node>,
    seed: Tensor,
    mut leaf: impl FnMut(&Handle<Node>, Tensor) -> Result<()>,
) -> Result<()> {
    let mut pending: BTreeMap<TensorId, (Handle<Node>, Tensor)> = BTreeMap::new();
    pending.insert(root.id, (root.clone(), seed));
    while let Some((_, (node, grad))) = pending.pop_last() {
        if node.is_leaf() {
            leaf(&node, grad)?;
            continue;
        }
        let grads = Vjp { node: &node, grad: &grad }.grads()?;
        drop(grad);
        for (edge, g) in node.edges.iter().zip(grads) {
            let (Some(input), Some(g)) = (edge.node(), g) else { continue };
            if g.shape() != &input.shape || g.dtype() != input.dtype {
                return Err(Error::UnexpectedShape {
                    msg: format!(
                        "the gradient rule of {} gave a gradient of the wrong shape or dtype",
                        node.rule.name()
                    ),
                    expected: input.shape.clone(),
                    got: g.shape().clone(),
                }
                .bt());
            }
            match pending.entry(input.id) {
                std::collections::btree_map::Entry::Vacant(e) => {
                    e.insert((input.clone(), g));
                }
                std::collections::btree_map::Entry::Occupied(mut e) => {
                    let sum = e.get().1.add(&g)?;
                    e.get_mut().1 = sum;
                }
            }
        }
    }
    Ok(())
}

impl Tensor {
    /// Gradients of the sum of this tensor's elements, for every variable it was computed from.
    ///
    /// ```
    /// use rushlight::{Device, Var};
    /// let x = Var::new(&[3f32, 1., 4.], &Device::Cpu)?;
    /// let grads = x.sqr()?.backward()?;
    /// assert_eq!(grads.get(&x).unwrap().to_vec1::<f32>()?, [6., 2., 8.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn backward(&self) -> Result<GradStore> {
        let mut store = GradStore::default();
        if let Some(root) = self.node() {
            no_grad(|| {
                let seed = self.ones_like()?;
                walk(root, seed, |leaf, grad| {
                    store.0.insert(leaf.id, own(grad)?);
                    Ok(())
                })
            })?;
        }
        Ok(store)
    }

    /// Adds the gradients of this tensor (weighted by `seed`, or of the sum of its elements) to [`Tensor::grad`] of
    /// every leaf it was computed from, as PyTorch's `backward`.
    pub fn backward_accumulate(&self, seed: Option<&Tensor>) -> Result<()> {
        let Some(root) = self.node() else {
            return Err(Error::invalid(
                "backward",
                "the tensor does not require a gradient and was not computed from one that does",
            ));
        };
        if let Some(s) = seed.filter(|s| s.dtype() != self.dtype()) {
            let (msg, expected) = ("backward: the gradient must have the tensor's dtype", self.dtype());
            return Err(Error::UnexpectedDType { msg, expected, got: s.dtype() }.bt());
        }
        if let Some(s) = seed.filter(|s| s.shape() != self.shape()) {
            let msg = "backward: the gradient must have the tensor's shape".to_string();
            let (expected, got) = (self.shape().clone(), s.shape().clone());
            return Err(Error::UnexpectedShape { msg, expected, got }.bt());
        }
        no_grad(|| {
            let seed = seed.map_or_else(|| self.ones_like(), |s| Ok(s.detach()))?;
            let mut found = Vec::new();
            walk(root, seed, |leaf, grad| {
                found.push((leaf.clone(), grad));
                Ok(())
            })?;
            // Only when the whole walk has succeeded, so that an error changes nothing.
            for (leaf, grad) in found {
                if let Some(mut slot) = leaf.grad() {
                    *slot = Some(match slot.take() {
                        Some(old) => old.add(&grad)?,
                        None => own(grad)?,
                    });
                }
            }
            Ok(())
        })
    }

    /// The name of the op that computed this tensor, where gradients are recorded; none for a leaf.
    pub fn grad_fn(&self) -> Option<&'static str> {
        self.node().filter(|n| !n.is_leaf()).map(|n| n.rule.name())
    }

    /// The gradient gathered by [`Tensor::backward_accumulate`], for a leaf.
    pub fn grad(&self) -> Option<Tensor> {
        self.node().and_then(|n| n.grad()?.clone())
    }

    /// Sets or clears the gathered gradient of a leaf.
    pub fn set_grad(&self, grad: Option<Tensor>) -> Result<()> {
        let Some(mut slot) = self.node().and_then(|n| n.grad()) else {
            return Err(Error::invalid("set_grad", "only a leaf that requires a gradient has one"));
        };
        *slot = grad;
        Ok(())
    }
}
