"""Random draws: ranges, frequencies and seeds of `randint`, `bernoulli` and `dropout`."""

from __future__ import annotations

import pytest

import rushlight as rl
from rushlight import functional as F


def test_randint_covers_its_range() -> None:
    rl.manual_seed(0)
    x = rl.randint(-3, 4, (10_000,), dtype=rl.int8)
    assert x.dtype == rl.int8
    counts = rl.unique_counts(x)
    assert counts.values.tolist() == list(range(-3, 4))
    assert rl.min(counts.counts).item() > 1200
    assert rl.randint(5, (4,)).dtype == rl.int64
    assert rl.randint(0, 5, (4,), dtype=rl.float32).dtype == rl.float32


def test_randint_reaches_the_ends_of_64_bits() -> None:
    rl.manual_seed(0)
    x = rl.randint(-(2**63), 2**63, (1000,))
    assert rl.max(x).item() > 2**62
    assert rl.min(x).item() < -(2**62)
    assert rl.max(rl.randint(0, 2**64, (1000,), dtype=rl.uint64)).item() >= 2**63
    for low, high in ((5, 5), (0, 2**63 + 1), (-1, 2**200)):
        with pytest.raises(ValueError, match="randint"):
            rl.randint(low, high, (2,))


def test_bernoulli_by_tensor_and_by_number() -> None:
    rl.manual_seed(0)
    p = rl.asarray([[0.0, 0.25, 1.0]] * 10_000)
    x = rl.bernoulli(p)
    assert x.dtype == p.dtype
    assert rl.mean(x, axis=0).tolist() == pytest.approx([0.0, 0.25, 1.0], abs=0.02)
    assert rl.unique_values(x).tolist() == [0.0, 1.0]
    y = rl.bernoulli(rl.empty(10_000, dtype=rl.uint8), 0.75)
    assert y.dtype == rl.uint8
    assert rl.mean(y).item() == pytest.approx(0.75, abs=0.02)
    rl.manual_seed(7)
    first = rl.bernoulli(p).tolist()
    rl.manual_seed(7)
    assert rl.bernoulli(p).tolist() == first
    assert rl.bernoulli(rl.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(TypeError, match="int64"):
        rl.bernoulli(rl.ones(2, dtype=rl.int64))
    with pytest.raises(ValueError, match="between 0 and 1"):
        rl.bernoulli(rl.tensor([rl.nan]))


def test_dropout_is_one_op_whose_gradient_drops_the_same() -> None:
    rl.manual_seed(0)
    x = rl.ones(10_000, requires_grad=True)
    y = rl.dropout(x, 0.25)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == y.tolist()
    assert rl.mean(y.detach()).item() == pytest.approx(1.0, abs=0.03)
    assert rl.supports("dropout", "float32", grad=True)
    rl.manual_seed(3)
    kept = F.dropout(rl.ones(100)) > 0
    rl.manual_seed(3)
    assert (F.dropout(rl.ones(100, dtype=rl.float64)) > 0).tolist() == kept.tolist()
    assert F.dropout(x, 0.5, training=False) is x
