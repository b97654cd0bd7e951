"""Distributions of whole numbers and of classes."""

from __future__ import annotations

import math
from typing import ClassVar

from rushlight import _core as rl
from rushlight import functional as F
from rushlight._check import typed
from rushlight._compose.gamma import lgamma
from rushlight._native import Generator, Tensor

from . import constraints as c
from .constraints import Constraint
from .distribution import (
    Distribution,
    ExponentialFamily,
    drawing,
    log_of,
    rand,
    tensors,
    uniform,
)
from .gammas import standard_gamma

__all__ = ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson", "poisson"]


def clamped(probs: Tensor) -> Tensor:
    """Return probabilities that are neither 0 nor 1, so that their logarithms are finite."""
    eps = float(rl.finfo(probs.dtype).eps)
    return rl.clip(probs, eps, 1 - eps)


class _Odds(Distribution):
    """A distribution with a probability or its log-odds."""

    _shaped: ClassVar[dict[str, int]] = {"_probs": 0, "_logits": 0}

    def __init__(
        self, probs: Tensor | float | None, logits: Tensor | float | None, validate_args: bool | None
    ) -> None:
        log_of(type(self).__name__, probs, logits)
        self._probs: Tensor | None = None
        self._logits: Tensor | None = None
        if probs is not None:
            (self._probs,) = tensors(probs)
        elif logits is not None:
            (self._logits,) = tensors(logits)
        given = self._probs if self._probs is not None else self._logits
        assert given is not None
        super().__init__(given.shape, validate_args=validate_args)
        self._checked(self._probs)

    def _checked(self, probs: Tensor | None) -> None:
        inside = probs is None or bool(rl.all(c.unit_interval.check(probs.detach())))
        if self._validate_args and not inside:
            raise ValueError(f"{type(self).__name__}: probs is not {c.unit_interval}")

    @property
    def probs(self) -> Tensor:
        """The probability."""
        if self._probs is not None:
            return self._probs
        assert self._logits is not None
        return rl.sigmoid(self._logits)

    @property
    def logits(self) -> Tensor:
        """The logarithm of the odds."""
        if self._logits is not None:
            return self._logits
        assert self._probs is not None
        p = clamped(self._probs)
        return rl.log(p) - rl.log1p(-p)

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The shape of the parameter that was given."""
        return self._batch_shape

    def __repr__(self) -> str:
        name = "probs" if self._probs is not None else "logits"
        value = getattr(self, name)
        return f"{type(self).__name__}({name}: {value.item() if value.numel() == 1 else value.shape})"


def _cross_entropy(logits: Tensor, value: Tensor) -> Tensor:
    logits, value = rl.broadcast_tensors(logits, value)
    return F.binary_cross_entropy_with_logits(logits, value.astype(logits.dtype), reduction="none")


class Bernoulli(_Odds, ExponentialFamily):
    """The distribution of a number that is 1 with a probability, and else 0.

    Parameters
    ----------
    probs, logits
        The probability, or the logarithm of its odds.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If both or none are given.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Bernoulli(logits=rl.tensor(0.0)).mean.item()
    0.5
    """

    has_enumerate_support: ClassVar[bool] = True

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits, validate_args)

    @property
    def support(self) -> Constraint:
        """0 and 1."""
        return c.boolean

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The more probable value; NaN if both are equally probable."""
        p = self.probs
        return rl.where(p == 0.5, rl.nan, (p > 0.5).astype(p.dtype))

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.probs * (1 - self.probs)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        p = self.probs
        return (rand(self._extended_shape(shape), p) < p).astype(p.dtype)

    def _log_prob(self, value: Tensor) -> Tensor:
        return -_cross_entropy(self.logits, value)

    def _entropy(self) -> Tensor:
        return _cross_entropy(self.logits, self.probs)

    def _values(self) -> Tensor:
        return rl.arange(2, dtype=self.probs.dtype, device=self.probs.device)


