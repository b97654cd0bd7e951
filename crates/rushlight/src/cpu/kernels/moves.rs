//! Ops that move elements, by element size: flips and triangles.
use super::elementwise::{Dst, Src};
use super::index::flat;
use crate::cpu::driver::{Words, WordsMut, chunks, per_task, words, words_mut};
use crate::ops::flip::Flip;
use crate::ops::triangle::Triangle;
use crate::{Error, Layout, Result};

/// Runs `$f` on the elements of a source and an output of the same dtype, as unsigned integers.
macro_rules! by_size {
    ($op:literal, $x:expr, $out:expr, |$s:ident, $o:ident| $body:expr) => {
        match (words($x), words_mut($out)?) {
            (Words::W1($s), WordsMut::W1($o)) => $body,
            (Words::W2($s), WordsMut::W2($o)) => $body,
            (Words::W4($s), WordsMut::W4($o)) => $body,
            (Words::W8($s), WordsMut::W8($o)) => $body,
            _ => return Err(Error::invalid($op, "operands of different dtypes")),
        }
    };
}

pub fn flip(c: &Flip, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let l = x.1;
    if l.shape().elem_count() == 0 {
        return Ok(());
    }
    by_size!("flip", x.0, out.0, |x, o| reversed(c, x, l, o));
    Ok(())
}

/// Writes each row of the output from its mirrored row of `x`.
fn reversed<W: Copy + Send + Sync>(c: &Flip, x: &[W], l: &Layout, out: &mut [W]) {
    let rank = l.dims().len();
    let (n, step) = if rank == 0 { (1, 0) } else { (l.dims()[rank - 1], l.stride()[rank - 1]) };
    let outer = rank.saturating_sub(1);
    let per = per_task(out.len() / n, n);
    chunks(out, per * n, &|task, part| {
        for (k, row) in part.chunks_mut(n).enumerate() {
            let (mut rest, mut at) = (task * per + k, l.start_offset());
            for d in (0..outer).rev() {
                let size = l.dims()[d];
                let i = rest % size;
                rest /= size;
                at += l.stride()[d] * if c.flips(d) { size - 1 - i } else { i };
            }
            if rank > 0 && c.flips(outer) {
                row.iter_mut().enumerate().for_each(|(j, o)| *o = x[at + (n - 1 - j) * step]);
            } else {
                row.iter_mut().enumerate().for_each(|(j, o)| *o = x[at + j * step]);
            }
        }
    });
}

pub fn triangle(c: &Triangle, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let [.., m, n] = *x.1.dims() else {
        return Err(Error::UnexpectedNumberOfDims {
            expected: 2,
            got: x.1.dims().len(),
            shape: x.1.shape().clone(),
        }
        .bt());
    };
    if x.1.shape().elem_count() == 0 {
        return Ok(());
    }
    let (x, range) = flat(x)?;
    by_size!("tril", &x, out.0, |x, o| rows(c, m, n, &x[range], o));
    Ok(())
}

fn rows<W: Copy + Default + Send + Sync>(c: &Triangle, m: usize, n: usize, x: &[W], out: &mut [W]) {
    let per = per_task(out.len() / n, n);
    chunks(out, per * n, &|task, part| {
        let x = &x[task * per * n..][..part.len()];
        for (k, (row, from)) in part.chunks_mut(n).zip(x.chunks(n)).enumerate() {
            let i = ((task * per + k) % m) as i128;
            // First column of the upper triangle, or first column right of the lower one.
            let edge = i + c.diagonal as i128 + if c.upper { 0 } else { 1 };
            let edge = edge.clamp(0, n as i128) as usize;
            row.copy_from_slice(from);
            if c.upper { row[..edge].fill(W::default()) } else { row[edge..].fill(W::default()) }
        }
    });
}
