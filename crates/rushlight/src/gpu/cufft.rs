//! Fourier transforms by cuFFT.
use super::fft::{Fft, Lines, Plans, Transforms};
use super::runtime::Outcome;
use rushlight_cuda::{Device, FftConfig, FftPlan};

/// The plans of a device.
#[derive(Debug)]
pub(super) struct Library {
    device: Device,
    plans: Plans<FftPlan>,
}

fn lines(l: Lines) -> rushlight_cuda::Lines {
    rushlight_cuda::Lines { step: l.step, distance: l.distance }
}

impl Library {
    pub fn new(device: &Device) -> rushlight_cuda::Result<Self> {
        // Opens the library.
        rushlight_cuda::fft_version()?;
        Ok(Self { device: device.clone(), plans: Plans::default() })
    }

    fn plan(&mut self, t: &Transforms) -> Outcome<&mut FftPlan> {
        let config = FftConfig {
            double: t.double,
            length: t.length,
            batch: t.batch,
            input: lines(t.input),
            output: lines(t.output),
        };
        // A plan serves both directions.
        let both = Transforms { inverse: false, ..*t };
        self.plans.get(&both, || Ok(FftPlan::new(&self.device, &config)?))
    }
}

impl Fft for Library {
    fn workspace(&mut self, t: &Transforms) -> Outcome<u64> {
        Ok(self.plan(t)?.workspace())
    }

    fn run(&mut self, t: &Transforms, from: u64, to: u64, space: (u64, u64)) -> Outcome<()> {
        Ok(self.plan(t)?.run(t.inverse, from, to, space)?)
    }
}
