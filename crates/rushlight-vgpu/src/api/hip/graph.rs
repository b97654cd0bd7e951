//! HIP's functions for captures and graphs.
use super::Ptr;
use crate::device::capture::{RELAXED, exchange_mode};
use crate::device::gpu::{call, with};
use crate::device::stream::Work;
use crate::support::error::{self, Code};
use crate::support::out::Out;
use std::ffi::{c_int, c_ulonglong};

pub extern "C" fn hipStreamBeginCapture(stream: Ptr, mode: c_int) -> Code {
    with("hipStreamBeginCapture", |gpu| {
        if !(0..=RELAXED).contains(&mode) {
            return Err(error::INVALID_VALUE);
        }
        let key = gpu.stream(stream)?;
        gpu.begin_capture(key, mode)
    })
}

pub extern "C" fn hipStreamEndCapture(stream: Ptr, to: Out<Ptr>) -> Code {
    with("hipStreamEndCapture", |gpu| {
        to.set(std::ptr::null_mut())?;
        let key = gpu.stream(stream)?;
        let nodes = gpu.end_capture(key)?;
        let graph = gpu.handle();
        gpu.graphs.insert(graph, nodes.into());
        to.set(graph as Ptr)
    })
}

/// Writes hipStreamCaptureStatus: none, active, invalidated.
pub extern "C" fn hipStreamIsCapturing(stream: Ptr, to: Out<c_int>) -> Code {
    with("hipStreamIsCapturing", |gpu| {
        let key = gpu.stream(stream)?;
        to.set(match gpu.capture_status(key) {
            None => 0,
            Some(true) => 1,
            Some(false) => 2,
        })
    })
}

pub extern "C" fn hipThreadExchangeStreamCaptureMode(mode: Out<c_int>) -> Code {
    call("hipThreadExchangeStreamCaptureMode", || {
        let wanted = mode.get().filter(|m| (0..=RELAXED).contains(m)).ok_or(error::INVALID_VALUE)?;
        mode.set(exchange_mode(wanted))
    })
}

/// Flags: free memory at a launch (1), priorities of nodes (8). Neither changes anything here.
pub extern "C" fn hipGraphInstantiateWithFlags(to: Out<Ptr>, graph: Ptr, flags: c_ulonglong) -> Code {
    with("hipGraphInstantiateWithFlags", |gpu| {
        if to.is_null() || flags & !9 != 0 {
            return Err(error::INVALID_VALUE);
        }
        let nodes = gpu.graphs.get(&(graph as usize)).cloned().ok_or(error::INVALID_VALUE)?;
        let exec = gpu.handle();
        gpu.execs.insert(exec, nodes);
        to.set(exec as Ptr)
    })
}

pub extern "C" fn hipGraphLaunch(exec: Ptr, stream: Ptr) -> Code {
    with("hipGraphLaunch", |gpu| {
        let key = gpu.stream(stream)?;
        let nodes = gpu.execs.get(&(exec as usize)).cloned().ok_or(error::INVALID_VALUE)?;
        gpu.push(key, Work::Graph(nodes), Vec::new()).map(drop)
    })
}

/// Launches that are queued still run.
pub extern "C" fn hipGraphExecDestroy(exec: Ptr) -> Code {
    with("hipGraphExecDestroy", |gpu| {
        gpu.execs.remove(&(exec as usize)).map(drop).ok_or(error::INVALID_VALUE)
    })
}

pub extern "C" fn hipGraphDestroy(graph: Ptr) -> Code {
    with("hipGraphDestroy", |gpu| gpu.graphs.remove(&(graph as usize)).map(drop).ok_or(error::INVALID_VALUE))
}
