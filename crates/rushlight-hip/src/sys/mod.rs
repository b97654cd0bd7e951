//! The C side: types, constants and one lazily resolved pointer per function, under C's own names.
//!
//! Nothing here calls anything. [`result`](crate::result) calls functions and turns codes into errors;
//! [`safe`](crate::safe) owns handles.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

pub mod hip;
pub mod hiprtc;
pub mod miopen;
pub mod rocblas;
pub mod rocfft;
pub mod rocsolver;

pub use rushlight_load::{Prototype, Slot};
