//! Decompositions of matrices as a vendor's library takes them: column-major, in place.
use super::runtime::Outcome;
use super::vendor::Matrix;
use crate::DType;
use std::fmt::Debug;

/// The factors U and V^H of a singular value decomposition that are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factors {
    /// None.
    None,
    /// As many columns of U and rows of V^H as there are singular values.
    Reduced,
    /// Square matrices.
    Full,
}

/// A decomposition, and the addresses of its vectors, which follow one another in a batch without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// `a = P L U`, of F32 and F64.
    Lu {
        /// Integers of [`Runtime::PIVOT_BYTES`](super::runtime::Runtime::PIVOT_BYTES): the rows from 1 on that the first rows are exchanged with.
        pivots: u64,
    },
    /// `a = L L^T`, of F32 and F64; the lower triangle is read and replaced.
    Cholesky,
    /// `a = Q R`: R replaces the upper triangle, vectors of `min(rows, columns)` reflections the rest.
    Qr {
        /// The factors of the reflections.
        tau: u64,
    },
    /// The product of k reflections, whose first columns replace these.
    Q {
        /// The factors of the reflections, `steps` for each matrix.
        tau: u64,
        /// The number of reflections.
        k: u64,
        /// Elements of tau for each matrix.
        steps: u64,
    },
    /// Eigenvalues, real and ascending, of Hermitian matrices, whose lower triangle is read.
    Eigh {
        /// The eigenvalues.
        values: u64,
        /// Whether eigenvectors replace the columns of a.
        vectors: bool,
    },
    /// Singular values, real and descending, of matrices with no more columns than rows, which are destroyed.
    Svd {
        /// The singular values.
        values: u64,
        /// The factors that are computed.
        factors: Factors,
        /// U.
        u: Matrix,
        /// V^H.
        v: Matrix,
    },
}

/// A decomposition of a batch of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decomposition {
    /// F32, F64, C64 or C128.
    pub dtype: DType,
    /// Rows of a matrix.
    pub rows: u64,
    /// Columns of a matrix; of the product for [`Job::Q`].
    pub columns: u64,
    /// Matrices.
    pub batch: u64,
    /// The matrices, which change.
    pub a: Matrix,
    /// The decomposition.
    pub job: Job,
    /// Address of an `i32` for each matrix, 0 after success. LU: the first pivot that is 0, from 1 on. Cholesky: the order of
    /// the first leading minor that is not positive. Eigenvalues and singular values: not 0 if the iteration did not converge.
    pub info: u64,
}

/// A vendor's library of decompositions.
pub trait Solver: Debug {
    /// Returns the bytes of device memory that a decomposition needs beside its matrices.
    fn space(&mut self, d: &Decomposition) -> Outcome<u64>;
    /// Queues a decomposition on the device's stream. `space` is the address and the size of device memory.
    fn run(&mut self, d: &Decomposition, space: (u64, u64)) -> Outcome<()>;
}
