//! AMD's runtime: HIP and hiprtc, opened when the first device is opened.
#![allow(unsafe_code)]
use super::capture::without_graphs;
use super::dnn::Dnn;
use super::fft::Fft;
use super::miopen;
use super::opened::Opened;
use super::rocfft;
use super::rocsolver;
use super::runtime::{Failure, Info, Outcome, Runtime, Shared};
use super::solver::Solver;
use super::vendor::{self, Family, Handle, product_type};
use super::{GpuDevice, GpuStorage};
use crate::storage::Storage;
use crate::{DeviceLocation, Result};
use rushlight_hip::{
    Blas, BlasType, Device, Event, Function, Graph, HostBuffer, LaunchConfig, Matrix, Module, Stream, Trans,
    rtc,
};

/// An AMD GPU and its stream.
#[derive(Debug)]
pub struct Hip {
    device: Device,
    stream: Stream,
    info: Info,
    blas: Handle<Blas>,
    dnn: Handle<miopen::Library>,
    fft: Handle<rocfft::Library>,
    solver: Handle<rocsolver::Library>,
}

static OPEN: Opened<Hip> = Opened::new();

/// Opens the AMD GPU with this number.
pub(crate) fn open(ordinal: usize) -> Result<GpuDevice<Hip>> {
    OPEN.get(ordinal, Hip::new)
}

pub(crate) fn forget_seeds() {
    OPEN.forget_seeds();
}

/// Returns the number of AMD GPUs, 0 without ROCm.
pub fn device_count() -> usize {
    rushlight_hip::Hip::get().ok().and_then(|h| h.device_count().ok()).unwrap_or(0)
}

/// Returns the path of the HIP library, if this process has loaded one. Does not search for it.
pub fn loaded_library() -> Option<std::path::PathBuf> {
    let all = rushlight_hip::Hip::loaded()?.library_paths();
    all.into_iter().next().map(|(_, path)| path)
}

/// Returns the folders that are searched for AMD's libraries, in order.
pub fn library_folders() -> Vec<std::path::PathBuf> {
    rushlight_hip::Search::from_env().folders()
}

impl Hip {
    fn new(ordinal: usize) -> rushlight_hip::Result<Self> {
        let device = Device::new(ordinal)?;
        let p = device.props();
        let info = Info {
            name: p.name.clone(),
            arch: p.arch.clone(),
            wave: p.warp_size,
            units: p.multiprocessors,
            max_threads: p.max_threads_per_block,
            lds: p.lds_per_block as usize,
            memory: p.total_mem as usize,
            compiler: format!("hip {}", device.hip().runtime_version()),
        };
        Ok(Self {
            stream: device.stream()?,
            device,
            info,
            blas: Handle::new("rocBLAS"),
            dnn: Handle::new("MIOpen"),
            fft: Handle::new("rocFFT"),
            solver: Handle::new("rocSOLVER"),
        })
    }
}

impl Hip {
    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }
}

impl Runtime for Hip {
    const KIND: &'static str = "rocm";
    type Module = Module;
    type Function = Function;
    type Pinned = HostBuffer;
    type Graph = Graph;
    type Mark = Event;

