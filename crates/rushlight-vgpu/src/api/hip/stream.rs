//! HIP's functions for streams.
use super::Ptr;
use crate::device::gpu::{Gpu, current, with};
use crate::device::stream::{Stream, Work};
use crate::support::error::{self, Code};
use crate::support::out::Out;
use std::ffi::{c_int, c_uint};

fn create(gpu: &mut Gpu, to: Out<Ptr>, flags: c_uint) -> Result<(), Code> {
    if to.is_null() || flags > 1 {
        return Err(error::INVALID_VALUE);
    }
    let key = gpu.handle();
    gpu.streams.insert(key, Stream::new(current(), flags == 1, flags));
    to.set(key as Ptr)
}

pub extern "C" fn hipStreamCreate(to: Out<Ptr>) -> Code {
    with("hipStreamCreate", |gpu| create(gpu, to, 0))
}

pub extern "C" fn hipStreamCreateWithFlags(to: Out<Ptr>, flags: c_uint) -> Code {
    with("hipStreamCreateWithFlags", |gpu| create(gpu, to, flags))
}

pub extern "C" fn hipStreamCreateWithPriority(to: Out<Ptr>, flags: c_uint, _priority: c_int) -> Code {
    with("hipStreamCreateWithPriority", |gpu| create(gpu, to, flags))
}

pub extern "C" fn hipStreamDestroy(stream: Ptr) -> Code {
    with("hipStreamDestroy", |gpu| {
        if (stream as usize) < 16 {
            return Err(error::INVALID_HANDLE);
        }
        let key = stream as usize;
        if !gpu.streams.contains_key(&key) {
            let gone = gpu.gone.contains(&key);
            return Err(if gone { error::CONTEXT_DESTROYED } else { error::INVALID_HANDLE });
        }
        // A capture ends with its stream.
        let done = if gpu.is_capturing(key) { Ok(()) } else { gpu.finish(key) };
        gpu.streams.remove(&key);
        gpu.gone.insert(key);
        done
    })
}

pub extern "C" fn hipStreamSynchronize(stream: Ptr) -> Code {
    with("hipStreamSynchronize", |gpu| {
        let key = gpu.stream(stream)?;
        gpu.finish(key)
    })
}

/// A query runs queued work, so the result is never "not ready".
pub extern "C" fn hipStreamQuery(stream: Ptr) -> Code {
    with("hipStreamQuery", |gpu| {
        let key = gpu.stream(stream)?;
        gpu.finish(key)
    })
}

pub extern "C" fn hipStreamGetFlags(stream: Ptr, to: Out<c_uint>) -> Code {
    with("hipStreamGetFlags", |gpu| {
        let key = gpu.stream(stream)?;
        to.set(gpu.streams.get(&key).map_or(0, |s| s.flags))
    })
}

pub extern "C" fn hipStreamGetDevice(stream: Ptr, to: Out<c_int>) -> Code {
    with("hipStreamGetDevice", |gpu| {
        let key = gpu.stream(stream)?;
        to.set(gpu.streams.get(&key).map_or(0, |s| s.device as c_int))
    })
}

pub extern "C" fn hipStreamWaitEvent(stream: Ptr, event: Ptr, flags: c_uint) -> Code {
    with("hipStreamWaitEvent", |gpu| {
        let key = gpu.stream(stream)?;
        let e = gpu.event(event)?;
        if flags != 0 {
            return Err(error::INVALID_VALUE);
        }
        gpu.check_wait(key, &e)?;
        // An event that was never recorded has nothing to wait for.
        gpu.push(key, Work::Nothing, e.recorded.into_iter().collect()).map(drop)
    })
}

pub extern "C" fn hipLaunchHostFunc(stream: Ptr, f: Ptr, data: Ptr) -> Code {
    with("hipLaunchHostFunc", |gpu| {
        let key = gpu.stream(stream)?;
        if f.is_null() {
            return Err(error::INVALID_VALUE);
        }
        gpu.push(key, Work::Call(f as usize, data as usize), Vec::new()).map(drop)
    })
}
