"""Pseudoinverses, solutions by least squares, ranks and conditions: functions of singular values."""

from __future__ import annotations

import builtins
import math
from typing import Any

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._compose import complex_linear
from .._compose.linalg_errors import floats, matrices, square
from .._native import Tensor
from ..autograd._function import Function
from ..return_types import Lstsq
from ._norms import matrix_norm

Tolerance = float | Tensor | None


def _epsilon(x: Tensor) -> float:
    return 2.0**-23 if x.dtype in (t.float32, t.complex64) else 2.0**-52


def _bounds(x: Tensor, sizes: Tensor, atol: Tolerance, rtol: Tolerance) -> Tensor:
    """Return the numbers up to which singular values count as 0; `sizes` are their magnitudes."""
    if rtol is None:
        # An absolute bound alone is the only one, as in PyTorch.
        given = atol is not None and (isinstance(atol, Tensor) or atol > 0)
        rtol = 0.0 if given else max(x.shape[-2:]) * _epsilon(x)
    largest = (
        n.amax(sizes, axis=-1)
        if sizes.shape[-1]
        else n.zeros(sizes.shape[:-1], dtype=sizes.dtype, device=sizes.device)
    )
    return n.maximum(largest * rtol, 0.0 if atol is None else atol)


def _rank(x: Tensor, sizes: Tensor, atol: Tolerance, rtol: Tolerance) -> Tensor:
    """Return the numbers of singular values that do not count as 0."""
    bounds = _bounds(x, sizes, atol, rtol)
    return n.sum(sizes > n.expand_dims(bounds, -1), axis=-1, dtype=t.int64)


def _magnitudes(op: str, x: Tensor, hermitian: bool) -> Tensor:
    return n.abs(n._eigvalsh(square(op, x, or_complex=True), False)) if hermitian else n._svdvals(x)


