"""Random tensors made of a few others."""

from __future__ import annotations

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Device, Tensor

__all__ = [
    "rand_like",
    "randn_like",
    "randperm",
]


@typed
def rand_like(x: Tensor, /) -> Tensor:
    """Returns uniform random numbers in [0, 1).

    Parameters
    ----------
    x
        The tensor whose shape, dtype and device are taken; floating point.

    Returns
    -------
    Tensor
        Of the shape, dtype and device of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.rand_like(rl.ones((2, 3))).shape
    (2, 3)
    """
    return n.rand(x.shape, dtype=x.dtype, device=x.device)


@typed
def randn_like(x: Tensor, /) -> Tensor:
    """Returns standard normal random numbers.

    Parameters
    ----------
    x
        The tensor whose shape, dtype and device are taken; floating point.

    Returns
    -------
    Tensor
        Of the shape, dtype and device of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.randn_like(rl.ones((2, 3))).shape
    (2, 3)
    """
    return n.randn(x.shape, dtype=x.dtype, device=x.device)


@typed
def randperm(n: int, /, *, device: Device | str | None = None) -> Tensor:
    """Returns the whole numbers from 0 to n - 1 in random order.

    Parameters
    ----------
    n
        Number of elements.
    device
        The device; the CPU by default.

    Returns
    -------
    Tensor
        int64, shape ``(n,)``.

    Raises
    ------
    ValueError
        If `n` is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> sorted(rl.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    if n < 0:
        raise ValueError(f"randperm: n is {n}, and may not be negative")
    from .. import _native

    return _native.argsort(_native.rand(n, dtype=t.float64, device=device))
