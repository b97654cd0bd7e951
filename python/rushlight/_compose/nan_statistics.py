"""Extremes, deviations, products and running sums of the elements that are not NaN, by NumPy's names."""

from __future__ import annotations

import builtins
import math

from .. import _native as n
from .. import _types as t
from .._check import renamed, typed
from .._native import Tensor
from .._shared_docs import documented
from .axes import axis_or_dim, keep_or_keepdims, one_axis
from .moments import nansum
from .sets import cumprod, cumsum

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmin",
    "nanprod",
    "nanstd",
    "nanvar",
]

_EXTREME = """
Parameters
----------
input
    Any shape and real dtype, with an element or more.
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
>>> rl.{name}(rl.tensor([1.0, rl.nan, 3.0])).item()
{result}
"""
_DEVIATION = """
Parameters
----------
input
    Any shape and real dtype; integers are converted to the default dtype.
dim, axis
    The axis, by either name, or several; None for all.
keepdim, keepdims
    One parameter: whether the axes stay with size 1.
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
    If the dtype is complex.

Examples
--------
>>> import rushlight as rl
>>> rl.{name}(rl.tensor([1.0, 3.0, rl.nan])).item()
1.0
"""
_RUNNING = """
Parameters
----------
x
    Any shape; numeric.
axis, dim
    The axis, by either name; None takes all elements, as a vector.

Returns
-------
Tensor
    Of the shape of `x`, or a vector.

Raises
------
IndexError
    If the axis is out of range.

Examples
--------
>>> import rushlight as rl
>>> rl.{name}(rl.tensor([3.0, rl.nan, 2.0])).tolist()
{result}
"""
_PLACE = """
Parameters
----------
x
    Any shape and real dtype, with an element or more.
axis, dim
    The axis, by either name; None takes all elements, as a vector.
keepdims
    Whether the axes stay with size 1.

Returns
-------
Tensor
    int64; of equal elements the index of the first.

Raises
------
ValueError
    If there is no element, or NaN alone.

Examples
--------
>>> import rushlight as rl
>>> rl.{name}(rl.tensor([3.0, rl.nan, 5.0])).item()
{result}
"""


def _floating(op: str, x: Tensor) -> Tensor:
    """Return floats, of the default dtype for integers."""
    if x.dtype.is_complex:
        raise TypeError(f"{op}: complex numbers are not supported, got {x.dtype}")
    return x if x.dtype.is_floating_point else x.astype(n.get_default_dtype())


def _extreme(op: str, x: Tensor, dim: int | tuple[int, ...] | None, keepdim: builtins.bool) -> Tensor:
    largest = op == "nanmax"
    reduce = n.amax if largest else n.amin
    if not x.dtype.is_floating_point:
        return reduce(x, axis=dim, keepdims=keepdim)
    missing = n.isnan(x)
    found = reduce(n.where(missing, -math.inf if largest else math.inf, x), axis=dim, keepdims=keepdim)
    return n.where(n.all(missing, axis=dim, keepdims=keepdim), math.nan, found)


