"""The error of matrices without a result, and checks of arguments."""

from __future__ import annotations

from .. import _native as n
from .. import _types as t
from .._native import Tensor

__all__ = ["LinAlgError"]


class LinAlgError(RuntimeError, ValueError):
    """A matrix has no inverse, or no factorization, because of its elements.

    It is a RuntimeError, as PyTorch's, and a ValueError, as NumPy's.

    Parameters
    ----------
    message
        What is wrong with which matrix.

    Examples
    --------
    >>> import rushlight as rl
    >>> try:
    ...     rl.linalg.inv(rl.zeros((2, 2)))
    ... except rl.linalg.LinAlgError as e:
    ...     print(e)
    inv: the matrix is singular: the pivot of row 1 is 0
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)


# The module in which users find it.
LinAlgError.__module__ = "rushlight.linalg"


def floats(op: str, *tensors: Tensor, or_complex: bool = False) -> list[Tensor]:
    """Return tensors in their common dtype: float32 or float64, or a complex one if `or_complex` is set."""
    dtype = n._promote(*tensors)
    if dtype.kind == "complex floating" and or_complex:
        return [x.astype(dtype, copy=False) for x in tensors]
    if dtype.kind == "complex floating":
        raise TypeError(f"{op}: complex matrices are not supported yet, got {dtype}")
    if dtype not in (t.float32, t.float64):
        known = "float32, float64, complex64 or complex128"
        raise TypeError(f"{op}: expected {known}, got {dtype}; use .float()")
    return [x.astype(dtype, copy=False) for x in tensors]


def matrices(op: str, x: Tensor, *, or_complex: bool = False) -> Tensor:
    """Return a tensor of matrices, whose dtype is as for `floats`."""
    if x.ndim < 2:
        raise ValueError(f"{op}: expected a matrix or a batch of matrices, got shape {x.shape}")
    return floats(op, x, or_complex=or_complex)[0]


def check_square(op: str, x: Tensor) -> None:
    """Raise an error unless a tensor consists of square matrices."""
    if x.ndim < 2:
        raise ValueError(f"{op}: expected a matrix or a batch of matrices, got shape {x.shape}")
    if x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{op}: expected square matrices, got shape {x.shape}")


def square(op: str, x: Tensor, *, or_complex: bool = False) -> Tensor:
    """Return a tensor of square matrices, whose dtype is as for `floats`."""
    x = matrices(op, x, or_complex=or_complex)
    check_square(op, x)
    return x


def checked(op: str, info: Tensor, check: bool) -> None:
    """Raise an error if `check` is set and a matrix failed."""
    if check and info.size and n.any(info != 0).item():
        raise LinAlgError(f"{op}: a matrix has no factorization; info is {info.tolist()}")


def check_pivots(op: str, pivots: Tensor, rows: int) -> None:
    """Raise an error unless pivots are numbers of rows, which count from 1."""
    if not pivots.size:
        return
    low, high = int(n.amin(pivots)), int(n.amax(pivots))
    if low < 1 or high > rows:
        raise ValueError(f"{op}: a pivot is between 1 and {rows}, got {low if low < 1 else high}")
