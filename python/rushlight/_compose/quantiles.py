"""Quantiles and percentiles, of all elements or of those that are not NaN."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import several, typed
from .._native import Tensor
from .._shared_docs import documented
from .axes import all_axes, axis_or_dim, keep_or_keepdims
from .sets import unique_inverse
from .shapes import moveaxis

__all__ = ["nanpercentile", "nanquantile", "percentile", "quantile"]

# The definitions of Hyndman and Fan (1996) between two elements, by the numbers alpha and beta: the position
# of the probability p, counted from 1, is n p + alpha + p (1 - alpha - beta).
_CONTINUOUS = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
# Those by whole positions, and NumPy's choices of an element beside the position of "linear".
_STEPS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")
_CHOICES = ("lower", "higher", "midpoint", "nearest")

_SECTIONS = """
Parameters
----------
input
    Floating point; with an element or more.
q
    One {share} or several, from 0 to {most}.
dim, axis
    The axis, by either name, or several as a tuple; None for all elements.
keepdim, keepdims
    One parameter: whether the axes stay with size 1.
interpolation, method
    One parameter, by PyTorch's and by NumPy's name. Between two elements ``"linear"``, ``"lower"``,
    ``"higher"``, ``"midpoint"`` or ``"nearest"``; or another definition of quantiles, as in NumPy:
    ``"inverted_cdf"``, ``"averaged_inverted_cdf"``, ``"closest_observation"``,
    ``"interpolated_inverted_cdf"``, ``"hazen"``, ``"weibull"``, ``"median_unbiased"`` or
    ``"normal_unbiased"`` (1 to 9, without the 7th, ``"linear"``, of Hyndman and Fan 1996).

Returns
-------
Tensor
    One value for each line; with several `q` these are the first axis. NaN where {nan}.

Raises
------
TypeError
    If the dtype is not floating point, or a parameter is given by both names.
ValueError
    If a {share} is not between 0 and {most}, there is no element, or `interpolation` is another text.

Examples
--------
>>> import rushlight as rl
>>> x = rl.tensor([{elements}])
>>> rl.{name}(x, {half}).item(), rl.{name}(x, {half}, method="inverted_cdf").item()
(1.5, 1.0)
"""
_PROBABILITY = {"share": "probability", "most": "1", "half": "0.5"}
_PERCENTAGE = {"share": "percentage", "most": "100", "half": "50"}
_ALL = {"nan": "an element is", "elements": "0.0, 1.0, 2.0, 3.0"}
_NUMBERS = {"nan": "all elements are", "elements": "0.0, 1.0, 2.0, 3.0, rl.nan"}


def probabilities(
    op: str, input: Tensor, q: float | Sequence[float] | Tensor
) -> tuple[builtins.bool, list[float]]:
    """Return whether there is one probability, and all of them."""
    if not input.dtype.is_floating_point:
        raise TypeError(f"{op}: expected a floating-point dtype, got {input.dtype}; use .float()")
    given: float | Sequence[float] = q.tolist() if isinstance(q, Tensor) else q
    single = isinstance(given, (int, float))
    wanted = [float(given)] if isinstance(given, (int, float)) else [float(v) for v in given]
    if not builtins.all(0 <= v <= 1 for v in wanted):
        raise ValueError(f"{op}: a probability is between 0 and 1, got {wanted}")
    return single, wanted


def _method(op: str, interpolation: str, method: str | None) -> str:
    """Return the method, which PyTorch calls interpolation."""
    if method is None:
        method = interpolation
    elif interpolation != "linear":
        raise TypeError(f"{op}: interpolation and method are one parameter; give one")
    if method not in (*_CONTINUOUS, *_STEPS, *_CHOICES):
        names = ", ".join(repr(name) for name in (*_CONTINUOUS, *_STEPS, *_CHOICES))
        raise ValueError(f"{op}: interpolation is one of {names}, got {method!r}")
    return method


def _place(size: int, p: float, method: str) -> tuple[int, float]:
    """Return the index of the element at or below a probability, and the weight of the next one."""
    alpha, beta = _CONTINUOUS.get(method, (1.0, 1.0))
    at = size * p + (alpha + p * (1 - alpha - beta)) - 1
    if method in _CHOICES or method == "linear":
        at = p * (size - 1)
    elif method in _STEPS:
        at = size * p - (1.5 if method == "closest_observation" else 1)
    below = math.floor(at)
    share = at - below
    match method:
        case "lower":
            share = 0.0
        case "higher":
            share = float(share > 0)
        case "midpoint":
            share = 0.5 * (share > 0)
        case "nearest":
            below, share = round(at), 0.0
        case "inverted_cdf":
            share = float(share > 0)
        case "averaged_inverted_cdf":
            share = 1.0 if share > 0 else 0.5
        case "closest_observation":
            share = float(share > 0 or below % 2 == 0)
    # The weight 1 is the next element alone: an infinite one would make NaN of the difference.
    below, share = (below + 1, 0.0) if share == 1 else (below, share)
    if below < 0:
        return 0, 0.0
    return (below, share) if below < size - 1 else (size - 1, 0.0)


def _lines(op: str, input: Tensor, dim: int | Sequence[int] | None) -> tuple[Tensor, int, list[int]]:
    """Return a tensor whose axis has the elements to choose from, that axis, and the axes of the input."""
    if dim is None:
        axes = list(builtins.range(input.ndim))
        x, at = n.reshape(input, (input.size,)), 0
    else:
        axes = all_axes(op, several(dim, f"{op}: an axis"), input.ndim)
        x, at = input, axes[0] if axes else 0
        if len(axes) != 1:
            x = moveaxis(input, tuple(axes), tuple(builtins.range(-len(axes), 0)))
            kept = x.shape[: input.ndim - len(axes)]
            x, at = n.reshape(x, (*kept, math.prod(input.shape[a] for a in axes))), len(kept)
    if x.shape[at] == 0:
        raise ValueError(f"{op}: a tensor of shape {input.shape} has no element to choose")
    return x, at, axes


def _shaped(value: Tensor, input: Tensor, axes: Sequence[int], keepdim: builtins.bool) -> Tensor:
    """Return results without the axes, or with size 1 there."""
    sizes = [1 if i in axes else size for i, size in enumerate(input.shape)]
    return n.reshape(value, sizes if keepdim else [s for i, s in enumerate(sizes) if i not in axes])


@documented(_SECTIONS, **_PROBABILITY, **_ALL)
@typed
def quantile(
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: int | Sequence[int] | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    method: str | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Returns quantiles along an axis."""
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("quantile", keepdim, keepdims)
    return _quantile("quantile", input, q, dim, keepdim, _method("quantile", interpolation, method))


