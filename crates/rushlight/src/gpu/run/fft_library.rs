//! Fourier transforms by the vendor's library: the layouts that it can read without a copy, and the check that it must pass
//! before it is used.
use super::blas::decode;
use crate::gpu::fft::{Fft, Lines, Transforms};
use crate::gpu::launch::{Call, Operand, StridedIter, iter_of};
use crate::gpu::runtime::{Failure, Outcome, Runtime};
use crate::gpu::vendor::{Asked, Family, Library, Reason, by_library};
use crate::gpu::{GpuDevice, GpuStorage};
use crate::ops::fft::Fft as FftOp;
use crate::{DType, Error, Result};

static STEP: Reason = Reason::new("the numbers of a line lie in one place, or in reverse");
static PIECES: Reason = Reason::new("a batch of lines lies in too many pieces");
static SIZE: Reason = Reason::new("the lines span 2^31 numbers or more");
static ALIGNED: Reason = Reason::new("memory of another library is not aligned to its elements");
static SPACE: Reason = Reason::new("no device memory is left for its workspace");

/// Largest number of library calls for one op. Lines along a middle dimension need a call for each index before it.
const CALLS: u64 = 256;
/// Longest line of the classes of short lines: libraries transform these in one kernel.
const SHORT: u64 = 4096;

/// Computes the op by the library. Returns `false` if our kernels must run instead.
pub(super) fn transforms<'a, R: Runtime>(
    c: &Call<'a, R>,
    op: &FftOp,
    x: &Operand<'a>,
    out: &Operand<'a>,
) -> Result<bool> {
    by_library(c, Family::Fft, |library| {
        let plan = Plan::new::<R>(op, x, out)?;
        let kind = plan.kind();
        library.kind(kind, || check(c.dev, &plan.call))?;
        plan.run(c, library, kind)
    })
}

