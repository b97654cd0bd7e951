//! Numbers that are hard to handle, and sizes at which kernels choose another variant, on the GPU compared with the
//! CPU: zeros of both signs, subnormals, the smallest and largest numbers, infinities, NaN, sums that cancel; no
//! elements, one element, and sizes close to those of a group, a wave, a block and a chunk. (Elementwise ops are
//! covered by `parity.rs` of crate rushlight-parity.) Ignored by default, see `gpu.rs`.
mod common;
use common::device::{Bound, compare, gpu};
use common::report::{Check, Report, text};
use rushlight::ops::arg_sort::ArgSort;
use rushlight::ops::binary::{Binary, BinaryOp};
use rushlight::ops::cast::Cast;
use rushlight::ops::cmp::{Cmp, CmpOp};
use rushlight::ops::cumsum::CumSum;
use rushlight::ops::reduce::{Reduce, ReduceOp};
use rushlight::ops::softmax::Softmax;
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::ops::{Op, Reduction};
use rushlight::quantized::{ALL, GgmlDType, QStorage, QTensor};
use rushlight::{DType, Device, Result, Tensor};
use rushlight_parity::sweep::{Form, fill_storage, lay};
use rushlight_parity::{agrees, hard_numbers};

/// Compares an op's result, or its error, on the device with that on the CPU. The inputs are on the CPU.
fn same(device: &Device, op: &Op, ins: &[Tensor]) -> Check {
    same_in(device, op, ins, Form::Contiguous)
}

/// Same as `same`, with the first input laid out according to `form`.
fn same_in(device: &Device, op: &Op, ins: &[Tensor], form: Form) -> Check {
    let form_of = |i: usize| if i == 0 { form } else { Form::Contiguous };
    let moved: Result<Vec<Tensor>> =
        ins.iter().enumerate().map(|(i, t)| lay(&t.to_device(device)?, form_of(i))).collect();
    match (op.run(ins), op.run(&text(moved)?)) {
        (Ok(want), Ok(got)) => {
            agrees(op, ins, &got[0], &want[0])?;
            drop(got);
            // With guard bands, writes outside of a block are reported when it is freed.
            text(device.synchronize())
        }
        (Err(want), Err(got)) if want.to_string() == got.to_string() => Ok(()),
        (want, got) => Err(format!("{:?}, on the CPU {:?}", got.err(), want.err())),
    }
}

fn takes(op: &Op, dtype: DType) -> bool {
    op.inputs()[0].dtypes.contains(dtype)
}

/// Returns the numbers of a dtype that are hard to handle.
fn special(dtype: DType) -> Result<Tensor> {
    let v = fill_storage(dtype, &hard_numbers(dtype, true))?;
    let n = v.len();
    let all = Tensor::from_cpu_storage(v, n, &Device::Cpu)?;
    // Numbers next to the ends of the range, which f64 does not represent.
    let next = Tensor::new(&[i64::MIN + 1, i64::MAX - 1], &Device::Cpu)?.to_dtype(dtype)?;
    if dtype.is_int() { Tensor::cat(&[all, next], 0) } else { Ok(all) }
}

