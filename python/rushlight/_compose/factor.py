"""Cholesky's and the LU factorization."""

from __future__ import annotations

from .. import _native as n
from .._check import typed
from .._native import Tensor
from ..return_types import LU, QR, CholeskyEx, LUFactor, LUFactorEx
from . import complex_linear
from .linalg_errors import LinAlgError, checked, matrices, square


@typed
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Returns Cholesky's factor L of positive definite matrices ``L @ L.mH``.

    Only one triangle of a matrix is read. The gradient is symmetric.

    Parameters
    ----------
    A
        Symmetric, or complex Hermitian, positive definite matrices.
    upper
        Whether to read the upper triangle, and to return the upper factor ``L.mH``.

    Returns
    -------
    Tensor
        Lower (upper) triangular matrices with a positive diagonal.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.cholesky(rl.tensor([[4.0, 2.0], [2.0, 10.0]])).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    if A.dtype.is_complex:
        return complex_linear.cholesky(A, upper)
    return n._cholesky(square("cholesky", A), upper)


@typed
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> CholeskyEx:
    """Returns Cholesky's factor without waiting for the device to tell that a matrix has one.

    Parameters
    ----------
    A
        Symmetric matrices.
    upper
        Whether to read the upper triangle, and to return the upper factor.
    check_errors
        Whether to raise an error for a matrix that is not positive definite.

    Returns
    -------
    CholeskyEx
        `L`, with NaN on the diagonal where there is no factor, and `info` (int32): 0, or the order of the
        first leading minor that is not positive.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite and `check_errors` is set.
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.cholesky_ex(rl.tensor([[1.0, 2.0], [2.0, 1.0]])).info.item()
    2
    """
    if A.dtype.is_complex:
        factor, info = complex_linear.cholesky_ex("cholesky_ex", A, upper)
    else:
        factor, info = n._cholesky_ex(square("cholesky_ex", A), upper)
    checked("cholesky_ex", info, check_errors)
    return CholeskyEx(factor, info)


def _pivots(op: str, pivot: bool) -> None:
    if not pivot:
        raise ValueError(f"{op}: rows are always exchanged; pivot=False is not supported")


@typed
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> LUFactorEx:
    """Returns the LU factorization of matrices, and which of their pivots is 0.

    Parameters
    ----------
    A
        Matrices.
    pivot
        Must be true: rows are exchanged so that the pivots are the largest elements.
    check_errors
        Whether to raise an error if a pivot is 0.

    Returns
    -------
    LUFactorEx
        `LU` with both factors, without the ones on the diagonal of the lower one; `pivots` (int32), the row
        that each row is exchanged with, from 1 on; `info` (int32): 0, or the number of the first pivot that
        is 0.

    Raises
    ------
    LinAlgError
        If a pivot is 0 and `check_errors` is set.
    ValueError
        If `A` has no two axes, or `pivot` is false.

    Examples
    --------
    >>> import rushlight as rl
    >>> LU, pivots, info = rl.linalg.lu_factor_ex(rl.tensor([[1.0, 2.0], [2.0, 8.0]]))
    >>> LU.tolist(), pivots.tolist(), info.item()
    ([[2.0, 8.0], [0.5, -2.0]], [2, 2], 0)
    """
    _pivots("lu_factor_ex", pivot)
    factors, pivots, info = n._lu_factor_ex(matrices("lu_factor_ex", A))
    checked("lu_factor_ex", info, check_errors)
    return LUFactorEx(factors, pivots, info)


@typed
def lu_factor(A: Tensor, *, pivot: bool = True) -> LUFactor:
    """Returns the LU factorization of matrices with exchanges of rows, for `lu_solve`.

    Parameters
    ----------
    A
        Matrices.
    pivot
        Must be true: rows are exchanged so that the pivots are the largest elements.

    Returns
    -------
    LUFactor
        `LU` with both factors, without the ones on the diagonal of the lower one, and `pivots` (int32), the
        row that each row is exchanged with, from 1 on.

    Raises
    ------
    LinAlgError
        If a pivot of a square matrix is 0.
    ValueError
        If `A` has no two axes, or `pivot` is false.

    Examples
    --------
    >>> import rushlight as rl
    >>> LU, pivots = rl.linalg.lu_factor(rl.tensor([[1.0, 2.0], [2.0, 8.0]]))
    >>> rl.linalg.lu_solve(LU, pivots, rl.tensor([[5.0], [18.0]])).tolist()
    [[1.0], [2.0]]
    """
    _pivots("lu_factor", pivot)
    factors, pivots, info = n._lu_factor_ex(matrices("lu_factor", A))
    if info.size and n.any(info != 0).item():
        raise LinAlgError(f"lu_factor: a pivot is 0; info is {info.tolist()}")
    return LUFactor(factors, pivots)


@typed
def lu(A: Tensor, *, pivot: bool = True) -> LU:
    """Returns the factors of matrices ``P @ L @ U``.

    Parameters
    ----------
    A
        Matrices of shape ``(..., m, n)``, also singular ones.
    pivot
        Must be true: rows are exchanged so that the pivots are the largest elements.

    Returns
    -------
    LU
        `P`, which permutes rows; `L`, lower triangular of shape ``(..., m, k)`` with ones on the diagonal;
        and `U`, upper triangular of shape ``(..., k, n)``, for ``k = min(m, n)``.

    Raises
    ------
    ValueError
        If `A` has no two axes, or `pivot` is false.

    Examples
    --------
    >>> import rushlight as rl
    >>> P, L, U = rl.linalg.lu(rl.tensor([[1.0, 2.0], [2.0, 8.0]]))
    >>> L.tolist(), U.tolist()
    ([[1.0, 0.0], [0.5, 1.0]], [[2.0, 8.0], [0.0, -2.0]])
    >>> (P @ L @ U).tolist()
    [[1.0, 2.0], [2.0, 8.0]]
    """
    _pivots("lu", pivot)
    factors, pivots, _ = n._lu_factor_ex(matrices("lu", A))
    return LU(*n._lu_unpack(factors, pivots))


@typed
def qr(A: Tensor, mode: str = "reduced") -> QR:
    """Returns the factors of matrices ``Q @ R``.

    Parameters
    ----------
    A
        Matrices of shape ``(..., m, n)``; ``k = min(m, n)``.
    mode
        ``"reduced"``: `Q` of shape ``(..., m, k)`` and `R` of shape ``(..., k, n)``. ``"complete"``: `Q` of
        shape ``(..., m, m)`` and `R` of shape ``(..., m, n)``. ``"r"``: `R` of shape ``(..., k, n)``, and an
        empty `Q`.

    Returns
    -------
    QR
        `Q`, with orthonormal columns, and `R`, upper triangular, with the signs that LAPACK gives its
        diagonal. There is no gradient in the mode ``"r"``, and none in the mode ``"complete"`` if ``m > n``.

    Raises
    ------
    ValueError
        If `A` has no two axes, or `mode` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> Q, R = rl.linalg.qr(rl.tensor([[3.0], [4.0]]))
    >>> R.tolist()
    [[-5.0]]
    >>> Q.shape
    (2, 1)
    """
    Q, R = n._qr(matrices("qr", A), mode)
    return QR(n.zeros(0, dtype=R.dtype, device=R.device) if mode == "r" else Q, R)
