//! The search for libraries and its errors, with small fake libraries.
mod common;
use common::{Tree, passes, var};
use rushlight_hip::{Device, Error, Hip, Search, rtc};
use std::path::Path;

const HIP5: (u32, &[&str]) = (50_221_153, &["R0000", "RTC"]);
const HIP6: (u32, &[&str]) = (60_342_134, &["R0000", "R0600", "RTC"]);
const HIP7: (u32, &[&str]) = (70_051_831, &["R0000", "R0600"]);

fn file(hip: &Hip) -> String {
    hip.library_paths()[0].1.to_str().unwrap().to_string()
}

// Each test makes a folder tree; the ignored test below it examines the tree from a separate process.

#[test]
fn missing_library_error_lists_every_tried_path() {
    let t = Tree::new();
    std::fs::create_dir_all(t.path("lib")).unwrap();
    passes("child_missing", &[("RUSHLIGHT_ROCM_PATH", &t.str("")), ("ROCM_PATH", "/nowhere")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_missing() {
    let e = Hip::get().unwrap_err();
    let text = e.to_string();
    let root = var("RUSHLIGHT_ROCM_PATH");
    assert_eq!(e.library(), "libamdhip64");
    assert_eq!(e.tried().len(), 3, "{text}");
    let names = "no libamdhip64.so.8, .so.7, .so.6, .so.5, .so";
    assert!(e.tried()[0].path == Path::new(&root) && e.tried()[0].why == names, "{text}");
    assert!(e.tried()[1].path == Path::new(&root).join("lib") && e.tried()[1].why == names, "{text}");
    assert!(
        e.tried()[2].path == Path::new(&root).join("lib64") && e.tried()[2].why == "no such folder",
        "{text}"
    );
    // With an explicit folder nothing else is tried.
    assert!(!text.contains("/nowhere") && !text.contains("/opt/rocm"), "{text}");
    assert!(
        text.starts_with("cannot load libamdhip64; tried ") && text.contains("RUSHLIGHT_ROCM_PATH is "),
        "{text}"
    );
    // Every use returns the same error.
    assert_eq!(Device::new(0).unwrap_err(), Error::Load(e.clone()));
    assert!(!Error::Load(e).is_no_device());
}

#[test]
fn own_variable_accepts_a_folder_its_lib_or_the_file() {
    for (file, value) in [
        ("libamdhip64.so.7", ""),
        ("lib/libamdhip64.so.7", ""),
        ("lib64/libamdhip64.so.7", ""),
        ("odd/libamdhip64.so.7.1.2", "odd/libamdhip64.so.7.1.2"),
    ] {
        let t = Tree::new();
        let file = t.hip(file, HIP7.0, HIP7.1);
        passes("child_finds", &[("RUSHLIGHT_ROCM_PATH", &t.str(value)), ("WANT", file.to_str().unwrap())]);
    }
}

#[test]
#[ignore = "run by others in a separate process"]
fn child_finds() {
    assert_eq!(file(Hip::get().unwrap()), var("WANT"));
}

#[test]
fn suffixes_are_tried_newest_first() {
    let t = Tree::new();
    let mut files = Vec::new();
    for name in
        ["libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7", "libamdhip64.so.8"]
    {
        files.push(t.hip(name, HIP7.0, HIP7.1));
    }
    while let Some(newest) = files.pop() {
        passes("child_finds", &[("RUSHLIGHT_ROCM_PATH", &t.str("")), ("WANT", newest.to_str().unwrap())]);
        std::fs::remove_file(newest).unwrap();
    }
}

#[test]
fn folders_are_tried_in_order() {
    let t = Tree::new();
    let order = [
        "own/libamdhip64.so.6",
        "mapped/libamdhip64.so.7",
        "added/libamdhip64.so.5",
        "rocm_path/lib/libamdhip64.so.5",
        "rocm_path/lib64/libamdhip64.so.7",
        "rocm_home/lib/libamdhip64.so.7",
        "hip_path/lib/libamdhip64.so.7",
        "root/opt/rocm/core/lib/libamdhip64.so.7",
        "root/opt/rocm/core-10.1/lib/libamdhip64.so.7",
        "root/opt/rocm/core-7.13/lib/libamdhip64.so.7",
        "root/opt/rocm/lib/libamdhip64.so.7",
        "root/opt/rocm-6.4.1/lib/libamdhip64.so.6",
        "linker/libamdhip64.so.6",
        "root/usr/lib64/rocm/gfx11/lib/libamdhip64.so.6",
    ];
    let built = t.hip("first", HIP7.0, HIP7.1);
    for file in order {
        std::fs::create_dir_all(t.path(file).parent().unwrap()).unwrap();
        std::fs::copy(&built, t.path(file)).unwrap();
    }
    let linked = Path::new("/etc/ld.so.cache");
    let system = std::fs::read(linked).is_ok_and(|c| c.windows(14).any(|w| w == b"libamdhip64.so"));
    for (i, file) in order.iter().enumerate() {
        if system && i == order.len() - 1 {
            println!("not tried: {file}, because this machine has a HIP in the linker's cache");
            continue;
        }
        let mut env = vec![
            ("TREE", t.str("")),
            ("WANT", t.str(file)),
            ("ROCM_PATH", t.str("rocm_path")),
            ("ROCM_HOME", t.str("rocm_home")),
            ("HIP_PATH", t.str("hip_path")),
            ("LD_LIBRARY_PATH", t.str("linker")),
        ];
        if i == 0 {
            env.push(("RUSHLIGHT_ROCM_PATH", t.str("own")));
        }
        if i <= 1 {
            env.push(("PRELOAD", t.str(order[1])));
        }
        let env: Vec<(&str, &str)> = env.iter().map(|(k, v)| (*k, v.as_str())).collect();
        passes("child_folder", &env);
        std::fs::remove_file(t.path(file)).unwrap();
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_folder() {
    let preload = std::env::var("PRELOAD");
    if let Ok(file) = &preload {
        open(file);
    }
    let tree = var("TREE");
    let search = Search::from_env().folder(format!("{tree}added")).root(format!("{tree}root"));
    let hip = Hip::load(search).unwrap();
    assert_eq!(file(hip), var("WANT"));
    // Two runtimes in one process cause a warning; one does not.
    let two = preload.is_ok_and(|p| p != var("WANT"));
    assert_eq!(hip.warnings().iter().any(|w| w.contains("two HIP runtimes")), two, "{:?}", hip.warnings());
}

/// Loads a library as other code of the process would.
fn open(file: &str) {
    let name = std::ffi::CString::new(file).unwrap();
    // SAFETY: the name ends with NUL; the library's constructor only registers a handler.
    assert!(!unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) }.is_null());
}

#[test]
fn with_two_loaded_runtimes_the_one_next_to_pytorch_is_used() {
    let t = Tree::new();
    for file in [
        "one/libamdhip64.so.7",
        "torch/lib/libamdhip64.so",
        "torch/lib/libtorch_hip.so",
        "two/libamdhip64.so.6",
    ] {
        t.hip(file, HIP7.0, HIP7.1);
    }
    passes("child_torch", &[("TREE", &t.str(""))]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_torch() {
    let tree = var("TREE");
    for f in [
        "one/libamdhip64.so.7",
        "torch/lib/libamdhip64.so",
        "torch/lib/libtorch_hip.so",
        "two/libamdhip64.so.6",
    ] {
        open(&format!("{tree}{f}"));
    }
    let hip = Hip::get().unwrap();
    assert_eq!(file(hip), format!("{tree}torch/lib/libamdhip64.so"));
    assert_eq!(hip.warnings().len(), 2, "{:?}", hip.warnings());
}

#[test]
fn unusable_libraries_are_skipped_and_reported() {
    let t = Tree::new();
    let good = t.hip("lib/libamdhip64.so.5", HIP5.0, HIP5.1);
    let whole = std::fs::read(&good).unwrap();
    // A truncated file would be a SIGBUS in the linker.
    std::fs::write(t.path("lib/libamdhip64.so.8"), &whole[..whole.len() / 2]).unwrap();
    // A library of another machine: s390.
    let mut other = whole.clone();
    other[18..20].copy_from_slice(&22u16.to_le_bytes());
    std::fs::write(t.path("lib/libamdhip64.so.7"), other).unwrap();
    std::fs::write(t.path("lib/libamdhip64.so.6"), "version https://git-lfs.github.com/spec/v1\n".repeat(9))
        .unwrap();
    std::os::unix::fs::symlink(t.path("gone"), t.path("lib64-link")).unwrap();
    passes("child_finds", &[("RUSHLIGHT_ROCM_PATH", &t.str("")), ("WANT", good.to_str().unwrap())]);

    std::fs::remove_file(&good).unwrap();
    std::os::unix::fs::symlink(t.path("gone"), &good).unwrap();
    let why = "truncated;machine 22;not an ELF file;a link to nothing";
    passes("child_refused", &[("RUSHLIGHT_ROCM_PATH", &t.str("")), ("WHY", why)]);
}

#[test]
fn runtimes_without_required_functions_are_rejected() {
    let t = Tree::new();
    t.hip("lib/libamdhip64.so.8", HIP7.0, &["R0600", "NO_hipGetDeviceCount"]);
    t.hip("lib/libamdhip64.so.7", 40_521_153, &["R0000"]);
    // A missing dependency: the linker's message is shown.
    t.cc("libneeded.so.1", &["ONLY_RTC"], &[]);
    t.cc("lib/libamdhip64.so.6", &["VERSION=60000000"], &["-Wl,--no-as-needed", &t.str("libneeded.so.1")]);
    std::fs::remove_file(t.path("libneeded.so.1")).unwrap();
    let why = "has no hipGetDeviceCount;is HIP 4;libneeded.so.1: cannot open shared object file";
    passes("child_refused", &[("RUSHLIGHT_ROCM_PATH", &t.str("")), ("WHY", why)]);
    // If the dependency lies next to the library, the error says what to do.
    t.cc("lib/libneeded.so.1", &["ONLY_RTC"], &[]);
    let why = format!("add {} to LD_LIBRARY_PATH", t.str("lib"));
    passes("child_refused", &[("RUSHLIGHT_ROCM_PATH", &t.str("")), ("WHY", &why)]);
    // Rejected libraries stay in the process and are not used later.
    let good = t.hip("lib/libamdhip64.so.5", HIP5.0, HIP5.1);
    passes("child_finds", &[("RUSHLIGHT_ROCM_PATH", &t.str("")), ("WANT", good.to_str().unwrap())]);
    passes("child_finds_later", &[("ROCM_PATH", &t.str("")), ("WANT", good.to_str().unwrap())]);
}

#[test]
#[ignore = "run by others in a separate process"]
fn child_refused() {
    let e = Hip::get().unwrap_err();
    for why in var("WHY").split(';') {
        assert!(e.tried().iter().any(|t| t.why.contains(why)), "{why}: {e}");
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_finds_later() {
    let hip = Hip::get().unwrap();
    assert_eq!(file(hip), var("WANT"));
    assert_eq!(hip.warnings(), [""; 0]);
}

#[test]
fn failure_is_cached_until_the_environment_changes() {
    let t = Tree::new();
    std::fs::create_dir_all(t.path("empty")).unwrap();
    let good = t.hip("good/libamdhip64.so.7", HIP7.0, HIP7.1);
    let env = [
        ("RUSHLIGHT_ROCM_PATH", &*t.str("empty")),
        ("GOOD", &t.str("good")),
        ("WANT", good.to_str().unwrap()),
    ];
    passes("child_retry", &env);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_retry() {
    let first = Hip::get().unwrap_err();
    // The same error although the library exists now: nothing is searched again.
    let late = Path::new(&var("RUSHLIGHT_ROCM_PATH")).join("libamdhip64.so.7");
    std::fs::copy(var("WANT"), &late).unwrap();
    assert_eq!(Hip::get().unwrap_err(), first);
    std::fs::remove_file(&late).unwrap();
    // SAFETY: this process has one thread that reads the environment.
    unsafe { std::env::set_var("RUSHLIGHT_ROCM_PATH", var("GOOD")) };
    assert_eq!(file(Hip::get().unwrap()), var("WANT"));
    // A loaded library stays.
    // SAFETY: as above.
    unsafe { std::env::remove_var("RUSHLIGHT_ROCM_PATH") };
    assert_eq!(file(Hip::get().unwrap()), var("WANT"));
}

#[test]
fn hiprtc_comes_from_the_same_installation_as_the_runtime() {
    // HIP 5.2 contains hiprtc; 5.6 to 6 have it in both; 7 has a separate library.
    let t = Tree::new();
    let hip = t.hip("5/libamdhip64.so.5", HIP5.0, HIP5.1);
    passes("child_rtc", &[("RUSHLIGHT_ROCM_PATH", &t.str("5")), ("WANT", hip.to_str().unwrap())]);
    t.hip("6/libamdhip64.so.6", HIP6.0, HIP6.1);
    let rtc = t.cc("6/libhiprtc.so.6", &["ONLY_RTC"], &[]);
    passes("child_rtc", &[("RUSHLIGHT_ROCM_PATH", &t.str("6")), ("WANT", rtc.to_str().unwrap())]);
    // Only the version next to the runtime: a library of another major version is not used.
    t.hip("7/libamdhip64.so.7", HIP7.0, HIP7.1);
    t.cc("7/libhiprtc.so.6", &["ONLY_RTC"], &[]);
    passes("child_no_rtc", &[("RUSHLIGHT_ROCM_PATH", &t.str("7")), ("LD_LIBRARY_PATH", &t.str("6"))]);
    let rtc = t.cc("7/libhiprtc.so.7", &["ONLY_RTC"], &[]);
    passes("child_rtc", &[("RUSHLIGHT_ROCM_PATH", &t.str("7")), ("WANT", rtc.to_str().unwrap())]);
    // Behind a link, as in distributions.
    std::fs::create_dir_all(t.path("8/lib")).unwrap();
    std::os::unix::fs::symlink(t.path("7/libamdhip64.so.7"), t.path("8/lib/libamdhip64.so.7")).unwrap();
    passes("child_rtc", &[("RUSHLIGHT_ROCM_PATH", &t.str("8")), ("WANT", rtc.to_str().unwrap())]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_rtc() {
    let made =
        rtc::compile("source", "name", &[("a.h", "")], &["--offload-arch=gfx90a".into(), "-DX".into()])
            .unwrap();
    assert_eq!(made.log, "1 headers|--offload-arch=gfx90a|-DX|-std=c++17");
    assert_eq!(made.code, b"\x7fELF");
    let own =
        rtc::compile("source", "name", &[], &["--offload-arch=gfx90a".into(), "-std=c++20".into()]).unwrap();
    assert_eq!(own.log, "0 headers|--offload-arch=gfx90a|-std=c++20");
    let paths = Hip::get().unwrap().library_paths();
    assert!(
        paths.iter().any(|(name, path)| *name == "libhiprtc" && path.to_str() == Some(&var("WANT"))),
        "{paths:?}"
    );
}

#[test]
#[ignore = "run by a test above in a separate process"]
fn child_no_rtc() {
    let e = rtc::compile("source", "name", &[], &["--offload-arch=gfx90a".into()]).unwrap_err();
    let Error::Load(e) = e else { panic!("{e:?}") };
    assert_eq!(e.library(), "libhiprtc");
    assert!(e.to_string().contains("no libhiprtc.so.7, .so"), "{e}");
    // The runtime itself works.
    assert_eq!(Device::new(0).unwrap().arch(), "gfx90a:sramecc+:xnack-");
}

#[test]
fn properties_of_every_layout_are_read() {
    for (version, defines) in [HIP5, HIP6, HIP7, (70_051_831, &["R0600"][..]), (60_342_134, &["R0000"][..])] {
        let t = Tree::new();
        t.hip("libamdhip64.so.7", version, defines);
        passes(
            "child_props",
            &[("RUSHLIGHT_ROCM_PATH", &t.str("")), ("VERSION", &version.to_string()), ("FAKE_COUNT", "2")],
        );
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_props() {
    assert_eq!(Hip::get().unwrap().runtime_version().to_string(), var("VERSION"));
    assert_eq!(Hip::get().unwrap().device_count().unwrap(), 2);
    let device = Device::new(1).unwrap();
    let p = device.props();
    assert_eq!((p.name.as_str(), p.arch.as_str()), ("Fake 1", "gfx90a:sramecc+:xnack-"));
    assert_eq!((p.total_mem, p.warp_size, p.multiprocessors), (123_456_789, 64, 111));
    assert_eq!((p.max_threads_per_block, p.lds_per_block, p.clock_khz), (1024, 65_536, 1_700_000));
    assert_eq!((p.pci_domain, p.pci_bus, p.pci_device), (2, 3, 0));
    // An attribute that this runtime lacks.
    assert_eq!(p.l2_cache, 0);
}

#[test]
fn memory_type_numbers_depend_on_the_version() {
    for (version, defines) in [HIP5, HIP6, HIP7] {
        let t = Tree::new();
        t.hip("libamdhip64.so", version, defines);
        passes("child_memory_types", &[("RUSHLIGHT_ROCM_PATH", &t.str(""))]);
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_memory_types() {
    use rushlight_hip::MemoryKind::*;
    let hip = Hip::get().unwrap();
    let five = [Host, Device, Array, Managed, Managed];
    let newer = [Unknown, Host, Device, Managed];
    let want = if hip.major() == 5 { &five[..] } else { &newer[..] };
    for (raw, want) in want.iter().enumerate() {
        let pointed = [u8::try_from(raw).unwrap()];
        assert_eq!(
            hip.pointer(pointed.as_ptr() as u64).unwrap().kind,
            *want,
            "type {raw} of HIP {}",
            hip.major()
        );
    }
    // An address that the runtime does not own.
    assert_eq!(hip.pointer([99u8].as_ptr() as u64).unwrap().kind, Unknown);
}
