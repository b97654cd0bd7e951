//! Convolutions and pooling by MIOpen.
use super::dnn::{Average, Conv, Direction, Dnn, Plan, Ready};
use super::runtime::{Failure, Outcome};
use crate::DType;
use rushlight_hip::{ConvConfig, DnnType, Error, Found, Miopen, Pool, PoolMode, Solution, Stream, Tensor};
use std::collections::HashMap;

/// A MIOpen handle, and the problems and pools whose descriptors were created.
#[derive(Debug)]
pub(super) struct Library {
    miopen: Miopen,
    plans: Vec<(rushlight_hip::Conv, Kernel)>,
    pools: HashMap<Average, Pool>,
}

#[derive(Debug)]
enum Kernel {
    Ready(Solution),
    Found(Found),
}

/// MIOpen's status for a problem without a kernel (miopenStatusNotImplemented).
const NOT_IMPLEMENTED: u32 = 6;
/// Largest number of kernels that are considered. MIOpen has fewer for any problem.
const MOST: usize = 64;

/// Returns sizes in MIOpen's form: 4 or 5 numbers.
fn dims(v: &[u64; 5], spatial: usize) -> Vec<u64> {
    v[..2].iter().chain(&v[5 - spatial..]).copied().collect()
}

fn packed(dtype: DType, v: &[u64; 5], spatial: usize) -> Outcome<Tensor> {
    let kind = match dtype {
        DType::F16 => DnnType::F16,
        DType::BF16 => DnnType::BF16,
        DType::F32 => DnnType::F32,
        other => return Err(Failure::Other(format!("it has no convolution of {other:?}"))),
    };
    Ok(Tensor::packed(kind, &dims(v, spatial)))
}

/// Whether a family of kernels may be used for a dtype. FFT spreads one NaN over a plane. Winograd's transforms are
/// inexact in half precision, and wrong on some GPUs.
fn trusted(family: u32, dtype: DType) -> bool {
    const FFT: u32 = 2;
    const WINOGRAD: u32 = 3;
    family != FFT && (family != WINOGRAD || dtype == DType::F32)
}

impl Library {
    pub fn new(stream: &Stream) -> rushlight_hip::Result<Self> {
        // MIOpen uses rocBLAS, which aborts the process if its files for this GPU are missing.
        rushlight_hip::Blas::check(stream.device())?;
        Ok(Self { miopen: Miopen::new(stream)?, plans: Vec::new(), pools: HashMap::new() })
    }

    fn describe(&self, c: &Conv) -> Outcome<rushlight_hip::Conv> {
        let n = c.spatial;
        let each = |v: &[u64; 3]| v[3 - n..].to_vec();
        let config = ConvConfig {
            pads: each(&c.pads),
            strides: each(&c.strides),
            dilations: each(&c.dilations),
            groups: c.groups,
            deterministic: false,
        };
        let direction = match c.direction {
            Direction::Forward => rushlight_hip::Direction::Forward,
            Direction::BackwardData => rushlight_hip::Direction::BackwardData,
            Direction::BackwardWeights => rushlight_hip::Direction::BackwardWeights,
        };
        let t = |v| packed(c.dtype, v, n);
        let (x, w, y) = (t(&c.x)?, t(&c.w)?, t(&c.y)?);
        rushlight_hip::Conv::new(&self.miopen, direction, &x, &w, &y, &config).map_err(Failure::from)
    }

    fn keep(&mut self, conv: rushlight_hip::Conv, kernel: Kernel) -> Plan {
        let workspace = match &kernel {
            Kernel::Ready(s) => s.workspace(),
            Kernel::Found(f) => f.workspace(),
        };
        self.plans.push((conv, kernel));
        Plan { number: self.plans.len() - 1, workspace }
    }
}

fn unknown() -> Failure {
    Failure::Other("a kernel that was not offered".to_string())
}

impl Dnn for Library {
    fn ready(&mut self, c: &Conv) -> Outcome<Ready> {
        let conv = self.describe(c)?;
        let list = match conv.solutions(&mut self.miopen, MOST) {
            Err(Error::Miopen { code: NOT_IMPLEMENTED, .. }) => return Ok(Ready::Nothing),
            other => other.map_err(Failure::from)?,
        };
        // Without a measurement, MIOpen reports invented times: 10 ms, 20 ms, .. for the kernels that its model
        // prefers, or 10 ms divided by an estimated speed, and 1000 ms for the naive kernel, which is always offered.
        // Measured times are not such multiples of 10 ms.
        if list.iter().any(|s| s.time_ms() <= 0.0 || s.time_ms() % 10.0 == 0.0) {
            return Ok(Ready::Guesses);
        }
        match list.into_iter().find(|s| trusted(s.family(), c.dtype)) {
            Some(s) => Ok(Ready::Plan(self.keep(conv, Kernel::Ready(s)))),
            None => Ok(Ready::Nothing),
        }
    }

    fn prepare(&mut self, plan: Plan) -> Outcome<()> {
        match self.plans.get(plan.number) {
            Some((conv, Kernel::Ready(s))) => conv.compile(&mut self.miopen, s).map_err(Failure::from),
            Some((_, Kernel::Found(_))) => Ok(()),
            None => Err(unknown()),
        }
    }

    fn search_space(&mut self, c: &Conv) -> Outcome<u64> {
        self.describe(c)?.find_workspace(&mut self.miopen).map_err(Failure::from)
    }

    fn search(&mut self, c: &Conv, [x, w, y]: [u64; 3], space: (u64, u64)) -> Outcome<Plan> {
        let conv = self.describe(c)?;
        let found = conv.find(&mut self.miopen, x, w, y, space, false).map_err(Failure::from)?;
        match found.into_iter().find(|f| trusted(f.algorithm(), c.dtype)) {
            Some(f) => Ok(self.keep(conv, Kernel::Found(f))),
            None => Err(Failure::Other("it found no kernel for a shape that is exact enough".to_string())),
        }
    }

    fn run(&mut self, plan: Plan, [x, w, y]: [u64; 3], space: (u64, u64)) -> Outcome<()> {
        let m = &mut self.miopen;
        match self.plans.get(plan.number) {
            Some((conv, Kernel::Ready(s))) => conv.run(m, s, x, w, y, space).map_err(Failure::from),
            Some((conv, Kernel::Found(f))) => conv.run_found(m, f, x, w, y, space).map_err(Failure::from),
            None => Err(unknown()),
        }
    }

    fn average(&mut self, p: &Average, x: u64, y: u64, spare: u64) -> Outcome<()> {
        if !self.pools.contains_key(p) {
            let n = p.spatial;
            let mode = if p.include_pad { PoolMode::AverageInclusive } else { PoolMode::Average };
            let (xt, yt) = (packed(DType::F32, &p.x, n)?, packed(DType::F32, &p.y, n)?);
            let each = |v: &[u64; 3]| v[3 - n..].to_vec();
            let (window, pads, strides) = (each(&p.window), each(&p.pads), each(&p.strides));
            let made =
                Pool::new(&self.miopen, mode, &xt, &yt, &window, &pads, &strides).map_err(Failure::from)?;
            self.pools.insert(*p, made);
        }
        let Some(pool) = self.pools.get(p) else { return Err(unknown()) };
        let m = &mut self.miopen;
        if p.backward {
            // The gradient of average pooling reads neither x nor y, so the arguments for them are dummies.
            pool.backward(m, y, y, spare, x, (0, 0)).map_err(Failure::from)
        } else {
            pool.forward(m, x, y, None).map_err(Failure::from)
        }
    }
}
