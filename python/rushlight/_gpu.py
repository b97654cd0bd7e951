"""What the modules of GPUs share."""

from __future__ import annotations

from ._native import Device

__all__ = ["gpu_index"]

_NAMES = {"rocm": "AMD", "cuda": "NVIDIA"}


def gpu_index(kind: str, device: int | str | Device) -> int:
    """Return the number of a GPU of a kind: a number, or a device."""
    if isinstance(device, int):
        if device < 0:
            raise ValueError(f"a device's number is 0 or more, got {device}")
        return device
    found = Device(device) if isinstance(device, str) else device
    if found.type != kind:
        raise ValueError(f"{found} is no {_NAMES[kind]} GPU; use a number or a device such as '{kind}:0'")
    return found.index or 0
