//! Times Rushlight's calls and a peer's, alternately.
use std::time::Instant;

/// Rounds are many and short, so that other work of the machine interrupts few of them.
const ROUNDS: usize = 201;
const CALLS: usize = 4000;

/// A call of Rushlight and the peer's call for the same op.
pub struct Pair<'a> {
    pub name: &'a str,
    pub ours: Box<dyn Fn() + 'a>,
    pub theirs: Box<dyn Fn() + 'a>,
}

/// Makes a pair of two expressions that return a `Result`.
macro_rules! pair {
    ($name:literal, $ours:expr, $theirs:expr) => {
        common::Pair::new(
            $name,
            || drop(std::hint::black_box($ours.expect("ours"))),
            || drop(std::hint::black_box($theirs.expect("candle's"))),
        )
    };
}

impl<'a> Pair<'a> {
    pub fn new(name: &'a str, ours: impl Fn() + 'a, theirs: impl Fn() + 'a) -> Self {
        Self { name, ours: Box::new(ours), theirs: Box::new(theirs) }
    }

    /// Returns the medians of both in nanoseconds, and the median of the ratios of neighbouring rounds.
    pub fn compare(&self) -> (f64, f64, f64) {
        (time(&self.ours), time(&self.theirs));
        let (mut a, mut b, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let (x, y) = if round % 2 == 0 {
                let x = time(&self.ours);
                (x, time(&self.theirs))
            } else {
                let y = time(&self.theirs);
                (time(&self.ours), y)
            };
            a.push(x);
            b.push(y);
            ratio.push(x / y);
        }
        (median(a), median(b), median(ratio))
    }
}

/// Returns the nanoseconds per call.
fn time(f: &dyn Fn()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        f();
    }
    start.elapsed().as_nanos() as f64 / CALLS as f64
}

fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v[v.len() / 2]
}

/// With `--count NAME ours|theirs CALLS`, makes CALLS calls without measuring time, for counting instructions: under
/// `valgrind --tool=callgrind` the counts of two runs with different CALLS differ by the instructions of the additional
/// calls.
pub fn counted(pairs: &[Pair<'_>]) -> bool {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [flag, name, side, calls] = &args[..] else { return false };
    if flag != "--count" {
        return false;
    }
    let pair = pairs.iter().find(|p| p.name == name).expect("no case of this name");
    let f = if side == "ours" { &pair.ours } else { &pair.theirs };
    (0..calls.parse().expect("a number of calls")).for_each(|_: u64| f());
    true
}

pub fn checking() -> bool {
    std::env::args().any(|a| a == "--check")
}
