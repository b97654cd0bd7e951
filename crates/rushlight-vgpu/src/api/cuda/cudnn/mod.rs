//! cuDNN's functions that both version 8 and version 9 have: convolutions in three directions and average pooling.
//! Arguments are checked as NVIDIA's documentation states, or more strictly; MIOpen's code computes the results.
mod pooling;

pub use pooling::*;

use crate::api::hip::Ptr;
use crate::api::miopen::conv_compute::{fill_nan, run};
use crate::api::miopen::pooling_compute::Window;
use crate::api::miopen::problem::{Direction, Problem};
use crate::api::miopen::tensor::{Kind, Tensor};
use crate::device::gpu::{Gpu, gpu, library_call};
use crate::device::stream::Work;
use crate::support::config;
use crate::support::out::Out;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// cudnnStatus_t of version 9.
pub type CudnnStatus = i32;
const NOT_INITIALIZED: CudnnStatus = 1001;
const BAD_PARAM: CudnnStatus = 2000;
const NOT_SUPPORTED: CudnnStatus = 3000;
const INTERNAL: CudnnStatus = 4000;
const EXECUTION_FAILED: CudnnStatus = 5000;

/// The reason why a call is rejected.
struct Refused(CudnnStatus, String);
type Done<T = ()> = Result<T, Refused>;

fn refuse<T>(status: CudnnStatus, why: impl Into<String>) -> Done<T> {
    Err(Refused(status, why.into()))
}

fn bad<T>(why: impl Into<String>) -> Done<T> {
    refuse(BAD_PARAM, why)
}

#[derive(Clone, Default)]
struct Convolution {
    pads: Vec<usize>,
    strides: Vec<usize>,
    dilations: Vec<usize>,
    groups: usize,
}

/// A live object; a descriptor is empty until it is set.
#[derive(Clone)]
enum Object {
    /// Device and stream.
    Handle(usize, usize),
    Tensor(Option<Tensor>),
    Filter(Option<Tensor>),
    Convolution(Option<Convolution>),
    Pooling(Option<Window>),
}

type All = HashMap<usize, Object>;

fn all() -> MutexGuard<'static, All> {
    static ALL: OnceLock<Mutex<All>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

/// Runs a function of the API. Panics and traces are handled as in the driver's calls; rejections are printed to
/// stderr.
fn entry(name: &str, f: impl FnOnce(&mut All) -> Done) -> CudnnStatus {
    library_call(name, INTERNAL, || {
        f(&mut all()).map_err(|Refused(status, why)| {
            eprintln!("rushlight-vgpu: cuDNN: {name}: {why}");
            status
        })
    })
}

fn create(name: &str, to: Out<Ptr>, object: Object) -> CudnnStatus {
    entry(name, |all| {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0x7dd0_0000_0000);
        let key = NEXT.fetch_add(64, std::sync::atomic::Ordering::Relaxed);
        to.set(key as Ptr).or_else(|_| bad("the pointer for the result is NULL"))?;
        all.insert(key, object);
        Ok(())
    })
}

fn destroy(name: &str, at: Ptr, is: fn(&Object) -> bool) -> CudnnStatus {
    entry(name, |all| match all.get(&(at as usize)) {
        Some(object) if is(object) => {
            all.remove(&(at as usize));
            Ok(())
        }
        _ => bad("NULL, destroyed, or of another kind"),
    })
}