const NUMBERS: [DType; 12] = [
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::U32,
    DType::I32,
    DType::U64,
    DType::I64,
    DType::BF16,
    DType::F16,
    DType::F32,
    DType::F64,
];

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn hard_numbers_of_reductions_and_sorts() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in NUMBERS {
        let x = special(dtype).expect("numbers");
        let n = x.elem_count();
        // Lines that begin at each of the numbers, and a line of numbers that cancel.
        let turned: Vec<Tensor> = (0..n).map(|i| x.roll(i as i32, 0).expect("a line")).collect();
        let big = Tensor::stack(&turned, 0).expect("lines");
        let cancel = Tensor::new(&[3e38f64, 1.0, -3e38, 1e-3, 7e4, -7e4, 1e30, -1e30], &Device::Cpu)
            .and_then(|t| t.to_dtype(dtype))
            .and_then(|t| t.reshape((1, 8)))
            .and_then(|t| t.broadcast_as((3, 8)))
            .and_then(|t| t.contiguous())
            .expect("a line");
        for (what, x) in [("hard", &big), ("cancel", &cancel)] {
            let mut ops = vec![
                Op::ArgSort(ArgSort::all(1, false, DType::U32)),
                Op::ArgSort(ArgSort::all(0, true, DType::I64)),
                Op::CumSum(CumSum { dim: 1, reverse: false }),
                Op::Softmax(Softmax { dim: 1, log: false }),
                Op::Softmax(Softmax { dim: 0, log: true }),
            ];
            for &op in ReduceOp::ALL {
                let out = match op {
                    ReduceOp::ArgMin | ReduceOp::ArgMax => DType::I64,
                    ReduceOp::Any | ReduceOp::All => DType::Bool,
                    _ => dtype,
                };
                ops.extend([1, 2, 3].map(|axes| Op::Reduce(Reduce { op, axes, keepdim: false, dtype: out })));
            }
            for op in ops.iter().filter(|o| takes(o, dtype)) {
                r.case(&format!("{}/{what}/{op:?}/{dtype:?}", op.name()), || {
                    same(&device, op, std::slice::from_ref(x))
                });
            }
        }
    }
    r.finish(500);
}

const SIZES: [usize; 16] = [0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 4097, 65_537];

/// Returns values with ties, both signs and fractions.
fn data(n: usize, dtype: DType) -> Result<Tensor> {
    let v = (0..n).map(|i| ((i * 7919 + i / 7) % 257) as f64 / 16.0 - 8.0).collect();
    let t = Tensor::from_vec::<_, f64>(v, n, &Device::Cpu)?;
    if dtype.is_int() { t.to_dtype(DType::I64)?.to_dtype(dtype) } else { t.to_dtype(dtype) }
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn sizes_of_elementwise_ops_and_lines() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for n in SIZES {
        for dtype in [DType::F32, DType::F16, DType::I8, DType::F64] {
            let x = data(n, dtype).expect("data");
            let y = data(n, dtype).and_then(|y| y.flip(&[0])).and_then(|y| y.contiguous()).expect("data");
            let ops = [
                Op::Unary(Unary(UnaryOp::Neg)),
                Op::Unary(Unary(UnaryOp::Exp)),
                Op::Cast(Cast(DType::F64)),
                Op::Cast(Cast(DType::U8)),
                Op::CumSum(CumSum { dim: 0, reverse: true }),
                Op::ArgSort(ArgSort::all(0, false, DType::U32)),
                Op::Softmax(Softmax { dim: 0, log: false }),
                Op::Reduce(Reduce { op: ReduceOp::Sum, axes: 1, keepdim: false, dtype }),
                Op::Reduce(Reduce { op: ReduceOp::Max, axes: 1, keepdim: false, dtype }),
                Op::Reduce(Reduce { op: ReduceOp::ArgMin, axes: 1, keepdim: false, dtype: DType::U32 }),
            ];
            for op in ops.iter().filter(|o| takes(o, dtype)) {
                // With an offset, addresses are not aligned to packs of 16 bytes.
                for form in [Form::Contiguous, Form::Offset, Form::Stepped] {
                    r.case(&format!("{}/{op:?}/{dtype:?}/{n}/{form:?}", op.name()), || {
                        same_in(&device, op, std::slice::from_ref(&x), form)
                    });
                }
            }
            for op in [Op::Binary(Binary(BinaryOp::Add)), Op::Cmp(Cmp { op: CmpOp::Lt, dtype: DType::U8 })] {
                for form in [Form::Contiguous, Form::Offset] {
                    r.case(&format!("{}/{dtype:?}/{n}/{form:?}", op.name()), || {
                        same_in(&device, &op, &[x.clone(), y.clone()], form)
                    });
                }
            }
        }
    }
    r.finish(1000);
}

