//! A runtime without a GPU: it records launches and keeps memory on the host. For unit tests of the code that all
//! vendors share.
#![allow(missing_docs)]
use super::launch::{BLOCK, WIDE_BLOCK};
use super::runtime::{Failure, Info, Outcome, Runtime, Shared};
use super::settings::Settings;
use super::vendor::{Family, Gemm};
use super::{GpuDevice, GpuStorage};
use crate::DeviceLocation;
use crate::ops::Op;
use crate::storage::Storage;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// One launch: the kernel, the grid, and the size of its parameters in bytes.
pub type Launch = (Arc<str>, [u32; 3], usize);

/// Compiled kernels.
#[derive(Debug, Default, Clone)]
pub struct Kernels {
    /// Size in bytes of the parameters of each kernel, by unit and name as launches have them (`unit.hip:name`).
    pub sizes: HashMap<String, u32>,
    /// Units and dtypes that are not compiled. Their launches are not checked.
    pub absent: Vec<(&'static str, &'static str)>,
}

impl Kernels {
    /// Returns whether a kernel, named as launches name it, is one of a unit and dtype that are not compiled.
    pub fn lacks(&self, kernel: &str) -> bool {
        let Some((unit, name)) = kernel.split_once(".hip:") else { return false };
        self.absent.iter().any(|(u, dtype)| *u == unit && name.split('_').any(|word| word == *dtype))
    }
}

#[derive(Debug, Default)]
pub struct State {
    memory: HashMap<u64, Vec<u8>>,
    next: u64,
    used: usize,
    /// Launches, up to the vector's capacity, so that recording does not allocate.
    pub launches: Vec<Launch>,
    pub launched: u64,
    pub compiled: Vec<(String, Vec<String>)>,
    /// The kernels that launches are checked against, if they are.
    pub kernels: Option<Kernels>,
    /// The reason why the device supports no op at all, if it does not.
    pub lacks: Option<&'static str>,
    /// Number of synchronizations.
    pub waits: usize,
    /// Sizes of the pinned buffers allocated so far.
    pub pinned: Vec<usize>,
    /// Number of launches at the start of the capture under way.
    capture: Option<u64>,
    /// Ranges of pinned memory whose copies are queued.
    queued: Vec<Range<usize>>,
}

impl State {
    /// Returns the bytes allocated now.
    pub fn used(&self) -> usize {
        self.used
    }
}

/// The recording runtime, with a limited amount of memory.
#[derive(Debug, Clone)]
pub struct Recorder {
    info: Info,
    pub state: Arc<Mutex<State>>,
}

impl Recorder {
    pub fn new(memory: usize) -> Self {
        let info = Info { name: "recorder".into(), arch: "none".into(), units: 4, memory, ..Info::default() };
        let state = State { launches: Vec::with_capacity(4096), ..State::default() };
        Self { info, state: Arc::new(Mutex::new(state)) }
    }

    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(|e| e.into_inner()))
    }

    fn block<T>(&self, ptr: u64, bytes: usize, f: impl FnOnce(&mut [u8]) -> T) -> Outcome<T> {
        self.with(|s| {
            let (base, block) = s
                .memory
                .iter_mut()
                .find(|(b, m)| **b <= ptr && ptr + bytes as u64 <= **b + m.len() as u64)
                .ok_or_else(|| Failure::Other(format!("{bytes} bytes at {ptr:#x} are in no block")))?;
            let at = (ptr - base) as usize;
            Ok(f(&mut block[at..at + bytes]))
        })
    }
}

impl Runtime for Recorder {
    const KIND: &'static str = "record";
    type Module = String;
    type Function = Arc<str>;
    type Pinned = Mutex<Vec<u8>>;
    type Graph = u64;
    type Mark = u64;

