//! MIOpen's functions on a small fake MIOpen: the operand order in every direction and mode, and rejected input.
mod common;
use common::{Tree, passes, vgpu};
use rushlight_hip::{
    Conv, ConvConfig, Device, Direction, DnnType, Error, Hip, Miopen, Pool, PoolMode, Stream, Tensor,
};

fn on_fake(name: &str, with: bool, more: &[(&str, &str)]) {
    let tree = Tree::new();
    tree.hip("libamdhip64.so.6", 60_342_134, &["R0600"]);
    if with {
        tree.cc_of("miopen.c", "libMIOpen.so.1", &[], &[]);
    }
    let path = tree.str("");
    let mut env = vec![("RUSHLIGHT_ROCM_PATH", path.as_str())];
    env.extend(more);
    passes(name, &env);
}

fn f32s(device: &Device, stream: &Stream, ptr: u64, n: usize) -> Vec<f32> {
    let mut out = vec![0; 4 * n];
    device.memcpy_dtoh(&mut out, ptr, stream).unwrap();
    out.chunks_exact(4).map(|c| f32::from_ne_bytes(c.try_into().unwrap())).collect()
}

fn upload(device: &Device, stream: &Stream, v: &[f32]) -> u64 {
    let bytes: Vec<u8> = v.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let ptr = device.alloc(bytes.len() as u64).unwrap();
    device.memcpy_htod(ptr, &bytes, stream).unwrap();
    ptr
}

fn packed(dims: &[u64]) -> Tensor {
    Tensor::packed(DnnType::F32, dims)
}

