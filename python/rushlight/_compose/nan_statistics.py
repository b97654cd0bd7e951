"""Extremes and deviations of the elements that are not NaN, and percentiles, by NumPy's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from .. import _native as n
from .._check import typed
from .._native import Tensor
from .distributions import nanquantile
from .moments import nansum
from .statistics import quantile

__all__ = ["nanmax", "nanmin", "nanpercentile", "nanstd", "nanvar", "percentile"]


def _extreme(op: str, x: Tensor, dim: int | tuple[int, ...] | None, keepdim: builtins.bool) -> Tensor:
    largest = op == "nanmax"
    reduce = n.amax if largest else n.amin
    if not x.dtype.is_floating_point:
        return reduce(x, axis=dim, keepdims=keepdim)
    missing = n.isnan(x)
    found = reduce(n.where(missing, -math.inf if largest else math.inf, x), axis=dim, keepdims=keepdim)
    return n.where(n.all(missing, axis=dim, keepdims=keepdim), math.nan, found)


@typed
def nanmax(input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: builtins.bool = False) -> Tensor:
    """Returns the largest of the elements that are not NaN.

    Parameters
    ----------
    input
        Any shape and real dtype, with an element or more.
    dim
        The axis, or several; None for all.
    keepdim
        Whether the axes stay with size 1.

    Returns
    -------
    Tensor
        The other axes; NaN where there is no number.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nanmax(rl.tensor([1.0, rl.nan, 3.0])).item()
    3.0
    """
    return _extreme("nanmax", input, dim, keepdim)


@typed
def nanmin(input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: builtins.bool = False) -> Tensor:
    """Returns the smallest of the elements that are not NaN.

    Parameters
    ----------
    input
        Any shape and real dtype, with an element or more.
    dim
        The axis, or several; None for all.
    keepdim
        Whether the axes stay with size 1.

    Returns
    -------
    Tensor
        The other axes; NaN where there is no number.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nanmin(rl.tensor([1.0, rl.nan, 3.0])).item()
    1.0
    """
    return _extreme("nanmin", input, dim, keepdim)


@typed
def nanvar(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: float = 0.0,
) -> Tensor:
    """Returns the variance of the elements that are not NaN.

    Parameters
    ----------
    input
        Any shape; floating point.
    dim
        The axis, or several; None for all.
    keepdim
        Whether the axes stay with size 1.
    correction
        The number that is subtracted from the number of elements to give the divisor: 0 by default, as in
        `var` and in NumPy.

    Returns
    -------
    Tensor
        The other axes; NaN where the divisor is not above 0.

    Raises
    ------
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nanvar(rl.tensor([1.0, 3.0, rl.nan])).item()
    1.0
    """
    if not input.dtype.is_floating_point:
        raise TypeError(f"nanvar: expected a floating-point dtype, got {input.dtype}; use .float()")
    missing = n.isnan(input)
    count = n.sum(n.logical_not(missing).astype(input.dtype), axis=dim, keepdims=True)
    mean = nansum(input, dim, True) / n.maximum(count, 1.0)
    apart = n.where(missing, 0.0, input - mean)
    total = n.sum(apart * apart, axis=dim, keepdims=keepdim)
    divisor = n.reshape(count, total.shape)
    enough = divisor > correction
    return n.where(enough, total / n.where(enough, divisor - correction, 1.0), math.nan)


@typed
def nanstd(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: float = 0.0,
) -> Tensor:
    """Returns the standard deviation of the elements that are not NaN: the root of `nanvar`.

    Parameters
    ----------
    input
        Any shape; floating point.
    dim
        The axis, or several; None for all.
    keepdim
        Whether the axes stay with size 1.
    correction
        The number that is subtracted from the number of elements to give the divisor.

    Returns
    -------
    Tensor
        The other axes; NaN where the divisor is not above 0.

    Raises
    ------
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nanstd(rl.tensor([1.0, 3.0, rl.nan])).item()
    1.0
    """
    if not input.dtype.is_floating_point:
        raise TypeError(f"nanstd: expected a floating-point dtype, got {input.dtype}; use .float()")
    return n.sqrt(nanvar(input, dim, keepdim, correction=correction))


def _shares(op: str, q: float | Sequence[float] | Tensor) -> float | list[float]:
    """Return percentages as probabilities."""
    given: float | Sequence[float] = q.tolist() if isinstance(q, Tensor) else q
    single = isinstance(given, (int, float))
    wanted = [float(given)] if isinstance(given, (int, float)) else [float(v) for v in given]
    if not builtins.all(0 <= v <= 100 for v in wanted):
        raise ValueError(f"{op}: a percentage is between 0 and 100, got {wanted}")
    return wanted[0] / 100 if single else [v / 100 for v in wanted]


@typed
def percentile(
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """Returns percentiles along an axis: `quantile` of percentages.

    Parameters
    ----------
    input
        Floating point; with an element or more. Percentiles of elements that include NaN are NaN.
    q
        One percentage or several, from 0 to 100.
    dim
        The axis; None for all elements.
    keepdim
        Whether the axis stays with size 1.
    interpolation
        Between two elements: ``"linear"``, ``"lower"``, ``"higher"``, ``"midpoint"`` or ``"nearest"``.

    Returns
    -------
    Tensor
        One value for each line; with several `q` these are the first axis.

    Raises
    ------
    TypeError
        If the dtype is not floating point.
    ValueError
        If a percentage is not between 0 and 100, there is no element, or `interpolation` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.percentile(rl.tensor([0.0, 1.0, 2.0, 3.0]), 50).item()
    1.5
    """
    return quantile(input, _shares("percentile", q), dim, keepdim, interpolation=interpolation)


@typed
def nanpercentile(
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """Returns percentiles of the elements that are not NaN: `nanquantile` of percentages.

    Parameters
    ----------
    input
        Floating point; with an element or more.
    q
        One percentage or several, from 0 to 100.
    dim
        The axis; None for all elements.
    keepdim
        Whether the axis stays with size 1.
    interpolation
        Between two elements: ``"linear"``, ``"lower"``, ``"higher"``, ``"midpoint"`` or ``"nearest"``.

    Returns
    -------
    Tensor
        One value for each line; with several `q` these are the first axis. NaN where all elements are.

    Raises
    ------
    TypeError
        If the dtype is not floating point.
    ValueError
        If a percentage is not between 0 and 100, there is no element, or `interpolation` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nanpercentile(rl.tensor([0.0, rl.nan, 2.0]), 25).item()
    0.5
    """
    return nanquantile(input, _shares("nanpercentile", q), dim, keepdim, interpolation=interpolation)
