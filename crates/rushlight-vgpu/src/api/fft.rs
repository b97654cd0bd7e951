//! The code that rocFFT and cuFFT share: the layout of the lines, the checks of their memory, and the transforms of complex
//! numbers as work of a stream. They are computed in f64 and rounded once.
use crate::api::hip::Ptr;
use crate::device::gpu::Gpu;
use crate::device::stream::Work;
use crate::support::config;
use rustfft::num_complex::Complex;
use rustfft::{FftDirection, FftPlanner};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How the numbers of a batch of lines lie in memory, in complex numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Lines {
    pub step: usize,
    pub distance: usize,
}

/// A batch of transforms along one dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transforms {
    pub double: bool,
    pub inverse: bool,
    pub length: usize,
    pub batch: usize,
    pub input: Lines,
    pub output: Lines,
    pub scale: f64,
}

/// The reason why transforms are rejected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Refused {
    Pointer,
    Overlap,
    Workspace,
    /// The stream belongs to another device, or does not exist.
    Stream,
    Device,
}

impl Transforms {
    fn size(&self) -> usize {
        if self.double { 16 } else { 8 }
    }

    /// Returns the bytes from the first number to the end of the last, `None` if they are too many.
    fn extent(&self, lines: Lines) -> Option<usize> {
        let line = (self.length - 1).checked_mul(lines.step)?;
        let last = (self.batch - 1).checked_mul(lines.distance)?.checked_add(line)?;
        last.checked_add(1)?.checked_mul(self.size())
    }

    /// Returns whether all numbers of the result have different addresses; `false` also for interleaved layouts that no program uses.
    pub fn writes_once(&self) -> bool {
        let (l, n, m) = (self.output, self.length, self.batch);
        let apart = |near: usize, count: usize, far: usize| near > 0 && far / near >= count;
        m == 1 && l.step > 0
            || n == 1 && l.distance > 0
            || apart(l.step, n, l.distance)
            || apart(l.distance, m, l.step)
    }

    /// Returns the size of the workspace: some plans of the real libraries need one, so some here do, too.
    pub fn workspace(&self) -> usize {
        let mut rest = self.length;
        for prime in [2, 3, 5, 7, 11, 13] {
            while rest.is_multiple_of(prime) {
                rest /= prime;
            }
        }
        if self.length > 4096 || rest > 1 { self.length * self.batch * self.size() } else { 0 }
    }

    /// Checks the memory, and issues the transforms on a stream. `work` is the address of the workspace.
    pub fn issue(
        self,
        gpu: &mut Gpu,
        library: &str,
        stream: usize,
        [from, to, work]: [usize; 3],
    ) -> Result<(), Refused> {
        let in_place = from == to && self.input == self.output;
        let mut spans = Vec::new();
        for (name, at, bytes) in [
            ("the input", from, self.extent(self.input)),
            ("the result", to, self.extent(self.output)),
            ("the workspace", work, Some(self.workspace())),
        ] {
            let bytes = bytes.ok_or(Refused::Pointer)?;
            if bytes == 0 {
                continue;
            }
            let aligned = name == "the workspace" || at.is_multiple_of(self.size());
            if !aligned || !matches!(gpu.memory.range(at, bytes), Ok(Some(_))) {
                let location = gpu.memory.describe(at);
                let what = if aligned { "is not inside one allocation" } else { "is not aligned" };
                eprintln!("rushlight-vgpu: {library}: {name} ({bytes} bytes at {at:#x}, {location}) {what}");
                return Err(if name == "the workspace" { Refused::Workspace } else { Refused::Pointer });
            }
            spans.push((name, at..at + bytes));
        }
        for (i, (name, a)) in spans.iter().enumerate() {
            for (other, b) in &spans[..i] {
                let same = in_place && *name == "the result";
                if !same && a.start < b.end && b.start < a.end {
                    eprintln!("rushlight-vgpu: {library}: {name} overlaps {other}");
                    return Err(Refused::Overlap);
                }
            }
        }
        let wrong = config::get().faults.fft_wrong;
        let job = move || {
            if self.workspace() > 0 {
                // A real library leaves unknown bytes there.
                // SAFETY: the workspace lies inside an allocation, as was checked.
                unsafe { std::ptr::write_bytes(work as *mut u8, 0xa5, self.workspace()) };
            }
            self.run(from, to);
            if wrong {
                // SAFETY: the first number lies inside an allocation, as was checked.
                unsafe { *(to as *mut u8).add(self.size() - 1) ^= 0x40 };
            }
        };
        let key = gpu.stream(stream as Ptr).map_err(|_| Refused::Stream)?;
        gpu.push(key, Work::Native(std::sync::Arc::new(job)), Vec::new())
            .map(drop)
            .map_err(|_| Refused::Device)
    }

    fn run(&self, from: usize, to: usize) {
        let direction = if self.inverse { FftDirection::Inverse } else { FftDirection::Forward };
        let plan = FftPlanner::<f64>::new().plan_fft(self.length, direction);
        let mut line = vec![Complex::new(0.0, 0.0); self.length];
        for b in 0..self.batch {
            for (i, v) in line.iter_mut().enumerate() {
                let at = b * self.input.distance + i * self.input.step;
                // SAFETY: the caller checked that every number lies inside one allocation, aligned.
                *v = unsafe {
                    match self.double {
                        true => (from as *const Complex<f64>).add(at).read(),
                        false => {
                            let v = (from as *const Complex<f32>).add(at).read();
                            Complex::new(v.re.into(), v.im.into())
                        }
                    }
                };
            }
            plan.process(&mut line);
            for (i, v) in line.iter().enumerate() {
                let at = b * self.output.distance + i * self.output.step;
                let v = v * self.scale;
                // SAFETY: as above. In place, a line replaces itself only.
                unsafe {
                    match self.double {
                        true => (to as *mut Complex<f64>).add(at).write(v),
                        false => {
                            (to as *mut Complex<f32>).add(at).write(Complex::new(v.re as f32, v.im as f32));
                        }
                    }
                }
            }
        }
    }
}

/// Returns whether these transforms fail by `RUSHLIGHT_VGPU_FAULT`.
pub(crate) fn fails_now() -> bool {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let number = CALLS.fetch_add(1, Relaxed);
    config::get().faults.fft_fails_after.is_some_and(|n| number >= n)
}
