//! Tensors `[batch, channels, ..]` with one to three spatial dimensions, in the form that kernels read (hip/spatial.h).
use crate::gpu::launch::Operand;
use crate::gpu::params::kernel_params;

kernel_params! {
    /// A tensor [batch, channels, ..] with one to three spatial dimensions, which kernels take as three.
    #[derive(Default)]
    pub(crate) struct SpatialTensor {
        /// Address of the first element.
        pub ptr: u64,
        /// Strides of batch, channel and the three spatial dimensions, in elements.
        pub stride: [u64; 5],
    }
}

impl SpatialTensor {
    /// Converts an operand of rank 3 to 5. Missing leading spatial dimensions get size 1.
    pub fn new(x: &Operand<'_>) -> Self {
        let strides = x.layout.stride();
        let mut stride = [0; 5];
        for (d, s) in strides.iter().enumerate() {
            stride[if d < 2 { d } else { 5 + d - strides.len() }] = *s as u64;
        }
        Self { ptr: x.ptr, stride }
    }

    /// Returns the offset of the last element of a plane of these sizes from its first.
    pub fn plane(&self, sizes: [usize; 3]) -> u64 {
        (0..3).fold(0, |sum: u64, d| {
            let last = (sizes[d] as u64).saturating_sub(1);
            sum.saturating_add(last.saturating_mul(self.stride[2 + d]))
        })
    }
}

/// Converts three sizes to 64-bit integers.
pub(super) fn three(v: [usize; 3]) -> [u64; 3] {
    v.map(|v| v as u64)
}

/// Returns 1 if indices below any of these numbers need 64 bits, else 0.
pub(super) fn index64(all: &[u64]) -> u64 {
    all.iter().any(|n| *n > u64::from(u32::MAX)) as u64
}
