"""Fourier transforms, by the names and arguments of `torch.fft`, `numpy.fft` and the array API.

Real input gives complex64 (float32 and integers) or complex128 (float64). Any length is possible, and
gradients flow
through all transforms.

>>> import rushlight as rl
>>> rl.fft.rfft(rl.tensor([1.0, 0.0, -1.0, 0.0])).real.tolist()
[0.0, 2.0, 0.0]
"""

from ._lines import fft, hfft, ifft, ihfft, irfft, rfft
from ._orders import fftfreq, fftshift, ifftshift, rfftfreq
from ._planes import (
    fft2,
    fftn,
    hfft2,
    hfftn,
    ifft2,
    ifftn,
    ihfft2,
    ihfftn,
    irfft2,
    irfftn,
    rfft2,
    rfftn,
)

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
