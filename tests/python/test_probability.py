"""Distributions: samples and their gradients, shapes, checks. Densities are compared in test_calls.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import scipy.stats

import rushlight as rl
from rushlight import distributions as D
from rushlight.distributions.gammas import _derivative

T = rl.tensor
COUNT = 20_000

CONTINUOUS: dict[str, tuple[D.Distribution, Any]] = {
    "Normal": (D.Normal(1.0, 2.0), scipy.stats.norm(1, 2)),
    "Laplace": (D.Laplace(1.0, 2.0), scipy.stats.laplace(1, 2)),
    "Cauchy": (D.Cauchy(1.0, 2.0), scipy.stats.cauchy(1, 2)),
    "Gumbel": (D.Gumbel(1.0, 2.0), scipy.stats.gumbel_r(1, 2)),
    "StudentT": (D.StudentT(5.0, 1.0, 2.0), scipy.stats.t(5, 1, 2)),
    "HalfNormal": (D.HalfNormal(2.0), scipy.stats.halfnorm(0, 2)),
    "HalfCauchy": (D.HalfCauchy(2.0), scipy.stats.halfcauchy(0, 2)),
    "Uniform": (D.Uniform(-1.0, 3.0), scipy.stats.uniform(-1, 4)),
    "Exponential": (D.Exponential(2.0), scipy.stats.expon(0, 0.5)),
    "LogNormal": (D.LogNormal(0.5, 0.3), scipy.stats.lognorm(0.3, 0, math.exp(0.5))),
    "Gamma below 1": (D.Gamma(0.3, 2.0), scipy.stats.gamma(0.3, 0, 0.5)),
    "Gamma": (D.Gamma(5.0, 2.0), scipy.stats.gamma(5, 0, 0.5)),
    "Chi2": (D.Chi2(3.0), scipy.stats.chi2(3)),
    "Beta": (D.Beta(2.0, 0.7), scipy.stats.beta(2, 0.7)),
}
DISCRETE: dict[str, tuple[D.Distribution, Any]] = {
    "Bernoulli": (D.Bernoulli(0.3), scipy.stats.bernoulli(0.3)),
    "Binomial": (D.Binomial(7, 0.3), scipy.stats.binom(7, 0.3)),
    "Binomial of frequent successes": (D.Binomial(30, 0.9), scipy.stats.binom(30, 0.9)),
    "Binomial by rejection": (D.Binomial(60, 0.3), scipy.stats.binom(60, 0.3)),
    "Binomial by rejection, frequent": (D.Binomial(1000, 0.97), scipy.stats.binom(1000, 0.97)),
    "Binomial of a million trials": (D.Binomial(1_000_000, 5e-5), scipy.stats.binom(1_000_000, 5e-5)),
    "Binomial of rare successes": (D.Binomial(1_000_000, 3e-6), scipy.stats.binom(1_000_000, 3e-6)),
    "Geometric": (D.Geometric(0.3), scipy.stats.geom(0.3, -1)),
    "NegativeBinomial": (D.NegativeBinomial(4.0, 0.3), scipy.stats.nbinom(4, 0.7)),
    "Poisson": (D.Poisson(3.0), scipy.stats.poisson(3)),
    "Poisson above 10": (D.Poisson(40.0), scipy.stats.poisson(40)),
    "Categorical": (
        D.Categorical(T([0.2, 0.5, 0.3])),
        scipy.stats.rv_discrete(values=([0, 1, 2], [0.2, 0.5, 0.3])),
    ),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_samples_are_of_the_distribution(name: str) -> None:
    """By the test of Kolmogorov and Smirnov."""
    d, true = CONTINUOUS[name]
    x = d.sample((COUNT,))
    assert x.shape == (COUNT,)
    assert not x.requires_grad
    assert scipy.stats.kstest(x.numpy().astype(np.float64), true.cdf).pvalue > 1e-3
    assert d.support is None or bool(rl.all(d.support.check(x)))


@pytest.mark.parametrize("name", DISCRETE)
def test_counts_are_of_the_distribution(name: str) -> None:
    """By the chi-squared test, of values that are expected ten times or more."""
    d, true = DISCRETE[name]
    x = d.sample((COUNT,)).numpy().astype(np.int64)
    want = true.pmf(np.arange(x.max() + 1)) * COUNT
    got = np.bincount(x)
    often = want >= 10
    want, got = (
        np.append(want[often], COUNT - want[often].sum()),
        np.append(got[often], COUNT - got[often].sum()),
    )
    kept = want > 1e-6
    assert scipy.stats.chisquare(got[kept], want[kept] * (got[kept].sum() / want[kept].sum())).pvalue > 1e-3


def test_vectors_have_the_means_of_their_distribution() -> None:
    p = T([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    normals = D.Normal(T([0.0, 4.0, 1.0]), 1.0)
    cases: list[tuple[D.Distribution, Any]] = [
        (D.OneHotCategorical(p), p),
        (D.OneHotCategoricalStraightThrough(p), p),
        (D.Multinomial(4, p), p * 4),
        (D.Dirichlet(p * 10), p),
        (D.MixtureSameFamily(D.Categorical(p), normals.expand((2, 3))), (p * T([0.0, 4.0, 1.0])).sum(-1)),
        (
            D.MixtureSameFamily(
                D.Categorical(p[0]), D.Independent(D.Normal(T([[0.0], [4.0], [1.0]]), 1.0), 1)
            ),
            T([2.3]),
        ),
    ]
    for d, mean in cases:
        x = d.sample((4000,))
        assert x.shape == (4000, *d.batch_shape, *d.event_shape)
        np.testing.assert_allclose(x.mean(0).numpy(), mean.numpy(), atol=0.15)
        np.testing.assert_allclose(d.mean.numpy(), mean.numpy(), rtol=1e-5)


@pytest.mark.parametrize("alpha", [0.05, 0.4, 1.0, 3.0, 30.0, 150.0, 400.0, 5000.0])
def test_gradient_of_a_gamma_sample(alpha: float) -> None:
    """The sample moves so that its probability to be smaller stays."""
    quantiles = scipy.stats.gamma(alpha).ppf([0.01, 0.2, 0.5, 0.9, 0.999])
    got = _derivative(rl.full((5,), alpha, dtype=rl.float64), rl.asarray(quantiles)).tolist()
    with mp.workdps(30):
        for x, value in zip(quantiles, got, strict=True):
            by = mp.diff(lambda a, x=x: mp.gammainc(a, 0, mp.mpf(x), regularized=True), mp.mpf(alpha))
            density = mp.exp((alpha - 1) * mp.log(x) - x - mp.loggamma(alpha))
            assert value == pytest.approx(float(-by / density), rel=1e-7 if alpha <= 200 else 3e-4)


def test_samples_have_gradients() -> None:
    made: list[tuple[Callable[..., D.Distribution], tuple[Any, ...]]] = [
        (D.Normal, (0.5, 1.0)),
        (D.Laplace, (0.5, 1.0)),
        (D.Gumbel, (0.5, 1.0)),
        (D.Uniform, (0.5, 1.0)),
        (D.LogNormal, (0.5, 0.2)),
        (D.Exponential, (0.5,)),
        (D.HalfNormal, (0.5,)),
        (D.Gamma, (3.0, 2.0)),
        (D.Beta, (3.0, 2.0)),
        (D.StudentT, (9.0, 2.0, 1.0)),
    ]
    for make, values in made:
        leaves = [rl.full((COUNT,), v).requires_grad_() for v in values]
        d = make(*leaves)
        x = d.rsample()
        assert x.requires_grad
        got = rl.autograd.grad(x.mean(), leaves)
        want = rl.autograd.grad(d.mean.mean(), leaves, allow_unused=True)
        for g, w in zip(got, want, strict=True):
            expected = 0.0 if w is None else float(w.sum())
            assert float(g.sum()) == pytest.approx(expected, abs=0.05), make
    leaf = T([1.0, 2.0, 3.0]).requires_grad_()
    (D.Dirichlet(leaf).rsample() * T([1.0, 2.0, 3.0])).sum().backward()
    assert leaf.grad is not None
    # Of a distribution with discrete values.
    with pytest.raises(NotImplementedError, match="Bernoulli has no rsample"):
        D.Bernoulli(0.5).rsample()


def test_seeds_repeat_samples() -> None:
    for d in (D.Gamma(0.5, 1.0), D.Poisson(20.0), D.Categorical(rl.ones(5)), D.Beta(2.0, 3.0)):
        found = []
        for _ in range(2):
            rl.manual_seed(11)
            found.append(d.sample((20,)).tolist())
        assert found[0] == found[1]


DRAWN: list[D.Distribution] = [
    *(d for d, _ in (*CONTINUOUS.values(), *DISCRETE.values())),
    D.Dirichlet(T([0.5, 2.0])),
    D.Multinomial(20, T([0.2, 0.5, 0.3])),
    D.OneHotCategorical(T([0.2, 0.8])),
    D.Independent(D.Normal(rl.zeros(3), 1.0), 1),
    D.MixtureSameFamily(D.Categorical(T([0.5, 0.5])), D.Normal(T([0.0, 5.0]), 1.0)),
]


@pytest.mark.parametrize("at", range(len(DRAWN)))
def test_samples_come_from_a_generator(at: int) -> None:
    d, state = DRAWN[at], rl.get_rng_state()
    draws = [d.sample, d.rsample] if d.has_rsample else [d.sample]
    for draw in draws:
        first, again, other = (draw((50,), generator=rl.Generator().manual_seed(k)) for k in (3, 3, 4))
        assert first.tolist() == again.tolist()
        assert first.tolist() != other.tolist()
    assert rl.get_rng_state().tolist() == state.tolist()


def test_shapes_and_expand() -> None:
    d = D.Normal(rl.zeros(3), rl.ones((2, 1)))
    assert (d.batch_shape, d.event_shape) == ((2, 3), ())
    assert d.expand((5, 2, 3)).sample((4,)).shape == (4, 5, 2, 3)
    assert D.Independent(d, 1).log_prob(rl.zeros((2, 3))).shape == (2,)
    assert D.Categorical(rl.ones((2, 3, 4))).sample((5,)).shape == (5, 2, 3)
    assert D.Categorical(rl.ones((2, 3, 4))).expand((7, 2, 3)).log_prob(rl.zeros((7, 2, 3))).shape == (
        7,
        2,
        3,
    )
    assert D.Bernoulli(logits=rl.zeros(3)).expand((2, 3)).entropy().shape == (2, 3)
    assert D.HalfNormal(rl.ones(3)).expand((2, 3)).sample().shape == (2, 3)
    assert D.MixtureSameFamily(D.Categorical(rl.ones(4)), D.Normal(rl.zeros(4), 1.0)).expand((2,)).sample(
        (3,)
    ).shape == (3, 2)
    affine = D.TransformedDistribution(D.Normal(0.0, 1.0), D.AffineTransform(rl.zeros(3), 1.0))
    assert affine.batch_shape == affine.sample().shape == (3,)
    whole = D.TransformedDistribution(D.Normal(rl.zeros(3), 1.0), D.AffineTransform(0.0, 1.0, event_dim=1))
    assert (whole.batch_shape, whole.event_shape, whole.log_prob(rl.zeros(3)).shape) == ((), (3,), ())
    assert D.Normal(0.0, 1.0).sample_n(2).shape == (2,)


def test_binomial_samples_of_many_parameters() -> None:
    """The time does not depend on the number of trials: these would take years one by one."""
    n = T([0, 1, 12, 10**6, 10**12, 10**15], dtype=rl.float64)
    p = T([[0.0], [1e-13], [0.25], [0.5], [0.999], [1.0]], dtype=rl.float64)
    d = D.Binomial(n, p)
    x = d.sample((400,))
    assert bool(rl.all(d.support.check(x)))
    # Of 400 samples the mean is 5 standard errors from the true one in one of two million cases.
    off = rl.abs(rl.mean(x, axis=0) - d.mean)
    assert bool(rl.all(off <= 5 * rl.sqrt(d.variance / 400) + 1e-9 * d.mean + 0.02))
    assert bool(rl.all(x[:, 0] == 0))
    assert bool(rl.all(x[:, -1] == n))
    assert math.isnan(D.Binomial(10, T(math.nan), validate_args=False).sample().item())
    assert D.Binomial(3, rl.ones((0, 2))).sample((2,)).shape == (2, 0, 2)


def test_multinomial_samples_of_many_trials() -> None:
    p = T([[0.2, 0.5, 0.0, 0.3], [0.0, 0.0, 1.0, 0.0], [1e-9, 0.25, 0.25, 0.5]], dtype=rl.float64)
    for total in (60, 10**9):
        d = D.Multinomial(total, p)
        x = d.sample((500,))
        assert x.shape == (500, 3, 4)
        assert bool(rl.all(d.support.check(x)))
        assert bool(rl.all((x == 0) | (p > 0)))
        off = rl.abs(rl.mean(x, axis=0) - d.mean)
        assert bool(rl.all(off <= 5 * rl.sqrt(d.variance / 500) + 1e-9 * d.mean + 0.02))
        spread = rl.var(x, axis=0)
        assert bool(rl.all(rl.abs(spread - d.variance) <= 0.4 * d.variance + 0.1))
    assert D.Multinomial(50, T([2.0])).sample().tolist() == [50.0]
    assert D.Multinomial(50, rl.ones((0, 2))).sample().shape == (0, 2)


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: D.Normal(0.0, -1.0), "Normal: the parameter scale is not above 0"),
    (lambda: D.Normal(rl.nan, 1.0), "Normal: the parameter loc is not a number"),
    (lambda: D.Uniform(1.0, 1.0), "Uniform: low is not below high"),
    (lambda: D.Bernoulli(1.5), "Bernoulli: probs is not between 0"),
    (lambda: D.Bernoulli(), "Bernoulli: give either probs or logits"),
    (lambda: D.Categorical(T([0.5]), T([0.5])), "Categorical: give either"),
    (lambda: D.Categorical(T([-0.5, 1.0])), "Categorical: probs are not probabilities"),
    (lambda: D.Categorical(logits=T([rl.nan, 1.0])), "Categorical: logits are not probabilities"),
    (lambda: D.Categorical(T(0.5)), "Categorical: the parameter has one axis"),
    (lambda: D.Categorical(rl.ones((2, 0))), r"Categorical: there is no class; the parameter .* \(2, 0\)"),
    (lambda: D.Multinomial(-3, rl.ones(2)), "Multinomial: total_count is -3"),
    (lambda: D.Multinomial(2.5, rl.ones(2)), "Multinomial: total_count is 2.5"),  # type: ignore[arg-type]
    (lambda: D.Geometric(0.0), "Geometric: probs is not above 0"),
    (lambda: D.Binomial(1.5, 0.5), "Binomial: total_count"),  # type: ignore[arg-type]
    (lambda: D.Normal(0.0, 1.0).log_prob(T(rl.nan)), "Normal: a value is outside"),
    (lambda: D.Normal(rl.zeros(3), 1.0).log_prob(rl.zeros(2)), "does not broadcast"),
    (lambda: D.Bernoulli(0.5).log_prob(T(0.5)), "outside of the support, 0 or 1"),
    (lambda: D.Dirichlet(rl.ones(3)).log_prob(rl.ones(3)), "the sum 1"),
    (lambda: D.Dirichlet(rl.ones(3)).log_prob(rl.ones(2) / 2), "does not end with"),
    (lambda: D.Independent(D.Normal(0.0, 1.0), 1), "Independent: 1 axes"),
    (lambda: D.MixtureSameFamily(D.Categorical(rl.ones(2)), D.Normal(rl.zeros(3), 1.0)), "2 probabilities"),
    (lambda: D.TanhTransform(cache_size=2), "cache_size is 0 or 1"),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_wrong_parameters_and_values_are_errors(case: int) -> None:
    call, text = BAD[case]
    with pytest.raises(ValueError, match=text):
        call()


def test_checks_can_be_switched_off() -> None:
    assert D.Normal(0.0, -1.0, validate_args=False).mean.item() == 0
    D.Distribution.set_default_validate_args(False)
    try:
        D.Normal(0.0, -1.0)
    finally:
        D.Distribution.set_default_validate_args(True)


def test_missing_functions_are_named() -> None:
    for call, text in (
        (lambda: D.Gamma(1.0, 1.0).cdf(1.0), "Gamma has no cdf"),
        (lambda: D.Poisson(1.0).entropy(), "Poisson has no entropy"),
        (lambda: D.Normal(0.0, 1.0).enumerate_support(), "Normal does not enumerate"),
        (lambda: D.Binomial(T([1, 2]), 0.5).enumerate_support(), "other numbers of trials"),
        (lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Gamma(1.0, 1.0)), "no formula for Normal and Gamma"),
        (lambda: D.AbsTransform().log_abs_det_jacobian(T(1.0), T(1.0)), "AbsTransform"),
    ):
        with pytest.raises(NotImplementedError, match=text):
            call()


def test_divergences_of_subclasses_and_infinite_ones() -> None:
    class Mine(D.Normal):
        pass

    assert D.kl_divergence(Mine(0.0, 1.0), D.Normal(1.0, 1.0)).item() == 0.5
    assert D.kl_divergence(D.Uniform(0.0, 2.0), D.Uniform(0.0, 1.0)).item() == rl.inf
    p, q = D.Categorical(T([0.5, 0.5])), D.Categorical(T([1.0, 0.0]))
    assert D.kl_divergence(p, q).item() == rl.inf
    assert D.kl_divergence(q, p).item() == pytest.approx(math.log(2), rel=1e-6)
    with pytest.raises(TypeError, match="classes of distributions"):
        D.register_kl(int, D.Normal)


def test_a_cached_inverse_is_exact() -> None:
    """As actors of reinforcement learning squash their actions."""
    policy = D.TransformedDistribution(D.Normal(rl.zeros(2), 1.0), [D.TanhTransform(cache_size=1)])
    x = policy.rsample((3,)) * 1.0
    assert bool(rl.all(rl.isfinite(policy.log_prob(x))))
    transform = D.TanhTransform(cache_size=1)
    big = T([20.0, -3.0])
    assert transform.inv(transform(big)).tolist() == [20.0, -3.0]
    assert D.TanhTransform().inv(D.TanhTransform()(big)).tolist()[0] == rl.inf


def test_reprs() -> None:
    assert repr(D.Normal(0.0, 1.0)) == "Normal(loc: 0.0, scale: 1.0)"
    assert repr(D.Categorical(rl.ones(2))) == "Categorical(probs: (2,))"
    assert (
        repr(D.Independent(D.Normal(rl.zeros(3), 1.0), 1)) == "Independent(Normal(loc: (3,), scale: (3,)), 1)"
    )
    assert repr(D.LogNormal(0.0, 1.0)) == "LogNormal(loc: 0.0, scale: 1.0)"


def test_excluded_results_have_an_infinite_divergence() -> None:
    one, never, half = (D.Bernoulli(T(v)) for v in (1.0, 0.0, 0.5))
    for p, q, want in (
        (half, never, math.inf),
        (never, one, math.inf),
        (never, half, math.log(2)),
        (one, one, 0.0),
    ):
        assert D.kl_divergence(p, q).item() == pytest.approx(want), (p, q)
    assert D.kl_divergence(D.Binomial(3, T(0.5)), D.Binomial(3, T(1.0))).item() == math.inf


def test_samples_of_infinite_and_missing_parameters_end() -> None:
    given = T([math.inf, math.nan, -1.0, 2.0])
    got = D.Gamma(given, T(1.0), validate_args=False).sample()
    assert rl.isinf(got).tolist() == [True, False, False, False]
    assert rl.isnan(got).tolist() == [False, True, True, False]
    assert math.isnan(D.Poisson(T(math.nan), validate_args=False).sample().item())


def test_a_parameter_that_is_not_a_tensor_is_named() -> None:
    with pytest.raises(TypeError, match="Dirichlet: concentration is a Tensor, got list"):
        D.Dirichlet([1.0, 2.0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Categorical: logits is a Tensor, got list"):
        D.Categorical(logits=[1.0, 2.0])  # type: ignore[arg-type]
