//! Records launches as folders that anyone can repeat (`RUSHLIGHT_VGPU_RECORD=DIR`): the code, `launch.json`, and the
//! contents of every allocation before and after. docs/VGPU.md describes the format.
use crate::device::launch::Job;
use crate::device::memory::{Kind, Memory};
use crate::device::module::{Body, Kernel};
use crate::engine::types::Dim;
use crate::support::config::{self, Order};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The format name in `launch.json`, and its version.
pub(crate) const FORMAT: &str = "rushlight-vgpu launch";
pub(crate) const VERSION: u64 = 1;
/// Bytes compared at a time.
const CHUNK: usize = 1 << 20;

/// Checks that a folder can be written.
pub(crate) fn probe(root: &Path) -> Result<(), String> {
    let file = root.join(format!(".probe-{}", std::process::id()));
    let tried = std::fs::create_dir_all(root).and_then(|()| File::create(&file)).map(drop);
    let _ = std::fs::remove_file(&file);
    tried.map_err(|e| e.to_string())
}

/// An allocation and its description.
struct Saved {
    at: usize,
    size: usize,
    kind: &'static str,
    device: usize,
    number: u64,
    /// The name, if it is a variable of the kernel's own module.
    name: Option<String>,
}

impl Saved {
    fn bytes(&self) -> &[u8] {
        // SAFETY: a live allocation; freeing waits for launches, and this is part of one.
        unsafe { std::slice::from_raw_parts(self.at.max(1) as *const u8, self.size) }
    }
}

/// A launch that is being recorded.
pub(crate) struct Recording {
    folder: PathBuf,
    launch: Value,
    saved: Vec<Saved>,
}

fn sizes(d: Dim) -> Value {
    json!([d.x, d.y, d.z])
}

/// Converts a kernel's name to a part of a file name.
fn plain(name: &str) -> String {
    name.chars().take(64).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Creates a folder for the next launch. Several processes may use one root.
fn folder(root: &Path, kernel: &str) -> std::io::Result<PathBuf> {
    static NEXT: Mutex<Option<u64>> = Mutex::new(None);
    let mut next = NEXT.lock().unwrap_or_else(|e| e.into_inner());
    let mut n = match *next {
        Some(n) => n,
        None => {
            let number = |e: std::io::Result<std::fs::DirEntry>| {
                e.ok()?.file_name().to_str()?.split('-').next()?.parse::<u64>().ok()
            };
            std::fs::read_dir(root)?.filter_map(number).max().map_or(0, |n| n + 1)
        }
    };
    loop {
        let folder = root.join(format!("{n:06}-{}", plain(kernel)));
        n += 1;
        match std::fs::create_dir(&folder) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => {
                *next = Some(n);
                return made.map(|()| folder);
            }
        }
    }
}

impl Recording {
    /// Writes the state before a launch.
    pub fn begin(
        root: &Path,
        memory: &Memory,
        kernel: &Kernel,
        job: &Job,
        device: usize,
        variables: &[(String, usize)],
    ) -> Result<Recording, String> {
        let folder = folder(root, &kernel.name).map_err(|e| {
            format!("RUSHLIGHT_VGPU_RECORD: cannot create a folder in {}: {e}", root.display())
        })?;
        let mut recording = Recording { folder, launch: Value::Null, saved: Vec::new() };
        let done = recording.write_before(memory, kernel, job, device, variables);
        done.map_err(|e| recording.give_up(&e))?;
        Ok(recording)
    }

    /// Removes the incomplete record and returns the error.
    fn give_up(&self, why: &str) -> String {
        let _ = std::fs::remove_dir_all(&self.folder);
        format!("RUSHLIGHT_VGPU_RECORD: {} cannot be written: {why}", self.folder.display())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let mut file = File::create_new(self.folder.join(name)).map_err(|e| e.to_string())?;
        file.write_all(bytes).map_err(|e| e.to_string())
    }

