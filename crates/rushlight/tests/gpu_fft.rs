//! Fourier transforms by rocFFT or cuFFT and by our kernels, compared with the CPU; warnings if the library cannot be used.
//! Ignored by default, see `gpu.rs`. RUSHLIGHT_VGPU_FAULT makes the virtual GPU's library fail as the real one does.
mod common;
use common::device::{Gpu, gpu};
use common::report::{Check, Report, text};
use common::vendor::{Chosen, Names, child, data, warning};
use rushlight::gpu::{Choice, Family};
use rushlight::ops::Op;
use rushlight::ops::fft::Fft;
use rushlight::{DType, Device, Result, Tensor};
use rushlight_parity::agrees;
use rushlight_parity::sweep::{Case, Form, lay};
use std::path::{Path, PathBuf};

const NUMBERS: [DType; 2] = [DType::C64, DType::C128];

/// Returns complex numbers on the CPU.
fn numbers(shape: &[usize], dtype: DType) -> Result<Tensor> {
    let part = data(shape, dtype.real_part())?;
    part.affine(0.5, 0.25)?.complex(&part.affine(-0.75, 1.0)?)
}

fn fft(dim: usize, inverse: bool, scale: f64) -> Op {
    Op::Fft(Fft { dim, inverse, scale })
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn every_sample_agrees_by_either() {
    let (device, handle) = gpu();
    let mut r = Report::new();
    for choice in [Choice::Native, Choice::Auto] {
        let _chosen = Chosen::new(&handle, Family::Fft, choice);
        let first = handle.counters().fft_calls;
        for case in Case::all().iter().filter(|c| c.error.is_none() && c.op.definition() == "fft") {
            r.case(&format!("{choice:?} {}", case.name), || {
                let ins = text(case.tensors(&Device::Cpu))?;
                let want = text(case.run(&ins))?;
                let got = text(case.run(&text(case.tensors(&device))?))?;
                agrees(&case.op, &ins, &got[0], &want[0])
            });
        }
        let calls = handle.counters().fft_calls - first;
        assert!(
            if choice == Choice::Native { calls == 0 } else { calls > 50 },
            "{calls} calls by {choice:?}"
        );
    }
    r.finish(300);
}

/// What a layout needs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Needs {
    /// This number of library calls.
    Calls(u64),
    /// Library calls with a workspace.
    Space(u64),
    /// Our kernels: the roots and one pass.
    Kernels,
}

