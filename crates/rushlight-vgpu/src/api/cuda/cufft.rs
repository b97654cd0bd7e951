//! cuFFT's functions for transforms of complex numbers along one dimension. Arguments are checked as NVIDIA's documentation
//! states.
use crate::api::fft::{self, Lines, Refused, Transforms};
use crate::api::hip::Ptr;
use crate::device::gpu::{Gpu, gpu, library_call};
use crate::support::config;
use crate::support::out::Out;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// cufftResult.
pub type CufftResult = i32;
const INVALID_PLAN: CufftResult = 1;
const ALLOC_FAILED: CufftResult = 2;
const INVALID_TYPE: CufftResult = 3;
const INVALID_VALUE: CufftResult = 4;
const INTERNAL_ERROR: CufftResult = 5;
const EXEC_FAILED: CufftResult = 6;
const SETUP_FAILED: CufftResult = 7;
const INVALID_SIZE: CufftResult = 8;
const INVALID_DEVICE: CufftResult = 11;
const NO_WORKSPACE: CufftResult = 13;
const NOT_SUPPORTED: CufftResult = 16;

const C2C: i32 = 0x29;
const Z2Z: i32 = 0x69;
/// The types with real numbers on one side.
const REAL: [i32; 4] = [0x2a, 0x2c, 0x6a, 0x6c];

struct Plan {
    device: usize,
    stream: usize,
    /// `None` until the plan is made.
    transforms: Option<Transforms>,
    /// Whether cuFFT allocates the workspace.
    allocates: bool,
    work: usize,
}

fn plans() -> MutexGuard<'static, BTreeMap<i32, Plan>> {
    static ALL: OnceLock<Mutex<BTreeMap<i32, Plan>>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

fn refuse<T>(result: CufftResult, why: &str) -> Result<T, CufftResult> {
    eprintln!("rushlight-vgpu: cuFFT: {why}");
    Err(result)
}

fn entry(name: &str, f: impl FnOnce() -> Result<(), CufftResult>) -> CufftResult {
    library_call(name, INTERNAL_ERROR, f)
}

/// Runs a call with a plan, which must exist and belong to the device of the thread's context.
fn with(
    name: &str,
    plan: i32,
    f: impl FnOnce(&mut Gpu, &mut Plan) -> Result<(), CufftResult>,
) -> CufftResult {
    entry(name, || {
        let mut all = plans();
        let plan = all.get_mut(&plan).ok_or(INVALID_PLAN)?;
        let device = super::driver::context().ok_or(INVALID_DEVICE)?;
        if plan.device != device {
            return refuse(INVALID_DEVICE, "the plan belongs to another device than the context");
        }
        let mut gpu = gpu().map_err(|_| SETUP_FAILED)?;
        gpu.alive().map_err(|_| EXEC_FAILED)?;
        f(&mut gpu, plan)
    })
}

pub extern "C" fn cufftGetVersion(to: Out<i32>) -> CufftResult {
    to.set(11_401).map_or(INVALID_VALUE, |()| 0)
}

pub extern "C" fn cufftCreate(to: Out<i32>) -> CufftResult {
    entry("cufftCreate", || {
        if to.is_null() {
            return Err(INVALID_VALUE);
        }
        let device = super::driver::context().ok_or(SETUP_FAILED)?;
        let mut all = plans();
        // Handles are small numbers, the first is 0.
        let key = (0..).find(|k| !all.contains_key(k)).ok_or(ALLOC_FAILED)?;
        all.insert(key, Plan { device, stream: 0, transforms: None, allocates: true, work: 0 });
        to.set(key).map_err(|_| INVALID_VALUE)
    })
}

pub extern "C" fn cufftDestroy(plan: i32) -> CufftResult {
    entry("cufftDestroy", || plans().remove(&plan).map(drop).ok_or(INVALID_PLAN))
}

pub extern "C" fn cufftSetAutoAllocation(plan: i32, allocates: i32) -> CufftResult {
    with("cufftSetAutoAllocation", plan, |_, p| {
        p.allocates = allocates != 0;
        Ok(())
    })
}

