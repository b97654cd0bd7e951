"""Gradient penalties and products of second derivatives with vectors beside PyTorch's, in float64."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: cargo xtask test-peers installs it")

import rushlight as rl  # noqa: E402

SEED = int(os.environ["RUSHLIGHT_SEED"])
T = [0, 2, 1, 2]

# The same text for both libraries: the library, its functions, and the float64 inputs of these shapes.
CASES: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "arithmetic": (lambda m, f, a, b: (a * b / (1 + b * b) - a.exp() * b.sin()).sum(), [(3, 4), (4,)]),
    "roots": (lambda m, f, a: ((a * a + 1).sqrt().log() * a.tanh()).sum(), [(7,)]),
    "prod": (lambda m, f, a: (a.prod(0) * a.sum(0)).sum(), [(3, 4)]),
    "extremes": (lambda m, f, a: (a.amax(1) ** 3 + a.amin(1) ** 2).sum(), [(3, 5)]),
    "matmul": (lambda m, f, a, b: ((a @ b) ** 3).sum(), [(3, 4), (4, 2)]),
    "softmax": (lambda m, f, a: (f.softmax(a, -1) ** 2 * f.log_softmax(a, 0)).sum(), [(3, 5)]),
    "cross_entropy": (lambda m, f, a: f.cross_entropy(a, m.tensor(T), label_smoothing=0.1) ** 2, [(4, 3)]),
    "nll_loss": (lambda m, f, a: f.nll_loss((a**3).sin(), m.tensor(T), reduction="sum") ** 2, [(4, 3)]),
    "layer_norm": (lambda m, f, a, w, b: (f.layer_norm(a, (5,), w, b) ** 3).sum(), [(3, 5), (5,), (5,)]),
    "group_norm": (lambda m, f, a, w, b: (f.group_norm(a, 2, w, b) ** 3).sum(), [(2, 4, 5), (4,), (4,)]),
    "batch_norm": (
        lambda m, f, a, w, b: (f.batch_norm(a, None, None, w, b, training=True) ** 3).sum(),
        [(4, 3, 2), (3,), (3,)],
    ),
    "batch_norm in evaluation": (
        lambda m, f, a, w, b: (
            f.batch_norm(a, m.ones(3, dtype=m.float64), m.ones(3, dtype=m.float64) * 2, w, b) ** 3
        ).sum(),
        [(4, 3, 2), (3,), (3,)],
    ),
    "conv2d": (
        lambda m, f, x, w, b: (f.conv2d(x, w, b, stride=2, padding=1, groups=2) ** 3).sum(),
        [(2, 4, 6, 5), (6, 2, 3, 2), (6,)],
    ),
    "conv_transpose2d": (
        lambda m, f, x, w: (f.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1) ** 3).sum(),
        [(2, 3, 4, 3), (3, 2, 3, 3)],
    ),
    "max_pool2d": (lambda m, f, x: (f.max_pool2d(x, 3, 2, 1) ** 3).sum(), [(2, 3, 7, 6)]),
    "unfold": (lambda m, f, x: (f.unfold(x, (2, 3), 2, 1, (1, 2)) ** 3).sum(), [(2, 3, 5, 6)]),
    "fold": (lambda m, f, x: (f.fold(x, (5, 6), (2, 3), 2, 1, (1, 2)) ** 3).sum(), [(2, 12, 10)]),
    "avg_pool2d": (lambda m, f, x: (f.avg_pool2d(x, 3, 2, 1) ** 3).sum(), [(2, 3, 7, 6)]),
    "interpolate": (
        lambda m, f, x: (f.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False) ** 3).sum(),
        [(1, 2, 4, 3)],
    ),
    "activations": (
        lambda m, f, a: (f.gelu(a) * f.silu(a) + f.softplus(a) ** 2 + f.elu(a) ** 3 * f.relu(a)).sum(),
        [(4, 5)],
    ),
    "indexing": (lambda m, f, a: (a[m.tensor([0, 2, 2])] ** 3).sum() + (a[1:, ::2] ** 3).sum(), [(4, 5)]),
    "gather": (lambda m, f, a: (m.gather(a**2, 1, m.tensor([[0, 1], [2, 2], [1, 0]])) ** 2).sum(), [(3, 4)]),
    "cumsum": (lambda m, f, a: (m.cumsum(a, 1) ** 3).sum(), [(3, 4)]),
    "where": (lambda m, f, a, b: (m.where(a > b, a**3, b**2 * a)).sum(), [(3, 4), (3, 4)]),
}


def draw(name: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
    shapes = CASES[name][1]
    return [rng.normal(size=s) for s in shapes], [rng.normal(size=s) for s in shapes]


def derivatives(lib: Any, functional: Any, make: Callable[[np.ndarray], Any], name: str) -> list[np.ndarray]:
    """Gradients, the gradient of the sum of their squares, and second derivatives times a vector."""
    values, vectors = draw(name)
    inputs = [make(v).requires_grad_() for v in values]
    loss = CASES[name][0](lib, functional, *inputs)
    grads = lib.autograd.grad(loss, inputs, create_graph=True)
    penalty = sum((g * g).sum() for g in grads)
    second = lib.autograd.grad(penalty, inputs, retain_graph=True, materialize_grads=True)
    product = lib.autograd.grad(
        sum((g * make(v)).sum() for g, v in zip(grads, vectors, strict=True)), inputs, materialize_grads=True
    )
    return [np.asarray(g.detach()) for g in (*grads, *second, *product)]


@pytest.mark.peer
@pytest.mark.parametrize("name", sorted(CASES), ids=lambda name: f"second/{name}")
def test_gradient_penalties_and_products_agree(name: str) -> None:
    want = derivatives(torch, torch.nn.functional, torch.tensor, name)
    got = derivatives(rl, rl.functional, rl.tensor, name)
    assert any(np.abs(w).max() > 1e-3 for w in want[len(want) // 3 :]), "the second derivative is 0"
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        np.testing.assert_allclose(
            g, w, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(w).max()), err_msg=f"{name}, RUSHLIGHT_SEED={SEED}"
        )
