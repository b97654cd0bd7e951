"""Rows of docs/SEMANTICS.md in which Python differs from Rust."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as rl


def test_an_id_of_its_types_max_is_out_of_range() -> None:
    x = rl.asarray([5.0, 6.0])
    ids = rl.asarray([1, 255], dtype=rl.uint8)
    with pytest.raises(IndexError, match="255"):
        rl.take(x, ids, axis=0)


def test_comparisons_are_bool_and_indices_int64() -> None:
    x = rl.asarray([1.0, 3.0, 3.0])
    assert (x < 2).dtype == rl.bool
    assert rl.argmax(x).dtype == rl.int64
    assert int(rl.argmax(x)) == 1
    assert rl.argsort(x).dtype == rl.int64


def test_integer_sums_widen_and_division_gives_floats() -> None:
    x = rl.asarray([200, 100], dtype=rl.uint8)
    assert rl.sum(x).dtype == rl.uint64
    assert int(rl.sum(x)) == 300
    assert rl.prod(rl.asarray([-2, 3], dtype=rl.int8)).dtype == rl.int64
    assert (x / 8).dtype == rl.float32
    assert float((x / 8)[0]) == 25.0


def test_mixed_dtypes_are_promoted() -> None:
    x = rl.ones(2, dtype=rl.float32) + rl.ones(2, dtype=rl.float64)
    assert x.dtype == rl.float64
    assert (rl.ones(2, dtype=rl.uint8) + rl.ones(2, dtype=rl.int8)).dtype == rl.int16


def test_running_products_of_half_floats_are_rounded_once() -> None:
    x = rl.asarray([1.3, 0.7, 1.1, 0.9, 1.7, 1.45, 0.55, 1.9], dtype=rl.bfloat16)
    got = rl.cumulative_prod(x)
    want = rl.astype(rl.cumulative_prod(rl.astype(x, rl.float64)), rl.bfloat16)
    assert got.dtype == rl.bfloat16
    assert got.tolist() == want.tolist()


def test_a_bound_that_is_nan() -> None:
    x = np.array([1.0, np.nan, 3.0], np.float32)
    for low, high in [(np.nan, 2.0), (0.0, np.nan), (np.array([np.nan, 0, 0], np.float32), 2.0)]:
        want = np.clip(x, low, high)
        bounds = [rl.asarray(b) if isinstance(b, np.ndarray) else b for b in (low, high)]
        np.testing.assert_array_equal(np.asarray(rl.clip(rl.asarray(x), *bounds)), want)


def test_a_negative_step_gives_a_copy() -> None:
    x = rl.arange(5.0)
    y = x[::-1]
    y[0] = 99.0
    assert x.tolist() == [0, 1, 2, 3, 4]
    x[::-1] = rl.arange(5.0)
    assert x.tolist() == [4, 3, 2, 1, 0]


def test_dtype_names() -> None:
    for name, words in [("i8", "int64"), ("u8", "uint64"), ("f16", "float16")]:
        with pytest.raises(TypeError, match=words):
            rl.ones(1, dtype=name)
    assert rl.ones(1, dtype="int").dtype == rl.ones(1, dtype=int).dtype == rl.int64
    assert rl.ones(1, dtype="float").dtype == rl.ones(1, dtype=float).dtype


def test_in_place_operators_keep_the_dtype() -> None:
    for dtype, other in [
        ("float32", "float64"),
        ("int32", "int64"),
        ("float32", "int64"),
        ("float16", "float32"),
    ]:
        x, y = np.full(3, 2, dtype), np.array([1, 2, 3], other)
        t = rl.asarray(x.copy())
        t += rl.asarray(y)
        assert t.dtype == getattr(rl, dtype)
        np.testing.assert_array_equal(np.asarray(t), (x + y).astype(dtype))
    t = rl.ones(3, dtype=rl.int32)
    with pytest.raises(TypeError, match="cannot change the dtype from int32 to float"):
        t += rl.ones(3)
    v = rl.ones(3, requires_grad=True)
    w = v * 2
    w += rl.ones(3, dtype=rl.float64)
    w.sum().backward()
    assert v.grad is not None
    assert v.grad.tolist() == [2, 2, 2]


def test_masked_fill_keeps_the_dtype() -> None:
    mask = rl.asarray([True, False, True])
    x = rl.zeros(3, dtype=rl.int32)
    assert x.masked_fill(mask, 7).tolist() == [7, 0, 7]
    assert x.masked_fill(mask, 7).dtype == rl.int32
    with pytest.raises(TypeError, match=r"masked_fill: .* int32"):
        x.masked_fill(mask, float("-inf"))
    assert rl.zeros(3, dtype=rl.float16).masked_fill(mask, float("-inf")).dtype == rl.float16
