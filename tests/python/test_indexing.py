"""``x[key]`` and ``x[key] = value`` against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl

BASE = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
MASK = BASE % 7 < 3

KEYS: list[Any] = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    (slice(None), 1),
    (slice(None), slice(1, 3)),
    slice(None, None, 2),
    slice(None, None, -1),
    (slice(None), slice(3, None, -2)),
    (slice(None, None, -1), 0, slice(None, None, -3)),
    slice(2, 2),
    slice(5, 1),
    slice(-100, 100),
    None,
    (None, 1, ..., None),
    ...,
    (..., 0),
    (0, ..., slice(1, 4)),
    (),
    [0, 2],
    [2, 0, 2],
    [-1, 0],
    [],
    ([0, 2], [1, 3]),
    ([0, 2], slice(None), [1, 3]),
    (slice(None), [1, 3], [0, 4]),
    ([[0, 1], [2, 0]], slice(1, 3)),
    (slice(None), [[0, 1], [2, 0]]),
    (0, slice(None), [1, 3]),
    (slice(None), 0, [1, 3]),
    ([0, 1], [[1], [2]]),
    (slice(None, None, -1), [0, 3, 3]),
    (slice(0, 2), np.array([True, False, True, False])),
    MASK,
    np.array([True, False, True]),
    (np.array([True, False, True]), 1),
    (np.array([True, False, True]), [0, 1]),
    MASK[:, :, 0],
    np.zeros((3, 4, 5), dtype=bool),
    True,
    False,
    (None, [1, 2]),
    np.array([1, 2], dtype=np.uint8),
    np.array([1, -1], dtype=np.int16),
    np.int64(1),
]


def ours(key: Any) -> Any:
    """The same key with rushlight's tensors in place of arrays."""
    if isinstance(key, np.ndarray):
        return rl.asarray(key)
    return tuple(ours(k) for k in key) if isinstance(key, tuple) else key


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("layout", ["plain", "transposed", "sliced"])
def test_get(key: Any, layout: str) -> None:
    """Every kind of key gives NumPy's elements."""
    a = {
        "plain": BASE,
        "transposed": np.ascontiguousarray(BASE.T).T,
        "sliced": np.repeat(BASE, 2, axis=1)[:, ::2],
    }[layout]
    want = a[key]
    got = rl.asarray(a)[ours(key)]
    assert got.shape == want.shape
    np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("layout", ["plain", "transposed"])
def test_set(key: Any, layout: str) -> None:
    """Every kind of key writes NumPy's elements: numbers, whole values, and stretched ones."""
    for value in (7.0, "whole", "stretched"):
        a = BASE.copy() if layout == "plain" else np.ascontiguousarray(BASE.T).T
        t = rl.asarray(a, copy=True)
        assert not np.shares_memory(t.numpy(), a)
        v: Any = value
        chosen = a[key].shape
        if value == "whole":
            v = np.random.default_rng(0).random(chosen, dtype=np.float32)
        elif value == "stretched":
            v = np.random.default_rng(1).random(chosen[-1:], dtype=np.float32)
        if value != 7.0 and isinstance(key, list | tuple) and "[2, 0, 2]" in str(key):
            continue  # NumPy does not say which of two values for one element wins
        a[key] = v
        t[ours(key)] = rl.asarray(v) if isinstance(v, np.ndarray) else v
        np.testing.assert_array_equal(t.numpy(), a)


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (3, IndexError),
        (-4, IndexError),
        ((0, 4), IndexError),
        ((0, 0, 0, 0), IndexError),
        ([0, 3], IndexError),
        ([0, -4], IndexError),
        ((..., ...), IndexError),
        (1.5, IndexError),
        ("x", IndexError),
        ([0.5], IndexError),
        (np.array([True, False]), IndexError),
        (slice(None, None, 0), ValueError),
        (2**70, IndexError),
        (([0, 1], [0, 1, 2]), IndexError),
    ],
    ids=str,
)
def test_bad_keys(key: Any, error: type[Exception]) -> None:
    """A bad key is an error of the right class, for reading and for writing, and changes nothing."""
    t = rl.asarray(BASE, copy=True)
    with pytest.raises(error):
        t[ours(key)]
    with pytest.raises(error):
        t[ours(key)] = 1.0
    np.testing.assert_array_equal(t.numpy(), BASE)


def test_bad_values() -> None:
    """A value must fit the chosen elements and the dtype."""
    t = rl.zeros(3, 4)
    with pytest.raises(ValueError, match="does not fit"):
        t[0] = rl.zeros(3)
    i = rl.zeros(3, dtype=rl.int32)
    with pytest.raises(TypeError, match="float"):
        i[0] = 1.5
    with pytest.raises(OverflowError):
        i[0] = 2**40
    with pytest.raises(TypeError, match="int32"):
        i[:] = rl.ones(3)


def test_basic_indexing_is_a_view() -> None:
    """A change through a view shows in the tensor."""
    t = rl.zeros(3, 4)
    t[1][2] = 5.0
    t[:, ::2][0, 1] = 6.0
    assert t[1, 2].item() == 5.0
    assert t[0, 2].item() == 6.0


def test_overlapping_assignment() -> None:
    """``a[1:] = a[:-1]`` moves the old elements."""
    t = rl.arange(5)
    t[1:] = t[:-1]
    assert t.tolist() == [0, 0, 1, 2, 3]
    t = rl.arange(5)
    t[:] = t[::-1]
    assert t.tolist() == [4, 3, 2, 1, 0]


