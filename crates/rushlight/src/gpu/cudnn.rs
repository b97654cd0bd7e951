//! Convolutions and pooling by cuDNN.
use super::dnn::{Average, Conv, Direction, Dnn, Plan, Ready};
use super::runtime::{Failure, Outcome};
use crate::DType;
use rushlight_cuda::{Algorithm, ConvConfig, Device, DnnKind, Error, Pool, PoolConfig};
use std::collections::HashMap;

/// A cuDNN handle, and the problems and pools whose descriptors were created.
#[derive(Debug)]
pub(super) struct Library {
    dnn: rushlight_cuda::Dnn,
    plans: Vec<(rushlight_cuda::Conv, Algorithm)>,
    pools: HashMap<Average, Pool>,
}

/// Returns sizes in cuDNN's form: 4 or 5 numbers.
fn dims(v: &[u64; 5], spatial: usize) -> Vec<u64> {
    v[..2].iter().chain(&v[5 - spatial..]).copied().collect()
}

fn unknown() -> Failure {
    Failure::Other("a kernel that was not offered".to_string())
}

impl Library {
    pub fn new(device: &Device) -> rushlight_cuda::Result<Self> {
        Ok(Self { dnn: rushlight_cuda::Dnn::new(device)?, plans: Vec::new(), pools: HashMap::new() })
    }

    /// Returns the algorithm that cuDNN considers fastest for a problem among those that can be used, or `None` if it has none.
    /// FFT spreads one NaN over a plane, Winograd's transform makes a NaN the largest finite number (tests/cudnn.rs of
    /// rushlight-cuda), and those that add by atomics give other bits in each run.
    fn best(&mut self, c: &Conv) -> Outcome<Option<Plan>> {
        let kind = match c.dtype {
            DType::F16 => DnnKind::F16,
            DType::BF16 => DnnKind::BF16,
            DType::F32 => DnnKind::F32,
            other => return Err(Failure::Other(format!("it has no convolution of {other:?}"))),
        };
        let n = c.spatial;
        let each = |v: &[u64; 3]| v[3 - n..].to_vec();
        let config = ConvConfig {
            direction: match c.direction {
                Direction::Forward => rushlight_cuda::Direction::Forward,
                Direction::BackwardData => rushlight_cuda::Direction::BackwardData,
                Direction::BackwardWeights => rushlight_cuda::Direction::BackwardWeights,
            },
            kind,
            x: dims(&c.x, n),
            w: dims(&c.w, n),
            y: dims(&c.y, n),
            pads: each(&c.pads),
            strides: each(&c.strides),
            dilations: each(&c.dilations),
            groups: c.groups,
        };
        let conv = rushlight_cuda::Conv::new(&self.dnn, &config)?;
        let all = match conv.algorithms(&mut self.dnn) {
            Err(e @ Error::Dnn { .. }) if e.is_unsupported() => return Ok(None),
            other => other?,
        };
        let Some(best) = all.into_iter().find(Algorithm::is_faithful) else { return Ok(None) };
        self.plans.push((conv, best));
        Ok(Some(Plan { number: self.plans.len() - 1, workspace: best.workspace() }))
    }
}

impl Dnn for Library {
    fn ready(&mut self, c: &Conv) -> Outcome<Ready> {
        // Those that are deterministic multiply infinite weights by zeros outside of the windows, and sum f16 in rounded parts.
        if c.direction == Direction::BackwardData {
            return Ok(Ready::Inexact);
        }
        Ok(self.best(c)?.map_or(Ready::Nothing, Ready::Plan))
    }

    /// cuDNN's kernels are compiled already.
    fn prepare(&mut self, _: Plan) -> Outcome<()> {
        Ok(())
    }

    fn search_space(&mut self, _: &Conv) -> Outcome<u64> {
        Ok(0)
    }

    /// Selects cuDNN's preferred algorithm, without measuring.
    fn search(&mut self, c: &Conv, _: [u64; 3], _: (u64, u64)) -> Outcome<Plan> {
        let none = || Failure::Other("it has no kernel for a shape that is exact enough".to_string());
        self.best(c)?.ok_or_else(none)
    }

    fn run(&mut self, plan: Plan, at: [u64; 3], space: (u64, u64)) -> Outcome<()> {
        let (conv, algorithm) = self.plans.get(plan.number).ok_or_else(unknown)?;
        Ok(conv.run(&mut self.dnn, algorithm, at, space)?)
    }

    fn average(&mut self, p: &Average, x: u64, y: u64, spare: u64) -> Outcome<()> {
        if !self.pools.contains_key(p) {
            let n = p.spatial;
            let each = |v: &[u64; 3]| v[3 - n..].to_vec();
            let config = PoolConfig {
                x: dims(&p.x, n),
                y: dims(&p.y, n),
                window: each(&p.window),
                pads: each(&p.pads),
                strides: each(&p.strides),
                include_pad: p.include_pad,
            };
            self.pools.insert(*p, Pool::new(&self.dnn, &config)?);
        }
        let pool = self.pools.get(p).ok_or_else(unknown)?;
        match p.backward {
            true => Ok(pool.backward(&mut self.dnn, y, x, spare)?),
            false => Ok(pool.forward(&mut self.dnn, x, y)?),
        }
    }
}
