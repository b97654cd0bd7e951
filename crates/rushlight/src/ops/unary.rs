//! The unary family: one row an op.
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::{DTypeSet, sets};
use crate::{Result, Tensor};
use std::f64::consts::{LN_2, LN_10, PI};

/// What a row's gradient rule reads: nothing, the input `x`, or the output `y`.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    Nothing,
    X,
    Y,
}

type Rule = fn(v: &Tensor, g: &Tensor) -> Result<Tensor>;

/// A row of the table.
struct Row {
    name: &'static str,
    dtypes: DTypeSet,
    input: &'static [Input],
    need: Need,
    /// The gradient from the value the rule needs and the output's gradient; `None` where there is no gradient.
    rule: Option<Rule>,
    domain: Domain,
}

macro_rules! unary {
    ($( $v:ident $method:ident $python:ident $set:ident $need:ident $domain:expr,
        $rule:expr, $doc:literal; )*) => {
        /// Which unary op.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum UnaryOp { $($v),* }

        impl UnaryOp {
            /// Every op of the family.
            pub const ALL: &'static [Self] = &[$(Self::$v),*];

            fn row(self) -> &'static Row {
                match self { $(Self::$v => {
                    static ROW: Row = Row {
                        name: stringify!($method),
                        dtypes: sets::$set,
                        input: &[Input::new("x", sets::$set)],
                        need: Need::$need,
                        rule: $rule,
                        domain: $domain,
                    };
                    &ROW
                })* }
            }
        }

        impl Tensor {
            $(#[doc = concat!($doc, " ", stringify!($set), " dtypes.")]
            pub fn $method(&self) -> Result<Tensor> {
                Tensor::run(Op::Unary(Unary(UnaryOp::$v)), &[self])
            })*
        }
    };
}

const WIDE: Domain = Domain::Range(-3.0, 3.0);
const KINKED: Domain = Domain::Away(-3.0, 3.0, 0.5);
const POSITIVE: Domain = Domain::Range(0.1, 4.0);
const UNIT: Domain = Domain::Range(-0.9, 0.9);

/// `1 / (1 + x^2)`, `1 - x^2` and the like: `a + b x^2`.
fn quadratic(x: &Tensor, a: f64, b: f64) -> Result<Tensor> {
    x.sqr()?.affine(b, a)
}

fn gelu_rule(x: &Tensor, g: &Tensor) -> Result<Tensor> {
    // With u = c (x + 0.044715 x^3): 0.5 (1 + tanh u) + 0.5 x (1 - tanh^2 u) u'. Beyond 30 tanh u is 1 in every dtype, and
    // x^2 could be infinite.
    let x = &x.clamp(-30.0, 30.0)?;
    let c = (2.0 / PI).sqrt();
    let x2 = x.sqr()?;
    let t = (x * x2.affine(0.044715 * c, c)?)?.tanh()?;
    let du = x2.affine(3.0 * 0.044715 * c, c)?;
    let right = ((x * quadratic(&t, 1.0, -1.0)?)? * du)?;
    g * ((t.affine(0.5, 0.5)? + right.affine(0.5, 0.0)?)?)
}

fn gelu_erf_rule(x: &Tensor, g: &Tensor) -> Result<Tensor> {
    let cdf = x.affine(0.5f64.sqrt(), 0.0)?.erf()?.affine(0.5, 0.5)?;
    let pdf = x.sqr()?.affine(-0.5, 0.0)?.exp()?.affine(1.0 / (2.0 * PI).sqrt(), 0.0)?;
    g * (cdf + (x * pdf)?)?
}

fn silu_rule(x: &Tensor, g: &Tensor) -> Result<Tensor> {
    let s = x.sigmoid()?;
    let inner = (x * s.affine(-1.0, 1.0)?)?.affine(1.0, 1.0)?;
    g * (s * inner)?
}

