"""Modes, histograms, quantiles without NaN, and windows, compared with NumPy, SciPy and PyTorch's rules."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal.windows as windows
import scipy.stats

import rushlight as rl

RNG = np.random.default_rng(8)
NAN = float("nan")
HOLES = np.where(RNG.random((4, 9)) < 0.3, NAN, RNG.normal(size=(4, 9)))
HOLES[2] = NAN


def test_histogramdd_agrees_with_numpy() -> None:
    rng = np.random.default_rng(5)
    for size in (1, 2, 3):
        x, w = rng.normal(size=(40, size)), rng.normal(size=40)
        ranges = [(-1.0, 1.5)] * size
        for bins in (3, [2, 3, 4][:size], [np.linspace(-1, 1, 3 + i) for i in range(size)]):
            given = (
                [rl.asarray(b) for b in bins]
                if isinstance(bins, list) and size and not isinstance(bins[0], int)
                else bins
            )
            for span in (None, ranges):
                if span and not (isinstance(bins, int) or isinstance(bins[0], int)):
                    continue
                for weights, density in ((None, False), (w, False), (w * w, True)):
                    want, edges = np.histogramdd(x, bins, range=span, weights=weights, density=density)
                    flat = None if span is None else [v for pair in span for v in pair]
                    wt = None if weights is None else rl.asarray(weights)
                    got = rl.histogramdd(rl.asarray(x), given, range=flat, weight=wt, density=density)
                    np.testing.assert_allclose(got.hist.numpy(), want, rtol=1e-12)
                    for mine, theirs in zip(got.bin_edges, edges, strict=True):
                        np.testing.assert_allclose(mine.numpy(), theirs, rtol=1e-12)
    x = rng.normal(size=(4, 5, 2))
    np.testing.assert_array_equal(
        rl.histogramdd(rl.asarray(x), 3).hist.numpy(), np.histogramdd(x.reshape(20, 2), 3)[0]
    )


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_mode_agrees_with_scipy(axis: int) -> None:
    for x in (RNG.integers(0, 4, (7, 9)), RNG.integers(0, 3, (5, 6)).astype(np.float32)):
        values, indices = rl.mode(rl.asarray(x), axis)
        np.testing.assert_array_equal(values.numpy(), scipy.stats.mode(x, axis).mode)
        kept = rl.asarray(x).mode(axis, keepdim=True)
        np.testing.assert_array_equal(np.take_along_axis(x, kept.indices.numpy(), axis), kept.values.numpy())
        # The last one of the equal elements, as in PyTorch.
        last = x.shape[axis] - 1 - np.argmax(np.flip(x == kept.values.numpy(), axis), axis)
        np.testing.assert_array_equal(indices.numpy(), last)
    assert rl.mode(rl.tensor([NAN, NAN, 2.0, 2.0])).values.item() == 2.0


def test_nanmedian_leaves_nan_out() -> None:
    for dim in (0, 1):
        values, indices = rl.nanmedian(rl.asarray(HOLES), dim)
        for line, v, i in zip(np.moveaxis(HOLES, dim, -1), values.tolist(), indices.tolist(), strict=True):
            rest = np.sort(line[~np.isnan(line)])
            if rest.size:
                assert v == rest[(rest.size - 1) // 2] == line[i]
            else:
                assert np.isnan(v)
    flat = np.sort(HOLES[~np.isnan(HOLES)])
    assert rl.asarray(HOLES).nanmedian().item() == flat[(flat.size - 1) // 2]
    assert rl.nanmedian(rl.tensor([3, 1, 2])).item() == 2
    x = rl.tensor([[NAN, 4.0, 2.0]], requires_grad=True)
    rl.nanmedian(x, 1).values.sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0, 1.0]]


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.filterwarnings("ignore:All-NaN")
def test_nanquantile_agrees_with_numpy(interpolation: str) -> None:
    q = [0.0, 0.2, 0.5, 0.77, 1.0]
    x = rl.asarray(HOLES)
    for dim in (0, 1, None):
        want = np.nanquantile(HOLES, q, axis=dim, method=interpolation)
        np.testing.assert_allclose(
            rl.nanquantile(x, q, dim, interpolation=interpolation).numpy(), want, rtol=1e-14
        )
    want = np.nanquantile(HOLES, 0.3, axis=1, keepdims=True, method=interpolation)
    got = rl.nanquantile(x, 0.3, 1, True, interpolation=interpolation)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-14)


def test_histogram_agrees_with_numpy() -> None:
    x = np.round(RNG.normal(size=(30, 10)), 1)
    weight = RNG.random(x.shape)
    edges = np.array([-2.0, -0.5, 0.0, 0.3, 2.5])
    for bins, kwargs in ((7, {}), (5, {"range": (-1.0, 2.0)}), (edges, {})):
        for density in (False, True):
            for w in (None, weight):
                want, at = np.histogram(x, bins, weights=w, density=density, **kwargs)
                given = rl.asarray(bins) if isinstance(bins, np.ndarray) else bins
                wt = None if w is None else rl.asarray(w)
                got = rl.asarray(x).histogram(given, weight=wt, density=density, **kwargs)
                np.testing.assert_allclose(got.bin_edges.numpy(), at, rtol=1e-14, atol=1e-15)
                np.testing.assert_allclose(got.hist.numpy(), want, rtol=1e-12)
    assert rl.histogram(rl.ones(2), 2).bin_edges.tolist() == [0.5, 1.0, 1.5]


@pytest.mark.parametrize("length", [0, 1, 2, 5, 16])
@pytest.mark.parametrize("periodic", [True, False])
def test_windows_agree_with_scipy(length: int, periodic: bool) -> None:
    cases = {
        "hann_window": (windows.hann, {}),
        "hamming_window": (windows.hamming, {}),
        "blackman_window": (windows.blackman, {}),
        "bartlett_window": (windows.bartlett, {}),
        "kaiser_window": (lambda n, sym: windows.kaiser(n, 12.0, sym), {}),
    }
    for name, (want, kwargs) in cases.items():
        got = getattr(rl, name)(length, periodic, dtype=rl.float64, **kwargs)
        np.testing.assert_allclose(got.numpy(), want(length, sym=not periodic), rtol=1e-12, atol=1e-15)
    assert rl.hann_window(3).dtype == rl.float32
    general = rl.hamming_window(5, False, 0.6, 0.4, dtype=rl.float64)
    np.testing.assert_allclose(general.numpy(), windows.general_hamming(5, 0.6), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("beta", [0.0, 1.0, 40.0, 600.0])
def test_kaiser_windows_of_any_shape(beta: float) -> None:
    got = rl.kaiser_window(33, False, beta, dtype=rl.float64).numpy()
    np.testing.assert_allclose(got, windows.kaiser(33, beta), rtol=1e-11)


def test_errors() -> None:
    for f, error, text in (
        (lambda: rl.mode(rl.zeros((2, 0))), ValueError, "has no element"),
        (lambda: rl.nanquantile(rl.tensor([1.0]), 1.5), ValueError, "nanquantile: a probability"),
        (
            lambda: rl.nanquantile(rl.tensor([1.0]), 0.5, interpolation="odd"),
            ValueError,
            "interpolation is one",
        ),
        (lambda: rl.nanmedian(rl.zeros((2, 0)), 1), ValueError, "no element .* axis 1"),
        (lambda: rl.nanmedian(rl.arange(0)), ValueError, "int64 has no element"),
        (lambda: rl.histogram(rl.tensor([1]), 2), TypeError, "floating-point"),
        (lambda: rl.histogram(rl.tensor([1.0]), 0), ValueError, "0 bins"),
        (
            lambda: rl.histogram(rl.ones(3), rl.tensor([2.0, 0.0, 1.0])),
            ValueError,
            "^histogram: the edges must increase",
        ),
        (
            lambda: rl.histogramdd(rl.ones((3, 2)), [rl.tensor([0.0, 2.0]), rl.tensor([0.0, rl.nan])]),
            ValueError,
            "^histogramdd: the edges must increase",
        ),
        (lambda: rl.histogramdd(rl.ones(2), 2), ValueError, "points in rows"),
        (lambda: rl.histogramdd(rl.ones((2, 2)), [2]), ValueError, "1 bins for points of 2 dimensions"),
        (lambda: rl.histogramdd(rl.ones((2, 2)), 2, range=[0.0, 1.0]), ValueError, "2 numbers, not 4"),
        (lambda: rl.histogramdd(rl.ones((2, 2)), 2, weight=rl.ones((2, 2))), ValueError, "does not fit"),
        (lambda: rl.histogram(rl.tensor([1.0]), 2, range=(2.0, 1.0)), ValueError, "is empty"),
        (lambda: rl.histogram(rl.tensor([1.0]), 2, weight=rl.zeros(2)), ValueError, "does not fit"),
        (lambda: rl.hann_window(-1), ValueError, "negative"),
        (lambda: rl.kaiser_window(4, beta=1000.0), ValueError, "at most 700"),
    ):
        with pytest.raises(error, match=text):
            f()
