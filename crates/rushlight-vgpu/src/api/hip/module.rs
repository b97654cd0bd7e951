//! HIP's functions for modules, kernels and launches.
use super::Ptr;
use crate::device::gpu::{Function, Gpu, check_launch, current, with};
use crate::device::launch::Job;
use crate::device::memory::Kind;
use crate::device::module::{self, Kernel, offsets};
use crate::device::stream::Work;
use crate::engine::types::Dim;
use crate::support::config;
use crate::support::error::{self, Code};
use crate::support::out::{Out, bytes, text};
use std::ffi::{c_char, c_int, c_uint, c_void};

fn load(gpu: &mut Gpu, to: Out<Ptr>, image: &[u8]) -> Result<(), Code> {
    load_as(gpu, to, image, config::get().arch.name)
}

/// Loads an image that was compiled for a target.
pub(crate) fn load_as(gpu: &mut Gpu, to: Out<Ptr>, image: &[u8], arch: &str) -> Result<(), Code> {
    if to.is_null() {
        return Err(error::INVALID_VALUE);
    }
    let module = module::load(image, current(), arch, config::get().wave).map_err(|(why, code)| {
        eprintln!("rushlight-vgpu: {why}");
        code
    })?;
    for v in module.variables.values() {
        gpu.memory.adopt(v.at, v.size, Kind::Global, current(), 0)?;
    }
    let key = gpu.handle();
    gpu.modules.insert(key, module);
    to.set(key as Ptr)
}

pub extern "C" fn hipModuleLoadData(to: Out<Ptr>, image: *const c_void) -> Code {
    with("hipModuleLoadData", |gpu| {
        if image.is_null() {
            return Err(error::INVALID_VALUE);
        }
        // SAFETY: HIP's contract: a whole image.
        let image = unsafe { module::copy_image(image) }?;
        load(gpu, to, &image)
    })
}

pub extern "C" fn hipModuleLoadDataEx(
    to: Out<Ptr>,
    image: *const c_void,
    _count: c_uint,
    _options: Ptr,
    _values: Ptr,
) -> Code {
    hipModuleLoadData(to, image)
}

pub extern "C" fn hipModuleLoad(to: Out<Ptr>, path: *const c_char) -> Code {
    with("hipModuleLoad", |gpu| {
        let path = text(path).ok_or(error::INVALID_VALUE)?;
        let image = std::fs::read(path).map_err(|_| error::FILE_NOT_FOUND)?;
        load(gpu, to, &image)
    })
}

pub extern "C" fn hipModuleUnload(module: Ptr) -> Code {
    with("hipModuleUnload", |gpu| {
        let key = module as usize;
        let device = gpu.modules.get(&key).map(|m| m.device).ok_or(error::INVALID_HANDLE)?;
        gpu.refuse_unsafe()?;
        gpu.finish_device(device)?;
        if let Some(m) = gpu.modules.remove(&key) {
            for v in m.variables.values() {
                gpu.memory.forget(v.at, Kind::Global);
            }
        }
        gpu.functions.retain(|_, f| f.module != key);
        gpu.gone.insert(key);
        Ok(())
    })
}

pub extern "C" fn hipModuleGetFunction(to: Out<Ptr>, module: Ptr, name: *const c_char) -> Code {
    with("hipModuleGetFunction", |gpu| {
        let name = text(name).filter(|n| !n.is_empty() && !to.is_null()).ok_or(error::INVALID_VALUE)?;
        let m = gpu.modules.get(&(module as usize)).ok_or(error::INVALID_HANDLE)?;
        let kernel = m.kernels.get(&name).cloned().ok_or(error::NOT_FOUND)?;
        let device = m.device;
        let key = gpu.handle();
        gpu.functions.insert(key, Function { kernel, device, module: module as usize });
        to.set(key as Ptr)
    })
}

pub extern "C" fn hipModuleGetGlobal(
    to: Out<Ptr>,
    size: Out<usize>,
    module: Ptr,
    name: *const c_char,
) -> Code {
    with("hipModuleGetGlobal", |gpu| {
        let name = text(name).ok_or(error::INVALID_VALUE)?;
        let m = gpu.modules.get(&(module as usize)).ok_or(error::INVALID_HANDLE)?;
        let v = m.variables.get(&name).ok_or(error::NOT_FOUND)?;
        if !size.is_null() {
            size.set(v.size)?;
        }
        to.set(v.at as Ptr)
    })
}

