"""Functions of one tensor that are computed in float64 and have their derivative as another function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native as n
from .. import _types as t
from .._grad import no_grad
from .._native import Tensor

__all__ = ["with_derivative"]

Function = Callable[[Tensor], Tensor]


def with_derivative(name: str, x: Tensor, compute: Function, derivative: Function) -> Tensor:
    """Return ``compute(x)`` with a gradient; the function is computed in float64, and rounded once.

    Integers become float32. The derivative has a gradient if it is made of functions that have one.
    """
    if x.dtype.kind == "complex floating":
        raise TypeError(f"{name}: complex numbers are not supported, got {x.dtype}")
    if not x.dtype.is_floating_point:
        x = x.astype(t.float32)
    with no_grad():
        y = compute(x.detach().astype(t.float64)).astype(x.dtype)
    if not (n.is_grad_enabled() and x.requires_grad):
        return y

    dtype = x.dtype

    def back(ctx: Any, saved: Sequence[Tensor], grads: Sequence[Tensor]) -> list[Tensor | None]:
        return [(grads[0] * derivative(saved[0].astype(t.float64))).astype(dtype)]

    return n._apply(f"{name}Backward", back, object(), [x], [y], [], [x], False)[0]
