//! Convolutions: compared with PyTorch (golden files), and the matrix product path compared with exact integers.
use crate::golden;

use rushlight::{DType, Device, Result, Tensor};

#[test]
fn golden() {
    let cases = golden::cases("conv");
    assert!(cases.len() > 80);
    for case in &cases {
        golden::check(case, |case, ins| {
            let (x, w) = (&ins[0], &ins[1]);
            let args = |key, default| case.sizes(key, &[default]);
            let (p, s, d) = (args("padding", 0), args("stride", 1), args("dilation", 1));
            let groups = case.sizes("groups", &[1])[0];
            let y = if case.op.starts_with("conv_transpose") {
                x.conv_transpose_nd(w, &p, &args("output_padding", 0), &s, &d, groups)?
            } else {
                x.conv_nd(w, &p, &s, &d, groups)?
            };
            let Some(bias) = ins.get(2) else { return Ok(y) };
            let mut shape = vec![1; y.rank()];
            shape[1] = bias.elem_count();
            y.broadcast_add(&bias.reshape(shape)?)
        });
    }
}

/// Tolerance for results that must have the same bits.
const EXACT: f64 = 0.0;

/// Returns small integers, for which every product and sum is exact in every dtype tested.
fn whole(shape: &[usize], state: &mut u64) -> Tensor {
    let n: usize = shape.iter().product();
    let next = |_| {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) as i64 % 5 - 2
    };
    Tensor::from_vec((0..n).map(next).collect::<Vec<i64>>(), shape, &Device::Cpu).unwrap()
}

fn below(n: usize, state: &mut u64) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as usize % n
}

/// Returns the same values with an offset and swapped strides.
fn strided(t: &Tensor) -> Result<Tensor> {
    let pair = Tensor::cat(&[&t.ones_like()?, t], 0)?;
    pair.transpose(0, 1)?.force_contiguous()?.transpose(0, 1)?.narrow(0, t.dims()[0], t.dims()[0])
}

/// Floats run as gathered columns and matrix products, integers in plain loops. For integral values both are exact and
/// must have the same bits, for every stride, padding, dilation and number of groups.
#[test]
fn products_equal_plain_loops() -> Result<()> {
    let mut state = 7;
    let mut tried = 0;
    while tried < 120 {
        let r = &mut state;
        let n = 1 + below(3, r);
        let (groups, ci, co) = (1 + below(3, r), 1 + below(4, r), 1 + below(5, r));
        let pick = |least: usize, most: usize, r: &mut u64| -> Vec<usize> {
            (0..n).map(|_| least + below(most - least + 1, r)).collect()
        };
        let (k, s, p, d) = (pick(1, 3, r), pick(1, 3, r), pick(0, 3, r), pick(1, 2, r));
        let size = pick(1, 9 - 2 * n + 3, r);
        let fits = (0..n).all(|i| size[i] + 2 * p[i] > d[i] * (k[i] - 1));
        if !fits {
            continue;
        }
        tried += 1;
        let x = whole(&[&[1 + below(3, r), groups * ci][..], &size].concat(), r);
        let w = whole(&[&[groups * co, ci][..], &k].concat(), r);
        let want = x.conv_nd(&w, &p, &s, &d, groups)?;
        let what = format!("{x:?} {w:?} p {p:?} s {s:?} d {d:?} g {groups}", x = x.dims(), w = w.dims());
        for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32] {
            let (x, w) = (x.to_dtype(dtype)?, w.to_dtype(dtype)?);
            let got = x.conv_nd(&w, &p, &s, &d, groups)?;
            golden::close(&what, &got, &want.to_dtype(dtype)?, EXACT);
            let got = strided(&x)?.conv_nd(&strided(&w)?, &p, &s, &d, groups)?;
            golden::close(&what, &got, &want.to_dtype(dtype)?, EXACT);
        }
        // The transposed convolution maps the sizes of `want` back to those of x, or larger ones.
        let extra = pick(0, 2, r);
        let cut = |i: usize| (want.dims()[i + 2] - 1) * s[i] + d[i] * (k[i] - 1) + extra[i] + 1 > 2 * p[i];
        if !(0..n).all(cut) {
            continue;
        }
        let y = whole(want.dims(), r);
        let want = y.conv_transpose_nd(&w, &p, &extra, &s, &d, groups)?;
        for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I16] {
            let (y, w) = (y.to_dtype(dtype)?, w.to_dtype(dtype)?);
            let got = y.conv_transpose_nd(&w, &p, &extra, &s, &d, groups)?;
            golden::close(&what, &got, &want.to_dtype(dtype)?, EXACT);
            let got = strided(&y)?.conv_transpose_nd(&strided(&w)?, &p, &extra, &s, &d, groups)?;
            golden::close(&what, &got, &want.to_dtype(dtype)?, EXACT);
        }
    }
    Ok(())
}

