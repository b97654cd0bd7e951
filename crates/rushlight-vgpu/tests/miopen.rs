//! MIOpen: results in every direction and mode, the order of operands, and rejected input.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use half::{bf16, f16};
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::miopen::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const FORWARD: usize = 0;
const DATA: usize = 1;
const WEIGHTS: usize = 2;
const F16: i32 = 0;
const F32: i32 = 1;
const BF16: i32 = 5;

fn handle() -> Ptr {
    let mut h = null_mut();
    assert_eq!(miopenCreateWithStream(Out::to(&mut h), null_mut()), 0);
    h
}

fn tensor(kind: i32, dims: &[i32], strides: Option<&[i32]>) -> Ptr {
    let mut t = null_mut();
    assert_eq!(miopenCreateTensorDescriptor(Out::to(&mut t)), 0);
    let mut dims = dims.to_vec();
    let mut strides = strides.map(<[i32]>::to_vec);
    let steps = strides.as_mut().map_or(Out::null(), |s| Out::to(&mut s[0]));
    let n = dims.len() as i32;
    assert_eq!(miopenSetTensorDescriptor(t, kind, n, Out::to(&mut dims[0]), steps), 0);
    t
}

fn conv(window: [&[i32]; 3], mode: i32, groups: i32) -> Ptr {
    let mut c = null_mut();
    assert_eq!(miopenCreateConvolutionDescriptor(Out::to(&mut c)), 0);
    let [mut p, mut s, mut d] = window.map(<[i32]>::to_vec);
    let n = p.len() as i32;
    let (p, s, d) = (Out::to(&mut p[0]), Out::to(&mut s[0]), Out::to(&mut d[0]));
    assert_eq!(miopenInitConvolutionNdDescriptor(c, n, p, s, d, mode), 0);
    assert_eq!(miopenSetConvolutionGroupCount(c, groups), 0);
    c
}

/// A convolution of f32 with numbers for which products and sums are exact.
#[derive(Clone)]
struct Case {
    x: Vec<i32>,
    w: Vec<i32>,
    y: Vec<i32>,
    window: [Vec<i32>; 3],
    groups: i32,
}

fn numbers(dims: &[i32], step: usize) -> Vec<f32> {
    (0..dims.iter().product::<i32>() as usize).map(|i| ((i * step) % 11) as f32 - 5.0).collect()
}

/// Converts an offset to the index in every dimension.
fn index_of(mut at: usize, dims: &[i32]) -> Vec<i64> {
    let mut out = vec![0; dims.len()];
    for d in (0..dims.len()).rev() {
        out[d] = (at % dims[d] as usize) as i64;
        at /= dims[d] as usize;
    }
    out
}

impl Case {
    fn new(x: &[i32], w: &[i32], window: [&[i32]; 3], groups: i32) -> Case {
        let [p, s, d] = window;
        let mut y = vec![x[0], w[0]];
        y.extend((0..p.len()).map(|i| (x[i + 2] + 2 * p[i] - d[i] * (w[i + 2] - 1) - 1) / s[i] + 1));
        Case { x: x.to_vec(), w: w.to_vec(), y, window: window.map(<[i32]>::to_vec), groups }
    }

    /// Computes the definition in integers: for every pair of an element of x and one of w, the output that it
    /// contributes to.
    fn expected(&self, x: &[f32], w: &[f32], y: &[f32]) -> [Vec<f32>; 3] {
        let mut out = [vec![0i64; y.len()], vec![0; x.len()], vec![0; w.len()]];
        let (ci, co) = (i64::from(self.w[1]), i64::from(self.w[0] / self.groups));
        for xi in 0..x.len() {
            let i = index_of(xi, &self.x);
            for wi in 0..w.len() {
                let k = index_of(wi, &self.w);
                if i[1] / ci != k[0] / co || i[1] % ci != k[1] {
                    continue;
                }
                let mut o = i[0] * i64::from(self.y[1]) + k[0];
                let inside = (0..self.window[0].len()).all(|d| {
                    let [p, s, dil] = [0, 1, 2].map(|n| i64::from(self.window[n][d]));
                    let from = i[d + 2] + p - k[d + 2] * dil;
                    o = o * i64::from(self.y[d + 2]) + from / s;
                    from >= 0 && from % s == 0 && from / s < i64::from(self.y[d + 2])
                });
                if inside {
                    out[FORWARD][o as usize] += x[xi] as i64 * w[wi] as i64;
                    out[DATA][xi] += y[o as usize] as i64 * w[wi] as i64;
                    out[WEIGHTS][wi] += x[xi] as i64 * y[o as usize] as i64;
                }
            }
        }
        out.map(|v| v.into_iter().map(|v| v as f32).collect())
    }
}

