//! Device properties.
use crate::result::hip::Calls;
use crate::sys::hip::*;
use crate::{Error, Result};
use std::ffi::c_int;

/// The properties of a device.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Props {
    /// The marketing name; may be empty.
    pub name: String,
    /// The full target that the compiler takes, as `gfx90a:sramecc+:xnack-`.
    pub arch: String,
    /// Bytes of memory.
    pub total_mem: u64,
    /// Lanes of a wave: 64 or 32.
    pub warp_size: u32,
    /// Compute units.
    pub multiprocessors: u32,
    /// Most threads of a block.
    pub max_threads_per_block: u32,
    /// Most resident threads of a compute unit.
    pub max_threads_per_multiprocessor: u32,
    /// Most bytes of LDS (shared memory) of a block.
    pub lds_per_block: u32,
    /// Registers available to a block.
    pub regs_per_block: u32,
    /// Bytes of the L2 cache.
    pub l2_cache: u32,
    /// Clock of the compute units in kHz.
    pub clock_khz: u32,
    /// Clock of the memory in kHz.
    pub memory_clock_khz: u32,
    /// Bits of the memory bus.
    pub memory_bus_bits: u32,
    /// PCI domain.
    pub pci_domain: u32,
    /// PCI bus.
    pub pci_bus: u32,
    /// PCI device.
    pub pci_device: u32,
    /// Whether it shares the host's memory.
    pub integrated: bool,
    /// Whether kernels can address pinned host memory.
    pub can_map_host_memory: bool,
}

/// More than the size of `hipDeviceProp_t` in any version.
const ROOM: usize = 4096;

#[repr(align(16))]
struct Raw([u8; ROOM]);

impl Raw {
    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut out = [0; N];
        if let Some(from) = self.0.get(at..at + N) {
            out.copy_from_slice(from);
        }
        out
    }

    fn int(&self, at: usize) -> u32 {
        u32::try_from(i32::from_ne_bytes(self.bytes(at))).unwrap_or(0)
    }

    fn text(&self, at: usize) -> String {
        let all: [u8; 256] = self.bytes(at);
        let end = all.iter().position(|b| *b == 0).unwrap_or(all.len());
        String::from_utf8_lossy(&all[..end]).into_owned()
    }
}

/// Fills the struct and returns its layout. The symbol decides the layout: the plain name keeps the old one in newer
/// versions.
fn raw(calls: &Calls, ordinal: c_int) -> Result<(Box<Raw>, PropLayout)> {
    let mut raw = Box::new(Raw([0; ROOM]));
    let at = raw.0.as_mut_ptr().cast();
    if calls.symbols().hipGetDevicePropertiesR0600().is_ok() {
        // SAFETY: the buffer is larger than the struct of any version.
        unsafe { calls.hipGetDevicePropertiesR0600(at, ordinal)? };
        return Ok((raw, PROP_R0600));
    }
    // SAFETY: as above.
    unsafe { calls.hipGetDeviceProperties(at, ordinal)? };
    Ok((raw, PROP_R0000))
}

pub(super) fn read(calls: &Calls, ordinal: c_int) -> Result<Props> {
    let (raw, layout) = raw(calls, ordinal)?;
    let number = |attribute: hipDeviceAttribute_t| -> Option<u32> {
        let mut value: c_int = 0;
        // SAFETY: the pointer is that of a local.
        unsafe { calls.hipDeviceGetAttribute(&mut value, attribute, ordinal) }.ok()?;
        u32::try_from(value).ok()
    };
    // An attribute that this version lacks stays 0.
    let optional = |attribute| number(attribute).unwrap_or(0);
    let mut total: usize = 0;
    // SAFETY: the pointer is that of a local.
    let total_mem = match unsafe { calls.hipDeviceTotalMem(&mut total, ordinal) } {
        Ok(()) => total as u64,
        Err(_) => u64::from_ne_bytes(raw.bytes(layout.total_mem)),
    };
    let props = Props {
        name: raw.text(0),
        arch: raw.text(layout.arch_name),
        total_mem,
        warp_size: number(hipDeviceAttributeWarpSize).unwrap_or_else(|| raw.int(layout.warp_size)),
        multiprocessors: optional(hipDeviceAttributeMultiprocessorCount),
        max_threads_per_block: number(hipDeviceAttributeMaxThreadsPerBlock).unwrap_or(1024),
        max_threads_per_multiprocessor: optional(hipDeviceAttributeMaxThreadsPerMultiProcessor),
        lds_per_block: number(hipDeviceAttributeMaxSharedMemoryPerBlock).unwrap_or(65_536),
        regs_per_block: optional(hipDeviceAttributeMaxRegistersPerBlock),
        l2_cache: optional(hipDeviceAttributeL2CacheSize),
        clock_khz: optional(hipDeviceAttributeClockRate),
        memory_clock_khz: optional(hipDeviceAttributeMemoryClockRate),
        memory_bus_bits: optional(hipDeviceAttributeMemoryBusWidth),
        pci_domain: raw.int(layout.pci_domain),
        pci_bus: optional(hipDeviceAttributePciBusId),
        pci_device: optional(hipDeviceAttributePciDeviceId),
        integrated: optional(hipDeviceAttributeIntegrated) != 0,
        can_map_host_memory: optional(hipDeviceAttributeCanMapHostMemory) != 0,
    };
    let known = props.arch.starts_with("gfx") && matches!(props.warp_size, 32 | 64);
    if !known {
        return Err(Error::argument(
            "hipGetDeviceProperties",
            format!(
                "device {ordinal} reports the target \"{}\" and waves of {} lanes, which no AMD GPU has",
                props.arch.escape_debug(),
                props.warp_size
            ),
        ));
    }
    Ok(props)
}
