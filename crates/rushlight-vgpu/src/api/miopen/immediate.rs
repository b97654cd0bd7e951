//! Immediate mode: runs kernels by number, without Find.
use super::conv_compute::{fill_nan, run};
use super::problem::{Direction, Order, Problem, Solver};
use super::{BAD_PARM, Ctx, Done, NOT_IMPLEMENTED, Status, compile, hip, refuse, with};
use crate::api::hip::Ptr;
use crate::support::config;
use crate::support::out::Out;
use std::ffi::c_void;

/// miopenConvSolution_t.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solution {
    pub time: f32,
    pub workspace_size: usize,
    pub solution_id: u64,
    pub algorithm: i32,
}

/// Returns the kernels of a problem with their times, fastest first: measured ones if the find-db has the problem.
fn offered(c: &Ctx<'_>, p: &Problem) -> Done<Vec<(f32, Solver)>> {
    let known = !config::get().faults.dnn_no_db || c.all.measured.contains(p);
    let time = |s: Solver| (if known { s.measured } else { s.guess }, s);
    let list: Vec<_> = p.solvers().into_iter().map(time).collect();
    if list.is_empty() {
        let why = "Requested convolution is not supported or Immediate mode Fallback unsuccessful.";
        return refuse(NOT_IMPLEMENTED, why);
    }
    Ok(list)
}

fn solver(c: &Ctx<'_>, p: &Problem, id: u64) -> Done<Solver> {
    match offered(c, p)?.into_iter().find(|s| s.1.id == id) {
        Some((_, s)) => Ok(s),
        None => refuse(
            BAD_PARM,
            format!("The supplied solution id: {id} is not applicable to the current problem"),
        ),
    }
}

fn prepare(c: &mut Ctx<'_>, p: &Problem, s: &Solver) -> Done {
    if c.handle()?.compiled.contains(&(p.clone(), s.id)) {
        return Ok(());
    }
    compile(s.name)?;
    c.handle()?.compiled.insert((p.clone(), s.id));
    Ok(())
}

/// Checks the memory and issues the computation on the stream. `fill_result` is set by Find, which overwrites its
/// result.
pub(super) fn issue(
    c: &mut Ctx<'_>,
    p: Problem,
    [x, w, y]: [Ptr; 3],
    space: (Ptr, usize, usize),
    fill_result: bool,
) -> Done {
    // The caller's x and y from the problem's view.
    let (x, y) = if p.transposed { (y, x) } else { (x, y) };
    let mut spans = Vec::new();
    for (name, at, t) in [("x", x, &p.x), ("w", w, &p.w), ("y", y, &p.y)] {
        spans.push((name, c.range(name, at, t.bytes(), t.kind.size())?));
    }
    let (at, bytes, needed) = space;
    if at.is_null() != (bytes == 0) {
        return refuse(
            BAD_PARM,
            "workspace pointer and size don't match. Either both should be zero or both should be non-zero",
        );
    }
    if bytes < needed {
        return refuse(BAD_PARM, format!("got a workspace of {bytes} bytes, expected {needed}"));
    }
    let workspace =
        if bytes > 0 { Some(("the workspace", c.range("the workspace", at, bytes, 1)?)) } else { None };
    let result = match p.direction {
        Direction::Forward => 2,
        Direction::BackwardData => 0,
        Direction::BackwardWeights => 1,
    };
    let mut written = vec![spans.remove(result)];
    written.extend(workspace);
    c.apart(&written, &spans)?;
    let wrong = config::get().faults.dnn_wrong;
    let (x, w, y) = (x as usize, w as usize, y as usize);
    c.push(move || {
        if let Some((_, (from, to))) = workspace {
            fill_nan(from, to);
        }
        if fill_result {
            let (from, to) = written[0].1;
            fill_nan(from, to);
        } else {
            run(&p, x, w, y, wrong);
        }
    })
}

fn count(name: &str, h: Ptr, order: Order, [a, b, conv, out]: [Ptr; 4], to: Out<usize>) -> Status {
    with(name, h, |c| {
        let p = Problem::new(c.all, order, a, b, conv, out)?;
        let n = offered(c, &p)?.len();
        to.set(n).map_err(hip)
    })
}

fn list(
    name: &str,
    h: Ptr,
    order: Order,
    [a, b, conv, out]: [Ptr; 4],
    most: usize,
    n: Out<usize>,
    to: Out<Solution>,
) -> Status {
    with(name, h, |c| {
        let p = Problem::new(c.all, order, a, b, conv, out)?;
        if most == 0 || to.is_null() || n.is_null() {
            return refuse(BAD_PARM, "the pointer for solutions is NULL");
        }
        let found: Vec<Solution> = offered(c, &p)?
            .into_iter()
            .take(most)
            .map(|(time, s)| Solution {
                time,
                workspace_size: s.workspace,
                solution_id: s.id,
                algorithm: s.family,
            })
            .collect();
        n.set(found.len()).map_err(hip)?;
        to.fill(&found);
        Ok(())
    })
}

