//! The op pad: adds elements at the ends of dimensions, or removes them.
use super::pad_backward::PadBackward;
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value, chosen,
    given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::shape::{DimVec, MAX_RANK};
use crate::{DType, Error, Result, Scalar, Shape, Tensor};

/// The elements that padding adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PadMode {
    /// A constant value.
    Constant,
    /// The input mirrored at its first and last element, without repeating that element.
    Reflect,
    /// Repeats the first and the last element.
    Replicate,
    /// Repeats the input from its other end.
    Circular,
}

impl PadMode {
    /// The names, in the order of the values.
    pub(crate) const NAMES: &'static [&'static str] = &["constant", "reflect", "replicate", "circular"];
    const ALL: [Self; 4] = [Self::Constant, Self::Reflect, Self::Replicate, Self::Circular];

    /// Returns the mode with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Returns the name of the mode.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Numbers of elements to add before and after each dimension, at the trailing indices. Negative numbers remove
/// elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pads([[i32; 2]; MAX_RANK]);

/// The padding of one dimension, which maps indices of the output to indices of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side {
    /// Size of the input's dimension.
    pub size: usize,
    /// Number of elements added before the input; negative if elements are removed.
    pub before: i64,
    /// Size of the output's dimension.
    pub out: usize,
}

impl Pads {
    /// Makes the padding of the last dimensions, in the order of the dimensions: `[before, after]` for each.
    pub fn new(pads: &[[i64; 2]]) -> Result<Self> {
        let mut all = [[0; 2]; MAX_RANK];
        if pads.len() > MAX_RANK {
            return Err(Error::RankTooLarge { op: "pad", rank: pads.len(), max: MAX_RANK }.bt());
        }
        for (to, from) in all[MAX_RANK - pads.len()..].iter_mut().zip(pads) {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = i32::try_from(from)
                    .map_err(|_| Error::invalid("pad", format!("{from} elements are too many")))?;
            }
        }
        Ok(Self(all))
    }

    /// Returns the numbers for all dimensions that a tensor may have.
    pub(crate) fn all(&self) -> [[i32; 2]; MAX_RANK] {
        self.0
    }

    /// Returns the padding that undoes this one.
    pub(crate) fn negated(&self) -> Self {
        // Only the least i32 has no negative; it becomes the largest i32.
        Self(self.0.map(|p| p.map(|v| v.checked_neg().unwrap_or(i32::MAX))))
    }

    /// Whether all numbers are 0.
    pub(crate) fn is_none(&self) -> bool {
        self.0.iter().flatten().all(|v| *v == 0)
    }

    fn of(&self, op: &'static str, rank: usize) -> Result<&[[i32; 2]]> {
        let (leading, mine) = self.0.split_at(MAX_RANK - rank.min(MAX_RANK));
        if leading.iter().flatten().any(|v| *v != 0) {
            let count = MAX_RANK - self.0.iter().position(|p| *p != [0, 0]).unwrap_or(MAX_RANK);
            return Err(Error::invalid(op, format!("pads {count} dimensions, the input has {rank}")));
        }
        Ok(mine)
    }

    /// Returns the padding of each dimension of an input, or an error if the mode does not allow it.
    pub(crate) fn sides(&self, op: &'static str, mode: PadMode, x: &Shape) -> Result<Vec<Side>> {
        let pads = self.of(op, x.rank())?;
        x.dims().iter().zip(pads).map(|(&size, pads)| side(op, mode, size, pads)).collect()
    }

    /// Returns the shape of the input, given the padded shape. (It is the same for every mode.)
    pub(crate) fn original(&self, op: &'static str, out: &Shape) -> Result<Shape> {
        let pads = self.of(op, out.rank())?;
        let size = |(&out, [before, behind]): (&usize, &[i32; 2])| {
            let size = out as i128 - i128::from(*before) - i128::from(*behind);
            usize::try_from(size).map_err(|_| {
                Error::invalid(op, format!("a dimension of {out} does not come from ({before}, {behind})"))
            })
        };
        let dims: Result<DimVec> = out.dims().iter().zip(pads).map(size).collect();
        Ok(dims?.into())
    }
}

