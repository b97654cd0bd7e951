//! Captures and graphs: work of a capturing stream is recorded, a graph repeats it, and what a capture forbids has the
//! documented error code and makes it invalid.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::{Code, Out};
use std::sync::{Mutex, MutexGuard};

const THREAD: i32 = 1;
const RELAXED: i32 = 2;
const NULL: Ptr = std::ptr::null_mut();

/// Waits for the other tests of this file: a wait for the device disturbs their captures.
fn turn() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|e| e.into_inner())
}

fn stream(flags: u32) -> Ptr {
    let mut s: Ptr = NULL;
    assert_eq!(hipStreamCreateWithFlags(Out::to(&mut s), flags), 0);
    s
}

fn event() -> Ptr {
    let mut e: Ptr = NULL;
    assert_eq!(hipEventCreateWithFlags(Out::to(&mut e), 0), 0);
    e
}

fn end(s: Ptr) -> (Code, Ptr) {
    let mut graph: Ptr = 1 as Ptr;
    (hipStreamEndCapture(s, Out::to(&mut graph)), graph)
}

fn status(s: Ptr) -> i32 {
    let mut status = -1;
    assert_eq!(hipStreamIsCapturing(s, Out::to(&mut status)), 0);
    status
}

/// Captures what `f` does on a stream, and returns the graph that can be launched.
fn graph(s: Ptr, f: impl FnOnce()) -> Ptr {
    assert_eq!((hipStreamBeginCapture(s, THREAD), status(s)), (0, 1));
    f();
    let (code, graph) = end(s);
    assert_eq!((code, status(s)), (0, 0));
    let mut exec: Ptr = NULL;
    assert_eq!(hipGraphInstantiateWithFlags(Out::to(&mut exec), graph, 0), 0);
    assert_eq!((hipGraphDestroy(graph), hipGraphDestroy(graph)), (0, 1));
    exec
}

/// Launches one block of a kernel with pointers on a stream.
fn run(f: Ptr, s: Ptr, mut args: Vec<u64>) -> Code {
    let mut list: Vec<Ptr> = args.iter_mut().map(|a| (a as *mut u64).cast()).collect();
    hipModuleLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, s, Out::to(&mut list[0]), Out::null())
}

#[test]
fn a_graph_repeats_kernels_copies_and_fills_and_recording_runs_nothing() {
    let _one = turn();
    let m = Module::new("extern \"C\" __global__ void inc(int* p) { p[threadIdx.x] += 1; }");
    let (f, s) = (m.function("inc"), stream(1));
    let (a, b) = (upload(&[0i32, 10, 20, 30]), upload(&[7i32; 4]));
    let exec = graph(s, || {
        assert_eq!((run(f, s, vec![a]), run(f, s, vec![a])), (0, 0));
        assert_eq!(hipMemcpyAsync(b as Ptr, a as Ptr, 8, 3, s), 0);
        assert_eq!(hipMemsetD32Async((b + 12) as Ptr, -1, 1, s), 0);
    });
    assert_eq!((download::<i32>(a, 4), download::<i32>(b, 4)), (vec![0, 10, 20, 30], vec![7; 4]));
    for turn in 1..4 {
        assert_eq!((hipGraphLaunch(exec, s), hipStreamSynchronize(s)), (0, 0));
        assert_eq!(download::<i32>(a, 4), [2 * turn, 10 + 2 * turn, 20 + 2 * turn, 30 + 2 * turn]);
        assert_eq!(download::<i32>(b, 4), [2 * turn, 10 + 2 * turn, 7, -1]);
    }
    // A queued launch still runs, and later ones fail.
    assert_eq!((hipGraphLaunch(exec, s), hipGraphExecDestroy(exec)), (0, 0));
    assert_eq!((hipStreamSynchronize(s), download::<i32>(a, 1)[0]), (0, 8));
    assert_eq!((hipGraphLaunch(exec, s), hipGraphExecDestroy(exec)), (1, 1));
}

