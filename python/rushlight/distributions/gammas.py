"""Gamma distributions and those that are made of them. Samples have gradients by the concentrations."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight import functional as F
from rushlight._compose.gamma import digamma, lgamma
from rushlight._native import Tensor
from rushlight.autograd import Function, once_differentiable

from . import constraints as c
from .constraints import Constraint
from .distribution import ExponentialFamily, check_tensor, randn, tensors, uniform

__all__ = ["Beta", "Chi2", "Dirichlet", "Gamma"]

# Above it a formula for large concentrations gives the derivative of a sample.
_LARGE = 200.0


def _marsaglia(alpha: Tensor) -> Tensor:
    """Draw numbers of gamma distributions, for float64 (Marsaglia, Tsang 2000).

    An infinite concentration gives infinity; NaN and numbers that are not positive give NaN.
    """
    usable = rl.logical_and(alpha > 0, rl.isfinite(alpha))
    unusable = rl.where(alpha == rl.inf, rl.inf, rl.nan)
    alpha = rl.where(usable, alpha, 1.0)
    # Below 1 a number for alpha + 1 times a power of a uniform one.
    small = alpha < 1
    boosted = rl.where(small, alpha + 1, alpha)
    d = boosted - 1 / 3
    scale = 1 / rl.sqrt(9 * d)
    out, open_ = rl.zeros_like(alpha), rl.ones_like(alpha, dtype=rl.bool)
    while bool(rl.any(open_)):
        x = randn(alpha.shape, alpha)
        v = (1 + scale * x) ** 3
        positive = v > 0
        v = rl.where(positive, v, 1.0)
        below = rl.log(uniform(alpha.shape, alpha)) < 0.5 * x * x + d * (1 - v + rl.log(v))
        taken = rl.logical_and(open_, rl.logical_and(positive, below))
        out = rl.where(taken, d * v, out)
        open_ = rl.logical_and(open_, rl.logical_not(taken))
    power = rl.log(uniform(alpha.shape, alpha)) / alpha
    return rl.where(usable, out * rl.where(small, rl.exp(power), 1.0), unusable)


def _derivative(alpha: Tensor, x: Tensor) -> Tensor:
    """Return the derivative of a sample by alpha, its probability kept: ``-dF/dalpha / density``.

    F is a series in x whose terms are differentiated. For large alpha it is the formula of Wilson and
    Hilferty.
    """
    a = rl.clip(alpha, None, _LARGE)
    small = rl.where(alpha <= _LARGE, x, _LARGE)
    top = float(rl.amax(small)) if small.size else 0.0
    log_x, psi, factor = rl.log(small), digamma(a + 1), 1 / a
    total = rl.zeros_like(small)
    for k in range(int(top + 12 * math.sqrt(top)) + 40):
        total = total + factor * (log_x - psi)
        at = a + (k + 1)
        factor, psi = factor * small / at, psi + 1 / at
    near = -small * total
    cube = (x / alpha) ** (1 / 3)
    far = x / alpha + 3 * x / cube * (1 / (9 * alpha * alpha) - (cube - 1 + 1 / (9 * alpha)) / (2 * alpha))
    return rl.where(alpha <= _LARGE, near, far)


class _StandardGamma(Function):
    """Samples of gamma distributions of rate 1."""

    @staticmethod
    def forward(ctx: Any, alpha: Tensor) -> Tensor:
        x = _marsaglia(alpha.astype(rl.float64))
        out = rl.clip(x, float(rl.finfo(alpha.dtype).smallest_normal), None).astype(alpha.dtype)
        ctx.save_for_backward(alpha, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        alpha, x = (t.astype(rl.float64) for t in ctx.saved_tensors)
        return grad * _derivative(alpha, x).astype(grad.dtype)


def standard_gamma(alpha: Tensor) -> Tensor:
    """Draw numbers of gamma distributions of rate 1, with a gradient."""
    found: Tensor = _StandardGamma.apply(alpha)
    return found


class Gamma(ExponentialFamily):
    """The gamma distribution.

    Parameters
    ----------
    concentration, rate
        The shape of the density, and one over the scale.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Gamma(3.0, 2.0).mean.item()
    1.5
    """

    has_rsample: ClassVar[bool] = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"concentration": c.positive, "rate": c.positive}
    _shaped: ClassVar[dict[str, int]] = {"concentration": 0, "rate": 0}

    def __init__(
        self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.concentration, self.rate = tensors(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """Numbers that are not negative."""
        return c.nonnegative

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return rl.clip((self.concentration - 1) / self.rate, 0, None)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.concentration / self.rate**2

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        return standard_gamma(rl.broadcast_to(self.concentration, self._extended_shape(shape))) / self.rate

    def _log_prob(self, value: Tensor) -> Tensor:
        a = self.concentration
        return rl.xlogy(a, self.rate) + rl.xlogy(a - 1, value) - self.rate * value - lgamma(a)

    def _entropy(self) -> Tensor:
        a = self.concentration
        return a - rl.log(self.rate) + lgamma(a) + (1 - a) * digamma(a)


class Chi2(Gamma):
    """The distribution of a sum of squares of numbers of the standard normal distribution.

    Parameters
    ----------
    df
        How many: the degrees of freedom.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Chi2(3.0).mean.item()
    3.0
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {"df": c.positive}
    _shaped: ClassVar[dict[str, int]] = {"concentration": 0, "rate": 0, "df": 0}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        (self.df,) = tensors(df)
        super().__init__(self.df / 2, 0.5, validate_args)


