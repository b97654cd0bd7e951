//! Running sums along a dimension. Elements of a line are added one after the other, and several lines of floats at a time.
use super::elementwise::{Dst, Src, dst};
use super::index::flat;
use super::num::{Arith, Num};
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::driver::{chunks, per_task};
use crate::cpu::simd_panel::panels;
use crate::ops::cumsum::CumSum;

/// Number of contiguous lines of floats that are summed at a time: a line alone would wait for each addition. (Integers are added
/// in a cycle, and one line reads and writes memory in order.)
const FEW: usize = 4;
/// Same, for elements that are widened, and the number of their elements that are read at a time.
const LINES: usize = 8;
const WIDENED: usize = 64;
/// Columns of a task whose lines are not contiguous, and whose sums stay in the L1 cache.
const COLUMNS: usize = 512;

pub fn cumsum(c: &CumSum, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let dims = x.1.dims();
    let (n, inner): (usize, usize) = (dims[c.dim], dims[c.dim + 1..].iter().product());
    if x.1.shape().elem_count() == 0 {
        return Ok(());
    }
    let reverse = c.reverse;
    let (x, range) = flat(x)?;
    dispatch!(x.dtype(), "cumsum", NUMERIC => T {
        let x = &x.as_slice::<T>()?[range];
        let o = dst::<T>(&mut out)?.0;
        if inner == 1 {
            let per = per_task(o.len() / n, n) * n;
            chunks(o, per, &|task, o| lines(&x[task * per..][..o.len()], o, n, reverse));
            return Ok(());
        }
        panels(o, (n, inner), COLUMNS, n, &|matrix, first, mut o| {
            let mut sums = [<T as Num>::Acc::ZERO; COLUMNS];
            for k in (0..n).map(|k| if reverse { n - 1 - k } else { k }) {
                let x = &x[(matrix * n + k) * inner + first..];
                for ((s, o), x) in sums.iter_mut().zip(o.row(k)).zip(x) {
                    *s = s.add(x.acc());
                    *o = T::from_acc(*s);
                }
            }
            Ok(())
        })
    })
}

/// Sums contiguous lines of `n` elements.
fn lines<T: Num>(x: &[T], o: &mut [T], n: usize, reverse: bool) {
    let widens = size_of::<T>() < size_of::<T::Acc>();
    let together = match T::DTYPE.is_int() {
        true => x.len() + 1,
        false => n * if widens { LINES } else { FEW },
    };
    let mut x = x.chunks_exact(together);
    let mut o = o.chunks_exact_mut(together);
    for (x, o) in x.by_ref().zip(o.by_ref()) {
        if widens {
            several_widened(x, o, n, reverse);
        } else {
            several(x, o, n, reverse);
        }
    }
    for (x, o) in x.remainder().chunks(n).zip(o.into_remainder().chunks_mut(n)) {
        let mut sum = <T as Num>::Acc::ZERO;
        let mut add = |(o, x): (&mut T, &T)| {
            sum = sum.add(x.acc());
            *o = T::from_acc(sum);
        };
        let both = o.iter_mut().zip(x);
        if reverse { both.rev().for_each(&mut add) } else { both.for_each(&mut add) }
    }
}

/// Sums [`FEW`] lines.
fn several<T: Num>(x: &[T], o: &mut [T], n: usize, reverse: bool) {
    // (Slices of one known length, for the compiler.)
    let ((a, b), (c, d)) = halves(x, n);
    let (first, last) = o.split_at_mut(2 * n);
    let ((o_a, o_b), (o_c, o_d)) = (first.split_at_mut(n), last.split_at_mut(n));
    let (b, c, d) = (&b[..n], &c[..n], &d[..n]);
    let (o_a, o_b, o_c, o_d) = (&mut o_a[..n], &mut o_b[..n], &mut o_c[..n], &mut o_d[..n]);
    let mut sums = [<T as Num>::Acc::ZERO; FEW];
    let add = |k: usize| {
        sums = [
            sums[0].add(a[k].acc()),
            sums[1].add(b[k].acc()),
            sums[2].add(c[k].acc()),
            sums[3].add(d[k].acc()),
        ];
        o_a[k] = T::from_acc(sums[0]);
        o_b[k] = T::from_acc(sums[1]);
        o_c[k] = T::from_acc(sums[2]);
        o_d[k] = T::from_acc(sums[3]);
    };
    if reverse { (0..n).rev().for_each(add) } else { (0..n).for_each(add) }
}

/// Splits [`FEW`] lines of `n` elements.
fn halves<T>(x: &[T], n: usize) -> ((&[T], &[T]), (&[T], &[T])) {
    let (first, last) = x.split_at(2 * n);
    (first.split_at(n), last.split_at(n))
}

/// Same as [`several`], for elements that are widened.
fn several_widened<T: Num>(x: &[T], o: &mut [T], n: usize, reverse: bool) {
    let zero = <T as Num>::Acc::ZERO;
    let (mut sums, mut block) = ([zero; LINES], [[zero; WIDENED]; LINES]);
    for done in (0..n).step_by(WIDENED) {
        let len = WIDENED.min(n - done);
        let at = if reverse { n - done - len } else { done };
        for (l, row) in block.iter_mut().enumerate() {
            T::widen(&x[l * n + at..][..len], &mut row[..len]);
        }
        for k in 0..len {
            let k = if reverse { len - 1 - k } else { k };
            for (row, s) in block.iter_mut().zip(&mut sums) {
                *s = s.add(row[k]);
                row[k] = *s;
            }
        }
        for (l, row) in block.iter().enumerate() {
            T::round_all(&row[..len], &mut o[l * n + at..][..len]);
        }
    }
}
