"""NumPy's own functions called on tensors, and reductions called as NumPy and PyTorch users write them."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as rl

A = np.arange(12.0).reshape(3, 4) ** 1.5


@pytest.mark.parametrize(
    "name", ["sum", "mean", "max", "min", "std", "var", "prod", "any", "all", "argmax", "argmin"]
)
def test_numpy_functions_take_tensors(name: str) -> None:
    call = getattr(np, name)
    x = rl.asarray(A)
    for kwargs in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
        got = call(x, **kwargs)
        assert isinstance(got, rl.Tensor)
        np.testing.assert_allclose(got.numpy(), call(A, **kwargs), rtol=1e-12)


def test_numpy_functions_pass_their_options() -> None:
    x = rl.asarray(A.astype(np.float32))
    assert np.sum(x, dtype=rl.float64).dtype == rl.float64
    assert np.mean(x, dtype=rl.float64).dtype == rl.float64
    np.testing.assert_allclose(np.std(x, ddof=1).item(), np.std(A, ddof=1), rtol=1e-6)
    np.testing.assert_allclose(np.var(x, axis=0, correction=1).numpy(), np.var(A, axis=0, ddof=1), rtol=1e-5)
    with pytest.raises(TypeError, match="out"):
        np.sum(x, out=rl.zeros(()))
    with pytest.raises(TypeError, match="one parameter"):
        x.std(correction=1, ddof=1)


def test_axes_by_place() -> None:
    """`sum(x, 0)` as in NumPy and PyTorch, and a hint where several axes are given one by one."""
    x = rl.asarray(A)
    for name in ("sum", "mean", "max", "std", "prod", "any", "argmax", "logsumexp"):
        call = getattr(rl, name)
        assert call(x, 1).shape == (3,)
        assert call(x, 1, True).shape == (3, 1)
        assert call(x, axis=1, keepdims=True).shape == (3, 1)
    np.testing.assert_array_equal(rl.flip(x, 0).numpy(), np.flip(A, 0))
    np.testing.assert_array_equal(rl.sort(x, 0, True).numpy(), -np.sort(-A, 0))
    np.testing.assert_array_equal(rl.argsort(x, 0).numpy(), np.argsort(A, 0))
    np.testing.assert_array_equal(rl.cumulative_sum(x, 1).numpy(), np.cumsum(A, 1))
    np.testing.assert_array_equal(rl.take(x, rl.asarray([1]), 0).numpy(), np.take(A, [1], 0))
    np.testing.assert_array_equal(rl.roll(x, 1, 0).numpy(), np.roll(A, 1, 0))
    np.testing.assert_array_equal(rl.repeat(x, 2, 0).numpy(), np.repeat(A, 2, 0))
    assert rl.count_nonzero(x, 0).tolist() == np.count_nonzero(A, 0).tolist()
    for call in (lambda: x.sum(0, 1), lambda: rl.max(x, 0, 1), lambda: x.std(0, 1)):
        with pytest.raises(TypeError, match=r"keepdims.*axis=\(0, 1\)"):
            call()


def test_gradient_of_the_deviation_of_equal_numbers_is_0() -> None:
    """As PyTorch: the derivative of the root is not defined there."""
    x = rl.full((2, 3), 5.0, requires_grad=True)
    x.std(1).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0] * 3] * 2
    y = rl.tensor([[1.0, 1.0], [1.0, 3.0]], requires_grad=True)
    y.std(1).sum().backward()
    assert y.grad is not None
    assert y.grad.tolist() == [[0.0, 0.0], [-0.5, 0.5]]
    z = rl.full((4,), 2.0, requires_grad=True)
    z.var().backward()
    assert z.grad is not None
    assert z.grad.tolist() == [0.0] * 4
    assert rl.std(rl.tensor([1.0, rl.nan])).isnan().item()
