"""Decompositions of complex matrices and what follows from them, against NumPy, with their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import rushlight as rl
from compare import Array, to_np
from test_complex_linear import EPS, draw, near
from test_decompositions import HARD, OTHERS, SQUARES
from test_linalg import layouts

L = rl.linalg
PART = {"complex64": "float32", "complex128": "float64"}


def hermitian(*shape: int) -> Array:
    x = draw(*shape)
    return x + x.conj().swapaxes(-1, -2)


def bound(shape: tuple[int, ...]) -> float:
    return 60 * max(shape) ** 0.5


def orthonormal(columns: rl.Tensor, dtype: str) -> None:
    k = columns.shape[-1]
    near(columns.mH @ columns, np.broadcast_to(np.eye(k), (*columns.shape[:-2], k, k)), dtype, bound((k,)))


def largest_are_positive(columns: rl.Tensor, dtype: str) -> bool:
    x = to_np(columns)
    most = np.take_along_axis(x, np.abs(x).argmax(-2, keepdims=True), -2)
    return bool((most.real > 0).all() and (np.abs(most.imag) <= 4 * EPS[dtype]).all())


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", SQUARES + OTHERS)
def test_qr(shape: tuple[int, ...], dtype: str) -> None:
    a = draw(*shape)
    x = rl.asarray(a.astype(dtype))
    wanted = bound(shape)
    for mode in ("reduced", "complete"):
        q, r = L.qr(x, mode)
        want_q, want_r = np.linalg.qr(a, mode)
        assert q.dtype.name == r.dtype.name == dtype
        near(q @ r, a, dtype, wanted)
        orthonormal(q, dtype)
        near(r, want_r, dtype, 10 * wanted)
        # Further columns of Q and ill-conditioned ones are only orthonormal.
        if dtype == "complex128" and shape[-2] <= shape[-1]:
            near(q, want_q, dtype, 1e4)
        assert not np.diagonal(to_np(r), axis1=-2, axis2=-1).imag.any()
        for other in layouts(x):
            assert np.array_equal(to_np(L.qr(other, mode).Q), to_np(q))
    assert np.array_equal(to_np(L.qr(x, "r").R), to_np(L.qr(x).R))


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", SQUARES)
def test_eigh(shape: tuple[int, ...], dtype: str) -> None:
    a = hermitian(*shape)
    x = rl.asarray(a.astype(dtype))
    values, vectors = L.eigh(x)
    assert (values.dtype.name, vectors.dtype.name) == (PART[dtype], dtype)
    near(values, np.linalg.eigvalsh(a), dtype, bound(shape))
    orthonormal(vectors, dtype)
    near(vectors * values[..., None, :] @ vectors.mH, a, dtype, bound(shape))
    assert largest_are_positive(vectors, dtype)
    assert np.array_equal(to_np(L.eigvalsh(x)), to_np(values))
    # One triangle is read, and no imaginary parts of the diagonal.
    lower = rl.asarray((np.tril(a, -1) + np.triu(np.full(shape, np.nan), 1)).astype(dtype))
    lower = lower + rl.asarray(np.eye(shape[-1]) * (a.real + 3j)).astype(dtype)
    for other in (lower, *layouts(x)):
        assert np.array_equal(to_np(L.eigh(other).eigenvectors), to_np(vectors))
    assert np.array_equal(to_np(L.eigh(lower.mH, UPLO="U").eigenvectors), to_np(vectors))
    assert np.array_equal(to_np(L.eigvalsh(lower.mH, UPLO="U")), to_np(values))


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", SQUARES + OTHERS)
def test_svd(shape: tuple[int, ...], dtype: str) -> None:
    a = draw(*shape)
    x = rl.asarray(a.astype(dtype))
    m, n = shape[-2:]
    k = min(m, n)
    for full in (False, True):
        u, s, vh = L.svd(x, full_matrices=full)
        assert (u.dtype.name, s.dtype.name, vh.dtype.name) == (dtype, PART[dtype], dtype)
        assert u.shape == (*shape[:-2], m, m if full else k)
        assert vh.shape == (*shape[:-2], n if full else k, n)
        near(s, np.linalg.svd(a, compute_uv=False), dtype, bound(shape))
        orthonormal(u, dtype)
        orthonormal(vh.mH, dtype)
        near(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a, dtype, bound(shape))
        assert largest_are_positive(u[..., :k], dtype)
        for other in layouts(x):
            assert np.array_equal(to_np(L.svd(other, full_matrices=full).Vh), to_np(vh))
    assert np.array_equal(to_np(L.svdvals(x)), to_np(s))
    older = rl.svd(x)
    near(older.U * older.S[..., None, :] @ older.V.mH, a, dtype, bound(shape))
    assert rl.svd(x, compute_uv=False).V.dtype.name == dtype


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", SQUARES)
def test_eig(shape: tuple[int, ...], dtype: str) -> None:
    a = draw(*shape)
    x = rl.asarray(a.astype(dtype))
    values, vectors = L.eig(x)
    lam, v = to_np(values), to_np(vectors)
    assert lam.dtype == v.dtype == np.dtype(dtype)
    wanted = 200 * shape[-1] * EPS[dtype]
    assert np.abs(a @ v - v * lam[..., None, :]).max() <= wanted * np.abs(a).max()
    assert np.abs(np.linalg.norm(v, axis=-2) - 1).max() <= wanted
    assert np.array_equal(to_np(L.eigvals(x)), lam)
    if dtype == "complex128":
        for got, want in zip(
            lam.reshape(-1, shape[-1]), np.linalg.eigvals(a).reshape(-1, shape[-1]), strict=True
        ):
            apart = np.abs(got[:, None] - want)
            assert max(apart.min(0).max(), apart.min(1).max()) <= 1e-8


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30])
@pytest.mark.parametrize("name", HARD)
def test_hard_matrices(name: str, scale: float, dtype: str) -> None:
    # A unitary diagonal matrix makes the elements complex, and keeps the values.
    phases = np.exp(1j * np.arange(HARD[name].shape[1]) ** 2)
    x = rl.asarray((HARD[name] * phases[:, None] * phases.conj() * scale).astype(dtype))
    a = to_np(x).astype(np.complex128) / scale
    size = max(np.abs(a).max(), 1e-300)
    limit = 200 * np.sqrt(len(a)) * EPS[dtype] * size
    u, s, vh = (to_np(t).astype(np.complex128) for t in L.svd(x))
    assert np.abs(s / scale - np.linalg.svd(a, compute_uv=False)).max() <= limit * np.sqrt(len(a))
    assert np.abs(u @ np.diag(s / scale) @ vh - a).max() <= limit
    assert np.abs(u.conj().T @ u - np.eye(len(a))).max() <= limit / size
    b = np.tril(a) + np.tril(a, -1).conj().T
    np.fill_diagonal(b, b.diagonal().real)
    values, v = (to_np(t).astype(np.complex128) for t in L.eigh(x))
    assert np.abs(values / scale - np.linalg.eigvalsh(b)).max() <= limit * np.sqrt(len(a))
    assert np.abs(v @ np.diag(values / scale) @ v.conj().T - b).max() <= limit
    assert np.abs(v.conj().T @ v - np.eye(len(a))).max() <= limit / size
    q, r = (to_np(t).astype(np.complex128) for t in L.qr(x))
    assert np.abs(q @ r / scale - a).max() <= limit
    assert np.abs(q.conj().T @ q - np.eye(len(a))).max() <= limit / size
    lam, w = (to_np(t).astype(np.complex128) for t in L.eig(x))
    assert np.abs(a @ w - w * (lam / scale)).max() <= 10 * limit * np.sqrt(len(a))


@pytest.mark.parametrize("number", [complex(0, float("nan")), complex(0, float("inf")), float("nan")])
def test_matrices_that_are_not_finite(number: complex) -> None:
    x = rl.stack([rl.eye(3, dtype=rl.complex64)] * 2)
    x[1, 1, 0] = number
    functions: list[Callable[[rl.Tensor], Any]] = [
        *(L.svd, L.svdvals, L.eigh, L.eigvalsh, L.eig, L.eigvals, L.pinv, L.matrix_rank, L.cond),
        *(lambda x: L.matrix_norm(x, 2), lambda x: L.lstsq(x, x)),
    ]
    for function in functions:
        with pytest.raises(L.LinAlgError, match="converge"):
            function(x)
    q = to_np(L.qr(x).Q)
    assert np.isnan(q[1]).all()
    assert not np.isnan(q[0]).any()


@pytest.mark.parametrize("dtype", EPS)
def test_empty_matrices(dtype: str) -> None:
    for shape in [(0, 0), (2, 0, 0), (0, 3, 3), (0, 3), (3, 0), (2, 0, 4)]:
        x = rl.zeros(shape, dtype=dtype)
        zero = np.zeros(shape, dtype)
        for got, want in zip(L.svd(x), np.linalg.svd(zero), strict=True):
            assert np.array_equal(to_np(got), want)
        for mode in ("reduced", "complete"):
            for got, want in zip(L.qr(x, mode), np.linalg.qr(zero, mode), strict=True):
                assert np.array_equal(to_np(got), want)
        assert L.pinv(x).shape == x.mT.shape
        if shape[-1] == shape[-2]:
            assert L.eigh(x).eigenvectors.shape == L.eig(x).eigenvectors.shape == shape
            assert L.eigvalsh(x).shape == L.eigvals(x).shape == shape[:-1]


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 9), (3, 6, 4)])
def test_functions_of_singular_values(shape: tuple[int, ...], dtype: str) -> None:
    a = draw(*shape)
    x = rl.asarray(a.astype(dtype))
    near(L.pinv(x), np.linalg.pinv(a), dtype, 1000)
    low = a[..., :2] @ draw(*shape[:-2], 2, shape[-1], seed=1)
    near(L.pinv(rl.asarray(low.astype(dtype)), rtol=1e-4), np.linalg.pinv(low, rcond=1e-4), dtype, 3000)
    rank = L.matrix_rank(rl.asarray(low.astype(dtype)), rtol=1e-5)
    assert np.array_equal(to_np(rank), np.linalg.matrix_rank(low))
    if shape[-1] == shape[-2]:
        b = hermitian(*shape)
        near(L.pinv(rl.asarray(b.astype(dtype)), hermitian=True), np.linalg.pinv(b), dtype, 3000)
        one = rl.asarray(np.outer(a[0], a[0].conj()).astype(dtype))
        assert L.matrix_rank(one, hermitian=True).item() == 1
    b = draw(*shape[:-1], 3, seed=2)
    solution, residuals, rank, values = L.lstsq(x, rl.asarray(b.astype(dtype)))
    near(solution, np.linalg.pinv(a) @ b, dtype, 1000)
    near(values, np.linalg.svd(a, compute_uv=False), dtype)
    assert (to_np(rank) == min(shape[-2:])).all()
    if shape[-2] > shape[-1]:
        near(residuals, (np.abs(a @ np.linalg.pinv(a) @ b - b) ** 2).sum(-2), dtype, 1000)
    for p in (None, 2, -2, *(("fro", 1, -1, float("inf"), "nuc") if shape[-1] == shape[-2] else ())):
        assert np.allclose(to_np(L.cond(x, p)), np.linalg.cond(a, p), rtol=3e3 * EPS[dtype])
    for ord in (2, -2, "nuc"):
        near(L.matrix_norm(x, ord), np.linalg.norm(a, ord, (-2, -1)), dtype)
    assert L.cond(rl.zeros((2, 2), dtype=dtype), 1).item() == float("inf")


@pytest.mark.parametrize("dtype", EPS)
def test_matrix_exp(dtype: str) -> None:
    sizes = np.array([1e-8, 0.01, 0.3, 1, 3, 10])[:, None, None]
    a = draw(6, 5, 5) * sizes
    want = np.stack([scipy.linalg.expm(m) for m in a])
    got = to_np(L.matrix_exp(rl.asarray(a.astype(dtype))))
    size = np.abs(want).max((-2, -1), keepdims=True)
    assert (np.abs(got - want) <= 600 * np.maximum(sizes, 1) * EPS[dtype] * size).all()
    near(L.matrix_exp(rl.asarray(np.eye(2).astype(dtype)) * (1j * np.pi)), -np.eye(2), dtype)


def leaf(shape: tuple[int, ...], seed: int = 0) -> rl.Tensor:
    """Matrices whose values lie apart."""
    a = draw(*shape, seed=seed) / 4 + np.eye(*shape[-2:]) * np.arange(2, shape[-1] + 2)
    return rl.asarray(a).requires_grad_()


def differences(function: Callable[[rl.Tensor], tuple[rl.Tensor, ...]], x: rl.Tensor) -> None:
    """Compare the gradient of a weighted sum of all parts of the results with finite differences."""

    def loss(x: rl.Tensor) -> rl.Tensor:
        total = rl.tensor(0.0, dtype=rl.float64)
        for i, y in enumerate(function(x)):
            weights = rl.asarray(draw(*y.shape, seed=10 + i))
            total = total + (rl.real(weights) * rl.real(y)).sum()
            if y.dtype.is_complex:
                total = total + (rl.imag(weights) * rl.imag(y)).sum()
        return total

    loss(x).backward()
    assert x.grad is not None
    got, at, h = to_np(x.grad), to_np(x), 1e-6
    steps = [complex(h), *([1j * h] if np.iscomplexobj(at) else [])]
    with rl.no_grad():
        for i in np.ndindex(at.shape):
            found = 0j
            for step in steps:
                moved = []
                for sign in (1, -1):
                    other = at.copy()
                    other[i] += sign * (step if np.iscomplexobj(at) else h)
                    moved.append(loss(rl.asarray(other)).item())
                found += (moved[0] - moved[1]) / (2 * h) * (step / h)
            assert abs(found - got[i]) <= 1e-6 * max(1.0, abs(found))


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4), (5, 3), (3, 5), (2, 4, 3)])
def test_gradients(shape: tuple[int, ...]) -> None:
    functions: list[Callable[[rl.Tensor], tuple[rl.Tensor, ...]]] = [
        L.qr,
        lambda x: L.svd(x, full_matrices=False),
        lambda x: (L.svdvals(x),),
        lambda x: (L.pinv(x),),
        lambda x: (L.lstsq(x, x[..., :1] + 1j * x[..., -1:]).solution,),
        lambda x: (L.matrix_norm(x, "nuc"),),
        lambda x: (L.cond(x),),
    ]
    if shape[-1] == shape[-2]:
        functions += [
            lambda x: L.qr(x, "complete"),
            lambda x: L.eigh(x + x.mH),
            lambda x: L.eigh(x + x.mH, "U"),
            lambda x: (L.eigvalsh(x + x.mH),),
            lambda x: L.eig(x),
            lambda x: (L.eigvals(x),),
            lambda x: (L.matrix_exp(x / 4),),
            lambda x: (L.pinv(x + x.mH, hermitian=True),),
        ]
    for function in functions:
        differences(function, leaf(shape))


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4)])
def test_gradients_of_eig_of_real_matrices(shape: tuple[int, ...]) -> None:
    a = np.random.default_rng(0).normal(size=shape)
    for turned in (a, a - 3 * np.roll(np.eye(shape[-1]), 1, 0)):
        differences(L.eig, rl.asarray(turned).requires_grad_())
        differences(lambda x: (L.eigvals(x),), rl.asarray(turned).requires_grad_())


def test_gradients_are_those_of_scipys_derivative() -> None:
    """The derivative of eigenvalues in a direction, by the vectors of both sides."""
    a, e = draw(4, 4), draw(4, 4, seed=1)
    lam, left, right = scipy.linalg.eig(a, left=True)
    x = rl.asarray(a).requires_grad_()
    values = L.eigvals(x)
    for k in range(4):
        at = int(np.abs(to_np(values)[k] - lam).argmin())
        want = left[:, at].conj() @ e @ right[:, at] / (left[:, at].conj() @ right[:, at])
        (grad,) = rl.autograd.grad(rl.real(values[k]), x, retain_graph=True)
        assert abs((to_np(grad).conj() * e).sum().real - want.real) <= 1e-10


def test_gradient_of_eigh_is_hermitian() -> None:
    x = rl.asarray(hermitian(4, 4)).requires_grad_()
    rl.abs(L.eigh(x).eigenvectors * rl.asarray(draw(4, 4, seed=1))).sum().backward()
    assert x.grad is not None
    grad = to_np(x.grad)
    assert np.abs(grad - grad.conj().T).max() <= 1e-14
    assert np.abs(grad).max() > 0.01


def test_results_do_not_depend_on_threads() -> None:
    x = rl.asarray(draw(100, 100).astype(np.complex64))
    y = rl.asarray(draw(20, 12, 9))
    found = []
    before = rl.get_num_threads()
    for threads in (1, 2, 3):
        rl.set_num_threads(threads)
        found.append([to_np(t) for t in (*L.qr(x), *L.eigh(x), *L.svd(x), *L.eig(x), *L.qr(y), *L.svd(y))])
    rl.set_num_threads(before)
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))
