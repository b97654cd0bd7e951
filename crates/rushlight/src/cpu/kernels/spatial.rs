//! Helpers of the kernels over the spatial dimensions of `[batch, channels, ..]`.
use super::elementwise::{Src, src};
use super::num::{Arith, Num};
use crate::cpu::Buffer;
use crate::cpu::driver::{chunks, per_task};
use crate::cpu::map::map1;
use crate::{Element, Layout, Result};
use half::{bf16, f16};

/// Calls `f(i, run i)` for the runs of `len` elements of an output. Uses several threads if `work` (operations per
/// element) makes it worthwhile.
pub fn runs<T: Send>(out: &mut [T], len: usize, work: usize, f: &(impl Fn(usize, &mut [T]) + Sync)) {
    if out.is_empty() || len == 0 {
        return;
    }
    let per = per_task(out.len() / len, len.saturating_mul(work));
    chunks(out, per * len, &|task, part| {
        for (i, run) in part.chunks_mut(len).enumerate() {
            f(task * per + i, run);
        }
    });
}

/// Elements in the accumulation type: the tensor's own, or a widened copy.
pub enum Wide<'a, A: Element> {
    Own(&'a [A]),
    Copy(Buffer<A>),
}

impl<A: Element> std::ops::Deref for Wide<'_, A> {
    type Target = [A];
    fn deref(&self) -> &[A] {
        match self {
            Self::Own(s) => s,
            Self::Copy(b) => b,
        }
    }
}

/// Element types whose accumulation type is an element type, too.
pub trait Plain: Num<Acc: Element> {
    /// Returns the elements themselves, if the accumulation type is the element type.
    fn same(x: &[Self]) -> Option<&[Self::Acc]>;

    /// Returns the output itself as memory for sums, if the accumulation type is the element type.
    fn same_mut(x: &mut [Self]) -> Option<&mut [Self::Acc]>;

    /// Returns all elements in row-major order, in the accumulation type.
    fn wide(x: Src<'_>) -> Result<Wide<'_, Self::Acc>> {
        let (data, layout) = src::<Self>(x)?;
        if let Some((start, end)) = layout.contiguous_offsets()
            && let Some(same) = data.get(start..end).and_then(Self::same)
        {
            return Ok(Wide::Own(same));
        }
        let flat = Layout::contiguous(layout.shape().clone());
        let mut out = Buffer::uninit(layout.shape().elem_count())?;
        map1((data, layout), (&mut out[..], &flat), |v: Self| v.acc())?;
        Ok(Wide::Copy(out))
    }

    /// Runs `f` on zero-initialized sums for an output, and rounds the sums into it.
    fn sums(out: &mut [Self], f: &mut dyn FnMut(&mut [Self::Acc]) -> Result<()>) -> Result<()> {
        if let Some(same) = Self::same_mut(out) {
            same.fill(Self::Acc::ZERO);
            return f(same);
        }
        let mut sums = Buffer::zeros(out.len())?;
        f(&mut sums)?;
        out.iter_mut().zip(&sums[..]).for_each(|(o, s)| *o = Self::from_acc(*s));
        Ok(())
    }
}

macro_rules! same {
    ($($t:ty),*) => {$(
        impl Plain for $t {
            fn same(x: &[Self]) -> Option<&[Self]> { Some(x) }
            fn same_mut(x: &mut [Self]) -> Option<&mut [Self]> { Some(x) }
        }
    )*};
}
macro_rules! widened {
    ($($t:ty),*) => {$(
        impl Plain for $t {
            fn same(_: &[Self]) -> Option<&[f32]> { None }
            fn same_mut(_: &mut [Self]) -> Option<&mut [f32]> { None }
        }
    )*};
}
widened!(f16, bf16);
same!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);
