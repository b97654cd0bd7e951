"""nn.utils, live with PyTorch: fused batch normalization and orthogonal weights."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: cargo xtask test-peers installs it")

import rushlight as rl  # noqa: E402
from compare import to_np  # noqa: E402
from rushlight import nn  # noqa: E402

SEED = int(os.environ["RUSHLIGHT_SEED"])
SHAPES = [(4, 4), (7, 4), (3, 8), (2, 5, 3), (1, 1), (6, 1), (3, 2, 2), (9, 9)]


def holder(module: Any, parameter: Any, weight: Any) -> Any:
    made = module()
    made.weight = parameter(weight)
    return made


@pytest.mark.peer
@pytest.mark.parametrize("with_base", [True, False])
@pytest.mark.parametrize("kind", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_orthogonal_like_pytorch(shape: tuple[int, ...], kind: Any, with_base: bool, dtype: str) -> None:
    rng = np.random.default_rng(SEED)
    bound = {"float32": 1e-4, "float64": 1e-11}[dtype]
    first = (2 * rng.normal(size=shape)).astype(dtype)
    theirs = holder(torch.nn.Module, torch.nn.Parameter, torch.from_numpy(first.copy()))
    ours = holder(nn.Module, nn.Parameter, rl.asarray(first))
    torch.nn.utils.parametrizations.orthogonal(theirs, "weight", kind, use_trivialization=with_base)
    nn.utils.parametrizations.orthogonal(ours, "weight", kind, use_trivialization=with_base)
    np.testing.assert_allclose(to_np(ours.weight), theirs.weight.detach().numpy(), rtol=0, atol=bound)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.load_state_dict(dict(theirs.state_dict()))
    # Entries of size 3, but the diagonal that Householder's map reads as signs.
    moved = 3 * rng.normal(size=shape).astype(dtype)
    if kind == "householder":
        for i in range(min(shape[-2:])):
            moved[..., i, i] = (-1) ** i
    theirs.parametrizations.weight.original.data = torch.from_numpy(moved.copy())
    ours.parametrizations.weight.original.data = rl.asarray(moved)
    factor = rng.normal(size=shape).astype(dtype)
    want, got = theirs.weight, ours.weight
    np.testing.assert_allclose(to_np(got), want.detach().numpy(), rtol=0, atol=bound)
    (want * torch.from_numpy(factor)).sum().backward()
    (got * rl.asarray(factor)).sum().backward()
    expected = theirs.parametrizations.weight.original.grad.numpy()
    largest = max(1.0, float(np.abs(expected).max()))
    found = to_np(ours.parametrizations.weight.original.grad)
    np.testing.assert_allclose(found, expected, rtol=0, atol=10 * bound * largest)


@pytest.mark.peer
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("name", ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d", "Linear"])
def test_fused_batch_normalization_like_pytorch(name: str, affine: bool, bias: bool) -> None:
    torch.manual_seed(SEED)
    # PyTorch's function needs the factor and summand behind a linear map.
    affine = affine or name == "Linear"
    sizes = (3, 4) if name == "Linear" else (3, 4, 3)
    rank = "1d" if name == "Linear" else name[-2:]
    made = []
    for library in (torch.nn, nn):
        layer = getattr(library, name)(*sizes, bias=bias).eval()
        made.append((layer, getattr(library, f"BatchNorm{rank}")(4, eps=0.01, affine=affine).eval()))
    (layer, norm), (our_layer, our_norm) = made
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2.0)
    if affine:
        torch.nn.init.normal_(norm.weight)
        torch.nn.init.normal_(norm.bias)
    our_layer.load_state_dict(dict(layer.state_dict()))
    our_norm.load_state_dict(dict(norm.state_dict()))
    if name == "Linear":
        want = torch.nn.utils.fuse_linear_bn_eval(layer, norm)
        got: Any = nn.utils.fuse_linear_bn_eval(our_layer, our_norm)
    else:
        transposed = "Transpose" in name
        want = torch.nn.utils.fuse_conv_bn_eval(layer, norm, transposed)
        got = nn.utils.fuse_conv_bn_eval(our_layer, our_norm, transposed)
    assert list(got.state_dict()) == list(want.state_dict())
    for key, value in want.state_dict().items():
        np.testing.assert_allclose(to_np(got.state_dict()[key]), value.numpy(), rtol=2e-6, atol=1e-6)
    assert all(isinstance(p, nn.Parameter) for p in got.parameters())
