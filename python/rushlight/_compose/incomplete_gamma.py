"""The regularized incomplete gamma functions, computed in float64.

Below ``a + 1`` the lower function is its power series, above it the upper one is Legendre's continued
fraction (DLMF 8.11.4 and 8.9.2). Their common factor ``x**a exp(-x) / gamma(a + 1)`` is computed by
Stirling's formula for large a, so that large logarithms do not cancel.
"""

from __future__ import annotations

import math

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .axes import Number, device_of
from .derivatives import with_derivative
from .gamma import _BERNOULLI, _ONE_MINUS_EULER, _ZETA, _lgamma, _series
from .shapes import broadcast_shapes

__all__ = ["gammainc", "gammaincc"]

_EPS = 2.0**-53
# More steps than arguments of float64 need: the series takes about 9 roots of a near x = a.
_MOST = 100_000


def _away(mu: Tensor) -> Tensor:
    """Return ``log1p(mu) - mu``, also near 0."""
    small = n.abs(mu) < 0.3
    # With u = mu / (2 + mu), log1p(mu) is 2 (u + u**3 / 3 + ..), and 2 u - mu is -u mu.
    near = n.where(small, mu, 0.0)
    u = near / (2 + near)
    square = u * u
    series = _series(square, tuple(2 / (2 * k + 1) for k in range(1, 16)))
    far = n.where(small, 0.0, mu)
    return n.where(small, u * square * series - u * near, n.log1p(far) - far)


def _factor(a: Tensor, x: Tensor) -> Tensor:
    """Return ``x**a exp(-x) / gamma(a + 1)``."""
    large = a >= 10
    b = n.where(large, a, 10.0)
    inverse = 1 / b
    terms = tuple(c / (2 * k * (2 * k - 1)) for k, c in enumerate(_BERNOULLI[:8], 1))
    rest = inverse * _series(inverse * inverse, terms)
    stirling = b * _away((x - b) / b) - rest - 0.5 * n.log(2 * math.pi * b)
    small = n.where(large, 1.0, a)
    plain = small * n.log(x) - x - _lgamma(small + 1)
    return n.exp(n.where(large, stirling, plain))


def _sum(a: Tensor, x: Tensor) -> Tensor:
    """Return the sum of ``x**k / ((a + 1) .. (a + k))`` over k from 0 on."""
    term = total = n.ones_like(x)
    for k in range(1, _MOST):
        term = term * x / (a + k)
        total = total + term
        if k % 8 == 0 and not n.any(term > total * _EPS):
            break
    return total


def _fraction(a: Tensor, x: Tensor) -> Tensor:
    """Return the continued fraction times x, by the method of Lentz."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = n.full_like(x, 1 / tiny), 1 / b
    h = d
    for k in range(1, _MOST):
        step = k * (a - k)
        b = b + 2
        d = step * d + b
        d = 1 / n.where(n.abs(d) < tiny, tiny, d)
        c = b + step / c
        c = n.where(n.abs(c) < tiny, tiny, c)
        change = c * d
        h = h * change
        if k % 8 == 0 and not n.any(n.abs(change - 1) > _EPS * 2):
            break
    return h * x


def _small(a: Tensor, x: Tensor) -> Tensor:
    """Return the upper function of a and x below 0.5, where 1 minus the lower one would lose digits."""
    signed = tuple((c if k % 2 == 0 else -c) / k for k, c in enumerate(_ZETA, 2))
    # The logarithm of gamma(1 + a).
    logarithm = a * (_ONE_MINUS_EULER + a * _series(a, signed)) - n.log1p(a)
    exponent = a * n.log(x) - logarithm
    term, total = n.ones_like(x), n.zeros_like(x)
    for k in range(1, 18):
        term = term * -x / k
        total = total + term * (a / (a + k))
    return -n.expm1(exponent) - n.exp(exponent) * total


def _both(a: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the lower and the upper function of finite positive numbers."""
    below = x < n.where(a < 0.5, 0.5, a + 1)
    factor = _factor(a, x)
    # Where the factor is 0 both are, and steps would be wasted.
    used = n.logical_and(below, factor > 0)
    lower = factor * _sum(n.where(used, a, 1.0), n.where(used, x, 0.5))
    used = n.logical_and(n.logical_not(below), factor > 0)
    upper = factor * _fraction(n.where(used, a, 1.0), n.where(used, x, 4.0)) * n.where(used, a / x, 0.0)
    near = n.logical_and(below, a < 0.5)
    rest = n.where(near, _small(n.where(near, a, 0.25), n.where(near, x, 0.25)), 1 - lower)
    return n.where(below, lower, 1 - upper), n.where(below, rest, upper)


