"""Special functions: values of mpmath, gradients by differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import scipy.special

import rushlight as rl
from rushlight import special

RNG = np.random.default_rng(7)
POSITIVE = np.concatenate(
    [
        10 ** RNG.uniform(-8, 4, 40),
        RNG.uniform(0, 12, 40),
        [0.5, 1.5, 2.5, 8.5],
        1 + RNG.uniform(-0.01, 0.01, 9),
    ]
)
NEGATIVE = -RNG.uniform(0, 20, 40)
WIDE = np.concatenate([RNG.uniform(-60, 60, 50), RNG.uniform(-1, 1, 10), [25.0, -25.0]])
TAIL = RNG.uniform(-35, 8, 50)

# Function, the true one, arguments, and the largest relative errors in float64 and float32.
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], Any, float]] = {
    "lgamma": (special.gammaln, mp.loggamma, POSITIVE, 2e-15),
    "lgamma below 0": (rl.lgamma, lambda x: mp.log(abs(mp.gamma(x))), NEGATIVE, 1e-13),
    "digamma": (special.psi, mp.digamma, POSITIVE, 3e-14),
    "digamma below 0": (rl.digamma, mp.digamma, NEGATIVE, 1e-13),
    "polygamma 1": (lambda x: special.polygamma(1, x), lambda x: mp.psi(1, x), POSITIVE, 2e-15),
    "polygamma 1 below 0": (lambda x: rl.polygamma(1, x), lambda x: mp.psi(1, x), NEGATIVE, 1e-13),
    "polygamma 2": (lambda x: rl.polygamma(2, x), lambda x: mp.psi(2, x), POSITIVE, 2e-15),
    "polygamma 5": (lambda x: rl.polygamma(5, x), lambda x: mp.psi(5, x), POSITIVE[40:], 2e-15),
    "erfc": (rl.erfc, mp.erfc, RNG.uniform(-6, 9, 60), 2e-15),
    "erfcx": (special.erfcx, lambda x: mp.exp(x * x) * mp.erfc(x), RNG.uniform(-5, 40, 60), 2e-14),
    "ndtr": (special.ndtr, mp.ncdf, TAIL[TAIL > -12], 2e-15),
    "log_ndtr": (special.log_ndtr, lambda x: mp.log(mp.ncdf(x)), np.append(TAIL * 2, 0.5), 3e-15),
    "i0": (rl.i0, lambda x: mp.besseli(0, x), WIDE, 5e-15),
    "i1": (special.i1, lambda x: mp.besseli(1, x), WIDE, 5e-15),
    "i0e": (special.i0e, lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), WIDE, 5e-15),
    "i1e": (special.i1e, lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), WIDE, 5e-15),
}


SHAPES = np.concatenate([10 ** RNG.uniform(-6, 3.5, 40), RNG.uniform(0.1, 30, 40)])
BOUNDS = SHAPES * np.exp(RNG.normal(size=80) * 0.4) + RNG.uniform(0, 2, 80) * RNG.integers(0, 2, 80)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma_functions(name: str, dtype: str) -> None:
    a, x = SHAPES.astype(dtype), BOUNDS.astype(dtype)
    got = getattr(special, name)(rl.asarray(a), rl.asarray(x))
    assert got.dtype == getattr(rl, dtype)
    with mp.workdps(40):
        ends = [(0, v) if name == "gammainc" else (v, mp.inf) for v in map(mp.mpf, map(float, x))]
        want = [float(mp.gammainc(float(b), *end, regularized=True)) for b, end in zip(a, ends, strict=True)]
    tiny = 0 if dtype == "float64" else 1e-44
    np.testing.assert_allclose(got.numpy(), want, rtol=2e-13 if dtype == "float64" else 6.1e-8, atol=tiny)
    alias = getattr(rl, {"gammainc": "igamma", "gammaincc": "igammac"}[name])
    np.testing.assert_array_equal(alias(rl.asarray(a), rl.asarray(x)).numpy(), got.numpy())


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma_functions_at_the_ends(name: str) -> None:
    ends = [0.0, 0.5, 1.0, 2.0, math.inf, math.nan, -1.0]
    a, x = np.meshgrid(ends, ends)
    got = getattr(special, name)(rl.asarray(a), rl.asarray(x)).numpy()
    np.testing.assert_allclose(got, getattr(scipy.special, name)(a, x), rtol=1e-13)
    assert getattr(special, name)(rl.zeros(0), 1.0).shape == (0,)
    q = [rl.tensor([0.5, 2.0, 7.0, 20.0], dtype=rl.float64, requires_grad=True)]
    p = rl.tensor([0.3, 2.0, 9.0, 15.0], dtype=rl.float64)
    assert rl.autograd.gradcheck(lambda q: getattr(special, name)(p, q), q)
    assert rl.autograd.gradgradcheck(lambda q: getattr(special, name)(p, q), q)
    with pytest.raises(TypeError, match=f"^{name}: the shape parameter has no gradient"):
        getattr(special, name)(q[0], 1.0)
    with pytest.raises(TypeError, match=f"^{name}: complex numbers are not supported"):
        getattr(special, name)(1.0, rl.tensor([1j]))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values(name: str, dtype: str) -> None:
    function, true, xs, bound = CASES[name]
    given = np.asarray(xs, dtype)
    got = function(rl.asarray(given))
    assert got.dtype == getattr(rl, dtype)
    with mp.workdps(80):
        want = np.array([float(mp.re(true(mp.mpf(float(x))))) for x in given])
    # Below 0 there are zeros between the poles.
    least = bound if "below" in name else 0
    bound = bound if dtype == "float64" else 6.1e-8
    np.testing.assert_allclose(got.numpy(), want, rtol=bound, atol=least)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_ndtri_and_zeta(dtype: str) -> None:
    bound = 3e-15 if dtype == "float64" else 6.1e-8
    low = -300 if dtype == "float64" else -37
    p = np.concatenate([RNG.uniform(0, 1, 50), 10 ** RNG.uniform(low, 0, 50), [0.5, 0.1, 0.9]]).astype(dtype)
    want = scipy.special.ndtri(p.astype(np.float64))
    np.testing.assert_allclose(special.ndtri(rl.asarray(p)).numpy(), want, rtol=bound, atol=1e-16)
    q = np.asarray(POSITIVE[40:], dtype)
    for s in (1.1, 2.0, 3.5, 20.0):
        given = np.full_like(q, s)
        want = scipy.special.zeta(given.astype(np.float64), q.astype(np.float64))
        np.testing.assert_allclose(
            special.zeta(rl.asarray(given), rl.asarray(q)).numpy(),
            want,
            rtol=2e-14 if bound < 1e-10 else bound,
        )


@pytest.mark.parametrize("s", [2, 3, 4, 7, 20])
def test_zeta_of_negative_bases(s: int) -> None:
    """By the derivative of the gamma function's logarithm, which mpmath has for every number."""
    q = np.append(NEGATIVE[:12], [-1e-9, -0.5, -1.0000001, -200.25])
    with mp.workdps(60):
        by = mp.mpf((-1) ** s) / mp.factorial(s - 1)
        want = np.array([float(by * mp.psi(s - 1, mp.mpf(float(v)))) for v in q])
        # Between poles the terms have both signs, and the error is relative to the largest.
        size = np.abs(q - np.round(q)) ** -float(s)
    got = special.zeta(float(s), rl.asarray(q)).numpy()
    assert np.all(np.abs(got - want) <= 4e-14 * np.maximum(size, np.abs(want)))
    scale = math.factorial(s - 1) * (-1.0) ** s
    if s > 2:
        got = rl.polygamma(s - 1, rl.asarray(q)).numpy() * scale**-1
        assert np.all(np.abs(got - want) <= 4e-14 * np.maximum(size, np.abs(want)))


