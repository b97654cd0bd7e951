//! Matrix products: tiles for floats and i32, the `gemm` crate for products with a vector, plain loops for other integers.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use super::spatial::{Plain, runs};
use crate::cpu::driver::{chunks, per_task, per_thread};
use crate::cpu::simd_gemm::{Gemm, Mat, gemm};
use crate::cpu::simd_half::Half;
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::simd_panel::{FirstError, panels, transpose};
use crate::cpu::simd_tile::{self, Block, Row, Tile};
use crate::cpu::{Buffer, dispatch, scratch};
use crate::{DType, Element, Error, Layout, Result};
use half::{bf16, f16};

/// Products of at most this many terms per batch element run in a plain loop.
const SMALL: usize = 512;

/// Terms of a block of tiles.
const TERMS: usize = 256;
/// Bytes of a factor that stay in the L1 cache, and of a block of rows, which stays in the L2 cache.
const L1: usize = 32 * 1024;
const L2: usize = 256 * 1024;
/// Rows for which packing the other factor takes longer than it saves.
const FEW: usize = 16;

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

fn outside() -> Error {
    Error::invalid("matmul", "a layout reaches outside its storage")
}

/// The arguments of [`outer`] for some rows: the column, which starts at the first row, the distance of its elements, and the row.
struct Outer<'a, T> {
    column: &'a [T],
    step: usize,
    row: &'a [T],
    out: &'a mut [T],
}

impl<T: Arith> Work for Outer<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (r, out) in self.out.chunks_exact_mut(self.row.len()).enumerate() {
            let x = self.column[r * self.step];
            for (o, y) in out.iter_mut().zip(self.row) {
                // The sum of one product begins at 0, so that a product of -0 gives 0.
                *o = T::ZERO.add(x.mul(*y));
            }
        }
    }
}

/// Multiplies columns by rows that follow one another in memory.
fn outer<T: Arith>(d: &Dims<'_>, a: &[T], b: &[T], out: &mut [T]) -> Result<()> {
    let error = FirstError::default();
    by_rows(d, out, &|batch, first, rows, out| {
        let (ma, mb) = d.mats(batch);
        let start = ma.start + first * ma.rs;
        let parts = a.get(start..=start + (rows - 1) * ma.rs).zip(b.get(mb.start..mb.start + d.n));
        error.note(parts.ok_or_else(outside).map(|(column, row)| {
            simd_isa::run(Outer { column, step: ma.rs, row, out });
        }));
    });
    error.result()
}

/// Returns the number of columns for a task of the product of one row, if threads should share its columns. `None` for other
/// layouts than those whose kernels compute each column alike, whatever columns are beside it.
fn columns_per_task(d: &Dims<'_>, len: usize) -> Option<usize> {
    /// Terms of a product that takes about 50 microseconds. Shorter ones are not worth waking threads.
    const LONG: usize = 1 << 20;
    /// Columns, whose terms follow one another, for which `gemm` has a kernel that adds in another order.
    const FEW_COLUMNS: usize = 256;
    if d.m != 1 || len != d.n || d.n.saturating_mul(d.k) < LONG {
        return None;
    }
    let (a, b) = d.mats(0);
    let per = match (b.cs, b.rs, a.cs) {
        // One part of each row for each thread: many short ones would be slow to read. (Whole vectors, so that the rest of them
        // is at the end of the row.)
        (1, ..) => per_thread(d.n, d.k / 8).next_multiple_of(64),
        // (All parts have more than `FEW_COLUMNS`, since they are equal but for one column for each.)
        (_, 1, 1) => d.n.div_ceil((d.n / per_task(d.n, d.k / 8).max(FEW_COLUMNS + 64)).clamp(1, 64)),
        _ => return None,
    };
    Some(per).filter(|per| *per < d.n)
}

