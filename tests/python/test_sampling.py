"""Padding, sampling, deformable and locally connected convolutions, products of groups: NumPy's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import Array, to_np
from rushlight import functional as F

RNG = np.random.default_rng(11)
NUMPY_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@pytest.mark.parametrize("mode", NUMPY_MODES)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float64", "complex64"])
def test_pad_like_numpy(mode: str, dtype: str) -> None:
    x = RNG.integers(0, 100, (4, 3, 5)).astype(dtype)
    sides = [(1, 2), (0, 2), (3, 1)]
    flat = [n for pair in reversed(sides) for n in pair]
    got = F.pad(rl.asarray(x), flat, mode)
    np.testing.assert_array_equal(to_np(got), np.pad(x, sides, mode=NUMPY_MODES[mode]))  # type: ignore[call-overload]


def test_pad_any_rank_in_one_launch_of_views() -> None:
    x = RNG.normal(size=(2, 3, 2, 1, 2, 3))
    sides = [(1, 0), (0, 1), (2, 2), (1, 1), (0, 0), (3, 2)]
    flat = [n for pair in reversed(sides) for n in pair]
    order = (5, 0, 3, 1, 4, 2)
    turned = rl.permute_dims(rl.asarray(x.transpose(order).copy()), tuple(np.argsort(order).tolist()))
    np.testing.assert_array_equal(
        to_np(F.pad(turned, flat, value=7.0)), np.pad(x, sides, constant_values=7.0)
    )
    assert F.pad(rl.asarray(3.0), []).tolist() == 3.0


@pytest.mark.parametrize(
    ("pad", "mode", "words"),
    [
        ([3, 0], "reflect", "adds fewer than 3"),
        ([0, 4], "circular", "adds at most the 3"),
        ([-2, -2], "constant", "removes more"),
        ([1, 1], "mirror", "none of"),
        ([1, 1, 1, 1], "constant", "pair of numbers"),
        ([1], "constant", "pair of numbers"),
    ],
)
def test_pad_refuses(pad: list[int], mode: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        F.pad(rl.ones(3), pad, mode)


def test_pad_of_values_beyond_a_dtype_is_an_error() -> None:
    with pytest.raises(OverflowError):
        F.pad(rl.ones(3, dtype=rl.uint8), [1, 1], value=-1.0)


def test_positions_that_are_not_finite_are_outside() -> None:
    grid = rl.tensor([[[[np.nan, 0.0], [np.inf, 0.0], [0.0, -np.inf], [1e30, 0.0], [0.0, 0.0]]]])
    x = rl.ones((1, 1, 3, 3), requires_grad=True)
    for mode in ("bilinear", "nearest", "bicubic"):
        y = F.grid_sample(x, grid, mode, align_corners=True)
        assert y.tolist() == [[[[0.0, 0.0, 0.0, 0.0, 1.0]]]], mode
        y.sum().backward()
    assert x.grad is not None
    assert x.grad.sum().item() == 3.0


def test_a_grid_of_the_centres_returns_the_image() -> None:
    x = rl.asarray(RNG.normal(size=(2, 3, 4, 5, 6)))
    theta = rl.asarray(np.tile(np.eye(3, 4), (2, 1, 1)))
    for corners in (False, True):
        grid = F.affine_grid(theta, x.shape, align_corners=corners)
        y = F.grid_sample(x, grid, align_corners=corners)
        np.testing.assert_allclose(to_np(y), to_np(x), rtol=0, atol=1e-12)


def naive_deform(x: Array, offset: Array, w: Array, mask: Array) -> Array:
    """Return the deformable convolution of stride 2, padding 1 and dilation (1, 2), product by product."""
    n, c, h, wide = x.shape
    out, per, kh, kw = w.shape
    fields = offset.shape[1] // (2 * kh * kw)
    result = np.zeros((n, out, *offset.shape[2:]))

    def at(image: Array, row: float, column: float) -> float:
        top, left, total = int(np.floor(row)), int(np.floor(column)), 0.0
        for i in (top, top + 1):
            for j in (left, left + 1):
                if 0 <= i < h and 0 <= j < wide:
                    total += image[i, j] * (1 - abs(row - i)) * (1 - abs(column - j))
        return total

    for b, o, p, q in np.ndindex(*result.shape):
        for k, i, j in np.ndindex(per, kh, kw):
            channel = o // (out // (c // per)) * per + k
            field = channel // (c // fields)
            tap = (field * kh + i) * kw + j
            row = p * 2 - 1 + i + offset[b, 2 * tap, p, q]
            column = q * 2 - 1 + j * 2 + offset[b, 2 * tap + 1, p, q]
            result[b, o, p, q] += at(x[b, channel], row, column) * mask[b, tap, p, q] * w[o, k, i, j]
    return result


def test_deformable_convolution_like_its_definition() -> None:
    x, w = RNG.normal(size=(2, 4, 6, 5)), RNG.normal(size=(6, 2, 3, 2))
    offset, mask = RNG.normal(size=(2, 24, 3, 3)) * 1.5, RNG.uniform(size=(2, 12, 3, 3))
    tensors = [rl.asarray(v) for v in (x, offset, w)]
    got = F.deform_conv2d(*tensors, stride=2, padding=1, dilation=(1, 2), mask=rl.asarray(mask))
    np.testing.assert_allclose(to_np(got), naive_deform(x, offset, w, mask), rtol=0, atol=1e-12)


def test_locally_connected_like_its_definition() -> None:
    x, w, b = RNG.normal(size=(2, 3, 5, 6)), RNG.normal(size=(2, 3, 4, 3, 2, 2)), RNG.normal(size=(4, 2, 3))
    leaf = rl.asarray(w).requires_grad_()
    got = F.locally_connected2d(rl.asarray(x), leaf, rl.asarray(b), stride=2)
    want = np.empty((2, 4, 2, 3))
    for i, j in np.ndindex(2, 3):
        window = x[:, :, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        want[:, :, i, j] = np.einsum("nckl,ockl->no", window, w[i, j]) + b[:, i, j]
    np.testing.assert_allclose(to_np(got), want, rtol=0, atol=1e-12)
    got.sum().backward()
    assert leaf.grad is not None
    np.testing.assert_allclose(to_np(leaf.grad)[1, 2, 0], x[:, :, 2:4, 4:6].sum(0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ends", [[2, 2, 7], [0, 3, 9], [9, 9, 9], [1, 2, 3]])
def test_products_of_groups_like_numpy(ends: list[int]) -> None:
    starts = [0, *ends[:-1]]
    offs = rl.tensor(ends, dtype=rl.int32)
    a, b = RNG.normal(size=(9, 4)), RNG.normal(size=(3, 4, 5))
    want = np.zeros((9, 5))
    for g, (i, j) in enumerate(zip(starts, ends, strict=True)):
        want[i:j] = a[i:j] @ b[g]
    leaves: list[Any] = [rl.asarray(v).requires_grad_() for v in (a, b)]
    out = F.grouped_mm(*leaves, offs=offs)
    np.testing.assert_allclose(to_np(out), want, rtol=0, atol=1e-13)
    out.backward(rl.asarray(want))
    for g, (i, j) in enumerate(zip(starts, ends, strict=True)):
        np.testing.assert_allclose(to_np(leaves[0].grad)[i:j], want[i:j] @ b[g].T, rtol=0, atol=1e-12)
        np.testing.assert_allclose(to_np(leaves[1].grad)[g], a[i:j].T @ want[i:j], rtol=0, atol=1e-12)
    turned = F.grouped_mm(rl.asarray(b.transpose(0, 2, 1).copy()), rl.asarray(a.T.copy()), offs=offs)
    np.testing.assert_allclose(to_np(turned), want.T, rtol=0, atol=1e-13)
    inner = F.grouped_mm(rl.asarray(a.T.copy()), rl.asarray(want), offs=offs)
    for g, (i, j) in enumerate(zip(starts, ends, strict=True)):
        np.testing.assert_allclose(to_np(inner)[g], a[i:j].T @ want[i:j], rtol=0, atol=1e-12)
