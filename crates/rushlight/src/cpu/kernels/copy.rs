//! Strided copies, by element size.
use crate::cpu::CpuStorage;
use crate::cpu::driver::{Words, WordsMut, map1, words, words_mut};
use crate::{Error, Layout, Result};

/// Copies the elements of one layout to another of the same shape.
pub fn copy(from: &CpuStorage, from_l: &Layout, to: &mut CpuStorage, to_l: &Layout) -> Result<()> {
    if from.dtype() != to.dtype() {
        return Err(Error::DTypeMismatchBinaryOp { lhs: to.dtype(), rhs: from.dtype(), op: "copy" }.bt());
    }
    macro_rules! by_size {
        ($($w:ident),*) => {
            match (words(from), words_mut(to)?) {
                $((Words::$w(a), WordsMut::$w(o)) => map1((a, from_l), (o, to_l), |v| v),)*
                _ => Err(Error::invalid("copy", "operands of different dtypes")),
            }
        };
    }
    by_size!(W1, W2, W4, W8)
}
