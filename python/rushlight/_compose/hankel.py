"""Bessel functions of the first and second kind and the modified ones of the second kind, of order 0 and 1.

All are computed in float64. Near 0 they are the power series (DLMF 10.2.2, 10.8.1 and 10.31.1). Further out
they are the integral of ``exp(-z cosh t) cosh(order t)`` over t from 0 to infinity (DLMF 10.32.9), with
``u = sqrt(2 z) sinh(t / 2)``:

    K(z) = sqrt(2 / z) exp(-z) times the integral of exp(-u u) f(u u / z) over u from 0 to infinity

with ``f(w) = 1 / sqrt(1 + w / 2)`` for order 0, and ``(1 + w)`` times that for order 1. The trapezoidal rule
converges geometrically: with the step 1/3, and singularities of f that are 2 or more away from the real axis,
its error is ``exp(-12 pi)``. With z = -ix the same integral is Hankel's function, whose parts are J and Y
(DLMF 10.27.8).
"""

from __future__ import annotations

import math

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .bessel import quotient_by
from .derivatives import with_derivative

__all__ = [
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
]

EULER = 0.5772156649015329
# The power series of J and Y is used below the first of these, and that of K below the second.
_NEAR, _NEAR_K = 4.0, 2.0
_TERMS = 22


def nodes(step: float) -> list[tuple[float, float]]:
    """Return nodes u and weights of the trapezoidal rule for ``exp(-u u)`` times an even function."""
    points = [k * step for k in range(round(6 / step) + 1)]
    return [(u, math.exp(-u * u) * (step if u else step / 2)) for u in points]


_NODES = [(u * u, weight) for u, weight in nodes(1 / 3)]


