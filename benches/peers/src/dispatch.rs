//! Measures the time to issue an op: ops on one element, tracked and not, ours and candle's alternately in one run.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --bin dispatch`; `--check` ends with an error where
//! ours is slower, `--count` makes calls only (see `common.rs`).
#[macro_use]
mod common;

fn main() {
    let (rd, cd) = (rushlight::Device::Cpu, candle_core::Device::Cpu);
    let a = rushlight::Tensor::new(&[1f32], &rd).expect("tensor");
    let b = rushlight::Tensor::new(&[2f32], &rd).expect("tensor");
    let ca = candle_core::Tensor::new(&[1f32], &cd).expect("tensor");
    let cb = candle_core::Tensor::new(&[2f32], &cd).expect("tensor");
    let va = rushlight::Var::from_tensor(&a).expect("variable");
    let cva = candle_core::Var::from_tensor(&ca).expect("variable");
    let pairs = [
        pair!("add", a.add(&b), ca.add(&cb)),
        pair!("add, tracked", va.add(&b), cva.add(&cb)),
        pair!("mul, tracked", va.mul(&b), cva.mul(&cb)),
        pair!("exp", a.exp(), ca.exp()),
        pair!("exp, tracked", va.exp(), cva.exp()),
        pair!("reshape", a.reshape((1, 1)), ca.reshape((1, 1))),
        pair!("reshape, tracked", va.reshape((1, 1)), cva.reshape((1, 1))),
    ];
    if common::counted(&pairs) {
        return;
    }
    let mut ok = true;
    for pair in &pairs {
        let (ours, theirs, ratio) = pair.compare();
        println!("{:20} rushlight {ours:7.1} ns   candle {theirs:7.1} ns   ratio {ratio:.2}", pair.name);
        ok &= ratio <= 1.0;
    }
    if common::checking() && !ok {
        std::process::exit(1);
    }
}
