"""Fourier transforms of the windows of a signal, by PyTorch's names."""

from __future__ import annotations

import builtins

from .. import _native as n
from .._check import one_integer, renamed, typed
from .._native import Tensor
from .windows import hann_window

__all__ = ["istft", "spectrogram", "stft"]


def _window(op: str, n_fft: int, win_length: int, window: Tensor | None, like: Tensor) -> Tensor:
    """Return the window with zeros on both sides, of `n_fft` elements and the precision of `like`."""
    win_length = one_integer(win_length, f"{op}: win_length")
    if not 0 < win_length <= n_fft:
        raise ValueError(f"{op}: win_length is {win_length}, and 1 to {n_fft} (n_fft) are possible")
    real = n._real(like).dtype if like.dtype.is_complex else like.dtype
    if window is None:
        window = n.ones((win_length,), dtype=real, device=like.device)
    if window.shape != (win_length,):
        raise ValueError(f"{op}: the window has shape {window.shape}, and ({win_length},) is needed")
    if not window.dtype.is_complex:
        window = window.astype(real)
    left = (n_fft - win_length) // 2
    parts = [n.zeros((k,), dtype=window.dtype, device=like.device) for k in (left, n_fft - win_length - left)]
    return n.concat([parts[0], window, parts[1]], 0) if win_length < n_fft else window


def _hop(op: str, n_fft: int, hop_length: int | None) -> int:
    n_fft = one_integer(n_fft, f"{op}: n_fft")
    hop = n_fft // 4 if hop_length is None else one_integer(hop_length, f"{op}: hop_length")
    if n_fft < 1 or hop < 1:
        raise ValueError(f"{op}: n_fft is {n_fft} and hop_length {hop}; both are at least 1")
    return hop


@typed
@renamed("pad")
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: builtins.bool = True,
    pad_mode: str = "reflect",
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    return_complex: builtins.bool | None = None,
) -> Tensor:
    """Returns the Fourier transforms of overlapping parts of a signal: its spectrum over time.

    Parameters
    ----------
    input
        The signal: shape (t,) or (batch, t); float32, float64 or complex.
    n_fft
        The number of elements of a part, which is transformed.
    hop_length
        The distance between the beginnings of parts; a quarter of `n_fft` by default.
    win_length
        The number of elements of the window; `n_fft` by default. A shorter one gets zeros on both sides.
    window
        Factors of the elements of a part, such as `hann_window(n_fft)`; 1 by default.
    center
        Whether the signal is padded, so that part k is centred on element ``k * hop_length``.
    pad_mode
        How it is padded: ``"reflect"``, ``"constant"``, ``"replicate"`` or ``"circular"``.
    normalized
        Whether the result is divided by the root of `n_fft`.
    onesided
        Whether the result has the first ``n_fft // 2 + 1`` frequencies only: the default for real signals and
        windows.
    return_complex
        False returns real and imaginary parts as a last dimension of size 2. True by default; PyTorch has no
        default.

    Returns
    -------
    Tensor
        Shape (frequencies, parts) or (batch, frequencies, parts).

    Raises
    ------
    ValueError
        If the signal is too short, or a length or the window does not fit.
    TypeError
        If the dtype cannot be transformed, or `onesided` is set for complex numbers.

    Examples
    --------
    >>> import rushlight as rl
    >>> y = rl.stft(rl.ones(8), 4, center=False)
    >>> y.shape, y[:, 0].real.tolist()
    ((3, 5), [4.0, 0.0, 0.0])
    """
    from .. import fft
    from ..fft._parts import inexact
    from ..nn.functional import pad

    x = inexact("stft", input)
    if x.ndim not in (1, 2):
        raise ValueError(f"stft: the signal has shape (t,) or (batch, t), got {x.shape}")
    hop = _hop("stft", n_fft, hop_length)
    factors = _window("stft", n_fft, n_fft if win_length is None else win_length, window, x)
    single = x.ndim == 1
    x = x.unsqueeze(0) if single else x
    if center:
        half = n_fft // 2
        if x.dtype.is_complex:
            parts = [pad(part.unsqueeze(1), (half, half), pad_mode).squeeze(1) for part in (x.real, x.imag)]
            x = n._complex(parts[0], parts[1])
        else:
            x = pad(x.unsqueeze(1), (half, half), pad_mode).squeeze(1)
    if n_fft > x.shape[1]:
        raise ValueError(f"stft: n_fft is {n_fft}, and the signal has {x.shape[1]} elements")
    frames = x.unfold(1, n_fft, hop) * factors
    onesided = not frames.dtype.is_complex if onesided is None else onesided
    if onesided and frames.dtype.is_complex:
        raise TypeError("stft: onesided is for real signals and windows")
    norm = "ortho" if normalized else "backward"
    y = fft.rfft(frames, norm=norm) if onesided else fft.fft(frames, norm=norm)
    y = y.mT.squeeze(0) if single else y.mT
    return n.stack([n._real(y), n._imag(y)], -1) if return_complex is False else y


