//! Elements of the matrices that are decomposed: real and complex numbers, with the operations that decompositions consist of.
//!
//! A product of complex numbers that is added to a number takes four fused multiply-adds, in an order that is part of the results'
//! bits. The conjugate of a real number is the number itself, so that one algorithm serves both.
use super::linalg::Number;
use crate::Element;
use num_complex::Complex;
use num_traits::Float;
use std::ops::Neg;

/// A number of a matrix.
pub(super) trait Scalar: Element + num_traits::Num + Neg<Output = Self> {
    /// The type of its parts.
    type Part: Number;
    /// The elements of a row in a block of W columns.
    type Row<const W: usize>: Copy + Send + Sync;
    /// The number of parts.
    const PARTS: usize;

    fn new(re: Self::Part, im: Self::Part) -> Self;
    fn re(self) -> Self::Part;
    fn im(self) -> Self::Part;
    fn conj(self) -> Self;
    /// Returns `self * b + c`.
    fn fma(self, b: Self, c: Self) -> Self;
    /// Returns the product with a real number.
    fn scaled(self, by: Self::Part) -> Self;
    /// Returns the quotient by a real number.
    fn over(self, by: Self::Part) -> Self;
    /// Returns a function that divides by this number.
    fn divides(self) -> impl Fn(Self) -> Self;
    /// Returns the magnitude of a real number, the square of that of a complex one.
    fn size(self) -> Self::Part;
    /// Returns the number of magnitude 1 by which this one becomes positive; 1 for 0.
    fn to_positive(self) -> Self;

    fn row<const W: usize>(element: impl Fn(usize) -> Self) -> Self::Row<W>;
    fn get<const W: usize>(row: &Self::Row<W>, column: usize) -> Self;
    /// Adds a row times a number.
    fn add_row<const W: usize>(to: &mut Self::Row<W>, by: Self, row: &Self::Row<W>);
    /// Returns a row times a number.
    fn times_row<const W: usize>(by: Self, row: &Self::Row<W>) -> Self::Row<W>;

    fn real(re: Self::Part) -> Self {
        Self::new(re, num_traits::zero())
    }
    fn undefined() -> Self {
        Self::new(Float::nan(), Float::nan())
    }
}

impl<T: Number> Scalar for T {
    type Part = T;
    type Row<const W: usize> = [T; W];
    const PARTS: usize = 1;

    #[inline(always)]
    fn new(re: T, _: T) -> T {
        re
    }
    #[inline(always)]
    fn re(self) -> T {
        self
    }
    #[inline(always)]
    fn im(self) -> T {
        T::zero()
    }
    #[inline(always)]
    fn conj(self) -> T {
        self
    }
    #[inline(always)]
    fn fma(self, b: T, c: T) -> T {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn scaled(self, by: T) -> T {
        self * by
    }
    #[inline(always)]
    fn over(self, by: T) -> T {
        self / by
    }
    #[inline(always)]
    fn divides(self) -> impl Fn(T) -> T {
        move |x| x / self
    }
    #[inline(always)]
    fn size(self) -> T {
        Float::abs(self)
    }
    #[inline(always)]
    fn to_positive(self) -> T {
        if self < T::zero() { -T::one() } else { T::one() }
    }
    #[inline(always)]
    fn row<const W: usize>(element: impl Fn(usize) -> T) -> [T; W] {
        // (`array::from_fn` and `array::map` would call functions compiled without the level's instructions.)
        let mut row = [T::zero(); W];
        for (c, to) in row.iter_mut().enumerate() {
            *to = element(c);
        }
        row
    }
    #[inline(always)]
    fn get<const W: usize>(row: &[T; W], column: usize) -> T {
        row[column]
    }
    #[inline(always)]
    fn add_row<const W: usize>(to: &mut [T; W], by: T, row: &[T; W]) {
        for c in 0..W {
            to[c] = by.mul_add(row[c], to[c]);
        }
    }
    #[inline(always)]
    fn times_row<const W: usize>(by: T, row: &[T; W]) -> [T; W] {
        Self::row(
            #[inline(always)]
            |c| by * row[c],
        )
    }
}

macro_rules! complex {
    ($($t:ty),*) => {$(
        impl Scalar for Complex<$t> {
            type Part = $t;
            // All real parts, and then all imaginary ones.
            type Row<const W: usize> = [[$t; W]; 2];
            const PARTS: usize = 2;

            #[inline(always)]
            fn new(re: $t, im: $t) -> Self {
                Self { re, im }
            }
            #[inline(always)]
            fn re(self) -> $t {
                self.re
            }
            #[inline(always)]
            fn im(self) -> $t {
                self.im
            }
            #[inline(always)]
            fn conj(self) -> Self {
                Self { re: self.re, im: -self.im }
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                Self {
                    re: Float::mul_add(-self.im, b.im, Float::mul_add(self.re, b.re, c.re)),
                    im: Float::mul_add(self.im, b.re, Float::mul_add(self.re, b.im, c.im)),
                }
            }
            #[inline(always)]
            fn scaled(self, by: $t) -> Self {
                Self { re: self.re * by, im: self.im * by }
            }
            #[inline(always)]
            fn over(self, by: $t) -> Self {
                Self { re: self.re / by, im: self.im / by }
            }
            #[inline(always)]
            fn divides(self) -> impl Fn(Self) -> Self {
                let square = self.size();
                let inverse = Self { re: self.re / square, im: -self.im / square };
                move |x| x * inverse
            }
            #[inline(always)]
            fn size(self) -> $t {
                Float::mul_add(self.re, self.re, self.im * self.im)
            }
            #[inline(always)]
            fn to_positive(self) -> Self {
                let size = Float::sqrt(self.size());
                if size == 0.0 { Self::new(1.0, 0.0) } else { self.conj().over(size) }
            }
            #[inline(always)]
            fn row<const W: usize>(element: impl Fn(usize) -> Self) -> [[$t; W]; 2] {
                let mut row = [[0.0; W]; 2];
                for c in 0..W {
                    let x = element(c);
                    (row[0][c], row[1][c]) = (x.re, x.im);
                }
                row
            }
            #[inline(always)]
            fn get<const W: usize>(row: &[[$t; W]; 2], column: usize) -> Self {
                Self { re: row[0][column], im: row[1][column] }
            }
            #[inline(always)]
            fn add_row<const W: usize>(to: &mut [[$t; W]; 2], by: Self, row: &[[$t; W]; 2]) {
                let [re, im] = to;
                for c in 0..W {
                    let sum = by.fma(Self { re: row[0][c], im: row[1][c] }, Self { re: re[c], im: im[c] });
                    (re[c], im[c]) = (sum.re, sum.im);
                }
            }
            #[inline(always)]
            fn times_row<const W: usize>(by: Self, row: &[[$t; W]; 2]) -> [[$t; W]; 2] {
                Self::row(#[inline(always)] |c| by * Self { re: row[0][c], im: row[1][c] })
            }
        }
    )*};
}
complex!(f32, f64);
