//! Sizes that the samples do not have, on a GPU compared with the CPU: several tiles, many indices, long windows.
//! Values are small integers, so that every order of summation gives the same bits. Ignored by default, see `gpu.rs`.
mod common;
use common::device::{Bound, compare, gpu};
use common::report::{Check, Report, bits, text};
use rushlight::ops::conv::Conv;
use rushlight::ops::conv_transpose::ConvTranspose;
use rushlight::ops::conv_weight_grad::ConvWeightGrad;
use rushlight::ops::gather::Gather;
use rushlight::ops::index_add::IndexAdd;
use rushlight::ops::index_select::IndexSelect;
use rushlight::ops::scatter::{Scatter, ScatterMode};
use rushlight::ops::window::Window;
use rushlight::ops::{IndexMode, Op};
use rushlight::{DType, Device, Error, Result, Shape, Tensor};

const IDS: [DType; 5] = [DType::U8, DType::U32, DType::I64, DType::I32, DType::I16];
const NUMBERS: [DType; 6] = [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::U64];

/// Returns integers from -2 to 2, or `most` different values.
fn numbers(shape: impl Into<Shape>, seed: usize, most: usize, dtype: DType) -> Result<Tensor> {
    let shape = shape.into();
    let value = |i: usize| ((i * 7919 + seed * 104_729 + i / 13 * 31) % most) as f64 - (most / 2) as f64;
    let unsigned = matches!(dtype, DType::U8 | DType::U16 | DType::U32 | DType::U64);
    let v = (0..shape.elem_count()).map(|i| if unsigned { value(i).abs() } else { value(i) }).collect();
    Tensor::from_vec::<_, f64>(v, shape, &Device::Cpu)?.to_dtype(dtype)
}

fn small(shape: impl Into<Shape>, seed: usize, dtype: DType) -> Result<Tensor> {
    numbers(shape, seed, 5, dtype)
}

/// Returns indices below `size`, many of them repeated.
fn ids(shape: impl Into<Shape>, size: usize, dtype: DType) -> Result<Tensor> {
    let shape = shape.into();
    let v = (0..shape.elem_count()).map(|i| ((i * i * 31 + i * 7 + i / 3) % size) as u32).collect();
    Tensor::from_vec::<_, u32>(v, shape, &Device::Cpu)?.to_dtype(dtype)
}

/// Runs `f` on both devices and compares the bits. Any NaN matches a NaN.
fn same(device: &Device, ins: &[Tensor], f: impl Fn(&[Tensor]) -> Result<Tensor>) -> Check {
    let moved: Result<Vec<_>> = ins.iter().map(|t| strided(t, device)).collect();
    let (got, want) = (text(f(&text(moved)?))?, text(f(ins))?);
    compare(&Bound::Exact, &got, &want)
}

/// Runs `f` on both devices, on inputs that are contiguous, and compares the bits.
fn moved(device: &Device, ins: &[&Tensor], f: impl Fn(&[Tensor]) -> Result<Tensor>) -> Check {
    let ins: Vec<Tensor> = ins.iter().map(|&t| t.clone()).collect();
    same(device, &ins, f)
}

