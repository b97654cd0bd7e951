"""Functions by NumPy's names: averages, interpolation, unwrapped angles, bins, sets and partitions."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import several, typed
from .._native import DType, Tensor
from .axes import axis_or_dim, one_axis
from .complex import imag
from .sets import cumsum, diff, isin, searchsorted, unique_values

__all__ = [
    "argpartition",
    "average",
    "digitize",
    "interp",
    "intersect1d",
    "iscomplex",
    "partition",
    "ptp",
    "setdiff1d",
    "union1d",
    "unwrap",
]


def _floating(x: Tensor) -> Tensor:
    """Return floats or complex numbers; integers and bools are converted to the default dtype."""
    kept = x.dtype.is_floating_point or x.dtype.is_complex
    return x if kept else x.astype(n.get_default_dtype())


@typed
def average(
    x: Tensor,
    /,
    axis: int | None = None,
    weights: Tensor | None = None,
    *,
    keepdims: builtins.bool = False,
    dim: int | None = None,
) -> Tensor:
    """Returns weighted means.

    Parameters
    ----------
    x
        Any shape; integers are converted to the default dtype.
    axis, dim
        The axis, by either name; None for all elements.
    weights
        Of the shape of `x`, or a vector with a weight for each entry of the axis; 1 by default.
    keepdims
        Whether the axes stay with size 1.

    Returns
    -------
    Tensor
        ``sum(x * weights) / sum(weights)``; not finite where the weights add to 0.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If the weights have another shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.average(rl.tensor([1.0, 4.0]), weights=rl.tensor([2.0, 1.0])).item()
    2.0
    """
    axis = axis_or_dim(axis, dim, None)
    x = _floating(x)
    if weights is None:
        return n.mean(x, axis=axis, keepdims=keepdims)
    if weights.shape != x.shape:
        if axis is None or weights.shape != (x.shape[one_axis("average", axis, x.ndim)],):
            raise ValueError(
                f"average: weights of shape {weights.shape} do not fit {x.shape} and axis {axis}"
            )
        at = one_axis("average", axis, x.ndim)
        weights = n.reshape(weights, [-1 if i == at else 1 for i in builtins.range(x.ndim)])
    # Integers as weights do not change the dtype.
    weights = weights if weights.dtype.is_floating_point else weights.astype(_part(x))
    total = n.sum(n.broadcast_to(weights, x.shape), axis=axis, keepdims=keepdims)
    return n.sum(x * weights, axis=axis, keepdims=keepdims) / total


def _part(x: Tensor) -> DType:
    """Return the dtype of the real part."""
    return n._real(x).dtype if x.dtype.is_complex else x.dtype


@typed
def ptp(
    x: Tensor,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    keepdims: builtins.bool = False,
    dim: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Returns the largest minus the smallest element ("peak to peak").

    Parameters
    ----------
    x
        Any shape and real dtype but bool, with an element or more.
    axis, dim
        The axis, by either name; several as a tuple, None for all.
    keepdims
        Whether the axes stay with size 1.

    Returns
    -------
    Tensor
        The other axes, in the dtype of `x`; NaN where an element is.

    Raises
    ------
    ValueError
        If there is no element.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ptp(rl.tensor([4, 9, 2])).item()
    7
    """
    if x.size == 0:
        raise ValueError(f"ptp: a tensor of shape {x.shape} has no element")
    axis = axis_or_dim(axis, dim, None)
    return n.amax(x, axis=axis, keepdims=keepdims) - n.amin(x, axis=axis, keepdims=keepdims)


@typed
def digitize(x: Tensor, bins: Tensor, right: builtins.bool = False) -> Tensor:
    """Returns the number of the interval that each element lies in; `bucketize` takes ascending edges only.

    Parameters
    ----------
    x
        Any shape and real dtype.
    bins
        The edges: a vector that ascends or descends.
    right
        Whether an interval includes its larger edge, not its smaller one.

    Returns
    -------
    Tensor
        int64, of the shape of `x`: i where ``bins[i - 1] <= x < bins[i]``, for descending edges where
        ``bins[i - 1] > x >= bins[i]``; 0 or the number of edges for elements outside.

    Raises
    ------
    ValueError
        If `bins` is not a vector, or neither ascends nor descends.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.digitize(rl.tensor([0.2, 6.4, 3.0]), rl.tensor([0.0, 1.0, 3.0])).tolist()
    [1, 3, 3]
    """
    if bins.ndim != 1:
        raise ValueError(f"digitize: bins are a vector, got shape {bins.shape}")
    side = "left" if right else "right"
    if builtins.bool(n.all(bins[1:] >= bins[:-1])):
        return searchsorted(bins, x, side=side)
    if not builtins.bool(n.all(bins[1:] <= bins[:-1])):
        raise ValueError("digitize: bins must ascend or descend")
    return bins.size - searchsorted(n.flip(bins, axis=0), x, side=side)


