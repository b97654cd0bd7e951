//! Candle's backend trait, reduced to the methods that custom ops written for candle use.
use crate::cpu::CpuStorage;
use crate::{DType, Device};

/// Dtype and device of a storage.
pub trait BackendStorage {
    /// The dtype.
    fn dtype(&self) -> DType;
    /// The device.
    fn device(&self) -> Device;
}

impl BackendStorage for CpuStorage {
    fn dtype(&self) -> DType {
        CpuStorage::dtype(self)
    }
    fn device(&self) -> Device {
        Device::Cpu
    }
}
