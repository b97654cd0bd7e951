//! Sources of random numbers: those of the devices, and objects of the class `Generator`.
use crate::args::{Arg, Whole};
use crate::device::{DeviceArg, PyDevice, or_cpu, or_default};
use crate::error::OrPy;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use rushlight::rng::{Generator, drawing_from};
use rushlight::{DType, Device, Tensor, pydoc};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[doc = pydoc!(
    "Source of random numbers apart from those of the devices.\n\nEqual seeds give equal numbers on every device. Without ``manual_seed`` the seed comes from the operating system.";
    (device: "Device or str, optional" "Device that ``device`` gives; a generator serves tensors of all devices.");
    (device);
    [
        ">>> g = rl.Generator().manual_seed(7)",
        ">>> a = rl.rand(3, generator=g)",
        ">>> (rl.rand(3, generator=g.manual_seed(7)) == a).tolist()",
        "[True, True, True]",
    ]
)]
#[pyclass(frozen, name = "Generator", module = "rushlight")]
pub struct PyGenerator {
    inner: Mutex<Generator>,
    device: Device,
}

impl PyGenerator {
    fn lock(&self) -> MutexGuard<'_, Generator> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls a function that draws one tensor: with the numbers of the generator if one is given, else of the
/// device.
pub fn drawn<R>(generator: Option<PyRef<'_, PyGenerator>>, f: impl FnOnce() -> R) -> R {
    match generator {
        None => f(),
        Some(g) => {
            // The draw is taken before the call, because the call may release the GIL.
            let (seed, draw) = g.lock().next_draw();
            drawing_from(&mut Generator::from_state(seed, draw), f)
        }
    }
}

/// A state as bytes: seed and number of draws, little-endian.
fn bytes_of((seed, draws): (u64, u64)) -> [u8; 16] {
    (u128::from(seed) | u128::from(draws) << 64).to_le_bytes()
}

fn state_of(bytes: &[u8], op: &str) -> PyResult<(u64, u64)> {
    let bytes: [u8; 16] = bytes
        .try_into()
        .map_err(|_| PyValueError::new_err(format!("{op}: a state has 16 bytes, got {}", bytes.len())))?;
    let word = u128::from_le_bytes(bytes);
    Ok((word as u64, (word >> 64) as u64))
}

fn tensor_of(state: (u64, u64)) -> PyResult<PyTensor> {
    Tensor::from_vec(bytes_of(state).to_vec(), 16, &Device::Cpu).py().map(PyTensor::new)
}

fn read(state: &Arg, op: &str) -> PyResult<(u64, u64)> {
    let t = &state.0;
    if t.dtype() != DType::U8 || t.rank() != 1 {
        return Err(PyTypeError::new_err(format!(
            "{op}: a state is a vector of dtype uint8, got {} of shape {:?}",
            crate::dtype::name(t.dtype()),
            t.dims()
        )));
    }
    state_of(&t.to_vec1::<u8>().py()?, op)
}

#[pymethods]
impl PyGenerator {
    #[new]
    #[pyo3(signature = (device = None))]
    fn new(device: Option<DeviceArg>) -> Self {
        Self { inner: Mutex::new(Generator::from_entropy()), device: or_cpu(device) }
    }

