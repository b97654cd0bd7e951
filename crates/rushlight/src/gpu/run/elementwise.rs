//! Ops that work element by element: the family tables' kernels by the cards' names, casts, copies and generation.
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{Call, Extra, Nothing, Operand, collapse, walk};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::shape::MAX_RANK;
use crate::{DType, Error, Result, Scalar};

/// The bits of a value to fill with.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits(u64);
impl Extra for Bits {}

/// Where tril and triu cut.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    rows: u64,
    columns: u64,
    diagonal: i64,
    upper: u64,
}
impl Extra for Edge {}

/// affine.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    mul: f64,
    add: f64,
    exact: u64,
}
impl Extra for Line {}

/// An op with one number.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number(f64);
impl Extra for Number {}

/// arange, as integers and as floats.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    start: u64,
    step: u64,
    first: f64,
    by: f64,
}
impl Extra for Range {}

/// The unsigned integer of a dtype's size: what pure movement is compiled for.
pub(crate) fn word(dtype: DType) -> DType {
    match dtype.size_in_bytes() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    }
}

/// Another op reached this function: the match of ops is wrong.
pub(super) fn mismatch<R: Runtime>(c: &Call<'_, R>) -> Error {
    Error::invalid(c.name, "reached the launch function of another op")
}

/// One input, by the op's name.
fn map1<R: Runtime, E: Extra>(c: &Call<'_, R>, unit: Unit, extra: E) -> Result<()> {
    let (x, out) = (c.input(0)?, c.output(0)?);
    c.elementwise(Kernel::new(unit, x.dtype, c.name), [out, x], extra)
}

/// Two inputs, by the op's name.
fn map2<R: Runtime>(c: &Call<'_, R>, unit: Unit) -> Result<()> {
    let (a, b, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    c.elementwise(Kernel::new(unit, a.dtype, c.name), [out, a, b], Nothing::default())
}

/// Copies an operand's elements to another of the same shape and dtype.
pub(crate) fn copy_to<R: Runtime>(c: &Call<'_, R>, from: Operand<'_>, to: Operand<'_>) -> Result<()> {
    c.elementwise(Kernel::new(Unit::Move, word(from.dtype), "copy"), [to, from], Nothing::default())
}

pub(super) fn copy<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    copy_to(c, c.input(0)?, c.output(0)?)
}

pub(super) fn unary<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    use crate::ops::unary::UnaryOp as U;
    let Op::Unary(op) = c.op else { return Err(mismatch(c)) };
    let whole = matches!(op.0, U::Floor | U::Ceil | U::Trunc | U::Round) && c.input(0)?.dtype.is_int();
    if whole { copy(c) } else { map1(c, Unit::Unary, Nothing::default()) }
}

pub(super) fn binary<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    map2(c, Unit::Binary)
}

pub(super) fn compare<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    if c.op.inputs().len() == 2 { map2(c, Unit::Compare) } else { map1(c, Unit::Compare, Nothing::default()) }
}

pub(super) fn affine<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Affine(op) = c.op else { return Err(mismatch(c)) };
    let whole = |v: f64| v == v.trunc() && v.abs() < 9e15;
    let exact = u64::from(whole(op.mul) && whole(op.add));
    map1(c, Unit::Scale, Line { mul: op.mul, add: op.add, exact })
}

pub(super) fn powf<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Powf(op) = c.op else { return Err(mismatch(c)) };
    map1(c, Unit::Scale, Number(op.0))
}

pub(super) fn elu<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Elu(op) = c.op else { return Err(mismatch(c)) };
    map1(c, Unit::Scale, Number(op.0))
}

pub(super) fn addcmul<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AddCMul(op) = c.op else { return Err(mismatch(c)) };
    let (x, a, b, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::Scale, x.dtype, c.name) };
    c.elementwise(kernel, [out, x, a, b], Number(op.value))
}

