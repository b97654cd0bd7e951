//! ggml's blocks: their numbers, and products with them.
use super::elementwise::{Dst, Src};
use super::linalg::written;
use super::num::{Arith, Num, Real};
use super::reduce_tree::{LANES, fold};
use super::softmax::row_major;
use crate::cpu::driver::{chunks, per_task, try_chunks};
use crate::cpu::map::slice1;
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{CpuStorage, dispatch, scratch};
use crate::ops::qmatmul::{QMatMul, Weights};
use crate::quantized::GgmlDType;
use crate::{Error, Result};
use rushlight_ggml::levels::{self, GROUP, Leveled, Levels, SHARE, Visitor};
use rushlight_ggml::widen_blocks;
use std::marker::PhantomData;
use std::ops::Range;

/// Blocks, and the f32 numbers that are computed from them.
struct Numbers<'a> {
    format: GgmlDType,
    blocks: &'a [u8],
    out: &'a mut [f32],
}

/// Blocks of one type with levels.
struct NumbersOf<'a, L>(Numbers<'a>, PhantomData<L>);

impl Visitor for Numbers<'_> {
    type Output = ();
    fn visit<L: Leveled>(self) {
        simd_isa::run(NumbersOf::<L>(self, PhantomData));
    }
}

impl<L: Leveled> Work for NumbersOf<'_, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        levels::numbers::<L>(self.0.blocks, self.0.out);
    }
}

/// Widens blocks of one number each.
impl Work for Numbers<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        widen_blocks(self.format, self.blocks, self.out);
    }
}

/// Computes the numbers of blocks. (Each type is compiled on its own: the compiler would join the loops of all types.)
fn numbers(format: GgmlDType, blocks: &[u8], out: &mut [f32]) {
    if let Err(numbers) = levels::visit(format, Numbers { format, blocks, out }) {
        simd_isa::run(numbers);
    }
}

/// Computes the numbers of blocks.
pub fn dequantize(format: GgmlDType, blocks: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let mut hold: Option<CpuStorage> = None;
    let blocks: &[u8] = row_major(blocks, &mut hold)?;
    dispatch!(out.0.dtype(), "dequantize", FLOAT => T {
        type A = <T as Num>::Acc;
        let to: &mut [T] = written(&mut out)?;
        let per = per_task(to.len().div_ceil(GROUP), 2 * GROUP) * GROUP;
        let bytes = per / format.block_size() * format.type_size();
        try_chunks(to, per, &|task, out: &mut [T]| {
            let size = DEPTH / format.block_size() * format.type_size();
            let (mut room, mut wide) = ([0f32; DEPTH], [A::ZERO; DEPTH]);
            let first = task * bytes;
            let blocks = &blocks[first..blocks.len().min(first + bytes)];
            for (blocks, to) in blocks.chunks(size).zip(out.chunks_mut(DEPTH)) {
                let (room, wide) = (&mut room[..to.len()], &mut wide[..to.len()]);
                numbers(format, blocks, room);
                slice1(room, wide, |x: f32| A::of(f64::from(x)));
                T::round_all(wide, to);
            }
            Ok(())
        })
    })
}

/// Rows of x, and elements of a row, for which the numbers of some blocks are computed once.
const ROWS: usize = 48;
const DEPTH: usize = 512;
/// Rows of blocks whose numbers are kept together.
const COLUMNS: usize = 12;

type Sums<A> = [A; LANES];

/// A row of x and rows of blocks, whose levels become numbers in registers.
struct Row<'a, A> {
    x: &'a [A],
    blocks: &'a [u8],
    row_bytes: usize,
    /// A result for each row of blocks.
    out: &'a mut [A],
}

/// A row and blocks of one type.
struct RowOf<'a, A, L>(Row<'a, A>, PhantomData<L>);

impl<A: Real> Visitor for Row<'_, A> {
    type Output = ();
    fn visit<L: Leveled>(self) {
        simd_isa::run(RowOf::<A, L>(self, PhantomData));
    }
}

impl<A: Real, L: Leveled> Work for RowOf<'_, A, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Row { x, blocks, row_bytes, out } = self.0;
        let mut levels = [Levels::ZERO; 2];
        // Two rows of blocks at once, since each sum waits for its previous one: one of each half, since processors read ahead in one
        // direction for each page of memory.
        let half = out.len() / 2;
        let row = |i: usize| &blocks[i * row_bytes..][..row_bytes];
        let (first, rest) = out.split_at_mut(half);
        let (second, last) = rest.split_at_mut(half);
        for i in 0..half {
            [first[i], second[i]] = products::<A, L, 2>(x, [row(i), row(half + i)], &mut levels);
        }
        if let [to] = last {
            [*to] = products::<A, L, 1>(x, [row(2 * half)], &mut levels);
        }
    }
}

