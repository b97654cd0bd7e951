"""Systems, inverses, Cholesky's and LU factors and determinants of complex matrices.

A complex matrix acts on real and imaginary parts as the real matrix ``[[re, -im], [im, re]]`` of twice the
size, so that the real functions solve complex systems. With the parts of each element beside each other
that matrix of a Hermitian one has Cholesky's factor of the same kind.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .. import _native as n
from .. import _types as t
from .._native import Tensor
from .linalg_errors import LinAlgError, check_square
from .matrices import diagonal


def _real_matrix(A: Tensor) -> Tensor:
    re, im = n._real(A), n._imag(A)
    return n.concat((n.concat((re, -im), -1), n.concat((im, re), -1)), -2)


def _pairs(A: Tensor) -> Tensor:
    """Return the same matrices, in which the parts of each element lie beside each other."""
    re, im = n._real(A), n._imag(A)
    pairs = n.stack((n.stack((re, -im), -1), n.stack((im, re), -1)), -3)
    return n.reshape(pairs, (*A.shape[:-2], 2 * A.shape[-2], 2 * A.shape[-1]))


def _complex_rows(x: Tensor) -> Tensor:
    """Return complex matrices whose real parts are above their imaginary ones."""
    rows = x.shape[-2] // 2
    return n._complex(x.narrow(-2, 0, rows), x.narrow(-2, rows, rows))


@contextlib.contextmanager
def _singular(op: str) -> Iterator[None]:
    """Leave the row of the real matrix out of the error of a singular one."""
    try:
        yield
    except LinAlgError:
        raise LinAlgError(f"{op}: a matrix is singular") from None


def solve(A: Tensor, B: Tensor, left: bool) -> Tensor:
    """Return X with ``A @ X = B``, or ``X @ A = B``, where `B` are matrices."""
    if not left:
        return solve(A.mT, B.mT, True).mT
    if A.shape[-1] != B.shape[-2]:
        raise ValueError(f"solve: matrices of shape {A.shape} do not fit right sides of shape {B.shape}")
    parts = n.concat((n._real(B), n._imag(B)), -2)
    with _singular("solve"):
        return _complex_rows(n._solve(_real_matrix(A), parts, True))


def inv(A: Tensor) -> Tensor:
    """Return the inverses of square matrices."""
    check_square("inv", A)
    with _singular("inv"):
        whole = n._inv(_real_matrix(A))
    return _complex_rows(whole.narrow(-1, 0, A.shape[-1]))


def solve_triangular(A: Tensor, B: Tensor, upper: bool, left: bool, unit: bool) -> Tensor:
    """Return X with ``A @ X = B`` or ``X @ A = B``, where A are triangular."""
    if not left:
        return solve_triangular(A.mT, B.mT, not upper, True, unit).mT
    if A.shape[-1] != B.shape[-2]:
        raise ValueError(f"solve_triangular: shapes {A.shape} and {B.shape} do not fit")
    if not unit:
        # Of pairs of parts, the matrix is triangular if its diagonal is real.
        pivots = n.expand_dims(diagonal(A, 0, -2, -1), -1)
        A, B = A / pivots, B / pivots
    pairs = _pairs(n.triu(A, 1) if upper else n.tril(A, -1))
    rows = n.reshape(n.stack((n._real(B), n._imag(B)), -2), (*B.shape[:-2], 2 * B.shape[-2], B.shape[-1]))
    found = n._solve_triangular(pairs, rows, upper, True, True)
    parts = n.reshape(found, (*found.shape[:-2], B.shape[-2], 2, B.shape[-1]))
    return n._complex(parts[..., 0, :], parts[..., 1, :])


def lu_factor_ex(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return LU factors, pivots, and which pivot is the first that is 0.

    A pivot is the element with the largest sum of the magnitudes of its parts, as in LAPACK.
    """
    *batch, rows, columns = A.shape
    index = n.arange(rows, device=A.device)
    info = n.zeros(batch, dtype=t.int32, device=A.device)
    pivots = []
    for k in range(min(rows, columns)):
        column = A.detach()[..., k:, k]
        chosen = n.argmax(n.abs(n._real(column)) + n.abs(n._imag(column)), axis=-1) + k
        pivots.append(chosen + 1)
        other = n.expand_dims(chosen, -1)
        order = n.where(index == k, other, n.where(index == other, k, index))
        A = n.take_along_axis(A, n.broadcast_to(n.expand_dims(order, -1), A.shape), -2)
        pivot = A[..., k : k + 1, k : k + 1]
        info = n.where((info == 0) & (pivot[..., 0, 0] == 0), k + 1, info)
        factors = A[..., k + 1 :, k : k + 1] / n.where(pivot == 0, 1.0, pivot)
        rest = A[..., k + 1 :, k + 1 :] - factors * A[..., k : k + 1, k + 1 :]
        A = n.concat((A[..., : k + 1, :], n.concat((A[..., k + 1 :, :k], factors, rest), -1)), -2)
    none = n.zeros((*batch, 0), dtype=t.int32, device=A.device)
    return A, n.stack(pivots, -1).astype(t.int32) if pivots else none, info.astype(t.int32)


