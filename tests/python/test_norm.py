"""Normalization layers and functions: NumPy's numbers, PyTorch's state and defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import Array, to_np
from rushlight import functional as F
from rushlight import nn

RNG = np.random.default_rng(7)


def normalized(x: Array, axes: tuple[int, ...], eps: float, center: bool = True) -> Array:
    """Return the result of NumPy in float64."""
    x = x.astype(np.float64)
    d = x - x.mean(axes, keepdims=True) if center else x
    out: Array = d / np.sqrt((d * d).mean(axes, keepdims=True) + eps)
    return out


@pytest.mark.parametrize("shape", [(3, 5), (2, 1500), (2, 9001), (1100, 6), (2, 3, 40)])
def test_lines_like_numpy(shape: tuple[int, ...]) -> None:
    x = RNG.normal(3, 2, shape)
    w, b = RNG.normal(size=shape[-1]), RNG.normal(size=shape[-1])
    y = F.layer_norm(rl.asarray(x), shape[-1], rl.asarray(w), rl.asarray(b))
    np.testing.assert_allclose(to_np(y), normalized(x, (-1,), 1e-5) * w + b, rtol=0, atol=1e-12)
    y = F.rms_norm(rl.asarray(x), [shape[-1]], rl.asarray(w), eps=0.1)
    np.testing.assert_allclose(to_np(y), normalized(x, (-1,), 0.1, center=False) * w, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", [(300, 4), (7, 4, 300), (2, 6, 5, 7), (2, 4, 3, 2, 5)])
def test_channels_like_numpy(shape: tuple[int, ...]) -> None:
    x, c = RNG.normal(-1, 3, shape), shape[1]
    w, b = RNG.normal(size=c), RNG.normal(size=c)
    over = (1, c, *(1 for _ in shape[2:]))
    scale, shift = w.reshape(over), b.reshape(over)
    mean, var = rl.zeros(c, dtype="float64"), rl.ones(c, dtype="float64")
    t, weight, bias = rl.asarray(x), rl.asarray(w), rl.asarray(b)
    axes = (0, *range(2, x.ndim))
    y = F.batch_norm(t, mean, var, weight, bias, training=True, momentum=0.25)
    np.testing.assert_allclose(to_np(y), normalized(x, axes, 1e-5) * scale + shift, rtol=0, atol=1e-12)
    np.testing.assert_allclose(to_np(mean), 0.25 * x.mean(axes), rtol=0, atol=1e-12)
    np.testing.assert_allclose(to_np(var), 0.75 + 0.25 * x.var(axes, ddof=1), rtol=0, atol=1e-12)
    y = F.batch_norm(t, mean, var, weight, bias)
    want = (x - to_np(mean).reshape(over)) / np.sqrt(to_np(var).reshape(over) + 1e-5) * scale + shift
    np.testing.assert_allclose(to_np(y), want, rtol=0, atol=1e-12)
    groups = x.reshape(shape[0], 2, -1)
    y = F.group_norm(t, 2, weight, bias)
    want = normalized(groups, (2,), 1e-5).reshape(shape) * scale + shift
    np.testing.assert_allclose(to_np(y), want, rtol=0, atol=1e-12)
    if x.ndim > 2:
        y = F.instance_norm(t, None, None, weight, bias)
        want = normalized(x, tuple(range(2, x.ndim)), 1e-5) * scale + shift
        np.testing.assert_allclose(to_np(y), want, rtol=0, atol=1e-12)


TRACKED = ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]


@pytest.mark.parametrize(
    ("layer", "keys"),
    [
        (nn.LayerNorm((2, 3)), ["weight", "bias"]),
        (nn.LayerNorm(3, bias=False), ["weight"]),
        (nn.LayerNorm(3, elementwise_affine=False), []),
        (nn.RMSNorm(3), ["weight"]),
        (nn.GroupNorm(2, 4), ["weight", "bias"]),
        (nn.GroupNorm(2, 4, affine=False), []),
        (nn.BatchNorm1d(3), TRACKED),
        (nn.BatchNorm2d(3, affine=False), TRACKED[2:]),
        (nn.BatchNorm3d(3, track_running_stats=False), TRACKED[:2]),
        (nn.InstanceNorm1d(3), []),
        (nn.InstanceNorm2d(3, affine=True), TRACKED[:2]),
        (nn.InstanceNorm3d(3, affine=True, track_running_stats=True), TRACKED),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, nn.Module) else "",
)
def test_state_has_pytorchs_keys(layer: nn.Module, keys: list[str]) -> None:
    state = layer.state_dict()
    assert list(state) == keys
    for name, value in state.items():
        start = 1.0 if name in ("weight", "running_var") else 0.0
        assert np.all(to_np(value) == start), name
        assert value.dtype == (rl.int64 if name == "num_batches_tracked" else rl.float32)
    layer.to(rl.float64)
    assert all(v.dtype in (rl.float64, rl.int64) for v in layer.state_dict().values())


def test_training_moves_and_evaluation_reads_the_running_statistics() -> None:
    x = rl.asarray(RNG.normal(2, 3, (16, 4)).astype(np.float32))
    layer = nn.BatchNorm1d(4)
    layer(x)
    layer(x)
    assert int(layer.state_dict()["num_batches_tracked"]) == 2
    np.testing.assert_allclose(to_np(layer.state_dict()["running_mean"]), 0.19 * to_np(x).mean(0), rtol=1e-5)
    np.testing.assert_allclose(
        to_np(layer.state_dict()["running_var"]), 0.81 + 0.19 * to_np(x).var(0, ddof=1), rtol=1e-5
    )
    layer.eval()
    kept = layer.state_dict()
    before = {name: to_np(value) for name, value in kept.items()}
    y = layer(x)
    want = (to_np(x) - before["running_mean"]) / np.sqrt(before["running_var"] + 1e-5)
    np.testing.assert_allclose(to_np(y), want, rtol=0, atol=1e-5)
    assert all(np.array_equal(to_np(value), before[name]) for name, value in layer.state_dict().items())
    layer.reset_running_stats()
    assert int(layer.state_dict()["num_batches_tracked"]) == 0
    assert layer.state_dict()["running_var"].tolist() == [1.0] * 4


def test_without_momentum_statistics_are_averages() -> None:
    layer = nn.BatchNorm1d(2, momentum=None)
    batches = [RNG.normal(size=(5, 2)).astype(np.float32) for _ in range(3)]
    for batch in batches:
        layer(rl.asarray(batch))
    want = np.mean([b.mean(0) for b in batches], 0)
    np.testing.assert_allclose(to_np(layer.state_dict()["running_mean"]), want, rtol=0, atol=1e-6)


def test_batch_norm_of_another_number_of_channels_changes_nothing() -> None:
    for layer in (nn.BatchNorm1d(3), nn.BatchNorm1d(3, affine=False)):
        with pytest.raises(ValueError, match=r"BatchNorm1d: num_features is 3, got shape \(2, 4\)"):
            layer(rl.ones(2, 4))
        assert int(layer.num_batches_tracked) == 0
    assert nn.BatchNorm1d(3, affine=False, track_running_stats=False)(rl.ones(2, 4)).shape == (2, 4)


def test_without_running_statistics_evaluation_uses_the_batch() -> None:
    x = rl.asarray(RNG.normal(2, 3, (8, 3)).astype(np.float32))
    layer = nn.BatchNorm1d(3, track_running_stats=False)
    assert np.array_equal(to_np(layer.eval()(x)), to_np(layer.train()(x)))
    one = rl.asarray(RNG.normal(size=(3, 5)).astype(np.float32))
    norm = nn.InstanceNorm1d(3)
    assert np.array_equal(to_np(norm(one)), to_np(norm(one[None])[0]))


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_halves_are_computed_in_float32(kind: Any) -> None:
    x = rl.asarray(RNG.normal(100, 1, (4, 300)).astype(np.float32)).to(rl.float32).to(getattr(rl, kind))
    y = F.layer_norm(x, 300)
    assert y.dtype == x.dtype
    error = np.abs(to_np(y) - normalized(to_np(x), (1,), 1e-5)).max()
    assert error <= {"float16": 2e-3, "bfloat16": 2e-2}[kind], error


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: F.layer_norm(rl.ones((2, 3)), 2), ValueError, "not normalized_shape"),
        (lambda: F.layer_norm(rl.ones((2, 3)), 3, rl.ones(2)), ValueError, "have shape"),
        (
            lambda: F.layer_norm(rl.ones((2, 3)), 3, rl.ones(3, dtype="float64")),
            TypeError,
            "the weight float64",
        ),
        (lambda: F.layer_norm(rl.ones((2, 3), dtype="int64"), 3), TypeError, "layer_norm"),
        (lambda: F.group_norm(rl.ones((2, 3)), 2), ValueError, "do not divide"),
        (lambda: F.group_norm(rl.ones((1, 2)), 2), ValueError, "more than 1 value"),
        (lambda: F.batch_norm(rl.ones((1, 3)), None, None, training=True), ValueError, "more than 1 value"),
        (lambda: F.batch_norm(rl.ones((2, 3)), None, None), ValueError, "outside of training"),
        (lambda: F.instance_norm(rl.ones((2, 3, 1))), ValueError, "more than 1 value"),
        (lambda: nn.BatchNorm2d(3)(rl.ones((2, 3))), ValueError, "must have rank 4"),
        (lambda: nn.GroupNorm(2, 3), ValueError, "do not divide"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


Fused = tuple[Callable[..., rl.Tensor], Callable[..., rl.Tensor]]
FUSED: dict[str, Fused] = {
    "layernorm_relu": (
        lambda x, y, w, b: F.layernorm_relu(x, w.shape, w, b),
        lambda x, y, w, b: F.relu(F.layer_norm(x, w.shape, w, b)),
    ),
    "layernorm_gelu": (
        lambda x, y, w, b: F.layernorm_gelu(x, w.shape, w, b),
        lambda x, y, w, b: F.gelu(F.layer_norm(x, w.shape, w, b)),
    ),
    "residual_layernorm": (
        lambda x, y, w, b: F.residual_layernorm(x, y, w.shape, w, b),
        lambda x, y, w, b: F.layer_norm(x + y, w.shape, w, b),
    ),
    "embedding_rms_norm": (
        lambda x, y, w, b: F.embedding_rms_norm(rl.tensor([[2, 0], [1, 2]]), x, w, 0.1),
        lambda x, y, w, b: F.rms_norm(F.embedding(rl.tensor([[2, 0], [1, 2]]), x), w.shape, w, 0.1),
    ),
}


def fused_leaves(shape: tuple[int, ...], dtype: str) -> list[rl.Tensor]:
    """Return an input, another that is broadcast to it and transposed, a weight and a bias."""
    size = shape[-1]
    arrays = [RNG.normal(size=s) for s in (shape, (size, 1), size, size)]
    x, y, w, b = (rl.asarray(a).astype(dtype) for a in arrays)
    return [t.requires_grad_() for t in (x, y.T, w, b)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 5), (3, 1500), (3, 9001)])
@pytest.mark.parametrize("name", FUSED)
def test_fused_is_the_composition(name: str, shape: tuple[int, ...], dtype: str) -> None:
    """Values and gradients have the bits of the composition; only GELU's argument is not rounded."""
    leaves, found = fused_leaves(shape, dtype), []
    for call in FUSED[name]:
        y = call(*leaves)
        grads = rl.autograd.grad(y, leaves, rl.ones_like(y), allow_unused=True)
        found.append([to_np(t.astype("float64")) for t in (y, *grads) if t is not None])
    apart = 2 * rl.finfo(dtype).eps if name == "layernorm_gelu" else 0.0
    for k, (ours, theirs) in enumerate(zip(*found, strict=True)):
        # The gradient of gelu alone is a composition, which rounds after each op; the fused one is one op.
        loose = apart if k == 0 else 30 * apart
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=loose * np.abs(theirs).max())