@documented(_EXTREME, result="3.0")
@typed
@renamed("amax")
def nanmax(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    keepdim: builtins.bool = False,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Returns the largest of the elements that are not NaN."""
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("nanmax", keepdim, keepdims)
    return _extreme("nanmax", input, dim, keepdim)


@documented(_EXTREME, result="1.0")
@typed
@renamed("amin")
def nanmin(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    keepdim: builtins.bool = False,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Returns the smallest of the elements that are not NaN."""
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("nanmin", keepdim, keepdims)
    return _extreme("nanmin", input, dim, keepdim)


@documented(_DEVIATION)
@typed
def nanvar(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: float = 0.0,
    axis: int | tuple[int, ...] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Returns the variance of the elements that are not NaN."""
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("nanvar", keepdim, keepdims)
    input = _floating("nanvar", input)
    missing = n.isnan(input)
    count = n.sum(n.logical_not(missing).astype(input.dtype), axis=dim, keepdims=True)
    mean = nansum(input, dim, True) / n.maximum(count, 1.0)
    apart = n.where(missing, 0.0, input - mean)
    total = n.sum(apart * apart, axis=dim, keepdims=keepdim)
    divisor = n.reshape(count, total.shape)
    enough = divisor > correction
    return n.where(enough, total / n.where(enough, divisor - correction, 1.0), math.nan)


@documented(_DEVIATION)
@typed
def nanstd(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: float = 0.0,
    axis: int | tuple[int, ...] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Returns the standard deviation of the elements that are not NaN: the root of `nanvar`."""
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("nanstd", keepdim, keepdims)
    input = _floating("nanstd", input)
    return n.sqrt(nanvar(input, dim, keepdim, correction=correction))


def _running_axis(op: str, x: Tensor, axis: int | None) -> tuple[Tensor, int]:
    if axis is None:
        return n.reshape(x, (x.size,)), 0
    return x, one_axis(op, axis, x.ndim)


@typed
def nanprod(
    x: Tensor,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    keepdims: builtins.bool = False,
    dim: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Multiplies elements, with 1 in place of NaN.

    Parameters
    ----------
    x
        Any shape; numeric.
    axis, dim
        The axis, by either name; several as a tuple, None for all.
    keepdims
        Whether the axes stay with size 1.

    Returns
    -------
    Tensor
        The other axes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nanprod(rl.tensor([3.0, rl.nan, 2.0])).item()
    6.0
    """
    return n.prod(n.where(n.isnan(x), 1, x), axis=axis_or_dim(axis, dim, None), keepdims=keepdims)


@documented(_RUNNING, result="[3.0, 3.0, 5.0]")
@typed
def nancumsum(x: Tensor, /, axis: int | None = None, *, dim: int | None = None) -> Tensor:
    """Returns running sums, with 0 in place of NaN."""
    x, at = _running_axis("nancumsum", x, axis_or_dim(axis, dim, None))
    return cumsum(n.where(n.isnan(x), 0, x), at)


@documented(_RUNNING, result="[3.0, 3.0, 6.0]")
@typed
def nancumprod(x: Tensor, /, axis: int | None = None, *, dim: int | None = None) -> Tensor:
    """Returns running products, with 1 in place of NaN."""
    x, at = _running_axis("nancumprod", x, axis_or_dim(axis, dim, None))
    return cumprod(n.where(n.isnan(x), 1, x), at)


def _place_of_extreme(op: str, x: Tensor, axis: int | None, keepdims: builtins.bool) -> Tensor:
    if x.dtype.is_floating_point:
        missing = n.isnan(x)
        if builtins.bool(n.any(n.all(missing, axis=axis))):
            raise ValueError(f"{op}: a line of shape {x.shape} along axis {axis} has NaN alone")
        # Where infinities are the extreme, NaN must not come before them.
        lowest = n.where(missing, -math.inf if op == "nanargmax" else math.inf, x)
        extreme = (n.amax if op == "nanargmax" else n.amin)(lowest, axis=axis, keepdims=True)
        return n.argmax((x == extreme).astype(t.uint8), axis=axis, keepdims=keepdims)
    return (n.argmax if op == "nanargmax" else n.argmin)(x, axis=axis, keepdims=keepdims)


@documented(_PLACE, result="2")
@typed
@renamed("amax", "argmax")
def nanargmax(
    x: Tensor,
    /,
    axis: int | None = None,
    *,
    keepdims: builtins.bool = False,
    dim: int | None = None,
) -> Tensor:
    """Returns the index of the largest of the elements that are not NaN."""
    return _place_of_extreme("nanargmax", x, axis_or_dim(axis, dim, None), keepdims)


@documented(_PLACE, result="0")
@typed
@renamed("amin", "argmin", "argmax")
def nanargmin(
    x: Tensor,
    /,
    axis: int | None = None,
    *,
    keepdims: builtins.bool = False,
    dim: int | None = None,
) -> Tensor:
    """Returns the index of the smallest of the elements that are not NaN."""
    return _place_of_extreme("nanargmin", x, axis_or_dim(axis, dim, None), keepdims)