/// Multiplies a row of x by C rows of blocks.
#[inline(always)]
fn products<A: Real, L: Leveled, const C: usize>(
    x: &[A],
    rows: [&[u8]; C],
    levels: &mut [Levels; 2],
) -> [A; C] {
    let mut lanes = [[A::ZERO; LANES]; C];
    let (whole, part) = x.as_chunks::<GROUP>();
    for (group, x) in whole.iter().enumerate() {
        for c in 0..C {
            L::unpack(&rows[c][group * L::BYTES..][..L::BYTES], &mut levels[c]);
        }
        for c in 0..C {
            lanes[c] = add_levels::<A, L>(&levels[c], x, lanes[c]);
        }
    }
    if !part.is_empty() {
        for c in 0..C {
            levels::unpack_some::<L>(&rows[c][whole.len() * L::BYTES..], &mut levels[c]);
            lanes[c] = add_levels::<A, L>(&levels[c], part, lanes[c]);
        }
    }
    let mut sums = [A::ZERO; C];
    for c in 0..C {
        sums[c] = fold(lanes[c], Arith::add);
    }
    sums
}

/// Adds the products of the numbers of levels, as many as elements, to lanes.
#[inline(always)]
fn add_levels<A: Real, L: Leveled>(levels: &Levels, x: &[A], mut lanes: Sums<A>) -> Sums<A> {
    for (i, x) in x.as_chunks::<LANES>().0.iter().enumerate() {
        let here = &levels.levels.as_chunks::<LANES>().0[i];
        for l in 0..LANES {
            let share = i * (LANES / SHARE) + l / SHARE;
            let mut number = f32::from(here[l]) * levels.scales[share];
            if L::MINIMA {
                number += levels.minima[share];
            }
            lanes[l] = A::of(f64::from(number)).mul_add(x[l], lanes[l]);
        }
    }
    lanes
}

/// Some lanes, which the compiler keeps in registers.
#[derive(Clone, Copy)]
struct Group<A, const G: usize>([A; G]);

impl<A: Real, const G: usize> Group<A, G> {
    const ZERO: Self = Self([A::ZERO; G]);

    /// Loads the elements of some lanes, from the lane `first` on.
    #[inline(always)]
    fn load(elements: &[A; LANES], first: usize) -> Self {
        let mut found = Self::ZERO;
        found.0.copy_from_slice(&elements[first..first + G]);
        found
    }

    /// Loads numbers of blocks.
    #[inline(always)]
    fn widened(numbers: &[f32; LANES], first: usize) -> Self {
        let mut found = Self::ZERO;
        for (found, x) in found.0.iter_mut().zip(&numbers[first..first + G]) {
            *found = A::of(f64::from(*x));
        }
        found
    }

    #[inline(always)]
    fn add_product(self, w: Self, x: Self) -> Self {
        let mut sum = self.0;
        for ((sum, w), x) in sum.iter_mut().zip(w.0).zip(x.0) {
            *sum = w.mul_add(x, *sum);
        }
        Self(sum)
    }
}

/// Rows of a product: the elements of x, rows of blocks, and a row of results for each row of blocks.
struct Product<'a, A> {
    op: QMatMul,
    x: &'a [A],
    depth: usize,
    blocks: &'a [u8],
    row_bytes: usize,
    out: &'a mut [A],
    /// Numbers of blocks, `DEPTH` for each of `COLUMNS` rows.
    numbers: &'a mut [f32],
    /// A row of lanes for each row of x and each row of blocks.
    sums: &'a mut [Sums<A>],
}

