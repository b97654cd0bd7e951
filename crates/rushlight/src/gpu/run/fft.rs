//! Fourier transforms along a dimension (hip/fft.hip).
use super::elementwise::mismatch;
use super::fft_library;
use super::softmax::starts;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand, StridedIter, iter_of};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::{DType, Error, Result};

kernel_params! {
    /// Parameters of the kernels of Fourier transforms.
    pub(crate) struct FftParams {
        /// Address of the output.
        out: u64,
        /// Address of the input.
        input: u64,
        /// Address of the roots of unity, or of the chirp.
        roots: u64,
        /// Lines.
        lines: u64,
        /// Elements of a line.
        length: u64,
        /// Elements of a line that are not padding, and of the chirp.
        count: u64,
        /// Elements of a row-major array from one element of a line to the next.
        inner: u64,
        /// Stride between the elements of a line of the op's input.
        step: u64,
        /// Elements that one pass transforms together.
        radix: u64,
        /// Product of `radix` of the passes before.
        done: u64,
        /// Factors of `radix`, 4 bits each.
        factors: u64,
        /// 1: the exponents are positive.
        inverse: u64,
        /// 1: the first pass, which reads the op's input.
        first: u64,
        /// 1: the last pass, which multiplies by `scale`.
        last: u64,
        /// 1: squares of the indices.
        chirp: u64,
        /// Factor of the result.
        scale: f64,
        /// Blocks of the grid.
        blocks: u64,
        /// First elements of the lines in the op's input.
        line_starts: StridedIter<1>,
    }
}

/// Number of elements of complex64 that a block transforms together (rl::ELEMENTS); half of it for complex128.
const ELEMENTS: u64 = 1536;
/// Most elements that one of several passes transforms together, so that a block reads 8 neighbours at a time.
const SEVERAL: u64 = 256;
/// The longest line: squares of indices fit 64 bits.
const LONGEST: u64 = 1 << 31;

pub(super) fn fft<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Fft(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    if x.count() == 0 {
        return Ok(());
    }
    let dims = x.layout.dims();
    let n = dims[op.dim] as u64;
    if n > LONGEST {
        return Err(Error::invalid("fft", format!("dimension {} is longer than 2^31 elements", op.dim)));
    }
    if fft_library::transforms(c, op, &x, &out)? {
        return if R::FFT_SCALES || op.scale == 1.0 { Ok(()) } else { multiply(c, &out, op.scale) };
    }
    let line_starts = starts(dims, [x.layout.stride()], op.dim);
    let p = FftParams {
        out: out.ptr,
        input: x.ptr,
        roots: 0,
        lines: line_starts.count,
        length: n,
        count: n,
        inner: dims[op.dim + 1..].iter().product::<usize>() as u64,
        step: x.layout.stride()[op.dim] as u64,
        radix: n,
        done: 1,
        factors: 0,
        inverse: u64::from(op.inverse),
        first: 1,
        last: 0,
        chirp: 0,
        scale: op.scale,
        blocks: 1,
        line_starts,
    };
    match passes(n, block_elements(x.dtype)) {
        Some(radices) => {
            let roots = Roots::new(c, x.dtype, n, false)?;
            transforms(c, x.dtype, &radices, FftParams { roots: roots.address(), ..p })
        }
        None => by_convolution(c, x.dtype, p),
    }
}

/// Multiplies a result of the library: as transforms of one element.
fn multiply<R: Runtime>(c: &Call<'_, R>, out: &Operand<'_>, scale: f64) -> Result<()> {
    let lines = out.count() as u64;
    transforms(
        c,
        out.dtype,
        &[1],
        FftParams { out: out.ptr, input: out.ptr, lines, first: 0, scale, ..nothing() },
    )
}

fn block_elements(dtype: DType) -> u64 {
    if dtype == DType::C64 { ELEMENTS } else { ELEMENTS / 2 }
}

/// Returns the numbers of elements that each pass transforms, or `None` if the length has a prime factor above 7.
fn passes(n: u64, block: u64) -> Option<Vec<u64>> {
    let mut rest = n;
    let mut primes = Vec::new();
    for prime in [7, 5, 3, 2] {
        while rest.is_multiple_of(prime) {
            primes.push(prime);
            rest /= prime;
        }
    }
    if rest != 1 {
        return None;
    }
    if n <= block {
        return Some(vec![n]);
    }
    // Each prime goes to the pass with the fewest elements.
    (2..).find_map(|count| {
        let mut all = vec![1; count];
        for prime in &primes {
            if let Some(least) = all.iter_mut().min() {
                *least *= prime;
            }
        }
        all.iter().all(|r| *r <= SEVERAL).then_some(all)
    })
}

/// Returns the factors 2, 3, 4, 5, 7 and 8 of a pass, 4 bits each.
fn factors(mut radix: u64) -> u64 {
    let mut all = 0;
    while radix > 1 {
        let factor = match radix.trailing_zeros() {
            // 16 is 4 times 4, not 8 times 2.
            0 => [3, 5, 7].into_iter().find(|f| radix.is_multiple_of(*f)).unwrap_or(radix),
            1 => 2,
            2 | 4 => 4,
            _ => 8,
        };
        all = all << 4 | factor;
        radix /= factor;
    }
    all
}

/// Temporary memory for roots of unity or a chirp.
struct Roots<R: Runtime>(crate::gpu::GpuStorage<R>);

impl<R: Runtime> Roots<R> {
    /// Computes the roots of unity of order n, or the chirp of n elements.
    fn new(c: &Call<'_, R>, dtype: DType, n: u64, chirp: bool) -> Result<Self> {
        let memory = c.dev.storage(dtype, n as usize)?;
        let p = FftParams { out: memory.address(), length: n, chirp: u64::from(chirp), ..nothing() };
        elements(c, dtype, ("fft_roots", Variant::Contig), n, p)?;
        Ok(Self(memory))
    }