fn cases() -> Vec<Case> {
    vec![
        Case::new(&[2, 4, 5, 6], &[6, 2, 3, 2], [&[1, 0], &[2, 1], &[1, 3]], 2),
        Case::new(&[1, 3, 6, 5], &[2, 3, 3, 3], [&[1, 1], &[1, 1], &[1, 1]], 1),
        Case::new(&[2, 3, 1, 9], &[3, 1, 1, 4], [&[0, 2], &[1, 3], &[1, 1]], 3),
        Case::new(&[1, 2, 3, 4, 3], &[2, 2, 2, 3, 1], [&[1, 0, 0], &[1, 2, 1], &[2, 1, 1]], 1),
    ]
}

fn p(at: u64) -> Ptr {
    at as Ptr
}
fn r(at: u64) -> *const c_void {
    at as *const c_void
}

/// A problem on the device: descriptors and operands in the order of its direction's functions.
struct Made {
    direction: usize,
    h: Ptr,
    conv: Ptr,
    /// x, w, y.
    t: [Ptr; 3],
    at: [u64; 3],
}

type Count = extern "C" fn(Ptr, Ptr, Ptr, Ptr, Ptr, Out<usize>) -> i32;

impl Made {
    fn order<T: Copy>(&self, v: [T; 3], w_first: bool) -> [T; 3] {
        let [x, w, y] = v;
        match self.direction {
            FORWARD if w_first => [w, x, y],
            FORWARD => [x, w, y],
            DATA => [y, w, x],
            _ => [y, x, w],
        }
    }
    fn solutions(&self, most: usize) -> Result<Vec<Solution>, i32> {
        let [a, b, out] = self.order(self.t, true);
        let count: [Count; 3] = [
            miopenConvolutionForwardGetSolutionCount,
            miopenConvolutionBackwardDataGetSolutionCount,
            miopenConvolutionBackwardWeightsGetSolutionCount,
        ];
        let list = [
            miopenConvolutionForwardGetSolution,
            miopenConvolutionBackwardDataGetSolution,
            miopenConvolutionBackwardWeightsGetSolution,
        ];
        let (mut n, mut found) = (0, vec![Solution::default(); most.max(1)]);
        let rc = count[self.direction](self.h, a, b, self.conv, out, Out::to(&mut n));
        if rc != 0 {
            return Err(rc);
        }
        let all = n;
        let to = Out::to(&mut found[0]);
        let rc = list[self.direction](self.h, a, b, self.conv, out, most, Out::to(&mut n), to);
        if rc != 0 {
            return Err(rc);
        }
        assert_eq!(n, all.min(most));
        found.truncate(n);
        Ok(found)
    }
    fn compile(&self, id: u64) -> i32 {
        let [a, b, out] = self.order(self.t, true);
        [
            miopenConvolutionForwardCompileSolution,
            miopenConvolutionBackwardDataCompileSolution,
            miopenConvolutionBackwardWeightsCompileSolution,
        ][self.direction](self.h, a, b, self.conv, out, id)
    }
    fn immediate(&self, id: u64, space: (u64, usize)) -> i32 {
        let ([a, b, out], [aa, ba, oa]) = (self.order(self.t, true), self.order(self.at, true));
        [
            miopenConvolutionForwardImmediate,
            miopenConvolutionBackwardDataImmediate,
            miopenConvolutionBackwardWeightsImmediate,
        ][self.direction](self.h, a, r(aa), b, r(ba), self.conv, out, p(oa), p(space.0), space.1, id)
    }
    fn workspace(&self) -> usize {
        let [a, b, out] = self.order(self.t, true);
        let mut n = usize::MAX;
        let of: [Count; 3] = [
            miopenConvolutionForwardGetWorkSpaceSize,
            miopenConvolutionBackwardDataGetWorkSpaceSize,
            miopenConvolutionBackwardWeightsGetWorkSpaceSize,
        ];
        assert_eq!(of[self.direction](self.h, a, b, self.conv, out, Out::to(&mut n)), 0);
        n
    }
    fn find(&self, space: (u64, usize), most: i32) -> Result<Vec<Perf>, i32> {
        let ([a, b, out], [aa, ba, oa]) = (self.order(self.t, false), self.order(self.at, false));
        let (mut n, mut found) = (-1, vec![Perf::default(); 8]);
        let (count, to) = (Out::to(&mut n), Out::to(&mut found[0]));
        let rc = [
            miopenFindConvolutionForwardAlgorithm,
            miopenFindConvolutionBackwardDataAlgorithm,
            miopenFindConvolutionBackwardWeightsAlgorithm,
        ][self.direction](
            self.h,
            a,
            r(aa),
            b,
            r(ba),
            self.conv,
            out,
            p(oa),
            most,
            count,
            to,
            p(space.0),
            space.1,
            false,
        );
        found.truncate(n.max(0) as usize);
        if rc == 0 { Ok(found) } else { Err(rc) }
    }
    fn run(&self, family: i32, (alpha, beta): (f32, f32), space: (u64, usize)) -> i32 {
        let ([a, b, out], [aa, ba, oa]) = (self.order(self.t, false), self.order(self.at, false));
        let (one, zero) = ((&raw const alpha).cast(), (&raw const beta).cast());
        [miopenConvolutionForward, miopenConvolutionBackwardData, miopenConvolutionBackwardWeights]
            [self.direction](
            self.h,
            one,
            a,
            r(aa),
            b,
            r(ba),
            self.conv,
            family,
            zero,
            out,
            p(oa),
            p(space.0),
            space.1,
        )
    }
}

