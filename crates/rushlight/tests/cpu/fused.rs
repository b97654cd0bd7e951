//! Softmax, losses, addmm and similar ops, and variances. Literal values are from PyTorch 2.13, in f64.
use proptest::prelude::*;
use rushlight::ops::Reduction;
use rushlight::{DType, Device, Error, Result, Tensor};

const CPU: &Device = &Device::Cpu;
const X: [[f64; 4]; 3] = [[0.5, -1.25, 2.0, 0.0], [1.5, 1.5, -0.75, 3.0], [-2.0, 0.25, 1.0, -0.5]];
const REDUCTIONS: [Reduction; 3] = [Reduction::Mean, Reduction::Sum, Reduction::None];

fn flat(t: &Tensor) -> Result<Vec<f64>> {
    t.to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>()
}

#[track_caller]
fn close_to(t: &Tensor, want: &[f64], tol: f64) {
    let got = flat(t).unwrap();
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let same = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= tol * w.abs().max(1.0);
        assert!(same, "element {i}: {g} is not {w}");
    }
}

#[track_caller]
fn close(t: &Tensor, want: &[f64]) {
    close_to(t, want, 1e-13);
}

/// Returns the same values in a transposed layout with an offset.
fn twisted(t: &Tensor) -> Result<Tensor> {
    let perm: Vec<usize> = (0..t.rank()).rev().collect();
    let back = t.permute(perm.clone())?.contiguous()?;
    let all = Tensor::cat(&[&back.zeros_like()?, &back], 0)?;
    all.narrow(0, back.dim(0)?, back.dim(0)?)?.permute(perm)
}

#[test]
fn softmax_and_its_gradient() -> Result<()> {
    let g = Tensor::new(&[[1.0, -0.5, 0.25, 2.0], [0.5, 1.5, -1.0, 0.75], [-0.25, 0.5, 1.0, -2.0]], CPU)?;
    #[rustfmt::skip]
    let cases: [(usize, bool, [f64; 12], [f64; 12]); 4] = [
        (0, false,
         [0.2631324936512963, 0.047338799772673086, 0.6984180052295147, 0.04609980105300302, 0.7152682759694339, 0.7405034186832158, 0.04464836930257798, 0.9259392562016979, 0.021599230379269717, 0.21215778154411105, 0.2569336254679073, 0.027960942745299075],
         [0.10120948673105798, -0.0801523808767805, -0.09560627135044081, 0.05851299496383062, -0.08251822933601516, 0.22721264866971047, -0.061922366073604275, 0.01784085058019153, -0.018691257395042748, -0.1470602677929299, 0.15752863742404505, -0.07635384554402212]),
        (0, true,
         [-1.3350975955161672, -3.0504250285621644, -0.3589374941053341, -3.076946644541926, -0.3350975955161672, -0.30042502856216435, -3.108937494105334, -0.07694664454192604, -3.8350975955161672, -1.5504250285621644, -1.358937494105334, -3.576946644541926],
         [0.6710843829358796, -0.5710081996590096, 0.07539549869262133, 1.9654251492102477, -0.39408534496179237, 0.3892448719751763, -1.0111620923256446, 0.05554555784872656, -0.27699903797408715, 0.1817633276838334, 0.9357665936330232, -2.020970707058974]),
        (1, false,
         [0.15969355003210822, 0.027750577932680404, 0.7156968377823844, 0.09685903425282705, 0.15181214449095098, 0.15181214449095098, 0.01600088230841994, 0.6803748287096781, 0.028526632117097408, 0.27065314982800115, 0.5729727226821512, 0.12784749537275025],
         [0.07689874600492023, -0.028262868559351458, -0.19213635884383432, 0.14350048139826554, -0.04522552528047848, 0.10658661921047251, -0.028768058757595333, -0.03259303517239874, -0.019839492400430696, 0.014757999348271933, 0.3177290462065371, -0.31264755315437825]),
        (1, true,
         [-1.8344986126036624, -3.5844986126036624, -0.33449861260366254, -2.3344986126036624, -1.8851114139864993, -1.8851114139864993, -4.1351114139864995, -0.38511141398649934, -3.556917167794674, -1.306917167794674, -0.5569171677946742, -2.056917167794674],
         [0.5608427374117023, -0.5763140893148712, -1.718166303901557, 1.7336376558047255, 0.2343287471408358, 1.2343287471408357, -1.028001544039735, -0.44065595024193654, -0.22860502591217693, 0.7029898623710009, 1.4297295420116134, -1.9041143784704373]),
    ];
    for (dim, log, want, grad) in cases {
        for x in [Tensor::new(&X, CPU)?, twisted(&Tensor::new(&X, CPU)?)?] {
            let x = x.leaf();
            let y = if log { x.log_softmax(dim)? } else { x.softmax(dim)? };
            close(&y, &want);
            let grads = (y * &g)?.backward()?;
            close(grads.get(&x).unwrap(), &grad);
        }
    }
    Ok(())
}