macro_rules! descriptors {
    ($($kind:ident $create:ident $destroy:ident $get:ident $what:literal $of:ty;)*) => { $(
        pub extern "C" fn $create(to: Out<Ptr>) -> CudnnStatus {
            create(stringify!($create), to, Object::$kind(None))
        }
        pub extern "C" fn $destroy(at: Ptr) -> CudnnStatus {
            destroy(stringify!($destroy), at, |o| matches!(o, Object::$kind(_)))
        }
        fn $get(all: &All, at: Ptr) -> Done<$of> {
            match all.get(&(at as usize)) {
                Some(Object::$kind(Some(found))) => Ok(found.clone()),
                Some(Object::$kind(None)) => bad(concat!($what, " was not set")),
                _ => bad(concat!($what, " is NULL, destroyed, or invalid")),
            }
        }
    )* };
}
descriptors! {
    Tensor cudnnCreateTensorDescriptor cudnnDestroyTensorDescriptor tensor "a tensor descriptor" Tensor;
    Filter cudnnCreateFilterDescriptor cudnnDestroyFilterDescriptor filter "a filter descriptor" Tensor;
    Convolution cudnnCreateConvolutionDescriptor cudnnDestroyConvolutionDescriptor convolution "a convolution descriptor" Convolution;
    Pooling cudnnCreatePoolingDescriptor cudnnDestroyPoolingDescriptor window "a pooling descriptor" Window;
}

pub extern "C" fn cudnnGetVersion() -> usize {
    90_100
}

pub extern "C" fn cudnnGetErrorString(status: CudnnStatus) -> *const c_char {
    let name = match status {
        0 => c"CUDNN_STATUS_SUCCESS",
        NOT_INITIALIZED => c"CUDNN_STATUS_NOT_INITIALIZED",
        BAD_PARAM => c"CUDNN_STATUS_BAD_PARAM",
        NOT_SUPPORTED => c"CUDNN_STATUS_NOT_SUPPORTED",
        INTERNAL => c"CUDNN_STATUS_INTERNAL_ERROR",
        EXECUTION_FAILED => c"CUDNN_STATUS_EXECUTION_FAILED",
        _ => c"CUDNN_UNKNOWN_STATUS",
    };
    name.as_ptr()
}

pub extern "C" fn cudnnCreate(to: Out<Ptr>) -> CudnnStatus {
    match super::driver::context() {
        Some(device) if gpu().is_ok_and(|g| g.alive().is_ok()) => {
            create("cudnnCreate", to, Object::Handle(device, 0))
        }
        _ => NOT_INITIALIZED,
    }
}

pub extern "C" fn cudnnDestroy(handle: Ptr) -> CudnnStatus {
    destroy("cudnnDestroy", handle, |o| matches!(o, Object::Handle(..)))
}

/// The context of a call with a handle.
struct Ctx<'a> {
    all: &'a mut All,
    gpu: MutexGuard<'static, Gpu>,
    device: usize,
    stream: usize,
}

