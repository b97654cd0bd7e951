//! Optimizer steps against PyTorch 2.13's trajectories (in f64), and their rules.
use rushlight::ops::accumulate_norm::AccumulateNorm;
use rushlight::ops::adagrad_step::AdagradStep;
use rushlight::ops::adam_step::AdamStep;
use rushlight::ops::optimizer_step::{OptimizerStep, StepOp};
use rushlight::ops::rmsprop_step::RmspropStep;
use rushlight::ops::sgd_step::SgdStep;
use rushlight::ops::{Op, Role};
use rushlight::{DType, Device, Result, Tensor, Var, autograd};

const CPU: &Device = &Device::Cpu;
const GRADS: [[f64; 3]; 5] =
    [[1., -0.5, 0.25], [0.5, 1.5, -1.], [-0.25, 0.5, 1.], [2., -2., 0.], [0.1, 0.2, 0.3]];

/// The parameter after the steps of the gradients, `rounds` times, in a dtype; `strided`: among other elements.
fn descend_rounds(
    rounds: usize,
    dtype: DType,
    strided: bool,
    step: impl Fn(u64, &[Tensor; 4], &Tensor) -> Result<()>,
) -> Result<Vec<f64>> {
    let make = |v: [f64; 3]| -> Result<Tensor> {
        let t = Tensor::new(&v, CPU)?.to_dtype(dtype)?;
        if !strided {
            return Ok(t);
        }
        Tensor::stack(&[&t, &t.ones_like()?], 1)?.narrow(1, 0, 1)?.squeeze(1)
    };
    let state = [make([0.5, -1., 2.])?, make([0.; 3])?, make([0.; 3])?, make([0.; 3])?];
    for (i, g) in GRADS.iter().cycle().take(rounds * GRADS.len()).enumerate() {
        step(i as u64 + 1, &state, &make(*g)?)?;
    }
    state[0].to_dtype(DType::F64)?.to_vec1()
}

/// The parameter after five steps.
fn descend(
    dtype: DType,
    strided: bool,
    step: impl Fn(u64, &[Tensor; 4], &Tensor) -> Result<()>,
) -> Result<Vec<f64>> {
    descend_rounds(1, dtype, strided, step)
}

#[track_caller]
fn close(got: &[f64], want: &[f64], tol: f64) {
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= tol * w.abs().max(1.0), "{got:?} is not {want:?}");
    }
}

