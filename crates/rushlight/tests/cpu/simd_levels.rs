//! The SIMD levels of the CPU give the same bits: every case of the parity suite, and elementwise ops on rows that fill
//! vectors.
use super::fft::numbers;
use rushlight::cpu::{
    CpuStorage, SimdLevel, highest_simd_level, num_threads, set_num_threads, set_simd_level, simd_level,
};
use rushlight::ops::Pattern;
use rushlight::{DType, Device, Result, Shape, Tensor};
use rushlight_parity::sweep::{self, Form};
use rushlight_parity::{Case, Pass};
use std::sync::{Mutex, PoisonError};

const CPU: &Device = &Device::Cpu;

/// Runs `f` at each level that the processor has. (The level belongs to the process, so one test at a time sets it. Other
/// tests may meanwhile run at any level.)
pub(super) fn at_levels<R>(mut f: impl FnMut(SimdLevel) -> Result<R>) -> Result<Vec<R>> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = simd_level();
    let levels = SimdLevel::ALL.into_iter().filter(|l| *l <= highest_simd_level());
    let all = levels.map(|l| set_simd_level(Some(l)).and_then(|()| f(l))).collect();
    set_simd_level(Some(before))?;
    all
}

/// Returns the bits of a tensor's elements; all NaN are alike.
fn bits(t: &Tensor) -> Result<Vec<u64>> {
    macro_rules! floats {
        ($v:expr, $nan:expr) => {
            $v.iter().map(|v| if v.is_nan() { $nan } else { u64::from(v.to_bits()) }).collect()
        };
    }
    Ok(match t.to_cpu_storage()? {
        CpuStorage::F64(v) => floats!(v, u64::MAX),
        CpuStorage::F32(v) => floats!(v, u64::MAX),
        CpuStorage::F16(v) => floats!(v, u64::MAX),
        CpuStorage::BF16(v) => floats!(v, u64::MAX),
        CpuStorage::F8E4M3(v) => floats!(v, u64::MAX),
        CpuStorage::C64(v) => v.iter().flat_map(|c| [c.re, c.im]).map(|p| u64::from(p.to_bits())).collect(),
        CpuStorage::C128(v) => v.iter().flat_map(|c| [c.re, c.im]).map(f64::to_bits).collect(),
        CpuStorage::Bool(v) => v.iter().map(|v| u64::from(*v)).collect(),
        CpuStorage::U8(v) => v.iter().map(|v| u64::from(*v)).collect(),
        CpuStorage::I8(v) => v.iter().map(|v| *v as u64).collect(),
        CpuStorage::U16(v) => v.iter().map(|v| u64::from(*v)).collect(),
        CpuStorage::I16(v) => v.iter().map(|v| *v as u64).collect(),
        CpuStorage::U32(v) => v.iter().map(|v| u64::from(*v)).collect(),
        CpuStorage::I32(v) => v.iter().map(|v| *v as u64).collect(),
        CpuStorage::U64(v) => v.to_vec(),
        CpuStorage::I64(v) => v.iter().map(|v| *v as u64).collect(),
    })
}

/// Returns the first difference between levels of the results of cases, each made anew for each level.
fn difference(
    count: usize,
    run: impl Fn(usize) -> Result<Vec<Tensor>>,
) -> Result<Option<(usize, SimdLevel)>> {
    let results = at_levels(|level| {
        let all = (0..count).map(|i| run(i)?.iter().map(bits).collect::<Result<Vec<_>>>());
        Ok((level, all.collect::<Result<Vec<_>>>()?))
    })?;
    Ok(results.iter().find_map(|(level, all)| {
        let first = (0..count).find(|&i| all[i] != results[0].1[i])?;
        Some((first, *level))
    }))
}

#[test]
fn every_case_has_the_same_bits_at_all_levels() -> Result<()> {
    let forward = Case::all(0).into_iter().filter(|c| c.pass == Pass::Forward);
    // (docs/NUMERICS.md has the exception.)
    let cases: Vec<Case> = forward.filter(|c| c.op() != "fft").collect();
    assert!(cases.len() > 10_000);
    let found = difference(cases.len(), |i| cases[i].what().run(&cases[i].tensors(CPU)?))?;
    assert_eq!(found.map(|(i, level)| (&cases[i].name, level)), None);
    Ok(())
}