fn with(name: &str, handle: Ptr, f: impl FnOnce(&mut Ctx<'_>) -> Done) -> CudnnStatus {
    entry(name, |all| {
        let Some(Object::Handle(device, stream)) = all.get(&(handle as usize)).cloned() else {
            return bad("the handle is NULL, destroyed, or invalid");
        };
        if super::driver::context() != Some(device) {
            return bad(format!("the handle belongs to device {device}, which is not the current device"));
        }
        let gpu = gpu().or_else(|code| refuse(EXECUTION_FAILED, format!("CUDA error {code}")))?;
        gpu.alive().or_else(|code| refuse(EXECUTION_FAILED, format!("CUDA error {code}")))?;
        f(&mut Ctx { all, gpu, device, stream })
    })
}

pub extern "C" fn cudnnSetStream(handle: Ptr, stream: Ptr) -> CudnnStatus {
    with("cudnnSetStream", handle, |c| {
        if c.gpu.stream(stream).is_err() {
            return bad("the stream was destroyed or is invalid");
        }
        if c.stream != 0 && c.stream != stream as usize && c.gpu.pending(c.stream) {
            return bad("the stream is changed while the old one has unfinished work");
        }
        c.all.insert(handle as usize, Object::Handle(c.device, stream as usize));
        Ok(())
    })
}

fn numbers(what: &str, list: Out<i32>, count: i32, least: i32) -> Done<Vec<usize>> {
    let values = list.list(count.clamp(0, 8) as usize);
    match values.iter().find(|v| **v < least) {
        Some(v) => bad(format!("{what} {v}: must be at least {least}")),
        None => Ok(values.into_iter().map(|v| v as usize).collect()),
    }
}

fn described(kind: i32, count: i32, dims: Out<i32>, strides: Option<Out<i32>>) -> Done<Tensor> {
    let kind = match kind {
        0 => Kind::F32,
        2 => Kind::F16,
        9 => Kind::Bf16,
        1 => Kind::F64,
        _ => return refuse(NOT_SUPPORTED, format!("data type {kind} is not supported")),
    };
    if !(4..=8).contains(&count) {
        return bad(format!("got {count} dimensions, expected 4 to 8"));
    }
    let dims = numbers("a length", dims, count, 1)?;
    let packed = |d: usize| dims[d + 1..].iter().product();
    let strides = match strides {
        Some(list) => numbers("a stride", list, count, 1)?,
        None => (0..dims.len()).map(packed).collect(),
    };
    if strides.len() != dims.len() || dims.is_empty() {
        return bad("dimensions or strides are NULL");
    }
    Ok(Tensor { kind, dims, strides })
}

fn put<T>(name: &str, at: Ptr, made: Done<T>, object: fn(Option<T>) -> Object) -> CudnnStatus {
    entry(name, |all| {
        let empty = std::mem::discriminant(&object(None));
        match all.get_mut(&(at as usize)) {
            Some(slot) if std::mem::discriminant(slot) == empty => {
                *slot = object(Some(made?));
                Ok(())
            }
            _ => bad("the descriptor is NULL, was destroyed, or is of another kind"),
        }
    })
}

pub extern "C" fn cudnnSetTensorNdDescriptor(
    at: Ptr,
    kind: i32,
    count: i32,
    dims: Out<i32>,
    strides: Out<i32>,
) -> CudnnStatus {
    put("cudnnSetTensorNdDescriptor", at, described(kind, count, dims, Some(strides)), Object::Tensor)
}

pub extern "C" fn cudnnSetFilterNdDescriptor(
    at: Ptr,
    kind: i32,
    format: i32,
    count: i32,
    dims: Out<i32>,
) -> CudnnStatus {
    let made = if format == 0 {
        described(kind, count, dims, None)
    } else {
        refuse(NOT_SUPPORTED, format!("format {format}"))
    };
    put("cudnnSetFilterNdDescriptor", at, made, Object::Filter)
}

pub extern "C" fn cudnnSetConvolutionNdDescriptor(
    at: Ptr,
    count: i32,
    pads: Out<i32>,
    strides: Out<i32>,
    dilations: Out<i32>,
    mode: i32,
    compute: i32,
) -> CudnnStatus {
    let made = || -> Done<Convolution> {
        if !(2..=6).contains(&count) || pads.is_null() || strides.is_null() || dilations.is_null() {
            return bad("expected 2 to 6 paddings, strides and dilations");
        }
        // A flipped window, or sums in another type than f32.
        if mode != 1 || compute != 0 {
            return refuse(
                NOT_SUPPORTED,
                format!("mode {mode} with sums of type {compute} is not supported"),
            );
        }
        Ok(Convolution {
            pads: numbers("padding", pads, count, 0)?,
            strides: numbers("stride", strides, count, 1)?,
            dilations: numbers("dilation", dilations, count, 1)?,
            groups: 1,
        })
    };
    put("cudnnSetConvolutionNdDescriptor", at, made(), Object::Convolution)
}

fn change(name: &str, at: Ptr, f: impl FnOnce(&mut Convolution) -> Done) -> CudnnStatus {
    entry(name, |all| match all.get_mut(&(at as usize)) {
        Some(Object::Convolution(Some(c))) => f(c),
        _ => bad("the convolution descriptor was not set, was destroyed or is invalid"),
    })
}

pub extern "C" fn cudnnSetConvolutionGroupCount(at: Ptr, groups: i32) -> CudnnStatus {
    change("cudnnSetConvolutionGroupCount", at, |c| {
        c.groups = usize::try_from(groups).ok().filter(|g| *g > 0).map_or_else(|| bad("groups"), Ok)?;
        Ok(())
    })
}

/// All math types compute in f32 here.
pub extern "C" fn cudnnSetConvolutionMathType(at: Ptr, math: i32) -> CudnnStatus {
    change("cudnnSetConvolutionMathType", at, |_| {
        if (0..=3).contains(&math) { Ok(()) } else { bad(format!("invalid math type {math}")) }
    })
}

/// cudnnConvolutionFwdAlgoPerf_t, and the same structs of the other directions.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Perf {
    algo: i32,
    status: CudnnStatus,
    time: f32,
    memory: usize,
    determinism: i32,
    math: i32,
    reserved: [i32; 3],
}

