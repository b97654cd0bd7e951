//! User-defined ops: candle's traits, with a method for each kind of device.
use crate::autograd;
use crate::cpu::CpuStorage;
use crate::device::{CudaStorage, MetalStorage, RocmStorage};
use crate::gpu::GpuStorage;
use crate::gpu::runtime::Runtime;
use crate::ops::{Grads, grads};
use crate::storage::{Backend, Storage};
use crate::tensor::Locks;
use crate::{DType, Error, Layout, Result, Shape, Tensor, candle_nn};
use std::sync::Arc;

/// Returns the error of a custom op without a method for the device.
macro_rules! no_method {
    ($name:literal) => {
        concat!("it has no `", $name, "`; implement it, or move the tensors to the CPU")
    };
}

macro_rules! custom {
    ($trait:ident $inplace:ident $n:literal; $($s:ident $l:ident),+; $arg:ident $(, $more:ident)*; $grads:ty) => {
        #[doc = concat!("An op of ", $n, " tensors that users write.")]
        #[allow(clippy::too_many_arguments)]
        pub trait $trait {
            /// Returns the op's name, for errors.
            fn name(&self) -> &'static str;
            /// Computes the result on the CPU: its elements (row-major) and shape.
            fn cpu_fwd(&self, $($s: &CpuStorage, $l: &Layout),+) -> Result<(CpuStorage, Shape)>;
            /// Computes the result on an NVIDIA GPU.
            fn cuda_fwd(&self, $($s: &CudaStorage, $l: &Layout),+) -> Result<(CudaStorage, Shape)> {
                $(let _ = ($s, $l);)+
                Err(missing(self.name(), "cuda", no_method!("cuda_fwd")))
            }
            /// Computes the result on an AMD GPU.
            fn rocm_fwd(&self, $($s: &RocmStorage, $l: &Layout),+) -> Result<(RocmStorage, Shape)> {
                $(let _ = ($s, $l);)+
                Err(missing(self.name(), "rocm", no_method!("rocm_fwd")))
            }
            /// Never called, since there is no Metal backend. It exists so that candle's custom ops compile.
            fn metal_fwd(&self, $($s: &MetalStorage, $l: &Layout),+) -> Result<(MetalStorage, Shape)> {
                $(let _ = ($s, $l);)+
                Err(missing(self.name(), "metal", no_method!("metal_fwd")))
            }
            /// Returns the gradients of the arguments, given the arguments, the result and the result's gradient.
            fn bwd(&self, $arg: &Tensor, $($more: &Tensor,)* res: &Tensor, grad_res: &Tensor) -> Result<$grads> {
                let _ = ($arg, $($more,)* res, grad_res);
                Err(Error::BackwardNotSupported { op: self.name() }.bt())
            }
        }

        #[doc = concat!("An op that changes the first of ", $n, " tensors in place, that users write.")]
        #[allow(clippy::too_many_arguments)]
        pub trait $inplace {
            /// Returns the op's name, for errors.
            fn name(&self) -> &'static str;
            /// Changes the first tensor on the CPU.
            fn cpu_fwd(&self, $($s: custom!(@ $s CpuStorage), $l: &Layout),+) -> Result<()>;
            /// Changes the first tensor on an NVIDIA GPU.
            fn cuda_fwd(&self, $($s: custom!(@ $s CudaStorage), $l: &Layout),+) -> Result<()> {
                $(let _ = ($s, $l);)+
                Err(missing(self.name(), "cuda", no_method!("cuda_fwd")))
            }
            /// Changes the first tensor on an AMD GPU.
            fn rocm_fwd(&self, $($s: custom!(@ $s RocmStorage), $l: &Layout),+) -> Result<()> {
                $(let _ = ($s, $l);)+
                Err(missing(self.name(), "rocm", no_method!("rocm_fwd")))
            }
            /// Never called: there is no Metal backend.
            fn metal_fwd(&self, $($s: custom!(@ $s MetalStorage), $l: &Layout),+) -> Result<()> {
                $(let _ = ($s, $l);)+
                Err(missing(self.name(), "metal", no_method!("metal_fwd")))
            }
        }
    };
    (@ s1 $t:ty) => { &mut $t };
    (@ $s:ident $t:ty) => { &$t };
}

