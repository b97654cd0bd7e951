//! The binary family: ops of two tensors of one shape and dtype, with one row of the table each. The `broadcast_*`
//! methods broadcast the operands first.
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, Scaling, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::{DType, DTypeSet, sets};
use crate::{Result, Tensor};

type Pair = (Option<Tensor>, Option<Tensor>);
/// A gradient rule. The arguments are the context, and the two inputs (only values that `reads` names may be used).
type Rule = fn(&Vjp<'_>, &Tensor) -> Result<Pair>;

struct Row {
    name: &'static str,
    dtypes: DTypeSet,
    inputs: &'static [Input],
    /// The values that the gradients of the left and of the right input read.
    reads: [Reads; 2],
    rule: Option<Rule>,
    domains: (Domain, Domain),
}

/// Limits the divisors of a remainder to finite numbers: the remainder of 1 by minus infinity is that of a quotient of -1, and
/// `floor_divide` gives -0.
fn finite(divisor: &Tensor) -> Result<Tensor> {
    let most = match divisor.dtype() {
        DType::F16 => f64::from(half::f16::MAX),
        DType::BF16 => f64::from(half::bf16::MAX),
        DType::F32 => f64::from(f32::MAX),
        DType::F64 => f64::MAX,
        _ => return Ok(divisor.clone()),
    };
    divisor.clamp(-most, most)
}

macro_rules! binary {
    ($( $v:ident $method:ident $bmethod:ident $python:ident $set:ident $reads:expr, $domains:expr,
        $rule:expr, $doc:literal, $x1:literal, $x2:literal => $y:literal; )*) => {
        /// An op of the binary family.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum BinaryOp { $($v),* }

        impl BinaryOp {
            /// Every op of the family.
            pub const ALL: &'static [Self] = &[$(Self::$v),*];

            fn row(self) -> &'static Row {
                match self { $(Self::$v => {
                    static ROW: Row = Row {
                        name: stringify!($method),
                        dtypes: sets::$set,
                        inputs: &[Input::new("lhs", sets::$set), Input::same("rhs", sets::$set)],
                        reads: $reads,
                        rule: $rule,
                        domains: $domains,
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
                    [
                        concat!(">>> rl.", stringify!($python), "(rl.tensor(", $x1, "), rl.tensor(", $x2, "))"),
                        $y
                    ],
                    () => Op::Binary(Binary(BinaryOp::$v))
                )
                .named(stringify!($python))
                .scaling(
                    matches!(BinaryOp::$v, BinaryOp::Add | BinaryOp::Sub).then_some(Scaling::Alpha)
                )
            ),*]
        }

        impl Tensor {
            $(binary!(@ $v $method $set $doc);
            #[doc = concat!("As `", stringify!($method), "`, after stretching both sides to one shape (NumPy's rule).")]
            pub fn $bmethod(&self, rhs: &Tensor) -> Result<Tensor> {
                let (l, r) = self.broadcast_pair(rhs, stringify!($method))?;
                Binary(BinaryOp::$v).of(&l, &r)
            })*
        }
    };
    // These two also accept a scalar; see below.
    (@ Maximum $method:ident $set:ident $doc:literal) => {};
    (@ Minimum $method:ident $set:ident $doc:literal) => {};
    (@ $v:ident $method:ident $set:ident $doc:literal) => {
        #[doc = concat!($doc, " `self` is x1, `rhs` is x2. ", stringify!($set), " dtypes.")]
        pub fn $method(&self, rhs: &Tensor) -> Result<Tensor> {
            Binary(BinaryOp::$v).of(self, rhs)
        }
    };
}

const WIDE: (Domain, Domain) = (Domain::Range(-3.0, 3.0), Domain::Range(-3.0, 3.0));
const DENOM: (Domain, Domain) = (Domain::Range(-3.0, 3.0), Domain::Range(0.5, 3.0));
const BASE: (Domain, Domain) = (Domain::Range(0.5, 2.0), Domain::Range(-2.0, 2.0));
const STEPS: (Domain, Domain) = (Domain::Away(-3.0, 3.0, 0.5), Domain::Range(0.9, 1.1));
const KINKED: (Domain, Domain) = (Domain::Away(-3.0, 3.0, 0.5), Domain::Range(-3.0, 3.0));
const TIES: (Domain, Domain) = (Domain::Distinct, Domain::Distinct);
const BITS: (Domain, Domain) = (Domain::Range(0.0, 60.0), Domain::Range(0.0, 6.0));
const NONE: [Reads; 2] = [Reads::NONE; 2];
const BOTH: [Reads; 2] = [Reads::inputs(3); 2];

/// Splits the gradient between the two inputs: it goes to the one that `left_wins` selects, and half of it to each if
/// they are equal.
fn shared(c: &Vjp<'_>, g: &Tensor, left_wins: fn(&Tensor, &Tensor) -> Result<Tensor>) -> Result<Pair> {
    let (a, b) = (c.input(0)?, c.input(1)?);
    let dt = g.dtype();
    let half_tie = a.eq(&b)?.to_dtype(dt)?.affine(0.5, 0.0)?;
    let wa = (left_wins(&a, &b)?.to_dtype(dt)? + half_tie)?;
    let wb = wa.affine(-1.0, 1.0)?;
    Ok((Some((g * wa)?), Some((g * wb)?)))
}

/// Passes the table of binary ops to a macro. A row is: variant, method in Rust, its broadcasting variant, name in
/// Python, dtype set, the values that the gradients of the two inputs read, the distribution of sample values, the
/// gradient rule (or `None`), the documentation, and an example: the elements of both inputs and the result, in
/// Python's format.
#[doc(hidden)]
#[macro_export]
macro_rules! binary_table {
    ($then:ident) => {
        $then! {
            Add add broadcast_add add NUMBER NONE, WIDE,
                Some(|_, g| Ok((Some(g.clone()), Some(g.clone())))), "Computes x1 + x2; integers wrap.",
                "[1, 2]", "[10, 20]" => "tensor([11, 22], dtype=int64, device='cpu')";
            Sub sub broadcast_sub subtract NUMBER NONE, WIDE,
                Some(|c, g| Ok((Some(g.clone()), c.when(1, || g.neg())?))), "Computes x1 - x2; integers wrap.",
                "[1, 2]", "[10, 20]" => "tensor([ -9, -18], dtype=int64, device='cpu')";
            Mul mul broadcast_mul multiply NUMBER [Reads::inputs(2), Reads::inputs(1)], WIDE,
                Some(|c, g| Ok((c.when(0, || g * c.input(1)?.conj()?)?, c.when(1, || g * c.input(0)?.conj()?)?))),
                "Computes x1 * x2; integers wrap.",
                "[1, 2]", "[10, 20]" => "tensor([10, 40], dtype=int64, device='cpu')";
            Div div broadcast_div divide NUMBER [Reads::inputs(2), Reads::inputs(3)], DENOM,
                Some(|c, g| Ok((
                    c.when(0, || g / c.input(1)?.conj()?)?,
                    // Divide twice instead of dividing by x2 * x2, which could overflow or be 0.
                    c.when(1, || {
                        let by = c.input(1)?.conj()?;
                        (((g * c.input(0)?.conj()?)? / &by)? / &by)?.neg()
                    })?,
                ))),
                "Computes x1 / x2, correctly rounded for real numbers. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0.",
                "[1, 3]", "[2, 2]" => "tensor([0.5000, 1.5000], dtype=float32, device='cpu')";
            Pow pow broadcast_pow pow NUMERIC BOTH, BASE,
                Some(|c, g| {
                    let (a, b) = (c.input(0)?, c.input(1)?);
                    let da = c.when(0, || {
                        // b a^(b-1), and 0 where b is 0.
                        let d = (&b * a.pow(&b.affine(1.0, -1.0)?)?)?;
                        g * b.eq(&b.constant_like(0.0)?)?.where_cond(&b.constant_like(0.0)?, &d)?
                    })?;
                    let db = c.when(1, || {
                        // a^b log a, and 0 where a is 0 and b is not negative.
                        let zero = a.constant_like(0.0)?;
                        let flat = (a.eq(&zero)? * b.ge(&zero)?)?;
                        g * flat.where_cond(&zero, &(a.pow(&b)? * a.log()?)?)?
                    })?;
                    Ok((da, db))
                }),
                "Computes x1 to the power x2; integers wrap, and a negative exponent truncates the fraction. Complex numbers are computed as e^(x2 log x1), with 0 where x1 is 0 and x2 has a positive real part.",
                "[2, 3]", "[3, 2]" => "tensor([8, 9], dtype=int64, device='cpu')";
            Remainder remainder broadcast_remainder remainder NUMERIC [Reads::NONE, Reads::inputs(3)], STEPS,
                Some(|c, g| Ok((
                    Some(g.clone()),
                    c.when(1, || (g * c.input(0)?.floor_divide(&finite(&c.input(1)?)?)?)?.neg())?,
                ))),
                "Computes the remainder with the sign of x2 (Python's `%`); integers: x % 0 is 0.",
                "[7, -7]", "[3, 3]" => "tensor([1, 2], dtype=int64, device='cpu')";
            FloorDivide floor_divide broadcast_floor_divide floor_divide NUMERIC NONE, STEPS,
                Some(|_, g| Ok((Some(g.constant_like(0.0)?), Some(g.constant_like(0.0)?)))),
                "Computes the quotient rounded down (Python's `//`); integers: x // 0 is 0. The gradient is 0.",
                "[7, -7]", "[3, 3]" => "tensor([ 2, -3], dtype=int64, device='cpu')";
            Maximum maximum broadcast_maximum maximum NUMERIC BOTH, TIES,
                Some(|c, g| shared(c, g, |a, b| a.gt(b))),
                "Computes the larger of two elements; NaN if either is. Equal elements share the gradient.",
                "[1, 5]", "[4, 2]" => "tensor([4, 5], dtype=int64, device='cpu')";
            Minimum minimum broadcast_minimum minimum NUMERIC BOTH, TIES,
                Some(|c, g| shared(c, g, |a, b| a.lt(b))),
                "Computes the smaller of two elements; NaN if either is. Equal elements share the gradient.",
                "[1, 5]", "[4, 2]" => "tensor([1, 2], dtype=int64, device='cpu')";
            Atan2 atan2 broadcast_atan2 atan2 FLOAT BOTH, DENOM,
                Some(|c, g| {
                    let (y, x) = (c.input(0)?, c.input(1)?);
                    // The gradients at the origin are 0.
                    let size = (x.sqr()? + y.sqr()?)?;
                    let origin = size.eq(&size.constant_like(0.0)?)?;
                    let r = (g / origin.where_cond(&size.constant_like(1.0)?, &size)?)?;
                    Ok((c.when(0, || &r * &x)?, c.when(1, || (&r * &y)?.neg())?))
                }),
                "Computes the angle of the point (x2, x1) in radians, in [-pi, pi].",
                "[0.0, 1.0]", "[1.0, 1.0]" => "tensor([0.0000, 0.7854], dtype=float32, device='cpu')";
            Complex complex broadcast_complex _complex PARTS NONE, WIDE,
                Some(|c, g| Ok((c.when(0, || g.real())?, c.when(1, || g.imag())?))),
                "Makes complex numbers of their real parts x1 and imaginary parts x2.",
                "[1.0, 3.0]", "[2.0, -4.0]" => "tensor([1.+2.j, 3.-4.j], dtype=complex64, device='cpu')";
            Prelu prelu broadcast_prelu _prelu FLOAT BOTH, KINKED,
                Some(|c, g| {
                    let x = c.input(0)?;
                    let zero = x.constant_like(0.0)?;
                    let positive = x.gt(&zero)?;
                    Ok((
                        c.when(0, || positive.where_cond(g, &(g * c.input(1)?)?))?,
                        c.when(1, || positive.where_cond(&zero, &(g * &x)?))?,
                    ))
                }),
                "Returns x1 where it is positive, else x1 * x2 (He et al. 2015).",
                "[-2.0, 2.0]", "[0.25, 0.25]" => "tensor([-0.5000,  2.0000], dtype=float32, device='cpu')";
            MulSigmoid mul_sigmoid broadcast_mul_sigmoid _mul_sigmoid FLOAT BOTH, WIDE,
                Some(|c, g| {
                    let gate = c.input(1)?;
                    let left = g.mul_sigmoid(&gate)?;
                    // The slope is s(x2) s(-x2): 1 - s(x2) would cancel.
                    let right = c.when(1, || (&left * c.input(0)?)?.mul_sigmoid(&gate.neg()?))?;
                    Ok((Some(left), right))
                }),
                "Computes x1 / (1 + e^-x2), the gated linear unit (Dauphin et al. 2017).",
                "[3.0, 3.0]", "[0.0, 2.0]" => "tensor([1.5000, 2.6424], dtype=float32, device='cpu')";
            BitwiseAnd bitwise_and broadcast_bitwise_and bitwise_and BITS NONE, BITS, None,
                "Computes the bits set in both elements; `and` for bools.",
                "[6, 12]", "[3, 10]" => "tensor([2, 8], dtype=int64, device='cpu')";
            BitwiseOr bitwise_or broadcast_bitwise_or bitwise_or BITS NONE, BITS, None,
                "Computes the bits set in either element; `or` for bools.",
                "[6, 12]", "[3, 10]" => "tensor([ 7, 14], dtype=int64, device='cpu')";
            BitwiseXor bitwise_xor broadcast_bitwise_xor bitwise_xor BITS NONE, BITS, None,
                "Computes the bits set in exactly one of two elements; `!=` for bools.",
                "[6, 12]", "[3, 10]" => "tensor([5, 6], dtype=int64, device='cpu')";
            LeftShift left_shift broadcast_left_shift bitwise_left_shift INT NONE, BITS, None,
                "Shifts the bits of x1 up by x2; 0 once all are shifted out, and for a negative count.",
                "[1, 3]", "[4, 1]" => "tensor([16,  6], dtype=int64, device='cpu')";
            RightShift right_shift broadcast_right_shift bitwise_right_shift INT NONE, BITS, None,
                "Shifts the bits of x1 down by x2 and keeps the sign; 0 or -1 once all are shifted out, and for a negative count.",
                "[16, -8]", "[2, 1]" => "tensor([ 4, -4], dtype=int64, device='cpu')";
        }
    };
}
binary_table!(binary);

/// A binary op. The output has the shape and dtype of the inputs; that of `complex` is complex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Binary(pub BinaryOp);

impl Binary {
    /// Runs the op, or the ops that powers of complex numbers consist of.
    fn of(self, l: &Tensor, r: &Tensor) -> Result<Tensor> {
        if self.0 == BinaryOp::Pow && l.dtype().is_complex() {
            return l.complex_pow(r);
        }
        Tensor::run(Op::Binary(self), &[l, r])
    }
}

impl OpDef for Binary {
    fn name(&self) -> &'static str {
        self.0.row().name
    }

    fn inputs(&self) -> &'static [Input] {
        self.0.row().inputs
    }

    #[inline(always)]
    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let dtype = match (self.0, ins[0].dtype.complex_of()) {
            (BinaryOp::Complex, Some(complex)) => complex,
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
        let [lhs, rhs] = self.0.row().reads;
        lhs.or(rhs)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        self.0.row().reads[wanted.min(1)]
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        match self.0.row().rule {
            Some(rule) => {
                let (a, b) = rule(c, c.grad())?;
                grads![a, b]
            }
            None => grads![None, None],
        }
    }

    #[inline(always)]
    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
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
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Maximum
            | BinaryOp::Minimum
            | BinaryOp::Complex
            | BinaryOp::Prelu
            | BinaryOp::BitwiseAnd
            | BinaryOp::BitwiseOr
            | BinaryOp::BitwiseXor
            | BinaryOp::LeftShift
            | BinaryOp::RightShift => Accuracy::Rounded,
            BinaryOp::MulSigmoid => Accuracy::ulps(8.0),
            BinaryOp::Remainder | BinaryOp::FloorDivide => Accuracy::Accumulated,
            BinaryOp::Pow => Accuracy::ulps(16.0),
            BinaryOp::Atan2 => Accuracy::ulps(4.0),
        }
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        match self.0 {
            BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::MulSigmoid => SpecialValues::OF_POWERS,
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Remainder
            | BinaryOp::FloorDivide
            | BinaryOp::Maximum
            | BinaryOp::Minimum
            | BinaryOp::Complex
            | BinaryOp::Prelu
            | BinaryOp::BitwiseAnd
            | BinaryOp::BitwiseOr
            | BinaryOp::BitwiseXor
            | BinaryOp::LeftShift
            | BinaryOp::RightShift => SpecialValues::ALL,
        }
    }

    fn reference(&self) -> Reference {
        match self.0 {
            BinaryOp::Add => Reference::same("add"),
            BinaryOp::Sub => Reference::same("subtract"),
            BinaryOp::Mul => Reference::same("multiply"),
            BinaryOp::Div | BinaryOp::Pow => Reference::FLOAT_EXPRESSION,
            BinaryOp::Maximum => Reference::same("maximum"),
            BinaryOp::Minimum => Reference::same("minimum"),
            BinaryOp::Atan2 => Reference::same("arctan2"),
            BinaryOp::BitwiseAnd => Reference::same("bitwise_and"),
            BinaryOp::BitwiseOr => Reference::same("bitwise_or"),
            BinaryOp::BitwiseXor => Reference::same("bitwise_xor"),
            BinaryOp::Prelu
            | BinaryOp::Complex
            | BinaryOp::MulSigmoid
            | BinaryOp::Remainder
            | BinaryOp::FloorDivide
            | BinaryOp::LeftShift
            | BinaryOp::RightShift => Reference::UNWRITTEN,
        }
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &op in BinaryOp::ALL {
            let row = op.row();
            debug_assert!(row.dtypes == row.inputs[0].dtypes);
            let make = |a: &[usize], b: &[usize]| {
                (Op::Binary(Binary(op)), vec![Spec::new(a, row.domains.0), Spec::new(b, row.domains.1)])
            };
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                let (op, ins) = make(shape, shape);
                all.push(Sample::new(op, ins));
            }
            let (op, ins) = make(&[2, 3], &[3, 2]);
            all.push(Sample::bad(op, ins, "shape mismatch in"));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let mut all = functions();
        for f in &mut all {
            // Methods that have another name in PyTorch.
            f.methods = match f.name() {
                "subtract" => &["subtract", "sub"],
                "multiply" => &["multiply", "mul"],
                "divide" => &["divide", "div"],
                _ => f.methods,
            };
        }
        all
    }
}

impl Tensor {
    /// Returns the larger of two tensors' elements, or of a tensor's and a scalar; NaN if either is NaN. NUMERIC
    /// dtypes.
    pub fn maximum<T: crate::scalar::TensorOrScalar>(&self, rhs: T) -> Result<Tensor> {
        let rhs = self.operand(rhs)?;
        Tensor::run(Op::Binary(Binary(BinaryOp::Maximum)), &[self, &rhs])
    }

    /// Returns the smaller of two tensors' elements, or of a tensor's and a scalar; NaN if either is NaN. NUMERIC
    /// dtypes.
    pub fn minimum<T: crate::scalar::TensorOrScalar>(&self, rhs: T) -> Result<Tensor> {
        let rhs = self.operand(rhs)?;
        Tensor::run(Op::Binary(Binary(BinaryOp::Minimum)), &[self, &rhs])
    }
}