/// Returns what decides on a library's algorithm: whether lines are long, and whether they have a prime factor above 7.
fn class(length: u64) -> (bool, bool) {
    let mut rest = length;
    for prime in [2, 3, 5, 7] {
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    (length > SHORT, rest > 1)
}

/// Transforms as library calls: one call, repeated over the batch dimensions that a call cannot iterate over.
struct Plan {
    call: Transforms,
    from: u64,
    to: u64,
    /// The batch dimensions over which the call is repeated; operands are out, x.
    outer: StridedIter<2>,
}

impl Plan {
    fn new<R: Runtime>(
        op: &FftOp,
        x: &Operand<'_>,
        out: &Operand<'_>,
    ) -> std::result::Result<Self, &'static Reason> {
        let dims = x.layout.dims();
        let length = dims[op.dim] as u64;
        let size = x.dtype.size_in_bytes() as u64;
        if [x, out].iter().any(|o| !o.ptr.is_multiple_of(size)) {
            return Err(&ALIGNED);
        }
        let strides = [out.layout.stride(), x.layout.stride()];
        // Strides are in two's complement. (That of a single number does not matter.)
        let positive = |s: u64| s > 0 && s < 1 << 63;
        let [out_step, in_step] = strides.map(|s| if length == 1 { 1 } else { s[op.dim] as u64 });
        if !positive(in_step) || !positive(out_step) {
            return Err(&STEP);
        }
        let mut outer = iter_of(dims, strides, |d| d != op.dim);
        // A call iterates over the longest batch dimension whose lines lie behind one another.
        let batches = |d: &usize| outer.dims[*d] > 1 && outer.strides.iter().all(|s| positive(s[*d]));
        let long = (0..outer.rank as usize).filter(batches).max_by_key(|d| outer.dims[*d]);
        let batch = long.map_or(1, |d| std::mem::replace(&mut outer.dims[d], 1));
        outer.count /= batch;
        let lines = |k: usize, step: u64| {
            let distance = long.map_or(length.saturating_mul(step), |d| outer.strides[k][d]);
            Lines { step, distance }
        };
        let (output, input) = (lines(0, out_step), lines(1, in_step));
        let reach = |l: Lines| (length - 1).saturating_mul(l.step) + (batch - 1).saturating_mul(l.distance);
        if [output, input].iter().any(|l| l.step.max(l.distance).max(reach(*l)) >= 1 << 31) {
            return Err(&SIZE);
        }
        if outer.count > CALLS {
            return Err(&PIECES);
        }
        let scale = if R::FFT_SCALES { op.scale } else { 1.0 };
        let call = Transforms {
            double: x.dtype == DType::C128,
            inverse: op.inverse,
            length,
            batch,
            input,
            output,
            scale: scale.to_bits(),
        };
        Ok(Self { call, from: x.ptr, to: out.ptr, outer })
    }

    /// Returns the number of this kind of call. It stands for the dtype, the sign of the exponents, lines of neighbours or not,
    /// and the class of their length.
    fn kind(&self) -> usize {
        let c = &self.call;
        let apart = c.input.step.max(c.output.step) > 1;
        let (long, rough) = class(c.length);
        let bits = [c.double, c.inverse, apart, long, rough];
        bits.iter().fold(0, |kind, bit| kind * 2 + usize::from(*bit))
    }

    fn run<'a, R: Runtime>(&self, c: &Call<'a, R>, library: &Library<'a, R>, kind: usize) -> Asked<'a> {
        let size = if self.call.double { 16 } else { 8 };
        let mut bytes = 0;
        let ask = || c.dev.runtime().fft(&mut |f: &mut dyn Fft| f.workspace(&self.call).map(|b| bytes = b));
        match library.roomy(ask) {
            Err(Failure::OutOfMemory) => return Err(&SPACE),
            other => other.map_err(|f| library.distrust(kind, f))?,
        }
        let space = workspace(c.dev, bytes).map_err(|_| &SPACE)?;
        let space = (space.as_ref().map_or(0, GpuStorage::address), bytes);
        for i in 0..self.outer.count {
            let mut at = [0u64; 2];
            let mut rest = i;
            for d in (0..self.outer.rank as usize).rev() {
                let index = rest % self.outer.dims[d];
                rest /= self.outer.dims[d];
                for (at, s) in at.iter_mut().zip(&self.outer.strides) {
                    *at = at.wrapping_add(index.wrapping_mul(s[d]));
                }
            }
            let [to, from] = at.map(|a| a.wrapping_mul(size));
            let (to, from) = (self.to.wrapping_add(to), self.from.wrapping_add(from));
            library.call(kind, || c.dev.runtime().fft(&mut |f| f.run(&self.call, from, to, space)))?;
        }
        Ok(())
    }
}

fn workspace<R: Runtime>(dev: &GpuDevice<R>, bytes: u64) -> Result<Option<GpuStorage<R>>> {
    if bytes == 0 { Ok(None) } else { dev.storage(DType::U8, bytes as usize).map(Some) }
}

