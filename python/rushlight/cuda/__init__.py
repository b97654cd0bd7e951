"""NVIDIA GPUs.

CUDA's libraries are loaded at the first call of a function of this module or the first use of ``"cuda:0"``.
NVRTC, which compiles the kernels, and cuBLAS are also found where pip puts NVIDIA's packages
(``nvidia-cuda-nvrtc``, ``nvidia-cublas``), as are cuDNN (``nvidia-cudnn-cu12``) and cuFFT
(``nvidia-cufft-cu12``).
"""

from __future__ import annotations

import sys

from .._gpu import Gpus
from .._gpu_graph import GpuGraph, graph
from .._native import Device, _cuda_search

__all__ = [
    "CUDAGraph",
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

# Packages of CUDA 12 have a folder for each library, those of CUDA 13 one for all. They are searched
# when a library is opened.
for _site in sys.path:
    for _folder in ("cuda_nvrtc", "cublas", "cudnn", "cufft", "cusolver", "cu13"):
        _cuda_search(f"{_site or '.'}/nvidia/{_folder}/lib")

_gpus = Gpus("cuda")
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


class CUDAGraph(GpuGraph):
    """Work of an NVIDIA GPU that is recorded once and then launched as a whole.

    Parameters
    ----------
    device
        The GPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> if rl.cuda.is_available():
    ...     x = rl.zeros(3, device="cuda:0")
    ...     y = x + 1  # compiles the kernel
    ...     g = rl.cuda.CUDAGraph()
    ...     with rl.cuda.graph(g):
    ...         y = x + 1
    ...     _ = x.fill_(4.0)
    ...     g.replay()
    ...     assert y.tolist() == [5, 5, 5]
    """

    def __init__(self, device: str | Device = "cuda:0") -> None:
        super().__init__(device)
