//! Device memory of a tensor.
use super::GpuDevice;
use super::alloc::Block;
use super::runtime::Runtime;
use crate::DType;

/// Elements in a GPU's memory. Dropping it gives the block back to the device's allocator.
#[derive(Debug)]
pub struct GpuStorage<R: Runtime> {
    device: GpuDevice<R>,
    block: Block,
    dtype: DType,
    len: usize,
}

impl<R: Runtime> GpuStorage<R> {
    pub(crate) fn new(device: GpuDevice<R>, block: Block, dtype: DType, len: usize) -> Self {
        Self { device, block, dtype, len }
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// No elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device.
    pub fn device(&self) -> &GpuDevice<R> {
        &self.device
    }

    /// Address of the first element on the device; 0 where there are none.
    pub fn address(&self) -> u64 {
        self.block.ptr
    }

    /// Bytes of the elements.
    pub(crate) fn bytes(&self) -> usize {
        self.len * self.dtype.size_in_bytes()
    }
}

impl<R: Runtime> Drop for GpuStorage<R> {
    fn drop(&mut self) {
        self.device.release(&self.block);
    }
}
