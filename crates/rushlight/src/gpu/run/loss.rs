//! Classification losses and their gradients (hip/loss.hip).
use super::elementwise::mismatch;
use super::index::IndexDType;
use super::reduce::{CHUNK, FirstPass, ReduceParams, acc_bytes, reduce_passes};
use super::softmax::{Grid, LinePlan, is_wide, numbers, peaks, starts};
use crate::gpu::GpuStorage;
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand, StridedIter};
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::loss::{ClassLoss, Reduction, class_dim};
use crate::shape::DimVec;
use crate::{DType, Layout, Result};

/// Lines whose losses the last block of a launch adds: 32 chunks (rl::reduce_values).
const MOST_AT_ONCE: u64 = 32 * CHUNK;
/// Targets that each block of a gradient counts, instead of an earlier launch.
const MOST_COUNTED: u64 = 4096;

kernel_enum! {
    /// How losses are reduced.
    pub(crate) enum LossMode {
        /// A loss for each target.
        Each = 0,
        /// Sum of the losses by the sum of the weights.
        Mean = 1,
        /// Sum of the losses.
        Sum = 2,
        /// As Mean; 0 where the weights' sum is 0.
        ByteMean = 3,
        /// Only the sum of the weights, by which gradients are divided.
        Divisor = 4,
    }
}

kernel_params! {
    /// Parameters of losses with class targets and of their gradients. Scores are lines of classes, one for each target.
    pub(crate) struct LossParams {
        /// Address of the output.
        out: u64,
        /// Address of the scores.
        scores: u64,
        /// Address of the targets.
        targets: u64,
        /// Address of the class weights, or 0.
        weights: u64,
        /// Gradients: address of the loss's gradient.
        grad: u64,
        /// Address of a pair (loss, weight) for each line, or 0: losses go to `out`.
        pairs: u64,
        /// Variant element: address of each line's largest score.
        peak: u64,
        /// Variant element: address of each line's sum of e^(score - peak).
        total: u64,
        /// Variant element: address of each line's uniform part of label smoothing.
        smoothing: u64,
        /// Address of the counter by which the last block knows that it is, and then reduces the pairs to `out`; or 0.
        counter: u64,
        /// Gradients of means: address of the number to divide by; 0: the kernel counts the targets.
        divisor: u64,
        /// Gradients with weights and label smoothing: address of the weights' sum.
        weight_total: u64,
        /// Lines.
        lines: u64,
        /// Classes: elements of a line.
        classes: u64,
        /// Elements from one class to the next in the gradient, which is row-major.
        inner: u64,
        /// Stride between the scores of a line.
        class_step: u64,
        /// Stride between the weights.
        weight_step: u64,
        /// Target that is ignored.
        ignore_index: i64,
        /// 1 - s for label smoothing s: share of the target's loss.
        target_share: f64,
        /// s / classes: share of each class's loss.
        uniform_share: f64,
        /// Dtype of the targets.
        index_dtype: IndexDType,
        /// How losses are reduced.
        mode: LossMode,
        /// 1: there are class weights.
        weighted: u32,
        /// 1: there is label smoothing.
        smooth: u32,
        /// Variant block: groups of 32 threads for each line.
        width: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// Where targets out of range are reported.
        check: Checker,
        /// Number of the targets among the op's inputs.
        target_operand: u64,
        /// First scores of the lines, targets, gradients of the losses.
        line_starts: StridedIter<3>,
    }
}

fn mode(r: Reduction) -> LossMode {
    match r {
        Reduction::None => LossMode::Each,
        Reduction::Mean => LossMode::Mean,
        Reduction::Sum => LossMode::Sum,
        Reduction::ByteMean => LossMode::ByteMean,
    }
}

fn index_dtype(dtype: DType) -> IndexDType {
    match dtype {
        DType::U8 => IndexDType::U8,
        DType::I16 => IndexDType::I16,
        DType::I32 => IndexDType::I32,
        DType::U32 => IndexDType::U32,
        _ => IndexDType::I64,
    }
}

/// A loss that is being run: its op definition, operands and parameters.
struct Run<'c, 'a, R: Runtime> {
    c: &'c Call<'a, R>,
    loss: &'c ClassLoss,
    x: Operand<'a>,
    weight: Option<Operand<'a>>,
    p: LossParams,
}

