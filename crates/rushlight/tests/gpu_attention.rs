//! Attention in f16 and bf16 at the sizes of the kernels on matrix units, compared with f64 on the CPU. Ignored by default, see
//! `gpu.rs`.
mod common;
use common::device::gpu;
use common::report::{Check, Report, as_f64, text};
use rushlight::ops::Op;
use rushlight::ops::attention::Attention;
use rushlight::ops::dropout::Dropout;
use rushlight::{DType, Device, Result, Tensor};

const PLAIN: Attention = Attention {
    scale: 0.25,
    causal: false,
    masked: false,
    biased: false,
    packed: false,
    dropout: Dropout { p: 0.0, key: (0, 0) },
};
const CAUSAL: Attention = Attention { causal: true, ..PLAIN };

/// Numbers of `[-2, 2]`, rounded to the dtype.
fn numbers(shape: &[usize], dtype: DType, seed: usize) -> Result<Tensor> {
    let number = |i: usize| {
        let h = (i + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let h = (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((h >> 40) as f32 / 16_777_216.0 - 0.5) * 4.0
    };
    let n = shape.iter().product();
    Tensor::from_vec::<_, f32>((0..n).map(number).collect(), shape, &Device::Cpu)?.to_dtype(dtype)
}

/// Batch, heads, groups, queries, keys, the sizes of a key and of a value.
type Sizes = [usize; 7];

/// Queries, keys, values, and the masks that the op has.
fn inputs(
    op: &Attention,
    [batch, heads, groups, queries, keys, depth, width]: Sizes,
    dtype: DType,
) -> Result<Vec<Tensor>> {
    let mut ins = vec![
        numbers(&[batch, heads, queries, depth], dtype, 1)?,
        numbers(&[batch, groups, keys, depth], dtype, 2)?,
        numbers(&[batch, groups, keys, width], dtype, 3)?,
    ];
    let weights = [batch, heads, queries, keys];
    if op.masked {
        ins.push(numbers(&weights, DType::F32, 4)?.gt(-0.5)?.to_dtype(DType::Bool)?);
    }
    if op.biased {
        ins.push(numbers(&weights, dtype, 5)?);
    }
    Ok(ins)
}

/// Compares the result with that in f64. Each weight may be rounded once, to the dtype, and the result once more: half a unit of the
/// mean magnitude of the values, and of the result. Scores are rounded in f32, which is far less.
fn check(op: &Attention, ins: &[Tensor], there: &[Tensor]) -> Check {
    let dtype = ins[0].dtype();
    let wide: Vec<Tensor> = ins
        .iter()
        .map(|t| if t.dtype() == dtype { t.to_dtype(DType::F64) } else { Ok(t.clone()) })
        .collect::<Result<_>>()
        .map_err(|e| e.to_string())?;
    let mut positive = wide.clone();
    positive[2] = text(wide[2].abs())?;
    let run = |ins: &[Tensor]| Op::Attention(*op).run(ins).map(|all| all[0].clone());
    let (want, mean) = (text(run(&wide))?, text(run(&positive))?);
    let got = text(text(run(there))?.to_device(&Device::Cpu))?;
    if got.shape() != want.shape() || got.dtype() != dtype {
        return Err(format!("{:?} {:?}", got.shape(), got.dtype()));
    }
    let half_unit = 2f64.powi(if dtype == DType::F16 { -11 } else { -8 });
    let (got, want, mean) = (as_f64(&got)?, as_f64(&want)?, as_f64(&mean)?);
    for (i, ((g, w), m)) in got.iter().zip(&want).zip(&mean).enumerate() {
        let bound = half_unit * (1.02 * w.abs() + 1.05 * m);
        let fine = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= bound;
        if !fine {
            return Err(format!("element {i} is {g:e} instead of {w:e}, bound {bound:e}"));
        }
    }
    Ok(())
}

fn moved(ins: &[Tensor], device: &Device) -> std::result::Result<Vec<Tensor>, String> {
    ins.iter().map(|t| text(t.to_device(device))).collect()
}

/// All sizes of heads, tiles that are not whole, heads that share keys, masks and biases.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn results_are_those_in_f64() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let masked = Attention { masked: true, ..PLAIN };
    let biased = Attention { biased: true, ..PLAIN };
    let all = Attention { masked: true, biased: true, causal: true, ..PLAIN };
    let cases: [(Attention, Sizes); 14] = [
        (PLAIN, [1, 1, 1, 1, 1, 8, 8]),
        (PLAIN, [2, 2, 1, 33, 70, 32, 32]),
        (CAUSAL, [1, 2, 1, 150, 200, 32, 24]),
        (PLAIN, [1, 2, 2, 128, 128, 64, 64]),
        (CAUSAL, [2, 4, 2, 131, 131, 64, 64]),
        (CAUSAL, [1, 1, 1, 260, 90, 64, 40]),
        (masked, [1, 2, 1, 40, 100, 48, 64]),
        (PLAIN, [1, 2, 1, 130, 129, 128, 128]),
        (CAUSAL, [1, 2, 1, 200, 333, 128, 128]),
        (biased, [2, 1, 1, 70, 65, 96, 112]),
        (all, [1, 4, 2, 90, 150, 128, 72]),
        (PLAIN, [1, 1, 1, 129, 70, 256, 256]),
        (CAUSAL, [1, 2, 1, 70, 101, 256, 136]),
        (all, [1, 2, 1, 33, 65, 160, 256]),
    ];
    for dtype in [DType::F16, DType::BF16] {
        for (op, sizes) in cases {
            r.case(&format!("{dtype:?} {sizes:?} {op:?}"), || {
                let ins = text(inputs(&op, sizes, dtype))?;
                check(&op, &ins, &moved(&ins, &device)?)
            });
        }
        // Queries [B, L, H, D], a slice of keys and values side by side, a mask and a bias that are shared by queries and heads.
        r.case(&format!("{dtype:?} strides"), || {
            let ins = text(inputs(&all, [2, 4, 2, 70, 90, 64, 64], dtype))?;
            let mut there = moved(&ins, &device)?;
            there[0] =
                text(there[0].transpose(1, 2).and_then(|t| t.contiguous()).and_then(|t| t.transpose(1, 2)))?;
            let both = text(Tensor::cat(&[&there[1], &there[2]], 3))?;
            there[1] = text(both.narrow(3, 0, 64))?;
            there[2] = text(both.narrow(3, 64, 64))?;
            let mut ins = ins;
            for i in [3, 4] {
                let row = text(ins[i].narrow(1, 0, 1).and_then(|t| t.narrow(2, 3, 1)))?;
                ins[i] = text(row.broadcast_as([2, 4, 70, 90]))?;
                there[i] = text(text(row.to_device(&device))?.broadcast_as([2, 4, 70, 90]))?;
            }
            check(&all, &ins, &there)
        });
        // A key far above the others in the last tile: earlier results shrink to nothing. And one that is far below.
        for factor in [100.0, -100.0] {
            r.case(&format!("{dtype:?} peak {factor}"), || {
                let mut ins = text(inputs(&PLAIN, [1, 1, 1, 40, 200, 64, 64], dtype))?;
                let last = text(ins[0].narrow(2, 0, 1).and_then(|t| t.affine(factor, 0.0)))?;
                ins[1] = text(Tensor::cat(&[&text(ins[1].narrow(2, 0, 199))?, &last], 2))?;
                check(&PLAIN, &ins, &moved(&ins, &device)?)
            });
        }
        // Many weights that are small beside the largest one, but not together: the first key's weight is 2^14 times the others'.
        r.case(&format!("{dtype:?} small weights"), || {
            let mut ins = text(inputs(&biased, [1, 1, 1, 3, 5000, 8, 8], dtype))?;
            ins[0] = text(ins[0].affine(0.0, 0.0))?;
            let rest = text(ins[3].narrow(3, 1, 4999).and_then(|t| t.affine(0.0, 0.0)))?;
            let first = text(ins[3].narrow(3, 0, 1).and_then(|t| t.affine(0.0, 10.0)))?;
            ins[3] = text(Tensor::cat(&[&first, &rest], 3))?;
            check(&biased, &ins, &moved(&ins, &device)?)
        });
    }
    r.finish(30);
}

/// Packed sequences, some of which are empty, and rows after the last one.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn packed_sequences_are_those_in_f64() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in [DType::F16, DType::BF16] {
        for (causal, depth, width) in [(false, 64, 64), (true, 64, 32), (true, 128, 128), (false, 256, 72)] {
            r.case(&format!("{dtype:?} {causal} {depth} {width}"), || {
                let op = Attention { packed: true, causal, ..PLAIN };
                let mut ins = text(inputs(&op, [1, 2, 1, 310, 400, depth, width], dtype))?;
                for offsets in [[0i64, 3, 3, 140, 300, 305], [0i64, 70, 90, 90, 390, 393]] {
                    ins.push(text(Tensor::new(&offsets, &Device::Cpu))?);
                }
                check(&op, &ins, &moved(&ins, &device)?)
            });
        }
    }
    r.finish(8);
}

