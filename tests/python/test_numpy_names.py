"""Functions by NumPy's names, compared with NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight.autograd import gradcheck

RNG = np.random.default_rng(3)
X = RNG.normal(size=(4, 5, 3))
HOLES = np.where(RNG.random((4, 5, 3)) < 0.3, np.nan, X)
# A number in each line.
HOLES[..., 1] = X[..., 1]
INTS = RNG.integers(-9, 10, size=(4, 6))


def same(got: rl.Tensor, want: Any, tolerance: float = 1e-12) -> None:
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(to_np(got), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["nanprod", "nancumsum", "nancumprod", "nanargmax", "nanargmin", "ptp"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_reductions_and_running_ones(name: str, axis: int | None) -> None:
    function, peer = getattr(rl, name), getattr(np, name)
    for x in (X if name == "ptp" else HOLES, INTS):
        if axis != -1 or x.ndim == 3 or name != "ptp":
            same(function(rl.asarray(x), axis=axis), peer(x, axis=axis))
            same(function(rl.asarray(x), dim=axis), peer(x, axis=axis))
        if not name.startswith("nancum"):
            same(function(rl.asarray(x), axis, keepdims=True), peer(x, axis=axis, keepdims=True))


def test_infinities_behind_nan_are_extremes() -> None:
    """NumPy takes the NaN."""
    x = rl.tensor([[rl.nan, -rl.inf, -rl.inf], [rl.nan, rl.inf, rl.inf]])
    assert rl.nanargmax(x, 1).tolist() == rl.nanargmin(x, 1).tolist() == [1, 1]


@pytest.mark.parametrize("name", ["nanprod", "ptp"])
def test_several_axes(name: str) -> None:
    same(getattr(rl, name)(rl.asarray(X), (0, 2)), getattr(np, name)(X, axis=(0, 2)))


def test_averages() -> None:
    whole, line = RNG.random(X.shape), RNG.random(5)
    same(rl.average(rl.asarray(X)), np.average(X))
    same(rl.average(rl.asarray(X), weights=rl.asarray(whole)), np.average(X, weights=whole))
    for axis in (0, 1, -1):
        got = rl.average(rl.asarray(X), axis, rl.asarray(whole), keepdims=True)
        same(got, np.average(X, axis, whole, keepdims=True))
    same(rl.average(rl.asarray(X), dim=1, weights=rl.asarray(line)), np.average(X, 1, line))
    counts = np.array([1, 2, 0, 1, 1])
    same(rl.average(rl.asarray(X), 1, rl.asarray(counts)), np.average(X, 1, counts))
    same(rl.average(rl.asarray(INTS)), np.average(INTS), 1e-6)
    z = X + 1j * X[::-1]
    same(rl.average(rl.asarray(z), 1, rl.asarray(line)), np.average(z, 1, line))
    assert gradcheck(lambda x, w: rl.average(x, 1, w), [rl.asarray(v).requires_grad_() for v in (X, line)])


@pytest.mark.parametrize("right", [False, True])
def test_bins(right: bool) -> None:
    bins = np.array([-1.0, 0.0, 0.5, 0.5, 2.0])
    x = np.append(X.ravel(), [*bins, np.inf, -np.inf])
    for edges in (bins, bins[::-1].copy(), bins[:1], bins[:0]):
        same(rl.digitize(rl.asarray(x), rl.asarray(edges), right), np.digitize(x, edges, right))
    same(rl.digitize(rl.asarray(X), rl.asarray(bins), right), np.digitize(X, bins, right))


def test_partitions() -> None:
    for axis in (0, 1, -1, None):
        for kth in (2, -1, [0, 3]):
            got = to_np(rl.partition(rl.asarray(INTS), kth, axis))
            at = to_np(rl.argpartition(rl.asarray(INTS), kth, axis))
            flat, along = (INTS.ravel(), 0) if axis is None else (INTS, axis)
            np.testing.assert_array_equal(np.take_along_axis(flat, at, along), got)
            want = np.take(np.partition(INTS, kth, axis), kth, along)
            np.testing.assert_array_equal(np.take(got, kth, along), want)


def test_interpolation() -> None:
    xp, fp = np.array([-1.0, 0.0, 0.5, 0.5, 2.0]), np.array([3.0, -1.0, 2.0, 4.0, 5.0])
    x = np.append(X.ravel(), [*xp, -9.0, 9.0, np.nan])
    cases: list[dict[str, float]] = [{}, {"left": -7.0}, {"right": 8.0, "left": 1.0}, {"period": 2.5}]
    for more in cases:
        same(rl.interp(*(rl.asarray(v) for v in (x, xp, fp)), **more), np.interp(x, xp, fp, **more))
    same(rl.interp(*(rl.asarray(v) for v in (X, xp[:1], fp[:1]))), np.interp(X, xp[:1], fp[:1]))
    mixed = RNG.permutation(5)
    got = rl.interp(*(rl.asarray(v) for v in (X, xp[mixed], fp[mixed])), period=-4.0)
    same(got, np.interp(X, xp[mixed], fp[mixed], period=-4.0))
    z = fp + 1j * fp[::-1]
    same(rl.interp(*(rl.asarray(v) for v in (X, xp, z))), np.interp(X, xp, z))
    whole = (INTS, np.arange(6), INTS[1])
    same(rl.interp(*(rl.asarray(v) for v in whole)), np.interp(*whole), 1e-6)
    away = [rl.asarray(v).requires_grad_() for v in (X[0], fp)]
    assert gradcheck(lambda x, f: rl.interp(x, rl.asarray(np.linspace(-3, 3, 5)), f), away)


def test_unwrapped_angles() -> None:
    x = np.cumsum(RNG.normal(scale=3, size=(4, 50)), axis=1)
    wrapped = np.angle(np.exp(1j * x))
    for more in ({}, {"discont": 4.0}, {"discont": 1.0}, {"axis": 0}, {"period": 5.0}):
        same(rl.unwrap(rl.asarray(wrapped), **more), np.unwrap(wrapped, **more))  # type: ignore[arg-type]
    steps = np.array([0.0, 2.0, 0.0, -2.0, 2.0, -2.0])
    same(rl.unwrap(rl.asarray(steps), period=4.0), np.unwrap(steps, period=4.0))
    same(rl.unwrap(rl.ones(1)), np.ones(1))
    assert rl.unwrap(rl.asarray(INTS)).dtype == rl.float32


def test_sets() -> None:
    a, b = INTS, np.array([3, -4, 3, 50])
    for name in ("union1d", "intersect1d", "setdiff1d"):
        for x, y in ((a, b), (b, a), (b[:0], b), (b, b[:0]), (X, X[0])):
            same(getattr(rl, name)(rl.asarray(x), rl.asarray(y)), getattr(np, name)(x, y))


def test_complex_numbers() -> None:
    z = np.array([1 + 2j, 3 + 0j, -2 + 0j, -1j])
    same(rl.iscomplex(rl.asarray(z)), np.iscomplex(z))
    same(rl.iscomplex(rl.asarray(X)), np.iscomplex(X))
    same(rl.angle(rl.asarray(z), deg=True), np.angle(z, deg=True))
    same(rl.angle(rl.asarray(X), deg=True), np.angle(X, deg=True))


def test_runs_of_entries() -> None:
    x = rl.tensor([[1, 1, 2], [1, 1, 2], [3, 3, 2], [1, 1, 2]])
    values, inverse, counts = rl.unique_consecutive(x, True, True, 0)
    assert values.tolist() == [[1, 1, 2], [3, 3, 2], [1, 1, 2]]
    assert (inverse.tolist(), counts.tolist()) == ([0, 0, 1, 2], [2, 1, 1])
    values, counts = x.unique_consecutive(return_counts=True, dim=-1)
    assert (values.tolist(), counts.tolist()) == ([[1, 2], [1, 2], [3, 2], [1, 2]], [2, 1])
    assert rl.unique_consecutive(rl.zeros((0, 3)), dim=0).shape == (0, 3)
    assert rl.unique_consecutive(x).tolist() == [1, 2, 1, 2, 3, 2, 1, 2]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: rl.average(x, weights=rl.ones(2)), ValueError, r"^average: weights of shape \(2,\)"),
        (lambda x: rl.ptp(rl.zeros(0)), ValueError, "^ptp: "),
        (lambda x: rl.digitize(x, x), ValueError, "^digitize: bins are a vector"),
        (lambda x: rl.digitize(x, rl.tensor([0, 2, 1])), ValueError, "^digitize: bins must ascend"),
        (lambda x: rl.partition(x, 3), ValueError, "^partition: kth is 3, and there are 3"),
        (lambda x: rl.argpartition(x, -3, 0), ValueError, "^argpartition: kth is -3, and there are 2"),
        (lambda x: rl.interp(x, x, x), ValueError, "^interp: xp and fp are vectors"),
        (lambda x: rl.interp(x, x[0], x[0], period=0), ValueError, "^interp: period is 0"),
        (lambda x: rl.unwrap(x + 1j), TypeError, "^unwrap: complex"),
        (lambda x: rl.nanargmax(x * math.nan), ValueError, "^nanargmax: a line .* NaN alone"),
        (lambda x: rl.nanargmin(rl.zeros(0)), ValueError, "^nanargmin: "),
        (lambda x: rl.nancumsum(x, 2), IndexError, "^nancumsum: axis 2"),
    ],
)
def test_misuse(call: Callable[[rl.Tensor], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(rl.ones((2, 3)))
