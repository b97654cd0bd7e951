//! The unary family: elementwise ops of one tensor, with one row of the table each.
use super::activation_backward::Slope;
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, Scaling, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::{DTypeSet, sets};
use crate::{Result, Tensor};
use std::f64::consts::{LN_2, LN_10, PI};

/// The values that a row's gradient rule reads: nothing, the input `x`, or the output `y`.
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
    /// The gradient rule, which gets the value that it reads and the output's gradient; `None` if there is no gradient.
    rule: Option<Rule>,
    domain: Domain,
}

macro_rules! unary {
    ($( $v:ident $method:ident $python:ident $set:ident $need:ident $domain:expr,
        $rule:expr, $doc:literal, $x:literal => $y:literal; )*) => {
        /// An op of the unary family.
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

        fn functions() -> Vec<PythonSignature> {
            vec![$(
                signature!(
                    Promoted,
                    $doc,
                    [concat!(">>> rl.", stringify!($python), "(rl.tensor(", $x, "))"), $y],
                    () => Op::Unary(Unary(UnaryOp::$v))
                )
                .named(stringify!($python))
                .scaling((UnaryOp::$v == UnaryOp::Round).then_some(Scaling::Decimals))
            ),*]
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

/// Computes `a + b x^2`, for gradients such as `1 / (1 + x^2)` and `1 - x^2`.
fn quadratic(x: &Tensor, a: f64, b: f64) -> Result<Tensor> {
    x.sqr()?.affine(b, a)
}

/// Returns x / |x|, and 0 for 0.
fn direction(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_complex() { x.sgn() } else { x.sign() }
}

/// The gradient of x / |x|: the part of `g` that is orthogonal to x, divided by |x|; 0 at 0.
fn direction_gradient(x: &Tensor, g: &Tensor) -> Result<Tensor> {
    let size = x.abs()?.to_dtype(x.dtype())?;
    let along = (g / x)?.real()?.to_dtype(x.dtype())?;
    let slope = ((g / &size)? - (along * x.sgn()?)?)?;
    let zero = x.constant_like(0.0)?;
    x.eq(&zero)?.where_cond(&zero, &slope)
}

fn tanh_gradient(y: &Tensor, g: &Tensor) -> Result<Tensor> {
    if y.dtype().is_complex() { g * quadratic(y, 1.0, -1.0)?.conj()? } else { slope(Slope::Tanh, y, g) }
}

/// Computes 1 / sqrt(x^2 - 1); of complex numbers by two roots, as x^2 is the same for x and -x.
fn acosh_slope(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_complex() {
        return x.affine(1.0, -1.0)?.rsqrt()? * x.affine(1.0, 1.0)?.rsqrt()?;
    }
    quadratic(x, -1.0, 1.0)?.rsqrt()
}

/// Runs the gradient op of an activation function.
fn slope(slope: Slope, v: &Tensor, g: &Tensor) -> Result<Tensor> {
    slope.gradient([0.0; 2], v, g)
}

/// Passes the table of unary ops to a macro. A row is: variant, method in Rust, name in Python, dtype set, the value
/// that the gradient rule reads, the distribution of sample values, the gradient rule (or `None`), the documentation,
/// and an example: the elements of `x` and the result, in Python's format.
#[doc(hidden)]
#[macro_export]
macro_rules! unary_table {
    ($then:ident) => {
        $then! {
            Exp exp exp INEXACT Y WIDE, Some(|y, g| g * y.conj()?),
                "Computes e^x.", "[0.0, 1.0]" => "tensor([1.0000, 2.7183], dtype=float32, device='cpu')";
            Log log log INEXACT X POSITIVE, Some(|x, g| g / x.conj()?),
                "Computes the natural logarithm; NaN for real numbers below 0, -inf at 0.", "[1.0, 10.0]" => "tensor([0.0000, 2.3026], dtype=float32, device='cpu')";
            Log1p log1p log1p INEXACT X POSITIVE, Some(|x, g| g / x.affine(1.0, 1.0)?.conj()?),
                "Computes log(1 + x), exact near 0.", "[0.0, 1.0]" => "tensor([0.0000, 0.6931], dtype=float32, device='cpu')";
            Expm1 expm1 expm1 INEXACT Y WIDE, Some(|y, g| g * y.affine(1.0, 1.0)?.conj()?),
                "Computes e^x - 1, exact near 0.", "[0.0, 1.0]" => "tensor([0.0000, 1.7183], dtype=float32, device='cpu')";
            Log2 log2 log2 INEXACT X POSITIVE, Some(|x, g| g / x.affine(LN_2, 0.0)?.conj()?),
                "Computes the logarithm to base 2.", "[1.0, 8.0]" => "tensor([0., 3.], dtype=float32, device='cpu')";
            Log10 log10 log10 INEXACT X POSITIVE, Some(|x, g| g / x.affine(LN_10, 0.0)?.conj()?),
                "Computes the logarithm to base 10.", "[1.0, 1000.0]" => "tensor([0., 3.], dtype=float32, device='cpu')";
            Sin sin sin INEXACT X WIDE, Some(|x, g| g * x.cos()?.conj()?),
                "Computes the sine of an angle in radians.", "[0.0, 1.0]" => "tensor([0.0000, 0.8415], dtype=float32, device='cpu')";
            Cos cos cos INEXACT X WIDE, Some(|x, g| (g * x.sin()?.conj()?)?.neg()),
                "Computes the cosine of an angle in radians.", "[0.0, 1.0]" => "tensor([1.0000, 0.5403], dtype=float32, device='cpu')";
            Tan tan tan INEXACT Y UNIT, Some(|y, g| g * quadratic(y, 1.0, 1.0)?.conj()?),
                "Computes the tangent of an angle in radians.", "[0.0, 1.0]" => "tensor([0.0000, 1.5574], dtype=float32, device='cpu')";
            Asin asin asin INEXACT X UNIT, Some(|x, g| g * quadratic(x, 1.0, -1.0)?.rsqrt()?.conj()?),
                "Computes the arc sine in radians; NaN for real numbers outside [-1, 1].", "[0.0, 1.0]" => "tensor([0.0000, 1.5708], dtype=float32, device='cpu')";
            Acos acos acos INEXACT X UNIT, Some(|x, g| (g * quadratic(x, 1.0, -1.0)?.rsqrt()?.conj()?)?.neg()),
                "Computes the arc cosine in radians; NaN for real numbers outside [-1, 1].", "[0.0, 1.0]" => "tensor([1.5708, 0.0000], dtype=float32, device='cpu')";
            Atan atan atan INEXACT X WIDE, Some(|x, g| g / quadratic(x, 1.0, 1.0)?.conj()?),
                "Computes the arc tangent in radians.", "[0.0, 1.0]" => "tensor([0.0000, 0.7854], dtype=float32, device='cpu')";
            Sinh sinh sinh INEXACT X WIDE, Some(|x, g| g * x.cosh()?.conj()?),
                "Computes the hyperbolic sine.", "[0.0, 1.0]" => "tensor([0.0000, 1.1752], dtype=float32, device='cpu')";
            Cosh cosh cosh INEXACT X WIDE, Some(|x, g| g * x.sinh()?.conj()?),
                "Computes the hyperbolic cosine.", "[0.0, 1.0]" => "tensor([1.0000, 1.5431], dtype=float32, device='cpu')";
            Tanh tanh tanh INEXACT Y WIDE, Some(tanh_gradient),
                "Computes the hyperbolic tangent.", "[0.0, 1.0]" => "tensor([0.0000, 0.7616], dtype=float32, device='cpu')";
            Asinh asinh asinh INEXACT X WIDE, Some(|x, g| g * quadratic(x, 1.0, 1.0)?.rsqrt()?.conj()?),
                "Computes the inverse hyperbolic sine.", "[0.0, 1.0]" => "tensor([0.0000, 0.8814], dtype=float32, device='cpu')";
            Acosh acosh acosh INEXACT X Domain::Range(1.2, 4.0), Some(|x, g| g * acosh_slope(x)?.conj()?),
                "Computes the inverse hyperbolic cosine; NaN for real numbers below 1.", "[1.0, 2.0]" => "tensor([0.0000, 1.3170], dtype=float32, device='cpu')";
            Atanh atanh atanh INEXACT X UNIT, Some(|x, g| g / quadratic(x, 1.0, -1.0)?.conj()?),
                "Computes the inverse hyperbolic tangent; NaN for real numbers outside [-1, 1].", "[0.0, 0.5]" => "tensor([0.0000, 0.5493], dtype=float32, device='cpu')";
            Erf erf erf FLOAT X WIDE, Some(|x, g| g * x.sqr()?.neg()?.exp()?.affine(2.0 / PI.sqrt(), 0.0)?),
                "Computes the error function.", "[0.0, 1.0]" => "tensor([0.0000, 0.8427], dtype=float32, device='cpu')";
            Erfinv erfinv erfinv FLOAT Y UNIT, Some(|y, g| g * y.sqr()?.exp()?.affine(PI.sqrt() / 2.0, 0.0)?),
                "Computes the inverse of the error function; infinite at -1 and 1, NaN beyond.", "[0.0, 0.5]" => "tensor([0.0000, 0.4769], dtype=float32, device='cpu')";
            Sqrt sqrt sqrt INEXACT Y POSITIVE, Some(|y, g| g / y.affine(2.0, 0.0)?.conj()?),
                "Computes the square root, correctly rounded for real numbers; NaN for those below 0.", "[2.0, 9.0]" => "tensor([1.4142, 3.0000], dtype=float32, device='cpu')";
            Rsqrt rsqrt rsqrt INEXACT Y POSITIVE, Some(|y, g| (g * (y.sqr()? * y)?.conj()?)?.affine(-0.5, 0.0)),
                "Computes 1 / sqrt(x).", "[1.0, 4.0]" => "tensor([1.0000, 0.5000], dtype=float32, device='cpu')";
            Reciprocal reciprocal reciprocal INEXACT Y POSITIVE, Some(|y, g| (g * y.sqr()?.conj()?)?.neg()),
                "Computes 1 / x, correctly rounded for real numbers.", "[2.0, 4.0]" => "tensor([0.5000, 0.2500], dtype=float32, device='cpu')";
            Square square square NUMBER X WIDE, Some(|x, g| (g * x.conj()?)?.affine(2.0, 0.0)),
                "Computes x * x; integers wrap.", "[-3.0, 2.0]" => "tensor([9., 4.], dtype=float32, device='cpu')";
            Abs abs abs NUMBER X KINKED, Some(|x, g| g.to_dtype(x.dtype())? * direction(x)?),
                "Computes the absolute value, which is real for complex numbers; its gradient at 0 is 0.", "[-3, 2]" => "tensor([3, 2], dtype=int64, device='cpu')";
            Neg neg negative NUMBER Nothing WIDE, Some(|_, g| g.affine(-1.0, 0.0)),
                "Computes -x; integers wrap.", "[-3, 2]" => "tensor([ 3, -2], dtype=int64, device='cpu')";
            Sign sign sign NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)),
                "Computes the sign: -1, 0 or 1. NaN stays NaN, and the gradient is 0.", "[-3.0, 0.0, 2.0]" => "tensor([-1.,  0.,  1.], dtype=float32, device='cpu')";
            Sgn sgn _sgn COMPLEX X WIDE, Some(direction_gradient),
                "Computes the complex number of absolute value 1 in the same direction, x / |x|; 0 for 0.", "[3.0 + 4.0j]" => "tensor([0.6000+0.8000j], dtype=complex64, device='cpu')";
            ConjPhysical conj_physical conj_physical COMPLEX Nothing WIDE, Some(|_, g| g.conj()),
                "Computes the complex conjugate.", "[1.0 + 2.0j]" => "tensor([1.-2.j], dtype=complex64, device='cpu')";
            Real real _real COMPLEX Nothing WIDE, Some(|_, g| g.complex(&g.constant_like(0.0)?)),
                "Returns the real part.", "[1.0 + 2.0j]" => "tensor([1.], dtype=float32, device='cpu')";
            Imag imag _imag COMPLEX Nothing WIDE, Some(|_, g| g.constant_like(0.0)?.complex(g)),
                "Returns the imaginary part.", "[1.0 + 2.0j]" => "tensor([2.], dtype=float32, device='cpu')";
            Floor floor floor NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)),
                "Rounds down to an integer. The gradient is 0.", "[-1.5, 1.5]" => "tensor([-2.,  1.], dtype=float32, device='cpu')";
            Ceil ceil ceil NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)),
                "Rounds up to an integer. The gradient is 0.", "[-1.5, 1.5]" => "tensor([-1.,  2.], dtype=float32, device='cpu')";
            Round round round NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)),
                "Rounds to the nearest integer, halves to even. The gradient is 0.", "[0.5, 1.5, 1.7]" => "tensor([0., 2., 2.], dtype=float32, device='cpu')";
            Trunc trunc trunc NUMERIC Nothing KINKED, Some(|_, g| g.constant_like(0.0)),
                "Rounds towards 0 to an integer. The gradient is 0.", "[-1.5, 1.5]" => "tensor([-1.,  1.], dtype=float32, device='cpu')";
            Frac frac frac FLOAT Nothing KINKED, Some(|_, g| Ok(g.clone())),
                "Computes the fractional part, x - trunc(x).", "[-1.5, 1.25]" => "tensor([-0.5000,  0.2500], dtype=float32, device='cpu')";
            Relu relu relu NUMERIC X KINKED, Some(|x, g| slope(Slope::Relu, x, g)),
                "Computes max(x, 0); its gradient at 0 is 0.", "[-1.0, 2.0]" => "tensor([0., 2.], dtype=float32, device='cpu')";
            ReluSquared relu_squared relu_squared FLOAT X KINKED, Some(|x, g| slope(Slope::ReluSquared, x, g)),
                "Computes max(x, 0)^2 (So et al. 2021).", "[-1.0, 3.0]" => "tensor([0., 9.], dtype=float32, device='cpu')";
            Sigmoid sigmoid sigmoid FLOAT Y WIDE, Some(|y, g| slope(Slope::Sigmoid, y, g)),
                "Computes the logistic function, 1 / (1 + e^-x).", "[0.0, 1.0]" => "tensor([0.5000, 0.7311], dtype=float32, device='cpu')";
            Silu silu silu FLOAT X WIDE, Some(|x, g| slope(Slope::Silu, x, g)),
                "Computes x * sigmoid(x).", "[0.0, 1.0]" => "tensor([0.0000, 0.7311], dtype=float32, device='cpu')";
            Gelu gelu gelu_tanh FLOAT X WIDE, Some(|x, g| slope(Slope::Gelu, x, g)),
                "Computes GELU in its tanh variant (Hendrycks and Gimpel 2016).", "[-1.0, 1.0]" => "tensor([-0.1588,  0.8412], dtype=float32, device='cpu')";
            GeluErf gelu_erf gelu_erf FLOAT X WIDE, Some(|x, g| slope(Slope::GeluErf, x, g)),
                "Computes exact GELU, x * Phi(x), where Phi is the normal distribution function.", "[-1.0, 1.0]" => "tensor([-0.1587,  0.8413], dtype=float32, device='cpu')";
            BitwiseNot bitwise_not bitwise_invert BITS Nothing WIDE, None,
                "Inverts every bit; a bool is negated.", "[0, 5]" => "tensor([-1, -6], dtype=int64, device='cpu')";
        }
    };
}
unary_table!(unary);

