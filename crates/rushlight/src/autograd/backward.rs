//! The backward pass: walks the tape and computes gradients.
use super::tape::Node;
use super::{GradFn, Vjp, function, no_grad, with_enabled};
use crate::handle::Handle;
use crate::profiler;
use crate::{DType, Error, Result, Tensor, TensorId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Gradients by tensor, as [`Tensor::backward`] returns them.
#[derive(Debug, Default)]
pub struct GradStore(HashMap<TensorId, Tensor>);

impl GradStore {
    /// Returns the gradient of a tensor, if one was computed.
    pub fn get(&self, tensor: &Tensor) -> Option<&Tensor> {
        self.0.get(&tensor.id())
    }
    /// Returns the gradient for a tensor's id.
    pub fn get_id(&self, id: TensorId) -> Option<&Tensor> {
        self.0.get(&id)
    }
    /// Removes and returns the gradient of a tensor.
    pub fn remove(&mut self, tensor: &Tensor) -> Option<Tensor> {
        self.0.remove(&tensor.id())
    }
    /// Sets the gradient of a tensor, and returns the old one.
    pub fn insert(&mut self, tensor: &Tensor, grad: Tensor) -> Option<Tensor> {
        self.0.insert(tensor.id(), grad)
    }
    /// Sets the gradient for a tensor's id, and returns the old one.
    pub fn insert_id(&mut self, id: TensorId, grad: Tensor) -> Option<Tensor> {
        self.0.insert(id, grad)
    }
    /// Identifies the tensors that have a gradient.
    pub fn get_ids(&self) -> impl Iterator<Item = &TensorId> {
        self.0.keys()
    }
    /// Adds the entries of another store; they replace existing ones.
    pub fn extend(&mut self, other: GradStore) {
        self.0.extend(other.0);
    }
}

/// Returns a gradient that shares memory with no other tensor: rules pass one tensor to several inputs, and callers may
/// change the gradients they get.
fn own(grad: Tensor) -> Result<Tensor> {
    let alone = Handle::count(&grad.0) == 1 && grad.storage_handles() == 1;
    if alone && grad.is_contiguous() { Ok(grad) } else { grad.force_contiguous() }
}

/// The nodes that a walk for the gradients of given tensors must visit: those from which one of the tensors is
/// reachable.
pub(super) struct Plan {
    wanted: HashSet<TensorId>,
    visited: HashSet<TensorId>,
}

impl Plan {
    fn new(roots: &[(Handle<Node>, Tensor)], wanted: HashSet<TensorId>) -> Self {
        let Some(first) = wanted.iter().min().copied() else {
            return Self { wanted, visited: HashSet::new() };
        };
        // Inputs have smaller numbers than outputs, so nodes with numbers below the first wanted one cannot reach it.
        let mut nodes: Vec<&Node> = reachable(roots.iter().map(|(n, _)| &**n), |n| n.id >= first);
        nodes.sort_unstable_by_key(|n| n.id);
        let mut visited = HashSet::with_capacity(nodes.len());
        for node in nodes {
            let leads = || node.edges.iter().filter_map(|e| e.node()).any(|n| visited.contains(&n.id));
            if wanted.contains(&node.id) || leads() {
                visited.insert(node.id);
            }
        }
        Self { wanted, visited }
    }

    /// Whether the walk needs the gradient of a node.
    pub(super) fn needs(&self, node: &Node) -> bool {
        self.visited.contains(&node.id)
    }
}

/// Returns the nodes reachable from `from` by edges to nodes for which `keep` returns true.
fn reachable<'a>(from: impl Iterator<Item = &'a Node>, keep: impl Fn(&Node) -> bool) -> Vec<&'a Node> {
    let (mut seen, mut all) = (HashSet::new(), Vec::new());
    let mut stack: Vec<&Node> = from.collect();
    while let Some(node) = stack.pop() {
        if keep(node) && seen.insert(node.id) {
            all.push(node);
            stack.extend(node.edges.iter().filter_map(|e| e.node()).map(|n| &**n));
        }
    }
    all
}

/// Whether `outputs` depend on leaves other than `inputs`. If so, their gradients by `inputs` may need gradients
/// themselves.
pub fn reaches_others(outputs: &[&Tensor], inputs: &[&Tensor]) -> bool {
    let own: HashSet<TensorId> = inputs.iter().filter_map(|t| Some(t.node()?.id)).collect();
    let nodes = reachable(outputs.iter().filter_map(|t| t.node()).map(|n| &**n), |_| true);
    nodes.iter().any(|n| n.is_leaf() && !own.contains(&n.id))
}

