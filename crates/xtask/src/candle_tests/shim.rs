//! The crate that candle's tests import as `candle_core`: rushlight with the macro and the helpers that only tests need.

/// `Cargo.toml` of the shim. It takes rushlight's development dependencies too, so that cargo chooses the same features
/// for shared dependencies as it does for rushlight's own tests, and so builds none of them twice.
pub fn manifest(dev_dependencies: &str) -> String {
    format!(
        "[package]\nname = \"candle-shim\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
         [lib]\nname = \"candle_core\"\ndoctest = false\n\n\
         [dependencies]\nrushlight = {{ workspace = true, features = [\"testing\"] }}\n\n\
         [dev-dependencies]\nanyhow = \"1\"\nfloat8 = {{ workspace = true }}\nhalf = {{ workspace = true }}\n\
         num-traits = {{ workspace = true }}\n{dev_dependencies}\n\n\
         [lints.rust]\nunexpected_cfgs = \"allow\"\n"
    )
}

/// `src/lib.rs` of the shim.
pub const LIB: &str = r#"//! Rushlight under candle's name.
pub use rushlight::*;

/// Defines a test that calls a function with the device of choice.
#[macro_export]
macro_rules! test_device {
    ($body:ident, $name:ident $(, $other:ident)* $(,)?) => {
        #[test]
        fn $name() -> Result<()> {
            let device = $crate::test_utils::device();
            let before = $crate::test_utils::launches(&device);
            $body(&device)?;
            $crate::test_utils::note(stringify!($name), $crate::test_utils::launches(&device) - before);
            Ok(())
        }
    };
}

/// Helpers that candle's tests call.
pub mod test_utils {
    use rushlight::{DType, Device, Result, Tensor};

    /// The device that `RUSHLIGHT_TEST_DEVICE` names.
    pub fn device() -> Device {
        match std::env::var("RUSHLIGHT_TEST_DEVICE").as_deref() {
            Ok("cpu") => Device::Cpu,
            Ok("test") => Device::new_testdev(0),
            Ok("rocm") => Device::new_rocm(0).expect("rocm:0"),
            other => panic!("RUSHLIGHT_TEST_DEVICE must be cpu, test or rocm, got {other:?}"),
        }
    }

    /// Kernels launched on a GPU so far, ours and those of its libraries.
    pub fn launches(device: &Device) -> u64 {
        match device {
            Device::Rocm(d) => {
                let c = d.counters();
                c.launches + c.blas_calls + c.conv_calls
            }
            _ => 0,
        }
    }

    /// Writes how many kernels a test launched to the file that `RUSHLIGHT_TEST_LAUNCHES` names, if it names one.
    pub fn note(test: &str, launches: u64) {
        use std::io::Write;
        if let Some(path) = std::env::var_os("RUSHLIGHT_TEST_LAUNCHES") {
            let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).expect("the list of launches");
            writeln!(file, "{test} {launches}").expect("the list of launches");
        }
    }

    /// Panics unless both tensors have the same shape and elements.
    pub fn assert_tensor_eq(a: &Tensor, b: &Tensor) -> Result<()> {
        assert_eq!(a.dims(), b.dims(), "shapes differ");
        let different = a.ne(b)?.to_dtype(DType::U32)?.sum_all()?.to_scalar::<u32>()?;
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

    /// A rank-3 tensor rounded to decimal digits.
    pub fn to_vec3_round(t: &Tensor, digits: i32) -> Result<Vec<Vec<Vec<f32>>>> {
        (0..t.dim(0)?).map(|i| to_vec2_round(&t.get(i)?, digits)).collect()
    }
}
"#;
