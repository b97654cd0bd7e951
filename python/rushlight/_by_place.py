"""Tensors sorted for functions that work on many at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._core import float32, float64
from ._native import Tensor

__all__ = ["by_place"]


def by_place(tensors: Iterable[Tensor]) -> dict[tuple[str, Any], list[Tensor]]:
    """Return the tensors by device and by the dtype that they are computed in: float64, else float32."""
    found: dict[tuple[str, Any], list[Tensor]] = {}
    for tensor in tensors:
        dtype = float64 if tensor.dtype == float64 else float32
        found.setdefault((str(tensor.device), dtype), []).append(tensor)
    return found
