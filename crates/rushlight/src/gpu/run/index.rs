//! Index ops. Ids are read in their own dtype; values that only move are moved by size.
use super::elementwise::{copy_to, mismatch, word};
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Nothing, Operand, Walk, part, walk};
use crate::gpu::runtime::Runtime;
use crate::ops::gather::Gather;
use crate::ops::index_add::IndexAdd;
use crate::ops::index_select::IndexSelect;
use crate::ops::scatter::{Scatter, ScatterMode};
use crate::ops::{IndexMode, Op};
use crate::shape::DimVec;
use crate::{DType, Error, Layout, Result};

/// What a kernel knows of an index tensor (hip/index.h).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Ids {
    check: Checker,
    skip: i64,
    size: u64,
    kind: u32,
    rule: u32,
}

/// Parameters of picking kernels.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct PickParams {
    ptr: [u64; 3],
    walk: Walk<3>,
    ids: Ids,
    step: u64,
    inner: u64,
    len: u64,
}

/// Parameters of spreading kernels.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpreadParams {
    ptr: [u64; 3],
    lines: Walk<3>,
    ids: Ids,
    step: [u64; 3],
    len: u64,
    per: u64,
    inner: u64,
}

/// Lines of at most this many ids have one thread each, as have more lines than [`LINES`].
const SHORT: usize = 64;
const LINES: u64 = 256;

/// Targets of fewer places have their sums in order: adds to a few places would wait for each other.
const PLACES: u64 = 1024;

fn ids_of<R: Runtime>(c: &Call<'_, R>, ids: &Operand<'_>, size: usize, rule: IndexMode) -> Result<Ids> {
    let (kind, max) = match ids.dtype {
        DType::U8 => (0, i64::from(u8::MAX)),
        DType::I16 => (1, i64::from(i16::MAX)),
        DType::I32 => (2, i64::from(i32::MAX)),
        DType::U32 => (3, i64::from(u32::MAX)),
        DType::I64 => (4, i64::MAX),
        other => return Err(Error::invalid(c.name, format!("{other:?} is no dtype of ids"))),
    };
    let check = c.dev.checker(c.name)?;
    let rule = match rule {
        IndexMode::Within => 0,
        IndexMode::MaxSkips => 1,
        IndexMode::FromEnd => 2,
    };
    Ok(Ids { check, skip: max, size: size as u64, kind, rule })
}

/// A layout of this shape with an operand's strides, but standing still in a dimension.
fn still(l: &Layout, dim: usize, dims: &[usize]) -> Layout {
    let mut stride = DimVec::from_slice(l.stride());
    stride[dim] = 0;
    Layout::new(DimVec::from_slice(dims).into(), stride, 0)
}

/// Where there is nothing to move: a bad id is an error all the same.
fn check_ids<R: Runtime>(c: &Call<'_, R>, ids: &Operand<'_>, of: Ids) -> Result<()> {
    let mut walk = walk(&[ids.layout; 3]);
    walk.blocks = c.blocks(walk.n);
    let p = PickParams { ptr: [ids.ptr; 3], walk, ids: of, step: 0, inner: 1, len: walk.n };
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::Index, DType::U8, "ids") };
    c.launch(kernel, [walk.blocks, 1, 1], BLOCK, &p)
}

pub(super) fn index_select<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::IndexSelect(IndexSelect { dim, rule }) = *c.op else { return Err(mismatch(c)) };
    let (ids, out) = (c.input(1)?, c.output(0)?);
    let dims = out.layout.dims();
    let mut stride: DimVec = dims.iter().map(|_| 0).collect();
    stride[dim] = ids.layout.stride()[0];
    let named = Layout::new(DimVec::from_slice(dims).into(), stride, 0);
    let inner = dims[dim + 1..].iter().product();
    pick(c, dim, rule, &named, inner)
}

pub(super) fn gather<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Gather(Gather { dim, rule }) = *c.op else { return Err(mismatch(c)) };
    let ids = c.input(1)?;
    pick(c, dim, rule, ids.layout, 1)
}

