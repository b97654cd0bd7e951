//! Convolutions and average pooling by the vendor's library: the problems that it supports, and the check of its
//! results.
use super::blas::decode;
use super::elementwise::copy_to;
use super::spatial::three;
use crate::gpu::GpuStorage;
use crate::gpu::dnn::{Average, Conv, Direction, Plan, Ready, State};
use crate::gpu::launch::{Call, Operand};
use crate::gpu::runtime::{Failure, Outcome, Runtime};
use crate::gpu::vendor::{Choice, FIRST_USE, Family, Library, Reason, by_library};
use crate::ops::avg_pool::AvgPool;
use crate::ops::window::{Window, sizes};
use crate::{DType, Error, Layout, Result, Shape};
use std::time::Instant;

static DTYPE: Reason = Reason::never("it convolves f32, f16 and bf16 only");
static SHAPE: Reason = Reason::new("the output has more or fewer elements than its convolution has windows");
static SIZE: Reason = Reason::new("a tensor of 2^31 elements or more");
static ALIGNED: Reason = Reason::new("memory of another library is not aligned to its elements");
static SPACE: Reason = Reason::new("no device memory is left for its workspace");
static OPERAND: Reason = Reason::new("an operand could not be copied for it");
static NOTHING: Reason = Reason::new("it has no kernel for a shape");
static GUESSES: Reason = Reason::new(
    "it has measured no kernel for a shape; RUSHLIGHT_CONV=vendor has it search once, which its cache remembers",
);
static INEXACT: Reason =
    Reason::never("its kernels for gradients of inputs and transposed convolutions are not exact enough");
static SLOW: Reason =
    Reason::new("its kernels take long to compile; RUSHLIGHT_CONV_WAIT=seconds waits longer");
static UNCHECKED: Reason = Reason::new("our own kernel, with which it is compared, does not run");

/// Returns the number of spatial dimensions in the libraries' form: at least two.
fn spatial_dims(w: &Window) -> usize {
    w.spatial().max(2)
}

fn five(shape: &Shape, spatial: usize) -> Option<[u64; 5]> {
    Some(sizes(shape, spatial).ok()?.map(|v| v as u64))
}

fn volume(v: &[u64]) -> u64 {
    v.iter().product()
}

/// Describes an op as a problem for the library, or returns the reason why it cannot be one.
pub(super) fn problem(
    direction: Direction,
    window: &Window,
    groups: u32,
    [x, w, y]: [&Operand<'_>; 3],
) -> std::result::Result<Conv, &'static Reason> {
    if !matches!(x.dtype, DType::F32 | DType::F16 | DType::BF16) {
        return Err(&DTYPE);
    }
    let size = x.dtype.size_in_bytes() as u64;
    for o in [x, w, y] {
        if o.count() >= 1 << 31 {
            return Err(&SIZE);
        }
        if !o.ptr.is_multiple_of(size) {
            return Err(&ALIGNED);
        }
    }
    let n = window.spatial();
    let of = |o: &Operand<'_>| five(o.layout.shape(), n).ok_or(&SHAPE);
    let conv = Conv {
        direction,
        dtype: x.dtype,
        spatial: spatial_dims(window),
        x: of(x)?,
        w: of(w)?,
        y: of(y)?,
        pads: three(window.padding()),
        strides: three(window.stride()),
        dilations: three(window.dilation()),
        groups: u64::from(groups),
    };
    let most = i32::MAX as u64;
    for d in 0..3 {
        let span = conv.dilations[d] * (conv.w[d + 2] - 1) + 1;
        let padded = conv.x[d + 2] + 2 * conv.pads[d];
        if span > padded || (padded - span) / conv.strides[d] + 1 != conv.y[d + 2] {
            return Err(&SHAPE);
        }
        if padded > most || conv.strides[d] > most || conv.dilations[d] > most {
            return Err(&SIZE);
        }
    }
    Ok(conv)
}

