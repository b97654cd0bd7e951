//! Ops whose kernels change their algorithm for long lines, for many lines, or for adjacent elements in another
//! dimension: tested at these sizes, on the GPU compared with the CPU. Ignored by default, see `gpu.rs`.
mod common;
use common::device::{Bound, compare, gpu};
use common::report::{Check, Report, text};
use common::vendor::Chosen;
use rushlight::gpu::{Choice, Family};
use rushlight::ops::adagrad_step::AdagradStep;
use rushlight::ops::adam_step::AdamStep;
use rushlight::ops::arg_sort::ArgSort;
use rushlight::ops::cross_entropy::CrossEntropy;
use rushlight::ops::cross_entropy_backward::CrossEntropyBackward;
use rushlight::ops::cumsum::CumSum;
use rushlight::ops::dropout::Dropout;
use rushlight::ops::fft::Fft;
use rushlight::ops::loss::ClassLoss;
use rushlight::ops::nll_loss::NllLoss;
use rushlight::ops::nll_loss_backward::NllLossBackward;
use rushlight::ops::optimizer_step::{OptimizerStep, StepOp};
use rushlight::ops::random::{Dist, Random};
use rushlight::ops::reduce::{Reduce, ReduceOp};
use rushlight::ops::rmsprop_step::RmspropStep;
use rushlight::ops::sgd_step::SgdStep;
use rushlight::ops::softmax::Softmax;
use rushlight::ops::softmax_backward::SoftmaxBackward;
use rushlight::ops::{Op, Reduction};
use rushlight::{DType, Device, Result, Tensor};
use rushlight_parity::agrees;
use rushlight_parity::sweep::{Form, lay};

const FORMS: [Form; 3] = [Form::Contiguous, Form::Transposed, Form::Stepped];
const FLOATS: [DType; 4] = [DType::F32, DType::F64, DType::BF16, DType::F16];

/// Returns numbers with ties, zeros of both signs and, for floats, some NaN in the second half if `nans`.
fn data(shape: &[usize], dtype: DType, nans: bool) -> Result<Tensor> {
    let n: usize = shape.iter().product();
    let mut s = n as u64;
    let values: Vec<f64> = (0..n)
        .map(|i| {
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match (s >> 20) % 97 {
                0 => -0.0,
                1 => 0.0,
                2 => 1.25,
                3 if nans && i > n / 2 => f64::NAN,
                _ => ((s >> 33) % 4001) as f64 / 1000.0 - 2.0,
            }
        })
        .collect();
    let t = Tensor::from_vec(values, shape, &Device::Cpu)?;
    if dtype.is_int() {
        t.affine(50.0, 0.0)?.to_dtype(DType::I64)?.to_dtype(dtype)
    } else {
        t.to_dtype(dtype)
    }
}

