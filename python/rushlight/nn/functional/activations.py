"""Activations of one op, and softmax."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import placed

__all__ = [
    "elu",
    "gelu",
    "log_softmax",
    "relu",
    "relu_squared",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "tanh",
]


@typed
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns ``max(x, 0)``; the derivative at 0 is 0.

    Parameters
    ----------
    input
        Any shape; floating point.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.relu(rl.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return placed(input, _native.relu(input), inplace)


@typed
def relu_squared(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns ``max(x, 0) ** 2``; the derivative at 0 is 0.

    Parameters
    ----------
    input
        Any shape; floating point.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.relu_squared(rl.tensor([-1.0, 3.0])).tolist()
    [0.0, 9.0]
    """
    return placed(input, _native.relu_squared(input), inplace)


@typed
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Returns ``x`` where positive, else ``alpha * (exp(x) - 1)``.

    Parameters
    ----------
    input
        Any shape; floating point.
    alpha
        The negative of the limit for small ``x``.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.elu(rl.tensor([-1000.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    return placed(input, _native.elu(input, alpha), inplace)


@typed
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Returns ``x * Phi(x)``, Phi being the normal distribution function.

    Parameters
    ----------
    input
        Any shape; floating point.
    approximate
        ``"none"`` computes Phi by erf, ``"tanh"`` by
        ``0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `approximate` is neither.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.gelu(rl.tensor([0.0, 10.0])).tolist()
    [0.0, 10.0]
    """
    return _native.gelu(input, approximate)


@typed
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns ``x * sigmoid(x)``.

    Parameters
    ----------
    input
        Any shape; floating point.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.silu(rl.tensor([0.0])).tolist()
    [0.0]
    """
    return placed(input, _native.silu(input), inplace)


@typed
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Returns ``log(1 + exp(beta * x)) / beta``, computed without overflow.

    Parameters
    ----------
    input
        Any shape; floating point.
    beta
        Sharpness of the bend at 0.
    threshold
        Where ``beta * x`` is above it, the result is ``x`` and the derivative is 1.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.softplus(rl.tensor([-1000.0, 1000.0])).tolist()
    [0.0, 1000.0]
    """
    return _native.softplus(input, beta, threshold)


@typed
def sigmoid(input: Tensor) -> Tensor:
    """Returns ``1 / (1 + exp(-x))``.

    Parameters
    ----------
    input
        Any shape; floating point.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.sigmoid(rl.tensor([0.0])).tolist()
    [0.5]
    """
    return _native.sigmoid(input)


@typed
def tanh(input: Tensor) -> Tensor:
    """Returns the hyperbolic tangent.

    Parameters
    ----------
    input
        Any shape; floating point.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.tanh(rl.tensor([0.0, 100.0])).tolist()
    [0.0, 1.0]
    """
    return rl.tanh(input)


@typed
def softmax(input: Tensor, dim: int | None = None, dtype: Any = None, *, axis: int | None = None) -> Tensor:
    """Returns ``exp(x) / sum(exp(x))`` along an axis, computed without overflow.

    Parameters
    ----------
    input
        Any shape; floating point.
    dim, axis
        The axis, by either name.
    dtype
        Converts the input first.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.softmax(rl.tensor([1000.0, 1000.0]), dim=0).tolist()
    [0.5, 0.5]
    """
    return _native.softmax(input if dtype is None else input.astype(dtype), dim, axis=axis)


@typed
def log_softmax(
    input: Tensor, dim: int | None = None, dtype: Any = None, *, axis: int | None = None
) -> Tensor:
    """Returns the logarithm of `softmax`, computed without underflow.

    Parameters
    ----------
    input
        Any shape; floating point.
    dim, axis
        The axis, by either name.
    dtype
        Converts the input first.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.log_softmax(rl.tensor([0.0, -1000.0]), dim=0).tolist()
    [0.0, -1000.0]
    """
    return _native.log_softmax(input if dtype is None else input.astype(dtype), dim, axis=axis)
