"""The CPU's speed of factorizations and solutions of systems, against PyTorch and NumPy."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl

# Shapes of matrices, and the dtypes they are timed in.
SHAPES = {"512": (512, 512), "1024": (1024, 1024), "256 x 32 x 32": (256, 32, 32)}
DTYPES = ("float32", "float64")
# Those of orthonormal factors, eigenvalues and singular values.
SMALLER = {"64": (64, 64), "256": (256, 256), "512": (512, 512), "64 x 32 x 32": (64, 32, 32)}
# Those of complex matrices.
COMPLEX = {"32": (32, 32), "128": (128, 128), "512": (512, 512), "64 x 32 x 32": (64, 32, 32)}


def drawn(shape: tuple[int, ...], dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return well-conditioned matrices, positive definite ones, and right sides."""
    rng = np.random.default_rng(0)
    general = rng.normal(size=shape) / shape[-1] ** 0.5 + 2 * np.eye(shape[-1])
    positive = general @ np.swapaxes(general, -1, -2) + np.eye(shape[-1])
    right = rng.normal(size=(*shape[:-1], 16))
    if dtype.startswith("complex"):
        general = general + 1j * rng.normal(size=shape) / shape[-1] ** 0.5
        positive = general @ np.conj(np.swapaxes(general, -1, -2))
    return general.astype(dtype), positive.astype(dtype), right.astype(dtype)


def calls(linalg: Any, make: Callable[[np.ndarray], Any]) -> dict[str, Callable[[], Any]]:
    """Return the calls of a library, whose function `make` makes tensors of arrays."""
    found: dict[str, Callable[[], Any]] = {}
    for size, shape in SHAPES.items():
        for dtype in DTYPES:
            general, positive, right = map(make, drawn(shape, dtype))
            name = f"{size} {dtype}"
            found[f"cholesky {name}"] = lambda a=positive: linalg.cholesky(a)
            found[f"solve {name}"] = lambda a=general, b=right: linalg.solve(a, b)
            found[f"inv {name}"] = lambda a=general: linalg.inv(a)
            found[f"det {name}"] = lambda a=general: linalg.det(a)
    for size, shape, dtype in (
        *((size, shape, dtype) for size, shape in SMALLER.items() for dtype in DTYPES),
        *((size, shape, "complex64") for size, shape in COMPLEX.items()),
    ):
        general, positive, _ = map(make, drawn(shape, dtype))
        name = f"{size} {dtype}"
        found[f"qr {name}"] = lambda a=general: linalg.qr(a)
        found[f"eigh {name}"] = lambda a=positive: linalg.eigh(a)
        found[f"svd {name}"] = lambda a=general: linalg.svd(a)
        if dtype == "complex64":
            found[f"eig {name}"] = lambda a=general: linalg.eig(a)
    return found


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of each library."""
    found = {timing.OURS: calls(rl.linalg, rl.asarray)}
    if torch := timing.torch_or_none():
        found["torch"] = calls(torch.linalg, torch.from_numpy)
    found["numpy"] = calls(np.linalg, lambda a: a)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
