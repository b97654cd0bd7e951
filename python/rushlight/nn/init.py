"""First values of parameters, after PyTorch's `torch.nn.init`. Each function fills its tensor in place."""

from __future__ import annotations

import math
from typing import Literal

import rushlight as rl
from rushlight import Tensor
from rushlight._check import typed

FanMode = Literal["fan_in", "fan_out"]


@typed
def fans(tensor: Tensor) -> tuple[int, int]:
    """Inputs and outputs of one unit: ``shape[1]`` and ``shape[0]`` times the kernel's size."""
    return _fans(tensor)


def _fans(tensor: Tensor) -> tuple[int, int]:
    if tensor.ndim < 2:
        raise ValueError(f"fans: a weight of rank 2 or more is needed, got shape {tensor.shape}")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Factor by which a nonlinearity shrinks the deviation of its input."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2 / (1 + slope**2))
    known = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}
    if nonlinearity not in known:
        names = ", ".join([*known, "leaky_relu"])
        raise ValueError(f"calculate_gain: {nonlinearity!r} is none of {names}")
    return known[nonlinearity]


@typed
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Fill with values of the uniform distribution over ``[a, b)``."""
    return _fill(tensor, rl.rand(tensor.shape, dtype=tensor.dtype, device=tensor.device), b - a, a)


@typed
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Fill with values of a normal distribution."""
    return _fill(tensor, rl.randn(tensor.shape, dtype=tensor.dtype, device=tensor.device), std, mean)


@typed
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value."""
    return _constant(tensor, val)


def _constant(tensor: Tensor, val: float) -> Tensor:
    with rl.no_grad():
        tensor.copy_(rl.full(tensor.shape, val, dtype=tensor.dtype, device=tensor.device))
    return tensor


@typed
def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return _constant(tensor, 0.0)


@typed
def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return _constant(tensor, 1.0)


@typed
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: FanMode = "fan_in",
    nonlinearity: str = "leaky_relu",
) -> Tensor:
    """Fill uniformly so that the signal keeps its scale (He et al. 2015).

    The bound is ``gain * sqrt(3 / fan)``; with ``a = sqrt(5)``, the default of PyTorch's linear
    and convolution layers, that is ``1 / sqrt(fan_in)``.
    """
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


@typed
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0.0,
    mode: FanMode = "fan_in",
    nonlinearity: str = "leaky_relu",
) -> Tensor:
    """Fill normally so that the signal keeps its scale (He et al. 2015)."""
    return normal_(tensor, 0.0, _deviation(tensor, a, mode, nonlinearity))


@typed
def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Fill uniformly with the bound ``gain * sqrt(6 / (fan_in + fan_out))`` (Glorot, Bengio 2010)."""
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound)


@typed
def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Fill normally with the deviation ``gain * sqrt(2 / (fan_in + fan_out))`` (Glorot, Bengio 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))))


def _deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"kaiming: mode {mode!r} is neither 'fan_in' nor 'fan_out'")
    fan = _fans(tensor)[0 if mode == "fan_in" else 1]
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fan, 1))


def _fill(tensor: Tensor, values: Tensor, scale: float, shift: float) -> Tensor:
    with rl.no_grad():
        tensor.copy_(values * scale + shift)
    return tensor
