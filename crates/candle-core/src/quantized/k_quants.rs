//! Blocks as Rust types: candle's `quantized::k_quants`.
//!
//! A type of block holds the bytes of one block. Products are plain code for tests and tools: [`QMatMul`](rushlight::quantized::QMatMul)
//! multiplies fast, and on GPUs.
//!
//! ```
//! use candle_core::quantized::GgmlType;
//! use candle_core::quantized::k_quants::{BlockQ8_0, matmul};
//! let x: Vec<f32> = (0..32).map(|i| i as f32).collect();
//! let mut blocks = vec![BlockQ8_0::zeros(); 1];
//! BlockQ8_0::from_float(&x, &mut blocks);
//! let mut y = [0.0];
//! matmul((1, 32, 1), &x, &blocks, &mut y)?;
//! assert!((y[0] - 10416.0).abs() < 104.0);
//! # Ok::<(), candle_core::Error>(())
//! ```
use half::{bf16, f16};
use rushlight::Result;
use rushlight::quantized::GgmlDType;

/// Number of elements of a block of the types with a `K`.
pub const QK_K: usize = 256;
/// Number of bytes of the scales and minima of a block of Q4K and Q5K.
pub const K_SCALE_SIZE: usize = 12;
/// Number of elements of a block of Q4_0.
pub const QK4_0: usize = 32;
/// Number of elements of a block of Q4_1.
pub const QK4_1: usize = 32;
/// Number of elements of a block of Q5_0.
pub const QK5_0: usize = 32;
/// Number of elements of a block of Q5_1.
pub const QK5_1: usize = 32;
/// Number of elements of a block of Q8_0.
pub const QK8_0: usize = 32;
/// Number of elements of a block of Q8_1.
pub const QK8_1: usize = 32;

/// A block of ggml, or a number.
pub trait GgmlType: Sized + Clone + Send + Sync {
    /// The type of the block.
    const DTYPE: GgmlDType;
    /// Its number of elements.
    const BLCK_SIZE: usize;
    /// Whether an element is a number, which needs no scale.
    const DIRECT_COPY: bool = false;
    /// The type to which [`matmul`] rounds the other factor.
    type VecDotType: GgmlType;

    /// Returns a block of zeros.
    fn zeros() -> Self;

    /// Computes the numbers of blocks.
    ///
    /// # Panics
    /// If `ys` does not have as many elements as the blocks.
    fn to_float(xs: &[Self], ys: &mut [f32]);

    /// Computes the blocks of numbers.
    ///
    /// # Panics
    /// If the blocks do not have as many elements as `xs`.
    fn from_float(xs: &[f32], ys: &mut [Self]);

    /// Same as [`GgmlType::from_float`], with an importance for each element of a row.
    ///
    /// # Panics
    /// As [`GgmlType::from_float`], and for other types than Q2K to Q6K.
    fn from_float_imatrix(xs: &[f32], ys: &mut [Self], imatrix_weights: &[f32], n_per_row: usize);

    /// Rounds numbers to this type, if it is one of numbers; does nothing otherwise.
    fn direct_copy(xs: &[f32], ys: &mut [Self]) {
        if Self::DIRECT_COPY {
            Self::from_float(xs, ys);
        }
    }

