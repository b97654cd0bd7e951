"""Activations, softmax and dropout."""

from __future__ import annotations

from typing import Any

import rushlight as rl
from rushlight import Tensor, _native

__all__ = [
    "dropout",
    "elu",
    "gelu",
    "log_softmax",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "tanh",
]


def relu(input: Tensor) -> Tensor:
    """``max(x, 0)``; the derivative at 0 is 0."""
    return _native.relu(input)


def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""
    return _native.elu(input, alpha)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """``x * Phi(x)``, Phi being the normal distribution function.

    Parameters
    ----------
    input
        Any shape, floating point.
    approximate
        ``"none"`` computes Phi by erf, ``"tanh"`` by
        ``0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``.
    """
    return _native.gelu(input, approximate)


def silu(input: Tensor) -> Tensor:
    """``x * sigmoid(x)``."""
    return _native.silu(input)


def sigmoid(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``."""
    return _native.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent."""
    return rl.tanh(input)


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None, *, axis: int | None = None) -> Tensor:
    """``exp(x) / sum(exp(x))`` along `dim`, computed without overflow.

    Parameters
    ----------
    input
        Any shape, floating point.
    dim, axis
        The axis along which the result sums to 1, by either name.
    dtype
        Converts the input first.
    """
    return _native.softmax(input if dtype is None else input.astype(dtype), dim, axis=axis)


def log_softmax(
    input: Tensor, dim: int | None = None, dtype: Any = None, *, axis: int | None = None
) -> Tensor:
    """Logarithm of `softmax`, computed without underflow."""
    return _native.log_softmax(input if dtype is None else input.astype(dtype), dim, axis=axis)


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """In training, zero each element with probability `p` and scale the others by ``1 / (1 - p)``.

    The mask comes from the generator that `rushlight.manual_seed` seeds.
    """
    if not training and 0.0 <= p <= 1.0:
        return input
    return _native.dropout(input, p, training)