#[test]
fn waits_and_synchronous_calls_make_a_capture_invalid() {
    let _one = turn();
    let (s, p, e) = (stream(1), malloc(64) as Ptr, event());
    let mut host = [0u8; 64];
    let at: Ptr = host.as_mut_ptr().cast();
    let (mut out, spare): (Ptr, Ptr) = (NULL, malloc(64) as Ptr);
    let calls: [(&str, &mut dyn FnMut() -> Code, Code); 12] = [
        ("hipStreamSynchronize", &mut || hipStreamSynchronize(s), 900),
        ("hipStreamQuery", &mut || hipStreamQuery(s), 900),
        ("hipDeviceSynchronize", &mut || hipDeviceSynchronize(), 900),
        ("hipMalloc", &mut || hipMalloc(Out::to(&mut out), 64), 900),
        ("hipFree", &mut || hipFree(spare), 900),
        ("hipMemcpy", &mut || hipMemcpy(at, p, 64, 2), 900),
        ("hipMemset", &mut || hipMemset(p, 0, 64), 900),
        ("a copy to pageable memory", &mut || hipMemcpyAsync(at, p, 64, 2, s), 900),
        ("hipMemcpyWithStream", &mut || hipMemcpyWithStream(p, spare, 64, 3, s), 900),
        (
            "a captured event",
            &mut || {
                assert_eq!(hipEventRecord(e, s), 0);
                hipEventSynchronize(e)
            },
            907,
        ),
        (
            "an event from outside",
            &mut || {
                let (other, e) = (stream(1), event());
                assert_eq!(hipEventRecord(e, other), 0);
                hipStreamWaitEvent(s, e, 0)
            },
            905,
        ),
        (
            "another stream",
            &mut || {
                let e = event();
                assert_eq!(hipEventRecord(e, s), 0);
                hipStreamWaitEvent(stream(1), e, 0)
            },
            801,
        ),
    ];
    for (name, call, code) in calls {
        assert_eq!(hipStreamBeginCapture(s, THREAD), 0);
        assert_eq!(call(), code, "{name}");
        assert_eq!(status(s), 2, "{name}");
        // Later work is refused, too.
        assert_eq!(hipMemsetD8Async(p, 0, 64, s), 901, "{name}");
        assert_eq!(end(s), (901, NULL), "{name}");
        assert_eq!((hipMemsetD8Async(p, 0, 64, s), hipStreamSynchronize(s)), (0, 0), "{name}");
    }
    // Allocations are allowed in the relaxed mode of the thread, and do not become part of the graph.
    let mut mode = RELAXED;
    assert_eq!(hipStreamBeginCapture(s, THREAD), 0);
    assert_eq!((hipThreadExchangeStreamCaptureMode(Out::to(&mut mode)), mode), (0, 0));
    assert_eq!((hipMalloc(Out::to(&mut out), 64), hipFree(out)), (0, 0));
    assert_eq!((hipThreadExchangeStreamCaptureMode(Out::to(&mut mode)), mode), (0, RELAXED));
    assert_eq!(end(s).0, 0);
    mode = 3;
    assert_eq!(hipThreadExchangeStreamCaptureMode(Out::to(&mut mode)), 1);
}

#[test]
fn captures_begin_and_end_once_in_one_thread_and_not_on_the_legacy_stream() {
    let _one = turn();
    let (s, p) = (stream(1), malloc(16) as usize);
    assert_eq!(hipStreamBeginCapture(NULL, THREAD), 900);
    assert_eq!((hipStreamBeginCapture(s, 3), end(s)), (1, (401, NULL)));
    assert_eq!((hipStreamBeginCapture(s, THREAD), hipStreamBeginCapture(s, THREAD)), (0, 401));
    let at = s as usize;
    let other = std::thread::spawn(move || {
        let mut out: Ptr = NULL;
        // Another thread may allocate, but not end the capture.
        (hipMalloc(Out::to(&mut out), 16), hipMemset(p as Ptr, 0, 16), end(at as Ptr).0)
    });
    assert_eq!(other.join().unwrap(), (0, 0, 908));
    assert_eq!((end(s).0, status(s)), (0, 0));
    // The global mode forbids it to other threads, too.
    assert_eq!(hipStreamBeginCapture(s, 0), 0);
    let other = std::thread::spawn(move || hipMemset(p as Ptr, 0, 16));
    assert_eq!((other.join().unwrap(), status(s), end(s).0), (900, 2, 901));
    // The legacy stream would wait for a blocking stream.
    let blocking = stream(0);
    assert_eq!(hipStreamBeginCapture(blocking, RELAXED), 0);
    assert_eq!((hipMemsetAsync(p as Ptr, 0, 16, NULL), status(blocking)), (906, 2));
    assert_eq!(end(blocking), (901, NULL));
    assert_eq!(hipStreamBeginCapture(s, RELAXED), 0);
    assert_eq!((hipMemsetAsync(p as Ptr, 0, 16, NULL), end(s).0), (0, 0));
    // A capture ends with its stream.
    assert_eq!((hipStreamBeginCapture(s, THREAD), hipStreamDestroy(s), hipDeviceSynchronize()), (0, 0, 0));
}

/// Launches a graph after its memory was freed.
fn after_free(by_kernel: bool) {
    let m = Module::new("extern \"C\" __global__ void inc(int* p) { p[threadIdx.x] += 1; }");
    let (f, s, p) = (m.function("inc"), stream(1), malloc(16));
    let exec = graph(s, || match by_kernel {
        true => assert_eq!(run(f, s, vec![p]), 0),
        false => assert_eq!(hipMemsetD8Async(p as Ptr, 1, 16, s), 0),
    });
    assert_eq!((hipGraphLaunch(exec, s), hipStreamSynchronize(s)), (0, 0));
    assert_eq!(hipFree(p as Ptr), 0);
    assert_eq!((hipGraphLaunch(exec, s), hipStreamSynchronize(s)), (0, 700));
}

#[test]
fn a_kernel_of_a_graph_that_uses_freed_memory_is_reported() {
    let words = ["kernel `inc`: its argument 0x", "freed"];
    prints("a_kernel_of_a_graph_that_uses_freed_memory_is_reported", &[], &words, || after_free(true));
}

#[test]
fn a_fill_of_a_graph_that_uses_freed_memory_is_reported() {
    let words = ["a copy or fill of a graph at 0x", "freed"];
    prints("a_fill_of_a_graph_that_uses_freed_memory_is_reported", &[], &words, || after_free(false));
}
