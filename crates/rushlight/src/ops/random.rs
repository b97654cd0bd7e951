//! Random numbers, which are the same on every device: Philox with the key (seed, draw) and the element's index as
//! counter.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Fill, Grads, Input, Kind, Meta, Op, OpDef,
    Pattern, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
    attribute, grads,
};
use crate::autograd::Vjp;
use crate::dtype::{DTypeSet, sets};
use crate::{DType, Device, Error, Result, Shape, Tensor};

/// A distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dist {
    /// Uniform over the dtype's numbers in `[lo, up)`; `lo` if both are equal.
    Uniform {
        /// Lower bound, inclusive.
        lo: f64,
        /// Upper bound, exclusive.
        up: f64,
    },
    /// Normal distribution.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        std: f64,
    },
    /// Integers in `[lo, hi)`. The probability of each has a relative error of at most `2^-32`.
    Integers {
        /// The least integer.
        lo: i128,
        /// One more than the greatest integer.
        hi: i128,
    },
    /// 1 with a given probability (rounded to a multiple of `2^-32`), else 0.
    Bernoulli {
        /// The probability.
        p: f64,
    },
}

impl Dist {
    /// Returns the name of the op.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Uniform { .. } => "rand",
            Self::Normal { .. } => "randn",
            Self::Integers { .. } => "randint",
            Self::Bernoulli { .. } => "bernoulli",
        }
    }

    /// Returns an error if the distribution contains no number of the dtype.
    fn check(&self, dtype: DType) -> Result<()> {
        let op = self.name();
        match *self {
            Self::Uniform { lo, up } => {
                // The width must be finite in the type that is computed in.
                let most = if dtype == DType::F64 { f64::MAX } else { f32::MAX as f64 };
                let good = lo.abs() <= most && up.abs() <= most && lo <= up && up - lo <= most;
                if !good {
                    return Err(Error::invalid(op, format!("cannot draw from [{lo}, {up}) in {dtype:?}")));
                }
            }
            Self::Integers { lo, hi } => {
                let (least, greatest) = int_range(dtype);
                if lo >= hi || lo < least || hi - 1 > greatest {
                    return Err(Error::invalid(op, format!("cannot draw from [{lo}, {hi}) in {dtype:?}")));
                }
            }
            Self::Normal { .. } | Self::Bernoulli { .. } => {}
        }
        Ok(())
    }
}

/// Returns the least and the greatest number of an integer dtype.
fn int_range(dtype: DType) -> (i128, i128) {
    match dtype {
        DType::U8 => (0, u8::MAX as i128),
        DType::I8 => (i8::MIN as i128, i8::MAX as i128),
        DType::U16 => (0, u16::MAX as i128),
        DType::I16 => (i16::MIN as i128, i16::MAX as i128),
        DType::U32 => (0, u32::MAX as i128),
        DType::I32 => (i32::MIN as i128, i32::MAX as i128),
        DType::U64 => (0, u64::MAX as i128),
        DType::I64 => (i64::MIN as i128, i64::MAX as i128),
        _ => (0, -1),
    }
}

/// Fills a tensor with random numbers, in place. docs/NUMERICS.md defines which random words element i (row-major)
/// uses, and how they are converted to a number. The result depends neither on the layout nor on the number of threads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Random {
    /// The distribution.
    pub dist: Dist,
    /// Key of the draw: (seed, index of the draw).
    pub key: (u64, u64),
}

/// All float dtypes, including F8E4M3, with which ops do not compute.
const FLOATS: DTypeSet = sets::FLOAT.or(DTypeSet::of(&[DType::F8E4M3]));

