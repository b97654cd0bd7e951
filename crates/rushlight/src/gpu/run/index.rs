//! Index ops: index_select and gather (hip/index.h, `gather`), scatter, scatter_add, scatter_reduce and index_add
//! (`scatter_rows`, `scatter_targets`, `scatter_elements`). Indices are read in their own dtype; values that only move are
//! moved by size.
use super::elementwise::{copy_to, mismatch, word};
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, NoParams, Operand, StridedIter, iter, iter_of};
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::gather::Gather;
use crate::ops::index_add::IndexAdd;
use crate::ops::index_select::IndexSelect;
use crate::ops::scatter::{Scatter, ScatterMode};
use crate::ops::scatter_reduce::{ScatterReduce, ScatterReduceOp};
use crate::ops::{self, Op};
use crate::shape::DimVec;
use crate::{DType, Error, Layout, Result};

kernel_enum! {
    /// The dtype of an index tensor.
    pub(crate) enum IndexDType {
        U8 = 0,
        I16 = 1,
        I32 = 2,
        U32 = 3,
        I64 = 4,
    }
}

kernel_enum! {
    /// The meaning of indices that are not in `0..size`.
    pub(crate) enum IndexMode {
        /// They are errors.
        Within = 0,
        /// The dtype's largest value skips its element.
        MaxSkips = 1,
        /// Negative ones count from the end.
        FromEnd = 2,
    }
}

kernel_params! {
    /// An index tensor.
    pub(crate) struct IndexTensor {
        /// Where indices out of range are reported.
        check: Checker,
        /// Address of the first index.
        ptr: u64,
        /// The index that is skipped in mode MaxSkips.
        skip: i64,
        /// Size of the dimension that is indexed.
        size: u64,
        /// Dtype of the indices.
        dtype: IndexDType,
        /// Meaning of indices out of range.
        mode: IndexMode,
    }
}

kernel_params! {
    /// Parameters of index_select and gather, target[e] = source[offset(e) + index[e] * index_step], and of the atomic variants
    /// of index_add and scatter_add, target[offset(e) + index[e] * index_step] += source[e].
    pub(crate) struct GatherParams {
        /// Address of the elements that are written.
        target: u64,
        /// Address of the elements that are read.
        source: u64,
        /// Over target, source and index; the indexed operand has stride 0 in the indexed dimension.
        iter: StridedIter<3>,
        /// The index tensor.
        index: IndexTensor,
        /// Stride of the indexed dimension in the indexed operand.
        index_step: u64,
        /// Neighbouring elements that share an index; element e has index number e / inner % length.
        inner: u64,
        /// Indices.
        length: u64,
    }
}

kernel_params! {
    /// Parameters of the ordered scatter kernels: for every line, and j in order, source[line, j] is stored at or added to
    /// target[line, index[line, j]].
    pub(crate) struct ScatterParams {
        /// Address of the elements that are written.
        target: u64,
        /// Address of the elements that are read.
        source: u64,
        /// Over all dimensions but the indexed one: target, source, index.
        lines: StridedIter<3>,
        /// The index tensor.
        index: IndexTensor,
        /// Stride of the indexed dimension in the target.
        target_step: u64,
        /// Stride of the indexed dimension in the source.
        source_step: u64,
        /// Stride of the indexed dimension in the index tensor.
        index_step: u64,
        /// Entries of a line.
        length: u64,
        /// Elements of a target line that a block (variant row) or a thread (variant target) owns.
        targets_each: u64,
        /// Lines from an index to the next one, row-major; 0: all lines share their indices.
        inner: u64,
    }
}

/// Scatter uses the variant row for lines of at most `SHORT_LINE` indices, and for at least `MANY_LINES` lines.
const SHORT_LINE: usize = 64;
const MANY_LINES: u64 = 256;

/// A target with fewer elements is added to in order, because many atomics on few elements wait for each other.
const LEAST_ATOMIC_TARGETS: u64 = 1024;

impl IndexTensor {
    /// No indices, for a kernel that does not need them.
    pub(super) const NONE: Self = Self {
        check: Checker { page: 0, flag: 0, launch: 0 },
        ptr: 0,
        skip: 0,
        size: 0,
        dtype: IndexDType::U8,
        mode: IndexMode::Within,
    };

