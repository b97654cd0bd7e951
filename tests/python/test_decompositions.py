"""Eigenvalues, singular values and what follows from them, against NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import rushlight as rl
from compare import WIDE, Array, to_np, to_rl
from rushlight.autograd import gradcheck, gradgradcheck
from test_linalg import EPS, general, layouts, near

L = rl.linalg
SQUARES = [(1, 1), (2, 2), (5, 5), (17, 17), (33, 33), (70, 70), (3, 4, 4), (2, 3, 10, 10)]
OTHERS = [(3, 7), (40, 75), (75, 40), (2, 9, 4), (4, 9, 30), (1, 5), (5, 1), (200, 3), (3, 200)]


def symmetric(shape: tuple[int, ...], seed: int = 0) -> Array:
    x = general(shape, seed)
    return np.asarray(x + np.swapaxes(x, -1, -2))


def orthonormal(columns: rl.Tensor, dtype: str) -> None:
    want = np.broadcast_to(np.eye(columns.shape[-1]), (*columns.shape[:-2], *columns.shape[-1:] * 2))
    near(columns.mT @ columns, want, dtype)


def largest_are_positive(columns: rl.Tensor) -> bool:
    x = to_np(columns)
    at = np.abs(x).argmax(-2, keepdims=True)
    return bool((np.take_along_axis(x, at, -2) > 0).all())


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("shape", SQUARES)
def test_eigh(shape: tuple[int, ...], dtype: str) -> None:
    a = symmetric(shape)
    x = to_rl(a, dtype)
    values, vectors = L.eigh(x)
    near(values, np.linalg.eigvalsh(a), dtype)
    orthonormal(vectors, dtype)
    near(vectors * values[..., None, :] @ vectors.mT, a, dtype, 60)
    assert largest_are_positive(vectors)
    assert np.array_equal(to_np(L.eigvalsh(x)), to_np(values))
    # One triangle is read.
    lower = rl.tril(x) + rl.triu(rl.full(shape, float("nan"), dtype=dtype), 1)
    for other in (lower, *layouts(x)):
        assert np.array_equal(to_np(L.eigh(other).eigenvectors), to_np(vectors))
    assert np.array_equal(to_np(L.eigh(lower.mT, UPLO="U").eigenvectors), to_np(vectors))
    assert np.array_equal(to_np(L.eigvalsh(lower.mT, UPLO="U")), to_np(values))


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("shape", SQUARES + OTHERS)
def test_svd(shape: tuple[int, ...], dtype: str) -> None:
    a = general(shape)
    x = to_rl(a, dtype)
    m, n = shape[-2:]
    k = min(m, n)
    want = np.linalg.svd(a, compute_uv=False)
    for full in (False, True):
        u, s, vh = L.svd(x, full_matrices=full)
        assert u.shape == (*shape[:-2], m, m if full else k)
        assert vh.shape == (*shape[:-2], n if full else k, n)
        near(s, want, dtype)
        orthonormal(u, dtype)
        orthonormal(vh.mT, dtype)
        near(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a, dtype, 60)
        assert largest_are_positive(u[..., :k])
        for other in layouts(x):
            assert np.array_equal(to_np(L.svd(other, full_matrices=full).Vh), to_np(vh))
    assert np.array_equal(to_np(L.svdvals(x)), to_np(s))
    older = rl.svd(x)
    near(older.U * older.S[..., None, :] @ older.V.mT, a, dtype, 60)
    assert rl.svd(x, compute_uv=False).V.shape == (*shape[:-2], n, n)
    assert rl.svd(x, some=False).U.shape == (*shape[:-2], m, m)


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("shape", SQUARES)
def test_eig(shape: tuple[int, ...], dtype: str) -> None:
    a = general(shape)
    x = to_rl(a, dtype)
    values, vectors = L.eig(x)
    lam, v = to_np(values), to_np(vectors)
    assert lam.dtype == v.dtype == (np.complex64 if dtype == "float32" else np.complex128)
    assert np.array_equal(to_np(L.eigvals(x)), lam)
    bound = 200 * shape[-1] * EPS[dtype]
    assert np.abs(a @ v - v * lam[..., None, :]).max() <= bound * np.abs(a).max()
    assert np.abs(np.linalg.norm(v, axis=-2) - 1).max() <= bound
    if dtype == "float64":
        want = np.linalg.eigvals(a).astype(complex)
        for got, wanted in zip(lam.reshape(-1, shape[-1]), want.reshape(-1, shape[-1]), strict=True):
            assert np.abs(np.sort_complex(got.round(9)) - np.sort_complex(wanted.round(9))).max() <= 1e-8
    # Real values have real vectors, and the others come in pairs.
    assert not np.where((lam.imag == 0)[..., None, :], v.imag, 0).any()
    first = lam.imag[..., :-1] > 0
    assert np.array_equal(np.conj(lam[..., :-1][first]), lam[..., 1:][first])


# Matrices that are hard for an iteration: equal values, zeros, low rank, numbers of all sizes.
HARD = {
    "zeros": np.zeros((6, 6)),
    "unit": np.eye(7),
    "ones": np.ones((9, 9)),
    "diagonal": np.diag([3.0, -1.0, 0.0, 2.0, 0.0]),
    "rank 2": general((20, 2)) @ general((2, 20), 1),
    "zero diagonal": np.eye(8, k=1),
    "anti-diagonal": np.eye(9)[::-1].copy(),
    "bidiagonal": np.eye(12) + np.eye(12, k=1),
    "graded": np.diag(10.0 ** -np.arange(20.0)) @ general((20, 20)) @ np.diag(10.0 ** -np.arange(20.0)),
    "graded upwards": np.diag(10.0 ** np.arange(-19.0, 1))
    @ general((20, 20))
    @ np.diag(10.0 ** np.arange(-19.0, 1)),
    "Hilbert": scipy.linalg.hilbert(12),
    "Wilkinson": np.diag(np.abs(np.arange(-10.0, 11))) + np.eye(21, k=1) + np.eye(21, k=-1),
    "Kahan": np.triu(np.full((25, 25), -0.3), 1) + np.eye(25),
    "Toeplitz": scipy.linalg.toeplitz([2.0, -1.0] + [0.0] * 28),
}


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30])
@pytest.mark.parametrize("name", HARD)
def test_hard_matrices(name: str, scale: float, dtype: str) -> None:
    a = HARD[name]
    x = to_rl(a * scale, dtype)
    a = to_np(x).astype(np.float64) / scale
    size = max(np.abs(a).max(), 1e-300)
    bound = 100 * np.sqrt(len(a)) * EPS[dtype] * size
    u, s, vh = (to_np(t).astype(np.float64) for t in L.svd(x))
    assert np.abs(s / scale - np.linalg.svd(a, compute_uv=False)).max() <= bound * np.sqrt(len(a))
    assert np.abs(u @ np.diag(s / scale) @ vh - a).max() <= bound
    assert np.abs(u.T @ u - np.eye(len(a))).max() <= bound / size
    b = np.tril(a) + np.tril(a, -1).T
    values, v = (to_np(t).astype(np.float64) for t in L.eigh(x))
    assert np.abs(values / scale - np.linalg.eigvalsh(b)).max() <= bound * np.sqrt(len(a))
    assert np.abs(v @ np.diag(values / scale) @ v.T - b).max() <= bound
    assert np.abs(v.T @ v - np.eye(len(a))).max() <= bound / size
    complex_values, w = (to_np(t).astype(complex) for t in L.eig(x))
    assert np.abs(a @ w - w * (complex_values / scale)).max() <= 10 * bound * np.sqrt(len(a))


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_matrices_that_are_not_finite(number: float) -> None:
    x = rl.stack([rl.eye(3), rl.eye(3)])
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
    assert np.isnan(to_np(L.matrix_exp(x))[1]).any()


def test_empty_matrices() -> None:
    for shape in [(0, 0), (2, 0, 0), (0, 3, 3)]:
        x = rl.zeros(shape)
        assert L.eigh(x).eigenvalues.shape == L.eigvalsh(x).shape == shape[:-1]
        assert L.eig(x).eigenvalues.shape == L.eigvals(x).shape == shape[:-1]
        assert L.eig(x).eigenvectors.shape == shape
        assert L.eigh(x).eigenvectors.shape == L.matrix_exp(x).shape == shape
        assert L.matrix_rank(x).tolist() == [0] * shape[0] if len(shape) == 3 else True
    for shape in [(0, 3), (3, 0), (2, 0, 4), (0, 2, 3)]:
        x = rl.zeros(shape)
        u, s, vh = L.svd(x)
        want = np.linalg.svd(np.zeros(shape))
        for got, wanted in zip((u, s, vh), want, strict=True):
            assert np.array_equal(to_np(got), wanted)
        assert [t.shape for t in L.svd(x, False)] == [t.shape for t in np.linalg.svd(np.zeros(shape), False)]
        assert L.svdvals(x).shape == s.shape
        assert L.pinv(x).shape == x.mT.shape


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 9), (3, 6, 4)])
def test_pseudoinverses(shape: tuple[int, ...], dtype: str) -> None:
    a = general(shape)
    x = to_rl(a, dtype)
    near(L.pinv(x), np.linalg.pinv(a), dtype, 300)
    near(rl.pinverse(x, 1e-7), np.linalg.pinv(a), dtype, 300)
    near(
        L.pinv(x, atol=1.5),
        np.asarray([pinv_of(b, 1.5) for b in a.reshape(-1, *shape[-2:])]).reshape(
            (*shape[:-2], shape[-1], shape[-2])
        ),
        dtype,
        300,
    )
    low = a[..., :2] @ general((*shape[:-2], 2, shape[-1]), 1)
    near(L.pinv(to_rl(low, dtype), rtol=1e-4), np.linalg.pinv(low, rcond=1e-4), dtype, 3000)
    assert np.array_equal(to_np(L.matrix_rank(to_rl(low, dtype), rtol=1e-5)), np.linalg.matrix_rank(low))
    assert np.array_equal(to_np(L.matrix_rank(x)), np.linalg.matrix_rank(a))
    assert np.array_equal(to_np(L.matrix_rank(x, 1.5)), np.linalg.matrix_rank(a, 1.5))
    if shape[-1] == shape[-2]:
        b = symmetric(shape)
        near(L.pinv(to_rl(b, dtype), hermitian=True), np.linalg.pinv(b), dtype, 3000)
        assert L.matrix_rank(to_rl(np.outer(a[0], a[0]), dtype), hermitian=True).item() == 1
    b = general((*shape[:-1], 3), 2)
    solution, residuals, rank, values = L.lstsq(x, to_rl(b, dtype))
    near(solution, np.linalg.pinv(a) @ b, dtype, 300)
    near(values, np.linalg.svd(a, compute_uv=False), dtype)
    assert (to_np(rank) == min(shape[-2:])).all()
    if shape[-2] > shape[-1]:
        near(residuals, ((a @ np.linalg.pinv(a) @ b - b) ** 2).sum(-2), dtype, 300)
    else:
        assert residuals.shape == (0,)
    vector = L.lstsq(x, to_rl(b[..., 0], dtype))
    near(vector.solution, (np.linalg.pinv(a) @ b)[..., 0], dtype, 300)
    for p in (None, 2, -2, *(("fro", 1, -1, float("inf"), "nuc") if shape[-1] == shape[-2] else ())):
        want = np.linalg.cond(a, p)
        assert np.allclose(to_np(L.cond(x, p)), want, rtol=3e3 * EPS[dtype])
    for ord in (2, -2, "nuc"):
        near(L.matrix_norm(x, ord), np.linalg.norm(a, ord, (-2, -1)), dtype, 60)
        near(L.matrix_norm(x, ord, keepdim=True), np.linalg.norm(a, ord, (-2, -1), True), dtype, 60)


def pinv_of(a: Array, atol: float) -> Array:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.asarray(vh.T @ np.diag(np.where(s > atol, 1 / s, 0)) @ u.T)


def test_norms_of_other_axes_and_singular_conditions() -> None:
    a = general((3, 4, 5))
    x = to_rl(a, "float64")
    for ord in (2, -2, "nuc"):
        near(L.matrix_norm(x, ord, (0, 2), True), np.linalg.norm(a, ord, (0, 2), True), "float64")
        near(L.norm(x, ord, axis=(1, 0)), np.linalg.norm(a, ord, (1, 0)), "float64")
    singular = rl.zeros((2, 2))
    assert L.cond(singular).item() == L.cond(singular, 1).item() == float("inf")
    with pytest.raises(ValueError, match="ord is"):
        L.matrix_norm(x, 3)


@pytest.mark.parametrize("dtype", WIDE)
def test_matrix_exp(dtype: str) -> None:
    sizes = np.array([1e-8, 0.01, 0.3, 1, 3, 10])[:, None, None]
    a = general((6, 5, 5)) * sizes
    want = np.stack([scipy.linalg.expm(m) for m in a])
    got = to_np(L.matrix_exp(to_rl(a, dtype)))
    size = np.abs(want).max((-2, -1), keepdims=True)
    assert (np.abs(got - want) <= 300 * np.maximum(sizes, 1) * EPS[dtype] * size).all()
    assert np.array_equal(to_np(rl.matrix_exp(rl.zeros((3, 3)))), np.eye(3))
    rotation = L.matrix_exp(rl.tensor([[0.0, -np.pi], [np.pi, 0.0]], dtype=dtype))
    near(rotation, -np.eye(2), dtype)


@pytest.mark.parametrize(
    "name", ["svd", "svdvals", "eigh", "eigvalsh", "pinv", "matrix_rank", "cond", "matrix_exp"]
)
def test_bad_arguments(name: str) -> None:
    function = getattr(L, name)
    with pytest.raises(ValueError, match=f"{name}: expected a matrix"):
        function(rl.ones(3))
    for dtype in ("int64", "float16"):
        with pytest.raises(TypeError, match=f"{name}: "):
            function(rl.ones((2, 2), dtype=dtype))
    if name in ("eigh", "eigvalsh", "matrix_exp"):
        with pytest.raises(ValueError, match=f"{name}: expected square"):
            function(rl.ones((2, 3)))
    if name.startswith("eig"):
        with pytest.raises(ValueError, match="UPLO is"):
            function(rl.eye(2), "X")
    if name.startswith("svd"):
        with pytest.raises(ValueError, match="driver is"):
            function(rl.eye(2), driver="fast")


def test_bad_arguments_of_systems() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        L.lstsq(rl.ones((3, 2)), rl.ones((2, 2)))
    with pytest.raises(ValueError, match="driver"):
        L.lstsq(rl.ones((3, 2)), rl.ones((3, 2)), driver="x")
    with pytest.raises(TypeError, match="one parameter"):
        L.pinv(rl.ones((3, 2)), 1e-3, rtol=1e-3)
    with pytest.raises(TypeError, match="one parameter"):
        L.matrix_rank(rl.ones((3, 2)), 1e-3, atol=1e-3)


def leaf(shape: tuple[int, ...], seed: int = 0) -> rl.Tensor:
    """Matrices whose values lie apart."""
    n = min(shape[-2:])
    a = general(shape, seed) / 4 + np.eye(*shape[-2:])[:, :] * np.arange(1, shape[-1] + 1)
    return to_rl(a + n, "float64").requires_grad_()


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4), (5, 3), (3, 5), (2, 4, 3)])
def test_gradients(shape: tuple[int, ...]) -> None:
    x, b = leaf(shape), leaf((*shape[:-1], 2), 1)
    functions: list[tuple[Any, tuple[rl.Tensor, ...]]] = [
        (lambda x: L.svd(x, full_matrices=False), (x,)),
        (L.svdvals, (x,)),
        (L.pinv, (x,)),
        (lambda x, b: L.lstsq(x, b).solution, (x, b)),
        (lambda x: L.matrix_norm(x, 2), (x,)),
        (lambda x: L.matrix_norm(x, "nuc"), (x,)),
        (L.cond, (x,)),
    ]
    if shape[-1] == shape[-2]:
        functions += [
            (L.svd, (x,)),
            (lambda x: L.eigh(x + x.mT), (x,)),
            (lambda x: L.eigh(x + x.mT, "U"), (x,)),
            (lambda x: L.eigvalsh(x + x.mT), (x,)),
            (lambda x: L.matrix_exp(x / 4), (x,)),
            (lambda x: L.pinv(x + x.mT, hermitian=True), (x,)),
        ]
    for function, inputs in functions:
        assert gradcheck(function, inputs)
        assert gradgradcheck(function, inputs)


def test_gradients_need_no_distinct_values_where_the_result_does_not() -> None:
    x = rl.eye(3, dtype="float64").requires_grad_()
    L.pinv(x).sum().backward()
    assert x.grad is not None
    assert np.array_equal(to_np(x.grad), -np.ones((3, 3)))
    y = (2 * rl.eye(3, dtype="float64")).requires_grad_()
    assert gradcheck(L.matrix_exp, (y,))
    low = to_rl(general((5, 2)) @ general((2, 4), 1), "float64").requires_grad_()
    L.svd(low).S.sum().backward()
    assert np.isfinite(to_np(low.grad)).all()


# Functions of values, whose derivative for a multiple of the unit matrix needs no vectors.
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize(
    ("f", "want"),
    [
        (L.eigvalsh, np.eye(3)),
        (L.svdvals, np.eye(3)),
        (lambda x: L.eigh(x)[0], np.eye(3)),
        (lambda x: L.svd(x)[1], np.eye(3)),
        (lambda x: L.matrix_norm(x, "nuc"), np.eye(3)),
        (lambda x: rl.real(L.eigvals(x)), np.eye(3)),
    ],
)
def test_gradients_of_equal_values(f: Callable[[rl.Tensor], rl.Tensor], want: Array, dtype: str) -> None:
    x = (2 * rl.eye(3, dtype=dtype)).requires_grad_()
    f(x).sum().backward()
    np.testing.assert_allclose(to_np(x.grad), want, atol=1e-15)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients_of_the_values_of_zeros_are_finite(dtype: str) -> None:
    for shape in ((3, 3), (4, 2), (2, 4)):
        x = rl.zeros(shape, dtype=dtype).requires_grad_()
        L.svdvals(x).sum().backward()
        assert np.isfinite(to_np(x.grad)).all()


def test_gradient_of_all_factors_is_that_of_the_reduced_ones() -> None:
    grads = []
    for full in (True, False):
        x = to_rl(general((5, 3)), "float64").requires_grad_()
        u, s, vh = L.svd(x, full_matrices=full)
        (u[:, :3] * s @ vh * to_rl(general((5, 3), 1), "float64") + u[:, :3] ** 2).sum().backward()
        grads.append(to_np(x.grad))
    np.testing.assert_allclose(grads[0], grads[1], rtol=1e-12)


def test_gradient_of_eigh_is_symmetric() -> None:
    x = to_rl(symmetric((4, 4)), "float64").requires_grad_()
    (L.eigh(x).eigenvectors * to_rl(general((4, 4), 1), "float64")).sum().backward()
    assert x.grad is not None
    grad = to_np(x.grad)
    assert np.array_equal(grad, grad.T)
    assert np.abs(grad).max() > 0.01


def test_results_do_not_depend_on_threads() -> None:
    x = to_rl(general((150, 150)), "float32")
    y = to_rl(general((20, 12, 9)), "float64")
    found = []
    before = rl.get_num_threads()
    for threads in (1, 2, 3):
        rl.set_num_threads(threads)
        found.append([to_np(t) for t in (*L.qr(x), *L.eigh(x), *L.svd(x), *L.qr(y), *L.svd(y))])
    rl.set_num_threads(before)
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))
