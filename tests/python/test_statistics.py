"""Statistics without NaN, percentiles, weighted covariances, running logarithms, searches in batches."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import rushlight as rl
from compare import to_np
from rushlight.autograd import gradcheck, gradgradcheck

RNG = np.random.default_rng(11)
HOLES = RNG.normal(size=(4, 6))
HOLES[0, 2] = HOLES[1, :3] = HOLES[3, :] = np.nan
X = RNG.normal(size=(3, 7))


# NaN


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["nanmax", "nanmin", "nanvar", "nanstd"])
@pytest.mark.parametrize("dim", [None, 0, 1, -1, (0, 1)])
def test_functions_leave_nan_out(name: str, dim: Any, dtype: str) -> None:
    x = HOLES.astype(dtype)
    for keepdim in (False, True):
        got = getattr(rl, name)(rl.asarray(x.T.copy()).T, dim, keepdim)
        want = getattr(np, name)(x, axis=dim, keepdims=keepdim)
        assert got.shape == want.shape
        np.testing.assert_allclose(to_np(got), want, rtol=1e-5)
        assert got.dtype == rl.asarray(x).dtype


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_variance_has_a_correction() -> None:
    for correction in (0, 1, 2.5, 6):
        got = rl.nanvar(rl.asarray(HOLES), 1, correction=correction)
        np.testing.assert_allclose(to_np(got), np.nanvar(HOLES, axis=1, ddof=correction))
    assert math.isnan(rl.nanvar(rl.zeros(0)).item())


def test_extremes_of_infinities_and_integers() -> None:
    x = rl.tensor([[math.nan, -math.inf], [math.inf, math.nan]])
    assert rl.nanmax(x, 1).tolist() == rl.nanmin(x, 1).tolist() == [-math.inf, math.inf]
    assert rl.nanmax(rl.tensor([3, 1])).item() == 3
    with pytest.raises(ValueError, match=r"^nanmax: .* no element"):
        rl.nanmax(rl.zeros(0))


def test_gradients_leave_nan_out() -> None:
    for function in (rl.nanmax, rl.nanmin, rl.nanvar, rl.nanstd):
        x = rl.asarray(HOLES[:2]).requires_grad_()
        function(x, 1).sum().backward()
        assert x.grad is not None
        assert np.isfinite(to_np(x.grad)).all()
        assert (to_np(x.grad)[np.isnan(HOLES[:2])] == 0).all()
    full = [rl.asarray(X).requires_grad_()]
    assert gradcheck(lambda x: rl.nanstd(x, 1), full)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_percentiles(method: Any) -> None:
    for q in (0, 30, [0.0, 12.5, 100.0]):
        for function, peer, x in (
            (rl.percentile, np.percentile, X),
            (rl.nanpercentile, np.nanpercentile, HOLES),
        ):
            for dim, keepdim in ((None, False), (1, False), (0, True)):
                got = function(rl.asarray(x), q, dim, keepdim, interpolation=method)
                want = peer(x, q, axis=dim, method=method, keepdims=keepdim)
                np.testing.assert_allclose(to_np(got), want, rtol=1e-12)
    assert math.isnan(rl.percentile(rl.asarray(HOLES), 50).item())
    with pytest.raises(ValueError, match=r"^percentile: a percentage is between 0 and 100, got"):
        rl.percentile(rl.asarray(X), 101)


METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf"]
METHODS += ["hazen", "weibull", "median_unbiased", "normal_unbiased"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("method", [*METHODS, "linear", "lower", "higher", "midpoint", "nearest"])
def test_definitions_of_quantiles(method: Any) -> None:
    r = np.random.default_rng(5)
    for size in (1, 2, 3, 4, 9, 10, 64):
        x = r.normal(size=(3, size))
        holes = np.where(r.random((3, size)) < 0.3, np.nan, x)
        q = [0.0, 0.01, 0.125, 0.25, 0.3, 0.5, 0.75, 0.99, 1.0]
        for axis in (None, 0, 1, (0, 1)):
            got = rl.quantile(rl.asarray(x), q, axis=axis, method=method)
            np.testing.assert_allclose(to_np(got), np.quantile(x, q, axis=axis, method=method), rtol=1e-12)
            for name, share in (("nanquantile", q), ("nanpercentile", [100 * v for v in q])):
                got = getattr(rl, name)(rl.asarray(holes), share, axis=axis, method=method)
                want = getattr(np, name)(holes, share, axis=axis, method=method)
                np.testing.assert_allclose(to_np(got), want, rtol=1e-12)
            got = rl.percentile(rl.asarray(x), 37.0, axis, interpolation=method, keepdims=True)
            want = np.percentile(x, 37.0, axis=axis, method=method, keepdims=True)
            np.testing.assert_allclose(to_np(got), want, rtol=1e-12)


def test_quantiles_of_several_axes() -> None:
    x = RNG.normal(size=(3, 4, 5, 2))
    for axis in ((0, 2), (-1, 0), (1,), (2, 1, 0)):
        for keep in (False, True):
            got = rl.quantile(rl.asarray(x), [0.2, 0.7], axis=axis, keepdims=keep)
            np.testing.assert_allclose(to_np(got), np.quantile(x, [0.2, 0.7], axis=axis, keepdims=keep))
    assert gradcheck(lambda x: rl.quantile(x, 0.4, (0, 1)), [rl.asarray(X).requires_grad_()])


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_a_wrong_interpolation_is_an_error(name: str) -> None:
    """Also where the quantile falls on an element."""
    function = getattr(rl, name)
    with pytest.raises(ValueError, match=rf"^{name}: interpolation is one of 'linear', .*, got 'bogus'"):
        function(rl.ones(3), 0.5, interpolation="bogus")
    with pytest.raises(TypeError, match=rf"^{name}: interpolation and method are one parameter"):
        function(rl.ones(3), 0.5, interpolation="lower", method="hazen")
    with pytest.raises(TypeError, match=rf"^{name}: keepdim and keepdims are one parameter"):
        function(rl.ones(3), 0.5, 0, True, keepdims=False)
    with pytest.raises(TypeError, match="axis and dim are one parameter"):
        function(rl.ones(3), 0.5, 0, axis=0)


# Both names of the axis


AXES = rl.asarray(np.where(RNG.random((4, 5)) < 0.1, np.nan, RNG.normal(size=(4, 5))))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    "name", ["nansum", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd", "nanmedian", "median"]
)
def test_functions_of_numpy_take_its_names(name: str, axis: int) -> None:
    for keep in (False, True):
        got = getattr(rl, name)(AXES, axis=axis, keepdims=keep)
        np.testing.assert_allclose(to_np(got), getattr(np, name)(to_np(AXES), axis=axis, keepdims=keep))
    got = getattr(rl, name)(AXES, keepdims=True)
    np.testing.assert_allclose(to_np(got), getattr(np, name)(to_np(AXES), keepdims=True))


def test_a_median_of_an_even_number_without_nan() -> None:
    x = rl.tensor([[4.0, 1.0, math.nan, 3.0, 2.0], [math.nan] * 5])
    assert rl.nanmedian(x, 1).values[0].item() == 2.0
    np.testing.assert_array_equal(to_np(rl.nanmedian(x, axis=1)), [2.5, math.nan])
    assert rl.nanmedian(rl.tensor([[1, 2], [3, 4]]), axis=(0, 1)).item() == 2.5
    assert math.isnan(rl.nanmedian(rl.zeros(0), axis=0).item())
    with pytest.raises(TypeError, match="nanmedian: give either dim and keepdim"):
        rl.nanmedian(x, 1, keepdims=True)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("mode", ()),
        ("kthvalue", (2,)),
        ("topk", (2,)),
        ("cummax", ()),
        ("cummin", ()),
        ("logcumsumexp", ()),
        ("unique", ()),
        ("trapezoid", ()),
        ("cumulative_trapezoid", ()),
    ],
)
def test_functions_take_both_names_of_an_axis(name: str, more: Any) -> None:
    function, x = getattr(rl, name), rl.asarray(X)
    for axis in (0, 1):
        got, want = function(x, *more, axis=axis), function(x, *more, dim=axis)
        pairs = [(got, want)] if isinstance(got, rl.Tensor) else zip(got, want, strict=True)
        for a, b in pairs:
            np.testing.assert_array_equal(to_np(a), to_np(b))
        if name in ("mode", "kthvalue"):
            assert function(x, *more, axis=axis, keepdims=True).values.ndim == 2
    with pytest.raises(TypeError, match="axis and dim are one parameter"):
        function(x, *more, dim=0, axis=1)
    if name in ("cummax", "cummin", "logcumsumexp"):
        with pytest.raises(TypeError, match=f"{name}: the axis is missing"):
            function(x)


def test_deviations_of_integers() -> None:
    x = rl.tensor([[1, 2, 4], [5, 5, 9]])
    for name in ("nanvar", "nanstd"):
        got = getattr(rl, name)(x, axis=1)
        assert got.dtype == rl.float32
        np.testing.assert_allclose(to_np(got), getattr(np, name)(to_np(x), axis=1), rtol=1e-6)
        with pytest.raises(TypeError, match=f"{name}: complex"):
            getattr(rl, name)(rl.tensor([1j]))


# Covariances


def test_covariances_have_weights() -> None:
    counts, weights = np.array([1, 2, 0, 1, 3, 1, 1]), np.abs(RNG.normal(size=7))
    for correction in (0, 1):
        for f, a in ((counts, None), (None, weights), (counts, weights)):
            got = rl.cov(
                rl.asarray(X),
                correction=correction,
                fweights=None if f is None else rl.asarray(f),
                aweights=None if a is None else rl.asarray(a),
            )
            np.testing.assert_allclose(to_np(got), np.cov(X, ddof=correction, fweights=f, aweights=a))
    z = X + 1j * X[::-1]
    got = rl.cov(rl.asarray(z), aweights=rl.asarray(weights))
    np.testing.assert_allclose(to_np(got), np.cov(z, aweights=weights))
    assert gradcheck(lambda x: rl.cov(x, aweights=rl.asarray(weights)), [rl.asarray(X).requires_grad_()])


def test_one_variable_gives_a_scalar() -> None:
    for x in (X[0], X[:1]):
        assert rl.cov(rl.asarray(x)).shape == ()
        assert rl.corrcoef(rl.asarray(x)).shape == ()


def test_correlations_of_complex_numbers() -> None:
    z = RNG.normal(size=(3, 5)) + 1j * RNG.normal(size=(3, 5))
    np.testing.assert_allclose(to_np(rl.corrcoef(rl.asarray(z))), np.corrcoef(z))


# Running logarithms


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_logcumsumexp(dtype: str) -> None:
    for x in (X * 5, X[:, :1], X[:, :0], X * 300 if dtype == "float64" else X):
        for dim in (0, 1):
            want = np.logaddexp.accumulate(x.astype(dtype).astype(np.float64), axis=dim) if x.size else x
            got = rl.logcumsumexp(rl.asarray(x.astype(dtype).T.copy()).T, dim)
            assert got.dtype == rl.dtype(dtype)
            bound = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-14}[dtype]
            np.testing.assert_allclose(to_np(got).astype(np.float64), want, rtol=bound, atol=bound)


def test_logcumsumexp_at_infinities() -> None:
    x = rl.tensor([-math.inf, -math.inf, 2.0, math.inf, 1.0, math.nan, 1.0])
    want = [-math.inf, -math.inf, 2.0, math.inf, math.inf, math.nan, math.nan]
    np.testing.assert_array_equal(to_np(x.logcumsumexp(0)), want)
    long = rl.full((1000,), 1000.0, dtype=rl.float64)
    np.testing.assert_allclose(to_np(rl.logcumsumexp(long, 0)), 1000 + np.log(np.arange(1, 1001)), rtol=1e-14)


def test_logcumsumexp_has_gradients() -> None:
    x = [rl.asarray(X).requires_grad_()]
    assert gradcheck(lambda x: rl.logcumsumexp(x, 1), x)
    assert gradgradcheck(lambda x: rl.logcumsumexp(x, 0), x)
    y = rl.tensor([-math.inf, 1.0, -math.inf, 1000.0], requires_grad=True)
    rl.logcumsumexp(y, 0)[1:].sum().backward()
    assert y.grad is not None
    assert y.grad.tolist() == [0.0, 2.0, 0.0, 1.0]
    with pytest.raises(TypeError, match=r"^logcumsumexp: expected a floating-point dtype, got int64"):
        rl.logcumsumexp(rl.tensor([1, 2]), 0)


# Searches


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_in_batches(side: Any) -> None:
    rows = np.sort(RNG.integers(0, 9, size=(2, 3, 8)).astype(np.float32), axis=-1)
    rows[0, 1, 5:] = np.nan
    values = RNG.integers(-1, 10, size=(2, 3, 5)).astype(np.float32)
    values[0, 1, 2] = values[1, 0, 0] = np.nan
    got = rl.searchsorted(rl.asarray(rows), rl.asarray(values), side=side)
    for at in np.ndindex(2, 3):
        np.testing.assert_array_equal(to_np(got)[at], np.searchsorted(rows[at], values[at], side=side))
    mixed = rows[..., ::-1].copy()
    order = rl.argsort(rl.asarray(mixed), axis=-1)
    np.testing.assert_array_equal(
        to_np(rl.searchsorted(rl.asarray(mixed), rl.asarray(values), side=side, sorter=order)), to_np(got)
    )
    assert rl.searchsorted(rl.zeros((2, 0)), rl.ones((2, 3))).tolist() == [[0, 0, 0]] * 2


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: rl.searchsorted(rl.ones((2, 3)), rl.ones(3)), "vectors of shape"),
        (lambda: rl.searchsorted(rl.tensor(1.0), 1.0), "not a scalar"),
        (lambda: rl.cov(rl.ones((2, 3)), fweights=rl.tensor([1, 2])), r"fweights have shape \(2,\)"),
        (lambda: rl.cov(rl.ones((2, 3)), aweights=rl.tensor([1.0, -1.0, 1.0])), "one is negative"),
    ],
)
def test_arguments_that_do_not_fit(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_sorts_of_all_elements() -> None:
    for x in (X, X.T, X[0], np.array(3.0), np.zeros((0, 2)), np.array([[3, 1], [2, 5]])):
        np.testing.assert_array_equal(to_np(rl.sort(rl.asarray(x), axis=None)), np.sort(x, axis=None))
        got = rl.argsort(rl.asarray(x), axis=None)
        np.testing.assert_array_equal(to_np(got), np.argsort(x, axis=None, stable=True))
        np.testing.assert_array_equal(to_np(rl.asarray(x).sort(axis=None)), np.sort(x, axis=None))
    for down in (
        rl.sort(rl.asarray(X), axis=None, descending=True),
        rl.asarray(X).sort(axis=None, descending=True),
    ):
        np.testing.assert_array_equal(to_np(down), np.sort(X, axis=None)[::-1])
    np.testing.assert_array_equal(to_np(rl.asarray(X).argsort(axis=None)), np.argsort(X, axis=None))
    np.testing.assert_array_equal(to_np(rl.sort(rl.asarray(X))), np.sort(X))
    np.testing.assert_array_equal(to_np(rl.sort(rl.asarray(X), dim=0).indices), np.argsort(X, axis=0))
    x = rl.asarray(X)
    for call in (
        lambda: rl.sort(x, axis=0, dim=1),
        lambda: rl.sort(x, axis=None, dim=1),
        lambda: x.sort(1, axis=0),
        lambda: x.sort(1, axis=None),
        lambda: rl.argsort(x, 0, dim=1),
        lambda: rl.argsort(x, None, dim=1),
    ):
        with pytest.raises(TypeError, match="axis and dim are one parameter"):
            call()


def test_logsumexp_of_nothing() -> None:
    assert rl.logsumexp(rl.zeros((0, 3)), axis=0).tolist() == [-math.inf] * 3
    assert rl.zeros((0, 3)).logsumexp(0, keepdims=True).tolist() == [[-math.inf] * 3]
    assert rl.logsumexp(rl.zeros((0, 3)), dim=1, keepdim=True).shape == (0, 1)
    assert rl.special.logsumexp(rl.zeros(0, dtype=rl.float64)).item() == scipy.special.logsumexp(np.zeros(0))
    assert rl.logsumexp(rl.zeros((0, 3), dtype=rl.int64)).dtype == rl.float32
    assert rl.logsumexp(rl.zeros((0, 3), dtype=rl.complex64), 0).tolist() == [complex(-math.inf, 0)] * 3
    with pytest.raises(IndexError, match="axis 2"):
        rl.logsumexp(rl.zeros((0, 3)), 2)


def test_logsumexp_is_the_last_of_logcumsumexp() -> None:
    want = scipy.special.logsumexp(X, axis=1)
    np.testing.assert_allclose(to_np(rl.logcumsumexp(rl.asarray(X), 1))[:, -1], want, rtol=1e-14)