/// Returns the tensor on another device, with the same strides.
fn strided(t: &Tensor, device: &Device) -> Result<Tensor> {
    if t.is_contiguous() || t.rank() < 2 {
        return t.to_device(device);
    }
    // All non-contiguous tensors here are transposed in their last two dimensions.
    t.t()?.to_device(device)?.t()
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn products_of_several_tiles() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in NUMBERS {
        for (a, b) in [
            (&[65usize, 33][..], &[33usize, 130][..]),
            (&[130, 100], &[100, 70]),
            (&[1, 300], &[300, 5]),
            (&[3, 64, 16], &[3, 16, 64]),
            (&[2, 2, 20, 40], &[2, 2, 40, 66]),
        ] {
            let make = |s: &[usize], seed| small(s, seed, dtype).expect("input");
            for form in 0..4 {
                let turned = |s: &[usize], seed, turn: bool| {
                    let mut s = s.to_vec();
                    let n = s.len();
                    if turn {
                        s.swap(n - 2, n - 1);
                        make(&s, seed).t().expect("a transpose")
                    } else {
                        make(&s, seed)
                    }
                };
                let ins = [turned(a, 1, form & 1 == 1), turned(b, 2, form & 2 == 2)];
                r.case(&format!("matmul {dtype:?} {a:?} {b:?} {form}"), || {
                    same(&device, &ins, |x| x[0].matmul(&x[1]))
                });
            }
        }
        let ins = [
            small((70, 90), 3, dtype).expect("x"),
            small((70, 33), 4, dtype).expect("a"),
            small((33, 90), 5, dtype).expect("b"),
        ];
        for (beta, alpha) in [(1.0, 1.0), (2.0, -3.0), (0.0, 2.0)] {
            r.case(&format!("addmm {dtype:?} {beta} {alpha}"), || {
                same(&device, &ins, |x| x[0].addmm(&x[1], &x[2], beta, alpha))
            });
        }
        let ins = [small((4, 1, 20, 30), 1, dtype).expect("a"), small((3, 30, 40), 2, dtype).expect("b")];
        r.case(&format!("broadcast_matmul {dtype:?}"), || {
            same(&device, &ins, |x| x[0].broadcast_matmul(&x[1]))
        });
    }
    r.finish(100);
}

