//! Classification losses and their gradients (hip/loss.hip).
use super::elementwise::mismatch;
use super::reduce::{FORMS, Fold, ROWS, acc_bytes, fold};
use super::softmax::{Way, numbers, peaks, starts};
use crate::gpu::GpuStorage;
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Operand, Walk};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::loss::{ClassLoss, Reduction, class_dim};
use crate::shape::DimVec;
use crate::{DType, Layout, Result};

/// Parameters of the kernels (rl::Loss).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loss {
    out: u64,
    x: u64,
    target: u64,
    weight: u64,
    grad: u64,
    pairs: u64,
    peak: u64,
    total: u64,
    even: u64,
    divisor: u64,
    all: u64,
    lines: u64,
    classes: u64,
    inner: u64,
    step: u64,
    weight_step: u64,
    ignore: i64,
    rest: f64,
    share: f64,
    index: u32,
    mode: u32,
    weighted: u32,
    smooth: u32,
    blocks: u64,
    check: Checker,
    operand: u64,
    kept: Walk<3>,
}

/// The mode in which sums of pairs give only what gradients are divided by (rl::Mode).
const DIVISOR: u32 = 4;

fn mode(r: Reduction) -> u32 {
    match r {
        Reduction::None => 0,
        Reduction::Mean => 1,
        Reduction::Sum => 2,
        Reduction::ByteMean => 3,
    }
}

/// The number of an index dtype in rl::load_id.
fn index_code(dtype: DType) -> u32 {
    match dtype {
        DType::U8 => 0,
        DType::I16 => 1,
        DType::I32 => 2,
        DType::U32 => 3,
        _ => 4,
    }
}

/// A loss being run: its card, operands and parameters.
struct Run<'c, 'a, R: Runtime> {
    c: &'c Call<'a, R>,
    loss: &'c ClassLoss,
    x: Operand<'a>,
    weight: Option<Operand<'a>>,
    p: Loss,
}

impl<'c, 'a, R: Runtime> Run<'c, 'a, R> {
    /// The scores are input `first`, then come target and weights.
    fn new(c: &'c Call<'a, R>, loss: &'c ClassLoss, first: usize, grad: Option<Operand<'a>>) -> Result<Self> {
        let (x, target, out) = (c.input(first)?, c.input(first + 1)?, c.output(0)?);
        let weight = if loss.weighted { Some(c.input(first + 2)?) } else { None };
        let dims = x.layout.dims();
        let dim = class_dim(dims.len());
        // The target's and the gradient's strides, with one of 0 for the classes.
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
        let kept = starts(dims, [x.layout.stride(), &t, &g], dim);
        let classes = dims[dim] as u64;
        let p = Loss {
            out: out.ptr,
            x: x.ptr,
            target: target.ptr,
            weight: weight.map_or(0, |w| w.ptr),
            grad: grad.map_or(0, |g| g.ptr),
            pairs: 0,
            peak: 0,
            total: 0,
            even: 0,
            divisor: 0,
            all: 0,
            lines: kept.n,
            classes,
            inner: dims[dim + 1..].iter().product::<usize>() as u64,
            step: x.layout.stride()[dim] as u64,
            weight_step: weight.map_or(0, |w| w.layout.stride()[0] as u64),
            ignore: loss.ignore_index,
            rest: 1.0 - loss.label_smoothing,
            share: loss.label_smoothing / classes as f64,
            index: index_code(target.dtype),
            mode: mode(loss.reduction),
            weighted: u32::from(loss.weighted),
            smooth: u32::from(loss.label_smoothing != 0.0),
            blocks: 0,
            check: Checker { page: 0, flag: 0, launch: 0 },
            operand: first as u64 + 1,
            kept,
        };
        Ok(Self { c, loss, x, weight, p })
    }

    fn kernel(&self, name: &'static str, form: &'static str) -> Kernel {
        Kernel { form, ..Kernel::new(Unit::Loss, self.x.dtype, name) }
    }

