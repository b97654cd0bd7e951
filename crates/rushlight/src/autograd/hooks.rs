//! Hooks, which are called with the gradient of a tensor, and retained gradients of computed tensors.
use super::tape::Edge;
use crate::handle::Handle;
use crate::{Error, Result, Tensor};
use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A function that each backward pass calls with the complete gradient of a tensor.
pub trait GradHook: Send + Sync {
    /// Returns a gradient of the same shape and dtype to continue with, or `None` to keep the one passed.
    ///
    /// # Errors
    /// An error ends the walk.
    fn call(&self, grad: &Tensor) -> Result<Option<Tensor>>;

    /// Returns the hook itself, for a language binding that looks for its objects in a graph.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

impl<F: Fn(&Tensor) -> Result<Option<Tensor>> + Send + Sync> GradHook for F {
    fn call(&self, grad: &Tensor) -> Result<Option<Tensor>> {
        self(grad)
    }
}

/// The time at which a hook is called.
#[derive(Clone, Copy, PartialEq)]
enum Moment {
    /// When the gradient of a tensor is complete.
    Gradient,
    /// After the gradient of a leaf was accumulated. The hook gets the sum.
    Accumulated,
}

type Registered = (u64, Moment, Arc<dyn GradHook>);

/// The hooks of a node.
#[derive(Default)]
pub(crate) struct Hooks {
    list: Mutex<Vec<Registered>>,
    kept: OnceLock<Mutex<Option<Tensor>>>,
}

/// Number of live functions and hooks that hold objects of a language binding.
static FOREIGN: AtomicUsize = AtomicUsize::new(0);

/// Counts a language binding's object that is held by a graph, until it is dropped.
#[derive(Debug)]
pub struct ForeignCount(());

impl ForeignCount {
    /// Increments the count.
    #[allow(clippy::new_without_default, reason = "it counts")]
    pub fn new() -> Self {
        FOREIGN.fetch_add(1, Relaxed);
        Self(())
    }

    /// Whether the count is above 0.
    pub fn any() -> bool {
        FOREIGN.load(Relaxed) != 0
    }
}

impl Drop for ForeignCount {
    fn drop(&mut self) {
        FOREIGN.fetch_sub(1, Relaxed);
    }
}

impl Hooks {
    fn list(&self) -> std::sync::MutexGuard<'_, Vec<Registered>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the hooks for a moment. (A copy, because a hook may register or remove hooks.)
    fn of(&self, moment: Moment) -> Vec<Arc<dyn GradHook>> {
        self.list().iter().filter(|h| h.1 == moment).map(|h| h.2.clone()).collect()
    }

    /// Passes a gradient through the hooks.
    pub(super) fn gradient(&self, mut grad: Tensor) -> Result<Tensor> {
        for hook in self.of(Moment::Gradient) {
            if let Some(new) = hook.call(&grad)? {
                if new.shape() != grad.shape() {
                    let msg =
                        "register_hook: a hook must return a gradient of the tensor's shape".to_string();
                    let (expected, got) = (grad.shape().clone(), new.shape().clone());
                    return Err(Error::UnexpectedShape { msg, expected, got }.bt());
                }
                if new.dtype() != grad.dtype() {
                    let msg = "register_hook: a hook must return a gradient of the tensor's dtype";
                    return Err(Error::dtype(msg, grad.dtype(), new.dtype()));
                }
                if !new.device().same_device(grad.device()) {
                    let (lhs, rhs) = (grad.device().location(), new.device().location());
                    return Err(Error::DeviceMismatchBinaryOp { lhs, rhs, op: "register_hook" }.bt());
                }
                grad = new;
            }
        }
        Ok(grad)
    }

    /// Calls the hooks that run after accumulation.
    pub(super) fn accumulated(&self, grad: &Tensor) -> Result<()> {
        for hook in self.of(Moment::Accumulated) {
            hook.call(grad)?;
        }
        Ok(())
    }

    /// The slot of the retained gradient, if the node retains it.
    pub(super) fn kept(&self) -> Option<&Mutex<Option<Tensor>>> {
        self.kept.get()
    }

    /// Calls `see` with each hook that implements `as_any`.
    fn visit(&self, see: &mut dyn FnMut(&dyn Any)) {
        // Skip a locked list instead of waiting for it: the thread that holds the lock may be waiting for this one.
        let Ok(list) = self.list.try_lock() else { return };
        list.iter().filter_map(|h| h.2.as_any()).for_each(see);
    }
}

/// The registration of a hook. Dropping it does not remove the hook, which lives as long as the tensor's graph node.
#[derive(Clone)]
pub struct HookHandle {
    hooks: Weak<Hooks>,
    id: u64,
}

impl std::fmt::Debug for HookHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookHandle").field("id", &self.id).finish()
    }
}

impl HookHandle {
    /// Removes the hook, if it is still registered.
    pub fn remove(&self) {
        let Some(hooks) = self.hooks.upgrade() else { return };
        let at = hooks.list().iter().position(|h| h.0 == self.id);
        // Dropped after the lock: the hook may own tensors.
        let _gone = at.map(|i| hooks.list().remove(i));
    }
}

