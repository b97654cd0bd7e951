"""How elements are distributed: modes, histograms, and medians that leave NaN out."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from ..return_types import Histogram, HistogramDD, ValuesIndices
from .axes import axis_or_dim, keep_or_keepdims, one_axis
from .moments import cummax
from .quantiles import nanquantile
from .sets import searchsorted
from .statistics import line_of, median_of_nothing

__all__ = ["histogram", "histogramdd", "mode", "nanmedian"]


@typed
def mode(
    input: Tensor,
    dim: int = -1,
    keepdim: builtins.bool = False,
    *,
    axis: int | None = None,
    keepdims: builtins.bool | None = None,
) -> ValuesIndices:
    """Returns the most frequent element along an axis; of several the smallest.

    Parameters
    ----------
    input
        Any shape, with an element or more along the axis. NaN is equal to no element.
    dim, axis
        The axis, by either name.
    keepdim, keepdims
        One parameter: whether the axis stays with size 1.

    Returns
    -------
    ValuesIndices
        The elements, and the int64 index of the last one of them.

    Raises
    ------
    ValueError
        If the axis has no element.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, indices = rl.mode(rl.tensor([[1, 2, 2, 1, 3], [5, 5, 4, 4, 1]]))
    >>> values.tolist(), indices.tolist()
    ([1, 4], [3, 3])
    """
    dim, keepdim = axis_or_dim(dim, axis, -1), keep_or_keepdims("mode", keepdim, keepdims)
    x, at = input, one_axis("mode", dim, input.ndim)
    size = x.shape[at]
    if size == 0:
        raise ValueError(f"mode: axis {dim} of shape {input.shape} has no element")
    values, indices = n.sort(x, dim=at)
    starts = values.narrow(at, 1, size - 1) != values.narrow(at, 0, size - 1)
    shape = [size if k == at else 1 for k in range(x.ndim)]
    at_each = n.arange(size, dtype=t.int64, device=x.device).reshape(shape)
    first = n.where(starts, at_each.narrow(at, 1, size - 1), 0)
    first = n.concat([n.zeros_like(indices.narrow(at, 0, 1)), first], axis=at)
    # The number of equal elements up to each position; the largest one is at the end of the longest run.
    counts = at_each - cummax(first, at).values
    end = n.argmax(counts, axis=at, keepdims=True)
    found = [n.take_along_axis(v, end, at) for v in (values, indices)]
    return ValuesIndices(*(v if keepdim else n.squeeze(v, at) for v in found))


def _present(op: str, input: Tensor, dim: int | None) -> tuple[Tensor, int, Tensor, Tensor, Tensor]:
    """Return a tensor, an axis, its sorted elements with their indices, and how many are not NaN."""
    x, at = line_of(op, input, dim)
    if x.shape[at] == 0:
        raise ValueError(f"{op}: a tensor of shape {input.shape} has no element to choose")
    values, indices = n.sort(x, dim=at)
    count = n.sum(n.logical_not(n.isnan(x)), axis=at, keepdims=True)
    return x, at, values, indices, count


@typed
def nanmedian(
    input: Tensor,
    dim: int | None = None,
    keepdim: builtins.bool = False,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor | ValuesIndices:
    """Returns the median of the elements that are not NaN; of an even number the lower one of the middle two.

    With NumPy's names, an `axis` or `keepdims`, it is NumPy's: the mean of the middle two, without indices.

    Parameters
    ----------
    input
        Any shape.
    dim
        The axis, with an element or more; None for all elements.
    keepdim
        Whether the axis stays with size 1.
    axis, keepdims
        The same for NumPy's median; several axes as a tuple.

    Returns
    -------
    Tensor or ValuesIndices
        A scalar; with `dim` the pair of `values` and int64 `indices`. NaN where all elements
        are, and of no elements. NumPy's median of integers is of the default float dtype.

    Raises
    ------
    TypeError
        If names of PyTorch and NumPy are mixed.
    ValueError
        If the axis `dim` has no element, or there are no elements at all and they are integers.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nanmedian(rl.tensor([4.0, float("nan"), 3.0, 2.0])).item()
    3.0
    """
    if axis is not None or keepdims is not None:
        if dim is not None or keepdim:
            raise TypeError("nanmedian: give either dim and keepdim, as in PyTorch, or axis and keepdims")
        x = input if input.dtype.is_floating_point else input.astype(n.get_default_dtype())
        if x.size == 0:
            return n.mean(x, axis=axis, keepdims=builtins.bool(keepdims))
        return nanquantile(x, 0.5, axis=axis, keepdims=keepdims)
    x, at = line_of("nanmedian", input, dim)
    if x.shape[at] == 0:
        return median_of_nothing("nanmedian", input, dim)
    _, at, values, indices, count = _present("nanmedian", input, dim)
    middle = n.floor_divide(count - 1, 2).clamp(min=0)
    found = [n.take_along_axis(v, middle, at) for v in (values, indices)]
    if dim is None:
        return n.reshape(found[0], ())
    return ValuesIndices(*(v if keepdim else n.squeeze(v, at) for v in found))


@typed
def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: builtins.bool = False,
) -> Histogram:
    """Counts elements in intervals.

    Parameters
    ----------
    input
        Any shape; floating point.
    bins
        The number of intervals of equal width, or their edges: a sorted vector of the dtype of `input`.
    range
        The first and the last edge, if `bins` is a number; by default the smallest and the largest element.
    weight
        What each element adds to its interval, of the shape of `input`; 1 by default.
    density
        Whether the sums are divided by the width of their interval and by the sum of all of them.

    Returns
    -------
    Histogram
        The sums `hist`, of the dtype of `input`, and the edges `bin_edges`, one more. The last interval has
        both its ends; what is outside is not counted.

    Raises
    ------
    TypeError
        If the dtype is not floating point.
    ValueError
        If there are no bins, edges do not increase, the range is empty or not finite, or shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> hist, edges = rl.histogram(rl.tensor([1.0, 2.0, 2.5, 4.0]), bins=3)
    >>> hist.tolist(), edges.tolist()
    ([1.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0])
    """
    if not input.dtype.is_floating_point:
        raise TypeError(f"histogram: expected a floating-point dtype, got {input.dtype}; use .float()")
    if weight is not None and weight.shape != input.shape:
        raise ValueError(f"histogram: weight of shape {weight.shape} does not fit input {input.shape}")
    x = n.reshape(input.detach(), (input.size,))
    hist, (edges,) = _sums("histogram", [x], [bins], [range], weight, density)
    return Histogram(hist, edges)


@typed
def histogramdd(
    input: Tensor,
    bins: int | Sequence[int] | Sequence[Tensor],
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: builtins.bool = False,
) -> HistogramDD:
    """Counts points in boxes: a histogram of several dimensions.

    Parameters
    ----------
    input
        Shape (.., n), a point in each row; floating point. Leading axes are flattened.
    bins
        The number of intervals of equal width of every dimension, or of each; or the edges of each, which are
        sorted vectors.
    range
        The first and the last edge of each dimension, 2 n numbers, if `bins` are numbers; by default the
        smallest and the largest element of the dimension.
    weight
        What each point adds to its box, of the shape of `input` without its last axis; 1 by default.
    density
        Whether the sums are divided by the size of their box and by the sum of all of them.

    Returns
    -------
    HistogramDD
        The sums `hist`, of the dtype of `input` and with an axis for each dimension, and a list of the edges,
        `bin_edges`. The last interval of each dimension has both its ends; what is outside is not counted.

    Raises
    ------
    TypeError
        If the dtype is not floating point.
    ValueError
        If there are no bins, edges do not increase, a range is empty or not finite, or shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> hist, edges = rl.histogramdd(rl.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 0.2]]), bins=[2, 2])
    >>> hist.tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    if not input.dtype.is_floating_point:
        raise TypeError(f"histogramdd: expected a floating-point dtype, got {input.dtype}; use .float()")
    if input.ndim < 2:
        raise ValueError(f"histogramdd: expected points in rows, (.., n), got shape {input.shape}")
    size = input.shape[-1]
    each: list[int | Tensor] = [bins] * size if isinstance(bins, int) else list(bins)
    if len(each) != size:
        raise ValueError(f"histogramdd: {len(each)} bins for points of {size} dimensions")
    if range is not None and len(range) != 2 * size:
        raise ValueError(f"histogramdd: the range has {len(range)} numbers, not {2 * size}")
    ranges = [None if range is None else (range[2 * i], range[2 * i + 1]) for i in builtins.range(size)]
    if weight is not None and weight.shape != input.shape[:-1]:
        raise ValueError(f"histogramdd: weight of shape {weight.shape} does not fit input {input.shape}")
    points = n.reshape(input.detach(), (math.prod(input.shape[:-1]), size))
    columns = [points[:, i] for i in builtins.range(size)]
    return HistogramDD(*_sums("histogramdd", columns, each, ranges, weight, density))