    fn location(id: usize) -> DeviceLocation {
        DeviceLocation::Test { id }
    }
    fn storage(storage: &Storage) -> Option<&GpuStorage<Self>> {
        match storage {
            Storage::Record(s) => Some(s),
            _ => None,
        }
    }
    fn wrap(storage: GpuStorage<Self>) -> Storage {
        Storage::Record(storage)
    }
    fn handle(device: GpuDevice<Self>) -> crate::Device {
        crate::Device::Record(device)
    }
    fn info(&self) -> &Info {
        &self.info
    }
    fn lacks(&self, _: &Op) -> Option<&'static str> {
        self.with(|s| s.lacks)
    }
    fn malloc(&self, bytes: usize) -> Outcome<u64> {
        self.with(|s| {
            if s.used + bytes > self.info.memory {
                return Err(Failure::OutOfMemory);
            }
            s.used += bytes;
            s.next += 1 << 32;
            let ptr = s.next;
            s.memory.insert(ptr, vec![0; bytes]);
            Ok(ptr)
        })
    }
    fn free(&self, ptr: u64) -> Outcome<()> {
        self.with(|s| match s.memory.remove(&ptr) {
            Some(m) => {
                s.used -= m.len();
                Ok(())
            }
            None => Err(Failure::Other(format!("free of {ptr:#x}, which is not an allocated block"))),
        })
    }
    fn adopt(&self, _: u64, _: usize) -> Outcome<()> {
        Ok(())
    }
    fn disown(&self, _: u64, _: usize) {}
    fn memory_info(&self) -> Outcome<(usize, usize)> {
        self.with(|s| Ok((self.info.memory - s.used, self.info.memory)))
    }
    fn upload(&self, dst: u64, src: &[u8]) -> Outcome<()> {
        self.block(dst, src.len(), |m| m.copy_from_slice(src))
    }
    fn pinned(&self, bytes: usize) -> Outcome<Mutex<Vec<u8>>> {
        self.with(|s| s.pinned.push(bytes));
        Ok(Mutex::new(vec![0; bytes]))
    }
    fn upload_pinned(&self, dst: u64, src: &[u8], pinned: &Self::Pinned, offset: usize) -> Outcome<()> {
        let mut held = pinned.lock().unwrap_or_else(|e| e.into_inner());
        held[offset..offset + src.len()].copy_from_slice(src);
        self.with(|s| {
            let range = offset..offset + src.len();
            let clash = s.queued.iter().find(|q| q.start < range.end && range.start < q.end).cloned();
            s.queued.push(range);
            match clash {
                Some(q) => {
                    Err(Failure::Other(format!("pinned bytes {q:?} are written before they were copied")))
                }
                None => Ok(()),
            }
        })?;
        self.block(dst, src.len(), |m| m.copy_from_slice(src))
    }
    fn download(&self, dst: &mut [u8], src: u64) -> Outcome<()> {
        self.block(src, dst.len(), |m| dst.copy_from_slice(m))
    }
    fn fill(&self, dst: u64, byte: u8, bytes: usize) -> Outcome<()> {
        self.block(dst, bytes, |m| m.fill(byte))
    }
    fn shared(&self, bytes: usize) -> Outcome<Shared> {
        let page = vec![0u64; bytes.div_ceil(8)].leak();
        Ok(Shared { device: page.as_ptr() as u64, host: page.as_mut_ptr() as usize })
    }
    fn compile(&self, name: &str, _: &str, _: &[(&str, &str)], options: &[String]) -> Outcome<Vec<u8>> {
        self.with(|s| s.compiled.push((name.to_string(), options.to_vec())));
        Ok(name.as_bytes().to_vec())
    }
    fn load(&self, code: &[u8]) -> Outcome<String> {
        if code.ends_with(b"broken") {
            return Err(Failure::Other("no code object".to_string()));
        }
        Ok(String::from_utf8_lossy(code).into_owned())
    }
    fn function(&self, module: &String, name: &str) -> Outcome<Arc<str>> {
        Ok(format!("{module}:{name}").into())
    }
    fn launch(&self, function: &Arc<str>, grid: [u32; 3], block: u32, params: &[u8]) -> Outcome<()> {
        self.with(|s| {
            if let Some(kernels) = s.kernels.as_ref().filter(|k| !k.lacks(function)) {
                let is = kernels.sizes.get(&**function).copied();
                // Limits that hold for every GPU: the number of blocks in each dimension, none of them 0.
                let threads = if function.ends_with("_wide") { WIDE_BLOCK } else { BLOCK };
                let fits = block == threads && grid.iter().all(|n| *n > 0) && grid[0] < 1 << 31;
                if is != Some(params.len() as u32) || !fits || grid[1].max(grid[2]) > 65_535 {
                    return Err(Failure::Other(format!(
                        "{function} was launched with {} bytes of parameters in {grid:?} blocks of {block}; it takes {is:?}",
                        params.len()
                    )));
                }
            }
            s.launched += 1;
            if s.launches.len() < s.launches.capacity() {
                s.launches.push((function.clone(), grid, params.len()));
            }
            Ok(())
        })
    }
    fn mark(&self) -> Outcome<u64> {
        self.with(|s| Ok(s.launched))
    }
    fn milliseconds(&self, from: &u64, to: &u64) -> Outcome<f32> {
        Ok((to - from) as f32)
    }
    fn synchronize(&self) -> Outcome<()> {
        self.with(|s| {
            if s.capture.is_some() {
                return Err(Failure::Other("a wait during a capture".to_string()));
            }
            s.waits += 1;
            s.queued.clear();
            Ok(())
        })
    }
    fn begin_capture(&self) -> Outcome<()> {
        self.with(|s| s.capture = Some(s.launched));
        Ok(())
    }
    fn end_capture(&self) -> Outcome<u64> {
        self.with(|s| match s.capture.take() {
            Some(before) => Ok(s.launched - before),
            None => Err(Failure::Other("there is no capture".to_string())),
        })
    }
    fn malloc_recording(&self, bytes: usize) -> Outcome<u64> {
        self.malloc(bytes)
    }
    fn function_recording(&self, module: &String, name: &str) -> Outcome<Arc<str>> {
        self.function(module, name)
    }
    fn replay(&self, graph: &u64) -> Outcome<()> {
        self.with(|s| s.launched += graph);
        Ok(())
    }
    fn library(_: Family) -> &'static str {
        "a library"
    }
    fn open(&self, _: Family) -> Outcome<()> {
        Err(Failure::Other("there is none".to_string()))
    }
    fn dnn(&self, _: &mut dyn FnMut(&mut dyn super::dnn::Dnn) -> Outcome<()>) -> Outcome<()> {
        Err(Failure::Other("there is none".to_string()))
    }
    fn fft(&self, _: &mut dyn FnMut(&mut dyn super::fft::Fft) -> Outcome<()>) -> Outcome<()> {
        Err(Failure::Other("there is none".to_string()))
    }
    fn solver(&self, _: &mut dyn FnMut(&mut dyn super::solver::Solver) -> Outcome<()>) -> Outcome<()> {
        Err(Failure::Other("there is none".to_string()))
    }
    fn gemm(&self, _: &Gemm) -> Outcome<()> {
        Err(Failure::Other("there is none".to_string()))
    }
}

/// Opens a recording device, for benchmarks.
pub fn open(memory: usize) -> crate::Result<crate::Device> {
    Ok(crate::Device::Record(GpuDevice::with(Recorder::new(memory), 0, Settings::default())?))
}

/// Opens a recording device and returns its record too, for tests.
pub fn recorded(memory: usize) -> crate::Result<(crate::Device, Arc<Mutex<State>>)> {
    let rt = Recorder::new(memory);
    let state = rt.state.clone();
    Ok((crate::Device::Record(GpuDevice::with(rt, 0, Settings::default())?), state))
}

/// Returns a recording device and its record.
#[cfg(test)]
pub(crate) fn device(memory: usize, settings: Settings) -> (GpuDevice<Recorder>, Arc<Mutex<State>>) {
    let rt = Recorder::new(memory);
    let state = rt.state.clone();
    (GpuDevice::with(rt, 0, settings).expect("settings"), state)
}
