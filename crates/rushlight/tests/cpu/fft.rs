//! Fourier transforms: against the definition, summed in f64. (`simd_levels.rs` compares their bits.)
use rushlight::{C64, C128, D, DType, Device, Result, Tensor};
use std::f64::consts::TAU;

const CPU: &Device = &Device::Cpu;

/// Returns numbers without symmetry.
pub fn numbers(n: usize) -> Vec<C128> {
    let part = |i: usize, a: usize, m: usize| (i * a % m) as f64 / m as f64 - 0.47;
    (0..n).map(|i| C128::new(part(i, 37, 101), part(i, 53, 89))).collect()
}

/// Returns element k of the transform by its definition. The exponents are reduced with integers.
fn element(x: &[C128], k: usize, inverse: bool) -> C128 {
    let n = x.len() as u128;
    let sign = if inverse { 1.0 } else { -1.0 };
    let term = |(j, v): (usize, &C128)| {
        let turn = (j as u128 * k as u128 % n) as f64 / n as f64;
        v * C128::from_polar(1.0, sign * TAU * turn)
    };
    // Sums of blocks, so that the sum's own error stays small.
    let terms: Vec<C128> = x.iter().enumerate().map(term).collect();
    let blocks: Vec<C128> = terms.chunks(1024).map(|c| c.iter().sum()).collect();
    blocks.chunks(32).map(|c| c.iter().sum::<C128>()).sum()
}

#[test]
fn elements_are_those_of_the_definition() -> Result<()> {
    let lengths =
        [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 64, 97, 100, 1000, 1009, 4096, 10007, 1 << 15, 1 << 20];
    for n in lengths {
        let x = numbers(n);
        let t = Tensor::new(x.as_slice(), CPU)?;
        for inverse in [false, true] {
            let wide: Vec<C128> = t.fft_with(0, inverse, 0.5)?.to_vec1()?;
            let single = t.to_dtype(DType::C64)?;
            let narrow: Vec<C64> = single.fft_with(0, inverse, 0.5)?.to_vec1()?;
            let rounded: Vec<C128> = single.to_dtype(DType::C128)?.to_vec1()?;
            // The bound is relative to the root of the sum of squares.
            let size = x.iter().map(|v| v.norm_sqr()).sum::<f64>().sqrt() * 0.5;
            let may = (2.0 + (n as f64).log2()) * size;
            for k in (0..n).step_by(n.div_ceil(40)) {
                let far = (wide[k] - element(&x, k, inverse) * 0.5).norm();
                assert!(far <= 8.0 * may * f64::EPSILON, "{n} {inverse} {k}: {far:e}");
                let want = element(&rounded, k, inverse) * 0.5;
                let far = (C128::new(narrow[k].re.into(), narrow[k].im.into()) - want).norm();
                assert!(far <= may * f64::from(f32::EPSILON), "{n} {inverse} {k}: {far:e} of {want}");
            }
        }
    }
    Ok(())
}

#[test]
fn real_transforms_are_halves_and_come_back() -> Result<()> {
    for n in [1usize, 2, 3, 8, 9, 100, 1009] {
        let x: Vec<f64> = numbers(n).iter().map(|v| v.re).collect();
        let t = Tensor::new(x.as_slice(), CPU)?;
        let half: Vec<C128> = t.rfft(0)?.to_vec1()?;
        assert_eq!(half.len(), n / 2 + 1);
        let whole: Vec<C128> = t.fft(D::Minus1)?.to_vec1()?;
        assert!(half.iter().zip(&whole).all(|(a, b)| (a - b).norm() < 1e-12));
        let back: Vec<f64> = t.rfft(0)?.irfft(0, n)?.to_vec1()?;
        assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-13), "{n}: {back:?}");
    }
    // Imaginary parts of the first and the middle element have no effect.
    let z = Tensor::new(&[C128::new(1., 5.), C128::new(2., 1.), C128::new(3., -7.)], CPU)?;
    assert_eq!(z.irfft(0, 4)?.to_vec1::<f64>()?, [2., -1., 0., 0.]);
    let e = z.irfft(0, 6).unwrap_err().to_string();
    assert!(e.contains("6 real numbers have 4 elements, got dimension 0 of (3,)"), "{e}");
    let e = Tensor::zeros(3, DType::F16, CPU)?.fft(0).unwrap_err().to_string();
    assert!(e.contains("F16") && e.contains("fft"), "{e}");
    Ok(())
}

#[test]
fn several_dimensions_are_one_after_the_other() -> Result<()> {
    let t = Tensor::new(numbers(60).as_slice(), CPU)?.reshape((3, 4, 5))?;
    let close = |a: &Tensor, b: &Tensor| -> Result<bool> {
        Ok((a - b)?.abs()?.flatten_all()?.to_vec1::<f64>()?.iter().all(|v| *v < 1e-13))
    };
    assert!(close(&t.fftn((0, 2))?, &t.fft(0)?.fft(2)?)?);
    assert!(close(&t.fftn((0, 1, 2))?.ifftn((2, 0, 1))?, &t)?);
    let real = t.real()?;
    assert_eq!(real.rfftn((0, 1))?.dims(), [3, 3, 5]);
    assert!(close(&real.rfftn((2, 1))?.irfftn((2, 1), 4)?, &real)?);
    assert!(real.rfftn(()).unwrap_err().to_string().contains("no dimension is given"));
    Ok(())
}
