//! Padding and its gradient (hip/pad.hip).
use super::elementwise::{bits, high_bits, mismatch, word};
use super::spatial::index64;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::pad::{PadMode, Side};
use crate::shape::MAX_RANK;
use crate::{DType, Result};

kernel_enum! {
    /// The elements that padding adds.
    pub(crate) enum PadKind {
        /// One value.
        Constant = 0,
        /// The input mirrored at its ends.
        Reflect = 1,
        /// The first and the last element.
        Replicate = 2,
        /// The input from its other end.
        Circular = 3,
    }
}

kernel_params! {
    /// Parameters of pad and pad_backward. Dimensions are those of the input, neighbours without padding merged.
    pub(crate) struct PadParams {
        /// Address of the input's element that index 0 is.
        input: u64,
        /// Address of the result, which is row-major.
        out: u64,
        /// Elements of the result.
        count: u64,
        /// Bits of the value that is added, zero-extended; of 16 bytes the first 8.
        value: u64,
        /// The last 8 of 16 bytes.
        value_high: u64,
        /// Number of dimensions.
        rank: u32,
        /// Blocks of the grid.
        blocks: u32,
        /// 1: indices need 64 bits.
        index64: u32,
        /// The elements added.
        kind: PadKind,
        /// Sizes before padding.
        size: [u64; MAX_RANK],
        /// Sizes after it.
        padded: [u64; MAX_RANK],
        /// Elements before, of each dimension.
        before: [i64; MAX_RANK],
        /// Circular: elements removed at the beginning, and elements that are kept.
        first: [u64; MAX_RANK],
        /// Circular: elements that are kept.
        kept: [u64; MAX_RANK],
        /// Strides of the kernel's input.
        stride: [u64; MAX_RANK],
    }
}

fn launch<R: Runtime>(
    c: &Call<'_, R>,
    t: DType,
    (mode, sides, [value, value_high]): (PadMode, &[Side], [u64; 2]),
    (x, out): (&Operand<'_>, &Operand<'_>),
) -> Result<()> {
    let n = out.count() as u64;
    if n == 0 {
        return Ok(());
    }
    let mut p = PadParams {
        input: x.ptr,
        out: out.ptr,
        count: n,
        value,
        value_high,
        rank: 0,
        blocks: c.blocks(n),
        index64: index64(&[n, x.count() as u64]) as u32,
        kind: match mode {
            PadMode::Constant => PadKind::Constant,
            PadMode::Reflect => PadKind::Reflect,
            PadMode::Replicate => PadKind::Replicate,
            PadMode::Circular => PadKind::Circular,
        },
        size: [1; MAX_RANK],
        padded: [1; MAX_RANK],
        before: [0; MAX_RANK],
        first: [0; MAX_RANK],
        kept: [1; MAX_RANK],
        stride: [0; MAX_RANK],
    };
    let mut plain = false;
    for (s, &stride) in sides.iter().zip(x.layout.stride()) {
        let (size, padded, stride) = (s.size as u64, s.out as u64, stride as u64);
        let behind = padded as i64 - size as i64 - s.before;
        let same = s.before == 0 && behind == 0;
        let mut at = p.rank as usize;
        if plain && same && p.stride[at - 1] == stride.wrapping_mul(size) {
            at -= 1;
        } else {
            p.rank += 1;
        }
        let first = (-s.before).max(0);
        p.size[at] *= size;
        p.padded[at] *= padded;
        p.before[at] = s.before;
        p.first[at] = first as u64;
        p.kept[at] = if same { p.size[at] } else { (size as i64 - first - (-behind).max(0)) as u64 };
        p.stride[at] = stride;
        plain = same;
    }
    // A scalar becomes one dimension of size 1.
    p.rank = p.rank.max(1);
    let kernel = Kernel::new(Unit::Pad, t, c.op.definition(), Variant::Strided);
    c.launch(kernel, [p.blocks, 1, 1], BLOCK, &p)
}

pub(super) fn pad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Pad(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let sides = op.pads.sides(c.name, op.mode, x.layout.shape())?;
    launch(c, word(x.dtype), (op.mode, &sides, [bits(&op.value), high_bits(&op.value)]), (&x, &out))
}

pub(super) fn pad_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::PadBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    let sides = op.pads.sides(c.name, op.mode, out.layout.shape())?;
    launch(c, g.dtype, (op.mode, &sides, [0; 2]), (&g, &out))
}
