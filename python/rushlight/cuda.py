"""NVIDIA GPUs."""

from __future__ import annotations

from ._native import _device_count

__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """Return the number of NVIDIA GPUs that can be used."""
    return _device_count("cuda")


def is_available() -> bool:
    """Tell whether an NVIDIA GPU can be used."""
    return device_count() > 0