impl<'c, 'a, R: Runtime> Run<'c, 'a, R> {
    /// Collects the operands: the scores are input `first`, followed by targets and weights.
    fn new(c: &'c Call<'a, R>, loss: &'c ClassLoss, first: usize, grad: Option<Operand<'a>>) -> Result<Self> {
        let (x, target, out) = (c.input(first)?, c.input(first + 1)?, c.output(0)?);
        let weight = if loss.weighted { Some(c.input(first + 2)?) } else { None };
        let dims = x.layout.dims();
        let dim = class_dim(dims.len());
        // Inserts a stride of 0 for the class dimension, which the target and the gradient do not have.
        let widened = |l: &Layout| {
            let mut s = DimVec::from_slice(l.stride());
            s.insert(dim.min(s.len()), 0);
            s
        };
        let t = widened(target.layout);
        let g = match grad {
            Some(g) if loss.reduction == Reduction::None => widened(g.layout),
            _ => DimVec::from_elem(0, dims.len()),
        };
        let line_starts = starts(dims, [x.layout.stride(), &t, &g], dim);
        let classes = dims[dim] as u64;
        let p = LossParams {
            out: out.ptr,
            scores: x.ptr,
            targets: target.ptr,
            weights: weight.map_or(0, |w| w.ptr),
            grad: grad.map_or(0, |g| g.ptr),
            pairs: 0,
            peak: 0,
            total: 0,
            smoothing: 0,
            counter: 0,
            divisor: 0,
            weight_total: 0,
            lines: line_starts.count,
            classes,
            inner: dims[dim + 1..].iter().product::<usize>() as u64,
            class_step: x.layout.stride()[dim] as u64,
            weight_step: weight.map_or(0, |w| w.layout.stride()[0] as u64),
            ignore_index: loss.ignore_index,
            target_share: 1.0 - loss.label_smoothing,
            uniform_share: loss.label_smoothing / classes as f64,
            index_dtype: index_dtype(target.dtype),
            mode: mode(loss.reduction),
            weighted: u32::from(loss.weighted),
            smooth: u32::from(loss.label_smoothing != 0.0),
            width: 0,
            blocks: 0,
            check: Checker { page: 0, flag: 0, launch: 0 },
            target_operand: first as u64 + 1,
            line_starts,
        };
        Ok(Self { c, loss, x, weight, p })
    }

    fn kernel(&self, name: &'static str, variant: Variant) -> Kernel {
        Kernel::new(Unit::Loss, self.x.dtype, name, variant)
    }

    fn launch(&mut self, name: &'static str, (blocks, threads, variant): Grid) -> Result<()> {
        self.p.blocks = u64::from(blocks);
        self.p.check = self.c.dev.checker(self.c.name)?;
        self.c.launch(self.kernel(name, variant), [blocks, 1, 1], threads, &self.p)
    }

    fn plan(&self) -> LinePlan {
        let wide = is_wide(self.x.dtype);
        LinePlan::of(self.c, self.p.classes, &self.p.line_starts, self.p.class_step, wide)
    }

    /// Returns the grid of a kernel that has a thread for each of `n` items.
    fn elements(&self, n: u64) -> Grid {
        (self.c.blocks(n), BLOCK, Variant::Element)
    }

    /// Allocates memory for one pair (rl::Pair) for each line, which the kernels then write.
    fn pairs(&mut self) -> Result<GpuStorage<R>> {
        let s = self.c.dev.storage(DType::U8, self.p.lines as usize * 16)?;
        self.p.pairs = s.address();
        Ok(s)
    }

    /// Launches a kernel that writes a pair for each line, and reduces the pairs to `out` by `mode`. The last block of the kernel
    /// does it if it can: not for many lines, nor in variant block.
    fn reduced(&mut self, name: &'static str, grid: Grid, mode: LossMode, out: u64) -> Result<()> {
        let _pairs = self.pairs()?;
        let kept = (self.p.out, self.p.mode);
        let at_once = (1..=MOST_AT_ONCE).contains(&self.p.lines) && grid.2 != Variant::Block;
        if at_once {
            (self.p.out, self.p.mode, self.p.counter) = (out, mode, self.c.dev.counter()?);
        }
        if self.p.lines > 0 {
            self.launch(name, grid)?;
        }
        (self.p.out, self.p.mode) = kept;
        if at_once {
            (self.p.counter, self.p.pairs) = (0, 0);
            return Ok(());
        }
        let name = if self.loss.weighted { "loss_sum" } else { "loss_count" };
        let mut p = ReduceParams::<1>::values(self.p.pairs, out, 1, self.p.lines);
        p.flag = mode as u64;
        self.p.pairs = 0;
        reduce_passes(self.c, self.kernel(name, Variant::Partials), FirstPass::Partials, p, 16)
    }

    /// Launches a kernel that computes the losses of the lines, and reduces them.
    fn losses(mut self, name: &'static str, grid: Grid) -> Result<()> {
        match self.loss.reduction {
            Reduction::None if self.p.lines == 0 => Ok(()),
            Reduction::None => self.launch(name, grid),
            _ => self.reduced(name, grid, self.p.mode, self.p.out),
        }
    }

