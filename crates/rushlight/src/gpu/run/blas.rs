//! Matrix products by the vendor's BLAS: the layouts that it can read without a copy, and the check that it must pass
//! before it is used.
//!
//! BLAS is column-major and tensors are row-major, so the BLAS computes the transposed product: `out' = b' a'`.
use super::elementwise::copy_to;
use super::matmul::{MatrixStrides, batch, last_two};
use crate::gpu::launch::{Call, Operand, StridedIter, iter};
use crate::gpu::runtime::{Failure, Outcome, Runtime};
use crate::gpu::vendor::{Asked, Family, Gemm, Library, Matrix, Reason, by_library};
use crate::gpu::{GpuDevice, GpuStorage};
use crate::{DType, Result};
use half::{bf16, f16};

static INTEGERS: Reason = Reason::never("it multiplies no integers of one dtype");
static LAYOUT: Reason = Reason::new("a matrix has neither rows nor columns of neighbours, or they overlap");
static PIECES: Reason = Reason::new("a batch lies in too many pieces");
static SIZE: Reason = Reason::new("a dimension or stride is beyond 32 bits");
static ALIGNED: Reason = Reason::new("memory of another library is not aligned to its elements");

/// Largest number of BLAS calls for one op. A batch with several dimensions needs a call for each index of all but the
/// longest one.
const CALLS: u64 = 256;
/// Largest number of matrices of a call. With more, rocBLAS of ROCm 6.3 fails on gfx12.
const BATCH: u64 = 65_535;

/// Computes `out = a b`, or `alpha a b + beta x`, by the BLAS. Returns `false` if our kernel must run instead.
pub(super) fn product<'a, R: Runtime>(
    c: &Call<'a, R>,
    a: &Operand<'a>,
    b: &Operand<'a>,
    out: &Operand<'a>,
    add: Option<(Operand<'a>, f64, f64)>,
) -> Result<bool> {
    let rank = a.layout.dims().len();
    let alpha = add.map_or(1.0, |(_, alpha, _)| alpha);
    // Nothing to multiply. With alpha 0, a BLAS does not read the matrices, but a NaN in them must reach the result.
    if out.count() == 0 || a.layout.dims()[rank - 1] == 0 || alpha == 0.0 {
        return Ok(false);
    }
    by_library(c, Family::Blas, |library| {
        let mut plan = Plan::new(a, b, out)?;
        let kind = plan.kind();
        library.kind(kind, || check(c.dev, plan.call.dtype, plan.call.transposed))?;
        if let Some((x, alpha, beta)) = add {
            (plan.call.alpha, plan.call.beta) = (alpha, beta);
            plan.add(c, x, out)?;
        }
        plan.run(c, library, kind)
    })
}

/// Returns how a matrix is stored: whether its columns are contiguous (instead of its rows), and the distance from one
/// row (or column) to the next. `None` if neither is contiguous.
fn side(rows: u64, columns: u64, s: MatrixStrides) -> Option<(bool, u64)> {
    let by_rows = if rows == 1 { columns } else { s.row };
    let by_columns = if columns == 1 { rows } else { s.column };
    if (s.column == 1 || columns == 1) && by_rows >= columns {
        Some((false, by_rows))
    } else if (s.row == 1 || rows == 1) && by_columns >= rows {
        Some((true, by_columns))
    } else {
        None
    }
}

/// A product as BLAS calls: one call, repeated over the batch dimensions that a call cannot iterate over.
struct Plan {
    call: Gemm,
    /// The batch dimensions over which the call is repeated; operands are out, lhs, rhs.
    outer: StridedIter<3>,
}