fn made(case: &Case, direction: usize) -> (Made, u64, Vec<f32>) {
    let v = [numbers(&case.x, 7), numbers(&case.w, 3), numbers(&case.y, 5)];
    let want = case.expected(&v[0], &v[1], &v[2]);
    let at = [upload(&v[0]), upload(&v[1]), upload(&v[2])];
    let [pads, strides, dilations] = &case.window;
    let made = Made {
        direction,
        h: handle(),
        conv: conv([pads, strides, dilations], 0, case.groups),
        t: [&case.x, &case.w, &case.y].map(|d| tensor(F32, d, None)),
        at,
    };
    (made, at[[2, 0, 1][direction]], want[direction].clone())
}

#[test]
fn every_direction_and_kernel_computes_the_definition() {
    for (i, case) in cases().iter().enumerate() {
        for direction in [FORWARD, DATA, WEIGHTS] {
            let (m, out, want) = made(case, direction);
            let read = || download::<f32>(out, want.len());
            let solutions = m.solutions(10).unwrap();
            assert!(
                solutions.len() >= 3 && solutions.windows(2).all(|s| s[0].time < s[1].time),
                "{solutions:?}"
            );
            assert!(solutions.iter().any(|s| s.workspace_size > 0));
            assert_eq!(m.solutions(1).unwrap(), solutions[..1]);
            for s in &solutions {
                let space =
                    (if s.workspace_size > 0 { malloc(s.workspace_size) } else { 0 }, s.workspace_size);
                assert_eq!((m.compile(s.solution_id), m.immediate(s.solution_id, space)), (0, 0));
                assert_eq!(read(), want, "case {i}, direction {direction}, {s:?}");
            }
            // Find overwrites the result, and prepares the kernels that run afterwards.
            let needed = m.workspace();
            let space = (malloc(needed), needed);
            let found = m.find(space, 8).unwrap();
            assert_eq!((found.len(), read()[0].is_nan()), (solutions.len(), true));
            for f in &found {
                assert_eq!(m.run(f.algorithm, (1.0, 0.0), space), 0);
                assert_eq!(read(), want, "case {i}, direction {direction}, found {f:?}");
            }
            assert_eq!(m.find(space, 1).unwrap(), found[..1]);
        }
    }
}