/// Computes an op on the device and on the CPU, and compares them. Checks the numbers of library calls and launches, and
/// that no memory but the result's was used.
fn agree(
    (device, handle): &(Device, Gpu),
    op: Op,
    x: &Tensor,
    view: &dyn Fn(Tensor) -> Result<Tensor>,
    needs: Needs,
) -> Check {
    let Op::Fft(Fft { scale, .. }) = op else { return Err("not a transform".to_string()) };
    let want = text(view(x.clone()).and_then(|x| op.run(&[x])))?;
    let there = [text(x.to_device(device).and_then(view))?];
    // The first call runs the library's one-time checks, which are not counted.
    text(op.run(&there))?;
    handle.reset_peak();
    let (before, held) = (handle.counters(), handle.memory_stats());
    let got = text(op.run(&there))?;
    let (after, now) = (handle.counters(), handle.memory_stats());
    let made = (after.fft_calls - before.fft_calls, after.launches - before.launches);
    // cuFFT has no factor.
    let multiplied = u64::from(scale != 1.0 && matches!(handle, Gpu::Cuda(_)));
    let expected = match needs {
        Needs::Calls(n) | Needs::Space(n) => (n, multiplied),
        Needs::Kernels => (0, 2),
    };
    if made != expected {
        return Err(format!("{made:?} calls and launches, expected {expected:?}"));
    }
    if matches!(needs, Needs::Calls(_)) && now.peak - held.live != now.live - held.live {
        return Err("something was copied first".to_string());
    }
    agrees(&op, std::slice::from_ref(x), &got[0], &want[0])
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn layouts_are_taken_as_they_lie() {
    let gpu = gpu();
    let _chosen = Chosen::new(&gpu.1, Family::Fft, Choice::Auto);
    let mut r = Report::new();
    let same = |t: Tensor| Ok(t);
    for dtype in NUMBERS {
        let mut case =
            |name: &str, shape: &[usize], op: Op, view: &dyn Fn(Tensor) -> Result<Tensor>, needs| {
                r.case(&format!("{name}/{dtype:?}"), || {
                    agree(&gpu, op, &numbers(shape, dtype).expect("x"), view, needs)
                });
            };
        use Needs::{Calls, Kernels, Space};
        let along = |dim| fft(dim, false, 1.0);
        case("rows", &[6, 40], along(1), &same, Calls(1));
        case("columns", &[40, 6], fft(0, true, 1.0), &same, Calls(1));
        case("with a factor", &[6, 40], fft(1, true, 0.025), &same, Calls(1));
        case("a middle dimension", &[3, 20, 4], along(1), &same, Calls(3));
        case("a middle dimension, many before it", &[300, 4, 2], along(1), &same, Calls(2));
        case("one line", &[40], along(0), &same, Calls(1));
        case("lines of one", &[5, 1], fft(1, false, 0.5), &same, Calls(1));
        case("transposed", &[6, 40], along(0), &|t| t.t(), Calls(1));
        case("parts of rows", &[6, 40], along(1), &|t| t.narrow(1, 3, 20), Calls(1));
        case("a column of a matrix", &[40, 6], along(0), &|t| t.narrow(1, 4, 1), Calls(1));
        case("stepped", &[6, 40], along(1), &|t| lay(&t, Form::Stepped), Calls(1));
        case("turned batch dimensions", &[4, 3, 20], along(2), &|t| t.transpose(0, 1), Calls(3));
        case("one line for all", &[1, 40], along(1), &|t| t.broadcast_as((6, 40)), Calls(6));
        case("a prime length", &[3, 211], along(1), &same, Space(1));
        case("a long line", &[8400], fft(0, true, 0.5), &same, Space(1));
        case("a long prime length", &[4099, 2], along(0), &same, Space(1));
        // One number for a whole line, or too many batches: our kernels run.
        case("one number for all", &[6, 1], along(1), &|t| t.broadcast_as((6, 40)), Kernels);
        case("too many pieces", &[257, 2, 257], along(1), &same, Kernels);
    }
    r.finish(36);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn more_plans_than_a_device_keeps() {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Fft, Choice::Vendor);
    let before = handle.counters().fft_calls;
    let op = fft(1, false, 1.0);
    for length in (1..=70).chain([1, 70]) {
        let x = numbers(&[2, length], DType::C64).expect("x");
        let got = op.run(&[x.to_device(&device).expect("a copy")]).expect("on the device");
        let want = op.run(std::slice::from_ref(&x)).expect("on the CPU");
        agrees(&op, &[x], &got[0], &want[0]).unwrap_or_else(|e| panic!("{length}: {e}"));
    }
    assert_eq!(handle.counters().fft_calls - before, 72);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_nan_stays_in_its_line() -> Result<()> {
    let (device, handle) = gpu();
    let rows = |t: &Tensor| -> Result<Vec<Vec<f32>>> {
        let ones = Tensor::ones((2, 20), DType::F32, &Device::Cpu)?;
        t.to_device(&Device::Cpu)?.real()?.mul(&ones)?.to_vec2::<f32>()
    };
    let mut parts = vec![1f32; 40];
    parts[7] = f32::NAN;
    let x = Tensor::from_vec(parts, (2, 20), &Device::Cpu)?.to_dtype(DType::C64)?.to_device(&device)?;
    for choice in [Choice::Native, Choice::Auto] {
        let _chosen = Chosen::new(&handle, Family::Fft, choice);
        let out = rows(&fft(1, false, 1.0).run(std::slice::from_ref(&x))?[0])?;
        assert!(
            out[0].iter().all(|v| v.is_nan()) && out[1].iter().all(|v| v.is_finite()),
            "{choice:?} {out:?}"
        );
    }
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn deterministic_takes_our_kernels() -> Result<()> {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Fft, Choice::Auto);
    let x = numbers(&[3, 20], DType::C64)?.to_device(&device)?;
    let calls = |on: bool| -> Result<u64> {
        rushlight::set_deterministic(on);
        let before = handle.counters().fft_calls;
        let done = fft(1, false, 1.0).run(std::slice::from_ref(&x));
        rushlight::set_deterministic(false);
        done?;
        Ok(handle.counters().fft_calls - before)
    };
    assert_eq!((calls(true)?, calls(false)?), (0, 1));
    Ok(())
}

/// Transforms of both dtypes in both directions. The test below runs this one with each fault of the library.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn transforms() {
    let (device, handle) = gpu();
    for dtype in NUMBERS {
        for inverse in [false, true] {
            let x = numbers(&[3, 20], dtype).expect("x");
            let op = fft(1, inverse, 0.5);
            let want = op.run(std::slice::from_ref(&x)).expect("the CPU's transform");
            let there = x.to_device(&device).expect("a copy");
            let got = op.run(&[there]).unwrap_or_else(|e| panic!("{e}"));
            agrees(&op, &[x], &got[0], &want[0]).expect("the transform");
        }
    }
    println!("{} by {}", handle.counters().fft_calls, Names::of(&handle).fft);
}

/// Makes a folder with the virtual GPU's libraries but that of Fourier transforms. The file is copied, because libraries are also
/// searched beside the file that a link names.
fn without_library(variable: &str) -> PathBuf {
    let from = PathBuf::from(std::env::var(variable).expect("the virtual GPU's folder")).join("lib");
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("no-fft-{}", std::process::id()));
    std::fs::create_dir_all(&to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("libraries").flatten() {
        let (path, name) = (entry.path(), to.join(entry.file_name()));
        let (is_link, is_fft) = (path.is_symlink(), entry.file_name().to_string_lossy().contains("fft"));
        match is_link {
            true if is_fft => continue,
            true => {
                std::os::unix::fs::symlink(std::fs::read_link(&path).expect("a link"), name).expect("a link")
            }
            false if path.is_file() => drop(std::fs::copy(&path, name).expect("a copy")),
            false => {}
        }
    }
    to
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_library_that_fails_warns_once_and_our_kernels_run() {
    let (_, handle) = gpu();
    let Names { fft, device, .. } = Names::of(&handle);
    let (warning, rocm) = (warning(fft), matches!(handle, Gpu::Rocm(_)));
    let by = |calls: u64| format!("{calls} by {fft}");
    for (setting, calls) in [
        (("RUSHLIGHT_FFT", "auto"), 4),
        (("RUSHLIGHT_FFT", "vendor"), 4),
        (("RUSHLIGHT_FFT", "native"), 0),
        (("RUSHLIGHT_DETERMINISTIC", "1"), 0),
    ] {
        let (fine, text) = child("transforms", &[setting]);
        assert!(fine && text.contains(&by(calls)) && !text.contains(&warning), "{setting:?}: {text}");
    }
    let (fine, text) = child("transforms", &[("RUSHLIGHT_FFT", "fast")]);
    assert!(!fine && text.contains("RUSHLIGHT_FFT=fast: expected auto, native or vendor"), "{text}");

    if !handle.is_virtual() {
        println!("not tried here: only the virtual GPU's {fft} fails on demand");
        return;
    }
    let variable = if rocm { "RUSHLIGHT_ROCM_PATH" } else { "RUSHLIGHT_CUDA_PATH" };
    let folder = without_library(variable);
    let [failed, no_memory, missing] = match rocm {
        true => [
            "rocfft_execute: rocfft_status_failure",
            "rocfft_plan_create: rocfft_status_failure",
            "librocfft",
        ],
        false => ["CUFFT_EXEC_FAILED", "no device memory is left for it", "libcufft"],
    };
    // cuFFT's functions, which the warnings name, differ by dtype.
    let each = if rocm { 1 } else { 2 };
    for (fault, reason, calls, warnings) in [
        ((variable, folder.to_str().expect("a name")), missing, 0, 1),
        (("RUSHLIGHT_VGPU_FAULT", "fft_no_memory"), no_memory, 0, 1),
        (
            ("RUSHLIGHT_VGPU_FAULT", "fft_wrong"),
            "its first transform of C64 was wrong (element 0 of 336",
            0,
            2,
        ),
        // The first check computes one batch, so the fault occurs in the second one.
        (("RUSHLIGHT_VGPU_FAULT", "fft_fails_after:1"), failed, 0, each),
        (("RUSHLIGHT_VGPU_FAULT", "fft_fails_after:2"), failed, 1, each),
    ] {
        let (fine, text) = child("transforms", &[fault]);
        let printed: Vec<&str> = text.lines().filter(|l| l.contains(&warning)).collect();
        assert!(fine && text.contains(&by(calls)), "{fault:?}: {text}");
        assert!(printed.len() == warnings && printed[0].contains(reason), "{fault:?}: {printed:?}");
        let (fine, text) = child("transforms", &[fault, ("RUSHLIGHT_FFT", "vendor")]);
        let said = text.contains(&format!("RUSHLIGHT_FFT=vendor asks for {fft}, which cannot do it"));
        assert!(
            !fine
                && said
                && text.contains(reason)
                && text.contains(&format!("fft of C64 [3, 20] on {device}")),
            "{fault:?}: {text}"
        );
    }
    let _ = std::fs::remove_dir_all(folder);
}
