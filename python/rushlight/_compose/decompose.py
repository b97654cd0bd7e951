"""Singular values and eigenvalues."""

from __future__ import annotations

import builtins

from .. import _native as n
from .._check import typed
from .._native import Tensor
from ..return_types import SVD, Eig, Eigh
from .linalg_errors import matrices, square

_DRIVERS = (None, "gesvd", "gesvdj", "gesvda")


def _check_driver(op: str, driver: str | None) -> None:
    if driver not in _DRIVERS:
        raise ValueError(f"{op}: driver is None, 'gesvd', 'gesvdj' or 'gesvda', got {driver!r}")


def _upper(op: str, UPLO: str) -> bool:
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError(f"{op}: UPLO is 'L' or 'U', got {UPLO!r}")
    return UPLO in ("U", "u")


@typed
def svd(A: Tensor, full_matrices: builtins.bool = True, *, driver: str | None = None) -> SVD:
    """Returns the singular value decomposition of matrices ``U @ diag(S) @ Vh``.

    Parameters
    ----------
    A
        Matrices of shape ``(..., m, n)``, real or complex; ``k = min(m, n)``.
    full_matrices
        Whether `U` and `Vh` are square; otherwise they have ``k`` columns and rows.
    driver
        A name that PyTorch accepts. There is one algorithm.

    Returns
    -------
    SVD
        `U` and `Vh`, orthonormal, and `S`, real, of shape ``(..., k)``, in descending order. The first of the
        largest elements of a column of `U` is positive. There is a gradient if the matrices are square or
        `full_matrices` is false; it is not finite where values are equal.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If `A` has no two axes, or `driver` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> U, S, Vh = rl.linalg.svd(rl.tensor([[3.0], [4.0]]), full_matrices=False)
    >>> S.tolist(), U.shape, Vh.shape
    ([5.0], (2, 1), (1, 1))
    """
    _check_driver("svd", driver)
    return SVD(*n._svd(matrices("svd", A, or_complex=True), full_matrices))


@typed
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Returns the singular values of matrices.

    Parameters
    ----------
    A
        Matrices of shape ``(..., m, n)``, real or complex.
    driver
        A name that PyTorch accepts. There is one algorithm.

    Returns
    -------
    Tensor
        Shape ``(..., min(m, n))``, in descending order.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If `A` has no two axes, or `driver` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.svdvals(rl.tensor([[0.0, 2.0], [-3.0, 0.0]])).tolist()
    [3.0, 2.0]
    """
    _check_driver("svdvals", driver)
    return n._svdvals(matrices("svdvals", A, or_complex=True))


@typed
def eigh(A: Tensor, UPLO: str = "L") -> Eigh:
    """Returns eigenvalues and eigenvectors of symmetric matrices, or of complex Hermitian ones.

    One triangle of a matrix is read. The gradient is symmetric (Hermitian); it is not finite where values are
    equal.

    Parameters
    ----------
    A
        Symmetric or Hermitian matrices.
    UPLO
        ``"L"`` reads the lower triangle, ``"U"`` the upper one.

    Returns
    -------
    Eigh
        `eigenvalues`, real, in ascending order, and `eigenvectors`, the columns of matrices. The first of the
        largest elements of a vector is positive.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If the matrices are not square, or `UPLO` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.eigh(rl.tensor([[3.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
    [1.0, 3.0]
    """
    return Eigh(*n._eigh(square("eigh", A, or_complex=True), _upper("eigh", UPLO)))


@typed
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Returns eigenvalues of symmetric matrices, or of complex Hermitian ones.

    Parameters
    ----------
    A
        Symmetric or Hermitian matrices, of which one triangle is read.
    UPLO
        ``"L"`` reads the lower triangle, ``"U"`` the upper one.

    Returns
    -------
    Tensor
        Real, of shape ``(..., n)``, in ascending order.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If the matrices are not square, or `UPLO` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.eigvalsh(rl.tensor([[3.0, 0.0], [0.0, 1.0]])).tolist()
    [1.0, 3.0]
    """
    return n._eigvalsh(square("eigvalsh", A, or_complex=True), _upper("eigvalsh", UPLO))


@typed
def eig(A: Tensor) -> Eig:
    """Returns eigenvalues and eigenvectors of square matrices, on the CPU.

    Parameters
    ----------
    A
        Square matrices, real or complex.

    Returns
    -------
    Eig
        `eigenvalues`, and `eigenvectors`, the columns of matrices, both complex. Values of real matrices that
        are not real come in pairs, that with the positive imaginary part first. The vectors have norm 1, and
        their first largest element is positive. The gradient is not finite where values are equal.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.eig(rl.tensor([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues.tolist()
    [1j, -1j]
    """
    return Eig(*n._eig(square("eig", A, or_complex=True)))


@typed
def eigvals(A: Tensor) -> Tensor:
    """Returns eigenvalues of square matrices, on the CPU.

    Parameters
    ----------
    A
        Square matrices, real or complex.

    Returns
    -------
    Tensor
        Complex, of shape ``(..., n)``. Values of real matrices that are not real come in pairs, that with the
        positive imaginary part first. The gradient is not finite where values are equal.

    Raises
    ------
    LinAlgError
        If a matrix has elements that are infinite or NaN.
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.eigvals(rl.tensor([[0.0, 1.0], [-1.0, 0.0]])).tolist()
    [1j, -1j]
    """
    return n._eigvals(square("eigvals", A, or_complex=True))
