"""Norms, quantiles, counts and the largest elements by PyTorch's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import renamed, typed
from .._native import DType, Tensor
from ..return_types import ValuesIndices
from .axes import Number, all_axes, axis_or_dim, keep_or_keepdims, one_axis
from .precision import widened
from .sets import _unique

__all__ = [
    "bincount",
    "histc",
    "kthvalue",
    "median",
    "norm",
    "topk",
    "unique",
]


@typed
@renamed("amax", "amin")
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: DType | str | None = None,
) -> Tensor:
    """Returns the norm of the elements, as of one vector.

    Parameters
    ----------
    input
        Any shape; floating point or complex.
    p
        The order: 2, ``"fro"`` or None for the Euclidean norm; 0 counts the elements that are not zero;
        ``inf`` and ``-inf`` take the largest and the smallest absolute value.
    dim
        The axes, of which the elements are taken together; None for all.
    keepdim
        Whether the axes stay with size 1.
    dtype
        Converts the input first.

    Returns
    -------
    Tensor
        The other axes; real, also for complex numbers. The gradient is 0 where the norm is 0.

    Raises
    ------
    TypeError
        If the dtype is neither floating point nor complex.
    ValueError
        If `p` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.norm(rl.tensor([3.0, 4.0])).item()
    5.0
    >>> rl.norm(rl.tensor([[3.0, -4.0]]), 1, dim=1).tolist()
    [7.0]
    """
    x = input if dtype is None else input.astype(dtype)
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise TypeError(f"norm: expected a floating-point or complex dtype, got {x.dtype}; use .float()")
    if isinstance(p, str) and p != "fro":
        raise ValueError(f"norm: p is a number or 'fro', got {p!r}")
    order = 2.0 if p is None or isinstance(p, str) else float(p)
    axes = None if dim is None else tuple(all_axes("norm", dim, x.ndim))
    x = n.abs(x) if x.dtype.is_complex else x
    if order == 0:
        return n.sum((x != 0).astype(x.dtype), axis=axes, keepdims=keepdim)
    if order == math.inf:
        return n.amax(n.abs(x), axis=axes, keepdims=keepdim)
    if order == -math.inf:
        return n.amin(n.abs(x), axis=axes, keepdims=keepdim)
    if order == 1:
        return n.sum(n.abs(x), axis=axes, keepdims=keepdim)
    if order > 0 and axes is None and not (n.is_grad_enabled() and x.requires_grad):
        # One pass without tensors in between.
        dtype = t.float64 if x.dtype == t.float64 else t.float32
        total = n.zeros((), dtype=dtype, device=x.device)
        n._accumulate_norms(total, [x], order)
        root = n.sqrt(total) if order == 2 else n.pow(total, 1 / order)
        return n.reshape(root, (1,) * x.ndim if keepdim else ()).to(x.dtype)
    wide = widened(x)
    powers = wide * wide if order == 2 else n.pow(n.abs(wide), order)
    total = n.sum(powers, axis=axes, keepdims=keepdim)
    # The root has no derivative at 0, and its subgradient is 0.
    zero = total == 0
    safe = n.where(zero, 1.0, total)
    root = n.sqrt(safe) if order == 2 else n.pow(safe, 1 / order)
    return n.where(zero, 0.0 if order > 0 else math.inf, root).to(x.dtype)


@typed
def topk(
    input: Tensor,
    k: int,
    dim: int = -1,
    largest: builtins.bool = True,
    sorted: builtins.bool = True,
    *,
    axis: int | None = None,
) -> ValuesIndices:
    """Returns the largest elements along an axis and their indices.

    Parameters
    ----------
    input
        Rank 1 or more.
    k
        Number of elements.
    dim, axis
        The axis, by either name.
    largest
        False returns the smallest.
    sorted
        Accepted for compatibility; the elements are always in order.

    Returns
    -------
    ValuesIndices
        `values` and int64 `indices`, of size `k` along the axis. Of equal elements the first come first.

    Raises
    ------
    ValueError
        If the axis has fewer than `k` elements.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, indices = rl.topk(rl.tensor([3.0, 9.0, 5.0]), 2)
    >>> values.tolist(), indices.tolist()
    ([9.0, 5.0], [1, 2])
    """
    dim = axis_or_dim(dim, axis, -1)
    at = one_axis("topk", dim, input.ndim)
    if not 0 <= k <= input.shape[at]:
        raise ValueError(f"topk: k is {k}, and axis {dim} has {input.shape[at]} elements")
    values, indices = n._sort_part(input, at, largest, 0, k)
    return ValuesIndices(values, indices)


@typed
def kthvalue(
    input: Tensor,
    k: int,
    dim: int = -1,
    keepdim: builtins.bool = False,
    *,
    axis: int | None = None,
    keepdims: builtins.bool | None = None,
) -> ValuesIndices:
    """Returns the element that is the k-th smallest along an axis, and its index.

    Parameters
    ----------
    input
        Rank 1 or more.
    k
        The element, counted from 1 for the smallest.
    dim, axis
        The axis, by either name.
    keepdim, keepdims
        One parameter: whether the axis stays with size 1.

    Returns
    -------
    ValuesIndices
        `values` and int64 `indices`.

    Raises
    ------
    ValueError
        If the axis has no such element.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.kthvalue(rl.tensor([3.0, 9.0, 5.0]), 2).values.item()
    5.0
    """
    dim, keepdim = axis_or_dim(dim, axis, -1), keep_or_keepdims("kthvalue", keepdim, keepdims)
    at = one_axis("kthvalue", dim, input.ndim)
    if not 1 <= k <= input.shape[at]:
        raise ValueError(f"kthvalue: k is {k}, and axis {dim} has {input.shape[at]} elements")
    values, indices = n._sort_part(input, at, False, k - 1, 1)
    return ValuesIndices(*(x if keepdim else n.squeeze(x, at) for x in (values, indices)))


@typed
def median(
    input: Tensor,
    dim: int | None = None,
    keepdim: builtins.bool = False,
    *,
    axis: int | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor | ValuesIndices:
    """Returns the median; for an even number of elements the lower one of the middle two, as in PyTorch.

    With NumPy's names, an `axis` or `keepdims`, it is NumPy's: the mean of the middle two, without indices.

    Parameters
    ----------
    input
        Any shape. The median of elements that include NaN is NaN, and so is that of no floats.
    dim
        The axis, with an element or more; None for all elements.
    keepdim
        Whether the axis stays with size 1.
    axis, keepdims
        The same for NumPy's median.

    Returns
    -------
    Tensor or ValuesIndices
        A scalar; with `dim` the pair of `values` and int64 `indices`. NumPy's median of integers is of the
        default float dtype.

    Raises
    ------
    ValueError
        If the axis `dim` has no element, or there are no elements at all and they are integers.
    TypeError
        If names of PyTorch and NumPy are mixed.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.median(rl.tensor([4.0, 1.0, 3.0, 2.0])).item()
    2.0
    >>> rl.median(rl.tensor([[3, 1, 2]]), dim=1).indices.tolist()
    [2]
    >>> rl.median(rl.tensor([4.0, 1.0, 3.0, 2.0]), axis=0).item()
    2.5
    """
    if axis is not None or keepdims is not None:
        if dim is not None or keepdim:
            raise TypeError("median: give either dim and keepdim, as in PyTorch, or axis and keepdims")
        return _mean_of_middle(input, axis, builtins.bool(keepdims))
    x, at = line_of("median", input, dim)
    size = x.shape[at]
    if size == 0:
        return median_of_nothing("median", input, dim)
    value, index = n._sort_part(x, at, False, (size - 1) // 2, 1)
    if x.dtype.is_floating_point:
        # If a line has a NaN, the median is its first NaN.
        missing = n.isnan(x)
        first = n.argmax(missing.astype(t.uint8), axis=at, keepdims=True)
        index = n.where(n.any(missing, axis=at, keepdims=True), first, index)
        value = n.take_along_axis(x, index, at)
    if dim is None:
        return n.reshape(value, ())
    return ValuesIndices(*(v if keepdim else n.squeeze(v, at) for v in (value, index)))


def median_of_nothing(op: str, input: Tensor, dim: int | None) -> Tensor:
    """Return NaN for the median of all elements of an empty tensor; along an axis it is an error."""
    if dim is None and input.dtype.is_floating_point:
        return n.mean(input)
    what = f"a tensor of shape {input.shape} and {input.dtype}"
    raise ValueError(f"{op}: {what} has no element to choose" + ("" if dim is None else f" along axis {dim}"))


def _mean_of_middle(input: Tensor, axis: int | None, keepdims: builtins.bool) -> Tensor:
    """Return NumPy's median."""
    if not input.dtype.is_floating_point:
        input = input.astype(n.get_default_dtype())
    x, at = line_of("median", input, axis)
    size = x.shape[at]
    if size == 0:
        return n.mean(input, axis=axis, keepdims=keepdims)
    middle, _ = n._sort_part(x, at, False, (size - 1) // 2, 2 - size % 2)
    value = n.mean(middle, axis=at, keepdims=True)
    value = n.where(n.any(n.isnan(x), axis=at, keepdims=True), math.nan, value)
    if axis is None:
        return n.reshape(value, (1,) * input.ndim if keepdims else ())
    return value if keepdims else n.squeeze(value, at)


def line_of(op: str, input: Tensor, dim: int | None) -> tuple[Tensor, int]:
    """Return the tensor and the axis to select along; without `dim` all elements as a vector."""
    if dim is None:
        return n.reshape(input, (input.size,)), 0
    return input, one_axis(op, dim, input.ndim)


@typed
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Counts how often each integer occurs.

    Parameters
    ----------
    input
        A vector of integers, none negative.
    weights
        The weight of each element; 1 by default.
    minlength
        The least length of the result.

    Returns
    -------
    Tensor
        Element i is the count of i: int64, or the weights' sum in their dtype (float64 for integers).

    Raises
    ------
    TypeError
        If `input` does not hold integers.
    ValueError
        If `input` is not a vector, holds a negative number, or the weights have another shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.bincount(rl.tensor([0, 2, 2])).tolist()
    [1, 0, 2]
    """
    if input.dtype.kind not in ("signed integer", "unsigned integer"):
        raise TypeError(f"bincount: expected integers, got {input.dtype}")
    if input.ndim != 1 or minlength < 0:
        raise ValueError(
            f"bincount: expected a vector and minlength >= 0, got shape {input.shape}, {minlength}"
        )
    if weights is not None and weights.shape != input.shape:
        raise ValueError(f"bincount: shapes {input.shape} and {weights.shape} differ")
    length = minlength
    x = input.to(t.int64)
    if x.size:
        low, high = int(n.amin(x)), int(n.amax(x))
        if low < 0:
            raise ValueError(f"bincount: {low} is negative")
        length = builtins.max(length, high + 1)
    if weights is None:
        counts, ones = t.int64, n.ones(x.shape, dtype=t.int64, device=x.device)
    else:
        counts = weights.dtype if weights.dtype.is_floating_point else t.float64
        ones = weights.to(counts)
    return n.index_add(n.zeros(length, dtype=counts, device=x.device), 0, x, ones)


@typed
def histc(input: Tensor, bins: int = 100, min: Number = 0, max: Number = 0) -> Tensor:
    """Counts elements in intervals of equal width.

    Parameters
    ----------
    input
        Any shape; floating point.
    bins
        Number of intervals.
    min, max
        The ends; the smallest and the largest element if they are equal. What is outside is not counted.

    Returns
    -------
    Tensor
        Shape ``(bins,)``, of the dtype of `input`. The last interval has both its ends.

    Raises
    ------
    TypeError
        If the dtype is not floating point.
    ValueError
        If there are no bins, or `max` is below `min`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.histc(rl.tensor([0.5, 1.5, 1.6, 9.0]), bins=2, min=0, max=2).tolist()
    [1.0, 2.0]
    """
    if not input.dtype.is_floating_point:
        raise TypeError(f"histc: expected a floating-point dtype, got {input.dtype}; use .float()")
    low, high = float(min.real), float(max.real)
    if bins < 1 or high < low:
        raise ValueError(f"histc: {bins} bins from {low} to {high}")
    x = n.reshape(input.detach(), (input.size,))
    if low == high and x.size:
        low, high = float(n.amin(x)), float(n.amax(x))
    if low == high:
        low, high = low - 1, high + 1
    if not math.isfinite(low) or not math.isfinite(high):
        raise ValueError(f"histc: the ends {low} and {high} are not finite")
    inside = n.logical_and(x >= low, x <= high)
    x = n.where(inside, x, low)
    place = ((x - low) * bins / (high - low)).astype(t.int64).clamp(0, bins - 1)
    zeros = n.zeros(bins, dtype=t.int64, device=x.device)
    return n.index_add(zeros, 0, place, inside.astype(t.int64)).astype(input.dtype)


@typed
def unique(
    input: Tensor,
    sorted: builtins.bool = True,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: int | None = None,
    *,
    axis: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Returns the distinct elements in ascending order.

    Parameters
    ----------
    input
        Any shape and dtype. Each NaN is a separate element.
    sorted
        Accepted for compatibility; the result is always sorted.
    return_inverse
        Whether to return the index of each element among the distinct ones.
    return_counts
        Whether to return the number of occurrences of each element.
    dim, axis
        Compares the entries of this axis in place of single elements.

    Returns
    -------
    Tensor or tuple of Tensor
        The distinct elements, then the inverse and the counts that were asked for.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.unique(rl.tensor([3, 1, 3])).tolist()
    [1, 3]
    >>> values, counts = rl.unique(rl.tensor([[2, 2], [1, 2], [2, 2]]), dim=0, return_counts=True)
    >>> values.tolist(), counts.tolist()
    ([[1, 2], [2, 2]], [1, 2])
    """
    dim = axis_or_dim(dim, axis, None)
    if dim is None:
        found = _unique(input)
        values, inverse, counts = found.values, found.inverse_indices, found.counts
    else:
        at = one_axis("unique", dim, input.ndim)
        values, inverse, counts = _distinct(input.detach(), at)
    out = [values]
    out += [inverse] if return_inverse else []
    out += [counts] if return_counts else []
    return out[0] if len(out) == 1 else tuple(out)


def runs(differs: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the indices at which runs of equal entries begin, and the number of each entry's run.

    `differs` says for each entry except the first whether it differs from the one before.
    """
    first = n.ones(builtins.min(1, size), dtype=t.bool, device=differs.device)
    new = n.concat((first, differs))
    return new, n.cumulative_sum(new.astype(t.int64), axis=0) - 1


def _distinct(x: Tensor, at: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distinct entries of an axis in lexicographic order, the inverse and the counts."""
    rows = n.reshape(x.transpose(0, at), (x.shape[at], x.size // builtins.max(1, x.shape[at])))
    order = n.arange(rows.shape[0], device=x.device)
    # Stable sorts by each column, the last one first.
    for column in range(rows.shape[1] - 1, -1, -1):
        order = n.take(order, n.argsort(n.take(rows[:, column], order, axis=0)), axis=0)
    ordered = n.take(rows, order, axis=0)
    new, ranks = runs(n.any(ordered[1:] != ordered[:-1], axis=1), rows.shape[0])
    starts = n.nonzero(new)[0]
    inverse = n.scatter(n.zeros_like(order), 0, order, ranks)
    values = n.take(x, n.take(order, starts, axis=0), axis=at)
    return values, inverse, bincount(ranks, minlength=values.shape[at])