/// `sum(conv(x, w) * y)` is linear in x, w and y. So for each of the three, the sum of gradient times value is the sum
/// itself.
#[test]
fn gradients_are_adjoint() -> Result<()> {
    let mut state = 11;
    for (x, w, p, s, d, groups) in [
        (&[3, 6, 9, 8][..], &[4, 3, 3, 2][..], &[1, 0][..], &[2, 3][..], &[1, 2][..], 2),
        (&[2, 4, 7, 7], &[4, 1, 3, 3], &[1], &[1], &[1], 4),
        (&[2, 3, 50], &[5, 3, 4], &[7], &[3], &[2], 1),
        (&[2, 20, 5, 5], &[30, 20, 1, 1], &[0], &[1], &[1], 1),
        (&[2, 20, 5, 5], &[30, 20, 1, 1], &[1], &[2], &[1], 1),
        (&[1, 2, 4, 5, 6], &[3, 2, 2, 3, 2], &[1, 0, 2], &[2, 1, 1], &[1, 2, 1], 1),
    ] {
        let (x, w) = (whole(x, &mut state).to_dtype(DType::F64)?, whole(w, &mut state).to_dtype(DType::F64)?);
        let (x, w) = (strided(&x)?.leaf(), strided(&w)?.leaf());
        let out = x.conv_nd(&w, p, s, d, groups)?;
        let y = whole(out.dims(), &mut state).to_dtype(DType::F64)?.leaf();
        let sum = out.mul(&y)?.sum_all()?;
        let grads = sum.backward()?;
        let total = sum.to_scalar::<f64>()?;
        assert!(total != 0.0);
        for t in [&x, &w, &y] {
            let g = grads.get(t).unwrap();
            assert_eq!(g.dims(), t.dims());
            assert_eq!(g.mul(&t.detach())?.sum_all()?.to_scalar::<f64>()?, total);
        }
    }
    Ok(())
}

/// Compares the convolution of a plane with many more elements than a block of columns with a sum of shifted copies.
#[test]
fn large_planes_cross_blocks() -> Result<()> {
    let mut state = 5;
    let x = whole(&[2, 16, 70, 61], &mut state).to_dtype(DType::F32)?;
    let w = whole(&[24, 16, 3, 3], &mut state).to_dtype(DType::F32)?;
    let int = |t: &Tensor| t.to_dtype(DType::I64);
    let want = int(&x)?.conv2d(&int(&w)?, 1, 1, 1, 1)?;
    let y = x.conv2d(&w, 1, 1, 1, 1)?;
    golden::close("conv2d", &y, &want, EXACT);
    let want = int(&y)?.conv_transpose2d(&int(&w)?, 1, 0, 1, 1)?;
    golden::close("conv_transpose2d", &y.conv_transpose2d(&w, 1, 0, 1, 1)?, &want, EXACT);
    Ok(())
}

#[test]
fn threads_do_not_change_results() -> Result<()> {
    let cpu = &Device::Cpu;
    let x = Tensor::randn(0f32, 1., (4, 8, 33, 33), cpu)?;
    let w = Tensor::randn(0f32, 1., (16, 8, 3, 3), cpu)?.leaf();
    let run = || -> Result<Vec<Vec<f32>>> {
        let x = x.leaf();
        let y = x.conv2d(&w, 1, 2, 1, 1)?;
        let grads = y.sqr()?.sum_all()?.backward()?;
        [&y, grads.get(&x).unwrap(), grads.get(&w).unwrap()]
            .into_iter()
            .map(|t| t.flatten_all()?.to_vec1::<f32>())
            .collect()
    };
    rushlight::cpu::set_num_threads(1);
    let one = run()?;
    rushlight::cpu::set_num_threads(3);
    let three = run()?;
    rushlight::cpu::set_num_threads(0);
    assert_eq!(one, three);
    Ok(())
}

