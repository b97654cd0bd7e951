//! Helpers of candle's tests.
//!
//! `test_device!` makes one test, on the device that `RUSHLIGHT_TEST_DEVICE` names: `cpu` (also if it is not set), `cuda`,
//! `rocm`, or `test` with the feature `testing`.
use rushlight::{DType, Device, Result, Tensor};

/// Defines a test that calls a function with the chosen device. The names of candle's tests on other devices are ignored.
#[macro_export]
macro_rules! test_device {
    ($body:ident, $name:ident $(, $other:ident)* $(,)?) => {
        #[test]
        fn $name() -> Result<()> {
            $crate::test_utils::on_device(stringify!($name), |device| $body(device))
        }
    };
}

/// Returns the device that `RUSHLIGHT_TEST_DEVICE` names. Panics if it is not here.
pub fn device() -> Device {
    match std::env::var("RUSHLIGHT_TEST_DEVICE").as_deref() {
        Err(std::env::VarError::NotPresent) | Ok("cpu") => Device::Cpu,
        Ok("cuda") => Device::new_cuda(0).expect("cuda:0"),
        Ok("rocm") => Device::new_rocm(0).expect("rocm:0"),
        #[cfg(feature = "testing")]
        Ok("test") => Device::new_testdev(0),
        other => panic!("RUSHLIGHT_TEST_DEVICE: expected cpu, cuda, rocm or test, got {other:?}"),
    }
}

/// Kernels launched on an AMD GPU so far, ours and those of its libraries.
fn launches(device: &Device) -> u64 {
    match device {
        Device::Rocm(d) => {
            let c = d.counters();
            c.launches + c.blas_calls + c.conv_calls + c.fft_calls + c.solver_calls
        }
        _ => 0,
    }
}

/// Calls a test's function with the chosen device, and writes how many kernels it launched to the file that
/// `RUSHLIGHT_TEST_LAUNCHES` names, if it names one.
#[doc(hidden)]
pub fn on_device<E>(
    test: &str,
    f: impl FnOnce(&Device) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    use std::io::Write;
    let device = device();
    let before = launches(&device);
    f(&device)?;
    if let Some(path) = std::env::var_os("RUSHLIGHT_TEST_LAUNCHES") {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.append(true).create(true).open(path).expect("the list of launches");
        writeln!(file, "{test} {}", launches(&device) - before).expect("the list of launches");
    }
    Ok(())
}

/// Panics unless both tensors have the same shape and elements.
pub fn assert_tensor_eq(t1: &Tensor, t2: &Tensor) -> Result<()> {
    assert_eq!(t1.dims(), t2.dims(), "shapes differ");
    let different = t1.ne(t2)?.to_dtype(DType::U32)?.sum_all()?.to_scalar::<u32>()?;
    assert_eq!(different, 0, "{different} elements differ");
    Ok(())
}

fn round(v: f32, digits: i32) -> f32 {
    let scale = f32::powi(10., digits);
    (v * scale).round() / scale
}

/// A scalar rounded to decimal digits.
pub fn to_vec0_round(t: &Tensor, digits: i32) -> Result<f32> {
    Ok(round(t.to_scalar()?, digits))
}

/// A vector rounded to decimal digits.
pub fn to_vec1_round(t: &Tensor, digits: i32) -> Result<Vec<f32>> {
    Ok(t.to_vec1()?.into_iter().map(|v| round(v, digits)).collect())
}

/// A matrix rounded to decimal digits.
pub fn to_vec2_round(t: &Tensor, digits: i32) -> Result<Vec<Vec<f32>>> {
    let rows = t.to_vec2()?.into_iter();
    Ok(rows.map(|r| r.into_iter().map(|v| round(v, digits)).collect()).collect())
}

/// A tensor of three dimensions rounded to decimal digits.
pub fn to_vec3_round(t: &Tensor, digits: i32) -> Result<Vec<Vec<Vec<f32>>>> {
    (0..t.dim(0)?).map(|i| to_vec2_round(&t.get(i)?, digits)).collect()
}
