"""Distributions of real numbers with a location and a scale, and the like."""

from __future__ import annotations

import math
from typing import ClassVar

from rushlight import _core as rl
from rushlight._compose.gamma import digamma, lgamma
from rushlight._native import Tensor

from . import constraints as c
from .constraints import Constraint
from .distribution import (
    EULER,
    HALF_LOG_TWO_PI,
    Distribution,
    ExponentialFamily,
    rand,
    randn,
    tensors,
    uniform,
)
from .gammas import standard_gamma

__all__ = [
    "Cauchy",
    "Exponential",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Laplace",
    "Normal",
    "StudentT",
    "Uniform",
]

_PLACED: dict[str, Constraint] = {"loc": c.real, "scale": c.positive}


class _Placed(Distribution):
    """A distribution with a location and a scale."""

    has_rsample: ClassVar[bool] = True
    arg_constraints: ClassVar[dict[str, Constraint]] = _PLACED
    _shaped: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0}

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = tensors(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """All numbers."""
        return c.real

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return self.loc


class Normal(_Placed, ExponentialFamily):
    """The normal distribution.

    Parameters
    ----------
    loc, scale
        The mean and the standard deviation.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Normal(0.0, 1.0).log_prob(rl.tensor(0.0))
    tensor(-0.9189, dtype=float32, device='cpu')
    """

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.scale**2

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        whole = self._extended_shape(shape)
        return self.loc + randn(whole, self.loc) * self.scale

    def _log_prob(self, value: Tensor) -> Tensor:
        return -(((value - self.loc) / self.scale) ** 2) / 2 - rl.log(self.scale) - HALF_LOG_TWO_PI

    def _cdf(self, value: Tensor) -> Tensor:
        return 0.5 * (1 + rl.erf((value - self.loc) / self.scale * math.sqrt(0.5)))

    def _icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * rl.erfinv(2 * value - 1) * math.sqrt(2)

    def _entropy(self) -> Tensor:
        return 0.5 + HALF_LOG_TWO_PI + rl.log(self.scale)


class Laplace(_Placed):
    """The Laplace distribution.

    Parameters
    ----------
    loc, scale
        The mean, and the scale.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Laplace(0.0, 0.5).log_prob(rl.tensor(0.0)).exp().item()
    1.0
    """

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return 2 * self.scale**2

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        u = uniform(self._extended_shape(shape), self.loc) * 2 - 1
        tiny = float(rl.finfo(u.dtype).smallest_normal)
        return self.loc - self.scale * rl.sign(u) * rl.log(rl.clip(1 - rl.abs(u), tiny, None))

    def _log_prob(self, value: Tensor) -> Tensor:
        return -rl.log(2 * self.scale) - rl.abs(value - self.loc) / self.scale

    def _cdf(self, value: Tensor) -> Tensor:
        x = value - self.loc
        return 0.5 - 0.5 * rl.sign(x) * rl.expm1(-rl.abs(x) / self.scale)

    def _icdf(self, value: Tensor) -> Tensor:
        x = value - 0.5
        return self.loc - self.scale * rl.sign(x) * rl.log1p(-2 * rl.abs(x))

    def _entropy(self) -> Tensor:
        return 1 + rl.log(2 * self.scale)


class Cauchy(_Placed):
    """The Cauchy distribution, which has no mean and no variance.

    Parameters
    ----------
    loc, scale
        The median, and half the distance between the quartiles.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Cauchy(0.0, 1.0).cdf(rl.tensor(1.0)).item()
    0.75
    """

    @property
    def mean(self) -> Tensor:
        """NaN."""
        return rl.full_like(self.loc, rl.nan)

    @property
    def variance(self) -> Tensor:
        """NaN."""
        return rl.full_like(self.loc, rl.nan)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        u = uniform(self._extended_shape(shape), self.loc)
        return self.loc + self.scale * rl.tan((u - 0.5) * math.pi)

    def _log_prob(self, value: Tensor) -> Tensor:
        return -math.log(math.pi) - rl.log(self.scale) - rl.log1p(((value - self.loc) / self.scale) ** 2)

    def _cdf(self, value: Tensor) -> Tensor:
        return rl.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def _icdf(self, value: Tensor) -> Tensor:
        return rl.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def _entropy(self) -> Tensor:
        return math.log(4 * math.pi) + rl.log(self.scale)


class Gumbel(_Placed):
    """The Gumbel distribution, that of the maximum of many numbers.

    Parameters
    ----------
    loc, scale
        The mode, and the scale.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Gumbel(0.0, 1.0).log_prob(rl.tensor(0.0)).item()
    -1.0
    """

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc + self.scale * EULER

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return (math.pi * self.scale) ** 2 / 6

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        u = uniform(self._extended_shape(shape), self.loc)
        info = rl.finfo(u.dtype)
        return self.loc - self.scale * rl.log(
            -rl.log(rl.clip(u, float(info.smallest_normal), 1 - float(info.eps)))
        )

    def _log_prob(self, value: Tensor) -> Tensor:
        y = (self.loc - value) / self.scale
        return y - rl.exp(y) - rl.log(self.scale)

    def _cdf(self, value: Tensor) -> Tensor:
        return rl.exp(-rl.exp((self.loc - value) / self.scale))

    def _icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * rl.log(-rl.log(value))

    def _entropy(self) -> Tensor:
        return rl.log(self.scale) + (1 + EULER)


class StudentT(Distribution):
    """Student's t-distribution.

    Parameters
    ----------
    df
        Degrees of freedom.
    loc, scale
        The median, and the scale.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.StudentT(rl.tensor([4.0])).variance.tolist()
    [2.0]
    """

    has_rsample: ClassVar[bool] = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"df": c.positive, **_PLACED}
    _shaped: ClassVar[dict[str, int]] = {"df": 0, "loc": 0, "scale": 0}

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = tensors(df, loc, scale)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """All numbers."""
        return c.real

    @property
    def mean(self) -> Tensor:
        """The mean; NaN up to 1 degree of freedom."""
        return rl.where(self.df > 1, self.loc, rl.nan)

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The variance; infinite up to 2 degrees of freedom, NaN up to 1."""
        above = rl.where(self.df > 2, self.df, 3.0)
        found = rl.where(self.df > 2, self.scale**2 * above / (above - 2), rl.inf)
        return rl.where(self.df > 1, found, rl.nan)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        whole = self._extended_shape(shape)
        x = randn(whole, self.loc)
        z = standard_gamma(rl.broadcast_to(self.df, whole) / 2) * 2
        return self.loc + self.scale * x * rl.rsqrt(z / self.df)

    def _log_prob(self, value: Tensor) -> Tensor:
        y, half = (value - self.loc) / self.scale, (self.df + 1) / 2
        norm = rl.log(self.scale) + 0.5 * rl.log(self.df * math.pi) + lgamma(self.df / 2) - lgamma(half)
        return -half * rl.log1p(y**2 / self.df) - norm

    def _entropy(self) -> Tensor:
        half, low = (self.df + 1) / 2, self.df / 2
        beta = lgamma(low) + 0.5 * math.log(math.pi) - lgamma(half)
        return rl.log(self.scale) + half * (digamma(half) - digamma(low)) + 0.5 * rl.log(self.df) + beta


class _Half(Distribution):
    """The absolute value of a distribution around 0."""

    has_rsample: ClassVar[bool] = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"scale": c.positive}
    _shaped: ClassVar[dict[str, int]] = {"scale": 0, "_base": 0}

    def __init__(self, base: type[_Placed], scale: Tensor | float, validate_args: bool | None) -> None:
        (self.scale,) = tensors(scale)
        self._base = base(0.0, self.scale, validate_args=False)
        super().__init__(self.scale.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """Numbers that are not negative."""
        return c.nonnegative

    @property
    def mode(self) -> Tensor:
        """0."""
        return rl.zeros_like(self.scale)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        return rl.abs(self._base._draw(shape))

    def _log_prob(self, value: Tensor) -> Tensor:
        return rl.where(value >= 0, self._base._log_prob(value) + math.log(2), -rl.inf)

    def _cdf(self, value: Tensor) -> Tensor:
        return 2 * self._base._cdf(value) - 1

    def _icdf(self, value: Tensor) -> Tensor:
        return self._base._icdf((value + 1) / 2)

    def _entropy(self) -> Tensor:
        return self._base._entropy() - math.log(2)


class HalfNormal(_Half):
    """The absolute value of a number of a normal distribution around 0.

    Parameters
    ----------
    scale
        The standard deviation of that distribution.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.HalfNormal(1.0).mean
    tensor(0.7979, dtype=float32, device='cpu')
    """

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Normal, scale, validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.scale**2 * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The absolute value of a number of a Cauchy distribution around 0.

    Parameters
    ----------
    scale
        The scale of that distribution, which is the median.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.HalfCauchy(2.0).cdf(rl.tensor(2.0)).item()
    0.5
    """

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy, scale, validate_args)

    @property
    def mean(self) -> Tensor:
        """Infinity."""
        return rl.full_like(self.scale, rl.inf)

    @property
    def variance(self) -> Tensor:
        """Infinity."""
        return rl.full_like(self.scale, rl.inf)


