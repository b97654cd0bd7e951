//! cuSOLVER's functions for dense matrices: handles and decompositions. Arguments are checked as NVIDIA's documentation states. One
//! triangle is accepted, the lower one.
use crate::api::blas::gemm::{Matrix, Type};
use crate::api::blas::{Refused, size_of};
use crate::api::hip::Ptr;
use crate::api::solver::{Call, Job, Vector, fails_now};
use crate::device::gpu::{Gpu, current, gpu, library_call};
use crate::support::config;
use crate::support::out::Out;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// cusolverStatus_t.
pub type CusolverStatus = i32;
const NOT_INITIALIZED: CusolverStatus = 1;
const ALLOC_FAILED: CusolverStatus = 2;
const INVALID_VALUE: CusolverStatus = 3;
const EXECUTION_FAILED: CusolverStatus = 6;
const INTERNAL_ERROR: CusolverStatus = 7;
const NOT_SUPPORTED: CusolverStatus = 9;
const INVALID_WORKSPACE: CusolverStatus = 31;

#[derive(Default)]
struct State {
    /// The device and the stream of each handle.
    handles: HashMap<usize, (usize, usize)>,
    params: HashSet<usize>,
}

fn state() -> MutexGuard<'static, State> {
    static ALL: OnceLock<Mutex<State>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

fn entry(name: &str, f: impl FnOnce() -> Result<(), CusolverStatus>) -> CusolverStatus {
    library_call(name, INTERNAL_ERROR, f)
}

/// Runs a call with the stream of a handle, which must be live and belong to the device of the thread's context.
fn with(
    name: &str,
    handle: Ptr,
    f: impl FnOnce(&mut Gpu, &mut usize, &HashSet<usize>) -> Result<(), CusolverStatus>,
) -> CusolverStatus {
    entry(name, || {
        let mut all = state();
        let State { handles, params } = &mut *all;
        let (device, stream) = handles.get_mut(&(handle as usize)).ok_or(NOT_INITIALIZED)?;
        let context = super::driver::context().ok_or(NOT_INITIALIZED)?;
        if *device != context {
            eprintln!(
                "rushlight-vgpu: cuSOLVER: the handle belongs to device {device}, the context to {context}"
            );
            return Err(INVALID_VALUE);
        }
        let mut gpu = gpu().map_err(|_| EXECUTION_FAILED)?;
        gpu.alive().map_err(|_| EXECUTION_FAILED)?;
        f(&mut gpu, stream, params)
    })
}

pub extern "C" fn cusolverDnCreate(to: Out<Ptr>) -> CusolverStatus {
    entry("cusolverDnCreate", || {
        if to.is_null() {
            return Err(INVALID_VALUE);
        }
        super::driver::context().ok_or(NOT_INITIALIZED)?;
        let mut gpu = gpu().map_err(|_| NOT_INITIALIZED)?;
        gpu.alive().map_err(|_| NOT_INITIALIZED)?;
        if config::get().faults.solver_no_memory {
            return Err(ALLOC_FAILED);
        }
        let key = gpu.handle();
        // `with` locks the handles before the GPU.
        drop(gpu);
        state().handles.insert(key, (current(), 0));
        to.set(key as Ptr).map_err(|_| INVALID_VALUE)
    })
}

pub extern "C" fn cusolverDnDestroy(handle: Ptr) -> CusolverStatus {
    entry("cusolverDnDestroy", || state().handles.remove(&(handle as usize)).map(drop).ok_or(NOT_INITIALIZED))
}

pub extern "C" fn cusolverDnSetStream(handle: Ptr, stream: Ptr) -> CusolverStatus {
    with("cusolverDnSetStream", handle, |gpu, of, _| {
        gpu.stream(stream).map_err(|_| INVALID_VALUE)?;
        *of = stream as usize;
        Ok(())
    })
}

pub extern "C" fn cusolverDnCreateParams(to: Out<Ptr>) -> CusolverStatus {
    entry("cusolverDnCreateParams", || {
        if to.is_null() {
            return Err(INVALID_VALUE);
        }
        let key = gpu().map_err(|_| NOT_INITIALIZED)?.handle();
        state().params.insert(key);
        to.set(key as Ptr).map_err(|_| INVALID_VALUE)
    })
}