/// Runs a method on the device and on the CPU.
type Method = fn(&Tensor) -> Result<Tensor>;

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn moves_index_ops_and_losses_agree_with_the_cpu_at_many_sizes() {
    let (device, _) = gpu();
    let mut r = Report::new();
    // On a matrix of n lines of 3 elements: methods that gather, broadcast, move and count.
    let methods: [(&str, Method); 9] = [
        ("index_select", |x| x.index_select(&ids(x)?, 0)),
        ("gather", |x| x.gather(&ids(x)?.reshape((x.dim(0)?, 1))?.broadcast_as(x.shape())?.contiguous()?, 0)),
        ("index_add", |x| x.index_add(&ids(x)?, x, 0)),
        ("scatter_add", |x| x.scatter_add(&ids(x)?.reshape((x.dim(0)?, 1))?.repeat((1, 3))?, x, 0)),
        ("transpose", |x| x.t()?.copy()),
        ("flip", |x| x.flip(&[0])),
        ("cat", |x| Tensor::cat(&[x, &x.affine(2.0, 0.0)?], 1)),
        ("where_cond", |x| x.gt(0.0)?.where_cond(x, &x.neg()?)),
        ("cross_entropy", |x| {
            let target =
                ids(x)?.to_dtype(DType::F64)?.affine(1.0, 0.0)?.minimum(2.0)?.to_dtype(DType::U32)?;
            x.cross_entropy(&target, Reduction::None, -100, 0.0)
        }),
    ];
    for n in SIZES {
        for dtype in [DType::F32, DType::F16] {
            let x = data(3 * n, dtype).and_then(|x| x.reshape((n, 3))).expect("data");
            for (name, f) in methods {
                r.case(&format!("{name}/{dtype:?}/{n}"), || {
                    let (got, want) = (f(&text(x.to_device(&device))?), f(&x));
                    match (got, want) {
                        (Ok(got), Ok(want)) if name == "cross_entropy" => {
                            common::device::compare(&common::device::Bound::Scaled(8.0), &got, &want)
                        }
                        (Ok(got), Ok(want)) => {
                            common::device::compare(&common::device::Bound::Exact, &got, &want)
                        }
                        (Err(got), Err(want)) if got.to_string() == want.to_string() => Ok(()),
                        (got, want) => Err(format!("{:?}, on the CPU {:?}", got.err(), want.err())),
                    }
                });
            }
        }
    }
    r.finish(200);
}

/// Returns line numbers, some of them repeated.
fn ids(x: &Tensor) -> Result<Tensor> {
    let n = x.dim(0)?;
    Tensor::from_vec((0..n).map(|i| ((i * 31 + i / 3) % n) as u32).collect::<Vec<_>>(), n, x.device())
}

/// Returns small integers from -2 to 2.
fn integers(shape: (usize, usize), seed: usize) -> Result<Tensor> {
    let n = shape.0 * shape.1;
    let v = (0..n).map(|i| ((i * 7919 + seed * 31 + i / 13 * 5) % 5) as f32 - 2.0).collect();
    Tensor::from_vec::<_, f32>(v, shape, &Device::Cpu)
}

/// Scales of blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scales {
    /// 1/4.
    Usual,
    /// Those of every third block are infinite, NaN or -0.
    Special,
    /// Three times the smallest subnormal number.
    Subnormal,
}

