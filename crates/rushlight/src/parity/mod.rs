//! The parity suite: whether a device gives right answers, told by cases that derive from the op cards.
//!
//! One definition of a case ([`Case`]: op x dtype x layout x shape, forward, gradient, bad use; values that are easy or
//! hard), of a bound ([`Class`]) and of a verdict ([`Verdict`]). `cargo test --test parity` and the command `rushlight
//! parity` run the same.
//!
//! ```
//! use rushlight::{Device, parity::{Against, Case, Status}};
//! let cases = Case::all(0);
//! let case = cases.iter().find(|c| c.name == "add#1/f32,f32/transposed").expect("a case");
//! let verdict = case.run(&Device::Cpu, Against::F64);
//! assert_eq!(verdict.status, Status::Pass, "{}", verdict.reason);
//! ```
mod bound;
mod case;
mod compare;
mod hard;
mod judge;
mod other;

pub use bound::{Class, class};
pub use case::{Case, Pass, spread};
pub use compare::{Comparison, Mismatch, agrees, same_bits};
pub use hard::hard_numbers;
pub use judge::{Against, Output, Status, Verdict, gradients};
