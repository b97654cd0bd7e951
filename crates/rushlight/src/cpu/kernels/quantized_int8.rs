//! Rows in 8 bits, and products of ggml's blocks with them.
use super::elementwise::{Dst, Src};
use super::linalg::written;
use super::num::{Arith, Num};
use super::softmax::row_major;
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::simd_int8::{self, Block, COLUMNS, TileBlock, Vnni};
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::simd_panel::panels;
use crate::cpu::{dispatch, scratch};
use crate::ops::qmatmul_int8::QMatMulInt8;
use crate::ops::quantize_int8::{BYTES, ELEMENTS};
use crate::{DType, Error, Result};
use rushlight_ggml::levels::{self, GROUP, Leveled, Levels, Visitor};
use std::marker::PhantomData;
use std::slice;

/// Blocks of 32 in a group, which are added in as many partial sums.
pub(in crate::cpu) const PARTS: usize = GROUP / ELEMENTS;

/// Elements, and the blocks that they become.
struct Rounding<'a> {
    x: &'a [f32],
    out: &'a mut [u8],
}

impl Work for Rounding<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (x, to) in self.x.as_chunks::<ELEMENTS>().0.iter().zip(self.out.as_chunks_mut::<BYTES>().0) {
            *to = rounded(x);
        }
    }
}

/// Rounds a block.
#[inline(always)]
fn rounded(x: &[f32; ELEMENTS]) -> [u8; BYTES] {
    // Adding it rounds a number to a whole one, which the low bits then are.
    const WHOLE: f32 = 12_582_912.0;
    const INFINITE: u32 = 0x7f80_0000;
    let mut largest = 0;
    for x in x {
        largest = Arith::max(largest, x.to_bits() & 0x7fff_ffff);
    }
    let finite = largest < INFINITE;
    let exact = f32::from_bits(largest) / 127.0;
    let normal = exact >= f32::MIN_POSITIVE;
    let inverse = if finite && normal { 1.0 / exact } else { 0.0 };
    let (mut levels, mut sum) = ([0i8; ELEMENTS], 0);
    for (level, x) in levels.iter_mut().zip(x) {
        // (An infinity times 0 would be NaN.)
        let product = if finite { *x * inverse } else { 0.0 };
        let whole = (product + WHOLE).to_bits() as i32 - WHOLE.to_bits() as i32;
        let whole = whole.clamp(-127, 127);
        *level = whole as i8;
        sum += whole;
    }
    let scale = match (finite, normal) {
        (false, _) => f32::NAN,
        (true, false) => 0.0,
        (true, true) => exact,
    };
    let mut block = [0; BYTES];
    block[..4].copy_from_slice(&scale.to_le_bytes());
    block[4..8].copy_from_slice(&i32::to_le_bytes(sum));
    for (to, level) in block[8..].iter_mut().zip(levels) {
        *to = level as u8;
    }
    block
}

/// Rounds the rows of a matrix to 8 bits.
pub fn quantize_int8(x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (mut hold, mut room);
    let x = match x.0.dtype() {
        DType::F64 => {
            hold = None;
            let x: &[f64] = row_major(x, &mut hold)?;
            room = scratch::room(x.len())?;
            room.extend(x.iter().map(|x| *x as f32));
            &room[..]
        }
        dtype => dispatch!(dtype, "quantize_int8", (BF16, F16, F32) => T {
            hold = None;
            let x: &[T] = row_major(x, &mut hold)?;
            room = scratch::filled(if size_of::<T>() == size_of::<f32>() { 0 } else { x.len() }, 0f32)?;
            Ok(T::widened(x, &mut room))
        })?,
    };
    let to: &mut [u8] = written(&mut out)?;
    let per = per_task(x.len() / ELEMENTS, 2 * ELEMENTS);
    try_chunks(to, per * BYTES, &|task, out: &mut [u8]| {
        let x = &x[task * per * ELEMENTS..][..out.len() / BYTES * ELEMENTS];
        simd_isa::run(Rounding { x, out });
        Ok(())
    })
}

