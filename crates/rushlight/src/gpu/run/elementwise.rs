//! Elementwise ops (kernels have the names of the ops), casts, copies and generation of values.
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, ElementwiseParams, NoParams, Operand, StridedIter, collapse, iter};
use crate::gpu::params::{KernelParams, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::clamp::Bounds;
use crate::ops::{Accuracy, Op, OpDef};
use crate::shape::MAX_RANK;
use crate::{DType, Error, Result, Scalar};

kernel_params! {
    /// Numbers of const_set.
    pub(crate) struct FillParams {
        /// The value's bits, zero-extended; of 16 bytes the first 8.
        bits: u64,
        /// The last 8 of 16 bytes.
        high: u64,
    }
}
kernel_params! {
    /// Planes that a copy transposes.
    pub(crate) struct PlaneParams {
        /// Elements of a column. In the input they follow one another.
        rows: u64,
        /// Elements of a row. In the output they follow one another.
        columns: u64,
        /// Distance of the input's columns.
        input_step: u64,
        /// Distance of the output's rows.
        output_step: u64,
        /// Tiles of a plane.
        tiles: u64,
        /// Tiles side by side in a plane.
        tiles_across: u64,
    }
}
kernel_params! {
    /// Numbers of tril and triu.
    pub(crate) struct TriangleParams {
        /// Size of the last dimension but one.
        rows: u64,
        /// Size of the last dimension.
        columns: u64,
        /// Diagonal of the edge: 0 is the main one, 1 the one above it.
        diagonal: i64,
        /// 1: triu, 0: tril.
        upper: u64,
    }
}
kernel_params! {
    /// Numbers of affine: x * mul + add.
    pub(crate) struct AffineParams {
        /// The factor.
        mul: f64,
        /// The summand.
        add: f64,
        /// For integers. 1: both numbers are integers, and the arithmetic wraps.
        exact: u64,
    }
}
kernel_params! {
    /// Number of an op with one number.
    pub(crate) struct ScalarParams {
        /// The number.
        pub value: f64,
    }
}
kernel_params! {
    /// The bounds of clamp.
    pub(crate) struct ClampParams {
        /// The bits of the lower bound, zero-extended.
        min: u64,
        /// The bits of the upper bound.
        max: u64,
    }
}
kernel_params! {
    /// Numbers of arange: start + i * step.
    pub(crate) struct ArangeParams {
        /// Start for integers, which wrap.
        start: u64,
        /// Step for integers.
        step: u64,
        /// Start for floats.
        float_start: f64,
        /// Step for floats.
        float_step: f64,
    }
}
/// Returns the unsigned integer of a dtype's size (C128 for 16 bytes), for kernels that only move elements.
pub(crate) fn word(dtype: DType) -> DType {
    match dtype.size_in_bytes() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        _ => DType::C128,
    }
}

/// Returns the unit of an elementwise op on elements of a dtype: complex numbers have their own.
fn unit_for(dtype: DType, real: Unit) -> Unit {
    if dtype.is_complex() { Unit::Complex } else { real }
}

/// Returns the error for an op that reached the launch function of another op: a wrong entry in the match.
pub(super) fn mismatch<R: Runtime>(c: &Call<'_, R>) -> Error {
    Error::invalid(c.name, "reached the launch function of another op")
}

/// Runs the kernel of a one-input op; it has the op's name.
pub(super) fn map1<R: Runtime, E: KernelParams>(c: &Call<'_, R>, unit: Unit, extra: E) -> Result<()> {
    let (x, out) = (c.input(0)?, c.output(0)?);
    c.elementwise(Kernel::new(unit, x.dtype, c.name, Variant::Contig), [out, x], extra)
}