NAN, INF = float("nan"), float("inf")
SPECIALS: list[tuple[Callable[..., Any], list[float], list[float]]] = [
    (rl.lgamma, [0.0, -1.0, 1.0, 2.0, INF, -INF, NAN], [INF, INF, 0.0, 0.0, INF, INF, NAN]),
    (rl.digamma, [0.0, -0.0, -1.0, INF, -INF, NAN], [-INF, INF, NAN, INF, NAN, NAN]),
    (rl.erfc, [INF, -INF, 0.0, 40.0, NAN], [0.0, 2.0, 1.0, 0.0, NAN]),
    (special.erfcx, [INF, -INF, 0.0, NAN], [0.0, INF, 1.0, NAN]),
    (special.ndtr, [INF, -INF, 0.0, NAN], [1.0, 0.0, 0.5, NAN]),
    (special.log_ndtr, [INF, -INF, NAN], [0.0, -INF, NAN]),
    (special.ndtri, [0.0, 1.0, 0.5, -0.1, 1.1, NAN], [-INF, INF, 0.0, NAN, NAN, NAN]),
    (rl.i0, [0.0, INF, -INF, 800.0, NAN], [1.0, INF, INF, INF, NAN]),
    (special.i1, [0.0, INF, -INF, -800.0, NAN], [0.0, INF, -INF, -INF, NAN]),
    (special.i0e, [0.0, INF, NAN], [1.0, 0.0, NAN]),
    (special.i1e, [0.0, INF, -INF, NAN], [0.0, 0.0, 0.0, NAN]),
    (special.entr, [0.0, -0.0, 1.0, -1.0, INF, NAN], [0.0, 0.0, 0.0, -INF, -INF, NAN]),
    (lambda x: special.xlog1py(x, -1.0), [0.0, 1.0, NAN], [0.0, -INF, NAN]),
    (lambda x: special.xlog1py(0.0, x), [NAN, INF, 1.0], [NAN, 0.0, 0.0]),
    (lambda s: special.zeta(s, 1.0), [1.0, 0.5, INF], [INF, NAN, 1.0]),
    (lambda q: special.zeta(2.0, q), [0.0, -1.0, -INF, NAN], [INF, INF, INF, NAN]),
    (lambda q: special.zeta(2.5, q), [0.0, -1.0, -0.5, -1.5, NAN], [INF, INF, NAN, NAN, NAN]),
    (lambda s: special.zeta(s, -0.5), [1.0, 0.5, 2.5, NAN], [INF, NAN, NAN, NAN]),
]


