//! HIP's functions for memory: allocation, copies, fills.
use super::Ptr;
use crate::device::gpu::{Gpu, current, with};
use crate::device::memory::{Block, Kind};
use crate::device::stream::Work;
use crate::support::config;
use crate::support::error::{self, Code};
use crate::support::out::Out;
use std::ffi::{c_int, c_uint, c_void};

pub extern "C" fn hipMalloc(to: Out<Ptr>, size: usize) -> Code {
    with("hipMalloc", |gpu| malloc(gpu, to, size))
}

fn malloc(gpu: &mut Gpu, to: Out<Ptr>, size: usize) -> Result<(), Code> {
    to.set(std::ptr::null_mut())?;
    gpu.refuse_unsafe()?;
    if size == 0 {
        return Ok(());
    }
    to.set(gpu.alloc(size, Kind::Device, 0)? as Ptr)
}

pub extern "C" fn hipExtMallocWithFlags(to: Out<Ptr>, size: usize, _flags: c_uint) -> Code {
    with("hipExtMallocWithFlags", |gpu| malloc(gpu, to, size))
}

pub extern "C" fn hipFree(at: Ptr) -> Code {
    with("hipFree", |gpu| free(gpu, at, Kind::Device))
}

fn free(gpu: &mut Gpu, at: Ptr, kind: Kind) -> Result<(), Code> {
    if at.is_null() {
        return Ok(());
    }
    gpu.refuse_unsafe()?;
    let Some(device) = gpu.memory.find(at as usize).map(|b| b.device) else {
        return Err(error::INVALID_VALUE);
    };
    // As on hardware, work that may use the block ends first.
    gpu.finish_device(device)?;
    if let Some(harm) = gpu.memory.free(at as usize, kind)? {
        eprintln!("rushlight-vgpu: found when it was freed: memory {harm}");
        gpu.lost = Some(error::ILLEGAL_ADDRESS);
        return Err(error::ILLEGAL_ADDRESS);
    }
    Ok(())
}

pub extern "C" fn hipMemGetInfo(free: Out<usize>, total: Out<usize>) -> Code {
    with("hipMemGetInfo", |gpu| {
        let all = config::get().memory;
        free.set(all.saturating_sub(gpu.memory.used(current())))?;
        total.set(all)
    })
}

pub extern "C" fn hipHostMalloc(to: Out<Ptr>, size: usize, flags: c_uint) -> Code {
    with("hipHostMalloc", |gpu| {
        to.set(std::ptr::null_mut())?;
        gpu.refuse_unsafe()?;
        if size == 0 {
            return Ok(());
        }
        to.set(gpu.alloc(size, Kind::Pinned, flags)? as Ptr)
    })
}

pub extern "C" fn hipHostFree(at: Ptr) -> Code {
    with("hipHostFree", |gpu| free(gpu, at, Kind::Pinned))
}

pub extern "C" fn hipHostGetDevicePointer(to: Out<Ptr>, host: Ptr, flags: c_uint) -> Code {
    with("hipHostGetDevicePointer", |gpu| {
        if flags != 0 || gpu.memory.find(host as usize).is_none_or(|b| b.on_device()) {
            return Err(error::INVALID_VALUE);
        }
        to.set(host)
    })
}

pub extern "C" fn hipHostRegister(at: Ptr, size: usize, flags: c_uint) -> Code {
    with("hipHostRegister", |gpu| {
        gpu.refuse_unsafe()?;
        if at.is_null() || size == 0 || gpu.memory.in_range(at as usize) {
            return Err(error::INVALID_VALUE);
        }
        gpu.memory.adopt(at as usize, size, Kind::Registered, current(), flags)
    })
}

pub extern "C" fn hipHostUnregister(at: Ptr) -> Code {
    with("hipHostUnregister", |gpu| {
        gpu.refuse_unsafe()?;
        gpu.finish_device(current())?;
        gpu.memory.forget(at as usize, Kind::Registered).map(drop).ok_or(error::NOT_REGISTERED)
    })
}

/// hipPointerAttribute_t.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct PointerAttributes {
    pub kind: u32,
    pub device: i32,
    pub device_pointer: usize,
    pub host_pointer: usize,
    pub managed: i32,
    pub flags: u32,
}

pub extern "C" fn hipPointerGetAttributes(to: Out<PointerAttributes>, at: *const c_void) -> Code {
    with("hipPointerGetAttributes", |gpu| {
        let major = config::major();
        if at.is_null() && major < 7 {
            return Err(error::INVALID_VALUE);
        }
        let Some(b) = gpu.memory.find(at as usize) else {
            if major < 6 || gpu.memory.in_range(at as usize) {
                return Err(error::INVALID_VALUE);
            }
            // Memory unknown to the runtime.
            return to.set(PointerAttributes { device: -2, host_pointer: at as usize, ..Default::default() });
        };
        let on_device = b.on_device();
        to.set(PointerAttributes {
            // Host and device are 0 and 1 before HIP 6, then 1 and 2.
            kind: on_device as u32 + (major >= 6) as u32,
            device: b.device as i32,
            device_pointer: at as usize,
            host_pointer: if on_device { 0 } else { at as usize },
            managed: 0,
            flags: b.flags,
        })
    })
}

