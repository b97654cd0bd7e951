//! NVIDIA's runtime: the CUDA driver, NVRTC, cuBLAS, cuDNN, cuFFT and cuSOLVER, opened when the first device is opened.
#![allow(unsafe_code)]
use super::capture::without_graphs;
use super::cudnn;
use super::cufft;
use super::cusolver;
use super::dnn::Dnn;
use super::fft::Fft;
use super::opened::Opened;
use super::runtime::{Failure, Info, Outcome, Runtime, Shared};
use super::solver::Solver;
use super::vendor::{self, Family, Handle, product_type};
use super::{GpuDevice, GpuStorage};
use crate::storage::Storage;
use crate::{Device, DeviceLocation, Result};
use rushlight_cuda::{Blas, Event, Function, Graph, Kind, Module, Pinned, nvrtc};

/// An NVIDIA GPU and its stream.
#[derive(Debug)]
pub struct Cuda {
    device: rushlight_cuda::Device,
    info: Info,
    blas: Handle<Blas>,
    dnn: Handle<cudnn::Library>,
    fft: Handle<cufft::Library>,
    solver: Handle<cusolver::Library>,
}

static OPEN: Opened<Cuda> = Opened::new();

/// Opens the NVIDIA GPU with this number.
pub(crate) fn open(ordinal: usize) -> Result<GpuDevice<Cuda>> {
    OPEN.get(ordinal, Cuda::new)
}

pub(crate) fn forget_seeds() {
    OPEN.forget_seeds();
}

/// Returns the number of NVIDIA GPUs, 0 if there is no driver.
pub fn device_count() -> usize {
    rushlight_cuda::Cuda::get().ok().and_then(|c| c.device_count().ok()).unwrap_or(0)
}

/// Adds a folder to the search path of CUDA's libraries, such as the one where pip has installed them.
pub fn search_also(folder: &std::path::Path) {
    rushlight_cuda::search_also(folder);
}

impl Cuda {
    fn new(ordinal: usize) -> rushlight_cuda::Result<Self> {
        let device = rushlight_cuda::Device::new(ordinal)?;
        let p = device.props();
        // Without a compiler, kernels in the cache can still be used.
        let compiler = nvrtc::version()
            .map_or("no nvrtc".to_string(), |(major, minor)| format!("nvrtc {major}.{minor}"));
        let info = Info {
            name: p.name.clone(),
            arch: device.arch(),
            wave: p.warp,
            units: p.multiprocessors,
            max_threads: p.max_threads,
            lds: p.shared,
            memory: p.memory,
            compiler: format!("cuda {} {compiler}", device.cuda().version()),
        };
        Ok(Self {
            device,
            info,
            blas: Handle::new("cuBLAS"),
            dnn: Handle::new("cuDNN"),
            fft: Handle::new("cuFFT"),
            solver: Handle::new("cuSOLVER"),
        })
    }
}

/// Translates the options for all compilers to NVRTC's names. NVRTC before 13 takes a lambda function with `auto` parameters for one
/// of the host, unless functions are the device's by default.
fn options(common: &[String]) -> impl Iterator<Item = String> {
    let translated = common.iter().map(|o| match o.as_str() {
        "-ffp-contract=off" => "--fmad=false".to_string(),
        _ => o.clone(),
    });
    translated.chain(["--device-as-default-execution-space".to_string()])
}

/// Compiles a kernel file as the backend does. `target` holds NVRTC's options for the target and its reports. Works
/// without a GPU and without a driver.
///
/// # Errors
/// Fails with the compiler's log, or if NVRTC is missing.
#[doc(hidden)]
pub fn compile(
    name: &str,
    source: &str,
    headers: &[(&str, &str)],
    common: &[String],
    target: &[String],
) -> rushlight_cuda::Result<nvrtc::Compiled> {
    let all: Vec<String> = target.iter().cloned().chain(options(common)).collect();
    nvrtc::compile(source, name, headers, &all)
}

impl Runtime for Cuda {
    const KIND: &'static str = "cuda";
    // cuBLAS adds the product to the result's memory only, so another summand is copied there first.
    const ADDS_APART: bool = false;
    // cuFFT has no factor, so our kernel multiplies the result.
    const FFT_SCALES: bool = false;
    const PIVOT_BYTES: u64 = 8;
    type Module = Module;
    type Function = Function;
    type Pinned = Pinned;
    type Graph = Graph;
    type Mark = Event;

