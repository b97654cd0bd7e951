//! Random numbers, the same on every device: Philox keyed by (seed, draw, element).
use super::{Card, Differentiable, Domain, Fill, Grads, Input, Meta, Op, Role, Sample, Spec, grads};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Device, Result, Shape, Tensor};

/// A distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dist {
    /// Uniform in `[lo, up)`.
    Uniform {
        /// Lower end.
        lo: f64,
        /// Upper end.
        up: f64,
    },
    /// Normal.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        std: f64,
    },
}

/// Fills a tensor with random numbers, in place. Element i (row-major) uses word `i % 4` of Philox block `i / 4` of
/// the draw; normals use a pair of words (docs/NUMERICS.md).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Random {
    /// The distribution.
    pub dist: Dist,
    /// (seed, number of the draw).
    pub key: (u64, u64),
}

impl Card for Random {
    fn name(&self) -> &'static str {
        match self.dist {
            Dist::Uniform { .. } => "rand",
            Dist::Normal { .. } => "randn",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn role(&self) -> Role {
        Role::InOut(1)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(ins[0].clone())
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it makes random numbers")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for dist in [Dist::Uniform { lo: -1.0, up: 2.0 }, Dist::Normal { mean: 0.5, std: 2.0 }] {
            for shape in [&[3usize, 5][..], &[], &[0, 4]] {
                let x = Spec { shape: shape.into(), domain: Domain::Mask, fill: Fill::T };
                all.push(Sample::new(Op::Random(Random { dist, key: (42, 7) }), vec![x]).no_grad());
            }
        }
        all
    }
}

impl Tensor {
    pub(crate) fn random(dist: Dist, shape: Shape, dtype: DType, device: &Device) -> Result<Tensor> {
        if !dtype.is_float() {
            return Err(crate::Error::UnsupportedDTypeForOp(
                dtype,
                if let Dist::Normal { .. } = dist { "randn" } else { "rand" },
            )
            .bt());
        }
        // F8E4M3 has no arithmetic of its own.
        let compute = if dtype == DType::F8E4M3 { DType::F32 } else { dtype };
        let t = Tensor::alloc(&shape, compute, device)?;
        Tensor::run_inplace(Op::Random(Random { dist, key: device.next_draw() }), &[&t], &[])?;
        t.to_dtype(dtype)
    }
}
