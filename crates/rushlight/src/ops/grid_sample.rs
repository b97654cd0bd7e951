//! Sampling of images and volumes at given positions.
use super::grid_sample_backward::{GridSampleGridGrad, GridSampleInputGrad};
use super::window::{Each, last3, shape_of, sizes};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, chosen, grads,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::tensor::grid_sample::composed;
use crate::{Error, Result, Shape, Tensor};

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$value_doc])* $value),* }

        impl $name {
            /// The names.
            pub(crate) const NAMES: &'static [&'static str] = &[$($text),*];

            /// The value of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$value),)* _ => None }
            }

            /// Name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $text),* }
            }
        }
    };
}
choice! {
    /// How the value between elements is computed.
    SampleMode {
        /// From the two neighbours of each dimension, linearly.
        Bilinear "bilinear",
        /// From the nearest element; of two the one with an even index.
        Nearest "nearest",
        /// From four neighbours of each dimension, by cubic convolution with a = -0.75 (Keys 1981). Images only.
        Bicubic "bicubic",
    }
}
choice! {
    /// Values outside of an image.
    SamplePadding {
        /// Zeros.
        Zeros "zeros",
        /// The elements at the border.
        Border "border",
        /// The image mirrored at its border.
        Reflection "reflection",
    }
}
choice! {
    /// Meaning of the numbers of a grid.
    SampleUnit {
        /// -1 and 1 are the borders of the first and the last element.
        Edges "edges",
        /// -1 and 1 are the centres of the first and the last element.
        Centers "centers",
        /// Indices of elements, in the order of the dimensions: (depth,) row, column.
        Pixels "pixels",
    }
}

/// Samples `x` of shape `[N, C, (D,) H, W]` at the positions of `grid`, of shape `[N, (D',) H', W', 2 or 3]`. Its last
/// dimension holds the coordinates in the order x, y, (z), or, for indices, in the order of the dimensions. Coordinates
/// are computed in f64 by PyTorch's formulas; positions that are not finite are outside of the image. Weights are
/// rounded to the accumulation type, and terms are added in row-major order of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridSample {
    /// How the value between elements is computed.
    pub mode: SampleMode,
    /// Values outside of the image.
    pub padding: SamplePadding,
    /// Meaning of the numbers of the grid.
    pub unit: SampleUnit,
}

impl GridSample {
    pub(super) const SPECS: [AttributeSpec; 3] = [
        AttributeSpec::new(
            "mode",
            Kind::Choice(SampleMode::NAMES),
            Allowed::Any,
            "How the value between elements is computed.",
        ),
        AttributeSpec::new(
            "padding_mode",
            Kind::Choice(SamplePadding::NAMES),
            Allowed::Any,
            "Values outside of the image.",
        ),
        AttributeSpec::new(
            "unit",
            Kind::Choice(SampleUnit::NAMES),
            Allowed::Any,
            "Meaning of -1 and 1, or indices of elements.",
        ),
    ];

    /// The op of the words of its attributes.
    fn of_words(mode: &str, padding: &str, unit: &str) -> Result<Self> {
        Ok(Self {
            mode: chosen(SampleMode::from_name(mode), mode)?,
            padding: chosen(SamplePadding::from_name(padding), padding)?,
            unit: chosen(SampleUnit::from_name(unit), unit)?,
        })
    }

    pub(super) fn all_values(&self) -> Vec<Value> {
        vec![
            Value::Choice(self.mode.name()),
            Value::Choice(self.padding.name()),
            Value::Choice(self.unit.name()),
        ]
    }

    /// Number of elements that are read along a dimension.
    pub(crate) fn taps(&self) -> usize {
        match self.mode {
            SampleMode::Nearest => 1,
            SampleMode::Bilinear => 2,
            SampleMode::Bicubic => 4,
        }
    }

    /// Returns the shape of the samples of an input of shape `x`, or an error if shapes do not fit.
    pub(super) fn sampled(&self, op: &'static str, x: &Shape, grid: &Shape) -> Result<Shape> {
        let n = x.rank().saturating_sub(2);
        if !(n == 2 || n == 3) {
            return Err(Error::invalid(op, format!("input has rank 4 or 5, got shape {x:?}")));
        }
        let all = sizes(x, n)?;
        if last3(all).contains(&0) {
            return Err(Error::EmptyTensor { op, shape: x.clone() }.bt());
        }
        let dims = grid.dims();
        let [batch, to @ .., coordinates] = dims else {
            return Err(Error::shapes(x, grid, op));
        };
        if to.len() != n || *batch != all[0] || *coordinates != n {
            return Err(Error::shapes(x, grid, op));
        }
        if n == 3 && self.mode == SampleMode::Bicubic {
            return Err(Error::invalid(op, format!("mode 'bicubic' samples images, got shape {x:?}")));
        }
        let mut three = [1; 3];
        three[3 - n..].copy_from_slice(to);
        Ok(shape_of(all[0], all[1], three, n))
    }
}