impl Plan {
    fn new(
        a: &Operand<'_>,
        b: &Operand<'_>,
        out: &Operand<'_>,
    ) -> std::result::Result<Self, &'static Reason> {
        let dtype = out.dtype;
        if !matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::F64) {
            return Err(&INTEGERS);
        }
        let dims = a.layout.dims();
        let (m, k) = (dims[dims.len() - 2] as u64, dims[dims.len() - 1] as u64);
        let n = out.layout.dims()[dims.len() - 1] as u64;
        let size = dtype.size_in_bytes() as u64;
        if [a, b, out].iter().any(|o| !o.ptr.is_multiple_of(size)) {
            return Err(&ALIGNED);
        }
        let (turned_a, lda) = side(m, k, last_two(a.layout)).ok_or(&LAYOUT)?;
        let (turned_b, ldb) = side(k, n, last_two(b.layout)).ok_or(&LAYOUT)?;
        let mut outer = iter(&[&batch(out.layout), &batch(a.layout), &batch(b.layout)]);
        // A BLAS call iterates over the longest batch dimension.
        let rank = outer.rank as usize;
        let long = (0..rank).max_by_key(|d| outer.dims[*d]).unwrap_or(0);
        let count = std::mem::replace(&mut outer.dims[long], 1);
        outer.count /= count;
        let stride = outer.strides.map(|s| if count == 1 { 0 } else { s[long] });
        let to = Matrix { ptr: out.ptr, ld: n, stride: stride[0] };
        let mut call = Gemm {
            dtype,
            transposed: [turned_b, turned_a],
            m: n,
            n: m,
            k,
            batch: count,
            alpha: 1.0,
            beta: 0.0,
            a: Matrix { ptr: b.ptr, ld: ldb, stride: stride[2] },
            b: Matrix { ptr: a.ptr, ld: lda, stride: stride[1] },
            c: to,
            d: to,
        };
        // Left matrices that are adjacent in memory, times one right matrix: this is one product with a taller left
        // matrix.
        let step = if m == 1 { call.b.stride } else { call.b.ld };
        let stacked = !turned_a && step >= k && call.b.stride == m * step && call.d.stride == m * n;
        if count > 1 && call.a.stride == 0 && stacked {
            (call.n, call.batch, call.b.ld) = (m * count, 1, step);
        }
        let most = i32::MAX as u64;
        if [call.m, call.n, call.k, call.a.ld, call.b.ld, call.d.ld].iter().any(|v| *v > most) {
            return Err(&SIZE);
        }
        if outer.count * call.batch.div_ceil(BATCH) > CALLS {
            return Err(&PIECES);
        }
        Ok(Self { call, outer })
    }

    /// Returns the number of this kind of call, which stands for the dtype and the transposed operands.
    fn kind(&self) -> usize {
        let [a, b] = self.call.transposed.map(usize::from);
        let dtype = match self.call.dtype {
            DType::F16 => 0,
            DType::BF16 => 1,
            DType::F32 => 2,
            _ => 3,
        };
        dtype * 4 + a * 2 + b
    }

    /// Sets x as the summand: x is read directly if its rows are contiguous, else it is copied to the output first.
    fn add<R: Runtime>(&mut self, c: &Call<'_, R>, x: Operand<'_>, out: &Operand<'_>) -> Asked<'static> {
        static COPY: Reason = Reason::new("what is added cannot be copied");
        if self.call.beta == 0.0 {
            return Ok(());
        }
        let (rows, columns) = (self.call.n, self.call.m);
        let aligned = x.ptr.is_multiple_of(x.dtype.size_in_bytes() as u64);
        match side(rows, columns, last_two(x.layout)) {
            Some((false, ld)) if R::ADDS_APART && aligned && ld <= i32::MAX as u64 => {
                self.call.c = Matrix { ptr: x.ptr, ld, stride: 0 };
                Ok(())
            }
            _ => copy_to(c, x, *out).map_err(|_| &COPY),
        }
    }

    fn run<'a, R: Runtime>(&self, c: &Call<'a, R>, library: &Library<'a, R>, kind: usize) -> Asked<'a> {
        let size = self.call.dtype.size_in_bytes() as u64;
        for i in 0..self.outer.count {
            let mut at = [0u64; 3];
            let mut rest = i;
            for d in (0..self.outer.rank as usize).rev() {
                let step = rest % self.outer.dims[d];
                rest /= self.outer.dims[d];
                at.iter_mut().zip(&self.outer.strides).for_each(|(at, s)| *at += step * s[d]);
            }
            for first in (0..self.call.batch).step_by(BATCH as usize) {
                let mut call = self.call;
                call.batch = (self.call.batch - first).min(BATCH);
                for (m, at) in [(&mut call.d, at[0]), (&mut call.b, at[1]), (&mut call.a, at[2])] {
                    m.ptr += (at + first * m.stride) * size;
                }
                if self.call.c == self.call.d {
                    call.c = call.d;
                }
                library.call(kind, || c.dev.runtime().gemm(&call))?;
            }
        }
        Ok(())
    }
}