/// A group of blocks of a row in 8 bits.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::cpu) struct Group {
    /// The integers.
    pub levels: [i8; GROUP],
    /// The scale of each block.
    pub scales: [f32; PARTS],
    /// The sum of the integers of each block; of those of its first half, and of its second half in the upper half of the array, for a
    /// type of blocks with a scale for 16 elements.
    pub sums: [f32; 2 * PARTS],
    /// These sums times the offset of the type's levels, of integers that are not rounded.
    pub offsets: [i32; 2 * PARTS],
}

impl Group {
    const ZERO: Self =
        Self { levels: [0; GROUP], scales: [0.0; PARTS], sums: [0.0; 2 * PARTS], offsets: [0; 2 * PARTS] };

    /// Puts the blocks of integers in another order, and the numbers that belong to blocks in the order of `places`.
    #[cfg(target_arch = "x86_64")]
    pub fn order(&mut self, order: [usize; PARTS], places: [usize; PARTS]) {
        let from = *self;
        for (to, block) in self.levels.as_chunks_mut::<ELEMENTS>().0.iter_mut().zip(order) {
            to.copy_from_slice(&from.levels[block * ELEMENTS..][..ELEMENTS]);
        }
        self.scales = places.map(|block| from.scales[block]);
        for half in [0, PARTS] {
            for (at, block) in places.into_iter().enumerate() {
                self.sums[half + at] = from.sums[half + block];
                self.offsets[half + at] = from.offsets[half + block];
            }
        }
    }

    /// Reads block `i`.
    #[inline(always)]
    fn read<L: Leveled>(&mut self, i: usize, block: &[u8; BYTES]) {
        let levels = &mut self.levels[i * ELEMENTS..][..ELEMENTS];
        for (level, byte) in levels.iter_mut().zip(&block[8..]) {
            *level = *byte as i8;
        }
        let mut halves = [0i32; 2];
        for (sum, levels) in halves.iter_mut().zip(levels.as_chunks::<{ ELEMENTS / 2 }>().0) {
            for level in levels {
                *sum += i32::from(*level);
            }
        }
        let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| block[i]);
        self.scales[i] = f32::from_le_bytes([a, b, c, d]);
        if L::SHARED == ELEMENTS {
            self.sums[i] = i32::from_le_bytes([e, f, g, h]) as f32;
            self.offsets[i] = (halves[0] + halves[1]) * i32::from(L::OFFSET);
        } else {
            for (half, sum) in halves.into_iter().enumerate() {
                self.sums[half * PARTS + i] = sum as f32;
                self.offsets[half * PARTS + i] = sum * i32::from(L::OFFSET);
            }
        }
    }
}

/// Returns the groups of rows; the last group of a row may have fewer blocks, and zeros.
fn groups<L: Leveled>(x: &[u8], row_bytes: usize) -> Result<Vec<Group>> {
    let each = row_bytes.div_ceil(BYTES * PARTS);
    let mut all = scratch::filled(x.len() / row_bytes * each, Group::ZERO)?;
    for (row, groups) in x.chunks(row_bytes).zip(all.chunks_mut(each)) {
        for (i, block) in row.as_chunks::<BYTES>().0.iter().enumerate() {
            groups[i / PARTS].read::<L>(i % PARTS, block);
        }
    }
    Ok(all)
}

/// Adds the terms of the blocks of a group to their partial sums. `products` are the sums of products of 16 elements each, those of the
/// first halves of blocks first.
#[inline(always)]
fn add_terms<L: Leveled>(
    products: &[i32; GROUP / 16],
    levels: &Levels,
    x: &Group,
    mut parts: [f32; PARTS],
) -> [f32; PARTS] {
    for half in 0..ELEMENTS / L::SHARED {
        for (i, part) in parts.iter_mut().enumerate() {
            let (at, whole) = (2 * i + half, L::SHARED == ELEMENTS);
            let product = if whole { products[i] + products[PARTS + i] } else { products[half * PARTS + i] };
            *part = (levels.scales[at] * x.scales[i]).mul_add(product as f32, *part);
            if L::MINIMA {
                *part = (levels.minima[at] * x.scales[i]).mul_add(x.sums[half * PARTS + i], *part);
            }
        }
    }
    parts
}

