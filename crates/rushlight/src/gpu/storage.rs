//! Device memory of a tensor.
use super::GpuDevice;
use super::alloc::Block;
use super::runtime::Runtime;
use crate::DType;
use std::any::Any;

/// The owner of the memory.
enum Memory {
    /// A block of the device's allocator.
    Block(Block),
    /// Externally owned memory at this address, which the value keeps alive.
    Foreign(u64, #[allow(dead_code)] Box<dyn Any + Send + Sync>),
}

/// Elements in a GPU's memory. Dropping it returns the block to the device's allocator, or releases the external owner.
pub struct GpuStorage<R: Runtime> {
    device: GpuDevice<R>,
    memory: Memory,
    dtype: DType,
    len: usize,
}

impl<R: Runtime> std::fmt::Debug for GpuStorage<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuStorage({} {:?} at {:#x})", self.len, self.dtype, self.address())
    }
}

impl<R: Runtime> GpuStorage<R> {
    pub(crate) fn new(device: GpuDevice<R>, block: Block, dtype: DType, len: usize) -> Self {
        Self { device, memory: Memory::Block(block), dtype, len }
    }

    /// Makes a storage over memory that `owner` keeps alive.
    pub(crate) fn foreign(
        device: GpuDevice<R>,
        ptr: u64,
        dtype: DType,
        len: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Self {
        Self { device, memory: Memory::Foreign(ptr, owner), dtype, len }
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device.
    pub fn device(&self) -> &GpuDevice<R> {
        &self.device
    }

    /// Address of the first element on the device, 0 if there are no elements.
    pub fn address(&self) -> u64 {
        match &self.memory {
            Memory::Block(b) => b.ptr,
            Memory::Foreign(ptr, _) => *ptr,
        }
    }

    /// Size of the elements in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.len * self.dtype.size_in_bytes()
    }
}

impl<R: Runtime> Drop for GpuStorage<R> {
    fn drop(&mut self) {
        // Work that is being recorded may use the memory later.
        let arena = match &self.memory {
            Memory::Block(b) if b.bytes == 0 => return,
            Memory::Block(b) => b.arena,
            Memory::Foreign(..) => 0,
        };
        let take = || {
            let memory = std::mem::replace(&mut self.memory, Memory::Block(Block::EMPTY));
            Self { device: self.device.clone(), memory, dtype: self.dtype, len: self.len }
        };
        if self.device.hold(arena, take) {
            return;
        }
        match &self.memory {
            Memory::Block(b) => self.device.release(b),
            Memory::Foreign(ptr, _) => self.device.runtime().disown(*ptr, self.bytes()),
        }
    }
}
