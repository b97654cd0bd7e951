//! The table.
use super::{Kind, Reader, Setting};

/// Declares the variables: constant, kind, default, effect. The name is the constant's with the prefix.
macro_rules! settings {
    ($($reader:ident { $($name:ident: $kind:expr, $default:literal, $doc:literal;)* })*) => {
        $($(
            #[doc = $doc]
            pub static $name: Setting = Setting {
                name: concat!("RUSHLIGHT_", stringify!($name)),
                kind: $kind,
                default: $default,
                reader: Reader::$reader,
                doc: $doc,
            };
        )*)*
        /// Every variable, in the order of the documentation.
        pub static ALL: &[&Setting] = &[$($(&$name),*),*];
    };
}

/// The valid values of the variables that choose between a vendor's library and this project's kernels.
const KERNELS: Kind = Kind::Choice(&["auto", "native", "vendor"]);

settings! {
    Library {
        NUM_THREADS: Kind::Integer(1, 4096), "the processors that the process may use", "Sets the number of threads of ops on the CPU.";
        CPU_ISA: Kind::Choice(&["auto", "base", "v3", "v4"]), "`auto`", "Chooses the instructions of loops on an x86-64 CPU: the most that it has (`auto`), those of every such CPU (`base`), AVX2 (`v3`) or AVX-512 (`v4`). Results do not depend on it, except those of Fourier transforms.";
        ACTIVATIONS: Kind::Choice(&["float32", "int8"]), "`float32`; `int8` in programs that use the crate `candle-core`", "Chooses the precision of the other factor of products with quantized blocks: the numbers as they are (`float32`), or rounded to integers of 8 bits (`int8`), which is faster and less exact.";
        DETERMINISTIC: Kind::Flag, "off", "Gives the same bits in every run: no library of the vendor, no atomic additions of floats.";
        ROCM_PATH: Kind::Path, "a search of the usual folders", "Names the folder with ROCm's libraries, or the file `libamdhip64`; no other folder is searched.";
        CUDA_PATH: Kind::Paths, "a search of the usual folders", "Names the folders with NVIDIA's libraries; no other folder is searched.";
        CUDA_AS: Kind::Choice(&["cuda", "rocm"]), "`cuda`", "Chooses the GPUs that a program gets where it asks for NVIDIA's: with `rocm` AMD's, so that a program written for CUDA runs on them unchanged.";
        CACHE_DIR: Kind::Path, "`$XDG_CACHE_HOME/rushlight` or `~/.cache/rushlight`", "Names the folder of compiled kernels; if it is set and empty, none are kept.";
        BLAS: KERNELS, "`auto`", "Chooses the code of matrix products on a GPU: the vendor's library where it can (`auto`), this project's kernels (`native`), or the library or an error (`vendor`).";
        CONV: KERNELS, "`auto`", "Chooses the code of convolutions and pooling on a GPU, by the words of `RUSHLIGHT_BLAS`.";
        FFT: KERNELS, "`auto`", "Chooses the code of Fourier transforms on a GPU, by the words of `RUSHLIGHT_BLAS`.";
        CONV_WAIT: Kind::Seconds, "20", "Limits the time for which `RUSHLIGHT_CONV=auto` waits for MIOpen's compiler, in all.";
        SYNC: Kind::Flag, "off", "Waits for the GPU after each op, so that an error is returned by the call that caused it.";
        FALLBACK: Kind::Choice(&["cpu"]), "an error", "Runs on the CPU what a GPU lacks, with a warning.";
        GPU_POOL: Kind::Choice(&["slabs", "exact", "0"]), "`slabs`", "Chooses how GPU memory is allocated: small tensors in slabs, each tensor in an allocation of exactly its size (`exact`), or this and nothing kept for reuse (`0`).";
        GPU_GUARD: Kind::Flag, "off", "Puts a known pattern beside each block of GPU memory and checks it when the block is freed.";
        KERNEL_SOURCES: Kind::Path, "the built-in sources", "Names a folder of kernel sources to compile instead of the built-in ones.";
        KERNEL_ARCHIVES: Kind::Paths, "the package `rushlight-kernels` and `archives` in the folder of compiled kernels", "Names the folders with archives of compiled kernels; if it is set and empty, none are used.";
        SOLVER: KERNELS, "`auto`", "Chooses the code of matrix decompositions on a GPU, by the words of `RUSHLIGHT_BLAS`; `vendor` takes the library for small matrices too.";
    }
    Python {
        ASSETS: Kind::Path, "`.cache/assets`", "Names the folder of data sets that `rushlight.data` reads.";
        DOCTOR_ROOT: Kind::Path, "`/`", "Names the folder that `rushlight doctor` examines as the root of the file system (for tests).";
        PARITY_FAULT: Kind::Text("crash:PART or hang:PART"), "none", "Makes a worker of `rushlight parity` crash or hang in a case (for tests).";
    }
    VirtualGpu {
        VGPU_ARCH: Kind::Text("a target such as gfx1100 or gfx90a, sm_80 for the virtual NVIDIA GPU"), "`gfx1100` or `sm_80`", "Chooses the target that the device poses as.";
        VGPU_WAVE: Kind::Choice(&["32", "64"]), "that of the target", "Sets the number of lanes of a wave.";
        VGPU_ENGINE: Kind::Choice(&["host", "isa"]), "`host`", "Chooses how kernels run: compiled for this machine (`host`), or as AMD machine code that is emulated (`isa`).";
        VGPU_BUDGET: Kind::Integer(1, u64::MAX), "2^40", "Limits the instructions that a wave of machine code may execute.";
        VGPU_DEVICES: Kind::Integer(0, 16), "1", "Sets the number of devices.";
        VGPU_MEM: Kind::Integer(1 << 16, u64::MAX), "4 GiB", "Sets the bytes of memory of each device.";
        VGPU_THREADS: Kind::Integer(1, 256), "all cores", "Sets the number of host threads that run blocks.";
        VGPU_ORDER: Kind::Text("forward, reverse or seed:N"), "`forward`", "Sets the order of blocks and of threads in a block; `seed:N` interleaves waves of machine code at random.";
        VGPU_STRICT: Kind::Flag, "off", "Also reports barriers after some threads have returned, shuffles from inactive lanes, and host pointers inside of struct arguments.";
        VGPU_SANITIZE: Kind::Integer(0, 2), "0", "Compiles kernels with UBSan (1), or also with AddressSanitizer (2).";
        VGPU_RACES: Kind::Flag, "off", "Reports races of machine code between waves and between blocks.";
        VGPU_FRESH: Kind::Flag, "off", "Reports reads of memory that nothing has written, of machine code.";
        VGPU_COUNT: Kind::Flag, "off", "Prints the number of instructions of each launch of machine code.";
        VGPU_SYNC: Kind::Flag, "off", "Runs the work of each call at once.";
        VGPU_TRACE: Kind::Flag, "off", "Prints each call and its result on stderr.";
        VGPU_FAULT: Kind::Text("faults, separated by commas, such as oom_after:N or compile_fail"), "none", "Injects failures: lost devices, no memory, compilers and libraries that fail.";
        VGPU_RECORD: Kind::Path, "off", "Names a folder to which each launch is written, to be repeated with `rushlight-vgpu replay`.";
        VGPU_CXX: Kind::Text("a command"), "clang 18 or newer on `PATH`, else ziglang", "Names the compiler, with arguments.";
        VGPU_HIPRTC: Kind::Text("a command"), "clang", "Names a program that compiles kernels to machine code, with arguments.";
        VGPU_PYTHON: Kind::Path, "none", "Names a Python whose package ziglang has a compiler.";
        VGPU_HIP: Kind::Choice(&["5", "6", "7"]), "7", "Chooses the version of HIP whose folder `make vgpu` prints.";
        DEVICE_LIBS: Kind::Path, "the system's folders", "Names the folder with AMD's device library `ocml.bc`.";
    }
    Development {
        COMMIT: Kind::Text("a commit"), "none", "Names the commit that a wheel is built from.";
        TEST_DEVICE: Kind::Text("cpu, test, rocm or cuda"), "`rocm`", "Chooses the device of the GPU tests and of candle's tests.";
        CASE: Kind::Text("a part of a case's name"), "all", "Selects cases of a sweep.";
        DTYPES: Kind::Text("dtypes, separated by commas"), "all", "Selects dtypes of the parity test.";
        PART: Kind::Text("PART/PARTS/SEED, such as 0/2/7"), "all", "Chooses one of the parts into which the seed divides the cases of the parity test.";
        SAMPLE: Kind::Integer(0, u64::MAX), "all", "Limits the cases per op of the parity test.";
        SEED: Kind::Integer(0, u64::MAX), "0", "Sets the seed of the parity test's inputs.";
        AGAINST: Kind::Text("f64, cpu, rocm:N or cuda:N"), "`f64`", "Chooses the reference of the parity test.";
        KNOWN: Kind::Text("ops, separated by commas"), "none", "Names ops whose hard cases a compiler is known to get wrong.";
        WRITE: Kind::Flag, "off", "Makes the test of instruction counts write its table.";
        TEST_FULL: Kind::Flag, "off", "Runs the tests that take minutes.";
        TEST_VGPU: Kind::Path, "`target/vgpu`", "Names the folder of the virtual GPU's libraries for tests.";
        TEST_CUBINS: Kind::Path, "none", "Names the folder of compiled NVIDIA kernels for the argument tests.";
        TEST_LAUNCHES: Kind::Path, "none", "Names a file to which candle's tests write their number of launches.";
        TEST_ROCM5: Kind::Path, "target/rocm-packages", "Names the folder of HIP 5.2's unpacked packages.";
        TEST_ROCM_HEADERS: Kind::Paths, "none", "Names further folders of ROCm headers to compare declarations with.";
        TEST_ARCH: Kind::Text("a target"), "none", "Passes the target to a test's child process.";
        TEST_CHILD: Kind::Text("any text"), "none", "Marks a test's child process.";
        ISA_OBJECTS: Kind::Path, "none", "Names a folder of code objects that the decoder's test reads.";
        VGPU_TEST_FILE: Kind::Path, "none", "Names a file to which a test's child process writes.";
        VGPU_TEST_CASE: Kind::Text("a case"), "all", "Selects a case of a virtual GPU test.";
        VGPU_TEST_MAJOR: Kind::Integer(5, 7), "none", "Passes HIP's version to a test's child process.";
    }
}
