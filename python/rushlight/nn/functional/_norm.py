"""The norm of vectors, whose gradient is finite everywhere."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight._native import Tensor


def vector_norm(x: Tensor, p: float, dim: int | tuple[int, ...], keepdim: bool) -> Tensor:
    """Return the norm along axes; the gradient is 0 where the norm is 0, as in PyTorch."""
    if p == 0:
        return rl.sum((x != 0).astype(x.dtype), axis=dim, keepdims=keepdim)
    size = rl.abs(x)
    if p == 1:
        return rl.sum(size, axis=dim, keepdims=keepdim)
    if math.isinf(p):
        return (rl.max if p > 0 else rl.min)(size, axis=dim, keepdims=keepdim)
    if p == 2:
        total = rl.sum(rl.square(x), axis=dim, keepdims=keepdim)
        return rl.where(total == 0, 0.0, rl.sqrt(rl.where(total == 0, 1.0, total)))
    zero = size == 0
    power = rl.where(zero, 0.0 if p > 0 else math.inf, rl.pow(rl.where(zero, 1.0, size), p))
    total = rl.sum(power, axis=dim, keepdims=keepdim)
    still = (total == 0) | rl.isinf(total)
    value = rl.pow(rl.where(still, 1.0, total), 1 / p)
    return rl.where(still, total if p > 0 else rl.where(total == 0, math.inf, 0.0), value)
