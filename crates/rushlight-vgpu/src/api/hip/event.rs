//! HIP's functions for events.
use super::Ptr;
use crate::device::gpu::{Gpu, current, with};
use crate::device::stream::{Event, Work};
use crate::support::error::{self, Code};
use crate::support::out::Out;
use std::ffi::c_uint;

impl Gpu {
    pub(crate) fn event(&self, handle: Ptr) -> Result<Event, Code> {
        let e = self.events.get(&(handle as usize)).cloned();
        e.ok_or(if self.gone.contains(&(handle as usize)) {
            error::CONTEXT_DESTROYED
        } else {
            error::INVALID_HANDLE
        })
    }
}

fn create(gpu: &mut Gpu, to: Out<Ptr>, flags: c_uint) -> Result<(), Code> {
    const KNOWN: c_uint = 1 | 2 | 4 | 0x2000_0000 | 0x4000_0000 | 0x8000_0000;
    if to.is_null() || flags & !KNOWN != 0 {
        return Err(error::INVALID_VALUE);
    }
    let key = gpu.handle();
    gpu.events.insert(
        key,
        Event { device: current(), timed: flags & 2 == 0, recorded: None, at: None, captured: None },
    );
    to.set(key as Ptr)
}

pub extern "C" fn hipEventCreate(to: Out<Ptr>) -> Code {
    with("hipEventCreate", |gpu| create(gpu, to, 0))
}

pub extern "C" fn hipEventCreateWithFlags(to: Out<Ptr>, flags: c_uint) -> Code {
    with("hipEventCreateWithFlags", |gpu| create(gpu, to, flags))
}

pub extern "C" fn hipEventDestroy(event: Ptr) -> Code {
    with("hipEventDestroy", |gpu| {
        gpu.event(event)?;
        gpu.events.remove(&(event as usize));
        gpu.gone.insert(event as usize);
        Ok(())
    })
}

pub extern "C" fn hipEventRecord(event: Ptr, stream: Ptr) -> Code {
    with("hipEventRecord", |gpu| {
        let key = gpu.stream(stream)?;
        let e = gpu.event(event)?;
        if gpu.streams.get(&key).is_some_and(|s| s.device != e.device) {
            return Err(error::INVALID_HANDLE);
        }
        let (number, capturing) = (gpu.sequence + 1, gpu.is_capturing(key));
        if capturing {
            gpu.push(key, Work::Nothing, Vec::new())?;
        }
        if let Some(e) = gpu.events.get_mut(&(event as usize)) {
            (e.recorded, e.at, e.captured) = match capturing {
                true => (None, None, Some(key)),
                false => (Some((key, number)), None, None),
            };
        }
        if capturing {
            return Ok(());
        }
        gpu.push(key, Work::Record(event as usize, number), Vec::new()).map(drop)
    })
}

pub extern "C" fn hipEventRecordWithFlags(event: Ptr, stream: Ptr, flags: c_uint) -> Code {
    if flags != 0 {
        return with("hipEventRecordWithFlags", |_| Err(error::INVALID_VALUE));
    }
    hipEventRecord(event, stream)
}

fn finish(gpu: &mut Gpu, event: Ptr) -> Result<(), Code> {
    let e = gpu.event(event)?;
    if let Some(key) = e.captured {
        gpu.spoil(key);
        return Err(error::CAPTURED_EVENT);
    }
    if let Some((key, number)) = e.recorded {
        gpu.run_to(key, number);
    }
    gpu.alive()
}

pub extern "C" fn hipEventSynchronize(event: Ptr) -> Code {
    with("hipEventSynchronize", |gpu| finish(gpu, event))
}

/// A query runs queued work, so the result is never "not ready".
pub extern "C" fn hipEventQuery(event: Ptr) -> Code {
    with("hipEventQuery", |gpu| finish(gpu, event))
}

pub extern "C" fn hipEventElapsedTime(to: Out<f32>, start: Ptr, stop: Ptr) -> Code {
    with("hipEventElapsedTime", |gpu| {
        let (a, b) = (gpu.event(start)?, gpu.event(stop)?);
        if !a.timed || !b.timed || a.recorded.is_none() || b.recorded.is_none() || a.device != b.device {
            return Err(error::INVALID_HANDLE);
        }
        match (a.at, b.at) {
            (Some(a), Some(b)) => {
                let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
                to.set(if b >= a { ms(b - a) } else { -ms(a - b) } as f32)
            }
            _ => Err(error::NOT_READY),
        }
    })
}
