"""`max`, `min` and `sort`: PyTorch's values and indices under `dim`, the array API's values under `axis`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.return_types import ValuesIndices

A = np.array([[3.0, 1.0, 2.0], [9.0, 7.0, 9.0]], np.float32)
DTYPES = (
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint64",
    "bool",
)


@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_under_dim_are_values_and_indices(name: str) -> None:
    x = rl.asarray(A)
    for dim in (0, 1, -1):
        want = getattr(A, name)(axis=dim)
        places = getattr(A, f"arg{name}")(axis=dim)
        calls: list[Any] = [
            getattr(x, name)(dim),
            getattr(x, name)(dim=dim),
            getattr(rl, name)(x, dim=dim),
        ]
        for got in calls:
            assert isinstance(got, ValuesIndices)
            values, indices = got
            np.testing.assert_array_equal(values.numpy(), want)
            np.testing.assert_array_equal(indices.numpy(), places)
            assert indices.dtype == rl.int64
            assert got[1].tolist() == got.indices.tolist()
        kept = getattr(x, name)(dim, True)
        assert kept.values.shape == kept.indices.shape == getattr(A, name)(axis=dim, keepdims=True).shape
        assert getattr(x, name)(dim=dim, keepdim=True).values.tolist() == kept.values.tolist()


def test_extremes_under_axis_are_values() -> None:
    x = rl.asarray(A)
    assert x.max(axis=1).tolist() == rl.max(x, axis=1).tolist() == [3.0, 9.0]
    assert x.min(axis=(0, 1)).item() == rl.min(x).item() == x.min().item() == 1.0
    assert x.max(axis=1, keepdims=True).shape == (2, 1)
    assert x.max(keepdims=True).shape == (1, 1)
    assert np.max(x, axis=0).tolist() == [9.0, 7.0, 9.0]  # type: ignore[arg-type, call-overload]


@pytest.mark.parametrize("dtype", DTYPES)
def test_pairs_of_every_dtype(dtype: str) -> None:
    x = rl.tensor([[0, 1, 1], [1, 0, 0]], dtype=dtype)
    assert x.max(1).values.dtype == x.sort(1).values.dtype == x.dtype
    assert x.max(1).values.tolist() == [1, 1]
    assert x.max(1).indices.tolist() == [1, 0]
    assert x.sort(1).values.astype("int64").tolist() == [[0, 1, 1], [0, 0, 1]]
    assert x.sort(1).indices.tolist() == [[0, 1, 2], [1, 2, 0]]


def test_sort_gives_indices_as_in_pytorch() -> None:
    x = rl.asarray(A)
    want, places = np.sort(A, 1), np.argsort(A, 1, kind="stable")
    for got in (x.sort(dim=1), x.sort(1), x.sort(), rl.sort(x, dim=1)):
        values, indices = got
        np.testing.assert_array_equal(values.numpy(), want)
        np.testing.assert_array_equal(indices.numpy(), places)
    assert x.sort(0, True).values.tolist() == x.sort(dim=0, descending=True)[0].tolist() == A[::-1].tolist()
    assert rl.sort(x).tolist() == rl.sort(x, axis=1).tolist() == x.sort(axis=1).tolist() == want.tolist()
    assert rl.sort(x, axis=1, descending=True).tolist() == want[:, ::-1].tolist()


def test_gradient_of_a_pair_goes_to_the_named_element() -> None:
    """As in PyTorch, of equal elements the one that the index names gets the gradient; `amax` shares it."""
    x = rl.tensor([[2.0, 5.0, 5.0]], requires_grad=True)
    x.max(1).values.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 1.0, 0.0]]
    x.grad = None
    x.max(axis=1).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 0.5, 0.5]]
    x.grad = None
    (x.sort(1).values * rl.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[1.0, 2.0, 3.0]]


def test_nan_is_the_maximum_and_the_minimum() -> None:
    x = rl.tensor([[1.0, rl.nan, 0.0, rl.nan]])
    for got in (x.max(1), x.min(1)):
        assert got.indices.tolist() == [1]
        assert np.isnan(got.values.item())


def test_an_axis_by_position_of_a_function_is_refused() -> None:
    """`max(x, 1)` is a pair in PyTorch and one array in NumPy, so it is an error: unpacking the wrong one
    could go unnoticed."""
    x = rl.asarray(A)
    for call in (rl.max, rl.min, rl.sort):
        with pytest.raises(TypeError, match=r"dim=1.*PyTorch.*axis=1.*NumPy"):
            call(x, 1)  # type: ignore[call-overload]
    for name in ("max", "min"):
        # Of two tensors it takes the larger or smaller elements, as in PyTorch.
        for call in (getattr(rl, name), lambda a, b, n=name: getattr(a, n)(b)):
            assert call(x, x - 1).tolist() == getattr(rl, f"{name}imum")(x, x - 1).tolist()
        with pytest.raises(TypeError, match=f"a{name}"):
            getattr(x, name)(dim=(0, 1))
        with pytest.raises(IndexError, match=f"{name}: axis 2"):
            getattr(x, name)(2)
        with pytest.raises(ValueError, match="no elements"):
            getattr(rl.zeros((2, 0)), name)(1)


def test_a_pair_is_a_named_tuple() -> None:
    pair = rl.asarray(A).max(1)
    assert pair._fields == ("values", "indices")
    copy = pickle.loads(pickle.dumps(pair))
    assert isinstance(copy, ValuesIndices)
    assert copy.values.tolist() == pair.values.tolist()


def test_deviations_take_the_axis_alone_by_position() -> None:
    """PyTorch's second argument is `unbiased`, NumPy's `dtype`."""
    x = rl.asarray(A)
    for call in (x.std, x.var, lambda *a: rl.std(x, *a), lambda *a: rl.var(x, *a)):
        assert call(0).shape == (3,)
        for second in (True, False, 1):
            with pytest.raises(TypeError, match=r"unbiased.*keepdims"):
                call(0, second)
    assert x.std(0, keepdims=True).shape == x.std(dim=0, keepdim=True, correction=1).shape == (1, 3)
    np.testing.assert_allclose(x.std(0, correction=1).numpy(), A.std(0, ddof=1), rtol=1e-6)


def test_deviations_take_the_keyword_of_torch() -> None:
    """The methods: `unbiased` is a correction of 1 or 0, and 0 is the default here."""
    x = rl.asarray(A)
    for name in ("std", "var"):
        call, numpy = getattr(x, name), getattr(A, name)
        for unbiased in (True, False):
            got = call(1, unbiased=unbiased, keepdim=True)
            np.testing.assert_allclose(got.numpy(), numpy(1, ddof=int(unbiased), keepdims=True), rtol=1e-6)
        assert call().item() == call(unbiased=False).item()
        for other in ({"correction": 1}, {"ddof": 1}):
            with pytest.raises(TypeError, match="correction and unbiased are one parameter"):
                call(unbiased=True, **other)


def test_nonzero_gives_both_forms() -> None:
    """The function follows the array API, the method PyTorch; `as_tuple` chooses."""
    x = rl.asarray(A) > 2
    rows = x.nonzero()
    assert rows.tolist() == np.argwhere(A > 2).tolist()
    assert rl.nonzero(x, as_tuple=False).tolist() == rows.tolist()
    for got in (rl.nonzero(x), x.nonzero(as_tuple=True)):
        assert [i.tolist() for i in got] == [i.tolist() for i in np.nonzero(A > 2)]