/// Returns rows of blocks whose numbers are small multiples of a number, so that sums of them are exact in any order.
fn rows_of_blocks(format: GgmlDType, rows: usize, k: usize, scales: Scales) -> Result<Tensor> {
    if format.block_size() == 1 && scales == Scales::Usual {
        return Ok(QTensor::quantize(&integers((rows, k), 3)?, format)?.blocks().clone());
    }
    let size = format.type_size();
    let bytes = rows * k / format.block_size() * size;
    let mut v: Vec<u8> =
        (0..bytes as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    // Positions of scales and minima, and their bits: 1/4, and special values.
    let (at, usual, special): (&[usize], u32, [u32; 3]) = match format {
        GgmlDType::F32 | GgmlDType::Q8K => (&[0], 0x3e80_0000, [0x7f80_0000, 0x7fc0_0000, 0x8000_0000]),
        GgmlDType::BF16 => (&[0], 0x3e80, [0x7f80, 0x7fc0, 0x8000]),
        GgmlDType::Q4_1 | GgmlDType::Q5_1 | GgmlDType::Q8_1 | GgmlDType::Q4K | GgmlDType::Q5K => {
            (&[0, 2], 0x3400, [0x7c00, 0x7e00, 0x8000])
        }
        GgmlDType::Q2K => (&[80, 82], 0x3400, [0x7c00, 0x7e00, 0x8000]),
        GgmlDType::Q3K => (&[108], 0x3400, [0x7c00, 0x7e00, 0x8000]),
        GgmlDType::Q6K => (&[208], 0x3400, [0x7c00, 0x7e00, 0x8000]),
        _ => (&[0], 0x3400, [0x7c00, 0x7e00, 0x8000]),
    };
    let wide = if usual > 0xffff { 4 } else { 2 };
    for (b, block) in v.chunks_exact_mut(size).enumerate() {
        for (j, &at) in at.iter().enumerate() {
            let bits = match scales {
                Scales::Special if b % 3 == 1 => special[(b / 3 + j) % 3],
                Scales::Subnormal => 3,
                _ => usual,
            };
            block[at..at + wide].copy_from_slice(&bits.to_le_bytes()[..wide]);
        }
    }
    Tensor::from_vec::<_, u8>(v, (rows, bytes / rows), &Device::Cpu)
}

/// Numbers of blocks and products with them, of one row, of few and of many, compared with products in f64 of the numbers that
/// the CPU computes. Rows of blocks and of x lie at addresses of all kinds.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn products_with_blocks_are_those_in_f64() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let forms = [Form::Contiguous, Form::Offset, Form::Transposed, Form::Stepped];
    for (f, format) in ALL.into_iter().enumerate() {
        let block = format.block_size();
        // One block, several of them, and odd numbers of rows.
        for (c, (columns, k)) in
            [(5, block.max(32)), (67, block.max(32) * 3), (3, 23)].into_iter().enumerate()
        {
            let k = k.next_multiple_of(block);
            for scales in [Scales::Usual, Scales::Special, Scales::Subnormal] {
                let name = format!("{format} {columns} {k} {scales:?}");
                let blocks = rows_of_blocks(format, columns, k, scales).expect("blocks");
                for (i, dtype) in [DType::F32, DType::F16, DType::BF16, DType::F64].into_iter().enumerate() {
                    let form = forms[(f + c + i) % 4];
                    r.case(&format!("numbers {name} {dtype:?} {form:?}"), || {
                        let there = text(lay(&text(blocks.to_device(&device))?, form))?;
                        let got = text(there.dequantize(format, dtype))?;
                        compare(&Bound::Exact, &got, &text(blocks.dequantize(format, dtype))?)
                    });
                }
                let weights = blocks.dequantize(format, DType::F64).and_then(|w| w.t()).expect("numbers");
                for (i, rows) in [1, 2, 8, 9, 70].into_iter().enumerate() {
                    let x = integers((rows, k), 1).expect("x");
                    let dtype = [DType::F32, DType::F16, DType::BF16, DType::F64][(i + f + c) % 4];
                    for dtype in if dtype == DType::F32 { vec![dtype] } else { vec![dtype, DType::F32] } {
                        let forms = (forms[(f + i) % 4], forms[(f + i + c) % 4]);
                        r.case(&format!("product {rows} {name} {dtype:?} {forms:?}"), || {
                            let there = text(lay(&text(blocks.to_device(&device))?, forms.0))?;
                            let x = text(x.to_dtype(dtype))?;
                            let mine = text(lay(&text(x.to_device(&device))?, forms.1))?;
                            let got = text(mine.qmatmul(&there, format))?;
                            let want = text(text(x.to_dtype(DType::F64))?.matmul(&weights))?;
                            let want = text(want.to_dtype(dtype))?;
                            compare(&Bound::Exact, &got, &want)
                        });
                    }
                }
            }
        }
    }
    r.finish(800);
}

