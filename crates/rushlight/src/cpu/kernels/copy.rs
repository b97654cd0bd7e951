//! Strided copies, by element size.
use super::elementwise::{Dst, Src};
use crate::cpu::CpuStorage;
use crate::cpu::driver::{Bits, copy as move_elements, join as join_elements};
use crate::{Error, Layout, Result};

/// Copies the elements of one layout to another of the same shape.
pub fn copy(from: &CpuStorage, from_l: &Layout, to: &mut CpuStorage, to_l: &Layout) -> Result<()> {
    let dtype = from.dtype();
    if dtype != to.dtype() {
        return Err(Error::DTypeMismatchBinaryOp { lhs: to.dtype(), rhs: dtype, op: "copy" }.bt());
    }
    super::elementwise::by_word!(dtype, W => {
        move_elements::<W>(Bits((from, from_l)), Bits((to, to_l)))
    })
}

/// Copies tensors to an output, one after the other along a dimension.
pub fn join(from: &[Src<'_>], dim: usize, to: Dst<'_>) -> Result<()> {
    join_elements(from, dim, to)
}
