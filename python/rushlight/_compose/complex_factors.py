"""Triangular systems, LU factors and numbers of singular pivots of complex matrices.

Matrices are split in halves, down to one column, so that most of the work is products of matrices.
"""

from __future__ import annotations

from .. import _native as n
from .. import _types as t
from .._native import Tensor
from .complex import conj
from .linalg_errors import check_square
from .shapes import broadcast_shapes

Part = tuple[Tensor, Tensor]


def solve_triangular(op: str, A: Tensor, B: Tensor, upper: bool, left: bool, unit: bool) -> Tensor:
    """Return X with ``A @ X = B``, or ``X @ A = B``, for triangular A; the other triangle is not read."""
    check_square(op, A)
    if B.ndim < 2 or A.shape[-1] != B.shape[-2 if left else -1]:
        raise ValueError(f"{op}: matrices of shape {A.shape} do not fit right sides of shape {B.shape}")
    if not left:
        return solve_triangular(op, A.mT, B.mT, not upper, True, unit).mT
    dtype = n._promote(A, B)
    batch = broadcast_shapes(A.shape[:-2], B.shape[:-2])
    B = n.broadcast_to(B.astype(dtype, copy=False), (*batch, *B.shape[-2:]))
    return _solved(A.astype(dtype, copy=False), B, upper, unit)


def _solved(A: Tensor, B: Tensor, upper: bool, unit: bool) -> Tensor:
    size = A.shape[-1]
    if size <= 1:
        return B if unit or size == 0 else B / A
    half = size // 2
    first, last = A[..., :half, :half], A[..., half:, half:]
    above, below = B[..., :half, :], B[..., half:, :]
    if upper:
        below = _solved(last, below, upper, unit)
        above = _solved(first, above - n.matmul(A[..., :half, half:], below), upper, unit)
    else:
        above = _solved(first, above, upper, unit)
        below = _solved(last, below - n.matmul(A[..., half:, :half], above), upper, unit)
    return n.concat((above, below), -2)


def _pivots(A: Tensor) -> Part:
    """Return the exchanges of rows (from 1 on) and the number of the first pivot that is 0, both int32."""
    batch, (height, width) = A.shape[:-2], A.shape[-2:]
    info = n.zeros(batch, dtype=t.int32, device=A.device)
    found, rest = [], A.detach()
    for step in range(min(height, width)):
        rows = height - step
        column = rest[..., 0]
        # The size of an element is the sum of its parts' magnitudes, as in LAPACK.
        sizes = n.abs(n._real(column)) + n.abs(n._imag(column))
        chosen = n.argmax(sizes, axis=-1, keepdims=True)
        found.append(chosen + (step + 1))
        at = n.expand_dims(chosen, -1)
        row = n.take_along_axis(rest, n.broadcast_to(at, (*batch, 1, width - step)), -2)
        here = n.expand_dims(n.arange(rows, device=A.device), -1) == at
        rest = n.where(here, rest.narrow(-2, 0, 1), rest)
        pivot = row[..., 0, 0]
        zero = pivot == 0
        info = n.where(n.logical_and(info == 0, zero), step + 1, info)
        factors = rest[..., 1:, :1] / n.expand_dims(n.where(zero, 1.0, pivot), (-1, -2))
        rest = rest[..., 1:, 1:] - factors * row[..., 1:]
    if not found:
        return n.zeros((*batch, 0), dtype=t.int32, device=A.device), info
    return n.concat(found, -1).astype(t.int32), info.astype(t.int32)


def _eliminated(A: Tensor) -> Tensor:
    """Return both factors of matrices whose rows are in order, the lower one without its ones."""
    height, width = A.shape[-2:]
    if height <= 1 or width == 0:
        return A
    if width == 1:
        head = A[..., :1, :]
        return n.concat((head, A[..., 1:, :] / n.where(head == 0, 1.0, head)), -2)
    half = max(min(height, width) // 2, 1)
    left, right = _eliminated(A[..., :half]), A[..., half:]
    above = _solved(left[..., :half, :], right[..., :half, :], False, True)
    below = _eliminated(right[..., half:, :] - n.matmul(left[..., half:, :], above))
    return n.concat((left, n.concat((above, below), -2)), -1)


def _rows(x: Tensor, order: Tensor) -> Tensor:
    """Return rows in another order."""
    batch = broadcast_shapes(x.shape[:-2], order.shape[:-1])
    x = n.broadcast_to(x, (*batch, *x.shape[-2:]))
    index = n.broadcast_to(n.expand_dims(order, -1), (*batch, order.shape[-1], x.shape[-1]))
    return n.take_along_axis(x, index, -2)


def _order(pivots: Tensor, rows: int) -> Tensor:
    """Return the row of the matrix that is each row of ``L @ U``."""
    empty = n.zeros((*pivots.shape[:-1], rows, pivots.shape[-1]), dtype=t.float32, device=pivots.device)
    return n.argmax(n._lu_unpack(empty, pivots)[0], axis=-2)


def lu_factor_ex(op: str, A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return both factors as one tensor, the exchanges of rows, and the number of the first pivot of 0."""
    if A.ndim < 2:
        raise ValueError(f"{op}: expected a matrix or a batch of matrices, got shape {A.shape}")
    pivots, info = _pivots(A)
    return _eliminated(_rows(A, _order(pivots, A.shape[-2]))), pivots, info


def lu_unpack(LU: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return P, L and U."""
    size = min(LU.shape[-2:])
    P = n._lu_unpack(n.zeros(LU.shape, dtype=t.float32, device=LU.device), pivots)[0]
    ones = n.eye(LU.shape[-2], size, dtype=LU.dtype, device=LU.device)
    return P.astype(LU.dtype), n.tril(LU[..., :size], k=-1) + ones, n.triu(LU[..., :size, :])


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    """Return X with ``A @ X = B``, or ``X @ A = B``, for A with these factors or its adjoint."""
    op = "lu_solve"
    if not left:
        if adjoint:
            return conj(lu_solve(LU, pivots, conj(B.mT), True, False).mT)
        return lu_solve(conj(LU), pivots, B.mT, True, True).mT
    order = _order(pivots, LU.shape[-2])
    if adjoint:
        A = conj(LU.mT)
        Y = solve_triangular(op, A, B, False, True, False)
        return _rows(solve_triangular(op, A, Y, True, True, True), n.argsort(order, axis=-1))
    Y = solve_triangular(op, LU, _rows(B, order), False, True, True)
    return solve_triangular(op, LU, Y, True, True, False)


def solve_ex(op: str, A: Tensor, B: Tensor, left: bool) -> Part:
    """Return the solutions of systems, and the number of the first pivot that is 0."""
    LU, pivots, info = lu_factor_ex(op, A)
    return lu_solve(LU, pivots, B, left, False), info


def inv_ex(op: str, A: Tensor) -> Part:
    """Return inverses, and the number of the first pivot that is 0."""
    check_square(op, A)
    return solve_ex(op, A, n.eye(A.shape[-1], dtype=A.dtype, device=A.device), True)
