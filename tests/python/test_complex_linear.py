"""Systems, inverses, Cholesky's factors and determinants of complex matrices, with their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np

L = rl.linalg
Array = np.ndarray[Any, Any]
EPS = {"complex64": 1.2e-7, "complex128": 2.3e-16}
SHAPES = [(1, 1), (2, 2), (7, 7), (3, 5, 5), (2, 1, 4, 4), (0, 0), (2, 0, 0), (0, 3, 3)]


def draw(*shape: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def hermitian(*shape: int) -> Array:
    a = draw(*shape)
    return a @ a.conj().swapaxes(-1, -2) + np.eye(shape[-1])


def near(got: rl.Tensor, want: Any, dtype: str, times: float = 60.0) -> None:
    """Compare with rounding errors of the largest element."""
    want = np.asarray(want)
    assert got.shape == want.shape
    if want.size:
        bound = times * EPS[dtype] * max(1.0, float(np.abs(want).max()))
        assert np.abs(to_np(got) - want).max() <= bound


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", SHAPES)
def test_results_are_numpys(shape: tuple[int, ...], dtype: str) -> None:
    a = (draw(*shape) / 3 + 2j * np.roll(np.eye(shape[-1]), 1, 0)).astype(dtype)
    b, x = draw(*shape[:-1], 3, seed=1).astype(dtype), rl.asarray(a)
    wide = a.astype(np.complex128)
    for got in (L.solve(x, rl.asarray(b)), L.inv(x), L.det(x), L.slogdet(x).sign):
        assert got.dtype.name == dtype
    near(L.solve(x, rl.asarray(b)), np.linalg.solve(wide, b), dtype)
    want = np.linalg.solve(wide.swapaxes(-1, -2), b).swapaxes(-1, -2)
    near(L.solve(x, rl.asarray(b).mT, left=False), want, dtype)
    near(L.solve(x, rl.asarray(b[..., 0])), np.linalg.solve(wide, b[..., :1])[..., 0], dtype)
    near(L.inv(x), np.linalg.inv(wide), dtype)
    near(L.det(x), np.linalg.det(wide), dtype)
    sign, size = np.linalg.slogdet(wide)
    near(L.slogdet(x).sign, sign, dtype)
    near(L.slogdet(x).logabsdet, size, dtype)
    assert L.slogdet(x).logabsdet.dtype.name == {"complex64": "float32", "complex128": "float64"}[dtype]


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", SHAPES)
def test_cholesky_is_numpys(shape: tuple[int, ...], dtype: str) -> None:
    a = hermitian(*shape).astype(dtype)
    for upper in (False, True):
        # The other triangle is not read.
        half = (np.triu if upper else np.tril)(a) + 7 * (np.tril(a, -1) if upper else np.triu(a, 1))
        want = np.linalg.cholesky(a.astype(np.complex128), upper=upper)
        near(L.cholesky(rl.asarray(half), upper=upper), want, dtype)
        found = L.cholesky_ex(rl.asarray(half), upper=upper)
        near(found.L, want, dtype)
        assert found.info.shape == shape[:-2]
        assert not bool(rl.any(found.info != 0))


def test_mixed_dtypes_and_batches() -> None:
    a, b = draw(3, 1, 4, 4), draw(2, 4, 2, seed=1)
    near(L.solve(rl.asarray(a), rl.asarray(b)), np.linalg.solve(a, b), "complex128")
    real = np.random.default_rng(0).normal(size=(4, 4))
    near(L.solve(rl.asarray(real), rl.asarray(b)), np.linalg.solve(real, b), "complex128")
    near(L.solve(rl.asarray(a), rl.asarray(real)), np.linalg.solve(a, real), "complex128")
    near(L.matrix_power(rl.asarray(a), -2), np.linalg.matrix_power(a, -2), "complex128", 1000)
    near(rl.det(rl.asarray(a)), np.linalg.det(a), "complex128")
    near(L.tensorinv(rl.asarray(draw(4, 2, 2)), 1), np.linalg.tensorinv(draw(4, 2, 2), 1), "complex128", 1000)


def test_singular_matrices() -> None:
    zero = rl.zeros((2, 2, 2), dtype=rl.complex64)
    assert L.det(zero).tolist() == [0, 0]
    sign, size = L.slogdet(zero)
    assert (sign.tolist(), size.tolist()) == ([0, 0], [-np.inf, -np.inf])
    for call, text in (
        (lambda: L.inv(zero), "inv: a matrix is singular"),
        (lambda: L.solve(zero, rl.ones(2)), "solve: a matrix is singular"),
        (lambda: L.cholesky(rl.eye(3, dtype=rl.complex64) * -1), "leading minor of order 1 is not positive"),
    ):
        with pytest.raises(L.LinAlgError, match=text):
            call()
    with pytest.raises(ValueError, match=r"solve: matrices of shape \(2, 2, 2\) do not fit right sides"):
        L.solve(zero, rl.ones((3, 1)))
    bad = rl.asarray(np.diag([1.0, 1.0, -1.0]).astype(np.complex64))
    assert L.cholesky_ex(bad).info.item() == 3
    for name in ("det", "inv", "slogdet", "cholesky"):
        with pytest.raises(ValueError, match=f"{name}: expected square matrices"):
            getattr(L, name)(rl.ones((2, 3), dtype=rl.complex64))
        with pytest.raises(ValueError, match=f"{name}: expected a matrix"):
            getattr(L, name)(rl.ones(3, dtype=rl.complex64))
    for name in ("solve_ex", "inv_ex", "lu", "lu_factor"):
        arguments = (zero, zero) if name == "solve_ex" else (zero,)
        with pytest.raises(TypeError, match=f"{name}: complex"):
            getattr(L, name)(*arguments)


FUNCTIONS: dict[str, Callable[[rl.Tensor], rl.Tensor]] = {
    "solve": lambda x: L.solve(x, rl.asarray(draw(4, 2, seed=2))),
    "inv": L.inv,
    "det": L.det,
    "slogdet": lambda x: L.slogdet(x).logabsdet + 0j * L.slogdet(x).sign,
    "sign": lambda x: L.slogdet(x).sign,
    "cholesky": lambda x: L.cholesky((x + x.mH) / 2 + 20 * rl.eye(4, dtype=rl.complex128)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(name: str) -> None:
    a, function = draw(4, 4), FUNCTIONS[name]
    weights = rl.asarray(draw(*function(rl.asarray(a)).shape, seed=1))

    def loss(x: rl.Tensor) -> rl.Tensor:
        return (function(x) * weights).real.sum()

    x = rl.asarray(a).requires_grad_()
    loss(x).backward()
    assert x.grad is not None
    got, step = to_np(x.grad), 1e-6
    for at in np.ndindex(a.shape):
        for unit in (1, 1j):
            moved = np.zeros_like(a)
            moved[at] = step * unit
            slope = (loss(rl.asarray(a + moved)) - loss(rl.asarray(a - moved))).item() / (2 * step)
            part = got[at].real if unit == 1 else got[at].imag
            assert abs(part - slope) < 2e-6 * max(1, abs(slope)), (at, unit)
