//! Times products of f32 matrices by matrices that candle has, too, ours and candle's alternately: by blocks of each type, and by
//! transposed matrices of f32, f16 and bf16, as in linear layers. Prints the medians in microseconds and their ratio.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --bin qmatmul -- --types Q4_0,Q6K --rows 1,8 --sizes
//! 4096x4096 --seconds 2`: a size is K x N, and each case runs for about that many seconds. Every option has a default.
//! `RUSHLIGHT_NUM_THREADS=1 RAYON_NUM_THREADS=1` measures one thread of both; `RUSHLIGHT_CPU_ISA=v3` Rushlight without AVX-512.
use candle_core as theirs;
use rushlight as ours;
use std::time::{Duration, Instant};
use theirs::Module;
use theirs::quantized::{GgmlDType, QMatMul, QStorage, QTensor};

const TYPES: [(&str, GgmlDType); 14] = [
    ("Q4_0", GgmlDType::Q4_0),
    ("Q4_1", GgmlDType::Q4_1),
    ("Q5_0", GgmlDType::Q5_0),
    ("Q5_1", GgmlDType::Q5_1),
    ("Q8_0", GgmlDType::Q8_0),
    ("Q2K", GgmlDType::Q2K),
    ("Q3K", GgmlDType::Q3K),
    ("Q4K", GgmlDType::Q4K),
    ("Q5K", GgmlDType::Q5K),
    ("Q6K", GgmlDType::Q6K),
    ("Q8K", GgmlDType::Q8K),
    ("F32", GgmlDType::F32),
    ("F16", GgmlDType::F16),
    ("BF16", GgmlDType::BF16),
];

/// Returns the median times in microseconds of two functions that are called alternately.
fn medians(time: Duration, mut a: impl FnMut(), mut b: impl FnMut()) -> (f64, f64) {
    fn once(f: &mut impl FnMut()) -> f64 {
        let start = Instant::now();
        f();
        start.elapsed().as_secs_f64() * 1e6
    }
    (once(&mut a), once(&mut b));
    let (mut first, mut second, start) = (Vec::new(), Vec::new(), Instant::now());
    // Each side runs a few times in a row, as the products of a model do: its threads are awake.
    while first.len() < 9 || start.elapsed() < time {
        (0..3).for_each(|_| first.push(once(&mut a)));
        (0..3).for_each(|_| second.push(once(&mut b)));
    }
    let median = |mut v: Vec<f64>| {
        v.sort_by(f64::total_cmp);
        v[v.len() / 2]
    };
    (median(first), median(second))
}

/// Returns candle's transposed weights and ours, of `n` rows of `k` numbers.
fn numbers(name: &str, k: usize, n: usize) -> (theirs::Tensor, ours::Tensor) {
    let (their_type, our_type) = match name {
        "F32" => (theirs::DType::F32, ours::DType::F32),
        "F16" => (theirs::DType::F16, ours::DType::F16),
        _ => (theirs::DType::BF16, ours::DType::BF16),
    };
    let w = theirs::Tensor::randn(0f32, 1., (n, k), &theirs::Device::Cpu).expect("numbers");
    let values = w.flatten_all().and_then(|w| w.to_vec1::<f32>()).expect("numbers");
    let mine = ours::Tensor::from_vec(values, (n, k), &ours::Device::Cpu);
    let mine = mine.and_then(|w| w.to_dtype(our_type)?.t()).expect("numbers");
    (w.to_dtype(their_type).and_then(|w| w.t()).expect("numbers"), mine)
}

/// Returns candle's blocks and ours, of `n` rows of `k` elements. (Some rows are repeated, since quantizing takes long.)
fn blocks(dtype: GgmlDType, name: &str, k: usize, n: usize) -> (QMatMul, ours::quantized::QTensor) {
    const ROWS: usize = 16;
    let w = theirs::Tensor::randn(0f32, 1., (ROWS, k), &theirs::Device::Cpu).expect("numbers");
    let some = QTensor::quantize(&w, dtype).expect("blocks");
    let bytes = some.data().expect("blocks").repeat(n / ROWS);
    let storage = QStorage::from_data((&bytes).into(), &theirs::Device::Cpu, dtype).expect("blocks");
    let theirs = QMatMul::from_qtensor(QTensor::new(storage, (n, k)).expect("blocks")).expect("blocks");
    let format = ours::quantized::GgmlDType::from_name(name).expect("a type");
    let device = ours::Device::Cpu;
    let mine = ours::quantized::ggml_file::qtensor_from_ggml(format, &bytes, vec![n, k], &device);
    (theirs, mine.expect("blocks"))
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, default: &str| {
        let at = args.iter().position(|a| a == name);
        at.and_then(|i| args.get(i + 1)).map_or(default.to_string(), String::clone)
    };
    let list = |text: String| text.split(',').map(String::from).collect::<Vec<_>>();
    let all = TYPES.map(|t| t.0).join(",");
    let types = list(option("--types", &all));
    let rows = list(option("--rows", "1,8,64,512"));
    let sizes = list(option("--sizes", "1024x1024,4096x4096,4096x11008"));
    let seconds = option("--seconds", "0.5").parse().expect("a number of seconds");
    for size in &sizes {
        let (k, n) = size.split_once('x').expect("a size like 4096x11008");
        let (k, n) = (k.parse().expect("a number"), n.parse().expect("a number"));
        for (name, dtype) in TYPES.into_iter().filter(|(name, _)| types.iter().any(|t| t == name)) {
            let floats = matches!(name, "F32" | "F16" | "BF16").then(|| numbers(name, k, n));
            let quantized = floats.is_none().then(|| blocks(dtype, name, k, n));
            for m in rows.iter().map(|m| m.parse::<usize>().expect("a number of rows")) {
                let x = theirs::Tensor::randn(0f32, 1., (m, k), &theirs::Device::Cpu).expect("numbers");
                let values = x.flatten_all().and_then(|x| x.to_vec1::<f32>()).expect("numbers");
                let mine = ours::Tensor::from_vec(values, (m, k), &ours::Device::Cpu).expect("numbers");
                let time = Duration::from_secs_f64(seconds);
                let (a, b) = if let Some((theirs, ours)) = &quantized {
                    medians(
                        time,
                        || drop(ours.matmul_t(&mine).expect("our product")),
                        || drop(theirs.forward(&x).expect("candle's product")),
                    )
                } else {
                    let (theirs, ours) = floats.as_ref().expect("numbers");
                    let mine = mine.to_dtype(ours.dtype()).expect("numbers");
                    let x = x.to_dtype(theirs.dtype()).expect("numbers");
                    medians(
                        time,
                        || drop(mine.matmul(ours).expect("our product")),
                        || drop(x.matmul(theirs).expect("candle's product")),
                    )
                };
                println!("{name:5} {m:4} x {size:11} {a:10.1} us, candle {b:10.1} us: {:.2}", a / b);
            }
        }
    }
}
