"""Comparison within tolerances, limits, interpolation, and `is_tensor`."""

from __future__ import annotations

import builtins
from typing import Any

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .axes import Number

__all__ = [
    "allclose",
    "clamp_max",
    "clamp_min",
    "is_tensor",
    "isclose",
    "lerp",
    "nan_to_num",
    "numel",
]


@typed
def isclose(
    input: Tensor,
    other: Tensor | Number,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: builtins.bool = False,
) -> Tensor:
    """Returns where ``|input - other| <= atol + rtol * |other|``.

    Parameters
    ----------
    input, other
        Tensors, or a tensor and a number; shapes broadcast.
    rtol, atol
        The relative and the absolute tolerance.
    equal_nan
        Whether two NaN are close.

    Returns
    -------
    Tensor
        bool, of the broadcast shape. Infinities are close where they are equal.

    Raises
    ------
    ValueError
        If a tolerance is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.isclose(rl.tensor([1.0, 2.0]), rl.tensor([1.0, 2.1])).tolist()
    [True, False]
    """
    if rtol < 0 or atol < 0:
        raise ValueError(f"isclose: rtol is {rtol} and atol {atol}, and none may be negative")
    x, y = input.detach(), other.detach() if isinstance(other, Tensor) else other
    near = n.equal(x, y)
    if equal_nan:
        near = n.logical_or(near, n.logical_and(n.not_equal(x, x), n.not_equal(y + n.zeros_like(x), y)))
    if rtol == 0 and atol == 0:
        return near
    bound = (n.abs(y) if isinstance(y, Tensor) else builtins.abs(y)) * rtol + atol
    gap = n.abs(x - y)
    # The gap must be finite: infinities of one sign are equal, and other infinities are never close.
    return n.logical_or(near, n.logical_and(n.isfinite(gap), gap <= bound))


def allclose(
    input: Tensor,
    other: Tensor | Number,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: builtins.bool = False,
) -> builtins.bool:
    """Returns whether ``|input - other| <= atol + rtol * |other|`` everywhere.

    Parameters
    ----------
    input, other
        Tensors, or a tensor and a number; shapes broadcast.
    rtol, atol
        The relative and the absolute tolerance.
    equal_nan
        Whether two NaN are close.

    Returns
    -------
    bool
        Whether all elements are close.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.allclose(rl.tensor([1.0, 2.0]), rl.tensor([1.0, 2.0 + 1e-6]))
    True
    """
    return builtins.bool(n.all(isclose(input, other, rtol, atol, equal_nan)))


@typed
def clamp_min(input: Tensor, min: Tensor | float) -> Tensor:
    """Limits elements from below.

    Parameters
    ----------
    input
        Any shape; integer or floating point.
    min
        The least value: a number, or a tensor that broadcasts.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.clamp_min(rl.tensor([-1.0, 2.0]), 0.0).tolist()
    [0.0, 2.0]
    """
    return n.clip(input, min, None)


@typed
def clamp_max(input: Tensor, max: Tensor | float) -> Tensor:
    """Limits elements from above.

    Parameters
    ----------
    input
        Any shape; integer or floating point.
    max
        The largest value: a number, or a tensor that broadcasts.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.clamp_max(rl.tensor([-1.0, 2.0]), 0.0).tolist()
    [-1.0, 0.0]
    """
    return n.clip(input, None, max)


@typed
def lerp(input: Tensor, end: Tensor, weight: Tensor | float) -> Tensor:
    """Interpolates linearly: ``input + weight * (end - input)``.

    If the weight is 0.5 or more, the result is computed from `end`, as
    ``end - (end - input) * (1 - weight)``, so that the weight 1 gives `end` exactly.

    Parameters
    ----------
    input, end
        Floating-point or complex tensors of one dtype; shapes broadcast.
    weight
        A number, or a tensor that broadcasts.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    TypeError
        If a dtype is neither floating point nor complex, or the dtypes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.lerp(rl.tensor([0.0, 2.0]), rl.tensor([4.0, 4.0]), 0.25).tolist()
    [1.0, 2.5]
    """
    if input.dtype.is_complex and input.dtype == end.dtype:
        return input + (end - input) * (weight.to(input.dtype) if isinstance(weight, Tensor) else weight)
    if not input.dtype.is_floating_point or input.dtype != end.dtype:
        raise TypeError(
            f"lerp: expected floating-point tensors of one dtype, got {input.dtype} and {end.dtype}"
        )
    if isinstance(weight, Tensor):
        return n._lerp(input, end, weight.to(input.dtype))
    return n._lerp_scalar(input, end, weight)


@typed
def nan_to_num(
    input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Replaces NaN and infinities.

    Parameters
    ----------
    input
        Any shape; floating point; complex, whose parts are treated alike; or integers, which stay as they
        are.
    nan
        The number in place of NaN.
    posinf, neginf
        Numbers in place of infinities; the largest and the smallest of the dtype by default.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nan_to_num(rl.tensor([rl.nan, rl.inf, 1.0]), posinf=5.0).tolist()
    [0.0, 5.0, 1.0]
    """
    if input.dtype.is_complex:
        parts = (nan_to_num(part, nan, posinf, neginf) for part in (n._real(input), n._imag(input)))
        return n._complex(*parts)
    if not input.dtype.is_floating_point:
        return input.clone()
    from .._info import finfo

    limits = finfo(input.dtype)
    out = n.where(n.isnan(input), nan, input)
    out = n.where(out == t.inf, limits.max if posinf is None else posinf, out)
    return n.where(out == -t.inf, limits.min if neginf is None else neginf, out)


def is_tensor(obj: Any) -> builtins.bool:
    """Returns whether an object is a `Tensor`.

    Parameters
    ----------
    obj
        Any object.

    Returns
    -------
    bool
        True for tensors and parameters.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.is_tensor(rl.ones(2)), rl.is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


@typed
def numel(input: Tensor) -> int:
    """Returns the number of elements.

    Parameters
    ----------
    input
        Any shape and dtype.

    Returns
    -------
    int
        The product of the sizes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.numel(rl.ones((2, 3)))
    6
    """
    return input.numel()
