"""Gradients of gradients, hooks and functions on an AMD GPU, real or virtual, against the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import functional as F

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)


class Scaled(rl.autograd.Function):
    """Two results, of which one is saved."""

    @staticmethod
    def forward(ctx: Any, x: rl.Tensor) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y, x * 2

    @staticmethod
    def backward(ctx: Any, a: rl.Tensor, b: rl.Tensor) -> rl.Tensor:
        return a * ctx.saved_tensors[0] + b * 2


def loss(x: rl.Tensor, w: rl.Tensor, k: rl.Tensor) -> rl.Tensor:
    """A penalty on the gradient of a small network of convolution, norms, pooling, softmax and products."""
    h = F.max_pool2d(F.group_norm(F.conv2d(x, k, padding=1), 2), 2).reshape((2, -1))
    a, b = Scaled.apply(h @ w)
    s = F.softmax(F.layer_norm(a + b, (5,)), -1) * F.gelu(b)
    total = (s**2).sum() + s[:, 1:4].prod(1).sum() + F.cross_entropy(b, rl.tensor([1, 4]).to(x.device))
    (g,) = rl.autograd.grad(total, x, create_graph=True)
    return (g * g).sum()


def test_a_gradient_penalty_has_the_cpus_gradients() -> None:
    rng = np.random.default_rng(3)
    values = [rng.normal(scale=0.3, size=s).astype(np.float32) for s in ((2, 3, 4, 4), (16, 5), (4, 3, 3, 3))]
    found = []
    for device in ("cpu", "rocm:0"):
        inputs = [rl.asarray(v).to(device).detach().requires_grad_() for v in values]
        seen: list[Any] = []
        inputs[1].register_hook(lambda g, seen=seen: seen.append(np.asarray(g.cpu())))  # type: ignore[misc]
        loss(*inputs).backward()
        assert len(seen) == 1
        found.append([np.asarray(x.grad.cpu()) for x in inputs if x.grad is not None] + seen)
    assert len(found[0]) == 4
    for cpu, gpu in zip(*found, strict=True):
        assert np.abs(cpu).max() > 1e-2
        assert np.linalg.norm(cpu - gpu) <= 1e-5 * np.linalg.norm(cpu)
