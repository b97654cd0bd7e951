//! [Rushlight](rushlight) under the name and the paths of candle-core 0.11.1.
//!
//! With one entry in a program's `Cargo.toml` it is used instead of candle-core, by the program's own code and by candle-nn:
//!
//! ```toml
//! [patch.crates-io]
//! candle-core = { git = "https://your.copy/rushlight" }
//! ```
//!
//! The types are Rushlight's. The modules here have what only candle's other crates need.
pub use rushlight::*;

pub mod cuda_backend;
pub mod quantized;
pub mod streaming;
pub mod test_utils;
pub mod utils;

pub use cuda_backend as cuda;
pub use streaming::{StreamTensor, StreamingBinOp, StreamingModule};

/// The CPU.
pub mod cpu {
    pub use rushlight::cpu::*;
    /// Functions of vectors.
    pub mod kernels {
        pub use rushlight::cpu::VecOps;
    }
}

/// Errors.
pub mod error {
    pub use rushlight::error::*;

    /// Returns both values, or the first error.
    pub fn zip<T, U>(first: rushlight::Result<T>, second: rushlight::Result<U>) -> rushlight::Result<(T, U)> {
        Ok((first?, second?))
    }
}

/// Layouts of tensors.
pub mod layout {
    pub use rushlight::Layout;
}

/// Numbers that ops take as arguments.
pub mod scalar {
    pub use rushlight::{Scalar, TensorOrScalar, TensorScalar};
}
