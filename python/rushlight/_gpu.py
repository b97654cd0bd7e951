"""What the modules of GPUs share."""

from __future__ import annotations

from typing import Any

from ._native import (
    Device,
    _device_count,
    _gpu_empty_cache,
    _gpu_memory_stats,
    _gpu_properties,
    _gpu_reset_peak,
    _gpu_synchronize,
)

__all__ = ["Gpus"]

_NAMES = {"rocm": "AMD", "cuda": "NVIDIA"}


class Gpus:
    """The GPUs of a vendor: its methods are the functions of `rushlight.rocm` and of `rushlight.cuda`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def index(self, device: int | str | Device) -> int:
        """Return the number of a GPU: a number, or a device."""
        if isinstance(device, int):
            if device < 0:
                raise ValueError(f"a device's number is 0 or more, got {device}")
            return device
        found = Device(device) if isinstance(device, str) else device
        if found.type != self.kind:
            name = _NAMES[self.kind]
            raise ValueError(f"{found} is no {name} GPU; use a number or a device such as '{self.kind}:0'")
        return found.index or 0

    def device_count(self) -> int:
        """Return the number of GPUs that can be used."""
        return _device_count(self.kind)

    def is_available(self) -> bool:
        """Tell whether a GPU can be used."""
        return self.device_count() > 0

    def get_device_properties(self, device: int | str | Device = 0) -> dict[str, Any]:
        """Return name, arch (gfx90a, sm_90), wave_size, compute_units, total_memory (bytes) and runtime."""
        return _gpu_properties(self.kind, self.index(device))

    def device_name(self, device: int | str | Device = 0) -> str:
        """Return a GPU's name. That of a virtual GPU says so."""
        return str(self.get_device_properties(device)["name"])

    def memory_stats(self, device: int | str | Device = 0) -> dict[str, int]:
        """Return bytes of device memory and counts.

        ``requested`` is asked for by the tensors that live, ``live`` is held for them, ``peak`` is the most
        at once, ``reserved`` is taken from the device; ``launches``, ``uploads`` and ``downloads`` count
        kernels and transfers so far, ``blas_calls`` and ``conv_calls`` what the vendor's libraries ran
        (rocBLAS and MIOpen, cuBLAS and cuDNN), ``compiles`` kernel files that were compiled because they
        were not on disk.
        """
        return _gpu_memory_stats(self.kind, self.index(device))

    def reset_peak_memory(self, device: int | str | Device = 0) -> None:
        """Set the peak of `memory_stats` to what is live now."""
        _gpu_reset_peak(self.kind, self.index(device))

    def synchronize(self, device: int | str | Device = 0) -> None:
        """Wait until the GPU has done all it was given; raise what its kernels found, such as a bad index."""
        _gpu_synchronize(self.kind, self.index(device))

    def empty_cache(self, device: int | str | Device = 0) -> None:
        """Give memory that is kept for reuse back to the GPU."""
        _gpu_empty_cache(self.kind, self.index(device))
