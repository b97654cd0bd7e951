//! Device objects.
use crate::error::{DeviceError, OrPy};
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::{type_hint_identifier, type_hint_union};
use rushlight::pydoc;
use rushlight::{Device, DeviceLocation};
use std::cell::RefCell;

#[doc = pydoc!(
    "Device that holds tensors and computes with them. It equals its name.\n\nIn a ``with`` statement it is the device of new \
     tensors for which none is named.";
    (
        name: "Device or str" "``\"cpu\"``, ``\"rocm:0\"`` (also ``\"hip:0\"``) or ``\"cuda:0\"``.",
        index: "int, optional" "Number of the GPU, where the name is only its kind: ``(\"cuda\", 0)``."
    );
    (device);
    [
        ">>> rl.Device('cpu')",
        "Device('cpu')",
        ">>> rl.ones(2).device == 'cpu'",
        "True",
        ">>> with rl.Device('cpu'):",
        "...     x = rl.zeros(2)",
    ]
)]
#[pyclass(frozen, name = "Device", module = "rushlight")]
#[derive(Clone)]
pub struct PyDevice(pub Device);

/// Opens a device by name.
pub fn parse(text: &str) -> PyResult<Device> {
    let (kind, number) = text.split_once(':').unwrap_or((text, "0"));
    let bad = || {
        DeviceError::new_err(format!(
            "'{text}' is not a device; use \"cpu\", \"rocm:0\" (an AMD GPU, also \"hip:0\") or \"cuda:0\" (an NVIDIA GPU)"
        ))
    };
    let number: usize = number.parse().map_err(|_| bad())?;
    match kind {
        "cpu" if number == 0 => Ok(Device::Cpu),
        "rocm" | "hip" => Device::new_rocm(number).py(),
        "cuda" => Device::new_cuda(number).py(),
        "test" => Ok(Device::new_testdev(number)),
        _ => Err(bad()),
    }
}

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (name, index=None, /))]
    fn new(name: &Bound<'_, PyAny>, index: Option<usize>) -> PyResult<Self> {
        match (index, name.cast::<PyString>()) {
            (None, _) => Ok(Self(name.extract::<DeviceArg>()?.0)),
            (Some(index), Ok(kind)) => parse(&format!("{}:{index}", kind.to_cow()?)).map(Self),
            (Some(_), Err(_)) => {
                Err(PyTypeError::new_err("a device with an index is given by its kind, as in ('cuda', 0)"))
            }
        }
    }

    #[doc = pydoc!(
        "Kind of the device: ``\"cpu\"``, ``\"rocm\"`` or ``\"cuda\"``.";
        ();
        ();
        [">>> rl.ones(1).device.type", "'cpu'"]
    )]
    #[getter(r#type)]
    fn kind(&self) -> String {
        let text = self.0.location().to_string();
        text.split(':').next().unwrap_or_default().to_string()
    }

    #[doc = pydoc!(
        "Number of the GPU; None for the CPU.";
        ();
        ();
        [">>> rl.ones(1).device.index is None", "True"]
    )]
    #[getter]
    fn index(&self) -> Option<usize> {
        match self.0.location() {
            DeviceLocation::Cuda { gpu_id } | DeviceLocation::Rocm { gpu_id } => Some(gpu_id),
            _ => None,
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.extract::<DeviceArg>() {
            Ok(d) => self.0.same_device(&d.0),
            Err(_) => false,
        }
    }

    /// Returns the hash of its name, which it is equal to.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.0.location().to_string()).hash()
    }

    fn __repr__(&self) -> String {
        format!("Device('{}')", self.0.location())
    }

    fn __str__(&self) -> String {
        self.0.location().to_string()
    }

    /// Makes this device the default for a `with` block.
    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        DEFAULTS.with_borrow_mut(|all| {
            if all.is_empty() {
                all.push(Device::Cpu);
            }
            all.push(slf.get().0.clone());
        });
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        DEFAULTS.with_borrow_mut(|all| {
            if all.len() > 1 {
                all.pop();
            }
        });
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<Self>().into_any(), (self.0.location().to_string(),))
    }
}

/// An argument that names a device: an object or a text.
pub struct DeviceArg(pub Device);

impl<'py> FromPyObject<'_, 'py> for DeviceArg {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(<PyDevice as pyo3::PyTypeInfo>::TYPE_HINT, type_hint_identifier!("builtins", "str"));

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(d) = obj.cast::<PyDevice>() {
            return Ok(Self(d.get().0.clone()));
        }
        match obj.cast::<PyString>() {
            Ok(s) => parse(&s.to_cow()?).map(Self),
            Err(_) => Err(PyTypeError::new_err(format!(
                "a device must be a Device or a text such as \"cpu\", got {}",
                obj.get_type().name()?
            ))),
        }
    }
}

thread_local! {
    /// The device of `set_default_device`, followed by those of the `with` blocks that run, of this thread.
    static DEFAULTS: RefCell<Vec<Device>> = const { RefCell::new(Vec::new()) };
}

/// Returns the device of new tensors for which none is named.
pub fn default_device() -> Device {
    DEFAULTS.with_borrow(|all| all.last().cloned()).unwrap_or(Device::Cpu)
}

/// Returns the device of an argument, or the default device.
pub fn or_default(device: Option<DeviceArg>) -> Device {
    device.map_or_else(default_device, |d| d.0)
}

#[doc = pydoc!(
    "Sets the device of new tensors for which no ``device`` is named.\n\nIt holds for the thread that calls, and for tensors that are made \
     of shapes, of random numbers and of\nPython's and NumPy's data: ``zeros``, ``rand``, ``arange``, ``tensor``, ``asarray``, \
     parameters of modules and the like.\nFiles, ``from_numpy``, ``from_dlpack`` and generators stay on the CPU. Inside a \
     ``with`` block of a device, it holds\nafter the block.";
    (device: "Device, str or None" "The device; None is the CPU.");
    (device);
    [">>> rl.set_default_device('cpu')", ">>> rl.zeros(2).device", "Device('cpu')"]
)]
#[pyfunction]
#[pyo3(signature = (device, /))]
pub fn set_default_device(device: Option<DeviceArg>) -> PyResult<()> {
    let device = device.map_or(Device::Cpu, |d| d.0);
    DEFAULTS.with_borrow_mut(|all| match all.first_mut() {
        Some(first) => *first = device,
        None => all.push(device),
    });
    Ok(())
}

#[doc = pydoc!(
    "Returns the device of new tensors for which no ``device`` is named.";
    () -> "Device" "That of the innermost ``with`` block of a device, else that of ``set_default_device``, else the CPU.";
    ();
    [">>> rl.get_default_device()", "Device('cpu')"]
)]
#[pyfunction]
pub fn get_default_device() -> PyDevice {
    PyDevice(default_device())
}

/// The device of an argument, or the CPU.
pub fn or_cpu(device: Option<DeviceArg>) -> Device {
    device.map_or(Device::Cpu, |d| d.0)
}