class Geometric(_Odds):
    """The distribution of the number of failures before the first success.

    Parameters
    ----------
    probs, logits
        The probability of success, above 0, or the logarithm of its odds.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If both or none are given.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Geometric(0.25).mean.item()
    3.0
    """

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and self._probs is not None and not bool(rl.all(self._probs.detach() > 0)):
            raise ValueError("Geometric: probs is not above 0")

    @property
    def support(self) -> Constraint:
        """Whole numbers from 0 on."""
        return c.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        """0."""
        return rl.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return (1 / self.probs - 1) / self.probs

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        u = uniform(self._extended_shape(shape), self.probs)
        return rl.floor(rl.log(u) / rl.log1p(-self.probs))

    def _log_prob(self, value: Tensor) -> Tensor:
        p = self.probs
        keep = rl.logical_and(p == 1, value == 0)
        return value * rl.log1p(-rl.where(keep, 0.0, p)) + rl.log(p)

    def _entropy(self) -> Tensor:
        return _cross_entropy(self.logits, self.probs) / self.probs


class Binomial(_Odds):
    """The distribution of the number of successes in a number of trials.

    Parameters
    ----------
    total_count
        The number of trials.
    probs, logits
        The probability of success, or the logarithm of its odds.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If both or none are given, or the number of trials is negative or not whole.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Binomial(4, rl.tensor(0.5)).variance.item()
    1.0
    """

    has_enumerate_support: ClassVar[bool] = True
    _shaped: ClassVar[dict[str, int]] = {"_probs": 0, "_logits": 0, "total_count": 0}

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        log_of(type(self).__name__, probs, logits)
        given = probs if probs is not None else logits
        assert given is not None
        self.total_count, value = tensors(total_count, given)
        super().__init__(
            value if probs is not None else None, None if probs is not None else value, validate_args
        )
        if self._validate_args and not bool(rl.all(c.nonnegative_integer.check(self.total_count.detach()))):
            raise ValueError(f"{type(self).__name__}: total_count is not {c.nonnegative_integer}")

    @property
    def support(self) -> Constraint:
        """Whole numbers from 0 to the number of trials."""
        return c.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return rl.minimum(rl.floor((self.total_count + 1) * self.probs), self.total_count)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.total_count * self.probs * (1 - self.probs)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        whole = self._extended_shape(shape)
        return binomial_numbers(*(rl.broadcast_to(x, whole) for x in (self.total_count, self.probs)))

    def _log_prob(self, value: Tensor) -> Tensor:
        n, logits = self.total_count, self.logits
        ways = lgamma(n + 1) - lgamma(value + 1) - lgamma(n - value + 1)
        return ways + value * logits - n * (rl.clip(logits, 0, None) + rl.log1p(rl.exp(-rl.abs(logits))))

    def _entropy(self) -> Tensor:
        terms = self._log_prob(self.enumerate_support())
        return -rl.sum(rl.exp(terms) * terms, axis=0)

    def _values(self) -> Tensor:
        count = int(rl.amax(self.total_count))
        if bool(rl.any(self.total_count != count)):
            raise NotImplementedError(
                "Binomial: distributions with other numbers of trials have other values"
            )
        return rl.arange(count + 1, dtype=self.probs.dtype, device=self.probs.device)