    fn launch(&mut self, name: &'static str, (blocks, form): (u32, &'static str)) -> Result<()> {
        self.p.blocks = u64::from(blocks);
        self.p.check = self.c.dev.checker(self.c.name)?;
        self.c.launch(self.kernel(name, form), [blocks, 1, 1], BLOCK, &self.p)
    }

    fn way(&self) -> Way {
        Way::of(self.x.dtype, self.p.classes, &self.p.kept, self.p.step)
    }

    /// Memory for a pair of each line (rl::Pair), which the kernels then write.
    fn pairs(&mut self) -> Result<GpuStorage<R>> {
        let s = self.c.dev.storage(DType::U8, self.p.lines as usize * 16)?;
        self.p.pairs = s.address();
        Ok(s)
    }

    /// The sum of the pairs, as `mode` says, to `out`.
    fn sum(&self, mode: u32, out: u64) -> Result<()> {
        let name = if self.loss.weighted { "loss_sum" } else { "loss_count" };
        let mut p = Fold::<1>::values(self.p.pairs, out, 1, self.p.lines);
        p.flag = u64::from(mode);
        fold(self.c, self.kernel(name, "v"), &ROWS, p, 16, true)
    }

    /// The losses of the lines by a kernel, then their sum.
    fn losses(mut self, name: &'static str, grid: (u32, &'static str)) -> Result<()> {
        if self.loss.reduction == Reduction::None {
            return if self.p.lines == 0 { Ok(()) } else { self.launch(name, grid) };
        }
        let _pairs = self.pairs()?;
        if self.p.lines > 0 {
            self.launch(name, grid)?;
        }
        self.sum(self.p.mode, self.p.out)
    }

    /// Without classes there is no gradient, but every target that is not ignored is out of range.
    fn only_check(mut self) -> Result<()> {
        if self.p.lines == 0 {
            return Ok(());
        }
        let _pairs = self.pairs()?;
        self.launch("class_weights", (self.c.blocks(self.p.lines), "e"))
    }

    /// What the gradients of a mean are divided by.
    fn divisor(&mut self) -> Result<Option<GpuStorage<R>>> {
        if !matches!(self.loss.reduction, Reduction::Mean | Reduction::ByteMean) {
            return Ok(None);
        }
        let d = numbers(self.c, self.x.dtype, 1)?;
        let _pairs = self.pairs()?;
        self.launch("class_weights", (self.c.blocks(self.p.lines), "e"))?;
        self.sum(DIVISOR, d.address())?;
        (self.p.divisor, self.p.pairs) = (d.address(), 0);
        Ok(Some(d))
    }
}

pub(super) fn nll_loss<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::NllLoss(op) = c.op else { return Err(mismatch(c)) };
    let run = Run::new(c, &op.0, 0, None)?;
    let blocks = c.blocks(run.p.lines);
    run.losses("nll_loss", (blocks, "e"))
}

pub(super) fn cross_entropy<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::CrossEntropy(op) = c.op else { return Err(mismatch(c)) };
    let mut run = Run::new(c, &op.0, 0, None)?;
    let lines = run.p.lines;
    if run.p.classes == 0 {
        // Every target is ignored or out of range.
        return run.losses("nll_loss", (c.blocks(lines), "e"));
    }
    let way = run.way();
    let mut hold = Vec::new();
    if way == Way::Passes && lines > 0 {
        let (x, dim) = (run.x, class_dim(run.x.layout.dims().len()));
        let (peak, total) = peaks(c, x, dim)?;
        (run.p.peak, run.p.total) = (peak.address(), total.address());
        hold.extend([peak, total]);
        if run.p.smooth == 1 {
            let even = numbers(c, x.dtype, lines)?;
            let mut p = Fold::new([x.ptr], [x.layout], even.address(), |d| d == dim);
            p.aux = [run.p.peak, run.p.total, run.p.weight, 0];
            p.flag = run.p.weight_step;
            fold(c, run.kernel("smooth", "r"), &FORMS, p, acc_bytes(x.dtype), false)?;
            run.p.even = even.address();
            hold.push(even);
        }
    }
    let grid = if way == Way::Passes { (c.blocks(lines), "e") } else { way.grid(c, lines, lines) };
    run.losses("cross_entropy", grid)
}

pub(super) fn nll_loss_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::NllLossBackward(op) = c.op else { return Err(mismatch(c)) };
    let mut run = Run::new(c, &op.0, 1, Some(c.input(0)?))?;
    if run.p.lines * run.p.classes == 0 {
        return run.only_check();
    }
    let _divisor = run.divisor()?;
    let blocks = c.blocks(run.p.lines * run.p.classes);
    run.launch("nll_loss_backward", (blocks, "e"))
}

pub(super) fn cross_entropy_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::CrossEntropyBackward(op) = c.op else { return Err(mismatch(c)) };
    let mut run = Run::new(c, &op.0, 1, Some(c.input(0)?))?;
    let (lines, classes) = (run.p.lines, run.p.classes);
    if lines * classes == 0 {
        return run.only_check();
    }
    let way = run.way();
    let mut hold = Vec::new();
    hold.extend(run.divisor()?);
    if let Some(w) = run.weight.filter(|_| run.p.smooth == 1) {
        let all = numbers(c, run.x.dtype, 1)?;
        let p = Fold::new([w.ptr], [w.layout], all.address(), |_| true);
        fold(c, run.kernel("weight_sum", "r"), &ROWS, p, acc_bytes(run.x.dtype), false)?;
        run.p.all = all.address();
        hold.push(all);
    }
    if way == Way::Passes {
        let (peak, total) = peaks(c, run.x, class_dim(run.x.layout.dims().len()))?;
        (run.p.peak, run.p.total) = (peak.address(), total.address());
        hold.extend([peak, total]);
    }
    let grid = way.grid(c, lines, lines * classes);
    run.launch("cross_entropy_backward", grid)
}
