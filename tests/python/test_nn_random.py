"""Functions that draw random numbers: frequencies, means and gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight import functional as F
from rushlight import nn


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (F.dropout1d, (40, 25, 3)),
        (F.dropout2d, (40, 25, 3)),
        (F.dropout2d, (40, 25, 2, 2)),
        (F.dropout3d, (40, 25, 2, 1, 2)),
        (F.dropout3d, (1000, 2, 2, 2)),
        (F.dropout1d, (1000, 3)),
    ],
)
def test_dropout_of_channels(call: Any, shape: tuple[int, ...]) -> None:
    x = rl.ones(shape).requires_grad_()
    out = call(x, 0.3)
    flat = to_np(out).reshape(1000, -1)
    assert (flat == flat[:, :1]).all()
    np.testing.assert_allclose(np.unique(flat), [0, 1 / 0.7], rtol=1e-6)
    assert np.mean(flat == 0) == pytest.approx(0.3, abs=0.05)
    out.sum().backward()
    np.testing.assert_array_equal(to_np(x.grad), to_np(out))
    assert call(x, 0.3, training=False) is x
    assert float(call(x, 1.0).abs().sum()) == 0
    with pytest.raises(ValueError, match="probability"):
        call(x, 1.5)
    with pytest.raises(ValueError, match="rank"):
        call(rl.ones(3))


@pytest.mark.parametrize("call", [F.alpha_dropout, F.feature_alpha_dropout])
def test_alpha_dropout_keeps_mean_and_variance(call: Any) -> None:
    x = rl.randn((300, 200, 4))
    out = to_np(call(x, 0.4, training=True))
    assert out.mean() == pytest.approx(0.0, abs=0.02)
    assert out.std() == pytest.approx(1.0, abs=0.02)
    values, counts = np.unique(out, return_counts=True)
    assert counts.max() / out.size == pytest.approx(0.4, abs=0.02)
    limit = -1.7580993408473766
    scale = 1 / math.sqrt(0.6 * (1 + 0.4 * limit**2))
    assert values[counts.argmax()] == pytest.approx(scale * limit * 0.6, rel=1e-5)
    assert call(x) is x
    assert float(call(x, 1.0, training=True).abs().sum()) == 0


def test_rrelu_draws_slopes() -> None:
    x = rl.full((4000,), -1.0)
    slopes = -to_np(F.rrelu(x, 0.2, 0.6, training=True))
    assert slopes.min() >= 0.2
    assert slopes.max() <= 0.6
    assert slopes.mean() == pytest.approx(0.4, abs=0.01)
    layer = nn.RReLU(0.2, 0.6)
    assert len(np.unique(to_np(layer(x)))) > 1000
    np.testing.assert_allclose(to_np(layer.eval()(x)), -0.4, rtol=1e-6)


def test_gumbel_softmax_draws_from_the_distribution() -> None:
    logits = rl.tensor(np.log([0.1, 0.2, 0.7]).astype(np.float32))
    many = rl.broadcast_to(logits, (20000, 3)).requires_grad_()
    hard = F.gumbel_softmax(many, tau=0.5, hard=True)
    found = to_np(hard)
    np.testing.assert_allclose(np.sort(found, axis=1), np.broadcast_to([0, 0, 1], found.shape), atol=1e-6)
    np.testing.assert_allclose(found.mean(axis=0), [0.1, 0.2, 0.7], atol=0.02)
    soft = to_np(F.gumbel_softmax(logits, dim=0))
    assert soft.sum() == pytest.approx(1.0, rel=1e-5)
    x = rl.zeros((2, 3)).requires_grad_()
    (F.gumbel_softmax(x, hard=True, dim=0) * rl.tensor([1.0, 2.0, 3.0])).sum().backward()
    # Along axis 0 each column sums to a constant.
    np.testing.assert_allclose(to_np(x.grad).sum(axis=0), 0, atol=1e-6)


def test_in_place_replaces_the_input_and_keeps_the_gradient() -> None:
    calls = [
        F.relu,
        F.relu6,
        F.elu,
        F.selu,
        F.celu,
        F.silu,
        F.mish,
        F.leaky_relu,
        F.hardswish,
        F.hardtanh,
        F.hardsigmoid,
    ]
    for call in calls:
        x = rl.randn((20,)).requires_grad_()
        y = x * 2
        out = call(y, inplace=True)
        assert out is y
        want = call(x * 2)
        np.testing.assert_array_equal(to_np(y), to_np(want), err_msg=call.__name__)
        y.sum().backward()
        got = to_np(x.grad)
        x.grad = None
        want.sum().backward()
        np.testing.assert_array_equal(got, to_np(x.grad), err_msg=call.__name__)
    for name in ("relu", "elu", "celu", "selu", "hardtanh", "leaky_relu", "rrelu"):
        y = rl.randn((20,))
        want = getattr(F, name)(y)
        assert getattr(F, f"{name}_")(y) is y
        np.testing.assert_array_equal(to_np(y), to_np(want), err_msg=name)
    y = rl.tensor([-1.0, 2.0])
    nn.ReLU(inplace=True)(y)
    assert y.tolist() == [0.0, 2.0]


def test_embedding_scales_rows_in_place_and_shares_gradients() -> None:
    weight = rl.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    out = F.embedding(rl.tensor([0, 1]), weight, max_norm=1.0)
    np.testing.assert_allclose(to_np(out), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)
    np.testing.assert_allclose(to_np(weight), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-5)
    F.embedding_bag(rl.tensor([[2, 2]]), weight, max_norm=2.0, mode="sum")
    np.testing.assert_allclose(to_np(weight)[2], [1.2, 1.6], rtol=1e-5)
    table = rl.zeros((4, 1)).requires_grad_()
    bags = F.embedding_bag(
        rl.tensor([3, 3, 1, 3]), table, rl.tensor([0, 1]), mode="sum", scale_grad_by_freq=True
    )
    bags.sum().backward()
    np.testing.assert_allclose(to_np(table.grad)[:, 0], [0, 1, 0, 1], rtol=1e-6)


def test_half_precision_rounds_once() -> None:
    x = rl.randn((200,)) * 3
    for call in (F.mish, F.selu, F.celu, F.hardswish, F.softsign, F.logsigmoid, F.tanhshrink):
        low = x.astype(rl.float16)
        want = call(low.astype(rl.float32)).astype(rl.float16)
        np.testing.assert_array_equal(to_np(call(low)), to_np(want), err_msg=call.__name__)