/// Runs the kernel of a two-input op; it has the op's name.
pub(super) fn map2<R: Runtime, E: KernelParams>(c: &Call<'_, R>, unit: Unit, extra: E) -> Result<()> {
    let (a, b, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    c.elementwise(Kernel::new(unit, a.dtype, c.name, Variant::Contig), [out, a, b], extra)
}

/// Copies an operand's elements to another of the same shape and dtype.
pub(crate) fn copy_to<R: Runtime>(c: &Call<'_, R>, from: Operand<'_>, to: Operand<'_>) -> Result<()> {
    let kernel = |variant| Kernel::new(Unit::Move, word(from.dtype), "copy", variant);
    let Some((iter, planes)) = planes(iter(&[to.layout, from.layout]), from.dtype.size_in_bytes()) else {
        return c.elementwise(kernel(Variant::Contig), [to, from], NoParams::default());
    };
    let blocks = iter.count.saturating_mul(planes.tiles).min(u64::from(c.blocks(u64::MAX))) as u32;
    let ptr = [to.ptr, from.ptr];
    let params = ElementwiseParams { ptr, iter: StridedIter { blocks, ..iter }, extra: planes };
    c.launch(kernel(Variant::Tile), [blocks, 1, 1], BLOCK, &params)
}

/// The least number of rows and of columns of planes that are copied through tiles.
const LEAST_SIDE: u64 = 16;

/// Returns the planes of a copy whose output and input have different dimensions of adjacent elements, and the iteration over
/// its other dimensions; `None` if there are none, or small ones.
fn planes(iter: StridedIter<2>, size: usize) -> Option<(StridedIter<2>, PlaneParams)> {
    let rank = iter.rank as usize;
    let adjacent = |k: usize| (0..rank).rev().find(|&d| iter.strides[k][d] == 1 && iter.dims[d] > 1);
    let (column, row) = (adjacent(0)?, adjacent(1)?);
    let (rows, columns) = (iter.dims[row], iter.dims[column]);
    // (With a step of 0 one element serves a row, which needs no tile.)
    if row == column || iter.strides[1][column] == 0 || rows < LEAST_SIDE || columns < LEAST_SIDE {
        return None;
    }
    let side = if size == 1 { 64 } else { 32 };
    let (down, across) = (rows.div_ceil(side), columns.div_ceil(side));
    let tiles = down.checked_mul(across).filter(|&t| t < 1 << 31)?;
    let planes = PlaneParams {
        rows,
        columns,
        input_step: iter.strides[1][column],
        output_step: iter.strides[0][row],
        tiles,
        tiles_across: across,
    };
    // The planes themselves have one step each.
    let mut dims = iter.dims.map(|d| d as usize);
    (dims[row], dims[column]) = (1, 1);
    Some((collapse(&dims[..rank], &iter.strides), planes))
}

pub(super) fn copy<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    copy_to(c, c.input(0)?, c.output(0)?)
}

pub(super) fn unary<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    use crate::ops::unary::UnaryOp as U;
    let Op::Unary(op) = c.op else { return Err(mismatch(c)) };
    let whole = matches!(op.0, U::Floor | U::Ceil | U::Trunc | U::Round) && c.input(0)?.dtype.is_int();
    let unit = match (c.input(0)?.dtype.is_complex(), op.accuracy()) {
        (false, _) => Unit::Unary,
        (true, Accuracy::Ulps { .. }) => Unit::ComplexUnary,
        (true, _) if matches!(op.0, U::Sqrt | U::Rsqrt) => Unit::ComplexUnary,
        (true, _) => Unit::Complex,
    };
    if whole { copy(c) } else { map1(c, unit, NoParams::default()) }
}

pub(super) fn binary<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    // (The inputs of `complex` are real.)
    map2(c, unit_for(c.output(0)?.dtype, Unit::Binary), NoParams::default())
}

pub(super) fn compare<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let unit = unit_for(c.input(0)?.dtype, Unit::Compare);
    if c.op.inputs().len() == 2 {
        map2(c, unit, NoParams::default())
    } else {
        map1(c, unit, NoParams::default())
    }
}

pub(super) fn affine<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Affine(op) = c.op else { return Err(mismatch(c)) };
    let whole = |v: f64| v == v.trunc() && v.abs() < 9e15;
    let exact = u64::from(whole(op.mul) && whole(op.add));
    map1(c, unit_for(c.input(0)?.dtype, Unit::Scale), AffineParams { mul: op.mul, add: op.add, exact })
}

pub(super) fn powf<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Powf(op) = c.op else { return Err(mismatch(c)) };
    map1(c, Unit::Scale, ScalarParams { value: op.0 })
}

pub(super) fn elu<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Elu(op) = c.op else { return Err(mismatch(c)) };
    map1(c, Unit::Scale, ScalarParams { value: op.0 })
}

/// Returns the numbers of clamp and of its gradient.
fn clamped(bounds: &Bounds, dtype: DType) -> ClampParams {
    let [min, max] = bounds.ends(dtype);
    ClampParams { min: bits(&min), max: bits(&max) }
}

pub(super) fn clamp<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Clamp(op) = c.op else { return Err(mismatch(c)) };
    map1(c, Unit::Scale, clamped(&op.0, c.input(0)?.dtype))
}

pub(super) fn clamp_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ClampBackward(op) = c.op else { return Err(mismatch(c)) };
    map2(c, Unit::Scale, clamped(&op.0, c.input(0)?.dtype))
}