    /// Returns the product of `n` elements of two rows: the sum in f64 of the products of their numbers, as f32.
    fn vec_dot(n: usize, xs: &[Self], ys: &[Self::VecDotType]) -> f32 {
        let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
        Self::to_float(&xs[..n / Self::BLCK_SIZE], &mut x);
        Self::VecDotType::to_float(&ys[..n / Self::VecDotType::BLCK_SIZE], &mut y);
        x.iter().zip(&y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>() as f32
    }

    /// Returns the products of two rows with a third.
    fn vec_dot_2(n: usize, xs0: &[Self], xs1: &[Self], ys: &[Self::VecDotType]) -> (f32, f32) {
        (Self::vec_dot(n, xs0, ys), Self::vec_dot(n, xs1, ys))
    }

    /// Returns the products of four rows with a fifth.
    fn vec_dot_4(
        n: usize,
        xs0: &[Self],
        xs1: &[Self],
        xs2: &[Self],
        xs3: &[Self],
        ys: &[Self::VecDotType],
    ) -> (f32, f32, f32, f32) {
        let ((a, b), (c, d)) = (Self::vec_dot_2(n, xs0, xs1, ys), Self::vec_dot_2(n, xs2, xs3, ys));
        (a, b, c, d)
    }

    /// Same as [`GgmlType::vec_dot`]: candle has one with and one without vector instructions.
    fn vec_dot_unopt(n: usize, xs: &[Self], ys: &[Self::VecDotType]) -> f32 {
        Self::vec_dot(n, xs, ys)
    }
}

/// Checks that blocks and numbers are as many.
fn fits(dtype: GgmlDType, blocks: usize, numbers: usize) {
    let size = dtype.block_size();
    assert_eq!(blocks * size, numbers, "{dtype}: {blocks} blocks of {size} elements for {numbers} numbers");
}

macro_rules! blocks {
    ($($name:ident $dtype:ident $elements:literal $bytes:literal $other:ident;)*) => { $(
        #[doc = concat!("The bytes of a block of ", stringify!($dtype), ".")]
        #[derive(Debug, Clone, PartialEq)]
        #[repr(transparent)]
        pub struct $name([u8; $bytes]);

        impl GgmlType for $name {
            const DTYPE: GgmlDType = GgmlDType::$dtype;
            const BLCK_SIZE: usize = $elements;
            type VecDotType = $other;

            fn zeros() -> Self {
                Self([0; $bytes])
            }

            fn to_float(xs: &[Self], ys: &mut [f32]) {
                fits(Self::DTYPE, xs.len(), ys.len());
                for (x, y) in xs.iter().zip(ys.chunks_mut($elements)) {
                    rushlight_ggml::dequantize_blocks(Self::DTYPE, &x.0, y);
                }
            }

            fn from_float(xs: &[f32], ys: &mut [Self]) {
                fits(Self::DTYPE, ys.len(), xs.len());
                for (x, y) in xs.chunks($elements).zip(ys) {
                    rushlight_ggml::quantize(Self::DTYPE, x, &mut y.0).expect("one block");
                }
            }

            fn from_float_imatrix(xs: &[f32], ys: &mut [Self], weights: &[f32], n_per_row: usize) {
                fits(Self::DTYPE, ys.len(), xs.len());
                assert_eq!(weights.len(), n_per_row, "{}: a weight for each element of a row", Self::DTYPE);
                let mut bytes = vec![0; ys.len() * $bytes];
                rushlight_ggml::quantize_imatrix(Self::DTYPE, xs, weights, &mut bytes)
                    .unwrap_or_else(|e| panic!("{e}"));
                for (y, b) in ys.iter_mut().zip(bytes.as_chunks().0) {
                    y.0 = *b;
                }
            }
        }
    )* };
}

blocks! {
    BlockQ4_0 Q4_0 32 18 BlockQ8_0;
    BlockQ4_1 Q4_1 32 20 BlockQ8_1;
    BlockQ5_0 Q5_0 32 22 BlockQ8_0;
    BlockQ5_1 Q5_1 32 24 BlockQ8_1;
    BlockQ8_0 Q8_0 32 34 BlockQ8_0;
    BlockQ8_1 Q8_1 32 36 BlockQ8_1;
    BlockQ2K Q2K 256 84 BlockQ8K;
    BlockQ3K Q3K 256 110 BlockQ8K;
    BlockQ4K Q4K 256 144 BlockQ8K;
    BlockQ5K Q5K 256 176 BlockQ8K;
    BlockQ6K Q6K 256 210 BlockQ8K;
    BlockQ8K Q8K 256 292 BlockQ8K;
}

macro_rules! numbers {
    ($($t:ident $dtype:ident $from:expr, $to:expr;)*) => { $(
        impl GgmlType for $t {
            const DTYPE: GgmlDType = GgmlDType::$dtype;
            const BLCK_SIZE: usize = 1;
            const DIRECT_COPY: bool = true;
            type VecDotType = $t;

            fn zeros() -> Self {
                $from(0.0)
            }

            fn to_float(xs: &[Self], ys: &mut [f32]) {
                fits(Self::DTYPE, xs.len(), ys.len());
                ys.iter_mut().zip(xs).for_each(|(y, x)| *y = $to(*x));
            }

            fn from_float(xs: &[f32], ys: &mut [Self]) {
                fits(Self::DTYPE, ys.len(), xs.len());
                ys.iter_mut().zip(xs).for_each(|(y, x)| *y = $from(*x));
            }

            fn from_float_imatrix(_: &[f32], _: &mut [Self], _: &[f32], _: usize) {
                panic!("{}: numbers have no importance", Self::DTYPE);
            }
        }
    )* };
}

numbers! {
    f32 F32 std::convert::identity, std::convert::identity;
    f16 F16 f16::from_f32, f16::to_f32;
    bf16 BF16 bf16::from_f32, bf16::to_f32;
}

/// Multiplies an m x k matrix by the transpose of an n x k matrix of blocks. The first factor is rounded to the type's `VecDotType`, as
/// in candle.
///
/// # Errors
/// If a row is not whole blocks.
///
/// # Panics
/// If `lhs` does not have m k elements, or `dst` has fewer than m n.
pub fn matmul<T: GgmlType>(
    (m, k, n): (usize, usize, usize),
    lhs: &[f32],
    rhs_t: &[T],
    dst: &mut [f32],
) -> Result<()> {
    assert_eq!(m * k, lhs.len(), "matmul: lhs has {} elements, not {m} x {k}", lhs.len());
    assert!(dst.len() >= m * n, "dst too small: {} < {}", dst.len(), m * n);
    if !k.is_multiple_of(T::BLCK_SIZE) || !k.is_multiple_of(T::VecDotType::BLCK_SIZE) {
        rushlight::bail!("matmul: rows of {k} elements are not whole blocks of {}", T::DTYPE);
    }
    let blocks = k / T::BLCK_SIZE;
    if rhs_t.len() != n * blocks {
        rushlight::bail!("matmul: rhs has {} blocks of {}, not {n} x {blocks}", rhs_t.len(), T::DTYPE);
    }
    let mut row = vec![T::VecDotType::zeros(); k / T::VecDotType::BLCK_SIZE];
    for (x, y) in lhs.chunks(k.max(1)).zip(dst.chunks_mut(n.max(1))) {
        T::VecDotType::from_float(x, &mut row);
        for (w, y) in rhs_t.chunks(blocks.max(1)).zip(y) {
            *y = T::vec_dot(k, w, &row);
        }
    }
    Ok(())
}