    fn write_before(
        &mut self,
        memory: &Memory,
        kernel: &Kernel,
        job: &Job,
        device: usize,
        variables: &[(String, usize)],
    ) -> Result<(), String> {
        let c = config::get();
        let code = kernel.image.as_deref().ok_or("the module's code was not kept")?;
        let (engine, file, arguments) = match &job.machine {
            Some(grid) => ("isa", "code.co", grid.arguments()),
            None => ("host", "code.so", job.arguments()),
        };
        self.write(file, code)?;
        let own = match &kernel.body {
            Body::Machine(m) => Some(m.image()),
            Body::Host(_) => None,
        };
        if let Some((from, to)) = own {
            let (at, size) = (from as usize, (to - from) as usize);
            self.saved.push(Saved { at, size, kind: "image", device, number: 0, name: None });
        }
        let inside = |at: usize| own.is_some_and(|(from, to)| (from..to).contains(&(at as u64)));
        for b in memory.blocks().filter(|b| !(b.kind == Kind::Global && inside(b.base))) {
            let name = variables.iter().find(|v| v.1 == b.base).map(|v| v.0.clone());
            let (at, size, device, number) = (b.base, b.size, b.device, b.serial);
            self.saved.push(Saved { at, size, kind: b.kind.name(), device, number, name });
        }
        for (n, s) in self.saved.iter().enumerate() {
            self.write(&format!("{n}.before"), s.bytes())?;
        }
        let hex: String = arguments.iter().map(|b| format!("{b:02x}")).collect();
        let (offsets, _) = crate::device::module::offsets(&kernel.sizes);
        let list: Vec<Value> = (offsets.iter().zip(&kernel.sizes).zip(&kernel.pointers))
            .map(|((at, (size, _)), pointer)| json!({"offset": at, "size": size, "pointer": pointer}))
            .collect();
        self.launch = json!({
            "format": FORMAT, "version": VERSION, "engine": engine, "arch": c.arch.name, "wave": job.host.wave,
            "device": device, "code": file, "kernel": kernel.name, "grid": sizes(job.host.grid),
            "block": sizes(job.host.block), "dynamic_lds": job.dynamic, "kernarg": hex, "arguments": list,
            "order": match c.order {
                Order::Forward => "forward".into(),
                Order::Reverse => "reverse".into(),
                Order::Seed(s) => format!("seed:{s}"),
            },
            "strict": c.strict, "threads": c.threads,
        });
        Ok(())
    }

    /// Writes the state after the launch, then `launch.json`, which marks the record as complete.
    pub fn end(mut self, failure: Option<&str>) -> Result<(), String> {
        self.write_after(failure).map_err(|e| self.give_up(&e))
    }

    fn write_after(&mut self, failure: Option<&str>) -> Result<(), String> {
        let mut list = Vec::new();
        for (n, s) in self.saved.iter().enumerate() {
            let before = format!("{n}.before");
            let same = holds(&self.folder.join(&before), s.bytes()).map_err(|e| e.to_string())?;
            let after = if same { before.clone() } else { format!("{n}.after") };
            if !same {
                self.write(&after, s.bytes())?;
            }
            list.push(json!({
                "address": format!("{:#x}", s.at), "size": s.size, "kind": s.kind, "device": s.device,
                "number": s.number, "name": s.name, "before": before, "after": after,
            }));
        }
        self.launch["allocations"] = list.into();
        self.launch["failure"] = failure.into();
        let text = serde_json::to_string_pretty(&self.launch).map_err(|e| e.to_string())?;
        self.write(".launch.json", text.as_bytes())?;
        let (from, to) = (self.folder.join(".launch.json"), self.folder.join("launch.json"));
        std::fs::rename(from, to).map_err(|e| e.to_string())
    }
}

/// Returns whether a file contains exactly these bytes.
fn holds(path: &Path, bytes: &[u8]) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    let mut read = vec![0; CHUNK.min(bytes.len())];
    for chunk in bytes.chunks(CHUNK) {
        let read = &mut read[..chunk.len()];
        file.read_exact(read)?;
        if read != chunk {
            return Ok(false);
        }
    }
    Ok(true)
}
