"""Modified Bessel functions of the first kind, of order 0 and 1, computed in float64.

Up to 25 the power series, all of whose terms are positive, above the asymptotic one.
"""

from __future__ import annotations

import math

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .derivatives import with_derivative

__all__ = ["i0", "i0e", "i1", "i1e"]


def _scaled(order: int, x: Tensor) -> Tensor:
    """Return the function of the absolute value, times ``exp(-abs(x))``."""
    size = n.abs(x)
    z = n.clip(size, None, 25.0) ** 2 / 4
    near = n.ones_like(z)
    for k in range(60, 0, -1):
        near = 1 + near * z / (k * (k + order))
    near = near * n.exp(-n.clip(size, None, 25.0))
    if order:
        near = near * size / 2
    at = 1 / (8 * n.clip(size, 25.0, None))
    far = n.ones_like(z)
    for k in range(18, 0, -1):
        far = 1 - far * at * ((4 * order * order - (2 * k - 1) ** 2) / k)
    far = far / n.sqrt(2 * math.pi * n.clip(size, 25.0, None))
    return n.where(size <= 25, near, n.where(n.isinf(size), 0.0, far))


def _exp(x: Tensor) -> Tensor:
    """Return ``exp(abs(x))`` of which the half is finite."""
    return n.exp(n.abs(x) / 2)


def _i0(x: Tensor) -> Tensor:
    return n.where(n.isinf(x), t.inf, _scaled(0, x) * _exp(x) * _exp(x))


def _i1(x: Tensor) -> Tensor:
    return n.where(n.isinf(x), x, n.sign(x) * _scaled(1, x) * _exp(x) * _exp(x))


def quotient_by(x: Tensor, first: Tensor) -> Tensor:
    """Return a function of order 1 over x; a half at 0."""
    zero = x == 0
    return n.where(zero, 0.5, first / n.where(zero, 1.0, x))


@typed
def i0(input: Tensor) -> Tensor:
    """Returns the modified Bessel function of the first kind of order 0.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.i0(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 1.2661], dtype=float32, device='cpu')
    """
    return with_derivative("i0", input, _i0, i1)


@typed
def i0e(input: Tensor) -> Tensor:
    """Returns ``exp(-abs(x)) * i0(x)``.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.i0e(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 0.4658], dtype=float32, device='cpu')
    """
    return with_derivative("i0e", input, lambda x: _scaled(0, x), lambda x: i1e(x) - n.sign(x) * i0e(x))


@typed
def i1(input: Tensor) -> Tensor:
    """Returns the modified Bessel function of the first kind of order 1.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.i1(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.5652], dtype=float32, device='cpu')
    """
    return with_derivative("i1", input, _i1, lambda x: i0(x) - quotient_by(x, i1(x)))


@typed
def i1e(input: Tensor) -> Tensor:
    """Returns ``exp(-abs(x)) * i1(x)``.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.i1e(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.2079], dtype=float32, device='cpu')
    """

    def slope(x: Tensor) -> Tensor:
        first = i1e(x)
        return i0e(x) - n.sign(x) * first - quotient_by(x, first)

    return with_derivative("i1e", input, lambda x: n.sign(x) * _scaled(1, x), slope)