/// Compares an op's result on the device with the CPU's. The inputs have the layout `form` on both.
fn agree(device: &Device, op: Op, ins: &[Tensor], form: Form, bound: &Bound) -> Check {
    let on = |device: &Device| -> Result<Vec<Tensor>> {
        let ins: Result<Vec<Tensor>> = ins.iter().map(|t| lay(&t.to_device(device)?.copy()?, form)).collect();
        op.run(&ins?)
    };
    let (want, got) = (text(on(&Device::Cpu))?, text(on(device))?);
    got.iter().zip(&want).try_for_each(|(g, w)| compare(bound, g, w))
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn reductions() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let shapes: [(&[usize], &[u32]); 8] = [
        (&[3000], &[1]),
        (&[2, 1057], &[1, 2, 3]),
        (&[1057, 40], &[1, 2, 3]),
        (&[2100, 33], &[1, 2]),
        (&[3, 70, 40], &[1, 2, 4, 5, 6, 7]),
        (&[40, 20, 3], &[2, 4, 5]),
        (&[2, 3, 2, 3, 2, 3, 2, 3], &[0b1010_1010, 0b0101_0101, 0b1100_0011]),
        (&[1_100_000], &[1]),
    ];
    for (shape, axes) in shapes {
        let long = shape[0] > 100_000;
        let some = [ReduceOp::Sum, ReduceOp::Max, ReduceOp::ArgMax];
        for &op in if long { &some[..] } else { ReduceOp::ALL } {
            let dtypes: &[DType] = match op {
                _ if long => &[DType::F32],
                ReduceOp::Mean => &[DType::F32, DType::BF16],
                ReduceOp::Sum | ReduceOp::Prod => {
                    &[DType::F32, DType::F64, DType::F16, DType::I8, DType::U16]
                }
                _ => &[DType::F32, DType::F16, DType::I16, DType::U64, DType::Bool],
            };
            for &dtype in dtypes {
                let x = data(shape, dtype, !matches!(op, ReduceOp::Sum | ReduceOp::Mean)).expect("data");
                let outs: &[DType] = match op {
                    ReduceOp::ArgMin | ReduceOp::ArgMax => &[DType::U32, DType::I64],
                    ReduceOp::Any | ReduceOp::All => &[DType::Bool],
                    ReduceOp::Sum | ReduceOp::Prod if dtype == DType::I8 => &[DType::I8, DType::I64],
                    ReduceOp::Sum | ReduceOp::Prod if dtype == DType::U16 => &[DType::U64],
                    _ => &[dtype],
                };
                for (&out, &axes) in outs.iter().flat_map(|o| axes.iter().map(move |a| (o, a))) {
                    let op = Op::Reduce(Reduce { op, axes, keepdim: false, dtype: out });
                    for form in if long { &FORMS[..1] } else { &FORMS } {
                        let name = format!("{}/{shape:?}/{axes:#b}/{dtype:?}/{out:?}/{form:?}", op.name());
                        r.case(&name, || {
                            agree(&device, op.clone(), std::slice::from_ref(&x), *form, &Bound::Exact)
                        });
                    }
                }
            }
        }
    }
    r.finish(500);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn softmax() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let shapes: [(&[usize], usize); 11] = [
        (&[20, 33], 1),
        (&[3, 1024], 1),
        (&[3, 1500], 1),
        (&[3, 4000], 1),
        (&[2, 8000], 1),
        (&[2, 9000], 1),
        (&[2, 34_000], 1),
        (&[2, 20, 40], 1),
        (&[2, 1100, 17], 1),
        (&[2, 50, 3], 1),
        (&[600], 0),
    ];
    for (shape, dim) in shapes {
        for dtype in FLOATS {
            let (x, y) = (data(shape, dtype, false).expect("data"), data(shape, dtype, false).expect("data"));
            for (log, form) in [false, true].iter().flat_map(|l| FORMS.map(|f| (*l, f))) {
                let name = |op: &Op| format!("{}/{shape:?}/{dtype:?}/{form:?}", op.name());
                let op = Op::Softmax(Softmax { dim, log });
                r.case(&name(&op), || {
                    agree(&device, op.clone(), std::slice::from_ref(&x), form, &Bound::Scaled(8.0))
                });
                let op = Op::SoftmaxBackward(SoftmaxBackward { dim, log });
                // The gradient of softmax uses no exponential, so its bits equal the CPU's.
                let bound = if log { Bound::Scaled(8.0) } else { Bound::Exact };
                r.case(&name(&op), || {
                    agree(&device, op.clone(), &[x.clone(), y.affine(-0.5, 1.0).expect("y")], form, &bound)
                });
            }
        }
    }
    r.finish(100);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn losses() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let shapes: [&[usize]; 10] = [
        &[40, 10],
        &[1100, 5],
        &[33_000, 3],
        &[3, 1500],
        &[2, 8000],
        &[2, 9000],
        &[2, 34_000],
        &[2, 12, 40],
        &[2, 40, 5, 4],
        &[3, 40, 33],
    ];
    for shape in shapes {
        let classes = shape[1];
        let target_shape: Vec<usize> = [&shape[..1], &shape[2..]].concat();
        let n: usize = target_shape.iter().product();
        let ids: Vec<i64> =
            (0..n).map(|i| if i % 7 == 3 { -100 } else { (i * 31 % classes) as i64 }).collect();
        let t = Tensor::from_vec(ids, target_shape.clone(), &Device::Cpu).expect("targets");
        for dtype in [DType::F32, DType::F64, DType::F16] {
            let x = data(shape, dtype, false).expect("data");
            let w = data(&[classes], dtype, false).and_then(|w| w.affine(0.2, 1.0)).expect("weights");
            for (reduction, weighted) in Reduction::ALL
                .iter()
                .flat_map(|r| [(*r, false), (*r, true)])
                .filter(|u| *u != (Reduction::ByteMean, false))
            {
                let each = reduction == Reduction::None;
                let g = data(if each { &target_shape } else { &[] }, dtype, false).expect("gradient");
                for label_smoothing in [0.0, 0.25] {
                    let c = ClassLoss { reduction, ignore_index: -100, label_smoothing, weighted };
                    let mut ins = vec![x.clone(), t.clone()];
                    ins.extend(weighted.then(|| w.clone()));
                    let back: Vec<Tensor> = std::iter::once(g.clone()).chain(ins.clone()).collect();
                    let mut ops = vec![
                        (Op::CrossEntropy(CrossEntropy(c)), &ins, Bound::Scaled(8.0)),
                        (Op::CrossEntropyBackward(CrossEntropyBackward(c)), &back, Bound::Scaled(8.0)),
                    ];
                    if label_smoothing == 0.0 {
                        ops.push((Op::NllLoss(NllLoss(c)), &ins, Bound::Exact));
                        ops.push((Op::NllLossBackward(NllLossBackward(c)), &back, Bound::Exact));
                    }
                    for (op, ins, bound) in ops {
                        for form in [Form::Contiguous, Form::Transposed] {
                            let name = format!("{}/{shape:?}/{dtype:?}/{c:?}/{form:?}", op.name());
                            r.case(&name, || agree(&device, op.clone(), ins, form, &bound));
                        }
                    }
                }
            }
        }
    }
    r.finish(500);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn sorts_and_running_sums() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let shapes: [(&[usize], usize); 10] = [
        (&[20, 32], 1),
        (&[3, 33], 1),
        (&[33, 3], 0),
        (&[2, 2048], 1),
        (&[2, 2049], 1),
        (&[5000], 0),
        (&[2, 9000], 1),
        (&[2300, 2], 0),
        (&[40, 100], 1),
        (&[2, 100, 20], 1),
    ];
    for (shape, dim) in shapes {
        for dtype in DType::ALL.iter().copied().filter(|d| *d != DType::F8E4M3 && !d.is_complex()) {
            let x = data(shape, dtype, true).expect("data");
            for form in FORMS {
                for flag in [false, true] {
                    let positions = if flag { DType::I64 } else { DType::U32 };
                    let op = Op::ArgSort(ArgSort::all(dim, flag, positions));
                    let one = std::slice::from_ref(&x);
                    r.case(&format!("argsort/{shape:?}/{dtype:?}/{form:?}/{flag}"), || {
                        agree(&device, op, one, form, &Bound::Exact)
                    });
                    if dtype != DType::Bool {
                        r.case(&format!("cumsum/{shape:?}/{dtype:?}/{form:?}/{flag}"), || {
                            let op = Op::CumSum(CumSum { dim, reverse: flag });
                            agree(&device, op, one, form, &Bound::Exact)
                        });
                    }
                }
            }
        }
    }
    r.finish(500);
}

