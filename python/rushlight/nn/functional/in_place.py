"""Activations that replace their input."""

from __future__ import annotations

from rushlight._check import typed
from rushlight._native import Tensor

from . import piecewise
from .activations import elu, relu
from .piecewise import hardtanh, leaky_relu, rrelu
from .smooth import celu, selu

__all__ = [
    "celu_",
    "elu_",
    "hardtanh_",
    "leaky_relu_",
    "relu_",
    "rrelu_",
    "selu_",
    "threshold_",
]


@typed
def relu_(input: Tensor) -> Tensor:
    """Replaces the values of `input` by those of `relu`.

    Parameters
    ----------
    input
        Any shape; floating point. It is overwritten.

    Returns
    -------
    Tensor
        `input` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([-2.0, 2.0])
    >>> F.relu_(x).tolist()
    [0.0, 2.0]
    """
    return relu(input, inplace=True)


@typed
def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Replaces the values of `input` by those of `elu`.

    Parameters
    ----------
    input
        Any shape; floating point. It is overwritten.
    alpha
        The negative of the limit for small ``x``.

    Returns
    -------
    Tensor
        `input` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([-2.0, 2.0])
    >>> F.elu_(rl.tensor([-1000.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    return elu(input, alpha, inplace=True)


@typed
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Replaces the values of `input` by those of `celu`.

    Parameters
    ----------
    input
        Any shape; floating point. It is overwritten.
    alpha
        The negative of the limit for small ``x``.

    Returns
    -------
    Tensor
        `input` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([-2.0, 2.0])
    >>> F.celu_(rl.tensor([-1000.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    return celu(input, alpha, inplace=True)


@typed
def selu_(input: Tensor) -> Tensor:
    """Replaces the values of `input` by those of `selu`.

    Parameters
    ----------
    input
        Any shape; floating point. It is overwritten.

    Returns
    -------
    Tensor
        `input` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([-2.0, 2.0])
    >>> F.selu_(rl.zeros(1)).tolist()
    [0.0]
    """
    return selu(input, inplace=True)


@typed
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Replaces the values of `input` by those of `hardtanh`.

    Parameters
    ----------
    input
        Any shape; floating point. It is overwritten.
    min_val, max_val
        The bounds.

    Returns
    -------
    Tensor
        `input` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([-2.0, 2.0])
    >>> F.hardtanh_(x).tolist()
    [-1.0, 1.0]
    """
    return hardtanh(input, min_val, max_val, inplace=True)


@typed
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Replaces the values of `input` by those of `leaky_relu`.

    Parameters
    ----------
    input
        Any shape; floating point. It is overwritten.
    negative_slope
        The derivative at and below 0.

    Returns
    -------
    Tensor
        `input` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([-2.0, 2.0])
    >>> F.leaky_relu_(x, 0.5).tolist()
    [-1.0, 2.0]
    """
    return leaky_relu(input, negative_slope, inplace=True)


@typed
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """Replaces the values of `input` by those of `rrelu`.

    Parameters
    ----------
    input
        Any shape; floating point. It is overwritten.
    lower, upper
        The bounds of the slopes.
    training
        Whether slopes are drawn; else each is the mean of the bounds.

    Returns
    -------
    Tensor
        `input` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([-2.0, 2.0])
    >>> F.rrelu_(x, 0.25, 0.75).tolist()
    [-1.0, 2.0]
    """
    return rrelu(input, lower, upper, training, inplace=True)


@typed
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Replaces the values of `input` by those of `threshold`.

    Parameters
    ----------
    input
        Any shape; floating point. It is overwritten.
    threshold, value
        The bound, and the result at and below it.

    Returns
    -------
    Tensor
        `input` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([-2.0, 2.0])
    >>> F.threshold_(x, 0.5, 9.0).tolist()
    [9.0, 2.0]
    """
    return piecewise.threshold(input, threshold, value, inplace=True)
