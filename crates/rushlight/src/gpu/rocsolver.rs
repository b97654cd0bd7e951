//! Decompositions of matrices by rocSOLVER.
use super::runtime::{Failure, Outcome};
use super::solver::{Decomposition, Factors, Job, Solver};
use super::vendor;
use crate::DType;
use rushlight_hip::{BlasType, Matrix, Stream};

/// A rocSOLVER handle.
#[derive(Debug)]
pub(super) struct Library(rushlight_hip::Solver);

impl Library {
    pub fn new(stream: &Stream) -> rushlight_hip::Result<Self> {
        Ok(Self(rushlight_hip::Solver::new(stream)?))
    }
}

fn kind(dtype: DType) -> Outcome<BlasType> {
    match dtype {
        DType::F32 => Ok(BlasType::F32),
        DType::F64 => Ok(BlasType::F64),
        DType::C64 => Ok(BlasType::C64),
        DType::C128 => Ok(BlasType::C128),
        other => Err(Failure::Other(format!("it has no decomposition of {other:?}"))),
    }
}

impl Solver for Library {
    /// rocSOLVER allocates its own memory; only the elements beside a diagonal are the caller's.
    fn space(&mut self, d: &Decomposition) -> Outcome<u64> {
        let elements = d.batch * d.rows.min(d.columns);
        match d.job {
            Job::Eigh { .. } | Job::Svd { .. } => Ok(elements * size_of::<f64>() as u64),
            _ => Ok(0),
        }
    }

    fn run(&mut self, d: &Decomposition, (beside, _): (u64, u64)) -> Outcome<()> {
        let kind = kind(d.dtype)?;
        let matrix = |m: vendor::Matrix| Matrix { ptr: m.ptr, ld: m.ld, stride: m.stride };
        let (sizes, a, solver) = ([d.rows, d.columns], matrix(d.a), &mut self.0);
        match d.job {
            Job::Lu { pivots } => solver.lu(kind, sizes, a, pivots, d.info, d.batch)?,
            Job::Cholesky => solver.cholesky(kind, d.rows, a, d.info, d.batch)?,
            Job::Qr { tau } => solver.qr(kind, sizes, a, tau, d.batch)?,
            Job::Q { tau, k, steps } => {
                solver.q(kind, [d.rows, d.columns, k], a, (tau, steps), d.batch)?;
            }
            Job::Eigh { values, vectors } => {
                solver.eigh(kind, vectors, d.rows, a, [values, beside], d.info, d.batch)?;
            }
            Job::Svd { values, factors, u, v } => {
                let factors = match factors {
                    Factors::None => rushlight_hip::Factors::None,
                    Factors::Reduced => rushlight_hip::Factors::Reduced,
                    Factors::Full => rushlight_hip::Factors::Full,
                };
                let matrices = [a, matrix(u), matrix(v)];
                solver.svd(kind, factors, sizes, matrices, [values, beside], d.info, d.batch)?;
            }
        }
        Ok(())
    }
}
