//! Reflections of two or three adjacent rows and columns, by which the QR algorithm of real matrices moves its bulge. A sweep's
//! reflections of columns are kept, and change the rows that no later step of the sweep reads together, 16 at a time.
use super::linalg::Number;
use super::reflections::make;
use crate::Result;
use crate::cpu::scratch;
use crate::cpu::simd_isa::{self, Work};

/// Rows of a matrix whose columns are changed together.
pub(super) const PANEL: usize = 16;
/// Reflections that are kept before they are applied to the orthonormal factor.
const KEPT: usize = 1 << 15;

/// The reflection `x - tau v (v . x)` of three elements, or of the first two.
#[derive(Clone, Copy)]
pub(super) struct Reflection<T> {
    v: [T; 3],
    tau: T,
}

impl<T: Number> Reflection<T> {
    /// Returns the reflection that makes the first `count` elements a multiple of a unit vector.
    pub fn new(mut v: [T; 3], count: usize) -> Self {
        let (tau, _) = make(&mut v[..count], &mut [T::zero(); 3][..count]);
        Self { v, tau }
    }

    /// Changes a matrix's rows `k..k + N` from column `from` on, and these columns of the rows `rows`.
    pub fn apply<const N: usize>(
        &self,
        a: &mut [T],
        n: usize,
        k: usize,
        columns: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
    ) {
        if self.tau == T::zero() {
            return;
        }
        let mut below = a[k * n..].chunks_mut(n);
        let taken =
            std::array::from_fn(|_| below.next().map_or(&mut [][..], |row| &mut row[columns.clone()]));
        simd_isa::run(Rows::<T, N>(taken, *self));
        let part = &mut a[rows.start * n..rows.end * n];
        simd_isa::run(Elements::<T, N> { rows: part, n, k, by: *self });
    }
}

/// Changes `N` rows by a reflection.
struct Rows<'a, T, const N: usize>([&'a mut [T]; N], Reflection<T>);

impl<T: Number, const N: usize> Work for Rows<'_, T, N> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(mut rows, Reflection { v, tau }) = self;
        let length = rows.iter().map(|row| row.len()).min().unwrap_or(0);
        rows.iter_mut().for_each(|row| *row = &mut std::mem::take(row)[..length]);
        (0..length).for_each(|j| {
            let mut sum = T::zero();
            for r in 0..N {
                sum = v[r].mul_add(rows[r][j], sum);
            }
            sum = tau * sum;
            for r in 0..N {
                rows[r][j] = (-v[r]).mul_add(sum, rows[r][j]);
            }
        });
    }
}

/// Changes the elements `k..k + N` of rows by a reflection.
struct Elements<'a, T, const N: usize> {
    rows: &'a mut [T],
    n: usize,
    k: usize,
    by: Reflection<T>,
}

impl<T: Number, const N: usize> Work for Elements<'_, T, N> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Reflection { v, tau } = self.by;
        for row in self.rows.chunks_mut(self.n) {
            let part = &mut row[self.k..self.k + N];
            let mut sum = T::zero();
            for r in 0..N {
                sum = v[r].mul_add(part[r], sum);
            }
            sum = tau * sum;
            for r in 0..N {
                part[r] = (-v[r]).mul_add(sum, part[r]);
            }
        }
    }
}

/// Sweeps of reflections of adjacent columns: the first column, and the number of reflections. Each begins one column after the
/// last one, and has three columns, the last of a sweep two.
pub(super) struct Sweeps<T> {
    sweeps: Vec<(usize, usize)>,
    all: Vec<Reflection<T>>,
}

impl<T: Number> Sweeps<T> {
    pub const fn new() -> Self {
        Self { sweeps: Vec::new(), all: Vec::new() }
    }

    /// Begins a sweep at a column.
    pub fn begin(&mut self, column: usize) -> Result<()> {
        scratch::push(&mut self.sweeps, (column, 0))
    }

