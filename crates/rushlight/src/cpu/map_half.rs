//! Elementwise loops over f16 and bf16 elements whose functions are computed in f32.
use super::driver::{Dst, Src, rows1, rows2};
use super::kernels::num::Num;
use super::map::{F32Row1, F32Row2};
use crate::Result;
use half::{bf16, f16};
use std::sync::OnceLock;

/// Rows are widened in blocks of one of these sizes: large ones take fewer calls, and cost more to clear, which short rows would
/// notice.
const SHORT: usize = 256;
const LONG: usize = 1024;

/// A float type of 16 bits.
pub(super) trait Half: Num<Acc = f32> {
    /// Returns the bits.
    fn bits(self) -> u16;
    /// Returns the number with these bits.
    fn of_bits(bits: u16) -> Self;
    /// Returns the table of this type.
    fn table(tables: &Tables) -> &OnceLock<Box<[Self]>>;
}
macro_rules! half {
    ($($t:ident),*) => {$(
        impl Half for $t {
            #[inline(always)]
            fn bits(self) -> u16 {
                self.to_bits()
            }
            #[inline(always)]
            fn of_bits(bits: u16) -> Self {
                Self::from_bits(bits)
            }
            fn table(tables: &Tables) -> &OnceLock<Box<[Self]>> {
                &tables.$t
            }
        }
    )*};
}
half!(f16, bf16);

/// Number of values of a type of 16 bits.
const VALUES: usize = 1 << 16;

/// The results of a function for all f16 and all bf16 numbers, which are computed when an op first needs them. A look-up costs less
/// than the two roundings and the function, and has the same bits.
pub struct Tables {
    f16: OnceLock<Box<[f16]>>,
    bf16: OnceLock<Box<[bf16]>>,
}

impl Tables {
    pub const fn new() -> Self {
        Self { f16: OnceLock::new(), bf16: OnceLock::new() }
    }

    /// Returns the results for a type, given the function.
    fn of<T: Half>(&self, f: &dyn F32Row1) -> &[T] {
        T::table(self).get_or_init(|| {
            let numbers: Vec<T> = (0..=u16::MAX).map(T::of_bits).collect();
            let mut values = numbers.clone();
            row1(&numbers, &mut values, f);
            values.into_boxed_slice()
        })
    }
}

/// Computes `out = f(a)` for f16 or bf16 elements.
pub(super) fn rows_of_one<T: Half>(a: Src<'_>, out: Dst<'_>, f: &dyn F32Row1) -> Result<()> {
    // (A table is made in the time of as many elements as it has.)
    if let Some(tables) = f.tables()
        && out.1.shape().elem_count() >= VALUES
        && let Some(table) = tables.of::<T>(f).first_chunk::<VALUES>()
    {
        return rows1(a, out, &|a: &[T], o: &mut [T]| {
            for (o, a) in o.iter_mut().zip(a) {
                *o = table[usize::from(a.bits())];
            }
        });
    }
    rows1(a, out, &|a: &[T], o: &mut [T]| row1(a, o, f))
}

fn row1<T: Half>(a: &[T], o: &mut [T], f: &dyn F32Row1) {
    fn blocks<T: Half, const N: usize>(a: &[T], o: &mut [T], f: &dyn F32Row1) {
        let (mut x, mut y) = ([0f32; N], [0f32; N]);
        for (a, o) in a.chunks(N).zip(o.chunks_mut(N)) {
            let (x, y) = (&mut x[..a.len()], &mut y[..a.len()]);
            T::widen(a, x);
            f.run(x, y);
            T::round_all(y, o);
        }
    }
    if a.len() <= SHORT { blocks::<T, SHORT>(a, o, f) } else { blocks::<T, LONG>(a, o, f) }
}

/// Computes `out = f(a, b)` for f16 or bf16 elements.
pub(super) fn rows_of_two<T: Half>(a: Src<'_>, b: Src<'_>, out: Dst<'_>, f: &dyn F32Row2) -> Result<()> {
    rows2(a, b, out, &|a: &[T], b: &[T], o: &mut [T]| row2(a, b, o, f), &|a: &[T], b: T, o: &mut [T]| {
        row_scalar(a, b, o, f);
    })
}

fn row2<T: Half>(a: &[T], b: &[T], o: &mut [T], f: &dyn F32Row2) {
    fn blocks<T: Half, const N: usize>(a: &[T], b: &[T], o: &mut [T], f: &dyn F32Row2) {
        let (mut x, mut y, mut z) = ([0f32; N], [0f32; N], [0f32; N]);
        for ((a, b), o) in a.chunks(N).zip(b.chunks(N)).zip(o.chunks_mut(N)) {
            let (x, y, z) = (&mut x[..a.len()], &mut y[..a.len()], &mut z[..a.len()]);
            T::widen(a, x);
            T::widen(b, y);
            f.run(x, y, z);
            T::round_all(z, o);
        }
    }
    if a.len() <= SHORT { blocks::<T, SHORT>(a, b, o, f) } else { blocks::<T, LONG>(a, b, o, f) }
}

fn row_scalar<T: Half>(a: &[T], b: T, o: &mut [T], f: &dyn F32Row2) {
    fn blocks<T: Half, const N: usize>(a: &[T], b: T, o: &mut [T], f: &dyn F32Row2) {
        let (mut x, mut z) = ([0f32; N], [0f32; N]);
        for (a, o) in a.chunks(N).zip(o.chunks_mut(N)) {
            let (x, z) = (&mut x[..a.len()], &mut z[..a.len()]);
            T::widen(a, x);
            f.run_scalar(x, b.acc(), z);
            T::round_all(z, o);
        }
    }
    if a.len() <= SHORT { blocks::<T, SHORT>(a, b, o, f) } else { blocks::<T, LONG>(a, b, o, f) }
}
