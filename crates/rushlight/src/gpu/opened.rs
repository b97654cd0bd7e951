//! The open devices: each GPU is opened once in a process.
use super::runtime::Runtime;
use super::{GpuDevice, lock};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The open devices of a vendor, by number.
pub(super) struct Opened<R: Runtime>(Mutex<BTreeMap<usize, GpuDevice<R>>>);

impl<R: Runtime> Opened<R> {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Returns the device with this number, and opens it with `new` if it is not open yet.
    pub fn get<E: std::fmt::Display>(
        &self,
        ordinal: usize,
        new: impl FnOnce(usize) -> std::result::Result<R, E>,
    ) -> Result<GpuDevice<R>> {
        let mut all = lock(&self.0);
        if let Some(d) = all.get(&ordinal) {
            return Ok(d.clone());
        }
        let runtime = new(ordinal).map_err(|e| Error::Device(format!("{}:{ordinal}: {e}", R::KIND)).bt())?;
        let device = GpuDevice::new(runtime, ordinal)?;
        all.insert(ordinal, device.clone());
        Ok(device)
    }

    /// Makes open devices derive their random seeds from the common seed again.
    pub fn forget_seeds(&self) {
        for device in lock(&self.0).values() {
            *lock(device.rng()) = None;
        }
    }
}
