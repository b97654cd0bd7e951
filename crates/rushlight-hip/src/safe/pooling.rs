//! Pooling with MIOpen.
use super::miopen::{Descriptor, Miopen, Tensor, ints};
use crate::result::miopen::Calls;
use crate::sys::miopen::*;
use crate::{Error, Result, process};
use std::ffi::c_int;

/// The reduction of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolMode {
    /// The largest element.
    Max,
    /// The mean of the elements, excluding padding.
    Average,
    /// The mean of the window, counting padding as zeros.
    AverageInclusive,
}

/// A pooling of given shapes, f32 or f16. Output sizes are rounded down.
#[derive(Debug)]
pub struct Pool {
    calls: &'static Calls,
    raw: miopenPoolingDescriptor_t,
    x: Descriptor,
    y: Descriptor,
    workspace: u64,
}

// SAFETY: descriptors are not changed after they are made, and MIOpen reads them only.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// Describes a pooling; `window`, `pads` and `strides` have one number for each spatial dimension.
    ///
    /// # Errors
    /// Incompatible shapes.
    pub fn new(
        miopen: &Miopen,
        mode: PoolMode,
        x: &Tensor,
        y: &Tensor,
        window: &[u64],
        pads: &[u64],
        strides: &[u64],
    ) -> Result<Self> {
        let call = "miopenSetNdPoolingDescriptor";
        let calls = miopen.enter(call)?;
        check_shapes(x, y, window, pads, strides).map_err(|why| Error::argument(call, why))?;
        let (x, y) = (Descriptor::new(calls, "x", x)?, Descriptor::new(calls, "y", y)?);
        let (window, pads, strides) = (ints(call, window)?, ints(call, pads)?, ints(call, strides)?);
        let mode = match mode {
            PoolMode::Max => miopenPoolingMax,
            PoolMode::Average => miopenPoolingAverage,
            PoolMode::AverageInclusive => miopenPoolingAverageInclusive,
        };
        let mut raw = std::ptr::null_mut();
        let mut bytes = 0;
        // SAFETY: the pointers are those of locals; the arrays have the length that is passed.
        unsafe {
            calls.miopenCreatePoolingDescriptor(&mut raw)?;
            let mut made = Self { calls, raw, x, y, workspace: 0 };
            let rank = window.len() as c_int;
            calls.miopenSetNdPoolingDescriptor(
                raw,
                mode,
                rank,
                window.as_ptr(),
                pads.as_ptr(),
                strides.as_ptr(),
            )?;
            // The default of 8 bits cannot index a window of more than 255 elements.
            calls.miopenSetPoolingIndexType(raw, miopenIndexUint32)?;
            calls.miopenPoolingGetWorkSpaceSizeV2(raw, made.y.raw, &mut bytes)?;
            made.workspace = bytes as u64;
            Ok(made)
        }
    }

    /// Returns the bytes of workspace: the indices of the maxima, which [`Pool::forward`] stores for
    /// [`Pool::backward`].
    pub fn workspace(&self) -> u64 {
        self.workspace
    }

    /// Issues the computation of y from x. With a workspace (address and bytes), a gradient can follow.
    ///
    /// # Errors
    /// Operands outside the device's live allocations; a workspace that is too small.
    pub fn forward(&self, miopen: &mut Miopen, x: u64, y: u64, workspace: Option<(u64, u64)>) -> Result<()> {
        let call = "miopenPoolingForward";
        let calls = miopen.enter(call)?;
        let device = miopen.device();
        let (x, y) = (self.x.at(call, device, x)?, self.y.at(call, device, y)?);
        let needed = if workspace.is_some() { self.workspace } else { 0 };
        let (space, bytes) = miopen.workspace(call, workspace.unwrap_or((0, 0)), needed)?;
        let (one, zero) = (1f32, 0f32);
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        let keep = workspace.is_some();
        // SAFETY: the handle and the descriptors live; operands and workspace lie in live allocations.
        unsafe {
            calls.miopenPoolingForward(
                miopen.raw, self.raw, alpha, self.x.raw, x, beta, self.y.raw, y, keep, space, bytes,
            )
        }
    }

    /// Issues the computation of the gradient of x from that of y and the workspace of [`Pool::forward`].
    ///
    /// # Errors
    /// As [`Pool::forward`].
    pub fn backward(
        &self,
        miopen: &mut Miopen,
        y: u64,
        dy: u64,
        x: u64,
        dx: u64,
        workspace: (u64, u64),
    ) -> Result<()> {
        let call = "miopenPoolingBackward";
        let calls = miopen.enter(call)?;
        let device = miopen.device();
        let (x, dx) = (self.x.at(call, device, x)?, self.x.at(call, device, dx)?);
        let (y, dy) = (self.y.at(call, device, y)?, self.y.at(call, device, dy)?);
        let (space, _) = miopen.workspace(call, workspace, self.workspace)?;
        let (one, zero) = (1f32, 0f32);
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        // SAFETY: as above.
        unsafe {
            calls.miopenPoolingBackward(
                miopen.raw, self.raw, alpha, self.y.raw, y, self.y.raw, dy, self.x.raw, x, beta, self.x.raw,
                dx, space,
            )
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if process::fine() {
            // SAFETY: this is the last use of the handle. Nothing but memory of the host is freed, so nothing is lost.
            let _ = unsafe { self.calls.miopenDestroyPoolingDescriptor(self.raw) };
        }
    }
}

/// Checks that the shapes of x and y fit each other.
fn check_shapes(
    x: &Tensor,
    y: &Tensor,
    window: &[u64],
    pads: &[u64],
    strides: &[u64],
) -> std::result::Result<(), String> {
    let rank = x.dims.len();
    let shapes = || {
        format!("x {:?}, y {:?}, window {window:?}, padding {pads:?}, strides {strides:?}", x.dims, y.dims)
    };
    if !(4..=5).contains(&rank) || [window.len(), pads.len(), strides.len()] != [rank - 2; 3] {
        return Err(format!("{}: expected 4 or 5 dimensions, and 2 fewer of the window", shapes()));
    }
    if window.contains(&0) || strides.contains(&0) || x.kind != y.kind {
        return Err(format!("{}: windows and strides must be at least 1, and the types equal", shapes()));
    }
    let mut want = x.dims[..2].to_vec();
    for i in 0..rank - 2 {
        let padded = pads[i].checked_mul(2).and_then(|v| v.checked_add(x.dims[i + 2]));
        match padded {
            Some(padded) if window[i] <= padded => want.push((padded - window[i]) / strides[i] + 1),
            _ => return Err(format!("{}: the window is larger than the padded input", shapes())),
        }
    }
    if y.dims != want { Err(format!("{}: expected y {want:?}", shapes())) } else { Ok(()) }
}
