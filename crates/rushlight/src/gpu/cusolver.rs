//! Decompositions of matrices by cuSOLVER.
use super::runtime::{Failure, Outcome};
use super::solver::{Decomposition, Factors, Job, Solver};
use super::vendor;
use crate::DType;
use rushlight_cuda::{Device, Matrix, SolverKind};

/// A cuSOLVER handle.
#[derive(Debug)]
pub(super) struct Library(rushlight_cuda::Solver);

impl Library {
    pub fn new(device: &Device) -> rushlight_cuda::Result<Self> {
        Ok(Self(rushlight_cuda::Solver::new(device)?))
    }
}

/// Translates a decomposition.
fn translated(d: &Decomposition) -> Outcome<rushlight_cuda::Decomposition> {
    let kind = match d.dtype {
        DType::F32 => SolverKind::F32,
        DType::F64 => SolverKind::F64,
        DType::C64 => SolverKind::C64,
        DType::C128 => SolverKind::C128,
        other => return Err(Failure::Other(format!("it has no decomposition of {other:?}"))),
    };
    let matrix = |m: vendor::Matrix| Matrix { ptr: m.ptr, ld: m.ld, stride: m.stride };
    let job = match d.job {
        Job::Lu { pivots } => rushlight_cuda::Job::Lu { pivots },
        Job::Cholesky => rushlight_cuda::Job::Cholesky,
        Job::Qr { tau } => rushlight_cuda::Job::Qr { tau },
        Job::Q { tau, k, steps } => rushlight_cuda::Job::Q { tau, k, steps },
        Job::Eigh { values, vectors } => rushlight_cuda::Job::Eigh { values, vectors },
        Job::Svd { values, factors, u, v } => rushlight_cuda::Job::Svd {
            values,
            factors: match factors {
                Factors::None => rushlight_cuda::Factors::None,
                Factors::Reduced => rushlight_cuda::Factors::Reduced,
                Factors::Full => rushlight_cuda::Factors::Full,
            },
            u: matrix(u),
            v: matrix(v),
        },
    };
    let (m, n, batch, a, info) = (d.rows, d.columns, d.batch, matrix(d.a), d.info);
    Ok(rushlight_cuda::Decomposition { kind, m, n, batch, a, job, info })
}

impl Solver for Library {
    fn space(&mut self, d: &Decomposition) -> Outcome<u64> {
        Ok(self.0.space(&translated(d)?)?)
    }

    fn run(&mut self, d: &Decomposition, space: (u64, u64)) -> Outcome<()> {
        Ok(self.0.run(&translated(d)?, space)?)
    }
}
