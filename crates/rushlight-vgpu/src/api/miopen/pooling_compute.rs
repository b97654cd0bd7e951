//! Pooling as the real kernels compute it: they ignore NaN, treat the lowest finite number as the initial maximum,
//! add halves in half precision, and multiply by the reciprocal of the count.
use super::conv_compute::each;
use super::tensor::{Kind, Tensor};
use half::f16;

#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub mode: Mode,
    pub sizes: Vec<usize>,
    pub pads: Vec<usize>,
    pub strides: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Max,
    /// Excludes padding.
    Average,
    /// Includes padding.
    Inclusive,
}

pub(crate) struct Job {
    pub x: Tensor,
    pub y: Tensor,
    pub window: Window,
    /// Bytes of an index in the workspace.
    pub index: usize,
    /// Whether indices count in the image, not in the window.
    pub image: bool,
    /// Makes the result wrong, for tests.
    pub wrong: bool,
}

impl Job {
    fn load(&self, t: &Tensor, at: usize, index: &[usize]) -> f32 {
        let i = t.at(index);
        // SAFETY: the caller checked that every element of the tensor lies inside one allocation.
        unsafe {
            match t.kind {
                Kind::F16 => (at as *const f16).add(i).read().to_f32(),
                _ => (at as *const f32).add(i).read(),
            }
        }
    }

    fn store(&self, t: &Tensor, at: usize, index: &[usize], v: f32) {
        let i = t.at(index);
        let v = if self.wrong { v + 1.0 } else { v };
        // SAFETY: as above; the result overlaps no operand.
        unsafe {
            match t.kind {
                Kind::F16 => (at as *mut f16).add(i).write(f16::from_f32(v)),
                _ => (at as *mut f32).add(i).write(v),
            }
        }
    }

    /// Rounds a value to the tensor's type.
    fn round(&self, v: f32) -> f32 {
        if self.x.kind == Kind::F16 { f16::from_f32(v).to_f32() } else { v }
    }

    /// Calls `f(index in x, number in the window)` for the window's elements that are inside the input.
    fn window(&self, out: &[usize], f: &mut impl FnMut(&[usize], usize)) {
        let w = &self.window;
        let mut number = 0;
        each(&w.sizes, &mut |k| {
            let input_index = |d: usize| {
                let i = (out[d + 2] * w.strides[d] + k[d]).checked_sub(w.pads[d]);
                i.filter(|i| *i < self.x.dims[d + 2])
            };
            let found: Option<Vec<usize>> = (0..k.len()).map(input_index).collect();
            if let Some(p) = found {
                f(&[&out[..2], &p].concat(), number);
            }
            number += 1;
        });
    }

    fn count(&self, out: &[usize]) -> f32 {
        if self.window.mode == Mode::Inclusive {
            return self.window.sizes.iter().product::<usize>() as f32;
        }
        let mut n = 0;
        self.window(out, &mut |_, _| n += 1);
        (n as f32).max(1.0)
    }

    /// Returns the index to store: in the window, or in the image.
    fn number(&self, index: &[usize], in_window: usize) -> usize {
        if self.image {
            index[2..].iter().zip(&self.x.dims[2..]).fold(0, |a, (i, d)| a * d + i)
        } else {
            in_window
        }
    }
}

/// Returns the address of an output's stored index: contiguous, in row-major order.
fn index_address(job: &Job, indices: usize, out: &[usize]) -> usize {
    indices + job.index * out.iter().zip(&job.y.dims).fold(0, |a, (i, d)| a * d + i)
}

pub(crate) fn forward(job: &Job, x: usize, y: usize, indices: usize) {
    let least = if job.x.kind == Kind::F16 { f16::MIN.to_f32() } else { f32::MIN };
    each(&job.y.dims, &mut |out| {
        if job.window.mode == Mode::Max {
            let (mut most, mut best) = (least, 0usize);
            job.window(out, &mut |index, k| {
                let v = job.load(&job.x, x, index);
                if v > most {
                    (most, best) = (v, job.number(index, k));
                }
            });
            job.store(&job.y, y, out, most);
            if indices != 0 {
                let bytes = best.to_le_bytes();
                let to = index_address(job, indices, out) as *mut u8;
                // SAFETY: the caller checked that the workspace holds an index for each output.
                unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), job.index) };
            }
            return;
        }
        let mut sum = 0f32;
        job.window(out, &mut |index, _| sum = job.round(sum + job.load(&job.x, x, index)));
        let share = job.round(1.0 / job.round(job.count(out)));
        job.store(&job.y, y, out, job.round(sum * share));
    });
}

pub(crate) fn backward(job: &Job, dy: usize, dx: usize, indices: usize) {
    let mut sums = vec![0f32; job.x.bytes() / job.x.kind.size()];
    each(&job.y.dims, &mut |out| {
        let g = job.load(&job.y, dy, out);
        let share = job.round(g / job.round(job.count(out)));
        let mut noted = [0u8; 8];
        if job.window.mode == Mode::Max {
            let from = index_address(job, indices, out) as *const u8;
            // SAFETY: as in `forward`.
            unsafe { from.copy_to_nonoverlapping(noted.as_mut_ptr(), job.index) };
        }
        let best = usize::from_le_bytes(noted);
        job.window(out, &mut |index, k| {
            let sum = &mut sums[job.x.at(index)];
            if job.window.mode != Mode::Max {
                *sum = job.round(*sum + share);
            } else if job.number(index, k) == best {
                *sum = job.round(*sum + g);
            }
        });
    });
    each(&job.x.dims, &mut |index| job.store(&job.x, dx, index, sums[job.x.at(index)]));
}