/// Rows of 67 elements: whole vectors and a rest at every level, for each dtype.
#[test]
fn elementwise_ops_have_the_same_bits_at_all_levels_in_whole_vectors() -> Result<()> {
    let mut cases = sweep::Case::all();
    cases.retain(|c| {
        let same = c.specs.iter().all(|s| s.shape.dims() == c.specs[0].shape.dims());
        c.error.is_none() && same && c.op.pattern() == Pattern::ELEMENTWISE && c.form != Form::Rank6
    });
    for spec in cases.iter_mut().flat_map(|c| &mut c.specs) {
        spec.shape = Shape::from((3, 67));
    }
    assert!(cases.len() > 1000);
    let found = difference(cases.len(), |i| cases[i].run(&cases[i].tensors(CPU)?))?;
    assert_eq!(found.map(|(i, level)| (&cases[i].name, level)), None);
    Ok(())
}

/// Long tensors of 16 bits take results from a table, which has the bits of the function, for every number.
#[test]
fn long_tensors_of_halves_have_the_bits_of_short_ones() -> Result<()> {
    let numbers: Vec<u16> = (0..=u16::MAX).chain(0..100).collect();
    let n = numbers.len();
    let f16s: Vec<half::f16> = numbers.iter().map(|b| half::f16::from_bits(*b)).collect();
    let bf16s: Vec<half::bf16> = numbers.iter().map(|b| half::bf16::from_bits(*b)).collect();
    let ops = [Tensor::gelu_erf, Tensor::gelu, Tensor::exp, Tensor::log, Tensor::sin, Tensor::tanh];
    for x in [Tensor::from_slice(&f16s, n, CPU)?, Tensor::from_slice(&bf16s, n, CPU)?] {
        for (i, op) in ops.iter().enumerate() {
            let parts: Result<Vec<Tensor>> =
                (0..n).step_by(1000).map(|at| op(&x.narrow(0, at, 1000.min(n - at))?)).collect();
            let want = bits(&Tensor::cat(&parts?, 0)?)?;
            // (The second call finds the table.)
            for _ in 0..2 {
                assert!(bits(&op(&x)?)? == want, "op {i}, {:?}", x.dtype());
            }
            let every_second = x.slice(0, 0, n / 2, 2)?;
            let twice = Tensor::cat(&[&every_second, &every_second], 0)?.reshape((2, n / 2))?;
            let got = bits(&op(&twice.t()?)?)?;
            assert!((0..n).all(|k| got[k] == want[k / 2 * 2]), "op {i}, {:?}, transposed", x.dtype());
        }
    }
    Ok(())
}

/// Fourier transforms have other bits at the lowest level. At each, a line has the same for any number of threads, layout and
/// number of lines.
#[test]
fn transforms_have_the_bits_of_a_line_alone() -> Result<()> {
    let threads = num_threads();
    let results = at_levels(|_| {
        let mut all = Vec::new();
        for (n, dtype) in
            [2usize, 5, 17, 64, 100, 1000, 1009].into_iter().zip([DType::C64, DType::C128].repeat(4))
        {
            let rows = 23;
            let t = Tensor::new(numbers(n * rows).as_slice(), CPU)?.reshape((rows, n))?.to_dtype(dtype)?;
            let lines: Result<Vec<Tensor>> = (0..rows).map(|i| t.narrow(0, i, 1)?.fft(1)).collect();
            let alone = bits(&Tensor::cat(&lines?, 0)?)?;
            for count in [1, 2, 5] {
                set_num_threads(count);
                let columns = t.t()?.force_contiguous()?;
                assert!(bits(&t.fft(1)?)? == alone, "{n} {dtype:?}: {count} threads");
                assert!(bits(&columns.fft(0)?.t()?)? == alone, "{n} {dtype:?}: columns");
                assert!(bits(&t.t()?.fft(0)?.t()?)? == alone, "{n} {dtype:?}: a view");
            }
            set_num_threads(threads);
            all.push(alone);
        }
        Ok(all)
    })?;
    // The two higher levels share their bits.
    assert!(results.iter().skip(1).all(|r| *r == results[1]));
    Ok(())
}

#[test]
fn a_level_that_the_processor_lacks_is_an_error() {
    for level in SimdLevel::ALL.into_iter().filter(|l| *l > highest_simd_level()) {
        let error = set_simd_level(Some(level)).unwrap_err().to_string();
        assert!(error.contains("set_simd_level: expected a level up to"), "{error}");
    }
}
