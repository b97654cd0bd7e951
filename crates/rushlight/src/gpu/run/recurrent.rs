//! The pointwise parts of the steps of recurrent networks, and their gradients (hip/recurrent.hip): one thread for each element
//! of the state.
use super::elementwise::mismatch;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{Call, Operand, iter_of};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::shape::DimVec;
use crate::{Layout, Result, Shape};

kernel_params! {
    /// Numbers of the cells of recurrent networks.
    pub(crate) struct CellParams {
        /// Elements of the output from one of its parts to the next.
        out_step: u64,
        /// Strides from one gate to the next, in each tensor of pre-activations.
        step: [u64; 2],
    }
}

/// Splits the strides of pre-activations `[.., n, H]`: those over the state's dimensions, and the one from gate to
/// gate.
fn strides(gates: Operand<'_>) -> (DimVec, u64) {
    let mut all = DimVec::from_slice(gates.layout.stride());
    let step = all.remove(all.len() - 2);
    (all, step as u64)
}

/// Returns the strides, over the state's dimensions, of an output that holds `parts` states side by side in the last
/// dimension.
fn side_by_side(state: &[usize], parts: usize) -> DimVec {
    let mut dims = DimVec::from_slice(state);
    if let Some(last) = dims.last_mut() {
        *last *= parts;
    }
    DimVec::from_slice(Layout::contiguous(Shape::from(dims)).stride())
}

pub(super) fn lstm_cell<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::LstmCell(_) = c.op else { return Err(mismatch(c)) };
    let (gates, state, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let dims = state.layout.dims();
    let (by_gate, step) = strides(gates);
    let iter = iter_of(dims, [&side_by_side(dims, 1), &by_gate, state.layout.stride()], |_| true);
    let kernel = Kernel::new(Unit::Recurrent, state.dtype, "lstm_cell", Variant::Strided);
    let numbers = CellParams { out_step: state.count() as u64, step: [step, 0] };
    c.elementwise_over(kernel, [out.ptr, gates.ptr, state.ptr], iter, numbers)
}

pub(super) fn lstm_cell_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::LstmCellBackward(_) = c.op else { return Err(mismatch(c)) };
    let (dh, dc, gates, state, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.input(3)?, c.output(0)?);
    let dims = state.layout.dims();
    let (by_gate, step) = strides(gates);
    let by_out = side_by_side(dims, 5);
    let by = [&by_out[..], dh.layout.stride(), dc.layout.stride(), &by_gate, state.layout.stride()];
    let kernel = Kernel::new(Unit::Recurrent, state.dtype, "lstm_cell_backward", Variant::Strided);
    let numbers = CellParams { out_step: dims.last().copied().unwrap_or(1) as u64, step: [step, 0] };
    let ptr = [out.ptr, dh.ptr, dc.ptr, gates.ptr, state.ptr];
    c.elementwise_over(kernel, ptr, iter_of(dims, by, |_| true), numbers)
}

pub(super) fn gru_cell<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::GruCell(_) = c.op else { return Err(mismatch(c)) };
    let (x, y, h, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let dims = h.layout.dims();
    let ((by_x, step_x), (by_y, step_y)) = (strides(x), strides(y));
    let iter = iter_of(dims, [&side_by_side(dims, 1), &by_x, &by_y, h.layout.stride()], |_| true);
    let kernel = Kernel::new(Unit::Recurrent, h.dtype, "gru_cell", Variant::Strided);
    let numbers = CellParams { out_step: 0, step: [step_x, step_y] };
    c.elementwise_over(kernel, [out.ptr, x.ptr, y.ptr, h.ptr], iter, numbers)
}

pub(super) fn gru_cell_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::GruCellBackward(_) = c.op else { return Err(mismatch(c)) };
    let (dh, x, y, h, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.input(3)?, c.output(0)?);
    let dims = h.layout.dims();
    let ((by_x, step_x), (by_y, step_y)) = (strides(x), strides(y));
    let by_out = side_by_side(dims, 7);
    let by = [&by_out[..], dh.layout.stride(), &by_x, &by_y, h.layout.stride()];
    let kernel = Kernel::new(Unit::Recurrent, h.dtype, "gru_cell_backward", Variant::Strided);
    let numbers = CellParams { out_step: dims.last().copied().unwrap_or(1) as u64, step: [step_x, step_y] };
    c.elementwise_over(kernel, [out.ptr, dh.ptr, x.ptr, y.ptr, h.ptr], iter_of(dims, by, |_| true), numbers)
}
