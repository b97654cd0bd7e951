//! Fourier transforms by rocFFT. It is called directly, not through hipFFT, whose plans it makes: hipFFT adds a second library, and
//! its plans have no factor.
use super::fft::{Fft, Lines, Plans, Transforms};
use super::runtime::Outcome;
use rushlight_hip::{FftConfig, FftPlan, Stream};

/// rocFFT on a device's stream, and its plans.
#[derive(Debug)]
pub(super) struct Library {
    fft: rushlight_hip::Fft,
    plans: Plans<FftPlan>,
}

fn lines(l: Lines) -> rushlight_hip::Lines {
    rushlight_hip::Lines { step: l.step, distance: l.distance }
}

impl Library {
    pub fn new(stream: &Stream) -> rushlight_hip::Result<Self> {
        Ok(Self { fft: rushlight_hip::Fft::new(stream)?, plans: Plans::default() })
    }

    fn plan(&mut self, t: &Transforms) -> Outcome<(&mut rushlight_hip::Fft, &mut FftPlan)> {
        let Self { fft, plans } = self;
        let config = FftConfig {
            double: t.double,
            inverse: t.inverse,
            length: t.length,
            batch: t.batch,
            input: lines(t.input),
            output: lines(t.output),
            scale: f64::from_bits(t.scale),
        };
        let plan = plans.get(t, || Ok(fft.plan(&config)?))?;
        Ok((fft, plan))
    }
}

impl Fft for Library {
    fn workspace(&mut self, t: &Transforms) -> Outcome<u64> {
        Ok(self.plan(t)?.1.workspace())
    }

    fn run(&mut self, t: &Transforms, from: u64, to: u64, space: (u64, u64)) -> Outcome<()> {
        let (fft, plan) = self.plan(t)?;
        Ok(fft.run(plan, from, to, space)?)
    }
}
