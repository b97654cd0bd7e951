"""Linear algebra against NumPy and SciPy: values, gradients, batches, empty and singular matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import rushlight as rl
from compare import WIDE, Array, to_np, to_rl
from rushlight.autograd import gradcheck, gradgradcheck

L = rl.linalg
# Matrices of one block of columns and of several, and batches.
SHAPES = [(1, 1), (2, 2), (5, 5), (8, 8), (9, 9), (33, 33), (70, 70), (130, 130), (3, 4, 4), (2, 3, 10, 10)]
EPS = {"float32": 2.0**-23, "float64": 2.0**-52}


def general(shape: tuple[int, ...], seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def positive(shape: tuple[int, ...], seed: int = 0) -> Array:
    x = general(shape, seed)
    return np.asarray(x @ np.swapaxes(x, -1, -2) / shape[-1] + np.eye(shape[-1]))


def near(got: rl.Tensor, want: Array, dtype: str, times: float = 30.0) -> None:
    """Compare with rounding errors of the largest element, for matrices that are well-conditioned."""
    assert got.dtype.name == dtype
    assert got.shape == want.shape
    if want.size:
        size = max(float(np.abs(want).max()), 1.0)
        assert (
            np.abs(to_np(got) - want).max() <= times * np.sqrt(max(want.shape, default=1)) * EPS[dtype] * size
        )


def layouts(x: rl.Tensor) -> list[rl.Tensor]:
    """The same matrices in other layouts."""
    stepped = rl.zeros((*x.shape[:-2], 2 * x.shape[-2], 3 * x.shape[-1]), dtype=x.dtype)
    stepped[..., ::2, 1::3] = x
    return [x.mT.clone().mT, stepped[..., ::2, 1::3]]


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("shape", SHAPES)
def test_cholesky(shape: tuple[int, ...], dtype: str) -> None:
    a = positive(shape)
    x = to_rl(a, dtype)
    near(L.cholesky(x), np.linalg.cholesky(a), dtype)
    upper = L.cholesky(x, upper=True)
    near(upper.mT @ upper, a, dtype)
    assert np.array_equal(to_np(upper), np.triu(to_np(upper)))
    # Of a matrix that is not symmetric one triangle is read.
    half = rl.tril(x) + rl.triu(rl.full(shape, float("nan"), dtype=dtype), 1)
    for other in (half, *layouts(x)):
        assert np.array_equal(to_np(L.cholesky(other)), to_np(L.cholesky(x)))
    factor, info = L.cholesky_ex(x)
    assert np.array_equal(to_np(factor), to_np(L.cholesky(x)))
    assert info.dtype == rl.int32
    assert not to_np(info).any()
    assert info.shape == shape[:-2]
    b = general((*shape[:-1], 3), 1)
    want = np.linalg.solve(a, b)
    near(rl.cholesky_solve(to_rl(b, dtype), factor), want, dtype, 100)
    near(rl.cholesky_solve(to_rl(b, dtype), upper, upper=True), want, dtype, 100)
    near(rl.cholesky_inverse(factor), np.linalg.inv(a), dtype, 100)


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize(
    "shape", [*SHAPES, (3, 7), (40, 75), (75, 40), (2, 9, 4), (4, 9, 30), (1, 5), (5, 1)]
)
def test_lu(shape: tuple[int, ...], dtype: str) -> None:
    a = general(shape)
    x = to_rl(a, dtype)
    factors, pivots, info = L.lu_factor_ex(x)
    assert pivots.dtype == info.dtype == rl.int32
    assert not to_np(info).any()
    assert pivots.shape == (*shape[:-2], min(shape[-2:]))
    p, lower, upper = L.lu(x)
    near(p @ lower @ upper, a, dtype)
    assert np.abs(to_np(lower)).max() <= 1
    for other in layouts(x):
        assert np.array_equal(to_np(L.lu_factor(other).LU), to_np(factors))
    unpacked = rl.lu_unpack(factors, pivots)
    assert all(np.array_equal(to_np(u), to_np(v)) for u, v in zip(unpacked, (p, lower, upper), strict=True))
    if len(shape) == 2:
        want, places = scipy.linalg.lapack.dgetrf(np.asarray(x.double().numpy()))[:2]
        assert np.array_equal(to_np(pivots), places + 1)
        near(factors, want, dtype, 300)


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("shape", SHAPES)
def test_solve_and_inverse(shape: tuple[int, ...], dtype: str) -> None:
    # Rows are exchanged, and the matrices are well-conditioned.
    n = shape[-1]
    a = general(shape) / np.sqrt(n) / 4 + np.roll(np.eye(n), 1, 0) * 2
    x = to_rl(a, dtype)
    near(L.inv(x), np.linalg.inv(a), dtype, 100)
    near(L.inv_ex(x).inverse, np.linalg.inv(a), dtype, 100)
    for k in (1, 3, 40):
        b = general((*shape[:-1], k), k)
        y = to_rl(b, dtype)
        want = np.linalg.solve(a, b)
        near(L.solve(x, y), want, dtype, 100)
        near(L.solve(x.mT, y.mT, left=False).mT, want, dtype, 100)
        near(L.solve_ex(x, y).result, want, dtype, 100)
        factors = L.lu_factor(x)
        near(L.lu_solve(*factors, y), want, dtype, 100)
        near(rl.lu_solve(y, *factors), want, dtype, 100)
        near(L.lu_solve(*factors, y.mT, left=False, adjoint=True).mT, want, dtype, 100)
        near(L.lu_solve(*factors, y, adjoint=True), np.linalg.solve(np.swapaxes(a, -1, -2), b), dtype, 100)
    vector = general(shape[:-1], 4)
    near(L.solve(x, to_rl(vector, dtype)), np.linalg.solve(a, vector[..., None])[..., 0], dtype, 100)
    if n < 100:
        near(L.det(x), np.asarray(np.linalg.det(a)), dtype, 100 * n)
    sign, size = L.slogdet(x)
    wanted = np.linalg.slogdet(a)
    near(sign, np.asarray(wanted[0]), dtype)
    near(size, np.asarray(wanted[1]), dtype, 1000)


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 3), (9, 1), (40, 70), (100, 5)])
def test_solve_triangular(n: int, k: int, unit: bool, upper: bool, dtype: str) -> None:
    a = general((n, n)) / n + np.eye(n) * 2
    if unit:
        a = a / 4
    b = general((n, k), 1)
    x, y = to_rl(a, dtype), to_rl(b, dtype)
    want = scipy.linalg.solve_triangular(a, b, lower=not upper, unit_diagonal=unit)
    got = L.solve_triangular(x, y, upper=upper, unitriangular=unit)
    near(got, want, dtype, 100)
    for other in layouts(x):
        again = L.solve_triangular(other, y, upper=upper, unitriangular=unit)
        assert np.array_equal(to_np(again), to_np(got))
    right = L.solve_triangular(x.mT, y.mT, upper=not upper, unitriangular=unit, left=False)
    assert np.array_equal(to_np(right.mT), to_np(got))


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@pytest.mark.parametrize(
    "shape", [*SHAPES, (3, 7), (40, 75), (75, 40), (2, 9, 4), (4, 9, 30), (1, 5), (5, 1), (3, 0), (0, 3)]
)
def test_qr(shape: tuple[int, ...], mode: Any, dtype: str) -> None:
    a = general(shape)
    x = to_rl(a, dtype)
    q, r = L.qr(x, mode)
    if mode == "r":
        assert q.shape == (0,)
        near(r, np.linalg.qr(a, "r"), dtype, 100)
        return
    want = np.linalg.qr(a, mode)
    assert q.shape == want.Q.shape
    near(q @ r, a, dtype, 100)
    near(q.mT @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], q.shape[-1], q.shape[-1])), dtype)
    near(r, np.asarray(want.R), dtype, 100)
    if mode == "reduced" and min(shape) > 0:
        near(q, np.asarray(want.Q), dtype, 300)
        for other in layouts(x):
            assert np.array_equal(to_np(L.qr(other).Q), to_np(q))


def test_qr_of_zeros_and_of_numbers_at_the_ends_of_the_range() -> None:
    q, r = L.qr(rl.zeros((3, 2)))
    assert np.array_equal(to_np(q), np.eye(3, 2))
    assert not to_np(r).any()
    for scale in (1e-30, 1e30):
        a = general((5, 4)) * scale
        q, r = L.qr(to_rl(a, "float32"))
        assert np.abs(to_np(q).astype(np.float64) @ to_np(r) - a).max() <= 1e-5 * scale
    with pytest.raises(ValueError, match="mode is"):
        L.qr(rl.eye(2), "full")
    x = to_rl(general((3, 2)), "float64").requires_grad_()
    with pytest.raises(RuntimeError, match="complete"):
        L.qr(x, "complete").Q.sum().backward()
    with pytest.raises(RuntimeError, match="it needs Q"):
        L.qr(x, "r").R.sum().backward()


def test_batches_broadcast() -> None:
    a = general((3, 1, 4, 4)) + 4 * np.eye(4)
    b = general((2, 4, 5), 1)
    want = np.linalg.solve(a, b)
    near(L.solve(to_rl(a, "float64"), to_rl(b, "float64")), want, "float64", 100)
    near(L.lu_solve(*L.lu_factor(to_rl(a, "float64")), to_rl(b, "float64")), want, "float64", 100)
    lower = np.tril(a)
    got = L.solve_triangular(to_rl(lower, "float64"), to_rl(b, "float64"), upper=False)
    near(got, np.linalg.solve(lower, b), "float64", 100)
    # One right side for a batch, and a batch of vectors.
    near(
        L.solve(to_rl(a[:, 0], "float64"), to_rl(b[0], "float64")),
        np.linalg.solve(a[:, 0], b[0]),
        "float64",
        100,
    )
    vectors = b[0, :3].copy()
    with pytest.raises(ValueError, match="shape"):
        L.solve(to_rl(a[:, 0], "float64"), to_rl(vectors, "float64"))
    batch = general((3, 4))
    want = np.linalg.solve(a[:, 0], batch[..., None])[..., 0]
    near(L.solve(to_rl(a[:, 0], "float64"), to_rl(batch, "float64")), want, "float64", 100)


def test_ill_conditioned_systems_have_small_residuals() -> None:
    n = 10
    hilbert = scipy.linalg.hilbert(n)
    x = to_rl(hilbert, "float64")
    b = hilbert @ np.ones((n, 1))
    y = to_np(L.solve(x, to_rl(b, "float64")))
    bound = 10 * n * EPS["float64"] * np.abs(hilbert).sum(1).max() * np.abs(y).max()
    assert np.abs(hilbert @ y - b).max() <= bound
    factor = to_np(L.cholesky(x))
    assert np.abs(factor @ factor.T - hilbert).max() <= 10 * n * EPS["float64"]
    assert np.isclose(L.slogdet(x).logabsdet.item(), np.linalg.slogdet(hilbert)[1], rtol=1e-5)


@pytest.mark.parametrize("function", [L.inv, L.cholesky, L.lu_factor, lambda x: L.solve(x, x)])
def test_singular_matrices_are_errors(function: Callable[[rl.Tensor], Any]) -> None:
    with pytest.raises(L.LinAlgError):
        function(rl.zeros((3, 3)))
    batch = rl.stack([rl.eye(3), rl.zeros((3, 3))])
    with pytest.raises(RuntimeError):
        function(batch)
    with pytest.raises(ValueError, match=r"0|positive"):
        function(rl.tensor([[1.0, 2.0], [2.0, 1.0 if function is L.cholesky else 4.0]]))


def test_info_tells_which_matrix_failed() -> None:
    good, bad = np.eye(3), np.array([[1.0, 2, 4], [2, 4, 8], [4, 8, 16]])
    both = to_rl(np.stack([good, bad]), "float64")
    assert L.solve_ex(both, both).info.tolist() == [0, 2]
    assert L.inv_ex(both).info.tolist() == [0, 2]
    assert L.lu_factor_ex(both).info.tolist() == [0, 2]
    assert L.cholesky_ex(both).info.tolist() == [0, 2]
    for function in (L.inv_ex, L.lu_factor_ex, L.cholesky_ex):
        with pytest.raises(L.LinAlgError):
            function(both, check_errors=True)
    with pytest.raises(L.LinAlgError, match="matrix 1 of the batch is singular: the pivot of row 2 is 0"):
        L.inv(both)
    with pytest.raises(L.LinAlgError, match="matrix 1 of the batch is not positive definite"):
        L.cholesky(both)
    assert L.det(both).tolist() == [1.0, 0.0]
    sign, size = L.slogdet(both)
    assert sign.tolist() == [1.0, 0.0]
    assert size.tolist() == [0.0, float("-inf")]
    assert np.isnan(rl.logdet(rl.tensor([[-1.0]])).item())
    assert rl.logdet(rl.zeros((1, 1))).item() == float("-inf")


def test_empty_matrices() -> None:
    empty, none = rl.zeros((0, 0)), rl.zeros((0, 3, 3))
    for x in (empty, none, rl.zeros((2, 0, 0))):
        assert L.cholesky(x).shape == L.inv(x).shape == L.lu_factor(x).LU.shape == x.shape
        assert L.solve(x, rl.zeros((*x.shape[:-1], 2))).shape == (*x.shape[:-1], 2)
        assert L.det(x).shape == L.slogdet(x).sign.shape == L.cholesky_ex(x).info.shape == x.shape[:-2]
    assert L.det(empty).item() == 1.0
    assert L.slogdet(empty).logabsdet.item() == 0.0
    assert [t.shape for t in L.lu(rl.zeros((0, 3)))] == [(0, 0), (0, 0), (0, 3)]
    assert [t.shape for t in L.lu(rl.zeros((3, 0)))] == [(3, 3), (3, 0), (0, 0)]
    assert L.solve(rl.eye(3), rl.zeros((3, 0))).shape == (3, 0)


def test_nan_stays_in_its_matrix() -> None:
    x = rl.stack([rl.eye(3), rl.full((3, 3), float("nan"))])
    assert not np.isnan(to_np(L.inv(x))[0]).any()
    assert np.isnan(to_np(L.inv(x))[1]).any()
    with pytest.raises(L.LinAlgError):
        L.cholesky(x)


@pytest.mark.parametrize("name", ["cholesky", "inv", "det", "slogdet", "lu", "lu_factor", "qr"])
def test_bad_arguments(name: str) -> None:
    function = getattr(L, name)
    with pytest.raises(ValueError, match=f"{name}: expected a matrix"):
        function(rl.ones(3))
    for dtype in ("int64", "float16"):
        with pytest.raises(TypeError, match=f"{name}: "):
            function(rl.ones((2, 2), dtype=dtype))
    if name != "qr" and not name.startswith("lu"):
        with pytest.raises(ValueError, match=f"{name}: expected square"):
            function(rl.ones((2, 3)))
    elif name != "qr":
        with pytest.raises(ValueError, match="pivot=False"):
            function(rl.ones((2, 2)), pivot=False)


def checked(shape: tuple[int, ...], seed: int = 0) -> rl.Tensor:
    """Matrices that need exchanges of rows, to differentiate at."""
    n = shape[-1]
    a = general(shape, seed) / 3 + np.roll(np.eye(shape[-2], n), 1, 0) * 2
    return to_rl(a, "float64").requires_grad_()


def symmetric(x: rl.Tensor) -> rl.Tensor:
    return x @ x.mT + rl.eye(x.shape[-1], dtype="float64")


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4)])
def test_gradients(shape: tuple[int, ...]) -> None:
    x, b = checked(shape), checked((*shape[:-1], 2), 1)
    functions: list[tuple[Any, tuple[rl.Tensor, ...]]] = [
        (lambda x: L.cholesky(symmetric(x)), (x,)),
        (lambda x: L.cholesky(symmetric(x), upper=True), (x,)),
        (lambda x: L.lu_factor(x).LU, (x,)),
        (lambda x: L.lu(x)[1:], (x,)),
        (L.qr, (x,)),
        (L.inv, (x,)),
        (L.det, (x,)),
        (lambda x: L.slogdet(x).logabsdet, (x,)),
        (L.solve, (x, b)),
        (lambda x, b: L.solve(x, b.mT, left=False), (x, b)),
        (lambda x, b: L.lu_solve(*L.lu_factor(x), b, adjoint=True), (x, b)),
        (lambda x, b: L.solve_triangular(x + 2 * rl.eye(shape[-1], dtype="float64"), b, upper=True), (x, b)),
        (lambda x, b: L.solve_triangular(x, b, upper=False, unitriangular=True), (x, b)),
        (lambda x, b: rl.cholesky_solve(b, L.cholesky(symmetric(x))), (x, b)),
    ]
    for function, inputs in functions:
        assert gradcheck(function, inputs)
        assert gradgradcheck(function, inputs)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (2, 4, 6), (2, 6, 4)])
def test_gradients_of_lu_of_other_shapes(shape: tuple[int, ...]) -> None:
    x = checked(shape)
    for mode in ("reduced", "complete") if shape[-1] > shape[-2] else ("reduced",):
        assert gradcheck(lambda x, mode=mode: L.qr(x, mode), (x,))
        assert gradgradcheck(lambda x, mode=mode: L.qr(x, mode), (x,))
    assert gradcheck(lambda x: L.lu_factor_ex(x).LU, (x,))
    assert gradgradcheck(lambda x: L.lu_factor_ex(x).LU, (x,))


def test_gradient_of_cholesky_is_symmetric() -> None:
    x = to_rl(positive((4, 4)), "float64").requires_grad_()
    (L.cholesky(x) * to_rl(general((4, 4), 1), "float64")).sum().backward()
    assert x.grad is not None
    grad = to_np(x.grad)
    assert np.array_equal(grad, grad.T)
    assert np.abs(grad).max() > 0.1


@pytest.mark.parametrize("ord", ["fro", 1, -1, float("inf"), float("-inf")])
def test_matrix_norms(ord: Any) -> None:
    a = general((3, 4, 5))
    x = to_rl(a, "float64")
    near(L.matrix_norm(x, ord), np.linalg.norm(a, ord, (-2, -1)), "float64")
    near(L.matrix_norm(x, ord, (0, 2), True), np.linalg.norm(a, ord, (0, 2), True), "float64")
    near(L.norm(x[0], ord), np.asarray(np.linalg.norm(a[0], ord)), "float64")
    near(L.norm(x, ord, axis=(1, 0)), np.linalg.norm(a, ord, (1, 0)), "float64")


@pytest.mark.parametrize("ord", [0, 1, 2, 3.5, -1, float("inf"), float("-inf")])
def test_vector_norms(ord: Any) -> None:
    a = general((3, 4, 5))
    x = to_rl(a, "float64")
    near(L.vector_norm(x, ord, axis=1, keepdims=True), np.linalg.norm(a, ord, 1, True), "float64")
    near(L.vector_norm(x, ord), np.asarray(np.linalg.norm(a.ravel(), ord)), "float64")
    near(L.vector_norm(x, ord, (0, 2)), np.linalg.vector_norm(a, axis=(0, 2), ord=ord), "float64")
    near(L.norm(x, ord, 2), np.linalg.norm(a, ord, 2), "float64")
    # PyTorch's name of the axes means all by none, the array API's each element.
    near(L.vector_norm(x, ord, ()), np.asarray(np.linalg.norm(a.ravel(), ord)), "float64")
    near(L.vector_norm(x, ord, axis=()), np.ones_like(a) if ord == 0 else np.abs(a), "float64")
    z = a + 1j * general((3, 4, 5), 1)
    z[0, 0, 0] = 1j if ord < 0 else 0
    for dtype, real in (("complex128", "float64"), ("complex64", "float32")):
        w = to_rl(z, dtype)
        near(L.vector_norm(w, ord, axis=1), np.linalg.norm(z, ord, 1), real)
        near(rl.norm(w, ord), np.asarray(np.linalg.norm(z.ravel(), ord)), real)


@pytest.mark.parametrize("ord", ["fro", 1, -1, float("inf"), float("-inf")])
def test_norms_of_complex_matrices(ord: Any) -> None:
    z = general((3, 4, 5)) + 1j * general((3, 4, 5), 1)
    near(L.matrix_norm(to_rl(z, "complex128"), ord), np.linalg.norm(z, ord, (-2, -1)), "float64")


def test_gradients_of_norms_of_complex_numbers() -> None:
    """The direction of the steepest ascent: of the Euclidean norm that of the vector itself, and 0 at 0."""
    z = rl.tensor([3 + 4j, 0j, 12j], dtype=rl.complex128, requires_grad=True)
    L.vector_norm(z).backward()
    assert z.grad is not None
    np.testing.assert_allclose(to_np(z.grad), np.array([3 + 4j, 0, 12j]) / 13, rtol=1e-15)
    zero = rl.zeros(2, dtype=rl.complex64, requires_grad=True)
    L.vector_norm(zero).backward()
    assert zero.grad is not None
    assert zero.grad.tolist() == [0, 0]


def test_other_functions() -> None:
    a = general((3, 4, 4))
    x = to_rl(a, "float64")
    for power in (-3, -1, 0, 1, 2, 7):
        near(L.matrix_power(x, power), np.linalg.matrix_power(a, power), "float64", 1e4)
    chain = [general(shape, i) for i, shape in enumerate([(3, 40), (40, 2), (2, 30), (30, 5)])]
    near(L.multi_dot([to_rl(c, "float64") for c in chain]), np.linalg.multi_dot(chain), "float64")
    ends = [chain[0][0], *chain[1:3], chain[3][:, 0]]
    near(L.multi_dot([to_rl(c, "float64") for c in ends]), np.asarray(np.linalg.multi_dot(ends)), "float64")
    near(L.diagonal(x, offset=1), np.diagonal(a, 1, -2, -1), "float64")
    near(L.trace(x, offset=-1), np.trace(a, -1, -2, -1), "float64")
    near(L.vander(x[0, 0], 3), np.vander(a[0, 0], 3, increasing=True), "float64")
    assert L.vander(x).shape == (3, 4, 4, 4)
    big = general((6, 4, 24))
    near(L.tensorinv(to_rl(big, "float64"), 2), np.linalg.tensorinv(big, 2), "float64", 1e4)
    b = general((6, 4), 1)
    near(
        L.tensorsolve(to_rl(big, "float64"), to_rl(b, "float64")),
        np.linalg.tensorsolve(big, b),
        "float64",
        1e4,
    )
    y = to_rl(general((3, 4, 4), 2), "float64")
    assert np.array_equal(to_np(L.vecdot(x, y, dim=-2)), to_np(L.vecdot(x, y, axis=-2)))
    assert np.array_equal(
        to_np(L.cross(x[:, :, :3], y[:, :, :3], axis=-1)), to_np(L.cross(x[..., :3], y[..., :3]))
    )
    with pytest.raises(ValueError, match="multi_dot"):
        L.multi_dot([x[0], y[0][:2]])
    with pytest.raises(TypeError, match="axis and dim"):
        L.norm(x, axis=1, dim=1)
    for method in ("cholesky", "det", "inverse", "logdet", "slogdet"):
        assert callable(getattr(rl.Tensor, method))


def test_results_do_not_depend_on_threads() -> None:
    x = to_rl(general((300, 300)), "float32")
    y = to_rl(positive((300, 300)), "float32")
    found = []
    before = rl.get_num_threads()
    for threads in (1, 2, 3):
        rl.set_num_threads(threads)
        found.append([to_np(t) for t in (L.lu_factor(x).LU, L.cholesky(y), L.solve(x, y))])
    rl.set_num_threads(before)
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("terms", "columns"), [(1024, 1024), (4096, 515), (1000, 4097), (3000, 641)])
def test_products_of_one_row_do_not_depend_on_threads(dtype: str, terms: int, columns: int) -> None:
    """Threads share the columns, in rows and in columns that follow one another."""
    row, matrix = general((1, terms)), general((terms, columns), seed=1)
    turned = np.ascontiguousarray(matrix.T)
    before = rl.get_num_threads()
    for second in (to_rl(matrix, dtype), to_rl(turned, dtype).t()):
        found = []
        for threads in (1, 2, 3, 7):
            rl.set_num_threads(threads)
            found.append(to_rl(row, dtype) @ second)
        rl.set_num_threads(before)
        near(found[0], row @ matrix, dtype)
        assert all(np.array_equal(to_np(found[0]), to_np(other)) for other in found[1:])


def test_pivots_must_fit_the_factors() -> None:
    LU, pivots = rl.linalg.lu_factor(rl.tensor([[1.0, 2.0], [2.0, 8.0]]))
    with pytest.raises(ValueError, match="do not fit pivots of shape"):
        rl.linalg.lu_solve(LU, pivots[:1], rl.ones((2, 1)))
    for wrong in (0, 3, -1):
        bad = rl.tensor([1, wrong], dtype=rl.int32)
        with pytest.raises(ValueError, match=f"lu_solve: a pivot is between 1 and 2, got {wrong}"):
            rl.linalg.lu_solve(LU, bad, rl.ones((2, 1)))
        with pytest.raises(ValueError, match=f"lu_unpack: a pivot is between 1 and 2, got {wrong}"):
            rl.lu_unpack(LU, bad)


@pytest.mark.parametrize("shape", [(2, 4, 3), (2, 1, 4, 3), (0, 4, 3)])
def test_one_matrix_and_a_batch_of_right_sides(shape: tuple[int, ...]) -> None:
    a, b = general((4, 4)) + 4 * np.eye(4), general(shape, 1)
    x, y = to_rl(a, "float64"), to_rl(b, "float64")
    near(L.solve(x, y), np.linalg.solve(a, b), "float64", 100)
    assert L.solve_ex(x, y).info.tolist() == 0
    LU, pivots = L.lu_factor(x)
    near(L.lu_solve(LU, pivots, y), np.linalg.solve(a, b), "float64", 100)
    near(L.solve_triangular(x.tril(), y, upper=False), np.linalg.solve(np.tril(a), b), "float64", 100)


def test_the_power_of_a_matrix_is_an_integer() -> None:
    with pytest.raises(TypeError, match=r"matrix_power: n is an integer, got float 0\.5"):
        L.matrix_power(rl.eye(2), 0.5)  # type: ignore[arg-type]
    assert L.matrix_power(rl.eye(2) * 2, np.int64(3)).tolist() == [[8.0, 0.0], [0.0, 8.0]]


def test_a_product_along_any_axis_of_tensors_of_one_rank() -> None:
    x, y = general((2, 3, 4), 1), general((2, 3, 4), 2)
    for axis in (0, 1, 2):
        np.testing.assert_allclose(to_np(L.vecdot(rl.asarray(x), rl.asarray(y), dim=axis)), (x * y).sum(axis))
    with pytest.raises(IndexError, match="axis 0 is not one of the last 1"):
        L.vecdot(rl.asarray(x), rl.asarray(y[0, 0]), axis=0)


def test_norms_of_negative_order() -> None:
    for x in ([], [np.inf], [np.inf, 2.0], [0.0, 1.0]):
        with np.errstate(divide="ignore"):
            want = np.linalg.norm(np.array(x), -1)
        assert L.vector_norm(rl.tensor(x, dtype=rl.float64), -1).item() == want


ORDERS = ["fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")]


@pytest.mark.parametrize("ord", ORDERS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 0), (0, 2, 2)])
def test_norms_of_matrices_without_elements(shape: tuple[int, ...], ord: Any) -> None:
    x = np.zeros(shape)
    for keep in (False, True):
        try:
            want = np.linalg.matrix_norm(x, ord=ord, keepdims=keep)
        except ValueError:
            with pytest.raises(ValueError, match=r"^matrix_norm: .* no elements"):
                rl.linalg.matrix_norm(rl.asarray(x), ord, keepdims=keep)
            continue
        got = rl.linalg.matrix_norm(rl.asarray(x), ord, keepdims=keep)
        np.testing.assert_array_equal(np.asarray(got), want)


@pytest.mark.parametrize("p", [None, *ORDERS])
def test_condition_numbers_of_matrices_without_elements(p: Any) -> None:
    """0, as in PyTorch; NumPy raises an error."""
    for dtype in (rl.float32, rl.complex128):
        got = rl.linalg.cond(rl.zeros((2, 0, 0), dtype=dtype), p)
        assert got.tolist() == [0.0, 0.0]
        assert got.dtype == (rl.float32 if dtype == rl.float32 else rl.float64)
    if p in (None, 2, -2):
        assert rl.linalg.cond(rl.zeros((0, 3)), p).item() == 0.0


def test_errors_name_the_function_that_was_called() -> None:
    for call, text in (
        (lambda: rl.linalg.vector_norm(rl.tensor([1])), "^vector_norm: expected a floating-point"),
        (lambda: rl.linalg.vector_norm(rl.zeros(0), math.inf), "^vector_norm: .* no elements"),
        (lambda: rl.linalg.norm(rl.tensor([1]), 2), "^norm: expected a floating-point"),
        (lambda: rl.linalg.norm(rl.zeros((0, 0)), -1), "^norm: .* no elements"),
        (lambda: rl.norm(rl.zeros(0), -math.inf), "^norm: .* no elements"),
        (lambda: rl.linalg.det(rl.tensor([[1]])), "^det: expected float32, float64, complex64 or complex128"),
        (lambda: rl.stft(rl.ones(3), 8), "^stft: mode 'reflect'"),
        (lambda: rl.sample_logits(rl.tensor([math.nan, 1.0])), "^sample_logits: "),
        (
            lambda: rl.autograd.grad(rl.ones(1), rl.ones(1), create_graph=1),  # type: ignore[arg-type]
            "^grad: create_graph is a bool, got int",
        ),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            call()