    /// An op's index operand, whose indices are for a dimension of `size`.
    pub(super) fn new<R: Runtime>(
        c: &Call<'_, R>,
        index: &Operand<'_>,
        size: usize,
        mode: ops::IndexMode,
    ) -> Result<Self> {
        let (dtype, max) = match index.dtype {
            DType::U8 => (IndexDType::U8, i64::from(u8::MAX)),
            DType::I16 => (IndexDType::I16, i64::from(i16::MAX)),
            DType::I32 => (IndexDType::I32, i64::from(i32::MAX)),
            DType::U32 => (IndexDType::U32, i64::from(u32::MAX)),
            DType::I64 => (IndexDType::I64, i64::MAX),
            other => {
                return Err(Error::invalid(
                    c.name,
                    format!("expected indices of dtype u8, u32, i16, i32 or i64, got {other:?}"),
                ));
            }
        };
        let mode = match mode {
            ops::IndexMode::Within => IndexMode::Within,
            ops::IndexMode::MaxSkips => IndexMode::MaxSkips,
            ops::IndexMode::FromEnd => IndexMode::FromEnd,
        };
        let check = c.dev.checker(c.name)?;
        Ok(Self { check, ptr: index.ptr, skip: max, size: size as u64, dtype, mode })
    }
}

/// Returns a layout of shape `dims` with the strides of `l`, except that dimension `dim` is broadcast (stride 0).
fn broadcast_dim(l: &Layout, dim: usize, dims: &[usize]) -> Layout {
    let mut stride = DimVec::from_slice(l.stride());
    stride[dim] = 0;
    Layout::new(DimVec::from_slice(dims).into(), stride, 0)
}

/// Only checks the indices, for ops that move no element: an index out of range is an error all the same.
pub(super) fn check_index<R: Runtime>(c: &Call<'_, R>, layout: &Layout, index: IndexTensor) -> Result<()> {
    let mut iter = iter(&[layout; 3]);
    iter.blocks = c.blocks(iter.count);
    let p = GatherParams { target: 0, source: 0, iter, index, index_step: 0, inner: 1, length: iter.count };
    let kernel = Kernel::new(Unit::Index, DType::U8, "check_index", Variant::Strided);
    c.launch(kernel, [iter.blocks, 1, 1], BLOCK, &p)
}

pub(super) fn index_select<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::IndexSelect(IndexSelect { dim, rule }) = *c.op else { return Err(mismatch(c)) };
    select(c, dim, rule)
}

/// Copies the entries of a dimension of input 0 that input 1, a vector, names to the output.
pub(super) fn select<R: Runtime>(c: &Call<'_, R>, dim: usize, rule: ops::IndexMode) -> Result<()> {
    let (index, out) = (c.input(1)?, c.output(0)?);
    let dims = out.layout.dims();
    let mut stride: DimVec = dims.iter().map(|_| 0).collect();
    stride[dim] = index.layout.stride()[0];
    let index_layout = Layout::new(DimVec::from_slice(dims).into(), stride, 0);
    let inner = dims[dim + 1..].iter().product();
    gather_elements(c, "index_select", dim, rule, &index_layout, inner)
}

pub(super) fn gather<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Gather(Gather { dim, rule }) = *c.op else { return Err(mismatch(c)) };
    let index = c.input(1)?;
    gather_elements(c, "gather", dim, rule, index.layout, 1)
}

