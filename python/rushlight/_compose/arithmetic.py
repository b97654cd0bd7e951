"""Elementwise functions and products of everyday use, by PyTorch's names."""

from __future__ import annotations

import builtins
import math

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .axes import Number, axis_or_dim, one_axis
from .elementwise import _floats
from .matrices import bmm, mv
from .precision import widened
from .products import tensordot
from .shapes import broadcast_arrays
from .statistics import norm

__all__ = [
    "addmv",
    "baddbmm",
    "cross",
    "deg2rad",
    "dist",
    "div",
    "fmax",
    "fmin",
    "fmod",
    "inner",
    "isneginf",
    "isposinf",
    "logit",
    "rad2deg",
    "xlogy",
]


@typed
def fmod(input: Tensor, other: Tensor | Number) -> Tensor:
    """Returns the remainder of a division, with the sign of `input`, like ``fmod`` of C.

    Parameters
    ----------
    input, other
        Tensors, or a tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape and the promoted dtype. `remainder` has the sign of `other`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fmod(rl.tensor([-5.0, 5.0]), 3.0).tolist()
    [-2.0, 2.0]
    """
    size = n.remainder(n.abs(input), n.abs(other) if isinstance(other, Tensor) else builtins.abs(other))
    return n.where(input < 0, -size, size)


@typed
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """Returns the larger of two elements; if one of them is NaN, the other one.

    Parameters
    ----------
    input, other
        Floating-point or integer tensors that broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape and the promoted dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fmax(rl.tensor([1.0, rl.nan]), rl.tensor([2.0, 3.0])).tolist()
    [2.0, 3.0]
    """
    return n.where(n.isnan(input), other, n.where(n.isnan(other), input, n.maximum(input, other)))


@typed
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """Returns the smaller of two elements; if one of them is NaN, the other one.

    Parameters
    ----------
    input, other
        Floating-point or integer tensors that broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape and the promoted dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fmin(rl.tensor([1.0, rl.nan]), rl.tensor([2.0, 3.0])).tolist()
    [1.0, 3.0]
    """
    return n.where(n.isnan(input), other, n.where(n.isnan(other), input, n.minimum(input, other)))


@typed
def deg2rad(input: Tensor) -> Tensor:
    """Converts degrees to radians.

    Parameters
    ----------
    input
        Any shape.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> round(rl.deg2rad(rl.tensor([180.0])).item(), 4)
    3.1416
    """
    return input * (math.pi / 180)


@typed
def rad2deg(input: Tensor) -> Tensor:
    """Converts radians to degrees.

    Parameters
    ----------
    input
        Any shape.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> round(rl.rad2deg(rl.tensor([rl.pi])).item(), 3)
    180.0
    """
    return input * (180 / math.pi)


def no_logarithm(x: Tensor, y: Tensor, least: float) -> Tensor:
    """Return where the product of `x` and a logarithm of `y`, finite above `least`, is 0 by definition.

    Elsewhere the product has the gradient ``log(y)`` also if `x` is 0; here gradients are 0, and not NaN.
    """
    finite = n.logical_or(n.isnan(y), n.logical_and(y > least, y < math.inf))
    return n.logical_and(x == 0, n.logical_not(finite))