def _value(upper: bool, a: Tensor, x: Tensor) -> Tensor:
    zero, one = (1.0, 0.0) if upper else (0.0, 1.0)
    plain = n.logical_and(n.logical_and(a > 0, x > 0), n.logical_and(a < t.inf, x < t.inf))
    pair = _both(n.where(plain, a, 1.0), n.where(plain, x, 1.0))
    out = pair[1 if upper else 0]
    # Nothing lies below 0 or above infinity; all mass is at 0 for a = 0, and beyond x for a = inf.
    edge = n.where(n.logical_or(x == 0, a == t.inf), zero, n.full_like(x, one))
    undefined = n.logical_or(n.logical_and(a == 0, x == 0), n.logical_and(a == t.inf, x == t.inf))
    undefined = n.logical_or(undefined, n.logical_not(n.logical_and(a >= 0, x >= 0)))
    return n.where(plain, out, n.where(undefined, t.nan, edge))


def _density(a: Tensor, x: Tensor) -> Tensor:
    """Return the derivative of the lower function: ``x**(a - 1) exp(-x) / gamma(a)``."""
    inside = n.logical_and(x > 0, x < t.inf)
    safe = n.where(inside, x, 1.0)
    at_zero = n.where(a < 1, t.inf, n.where(a == 1, 1.0, n.zeros_like(a * x)))
    return n.where(
        inside, _factor(a, safe) * a / safe, n.where(x == 0, at_zero, n.where(x == t.inf, 0.0, t.nan))
    )


def _regularized(op: str, upper: bool, input: Tensor | Number, other: Tensor | Number) -> Tensor:
    dtype = n._promote(input, other)
    if dtype.is_complex:
        raise TypeError(f"{op}: complex numbers are not supported, got {dtype}")
    if isinstance(input, Tensor) and input.requires_grad and n.is_grad_enabled():
        raise TypeError(f"{op}: the shape parameter has no gradient; detach it")
    dtype = dtype if dtype.is_floating_point else t.float32
    device = device_of(input, other)
    a, x = (
        v.to(dtype) if isinstance(v, Tensor) else n.full((), v, dtype=dtype, device=device)
        for v in (input, other)
    )
    shape = broadcast_shapes(a.shape, x.shape)
    a, x = n.broadcast_to(a.astype(t.float64), shape), n.broadcast_to(x, shape)
    sign = -1.0 if upper else 1.0
    return with_derivative(op, x, lambda v: _value(upper, a, v), lambda v: _density(a, v) * sign)


@typed
def gammainc(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Returns the part of a gamma distribution below `other`: the regularized lower incomplete gamma.

    Parameters
    ----------
    input
        The shape parameter a, 0 or more.
    other
        The upper end of the integral of ``t**(a - 1) exp(-t) / gamma(a)`` from 0, 0 or more; shapes
        broadcast.

    Returns
    -------
    Tensor
        From 0 to 1; of the promoted dtype, float32 for integers. NaN for negative numbers. The gradient is
        that of `other`.

    Raises
    ------
    TypeError
        If a dtype is complex, or `input` requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.gammainc(rl.tensor([1.0, 2.0]), 1.0)
    tensor([0.6321, 0.2642], dtype=float32, device='cpu')
    """
    return _regularized("gammainc", False, input, other)


@typed
def gammaincc(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Returns the part of a gamma distribution above `other`: the regularized upper incomplete gamma.

    Parameters
    ----------
    input
        The shape parameter a, 0 or more.
    other
        The lower end of the integral of ``t**(a - 1) exp(-t) / gamma(a)`` to infinity, 0 or more; shapes
        broadcast.

    Returns
    -------
    Tensor
        From 0 to 1; of the promoted dtype, float32 for integers. NaN for negative numbers. The gradient is
        that of `other`.

    Raises
    ------
    TypeError
        If a dtype is complex, or `input` requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.gammaincc(rl.tensor([1.0, 2.0]), 1.0)
    tensor([0.3679, 0.7358], dtype=float32, device='cpu')
    """
    return _regularized("gammaincc", True, input, other)
