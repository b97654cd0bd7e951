"""Fourier transforms: NumPy's and SciPy's values, gradients by finite differences, arguments and errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.signal

import rushlight as rl
from compare import to_np

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 64, 97, 100, 1000, 1009, 4096, 2**15)
NORMS = (None, "backward", "ortho", "forward")
DTYPES = ("float32", "float64", "complex64", "complex128")


def draw(dtype: str, *shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=shape)
    return (numbers + 1j * rng.normal(size=shape) if "complex" in dtype else numbers).astype(dtype)


def near(got: rl.Tensor, want: Any, units: float = 16.0) -> None:
    """The bound is relative to the largest element."""
    have, want = to_np(got), np.asarray(want)
    assert have.shape == want.shape
    # NumPy computes some functions of float32 in double.
    assert have.dtype in (np.dtype("float32"), np.dtype("complex64")) or have.dtype == want.dtype
    size = np.abs(want).max(initial=1e-300)
    assert np.abs(have - want).max(initial=0.0) <= units * np.finfo(have.dtype).eps * size


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", LENGTHS)
def test_a_transform_of_each_length(n: int, dtype: str) -> None:
    a = draw(dtype, 3, n, seed=n)
    wide = a.astype("complex128")
    near(rl.fft.fft(rl.asarray(a)), np.fft.fft(wide).astype(rl_complex(dtype)))
    near(rl.fft.ifft(rl.asarray(a)), np.fft.ifft(wide).astype(rl_complex(dtype)))
    half = np.fft.rfft(a.real.astype("float64"))
    if "complex" not in dtype:
        near(rl.fft.rfft(rl.asarray(a)), half.astype(rl_complex(dtype)))
        near(rl.fft.ihfft(rl.asarray(a)), (half.conj() / n).astype(rl_complex(dtype)))
        back = rl.fft.irfft(rl.fft.rfft(rl.asarray(a)), n)
        assert back.dtype == dtype
        near(back, a)


def rl_complex(dtype: str) -> str:
    return "complex64" if dtype in ("float32", "complex64") else "complex128"


def test_a_long_transform() -> None:
    a = draw("complex64", 2**20)
    near(rl.fft.fft(rl.asarray(a)), np.fft.fft(a.astype("complex128")).astype("complex64"))


def test_the_definition() -> None:
    n, k = 30, np.arange(30)
    a = draw("complex128", n)
    matrix = np.exp(-2j * np.pi * (np.outer(k, k) % n) / n)
    near(rl.fft.fft(rl.asarray(a)), matrix @ a)
    near(rl.fft.ifft(rl.asarray(a)), matrix.conj() @ a / n)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 1, 4, 6, 9])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_lengths_and_factors_of_one_axis(name: str, n: int | None, norm: str | None) -> None:
    dtype = "float64" if name in ("rfft", "ihfft") else "complex128"
    a = draw(dtype, 5, 6, 2)
    mine, theirs = getattr(rl.fft, name), getattr(np.fft, name)
    for axis in (0, 1, -1):
        if name in ("irfft", "hfft") and n is None and a.shape[axis] == 1:
            continue
        near(mine(rl.asarray(a), n, axis, norm), theirs(a, n, axis, norm))
        near(mine(rl.asarray(a), n=n, dim=axis, norm=norm), theirs(a, n, axis, norm))
    near(mine(rl.asarray(a).permute(2, 0, 1)[::2], n, 1, norm), theirs(a.transpose(2, 0, 1)[::2], n, 1, norm))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"])
def test_several_axes(name: str, norm: str | None) -> None:
    dtype = "float64" if name in ("rfftn", "ihfftn") else "complex128"
    a = draw(dtype, 4, 5, 6)
    theirs = getattr(scipy.fft, name)
    many, two = getattr(rl.fft, name), getattr(rl.fft, f"{name[:-1]}2")
    x = rl.asarray(a)
    near(many(x, norm=norm), theirs(a, norm=norm))
    near(two(x, norm=norm), theirs(a, axes=(-2, -1), norm=norm))
    for s, axes in [(None, (0, 2)), ((3, 8), (1, 0)), ((8, 3), None), ((2, 3, 4), None), ((7,), (1,))]:
        near(many(x, s, axes, norm), theirs(a, s, axes, norm))
        near(many(x, s=s, dim=axes, norm=norm), theirs(a, s, axes, norm))
    near(two(x, (3, 4), dim=(0, 1), norm=norm), theirs(a, (3, 4), (0, 1), norm))
    near(many(x, s=(-1, 4), axes=(0, 1), norm=norm), theirs(a, (a.shape[0], 4), (0, 1), norm))


def test_frequencies_and_their_order() -> None:
    for n in (1, 2, 5, 8):
        for d in (1.0, 0.25):
            for mine, theirs in ((rl.fft.fftfreq, np.fft.fftfreq), (rl.fft.rfftfreq, np.fft.rfftfreq)):
                np.testing.assert_array_equal(to_np(mine(n, d, dtype=rl.float64)), theirs(n, d))
                assert mine(n, d=d).dtype == rl.float32
    a = draw("float32", 4, 5)
    for axes in (None, 0, (0, 1), -1):
        np.testing.assert_array_equal(to_np(rl.fft.fftshift(rl.asarray(a), axes)), np.fft.fftshift(a, axes))
        np.testing.assert_array_equal(
            to_np(rl.fft.ifftshift(rl.asarray(a), dim=axes)), np.fft.ifftshift(a, axes)
        )
    assert rl.fft.fftfreq(4, requires_grad=True).requires_grad
    with pytest.raises(ValueError, match="fftfreq: n is 0"):
        rl.fft.fftfreq(0)


def test_dtypes() -> None:
    assert rl.fft.fft(rl.tensor([1, 2])).dtype == rl.complex64
    assert rl.fft.rfft(rl.tensor([True, False])).tolist() == [1, 1]
    assert rl.fft.irfft(rl.tensor([3.0, 1.0])).tolist() == [2.0, 1.0]
    for dtype in (rl.float16, rl.bfloat16):
        with pytest.raises(TypeError, match=r"fft: .*float16 is not supported; convert the input to float32"):
            rl.fft.fft(rl.ones(2, dtype=dtype))
    for name in ("rfft", "ihfft", "rfft2", "ihfftn"):
        with pytest.raises(TypeError, match=f"{name}: the input is real, got complex64"):
            getattr(rl.fft, name)(rl.ones((2, 2), dtype=rl.complex64))
    with pytest.raises(TypeError, match="fft: the input is a Tensor, got list"):
        rl.fft.fft([1.0])


def test_wrong_arguments() -> None:
    x = rl.ones((2, 3))
    with pytest.raises(ValueError, match="fft: norm is one of backward, ortho, forward, got 'none'"):
        rl.fft.fft(x, norm="none")
    with pytest.raises(ValueError, match="fft: a transform has at least 1 element, got 0 along axis 1"):
        rl.fft.fft(x, 0)
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        for wrong in (True, 2.5):
            with pytest.raises(
                TypeError, match=f": a length is an integer, got {type(wrong).__name__} {wrong}"
            ):
                getattr(rl.fft, name)(x, wrong)
    with pytest.raises(TypeError, match="irfftn: a length is an integer, got bool True"):
        rl.fft.irfftn(x, (2, True))
    with pytest.raises(ValueError, match="fft: a transform has at least 1 element"):
        rl.fft.fft(rl.ones((2, 0)))
    with pytest.raises(ValueError, match="irfft: a transform has at least 1 element, got 0"):
        rl.fft.irfft(rl.ones((2, 1)))
    with pytest.raises(IndexError, match="fft: axis 2 is out of range"):
        rl.fft.fft(x, axis=2)
    with pytest.raises(IndexError, match="fft: the input has rank 0"):
        rl.fft.fft(rl.tensor(1.0))
    with pytest.raises(TypeError, match="axis and dim are one parameter"):
        rl.fft.fft(x, axis=0, dim=1)
    with pytest.raises(ValueError, match="fftn: 1 lengths for 2 axes"):
        rl.fft.fftn(x, (3,), (0, 1))
    with pytest.raises(ValueError, match="fftn: 3 lengths for a tensor of rank 2"):
        rl.fft.fftn(x, (3, 3, 3))
    with pytest.raises(ValueError, match="fft2: an axis is given twice"):
        rl.fft.fft2(x, axes=(0, 0))
    with pytest.raises(ValueError, match="rfftn: a transform of real numbers needs at least 1 axis"):
        rl.fft.rfftn(rl.tensor(1.0))


def test_empty_batches() -> None:
    x = rl.ones((0, 6))
    assert (rl.fft.fft(x).shape, rl.fft.rfft(x).shape, rl.fft.irfft(x).shape) == ((0, 6), (0, 4), (0, 10))
    assert rl.fft.fft2(rl.ones((0, 2, 3))).shape == (0, 2, 3)


Transform = Callable[[rl.Tensor], rl.Tensor]
GRADIENTS: dict[str, tuple[str, Transform]] = {
    "fft": ("complex128", lambda x: rl.fft.fft(x, 5, norm="ortho")),
    "fft of real numbers": ("float64", rl.fft.fft),
    "ifft": ("complex128", lambda x: rl.fft.ifft(x, dim=0)),
    "rfft": ("float64", rl.fft.rfft),
    "rfft of odd length": ("float64", lambda x: rl.fft.rfft(x, axis=0)),
    "irfft": ("complex128", rl.fft.irfft),
    "irfft of odd length": ("complex128", lambda x: rl.fft.irfft(x, 5)),
    "hfft": ("complex128", rl.fft.hfft),
    "ihfft": ("float64", rl.fft.ihfft),
    "fftn": ("complex128", lambda x: rl.fft.fftn(x, (2, 7))),
    "irfft2": ("complex128", rl.fft.irfft2),
    "stft": ("float64", lambda x: rl.stft(x, 3, 2, center=False)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str) -> None:
    dtype, function = GRADIENTS[name]
    a = draw(dtype, 3, 4)
    weights = rl.asarray(draw("complex128", *function(rl.asarray(a)).shape, seed=1))

    def loss(x: rl.Tensor) -> rl.Tensor:
        y = function(x)
        return (y * weights).real.sum() if y.dtype.is_complex else (y * y * weights.real).sum()

    x = rl.asarray(a).requires_grad_()
    loss(x).backward()
    assert x.grad is not None
    got, step = to_np(x.grad), 1e-6
    for at in np.ndindex(a.shape):
        for unit in (1, 1j) if "complex" in dtype else (1,):
            moved = np.zeros_like(a)
            moved[at] = step * unit
            slope = (loss(rl.asarray(a + moved)) - loss(rl.asarray(a - moved))).item() / (2 * step)
            part = got[at].real if unit == 1 else got[at].imag
            assert abs(part - slope) < 1e-6 * max(1, abs(slope))


def test_a_gradient_of_a_gradient() -> None:
    # Of |F x|^2 |F x|^2, elementwise: the first gradient depends on x.
    def first(x: rl.Tensor) -> rl.Tensor:
        size = rl.abs(rl.fft.fft(x)).square()
        return rl.autograd.grad((size * size).sum(), x, create_graph=True)[0]

    a, w = draw("float64", 5), rl.asarray(draw("float64", 5, seed=1))
    x = rl.asarray(a).requires_grad_()
    (second,) = rl.autograd.grad((first(x) * w).sum(), x)
    for i in range(5):
        e = np.eye(5)[i] * 1e-6
        high, low = (first(rl.asarray(b).requires_grad_()) for b in (a + e, a - e))
        slope = ((high - low) * w).sum().item() / 2e-6
        assert abs(to_np(second)[i] - slope) < 1e-5 * max(1, abs(slope))


def test_the_extension_of_the_array_api() -> None:
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        assert {"n", "axis", "norm"} <= set(inspect.signature(getattr(rl.fft, name)).parameters)
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        assert {"s", "axes", "norm"} <= set(inspect.signature(getattr(rl.fft, name)).parameters)
    for name in ("fftfreq", "rfftfreq"):
        assert {"n", "d", "dtype", "device"} <= set(inspect.signature(getattr(rl.fft, name)).parameters)
    for name in ("fftshift", "ifftshift"):
        assert "axes" in inspect.signature(getattr(rl.fft, name)).parameters


def hann(n: int) -> np.ndarray[Any, Any]:
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize(("n_fft", "hop", "width"), [(16, 4, 16), (16, 5, 10), (15, 3, 15)])
def test_spectra_over_time(n_fft: int, hop: int, width: int, center: bool) -> None:
    a = draw("float64", 2, 60)
    window = np.zeros(n_fft)
    window[(n_fft - width) // 2 :][:width] = hann(width)
    padded = np.pad(a, ((0, 0), (n_fft // 2,) * 2), mode="reflect") if center else a
    parts = np.lib.stride_tricks.sliding_window_view(padded, n_fft, axis=1)[:, ::hop] * window
    want = np.fft.rfft(parts).swapaxes(1, 2)
    x, w = rl.asarray(a), rl.hann_window(width, dtype=rl.float64)
    got = rl.stft(x, n_fft, hop, width, w, center)
    near(got, want)
    near(x[0].stft(n_fft, hop, width, w, center), want[0])
    near(rl.stft(x, n_fft, hop, width, w, center, normalized=True), want / np.sqrt(n_fft))
    full = rl.stft(x, n_fft, hop, width, w, center, onesided=False)
    near(full, np.fft.fft(parts).swapaxes(1, 2))
    pairs = rl.stft(x, n_fft, hop, width, w, center, return_complex=False)
    near(pairs, np.stack([want.real, want.imag], -1))
    z = draw("complex128", 60)
    middle = np.pad(z, n_fft // 2, mode="reflect") if center else z
    cut = np.lib.stride_tricks.sliding_window_view(middle, n_fft)[::hop] * window
    near(rl.stft(rl.asarray(z), n_fft, hop, width, w, center), np.fft.fft(cut).T)
    if center:
        for y, onesided in ((got, None), (full, False)):
            near(rl.istft(y, n_fft, hop, width, w, onesided=onesided, length=60)[:, :55], a[:, :55], 64)
        if width == n_fft:
            assert got.istft(n_fft, hop, width, w, length=70).shape == (2, 70)


def test_wrong_arguments_of_spectra() -> None:
    x = rl.ones(8)
    with pytest.raises(ValueError, match="stft: n_fft is 9, and the signal has 8 elements"):
        rl.stft(x, 9, center=False)
    with pytest.raises(ValueError, match="stft: n_fft is 4 and hop_length 0; both are at least 1"):
        rl.stft(x, 4, 0)
    with pytest.raises(ValueError, match=r"stft: the window has shape \(3,\), and \(4,\) is needed"):
        rl.stft(x, 4, window=rl.ones(3))
    with pytest.raises(ValueError, match="stft: win_length is 5, and 1 to 4"):
        rl.stft(x, 4, win_length=5)
    with pytest.raises(TypeError, match="stft: onesided is for real signals and windows"):
        rl.stft(x.astype(rl.complex64), 4, center=False, onesided=True)
    y = rl.stft(x, 4)
    with pytest.raises(TypeError, match="istft: the input is complex, got float32"):
        rl.istft(x, 4)
    with pytest.raises(ValueError, match="istft: 3 frequencies, and 5 are needed"):
        rl.istft(y, 8)
    with pytest.raises(ValueError, match="istft: the windows leave an element of the signal out"):
        rl.istft(y, 4, window=rl.zeros(4))


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_spectrograms(power: float) -> None:
    a = draw("float64", 2, 60)
    for center in (False, True):
        want = np.abs(
            to_np(rl.stft(rl.asarray(a), 16, 4, window=rl.hann_window(16, dtype=rl.float64), center=center))
        )
        near(rl.spectrogram(rl.asarray(a), 16, 4, center=center, power=power), want**power, 64)
    window = scipy.signal.windows.hann(16, sym=False)
    # SciPy's parts end where the signal does, and its scale is that of the sum of squares.
    _, _, s = scipy.signal.spectrogram(
        a, window=window, nperseg=16, noverlap=12, detrend=False, scaling="density", mode="magnitude"
    )
    got = rl.spectrogram(rl.asarray(a), 16, 4, window=rl.asarray(window), center=False, power=power)
    near(got, (s * np.sqrt((window**2).sum())) ** power, 64)
    short = rl.spectrogram(rl.asarray(draw("complex64", 60)), 16, win_length=10)
    assert (short.dtype, short.shape) == (rl.float32, (16, 16))


def test_spectrograms_have_gradients() -> None:
    # Of silence, too, where a magnitude has no direction.
    assert rl.autograd.gradcheck(
        lambda x: rl.spectrogram(x, 8, 4), [rl.asarray(draw("float64", 24)).requires_grad_()]
    )
    x = rl.zeros(24, requires_grad=True)
    rl.spectrogram(x, 8).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0] * 24
    with pytest.raises(ValueError, match="spectrogram: power is 0, expected a number above 0"):
        rl.spectrogram(x, 8, power=0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: rl.fft.fftfreq(2.5), r"fftfreq: n is an integer, got float 2\.5"),  # type: ignore[arg-type]
        (lambda: rl.fft.rfftfreq(True), "rfftfreq: n is an integer, got bool True"),
        (lambda: rl.hann_window(2.5), "hann_window: window_length is an integer, got float"),  # type: ignore[arg-type]
        (lambda: rl.stft(rl.ones(10), 4.5), "stft: n_fft is an integer, got float"),  # type: ignore[arg-type]
        (lambda: rl.stft(rl.ones(10), 4, 2.5), "stft: hop_length is an integer, got float"),  # type: ignore[arg-type]
        (
            lambda: rl.spectrogram(rl.ones(10), 4, win_length=2.5),  # type: ignore[arg-type]
            "spectrogram: win_length is an integer, got float",
        ),
    ],
)
def test_lengths_are_integers(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call()
