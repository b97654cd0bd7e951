//! Samples: example calls of an op as data, for the sweeps over dtypes, layouts, gradients and backends.
use super::norm::wide;
use super::{IndexMode, Op};
use crate::quantized::GgmlDType;
use crate::{DType, Shape};

/// The distribution of an input's values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Domain {
    /// Uniform between two numbers (integers are rounded; unsigned ones take the absolute value).
    Range(f64, f64),
    /// As `Range(a, b)`, but never within 0.02 of a multiple of the third number, to avoid kinks.
    Away(f64, f64, f64),
    /// Distinct values at least 0.05 apart, in random order, so that there are no ties.
    Distinct,
    /// Indices below a size, which may repeat.
    Index(usize),
    /// Indices below a size; for signed dtypes also negative indices, which count from the end.
    FromEnd(usize),
    /// Indices below a size, mixed with the dtype's largest number.
    OrMax(usize),
    /// Indices below a size, each at most once.
    Permutation(usize),
    /// Offsets of neighbouring parts: ascending from 0 to at most a size, some of them equal.
    Offsets(usize),
    /// Matrices of this many columns with numbers of [-1, 1], to which the number of columns is added on the diagonal that
    /// begins in this column of the first row and goes on cyclically. With 0 a square matrix is positive definite, and its
    /// lower triangle well-conditioned.
    Dominant(usize, usize),
    /// The bytes of random blocks of a type, with finite numbers. A row of the input has whole blocks.
    Blocks(GgmlDType),
    /// The bytes of blocks of 32 integers of 8 bits with finite scales (`quantize_int8`). A row of the input has whole blocks.
    Int8Blocks,
    /// Zeros and ones.
    Mask,
    /// Zeros and ones. Any number is valid here, so the suite also tests infinities, NaN and other special values.
    Truth,
}

/// The dtype of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// The dtype under test, from the set of input 0.
    T,
    /// Each dtype of the input's own set, one after the other.
    Own,
    /// This dtype.
    Fixed(DType),
    /// The dtype that the dtype under test is computed in: F64 for F64, else F32.
    Wide,
}

/// One input of a sample.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Shape.
    pub shape: Shape,
    /// Values.
    pub domain: Domain,
    /// Dtype.
    pub fill: Fill,
}

impl Spec {
    /// An input of the dtype under test.
    pub fn new(shape: impl Into<Shape>, domain: Domain) -> Self {
        Self { shape: shape.into(), domain, fill: Fill::T }
    }

    /// An index input, tested in every index dtype.
    pub fn index(shape: impl Into<Shape>, size: usize) -> Self {
        Self { shape: shape.into(), domain: Domain::Index(size), fill: Fill::Own }
    }

    /// An index input, including the out-of-range indices that `rule` allows.
    pub fn ruled(shape: impl Into<Shape>, size: usize, rule: IndexMode) -> Self {
        let domain = match rule {
            IndexMode::Within => Domain::Index(size),
            IndexMode::MaxSkips => Domain::OrMax(size),
            IndexMode::FromEnd => Domain::FromEnd(size),
        };
        Self { shape: shape.into(), domain, fill: Fill::Own }
    }
}

/// One example call of an op.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The op with its attributes.
    pub op: Op,
    /// Its inputs.
    pub inputs: Vec<Spec>,
    /// For an invalid call: part of the error's text.
    pub error: Option<&'static str>,
    /// Whether the gradient rule is checked by finite differences.
    pub grad: bool,
}

impl Sample {
    /// A valid call.
    pub fn new(op: Op, inputs: Vec<Spec>) -> Self {
        Self { op, inputs, error: None, grad: true }
    }

    /// An invalid call, which must fail with this text.
    pub fn bad(op: Op, inputs: Vec<Spec>, error: &'static str) -> Self {
        Self { op, inputs, error: Some(error), grad: false }
    }

    /// Makes samples from tables of valid and of invalid cases; `make` turns a row of a table into an op and its
    /// inputs.
    pub fn table<C>(
        make: impl Fn(C) -> (Op, Vec<Spec>),
        good: impl IntoIterator<Item = C>,
        bad: impl IntoIterator<Item = (C, &'static str)>,
    ) -> Vec<Self> {
        let mut all: Vec<Self> = good.into_iter().map(&make).map(|(op, ins)| Self::new(op, ins)).collect();
        all.extend(bad.into_iter().map(|(row, error)| {
            let (op, ins) = make(row);
            Self::bad(op, ins, error)
        }));
        all
    }

    /// Returns the dtypes of the inputs, in every combination: each dtype under test with the index and mask dtypes.
    pub fn dtype_rows(&self) -> Vec<Vec<DType>> {
        let declared = self.op.inputs();
        let under_test = self.inputs.iter().zip(declared).filter(|(i, _)| i.fill == Fill::T);
        let tested: Vec<DType> = DType::ALL
            .iter()
            .copied()
            .filter(|d| under_test.clone().all(|(_, input)| input.dtypes.contains(*d)))
            .collect();
        let tested = if under_test.clone().next().is_some() { tested } else { vec![DType::F32] };
        let own =
            self.inputs.iter().zip(declared).filter(|(i, d)| i.fill == Fill::Own && d.same_as.is_none());
        let turns = own.map(|(_, d)| d.dtypes.iter().count()).max().unwrap_or(1);
        let mut rows = Vec::new();
        for &dtype in &tested {
            for turn in 0..turns {
                let mut row: Vec<DType> = Vec::new();
                for (spec, input) in self.inputs.iter().zip(declared) {
                    row.push(match (spec.fill, input.same_as) {
                        (Fill::T, _) => dtype,
                        (Fill::Fixed(d), _) => d,
                        (Fill::Wide, _) => wide(dtype),
                        (Fill::Own, Some(i)) if i < row.len() => row[i],
                        (Fill::Own, _) => {
                            let set: Vec<DType> = input.dtypes.iter().collect();
                            set[turn % set.len()]
                        }
                    });
                }
                rows.push(row);
            }
        }
        rows
    }

    /// Disables the gradient check, for a sample at a kink or one that tests values only.
    pub fn no_grad(mut self) -> Self {
        self.grad = false;
        self
    }
}