/// Returns an element of the check's matrices: -1, 0 or 1, so that every sum is exact in every dtype.
fn entry(seed: u64, i: u64) -> f64 {
    ((i + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as f64 % 3.0 - 1.0
}

fn encode(dtype: DType, values: &[f64]) -> Vec<u8> {
    let bytes = |v: &f64| match dtype {
        DType::F16 => f16::from_f64(*v).to_le_bytes().to_vec(),
        DType::BF16 => bf16::from_f64(*v).to_le_bytes().to_vec(),
        DType::F32 => (*v as f32).to_le_bytes().to_vec(),
        _ => v.to_le_bytes().to_vec(),
    };
    values.iter().flat_map(bytes).collect()
}

pub(super) fn decode(dtype: DType, bytes: &[u8]) -> f64 {
    let word = bytes.iter().rev().fold(0u64, |w, b| w << 8 | u64::from(*b));
    match dtype {
        DType::F16 => f16::from_bits(word as u16).to_f64(),
        DType::BF16 => bf16::from_bits(word as u16).to_f64(),
        DType::F32 => f64::from(f32::from_bits(word as u32)),
        _ => f64::from_bits(word),
    }
}

/// Compares two small batches of products with a plain loop: `d = a b`, where d holds NaNs that must not be read, then
/// `d = a b + 2 d`.
fn check<R: Runtime>(dev: &GpuDevice<R>, dtype: DType, transposed: [bool; 2]) -> Outcome<()> {
    let (m, n, k, batch) = (17u64, 19u64, 33u64, 2u64);
    let fill = |seed: u64, len: u64| -> Vec<f64> { (0..len).map(|i| entry(seed, i)).collect() };
    let (a, b) = (fill(1, batch * m * k), fill(1000, batch * k * n));
    let room = |values: &[f64]| -> Outcome<GpuStorage<R>> {
        let host = encode(dtype, values);
        let block = dev.storage(DType::U8, host.len()).map_err(|e| Failure::Other(e.to_string()))?;
        dev.runtime().upload(block.address(), &host)?;
        Ok(block)
    };
    let (on_a, on_b) = (room(&a)?, room(&b)?);
    let on_d = room(&vec![f64::NAN; (batch * m * n) as usize])?;
    let [turned_a, turned_b] = transposed;
    let ld = |rows, columns, turned: bool| if turned { columns } else { rows };
    let d = Matrix { ptr: on_d.address(), ld: m, stride: m * n };
    let mut call = Gemm {
        dtype,
        transposed,
        m,
        n,
        k,
        batch,
        alpha: 1.0,
        beta: 0.0,
        a: Matrix { ptr: on_a.address(), ld: ld(m, k, turned_a), stride: m * k },
        b: Matrix { ptr: on_b.address(), ld: ld(k, n, turned_b), stride: k * n },
        c: d,
        d,
    };
    dev.runtime().gemm(&call)?;
    call.beta = 2.0;
    dev.runtime().gemm(&call)?;
    let mut want = Vec::new();
    for i in 0..batch {
        let at = |x: &[f64], first: u64, row: u64, column: u64, ld: u64, turned: bool| {
            let (row, column) = if turned { (column, row) } else { (row, column) };
            x[(first + column * ld + row) as usize]
        };
        for column in 0..n {
            for row in 0..m {
                let mut sum = 0.0;
                for l in 0..k {
                    sum += at(&a, i * m * k, row, l, call.a.ld, turned_a)
                        * at(&b, i * k * n, l, column, call.b.ld, turned_b);
                }
                want.push(3.0 * sum);
            }
        }
    }
    let size = dtype.size_in_bytes();
    let mut got = vec![0u8; want.len() * size];
    dev.runtime().download(&mut got, on_d.address())?;
    match got.chunks(size).zip(&want).position(|(g, w)| decode(dtype, g) != *w) {
        None => Ok(()),
        Some(i) => {
            let text = format!("its first product of {dtype:?} was wrong (element {i} of {m} x {n} by {k})");
            Err(Failure::Other(text))
        }
    }
}
