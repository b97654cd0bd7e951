//! The Python module `rushlight._native`.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
// Signatures follow Python's keyword arguments, and conversions need not be const.
#![allow(clippy::too_many_arguments, missing_docs)]
// `#[pymethods]` inside our macros generates unsafe functions without blocks.
#![allow(unsafe_op_in_unsafe_fn)]

mod along_axis;
mod args;
mod attention;
mod autograd;
mod buffer;
mod builtin;
mod clip;
mod compare;
mod convert;
mod creation;
mod deform_conv;
mod device;
mod dlpack;
mod dropout;
mod dtype;
mod elementwise;
mod error;
mod exports;
mod files;
mod fourier;
mod function;
mod gpu;
mod gpu_graph;
mod graph;
mod index_ops;
mod indexing;
mod layout;
mod linalg;
mod manipulate;
mod op_functions;
mod optimizer_steps;
mod pairs;
mod parity;
mod profiler;
mod promote;
mod protocols;
mod quantized;
mod random;
mod recurrent;
mod reduce;
mod repr;
mod rocm;
mod running_norms;
mod samples;
mod scalar;
mod system;
mod tensor;

use pyo3::prelude::*;

/// Tensors, operations and gradients: the native part of the package `rushlight`.
#[pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::autograd::{_set_grad_enabled, is_grad_enabled};
    #[pymodule_export]
    use crate::buffer::Memory;
    #[pymodule_export]
    use crate::device::PyDevice;
    #[pymodule_export]
    use crate::device::{get_default_device, set_default_device};
    #[pymodule_export]
    use crate::dtype::{PyDType, dtype_of_name};
    #[pymodule_export]
    use crate::error::DeviceError;
    #[pymodule_export]
    use crate::files::{_load_npy, _load_npz, _load_pth, _save_npy, _save_npz, load_file, save_file};
    #[pymodule_export]
    use crate::function::_signatures;
    #[pymodule_export]
    use crate::gpu::{
        _add_kernel_archives, _cuda_search, _gpu_empty_cache, _gpu_loaded_kernels, _gpu_memory_stats,
        _gpu_properties, _gpu_reset_peak, _gpu_synchronize, _gpu_warm, _kernel_archives,
    };
    #[pymodule_export]
    use crate::gpu_graph::_GpuGraph;
    #[pymodule_export]
    use crate::graph::{_apply, _backward, _grad, _reaches_others, _set_detect_anomalies};
    #[pymodule_export]
    use crate::linalg::{
        _cholesky, _cholesky_ex, _det, _eig, _eigh, _eigvals, _eigvalsh, _inv, _inv_ex, _lu_factor_ex,
        _lu_solve, _lu_unpack, _qr, _slogdet, _solve, _solve_ex, _solve_triangular, _svd, _svdvals,
    };
    #[pymodule_export]
    use crate::pairs::_sort_part;
    #[pymodule_export]
    use crate::parity::_Parity;
    #[pymodule_export]
    use crate::profiler::{_ProfilerRange, _profiler_range, _profiler_start, _profiler_stop};
    #[pymodule_export]
    use crate::promote::{get_default_dtype, set_default_dtype};
    #[pymodule_export]
    use crate::protocols::rebuild;
    #[pymodule_export]
    use crate::quantized::{
        _activations, _ggml_quantize, _ggml_types, _gguf_metadata, _load_gguf, _qmatmul_with, _save_gguf,
        _set_activations,
    };
    #[pymodule_export]
    use crate::random::{_generator_of_state, PyGenerator, get_rng_state, initial_seed, seed, set_rng_state};
    #[pymodule_export]
    use crate::repr::set_printoptions;
    #[pymodule_export]
    use crate::rocm::{_RocmKernel, _rocm_compile, _rocm_folders, _rocm_loaded};
    #[pymodule_export]
    use crate::samples::_samples;
    #[pymodule_export]
    use crate::system::{
        _cpu_isa, _device_count, _promote, _settings_problems, _supports,
        are_deterministic_algorithms_enabled, empty_cache, get_num_threads, memory_stats, reset_peak_memory,
        set_num_threads, use_deterministic_algorithms,
    };
    #[pymodule_export]
    use crate::tensor::PyTensor;

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        rushlight::cpu::prepare();
        crate::quantized::use_float32();
        crate::function::register(m)?;
        // Set by `make wheel`. It is empty in a build from a checkout, where Python asks git when the commit
        // is needed.
        m.add("__commit__", option_env!("RUSHLIGHT_COMMIT").unwrap_or(""))?;
        m.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // `from ._native import *` takes the public names only.
        let mut names: Vec<String> = m.index()?.extract()?;
        names.retain(|name| !name.starts_with('_'));
        m.setattr("__all__", names)
    }
}
