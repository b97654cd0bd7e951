//! The code that rocBLAS and cuBLAS share: a product's matrices, its scalars, and the computation as work of a
//! stream.
pub(crate) mod gemm;

use crate::api::hip::Ptr;
use crate::device::gpu::Gpu;
use crate::device::stream::Work;
use crate::support::config;
use gemm::{Matrix, Operand, Type};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) fn size_of(t: Type) -> usize {
    match t {
        Type::I8 => 1,
        Type::F16 | Type::Bf16 => 2,
        Type::F32 | Type::I32 => 4,
        Type::F64 | Type::C32 => 8,
        Type::C64 => 16,
    }
}

/// A product with checked sizes and types.
pub(crate) struct Product {
    /// Types of A and B, of C and D, and of the sums.
    pub types: [Type; 3],
    pub a: Operand,
    pub b: Operand,
    pub c: Matrix,
    pub d: Matrix,
    /// The summed dimension; 0 if A and B are not read.
    pub depth: usize,
    pub batch: usize,
    pub alpha: [u8; 16],
    /// `None`: C is not read.
    pub beta: Option<[u8; 16]>,
}

/// The reason why a product is rejected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Refused {
    Size,
    Pointer,
    Value,
    /// The stream belongs to another device than the handle.
    Stream,
    Device,
}

impl Product {
    /// Checks the addresses of the matrices and issues the product on a stream.
    pub fn issue(self, gpu: &mut Gpu, library: &str, stream: usize) -> Result<(), Refused> {
        let [ab, cd, _] = self.types;
        let reads = self.depth > 0;
        let mut spans = Vec::new();
        for (name, x, t, used) in [
            ("A", &self.a.m, ab, reads),
            ("B", &self.b.m, ab, reads),
            ("C", &self.c, cd, self.beta.is_some()),
            ("D", &self.d, cd, true),
        ] {
            if !used {
                continue;
            }
            let span = x.span(self.batch, size_of(t)).ok_or(Refused::Size)?;
            if !matches!(gpu.memory.range(span.0, span.1 - span.0), Ok(Some(_))) {
                let location = gpu.memory.describe(span.0);
                eprintln!(
                    "rushlight-vgpu: {library}: {name} ({} bytes at {:#x}, {location}) is not inside one allocation",
                    span.1 - span.0,
                    span.0
                );
                return Err(Refused::Pointer);
            }
            spans.push((name, span));
        }
        let to = self.d.span(self.batch, size_of(cd)).ok_or(Refused::Size)?;
        for (name, s) in &spans {
            let same = *name == "D" || (*name == "C" && self.c.at == self.d.at);
            if !same && s.0 < to.1 && to.0 < s.1 {
                eprintln!("rushlight-vgpu: {library}: D overlaps {name}");
                return Err(Refused::Value);
            }
        }
        let whole = (self.d.ld * (self.d.cols - 1) + self.d.rows) as u64;
        if self.batch > 1 && self.d.stride.unsigned_abs() < whole {
            eprintln!("rushlight-vgpu: {library}: the matrices of D overlap");
            return Err(Refused::Value);
        }
        let wrong = config::get().faults.blas_wrong.then_some(size_of(cd));
        let job = move || {
            let [ab, cd, by] = self.types;
            let (depth, batch) = (self.depth, self.batch);
            let (a, b, c, d) = (&self.a, &self.b, &self.c, &self.d);
            gemm::run(ab, cd, by, a, b, c, d, depth, batch, &self.alpha, self.beta.as_ref());
            if let Some(bytes) = wrong {
                // SAFETY: D's first element lies inside an allocation, as was checked.
                unsafe { *(d.at as *mut u8).add(bytes - 1) ^= 0x40 };
            }
        };
        let key = gpu.stream(stream as Ptr).map_err(|_| Refused::Stream)?;
        gpu.push(key, Work::Native(std::sync::Arc::new(job)), Vec::new())
            .map(drop)
            .map_err(|_| Refused::Device)
    }
}

/// Returns whether this product fails by `RUSHLIGHT_VGPU_FAULT`.
pub(crate) fn fails_now() -> bool {
    static PRODUCTS: AtomicU64 = AtomicU64::new(0);
    let number = PRODUCTS.fetch_add(1, Relaxed);
    config::get().faults.blas_fails_after.is_some_and(|n| number >= n)
}

/// Returns a scalar's bytes, and whether it is zero; a NULL scalar counts as zero.
pub(crate) fn factor(
    gpu: &mut Gpu,
    library: &str,
    stream: usize,
    on_device: bool,
    at: *const c_void,
    of: Type,
) -> Result<(bool, [u8; 16]), Refused> {
    let width = size_of(of);
    let mut bytes = [0u8; 16];
    if at.is_null() {
        return Ok((true, bytes));
    }
    let device = matches!(gpu.memory.range(at as usize, width), Ok(Some(b)) if b.on_device());
    if device != on_device {
        eprintln!(
            "rushlight-vgpu: {library}: a scalar is not in the memory that the handle's pointer mode selects"
        );
        return Err(Refused::Pointer);
    }
    if device {
        let key = gpu.stream(stream as Ptr).map_err(|_| Refused::Stream)?;
        gpu.finish(key).map_err(|_| Refused::Device)?;
    }
    bytes[..width].copy_from_slice(&crate::support::out::bytes(at, width));
    // Each part of a complex number, without its sign.
    let part = if of == Type::C32 { 4 } else { width.min(8) };
    let zero = bytes[..width].chunks(part).all(|c| {
        let sign = if of == Type::I32 { 0 } else { 0x80 };
        c[..part - 1].iter().all(|b| *b == 0) && c[part - 1] & !sign == 0
    });
    Ok((zero, bytes))
}
