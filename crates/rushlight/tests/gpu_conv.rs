//! Convolutions and pooling by MIOpen or cuDNN and by our kernels, compared with the CPU and PyTorch; warnings if the
//! library cannot be used. Ignored by default, see `gpu.rs`. RUSHLIGHT_VGPU_FAULT makes the virtual GPU's library fail
//! as the real one does.
mod common;
mod golden;
use common::device::{Bound, Gpu, compare, gpu};
use common::report::{Check, Report, as_f64, bits, gradients, text};
use common::vendor::{Chosen, Names, child, data, warning};
use rushlight::gpu::{Choice, Family};
use rushlight::ops::Op;
use rushlight::ops::avg_pool_backward::AvgPoolBackward;
use rushlight::ops::conv::Conv;
use rushlight::ops::conv_transpose::ConvTranspose;
use rushlight::ops::conv_weight_grad::ConvWeightGrad;
use rushlight::ops::window::Window;
use rushlight::{DType, Device, Result, Tensor};
use rushlight_parity::sweep::{Case, Form, lay};

const HALVES: [DType; 3] = [DType::F32, DType::F16, DType::BF16];
const BOUND: Bound = Bound::Scaled(16.0);

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn every_sample_agrees_by_either() {
    let (device, handle) = gpu();
    let mut r = Report::new();
    let mut calls = 0;
    for choice in [Choice::Native, Choice::Auto, Choice::Vendor] {
        let _chosen = Chosen::new(&handle, Family::Conv, choice);
        for case in Case::all().iter().filter(|c| c.error.is_none() && c.op.definition().starts_with("conv"))
        {
            r.case(&format!("{choice:?} {}", case.name), || {
                let want = text(case.run(&text(case.tensors(&Device::Cpu))?))?;
                let before = handle.counters();
                let got = case.run(&text(case.tensors(&device))?);
                let made = handle.counters().conv_calls - before.conv_calls;
                calls += made;
                let got = match got {
                    // If the user requires the library, a case that it does not support is an error that gives the
                    // reason.
                    Err(e) if choice == Choice::Vendor && made == 0 => {
                        let known = ["f32, f16 and bf16 only", "more or fewer elements"];
                        let e = e.to_string();
                        return if known.iter().any(|k| e.contains(k)) { Ok(()) } else { Err(e) };
                    }
                    other => text(other)?,
                };
                if choice == Choice::Native && made > 0 {
                    return Err("the library was called".to_string());
                }
                let bound = if want[0].dtype().is_float() { BOUND } else { Bound::Exact };
                compare(&bound, &got[0], &want[0])
            });
        }
    }
    r.finish(1000);
    if std::env::var_os("RUSHLIGHT_CASE").is_none() {
        assert!(calls > 200, "{calls} calls of the library");
    }
}

/// A convolution: shapes, window, groups.
struct Shape {
    x: Vec<usize>,
    w: Vec<usize>,
    window: [Vec<usize>; 3],
    groups: usize,
}

fn shapes() -> Vec<Shape> {
    type Row<'a> = (&'a [usize], &'a [usize], &'a [usize], &'a [usize], &'a [usize], usize);
    // x, w, padding, stride, dilation, groups.
    let rows: [Row<'_>; 12] = [
        (&[3, 5, 37], &[7, 5, 3], &[1], &[1], &[1], 1),
        (&[2, 6, 40], &[8, 3, 5], &[4], &[3], &[2], 2),
        (&[2, 3, 17, 19], &[8, 3, 3, 3], &[1], &[1], &[1], 1),
        (&[2, 3, 17, 19], &[8, 3, 3, 3], &[0], &[1], &[1], 1),
        (&[2, 4, 16, 15], &[6, 4, 5, 3], &[2, 1], &[2, 1], &[1], 1),
        (&[1, 4, 20, 21], &[8, 2, 3, 3], &[2], &[1, 2], &[2], 2),
        (&[2, 6, 12, 12], &[6, 1, 3, 3], &[1], &[2], &[1], 6),
        (&[2, 16, 9, 9], &[32, 16, 1, 1], &[0], &[1], &[1], 1),
        (&[1, 3, 33, 33], &[4, 3, 7, 7], &[3], &[2], &[1], 1),
        (&[1, 1, 8, 8], &[1, 1, 8, 8], &[0], &[1], &[1], 1),
        (&[2, 3, 6, 7, 8], &[4, 3, 3, 3, 3], &[1], &[1], &[1], 1),
        (&[1, 4, 5, 6, 7], &[6, 2, 2, 1, 3], &[1, 0, 1], &[2, 1, 2], &[1, 1, 2], 2),
    ];
    let list = |(x, w, p, s, d, groups): Row<'_>| Shape {
        x: x.to_vec(),
        w: w.to_vec(),
        window: [p, s, d].map(<[usize]>::to_vec),
        groups,
    };
    rows.into_iter().map(list).collect()
}

