//! A HIP kernel of your own, compiled at run time for the GPU that is there: `a x + y`, against the CPU's result.
//!
//! Needs an AMD GPU or the virtual one: `RUSHLIGHT_ROCM_PATH=$(make -s vgpu | tail -1) cargo run --example hip_kernel`
#![allow(unsafe_code)]
use rushlight::{
    CpuStorage, CustomOp2, DType, Device, Error, KernelArg, Layout, Result, RocmStorage, Shape, Tensor,
};

const SOURCE: &str = r#"
extern "C" __global__ void axpy(float* out, const float* x, const float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
"#;
const BLOCK: usize = 256;

/// `a x + y` of contiguous f32 tensors of one shape.
struct Axpy(f32);

impl CustomOp2 for Axpy {
    fn name(&self) -> &'static str {
        "axpy"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        y: &CpuStorage,
        y_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (x, y) = (x.as_slice::<f32>()?, y.as_slice::<f32>()?);
        let pairs = x_layout.strided_index().zip(y_layout.strided_index());
        let out: Vec<f32> = pairs.map(|(i, j)| self.0.mul_add(x[i], y[j])).collect();
        Ok((CpuStorage::F32(out.into()), x_layout.shape().clone()))
    }

    fn rocm_fwd(
        &self,
        x: &RocmStorage,
        x_layout: &Layout,
        y: &RocmStorage,
        y_layout: &Layout,
    ) -> Result<(RocmStorage, Shape)> {
        let same = x_layout.shape() == y_layout.shape() && x.dtype() == DType::F32 && y.dtype() == DType::F32;
        if !same || !x_layout.is_contiguous() || !y_layout.is_contiguous() {
            return Err(Error::Msg("axpy: expected contiguous f32 tensors of one shape".to_string()));
        }
        let n = x_layout.shape().elem_count();
        let device = x.device();
        let out = device.empty(DType::F32, n)?;
        // The first call compiles; later ones, and later processes, find the kernel in the cache.
        let kernel = device.compile(SOURCE, "axpy", &[])?;
        let args = [
            KernelArg::Pointer(&out, 0),
            KernelArg::Pointer(x, x_layout.start_offset()),
            KernelArg::Pointer(y, y_layout.start_offset()),
            KernelArg::F32(self.0),
            KernelArg::I32(n as i32),
        ];
        // SAFETY: the arguments are those of the kernel, which touches `n` elements of each of the three storages.
        unsafe { kernel.launch([n.div_ceil(BLOCK).max(1) as u32, 1, 1], [BLOCK as u32, 1, 1], &args)? };
        Ok((out, x_layout.shape().clone()))
    }
}

fn main() -> Result<()> {
    let device = match Device::new_rocm(0) {
        Ok(device) => device,
        Err(e) => {
            eprintln!("this example needs an AMD GPU or the virtual one (make vgpu): {e}");
            std::process::exit(1);
        }
    };
    let run = |device: &Device| -> Result<Vec<f32>> {
        let x = Tensor::arange(0f32, 1000.0, device)?;
        let y = x.affine(-2.0, 1.0)?;
        x.apply_op2(&y, Axpy(2.5))?.to_vec1()
    };
    let (gpu, cpu) = (run(&device)?, run(&Device::Cpu)?);
    println!("axpy on {:?}: {:?} ..", device.location(), &gpu[..4]);
    assert_eq!(gpu, cpu);
    Ok(())
}
