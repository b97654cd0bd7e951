//! Tensors `[batch, channels, ..]` with one to three spatial sizes, as kernels take them (hip/planes.h).
use crate::gpu::launch::Operand;

/// Address, and strides of batch, channel and three spatial dimensions.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Planes {
    pub ptr: u64,
    pub stride: [u64; 5],
}

impl Planes {
    /// An operand of rank 3 to 5; leading spatial dimensions that it lacks have one place.
    pub fn new(x: &Operand<'_>) -> Self {
        let strides = x.layout.stride();
        let mut stride = [0; 5];
        for (d, s) in strides.iter().enumerate() {
            stride[if d < 2 { d } else { 5 + d - strides.len() }] = *s as u64;
        }
        Self { ptr: x.ptr, stride }
    }
}

/// Three sizes for a kernel.
pub(super) fn three(v: [usize; 3]) -> [u64; 3] {
    v.map(|v| v as u64)
}

/// Whether numbers below any of these need 64 bits.
pub(super) fn wide(all: &[u64]) -> u64 {
    all.iter().any(|n| *n > u64::from(u32::MAX)) as u64
}
