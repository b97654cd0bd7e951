"""Attention with dropout, of packed sequences, and its second derivatives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import Array, to_np
from rushlight import functional as F
from rushlight.nn.attention.varlen import varlen_attn

RNG = np.random.default_rng(12)


def directional(f: Callable[..., rl.Tensor], leaves: list[Array], rtol: float = 1e-6) -> None:
    """Compare the gradients of f, a function of tensors that draws the same each time, with differences."""

    def value(arrays: list[Array]) -> float:
        rl.manual_seed(5)
        return float(f(*map(rl.asarray, arrays)).item())

    tensors = [rl.asarray(a).requires_grad_() for a in leaves]
    rl.manual_seed(5)
    f(*tensors).backward()
    for i, t in enumerate(tensors):
        assert t.grad is not None
        direction = RNG.normal(size=leaves[i].shape)
        ends = [
            value([a + h * direction if j == i else a for j, a in enumerate(leaves)]) for h in (1e-5, -1e-5)
        ]
        want = (ends[0] - ends[1]) / 2e-5
        found = float((to_np(t.grad) * direction).sum())
        assert abs(found - want) <= rtol * max(1.0, abs(want)), (i, found, want)


@pytest.mark.parametrize("causal", [False, True])
def test_gradients_with_dropout_like_differences(causal: bool) -> None:
    """Several tiles, a number of keys that is not a multiple of 4, and heads that share keys."""
    weights = rl.asarray(RNG.normal(size=(2, 4, 70, 3)))

    def f(q: rl.Tensor, k: rl.Tensor, v: rl.Tensor) -> rl.Tensor:
        y = F.scaled_dot_product_attention(q, k, v, None, 0.3, causal, enable_gqa=True)
        return (y * weights).sum()

    directional(f, [RNG.normal(size=s) for s in ((2, 4, 70, 5), (2, 2, 301, 5), (2, 2, 301, 3))])


def test_a_bias_has_its_gradient_with_dropout() -> None:
    q, k, v = (rl.asarray(RNG.normal(size=(1, 2, n, 3))) for n in (5, 7, 7))
    directional(
        lambda b: (F.scaled_dot_product_attention(q, k, v, b, 0.4) * q).sum(), [RNG.normal(size=(2, 5, 7))]
    )


def test_dropout_drops_what_dropout_of_the_weights_drops() -> None:
    """The mask is that of `dropout` of weights with a multiple of 4 keys, by the same draw."""
    q, k = rl.asarray(RNG.normal(size=(2, 3, 66, 4))), rl.asarray(RNG.normal(size=(2, 3, 99, 4)))
    v = rl.asarray(RNG.normal(size=(2, 3, 99, 5)))
    rl.manual_seed(9)
    mask = F.dropout(rl.ones((2, 3, 66, 100), dtype=rl.float64), 0.2)[..., :99]
    weights = F.softmax(q @ k.mT * 0.5, -1)
    rl.manual_seed(9)
    y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.2)
    np.testing.assert_allclose(to_np(y), to_np((weights * mask) @ v), rtol=0, atol=1e-13)
    assert not np.array_equal(to_np(y), to_np(F.scaled_dot_product_attention(q, k, v, dropout_p=0.2)))
    assert abs((to_np(mask) == 0).mean() - 0.2) < 0.01
    assert not np.any(to_np(F.scaled_dot_product_attention(q, k, v, dropout_p=1.0)))


LENGTHS = [([5, 0, 70, 3], [7, 4, 65, 0]), ([1], [300]), ([0, 2], [0, 2]), ([130, 64, 64], [64, 128, 3])]


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_packed_sequences_are_a_loop_over_them(lengths: tuple[list[int], list[int]], causal: bool) -> None:
    """Values and gradients; two rows at the end belong to no sequence."""
    ends = [np.concatenate([[0], np.cumsum(n)]) for n in lengths]
    t, s = int(ends[0][-1]) + 2, int(ends[1][-1]) + 2
    arrays = [RNG.normal(size=shape) for shape in ((t, 4, 3), (s, 2, 3), (s, 2, 5))]
    g = RNG.normal(size=(t, 4, 5))
    packed: Any
    looped: Any
    packed, looped = ([rl.asarray(a).requires_grad_() for a in arrays] for _ in range(2))
    cu: Any = [rl.asarray(e.astype(np.int32)) for e in ends]
    window = (-1, 0) if causal else (-1, -1)
    longest: Any = max(lengths[0]), max(lengths[1])
    y = varlen_attn(
        packed[0],
        packed[1],
        packed[2],
        cu[0],
        cu[1],
        longest[0],
        longest[1],
        enable_gqa=True,
        window_size=window,
    )
    assert y.shape == (t, 4, 5)
    (y * rl.asarray(g)).sum().backward()
    want = np.zeros((t, 4, 5))
    total = rl.zeros((), dtype=rl.float64)
    for a, b, c, d in zip(ends[0], ends[0][1:], ends[1], ends[1][1:], strict=False):
        if a == b or c == d:
            continue
        parts = zip(looped, (a, c, c), (b, d, d), strict=True)
        q, k, v = (rl.expand_dims(x[i:j].transpose(0, 1), 0) for x, i, j in parts)
        keep = rl.asarray(np.tri(b - a, d - c, d - c - (b - a), dtype=bool)) if causal else None
        one = F.scaled_dot_product_attention(q, k, v, keep, enable_gqa=True).squeeze(0).transpose(0, 1)
        want[a:b] = to_np(one)
        total = total + (one * rl.asarray(g[a:b])).sum()
    np.testing.assert_allclose(to_np(y), want, rtol=0, atol=1e-12)
    if not total.requires_grad:
        return
    total.backward()
    for x, other in zip(packed, looped, strict=True):
        assert x.grad is not None
        expected = np.zeros(x.shape) if other.grad is None else to_np(other.grad)
        np.testing.assert_allclose(to_np(x.grad), expected, rtol=0, atol=1e-12)


def test_gradients_of_packed_sequences_with_dropout_like_differences() -> None:
    cu_q, cu_k = rl.tensor([0, 3, 3, 12]), rl.tensor([0, 5, 9, 20])
    weights = rl.asarray(RNG.normal(size=(12, 2, 4)))

    def f(q: rl.Tensor, k: rl.Tensor, v: rl.Tensor) -> rl.Tensor:
        y = varlen_attn(q, k, v, cu_q, cu_k, 9, 11, window_size=(-1, 0), dropout_p=0.3)
        return (y * weights).sum()

    directional(f, [RNG.normal(size=s) for s in ((12, 2, 3), (20, 2, 3), (20, 2, 4))])


PACKED = """
import rushlight as rl
from rushlight.nn.attention.varlen import varlen_attn

