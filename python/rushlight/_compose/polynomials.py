"""Orthogonal polynomials by their recurrences (DLMF 18.9.1 and table 18.9.1), computed in float64."""

from __future__ import annotations

import math
from collections.abc import Callable

from .. import _native as _n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .axes import Number, device_of
from .elementwise import _floats
from .shapes import broadcast_shapes

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]

# The polynomial of degree k + 1 from x, k, and those of degrees k and k - 1.
Step = Callable[[Tensor, int, Tensor, Tensor], Tensor]


def _polynomial(
    op: str,
    x: Tensor | Number,
    degree: Tensor | Number,
    first: Callable[[Tensor], Tensor],
    step: Step,
) -> Tensor:
    """Return a polynomial of each element's own degree; `first` is that of degree 1."""
    device = device_of(x, degree)
    given, _ = _floats(op, x, degree)
    degrees = _n.asarray(degree, dtype=t.float64, device=device)
    degrees = _n.trunc(degrees.detach())
    shape = broadcast_shapes(given.shape, degrees.shape)
    wide = _n.broadcast_to(given, shape).astype(t.float64)
    top = float(_n.amax(degrees)) if degrees.size else 0.0
    if not math.isfinite(top):
        raise ValueError(f"{op}: the degree n is finite, got {top}")
    before, current = _n.zeros_like(wide), _n.ones_like(wide)
    for k in range(int(top)):
        further = degrees > k
        following = step(wide, k, current, before) if k else first(wide)
        # (An element whose degree is reached keeps its last two, so that no overflow reaches its gradient.)
        before, current = _n.where(further, current, before), _n.where(further, following, current)
    return _n.where(degrees < 0, 0.0, current).astype(given.dtype)


def _chebyshev(x: Tensor, k: int, current: Tensor, before: Tensor) -> Tensor:
    return 2 * x * current - before


def _shifted(x: Tensor, k: int, current: Tensor, before: Tensor) -> Tensor:
    return _chebyshev(2 * x - 1, k, current, before)


def _hermite(x: Tensor, k: int, current: Tensor, before: Tensor) -> Tensor:
    return 2 * x * current - 2 * k * before


def _hermite_e(x: Tensor, k: int, current: Tensor, before: Tensor) -> Tensor:
    return x * current - k * before


def _laguerre(x: Tensor, k: int, current: Tensor, before: Tensor) -> Tensor:
    return ((2 * k + 1 - x) * current - k * before) / (k + 1)


def _legendre(x: Tensor, k: int, current: Tensor, before: Tensor) -> Tensor:
    return ((2 * k + 1) * x * current - k * before) / (k + 1)


@typed
def chebyshev_polynomial_t(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Chebyshev's polynomials of the first kind, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.chebyshev_polynomial_t(rl.tensor([2.0]), 2).tolist()
    [7.0]
    """
    return _polynomial("chebyshev_polynomial_t", input, n, lambda x: x, _chebyshev)


@typed
def chebyshev_polynomial_u(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Chebyshev's polynomials of the second kind, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.chebyshev_polynomial_u(rl.tensor([2.0]), 2).tolist()
    [15.0]
    """
    return _polynomial("chebyshev_polynomial_u", input, n, lambda x: 2 * x, _chebyshev)


@typed
def chebyshev_polynomial_v(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Chebyshev's polynomials of the third kind, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.chebyshev_polynomial_v(rl.tensor([2.0]), 2).tolist()
    [11.0]
    """
    return _polynomial("chebyshev_polynomial_v", input, n, lambda x: 2 * x - 1, _chebyshev)


@typed
def chebyshev_polynomial_w(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Chebyshev's polynomials of the fourth kind, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.chebyshev_polynomial_w(rl.tensor([2.0]), 2).tolist()
    [19.0]
    """
    return _polynomial("chebyshev_polynomial_w", input, n, lambda x: 2 * x + 1, _chebyshev)


@typed
def hermite_polynomial_h(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Hermite's polynomials, of physics, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.hermite_polynomial_h(rl.tensor([2.0]), 2).tolist()
    [14.0]
    """
    return _polynomial("hermite_polynomial_h", input, n, lambda x: 2 * x, _hermite)


@typed
def hermite_polynomial_he(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Hermite's polynomials, of probability, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.hermite_polynomial_he(rl.tensor([2.0]), 2).tolist()
    [3.0]
    """
    return _polynomial("hermite_polynomial_he", input, n, lambda x: x, _hermite_e)


@typed
def laguerre_polynomial_l(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Laguerre's polynomials, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.laguerre_polynomial_l(rl.tensor([2.0]), 2).tolist()
    [-1.0]
    """
    return _polynomial("laguerre_polynomial_l", input, n, lambda x: 1 - x, _laguerre)


@typed
def legendre_polynomial_p(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Legendre's polynomials, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.legendre_polynomial_p(rl.tensor([2.0]), 2).tolist()
    [5.5]
    """
    return _polynomial("legendre_polynomial_p", input, n, lambda x: x, _legendre)


@typed
def shifted_chebyshev_polynomial_t(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Chebyshev's polynomials of the first kind of ``2 * input - 1``, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.shifted_chebyshev_polynomial_t(rl.tensor([2.0]), 2).tolist()
    [17.0]
    """
    return _polynomial("shifted_chebyshev_polynomial_t", input, n, lambda x: 2 * x - 1, _shifted)


@typed
def shifted_chebyshev_polynomial_u(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Chebyshev's polynomials of the second kind of ``2 * input - 1``, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.shifted_chebyshev_polynomial_u(rl.tensor([2.0]), 2).tolist()
    [35.0]
    """
    return _polynomial("shifted_chebyshev_polynomial_u", input, n, lambda x: 4 * x - 2, _shifted)


@typed
def shifted_chebyshev_polynomial_v(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Chebyshev's polynomials of the third kind of ``2 * input - 1``, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.shifted_chebyshev_polynomial_v(rl.tensor([2.0]), 2).tolist()
    [29.0]
    """
    return _polynomial("shifted_chebyshev_polynomial_v", input, n, lambda x: 4 * x - 3, _shifted)


@typed
def shifted_chebyshev_polynomial_w(input: Tensor | Number, n: Tensor | Number) -> Tensor:
    """Returns Chebyshev's polynomials of the fourth kind of ``2 * input - 1``, one for each element.

    Parameters
    ----------
    input
        A tensor of any shape and real dtype, or a number.
    n
        The degree, cut to an integer; below 0 the result is 0. A tensor or a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The degree has no gradient.

    Raises
    ------
    TypeError
        If a dtype is complex, or both arguments are numbers.
    ValueError
        If a degree is not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.shifted_chebyshev_polynomial_w(rl.tensor([2.0]), 2).tolist()
    [41.0]
    """
    return _polynomial("shifted_chebyshev_polynomial_w", input, n, lambda x: 4 * x - 1, _shifted)
