"""Dtypes, lengths, axes and factors, for all transforms."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import one_integer, several
from .._compose.axes import all_axes
from .._native import DType, Tensor

NORMS = ("backward", "ortho", "forward")


def inexact(op: str, x: Tensor, *, real: bool = False) -> Tensor:
    """Return numbers that can be transformed: integers and bools become float32."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{op}: the input is a Tensor, got {type(x).__name__}")
    dtype = x.dtype
    if dtype in (t.float32, t.float64) or (dtype.is_complex and not real):
        return x
    if dtype.is_complex:
        raise TypeError(f"{op}: the input is real, got {dtype}; take its real part or use fft")
    if dtype.is_floating_point:
        raise TypeError(f"{op}: {dtype} is not supported; convert the input to float32")
    return x.astype(t.float32)


def complexes(op: str, x: Tensor) -> Tensor:
    """Return the numbers as complex ones."""
    x = inexact(op, x)
    return x if x.dtype.is_complex else x.astype(wider(x.dtype))


def wider(dtype: DType) -> DType:
    """Return the complex dtype of a real one."""
    return t.complex128 if dtype == t.float64 else t.complex64


def length_of(op: str, length: int, axis: int) -> int:
    """Return the length of a transform as a caller gives it."""
    found = one_integer(length, f"{op}: a length", or_bool=False)
    if found < 1:
        raise ValueError(f"{op}: a transform has at least 1 element, got {found} along axis {axis}")
    return found


def sized(op: str, x: Tensor, axis: int, length: int | None) -> Tensor:
    """Return the first elements along an axis, or the elements and zeros behind them."""
    have = x.shape[axis]
    length = length_of(op, have if length is None else length, axis)
    if length < have:
        return x[(slice(None),) * axis + (slice(0, length),)]
    if length > have:
        shape = [*x.shape[:axis], length - have, *x.shape[axis + 1 :]]
        return n.concat([x, n.zeros(shape, dtype=x.dtype, device=x.device)], axis)
    return x


def factor(op: str, norm: str | None, count: int, inverse: bool) -> float:
    """Return the factor of a transform of `count` elements."""
    norm = "backward" if norm is None else norm
    if norm not in NORMS:
        raise ValueError(f"{op}: norm is one of {', '.join(NORMS)}, got {norm!r}")
    if norm == "ortho":
        return 1 / math.sqrt(count)
    return 1 / count if (norm == "backward") == inverse else 1.0


def swapped(norm: str | None) -> str | None:
    """Return the norm that gives the inverse transform the factor of the forward one."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


def places(
    op: str,
    x: Tensor,
    s: Sequence[int] | int | None,
    axes: Sequence[int] | int | None,
) -> tuple[list[int], list[int | None]]:
    """Return the axes of a transform and the lengths: all axes, or the last ones if `s` is given."""
    lengths: list[int | None] = []
    if s is not None:
        given = several(s, f"{op}: s")
        for v in (s,) if isinstance(s, int) else s:
            if isinstance(v, bool):
                length_of(op, v, -1)
        lengths = [None if v == -1 else v for v in given]
    if axes is None:
        count = x.ndim if s is None else len(lengths)
        if count > x.ndim:
            raise ValueError(f"{op}: {count} lengths for a tensor of rank {x.ndim}")
        found = list(range(x.ndim - count, x.ndim))
    else:
        found = all_axes(op, axes, x.ndim)
    if s is not None and len(lengths) != len(found):
        raise ValueError(f"{op}: {len(lengths)} lengths for {len(found)} axes")
    return found, lengths or [None] * len(found)
