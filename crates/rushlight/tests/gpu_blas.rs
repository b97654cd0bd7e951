//! Matrix products by rocBLAS or cuBLAS and by our kernels, compared with the CPU; warnings if the library cannot be
//! used. Ignored by default, see `gpu.rs`. RUSHLIGHT_VGPU_FAULT makes the virtual GPU's library fail as the real one does.
mod common;
use common::device::{Bound, Gpu, compare, gpu};
use common::report::{Check, Report, text};
use common::vendor::{Chosen, Names, child, data, warning};
use rushlight::gpu::{Choice, Family};
use rushlight::ops::Op;
use rushlight::ops::addmm::AddMm;
use rushlight::ops::matmul::MatMul;
use rushlight::{DType, Device, Result, Tensor};
use rushlight_parity::sweep::{Case, Form, lay};

const FLOATS: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::BF16];
const BOUND: Bound = Bound::Scaled(16.0);

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn every_sample_agrees_by_either() {
    let (device, handle) = gpu();
    let mut r = Report::new();
    for choice in [Choice::Native, Choice::Auto] {
        let _chosen = Chosen::new(&handle, Family::Blas, choice);
        for case in Case::all()
            .iter()
            .filter(|c| c.error.is_none() && ["matmul", "addmm"].contains(&c.op.definition()))
        {
            r.case(&format!("{choice:?} {}", case.name), || {
                let want = text(case.run(&text(case.tensors(&Device::Cpu))?))?;
                let before = handle.counters();
                let got = text(case.run(&text(case.tensors(&device))?))?;
                let after = handle.counters();
                if choice == Choice::Native && after.blas_calls != before.blas_calls {
                    return Err("the library was called".to_string());
                }
                let bound = if want[0].dtype().is_float() { BOUND } else { Bound::Exact };
                compare(&bound, &got[0], &want[0])
            });
        }
    }
    r.finish(500);
}