/// Computes `out[e] = x[.., index of e, ..]`. `index_layout` is the index tensor broadcast to the output's shape;
/// `inner` adjacent elements share an index.
fn gather_elements<R: Runtime>(
    c: &Call<'_, R>,
    name: &'static str,
    dim: usize,
    mode: ops::IndexMode,
    index_layout: &Layout,
    inner: usize,
) -> Result<()> {
    let (x, index, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (n, length) = (out.count(), index.count());
    if length == 0 {
        return Ok(());
    }
    let t = word(x.dtype);
    let mut p = GatherParams {
        target: out.ptr,
        source: x.ptr,
        iter: iter(&[out.layout, &broadcast_dim(x.layout, dim, out.layout.dims()), index_layout]),
        index: IndexTensor::new(c, &index, x.layout.dims()[dim], mode)?,
        index_step: x.layout.stride()[dim] as u64,
        inner: inner as u64,
        length: length as u64,
    };
    if n == 0 {
        return check_index(c, index.layout, p.index);
    }
    let packs = inner > 1 && count_packs(&mut p, (16 / t.size_in_bytes()) as u64);
    p.iter.blocks = c.blocks(p.iter.count);
    let variant = if packs { Variant::Vector } else { Variant::Strided };
    c.launch(Kernel::new(Unit::Index, t, name, variant), [p.iter.blocks, 1, 1], BLOCK, &p)
}

/// Changes the parameters to packs of `per` elements, if rows consist of whole, aligned packs. Returns whether they do.
fn count_packs(p: &mut GatherParams, per: u64) -> bool {
    let last = p.iter.rank as usize - 1;
    let [out, x, index] = p.iter.strides;
    let row = p.iter.dims[last].is_multiple_of(per) && out[last] == 1 && x[last] == 1 && index[last] == 0;
    let whole = |s: &[u64; 8]| s[..last].iter().all(|s| s.is_multiple_of(per));
    let aligned =
        p.target.is_multiple_of(16) && p.source.is_multiple_of(16) && p.index_step.is_multiple_of(per);
    if !(row && aligned && whole(&out) && whole(&x) && p.inner.is_multiple_of(per)) {
        return false;
    }
    for strides in &mut p.iter.strides[..2] {
        strides[..last].iter_mut().for_each(|s| *s /= per);
    }
    p.iter.dims[last] /= per;
    p.iter.count /= per;
    p.index_step /= per;
    p.inner /= per;
    true
}

/// Computes `out = x; out[.., index[j], ..] += src[.., j, ..]`.
pub(super) fn index_add<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::IndexAdd(IndexAdd { dim, rule }) = *c.op else { return Err(mismatch(c)) };
    let (x, index, src, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let stride: DimVec = src.layout.dims().iter().map(|_| 0).collect();
    let step = index.layout.stride()[0];
    let scatter = ScatterCall { dim, mode: rule, index, src, strides: &stride, step, inner: 0 };
    scatter_add(c, "index_add", &scatter, Some(x), out)
}

/// Writes the source to the indexed elements of the target, or adds it. The target is `x` itself in place, else a copy.
pub(super) fn scatter<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Scatter(Scatter { dim, mode, in_place, rule }) = *c.op else { return Err(mismatch(c)) };
    let out = c.output(0)?;
    let base = if in_place { None } else { Some(c.input(0)?) };
    let first = base.iter().len();
    let (index, src) = (c.input(first)?, c.input(first + 1)?);
    let scatter = ScatterCall::of_elements(dim, rule, index, src);
    match mode {
        ScatterMode::Add => scatter_add(c, "scatter_add", &scatter, base, out),
        ScatterMode::Set => {
            let t = word(out.dtype);
            if let Some(x) = base {
                copy_to(c, x, out)?;
            }
            scatter.run(c, Unit::Index, t, "scatter", out, false)
        }
    }
}

/// Combines the source with the indexed elements of a copy of `x`.
pub(super) fn scatter_reduce<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ScatterReduce(ScatterReduce { dim, op, rule }) = *c.op else { return Err(mismatch(c)) };
    let (x, index, src, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let scatter = ScatterCall::of_elements(dim, rule, index, src);
    // The order matters for products of floats only.
    let atomic = match op {
        ScatterReduceOp::Prod => whole_words(out.dtype),
        ScatterReduceOp::Max | ScatterReduceOp::Min => !out.dtype.is_int() || whole_words(out.dtype),
    };
    combine(c, Unit::ScatterReduce, c.op.name(), &scatter, Some(x), out, atomic)
}

/// Whether these are integers that the hardware has atomics for.
fn whole_words(t: DType) -> bool {
    t.is_int() && t.size_in_bytes() >= 4
}

/// Adds to the base, or to the output itself if there is no base.
fn scatter_add<R: Runtime>(
    c: &Call<'_, R>,
    name: &'static str,
    scatter: &ScatterCall<'_>,
    base: Option<Operand<'_>>,
    out: Operand<'_>,
) -> Result<()> {
    // Integer sums do not depend on the order, so atomics are allowed.
    let atomic = if out.dtype.is_int() { whole_words(out.dtype) } else { !crate::deterministic() };
    combine(c, Unit::IndexAdd, name, scatter, base, out, atomic)
}

/// Combines the source with the base, or with the output itself if there is no base; `atomic`: in any order, if that is
/// faster. f16 and bf16 are combined in a copy in f32.
fn combine<R: Runtime>(
    c: &Call<'_, R>,
    unit: Unit,
    name: &'static str,
    scatter: &ScatterCall<'_>,
    base: Option<Operand<'_>>,
    out: Operand<'_>,
    atomic: bool,
) -> Result<()> {
    let t = out.dtype;
    if !matches!(t, DType::F16 | DType::BF16) {
        if let Some(x) = base {
            copy_to(c, x, out)?;
        }
        return scatter.run(c, unit, t, name, out, atomic);
    }
    let convert = |name| Kernel::new(Unit::IndexAdd, t, name, Variant::Contig);
    let scratch = c.dev.storage(DType::F32, out.count())?;
    let flat = Layout::contiguous(out.layout.shape().clone());
    let wide = Operand { ptr: scratch.address(), dtype: DType::F32, layout: &flat };
    c.elementwise(convert("widen"), [wide, base.unwrap_or(out)], NoParams::default())?;
    scatter.run(c, unit, t, name, wide, atomic)?;
    c.elementwise(convert("narrow"), [out, wide], NoParams::default())
}

