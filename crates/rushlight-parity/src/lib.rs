//! The parity suite, which checks that a device computes every op correctly.
//!
//! [`Case`]s derive from the op definitions: an op, dtypes, layouts, shapes and values, and a pass (forward, gradient or
//! error). [`Class`] is the bound on a result, [`Verdict`] the outcome of a case. `cargo test --test parity` and the command
//! `rushlight parity` run the same cases.
//!
//! ```
//! use rushlight::Device;
//! use rushlight_parity::{Against, Case, Status};
//! let cases = Case::all(0);
//! let case = cases.iter().find(|c| c.name == "add#1/f32,f32/transposed").expect("a case");
//! let verdict = case.run(&Device::Cpu, Against::F64);
//! assert_eq!(verdict.status, Status::Pass, "{}", verdict.reason);
//! ```
// Doc examples and modules refer to the crate by its public name.
extern crate self as rushlight_parity;

mod bound;
mod case;
mod compare;
mod hard;
mod judge;
mod known;
mod other;
pub mod sweep;

pub use bound::{Class, class};
pub use case::{Case, Pass, interleave};
pub use compare::{Comparison, Mismatch, agrees, same_bits};
pub use hard::hard_numbers;
pub use judge::{Against, Output, Status, Verdict, gradients};
pub use known::{Known, known};