    #[doc = pydoc!(
        "Device that was given.";
        ();
        ();
        [">>> rl.Generator().device", "Device('cpu')"]
    )]
    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice(self.device.clone())
    }

    #[doc = pydoc!(
        "Seeds the generator.";
        (seed: "int" "Seed, from 0 to 2**64 - 1.") -> "Generator" "The generator itself.";
        (ValueError: "If the seed is negative or too large.");
        [">>> rl.Generator().manual_seed(7).initial_seed()", "7"]
    )]
    #[pyo3(signature = (seed, /))]
    fn manual_seed<'py>(slf: Bound<'py, Self>, seed: Whole) -> PyResult<Bound<'py, Self>> {
        *slf.get().lock() = Generator::new(seed.count("manual_seed", "seed")?);
        Ok(slf)
    }

    #[doc = pydoc!(
        "Seeds the generator by a number from the operating system.";
        () -> "int" "The seed.";
        ();
        [">>> g = rl.Generator()", ">>> g.seed() == g.initial_seed()", "True"]
    )]
    fn seed(&self) -> u64 {
        let fresh = Generator::from_entropy();
        let seed = fresh.seed();
        *self.lock() = fresh;
        seed
    }

    #[doc = pydoc!(
        "Returns the seed.";
        () -> "int" "The seed that the generator was given last.";
        ();
        [">>> rl.Generator().manual_seed(3).initial_seed()", "3"]
    )]
    fn initial_seed(&self) -> u64 {
        self.lock().seed()
    }

    #[doc = pydoc!(
        "Returns the state: all that the next numbers depend on.";
        () -> "Tensor" "Vector of 16 elements, of dtype uint8.";
        ();
        [
            ">>> g = rl.Generator()",
            ">>> state = g.get_state()",
            ">>> a = rl.randn(2, generator=g)",
            ">>> g.set_state(state)",
            ">>> (rl.randn(2, generator=g) == a).tolist()",
            "[True, True]",
        ]
    )]
    fn get_state(&self) -> PyResult<PyTensor> {
        tensor_of(self.lock().state())
    }

    #[doc = pydoc!(
        "Goes on from a state.";
        (new_state: "Tensor" "Result of ``get_state`` or ``rl.get_rng_state``.");
        (ValueError: "If it does not have 16 elements.", TypeError: "If it is not a vector of dtype uint8.");
        [">>> g = rl.Generator()", ">>> g.set_state(rl.get_rng_state())"]
    )]
    #[pyo3(signature = (new_state, /))]
    fn set_state(&self, new_state: Arg) -> PyResult<()> {
        let (seed, draws) = read(&new_state, "set_state")?;
        *self.lock() = Generator::from_state(seed, draws);
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("Generator(seed={}, device='{}')", self.lock().seed(), self.device.location())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let state = PyBytes::new(py, &bytes_of(self.lock().state())).into_any();
        let device = PyDevice(self.device.clone()).into_pyobject(py)?.into_any();
        let make = py.import("rushlight._native")?.getattr("_generator_of_state")?;
        Ok((make, PyTuple::new(py, [state, device])?))
    }
}

/// Returns the generator of a pickle.
#[pyfunction]
#[pyo3(signature = (state, device, /))]
pub fn _generator_of_state(state: &[u8], device: DeviceArg) -> PyResult<PyGenerator> {
    let (seed, draws) = state_of(state, "Generator")?;
    Ok(PyGenerator { inner: Mutex::new(Generator::from_state(seed, draws)), device: device.0 })
}

#[doc = pydoc!(
    "Returns the state of a device's random numbers, from which ``set_rng_state`` goes on.";
    (device: "Device or str, optional" "The device; the default device if it is not given.") -> "Tensor" "Vector of 16 elements, of dtype uint8.";
    (device);
    [
        ">>> state = rl.get_rng_state()",
        ">>> a = rl.rand(2)",
        ">>> rl.set_rng_state(state)",
        ">>> (rl.rand(2) == a).tolist()",
        "[True, True]",
    ]
)]
#[pyfunction]
#[pyo3(signature = (device = None))]
pub fn get_rng_state(device: Option<DeviceArg>) -> PyResult<PyTensor> {
    tensor_of(or_default(device).rng_state())
}

#[doc = pydoc!(
    "Goes on from a state of a device's random numbers.";
    (new_state: "Tensor" "Result of ``get_rng_state``.", device: "Device or str, optional" "The device; the default device if it is not given.");
    (ValueError: "If the state does not have 16 elements.", TypeError: "If it is not a vector of dtype uint8.");
    [">>> rl.set_rng_state(rl.get_rng_state())"]
)]
#[pyfunction]
#[pyo3(signature = (new_state, device = None))]
pub fn set_rng_state(new_state: Arg, device: Option<DeviceArg>) -> PyResult<()> {
    let (seed, draws) = read(&new_state, "set_rng_state")?;
    or_default(device).set_rng_state(seed, draws);
    Ok(())
}

#[doc = pydoc!(
    "Returns the seed of the CPU's random numbers.";
    () -> "int" "The seed of ``manual_seed``, or one from the operating system.";
    ();
    [">>> rl.manual_seed(3)", ">>> rl.initial_seed()", "3"]
)]
#[pyfunction]
pub fn initial_seed() -> PyResult<u64> {
    Device::Cpu.get_current_seed().py()
}

#[doc = pydoc!(
    "Seeds the random numbers of every device by a number from the operating system.";
    () -> "int" "The seed.";
    ();
    [">>> rl.seed() == rl.initial_seed()", "True"]
)]
#[pyfunction]
pub fn seed() -> PyResult<u64> {
    let seed = Generator::from_entropy().seed();
    Device::seed_all(seed).py()?;
    Ok(seed)
}