def test_gradients_flow_through_indexing() -> None:
    """The gradient of chosen elements goes back to their positions; repeated ones add up."""
    x = rl.arange(6, dtype=rl.float64).reshape(2, 3).requires_grad_()
    (x[1, ::-1] * rl.tensor([1.0, 2.0, 3.0], dtype=rl.float64)).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0, 0, 0], [3, 2, 1]]
    x.grad = None
    x[[0, 0, 1], [1, 1, 2]].sum().backward()
    assert x.grad.tolist() == [[0, 2, 0], [0, 0, 1]]
    x.grad = None
    x[x > 2.5].sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_gradients_flow_through_assignment() -> None:
    """An overwritten element has no gradient; a written one has."""
    x = rl.ones(4, requires_grad=True)
    v = rl.tensor([2.0, 3.0], requires_grad=True)
    y = x * 3
    y[1:3] = v
    (y * rl.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    assert x.grad.tolist() == [3, 0, 0, 12]
    assert v.grad.tolist() == [2, 3]
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 1.0
    with rl.no_grad():
        x[0] = 9.0
    assert x.tolist() == [9, 1, 1, 1]


def test_take_and_friends() -> None:
    """Negative indices count from the end everywhere; the largest value of a dtype is out of range."""
    x = rl.asarray(BASE)
    np.testing.assert_array_equal(rl.take(x, rl.tensor([-1, 0]), axis=1).numpy(), BASE.take([-1, 0], axis=1))
    ids = np.argsort(BASE, axis=2)[:, :, ::-1].copy()
    np.testing.assert_array_equal(
        rl.take_along_axis(x, rl.asarray(ids), axis=2).numpy(), np.take_along_axis(BASE, ids, axis=2)
    )
    for dtype, top in ((rl.uint8, 255), (rl.int64, 2**63 - 1), (rl.uint32, 2**32 - 1)):
        with pytest.raises(IndexError):
            rl.take(x, rl.tensor([0, top], dtype=dtype), axis=0)


def test_a_recorded_change_that_views_would_miss_is_an_error() -> None:
    """PyTorch writes through to the base tensor. Rushlight raises an error, so that no change is lost."""
    x = rl.tensor([1.0, 2.0], requires_grad=True)
    base = rl.zeros((2, 2))
    with pytest.raises(RuntimeError, match="shares its memory"):
        base[0][1] = x[0]
    with pytest.raises(RuntimeError, match="shares its memory"):
        base[0].copy_(x)
    part = base[1:]
    with pytest.raises(RuntimeError, match="shares its memory"):
        part += x
    assert base.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    del part
    base[0, 1] = x[0]
    base[1] = base[0] + base[0] + base[0]
    base[1, 0] = base[0, 1]
    rl.sum(base).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [5.0, 0.0]


@pytest.mark.parametrize("call", [lambda: rl.linspace(0, 1, 2**62), lambda: rl.repeat(rl.zeros(2), 2**62)])
def test_sizes_beyond_memory_are_errors(call: Callable[[], object]) -> None:
    """The error is raised before memory is allocated for the elements."""
    with pytest.raises((ValueError, MemoryError)):
        call()


I2 = np.array([0, 1])
PARTED: list[Any] = [
    (slice(None), I2, ..., I2, slice(None)),
    (slice(None), 0, ..., I2, slice(None)),
    (slice(None), I2, ..., 0, slice(None)),
    (slice(None), I2, ..., True, slice(None), slice(None)),
    (slice(None), I2, I2, ..., slice(None)),
    (..., slice(None), I2, I2, slice(None)),
    (I2, ..., I2, I2, I2),
    (slice(None), slice(None), I2, ..., I2),
]


@pytest.mark.parametrize("key", PARTED)
def test_dots_of_no_dimensions_part_index_arrays(key: Any) -> None:
    a = np.arange(360, dtype=np.float32).reshape(3, 4, 5, 6)
    t = rl.asarray(a.copy())
    got = t[key]
    assert got.shape == a[key].shape
    np.testing.assert_array_equal(got.numpy(), a[key])
    new = -np.arange(a[key].size, dtype=np.float32).reshape(a[key].shape)
    t[key] = rl.asarray(new)
    a[key] = new
    np.testing.assert_array_equal(t.numpy(), a)


def test_numbers_of_numpy_index_as_numbers() -> None:
    t = rl.asarray(np.arange(12.0).reshape(3, 4))
    for key in (np.int64(1), np.uint8(1), (np.int32(2), 1)):
        part = t[key]
        assert part.tolist() == t.numpy()[key].tolist()
        assert np.shares_memory(part.numpy(), t.numpy()), "a view"
    assert t[np.True_].shape == (1, 3, 4)
    assert t[np.False_].shape == (0, 3, 4)
    for key in (1.0, np.float64(1), np.float32(1), 1j):
        with pytest.raises(IndexError, match="is not an index"):
            t[key]


def test_masks_without_elements_choose_nothing() -> None:
    """As the array API asks; another size that differs is an error."""
    x = rl.reshape(rl.arange(6.0), (2, 3))
    for shape, left in (((0,), (0, 3)), ((0, 3), (0,)), ((2, 0), (0,)), ((0, 0), (0,))):
        mask = rl.zeros(shape, dtype=rl.bool)
        assert x[mask].shape == left
        y = rl.asarray(x, copy=True)
        y[mask] = 7.0
        assert y.tolist() == x.tolist()
    for shape in ((3,), (0, 2), (1,)):
        with pytest.raises(IndexError, match="the mask has shape"):
            _ = x[rl.zeros(shape, dtype=rl.bool)]


def test_diagonals_outside_of_a_matrix() -> None:
    for k in (2**63, -(2**63) - 1, 2**100, 3, -2):
        assert rl.eye(2, 3, k=k).tolist() == [[0.0] * 3] * 2
        assert rl.eye(0, k=k).shape == (0, 0)
    assert rl.eye(2, 3, k=2).tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    assert rl.eye(2, 3, k=-1).tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
