//! Complex numbers: values against NumPy's, gradients against finite differences, and what is refused.
use rushlight::{C64, C128, DType, Device, Result, Tensor, Var};
use std::f64::consts::PI;

const CPU: &Device = &Device::Cpu;

fn c(re: f64, im: f64) -> C128 {
    C128::new(re, im)
}

fn vec1(v: &[C128]) -> Result<Tensor> {
    Tensor::new(v, CPU)
}

fn close(got: &[C128], want: &[C128]) {
    assert_eq!(got.len(), want.len());
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).norm() <= 1e-14 * w.norm().max(1e-300), "{got:?}, not {want:?}");
    }
}

/// The expected numbers are those of NumPy 2.
#[test]
fn arithmetic_has_numpys_values() -> Result<()> {
    let (a, b) =
        (vec1(&[c(1., 2.), c(-3., 0.5), c(0., -1.)])?, vec1(&[c(0.5, -1.5), c(2., 2.), c(-4., 0.25)])?);
    close(&(&a + &b)?.to_vec1()?, &[c(1.5, 0.5), c(-1., 2.5), c(-4., -0.75)]);
    close(&(&a - &b)?.to_vec1()?, &[c(0.5, 3.5), c(-5., -1.5), c(4., -1.25)]);
    close(&(&a * &b)?.to_vec1()?, &[c(3.5, -0.5), c(-7., -5.), c(0.25, 4.)]);
    close(
        &(&a / &b)?.to_vec1()?,
        &[c(-1., 1.), c(-0.625, 0.875), c(-0.01556420233463035, 0.2490272373540856)],
    );
    close(&a.neg()?.to_vec1()?, &[c(-1., -2.), c(3., -0.5), c(0., 1.)]);
    close(&a.conj()?.to_vec1()?, &[c(1., -2.), c(-3., -0.5), c(0., 1.)]);
    close(&a.square()?.to_vec1()?, &[c(-3., 4.), c(8.75, -3.), c(-1., 0.)]);
    close(
        &a.reciprocal()?.to_vec1()?,
        &[c(0.2, -0.4), c(-0.32432432432432434, -0.05405405405405406), c(0., 1.)],
    );
    close(&a.affine(2.0, 1.0)?.to_vec1()?, &[c(3., 4.), c(-5., 1.), c(1., -2.)]);
    let sgn =
        [c(0.4472135954999579, 0.8944271909999159), c(-0.9863939238321437, 0.1643989873053573), c(0., -1.)];
    close(&a.sgn()?.to_vec1()?, &sgn);
    close(&[a.sum_all()?.to_scalar()?], &[c(-2., 1.5)]);
    close(&[a.mean_all()?.to_scalar()?], &[c(-2. / 3., 0.5)]);
    let all = a.reduce(rushlight::ops::reduce::ReduceOp::Prod, 1, false, DType::C128)?;
    close(&[all.to_scalar()?], &[c(-5.5, 4.)]);
    for (got, want) in a.abs()?.to_vec1::<f64>()?.iter().zip([5f64.sqrt(), 9.25f64.sqrt(), 1.]) {
        assert!((got - want).abs() <= 2.0 * f64::EPSILON * want);
    }
    assert_eq!(a.real()?.to_vec1::<f64>()?, [1., -3., 0.]);
    assert_eq!(a.imag()?.to_vec1::<f64>()?, [2., 0.5, -1.]);
    let angles = a.angle()?.to_vec1::<f64>()?;
    for (got, want) in angles.iter().zip([1.1071487177940904, 2.976443976175166, -PI / 2.]) {
        assert!((got - want).abs() < 1e-15);
    }
    assert_eq!(a.eq(&a)?.to_vec1::<u8>()?, [1, 1, 1]);
    assert_eq!(a.ne(&a.conj()?)?.to_vec1::<u8>()?, [1, 1, 1]);
    Ok(())
}

/// The absolute value has no overflow and no underflow of squares; the quotient is scaled.
#[test]
fn the_ends_of_the_range() -> Result<()> {
    let t =
        vec1(&[c(3e200, 4e200), c(3e-200, 4e-200), c(f64::INFINITY, f64::NAN), c(f64::NAN, 1.), c(0., -0.)])?;
    let got = t.abs()?.to_vec1::<f64>()?;
    assert!((got[0] / 5e200 - 1.).abs() < 1e-15 && (got[1] / 5e-200 - 1.).abs() < 1e-15, "{got:?}");
    assert!(got[2] == f64::INFINITY && got[3].is_nan() && got[4].to_bits() == 0);
    assert_eq!(t.isnan()?.to_vec1::<bool>()?, [false, false, true, true, false]);
    assert_eq!(t.isinf()?.to_vec1::<bool>()?, [false, false, true, false, false]);
    assert_eq!(t.isfinite()?.to_vec1::<bool>()?, [true, true, false, false, true]);
    assert_eq!(t.logical_not()?.to_vec1::<bool>()?, [false, false, false, false, true]);
    let big = vec1(&[c(1e300, 1e300), c(f64::MAX, f64::MAX)])?;
    close(&(&big / &big)?.to_vec1::<C128>()?[..1], &[c(1., 0.)]);
    close(&big.sgn()?.to_vec1()?, &[c(0.5f64.sqrt(), 0.5f64.sqrt()); 2]);
    // 1 / 0 is infinite in the real part, as NumPy's.
    let zero = (vec1(&[c(1., 0.)])? / vec1(&[c(0., 0.)])?)?.to_vec1::<C128>()?;
    assert!(zero[0].re == f64::INFINITY && zero[0].im.is_nan());
    Ok(())
}

