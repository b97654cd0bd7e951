//! Launches of kernels, and the parameters that elementwise kernels have in common.
#![allow(unsafe_code)]
use super::capture::not_loaded;
use super::kernels::{Kernel, Variant};
use super::params::{KernelParams, kernel_params};
use super::runtime::Runtime;
use super::{GpuDevice, GpuStorage};
use crate::ops::Op;
use crate::profiler::Kind;
use crate::shape::{DimVec, MAX_RANK};
use crate::storage::{View, ViewMut};
use crate::{DType, Error, Layout, Result};

/// Number of threads of a block (RL_BLOCK of hip/port.h).
pub(crate) const BLOCK: u32 = 256;
/// Number of threads of a block of variant wide (RL_WIDE_BLOCK of hip/port.h).
pub(crate) const WIDE_BLOCK: u32 = 1024;

kernel_params! {
    /// Dimensions and strides of N operands of one shape, the output first, outermost dimension first, collapsed by the host.
    /// Strides are in elements of each operand; negative strides and offsets are in two's complement, so an offset is cast
    /// when it is used: `x[(i64)at]`. (An unsigned index would tell the compiler that nothing lies before `x`.)
    pub(crate) struct StridedIter<const N> {
        /// Elements.
        pub count: u64,
        /// Dimensions after collapsing.
        pub rank: u32,
        /// Blocks of the grid.
        pub blocks: u32,
        /// 1: offsets need 64 bits.
        pub index64: u32,
        /// 1: every pointer is aligned to 16 bytes, except those of operands with one element for all of the last dimension.
        pub aligned: u32,
        /// Size of each dimension.
        pub dims: [u64; MAX_RANK],
        /// Strides of each operand.
        pub strides: [[u64; MAX_RANK]; N],
    }
}

kernel_params! {
    /// Parameters of elementwise kernels: addresses with offsets applied, the iteration, and the op's own numbers.
    pub(crate) struct ElementwiseParams<const N, E> {
        /// Addresses of the operands, the output first.
        pub ptr: [u64; N],
        /// Shape and strides.
        pub iter: StridedIter<N>,
        /// Numbers of the op.
        pub extra: E,
    }
}

kernel_params! {
    /// The numbers of an op without numbers.
    #[derive(Default)]
    pub(crate) struct NoParams {
        /// Not read; C++ has no struct of 0 bytes.
        unused: u64,
    }
}
/// An operand of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand<'a> {
    /// Address of the element at index 0, with the layout's offset applied.
    pub ptr: u64,
    pub dtype: DType,
    pub layout: &'a Layout,
}

impl<'a> Operand<'a> {
    fn new<R: Runtime>(storage: &GpuStorage<R>, layout: &'a Layout) -> Self {
        let dtype = storage.dtype();
        let offset = (layout.start_offset() * dtype.size_in_bytes()) as u64;
        Self { ptr: storage.address() + offset, dtype, layout }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.layout.shape().elem_count()
    }
}

/// An op that is being run: its operands on the device, and functions that launch kernels.
pub(crate) struct Call<'a, R: Runtime> {
    pub dev: &'a GpuDevice<R>,
    pub op: &'a Op,
    pub name: &'static str,
    inputs: &'a [View<'a>],
    outputs: &'a [ViewMut<'a>],
}