/// Returns a part of the check's numbers, from -1 to 1, exact in f32.
fn entry(i: u64) -> f64 {
    ((i.wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44) as f64 / 524_288.0 - 1.0
}

fn encode(double: bool, values: &[f64]) -> Vec<u8> {
    let bytes = |v: &f64| if double { v.to_le_bytes().to_vec() } else { (*v as f32).to_le_bytes().to_vec() };
    values.iter().flat_map(bytes).collect()
}

/// Compares transforms of three lines of a length of this kind with plain sums in f64, and checks that the input is unchanged:
/// rocFFT's documentation allows it to write there. (It does so for transforms to real numbers only.)
fn check<R: Runtime>(dev: &GpuDevice<R>, of: &Transforms) -> Outcome<()> {
    const BATCH: u64 = 3;
    let double = of.double;
    let dtype = if double { DType::C128 } else { DType::C64 };
    let length: u64 = match class(of.length) {
        (false, false) => 336,
        (false, true) => 211,
        (true, false) => 8400,
        (true, true) => 4099,
    };
    // Lines of neighbours have other numbers between them, which must not be read.
    let apart = of.input.step.max(of.output.step) > 1;
    let (input, output) = match apart {
        true => (Lines { step: BATCH, distance: 1 }, Lines { step: BATCH, distance: 1 }),
        false => (Lines { step: 1, distance: length + 5 }, Lines { step: 1, distance: length }),
    };
    let scale: f64 = if R::FFT_SCALES { 0.5 } else { 1.0 };
    let call = Transforms { double, length, batch: BATCH, input, output, scale: scale.to_bits(), ..*of };
    let place = |l: Lines, line: u64, k: u64| (line * l.distance + k * l.step) as usize;
    let mut numbers = vec![f64::NAN; 2 * (place(input, BATCH - 1, length - 1) + 1)];
    for line in 0..BATCH {
        for k in 0..length {
            let at = place(input, line, k);
            numbers[2 * at] = entry(2 * at as u64);
            numbers[2 * at + 1] = entry(2 * at as u64 + 1);
        }
    }
    let failure = |e: Error| Failure::Other(e.to_string());
    let bytes = encode(double, &numbers);
    let part = if double { 8 } else { 4 };
    let on_input = dev.storage(DType::U8, bytes.len()).map_err(failure)?;
    let on_output = dev.storage(dtype, (BATCH * length) as usize).map_err(failure)?;
    let runtime = dev.runtime();
    runtime.upload(on_input.address(), &bytes)?;
    let (from, to) = (on_input.address(), on_output.address());
    runtime.fft(&mut |f| {
        let needed = f.workspace(&call)?;
        let space = workspace(dev, needed).map_err(failure)?;
        f.run(&call, from, to, (space.as_ref().map_or(0, GpuStorage::address), needed))
    })?;
    let mut got = vec![0u8; (2 * BATCH * length) as usize * part];
    runtime.download(&mut got, to)?;
    let mut left = vec![0u8; bytes.len()];
    runtime.download(&mut left, from)?;
    if left != bytes {
        return Err(Failure::Other(format!("its first transform of {dtype:?} changed its input")));
    }
    let real = if double { DType::F64 } else { DType::F32 };
    let got: Vec<f64> = got.chunks(part).map(|b| decode(real, b)).collect();
    let turn = std::f64::consts::TAU / length as f64 * if of.inverse { 1.0 } else { -1.0 };
    let roots: Vec<(f64, f64)> = (0..length).map(|k| (turn * k as f64).sin_cos()).collect();
    let eps = if double { f64::EPSILON } else { f64::from(f32::EPSILON) };
    for line in 0..BATCH {
        let at = |k: u64| 2 * place(input, line, k);
        let squares = (0..length).map(|k| numbers[at(k)].powi(2) + numbers[at(k) + 1].powi(2)).sum::<f64>();
        // The bound is loose, since it is meant to find wrong results, not inexact ones.
        let most = 64.0 * eps * (2 * length).ilog2() as f64 * squares.sqrt() * scale;
        // All elements of short lines, some of long ones.
        for k in (0..length).step_by(length.div_ceil(400) as usize) {
            let (mut re, mut im) = (0.0, 0.0);
            for j in 0..length {
                let (s, c) = roots[(j * k % length) as usize];
                let (a, b) = (numbers[at(j)], numbers[at(j) + 1]);
                re += a * c - b * s;
                im += a * s + b * c;
            }
            let found = 2 * place(output, line, k);
            let off = (got[found] - re * scale).abs().max((got[found + 1] - im * scale).abs());
            // (A NaN is off, too.)
            if !matches!(off.partial_cmp(&most), Some(o) if o.is_le()) {
                let text = format!(
                    "its first transform of {dtype:?} was wrong (element {k} of {length} of line {line})"
                );
                return Err(Failure::Other(text));
            }
        }
    }
    Ok(())
}
