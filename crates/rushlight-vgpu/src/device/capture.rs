//! Stream capture. The work of a capturing stream is recorded, not run, and a graph runs it as often as it is launched. What a
//! runtime refuses during a capture is refused here with the documented error code, and invalidates the capture. One capture
//! has one stream: an event does not lead to another stream.
use crate::device::gpu::Gpu;
use crate::device::stream::{Event, Work};
use crate::support::error::{self, Code};
use std::cell::Cell;
use std::thread::ThreadId;

/// hipStreamCaptureModeGlobal.
pub(crate) const GLOBAL: i32 = 0;
/// hipStreamCaptureModeRelaxed.
pub(crate) const RELAXED: i32 = 2;

thread_local! {
    /// The thread's mode: which calls it must not make while streams are captured.
    static MODE: Cell<i32> = const { Cell::new(GLOBAL) };
}

/// Sets the calling thread's mode, and returns the one before.
pub(crate) fn exchange_mode(mode: i32) -> i32 {
    MODE.replace(mode)
}

/// The work recorded so far.
pub(crate) struct Capture {
    nodes: Vec<Work>,
    mode: i32,
    thread: ThreadId,
    /// A call that a capture forbids was made, so that no graph results.
    invalid: bool,
}

impl Gpu {
    pub fn is_capturing(&self, key: usize) -> bool {
        self.streams.get(&key).is_some_and(|s| s.capture.is_some())
    }

    /// Returns whether a stream is captured, and whether the capture is valid.
    pub fn capture_status(&self, key: usize) -> Option<bool> {
        self.streams.get(&key)?.capture.as_ref().map(|c| !c.invalid)
    }

    /// Starts to record a stream. The legacy stream cannot be captured.
    pub fn begin_capture(&mut self, key: usize, mode: i32) -> Result<(), Code> {
        if key < 16 {
            return Err(error::CAPTURE_UNSUPPORTED);
        }
        let stream = self.streams.get_mut(&key).ok_or(error::INVALID_HANDLE)?;
        if stream.capture.is_some() {
            return Err(error::ILLEGAL_STATE);
        }
        let thread = std::thread::current().id();
        stream.capture = Some(Capture { nodes: Vec::new(), mode, thread, invalid: false });
        Ok(())
    }

    /// Ends a capture and returns its work.
    pub fn end_capture(&mut self, key: usize) -> Result<Vec<Work>, Code> {
        let stream = self.streams.get_mut(&key).ok_or(error::INVALID_HANDLE)?;
        let capture =
            stream.capture.take_if(|c| c.mode == RELAXED || c.thread == std::thread::current().id());
        match capture {
            Some(c) if c.invalid => Err(error::CAPTURE_INVALIDATED),
            Some(c) => Ok(c.nodes),
            None if stream.capture.is_some() => Err(error::CAPTURE_WRONG_THREAD),
            None => Err(error::ILLEGAL_STATE),
        }
    }

    /// Records work.
    pub(super) fn capture(&mut self, key: usize, work: Work) -> Result<u64, Code> {
        match self.streams.get_mut(&key).and_then(|s| s.capture.as_mut()) {
            Some(c) if !c.invalid => c.nodes.push(work),
            _ => return Err(error::CAPTURE_INVALIDATED),
        }
        Ok(self.sequence)
    }

    /// Invalidates the capture of a stream.
    pub fn spoil(&mut self, key: usize) {
        if let Some(c) = self.streams.get_mut(&key).and_then(|s| s.capture.as_mut()) {
            c.invalid = true;
        }
    }

    /// Invalidates the captures that `which` selects, and returns whether there is one.
    fn spoil_all(&mut self, which: impl Fn(usize, bool, &Capture) -> bool) -> bool {
        let mut found = false;
        for s in self.streams.values_mut() {
            if let Some(c) = s.capture.as_mut().filter(|c| which(s.device, s.independent, c)) {
                (c.invalid, found) = (true, true);
            }
        }
        found
    }