#[test]
fn softmax_is_stable_and_takes_every_shape() -> Result<()> {
    let x = Tensor::new(&[[1e4f32, -1e4, 1e4], [-3e38, 0., 3e38]], CPU)?;
    assert_eq!(x.softmax(1)?.to_vec2::<f32>()?, [[0.5, 0., 0.5], [0., 0., 1.]]);
    let l = x.log_softmax(1)?.to_vec2::<f32>()?;
    assert_eq!(l[0][1], -2e4 - std::f32::consts::LN_2);
    assert_eq!(l[1][0], f32::NEG_INFINITY);
    let inf = Tensor::new(&[[f32::NEG_INFINITY, 0., 0.], [f32::NEG_INFINITY; 3], [f32::NAN, 0., 0.]], CPU)?;
    let y = inf.softmax(1)?.to_vec2::<f32>()?;
    assert_eq!(y[0], [0., 0.5, 0.5]);
    assert!(y[1].iter().chain(&y[2]).all(|v| v.is_nan()));
    for (shape, dim) in [(&[0usize, 4][..], 1), (&[3, 0], 1), (&[3, 0], 0), (&[1], 0)] {
        assert_eq!(Tensor::zeros(shape, DType::F32, CPU)?.softmax(dim)?.dims(), shape);
    }
    assert!(Tensor::zeros((), DType::F32, CPU)?.softmax(0).is_err());
    assert!(Tensor::zeros(3, DType::I64, CPU)?.softmax(0).is_err());
    // Long lines, over several threads and columns, compared with f64.
    let x = Tensor::rand_f64(-4., 4., (3, 5000, 37), DType::F32, CPU)?;
    let y = x.softmax(1)?;
    let e = x.to_dtype(DType::F64)?.exp()?;
    let want = e.broadcast_div(&e.sum_keepdim(1)?)?;
    let worst = ((y.to_dtype(DType::F64)? - &want)? / &want)?.abs()?.max_all()?.to_scalar::<f64>()?;
    assert!(worst < 1e-6, "{worst}");
    Ok(())
}

type Loss = (Vec<f64>, Vec<f64>);

fn run(x: &Tensor, t: &Tensor, w: Option<&Tensor>, r: Reduction, smooth: Option<f64>) -> Result<Tensor> {
    match (smooth, w) {
        (None, None) => x.nll_loss(t, r, -100),
        (None, Some(w)) => x.nll_loss_weighted(t, w, r, -100),
        (Some(s), None) => x.cross_entropy(t, r, -100, s),
        (Some(s), Some(w)) => x.cross_entropy_weighted(t, w, r, -100, s),
    }
}

fn loss(x: &Tensor, t: &Tensor, w: Option<&Tensor>, r: Reduction, smooth: Option<f64>) -> Result<Loss> {
    let x = x.leaf();
    let y = run(&x, t, w, r, smooth)?;
    let root = if r == Reduction::None { (&y * Tensor::new(&[1., -2., 3.], CPU)?)? } else { y.clone() };
    Ok((flat(&y)?, flat(root.backward()?.get(&x).unwrap())?))
}