impl Conv {
    /// Returns the number of this kind of call.
    fn kind(&self) -> usize {
        let dtype = match self.dtype {
            DType::F16 => 0,
            DType::BF16 => 1,
            _ => 2,
        };
        (self.direction as usize * 3 + dtype) * 2 + usize::from(self.spatial == 3)
    }

    /// Returns the number of products that are summed for an element of the result.
    fn depth(&self) -> u64 {
        match self.direction {
            Direction::Forward => volume(&self.w[1..]),
            Direction::BackwardData => self.w[0] / self.groups.max(1) * volume(&self.w[2..]),
            Direction::BackwardWeights => self.y[0] * volume(&self.y[2..]),
        }
    }
}

/// Number of the first kind after those of convolutions: average pooling; the next one is its gradient.
const AVERAGE: usize = 18;

/// Stores a failure for the life of the process.
fn keep(f: Failure) -> &'static Reason {
    Box::leak(Box::new(f.into()))
}

fn lacks(e: &Error, other: &'static Reason) -> &'static Reason {
    if matches!(e.root(), Error::OutOfMemory { .. }) { &SPACE } else { other }
}

/// Returns the address of an operand's contiguous elements. A strided operand is copied, and the copy is returned, too.
fn packed<R: Runtime>(
    c: &Call<'_, R>,
    o: &Operand<'_>,
) -> std::result::Result<(u64, Option<GpuStorage<R>>), &'static Reason> {
    if o.layout.is_contiguous() {
        return Ok((o.ptr, None));
    }
    let copy = || -> Result<GpuStorage<R>> {
        let room = c.dev.storage(o.dtype, o.count())?;
        let layout = Layout::contiguous(o.layout.shape().clone());
        copy_to(c, *o, Operand { ptr: room.address(), dtype: o.dtype, layout: &layout })?;
        Ok(room)
    };
    let room = copy().map_err(|e| lacks(&e, &OPERAND))?;
    Ok((room.address(), Some(room)))
}

/// Computes a convolution by the library. `operands` are `[x, w, y]`, one of which is the result. `native` runs our
/// kernel into another output, for the comparison. Returns `false` if our kernel must run instead.
pub(super) fn conv<'a, R: Runtime>(
    c: &Call<'a, R>,
    direction: Direction,
    (window, groups): (&Window, u32),
    operands: [&Operand<'a>; 3],
    native: &dyn Fn(&Operand<'a>) -> Result<()>,
) -> Result<bool> {
    // An operand has no elements: our kernel writes zeros or nothing.
    if operands.iter().any(|o| o.count() == 0) {
        return Ok(false);
    }
    by_library(c, Family::Conv, |library| {
        let conv = problem(direction, window, groups, operands)?;
        let problems = &c.dev.vendor().problems;
        let key = (conv, library.by_name());
        // There is no check of the kind here: results are compared below, for each problem.
        library.kind(conv.kind(), || Ok(()))?;
        let known = problems.get(&key);
        if let Some(State::Not(reason)) = known {
            return Err(reason);
        }
        if c.dev.is_recording() && !matches!(known, Some(State::Runs(_, true))) {
            return Err(&FIRST_USE);
        }
        let result = match direction {
            Direction::Forward => 2,
            Direction::BackwardData => 0,
            Direction::BackwardWeights => 1,
        };
        let (mut at, mut copies) = ([0; 3], Vec::new());
        for (i, o) in operands.iter().enumerate() {
            let (ptr, copy) = if i == result { (o.ptr, None) } else { packed(c, o)? };
            at[i] = ptr;
            copies.extend(copy);
        }
        let (plan, compared) = match known {
            Some(State::Runs(plan, compared)) => (plan, compared),
            _ => (choose(c, library, key, at)?, false),
        };
        let space = workspace(c, plan.workspace)?;
        let span = (space.as_ref().map_or(0, GpuStorage::address), plan.workspace);
        let run = || c.dev.runtime().dnn(&mut |d| d.run(plan, at, span));
        if let Err(f) = library.attempt(run) {
            let reason = keep(f);
            problems.set(key, State::Not(reason));
            return Err(reason);
        }
        if !compared {
            let out = operands[result];
            let mine = c.dev.storage(out.dtype, out.count()).map_err(|e| lacks(&e, &UNCHECKED))?;
            native(&Operand { ptr: mine.address(), ..*out }).map_err(|_| &UNCHECKED)?;
            match differ(c, out, mine.address(), conv.depth()) {
                Ok(None) => {}
                Ok(Some(Ok(()))) => problems.set(key, State::Runs(plan, true)),
                Ok(Some(Err(why))) => return Err(library.distrust(conv.kind(), Failure::Other(why))),
                Err(f) => return Err(keep(f)),
            }
        }
        Ok(())
    })
}

fn workspace<R: Runtime>(
    c: &Call<'_, R>,
    bytes: u64,
) -> std::result::Result<Option<GpuStorage<R>>, &'static Reason> {
    if bytes == 0 {
        return Ok(None);
    }
    c.dev.storage(DType::U8, bytes as usize).map(Some).map_err(|e| lacks(&e, &OPERAND))
}

