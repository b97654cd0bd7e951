//! The text of a tensor, in PyTorch's form.
use crate::args::Whole;
use crate::dtype;
use crate::error::OrPy;
use crate::promote::Num;
use crate::scalar::num_at;
use pyo3::prelude::*;
use rushlight::Tensor;
use rushlight::pydoc;
use std::sync::{PoisonError, RwLock};

#[derive(Clone, Copy)]
struct Options {
    precision: usize,
    threshold: usize,
    edgeitems: usize,
}

static OPTIONS: RwLock<Options> = RwLock::new(Options { precision: 4, threshold: 1000, edgeitems: 3 });

#[doc = pydoc!(
    "Sets how tensors are printed; parameters that are left out keep their value.";
    (precision: "int, optional" "Digits after the decimal point (4 at the start, at most 17).", threshold: "int, optional" "Number of elements above which the middle is abbreviated (1000 at the start).", edgeitems: "int, optional" "Elements shown at each end of an abbreviated dimension (3 at the start).");
    (ValueError: "If a number is negative.");
    [
        ">>> rl.set_printoptions(precision=2)",
        ">>> rl.tensor([0.125])",
        "tensor([0.12], dtype=float32, device='cpu')",
        ">>> rl.set_printoptions(precision=4)",
    ]
)]
#[pyfunction]
#[pyo3(signature = (*, precision = None, threshold = None, edgeitems = None))]
pub fn set_printoptions(
    precision: Option<Whole>,
    threshold: Option<Whole>,
    edgeitems: Option<Whole>,
) -> PyResult<()> {
    let count = |v: Option<Whole>, name| v.map(|v| v.count::<usize>("set_printoptions", name)).transpose();
    let precision = count(precision, "precision")?;
    let threshold = count(threshold, "threshold")?;
    let edgeitems = count(edgeitems, "edgeitems")?;
    let mut o = OPTIONS.write().unwrap_or_else(PoisonError::into_inner);
    *o = Options {
        precision: precision.unwrap_or(o.precision).min(17),
        threshold: threshold.unwrap_or(o.threshold),
        edgeitems: edgeitems.unwrap_or(o.edgeitems).max(1),
    };
    Ok(())
}

fn number(n: Num, o: Options, exponent: bool) -> String {
    let float = |f: f64| {
        if f.is_nan() {
            "nan".to_string()
        } else if f.is_infinite() {
            if f > 0.0 { "inf" } else { "-inf" }.to_string()
        } else if exponent {
            let text = format!("{f:.p$e}", p = o.precision);
            let (mantissa, e) = text.split_once('e').unwrap_or((&text, "0"));
            let e: i32 = e.parse().unwrap_or(0);
            format!("{mantissa}e{}{:02}", if e < 0 { '-' } else { '+' }, e.abs())
        } else if f.fract() == 0.0 {
            format!("{f:.0}.")
        } else {
            let text = format!("{f:.p$}", p = o.precision);
            text.trim_end_matches('0').to_string()
        }
    };
    match n {
        Num::Bool(true) => "True".to_string(),
        Num::Bool(false) => "False".to_string(),
        Num::Int(i) => i.to_string(),
        Num::Huge(f) | Num::Float(f) => float(f),
        Num::Complex(re, im) => {
            let sign = if im.is_sign_negative() && !im.is_nan() { "" } else { "+" };
            format!("{}{sign}{}j", float(re), float(im))
        }
    }
}

struct Printer<'a> {
    dims: &'a [usize],
    /// For each dimension, whether its middle was left out.
    gaps: &'a [bool],
    edge: usize,
}

