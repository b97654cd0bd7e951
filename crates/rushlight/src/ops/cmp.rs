//! Comparisons. The output is U8 (as in candle) or Bool (as in Python).
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Tensor};

macro_rules! cmp {
    ($($v:ident $method:ident $bmethod:ident $python:ident $doc:literal, $x1:literal, $x2:literal => $y:literal;)*) => {
        /// A comparison operator.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum CmpOp { $($v),* }

        impl CmpOp {
            /// Every comparison.
            pub const ALL: &'static [Self] = &[$(Self::$v),*];

            fn name(self) -> &'static str {
                match self { $(Self::$v => stringify!($method)),* }
            }
        }

        fn functions() -> Vec<PythonSignature> {
            vec![$(
                signature!(
                    Promoted,
                    concat!("Tells where an element of x1 is ", $doc, " that of x2."),
                    [
                        concat!(">>> rl.", stringify!($python), "(rl.tensor(", $x1, "), rl.tensor(", $x2, "))"),
                        $y
                    ],
                    () => Op::Cmp(Cmp { op: CmpOp::$v, dtype: DType::Bool })
                )
                .named(stringify!($python))
                .methods(&[stringify!($method)])
            ),*]
        }

        impl Tensor {
            $(#[doc = concat!("1 where an element is ", $doc, " the other side's, as U8. That is a tensor of the same shape, or a scalar.")]
            pub fn $method<T: crate::scalar::TensorOrScalar>(&self, rhs: T) -> Result<Tensor> {
                self.cmp(rhs, CmpOp::$v)
            }
            #[doc = concat!("1 where an element is ", $doc, " the other side's, as U8, after stretching both sides to one shape.")]
            pub fn $bmethod(&self, rhs: &Tensor) -> Result<Tensor> {
                let (l, r) = self.broadcast_pair(rhs, stringify!($bmethod))?;
                l.compare(&r, CmpOp::$v, DType::U8)
            })*
        }
    };
}

/// Passes the table of comparisons to a macro. A row is: variant, method in Rust, its broadcasting variant, name in
/// Python, the condition, and an example: the elements of both inputs and the result, in Python's format.
#[doc(hidden)]
#[macro_export]
macro_rules! cmp_table {
    ($then:ident) => {
        $then! {
            Eq eq broadcast_eq equal "equal to", "[1, 2, 3]", "[2, 2, 2]" => "tensor([False,  True, False], dtype=bool, device='cpu')";
            Ne ne broadcast_ne not_equal "different from", "[1, 2, 3]", "[2, 2, 2]" => "tensor([ True, False,  True], dtype=bool, device='cpu')";
            Le le broadcast_le less_equal "at most", "[1, 2, 3]", "[2, 2, 2]" => "tensor([ True,  True, False], dtype=bool, device='cpu')";
            Ge ge broadcast_ge greater_equal "at least", "[1, 2, 3]", "[2, 2, 2]" => "tensor([False,  True,  True], dtype=bool, device='cpu')";
            Lt lt broadcast_lt less "less than", "[1, 2, 3]", "[2, 2, 2]" => "tensor([ True, False, False], dtype=bool, device='cpu')";
            Gt gt broadcast_gt greater "greater than", "[1, 2, 3]", "[2, 2, 2]" => "tensor([False, False,  True], dtype=bool, device='cpu')";
        }
    };
}
cmp_table!(cmp);

/// Compares two tensors of one shape and dtype: 1 where the condition holds. For NaN, only `Ne` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cmp {
    /// The comparison operator.
    pub op: CmpOp,
    /// Output dtype: U8 or Bool.
    pub dtype: DType,
}

const INPUTS: &[Input] = &[Input::new("lhs", sets::ORDERED), Input::same("rhs", sets::ORDERED)];
/// Inputs of comparisons for equality.
const EQUATABLE: &[Input] = &[Input::new("lhs", sets::EQUATABLE), Input::same("rhs", sets::EQUATABLE)];

impl OpDef for Cmp {
    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn inputs(&self) -> &'static [Input] {
        if matches!(self.op, CmpOp::Eq | CmpOp::Ne) { EQUATABLE } else { INPUTS }
    }

    #[inline(always)]
    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, self.dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its output is not a floating-point number")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None]
    }

    #[inline(always)]
    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::new("dtype", Kind::DType, Allowed::Any, "Dtype of the output: U8 or Bool.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::DType(self.dtype)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
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
        let numpy = match self.op {
            CmpOp::Eq => "equal",
            CmpOp::Ne => "not_equal",
            CmpOp::Le => "less_equal",
            CmpOp::Ge => "greater_equal",
            CmpOp::Lt => "less",
            CmpOp::Gt => "greater",
        };
        Reference::names(numpy, self.name())
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &op in CmpOp::ALL {
            for dtype in [DType::U8, DType::Bool] {
                let definition = || Op::Cmp(Cmp { op, dtype });
                let d = Domain::Range(-2.0, 2.0);
                for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                    all.push(Sample::new(definition(), vec![Spec::new(shape, d), Spec::new(shape, d)]));
                }
                let bad = vec![Spec::new([2, 3], d), Spec::new([3], d)];
                all.push(Sample::bad(definition(), bad, "shape mismatch in"));
            }
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        functions()
    }
}

impl Tensor {
    /// Compares with an operator given as a value. The result is U8.
    pub fn cmp<T: crate::scalar::TensorOrScalar>(&self, rhs: T, op: CmpOp) -> Result<Tensor> {
        self.compare(&self.operand(rhs)?, op, DType::U8)
    }

    /// Compares two tensors of one shape. The result is U8 or Bool.
    pub fn compare(&self, rhs: &Tensor, op: CmpOp, dtype: DType) -> Result<Tensor> {
        Tensor::run(Op::Cmp(Cmp { op, dtype }), &[self, rhs])
    }
}