impl OpDef for GridSample {
    fn name(&self) -> &'static str {
        "grid_sample"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("grid", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.sampled(self.name(), &ins[0].shape, &ins[1].shape)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs(if wanted == 0 { 2 } else { 3 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if c.records() && c.needs(1) {
            // Of gathered elements and weights, which have second derivatives.
            return c.composed(|ins| composed(self, ins));
        }
        let g = c.grad();
        let shape = &c.meta(0)?.shape;
        let size: Each = last3(sizes(shape, shape.rank().saturating_sub(2))?).map(|v| v as u32);
        grads![
            c.when(0, || {
                let op = Op::GridSampleInputGrad(GridSampleInputGrad { forward: *self, size });
                Tensor::run(op, &[g, &c.input(1)?])?.to_dtype(g.dtype())
            })?,
            c.when(1, || {
                let op = Op::GridSampleGridGrad(GridSampleGridGrad(*self));
                Tensor::run(op, &[g, &c.input(0)?, &c.input(1)?])
            })?
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, sizes of the grid ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &Self::SPECS
    }

    fn values(&self) -> Vec<Value> {
        self.all_values()
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
        samples(|op, x, grid, domain| {
            let ins = vec![Spec::new(x, Domain::Range(-3.0, 3.0)), Spec::new(grid, domain)];
            (Op::GridSample(op), ins)
        })
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Samples images or volumes at the positions of a grid.",
                [],
                (
                    mode: Choice(SampleMode::NAMES),
                    padding_mode: Choice(SamplePadding::NAMES),
                    unit: Choice(SampleUnit::NAMES),
                ) => Self::of_words(mode, padding_mode, unit).map(Op::GridSample)
            )
            .named("_grid_sample")
            .without_method(),
        ]
    }
}

/// Returns samples of all modes: `make(op, shape of x, shape of the grid, values of the grid)`. The grid's values avoid
/// the kinks of images with 4 elements (edges) or 5 elements (centers).
pub(super) fn samples(
    make: impl Fn(GridSample, &[usize], &[usize], Domain) -> (Op, Vec<Spec>),
) -> Vec<Sample> {
    use SampleMode::{Bicubic, Bilinear, Nearest};
    use SamplePadding::{Border, Reflection, Zeros};
    use SampleUnit::{Centers, Edges, Pixels};
    let away = Domain::Away(-1.6, 1.6, 0.25);
    let pixels = Domain::Away(-2.0, 6.0, 0.5);
    let (image, to): (&[usize], &[usize]) = (&[1, 3, 4, 4], &[1, 5, 4, 2]);
    let (odd, more): (&[usize], &[usize]) = (&[2, 1, 5, 5], &[2, 1, 7, 2]);
    let (volume, into): (&[usize], &[usize]) = (&[2, 1, 4, 4, 4], &[2, 1, 4, 5, 3]);
    type Case<'a> = (SampleMode, SamplePadding, SampleUnit, &'a [usize], &'a [usize], Domain);
    let good: [Case<'_>; 12] = [
        (Bilinear, Zeros, Edges, image, to, away),
        (Bilinear, Border, Centers, odd, more, away),
        (Bicubic, Zeros, Edges, image, to, away),
        (Bilinear, Reflection, Edges, image, to, away),
        (Bilinear, Reflection, Centers, odd, more, away),
        (Bilinear, Zeros, Pixels, odd, more, pixels),
        (Nearest, Zeros, Edges, image, to, away),
        (Nearest, Reflection, Centers, odd, more, away),
        (Bicubic, Border, Centers, odd, more, away),
        (Bicubic, Reflection, Edges, image, to, away),
        (Bilinear, Zeros, Edges, volume, into, away),
        (Nearest, Border, Edges, volume, into, away),
    ];
    let op = |mode, padding, unit| GridSample { mode, padding, unit };
    let mut all: Vec<Sample> = good
        .into_iter()
        .map(|(mode, padding, unit, x, grid, domain)| {
            let (op, ins) = make(op(mode, padding, unit), x, grid, domain);
            Sample::new(op, ins)
        })
        .collect();
    type Bad<'a> = (SampleMode, &'a [usize], &'a [usize], &'static str);
    let bad: [Bad<'_>; 5] = [
        (Bilinear, &[1, 3, 4], &[1, 5, 4, 2], "rank 4 or 5"),
        (Bilinear, &[1, 3, 4, 4], &[1, 5, 4, 3], "shape mismatch"),
        (Bilinear, &[1, 3, 4, 4], &[2, 5, 4, 2], "shape mismatch"),
        (Bilinear, &[1, 3, 0, 4], &[1, 5, 4, 2], "empty tensor"),
        (Bicubic, &[1, 1, 4, 4, 4], &[1, 1, 4, 5, 3], "samples images"),
    ];
    all.extend(bad.into_iter().map(|(mode, x, grid, words)| {
        let (op, ins) = make(op(mode, Zeros, Edges), x, grid, away);
        Sample::bad(op, ins, words)
    }));
    all
}

impl Tensor {
    /// Samples images `[N, C, H, W]` or volumes `[N, C, D, H, W]` at the positions of `grid`: `[N, H', W', 2]` with
    /// coordinates x and y, or `[N, D', H', W', 3]` with x, y and z. FLOAT dtypes; both have the same one. The gradient
    /// of the image has the same bits in every run. Fails for other shapes and for empty images.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::grid_sample::{SampleMode, SamplePadding, SampleUnit}};
    /// let x = Tensor::new(&[[[[1f32, 2.], [3., 4.]]]], &Device::Cpu)?;
    /// let grid = Tensor::new(&[[[[0f32, 0.], [0.5, 0.]]]], &Device::Cpu)?;
    /// let y = x.grid_sample(&grid, SampleMode::Bilinear, SamplePadding::Zeros, SampleUnit::Edges)?;
    /// assert_eq!(y.flatten_all()?.to_vec1::<f32>()?, [2.5, 3.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn grid_sample(
        &self,
        grid: &Self,
        mode: SampleMode,
        padding: SamplePadding,
        unit: SampleUnit,
    ) -> Result<Self> {
        Tensor::run(Op::GridSample(GridSample { mode, padding, unit }), &[self, grid])
    }
}