fn function(gpu: &Gpu, handle: Ptr) -> Result<&Function, Code> {
    gpu.functions.get(&(handle as usize)).ok_or(if handle.is_null() {
        error::INVALID_VALUE
    } else {
        error::INVALID_HANDLE
    })
}

pub extern "C" fn hipFuncGetAttribute(to: Out<c_int>, attribute: c_int, f: Ptr) -> Code {
    with("hipFuncGetAttribute", |gpu| {
        let k = &function(gpu, f)?.kernel;
        to.set(match attribute {
            0 => k.max_threads as c_int,
            1 => k.lds as c_int,
            2 | 3 | 7 => 0,
            4 => 32,
            5 | 6 => 0,
            8 => (config::get().arch.lds - k.lds.min(config::get().arch.lds)) as c_int,
            9 => 0,
            _ => return Err(error::INVALID_VALUE),
        })
    })
}

/// Returns the arguments as one block of memory.
fn arguments(kernel: &Kernel, params: Out<Ptr>, extra: Out<Ptr>) -> Result<Vec<u8>, Code> {
    let (at, size) = offsets(&kernel.sizes);
    match (params.is_null(), extra.is_null()) {
        (false, false) => Err(error::INVALID_VALUE),
        (true, true) if kernel.sizes.is_empty() => Ok(Vec::new()),
        (true, true) => Err(error::INVALID_VALUE),
        (false, true) => {
            let mut packed = vec![0; size];
            let list = params.list(kernel.sizes.len());
            for ((from, (n, _)), at) in list.into_iter().zip(&kernel.sizes).zip(at) {
                if from.is_null() {
                    return Err(error::INVALID_VALUE);
                }
                packed[at..at + n].copy_from_slice(&bytes(from, *n));
            }
            Ok(packed)
        }
        (true, false) => {
            let list = extra.list(5);
            if [list[0] as usize, list[2] as usize, list[4] as usize] != [1, 2, 3] {
                return Err(error::INVALID_VALUE);
            }
            let (buffer, length) = (list[1], list[3].cast::<usize>());
            // SAFETY: HIP's contract: the fourth word points to the buffer's size.
            let length = if length.is_null() { 0 } else { unsafe { length.read_unaligned() } };
            // The last parameter may be padded to the alignment of the block.
            if buffer.is_null() != (size == 0) || length < size || length > size.next_multiple_of(16) {
                return Err(error::INVALID_VALUE);
            }
            Ok(bytes(buffer, size))
        }
    }
}

pub extern "C" fn hipModuleLaunchKernel(
    f: Ptr,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    lds: c_uint,
    stream: Ptr,
    params: Out<Ptr>,
    extra: Out<Ptr>,
) -> Code {
    with("hipModuleLaunchKernel", |gpu| {
        let (grid, block) = (Dim { x: gx, y: gy, z: gz }, Dim { x: bx, y: by, z: bz });
        let found = function(gpu, f)?;
        let (kernel, device) = (found.kernel.clone(), found.device);
        let key = gpu.stream(stream)?;
        // A function belongs to the device that was current when its module was loaded.
        if gpu.streams.get(&key).is_some_and(|s| s.device != device) {
            return Err(error::INVALID_HANDLE);
        }
        check_launch(&kernel, grid, block, lds as usize)?;
        let packed = arguments(&kernel, params, extra)?;
        let job = Job::new(&kernel, &packed, grid, block, lds as usize);
        gpu.push(key, Work::Kernel(kernel, Box::new(job)), Vec::new()).map(drop)
    })
}

pub extern "C" fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    to: Out<c_int>,
    f: Ptr,
    block: c_int,
    lds: usize,
) -> Code {
    with("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", |gpu| {
        let k = &function(gpu, f)?.kernel;
        if block <= 0 || block as u32 > k.max_threads {
            return Err(error::INVALID_VALUE);
        }
        let by_lds = config::get().arch.lds.checked_div(lds + k.lds).unwrap_or(usize::MAX);
        to.set((2048 / block as usize).min(by_lds) as c_int)
    })
}

pub extern "C" fn hipModuleOccupancyMaxPotentialBlockSize(
    grid: Out<c_int>,
    block: Out<c_int>,
    f: Ptr,
    _lds: usize,
    limit: c_int,
) -> Code {
    with("hipModuleOccupancyMaxPotentialBlockSize", |gpu| {
        let most = function(gpu, f)?.kernel.max_threads as c_int;
        let size = if limit > 0 { most.min(limit) } else { most };
        block.set(size)?;
        grid.set(config::get().arch.units * (2048 / size.max(1)))
    })
}
