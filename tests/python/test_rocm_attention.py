"""Attention with dropout and of packed sequences on an AMD GPU, real or virtual, against the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import Array, to_np
from rushlight import functional as F
from rushlight.nn.attention.varlen import varlen_attn

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
RNG = np.random.default_rng(13)
QUERIES, KEYS = (RNG.normal(size=(n, h, 8)).astype(np.float32) for n, h in ((150, 4), (170, 2)))


def found(device: str) -> list[Array]:
    """Values and gradients of both kinds of attention with dropout, by the same draws on each device."""
    rl.manual_seed(4)
    q, k = (rl.asarray(a).to(device).requires_grad_() for a in (QUERIES, KEYS))
    cu_q, cu_k = (rl.tensor(cu).to(device) for cu in ([0, 3, 3, 100, 140], [0, 70, 71, 71, 169]))
    y = varlen_attn(q, k, k, cu_q, cu_k, 97, 98, window_size=(-1, 0), enable_gqa=True, dropout_p=0.25)
    y.square().sum().backward()
    few: Any = [x.detach()[None].transpose(1, 2) for x in (q, k, k)]
    z = F.scaled_dot_product_attention(few[0], few[1], few[2], dropout_p=0.5, enable_gqa=True)
    assert q.grad is not None
    assert k.grad is not None
    return [to_np(t.detach().cpu()) for t in (y, q.grad, k.grad, z)]


def test_dropout_draws_the_same_on_the_gpu() -> None:
    for a, b in zip(found("rocm:0"), found("cpu"), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-4)


def test_offsets_that_do_not_ascend_are_an_error_on_the_gpu() -> None:
    q, cu = rl.asarray(QUERIES).to("rocm:0"), rl.tensor([0, 5, 9, 150]).to("rocm:0")
    for offsets in ([0, 5, 3, 150], [1, 5, 9, 150], [0, 5, 9, 151], [0, -5, 9, 150]):
        bad = rl.tensor(offsets).to("rocm:0")
        pairs: Any = ((bad, cu), (cu, bad))
        for pair in pairs:
            with pytest.raises(IndexError, match="attention"):
                varlen_attn(q, q, q, pair[0], pair[1], 141, 141).cpu()
