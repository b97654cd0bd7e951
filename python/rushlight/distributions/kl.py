"""Kullback-Leibler divergences of pairs of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight import _core as rl
from rushlight import functional as F
from rushlight._compose.gamma import digamma, lgamma
from rushlight._native import Tensor

from .classes import Categorical, OneHotCategorical
from .composed import Independent, LogNormal, TransformedDistribution
from .continuous import Cauchy, Exponential, Gumbel, HalfNormal, Laplace, Normal, Uniform
from .discrete import Bernoulli, Binomial, Geometric, Poisson
from .distribution import EULER, HALF_LOG_TWO_PI, Distribution, total
from .gammas import Beta, Dirichlet, Gamma

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Tensor]
_RULES: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Decorates the function that computes `kl_divergence` of two classes of distributions.

    Parameters
    ----------
    type_p, type_q
        The classes. The function of the closest base classes is taken.

    Returns
    -------
    callable
        The decorator.

    Raises
    ------
    TypeError
        If one is not a class of distributions.

    Examples
    --------
    >>> import rushlight as rl
    >>> d = rl.distributions
    >>> class Mine(d.Normal):
    ...     pass
    >>> @d.register_kl(Mine, Mine)
    ... def zero(p, q):
    ...     return rl.zeros(p.batch_shape)
    >>> d.kl_divergence(Mine(0.0, 1.0), Mine(1.0, 1.0)).item()
    0.0
    """
    for given in (type_p, type_q):
        if not (isinstance(given, type) and issubclass(given, Distribution)):
            raise TypeError(f"register_kl takes classes of distributions, got {given!r}")

    def decorate(function: Rule) -> Rule:
        _RULES[type_p, type_q] = function
        return function

    return decorate


