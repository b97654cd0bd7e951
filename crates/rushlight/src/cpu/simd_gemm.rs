//! The call into the `gemm` crate, which picks SIMD at run time.
#![allow(unsafe_code)]

/// A matrix in a slice: first element, row stride and column stride.
#[derive(Debug, Clone, Copy)]
pub struct Mat {
    /// Place of element (0, 0).
    pub start: usize,
    /// Elements from one row to the next.
    pub rs: usize,
    /// Elements from one column to the next.
    pub cs: usize,
}

impl Mat {
    pub(super) fn inside(&self, rows: usize, cols: usize, len: usize) -> bool {
        if rows == 0 || cols == 0 {
            return true;
        }
        let last = (rows - 1)
            .checked_mul(self.rs)
            .and_then(|r| (cols - 1).checked_mul(self.cs)?.checked_add(r)?.checked_add(self.start));
        last.is_some_and(|l| l < len)
    }
}

/// Element types the `gemm` crate multiplies.
pub trait Gemm: Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const ONE: Self;
    #[doc(hidden)]
    const ZERO: Self;
}
impl Gemm for f32 {
    const ONE: Self = 1.0;
    const ZERO: Self = 0.0;
}
impl Gemm for f64 {
    const ONE: Self = 1.0;
    const ZERO: Self = 0.0;
}

/// `out[m, n] = a[m, k] b[k, n]` on this thread. False when a matrix reaches outside its slice (nothing is written).
#[must_use]
pub fn gemm<T: Gemm>(
    m: usize,
    n: usize,
    k: usize,
    a: (&[T], Mat),
    b: (&[T], Mat),
    out: &mut [T],
    ldo: usize,
) -> bool {
    let o = Mat { start: 0, rs: ldo, cs: 1 };
    if !(a.1.inside(m, k, a.0.len()) && b.1.inside(k, n, b.0.len()) && o.inside(m, n, out.len())) {
        return false;
    }
    if k == 0 {
        (0..m).for_each(|i| out[i * ldo..i * ldo + n].fill(T::ZERO));
        return true;
    }
    if m == 0 || n == 0 {
        return true;
    }
    // SAFETY: the three matrices lie inside their slices (checked above), the output is borrowed uniquely, and `T` is one
    // of the types the crate supports.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            ldo as isize,
            false,
            a.0.as_ptr().add(a.1.start),
            a.1.cs as isize,
            a.1.rs as isize,
            b.0.as_ptr().add(b.1.start),
            b.1.cs as isize,
            b.1.rs as isize,
            T::ZERO,
            T::ONE,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
    true
}