impl<'a, R: Runtime> Call<'a, R> {
    pub fn new(
        dev: &'a GpuDevice<R>,
        op: &'a Op,
        inputs: &'a [View<'a>],
        outputs: &'a [ViewMut<'a>],
    ) -> Self {
        Self { dev, op, name: op.name(), inputs, outputs }
    }

    /// Returns an input operand.
    pub fn input(&self, i: usize) -> Result<Operand<'a>> {
        let v = self.inputs.get(i).ok_or_else(|| Error::invalid(self.name, "an operand is missing"))?;
        Ok(Operand::new(self.dev.own(v.storage)?, v.layout))
    }

    /// Returns an output operand, or one that is updated in place.
    pub fn output(&self, i: usize) -> Result<Operand<'a>> {
        let v = self.outputs.get(i).ok_or_else(|| Error::invalid(self.name, "an output is missing"))?;
        Ok(Operand::new(self.dev.own(v.storage)?, v.layout))
    }

    /// Describes the op, its operands and the device, for errors.
    pub fn describe(&self) -> String {
        let operands: Vec<String> =
            self.inputs.iter().map(|v| format!("{:?} {:?}", v.storage.dtype(), v.layout.dims())).collect();
        format!("{} of {} on {}", self.name, operands.join(", "), R::location(self.dev.ordinal()))
    }

    /// Returns the number of blocks of a grid-stride loop over `n` items, limited to a number that fills the device.
    pub fn blocks(&self, n: u64) -> u32 {
        let most = u64::from(self.dev.info().units.max(16)) * 32;
        n.div_ceil(u64::from(BLOCK)).clamp(1, most) as u32
    }

    /// Runs an elementwise kernel over N operands of one shape, the output first. Chooses the variant contig if the
    /// kernel has it and the operands can be read in packs, else the variant strided. Launches nothing if there are no
    /// elements.
    pub(crate) fn elementwise<const N: usize, E: KernelParams>(
        &self,
        kernel: Kernel,
        operands: [Operand<'_>; N],
        extra: E,
    ) -> Result<()> {
        let iter = iter(&operands.each_ref().map(|o| o.layout));
        let widest = operands.iter().map(|o| o.dtype.size_in_bytes()).max();
        self.elementwise_in_packs(kernel, operands.map(|o| o.ptr), iter, widest.unwrap_or(1), extra)
    }

    /// Same as [`Call::elementwise`], for given addresses and iteration, of a kernel that has the variant strided only.
    pub fn elementwise_over<const N: usize, E: KernelParams>(
        &self,
        kernel: Kernel,
        ptr: [u64; N],
        iter: StridedIter<N>,
        extra: E,
    ) -> Result<()> {
        self.elementwise_in_packs(kernel, ptr, iter, PACK, extra)
    }

    /// Same as [`Call::elementwise`], for given addresses and iteration, and the size in bytes of the widest operand's elements.
    pub fn elementwise_in_packs<const N: usize, E: KernelParams>(
        &self,
        kernel: Kernel,
        ptr: [u64; N],
        mut iter: StridedIter<N>,
        widest: usize,
        extra: E,
    ) -> Result<()> {
        if iter.count == 0 {
            return Ok(());
        }
        let pack = (PACK / widest.clamp(1, PACK)) as u64;
        let last = iter.rank as usize - 1;
        let aligned = |k: usize| iter.strides[k][last] == 0 || ptr[k].is_multiple_of(PACK as u64);
        iter.aligned = u32::from((0..N).all(aligned));
        let contig = kernel.variant == Variant::Contig && iter.in_packs(pack);
        let variant = if contig { Variant::Contig } else { Variant::Strided };
        let threads = if contig && iter.aligned == 1 { iter.count.div_ceil(pack) } else { iter.count };
        iter.blocks = self.blocks(threads);
        let grid = [iter.blocks, 1, 1];
        self.launch(Kernel { variant, ..kernel }, grid, BLOCK, &ElementwiseParams { ptr, iter, extra })
    }

    /// Launches a kernel whose only parameter is `params`. The addresses in it must be those of operands of this call.
    pub fn launch<P: KernelParams>(
        &self,
        kernel: Kernel,
        grid: [u32; 3],
        block: u32,
        params: &P,
    ) -> Result<()> {
        const { assert!(P::BYTES == size_of::<P>(), "padding in a parameter struct") };
        let dev = self.dev;
        let recorded;
        let function = if dev.is_recording() {
            let found = dev.kernels().get_recording(dev.runtime(), &kernel).map_err(|f| dev.error(f))?;
            recorded = found.ok_or_else(|| not_loaded(self))?;
            &recorded
        } else {
            dev.kernels().get(dev.runtime(), &kernel).map_err(|f| dev.error(f))?
        };
        dev.count_launch();
        // SAFETY: P is a `repr(C)` struct without padding (asserted above), so all its bytes are set.
        let bytes =
            unsafe { std::slice::from_raw_parts(std::ptr::from_ref(params).cast::<u8>(), size_of::<P>()) };
        let event = || dev.event(Kind::Kernel, kernel.symbol(), 0);
        let done = dev.profiled(event, || dev.runtime().launch(function, grid, block, bytes));
        done.map_err(|f| dev.error(f))
    }
}