    fn location(gpu_id: usize) -> DeviceLocation {
        DeviceLocation::Rocm { gpu_id }
    }
    fn storage(storage: &Storage) -> Option<&GpuStorage<Self>> {
        match storage {
            Storage::Rocm(s) => Some(s),
            _ => None,
        }
    }
    fn wrap(storage: GpuStorage<Self>) -> Storage {
        Storage::Rocm(storage)
    }
    fn handle(device: GpuDevice<Self>) -> crate::Device {
        crate::Device::Rocm(device)
    }
    fn info(&self) -> &Info {
        &self.info
    }
    fn malloc(&self, bytes: usize) -> Outcome<u64> {
        self.device.alloc(bytes as u64).map_err(Failure::from)
    }
    fn free(&self, ptr: u64) -> Outcome<()> {
        self.device.free(ptr).map_err(Failure::from)
    }
    fn adopt(&self, ptr: u64, bytes: usize) -> Outcome<()> {
        self.device.synchronize().map_err(Failure::from)?;
        // SAFETY: the caller of GpuDevice::foreign guarantees that the memory is valid, until `disown` unregisters it.
        unsafe { self.device.adopt(ptr, bytes as u64) };
        Ok(())
    }
    fn disown(&self, ptr: u64, bytes: usize) {
        // Queued work may still use the memory.
        let _ = self.stream.synchronize();
        self.device.disown(ptr, bytes as u64);
    }
    fn memory_info(&self) -> Outcome<(usize, usize)> {
        let (free, total) = self.device.mem_info().map_err(Failure::from)?;
        Ok((free as usize, total as usize))
    }
    fn upload(&self, dst: u64, src: &[u8]) -> Outcome<()> {
        self.device.memcpy_htod(dst, src, &self.stream).map_err(Failure::from)
    }
    fn pinned(&self, bytes: usize) -> Outcome<HostBuffer> {
        self.device.host_alloc(bytes).map_err(Failure::from)
    }
    fn upload_pinned(&self, dst: u64, src: &[u8], pinned: &HostBuffer, offset: usize) -> Outcome<()> {
        pinned.write(offset, src).map_err(Failure::from)?;
        self.device.memcpy_from_host(dst, pinned, offset, src.len(), &self.stream).map_err(Failure::from)
    }
    fn download(&self, dst: &mut [u8], src: u64) -> Outcome<()> {
        self.device.memcpy_dtoh(dst, src, &self.stream).map_err(Failure::from)
    }
    fn fill(&self, dst: u64, byte: u8, bytes: usize) -> Outcome<()> {
        self.device.memset_d8(dst, byte, bytes as u64, &self.stream).map_err(Failure::from)
    }
    fn shared(&self, bytes: usize) -> Outcome<Shared> {
        // Kernels may write the page as long as the process lives, so it is never freed.
        let page = Box::leak(Box::new(self.device.host_alloc(bytes).map_err(Failure::from)?));
        Ok(Shared { device: page.device_ptr(), host: page.as_ptr() as usize })
    }
    fn compile(
        &self,
        name: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Outcome<Vec<u8>> {
        let mut all = vec![format!("--offload-arch={}", self.info.arch)];
        all.extend_from_slice(options);
        Ok(rtc::compile(source, name, headers, &all).map_err(Failure::from)?.code)
    }
    fn load(&self, code: &[u8]) -> Outcome<Module> {
        self.device.load_module(code).map_err(Failure::from)
    }
    fn function(&self, module: &Module, name: &str) -> Outcome<Function> {
        module.function(name).map_err(Failure::from)
    }
    fn launch(&self, function: &Function, grid: [u32; 3], block: u32, params: &[u8]) -> Outcome<()> {
        let config = LaunchConfig { grid: (grid[0], grid[1], grid[2]), block: (block, 1, 1), lds: 0 };
        let mut args = [params.as_ptr().cast_mut().cast()];
        // SAFETY: our kernels have one parameter, whose size hip/params.h asserts to be that of the host's struct; the
        // addresses in it are of this device's memory (see Call::launch).
        unsafe { function.launch(config, &self.stream, &mut args) }.map_err(Failure::from)
    }
    fn mark(&self) -> Outcome<Event> {
        let event = self.device.event(true)?;
        event.record(&self.stream)?;
        Ok(event)
    }
    fn milliseconds(&self, from: &Event, to: &Event) -> Outcome<f32> {
        Ok(to.elapsed_ms(from)?)
    }
    fn synchronize(&self) -> Outcome<()> {
        self.stream.synchronize().map_err(Failure::from)
    }
    fn begin_capture(&self) -> Outcome<()> {
        self.stream.begin_capture().map_err(Failure::from).map_err(without_graphs)
    }
    fn end_capture(&self) -> Outcome<Graph> {
        self.stream.end_capture().map_err(Failure::from)
    }
    fn malloc_recording(&self, bytes: usize) -> Outcome<u64> {
        self.device.relaxed(|| self.device.alloc(bytes as u64)).map_err(Failure::from)
    }
    fn function_recording(&self, module: &Module, name: &str) -> Outcome<Function> {
        self.device.relaxed(|| module.function(name)).map_err(Failure::from)
    }
    fn replay(&self, graph: &Graph) -> Outcome<()> {
        self.stream.launch_graph(graph).map_err(Failure::from)
    }
    fn library(family: Family) -> &'static str {
        match family {
            Family::Blas => "rocBLAS",
            Family::Conv => "MIOpen",
            Family::Fft => "rocFFT",
            Family::Solver => "rocSOLVER",
        }
    }
    fn open(&self, family: Family) -> Outcome<()> {
        match family {
            Family::Blas => self.blas.keep(Blas::new(&self.stream)?),
            Family::Conv => self.dnn.keep(miopen::Library::new(&self.stream)?),
            Family::Fft => self.fft.keep(rocfft::Library::new(&self.stream)?),
            Family::Solver => self.solver.keep(rocsolver::Library::new(&self.stream)?),
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
        let kind = product_type(g.dtype, [BlasType::F16, BlasType::BF16, BlasType::F32, BlasType::F64])?;
        let trans = g.transposed.map(|t| if t { Trans::Transpose } else { Trans::None });
        let matrix = |m: vendor::Matrix| Matrix { ptr: m.ptr, ld: m.ld, stride: m.stride };
        let call = rushlight_hip::Gemm {
            trans_a: trans[0],
            trans_b: trans[1],
            m: g.m,
            n: g.n,
            k: g.k,
            batch: g.batch,
            input: kind,
            output: kind,
            alpha: g.alpha,
            beta: g.beta,
            a: matrix(g.a),
            b: matrix(g.b),
            c: matrix(g.c),
            d: matrix(g.d),
            alt_half: false,
        };
        Ok(self.blas.get()?.gemm(&call)?)
    }
}
