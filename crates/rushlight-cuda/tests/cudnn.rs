//! cuDNN's algorithms on an NVIDIA GPU: those that the library may take keep a NaN of the input where it belongs.
//!
//! `cargo test --release -p rushlight-cuda --test cudnn -- --ignored --nocapture` prints a line for each algorithm and problem.
use half::{bf16, f16};
use rushlight_cuda::{Conv, ConvConfig, Device, Direction, Dnn, DnnKind, Result};

/// Sizes of x, w and y, each with three spatial dimensions.
struct Sizes {
    x: [usize; 5],
    w: [usize; 5],
    y: [usize; 5],
}

fn config(direction: Direction, kind: DnnKind, c: &Problem) -> (ConvConfig, Sizes) {
    let y_size = |d: usize| (c.x[2 + d] + 2 * c.pad - c.dilation * (c.kernel - 1) - 1) / c.stride + 1;
    let n = c.x.len() - 2;
    let wide = |v: Vec<usize>| {
        let mut all = [1; 5];
        all[..2].copy_from_slice(&v[..2]);
        all[5 - n..].copy_from_slice(&v[2..]);
        all
    };
    let w: Vec<usize> = [c.out, c.x[1]].into_iter().chain(vec![c.kernel; n]).collect();
    let y: Vec<usize> = [c.x[0], c.out].into_iter().chain((0..n).map(y_size)).collect();
    let numbers = |v: &[usize]| v.iter().map(|n| *n as u64).collect::<Vec<_>>();
    let each = |v: usize| vec![v as u64; n];
    let made = ConvConfig {
        direction,
        kind,
        x: numbers(c.x),
        w: numbers(&w),
        y: numbers(&y),
        pads: each(c.pad),
        strides: each(c.stride),
        dilations: each(c.dilation),
        groups: 1,
    };
    (made, Sizes { x: wide(c.x.to_vec()), w: wide(w), y: wide(y) })
}

struct Problem {
    x: &'static [usize],
    out: usize,
    kernel: usize,
    pad: usize,
    stride: usize,
    dilation: usize,
}

/// Returns the number of the operand, among x, w and y, that the direction computes.
fn target(direction: Direction) -> usize {
    match direction {
        Direction::BackwardData => 0,
        Direction::BackwardWeights => 1,
        Direction::Forward => 2,
    }
}

/// Returns the position at an offset of a contiguous tensor.
fn position(offset: usize, sizes: &[usize; 5]) -> [usize; 5] {
    std::array::from_fn(|k| offset / sizes[k + 1..].iter().product::<usize>() % sizes[k])
}

/// Computes the operand `target` from the other two by plain loops; a product with NaN is NaN.
fn plain(target: usize, p: &Problem, s: &Sizes, all: &[Vec<f64>; 3]) -> Vec<f64> {
    let mut out = vec![0.0; all[target].len()];
    for y in 0..all[2].len() {
        let at = position(y, &s.y);
        for w in 0..all[1].len() {
            let tap = position(w, &s.w);
            if tap[0] != at[1] {
                continue;
            }
            let mut from = [at[0], tap[1], 0, 0, 0];
            let inside = (2..5).all(|k| {
                let real = s.x[k] > 1 || s.w[k] > 1;
                let (stride, pad, dilation) = if real { (p.stride, p.pad, p.dilation) } else { (1, 0, 1) };
                let v = (at[k] * stride + tap[k] * dilation).wrapping_sub(pad);
                from[k] = v;
                v < s.x[k]
            });
            if !inside {
                continue;
            }
            let x = (0..5).fold(0, |at, k| at * s.x[k] + from[k]);
            match target {
                0 => out[x] += all[1][w] * all[2][y],
                1 => out[w] += all[0][x] * all[2][y],
                _ => out[y] += all[0][x] * all[1][w],
            }
        }
    }
    out
}

fn encode(kind: DnnKind, v: f64) -> Vec<u8> {
    match kind {
        DnnKind::F32 => (v as f32).to_le_bytes().to_vec(),
        DnnKind::BF16 => bf16::from_f64(v).to_le_bytes().to_vec(),
        DnnKind::F16 => f16::from_f64(v).to_le_bytes().to_vec(),
    }
}

