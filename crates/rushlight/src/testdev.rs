//! A second backend for tests: CPU memory that belongs to another device. It rejects host memory and counts transfers,
//! so it shows whether any code assumes the CPU.
use crate::cpu::CpuStorage;
use crate::device::{CpuDevice, DeviceLocation};
use crate::ops::Op;
use crate::rng::Generator;
use crate::storage::{Backend, Storage, Support, View, ViewMut};
use crate::{DType, Error, Layout, Result};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Memory of the test device.
#[derive(Debug)]
pub struct TestStorage {
    data: Box<Storage>,
    id: usize,
}

impl TestStorage {
    pub(crate) fn dtype(&self) -> DType {
        self.data.dtype()
    }
}

#[derive(Debug)]
struct Shared {
    id: usize,
    rng: Mutex<Option<Generator>>,
    uploads: AtomicUsize,
    downloads: AtomicUsize,
    launches: AtomicUsize,
}

/// The test device. Clones share counters and random numbers.
#[derive(Debug, Clone)]
pub struct TestDevice(Arc<Shared>);

impl TestDevice {
    pub(crate) fn new(id: usize) -> Self {
        Self(Arc::new(Shared {
            id,
            rng: Mutex::default(),
            uploads: AtomicUsize::default(),
            downloads: AtomicUsize::default(),
            launches: AtomicUsize::default(),
        }))
    }

    pub(crate) fn rng(&self) -> &Mutex<Option<Generator>> {
        &self.0.rng
    }

    /// Returns the numbers of (uploads, downloads, launches) so far.
    pub fn counts(&self) -> (usize, usize, usize) {
        let c = &self.0;
        (c.uploads.load(Relaxed), c.downloads.load(Relaxed), c.launches.load(Relaxed))
    }

    fn own<'a>(&self, s: &'a Storage) -> Result<&'a Storage> {
        match s {
            Storage::Test(t) if t.id == self.0.id => Ok(&t.data),
            _ => Err(Error::Device(format!("test:{} was given memory of another device", self.0.id)).bt()),
        }
    }
}

impl Backend for TestDevice {
    fn id(&self) -> DeviceLocation {
        DeviceLocation::Test { id: self.0.id }
    }
    fn supports(&self, op: &Op, dtypes: &[DType]) -> Support {
        CpuDevice.supports(op, dtypes)
    }
    fn alloc(&self, dtype: DType, len: usize) -> Result<Storage> {
        Ok(Storage::Test(TestStorage { data: Box::new(CpuDevice.alloc(dtype, len)?), id: self.0.id }))
    }
    fn upload(&self, host: CpuStorage) -> Result<Storage> {
        self.0.uploads.fetch_add(1, Relaxed);
        Ok(Storage::Test(TestStorage { data: Box::new(Storage::Cpu(host)), id: self.0.id }))
    }
    fn download(&self, storage: &Storage) -> Result<CpuStorage> {
        self.0.downloads.fetch_add(1, Relaxed);
        CpuDevice.download(self.own(storage)?)
    }
    fn run(&self, op: &Op, inputs: &[View<'_>], outputs: &mut [ViewMut<'_>]) -> Result<()> {
        self.0.launches.fetch_add(1, Relaxed);
        let ins: Vec<View<'_>> = inputs
            .iter()
            .map(|v| Ok(View { storage: self.own(v.storage)?, layout: v.layout }))
            .collect::<Result<_>>()?;
        let mut outs: Vec<ViewMut<'_>> = outputs
            .iter_mut()
            .map(|v| {
                let layout: &Layout = v.layout;
                match &mut *v.storage {
                    Storage::Test(t) if t.id == self.0.id => Ok(ViewMut { storage: &mut t.data, layout }),
                    _ => Err(Error::Device("memory of another device".to_string()).bt()),
                }
            })
            .collect::<Result<_>>()?;
        CpuDevice.run(op, &ins, &mut outs)
    }
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}
