//! Formatting of tensors, similar to candle and PyTorch.
//!
//! For a tensor of more than [`PrinterOptions::threshold`] elements, only the first and last few elements of each
//! dimension are shown, and only these are copied from the device.
use crate::{DType, DeviceLocation, Result, Tensor};
use num_complex::Complex;
use std::fmt::{Display, Formatter, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Options for printing tensors.
///
/// ```
/// use rushlight::{display, Device, Tensor};
/// let t = Tensor::new(&[0.5f32, 1.25], &Device::Cpu)?;
/// assert_eq!(t.to_string(), "[0.5000, 1.2500]\nTensor[[2], f32]");
/// display::set_precision(1);
/// assert_eq!(t.to_string(), "[0.5, 1.2]\nTensor[[2], f32]");
/// # display::set_print_options_default();
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrinterOptions {
    /// Number of digits after the decimal point.
    pub precision: usize,
    /// Number of elements above which a tensor is summarized.
    pub threshold: usize,
    /// Number of elements that a summary shows at each end of a dimension.
    pub edge_items: usize,
    /// Number of columns of a line of numbers.
    pub line_width: usize,
    /// Whether to use scientific notation. `None` chooses it depending on the values.
    pub sci_mode: Option<bool>,
}

impl PrinterOptions {
    const DEFAULT: Self =
        Self { precision: 4, threshold: 1000, edge_items: 3, line_width: 80, sci_mode: None };
}

impl Default for PrinterOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

static OPTIONS: Mutex<PrinterOptions> = Mutex::new(PrinterOptions::DEFAULT);

fn options() -> MutexGuard<'static, PrinterOptions> {
    OPTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The current options, which apply to all threads.
pub fn print_options() -> &'static Mutex<PrinterOptions> {
    &OPTIONS
}

/// Replaces the options.
pub fn set_print_options(options_: PrinterOptions) {
    *options() = options_;
}

/// Restores the defaults: 4 digits, summaries above 1,000 elements, 3 edge items, 80 columns.
pub fn set_print_options_default() {
    *options() = PrinterOptions::DEFAULT;
}

/// Sets 2 digits and 2 edge items.
pub fn set_print_options_short() {
    *options() = PrinterOptions { precision: 2, edge_items: 2, ..PrinterOptions::DEFAULT };
}

/// Prints every element of a tensor, whatever its size.
pub fn set_print_options_full() {
    *options() = PrinterOptions { threshold: usize::MAX, ..PrinterOptions::DEFAULT };
}

/// Sets [`PrinterOptions::line_width`].
pub fn set_line_width(line_width: usize) {
    options().line_width = line_width;
}

/// Sets [`PrinterOptions::precision`].
pub fn set_precision(precision: usize) {
    options().precision = precision;
}

/// Sets [`PrinterOptions::edge_items`].
pub fn set_edge_items(edge_items: usize) {
    options().edge_items = edge_items;
}

/// Sets [`PrinterOptions::threshold`].
pub fn set_threshold(threshold: usize) {
    options().threshold = threshold;
}

/// Sets [`PrinterOptions::sci_mode`].
pub fn set_sci_mode(sci_mode: Option<bool>) {
    options().sci_mode = sci_mode;
}

/// The notation of a tensor's numbers.
#[derive(Clone, Copy)]
enum Notation {
    /// Whole numbers: `42.`
    Whole,
    Fixed(usize),
    Scientific(usize),
}

impl Notation {
    /// Chooses the notation for the numbers that will be shown, by PyTorch's rule.
    fn of(values: &[f64], po: &PrinterOptions) -> Self {
        let shown = || values.iter().copied().filter(|v| v.is_finite() && *v != 0.0);
        let (min, max) =
            shown().fold((f64::INFINITY, 0.0), |(lo, hi), v| (f64::min(lo, v.abs()), f64::max(hi, v.abs())));
        let scientific = max > 0.0 && (max / min > 1000.0 || max > 1e8 || min < 1e-4);
        if po.sci_mode.unwrap_or(scientific) {
            Self::Scientific(po.precision)
        } else if shown().all(|v| v.ceil() == v) {
            Self::Whole
        } else {
            Self::Fixed(po.precision)
        }
    }

    fn text(self, v: f64) -> String {
        match self {
            Self::Scientific(p) => format!("{v:.p$e}"),
            Self::Whole if v.is_finite() => format!("{v:.0}."),
            Self::Whole => format!("{v}"),
            Self::Fixed(p) => format!("{v:.p$}"),
        }
    }
}