def lu_unpack(LU: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return P, L and U of LU factors."""
    P, lower, upper = n._lu_unpack(n._real(LU), pivots)
    _, _, other = n._lu_unpack(n._imag(LU), pivots)
    below = n.tril(n._imag(LU)[..., : lower.shape[-1]], -1)
    return P.astype(LU.dtype), n._complex(lower, below), n._complex(upper, other)


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    """Return X with ``A @ X = B`` or ``X @ A = B`` by the factors of A; `adjoint` takes the adjoint of A."""
    if not left:
        return lu_solve(LU, pivots, B.mH, True, not adjoint).mH
    P = n._lu_unpack(n._real(LU), pivots)[0].astype(LU.dtype)
    if adjoint:
        inner = solve_triangular(LU.mH, B, False, True, False)
        return n.matmul(P, solve_triangular(LU.mH, inner, True, True, True))
    inner = solve_triangular(LU, n.matmul(P.mT, B), False, True, True)
    return solve_triangular(LU, inner, True, True, False)


def inv_ex(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the inverses of square matrices, and numbers of the first pivot that is 0."""
    LU, pivots, info = lu_factor_ex(A)
    eye = n.eye(A.shape[-1], dtype=A.dtype, device=A.device)
    return lu_solve(LU, pivots, eye, True, False), info


def cholesky_ex(op: str, A: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    """Return Cholesky's factors of Hermitian matrices, and orders of leading minors that are not positive."""
    check_square(op, A)
    size = A.shape[-1]
    factor, info = n._cholesky_ex(_pairs(A), upper)
    parts = n.reshape(factor, (*A.shape[:-2], size, 2, size, 2))
    return n._complex(parts[..., 0, :, 0], parts[..., 1, :, 0]), (info + 1) // 2


def cholesky(A: Tensor, upper: bool) -> Tensor:
    """Return Cholesky's factors of Hermitian positive definite matrices."""
    factor, info = cholesky_ex("cholesky", A, upper)
    if bool(n.any(info != 0)):
        order = int(n.amax(info))
        raise LinAlgError(
            f"cholesky: a matrix is not positive definite: its leading minor of order {order} is not positive"
        )
    return factor


def _pivots(op: str, A: Tensor) -> list[Tensor]:
    """Return the pivots of an elimination with exchanges of rows, each with the sign of its exchange."""
    check_square(op, A)
    found = []
    rest = A
    for _ in range(A.shape[-1]):
        rows = rest.shape[-2]
        chosen = n.argmax(n.abs(rest.detach()[..., 0]), axis=-1, keepdims=True)
        at = n.expand_dims(chosen, -1)
        row = n.take_along_axis(rest, n.broadcast_to(at, (*rest.shape[:-2], 1, rows)), -2)
        here = n.expand_dims(n.arange(rows, device=A.device), -1) == at
        rest = n.where(here, rest.narrow(-2, 0, 1), rest)
        pivot = row[..., 0, 0]
        found.append(n.where(chosen[..., 0] == 0, pivot, -pivot))
        if rows > 1:
            safe = n.expand_dims(n.where(pivot == 0, 1.0, pivot), (-1, -2))
            factors = rest[..., 1:, :1] / safe
            rest = rest[..., 1:, 1:] - factors * row[..., 1:]
    return found


def det(A: Tensor) -> Tensor:
    """Return the determinants of square matrices."""
    out = n.ones(A.shape[:-2], dtype=A.dtype, device=A.device)
    for pivot in _pivots("det", A):
        out = out * pivot
    return out


def slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the directions of determinants and the logarithms of their magnitudes."""
    parts = t.float64 if A.dtype == t.complex128 else t.float32
    sign = n.ones(A.shape[:-2], dtype=A.dtype, device=A.device)
    size = n.zeros(A.shape[:-2], dtype=parts, device=A.device)
    for pivot in _pivots("slogdet", A):
        sign = sign * n._sgn(pivot)
        size = size + n.log(n.abs(pivot))
    return sign, size