    fn address(&self) -> u64 {
        self.0.address()
    }
}

/// Parameters of kernels that read few of them.
fn nothing() -> FftParams {
    FftParams {
        out: 0,
        input: 0,
        roots: 0,
        lines: 1,
        length: 1,
        count: 1,
        inner: 1,
        step: 1,
        radix: 1,
        done: 1,
        factors: 0,
        inverse: 0,
        first: 0,
        last: 0,
        chirp: 0,
        scale: 1.0,
        blocks: 1,
        line_starts: iter_of(&[], [&[]], |_| true),
    }
}

/// Launches a kernel with a thread for each of `n` elements.
fn elements<R: Runtime>(
    c: &Call<'_, R>,
    dtype: DType,
    (name, variant): (&'static str, Variant),
    n: u64,
    mut p: FftParams,
) -> Result<()> {
    let blocks = c.blocks(n);
    p.blocks = u64::from(blocks);
    c.launch(Kernel::new(Unit::Fft, dtype, name, variant), [blocks, 1, 1], BLOCK, &p)
}

/// Launches the passes of the transforms, which have the roots of unity. Passes after the first read row-major arrays.
fn transforms<R: Runtime>(c: &Call<'_, R>, dtype: DType, radices: &[u64], mut p: FftParams) -> Result<()> {
    let total = p.lines * p.length;
    let other = if radices.len() > 1 { Some(c.dev.storage(dtype, total as usize)?) } else { None };
    let targets = [p.out, other.as_ref().map_or(0, |m| m.address())];
    for (i, &radix) in radices.iter().enumerate() {
        let left = radices.len() - 1 - i;
        p.radix = radix;
        p.factors = factors(radix);
        p.out = targets[left % 2];
        p.last = u64::from(left == 0);
        let group = (block_elements(dtype) / radix).min(u64::from(BLOCK));
        let threads = (total / radix).div_ceil(group) * u64::from(BLOCK);
        elements(c, dtype, ("fft", Variant::Tile), threads, p)?;
        p.done *= radix;
        p.input = p.out;
        p.first = 0;
    }
    Ok(())
}

/// Bluestein's algorithm: a line of any length is a convolution with a chirp, computed by longer transforms.
fn by_convolution<R: Runtime>(c: &Call<'_, R>, dtype: DType, p: FftParams) -> Result<()> {
    let n = p.length;
    let length = (2 * n - 1).next_power_of_two();
    let Some(radices) = passes(length, block_elements(dtype)) else { return Err(mismatch(c)) };
    let total = p.lines * length;
    let too_large = || Error::invalid("fft", "the lines need more memory than a device can have");
    let memory = |n: u64| c.dev.storage(dtype, usize::try_from(n).map_err(|_| too_large())?);
    let (chirp, roots) = (Roots::new(c, dtype, n, true)?, Roots::new(c, dtype, length, false)?);
    let (chirp, roots) = (chirp.address(), roots.address());
    let (filter, filtered, line, changed) =
        (memory(length)?, memory(length)?, memory(total)?, memory(total)?);
    let long = FftParams { length, count: n, roots: chirp, ..p };
    let wrapped = FftParams { out: filter.address(), ..long };
    elements(c, dtype, ("fft_wrap", Variant::Contig), length, wrapped)?;
    elements(c, dtype, ("fft_spread", Variant::Strided), total, FftParams { out: line.address(), ..long })?;
    let plain = FftParams { length, roots, lines: p.lines, first: 0, ..nothing() };
    let forward = |from: u64, out: u64, lines: u64| {
        transforms(c, dtype, &radices, FftParams { input: from, out, lines, ..plain })
    };
    forward(filter.address(), filtered.address(), 1)?;
    forward(line.address(), changed.address(), p.lines)?;
    let product = FftParams { out: changed.address(), input: filtered.address(), ..plain };
    elements(c, dtype, ("fft_product", Variant::Contig), total, product)?;
    let back = FftParams { input: changed.address(), out: line.address(), inverse: 1, ..plain };
    transforms(c, dtype, &radices, back)?;
    let scale = p.scale / length as f64;
    let gathered = FftParams { input: line.address(), length, count: n, roots: chirp, scale, ..p };
    elements(c, dtype, ("fft_gather", Variant::Contig), p.lines * n, gathered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_multiply_to_the_length() {
        for n in (1..3000).chain([4096, 6561, 16807, 1 << 15, 1 << 20, 1 << 24, 1 << 31, 1_000_000]) {
            for block in [ELEMENTS, ELEMENTS / 2] {
                let Some(all) = passes(n, block) else {
                    assert!((11..).any(|f| n % f == 0 && (2..f).all(|g| f % g != 0)), "{n}");
                    continue;
                };
                assert_eq!(all.iter().product::<u64>(), n);
                let most = if all.len() == 1 { block } else { SEVERAL };
                assert!(all.iter().all(|r| *r <= most), "{n}: {all:?}");
                for radix in all {
                    let mut left = factors(radix);
                    let mut product = 1;
                    while left > 0 {
                        assert!([2, 3, 4, 5, 7, 8].contains(&(left & 15)), "{radix}");
                        product *= left & 15;
                        left >>= 4;
                    }
                    assert_eq!(product, radix);
                }
            }
        }
        assert_eq!(passes(1 << 20, ELEMENTS), Some(vec![128, 128, 64]));
        assert_eq!((factors(2048), factors(16)), (0x8884, 0x44));
    }
}
