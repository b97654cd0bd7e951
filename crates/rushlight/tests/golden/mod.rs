//! Reads the golden files (tests/golden/README.md describes them).
#![allow(dead_code)] // each test file uses only a part
use rushlight::{DType, Device, Tensor};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;

/// One call of an op, with PyTorch's results.
pub struct Case {
    pub name: String,
    pub op: String,
    pub dtype: DType,
    pub kwargs: Value,
    /// Names and values, in signature order. They are strided views if the case requires it.
    pub inputs: Vec<(String, Tensor)>,
    pub outputs: Vec<Tensor>,
    pub cotangent: Option<Tensor>,
    /// Gradients of the inputs, one entry for each.
    pub grads: Vec<Option<Tensor>>,
}

impl Case {
    /// Returns an argument that is one number, or one number for each dimension; `default` if it is missing.
    pub fn sizes(&self, key: &str, default: &[usize]) -> Vec<usize> {
        match self.kwargs.get(key) {
            None | Some(Value::Null) => default.to_vec(),
            Some(Value::Array(a)) => a.iter().map(|v| v.as_u64().unwrap() as usize).collect(),
            Some(v) => vec![v.as_u64().unwrap() as usize],
        }
    }

    pub fn flag(&self, key: &str, default: bool) -> bool {
        self.kwargs.get(key).map_or(default, |v| v.as_bool().unwrap())
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

/// Reads a version 1 npy file of f4, f8, i8 or b1, in C order.
fn npy(bytes: &[u8]) -> Tensor {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let len = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let header = std::str::from_utf8(&bytes[10..10 + len]).unwrap();
    assert!(header.contains("'fortran_order': False"), "{header}");
    let dims: Vec<usize> = header
        .split_once("'shape': (")
        .unwrap()
        .1
        .split_once(')')
        .unwrap()
        .0
        .split(',')
        .filter(|s| !s.trim().is_empty())
        .map(|s| s.trim().parse().unwrap())
        .collect();
    let dtype = match header.split_once("'descr': '").unwrap().1.split_once('\'').unwrap().0 {
        "<f4" => DType::F32,
        "<f8" => DType::F64,
        "<i8" => DType::I64,
        "|b1" => DType::Bool,
        other => panic!("no reader for {other}"),
    };
    Tensor::from_raw_buffer(&bytes[10 + len..], dtype, &dims, &Device::Cpu).unwrap()
}

/// Returns a tensor equal to `t` whose `permute(order)` is contiguous.
fn permuted(t: &Tensor, order: &[usize]) -> Tensor {
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| back[old] = new);
    t.permute(order).unwrap().force_contiguous().unwrap().permute(back).unwrap()
}

/// Returns the cases of a family.
pub fn cases(family: &str) -> Vec<Case> {
    let file = std::fs::File::open(folder().join(format!("{family}.npz"))).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut arrays = HashMap::new();
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).unwrap();
        let name = entry.name().unwrap().trim_end_matches(".npy").to_string();
        if name != "meta" {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            arrays.insert(name, npy(&bytes));
        }
    }
    let text = std::fs::read_to_string(folder().join(format!("{family}.json"))).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let text = |v: &Value| v.as_str().unwrap().to_string();
    let array = |v: &Value| arrays[v.as_str().unwrap()].clone();
    let list = |v: &Value| v.as_array().unwrap().clone();
    let case = |c: &Value| {
        let mut inputs: Vec<(String, String)> =
            c["inputs"].as_object().unwrap().iter().map(|(k, v)| (k.clone(), text(v))).collect();
        inputs.sort_by(|a, b| a.1.cmp(&b.1));
        let inputs = inputs.into_iter().map(|(param, name)| {
            let t = arrays[&name].clone();
            let order = c.get("permuted").and_then(|p| p.get(&param));
            let t = match order {
                None => t,
                Some(o) => {
                    let o: Vec<usize> = list(o).iter().map(|v| v.as_u64().unwrap() as usize).collect();
                    permuted(&t, &o)
                }
            };
            (param, t)
        });
        Case {
            name: text(&c["name"]),
            op: text(&c["op"]),
            dtype: DType::from_long_name(c["dtype"].as_str().unwrap()).unwrap(),
            kwargs: c["kwargs"].clone(),
            inputs: inputs.collect(),
            outputs: list(&c["outputs"]).iter().map(array).collect(),
            cotangent: (!c["cotangent"].is_null()).then(|| array(&c["cotangent"])),
            grads: list(&c["grads"]).iter().map(|g| (!g.is_null()).then(|| array(g))).collect(),
        }
    };
    list(&json["cases"]).iter().map(case).collect()
}

/// Returns the values in f64.
pub fn values(t: &Tensor) -> Vec<f64> {
    t.to_dtype(DType::F64).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}

/// Asserts equal shapes, and values within `tol * max(1, |want|)`. NaN equals NaN, and infinities equal themselves.
pub fn close(what: &str, got: &Tensor, want: &Tensor, tol: f64) {
    assert_eq!(got.dims(), want.dims(), "{what}: shape");
    for (i, (g, w)) in values(got).into_iter().zip(values(want)).enumerate() {
        let same = g == w || (g.is_nan() && w.is_nan());
        assert!(same || (g - w).abs() <= tol * w.abs().max(1.0), "{what}: element {i} is {g}, expected {w}");
    }
}

/// Runs a case, and compares its output and its gradients with PyTorch's.
pub fn check(case: &Case, run: impl Fn(&Case, &[Tensor]) -> rushlight::Result<Tensor>) {
    let tol = if case.dtype == DType::F64 { 1e-12 } else { 2e-5 };
    let leaves: Vec<Tensor> = case.inputs.iter().map(|i| i.1.leaf()).collect();
    let out = run(case, &leaves).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    assert_eq!(out.dtype(), case.dtype, "{}", case.name);
    close(&case.name, &out, &case.outputs[0], tol);
    let Some(cotangent) = &case.cotangent else { return };
    let grads = out.mul(cotangent).unwrap().sum_all().unwrap().backward().unwrap();
    for ((leaf, want), (param, _)) in leaves.iter().zip(&case.grads).zip(&case.inputs) {
        if let Some(want) = want {
            let got = grads.get(leaf).unwrap_or_else(|| panic!("{}: no gradient of {param}", case.name));
            close(&format!("{}: gradient of {param}", case.name), got, want, tol);
        }
    }
}
