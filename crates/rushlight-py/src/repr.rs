//! The text of a tensor, in PyTorch's form.
use crate::convert::num_at;
use crate::dtype;
use crate::error::OrPy;
use crate::promote::Num;
use pyo3::prelude::*;
use rushlight::cpu::CpuStorage;
use rushlight::{DType, Tensor};
use std::sync::{PoisonError, RwLock};

#[derive(Clone, Copy)]
struct Options {
    precision: usize,
    threshold: usize,
    edgeitems: usize,
}

static OPTIONS: RwLock<Options> = RwLock::new(Options { precision: 4, threshold: 1000, edgeitems: 3 });

/// Digits after the point, elements above which the middle is left out, and elements shown at each edge then.
#[pyfunction]
#[pyo3(signature = (*, precision = None, threshold = None, edgeitems = None))]
pub fn set_printoptions(precision: Option<usize>, threshold: Option<usize>, edgeitems: Option<usize>) {
    let mut o = OPTIONS.write().unwrap_or_else(PoisonError::into_inner);
    *o = Options {
        precision: precision.unwrap_or(o.precision).min(17),
        threshold: threshold.unwrap_or(o.threshold),
        edgeitems: edgeitems.unwrap_or(o.edgeitems).max(1),
    };
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
        Num::Float(f) => float(f),
        Num::Complex(re, im) => {
            let sign = if im.is_sign_negative() { "" } else { "+" };
            format!("{}{sign}{}j", float(re), float(im))
        }
    }
}

/// Places of a dimension that are shown; `None` is the gap.
fn shown(len: usize, cut: bool, edge: usize) -> Vec<Option<usize>> {
    if cut && len > 2 * edge {
        (0..edge).map(Some).chain([None]).chain((len - edge..len).map(Some)).collect()
    } else {
        (0..len).map(Some).collect()
    }
}

struct Printer<'a> {
    host: &'a CpuStorage,
    dims: &'a [usize],
    cut: bool,
    edge: usize,
}

impl Printer<'_> {
    fn places(&self, depth: usize, base: usize, out: &mut Vec<usize>) {
        let Some(&len) = self.dims.get(depth) else {
            out.push(base);
            return;
        };
        for i in shown(len, self.cut, self.edge).into_iter().flatten() {
            self.places(depth + 1, base * len + i, out);
        }
    }

    fn text(&self, depth: usize, cells: &mut std::vec::IntoIter<String>, indent: usize, out: &mut String) {
        let Some(&len) = self.dims.get(depth) else {
            out.push_str(&cells.next().unwrap_or_default());
            return;
        };
        let last = depth + 1 == self.dims.len();
        out.push('[');
        let mut column = 0;
        for (n, place) in shown(len, self.cut, self.edge).into_iter().enumerate() {
            if n > 0 {
                out.push(',');
                if last {
                    // Rows of a vector break after about 80 columns.
                    if column + indent + depth > 80 {
                        out.push('\n');
                        out.push_str(&" ".repeat(indent + depth + 1));
                        column = 0;
                    } else {
                        out.push(' ');
                    }
                } else {
                    out.push_str(&"\n".repeat(self.dims.len() - depth - 1));
                    out.push_str(&" ".repeat(indent + depth + 1));
                }
            }
            let before = out.len();
            match place {
                Some(_) => self.text(depth + 1, cells, indent, out),
                None => out.push_str("..."),
            }
            column += out.len() - before + 2;
        }
        out.push(']');
    }
}

/// `tensor([...], dtype=float32, device='cpu')`.
pub fn repr(t: &Tensor) -> PyResult<String> {
    let o = *OPTIONS.read().unwrap_or_else(PoisonError::into_inner);
    let mut tail = format!("dtype={}, device='{}'", dtype::name(t.dtype()), t.device().location());
    if t.is_variable() {
        tail.push_str(", requires_grad=True");
    } else if t.track_op() {
        tail.push_str(", grad_fn=True");
    }
    if t.elem_count() == 0 {
        let size = if t.rank() == 1 { String::new() } else { format!("shape={:?}, ", t.dims()) };
        return Ok(format!("tensor([], {}{tail})", size.replace('[', "(").replace(']', ")")));
    }
    let host = t.to_cpu_storage().py()?;
    let p = Printer { host: &host, dims: t.dims(), cut: t.elem_count() > o.threshold, edge: o.edgeitems };
    let mut places = Vec::new();
    p.places(0, 0, &mut places);
    let values = places.iter().map(|i| num_at(p.host, *i)).collect::<PyResult<Vec<_>>>()?;
    let finite = values.iter().filter_map(|n| match n {
        Num::Float(f) if f.is_finite() && *f != 0.0 => Some(f.abs()),
        _ => None,
    });
    let (small, large) = finite.fold((f64::INFINITY, 0f64), |(s, l), f| (s.min(f), l.max(f)));
    let whole = values.iter().all(|n| matches!(n, Num::Float(f) if !f.is_finite() || f.fract() == 0.0));
    let exponent = t.dtype() != DType::C64
        && large > 0.0
        && (large >= 1e8 || (!whole && (small < 1e-4 || large / small > 1e4 && small < 1e-3)));
    let cells: Vec<String> = values
        .iter()
        .map(|n| {
            let text = number(*n, o, exponent);
            match n {
                // All of a tensor's fractions have as many digits.
                Num::Float(f) if !whole && !exponent && f.is_finite() => format!("{f:.p$}", p = o.precision),
                _ => text,
            }
        })
        .collect();
    let width = if t.rank() == 0 { 0 } else { cells.iter().map(String::len).max().unwrap_or(0) };
    let cells: Vec<String> = cells.into_iter().map(|c| format!("{c:>width$}")).collect();
    let mut out = "tensor(".to_string();
    p.text(0, &mut cells.into_iter(), 7, &mut out);
    Ok(format!("{out}, {tail})"))
}