/// Returns the library's kernel for a new problem: a measured one or, if the user requires the library, the best of a
/// search.
fn choose<R: Runtime>(
    c: &Call<'_, R>,
    library: &Library<'_, R>,
    key: (Conv, bool),
    at: [u64; 3],
) -> std::result::Result<Plan, &'static Reason> {
    let problems = &c.dev.vendor().problems;
    let (conv, search) = key;
    let ask = |f: &mut dyn FnMut(&mut dyn crate::gpu::dnn::Dnn) -> Outcome<()>| {
        library.roomy(|| c.dev.runtime().dnn(f))
    };
    let found = (|| {
        if search {
            let mut bytes = 0;
            ask(&mut |d| d.search_space(&conv).map(|b| bytes = b)).map_err(keep)?;
            let space = workspace(c, bytes)?;
            let span = (space.as_ref().map_or(0, GpuStorage::address), bytes);
            let mut plan = Plan { number: 0, workspace: 0 };
            ask(&mut |d| d.search(&conv, at, span).map(|w| plan = w)).map_err(keep)?;
            return Ok(plan);
        }
        let mut ready = Ready::Nothing;
        ask(&mut |d| d.ready(&conv).map(|r| ready = r)).map_err(keep)?;
        let plan = match ready {
            Ready::Plan(plan) => plan,
            Ready::Guesses => return Err(&GUESSES),
            Ready::Inexact => return Err(&INEXACT),
            Ready::Nothing => return Err(&NOTHING),
        };
        if !problems.patient() {
            return Err(&SLOW);
        }
        let start = Instant::now();
        let done = ask(&mut |d| d.prepare(plan));
        problems.waited(start.elapsed());
        done.map_err(keep)?;
        Ok(plan)
    })();
    match found {
        Ok(plan) => problems.set(key, State::Runs(plan, false)),
        // Do not store the decision: memory may be free the next time.
        Err(reason) if std::ptr::eq(reason, &SPACE) => {}
        Err(reason) => problems.set(key, State::Not(reason)),
    }
    found
}

