"""scatter_reduce and index_reduce, compared with NumPy's ufuncs at indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl

UFUNCS = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
NEUTRAL = {"sum": 0, "prod": 1, "mean": 0}
DTYPES = ["int8", "uint8", "int32", "int64", "float32", "float64"]


def expected(x: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool) -> Any:
    """Reduce with `ufunc.at` over explicit positions."""
    out = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(np.int64)
    at = list(np.indices(index.shape))
    at[dim] = index
    places = tuple(at)
    if not include_self:
        if reduce in ("amax", "amin"):
            out[places] = (-1 if reduce == "amax" else 1) * 10**6
        else:
            out[places] = NEUTRAL[reduce]
    if reduce != "mean":
        UFUNCS[reduce].at(out, places, src.astype(out.dtype))
        return out.astype(x.dtype)
    np.add.at(out, places, src.astype(out.dtype))
    count = np.full(x.shape, int(include_self))
    np.add.at(count, places, 1)
    count = np.maximum(count, 1)
    return (out / count if x.dtype.kind == "f" else out // count).astype(x.dtype)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_scatter_reduce_is_numpys(dtype: str, reduce: str, include_self: bool) -> None:
    r = np.random.default_rng(3)
    for shape, dim, indexed in [
        ((5,), 0, (9,)),
        ((4, 3), 0, (7, 2)),
        ((2, 5, 3), 1, (2, 8, 3)),
        ((3, 4), 1, (3, 0)),
    ]:
        x = r.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(dtype)
        src = r.integers(1, 4, indexed).astype(dtype)
        index = r.integers(0, shape[dim], indexed)
        got = rl.scatter_reduce(
            rl.asarray(x), dim, rl.asarray(index), rl.asarray(src), reduce, include_self=include_self
        )
        np.testing.assert_allclose(
            np.asarray(got), expected(x, dim, index, src, reduce, include_self), rtol=1e-6
        )
        # Indices of a smaller shape take the first elements of the source.
        if min(indexed) > 1:
            fewer = index[tuple(slice(0, n - 1) for n in indexed)]
            cut = src[tuple(slice(0, n - 1) for n in indexed)]
            got = rl.asarray(x).scatter_reduce(dim, rl.asarray(fewer), rl.asarray(src), reduce)
            np.testing.assert_allclose(np.asarray(got), expected(x, dim, fewer, cut, reduce, True), rtol=1e-6)


@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
def test_index_reduce_is_scatter_reduce_of_whole_entries(reduce: str) -> None:
    r = np.random.default_rng(4)
    x, source = r.normal(size=(4, 5, 2)), r.normal(size=(4, 7, 2))
    index = r.integers(0, 5, 7)
    spread = np.broadcast_to(index[None, :, None], source.shape)
    for include_self in (True, False):
        got = rl.index_reduce(
            rl.asarray(x), 1, rl.asarray(index), rl.asarray(source), reduce, include_self=include_self
        )
        np.testing.assert_allclose(np.asarray(got), expected(x, 1, spread, source, reduce, include_self))
    y = rl.asarray(x).clone()
    assert y.index_reduce_(1, rl.asarray(index), rl.asarray(source), reduce) is y
    np.testing.assert_allclose(np.asarray(y), expected(x, 1, spread, source, reduce, True))


def test_special_values() -> None:
    at = rl.tensor([0, 0, 1, 1, 2])
    src = rl.tensor([rl.nan, 1.0, -0.0, 0.0, rl.inf])
    x = rl.tensor([5.0, -0.0, 1.0])
    top, low = (rl.scatter_reduce(x, 0, at, src, word) for word in ("amax", "amin"))
    np.testing.assert_array_equal(np.asarray(top), [np.nan, 0.0, np.inf])
    np.testing.assert_array_equal(np.asarray(low), [np.nan, -0.0, 1.0])
    # 0 is larger than -0, in whatever order they come.
    assert not np.signbit(np.asarray(top)[1])
    assert np.signbit(np.asarray(low)[1])
    # A mean of many numbers in 16 bits is rounded once.
    ones = rl.ones(5000, dtype=rl.float16)
    many = rl.scatter_reduce(
        rl.zeros(1, dtype=rl.float16), 0, rl.zeros(5000, dtype=rl.int64), ones, "mean", include_self=False
    )
    assert many.tolist() == [1.0]


def test_gradients_of_ties_and_zeros() -> None:
    """Ties share the gradient, and a factor's gradient is the product of the others."""
    x = rl.tensor([4.0, 1.0], requires_grad=True)
    src = rl.tensor([4.0, 4.0, 0.5], requires_grad=True)
    rl.scatter_reduce(x, 0, rl.tensor([0, 0, 1]), src, "amax").sum().backward()
    assert x.grad is not None
    assert src.grad is not None
    np.testing.assert_allclose(x.grad.tolist(), [1 / 3, 1.0], rtol=1e-6)
    np.testing.assert_allclose(src.grad.tolist(), [1 / 3, 1 / 3, 0.0], rtol=1e-6)

    x = rl.tensor([2.0, 3.0, 5.0], requires_grad=True)
    src = rl.tensor([0.0, 7.0, 0.0, 0.0, 4.0], requires_grad=True)
    rl.scatter_reduce(x, 0, rl.tensor([0, 0, 1, 1, 2]), src, "prod").sum().backward()
    assert x.grad is not None
    assert src.grad is not None
    assert x.grad.tolist() == [0.0, 0.0, 4.0]
    assert src.grad.tolist() == [14.0, 0.0, 0.0, 0.0, 5.0]


def test_gradient_of_gradient() -> None:
    x, at = rl.tensor([2.0, 3.0], requires_grad=True), rl.tensor([0, 0, 1])
    src = rl.tensor([5.0, 7.0, 2.0], requires_grad=True)
    (first,) = rl.autograd.grad(rl.scatter_reduce(x, 0, at, src, "prod").sum(), [src], create_graph=True)
    assert first.tolist() == [14.0, 10.0, 3.0]
    (second,) = rl.autograd.grad(first.sum(), [x])
    assert second.tolist() == [12.0, 1.0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x, i: rl.scatter_reduce(x, 0, i, x, "max"), ValueError, "reduce must be one of sum, prod"),
        (lambda x, i: rl.scatter_reduce(x, 1, i, x, "amax"), IndexError, "scatter_reduce"),
        (lambda x, i: rl.scatter_reduce(x, 0, i + 5, x, "amax"), IndexError, "5"),
        (lambda x, i: rl.scatter_reduce(x, 0, i, x[:1], "amax"), ValueError, "does not fit into src"),
        (lambda x, i: rl.scatter_reduce(x, 0, i, x.double(), "amax"), TypeError, "src float64"),
        (lambda x, i: rl.index_reduce(x, 0, i, x, "sum"), ValueError, "reduce must be one of prod"),
        (lambda x, i: rl.index_reduce(x, 0, i[:1], x, "amax"), ValueError, "expected a vector of indices"),
    ],
)
def test_misuse(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(rl.zeros(2), rl.tensor([0, 1]))