/// Gradients that wait for their node to be visited. `None` stands for a function node, whose outputs' gradients are
/// kept separately.
type Pending = BTreeMap<TensorId, (Handle<Node>, Option<Tensor>)>;

fn add(pending: &mut Pending, node: &Handle<Node>, g: Tensor) -> Result<()> {
    match pending.entry(node.id) {
        std::collections::btree_map::Entry::Vacant(e) => {
            e.insert((node.clone(), Some(g)));
        }
        std::collections::btree_map::Entry::Occupied(mut e) => {
            let slot = &mut e.get_mut().1;
            *slot = Some(match slot.take() {
                Some(old) => old.add(&g)?,
                None => g,
            });
        }
    }
    Ok(())
}

/// Returns an error if a gradient contains a NaN.
fn check_anomaly(op: &'static str, g: &Tensor) -> Result<()> {
    let g = g.detach();
    if g.elem_count() > 0 && g.ne(&g)?.to_dtype(DType::F32)?.sum_all()?.to_scalar::<f32>()? > 0.0 {
        return Err(Error::gradient(op, "its gradient has a NaN (found because detect_anomaly is on)"));
    }
    Ok(())
}

/// Walks the graph from the roots, each with its gradient, and passes complete gradients to `found`. Without a plan
/// these are the gradients of leaves and of nodes that retain theirs; with a plan, those of the tensors that it wants.
/// If `records`, the walk records its own ops.
fn walk(
    roots: Vec<(Handle<Node>, Tensor)>,
    plan: Option<&Plan>,
    records: bool,
    mut found: impl FnMut(&Handle<Node>, Tensor) -> Result<()>,
) -> Result<()> {
    let _range = profiler::range("backward");
    let mut pending = Pending::new();
    // For each function node, the gradients of its outputs.
    let mut outputs: BTreeMap<TensorId, Vec<Option<Tensor>>> = BTreeMap::new();
    let anomalies = super::detects_anomalies();
    for (root, seed) in roots.into_iter().filter(|(n, _)| plan.is_none_or(|p| p.needs(n))) {
        add(&mut pending, &root, seed)?;
    }
    while let Some((id, (node, grad))) = pending.pop_last() {
        let Some(mut grad) = grad else {
            let GradFn::Function(function) = &node.rule else { continue };
            let grads = function.run(&node, outputs.remove(&id).unwrap_or_default(), records)?;
            hand_on(&node, grads, plan, anomalies, &mut pending)?;
            continue;
        };
        if let Some(hooks) = node.hooks() {
            grad = hooks.gradient(grad)?;
            if plan.is_none() && hooks.kept().is_some() {
                found(&node, grad.clone())?;
            }
        }
        match plan {
            None if node.is_leaf() => {
                found(&node, grad)?;
                continue;
            }
            Some(p) if p.wanted.contains(&id) => found(&node, grad.clone())?,
            _ => {}
        }
        if let Some((function, index)) = function::output(&node) {
            let GradFn::Function(f) = &function.rule else { continue };
            let slots = outputs.entry(function.id).or_insert_with(|| vec![None; f.outputs()]);
            if let Some(slot) = slots.get_mut(index) {
                *slot = Some(match slot.take() {
                    Some(old) => old.add(&grad)?,
                    None => grad,
                });
            }
            if plan.is_none_or(|p| p.needs(function)) {
                pending.entry(function.id).or_insert_with(|| (function.clone(), None));
            }
            continue;
        }
        let grads = Vjp::new(&node, &grad, plan, records).grads()?;
        drop(grad);
        hand_on(&node, grads, plan, anomalies, &mut pending)?;
    }
    Ok(())
}

/// Adds the gradients of a node's inputs to the pending ones.
#[inline]
fn hand_on(
    node: &Node,
    grads: impl IntoIterator<Item = Option<Tensor>>,
    plan: Option<&Plan>,
    anomalies: bool,
    pending: &mut Pending,
) -> Result<()> {
    for (edge, g) in node.edges.iter().zip(grads) {
        let (Some(input), Some(g)) = (edge.node(), g) else { continue };
        if plan.is_some_and(|p| !p.needs(input)) {
            continue;
        }
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
        if anomalies {
            check_anomaly(node.rule.name(), &g)?;
        }
        add(pending, input, g)?;
    }
    Ok(())
}