impl OpDef for Random {
    fn name(&self) -> &'static str {
        self.dist.name()
    }

    fn inputs(&self) -> &'static [Input] {
        match self.dist {
            Dist::Uniform { .. } | Dist::Normal { .. } => const { &[Input::new("x", FLOATS)] },
            Dist::Integers { .. } => const { &[Input::new("x", sets::INT)] },
            Dist::Bernoulli { .. } => const { &[Input::new("x", sets::ORDERED)] },
        }
    }

    fn role(&self) -> Role {
        Role::InOut(1)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if self.inputs()[0].dtypes.contains(ins[0].dtype) {
            self.dist.check(ins[0].dtype)?;
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it makes random numbers")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const fn number(name: &'static str, allowed: Allowed, doc: &'static str) -> AttributeSpec {
            AttributeSpec::new(name, Kind::Float, allowed, doc)
        }
        const fn integer(name: &'static str, doc: &'static str) -> AttributeSpec {
            AttributeSpec::new(name, Kind::LargeInt, Allowed::Any, doc)
        }
        match self.dist {
            Dist::Uniform { .. } => {
                const {
                    &[
                        number("lo", Allowed::Finite, "Lower end."),
                        number("up", Allowed::Finite, "Upper end, which is excluded."),
                        attribute::KEY,
                    ]
                }
            }
            Dist::Normal { .. } => {
                const {
                    &[
                        number("mean", Allowed::Finite, "Mean."),
                        number("std", Allowed::AtLeast(0.0), "Standard deviation."),
                        attribute::KEY,
                    ]
                }
            }
            Dist::Integers { .. } => {
                const {
                    &[
                        integer("lo", "Least number."),
                        integer("hi", "Upper end, which is excluded."),
                        attribute::KEY,
                    ]
                }
            }
            Dist::Bernoulli { .. } => {
                const { &[number("p", Allowed::Probability, "Probability of a 1."), attribute::KEY] }
            }
        }
    }

    fn values(&self) -> Vec<Value> {
        let key = Value::Key(self.key.0, self.key.1);
        match self.dist {
            Dist::Uniform { lo, up } => vec![Value::Float(lo), Value::Float(up), key],
            Dist::Normal { mean, std } => vec![Value::Float(mean), Value::Float(std), key],
            Dist::Integers { lo, hi } => vec![Value::LargeInt(lo), Value::LargeInt(hi), key],
            Dist::Bernoulli { p } => vec![Value::Float(p), key],
        }
    }

    fn pattern(&self) -> Pattern {
        Pattern::Filled
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Drawn
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::None("its numbers are those of rushlight's own generator")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::FILLED
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        let x = |shape: &[usize]| vec![Spec { shape: shape.into(), domain: Domain::Mask, fill: Fill::T }];
        for dist in [
            Dist::Uniform { lo: -1.0, up: 2.0 },
            Dist::Normal { mean: 0.5, std: 2.0 },
            Dist::Integers { lo: 3, hi: 100 },
            Dist::Bernoulli { p: 0.3 },
        ] {
            for shape in [&[3usize, 5][..], &[], &[0, 4]] {
                all.push(Sample::new(Op::Random(Random { dist, key: (42, 7) }), x(shape)).no_grad());
            }
        }
        // Ranges of more than 2^32 numbers; the last one has 2^64.
        let x = |fill| Spec { shape: (3, 5).into(), domain: Domain::Mask, fill };
        for (lo, hi, dtype) in [
            (-5, 1 << 40, DType::I64),
            (1 << 40, 1 << 64, DType::U64),
            (i128::from(i64::MIN), 1 << 63, DType::I64),
        ] {
            let op = Op::Random(Random { dist: Dist::Integers { lo, hi }, key: (42, 7) });
            all.push(Sample::new(op, vec![x(Fill::Fixed(dtype))]).no_grad());
        }
        let x = |shape: &[usize]| vec![Spec { shape: shape.into(), ..x(Fill::T) }];
        for (dist, text) in [
            (Dist::Uniform { lo: 1.0, up: 0.0 }, "cannot draw from [1, 0)"),
            (Dist::Uniform { lo: f64::NAN, up: 0.0 }, "lo must be finite"),
            (Dist::Normal { mean: 0.0, std: -1.0 }, "std must be a number of at least 0"),
            (Dist::Integers { lo: 5, hi: 5 }, "cannot draw from [5, 5)"),
            (Dist::Bernoulli { p: 1.5 }, "between 0 and 1"),
        ] {
            all.push(Sample::bad(Op::Random(Random { dist, key: (0, 0) }), x(&[3]), text));
        }
        all
    }
}

impl Tensor {
    pub(crate) fn random(dist: Dist, shape: Shape, dtype: DType, device: &Device) -> Result<Tensor> {
        let definition = Random { dist, key: (0, 0) };
        if !definition.inputs()[0].dtypes.contains(dtype) {
            return Err(Error::UnsupportedDTypeForOp(dtype, dist.name()).bt());
        }
        attribute::check(&definition)?;
        dist.check(dtype)?;
        let t = Tensor::alloc(&shape, dtype, device)?;
        Tensor::run_inplace(Op::Random(Random { key: device.next_draw(), ..definition }), &[&t], &[])?;
        Ok(t)
    }

    /// Returns random integers in `[lo, hi)`. INT dtypes.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let dice = Tensor::randint(1u8, 7u8, 100, DType::I64, &Device::Cpu)?.to_vec1::<i64>()?;
    /// assert!(dice.iter().all(|d| (1..7).contains(d)));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn randint<S: Into<Shape>>(
        lo: impl Into<i128>,
        hi: impl Into<i128>,
        s: S,
        dtype: DType,
        device: &Device,
    ) -> Result<Self> {
        Self::random(Dist::Integers { lo: lo.into(), hi: hi.into() }, s.into(), dtype, device)
    }

    /// Returns ones with probability `p`, else zeros. ORDERED dtypes.
    pub fn bernoulli<S: Into<Shape>>(p: f64, s: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::random(Dist::Bernoulli { p }, s.into(), dtype, device)
    }
}
