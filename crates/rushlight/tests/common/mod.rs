//! Shared by several test files; each uses a part.
#![allow(dead_code)]
pub mod device;
pub mod numbers;
pub mod report;
pub mod vendor;