def _quantile(
    op: str,
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: int | Sequence[int] | None,
    keepdim: builtins.bool,
    method: str,
) -> Tensor:
    single, wanted = probabilities(op, input, q)
    x, at, axes = _lines(op, input, dim)
    places = [_place(x.shape[at], v, method) for v in wanted]
    start = builtins.min((below for below, _ in places), default=0)
    stop = builtins.max((below + (share > 0) + 1 for below, share in places), default=0)
    ordered, _ = n._sort_part(x, at, False, start, stop - start)
    missing = n.any(n.isnan(x), axis=at, keepdims=True)
    found = []
    for below, share in places:
        low = ordered.narrow(at, below - start, 1)
        value = low if share == 0 else low + (ordered.narrow(at, below - start + 1, 1) - low) * share
        found.append(_shaped(n.where(missing, math.nan, value), input, axes, keepdim))
    return found[0] if single else n.stack(found)


@documented(_SECTIONS, **_PROBABILITY, **_NUMBERS)
@typed
def nanquantile(
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: int | Sequence[int] | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    method: str | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Returns quantiles of the elements that are not NaN."""
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("nanquantile", keepdim, keepdims)
    return _nanquantile("nanquantile", input, q, dim, keepdim, _method("nanquantile", interpolation, method))


def _nanquantile(
    op: str,
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: int | Sequence[int] | None,
    keepdim: builtins.bool,
    method: str,
) -> Tensor:
    single, wanted = probabilities(op, input, q)
    x, at, axes = _lines(op, input, dim)
    # NaN comes last.
    ordered = n.sort(x, axis=at)
    sizes, which = unique_inverse(n.sum(n.logical_not(n.isnan(x)), axis=at, keepdims=True))
    found = []
    for v in wanted:
        # A line without a number has NaN at index 0.
        places = [_place(builtins.max(1, size), v, method) for size in sizes.tolist()]
        below = n.take(n.asarray([p for p, _ in places], dtype=t.int64, device=x.device), which)
        share = n.take(n.asarray([s for _, s in places], dtype=x.dtype, device=x.device), which)
        low = n.take_along_axis(ordered, below, at)
        high = n.take_along_axis(ordered, n.where(share > 0, below + 1, below), at)
        value = n.where(share == 0, low, low + (high - low) * share)
        found.append(_shaped(value, input, axes, keepdim))
    return found[0] if single else n.stack(found)


def _shares(op: str, q: float | Sequence[float] | Tensor) -> float | list[float]:
    """Return percentages as probabilities."""
    given: float | Sequence[float] = q.tolist() if isinstance(q, Tensor) else q
    single = isinstance(given, (int, float))
    wanted = [float(given)] if isinstance(given, (int, float)) else [float(v) for v in given]
    if not builtins.all(0 <= v <= 100 for v in wanted):
        raise ValueError(f"{op}: a percentage is between 0 and 100, got {wanted}")
    return wanted[0] / 100 if single else [v / 100 for v in wanted]


@documented(_SECTIONS, **_PERCENTAGE, **_ALL)
@typed
def percentile(
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: int | Sequence[int] | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    method: str | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Returns percentiles along an axis: `quantile` of percentages."""
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("percentile", keepdim, keepdims)
    rule = _method("percentile", interpolation, method)
    return _quantile("percentile", input, _shares("percentile", q), dim, keepdim, rule)


@documented(_SECTIONS, **_PERCENTAGE, **_NUMBERS)
@typed
def nanpercentile(
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: int | Sequence[int] | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    method: str | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: builtins.bool | None = None,
) -> Tensor:
    """Returns percentiles of the elements that are not NaN: `nanquantile` of percentages."""
    dim, keepdim = axis_or_dim(dim, axis, None), keep_or_keepdims("nanpercentile", keepdim, keepdims)
    rule = _method("nanpercentile", interpolation, method)
    return _nanquantile("nanpercentile", input, _shares("nanpercentile", q), dim, keepdim, rule)
