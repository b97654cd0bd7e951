"""Settings of layers: checks, and initial values of weights."""

from __future__ import annotations

import math
from numbers import Real

from rushlight._check import integer
from rushlight._native import Tensor

from . import init
from .functional._arguments import Size, per_axis

__all__ = ["check_input", "count", "draw", "numbers", "probability"]


def draw(weight: Tensor, bias: Tensor | None) -> None:
    """Draw initial values, uniform in ±1/sqrt(number of inputs of a unit)."""
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init.fans(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0.0
        init.uniform_(bias, -bound, bound)


def count(layer: str, name: str, value: int) -> int:
    """Return a size as an int; the error names the layer and the size."""
    found = integer(value)
    if found is None:
        raise TypeError(f"{layer}: {name} is an integer, got {value!r}")
    if found < 0:
        raise ValueError(f"{layer}: {name} is {value}, and may not be negative")
    return found


def numbers(layer: str, name: str, value: Size, rank: int, least: int) -> tuple[int, ...]:
    """Return one number for each axis, none below `least`."""
    found = per_axis(layer, name, value, rank)
    if any(number < least for number in found):
        raise ValueError(f"{layer}: {name} {value!r} is below {least}")
    return found


def check_input(layer: str, input: Tensor, weight: Tensor) -> None:
    """Raise TypeError unless the input has the dtype of the weights."""
    if input.dtype != weight.dtype:
        raise TypeError(
            f"{layer}: the input is {input.dtype} and the weights {weight.dtype}; convert one, as in "
            f"input.to(rl.{weight.dtype})"
        )


def probability(layer: str, p: float) -> None:
    """Raise unless `p` is a number in [0, 1]."""
    if not isinstance(p, (int, float, Real)):
        raise TypeError(f"{layer}: p is a number, got {p!r}")
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{layer}: p is a probability, got {p}")