/// Options of [`grad`].
#[derive(Debug, Clone, Copy, Default)]
pub struct GradOptions {
    /// Whether to record the computation of the gradients, so that they have gradients too.
    pub create_graph: bool,
    /// Whether an input that the outputs do not depend on gets `None`. Otherwise it is an error.
    pub allow_unused: bool,
}

/// Returns the roots of a walk: each output that is part of a graph, with its gradient (ones if none is given).
fn roots(
    op: &'static str,
    outputs: &[&Tensor],
    grad_outputs: &[Option<Tensor>],
    create_graph: bool,
) -> Result<Vec<(Handle<Node>, Tensor)>> {
    if grad_outputs.len() > outputs.len() {
        let (a, b) = (grad_outputs.len(), outputs.len());
        return Err(Error::gradient(op, format!("got {a} gradients for {b} tensors")));
    }
    let mut all = Vec::with_capacity(outputs.len());
    for (i, t) in outputs.iter().enumerate() {
        let Some(root) = t.node() else {
            return Err(Error::gradient(
                op,
                "the tensor does not require a gradient and was not computed from one that does",
            ));
        };
        if matches!(root.rule, GradFn::Freed(_)) {
            return Err(super::freed());
        }
        let seed = match grad_outputs.get(i).and_then(Option::as_ref) {
            None if t.dtype().is_complex() => {
                let text = "a complex tensor needs a gradient to start from: only a real one starts from 1 by default";
                return Err(Error::gradient(op, text));
            }
            None => t.ones_like()?,
            Some(s) if s.dtype() != t.dtype() => {
                let msg = "backward: the gradient must have the tensor's dtype";
                return Err(Error::UnexpectedDType { msg, expected: t.dtype(), got: s.dtype() }.bt());
            }
            Some(s) if s.shape() != t.shape() => {
                let msg = "backward: the gradient must have the tensor's shape".to_string();
                let (expected, got) = (t.shape().clone(), s.shape().clone());
                return Err(Error::UnexpectedShape { msg, expected, got }.bt());
            }
            Some(s) if !s.device().same_device(t.device()) => {
                let (lhs, rhs) = (t.device().location(), s.device().location());
                return Err(Error::DeviceMismatchBinaryOp { lhs, rhs, op }.bt());
            }
            Some(s) if create_graph => s.clone(),
            Some(s) => s.detach(),
        };
        all.push((root.clone(), seed));
    }
    Ok(all)
}

/// Returns the gradients of `outputs` by `inputs`, which may be any tensors of the graph. Each output is weighted by
/// its entry of `grad_outputs` (ones if there is none). Nothing is added to [`Tensor::grad`]. An input that the outputs
/// do not depend on gets `None`, if that is allowed.
///
/// ```
/// use rushlight::{autograd::{grad, GradOptions}, Device, Var};
/// let x = Var::new(2f64, &Device::Cpu)?;
/// let y = x.powf(3.0)?;
/// let options = GradOptions { create_graph: true, ..Default::default() };
/// let first = grad(&[&y], &[&x], &[], options)?[0].clone().unwrap();
/// let second = grad(&[&first], &[&x], &[], GradOptions::default())?[0].clone().unwrap();
/// assert_eq!((first.to_scalar::<f64>()?, second.to_scalar::<f64>()?), (12.0, 12.0));
/// # Ok::<(), rushlight::Error>(())
/// ```
///
/// # Errors
/// If an output or an input is not part of a graph, an input is unused (and `allow_unused` is not set), a gradient
/// differs from its tensor in shape, dtype or device, a saved value has been changed in place, or an op has no
/// gradient.
pub fn grad(
    outputs: &[&Tensor],
    inputs: &[&Tensor],
    grad_outputs: &[Option<Tensor>],
    options: GradOptions,
) -> Result<Vec<Option<Tensor>>> {
    let mut ids = Vec::with_capacity(inputs.len());
    for (i, t) in inputs.iter().enumerate() {
        let Some(node) = t.node() else {
            return Err(Error::gradient("grad", format!("input {i} does not require a gradient")));
        };
        ids.push(node.id);
    }
    with_enabled(options.create_graph, || {
        let roots = roots("grad", outputs, grad_outputs, options.create_graph)?;
        let plan = Plan::new(&roots, ids.iter().copied().collect());
        let mut found: HashMap<TensorId, Tensor> = HashMap::new();
        walk(roots, Some(&plan), options.create_graph, |node, grad| {
            found.insert(node.id, grad);
            Ok(())
        })?;
        let mut all = Vec::with_capacity(ids.len());
        for (i, id) in ids.iter().enumerate() {
            let last = !ids[i + 1..].contains(id);
            let g = if last { found.remove(id) } else { found.get(id).cloned() };
            if g.is_none() && !options.allow_unused {
                return Err(Error::gradient(
                    "grad",
                    format!(
                        "input {i} was not used to compute the outputs; allow_unused=True gives None for it"
                    ),
                ));
            }
            all.push(g.map(own).transpose()?);
        }
        Ok(all)
    })
}

