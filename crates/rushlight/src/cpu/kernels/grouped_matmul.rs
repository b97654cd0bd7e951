//! Grouped matrix products: one product for each group.
use super::copy::copy;
use super::elementwise::{Dst, Src, fill, src};
use super::matmul::matmul;
use crate::cpu::CpuStorage;
use crate::{DType, Layout, Result, Scalar, Shape};

/// Returns the layout of a part of a matrix, or of one matrix of a stack: `rows` rows from `row` on, and columns
/// likewise.
fn part(l: &Layout, matrix: usize, [row, rows]: [usize; 2], [column, columns]: [usize; 2]) -> Layout {
    let (stride, rank) = (l.stride(), l.dims().len());
    let (rs, cs) = (stride[rank - 2], stride[rank - 1]);
    let stacked = if rank == 3 { matrix * stride[0] } else { 0 };
    let start = l.start_offset() + stacked + row * rs + column * cs;
    Layout::new(Shape::from((rows, columns)), [rs, cs].as_slice(), start)
}

pub fn grouped_matmul(a: Src<'_>, b: Src<'_>, offs: Src<'_>, out: Dst<'_>) -> Result<()> {
    let dtype = out.0.dtype();
    let (ends, by) = (src::<i32>(offs)?.0, offs.1);
    let (m, k) = (a.1.dims()[0], a.1.dims()[1]);
    let rows = b.1.dims().len() == 3;
    let n = b.1.dims()[b.1.dims().len() - 1];
    let zero = Scalar::from_f64(0.0, if dtype.is_float() { dtype } else { DType::F32 });
    let limit = if rows { m } else { k };
    let mut from = 0;
    let put = |a: Layout, b: Layout, to: Layout, storage: &mut CpuStorage, data: [&CpuStorage; 2]| {
        if to.shape().elem_count() == 0 {
            return Ok(());
        }
        let flat = Layout::contiguous(to.shape().clone());
        let mut product = CpuStorage::uninit(dtype, flat.shape().elem_count())?;
        match a.dims()[1] {
            0 => fill(zero, (&mut product, &flat))?,
            _ => matmul((data[0], &a), (data[1], &b), (&mut product, &flat))?,
        }
        copy(&product, &flat, storage, &to)
    };
    for (g, end) in (0..by.dims()[0]).map(|g| ends[by.start_offset() + g * by.stride()[0]]).enumerate() {
        let to = usize::try_from(end).unwrap_or(0).clamp(from, limit);
        let len = to - from;
        let (left, right, result) = if rows {
            let right = part(b.1, g, [0, k], [0, n]);
            (part(a.1, 0, [from, len], [0, k]), right, part(out.1, 0, [from, len], [0, n]))
        } else {
            let right = part(b.1, 0, [from, len], [0, n]);
            (part(a.1, 0, [0, m], [from, len]), right, part(out.1, g, [0, m], [0, n]))
        };
        put(left, right, result, out.0, [a.0, b.0])?;
        from = to;
    }
    if rows && from < m {
        fill(zero, (out.0, &part(out.1, 0, [from, m - from], [0, n])))?;
    }
    Ok(())
}
