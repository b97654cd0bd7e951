"""Counting, running products, differences, searching and sets."""

from __future__ import annotations

import builtins
from typing import NamedTuple

from .. import _native as n
from .. import _types as t
from .._native import DType, Tensor
from .axes import Number, axis_or_dim, one_axis

__all__ = [
    "count_nonzero",
    "cumsum",
    "cumulative_prod",
    "diff",
    "isin",
    "searchsorted",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def count_nonzero(
    x: Tensor,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    keepdims: builtins.bool = False,
    dim: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Count elements that are not zero, over axes (all by default)."""
    return n.sum((x != 0).astype(t.int64), axis=axis_or_dim(axis, dim, None), keepdims=keepdims)


def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DType | str | None = None,
    include_initial: builtins.bool = False,
    dim: int | None = None,
) -> Tensor:
    """Return running products along an axis; a vector needs none."""
    axis = axis_or_dim(axis, dim, None)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("cumulative_prod: a tensor that is no vector needs an axis")
        axis = 0
    place = one_axis("cumulative_prod", axis, x.ndim)
    if dtype is not None:
        x = x.astype(dtype)
    elif not x.dtype.is_floating_point:
        x = x.astype(t.uint64 if x.dtype.kind == "unsigned integer" else t.int64)
    # Half floats are multiplied in float32 and rounded once, like every reduction of them.
    narrow = x.dtype if x.dtype in (t.float16, t.bfloat16) else None
    x = x if narrow is None else x.astype(t.float32)
    # Doubling: after step k each entry holds the product of the last 2**k.
    size, reach = x.shape[place], 1
    while reach < size:
        head, tail = n.split(x, (reach, size - reach), place)
        x = n.concat((head, tail * x.narrow(place, 0, size - reach)), place)
        reach *= 2
    x = x if narrow is None else x.astype(narrow)
    if include_initial:
        first = list(x.shape)
        first[place] = 1
        x = n.concat((n.ones(first, dtype=x.dtype, device=x.device), x), place)
    return x


def cumsum(
    x: Tensor, /, dim: int | None = None, *, dtype: DType | str | None = None, axis: int | None = None
) -> Tensor:
    """Return running sums along an axis: PyTorch's name for `cumulative_sum`."""
    return n.cumulative_sum(x, axis=axis, dim=dim, dtype=dtype)


def diff(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    dim: int | None = None,
) -> Tensor:
    """Return differences of neighbours along an axis, ``n`` times over."""
    from .. import _native

    if n < 0:
        raise ValueError(f"diff: n is {n}")
    place = one_axis("diff", axis_or_dim(axis, dim, -1), x.ndim)
    parts = [p for p in (prepend, x, append) if p is not None]
    if len(parts) > 1:
        x = _native.concat(parts, place)
    for _ in range(n):
        size = x.shape[place]
        if size == 0:
            break
        after, before = x.narrow(place, 1, size - 1), x.narrow(place, 0, size - 1)
        x = after != before if x.dtype == t.bool else after - before
    return x


def _alone(number: Number, like: Tensor) -> Tensor:
    """Return a tensor of rank 0 of a number, of a dtype that has it."""
    try:
        return n.full((), number, dtype=n._promote(like, number), device=like.device)
    except OverflowError:
        return n.tensor(number, device=like.device)


def _sorts_before(a: Tensor, b: Tensor) -> Tensor:
    """Tell where ``a < b``, NaN being above all numbers."""
    less = a < b
    if b.dtype.is_floating_point:
        less = n.logical_or(less, n.logical_and(n.isnan(b), n.logical_not(n.isnan(a))))
    return less


def searchsorted(
    x1: Tensor, x2: Tensor | Number, /, *, side: str = "left", sorter: Tensor | None = None
) -> Tensor:
    """Return the places in sorted ``x1`` where elements of ``x2`` would go; NaN counts as the greatest."""
    if x1.ndim != 1:
        raise ValueError(f"searchsorted: the first tensor must be a vector, not {x1.shape}")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    if sorter is not None:
        x1 = n.take(x1, sorter, axis=0)
    values = x2 if isinstance(x2, Tensor) else _alone(x2, x1)
    # Bisection of all values at once.
    low = n.zeros(values.shape, dtype=t.int64, device=x1.device)
    high = n.full(values.shape, x1.size, dtype=t.int64, device=x1.device)
    for _ in range(x1.size.bit_length()):
        middle = (low + high) // 2
        at = n.take(x1, n.clip(middle, 0, builtins.max(x1.size - 1, 0)), axis=0)
        before = _sorts_before(at, values) if side == "left" else n.logical_not(_sorts_before(values, at))
        before = n.logical_and(before, low < high)
        low, high = n.where(before, middle + 1, low), n.where(before, high, n.where(low < high, middle, high))
    return low


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAllResult:
    """Return distinct values in order, their first places, where each element went, and their counts."""
    flat = n.reshape(x.detach(), (x.size,))
    order = n.argsort(flat)
    ordered = n.take(flat, order, axis=0)
    if x.size == 0:
        return UniqueAllResult(ordered, order, n.reshape(order, x.shape), order)
    # NaN differs from itself, so each NaN is a value of its own, as the standard asks.
    new = n.concat((n.ones(1, dtype=t.bool, device=x.device), ordered[1:] != ordered[:-1]))
    starts = n.nonzero(new)[0]
    ranks = n.cumulative_sum(new.astype(t.int64), axis=0) - 1
    inverse = n.scatter(n.zeros_like(order), 0, order, ranks)
    ends = n.concat((starts[1:], n.tensor([x.size], dtype=t.int64, device=x.device)))
    return UniqueAllResult(
        n.take(ordered, starts, axis=0),
        n.take(order, starts, axis=0),
        n.reshape(inverse, x.shape),
        ends - starts,
    )


def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    """Return distinct values in order, and how often each occurs."""
    found = unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    """Return distinct values in order, and where each element went."""
    found = unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """Return distinct values in order."""
    return unique_all(x).values


def isin(x1: Tensor | Number, x2: Tensor | Number, /, *, invert: builtins.bool = False) -> Tensor:
    """Tell which elements of ``x1`` are among those of ``x2``."""
    dtype = n._promote(x1, x2)
    a = x1.to(dtype) if isinstance(x1, Tensor) else n.tensor(x1, dtype=dtype)
    b = x2.to(dtype) if isinstance(x2, Tensor) else n.tensor(x2, dtype=dtype)
    if b.size == 0:
        found = n.zeros(a.shape, dtype=t.bool, device=a.device)
    else:
        ordered = n.sort(n.reshape(b, (b.size,)))
        place = n.clip(searchsorted(ordered, a), 0, b.size - 1)
        found = n.take(ordered, place, axis=0) == a
    return n.logical_not(found) if invert else found
