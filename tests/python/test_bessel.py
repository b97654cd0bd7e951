"""Bessel's and Airy's functions and orthogonal polynomials: values of mpmath and SciPy."""

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

RNG = np.random.default_rng(11)
POSITIVE = np.concatenate(
    [
        10 ** RNG.uniform(-8, 0, 30),
        RNG.uniform(0, 25, 90),
        10 ** RNG.uniform(1, 2.5, 20),
        [1.5, 1.9999, 2.0, 2.2, 3.9999, 4.0, 4.0001],
    ]
)
BOTH = np.concatenate([POSITIVE, -POSITIVE])
AIRY = np.concatenate([RNG.uniform(-20, 12, 90), 10 ** RNG.uniform(-8, 0, 20), [-2.2001, -2.2, 1.5, 1.5001]])


def oscillation(x: Any) -> Any:
    """The size of the waves of J and Y far from 0."""
    return np.minimum(1.0, np.sqrt(2 / (math.pi * np.abs(x))))


def waves(x: Any) -> Any:
    """The size of the waves of Ai below 0; above it the function has no zero."""
    return np.where(x < 0, np.minimum(0.5, np.abs(x) ** -0.25 * 0.5), 0.0)


def none(x: Any) -> Any:
    return np.zeros_like(x)


# The true function, arguments, a size, and the bound of the error relative to the function or to that size.
CASES: dict[str, tuple[Callable[..., Any], Any, Callable[..., Any], float]] = {
    "bessel_j0": (lambda x: mp.besselj(0, x), BOTH, oscillation, 3e-15),
    "bessel_j1": (
        lambda x: mp.besselj(1, x),
        BOTH,
        lambda x: np.where(np.abs(x) < 1, 0, oscillation(x)),
        3e-15,
    ),
    "bessel_y0": (lambda x: mp.bessely(0, x), POSITIVE, oscillation, 3e-15),
    "bessel_y1": (lambda x: mp.bessely(1, x), POSITIVE, oscillation, 3e-15),
    "modified_bessel_k0": (lambda x: mp.besselk(0, x), POSITIVE, none, 1e-14),
    "modified_bessel_k1": (lambda x: mp.besselk(1, x), POSITIVE, none, 1e-14),
    "scaled_modified_bessel_k0": (lambda x: mp.besselk(0, x) * mp.exp(x), POSITIVE, none, 1e-14),
    "scaled_modified_bessel_k1": (lambda x: mp.besselk(1, x) * mp.exp(x), POSITIVE, none, 1e-14),
    "airy_ai": (mp.airyai, AIRY, waves, 3e-14),
    "spherical_bessel_j0": (
        lambda x: mp.sin(x) / x,
        BOTH,
        lambda x: np.minimum(1.0, 1 / np.abs(x)),
        1e-15,
    ),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, dtype: str) -> None:
    true, xs, size, bound = CASES[name]
    given = np.asarray(xs, dtype)
    got = getattr(special, name)(rl.asarray(given))
    assert got.dtype == getattr(rl, dtype)
    with mp.workdps(50):
        want = np.array([float(true(mp.mpf(float(x)))) for x in given])
    least = np.maximum(np.abs(want), size(given.astype(np.float64)))
    bound = bound if dtype == "float64" else 6.1e-8
    # (The least subnormal float32.)
    floor = 0.0 if dtype == "float64" else 7.1e-46
    assert np.all(np.abs(got.numpy() - want) <= bound * least + floor)


NAN, INF = math.nan, math.inf
SPECIALS: dict[str, tuple[list[float], list[float]]] = {
    "bessel_j0": ([0.0, INF, -INF, NAN], [1.0, 0.0, 0.0, NAN]),
    "bessel_j1": ([0.0, INF, -INF, NAN], [0.0, 0.0, 0.0, NAN]),
    "bessel_y0": ([0.0, -0.0, -1.0, INF, -INF, NAN], [-INF, -INF, NAN, 0.0, NAN, NAN]),
    "bessel_y1": ([0.0, -0.0, -1.0, INF, -INF, NAN], [-INF, -INF, NAN, 0.0, NAN, NAN]),
    "modified_bessel_k0": ([0.0, -1.0, 1e4, INF, -INF, NAN], [INF, NAN, 0.0, 0.0, NAN, NAN]),
    "modified_bessel_k1": ([0.0, -1.0, 1e4, INF, -INF, NAN], [INF, NAN, 0.0, 0.0, NAN, NAN]),
    "scaled_modified_bessel_k0": ([0.0, -1.0, INF, -INF, NAN], [INF, NAN, 0.0, NAN, NAN]),
    "scaled_modified_bessel_k1": ([0.0, -1.0, INF, -INF, NAN], [INF, NAN, 0.0, NAN, NAN]),
    "airy_ai": ([INF, -INF, 1e5, NAN], [0.0, 0.0, 0.0, NAN]),
    "spherical_bessel_j0": ([0.0, -0.0, INF, -INF, NAN], [1.0, 1.0, 0.0, 0.0, NAN]),
}


