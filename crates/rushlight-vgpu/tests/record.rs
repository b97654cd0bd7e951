//! Launches are recorded in folders, repeated and compared; a failure to write is an error.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::cli::{Folder, ended, fails, fine, program, says, vgpu};
use common::isa::ISA;
use common::{Module, child, download, malloc, upload};
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Kernels that use everything that a record must contain: variables of their module and of another one, pointers in
/// memory, pinned and registered memory, atomics, dynamic LDS.
const SOURCE: &str = r#"
__device__ int count = 5;
__device__ float table[3] = {1.5f, 2.5f, 3.5f};
__device__ float* kept;
extern "C" __global__ void keep(float* p, const float* host) {
    if (threadIdx.x == 0) { kept = p; count += 2; table[1] = host[0]; }
}
extern "C" __global__ void use(float** list, int* pinned, unsigned n, float f) {
    extern __shared__ int lds[];
    lds[threadIdx.x] = threadIdx.x;
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { kept[i] = list[0][i] * f + table[i % 3] + lds[blockDim.x - 1 - threadIdx.x]; atomicAdd(pinned, 1); }
    if (i == 0) count++;
}
"#;

fn launch_json(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("launch.json")).unwrap()).unwrap()
}

/// Returns the launches of a folder in order.
fn launches(root: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    all
}

fn find<'a>(launch: &'a Value, kind: &str) -> Vec<&'a Value> {
    launch["allocations"].as_array().unwrap().iter().filter(|a| a["kind"] == kind).collect()
}

/// Launches kernels of two modules; returns their results as one list.
fn work() -> Vec<f32> {
    let (m, other) = (Module::new(SOURCE), Module::new(SOURCE));
    let n = 300;
    let a: Vec<f32> = (0..n).map(|i| i as f32 * 0.25).collect();
    let (x, to) = (upload(&a), malloc(n * 4));
    let list = upload(&[x]);
    let mut pinned: Ptr = std::ptr::null_mut();
    assert_eq!(hipHostMalloc(Out::to(&mut pinned), 64, 0), 0);
    let mut own = vec![0.75f32; 8];
    assert_eq!(hipHostRegister(own.as_mut_ptr().cast(), 32, 0), 0);
    // SAFETY: the block just made.
    unsafe { pinned.cast::<i32>().write(100) };
    for module in [&other, &m] {
        assert_eq!(module.launch("keep", 1, 64, 0, &mut [to, own.as_ptr() as u64]), 0);
    }
    let f = 2.0f32.to_bits() as u64;
    assert_eq!(m.launch("use", 2, 256, 1024, &mut [list, pinned as u64, n as u64, f]), 0);
    assert_eq!(hipDeviceSynchronize(), 0);
    let mut values = download::<f32>(to, n);
    // SAFETY: as above; the kernel has ended.
    values.push(unsafe { pinned.cast::<i32>().read() } as f32);
    let (mut at, mut size): (Ptr, usize) = (std::ptr::null_mut(), 0);
    assert_eq!(hipModuleGetGlobal(Out::to(&mut at), Out::to(&mut size), m.0, c"count".as_ptr()), 0);
    values.push(download::<i32>(at as u64, 1)[0] as f32);
    assert_eq!(hipHostUnregister(own.as_mut_ptr().cast()), 0);
    values
}

fn wanted() -> Vec<f32> {
    let table = [1.5, 0.75, 3.5];
    let value = |i: usize| i as f32 * 0.5 + table[i % 3] + (255 - i % 256) as f32;
    (0..300).map(value).chain([400.0, 8.0]).collect()
}