fn float<T: Gemm + Tile + Element + Arith>(d: &Dims<'_>, a: &[T], b: &[T], out: &mut [T]) -> Result<()> {
    if d.k == 1 && d.n > 1 && d.mats(0).1.cs == 1 {
        return outer(d, a, b, out);
    }
    if d.m > 1 && 2 * d.n >= T::lanes() && d.k > 0 {
        return tiled(d, a, b, out);
    }
    let ok = std::sync::atomic::AtomicBool::new(true);
    if let Some(per) = columns_per_task(d, out.len()) {
        let (ma, mb) = d.mats(0);
        chunks(out, per, &|t, part| {
            let columns = Mat { start: mb.start + t * per * mb.cs, ..mb };
            // (The row keeps its length, by which `gemm` chooses a kernel.)
            if !gemm(1, part.len(), d.k, (a, ma), (b, columns), part, d.n) {
                ok.store(false, std::sync::atomic::Ordering::Relaxed);
            }
        });
        return if ok.into_inner() { Ok(()) } else { Err(outside()) };
    }
    by_rows(d, out, &|batch, first, rows, part| {
        let (mut ma, mb) = d.mats(batch);
        ma.start += first * ma.rs;
        if !gemm(rows, d.n, d.k, (a, ma), (b, mb), part, d.n) {
            ok.store(false, std::sync::atomic::Ordering::Relaxed);
        }
    });
    if ok.into_inner() { Ok(()) } else { Err(outside()) }
}

/// Copies `rows x cols` elements to rows of `width` elements, the rest of which is zero.
fn pack<T: Tile>(from: &[T], m: Mat, (rows, cols): (usize, usize), to: &mut [T], width: usize) -> Result<()> {
    let rest = |to: &mut [T]| to.chunks_exact_mut(width).for_each(|row| row[cols..].fill(T::default()));
    if cols < width {
        rest(to);
    }
    if m.rs == 1 && m.cs > 1 {
        return if transpose(from, m.cs, to, width, rows, cols) { Ok(()) } else { Err(outside()) };
    }
    for (r, to) in to.chunks_exact_mut(width).enumerate() {
        let from = &from[r * m.rs..];
        if m.cs == 1 {
            to[..cols].copy_from_slice(&from[..cols]);
        } else {
            to[..cols].iter_mut().enumerate().for_each(|(c, to)| *to = from[c * m.cs]);
        }
    }
    Ok(())
}

/// How products of one shape are computed by tiles.
struct Tiles {
    k: usize,
    /// Most rows and terms of a block.
    most: usize,
    terms: usize,
    packs_a: bool,
    packs_b: bool,
    /// Distance of packed rows.
    pitch: usize,
    rows: Vec<Row>,
    steps: Vec<usize>,
}

impl Tiles {
    fn new<T: Tile>(d: &Dims<'_>) -> Result<Self> {
        let (ma, mb) = d.mats(0);
        let (lanes, size) = (T::lanes(), size_of::<T>());
        let terms = TERMS.min(d.k);
        let most = (L2 / size / terms).min(d.m);
        // A factor that fills the L1 cache is packed: its rows may share few lines of the cache, or lie in columns.
        let packs_a = d.k * d.m * size > L1 && (ma.cs != 1 || d.n >= 8 * lanes);
        let packs_b = mb.cs != 1 || (d.m > FEW && d.k.saturating_mul(mb.rs) * size > L1);
        let pitch = terms.next_multiple_of(32) + 16;
        let (rs, cs) = if packs_a { (pitch, 1) } else { (ma.rs, ma.cs) };
        let rows = (0..most).map(|r| Ok::<_, Error>(Row { from: r * rs, to: r }));
        let rows = scratch::collected(most, rows)?;
        let steps = scratch::collected(terms, (0..terms).map(|k| Ok::<_, Error>(k * cs)))?;
        Ok(Self { k: d.k, most, terms, packs_a, packs_b, pitch, rows, steps })
    }