def _checked(op: str, x: Tensor, kth: int | Sequence[int], axis: int | None) -> None:
    size = x.size if axis is None else x.shape[one_axis(op, axis, x.ndim)]
    for k in several(kth, f"{op}: kth"):
        if not -size <= k < size:
            raise ValueError(f"{op}: kth is {k}, and there are {size} elements")


@typed
def partition(
    x: Tensor, kth: int | Sequence[int], axis: int | None = -1, *, dim: int | None = None
) -> Tensor:
    """Returns the elements in an order in which none before the k-th is larger, and none after it smaller.

    Parameters
    ----------
    x
        Any real dtype. NaN counts as the largest.
    kth
        The index of an element in sorted order, or several; negative ones count from the end.
    axis, dim
        The axis, by either name. `axis` None takes all elements, as a vector.

    Returns
    -------
    Tensor
        The sorted elements, which have this order for each k.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If there is no element `kth`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.partition(rl.tensor([7, 1, 5]), 1)[1].item()
    5
    """
    axis = axis_or_dim(axis, dim, -1)
    _checked("partition", x, kth, axis)
    return n.sort(x, axis=axis)


@typed
def argpartition(
    x: Tensor, kth: int | Sequence[int], axis: int | None = -1, *, dim: int | None = None
) -> Tensor:
    """Returns the indices of the elements in the order of `partition`.

    Parameters
    ----------
    x
        Any real dtype. NaN counts as the largest.
    kth
        The index of an element in sorted order, or several; negative ones count from the end.
    axis, dim
        The axis, by either name. `axis` None takes all elements, as a vector.

    Returns
    -------
    Tensor
        int64: the indices that sort the elements.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If there is no element `kth`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.argpartition(rl.tensor([7, 1, 5]), 1)[1].item()
    2
    """
    axis = axis_or_dim(axis, dim, -1)
    _checked("argpartition", x, kth, axis)
    return n.argsort(x, axis)


@typed
def interp(
    x: Tensor,
    xp: Tensor,
    fp: Tensor,
    left: float | None = None,
    right: float | None = None,
    period: float | None = None,
) -> Tensor:
    """Interpolates linearly between points.

    Parameters
    ----------
    x
        Where to evaluate: any shape.
    xp
        The coordinates of the points: an ascending vector, or any without NaN if `period` is given.
    fp
        The values at the points, of the shape of `xp`.
    left, right
        The results below the first and above the last point; by default the values there.
    period
        The period of the coordinates, with which `left` and `right` have no meaning.

    Returns
    -------
    Tensor
        Of the shape of `x` and the promoted dtype; integers count as the default dtype.

    Raises
    ------
    ValueError
        If `xp` and `fp` are not vectors of one size, there is no point, or `period` is 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.interp(rl.tensor([2.5, 9.0]), rl.tensor([1.0, 2.0, 3.0]), rl.tensor([3.0, 2.0, 0.0])).tolist()
    [1.0, 0.0]
    """
    if xp.ndim != 1 or xp.shape != fp.shape or xp.size == 0:
        raise ValueError(
            f"interp: xp and fp are vectors of one or more points, got shapes {xp.shape} and {fp.shape}"
        )
    x, xp, fp = _floating(x), _floating(xp), _floating(fp)
    if period is not None:
        if period == 0:
            raise ValueError("interp: period is 0")
        length = builtins.abs(period)
        x, xp = n.remainder(x, length), n.remainder(xp, length)
        order = n.argsort(xp)
        xp, fp = n.take(xp, order, axis=0), n.take(fp, order, axis=0)
        xp = n.concat([xp[-1:] - length, xp, xp[:1] + length])
        fp = n.concat([fp[-1:], fp, fp[:1]])
        left = right = None
    below = (searchsorted(xp, x, side="right") - 1).clamp(0, builtins.max(0, xp.size - 2))
    above = (below + 1).clamp(max=xp.size - 1)
    start, end = (n.take(xp, at, axis=0) for at in (below, above))
    low, high = (n.take(fp, at, axis=0) for at in (below, above))
    width = n.where(end == start, 1.0, end - start)
    out = low + (high - low) / width * (x - start)
    out = n.where(x == xp[-1], fp[-1], out)
    out = n.where(x < xp[0], fp[0] if left is None else left, out)
    return n.where(x > xp[-1], fp[-1] if right is None else right, out)


