//! rocFFT's functions for transforms of complex numbers along one dimension. Arguments are checked as the documentation
//! states, and as the real functions do.
#![allow(missing_docs, clippy::not_unsafe_ptr_arg_deref)]
use crate::api::fft::{self, Lines, Refused, Transforms};
use crate::api::hip::Ptr;
use crate::device::gpu::{Gpu, current, gpu, library_call};
use crate::support::config;
use crate::support::out::{Out, put_text};
use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// rocfft_status.
pub type Status = i32;
const FAILURE: Status = 1;
const INVALID_ARG: Status = 2;
const INVALID_DIMENSIONS: Status = 3;
const INVALID_ARRAY_TYPE: Status = 4;
const INVALID_STRIDES: Status = 5;
const INVALID_DISTANCE: Status = 6;
const INVALID_OFFSET: Status = 7;
const INVALID_WORK_BUFFER: Status = 8;

const FORWARD: i32 = 0;
const INVERSE: i32 = 1;
const IN_PLACE: i32 = 0;
const INTERLEAVED: i32 = 0;
const UNSET: i32 = 5;

#[derive(Clone)]
struct Description {
    types: [i32; 2],
    /// Steps and distance of input and output; 0 is the default.
    layouts: [(Vec<usize>, usize); 2],
    scale: f64,
}

impl Default for Description {
    fn default() -> Self {
        Self { types: [UNSET; 2], layouts: [(Vec::new(), 0), (Vec::new(), 0)], scale: 1.0 }
    }
}

#[derive(Default, Clone, Copy)]
struct Info {
    stream: usize,
    work: (usize, usize),
}

#[derive(Clone, Copy)]
struct Plan {
    device: usize,
    in_place: bool,
    transforms: Transforms,
}

#[derive(Default)]
struct Objects {
    descriptions: HashMap<usize, Description>,
    infos: HashMap<usize, Info>,
    plans: HashMap<usize, Plan>,
}

static READY: AtomicBool = AtomicBool::new(false);

fn objects() -> MutexGuard<'static, Objects> {
    static ALL: OnceLock<Mutex<Objects>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

fn refuse<T>(status: Status, why: &str) -> Result<T, Status> {
    eprintln!("rushlight-vgpu: rocFFT: {why}");
    Err(status)
}

fn entry(name: &str, f: impl FnOnce(&mut Objects) -> Result<(), Status>) -> Status {
    library_call(name, FAILURE, || f(&mut objects()))
}

fn living() -> Result<MutexGuard<'static, Gpu>, Status> {
    let gpu = gpu().map_err(|_| FAILURE)?;
    gpu.alive().map_err(|_| FAILURE)?;
    Ok(gpu)
}

/// Stores a new object and returns its handle.
fn create<T>(
    to: Out<Ptr>,
    value: T,
    table: impl FnOnce(&mut Objects) -> &mut HashMap<usize, T>,
    all: &mut Objects,
) -> Result<(), Status> {
    if to.is_null() {
        return Err(INVALID_ARG);
    }
    let key = living()?.handle();
    table(all).insert(key, value);
    to.set(key as Ptr).map_err(|_| INVALID_ARG)
}

pub extern "C" fn rocfft_setup() -> Status {
    READY.store(true, Relaxed);
    0
}

pub extern "C" fn rocfft_get_version_string(to: *mut c_char, bytes: usize) -> Status {
    let version = match config::major() {
        5 => "1.0.23.vgpu",
        6 => "1.0.32.vgpu",
        _ => "1.0.35.vgpu",
    };
    if to.is_null() || bytes <= version.len() {
        return INVALID_ARG;
    }
    put_text(to, version.len() as i32 + 1, version).map_or(INVALID_ARG, |()| 0)
}

pub extern "C" fn rocfft_plan_description_create(to: Out<Ptr>) -> Status {
    entry("rocfft_plan_description_create", |all| {
        create(to, Description::default(), |o| &mut o.descriptions, all)
    })
}

pub extern "C" fn rocfft_plan_description_destroy(description: Ptr) -> Status {
    entry("rocfft_plan_description_destroy", |all| {
        all.descriptions.remove(&(description as usize)).map(drop).ok_or(INVALID_ARG)
    })
}