pub(super) fn clamp_tensor<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ClampTensor(op) = c.op else { return Err(mismatch(c)) };
    let (x, first, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    if op.lower && op.upper {
        let kernel = Kernel::new(Unit::Scale, x.dtype, c.name, Variant::Strided);
        return c.elementwise(kernel, [out, x, first, c.input(2)?], NoParams::default());
    }
    // One bound: a maximum or a minimum of two tensors.
    let kernel =
        Kernel::new(Unit::Binary, x.dtype, if op.lower { "maximum" } else { "minimum" }, Variant::Contig);
    c.elementwise(kernel, [out, x, first], NoParams::default())
}

pub(super) fn lerp<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Lerp(op) = c.op else { return Err(mismatch(c)) };
    if let Some(value) = op.weight {
        return map2(c, Unit::Scale, ScalarParams { value });
    }
    let (x, end, weight, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let kernel = Kernel::new(Unit::Scale, x.dtype, c.name, Variant::Strided);
    c.elementwise(kernel, [out, x, end, weight], NoParams::default())
}

pub(super) fn addcmul<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AddCMul(op) = c.op else { return Err(mismatch(c)) };
    let (x, a, b, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let kernel = Kernel::new(Unit::Scale, x.dtype, c.name, Variant::Strided);
    c.elementwise(kernel, [out, x, a, b], ScalarParams { value: op.value })
}

pub(super) fn cast<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (x, out) = (c.input(0)?, c.output(0)?);
    if x.dtype == out.dtype {
        return copy_to(c, x, out);
    }
    let kernel = Kernel { u: Some(out.dtype), ..Kernel::new(Unit::Cast, x.dtype, "cast", Variant::Contig) };
    c.elementwise(kernel, [out, x], NoParams::default())
}

pub(super) fn where_cond<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (cond, a, b, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let u = Some(word(cond.dtype));
    let variant = if u == Some(DType::U8) { Variant::Contig } else { Variant::Strided };
    let kernel = Kernel { u, ..Kernel::new(Unit::Move, word(a.dtype), "where_cond", variant) };
    c.elementwise(kernel, [out, cond, a, b], NoParams::default())
}

/// Returns a value's bits in its dtype, zero-extended; of 16 bytes the first 8.
pub(super) fn bits(v: &Scalar) -> u64 {
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
        Scalar::C128(v) => v.re.to_bits(),
    }
}

/// Returns the last 8 of 16 bytes of a value, and 0 for a smaller dtype.
pub(super) fn high_bits(v: &Scalar) -> u64 {
    if let Scalar::C128(v) = v { v.im.to_bits() } else { 0 }
}

pub(super) fn fill<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Fill(op) = c.op else { return Err(mismatch(c)) };
    let out = c.output(0)?;
    let kernel = Kernel::new(Unit::Move, word(out.dtype), "const_set", Variant::Strided);
    c.elementwise(kernel, [out], FillParams { bits: bits(&op.0), high: high_bits(&op.0) })
}

pub(super) fn arange<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Arange(op) = c.op else { return Err(mismatch(c)) };
    let out = c.output(0)?;
    // Integers wrap, so the low 64 bits of either signedness are enough.
    let whole = |s: &Scalar| match s {
        Scalar::U64(v) => *v,
        Scalar::I64(v) => *v as u64,
        s => s.to_f64() as i64 as u64,
    };
    let (start, step) = (whole(&op.start), whole(&op.step));
    let range = ArangeParams { start, step, float_start: op.start.to_f64(), float_step: op.step.to_f64() };
    let kernel = Kernel::new(Unit::Scale, out.dtype, "arange", Variant::Strided);
    c.elementwise(kernel, [out], range)
}

/// Runs a flip: a copy that starts at the last element and has negative strides.
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
    let iter = collapse(x.layout.dims(), &strides);
    let kernel = Kernel::new(Unit::Move, word(x.dtype), "copy", Variant::Contig);
    c.elementwise_in_packs(kernel, [out.ptr, from], iter, x.dtype.size_in_bytes(), NoParams::default())
}

pub(super) fn triangle<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Triangle(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let [.., rows, columns] = *x.layout.dims() else {
        let shape = x.layout.shape().clone();
        return Err(Error::UnexpectedNumberOfDims { expected: 2, got: shape.rank(), shape }.bt());
    };
    // A larger offset would have no further effect. The bound keeps the kernel's sums in range.
    let diagonal = op.diagonal.clamp(-(1 << 62), 1 << 62);
    let params =
        TriangleParams { rows: rows as u64, columns: columns as u64, diagonal, upper: u64::from(op.upper) };
    let kernel = Kernel::new(Unit::Move, word(x.dtype), "triangle", Variant::Strided);
    let iter = iter(&[out.layout, x.layout]);
    c.elementwise_over(kernel, [out.ptr, x.ptr], iter, params)
}
