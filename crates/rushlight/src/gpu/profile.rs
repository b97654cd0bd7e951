//! The device's times of queued work, for the profiler.
use super::GpuDevice;
use super::runtime::Runtime;
use crate::profiler::{Event, Open};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A mark on the device's stream that was reached at a known time of the host.
struct Clock<R: Runtime> {
    mark: R::Mark,
    at: Duration,
}

impl<R: Runtime> GpuDevice<R> {
    /// Calls a function that queues work on the device's stream. While the profiler is active, it records the call, and marks before
    /// and after the work measure the device's time.
    #[inline]
    pub(crate) fn profiled<T>(&self, event: impl FnOnce() -> Event, queue: impl FnOnce() -> T) -> T {
        let Some(open) = Open::if_active(event) else { return queue() };
        if self.is_recording() {
            // A mark would be recorded, too, and a wait is not allowed.
            return queue();
        }
        let before = if open.wants_device_times() { self.clock(&open) } else { None };
        let done = queue();
        // A mark that fails leaves the event without the device's time; the device returns its error at the next call.
        if let Some((clock, begin)) = before
            && let Ok(end) = self.runtime().mark()
        {
            let device = self.clone();
            open.measure(move || {
                let ms = |from: &R::Mark, to: &R::Mark| {
                    let ms = device.runtime().milliseconds(from, to).ok()?;
                    Some(Duration::from_secs_f64(f64::from(ms.max(0.0)) / 1e3))
                };
                Some((clock.at + ms(&clock.mark, &begin)?, ms(&begin, &end)?))
            });
        }
        done
    }

    /// Returns the device's clock and a mark on its stream.
    fn clock(&self, open: &Open) -> Option<(Arc<Clock<R>>, R::Mark)> {
        let start = |session: Instant| {
            let rt = self.runtime();
            rt.synchronize().ok()?;
            let mark = rt.mark().ok()?;
            rt.synchronize().ok()?;
            Some(Clock::<R> { mark, at: session.elapsed() })
        };
        let device = self.clone();
        let wait = move || drop(device.runtime().synchronize());
        let clock = open.clock(R::location(self.ordinal()), start, wait)?;
        Some((clock, self.runtime().mark().ok()?))
    }
}