n = 8192
leaves = [rl.randn((n, 1, 4)).requires_grad_() for _ in range(3)]
cu = rl.arange(0, n + 1, 32)
varlen_attn(*leaves, cu, cu, 32, 32, dropout_p=0.1).sum().backward()
print(rl.memory_stats()["peak"] / (4 * n * n))
"""


def test_packed_sequences_and_dropout_need_no_weights_in_memory() -> None:
    run = subprocess.run([sys.executable, "-c", PACKED], check=True, capture_output=True, text=True)
    assert float(run.stdout) < 0.02, run.stdout


@pytest.mark.parametrize("p", [0.0, 0.3])
@pytest.mark.parametrize("packed", [False, True])
def test_second_derivatives_like_differences(packed: bool, p: float) -> None:
    """A gradient penalty: the squares of the gradients of queries, keys and values."""
    cu = rl.tensor([0, 2, 6])
    shape = (6, 2, 3) if packed else (2, 6, 3)
    weights = rl.asarray(RNG.normal(size=shape))

    def f(*leaves: rl.Tensor) -> rl.Tensor:
        inner: Any = [x if x.requires_grad else x.requires_grad_() for x in leaves]
        if packed:
            y = varlen_attn(inner[0], inner[1], inner[2], cu, cu, 4, 4, window_size=(-1, 0), dropout_p=p)
        else:
            y = F.scaled_dot_product_attention(inner[0], inner[1], inner[2], None, p, True)
        grads = rl.autograd.grad((y * weights).sum(), inner, create_graph=True)
        penalty = (grads[0] * grads[0]).sum()
        for g in grads[1:]:
            penalty = penalty + (g * g).sum()
        return penalty

    directional(f, [RNG.normal(size=shape) for _ in range(3)], rtol=1e-5)


def test_recorded_gradients_are_those_of_the_kernels() -> None:
    leaves: Any = [rl.asarray(RNG.normal(size=(2, 9, 3))).requires_grad_() for _ in range(3)]
    found = []
    for create_graph in (False, True):
        rl.manual_seed(3)
        y = F.scaled_dot_product_attention(leaves[0], leaves[1], leaves[2], dropout_p=0.3)
        found.append(rl.autograd.grad(y.sum(), leaves, create_graph=create_graph))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(to_np(a), to_np(b.detach()), rtol=0, atol=1e-13)


def test_wrong_packed_sequences_are_errors() -> None:
    q, cu = rl.ones((4, 2, 3)), rl.tensor([0, 2, 4])
    for offsets in ([0, 2, 5], [1, 2, 4], [0, 3, 2], [-1, 2, 4]):
        with pytest.raises(IndexError):
            varlen_attn(q, q, q, rl.tensor(offsets), cu, 2, 2).numpy()
        with pytest.raises(IndexError):
            varlen_attn(q, q, q, cu, rl.tensor(offsets), 2, 2).numpy()
    with pytest.raises(ValueError, match="as many offsets of queries as of keys"):
        varlen_attn(q, q, q, rl.tensor([0, 4]), cu, 4, 2)
    with pytest.raises(ValueError, match="enable_gqa"):
        varlen_attn(q, q[:, :1], q[:, :1], cu, cu, 2, 2)
    with pytest.raises(TypeError, match="integers"):
        varlen_attn(q, q, q, rl.tensor([0.0, 2.0, 4.0]), cu, 2, 2)
    with pytest.raises(NotImplementedError, match="window_size"):
        varlen_attn(q, q, q, cu, cu, 2, 2, window_size=(3, 0))
    with pytest.raises(ValueError, match="packed sequences"):
        varlen_attn(q[0], q[0], q[0], cu, cu, 2, 2)