/// Adds the products of R rows of x and C rows of numbers to their lanes: lane l takes products l, l + 32, .. The lanes are taken in
/// groups of G, so that all sums of a tile stay in registers.
#[inline(always)]
fn add<A: Real, const R: usize, const C: usize, const G: usize>(
    x: [&[A]; R],
    numbers: [&[f32]; C],
    sums: &mut [Sums<A>],
    columns: usize,
) {
    // (Loops, since a closure may be compiled on its own, without the caller's instructions.)
    let steps = numbers[0].len() / LANES;
    let (mut x_steps, mut number_steps) = ([&[][..]; R], [&[][..]; C]);
    for (steps_of, x) in x_steps.iter_mut().zip(x) {
        *steps_of = &x.as_chunks::<LANES>().0[..steps];
    }
    for (steps_of, numbers) in number_steps.iter_mut().zip(numbers) {
        *steps_of = &numbers.as_chunks::<LANES>().0[..steps];
    }
    for first in (0..LANES).step_by(G) {
        let mut lanes = [[Group::<A, G>::ZERO; C]; R];
        for r in 0..R {
            for c in 0..C {
                lanes[r][c] = Group::load(&sums[r * columns + c], first);
            }
        }
        for k in 0..steps {
            let (mut x, mut w) = ([Group::ZERO; R], [Group::ZERO; C]);
            for r in 0..R {
                x[r] = Group::load(&x_steps[r][k], first);
            }
            for c in 0..C {
                w[c] = Group::widened(&number_steps[c][k], first);
            }
            for r in 0..R {
                for c in 0..C {
                    lanes[r][c] = lanes[r][c].add_product(w[c], x[r]);
                }
            }
        }
        for r in 0..R {
            for c in 0..C {
                sums[r * columns + c][first..first + G].copy_from_slice(&lanes[r][c].0);
            }
        }
    }
    let rest = steps * LANES;
    for r in 0..R {
        for c in 0..C {
            let products = numbers[c][rest..].iter().zip(&x[r][rest..]);
            for (lane, (w, x)) in sums[r * columns + c].iter_mut().zip(products) {
                *lane = A::of(f64::from(*w)).mul_add(*x, *lane);
            }
        }
    }
}

impl<A: Real> Product<'_, A> {
    /// Computes elements of a row of blocks.
    #[inline(always)]
    fn number(&mut self, column: usize, blocks: &[u8], elements: Range<usize>) {
        let format = self.op.format;
        let bytes = |element: usize| element / format.block_size() * format.type_size();
        let numbers = &mut self.numbers[column * DEPTH..][..elements.len()];
        self::numbers(format, &blocks[bytes(elements.start)..bytes(elements.end)], numbers);
        match self.op.weights {
            Weights::Numbers => {}
            Weights::Magnitudes => numbers.iter_mut().for_each(|x| *x = x.abs()),
            Weights::Ones => numbers.fill(1.0),
        }
    }

    /// Adds the products of some rows of x, from the row `first` on, and some rows of numbers, in tiles of R rows of x, or
    /// fewer at the end, and C rows of numbers, or one, of G lanes.
    #[inline(always)]
    fn add<const R: usize, const C: usize, const G: usize>(
        &mut self,
        first: usize,
        rows: usize,
        columns: usize,
        elements: &Range<usize>,
    ) {
        let mut row = 0;
        while row < rows {
            row += match rows - row {
                n if n >= R => self.tiles::<R, C, G>(first, row, columns, elements),
                3 => self.tiles::<3, C, G>(first, row, columns, elements),
                2 => self.tiles::<2, C, G>(first, row, columns, elements),
                _ => self.tiles::<1, C, G>(first, row, columns, elements),
            };
        }
    }

    /// Adds the products of R rows of x, from the row `first + row` on, and all rows of numbers; returns R.
    #[inline(always)]
    fn tiles<const R: usize, const C: usize, const G: usize>(
        &mut self,
        first: usize,
        row: usize,
        columns: usize,
        elements: &Range<usize>,
    ) -> usize {
        // (Loops, since a closure may be compiled on its own, without the caller's instructions.)
        let mut x = [&[][..]; R];
        for (i, x) in x.iter_mut().enumerate() {
            *x = &self.x[(first + row + i) * self.depth..][elements.clone()];
        }
        let whole = columns / C * C;
        for column in (0..whole).step_by(C) {
            let mut numbers = [&[][..]; C];
            for (i, numbers) in numbers.iter_mut().enumerate() {
                *numbers = &self.numbers[(column + i) * DEPTH..][..elements.len()];
            }
            add::<A, R, C, G>(x, numbers, &mut self.sums[row * columns + column..], columns);
        }
        for column in whole..columns {
            let numbers = &self.numbers[column * DEPTH..][..elements.len()];
            add::<A, R, 1, G>(x, [numbers], &mut self.sums[row * columns + column..], columns);
        }
        R
    }

    /// Computes the products.
    #[inline(always)]
    fn multiply<const R: usize, const C: usize, const G: usize>(mut self) {
        let m = self.x.len() / self.depth;
        for (part, blocks) in self.blocks.chunks(COLUMNS * self.row_bytes).enumerate() {
            let columns = blocks.len() / self.row_bytes;
            for first in (0..m).step_by(ROWS) {
                let rows = ROWS.min(m - first);
                self.sums[..rows * columns].fill([A::ZERO; LANES]);
                for from in (0..self.depth).step_by(DEPTH) {
                    let elements = from..self.depth.min(from + DEPTH);
                    for (column, blocks) in blocks.chunks(self.row_bytes).enumerate() {
                        self.number(column, blocks, elements.clone());
                    }
                    self.add::<R, C, G>(first, rows, columns, &elements);
                }
                for (i, sums) in self.sums[..rows * columns].iter().enumerate() {
                    let (row, column) = (first + i / columns, part * COLUMNS + i % columns);
                    self.out[column * m + row] = fold(*sums, Arith::add);
                }
            }
        }
    }
}