#[test]
fn optimizers_follow_pytorch() -> Result<()> {
    let sgd = SgdStep { lr: 0.1, ..SgdStep::default() };
    let heavy = SgdStep { lr: 0.05, momentum: 0.8, weight_decay: 0.1, ..sgd };
    let sgds = [
        (sgd, [0.165, -0.97, 1.945]),
        (
            SgdStep { weight_decay: 0.05, ..sgd },
            [0.1561063077484375, -0.9445037593406249, 1.8954987562281254],
        ),
        (SgdStep { momentum: 0.9, ..sgd }, [-0.40371, -1.086595, 1.9405225]),
        (SgdStep { dampening: 0.3, ..heavy }, [0.1527668005367155, -0.9493876678056231, 1.8753512667918735]),
        (
            SgdStep { nesterov: true, ..heavy },
            [-0.009846110574914593, -0.9354679574829059, 1.8073791880146792],
        ),
    ];
    let adam = AdamStep { lr: 0.01, ..AdamStep::adam(1) };
    let adamw = AdamStep { lr: 0.1, ..AdamStep::adamw(1) };
    let adams = [
        (adam, [0.461272556814367, -0.9980458156686017, 1.991117708470535]),
        (
            AdamStep { lr: 0.1, beta1: 0.5, beta2: 0.9, eps: 1e-3, weight_decay: 0.1, ..adam },
            [0.13383432236048395, -0.9334069856496208, 1.7976813513989285],
        ),
        (adamw, [0.11109538265033468, -0.9756237625553629, 1.9014667119016013]),
        (
            AdamStep { beta1: 0.8, beta2: 0.95, eps: 1e-3, weight_decay: 0.2, ..adamw },
            [0.08828767020608187, -0.8838315239592731, 1.7181476512496883],
        ),
    ];
    let plain = RmspropStep::default();
    let rmsprops = [
        (plain, [0.28567634103662143, -0.9556698387672904, 1.906521376946561]),
        (
            RmspropStep { alpha: 0.25, eps: 0.1, weight_decay: 0.1, centered: true, ..plain },
            [0.4476594331403004, -0.9901483719299353, 1.966379021909998],
        ),
        (
            RmspropStep { alpha: 0.9, momentum: 0.5, maximize: true, ..plain },
            [0.6196777133354111, -1.0225039004101375, 2.050541279756655],
        ),
        (
            RmspropStep { alpha: 0.9, momentum: 0.5, centered: true, eps: 0.1, ..plain },
            [0.3974132241698431, -0.992903464939569, 1.9791236148920919],
        ),
    ];
    let adagrad = AdagradStep { lr: 0.1, ..AdagradStep::new(1) };
    let adagrads = [
        (adagrad, [0.28599371484690117, -0.9557147239502611, 1.9069352423713546]),
        (
            AdagradStep { lr_decay: 0.5, weight_decay: 0.1, eps: 1e-3, maximize: true, ..adagrad },
            [0.6489436061445384, -1.043395406683733, 2.055480163216923],
        ),
    ];
    for (dtype, tol) in [(DType::F64, 1e-14), (DType::F32, 5e-7), (DType::F16, 4e-3), (DType::BF16, 3e-2)] {
        for strided in [false, true] {
            for (c, want) in sgds {
                let p = descend(dtype, strided, |t, [p, buf, ..], g| {
                    p.sgd_step(Some(buf), g, SgdStep { first: t == 1, ..c })
                })?;
                close(&p, &want, tol);
            }
            for (c, want) in adams {
                let p = descend(dtype, strided, |step, [p, m, v, _], g| {
                    p.adam_step(m, v, g, AdamStep { step, ..c })
                })?;
                close(&p, &want, tol);
            }
            for (c, want) in rmsprops {
                let p = descend(dtype, strided, |_, [p, square, mean, buf], g| {
                    p.rmsprop_step(square, Some(mean), Some(buf), g, c)
                })?;
                close(&p, &want, tol);
            }
            for (c, want) in adagrads {
                let p = descend(dtype, strided, |step, [p, sum, ..], g| {
                    p.adagrad_step(sum, g, AdagradStep { step, ..c })
                })?;
                close(&p, &want, tol);
            }
        }
    }
    Ok(())
}

/// A step of the family: `numbers` computes on the host what PyTorch computes there, in f64 (its default dtype being float64).
struct Family {
    op: StepOp,
    rounds: usize,
    keep: f64,
    weight_decay: f64,
    maximize: bool,
    numbers: fn(i32) -> Vec<f64>,
    want: [f64; 3],
}