pub(super) fn cast<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (x, out) = (c.input(0)?, c.output(0)?);
    if x.dtype == out.dtype {
        return copy_to(c, x, out);
    }
    let kernel = Kernel { u: Some(out.dtype), ..Kernel::new(Unit::Cast, x.dtype, "cast") };
    c.elementwise(kernel, [out, x], Nothing::default())
}

pub(super) fn where_cond<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (cond, a, b, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let u = Some(word(cond.dtype));
    let kernel = Kernel { u, form: "s", ..Kernel::new(Unit::Move, word(a.dtype), "where_cond") };
    c.elementwise(kernel, [out, cond, a, b], Nothing::default())
}

/// A value's bits in its dtype, the rest 0.
fn bits(v: &Scalar) -> u64 {
    match v {
        Scalar::Bool(v) => u64::from(*v),
        Scalar::U8(v) => u64::from(*v),
        Scalar::I8(v) => u64::from(*v as u8),
        Scalar::U16(v) => u64::from(*v),
        Scalar::I16(v) => u64::from(*v as u16),
        Scalar::U32(v) => u64::from(*v),
        Scalar::I32(v) => u64::from(*v as u32),
        Scalar::U64(v) => *v,
        Scalar::I64(v) => *v as u64,
        Scalar::F8E4M3(v) => u64::from(v.to_bits()),
        Scalar::BF16(v) => u64::from(v.to_bits()),
        Scalar::F16(v) => u64::from(v.to_bits()),
        Scalar::F32(v) => u64::from(v.to_bits()),
        Scalar::F64(v) => v.to_bits(),
        Scalar::C64(v) => u64::from(v.re.to_bits()) | u64::from(v.im.to_bits()) << 32,
    }
}

pub(super) fn fill<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Fill(op) = c.op else { return Err(mismatch(c)) };
    let out = c.output(0)?;
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::Move, word(out.dtype), "const_set") };
    c.elementwise(kernel, [out], Bits(bits(&op.0)))
}

pub(super) fn arange<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Arange(op) = c.op else { return Err(mismatch(c)) };
    let out = c.output(0)?;
    // Integers wrap, so 64 bits of either sign will do.
    let whole = |s: &Scalar| match s {
        Scalar::U64(v) => *v,
        Scalar::I64(v) => *v as u64,
        s => s.to_f64() as i64 as u64,
    };
    let (start, step) = (whole(&op.start), whole(&op.step));
    let range = Range { start, step, first: op.start.to_f64(), by: op.step.to_f64() };
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::Scale, out.dtype, "arange") };
    c.elementwise(kernel, [out], range)
}

/// A flip is a copy from the last element on, with negative strides.
pub(super) fn flip<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Flip(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    if x.count() == 0 {
        return Ok(());
    }
    let mut strides = [[0u64; MAX_RANK]; 2];
    let (mut from, size) = (x.ptr, x.dtype.size_in_bytes() as u64);
    for (d, &dim) in x.layout.dims().iter().enumerate() {
        let step = x.layout.stride()[d] as u64;
        strides[0][d] = out.layout.stride()[d] as u64;
        strides[1][d] = step;
        if op.flips(d) {
            from += (dim as u64 - 1) * step * size;
            strides[1][d] = step.wrapping_neg();
        }
    }
    let w = collapse(x.layout.dims(), &strides);
    c.walked(Kernel::new(Unit::Move, word(x.dtype), "copy"), [out.ptr, from], w, Nothing::default())
}

pub(super) fn triangle<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Triangle(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let [.., rows, columns] = *x.layout.dims() else {
        let shape = x.layout.shape().clone();
        return Err(Error::UnexpectedNumberOfDims { expected: 2, got: shape.rank(), shape }.bt());
    };
    // Beyond the size of any tensor the diagonal changes nothing, and sums stay in range.
    let diagonal = op.diagonal.clamp(-(1 << 62), 1 << 62);
    let edge = Edge { rows: rows as u64, columns: columns as u64, diagonal, upper: u64::from(op.upper) };
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::Move, word(x.dtype), "triangle") };
    let w = walk(&[out.layout, x.layout]);
    c.walked(kernel, [out.ptr, x.ptr], w, edge)
}
