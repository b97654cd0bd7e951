"""The complementary error function, and the normal distribution's function, its logarithm and its inverse.

``gelu(x) / x`` is the normal distribution's function, accurate for every x: the others follow from it.
"""

from __future__ import annotations

import math

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .derivatives import with_derivative

__all__ = ["erfc", "erfcx", "log_ndtr", "ndtr", "ndtri"]

_ROOT = math.sqrt(2)


def _ndtr(x: Tensor) -> Tensor:
    found = n.gelu(x) / x
    # (Products with subnormal numbers are not exact.)
    found = n.where(n.abs(x) <= 1e-30, 0.5, found)
    return n.where(n.isinf(x), n.where(x > 0, 1.0, 0.0), found)


def _erfc(x: Tensor) -> Tensor:
    scaled = x * -_ROOT
    # The rounding error of the product, times its size, is a relative error of the tail.
    tail = n.logical_and(x > 1, x < 30)
    return 2 * _ndtr(scaled) * n.where(tail, 1 - scaled * _residue(x, scaled), 1.0)


def _split(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return two parts whose products are exact."""
    shifted = x * 134217729.0
    high = shifted - (shifted - x)
    return high, x - high


# The square root of 2 is the sum of these: the first two have 26 bits.
_HIGH, _LOW, _REST = 1.4142135679721832, -5.599088193086743e-09, 1.4349369327986523e-17


def _residue(x: Tensor, scaled: Tensor) -> Tensor:
    """Return ``-sqrt(2) x - scaled``."""
    high, low = _split(x)
    exact = (((-_HIGH * high - scaled) - _HIGH * low) - _LOW * high) - _LOW * low
    return exact - _REST * x


def _erfcx(x: Tensor) -> Tensor:
    near = n.exp(x * x) * _erfc(x)
    inverse = 0.5 / (x * x)
    total = n.ones_like(x)
    for k in range(15, 0, -1):
        total = 1 - (2 * k - 1) * inverse * total
    far = total / (x * math.sqrt(math.pi))
    return n.where(x > 9, n.where(x == t.inf, 0.0, far), near)


def _log_ndtr(x: Tensor) -> Tensor:
    near = n.log(_ndtr(n.clip(x, -15.0, None)))
    far = n.log(_erfcx(n.clip(x, None, -1.0) / -_ROOT)) - math.log(2) - x * x / 2
    # Above 0 the logarithm is of a number near 1.
    above = n.log1p(-_ndtr(-n.clip(x, 0.0, None)))
    return n.where(x < -5, n.where(x == -t.inf, x, far), n.where(x > 1, above, near))


def _ndtri(p: Tensor) -> Tensor:
    center = n.erfinv(2 * p - 1) * _ROOT
    # In the tails Newton's steps on the logarithm, from the side of the smaller probability.
    small = n.clip(n.minimum(p, 1 - p), 1e-320, 0.5)
    target = n.log(small)
    x = -n.sqrt(n.clip(-2 * target - n.log(n.clip(-4 * math.pi * target, 1.0, None)), 0.0, None))
    for _ in range(5):
        value = _log_ndtr(x)
        x = x - (value - target) * n.exp(value + x * x / 2 + 0.5 * math.log(2 * math.pi))
    tail = n.where(p < 0.5, x, -x)
    out = n.where(small < 0.1, tail, center)
    out = n.where(p == 0, -t.inf, n.where(p == 1, t.inf, out))
    return n.where(n.logical_or(p < 0, p > 1), t.nan, out)


def _density(x: Tensor) -> Tensor:
    return n.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


@typed
def erfc(input: Tensor) -> Tensor:
    """Returns ``1 - erf(x)``, accurate where it is small.

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
    >>> rl.erfc(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573], dtype=float32, device='cpu')
    """
    scale = -2 / math.sqrt(math.pi)
    return with_derivative("erfc", input, _erfc, lambda x: n.exp(-x * x) * scale)


@typed
def erfcx(input: Tensor) -> Tensor:
    """Returns ``exp(x**2) * erfc(x)``, finite where the first factor is not.

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
    >>> rl.special.erfcx(rl.tensor([0.0, 100.0]))
    tensor([1.0000, 0.0056], dtype=float32, device='cpu')
    """
    scale = 2 / math.sqrt(math.pi)
    return with_derivative("erfcx", input, _erfcx, lambda x: 2 * x * erfcx(x) - scale)


@typed
def ndtr(input: Tensor) -> Tensor:
    """Returns the probability that a number of the standard normal distribution is at most x.

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
    >>> rl.special.ndtr(rl.tensor([0.0, 1.0]))
    tensor([0.5000, 0.8413], dtype=float32, device='cpu')
    """
    return with_derivative("ndtr", input, _ndtr, _density)


@typed
def log_ndtr(input: Tensor) -> Tensor:
    """Returns the logarithm of `ndtr`, also where that is 0.

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
    >>> rl.special.log_ndtr(rl.tensor([0.0, -100.0]))
    tensor([   -0.6931, -5005.5244], dtype=float32, device='cpu')
    """
    half = 0.5 * math.log(2 * math.pi)
    return with_derivative("log_ndtr", input, _log_ndtr, lambda x: n.exp(x * x * -0.5 - half - log_ndtr(x)))


@typed
def ndtri(input: Tensor) -> Tensor:
    """Returns the number below which the standard normal distribution has a probability.

    Parameters
    ----------
    input
        Probabilities, of any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; NaN outside of 0 to 1.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.ndtri(rl.tensor([0.5, 0.975]))
    tensor([0.0000, 1.9600], dtype=float32, device='cpu')
    """
    scale = math.sqrt(2 * math.pi)
    return with_derivative("ndtri", input, _ndtri, lambda p: n.exp(ndtri(p) ** 2 * 0.5) * scale)
