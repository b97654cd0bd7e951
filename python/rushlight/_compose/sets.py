"""Counting, running products, differences, searching and sets."""

from __future__ import annotations

import builtins
from typing import NamedTuple

from .. import _native as n
from .. import _types as t
from .._check import renamed, typed
from .._native import DType, Tensor
from .axes import Number, axis_or_dim, device_of, one_axis
from .precision import widened

__all__ = [
    "count_nonzero",
    "cumprod",
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


@typed
def count_nonzero(
    x: Tensor,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    keepdims: builtins.bool = False,
    dim: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Counts the elements that are not zero.

    Parameters
    ----------
    x
        Any shape and dtype.
    axis, dim
        The axis, by either name; several as a tuple, None for all.
    keepdims
        Whether the axes stay with size 1.

    Returns
    -------
    Tensor
        int64.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.count_nonzero(rl.tensor([0, 1, 2])).item()
    2
    """
    return n.sum((x != 0).astype(t.int64), axis=axis_or_dim(axis, dim, None), keepdims=keepdims)


@typed
def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DType | str | None = None,
    include_initial: builtins.bool = False,
    dim: int | None = None,
) -> Tensor:
    """Returns running products along an axis.

    Parameters
    ----------
    x
        Rank 1 or more; numeric.
    axis, dim
        The axis, by either name; a vector needs none.
    dtype
        Converts the input first. By default integers multiply in 64 bits.
    include_initial
        Whether the result begins with 1, and so has an element more.

    Returns
    -------
    Tensor
        Of the shape of `x`, or with an element more along the axis.

    Raises
    ------
    ValueError
        If `x` is not a vector and no axis is given.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cumulative_prod(rl.tensor([1, 2, 3])).tolist()
    [1, 2, 6]
    """
    axis = axis_or_dim(axis, dim, None)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("cumulative_prod: a tensor that is not a vector needs an axis")
        axis = 0
    place = one_axis("cumulative_prod", axis, x.ndim)
    if dtype is not None:
        x = x.astype(dtype)
    elif not (x.dtype.is_floating_point or x.dtype.is_complex):
        x = x.astype(t.uint64 if x.dtype.kind == "unsigned integer" else t.int64)
    # float16 and bfloat16 are multiplied in float32 and rounded once, as in all reductions.
    dtype, x = x.dtype, widened(x)
    # Products by doubling: after step k each entry holds the product of the last 2**k.
    size, reach = x.shape[place], 1
    while reach < size:
        head, tail = n.split(x, (reach, size - reach), place)
        x = n.concat((head, tail * x.narrow(place, 0, size - reach)), place)
        reach *= 2
    x = x.to(dtype)
    if include_initial:
        first = list(x.shape)
        first[place] = 1
        x = n.concat((n.ones(first, dtype=x.dtype, device=x.device), x), place)
    return x


@typed
@renamed("cumulative_prod")
def cumprod(
    x: Tensor, /, dim: int | None = None, *, dtype: DType | str | None = None, axis: int | None = None
) -> Tensor:
    """Returns running products along an axis: PyTorch's name for `cumulative_prod`.

    Parameters
    ----------
    x
        Rank 1 or more; numeric.
    dim, axis
        The axis, by either name; a vector needs none.
    dtype
        Converts the input first. By default integers multiply in 64 bits.

    Returns
    -------
    Tensor
        Of the shape of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cumprod(rl.tensor([1, 2, 3]), 0).tolist()
    [1, 2, 6]
    """
    return cumulative_prod(x, axis=axis, dim=dim, dtype=dtype)


@typed
@renamed("cumulative_sum")
def cumsum(
    x: Tensor, /, dim: int | None = None, *, dtype: DType | str | None = None, axis: int | None = None
) -> Tensor:
    """Returns running sums along an axis: PyTorch's name for `cumulative_sum`.

    Parameters
    ----------
    x
        Rank 1 or more; numeric.
    dim, axis
        The axis, by either name; a vector needs none.
    dtype
        Converts the input first. By default integers sum in 64 bits.

    Returns
    -------
    Tensor
        Of the shape of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cumsum(rl.tensor([1, 2, 3]), 0).tolist()
    [1, 3, 6]
    """
    return n.cumulative_sum(x, axis=axis, dim=dim, dtype=dtype)


@typed
def diff(
    x: Tensor,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    dim: int | None = None,
) -> Tensor:
    """Returns the differences of neighbours along an axis.

    Parameters
    ----------
    x
        Rank 1 or more; numeric or bool.
    n
        Number of times that differences are taken.
    axis, dim
        The axis, by either name.
    prepend, append
        Values to join at the beginning and the end first.

    Returns
    -------
    Tensor
        `n` elements less along the axis; the dtype of `x`.

    Raises
    ------
    ValueError
        If `n` is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.diff(rl.tensor([1, 4, 9])).tolist()
    [3, 5]
    """
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
    """Return a number as a tensor of rank 0, of a dtype that can hold it."""
    try:
        return n.full((), number, dtype=n._promote(like, number), device=like.device)
    except OverflowError:
        return n.tensor(number, device=like.device)


@typed
def searchsorted(
    x1: Tensor,
    x2: Tensor | Number,
    /,
    *,
    side: str | None = None,
    sorter: Tensor | None = None,
    right: builtins.bool = False,
) -> Tensor:
    """Returns the indices in sorted vectors where elements would be inserted.

    Parameters
    ----------
    x1
        A sorted vector, or a batch of them along the last axis; NaN counts as the greatest.
    x2
        The elements. For one vector a tensor of any shape, or a number; for a batch a tensor whose other axes
        are those of ``x1``.
    side
        ``"left"`` (the default) inserts before equal elements, ``"right"`` after them.
    sorter
        Indices that sort ``x1``, where it is not sorted itself.
    right
        PyTorch's name: True is ``side="right"``.

    Returns
    -------
    Tensor
        int64, of the shape of ``x2``.

    Raises
    ------
    ValueError
        If ``x1`` has rank 0 or the axes do not fit, or `side` is neither, or `right` contradicts it.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.searchsorted(rl.tensor([1, 3, 5]), rl.tensor([0, 3, 9])).tolist()
    [0, 1, 3]
    """
    if x1.ndim == 0:
        raise ValueError("searchsorted: the first tensor must be a vector or a batch of them, not a scalar")
    if side not in (None, "left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    if right and side == "left":
        raise ValueError("searchsorted: side='left' and right=True contradict each other")
    left = not right and side != "right"
    if sorter is not None:
        x1 = n.take_along_axis(x1, sorter, -1)
    values = x2 if isinstance(x2, Tensor) else _alone(x2, x1)
    batch = x1.ndim > 1
    if batch and values.shape[:-1] != x1.shape[:-1]:
        raise ValueError(f"searchsorted: vectors of shape {x1.shape} do not fit elements of {values.shape}")
    # Bisection of all values at once. Padded by its last element to a power of 2 without 1, a vector has an
    # element at each position that a step looks up.
    size = x1.shape[-1]
    bits = size.bit_length()
    padded = x1
    if size:
        rest = n.broadcast_to(x1[..., size - 1 :], (*x1.shape[:-1], 2**bits - 1 - size))
        padded = n.concat((x1, rest), axis=-1)
    found = n.zeros(values.shape, dtype=t.int64, device=x1.device)
    for k in reversed(range(bits)):
        places = found + (2**k - 1)
        at = n.take_along_axis(padded, places, -1) if batch else n.take(padded, places, axis=0)
        # (False for NaN in the vector, which is above all numbers.)
        before = at < values if left else at <= values
        found = n.where(before, found + 2**k, found)
    found = n.minimum(found, size)
    if values.dtype.is_floating_point:
        below = n.full((), size, dtype=t.int64, device=x1.device)
        if left and x1.dtype.is_floating_point:
            below = below - n.sum(n.isnan(x1), axis=-1, keepdims=batch)
        found = n.where(n.isnan(values), below, found)
    return found


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`.

    Parameters
    ----------
    values
        Distinct values in ascending order.
    indices
        Index of the first of each in the flattened input, int64.
    inverse_indices
        For each element of the input the index of its value, int64.
    counts
        Number of occurrences of each value, int64.
    """

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`.

    Parameters
    ----------
    values
        Distinct values in ascending order.
    counts
        Number of occurrences of each value, int64.
    """

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`.

    Parameters
    ----------
    values
        Distinct values in ascending order.
    inverse_indices
        For each element of the input the index of its value, int64.
    """

    values: Tensor
    inverse_indices: Tensor


@typed
def unique_all(x: Tensor, /) -> UniqueAllResult:
    """Returns the distinct values, with first indices, inverse indices and counts.

    Parameters
    ----------
    x
        Any shape and dtype. Each NaN is a separate value.

    Returns
    -------
    UniqueAllResult
        The values in ascending order, ``indices``, ``inverse_indices`` and ``counts``.

    Examples
    --------
    >>> import rushlight as rl
    >>> found = rl.unique_all(rl.tensor([3, 1, 3]))
    >>> found.values.tolist(), found.counts.tolist(), found.inverse_indices.tolist()
    ([1, 3], [1, 2], [1, 0, 1])
    """
    return _unique(x)


def _order(flat: Tensor) -> Tensor:
    """Return the indices that sort a vector; complex numbers by their real and then their imaginary parts."""
    if not flat.dtype.is_complex:
        return n.argsort(flat)
    # (The sums make -0 to 0, which is equal.)
    order = n.argsort(n._imag(flat) + 0.0)
    return n.take(order, n.argsort(n.take(n._real(flat) + 0.0, order, axis=0)), axis=0)


def _unique(x: Tensor) -> UniqueAllResult:
    flat = n.reshape(x.detach(), (x.size,))
    order = _order(flat)
    ordered = n.take(flat, order, axis=0)
    if x.size == 0:
        return UniqueAllResult(ordered, order, n.reshape(order, x.shape), order)
    # NaN differs from itself, so each NaN is a separate value, as the standard asks.
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


@typed
def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    """Returns the distinct values, and how often each occurs.

    Parameters
    ----------
    x
        Any shape and dtype. Each NaN is a separate value.

    Returns
    -------
    UniqueCountsResult
        The values in ascending order, and ``counts``.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, counts = rl.unique_counts(rl.tensor([3, 1, 3]))
    >>> values.tolist(), counts.tolist()
    ([1, 3], [1, 2])
    """
    found = _unique(x)
    return UniqueCountsResult(found.values, found.counts)


@typed
def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    """Returns the distinct values, and the index of each element among them.

    Parameters
    ----------
    x
        Any shape and dtype. Each NaN is a separate value.

    Returns
    -------
    UniqueInverseResult
        The values in ascending order, and ``inverse_indices``.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, inverse = rl.unique_inverse(rl.tensor([3, 1, 3]))
    >>> values[inverse].tolist()
    [3, 1, 3]
    """
    found = _unique(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


@typed
def unique_values(x: Tensor, /) -> Tensor:
    """Returns the distinct values in ascending order.

    Parameters
    ----------
    x
        Any shape and dtype. Each NaN is a separate value.

    Returns
    -------
    Tensor
        A vector of the dtype of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.unique_values(rl.tensor([3, 1, 3])).tolist()
    [1, 3]
    """
    return _unique(x).values


@typed
def isin(x1: Tensor | Number, x2: Tensor | Number, /, *, invert: builtins.bool = False) -> Tensor:
    """Returns which elements of ``x1`` are among those of ``x2``.

    Parameters
    ----------
    x1, x2
        Tensors of any shapes, or numbers.
    invert
        Whether to return which elements are not among them.

    Returns
    -------
    Tensor
        bool, of the shape of ``x1``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.isin(rl.tensor([1, 2, 3]), rl.tensor([2])).tolist()
    [False, True, False]
    """
    dtype = n._promote(x1, x2)
    device = device_of(x1, x2)
    a, b = (
        x.to(dtype) if isinstance(x, Tensor) else n.tensor(x, dtype=dtype, device=device) for x in (x1, x2)
    )
    if b.size == 0:
        found = n.zeros(a.shape, dtype=t.bool, device=a.device)
    elif dtype.is_complex:
        # They have no order to search by, so both are ranked together.
        flat = n.concat((n.reshape(a, (a.size,)), n.reshape(b, (b.size,))))
        first, second = n.split(_unique(flat).inverse_indices, (a.size, b.size))
        marks = n.zeros(flat.size, dtype=t.int64, device=flat.device)
        marks = n.scatter(marks, 0, second, n.ones_like(second))
        found = n.reshape(n.take(marks, first, axis=0) > 0, a.shape)
    else:
        ordered = n.sort(n.reshape(b, (b.size,)))
        place = n.clip(searchsorted(ordered, a), 0, b.size - 1)
        found = n.take(ordered, place, axis=0) == a
    return n.logical_not(found) if invert else found