impl Direction {
    /// Returns x, w and y from a function's three tensors, of which the last is the result.
    fn roles<T>(self, [a, b, out]: [T; 3]) -> [T; 3] {
        match self {
            Direction::Forward => [a, b, out],
            Direction::BackwardData => [out, a, b],
            Direction::BackwardWeights => [a, out, b],
        }
    }
}

fn problem(c: &Ctx<'_>, direction: Direction, operands: [Ptr; 3], conv: Ptr) -> Done<Problem> {
    let [x, w, y] = direction.roles(operands);
    let (x, w, y) = (tensor(c.all, x)?, filter(c.all, w)?, tensor(c.all, y)?);
    let d = convolution(c.all, conv)?;
    let shapes = || format!("x {:?}, w {:?}, y {:?}, {} groups", x.dims, w.dims, y.dims, d.groups);
    let n = x.dims.len();
    if w.dims.len() != n || y.dims.len() != n || d.pads.len() != n - 2 {
        return bad(format!("{}: {} dimensions of the window", shapes(), d.pads.len()));
    }
    if x.kind != w.kind || x.kind != y.kind || x.kind == Kind::F64 {
        return refuse(NOT_SUPPORTED, format!("x is {:?}, w {:?}, y {:?}", x.kind, w.kind, y.kind));
    }
    if x.dims[1] != w.dims[1] * d.groups || !w.dims[0].is_multiple_of(d.groups) {
        return bad(format!("{}: channels do not match", shapes()));
    }
    let size = |i: usize| {
        let span = 1 + d.dilations[i] * (w.dims[i + 2] - 1);
        (x.dims[i + 2] + 2 * d.pads[i]).checked_sub(span).map(|rest| rest / d.strides[i] + 1)
    };
    let want: Option<Vec<usize>> =
        [Some(x.dims[0]), Some(w.dims[0])].into_iter().chain((0..n - 2).map(size)).collect();
    if want.as_ref() != Some(&y.dims) {
        return bad(format!("{}: expected y {want:?}", shapes()));
    }
    Ok(Problem {
        direction,
        transposed: false,
        x,
        w,
        y,
        pads: d.pads,
        strides: d.strides,
        dilations: d.dilations,
        groups: d.groups,
        deterministic: false,
    })
}

/// Returns the kernels of a problem, fastest first: number, bytes of workspace, status. Numbers are the real
/// library's.
fn kernels(p: &Problem) -> Vec<(i32, usize, CudnnStatus)> {
    let small =
        p.w.dims[2..].iter().all(|k| *k == 3) && p.strides.iter().chain(&p.dilations).all(|s| *s == 1);
    let winograd = if small && p.groups == 1 && p.w.dims.len() == 4 { 0 } else { NOT_SUPPORTED };
    let whole = p.x.bytes() + p.y.bytes();
    // FFT, Winograd, GEMM with and without a workspace.
    let [fft, w, gemm, plain] = match p.direction {
        Direction::Forward => [5, 6, 1, 0],
        Direction::BackwardData => [3, 4, 1, 0],
        Direction::BackwardWeights => [6, 5, 1, 0],
    };
    let mut list = vec![(fft, whole, 0), (w, 0, winograd), (gemm, 4 * p.w.count(), 0), (plain, 0, 0)];
    if config::get().faults.dnn_no_solution {
        list.iter_mut().for_each(|k| k.2 = NOT_SUPPORTED);
    }
    list.sort_by_key(|k| k.2);
    list
}

