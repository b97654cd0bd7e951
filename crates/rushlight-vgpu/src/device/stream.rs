//! Streams, events and the commands that streams hold.
use crate::device::capture::Capture;
use crate::device::launch::Job;
use crate::device::module::Kernel;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// Work that must run first: a stream, up to a number.
pub(super) type After = (usize, u64);

pub(crate) enum Work {
    Kernel(Arc<Kernel>, Box<Job>),
    /// Destination, source, bytes.
    Copy(usize, usize, usize),
    /// Rows: destination, its pitch, source, its pitch, width, height.
    Copy2d([usize; 6]),
    /// Destination, pattern, bytes of the pattern, count.
    Fill(usize, u32, usize, usize),
    Record(usize, u64),
    Call(usize, usize),
    /// A computation of a library on the host.
    Native(Arc<dyn Fn() + Send + Sync>),
    /// The work that a capture recorded.
    Graph(Arc<[Work]>),
    Nothing,
}

impl Work {
    /// Returns the same work, to run it once more.
    pub fn again(&self) -> Work {
        match self {
            Work::Kernel(kernel, job) => Work::Kernel(kernel.clone(), Box::new(job.again(kernel))),
            Work::Copy(dst, src, n) => Work::Copy(*dst, *src, *n),
            Work::Copy2d(sizes) => Work::Copy2d(*sizes),
            Work::Fill(dst, pattern, width, count) => Work::Fill(*dst, *pattern, *width, *count),
            Work::Record(event, number) => Work::Record(*event, *number),
            Work::Call(f, data) => Work::Call(*f, *data),
            Work::Native(f) => Work::Native(f.clone()),
            Work::Graph(nodes) => Work::Graph(nodes.clone()),
            Work::Nothing => Work::Nothing,
        }
    }
}

pub(super) struct Command {
    pub number: u64,
    pub after: Vec<After>,
    pub work: Work,
}

pub(crate) struct Stream {
    pub device: usize,
    /// Whether it does not synchronize with the null stream.
    pub independent: bool,
    pub flags: u32,
    /// The capture that records its work.
    pub capture: Option<Capture>,
    pub(super) queue: VecDeque<Command>,
    /// The number of the last command.
    pub(super) last: u64,
}

impl Stream {
    pub fn new(device: usize, independent: bool, flags: u32) -> Stream {
        Stream { device, independent, flags, capture: None, queue: VecDeque::new(), last: 0 }
    }
}

#[derive(Clone)]
pub(crate) struct Event {
    pub device: usize,
    pub timed: bool,
    /// The latest record: its stream and number.
    pub recorded: Option<After>,
    pub at: Option<Instant>,
    /// The stream whose capture has the latest record.
    pub captured: Option<usize>,
}