fn space(name: &str, h: Ptr, order: Order, [a, b, conv, out]: [Ptr; 4], id: u64, to: Out<usize>) -> Status {
    with(name, h, |c| {
        let p = Problem::new(c.all, order, a, b, conv, out)?;
        let s = solver(c, &p, id)?;
        to.set(s.workspace).map_err(hip)
    })
}

fn ready(name: &str, h: Ptr, order: Order, [a, b, conv, out]: [Ptr; 4], id: u64) -> Status {
    with(name, h, |c| {
        let p = Problem::new(c.all, order, a, b, conv, out)?;
        let s = solver(c, &p, id)?;
        prepare(c, &p, &s)
    })
}

fn immediate(
    name: &str,
    h: Ptr,
    order: Order,
    [a, b, conv, out]: [Ptr; 4],
    [a_at, b_at, out_at]: [Ptr; 3],
    (at, bytes): (Ptr, usize),
    id: u64,
) -> Status {
    with(name, h, |c| {
        let p = Problem::new(c.all, order, a, b, conv, out)?;
        let s = solver(c, &p, id)?;
        prepare(c, &p, &s)?;
        issue(c, p, order.roles(a_at, b_at, out_at), (at, bytes, s.workspace), false)
    })
}

macro_rules! directions {
    ($($direction:ident $count:ident $list:ident $space:ident $compile:ident $run:ident;)*) => { $(
        pub extern "C" fn $count(h: Ptr, a: Ptr, b: Ptr, conv: Ptr, out: Ptr, to: Out<usize>) -> Status {
            let order = Order { direction: Direction::$direction, w_first: true };
            count(stringify!($count), h, order, [a, b, conv, out], to)
        }
        pub extern "C" fn $list(
            h: Ptr,
            a: Ptr,
            b: Ptr,
            conv: Ptr,
            out: Ptr,
            most: usize,
            n: Out<usize>,
            to: Out<Solution>,
        ) -> Status {
            let order = Order { direction: Direction::$direction, w_first: true };
            list(stringify!($list), h, order, [a, b, conv, out], most, n, to)
        }
        pub extern "C" fn $space(h: Ptr, a: Ptr, b: Ptr, conv: Ptr, out: Ptr, id: u64, to: Out<usize>) -> Status {
            let order = Order { direction: Direction::$direction, w_first: true };
            space(stringify!($space), h, order, [a, b, conv, out], id, to)
        }
        pub extern "C" fn $compile(h: Ptr, a: Ptr, b: Ptr, conv: Ptr, out: Ptr, id: u64) -> Status {
            let order = Order { direction: Direction::$direction, w_first: true };
            ready(stringify!($compile), h, order, [a, b, conv, out], id)
        }
        pub extern "C" fn $run(
            h: Ptr,
            a: Ptr,
            a_at: *const c_void,
            b: Ptr,
            b_at: *const c_void,
            conv: Ptr,
            out: Ptr,
            out_at: Ptr,
            workspace: Ptr,
            bytes: usize,
            id: u64,
        ) -> Status {
            let order = Order { direction: Direction::$direction, w_first: true };
            let at = [a_at.cast_mut(), b_at.cast_mut(), out_at];
            immediate(stringify!($run), h, order, [a, b, conv, out], at, (workspace, bytes), id)
        }
    )* };
}
directions! {
    Forward miopenConvolutionForwardGetSolutionCount miopenConvolutionForwardGetSolution
        miopenConvolutionForwardGetSolutionWorkspaceSize miopenConvolutionForwardCompileSolution
        miopenConvolutionForwardImmediate;
    BackwardData miopenConvolutionBackwardDataGetSolutionCount miopenConvolutionBackwardDataGetSolution
        miopenConvolutionBackwardDataGetSolutionWorkspaceSize miopenConvolutionBackwardDataCompileSolution
        miopenConvolutionBackwardDataImmediate;
    BackwardWeights miopenConvolutionBackwardWeightsGetSolutionCount miopenConvolutionBackwardWeightsGetSolution
        miopenConvolutionBackwardWeightsGetSolutionWorkspaceSize miopenConvolutionBackwardWeightsCompileSolution
        miopenConvolutionBackwardWeightsImmediate;
}
