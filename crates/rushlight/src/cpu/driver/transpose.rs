//! Transposed copies of planes: tiles through a buffer, and small blocks in registers. Blocks are plain arithmetic and
//! moves of arrays, which the compiler turns into vector shuffles.
use super::walk::shift;
use std::mem::{MaybeUninit, size_of};

/// Largest number of rows of a tile.
const ROWS: usize = 128;
/// Columns of a tile.
const COLS: usize = 64;
/// Number of columns of `from` that are read ahead into the cache. (The processor does not predict reads that are far
/// apart.)
const AHEAD: usize = 32;
/// Size in bytes from which a copy is written past the caches, which would otherwise read the output first.
pub const STREAM: usize = 16 * 1024 * 1024;
/// A plane with fewer rows or columns is copied without a buffer.
const THIN: usize = 8;
/// Elements of the long dimension of a thin plane that are copied together, so that they stay in the L1 cache.
const LONG: usize = 512;

/// One side of a plane: the first element, and the byte strides of rows and columns. Strides may be negative, in two's
/// complement.
#[derive(Clone, Copy)]
pub struct Plane {
    pub ptr: *mut u8,
    pub row: usize,
    pub col: usize,
}

impl Plane {
    #[inline(always)]
    fn at(&self, row: usize, col: usize) -> *mut u8 {
        self.ptr.wrapping_add(row.wrapping_mul(self.row)).wrapping_add(col.wrapping_mul(self.col))
    }

    fn from(&self, row: usize, col: usize) -> Self {
        Self { ptr: self.at(row, col), ..*self }
    }
}

/// An element of a plane: an unsigned integer of the element's size.
pub trait Word: Copy + Default + 'static {
    /// Rows and columns of a block.
    const SIDE: usize;
    /// Rows of a tile.
    const ROWS: usize = 64;
    /// Writes the block at `from`, whose columns are contiguous and whose rows are `step` bytes apart, to `to`, whose rows
    /// are contiguous and whose columns are `size_of::<[Self; COLS]>()` bytes apart.
    ///
    /// # Safety
    /// The `SIDE x SIDE` elements of `from` are initialized, and those of `to` may be written.
    unsafe fn block(from: *const u8, step: usize, to: *mut Self);
}

/// Returns the transposed 4 x 4 matrix.
#[inline(always)]
fn four<W: Copy>(r: [[W; 4]; 4]) -> [[W; 4]; 4] {
    std::array::from_fn(|i| std::array::from_fn(|j| r[j][i]))
}

/// Pairs the halves of two rows of double words: the low halves, and the high halves.
macro_rules! pair {
    ($a:expr, $b:expr, $half:expr, $low:expr) => {{
        let (a, b) = ($a, $b);
        (
            std::array::from_fn(|k| (a[k] & $low) | (b[k] << $half)),
            std::array::from_fn(|k| (a[k] >> $half) | (b[k] & !$low)),
        )
    }};
}

/// Returns the rows 0, 2, .. and the rows 1, 3, .. of the transposed 8 x 8 matrix of 16-bit elements, which are given in
/// rows of 32-bit pairs.
#[inline(always)]
fn eight(r: [[u32; 4]; 8]) -> ([[u32; 4]; 4], [[u32; 4]; 4]) {
    let p: [([u32; 4], [u32; 4]); 4] = std::array::from_fn(|i| pair!(r[2 * i], r[2 * i + 1], 16, 0xffff_u32));
    (four(p.map(|p| p.0)), four(p.map(|p| p.1)))
}

/// Reads the rows of a block.
///
/// # Safety
/// `N` rows of elements `R` at `from`, `step` bytes apart, are initialized.
#[inline(always)]
unsafe fn rows<R: Copy, const N: usize>(from: *const u8, step: usize) -> [R; N] {
    // SAFETY: the caller's condition.
    std::array::from_fn(|i| unsafe { from.wrapping_add(i.wrapping_mul(step)).cast::<R>().read_unaligned() })
}

impl Word for u64 {
    const SIDE: usize = 4;
    #[inline(always)]
    unsafe fn block(from: *const u8, step: usize, to: *mut Self) {
        // SAFETY: the caller's condition.
        unsafe {
            for (i, row) in four(rows(from, step)).into_iter().enumerate() {
                to.add(i * COLS).cast::<[u64; 4]>().write_unaligned(row);
            }
        }
    }
}

impl Word for u32 {
    const SIDE: usize = 4;
    #[inline(always)]
    unsafe fn block(from: *const u8, step: usize, to: *mut Self) {
        // SAFETY: the caller's condition.
        unsafe {
            for (i, row) in four(rows(from, step)).into_iter().enumerate() {
                to.add(i * COLS).cast::<[u32; 4]>().write_unaligned(row);
            }
        }
    }
}

impl Word for u16 {
    const SIDE: usize = 8;
    const ROWS: usize = ROWS;
    #[inline(always)]
    unsafe fn block(from: *const u8, step: usize, to: *mut Self) {
        // SAFETY: the caller's condition.
        unsafe {
            let (even, odd) = eight(rows(from, step));
            for (i, (even, odd)) in even.into_iter().zip(odd).enumerate() {
                to.add(2 * i * COLS).cast::<[u32; 4]>().write_unaligned(even);
                to.add((2 * i + 1) * COLS).cast::<[u32; 4]>().write_unaligned(odd);
            }
        }
    }
}