/// Returns how many of `calls` calls are left to the library without being required: `auto` leaves the gradients of inputs and
/// transposed convolutions to our kernels where the library is cuDNN.
fn left(handle: &Gpu, choice: Choice, calls: u64, of_inputs: u64) -> u64 {
    match (choice, handle) {
        (Choice::Native, _) => 0,
        (Choice::Auto, Gpu::Cuda(_)) => calls - of_inputs,
        _ => calls,
    }
}

/// Compares output and gradients from the library (for which it must make 4 calls, `of_inputs` of them for the gradient of an input
/// or a transposed convolution), from our kernels and from the CPU.
fn three_ways(
    device: &Device,
    handle: &Gpu,
    op: &Op,
    ins: &[Tensor],
    view: &dyn Fn(&Tensor) -> Result<Tensor>,
    of_inputs: u64,
) -> Check {
    let operands = |device: &Device| -> Result<Vec<Tensor>> {
        ins.iter().map(|t| view(&t.to_device(device)?)).collect()
    };
    let all = |device: &Device| -> std::result::Result<Vec<Tensor>, String> {
        let out = text(op.run(&text(operands(device))?))?;
        Ok([out, gradients(text(operands(device))?, op)?].concat())
    };
    let want = all(&Device::Cpu)?;
    for choice in [Choice::Native, Choice::Auto, Choice::Vendor] {
        let _chosen = Chosen::new(handle, Family::Conv, choice);
        let before = handle.counters();
        let got = all(device)?;
        let after = handle.counters();
        let made = after.conv_calls - before.conv_calls;
        // The forward op runs twice: once for the output, and once for the gradients.
        let expected = left(handle, choice, 4, of_inputs);
        if made != expected {
            return Err(format!("{choice:?}: {made} calls of the library, expected {expected}"));
        }
        if before.downloads != after.downloads {
            return Err(format!("{choice:?} moved memory: {before:?} -> {after:?}"));
        }
        for (i, (g, w)) in got.iter().zip(&want).enumerate() {
            compare(&BOUND, g, w).map_err(|e| format!("{choice:?}, result {i}: {e}"))?;
        }
    }
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn shapes_and_their_gradients_agree_by_native_and_vendor_kernels_and_the_cpu() {
    let (device, handle) = gpu();
    let mut r = Report::new();
    for (i, s) in shapes().iter().enumerate() {
        let [p, st, d] = &s.window;
        let window = Window::new("conv", s.x.len() - 2, st, p, d).expect("window");
        let groups = s.groups as u32;
        let conv = Op::Conv(Conv { window, groups });
        let x = Tensor::zeros(s.x.clone(), DType::F32, &Device::Cpu).expect("x");
        let w = Tensor::zeros(s.w.clone(), DType::F32, &Device::Cpu).expect("w");
        let y = conv.run(&[x, w]).expect("y").remove(0).dims().to_vec();
        for dtype in HALVES {
            let pair = |a: &[usize], b: &[usize]| [data(a, dtype).expect("a"), data(b, dtype).expect("b")];
            let plain = |t: &Tensor| Ok(t.clone());
            r.case(&format!("conv {i}/{dtype:?}"), || {
                three_ways(&device, &handle, &conv, &pair(&s.x, &s.w), &plain, 1)
            });
            r.case(&format!("conv {i}, stepped/{dtype:?}"), || {
                let stepped = |t: &Tensor| lay(t, Form::Stepped);
                three_ways(&device, &handle, &conv, &pair(&s.x, &s.w), &stepped, 1)
            });
            let op = |extra| Op::ConvTranspose(ConvTranspose { window, output_padding: [extra; 3], groups });
            r.case(&format!("conv_transpose {i}/{dtype:?}"), || {
                three_ways(&device, &handle, &op(0), &pair(&y, &s.w), &plain, 2)
            });
        }
    }
    r.finish(100);
}

/// Compares with f64, and `sizes`, the same of magnitudes. Sums in f32 of k terms, and matrix units that cut products, are within 40
/// rounding errors of the sum of magnitudes for random numbers; the result is rounded to the dtype.
fn in_f64(got: &Tensor, want: &Tensor, sizes: &Tensor) -> Check {
    let half_unit = 2f64.powi(match got.dtype() {
        DType::F16 => -11,
        DType::BF16 => -8,
        _ => -24,
    });
    let least = if got.dtype() == DType::F16 { 2f64.powi(-25) } else { 0.0 };
    let all = [as_f64(&text(got.to_device(&Device::Cpu))?)?, as_f64(want)?, as_f64(sizes)?];
    if got.shape() != want.shape() {
        return Err(format!("{:?} instead of {:?}", got.shape(), want.shape()));
    }
    for (i, ((g, w), m)) in all[0].iter().zip(&all[1]).zip(&all[2]).enumerate() {
        let bound = 1.01 * half_unit * w.abs() + 40.0 * 2f64.powi(-24) * m + least;
        let same = g == w || (g.is_nan() && w.is_nan());
        if !(same || (g - w).abs() <= bound) {
            return Err(format!("element {i} is {g:e} instead of {w:e}, bound {bound:e}"));
        }
    }
    Ok(())
}

/// Numbers of `[-2, 2]` of which neighbours in any dimension differ, rounded to the dtype.
fn numbers(shape: &[usize], dtype: DType, seed: usize) -> Result<Tensor> {
    let number = |i: usize| {
        let h = (i + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let h = (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((h >> 40) as f32 / 16_777_216.0 - 0.5) * 4.0
    };
    let n = shape.iter().product();
    Tensor::from_vec::<_, f32>((0..n).map(number).collect(), shape, &Device::Cpu)?.to_dtype(dtype)
}

/// Channels in packs and not, tiles that are not whole, large tiles, groups, strides, dilation, one to three dimensions.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn our_kernels_agree_with_f64() {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Conv, Choice::Native);
    let mut r = Report::new();
    type Row<'a> = (&'a [usize], &'a [usize], &'a [usize], &'a [usize], &'a [usize], usize);
    // x, w, padding, stride, dilation, groups.
    let rows: [Row<'_>; 15] = [
        (&[2, 8, 9, 9], &[8, 8, 3, 3], &[1], &[1], &[1], 1),
        (&[1, 24, 11, 13], &[40, 24, 3, 3], &[1], &[1], &[1], 1),
        (&[2, 64, 8, 9], &[72, 64, 1, 1], &[0], &[1], &[1], 1),
        (&[2, 16, 12, 11], &[16, 16, 5, 3], &[2, 1], &[2, 1], &[1], 1),
        (&[1, 16, 15, 14], &[24, 8, 3, 3], &[2], &[1, 2], &[2], 2),
        (&[1, 3, 30, 31], &[16, 3, 7, 7], &[3], &[2], &[1], 1),
        (&[3, 5, 37], &[7, 5, 3], &[1], &[1], &[1], 1),
        (&[2, 32, 50], &[16, 16, 5], &[8], &[3], &[4], 2),
        (&[1, 8, 6, 7, 8], &[8, 8, 3, 3, 3], &[1], &[1], &[1], 1),
        (&[1, 16, 5, 6, 7], &[16, 8, 2, 1, 3], &[1, 0, 1], &[2, 1, 2], &[1, 1, 2], 2),
        // Windows without an element, a kernel of many taps, and one of more than the tables have.
        (&[1, 8, 3], &[8, 8, 3], &[5], &[1], &[1], 1),
        (&[1, 8, 2, 40], &[8, 8, 2, 27], &[0, 3], &[1], &[1], 1),
        (&[1, 8, 60], &[8, 8, 31], &[3], &[2], &[1], 1),
        // Enough groups to fill every device with large tiles.
        (&[1, 3200, 5], &[28800, 8, 1], &[0], &[1], &[1], 400),
        (&[1, 28800, 5], &[3200, 72, 1], &[0], &[1], &[1], 400),
    ];
    for dtype in HALVES {
        for (i, (x, w, p, s, d, groups)) in rows.iter().enumerate() {
            let window = Window::new("conv", x.len() - 2, s, p, d).expect("window");
            let groups = *groups as u32;
            let (a, b) = (numbers(x, dtype, 1).expect("x"), numbers(w, dtype, 2).expect("w"));
            let conv = Op::Conv(Conv { window, groups });
            let y = conv.run(&[a.clone(), b.clone()]).expect("y").remove(0).dims().to_vec();
            let transposed = Op::ConvTranspose(ConvTranspose { window, output_padding: [0; 3], groups });
            let back = numbers(&y, dtype, 3).expect("y");
            let mut kernel = [1; 3];
            for (k, n) in kernel[5 - w.len()..].iter_mut().zip(&w[2..]) {
                *k = *n as u32;
            }
            let weight_grad = Op::ConvWeightGrad(ConvWeightGrad { window, kernel, groups });
            let cases = [
                ("conv", conv, [a.clone(), b.clone()]),
                ("conv_transpose", transposed, [back.clone(), b]),
                ("conv_weight_grad", weight_grad, [a, back]),
            ];
            for (name, op, ins) in cases {
                r.case(&format!("{name} {i}/{dtype:?}"), || {
                    let map = |f: &dyn Fn(&Tensor) -> Result<Tensor>| -> Result<Vec<Tensor>> {
                        ins.iter().map(f).collect()
                    };
                    let before = handle.counters().conv_calls;
                    let got = text(map(&|t| t.to_device(&device)).and_then(|ins| op.run(&ins)))?;
                    if handle.counters().conv_calls != before {
                        return Err("the library was called".to_string());
                    }
                    let want = text(map(&|t| t.to_dtype(DType::F64)).and_then(|ins| op.run(&ins)))?;
                    let sizes = text(map(&|t| t.to_dtype(DType::F64)?.abs()).and_then(|ins| op.run(&ins)))?;
                    in_f64(&got[0], &want[0], &sizes[0])
                });
            }
        }
    }
    r.finish(120);
}

/// Of a transposed convolution no element is multiplied by taps that have none, so an infinite weight reaches its own results alone.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn infinite_weights_of_transposed_convolutions() {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Conv, Choice::Native);
    let mut r = Report::new();
    for dtype in HALVES {
        for groups in [1, 2] {
            for bad in [f64::INFINITY, f64::NAN] {
                r.case(&format!("{groups} groups, {bad}/{dtype:?}"), || {
                    let x = text(numbers(&[2, 16, 5, 4], dtype, 1))?;
                    let w = text(numbers(&[16, 12, 3, 3], dtype, 2))?;
                    // One tap of one weight.
                    let spot = Tensor::from_vec(
                        (0..w.elem_count()).map(|i| u8::from(i == 5 * 108 + 9 * 3 + 2)).collect(),
                        w.shape(),
                        &Device::Cpu,
                    );
                    let w = text(spot.and_then(|s| s.where_cond(&w.affine(0.0, bad)?, &w)))?;
                    let run = |device: &Device| -> Result<Tensor> {
                        x.to_device(device)?.conv_transpose_nd(
                            &w.to_device(device)?,
                            &[1],
                            &[0],
                            &[1, 2],
                            &[1],
                            groups,
                        )
                    };
                    let (got, want) = (text(run(&device))?, text(run(&Device::Cpu))?);
                    let odd = as_f64(&want)?.iter().filter(|v| !v.is_finite()).count();
                    if odd == 0 || odd * 4 > want.elem_count() {
                        return Err(format!("{odd} results of the CPU are not finite"));
                    }
                    compare(&BOUND, &got, &want)
                });
            }
        }
    }
    r.finish(12);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn output_padding_and_empty_tensors() -> Result<()> {
    let (device, handle) = gpu();
    let x = data(&[2, 3, 5, 4], DType::F32)?;
    let w = data(&[3, 2, 3, 3], DType::F32)?;
    let run = |device: &Device, extra: usize| -> Result<Tensor> {
        let (x, w) = (x.to_device(device)?, w.to_device(device)?);
        x.conv_transpose_nd(&w, &[1], &[extra], &[2], &[1], 1)
    };
    let _chosen = Chosen::new(&handle, Family::Conv, Choice::Auto);
    // An output padding less than the stride needs one call. Otherwise there are windows without an element of x, which
    // the library does not support.
    for (extra, calls) in [(0, 1), (1, 1), (2, 0)] {
        run(&device, extra)?;
        let before = handle.counters().conv_calls;
        let got = run(&device, extra)?;
        let calls = left(&handle, Choice::Auto, calls, calls);
        assert_eq!(handle.counters().conv_calls - before, calls, "output padding {extra}");
        compare(&BOUND, &got, &run(&Device::Cpu, extra)?).expect("the result");
    }
    for choice in [Choice::Auto, Choice::Vendor] {
        handle.choose(Family::Conv, choice);
        let before = handle.counters().conv_calls;
        let none = Tensor::zeros((0, 3, 5, 4), DType::F32, &device)?.conv2d(
            &Tensor::zeros((2, 3, 3, 3), DType::F32, &device)?,
            1,
            1,
            1,
            1,
        )?;
        assert_eq!(none.dims(), [0, 2, 5, 4]);
        // Without channels the result is zero.
        let zeros = Tensor::zeros((2, 0, 5, 4), DType::F32, &device)?.conv2d(
            &Tensor::zeros((2, 0, 3, 3), DType::F32, &device)?,
            1,
            1,
            1,
            1,
        )?;
        assert!(as_f64(&zeros.to_device(&Device::Cpu)?).expect("values").iter().all(|v| *v == 0.0));
        assert_eq!(handle.counters().conv_calls, before);
    }
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn pytorchs_answers() {
    let (device, handle) = gpu();
    let cases = golden::cases("conv");
    for choice in [Choice::Native, Choice::Auto] {
        let _chosen = Chosen::new(&handle, Family::Conv, choice);
        let before = handle.counters().conv_calls;
        for case in cases.iter().filter(|c| c.dtype == DType::F32) {
            golden::check(case, |case, ins| {
                let (x, w) = (ins[0].to_device(&device)?, ins[1].to_device(&device)?);
                let args = |key, default| case.sizes(key, &[default]);
                let (p, s, d) = (args("padding", 0), args("stride", 1), args("dilation", 1));
                let groups = case.sizes("groups", &[1])[0];
                let y = if case.op.starts_with("conv_transpose") {
                    x.conv_transpose_nd(&w, &p, &args("output_padding", 0), &s, &d, groups)?
                } else {
                    x.conv_nd(&w, &p, &s, &d, groups)?
                };
                let y = y.to_device(&Device::Cpu)?;
                let Some(bias) = ins.get(2) else { return Ok(y) };
                let mut shape = vec![1; y.rank()];
                shape[1] = bias.elem_count();
                y.broadcast_add(&bias.reshape(shape)?)
            });
        }
        let made = handle.counters().conv_calls - before;
        let many = left(&handle, Choice::Auto, 100, 20);
        assert_eq!(made > many, choice == Choice::Auto, "{made} calls of the library");
    }
}

/// Average pooling uses the library only if the user requires it. Max pooling never does, since MIOpen's ignores NaN
/// and infinities.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn pooling() {
    let (device, handle) = gpu();
    let mut r = Report::new();
    for choice in [Choice::Native, Choice::Auto, Choice::Vendor] {
        let _chosen = Chosen::new(&handle, Family::Conv, choice);
        let mut averages = 0;
        for case in Case::all().iter().filter(|c| c.error.is_none() && c.op.definition().contains("_pool")) {
            // The library has no dilation, no ceil_mode and no other divisor.
            let average = match &case.op {
                Op::AvgPool(avg) | Op::AvgPoolBackward(AvgPoolBackward { avg, .. }) => {
                    avg.pool.is_plain() && avg.divisor == 0 && case.dtypes[0] == DType::F32
                }
                _ => false,
            };
            r.case(&format!("{choice:?} {}", case.name), || {
                let want = text(case.run(&text(case.tensors(&Device::Cpu))?))?;
                let before = handle.counters().conv_calls;
                let got = text(case.run(&text(case.tensors(&device))?))?;
                let made = handle.counters().conv_calls - before;
                averages += made;
                let by = choice == Choice::Vendor && average && got[0].elem_count() > 0;
                if made != u64::from(by) {
                    return Err(format!("{made} calls of the library"));
                }
                let bound = if by { Bound::Scaled(4.0) } else { Bound::Exact };
                compare(&bound, &got[0], &want[0])
            });
        }
        if std::env::var_os("RUSHLIGHT_CASE").is_none() {
            assert_eq!(averages > 20, choice == Choice::Vendor, "{averages} calls");
        }
        let x = [f32::NAN, 1.0, f32::NEG_INFINITY, f32::NEG_INFINITY, 3.0, 3.0];
        let most = |device: &Device| -> Result<Vec<u8>> {
            let x = Tensor::from_vec(x.to_vec(), (1, 1, 1, 6), device)?.leaf();
            let y = x.max_pool2d((1, 2))?;
            y.backward_accumulate(None)?;
            let g = x.grad().expect("a gradient");
            Ok([bits(&y).expect("y"), bits(&g).expect("g")].concat())
        };
        assert_eq!(most(&device).expect("maxima"), most(&Device::Cpu).expect("maxima"), "{choice:?}");
    }
    r.finish(500);
}

/// Some convolutions. The test below runs this one with each fault of the library.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn convolutions() {
    let (device, handle) = gpu();
    // Work that the library never does is reported only if the user requires the library.
    let by_name = handle.choice(Family::Conv) == Choice::Vendor;
    let never = if by_name { vec![] } else { vec![(DType::F64, 9), (DType::I32, 9)] };
    for (dtype, size) in [(DType::F32, 9), (DType::F32, 10), (DType::F16, 9)].into_iter().chain(never) {
        let (x, w) = (data(&[2, 3, size, 8], dtype).expect("x"), data(&[4, 3, 3, 3], dtype).expect("w"));
        let run = |device: &Device| -> Result<Tensor> {
            x.to_device(device)?.conv2d(&w.to_device(device)?, 1, 1, 1, 1)
        };
        let want = run(&Device::Cpu).expect("the CPU's");
        for _ in 0..2 {
            let got = run(&device).unwrap_or_else(|e| panic!("{e}"));
            compare(&BOUND, &got, &want).expect("the convolution");
        }
    }
    println!("{} by {}", handle.counters().conv_calls, Names::of(&handle).conv);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_missing_library_function_warns_once_and_our_kernels_run() {
    let (_, handle) = gpu();
    let Names { conv, device, .. } = Names::of(&handle);
    let (warning, rocm) = (warning(conv), matches!(handle, Gpu::Rocm(_)));
    let by = |calls: u64| format!("{calls} by {conv}");
    let (auto, vendor) = (("RUSHLIGHT_CONV", "auto"), ("RUSHLIGHT_CONV", "vendor"));
    // A search needs no find-db, and also finds kernels that are not in it.
    let searched = (vec![vendor, ("RUSHLIGHT_VGPU_FAULT", "dnn_no_db")], 6);
    let plain = [
        (vec![auto], 6),
        (vec![vendor], 6),
        (vec![("RUSHLIGHT_CONV", "native")], 0),
        (vec![("RUSHLIGHT_DETERMINISTIC", "1")], 0),
    ];
    for (env, calls) in plain.into_iter().chain(rocm.then_some(searched)) {
        let (fine, text) = child("convolutions", &env);
        assert!(fine && text.contains(&by(calls)), "{env:?}: {text}");
        assert!(!text.contains(&warning) && !text.contains("MIOpen Error"), "{env:?}: {text}");
    }
    for (name, value, why) in [
        ("RUSHLIGHT_CONV", "fast", "RUSHLIGHT_CONV=fast: expected auto, native or vendor"),
        ("RUSHLIGHT_CONV_WAIT", "long", "RUSHLIGHT_CONV_WAIT=long: expected a number of seconds"),
    ] {
        let (fine, text) = child("convolutions", &[(name, value)]);
        assert!(!fine && text.contains(why), "{text}");
    }
    if rocm {
        let slow = ("RUSHLIGHT_VGPU_FAULT", "dnn_slow:300");
        // Compiling the first kernel takes longer than the time limit for all, so the others are not waited for.
        let (fine, text) = child("convolutions", &[slow, ("RUSHLIGHT_CONV_WAIT", "0.2")]);
        let printed: Vec<&str> = text.lines().filter(|l| l.contains(&warning)).collect();
        assert!(fine && text.contains(&by(2)), "{text}");
        assert!(
            printed.len() == 1 && printed[0].contains("RUSHLIGHT_CONV_WAIT=seconds waits longer"),
            "{printed:?}"
        );
        let (fine, text) = child("convolutions", &[slow]);
        assert!(fine && text.contains(&by(6)) && !text.contains(&warning), "{text}");
    }

    if !handle.is_virtual() {
        println!("not tried here: only the virtual GPU's {conv} fails on demand");
        return;
    }
    let empty = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("no-tensile-conv-{}", std::process::id()));
    std::fs::create_dir_all(&empty).expect("a folder");
    let empty = empty.to_str().expect("a name");
    let unknown = "miopenStatusUnknownError";
    // The fault, its message, the number of calls made and of warnings; and the message of a search, if it fails.
    let none = if rocm { unknown } else { "no kernel for a shape that is exact enough" };
    // Faults of parts that only MIOpen has: files of rocBLAS, a find-db, a compiler.
    let amds = [
        (("ROCBLAS_TENSILE_LIBPATH", empty), "has no kernels for gfx", 0, 1, Some("has no kernels for gfx")),
        (("RUSHLIGHT_VGPU_FAULT", "dnn_no_db"), "has measured no kernel for a shape", 0, 1, None),
        (("RUSHLIGHT_VGPU_FAULT", "dnn_compile_fail"), unknown, 0, 1, Some(unknown)),
    ];
    let broken = [
        (("RUSHLIGHT_VGPU_FAULT", "dnn_no_solution"), "no kernel for a shape", 0, 1, Some(none)),
        // Each dtype is a separate kind: its first result is compared, and the library is not called again.
        (("RUSHLIGHT_VGPU_FAULT", "dnn_wrong"), "conv2d of F32 [2, 3, 9, 8]", 2, 2, Some("was wrong")),
    ];
    for (fault, reason, calls, warnings, search) in
        broken.into_iter().chain(amds.into_iter().filter(|_| rocm))
    {
        let (fine, text) = child("convolutions", &[fault]);
        let printed: Vec<&str> = text.lines().filter(|l| l.contains(&warning)).collect();
        assert!(fine && text.contains(&by(calls)), "{fault:?}: {text}");
        assert!(printed.len() == warnings && printed[0].contains(reason), "{fault:?}: {printed:?}");
        let (fine, text) = child("convolutions", &[fault, vendor]);
        match search {
            None => assert!(fine && text.contains(&by(6)), "{fault:?}: {text}"),
            Some(reason) => {
                let said =
                    text.contains(&format!("RUSHLIGHT_CONV=vendor asks for {conv}, which cannot do it"));
                let of = format!("conv2d of F32 [2, 3, 9, 8], F32 [4, 3, 3, 3] on {device}");
                assert!(!fine && said && text.contains(reason) && text.contains(&of), "{fault:?}: {text}");
            }
        }
    }
    let _ = std::fs::remove_dir(empty);
}
