"""Airy's function and its derivative, computed in float64.

Near 0 the power series (DLMF 9.4.1 and 9.4.2); above, the integral of the modified Bessel functions of order
1/3 and 2/3 (DLMF 9.6.2 and 9.6.3) by the trapezoidal rule as in `hankel`; below, the same integral for an
imaginary argument, as ``Ai(-x)`` is ``2 Re(exp(i pi / 3) Ai(x exp(i pi / 3)))`` (DLMF 9.2.12).
"""

from __future__ import annotations

import math

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .derivatives import with_derivative
from .hankel import finite, nodes

__all__ = ["airy_ai"]

# Ai(0) and -Ai'(0): 3**(-2/3) / gamma(2/3) and 3**(-1/3) / gamma(1/3).
_VALUE = 3 ** (-2 / 3) / math.gamma(2 / 3)
_SLOPE = 3 ** (-1 / 3) / math.gamma(1 / 3)
# Between these the power series, whose terms cancel further out.
_LOW, _HIGH = -2.2, 1.5
_NODES = nodes(1 / 4)


def _near(derivative: bool, x: Tensor) -> Tensor:
    cube = x * x * x
    # The terms of both series, and how far the factors of their divisors are from 3k.
    first, second = (x * x / 2, n.ones_like(x)) if derivative else (n.ones_like(x), x)
    early, late = (2, -2) if derivative else (-1, 1)
    total = _VALUE * first - _SLOPE * second
    for k in range(3, 45, 3):
        first = first * cube / (k * (k + early))
        second = second * cube / (k * (k + late))
        total = total + (_VALUE * first - _SLOPE * second)
    return total


def _above(derivative: bool, x: Tensor) -> Tensor:
    """Return the function for x of at least `_HIGH`."""
    order = 4 / 3 if derivative else 2 / 3
    root = n.sqrt(x)
    zeta = x * root * (2 / 3)
    scale = n.sqrt(0.5 / zeta)
    total = n.zeros_like(x)
    for u, weight in _NODES:
        v = scale * u
        total = total + n.cosh(n.asinh(v) * order) * weight / n.sqrt(1 + v * v)
    # The factor in two halves, of which none is subnormal where the result is not 0.
    half = n.exp(zeta * -0.5)
    power = n.sqrt(root)
    total = total * half * half / math.pi
    return total * -power if derivative else total / power


def _below(derivative: bool, x: Tensor) -> Tensor:
    """Return the function of -x, for x of at least -`_LOW`."""
    order = 4 / 3 if derivative else 2 / 3
    root = n.sqrt(x)
    zeta = x * root * (2 / 3)
    inverse = 0.5 / zeta
    real = imag = n.zeros_like(x)
    for u, weight in _NODES:
        # v**2 = -i s; sqrt(1 + v**2) = a - ib; exp(asinh(v)) has the parts d + a and -(d + b).
        s = inverse * (u * u)
        size = n.sqrt(1 + s * s)
        a = n.sqrt((size + 1) / 2)
        b, d = s / (2 * a), n.sqrt(s / 2)
        high, wide = d + a, d + b
        length, angle = n.log(high * high + wide * wide) * (order / 2), n.atan2(wide, high) * -order
        p, q = n.cosh(length) * n.cos(angle), n.sinh(length) * n.sin(angle)
        # Times (a + ib) / size.
        share = weight / size
        real, imag = real + (p * a - q * b) * share, imag + (p * b + q * a) * share
    sine, cosine = n.sin(zeta), n.cos(zeta)
    c, s = cosine + sine, cosine - sine
    power = n.sqrt(root)
    if derivative:
        return (c * imag + s * real) * power * (-math.sqrt(2) / math.pi)
    return (c * real - s * imag) / power * (math.sqrt(2) / math.pi)


def _airy(derivative: bool, x: Tensor) -> Tensor:
    # (Above 1e4 the factor exp(-zeta) is 0.)
    above = _above(derivative, n.clip(n.where(n.isnan(x), 1.0, x), _HIGH, 1e4))
    below = _below(derivative, finite(-x, -_LOW))
    near = _near(derivative, n.clip(x, _LOW, _HIGH))
    found = n.where(x > _HIGH, above, n.where(x < _LOW, below, near))
    return n.where(x == -t.inf, t.nan if derivative else 0.0, found)


def _slope(x: Tensor) -> Tensor:
    return with_derivative("airy_ai", x, lambda x: _airy(True, x), lambda x: x * airy_ai(x))


@typed
def airy_ai(input: Tensor) -> Tensor:
    """Returns Airy's function Ai, the solution of ``y'' = x y`` that vanishes at infinity.

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
    >>> rl.special.airy_ai(rl.tensor([0.0, 1.0]))
    tensor([0.3550, 0.1353], dtype=float32, device='cpu')
    """
    return with_derivative("airy_ai", input, lambda x: _airy(False, x), _slope)
