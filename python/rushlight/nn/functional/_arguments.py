"""Checks of arguments that several functions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from rushlight._check import integers
from rushlight._native import Tensor

Size: TypeAlias = int | Sequence[int]
Reduction: TypeAlias = Literal["mean", "sum", "none"]


def per_axis(op: str, name: str, value: Size, rank: int) -> tuple[int, ...]:
    """One number for every axis, or one per axis."""
    out = integers(value, f"{op}: {name}")
    if isinstance(out, int):
        return (out,) * rank
    if len(out) == 1:
        return out * rank
    if len(out) != rank:
        raise ValueError(f"{op}: {name} is one number, or one for each of {rank} axes, got {out}")
    return out


def check_reduction(op: str, reduction: str) -> None:
    """Raise ValueError unless `reduction` is "mean", "sum" or "none"."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{op}: reduction {reduction!r} is none of 'mean', 'sum', 'none'")


def check_dtypes(op: str, input: Tensor, weight: Tensor) -> None:
    """Raise TypeError where a floating-point input and weight have different dtypes, as in PyTorch."""
    if input.dtype != weight.dtype and input.dtype.is_floating_point and weight.dtype.is_floating_point:
        raise TypeError(
            f"{op}: the input is {input.dtype} and the weight {weight.dtype}; convert one, as in "
            f"input.to(weight.dtype) or model.to(rl.{input.dtype})"
        )
