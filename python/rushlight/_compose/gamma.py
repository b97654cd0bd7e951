"""The gamma function's logarithm and its derivatives, and the Hurwitz zeta function, computed in float64.

`lgamma` is the Taylor series around 2 after up to two steps of ``gamma(x + 1) = x gamma(x)`` upwards or up to
six downwards, Stirling's series from 8.5 on, and the reflection formula below 0. `digamma` steps up to 10 and
takes its asymptotic series. The zeta function is the Euler-Maclaurin formula after 12 terms.
"""

from __future__ import annotations

import math

from .. import _native as n
from .. import _types as t
from .._check import one_integer, renamed, typed
from .._native import Tensor
from .derivatives import with_derivative

__all__ = ["digamma", "lgamma", "mvlgamma", "polygamma"]

# The Riemann zeta function minus 1, at 2, 3, ..
_ZETA = (
    0.6449340668482264,
    0.2020569031595943,
    0.08232323371113819,
    0.03692775514336993,
    0.01734306198444914,
    0.008349277381922827,
    0.00407735619794434,
    0.0020083928260822143,
    0.0009945751278180853,
    0.0004941886041194645,
    0.0002460865533080483,
    0.00012271334757848915,
    6.124813505870483e-05,
    3.058823630702049e-05,
    1.528225940865187e-05,
    7.637197637899763e-06,
    3.81729326499984e-06,
    1.908212716553939e-06,
    9.539620338727962e-07,
    4.769329867878064e-07,
    2.38450502727733e-07,
    1.1921992596531106e-07,
    5.960818905125948e-08,
    2.980350351465228e-08,
    1.4901554828365043e-08,
    7.45071178983543e-09,
    3.725334024788457e-09,
    1.862659723513049e-09,
    9.313274324196682e-10,
)
_ONE_MINUS_EULER = 0.42278433509846713
# Bernoulli's numbers of even index, from 2 on.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)


def _series(x: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    """Return the polynomial with these coefficients, the constant one first."""
    out = n.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        out = out * x + c
    return out


def _lgamma_positive(x: Tensor) -> Tensor:
    # Between 1.5 and 2.5 after the steps; each step's logarithm is added.
    factor, at = n.ones_like(x), x
    for _ in range(6):
        high = at >= 2.5
        factor = n.where(high, factor * (at - 1), factor)
        at = n.where(high, at - 1, at)
    steps = n.log(factor)
    # Near 1 the logarithm of x is small, and that of x + 1 never is.
    steps = n.where(x < 1.5, -n.log(x), steps)
    steps = n.where(x < 0.5, steps - n.log1p(x), steps)
    z = n.where(x < 0.5, x, n.where(x < 1.5, x - 1, at - 2))
    signed = tuple((c if k % 2 == 0 else -c) / k for k, c in enumerate(_ZETA, 2))
    near = steps + z * (_ONE_MINUS_EULER + z * _series(z, signed))
    inverse = 1 / x
    terms = tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI[:8], 1))
    rest = inverse * _series(inverse * inverse, terms)
    far = (x - 0.5) * (n.log(x) - 1) + (0.5 * math.log(2 * math.pi) - 0.5) + rest
    return n.where(x >= 8.5, n.where(x == t.inf, x, far), near)


def _sine(x: Tensor) -> Tensor:
    """Return the sine of pi x, exactly 0 at integers, but for its sign."""
    return n.sin((x - n.round(x)) * math.pi)


def _lgamma(x: Tensor) -> Tensor:
    low = x < 0.5
    positive = _lgamma_positive(n.where(x < 0, 1 - x, x))
    reflected = math.log(math.pi) - n.log(n.abs(_sine(x))) - positive
    out = n.where(n.logical_and(low, x < 0), reflected, positive)
    pole = n.logical_or(n.logical_and(x <= 0, x == n.floor(x)), n.isinf(x))
    return n.where(pole, t.inf, out)


def _digamma(x: Tensor) -> Tensor:
    up = n.where(x < 0, 1 - x, x)
    steps, at = n.zeros_like(x), up
    for _ in range(10):
        low = at < 10
        steps = n.where(low, steps + 1 / at, steps)
        at = n.where(low, at + 1, at)
    inverse = 1 / (at * at)
    terms = tuple(b / (2 * k) for k, b in enumerate(_BERNOULLI[:8], 1))
    out = n.log(at) - 0.5 / at - inverse * _series(inverse, terms) - steps
    part = (x - n.round(x)) * math.pi
    out = n.where(x < 0, out - math.pi / n.tan(part), out)
    pole = n.where(x == 0, -1 / x, t.nan)
    out = n.where(n.logical_and(x <= 0, x == n.floor(x)), pole, out)
    return n.where(x == t.inf, x, out)