@pytest.mark.parametrize("case", range(len(SPECIALS)))
def test_special_values(case: int) -> None:
    function, xs, want = SPECIALS[case]
    got = function(rl.tensor(xs, dtype=rl.float64)).tolist()
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "name", ["digamma", "erfc", "erfcx", "i0", "i0e", "i1", "i1e", "lgamma", "log_ndtr", "ndtr"]
)
def test_gradients(name: str) -> None:
    function = getattr(special, name, None) or getattr(rl, name)
    x = rl.tensor([0.3, 1.7, 5.0, 0.01], dtype=rl.float64, requires_grad=True)
    assert rl.autograd.gradcheck(function, x)
    assert rl.autograd.gradgradcheck(function, x)
    y = rl.tensor([-0.6, -2.3], dtype=rl.float64, requires_grad=True)
    assert rl.autograd.gradcheck(function, y)
    half = rl.tensor([0.5], dtype=rl.float16, requires_grad=True)
    function(half).sum().backward()
    assert half.grad is not None
    assert half.grad.dtype == rl.float16


def test_gradients_of_functions_of_probabilities() -> None:
    x = rl.tensor([0.3, 0.7, 0.01, 0.995], dtype=rl.float64, requires_grad=True)
    calls: list[Callable[..., Any]] = [
        special.ndtri,
        special.entr,
        lambda x: special.xlog1py(x, x),
        lambda x: rl.mvlgamma(x + 2, 3),
        lambda x: rl.polygamma(2, x),
    ]
    for call in calls:
        assert rl.autograd.gradcheck(call, x)


def test_gradients_at_zero() -> None:
    """Those of PyTorch, except NaN where both arguments are 0."""

    def slopes(function: Callable[..., Any], *values: list[float]) -> list[list[float]]:
        leaves = [rl.tensor(v, dtype=rl.float64, requires_grad=True) for v in values]
        function(*leaves).sum().backward()
        return [x.grad.tolist() for x in leaves if x.grad is not None]

    np.testing.assert_array_equal(slopes(special.entr, [0.0, -1.0, 1.0]), [[INF, NAN, -1.0]])
    got = slopes(rl.xlogy, [0.0, 0.0, 0.0, 2.0], [2.0, 0.0, -1.0, 0.0])
    np.testing.assert_allclose(got, [[math.log(2), 0.0, 0.0, -INF], [0.0, 0.0, 0.0, INF]], rtol=1e-15)
    got = slopes(special.xlog1py, [0.0, 0.0, 0.0, 2.0], [1.0, -1.0, -3.0, -1.0])
    np.testing.assert_allclose(got, [[math.log(2), 0.0, 0.0, -INF], [0.0, 0.0, 0.0, INF]], rtol=1e-15)
    assert str(rl.xlogy(rl.tensor([0.0]), rl.tensor([0.5])).tolist()) == "[0.0]"


