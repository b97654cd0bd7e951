"""Tensors handed to PyTorch and taken from it, by every function that takes foreign data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import rushlight as rl

DTYPES = ["bool", "int8", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64", "complex64"]
TAKERS: list[Callable[[Any], Any]] = [torch.asarray, torch.as_tensor, torch.from_dlpack]


@pytest.mark.parametrize("take", TAKERS, ids=lambda take: take.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pytorch_takes_shape_dtype_and_strides(take: Callable[[Any], Any], dtype: str) -> None:
    """`torch.asarray` read a buffer as a flat run of float32; transposed tensors and bfloat16 raised."""
    t = rl.tensor([[0, 1, 2], [3, 4, 5]], dtype=dtype)
    for ours in (t, t.T, t[:, ::2], t[:, :1].expand(2, 3), t[1, 2]):
        theirs = take(ours)
        assert theirs.dtype == getattr(torch, dtype)
        assert tuple(theirs.shape) == ours.shape
        assert theirs.tolist() == ours.tolist()


def test_pytorch_shares_the_memory() -> None:
    t = rl.zeros((2, 3))
    for value, take in enumerate(TAKERS, start=1):
        take(t.T)[2, 1] = value
        assert t[1, 2].item() == value
    theirs = torch.zeros(2, 3)
    ours = rl.asarray(theirs.T)
    theirs[1, 2] = 7
    assert ours[2, 1].item() == 7
    assert torch.tensor(t).shape == (2, 3)


@pytest.mark.parametrize("name", ["max", "min", "sort"])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_pairs_are_those_of_pytorch(name: str, dim: int) -> None:
    data = [[3.0, 1.0, 3.0], [9.0, 7.0, 9.0]]
    ours, theirs = rl.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
    got, want = getattr(ours, name)(dim), getattr(theirs, name)(dim)
    if name == "sort":
        want = torch.sort(theirs, dim=dim, stable=True)
    assert got.values.tolist() == want.values.tolist()
    assert got.indices.tolist() == want.indices.tolist()
    weights = rl.arange(1.0, got.values.size + 1.0).reshape(got.values.shape)
    (got.values * weights).sum().backward()
    (want.values * torch.asarray(weights)).sum().backward()
    assert ours.grad is not None
    assert theirs.grad is not None
    assert ours.grad.tolist() == theirs.grad.tolist()