impl Printer<'_> {
    fn text(&self, depth: usize, cells: &mut std::vec::IntoIter<String>, out: &mut String) {
        const INDENT: usize = "tensor(".len();
        let Some(&len) = self.dims.get(depth) else {
            out.push_str(&cells.next().unwrap_or_default());
            return;
        };
        let last = depth + 1 == self.dims.len();
        let margin = " ".repeat(INDENT + depth + 1);
        out.push('[');
        let mut column = INDENT + depth;
        for i in 0..len {
            if i > 0 && last && column > 80 {
                // Rows of a vector break after about 80 columns.
                out.push_str(&format!(",\n{margin}"));
                column = INDENT + depth;
            } else if i > 0 {
                let gap = "\n".repeat(self.dims.len() - depth - 1);
                out.push_str(&if last { ", ".to_string() } else { format!(",{gap}{margin}") });
            }
            if self.gaps[depth] && i == self.edge {
                out.push_str(&if last { "..., ".to_string() } else { format!("...,\n{margin}") });
            }
            let before = out.len();
            self.text(depth + 1, cells, out);
            column += out.len() - before + 2;
        }
        out.push(']');
    }
}

/// Returns the tensor without the middle of its large dimensions, and for each dimension whether it was cut.
fn edges(t: &Tensor, edge: usize) -> rushlight::Result<(Tensor, Vec<bool>)> {
    let (mut out, mut gaps) = (t.clone(), vec![false; t.rank()]);
    for (dim, gap) in gaps.iter_mut().enumerate() {
        let len = out.dims()[dim];
        if len > 2 * edge {
            out = Tensor::cat(&[out.narrow(dim, 0, edge)?, out.narrow(dim, len - edge, edge)?], dim)?;
            *gap = true;
        }
    }
    Ok((out, gaps))
}

/// Returns the text of a tensor: `tensor([...], dtype=float32, device='cpu')`.
pub fn repr(t: &Tensor) -> PyResult<String> {
    let o = *OPTIONS.read().unwrap_or_else(PoisonError::into_inner);
    let mut tail = format!("dtype={}, device='{}'", dtype::name(t.dtype()), t.device().location());
    if t.is_variable() {
        tail.push_str(", requires_grad=True");
    } else if let Some(op) = t.grad_fn() {
        tail.push_str(&format!(", grad_fn=<{op}>"));
    }
    if t.elem_count() == 0 {
        let size = if t.rank() == 1 { String::new() } else { format!("shape={:?}, ", t.shape()) };
        return Ok(format!("tensor([], {size}{tail})"));
    }
    let whole_text = t.elem_count() <= o.threshold;
    let (t, gaps) = if whole_text {
        (t.detach(), vec![false; t.rank()])
    } else {
        edges(&t.detach(), o.edgeitems).py()?
    };
    let host = t.to_cpu_storage().py()?;
    let values = (0..host.len()).map(|i| num_at(&host, i)).collect::<PyResult<Vec<_>>>()?;
    let finite = values.iter().filter_map(|n| match n {
        Num::Float(f) if f.is_finite() && *f != 0.0 => Some(f.abs()),
        _ => None,
    });
    let (small, large) = finite.fold((f64::INFINITY, 0f64), |(s, l), f| (s.min(f), l.max(f)));
    let whole = values.iter().all(|n| matches!(n, Num::Float(f) if !f.is_finite() || f.fract() == 0.0));
    let exponent = !t.dtype().is_complex()
        && large > 0.0
        && (large >= 1e8 || (!whole && (small < 1e-4 || large / small > 1e4 && small < 1e-3)));
    let cells: Vec<String> = values
        .iter()
        .map(|n| {
            let text = number(*n, o, exponent);
            match n {
                // All fractions of a tensor are printed with the same number of digits.
                Num::Float(f) if !whole && !exponent && f.is_finite() => format!("{f:.p$}", p = o.precision),
                _ => text,
            }
        })
        .collect();
    let width = if t.rank() == 0 { 0 } else { cells.iter().map(String::len).max().unwrap_or(0) };
    let cells: Vec<String> = cells.into_iter().map(|c| format!("{c:>width$}")).collect();
    let mut out = "tensor(".to_string();
    let p = Printer { dims: t.dims(), gaps: &gaps, edge: o.edgeitems };
    p.text(0, &mut cells.into_iter(), &mut out);
    Ok(format!("{out}, {tail})"))
}
