//! Measures the host's time to issue an op on a GPU. The recording runtime launches nothing, so all of the time is this
//! library's. The peer is candle's CPU op of one element, measured alternately in the same run.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --bin launch`; `--check` ends with an error where an op
//! takes 2 microseconds or more.
#[macro_use]
mod common;

/// The limit of nanoseconds per op.
const MOST: f64 = 2000.0;

fn main() {
    let gpu = rushlight::gpu::record::open(1 << 30).expect("device");
    let cd = candle_core::Device::Cpu;
    let zeros = |shape: &[usize], dtype| rushlight::Tensor::zeros(shape, dtype, &gpu).expect("tensor");
    let (f32, u32) = (rushlight::DType::F32, rushlight::DType::U32);
    let (a, x, ids) = (zeros(&[1], f32), zeros(&[64, 64], f32), zeros(&[16], u32));
    let t = x.t().expect("view");
    let va = rushlight::Var::from_tensor(&a).expect("variable");
    let ca = candle_core::Tensor::new(&[1f32], &cd).expect("tensor");
    let cva = candle_core::Var::from_tensor(&ca).expect("variable");
    let pairs = [
        pair!("add", a.add(&a), ca.add(&ca)),
        pair!("add, tracked", va.add(&a), cva.add(&ca)),
        pair!("add of a transposed matrix", x.add(&t), ca.add(&ca)),
        pair!("exp", a.exp(), ca.exp()),
        pair!("sum of rows", x.sum(1), ca.add(&ca)),
        pair!("softmax", x.softmax(1), ca.add(&ca)),
        pair!("matmul", x.matmul(&t), ca.add(&ca)),
        pair!("index_select", x.index_select(&ids, 0), ca.add(&ca)),
    ];
    if common::counted(&pairs) {
        return;
    }
    println!("candle: its CPU's exp for exp, else its CPU's add, of one element");
    let mut ok = true;
    for pair in &pairs {
        let (ours, theirs, ratio) = pair.compare();
        println!("{:28} rushlight {ours:7.1} ns   candle {theirs:7.1} ns   ratio {ratio:.2}", pair.name);
        ok &= ours < MOST;
    }
    if common::checking() && !ok {
        std::process::exit(1);
    }
}