/// Mode 1 swaps x and y; its forward function is the gradient of mode 0.
#[test]
fn transposed_mode_swaps_x_and_y() {
    for case in &cases()[..2] {
        let (mut m, _, _) = made(case, FORWARD);
        let v = [numbers(&case.x, 7), numbers(&case.w, 3), numbers(&case.y, 5)];
        let want = case.expected(&v[0], &v[1], &v[2]);
        let [pads, strides, dilations] = &case.window;
        m.conv = conv([pads, strides, dilations], 1, case.groups);
        // The remainder of the strides.
        let mut extra: Vec<i32> = (0..2)
            .map(|d| {
                let whole = strides[d] * (case.y[d + 2] - 1) + dilations[d] * (case.w[d + 2] - 1) + 1;
                case.x[d + 2] - (whole - 2 * pads[d])
            })
            .collect();
        let set = miopenSetTransposeConvNdOutputPadding(m.conv, 2, Out::to(&mut extra[0]));
        assert_eq!(set, 0);
        m.t.swap(0, 2);
        m.at.swap(0, 2);
        let mut dims = [0; 5];
        let mut n = 0;
        let status = miopenGetConvolutionNdForwardOutputDim(
            m.conv,
            m.t[0],
            m.t[1],
            Out::to(&mut n),
            Out::to(&mut dims[0]),
        );
        assert_eq!((status, n, &dims[..4]), (0, 4, &case.x[..]));
        // The caller's y is the plain convolution's x.
        for (direction, out, want) in [(FORWARD, m.at[2], &want[DATA]), (DATA, m.at[0], &want[FORWARD])] {
            m.direction = direction;
            let id = m.solutions(10).unwrap().last().unwrap().solution_id;
            assert_eq!(m.immediate(id, (0, 0)), 0);
            assert_eq!(&download::<f32>(out, want.len()), want, "direction {direction}");
            // The next direction reads it again.
            let v = if direction == FORWARD { &v[0] } else { &v[2] };
            assert_eq!(hipMemcpy(p(out), v.as_ptr().cast(), size_of_val(&v[..]), 1), 0);
        }
        m.direction = WEIGHTS;
        let id = m.solutions(10).unwrap().last().unwrap().solution_id;
        assert_eq!(m.immediate(id, (0, 0)), 0);
        assert_eq!(download::<f32>(m.at[1], want[WEIGHTS].len()), want[WEIGHTS]);
    }
}

#[test]
fn halves_are_summed_in_f32_and_rounded_once() {
    // 2048 + 1 + 1 is lost with f16 sums; 256 + 1 + 1 with bf16 sums.
    let (dims, window): (_, [&[i32]; 3]) = ([1, 1, 1, 3], [&[0, 0], &[1, 1], &[1, 1]]);
    let half = |v: [f32; 3]| v.map(|v| f16::from_f32(v).to_bits());
    let brain = |v: [f32; 3]| v.map(|v| bf16::from_f32(v).to_bits());
    for (kind, x, w, want) in [
        (F16, half([2048.0, 1.0, 1.0]), half([1.0; 3]), f16::from_f32(2050.0).to_bits()),
        (BF16, brain([256.0, 1.0, 1.0]), brain([1.0; 3]), bf16::from_f32(258.0).to_bits()),
    ] {
        let m = Made {
            direction: FORWARD,
            h: handle(),
            conv: conv(window, 0, 1),
            t: [tensor(kind, &dims, None), tensor(kind, &dims, None), tensor(kind, &[1, 1, 1, 1], None)],
            at: [upload(&x), upload(&w), upload(&[0u16; 2])],
        };
        let id = m.solutions(1).unwrap()[0].solution_id;
        assert_eq!(m.immediate(id, (0, 0)), 0);
        assert_eq!(download::<u16>(m.at[2], 1), [want]);
    }
}

