"""AMD GPUs."""

from __future__ import annotations

from ._native import _device_count

__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """Return the number of AMD GPUs that can be used."""
    return _device_count("rocm")


def is_available() -> bool:
    """Tell whether an AMD GPU can be used."""
    return device_count() > 0
