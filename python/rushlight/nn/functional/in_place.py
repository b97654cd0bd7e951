"""Activations that replace their input."""

from __future__ import annotations

from rushlight._check import typed
from rushlight._native import Tensor
from rushlight._shared_docs import documented

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

_SECTIONS = """
Parameters
----------
input
    Any shape; floating point. It is overwritten.{more}

Returns
-------
Tensor
    `input` itself.

Examples
--------
>>> import rushlight as rl
>>> from rushlight.nn import functional as F
>>> x = rl.tensor([-2.0, 2.0])
>>> F.{name}({call}).tolist()
{result}
"""


@documented(_SECTIONS, more="", call="x", result="[0.0, 2.0]")
@typed
def relu_(input: Tensor) -> Tensor:
    """Replaces the values of `input` by those of `relu`."""
    return relu(input, inplace=True)


@documented(
    _SECTIONS,
    more="\nalpha\n    The negative of the limit for small ``x``.",
    call="rl.tensor([-1000.0, 2.0])",
    result="[-1.0, 2.0]",
)
@typed
def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Replaces the values of `input` by those of `elu`."""
    return elu(input, alpha, inplace=True)


@documented(
    _SECTIONS,
    more="\nalpha\n    The negative of the limit for small ``x``.",
    call="rl.tensor([-1000.0, 2.0])",
    result="[-1.0, 2.0]",
)
@typed
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Replaces the values of `input` by those of `celu`."""
    return celu(input, alpha, inplace=True)


@documented(_SECTIONS, more="", call="rl.zeros(1)", result="[0.0]")
@typed
def selu_(input: Tensor) -> Tensor:
    """Replaces the values of `input` by those of `selu`."""
    return selu(input, inplace=True)


@documented(_SECTIONS, more="\nmin_val, max_val\n    The bounds.", call="x", result="[-1.0, 1.0]")
@typed
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Replaces the values of `input` by those of `hardtanh`."""
    return hardtanh(input, min_val, max_val, inplace=True)


@documented(
    _SECTIONS,
    more="\nnegative_slope\n    The derivative at and below 0.",
    call="x, 0.5",
    result="[-1.0, 2.0]",
)
@typed
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Replaces the values of `input` by those of `leaky_relu`."""
    return leaky_relu(input, negative_slope, inplace=True)


@documented(
    _SECTIONS,
    more="\nlower, upper\n    The bounds of the slopes."
    "\ntraining\n    Whether slopes are drawn; else each is the mean of the bounds.",
    call="x, 0.25, 0.75",
    result="[-1.0, 2.0]",
)
@typed
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """Replaces the values of `input` by those of `rrelu`."""
    return rrelu(input, lower, upper, training, inplace=True)


@documented(
    _SECTIONS,
    more="\nthreshold, value\n    The bound, and the result at and below it.",
    call="x, 0.5, 9.0",
    result="[9.0, 2.0]",
)
@typed
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Replaces the values of `input` by those of `threshold`."""
    return piecewise.threshold(input, threshold, value, inplace=True)