    /// Refuses to wait for a capturing stream, whose work does not run.
    pub(super) fn refuse_while_capturing(&mut self, key: usize) -> Result<(), Code> {
        if !self.is_capturing(key) {
            return Ok(());
        }
        self.spoil(key);
        Err(error::CAPTURE_UNSUPPORTED)
    }

    /// Refuses to wait for a device that has a capturing stream.
    pub fn refuse_device_wait(&mut self, device: usize) -> Result<(), Code> {
        if self.spoil_all(|of, _, _| of == device) { Err(error::CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }

    /// Refuses calls that allocate, free, or wait ("potentially unsafe" in the documentation of
    /// hipThreadExchangeStreamCaptureMode): in every mode but relaxed while the thread itself captures in a mode other than
    /// relaxed, and in the global mode while any thread captures in the global mode.
    pub fn refuse_unsafe(&mut self) -> Result<(), Code> {
        let (mode, me) = (MODE.get(), std::thread::current().id());
        if mode == RELAXED {
            return Ok(());
        }
        let forbids = |_: usize, _: bool, c: &Capture| {
            (c.thread == me && c.mode != RELAXED) || (mode == GLOBAL && c.mode == GLOBAL)
        };
        if self.spoil_all(forbids) { Err(error::CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }

    /// Refuses a copy from or to pageable memory on a capturing stream. This is stricter than the runtimes, which record it: a
    /// graph would access the memory long after the call.
    pub fn refuse_pageable(&mut self, key: usize, pageable: bool) -> Result<(), Code> {
        if pageable { self.refuse_while_capturing(key) } else { Ok(()) }
    }

    /// Refuses work on the legacy stream while a blocking stream is captured, which would have to wait for it.
    pub(super) fn spare_blocking_captures(&mut self, key: usize) -> Result<(), Code> {
        let legacy = key < 16;
        if legacy && self.spoil_all(|device, independent, _| device == key && !independent) {
            return Err(error::CAPTURE_IMPLICIT);
        }
        Ok(())
    }

    /// Checks that a stream may wait for an event: a capturing one only for an event of the same capture, another one only for
    /// events that were not captured.
    pub fn check_wait(&mut self, key: usize, event: &Event) -> Result<(), Code> {
        match event.captured {
            Some(from) if from == key => Ok(()),
            Some(from) => {
                eprintln!(
                    "rushlight-vgpu: hipStreamWaitEvent: the virtual GPU captures one stream at a time"
                );
                self.spoil(from);
                self.spoil(key);
                Err(error::NOT_SUPPORTED)
            }
            None if self.is_capturing(key) && event.recorded.is_some() => {
                self.spoil(key);
                Err(error::CAPTURE_ISOLATION)
            }
            None => Ok(()),
        }
    }

    /// Runs the work of a graph. Memory may have been freed since it was recorded: kernels report that themselves.
    pub(super) fn perform_graph(&mut self, nodes: &[Work], device: usize) {
        for node in nodes {
            if let Some(at) = self.lost_range(node) {
                let location = self.memory.describe(at);
                eprintln!("rushlight-vgpu: a copy or fill of a graph at {at:#x}, {location}");
                self.lose(error::ILLEGAL_ADDRESS);
            }
            self.perform(node.again(), device);
        }
    }

    /// Returns an address of a copy or fill that is no longer in an allocation.
    fn lost_range(&self, node: &Work) -> Option<usize> {
        let gone = |at: usize, n: usize| !matches!(self.memory.range(at, n), Ok(Some(_)));
        let ranges = match node {
            Work::Copy(dst, src, n) => [(*dst, *n), (*src, *n)],
            Work::Copy2d([dst, dp, src, sp, width, height]) => {
                [(*dst, dp * (height - 1) + width), (*src, sp * (height - 1) + width)]
            }
            Work::Fill(dst, _, width, count) => [(*dst, width * count); 2],
            _ => return None,
        };
        ranges.into_iter().find(|(at, n)| gone(*at, *n)).map(|r| r.0)
    }
}
