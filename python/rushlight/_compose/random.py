"""Random tensors made of a few others."""

from __future__ import annotations

from .. import _native as n
from .. import _types as t
from .._native import Device, Tensor

__all__ = [
    "rand_like",
    "randn_like",
    "randperm",
]


def rand_like(x: Tensor, /) -> Tensor:
    """Draw uniform random numbers of a tensor's shape, dtype and device."""
    return n.rand(x.shape, dtype=x.dtype, device=x.device)


def randn_like(x: Tensor, /) -> Tensor:
    """Draw standard normal random numbers of a tensor's shape, dtype and device."""
    return n.randn(x.shape, dtype=x.dtype, device=x.device)


def randperm(n: int, /, *, device: Device | str | None = None) -> Tensor:
    """Return the integers from 0 to n - 1 in random order."""
    if n < 0:
        raise ValueError(f"randperm: n is {n}, and may not be negative")
    from .. import _native

    return _native.argsort(_native.rand(n, dtype=t.float64, device=device))
