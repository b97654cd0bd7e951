"""Attention and its layers: NumPy's numbers, memory use, PyTorch's state and initial values."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import Array, to_np
from rushlight import functional as F
from rushlight import nn

RNG = np.random.default_rng(11)


def attended(q: Array, k: Array, v: Array, keep: Array, scale: float, bias: Array | float = 0.0) -> Array:
    """Return the result of NumPy in float64; queries without keys give 0."""
    s = q.astype(np.float64) @ np.swapaxes(k, -1, -2).astype(np.float64) * scale + bias
    s = np.where(keep, s, -np.inf)
    peak = s.max(-1, keepdims=True, initial=-np.inf)
    e = np.exp(s - np.where(np.isinf(peak), 0.0, peak))
    total = e.sum(-1, keepdims=True)
    out: Array = e / np.where(total == 0, 1.0, total) @ v.astype(np.float64)
    return out


@pytest.mark.parametrize("lengths", [(1, 1), (3, 300), (65, 64), (129, 257), (300, 3)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("sizes", [(1, 5), (64, 65), (256, 256)])
def test_values_like_numpy(lengths: tuple[int, int], causal: bool, sizes: tuple[int, int]) -> None:
    (n, m), (d, e) = lengths, sizes
    q, k, v = (RNG.normal(size=(2, 2, *s)) for s in ((n, d), (m, d), (m, e)))
    keep = np.tri(n, m, dtype=bool) if causal else np.ones((n, m), bool)
    y = F.scaled_dot_product_attention(*map(rl.asarray, (q, k, v)), is_causal=causal)
    np.testing.assert_allclose(to_np(y), attended(q, k, v, keep, d**-0.5), rtol=0, atol=1e-12)


def test_gradients_of_many_tiles_like_differences() -> None:
    shapes = ((1, 4, 130, 3), (1, 2, 300, 3), (1, 2, 300, 2))
    arrays = [RNG.normal(size=s) for s in shapes]
    bias = RNG.normal(size=(4, 130, 300))
    keep = RNG.random((130, 300)) < 0.5
    keep[7] = False
    bias = np.where(keep, bias, -np.inf)
    weights = RNG.normal(size=(1, 4, 130, 2))
    leaves = [rl.asarray(a).requires_grad_() for a in [*arrays, bias]]
    y = F.scaled_dot_product_attention(*leaves[:3], attn_mask=leaves[3], enable_gqa=True)
    (y * rl.asarray(weights)).sum().backward()

    def loss(q: Array, k: Array, v: Array, b: Array) -> float:
        out = attended(q, k.repeat(2, 1), v.repeat(2, 1), np.array(True), 3**-0.5, b)
        return float((out * weights).sum())

    given = [*arrays, bias]
    for i, leaf in enumerate(leaves):
        assert leaf.grad is not None
        direction = RNG.normal(size=given[i].shape)
        ends = [
            loss(*(a + h * direction if j == i else a for j, a in enumerate(given))) for h in (1e-5, -1e-5)
        ]
        want = (ends[0] - ends[1]) / 2e-5
        found = float((to_np(leaf.grad) * direction).sum())
        assert abs(found - want) <= 1e-6 * max(1.0, abs(want)), (i, found, want)


def test_excluded_keys_may_hold_anything() -> None:
    k, v = RNG.normal(size=(2, 70, 3)), RNG.normal(size=(2, 70, 3))
    q = rl.asarray(RNG.normal(size=(2, 5, 3)))
    keep = np.arange(70) < 66
    want = F.scaled_dot_product_attention(q, rl.asarray(k[:, :66]), rl.asarray(v[:, :66]))
    k[:, 66:], v[:, 66:] = np.nan, np.inf
    leaves = [rl.asarray(a).requires_grad_() for a in (k, v)]
    y = F.scaled_dot_product_attention(q, *leaves, attn_mask=rl.asarray(keep))
    np.testing.assert_allclose(to_np(y), to_np(want), rtol=0, atol=1e-14)
    y.sum().backward()
    for leaf in leaves:
        assert leaf.grad is not None
        assert np.all(np.isfinite(to_np(leaf.grad)))
        assert not np.any(to_np(leaf.grad)[:, 66:])


LONG = """
import resource
import rushlight as rl
from rushlight.nn import functional as F

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