#[test]
fn steps_of_the_family_follow_pytorch() -> Result<()> {
    let plain = |op, numbers, want| Family {
        op,
        rounds: 1,
        keep: 1.0,
        weight_decay: 0.1,
        maximize: false,
        numbers,
        want,
    };
    let cases = [
        plain(
            StepOp::Amsgrad,
            |t| vec![0.5, 0.9, 1e-3, (1.0 - 0.9f64.powi(t)).sqrt(), -0.1 / (1.0 - 0.5f64.powi(t))],
            [0.1375951154921919, -0.9340617833852106, 1.8015854530509932],
        ),
        Family {
            maximize: true,
            ..plain(
                StepOp::Adamax,
                |t| vec![0.5, 0.9, 1e-3, -0.1 / (1.0 - 0.5f64.powi(t))],
                [0.7673037542284218, -1.0344283557883154, 2.0405984120536025],
            )
        },
        Family {
            keep: 1.0 - 0.1 * 0.1,
            weight_decay: 0.0,
            ..plain(
                StepOp::Nadam,
                |t| {
                    let mu = |t: i32| 0.5 * (1.0 - 0.5 * 0.96f64.powf(0.1 * f64::from(t)));
                    let product: f64 = (1..=t).map(mu).product();
                    let after = mu(t + 1);
                    let correction = 1.0 - 0.9f64.powi(t);
                    let rates = [(1.0 - mu(t)) / (1.0 - product), after / (1.0 - product * after)];
                    vec![0.5, 0.9, 1e-3, correction, -0.1 * rates[0], -0.1 * rates[1]]
                },
                [0.15853621706837326, -0.8946170287839377, 1.7671890688679321],
            )
        },
        // The steps from the sixth on are rectified.
        Family {
            rounds: 2,
            ..plain(
                StepOp::Radam,
                |t| {
                    let (power, most) = (0.95f64.powi(t), 2.0 / (1.0 - 0.95) - 1.0);
                    let r = most - 2.0 * f64::from(t) * power / (1.0 - power);
                    let ratio = (r - 4.0) * (r - 2.0) * most / ((most - 4.0) * (most - 2.0) * r);
                    let factor = if r > 5.0 { ratio.sqrt() * (1.0 - power).sqrt() } else { 1.0 };
                    let rectified = f64::from(u8::from(r > 5.0));
                    vec![0.5, 0.95, 1e-3, -0.1 / (1.0 - 0.5f64.powi(t)) * factor, rectified]
                },
                [0.03942526372834012, -0.9256199211727255, 1.807858500707621],
            )
        },
        plain(
            StepOp::Adadelta,
            |_| vec![0.75, 1e-3, 0.5],
            [0.4092239634769178, -0.9820472182204565, 1.9221237436858642],
        ),
        Family {
            weight_decay: 0.0,
            ..plain(StepOp::Rprop, |_| vec![0.25, 1.5, 0.05, 0.12], [0.25, -1.05, 1.85])
        },
        Family {
            keep: 1.0 - 0.5 * 0.125,
            ..plain(
                StepOp::Asgd,
                |t| vec![0.125, if t < 5 { 1.0 } else { 0.5 }],
                [-0.019395766601562454, -0.6270552197265625, 1.2859747338867187],
            )
        },
        // NumPy's numbers: PyTorch has no Lion.
        Family {
            keep: 1.0 - 0.1 * 0.2,
            weight_decay: 0.0,
            ..plain(
                StepOp::Lion,
                |_| vec![0.5, 0.75, 0.1],
                [-0.02843561759999999, -0.8038431807999998, 1.5156839775999995],
            )
        },
        // NumPy's numbers, too.
        plain(
            StepOp::Lars,
            |_| vec![0.5, 1e-3, 0.1],
            [0.30310804812374886, -0.9996692516699772, 1.8089491434500664],
        ),
        Family {
            maximize: true,
            ..plain(
                StepOp::LarsMomentum,
                |t| vec![0.75, 0.5, 1e-3, 0.1, f64::from(u8::from(t == 1)), 1.0],
                [0.9311687182143156, -0.7714540573064876, 2.006721036139076],
            )
        },
        plain(
            StepOp::Lamb,
            |t| {
                let (root, rate) = ((1.0 - 0.9f64.powi(t)).sqrt(), 1.0 / (1.0 - 0.5f64.powi(t)));
                vec![0.5, 0.9, 1e-3, root, rate, 0.1]
            },
            [-0.1383421759448794, -0.9298817313274349, 1.6152600252464835],
        ),
    ];
    for (dtype, tol) in [(DType::F64, 1e-14), (DType::F32, 5e-7), (DType::F16, 4e-3), (DType::BF16, 3e-2)] {
        for strided in [false, true] {
            for c in &cases {
                let states = Op::OptimizerStep(OptimizerStep::new(c.op, &(c.numbers)(1))?).targets() - 1;
                let p = descend_rounds(c.rounds, dtype, strided, |t, [p, a, b, d], g| {
                    let states = &[a, b, d][..states];
                    let step = OptimizerStep::new(c.op, &(c.numbers)(t as i32))?;
                    let Family { keep, weight_decay, maximize, .. } = *c;
                    p.optimizer_step(states, g, OptimizerStep { keep, weight_decay, maximize, ..step })
                })?;
                close(&p, &c.want, tol);
            }
        }
    }
    // The average of ASGD: the parameter, and from the fifth step on the mean with it.
    let average = std::cell::RefCell::new(Vec::new());
    descend(DType::F64, false, |t, [p, a, ..], g| {
        let step = OptimizerStep::new(StepOp::Asgd, &[0.125, if t < 5 { 1.0 } else { 0.5 }])?;
        p.optimizer_step(&[a], g, OptimizerStep { keep: 0.9375, weight_decay: 0.1, ..step })?;
        *average.borrow_mut() = a.to_vec1()?;
        Ok(())
    })?;
    close(&average.borrow(), &[-0.013425324707031203, -0.6389628637695313, 1.3583791149902342], 1e-14);
    let p = Tensor::new(&[1f32], CPU)?;
    let text = |r: Result<()>| r.unwrap_err().to_string();
    let lion = OptimizerStep::new(StepOp::Lion, &[0.5, 0.75, 0.1])?;
    assert!(text(p.optimizer_step(&[], &p, lion)).contains("lion_step"));
    let wrong = OptimizerStep::new(StepOp::Lion, &[0.5, 1.0, 0.1])?;
    assert!(
        text(p.optimizer_step(&[&p.copy()?], &p, wrong))
            .contains("lion_step: beta2 must be at least 0 and below 1, got 1.0")
    );
    let few = OptimizerStep::new(StepOp::Lion, &[0.5]).unwrap_err().to_string();
    assert!(few.contains("lion_step") && few.contains("takes 3 numbers, got 1"), "{few}");
    Ok(())
}