def _rule(p: type, q: type) -> Rule | None:
    """Return the function of the pair of base classes that are closest."""
    found = [
        (p.__mro__.index(a) + q.__mro__.index(b), k)
        for k, (a, b) in enumerate(_RULES)
        if a in p.__mro__ and b in q.__mro__
    ]
    return list(_RULES.values())[min(found)[1]] if found else None


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Returns the Kullback-Leibler divergence: the mean of ``log p - log q`` over samples of `p`.

    Parameters
    ----------
    p, q
        Two distributions.

    Returns
    -------
    Tensor
        Of the batch shape.

    Raises
    ------
    NotImplementedError
        If there is no formula for the two classes; `register_kl` adds one.

    Examples
    --------
    >>> import rushlight as rl
    >>> d = rl.distributions
    >>> d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0)).item()
    0.5
    """
    rule = _rule(type(p), type(q))
    if rule is None:
        raise NotImplementedError(
            f"kl_divergence: no formula for {type(p).__name__} and {type(q).__name__}; register_kl adds one"
        )
    return rule(p, q)


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - rl.log(ratio))


@register_kl(LogNormal, LogNormal)
def _log_normal(p: LogNormal, q: LogNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms is not q.transforms and [id(t) for t in p.transforms] != [id(t) for t in q.transforms]:
        raise NotImplementedError(
            "kl_divergence: the transforms of both distributions are not the same objects"
        )
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("kl_divergence: the values of both Independent have other numbers of axes")
    return total(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


def _product(p: Tensor, log_ratio: Tensor) -> Tensor:
    """Return ``p * log_ratio``, 0 where p is."""
    return rl.where(p == 0, 0.0, p * rl.where(p == 0, 0.0, log_ratio))


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    return _trial(p, q)


def _trial(p: Bernoulli | Binomial, q: Bernoulli | Binomial) -> Tensor:
    """Return the divergence of one trial; infinite where q excludes a result that p does not."""
    hit = p.probs * (F.logsigmoid(p.logits) - F.logsigmoid(q.logits))
    out = hit + (1 - p.probs) * (F.logsigmoid(-p.logits) - F.logsigmoid(-q.logits))
    never = rl.logical_and(q.probs == 0, p.probs > 0)
    always = rl.logical_and(q.probs == 1, p.probs < 1)
    return rl.where(rl.logical_or(never, always), rl.inf, out)


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if bool(rl.any(p.total_count != q.total_count)):
        raise NotImplementedError("kl_divergence: the numbers of trials of both Binomial differ")
    return p.total_count * _trial(p, q)


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    found = _product(p.probs, p.logits - q.logits)
    # A class that only p has.
    return rl.sum(rl.where(rl.logical_and(q.probs == 0, p.probs > 0), rl.inf, found), axis=-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p, q)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - rl.log1p(-q.probs) / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return rl.xlogy(p.rate, p.rate / q.rate) - (p.rate - q.rate)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    a, b = p.concentration1, p.concentration0
    more = q.concentration1 + q.concentration0 - a - b
    found = q._log_beta() - p._log_beta() + digamma(a) * (a - q.concentration1)
    return found + digamma(b) * (b - q.concentration0) + digamma(a + b) * more


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    a0 = rl.sum(a, axis=-1)
    norm = lgamma(a0) - rl.sum(lgamma(a), axis=-1) - lgamma(rl.sum(b, axis=-1)) + rl.sum(lgamma(b), axis=-1)
    return norm + rl.sum((a - b) * (digamma(a) - rl.unsqueeze(digamma(a0), -1)), axis=-1)


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    a, b = p.concentration, q.concentration
    found = b * rl.log(p.rate / q.rate) + lgamma(b) - lgamma(a)
    return found + (a - b) * digamma(a) + (q.rate - p.rate) * (a / p.rate)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    b, ratio = q.concentration, q.rate / p.rate
    return -b * rl.log(ratio) + ratio + lgamma(b) + b * EULER - (1 + EULER)


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Gamma, q: Exponential) -> Tensor:
    return -p.entropy() - rl.log(q.rate) + q.rate * p.mean


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - rl.log(ratio) - 1


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    away = rl.abs(p.loc - q.loc)
    inside = p.scale / q.scale * rl.exp(-away / p.scale)
    return rl.log(q.scale / p.scale) + away / q.scale + inside - 1


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio - 1 - rl.log(ratio))


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, away = p.scale / q.scale, (q.loc - p.loc) / q.scale
    found = -rl.log(ratio) - away + ratio * EULER
    return found + rl.exp(away + lgamma(1 + ratio)) - (1 + EULER)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    square = (p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2
    return rl.log(square) - rl.log(4 * p.scale * q.scale)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    found = rl.log((q.high - q.low) / (p.high - p.low))
    return rl.where(rl.logical_or(q.low > p.low, q.high < p.high), rl.inf, found)


@register_kl(Uniform, Normal)
def _uniform_normal(p: Uniform, q: Normal) -> Tensor:
    spread = (p.mean - q.loc) ** 2 + p.variance
    return HALF_LOG_TWO_PI + rl.log(q.scale) - rl.log(p.high - p.low) + spread / (2 * q.scale**2)


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    away = (p.loc - q.loc) / p.scale
    mean = p.scale * (math.sqrt(2 / math.pi) * rl.exp(-away * away / 2) + away * rl.erf(away / math.sqrt(2)))
    return -p.entropy() + rl.log(2 * q.scale) + mean / q.scale


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Normal, q: Gumbel) -> Tensor:
    ratio, away = p.scale / q.scale, (q.loc - p.loc) / q.scale
    return -p.entropy() + rl.log(q.scale) - away + rl.exp(away + ratio * ratio / 2)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Laplace, q: Normal) -> Tensor:
    spread = (p.loc - q.loc) ** 2 + p.variance
    return -p.entropy() + HALF_LOG_TWO_PI + rl.log(q.scale) + spread / (2 * q.scale**2)


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Gumbel, q: Normal) -> Tensor:
    spread = (p.mean - q.loc) ** 2 + p.variance
    return -p.entropy() + HALF_LOG_TWO_PI + rl.log(q.scale) + spread / (2 * q.scale**2)