def _mode(concentration: Tensor) -> Tensor:
    """Return the mode of Dirichlet distributions; where all numbers are below 1, the largest one's corner."""
    above = rl.clip(concentration - 1, 0, None)
    sums = rl.sum(above, axis=-1, keepdims=True)
    corner = F.one_hot(rl.argmax(concentration, axis=-1), concentration.shape[-1]).astype(above.dtype)
    flat = rl.all(concentration < 1, axis=-1, keepdims=True)
    return rl.where(flat, corner, above / rl.where(flat, 1.0, sums))


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution of vectors of probabilities.

    Parameters
    ----------
    concentration
        Positive numbers; the last axis is a vector.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Dirichlet(rl.tensor([1.0, 3.0])).mean.tolist()
    [0.25, 0.75]
    """

    has_rsample: ClassVar[bool] = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"concentration": c.independent(c.positive, 1)}
    _shaped: ClassVar[dict[str, int]] = {"concentration": 1}

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        check_tensor("Dirichlet", "concentration", concentration)
        if concentration.ndim < 1:
            raise ValueError("Dirichlet: the concentration has one axis or more")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    @property
    def support(self) -> Constraint:
        """Vectors of probabilities with the sum 1."""
        return c.simplex

    def _sum(self) -> Tensor:
        return rl.sum(self.concentration, axis=-1, keepdims=True)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.concentration / self._sum()

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return _mode(self.concentration)

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        a0 = self._sum()
        return self.concentration * (a0 - self.concentration) / (a0**2 * (a0 + 1))

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        x = standard_gamma(rl.broadcast_to(self.concentration, self._extended_shape(shape)))
        return x / rl.sum(x, axis=-1, keepdims=True)

    def _log_prob(self, value: Tensor) -> Tensor:
        a = self.concentration
        powers = rl.sum(rl.xlogy(a - 1, value), axis=-1)
        return powers + lgamma(rl.sum(a, axis=-1)) - rl.sum(lgamma(a), axis=-1)

    def _entropy(self) -> Tensor:
        a, size = self.concentration, self._event_shape[0]
        a0 = rl.sum(a, axis=-1)
        beta = rl.sum(lgamma(a), axis=-1) - lgamma(a0)
        return beta - (size - a0) * digamma(a0) - rl.sum((a - 1) * digamma(a), axis=-1)


class Beta(ExponentialFamily):
    """The beta distribution of a probability.

    Parameters
    ----------
    concentration1, concentration0
        The parameters that are called alpha and beta.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Beta(1.0, 3.0).mean.item()
    0.25
    """

    has_rsample: ClassVar[bool] = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "concentration1": c.positive,
        "concentration0": c.positive,
    }
    _shaped: ClassVar[dict[str, int]] = {"concentration1": 0, "concentration0": 0}

    def __init__(
        self,
        concentration1: Tensor | float,
        concentration0: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.concentration1, self.concentration0 = tensors(concentration1, concentration0)
        super().__init__(self.concentration1.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """Numbers from 0 to 1."""
        return c.unit_interval

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return _mode(rl.stack([self.concentration1, self.concentration0], axis=-1))[..., 0]

    @property
    def variance(self) -> Tensor:
        """The variance."""
        a, b = self.concentration1, self.concentration0
        return a * b / ((a + b) ** 2 * (a + b + 1))

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        whole = self._extended_shape(shape)
        x = standard_gamma(rl.broadcast_to(self.concentration1, whole))
        y = standard_gamma(rl.broadcast_to(self.concentration0, whole))
        return x / (x + y)

    def _log_beta(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    def _log_prob(self, value: Tensor) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return rl.xlogy(a - 1, value) + rl.xlogy(b - 1, 1 - value) - self._log_beta()

    def _entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        inner = (a - 1) * digamma(a) + (b - 1) * digamma(b) - (a + b - 2) * digamma(a + b)
        return self._log_beta() - inner