    /// Adds the next reflection of the sweep.
    pub fn add(&mut self, reflection: Reflection<T>) -> Result<()> {
        if let Some(last) = self.sweeps.last_mut() {
            last.1 += 1;
        }
        scratch::push(&mut self.all, reflection)
    }

    /// Returns whether the sweeps should be applied before there are more.
    pub fn full(&self) -> bool {
        self.all.len() >= KEPT
    }

    pub fn clear(&mut self) {
        self.sweeps.clear();
        self.all.clear();
    }

    /// Changes the columns of all rows, of `n` elements each, and forgets the sweeps.
    pub fn apply(&mut self, matrix: &mut [T], n: usize, panel: &mut [[T; PANEL]]) {
        for part in matrix.chunks_mut(PANEL * n) {
            self.change(part, n, panel, 0);
        }
        self.clear();
    }

    /// Changes the rows of a block by the only sweep, each panel of rows from `top` on by the reflections of columns behind it.
    pub fn apply_above(&self, matrix: &mut [T], n: usize, top: usize, panel: &mut [[T; PANEL]]) {
        let Some(&(first, count)) = self.sweeps.first() else { return };
        for (i, part) in matrix.chunks_mut(PANEL * n).enumerate().skip(top / PANEL) {
            let skipped = ((i + 1) * PANEL).saturating_sub(first);
            if skipped >= count {
                return;
            }
            self.change(part, n, panel, skipped);
        }
    }

    /// Changes the rows of a panel, in each sweep from a reflection on.
    fn change(&self, part: &mut [T], n: usize, panel: &mut [[T; PANEL]], skipped: usize) {
        let first = self.sweeps.iter().map(|s| s.0 + skipped).min().unwrap_or(0);
        let end = self.sweeps.iter().map(|s| s.0 + s.1 + 1).max().unwrap_or(0);
        let columns = &mut panel[first..end];
        for (c, row) in part.chunks(n).enumerate() {
            columns.iter_mut().zip(&row[first..end]).for_each(|(to, x)| to[c] = *x);
        }
        simd_isa::run(Columns { columns, first, skipped, all: self });
        for (c, row) in part.chunks_mut(n).enumerate() {
            row[first..end].iter_mut().zip(&*columns).for_each(|(to, x)| *to = x[c]);
        }
    }
}

/// Changes some elements of each column, from column `first` on, in each sweep from a reflection on.
struct Columns<'a, T> {
    columns: &'a mut [[T; PANEL]],
    first: usize,
    skipped: usize,
    all: &'a Sweeps<T>,
}

impl<T: Number> Work for Columns<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut all = &self.all.all[..];
        for &(first, count) in &self.all.sweeps {
            let (sweep, rest) = all.split_at(count);
            all = rest;
            let Some((last, three)) = sweep[self.skipped..].split_last() else { continue };
            let columns = &mut self.columns[first + self.skipped - self.first..][..three.len() + 2];
            let (mut x, mut y) = (columns[0], columns[1]);
            for (i, &Reflection { v, tau }) in three.iter().enumerate() {
                let mut z = columns[i + 2];
                if tau != T::zero() {
                    for l in 0..PANEL {
                        let sum = v[2].mul_add(z[l], v[1].mul_add(y[l], v[0].mul_add(x[l], T::zero())));
                        let sum = tau * sum;
                        x[l] = (-v[0]).mul_add(sum, x[l]);
                        y[l] = (-v[1]).mul_add(sum, y[l]);
                        z[l] = (-v[2]).mul_add(sum, z[l]);
                    }
                }
                columns[i] = x;
                (x, y) = (y, z);
            }
            let &Reflection { v, tau } = last;
            if tau != T::zero() {
                for l in 0..PANEL {
                    let sum = tau * v[1].mul_add(y[l], v[0].mul_add(x[l], T::zero()));
                    x[l] = (-v[0]).mul_add(sum, x[l]);
                    y[l] = (-v[1]).mul_add(sum, y[l]);
                }
            }
            columns[three.len()] = x;
            columns[three.len() + 1] = y;
        }
    }
}