fn decode(kind: DnnKind, b: &[u8]) -> f64 {
    match kind {
        DnnKind::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        DnnKind::BF16 => bf16::from_le_bytes([b[0], b[1]]).to_f64(),
        DnnKind::F16 => f16::from_le_bytes([b[0], b[1]]).to_f64(),
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU with cuDNN"]
fn algorithms_and_a_nan() -> Result<()> {
    let device = Device::new(0)?;
    let mut dnn = Dnn::new(&device)?;
    println!("cuDNN {}", dnn.version()?);
    let mut wrong = Vec::new();
    let problems = [
        Problem { x: &[2, 3, 9, 8], out: 4, kernel: 3, pad: 1, stride: 1, dilation: 1 },
        Problem { x: &[2, 3, 9, 8], out: 4, kernel: 3, pad: 1, stride: 2, dilation: 1 },
        Problem { x: &[2, 3, 9, 8], out: 4, kernel: 2, pad: 0, stride: 1, dilation: 2 },
        Problem { x: &[1, 2, 4, 5, 5], out: 2, kernel: 2, pad: 0, stride: 2, dilation: 1 },
        Problem { x: &[1, 2, 4, 5, 5], out: 3, kernel: 3, pad: 1, stride: 1, dilation: 1 },
        Problem { x: &[1, 2, 1, 65], out: 3, kernel: 3, pad: 1, stride: 2, dilation: 1 },
    ];
    for direction in [Direction::Forward, Direction::BackwardData, Direction::BackwardWeights] {
        for (number, p) in problems.iter().enumerate() {
            for kind in [DnnKind::F32, DnnKind::F16, DnnKind::BF16] {
                let (c, sizes) = config(direction, kind, p);
                let count = |d: &[usize; 5]| d.iter().product::<usize>();
                let drawn = |n: usize, seed: usize| -> Vec<f64> {
                    (0..n).map(|i| ((i * 7919 + seed * 104_729 + i / 13) % 5) as f64 - 2.0).collect()
                };
                let mut all =
                    [drawn(count(&sizes.x), 1), drawn(count(&sizes.w), 2), drawn(count(&sizes.y), 3)];
                let odd = if direction == Direction::BackwardData { 2 } else { 0 };
                let middle = all[odd].len() / 3;
                all[odd][middle] = f64::NAN;
                let want = plain(target(direction), p, &sizes, &all);
                let conv = Conv::new(&dnn, &c)?;
                let mut at = [0; 3];
                for (k, v) in all.iter().enumerate() {
                    let bytes: Vec<u8> = v.iter().flat_map(|v| encode(kind, *v)).collect();
                    at[k] = device.alloc(bytes.len())?;
                    device.upload(at[k], &bytes)?;
                }
                let Ok(algorithms) = conv.algorithms(&mut dnn) else {
                    println!("{direction:?} {number} {kind:?}: none");
                    continue;
                };
                for a in algorithms {
                    let room = device.alloc(a.workspace().max(1) as usize)?;
                    let done = conv.run(&mut dnn, &a, at, (room, a.workspace()));
                    let size = if kind == DnnKind::F32 { 4 } else { 2 };
                    let mut bytes = vec![0; want.len() * size];
                    device.download(&mut bytes, at[target(direction)])?;
                    device.free(room)?;
                    let got: Vec<f64> = bytes.chunks(size).map(|b| decode(kind, b)).collect();
                    let pairs = || got.iter().zip(&want);
                    let spread = pairs().filter(|(g, w)| g.is_nan() && !w.is_nan()).count();
                    let lost = pairs().filter(|(g, w)| !g.is_nan() && w.is_nan()).count();
                    let error = pairs().filter(|(g, w)| !g.is_nan() && !w.is_nan());
                    let worst = error.map(|(g, w)| (g - w).abs() / w.abs().max(1.0)).fold(0.0, f64::max);
                    let line = format!(
                        "{direction:?} {number} {kind:?} algorithm {} deterministic {} fft {} winograd {}: {} \
                         NaNs of {} spread, {lost} lost, worst {worst:.1e} {}",
                        a.number(),
                        a.is_deterministic(),
                        a.is_fft(),
                        a.is_winograd(),
                        spread,
                        want.iter().filter(|w| w.is_nan()).count(),
                        done.err().map(|e| e.to_string()).unwrap_or_default(),
                    );
                    println!("{line}");
                    let unit = if kind == DnnKind::BF16 { 2f64.powi(-8) } else { 2f64.powi(-11) };
                    if a.is_faithful() && (spread + lost > 0 || worst > unit) {
                        wrong.push(line);
                    }
                }
                for at in at {
                    device.free(at)?;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
