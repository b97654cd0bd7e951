//! What it costs to issue an op: adds of one element, tracked and not, ours and candle's in the same run, in turns.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --bin dispatch`; `--check` ends with an error where
//! ours is slower.
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 41;
const CALLS: usize = 20_000;

/// Nanoseconds a call.
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

/// Medians of both, and of the ratio of neighbouring rounds.
fn compare(name: &str, ours: &dyn Fn(), theirs: &dyn Fn()) -> bool {
    (time(ours), time(theirs));
    let (mut a, mut b, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (x, y) = if round % 2 == 0 {
            let x = time(ours);
            (x, time(theirs))
        } else {
            let y = time(theirs);
            (time(ours), y)
        };
        a.push(x);
        b.push(y);
        ratio.push(x / y);
    }
    let ratio = median(ratio);
    println!("{name:28} rushlight {:7.1} ns   candle {:7.1} ns   ratio {ratio:.2}", median(a), median(b));
    ratio <= 1.0
}

fn main() {
    let (rd, cd) = (rushlight::Device::Cpu, candle_core::Device::Cpu);
    let a = rushlight::Tensor::new(&[1f32], &rd).expect("tensor");
    let b = rushlight::Tensor::new(&[2f32], &rd).expect("tensor");
    let ca = candle_core::Tensor::new(&[1f32], &cd).expect("tensor");
    let cb = candle_core::Tensor::new(&[2f32], &cd).expect("tensor");
    let va = rushlight::Var::from_tensor(&a).expect("variable");
    let cva = candle_core::Var::from_tensor(&ca).expect("variable");
    let mut ok = true;
    ok &= compare(
        "add, 1 element",
        &|| drop(black_box(a.add(&b).expect("sum"))),
        &|| drop(black_box(ca.add(&cb).expect("sum"))),
    );
    ok &= compare(
        "add, 1 element, tracked",
        &|| drop(black_box(va.add(&b).expect("sum"))),
        &|| drop(black_box(cva.add(&cb).expect("sum"))),
    );
    ok &= compare(
        "mul, 1 element, tracked",
        &|| drop(black_box(va.mul(&b).expect("product"))),
        &|| drop(black_box(cva.mul(&cb).expect("product"))),
    );
    ok &= compare(
        "exp, 1 element",
        &|| drop(black_box(a.exp().expect("power"))),
        &|| drop(black_box(ca.exp().expect("power"))),
    );
    ok &= compare(
        "reshape, 1 element",
        &|| drop(black_box(a.reshape((1, 1)).expect("view"))),
        &|| drop(black_box(ca.reshape((1, 1)).expect("view"))),
    );
    if std::env::args().any(|a| a == "--check") && !ok {
        std::process::exit(1);
    }
}