/// Lines that take several passes: of factors that the kernel has, of a prime length, and with other lines beside them.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn transforms_of_several_passes() {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Fft, Choice::Native);
    let mut r = Report::new();
    let shapes: [(&[usize], usize, DType); 4] = [
        (&[2, 6561], 1, DType::C64),
        (&[10007], 0, DType::C64),
        (&[1 << 15], 0, DType::C64),
        (&[1 << 11, 2], 0, DType::C128),
    ];
    for (shape, dim, dtype) in shapes {
        r.case(&format!("fft/{shape:?}/{dtype:?}"), || {
            let parts = [
                text(data(shape, dtype.real_part(), false))?,
                text(Tensor::rand(-1.0, 1.0, shape, &Device::Cpu))?,
            ];
            let x = text(parts[1].to_dtype(dtype.real_part()).and_then(|im| parts[0].complex(&im)))?;
            let op = Op::Fft(Fft { dim, inverse: shape.len() > 1, scale: 0.5 });
            let on = |d: &Device| text(x.to_device(d).and_then(|x| Ok(op.run(&[x])?.remove(0))));
            agrees(&op, std::slice::from_ref(&x), &on(&device)?, &on(&Device::Cpu)?)
        });
    }
    r.finish(4);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn random_numbers_and_steps() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let key = (0x1234_5678_9ABC_DEF0, 0x1_0000_0003);
    let dists = [
        Dist::Uniform { lo: -1.0, up: 2.0 },
        Dist::Uniform { lo: 1.0, up: 1.1 },
        Dist::Uniform { lo: -1000.0, up: 1000.0 },
        Dist::Normal { mean: 0.0, std: 1.0 },
        Dist::Normal { mean: 300.0, std: 200.0 },
        Dist::Integers { lo: 3, hi: 100 },
        Dist::Integers { lo: i64::MIN as i128, hi: i64::MAX as i128 + 1 },
        Dist::Integers { lo: -5, hi: 1 << 40 },
        Dist::Integers { lo: 0, hi: 1 << 32 },
        Dist::Bernoulli { p: 0.3 },
    ];
    for dist in dists {
        let op = Op::Random(Random { dist, key });
        for &dtype in DType::ALL.iter().filter(|d| op.inputs()[0].dtypes.contains(**d)) {
            for form in [Form::Contiguous, Form::Offset, Form::Stepped] {
                let x = Tensor::zeros((7, 715), dtype, &Device::Cpu).expect("zeros");
                let one = std::slice::from_ref(&x);
                // Some ranges contain no numbers of a dtype.
                if op.run(one).is_ok() {
                    r.case(&format!("{dist:?}/{dtype:?}/{form:?}"), || {
                        agree(&device, op.clone(), one, form, &Bound::Exact)
                    });
                }
            }
        }
    }
    let sgd = SgdStep { lr: 0.1, weight_decay: 0.05, ..SgdStep::default() };
    let momentum = SgdStep { momentum: 0.9, nesterov: true, ..sgd };
    let family = |op, numbers: &[f64]| {
        let step = OptimizerStep::new(op, numbers).expect("numbers");
        Op::OptimizerStep(OptimizerStep { keep: 0.875, weight_decay: 0.1, ..step })
    };
    let steps = [
        (Op::Dropout(Dropout { p: 0.4, key }), 1),
        (Op::SgdStep(sgd), 2),
        (Op::SgdStep(momentum), 3),
        (Op::AdamStep(AdamStep::adam(3)), 4),
        (Op::AdamStep(AdamStep::adamw(7)), 4),
        (Op::RmspropStep(RmspropStep::default()), 3),
        (Op::RmspropStep(RmspropStep { momentum: 0.9, weight_decay: 0.1, ..RmspropStep::default() }), 4),
        (Op::AdagradStep(AdagradStep::new(3)), 3),
        (family(StepOp::Amsgrad, &[0.9, 0.999, 1e-8, 0.05, -0.01]), 5),
        (family(StepOp::Adamax, &[0.9, 0.999, 1e-8, -0.02]), 4),
        (family(StepOp::Nadam, &[0.9, 0.999, 1e-8, 0.003, -0.01, -0.02]), 4),
        (family(StepOp::Radam, &[0.9, 0.999, 1e-8, -0.01, 1.0]), 4),
        (family(StepOp::Adadelta, &[0.9, 1e-6, 1.0]), 4),
        (family(StepOp::Rprop, &[0.5, 1.2, 1e-6, 50.0]), 4),
        (family(StepOp::Asgd, &[0.01, 0.25]), 3),
        (family(StepOp::Lion, &[0.9, 0.99, 1e-3]), 3),
    ];
    for (op, n) in steps {
        for dtype in FLOATS {
            let x = data(&[7, 715], dtype, false).and_then(|x| x.affine(1.0, 2.5)).expect("data");
            for form in [Form::Contiguous, Form::Offset, Form::Stepped, Form::Transposed] {
                r.case(&format!("{}/{n}/{dtype:?}/{form:?}", op.name()), || {
                    agree(&device, op.clone(), &vec![x.clone(); n], form, &Bound::Exact)
                });
            }
        }
    }
    r.finish(150);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_step_after_an_index_error_changes_nothing() -> Result<()> {
    let (device, _) = gpu();
    let x = Tensor::zeros((40, 3), DType::F32, &device)?;
    let p = Tensor::ones(1000, DType::F32, &device)?;
    device.synchronize()?;
    let bad = Tensor::full(3u32, 40, &device)?;
    let _loss = x.cross_entropy(&bad, Reduction::Mean, -100, 0.0)?;
    p.sgd_step(None, &p.copy()?, SgdStep { lr: 0.5, ..SgdStep::default() })?;
    let error = device.synchronize().expect_err("an index is out of range").to_string();
    assert!(error.contains("cross_entropy") && error.contains('3'), "{error}");
    assert_eq!(p.sum_all()?.to_scalar::<f32>()?, 1000.0);
    // The error is returned once; the following step works.
    p.sgd_step(None, &p.copy()?, SgdStep { lr: 0.5, ..SgdStep::default() })?;
    assert_eq!(p.sum_all()?.to_scalar::<f32>()?, 500.0);
    Ok(())
}
