//! Predicates of one element, and logical ops of two elements, with Bool outputs.
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Tensor};

macro_rules! predicate {
    (one { $($v:ident $method:ident $doc:literal, $x:literal => $y:literal;)* }
     two { $($v2:ident $method2:ident $bmethod:ident $doc2:literal,
        $x1:literal, $x2:literal => $y2:literal;)* }) => {
        /// A predicate or a logical op. For logical ops a number is true if it is not zero (NaN is true).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum PredicateOp { $($v,)* $($v2),* }

        impl PredicateOp {
            /// Every op of the family.
            pub const ALL: &'static [Self] = &[$(Self::$v,)* $(Self::$v2),*];

            /// Whether the op takes two tensors.
            pub fn is_binary(self) -> bool {
                matches!(self, $(Self::$v2)|*)
            }

            fn name(self) -> &'static str {
                match self { $(Self::$v => stringify!($method),)* $(Self::$v2 => stringify!($method2)),* }
            }
        }

        fn functions() -> Vec<PythonSignature> {
            vec![
                $(signature!(
                    AsGiven,
                    $doc,
                    [concat!(">>> rl.", stringify!($method), "(rl.tensor(", $x, "))"), $y],
                    () => Op::Predicate(Predicate(PredicateOp::$v))
                ),)*
                $(signature!(
                    Promoted,
                    $doc2,
                    [
                        concat!(">>> rl.", stringify!($method2), "(rl.tensor(", $x1, "), rl.tensor(", $x2, "))"),
                        $y2
                    ],
                    () => Op::Predicate(Predicate(PredicateOp::$v2))
                )),*
            ]
        }

        impl Tensor {
            $(#[doc = concat!($doc, " As Bool. EQUATABLE dtypes.")]
            pub fn $method(&self) -> Result<Tensor> {
                Tensor::run(Op::Predicate(Predicate(PredicateOp::$v)), &[self])
            })*
            $(#[doc = concat!($doc2, " As Bool. Two tensors of one shape and dtype. EQUATABLE dtypes.")]
            pub fn $method2(&self, rhs: &Tensor) -> Result<Tensor> {
                Tensor::run(Op::Predicate(Predicate(PredicateOp::$v2)), &[self, rhs])
            }
            #[doc = concat!("As `", stringify!($method2), "`, after stretching both sides to one shape (NumPy's rule).")]
            pub fn $bmethod(&self, rhs: &Tensor) -> Result<Tensor> {
                let (l, r) = self.broadcast_pair(rhs, stringify!($method2))?;
                l.$method2(&r)
            })*
        }
    };
}

/// Passes the table of the family to a macro: predicates of one element, then logical ops of two elements. A row is:
/// variant, name in Rust and Python, for two elements also the broadcasting variant in Rust, the documentation, and an
/// example: the elements and the result, in Python's format.
#[doc(hidden)]
#[macro_export]
macro_rules! predicate_table {
    ($then:ident) => {
        $then! {
            one {
                IsNan isnan
                    "Tells where an element is NaN; never for integers. A complex number is NaN if a part is.", "[1.0, float('nan')]" => "tensor([False,  True], dtype=bool, device='cpu')";
                IsInf isinf
                    "Tells where an element is +inf or -inf; never for integers. A complex number is infinite if a part is.", "[1.0, float('inf')]" => "tensor([False,  True], dtype=bool, device='cpu')";
                IsFinite isfinite
                    "Tells where an element is neither NaN nor infinite; always for integers.", "[1.0, float('inf')]" => "tensor([ True, False], dtype=bool, device='cpu')";
                Not logical_not
                    "Tells where an element is zero.", "[0, 2]" => "tensor([ True, False], dtype=bool, device='cpu')";
            }
            two {
                And logical_and broadcast_logical_and
                    "Tells where both elements are nonzero; NaN counts as nonzero.", "[0, 2]", "[3, 4]" => "tensor([False,  True], dtype=bool, device='cpu')";
                Or logical_or broadcast_logical_or
                    "Tells where at least one of two elements is nonzero; NaN counts as nonzero.", "[0, 2]", "[3, 4]" => "tensor([True, True], dtype=bool, device='cpu')";
                Xor logical_xor broadcast_logical_xor
                    "Tells where exactly one of two elements is nonzero; NaN counts as nonzero.", "[0, 2]", "[3, 4]" => "tensor([ True, False], dtype=bool, device='cpu')";
            }
        }
    };
}
predicate_table!(predicate);

/// A predicate or a logical op. The output is Bool and has the inputs' shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Predicate(pub PredicateOp);

impl OpDef for Predicate {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn inputs(&self) -> &'static [Input] {
        if self.0.is_binary() {
            const { &[Input::new("lhs", sets::EQUATABLE), Input::same("rhs", sets::EQUATABLE)] }
        } else {
            const { &[Input::new("x", sets::EQUATABLE)] }
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, DType::Bool))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its output is not a floating-point number")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None]
    }

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
        Pattern::ELEMENTWISE_AS_SAMPLED
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
        // NumPy and PyTorch have functions of these names.
        Reference::same(self.name())
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Truth;
        let mut all = Vec::new();
        for &op in PredicateOp::ALL {
            let definition = Op::Predicate(Predicate(op));
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                let ins = vec![Spec::new(shape, d); if op.is_binary() { 2 } else { 1 }];
                all.push(Sample::new(definition.clone(), ins));
            }
            if op.is_binary() {
                let bad = vec![Spec::new([2, 3], d), Spec::new([3], d)];
                all.push(Sample::bad(definition, bad, "shape mismatch in logical_"));
            }
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        functions()
    }
}
