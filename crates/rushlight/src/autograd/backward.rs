//! The walk back over the tape.
use super::tape::Node;
use super::{Vjp, no_grad};
use crate::handle::Handle;
use crate::{Error, Result, Tensor, TensorId};
use std::collections::{BTreeMap, HashMap};

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

/// Returns a gradient that shares memory with no other tensor: rules pass one tensor to several inputs, and callers may
/// change the gradients they get.
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
        let grads = Vjp::new(&node, &grad).grads()?;
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

    /// Returns the name of the op that computed this tensor, if gradients are recorded; `None` for a leaf.
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
