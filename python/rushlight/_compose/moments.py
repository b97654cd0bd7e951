"""Sums without NaN, running extremes, covariances, and runs of equal elements."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from .. import _native as n
from .._check import typed
from .._native import Tensor
from ..return_types import MinMax, ValuesIndices
from .axes import axis_or_dim, given_axis, keep_or_keepdims, one_axis
from .complex import by_parts, conj
from .matrices import diagonal
from .statistics import bincount, runs

__all__ = [
    "aminmax",
    "corrcoef",
    "cov",
    "cummax",
    "cummin",
    "nanmean",
    "nansum",
    "std_mean",
    "unique_consecutive",
    "var_mean",
]


def _running(x: Tensor, at: int, wins: Callable[..., Any]) -> ValuesIndices:
    """Return the running extremes of an axis; after step k each is that of the last 2**k entries."""
    shape = [1] * x.ndim
    size = shape[at] = x.shape[at]
    places = n.broadcast_to(n.reshape(n.arange(size, device=x.device), shape), x.shape)
    values, reach = x.detach(), 1
    while reach < size:
        head, later = n.split(values, (reach, size - reach), at)
        first, after = n.split(places, (reach, size - reach), at)
        earlier, before = values.narrow(at, 0, size - reach), places.narrow(at, 0, size - reach)
        # NaN counts as the extreme; of two equal extremes the later one is kept.
        keep = n.logical_or(
            n.isnan(later), n.logical_and(wins(later, earlier), n.logical_not(n.isnan(earlier)))
        )
        values = n.concat((head, n.where(keep, later, earlier)), at)
        places = n.concat((first, n.where(keep, after, before)), at)
        reach *= 2
    # The values are gathered by the indices, so that the gradient goes to the elements that the indices name.
    return ValuesIndices(n.take_along_axis(x, places, at), places)


@typed
def nansum(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    keepdim: builtins.bool = False,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Sums elements, with 0 in place of NaN.

    Parameters
    ----------
    input
        Any shape.
    dim, axis
        The axis, by either name, or several; None for all.
    keepdim, keepdims
        One parameter: whether the axes stay with size 1.

    Returns
    -------
    Tensor
        The other axes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nansum(rl.tensor([1.0, rl.nan])).item()
    1.0
    """
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("nansum", keepdim, keepdims)
    return n.sum(n.where(n.isnan(input), 0, input), axis=dim, keepdims=keepdim)


