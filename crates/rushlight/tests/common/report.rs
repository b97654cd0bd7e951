//! Shared by sweeps over cases: a report that collects failures, and gradients to compare.
use rushlight::ops::{Differentiable, Op};
use rushlight::{DType, Result, Tensor};

/// Collects the failures of a sweep, so that one run shows all of them.
pub struct Report {
    pub cases: usize,
    failures: Vec<String>,
    filter: Option<String>,
}

impl Report {
    pub fn new() -> Self {
        Self { cases: 0, failures: Vec::new(), filter: std::env::var("RUSHLIGHT_CASE").ok() }
    }

    pub fn case(&mut self, name: &str, f: impl FnOnce() -> std::result::Result<(), String>) {
        if self.filter.as_ref().is_some_and(|t| !name.contains(t.as_str())) {
            return;
        }
        self.cases += 1;
        if let Err(e) = f() {
            self.failures.push(format!("{name}: {e}"));
        }
    }

    pub fn finish(self, at_least: usize) {
        let n = self.failures.len();
        println!("{} cases, {n} failures", self.cases);
        let shown = self.failures.iter().take(60).cloned().collect::<Vec<_>>().join("\n");
        assert!(n == 0, "{n} of {} cases failed:\n{shown}", self.cases);
        assert!(self.filter.is_some() || self.cases >= at_least, "only {} cases ran", self.cases);
    }
}

pub type Check = std::result::Result<(), String>;

pub fn text<T>(r: Result<T>) -> std::result::Result<T, String> {
    r.map_err(|e| e.to_string())
}

pub fn bits(t: &Tensor) -> std::result::Result<Vec<u8>, String> {
    Ok(text(t.to_cpu_storage())?.as_bytes().to_vec())
}

pub fn as_f64(t: &Tensor) -> std::result::Result<Vec<f64>, String> {
    text(t.to_dtype(DType::F64).and_then(|t| t.flatten_all()).and_then(|t| t.to_vec1::<f64>()))
}

/// Returns the gradients of the float inputs, for an output gradient of ones.
pub fn gradients(ins: Vec<Tensor>, op: &Op) -> std::result::Result<Vec<Tensor>, String> {
    text(rushlight_parity::gradients(op, &ins))
}

/// Whether an op has a gradient and returns a new tensor.
pub fn differentiable(op: &Op) -> bool {
    op.differentiable() == Differentiable::Yes && op.targets() == 0
}