#[test]
fn channels_last_tensors_and_determinism() {
    let case = &cases()[1];
    let (mut m, out, want) = made(case, WEIGHTS);
    // x in the order N, H, W, C.
    let v = numbers(&case.x, 7);
    let last: Vec<f32> = (0..v.len())
        .map(|i| {
            let at = index_of(i, &[1, 6, 5, 3]);
            v[((at[3] * 6 + at[1]) * 5 + at[2]) as usize]
        })
        .collect();
    let packed = m.solutions(10).unwrap();
    assert_eq!(miopenSetConvolutionAttribute(m.conv, 1, 1), 0);
    let same = m.solutions(10).unwrap();
    let id = |list: &[Solution]| list.iter().map(|s| s.solution_id).collect::<Vec<_>>();
    assert!(id(&packed).contains(&109) && !id(&same).contains(&109), "{packed:?} {same:?}");
    m.t[0] = tensor(F32, &case.x, Some(&[90, 1, 15, 3]));
    m.at[0] = upload(&last);
    let plain = m.solutions(10).unwrap();
    assert_eq!(id(&plain), [87], "{plain:?}");
    assert_eq!(m.immediate(87, (0, 0)), 0);
    assert_eq!(download::<f32>(out, want.len()), want);
}

#[test]
fn descriptors_are_checked() {
    let mut t = null_mut();
    assert_eq!(miopenCreateTensorDescriptor(Out::to(&mut t)), 0);
    let set = |kind: i32, dims: &[i32], strides: &[i32]| {
        let (mut d, mut s) = ([dims, &[0]].concat(), [strides, &[0]].concat());
        let s = if strides.is_empty() { Out::null() } else { Out::to(&mut s[0]) };
        miopenSetTensorDescriptor(t, kind, dims.len() as i32, Out::to(&mut d[0]), s)
    };
    assert_eq!(set(F32, &[2, 3, 4, 5], &[]), 0);
    assert_eq!(set(F32, &[2, 3, 4, 5], &[100, 30, 5, 1]), 0);
    for (what, status, rc) in [
        ("a type", 3, set(4, &[1], &[])),
        ("a dimension of 0", 3, set(F32, &[2, 0, 4, 5], &[])),
        ("a stride of 0", 3, set(F32, &[2, 3], &[0, 1])),
        ("a negative stride", 3, set(F32, &[2, 3], &[-3, 1])),
        ("no lengths", 2, set(F32, &[], &[])),
        ("larger than the address space", 3, set(F32, &[i32::MAX; 3], &[])),
    ] {
        assert_eq!(rc, status, "{what}");
    }
    let (mut kind, mut dims, mut strides) = (0, [0; 4], [0; 4]);
    let (d, s) = (Out::to(&mut dims[0]), Out::to(&mut strides[0]));
    assert_eq!(miopenGetTensorDescriptor(t, Out::to(&mut kind), d, s), 0);
    assert_eq!((kind, dims, strides), (F32, [2, 3, 4, 5], [100, 30, 5, 1]), "a refused call changes nothing");
    assert_eq!((miopenDestroyTensorDescriptor(t), miopenDestroyTensorDescriptor(t)), (0, 3));

    let c = conv([&[0, 0], &[1, 1], &[1, 1]], 0, 2);
    let init = |pad, stride, dilation, mode| {
        miopenInitConvolutionDescriptor(c, mode, pad, 0, stride, 1, dilation, 1)
    };
    assert_eq!([init(-1, 1, 1, 0), init(0, 0, 1, 0), init(0, 1, 0, 0), init(0, 1, 1, 4)], [3; 4]);
    assert_eq!(miopenSetConvolutionAttribute(c, 1, 2), 3);
    // Init resets the groups.
    let (x, w) = (tensor(F32, &[1, 4, 3, 3], None), tensor(F32, &[4, 2, 1, 1], None));
    let size = || {
        let mut v = [0; 4];
        let [a, b, d, e] = &mut v;
        let (a, b, d, e) = (Out::to(a), Out::to(b), Out::to(d), Out::to(e));
        (miopenGetConvolutionForwardOutputDim(c, x, w, a, b, d, e), v)
    };
    assert_eq!(size(), (0, [1, 4, 3, 3]));
    assert_eq!(init(0, 1, 1, 0), 0);
    assert_eq!(size().0, 3);
    assert_eq!((miopenDestroyConvolutionDescriptor(c), miopenDestroyConvolutionDescriptor(c)), (0, 3));
}

