//! The parity suite, for `rushlight parity`.
use crate::device::{DeviceArg, parse};
use crate::error::{OrPy, detached};
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rushlight::cpu::CpuStorage;
use rushlight::ops::{Reference, TermOrder, Value};
use rushlight::{DType, Device};
use rushlight_parity::{Against, Case, Class, Comparison, Output, interleave};

/// Every case, for a seed.
#[pyclass(frozen, module = "rushlight._native")]
pub struct _Parity {
    cases: Vec<Case>,
}

/// An output as dtype, shape and bytes.
type Raw = (String, Vec<usize>, Vec<u8>);

fn output((dtype, dims, bytes): Raw) -> PyResult<Output> {
    let dtype: DType = dtype.parse().map_err(|_| PyValueError::new_err(format!("no dtype: {dtype}")))?;
    if dims.iter().product::<usize>() * dtype.size_in_bytes() != bytes.len() {
        return Err(PyValueError::new_err(format!(
            "{} bytes do not make {dims:?} {}",
            bytes.len(),
            dtype.as_str()
        )));
    }
    Ok(Output { dtype, dims, storage: CpuStorage::from_bytes(dtype, &bytes).py()? })
}

fn outputs(raw: Vec<Raw>) -> PyResult<Vec<Output>> {
    raw.into_iter().map(output).collect()
}

/// The outcome of a comparison, and its numbers.
fn judged<'py>(py: Python<'py>, reason: &str, c: &Comparison) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("reason", reason)?;
    d.set_item("good", c.good())?;
    d.set_item("elements", c.elements)?;
    d.set_item("wrong", c.wrong)?;
    d.set_item("max_ulp", c.max_ulp)?;
    d.set_item("max_abs", c.max_abs)?;
    d.set_item("cpu_ulp", c.cpu_ulp)?;
    let first = PyList::empty(py);
    for m in &c.mismatches {
        let row = PyDict::new(py);
        row.set_item("output", m.output)?;
        row.set_item("position", &m.position)?;
        row.set_item("got", &m.got)?;
        row.set_item("want", &m.want)?;
        row.set_item("ulp", m.ulp)?;
        row.set_item("cpu_ulp", m.cpu_ulp)?;
        row.set_item("may", m.may)?;
        first.append(row)?;
    }
    d.set_item("mismatches", first)?;
    Ok(d)
}

impl _Parity {
    fn case(&self, index: usize) -> PyResult<&Case> {
        self.cases.get(index).ok_or_else(|| PyIndexError::new_err(format!("there is no case {index}")))
    }
}

#[pymethods]
impl _Parity {
    #[new]
    #[pyo3(signature = (seed, /))]
    fn new(py: Python<'_>, seed: u64) -> Self {
        Self { cases: py.detach(|| Case::all(seed)) }
    }

    /// Returns name, op, family, dtype and pass of every case.
    fn cases(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        let row = |c: &Case| (c.name.clone(), c.op(), c.family(), c.dtype().as_str(), c.pass.as_str());
        Ok(PyList::new(py, self.cases.iter().map(row))?.unbind())
    }

    /// Returns the indices of the cases in an order whose every prefix covers the ops evenly.
    #[pyo3(signature = (seed, /))]
    fn order(&self, py: Python<'_>, seed: u64) -> PyResult<Py<PyList>> {
        let order = py.detach(|| interleave(&self.cases, seed));
        Ok(PyList::new(py, order)?.unbind())
    }