@typed
def xlogy(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Returns ``input * log(other)``, and 0 where `input` is 0.

    Parameters
    ----------
    input, other
        Tensors, or a tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape; floating point. NaN where `other` is NaN.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.xlogy(rl.tensor([0.0, 2.0]), rl.tensor([0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    x, y = _floats("xlogy", input, other)
    zero = no_logarithm(x, y, 0.0)
    # (The sum makes -0 to 0.)
    return n.where(zero, 0.0, x * n.log(n.where(zero, 1.0, y)) + 0.0)


@typed
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """Returns ``log(x / (1 - x))``, the inverse of `sigmoid`.

    Parameters
    ----------
    input
        Any shape; floating point, from 0 to 1.
    eps
        Limits `input` to ``[eps, 1 - eps]`` first.

    Returns
    -------
    Tensor
        Of the shape of `input`: infinite at 0 and 1, as the gradient is, and NaN outside.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.logit(rl.tensor([0.5])).item()
    0.0
    """
    x = input if eps is None else n.clip(input, eps, 1 - eps)
    if x.dtype.is_complex:
        return n.log(x / (1 - x))
    x = x if x.dtype.is_floating_point else x.astype(t.float32)
    # (The gradient of the logarithm of the quotient is NaN at 0 and 1.)
    y = widened(x)
    return (n.log(y) - n.log1p(-y)).to(x.dtype)


@typed
def isposinf(input: Tensor) -> Tensor:
    """Returns where elements are positive infinity.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        bool, of the shape of `input`.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.isposinf(rl.tensor([rl.inf, 1.0])).tolist()
    [True, False]
    """
    if input.dtype.is_complex:
        raise TypeError(f"isposinf: complex numbers are not supported, got {input.dtype}")
    return input == math.inf


@typed
def isneginf(input: Tensor) -> Tensor:
    """Returns where elements are negative infinity.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        bool, of the shape of `input`.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.isneginf(rl.tensor([-rl.inf, 1.0])).tolist()
    [True, False]
    """
    if input.dtype.is_complex:
        raise TypeError(f"isneginf: complex numbers are not supported, got {input.dtype}")
    return input == -math.inf


@typed
def div(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
    """Divides; the quotient may be rounded to a whole number.

    Parameters
    ----------
    input, other
        Tensors, or a tensor and a number; shapes broadcast.
    rounding_mode
        ``"floor"`` rounds down, ``"trunc"`` towards zero, and None not at all.

    Returns
    -------
    Tensor
        Of the broadcast shape. The promoted dtype; not rounded, the default float for integers.

    Raises
    ------
    ValueError
        If `rounding_mode` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.div(rl.tensor([-7, 7]), 2).tolist()
    [-3.5, 3.5]
    >>> rl.div(rl.tensor([-7, 7]), 2, rounding_mode="trunc").tolist()
    [-3, 3]
    """
    if rounding_mode is None:
        return n.divide(input, other)
    down = n.floor_divide(input, other)
    if rounding_mode == "floor":
        return down
    if rounding_mode != "trunc":
        raise ValueError(f"div: rounding_mode is None, 'floor' or 'trunc', got {rounding_mode!r}")
    if down.dtype.is_floating_point:
        return n.trunc(n.divide(input, other))
    # The quotient rounded down is 1 too low where it is negative and not whole.
    low = n.logical_and(down < 0, n.not_equal(n.multiply(down, other), input))
    return down + low.astype(down.dtype)


@typed
def dist(input: Tensor, other: Tensor, p: float = 2.0) -> Tensor:
    """Returns the norm of the difference of two tensors.

    Parameters
    ----------
    input, other
        Floating-point tensors that broadcast.
    p
        The order of the norm.

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.dist(rl.tensor([0.0, 0.0]), rl.tensor([3.0, 4.0])).item()
    5.0
    """
    return norm(input - other, p)


@typed
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums products over the last axes of two tensors.

    Parameters
    ----------
    input, other
        Numeric tensors with a last axis of one size, or scalars.

    Returns
    -------
    Tensor
        The other axes of `input`, then those of `other`.

    Raises
    ------
    ValueError
        If the sizes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.inner(rl.tensor([1.0, 2.0]), rl.tensor([[3.0, 4.0]])).tolist()
    [11.0]
    """
    if input.ndim == 0 or other.ndim == 0:
        return n.multiply(input, other)
    return tensordot(input, other, axes=([-1], [-1]))


@typed
def cross(input: Tensor, other: Tensor, dim: int = -1, *, axis: int | None = None) -> Tensor:
    """Returns the cross products of vectors of three elements.

    Parameters
    ----------
    input, other
        Tensors that broadcast, with 3 elements along the axis.
    dim
        The axis.
    axis
        The array API's name of `dim`.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    ValueError
        If an axis does not have 3 elements.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cross(rl.tensor([1.0, 0.0, 0.0]), rl.tensor([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    dim = axis_or_dim(dim, axis, -1)
    x, y = broadcast_arrays(input, other)
    at = one_axis("cross", dim, x.ndim)
    if x.shape[at] != 3:
        raise ValueError(f"cross: axis {dim} has {x.shape[at]} elements, and needs 3")
    a, b, c = n.unstack(x, axis=at)
    d, e, f = n.unstack(y, axis=at)
    return n.stack((b * f - c * e, c * d - a * f, a * e - b * d), at)


def _added(input: Tensor, product: Tensor, beta: float, alpha: float) -> Tensor:
    """``beta * input + alpha * product``, where a `beta` of 0 leaves `input` out."""
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (input if beta == 1 else input * beta)


@typed
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Adds the products of two batches of matrices: ``beta * input + alpha * (batch1 @ batch2)``.

    Parameters
    ----------
    input
        A tensor that broadcasts to the products.
    batch1, batch2
        Batches of shapes ``(b, n, k)`` and ``(b, k, m)``.
    beta, alpha
        Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

    Returns
    -------
    Tensor
        Shape ``(b, n, m)``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.baddbmm(rl.ones(1), rl.ones((2, 1, 3)), rl.ones((2, 3, 1)), alpha=2).flatten().tolist()
    [7.0, 7.0]
    """
    return _added(input, bmm(batch1, batch2), beta, alpha)


@typed
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Adds the product of a matrix and a vector: ``beta * input + alpha * (mat @ vec)``.

    Parameters
    ----------
    input
        A vector, or a number.
    mat, vec
        Shapes ``(n, k)`` and ``(k,)``.
    beta, alpha
        Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

    Returns
    -------
    Tensor
        Shape ``(n,)``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.addmv(rl.ones(1), rl.ones((1, 3)), rl.ones(3)).tolist()
    [4.0]
    """
    return _added(input, mv(mat, vec), beta, alpha)