pub extern "C" fn rocfft_plan_description_set_scale_factor(description: Ptr, factor: f64) -> Status {
    entry("rocfft_plan_description_set_scale_factor", |all| {
        let description = all.descriptions.get_mut(&(description as usize)).ok_or(INVALID_ARG)?;
        if !factor.is_finite() {
            return Err(INVALID_ARG);
        }
        description.scale = factor;
        Ok(())
    })
}

pub extern "C" fn rocfft_plan_description_set_data_layout(
    description: Ptr,
    in_type: i32,
    out_type: i32,
    in_offsets: Out<usize>,
    out_offsets: Out<usize>,
    in_count: usize,
    in_strides: Out<usize>,
    in_distance: usize,
    out_count: usize,
    out_strides: Out<usize>,
    out_distance: usize,
) -> Status {
    entry("rocfft_plan_description_set_data_layout", |all| {
        let description = all.descriptions.get_mut(&(description as usize)).ok_or(INVALID_ARG)?;
        if in_count > 3 || out_count > 3 {
            return Err(INVALID_DIMENSIONS);
        }
        if in_offsets.get().is_some_and(|o| o != 0) || out_offsets.get().is_some_and(|o| o != 0) {
            return refuse(INVALID_OFFSET, "the virtual GPU has no offsets");
        }
        description.types = [in_type, out_type];
        description.layouts =
            [(in_strides.list(in_count), in_distance), (out_strides.list(out_count), out_distance)];
        Ok(())
    })
}

/// Checks the arguments of a plan.
fn plan(
    all: &Objects,
    place: i32,
    kind: i32,
    precision: i32,
    lengths: &[usize],
    batch: usize,
    description: Ptr,
) -> Result<Plan, Status> {
    if !READY.load(Relaxed) {
        return refuse(FAILURE, "rocfft_setup was not called");
    }
    if !(0..=1).contains(&place) {
        return Err(INVALID_ARG);
    }
    let (kind, double) = match (kind, precision) {
        (FORWARD | INVERSE, 0) => (kind, false),
        (FORWARD | INVERSE, 1) => (kind, true),
        (0..=3, 0..=2) => {
            return refuse(FAILURE, "the virtual GPU has no transforms of real numbers and of halves");
        }
        _ => return Err(INVALID_ARG),
    };
    let &[length] = lengths else {
        return refuse(INVALID_DIMENSIONS, "the virtual GPU has no transforms of several dimensions");
    };
    if length == 0 || batch == 0 {
        return Err(INVALID_DIMENSIONS);
    }
    let own = match description.is_null() {
        true => Description::default(),
        false => all.descriptions.get(&(description as usize)).cloned().ok_or(INVALID_ARG)?,
    };
    if own.types.iter().any(|t| ![INTERLEAVED, UNSET].contains(t)) {
        return refuse(INVALID_ARRAY_TYPE, "the virtual GPU has interleaved complex numbers only");
    }
    let mut lines = [Lines { step: 1, distance: length }; 2];
    for (to, (strides, distance)) in lines.iter_mut().zip(&own.layouts) {
        match strides[..] {
            [] => {}
            [step] if step > 0 => to.step = step,
            _ => return Err(INVALID_STRIDES),
        }
        to.distance = if *distance == 0 { length.saturating_mul(to.step) } else { *distance };
    }
    let [input, output] = lines;
    let inverse = kind == INVERSE;
    let transforms = Transforms { double, inverse, length, batch, input, output, scale: own.scale };
    let in_place = place == IN_PLACE;
    if in_place && input.step != output.step {
        return Err(INVALID_STRIDES);
    }
    if in_place && batch > 1 && input.distance != output.distance {
        return Err(INVALID_DISTANCE);
    }
    // Stricter than the real function, whose result would be undefined.
    if !transforms.writes_once() {
        return refuse(INVALID_DISTANCE, "the lines of the result overlap");
    }
    Ok(Plan { device: current(), in_place, transforms })
}

