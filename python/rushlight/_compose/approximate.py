"""Selections that may miss an element, for very long axes: faster than a sort."""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from ..return_types import ValuesIndices
from .axes import one_axis
from .quantiles import probabilities
from .statistics import topk

__all__ = ["approx_max_k", "approx_min_k", "approx_quantile"]


def _groups(k: int, recall_target: float) -> int:
    """Return the number of groups in which the k largest of elements in random order meet rarely enough.

    An element is lost if another one of the k is larger and in the same of g groups. Of the k largest, the
    expected share that is found is at least ``(1 - 1 / g)**(k - 1)`` (Chern and others 2022, TPU-KNN).
    """
    if k <= 1:
        return 1
    return math.ceil(1 / -math.expm1(math.log(recall_target) / (k - 1)))


def _selected(
    op: str, input: Tensor, k: int, dim: int, recall_target: float, largest: builtins.bool
) -> ValuesIndices:
    at = one_axis(op, dim, input.ndim)
    size = input.shape[at]
    if not 0 <= k <= size:
        raise ValueError(f"{op}: k is {k}, and axis {dim} has {size} elements")
    if not 0 < recall_target <= 1:
        raise ValueError(f"{op}: recall_target is between 0 and 1, not {recall_target}")
    groups = size if recall_target == 1 else builtins.max(_groups(k, recall_target), k)
    length = size // groups
    if length < 2:
        return topk(input, k, at, largest)
    # Element i belongs to group i % groups. Elements behind the last whole row of groups are
    # candidates, too.
    whole = length * groups
    rows = input.narrow(at, 0, whole).unflatten(at, (length, groups))
    first = n.argmax(rows, axis=at) if largest else n.argmin(rows, axis=at)
    indices = first * groups + n.reshape(
        n.arange(groups, device=input.device),
        tuple(groups if i == at else 1 for i in builtins.range(input.ndim)),
    )
    if whole < size:
        rest = n.arange(whole, size, device=input.device)
        shape = tuple(size - whole if i == at else s for i, s in enumerate(input.shape))
        rest = n.reshape(rest, tuple(size - whole if i == at else 1 for i in builtins.range(input.ndim)))
        indices = n.concat([indices, n.broadcast_to(rest, shape)], axis=at)
    values, chosen = topk(n.take_along_axis(input, indices, axis=at), k, at, largest)
    return ValuesIndices(values, n.take_along_axis(indices, chosen, axis=at))


@typed
def approx_max_k(input: Tensor, k: int, dim: int = -1, *, recall_target: float = 0.95) -> ValuesIndices:
    """Returns most of the largest elements along an axis, and their indices, without sorting the axis.

    The axis is cut into groups of elements that are far apart, and the largest element of each group is a
    candidate, as ``jax.lax.approx_max_k`` does. If the elements are in random order, the expected share of
    the true k largest is at least `recall_target`. Short axes are searched exactly.

    Parameters
    ----------
    input
        Rank 1 or more.
    k
        Number of elements.
    dim
        The axis.
    recall_target
        The share of the k largest elements to find, above 0; 1 finds all.

    Returns
    -------
    ValuesIndices
        `values`, the largest first, and int64 `indices`, of size `k` along the axis.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If the axis has fewer than `k` elements, or `recall_target` is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, indices = rl.approx_max_k(rl.tensor([3.0, 9.0, 5.0]), 2)
    >>> values.tolist(), indices.tolist()
    ([9.0, 5.0], [1, 2])
    """
    return _selected("approx_max_k", input, k, dim, recall_target, True)


@typed
def approx_min_k(input: Tensor, k: int, dim: int = -1, *, recall_target: float = 0.95) -> ValuesIndices:
    """Returns most of the smallest elements along an axis, and their indices, without sorting the axis.

    Parameters
    ----------
    input
        Rank 1 or more.
    k
        Number of elements.
    dim
        The axis.
    recall_target
        The share of the k smallest elements to find, as in `approx_max_k`.

    Returns
    -------
    ValuesIndices
        `values`, the smallest first, and int64 `indices`, of size `k` along the axis.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If the axis has fewer than `k` elements, or `recall_target` is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.approx_min_k(rl.tensor([3.0, 9.0, 5.0]), 2).values.tolist()
    [3.0, 5.0]
    """
    return _selected("approx_min_k", input, k, dim, recall_target, False)


@typed
def approx_quantile(input: Tensor, q: float | Sequence[float], *, bins: int = 2048) -> Tensor:
    """Returns quantiles of all elements from a histogram, without sorting them.

    A first histogram of the whole range finds the interval of a quantile, and a second one divides that
    interval, so the error is at most ``(max - min) / bins**2``, and the element it lies at is found if equal
    elements fill an interval.

    Parameters
    ----------
    input
        Floating point, with one element or more, all of them finite.
    q
        One probability or several, from 0 to 1.
    bins
        Number of intervals of a histogram.

    Returns
    -------
    Tensor
        A scalar, or a vector of one value for each probability.

    Raises
    ------
    TypeError
        If the dtype is not floating point.
    ValueError
        If a probability is not between 0 and 1, `bins` is below 2, there is no element, or one is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> round(rl.approx_quantile(rl.linspace(0, 1, 1001), 0.25).item(), 3)
    0.25
    """
    single, wanted = probabilities("approx_quantile", input, q)
    if bins < 2 or input.size == 0:
        raise ValueError(f"approx_quantile: {bins} bins for a tensor of shape {input.shape}")
    x = n.reshape(input.detach(), (input.size,))
    low, high = float(n.min(x)), float(n.max(x))
    if not math.isfinite(low) or not math.isfinite(high):
        raise ValueError("approx_quantile: an element is not finite")

    # (Several quantiles share the histogram of the whole range.)
    @functools.cache
    def counts(start: builtins.float, end: builtins.float) -> tuple[list[builtins.int], builtins.int]:
        """Return how many elements lie in each of the intervals, and how many below them all."""
        place = n.floor((x - start) * (bins / (end - start))).clamp(-1, bins).astype(t.int64)
        # The last interval has both its ends.
        place = n.where(x == end, bins - 1, place)
        zeros = n.zeros(bins + 2, dtype=t.int64, device=x.device)
        found = n.index_add(zeros, 0, place + 1, n.ones_like(place)).tolist()
        return found[1:-1], found[0]

    found = []
    for v in wanted:
        start, end = low, high
        position = v * (x.size - 1)
        for _ in range(2):
            width = (end - start) / bins
            if not width > 0 or start + width == start:
                break
            each, before = counts(start, end)
            k = 0
            while k < bins - 1 and before + each[k] <= position:
                before += each[k]
                k += 1
            start, end = start + k * width, (start + (k + 1) * width if k < bins - 1 else end)
        # Within the last interval elements count as evenly spread.
        found.append((start + end) / 2 if start < end else start)
    out = n.asarray(found, dtype=input.dtype, device=input.device)
    return out[0] if single else out