    /// Checks the targets only. Without classes there is no gradient, but every target that is not ignored is out of
    /// range.
    fn only_check(mut self) -> Result<()> {
        if self.p.lines == 0 {
            return Ok(());
        }
        let _pairs = self.pairs()?;
        let grid = self.elements(self.p.lines);
        self.launch("class_weights", grid)
    }

    /// Computes the divisor of the gradients of a mean. `counts`: the kernel can count targets itself.
    fn divisor(&mut self, counts: bool) -> Result<Option<GpuStorage<R>>> {
        let even = self.p.line_starts.rank == 1 && self.p.lines <= MOST_COUNTED;
        let counted = counts && even && !self.loss.weighted;
        if !matches!(self.loss.reduction, Reduction::Mean | Reduction::ByteMean) || counted {
            return Ok(None);
        }
        let d = numbers(self.c, self.x.dtype, 1)?;
        let grid = self.elements(self.p.lines);
        self.reduced("class_weights", grid, LossMode::Divisor, d.address())?;
        self.p.divisor = d.address();
        Ok(Some(d))
    }
}

pub(super) fn nll_loss<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::NllLoss(op) = c.op else { return Err(mismatch(c)) };
    let run = Run::new(c, &op.0, 0, None)?;
    let grid = run.elements(run.p.lines);
    run.losses("nll_loss", grid)
}

pub(super) fn cross_entropy<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::CrossEntropy(op) = c.op else { return Err(mismatch(c)) };
    let mut run = Run::new(c, &op.0, 0, None)?;
    let lines = run.p.lines;
    if run.p.classes == 0 {
        // Without classes, every target is ignored or out of range.
        let grid = run.elements(lines);
        return run.losses("nll_loss", grid);
    }
    let plan = run.plan();
    run.p.width = plan.width();
    let mut hold = Vec::new();
    if plan == LinePlan::Passes && lines > 0 {
        let (x, dim) = (run.x, class_dim(run.x.layout.dims().len()));
        let (peak, total) = peaks(c, x, dim)?;
        (run.p.peak, run.p.total) = (peak.address(), total.address());
        hold.extend([peak, total]);
        if run.p.smooth == 1 {
            let even = numbers(c, x.dtype, lines)?;
            let mut p = ReduceParams::new([x.ptr], [x.layout], even.address(), |d| d == dim);
            p.aux = [run.p.peak, run.p.total, run.p.weights, 0];
            p.flag = run.p.weight_step;
            reduce_passes(c, run.kernel("smooth", Variant::Row), FirstPass::Any, p, acc_bytes(x.dtype))?;
            run.p.smoothing = even.address();
            hold.push(even);
        }
    }
    let grid = plan.grid(c, lines, lines);
    run.losses("cross_entropy", grid)
}

pub(super) fn nll_loss_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::NllLossBackward(op) = c.op else { return Err(mismatch(c)) };
    let mut run = Run::new(c, &op.0, 1, Some(c.input(0)?))?;
    if run.p.lines * run.p.classes == 0 {
        return run.only_check();
    }
    let _divisor = run.divisor(false)?;
    let grid = run.elements(run.p.lines * run.p.classes);
    run.launch("nll_loss_backward", grid)
}

pub(super) fn cross_entropy_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::CrossEntropyBackward(op) = c.op else { return Err(mismatch(c)) };
    let mut run = Run::new(c, &op.0, 1, Some(c.input(0)?))?;
    let (lines, classes) = (run.p.lines, run.p.classes);
    if lines * classes == 0 {
        return run.only_check();
    }
    let plan = run.plan();
    run.p.width = plan.width();
    let mut hold = Vec::new();
    hold.extend(run.divisor(plan != LinePlan::Passes)?);
    if let Some(w) = run.weight.filter(|_| run.p.smooth == 1) {
        let all = numbers(c, run.x.dtype, 1)?;
        let p = ReduceParams::new([w.ptr], [w.layout], all.address(), |_| true);
        let kernel = run.kernel("weight_sum", Variant::Row);
        reduce_passes(c, kernel, FirstPass::Row, p, acc_bytes(run.x.dtype))?;
        run.p.weight_total = all.address();
        hold.push(all);
    }
    if plan == LinePlan::Passes {
        let (peak, total) = peaks(c, run.x, class_dim(run.x.layout.dims().len()))?;
        (run.p.peak, run.p.total) = (peak.address(), total.address());
        hold.extend([peak, total]);
    }
    let grid = plan.grid(c, lines, lines * classes);
    run.launch("cross_entropy_backward", grid)
}