@typed
def unwrap(
    x: Tensor,
    discont: float | None = None,
    axis: int = -1,
    *,
    period: float = 2 * math.pi,
    dim: int | None = None,
) -> Tensor:
    """Adds multiples of a period so that neighbours differ by half a period at most.

    Parameters
    ----------
    x
        Real, rank 1 or more; integers are converted to the default dtype.
    discont
        The smallest difference that is changed; at least, and by default, half the period.
    axis, dim
        The axis, by either name.
    period
        The period.

    Returns
    -------
    Tensor
        Of the shape of `x`.

    Raises
    ------
    IndexError
        If the axis is out of range.
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.unwrap(rl.tensor([0.0, 3.0, 1.0, 0.0]), period=4.0).tolist()
    [0.0, -1.0, -3.0, -4.0]
    """
    if x.dtype.is_complex:
        raise TypeError(f"unwrap: complex numbers are not supported, got {x.dtype}")
    x = _floating(x)
    at = one_axis("unwrap", axis_or_dim(axis, dim, -1), x.ndim)
    if x.shape[at] < 2:
        return n.positive(x)
    half = period / 2
    steps = diff(x, axis=at)
    wanted = n.remainder(steps + half, period) - half
    # Of the two steps of half a period the one with the sign of the difference.
    wanted = n.where(n.logical_and(wanted == -half, steps > 0), half, wanted)
    added = n.where(n.abs(steps) < (half if discont is None else discont), 0.0, wanted - steps)
    first, rest = n.split(x, (1, x.shape[at] - 1), at)
    return n.concat([first, rest + cumsum(added, at)], axis=at)


@typed
def iscomplex(input: Tensor) -> Tensor:
    """Returns where elements have an imaginary part that is not 0.

    Parameters
    ----------
    input
        Any shape and dtype.

    Returns
    -------
    Tensor
        bool, of the shape of `input`; False for every real number.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.iscomplex(rl.tensor([1 + 2j, 3 + 0j])).tolist()
    [True, False]
    """
    return imag(input) != 0 if input.dtype.is_complex else n.zeros_like(input, dtype=t.bool)


def _flat(x: Tensor) -> Tensor:
    return n.reshape(x, (x.size,))


@typed
def union1d(x1: Tensor, x2: Tensor) -> Tensor:
    """Returns the distinct elements of two tensors.

    Parameters
    ----------
    x1, x2
        Any shapes and dtypes, which are promoted.

    Returns
    -------
    Tensor
        A vector in ascending order. Each NaN is a separate element.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.union1d(rl.tensor([3, 1]), rl.tensor([1, 2])).tolist()
    [1, 2, 3]
    """
    return unique_values(n.concat([_flat(x1), _flat(x2)]))


@typed
def intersect1d(x1: Tensor, x2: Tensor) -> Tensor:
    """Returns the distinct elements that two tensors share.

    Parameters
    ----------
    x1, x2
        Any shapes and dtypes, which are promoted.

    Returns
    -------
    Tensor
        A vector in ascending order.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.intersect1d(rl.tensor([3, 1, 1]), rl.tensor([1, 2])).tolist()
    [1]
    """
    dtype = n._promote(x1, x2)
    found = unique_values(x1.astype(dtype))
    return found[isin(found, x2.astype(dtype))]


@typed
def setdiff1d(x1: Tensor, x2: Tensor) -> Tensor:
    """Returns the distinct elements of a tensor that are not in another.

    Parameters
    ----------
    x1, x2
        Any shapes and dtypes.

    Returns
    -------
    Tensor
        A vector in ascending order, of the dtype of `x1`. Each NaN is a separate element.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.setdiff1d(rl.tensor([3, 1, 1]), rl.tensor([1, 2])).tolist()
    [3]
    """
    found = unique_values(x1)
    return found[n.logical_not(isin(found, x2))]
