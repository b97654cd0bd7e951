"""Norms of vectors and matrices."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from .. import _native as n
from .._check import renamed, several, typed
from .._compose.axes import all_axes, axis_or_dim, keep_or_keepdims
from .._compose.decompose import svdvals
from .._compose.shapes import moveaxis
from .._compose.statistics import norm as _norm
from .._native import DType, Tensor

Axes = int | Sequence[int] | None


@typed
@renamed("norm", "amax", "amin")
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Axes = None,
    keepdim: builtins.bool = False,
    *,
    axis: Axes = None,
    keepdims: builtins.bool | None = None,
    dtype: DType | str | None = None,
) -> Tensor:
    """Returns norms of the elements of axes, which are taken together as vectors.

    Parameters
    ----------
    x
        Any shape; floating point or complex.
    ord
        The order: 0 counts the elements that are not zero; ``inf`` and ``-inf`` take the largest and the
        smallest magnitude.
    dim, axis
        One parameter: the axes; all of them by default. An empty `dim` means all, as in PyTorch, and an empty
        `axis` none, as in the array API: then each element is a vector.
    keepdim, keepdims
        One parameter: whether the axes stay with size 1.
    dtype
        Converts the input first.

    Returns
    -------
    Tensor
        The other axes; real, also for complex numbers.

    Raises
    ------
    TypeError
        If the dtype is neither floating point nor complex, or a parameter is given twice.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.vector_norm(rl.tensor([[3.0, 4.0], [6.0, 8.0]]), axis=1).tolist()
    [5.0, 10.0]
    """
    axes = axis_or_dim(axis, dim, None)
    if isinstance(ord, str):
        raise TypeError(f"vector_norm: ord is a number, got {ord!r}")
    if dim is not None and not isinstance(dim, int) and len(dim) == 0:
        axes = None
    return _norm(x, ord, axes, keep_or_keepdims("vector_norm", keepdim, keepdims), dtype=dtype)


def _extreme(largest: bool, x: Tensor, axis: int, keepdims: bool) -> Tensor:
    """Return the largest of numbers from 0 on, 0 if there is none; or the smallest."""
    if largest:
        return (n.amax if x.shape[axis] else n.sum)(x, axis=axis, keepdims=keepdims)
    return n.amin(x, axis=axis, keepdims=keepdims)


def _matrix_norm(x: Tensor, ord: float | str, axes: list[int], keepdims: bool) -> Tensor:
    rows, columns = axes
    if ord == "fro":
        return _norm(x, 2, axes, keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        # The largest (smallest) sum of a column, or of a row.
        inner, outer = (rows, columns) if builtins.abs(float(ord)) == 1 else (columns, rows)
        sums = n.sum(n.abs(x), axis=inner, keepdims=True)
        out = _extreme(float(ord) > 0, sums, outer, True)
        return out if keepdims else n.squeeze(out, tuple(axes))
    if ord in (2, -2, "nuc"):
        values = svdvals(moveaxis(x, (rows, columns), (-2, -1)))
        out = n.sum(values, axis=-1) if ord == "nuc" else _extreme(ord == 2, values, -1, False)
        return n.expand_dims(out, tuple(sorted(axes))) if keepdims else out
    raise ValueError(f"matrix_norm: ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}")


@typed
@renamed("norm", "amax", "amin")
def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: builtins.bool = False,
    *,
    keepdims: builtins.bool | None = None,
    dtype: DType | str | None = None,
) -> Tensor:
    """Returns norms of matrices.

    Parameters
    ----------
    A
        Matrices; floating point or complex.
    ord
        ``"fro"``: the root of the sum of squares; 1 and -1: the largest and the smallest sum of the
        magnitudes of a column; ``inf`` and ``-inf``: of a row; 2 and -2: the largest and the smallest
        singular value; ``"nuc"``: their sum.
    dim
        The axes of rows and columns.
    keepdim, keepdims
        One parameter: whether the axes stay with size 1.
    dtype
        Converts the input first.

    Returns
    -------
    Tensor
        The other axes; real, also for complex numbers. Of matrices without elements it is 0.

    Raises
    ------
    ValueError
        If `ord` is another one, `dim` are not two axes, or there is no element that could be the smallest.
    TypeError
        If the dtype is neither floating point nor complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.matrix_norm(rl.tensor([[3.0, 4.0], [0.0, 0.0]])).item()
    5.0
    >>> rl.linalg.matrix_norm(rl.tensor([[1.0, -2.0], [3.0, 4.0]]), float("inf")).item()
    7.0
    """
    x = A if dtype is None else A.astype(dtype)
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise TypeError(
            f"matrix_norm: expected a floating-point or complex dtype, got {x.dtype}; use .float()"
        )
    axes = all_axes("matrix_norm", dim, x.ndim)
    if len(axes) != 2:
        raise ValueError(f"matrix_norm: dim are two axes, got {dim!r}")
    return _matrix_norm(x, ord, axes, keep_or_keepdims("matrix_norm", keepdim, keepdims))


@typed
@renamed("vector_norm", "matrix_norm", "amax", "amin")
def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Axes = None,
    keepdim: builtins.bool = False,
    *,
    axis: Axes = None,
    keepdims: builtins.bool | None = None,
    dtype: DType | str | None = None,
) -> Tensor:
    """Returns norms of vectors or of matrices, by the number of axes.

    Parameters
    ----------
    A
        Floating point or complex.
    ord
        The order, as for `vector_norm` or `matrix_norm`. None is the root of the sum of squares.
    dim, axis
        One parameter: one axis for vectors, two for matrices. None takes all elements as one vector where
        `ord` is None; otherwise the tensor must be a vector or a matrix.
    keepdim, keepdims
        One parameter: whether the axes stay with size 1.
    dtype
        Converts the input first.

    Returns
    -------
    Tensor
        The other axes.

    Raises
    ------
    ValueError
        If the axes are neither one nor two.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.norm(rl.ones((2, 2, 4))).item()
    4.0
    >>> rl.linalg.norm(rl.tensor([[1.0, -2.0], [3.0, 4.0]]), 1).item()
    6.0
    """
    axes = axis_or_dim(axis, dim, None)
    keep = keep_or_keepdims("norm", keepdim, keepdims)
    if ord is None:
        return _norm(A, 2, axes, keep, dtype=dtype)
    if axes is None:
        if A.ndim not in (1, 2):
            raise ValueError(f"norm: a tensor of shape {A.shape} needs dim")
        axes = tuple(range(A.ndim))
    given = several(axes, "norm: an axis")
    if len(given) == 1:
        return vector_norm(A, ord, given, keep, dtype=dtype)  # type: ignore[arg-type]
    return matrix_norm(A, ord, given, keep, dtype=dtype)
