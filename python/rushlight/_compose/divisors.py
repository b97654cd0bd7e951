"""The greatest common divisor and the least common multiple of integers."""

from __future__ import annotations

from .. import _native as n
from .._check import typed
from .._native import Tensor
from .axes import Number, device_of
from .shapes import broadcast_arrays

__all__ = ["gcd", "lcm"]


def _integers(op: str, x1: Tensor | Number, x2: Tensor | Number) -> tuple[Tensor, Tensor]:
    """Convert both arguments to integer tensors of one dtype and shape."""
    device = device_of(x1, x2)
    dtype = n._promote(x1, x2)
    if dtype.kind not in ("signed integer", "unsigned integer"):
        raise TypeError(f"{op}: expected integers, got {dtype}")
    a, b = broadcast_arrays(*(n.asarray(x, dtype=dtype, device=device) for x in (x1, x2)))
    return a, b


def _divisor(a: Tensor, b: Tensor) -> Tensor:
    """Return the greatest common divisor by Euclid's algorithm."""
    while n.any(b != 0):
        # (The remainder by 0 is 0.)
        a, b = n.where(b == 0, a, b), n.remainder(a, b)
    return n.abs(a)


@typed
def gcd(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Returns the greatest common divisor of integers.

    Parameters
    ----------
    input, other
        Tensors, or a tensor and a number, of integer dtypes; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape and the promoted dtype; 0 or more, and 0 where both arguments are 0.

    Raises
    ------
    TypeError
        If the promoted dtype is not an integer dtype, or both arguments are numbers.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.gcd(rl.tensor([12, -9, 0]), rl.tensor([18, 6, 4])).tolist()
    [6, 3, 4]
    """
    return _divisor(*_integers("gcd", input, other))


@typed
def lcm(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Returns the least common multiple of integers.

    Parameters
    ----------
    input, other
        Tensors, or a tensor and a number, of integer dtypes; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape and the promoted dtype; 0 or more, and 0 where an argument is 0. Multiples
        that the dtype cannot hold wrap.

    Raises
    ------
    TypeError
        If the promoted dtype is not an integer dtype, or both arguments are numbers.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.lcm(rl.tensor([12, -9, 0]), rl.tensor([18, 6, 4])).tolist()
    [36, 18, 0]
    """
    a, b = _integers("lcm", input, other)
    # (An integer divided by 0 is 0.)
    return n.floor_divide(n.abs(a), _divisor(a, b)) * n.abs(b)
