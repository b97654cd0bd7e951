"""Dtypes in which functions of several steps compute, so that they round once."""

from __future__ import annotations

from .. import _types as t
from .._native import Tensor

__all__ = ["widened"]


def widened(input: Tensor) -> Tensor:
    """Convert float16 and bfloat16 to float32, so that a function of several steps rounds once."""
    return input.astype(t.float32) if input.dtype in (t.float16, t.bfloat16) else input
