//! Parameter structs of kernels, as both sides lay them out, and the launch itself. The structs' twins are in
//! hip/walk.h; every kernel source asserts their sizes (`RL_CHECK_PARAMS`).
#![allow(unsafe_code)]
use super::kernels::Kernel;
use super::runtime::Runtime;
use super::{GpuDevice, GpuStorage};
use crate::ops::Op;
use crate::shape::{DimVec, MAX_RANK};
use crate::storage::{View, ViewMut};
use crate::{DType, Error, Layout, Result};

/// Threads of a block (RL_BLOCK of hip/port.h).
pub(crate) const BLOCK: u32 = 256;

/// Dimensions and strides of N operands, the output first, collapsed. Strides are in elements.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk<const N: usize> {
    pub n: u64,
    pub rank: u32,
    pub blocks: u32,
    pub wide: u32,
    pub vec: u32,
    pub dims: [u64; MAX_RANK],
    pub strides: [[u64; MAX_RANK]; N],
}

/// What an elementwise kernel gets: addresses, walk, and the op's own numbers.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Params<const N: usize, E: Extra> {
    pub ptr: [u64; N],
    pub walk: Walk<N>,
    pub extra: E,
}

/// An op's own numbers: a `repr(C)` struct of 64-bit words, or of 32-bit words in pairs, so that it has no padding.
pub(crate) trait Extra: Copy + 'static {}

/// An op without numbers.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Nothing {
    unused: u64,
}
impl Extra for Nothing {}

/// An operand of a kernel: where its first element is, and how it is laid out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand<'a> {
    /// Address of the element at index 0, the layout's offset applied.
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

    /// Elements named by the layout.
    pub fn count(&self) -> usize {
        self.layout.shape().elem_count()
    }
}

/// An op being run: its operands on the device, and the ways to launch kernels.
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

    /// An input.
    pub fn input(&self, i: usize) -> Result<Operand<'a>> {
        let v = self.inputs.get(i).ok_or_else(|| Error::invalid(self.name, "an operand is missing"))?;
        Ok(Operand::new(self.dev.own(v.storage)?, v.layout))
    }

    /// An output, or an operand updated in place.
    pub fn output(&self, i: usize) -> Result<Operand<'a>> {
        let v = self.outputs.get(i).ok_or_else(|| Error::invalid(self.name, "an output is missing"))?;
        Ok(Operand::new(self.dev.own(v.storage)?, v.layout))
    }

    /// The op, its operands and the device, for errors.
    pub fn describe(&self) -> String {
        let operands: Vec<String> =
            self.inputs.iter().map(|v| format!("{:?} {:?}", v.storage.dtype(), v.layout.dims())).collect();
        format!("{} of {} on {}", self.name, operands.join(", "), R::location(self.dev.ordinal()))
    }

    /// Blocks for `n` threads' work in a grid-stride loop: enough to fill the device.
    pub fn blocks(&self, n: u64) -> u32 {
        let most = u64::from(self.dev.info().units.max(16)) * 32;
        n.div_ceil(u64::from(BLOCK)).clamp(1, most) as u32
    }

    /// Runs an elementwise kernel over N operands of one shape, the output first: form `c` if all are contiguous,
    /// else `s`. Nothing is launched for no elements.
    pub(crate) fn elementwise<const N: usize, E: Extra>(
        &self,
        kernel: Kernel,
        operands: [Operand<'_>; N],
        extra: E,
    ) -> Result<()> {
        let walk = walk(&operands.each_ref().map(|o| o.layout));
        self.walked(kernel, operands.map(|o| o.ptr), walk, extra)
    }

    /// As [`Call::elementwise`], over addresses and a walk.
    pub fn walked<const N: usize, E: Extra>(
        &self,
        kernel: Kernel,
        ptr: [u64; N],
        mut walk: Walk<N>,
        extra: E,
    ) -> Result<()> {
        if walk.n == 0 {
            return Ok(());
        }
        let contiguous = walk.rank == 1 && (walk.n == 1 || walk.strides.iter().all(|s| s[0] == 1));
        walk.vec = ptr.iter().all(|p| p % 16 == 0) as u32;
        walk.blocks = self.blocks(walk.n);
        let form = if contiguous && kernel.form == "c" { "c" } else { "s" };
        let grid = [walk.blocks, 1, 1];
        self.launch(Kernel { form, ..kernel }, grid, BLOCK, &Params { ptr, walk, extra })
    }

    /// Launches a kernel whose only parameter is `params`: a `repr(C)` struct without padding, the twin of the
    /// kernel's. Addresses in it are of operands of this call.
    pub fn launch<P: Copy + 'static>(
        &self,
        kernel: Kernel,
        grid: [u32; 3],
        block: u32,
        params: &P,
    ) -> Result<()> {
        let dev = self.dev;
        let function = dev.kernels().get(dev.runtime(), &kernel).map_err(|f| dev.error(f))?;
        dev.count_launch();
        // SAFETY: P is a `repr(C)` struct without padding (asked for above), so all its bytes are set.
        let bytes =
            unsafe { std::slice::from_raw_parts(std::ptr::from_ref(params).cast::<u8>(), size_of::<P>()) };
        let done = dev.runtime().launch(function, grid, block, bytes);
        done.map_err(|f| dev.error(f))
    }
}

/// Layouts of one shape, collapsed.
pub(crate) fn walk<const N: usize>(layouts: &[&Layout; N]) -> Walk<N> {
    part(layouts[0].dims(), layouts.map(Layout::stride), |_| true)
}

/// The dimensions for which `keep` is true, of operands of one shape, collapsed.
pub(crate) fn part<const N: usize>(
    dims: &[usize],
    strides: [&[usize]; N],
    keep: impl Fn(usize) -> bool,
) -> Walk<N> {
    let mut size = DimVec::new();
    let mut kept = [[0u64; MAX_RANK]; N];
    for d in (0..dims.len()).filter(|d| keep(*d)) {
        kept.iter_mut().zip(strides).for_each(|(to, from)| to[size.len()] = from[d] as u64);
        size.push(dims[d]);
    }
    collapse(&size, &kept)
}

/// Dimensions of size 1 dropped, neighbours that step evenly in all operands merged. A stride may be negative, as its
/// two's complement.
pub(crate) fn collapse<const N: usize>(dims: &[usize], strides: &[[u64; MAX_RANK]; N]) -> Walk<N> {
    let mut w = Walk {
        n: dims.iter().product::<usize>() as u64,
        rank: 0,
        blocks: 1,
        wide: 0,
        vec: 0,
        dims: [1; MAX_RANK],
        strides: [[0; MAX_RANK]; N],
    };
    if w.n == 0 {
        // One dimension of no elements: kernels divide by the others.
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
    // A scalar is one dimension of one element.
    w.rank = w.rank.max(1);
    let reach = |k: usize| {
        (0..w.rank as usize).fold(0u64, |sum, d| {
            sum.saturating_add(w.dims[d].saturating_sub(1).saturating_mul(w.strides[k][d]))
        })
    };
    w.wide = (w.n >= 1 << 31 || (0..N).any(|k| reach(k) >= 1 << 32)) as u32;
    w
}
