//! rocFFT: results, the checks of arguments, and injected faults.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::rocfft::*;
use std::ptr::null_mut;

const FAILURE: i32 = 1;
const INVALID_ARG: i32 = 2;
const INVALID_DIMENSIONS: i32 = 3;
const INVALID_ARRAY_TYPE: i32 = 4;
const INVALID_STRIDES: i32 = 5;
const INVALID_DISTANCE: i32 = 6;
const INVALID_OFFSET: i32 = 7;
const INVALID_WORK_BUFFER: i32 = 8;

/// A plan's arguments: one forward transform of 4 numbers in f32, out of place. Each test changes some fields.
#[derive(Clone)]
struct Args {
    place: i32,
    kind: i32,
    precision: i32,
    lengths: Vec<usize>,
    batch: usize,
    types: [i32; 2],
    offset: usize,
    input: (usize, usize),
    output: (usize, usize),
    scale: f64,
}

impl Args {
    fn new() -> Self {
        Self {
            place: 1,
            kind: 0,
            precision: 0,
            lengths: vec![4],
            batch: 1,
            types: [0, 0],
            offset: 0,
            input: (1, 4),
            output: (1, 4),
            scale: 1.0,
        }
    }

    fn with(&self, f: impl FnOnce(&mut Self)) -> Self {
        let mut a = self.clone();
        f(&mut a);
        a
    }

    /// Makes the plan, or returns the status of the first call that failed.
    fn plan(&self) -> Result<Ptr, i32> {
        let done = |status: i32| if status == 0 { Ok(()) } else { Err(status) };
        done(rocfft_setup())?;
        let mut description: Ptr = null_mut();
        done(rocfft_plan_description_create(Out::to(&mut description)))?;
        let (mut from, mut to, mut offset) = (self.input.0, self.output.0, self.offset);
        done(rocfft_plan_description_set_data_layout(
            description,
            self.types[0],
            self.types[1],
            Out::to(&mut offset),
            Out::null(),
            1,
            Out::to(&mut from),
            self.input.1,
            1,
            Out::to(&mut to),
            self.output.1,
        ))?;
        done(rocfft_plan_description_set_scale_factor(description, self.scale))?;
        let (mut plan, mut lengths): (Ptr, _) = (null_mut(), self.lengths.clone());
        let lengths = (Out::to(&mut lengths[0]), lengths.len());
        let made = rocfft_plan_create(
            Out::to(&mut plan),
            self.place,
            self.kind,
            self.precision,
            lengths.1,
            lengths.0,
            self.batch,
            description,
        );
        // The plan does not need the description any more.
        done(rocfft_plan_description_destroy(description))?;
        done(made)?;
        Ok(plan)
    }

    fn status(&self) -> i32 {
        self.plan().err().unwrap_or(0)
    }
}

fn info() -> Ptr {
    let mut info: Ptr = null_mut();
    assert_eq!(rocfft_execution_info_create(Out::to(&mut info)), 0);
    info
}

fn execute(plan: Ptr, from: u64, to: u64, info: Ptr) -> i32 {
    let (mut from, mut to) = (from as Ptr, to as Ptr);
    rocfft_execute(plan, Out::to(&mut from), Out::to(&mut to), info)
}

fn workspace(plan: Ptr) -> usize {
    let mut bytes = 0;
    assert_eq!(rocfft_plan_get_work_buffer_size(plan, Out::to(&mut bytes)), 0);
    bytes
}