def _sums(
    op: str,
    columns: Sequence[Tensor],
    bins: Sequence[int | Tensor],
    ranges: Sequence[Sequence[float] | None],
    weight: Tensor | None,
    density: builtins.bool,
) -> tuple[Tensor, list[Tensor]]:
    """Sum the weights of the points with these coordinates in each box, and return the edges, too."""
    edges = [_edges(op, x, b, r) for x, b, r in zip(columns, bins, ranges, strict=True)]
    counts = [e.size - 1 for e in edges]
    first = columns[0]
    each = n.ones_like(first)
    if weight is not None:
        each = n.reshape(weight.detach(), (first.size,)).astype(first.dtype)
    place = n.zeros(first.shape, dtype=t.int64, device=first.device)
    for x, e, count in zip(columns, edges, counts, strict=True):
        each = n.where(n.logical_and(x >= e[0], x <= e[-1]), each, 0)
        place = place * count + (searchsorted(e, x, side="right") - 1).clamp(0, count - 1)
    empty = n.zeros(math.prod(counts), dtype=first.dtype, device=first.device)
    hist = n.reshape(n.index_add(empty, 0, place, each), counts)
    if density:
        total = n.sum(hist)
        for axis, e in enumerate(edges):
            width = e[1:] - e[:-1]
            hist = hist / n.reshape(width, [-1 if i == axis else 1 for i in builtins.range(len(edges))])
        hist = hist / total
    return hist, edges


def _edges(op: str, x: Tensor, bins: int | Tensor, range: Sequence[float] | None) -> Tensor:
    """Return the edges of the intervals for a vector of coordinates."""
    if isinstance(bins, Tensor):
        if range is not None:
            raise ValueError(f"{op}: range goes with a number of bins, not with edges")
        if bins.ndim != 1 or bins.size < 2:
            raise ValueError(f"{op}: the edges are a vector of two or more, got shape {bins.shape}")
        edges = bins.detach().astype(x.dtype)
        if not builtins.bool(n.all(edges[1:] >= edges[:-1])):
            raise ValueError(f"{op}: the edges must increase, got {bins}")
        return edges
    if bins < 1:
        raise ValueError(f"{op}: {bins} bins")
    if range is not None:
        low, high = float(range[0]), float(range[1])
    elif x.size:
        low, high = float(n.amin(x)), float(n.amax(x))
    else:
        low, high = 0.0, 0.0
    if high < low or not math.isfinite(low) or not math.isfinite(high):
        raise ValueError(f"{op}: the range from {low} to {high} is empty or not finite")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return n.linspace(low, high, bins + 1, dtype=x.dtype, device=x.device)