/// Folds partial sums as the tree of sums folds lanes.
#[inline(always)]
fn fold(mut parts: [f32; PARTS]) -> f32 {
    for half in [4, 2, 1] {
        for i in 0..half {
            parts[i] += parts[i + half];
        }
    }
    parts[0]
}

/// A row of blocks, whose levels are read.
struct Unpacking<'a, L> {
    blocks: &'a [u8],
    levels: &'a mut [Levels],
    of: PhantomData<L>,
}

impl<L: Leveled> Work for Unpacking<'_, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (whole, rest) = self.blocks.split_at(self.blocks.len() / L::BYTES * L::BYTES);
        for (group, levels) in whole.chunks_exact(L::BYTES).zip(self.levels.iter_mut()) {
            L::unpack(group, levels);
        }
        if let ([_, ..], Some(levels)) = (rest, self.levels.last_mut()) {
            levels::unpack_some::<L>(rest, levels);
        }
    }
}

/// The levels of a row of blocks, and rows in 8 bits with as many groups.
struct Column<'a, L> {
    levels: &'a [Levels],
    x: &'a [Group],
    /// A result for each row in 8 bits.
    out: &'a mut [f32],
    of: PhantomData<L>,
}

impl<L: Leveled> Work for Column<'_, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (x, to) in self.x.chunks_exact(self.levels.len()).zip(self.out) {
            let mut parts = [0.0; PARTS];
            for (levels, x) in self.levels.iter().zip(x) {
                parts = add_terms::<L>(&dots(&levels.levels, &x.levels), levels, x, parts);
            }
            *to = fold(parts);
        }
    }
}

/// Multiplies rows in 8 bits by a row of blocks.
fn column<L: Leveled>(x: &[Group], blocks: &[u8], levels: &mut [Levels], out: &mut [f32]) {
    simd_isa::run(Unpacking::<L> { blocks, levels, of: PhantomData });
    if !simd_int8::column::<L>(x, levels, out) {
        simd_isa::run(Column::<L> { levels, x, out, of: PhantomData });
    }
}

/// Returns the sums of products of 16 elements each: of the first halves of blocks, then of the second halves.
#[inline(always)]
fn dots(a: &[i8; GROUP], b: &[i8; GROUP]) -> [i32; GROUP / 16] {
    let mut sums = [0; GROUP / 16];
    for (i, (a, b)) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0).enumerate() {
        for (a, b) in a.iter().zip(b) {
            sums[i % 2 * PARTS + i / 2] += i32::from(*a) * i32::from(*b);
        }
    }
    sums
}

/// A product of rows in 8 bits and rows of blocks.
struct Product<'a, T> {
    x: &'a [u8],
    x_bytes: usize,
    blocks: &'a [u8],
    row_bytes: usize,
    out: &'a mut [T],
}