#[test]
fn run_inplace_each_is_the_calls_one_after_the_other() -> Result<()> {
    let device = Device::new_testdev(0);
    let make = |v: f32, dtype| Tensor::new(&[v, 2.0 * v], &device)?.to_dtype(dtype);
    let op = Op::SgdStep(SgdStep { lr: 0.5, ..SgdStep::default() });
    let (p, q, g) = (make(1.0, DType::F32)?, make(3.0, DType::F64)?, make(2.0, DType::F32)?);
    let wide = g.to_dtype(DType::F64)?;
    Tensor::run_inplace_each(op.clone(), &[(&[&p], &[&g]), (&[&q], &[&wide])], &[])?;
    assert_eq!((p.to_vec1::<f32>()?, q.to_vec1::<f64>()?), (vec![0.0, 0.0], vec![2.0, 4.0]));
    // Tensors on two devices.
    let here = Tensor::new(&[1f32], CPU)?;
    Tensor::run_inplace_each(op.clone(), &[(&[&p], &[&g]), (&[&here], &[&here.copy()?])], &[])?;
    assert_eq!((p.to_vec1::<f32>()?, here.to_vec1::<f32>()?), (vec![-1.0, -2.0], vec![0.5]));
    // A gradient that is another call's parameter is read before it changes; views of one storage go one by one.
    let all = Tensor::new(&[1f32, 2., 3.], CPU)?;
    let [a, b] = [all.narrow(0, 0, 1)?, all.narrow(0, 1, 2)?];
    Tensor::run_inplace_each(op.clone(), &[(&[&a], &[&here]), (&[&b], &[&b])], &[])?;
    assert_eq!(all.to_vec1::<f32>()?, [0.75, 1.0, 1.5]);
    // An error changes nothing, and an empty list is allowed.
    let bad = Tensor::run_inplace_each(op.clone(), &[(&[&here], &[&a]), (&[&b], &[&a])], &[]);
    assert!(bad.unwrap_err().to_string().contains("shape mismatch in sgd_step"));
    assert_eq!(here.to_vec1::<f32>()?, [0.5]);
    Tensor::run_inplace_each(op, &[], &[])
}

#[test]
fn gradients_are_unscaled_and_checked() -> Result<()> {
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        for (values, expected) in [([1.0, -3.0], 0.0), ([f64::INFINITY, 1.0], 1.0), ([1.0, f64::NAN], 1.0)] {
            let g = Tensor::new(&values, CPU)?.to_dtype(dtype)?;
            let found = Tensor::zeros((), wide, CPU)?;
            let factor = Tensor::new(0.25f64, CPU)?.to_dtype(wide)?;
            g.unscale_and_check_finite(&found, &factor)?;
            let got = g.to_dtype(DType::F64)?.to_vec1::<f64>()?;
            assert!(
                got.iter().zip(values).all(|(g, v)| *g == 0.25 * v || v.is_nan() && g.is_nan()),
                "{got:?}"
            );
            assert_eq!(found.to_dtype(DType::F64)?.to_scalar::<f64>()?, expected);
        }
    }
    Ok(())
}

