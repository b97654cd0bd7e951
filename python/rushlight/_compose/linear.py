"""Functions of `rushlight.linalg` by PyTorch's older names."""

from __future__ import annotations

import builtins

from .. import _native as n
from .._check import typed
from .._native import Tensor
from ..return_types import LU, QR, USV
from . import complex_linear
from .decompose import svd as _svd
from .exponential import matrix_exp
from .factor import cholesky as _cholesky
from .factor import qr as _qr
from .linalg_errors import check_pivots, check_square, floats, matrices, square
from .powers import matrix_power
from .solve import det, inv, slogdet, solve
from .solve import lu_solve as _lu_solve

__all__ = [
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "det",
    "inverse",
    "logdet",
    "lu_solve",
    "lu_unpack",
    "matrix_exp",
    "matrix_power",
    "pinverse",
    "qr",
    "slogdet",
    "svd",
]

inverse = inv


@typed
def cholesky(input: Tensor, upper: builtins.bool = False) -> Tensor:
    """Returns Cholesky's factor of positive definite matrices: `rushlight.linalg.cholesky`.

    Parameters
    ----------
    input
        Symmetric positive definite matrices.
    upper
        Whether to read the upper triangle, and to return the upper factor.

    Returns
    -------
    Tensor
        Triangular matrices with a positive diagonal.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cholesky(rl.tensor([[4.0]])).tolist()
    [[2.0]]
    """
    return _cholesky(input, upper=upper)


@typed
def cholesky_solve(B: Tensor, L: Tensor, upper: builtins.bool = False) -> Tensor:
    """Solves systems by Cholesky's factors of their matrices.

    Parameters
    ----------
    B
        Right sides: matrices.
    L
        Factors, as `rushlight.linalg.cholesky` returns them.
    upper
        Whether they are upper ones.

    Returns
    -------
    Tensor
        X with ``L @ L.mT @ X = B``, or with ``L.mT @ L @ X = B``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cholesky_solve(rl.tensor([[8.0]]), rl.tensor([[2.0]])).tolist()
    [[2.0]]
    """
    if B.dtype.is_complex or L.dtype.is_complex:
        check_square("cholesky_solve", L)
        dtype = n._promote(B, L)
        lower = n.tril(L.mH if upper else L).astype(dtype)
        return solve(lower.mH, solve(lower, B.astype(dtype)))
    L = square("cholesky_solve", L)
    B, L = floats("cholesky_solve", B, L)
    lower = L.mT if upper else L
    return n._solve_triangular(lower.mT, n._solve_triangular(lower, B, False, True, False), True, True, False)


@typed
def cholesky_inverse(L: Tensor, upper: builtins.bool = False) -> Tensor:
    """Returns inverses of matrices from their Cholesky factors.

    Parameters
    ----------
    L
        Factors, as `rushlight.linalg.cholesky` returns them.
    upper
        Whether they are upper ones.

    Returns
    -------
    Tensor
        The inverses of ``L @ L.mH``, or of ``L.mH @ L``.

    Raises
    ------
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cholesky_inverse(rl.tensor([[2.0]])).tolist()
    [[0.25]]
    """
    if not L.dtype.is_complex:
        L = square("cholesky_inverse", L)
    return cholesky_solve(n.eye(L.shape[-1], dtype=L.dtype, device=L.device), L, upper)


@typed
def logdet(input: Tensor) -> Tensor:
    """Returns the logarithms of determinants.

    Parameters
    ----------
    input
        Square matrices.

    Returns
    -------
    Tensor
        One number for each matrix: NaN for a negative determinant, ``-inf`` for 0. Complex
        for complex matrices.

    Raises
    ------
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.logdet(rl.eye(3)).item()
    0.0
    """
    sign, size = slogdet(input)
    if sign.dtype.is_complex:
        return size + n.log(sign)
    return n.where(sign < 0, float("nan"), size)


