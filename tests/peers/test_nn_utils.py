"""nn.utils, live with PyTorch: fused batch normalization, orthogonal weights and limits of gradients."""

from __future__ import annotations

import math
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


GRADIENTS = [(3, 5), (), (0,), (1030,), (64, 33), (2, 3, 4)]


def gradients(dtype: str, special: float | None = None, wide: bool = False) -> tuple[list[Any], list[Any]]:
    """Parameters of PyTorch and of rushlight with equal gradients; the last one is a view with strides.

    PyTorch's are of dtype float64 if `wide`: its norms of float32 are off by up to 1e-5.
    """
    rng = np.random.default_rng(SEED)
    theirs, ours = [], []
    for shape in [*GRADIENTS, (7, 6)]:
        values = np.asarray(2 * rng.normal(size=shape))
        if special is not None and values.size:
            values.flat[-1] = special
        grad = torch.from_numpy(values.copy()).to(getattr(torch, dtype))
        grad = grad.double() if wide else grad
        theirs.append(torch.zeros_like(grad, requires_grad=True))
        theirs[-1].grad = grad
        ours.append(rl.zeros(shape, dtype=getattr(rl, dtype)).requires_grad_())
        ours[-1].grad = rl.asarray(values).to(getattr(rl, dtype))
    theirs[-1].grad, ours[-1].grad = theirs[-1].grad.T.clone().T, ours[-1].grad.mT.clone().mT
    return theirs, ours


def assert_gradients(theirs: list[Any], ours: list[Any], rtol: float) -> None:
    for t, o in zip(theirs, ours, strict=True):
        assert o.grad.dtype == o.dtype
        got, want = to_np(o.grad.to(rl.float64)), t.grad.double().numpy()
        np.testing.assert_allclose(got, want, rtol=rtol, atol=0)


@pytest.mark.peer
@pytest.mark.parametrize("special", [None, math.nan, math.inf, 0.0])
@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, 0.5, math.inf, 0.0, -2.0, -math.inf])
@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 1e-6), ("float64", 1e-14), ("bfloat16", 2.0**-8)])
def test_clip_grad_norm_like_pytorch(dtype: str, rtol: float, order: float, special: float | None) -> None:
    theirs, ours = gradients(dtype, special, wide=True)
    if math.isinf(order) or order < 0:
        # PyTorch has no such norm of a tensor without elements.
        theirs, ours = ([p for p in params if p.numel()] for params in (theirs, ours))
    want = torch.nn.utils.clip_grad_norm_(theirs, 1.5, order)
    got = nn.utils.clip_grad_norm_(ours, 1.5, order)
    np.testing.assert_allclose(float(got), float(want), rtol=rtol, atol=0)
    assert_gradients(theirs, ours, rtol)


@pytest.mark.peer
@pytest.mark.parametrize("bound", [0.7, 0.1, 0.0, -1.0, math.inf, math.nan])
@pytest.mark.parametrize("special", [None, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_clip_grad_value_like_pytorch(dtype: str, special: float | None, bound: float) -> None:
    theirs, ours = gradients(dtype, special)
    torch.nn.utils.clip_grad_value_(theirs, bound)
    nn.utils.clip_grad_value_(ours, bound)
    assert_gradients(theirs, ours, 0)


@pytest.mark.peer
def test_clip_grad_norm_of_a_norm_that_is_not_finite_raises_like_pytorch() -> None:
    for special in (math.nan, math.inf):
        theirs, ours = gradients("float32", special)
        for library, params in ((torch.nn.utils, theirs), (nn.utils, ours)):
            with pytest.raises(RuntimeError, match="norm"):
                library.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
        assert_gradients(theirs, ours, 0)