fn complex(v: Complex<f64>, notation: Notation) -> String {
    let (re, im) = (notation.text(v.re), notation.text(v.im));
    let plus = if im.starts_with('-') { "" } else { "+" };
    format!("{re}{plus}{im}j")
}

/// Returns the elements of a (small) tensor as texts, row-major.
fn texts(t: &Tensor, po: &PrinterOptions) -> Result<Vec<String>> {
    let host = t.to_cpu_storage()?;
    match host.dtype() {
        DType::C64 | DType::C128 => {
            let wide = t.detach().to_dtype(DType::C128)?.to_cpu_storage()?;
            let values: &[Complex<f64>] = wide.as_slice()?;
            let parts: Vec<f64> = values.iter().flat_map(|v| [v.re, v.im]).collect();
            let notation = Notation::of(&parts, po);
            Ok(values.iter().map(|v| complex(*v, notation)).collect())
        }
        dtype => crate::cpu::dispatch_all!(dtype, "display", T => {
            let values = host.as_slice::<T>()?;
            if !dtype.is_float() {
                return Ok(values.iter().map(T::to_string).collect());
            }
            let values: Vec<f64> = values.iter().map(|v| crate::Element::to_f64(*v)).collect();
            let notation = Notation::of(&values, po);
            Ok(values.iter().map(|v| notation.text(*v)).collect())
        }),
    }
}

/// Returns the first and last `edge` elements of every dimension that is longer than both together.
fn edges(t: &Tensor, edge: usize) -> Result<Tensor> {
    let mut t = t.detach();
    for dim in 0..t.rank() {
        let len = t.dims()[dim];
        if len > 2 * edge {
            t = Tensor::cat(&[t.narrow(dim, 0, edge)?, t.narrow(dim, len - edge, edge)?], dim)?;
        }
    }
    Ok(t)
}

/// The part of a tensor that remains to be written: its dimensions, and the texts of the elements to show.
struct Printer<'a> {
    dims: &'a [usize],
    texts: std::slice::Iter<'a, String>,
    width: usize,
    /// Number of elements at each end of a dimension, if the tensor is summarized.
    edge: Option<usize>,
    line_width: usize,
}

impl Printer<'_> {
    fn element(&mut self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let text = self.texts.next().map_or("", String::as_str);
        write!(f, "{text:>width$}", width = self.width)
    }

    fn newline(f: &mut Formatter<'_>, indent: usize) -> std::fmt::Result {
        write!(f, "\n{:indent$}", "")
    }

    /// Writes the part of the tensor whose first `depth` indices are fixed.
    fn write(&mut self, depth: usize, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_char('[')?;
        let indent = depth + 1;
        let len = self.dims.get(depth).copied();
        let cut = self.edge.filter(|e| len.is_some_and(|l| l > 2 * e));
        match (len, cut) {
            (None, _) => self.element(f)?,
            (Some(_), Some(edge)) if indent == self.dims.len() => {
                for _ in 0..edge {
                    self.element(f)?;
                    f.write_str(", ")?;
                }
                f.write_str("...")?;
                for _ in 0..edge {
                    f.write_str(", ")?;
                    self.element(f)?;
                }
            }
            (Some(len), None) if indent == self.dims.len() => {
                let per_line = usize::max(1, self.line_width / (self.width + 2));
                for i in 0..len {
                    match i {
                        0 => {}
                        _ if i % per_line == 0 => {
                            f.write_char(',')?;
                            Self::newline(f, indent)?;
                        }
                        _ => f.write_str(", ")?,
                    }
                    self.element(f)?;
                }
            }
            (Some(len), cut) => {
                let shown = cut.map_or(len, |edge| 2 * edge);
                for i in 0..shown {
                    if cut == Some(i) {
                        f.write_str("...")?;
                        Self::newline(f, indent)?;
                    }
                    self.write(depth + 1, f)?;
                    if i + 1 < shown {
                        f.write_char(',')?;
                        Self::newline(f, indent)?;
                    }
                }
                if shown == 0 && cut.is_some() {
                    f.write_str("...")?;
                }
            }
        }
        f.write_char(']')
    }
}

/// Returns `, cuda:0` and the like, or an empty text for the CPU.
fn device_suffix(t: &Tensor) -> String {
    match t.device().location() {
        DeviceLocation::Cpu => String::new(),
        other => format!(", {other}"),
    }
}