custom!(CustomOp1 InplaceOp1 "1"; s1 l1; arg; Option<Tensor>);
custom!(CustomOp2 InplaceOp2 "2"; s1 l1, s2 l2; arg1, arg2; (Option<Tensor>, Option<Tensor>));
custom!(CustomOp3 InplaceOp3 "3"; s1 l1, s2 l2, s3 l3; arg1, arg2, arg3;
    (Option<Tensor>, Option<Tensor>, Option<Tensor>));

fn missing(op: &'static str, device: &str, reason: &'static str) -> Error {
    Error::Unsupported { op, device: device.to_string(), reason }.bt()
}

fn elsewhere(op: &'static str, tensor: &Tensor) -> Error {
    missing(op, &tensor.device().location().to_string(), "custom ops have no method for it")
}

/// A custom op as the tape stores it.
pub(crate) trait CustomBackward: std::fmt::Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn backward(&self, inputs: &[Tensor], out: &Tensor, grad: &Tensor) -> Result<Grads>;
}

struct Custom1(Arc<Box<dyn CustomOp1 + Send + Sync>>);
struct Custom2(Arc<Box<dyn CustomOp2 + Send + Sync>>);
struct Custom3(Arc<Box<dyn CustomOp3 + Send + Sync>>);

macro_rules! backward {
    ($t:ident, |$op:ident, $i:ident, $out:ident, $g:ident| $body:expr) => {
        impl std::fmt::Debug for $t {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.0.name())
            }
        }
        impl CustomBackward for $t {
            fn name(&self) -> &'static str {
                self.0.name()
            }
            fn backward(&self, $i: &[Tensor], $out: &Tensor, $g: &Tensor) -> Result<Grads> {
                let $op = &self.0;
                $body
            }
        }
    };
}
backward!(Custom1, |op, i, out, g| grads![op.bwd(&i[0], out, g)?]);
backward!(Custom2, |op, i, out, g| {
    let (a, b) = op.bwd(&i[0], &i[1], out, g)?;
    grads![a, b]
});
backward!(Custom3, |op, i, out, g| {
    let (a, b, c) = op.bwd(&i[0], &i[1], &i[2], out, g)?;
    grads![a, b, c]
});

/// Checks what a custom op returned and makes a tensor of it.
fn finish(name: &'static str, first: &Tensor, out: (Storage, Shape)) -> Result<Tensor> {
    let (storage, shape) = out;
    let len = match &storage {
        Storage::Cpu(s) => Some(s.len()),
        Storage::Rocm(s) => Some(s.len()),
        Storage::Cuda(s) => Some(s.len()),
        #[cfg(any(test, feature = "testing"))]
        _ => None,
    };
    if let Some(buffer_size) = len.filter(|n| *n != shape.elem_count()) {
        return Err(Error::ShapeMismatch { buffer_size, shape }.context(format!("custom op {name}")));
    }
    Tensor::from_parts(storage, shape, first.device())
}

fn same_device(name: &'static str, tensors: &[&Tensor]) -> Result<()> {
    for t in &tensors[1..] {
        if !t.device().same_device(tensors[0].device()) {
            return Err(Error::DeviceMismatchBinaryOp {
                lhs: tensors[0].device().location(),
                rhs: t.device().location(),
                op: name,
            }
            .bt());
        }
    }
    Ok(())
}

/// Returns the result of a GPU's method. If the op has no such method and `RUSHLIGHT_FALLBACK=cpu` is set, computes it
/// with the CPU's method.
fn or_on_cpu<R: Runtime>(
    out: Result<(GpuStorage<R>, Shape)>,
    inputs: &[&GpuStorage<R>],
    cpu: impl FnOnce(&[CpuStorage]) -> Result<(CpuStorage, Shape)>,
) -> Result<(Storage, Shape)> {
    let dtypes: Vec<DType> = inputs.iter().map(|s| s.dtype()).collect();
    match (out, inputs.first().map(|s| s.device())) {
        (Err(e), Some(device)) if device.falls_back(&e, &dtypes) => {
            let hosts = inputs.iter().map(|s| device.read(s)).collect::<Result<Vec<_>>>()?;
            let (s, shape) = cpu(&hosts)?;
            Ok((device.upload(s)?, shape))
        }
        (out, _) => out.map(|(s, shape)| (R::wrap(s), shape)),
    }
}