/// THE table, handed to a macro. A row is: variant, method in Rust, name in Python, dtype set, what the gradient rule
/// reads, where samples are drawn from, the gradient rule (`None` without one), and the documentation.
#[doc(hidden)]
#[macro_export]
macro_rules! unary_table {
    ($then:ident) => {
        $then! {
            Exp exp exp FLOAT Y WIDE, Some(|y, g| g * y), "e^x.";
            Log log log FLOAT X POSITIVE, Some(|x, g| g / x), "Natural logarithm; NaN below 0, -inf at 0.";
            Log1p log1p log1p FLOAT X POSITIVE, Some(|x, g| g / x.affine(1.0, 1.0)?), "log(1 + x), exact near 0.";
            Expm1 expm1 expm1 FLOAT Y WIDE, Some(|y, g| g * y.affine(1.0, 1.0)?), "e^x - 1, exact near 0.";
            Log2 log2 log2 FLOAT X POSITIVE, Some(|x, g| g / x.affine(LN_2, 0.0)?), "Logarithm to base 2.";
            Log10 log10 log10 FLOAT X POSITIVE, Some(|x, g| g / x.affine(LN_10, 0.0)?), "Logarithm to base 10.";
            Sin sin sin FLOAT X WIDE, Some(|x, g| g * x.cos()?), "Sine of radians.";
            Cos cos cos FLOAT X WIDE, Some(|x, g| (g * x.sin()?)?.neg()), "Cosine of radians.";
            Tan tan tan FLOAT Y UNIT, Some(|y, g| g * quadratic(y, 1.0, 1.0)?), "Tangent of radians.";
            Asin asin asin FLOAT X UNIT, Some(|x, g| g * quadratic(x, 1.0, -1.0)?.rsqrt()?), "Arc sine in radians; NaN outside [-1, 1].";
            Acos acos acos FLOAT X UNIT, Some(|x, g| (g * quadratic(x, 1.0, -1.0)?.rsqrt()?)?.neg()), "Arc cosine in radians; NaN outside [-1, 1].";
            Atan atan atan FLOAT X WIDE, Some(|x, g| g / quadratic(x, 1.0, 1.0)?), "Arc tangent in radians.";
            Sinh sinh sinh FLOAT X WIDE, Some(|x, g| g * x.cosh()?), "Hyperbolic sine.";
            Cosh cosh cosh FLOAT X WIDE, Some(|x, g| g * x.sinh()?), "Hyperbolic cosine.";
            Tanh tanh tanh FLOAT Y WIDE, Some(|y, g| g * quadratic(y, 1.0, -1.0)?), "Hyperbolic tangent.";
            Asinh asinh asinh FLOAT X WIDE, Some(|x, g| g * quadratic(x, 1.0, 1.0)?.rsqrt()?), "Inverse hyperbolic sine.";
            Acosh acosh acosh FLOAT X Domain::Range(1.2, 4.0), Some(|x, g| g * quadratic(x, -1.0, 1.0)?.rsqrt()?), "Inverse hyperbolic cosine; NaN below 1.";
            Atanh atanh atanh FLOAT X UNIT, Some(|x, g| g / quadratic(x, 1.0, -1.0)?), "Inverse hyperbolic tangent; NaN outside [-1, 1].";
            Erf erf erf FLOAT X WIDE, Some(|x, g| g * x.sqr()?.neg()?.exp()?.affine(2.0 / PI.sqrt(), 0.0)?), "Error function.";
            Sqrt sqrt sqrt FLOAT Y POSITIVE, Some(|y, g| g / y.affine(2.0, 0.0)?), "Square root, correctly rounded; NaN below 0.";
            Rsqrt rsqrt rsqrt FLOAT Y POSITIVE, Some(|y, g| (g * (y.sqr()? * y)?)?.affine(-0.5, 0.0)), "1 / sqrt(x).";
            Reciprocal reciprocal reciprocal FLOAT Y POSITIVE, Some(|y, g| (g * y.sqr()?)?.neg()), "1 / x, correctly rounded.";
            Square square square NUMERIC X WIDE, Some(|x, g| (g * x)?.affine(2.0, 0.0)), "x * x; integers wrap.";
            Abs abs abs NUMERIC X KINKED, Some(|x, g| g * x.sign()?), "Absolute value; its gradient at 0 is 0.";
            Neg neg negative NUMERIC Nothing WIDE, Some(|_, g| g.affine(-1.0, 0.0)), "-x; integers wrap.";
            Sign sign sign NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)), "-1, 0 or 1; NaN stays NaN. Its gradient is 0.";
            Floor floor floor NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)), "Rounded down. Its gradient is 0.";
            Ceil ceil ceil NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)), "Rounded up. Its gradient is 0.";
            Round round round NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)), "Rounded to the nearest integer, halves to even. Its gradient is 0.";
            Trunc trunc trunc NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)), "Rounded towards 0. Its gradient is 0.";
            Frac frac frac FLOAT Nothing KINKED, Some(|_, g| Ok(g.clone())), "x - trunc(x).";
            Relu relu relu NUMERIC X KINKED, Some(|x, g| g * x.gt(&x.constant_like(0.0)?)?.to_dtype(g.dtype())?), "max(x, 0); its gradient at 0 is 0.";
            Sigmoid sigmoid sigmoid FLOAT Y WIDE, Some(|y, g| g * (y * y.affine(-1.0, 1.0)?)?), "1 / (1 + e^-x).";
            Silu silu silu FLOAT X WIDE, Some(silu_rule), "x * sigmoid(x).";
            Gelu gelu gelu_tanh FLOAT X WIDE, Some(gelu_rule), "GELU, tanh form (Hendrycks and Gimpel 2016).";
            GeluErf gelu_erf gelu_erf FLOAT X WIDE, Some(gelu_erf_rule), "GELU, exact form: x * Phi(x).";
            BitwiseNot bitwise_not bitwise_invert BITS Nothing WIDE, None, "Bits inverted; `not` for bool.";
        }
    };
}
unary_table!(unary);

/// A unary op: output of the input's shape and dtype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Unary(pub UnaryOp);

