"""AMD GPUs.

Nothing of ROCm is touched before the first call here or the first use of ``"rocm:0"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._gpu import gpu_index
from ._kernel import Kernel, compile_kernel
from ._native import (
    Device,
    _device_count,
    _gpu_empty_cache,
    _gpu_memory_stats,
    _gpu_properties,
    _gpu_reset_peak,
    _gpu_synchronize,
)

__all__ = [
    "Kernel",
    "compile",
    "device_count",
    "device_name",
    "empty_cache",
    "get_device_properties",
    "is_available",
    "memory_stats",
    "reset_peak_memory",
    "synchronize",
]


def device_count() -> int:
    """Return the number of AMD GPUs that can be used."""
    return _device_count("rocm")


def is_available() -> bool:
    """Tell whether an AMD GPU can be used."""
    return device_count() > 0


def _index(device: int | str | Device) -> int:
    return gpu_index("rocm", device)


def get_device_properties(device: int | str | Device = 0) -> dict[str, Any]:
    """Return name, arch (gfx target), wave_size, compute_units, total_memory (bytes) and runtime."""
    return _gpu_properties("rocm", _index(device))


def device_name(device: int | str | Device = 0) -> str:
    """Return a GPU's name. That of a virtual GPU says so."""
    return str(get_device_properties(device)["name"])


def memory_stats(device: int | str | Device = 0) -> dict[str, int]:
    """Return bytes of device memory and counts.

    ``requested`` is asked for by the tensors that live, ``live`` is held for them, ``peak`` is the most at
    once, ``reserved`` is taken from the device; ``launches``, ``uploads`` and ``downloads`` count kernels and
    transfers so far, ``blas_calls`` and ``conv_calls`` what rocBLAS and MIOpen ran, ``compiles`` kernel
    files that were compiled because they were not on disk.
    """
    return _gpu_memory_stats("rocm", _index(device))


def compile(
    source: str,
    name: str,
    options: Sequence[str] = (),
    *,
    arguments: Sequence[str] | None = None,
    device: int | str | Device = 0,
) -> Kernel:
    """Compile a HIP kernel of your own; calling what this returns launches it on tensors.

    Parameters
    ----------
    source
        HIP source that holds ``extern "C" __global__ void NAME(..)``.
    name
        The kernel's name.
    options
        The compiler's, such as ``["-DN=4"]``; the language is C++17 unless they name another.
    arguments
        What the kernel takes, where its declaration in the source does not say so in plain types (macros,
        templates): a text for each parameter, such as ``"const float*"``, ``"float16*"`` or ``"int"``.
    device
        The GPU to compile for.

    Raises
    ------
    DeviceError
        The source does not compile: the text holds the compiler's log. There is no such kernel, or no GPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> source = '''
    ... extern "C" __global__ void axpy(float a, const float* x, float* y, int n) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...     if (i < n) y[i] += a * x[i];
    ... }'''
    >>> if rl.rocm.is_available():
    ...     axpy = rl.rocm.compile(source, "axpy")
    ...     x, y = rl.ones(1000, device="rocm:0"), rl.zeros(1000, device="rocm:0")
    ...     axpy(2.0, x, y, 1000, grid=4, block=256)
    ...     assert y.sum().item() == 2000.0
    """
    return compile_kernel(source, name, options, arguments, _index(device))


def reset_peak_memory(device: int | str | Device = 0) -> None:
    """Set the peak of `memory_stats` to what is live now."""
    _gpu_reset_peak("rocm", _index(device))


def synchronize(device: int | str | Device = 0) -> None:
    """Wait until the GPU has done all it was given, and raise what its kernels found, such as a bad index."""
    _gpu_synchronize("rocm", _index(device))


def empty_cache(device: int | str | Device = 0) -> None:
    """Give memory that is kept for reuse back to the GPU."""
    _gpu_empty_cache("rocm", _index(device))