class Uniform(Distribution):
    """The uniform distribution between two bounds.

    Parameters
    ----------
    low, high
        The bounds; `high` itself is never drawn.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If `low` is not below `high`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Uniform(1.0, 3.0).mean.item()
    2.0
    """

    has_rsample: ClassVar[bool] = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"low": c.real, "high": c.real}
    _shaped: ClassVar[dict[str, int]] = {"low": 0, "high": 0}

    def __init__(self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None) -> None:
        self.low, self.high = tensors(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)
        if self._validate_args and not bool(rl.all(self.low.detach() < self.high.detach())):
            raise ValueError("Uniform: low is not below high")

    @property
    def support(self) -> Constraint:
        """Numbers between the bounds."""
        return c.interval(self.low.detach(), self.high.detach())

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """NaN: all values have the same density."""
        return rl.full_like(self.low, rl.nan)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return (self.high - self.low) ** 2 / 12

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        u = rand(self._extended_shape(shape), self.low)
        return self.low + u * (self.high - self.low)

    def _log_prob(self, value: Tensor) -> Tensor:
        inside = rl.logical_and(value >= self.low, value < self.high)
        return rl.where(inside, -rl.log(self.high - self.low), -rl.inf)

    def _cdf(self, value: Tensor) -> Tensor:
        return rl.clip((value - self.low) / (self.high - self.low), 0, 1)

    def _icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def _entropy(self) -> Tensor:
        return rl.log(self.high - self.low)


class Exponential(ExponentialFamily):
    """The exponential distribution.

    Parameters
    ----------
    rate
        One over the mean.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Exponential(2.0).mean.item()
    0.5
    """

    has_rsample: ClassVar[bool] = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"rate": c.positive}
    _shaped: ClassVar[dict[str, int]] = {"rate": 0}

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = tensors(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """Numbers that are not negative."""
        return c.nonnegative

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return 1 / self.rate

    @property
    def mode(self) -> Tensor:
        """0."""
        return rl.zeros_like(self.rate)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.rate**-2

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        return -rl.log(uniform(self._extended_shape(shape), self.rate)) / self.rate

    def _log_prob(self, value: Tensor) -> Tensor:
        return rl.log(self.rate) - self.rate * value

    def _cdf(self, value: Tensor) -> Tensor:
        return -rl.expm1(-self.rate * value)

    def _icdf(self, value: Tensor) -> Tensor:
        return -rl.log1p(-value) / self.rate

    def _entropy(self) -> Tensor:
        return 1 - rl.log(self.rate)