@typed
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Solves systems by the LU factorization of their matrices: `rushlight.linalg.lu_solve`.

    Parameters
    ----------
    b
        Right sides: matrices.
    LU_data, LU_pivots
        The results of `rushlight.linalg.lu_factor`.

    Returns
    -------
    Tensor
        The solutions.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a pivot is not the number of a row.

    Examples
    --------
    >>> import rushlight as rl
    >>> LU, pivots = rl.linalg.lu_factor(rl.tensor([[2.0]]))
    >>> rl.lu_solve(rl.tensor([[8.0]]), LU, pivots).tolist()
    [[4.0]]
    """
    return _lu_solve(LU_data, LU_pivots, b)


@typed
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: builtins.bool = True,
    unpack_pivots: builtins.bool = True,
) -> LU:
    """Returns P, L and U of the results of `rushlight.linalg.lu_factor`.

    Parameters
    ----------
    LU_data, LU_pivots
        Factors and pivots.
    unpack_data
        Whether to return L and U; otherwise they are empty.
    unpack_pivots
        Whether to return P; otherwise it is empty.

    Returns
    -------
    LU
        `P`, `L` and `U` with ``P @ L @ U`` the matrix.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a pivot is not the number of a row.

    Examples
    --------
    >>> import rushlight as rl
    >>> P, L, U = rl.lu_unpack(*rl.linalg.lu_factor(rl.tensor([[0.0, 1.0], [2.0, 0.0]])))
    >>> (P @ L @ U).tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    check_pivots("lu_unpack", LU_pivots, LU_data.shape[-2] if LU_data.ndim > 1 else 0)
    unpack = complex_linear.lu_unpack if LU_data.dtype.is_complex else n._lu_unpack
    P, L, U = unpack(LU_data, LU_pivots)
    nothing = n.zeros(0, dtype=LU_data.dtype, device=LU_data.device)
    return LU(P if unpack_pivots else nothing, *((L, U) if unpack_data else (nothing, nothing)))


@typed
def qr(input: Tensor, some: builtins.bool = True) -> QR:
    """Returns the factors of matrices ``Q @ R``: `rushlight.linalg.qr`.

    Parameters
    ----------
    input
        Matrices.
    some
        Whether `Q` has as many columns as the smaller side; otherwise it is square.

    Returns
    -------
    QR
        `Q` and `R`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.qr(rl.tensor([[3.0], [4.0]])).R.tolist()
    [[-5.0]]
    """
    return _qr(input, "reduced" if some else "complete")


@typed
def svd(input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True) -> USV:
    """Returns the singular value decomposition of matrices ``U @ diag(S) @ V.mH``.

    `rushlight.linalg.svd` returns ``V.mH`` in place of V.

    Parameters
    ----------
    input
        Matrices.
    some
        Whether U and V have as many columns as there are values; otherwise they are square.
    compute_uv
        False gives zeros for U and V, which are square then.

    Returns
    -------
    USV
        `U`, `S` and `V`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.svd(rl.tensor([[3.0], [4.0]]))[1].tolist()
    [5.0]
    """
    if not compute_uv:
        x = matrices("svd", input, or_complex=True)
        sizes = n._svdvals(x)
        lead, (rows, columns) = x.shape[:-2], x.shape[-2:]
        zeros = [n.zeros((*lead, k, k), dtype=x.dtype, device=x.device) for k in (rows, columns)]
        return USV(zeros[0], sizes, zeros[1])
    U, S, Vh = _svd(input, not some)
    return USV(U, S, Vh.mH)


@typed
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Returns the pseudoinverses of matrices: `rushlight.linalg.pinv`.

    Parameters
    ----------
    input
        Matrices.
    rcond
        Singular values up to this part of the largest one count as 0.

    Returns
    -------
    Tensor
        The pseudoinverses.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.pinverse(rl.tensor([[2.0], [0.0]])).tolist()
    [[0.5, 0.0]]
    """
    # Its gradient needs `autograd`, which is imported after this module.
    from ..linalg import pinv

    return pinv(input, rtol=rcond)