/// `out[e] = x[.., id of e, ..]`: `named` is where an element's id is, `inner` how many elements share it.
fn pick<R: Runtime>(
    c: &Call<'_, R>,
    dim: usize,
    rule: IndexMode,
    named: &Layout,
    inner: usize,
) -> Result<()> {
    let (x, ids, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (n, len) = (out.count(), ids.count());
    if len == 0 {
        return Ok(());
    }
    let t = word(x.dtype);
    let mut form = "s";
    let mut p = PickParams {
        ptr: [out.ptr, x.ptr, ids.ptr],
        walk: walk(&[out.layout, &still(x.layout, dim, out.layout.dims()), named]),
        ids: ids_of(c, &ids, x.layout.dims()[dim], rule)?,
        step: x.layout.stride()[dim] as u64,
        inner: inner as u64,
        len: len as u64,
    };
    if n == 0 {
        return check_ids(c, &ids, p.ids);
    }
    if inner > 1 && packed(&mut p, (16 / t.size_in_bytes()) as u64) {
        form = "v";
    }
    p.walk.blocks = c.blocks(p.walk.n);
    let kernel = Kernel { form, ..Kernel::new(Unit::Index, t, c.name) };
    c.launch(kernel, [p.walk.blocks, 1, 1], BLOCK, &p)
}

/// Counts in packs of `per` elements where rows are made of whole, aligned packs.
fn packed(p: &mut PickParams, per: u64) -> bool {
    let last = p.walk.rank as usize - 1;
    let [out, x, ids] = p.walk.strides;
    let row = p.walk.dims[last].is_multiple_of(per) && out[last] == 1 && x[last] == 1 && ids[last] == 0;
    let whole = |s: &[u64; 8]| s[..last].iter().all(|s| s.is_multiple_of(per));
    let aligned = p.ptr[0].is_multiple_of(16) && p.ptr[1].is_multiple_of(16) && p.step.is_multiple_of(per);
    if !(row && aligned && whole(&out) && whole(&x) && p.inner.is_multiple_of(per)) {
        return false;
    }
    for strides in &mut p.walk.strides[..2] {
        strides[..last].iter_mut().for_each(|s| *s /= per);
    }
    p.walk.dims[last] /= per;
    p.walk.n /= per;
    p.step /= per;
    p.inner /= per;
    true
}

/// `out = x; out[.., ids[j], ..] += src[.., j, ..]`.
pub(super) fn index_add<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::IndexAdd(IndexAdd { dim, rule }) = *c.op else { return Err(mismatch(c)) };
    let (x, ids, src, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let stride: DimVec = src.layout.dims().iter().map(|_| 0).collect();
    let spread = Spread { dim, rule, ids, src, strides: &stride, step: ids.layout.stride()[0], inner: 0 };
    add(c, "index_add", &spread, Some(x), out)
}

/// Writes or adds the source at the indexed places of the target, which is `x` itself in place, else a copy.
pub(super) fn scatter<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Scatter(Scatter { dim, mode, in_place, rule }) = *c.op else { return Err(mismatch(c)) };
    let out = c.output(0)?;
    let base = if in_place { None } else { Some(c.input(0)?) };
    let first = base.iter().len();
    let (ids, src) = (c.input(first)?, c.input(first + 1)?);
    let strides = ids.layout.stride();
    let inner = ids.layout.dims()[dim + 1..].iter().product();
    let spread = Spread { dim, rule, ids, src, strides, step: strides[dim], inner };
    match mode {
        ScatterMode::Add => add(c, "scatter_add", &spread, base, out),
        ScatterMode::Set => {
            let t = word(out.dtype);
            if let Some(x) = base {
                copy_to(c, x, out)?;
            }
            spread.run(c, Kernel::new(Unit::Index, t, "scatter"), out, false)
        }
    }
}

/// Adds to the base, or to the output itself where there is none; f16 and bf16 in a copy in f32.
fn add<R: Runtime>(
    c: &Call<'_, R>,
    name: &'static str,
    spread: &Spread<'_>,
    base: Option<Operand<'_>>,
    out: Operand<'_>,
) -> Result<()> {
    let t = out.dtype;
    let kernel = |name| Kernel::new(Unit::IndexAdd, t, name);
    // Integers have one sum in any order.
    let atomic = if t.is_int() { t.size_in_bytes() >= 4 } else { !crate::deterministic() };
    if !matches!(t, DType::F16 | DType::BF16) {
        if let Some(x) = base {
            copy_to(c, x, out)?;
        }
        return spread.run(c, kernel(name), out, atomic);
    }
    let sums = c.dev.storage(DType::F32, out.count())?;
    let flat = Layout::contiguous(out.layout.shape().clone());
    let wide = Operand { ptr: sums.address(), dtype: DType::F32, layout: &flat };
    c.elementwise(kernel("widen"), [wide, base.unwrap_or(out)], Nothing::default())?;
    spread.run(c, kernel(name), wide, atomic)?;
    c.elementwise(kernel("narrow"), [out, wide], Nothing::default())
}

