//! Project tasks that do not need the library itself, and the code that all tasks share.
pub mod candle_tests;
pub mod check;
pub mod declarations;
pub mod docs;
pub mod files;
pub mod licences;
pub mod package;
pub mod process;
pub mod renew;
pub mod rocm_packages;
pub mod roofline;
pub mod rules;
pub mod simd_calls;
pub mod tasks;
pub mod tree;
pub mod words;

/// The result of a task. `main` prints the error.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