/// Returns rows whose blocks of 32 have 127 or -127, so that their scale is 1; the others are multiples of `step` between them.
fn multiples_in_8_bits(rows: usize, k: usize, step: f32) -> Result<Tensor> {
    let number = |i: usize| match (i % 32, i / 32 % 2) {
        (5, 0) => 127.0,
        (5, _) => -127.0,
        _ => (((i * 7919 + i / 13 * 5) % 255) as f32 - 127.0) * step,
    };
    Tensor::from_vec::<_, f32>((0..rows * k).map(number).collect(), (rows, k), &Device::Cpu)
}

/// Rows in 8 bits: the CPU's bytes, for numbers of every kind and rows at addresses of all kinds.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn rows_in_8_bits_are_those_of_the_cpu() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
        let hard = special(dtype).expect("numbers");
        let hard = Tensor::cat(&[&hard; 8], 0).expect("numbers");
        let hard = hard.narrow(0, 0, hard.elem_count() / 64 * 64).expect("numbers");
        // Blocks of usual numbers scaled by each power of two around the smallest ones, and ties.
        let usual = integers((40, 96), 7).expect("numbers");
        let powers: Vec<f32> = (0..40).map(|i| (i as f32 - 145.0).exp2()).collect();
        let small = Tensor::from_vec::<_, f32>(powers, (40, 1), &Device::Cpu).expect("powers");
        let small = usual.broadcast_mul(&small).expect("numbers");
        let ties = multiples_in_8_bits(3, 1056, 0.5).expect("numbers");
        let numbers = (0..64).map(|i| if i == 5 { f32::INFINITY } else { i as f32 }).collect();
        let infinite = Tensor::from_vec::<_, f32>(numbers, (1, 64), &Device::Cpu).expect("numbers");
        let all = [
            ("special", hard.reshape((2, hard.elem_count() / 2))),
            // (Without a NaN, which blocks of the special numbers have beside infinities.)
            ("infinite", infinite.to_dtype(dtype)),
            ("small", small.to_dtype(dtype)),
            ("ties", ties.to_dtype(dtype)),
            ("integers", multiples_in_8_bits(70, 64, 1.0).and_then(|x| x.to_dtype(dtype))),
        ];
        for (name, x) in all {
            let x = x.expect("numbers");
            let k = x.dims()[1] / 32 * 32;
            let x = x.narrow(1, 0, k).and_then(|x| x.contiguous()).expect("numbers");
            for form in [Form::Contiguous, Form::Offset, Form::Transposed, Form::Stepped] {
                r.case(&format!("{name} {dtype:?} {form:?}"), || {
                    let there = text(lay(&text(x.to_device(&device))?, form))?;
                    compare(&Bound::Exact, &text(there.quantize_int8())?, &text(x.quantize_int8())?)
                });
            }
        }
    }
    // The scale of these rows is 1, so the integers are the numbers.
    r.case("integers", || {
        let x = text(multiples_in_8_bits(3, 64, 1.0))?;
        let got = text(text(x.to_device(&device))?.quantize_int8().and_then(|q| q.to_vec2::<u8>()))?;
        let want = text(x.to_vec2::<f32>())?;
        for (got, want) in got.iter().zip(want) {
            for (block, x) in got.chunks(40).zip(want.chunks(32)) {
                let sum: f32 = x.iter().sum();
                let mut bytes = 1f32.to_le_bytes().to_vec();
                bytes.extend((sum as i32).to_le_bytes());
                bytes.extend(x.iter().map(|x| *x as i8 as u8));
                if block != bytes {
                    return Err(format!("{block:?} of {x:?}"));
                }
            }
        }
        Ok(())
    });
    r.finish(60);
}