class NegativeBinomial(_Odds):
    """The distribution of the number of successes before a number of failures.

    Parameters
    ----------
    total_count
        The number of failures, above 0.
    probs, logits
        The probability of success, below 1, or the logarithm of its odds.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If both or none are given.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.NegativeBinomial(3.0, rl.tensor(0.5)).mean.item()
    3.0
    """

    _shaped: ClassVar[dict[str, int]] = {"_probs": 0, "_logits": 0, "total_count": 0}

    def __init__(
        self,
        total_count: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        log_of(type(self).__name__, probs, logits)
        given = probs if probs is not None else logits
        assert given is not None
        self.total_count, value = tensors(total_count, given)
        super().__init__(
            value if probs is not None else None, None if probs is not None else value, validate_args
        )
        if self._validate_args and not bool(rl.all(self.total_count.detach() >= 0)):
            raise ValueError("NegativeBinomial: total_count is negative")

    @property
    def support(self) -> Constraint:
        """Whole numbers from 0 on."""
        return c.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.total_count * rl.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return rl.clip(rl.floor((self.total_count - 1) * rl.exp(self.logits)), 0, None)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.mean / rl.sigmoid(-self.logits)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        count = rl.broadcast_to(self.total_count, self._extended_shape(shape))
        return poisson_numbers(standard_gamma(count) * rl.exp(self.logits))

    def _log_prob(self, value: Tensor) -> Tensor:
        n, logits = self.total_count, self.logits
        powers = n * F.logsigmoid(-logits) + value * F.logsigmoid(logits)
        norm = lgamma(n) + lgamma(1 + value) - lgamma(n + value)
        return powers - rl.where(n + value == 0, 0.0, norm)


def _tail(k: Tensor) -> Tensor:
    """Return the logarithm of k! without Stirling's formula for it: the first terms of its series."""
    table = rl.tensor(_TAILS, dtype=k.dtype, device=k.device)
    first = rl.take(table, rl.clip(k, 0, len(_TAILS) - 1).astype(rl.int64), axis=0)
    inverse = 1 / (k + 1)
    square = inverse * inverse
    series = (1 / 12 - (1 / 360 - square / 1260) * square) * inverse
    return rl.where(k < len(_TAILS), first, series)


# Of k = 0 to 9: log(k!) + (k + 1) - (k + 1/2) log(k + 1) - log(2 pi) / 2.
_TAILS = [
    math.lgamma(k + 1) + (k + 1) - (k + 0.5) * math.log(k + 1) - 0.5 * math.log(2 * math.pi)
    for k in range(10)
]


def binomial_numbers(total: Tensor, probs: Tensor) -> Tensor:
    """Draw numbers of binomial distributions, in a time that does not depend on the numbers of trials."""
    n, given = total.detach().astype(rl.float64), probs.detach().astype(rl.float64)
    # The rarer one of success and failure is counted.
    often = given > 0.5
    p = rl.where(often, 1 - given, given)
    usable = rl.logical_and(rl.isfinite(p), rl.isfinite(n))
    low = rl.logical_and(usable, n * p < 10)
    out = rl.zeros_like(p)
    if bool(rl.any(low)):
        # How many terms of the distribution are below a uniform number.
        count, q = rl.where(low, n, 0.0), rl.where(low, p, 0.0)
        u = rand(p.shape, p)
        term, odds = rl.exp(count * rl.log1p(-q)), q / (1 - q)
        below = term
        for k in range(1, 1 + int(min(float(rl.amax(count)), 79))):
            out = out + (u >= below).astype(p.dtype)
            term = term * rl.clip(count - (k - 1), 0, None) * odds / k
            below = below + term
        out = rl.minimum(out, count)
    open_ = rl.logical_and(usable, rl.logical_not(low))
    if bool(rl.any(open_)):
        out = rl.where(open_, _binomial_by_rejection(n, p, open_), out)
    out = rl.where(often, n - out, out)
    return rl.where(usable, out, rl.nan).astype(probs.dtype)


def _binomial_by_rejection(n: Tensor, p: Tensor, open_: Tensor) -> Tensor:
    """Draw where `open_` is set and ``n p`` is 10 or more (Hormann 1993, algorithm BTRS)."""
    n, p = rl.where(open_, n, 40.0), rl.where(open_, p, 0.5)
    q = 1 - p
    spread = rl.sqrt(n * p * q)
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    limit, alpha = 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spread
    odds, mode = p / q, rl.floor((n + 1) * p)
    # The logarithm of the largest probability, but for parts that all probabilities have.
    top = (mode + 0.5) * rl.log((mode + 1) / (odds * (n - mode + 1))) + _tail(mode) + _tail(n - mode)
    out = rl.zeros_like(n)
    while bool(rl.any(open_)):
        u = rand(n.shape, n) - 0.5
        v = 1 - rand(n.shape, n)
        us = rl.clip(0.5 - rl.abs(u), 1e-12, None)
        found = rl.floor((2 * a / us + b) * u + n * p + 0.5)
        inside = rl.logical_and(found >= 0, found <= n)
        quick = rl.logical_and(us >= 0.07, v <= limit)
        k = rl.clip(found, 0, None)
        k = rl.minimum(k, n)
        height = rl.log(v * alpha / (a / (us * us) + b))
        bound = top + (n + 1) * rl.log((n - mode + 1) / (n - k + 1))
        bound = bound + (k + 0.5) * rl.log(odds * (n - k + 1) / (k + 1)) - _tail(k) - _tail(n - k)
        accepted = rl.logical_and(inside, rl.logical_or(quick, height <= bound))
        taken = rl.logical_and(open_, accepted)
        out = rl.where(taken, found, out)
        open_ = rl.logical_and(open_, rl.logical_not(taken))
    return out


def poisson_numbers(rate: Tensor) -> Tensor:
    """Draw numbers of Poisson distributions."""
    lam = rate.detach().astype(rl.float64)
    low = lam < 10
    out = rl.zeros_like(lam)
    if bool(rl.any(low)):
        # How many terms of the distribution are below a uniform number.
        small = rl.where(low, lam, 1.0)
        u = rand(lam.shape, lam)
        term = rl.exp(-small)
        below = term
        for k in range(1, 80):
            out = out + (u >= below).astype(lam.dtype)
            term = term * small / k
            below = below + term
    if bool(rl.all(low)):
        return out.astype(rate.dtype)
    # By transformed rejection (Hormann 1993, algorithm PTRS).
    # (An infinite rate gives infinity, and NaN NaN.)
    usable = rl.isfinite(lam)
    large = rl.where(rl.logical_or(low, rl.logical_not(usable)), 10.0, lam)
    b = 0.931 + 2.53 * rl.sqrt(large)
    a = -0.059 + 0.02483 * b
    inverse, limit = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    log_lam = rl.log(large)
    open_ = rl.logical_and(usable, rl.logical_not(low))
    while bool(rl.any(open_)):
        u = rand(lam.shape, lam) - 0.5
        v = 1 - rand(lam.shape, lam)
        us = rl.clip(0.5 - rl.abs(u), 1e-12, None)
        found = rl.floor((2 * a / us + b) * u + large + 0.43)
        quick = rl.logical_and(us >= 0.07, v <= limit)
        possible = rl.logical_and(found >= 0, rl.logical_or(us >= 0.013, v <= us))
        kept = rl.clip(found, 0, None)
        slow = rl.log(v) + rl.log(inverse) - rl.log(a / (us * us) + b) <= kept * log_lam - large - lgamma(
            kept + 1
        )
        taken = rl.logical_and(open_, rl.logical_or(quick, rl.logical_and(possible, slow)))
        out = rl.where(taken, found, out)
        open_ = rl.logical_and(open_, rl.logical_not(taken))
    return rl.where(usable, out, lam).astype(rate.dtype)


@typed
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Draws numbers of Poisson distributions.

    Parameters
    ----------
    input
        The mean of each distribution; floating point, none negative.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Whole numbers, of the shape and dtype of `input`, without a gradient.

    Raises
    ------
    TypeError
        If the dtype is not floating point.
    ValueError
        If a mean is negative or not finite.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.poisson(rl.tensor([0.0])).tolist()
    [0.0]
    """
    if not input.dtype.is_floating_point:
        raise TypeError(f"poisson: expected a floating-point dtype, got {input.dtype}")
    if not bool(rl.all(rl.logical_and(input.detach() >= 0, input.detach() < rl.inf))):
        raise ValueError("poisson: a mean is negative or not finite")
    with drawing(generator):
        return poisson_numbers(input)


class Poisson(ExponentialFamily):
    """The Poisson distribution.

    Parameters
    ----------
    rate
        The mean.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Poisson(2.0).variance.item()
    2.0
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {"rate": c.nonnegative}
    _shaped: ClassVar[dict[str, int]] = {"rate": 0}

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = tensors(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """Whole numbers from 0 on."""
        return c.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.rate

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return rl.floor(self.rate)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.rate

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        return poisson_numbers(rl.broadcast_to(self.rate, self._extended_shape(shape)))

    def _log_prob(self, value: Tensor) -> Tensor:
        return rl.xlogy(value, self.rate) - self.rate - lgamma(value + 1)
