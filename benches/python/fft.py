"""The CPU's speed of Fourier transforms against PyTorch, NumPy and SciPy."""

import argparse
import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl

# Function and shape. The input of `irfft` is half of the spectrum.
CALLS = {
    "fft 2^20": ("fft", (1 << 20,)),
    "fft 64 x 1024": ("fft", (64, 1024)),
    "fft 4096 x 256": ("fft", (4096, 256)),
    "fft 1000 x 1000": ("fft", (1000, 1000)),
    "fft 10007": ("fft", (10_007,)),
    "ifft 64 x 1024": ("ifft", (64, 1024)),
    "rfft 2^20": ("rfft", (1 << 20,)),
    "rfft 64 x 1024": ("rfft", (64, 1024)),
    "irfft 64 x 513": ("irfft", (64, 513)),
    "fft2 512 x 512": ("fft2", (512, 512)),
}


def calls(module: Any, convert: Callable[[np.ndarray], Any]) -> dict[str, Callable[[], Any]]:
    """Return the calls of a library, whose functions have NumPy's names."""
    found: dict[str, Callable[[], Any]] = {}
    rng = np.random.default_rng(0)
    for name, (function, shape) in CALLS.items():
        a = rng.normal(size=shape).astype(np.float32)
        if function != "rfft":
            a = (a + 1j * rng.normal(size=shape)).astype(np.complex64)
        found[name] = functools.partial(getattr(module, function), convert(a))
    return found


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of each library."""
    found = {timing.OURS: calls(rl.fft, rl.asarray)}
    if torch := timing.torch_or_none():
        found["torch"] = calls(torch.fft, torch.from_numpy)
    found["numpy"] = calls(np.fft, lambda a: a)
    if importlib.util.find_spec("scipy"):
        found["scipy"] = calls(importlib.import_module("scipy.fft"), lambda a: a)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
