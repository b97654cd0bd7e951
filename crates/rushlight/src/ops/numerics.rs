//! Facts about an op's numerical results, which tests on every backend rely on. Each definition states them; there are
//! no defaults.

/// The error bound of an op's results, on the CPU and on every other device.
///
/// For the first three variants every device returns the same bits as the CPU, except that any NaN matches a NaN. They
/// differ in the bound of the CPU's own result. Integer and bool results are exact in every variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// The same bits as on the CPU, where the result is the exact one rounded once.
    Rounded,
    /// The same bits as on the CPU, where the result has a few rounding errors relative to the largest sum of
    /// magnitudes.
    Accumulated,
    /// The same bits as on the CPU. There is no exact result to compare with, because the op in f64 gives other numbers
    /// (random draws; orthonormal vectors of values that lie close together).
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
    /// A bound of `single` units in the last place, and of one unit for F16 and BF16, which are rounded from F32.
    pub const fn ulps(single: f64) -> Self {
        Self::Ulps { single, half: 1.0 }
    }

    /// Eight units in the last place; two for F16 and BF16.
    pub const SOFTMAX: Self = Self::Ulps { single: 8.0, half: 2.0 };
    /// Eight rounding errors of the largest result; two for F16 and BF16.
    pub const LOSS: Self = Self::Scaled { single: 8.0, half: 2.0 };
    /// 16 rounding errors of the largest result.
    pub const FFT: Self = Self::Scaled { single: 16.0, half: 2.0 };
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
    /// The order is fixed, the op adds nothing, or [`Accuracy`] accounts for the order.
    Fixed,
    /// GPUs may add many floats with atomics, in the order of arrival, unless [`deterministic`](crate::deterministic)
    /// is set (see docs/NUMERICS.md, "The same bits in every run").
    Arrival,
}

/// Restrictions on tests of an op with infinities, NaN, zeros of both signs and numbers at the ends of the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpecialValues {
    /// Index of the input that stays finite where another input holds one NaN or infinity. Backends differ in whether
    /// they multiply this input by padding (docs/NUMERICS.md).
    pub finite_input: Option<usize>,
    /// Whether gradients are tested with one NaN, one infinity or zeros among the inputs.
    pub gradients: bool,
    /// Whether the intermediate values of the CPU's gradient rule stay in the dtype's range wherever the true gradient does.
    pub gradient_in_range: bool,
    /// Whether numbers at the ends of the range and arguments of large exponentials are tested. Where sums of products
    /// are exponentiated, overflow and rounding errors depend on the order of the sum.
    pub large: bool,
    /// Whether long lines with a few much larger numbers are tested.
    pub peaks: bool,
    /// A number to put beside zeros of both signs, which the op never prefers to a zero: 1 for minima, -1 for other
    /// ops.
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
    /// For ops that return a minimum or its index.
    pub const OF_MINIMUM: Self = Self { beside_zeros: 1.0, ..Self::ALL };
    /// For convolutions, whose second input is multiplied by padding.
    pub const OF_PADDED: Self = Self { finite_input: Some(1), ..Self::ALL };
    /// For exponentials of sums of products.
    pub const OF_SCORES: Self = Self { large: false, ..Self::ALL };
    /// For exponentials of sums of products from which the largest sum is not subtracted.
    pub const OF_WEIGHTS: Self = Self { peaks: false, ..Self::OF_SCORES };
    /// For gradient rules that raise an input to a power.
    pub const OF_POWERS: Self = Self { gradient_in_range: false, ..Self::ALL };
}

/// The NumPy and PyTorch functions that the parity suite compares an op with (`rushlight parity --against numpy`).
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
    /// An expression of several functions, or one that needs attributes. It is in `python/rushlight/_parity/peers.py`.
    Expression {
        /// Whether only floats are compared, because NumPy or PyTorch promotes integers differently.
        floats_only: bool,
    },
    /// No function. The text is the reason.
    None(&'static str),
}

impl Reference {
    /// A function with the same name in both libraries.
    pub const fn same(name: &'static str) -> Self {
        Self::Function { numpy: name, torch: name, floats_only: false }
    }

    /// A function with the same name in both libraries, compared for floats only.
    pub const fn same_floats(name: &'static str) -> Self {
        Self::Function { numpy: name, torch: name, floats_only: true }
    }

    /// A function with a different name in each library.
    pub const fn names(numpy: &'static str, torch: &'static str) -> Self {
        Self::Function { numpy, torch, floats_only: false }
    }

    /// An expression in both libraries.
    pub const EXPRESSION: Self = Self::Expression { floats_only: false };
    /// An expression in both libraries, compared for floats only.
    pub const FLOAT_EXPRESSION: Self = Self::Expression { floats_only: true };
    /// Used for gradient ops that a definition's `vjp` runs.
    pub const GRADIENT: Self = Self::None("NumPy and PyTorch expose the gradient, not this op");
    /// No expression has been written yet.
    pub const UNWRITTEN: Self = Self::None("no expression is written for it yet");
}