/// Changes a GPU's memory with the GPU's method, or with the CPU's on the same condition as in [`or_on_cpu`].
fn change<R: Runtime>(
    name: &'static str,
    s: &mut GpuStorage<R>,
    reads: &[&Storage],
    gpu: impl FnOnce(&mut GpuStorage<R>, &[&GpuStorage<R>]) -> Result<()>,
    cpu: impl FnOnce(&mut CpuStorage, &[&CpuStorage]) -> Result<()>,
) -> Result<()> {
    let other = || Error::invalid(name, "operands of different devices");
    let reads = reads.iter().map(|r| R::storage(r).ok_or_else(other)).collect::<Result<Vec<_>>>()?;
    let dtypes: Vec<DType> = std::iter::once(s.dtype()).chain(reads.iter().map(|r| r.dtype())).collect();
    match gpu(s, &reads) {
        Err(e) if s.device().falls_back(&e, &dtypes) => {
            let device = s.device();
            let hosts = reads.iter().map(|r| device.read(r)).collect::<Result<Vec<_>>>()?;
            let mut host = device.read(s)?;
            cpu(&mut host, &hosts.iter().collect::<Vec<_>>())?;
            device.overwrite(s, &host)
        }
        done => done,
    }
}

macro_rules! forward {
    ($c:expr, $name:expr, $($t:expr),+; $($s:ident),+) => {{
        let inputs = [$($t),+];
        same_device($name, &inputs)?;
        let mut locks = Locks::new(&inputs, &[]);
        let (storages, _) = locks.split();
        let out = match storages[..] {
            [$(Storage::Cpu($s)),+] => {
                let (s, shape) = $c.cpu_fwd($($s, $t.layout()),+)?;
                (Storage::Cpu(s), shape)
            }
            [$(Storage::Rocm($s)),+] => {
                or_on_cpu($c.rocm_fwd($($s, $t.layout()),+), &[$($s),+], |hosts| match hosts {
                    [$($s),+] => $c.cpu_fwd($($s, $t.layout()),+),
                    _ => Err(elsewhere($name, inputs[0])),
                })?
            }
            [$(Storage::Cuda($s)),+] => {
                or_on_cpu($c.cuda_fwd($($s, $t.layout()),+), &[$($s),+], |hosts| match hosts {
                    [$($s),+] => $c.cpu_fwd($($s, $t.layout()),+),
                    _ => Err(elsewhere($name, inputs[0])),
                })?
            }
            _ => return Err(elsewhere($name, inputs[0])),
        };
        finish($name, inputs[0], out)
    }};
}

impl Tensor {
    /// Applies a custom op without recording a gradient.
    pub fn apply_op1_no_bwd<C: CustomOp1>(&self, c: &C) -> Result<Self> {
        match autograd::no_grad(|| candle_nn::op1(c, self)) {
            Some(out) => out,
            None => forward!(c, c.name(), self; s1),
        }
    }
    /// Applies a custom op of two tensors without recording a gradient.
    pub fn apply_op2_no_bwd<C: CustomOp2>(&self, t2: &Self, c: &C) -> Result<Self> {
        match autograd::no_grad(|| candle_nn::op2(c, self, t2)) {
            Some(out) => out,
            None => forward!(c, c.name(), self, t2; s1, s2),
        }
    }
    /// Applies a custom op of three tensors without recording a gradient.
    pub fn apply_op3_no_bwd<C: CustomOp3>(&self, t2: &Self, t3: &Self, c: &C) -> Result<Self> {
        match autograd::no_grad(|| candle_nn::op3(c, self, t2, t3)) {
            Some(out) => out,
            None => forward!(c, c.name(), self, t2, t3; s1, s2, s3),
        }
    }

    /// Applies a shared custom op.
    pub fn apply_op1_arc(&self, c: Arc<Box<dyn CustomOp1 + Send + Sync>>) -> Result<Self> {
        let out: Tensor = forward!(c, c.name(), self; s1)?;
        let node = autograd::record_custom(Box::new(Custom1(c)), &[self], &out);
        Ok(if node.is_some() { out.with_node(node) } else { out })
    }
    /// Applies a shared custom op of two tensors.
    pub fn apply_op2_arc(&self, t2: &Self, c: Arc<Box<dyn CustomOp2 + Send + Sync>>) -> Result<Self> {
        let out: Tensor = forward!(c, c.name(), self, t2; s1, s2)?;
        let node = autograd::record_custom(Box::new(Custom2(c)), &[self, t2], &out);
        Ok(if node.is_some() { out.with_node(node) } else { out })
    }
    /// Applies a shared custom op of three tensors.
    pub fn apply_op3_arc(
        &self,
        t2: &Self,
        t3: &Self,
        c: Arc<Box<dyn CustomOp3 + Send + Sync>>,
    ) -> Result<Self> {
        let out: Tensor = forward!(c, c.name(), self, t2, t3; s1, s2, s3)?;
        let node = autograd::record_custom(Box::new(Custom3(c)), &[self, t2, t3], &out);
        Ok(if node.is_some() { out.with_node(node) } else { out })
    }