fn offered(
    name: &str,
    h: Ptr,
    direction: Direction,
    operands: [Ptr; 3],
    conv: Ptr,
    most: i32,
    count: Out<i32>,
    to: Out<Perf>,
) -> CudnnStatus {
    with(name, h, |c| {
        let p = problem(c, direction, operands, conv)?;
        if most <= 0 || count.is_null() || to.is_null() {
            return bad("the pointer for kernels is NULL");
        }
        let perf = |(i, (algo, memory, status)): (usize, (i32, usize, i32))| Perf {
            algo,
            status,
            time: if status == 0 { 0.01 * (i + 1) as f32 } else { -1.0 },
            memory,
            determinism: 1,
            math: 3,
            reserved: [0; 3],
        };
        let list: Vec<Perf> = kernels(&p).into_iter().take(most as usize).enumerate().map(perf).collect();
        to.fill(&list);
        count.set(list.len() as i32).or_else(|_| bad("the pointer for the count is NULL"))
    })
}

fn kernel(p: &Problem, algorithm: i32) -> Done<usize> {
    match kernels(p).into_iter().find(|k| k.0 == algorithm && k.2 == 0) {
        Some((_, bytes, _)) => Ok(bytes),
        None => refuse(NOT_SUPPORTED, format!("algorithm {algorithm} does not support this convolution")),
    }
}

fn space(
    name: &str,
    h: Ptr,
    direction: Direction,
    operands: [Ptr; 3],
    conv: Ptr,
    algorithm: i32,
    to: Out<usize>,
) -> CudnnStatus {
    with(name, h, |c| {
        let bytes = kernel(&problem(c, direction, operands, conv)?, algorithm)?;
        to.set(bytes).or_else(|_| bad("the pointer for the size is NULL"))
    })
}

impl Ctx<'_> {
    /// Checks an operand in device memory: aligned, and inside one live allocation of the handle's device.
    fn range(&self, name: &str, at: usize, bytes: usize, align: usize) -> Done<(usize, usize)> {
        match self.gpu.memory.range(at, bytes) {
            Ok(Some(b)) if b.on_device() && b.device == self.device && at.is_multiple_of(align) => {
                Ok((at, at + bytes))
            }
            _ => {
                let location = self.gpu.memory.describe(at);
                bad(format!(
                    "{name} ({bytes} bytes at {at:#x}, {location}) is not inside one allocation of the device"
                ))
            }
        }
    }

    fn push(&mut self, job: impl Fn() + Send + Sync + 'static) -> Done {
        let Ok(key) = self.gpu.stream(self.stream as Ptr) else { return bad("the stream was destroyed") };
        match self.gpu.push(key, Work::Native(std::sync::Arc::new(job)), Vec::new()) {
            Ok(_) => Ok(()),
            Err(code) => refuse(EXECUTION_FAILED, format!("CUDA error {code}")),
        }
    }
}

/// Checks the factors alpha and beta, which must be 1 and 0.
fn factors(alpha: *const c_void, beta: *const c_void) -> Done {
    for (name, at, must) in [("alpha", alpha, 1f32), ("beta", beta, 0f32)] {
        if at.is_null() {
            return bad(format!("{name} is NULL"));
        }
        // SAFETY: cuDNN's contract: a float of the host.
        let is = unsafe { at.cast::<f32>().read_unaligned() };
        if is != must {
            return refuse(NOT_SUPPORTED, format!("{name} is {is}; the virtual GPU supports only {must}"));
        }
    }
    Ok(())
}

