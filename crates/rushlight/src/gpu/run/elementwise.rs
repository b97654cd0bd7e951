//! Elementwise ops: the family tables' kernels, by the cards' names.
use crate::Result;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{Call, Nothing};
use crate::gpu::runtime::Runtime;

fn kernel(unit: Unit, t: crate::DType, name: &'static str) -> Kernel {
    Kernel { unit, t, u: None, name, form: "c" }
}

pub(super) fn unary<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (x, out) = (c.input(0)?, c.output(0)?);
    c.elementwise(kernel(Unit::Unary, x.dtype, c.name), [out, x], Nothing::default())
}

pub(super) fn binary<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (a, b, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    c.elementwise(kernel(Unit::Binary, a.dtype, c.name), [out, a, b], Nothing::default())
}