def hurwitz(s: Tensor, q: Tensor) -> Tensor:
    """Return the sum of ``(q + k) ** -s`` over k from 0 on, for s > 1; NaN for q < 0 unless s is whole."""
    below = n.logical_and(q < 0, q != n.floor(q))
    if not n.any(below):
        return _hurwitz(s, q)
    # With f = q - floor(q) and g = ceil(q) - q, the positive bases are f, f + 1, .. and the negative ones
    # -g, -(g + 1), .. down to q: the beginning of another series.
    f, g = (n.where(below, x, 1.0) for x in (q - n.floor(q), n.ceil(q) - q))
    terms = _hurwitz(s, g) - _hurwitz(s, n.where(below, 1 - q, 1.0))
    total = _hurwitz(s, f) + n.where(n.remainder(s, 2.0) == 1, -terms, terms)
    total = n.where(n.logical_and(s > 1, s != n.floor(s)), t.nan, total)
    return n.where(n.logical_and(below, n.logical_and(s > 1, n.isfinite(s))), total, _hurwitz(s, q))


def _hurwitz(s: Tensor, q: Tensor) -> Tensor:
    """Return `hurwitz` for q that are positive or whole, and NaN for others."""
    total = n.zeros_like(q + s)
    for k in range(12):
        total = total + n.pow(q + k, -s)
    at = q + 12
    power = n.pow(at, -s)
    total = total + at * power / (s - 1) + power * 0.5
    rising, factorial = s, 2.0
    step = power / at
    for k, b in enumerate(_BERNOULLI, 1):
        total = total + rising * step * (b / factorial)
        rising = rising * (s + (2 * k - 1)) * (s + 2 * k)
        factorial *= (2 * k + 1) * (2 * k + 2)
        step = step / (at * at)
    total = n.where(n.logical_and(q <= 0, q == n.floor(q)), t.inf, total)
    total = n.where(n.logical_and(q < 0, q != n.floor(q)), t.nan, total)
    total = n.where(n.logical_and(q == t.inf, s > 1), 0.0, total)
    total = n.where(n.isinf(s), n.where(q > 1, 0.0, n.where(q == 1, 1.0, t.inf)), total)
    return n.where(s < 1, t.nan, n.where(s == 1, t.inf, total))


def _polygamma(order: int, x: Tensor) -> Tensor:
    if order == 1:
        # Below 0 by reflection.
        out = hurwitz(n.full_like(x, 2.0), n.where(x < 0, 1 - x, x))
        sine = _sine(x)
        return n.where(x < 0, (math.pi / sine) ** 2 - out, out)
    scale = math.factorial(order) * (-1.0) ** (order + 1)
    return hurwitz(n.full_like(x, order + 1.0), x) * scale


@typed
def lgamma(input: Tensor) -> Tensor:
    """Returns the logarithm of the absolute value of the gamma function.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; infinite at 0, -1, -2 and so on.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.lgamma(rl.tensor([1.0, 4.0])).exp()
    tensor([1., 6.], dtype=float32, device='cpu')
    """
    return with_derivative("lgamma", input, _lgamma, digamma)


@typed
def digamma(input: Tensor) -> Tensor:
    """Returns the derivative of `lgamma`.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers; NaN at -1, -2 and so on.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.digamma(rl.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228], dtype=float32, device='cpu')
    """
    return with_derivative("digamma", input, _digamma, lambda x: polygamma(1, x))


@typed
def polygamma(n: int, input: Tensor) -> Tensor:
    """Returns a derivative of `digamma`.

    Parameters
    ----------
    n
        The order of the derivative, 0 or more.
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, float32 for integers.

    Raises
    ------
    TypeError
        If the dtype is complex, or the order is not an integer.
    ValueError
        If the order is negative or above 170, of which the factorial is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.polygamma(1, rl.tensor([1.0]))
    tensor([1.6449], dtype=float32, device='cpu')
    """
    order = one_integer(n, "polygamma: n")
    if not 0 <= order <= 170:
        raise ValueError(f"polygamma: n is {order}, expected 0 to 170")
    if order == 0:
        return digamma(input)
    return with_derivative(
        "polygamma", input, lambda x: _polygamma(order, x), lambda x: polygamma(order + 1, x)
    )


@typed
@renamed("alloc")
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """Returns the logarithm of the multivariate gamma function.

    Parameters
    ----------
    input
        Any shape and real dtype; larger than ``(p - 1) / 2``.
    p
        The number of dimensions, 1 or more.

    Returns
    -------
    Tensor
        ``p (p - 1) / 4 log(pi)`` plus the sum of ``lgamma(input - j / 2)`` over j from 0 to p - 1.

    Raises
    ------
    TypeError
        If the dtype is complex.
    ValueError
        If `p` is below 1, or more elements are needed than a tensor can have.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.mvlgamma(rl.tensor([2.0]), 2).exp()
    tensor([1.5708], dtype=float32, device='cpu')
    """
    if p < 1:
        raise ValueError(f"mvlgamma: p is {p}, expected 1 or more")
    if input.dtype.is_complex:
        raise TypeError(f"mvlgamma: complex numbers are not supported, got {input.dtype}")
    x = input if input.dtype.is_floating_point else input.astype(t.float32)
    # An error of a size that no memory has comes before any computation.
    n.empty((*x.shape, p), dtype=x.dtype, device=x.device)
    halves = n.arange(p, dtype=x.dtype, device=x.device) / 2
    total = n.sum(lgamma(n.expand_dims(x, -1) - halves), axis=-1)
    return total + p * (p - 1) / 4 * math.log(math.pi)