#[test]
fn integers_wrap_and_empty_batches_work() -> Result<()> {
    let cpu = &Device::Cpu;
    let x = Tensor::new(&[[[200u8, 100, 3]]], cpu)?;
    let k = Tensor::new(&[[[2u8, 3]]], cpu)?;
    assert_eq!(x.conv1d(&k, 0, 1, 1, 1)?.to_vec3::<u8>()?, [[[188, 209]]]);
    let x = Tensor::zeros((0, 2, 5, 5), DType::F32, cpu)?.leaf();
    let k = Tensor::ones((3, 2, 3, 3), DType::F32, cpu)?.leaf();
    let y = x.conv2d(&k, 1, 2, 1, 1)?;
    assert_eq!(y.dims(), [0, 3, 3, 3]);
    let grads = y.sum_all()?.backward()?;
    assert_eq!(grads.get(&x).unwrap().dims(), [0, 2, 5, 5]);
    assert_eq!(golden::values(grads.get(&k).unwrap()), vec![0.0; 54]);
    let y = y.detach().conv_transpose2d(&k.detach(), 1, 0, 2, 1)?;
    assert_eq!(y.dims(), [0, 2, 5, 5]);
    // Without input channels, outputs are sums of no terms: 0.
    let x = Tensor::zeros((1, 0, 3), DType::F32, cpu)?;
    let k = Tensor::zeros((2, 0, 1), DType::F32, cpu)?;
    assert_eq!(x.conv1d(&k, 0, 1, 1, 1)?.to_vec3::<f32>()?, [[[0.0; 3], [0.0; 3]]]);
    Ok(())
}

#[test]
fn errors_say_what_is_wrong() -> Result<()> {
    let cpu = &Device::Cpu;
    let zeros = |shape: &[usize]| Tensor::zeros(shape, DType::F32, cpu);
    let text = |r: Result<Tensor>| r.unwrap_err().to_string();
    let (x1, k1) = (zeros(&[2, 4, 8])?, zeros(&[6, 3, 3])?);
    assert_eq!(
        text(x1.conv1d(&k1, 1, 2, 1, 1)),
        "conv1d invalid args the number of in-channels on the input doesn't match the kernel size: \
         inp: (2, 4, 8), k: (6, 3, 3), pad: 1, stride: 2"
    );
    let (x, k) = (zeros(&[2, 4, 8, 8])?, zeros(&[6, 4, 3, 3])?);
    assert_eq!(
        text(x.conv2d(&k, 0, 1, 1, 2)),
        "conv2d: in_channel mismatch between input (4, groups 2) and kernel (4): input (2, 4, 8, 8), kernel (6, 4, 3, 3)"
    );
    assert_eq!(
        text(x.conv_transpose2d(&zeros(&[5, 4, 3, 3])?, 0, 0, 1, 1)),
        "conv_transpose2d: in_channel mismatch between input (4) and kernel (5): input (2, 4, 8, 8), kernel (5, 4, 3, 3)"
    );
    assert_eq!(
        text(x.conv2d(&k, 0, 1, 4, 1)),
        "conv2d: kernel-size (3, 3) is larger than the input size 8,8: input (2, 4, 8, 8), kernel-size (3, 3), \
         padding (0, 0), stride (1, 1), dilation (4, 4)"
    );
    assert_eq!(text(x.conv2d(&k, 0, 0, 1, 1)), "conv2d: stride must be positive, got (0, 0)");
    assert_eq!(text(x1.conv1d(&zeros(&[6, 4, 3])?, 0, 1, 0, 1)), "conv1d: dilation must be positive, got 0");
    assert_eq!(text(x1.conv2d(&k, 0, 1, 1, 1)), "unexpected rank, expected: 4, got: 3, shape: (2, 4, 8)");
    assert_eq!(text(x.conv2d(&k1, 0, 1, 1, 1)), "unexpected rank, expected: 4, got: 3, shape: (6, 3, 3)");
    assert_eq!(
        text(x.conv_nd(&k, &[1, 2, 3], &[1], &[1], 1)),
        "conv: padding takes 1 or 2 numbers, got 3: [1, 2, 3]"
    );
    assert!(text(x.conv_nd(&zeros(&[4, 4])?, &[0], &[1], &[1], 1)).contains("1 to 3 spatial dimensions"));
    assert_eq!(text(x.conv2d(&k, 0, 1, 1, 0)), "conv2d: groups must be a number of at least 1, got 0");
    assert!(text(x.conv2d(&k, usize::MAX, 1, 1, 1)).contains("too large"));
    assert!(text(x.conv2d(&k, u32::MAX as usize, 1, 1, 1)).contains("conv2d"));
    assert!(text(x.conv_transpose2d(&zeros(&[4, 1, 3, 3])?, 9, 0, 1, 1)).contains("leaves no output"));
    let half = zeros(&[6, 4, 3, 3])?.to_dtype(DType::F16)?;
    assert_eq!(text(x.conv2d(&half, 0, 1, 1, 1)), "dtype mismatch in conv2d, lhs: F32, rhs: F16");
    let flags = zeros(&[1, 1, 3])?.to_dtype(DType::Bool)?;
    assert_eq!(text(flags.conv1d(&flags, 0, 1, 1, 1)), "unsupported dtype Bool for op conv1d");
    Ok(())
}
