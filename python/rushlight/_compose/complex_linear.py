"""Systems, inverses, Cholesky's factors and determinants of complex matrices.

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


def _real_matrix(A: Tensor) -> Tensor:
    re, im = n._real(A), n._imag(A)
    return n.concat((n.concat((re, -im), -1), n.concat((im, re), -1)), -2)


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


def inv_ex(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the inverses of square matrices, and numbers that are not 0 where there is none."""
    whole, info = n._inv_ex(_real_matrix(A))
    return _complex_rows(whole.narrow(-1, 0, A.shape[-1])), info


def cholesky_ex(op: str, A: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    """Return Cholesky's factors of Hermitian matrices, and orders of leading minors that are not positive."""
    check_square(op, A)
    re, im = n._real(A), n._imag(A)
    size = A.shape[-1]
    pairs = n.stack((n.stack((re, -im), -1), n.stack((im, re), -1)), -3)
    factor, info = n._cholesky_ex(n.reshape(pairs, (*A.shape[:-2], 2 * size, 2 * size)), upper)
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
