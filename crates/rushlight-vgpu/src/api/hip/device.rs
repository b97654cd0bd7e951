//! HIP's functions for devices, versions and errors.
use super::Ptr;
use crate::device::gpu::{call, current, gpu, last_error, set_current, with};
use crate::device::startup;
use crate::support::error::{self, Code};
use crate::support::out::{Out, put_text};
use crate::support::{arch::Arch, config};
use std::ffi::{c_char, c_int, c_uint};

pub extern "C" fn hipInit(flags: c_uint) -> Code {
    call("hipInit", || {
        if flags != 0 {
            return Err(error::INVALID_VALUE);
        }
        gpu()?.alive()
    })
}

/// Returns the version of the runtime. Programs cache compiled code by it, so the two engines, whose compilers make
/// different code of the same source, have different versions.
fn version() -> c_int {
    let build = match config::major() {
        5 => 50_731_921,
        6 => 60_342_134,
        _ => 70_151_831,
    };
    build + c_int::from(config::get().isa)
}

pub extern "C" fn hipRuntimeGetVersion(to: Out<c_int>) -> Code {
    call("hipRuntimeGetVersion", || to.set(version()))
}

pub extern "C" fn hipDriverGetVersion(to: Out<c_int>) -> Code {
    call("hipDriverGetVersion", || to.set(version()))
}

pub extern "C" fn hipGetDeviceCount(to: Out<c_int>) -> Code {
    call("hipGetDeviceCount", || {
        if to.is_null() {
            return Err(error::INVALID_VALUE);
        }
        to.set(0)?;
        gpu()?.alive()?;
        to.set(config::get().devices as c_int)
    })
}

pub extern "C" fn hipGetDevice(to: Out<c_int>) -> Code {
    with("hipGetDevice", |_| to.set(current() as c_int))
}

pub extern "C" fn hipSetDevice(device: c_int) -> Code {
    with("hipSetDevice", |gpu| {
        set_current(gpu.device(device)?);
        Ok(())
    })
}

pub extern "C" fn hipDeviceGet(to: Out<c_int>, device: c_int) -> Code {
    with("hipDeviceGet", |gpu| to.set(gpu.device(device)? as c_int))
}

pub extern "C" fn hipDeviceSynchronize() -> Code {
    with("hipDeviceSynchronize", |gpu| {
        gpu.refuse_device_wait(current())?;
        gpu.finish_device(current())
    })
}

pub extern "C" fn hipDeviceReset() -> Code {
    with("hipDeviceReset", |gpu| {
        gpu.refuse_device_wait(current())?;
        gpu.finish_device(current())
    })
}

pub extern "C" fn hipDeviceGetName(to: *mut c_char, len: c_int, device: c_int) -> Code {
    with("hipDeviceGetName", |gpu| {
        gpu.device(device)?;
        put_text(to, len, &config::get().title())
    })
}

fn bus(device: usize) -> c_int {
    device as c_int + 3
}

pub extern "C" fn hipDeviceGetPCIBusId(to: *mut c_char, len: c_int, device: c_int) -> Code {
    with("hipDeviceGetPCIBusId", |gpu| {
        put_text(to, len, &format!("0000:{:02x}:00.0", bus(gpu.device(device)?)))
    })
}

/// Returns 16 bytes that identify a device.
fn uuid(device: usize) -> [u8; 16] {
    let mut id = *b"rushlightvgpu-00";
    id[15] += device as u8;
    id
}

pub extern "C" fn hipDeviceGetUuid(to: Out<[u8; 16]>, device: c_int) -> Code {
    with("hipDeviceGetUuid", |gpu| to.set(uuid(gpu.device(device)?)))
}

pub extern "C" fn hipDeviceTotalMem(to: Out<usize>, device: c_int) -> Code {
    with("hipDeviceTotalMem", |gpu| {
        gpu.device(device)?;
        to.set(config::get().memory)
    })
}

pub extern "C" fn hipDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: c_int) -> Code {
    with("hipDeviceComputeCapability", |gpu| {
        gpu.device(device)?;
        major.set(config::get().arch.major)?;
        minor.set(config::get().arch.minor)
    })
}

pub extern "C" fn hipDeviceGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) -> Code {
    with("hipDeviceGetStreamPriorityRange", |_| {
        least.set(1)?;
        greatest.set(-1)
    })
}

pub extern "C" fn hipDeviceGetAttribute(to: Out<c_int>, attribute: c_int, device: c_int) -> Code {
    with("hipDeviceGetAttribute", |gpu| {
        let device = gpu.device(device)?;
        to.set(attribute_of(config::get().arch, attribute, device).ok_or(error::INVALID_VALUE)?)
    })
}

fn attribute_of(arch: &Arch, attribute: c_int, device: usize) -> Option<c_int> {
    let c = config::get();
    let lds = arch.lds as c_int;
    Some(match attribute {
        // Capabilities: mapped host memory, concurrent kernels, one address space.
        3 | 8 | 85 => 1,
        2 => 2,
        5 => 2_500_000,
        10 | 11 | 15 | 16 | 24 | 65 | 66 | 75 | 78 | 88 | 89 | 9 | 0 | 4 | 6 => 0,
        19 => 6 << 20,
        23 => arch.major,
        61 => arch.minor,
        25 => 2,
        26..=28 | 56 => 1024,
        29 => i32::MAX,
        30 | 31 => 65535,
        55 => 1024,
        57 => 2048,
        58 => i32::MAX,
        59 => 384,
        60 => 1_250_000,
        63 | 10015 => arch.units,
        67 => bus(device),
        68 | 69 => 0,
        71 | 72 => 65536,
        74 | 76 | 10002 => lds,
        83 | 84 => c.memory.min(i32::MAX as usize) as c_int,
        87 => c.wave as c_int,
        10000 | 10017 => 100_000,
        10011 | 10012 | 10013 | 10014 | 10016 => 0,
        10018 if config::major() >= 7 => 1,
        _ => return None,
    })
}

