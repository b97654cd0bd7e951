//! Times row kernels: casts, elementwise ops, copies of views, reductions and activations over many elements, ours and
//! candle's in the same run, alternately; the least time of many rounds each, in nanoseconds for 1,000 elements.
//!
//! `RUSHLIGHT_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --manifest-path benches/peers/Cargo.toml --bin rows`; a
//! further argument keeps the cases whose name contains it. The program uses only functions that every version of the
//! library has, so that a copy of it can measure an older version.
use candle_core as theirs;
use rushlight as ours;
use std::time::{Duration, Instant};

/// A case: its name, the elements that a call visits, and the call of each side.
struct Case {
    name: String,
    elements: usize,
    ours: Box<dyn Fn()>,
    theirs: Option<Box<dyn Fn()>>,
}

/// Returns the nanoseconds of the fastest call of each side.
fn least(case: &Case, time: Duration) -> (f64, Option<f64>) {
    let once = |f: &dyn Fn()| {
        let start = Instant::now();
        f();
        start.elapsed().as_nanos() as f64
    };
    let (mut a, mut b) = (f64::INFINITY, f64::INFINITY);
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 5 || start.elapsed() < time {
        a = a.min(once(&case.ours));
        if let Some(f) = &case.theirs {
            b = b.min(once(f));
        }
        rounds += 1;
    }
    (a, case.theirs.is_some().then_some(b))
}

/// Returns values from -4 to 4 with a long period.
fn values(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919) % 8191) as f32 / 1024.0 - 4.0).collect()
}

fn mine(dims: &[usize], dtype: ours::DType) -> ours::Tensor {
    let n = dims.iter().product();
    ours::Tensor::from_vec(values(n), dims, &ours::Device::Cpu)
        .and_then(|t| t.to_dtype(dtype))
        .expect("tensor")
}

fn peer(dims: &[usize], dtype: theirs::DType) -> theirs::Tensor {
    let n = dims.iter().product();
    theirs::Tensor::from_vec(values(n), dims, &theirs::Device::Cpu)
        .and_then(|t| t.to_dtype(dtype))
        .expect("tensor")
}

/// Rows and columns of most cases: inputs of 1 MiB in f32.
const DIMS: [usize; 2] = [256, 1024];