#[test]
fn casts_keep_what_the_dtype_holds() -> Result<()> {
    let t = vec1(&[c(1.5, -2.), c(0., 3.), c(0., 0.)])?;
    assert_eq!(t.to_dtype(DType::F32)?.to_vec1::<f32>()?, [1.5, 0., 0.]);
    assert_eq!(t.to_dtype(DType::I32)?.to_vec1::<i32>()?, [1, 0, 0]);
    assert_eq!(t.to_dtype(DType::Bool)?.to_vec1::<bool>()?, [true, true, false]);
    let narrow = t.to_dtype(DType::C64)?;
    assert_eq!(narrow.to_vec1::<C64>()?, [C64::new(1.5, -2.), C64::new(0., 3.), C64::new(0., 0.)]);
    assert_eq!(narrow.to_dtype(DType::Bool)?.to_vec1::<bool>()?, [true, true, false]);
    assert_eq!(narrow.to_dtype(DType::C128)?.to_vec1::<C128>()?, t.to_vec1::<C128>()?);
    let third = Tensor::new(&[1f64 / 3.], CPU)?.to_dtype(DType::C128)?;
    assert_eq!(third.to_vec1::<C128>()?, [c(1. / 3., 0.)]);
    Ok(())
}

#[test]
fn parts_are_joined_and_separated() -> Result<()> {
    let t = vec1(&[c(1., 2.), c(3., 4.)])?;
    let pairs = t.view_as_real()?;
    assert_eq!(pairs.to_vec2::<f64>()?, [[1., 2.], [3., 4.]]);
    assert_eq!(pairs.view_as_complex()?.to_vec1::<C128>()?, t.to_vec1::<C128>()?);
    assert!(pairs.t()?.narrow(0, 0, 1)?.view_as_complex().is_ok());
    assert!(pairs.narrow(1, 0, 1)?.view_as_complex().unwrap_err().to_string().contains("size 2"));
    let (r, phi) = (Tensor::new(&[2f64], CPU)?, Tensor::new(&[PI / 2.], CPU)?);
    let p = Tensor::polar(&r, &phi)?.to_vec1::<C128>()?;
    assert!((p[0] - c(0., 2.)).norm() < 1e-15);
    Ok(())
}

#[test]
fn products_of_matrices() -> Result<()> {
    let a = vec1(&[c(1., 1.), c(0., 2.), c(-1., 0.), c(3., -1.)])?.reshape((2, 2))?;
    let b = vec1(&[c(2., 0.), c(1., -1.), c(0., 1.), c(1., 1.)])?.reshape((2, 2))?;
    let want = [c(0., 2.), c(0., 2.), c(-1., 3.), c(3., 3.)];
    assert_eq!(a.matmul(&b)?.flatten_all()?.to_vec1::<C128>()?, want);
    Ok(())
}

#[test]
fn order_and_unknown_functions_are_refused() -> Result<()> {
    let t = vec1(&[c(1., 2.)])?;
    for e in [t.lt(&t).unwrap_err(), t.floor().unwrap_err(), t.maximum(&t).unwrap_err()] {
        assert!(e.to_string().contains("dtype"), "{e}");
    }
    let x = Var::from_tensor(&t)?;
    let e = x.as_tensor().square()?.backward().unwrap_err();
    assert!(e.to_string().contains("needs a gradient to start from"), "{e}");
    Ok(())
}

type Function = fn(&Tensor, &Tensor) -> Result<Tensor>;

