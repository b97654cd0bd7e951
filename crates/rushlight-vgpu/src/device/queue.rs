//! Runs the work of streams. Queued work runs when something waits for it or when a stream is full, and only in the
//! order that streams and events require: a program that relies on more gets wrong results, as on hardware.
use crate::device::gpu::{Gpu, current};
use crate::device::stream::{After, Command, Stream, Work};
use crate::support::config;
use crate::support::error::{self, Code};
use crate::support::written;
use std::ffi::c_void;
use std::time::Instant;

/// The length at which a stream runs its work without a wait.
const MOST: usize = 256;

impl Gpu {
    /// Returns the key of a stream handle.
    pub fn stream(&self, handle: *mut c_void) -> Result<usize, Code> {
        let key = match handle as usize {
            0..=2 => current(),
            key => key,
        };
        match self.streams.get(&key) {
            Some(s) if handle as usize > 2 && s.device != current() && config::major() >= 7 => {
                Err(error::INVALID_HANDLE)
            }
            Some(_) => Ok(key),
            None if self.gone.contains(&key) => Err(error::CONTEXT_DESTROYED),
            None => Err(if config::major() >= 7 { error::CONTEXT_DESTROYED } else { error::INVALID_VALUE }),
        }
    }

    /// Adds work to a stream.
    pub fn push(&mut self, key: usize, work: Work, mut after: Vec<After>) -> Result<u64, Code> {
        if self.is_capturing(key) {
            return self.capture(key, work);
        }
        self.spare_blocking_captures(key)?;
        self.sequence += 1;
        let number = self.sequence;
        let Some(stream) = self.streams.get(&key) else { return Err(error::INVALID_HANDLE) };
        let (device, null) = (stream.device, key < 16);
        if null {
            let blocking = |(k, s): (&usize, &Stream)| {
                (*k != key && s.device == device && !s.independent).then_some((*k, s.last))
            };
            after.extend(self.streams.iter().filter_map(blocking));
        } else if !stream.independent {
            after.extend(self.streams.get(&device).map(|s| (device, s.last)));
        }
        let Some(stream) = self.streams.get_mut(&key) else { return Err(error::INVALID_HANDLE) };
        stream.last = number;
        stream.queue.push_back(Command { number, after, work });
        if stream.queue.len() > MOST || config::get().sync {
            self.run_to(key, number);
        }
        Ok(number)
    }

    /// Runs a stream's work up to a number, after the work that it waits for.
    pub fn run_to(&mut self, key: usize, number: u64) {
        let mut stack = vec![(key, number)];
        while let Some(&(key, number)) = stack.last() {
            let ready =
                match self.streams.get_mut(&key).and_then(|s| s.queue.front_mut().map(|c| (s.device, c))) {
                    Some((device, c)) if c.number <= number => match c.after.pop() {
                        Some(before) => {
                            stack.push(before);
                            continue;
                        }
                        None => device,
                    },
                    _ => {
                        stack.pop();
                        continue;
                    }
                };
            let command = self.streams.get_mut(&key).and_then(|s| s.queue.pop_front());
            if let Some(command) = command {
                self.perform(command.work, ready);
            }
        }
    }

    pub(super) fn perform(&mut self, work: Work, device: usize) {
        // A lost device runs nothing more, not even callbacks.
        if self.lost.is_some() {
            return;
        }
        if let Some(mut w) = written::followed() {
            match &work {
                Work::Copy(dst, src, n) => w.copied(*dst, *src, *n),
                Work::Copy2d([dst, dp, src, sp, width, height]) => {
                    (0..*height).for_each(|row| w.copied(dst + row * dp, src + row * sp, *width));
                }
                Work::Fill(dst, _, width, count) => w.wrote(*dst, width * count),
                Work::Kernel(_, job) if job.machine.is_none() => w.all(),
                Work::Native(_) => w.all(),
                _ => {}
            }
        }
        match work {
            Work::Kernel(kernel, job) => self.execute(&kernel, *job, device),
            // SAFETY: the ranges were checked when the copy was queued; freeing waits for queued work.
            Work::Copy(dst, src, n) => unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, n) },
            Work::Copy2d([dst, dp, src, sp, width, height]) => {
                for row in 0..height {
                    // SAFETY: as above, for the whole rectangle.
                    unsafe {
                        std::ptr::copy((src + row * sp) as *const u8, (dst + row * dp) as *mut u8, width)
                    };
                }
            }
            Work::Fill(dst, pattern, width, count) => {
                let bytes = pattern.to_le_bytes();
                if bytes[..width].iter().all(|b| *b == bytes[0]) {
                    // SAFETY: as above.
                    unsafe { std::ptr::write_bytes(dst as *mut u8, bytes[0], width * count) };
                } else {
                    for i in 0..count {
                        // SAFETY: as above.
                        unsafe { std::ptr::copy(bytes.as_ptr(), (dst + i * width) as *mut u8, width) };
                    }
                }
            }
            Work::Record(event, number) => {
                if let Some(e) = self.events.get_mut(&event)
                    && e.recorded.is_some_and(|r| r.1 == number)
                {
                    e.at = Some(Instant::now());
                }
            }
            Work::Call(f, data) => {
                // SAFETY: the user gave a function of this type with its argument; it must not call HIP.
                unsafe {
                    let f: extern "C" fn(*mut c_void) = std::mem::transmute(f);
                    f(data as *mut c_void);
                }
            }
            Work::Native(f) => f(),
            Work::Graph(nodes) => self.perform_graph(&nodes, device),
            Work::Nothing => {}
        }
    }

    /// Returns whether a stream holds work.
    pub fn pending(&self, key: usize) -> bool {
        self.streams.get(&key).is_some_and(|s| !s.queue.is_empty())
    }

    /// Waits for a stream. The null stream waits for all blocking streams.
    pub fn finish(&mut self, key: usize) -> Result<(), Code> {
        self.refuse_while_capturing(key)?;
        if key < 16 {
            self.push(key, Work::Nothing, Vec::new())?;
        }
        let last = self.streams.get(&key).map_or(0, |s| s.last);
        self.run_to(key, last);
        self.alive()
    }

    /// Waits for all work on a device.
    pub fn finish_device(&mut self, device: usize) -> Result<(), Code> {
        let all: Vec<After> =
            self.streams.iter().filter(|s| s.1.device == device).map(|(k, s)| (*k, s.last)).collect();
        all.into_iter().for_each(|(key, last)| self.run_to(key, last));
        self.alive()
    }

    pub fn alive(&self) -> Result<(), Code> {
        self.lost.map_or(Ok(()), Err)
    }
}
