"""Decompositions of matrices and their gradients against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: cargo xtask test-peers installs it")

import torch

import rushlight as rl
from conftest import SEED

# Functions of a library's `linalg` and of a matrix. Results do not depend on the signs of vectors.
ANY: dict[str, Callable[[Any, Any], Any]] = {
    "qr": lambda linalg, x: linalg.qr(x)[0].abs() @ linalg.qr(x)[1].abs(),
    "qr r": lambda linalg, x: linalg.qr(x, mode="r")[1],
    "svd": lambda linalg, x: (linalg.svd(x, full_matrices=False)[0] ** 2).sum(-2) + linalg.svdvals(x),
    "svd u": lambda linalg, x: linalg.svd(x, full_matrices=False)[0] ** 2,
    "svd vh": lambda linalg, x: linalg.svd(x, full_matrices=False)[2] ** 4,
    "svdvals": lambda linalg, x: linalg.svdvals(x) ** 2,
    "pinv": lambda linalg, x: linalg.pinv(x),
    "pinv atol": lambda linalg, x: linalg.pinv(x, atol=0.5),
    "lstsq": lambda linalg, x: linalg.lstsq(x, x[..., :2] ** 2)[0],
    "matrix_rank": lambda linalg, x: linalg.matrix_rank(x),
    "matrix_rank rtol": lambda linalg, x: linalg.matrix_rank(x, rtol=0.3),
    "cond": lambda linalg, x: linalg.cond(x),
    "norm 2": lambda linalg, x: linalg.matrix_norm(x, 2),
    "norm -2": lambda linalg, x: linalg.norm(x, -2, dim=(-2, -1)),
    "norm nuc": lambda linalg, x: linalg.matrix_norm(x, "nuc"),
}
SQUARE: dict[str, Callable[[Any, Any], Any]] = {
    "eigh": lambda linalg, x: linalg.eigh(x + x.mT)[1] ** 2,
    "eigh upper": lambda linalg, x: linalg.eigh(x + x.mT, UPLO="U")[1] ** 4,
    "eigvalsh": lambda linalg, x: linalg.eigvalsh(x + x.mT) ** 3,
    "pinv hermitian": lambda linalg, x: linalg.pinv(x + x.mT, hermitian=True),
    "matrix_exp": lambda linalg, x: linalg.matrix_exp(x),
    "cond 1": lambda linalg, x: linalg.cond(x, 1),
}
# Without a gradient: "cond 1" has none in PyTorch, which changes an inverse in place.
PLAIN = {"qr r", "matrix_rank", "matrix_rank rtol", "cond 1"}


def both(function: Callable[[Any, Any], Any], x: Any, plain: bool) -> list[list[Any]]:
    ours, theirs = rl.asarray(x.copy()), torch.from_numpy(x.copy())
    found = []
    for linalg, leaf in ((rl.linalg, ours), (torch.linalg, theirs)):
        leaf = leaf.requires_grad_(not plain)
        out = function(linalg, leaf)
        results = [np.array(out.detach().tolist())]
        if not plain:
            (out**2).sum().backward()
            results.append(np.array(leaf.grad.tolist()))
        found.append(results)
    return found


@pytest.mark.peer
@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (2, 3, 3), (2, 5, 3)], ids=str)
@pytest.mark.parametrize("name", [*ANY, *SQUARE])
def test_like_pytorch(name: str, shape: tuple[int, ...]) -> None:
    if name in SQUARE and shape[-1] != shape[-2]:
        pytest.skip("for square matrices")
    rng = np.random.default_rng(int(SEED))
    k = min(shape[-2:])
    # Singular values lie apart.
    u, v = (np.linalg.qr(rng.normal(size=(*shape[:-2], n, k)))[0] for n in shape[-2:])
    x = u * np.arange(1.0, k + 1) @ np.swapaxes(v, -1, -2)
    ours, theirs = both({**ANY, **SQUARE}[name], x, name in PLAIN)
    for got, want in zip(ours, theirs, strict=True):
        assert got.shape == want.shape
        assert np.abs(got - want).max() <= 1e-8 * max(1.0, np.abs(want).max())