n = 8192
leaves = [rl.randn((1, n, 4)).requires_grad_() for _ in range(3)]
few = [x[:, :64].detach().requires_grad_() for x in leaves]
F.scaled_dot_product_attention(*few, is_causal=True).sum().backward()
before = peak()
F.scaled_dot_product_attention(*leaves, is_causal=True).sum().backward()
print((peak() - before) / (4 * n * n), rl.memory_stats()["peak"] / (4 * n * n))
"""


def test_memory_of_8192_queries_is_far_below_the_weights() -> None:
    run = subprocess.run([sys.executable, "-c", LONG], check=True, capture_output=True, text=True)
    process, tensors = map(float, run.stdout.split())
    assert process < 0.1, run.stdout
    assert tensors < 0.02, run.stdout


def test_dropout_zeroes_weights_and_keeps_the_mean() -> None:
    rl.manual_seed(3)
    q = rl.asarray(RNG.normal(size=(1, 2, 4, 3)))
    v = rl.broadcast_to(rl.eye(500, dtype=rl.float64), (1, 2, 500, 500))
    k = rl.zeros((1, 2, 500, 3), dtype=rl.float64)
    y = to_np(F.scaled_dot_product_attention(q, k, v, dropout_p=0.25))
    kept = np.isclose(y, 1 / 500 / 0.75)
    assert np.all(kept | (y == 0))
    assert abs(kept.mean() - 0.75) < 0.03
    with pytest.raises(ValueError, match="between 0 and 1"):
        F.scaled_dot_product_attention(q, q, q, dropout_p=1.5)


def test_wrong_arguments_are_errors() -> None:
    x = rl.ones((2, 3, 4))
    mask = rl.ones((3, 3), dtype=rl.bool)
    with pytest.raises(ValueError, match="exclude each other"):
        F.scaled_dot_product_attention(x, x, x, mask, is_causal=True)
    with pytest.raises(ValueError, match="enable_gqa"):
        F.scaled_dot_product_attention(rl.ones((4, 3, 4)), x, x)
    with pytest.raises(TypeError, match="float64"):
        F.scaled_dot_product_attention(x, x, x.to(rl.float64))
    with pytest.raises(ValueError, match="at least 2 axes"):
        F.scaled_dot_product_attention(rl.ones(3), x, x)
    with pytest.raises(ValueError, match="one size"):
        F.scaled_dot_product_attention(x, rl.ones((2, 3, 5)), x)
    with pytest.raises(ValueError, match="divisible"):
        nn.MultiheadAttention(6, 4)
    layer = nn.MultiheadAttention(4, 2)
    with pytest.raises(ValueError, match="pass attn_mask"):
        layer(x, x, x, is_causal=True)
    with pytest.raises(ValueError, match="as many values as keys"):
        layer(x, x, x[:1])
    with pytest.raises(ValueError, match="'relu', 'gelu'"):
        nn.TransformerEncoderLayer(4, 2, activation="elu")
    with pytest.raises(ValueError, match="batches"):
        nn.Transformer(4, 2, 1, 1, 4)(rl.ones((3, 2, 4)), rl.ones((3, 1, 4)))


def test_leading_axes_broadcast() -> None:
    q, k = rl.asarray(RNG.normal(size=(2, 1, 3, 4))), rl.asarray(RNG.normal(size=(5, 6, 4)))
    y = F.scaled_dot_product_attention(q, k, k)
    want = F.scaled_dot_product_attention(*(rl.broadcast_to(x, (2, 5, *x.shape[-2:])) for x in (q, k, k)))
    assert y.shape == (2, 5, 3, 4)
    assert np.array_equal(to_np(y), to_np(want))


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize(
    ("shape", "angles"),
    [((5, 8), (5, 4)), ((2, 3, 5, 8), (5, 4)), ((2, 3, 5, 8), (2, 5, 4)), ((0, 8), (0, 4)), ((3, 0), (3, 0))],
)
def test_rotation_is_a_product_of_complex_numbers(
    shape: tuple[int, ...], angles: tuple[int, ...], interleaved: bool
) -> None:
    x, g, cos, sin = (RNG.normal(size=s) for s in (shape, shape, angles, angles))
    half = shape[-1] // 2

    def pairs(a: Array) -> Array:
        out: Array = a[..., ::2] + 1j * a[..., 1::2] if interleaved else a[..., :half] + 1j * a[..., half:]
        return out

    turn = cos + 1j * sin
    turn = turn[:, None] if len(angles) == 3 else turn
    leaves = [rl.asarray(a).requires_grad_() for a in (x, cos, sin)]
    y = F.rotary_embedding(*leaves, interleaved)
    np.testing.assert_allclose(pairs(to_np(y)), pairs(x) * turn, rtol=0, atol=1e-14)
    y.backward(rl.asarray(g))
    found = [to_np(leaf.grad) for leaf in leaves if leaf.grad is not None]
    np.testing.assert_allclose(pairs(found[0]), pairs(g) * turn.conj(), rtol=0, atol=1e-14)
    # The derivative of Re(conj(g) x (cos + i sin)), summed over what shares the angles.
    product = pairs(g).conj() * pairs(x)
    if len(angles) == 3:
        product = product.sum(1)
    elif len(shape) == 4:
        product = product.sum((0, 1))
    np.testing.assert_allclose(found[1], product.real, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found[2], -product.imag, rtol=0, atol=1e-13)


def test_wrong_rotations_are_errors() -> None:
    with pytest.raises(ValueError, match="even"):
        F.rotary_embedding(rl.ones((3, 5)), rl.ones((3, 2)), rl.ones((3, 2)))
    with pytest.raises(ValueError, match="broadcast"):
        F.rotary_embedding(rl.ones((3, 4)), rl.ones((2, 2)), rl.ones((2, 2)))


PACKED = ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]
SEPARATE = ["q_proj_weight", "k_proj_weight", "v_proj_weight", "bias_k", "bias_v", "out_proj.weight"]


def test_state_has_pytorchs_keys() -> None:
    assert list(nn.MultiheadAttention(4, 2).state_dict()) == PACKED
    layer = nn.MultiheadAttention(4, 2, bias=False, add_bias_kv=True, kdim=3)
    assert list(layer.state_dict()) == SEPARATE
    encoder = nn.TransformerEncoderLayer(4, 2, 8)
    keys = [f"self_attn.{key}" for key in PACKED]
    keys += [
        f"{part}.{key}" for part in ("linear1", "linear2", "norm1", "norm2") for key in ("weight", "bias")
    ]
    assert list(encoder.state_dict()) == keys
    stack = nn.TransformerEncoder(encoder, 2, nn.LayerNorm(4))
    both = [f"layers.{i}.{key}" for i in range(2) for key in keys]
    assert list(stack.state_dict()) == [*both, "norm.weight", "norm.bias"]
    for key in keys:
        first, second = (stack.state_dict()[f"layers.{i}.{key}"] for i in range(2))
        assert np.array_equal(to_np(first), to_np(second)), "copies begin with the values of the layer"


def test_first_values_are_pytorchs() -> None:
    rl.manual_seed(1)
    layer = nn.MultiheadAttention(64, 4, add_bias_kv=True)
    bound = (6 / (64 + 3 * 64)) ** 0.5
    w = to_np(layer.state_dict()["in_proj_weight"])
    assert np.abs(w).max() <= bound
    assert abs(w.std() - bound / 3**0.5) < 0.01 * bound
    assert not np.any(to_np(layer.state_dict()["in_proj_bias"]))
    assert not np.any(to_np(layer.out_proj.bias))
    w = to_np(layer.out_proj.weight)
    assert np.abs(w).max() <= 1 / 8
    assert abs(w.std() - 1 / 8 / 3**0.5) < 0.005
    model = nn.Transformer(64, 4, 1, 1, 32)
    w = to_np(model.state_dict()["encoder.layers.0.linear1.weight"])
    bound = (6 / 96) ** 0.5
    assert np.abs(w).max() <= bound
    assert abs(w.std() - bound / 3**0.5) < 0.02 * bound


@pytest.mark.parametrize("first", [False, True])
def test_stacks_are_their_layers(first: bool) -> None:
    settings: dict[str, Any] = {
        "d_model": 4,
        "nhead": 2,
        "dim_feedforward": 6,
        "dropout": 0.0,
        "batch_first": first,
    }
    x, memory = rl.randn((3, 3, 4)), rl.randn((3, 5, 4) if first else (5, 3, 4))
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    padding = rl.tensor([[False] * 2 + [True]] * 3)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**settings), 2, nn.LayerNorm(4))
    want = x
    for layer in encoder.layers:
        want = layer(want, mask, padding)
    assert np.array_equal(to_np(encoder(x, mask, padding)), to_np(nn.LayerNorm(4)(want)))
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**settings), 2)
    want = x
    for layer in decoder.layers:
        want = layer(want, memory, mask)
    assert np.array_equal(to_np(decoder(x, memory, mask)), to_np(want))
    hinted = decoder(x, memory, mask, tgt_is_causal=True)
    np.testing.assert_allclose(to_np(hinted), to_np(want), rtol=0, atol=1e-5)


def test_weights_are_those_that_the_result_is_made_of() -> None:
    layer = nn.MultiheadAttention(6, 2, dtype=rl.float64)
    x = rl.asarray(RNG.normal(size=(4, 3, 6)))
    with_weights, weights = layer(x, x, x, average_attn_weights=False)
    without, none = layer(x, x, x, need_weights=False)
    assert none is None
    assert weights is not None
    assert weights.shape == (3, 2, 4, 4)
    np.testing.assert_allclose(to_np(weights).sum(-1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(to_np(with_weights), to_np(without), rtol=0, atol=1e-13)


def test_masks_of_the_wrong_shape_are_named() -> None:
    """A transposed padding mask has as many elements as the right one."""
    x = rl.randn(5, 3, 4)
    layer = nn.MultiheadAttention(4, 2)
    turned = rl.zeros((5, 3), dtype=rl.bool)
    for weights in (True, False):
        with pytest.raises(ValueError, match=r"key_padding_mask .*\(N, S\) = \(3, 5\), got \(5, 3\)"):
            layer(x, x, x, key_padding_mask=turned, need_weights=weights)
        for shape in ((5, 4), (1, 5), (3, 5, 5), (5,)):
            with pytest.raises(ValueError, match=r"attn_mask has shape \(L, S\) = \(5, 5\)"):
                layer(x, x, x, attn_mask=rl.zeros(shape), need_weights=weights)
    alone = x[:, 0]
    with pytest.raises(ValueError, match=r"key_padding_mask .*\(S,\) = \(5,\), got \(3,\)"):
        layer(alone, alone, alone, key_padding_mask=rl.zeros(3, dtype=rl.bool))
    encoder = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    with pytest.raises(ValueError, match=r"^TransformerEncoderLayer: src_key_padding_mask .*got \(3, 5\)"):
        encoder(x, src_key_padding_mask=turned.T)
    with pytest.raises(ValueError, match=r"^TransformerEncoderLayer: src_mask .*got \(5, 5\)"):
        encoder(x, src_mask=rl.zeros((5, 5)))
    decoder = nn.TransformerDecoderLayer(4, 2, 8)
    for name in ("memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"):
        with pytest.raises(ValueError, match=f"^TransformerDecoderLayer: {name} has shape"):
            decoder(x, x[:2], **{name: rl.zeros((2, 2))})


def test_scaled_dot_product_attention_refuses_a_mask_of_integers() -> None:
    x = rl.ones((2, 3, 4))
    with pytest.raises(TypeError, match=r"attn_mask is bool or floating point, got int64"):
        F.scaled_dot_product_attention(x, x, x, rl.ones((3, 3), dtype=rl.int64))
    with pytest.raises(ValueError, match=r"attn_mask of shape \(3, 2\) does not broadcast to \(2, 3, 3\)"):
        F.scaled_dot_product_attention(x, x, x, rl.ones((3, 2)))