def test_logit_and_its_gradient_at_the_ends() -> None:
    x = rl.tensor([0.0, 1.0, 0.5, 0.25, 1e-30], dtype=rl.float64, requires_grad=True)
    y = special.logit(x)
    y.sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(y.tolist(), scipy.special.logit(x.tolist()), rtol=1e-15, atol=1e-16)
    np.testing.assert_allclose(x.grad.tolist(), [INF, INF, 4.0, 16 / 3, 1e30], rtol=1e-14)
    low = rl.tensor([0.0, 1.0, 0.5], requires_grad=True)
    special.logit(low, 0.1).sum().backward()
    assert low.grad is not None
    assert low.grad.tolist() == [0.0, 0.0, 4.0]
    assert special.logit(rl.tensor([0, 1], dtype=rl.uint8)).tolist() == [-INF, INF]
    half = special.logit(rl.tensor([0.3], dtype=rl.float16))
    assert half.dtype == rl.float16


def test_other_dtypes_and_arguments() -> None:
    assert rl.lgamma(rl.tensor([4])).dtype == rl.float32
    assert rl.tensor([1.5]).lgamma().tolist() == rl.lgamma(rl.tensor([1.5])).tolist()
    np.testing.assert_allclose(
        special.multigammaln(rl.tensor([3.5], dtype=rl.float64), 4).item(), scipy.special.multigammaln(3.5, 4)
    )
    with pytest.raises(TypeError, match="lgamma: complex"):
        rl.lgamma(rl.ones(1, dtype=rl.complex64))
    with pytest.raises(ValueError, match="polygamma: n is 200, expected 0 to 170"):
        rl.polygamma(200, rl.ones(1))
    with pytest.raises(TypeError, match=r"polygamma: n is an integer, got float 1\.5"):
        rl.polygamma(1.5, rl.ones(1))  # type: ignore[arg-type]
    assert rl.polygamma(170, rl.tensor([10.0], dtype=rl.float64)).item() == pytest.approx(
        float(mp.psi(170, 10)), rel=1e-13
    )
    with pytest.raises(ValueError, match="polygamma: n is -1"):
        rl.polygamma(-1, rl.ones(1))
    with pytest.raises(ValueError, match="mvlgamma: p is 0"):
        rl.mvlgamma(rl.ones(1), 0)
    with pytest.raises(TypeError, match="erfc: input is a Tensor, got float"):
        rl.erfc(1.0)  # type: ignore[arg-type]


def test_names_are_those_of_the_top_level() -> None:
    for name in ("erf", "erfinv", "exp2", "expm1", "log1p", "logit", "logsumexp", "sinc", "xlogy", "round"):
        assert getattr(special, name) is getattr(rl, name)
    assert special.expit(rl.tensor([0.0])).item() == 0.5
    assert special.softmax(rl.tensor([0.0, 0.0]), 0).tolist() == [0.5, 0.5]


def test_two_numbers_are_an_error() -> None:
    for function in (special.zeta, special.xlog1py, rl.hypot):
        with pytest.raises(TypeError, match="tensor"):
            function(2.0, 3.0)


def test_zeta_of_infinity_and_its_gradient() -> None:
    assert special.zeta(rl.tensor([2.0, 3.5]), math.inf).tolist() == [0.0, 0.0]
    assert special.polygamma(1, rl.tensor([math.inf])).tolist() == [0.0]
    q = rl.tensor([0.5, 2.0, 7.0, -1.5], dtype=rl.float64, requires_grad=True)
    s = rl.tensor([3.0, 2.0, 2.5, 3.0], dtype=rl.float64)
    special.zeta(s, q).sum().backward()
    assert q.grad is not None
    want = -s.numpy() * scipy.special.zeta(s.numpy() + 1, q.detach().numpy())
    np.testing.assert_allclose(q.grad.numpy(), want, rtol=1e-13)
    positive = [rl.tensor([0.5, 2.0], dtype=rl.float64, requires_grad=True)]
    assert rl.autograd.gradgradcheck(lambda q: special.zeta(3.0, q), positive)
    with pytest.raises(TypeError, match="zeta: the exponent has no gradient"):
        special.zeta(q, 1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_neighbours_of_numbers(dtype: str) -> None:
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    a = np.array([1, -1, 0, -0.0, np.inf, -np.inf, np.nan, 1, tiny, 0, huge, -tiny], dtype)
    b = np.array([2, -2, 1, -1, 0, 0, 1, np.nan, 0, 0, np.inf, 0], dtype)
    with np.errstate(all="ignore"):
        got, want = rl.nextafter(rl.asarray(a), rl.asarray(b)).numpy(), np.nextafter(a, b)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