#[test]
fn losses_and_their_gradients() -> Result<()> {
    let target = Tensor::new(&[2i64, 0, -100], CPU)?;
    let weight = Tensor::new(&[0.5f64, 1.0, 2.0, 3.0], CPU)?;
    // The loss and the first 8 elements of its gradient; the third row is ignored. For each reduction: cross entropy
    // without and with smoothing 0.3, then nll; each without and with weights.
    #[rustfmt::skip]
    let cases: [[(&[f64], [f64; 8]); 6]; 3] = [
        [(&[1.109805013295081], [0.07984677501605413, 0.013875288966340205, -0.14215158110880782, 0.048429517126413524, -0.4240939277545245, 0.07590607224547549, 0.008000441154209968, 0.340187414354839]),
         (&[0.6446211728802298], [0.1277548400256866, 0.02220046234614433, -0.22744252977409252, 0.07748722740226165, -0.16963757110180983, 0.0303624288981902, 0.0032001764616839874, 0.13607496574193562]),
         (&[1.3910550132950807], [0.04234677501605412, -0.023624711033659793, -0.029651581108807817, 0.01092951712641352, -0.3115939277545245, 0.03840607224547548, -0.029499558845790034, 0.3026874143548389]),
         (&[1.1840587762012422], [0.10556863027424171, -0.009048313660826292, -0.07964888747429977, -0.016871429139115587, -0.1041429315955314, 0.020857068404468576, -0.05463970442667932, 0.1379255676177421]),
         (&[-1.75], [0., 0., -0.5, 0., -0.5, 0., 0., 0.]),
         (&[-1.9], [0., 0., -0.8, 0., -0.2, 0., 0., 0.])],
        [(&[2.219610026590162], [0.15969355003210825, 0.02775057793268041, -0.28430316221761565, 0.09685903425282705, -0.848187855509049, 0.15181214449095098, 0.016000882308419936, 0.680374828709678]),
         (&[1.6115529322005746], [0.3193871000642165, 0.05550115586536082, -0.5686063244352313, 0.1937180685056541, -0.4240939277545245, 0.07590607224547549, 0.008000441154209968, 0.340187414354839]),
         (&[2.7821100265901615], [0.08469355003210824, -0.04724942206731959, -0.05930316221761563, 0.02185903425282704, -0.623187855509049, 0.07681214449095096, -0.05899911769158007, 0.6053748287096778]),
         (&[2.9601469405031056], [0.26392157568560426, -0.02262078415206573, -0.19912221868574956, -0.042178572847788955, -0.2603573289888285, 0.05214267101117144, -0.13659926106669829, 0.3448139190443553]),
         (&[-3.5], [0., 0., -1., 0., -1., 0., 0., 0.]),
         (&[-4.75], [0., 0., -2., 0., -0.5, 0., 0., 0.])],
        [(&[0.33449861260366254, 1.8851114139864993, 0.], [0.15969355003210825, 0.02775057793268041, -0.28430316221761565, 0.09685903425282705, 1.696375711018098, -0.30362428898190197, -0.03200176461683987, -1.360749657419356]),
         (&[0.6689972252073251, 0.9425557069932496, 0.], [0.3193871000642165, 0.05550115586536082, -0.5686063244352313, 0.1937180685056541, 0.848187855509049, -0.15181214449095098, -0.016000882308419936, -0.680374828709678]),
         (&[0.8407486126036624, 1.9413614139864992, 0.], [0.08469355003210824, -0.04724942206731959, -0.05930316221761563, 0.02185903425282704, 1.246375711018098, -0.15362428898190192, 0.11799823538316014, -1.2107496574193557]),
         (&[1.3813661312894128, 1.578780809213693, 0.], [0.26392157568560426, -0.02262078415206573, -0.19912221868574956, -0.042178572847788955, 0.520714657977657, -0.10428534202234288, 0.27319852213339657, -0.6896278380887106]),
         (&[-2., -1.5, 0.], [0., 0., -1., 0., 2., 0., 0., 0.]),
         (&[-4., -0.75, 0.], [0., 0., -2., 0., 1., 0., 0., 0.])],
    ];
    for (r, rows) in REDUCTIONS.into_iter().zip(cases) {
        for (i, (want, grad)) in rows.into_iter().enumerate() {
            let smooth = [Some(0.0), Some(0.3), None][i / 2];
            let w = (i % 2 == 1).then_some(&weight);
            for x in [Tensor::new(&X, CPU)?, twisted(&Tensor::new(&X, CPU)?)?] {
                let (got, g) = loss(&x, &target, w, r, smooth)?;
                close(&Tensor::new(got, CPU)?, want);
                close(&Tensor::new(&g[..8], CPU)?, &grad);
                assert_eq!(g[8..], [0.; 4]);
            }
            // f32 and the half types, through every index dtype, within their rounding.
            for (dtype, tol) in [(DType::F32, 1e-6), (DType::F16, 3e-3), (DType::BF16, 2e-2)] {
                for ids in [DType::U8, DType::U32, DType::I64, DType::I32, DType::I16] {
                    let x = Tensor::new(&X, CPU)?.to_dtype(dtype)?.narrow(0, 0, 2)?;
                    let target = Tensor::new(&[2u8, 0], CPU)?.to_dtype(ids)?;
                    let w = w.map(|w| w.to_dtype(dtype)).transpose()?;
                    let y = run(&x, &target, w.as_ref(), r, smooth)?;
                    assert_eq!(y.dtype(), dtype);
                    close_to(&y, &want[..want.len().min(2)], tol);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn losses_of_images_bytes_and_extremes() -> Result<()> {
    let v: Vec<f64> = (0..12).map(|i| (i as f64).sin()).collect();
    let x = Tensor::from_vec(v, (2, 3, 2), CPU)?.leaf();
    let target = Tensor::new(&[[0u32, 2], [1, 1]], CPU)?;
    let y = x.cross_entropy(&target, Reduction::Mean, -100, 0.0)?;
    close(&y, &[1.2526245821550415]);
    #[rustfmt::skip]
    close(y.backward()?.get(&x).unwrap(), &[-0.18673675927030134, 0.15045335118391825, 0.15705591243760136, 0.07468670520652018, 0.029680846832700006, -0.22514005639043844, 0.04695719877713925, 0.12667704893090473, -0.08299725201029956, -0.1508362214071229, 0.03604005323316027, 0.0241591724762182]);
    let bytes = Tensor::new(&[3f64, 1., 2.], CPU)?;
    close(&x.cross_entropy_weighted(&target, &bytes, Reduction::ByteMean, -100, 0.0)?, &[1.4381449105498256]);
    let none = x.cross_entropy_weighted(&target, &bytes.zeros_like()?, Reduction::ByteMean, -100, 0.0)?;
    close(&none, &[0.]);
    assert_eq!(flat(none.backward()?.get(&x).unwrap())?, [0.; 12]);
    // One target: a vector of scores and a scalar target.
    let one = Tensor::new(&[1f64, 1.], CPU)?;
    let y = one.cross_entropy(&Tensor::new(1u8, CPU)?, Reduction::None, -100, 0.0)?;
    close(&y, &[std::f64::consts::LN_2]);
    // All targets are ignored: the mean is NaN, the sum is 0, and gradients are 0.
    let ignored = Tensor::new(&[[7u32, 7], [7, 7]], CPU)?;
    for log in [false, true] {
        let run = |r| if log { x.nll_loss(&ignored, r, 7) } else { x.cross_entropy(&ignored, r, 7, 0.0) };
        let mean = run(Reduction::Mean)?;
        assert!(mean.to_scalar::<f64>()?.is_nan());
        assert_eq!(flat(mean.backward()?.get(&x).unwrap())?, [0.; 12]);
        assert_eq!(run(Reduction::Sum)?.to_scalar::<f64>()?, 0.);
        assert_eq!(flat(&run(Reduction::None)?)?, [0.; 4]);
    }
    // Logits far apart: exact answers, finite gradients.
    let far = Tensor::new(&[[1e4f32, 0., -1e4], [3e38, -3e38, 0.]], CPU)?.leaf();
    let y = far.cross_entropy(&Tensor::new(&[1u32, 0], CPU)?, Reduction::None, -100, 0.0)?;
    assert_eq!(y.to_vec1::<f32>()?, [1e4, 0.]);
    assert_eq!(y.backward()?.get(&far).unwrap().to_vec2::<f32>()?, [[1., -1., 0.], [0., 0., 0.]]);
    Ok(())
}

proptest! {
    /// Random targets, classes and ignored index. A target out of range that is not ignored is `InvalidIndex` with the
    /// first such value; otherwise the result is the loss of the targets that are not ignored.
    #[test]
    fn targets_are_checked(
        ids in proptest::collection::vec(-4i64..8, 0..6),
        classes in 1usize..6,
        ignore in -4i64..8,
    ) {
        let n = ids.len();
        let x = Tensor::zeros((n, classes), DType::F32, CPU).unwrap();
        let target = Tensor::from_vec(ids.clone(), n, CPU).unwrap();
        let bad = ids.iter().find(|&&t| t != ignore && !(0..classes as i64).contains(&t));
        let counted = ids.iter().filter(|&&t| t != ignore).count();
        for log in [false, true] {
            let run = |r| {
                if log { x.nll_loss(&target, r, ignore) } else { x.cross_entropy(&target, r, ignore, 0.0) }
            };
            match (bad, run(Reduction::Sum)) {
                (Some(t), Err(e)) => {
                    let found = matches!(e.root(),
                        Error::InvalidIndex { index, size, .. } if index == t && *size == classes);
                    prop_assert!(found, "{}", e);
                }
                (None, Ok(y)) => {
                    let want = if log { 0.0 } else { counted as f32 * (classes as f32).ln() };
                    prop_assert!((y.to_scalar::<f32>().unwrap() - want).abs() < 1e-4);
                    let mean = run(Reduction::Mean).unwrap().to_scalar::<f32>().unwrap();
                    prop_assert_eq!(mean.is_nan(), counted == 0);
                }
                (b, y) => prop_assert!(false, "{:?} gave {:?}", b, y),
            }
        }
    }

    /// Random shapes: valid ones work, others are errors that name the op.
    #[test]
    fn target_shapes_are_checked(
        x in proptest::collection::vec(0usize..4, 0..4),
        t in proptest::collection::vec(0usize..4, 0..3),
    ) {
        let mut want = x.clone();
        let classes = if x.is_empty() { 0 } else { want.remove(usize::from(x.len() > 1)) };
        let good = !x.is_empty() && want == t;
        let target = Tensor::zeros(t.clone(), DType::I64, CPU).unwrap();
        let x = Tensor::zeros(x, DType::F64, CPU).unwrap();
        match x.cross_entropy(&target, Reduction::None, -100, 0.0) {
            Ok(y) => prop_assert!(good && y.dims() == t && (classes > 0 || target.elem_count() == 0)),
            Err(e) => {
                prop_assert!(!good || classes == 0);
                prop_assert!(e.to_string().contains("cross_entropy"), "{}", e);
            }
        }
    }
}

#[test]
fn bad_losses_are_errors() -> Result<()> {
    let x = Tensor::zeros((2, 3), DType::F32, CPU)?;
    let t = Tensor::zeros(2, DType::I64, CPU)?;
    let w = Tensor::ones(3, DType::F32, CPU)?;
    let text = |r: Result<Tensor>| r.unwrap_err().to_string();
    assert!(text(x.cross_entropy(&t, Reduction::ByteMean, -100, 0.0)).contains("byte_mean needs"));
    assert!(text(x.cross_entropy(&t, Reduction::Mean, -100, 1.5)).contains("label_smoothing"));
    assert!(text(x.cross_entropy(&t, Reduction::Mean, -100, f64::NAN)).contains("label_smoothing"));
    let wide = w.to_dtype(DType::F64)?;
    assert!(
        text(x.nll_loss_weighted(&t, &wide, Reduction::Mean, -100)).contains("dtype mismatch in nll_loss")
    );
    let short = w.narrow(0, 0, 2)?;
    assert!(
        text(x.nll_loss_weighted(&t, &short, Reduction::Mean, -100)).contains("one weight for each class")
    );
    assert!(
        text(x.nll_loss(&t.to_dtype(DType::F32)?, Reduction::Mean, -100)).contains("unsupported dtype F32")
    );
    let device = Device::new_testdev(0);
    assert!(text(x.nll_loss(&t.to_device(&device)?, Reduction::Mean, -100)).contains("device mismatch"));
    // Class weights have no gradient; this is an error and not ignored.
    let y = x.leaf().cross_entropy_weighted(&t, &w.leaf(), Reduction::Mean, -100, 0.0)?;
    assert!(y.backward().unwrap_err().to_string().contains("class weights"));
    Ok(())
}

#[test]
fn addmm_and_its_gradient() -> Result<()> {
    let (bias, a, b) = (
        Tensor::new(&[0.5, -0.25], CPU)?.leaf(),
        Tensor::new(&[[1., 2., -1.], [0.5, 0., 3.]], CPU)?.leaf(),
        Tensor::new(&[[2., -1.], [0.25, 4.], [1., -2.]], CPU)?.leaf(),
    );
    let y = bias.addmm(&a, &b, 0.5, -2.0)?;
    close(&y, &[-2.75, -18.125, -7.75, 12.875]);
    let grads = (y * Tensor::new(&[[1., 2.], [-1., 0.5]], CPU)?)?.backward()?;
    close(grads.get(&bias).unwrap(), &[0., 1.25]);
    close(grads.get(&a).unwrap(), &[0., -16.5, 6., 5., -3.5, 4.]);
    close(grads.get(&b).unwrap(), &[-1., -4.5, -4., -8., 8., 1.]);
    // With beta 0 the bias is not read.
    let nan = Tensor::full(f64::NAN, (2, 2), CPU)?;
    close(&nan.addmm(&a, &b, 0.0, 1.0)?, &[1.5, 9., 4., -6.5]);
    // f16 is rounded once: 3 + 2^-9 - 2048 would lose its fraction if the product were rounded first.
    let half = |v: [f32; 2]| Tensor::new(&[v], CPU)?.to_dtype(DType::F16);
    let k = half([2048., 3.003_906_3])?;
    let y = half([-2048., 0.])?.narrow(1, 0, 1)?.addmm(&k, &k.ones_like()?.t()?, 1.0, 1.0)?;
    assert_eq!(flat(&y)?, [3.00390625]);
    // Integers wrap, and accept integral factors only.
    let i = Tensor::new(&[[100i8, -2], [3, 4]], CPU)?;
    assert_eq!(i.addmm(&i, &i, 2.0, -1.0)?.to_vec2::<i8>()?, [[-66, -52], [-50, -2]]);
    assert!(i.addmm(&i, &i, 0.5, 1.0).unwrap_err().to_string().contains("beta must be a whole number"));
    assert!(bias.addmm(&a, &a, 1., 1.).unwrap_err().to_string().contains("shape mismatch in addmm"));
    Ok(())
}

#[test]
fn addcmul_and_addcdiv() -> Result<()> {
    let x = Tensor::new(&[1., 2.], CPU)?.leaf();
    let a = Tensor::new(&[[3.], [-1.]], CPU)?.leaf();
    let b = Tensor::new(&[[0.5, 2.], [-4., 1.]], CPU)?.leaf();
    let y = x.addcmul(&a, &b, 0.5)?;
    close(&y, &[1.75, 5., 3., 1.5]);
    let grads = y.backward()?;
    for (t, want) in [(&x, &[2., 2.][..]), (&a, &[1.25, -1.5]), (&b, &[1.5, 1.5, -0.5, -0.5])] {
        close(grads.get(t).unwrap(), want);
    }
    let y = x.addcdiv(&a, &b, 0.5)?;
    close(&y, &[4., 2.75, 1.125, 1.5]);
    let grads = y.backward()?;
    for (t, want) in [(&x, &[2., 2.][..]), (&a, &[1.25, 0.375]), (&b, &[-6., -0.375, 0.03125, 0.5])] {
        close(grads.get(t).unwrap(), want);
    }
    let u = Tensor::new(&[7u8, 0], CPU)?;
    assert_eq!(u.addcmul(&u, &u, -1.0)?.to_vec1::<u8>()?, [7u8.wrapping_sub(49), 0]);
    assert!(u.addcdiv(&u, &u, 1.0).is_err());
    let three = Tensor::new(&[1., 2., 3.], CPU)?;
    assert!(x.addcmul(&three, &b, 1.0).unwrap_err().to_string().contains("addcmul"));
    Ok(())
}

#[test]
fn variances() -> Result<()> {
    let x = Tensor::new(&[[1., 2., 4.], [7., -1., 0.5]], CPU)?;
    close(&x.var_with(1, 0.0, false)?, &[1.5555555555555554, 12.055555555555555]);
    close(&x.var(1)?, &[2.333333333333333, 18.083333333333332]);
    close(&x.var_with(1, 2.0, true)?, &[4.666666666666666, 36.166666666666664]);
    close(&x.var_with((0, 1), 1.0, false)?, &[8.175]);
    close(&x.std_with((0, 1), 0.0, false)?, &[2.6100766272276377]);
    close(&x.std(1)?, &[2.333333333333333f64.sqrt(), 18.083333333333332f64.sqrt()]);
    assert_eq!(x.var_keepdim(0)?.dims(), &[1, 3]);
    close(&x.var_with(0, 3.0, false)?, &[f64::INFINITY; 3]);
    close(&Tensor::new(&[[1.], [1.]], CPU)?.var(1)?, &[f64::NAN; 2]);
    // If the squares were computed in the input's dtype, they would lose all digits (bf16) or overflow (f16).
    let h = Tensor::new(&[300f32, 302., 304., 306.], CPU)?;
    close(&h.to_dtype(DType::BF16)?.var(0)?, &[6.65625]);
    close(&h.affine(100., 0.)?.to_dtype(DType::F16)?.std(0)?, &[254.125]);
    // The rounded mean of equal elements 0.1 differs from 0.1, but their variance must be 0.
    for dtype in [DType::F64, DType::F32] {
        let equal = Tensor::full(0.1f64, (3, 4), CPU)?.to_dtype(dtype)?;
        for t in [equal.var(0)?, equal.std(0)?] {
            assert_eq!(t.to_dtype(DType::F64)?.to_vec1::<f64>()?, [0.0; 4]);
        }
    }
    // The standard deviation of equal elements has gradient 0, as in PyTorch; other rows are not affected.
    let y = Tensor::new(&[[1., 1.], [1., 3.]], CPU)?.leaf();
    close(y.std_with(1, 0.0, false)?.backward()?.get(&y).unwrap(), &[0., 0., -0.5, 0.5]);
    assert!(x.var(2).is_err());
    assert!(Tensor::zeros(3, DType::I64, CPU)?.var(0).is_err());
    Ok(())
}

#[test]
fn log_sum_exp_is_stable() -> Result<()> {
    let inf = f64::INFINITY;
    let x = Tensor::new(&[[1e4, 1e4 - 1.], [-inf, -inf], [inf, 1.], [f64::NAN, 1.], [-inf, 2.]], CPU)?;
    close(&x.log_sum_exp(1)?, &[1e4 + 0.31326168751822286, -inf, inf, f64::NAN, 2.]);
    let y = Tensor::new(&[[0.5, -1.25], [3., 0.]], CPU)?.leaf();
    let z = y.log_sum_exp((0, 1))?;
    close(&z, &[3.1363965474337765]);
    let want = [0.07161888037172126, 0.012445495267699691, 0.8724965776008389, 0.04343904675974027];
    close(z.backward()?.get(&y).unwrap(), &want);
    let none = Tensor::zeros((0, 2), DType::F64, CPU)?;
    close(&none.log_sum_exp(0)?, &[-inf, -inf]);
    assert_eq!(none.log_sum_exp(1)?.dims(), [0]);
    let none = none.to_dtype(DType::C128)?.log_sum_exp(0)?;
    close(&none.real()?, &[-inf, -inf]);
    close(&none.imag()?, &[0., 0.]);
    Ok(())
}
