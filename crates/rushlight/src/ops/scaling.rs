//! Numbers that scale the operands of an op in its Python function.
use crate::pydoc;

/// A number that callers may give by name, and that is not an attribute of the op: it scales what the op reads or gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// `alpha`, 1 by default: a factor of the second operand.
    Alpha,
    /// `decimals`, 0 by default: elements are multiplied by that power of ten before the op, and divided by it afterwards.
    Decimals,
}

impl Scaling {
    /// Name of the argument, and its default.
    pub const fn argument(self) -> (&'static str, &'static str) {
        match self {
            Self::Alpha => ("alpha", "1"),
            Self::Decimals => ("decimals", "0"),
        }
    }

    /// Entry of the parameter in a docstring.
    pub(super) fn documentation(self) -> String {
        match self {
            Self::Alpha => pydoc!(@parameter alpha: "number, default 1" "Factor of the second operand, by which it is multiplied first."),
            Self::Decimals => pydoc!(@parameter decimals: "int, default 0" "Number of decimals that stay; a negative one rounds to tens, hundreds and so on."),
        }
        .to_string()
    }
}
