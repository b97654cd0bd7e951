//! Layer, root-mean-square and group normalization and their gradients (hip/norm.hip).
use super::elementwise::{copy_to, mismatch};
use super::index::{self, IndexTensor};
use super::reduce::{FirstPass, ReduceParams, acc_bytes, reduce_passes};
use super::softmax::LinePlan;
use crate::gpu::GpuStorage;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{Call, NoParams, Operand, StridedIter, iter_of};
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::fused_norm::FusedWith;
use crate::ops::norm::{Geometry, Norm, NormKind};
use crate::ops::{IndexMode, Op};
use crate::shape::{DimVec, MAX_RANK};
use crate::{DType, Layout, Result};

kernel_params! {
    /// Parameters of layer_norm, rms_norm and group_norm and of their gradients. Element i of line l has the weight
    /// `(l % groups) * per + i / inner`.
    pub(crate) struct NormParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the input.
        input: u64,
        /// Gradients: address of the output's gradient. Fused: of the other operand.
        grad: u64,
        /// Address of the weight, or 0.
        weight: u64,
        /// Address of the bias, or 0.
        bias: u64,
        /// Variant element: address of each line's mean, correction and scale.
        scales: u64,
        /// Gradients, variant element: address of each line's two means.
        means: u64,
        /// Lines.
        lines: u64,
        /// Elements of a line.
        length: u64,
        /// Lines with separate weights.
        groups: u64,
        /// Weights of a line.
        per: u64,
        /// Neighbouring elements that share a weight.
        inner: u64,
        /// Strides between the elements of a line, in `input` and `grad`.
        step: [u64; 2],
        /// Added to the variance.
        eps: f64,
        /// 1: about the mean.
        center: u64,
        /// Variant block: groups of 32 threads for each line.
        width: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// First elements of the lines in `input` and `grad`; variant element: all elements.
        iter: StridedIter<2>,
    }
}

kernel_enum! {
    /// Where the elements of lines come from.
    pub(crate) enum NormSource {
        /// The input.
        Own = 0,
        /// The rounded sums of `input` and `grad`.
        Sum = 1,
        /// Rows of the table `input`, by indices that lie at the offsets of `grad`.
        Rows = 2,
    }
}

kernel_enum! {
    /// The function behind a normalization.
    pub(crate) enum NormActivation {
        /// None.
        Identity = 0,
        /// max(v, 0).
        Relu = 1,
        /// v Phi(v), with the normal distribution function.
        Gelu = 2,
    }
}

kernel_params! {
    /// Parameters of layer_norm and rms_norm that are fused with another op.
    pub(crate) struct FusedNormParams {
        /// The normalization.
        norm: NormParams,
        /// The indices of source Rows.
        index: IndexTensor,
        /// Stride between the rows of the table.
        index_step: u64,
        /// Where the elements come from.
        source: NormSource,
        /// The function behind the normalization.
        activation: NormActivation,
    }
}

/// An operand whose elements are contiguous: itself, or a copy, which must live until the last launch that reads it.
pub(super) fn dense<R: Runtime>(
    c: &Call<'_, R>,
    o: Option<Operand<'_>>,
) -> Result<(u64, Option<GpuStorage<R>>)> {
    let Some(o) = o else { return Ok((0, None)) };
    if o.layout.is_contiguous() {
        return Ok((o.ptr, None));
    }
    let copy = c.dev.storage(o.dtype, o.count())?;
    let layout = Layout::contiguous(o.layout.shape().clone());
    copy_to(c, o, Operand { ptr: copy.address(), dtype: o.dtype, layout: &layout })?;
    Ok((copy.address(), Some(copy)))
}

/// The elements of two operands of one shape as lines.
struct Lines {
    geometry: Geometry,
    /// First elements of the lines.
    starts: StridedIter<2>,
    /// Elements of a line.
    along: StridedIter<2>,
}

impl Lines {
    fn new(op: &Norm, x: &Layout, g: &Layout) -> Self {
        let geometry = op.geometry(x.dims());
        let split = match op.kind {
            NormKind::Layer | NormKind::Rms => x.dims().len() - op.size,
            NormKind::Group => 2,
        };
        // Channels as groups and the channels of each.
        let cut = |v: &[usize], outer: usize, inner: usize| -> DimVec {
            let mut all = DimVec::from_slice(v);
            if op.kind == NormKind::Group {
                all[1] = outer;
                all.insert(2, inner);
            }
            all
        };
        let dims = cut(x.dims(), geometry.groups, geometry.per);
        let strides = [x, g].map(|l| {
            let channel = l.stride().get(1).copied().unwrap_or(0);
            cut(l.stride(), channel.wrapping_mul(geometry.per), channel)
        });
        let strides = [&strides[0][..], &strides[1][..]];
        Self {
            geometry,
            starts: iter_of(&dims, strides, |d| d < split),
            along: iter_of(&dims, strides, |d| d >= split),
        }
    }

