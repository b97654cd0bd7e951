"""Solutions of systems, inverses and determinants."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import _native as n
from .._check import typed
from .._native import Tensor
from ..return_types import InverseEx, Slogdet, SolveEx
from . import complex_linear
from .axes import all_axes
from .linalg_errors import check_pivots, check_square, checked, floats, square
from .shapes import moveaxis


def _system(op: str, A: Tensor, B: Tensor) -> tuple[Tensor, Tensor, bool]:
    """Return both sides of a system in one dtype, and whether the right one consists of vectors."""
    if A.dtype.is_complex or B.dtype.is_complex:
        check_square(op, A)
        dtype = n._promote(A, B)
        A, B = (x.astype(dtype, copy=False) for x in (A, B))
    else:
        A = square(op, A)
        A, B = floats(op, A, B)
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    B = n.expand_dims(B, -1) if vector else B
    return _of_rank(A, B.ndim), B, vector


def _of_rank(x: Tensor, rank: int) -> Tensor:
    """Return a tensor with further axes of size 1 in front, so that it has this rank at least."""
    return n.reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape)) if x.ndim < rank else x


@typed
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Solves systems of linear equations: returns X with ``A @ X = B``.

    Parameters
    ----------
    A
        Square matrices.
    B
        Matrices of as many rows; or a vector; or, as in PyTorch, a batch of vectors of shape
        ``A.shape[:-1]``. Batches broadcast.
    left
        False solves ``X @ A = B``.

    Returns
    -------
    Tensor
        Of the shape of `B`, with the broadcast batch.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.solve(rl.tensor([[1.0, 2.0], [2.0, 8.0]]), rl.tensor([5.0, 18.0])).tolist()
    [1.0, 2.0]
    """
    A, B, vector = _system("solve", A, B)
    X = (complex_linear.solve if A.dtype.is_complex else n._solve)(A, B, left or vector)
    return n.squeeze(X, -1) if vector else X


@typed
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> SolveEx:
    """Solves systems of linear equations without waiting for the device to tell that a matrix is singular.

    Parameters
    ----------
    A, B, left
        As for `solve`.
    check_errors
        Whether to raise an error for a singular matrix.

    Returns
    -------
    SolveEx
        `result`, and `info` (int32): 0, or the number of the first pivot that is 0.

    Raises
    ------
    LinAlgError
        If a matrix is singular and `check_errors` is set.
    ValueError
        If the shapes do not fit.
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.solve_ex(rl.ones((2, 2)), rl.ones((2, 1))).info.item()
    2
    """
    batch = A.shape[:-2]
    A, B, vector = _system("solve_ex", A, B)
    if A.dtype.is_complex:
        raise TypeError(f"solve_ex: complex matrices are not supported, got {A.dtype}; use solve")
    X, info = n._solve_ex(A, B, left or vector)
    checked("solve_ex", info, check_errors)
    return SolveEx(n.squeeze(X, -1) if vector else X, n.reshape(info, batch))


