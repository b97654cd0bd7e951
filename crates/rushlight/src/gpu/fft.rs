//! Fourier transforms by a vendor's library, and the plans that a device keeps.
use super::runtime::{Failure, Outcome};
use std::collections::HashMap;
use std::fmt;

/// How the complex numbers of a batch of lines lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lines {
    /// Distance from one number of a line to the next, in numbers.
    pub step: u64,
    /// Distance from one line to the next, in numbers.
    pub distance: u64,
}

/// A batch of Fourier transforms along one dimension, from one place in memory to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Transforms {
    /// Whether the numbers are complex128, else complex64.
    pub double: bool,
    /// Whether the exponents are positive.
    pub inverse: bool,
    /// Number of elements of a line.
    pub length: u64,
    /// Number of lines.
    pub batch: u64,
    /// Layout of the input.
    pub input: Lines,
    /// Layout of the result.
    pub output: Lines,
    /// The bits of the f64 that the result is multiplied by; 1.0 for a library that cannot.
    pub scale: u64,
}

/// A vendor's library of Fourier transforms. Calls come from one thread at a time; work is queued on the device's stream.
pub trait Fft {
    /// Returns the size of the workspace in bytes. Makes a plan, unless there is one already.
    fn workspace(&mut self, transforms: &Transforms) -> Outcome<u64>;
    /// Queues transforms from address `from` to address `to`. `space` is the address and size of the workspace.
    fn run(&mut self, transforms: &Transforms, from: u64, to: u64, space: (u64, u64)) -> Outcome<()>;
}

/// Largest number of plans that a device keeps. Each has tables of about the size of a line.
const MOST: usize = 64;

/// The plans of a device that were used last.
pub(super) struct Plans<P> {
    made: HashMap<Transforms, (P, u64)>,
    /// Number of uses so far.
    uses: u64,
}

impl<P> Default for Plans<P> {
    fn default() -> Self {
        Self { made: HashMap::new(), uses: 0 }
    }
}

impl<P> fmt::Debug for Plans<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} plans", self.made.len())
    }
}

impl<P> Plans<P> {
    /// Returns the plan of these transforms, made by `make` if there is none. If there are too many, the one whose last use
    /// is the longest ago is dropped first.
    pub fn get(&mut self, of: &Transforms, make: impl FnOnce() -> Outcome<P>) -> Outcome<&mut P> {
        self.uses += 1;
        if !self.made.contains_key(of) {
            if self.made.len() >= MOST {
                let oldest = self.made.iter().min_by_key(|(_, (_, used))| *used).map(|(k, _)| *k);
                oldest.and_then(|k| self.made.remove(&k));
            }
            self.made.insert(*of, (make()?, 0));
        }
        match self.made.get_mut(of) {
            Some((plan, used)) => {
                *used = self.uses;
                Ok(plan)
            }
            None => Err(Failure::Other("its plan is missing".to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_keeps_the_plans_that_were_used_last() {
        let of = |length: u64| {
            let lines = Lines { step: 1, distance: length };
            let (double, inverse, batch, scale) = (false, false, 1, 1f64.to_bits());
            Transforms { double, inverse, length, batch, input: lines, output: lines, scale }
        };
        let mut plans = Plans::default();
        let mut made = Vec::new();
        let mut ask = |length: u64| {
            let plan = plans.get(&of(length), || {
                made.push(length);
                Ok(length)
            });
            assert_eq!(plan, Ok(&mut length.clone()));
        };
        let most = MOST as u64;
        (1..=most).for_each(&mut ask);
        // 1 is used again, so 2 makes room for a new one.
        ask(1);
        ask(most + 1);
        ask(1);
        ask(2);
        assert_eq!(made, (1..=most + 1).chain([2]).collect::<Vec<_>>());
        let failed = plans.get(&of(1000), || Err(Failure::OutOfMemory));
        assert_eq!((failed, plans.made.len()), (Err(Failure::OutOfMemory), MOST - 1));
    }
}