    /// Runs a case against "f64", "cpu" or another device's name; outputs of up to `keep` bytes come back.
    #[pyo3(signature = (index, device, against, keep, /))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        device: DeviceArg,
        against: &str,
        keep: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let case = self.case(index)?;
        let reference;
        let against = match against {
            "f64" => Against::F64,
            "cpu" => Against::Cpu,
            name => {
                reference = parse(name)?;
                Against::Device(&reference)
            }
        };
        let device: Device = device.0;
        let v = detached(py, || case.run(&device, against));
        let d = judged(py, &v.reason, &v.numbers)?;
        d.set_item("status", v.status.as_str())?;
        d.set_item("hash", format!("{:016x}", v.hash))?;
        d.set_item("ms", v.took.as_secs_f64() * 1e3)?;
        let size: usize = v.outputs.iter().map(|o| o.storage.as_bytes().len()).sum();
        if size <= keep && !v.outputs.is_empty() {
            let all = PyList::empty(py);
            for o in &v.outputs {
                all.append((o.dtype.as_str(), &o.dims, PyBytes::new(py, o.storage.as_bytes())))?;
            }
            d.set_item("outputs", all)?;
        }
        Ok(d)
    }

    /// Returns the op with its attributes, as text.
    #[pyo3(signature = (index, /))]
    fn what(&self, index: usize) -> PyResult<String> {
        Ok(format!("{:?}", self.case(index)?.what()))
    }

    /// Returns the bound on an output of a dtype: "exact", "ulps", "scaled" or "products", and its number of units, or 0.
    #[pyo3(signature = (index, dtype, /))]
    fn bound(&self, index: usize, dtype: &str) -> PyResult<(&'static str, f64)> {
        let dtype: DType = dtype.parse().map_err(|_| PyValueError::new_err(format!("no dtype: {dtype}")))?;
        let class = self.case(index)?.class(dtype);
        let units = match class {
            Class::Ulps(k) | Class::Scaled(k) => k,
            Class::Exact | Class::Products => 0.0,
        };
        Ok((class.as_str(), units))
    }

    /// Returns the op's attributes by name; a set of dimensions is a list.
    #[pyo3(signature = (index, /))]
    fn attributes<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        let op = self.case(index)?.what();
        let d = PyDict::new(py);
        for (spec, value) in op.attributes().iter().zip(op.values()) {
            match value {
                Value::Float(v) => d.set_item(spec.name, v)?,
                Value::Int(v) => d.set_item(spec.name, v)?,
                Value::LargeInt(v) => d.set_item(spec.name, v)?,
                Value::Bool(v) => d.set_item(spec.name, v)?,
                Value::Axis(v) => d.set_item(spec.name, v)?,
                Value::Axes(mask) => {
                    let all: Vec<u32> = (0..u32::BITS).filter(|i| mask >> i & 1 == 1).collect();
                    d.set_item(spec.name, all)?;
                }
                Value::Sizes { spatial, sizes } => {
                    d.set_item(spec.name, &sizes[sizes.len().saturating_sub(spatial)..])?;
                }
                Value::Factors { spatial, factors } => {
                    d.set_item(spec.name, &factors[factors.len().saturating_sub(spatial)..])?;
                }
                Value::Pads(pads) => {
                    let first = pads.iter().position(|p| *p != [0, 0]).unwrap_or(pads.len());
                    d.set_item(spec.name, pads[first..].to_vec())?;
                }
                Value::DType(v) => d.set_item(spec.name, v.as_str())?,
                Value::Scalar(v) => d.set_item(spec.name, v.to_f64())?,
                Value::Choice(v) => d.set_item(spec.name, v)?,
                Value::Key(seed, draw) => d.set_item(spec.name, (seed, draw))?,
            }
        }
        Ok(d)
    }

    /// Returns whether the op's results have the same bits in every run, whatever the order in which a GPU adds terms.
    #[pyo3(signature = (index, /))]
    fn fixed_order(&self, index: usize) -> PyResult<bool> {
        Ok(self.case(index)?.what().term_order() == TermOrder::Fixed)
    }

    /// Returns what NumPy and PyTorch have in place of the op: its kind ("function", "expression" or "none"), the names in
    /// NumPy and in PyTorch, whether only floats are compared, and the reason where there is nothing.
    #[pyo3(signature = (index, /))]
    fn reference<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        let (kind, numpy, torch, floats, reason) = match self.case(index)?.what().reference() {
            Reference::Function { numpy, torch, floats_only } => ("function", numpy, torch, floats_only, ""),
            Reference::Expression { floats_only } => ("expression", "", "", floats_only, ""),
            Reference::None(reason) => ("none", "", "", false, reason),
        };
        let d = PyDict::new(py);
        d.set_item("kind", kind)?;
        d.set_item("numpy", numpy)?;
        d.set_item("torch", torch)?;
        d.set_item("floats_only", floats)?;
        d.set_item("reason", reason)?;
        Ok(d)
    }

    /// Returns the inputs on the CPU, in the case's layout.
    #[pyo3(signature = (index, /))]
    fn inputs(&self, index: usize) -> PyResult<Vec<PyTensor>> {
        Ok(self.case(index)?.tensors(&Device::Cpu).py()?.into_iter().map(PyTensor::new).collect())
    }

    /// Judges a device's outputs of a case by true values of another library, one list an output.
    #[pyo3(signature = (index, device, values, /))]
    fn judge_true<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        device: DeviceArg,
        values: Vec<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let case = self.case(index)?;
        let device: Device = device.0;
        let c = detached(py, || case.judge_true(&device, &values)).py()?;
        judged(py, &c.reason(), &c)
    }

    /// Judges outputs of a case by true ones of another library.
    #[pyo3(signature = (index, outputs, truth, /))]
    fn judge_true_outputs<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        outputs: Vec<Raw>,
        truth: Vec<Raw>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let case = self.case(index)?;
        let (outputs, truth) = (self::outputs(outputs)?, self::outputs(truth)?);
        let c = detached(py, || case.judge_true_outputs(&outputs, &truth)).py()?;
        judged(py, &c.reason(), &c)
    }

    /// Judges whether two runs' outputs of a case agree: the same bits, or each within the op's bound.
    #[pyo3(signature = (index, a, b, /))]
    fn compare<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        a: Vec<Raw>,
        b: Vec<Raw>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let case = self.case(index)?;
        let (a, b) = (outputs(a)?, outputs(b)?);
        let c = detached(py, || case.agree(&a, &b, "in the other run")).py()?;
        judged(py, &c.reason(), &c)
    }
}