/// Batches with a large tile for each compute unit. Rows in packs of 16 bytes along either dimension, in packs along neither,
/// and steps that are not whole; in both modes.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn products_in_large_tiles() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        for (rows, depth, columns) in [(136usize, 72usize, 128usize), (65, 33, 130), (130, 31, 70)] {
            let make = |rows: usize, columns: usize, seed, turn: bool| match turn {
                true => small((160, columns, rows), seed, dtype).expect("input").t().expect("a transpose"),
                false => small((160, rows, columns), seed, dtype).expect("input"),
            };
            for form in 0..4 {
                let ins = [make(rows, depth, 1, form & 1 == 1), make(depth, columns, 2, form & 2 == 2)];
                for deterministic in [false, true] {
                    let name = format!("{dtype:?} {rows} {depth} {columns} {form} {deterministic}");
                    r.case(&name, || {
                        rushlight::set_deterministic(deterministic);
                        same(&device, &ins, |x| x[0].matmul(&x[1]))
                    });
                    rushlight::set_deterministic(false);
                }
            }
        }
    }
    r.finish(72);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn convolutions_of_several_tiles() {
    let (device, _) = gpu();
    let mut r = Report::new();
    // Input, kernel, stride, padding, dilation, groups.
    type Case<'a> = (&'a [usize], &'a [usize], &'a [usize], &'a [usize], &'a [usize], usize);
    let cases: [Case<'_>; 8] = [
        (&[2, 8, 17, 19], &[140, 4, 3, 3], &[1], &[1], &[1], 2),
        (&[2, 3, 20, 21], &[5, 3, 3, 2], &[2, 3], &[1, 0], &[2, 1], 1),
        (&[3, 4, 30], &[6, 4, 4], &[2], &[2], &[2], 1),
        (&[2, 6, 31], &[6, 1, 5], &[3], &[1], &[2], 6),
        (&[2, 70, 9, 9], &[66, 70, 1, 1], &[1], &[0], &[1], 1),
        (&[2, 2, 5, 6, 7], &[4, 2, 3, 2, 3], &[2, 1, 2], &[1], &[1, 2, 1], 1),
        (&[1, 2, 12], &[2, 2, 2], &[5], &[0], &[1], 1),
        (&[4, 3, 40, 41], &[5, 3, 3, 3], &[1], &[0], &[1], 1),
    ];
    for dtype in NUMBERS {
        for (x, k, s, p, d, groups) in cases {
            let n = x.len() - 2;
            let window = Window::new("conv", n, s, p, d).expect("a window");
            let ins = [small(x, 1, dtype).expect("x"), small(k, 2, dtype).expect("kernel")];
            let name = |op: &str| format!("{op} {dtype:?} {x:?} {k:?} {s:?}");
            let conv = Op::Conv(Conv { window, groups: groups as u32 });
            let out = Tensor::run(conv.clone(), &[&ins[0], &ins[1]]).expect("a convolution");
            r.case(&name("conv"), || same(&device, &ins, |t| Tensor::run(conv.clone(), &[&t[0], &t[1]])));
            let g = small(out.shape().clone(), 3, dtype).expect("g");
            for extra in [0u32, 1] {
                let mut output_padding = [0; 3];
                output_padding[2] = extra;
                let definition = ConvTranspose { window, output_padding, groups: groups as u32 };
                let ins = [g.clone(), ins[1].clone()];
                r.case(&name("conv_transpose"), || {
                    same(&device, &ins, |t| Tensor::run(Op::ConvTranspose(definition), &[&t[0], &t[1]]))
                });
            }
            if dtype.is_float() {
                let mut kernel = [1; 3];
                (0..n).for_each(|i| kernel[3 - n + i] = k[2 + i] as u32);
                let definition = ConvWeightGrad { window, kernel, groups: groups as u32 };
                let ins = [ins[0].clone(), g.clone()];
                r.case(&name("conv_weight_grad"), || {
                    same(&device, &ins, |t| Tensor::run(Op::ConvWeightGrad(definition), &[&t[0], &t[1]]))
                });
            }
        }
    }
    // Elements that no window covers stay 0, and borders stay finite, for any values of the kernel.
    let window = Window::new("conv", 2, &[2, 3], &[1, 0], &[1]).expect("a window");
    let definition = ConvTranspose { window, output_padding: [0, 1, 1], groups: 1 };
    // Infinity and NaN in the kernel's first row and last column, which only windows beyond the border would use.
    let mut kernel = vec![1f32; 6 * 5 * 3 * 4];
    (kernel[12], kernel[87]) = (f32::INFINITY, f32::NAN);
    let ins = [
        numbers((2, 6, 4, 5), 1, 9, DType::F32).and_then(|t| t.affine(1.0, 10.0)).expect("x"),
        Tensor::from_vec(kernel, (6, 5, 3, 4), &Device::Cpu).expect("kernel"),
    ];
    r.case("conv_transpose inf", || {
        same(&device, &ins, |t| Tensor::run(Op::ConvTranspose(definition), &[&t[0], &t[1]]))
    });
    r.finish(100);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn rows_in_packs_and_transposed_planes() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in NUMBERS {
        let make = |shape: &[usize], seed| small(shape, seed, dtype).expect("input");
        // Rows of whole packs of each dtype, and rows that are not.
        for (rows, columns) in [(5usize, 48usize), (3, 36), (1, 64), (7, 5)] {
            let (x, y) = (make(&[2, rows, columns + 16], 1), make(&[columns], 2));
            let (column, number) = (make(&[2, rows, 1], 3), make(&[1], 4));
            // (The views are made again on the device: a copy to it would be contiguous.)
            for start in [0usize, 16, 1] {
                let id = format!("{dtype:?} {rows} x {columns} from {start}");
                let view = move |x: &Tensor| x.narrow(2, start, columns);
                let (sum, product) = (format!("row {id}"), format!("column {id}"));
                r.case(&sum, || moved(&device, &[&x, &y], |t| view(&t[0])?.broadcast_add(&t[1])));
                r.case(&product, || moved(&device, &[&x, &column], |t| view(&t[0])?.broadcast_mul(&t[1])));
                r.case(&format!("number {id}"), || {
                    moved(&device, &[&x, &number], |t| view(&t[0])?.broadcast_lt(&t[1]))
                });
                r.case(&format!("copy {id}"), || moved(&device, &[&x], |t| view(&t[0])?.contiguous()));
                r.case(&format!("flip {id}"), || moved(&device, &[&x], |t| view(&t[0])?.flip(&[1])));
                r.case(&format!("cast {id}"), || {
                    moved(&device, &[&x], |t| view(&t[0])?.to_dtype(DType::F32))
                });
                r.case(&format!("where {id}"), || {
                    moved(&device, &[&x, &column], |t| {
                        let x = view(&t[0])?;
                        x.gt(&x.zeros_like()?)?.where_cond(&x, &t[1].broadcast_as(x.shape())?)
                    })
                });
            }
        }
        for (rows, columns) in [(16usize, 16usize), (70, 33), (64, 129), (15, 40)] {
            let id = format!("{dtype:?} {rows} x {columns}");
            let x = make(&[2, rows, 3, columns], 5);
            r.case(&format!("planes {id}"), || moved(&device, &[&x], |t| t[0].transpose(1, 3)?.contiguous()));
            r.case(&format!("planes of a part {id}"), || {
                moved(&device, &[&x], |t| t[0].narrow(1, 1, rows - 1)?.permute([3, 0, 2, 1])?.contiguous())
            });
            r.case(&format!("planes into a view {id}"), || {
                moved(&device, &[&x], |t| {
                    let out = Tensor::zeros((columns, 3, 2, rows + 2), t[0].dtype(), t[0].device())?;
                    out.narrow(3, 1, rows)?.permute([2, 3, 1, 0])?.assign(&t[0])?;
                    Ok(out)
                })
            });
        }
    }
    r.finish(400);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn index_ops_with_many_indices_agree_with_the_cpu() {
    let (device, _) = gpu();
    let mut r = Report::new();
    // Runs the ordered and the atomic variant. The sums of these numbers are exact, so both must give the same bits.
    let either = |r: &mut Report, name: String, ins: &[Tensor], f: &dyn Fn(&[Tensor]) -> Result<Tensor>| {
        for repeats in [true, false] {
            rushlight::set_deterministic(repeats);
            r.case(&format!("{name} {repeats}"), || same(&device, ins, f));
        }
    };
    let max = |dtype: DType| if dtype == DType::U8 { 200 } else { 300 };
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8, DType::I32, DType::U64] {
        for id in IDS {
            let size = max(id);
            let make = |shape: &[usize], seed| small(shape, seed, dtype).expect("input");
            let name = |what: &str| format!("{what} {dtype:?} {id:?}");
            // Cases: one long line, few long lines, lines in the first dimension, lines in a middle dimension, and many
            // lines.
            for (x, i, dim) in [
                (&[size][..], &[3000usize][..], 0),
                (&[3, size], &[2, 700], 1),
                (&[size, 5], &[600, 5], 0),
                (&[2, size, 150], &[2, 70, 150], 1),
                (&[300, size], &[290, 9], 1),
            ] {
                let ins = [make(x, 1), ids(i, size, id).expect("ids"), make(i, 2)];
                r.case(&name("scatter"), || same(&device, &ins, |t| t[0].scatter(&t[1], &t[2], dim)));
                either(&mut r, name("scatter_add"), &ins, &|t| t[0].scatter_add(&t[1], &t[2], dim));
                r.case(&name("gather"), || same(&device, &ins, |t| t[0].gather(&t[1], dim)));
            }
            for (x, n, dim) in [
                (&[size][..], 2000, 0),
                (&[size, 64], 500, 0),
                (&[size, 7], 100, 0),
                (&[3, size, 130], 70, 1),
                (&[5, size], 400, 1),
            ] {
                let mut s = x.to_vec();
                s[dim] = n;
                let ins = [make(x, 1), ids(n, size, id).expect("ids"), make(&s, 2)];
                either(&mut r, name("index_add"), &ins, &|t| t[0].index_add(&t[1], &t[2], dim));
                r.case(&name("index_select"), || same(&device, &ins, |t| t[0].index_select(&t[1], dim)));
            }
        }
    }
    // An index equal to its dtype's largest value is skipped.
    let x = small((200, 32), 1, DType::F32).expect("x");
    for id in IDS {
        let max = match id {
            DType::U8 => i64::from(u8::MAX),
            DType::I16 => i64::from(i16::MAX),
            DType::I32 => i64::from(i32::MAX),
            DType::U32 => i64::from(u32::MAX),
            _ => i64::MAX,
        };
        let v: Vec<i64> = (0..90).map(|i| if i % 4 == 0 { max } else { i * 2 }).collect();
        let ids = Tensor::from_vec(v, 90, &Device::Cpu).and_then(|t| t.to_dtype(id)).expect("ids");
        let ins = [x.clone(), ids, small((90, 32), 2, DType::F32).expect("source")];
        r.case(&format!("index_select MAX {id:?}"), || same(&device, &ins, |t| t[0].index_select(&t[1], 0)));
        either(&mut r, format!("index_add MAX {id:?}"), &ins, &|t| t[0].index_add(&t[1], &t[2], 0));
        r.case(&format!("scatter MAX {id:?}"), || {
            same(&device, &ins, |t| t[0].scatter(&t[1].unsqueeze(1)?, &t[2].narrow(1, 0, 1)?, 0))
        });
    }
    r.finish(500);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_bad_id_is_the_cpus_error() {
    let (device, _) = gpu();
    let x =
        |shape: &[usize]| small(shape, 1, DType::F32).expect("x").to_device(&device).expect("on the device");
    let check = |what: &str, got: Result<Tensor>, index: i64, size: usize| {
        let error = match got.and_then(|t| t.to_cpu_storage().map(|_| ())) {
            Ok(()) => panic!("{what}: no error"),
            Err(e) => e,
        };
        match error.root() {
            Error::InvalidIndex { index: i, size: s, .. } => assert_eq!((*i, *s), (index, size), "{what}"),
            e => panic!("{what}: {e}"),
        }
        // The fault record has been cleared.
        assert_eq!(x(&[2]).to_vec1::<f32>().expect("values").len(), 2);
    };
    let ids = |v: &[i64], dtype| Tensor::new(v, &device).and_then(|t| t.to_dtype(dtype)).expect("ids");
    for dtype in [DType::I64, DType::I32, DType::I16] {
        check("index_select", x(&[4, 3]).index_select(&ids(&[0, 3, -1], dtype), 0), -1, 4);
        check("index_add", x(&[4, 3]).index_add(&ids(&[0, 4], dtype), &x(&[2, 3]), 0), 4, 4);
        check("gather", x(&[4]).gather(&ids(&[0, 9], dtype), 0), 9, 4);
        check("scatter", x(&[4]).scatter(&ids(&[0, 9], dtype), &x(&[2]), 0), 9, 4);
        let long: Vec<i64> = (0..300).map(|i| if i == 290 { 77 } else { i % 4 }).collect();
        check("scatter_add", x(&[4]).scatter_add(&ids(&long, dtype), &x(&[300]), 0), 77, 4);
        // With atomics.
        let bad = |i: i64| if i == 70 { 101 } else { i % 100 };
        let many: Vec<i64> = (0..90).map(bad).collect();
        check("index_add", x(&[100, 30]).index_add(&ids(&many, dtype), &x(&[90, 30]), 0), 101, 100);
        // Also for ops that have no elements to move.
        check("index_select", x(&[4, 0]).index_select(&ids(&[5], dtype), 0), 5, 4);
        check("index_add", x(&[4, 0]).index_add(&ids(&[5], dtype), &x(&[1, 0]), 0), 5, 4);
        check("gather", x(&[0, 2]).gather(&ids(&[5], dtype).reshape((1, 1)).expect("ids"), 0), 5, 0);
    }
    check("index_select", x(&[4]).index_select(&ids(&[4], DType::U8), 0), 4, 4);
    check("index_select", x(&[4]).index_select(&ids(&[1 << 31], DType::U32), 0), 1 << 31, 4);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn negative_indices_count_from_the_end() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let rule = IndexMode::FromEnd;
    let add = Op::IndexAdd(IndexAdd { dim: 0, rule });
    let scatter = |mode| Op::Scatter(Scatter { dim: 0, mode, in_place: false, rule });
    for dtype in [DType::I64, DType::I32, DType::I16] {
        // Short lines, a long one, and many targets, which are added to with atomics.
        for (targets, n, width) in [(4, 9, 3), (4, 300, 1), (100, 90, 30)] {
            let x = small((targets, width), 1, DType::F32).expect("x");
            let src = small((n, width), 2, DType::F32).expect("src");
            let half = (targets / 2) as i64;
            let back = |shape: Vec<usize>| -> Result<Tensor> {
                let v = ids(shape.clone(), targets, DType::I64)?.flatten_all()?.to_vec1::<i64>()?;
                let v = v.into_iter().map(|i| if i >= half { i - targets as i64 } else { i });
                Tensor::from_vec(v.collect::<Vec<i64>>(), shape, &Device::Cpu)?.to_dtype(dtype)
            };
            let (line, each) = (back(vec![n]).expect("ids"), back(vec![n, width]).expect("ids"));
            let name = |op: &str| format!("{op} {dtype:?} {targets} {n} {width}");
            let select = Op::IndexSelect(IndexSelect { dim: 0, rule });
            r.case(&name("select"), || same(&device, &[x.clone(), line.clone()], |t| run(&select, t)));
            let gather = Op::Gather(Gather { dim: 0, rule });
            r.case(&name("gather"), || same(&device, &[x.clone(), each.clone()], |t| run(&gather, t)));
            r.case(&name("add"), || same(&device, &[x.clone(), line, src.clone()], |t| run(&add, t)));
            for mode in [ScatterMode::Set, ScatterMode::Add] {
                let op = scatter(mode);
                let ins = [x.clone(), each.clone(), src.clone()];
                r.case(&name("scatter"), || same(&device, &ins, |t| run(&op, t)));
            }
        }
    }
    r.finish(45);
    let x = small((4, 3), 1, DType::F32).and_then(|x| x.to_device(&device)).expect("x");
    let bad = Tensor::new(&[-4i64, -5], &device).expect("ids");
    let got = Tensor::run(Op::IndexSelect(IndexSelect { dim: 0, rule }), &[&x, &bad]);
    let error = got.and_then(|t| t.to_vec2::<f32>()).expect_err("an error").to_string();
    assert!(error.contains("index_select invalid index -5 with dim size 4"), "{error}");
}