/// With both engines: recording does not change the results, and each recorded launch can be repeated.
#[test]
fn launches_are_recorded_and_repeated() {
    const NAME: &str = "launches_are_recorded_and_repeated";
    for (arch, engine) in [("gfx1100", "isa"), ("gfx90a", "isa"), ("gfx90a", "host")] {
        let dir = Folder::new();
        let root = dir.at("record");
        let settings = [("ARCH", arch), ("ENGINE", engine), ("RECORD", &root)];
        for settings in [&settings[..2], &settings] {
            if child(NAME, settings, || assert_eq!(work(), wanted())).is_none() {
                return;
            }
        }
        let all = launches(Path::new(&root));
        let names: Vec<_> = all.iter().map(|f| f.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["000000-keep", "000001-keep", "000002-use"], "{arch} {engine}");
        let launch = launch_json(&all[2]);
        for (key, value) in
            [("format", "rushlight-vgpu launch"), ("engine", engine), ("arch", arch), ("kernel", "use")]
        {
            assert_eq!(launch[key], value);
        }
        assert_eq!(
            (launch["grid"].to_string(), launch["block"].to_string()),
            ("[2,1,1]".into(), "[256,1,1]".into())
        );
        assert_eq!(
            (&launch["dynamic_lds"], &launch["version"], &launch["failure"]),
            (&1024.into(), &1.into(), &Value::Null)
        );
        let kernarg = launch["kernarg"].as_str().unwrap();
        assert_eq!(&kernarg[32..48], "2c01000000000040", "n and f: {kernarg}");
        assert_eq!(launch["arguments"][1].to_string(), r#"{"offset":8,"pointer":true,"size":8}"#);
        assert_eq!((find(&launch, "device").len(), find(&launch, "pinned").len()), (3, 1));
        assert_eq!(
            (find(&launch, "registered").len(), find(&launch, "image").len()),
            (1, usize::from(engine == "isa"))
        );
        // Unchanged contents have one file.
        let (changed, same) = (find(&launch, "pinned")[0], find(&launch, "registered")[0]);
        assert_ne!(changed["before"], changed["after"]);
        assert_eq!(same["before"], same["after"]);
        let read = |name: &Value| std::fs::read(all[2].join(name.as_str().unwrap())).unwrap();
        assert_eq!(read(&changed["before"])[..4], 100i32.to_le_bytes());
        assert_eq!(read(&changed["after"])[..4], 400i32.to_le_bytes());
        for one in &all {
            let text = fine(&["replay", one.to_str().unwrap()]);
            assert!(text.contains(" bytes are as recorded\n"), "{text}");
        }
        let text = fine(&["replay", &root]);
        assert!(text.ends_with("\nlaunches repeated: 3, all as recorded\n"), "{text}");

        // A change in the recorded contents afterwards is found, with its location.
        let file = all[2].join(changed["after"].as_str().unwrap());
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[2] = 9;
        std::fs::write(&file, bytes).unwrap();
        let t = vgpu(&["replay", all[2].to_str().unwrap()]);
        says(&t, 1, &["kernel `use`", "1 of", "allocations differ from the record"], arch);
        assert!(
            t.out.contains("(64 bytes): 1 bytes differ, first byte 2: word 90 01 00 00 here, 90 01 09 00 in"),
            "{}",
            t.out
        );
        let t = vgpu(&["replay", &root]);
        let lines: Vec<&str> = t.err.lines().collect();
        assert_eq!((t.status, lines.len()), (1, 2), "the launch's line, and the folder's: {}", t.err);
        assert!(lines[1].contains("not as recorded, of 3 launches: "), "{}", t.err);
        assert!(lines[1].ends_with("000002-use"), "{}", t.err);
        // A change in the contents before, or in an argument, changes the result.
        let mut launch = launch.clone();
        launch["kernarg"] = kernarg.replace("2c01000000000040", "2b01000000000040").into();
        std::fs::write(all[2].join("launch.json"), launch.to_string()).unwrap();
        let t = vgpu(&["replay", all[2].to_str().unwrap()]);
        says(&t, 1, &["2 of"], arch);
        assert!(t.out.contains("(1200 bytes): "), "{}", t.out);
    }
}

/// Launches of the virtual NVIDIA GPU, too.
#[test]
fn nvidia_launches_are_recorded_and_repeated() {
    const NAME: &str = "nvidia_launches_are_recorded_and_repeated";
    let dir = Folder::new();
    let root = dir.at("record");
    let source = r#"extern "C" __global__ void add(float* p, float f) { p[threadIdx.x] += f; }"#;
    let made = child(NAME, &[("ARCH", "sm_80"), ("RECORD", &root)], || {
        rushlight_vgpu::set_cuda();
        let p = upload(&[0.5f32; 32]);
        let m = Module::new(source);
        assert_eq!(m.launch("add", 1, 32, 0, &mut [p, 2.0f32.to_bits() as u64]), 0);
        assert_eq!(download::<f32>(p, 32), [2.5; 32]);
    });
    if made.is_some() {
        let one = launches(Path::new(&root)).pop().unwrap();
        assert_eq!(launch_json(&one)["arch"], "sm_80");
        fine(&["replay", one.to_str().unwrap()]);
    }
}

fn record_one(dir: &Folder) -> PathBuf {
    let co = format!("{}/tests/data/gfx1100.co", env!("CARGO_MANIFEST_DIR"));
    let args =
        ["--grid", "1", "--block", "64", "--arg", "zero:256", "--arg", "zero:256", "--arg", "zero:256"];
    let root = dir.at("record");
    let mut command = program(&[&["run", &co, "add"][..], &args, &["--arg", "i32:64"]].concat());
    let t = ended(command.env("RUSHLIGHT_VGPU_RECORD", &root).output().unwrap());
    assert_eq!((t.status, t.err.as_str()), (0, ""));
    launches(Path::new(&root)).pop().unwrap()
}

/// A record of a failing launch contains the reason, and the repetition fails too.
#[test]
fn failing_launch_is_recorded_and_repeated() {
    const NAME: &str = "failing_launch_is_recorded_and_repeated";
    let dir = Folder::new();
    let root = dir.at("record");
    let source = r#"extern "C" __global__ void past(int* p) { p[100 + threadIdx.x] = 1; }"#;
    let text = child(NAME, &[ISA, ("RECORD", &root)], || {
        assert_eq!(Module::new(source).launch("past", 1, 32, 0, &mut [malloc(400)]), 0);
        assert_eq!(hipDeviceSynchronize(), 700);
    });
    let Some(text) = text else { return };
    let one = launches(Path::new(&root)).pop().unwrap();
    let failure = launch_json(&one)["failure"].as_str().unwrap().to_string();
    assert!(text.contains(&failure) && failure.contains("0 bytes past the end of allocation "), "{text}");
    let again = fine(&["replay", &root]);
    assert!(again.contains("fails as recorded\nlaunches repeated: 1"), "{again}");
    // A launch recorded as successful must not fail.
    let mut launch = launch_json(&one);
    launch["failure"] = Value::Null;
    std::fs::write(one.join("launch.json"), launch.to_string()).unwrap();
    fails(&["replay", one.to_str().unwrap()], 1, &["fails, but succeeded", "past the end"]);
}

#[test]
fn every_error_of_a_record_is_one_line() {
    let dir = Folder::new();
    let one = record_one(&dir);
    let path = one.to_str().unwrap();
    let whole = launch_json(&one);
    fails(&["replay", &dir.at("nowhere")], 2, &["nowhere cannot be read"]);
    fails(&["replay", env!("CARGO_MANIFEST_DIR")], 2, &["has a launch.json"]);
    let cases: &[(&str, Value, &str)] = &[
        ("format", "else".into(), "is not a `rushlight-vgpu launch`"),
        ("version", 2.into(), "of version 1"),
        ("arch", 5.into(), "`arch` is missing or invalid"),
        ("arch", "gfx1".into(), "the virtual GPU does not support"),
        ("arch", "gfx90a".into(), "it is for gfx1100"),
        ("wave", "a".into(), "`wave`"),
        ("wave", 64.into(), "cannot be loaded: "),
        ("code", "../code.co".into(), "`code` is missing or invalid"),
        ("code", "launch.json".into(), "cannot be loaded"),
        ("kernel", "sub".into(), "no kernel `sub`; it has: "),
        ("grid", serde_json::json!([1, 1]), "`grid`"),
        ("grid", serde_json::json!([1, 1, -1]), "`grid`"),
        ("block", serde_json::json!([1025, 1, 1]), "launch.json: a grid of (1,1,1) blocks of (1025,1,1)"),
        ("grid", serde_json::json!([0, 1, 1]), "takes grids of 1 to 2147483647,65535,65535 blocks"),
        ("kernarg", "0".into(), "`kernarg`"),
        ("kernarg", "00ff".into(), "kernarg has 2 bytes"),
        ("order", "sideways".into(), "RUSHLIGHT_VGPU_ORDER=sideways"),
        ("allocations", 1.into(), "`allocations`"),
    ];
    for (key, value, words) in cases {
        let mut launch = whole.clone();
        launch[*key] = value.clone();
        std::fs::write(one.join("launch.json"), launch.to_string()).unwrap();
        fails(&["replay", path], 2, &[words]);
    }
    let first = &whole["allocations"][1];
    assert_eq!(first["kind"], "device");
    let inside =
        format!("{:#x}", usize::from_str_radix(&first["address"].as_str().unwrap()[2..], 16).unwrap() + 8);
    let cases: &[(&str, Value, &str)] = &[
        ("address", "top".into(), "`allocations[1]` is missing or invalid"),
        ("address", "0x0".into(), "cannot map 0x0"),
        ("address", "0xfffffffffffff000".into(), "outside of the address space"),
        ("size", 255.into(), "has 256 bytes, launch.json says 255"),
        ("size", u64::MAX.into(), "launch.json says"),
        ("kind", "cloud".into(), "`cloud` is not a kind"),
        ("kind", "image".into(), "does not have the 256 bytes"),
        ("name", "lost".into(), "has no variable `lost`"),
        ("before", "none".into(), "none cannot be read"),
        ("after", "/etc/passwd".into(), "`allocations[1]`"),
    ];
    for (key, value, words) in cases {
        let mut launch = whole.clone();
        launch["allocations"][1][*key] = value.clone();
        std::fs::write(one.join("launch.json"), launch.to_string()).unwrap();
        fails(&["replay", path], 2, &[words]);
    }
    let mut launch = whole.clone();
    launch["allocations"][2]["address"] = inside.into();
    std::fs::write(one.join("launch.json"), launch.to_string()).unwrap();
    fails(&["replay", path], 2, &["its allocations overlap"]);
    for text in ["", "[", "{}", &"[".repeat(10_000)] {
        std::fs::write(one.join("launch.json"), text).unwrap();
        fails(&["replay", path], 2, &["launch.json is not"]);
    }
    std::fs::write(one.join("launch.json"), whole.to_string()).unwrap();
    fine(&["replay", path]);
}

#[test]
fn replay_of_a_folder_lists_impossible_launches() {
    let dir = Folder::new();
    let one = record_one(&dir);
    let root = one.parent().unwrap();
    let whole = launch_json(&one);
    // An interrupted recording is reported and skipped.
    let cut = root.join("cut-off");
    std::fs::create_dir(&cut).unwrap();
    let text = fine(&["replay", root.to_str().unwrap()]);
    assert!(text.contains(&format!("{}: skipped, it has no launch.json\n", cut.display())), "{text}");
    assert!(text.contains("launches repeated: 1, all as recorded"), "{text}");
    let mut launch = whole.clone();
    launch["block"] = serde_json::json!([1025, 1, 1]);
    std::fs::write(one.join("launch.json"), launch.to_string()).unwrap();
    let file = format!("{}: a grid of ", one.join("launch.json").display());
    let words = format!("cannot be repeated, of 1 launches: {}", one.display());
    fails(&["replay", one.to_str().unwrap()], 2, &[&file]);
    let t = vgpu(&["replay", root.to_str().unwrap()]);
    assert_eq!(t.status, 2, "{}", t.err);
    assert!(t.err.contains(&file) && t.err.contains(&words), "{}", t.err);
}

/// If the folder cannot be written, no device is offered, and the reason is printed.
#[test]
fn unwritable_folder_is_reported_at_the_start() {
    let words = ["RUSHLIGHT_VGPU_RECORD=/dev/null/x: expected a writable folder", "no device is offered"];
    let name = "unwritable_folder_is_reported_at_the_start";
    common::prints(name, &[("RECORD", "/dev/null/x")], &words, || {
        let mut n = 7;
        assert_eq!((hipGetDeviceCount(Out::to(&mut n)), n), (100, 0));
    });
}

/// As with a full disk: the launch is an error, its record is removed, and earlier records are complete.
#[test]
fn full_disk_is_an_error() {
    const NAME: &str = "full_disk_is_an_error";
    let dir = Folder::new();
    let root = dir.at("record");
    let source = r#"extern "C" __global__ void one(int* p) { p[threadIdx.x] = 1; }"#;
    let words = ["RUSHLIGHT_VGPU_RECORD: ", "000001-one cannot be written: File too large"];
    common::prints(NAME, &[ISA, ("RECORD", &root)], &words, || {
        let m = Module::new(source);
        assert_eq!(m.launch("one", 1, 32, 0, &mut [malloc(128)]), 0);
        assert_eq!(hipDeviceSynchronize(), 0);
        let most = libc::rlimit { rlim_cur: 100_000, rlim_max: 100_000 };
        // SAFETY: of this process only, which ends with this test; the signal would end it before.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &most), 0);
        }
        assert_eq!(m.launch("one", 1, 32, 0, &mut [malloc(200_000)]), 0);
        assert_eq!(hipDeviceSynchronize(), 304);
    });
    if Path::new(&root).exists() {
        assert_eq!(launches(Path::new(&root)).len(), 1);
        fine(&["replay", &root]);
    }
}
