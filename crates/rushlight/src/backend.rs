//! Candle's backend trait, reduced to what custom ops written for candle name.
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
