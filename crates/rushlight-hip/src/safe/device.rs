//! A device.
use super::props::{self, Props};
use super::{Event, Hip, HostBuffer, Module, Stream};
use crate::error::NO_DEVICE;
use crate::result::hip::Calls;
use crate::{Error, Result, process};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One GPU. Clones are the same device; all methods may be called from any thread.
#[derive(Clone)]
pub struct Device(pub(super) Arc<Inner>);

pub(crate) struct Inner {
    pub(super) hip: &'static Hip,
    pub(super) ordinal: usize,
    /// The number as HIP takes it.
    number: c_int,
    /// Whether it is the only device of the process, so that no other code can have made another one current.
    only: bool,
    pub(super) props: Props,
    /// Live allocations: address and bytes.
    pub(super) live: Mutex<BTreeMap<u64, u64>>,
    /// Ranges allocated by others: address and bytes, and how many times each is adopted.
    pub(super) adopted: Mutex<BTreeMap<(u64, u64), u32>>,
    failed: AtomicBool,
    failure: Mutex<Option<Error>>,
}

thread_local! {
    /// The device that was last made current in this thread.
    static CURRENT: Cell<c_int> = const { Cell::new(-1) };
}

impl Inner {
    pub(super) fn new(hip: &'static Hip, ordinal: usize) -> Result<Self> {
        let count = hip.device_count()?;
        let none = || Error::NoDevice {
            ordinal,
            count,
            why: if count == 0 { why_none(hip) } else { String::new() },
        };
        if ordinal >= count {
            return Err(none());
        }
        let number = c_int::try_from(ordinal).map_err(|_| none())?;
        let props = props::read(hip.calls(), number)?;
        Ok(Self {
            hip,
            ordinal,
            number,
            only: count == 1,
            props,
            live: Mutex::new(BTreeMap::new()),
            adopted: Mutex::new(BTreeMap::new()),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
        })
    }

    /// Begins a call: checks that the process may call HIP and that no error is pending, and makes this device
    /// current.
    #[inline]
    pub(super) fn enter(&self, call: &'static str) -> Result<&'static Calls> {
        process::check(call)?;
        if self.failed.load(Ordering::Relaxed) {
            self.take_failure()?;
        }
        self.make_current()?;
        Ok(self.hip.calls())
    }

    #[cold]
    fn take_failure(&self) -> Result<()> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        self.failed.store(false, Ordering::Relaxed);
        failure.take().map_or(Ok(()), Err)
    }

    /// Keeps an error of a destructor for the next call; the first one wins.
    pub(super) fn record(&self, error: Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Runs the work of a destructor, unless HIP must not be called any more.
    pub(super) fn on_drop(&self, work: impl FnOnce(&'static Calls) -> Result<()>) {
        if !process::fine() {
            return;
        }
        if let Err(error) = self.make_current().and_then(|()| work(self.hip.calls())) {
            self.record(error);
        }
    }

    #[inline]
    fn make_current(&self) -> Result<()> {
        if self.only && CURRENT.get() == self.number {
            return Ok(());
        }
        self.switch()
    }

    /// Asks HIP, because other code of the thread (PyTorch) may have made another device current.
    #[cold]
    fn switch(&self) -> Result<()> {
        let calls = self.hip.calls();
        let mut now: c_int = -1;
        // SAFETY: the pointer is that of a local.
        let known = unsafe { calls.hipGetDevice(&mut now) };
        if known.is_err() || now != self.number || CURRENT.get() != self.number {
            // SAFETY: takes a number.
            unsafe { calls.hipSetDevice(self.number)? };
            CURRENT.set(self.number);
        }
        Ok(())
    }
}

impl Device {
    /// Returns a device by its number, counted from 0 in the order of `HIP_VISIBLE_DEVICES`.
    ///
    /// # Errors
    /// [`Error::Load`] without ROCm, [`Error::NoDevice`] if the device does not exist.
    ///
    /// ```no_run
    /// let device = rushlight_hip::Device::new(0)?;
    /// println!("{} ({})", device.name(), device.arch());
    /// # Ok::<(), rushlight_hip::Error>(())
    /// ```
    pub fn new(ordinal: usize) -> Result<Self> {
        Hip::get()?.device(ordinal)
    }

    /// Returns the runtime that the device belongs to.
    pub fn hip(&self) -> &'static Hip {
        self.0.hip
    }

    /// Returns the device's number.
    pub fn ordinal(&self) -> usize {
        self.0.ordinal
    }

    /// Returns the marketing name.
    pub fn name(&self) -> &str {
        &self.0.props.name
    }

    /// Returns the full target, as `gfx90a:sramecc+:xnack-`.
    pub fn arch(&self) -> &str {
        &self.0.props.arch
    }

    /// Returns the device's properties.
    pub fn props(&self) -> &Props {
        &self.0.props
    }

    /// Returns free and total bytes of memory, as the driver counts them.
    pub fn mem_info(&self) -> Result<(u64, u64)> {
        let calls = self.0.enter("hipMemGetInfo")?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: the pointers are those of locals.
        unsafe { calls.hipMemGetInfo(&mut free, &mut total)? };
        Ok((free as u64, total as u64))
    }

    /// Waits for all work that was issued to the device.
    ///
    /// # Errors
    /// Also errors of kernels that ran before.
    pub fn synchronize(&self) -> Result<()> {
        let calls = self.0.enter("hipDeviceSynchronize")?;
        // SAFETY: takes nothing.
        unsafe { calls.hipDeviceSynchronize() }
    }

    /// Allocates pinned host memory that kernels can address.
    pub fn host_alloc(&self, bytes: usize) -> Result<HostBuffer> {
        HostBuffer::new(self, bytes)
    }

    /// Creates a stream that does not synchronize with the null stream.
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self)
    }

    /// Returns the null stream, which synchronizes with every blocking stream of the device.
    pub fn null_stream(&self) -> Stream {
        Stream::null(self)
    }

    /// Creates an event; one with timing costs more.
    pub fn event(&self, timing: bool) -> Result<Event> {
        Event::new(self, timing)
    }

    /// Loads a code object (ELF, or a bundle of several) for this device.
    ///
    /// # Errors
    /// Bytes that are not a complete code object; a code object for another target.
    pub fn load_module(&self, image: &[u8]) -> Result<Module> {
        Module::new(self, image)
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.0.ordinal == other.0.ordinal
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({}, {}, {})", self.0.ordinal, self.name(), self.arch())
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inner({})", self.ordinal)
    }
}

/// Returns why HIP sees no GPU.
fn why_none(hip: &Hip) -> String {
    // Use the runtime's own reason if it has one: the virtual GPU names a setting.
    if let Error::Hip { text, .. } = hip.calls().error("hipGetDeviceCount", NO_DEVICE[0])
        && let Some((_, why)) = text.split_once(": ")
    {
        return why.to_string();
    }
    let hidden =
        ["ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"]
            .into_iter()
            .filter_map(|name| Some(format!("{name}={}", std::env::var(name).ok()?)))
            .collect::<Vec<_>>()
            .join(" ");
    let kfd = std::fs::OpenOptions::new().read(true).write(true).open("/dev/kfd");
    match kfd {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            "/dev/kfd is missing: the amdgpu driver is not loaded, or the container was started without \
             --device=/dev/kfd --device=/dev/dri"
                .into()
        }
        Err(e) => format!("/dev/kfd cannot be opened ({e}): add the user to the groups render and video"),
        Ok(_) if !hidden.is_empty() => format!("{hidden} may hide the devices"),
        Ok(_) => String::new(),
    }
}
