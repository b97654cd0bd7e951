//! C's functions with errors instead of codes: the same names and arguments, still `unsafe`.
//!
//! The caller passes valid pointers and handles, and makes the right device current.

pub mod hip;
pub mod hiprtc;
pub mod miopen;
pub mod rocblas;
pub mod rocfft;
pub mod rocsolver;

pub use rushlight_load::Check;