/// All cases; a side whose call fails once is left out (candle lacks some).
fn cases() -> Vec<Case> {
    let mut all: Vec<Case> = Vec::new();
    let n = DIMS[0] * DIMS[1];
    macro_rules! case {
        ($name:expr, $elements:expr, [$($d:ident),*], $dims:expr, |$x:ident, $y:ident| $call:expr) => {$({
            let dims: &[[usize; 4]; 2] = &$dims;
            let pick = |d: &[usize; 4]| d.iter().copied().filter(|d| *d > 0).collect::<Vec<_>>();
            let (a, b) = (pick(&dims[0]), pick(&dims[1]));
            let our_call = {
                #[allow(unused_variables)]
                let ($x, $y) = (mine(&a, ours::DType::$d), mine(&b, ours::DType::$d));
                let _ = (&$x, &$y);
                move || $call.map(|t| drop(std::hint::black_box(t))).is_ok()
            };
            let their_call = {
                #[allow(unused_variables)]
                let ($x, $y) = (peer(&a, theirs::DType::$d), peer(&b, theirs::DType::$d));
                let _ = (&$x, &$y);
                move || $call.map(|t| drop(std::hint::black_box(t))).is_ok()
            };
            assert!(our_call(), "{}", $name);
            let has = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&their_call)).unwrap_or(false);
            all.push(Case {
                name: format!("{} {}", $name, ours::DType::$d.as_str()),
                elements: $elements,
                ours: Box::new(move || assert!(our_call())),
                theirs: has.then(|| Box::new(move || assert!(their_call())) as Box<dyn Fn()>),
            });
        })*};
    }
    const ONE: [[usize; 4]; 2] = [[DIMS[0], DIMS[1], 0, 0], [1, 1, 0, 0]];
    const TWO: [[usize; 4]; 2] = [[DIMS[0], DIMS[1], 0, 0], [DIMS[0], DIMS[1], 0, 0]];
    const COLUMN: [[usize; 4]; 2] = [[DIMS[0], DIMS[1], 0, 0], [DIMS[0], 1, 0, 0]];
    const ROW: [[usize; 4]; 2] = [[DIMS[0], DIMS[1], 0, 0], [1, DIMS[1], 0, 0]];
    const SHORT: [[usize; 4]; 2] = [[8192, 32, 0, 0], [8192, 1, 0, 0]];
    const SHORT_ROW: [[usize; 4]; 2] = [[8192, 32, 0, 0], [1, 32, 0, 0]];
    const SQUARE: [[usize; 4]; 2] = [[512, 512, 0, 0], [512, 512, 0, 0]];
    const IMAGES: [[usize; 4]; 2] = [[8, 32, 32, 32], [8, 32, 32, 32]];
    // Views.
    case!("permute nchw->nhwc", n, [F32, BF16, F64, U8], IMAGES, |x, y| x
        .permute((0, 2, 3, 1))
        .and_then(|t| t.contiguous()));
    case!("permute nhwc->nchw", n, [F32, BF16], IMAGES, |x, y| x
        .permute((0, 3, 1, 2))
        .and_then(|t| t.contiguous()));
    case!("transpose", n, [F32, BF16, U8], SQUARE, |x, y| x.t().and_then(|t| t.contiguous()));
    case!("heads", n, [F32], [[8, 128, 8, 32], [1, 1, 0, 0]], |x, y| x
        .transpose(1, 2)
        .and_then(|t| t.contiguous()));
    case!("narrow", n / 2, [F32, BF16], ONE, |x, y| x.narrow(1, 256, 512).and_then(|t| t.contiguous()));
    case!("narrow short", n / 2, [F32], SHORT, |x, y| x.narrow(1, 8, 16).and_then(|t| t.contiguous()));
    case!("expand column", n, [F32], COLUMN, |x, y| y
        .broadcast_as((DIMS[0], DIMS[1]))
        .and_then(|t| t.contiguous()));
    case!("exp of transposed", n, [F32], SQUARE, |x, y| x.t().and_then(|t| t.exp()));
    case!("relu of nhwc view", n, [F32], IMAGES, |x, y| x.permute((0, 2, 3, 1)).and_then(|t| t.relu()));
    // Casts.
    macro_rules! cast {
        ($($from:ident => $($to:ident),*;)*) => {$($(
            all.push({
                let x = mine(&DIMS, ours::DType::$from);
                let y = peer(&DIMS, theirs::DType::$from);
                Case {
                    name: format!("cast {} -> {}", ours::DType::$from.as_str(), ours::DType::$to.as_str()),
                    elements: n,
                    ours: Box::new(move || drop(std::hint::black_box(x.to_dtype(ours::DType::$to).expect("cast")))),
                    theirs: Some(Box::new(move || drop(std::hint::black_box(y.to_dtype(theirs::DType::$to).expect("cast"))))),
                }
            });
        )*)*};
    }
    macro_rules! cast_ours {
        ($($from:ident => $($to:ident),*;)*) => {$($(
            all.push({
                let x = mine(&DIMS, ours::DType::$from);
                Case {
                    name: format!("cast {} -> {}", ours::DType::$from.as_str(), ours::DType::$to.as_str()),
                    elements: n,
                    ours: Box::new(move || drop(std::hint::black_box(x.to_dtype(ours::DType::$to).expect("cast")))),
                    theirs: None,
                }
            });
        )*)*};
    }
    cast! {
        F32 => BF16, F16, F64, I64, I32, I16, U32, U8;
        BF16 => F32, F16, F64, U8;
        F16 => F32, BF16, F64, U8;
        F64 => F32, BF16, F16, I64, U8;
        I64 => F32, F64, I32, U32, U8, BF16, F16;
        I32 => F32, F64, I64, U8;
        I16 => F32, I32, I64;
        U32 => F32, I64, U8, I32;
        U8 => F32, F64, BF16, F16, I64, U32, I32;
    }
    cast_ours! {
        I8 => I32, I64, F32, I16;
        I32 => I8, BF16;
        I64 => I8, Bool;
        U64 => F32, I64;
        F32 => I8, Bool, U64, F8E4M3, C64;
        F8E4M3 => F32;
        Bool => F32, I64, I32, U8, BF16;
    }
    // Two operands.
    case!("add", n, [F32, F64, BF16, F16, I32, I64, U8], TWO, |x, y| x.add(&y));
    case!("mul", n, [F32, BF16], TWO, |x, y| x.mul(&y));
    case!("div", n, [F32], TWO, |x, y| x.div(&y));
    case!("maximum", n, [F32, BF16, I64], TWO, |x, y| x.maximum(&y));
    case!("add column", n, [F32, BF16, I64], COLUMN, |x, y| x.broadcast_add(&y));
    case!("add row", n, [F32, BF16], ROW, |x, y| x.broadcast_add(&y));
    case!("add scalar tensor", n, [F32, BF16], ONE, |x, y| x.broadcast_add(&y));
    case!("add short column", n, [F32, BF16], SHORT, |x, y| x.broadcast_add(&y));
    case!("add short row", n, [F32, BF16], SHORT_ROW, |x, y| x.broadcast_add(&y));
    case!("add transposed", n, [F32, BF16], SQUARE, |x, y| x.t().and_then(|t| t.add(&y)));
    case!("lt", n, [F32, BF16, I64], TWO, |x, y| x.lt(&y));
    case!("eq", n, [F32, U8], TWO, |x, y| x.eq(&y));
    case!("where", n, [F32], TWO, |x, y| x.lt(&y).and_then(|c| c.where_cond(&x, &y)));
    case!("affine", n, [F32, BF16, I64], TWO, |x, y| x.affine(2.0, 1.0));
    // One operand.
    case!("relu", n, [F32, BF16, I64], TWO, |x, y| x.relu());
    case!("neg", n, [F32, BF16, I64], TWO, |x, y| x.neg());
    case!("abs", n, [F32], TWO, |x, y| x.abs());
    case!("sqr", n, [F32, BF16], TWO, |x, y| x.sqr());
    case!("sqrt", n, [F32], TWO, |x, y| x.sqrt());
    case!("floor", n, [F32], TWO, |x, y| x.floor());
    case!("exp", n, [F32, BF16, F64], TWO, |x, y| x.exp());
    case!("tanh", n, [F32], TWO, |x, y| x.tanh());
    case!("erf", n, [F32], TWO, |x, y| x.erf());
    case!("gelu", n, [F32, BF16, F64], TWO, |x, y| x.gelu());
    case!("gelu_erf", n, [F32, BF16, F64], TWO, |x, y| x.gelu_erf());
    case!("silu", n, [F32, BF16, F64], TWO, |x, y| x.silu());
    all.push({
        let x = mine(&DIMS, ours::DType::F32);
        Case {
            name: "sigmoid f32".into(),
            elements: n,
            ours: Box::new(move || drop(std::hint::black_box(x.sigmoid()))),
            theirs: None,
        }
    });
    case!("elu", n, [F32], TWO, |x, y| x.elu(1.0));
    case!("powf", n, [F32], TWO, |x, y| x.powf(2.0));
    // Reductions.
    case!("sum all", n, [F32, BF16, I64], TWO, |x, y| x.sum_all());
    case!("sum dim 0", n, [F32, BF16, I64], TWO, |x, y| x.sum(0));
    case!("sum dim 1", n, [F32, BF16, F16, I64, U8], TWO, |x, y| x.sum(1));
    case!("sum dim 1 short", n, [F32, BF16], SHORT, |x, y| x.sum(1));
    case!("sum of transposed", n, [F32, BF16], SQUARE, |x, y| x.t().and_then(|t| t.sum(1)));
    case!("sum 0 2 3", n, [F32, BF16], IMAGES, |x, y| x.sum((0, 2, 3)));
    case!("mean dim 1", n, [F32, BF16], TWO, |x, y| x.mean(1));
    case!("max dim 0", n, [F32, BF16, I64], TWO, |x, y| x.max(0));
    case!("max dim 1", n, [F32, BF16, I64], TWO, |x, y| x.max(1));
    case!("argmax dim 1", n, [F32, BF16], TWO, |x, y| x.argmax(1));
    case!("argmax dim 0", n, [F32], TWO, |x, y| x.argmax(0));
    case!("cumsum", n, [F32], [[32, 1024, 0, 0], [1, 1, 0, 0]], |x, y| x.cumsum(1));
    // Movements.
    case!("cat dim 1", n, [F32], [[256, 512, 0, 0], [256, 512, 0, 0]], |x, y| cat(&x, &y));
    case!("flip", n, [F32], TWO, |x, y| x.flip(&[1]));
    all
}

/// Joins two tensors of either library along the columns.
fn cat<T: Join>(x: &T, y: &T) -> Result<T, ()> {
    T::join(x, y)
}

trait Join: Sized {
    fn join(x: &Self, y: &Self) -> Result<Self, ()>;
}
impl Join for ours::Tensor {
    fn join(x: &Self, y: &Self) -> Result<Self, ()> {
        Self::cat(&[x, y], 1).map_err(drop)
    }
}
impl Join for theirs::Tensor {
    fn join(x: &Self, y: &Self) -> Result<Self, ()> {
        Self::cat(&[x, y], 1).map_err(drop)
    }
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let time = std::env::var("ROWS_MS").ok().and_then(|v| v.parse().ok()).unwrap_or(150);
    for case in cases().iter().filter(|c| c.name.contains(&wanted)) {
        let (a, b) = least(case, Duration::from_millis(time));
        let per = |v: f64| v * 1000.0 / case.elements as f64;
        match b {
            Some(b) => println!("{:28} {:9.1} {:9.1} {:7.2}", case.name, per(a), per(b), a / b),
            None => println!("{:28} {:9.1} {:>9} {:>7}", case.name, per(a), "-", "-"),
        }
    }
}