/// Computes a product on the device and on the CPU, and compares them. Checks the numbers of library calls and
/// launches.
fn agree(
    device: &Device,
    handle: &Gpu,
    op: Op,
    ins: &[Tensor],
    view: &dyn Fn(usize, Tensor) -> Result<Tensor>,
    calls: u64,
    launches: u64,
) -> Check {
    let operands = |device: &Device| -> Result<Vec<Tensor>> {
        ins.iter().enumerate().map(|(i, t)| view(i, t.to_device(device)?)).collect()
    };
    let want = text(op.run(&text(operands(&Device::Cpu))?))?;
    let there = text(operands(device))?;
    // The first call runs the library's one-time checks, which are not counted.
    text(op.run(&there))?;
    handle.reset_peak();
    let (before, held) = (handle.counters(), handle.memory_stats());
    let got = text(op.run(&there))?;
    let (after, now) = (handle.counters(), handle.memory_stats());
    let made = (after.blas_calls - before.blas_calls, after.launches - before.launches);
    if made != (calls, launches) {
        return Err(format!("{made:?} calls and launches, expected {:?}", (calls, launches)));
    }
    if now.peak - held.live != now.live - held.live {
        return Err("something was copied first".to_string());
    }
    compare(&BOUND, &got[0], &want[0])
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn layouts_are_taken_as_they_lie() {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Blas, Choice::Auto);
    // cuBLAS adds to the result's memory only, so the summand is copied there.
    let copied = u64::from(matches!(handle, Gpu::Cuda(_)));
    let mut r = Report::new();
    let matmul = || Op::MatMul(MatMul);
    let same = |_: usize, t: Tensor| Ok(t);
    for dtype in FLOATS {
        let two = |a: &[usize], b: &[usize]| [data(a, dtype).expect("a"), data(b, dtype).expect("b")];
        let mut case =
            |name: &str, ins: &[Tensor], view: &dyn Fn(usize, Tensor) -> Result<Tensor>, calls, launches| {
                r.case(&format!("{name}/{dtype:?}"), || {
                    agree(&device, &handle, matmul(), ins, view, calls, launches)
                });
            };
        case("plain", &two(&[33, 20], &[20, 17]), &same, 1, 0);
        case("left transposed", &two(&[20, 33], &[20, 17]), &|i, t| if i == 0 { t.t() } else { Ok(t) }, 1, 0);
        case(
            "right transposed",
            &two(&[33, 20], &[17, 20]),
            &|i, t| if i == 1 { t.t() } else { Ok(t) },
            1,
            0,
        );
        case("both transposed", &two(&[20, 33], &[17, 20]), &|_, t| t.t(), 1, 0);
        case("parts of rows", &two(&[33, 30], &[20, 40]), &|i, t| t.narrow(1, 3, [20, 17][i]), 1, 0);
        case("one row", &two(&[1, 20], &[20, 17]), &same, 1, 0);
        case("one column", &two(&[33, 20], &[20, 1]), &same, 1, 0);
        case("one of k", &two(&[33, 1], &[1, 17]), &same, 1, 0);
        case(
            "a column of a matrix",
            &two(&[33, 20], &[20, 9]),
            &|i, t| if i == 1 { t.narrow(1, 4, 1) } else { Ok(t) },
            1,
            0,
        );
        case("a batch", &two(&[3, 9, 20], &[3, 20, 7]), &same, 1, 0);
        case("two batch dimensions", &two(&[2, 3, 9, 20], &[2, 3, 20, 7]), &same, 1, 0);
        case(
            "a right side for all",
            &two(&[3, 9, 20], &[20, 7]),
            &|i, t| if i == 1 { t.broadcast_as((3, 20, 7)) } else { Ok(t) },
            1,
            0,
        );
        case(
            "a left side for all",
            &two(&[9, 20], &[3, 20, 7]),
            &|i, t| if i == 0 { t.broadcast_as((3, 9, 20)) } else { Ok(t) },
            1,
            0,
        );
        case(
            "turned batch dimensions",
            &two(&[4, 3, 9, 20], &[3, 4, 20, 7]),
            &|i, t| if i == 0 { t.transpose(0, 1) } else { Ok(t) },
            3,
            0,
        );
        case(
            "heads",
            &two(&[2, 9, 4, 20], &[2, 7, 4, 20]),
            &|i, t| {
                let t = t.transpose(1, 2)?;
                if i == 1 { t.t() } else { Ok(t) }
            },
            2,
            0,
        );
        // Neither rows nor columns are contiguous, or one row is broadcast to all rows: our kernel runs.
        case("stepped", &two(&[33, 20], &[20, 17]), &|_, t| lay(&t, Form::Stepped), 0, 1);
        case(
            "one row for all",
            &two(&[1, 20], &[20, 17]),
            &|i, t| if i == 0 { t.broadcast_as((33, 20)) } else { Ok(t) },
            0,
            1,
        );

        let x = data(&[33, 17], dtype).expect("x");
        for (name, shape, beta, launches) in [
            ("matrix", vec![33, 17], 1.0, copied),
            ("bias", vec![17], 0.5, 1),
            ("column", vec![33, 1], -2.0, 1),
            ("unread", vec![17], 0.0, 0),
        ] {
            let op = Op::AddMm(AddMm { beta, alpha: 1.5 });
            let n = shape.iter().product();
            let x = x
                .flatten_all()
                .and_then(|x| x.narrow(0, 0, n)?.reshape(shape))
                .and_then(|x| x.copy())
                .expect("x");
            let [a, b] = two(&[33, 20], &[20, 17]);
            r.case(&format!("addmm {name}/{dtype:?}"), || {
                agree(
                    &device,
                    &handle,
                    op,
                    &[x, a, b],
                    &|i, t| if i == 0 { t.broadcast_as((33, 17)) } else { Ok(t) },
                    1,
                    launches,
                )
            });
        }
    }
    r.finish(80);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_factor_of_zero_and_what_is_not_read() -> Result<()> {
    let (device, handle) = gpu();
    for choice in [Choice::Native, Choice::Auto] {
        let _chosen = Chosen::new(&handle, Family::Blas, choice);
        let one = |v: f32| Tensor::new(&[[v]], &device);
        // With alpha 0, 0 times NaN must give NaN. With beta 0, x is not read.
        let zero = one(1.0)?.addmm(&one(f32::NAN)?, &one(2.0)?, 1.0, 0.0)?;
        assert!(zero.to_vec2::<f32>()?[0][0].is_nan());
        let unread = one(f32::NAN)?.addmm(&one(3.0)?, &one(2.0)?, 0.0, 1.0)?;
        assert_eq!(unread.to_vec2::<f32>()?, [[6.0]]);
        // An inner dimension of size 0 gives zeros, also in a new product.
        let (a, b) =
            (Tensor::zeros((3, 0), DType::F32, &device)?, Tensor::zeros((0, 2), DType::F32, &device)?);
        assert_eq!(a.matmul(&b)?.to_vec2::<f32>()?, [[0.0; 2]; 3]);
    }
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn deterministic_takes_our_kernels() -> Result<()> {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Blas, Choice::Auto);
    let a = data(&[9, 20], DType::F32)?.to_device(&device)?;
    let b = data(&[20, 7], DType::F32)?.to_device(&device)?;
    let calls = |on: bool| -> Result<u64> {
        rushlight::set_deterministic(on);
        let before = handle.counters().blas_calls;
        let done = a.matmul(&b);
        rushlight::set_deterministic(false);
        done?;
        Ok(handle.counters().blas_calls - before)
    };
    assert_eq!((calls(true)?, calls(false)?), (0, 1));
    Ok(())
}

/// Products of several dtypes. The test below runs this one with each fault of the library.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn products() {
    let (device, handle) = gpu();
    // Users do not expect the library to multiply integers, so this is reported only if they require the library.
    let by_name = handle.choice(Family::Blas) == Choice::Vendor;
    for dtype in FLOATS.into_iter().chain((!by_name).then_some(DType::I32)) {
        for turn in [false, true] {
            let a = data(&[9, 20], dtype).expect("a");
            let b = data(if turn { &[7, 20] } else { &[20, 7] }, dtype).expect("b");
            let run = |device: &Device| -> Result<Tensor> {
                let (a, b) = (a.to_device(device)?, b.to_device(device)?);
                a.matmul(&if turn { b.t()? } else { b })
            };
            let want = run(&Device::Cpu).expect("the CPU's product");
            let got = run(&device).unwrap_or_else(|e| panic!("{e}"));
            compare(&BOUND, &got, &want).expect("the product");
        }
    }
    println!("{} by {}", handle.counters().blas_calls, Names::of(&handle).blas);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_missing_library_function_warns_once_and_our_kernels_run() {
    let (_, handle) = gpu();
    let Names { blas, device, .. } = Names::of(&handle);
    let (warning, rocm) = (warning(blas), matches!(handle, Gpu::Rocm(_)));
    let by = |calls: u64| format!("{calls} by {blas}");
    let empty =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("no-tensile-{}", std::process::id()));
    std::fs::create_dir_all(&empty).expect("a folder");
    let empty = empty.to_str().expect("a name");
    let (fine, text) = child("products", &[("RUSHLIGHT_BLAS", "auto")]);
    assert!(fine && text.contains(&by(8)) && !text.contains(&warning), "{text}");
    let (fine, text) = child("products", &[("RUSHLIGHT_BLAS", "vendor")]);
    assert!(fine && text.contains(&by(8)) && !text.contains(&warning), "{text}");
    let (fine, text) = child("products", &[("RUSHLIGHT_BLAS", "native")]);
    assert!(fine && text.contains(&by(0)) && !text.contains(&warning), "{text}");
    let (fine, text) = child("products", &[("RUSHLIGHT_DETERMINISTIC", "1")]);
    assert!(fine && text.contains(&by(0)) && !text.contains(&warning), "{text}");
    let (fine, text) = child("products", &[("RUSHLIGHT_BLAS", "fast")]);
    assert!(!fine && text.contains("RUSHLIGHT_BLAS=fast: expected auto, native or vendor"), "{text}");

    if !handle.is_virtual() {
        println!("not tried here: only the virtual GPU's {blas} fails on demand");
        return;
    }
    let lacks = (("ROCBLAS_TENSILE_LIBPATH", empty), "has no kernels for gfx", 0, 1);
    let [unsupported, failed] = match rocm {
        true => ["rocblas_status_not_implemented", "rocblas_status_internal_error"],
        false => ["CUBLAS_STATUS_NOT_SUPPORTED", "CUBLAS_STATUS_EXECUTION_FAILED"],
    };
    let broken = [
        (("RUSHLIGHT_VGPU_FAULT", "blas_no_solution"), unsupported, 0, 1),
        (("RUSHLIGHT_VGPU_FAULT", "blas_no_memory"), "no device memory is left for it", 0, 1),
        (("RUSHLIGHT_VGPU_FAULT", "blas_wrong"), "its first product of F32 was wrong", 0, 4),
        // The first check computes two products, so the fault occurs in the third one.
        (("RUSHLIGHT_VGPU_FAULT", "blas_fails_after:2"), failed, 0, 1),
        (("RUSHLIGHT_VGPU_FAULT", "blas_fails_after:3"), failed, 1, 1),
    ];
    for (fault, reason, calls, warnings) in broken.into_iter().chain(rocm.then_some(lacks)) {
        let (fine, text) = child("products", &[fault]);
        let printed: Vec<&str> = text.lines().filter(|l| l.contains(&warning)).collect();
        assert!(fine && text.contains(&by(calls)), "{fault:?}: {text}");
        assert!(printed.len() == warnings && printed[0].contains(reason), "{fault:?}: {printed:?}");
        let (fine, text) = child("products", &[fault, ("RUSHLIGHT_BLAS", "vendor")]);
        let said = text.contains(&format!("RUSHLIGHT_BLAS=vendor asks for {blas}, which cannot do it"))
            && text.contains(reason);
        assert!(
            !fine && said && text.contains(&format!("matmul of F32 [9, 20], F32 [20, 7] on {device}")),
            "{fault:?}: {text}"
        );
    }
    let _ = std::fs::remove_dir(empty);
}
