"""Rows of docs/SEMANTICS.md in which Python differs from Rust."""

from __future__ import annotations

import pytest

import rushlight as rl


def test_an_id_of_its_types_max_is_out_of_range() -> None:
    x = rl.asarray([5.0, 6.0])
    ids = rl.asarray([1, 255], dtype=rl.uint8)
    with pytest.raises(IndexError, match="255"):
        rl.take(x, ids, axis=0)


def test_comparisons_are_bool_and_places_int64() -> None:
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