impl OpDef for Unary {
    fn name(&self) -> &'static str {
        self.0.row().name
    }

    fn inputs(&self) -> &'static [Input] {
        self.0.row().input
    }

    #[inline(always)]
    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        match self.0.row().rule {
            Some(_) => Differentiable::Yes,
            None => Differentiable::No("it works on bits"),
        }
    }

    fn reads(&self) -> Reads {
        match self.0.row().need {
            Need::Nothing => Reads::NONE,
            Need::X => Reads::inputs(1),
            Need::Y => Reads::OUTPUT,
        }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let row = self.0.row();
        let g = c.grad();
        let v = match row.need {
            Need::Nothing => g.clone(),
            Need::X => c.input(0)?,
            Need::Y => c.output()?,
        };
        match row.rule {
            Some(rule) => grads![rule(&v, g)?],
            None => grads![None],
        }
    }

    #[inline(always)]
    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
    }

    fn accuracy(&self) -> Accuracy {
        match self.0 {
            UnaryOp::Exp
            | UnaryOp::Log
            | UnaryOp::Log1p
            | UnaryOp::Expm1
            | UnaryOp::Log2
            | UnaryOp::Log10
            | UnaryOp::Sin
            | UnaryOp::Cos
            | UnaryOp::Tan
            | UnaryOp::Asin
            | UnaryOp::Acos
            | UnaryOp::Atan
            | UnaryOp::Sinh
            | UnaryOp::Cosh
            | UnaryOp::Tanh
            | UnaryOp::Asinh
            | UnaryOp::Acosh
            | UnaryOp::Atanh
            | UnaryOp::Erf
            | UnaryOp::Sigmoid
            | UnaryOp::Silu => Accuracy::ulps(4.0),
            // For x < 0 the tanh form cancels in 1 + tanh(u), and the erf form has the rounding of x^2 in an exponent:
            // 10 units at -3 in F32.
            UnaryOp::Gelu | UnaryOp::GeluErf => Accuracy::Scaled { single: 4.0, half: 1.0 },
            UnaryOp::Sqrt
            | UnaryOp::Reciprocal
            | UnaryOp::Square
            | UnaryOp::Abs
            | UnaryOp::Neg
            | UnaryOp::Sign
            | UnaryOp::Relu
            | UnaryOp::BitwiseNot
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Round
            | UnaryOp::Trunc
            | UnaryOp::Frac => Accuracy::Rounded,
            UnaryOp::Rsqrt => Accuracy::Accumulated,
        }
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        match self.0 {
            UnaryOp::Exp
            | UnaryOp::Log
            | UnaryOp::Log1p
            | UnaryOp::Expm1
            | UnaryOp::Log2
            | UnaryOp::Log10
            | UnaryOp::Sin
            | UnaryOp::Cos
            | UnaryOp::Tan
            | UnaryOp::Sinh
            | UnaryOp::Cosh
            | UnaryOp::Tanh
            | UnaryOp::Sqrt
            | UnaryOp::Sign
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Round
            | UnaryOp::Trunc
            | UnaryOp::Reciprocal => Reference::same(self.name()),
            UnaryOp::Square | UnaryOp::Abs => Reference::same_floats(self.name()),
            UnaryOp::Asin => Reference::same("arcsin"),
            UnaryOp::Acos => Reference::same("arccos"),
            UnaryOp::Atan => Reference::same("arctan"),
            UnaryOp::Asinh => Reference::same("arcsinh"),
            UnaryOp::Acosh => Reference::same("arccosh"),
            UnaryOp::Atanh => Reference::same("arctanh"),
            UnaryOp::Neg => Reference::same("negative"),
            UnaryOp::BitwiseNot => Reference::names("invert", "bitwise_not"),
            UnaryOp::Rsqrt | UnaryOp::Frac | UnaryOp::Relu | UnaryOp::Sigmoid | UnaryOp::Silu => {
                Reference::EXPRESSION
            }
            UnaryOp::Erf | UnaryOp::Gelu | UnaryOp::GeluErf => Reference::UNWRITTEN,
        }
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &op in UnaryOp::ALL {
            let row = op.row();
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                all.push(Sample::new(Op::Unary(Unary(op)), vec![Spec::new(shape, row.domain)]));
            }
            debug_assert!(row.dtypes == row.input[0].dtypes);
        }
        all
    }
}

impl Tensor {
    /// Candle's name for [`Tensor::square`].
    pub fn sqr(&self) -> Result<Tensor> {
        self.square()
    }

    /// Candle's name for [`Tensor::reciprocal`].
    pub fn recip(&self) -> Result<Tensor> {
        self.reciprocal()
    }

    /// Rounded to a number of decimals (negative: tens, hundreds, ...), halves to even.
    pub fn round_to(&self, decimals: i32) -> Result<Self> {
        let mult = 10f64.powi(decimals);
        self.affine(mult, 0.0)?.round()?.affine(1.0 / mult, 0.0)
    }
}
