//! The class `Tensor`: a tensor of the core, behind a lock. Its methods are in the files that are named by what they do.
use pyo3::prelude::*;
use rushlight::{Tensor, pydoc};
use std::sync::{PoisonError, RwLock};

#[doc = pydoc!(
    "N-dimensional array on a device, for which gradients can be computed.\n\n``Tensor(data)`` shares the memory of a \
     tensor, and copies other data as ``rushlight.tensor`` does.";
    (
        data: "number, nested sequence, array or Tensor" "Elements.",
        dtype: "DType or str, optional" "Dtype of the elements; that of ``data`` by default.",
        device: "Device or str, optional" "Device of the elements; that of ``data``, or the CPU, by default.",
        requires_grad,
    );
    (TypeError: "If an element is not a number.", ValueError: "If the rows of nested sequences have different lengths.");
    [
        ">>> x = rl.Tensor([[1.0, 2.0], [3.0, 4.0]])",
        ">>> x @ x",
        "tensor([[ 7., 10.],",
        "        [15., 22.]], dtype=float32, device='cpu')",
    ]
)]
#[pyclass(frozen, subclass, weakref, name = "Tensor", module = "rushlight")]
pub struct PyTensor {
    inner: RwLock<Tensor>,
    /// Whether it was made by `.data`: a change in place is then written to the memory it shares, also where it is recorded.
    data: bool,
}

impl PyTensor {
    /// Wraps a core tensor.
    pub fn new(t: Tensor) -> Self {
        Self { inner: RwLock::new(t), data: false }
    }

    /// Wraps the elements of a tensor without its history, as `.data` does.
    pub fn data_of(t: &Tensor) -> Self {
        Self { inner: RwLock::new(t.detach()), data: true }
    }

    /// Whether it was made by `.data`.
    pub fn is_data(&self) -> bool {
        self.data
    }

    /// The core tensor.
    pub fn get(&self) -> Tensor {
        self.inner.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls a function with the core tensor, unless another thread is replacing it at this moment.
    pub fn peek(&self, f: impl FnOnce(&Tensor)) {
        if let Ok(t) = self.inner.try_read() {
            f(&t);
        }
    }

    /// Replaces the core tensor.
    pub fn set(&self, t: Tensor) {
        *self.inner.write().unwrap_or_else(PoisonError::into_inner) = t;
    }
}