/// Writes the properties in one of the two layouts.
fn properties(to: Out<u8>, device: usize, old: bool) {
    let (c, arch) = (config::get(), config::get().arch);
    let mut p = vec![0u8; if old { 792 } else { 1472 }];
    let mut put = |at: usize, bytes: &[u8]| p[at..at + bytes.len()].copy_from_slice(bytes);
    // Offsets in the old layout, and in the one since HIP 6.
    let at = |a: usize, b: usize| if old { a } else { b };
    put(0, c.title().as_bytes());
    put(at(396, 1160), arch.name.as_bytes());
    for (a, b, v) in [(256, 288, c.memory), (264, 296, arch.lds), (376, 1416, arch.lds)] {
        put(at(a, b), &v.to_le_bytes());
    }
    let ints = [
        (272, 304, 65536),
        (276, 308, c.wave as i32),
        (280, 320, 1024),
        (284, 324, 1024),
        (288, 328, 1024),
        (292, 332, 1024),
        (296, 336, i32::MAX),
        (300, 340, 65535),
        (304, 344, 65535),
        (308, 348, 2_500_000),
        (312, 608, 1_250_000),
        (316, 612, 384),
        (328, 360, arch.major),
        (332, 364, arch.minor),
        (336, 388, arch.units),
        (340, 616, 6 << 20),
        (344, 624, 2048),
        (368, 584, bus(device)),
        (388, 400, 1),
    ];
    for (a, b, v) in ints {
        put(at(a, b), &v.to_le_bytes());
    }
    if !old {
        put(256, &uuid(device));
    }
    to.bytes(&p);
}

pub extern "C" fn hipGetDeviceProperties(to: Out<u8>, device: c_int) -> Code {
    with("hipGetDeviceProperties", |gpu| props(gpu.device(device)?, to, true))
}

pub extern "C" fn hipGetDevicePropertiesR0000(to: Out<u8>, device: c_int) -> Code {
    with("hipGetDevicePropertiesR0000", |gpu| props(gpu.device(device)?, to, true))
}

pub extern "C" fn hipGetDevicePropertiesR0600(to: Out<u8>, device: c_int) -> Code {
    with("hipGetDevicePropertiesR0600", |gpu| props(gpu.device(device)?, to, false))
}

fn props(device: usize, to: Out<u8>, old: bool) -> Result<(), Code> {
    if to.is_null() {
        return Err(error::INVALID_VALUE);
    }
    properties(to, device, old);
    Ok(())
}

pub extern "C" fn hipDeviceCanAccessPeer(to: Out<c_int>, device: c_int, peer: c_int) -> Code {
    with("hipDeviceCanAccessPeer", |gpu| to.set((gpu.device(device)? != gpu.device(peer)?) as c_int))
}

pub extern "C" fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> Code {
    with("hipDeviceEnablePeerAccess", |gpu| {
        let peer = gpu.device(peer)?;
        if flags != 0 {
            return Err(error::INVALID_VALUE);
        }
        if peer == current() {
            return Err(error::INVALID_DEVICE);
        }
        if gpu.peers.insert((current(), peer)) { Ok(()) } else { Err(error::PEER_ALREADY_ENABLED) }
    })
}

pub extern "C" fn hipDeviceDisablePeerAccess(peer: c_int) -> Code {
    with("hipDeviceDisablePeerAccess", |gpu| {
        let peer = gpu.device(peer)?;
        if gpu.peers.remove(&(current(), peer)) { Ok(()) } else { Err(error::PEER_NOT_ENABLED) }
    })
}

pub extern "C" fn hipGetErrorName(code: Code) -> *const c_char {
    error::name(code).as_ptr()
}

pub extern "C" fn hipGetErrorString(code: Code) -> *const c_char {
    if code == error::NO_DEVICE
        && let Some(why) = startup::no_device()
    {
        return why.as_ptr();
    }
    error::text(code).as_ptr()
}

fn last(clear: bool) -> Code {
    match gpu() {
        Err(code) => code,
        Ok(gpu) => gpu.lost.unwrap_or_else(|| last_error(clear)),
    }
}

pub extern "C" fn hipGetLastError() -> Code {
    last(true)
}

pub extern "C" fn hipPeekAtLastError() -> Code {
    last(false)
}

pub extern "C" fn hipExtGetLastError() -> Code {
    last(true)
}

pub extern "C" fn hipDevicePrimaryCtxRetain(to: Out<Ptr>, device: c_int) -> Code {
    with("hipDevicePrimaryCtxRetain", |gpu| to.set((gpu.device(device)? + 1) as Ptr))
}

pub extern "C" fn hipDevicePrimaryCtxRelease(device: c_int) -> Code {
    with("hipDevicePrimaryCtxRelease", |gpu| gpu.device(device).map(drop))
}
