//! Matrix products: the `gemm` crate for floats, a plain blocked loop for integers.
use super::elementwise::{Dst, Src, dst, src};
use super::num::Num;
use crate::cpu::driver::{chunks, per_thread};
use crate::cpu::simd_gemm::{Gemm, Mat, gemm};
use crate::cpu::{dispatch, scratch};
use crate::{DType, Error, Layout, Result};
use half::{bf16, f16};

/// Products of at most this many terms per batch element run in a plain loop.
const SMALL: usize = 512;

/// Sizes of a product, and the layouts of its operands.
struct Dims<'a> {
    m: usize,
    n: usize,
    k: usize,
    a: &'a Layout,
    b: &'a Layout,
}

impl<'a> Dims<'a> {
    fn new(a: &'a Layout, b: &'a Layout) -> Self {
        let r = a.dims().len();
        Self { m: a.dims()[r - 2], k: a.dims()[r - 1], n: b.dims()[r - 1], a, b }
    }

    /// Returns the two matrices of batch element `i`.
    fn mats(&self, mut i: usize) -> (Mat, Mat) {
        let r = self.a.dims().len();
        let mat = |l: &Layout| Mat { start: l.start_offset(), rs: l.stride()[r - 2], cs: l.stride()[r - 1] };
        let (mut a, mut b) = (mat(self.a), mat(self.b));
        for d in (0..r - 2).rev() {
            let at = i % self.a.dims()[d];
            i /= self.a.dims()[d];
            a.start += at * self.a.stride()[d];
            b.start += at * self.b.stride()[d];
        }
        (a, b)
    }
}

/// Splits the rows of all batch elements over the threads: calls `f(batch, first row, rows, output part)`.
fn by_rows<T: Send>(d: &Dims<'_>, out: &mut [T], f: &(dyn Fn(usize, usize, usize, &mut [T]) + Sync)) {
    if out.is_empty() {
        return;
    }
    let rows = out.len() / d.n;
    // The cost of packing panels pays off from blocks of 16 rows on.
    let per = per_thread(rows, d.n * d.k.max(1) / 8).next_multiple_of(16).min(rows);
    chunks(out, per * d.n, &|t, part| {
        let (mut row, mut part) = (t * per, part);
        while !part.is_empty() {
            let (batch, first) = (row / d.m, row % d.m);
            let count = (d.m - first).min(part.len() / d.n);
            let (head, tail) = part.split_at_mut(count * d.n);
            f(batch, first, count, head);
            part = tail;
            row += count;
        }
    });
}

fn float<T: Gemm>(d: &Dims<'_>, a: &[T], b: &[T], out: &mut [T]) -> Result<()> {
    let ok = std::sync::atomic::AtomicBool::new(true);
    by_rows(d, out, &|batch, first, rows, part| {
        let (mut ma, mb) = d.mats(batch);
        ma.start += first * ma.rs;
        if !gemm(rows, d.n, d.k, (a, ma), (b, mb), part, d.n) {
            ok.store(false, std::sync::atomic::Ordering::Relaxed);
        }
    });
    if ok.into_inner() {
        Ok(())
    } else {
        Err(Error::invalid("matmul", "a layout reaches outside its storage"))
    }
}

/// Multiplies rows by columns in a plain loop, with sums in `Acc`, a block of columns at a time.
fn plain<T: Num>(d: &Dims<'_>, a: &[T], b: &[T], out: &mut [T]) {
    use super::num::Arith;
    const BLOCK: usize = 64;
    by_rows(d, out, &|batch, first, rows, part| {
        let (ma, mb) = d.mats(batch);
        for r in 0..rows {
            for c0 in (0..d.n).step_by(BLOCK) {
                let width = BLOCK.min(d.n - c0);
                let mut acc = [T::Acc::ZERO; BLOCK];
                for k in 0..d.k {
                    let x = a[ma.start + (first + r) * ma.rs + k * ma.cs].acc();
                    let row = mb.start + k * mb.rs + c0 * mb.cs;
                    for (c, s) in acc[..width].iter_mut().enumerate() {
                        *s = s.add(x.mul(b[row + c * mb.cs].acc()));
                    }
                }
                for (o, s) in part[r * d.n + c0..].iter_mut().zip(&acc[..width]) {
                    *o = T::from_acc(*s);
                }
            }
        }
    });
}

/// Multiplies f16 and bf16 in f32: both operands are widened exactly, and the product is rounded once. (The `gemm`
/// crate's own f16 products accumulate in f16 when there are few rows or terms.)
fn via_f32<T: Num<Acc = f32>>(d: &Dims<'_>, a: Src<'_>, b: Src<'_>, out: &mut [T]) -> Result<()> {
    let widen = |s: Src<'_>| -> Result<(Vec<f32>, Layout)> {
        let x = src::<T>(s)?.0;
        let flat = Layout::contiguous(s.1.shape().clone());
        let wide = s.1.strided_index().map(|i| Ok::<_, crate::Error>(x[i].acc()));
        Ok((scratch::collected(s.1.shape().elem_count(), wide)?, flat))
    };
    let ((a, al), (b, bl)) = (widen(a)?, widen(b)?);
    let wide = Dims { a: &al, b: &bl, ..*d };
    let mut sums = scratch::filled(out.len(), 0f32)?;
    float(&wide, &a, &b, &mut sums)?;
    for (o, s) in out.iter_mut().zip(sums) {
        *o = T::from_acc(s);
    }
    Ok(())
}

pub fn matmul(a: Src<'_>, b: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let d = Dims::new(a.1, b.1);
    // For small products, packing panels costs more than it saves.
    if d.m.saturating_mul(d.n).saturating_mul(d.k) <= SMALL {
        return dispatch!(a.0.dtype(), "matmul", NUMERIC => T {
            plain(&d, src::<T>(a)?.0, src::<T>(b)?.0, dst::<T>(&mut out)?.0);
            Ok(())
        });
    }
    match a.0.dtype() {
        DType::F32 => float(&d, src::<f32>(a)?.0, src::<f32>(b)?.0, dst::<f32>(&mut out)?.0),
        DType::F64 => float(&d, src::<f64>(a)?.0, src::<f64>(b)?.0, dst::<f64>(&mut out)?.0),
        DType::F16 => via_f32::<f16>(&d, a, b, dst(&mut out)?.0),
        DType::BF16 => via_f32::<bf16>(&d, a, b, dst(&mut out)?.0),
        other => dispatch!(other, "matmul", INT => T {
            plain(&d, src::<T>(a)?.0, src::<T>(b)?.0, dst::<T>(&mut out)?.0);
            Ok(())
        }),
    }
}