/// Products of rows in 8 bits with blocks: where all sums are exact those in f64 of the numbers, else those of the CPU.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn products_in_8_bits_are_those_in_f64_and_of_the_cpu() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let forms = [Form::Contiguous, Form::Offset, Form::Transposed, Form::Stepped];
    for (f, format) in ALL.into_iter().enumerate().filter(|(_, f)| f.block_size() > 1) {
        let block = format.block_size();
        // One block, several of them, more than 8 of 32 and not a multiple of 8, and odd numbers of rows.
        for (c, (columns, k)) in [(5, block), (67, block * 3), (3, 352)].into_iter().enumerate() {
            let k = k.next_multiple_of(block);
            for scales in [Scales::Usual, Scales::Special, Scales::Subnormal] {
                let name = format!("{format} {columns} {k} {scales:?}");
                let blocks = rows_of_blocks(format, columns, k, scales).expect("blocks");
                let weights = blocks.dequantize(format, DType::F64).and_then(|w| w.t()).expect("numbers");
                for (i, rows) in [1, 2, 8, 9, 70].into_iter().enumerate() {
                    let x = multiples_in_8_bits(rows, k, 1.0).expect("x");
                    let bytes = x.quantize_int8().expect("bytes");
                    let forms = (forms[(f + i) % 4], forms[(f + i + c) % 4]);
                    let dtype = [DType::F32, DType::F16, DType::BF16, DType::F64][(i + f + c) % 4];
                    for dtype in if dtype == DType::F32 { vec![dtype] } else { vec![dtype, DType::F32] } {
                        r.case(&format!("{rows} {name} {dtype:?} {forms:?}"), || {
                            let there = text(lay(&text(blocks.to_device(&device))?, forms.0))?;
                            let mine = text(lay(&text(bytes.to_device(&device))?, forms.1))?;
                            let got = text(mine.qmatmul_int8(&there, format, dtype))?;
                            compare(&Bound::Exact, &got, &text(bytes.qmatmul_int8(&blocks, format, dtype))?)?;
                            if scales != Scales::Usual {
                                return Ok(());
                            }
                            let want = text(text(x.to_dtype(DType::F64))?.matmul(&weights))?;
                            compare(&Bound::Exact, &got, &text(want.to_dtype(dtype))?)
                        });
                    }
                }
            }
        }
    }
    r.finish(800);
}

/// Products of rows with the matrices that their indices choose, exact sums in any order.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn products_with_chosen_matrices_are_those_of_the_cpu() {
    rushlight::quantized::set_activations(rushlight::quantized::Activations::Float32);
    let (device, _) = gpu();
    let mut r = Report::new();
    let ids = Tensor::new(&[[4u32, 0, 2], [4, 4, 0], [2, 4, 0], [4, 3, 2]], &Device::Cpu).expect("indices");
    for format in [GgmlDType::Q4_0, GgmlDType::Q8_0, GgmlDType::Q4K, GgmlDType::Q6K, GgmlDType::F16] {
        for rows in [1, 3] {
            r.case(&format!("{format} {rows}"), || {
                let bytes = text(rows_of_blocks(format, 5 * 9, 256, Scales::Usual))?;
                let bytes = text(bytes.flatten_all().and_then(|b| b.to_vec1::<u8>()))?;
                let on = |device: &Device| {
                    let storage = QStorage::from_data(bytes.clone().into(), device, format)?;
                    let x = integers((4 * rows, 256), 1)?.reshape((4, rows, 256))?.to_device(device)?;
                    QTensor::new(storage, (5, 9, 256))?.indexed_moe_forward(&x, &ids.to_device(device)?)
                };
                let got = text(on(&device))?;
                if !got.device().same_device(&device) {
                    return Err(format!("the result is on {:?}", got.device().location()));
                }
                compare(&Bound::Exact, &got, &text(on(&Device::Cpu))?)
            });
        }
    }
    r.finish(10);
}