@pytest.mark.parametrize("name", SPECIALS)
def test_special_values(name: str) -> None:
    xs, want = SPECIALS[name]
    for dtype in (rl.float64, rl.float32):
        np.testing.assert_array_equal(getattr(special, name)(rl.tensor(xs, dtype=dtype)).tolist(), want)
    assert getattr(special, name)(rl.zeros((2, 0))).shape == (2, 0)
    assert getattr(special, name)(rl.tensor([1])).dtype == rl.float32
    assert getattr(special, name)(rl.tensor([1.0], dtype=rl.bfloat16)).dtype == rl.bfloat16
    with pytest.raises(TypeError, match=f"^{name}: complex numbers are not supported, got complex64"):
        getattr(special, name)(rl.tensor([1j]))
    with pytest.raises(TypeError, match=f"^{name}: input is a Tensor, got float"):
        getattr(special, name)(1.0)


@pytest.mark.parametrize("name", CASES)
def test_gradients(name: str) -> None:
    function = getattr(special, name)
    xs = [0.3, 1.2, 1.7, 3.0, 5.0, 9.0]
    if name in ("bessel_j0", "bessel_j1", "airy_ai", "spherical_bessel_j0"):
        xs += [0.0, -0.4, -1.9, -2.6, -7.0]
    x = rl.tensor(xs, dtype=rl.float64, requires_grad=True)
    assert rl.autograd.gradcheck(function, x)
    assert rl.autograd.gradgradcheck(function, x)


def test_modified_functions_of_the_first_kind_are_those_of_numpys_names() -> None:
    assert special.modified_bessel_i0 is special.i0
    assert special.modified_bessel_i1 is special.i1


def _shifted(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    return lambda n, x: evaluate(n, 2 * x - 1)


def _third(n: Any, x: Any) -> Any:
    return scipy.special.eval_chebyu(n, x) - np.where(n > 0, scipy.special.eval_chebyu(n - 1, x), 0)


def _fourth(n: Any, x: Any) -> Any:
    return scipy.special.eval_chebyu(n, x) + np.where(n > 0, scipy.special.eval_chebyu(n - 1, x), 0)


POLYNOMIALS: dict[str, Callable[..., Any]] = {
    "chebyshev_polynomial_t": scipy.special.eval_chebyt,
    "chebyshev_polynomial_u": scipy.special.eval_chebyu,
    "chebyshev_polynomial_v": _third,
    "chebyshev_polynomial_w": _fourth,
    "shifted_chebyshev_polynomial_t": _shifted(scipy.special.eval_chebyt),
    "shifted_chebyshev_polynomial_u": _shifted(scipy.special.eval_chebyu),
    "shifted_chebyshev_polynomial_v": _shifted(_third),
    "shifted_chebyshev_polynomial_w": _shifted(_fourth),
    "hermite_polynomial_h": scipy.special.eval_hermite,
    "hermite_polynomial_he": scipy.special.eval_hermitenorm,
    "laguerre_polynomial_l": scipy.special.eval_laguerre,
    "legendre_polynomial_p": scipy.special.eval_legendre,
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials(name: str, dtype: str) -> None:
    x, degrees = RNG.uniform(-2, 2, (40, 1)).astype(dtype), np.arange(-1, 24)
    want = np.where(degrees < 0, 0, POLYNOMIALS[name](np.maximum(degrees, 0), x.astype(np.float64)))
    got = getattr(special, name)(rl.asarray(x), rl.asarray(degrees))
    assert got.dtype == getattr(rl, dtype)
    # Near a zero the error is relative to the largest value of the degree.
    bound = (1e-12 if dtype == "float64" else 6.1e-8) * np.abs(want) + 1e-13 * np.max(np.abs(want), axis=0)
    assert np.all(np.abs(got.numpy() - want) <= bound)
    one = getattr(special, name)(rl.asarray(x), 5.7)
    np.testing.assert_array_equal(one.numpy()[:, 0], got.numpy()[:, 6])
    for_one = getattr(special, name)(0.75, rl.asarray(degrees).astype(getattr(rl, dtype)))
    again = getattr(special, name)(rl.tensor([0.75], dtype=got.dtype), rl.asarray(degrees))
    np.testing.assert_array_equal(for_one.numpy(), again.numpy())


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_gradients_and_errors(name: str) -> None:
    function = getattr(special, name)
    x = rl.tensor([0.3, -0.8, 1.7, 0.9], dtype=rl.float64, requires_grad=True)
    degrees = rl.tensor([0, 3, 6, 1])
    assert rl.autograd.gradcheck(lambda x: function(x, degrees), x)
    assert rl.autograd.gradgradcheck(lambda x: function(x, degrees), x)
    # A high degree beside a large number, whose own degree is low.
    far = rl.tensor([1e200, 0.5], dtype=rl.float64, requires_grad=True)
    function(far, rl.tensor([0, 9])).sum().backward()
    assert far.grad is not None
    assert far.grad[0].item() == 0
    assert math.isfinite(far.grad[1].item())
    assert function(rl.zeros((2, 0)), 3).shape == (2, 0)
    assert function(rl.tensor([1]), 2).dtype == rl.float32
    with pytest.raises(ValueError, match=f"^{name}: the degree n is finite, got inf"):
        function(rl.ones(1), math.inf)
    with pytest.raises(TypeError, match=f"^{name}: complex numbers are not supported"):
        function(rl.tensor([1j]), 2)
    with pytest.raises(TypeError, match="expected a tensor, got the numbers"):
        function(1.0, 2)