pub extern "C" fn hipMemGetAddressRange(base: Out<Ptr>, size: Out<usize>, at: Ptr) -> Code {
    with("hipMemGetAddressRange", |gpu| {
        let b = gpu.memory.range(at as usize, 1)?.filter(|b| b.on_device()).ok_or(error::NOT_FOUND)?;
        if !base.is_null() {
            base.set(b.base as Ptr)?;
        }
        if size.is_null() { Ok(()) } else { size.set(b.size) }
    })
}

/// Returns whether an address is on the side that the copy direction requires.
fn fits(block: Option<&Block>, device: bool) -> bool {
    match block {
        Some(b) => b.on_device() == device || b.kind == Kind::Pinned,
        None => !device,
    }
}

struct Copy {
    dst: usize,
    src: usize,
    n: usize,
    /// The host memory is pinned, so the copy may run later.
    pinned: bool,
    /// The copy involves host memory.
    host: bool,
}

fn check_copy(gpu: &Gpu, dst: usize, src: usize, n: usize, kind: c_int) -> Result<Copy, Code> {
    if !(0..=4).contains(&kind) && kind != 1024 {
        return Err(21);
    }
    if dst == 0 || src == 0 {
        return Err(error::INVALID_VALUE);
    }
    let (d, s) = (gpu.memory.range(dst, n)?, gpu.memory.range(src, n)?);
    let ok = match kind {
        0 => fits(d, false) && fits(s, false),
        1 => fits(d, true) && fits(s, false),
        2 => fits(d, false) && fits(s, true),
        3 | 1024 => fits(d, true) && fits(s, true),
        _ => true,
    };
    if !ok || (d.is_some() && dst < src + n && src < dst + n && dst != src) {
        return Err(error::INVALID_VALUE);
    }
    let host = [d, s].iter().any(|b| b.is_none_or(|b| !b.on_device()));
    Ok(Copy { dst, src, n, pinned: d.is_some() && s.is_some(), host })
}

fn copy(
    gpu: &mut Gpu,
    dst: Ptr,
    src: *const c_void,
    n: usize,
    kind: c_int,
    on: Option<Ptr>,
) -> Result<(), Code> {
    let key = gpu.stream(on.unwrap_or(std::ptr::null_mut()))?;
    if n == 0 {
        return Ok(());
    }
    let c = check_copy(gpu, dst as usize, src as usize, n, kind)?;
    match on {
        // A synchronous copy waits.
        None => gpu.refuse_unsafe()?,
        Some(_) => gpu.refuse_pageable(key, c.host && !c.pinned)?,
    }
    gpu.push(key, Work::Copy(c.dst, c.src, c.n), Vec::new())?;
    // Pageable memory blocks the host, as do synchronous copies that involve the host.
    if c.host && (on.is_none() || !c.pinned) { gpu.finish(key) } else { Ok(()) }
}

pub extern "C" fn hipMemcpy(dst: Ptr, src: *const c_void, n: usize, kind: c_int) -> Code {
    with("hipMemcpy", |gpu| copy(gpu, dst, src, n, kind, None))
}

pub extern "C" fn hipMemcpyAsync(dst: Ptr, src: *const c_void, n: usize, kind: c_int, stream: Ptr) -> Code {
    with("hipMemcpyAsync", |gpu| copy(gpu, dst, src, n, kind, Some(stream)))
}

pub extern "C" fn hipMemcpyWithStream(
    dst: Ptr,
    src: *const c_void,
    n: usize,
    kind: c_int,
    stream: Ptr,
) -> Code {
    with("hipMemcpyWithStream", |gpu| {
        copy(gpu, dst, src, n, kind, Some(stream))?;
        let key = gpu.stream(stream)?;
        gpu.finish(key)
    })
}

pub extern "C" fn hipMemcpyHtoD(dst: Ptr, src: *const c_void, n: usize) -> Code {
    with("hipMemcpyHtoD", |gpu| copy(gpu, dst, src, n, 1, None))
}

pub extern "C" fn hipMemcpyHtoDAsync(dst: Ptr, src: *const c_void, n: usize, stream: Ptr) -> Code {
    with("hipMemcpyHtoDAsync", |gpu| copy(gpu, dst, src, n, 1, Some(stream)))
}

pub extern "C" fn hipMemcpyDtoH(dst: Ptr, src: Ptr, n: usize) -> Code {
    with("hipMemcpyDtoH", |gpu| copy(gpu, dst, src, n, 2, None))
}

pub extern "C" fn hipMemcpyDtoHAsync(dst: Ptr, src: Ptr, n: usize, stream: Ptr) -> Code {
    with("hipMemcpyDtoHAsync", |gpu| copy(gpu, dst, src, n, 2, Some(stream)))
}

