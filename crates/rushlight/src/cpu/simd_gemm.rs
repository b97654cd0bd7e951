//! Calls the `gemm` crates, which select SIMD code at run time. (Their front crate `gemm` is not used, since it also
//! compiles complex products, which takes long and is not needed.)
#![allow(unsafe_code)]
use gemm_common::Parallelism;

/// A matrix in a slice: index of the first element, row stride and column stride.
#[derive(Debug, Clone, Copy)]
pub struct Mat {
    /// Index of element (0, 0) in the slice.
    pub start: usize,
    /// Distance between rows, in elements.
    pub rs: usize,
    /// Distance between columns, in elements.
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

/// The signature of a product in the `gemm` crates: sizes `m`, `n`, `k`; the result with column and row strides, and
/// whether it is accumulated into; both factors with their strides; the scalars of the old result and of the product;
/// which operands are conjugated.
#[doc(hidden)]
pub type Kernel<T> = unsafe fn(
    usize,
    usize,
    usize,
    *mut T,
    isize,
    isize,
    bool,
    *const T,
    isize,
    isize,
    *const T,
    isize,
    isize,
    T,
    T,
    bool,
    bool,
    bool,
    Parallelism,
);

/// Element types with a `gemm` kernel.
pub trait Gemm: Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const ONE: Self;
    #[doc(hidden)]
    const ZERO: Self;
    #[doc(hidden)]
    fn kernel() -> Kernel<Self>;
}
impl Gemm for f32 {
    const ONE: Self = 1.0;
    const ZERO: Self = 0.0;
    fn kernel() -> Kernel<Self> {
        gemm_f32::gemm::f32::get_gemm_fn()
    }
}
impl Gemm for f64 {
    const ONE: Self = 1.0;
    const ZERO: Self = 0.0;
    fn kernel() -> Kernel<Self> {
        gemm_f64::gemm::f64::get_gemm_fn()
    }
}

/// Computes `out = a b` on this thread. Rows of `out` are `ldo` elements apart.
///
/// # Safety
/// `a` (`m x k`) and `b` (`k x n`) lie inside their slices. `out` has `m` rows of `n` elements that nothing else reads
/// or writes. No size is 0.
unsafe fn multiply<T: Gemm>(
    (m, n, k): (usize, usize, usize),
    a: (&[T], Mat),
    b: (&[T], Mat),
    out: *mut T,
    ldo: usize,
) {
    // The kernels are fastest for column-major results, so a row-major result is computed as the transposed product.
    let (a, b, (m, n), strides) = if ldo > 1 {
        let t = |m: Mat| Mat { start: m.start, rs: m.cs, cs: m.rs };
        ((b.0, t(b.1)), (a.0, t(a.1)), (n, m), (ldo as isize, 1))
    } else {
        (a, b, (m, n), (1, ldo as isize))
    };
    let (pa, pb) = (a.0.as_ptr(), b.0.as_ptr());
    // SAFETY: the caller's conditions, with both sides swapped and all three matrices transposed, or neither.
    unsafe {
        T::kernel()(
            m,
            n,
            k,
            out,
            strides.0,
            strides.1,
            false,
            pa.add(a.1.start),
            a.1.cs as isize,
            a.1.rs as isize,
            pb.add(b.1.start),
            b.1.cs as isize,
            b.1.rs as isize,
            T::ZERO,
            T::ONE,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// Computes `out[m, n] = a[m, k] b[k, n]` on this thread. Returns false, and writes nothing, if a matrix reaches
/// outside its slice.
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
    // SAFETY: the three matrices lie inside their slices (checked above), and the output is borrowed uniquely.
    unsafe { multiply((m, n, k), a, b, out.as_mut_ptr(), ldo) };
    true
}