/// NaN and infinities: those of excluded keys and values change nothing, others give what f64 gives.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn numbers_that_are_not_finite_are_those_in_f64() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let sizes = [1, 2, 1, 140, 150, 64, 72];
    for dtype in [DType::F16, DType::BF16] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            // Inputs 1 and 2: the last key or value, which the mask excludes or which no early query sees.
            for (op, which) in [(CAUSAL, 1), (CAUSAL, 2), (PLAIN, 0), (PLAIN, 2), (CAUSAL, 0)] {
                r.case(&format!("{dtype:?} {bad} of input {which} {op:?}"), || {
                    let mut ins = text(inputs(&op, sizes, dtype))?;
                    let n = ins[which].dims()[2];
                    let row = text(ins[which].narrow(2, 100, 1).and_then(|t| t.affine(0.0, bad)))?;
                    let (above, below) =
                        (text(ins[which].narrow(2, 0, 100))?, text(ins[which].narrow(2, 101, n - 101))?);
                    ins[which] = text(Tensor::cat(&[&above, &row, &below], 2))?;
                    check(&op, &ins, &moved(&ins, &device)?)
                });
            }
        }
        // The last wave has 4 queries, none of which sees the value, and lanes without a query.
        r.case(&format!("{dtype:?} a value that no query sees"), || {
            let mut ins = text(inputs(&CAUSAL, [1, 2, 1, 100, 150, 64, 72], dtype))?;
            let row = text(ins[2].narrow(2, 110, 1).and_then(|t| t.affine(0.0, f64::NAN)))?;
            let (above, below) = (text(ins[2].narrow(2, 0, 110))?, text(ins[2].narrow(2, 111, 39))?);
            ins[2] = text(Tensor::cat(&[&above, &row, &below], 2))?;
            check(&CAUSAL, &ins, &moved(&ins, &device)?)
        });
        // A bias of negative infinity excludes keys, for some queries all of them.
        r.case(&format!("{dtype:?} bias"), || {
            let op = Attention { biased: true, masked: true, ..PLAIN };
            let mut ins = text(inputs(&op, sizes, dtype))?;
            let none = text(ins[4].narrow(2, 0, 5).and_then(|t| t.affine(0.0, f64::NEG_INFINITY)))?;
            ins[4] = text(Tensor::cat(&[&none, &text(ins[4].narrow(2, 5, 135))?], 2))?;
            check(&op, &ins, &moved(&ins, &device)?)
        });
    }
    r.finish(30);
}
