//! Errors.
use crate::GgmlDType;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// A file that cannot be read, or sizes that do not fit a block format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The contents of a file are not valid.
    #[error("{format}: byte {at}: {message}")]
    Invalid {
        /// The format of the file: gguf, ggml or imatrix.
        format: &'static str,
        /// Position in the file, in bytes from its start.
        at: u64,
        /// The contents that were expected there, and those found.
        message: String,
    },
    /// A file does not end where its contents need it to.
    #[error("{format}: byte {at}: {what} needs {needed} bytes, only {remaining} remaining in the file")]
    TooShort {
        /// The format of the file: gguf, ggml or imatrix.
        format: &'static str,
        /// Position in the file, in bytes from its start.
        at: u64,
        /// The part that was to be read.
        what: String,
        /// Number of bytes that it needs.
        needed: u64,
        /// Number of bytes from the position to the end of the file.
        remaining: u64,
    },
    /// A tensor that a file does not have.
    #[error("cannot find a tensor of the name {0:?}")]
    NoTensor(String),
    /// A number of elements that is not whole blocks.
    #[error("{dtype}: expected a multiple of the block size {}, got {count} elements", dtype.block_size())]
    Blocks {
        /// The block type.
        dtype: GgmlDType,
        /// Number of elements.
        count: usize,
    },
    /// Buffers whose lengths do not agree.
    #[error("{op}: {dtype}: expected {expected} {unit} for {count} elements, got {got}")]
    Length {
        /// The function that was called.
        op: &'static str,
        /// The block type.
        dtype: GgmlDType,
        /// The unit of the lengths.
        unit: &'static str,
        /// Number of elements.
        count: usize,
        /// The length that was expected.
        expected: usize,
        /// The length of the buffer.
        got: usize,
    },
    /// A block type that importance weights are not defined for.
    #[error("quantize_imatrix: expected Q2K, Q3K, Q4K, Q5K or Q6K, got {0}; call quantize for other types")]
    NoImatrix(GgmlDType),
    /// Metadata that cannot be written.
    #[error("gguf: {0}")]
    Unwritable(String),
    /// An error of the operating system, or of a reader or writer.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