impl<T: Num> Visitor for Product<'_, T> {
    type Output = Result<()>;
    fn visit<L: Leveled>(self) -> Result<()> {
        let Product { x, x_bytes, blocks, row_bytes, out } = self;
        let mut x = groups::<L>(x, x_bytes)?;
        let each = x_bytes.div_ceil(BYTES * PARTS);
        let (m, n) = (x.len() / each, blocks.len() / row_bytes);
        // An integer product takes a fourth of the time of one of f32.
        let cost = x.len() * GROUP / 4;
        let vnni = simd_int8::vnni();
        if m == 1 {
            if let Some(vnni) = vnni {
                simd_int8::order::<L>(vnni, &mut x);
            }
            let per = per_task(n, cost);
            return try_chunks(out, per, &|task, out: &mut [T]| {
                let blocks = &blocks[task * per * row_bytes..][..out.len() * row_bytes];
                row::<L, T>(vnni, &x, blocks, row_bytes, out)
            });
        }
        let Some(vnni) = vnni else {
            return panels(out, (m, n), COLUMNS, cost, &|_, first, mut panel| {
                let mut levels = scratch::filled(each, Levels::ZERO)?;
                let mut column = scratch::filled(m, 0f32)?;
                for i in 0..panel.cols() {
                    let blocks = &blocks[(first + i) * row_bytes..][..row_bytes];
                    self::column::<L>(&x, blocks, &mut levels, &mut column);
                    for (row, v) in column.iter().enumerate() {
                        panel.row(row)[i] = of_single(*v);
                    }
                }
                Ok(())
            });
        };
        let mut arranged = scratch::filled(x.len() * PARTS, Block::ZERO)?;
        for (row, to) in x.chunks(each).zip(arranged.chunks_mut(each * PARTS)) {
            Block::arrange(row, to);
        }
        let per = per_task(n, cost).next_multiple_of(COLUMNS);
        panels(out, (m, n), per, cost, &|_, first, mut panel| {
            let mut tile = scratch::filled(each * PARTS, TileBlock::ZERO)?;
            let mut rows = scratch::filled(m, [0f32; COLUMNS])?;
            let blocks = &blocks[first * row_bytes..][..panel.cols() * row_bytes];
            for (i, blocks) in blocks.chunks(COLUMNS * row_bytes).enumerate() {
                if !simd_int8::tile::<L>(vnni, &arranged, blocks, row_bytes, &mut tile, &mut rows) {
                    return Err(Error::invalid("qmatmul_int8", "the sizes of a tile do not fit"));
                }
                for (row, from) in rows.iter().enumerate() {
                    for (to, v) in panel.row(row)[i * COLUMNS..].iter_mut().zip(from) {
                        *to = of_single(*v);
                    }
                }
            }
            Ok(())
        })
    }
}

/// Multiplies a row in 8 bits by rows of blocks. With the instructions the row is ordered for them.
fn row<L: Leveled, T: Num>(
    vnni: Option<Vnni>,
    x: &[Group],
    blocks: &[u8],
    row_bytes: usize,
    out: &mut [T],
) -> Result<()> {
    const AT_ONCE: usize = 512;
    let mut levels = scratch::filled(if vnni.is_some() { 0 } else { x.len() }, Levels::ZERO)?;
    for (out, blocks) in out.chunks_mut(AT_ONCE).zip(blocks.chunks(AT_ONCE * row_bytes)) {
        let results = &mut [0f32; AT_ONCE][..out.len()];
        match vnni {
            Some(vnni) => {
                if !simd_int8::row::<L>(vnni, x, blocks, row_bytes, results) {
                    return Err(Error::invalid("qmatmul_int8", "the sizes of a row do not fit"));
                }
            }
            None => {
                for (blocks, to) in blocks.chunks_exact(row_bytes).zip(&mut *results) {
                    column::<L>(x, blocks, &mut levels, slice::from_mut(to));
                }
            }
        }
        out.iter_mut().zip(results).for_each(|(to, v)| *to = of_single(*v));
    }
    Ok(())
}

/// Rounds a result.
#[inline(always)]
fn of_single<T: Num>(v: f32) -> T {
    T::from_acc(T::Acc::of(f64::from(v)))
}

/// Multiplies rows in 8 bits by the transpose of a matrix of blocks.
pub fn qmatmul_int8(op: QMatMulInt8, x: Src<'_>, blocks: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let name = "qmatmul_int8";
    let (&[_, x_bytes], &[_, row_bytes]) = (x.1.dims(), blocks.1.dims()) else {
        return Err(Error::invalid(name, "an operand is not a matrix"));
    };
    let (mut hold, mut hold_blocks) = (None, None);
    let (x, blocks): (&[u8], &[u8]) = (row_major(x, &mut hold)?, row_major(blocks, &mut hold_blocks)?);
    dispatch!(out.0.dtype(), name, FLOAT => T {
        let out: &mut [T] = written(&mut out)?;
        if out.is_empty() {
            return Ok(());
        }
        if row_bytes == 0 {
            out.fill(of_single(0.0));
            return Ok(());
        }
        match levels::visit(op.format, Product { x, x_bytes, blocks, row_bytes, out }) {
            Ok(result) => result,
            Err(_) => Err(Error::invalid(name, "blocks are single numbers")),
        }
    })
}