@typed
def nanmean(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    keepdim: builtins.bool = False,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Averages the elements that are not NaN.

    Parameters
    ----------
    input
        Any shape; floating point.
    dim, axis
        The axis, by either name, or several; None for all.
    keepdim, keepdims
        One parameter: whether the axes stay with size 1.

    Returns
    -------
    Tensor
        The other axes; NaN where there is no number.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nanmean(rl.tensor([1.0, 3.0, rl.nan])).item()
    2.0
    """
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("nanmean", keepdim, keepdims)
    count = n.sum(n.logical_not(n.isnan(input)).astype(input.dtype), axis=dim, keepdims=keepdim)
    return nansum(input, dim, keepdim) / count


@typed
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: builtins.bool = False) -> MinMax:
    """Returns the smallest and the largest elements.

    Parameters
    ----------
    input
        Any shape, with an element or more.
    dim
        The axis; None for all.
    keepdim
        Whether the axes stay with size 1.

    Returns
    -------
    MinMax
        `min` and `max`.

    Examples
    --------
    >>> import rushlight as rl
    >>> low, high = rl.aminmax(rl.tensor([2, 1, 3]))
    >>> low.item(), high.item()
    (1, 3)
    """
    return MinMax(n.amin(input, axis=dim, keepdims=keepdim), n.amax(input, axis=dim, keepdims=keepdim))


def _correction(op: str, correction: float | None, unbiased: builtins.bool | None) -> float:
    if unbiased is None:
        return 1.0 if correction is None else float(correction)
    if correction is not None:
        raise TypeError(f"{op}: correction and unbiased are one parameter; give one")
    return 1.0 if unbiased else 0.0


@typed
def std_mean(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    *,
    correction: float | None = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
) -> tuple[Tensor, Tensor]:
    """Returns standard deviations and means.

    Parameters
    ----------
    input
        Any shape; floating point.
    dim
        The axis, or several; None for all.
    correction
        The number that is subtracted from the number of elements to give the divisor; 1 by default.
    unbiased
        Whether `correction` is 1, or else 0.
    keepdim
        Whether the axes stay with size 1.

    Returns
    -------
    tuple of Tensor
        The standard deviations and the means.

    Raises
    ------
    TypeError
        If `correction` and `unbiased` are both given.

    Examples
    --------
    >>> import rushlight as rl
    >>> s, m = rl.std_mean(rl.tensor([1.0, 3.0]), correction=0)
    >>> s.item(), m.item()
    (1.0, 2.0)
    """
    deviation = n.std(
        input, axis=dim, correction=_correction("std_mean", correction, unbiased), keepdims=keepdim
    )
    return deviation, n.mean(input, axis=dim, keepdims=keepdim)


@typed
def var_mean(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    *,
    correction: float | None = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
) -> tuple[Tensor, Tensor]:
    """Returns variances and means.

    Parameters
    ----------
    input
        Any shape; floating point.
    dim
        The axis, or several; None for all.
    correction
        The number that is subtracted from the number of elements to give the divisor; 1 by default.
    unbiased
        Whether `correction` is 1, or else 0.
    keepdim
        Whether the axes stay with size 1.

    Returns
    -------
    tuple of Tensor
        The variances and the means.

    Raises
    ------
    TypeError
        If `correction` and `unbiased` are both given.

    Examples
    --------
    >>> import rushlight as rl
    >>> v, m = rl.var_mean(rl.tensor([1.0, 5.0]), correction=0)
    >>> v.item(), m.item()
    (4.0, 3.0)
    """
    variance = n.var(
        input, axis=dim, correction=_correction("var_mean", correction, unbiased), keepdims=keepdim
    )
    return variance, n.mean(input, axis=dim, keepdims=keepdim)


@typed
def cummax(
    input: Tensor,
    dim: int | None = None,
    *,
    axis: int | None = None,
) -> ValuesIndices:
    """Returns running maxima along an axis, and their indices.

    Parameters
    ----------
    input
        Rank 1 or more.
    dim, axis
        The axis, by either name.

    Returns
    -------
    ValuesIndices
        `values` and int64 `indices`; of equal elements the index of the last. After a NaN the maximum is NaN.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, indices = rl.cummax(rl.tensor([1, 3, 2, 3]), 0)
    >>> values.tolist(), indices.tolist()
    ([1, 3, 3, 3], [0, 1, 1, 3])
    """
    dim = given_axis("cummax", dim, axis)
    return _running(input, one_axis("cummax", dim, input.ndim), n.greater_equal)


@typed
def cummin(
    input: Tensor,
    dim: int | None = None,
    *,
    axis: int | None = None,
) -> ValuesIndices:
    """Returns running minima along an axis, and their indices.

    Parameters
    ----------
    input
        Rank 1 or more.
    dim, axis
        The axis, by either name.

    Returns
    -------
    ValuesIndices
        `values` and int64 `indices`; of equal elements the index of the last. After a NaN the minimum is NaN.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, indices = rl.cummin(rl.tensor([3, 1, 2, 1]), 0)
    >>> values.tolist(), indices.tolist()
    ([3, 1, 1, 1], [0, 1, 1, 3])
    """
    dim = given_axis("cummin", dim, axis)
    return _running(input, one_axis("cummin", dim, input.ndim), n.less_equal)


@typed
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Returns the covariances of variables.

    Parameters
    ----------
    input
        One row for each variable, or a vector of one variable; floating point.
    correction
        The number that is subtracted from the number of observations to give the divisor.
    fweights
        How often each observation was made: integers, 0 or more.
    aweights
        The weight of each observation: 0 or more.

    Returns
    -------
    Tensor
        A square matrix, or a scalar for one variable.

    Raises
    ------
    TypeError
        If `fweights` are not integers.
    ValueError
        If the rank is above 2, or weights are negative or not one for each observation.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cov(rl.tensor([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[2.0, -2.0], [-2.0, 2.0]]
    """
    if input.ndim > 2:
        raise ValueError(f"cov: expected rank 2 or less, got shape {input.shape}")
    x = n.reshape(input, (1, input.size)) if input.ndim < 2 else input
    if fweights is None and aweights is None:
        x = x - n.mean(x, axis=1, keepdims=True)
        out = n.matmul(x, conj(x.mT)) / builtins.max(0, x.shape[1] - correction)
    else:
        weights = _weights(x, fweights, aweights)
        total = n.sum(weights)
        x = x - n.sum(x * weights, axis=1, keepdims=True) / total
        lost = total if aweights is None else n.sum(weights * aweights.astype(weights.dtype))
        divisor = n.clip(total - correction * lost / total, 0.0, None)
        out = n.matmul(x * weights, conj(x.mT)) / divisor
    return n.reshape(out, ()) if x.shape[0] == 1 else out


def _weights(x: Tensor, fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
    """Return the weights of the observations of `cov`, as real numbers of the precision of `x`."""
    if fweights is not None and (fweights.dtype.is_floating_point or fweights.dtype.is_complex):
        raise TypeError(f"cov: fweights are integers, got {fweights.dtype}")
    real = n._real(x).dtype if x.dtype.is_complex else x.dtype
    weights = n.ones((x.shape[1],), dtype=real, device=x.device)
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        if given.shape != weights.shape:
            raise ValueError(f"cov: {name} have shape {given.shape}, and {weights.shape} is needed")
        if bool(n.any(given < 0)):
            raise ValueError(f"cov: {name} are 0 or more, and one is negative")
        weights = weights * given.astype(real)
    return weights


@typed
def corrcoef(input: Tensor) -> Tensor:
    """Returns the correlations of variables.

    Parameters
    ----------
    input
        One row for each variable, or a vector of one variable; floating point.

    Returns
    -------
    Tensor
        A square matrix, or a scalar, from -1 to 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.corrcoef(rl.tensor([[0.0, 1.0, 3.0], [0.0, 2.0, 6.0]])).round().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    c = cov(input)
    if c.ndim == 0:
        return c / c
    spread = n.sqrt(n._real(diagonal(c)) if c.dtype.is_complex else diagonal(c))
    r = c / n.expand_dims(spread, 1) / n.expand_dims(spread, 0)
    if r.dtype.is_complex:
        return by_parts(lambda part: n.clip(part, -1.0, 1.0), r)
    return n.clip(r, -1.0, 1.0)


@typed
def unique_consecutive(
    input: Tensor,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Returns the elements without those that equal the element before them.

    Parameters
    ----------
    input
        Any shape, which is flattened without `dim`.
    return_inverse
        Whether to return the index of each element's run.
    return_counts
        Whether to return the lengths of the runs.
    dim
        Compares the entries of this axis in place of single elements.

    Returns
    -------
    Tensor or tuple of Tensor
        The elements or entries, then the inverse and the counts that were asked for.

    Raises
    ------
    IndexError
        If the axis is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.unique_consecutive(rl.tensor([1, 1, 2, 1])).tolist()
    [1, 2, 1]
    >>> rl.unique_consecutive(rl.tensor([[1, 2], [1, 2], [1, 3]]), dim=0).tolist()
    [[1, 2], [1, 3]]
    """
    x = input.detach()
    if dim is None:
        x = n.reshape(x, (x.size,))
    at = one_axis("unique_consecutive", 0 if dim is None else dim, x.ndim)
    size = x.shape[at]
    rows = n.reshape(x.transpose(0, at), (size, x.size // builtins.max(1, size)))
    new, ranks = runs(n.any(rows[1:] != rows[:-1], axis=1), size)
    values = n.take(x, n.nonzero(new)[0], axis=at)
    out = [values]
    out += [n.reshape(ranks, input.shape) if dim is None else ranks] if return_inverse else []
    out += [bincount(ranks, minlength=values.shape[at])] if return_counts else []
    return out[0] if len(out) == 1 else tuple(out)