/// A unary op. The output has the shape and dtype of the input; the absolute value and the parts of complex numbers are real.
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
        let dtype = match self.0 {
            UnaryOp::Abs | UnaryOp::Real | UnaryOp::Imag => ins[0].dtype.real_part(),
            _ => ins[0].dtype,
        };
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, dtype))
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
            | UnaryOp::Silu
            | UnaryOp::Gelu
            | UnaryOp::GeluErf => Accuracy::ulps(4.0),
            UnaryOp::Sqrt
            | UnaryOp::Reciprocal
            | UnaryOp::Square
            | UnaryOp::Abs
            | UnaryOp::Neg
            | UnaryOp::Sign
            | UnaryOp::ConjPhysical
            | UnaryOp::Real
            | UnaryOp::Imag
            | UnaryOp::Relu
            | UnaryOp::ReluSquared
            | UnaryOp::BitwiseNot
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Round
            | UnaryOp::Trunc
            | UnaryOp::Frac => Accuracy::Rounded,
            UnaryOp::Rsqrt | UnaryOp::Sgn => Accuracy::Accumulated,
            UnaryOp::Erfinv => Accuracy::ulps(8.0),
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
            UnaryOp::Rsqrt
            | UnaryOp::Frac
            | UnaryOp::Relu
            | UnaryOp::ReluSquared
            | UnaryOp::Sigmoid
            | UnaryOp::Silu => Reference::EXPRESSION,
            UnaryOp::ConjPhysical => Reference::names("conjugate", "conj_physical"),
            UnaryOp::Real => Reference::same("real"),
            UnaryOp::Imag => Reference::same("imag"),
            UnaryOp::Erf | UnaryOp::Erfinv | UnaryOp::Gelu | UnaryOp::GeluErf | UnaryOp::Sgn => {
                Reference::UNWRITTEN
            }
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

    fn python_signatures() -> Vec<PythonSignature> {
        let mut all = functions();
        for f in &mut all {
            if f.name() == "negative" {
                // The method `neg` exists in PyTorch.
                f.methods = &["negative", "neg"];
            }
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

    /// Rounds to a number of decimals (negative numbers: to tens, hundreds, ..), ties to even.
    pub fn round_to(&self, decimals: i32) -> Result<Self> {
        let mult = 10f64.powi(decimals);
        self.affine(mult, 0.0)?.round()?.affine(1.0 / mult, 0.0)
    }
}
