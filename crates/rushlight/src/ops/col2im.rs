//! The op col2im: the sum of columns in the windows of images.
use super::im2col::{Im2Col, samples};
use super::window::{Each, each, last3, shape_of, sizes, wide};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape};

/// Adds columns `[N, C * kernel height * kernel width, windows]` to images `[N, C, H, W]`, at the elements that [`Im2Col`]
/// copies to them, in row-major order of the elements of a window, as PyTorch does. Columns of the padding are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Col2Im {
    /// The windows.
    pub windows: Im2Col,
    /// Sizes of the images.
    size: Each,
}

const OUTPUT_SIZE: AttributeSpec =
    AttributeSpec::new("output_size", Kind::Sizes, Allowed::ByShape, "Height and width of the images.");

impl Col2Im {
    /// Makes the op; `size` is the height and the width of the images.
    ///
    /// # Errors
    /// A size does not fit in 32 bits.
    pub fn new(windows: Im2Col, size: [usize; 2]) -> Result<Self> {
        Ok(Self { windows, size: each("col2im", "output-size", &size, 2, 1)? })
    }
}

impl OpDef for Col2Im {
    fn name(&self) -> &'static str {
        "col2im"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("columns", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let columns = &ins[0].shape;
        let [batch, rows, _] = *columns.dims() else {
            return Err(Error::UnexpectedNumberOfDims {
                expected: 3,
                got: columns.rank(),
                shape: columns.clone(),
            }
            .bt());
        };
        let channels = rows / self.windows.elements().unwrap_or(0).max(1);
        let images: Shape = shape_of(batch, channels, wide(self.size), 2);
        let expected = self.windows.columns(self.name(), &images)?;
        if expected != *columns {
            let [height, width] = self.windows.kernel();
            return Err(Error::invalid(
                self.name(),
                format!(
                    "images {images:?} have columns {expected:?} of windows of ({height}, {width}), got {columns:?}"
                ),
            ));
        }
        Ok(Meta::new(images, ins[0].dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![c.grad().im2col(&self.windows)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, output_size ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const SPECS: [AttributeSpec; 5] = {
            let [kernel, dilation, padding, stride] = Im2Col::SPECS;
            [OUTPUT_SIZE, kernel, dilation, padding, stride]
        };
        &SPECS
    }

    fn values(&self) -> Vec<Value> {
        let mut all = self.windows.attribute_values();
        all.insert(0, Value::sizes(2, wide(self.size)));
        all
    }

    fn pattern(&self) -> Pattern {
        Pattern::Windows
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Accumulated
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let op = |windows, images: &[usize]| {
            let size = sizes(&images.into(), 2).map_or([1; 3], |v| last3(v).map(|v| v as u32));
            Op::Col2Im(Self { windows, size })
        };
        let mut all = samples(|windows, images, columns| (op(windows, images), columns.into()));
        // Of the invalid samples those of im2col with images are invalid windows; here they need columns, whose rank is checked
        // first.
        for sample in all.iter_mut().filter(|s| s.error.is_some()) {
            sample.inputs[0].shape = [1, 4, 6].into();
        }
        all.retain(|s| s.error != Some("unexpected rank"));
        if let Some(first) = all.first().map(|s| s.op.clone()) {
            let columns = |shape: &[usize]| vec![Spec::new(shape, Domain::Range(-2.0, 2.0))];
            let bad: [(&[usize], &'static str); 3] = [
                (&[2, 18, 7], "have columns (2, 18, 8)"),
                (&[2, 17, 8], "have columns (2, 12, 8)"),
                (&[18, 8], "unexpected rank"),
            ];
            all.extend(bad.map(|(shape, text)| Sample::bad(first.clone(), columns(shape), text)));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Adds columns to the windows of (n, c, h, w).",
                [],
                (output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) => {
                    let windows = Im2Col::new(&kernel_size, &dilation, &padding, &stride)?;
                    let size = each("col2im", "output-size", &output_size, 2, 1)?;
                    Op::Col2Im(Self { windows, size })
                }
            )
            .named("_col2im")
            .spatial(2)
            .without_method(),
        ]
    }
}
