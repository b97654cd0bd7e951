//! cuFFT's safe layer, and the checks of the virtual NVIDIA GPU's cuFFT. NVIDIA's library is not tested here.
mod common;
use common::{contains, error, runs, vgpu};
use rushlight_cuda::{Device, Error, FftConfig, FftPlan, Lines, fft_version};

/// Runs a child on it and returns its standard error.
fn on(name: &str, settings: &[(&str, &str)]) -> Option<String> {
    Some(runs(name, &vgpu()?, settings))
}

const ROWS: Lines = Lines { step: 1, distance: 4 };
const GOOD: FftConfig = FftConfig { double: false, length: 4, batch: 2, input: ROWS, output: ROWS };

#[test]
fn transforms_and_refused_arguments() {
    if let Some(stderr) = on("child_transforms", &[]) {
        contains(
            &stderr,
            &["cuFFT: the lines of the result overlap", "the result overlaps the input", "is not inside one"],
        );
    }
    for (fault, code) in [
        ("fft_no_memory", "cufftMakePlanMany64: CUFFT_ALLOC_FAILED (2)"),
        ("fft_fails_after:0", "cufftExecC2C: CUFFT_EXEC_FAILED (6)"),
    ] {
        on("child_fault", &[("RUSHLIGHT_VGPU_FAULT", fault), ("EXPECT", code)]);
    }
}

fn floats(device: &Device, at: u64, n: usize) -> Vec<f32> {
    let mut bytes = vec![0; 4 * n];
    device.download(&mut bytes, at).unwrap();
    bytes.chunks(4).map(|c| f32::from_ne_bytes(c.try_into().unwrap())).collect()
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_transforms() {
    let device = Device::new(0).unwrap();
    assert_eq!(fft_version().unwrap(), 11_401);
    // By hand: of (1, 2, 3, 4) and of (i, 0, 0, 0); the result's lines are columns. Then back.
    let x = [1f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_ne_bytes()).collect();
    let (from, to) = (device.alloc(64).unwrap(), device.alloc(64).unwrap());
    device.upload(from, &bytes).unwrap();
    let columns = Lines { step: 2, distance: 1 };
    let mut plan = FftPlan::new(&device, &FftConfig { output: columns, ..GOOD }).unwrap();
    assert_eq!(plan.workspace(), 0);
    plan.run(false, from, to, (0, 0)).unwrap();
    let want = [10.0, 0.0, 0.0, 1.0, -2.0, 2.0, 0.0, 1.0, -2.0, 0.0, 0.0, 1.0, -2.0, -2.0, 0.0, 1.0];
    assert_eq!(floats(&device, to, 16), want);
    let mut back = FftPlan::new(&device, &FftConfig { input: columns, ..GOOD }).unwrap();
    back.run(true, to, from, (0, 0)).unwrap();
    assert_eq!(floats(&device, from, 16), x.map(|v| 4.0 * v));

    let refused = |config: FftConfig, why: &str| {
        let e = error(FftPlan::new(&device, &config));
        assert!(e.contains(why), "{e}");
    };
    refused(FftConfig { length: 0, ..GOOD }, "nothing to transform");
    refused(FftConfig { batch: 0, ..GOOD }, "nothing to transform");
    refused(FftConfig { input: Lines { step: 0, distance: 4 }, ..GOOD }, "a step or distance of 0");
    refused(FftConfig { length: 1 << 63, ..GOOD }, "a number of 2^63 or more");
    let overlap = FftConfig { output: Lines { step: 1, distance: 3 }, ..GOOD };
    refused(overlap, "cufftMakePlanMany64: CUFFT_INVALID_VALUE (4)");
    let mut plan = FftPlan::new(&device, &GOOD).unwrap();
    let mut codes = |from: u64, to: u64, code: i32| match plan.run(false, from, to, (0, 0)) {
        Err(Error::Fft { code: is, .. }) => assert_eq!(is, code),
        other => panic!("{other:?}"),
    };
    codes(0, to, 4);
    codes(from + 8, to, 6);
    codes(from, from + 8, 6);
    let long = device.alloc(128).unwrap();
    codes(long, long + 8, 4);
    contains(&error(plan.run(false, from + 4, to, (0, 0))), &["is not aligned to 8 bytes"]);
    // In place.
    plan.run(false, from, from, (0, 0)).unwrap();

    // A prime length takes a workspace here; in f64.
    let lines = Lines { step: 1, distance: 17 };
    let prime = FftConfig { double: true, length: 17, batch: 1, input: lines, output: lines };
    let mut plan = FftPlan::new(&device, &prime).unwrap();
    assert_eq!(plan.workspace(), 272);
    let [from, to, space] = [(); 3].map(|()| device.alloc(272).unwrap());
    device.fill(from, 0, 272).unwrap();
    let e = error(plan.run(true, from, to, (space, 271)));
    contains(&e, &["cufftExecZ2Z: a workspace of 271 bytes, expected 272"]);
    plan.run(true, from, to, (space, 272)).unwrap();
    assert_eq!(floats(&device, to, 68), [0.0; 68]);
    drop((plan, back));
    device.synchronize().unwrap();
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_fault() {
    let device = Device::new(0).unwrap();
    let [from, to] = [(); 2].map(|()| device.alloc(64).unwrap());
    let e = match FftPlan::new(&device, &GOOD) {
        Err(e) => e,
        Ok(mut plan) => plan.run(false, from, to, (0, 0)).unwrap_err(),
    };
    let want = std::env::var("EXPECT").unwrap();
    assert_eq!((e.to_string(), e.is_out_of_memory()), (want.clone(), want.contains("ALLOC")));
}