    fn location(gpu_id: usize) -> DeviceLocation {
        DeviceLocation::Cuda { gpu_id }
    }
    fn storage(storage: &Storage) -> Option<&GpuStorage<Self>> {
        match storage {
            Storage::Cuda(s) => Some(s),
            _ => None,
        }
    }
    fn wrap(storage: GpuStorage<Self>) -> Storage {
        Storage::Cuda(storage)
    }
    fn handle(device: GpuDevice<Self>) -> Device {
        Device::Cuda(device)
    }
    fn info(&self) -> &Info {
        &self.info
    }
    fn malloc(&self, bytes: usize) -> Outcome<u64> {
        self.device.alloc(bytes).map_err(Failure::from)
    }
    fn free(&self, ptr: u64) -> Outcome<()> {
        self.device.free(ptr).map_err(Failure::from)
    }
    fn adopt(&self, _: u64, _: usize) -> Outcome<()> {
        self.device.synchronize_all().map_err(Failure::from)
    }
    fn disown(&self, _: u64, _: usize) {
        // Queued work may still use the memory. An error is ignored here, since the next call returns it, too.
        let _ = self.device.synchronize();
    }
    fn memory_info(&self) -> Outcome<(usize, usize)> {
        self.device.mem_info().map_err(Failure::from)
    }
    fn upload(&self, dst: u64, src: &[u8]) -> Outcome<()> {
        self.device.upload(dst, src).map_err(Failure::from)
    }
    fn pinned(&self, bytes: usize) -> Outcome<Pinned> {
        self.device.pinned(bytes).map_err(Failure::from)
    }
    fn upload_pinned(&self, dst: u64, src: &[u8], pinned: &Pinned, offset: usize) -> Outcome<()> {
        self.device.upload_pinned(dst, src, pinned, offset).map_err(Failure::from)
    }
    fn download(&self, dst: &mut [u8], src: u64) -> Outcome<()> {
        self.device.download(dst, src).map_err(Failure::from)
    }
    fn fill(&self, dst: u64, byte: u8, bytes: usize) -> Outcome<()> {
        self.device.fill(dst, byte, bytes).map_err(Failure::from)
    }
    fn shared(&self, bytes: usize) -> Outcome<Shared> {
        let page = self.device.page(bytes).map_err(Failure::from)?;
        Ok(Shared { device: page.device, host: page.host as usize })
    }
    fn compile(
        &self,
        name: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Outcome<Vec<u8>> {
        let known = nvrtc::targets().map_err(Failure::from)?;
        let version = nvrtc::version().map_err(Failure::from)?;
        let target = self.device.props().target;
        let target = nvrtc::choose(target, self.device.cuda().version(), version, &known);
        Ok(compile(name, source, headers, options, &[target.map_err(Failure::Other)?])?.code)
    }
    fn load(&self, code: &[u8]) -> Outcome<Module> {
        self.device.load_module(code).map_err(Failure::from)
    }
    fn function(&self, module: &Module, name: &str) -> Outcome<Function> {
        module.function(name).map_err(Failure::from)
    }
    fn launch(&self, function: &Function, grid: [u32; 3], block: u32, params: &[u8]) -> Outcome<()> {
        let mut args = [params.as_ptr().cast_mut().cast()];
        // SAFETY: our kernels have one parameter, whose size hip/params.h asserts to be that of the host's struct; the
        // addresses in it are of this device's memory (see Call::launch).
        unsafe { function.launch(grid, [block, 1, 1], 0, &mut args) }.map_err(Failure::from)
    }
    fn mark(&self) -> Outcome<Event> {
        Ok(self.device.mark()?)
    }
    fn milliseconds(&self, from: &Event, to: &Event) -> Outcome<f32> {
        Ok(to.elapsed_ms(from)?)
    }
    fn synchronize(&self) -> Outcome<()> {
        self.device.synchronize().map_err(Failure::from)
    }
    fn begin_capture(&self) -> Outcome<()> {
        self.device.begin_capture().map_err(Failure::from).map_err(without_graphs)
    }
    fn end_capture(&self) -> Outcome<Graph> {
        self.device.end_capture().map_err(Failure::from)
    }
    fn malloc_recording(&self, bytes: usize) -> Outcome<u64> {
        self.device.relaxed(|| self.device.alloc(bytes)).map_err(Failure::from)
    }
    fn function_recording(&self, module: &Module, name: &str) -> Outcome<Function> {
        self.device.relaxed(|| module.function(name)).map_err(Failure::from)
    }
    fn replay(&self, graph: &Graph) -> Outcome<()> {
        self.device.launch_graph(graph).map_err(Failure::from)
    }
    fn library(family: Family) -> &'static str {
        match family {
            Family::Blas => "cuBLAS",
            Family::Conv => "cuDNN",
            Family::Fft => "cuFFT",
            Family::Solver => "cuSOLVER",
        }
    }
    fn open(&self, family: Family) -> Outcome<()> {
        match family {
            Family::Blas => self.blas.keep(Blas::new(&self.device)?),
            Family::Conv => self.dnn.keep(cudnn::Library::new(&self.device)?),
            Family::Fft => self.fft.keep(cufft::Library::new(&self.device)?),
            Family::Solver => self.solver.keep(cusolver::Library::new(&self.device)?),
        }
        Ok(())
    }
    fn dnn(&self, f: &mut dyn FnMut(&mut dyn Dnn) -> Outcome<()>) -> Outcome<()> {
        f(&mut *self.dnn.get()?)
    }
    fn fft(&self, f: &mut dyn FnMut(&mut dyn Fft) -> Outcome<()>) -> Outcome<()> {
        f(&mut *self.fft.get()?)
    }

    fn solver(&self, f: &mut dyn FnMut(&mut dyn Solver) -> Outcome<()>) -> Outcome<()> {
        f(&mut *self.solver.get()?)
    }
    fn gemm(&self, g: &vendor::Gemm) -> Outcome<()> {
        if g.beta != 0.0 && g.c != g.d {
            return Err(Failure::Other("cuBLAS adds to its result only".to_string()));
        }
        let kind = product_type(g.dtype, [Kind::F16, Kind::BF16, Kind::F32, Kind::F64])?;
        let matrix = |m: vendor::Matrix| rushlight_cuda::Matrix { ptr: m.ptr, ld: m.ld, stride: m.stride };
        let call = rushlight_cuda::Gemm {
            kind,
            transposed: g.transposed,
            sizes: [g.m, g.n, g.k],
            batch: g.batch,
            alpha: g.alpha,
            beta: g.beta,
            a: matrix(g.a),
            b: matrix(g.b),
            c: matrix(g.d),
        };
        Ok(self.blas.get()?.gemm(&call)?)
    }
}
