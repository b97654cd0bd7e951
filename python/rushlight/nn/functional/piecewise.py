"""Piecewise linear activations."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import placed

__all__ = [
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "prelu",
    "relu6",
    "rrelu",
    "softshrink",
    "threshold",
]


@typed
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Returns ``x`` where it exceeds `threshold`, else `value`.

    Parameters
    ----------
    input
        Any shape; floating point.
    threshold
        The bound; the derivative at it is 0.
    value
        The result at and below the bound.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.threshold(rl.tensor([-1.0, 2.0]), 0.5, 9.0).tolist()
    [9.0, 2.0]
    """
    return placed(input, _native._threshold(input, threshold, value), inplace)


@typed
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Limits ``x`` to an interval; the derivative at the bounds is 0.

    Parameters
    ----------
    input
        Any shape; floating point.
    min_val, max_val
        The bounds.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `min_val` exceeds `max_val`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.hardtanh(rl.tensor([-3.0, 0.5, 2.0])).tolist()
    [-1.0, 0.5, 1.0]
    """
    return placed(input, _native._hardtanh(input, min_val, max_val), inplace)


@typed
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns ``min(max(x, 0), 6)``; the derivative at 0 and 6 is 0.

    Parameters
    ----------
    input
        Any shape; floating point.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.relu6(rl.tensor([-1.0, 2.0, 8.0])).tolist()
    [0.0, 2.0, 6.0]
    """
    return placed(input, _native._relu6(input), inplace)


@typed
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Returns ``x`` where positive, else ``negative_slope * x``.

    Parameters
    ----------
    input
        Any shape; floating point.
    negative_slope
        The derivative at and below 0.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.leaky_relu(rl.tensor([-2.0, 2.0]), 0.5).tolist()
    [-1.0, 2.0]
    """
    return placed(input, _native._leaky_relu(input, negative_slope), inplace)


@typed
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Returns ``x`` where positive, else ``weight * x`` with a learned weight.

    Parameters
    ----------
    input
        Any shape; floating point.
    weight
        One element, or one for each channel: axis 1 of `input`, or axis 0 of rank 1.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If the number of weights does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.prelu(rl.tensor([-2.0, 2.0]), rl.tensor([0.25])).tolist()
    [-0.5, 2.0]
    """
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.ndim > 1 or weight.size not in (1, channels):
        raise ValueError(
            f"prelu: weight {weight.shape} has neither one element nor one for each of {channels}"
        )
    if weight.size > 1 and input.ndim > 2:
        weight = rl.reshape(weight, (weight.size,) + (1,) * (input.ndim - 2))
    return _native._prelu(input, weight)


@typed
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Returns ``x`` where positive, else ``a * x`` with a random slope for each element.

    Parameters
    ----------
    input
        Any shape; floating point.
    lower, upper
        The bounds of the uniform distribution of the slopes.
    training
        Whether slopes are drawn, from the generator that `rushlight.manual_seed` seeds; else each is the mean
        of the bounds.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `lower` exceeds `upper`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.rrelu(rl.tensor([-2.0, 2.0]), 0.25, 0.75).tolist()
    [-1.0, 2.0]
    """
    if lower > upper:
        raise ValueError(f"rrelu: lower {lower} exceeds upper {upper}")
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    slope = rl.rand(input.shape, dtype=input.dtype, device=input.device) * (upper - lower) + lower
    return placed(input, _native._prelu(input, slope), inplace)


@typed
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns ``relu6(x + 3) / 6``; the derivative at -3 and 3 is 0.

    Parameters
    ----------
    input
        Any shape; floating point.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.hardsigmoid(rl.tensor([-4.0, 0.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return placed(input, _native._hardsigmoid(input), inplace)


@typed
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns ``x * relu6(x + 3) / 6``.

    Parameters
    ----------
    input
        Any shape; floating point.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.hardswish(rl.tensor([-4.0, 0.0, 4.0])).tolist()
    [-0.0, 0.0, 4.0]
    """
    return placed(input, _native._hardswish(input), inplace)


@typed
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Returns 0 from ``-lambd`` to ``lambd``, else ``x``.

    Parameters
    ----------
    input
        Any shape; floating point.
    lambd
        The bound.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.hardshrink(rl.tensor([-0.2, 2.0])).tolist()
    [0.0, 2.0]
    """
    return _native._hardshrink(input, lambd)


@typed
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Moves ``x`` towards 0 by `lambd`, but not beyond.

    Parameters
    ----------
    input
        Any shape; floating point.
    lambd
        The distance, not negative.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `lambd` is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.softshrink(rl.tensor([-2.0, 0.25, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """
    return _native._softshrink(input, lambd)