@typed
def spectrogram(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: builtins.bool = True,
    pad_mode: str = "reflect",
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    *,
    power: float = 2.0,
) -> Tensor:
    """Returns the power of a signal's frequencies over time: the squared magnitudes of `stft`.

    Parameters
    ----------
    input
        The signal: shape (t,) or (batch, t); float32, float64 or complex.
    n_fft
        The number of elements of a part, which is transformed.
    hop_length
        The distance between the beginnings of parts; a quarter of `n_fft` by default.
    win_length
        The number of elements of the window; `n_fft` by default. A shorter one gets zeros on both sides.
    window
        Factors of the elements of a part; ``hann_window(win_length)`` by default.
    center
        Whether the signal is padded, so that part k is centred on element ``k * hop_length``.
    pad_mode
        How it is padded: ``"reflect"``, ``"constant"``, ``"replicate"`` or ``"circular"``.
    normalized
        Whether the transforms are divided by the root of `n_fft`.
    onesided
        Whether the result has the first ``n_fft // 2 + 1`` frequencies only: the default for real signals and
        windows.
    power
        The exponent of the magnitudes: 2 for power, 1 for magnitudes.

    Returns
    -------
    Tensor
        Real; shape (frequencies, parts) or (batch, frequencies, parts).

    Raises
    ------
    ValueError
        If the signal is too short, a length or the window does not fit, or `power` is not above 0.
    TypeError
        If the dtype cannot be transformed, or `onesided` is set for complex numbers.

    Examples
    --------
    >>> import rushlight as rl
    >>> y = rl.spectrogram(rl.ones(8), 4, window=rl.ones(4), center=False)
    >>> y.shape, y[:, 0].tolist()
    ((3, 5), [16.0, 0.0, 0.0])
    """
    from ..fft._parts import inexact

    if not power > 0:
        raise ValueError(f"spectrogram: power is {power}, expected a number above 0")
    x = inexact("spectrogram", input)
    length = one_integer(n_fft if win_length is None else win_length, "spectrogram: win_length")
    if window is None and length > 0:
        real = n._real(x).dtype if x.dtype.is_complex else x.dtype
        window = hann_window(length, dtype=real, device=x.device)
    y = stft(x, n_fft, hop_length, length, window, center, pad_mode, normalized, onesided, True)
    if power == 2:
        # Without the root of `abs`, whose gradient at 0 has no direction.
        return n.square(n._real(y)) + n.square(n._imag(y))
    size = n.abs(y)
    return size if power == 1 else n.pow(size, power)


def _added(frames: Tensor, hop: int) -> Tensor:
    """Return the sums of overlapping parts (batch, parts, n) at their offsets."""
    from ..nn.functional import fold

    if frames.dtype.is_complex:
        return n._complex(_added(n._real(frames), hop), _added(n._imag(frames), hop))
    _, count, size = frames.shape
    total = size + hop * (count - 1)
    return fold(frames.mT, (1, total), (1, size), stride=(1, hop))[:, 0, 0]


@typed
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: builtins.bool = True,
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    length: int | None = None,
    return_complex: builtins.bool = False,
) -> Tensor:
    """Returns the signal whose `stft` is nearest to the input, in the sense of least squares.

    Parameters
    ----------
    input
        Shape (frequencies, parts) or (batch, frequencies, parts); complex.
    n_fft, hop_length, win_length, window, center, normalized
        As for `stft`.
    onesided
        Whether the input has ``n_fft // 2 + 1`` frequencies, which is the default unless it has `n_fft` of
        them.
    length
        The number of elements of the signal. By default all elements that parts cover, without the padding.
    return_complex
        Whether the signal is complex, which needs all frequencies.

    Returns
    -------
    Tensor
        Shape (t,) or (batch, t).

    Raises
    ------
    ValueError
        If the shape or the window does not fit, or the windows leave an element of the signal out.
    TypeError
        If the input is not complex, or one side of the frequencies is to give a complex signal.

    Examples
    --------
    >>> import rushlight as rl
    >>> window = rl.hann_window(4)
    >>> y = rl.stft(rl.arange(8.0), 4, window=window)
    >>> [round(v, 4) for v in rl.istft(y, 4, window=window).tolist()]
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    """
    from .. import fft

    if not input.dtype.is_complex:
        raise TypeError(f"istft: the input is complex, got {input.dtype}")
    if input.ndim not in (2, 3) or input.size == 0:
        raise ValueError(f"istft: the input has shape (.., frequencies, parts), got {input.shape}")
    hop = _hop("istft", n_fft, hop_length)
    z = (input.unsqueeze(0) if input.ndim == 2 else input).mT
    onesided = z.shape[2] != n_fft if onesided is None else onesided
    wanted = n_fft // 2 + 1 if onesided else n_fft
    if z.shape[2] != wanted:
        raise ValueError(f"istft: {z.shape[2]} frequencies, and {wanted} are needed for n_fft {n_fft}")
    if onesided and return_complex:
        raise TypeError("istft: a complex signal needs all frequencies; set onesided=False")
    factors = _window("istft", n_fft, n_fft if win_length is None else win_length, window, z)
    norm = "ortho" if normalized else "backward"
    frames = fft.irfft(z, n_fft, norm=norm) if onesided else fft.ifft(z, norm=norm)
    if not (onesided or return_complex):
        frames = n._real(frames)
    y = _added(frames * factors, hop)
    weights = n.abs(factors) ** 2 if factors.dtype.is_complex else factors * factors
    total = _added(n.broadcast_to(weights, (1, z.shape[1], n_fft)), hop)
    start = n_fft // 2 if center else 0
    end = y.shape[1] - start if length is None else builtins.min(start + length, y.shape[1])
    y, total = y[:, start:end], total[:, start:end]
    if y.shape[1] < 1:
        raise ValueError("istft: no element of the signal is left")
    if not n.min(total).item() > 1e-11:
        raise ValueError("istft: the windows leave an element of the signal out")
    y = y / total
    missing = 0 if length is None else length - y.shape[1]
    if missing > 0:
        y = n.concat([y, n.zeros((y.shape[0], missing), dtype=y.dtype, device=y.device)], 1)
    return y.squeeze(0) if input.ndim == 2 else y