fn side(op: &'static str, mode: PadMode, size: usize, &[before, behind]: &[i32; 2]) -> Result<Side> {
    let wrong = |text: String| Err(Error::invalid(op, text));
    let (before, behind) = (i64::from(before), i64::from(behind));
    let length = i64::try_from(size).unwrap_or(i64::MAX);
    let name = mode.name();
    // Number of input elements that are kept.
    let kept = length - (-before).max(0) - (-behind).max(0);
    let added = before.max(behind);
    if before == 0 && behind == 0 {
        return Ok(Side { size, before, out: size });
    }
    match mode {
        PadMode::Constant | PadMode::Circular if kept < 0 => {
            return wrong(format!(
                "({before}, {behind}) removes more than the {size} elements of a dimension"
            ));
        }
        PadMode::Circular if added > kept => {
            return wrong(format!(
                "mode '{name}' adds at most the {kept} elements, not {before} and {behind}"
            ));
        }
        PadMode::Reflect if added >= length => {
            return wrong(format!(
                "mode '{name}' adds fewer than {size} elements, not {before} and {behind}"
            ));
        }
        PadMode::Replicate if size == 0 => return wrong(format!("mode '{name}' needs an element")),
        _ => {}
    }
    match length.checked_add(before + behind).map(usize::try_from) {
        Some(Ok(out)) => Ok(Side { size, before, out }),
        _ => wrong(format!("({before}, {behind}) removes more than {size} elements")),
    }
}

/// Computes `out[o] = x[o - before]` in each dimension. `mode` defines the elements outside of `x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pad {
    /// The elements added.
    pub mode: PadMode,
    /// Numbers of elements to add.
    pub pads: Pads,
    /// The value that [`PadMode::Constant`] adds, of the input's dtype.
    pub value: Scalar,
}

pub(super) const MODE: AttributeSpec =
    AttributeSpec::new("mode", Kind::Choice(PadMode::NAMES), Allowed::Any, "The elements added.");
pub(super) const PADS: AttributeSpec = AttributeSpec::new(
    "pads",
    Kind::Pads,
    Allowed::ByShape,
    "Elements before and behind each of the last dimensions; a negative number removes.",
);