def _series(order: int, z: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sums of ``z**k / (k! (k + order)!)`` without and with a factor.

    The factor is the k-th harmonic number, for order 1 the mean of the k-th and the next one.
    """
    harmonic = [0.0]
    for k in range(1, _TERMS + 2):
        harmonic.append(harmonic[-1] + 1 / k)
    term = n.ones_like(z)
    plain, weighted = term, term * (0.5 * order)
    for k in range(1, _TERMS + 1):
        term = term * z / (k * (k + order))
        plain = plain + term
        weighted = weighted + term * ((harmonic[k] + harmonic[k + order]) / 2)
    return plain, weighted


def _hankel(order: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return J and Y for x of at least `_NEAR`."""
    inverse = 1 / x
    real = imag = n.zeros_like(x)
    for square, weight in _NODES:
        # The parts of 1 / sqrt(1 + i v), times 1 + 2 i v for order 1.
        v = inverse * (square / 2)
        size = n.sqrt(1 + v * v)
        root = n.sqrt((size + 1) / 2)
        a, b = root / size, v / (-2 * root * size)
        a, b = (a - 2 * v * b, b + 2 * v * a) if order else (a, b)
        real, imag = real + a * weight, imag + b * weight
    # cos(x - pi/4) and sin(x - pi/4), times sqrt(2); order 1 is a quarter of a turn behind.
    sine, cosine = n.sin(x), n.cos(x)
    c, s = cosine + sine, sine - cosine
    c, s = (s, -c) if order else (c, s)
    scale = n.sqrt(inverse) * (2 / math.pi)
    return (real * c - imag * s) * scale, (real * s + imag * c) * scale


def finite(x: Tensor, least: float) -> Tensor:
    """Return x, and `least` where it is below, infinite or NaN."""
    return n.where(n.logical_and(x >= least, x < t.inf), x, least)


def _j(order: int, x: Tensor) -> Tensor:
    size = n.abs(x)
    near = n.clip(size, None, _NEAR)
    plain, _ = _series(order, near * near / -4)
    if order:
        plain = plain * near / 2
    far, _ = _hankel(order, finite(size, _NEAR))
    found = n.where(size < _NEAR, plain, n.where(size == t.inf, 0.0, far))
    found = n.where(n.isnan(x), x, found)
    return n.where(x < 0, -found, found) if order else found


def _y(order: int, x: Tensor) -> Tensor:
    near = n.clip(n.where(x > 0, x, 1.0), None, _NEAR)
    plain, weighted = _series(order, near * near / -4)
    found = (n.log(near / 2) + EULER) * plain - weighted
    if order:
        found = found * near / 2 - 1 / near
    found = found * (2 / math.pi)
    _, far = _hankel(order, finite(x, _NEAR))
    found = n.where(x < _NEAR, found, n.where(x == t.inf, 0.0, far))
    found = n.where(x == 0, -t.inf, found)
    return n.where(x >= 0, found, t.nan)


def _scaled_k(order: int, x: Tensor) -> Tensor:
    """Return K times ``exp(x)``."""
    near = n.clip(n.where(x > 0, x, 1.0), None, _NEAR_K)
    plain, weighted = _series(order, near * near / 4)
    found = weighted - (n.log(near / 2) + EULER) * plain
    if order:
        found = 1 / near - found * near / 2
    found = found * n.exp(near)
    size = finite(x, _NEAR_K)
    far = n.zeros_like(x)
    for square, weight in _NODES:
        w = square / size
        far = far + ((1 + w) * weight if order else weight) / n.sqrt(1 + w / 2)
    far = far * n.sqrt(2 / size)
    found = n.where(x < _NEAR_K, found, n.where(x == t.inf, 0.0, far))
    found = n.where(x == 0, t.inf, found)
    return n.where(x >= 0, found, t.nan)


def _k(order: int, x: Tensor) -> Tensor:
    # The factor in two halves, of which none is subnormal where the result is not 0.
    half = n.exp(n.clip(x, 0.0, 800.0) * -0.5)
    return _scaled_k(order, x) * half * half


@typed
def bessel_j0(input: Tensor) -> Tensor:
    """Returns the Bessel function of the first kind of order 0.

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
    >>> rl.special.bessel_j0(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 0.7652], dtype=float32, device='cpu')
    """
    return with_derivative("bessel_j0", input, lambda x: _j(0, x), lambda x: -bessel_j1(x))


@typed
def bessel_j1(input: Tensor) -> Tensor:
    """Returns the Bessel function of the first kind of order 1.

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
    >>> rl.special.bessel_j1(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.4401], dtype=float32, device='cpu')
    """
    return with_derivative(
        "bessel_j1",
        input,
        lambda x: _j(1, x),
        lambda x: bessel_j0(x) - quotient_by(x, bessel_j1(x)),
    )


@typed
def bessel_y0(input: Tensor) -> Tensor:
    """Returns the Bessel function of the second kind of order 0.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; minus infinity at 0 and NaN below.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.bessel_y0(rl.tensor([1.0, 2.0]))
    tensor([0.0883, 0.5104], dtype=float32, device='cpu')
    """
    return with_derivative("bessel_y0", input, lambda x: _y(0, x), lambda x: -bessel_y1(x))


@typed
def bessel_y1(input: Tensor) -> Tensor:
    """Returns the Bessel function of the second kind of order 1.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; minus infinity at 0 and NaN below.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.bessel_y1(rl.tensor([1.0, 2.0]))
    tensor([-0.7812, -0.1070], dtype=float32, device='cpu')
    """
    return with_derivative("bessel_y1", input, lambda x: _y(1, x), lambda x: bessel_y0(x) - bessel_y1(x) / x)


@typed
def modified_bessel_k0(input: Tensor) -> Tensor:
    """Returns the modified Bessel function of the second kind of order 0.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; infinite at 0 and NaN below.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.modified_bessel_k0(rl.tensor([1.0, 2.0]))
    tensor([0.4210, 0.1139], dtype=float32, device='cpu')
    """
    return with_derivative("modified_bessel_k0", input, lambda x: _k(0, x), lambda x: -modified_bessel_k1(x))


@typed
def modified_bessel_k1(input: Tensor) -> Tensor:
    """Returns the modified Bessel function of the second kind of order 1.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; infinite at 0 and NaN below.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.modified_bessel_k1(rl.tensor([1.0, 2.0]))
    tensor([0.6019, 0.1399], dtype=float32, device='cpu')
    """
    return with_derivative(
        "modified_bessel_k1",
        input,
        lambda x: _k(1, x),
        lambda x: -modified_bessel_k0(x) - modified_bessel_k1(x) / x,
    )


@typed
def scaled_modified_bessel_k0(input: Tensor) -> Tensor:
    """Returns ``exp(input)`` times the modified Bessel function of the second kind of order 0.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; infinite at 0 and NaN below.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.scaled_modified_bessel_k0(rl.tensor([1.0, 2.0]))
    tensor([1.1445, 0.8416], dtype=float32, device='cpu')
    """
    return with_derivative(
        "scaled_modified_bessel_k0",
        input,
        lambda x: _scaled_k(0, x),
        lambda x: scaled_modified_bessel_k0(x) - scaled_modified_bessel_k1(x),
    )


@typed
def scaled_modified_bessel_k1(input: Tensor) -> Tensor:
    """Returns ``exp(input)`` times the modified Bessel function of the second kind of order 1.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; infinite at 0 and NaN below.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.scaled_modified_bessel_k1(rl.tensor([1.0, 2.0]))
    tensor([1.6362, 1.0335], dtype=float32, device='cpu')
    """
    return with_derivative(
        "scaled_modified_bessel_k1",
        input,
        lambda x: _scaled_k(1, x),
        lambda x: scaled_modified_bessel_k1(x) * (1 - 1 / x) - scaled_modified_bessel_k0(x),
    )
