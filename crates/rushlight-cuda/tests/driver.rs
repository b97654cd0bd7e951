//! The driver's functions on a fake driver without a GPU, built from a C file: each case runs in a separate process,
//! because a process has one driver.
mod common;
use common::{Folder, contains, error, passes};
use rushlight_cuda::{Cuda, Device};
use std::ffi::c_void;

#[test]
fn missing_driver_error_lists_tried_paths() {
    passes("child_missing", &Folder::new(), &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_missing() {
    let text = error(Device::new(0));
    contains(&text, &["cannot load libcuda; tried ", "no libcuda.so.1, .so", "RUSHLIGHT_CUDA_PATH is "]);
    assert!(Cuda::loaded().is_none());
    // The compiler is missing too.
    contains(&error(rushlight_cuda::nvrtc::version()), &["cannot load libnvrtc; tried "]);
    assert_eq!(error(Device::new(0)), text, "the second time");
}

#[test]
fn truncated_driver_is_rejected_before_loading() {
    let folder = Folder::driver(&[]);
    let file = folder.0.join("libcuda.so.1");
    let whole = std::fs::read(&file).unwrap();
    for bytes in [0, 100, 4096, whole.len() / 2] {
        std::fs::write(&file, &whole[..bytes]).unwrap();
        passes("child_truncated", &folder, &[]);
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_truncated() {
    contains(&error(Device::new(0)), &["cannot load libcuda; tried ", "libcuda.so.1 (truncated: "]);
}

#[test]
fn driver_without_a_function_is_rejected() {
    passes("child_lacks_launch", &Folder::driver(&["-DcuLaunchKernel=other"]), &[]);
    passes("child_lacks_host_alloc", &Folder::driver(&["-DWITHOUT_HOST_ALLOC"]), &[]);
    passes("child_old", &Folder::driver(&[]), &[("FAKE_CUDA_VERSION", "10020")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_lacks_launch() {
    contains(
        &error(Device::new(0)),
        &["cannot load libcuda; tried ", "libcuda.so.1 (has no cuLaunchKernel)"],
    );
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_lacks_host_alloc() {
    let device = Device::new(0).unwrap();
    let text = error(device.page(64));
    contains(&text, &["libcuda.so.1 has no cuMemHostAlloc, which is needed for memory"]);
    // Functions that do not need it work.
    device.free(device.alloc(8).unwrap()).unwrap();
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_old() {
    contains(
        &error(Device::new(0)),
        &["is a driver of CUDA 10.2; CUDA 11.4 is the oldest supported version"],
    );
}

#[test]
fn missing_device_error_counts_devices() {
    let folder = Folder::driver(&[]);
    passes("child_no_device", &folder, &[("FAKE_CUDA_DEVICES", "0")]);
    passes("child_hidden", &folder, &[("FAKE_CUDA_DEVICES", "0"), ("CUDA_VISIBLE_DEVICES", "")]);
    passes("child_number", &folder, &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_no_device() {
    let words = [
        "there is no CUDA device 3: the driver sees 0 devices",
        "cuInit: CUDA_ERROR_NO_DEVICE (100), no CUDA-capable",
    ];
    contains(&error(Device::new(3)), &words);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_hidden() {
    contains(&error(Device::new(0)), &["CUDA_VISIBLE_DEVICES= may hide the devices"]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_number() {
    assert_eq!(error(Device::new(1)), "there is no CUDA device 1: the driver sees 1 device");
}

#[test]
fn memory_modules_and_launches() {
    passes(
        "child_works",
        &Folder::driver(&[]),
        &[("FAKE_CUDA_TARGET", "90"), ("FAKE_CUDA_MEMORY", "100000")],
    );
    passes("child_lost", &Folder::driver(&[]), &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_works() {
    let device = Device::new(0).unwrap();
    assert_eq!((device.arch().as_str(), device.props().warp, device.props().memory), ("sm_90", 32, 100_000));
    assert_eq!(device.cuda().version(), 12_090);
    assert!(device.cuda().library_paths()[0].ends_with("libcuda.so.1"));
    let mut x = device.alloc(400).unwrap();
    assert_eq!(device.mem_info().unwrap(), (99_600, 100_000));
    let values: Vec<u8> = (0..100).flat_map(|i| (i as f32).to_le_bytes()).collect();
    device.upload(x, &values).unwrap();
    let module = device.load_module(b"pretended\0").unwrap();
    let kernel = module.function("double_it").unwrap();
    drop(module);
    let mut n = 100u32;
    let mut args: [*mut c_void; 2] = [(&raw mut x).cast(), (&raw mut n).cast()];
    // SAFETY: the kernel takes a pointer to n floats, and n.
    unsafe { kernel.launch([1, 1, 1], [128, 1, 1], 0, &mut args) }.unwrap();
    // The context is also current in another thread.
    let mut got = vec![0u8; 400];
    std::thread::scope(|s| s.spawn(|| device.download(&mut got, x).unwrap()).join().unwrap());
    let want: Vec<u8> = (0..100).flat_map(|i| (2.0 * i as f32).to_le_bytes()).collect();
    assert_eq!(got, want);
    device.fill(x + 4, 7, 4).unwrap();
    device.download(&mut got[..12], x).unwrap();
    assert_eq!(got[..12], [0, 0, 0, 0, 7, 7, 7, 7, 0, 0, 128, 64]);
    let marks = [device.mark().unwrap(), device.mark().unwrap(), device.mark().unwrap()];
    assert_eq!((marks[1].elapsed_ms(&marks[0]), marks[2].elapsed_ms(&marks[0])), (Ok(1.0), Ok(2.0)));
    let page = device.page(64).unwrap();
    assert_eq!(page.host as u64, page.device);
    let pinned = device.pinned(64).unwrap();
    device.upload_pinned(x, &[1, 2, 3, 4], &pinned, 60).unwrap();
    device.download(&mut got[..6], x).unwrap();
    assert_eq!(got[..6], [1, 2, 3, 4, 7, 7]);
    let text = error(device.upload_pinned(x, &[1, 2, 3, 4], &pinned, 61));
    contains(&text, &["upload_pinned: 4 bytes at 61 are outside 64 pinned bytes"]);
    // An error contains the call, the code with its name, and the driver's message.
    let e = device.alloc(100_000).unwrap_err();
    assert!(e.is_out_of_memory() && !e.is_sticky());
    assert_eq!(e.to_string(), "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory");
    contains(&error(device.free(x + 4)), &["cuMemFree_v2: CUDA_ERROR_INVALID_VALUE (1)"]);
    contains(&error(device.load_module(b"text")), &["neither a CUBIN nor PTX that ends with NUL"]);
    contains(&error(device.load_module(&std::fs::read("/proc/self/exe").unwrap()[..999])), &["truncated"]);
    contains(&error(device.load_module(b"other\0")), &["cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE (200)"]);
    let module = device.load_module(b"pretended\0").unwrap();
    contains(&error(module.function("no_kernel")), &["the module has no kernel no_kernel"]);
    device.free(x).unwrap();
    device.synchronize().unwrap();
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_lost() {
    let device = Device::new(0).unwrap();
    let kernel = device.load_module(b"pretended\0").unwrap().function("lose").unwrap();
    // SAFETY: the kernel takes nothing.
    unsafe { kernel.launch([1, 1, 1], [1, 1, 1], 0, &mut []) }.unwrap();
    for _ in 0..2 {
        let e = device.synchronize().unwrap_err();
        assert!(e.is_sticky(), "{e}");
        contains(&e.to_string(), &["cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)"]);
    }
    assert!(device.alloc(8).is_err());
}