    /// Multiplies rows of a matrix by one of `n` columns.
    fn multiply<T: Tile + Element>(
        &self,
        (a, ma): (&[T], Mat),
        (b, mb): (&[T], Mat),
        n: usize,
        part: &mut [T],
    ) -> Result<()> {
        let lanes = T::lanes();
        let a = a.get(ma.start..).ok_or_else(outside)?;
        let last = (self.k - 1) * mb.rs + (n - 1) * mb.cs;
        let b = b.get(mb.start..=mb.start + last).ok_or_else(outside)?;
        let most = self.most.min(part.len() / n);
        let uneven = !n.is_multiple_of(lanes);
        let mut right = Buffer::uninit(if self.packs_b || uneven { self.terms * 2 * lanes } else { 0 })?;
        let mut left = Buffer::uninit(if self.packs_a { most * self.pitch } else { 0 })?;
        let mut rest = Buffer::uninit(if uneven { most * 2 * lanes } else { 0 })?;
        for (i, part) in part.chunks_mut(most * n).enumerate() {
            let rows = &self.rows[..part.len() / n];
            for term in (0..self.k).step_by(self.terms) {
                let steps = &self.steps[..self.terms.min(self.k - term)];
                let a = a.get(i * most * ma.rs + term * ma.cs..).ok_or_else(outside)?;
                let a = if self.packs_a {
                    let to = &mut left[..rows.len() * self.pitch];
                    pack(a, ma, (rows.len(), steps.len()), to, self.pitch)?;
                    &left[..]
                } else {
                    a
                };
                for column in (0..n).step_by(2 * lanes) {
                    let used = (n - column).min(2 * lanes);
                    let width = used.next_multiple_of(lanes);
                    let from = &b[term * mb.rs + column * mb.cs..];
                    let (panel, pitch) = if self.packs_b || used < width {
                        pack(from, mb, (steps.len(), used), &mut right[..steps.len() * width], width)?;
                        (&right[..], width)
                    } else {
                        (from, mb.rs)
                    };
                    let add = term > 0;
                    let block = Block { data: a, rows, steps, panel, pitch, width, apart: width };
                    let done = if used == width {
                        simd_tile::block(Block { apart: n, ..block }, &mut part[column..], add)
                    } else {
                        let parts = || part.chunks_exact(n).map(|row| &row[column..]);
                        if add {
                            let sums = rest.chunks_exact_mut(width);
                            sums.zip(parts()).for_each(|(r, p)| r[..used].copy_from_slice(p));
                        }
                        let done = simd_tile::block(block, &mut rest, add);
                        let parts = part.chunks_exact_mut(n).map(|row| &mut row[column..]);
                        parts.zip(rest.chunks_exact(width)).for_each(|(p, r)| p.copy_from_slice(&r[..used]));
                        done
                    };
                    if !done {
                        return Err(outside());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Multiplies by tiles; no size is 0.
fn tiled<T: Tile + Element>(d: &Dims<'_>, a: &[T], b: &[T], out: &mut [T]) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let tiles = Tiles::new::<T>(d)?;
    if out.len() / d.n <= FEW {
        // Too few rows for several threads, which share the columns.
        let per = per_thread(d.n, out.len() / d.n * d.k / 8).next_multiple_of(2 * T::lanes());
        if per < d.n {
            return panels(out, (d.m, d.n), per, d.m * d.k, &|batch, first, mut panel| {
                let (ma, mut mb) = d.mats(batch);
                mb.start += first * mb.cs;
                let n = panel.cols();
                let mut part = Buffer::uninit(d.m * n)?;
                tiles.multiply((a, ma), (b, mb), n, &mut part)?;
                for (r, row) in part.chunks(n).enumerate() {
                    panel.row(r).copy_from_slice(row);
                }
                Ok(())
            });
        }
    }
    let error = FirstError::default();
    by_rows(d, out, &|batch, first, _, part| {
        let (mut ma, mb) = d.mats(batch);
        ma.start += first * ma.rs;
        error.note(tiles.multiply((a, ma), (b, mb), d.n, part));
    });
    error.result()
}

/// Multiplies rows by columns in a plain loop, with sums in `Acc`, a block of columns at a time.
fn plain<T: Num>(d: &Dims<'_>, a: &[T], b: &[T], out: &mut [T]) {
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

/// Rows of f16 or bf16 for which widening the other factor takes longer than widening it again for each row.
const HALF_ROWS: usize = 2;

/// Multiplies few rows, `x` in row-major order, by columns whose elements are adjacent, as in linear layers, which are widened
/// where they are multiplied. Returns false, and writes nothing, for other products.
fn few_rows<T: Plain<Acc = f32> + Half>(d: &Dims<'_>, x: &[f32], b: Src<'_>, out: &mut [T]) -> Result<bool> {
    let (b, _) = src::<T>(b)?;
    if d.m > HALF_ROWS || d.k == 0 || (d.k > 1 && d.mats(0).1.rs != 1) || T::dot(&[], &[]).is_none() {
        return Ok(false);
    }
    let error = FirstError::default();
    let per = per_task(out.len(), d.k);
    chunks(out, per, &|task, part: &mut [T]| {
        for (i, out) in part.iter_mut().enumerate() {
            let (row, column) = ((task * per + i) / d.n, (task * per + i) % d.n);
            let start = d.mats(row / d.m).1.start + column * d.mats(0).1.cs;
            let sum = b.get(start..start + d.k).and_then(|w| T::dot(w, &x[row * d.k..][..d.k]));
            error.note(sum.map(|sum| *out = T::from_acc(sum)).ok_or_else(outside));
        }
    });
    error.result().map(|()| true)
}

/// Multiplies f16 and bf16 in f32: both operands are widened exactly, and the product is rounded once. (The `gemm`
/// crate's own f16 products accumulate in f16 when there are few rows or terms.)
fn via_f32<T: Plain<Acc = f32> + Half>(d: &Dims<'_>, a: Src<'_>, b: Src<'_>, out: &mut [T]) -> Result<()> {
    const RUN: usize = 4096;
    let flat = |s: Src<'_>| Layout::contiguous(s.1.shape().clone());
    let (al, bl) = (flat(a), flat(b));
    let a = T::wide(a)?;
    if few_rows(d, &a, b, out)? {
        return Ok(());
    }
    let b = T::wide(b)?;
    let wide = Dims { a: &al, b: &bl, ..*d };
    let mut sums = Buffer::uninit(out.len())?;
    float(&wide, &a, &b, &mut sums)?;
    runs(out, RUN, 1, &|i, out| T::round_all(&sums[i * RUN..][..out.len()], out));
    Ok(())
}

pub fn matmul(a: Src<'_>, b: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    // (A batch without matrices has no first one to look at.)
    if out.1.shape().elem_count() == 0 {
        return Ok(());
    }
    let d = Dims::new(a.1, b.1);
    let tiles = matches!(a.0.dtype(), DType::F32 | DType::F64 | DType::I32) && d.m > 1 && d.n > 3;
    // For small products, packing panels costs more than it saves.
    if !tiles && d.m.saturating_mul(d.n).saturating_mul(d.k) <= SMALL {
        return dispatch!(a.0.dtype(), "matmul", NUMERIC => T {
            plain(&d, src::<T>(a)?.0, src::<T>(b)?.0, dst::<T>(&mut out)?.0);
            Ok(())
        });
    }
    match a.0.dtype() {
        DType::F32 => float(&d, src::<f32>(a)?.0, src::<f32>(b)?.0, dst::<f32>(&mut out)?.0),
        DType::F64 => float(&d, src::<f64>(a)?.0, src::<f64>(b)?.0, dst::<f64>(&mut out)?.0),
        DType::I32 if tiles && d.k > 0 => {
            tiled(&d, src::<i32>(a)?.0, src::<i32>(b)?.0, dst::<i32>(&mut out)?.0)
        }
        DType::F16 => via_f32::<f16>(&d, a, b, dst(&mut out)?.0),
        DType::BF16 => via_f32::<bf16>(&d, a, b, dst(&mut out)?.0),
        other => dispatch!(other, "matmul", INT => T {
            plain(&d, src::<T>(a)?.0, src::<T>(b)?.0, dst::<T>(&mut out)?.0);
            Ok(())
        }),
    }
}