#[test]
fn joint_norms_add_the_tensors_in_their_order() -> Result<()> {
    let values =
        |n: usize, k: usize| (0..n).map(|i| ((i * 37 + k) % 101) as f64 / 16.0 - 3.0).collect::<Vec<_>>();
    let data = [values(7, 1), values(3000, 2), Vec::new(), values(64, 3)];
    for device in [CPU.clone(), Device::new_testdev(0)] {
        for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
            let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
            let make = |v: &Vec<f64>| Tensor::from_slice(v, v.len(), &device)?.to_dtype(dtype);
            let mut tensors = data.iter().map(make).collect::<Result<Vec<_>>>()?;
            tensors[3] = tensors[3].reshape((8, 8))?.t()?;
            for order in [1.0, 2.0, 3.0, f64::INFINITY] {
                let (op, first) = (Op::AccumulateNorm(AccumulateNorm { order }), Tensor::new(0.5, &device)?);
                let (one_by_one, together) = (first.to_dtype(wide)?.copy()?, first.to_dtype(wide)?.copy()?);
                tensors.iter().try_for_each(|x| one_by_one.accumulate_norm(x, order))?;
                let inputs: Vec<[&Tensor; 1]> = tensors.iter().map(|x| [x]).collect();
                let calls: Vec<(&[&Tensor], &[&Tensor])> = inputs.iter().map(|x| (&[][..], &x[..])).collect();
                Tensor::run_inplace_each(op, &calls, &[&together])?;
                let [one_by_one, together] =
                    [one_by_one, together].map(|t| t.to_dtype(DType::F64)?.to_scalar::<f64>());
                let (one_by_one, together) = (one_by_one?, together?);
                assert_eq!(one_by_one, together);
                // The values are multiples of 1/16, which every dtype holds.
                let terms = data.iter().flatten().map(|v| v.abs());
                let want = match order {
                    f64::INFINITY => terms.fold(0.5, f64::max),
                    _ => 0.5 + terms.map(|v| v.powf(order)).sum::<f64>(),
                };
                close(&[together], &[want], if wide == DType::F64 { 1e-14 } else { 1e-6 });
            }
        }
    }
    Ok(())
}

#[test]
fn a_joint_norm_keeps_nan_and_clipping_too() -> Result<()> {
    let x = Tensor::new(&[1f32, f32::NAN, f32::NEG_INFINITY, -0.25], CPU)?;
    for order in [1.0, 2.0, 0.5, f64::INFINITY] {
        let total = Tensor::new(2f32, CPU)?;
        total.accumulate_norm(&x, order)?;
        assert!(total.to_scalar::<f32>()?.is_nan());
        total.accumulate_norm(&x.narrow(0, 0, 1)?, order)?;
        assert!(total.to_scalar::<f32>()?.is_nan());
    }
    x.clip_value(-0.5, 0.75)?;
    let got = x.to_vec1::<f32>()?;
    assert!(got[0] == 0.75 && got[1].is_nan() && got[2..] == [-0.5, -0.25], "{got:?}");
    // A variable only without recording.
    let p = Var::new(&[3f32], CPU)?;
    assert!(p.clip_value(0.0, 1.0).unwrap_err().to_string().contains("under no_grad"));
    Ok(())
}

