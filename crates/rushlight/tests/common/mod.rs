//! Modules shared by several test programs; each uses some of them.
#![allow(dead_code)]
pub mod device;
pub mod numbers;
pub mod report;
pub mod vendor;