/// A product with tiles for the registers of AVX-512.
struct Large<'a, A>(Product<'a, A>);

impl<A: Real> Work for Large<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        if size_of::<A>() == size_of::<f64>() {
            self.0.multiply::<4, 4, 8>();
        } else {
            self.0.multiply::<4, 4, 16>();
        }
    }
}

impl<A: Real> Work for Product<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        if size_of::<A>() == size_of::<f64>() {
            self.multiply::<4, 3, 4>();
        } else {
            self.multiply::<4, 3, 8>();
        }
    }
}

/// Multiplies a matrix by the transpose of a matrix of blocks.
pub fn qmatmul(op: QMatMul, x: Src<'_>, blocks: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let name = "qmatmul";
    let (&[m, k], &[n, row_bytes]) = (x.1.dims(), blocks.1.dims()) else {
        return Err(Error::invalid(name, "an operand is not a matrix"));
    };
    let mut hold: Option<CpuStorage> = None;
    let blocks: &[u8] = row_major(blocks, &mut hold)?;
    dispatch!(out.0.dtype(), name, FLOAT => T {
        type A = <T as Num>::Acc;
        let mut hold: Option<CpuStorage> = None;
        let x: &[T] = row_major(x, &mut hold)?;
        let mut room = scratch::filled(if size_of::<T>() == size_of::<A>() { 0 } else { x.len() }, A::ZERO)?;
        let x: &[A] = T::widened(x, &mut room);
        let to: &mut [T] = written(&mut out)?;
        if to.is_empty() {
            return Ok(());
        }
        if k == 0 {
            to.fill(T::from_acc(A::ZERO));
            return Ok(());
        }
        if m == 1 && op.weights == Weights::Numbers && op.format.block_size() > 1 {
            let mut room = scratch::filled(if size_of::<T>() == size_of::<A>() { 0 } else { n }, A::ZERO)?;
            let per = per_task(n, k).next_multiple_of(2);
            T::rounded(to, &mut room, |out| {
                chunks(out, per, &|task, out: &mut [A]| {
                    let blocks = &blocks[task * per * row_bytes..][..out.len() * row_bytes];
                    let done = levels::visit(op.format, Row { x, blocks, row_bytes, out }).is_ok();
                    debug_assert!(done, "a type with levels");
                });
            });
            return Ok(());
        }
        // The product is computed transposed, so that threads write ranges of memory.
        let mut product = scratch::filled(m * n, A::ZERO)?;
        let per = per_task(n, m.saturating_mul(k) + k).next_multiple_of(COLUMNS);
        try_chunks(&mut product, per * m, &|task, out: &mut [A]| {
            let rows = out.len() / m;
            let product = Product {
                op,
                x,
                depth: k,
                blocks: &blocks[task * per * row_bytes..][..rows * row_bytes],
                row_bytes,
                out,
                numbers: &mut scratch::filled(DEPTH * COLUMNS, 0f32)?,
                sums: &mut scratch::filled(ROWS.min(m) * COLUMNS, [A::ZERO; LANES])?,
            };
            if let Err(product) = simd_isa::run_large(Large(product)) {
                simd_isa::run_small(product.0);
            }
            Ok(())
        })?;
        for (row, to) in to.chunks_exact_mut(n).enumerate() {
            let column = product.iter().skip(row).step_by(m);
            to.iter_mut().zip(column).for_each(|(to, v)| *to = T::from_acc(*v));
        }
        Ok(())
    })
}