@pytest.mark.parametrize("name", FUSED)
def test_fused_has_second_derivatives(name: str) -> None:
    leaves = fused_leaves((3, 4), "float64")
    used = {"residual_layernorm": (0, 1, 2, 3), "embedding_rms_norm": (0, 2)}.get(name, (0, 2, 3))

    def call(*given: rl.Tensor) -> rl.Tensor:
        every = list(leaves)
        for i, t in zip(used, given, strict=True):
            every[i] = t
        return FUSED[name][0](*every)

    assert rl.autograd.gradgradcheck(call, [leaves[i] for i in used])


def test_fused_errors_name_the_function() -> None:
    x = rl.ones((2, 3))
    with pytest.raises(ValueError, match="layernorm_relu: the last axes"):
        F.layernorm_relu(x, 4)
    with pytest.raises(TypeError, match="residual_layernorm: the input is float32"):
        F.residual_layernorm(x, x.astype("float64"), 3)
    with pytest.raises(ValueError, match="broadcast"):
        F.residual_layernorm(x, rl.ones(4), 3)
    with pytest.raises(ValueError, match="embedding_rms_norm: the table has shape"):
        F.embedding_rms_norm(rl.tensor([0]), rl.ones(3))
    with pytest.raises(IndexError, match="embedding_rms_norm invalid index 2"):
        F.embedding_rms_norm(rl.tensor([0, 2]), x)
    with pytest.raises(TypeError, match="embedding_rms_norm"):
        F.embedding_rms_norm(rl.tensor([0.0]), x)