def _factors(x: Tensor, hermitian: builtins.bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return orthonormal columns, values and orthonormal rows, of which the pseudoinverse consists."""
    x = x.detach()
    if hermitian:
        values, vectors = n._eigh(x, False)
        return vectors, values, vectors.mH
    u, values, vh = n._svd(x, False)
    return vh.mH, values, u.mH


class _Pinv(Function):
    """The gradient of Golub and Pereyra 1973, eq. 4.12: it needs a constant rank, and no distinct values."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, factors: tuple[Tensor, Tensor, Tensor], atol: Tolerance, rtol: Tolerance
    ) -> Tensor:
        left, values, right = factors
        sizes = n.abs(values)
        used = sizes > n.expand_dims(_bounds(x, sizes, atol, rtol), -1)
        inverse = n.where(used, 1 / n.where(used, values, 1.0), 0.0)
        out = n.matmul(left * n.expand_dims(inverse, -2), right)
        ctx.save_for_backward(x, out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, p = ctx.saved_tensors
        pt, gt = p.mH, grad.mH
        first = n.matmul(n.matmul(pt, grad), pt)
        left = n.matmul(gt, p)
        left = n.matmul(left - n.matmul(x, n.matmul(p, left)), pt)
        right = n.matmul(p, gt)
        right = n.matmul(pt, right - n.matmul(n.matmul(right, p), x))
        return left + right - first, None, None, None


@typed
def pinv(
    A: Tensor,
    rcond: Tolerance = None,
    hermitian: builtins.bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
) -> Tensor:
    """Returns the pseudoinverses (Moore and Penrose) of matrices.

    Parameters
    ----------
    A
        Matrices of shape ``(..., m, n)``, real or complex.
    rcond, rtol
        One parameter: singular values up to this part of the largest one count as 0. The default is the
        larger size times the rounding error of the dtype, or 0 where `atol` is given.
    hermitian
        Whether the matrices are symmetric or Hermitian; then their lower triangles are read.
    atol
        Singular values up to this number count as 0.

    Returns
    -------
    Tensor
        Shape ``(..., n, m)``. The gradient is that of matrices whose rank does not change.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If `A` has no two axes.
    TypeError
        If `rcond` and `rtol` are given.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.pinv(rl.tensor([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])).tolist()
    [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    if rcond is not None and rtol is not None:
        raise TypeError("pinv: rcond and rtol are one parameter; give one")
    x = (square if hermitian else matrices)("pinv", A, or_complex=True)
    if x.size == 0:
        return n.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=x.dtype, device=x.device)
    out: Tensor = _Pinv.apply(x, _factors(x, hermitian), atol, rtol if rcond is None else rcond)
    return out


@typed
def matrix_rank(
    A: Tensor,
    tol: Tolerance = None,
    hermitian: builtins.bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
) -> Tensor:
    """Returns the ranks of matrices: the number of singular values that do not count as 0.

    Parameters
    ----------
    A
        Matrices of shape ``(..., m, n)``, real or complex.
    tol, atol
        One parameter: singular values up to this number count as 0.
    hermitian
        Whether the matrices are symmetric or Hermitian; then their lower triangles are read.
    rtol
        Singular values up to this part of the largest one count as 0. The default is the larger size times
        the rounding error of the dtype, or 0 where `atol` is given.

    Returns
    -------
    Tensor
        int64, one number for each matrix.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If `A` has no two axes.
    TypeError
        If `tol` and `atol` are given.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.matrix_rank(rl.ones((3, 3))).item()
    1
    """
    if tol is not None and atol is not None:
        raise TypeError("matrix_rank: tol and atol are one parameter; give one")
    x = matrices("matrix_rank", A, or_complex=True).detach()
    sizes = _magnitudes("matrix_rank", x, hermitian)
    return _rank(x, sizes, atol if tol is None else tol, rtol)


@typed
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Lstsq:
    """Solves systems by least squares: returns X for which the norm of ``A @ X - B`` is smallest.

    Parameters
    ----------
    A
        Matrices of shape ``(..., m, n)``, real or complex, of any rank. Where several X are best, the one of
        the smallest norm is returned.
    B
        Matrices of shape ``(..., m, k)``; or vectors of shape ``A.shape[:-1]``. Batches broadcast.
    rcond
        Singular values up to this part of the largest one count as 0. The default is the larger size times
        the rounding error of the dtype.
    driver
        A name that PyTorch accepts (``"gels"``, ``"gelsy"``, ``"gelsd"``, ``"gelss"``). There is one
        algorithm, by the pseudoinverse.

    Returns
    -------
    Lstsq
        `solution`, of shape ``(..., n, k)``; `residuals`, the sums of squared magnitudes of the columns of
        ``A @ X - B`` where ``m > n`` and all matrices have rank n, else empty; `rank`; and
        `singular_values`.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> A = rl.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> solution, residuals, rank, _ = rl.linalg.lstsq(A, rl.tensor([[1.0], [2.0], [3.0]]))
    >>> solution.tolist(), residuals.tolist(), rank.item()
    ([[1.0], [2.0]], [9.0], 2)
    """
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise ValueError(f"lstsq: driver is None, 'gels', 'gelsy', 'gelsd' or 'gelss', got {driver!r}")
    A, B = floats("lstsq", matrices("lstsq", A, or_complex=True), B, or_complex=True)
    vector = B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]
    right = n.expand_dims(B, -1) if vector else B
    if right.ndim < 2 or right.shape[-2] != A.shape[-2]:
        raise ValueError(f"lstsq: shapes {A.shape} and {B.shape} do not fit")
    factors = _factors(A, False)
    values = factors[1]
    rank = _rank(A, values, None, rcond)
    X = n.matmul(_Pinv.apply(A, factors, None, rcond), right)
    rows, columns = A.shape[-2:]
    residuals = n.zeros(0, dtype=A.dtype, device=A.device)
    if rows > columns and n.all(rank == columns).item():
        residuals = n.sum(n.square(n.abs(n.matmul(A, X) - right)), axis=-2)
        residuals = n.squeeze(residuals, -1) if vector else residuals
    return Lstsq(n.squeeze(X, -1) if vector else X, residuals, rank, values)


@typed
def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """Returns condition numbers of matrices: the norm of a matrix times that of its inverse.

    Parameters
    ----------
    A
        Matrices, real or complex; square ones unless `p` is None, 2 or -2.
    p
        The norm, as `ord` of `matrix_norm`. None is 2: the largest singular value divided by the smallest.

    Returns
    -------
    Tensor
        One number for each matrix: infinity for singular ones, 0 for those without elements.

    Raises
    ------
    LinAlgError
        If `p` is None, 2 or -2 and a matrix has elements that are infinite or NaN.
    ValueError
        If the matrices must be square and are not, or there is no norm of this name.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.cond(rl.tensor([[4.0, 0.0], [0.0, 0.5]])).item()
    8.0
    """
    if p in (None, 2, -2):
        values = n._svdvals(matrices("cond", A, or_complex=True))
        if values.shape[-1] == 0:
            return n.zeros(values.shape[:-1], dtype=values.dtype, device=A.device)
        first, last = values[..., 0], values[..., -1]
        return last / first if p == -2 else n.where((first == 0) & (last == 0), math.inf, first / last)
    x = square("cond", A, or_complex=True)
    if x.shape[-1] == 0:
        return matrix_norm(x, "fro" if p in (-1, -math.inf) else p)
    inverse, info = complex_linear.inv_ex(x) if x.dtype.is_complex else n._inv_ex(x)
    product = matrix_norm(x, p) * matrix_norm(inverse, p)
    return n.where(info != 0, math.inf, product)