pub extern "C" fn rocfft_plan_create(
    to: Out<Ptr>,
    place: i32,
    kind: i32,
    precision: i32,
    dimensions: usize,
    lengths: Out<usize>,
    batch: usize,
    description: Ptr,
) -> Status {
    entry("rocfft_plan_create", |all| {
        if to.is_null() || lengths.is_null() {
            return Err(INVALID_ARG);
        }
        if !(1..=3).contains(&dimensions) {
            return Err(INVALID_DIMENSIONS);
        }
        let made = plan(all, place, kind, precision, &lengths.list(dimensions), batch, description)?;
        if config::get().faults.fft_no_memory {
            // rocFFT has no separate status for this.
            return Err(FAILURE);
        }
        create(to, made, |o| &mut o.plans, all)
    })
}

pub extern "C" fn rocfft_plan_get_work_buffer_size(plan: Ptr, bytes: Out<usize>) -> Status {
    entry("rocfft_plan_get_work_buffer_size", |all| {
        let plan = all.plans.get(&(plan as usize)).ok_or(INVALID_ARG)?;
        bytes.set(plan.transforms.workspace()).map_err(|_| INVALID_ARG)
    })
}

pub extern "C" fn rocfft_plan_destroy(plan: Ptr) -> Status {
    entry("rocfft_plan_destroy", |all| all.plans.remove(&(plan as usize)).map(drop).ok_or(INVALID_ARG))
}

pub extern "C" fn rocfft_execution_info_create(to: Out<Ptr>) -> Status {
    entry("rocfft_execution_info_create", |all| create(to, Info::default(), |o| &mut o.infos, all))
}

pub extern "C" fn rocfft_execution_info_destroy(info: Ptr) -> Status {
    entry("rocfft_execution_info_destroy", |all| {
        all.infos.remove(&(info as usize)).map(drop).ok_or(INVALID_ARG)
    })
}

pub extern "C" fn rocfft_execution_info_set_stream(info: Ptr, stream: Ptr) -> Status {
    entry("rocfft_execution_info_set_stream", |all| {
        let info = all.infos.get_mut(&(info as usize)).ok_or(INVALID_ARG)?;
        living()?.stream(stream).map_err(|_| INVALID_ARG)?;
        info.stream = stream as usize;
        Ok(())
    })
}

pub extern "C" fn rocfft_execution_info_set_work_buffer(info: Ptr, at: Ptr, bytes: usize) -> Status {
    entry("rocfft_execution_info_set_work_buffer", |all| {
        let info = all.infos.get_mut(&(info as usize)).ok_or(INVALID_ARG)?;
        if at.is_null() && bytes > 0 {
            return Err(INVALID_WORK_BUFFER);
        }
        info.work = if bytes == 0 { (0, 0) } else { (at as usize, bytes) };
        Ok(())
    })
}

pub extern "C" fn rocfft_execute(plan: Ptr, input: Out<Ptr>, output: Out<Ptr>, info: Ptr) -> Status {
    entry("rocfft_execute", |all| {
        let plan = *all.plans.get(&(plan as usize)).ok_or(INVALID_ARG)?;
        let info = match info.is_null() {
            true => Info::default(),
            false => *all.infos.get(&(info as usize)).ok_or(INVALID_ARG)?,
        };
        let from = input.get().filter(|p| !p.is_null()).ok_or(INVALID_ARG)?;
        let to = if plan.in_place { input } else { output };
        let to = to.get().filter(|p| !p.is_null()).ok_or(INVALID_ARG)?;
        if !plan.in_place && from == to {
            return refuse(INVALID_ARG, "the result of a plan out of place replaces its input");
        }
        if plan.device != current() {
            return refuse(FAILURE, "the plan belongs to another device");
        }
        if fft::fails_now() {
            return Err(FAILURE);
        }
        let needed = plan.transforms.workspace();
        if info.work.1 > 0 && info.work.1 < needed {
            return Err(INVALID_WORK_BUFFER);
        }
        if needed > 0 && info.work.1 == 0 {
            // The real function would allocate it, and wait for the device to free it.
            return refuse(INVALID_WORK_BUFFER, "a workspace is needed, and none was set");
        }
        let at = [from as usize, to as usize, info.work.0];
        plan.transforms.issue(&mut *living()?, "rocFFT", info.stream, at).map_err(|refused| match refused {
            Refused::Pointer | Refused::Overlap | Refused::Stream => INVALID_ARG,
            Refused::Workspace => INVALID_WORK_BUFFER,
            Refused::Device => FAILURE,
        })
    })
}