#[test]
fn transforms() {
    let info = info();
    // By hand: of (1, 2, 3, 4) and of (i, 0, 0, 0), with -i in each turn.
    let x = upload(&[1f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let out = upload(&[f32::NAN; 16]);
    let two = Args::new().with(|a| a.batch = 2);
    let want = [10f32, 0.0, -2.0, 2.0, -2.0, 0.0, -2.0, -2.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    let plan = two.plan().unwrap();
    assert_eq!((execute(plan, x, out, info), download::<f32>(out, 16)), (0, want.to_vec()));
    // The inverse with a factor leads back; to columns, and in place.
    let back = two.with(|a| (a.kind, a.scale, a.output) = (1, 0.25, (2, 1))).plan().unwrap();
    let columns = upload(&[f32::NAN; 16]);
    assert_eq!(execute(back, out, columns, info), 0);
    let want = [1f32, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0];
    assert_eq!(download::<f32>(columns, 16), want);
    let within = two.with(|a| (a.kind, a.scale, a.place) = (1, 0.25, 0)).plan().unwrap();
    assert_eq!(execute(within, out, 0, info), 0);
    assert_eq!(download::<f32>(out, 16), download::<f32>(x, 16));
    // In f64, of a length with a prime factor, which takes a workspace: of ones.
    let of_ones = Args::new().with(|a| {
        (a.precision, a.lengths, a.input, a.output) = (1, vec![34], (1, 34), (1, 34));
    });
    let plan = of_ones.plan().unwrap();
    assert_eq!(workspace(plan), 34 * 16);
    let (ones, sums, space) = (upload(&[1f64; 68]), upload(&[f64::NAN; 68]), malloc(34 * 16));
    assert_eq!(execute(plan, ones, sums, info), INVALID_WORK_BUFFER, "none was set");
    assert_eq!(rocfft_execution_info_set_work_buffer(info, space as Ptr, 34 * 16 - 1), 0);
    assert_eq!(execute(plan, ones, sums, info), INVALID_WORK_BUFFER, "too small");
    assert_eq!(rocfft_execution_info_set_work_buffer(info, space as Ptr, 34 * 16), 0);
    assert_eq!(execute(plan, ones, sums, info), 0);
    let sums = download::<f64>(sums, 68);
    assert!((sums[0] - 34.0).abs() + (sums[1] - 34.0).abs() < 1e-12, "{sums:?}");
    assert!(sums[2..].iter().all(|v| v.abs() < 1e-12), "{sums:?}");
    for plan in [plan, back, within] {
        assert_eq!((rocfft_plan_destroy(plan), rocfft_plan_destroy(plan)), (0, INVALID_ARG));
    }
    assert_eq!((rocfft_execution_info_destroy(info), rocfft_execution_info_destroy(info)), (0, INVALID_ARG));
}

#[test]
fn work_waits_in_its_stream() {
    let stream = || {
        let mut stream: Ptr = null_mut();
        assert_eq!(hipStreamCreateWithFlags(Out::to(&mut stream), 1), 0);
        stream
    };
    let (own, other) = (stream(), stream());
    let (info, plan) = (info(), Args::new().plan().unwrap());
    assert_eq!(rocfft_execution_info_set_stream(info, own), 0);
    assert_eq!(rocfft_execution_info_set_stream(info, 12345 as Ptr), INVALID_ARG);
    let (x, out) = (upload(&[1f32; 8]), upload(&[9f32; 8]));
    assert_eq!(execute(plan, x, out, info), 0);
    // Nothing has waited for the transform, so another stream's work runs before it.
    assert_eq!((hipMemsetAsync(x as Ptr, 0, 32, other), hipStreamSynchronize(other)), (0, 0));
    assert_eq!(hipStreamSynchronize(own), 0);
    assert_eq!(download::<f32>(out, 8), [0.0; 8]);
}

#[test]
fn invalid_arguments_are_rejected() {
    let good = Args::new();
    type Change = &'static dyn Fn(&mut Args);
    let cases: [(i32, &str, Change); 19] = [
        (0, "none", &|_| ()),
        (0, "a default distance", &|a| (a.batch, a.input.1, a.output.1) = (2, 0, 0)),
        (INVALID_ARG, "placement", &|a| a.place = 2),
        (INVALID_ARG, "kind", &|a| a.kind = 4),
        (INVALID_ARG, "precision", &|a| a.precision = 3),
        (FAILURE, "real numbers, which are no part", &|a| a.kind = 2),
        (FAILURE, "halves, which are no part", &|a| a.precision = 2),
        (INVALID_DIMENSIONS, "two dimensions, which are no part", &|a| a.lengths = vec![4, 4]),
        (INVALID_DIMENSIONS, "four dimensions", &|a| a.lengths = vec![2; 4]),
        (INVALID_DIMENSIONS, "no numbers", &|a| a.lengths = vec![0]),
        (INVALID_DIMENSIONS, "no lines", &|a| a.batch = 0),
        (INVALID_ARRAY_TYPE, "planar numbers", &|a| a.types[0] = 1),
        (INVALID_OFFSET, "an offset", &|a| a.offset = 1),
        (INVALID_STRIDES, "a step of 0", &|a| a.input.0 = 0),
        (INVALID_STRIDES, "other steps in place", &|a| (a.place, a.output.0) = (0, 2)),
        (INVALID_DISTANCE, "another distance in place", &|a| (a.place, a.batch, a.output.1) = (0, 2, 8)),
        (INVALID_DISTANCE, "lines that overlap", &|a| (a.batch, a.output.1) = (2, 3)),
        (INVALID_DISTANCE, "columns that overlap", &|a| (a.batch, a.output) = (3, (2, 1))),
        (INVALID_ARG, "a factor", &|a| a.scale = f64::NAN),
    ];
    for (status, what, change) in cases {
        assert_eq!(good.with(change).status(), status, "{what}");
    }

    let (info, plan) = (info(), good.plan().unwrap());
    let (x, out) = (malloc(32), malloc(32));
    let host = [0f32; 8];
    for (status, what, plan, from, to, info) in [
        (INVALID_ARG, "no plan", null_mut(), x, out, info),
        (INVALID_ARG, "an unknown info", plan, x, out, 12345 as Ptr),
        (INVALID_ARG, "no input", plan, 0, out, info),
        (INVALID_ARG, "no result", plan, x, 0, info),
        (INVALID_ARG, "a host address", plan, host.as_ptr() as u64, out, info),
        (INVALID_ARG, "an input past its allocation", plan, x + 8, out, info),
        (INVALID_ARG, "an address that is not aligned", plan, x, out + 4, info),
        (INVALID_ARG, "a result over the input, not in place", plan, x, x, info),
        (0, "the null stream", plan, x, out, null_mut()),
        (0, "none", plan, x, out, info),
    ] {
        assert_eq!(execute(plan, from, to, info), status, "{what}");
    }
    assert_eq!(rocfft_execution_info_set_work_buffer(info, null_mut(), 1), INVALID_WORK_BUFFER);
    assert_eq!(rocfft_plan_get_work_buffer_size(plan, Out::null()), INVALID_ARG);
    assert_eq!(hipDeviceSynchronize(), 0);
}

#[test]
fn plans_fail_without_memory() {
    child("plans_fail_without_memory", &[("FAULT", "fft_no_memory")], || {
        assert_eq!(Args::new().status(), FAILURE);
    });
}

#[test]
fn results_are_wrong_on_demand() {
    child("results_are_wrong_on_demand", &[("FAULT", "fft_wrong,fft_fails_after:1")], || {
        let (info, plan) = (info(), Args::new().plan().unwrap());
        let (x, out) = (upload(&[1f32, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), malloc(32));
        assert_eq!(execute(plan, x, out, info), 0);
        // All are 1, but for a bit of the first imaginary part.
        assert_eq!(download::<f32>(out, 8), [1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(execute(plan, x, out, info), FAILURE);
    });
}