impl Display for Tensor {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let po = options().clone();
        let edge = (self.elem_count() > po.threshold).then_some(po.edge_items);
        let shown = edge.map_or_else(|| Ok(self.clone()), |e| edges(self, e));
        let texts = match shown.and_then(|t| texts(&t, &po)) {
            Ok(texts) => texts,
            Err(e) => return write!(f, "{e}\nTensor[{:?}, {}]", self.dims(), self.dtype().as_str()),
        };
        let width = texts.iter().map(String::len).max().unwrap_or(1);
        let mut printer =
            Printer { dims: self.dims(), texts: texts.iter(), width, edge, line_width: po.line_width };
        printer.write(0, f)?;
        write!(f, "\nTensor[{:?}, {}{}]", self.dims(), self.dtype().as_str(), device_suffix(self))
    }
}

impl std::fmt::Debug for Tensor {
    /// Writes one line: the values of a scalar or of a vector of fewer than 10 elements, else the dimensions.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let joined = |v: Vec<String>| v.join(", ");
        let short = self.rank() == 0 || self.rank() == 1 && self.elem_count() < 10;
        let values = || -> Result<Vec<String>> {
            let host = self.detach().to_cpu_storage()?;
            crate::cpu::dispatch_all!(host.dtype(), "debug", T => {
                Ok(host.as_slice::<T>()?.iter().map(T::to_string).collect())
            })
        };
        let body = match if short { values().map(joined) } else { Ok(String::new()) } {
            Ok(_) if !short => {
                format!("dims {}", joined(self.dims().iter().map(usize::to_string).collect()))
            }
            Ok(values) => values,
            Err(e) => e.to_string(),
        };
        write!(f, "Tensor[{body}; {}{}]", self.dtype().as_str(), device_suffix(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, Element};

    fn shown<S: Element>(values: &[S]) -> Result<String> {
        Ok(Tensor::new(values, &Device::Cpu)?.to_string())
    }

    // The options apply to the whole process, so no test here changes them.
    #[test]
    fn every_dtype_prints() -> Result<()> {
        assert_eq!(shown(&[true, false])?, "[ true, false]\nTensor[[2], bool]");
        assert_eq!(shown(&[1i8, -100])?, "[   1, -100]\nTensor[[2], i8]");
        assert_eq!(shown(&[u64::MAX])?, "[18446744073709551615]\nTensor[[1], u64]");
        assert_eq!(shown(&[half::bf16::from_f32(0.5)])?, "[0.5000]\nTensor[[1], bf16]");
        assert_eq!(shown(&[f32::INFINITY, 1.0])?, "[inf,  1.]\nTensor[[2], f32]");
        let c = crate::C64::new(1.5, -2.0);
        assert_eq!(shown(&[c])?, "[1.5000-2.0000j]\nTensor[[1], c64]");
        let c = crate::C128::new(-0.5, 1e-9);
        assert_eq!(shown(&[c])?, "[-5.0000e-1+1.0000e-9j]\nTensor[[1], c128]");
        for dtype in DType::ALL {
            let t = Tensor::zeros((2, 2), *dtype, &Device::Cpu)?;
            assert!(t.to_string().ends_with(&format!("Tensor[[2, 2], {}]", dtype.as_str())), "{t}");
            assert_eq!(format!("{t:?}"), format!("Tensor[dims 2, 2; {}]", dtype.as_str()));
        }
        Ok(())
    }

    #[test]
    fn shapes_without_elements() -> Result<()> {
        let t = Tensor::zeros((2, 0), DType::F32, &Device::Cpu)?;
        assert_eq!(t.to_string(), "[[],\n []]\nTensor[[2, 0], f32]");
        assert_eq!(format!("{:?}", Tensor::zeros(0, DType::F32, &Device::Cpu)?), "Tensor[; f32]");
        Ok(())
    }

    #[test]
    fn a_summary_brings_only_the_edges_to_the_host() -> Result<()> {
        let device = Device::new_testdev(0);
        let t = Tensor::arange(0u32, 3000, &Device::Cpu)?.reshape((3, 1000))?.to_device(&device)?;
        let text = t.to_string();
        assert!(text.contains("[1000, 1001, 1002, ..., 1997, 1998, 1999]"), "{text}");
        assert!(text.ends_with("Tensor[[3, 1000], u32, test:0]"), "{text}");
        assert_eq!(format!("{:?}", t.get(0)?.narrow(0, 2, 2)?), "Tensor[2, 3; u32, test:0]");
        Ok(())
    }
}