impl OpDef for Pad {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let x = &ins[0];
        if self.value.dtype() != x.dtype {
            return Err(
                Error::DTypeMismatchBinaryOp { lhs: x.dtype, rhs: self.value.dtype(), op: "pad" }.bt()
            );
        }
        let sides = self.pads.sides(self.name(), self.mode, &x.shape)?;
        let dims: DimVec = sides.iter().map(|s| s.out).collect();
        Ok(Meta::new(dims.into(), x.dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        let op = match self.mode {
            PadMode::Constant => {
                let value = Scalar::from_f64(0.0, g.dtype());
                Op::Pad(Self { mode: self.mode, pads: self.pads.negated(), value })
            }
            mode => Op::PadBackward(PadBackward { mode, pads: self.pads }),
        };
        if self.mode == PadMode::Constant {
            return grads![Tensor::run(op, &[g])?];
        }
        grads![g.map_parts(|g| Tensor::run(op.clone(), &[g]))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("that of input 0 with the elements added and removed")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const VALUE: AttributeSpec = AttributeSpec::new(
            "value",
            Kind::Scalar,
            Allowed::Any,
            "Value that mode constant adds, of the input's dtype.",
        );
        const { &[MODE, PADS, VALUE] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Choice(self.mode.name()), Value::Pads(self.pads.all()), Value::Scalar(self.value)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Windows
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Rounded
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

    fn with_dtype(&self, dtype: DType) -> Option<Self> {
        Some(Self { value: Scalar::from_f64(self.value.to_f64(), dtype), ..*self })
    }

    fn samples() -> Vec<Sample> {
        let value = Scalar::F32(3.0);
        samples(&PadMode::ALL, |mode, pads, shape, _| {
            (Op::Pad(Self { mode, pads, value }), vec![Spec::new(shape, Domain::Range(-3.0, 3.0))])
        })
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const X: &[TensorArgument] = &[TensorArgument::new("x", "Input, of any dtype.")];
        vec![
            signature!(
                AsGiven,
                "Adds elements at the ends of dimensions.",
                [],
                (pads: Pads, mode: Choice(PadMode::NAMES), value: Scalar) =>
                chosen(PadMode::from_name(mode), mode)
                    .map(|mode| Op::Pad(Self { mode, pads: Pads(pads), value }))
            )
            .named("_pad")
            .calling(X, |op, tensors| match (given(&op, tensors)?, op) {
                ([x], Op::Pad(pad)) => padded(x, pad),
                (_, op) => Err(Error::invalid(op.name(), "not a pad")),
            })
            .without_method(),
        ]
    }
}

/// Pads, unless nothing changes.
fn padded(x: &Tensor, pad: Pad) -> Result<Tensor> {
    if pad.pads.is_none() && pad.pads.of("pad", x.rank()).is_ok() {
        return Ok(x.clone());
    }
    Tensor::run(Op::Pad(pad), &[x])
}

impl Value {
    /// The value of a [`Kind::Pads`]: numbers before and behind each of the last dimensions, in the order of the dimensions. An
    /// error if they are more or larger than a tensor has.
    pub fn pads(pads: &[[i64; 2]]) -> Result<Self> {
        Pads::new(pads).map(|pads| Self::Pads(pads.0))
    }
}

/// Returns samples of each mode: `make(mode, pads, shape of the input, shape of the output)`.
pub(super) fn samples(
    modes: &[PadMode],
    make: impl Fn(PadMode, Pads, &[usize], Shape) -> (Op, Vec<Spec>),
) -> Vec<Sample> {
    type Case<'a> = (&'a [usize], &'a [[i32; 2]]);
    let good: [Case<'_>; 4] = [
        (&[3, 4], &[[2, -1], [-1, 2]]),
        (&[2, 3, 2, 3, 4], &[[1, 1], [1, 0], [2, 3]]),
        (&[0, 3], &[[1, 1]]),
        (&[5], &[[-2, -1]]),
    ];
    let set = |pads: &[[i32; 2]]| {
        let mut all = [[0; 2]; MAX_RANK];
        all[MAX_RANK - pads.len()..].copy_from_slice(pads);
        Pads(all)
    };
    let mut all = Vec::new();
    for &mode in modes {
        let one = |(shape, pads): Case<'_>| {
            let pads = set(pads);
            let out = pads.sides("", mode, &Shape::from(shape));
            let out = out
                .map_or_else(|_| Shape::from(shape), |s| s.iter().map(|s| s.out).collect::<DimVec>().into());
            make(mode, pads, shape, out)
        };
        // The other modes differ only in the indices that they read, so they need fewer cases.
        let some = if mode == PadMode::Constant { good.len() } else { 2 };
        all.extend(good[..some].iter().map(|case| {
            let (op, ins) = one(*case);
            Sample::new(op, ins)
        }));
        let mut bad = |case: Case<'_>, words| {
            let (op, ins) = one(case);
            if ins[0].shape.dims() == case.0 {
                all.push(Sample::bad(op, ins, words));
            }
        };
        bad((&[4], &[[1, 1], [0, 0]]), "pads 2 dimensions");
        match mode {
            PadMode::Constant => bad((&[2, 3], &[[-2, -2]]), "removes more"),
            PadMode::Reflect => bad((&[2, 3], &[[3, 0]]), "adds fewer than 3"),
            PadMode::Replicate => bad((&[2, 0], &[[3, 0]]), "needs an element"),
            PadMode::Circular => bad((&[2, 3], &[[-1, 3]]), "adds at most the 2"),
        }
    }
    all
}

impl Tensor {
    /// Adds `[before, after]` elements at the ends of each of the last dimensions, in the order of the dimensions. A
    /// negative number removes elements. All dtypes; `value` is converted to the tensor's dtype. Fails if there are
    /// more pairs than dimensions, more elements are removed than exist, or more elements are mirrored or repeated than
    /// exist (with Reflect at most all but one).
    ///
    /// ```
    /// use rushlight::{Device, Scalar, Tensor, ops::pad::PadMode};
    /// let x = Tensor::new(&[1f32, 2., 3.], &Device::Cpu)?;
    /// let y = x.pad(&[[1, 2]], PadMode::Constant, Scalar::F32(0.))?;
    /// assert_eq!(y.to_vec1::<f32>()?, [0., 1., 2., 3., 0., 0.]);
    /// let y = x.pad(&[[2, -1]], PadMode::Reflect, Scalar::F32(0.))?;
    /// assert_eq!(y.to_vec1::<f32>()?, [3., 2., 1., 2.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn pad(&self, pads: &[[i64; 2]], mode: PadMode, value: Scalar) -> Result<Self> {
        let pads = Pads::new(pads)?;
        let value = if value.dtype() == self.dtype() {
            value
        } else {
            Scalar::from_f64(value.to_f64(), self.dtype())
        };
        padded(self, Pad { mode, pads, value })
    }
}
