//! Find, which measures all kernels of a problem, and the functions that run the kernels it found.
use super::immediate::issue;
use super::problem::{Direction, Order, Problem};
use super::{BAD_PARM, Ctx, Done, NOT_IMPLEMENTED, Refused, Status, UNKNOWN, compile, hip, refuse, with};
use crate::api::hip::Ptr;
use crate::support::out::Out;
use std::ffi::c_void;

/// miopenConvAlgoPerf_t.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Perf {
    pub algorithm: i32,
    pub time: f32,
    pub memory: usize,
}

/// Ends the process for a NULL descriptor, as the real function does outside of its exception handler.
fn unguarded(name: &str, conv: Ptr) {
    if conv.is_null() {
        eprintln!(
            "rushlight-vgpu: MIOpen: {name}: the convolution descriptor is NULL, which ends the process"
        );
        std::process::abort();
    }
}

fn workspace(name: &str, h: Ptr, order: Order, [a, b, conv, out]: [Ptr; 4], to: Out<usize>) -> Status {
    with(name, h, |c| {
        let p = Problem::new(c.all, order, a, b, conv, out)?;
        let most = p.solvers().iter().map(|s| s.workspace).max().unwrap_or(0);
        to.set(most).map_err(hip)
    })
}

fn find(
    name: &str,
    h: Ptr,
    order: Order,
    [a, b, conv, out]: [Ptr; 4],
    at: [Ptr; 3],
    (request, returned, to): (i32, Out<i32>, Out<Perf>),
    (space, bytes): (Ptr, usize),
) -> Status {
    with(name, h, |c| {
        if at.iter().any(|p| p.is_null()) {
            return refuse(BAD_PARM, "Buffers cannot be NULL");
        }
        if returned.is_null() || to.is_null() {
            return refuse(BAD_PARM, "perfResults and returnedAlgoCount cannot be nullptr");
        }
        if request < 1 {
            return refuse(BAD_PARM, "requestAlgoCount cannot be < 1");
        }
        returned.set(0).map_err(hip)?;
        let p = Problem::new(c.all, order, a, b, conv, out)?;
        issue(c, p.clone(), order.roles(at[0], at[1], at[2]), (space, bytes, 0), true)?;
        let mut perfs = Vec::new();
        for s in p.solvers().into_iter().filter(|s| s.workspace <= bytes) {
            if compile(s.name).is_ok() {
                perfs.push(Perf { algorithm: s.family, time: s.measured, memory: s.workspace });
                c.handle()?.found.insert((p.clone(), s.family));
                c.handle()?.compiled.insert((p.clone(), s.id));
            }
        }
        if perfs.is_empty() {
            return refuse(UNKNOWN, "No suitable algorithm was found to execute the required convolution");
        }
        c.all.measured.insert(p);
        perfs.truncate(request as usize);
        returned.set(perfs.len() as i32).map_err(hip)?;
        to.fill(&perfs);
        Ok(())
    })
}

/// Reads the factors as floats and requires 1 and 0, as every 2-D kernel does.
fn factors(alpha: *const c_void, beta: *const c_void) -> Done {
    let read = |at: *const c_void| -> Done<f32> {
        let at = at.cast_mut().cast::<f32>();
        // SAFETY: not NULL, so the caller's float.
        let value = (!at.is_null()).then(|| unsafe { at.read() });
        value.ok_or_else(|| Refused(BAD_PARM, "alpha or beta is NULL".into()))
    };
    match (read(alpha)?, read(beta)?) {
        (1.0, 0.0) => Ok(()),
        (a, b) => refuse(NOT_IMPLEMENTED, format!("Only alpha=1 and beta=0 is supported, not {a} and {b}")),
    }
}

fn run(
    name: &str,
    h: Ptr,
    order: Order,
    [a, b, conv, out]: [Ptr; 4],
    at: [Ptr; 3],
    (alpha, beta, family): (*const c_void, *const c_void, i32),
    (space, bytes): (Ptr, usize),
) -> Status {
    with(name, h, |c: &mut Ctx<'_>| {
        let p = Problem::new(c.all, order, a, b, conv, out)?;
        factors(alpha, beta)?;
        let solver = p.solvers().into_iter().find(|s| s.family == family);
        let found = c.handle()?.found.contains(&(p.clone(), family));
        let Some(solver) = solver.filter(|_| found) else {
            return refuse(UNKNOWN, "No invoker was registered for convolution. Was find executed?");
        };
        issue(c, p, order.roles(at[0], at[1], at[2]), (space, bytes, solver.workspace), false)
    })
}

macro_rules! directions {
    ($($direction:ident $guarded:literal $space:ident $find:ident $run:ident;)*) => { $(
        pub extern "C" fn $space(h: Ptr, a: Ptr, b: Ptr, conv: Ptr, out: Ptr, to: Out<usize>) -> Status {
            let order = Order { direction: Direction::$direction, w_first: true };
            workspace(stringify!($space), h, order, [a, b, conv, out], to)
        }
        pub extern "C" fn $find(
            h: Ptr,
            a: Ptr,
            a_at: *const c_void,
            b: Ptr,
            b_at: *const c_void,
            conv: Ptr,
            out: Ptr,
            out_at: Ptr,
            request: i32,
            returned: Out<i32>,
            to: Out<Perf>,
            workspace: Ptr,
            bytes: usize,
            _exhaustive: bool,
        ) -> Status {
            let name = stringify!($find);
            if !$guarded {
                unguarded(name, conv);
            }
            let order = Order { direction: Direction::$direction, w_first: false };
            let at = [a_at.cast_mut(), b_at.cast_mut(), out_at];
            find(name, h, order, [a, b, conv, out], at, (request, returned, to), (workspace, bytes))
        }
        pub extern "C" fn $run(
            h: Ptr,
            alpha: *const c_void,
            a: Ptr,
            a_at: *const c_void,
            b: Ptr,
            b_at: *const c_void,
            conv: Ptr,
            family: i32,
            beta: *const c_void,
            out: Ptr,
            out_at: Ptr,
            workspace: Ptr,
            bytes: usize,
        ) -> Status {
            let name = stringify!($run);
            if !$guarded {
                unguarded(name, conv);
            }
            let order = Order { direction: Direction::$direction, w_first: false };
            let at = [a_at.cast_mut(), b_at.cast_mut(), out_at];
            run(name, h, order, [a, b, conv, out], at, (alpha, beta, family), (workspace, bytes))
        }
    )* };
}
directions! {
    Forward false miopenConvolutionForwardGetWorkSpaceSize miopenFindConvolutionForwardAlgorithm
        miopenConvolutionForward;
    BackwardData false miopenConvolutionBackwardDataGetWorkSpaceSize miopenFindConvolutionBackwardDataAlgorithm
        miopenConvolutionBackwardData;
    BackwardWeights true miopenConvolutionBackwardWeightsGetWorkSpaceSize
        miopenFindConvolutionBackwardWeightsAlgorithm miopenConvolutionBackwardWeights;
}