pub extern "C" fn cufftMakePlanMany64(
    plan: i32,
    rank: i32,
    lengths: Out<i64>,
    in_embed: Out<i64>,
    in_stride: i64,
    in_distance: i64,
    out_embed: Out<i64>,
    out_stride: i64,
    out_distance: i64,
    kind: i32,
    batch: i64,
    workspace: Out<usize>,
) -> CufftResult {
    with("cufftMakePlanMany64", plan, |_, p| {
        // A plan is made once.
        if p.transforms.is_some() {
            return Err(INVALID_PLAN);
        }
        let double = match kind {
            C2C => false,
            Z2Z => true,
            _ if REAL.contains(&kind) => {
                return refuse(NOT_SUPPORTED, "the virtual GPU has no transforms of real numbers");
            }
            _ => return Err(INVALID_TYPE),
        };
        if !(1..=3).contains(&rank) || lengths.is_null() || workspace.is_null() {
            return Err(INVALID_VALUE);
        }
        let &[length] = &lengths.list(rank as usize)[..] else {
            return refuse(NOT_SUPPORTED, "the virtual GPU has no transforms of several dimensions");
        };
        if length < 1 || batch < 1 {
            return Err(INVALID_SIZE);
        }
        // Without sizes of the memory around the lines their steps are not read.
        let lines = |embed: Out<i64>, step: i64, distance: i64| match embed.is_null() {
            true => Ok(Lines { step: 1, distance: length as usize }),
            false if step < 1 || distance < 1 && batch > 1 => Err(INVALID_VALUE),
            false => Ok(Lines { step: step as usize, distance: distance.max(0) as usize }),
        };
        if in_embed.is_null() != out_embed.is_null() {
            return refuse(INVALID_VALUE, "the layout of one side is given, and that of the other is not");
        }
        let transforms = Transforms {
            double,
            inverse: false,
            length: length as usize,
            batch: batch as usize,
            input: lines(in_embed, in_stride, in_distance)?,
            output: lines(out_embed, out_stride, out_distance)?,
            scale: 1.0,
        };
        // Stricter than the real function, whose result would be undefined.
        if !transforms.writes_once() {
            return refuse(INVALID_VALUE, "the lines of the result overlap");
        }
        if config::get().faults.fft_no_memory {
            return Err(ALLOC_FAILED);
        }
        if p.allocates && transforms.workspace() > 0 {
            return refuse(NOT_SUPPORTED, "the caller of the virtual GPU allocates the workspace");
        }
        p.transforms = Some(transforms);
        workspace.set(transforms.workspace()).map_err(|_| INVALID_VALUE)
    })
}

pub extern "C" fn cufftSetWorkArea(plan: i32, at: Ptr) -> CufftResult {
    with("cufftSetWorkArea", plan, |_, p| {
        p.work = at as usize;
        Ok(())
    })
}

pub extern "C" fn cufftSetStream(plan: i32, stream: Ptr) -> CufftResult {
    with("cufftSetStream", plan, |gpu, p| {
        gpu.stream(stream).map_err(|_| INVALID_VALUE)?;
        p.stream = stream as usize;
        Ok(())
    })
}

fn execute(name: &str, plan: i32, double: bool, from: Ptr, to: Ptr, direction: i32) -> CufftResult {
    with(name, plan, |gpu, p| {
        let made = p.transforms.ok_or(INVALID_PLAN)?;
        if from.is_null() || to.is_null() || ![-1, 1].contains(&direction) {
            return Err(INVALID_VALUE);
        }
        if made.double != double {
            return refuse(INVALID_VALUE, "the plan is of another precision");
        }
        if made.workspace() > 0 && p.work == 0 {
            return Err(NO_WORKSPACE);
        }
        if fft::fails_now() {
            return Err(EXEC_FAILED);
        }
        let transforms = Transforms { inverse: direction == 1, ..made };
        let at = [from as usize, to as usize, p.work];
        transforms.issue(gpu, "cuFFT", p.stream, at).map_err(|refused| match refused {
            Refused::Overlap => INVALID_VALUE,
            Refused::Workspace => NO_WORKSPACE,
            Refused::Pointer | Refused::Stream | Refused::Device => EXEC_FAILED,
        })
    })
}

pub extern "C" fn cufftExecC2C(plan: i32, from: Ptr, to: Ptr, direction: i32) -> CufftResult {
    execute("cufftExecC2C", plan, false, from, to, direction)
}

pub extern "C" fn cufftExecZ2Z(plan: i32, from: Ptr, to: Ptr, direction: i32) -> CufftResult {
    execute("cufftExecZ2Z", plan, true, from, to, direction)
}