fn run(op: &Op, ins: &[Tensor]) -> Result<Tensor> {
    Tensor::run(op.clone(), &ins.iter().collect::<Vec<_>>())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn windows_and_resizing() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        // Many ties, and NaNs.
        let x = numbers((2, 3, 23, 37), 1, 4, dtype).expect("x");
        let holes = |t: &Tensor| -> Result<Tensor> {
            let v: Vec<f64> = t.to_dtype(DType::F64)?.flatten_all()?.to_vec1()?;
            let v = v.into_iter().enumerate().map(|(i, v)| if i % 29 == 3 { f64::NAN } else { v });
            Tensor::from_vec(v.collect::<Vec<f64>>(), t.dims(), &Device::Cpu)?.to_dtype(dtype)
        };
        let holes = holes(&x).expect("x with NaNs");
        let flat = x.narrow(2, 0, 1).and_then(|t| t.broadcast_as((2, 3, 9, 37))).expect("a stretched x");
        for (k, s, p) in [
            ([3, 3], [1, 1], [1, 1]),
            ([2, 2], [2, 2], [0, 0]),
            ([5, 4], [2, 3], [2, 0]),
            ([2, 3], [4, 5], [1, 1]),
            ([9, 37], [1, 1], [0, 0]),
        ] {
            let name = |what: &str| format!("{what} {dtype:?} {k:?} {s:?}");
            let grad = |t: &Tensor, f: &dyn Fn(&Tensor) -> Result<Tensor>| -> Result<Tensor> {
                let x = t.leaf();
                let out = f(&x)?;
                // An output gradient that differs between elements.
                let g = numbers(out.shape().clone(), 7, 11, dtype)?.to_device(out.device())?;
                out.backward_accumulate(Some(&g))?;
                x.grad().ok_or_else(|| Error::Msg("no gradient".to_string()))
            };
            for (form, x) in [("ties", &x), ("NaN", &holes)] {
                let ins = [x.clone()];
                let max = |x: &Tensor| x.max_pool_nd(&k, &s, &p);
                r.case(&name(form), || same(&device, &ins, |t| max(&t[0])));
                r.case(&name(form), || same(&device, &ins, |t| grad(&t[0], &max)));
                for pad in [true, false] {
                    let avg = |x: &Tensor| x.avg_pool_nd(&k, &s, &p, pad);
                    r.case(&name(form), || same(&device, &ins, |t| avg(&t[0])));
                    r.case(&name(form), || same(&device, &ins, |t| grad(&t[0], &avg)));
                }
            }
            r.case(&name("stretched"), || {
                let want = text(flat.max_pool_nd(&k, &s, &p))?;
                let row = text(x.narrow(2, 0, 1).and_then(|t| t.to_device(&device)))?;
                let got = text(row.broadcast_as((2, 3, 9, 37)).and_then(|t| t.max_pool_nd(&k, &s, &p)))?;
                if bits(&got)? == bits(&want)? { Ok(()) } else { Err("differs".to_string()) }
            });
        }
        let x = numbers((2, 2, 23, 37), 1, 100, dtype).expect("x");
        for (h, w) in [(50, 80), (23, 100), (9, 5), (1, 1), (46, 74), (24, 36)] {
            let name = |what: &str| format!("{what} {dtype:?} {h} {w}");
            let ins = [x.clone()];
            let leaf = |t: &Tensor, f: &dyn Fn(&Tensor) -> Result<Tensor>| -> Result<Tensor> {
                let x = t.leaf();
                let out = f(&x)?;
                let g = numbers(out.shape().clone(), 7, 11, dtype)?.to_device(out.device())?;
                out.backward_accumulate(Some(&g))?;
                x.grad().ok_or_else(|| Error::Msg("no gradient".to_string()))
            };
            let (fh, fw) = ((h as f64 + 0.3) / 23.0, (w as f64 + 0.7) / 37.0);
            type Resize<'a> = &'a dyn Fn(&Tensor) -> Result<Tensor>;
            let ways: [(&str, Resize<'_>); 5] = [
                ("nearest", &|x| x.upsample_nearest2d(h, w)),
                ("nearest by", &|x| x.upsample_nearest2d_with_scale(fh, fw)),
                ("bilinear", &|x| x.upsample_bilinear2d(h, w, false)),
                ("bilinear aligned", &|x| x.upsample_bilinear2d(h, w, true)),
                ("bilinear by", &|x| x.upsample_bilinear2d_with_scale(fh, fw, false)),
            ];
            for (what, f) in ways {
                r.case(&name(what), || same(&device, &ins, |t| f(&t[0])));
                r.case(&name(what), || same(&device, &ins, |t| leaf(&t[0], f)));
            }
        }
    }
    for dtype in [DType::I8, DType::U8, DType::I64, DType::U64] {
        let most = if dtype.size_in_bytes() == 1 { 250 } else { 10_000 };
        let ins = [numbers((1, 2, 9, 11), 1, most, dtype).expect("x")];
        r.case(&format!("bilinear {dtype:?}"), || {
            same(&device, &ins, |t| t[0].upsample_bilinear2d(20, 17, false))
        });
        r.case(&format!("max_pool {dtype:?}"), || {
            same(&device, &ins, |t| t[0].max_pool_nd(&[3, 2], &[1], &[1]))
        });
    }
    r.finish(100);
}