#[test]
fn invalid_arguments_are_rejected() {
    let case = &cases()[0];
    let (m, _, _) = made(case, FORWARD);
    let solution = |m: &Made| m.solutions(10).map(|s| s.last().unwrap().solution_id);
    let id = solution(&m).unwrap();
    let run = |change: &dyn Fn(&mut Made)| {
        let mut m = Made { t: m.t, at: m.at, ..m };
        change(&mut m);
        m.immediate(id, (0, 0))
    };
    assert_eq!(run(&|_| {}), 0);
    type Change = &'static dyn Fn(&mut Made);
    let bad: [(&str, Change); 12] = [
        ("w before x", &|m| m.t.swap(0, 1)),
        ("y of another shape", &|m| m.t[2] = tensor(F32, &[2, 6, 3, 4], None)),
        ("another type", &|m| m.t[1] = tensor(F16, &[6, 2, 3, 2], None)),
        ("groups", &|m| m.conv = conv([&[1, 0], &[2, 1], &[1, 3]], 0, 1)),
        ("two dimensions of the window for three", &|m| m.conv = conv([&[1; 3]; 3], 0, 2)),
        ("a tensor that was not set", &|m| {
            assert_eq!(miopenCreateTensorDescriptor(Out::to(&mut m.t[0])), 0);
        }),
        ("no descriptor", &|m| m.conv = null_mut()),
        ("NULL", &|m| m.at[0] = 0),
        ("past the allocation", &|m| m.at[1] += 4),
        ("not aligned", &|m| m.at[1] -= 2),
        ("the result over an operand", &|m| m.at[2] = m.at[0]),
        ("no handle", &|m| m.h = null_mut()),
    ];
    for (what, change) in bad {
        assert_eq!(run(change), 3, "{what}");
    }
    let host = vec![0f32; 240];
    assert_eq!(run(&|m| m.at[0] = host.as_ptr() as u64), 3, "host memory");
    let freed = upload(&host);
    assert_eq!(hipFree(p(freed)), 0);
    assert_eq!(run(&|m| m.at[0] = freed), 3, "freed memory");
    assert_eq!(run(&|m| m.t = m.t.map(|_| tensor(6, &[1, 1, 1, 1], None))), 7, "f64");
    assert_eq!(m.immediate(1, (0, 0)), 3, "an unknown kernel number");
    assert_eq!(m.compile(1), 3);

    // The workspace.
    let gemm = *m.solutions(10).unwrap().iter().find(|s| s.workspace_size > 0).unwrap();
    let (needed, space) = (gemm.workspace_size, malloc(gemm.workspace_size));
    assert_eq!(m.immediate(gemm.solution_id, (space, needed)), 0);
    let bad = [(space, needed - 1), (space, needed + 1), (0, needed), (space, 0), (m.at[0], needed)];
    for bad in bad {
        assert_eq!(m.immediate(gemm.solution_id, bad), 3, "{bad:?}");
    }

    // Find must run first, on the same handle, for the same problem.
    assert_eq!(m.run(1, (1.0, 0.0), (0, 0)), 7, "without Find");
    assert_eq!(m.find((0, 0), 0), Err(3));
    assert!(m.find((0, 0), 8).unwrap().iter().all(|f| f.memory == 0));
    assert_eq!(m.run(1, (1.0, 0.0), (0, 0)), 0);
    assert_eq!((m.run(1, (2.0, 0.0), (0, 0)), m.run(1, (1.0, 1.0), (0, 0))), (6, 6));
    assert_eq!(m.run(0, (1.0, 0.0), (0, 0)), 7, "not found without its workspace");
    assert_eq!(Made { h: handle(), ..m }.run(1, (1.0, 0.0), (0, 0)), 7, "another handle");

    // The gradient for another input shape than the output's.
    let (data, _, _) = made(case, DATA);
    let t = [tensor(F32, &[2, 4, 9, 6], None), data.t[1], data.t[2]];
    assert_eq!(Made { t, ..data }.solutions(1), Err(3));
    assert_eq!(hipDeviceSynchronize(), 0);
    assert_eq!((miopenDestroy(m.h), miopenDestroy(m.h)), (0, 3));
    // Three-dimensional tensors have no kernel.
    let flat = [[1, 1, 4], [1, 1, 2], [1, 1, 3]].map(|d| tensor(F32, &d, None));
    let m =
        Made { direction: FORWARD, h: handle(), conv: conv([&[0], &[1], &[1]], 0, 1), t: flat, at: [0; 3] };
    assert_eq!(m.solutions(1), Err(6));
}

