//! Facts about an op's numbers that tests on every backend rely on. Each definition states them; none has a default.

/// How near to the true result the result of an op must be, on the CPU and on every other device.
///
/// The first three promise bits: every device returns the CPU's, with any NaN for a NaN. They differ in how near the CPU's
/// own result is to the true one. Integer and bool results are exact in every class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// The CPU's bits, and these are the true result rounded once.
    Rounded,
    /// The CPU's bits, and these are some rounding errors (of the largest sum of magnitudes) from the true result.
    Accumulated,
    /// The CPU's bits. There is no true result to compare them with: the op in f64 gives other numbers.
    Drawn,
    /// A number of units in the last place of the result.
    Ulps {
        /// For F32 and F64.
        single: f64,
        /// For F16 and BF16.
        half: f64,
    },
    /// A number of rounding errors relative to the largest element of the result: for ops that subtract sums, whose small
    /// results carry the error of the large ones.
    Scaled {
        /// For F32 and F64.
        single: f64,
        /// For F16 and BF16.
        half: f64,
    },
    /// Sums of products, added in any order: `2 sqrt(terms)` rounding errors of the accumulation type, relative to the sum
    /// of the products' magnitudes, and half a unit more for F16 and BF16.
    Products,
}

impl Accuracy {
    /// `single` units in the last place; one unit for F16 and BF16, which are rounded from F32.
    pub const fn ulps(single: f64) -> Self {
        Self::Ulps { single, half: 1.0 }
    }

    /// Eight units in the last place; two for F16 and BF16.
    pub const SOFTMAX: Self = Self::Ulps { single: 8.0, half: 2.0 };
    /// Eight rounding errors of the largest result; two for F16 and BF16.
    pub const LOSS: Self = Self::Scaled { single: 8.0, half: 2.0 };
    /// 64 rounding errors of the largest result; two for F16 and BF16.
    pub const ATTENTION: Self = Self::Scaled { single: 64.0, half: 2.0 };

    /// Whether every device returns the CPU's bits.
    pub const fn promises_bits(self) -> bool {
        matches!(self, Self::Rounded | Self::Accumulated | Self::Drawn)
    }
}

/// The order in which the terms of an op's sums are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermOrder {
    /// The op adds nothing, or in an order that [`Accuracy`] accounts for.
    Fixed,
    /// GPUs may add many floats by atomics, in the order of arrival, unless [`deterministic`](crate::deterministic) (see
    /// docs/NUMERICS.md, "The same bits in every run").
    Arrival,
}

/// How an op is tested with infinities, NaN, zeros of both signs and numbers at the ends of the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpecialValues {
    /// The input that stays finite where another holds one NaN or infinity. Backends differ in whether they multiply it with
    /// padding (docs/NUMERICS.md).
    pub finite_input: Option<usize>,
    /// Whether gradients are run with one NaN, one infinity or zeros among the inputs.
    pub gradients: bool,
    /// Whether the intermediate values of the CPU's gradient rule stay in the dtype's range wherever the true gradient does.
    pub gradient_in_range: bool,
    /// Whether numbers at the ends of the range and arguments of large exponentials are among them. Where sums of products
    /// are exponentiated, their overflow and rounding errors depend on the order of the sum.
    pub large: bool,
    /// Whether long lines with a few much larger numbers are tested.
    pub peaks: bool,
    /// A number that is never preferred to a zero, for cases of zeros of both signs.
    pub beside_zeros: f64,
}

impl SpecialValues {
    /// No restriction.
    pub const ALL: Self = Self {
        finite_input: None,
        gradients: true,
        gradient_in_range: true,
        large: true,
        peaks: true,
        beside_zeros: -1.0,
    };
    /// For ops that return a smallest element or its index.
    pub const OF_MINIMUM: Self = Self { beside_zeros: 1.0, ..Self::ALL };
    /// For convolutions, whose second input meets padding.
    pub const OF_PADDED: Self = Self { finite_input: Some(1), ..Self::ALL };
    /// For exponentials of sums of products.
    pub const OF_SCORES: Self = Self { large: false, ..Self::ALL };
    /// For exponentials of sums of products that are not relative to the largest one.
    pub const OF_WEIGHTS: Self = Self { peaks: false, ..Self::OF_SCORES };
    /// For gradient rules that raise an input to a power.
    pub const OF_POWERS: Self = Self { gradient_in_range: false, ..Self::ALL };
}

/// The function of NumPy and PyTorch that the suite can compare an op with (`rushlight parity --against numpy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// A function of the inputs alone.
    Function {
        /// Name in NumPy.
        numpy: &'static str,
        /// Name in PyTorch.
        torch: &'static str,
        /// Whether only floats are compared, because NumPy or PyTorch promotes integers differently.
        floats_only: bool,
    },
    /// An expression of several functions, or one that takes attributes: in `python/rushlight/_parity/peers.py`.
    Expression {
        /// Whether only floats are compared, because NumPy or PyTorch promotes integers differently.
        floats_only: bool,
    },
    /// None, for this reason.
    None(&'static str),
}

impl Reference {
    /// A function of one name in both.
    pub const fn same(name: &'static str) -> Self {
        Self::Function { numpy: name, torch: name, floats_only: false }
    }

    /// A function of one name in both that is compared for floats.
    pub const fn same_floats(name: &'static str) -> Self {
        Self::Function { numpy: name, torch: name, floats_only: true }
    }

    /// A function with two names.
    pub const fn names(numpy: &'static str, torch: &'static str) -> Self {
        Self::Function { numpy, torch, floats_only: false }
    }

    /// An expression of both.
    pub const EXPRESSION: Self = Self::Expression { floats_only: false };
    /// An expression of both that is compared for floats.
    pub const FLOAT_EXPRESSION: Self = Self::Expression { floats_only: true };
    /// The gradient ops that a definition's `vjp` runs.
    pub const GRADIENT: Self = Self::None("NumPy and PyTorch expose the gradient, not this op");
    /// Not written yet.
    pub const UNWRITTEN: Self = Self::None("no expression is written for it yet");
}