    fn reduction(&self, input: [u64; 2], out: u64) -> ReduceParams<2> {
        ReduceParams::of(input, out, self.starts, self.along)
    }

    fn reduction_of_one(&self, input: u64, out: u64) -> ReduceParams<1> {
        ReduceParams::of([input], out, first(&self.starts), first(&self.along))
    }

    fn plan<R: Runtime>(&self, c: &Call<'_, R>) -> LinePlan {
        match self.along.rank {
            1 => {
                let step = self.along.strides[0][0];
                LinePlan::of(c, self.geometry.length as u64, &self.starts, step, false)
            }
            _ => LinePlan::Passes,
        }
    }

    /// Computes the mean, the correction and the scale of each line, to scratch memory.
    fn scales<R: Runtime>(&self, c: &Call<'_, R>, op: &Norm, x: Operand<'_>) -> Result<GpuStorage<R>> {
        let (bytes, lines) = (acc_bytes(x.dtype), self.geometry.lines);
        let scales = c.dev.storage(DType::U8, 3 * lines * bytes)?;
        let mut p = self.reduction_of_one(x.ptr, scales.address());
        p.aux[0] = scales.address();
        p.flag = op.eps.to_bits();
        let kernel = |name| Kernel::new(Unit::Norm, x.dtype, name, Variant::Row);
        if !op.centers() {
            reduce_passes(c, kernel("norm_squares"), FirstPass::Row, p, bytes)?;
            return Ok(scales);
        }
        reduce_passes(c, kernel("norm_mean"), FirstPass::Row, p, bytes)?;
        reduce_passes(c, kernel("norm_scale"), FirstPass::Row, p, 2 * bytes)?;
        Ok(scales)
    }
}

/// The iteration over the first operand.
fn first(w: &StridedIter<2>) -> StridedIter<1> {
    StridedIter {
        count: w.count,
        rank: w.rank,
        blocks: w.blocks,
        index64: w.index64,
        aligned: w.aligned,
        dims: w.dims,
        strides: [w.strides[0]],
    }
}

pub(super) fn norm<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Norm(op) = c.op else { return Err(mismatch(c)) };
    let x = c.input(0)?;
    let weight = op.weighted.then(|| c.input(1)).transpose()?;
    let bias = op.biased.then(|| c.input(1 + usize::from(op.weighted))).transpose()?;
    run(c, "norm", op, [x, x], [weight, bias], None)
}

/// The parameters of a fused normalization beside those of its lines.
struct Fused {
    index: IndexTensor,
    index_step: u64,
    source: NormSource,
    activation: NormActivation,
}

impl Fused {
    fn new(source: NormSource, activation: NormActivation) -> Self {
        Self { index: IndexTensor::NONE, index_step: 0, source, activation }
    }
}

pub(super) fn fused_norm<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::FusedNorm(op) = c.op else { return Err(mismatch(c)) };
    let (norm, x, out) = (&op.norm(), c.input(0)?, c.output(0)?);
    let weight = op.weighted.then(|| c.input(op.operands())).transpose()?;
    let bias = op.biased.then(|| c.input(op.bias_at())).transpose()?;
    let fused = |operands, fused| run(c, "norm_fused", norm, operands, [weight, bias], Some(fused));
    // Lines that are not read at once: the other op writes them to the output first.
    let apart = || run(c, "norm", norm, [out, out], [weight, bias], None);
    match op.with {
        FusedWith::Relu => fused([x, x], Fused::new(NormSource::Own, NormActivation::Relu)),
        FusedWith::Gelu => fused([x, x], Fused::new(NormSource::Own, NormActivation::Gelu)),
        FusedWith::Residual => {
            let y = c.input(1)?;
            if Lines::new(norm, x.layout, y.layout).plan(c) != LinePlan::Passes {
                return fused([x, y], Fused::new(NormSource::Sum, NormActivation::Identity));
            }
            let add = Kernel::new(Unit::Binary, x.dtype, "add", Variant::Contig);
            c.elementwise(add, [out, x, y], NoParams::default())?;
            apart()
        }
        FusedWith::Lookup => {
            let ids = c.input(1)?;
            let view = |strides: [usize; 2]| {
                Layout::new(out.layout.shape().clone(), DimVec::from_slice(&strides), 0)
            };
            let (table, indices) =
                (view([0, 1].map(|d| x.layout.stride()[d])), view([ids.layout.stride()[0], 0]));
            if out.count() == 0 || Lines::new(norm, &table, &indices).plan(c) == LinePlan::Passes {
                index::select(c, 0, IndexMode::Within)?;
                return apart();
            }
            let rows = Fused {
                index: IndexTensor::new(c, &ids, x.layout.dims()[0], IndexMode::Within)?,
                index_step: x.layout.stride()[0] as u64,
                ..Fused::new(NormSource::Rows, NormActivation::Identity)
            };
            fused([Operand { layout: &table, ..x }, Operand { layout: &indices, ..ids }], rows)
        }
    }
}

