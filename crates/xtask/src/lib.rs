//! Project tasks that do not need the library itself, and what all tasks share.
pub mod candle_tests;
pub mod check;
pub mod declarations;
pub mod docs;
pub mod files;
pub mod licences;
pub mod package;
pub mod process;
pub mod rocm_packages;
pub mod rules;
pub mod tasks;
pub mod tree;
pub mod words;

/// The result of a task: an error is printed.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
