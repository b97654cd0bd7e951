"""Arguments as callers give them: axes, negative from the end, one or several; numbers beside tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from .._check import several
from .._native import Device, Tensor

Number = complex
T = TypeVar("T")


def device_of(x1: Tensor | Number, x2: Tensor | Number) -> Device:
    """Return the device of two arguments, of which one at least must be a tensor."""
    for x in (x1, x2):
        if isinstance(x, Tensor):
            return x.device
    raise TypeError(f"expected a tensor, got the numbers {x1} and {x2}")


def axis_or_dim(axis: T, dim: T | None, default: T) -> T:
    """NumPy's ``axis`` and PyTorch's ``dim`` are one parameter."""
    if dim is None:
        return axis
    if axis != default:
        raise TypeError("axis and dim are one parameter; give one")
    return dim


def keep_or_keepdims(op: str, keepdim: bool, keepdims: bool | None) -> bool:
    """PyTorch's ``keepdim`` and NumPy's ``keepdims`` are one parameter."""
    if keepdims is None:
        return keepdim
    if keepdim:
        raise TypeError(f"{op}: keepdim and keepdims are one parameter; give one")
    return keepdims


def given_axis(op: str, dim: int | None, axis: int | None) -> int:
    """Return the axis that a caller gives by either name."""
    found = axis_or_dim(dim, axis, None)
    if found is None:
        raise TypeError(f"{op}: the axis is missing; give dim")
    return found


def one_axis(op: str, axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise IndexError(f"{op}: axis {axis} is out of range for a tensor of rank {rank}")
    return axis % rank if rank else 0


def all_axes(op: str, axis: int | Sequence[int], rank: int) -> list[int]:
    given = several(axis, f"{op}: an axis")
    axes = [one_axis(op, a, rank) for a in given]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{op}: an axis is given twice: {list(given)}")
    return axes