/// Adds the gradients of `outputs`, weighted as for [`grad`], to [`Tensor::grad`] of the leaves on which the outputs
/// depend, or only of `inputs`, and of computed tensors that retain their gradients.
///
/// # Errors
/// As for [`grad`], and if an input is not a leaf.
pub fn backward(
    outputs: &[&Tensor],
    grad_outputs: &[Option<Tensor>],
    inputs: Option<&[&Tensor]>,
    create_graph: bool,
) -> Result<()> {
    let mut wanted = HashSet::new();
    for (i, t) in inputs.unwrap_or_default().iter().enumerate() {
        let Some(node) = t.node().filter(|n| n.is_leaf() || t.retains_grad()) else {
            return Err(Error::gradient(
                "backward",
                format!(
                    "input {i} is not a leaf that requires a gradient and does not keep its gradient; call \
                     retain_grad() on it, or use autograd.grad"
                ),
            ));
        };
        wanted.insert(node.id);
    }
    with_enabled(create_graph, || {
        let roots = roots("backward", outputs, grad_outputs, create_graph)?;
        let plan = inputs.is_some().then(|| Plan::new(&roots, wanted));
        let mut found = Vec::new();
        walk(roots, plan.as_ref(), create_graph, |node, grad| {
            found.push((node.clone(), grad));
            Ok(())
        })?;
        // Gradients are stored only after the whole walk has succeeded, so that an error changes nothing.
        for (node, grad) in found {
            let mut sum = None;
            if let Some(mut slot) = node.grad() {
                let new = match slot.take() {
                    Some(old) => old.add(&grad)?,
                    None => own(grad)?,
                };
                sum = node.hooks().is_some().then(|| new.clone());
                *slot = Some(new);
            }
            if let (Some(hooks), Some(sum)) = (node.hooks(), sum) {
                hooks.accumulated(&sum)?;
            }
        }
        Ok(())
    })
}

impl Tensor {
    /// Returns the gradients of the sum of this tensor's elements, for every variable that the tensor depends on.
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
        if self.track_op() {
            no_grad(|| {
                walk(roots("backward", &[self], &[], false)?, None, false, |node, grad| {
                    if node.is_leaf() {
                        store.0.insert(node.id, own(grad)?);
                    }
                    Ok(())
                })
            })?;
        }
        Ok(store)
    }

    /// Adds the gradients of this tensor (weighted by `seed`, or of the sum of its elements) to [`Tensor::grad`] of
    /// every leaf that the tensor depends on, like PyTorch's `backward`. See [`backward`] for more.
    pub fn backward_accumulate(&self, seed: Option<&Tensor>) -> Result<()> {
        backward(&[self], &[seed.cloned()], None, false)
    }

    /// Returns the name of the op that computed this tensor, if gradients are recorded; `None` for a leaf.
    pub fn grad_fn(&self) -> Option<&'static str> {
        self.node().filter(|n| !n.is_leaf()).map(|n| n.rule.name())
    }

    /// Returns the gradient accumulated by [`Tensor::backward_accumulate`], for a leaf or after
    /// [`Tensor::retain_grad`].
    pub fn grad(&self) -> Option<Tensor> {
        self.node().and_then(|n| n.grad()?.clone())
    }

    /// Sets or clears the accumulated gradient of a leaf.
    pub fn set_grad(&self, grad: Option<Tensor>) -> Result<()> {
        let Some(mut slot) = self.node().and_then(|n| n.grad()) else {
            return Err(Error::gradient(
                "set_grad",
                "only a leaf that requires a gradient has one, and a tensor after retain_grad",
            ));
        };
        *slot = grad;
        Ok(())
    }
}
