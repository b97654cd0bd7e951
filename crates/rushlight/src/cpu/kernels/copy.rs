//! Strided copies, by element size.
use crate::cpu::CpuStorage;
use crate::cpu::driver::{Bits, copy as move_elements};
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