#[test]
fn optimizer_steps_keep_their_rules() -> Result<()> {
    let p = Var::new(&[1f32, 2.], CPU)?;
    let z = || Tensor::zeros(2, DType::F32, CPU);
    let (m, v, g) = (z()?, z()?, Tensor::new(&[1f32, -1.], CPU)?);
    let (sgd, adam) = (SgdStep { lr: 0.5, ..SgdStep::default() }, AdamStep::adam(1));
    let text = |r: Result<()>| r.unwrap_err().to_string();
    // A variable only without recording; what a gradient still needs is not changed silently.
    assert!(text(p.sgd_step(None, &g, sgd)).contains("under no_grad"));
    assert!(text(p.adam_step(&m, &v, &g, adam)).contains("under no_grad"));
    let y = p.sqr()?;
    autograd::no_grad(|| p.sgd_step(None, &g, sgd))?;
    assert_eq!(p.to_vec1::<f32>()?, [0.5, 2.5]);
    assert!(y.backward().unwrap_err().to_string().contains("changed in place"));
    // A gradient that is the parameter itself is read first; the states must be separate tensors.
    let q = Tensor::new(&[4f32, 8.], CPU)?;
    q.sgd_step(None, &q, sgd)?;
    assert_eq!(q.to_vec1::<f32>()?, [2., 4.]);
    assert!(q.adam_step(&m, &m, &g, adam).is_err());
    assert!(text(q.sgd_step(None, &g, SgdStep { momentum: 0.9, ..sgd })).contains("needs a buffer"));
    assert!(text(q.adam_step(&m, &v, &g.to_dtype(DType::F64)?, adam)).contains("dtype mismatch"));
    assert!(
        text(q.adam_step(&m, &v, &g, AdamStep { step: 0, ..adam }))
            .contains("step must be a number of at least 1, got 0")
    );
    assert!(text(q.sgd_step(None, &g, SgdStep { lr: f64::INFINITY, ..sgd })).contains("lr must be a number"));
    assert_eq!(q.to_vec1::<f32>()?, [2., 4.]);
    Ok(())
}

#[test]
fn steps_have_the_same_bits_everywhere() -> Result<()> {
    let n = 100_000;
    let device = Device::new_testdev(0);
    let make = |k: f64| Tensor::arange(0f32, n as f32, CPU)?.affine(k, 0.3)?.sin();
    let (a, b) = (make(0.7)?, make(1.3)?.sqr()?);
    let run = |d: &Device| -> Result<Vec<Vec<f32>>> {
        let copy = |t: &Tensor| t.copy()?.to_device(d);
        let state = [copy(&a)?, copy(&a)?, copy(&b)?];
        let g = make(2.9)?.to_device(d)?;
        state[0].adam_step(&state[1], &state[2], &g, AdamStep::adamw(3))?;
        let momentum = SgdStep { momentum: 0.9, ..SgdStep::default() };
        state[0].sgd_step(Some(&state[1]), &g, momentum)?;
        state.iter().map(|t| t.to_vec1()).collect()
    };
    let cpu = run(CPU)?;
    assert_eq!(cpu, run(&device)?);
    // Element by element, written out as the documentation has it.
    let c = AdamStep::adamw(3);
    let k = c.constants();
    for i in [0, 777, n - 1] {
        let at = |t: &Tensor| t.to_vec1::<f32>().map(|v| v[i]);
        let (mut p, mut m, mut v, g) = (at(&a)?, at(&a)?, at(&b)?, at(&make(2.9)?)?);
        p *= k.keep as f32;
        m += k.w1 as f32 * (g - m);
        v = v * c.beta2 as f32 + (k.w2 as f32 * g) * g;
        p += (k.rate as f32 * m) / (v.sqrt() / k.root as f32 + c.eps as f32);
        m = 0.9 * m + 1.0 * g;
        p -= 1e-3 * m;
        assert_eq!([cpu[0][i], cpu[1][i], cpu[2][i]], [p, m, v]);
    }
    Ok(())
}

#[test]
fn op_definitions_name_the_inputs_that_they_update() {
    let mut seen = 0;
    for s in Op::all_samples() {
        let n = match &s.op {
            Op::SgdStep(c) => usize::from(c.momentum != 0.0) + 1,
            Op::AdamStep(_) => 3,
            Op::RmspropStep(c) => 2 + usize::from(c.momentum != 0.0) + usize::from(c.centered),
            Op::AdagradStep(_) => 2,
            Op::OptimizerStep(c) => match c.op {
                StepOp::Amsgrad => 4,
                StepOp::Lars => 1,
                StepOp::Asgd | StepOp::Lion | StepOp::LarsMomentum => 2,
                _ => 3,
            },
            _ => continue,
        };
        assert_eq!(s.op.role(), Role::InOut(n));
        assert_eq!(s.op.inputs().len(), n + 1);
        seen += 1;
    }
    assert!(seen > 20);
}