/// Number of bytes that a thread reads and writes at once.
const PACK: usize = 16;

impl<const N: usize> StridedIter<N> {
    /// Whether kernels can take `pack` elements at once: in the last dimension they follow one another in the output, and in each
    /// input unless one element serves all of them. Rows of more than one dimension begin at whole packs, and 32 bits are enough. (Operands of one
    /// dimension need not be aligned: the kernel takes single elements then.)
    fn in_packs(&self, pack: u64) -> bool {
        let last = self.rank as usize - 1;
        let even = |k: usize| self.strides[k][..last].iter().all(|s| s.is_multiple_of(pack));
        let inner = |k: usize| self.strides[k][last];
        // (A dimension of size 1 is left only as the only one, whose strides do not matter.)
        (self.count == 1 || inner(0) == 1 && (1..N).all(|k| inner(k) <= 1))
            && (last == 0
                || self.aligned == 1
                    && self.index64 == 0
                    && self.dims[last].is_multiple_of(pack)
                    && (0..N).all(|k| inner(k) == 0 || even(k)))
    }
}

/// Returns the iteration over layouts of one shape, with merged dimensions.
pub(crate) fn iter<const N: usize>(layouts: &[&Layout; N]) -> StridedIter<N> {
    iter_of(layouts[0].dims(), layouts.map(Layout::stride), |_| true)
}

/// Returns the iteration over the dimensions for which `keep` is true, for operands of one shape, with merged
/// dimensions.
pub(crate) fn iter_of<const N: usize>(
    dims: &[usize],
    strides: [&[usize]; N],
    keep: impl Fn(usize) -> bool,
) -> StridedIter<N> {
    let mut size = DimVec::new();
    let mut kept = [[0u64; MAX_RANK]; N];
    for d in (0..dims.len()).filter(|d| keep(*d)) {
        kept.iter_mut().zip(strides).for_each(|(to, from)| to[size.len()] = from[d] as u64);
        size.push(dims[d]);
    }
    collapse(&size, &kept)
}

/// Drops dimensions of size 1, and merges adjacent dimensions that have even strides in all operands. Negative strides
/// are in two's complement.
pub(crate) fn collapse<const N: usize>(dims: &[usize], strides: &[[u64; MAX_RANK]; N]) -> StridedIter<N> {
    let mut w = StridedIter {
        count: dims.iter().product::<usize>() as u64,
        rank: 0,
        blocks: 1,
        index64: 0,
        aligned: 0,
        dims: [1; MAX_RANK],
        strides: [[0; MAX_RANK]; N],
    };
    if w.count == 0 {
        // No elements: one dimension of size 0. The others keep size 1, since kernels divide by them.
        w.dims[0] = 0;
        w.rank = 1;
        return w;
    }
    for (d, &dim) in dims.iter().enumerate() {
        if dim == 1 {
            continue;
        }
        let r = w.rank as usize;
        let merges = r > 0 && (0..N).all(|k| w.strides[k][r - 1] == strides[k][d].wrapping_mul(dim as u64));
        let at = if merges { r - 1 } else { r };
        w.dims[at] = if merges { w.dims[at] * dim as u64 } else { dim as u64 };
        for (to, from) in w.strides.iter_mut().zip(strides) {
            to[at] = from[d];
        }
        w.rank = at as u32 + 1;
    }
    // A scalar becomes one dimension of size 1.
    w.rank = w.rank.max(1);
    let reach = |k: usize| {
        (0..w.rank as usize).fold(0u64, |sum, d| {
            sum.saturating_add(w.dims[d].saturating_sub(1).saturating_mul(w.strides[k][d]))
        })
    };
    w.index64 = (w.count >= 1 << 31 || (0..N).any(|k| reach(k) >= 1 << 32)) as u32;
    w
}