fn apart(written: &[(usize, usize)], read: &[(usize, usize)]) -> Done {
    for (i, a) in written.iter().enumerate() {
        if written[i + 1..].iter().chain(read).any(|b| a.0 < b.1 && b.0 < a.1) {
            return bad("the result overlaps another operand");
        }
    }
    Ok(())
}

fn convolve(
    name: &str,
    h: Ptr,
    direction: Direction,
    [alpha, beta]: [*const c_void; 2],
    operands: [Ptr; 3],
    at: [*const c_void; 3],
    conv: Ptr,
    algorithm: i32,
    (room, bytes): (Ptr, usize),
) -> CudnnStatus {
    with(name, h, |c| {
        factors(alpha, beta)?;
        let p = problem(c, direction, operands, conv)?;
        let needed = kernel(&p, algorithm)?;
        let [x, w, y] = direction.roles(at).map(|p| p as usize);
        let result = direction.roles([0, 0, 1]).iter().position(|r| *r == 1).unwrap_or(2);
        let mut spans = Vec::new();
        for (name, at, t) in [("x", x, &p.x), ("w", w, &p.w), ("y", y, &p.y)] {
            spans.push(c.range(name, at, t.bytes(), t.kind.size())?);
        }
        if bytes < needed || (needed > 0 && room.is_null()) {
            return bad(format!("got a workspace of {bytes} bytes, expected {needed}"));
        }
        let mut written = vec![spans.remove(result)];
        let workspace =
            if bytes > 0 { Some(c.range("the workspace", room as usize, bytes, 1)?) } else { None };
        written.extend(workspace);
        apart(&written, &spans)?;
        let wrong = config::get().faults.dnn_wrong;
        c.push(move || {
            if let Some((from, to)) = workspace {
                fill_nan(from, to);
            }
            run(&p, x, w, y, wrong);
        })
    })
}

macro_rules! directions {
    ($($direction:ident $offered:ident $space:ident $run:ident;)*) => { $(
        pub extern "C" fn $offered(h: Ptr, a: Ptr, b: Ptr, conv: Ptr, out: Ptr, most: i32, count: Out<i32>, to: Out<Perf>) -> CudnnStatus {
            offered(stringify!($offered), h, Direction::$direction, [a, b, out], conv, most, count, to)
        }
        pub extern "C" fn $space(h: Ptr, a: Ptr, b: Ptr, conv: Ptr, out: Ptr, algorithm: i32, to: Out<usize>) -> CudnnStatus {
            space(stringify!($space), h, Direction::$direction, [a, b, out], conv, algorithm, to)
        }
        pub extern "C" fn $run(
            h: Ptr,
            alpha: *const c_void,
            a: Ptr,
            a_at: *const c_void,
            b: Ptr,
            b_at: *const c_void,
            conv: Ptr,
            algorithm: i32,
            room: Ptr,
            bytes: usize,
            beta: *const c_void,
            out: Ptr,
            out_at: Ptr,
        ) -> CudnnStatus {
            let at = [a_at, b_at, out_at.cast_const()];
            convolve(stringify!($run), h, Direction::$direction, [alpha, beta], [a, b, out], at, conv, algorithm, (room, bytes))
        }
    )* };
}
directions! {
    Forward cudnnGetConvolutionForwardAlgorithm_v7 cudnnGetConvolutionForwardWorkspaceSize cudnnConvolutionForward;
    BackwardData cudnnGetConvolutionBackwardDataAlgorithm_v7 cudnnGetConvolutionBackwardDataWorkspaceSize
        cudnnConvolutionBackwardData;
    BackwardWeights cudnnGetConvolutionBackwardFilterAlgorithm_v7 cudnnGetConvolutionBackwardFilterWorkspaceSize
        cudnnConvolutionBackwardFilter;
}
