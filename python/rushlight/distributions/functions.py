"""Random numbers of distributions, by the names of PyTorch's functions."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Generator, Tensor

from .discrete import binomial_numbers
from .distribution import drawing

__all__ = ["binomial"]


@typed
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Draws numbers of binomial distributions: how many of a number of trials succeed.

    Parameters
    ----------
    count
        The number of trials of each distribution: whole numbers from 0 on, floating point.
    prob
        The probabilities of success, of the same dtype; shapes broadcast.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Whole numbers, of the broadcast shape and the dtype, without a gradient.

    Raises
    ------
    TypeError
        If the dtypes are not floating point, or differ.
    ValueError
        If a number of trials is negative or not whole, or a probability is not from 0 to 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.binomial(rl.tensor([5.0, 5.0]), rl.tensor([0.0, 1.0])).tolist()
    [0.0, 5.0]
    """
    if not count.dtype.is_floating_point or count.dtype != prob.dtype:
        raise TypeError(f"binomial: expected one floating-point dtype, got {count.dtype} and {prob.dtype}")
    n, p = rl.broadcast_arrays(count.detach(), prob.detach())
    # (NaN fails each comparison.)
    if not bool(rl.all((n >= 0) & (n < rl.inf) & (n == rl.floor(n)))):
        raise ValueError("binomial: a number of trials is negative or not whole")
    if not bool(rl.all((p >= 0) & (p <= 1))):
        raise ValueError("binomial: a probability is not between 0 and 1")
    with drawing(generator):
        return binomial_numbers(n, p)