#[test]
fn null_descriptor_ends_the_process() {
    const TURN: &str = "VGPU_TEST_ABORT";
    if std::env::var(TURN).is_ok() {
        let (m, _, _) = made(&cases()[0], FORWARD);
        let _ = Made { conv: null_mut(), ..m }.find((0, 0), 1);
        return;
    }
    let mut c = std::process::Command::new(std::env::current_exe().unwrap());
    c.args(["null_descriptor_ends_the_process", "--exact", "--nocapture"]).env(TURN, "1");
    let out = c.output().unwrap();
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && err.contains("descriptor is NULL"), "{}: {err}", out.status);
}

#[test]
fn switches() {
    let faults = [("no_db", ""), ("no_solution", "6"), ("compile_fail", "7"), ("wrong", ""), ("slow:60", "")];
    for (fault, _) in faults {
        let name = format!("dnn_{fault}");
        let err = child("switches", &[("FAULT", &name)], || {
            let fault = std::env::var("RUSHLIGHT_VGPU_FAULT").unwrap();
            let (m, out, want) = made(&cases()[1], FORWARD);
            let needed = 4 << 20;
            let space = (malloc(needed), needed);
            match fault.as_str() {
                "dnn_no_db" => {
                    let guessed = m.solutions(10).unwrap();
                    assert_eq!(guessed.last().unwrap().time, 1000.0, "{guessed:?}");
                    assert!(guessed.iter().all(|s| s.time > 10.0));
                    m.find(space, 1).unwrap();
                    assert!(m.solutions(10).unwrap().iter().all(|s| s.time < 1.0), "Find measured them");
                }
                "dnn_no_solution" => {
                    assert_eq!((m.solutions(1), m.find(space, 1)), (Err(6), Err(7)));
                }
                "dnn_compile_fail" => {
                    let id = m.solutions(1).unwrap()[0].solution_id;
                    assert_eq!((m.compile(id), m.immediate(id, (0, 0)), m.find(space, 1)), (7, 7, Err(7)));
                }
                "dnn_wrong" => {
                    let id = m.solutions(1).unwrap()[0].solution_id;
                    assert_eq!(m.immediate(id, (0, 0)), 0);
                    let got = download::<f32>(out, want.len());
                    assert_eq!(got[1..], want[1..]);
                    assert!((got[0] - want[0]).abs() > 0.5 * want[0].abs(), "{} {}", got[0], want[0]);
                }
                _ => {
                    let id = m.solutions(1).unwrap()[0].solution_id;
                    let start = std::time::Instant::now();
                    assert_eq!((m.compile(id), m.compile(id)), (0, 0));
                    let took = start.elapsed().as_millis();
                    assert!((60..120).contains(&took), "{took} ms: once, not twice");
                }
            }
        });
        let Some(err) = err else { return };
        let message = match fault {
            "no_db" => "Missing system database file: gfx1100",
            "no_solution" => "Immediate mode Fallback unsuccessful",
            "compile_fail" => "Code object build failed",
            _ => "",
        };
        assert!(err.contains(message), "{fault}: {err}");
    }
}
