//! What parameters of modules need of a tensor.
use crate::args::Arg;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

#[pymethods]
impl PyTensor {
    /// Puts other elements (of any shape, dtype and device) in the place of this leaf's. The object stays the same, so
    /// whoever holds it (an optimizer) sees them; its gradient is forgotten.
    #[setter(data)]
    fn set_data(&self, value: Arg) -> PyResult<()> {
        let t = self.get();
        if t.track_op() && !t.is_variable() {
            return Err(PyRuntimeError::new_err("data of a computed tensor cannot be set; use copy_"));
        }
        let new = value.0.detach();
        self.set(if t.is_variable() { new.leaf() } else { new });
        Ok(())
    }
}
