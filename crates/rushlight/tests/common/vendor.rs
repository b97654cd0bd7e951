//! Shared by tests of vendor libraries.
use super::device::Gpu;
use rushlight::gpu::{Choice, Family};
use rushlight::{DType, Device, Result, Tensor};
use std::process::{Command, Output};

/// The names of a vendor's libraries, and of the device.
pub struct Names {
    pub blas: &'static str,
    pub conv: &'static str,
    pub fft: &'static str,
    pub device: &'static str,
    pub solver: &'static str,
}

impl Names {
    pub fn of(handle: &Gpu) -> Self {
        match handle {
            Gpu::Rocm(_) => {
                Self { blas: "rocBLAS", conv: "MIOpen", fft: "rocFFT", solver: "rocSOLVER", device: "rocm:0" }
            }
            Gpu::Cuda(_) => {
                Self { blas: "cuBLAS", conv: "cuDNN", fft: "cuFFT", solver: "cuSOLVER", device: "cuda:0" }
            }
        }
    }
}

/// Returns the beginning of the warning that is printed when our kernels replace a library.
pub fn warning(library: &str) -> String {
    format!("rushlight: its own kernels run where {library} would")
}

/// Returns numbers from -2 to 2.
pub fn data(shape: &[usize], dtype: DType) -> Result<Tensor> {
    let n: usize = shape.iter().product();
    let values: Vec<f64> = (0..n).map(|i| ((i * 7919) % 401) as f64 / 100.0 - 2.0).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)
}

/// Sets a choice for the duration of a test.
pub struct Chosen<'a>(&'a Gpu, Family, Choice);

impl<'a> Chosen<'a> {
    pub fn new(handle: &'a Gpu, family: Family, choice: Choice) -> Self {
        let before = handle.choice(family);
        handle.choose(family, choice);
        Self(handle, family, before)
    }
}

impl Drop for Chosen<'_> {
    fn drop(&mut self) {
        self.0.choose(self.1, self.2);
    }
}

/// Runs a test of this program in a separate process. Returns whether it passed, and its output.
pub fn child(test: &str, env: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", test, "--nocapture", "--test-threads=1"]);
    let Output { status, stdout, stderr } = command.envs(env.iter().copied()).output().expect("a child");
    (status.success(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}
