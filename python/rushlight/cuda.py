"""NVIDIA GPUs.

Nothing of CUDA is touched before the first call here or the first use of ``"cuda:0"``. NVRTC, which
compiles the kernels, and cuBLAS are also found where pip puts NVIDIA's packages (``nvidia-cuda-nvrtc``,
``nvidia-cublas``).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ._gpu import gpu_index
from ._native import (
    Device,
    _cuda_search,
    _device_count,
    _gpu_empty_cache,
    _gpu_memory_stats,
    _gpu_properties,
    _gpu_reset_peak,
    _gpu_synchronize,
)

__all__ = [
    "device_count",
    "device_name",
    "empty_cache",
    "get_device_properties",
    "is_available",
    "memory_stats",
    "reset_peak_memory",
    "synchronize",
]

# Packages of CUDA 12 have a folder for each library, those of CUDA 13 one for all.
for _site in sys.path:
    for _folder in ("cuda_nvrtc", "cublas", "cu13"):
        _lib = Path(_site or ".", "nvidia", _folder, "lib")
        if _lib.is_dir():
            _cuda_search(str(_lib))


def device_count() -> int:
    """Return the number of NVIDIA GPUs that can be used."""
    return _device_count("cuda")


def is_available() -> bool:
    """Tell whether an NVIDIA GPU can be used."""
    return device_count() > 0


def _index(device: int | str | Device) -> int:
    return gpu_index("cuda", device)


def get_device_properties(device: int | str | Device = 0) -> dict[str, Any]:
    """Return name, arch (such as sm_90), wave_size, compute_units, total_memory (bytes) and runtime."""
    return _gpu_properties("cuda", _index(device))


def device_name(device: int | str | Device = 0) -> str:
    """Return a GPU's name."""
    return str(get_device_properties(device)["name"])


def memory_stats(device: int | str | Device = 0) -> dict[str, int]:
    """Return bytes of device memory and counts, as `rushlight.rocm.memory_stats` does."""
    return _gpu_memory_stats("cuda", _index(device))


def reset_peak_memory(device: int | str | Device = 0) -> None:
    """Set the peak of `memory_stats` to what is live now."""
    _gpu_reset_peak("cuda", _index(device))


def synchronize(device: int | str | Device = 0) -> None:
    """Wait until the GPU has done all it was given, and raise what its kernels found, such as a bad index."""
    _gpu_synchronize("cuda", _index(device))


def empty_cache(device: int | str | Device = 0) -> None:
    """Give memory that is kept for reuse back to the GPU."""
    _gpu_empty_cache("cuda", _index(device))
