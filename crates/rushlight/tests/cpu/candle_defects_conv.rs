//! Defects of candle-core 0.11.1 in convolutions, pools and resizing; the tests show that this library does not have
//! them. Expected values are from PyTorch 2.13.
use rushlight::{Device, Result, Tensor, Var};

fn seq(n: usize, period: usize, shift: f32, shape: &[usize]) -> Result<Tensor> {
    Tensor::from_iter((0..n).map(|i| (i % period) as f32 - shift), &Device::Cpu)?.reshape(shape)
}

fn flat(t: &Tensor) -> Result<Vec<f32>> {
    t.flatten_all()?.to_vec1()
}

/// Returns the output and both gradients of a convolution, for the output gradient 1, 2, 3, 4, 1, ..
fn run(x: Tensor, w: Tensor, conv: impl Fn(&Tensor, &Tensor) -> Result<Tensor>) -> Result<[Vec<f32>; 3]> {
    let (x, w) = (Var::from_tensor(&x)?, Var::from_tensor(&w)?);
    let y = conv(&x, &w)?;
    let g = seq(y.elem_count(), 4, -1.0, y.dims())?;
    let grads = (&y * &g)?.sum_all()?.backward()?;
    Ok([flat(&y)?, flat(grads.get(&x).unwrap())?, flat(grads.get(&w).unwrap())?])
}

/// Defect 2 (CPU) and 1 (CUDA): conv1d's kernel gradient with more than one batch entry and output channel.
#[test]
fn conv1d_kernel_gradient() -> Result<()> {
    let (x, w) = (seq(24, 7, 3.0, &[2, 2, 6])?, seq(18, 5, 2.0, &[3, 2, 3])?);
    let [y, gx, gw] = run(x, w, |x, w| x.conv1d(w, 1, 2, 1, 1))?;
    assert_eq!(y, CONV1D_Y);
    assert_eq!(gx, CONV1D_GX);
    assert_eq!(gw, CONV1D_GW);
    Ok(())
}

/// Defect 1: conv2d's kernel gradient with more than one batch entry and output channel.
#[test]
fn conv2d_kernel_gradient() -> Result<()> {
    let (x, w) = (seq(64, 7, 3.0, &[2, 2, 4, 4])?, seq(24, 5, 2.0, &[3, 2, 2, 2])?);
    let [y, gx, gw] = run(x, w, |x, w| x.conv2d(w, 0, 1, 1, 1))?;
    assert_eq!(y, CONV2D_Y);
    assert_eq!(gx, CONV2D_GX);
    assert_eq!(gw, CONV2D_GW);
    Ok(())
}

/// Defects 1 and 2: a kernel that is a strided view.
#[test]
fn a_transposed_kernel_is_read_through_its_strides() -> Result<()> {
    let (x, w) = (seq(10, 10, 4.0, &[1, 2, 5])?, seq(12, 12, 0.0, &[2, 3, 2])?.transpose(0, 1)?);
    assert!(!w.is_contiguous());
    let y = x.conv1d(&w, 0, 1, 1, 1)?;
    assert_eq!((y.dims(), flat(&y)?), (&[1, 3, 4][..], NONCONTIGUOUS.to_vec()));
    assert_eq!(flat(&x.unsqueeze(2)?.conv2d(&w.unsqueeze(2)?, 0, 1, 1, 1)?)?, NONCONTIGUOUS);
    Ok(())
}

/// Defect 10: stride and dilation together.
#[test]
fn conv1d_with_stride_and_dilation() -> Result<()> {
    let x = seq(10, 10, -1.0, &[1, 1, 10])?;
    let w = Tensor::new(&[[[1f32, 10., 100.]]], &Device::Cpu)?;
    assert_eq!(flat(&x.conv1d(&w, 1, 2, 3, 1)?)?, [630., 852., 1074.]);
    Ok(())
}

/// Defect 4: a max pool must pass on the whole gradient, also if windows overlap.
#[test]
fn max_pool2d_gradient_is_whole() -> Result<()> {
    let x = Var::new(&[[[[1f32, 5., 2.], [3., 4., 6.], [9., 0., 7.]]]], &Device::Cpu)?;
    let grads = x.max_pool2d_with_stride(2, 1)?.backward_with(&[1., 10., 100., 1000.])?;
    assert_eq!(flat(grads.get(&x).unwrap())?, [0., 1., 0., 0., 0., 10., 100., 0., 1000.]);
    let x = Var::new(&[[[[1f32, 2.], [3., 4.]]]], &Device::Cpu)?;
    let grads = x.max_pool2d(2)?.backward_with(&[1.])?;
    assert_eq!(flat(grads.get(&x).unwrap())?, [0., 0., 0., 1.]);
    Ok(())
}

