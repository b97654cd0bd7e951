"""Windows of signals by PyTorch's names."""

from __future__ import annotations

import builtins
import math

from .. import _native as n
from .. import _types as t
from .._check import one_integer, typed
from .._native import Device, DType, Tensor
from .._shared_docs import documented

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]

_SECTIONS = """
Parameters
----------
window_length
    The number of elements.
periodic
    Whether N is `window_length`, as for a Fourier transform; otherwise the window is symmetric, and N is
    one less.
{numbers}dtype
    float32 by default.
device
    The CPU by default.
requires_grad
    Whether operations on the window are recorded.

Returns
-------
Tensor
    Shape ``(window_length,)``.

Raises
------
ValueError
    If the length is negative{error}.

Examples
--------
>>> import rushlight as rl
>>> [round(v, 2) for v in rl.{name}(4).tolist()]
{result}
"""


def _places(op: str, length: int, periodic: builtins.bool, device: Device | str | None) -> Tensor:
    """Return numbers from 0 to 1, both included; of a periodic window without the last one. float64."""
    one_integer(length, f"{op}: window_length")
    if length < 0:
        raise ValueError(f"{op}: window_length is {length}, which is negative")
    steps = length if periodic else length - 1
    return n.arange(length, dtype=t.float64, device=device) / builtins.max(steps, 1)


def _made(window: Tensor, length: int, dtype: DType | None, requires_grad: builtins.bool) -> Tensor:
    """Return a window in its dtype; that of one element is 1."""
    window = n.ones_like(window) if length == 1 else window
    return window.astype(t.float32 if dtype is None else dtype).requires_grad_(requires_grad)


def _cosines(place: Tensor, factors: tuple[float, ...]) -> Tensor:
    """Return the sum of cosines of 0, 1, 2 .. turns with these factors and changing signs."""
    total = n.full_like(place, factors[0])
    for k, factor in enumerate(factors[1:], 1):
        total = total + n.cos(place * (2 * math.pi * k)) * (factor if k % 2 == 0 else -factor)
    return total


@documented(_SECTIONS, numbers="", error="", result="[0.0, 0.5, 1.0, 0.5]")
@typed
def hann_window(
    window_length: int,
    periodic: builtins.bool = True,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns the Hann window, ``0.5 - 0.5 * cos(2 pi k / N)``."""
    place = _places("hann_window", window_length, periodic, device)
    return _made(_cosines(place, (0.5, 0.5)), window_length, dtype, requires_grad)


@documented(
    _SECTIONS,
    numbers="alpha, beta\n    The numbers of the formula.\n",
    error="",
    result="[0.08, 0.54, 1.0, 0.54]",
)
@typed
def hamming_window(
    window_length: int,
    periodic: builtins.bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns the Hamming window, ``alpha - beta * cos(2 pi k / N)``."""
    place = _places("hamming_window", window_length, periodic, device)
    return _made(_cosines(place, (alpha, beta)), window_length, dtype, requires_grad)


@documented(_SECTIONS, numbers="", error="", result="[-0.0, 0.34, 1.0, 0.34]")
@typed
def blackman_window(
    window_length: int,
    periodic: builtins.bool = True,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns the Blackman window, ``0.42 - 0.5 * cos(2 pi k / N) + 0.08 * cos(4 pi k / N)``."""
    place = _places("blackman_window", window_length, periodic, device)
    return _made(_cosines(place, (0.42, 0.5, 0.08)), window_length, dtype, requires_grad)


@documented(_SECTIONS, numbers="", error="", result="[0.0, 0.5, 1.0, 0.5]")
@typed
def bartlett_window(
    window_length: int,
    periodic: builtins.bool = True,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns the Bartlett window ``1 - abs(2 k / N - 1)``, a triangle from 0 to 1 and back."""
    place = _places("bartlett_window", window_length, periodic, device)
    return _made(1 - n.abs(place * 2 - 1), window_length, dtype, requires_grad)


@documented(
    _SECTIONS,
    numbers="beta\n    The shape: larger numbers make the window narrower.\n",
    error=", or `beta` is above 700, where the function overflows",
    result="[0.0, 0.22, 1.0, 0.22]",
)
@typed
def kaiser_window(
    window_length: int,
    periodic: builtins.bool = True,
    beta: float = 12.0,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns the Kaiser window, ``i0(beta * sqrt(1 - (2 k / N - 1)**2)) / i0(beta)``.

    `i0` is the modified Bessel function of order 0, computed by its power series in float64.
    """
    if not abs(beta) <= 700:
        raise ValueError(f"kaiser_window: beta is {beta}, and at most 700 is possible")
    place = _places("kaiser_window", window_length, periodic, device)
    x = (1 - n.square(place * 2 - 1)).clamp(min=0) * (beta * beta / 4)
    # Terms x^k / k!^2 grow until k = sqrt(x), which is at most |beta| / 2.
    term, total, last, sum_last = n.ones_like(x), n.ones_like(x), 1.0, 1.0
    k = 0
    while last > 1e-18 * sum_last:
        k += 1
        term = term * x / (k * k)
        total = total + term
        last *= beta * beta / 4 / (k * k)
        sum_last += last
    return _made(total / sum_last, window_length, dtype, requires_grad)