pub(super) fn norm_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::NormBackward(op) = c.op else { return Err(mismatch(c)) };
    let weight = op.0.weighted.then(|| c.input(2)).transpose()?;
    run(c, "norm_backward", &op.0, [c.input(1)?, c.input(0)?], [weight, None], None)
}

fn run<R: Runtime>(
    c: &Call<'_, R>,
    name: &'static str,
    op: &Norm,
    [x, g]: [Operand<'_>; 2],
    [weight, bias]: [Option<Operand<'_>>; 2],
    fused: Option<Fused>,
) -> Result<()> {
    if x.count() == 0 {
        return Ok(());
    }
    let lines = Lines::new(op, x.layout, g.layout);
    let Geometry { length, groups, per, inner, .. } = lines.geometry;
    let ((weight, _weight), (bias, _bias)) = (dense(c, weight)?, dense(c, bias)?);
    let along = &lines.along;
    let plan = lines.plan(c);
    let (mut scales, mut means) = (None, None);
    let mut iter = lines.starts;
    if plan == LinePlan::Passes {
        let made = lines.scales(c, op, x)?;
        if name == "norm_backward" {
            let bytes = acc_bytes(x.dtype);
            let out = c.dev.storage(DType::U8, 2 * lines.geometry.lines * bytes)?;
            let mut p = lines.reduction([x.ptr, g.ptr], out.address());
            p.aux = [made.address(), weight, groups as u64, inner as u64];
            let kernel = Kernel::new(Unit::Norm, x.dtype, "norm_means", Variant::Row);
            reduce_passes(c, kernel, FirstPass::Row, p, 2 * bytes)?;
            means = Some(out);
        }
        scales = Some(made);
        iter = iter_of(x.layout.dims(), [x.layout.stride(), g.layout.stride()], |_| true);
    }
    let (blocks, threads, variant) = plan.grid(c, lines.starts.count, x.count() as u64);
    let mut p = NormParams {
        out: c.output(0)?.ptr,
        input: x.ptr,
        grad: g.ptr,
        weight,
        bias,
        scales: scales.as_ref().map_or(0, |s| s.address()),
        means: means.as_ref().map_or(0, |s| s.address()),
        lines: lines.starts.count,
        length: length as u64,
        groups: groups as u64,
        per: per as u64,
        inner: inner as u64,
        step: [along.strides[0][0], along.strides[1][0]],
        eps: op.eps,
        center: u64::from(op.centers()),
        width: plan.width(),
        blocks: u64::from(blocks),
        iter,
    };
    let kernel = Kernel::new(Unit::Norm, x.dtype, name, variant);
    let Some(Fused { index, index_step, source, activation }) = fused else {
        return c.launch(kernel, [blocks, 1, 1], threads, &p);
    };
    if source == NormSource::Rows {
        // Every line starts at the table's first element, and the kernel adds the index.
        p.iter.strides[0] = [0; MAX_RANK];
    }
    let p = FusedNormParams { norm: p, index, index_step, source, activation };
    c.launch(kernel, [blocks, 1, 1], threads, &p)
}

pub(super) fn norm_weight_grad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::NormWeightGrad(op) = c.op else { return Err(mismatch(c)) };
    let (g, x, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let lines = Lines::new(&op.0, x.layout, g.layout);
    let Geometry { groups, per, inner, .. } = lines.geometry;
    // Of no elements only the sums of nothing are written.
    let scales = if x.count() == 0 { None } else { Some(lines.scales(c, &op.0, x)?) };
    let shared = op.0.shares_weights(x.layout.dims().len());
    let layouts = [x.layout, g.layout];
    let mut p = ReduceParams::new([x.ptr, g.ptr], layouts, out.ptr, |d| shared >> d & 1 == 1);
    let scales_at = scales.as_ref().map_or(0, |s| s.address());
    p.aux = [scales_at, groups as u64, per.max(1) as u64, inner.max(1) as u64];
    p.flag = u64::from(op.0.biased);
    let kernel = Kernel::new(Unit::Norm, x.dtype, "norm_weight_grad", Variant::Row);
    reduce_passes(c, kernel, FirstPass::Any, p, 2 * acc_bytes(x.dtype))
}
