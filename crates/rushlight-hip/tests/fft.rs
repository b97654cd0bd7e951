//! rocFFT's safe layer on the virtual AMD GPU, as HIP 5, 6 and 7. AMD's library is not tested here.
mod common;
use common::{passes, vgpu};
use rushlight_hip::{Device, Error, Fft, FftConfig, Lines};

/// Runs an ignored test in a child process with each version of the virtual GPU that is built.
fn on_each(name: &str, more: &[(&str, &str)]) {
    for version in ["hip5", "hip6", "hip7"] {
        match vgpu(version) {
            Ok(folder) => {
                passes(name, &[&[("RUSHLIGHT_ROCM_PATH", folder.to_str().unwrap())], more].concat())
            }
            Err(why) => println!("skipped: {version}: {why}"),
        }
    }
}

const ROWS: Lines = Lines { step: 1, distance: 4 };
const GOOD: FftConfig =
    FftConfig { double: false, inverse: false, length: 4, batch: 2, input: ROWS, output: ROWS, scale: 0.5 };

#[test]
fn transforms_and_refused_arguments() {
    on_each("child_transforms", &[]);
    for (fault, text) in [
        ("fft_no_memory", "rocfft_plan_create: rocfft_status_failure (1)"),
        ("fft_fails_after:0", "rocfft_execute: rocfft_status_failure (1)"),
    ] {
        on_each("child_fault", &[("RUSHLIGHT_VGPU_FAULT", fault), ("EXPECT", text)]);
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_transforms() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let mut fft = Fft::new(&stream).unwrap();
    assert!(Fft::version().unwrap().ends_with(".vgpu"));
    assert!(device.hip().library_paths().iter().any(|(name, _)| *name == "librocfft"));

    // By hand: of (1, 2, 3, 4) and of (i, 0, 0, 0), halved; the result's lines are columns.
    let x = [1f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_ne_bytes()).collect();
    let (from, to) = (device.alloc(64).unwrap(), device.alloc(64).unwrap());
    device.memcpy_htod(from, &bytes, &stream).unwrap();
    let columns = FftConfig { output: Lines { step: 2, distance: 1 }, ..GOOD };
    let plan = fft.plan(&columns).unwrap();
    assert_eq!(plan.workspace(), 0);
    fft.run(&plan, from, to, (0, 0)).unwrap();
    let mut out = [0; 64];
    device.memcpy_dtoh(&mut out, to, &stream).unwrap();
    let got: Vec<f32> = out.chunks(4).map(|c| f32::from_ne_bytes(c.try_into().unwrap())).collect();
    assert_eq!(got, [5.0, 0.0, 0.0, 0.5, -1.0, 1.0, 0.0, 0.5, -1.0, 0.0, 0.0, 0.5, -1.0, -1.0, 0.0, 0.5]);

    // Refused before rocFFT is called.
    let mut refused = |config: FftConfig, why: &str| {
        let e = fft.plan(&config).unwrap_err();
        assert!(matches!(&e, Error::Argument { .. }) && e.to_string().contains(why), "{e}");
    };
    refused(FftConfig { length: 0, ..GOOD }, "nothing to transform");
    refused(FftConfig { batch: 0, ..GOOD }, "nothing to transform");
    refused(FftConfig { input: Lines { step: 0, distance: 4 }, ..GOOD }, "a step or distance of 0");
    refused(FftConfig { output: Lines { step: 1, distance: 0 }, ..GOOD }, "a step or distance of 0");
    refused(FftConfig { scale: f64::INFINITY, ..GOOD }, "the factor is not finite");
    refused(FftConfig { length: u64::MAX / 2, ..GOOD }, "larger than an address can count");
    let e = fft.plan(&FftConfig { output: Lines { step: 1, distance: 3 }, ..GOOD }).unwrap_err();
    assert_eq!(e.to_string(), "rocfft_plan_create: rocfft_status_invalid_distance (6)");
    let mut refused = |from: u64, to: u64, why: &str| {
        let e = fft.run(&plan, from, to, (0, 0)).unwrap_err();
        assert!(matches!(&e, Error::Argument { .. }) && e.to_string().contains(why), "{e}");
    };
    refused(from + 4, to, "the input at");
    refused(from, to + 8, "rocfft_execute");
    refused(0, to, "rocfft_execute");
    // A prime length takes a workspace here.
    let prime = FftConfig { length: 17, batch: 1, input: ROWS, output: ROWS, ..GOOD };
    let plan = fft.plan(&prime).unwrap();
    let (from, to, space) =
        (device.alloc(136).unwrap(), device.alloc(136).unwrap(), device.alloc(136).unwrap());
    assert_eq!(plan.workspace(), 136);
    let e = fft.run(&plan, from, to, (space, 135)).unwrap_err();
    assert!(e.to_string().contains("a workspace of 135 bytes, expected 136"), "{e}");
    fft.run(&plan, from, to, (space, 136)).unwrap();
    drop((plan, fft));
    stream.synchronize().unwrap();
    device.synchronize().unwrap();
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_fault() {
    let device = Device::new(0).unwrap();
    let mut fft = Fft::new(&device.stream().unwrap()).unwrap();
    let (from, to) = (device.alloc(64).unwrap(), device.alloc(64).unwrap());
    let e = match fft.plan(&GOOD) {
        Err(e) => e,
        Ok(plan) => fft.run(&plan, from, to, (0, 0)).unwrap_err(),
    };
    assert_eq!(e.to_string(), common::var("EXPECT"));
    assert!(matches!(e, Error::Fft { code: 1, .. }) && !e.is_out_of_memory() && !e.is_sticky());
}
