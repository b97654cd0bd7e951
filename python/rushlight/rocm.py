"""AMD GPUs.

ROCm's libraries are loaded at the first call of a function of this module or the first use of ``"rocm:0"``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ._gpu import Gpus
from ._gpu_graph import GpuGraph, graph
from ._kernel import Kernel, compile_kernel
from ._native import Device

__all__ = [
    "Graph",
    "Kernel",
    "compile",
    "current_device",
    "device_count",
    "device_name",
    "empty_cache",
    "get_device_name",
    "get_device_properties",
    "graph",
    "is_available",
    "is_bf16_supported",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_peak_memory",
    "reset_peak_memory_stats",
    "set_device",
    "synchronize",
]

_gpus = Gpus("rocm")
current_device = _gpus.current_device
device_count = _gpus.device_count
device_name = _gpus.device_name
empty_cache = _gpus.empty_cache
get_device_name = _gpus.get_device_name
get_device_properties = _gpus.get_device_properties
is_available = _gpus.is_available
is_bf16_supported = _gpus.is_bf16_supported
manual_seed = _gpus.manual_seed
manual_seed_all = _gpus.manual_seed_all
max_memory_allocated = _gpus.max_memory_allocated
memory_allocated = _gpus.memory_allocated
memory_reserved = _gpus.memory_reserved
memory_stats = _gpus.memory_stats
reset_peak_memory = _gpus.reset_peak_memory
reset_peak_memory_stats = _gpus.reset_peak_memory_stats
set_device = _gpus.set_device
synchronize = _gpus.synchronize


class Graph(GpuGraph):
    """Work of an AMD GPU that is recorded once and then launched as a whole.

    Parameters
    ----------
    device
        The GPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> if rl.rocm.is_available():
    ...     x = rl.zeros(3, device="rocm:0")
    ...     y = x + 1  # compiles the kernel
    ...     g = rl.rocm.Graph()
    ...     with rl.rocm.graph(g):
    ...         y = x + 1
    ...     _ = x.fill_(4.0)
    ...     g.replay()
    ...     assert y.tolist() == [5, 5, 5]
    """

    def __init__(self, device: str | Device = "rocm:0") -> None:
        super().__init__(device)


def compile(
    source: str,
    name: str,
    options: Sequence[str] = (),
    *,
    arguments: Sequence[str] | None = None,
    device: int | str | Device = 0,
) -> Kernel:
    """Compiles a custom HIP kernel; calling the result launches it on tensors.

    Parameters
    ----------
    source
        HIP source that holds ``extern "C" __global__ void NAME(..)``.
    name
        The kernel's name.
    options
        Options of the compiler, such as ``["-DN=4"]``; the language is C++17 unless they name another.
    arguments
        The kernel's parameters, where its declaration in the source does not name plain types (macros,
        templates): a text for each, such as ``"const float*"``, ``"float16*"`` or ``"int"``.
    device
        The GPU to compile for.

    Returns
    -------
    Kernel
        The compiled kernel.

    Raises
    ------
    DeviceError
        If the source does not compile (the text holds the compiler's log), has no such kernel, or there is no
        GPU.
    ValueError
        If the parameters cannot be read from the source, or `arguments` names an unknown type.
    TypeError
        If `options` is one text.

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
    return compile_kernel(source, name, options, arguments, _gpus.index(device))