    /// Applies a custom op.
    pub fn apply_op1<C: 'static + CustomOp1 + Send + Sync>(&self, c: C) -> Result<Self> {
        candle_nn::op1(&c, self).unwrap_or_else(|| self.apply_op1_arc(Arc::new(Box::new(c))))
    }
    /// Applies a custom op of two tensors.
    pub fn apply_op2<C: 'static + CustomOp2 + Send + Sync>(&self, t2: &Self, c: C) -> Result<Self> {
        candle_nn::op2(&c, self, t2).unwrap_or_else(|| self.apply_op2_arc(t2, Arc::new(Box::new(c))))
    }
    /// Applies a custom op of three tensors.
    pub fn apply_op3<C: 'static + CustomOp3 + Send + Sync>(
        &self,
        t2: &Self,
        t3: &Self,
        c: C,
    ) -> Result<Self> {
        candle_nn::op3(&c, self, t2, t3).unwrap_or_else(|| self.apply_op3_arc(t2, t3, Arc::new(Box::new(c))))
    }

    fn inplace(
        &self,
        name: &'static str,
        others: &[&Tensor],
        cpu: impl FnOnce(&mut CpuStorage, &[&CpuStorage]) -> Result<()>,
        rocm: impl FnOnce(&mut RocmStorage, &[&RocmStorage]) -> Result<()>,
        cuda: impl FnOnce(&mut CudaStorage, &[&CudaStorage]) -> Result<()>,
    ) -> Result<()> {
        let all: Vec<&Tensor> = std::iter::once(self).chain(others.iter().copied()).collect();
        same_device(name, &all)?;
        self.check_writable(name)?;
        others.iter().try_for_each(|o| o.check_lost(name))?;
        if others.iter().any(|o| o.shares_storage(self)) {
            return Err(Error::SharedStorage { op: name }.bt());
        }
        let mut locks = Locks::new(others, &[self]);
        let (reads, mut writes) = locks.split();
        let result = match writes.first_mut() {
            Some(Storage::Cpu(s)) => {
                cpu(s, &reads.iter().map(|s| crate::device::cpu_ref(s)).collect::<Result<Vec<_>>>()?)
            }
            Some(Storage::Rocm(s)) => change(name, s, &reads, rocm, cpu),
            Some(Storage::Cuda(s)) => change(name, s, &reads, cuda, cpu),
            _ => return Err(elsewhere(name, self)),
        };
        self.storage_cell().bump();
        result
    }

    /// Changes this tensor in place by a custom op.
    pub fn inplace_op1<C: InplaceOp1>(&self, c: &C) -> Result<()> {
        let l = self.layout();
        self.inplace(c.name(), &[], |s, _| c.cpu_fwd(s, l), |s, _| c.rocm_fwd(s, l), |s, _| c.cuda_fwd(s, l))
    }
    /// Changes this tensor in place by a custom op that reads another tensor. The two must not share storage.
    pub fn inplace_op2<C: InplaceOp2>(&self, rhs: &Self, c: &C) -> Result<()> {
        let (l, r) = (self.layout(), rhs.layout());
        self.inplace(
            c.name(),
            &[rhs],
            |s, o| c.cpu_fwd(s, l, o[0], r),
            |s, o| c.rocm_fwd(s, l, o[0], r),
            |s, o| c.cuda_fwd(s, l, o[0], r),
        )
    }
    /// Changes this tensor in place by a custom op that reads two other tensors. They must not share its storage.
    pub fn inplace_op3<C: InplaceOp3>(&self, t2: &Self, t3: &Self, c: &C) -> Result<()> {
        let (l, l2, l3) = (self.layout(), t2.layout(), t3.layout());
        self.inplace(
            c.name(),
            &[t2, t3],
            |s, o| c.cpu_fwd(s, l, o[0], l2, o[1], l3),
            |s, o| c.rocm_fwd(s, l, o[0], l2, o[1], l3),
            |s, o| c.cuda_fwd(s, l, o[0], l2, o[1], l3),
        )
    }
}