/// Compares the first and the last few thousand elements of the library's result with those of our kernel, at address
/// `mine`. Returns `None` if our result has infinities or NaNs; the next result is then compared.
fn differ<R: Runtime>(
    c: &Call<'_, R>,
    out: &Operand<'_>,
    mine: u64,
    depth: u64,
) -> Outcome<Option<std::result::Result<(), String>>> {
    const SAMPLE: usize = 4096;
    let (n, size) = (out.count(), out.dtype.size_in_bytes());
    let first = n.min(SAMPLE);
    let mut parts = vec![(0, first)];
    if n > first {
        let last = (n - first).min(SAMPLE);
        parts.push((n - last, last));
    }
    let read = |at: u64| -> Outcome<Vec<f64>> {
        let mut all = Vec::new();
        for &(from, count) in &parts {
            let mut bytes = vec![0; count * size];
            c.dev.runtime().download(&mut bytes, at + (from * size) as u64)?;
            all.extend(bytes.chunks_exact(size).map(|b| decode(out.dtype, b)));
        }
        Ok(all)
    };
    let (theirs, ours) = (read(out.ptr)?, read(mine)?);
    if ours.iter().any(|v| !v.is_finite()) {
        return Ok(None);
    }
    let unit = match out.dtype {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => f64::from(f32::EPSILON),
    };
    // Both results are rounded, and f32 sums in different orders differ by about the square root of their length. The
    // bound is loose, since it is meant to find wrong results, not inexact ones.
    let slack = 8.0 * unit + 64.0 * f64::from(f32::EPSILON) * (depth as f64).sqrt();
    let most = slack * ours.iter().fold(0f64, |m, v| m.max(v.abs()));
    let off = ours.iter().zip(&theirs).position(|(a, b)| b.is_nan() || (a - b).abs() > most);
    Ok(Some(match off {
        None => Ok(()),
        Some(i) => Err(format!(
            "the first result of {} was wrong: {:e} instead of {:e}",
            c.describe(),
            theirs[i],
            ours[i]
        )),
    }))
}

/// Computes an average pooling by the library, where `from` is the input, or its gradient, where `from` is the output's
/// gradient. `native` runs our kernel into the memory at an address. Returns `false` if our kernel must run instead.
///
/// The library is used only if the user requires it: it compiles a kernel when a shape first occurs and cannot report
/// whether one is ready, and its means differ in the last bits, which `auto` keeps equal on all devices.
pub(super) fn average<'a, R: Runtime>(
    c: &Call<'a, R>,
    avg: &AvgPool,
    backward: bool,
    from: &Operand<'a>,
    out: &Operand<'a>,
    native: &dyn Fn(u64) -> Result<()>,
) -> Result<bool> {
    let by_name = c.dev.vendor().choice(Family::Conv) == Choice::Vendor;
    let plain = avg.pool.is_plain() && avg.divisor == 0;
    // It adds halves in halves.
    if !by_name || !plain || from.dtype != DType::F32 || from.count() == 0 || out.count() == 0 {
        return Ok(false);
    }
    by_library(c, Family::Conv, |library| {
        let (x, y) = if backward { (out, from) } else { (from, out) };
        if x.count() >= 1 << 31 || y.count() >= 1 << 31 {
            return Err(&SIZE);
        }
        let window = avg.pool.window();
        let n = window.spatial();
        let of = |o: &Operand<'_>| five(o.layout.shape(), n).ok_or(&SHAPE);
        let pool = Average {
            backward,
            spatial: spatial_dims(window),
            x: of(x)?,
            y: of(y)?,
            window: three(avg.pool.kernel()),
            pads: three(window.padding()),
            strides: three(window.stride()),
            include_pad: avg.count_include_pad,
        };
        let (ptr, _copy) = packed(c, from)?;
        let spare = if backward { workspace(c, 4 * out.count() as u64)? } else { None };
        let spare = spare.as_ref().map_or(0, GpuStorage::address);
        let (to_x, to_y) = if backward { (out.ptr, ptr) } else { (ptr, out.ptr) };
        let run = || c.dev.runtime().dnn(&mut |d| d.average(&pool, to_x, to_y, spare));
        let kind = AVERAGE + usize::from(backward);
        library.kind(kind, || {
            run()?;
            let other = |e: Error| Failure::Other(e.to_string());
            let mine = c.dev.storage(DType::F32, out.count()).map_err(other)?;
            native(mine.address()).map_err(other)?;
            match differ(c, out, mine.address(), volume(&pool.window))? {
                Some(Err(why)) => Err(Failure::Other(why)),
                _ => Ok(()),
            }
        })?;
        library.call(kind, run)
    })
}