/// The operands of a scatter. The index tensor's strides are given over the source's dimensions (`strides`) and along
/// the indexed one (`step`).
struct ScatterCall<'a> {
    dim: usize,
    mode: ops::IndexMode,
    index: Operand<'a>,
    src: Operand<'a>,
    strides: &'a [usize],
    step: usize,
    /// Number of elements of the index tensor after the indexed dimension; 0 if the index is a vector.
    inner: usize,
}

impl<'a> ScatterCall<'a> {
    /// A scatter with an index for each element of the source.
    fn of_elements(dim: usize, mode: ops::IndexMode, index: Operand<'a>, src: Operand<'a>) -> Self {
        let strides = index.layout.stride();
        let inner = index.layout.dims()[dim + 1..].iter().product();
        Self { dim, mode, index, src, strides, step: strides[dim], inner }
    }

    /// Launches the kernel `name`, which adds in order for each target element or, if `atomic` is true and faster, in
    /// any order.
    fn run<R: Runtime>(
        &self,
        c: &Call<'_, R>,
        unit: Unit,
        t: DType,
        name: &'static str,
        target: Operand<'_>,
        atomic: bool,
    ) -> Result<()> {
        let (dim, dims) = (self.dim, self.src.layout.dims());
        let (length, size) = (dims[dim], target.layout.dims()[dim]);
        if self.index.count() == 0 {
            return Ok(());
        }
        let strides = [target.layout.stride(), self.src.layout.stride(), self.strides];
        let mut p = ScatterParams {
            target: target.ptr,
            source: self.src.ptr,
            lines: iter_of(dims, strides, |d| d != dim),
            index: IndexTensor::new(c, &self.index, size, self.mode)?,
            target_step: strides[0][dim] as u64,
            source_step: strides[1][dim] as u64,
            index_step: self.step as u64,
            length: length as u64,
            targets_each: (size as u64).max(1),
            inner: self.inner as u64,
        };
        let lines = p.lines.count;
        if lines == 0 {
            return check_index(c, self.index.layout, p.index);
        }
        let device_blocks = u64::from(c.dev.info().units.max(16)) * 8;
        let targets = size as u64;
        let (variant, grid) = if length <= SHORT_LINE || lines >= MANY_LINES {
            p.lines.blocks = c.blocks(lines);
            // With few lines, several blocks read the same indices, each for its own range of the target.
            let most = match length <= SHORT_LINE {
                true => 1,
                false => (device_blocks / u64::from(p.lines.blocks)).clamp(1, 65_535),
            };
            p.targets_each = targets.div_ceil(most).max(1);
            let ranges = targets.div_ceil(p.targets_each).max(1);
            (Variant::Row, [p.lines.blocks, ranges as u32, 1])
        } else {
            let blocks = targets.div_ceil(u64::from(BLOCK)).clamp(1, device_blocks);
            p.targets_each = targets.div_ceil(blocks * u64::from(BLOCK)).max(1);
            (Variant::Target, [blocks as u32, lines as u32, 1])
        };
        // If blocks share a line, each one reads all its indices, and a long line takes long: atomics are faster.
        let shared = variant == Variant::Target || grid[1] > 1;
        if atomic && shared && lines * targets >= LEAST_ATOMIC_TARGETS {
            return self.run_atomic(c, Kernel::new(unit, t, name, Variant::Atomic), target, p.index);
        }
        c.launch(Kernel::new(unit, t, name, variant), grid, BLOCK, &p)
    }

    /// Launches the atomic variant: a thread for each element of the source.
    fn run_atomic<R: Runtime>(
        &self,
        c: &Call<'_, R>,
        kernel: Kernel,
        target: Operand<'_>,
        index: IndexTensor,
    ) -> Result<()> {
        let (dim, dims) = (self.dim, self.src.layout.dims());
        let mut stride = DimVec::from_slice(self.strides);
        stride[dim] = self.step;
        let index_layout = Layout::new(DimVec::from_slice(dims).into(), stride, 0);
        let mut iter = iter(&[&broadcast_dim(target.layout, dim, dims), self.src.layout, &index_layout]);
        iter.blocks = c.blocks(iter.count);
        let p = GatherParams {
            target: target.ptr,
            source: self.src.ptr,
            iter,
            index,
            index_step: target.layout.stride()[dim] as u64,
            // Number of adjacent elements that share an index: for an index vector, all elements after the indexed
            // dimension.
            inner: if self.inner == 0 { dims[dim + 1..].iter().product::<usize>() as u64 } else { 1 },
            length: self.index.count() as u64,
        };
        c.launch(kernel, [iter.blocks, 1, 1], BLOCK, &p)
    }
}
