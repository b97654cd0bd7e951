"""Comparisons: exact between integers of any dtypes and Python integers of any size."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import rushlight as rl

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
OPS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
NUMBERS = (
    -(2**200),
    -(2**63) - 1,
    -129,
    -1,
    0,
    1,
    127,
    128,
    255,
    256,
    2**31,
    2**53 + 1,
    2**63,
    2**64,
    2**200,
)


def ends(name: str) -> list[int]:
    info = np.iinfo(name)
    some = {info.min, info.min + 1, -1, 0, 1, 2**24 + 1, 2**53 + 1, 2**63 - 1, info.max - 1, info.max}
    return sorted(v for v in some if info.min <= v <= info.max)


def tensor(values: list[int], name: str) -> rl.Tensor:
    return rl.tensor(values, dtype=getattr(rl, name))


@pytest.mark.parametrize("compare", OPS)
def test_tensors_of_two_integer_dtypes_compare_as_integers(compare: object) -> None:
    for a, b in itertools.product(INTEGERS, INTEGERS):
        left, right = ends(a), ends(b)
        got = compare(tensor(left, a).reshape(-1, 1), tensor(right, b))  # type: ignore[operator]
        assert got.dtype == rl.bool
        assert got.tolist() == [[compare(x, y) for y in right] for x in left], (a, b)  # type: ignore[operator]


@pytest.mark.parametrize("compare", OPS)
def test_a_number_beyond_the_dtype_compares_as_an_integer(compare: object) -> None:
    for name, number in itertools.product(INTEGERS, NUMBERS):
        values = ends(name)
        x = tensor(values, name)
        want = [compare(v, number) for v in values]  # type: ignore[operator]
        assert compare(x, number).tolist() == want, (name, number)  # type: ignore[operator]
        assert compare(number, x).tolist() == [compare(number, v) for v in values], (name, number)  # type: ignore[operator]


def test_every_way_to_compare_takes_such_numbers() -> None:
    x = tensor([1, 255], "uint8")
    assert rl.less(x, 300).tolist() == [True, True]
    assert rl.equal(-1, x).tolist() == [False, False]
    assert 300 not in x
    assert 255 in x
    assert (rl.tensor([True, False]) < 2**70).tolist() == [True, True]
    assert (rl.tensor([1.0, 2.0]) < 2**200).tolist() == [True, True]
    assert (rl.zeros((2, 0), dtype=rl.int8) == 1000).shape == (2, 0)


def test_uint64_and_a_signed_dtype_have_no_common_one() -> None:
    """As in PyTorch, arithmetic of them is an error, because a float would lose digits."""
    u, s = tensor([2**24 + 1], "uint64"), tensor([1], "int64")
    for call in (operator.add, operator.floordiv, rl.maximum, lambda a, b: rl.concat([a, b])):
        for a, b in ((u, s), (s, u)):
            with pytest.raises(TypeError, match=r"uint64.*int64|int64.*uint64"):
                call(a, b)
    assert not rl.can_cast(rl.uint64, rl.int64)
    assert (u.astype(rl.int64) + s).item() == 2**24 + 2
    assert rl.logical_and(u, s).tolist() == [True]


def test_large_numbers_in_arithmetic() -> None:
    """A number beyond the dtype is an error in arithmetic, as in NumPy; floats take any."""
    with pytest.raises(OverflowError, match="uint8"):
        tensor([1], "uint8") + 300
    with pytest.raises(OverflowError, match="int64"):
        tensor([1], "int64") + 2**200
    assert (rl.tensor([1.0], dtype=rl.float64) * 2**200).item() == 2.0**200


def test_searchsorted_counts_nan_as_the_greatest() -> None:
    sorted_values = np.array([1.0, 2.0, 2.0, np.inf, np.nan, np.nan])
    values = np.array([np.nan, 0.0, 2.0, np.inf, -np.inf, 5.0])
    for side in ("left", "right"):
        for whole in (sorted_values, sorted_values[:4], sorted_values[:0]):
            got = rl.searchsorted(rl.asarray(whole), rl.asarray(values), side=side)
            assert got.tolist() == np.searchsorted(whole, values, side=side).tolist()
    assert rl.searchsorted(rl.asarray([1, 2, 3]), 2.5).item() == 2
    assert rl.searchsorted(tensor([1, 200], "uint8"), 300).item() == 2


def test_index_takes_rank_0_only() -> None:
    assert [10, 20, 30][rl.tensor(1)] == 20
    for bad in (rl.tensor([1]), rl.tensor(1.0), rl.tensor(True)):
        with pytest.raises(TypeError, match=r"rank 0.*item"):
            operator.index(bad)
