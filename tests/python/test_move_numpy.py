"""Ops that move, pick, order or make elements, in all dtypes and layouts, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import layouts
import rushlight as rl
from compare import ALL, FLOAT, INT, NUMERIC, Array, assert_exact, assert_ulps, dtype, to_np, to_rl

SHAPED = ("contiguous", "offset", "step", "transposed", "stretched")


def whole(name: str, layout: str = "contiguous", seed: int = 3) -> tuple[Array, rl.Tensor]:
    """Small whole numbers with duplicates, which every dtype holds."""
    rng = np.random.default_rng(seed)

    def make(g: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return g.integers(0, 2 if name == "bool" else 9, shape)

    value = layouts.draw(layout, make, rng).astype("float32" if name == "bfloat16" else name)
    return value, layouts.tensor(layout, value, name)


def same(got: rl.Tensor, want: Array, name: str, note: str = "") -> None:
    assert got.dtype == dtype(name), note
    assert_exact(got, want.astype("float32") if name in ("bfloat16", "float16") else want, note)


Move = tuple[str, Callable[[rl.Tensor], rl.Tensor], Callable[[Array], Array]]
MOVES: list[Move] = [
    ("reshape", lambda x: rl.reshape(x, (5, 12)), lambda x: x.reshape(5, 12)),
    ("reshape_hole", lambda x: rl.reshape(x, (2, -1)), lambda x: x.reshape(2, -1)),
    ("permute", lambda x: rl.permute_dims(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1)),
    ("mT", lambda x: x.mT, lambda x: x.swapaxes(-1, -2)),
    ("matrix_transpose", rl.matrix_transpose, lambda x: x.swapaxes(-1, -2)),
    ("moveaxis", lambda x: rl.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1)),
    ("expand_dims", lambda x: rl.expand_dims(x, axis=1), lambda x: np.expand_dims(x, 1)),
    ("squeeze", lambda x: rl.squeeze(x[:, :1], axis=1), lambda x: x[:, :1].squeeze(1)),
    (
        "broadcast_to",
        lambda x: rl.broadcast_to(x, (2, 3, 4, 5)),
        lambda x: np.broadcast_to(x, (2, 3, 4, 5)),
    ),
    ("flip", rl.flip, np.flip),
    ("flip_axes", lambda x: rl.flip(x, axis=(0, 2)), lambda x: np.flip(x, (0, 2))),
    ("roll", lambda x: rl.roll(x, 7), lambda x: np.roll(x, 7)),
    ("roll_axis", lambda x: rl.roll(x, -3, axis=2), lambda x: np.roll(x, -3, 2)),
    (
        "roll_axes",
        lambda x: rl.roll(x, (1, 2), axis=(0, 1)),
        lambda x: np.roll(x, (1, 2), (0, 1)),
    ),
    ("repeat", lambda x: rl.repeat(x, 2, axis=1), lambda x: np.repeat(x, 2, 1)),
    ("repeat_flat", lambda x: rl.repeat(x, 3), lambda x: np.repeat(x, 3)),
    ("tile", lambda x: rl.tile(x, (2, 1, 3)), lambda x: np.tile(x, (2, 1, 3))),
    ("concat", lambda x: rl.concat([x, x], axis=1), lambda x: np.concatenate([x, x], 1)),
    (
        "concat_flat",
        lambda x: rl.concat([x, x[:1]], axis=None),
        lambda x: np.concatenate([x, x[:1]], axis=None),
    ),
    ("stack", lambda x: rl.stack([x, x], axis=2), lambda x: np.stack([x, x], 2)),
    ("unstack", lambda x: rl.unstack(x, axis=1)[2], lambda x: x[:, 2]),
    ("slice", lambda x: x[1:, ::2, 1:4:2], lambda x: x[1:, ::2, 1:4:2]),
    ("slice_back", lambda x: x[::-1, :, 3:0:-2], lambda x: x[::-1, :, 3:0:-2]),
    ("slice_mixed", lambda x: x[-1, ..., None, 2], lambda x: x[-1, ..., None, 2]),
    (
        "take",
        lambda x: rl.take(x, rl.asarray([2, 0, 2, -1]), axis=1),
        lambda x: np.take(x, [2, 0, 2, -1], 1),
    ),
    (
        "integer_index",
        lambda x: x[:, rl.asarray([[3, 0], [1, 1]])],
        lambda x: x[:, np.array([[3, 0], [1, 1]])],
    ),
    (
        "take_along_axis",
        lambda x: rl.take_along_axis(x, rl.asarray([[[4, 0]]]), axis=-1),
        lambda x: np.take_along_axis(x, np.broadcast_to([[[4, 0]]], (3, 4, 2)), -1),
    ),
]


@pytest.mark.parametrize("layout", SHAPED)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("move", MOVES, ids=lambda m: m[0])
def test_moves(move: Move, name: str, layout: str) -> None:
    value, tensor = whole(name, layout)
    if move[0] == "take_along_axis":
        index = rl.broadcast_to(rl.asarray([[[4, 0]]]), (3, 4, 2))
        got = rl.take_along_axis(tensor, index, axis=-1)
    else:
        got = move[1](tensor)
    same(got, move[2](value), name, f"{move[0]} of {name}, {layout}")
    same(tensor, value, name, "the input changed")


@pytest.mark.parametrize("layout", SHAPED)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("k", [-2, 0, 1, 9])
def test_triangles(name: str, layout: str, k: int) -> None:
    value, tensor = whole(name, layout)
    same(rl.tril(tensor, k=k), np.tril(value, k), name)
    same(rl.triu(tensor, k=k), np.triu(value, k), name)


@pytest.mark.parametrize("layout", SHAPED)
@pytest.mark.parametrize("name", ALL)
def test_where_and_masks(name: str, layout: str) -> None:
    value, tensor = whole(name, layout)
    other, second = whole(name, layout, seed=5)
    mask = np.random.default_rng(1).random((4, 5)) < 0.5
    same(rl.where(rl.asarray(mask), tensor, second), np.where(mask, value, other), name)
    full = np.broadcast_to(mask, value.shape)
    same(tensor[rl.asarray(full.copy())], value[full], name)
    assert [i.tolist() for i in rl.nonzero(tensor)] == [i.tolist() for i in np.nonzero(value)]


@pytest.mark.parametrize("layout", SHAPED)
@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_and_argsort(name: str, layout: str, descending: bool) -> None:
    value, tensor = whole(name, layout)
    sign = -1 if descending else 1
    for axis in (0, 1, -1):
        # Small whole numbers: negation is exact and keeps a stable order stable.
        order = np.argsort(sign * value.astype(np.int64), axis=axis, kind="stable")
        got = rl.argsort(tensor, axis=axis, descending=descending)
        assert got.dtype == rl.int64
        assert_exact(got, order)
        want = np.take_along_axis(value, order, axis)
        same(rl.sort(tensor, axis=axis, descending=descending), want, name)


@pytest.mark.parametrize("layout", SHAPED)
@pytest.mark.parametrize("name", NUMERIC)
def test_cumulative(name: str, layout: str) -> None:
    value, tensor = whole(name, layout)
    wide = {"i": "int64", "u": "uint64"}.get(value.dtype.kind, name)
    for axis in (0, 1, 2):
        want = np.cumsum(value.astype(np.float64), axis)
        got = rl.cumulative_sum(tensor, axis=axis)
        assert got.dtype == dtype(wide)
        np.testing.assert_array_equal(to_np(got).astype(np.float64), want)
        started = rl.cumulative_sum(tensor, axis=axis, include_initial=True)
        zero = np.zeros_like(want.take([0], axis))
        np.testing.assert_array_equal(to_np(started), np.concatenate([zero, want], axis))


@pytest.mark.parametrize("index", ["uint8", "uint32", "int64", "int32", "int16"])
@pytest.mark.parametrize("name", ALL)
def test_gather_and_scatter(name: str, index: str) -> None:
    value, tensor = whole(name, "transposed")
    rng = np.random.default_rng(2)
    ids = rng.integers(0, 4, (3, 4, 5))
    at = to_rl(ids, index)
    same(rl.gather(tensor, 1, at), np.take_along_axis(value, ids, 1), name)
    rows = rng.integers(0, 4, 6)
    same(rl.index_select(tensor, 1, to_rl(rows, index)), np.take(value, rows, 1), name)
    source, second = whole(name, "offset", seed=9)
    want = value.copy()
    # Of several values for one element the last one in row-major order is kept.
    for place in np.ndindex(*ids.shape):
        want[place[0], ids[place], place[2]] = source[place]
    same(rl.scatter(tensor, 1, at, second), want, name)
    if name != "bool":
        added = value.astype(np.float64)
        for place in np.ndindex(*ids.shape):
            added[place[0], ids[place], place[2]] += source[place]
        np.testing.assert_array_equal(to_np(rl.scatter_add(tensor, 1, at, second)).astype(np.float64), added)
        piled = value.astype(np.float64)
        pick = rng.integers(0, 4, 4)
        np.add.at(piled, (slice(None), pick), source.astype(np.float64))
        got = rl.index_add(tensor, 1, to_rl(pick, index), second)
        np.testing.assert_array_equal(to_np(got).astype(np.float64), piled)


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 4), (4, 5)),
        ((4,), (4,)),
        ((3, 4), (4,)),
        ((4,), (4, 5)),
        ((2, 1, 3, 4), (3, 4, 2)),
        ((3, 0), (0, 2)),
        ((0, 3), (3, 2)),
        ((33, 65), (65, 17)),
    ],
)
def test_matmul(name: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    low = 0 if name.startswith("u") else -2
    x, y = rng.integers(low, 3, a), rng.integers(low, 3, b)
    # Whole numbers whose products fit: exact in every dtype.
    want = np.matmul(x, y)
    if name in ("int8", "uint8"):
        want = want.astype(name)
    same(rl.matmul(to_rl(x, name), to_rl(y, name)), np.asarray(want), name)
    if len(a) >= 2:
        turned = rl.permute_dims(to_rl(np.moveaxis(x, -1, 0), name), (*range(1, len(a)), 0))
        same(rl.matmul(turned, to_rl(y, name)), np.asarray(want), name, "transposed left")


@pytest.mark.parametrize("name", FLOAT)
def test_tensordot_and_vecdot(name: str) -> None:
    x, a = whole(name)
    y, b = whole(name, seed=8)
    want = np.tensordot(x.astype(np.float64), y.astype(np.float64), axes=([1, 2], [1, 2]))
    assert_ulps(rl.tensordot(a, b, axes=((1, 2), (1, 2))), want, name, 0)
    want = (x.astype(np.float64) * y.astype(np.float64)).sum(1)
    assert_ulps(rl.vecdot(a, b, axis=-2), want, name, 0)


@pytest.mark.parametrize("name", NUMERIC)
def test_creation(name: str) -> None:
    d = dtype(name)
    same(rl.zeros((2, 3), dtype=d), np.zeros((2, 3)).astype(host(name)), name)
    same(rl.ones((2, 3), dtype=d), np.ones((2, 3)).astype(host(name)), name)
    same(rl.full((2, 0), 7, dtype=d), np.full((2, 0), 7).astype(host(name)), name)
    same(rl.eye(3, 4, k=1, dtype=d), np.eye(3, 4, 1).astype(host(name)), name)
    same(rl.arange(2, 11, 3, dtype=d), np.arange(2, 11, 3).astype(host(name)), name)
    like = rl.zeros((3, 1), dtype=d)
    same(rl.ones_like(like), np.ones((3, 1)).astype(host(name)), name)
    same(rl.full_like(like, 5), np.full((3, 1), 5).astype(host(name)), name)
    assert rl.empty((2, 2), dtype=d).shape == (2, 2)


def host(name: str) -> str:
    return "float32" if name in ("bfloat16", "float16") else name


def test_creation_defaults() -> None:
    assert rl.zeros(3).dtype == rl.float32
    assert rl.arange(3).dtype == rl.int64
    assert rl.arange(3.0).dtype == rl.float32
    assert rl.asarray([1, 2]).dtype == rl.int64
    assert rl.asarray([1.0]).dtype == rl.float32
    assert rl.asarray([True]).dtype == rl.bool
    want = np.linspace(1, 2, 7)
    np.testing.assert_allclose(to_np(rl.linspace(1, 2, 7)), want, rtol=1e-6)
    want = np.linspace(1, 2, 7, endpoint=False)
    np.testing.assert_allclose(to_np(rl.linspace(1, 2, 7, endpoint=False)), want, rtol=1e-6)
    for got, expected in zip(
        rl.meshgrid(rl.arange(3), rl.arange(2)),
        np.meshgrid(np.arange(3), np.arange(2)),
        strict=True,
    ):
        assert_exact(got, expected)


@pytest.mark.parametrize("name", INT)
def test_sets_and_searches(name: str) -> None:
    rng = np.random.default_rng(6)
    value = rng.integers(0, 9, 40).astype(name)
    tensor = to_rl(value, name)
    same(rl.unique_values(tensor), np.unique(value), name)
    found = rl.unique_all(tensor)
    want = np.unique_all(value)
    for got, expected in zip(found, want, strict=True):
        assert_exact(rl.astype(got, rl.int64), expected.astype(np.int64))
    counts = rl.unique_counts(tensor)
    assert_exact(counts[1], np.unique_counts(value)[1])
    inverse = rl.unique_inverse(tensor)
    assert_exact(inverse[1], np.unique_inverse(value)[1])
    edges = np.array([0, 3, 3, 7], dtype=name)
    for side in ("left", "right"):
        got = rl.searchsorted(to_rl(edges, name), tensor, side=side)
        assert_exact(got, np.searchsorted(edges, value, side=side))
    assert_exact(rl.isin(tensor, to_rl(edges, name)), np.isin(value, edges))
    same(rl.diff(tensor), np.diff(value), name)


@pytest.mark.parametrize("name", ALL)
def test_assignment(name: str) -> None:
    places: list[tuple[Any, Any]] = [
        (1, 1),
        ((slice(None), slice(1, 4, 2)), (slice(None), slice(1, 4, 2))),
        ((Ellipsis, -1), (Ellipsis, -1)),
        ((0, [2, 0]), (0, [2, 0])),
    ]
    for at, want_at in places:
        value, _ = whole(name)
        tensor = to_rl(value, name)
        tensor[at] = 1
        value = value.copy()
        value[want_at] = 1
        same(tensor, value, name, f"assignment at {at}")
    value, _ = whole(name)
    tensor = to_rl(value, name)
    mask = np.random.default_rng(3).random(value.shape) < 0.4
    tensor[rl.asarray(mask)] = 0
    want = value.copy()
    want[mask] = 0
    same(tensor, want, name, "a mask")
    # Overlapping source and destination.
    tensor, want = to_rl(value, name), value.copy()
    tensor[1:] = tensor[:-1]
    want[1:] = value[:-1]
    same(tensor, want, name, "overlap")