/// What is put to the target, and where: ids with their strides in the source's dimensions and along the one they name.
struct Spread<'a> {
    dim: usize,
    rule: IndexMode,
    ids: Operand<'a>,
    src: Operand<'a>,
    strides: &'a [usize],
    step: usize,
    /// Elements of the ids' shape behind the dimension; 0 where ids are a vector.
    inner: usize,
}

impl Spread<'_> {
    /// Puts each value in order; or, where `atomic` and that pays, adds them in no order.
    fn run<R: Runtime>(
        &self,
        c: &Call<'_, R>,
        kernel: Kernel,
        target: Operand<'_>,
        atomic: bool,
    ) -> Result<()> {
        let (dim, dims) = (self.dim, self.src.layout.dims());
        let (len, size) = (dims[dim], target.layout.dims()[dim]);
        if self.ids.count() == 0 {
            return Ok(());
        }
        let [t, s, i] = [target.layout.stride(), self.src.layout.stride(), self.strides];
        let mut p = SpreadParams {
            ptr: [target.ptr, self.src.ptr, self.ids.ptr],
            lines: part(dims, [t, s, i], |d| d != dim),
            ids: ids_of(c, &self.ids, size, self.rule)?,
            step: [t[dim] as u64, s[dim] as u64, self.step as u64],
            len: len as u64,
            per: (size as u64).max(1),
            inner: self.inner as u64,
        };
        let lines = p.lines.n;
        if lines == 0 {
            return check_ids(c, &self.ids, p.ids);
        }
        let device = u64::from(c.dev.info().units.max(16)) * 8;
        let places = size as u64;
        let (form, grid) = if len <= SHORT || lines >= LINES {
            p.lines.blocks = c.blocks(lines);
            // Few lines: several blocks read the same ids, each for its part of the target.
            let most = if len <= SHORT { 1 } else { (device / u64::from(p.lines.blocks)).clamp(1, 65_535) };
            p.per = places.div_ceil(most).max(1);
            ("l", [p.lines.blocks, places.div_ceil(p.per).max(1) as u32, 1])
        } else {
            let blocks = places.div_ceil(u64::from(BLOCK)).clamp(1, device);
            p.per = places.div_ceil(blocks * u64::from(BLOCK)).max(1);
            ("t", [blocks as u32, lines as u32, 1])
        };
        // Blocks that share a line read all its ids each, and long lines one after the other.
        let shared = form == "t" || grid[1] > 1;
        if atomic && shared && lines * places >= PLACES {
            return self.each(c, Kernel { form: "a", ..kernel }, target, p.ids);
        }
        c.launch(Kernel { form, ..kernel }, grid, BLOCK, &p)
    }

    /// A thread an element of the source.
    fn each<R: Runtime>(&self, c: &Call<'_, R>, kernel: Kernel, target: Operand<'_>, ids: Ids) -> Result<()> {
        let (dim, dims) = (self.dim, self.src.layout.dims());
        let mut stride = DimVec::from_slice(self.strides);
        stride[dim] = self.step;
        let named = Layout::new(DimVec::from_slice(dims).into(), stride, 0);
        let mut walk = walk(&[&still(target.layout, dim, dims), self.src.layout, &named]);
        walk.blocks = c.blocks(walk.n);
        let p = PickParams {
            ptr: [target.ptr, self.src.ptr, self.ids.ptr],
            walk,
            ids,
            step: target.layout.stride()[dim] as u64,
            // Elements that share an id: with a vector of ids all that are behind the dimension.
            inner: if self.inner == 0 { dims[dim + 1..].iter().product::<usize>() as u64 } else { 1 },
            len: self.ids.count() as u64,
        };
        c.launch(kernel, [walk.blocks, 1, 1], BLOCK, &p)
    }
}
