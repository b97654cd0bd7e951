//! Ops that move elements, by element size: flips and triangles.
use super::elementwise::{Dst, Src};
use super::index::flat;
use crate::cpu::driver::{Words, WordsMut, chunks, copy_flipped, per_task, words, words_mut};
use crate::ops::flip::Flip;
use crate::ops::triangle::Triangle;
use crate::{Error, Result};

/// Runs `$f` on the elements of a source and an output of the same dtype, as unsigned integers.
macro_rules! by_size {
    ($op:literal, $x:expr, $out:expr, |$s:ident, $o:ident| $body:expr) => {
        match (words($x), words_mut($out)?) {
            (Words::W1($s), WordsMut::W1($o)) => $body,
            (Words::W2($s), WordsMut::W2($o)) => $body,
            (Words::W4($s), WordsMut::W4($o)) => $body,
            (Words::W8($s), WordsMut::W8($o)) => $body,
            (Words::W16($s), WordsMut::W16($o)) => $body,
            _ => return Err(Error::invalid($op, "operands of different dtypes")),
        }
    };
}

pub fn flip(c: &Flip, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    copy_flipped(x, out, &|d| c.flips(d))
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