pub extern "C" fn hipMemcpyDtoD(dst: Ptr, src: Ptr, n: usize) -> Code {
    with("hipMemcpyDtoD", |gpu| copy(gpu, dst, src, n, 3, None))
}

pub extern "C" fn hipMemcpyDtoDAsync(dst: Ptr, src: Ptr, n: usize, stream: Ptr) -> Code {
    with("hipMemcpyDtoDAsync", |gpu| copy(gpu, dst, src, n, 3, Some(stream)))
}

pub extern "C" fn hipMemcpyPeerAsync(
    dst: Ptr,
    dst_device: c_int,
    src: *const c_void,
    src_device: c_int,
    n: usize,
    stream: Ptr,
) -> Code {
    with("hipMemcpyPeerAsync", |gpu| {
        let (to, from) = (gpu.device(dst_device)?, gpu.device(src_device)?);
        let lies =
            |at: usize, device| gpu.memory.find(at).is_some_and(|b| b.device == device && b.on_device());
        if n > 0 && !(lies(dst as usize, to) && lies(src as usize, from)) {
            return Err(error::INVALID_VALUE);
        }
        // Work queued for either device comes first.
        gpu.finish_device(from)?;
        gpu.finish_device(to)?;
        copy(gpu, dst, src, n, 3, Some(stream))
    })
}

pub extern "C" fn hipMemcpy2DAsync(
    dst: Ptr,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: Ptr,
) -> Code {
    with("hipMemcpy2DAsync", |gpu| {
        let key = gpu.stream(stream)?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        if width > dpitch || width > spitch {
            return Err(12);
        }
        let (dst, src) = (dst as usize, src as usize);
        let extent = |pitch: usize| pitch.checked_mul(height - 1).and_then(|n| n.checked_add(width));
        let (d, s) =
            (extent(dpitch).ok_or(error::INVALID_VALUE)?, extent(spitch).ok_or(error::INVALID_VALUE)?);
        gpu.memory.range(dst, d)?;
        gpu.memory.range(src, s)?;
        let c = check_copy(gpu, dst, src, width, kind)?;
        gpu.refuse_pageable(key, c.host && !c.pinned)?;
        gpu.push(key, Work::Copy2d([dst, dpitch, src, spitch, width, height]), Vec::new())?;
        if c.host && !c.pinned { gpu.finish(key) } else { Ok(()) }
    })
}

fn fill(
    gpu: &mut Gpu,
    dst: Ptr,
    value: u32,
    width: usize,
    count: usize,
    on: Option<Ptr>,
) -> Result<(), Code> {
    let key = gpu.stream(on.unwrap_or(std::ptr::null_mut()))?;
    if count == 0 {
        return Ok(());
    }
    let n = width.checked_mul(count).ok_or(error::INVALID_VALUE)?;
    let aligned = (dst as usize).is_multiple_of(width);
    if !aligned || gpu.memory.range(dst as usize, n)?.is_none() {
        return Err(error::INVALID_VALUE);
    }
    if on.is_none() {
        gpu.refuse_unsafe()?;
    }
    gpu.push(key, Work::Fill(dst as usize, value, width, count), Vec::new()).map(drop)
}

pub extern "C" fn hipMemset(dst: Ptr, value: c_int, n: usize) -> Code {
    with("hipMemset", |gpu| fill(gpu, dst, value as u8 as u32, 1, n, None))
}

pub extern "C" fn hipMemsetAsync(dst: Ptr, value: c_int, n: usize, stream: Ptr) -> Code {
    with("hipMemsetAsync", |gpu| fill(gpu, dst, value as u8 as u32, 1, n, Some(stream)))
}

pub extern "C" fn hipMemsetD8(dst: Ptr, value: u8, n: usize) -> Code {
    with("hipMemsetD8", |gpu| fill(gpu, dst, value as u32, 1, n, None))
}

pub extern "C" fn hipMemsetD8Async(dst: Ptr, value: u8, n: usize, stream: Ptr) -> Code {
    with("hipMemsetD8Async", |gpu| fill(gpu, dst, value as u32, 1, n, Some(stream)))
}

pub extern "C" fn hipMemsetD16(dst: Ptr, value: u16, n: usize) -> Code {
    with("hipMemsetD16", |gpu| fill(gpu, dst, value as u32, 2, n, None))
}

pub extern "C" fn hipMemsetD16Async(dst: Ptr, value: u16, n: usize, stream: Ptr) -> Code {
    with("hipMemsetD16Async", |gpu| fill(gpu, dst, value as u32, 2, n, Some(stream)))
}

pub extern "C" fn hipMemsetD32(dst: Ptr, value: c_int, n: usize) -> Code {
    with("hipMemsetD32", |gpu| fill(gpu, dst, value as u32, 4, n, None))
}

pub extern "C" fn hipMemsetD32Async(dst: Ptr, value: c_int, n: usize, stream: Ptr) -> Code {
    with("hipMemsetD32Async", |gpu| fill(gpu, dst, value as u32, 4, n, Some(stream)))
}