impl Word for u8 {
    const SIDE: usize = 16;
    #[inline(always)]
    unsafe fn block(from: *const u8, step: usize, to: *mut Self) {
        // SAFETY: the caller's condition.
        unsafe {
            let r: [[u32; 4]; 16] = rows(from, step);
            // Rows of 16-bit pairs of two rows: of the even columns, and of the odd columns.
            let low = 0x00ff_00ff_u32;
            let p: [([u32; 4], [u32; 4]); 8] = std::array::from_fn(|i| {
                let (a, b) = (r[2 * i], r[2 * i + 1]);
                (
                    std::array::from_fn(|k| (a[k] & low) | ((b[k] & low) << 8)),
                    std::array::from_fn(|k| ((a[k] >> 8) & low) | (b[k] & !low)),
                )
            });
            for (first, half) in [p.map(|p| p.0), p.map(|p| p.1)].into_iter().enumerate() {
                let (even, odd) = eight(half);
                for (i, (even, odd)) in even.into_iter().zip(odd).enumerate() {
                    to.add((4 * i + first) * COLS).cast::<[u32; 4]>().write_unaligned(even);
                    to.add((4 * i + 2 + first) * COLS).cast::<[u32; 4]>().write_unaligned(odd);
                }
            }
        }
    }
}

/// Copies a plane of `rows x cols` elements. It is fast where adjacent elements of `from` are in the rows (`from.row` is the
/// element's size), and those of `to` in the columns. `stream` is for outputs of at least [`STREAM`] bytes.
///
/// # Safety
/// The elements of `from` are initialized, those of `to` may be written, and they do not overlap. All are aligned.
pub unsafe fn plane<W: Word>(from: Plane, to: Plane, rows: usize, cols: usize, stream: bool) {
    let one = |r: usize, c: usize| {
        // SAFETY: the caller's condition.
        unsafe { *to.at(r, c).cast::<W>() = *from.at(r, c).cast::<W>() }
    };
    if rows < THIN {
        for first in (0..cols).step_by(LONG) {
            for r in 0..rows {
                (first..cols.min(first + LONG)).for_each(|c| one(r, c));
            }
        }
        return;
    }
    if cols < THIN {
        for first in (0..rows).step_by(LONG) {
            for c in 0..cols {
                (first..rows.min(first + LONG)).for_each(|r| one(r, c));
            }
        }
        return;
    }
    // Rows of the buffer are rows of `to`.
    #[repr(align(64))]
    struct Lines<T>(T);
    let mut buffer = MaybeUninit::<Lines<[[W; COLS]; ROWS]>>::uninit();
    let buffer = buffer.as_mut_ptr().cast::<W>();
    for r in (0..rows).step_by(W::ROWS) {
        for c in (0..cols).step_by(COLS) {
            let (n, m) = (W::ROWS.min(rows - r), COLS.min(cols - c));
            // SAFETY: the caller's condition; the tile lies inside the plane, and the buffer has room for it.
            unsafe {
                fill(from.from(r, c), buffer, n, m);
                drain(buffer, to.from(r, c), n, m, stream);
            }
        }
    }
    if stream {
        fence();
    }
}

/// Reads a cache line ahead. The address need not be valid.
#[inline(always)]
fn prefetch(p: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE, and a prefetch never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(p.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = p;
}

/// Copies a row of the buffer past the caches, and returns whether it did: `to` must be aligned to 16 bytes.
///
/// # Safety
/// `row` is aligned to 16 bytes, its `COLS` elements are initialized, and those of `to` may be written.
#[inline(always)]
unsafe fn streamed<W: Word>(row: *const W, to: *mut u8) -> bool {
    #[cfg(target_arch = "x86_64")]
    if to.addr().is_multiple_of(16) {
        for i in 0..size_of::<[W; COLS]>() / 16 {
            // SAFETY: the caller's condition; every x86-64 processor has SSE2.
            unsafe {
                std::arch::x86_64::_mm_stream_si128(
                    to.cast::<std::arch::x86_64::__m128i>().add(i),
                    *row.cast::<std::arch::x86_64::__m128i>().add(i),
                )
            };
        }
        return true;
    }
    let _ = (row, to);
    false
}

/// Makes streamed writes visible to other threads before anything that this thread writes later.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Copies a tile of `n x m` elements to the buffer.
///
/// # Safety
/// As for [`plane`].
#[inline(always)]
unsafe fn fill<W: Word>(from: Plane, buffer: *mut W, n: usize, m: usize) {
    let side = W::SIDE;
    let (blocks, columns) =
        if from.row == size_of::<W>() { (n / side * side, m / side * side) } else { (0, 0) };
    // SAFETY: the caller's condition.
    unsafe {
        for c in (0..columns).step_by(side) {
            for k in 0..side {
                let ahead = from.at(0, c + k + AHEAD);
                (0..blocks * size_of::<W>()).step_by(64).for_each(|i| prefetch(ahead.wrapping_add(i)));
            }
            for r in (0..blocks).step_by(side) {
                W::block(from.at(r, c), from.col, buffer.add(r * COLS + c));
            }
        }
        for r in 0..n {
            let first = if r < blocks { columns } else { 0 };
            for c in first..m {
                buffer.add(r * COLS + c).write(*from.at(r, c).cast());
            }
        }
    }
}

/// Copies a tile of `n x m` elements from the buffer.
///
/// # Safety
/// As for [`plane`].
#[inline(always)]
unsafe fn drain<W: Word>(buffer: *mut W, to: Plane, n: usize, m: usize, stream: bool) {
    let whole = m == COLS && to.col == size_of::<W>();
    for r in 0..n {
        // SAFETY: the caller's condition.
        unsafe {
            let row = buffer.add(r * COLS);
            if whole && stream && streamed(row, to.at(r, 0)) {
                continue;
            }
            if whole {
                // A constant length, for the compiler.
                to.at(r, 0).cast::<[W; COLS]>().write_unaligned(*row.cast());
            } else {
                shift(size_of::<W>(), (row.cast(), size_of::<W>()), (to.at(r, 0), to.col), m);
            }
        }
    }
}