/// The gradient of a real function L of z is dL/dx + i dL/dy, as in PyTorch.
#[test]
fn gradients_are_those_of_the_parts() -> Result<()> {
    let weights = |t: &Tensor| -> Result<Tensor> {
        let n = t.elem_count();
        let w: Vec<f64> = (0..n).map(|i| 0.3 + 0.7 * i as f64).collect();
        let real = |t: &Tensor, s: f64| {
            (t.flatten_all()? * Tensor::from_slice(&w, n, CPU)?.affine(s, 0.1)?)?.sum_all()
        };
        // A function of both parts.
        if t.dtype().is_complex() { real(&t.real()?, 1.0)? + real(&t.imag()?, -0.8)? } else { real(t, 1.0) }
    };
    let functions: &[(&str, Function)] = &[
        ("add", |a, b| a + b),
        ("sub", |a, b| a - b),
        ("mul", |a, b| a * b),
        ("div", |a, b| a / b),
        ("neg", |a, b| a.neg()? + b.neg()?),
        ("square", |a, _| a.square()),
        ("reciprocal", |a, _| a.reciprocal()),
        ("abs", |a, b| a.abs()? * b.abs()?),
        ("angle", |a, _| a.angle()),
        ("sgn", |a, b| a.sgn()? * b),
        ("conj", |a, b| a.conj()? * b),
        ("parts", |a, b| a.real()?.complex(&b.imag()?)),
        ("real", |a, b| a.view_as_real()? * b.view_as_real()?),
        ("as_complex", |a, b| (a.view_as_real()? * 2.0)?.view_as_complex()? * b),
        ("polar", |a, b| Tensor::polar(&a.real()?, &b.imag()?)),
        ("sum", |a, b| a.sum(0)? * b.sum(0)?),
        ("mean", |a, b| a.mean(0)? * b.sum(0)?),
        ("prod", |a, _| a.reduce(rushlight::ops::reduce::ReduceOp::Prod, 1, false, a.dtype())),
        ("affine", |a, _| a.affine(-1.5, 2.0)),
        ("gather", |a, _| a.gather(&Tensor::new(&[1u32, 0, 1], CPU)?, 0)),
        ("index_select", |a, _| a.index_select(&Tensor::new(&[1u32, 0, 1], CPU)?, 0)),
        ("where", |a, b| Tensor::new(&[1u8, 0, 1], CPU)?.where_cond(a, b)),
        ("matmul", |a, b| a.reshape((1, 3))?.matmul(&b.reshape((3, 1))?)),
        ("broadcast", |a, b| a.reshape((3, 1))?.broadcast_mul(&b.reshape((1, 3))?)),
        ("cast", |a, b| a.to_dtype(DType::F64)?.to_dtype(DType::C128)? * b),
        ("pad", |a, _| a.pad_with_zeros(0, 1, 2)),
        ("flip", |a, b| a.flip(&[0])? * b),
    ];
    let (a, b) = ([c(1., 2.), c(-3., 0.5), c(0.25, -1.)], [c(0.5, -1.5), c(2., 2.), c(-4., 0.25)]);
    for (name, f) in functions {
        let (x, y) = (Var::new(&a, CPU)?, Var::new(&b, CPU)?);
        let grads = weights(&f(x.as_tensor(), y.as_tensor())?)?.backward()?;
        for (k, var) in [&x, &y].into_iter().enumerate() {
            let Some(g) = grads.get(var) else { continue };
            for (i, g) in g.to_vec1::<C128>()?.into_iter().enumerate() {
                let slope = |step: C128| -> Result<f64> {
                    let at = |sign: f64| -> Result<f64> {
                        let (mut a, mut b) = (a, b);
                        [&mut a, &mut b][k][i] += step * sign;
                        weights(&f(&vec1(&a)?, &vec1(&b)?)?)?.to_scalar::<f64>()
                    };
                    Ok((at(1.0)? - at(-1.0)?) / (2.0 * step.norm()))
                };
                let want = c(slope(c(1e-6, 0.))?, slope(c(0., 1e-6))?);
                assert!((g - want).norm() < 1e-7 * (1. + want.norm()), "{name} {k} {i}: {g}, not {want}");
            }
        }
    }
    Ok(())
}

/// The gradient of |z| at 0 is 0.
#[test]
fn gradients_at_zero() -> Result<()> {
    let x = Var::new(&[c(0., 0.), c(3., 4.)], CPU)?;
    let grads = x.as_tensor().abs()?.sum_all()?.backward()?;
    close(&grads.get(&x).map(Tensor::to_vec1).transpose()?.unwrap_or_default(), &[c(0., 0.), c(0.6, 0.8)]);
    Ok(())
}

/// Second derivatives: of |z|^2, made of the parts, and of z^3.
#[test]
fn gradients_of_gradients() -> Result<()> {
    let x = Var::new(&[c(1., 2.)], CPU)?;
    let cube = (x.as_tensor().square()? * x.as_tensor())?.real()?.sum_all()?;
    let first = rushlight::autograd::grad(
        &[&cube],
        &[x.as_tensor()],
        &[],
        rushlight::autograd::GradOptions { create_graph: true, allow_unused: false },
    )?;
    let Some(Some(first)) = first.first() else { panic!("no gradient") };
    // d Re(z^3) = conj(3 z^2).
    close(&first.to_vec1()?, &[c(-9., -12.)]);
    let second = first.real()?.sum_all()?.backward()?;
    // Re(3 z^2) = 3 (x^2 - y^2).
    close(&second.get(&x).map(Tensor::to_vec1).transpose()?.unwrap_or_default(), &[c(6., -12.)]);
    Ok(())
}