@typed
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Solves triangular systems: returns X with ``A @ X = B``.

    The other triangle of `A` is not read. Nothing is checked: where the diagonal has a 0 the solution is not
    finite.

    Parameters
    ----------
    A
        Triangular matrices.
    B
        Matrices of as many rows. Batches broadcast.
    upper
        Whether the matrices are upper triangular.
    left
        False solves ``X @ A = B``.
    unitriangular
        Whether the diagonal is not read and counts as ones.

    Returns
    -------
    Tensor
        Of the shape of `B`, with the broadcast batch.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> A = rl.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> rl.linalg.solve_triangular(A, rl.tensor([[2.0], [9.0]]), upper=False).tolist()
    [[1.0], [2.0]]
    """
    A = square("solve_triangular", A)
    A, B = floats("solve_triangular", A, B)
    return n._solve_triangular(A, B, upper, left, unitriangular)


@typed
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """Solves systems by the LU factorization of their matrices: returns X with ``A @ X = B``.

    Parameters
    ----------
    LU, pivots
        The results of `lu_factor` for square matrices.
    B
        Matrices of as many rows. Batches broadcast.
    left
        False solves ``X @ A = B``.
    adjoint
        Whether to solve for the transposed matrices.

    Returns
    -------
    Tensor
        Of the shape of `B`, with the broadcast batch.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a pivot is not the number of a row.

    Examples
    --------
    >>> import rushlight as rl
    >>> LU, pivots = rl.linalg.lu_factor(rl.tensor([[1.0, 2.0], [2.0, 8.0]]))
    >>> rl.linalg.lu_solve(LU, pivots, rl.tensor([[5.0], [18.0]])).tolist()
    [[1.0], [2.0]]
    """
    LU = square("lu_solve", LU)
    LU, B = floats("lu_solve", LU, B)
    if pivots.shape[-1:] != LU.shape[-1:]:
        raise ValueError(f"lu_solve: factors of shape {LU.shape} do not fit pivots of shape {pivots.shape}")
    check_pivots("lu_solve", pivots, LU.shape[-2])
    return n._lu_solve(_of_rank(LU, B.ndim), _of_rank(pivots, B.ndim - 1), B, left, adjoint)


@typed
def inv(A: Tensor) -> Tensor:
    """Returns the inverses of matrices.

    Parameters
    ----------
    A
        Square matrices.

    Returns
    -------
    Tensor
        Of the shape of `A`. To multiply by an inverse, `solve` is faster and more accurate.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.inv(rl.tensor([[1.0, 2.0], [2.0, 8.0]])).tolist()
    [[2.0, -0.5], [-0.5, 0.25]]
    """
    return complex_linear.inv(A) if A.dtype.is_complex else n._inv(square("inv", A))


@typed
def inv_ex(A: Tensor, *, check_errors: bool = False) -> InverseEx:
    """Returns the inverses of matrices without waiting for the device to tell that one is singular.

    Parameters
    ----------
    A
        Square matrices.
    check_errors
        Whether to raise an error for a singular matrix.

    Returns
    -------
    InverseEx
        `inverse`, and `info` (int32): 0, or the number of the first pivot that is 0.

    Raises
    ------
    LinAlgError
        If a matrix is singular and `check_errors` is set.
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.inv_ex(rl.zeros((2, 2))).info.item()
    1
    """
    inverse, info = n._inv_ex(square("inv_ex", A))
    checked("inv_ex", info, check_errors)
    return InverseEx(inverse, info)


@typed
def det(A: Tensor) -> Tensor:
    """Returns the determinants of matrices.

    Parameters
    ----------
    A
        Square matrices.

    Returns
    -------
    Tensor
        One number for each matrix. The gradient is NaN for a singular matrix.

    Raises
    ------
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.det(rl.tensor([[1.0, 2.0], [2.0, 8.0]])).item()
    4.0
    """
    return complex_linear.det(A) if A.dtype.is_complex else n._det(square("det", A))


@typed
def slogdet(A: Tensor) -> Slogdet:
    """Returns the signs of determinants, and the logarithms of their magnitudes, which do not overflow.

    Parameters
    ----------
    A
        Square matrices.

    Returns
    -------
    Slogdet
        `sign` and `logabsdet`; 0 and ``-inf`` for a singular matrix. The sign of a complex determinant is the
        determinant divided by its magnitude.

    Raises
    ------
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> sign, logabsdet = rl.linalg.slogdet(rl.eye(2) * -3)
    >>> sign.item(), round(logabsdet.item(), 4)
    (1.0, 2.1972)
    """
    return Slogdet(*(complex_linear.slogdet(A) if A.dtype.is_complex else n._slogdet(square("slogdet", A))))


@typed
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """Returns the inverse of a tensor as a map from its last axes to its first ones, for `tensordot`.

    Parameters
    ----------
    A
        A tensor whose first `ind` sizes have the product of the others.
    ind
        Number of first axes.

    Returns
    -------
    Tensor
        The last axes of `A`, then its first ones.

    Raises
    ------
    LinAlgError
        If there is no inverse.
    ValueError
        If `ind` is not positive, or the products of sizes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.tensorinv(rl.reshape(rl.eye(6), (6, 2, 3)), 1).shape
    (2, 3, 6)
    """
    if ind <= 0:
        raise ValueError(f"tensorinv: ind is {ind}, and must be positive")
    rows, columns = A.shape[:ind], A.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise ValueError(f"tensorinv: shape {A.shape} is not square at {ind}")
    flat = n.reshape(A, (math.prod(rows), math.prod(columns)))
    return n.reshape(inv(flat), (*columns, *rows))


@typed
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """Returns X with ``tensordot(A, X, X.ndim) = B``.

    Parameters
    ----------
    A
        A tensor whose first sizes are those of `B`, and whose others have the same product.
    B
        The right side.
    dims
        Axes of `A` that are moved to its end first.

    Returns
    -------
    Tensor
        The last axes of `A`.

    Raises
    ------
    LinAlgError
        If there is no solution.
    ValueError
        If the sizes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> A = rl.reshape(rl.eye(6), (2, 3, 6)) * 2
    >>> rl.linalg.tensorsolve(A, rl.ones((2, 3))).tolist()
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    """
    if dims is not None:
        axes = all_axes("tensorsolve", dims, A.ndim)
        A = moveaxis(A, tuple(axes), tuple(range(A.ndim - len(axes), A.ndim)))
    columns = A.shape[B.ndim :]
    if A.size != B.size * B.size:
        raise ValueError(f"tensorsolve: shape {A.shape} does not fit a right side of shape {B.shape}")
    flat = n.reshape(A, (B.size, B.size))
    return n.reshape(solve(flat, n.reshape(B, (B.size,))), columns)
