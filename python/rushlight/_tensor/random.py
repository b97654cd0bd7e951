"""Methods that replace the elements of a tensor by random numbers."""

from __future__ import annotations

import math

from .. import _native as n
from .. import _types as t
from .._native import DType, Generator, Tensor
from .in_place import written

__all__ = [
    "bernoulli",
    "bernoulli_",
    "cauchy_",
    "exponential_",
    "geometric_",
    "log_normal_",
    "normal_",
    "random_",
    "uniform_",
]


def _drawn(name: str, self: Tensor, values: Tensor) -> Tensor:
    return written(name, self, values.to(self.dtype))


def _floating(name: str, self: Tensor) -> None:
    """Raise TypeError for a tensor that is not floating point."""
    if not self.dtype.is_floating_point:
        raise TypeError(f"{name}: expected a floating-point dtype, got {self.dtype}")


def _float(self: Tensor) -> DType:
    """Return the dtype in which random numbers for a tensor are drawn."""
    return self.dtype if self.dtype.is_floating_point else t.float32


def normal_(
    self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Replaces the elements by draws from a normal distribution.

    Parameters
    ----------
    mean, std
        Its mean and standard deviation.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If the standard deviation is negative.
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.empty(1000).normal_(5.0, 0.1)
    >>> bool((x.mean() - 5.0).abs() < 0.1)
    True
    """
    _floating("normal_", self)
    if std < 0:
        raise ValueError(f"normal_: std is {std}, and may not be negative")
    drawn = n.randn(self.shape, dtype=self.dtype, device=self.device, generator=generator)
    return _drawn("normal_", self, drawn * std + mean)


def uniform_(
    self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Replaces the elements by draws from the uniform distribution over ``[from_, to)``.

    Parameters
    ----------
    from_, to
        The ends.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If `to` is below `from_`.
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.empty(100).uniform_(-1.0, 1.0)
    >>> bool((x.abs() <= 1).all())
    True
    """
    _floating("uniform_", self)
    if to < from_:
        raise ValueError(f"uniform_: the ends are {from_} and {to}")
    drawn = n.rand(self.shape, dtype=self.dtype, device=self.device, generator=generator)
    return _drawn("uniform_", self, drawn * (to - from_) + from_)


def random_(
    self: Tensor, from_: int = 0, to: int | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Replaces the elements by random whole numbers; ``random_(to)`` draws from 0 up to ``to`` (excluded).

    Parameters
    ----------
    from_, to
        The ends. Without them integers are drawn from 0 to the dtype's largest number, and floats from 0 to
        the number up to which the dtype holds every whole number.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If there is no number between the ends.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.zeros(100).random_(3)
    >>> bool((x < 3).all())
    True
    """
    low, high = (0, from_) if to is None and from_ else (from_, to)
    if high is None:
        from .._info import finfo, iinfo

        if self.dtype.is_floating_point:
            high = int(2 / finfo(self.dtype).eps) + 1
        else:
            high = 2 if self.dtype == t.bool else min(int(iinfo(self.dtype).max) + 1, 2**63 - 1)
    drawn = n.randint(low, high, self.shape, dtype=t.int64, device=self.device, generator=generator)
    return _drawn("random_", self, drawn)


def bernoulli_(self: Tensor, p: Tensor | float = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Replaces the elements by ones with a probability, and zeros otherwise.

    Parameters
    ----------
    p
        The probability: a number, or a tensor that broadcasts.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If a probability is not between 0 and 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.empty(3).bernoulli_(1.0).tolist()
    [1.0, 1.0, 1.0]
    """
    if isinstance(p, Tensor):
        wanted = n.broadcast_to(p.to(self.device), self.shape)
        return _drawn("bernoulli_", self, n.bernoulli(wanted, generator=generator))
    if not 0 <= p <= 1:
        raise ValueError(f"bernoulli_: p is {p}, and a probability is between 0 and 1")
    like = n.empty(self.shape, dtype=_float(self), device=self.device)
    return _drawn("bernoulli_", self, n.bernoulli(like, float(p), generator=generator))


def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Replaces the elements by draws from an exponential distribution.

    Parameters
    ----------
    lambd
        Its rate.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If the rate is not positive.
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> bool((rl.empty(100).exponential_() >= 0).all())
    True
    """
    _floating("exponential_", self)
    if lambd <= 0:
        raise ValueError(f"exponential_: the rate is {lambd}, and must be positive")
    drawn = n.rand(self.shape, dtype=t.float64, device=self.device, generator=generator)
    return _drawn("exponential_", self, -n.log1p(-drawn) / lambd)


def bernoulli(self: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """Draws ones with a probability, and zeros otherwise, into a new tensor.

    Parameters
    ----------
    p
        The probability; if None, the elements of the tensor are the probabilities.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Of the shape and dtype of the tensor.

    Raises
    ------
    ValueError
        If a probability is not between 0 and 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([0.0, 1.0]).bernoulli().tolist()
    [0.0, 1.0]
    """
    if p is None:
        return n.bernoulli(self.detach(), generator=generator)
    return bernoulli_(n.empty(self.shape, dtype=self.dtype, device=self.device), p, generator=generator)


def _uniform(name: str, self: Tensor, generator: Generator | None) -> Tensor:
    """Draw numbers from [0, 1) in float64 for a floating-point tensor."""
    _floating(name, self)
    return n.rand(self.shape, dtype=t.float64, device=self.device, generator=generator)


def cauchy_(
    self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Replaces the elements by draws from a Cauchy distribution.

    Parameters
    ----------
    median, sigma
        Its median, and half the distance between its quartiles.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If `sigma` is not positive.
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.empty(3).cauchy_(5.0).shape
    (3,)
    """
    if sigma <= 0:
        raise ValueError(f"cauchy_: sigma is {sigma}, and must be positive")
    drawn = _uniform("cauchy_", self, generator)
    return _drawn("cauchy_", self, n.tan((drawn - 0.5) * math.pi) * sigma + median)


def log_normal_(
    self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None
) -> Tensor:
    """Replaces the elements by numbers whose logarithms are draws from a normal distribution.

    Parameters
    ----------
    mean, std
        Mean and standard deviation of the logarithms.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If the standard deviation is not positive.
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> bool((rl.empty(100).log_normal_() > 0).all())
    True
    """
    _floating("log_normal_", self)
    if std <= 0:
        raise ValueError(f"log_normal_: std is {std}, and must be positive")
    drawn = n.randn(self.shape, dtype=_float(self), device=self.device, generator=generator)
    return _drawn("log_normal_", self, n.exp(drawn * std + mean))


def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Replaces the elements by numbers of trials up to the first success.

    Parameters
    ----------
    p
        The probability of a success.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        The tensor itself, with whole numbers from 1.

    Raises
    ------
    ValueError
        If the probability is not between 0 and 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> bool((rl.empty(100).geometric_(0.5) >= 1).all())
    True
    """
    if not 0 < p < 1:
        raise ValueError(f"geometric_: p is {p}, and must be between 0 and 1")
    drawn = n.rand(self.shape, dtype=t.float64, device=self.device, generator=generator)
    return _drawn("geometric_", self, n.clip(n.ceil(n.log1p(-drawn) / math.log1p(-p)), 1, None))
