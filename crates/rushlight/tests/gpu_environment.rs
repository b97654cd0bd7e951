//! Invalid and unusual environments: each must work or give a clear error. Every case is an ignored test in a separate
//! process (a process can load one HIP only), with the virtual AMD GPU where it needs one; `make vgpu` builds that.
use rushlight::ops::Reduction;
use rushlight::ops::sgd_step::SgdStep;
use rushlight::{CpuStorage, CustomOp1, DType, Device, InplaceOp2, Layout, Result, Shape, Tensor};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A folder that is deleted when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("environment-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn str(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the virtual GPU's libraries as a given HIP version, or the reason why they are missing.
fn vgpu(version: u32) -> std::result::Result<PathBuf, String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let all = std::env::var_os("RUSHLIGHT_TEST_VGPU").map_or_else(|| target.join("vgpu"), PathBuf::from);
    let folder = all.join(format!("hip{version}"));
    match folder.join("lib").is_dir() {
        true => Ok(folder),
        false => Err(format!("{} is missing; `make vgpu` makes it", folder.display())),
    }
}

/// Returns the folder that keeps compiled kernels between runs.
fn kernels() -> &'static str {
    concat!(env!("CARGO_TARGET_TMPDIR"), "/environment-kernels")
}

/// Starts an ignored test of this file in a separate process.
fn start(name: &str, rocm: &Path, settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--ignored", "--exact", name, "--nocapture", "--test-threads=1"])
        .env("RUSHLIGHT_ROCM_PATH", rocm)
        .env("RUSHLIGHT_CACHE_DIR", kernels());
    for v in [
        "RUSHLIGHT_SYNC",
        "RUSHLIGHT_FALLBACK",
        "RUSHLIGHT_GPU_GUARD",
        "RUSHLIGHT_VGPU_FAULT",
        "RUST_BACKTRACE",
    ] {
        command.env_remove(v);
    }
    command.envs(settings.iter().copied());
    command
}

/// Asserts that a process passed, and returns its standard error.
fn passed(name: &str, out: Output) -> String {
    let text = String::from_utf8_lossy(&out.stdout);
    let err = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success() && text.contains("1 passed"), "{name}: {}\n{text}\n{err}", out.status);
    err
}

