"""What the functions' arguments may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from rushlight._check import integers

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