#[test]
fn missing_miopen_is_a_distinct_error() {
    on_fake("child_missing", false, &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_missing() {
    let stream = Device::new(0).unwrap().stream().unwrap();
    let Err(Error::Load(e)) = Miopen::new(&stream) else { panic!("MIOpen was found") };
    assert!(e.library() == "libMIOpen" && e.to_string().contains("no libMIOpen.so.1, .so"), "{e}");
    assert!(Miopen::version().is_err());
}

#[test]
fn convolutions_have_their_operands_in_order() {
    on_fake("child_conv", true, &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_conv() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let mut m = Miopen::new(&stream).unwrap();
    assert_eq!(Miopen::version().unwrap(), (3, 4, 0));
    assert!(Hip::get().unwrap().library_paths().iter().any(|(name, _)| *name == "libMIOpen"));

    // 2x4x5x6 with 6x2x3x2 in two groups; all parameters differ between height and width.
    let config = ConvConfig {
        pads: vec![1, 0],
        strides: vec![2, 1],
        dilations: vec![1, 3],
        groups: 2,
        deterministic: true,
    };
    let (x, w, y) = (packed(&[2, 4, 5, 6]), packed(&[6, 2, 3, 2]), packed(&[2, 6, 3, 3]));
    let numbers =
        |n: usize, step: i32| (0..n as i32).map(|i| ((i * step) % 11 - 5) as f32).collect::<Vec<f32>>();
    let (xv, wv, yv) = (numbers(240, 7), numbers(72, 3), numbers(108, 5));
    // The expected results in exact integers, from the definition.
    let mut want = [vec![0f32; 108], vec![0f32; 240], vec![0f32; 72]];
    for e in 0..108 * 2 * 6 {
        let (s, r, c, o) = (e % 2, e / 2 % 3, e / 6 % 2, e / 12);
        let (j, i, k, n) = (o % 3, o / 3 % 3, o / 9 % 6, o / 54);
        let (h, v) = (i * 2 + r, j + 3 * s);
        if !(1..6).contains(&h) || v >= 6 {
            continue;
        }
        let xe = ((n * 4 + k / 3 * 2 + c) * 5 + h - 1) * 6 + v;
        let we = ((k * 2 + c) * 3 + r) * 2 + s;
        want[0][o] += xv[xe] * wv[we];
        want[1][xe] += yv[o] * wv[we];
        want[2][we] += yv[o] * xv[xe];
    }
    let space = device.alloc(64).unwrap();
    for (direction, want) in
        [Direction::Forward, Direction::BackwardData, Direction::BackwardWeights].into_iter().zip(want)
    {
        let conv = Conv::new(&m, direction, &x, &w, &y, &config).unwrap();
        let other = Conv::new(&m, direction, &x, &w, &y, &config).unwrap();
        let at =
            [upload(&device, &stream, &xv), upload(&device, &stream, &wv), upload(&device, &stream, &yv)];
        let out = match direction {
            Direction::Forward => at[2],
            Direction::BackwardData => at[0],
            Direction::BackwardWeights => at[1],
        };
        let read = || f32s(&device, &stream, out, want.len());
        // Immediate mode.
        assert_eq!(conv.solutions(&mut m, 1).unwrap().len(), 1);
        let solutions = conv.solutions(&mut m, 10).unwrap();
        assert_eq!(
            solutions.iter().map(|s| (s.workspace(), s.time_ms())).collect::<Vec<_>>(),
            [(0, 0.5), (64, 1.5)]
        );
        for s in &solutions {
            conv.compile(&mut m, s).unwrap();
            device.memset_d8(out, 0x7f, 4 * want.len() as u64, &stream).unwrap();
            conv.run(&mut m, s, at[0], at[1], at[2], (space, s.workspace())).unwrap();
            assert_eq!(read(), want, "{direction:?}, solution {}", s.id());
        }
        // Find, then run.
        let needed = conv.find_workspace(&mut m).unwrap();
        assert_eq!(needed, 64);
        let found = conv.find(&mut m, at[0], at[1], at[2], (space, needed), true).unwrap();
        assert_eq!(
            found.iter().map(|f| (f.algorithm(), f.time_ms(), f.workspace())).collect::<Vec<_>>(),
            [(3, 1.0, 64)]
        );
        assert_eq!(read()[0], 1e30, "Find overwrites its result");
        conv.run_found(&mut m, &found[0], at[0], at[1], at[2], (space, 64)).unwrap();
        assert_eq!(read(), want, "{direction:?}, found");

        // Calls that would crash or write out of bounds.
        let refused = |r: rushlight_hip::Result<()>, why: &str| {
            let e = r.unwrap_err();
            assert!(matches!(&e, Error::Argument { .. }) && e.to_string().contains(why), "{e}");
        };
        let small = (space, 63);
        refused(conv.run(&mut m, &solutions[1], at[0], at[1], at[2], small), "63 bytes, expected 64");
        refused(conv.run_found(&mut m, &found[0], at[0], at[1], at[2], small), "63 bytes, expected 64");
        refused(
            conv.run(&mut m, &solutions[1], at[0], at[1], at[2], (space, 65)),
            "not inside a live allocation",
        );
        refused(conv.run(&mut m, &solutions[0], at[0], at[1], at[2] + 4, (0, 0)), "y: 432 bytes at");
        refused(conv.run(&mut m, &solutions[0], at[0], 0, at[2], (0, 0)), "w: 288 bytes at 0x0");
        refused(
            other.run(&mut m, &solutions[0], at[0], at[1], at[2], (0, 0)),
            "found for another convolution",
        );
    }
}

#[test]
fn incompatible_shapes_are_rejected() {
    on_fake("child_shapes", true, &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_shapes() {
    let stream = Device::new(0).unwrap().stream().unwrap();
    let m = Miopen::new(&stream).unwrap();
    let config = |pad: u64, groups: u64| ConvConfig {
        pads: vec![pad; 2],
        strides: vec![1; 2],
        dilations: vec![1; 2],
        groups,
        deterministic: false,
    };
    let (x, w, y) = (packed(&[1, 4, 5, 5]), packed(&[6, 4, 3, 3]), packed(&[1, 6, 3, 3]));
    let conv = |x: &Tensor, w: &Tensor, y: &Tensor, c: &ConvConfig| {
        Conv::new(&m, Direction::BackwardData, x, w, y, c)
    };
    conv(&x, &w, &y, &config(0, 1)).unwrap();
    let refused = |made: rushlight_hip::Result<Conv>, why: &str| {
        let e = made.unwrap_err();
        assert!(matches!(&e, Error::Argument { .. }) && e.to_string().contains(why), "{e}");
    };
    // MIOpen itself does not compare dx with dy.
    refused(conv(&packed(&[1, 4, 6, 5]), &w, &y, &config(0, 1)), "expected y [1, 6, 4, 3]");
    refused(conv(&x, &w, &y, &config(1, 1)), "expected y [1, 6, 5, 5]");
    refused(conv(&x, &w, &y, &config(0, 2)), "channels do not fit 2 groups");
    refused(conv(&x, &w, &y, &config(0, 0)), "must be at least 1");
    refused(conv(&packed(&[1, 4, 2, 5]), &w, &y, &config(0, 1)), "larger than the padded input");
    refused(conv(&x, &w, &y, &config(u64::MAX, 1)), "larger than the padded input");
    refused(conv(&packed(&[4, 5, 5]), &w, &y, &config(0, 1)), "4 or 5 dimensions");
    refused(conv(&packed(&[1, 0, 5, 5]), &w, &y, &config(0, 1)), "no dimension may be 0");
    refused(conv(&Tensor { kind: DnnType::F16, ..x.clone() }, &w, &y, &config(0, 1)), "x is F16, w is F32");
    refused(
        conv(&Tensor { strides: vec![100, 25, 5, 0], ..x.clone() }, &w, &y, &config(0, 1)),
        "no dimension may be 0",
    );
    refused(
        conv(&Tensor { strides: vec![1 << 40, 25, 5, 1], ..x.clone() }, &w, &y, &config(0, 1)),
        "beyond 31 bits",
    );
    refused(conv(&Tensor { strides: vec![100, 25, 5], ..x }, &w, &y, &config(0, 1)), "4 or 5 of each");
}

#[test]
fn max_pooling_stores_values_and_indices() {
    on_fake("child_pool", true, &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_pool() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let mut m = Miopen::new(&stream).unwrap();
    let (x, y) = (packed(&[1, 1, 4, 3]), packed(&[1, 1, 2, 2]));
    let pool = Pool::new(&m, PoolMode::Max, &x, &y, &[2, 2], &[0, 0], &[2, 1]).unwrap();
    assert_eq!(pool.workspace(), 16);
    let at = |v: &[f32]| upload(&device, &stream, v);
    let px = at(&[1., 5., 2., 3., 4., 0., 9., 8., 7., 0., 1., 2.]);
    let (py, pdy, pdx) = (at(&[0.; 4]), at(&[10., 20., 30., 40.]), at(&[-1.; 12]));
    let space = (device.alloc(16).unwrap(), 16);
    pool.forward(&mut m, px, py, None).unwrap();
    assert_eq!(f32s(&device, &stream, py, 4), [5., 5., 9., 8.]);
    pool.forward(&mut m, px, py, Some(space)).unwrap();
    pool.backward(&mut m, py, pdy, px, pdx, space).unwrap();
    assert_eq!(f32s(&device, &stream, pdx, 12), [0., 30., 0., 0., 0., 0., 30., 40., 0., 0., 0., 0.]);
    // A workspace that is too small, an operand outside of memory, wrong shapes.
    assert!(pool.forward(&mut m, px, py, Some((space.0, 15))).is_err());
    assert!(pool.backward(&mut m, py, pdy, px, pdx, (space.0, 0)).is_err());
    assert!(pool.backward(&mut m, py, pdy, px, pdx + 4, space).is_err());
    let e = Pool::new(&m, PoolMode::Max, &x, &y, &[2, 2], &[0, 0], &[1, 1]).unwrap_err().to_string();
    assert!(e.contains("expected y [1, 1, 3, 2]"), "{e}");
    assert!(Pool::new(&m, PoolMode::Average, &x, &y, &[2], &[0, 0], &[2, 1]).is_err());
}

#[test]
fn miopen_errors_have_names() {
    on_fake("child_errors", true, &[("FAKE_FAIL", "miopenConvolutionForwardGetSolutionCount=7")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_errors() {
    let stream = Device::new(0).unwrap().stream().unwrap();
    let mut m = Miopen::new(&stream).unwrap();
    let config = ConvConfig {
        pads: vec![0; 2],
        strides: vec![1; 2],
        dilations: vec![1; 2],
        groups: 1,
        deterministic: false,
    };
    let all = packed(&[1, 1, 1, 1]);
    let conv = Conv::new(&m, Direction::Forward, &all, &all, &all, &config).unwrap();
    let e = conv.solutions(&mut m, 5).unwrap_err();
    assert_eq!(e.to_string(), "miopenConvolutionForwardGetSolutionCount: miopenStatusUnknownError (7)");
}

#[test]
fn miopen_of_the_virtual_gpu_in_every_version() {
    for version in ["hip5", "hip6", "hip7"] {
        match vgpu(version) {
            Ok(folder) => passes("child_virtual", &[("RUSHLIGHT_ROCM_PATH", folder.to_str().unwrap())]),
            Err(why) => println!("skipped: {version}: {why}"),
        }
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_virtual() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let mut m = Miopen::new(&stream).unwrap();
    let want = match Hip::get().unwrap().major() {
        5 => (2, 20, 0),
        6 => (3, 3, 0),
        _ => (3, 5, 1),
    };
    assert_eq!(Miopen::version().unwrap(), want);
    let config = ConvConfig {
        pads: vec![0, 1],
        strides: vec![1; 2],
        dilations: vec![1; 2],
        groups: 1,
        deterministic: true,
    };
    let (x, w, y) = (packed(&[1, 1, 1, 3]), packed(&[1, 1, 1, 3]), packed(&[1, 1, 1, 3]));
    let at = [[1., 2., 3.], [10., 100., 1000.], [0.; 3]].map(|v| upload(&device, &stream, &v));
    let conv = Conv::new(&m, Direction::Forward, &x, &w, &y, &config).unwrap();
    let needed = conv.find_workspace(&mut m).unwrap();
    let space = (device.alloc(needed).unwrap(), needed);
    let solutions = conv.solutions(&mut m, 10).unwrap();
    let found = conv.find(&mut m, at[0], at[1], at[2], space, false).unwrap();
    assert!(solutions.len() >= 3 && found.len() >= 3, "{solutions:?} {found:?}");
    for s in &solutions {
        conv.compile(&mut m, s).unwrap();
        conv.run(&mut m, s, at[0], at[1], at[2], space).unwrap();
        assert_eq!(f32s(&device, &stream, at[2], 3), [2100., 3210., 320.], "{s:?}");
    }
    for f in &found {
        device.memset_d8(at[2], 0, 12, &stream).unwrap();
        conv.run_found(&mut m, f, at[0], at[1], at[2], space).unwrap();
        assert_eq!(f32s(&device, &stream, at[2], 3), [2100., 3210., 320.], "{f:?}");
    }
    // Without a workspace only some kernels remain.
    assert!(conv.find(&mut m, at[0], at[1], at[2], (0, 0), false).unwrap().len() < found.len());

    let pool = Pool::new(&m, PoolMode::Average, &x, &y, &[1, 3], &[0, 1], &[1, 1]).unwrap();
    assert_eq!(pool.workspace(), 0);
    pool.forward(&mut m, at[0], at[2], None).unwrap();
    assert_eq!(f32s(&device, &stream, at[2], 3), [1.5, 6. * (1. / 3.), 2.5]);
}