/// Runs a test with the virtual GPU as HIP 7. Returns `None` if that is not built.
fn passes(name: &str, settings: &[(&str, &str)]) -> Option<String> {
    match vgpu(7) {
        Ok(folder) => Some(passed(name, start(name, &folder, settings).output().unwrap())),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

/// Returns a folder with copies of some of the virtual GPU's libraries: `libamdhip64.so.7` and similar names.
fn half(libraries: &[&str]) -> Option<Folder> {
    let folder = match vgpu(7) {
        Ok(folder) => folder,
        Err(why) => {
            println!("skipped: {why}");
            return None;
        }
    };
    let some = Folder::new();
    std::fs::create_dir(some.0.join("lib")).unwrap();
    // The virtual GPU is one file under several names. Two copies would be two runtimes, so the other names are links.
    let mut first: Option<PathBuf> = None;
    for name in libraries {
        let to = some.0.join("lib").join(name);
        match &first {
            None => {
                let mut file = std::fs::read(folder.join("lib").join(name)).unwrap();
                if !libraries.iter().any(|l| l.contains("hiprtc")) {
                    // Rename its hiprtc functions: HIP 7's own `libamdhip64` has none.
                    let own = b"hiprtc";
                    let offsets: Vec<usize> =
                        file.windows(own.len()).enumerate().filter(|w| w.1 == own).map(|w| w.0).collect();
                    offsets.into_iter().for_each(|at| file[at] = b'x');
                }
                std::fs::write(&to, file).unwrap();
                first = Some(to);
            }
            Some(file) => std::os::unix::fs::symlink(file.file_name().unwrap(), &to).unwrap(),
        }
    }
    Some(some)
}

/// Returns a folder with a copy of the kernel sources, in which one text is replaced.
fn sources(file: &str, from: &str, to: &str) -> Folder {
    let copy = Folder::new();
    let hip = Path::new(env!("CARGO_MANIFEST_DIR")).join("hip");
    for path in std::fs::read_dir(hip).unwrap().map(|f| f.unwrap().path()) {
        std::fs::copy(&path, copy.0.join(path.file_name().unwrap())).unwrap();
    }
    let path = copy.0.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1);
    std::fs::write(path, text.replace(from, to)).unwrap();
    copy
}

fn error<T>(r: Result<T>) -> String {
    r.err().map_or_else(|| panic!("gave no error"), |e| e.to_string())
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

fn gpu() -> Device {
    Device::new_rocm(0).expect("the virtual GPU")
}

fn numbers(n: usize, device: &Device) -> Result<Tensor> {
    Tensor::arange(0f32, n as f32, device)
}

// --- missing libraries ---

#[test]
fn without_libraries_the_error_lists_the_paths_that_were_tried() {
    let empty = Folder::new();
    passed("child_no_libraries", start("child_no_libraries", &empty.0, &[]).output().unwrap());
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_no_libraries() {
    let text = error(Device::new_rocm(0));
    contains(
        &text,
        &["rocm:0: cannot load libamdhip64; tried ", "no libamdhip64.so.8", "RUSHLIGHT_ROCM_PATH is "],
    );
    assert!(Device::rocm_if_available(0).unwrap().is_cpu());
    assert_eq!(rushlight::gpu::hip::device_count(), 0);
    // The CPU still works.
    assert_eq!(numbers(4, &Device::Cpu).unwrap().sum_all().unwrap().to_scalar::<f32>().unwrap(), 6.0);
}

#[test]
fn without_hiprtc_kernels_come_from_the_cache_or_are_an_error() {
    let (Some(some), cache) = (half(&["libamdhip64.so.7"]), Folder::new()) else { return };
    let settings = [("RUSHLIGHT_CACHE_DIR", cache.str())];
    let run = |name: &str, rocm: &Path| passed(name, start(name, rocm, &settings).output().unwrap());
    run("child_no_compiler", &some.0);
    // The first run compiles the code objects with hiprtc; the second one does not need it.
    run("child_adds", &vgpu(7).unwrap());
    run("child_adds", &some.0);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_no_compiler() {
    let device = gpu();
    let x = Tensor::new(&[1f32, 2.], &device).unwrap();
    let text = error(x.add(&x));
    contains(&text, &["rocm:0: ", "libhiprtc"]);
    // Copying to the host needs no kernel, so it still works.
    assert_eq!(x.to_vec1::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_adds() {
    let x = Tensor::new(&[1f32, 2.], &gpu()).unwrap();
    assert_eq!(x.add(&x).unwrap().to_vec1::<f32>().unwrap(), [2.0, 4.0]);
}

#[test]
fn a_program_for_cuda_gets_an_amd_gpu_if_the_environment_says_so() {
    passes("child_cuda_as", &[("RUSHLIGHT_CUDA_AS", "rocm")]);
    passes("child_cuda_as_wrong", &[("RUSHLIGHT_CUDA_AS", "amd")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_cuda_as() {
    for device in [Device::new_cuda(0).unwrap(), Device::cuda_if_available(0).unwrap()] {
        assert!(device.is_rocm() && !device.is_cuda());
        assert_eq!(numbers(3, &device).unwrap().to_vec1::<f32>().unwrap(), [0.0, 1.0, 2.0]);
    }
    // The call goes before the environment.
    Device::set_cuda_as_rocm(false);
    assert!(!Device::cuda_if_available(0).unwrap().is_rocm());
    contains(&error(Device::new_cuda(0)), &["cuda:0: "]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_cuda_as_wrong() {
    contains(&error(Device::new_cuda(0)), &["RUSHLIGHT_CUDA_AS=amd: expected cuda or rocm"]);
    Device::set_cuda_as_rocm(true);
    assert!(Device::cuda_if_available(0).unwrap().is_rocm());
    assert!(Device::cuda_if_available(99).unwrap().is_cpu());
}

#[test]
fn without_rocblas_and_miopen_our_kernels_multiply() {
    let Some(some) = half(&["libamdhip64.so.7", "libhiprtc.so.7"]) else { return };
    let said = passed("child_products", start("child_products", &some.0, &[]).output().unwrap());
    contains(&said, &["rushlight: its own kernels run where rocBLAS would: "]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_products() {
    let on = |device: &Device| -> Result<Vec<f32>> {
        let a = numbers(35, device)?.reshape((5, 7))?;
        let image = numbers(72, device)?.reshape((1, 2, 6, 6))?;
        let kernel = numbers(36, device)?.reshape((2, 2, 3, 3))?;
        let product = a.matmul(&a.t()?)?.flatten_all()?;
        Tensor::cat(&[product, image.conv2d(&kernel, 1, 1, 1, 1)?.flatten_all()?], 0)?.to_vec1()
    };
    // Integral values: the result is exact in any order.
    assert_eq!(on(&gpu()).unwrap(), on(&Device::Cpu).unwrap());
}

#[test]
fn without_a_device_the_error_says_so() {
    passes("child_no_device", &[("RUSHLIGHT_VGPU_DEVICES", "0")]);
    passes("child_no_device", &[("RUSHLIGHT_VGPU_ARCH", "gfx1")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_no_device() {
    contains(&error(Device::new_rocm(0)), &["rocm:0: "]);
    assert!(Device::rocm_if_available(0).unwrap().is_cpu());
    assert_eq!(rushlight::gpu::hip::device_count(), 0);
}

#[test]
fn a_device_of_a_number_too_large_is_an_error() {
    passes("child_number", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_number() {
    contains(&error(Device::new_rocm(3)), &["there is no ROCm device 3: HIP sees 1 device"]);
    assert!(Device::rocm_if_available(3).unwrap().is_cpu());
    assert!(Device::rocm_if_available(0).unwrap().is_rocm());
}

// --- calls that fail ---

#[test]
fn a_failing_compiler_is_an_error_and_the_device_works_on() {
    let cache = Folder::new();
    let settings = [("RUSHLIGHT_VGPU_FAULT", "compile_fail"), ("RUSHLIGHT_CACHE_DIR", cache.str())];
    passes("child_compile_fails", &settings);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_compile_fails() {
    let x = Tensor::new(&[1f32, 2.], &gpu()).unwrap();
    for _ in 0..2 {
        contains(&error(x.add(&x)), &["rocm:0: hiprtcCompileProgram: HIPRTC_ERROR_COMPILATION (6)"]);
    }
    assert_eq!(x.to_vec1::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
fn a_compilers_log_is_in_the_error() {
    let sources = sources(
        "binary.hip",
        "#include \"elementwise.h\"",
        "#include \"elementwise.h\"\nstatic int x = no_such_name;",
    );
    passes("child_log", &[("RUSHLIGHT_KERNEL_SOURCES", sources.str())]);
    passes("child_no_sources", &[("RUSHLIGHT_KERNEL_SOURCES", "/nowhere")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_log() {
    let x = Tensor::new(&[1f32, 2.], &gpu()).unwrap();
    contains(&error(x.add(&x)), &["HIPRTC_ERROR_COMPILATION (6)", "binary.hip", "no_such_name"]);
    // Another kernel file still compiles.
    assert_eq!(x.neg().unwrap().to_vec1::<f32>().unwrap(), [-1.0, -2.0]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_no_sources() {
    let x = Tensor::new(&[1f32, 2.], &gpu()).unwrap();
    contains(&error(x.add(&x)), &["RUSHLIGHT_KERNEL_SOURCES: /nowhere/binary.hip: No such file"]);
}

#[test]
fn after_a_device_is_lost_every_call_fails_and_the_process_ends_well() {
    passes("child_lost", &[("RUSHLIGHT_VGPU_FAULT", "lost_after:3")]);
    passes("child_lost", &[("RUSHLIGHT_VGPU_FAULT", "lost_after:3"), ("RUSHLIGHT_GPU_GUARD", "1")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_lost() {
    let device = gpu();
    let x = Tensor::new(&[1f32, 2.], &device).unwrap();
    let mut y = x.add(&x).unwrap();
    // The launch succeeds. The loss of the GPU is reported later, and by every call after that.
    let lost = (0..20).find_map(|_| match y.add(&x).and_then(|z| device.synchronize().map(|()| z)) {
        Ok(z) => {
            y = z;
            None
        }
        Err(e) => Some(e.to_string()),
    });
    contains(&lost.expect("the device is lost"), &["rocm:0: ", "the GPU is lost to this process"]);
    for _ in 0..2 {
        contains(&error(x.add(&y)), &["rocm:0: hip", "lost"]);
        contains(&error(y.to_vec1::<f32>()), &["rocm:0: hip", "lost"]);
        contains(&error(x.mul(&y)), &["rocm:0: hip", "lost"]);
        contains(&error(Tensor::new(&[3f32], &device)), &["rocm:0: hip", "lost"]);
        contains(&error(Tensor::zeros(1 << 20, DType::F32, &device)), &["rocm:0: hip", "lost"]);
        contains(&error(device.synchronize()), &["rocm:0: hip", "lost"]);
    }
    drop((x, y));
    // The CPU still works.
    assert_eq!(numbers(4, &Device::Cpu).unwrap().sum_all().unwrap().to_scalar::<f32>().unwrap(), 6.0);
}

#[test]
fn out_of_memory_tells_how_much_there_is_and_passes() {
    passes("child_memory", &[("RUSHLIGHT_VGPU_MEM", "1048576")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_memory() {
    let device = gpu();
    let small = Tensor::zeros(1000, DType::U8, &device).unwrap();
    let big = Tensor::zeros(700_000, DType::U8, &device).unwrap();
    drop(Tensor::zeros(100_000, DType::U8, &device).unwrap());
    device.synchronize().unwrap();
    let e = Tensor::zeros(500_000, DType::U8, &device).err().unwrap();
    assert!(matches!(e.root(), rushlight::Error::OutOfMemory { requested: 500_000, .. }), "{e:?}");
    let text = e.to_string();
    let allocated = 1024 + 700_416;
    contains(
        &text,
        &[
            "500000 bytes requested on rocm:0",
            &format!("{allocated} bytes in use"),
            "of 1048576 bytes free",
            "reserved",
        ],
    );
    // The cache had been released before the error was returned.
    contains(&text, &[&format!("{allocated} reserved")]);
    drop((small, big));
    Tensor::zeros(900_000, DType::U8, &device).unwrap();
}

#[test]
fn an_error_in_a_drop_is_returned_by_the_next_call() {
    // A kernel that writes one element too many.
    let sources = sources(
        "elementwise.h",
        "i < n; i += step) o[i] = f(a[i * sa]);",
        "i <= n; i += step) o[i] = f(a[i * sa]);",
    );
    passes("child_drop", &[("RUSHLIGHT_GPU_GUARD", "1"), ("RUSHLIGHT_KERNEL_SOURCES", sources.str())]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_drop() {
    let device = gpu();
    // A tensor that fills its block exactly, so that the extra element is outside of it.
    let x = Tensor::ones(256, DType::F32, &device).unwrap();
    let y = x.neg().unwrap();
    assert_eq!(y.to_vec1::<f32>().unwrap(), [-1.0; 256]);
    drop(y);
    let text = error(Tensor::zeros(3, DType::F32, &device));
    contains(&text, &["rocm:0: a kernel wrote outside its buffer"]);
    // The error is returned once.
    Tensor::zeros(3, DType::F32, &device).unwrap();
}

// --- every version ---

#[test]
fn every_version_of_hip_runs_ops() {
    for (version, arch) in [(5, "gfx90a"), (6, "gfx1030"), (7, "gfx942")] {
        let folder = match vgpu(version) {
            Ok(folder) => folder,
            Err(why) => {
                println!("skipped: {why}");
                continue;
            }
        };
        let version = version.to_string();
        let settings = [("RUSHLIGHT_VGPU_ARCH", arch), ("VERSION", version.as_str())];
        passed("child_smoke", start("child_smoke", &folder, &settings).output().unwrap());
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_smoke() {
    let device = gpu();
    let Device::Rocm(rocm) = &device else { panic!("no AMD GPU") };
    let version = std::env::var("VERSION").unwrap();
    let info = rocm.info();
    assert!(info.compiler.starts_with(&format!("hip {version}")), "{}", info.compiler);
    assert!(info.arch.starts_with(&std::env::var("RUSHLIGHT_VGPU_ARCH").unwrap()), "{}", info.arch);
    let on = |device: &Device| -> Result<Vec<f32>> {
        device.set_seed(9)?;
        let a = (numbers(24, device)?.reshape((4, 6))? * 0.25)?;
        let ids = Tensor::new(&[3u32, 0, 3], device)?;
        let w = a.copy()?;
        w.sgd_step(None, &a, SgdStep { lr: 0.5, ..SgdStep::default() })?;
        let image = numbers(72, device)?.reshape((1, 2, 6, 6))?;
        let out = [
            a.matmul(&a.t()?)?,
            a.t()?.add(&Tensor::ones((6, 4), DType::F32, device)?)?,
            a.index_select(&ids, 0)?,
            a.sum_keepdim(0)?,
            a.sum_keepdim(1)?,
            a.argmax(1)?.to_dtype(DType::F32)?,
            a.to_dtype(DType::F16)?.sqr()?.to_dtype(DType::F32)?,
            a.flip(&[1])?.sort(1, false)?.0,
            Tensor::rand(0f32, 1f32, 50, device)?,
            w,
            image.max_pool2d(2)?,
            image.conv2d(&image.narrow(2, 0, 3)?.narrow(3, 0, 3)?, 0, 1, 1, 1)?,
        ];
        let flat = out.iter().map(Tensor::flatten_all).collect::<Result<Vec<_>>>()?;
        Tensor::cat(&flat, 0)?.to_vec1()
    };
    assert_eq!(on(&device).unwrap(), on(&Device::Cpu).unwrap());
    let soft = Tensor::cat(&[numbers(5, &device).unwrap()], 0).unwrap().softmax(0).unwrap();
    assert!((soft.sum_all().unwrap().to_scalar::<f32>().unwrap() - 1.0).abs() < 1e-6);
}

#[test]
fn two_processes_may_compile_at_once() {
    let (Ok(folder), cache) = (vgpu(7), Folder::new()) else {
        println!("skipped: the virtual GPU is missing; `make vgpu` makes it");
        return;
    };
    let settings = [("RUSHLIGHT_CACHE_DIR", cache.str())];
    let started: Vec<_> = (0..3)
        .map(|_| {
            let mut c = start("child_adds", &folder, &settings);
            c.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in started {
        passed("child_adds", child.wait_with_output().unwrap());
    }
    let files: Vec<_> =
        std::fs::read_dir(cache.0.join("kernels")).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert!(files.len() == 1 && files[0].to_str().unwrap().ends_with(".co"), "{files:?}");
}

// --- settings from the environment ---

#[test]
fn an_index_error_is_returned_at_the_next_synchronization_or_at_the_call() {
    passes("child_late", &[]);
    passes("child_at_once", &[("RUSHLIGHT_SYNC", "1")]);
}

fn bad_ids(device: &Device) -> (Tensor, Tensor) {
    (numbers(5, device).unwrap(), Tensor::new(&[1u32, 9], device).unwrap())
}

const BAD_ID: &str = "index_select invalid index 9 with dim size 5";

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_late() {
    let (x, ids) = bad_ids(&gpu());
    let y = x.index_select(&ids, 0).expect("the error comes when it is read");
    assert_eq!(error(y.to_vec1::<f32>()), BAD_ID);
    assert_eq!(x.sum_all().unwrap().to_scalar::<f32>().unwrap(), 10.0);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_at_once() {
    let (x, ids) = bad_ids(&gpu());
    for _ in 0..2 {
        assert_eq!(error(x.index_select(&ids, 0)), BAD_ID);
    }
    let target = Tensor::new(&[7u32], x.device()).unwrap();
    let line = x.unsqueeze(0).unwrap();
    contains(&error(line.cross_entropy(&target, Reduction::Mean, -100, 0.0)), &["cross_entropy", "7"]);
    assert_eq!(x.sum_all().unwrap().to_scalar::<f32>().unwrap(), 10.0);
}

/// A custom op without a method for AMD GPUs.
struct Halve;

impl CustomOp1 for Halve {
    fn name(&self) -> &'static str {
        "halve"
    }
    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        let all = s.to_contiguous(l)?;
        let half: Vec<f32> = all.as_slice::<f32>()?.iter().map(|v| v / 2.0).collect();
        Ok((CpuStorage::F32(half.into()), l.shape().clone()))
    }
}

impl InplaceOp2 for Halve {
    fn name(&self) -> &'static str {
        "halve_into"
    }
    fn cpu_fwd(&self, s1: &mut CpuStorage, l1: &Layout, s2: &CpuStorage, l2: &Layout) -> Result<()> {
        let from = s2.to_contiguous(l2)?;
        let (CpuStorage::F32(to), start) = (s1, l1.start_offset()) else { panic!("not f32") };
        for (i, v) in from.as_slice::<f32>()?.iter().enumerate() {
            to[start + i] = v / 2.0;
        }
        Ok(())
    }
}

#[test]
fn an_unsupported_op_is_an_error_unless_the_cpu_is_asked_for() {
    passes("child_no_fallback", &[]);
    passes("child_no_fallback", &[("RUSHLIGHT_FALLBACK", "")]);
    passes("child_bad_fallback", &[("RUSHLIGHT_FALLBACK", "gpu")]);
    let Some(said) = passes("child_fallback", &[("RUSHLIGHT_FALLBACK", "cpu")]) else { return };
    let warnings: Vec<&str> = said.lines().filter(|l| l.starts_with("rushlight: warning")).collect();
    assert_eq!(warnings.len(), 2, "one of each op: {said}");
    contains(warnings[0], &["halve of f32 runs on the CPU (RUSHLIGHT_FALLBACK=cpu)", "rocm:0", "`rocm_fwd`"]);
    contains(warnings[1], &["halve_into of f32, f32 runs on the CPU"]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_bad_fallback() {
    assert_eq!(error(Device::new_rocm(0)), "RUSHLIGHT_FALLBACK=gpu: expected cpu");
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_no_fallback() {
    let x = numbers(4, &gpu()).unwrap();
    let e = x.apply_op1(Halve).err().unwrap();
    assert!(matches!(e.root(), rushlight::Error::Unsupported { op: "halve", .. }), "{e:?}");
    contains(&e.to_string(), &["op halve is not supported on rocm: it has no `rocm_fwd`"]);
    contains(&error(x.copy().unwrap().inplace_op2(&x, &Halve)), &["op halve_into is not supported on rocm"]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_fallback() {
    let x = numbers(6, &gpu()).unwrap();
    for _ in 0..2 {
        let y = x.reshape((2, 3)).unwrap().t().unwrap().apply_op1(Halve).unwrap();
        assert!(y.device().is_rocm());
        assert_eq!(y.to_vec2::<f32>().unwrap(), [[0.0, 1.5], [0.5, 2.0], [1.0, 2.5]]);
        let z = x.copy().unwrap();
        z.narrow(0, 2, 2).unwrap().inplace_op2(&x.narrow(0, 4, 2).unwrap(), &Halve).unwrap();
        assert_eq!(z.to_vec1::<f32>().unwrap(), [0.0, 1.0, 2.0, 2.5, 4.0, 5.0]);
    }
}
