//! C's functions with errors instead of codes: the same names and arguments, still `unsafe`. The libraries are opened here,
//! at their first use.
//!
//! The caller passes valid pointers and handles, and makes the right context current.
pub mod cublas;
pub mod cudnn;
pub mod cufft;
pub mod cusolver;
pub mod driver;
pub mod nvrtc;

pub use rushlight_load::Check;