pub extern "C" fn cusolverDnDestroyParams(params: Ptr) -> CusolverStatus {
    entry("cusolverDnDestroyParams", || {
        if state().params.remove(&(params as usize)) { Ok(()) } else { Err(INVALID_VALUE) }
    })
}

/// Returns the type of a cudaDataType.
fn of(t: i32) -> Option<Type> {
    Some(match t {
        0 => Type::F32,
        1 => Type::F64,
        4 => Type::C32,
        5 => Type::C64,
        _ => return None,
    })
}

/// The cudaDataType of a type's parts.
fn real(t: i32) -> i32 {
    if t == 4 {
        0
    } else if t == 5 {
        1
    } else {
        t
    }
}

/// The sizes, words and types of a call that both of its functions check.
#[derive(Default)]
struct Shape {
    m: i64,
    n: i64,
    lda: i64,
    /// A reason why the arguments are invalid.
    wrong: Vec<(&'static str, bool)>,
    /// cudaDataTypes of the matrix and of the computation.
    types: [i32; 2],
    /// Pairs of cudaDataTypes that must be equal.
    same: Vec<(i32, i32)>,
}

impl Shape {
    fn check(self) -> Result<(Type, [usize; 3]), CusolverStatus> {
        let sizes = [
            ("m or n is negative", self.m < 0 || self.n < 0),
            ("lda is too small", self.lda < self.m.max(1)),
            ("a size is beyond 31 bits", self.m.max(self.n).max(self.lda) > i64::from(i32::MAX)),
        ];
        if let Some((why, _)) = sizes.into_iter().chain(self.wrong).find(|w| w.1) {
            eprintln!("rushlight-vgpu: cuSOLVER: {why}");
            return Err(INVALID_VALUE);
        }
        let [t, compute] = self.types;
        if t != compute || self.same.iter().any(|(a, b)| a != b) {
            eprintln!("rushlight-vgpu: cuSOLVER: this combination of types is not supported");
            return Err(NOT_SUPPORTED);
        }
        let t = of(t).ok_or(NOT_SUPPORTED)?;
        Ok((t, [self.m as usize, self.n as usize, self.lda as usize]))
    }
}

/// Bytes of workspace: on the device for each column, and on the host.
const DEVICE: usize = 256;
const HOST: usize = 64;

/// Writes the sizes of workspaces.
fn sizes(
    name: &str,
    handle: Ptr,
    params: Ptr,
    shape: Shape,
    device: Out<usize>,
    host: Out<usize>,
) -> CusolverStatus {
    with(name, handle, |_, _, known| {
        if !known.contains(&(params as usize)) || device.is_null() || host.is_null() {
            return Err(INVALID_VALUE);
        }
        let (_, [_, n, _]) = shape.check()?;
        device.set(DEVICE * n).map_err(|_| INVALID_VALUE)?;
        host.set(HOST).map_err(|_| INVALID_VALUE)
    })
}

/// The workspaces and the info word of a call.
struct Room {
    device: (Ptr, usize),
    host: (Ptr, usize),
    info: Ptr,
}

/// Checks the workspaces, and issues a call on one matrix.
fn go(
    name: &str,
    handle: Ptr,
    params: Option<Ptr>,
    shape: Shape,
    a: Ptr,
    room: Room,
    job: impl FnOnce(Type, [usize; 3]) -> Job,
) -> CusolverStatus {
    with(name, handle, |gpu, stream, known| {
        if params.is_some_and(|p| !known.contains(&(p as usize))) {
            return Err(INVALID_VALUE);
        }
        let (of, [m, n, lda]) = shape.check()?;
        if room.info.is_null() {
            return Err(INVALID_VALUE);
        }
        if m == 0 || n == 0 {
            return Ok(());
        }
        let host = params.is_some();
        if room.device.1 < DEVICE * n || (host && (room.host.1 < HOST || room.host.0.is_null())) {
            eprintln!("rushlight-vgpu: cuSOLVER: {name}: a workspace is smaller than {name}_bufferSize says");
            return Err(INVALID_WORKSPACE);
        }
        if fails_now() {
            return Err(EXECUTION_FAILED);
        }
        if host {
            // SAFETY: the caller's host workspace has this size.
            unsafe { std::ptr::write_bytes(room.host.0.cast::<u8>(), 0xee, HOST) };
        }
        let call = Call {
            of,
            a: Matrix { at: a as usize, rows: m, cols: n, ld: lda, stride: 0 },
            batch: 1,
            job: job(of, [m, n, lda]),
            info: room.info as usize,
            space: (room.device.0 as usize, DEVICE * n),
            beside: None,
        };
        call.issue(gpu, "cuSOLVER", *stream).map_err(|refused| match refused {
            Refused::Size | Refused::Value | Refused::Stream => INVALID_VALUE,
            Refused::Pointer | Refused::Device => EXECUTION_FAILED,
        })
    })
}

fn vector(at: Ptr, count: usize) -> Vector {
    Vector { at: at as usize, count, stride: 0 }
}

fn room(device: Ptr, device_bytes: usize, host: Ptr, host_bytes: usize, info: Ptr) -> Room {
    Room { device: (device, device_bytes), host: (host, host_bytes), info }
}

fn lu(m: i64, n: i64, t: i32, lda: i64, compute: i32) -> Shape {
    Shape { m, n, lda, types: [t, compute], ..Shape::default() }
}

/// Writes the two functions of a decomposition: one returns the sizes of workspaces, the other computes. Their arguments begin
/// alike; those after the first semicolon are the other's alone. The matrix stands before the colon.
macro_rules! decomposition {
    (
        $name:ident $size:ident $a:ident:
        ($($arg:ident: $t:ty),*; $($alone:ident: $u:ty)?; $compute:ident), $shape:expr, $job:expr
    ) => {
        #[allow(unused_variables)]
        pub extern "C" fn $size(
            handle: Ptr, params: Ptr, $($arg: $t,)* $compute: i32, device: Out<usize>, host: Out<usize>,
        ) -> CusolverStatus {
            sizes(stringify!($name), handle, params, $shape, device, host)
        }
        pub extern "C" fn $name(
            handle: Ptr, params: Ptr, $($arg: $t,)* $($alone: $u,)? $compute: i32, device: Ptr, device_bytes: usize,
            host: Ptr, host_bytes: usize, info: Ptr,
        ) -> CusolverStatus {
            let room = room(device, device_bytes, host, host_bytes, info);
            go(stringify!($name), handle, Some(params), $shape, $a, room, $job)
        }
    };
}

decomposition! {
    cusolverDnXgetrf cusolverDnXgetrf_bufferSize a:
    (m: i64, n: i64, t: i32, a: Ptr, lda: i64; pivots: Ptr; compute),
    lu(m, n, t, lda, compute),
    |_, [m, n, _]| Job::Lu(vector(pivots, m.min(n)), 8)
}

/// `triangle` 0 is the lower one.
fn square(n: i64, triangle: i32, t: i32, lda: i64, compute: i32) -> Shape {
    let wrong = vec![("the triangle is not the lower one", triangle != 0)];
    Shape { m: n, n, lda, wrong, types: [t, compute], same: Vec::new() }
}

decomposition! {
    cusolverDnXpotrf cusolverDnXpotrf_bufferSize a:
    (triangle: i32, n: i64, t: i32, a: Ptr, lda: i64; ; compute),
    square(n, triangle, t, lda, compute),
    |_, _| Job::Cholesky
}

decomposition! {
    cusolverDnXgeqrf cusolverDnXgeqrf_bufferSize a:
    (m: i64, n: i64, t: i32, a: Ptr, lda: i64, tau_type: i32, tau: Ptr; ; compute),
    Shape { same: vec![(t, tau_type)], ..lu(m, n, t, lda, compute) },
    |_, [m, n, _]| Job::Qr(vector(tau, m.min(n)))
}

fn product(t: i32, [m, n, k, lda]: [i32; 4]) -> Shape {
    let wrong = vec![("there are fewer rows than columns, or than reflections", n > m || k > n || k < 0)];
    Shape { wrong, ..lu(m.into(), n.into(), t, lda.into(), t) }
}

fn product_size(name: &str, t: i32, handle: Ptr, sizes: [i32; 4], length: Out<i32>) -> CusolverStatus {
    with(name, handle, |_, _, _| {
        let (of, [_, n, _]) = product(t, sizes).check()?;
        let elements = (DEVICE * n).div_ceil(size_of(of));
        length.set(elements as i32).map_err(|_| INVALID_VALUE)
    })
}

fn products(
    name: &str,
    t: i32,
    handle: Ptr,
    sizes: [i32; 4],
    [a, tau, work]: [Ptr; 3],
    length: i32,
    info: Ptr,
) -> CusolverStatus {
    let bytes = of(t).map_or(0, |of| usize::try_from(length).unwrap_or(0) * size_of(of));
    let k = sizes[2];
    let room = room(work, bytes, std::ptr::null_mut(), 0, info);
    go(name, handle, None, product(t, sizes), a, room, |_, _| {
        Job::Product(vector(tau, k as usize), k as usize)
    })
}

macro_rules! products {
    ($($name:ident $size:ident $t:literal;)*) => { $(
        pub extern "C" fn $size(handle: Ptr, m: i32, n: i32, k: i32, _a: Ptr, lda: i32, _tau: Ptr, length: Out<i32>) -> CusolverStatus {
            product_size(stringify!($size), $t, handle, [m, n, k, lda], length)
        }
        pub extern "C" fn $name(handle: Ptr, m: i32, n: i32, k: i32, a: Ptr, lda: i32, tau: Ptr, work: Ptr, length: i32, info: Ptr) -> CusolverStatus {
            products(stringify!($name), $t, handle, [m, n, k, lda], [a, tau, work], length, info)
        }
    )* };
}
products! {
    cusolverDnSorgqr cusolverDnSorgqr_bufferSize 0;
    cusolverDnDorgqr cusolverDnDorgqr_bufferSize 1;
    cusolverDnCungqr cusolverDnCungqr_bufferSize 4;
    cusolverDnZungqr cusolverDnZungqr_bufferSize 5;
}

fn hermitian(mode: i32, triangle: i32, n: i64, t: i32, lda: i64, values: i32, compute: i32) -> Shape {
    let mut shape = square(n, triangle, t, lda, compute);
    shape.wrong.push(("the mode is neither 0 nor 1", !(0..=1).contains(&mode)));
    Shape { same: vec![(real(t), values)], ..shape }
}

decomposition! {
    cusolverDnXsyevd cusolverDnXsyevd_bufferSize a:
    (mode: i32, triangle: i32, n: i64, t: i32, a: Ptr, lda: i64, values_type: i32, values: Ptr; ; compute),
    hermitian(mode, triangle, n, t, lda, values_type, compute),
    |_, [_, n, _]| Job::Eigh(vector(values, n), mode == 1)
}

/// `words` are the letters of U and of V^H. Factors that replace the matrix are not supported.
fn singular(words: [i8; 2], [m, n, lda, ldu, ldv]: [i64; 5], [t, values, u, v, compute]: [i32; 5]) -> Shape {
    let letters = words.map(|w| w as u8);
    let mut shape = lu(m, n, t, lda, compute);
    shape.wrong = vec![
        ("there are more columns than rows", n > m),
        ("a job is not A, S or N", !letters.iter().all(|l| b"ASN".contains(l))),
        ("ldu is too small", ldu < if letters[0] == b'N' { 1 } else { m }),
        ("ldvt is too small", ldv < if letters[1] == b'N' { 1 } else { n }),
    ];
    Shape { same: vec![(real(t), values), (t, u), (t, v)], ..shape }
}

/// A factor, unless its letter is N.
fn factor(letter: i8, at: Ptr, rows: usize, cols: usize, ld: i64) -> Option<Matrix> {
    (letter as u8 != b'N').then_some(Matrix { at: at as usize, rows, cols, ld: ld as usize, stride: 0 })
}

decomposition! {
    cusolverDnXgesvd cusolverDnXgesvd_bufferSize a:
    (job_u: i8, job_v: i8, m: i64, n: i64, t: i32, a: Ptr, lda: i64, values_type: i32, values: Ptr, u_type: i32, u: Ptr, ldu: i64,
     v_type: i32, v: Ptr, ldv: i64; ; compute),
    singular([job_u, job_v], [m, n, lda, ldu, ldv], [t, values_type, u_type, v_type, compute]),
    |_, [m, n, _]| {
        let columns = if job_u as u8 == b'A' { m } else { n };
        Job::Svd(vector(values, n), factor(job_u, u, m, columns, ldu), factor(job_v, v, n, n, ldv))
    }
}
