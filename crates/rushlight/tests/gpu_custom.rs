//! Custom ops with a custom HIP kernel (`rocm_fwd`, `RocmDevice::compile`) on an AMD GPU, compared with the CPU.
//! Ignored by default, see `gpu.rs`.
#![allow(unsafe_code)]
mod common;
use common::device::rocm;
use rushlight::{
    CpuStorage, CustomOp1, CustomOp2, DType, Device, InplaceOp1, KernelArg, Layout, Result, RocmDevice,
    RocmStorage, Shape, Tensor,
};

const SOURCE: &str = r#"
extern "C" __global__ void cube(float* out, const float* x, unsigned long long step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i * step] * x[i * step] * x[i * step];
}
extern "C" __global__ void mix(float* out, const float* a, const float* b, float share, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = share * a[i] + b[i];
}
extern "C" __global__ void negate(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = -x[i];
}
"#;

/// Launches a kernel of the source, with one thread for each element.
fn launch(dev: &RocmDevice, name: &str, n: usize, args: &[KernelArg<'_>]) -> Result<()> {
    let kernel = dev.compile(SOURCE, name, &[])?;
    // SAFETY: callers pass the kernel's arguments, and storages of at least `n` elements, which are all that the kernel
    // accesses.
    unsafe { kernel.launch([n.div_ceil(64).max(1) as u32, 1, 1], [64, 1, 1], args) }
}

/// The custom op x^3 of a vector with any stride.
struct Cube;

impl CustomOp1 for Cube {
    fn name(&self) -> &'static str {
        "cube"
    }
    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = s.as_slice::<f32>()?;
        let y: Vec<f32> = l.strided_index().map(|i| x[i] * x[i] * x[i]).collect();
        Ok((CpuStorage::F32(y.into()), l.shape().clone()))
    }
    fn rocm_fwd(&self, s: &RocmStorage, l: &Layout) -> Result<(RocmStorage, Shape)> {
        let (dev, n) = (s.device(), l.dims()[0]);
        let out = dev.empty(DType::F32, n)?;
        let from = KernelArg::Pointer(s, l.start_offset());
        let step = KernelArg::U64(l.stride()[0] as u64);
        launch(dev, "cube", n, &[KernelArg::Pointer(&out, 0), from, step, KernelArg::I32(n as i32)])?;
        Ok((out, l.shape().clone()))
    }
    fn bwd(&self, x: &Tensor, _res: &Tensor, g: &Tensor) -> Result<Option<Tensor>> {
        Ok(Some((x.sqr()?.affine(3.0, 0.0)? * g)?))
    }
}

/// The custom op `share a + b` of row-major tensors.
struct Mix(f32);

impl CustomOp2 for Mix {
    fn name(&self) -> &'static str {
        "mix"
    }
    fn cpu_fwd(&self, a: &CpuStorage, l: &Layout, b: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        let y = a.as_slice::<f32>()?.iter().zip(b.as_slice::<f32>()?).map(|(a, b)| self.0 * a + b);
        Ok((CpuStorage::F32(y.collect::<Vec<f32>>().into()), l.shape().clone()))
    }
    fn rocm_fwd(
        &self,
        a: &RocmStorage,
        l: &Layout,
        b: &RocmStorage,
        r: &Layout,
    ) -> Result<(RocmStorage, Shape)> {
        let (dev, n) = (a.device(), l.shape().elem_count());
        let out = dev.empty(DType::F32, n)?;
        let (x, y) = (KernelArg::Pointer(a, l.start_offset()), KernelArg::Pointer(b, r.start_offset()));
        launch(
            dev,
            "mix",
            n,
            &[KernelArg::Pointer(&out, 0), x, y, KernelArg::F32(self.0), KernelArg::I32(n as i32)],
        )?;
        Ok((out, l.shape().clone()))
    }
}

struct Negate;

impl InplaceOp1 for Negate {
    fn name(&self) -> &'static str {
        "negate"
    }
    fn cpu_fwd(&self, s: &mut CpuStorage, _: &Layout) -> Result<()> {
        let CpuStorage::F32(x) = s else { panic!("not f32") };
        x.iter_mut().for_each(|v| *v = -*v);
        Ok(())
    }
    fn rocm_fwd(&self, s: &mut RocmStorage, l: &Layout) -> Result<()> {
        let n = l.shape().elem_count();
        launch(s.device(), "negate", n, &[KernelArg::Pointer(s, l.start_offset()), KernelArg::I32(n as i32)])
    }
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn custom_ops_run_their_own_kernels() -> Result<()> {
    let (device, handle) = rocm();
    let all = |device: &Device| -> Result<Vec<Vec<f32>>> {
        let x = Tensor::arange(-3f32, 97., device)?.reshape((50, 2))?;
        // Every second element, from index 1 on.
        let part = x.narrow(1, 1, 1)?.squeeze(1)?.leaf();
        let cubes = part.apply_op1(Cube)?;
        cubes.backward_accumulate(None)?;
        let gradient = part.grad().expect("a gradient");
        let mixed = x.apply_op2(&x.affine(2.0, 1.0)?, Mix(0.5))?;
        let before = mixed.copy()?;
        mixed.inplace_op1(&Negate)?;
        [cubes, gradient, mixed, before].iter().map(|t| t.flatten_all()?.to_vec1()).collect()
    };
    let before = handle.counters().launches;
    let got = all(&device)?;
    assert!(handle.counters().launches >= before + 3);
    assert_eq!(got, all(&Device::Cpu)?);
    assert_eq!(got[0][..3], [-8.0, 0.0, 8.0]);
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn errors_in_a_custom_kernel_are_reported() {
    let (_, handle) = rocm();
    let error = |source: &str, name: &str| {
        handle
            .compile(source, name, &[])
            .err()
            .map(|e| e.to_string())
            .unwrap_or_else(|| panic!("{name} was made"))
    };
    let e = error(r#"extern "C" __global__ void k() { missing(); }"#, "k");
    assert!(e.contains("rocm:0") && e.contains("missing"), "{e}");
    let e = error(SOURCE, "absent");
    assert!(e.contains("absent"), "{e}");
}