/// Defect 5: the gradient of an upsampled tensor is added to those of its other uses.
#[test]
fn upsampling_accumulates_gradients() -> Result<()> {
    let x = Var::new(&[[[[1f32, 2.], [3., 4.]]]], &Device::Cpu)?;
    let other = (&x.sum_all()? * 100.0)?;
    let y = (x.upsample_nearest2d(3, 5)?.sum_all()? + &other)?;
    assert_eq!(flat(y.backward()?.get(&x).unwrap())?, [106., 104., 103., 102.]);
    let y = (x.upsample_bilinear2d(4, 4, false)?.sum_all()? + &other)?;
    assert_eq!(flat(y.backward()?.get(&x).unwrap())?, [104.; 4]);
    let x = Var::new(&[[[1f32, 2., 3.]]], &Device::Cpu)?;
    let y = (x.upsample_nearest1d(6)?.sum_all()? + (x.sum_all()? * 10.0)?)?;
    assert_eq!(flat(y.backward()?.get(&x).unwrap())?, [12.; 3]);
    Ok(())
}

/// Defect 5: the gradient of upsampling by fractional factors exists and is right.
#[test]
fn upsampling_by_fractions_has_a_gradient() -> Result<()> {
    let x = Var::new(&[[[[1f32, 2.], [3., 4.]]]], &Device::Cpu)?;
    let y = x.upsample_nearest2d(3, 5)?;
    assert_eq!(flat(&y)?, [1., 1., 1., 2., 2., 1., 1., 1., 2., 2., 3., 3., 3., 4., 4.]);
    let weights: Vec<f32> = (0..15).map(|i| i as f32).collect();
    assert_eq!(flat(y.backward_with(&weights)?.get(&x).unwrap())?, NEAREST_GX);
    Ok(())
}

/// Defect 6: resizing to the same size must respect the input's layout.
#[test]
fn bilinear_identity_of_a_view() -> Result<()> {
    let base = seq(24, 24, 0.0, &[1, 2, 3, 4])?;
    let view = base.transpose(2, 3)?.narrow(2, 1, 3)?;
    let same = view.upsample_bilinear2d(3, 3, false)?;
    assert_eq!(same.dims(), [1, 2, 3, 3]);
    assert_eq!(flat(&same)?, flat(&view)?);
    assert_eq!(flat(&view.upsample_bilinear2d_with_scale(1.0, 1.0, true)?)?, flat(&view)?);
    Ok(())
}

/// Defect 14: windows that do not cover the whole input. Elements outside all windows have gradient 0.
#[test]
fn avg_pool2d_gradient_at_a_ragged_border() -> Result<()> {
    let x = Var::from_tensor(&seq(25, 25, 0.0, &[1, 1, 5, 5])?)?;
    let grads = x.avg_pool2d(2)?.backward_with(&[4., 8., 12., 16.])?;
    let row = |a: f32, b: f32| [a, a, b, b, 0.];
    let want = [row(1., 2.), row(1., 2.), row(3., 4.), row(3., 4.), [0.; 5]].concat();
    assert_eq!(flat(grads.get(&x).unwrap())?, want);
    Ok(())
}

trait BackwardWith {
    /// Runs the backward pass of the sum of the elements times these weights.
    fn backward_with(&self, weights: &[f32]) -> Result<rushlight::GradStore>;
}

impl BackwardWith for Tensor {
    fn backward_with(&self, weights: &[f32]) -> Result<rushlight::GradStore> {
        let g = Tensor::from_slice(weights, self.shape().clone(), &Device::Cpu)?;
        (self * &g)?.sum_all()?.backward()
    }
}

const CONV1D_Y: [f32; 18] =
    [15., 0., -4., -5., 1., -1., -10., 7., 7., -4., 11., 0., -1., -4., 1., 7., -14., 7.];
const CONV1D_GX: [f32; 24] = [
    2., 5., 2., 1., -2., 4., -9., -10., -2., 0., 1., -8., 2., 1., -2., -7., -2., 7., -2., 0., 1., -2., 0.,
    -11.,
];
const CONV1D_GW: [f32; 18] =
    [-3., -11., 4., -15., 2., -11., -2., -18., -5., -10., 11., -18., -9., -9., 6., -17., 4., -9.];
const CONV2D_Y: [f32; 54] = [
    5., 9., -1., 7., -10., -6., 9., -1., -4., 1., -12., -4., 5., 6., -7., -12., -4., 11., 7., 7., -7., -7.,
    7., 7., 7., -7., -14., 7., -10., -6., 9., -1., -4., -10., -6., 5., 5., 6., -7., -12., -4., 11., 6., -7.,
    1., -7., 7., 7., 7., -7., -14., 7., 7., 7.,
];
const CONV2D_GX: [f32; 64] = [
    -3., -2., 1., 5., -10., -2., -2., 5., -3., 2., -2., 10., -7., 1., 6., 5., -4., -7., -1., -3., 7., -10.,
    -4., -12., 2., 4., -10., -5., 5., -9., 3., -1., -9., -5., -2., 4., -3., 2., -2., 10., -12., 2., 2., 3.,
    -2., 0., 1., 7., 4., -13., -7., -5., 2., 4., -10., -5., 1., -10., 4., -10., 4., 3., -9., 0.,
];
const CONV2D_GW: [f32; 24] = [
    -5., -9., 28., -4., 8., -3., -15., -5., 9., -18., 20., 21., -24., 5., -13., 9., 19., 1., -4., 6., -24.,
    -7., 9., 19.,
];
const NONCONTIGUOUS: [f32; 12] = [17., 31., 45., 59., 9., 31., 53., 75., 1., 31., 61., 91.];
const NEAREST_GX: [f32; 4] = [21., 24., 33., 27.];