impl Tensor {
    fn add_hook(&self, op: &'static str, moment: Moment, hook: Arc<dyn GradHook>) -> Result<HookHandle> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let Some(node) = self.node() else {
            return Err(Error::gradient(op, "the tensor does not require a gradient, so it never has one"));
        };
        let hooks = node.hooks_or_new();
        let id = NEXT.fetch_add(1, Relaxed);
        hooks.list().push((id, moment, hook));
        Ok(HookHandle { hooks: Arc::downgrade(hooks), id })
    }

    /// Registers a function that each backward pass calls with the complete gradient of this tensor, and that may
    /// replace it.
    ///
    /// # Errors
    /// If the tensor is not part of a gradient graph.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, Var};
    /// use std::sync::Arc;
    /// let x = Var::new(&[1f32, 2.], &Device::Cpu)?;
    /// let twice = x.register_hook(Arc::new(|g: &Tensor| Ok(Some((g * 2.0)?))))?;
    /// assert_eq!(x.sqr()?.backward()?.get(&x).unwrap().to_vec1::<f32>()?, [4., 8.]);
    /// twice.remove();
    /// assert_eq!(x.sqr()?.backward()?.get(&x).unwrap().to_vec1::<f32>()?, [2., 4.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn register_hook(&self, hook: Arc<dyn GradHook>) -> Result<HookHandle> {
        self.add_hook("register_hook", Moment::Gradient, hook)
    }

    /// Registers a function that is called with the accumulated gradient of this leaf, after `backward_accumulate` has
    /// added to it.
    ///
    /// # Errors
    /// If the tensor is not a leaf that requires a gradient.
    pub fn register_post_accumulate_grad_hook(&self, hook: Arc<dyn GradHook>) -> Result<HookHandle> {
        let op = "register_post_accumulate_grad_hook";
        if !self.is_variable() {
            return Err(Error::gradient(op, "only a leaf that requires a gradient accumulates one"));
        }
        self.add_hook(op, Moment::Accumulated, hook)
    }

    /// Makes `backward_accumulate` retain the gradient of this computed tensor, for [`Tensor::grad`]. Has no effect on
    /// a leaf, whose gradient is always retained.
    ///
    /// # Errors
    /// If the tensor is not part of a gradient graph.
    pub fn retain_grad(&self) -> Result<()> {
        let Some(node) = self.node() else {
            return Err(Error::gradient(
                "retain_grad",
                "the tensor does not require a gradient, so it never has one",
            ));
        };
        if !node.is_leaf() {
            node.hooks_or_new().kept.get_or_init(Mutex::default);
        }
        Ok(())
    }

    /// Whether `backward_accumulate` retains the gradient of this computed tensor.
    pub fn retains_grad(&self) -> bool {
        let node = self.node().filter(|n| !n.is_leaf());
        node.and_then(|n| n.hooks()).is_some_and(|h| h.kept().is_some())
    }

    /// Removes the hooks of this tensor, if nothing else holds its graph node. For a language binding that collects
    /// cycles.
    #[doc(hidden)]
    pub fn drop_hooks_of_last_handle(&self) {
        if let Some(hooks) = self.sole_node().and_then(|n| n.hooks()) {
            let gone = std::mem::take(&mut *hooks.list());
            drop(gone);
        }
    }

    /// Calls `see` with the hooks and functions of the nodes that only this handle keeps alive. For a language binding
    /// that collects cycles. It does not wait for locks, and visits at most [`VISITED`] nodes, so that a collection
    /// stays fast while a large graph is built.
    #[doc(hidden)]
    pub fn visit_foreign(&self, see: &mut dyn FnMut(&dyn Any)) {
        let Some(first) = self.sole_node() else { return };
        // For each node, and each saved tensor, the number of its handles that are held by the nodes seen so far.
        let (mut nodes, mut saved) = (HashMap::new(), HashMap::new());
        let (mut stack, mut left) = (vec![first], VISITED);
        while let Some(node) = stack.pop() {
            if let Some(hooks) = node.hooks() {
                hooks.visit(see);
            }
            if let super::GradFn::Function(function) = &node.rule {
                function.visit(see);
            }
            left -= 1;
            if left == 0 {
                return;
            }
            for edge in node.edges.iter() {
                if let Edge::Saved(t, _) = edge {
                    let held = saved.entry(Handle::address(&t.0)).or_insert(0usize);
                    *held += 1;
                    if *held != Handle::count(&t.0) {
                        continue;
                    }
                }
                let Some(below) = edge.node() else { continue };
                let held = nodes.entry(Handle::address(below)).or_insert(0usize);
                *held += 1;
                if *held == Handle::count(below) {
                    stack.push(below);
                }
            }
        }
    }
}

/// The largest number of nodes that [`Tensor::visit_foreign`] visits.
const VISITED: usize = 500;
