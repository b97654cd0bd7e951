//! ggml's blocks: their numbers, and products with them.
use super::elementwise::{Dst, Src};
use super::linalg::written;
use super::num::{Arith, Num, Real};
use super::reduce_tree::{LANES, fold};
use super::softmax::row_major;
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{CpuStorage, dispatch, scratch};
use crate::ops::qmatmul::{QMatMul, Weights};
use crate::quantized::GgmlDType;
use crate::{Error, Result};
use rushlight_ggml::dequantize_blocks;
use std::ops::Range;

/// Most elements of a block.
const BLOCK: usize = 256;

/// Blocks whose numbers are computed in f32 and rounded.
struct Numbers<'a, T>(GgmlDType, &'a [u8], &'a mut [T]);

impl<T: Num<Acc: Real>> Work for Numbers<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let size = self.0.type_size() * (BLOCK / self.0.block_size());
        let (mut numbers, mut wide) = ([0f32; BLOCK], [T::Acc::ZERO; BLOCK]);
        for (blocks, to) in self.1.chunks(size).zip(self.2.chunks_mut(BLOCK)) {
            let (numbers, wide) = (&mut numbers[..to.len()], &mut wide[..to.len()]);
            dequantize_blocks(self.0, blocks, numbers);
            wide.iter_mut().zip(numbers).for_each(|(w, x)| *w = T::Acc::of(f64::from(*x)));
            T::round_all(wide, to);
        }
    }
}

/// Computes the numbers of blocks.
pub fn dequantize(format: GgmlDType, blocks: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let mut hold: Option<CpuStorage> = None;
    let blocks: &[u8] = row_major(blocks, &mut hold)?;
    dispatch!(out.0.dtype(), "dequantize", FLOAT => T {
        let to: &mut [T] = written(&mut out)?;
        let per = per_task(to.len().div_ceil(BLOCK), 2 * BLOCK) * BLOCK;
        let bytes = per / format.block_size() * format.type_size();
        try_chunks(to, per, &|task, out: &mut [T]| {
            simd_isa::run(Numbers(format, &blocks[task * bytes..], out));
            Ok(())
        })
    })
}

/// Rows of x, and elements of a row, for which the numbers of some blocks are computed once.
const ROWS: usize = 48;
const DEPTH: usize = 512;
/// Rows of blocks whose numbers are kept together.
const COLUMNS: usize = 12;
/// Rows of x and rows of blocks that a tile multiplies in registers.
const TILE: (usize, usize) = (4, 3);

type Sums<A> = [A; LANES];

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
        dequantize_blocks(format, &blocks[bytes(elements.start)..bytes(elements.end)], numbers);
        match self.op.weights {
            Weights::Numbers => {}
            Weights::Magnitudes => numbers.iter_mut().for_each(|x| *x = x.abs()),
            Weights::Ones => numbers.fill(1.0),
        }
    }

    /// Adds the products of some rows of x, from the row `first` on, and some rows of numbers.
    #[inline(always)]
    fn add(&mut self, first: usize, rows: usize, columns: usize, elements: Range<usize>) {
        let x = |row: usize| &self.x[(first + row) * self.depth..][elements.clone()];
        let numbers = |column: usize| &self.numbers[column * DEPTH..][..elements.len()];
        let (rows_of_tiles, columns_of_tiles) = (rows / TILE.0 * TILE.0, columns / TILE.1 * TILE.1);
        for row in (0..rows_of_tiles).step_by(TILE.0) {
            for column in (0..columns_of_tiles).step_by(TILE.1) {
                let sums = &mut self.sums[row * columns + column..];
                let x = [x(row), x(row + 1), x(row + 2), x(row + 3)];
                let numbers = [numbers(column), numbers(column + 1), numbers(column + 2)];
                add::<A, { TILE.0 }, { TILE.1 }, 8>(x, numbers, sums, columns);
            }
        }
        for row in 0..rows {
            let start = if row < rows_of_tiles { columns_of_tiles } else { 0 };
            for column in start..columns {
                let sums = &mut self.sums[row * columns + column..];
                add::<A, 1, 1, LANES>([x(row)], [numbers(column)], sums, columns);
            }
        }
    }
}

impl<A: Real> Work for Product<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
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
                    self.add(first, rows, columns, elements);
                }
                for (i, sums) in self.sums[..rows * columns].iter().enumerate() {
                    let (row, column) = (first + i / columns, part * COLUMNS + i % columns);
                    self.out[column * m + row] = fold(*sums, Arith::add);
                }
            }
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
        // The product is computed transposed, so that threads write ranges of memory.
        let mut product = scratch::filled(m * n, A::ZERO)?;
        let per = per_task(n, m.saturating_mul(k) + k).next_multiple_of(COLUMNS);
        try_chunks(&mut product, per * m, &|task, out: &mut [A]| {
            let rows = out.len() / m;
            simd_isa::run(Product {
                op,
                x,
                depth: k,
                blocks: &blocks[task * per * row_bytes..][..rows * row_bytes],
                row_bytes,
                out,
                numbers: &mut scratch::filled(DEPTH * COLUMNS, 0f32)?,
                sums: &mut scratch::filled(ROWS.min(m) * COLUMNS, [A::ZERO; LANES])?,
            });
            Ok(())
        })?;
        for (row, to) in to.chunks_exact_mut(n).enumerate() {
            let column = product.iter().skip(row).step_by(m);
            to.iter_mut().zip(column).for_each(|(to, v)| *to = T::from_acc(*v));
        }
        Ok(())
    })
}
