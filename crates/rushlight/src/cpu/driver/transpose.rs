//! Transposed copies of planes: tiles through a buffer, and small blocks in registers.
use super::shift::shift;
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

/// 16 bytes of a row of a block.
#[cfg(target_arch = "x86_64")]
type Vector = std::arch::x86_64::__m128i;
/// 16 bytes of a row of a block.
#[cfg(not(target_arch = "x86_64"))]
type Vector = [u8; 16];

/// An element of a plane: an unsigned integer of the element's size (two for 16 bytes).
pub trait Word: Copy + Default + 'static {
    /// Rows and columns of a block: the number of elements of a vector.
    const SIDE: usize = size_of::<Vector>() / size_of::<Self>();
    /// Rows of a tile.
    const ROWS: usize = 64;
    /// Interleaves the elements of two vectors: those of the first halves, and those of the second halves.
    fn zip(a: Vector, b: Vector) -> [Vector; 2];
    /// Transposes a block: its columns are contiguous at `from` and `step` bytes apart, its rows are contiguous at `to` and
    /// `pitch` bytes apart.
    ///
    /// # Safety
    /// The `SIDE x SIDE` elements of `from` are initialized, and those of `to` may be written.
    unsafe fn block(from: *const u8, step: usize, to: *mut u8, pitch: usize);
}

macro_rules! word {
    ($($w:ty, $side:literal, $rows:expr, $low:ident, $high:ident);*) => {$(
        impl Word for $w {
            const ROWS: usize = $rows;
            #[inline(always)]
            fn zip(a: Vector, b: Vector) -> [Vector; 2] {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: every x86-64 processor has SSE2.
                return unsafe { [std::arch::x86_64::$low(a, b), std::arch::x86_64::$high(a, b)] };
                #[cfg(not(target_arch = "x86_64"))]
                return [0, 8].map(|half| std::array::from_fn(|i| {
                    let (element, byte) = (i / size_of::<$w>(), i % size_of::<$w>());
                    [a, b][element % 2][half + element / 2 * size_of::<$w>() + byte]
                }));
            }
            #[inline(always)]
            unsafe fn block(from: *const u8, step: usize, to: *mut u8, pitch: usize) {
                // SAFETY: the caller's condition.
                let mut v: [Vector; $side] = std::array::from_fn(|i| unsafe {
                    from.wrapping_add(i.wrapping_mul(step)).cast::<Vector>().read_unaligned()
                });
                let mut done = 1;
                while done < $side {
                    v = std::array::from_fn(|i| Self::zip(v[i / 2], v[i / 2 + $side / 2])[i % 2]);
                    done *= 2;
                }
                for (i, v) in v.into_iter().enumerate() {
                    // SAFETY: the caller's condition.
                    unsafe { to.wrapping_add(i.wrapping_mul(pitch)).cast::<Vector>().write_unaligned(v) };
                }
            }
        }
    )*};
}
word!(
    u8, 16, 64, _mm_unpacklo_epi8, _mm_unpackhi_epi8;
    u16, 8, ROWS, _mm_unpacklo_epi16, _mm_unpackhi_epi16;
    u32, 4, 64, _mm_unpacklo_epi32, _mm_unpackhi_epi32;
    u64, 2, 64, _mm_unpacklo_epi64, _mm_unpackhi_epi64;
    // (A vector holds one element, so that nothing is interleaved.)
    [u64; 2], 1, 64, _mm_unpacklo_epi64, _mm_unpackhi_epi64
);

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
    if cols < COLS && to.col == size_of::<W>() && to.row <= size_of::<[W; COLS]>() {
        // Rows of `to` are short, and near to each other.
        for r in (0..rows).step_by(COLS) {
            // SAFETY: the caller's condition.
            unsafe { blocks::<W>(from.from(r, 0), to.from(r, 0), COLS.min(rows - r), cols) };
        }
        return;
    }
    #[repr(align(64))]
    struct Lines<T>(T);
    let mut buffer = MaybeUninit::<Lines<[[W; COLS]; ROWS]>>::uninit();
    let buffer = buffer.as_mut_ptr().cast::<W>();
    let rows_of_buffer = Plane { ptr: buffer.cast(), row: size_of::<[W; COLS]>(), col: size_of::<W>() };
    for r in (0..rows).step_by(W::ROWS) {
        for c in (0..cols).step_by(COLS) {
            let (n, m) = (W::ROWS.min(rows - r), COLS.min(cols - c));
            // SAFETY: the caller's condition; the tile lies inside the plane, and the buffer has room for it.
            unsafe {
                blocks::<W>(from.from(r, c), rows_of_buffer, n, m);
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

/// Copies `n x m` elements in blocks, to rows that are contiguous.
///
/// # Safety
/// As for [`plane`].
#[inline(always)]
unsafe fn blocks<W: Word>(from: Plane, to: Plane, n: usize, m: usize) {
    let (side, size) = (W::SIDE, size_of::<W>());
    let (rows, cols) = if from.row == size { (n / side * side, m / side * side) } else { (0, 0) };
    // SAFETY: the caller's condition.
    unsafe {
        for c in (0..cols).step_by(side) {
            for k in 0..side {
                let ahead = from.at(0, c + k + AHEAD);
                (0..rows * size).step_by(64).for_each(|i| prefetch(ahead.wrapping_add(i)));
            }
            for r in (0..rows).step_by(side) {
                W::block(from.at(r, c), from.col, to.at(r, c), to.row);
            }
        }
        for r in 0..n {
            for c in if r < rows { cols } else { 0 }..m {
                *to.at(r, c).cast::<W>() = *from.at(r, c).cast::<W>();
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
