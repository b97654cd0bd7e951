"""Products, diagonals and stacks of matrices by PyTorch's names."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from .. import _native as n
from .._check import renamed, typed
from .._native import Tensor
from .axes import one_axis
from .shapes import moveaxis

if TYPE_CHECKING:
    from ..sparse import SparseTensor

__all__ = [
    "bmm",
    "cdist",
    "column_stack",
    "diag",
    "diagonal",
    "dstack",
    "hstack",
    "mm",
    "mv",
    "trace",
    "vstack",
]


def _ranks(op: str, x: Tensor, y: Tensor, ranks: tuple[int, int]) -> None:
    if (x.ndim, y.ndim) != ranks:
        raise ValueError(
            f"{op}: expected ranks {ranks[0]} and {ranks[1]}, got shapes {x.shape} and {y.shape}"
        )


@overload
def mm(input: Tensor | SparseTensor, mat2: Tensor) -> Tensor: ...
@overload
def mm(input: Tensor, mat2: SparseTensor) -> Tensor: ...
@overload
def mm(input: SparseTensor, mat2: SparseTensor) -> SparseTensor: ...
@typed  # type: ignore[misc]  # the type of the method, whose factors are dense
@renamed("matmul")
def mm(input: Any, mat2: Any) -> Tensor:
    """Multiplies two matrices.

    Parameters
    ----------
    input, mat2
        Matrices of shapes ``(n, k)`` and ``(k, m)``. Sparse ones are multiplied by `rushlight.sparse.mm`.

    Returns
    -------
    Tensor, or a sparse tensor
        Shape ``(n, m)``; sparse if both are.

    Raises
    ------
    ValueError
        If one is not a matrix, or the inner sizes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.mm(rl.tensor([[1.0, 2.0]]), rl.tensor([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    if not (isinstance(input, Tensor) and isinstance(mat2, Tensor)):
        return sparse_product("mm", input, mat2)  # type: ignore[no-any-return]
    _ranks("mm", input, mat2, (2, 2))
    return n.matmul(input, mat2)


def sparse_product(op: str, x1: Any, x2: Any) -> Any:
    """Return the product of two factors of which one is sparse."""
    from ..sparse import SparseTensor, mm

    for x in (x1, x2):
        if not isinstance(x, Tensor | SparseTensor):
            raise TypeError(f"{op}: expected a Tensor or a sparse tensor, got {type(x).__name__}")
    return mm(x1, x2)


@typed
@renamed("matmul")
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Multiplies two batches of matrices.

    Parameters
    ----------
    input, mat2
        Batches of shapes ``(b, n, k)`` and ``(b, k, m)``.

    Returns
    -------
    Tensor
        Shape ``(b, n, m)``.

    Raises
    ------
    ValueError
        If one does not have rank 3, or the sizes do not match.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.bmm(rl.ones((2, 1, 3)), rl.ones((2, 3, 4))).shape
    (2, 1, 4)
    """
    _ranks("bmm", input, mat2, (3, 3))
    if input.shape[0] != mat2.shape[0]:
        raise ValueError(f"bmm: batches of {input.shape[0]} and {mat2.shape[0]} matrices")
    return n.matmul(input, mat2)


@typed
@renamed("matmul")
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Multiplies a matrix by a vector.

    Parameters
    ----------
    input
        Shape ``(n, k)``.
    vec
        Shape ``(k,)``.

    Returns
    -------
    Tensor
        Shape ``(n,)``.

    Raises
    ------
    ValueError
        If the ranks are others, or the inner sizes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.mv(rl.tensor([[1.0, 2.0]]), rl.tensor([3.0, 4.0])).tolist()
    [11.0]
    """
    _ranks("mv", input, vec, (2, 1))
    return n.matmul(input, vec)


@typed
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Returns a diagonal over two axes.

    Parameters
    ----------
    input
        Rank 2 or more.
    offset
        The diagonal: 0 is the main one, positive ones lie above it.
    dim1, dim2
        The axes of the rows and of the columns.

    Returns
    -------
    Tensor
        The other axes, then the diagonal.

    Raises
    ------
    ValueError
        If both axes are the same.
    IndexError
        If an axis is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.diagonal(rl.tensor([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    a, b = one_axis("diagonal", dim1, input.ndim), one_axis("diagonal", dim2, input.ndim)
    if a == b:
        raise ValueError(f"diagonal: dim1 and dim2 are both axis {a}")
    x = moveaxis(input, (a, b), (-2, -1))
    rows, columns = x.shape[-2:]
    row, column = builtins.max(0, -offset), builtins.max(0, offset)
    length = builtins.max(0, builtins.min(rows - row, columns - column))
    outside = x.shape[:-2]
    if length == 0:
        return n.zeros((*outside, 0), dtype=x.dtype, device=x.device)
    x = n.reshape(x, (*outside, rows * columns))
    first = row * columns + column
    return x[..., first : first + (length - 1) * (columns + 1) + 1 : columns + 1]


@typed
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Returns the diagonal of a matrix, or the matrix with a vector on its diagonal.

    Parameters
    ----------
    input
        A matrix or a vector.
    diagonal
        The diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    Tensor
        A vector for a matrix; a square matrix, zero elsewhere, for a vector.

    Raises
    ------
    ValueError
        If `input` is neither a matrix nor a vector.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.diag(rl.tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    if input.ndim == 2:
        return _diagonal(input, diagonal)
    if input.ndim != 1:
        raise ValueError(f"diag: expected a matrix or a vector, got shape {input.shape}")
    return on_diagonal(input, diagonal)


_diagonal = diagonal


def on_diagonal(x: Tensor, offset: int) -> Tensor:
    """Return matrices with the last axis on a diagonal, and zeros elsewhere."""
    padding = n.zeros((*x.shape[:-1], builtins.abs(offset)), dtype=x.dtype, device=x.device)
    # Row i of a matrix holds element i, or, for a diagonal below the main one, element i - |offset|.
    column = n.concat((padding, x) if offset < 0 else (x, padding), -1)
    size = column.shape[-1]
    mask = n.eye(size, size, k=offset, dtype="bool", device=x.device)
    return n.where(mask, n.expand_dims(column, -1), n.zeros((), dtype=x.dtype, device=x.device))


@typed
def trace(input: Tensor) -> Tensor:
    """Sums the diagonal of a matrix.

    Parameters
    ----------
    input
        A matrix.

    Returns
    -------
    Tensor
        A scalar.

    Raises
    ------
    ValueError
        If `input` is not a matrix.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.trace(rl.tensor([[1, 2], [3, 4]])).item()
    5
    """
    if input.ndim != 2:
        raise ValueError(f"trace: expected a matrix, got shape {input.shape}")
    return n.sum(diagonal(input))


def _at_least(x: Tensor, rank: int) -> Tensor:
    if x.ndim == 0:
        x = n.reshape(x, (1,))
    if x.ndim == 1 and rank > 1:
        x = n.expand_dims(x, 0)
    return n.expand_dims(x, 2) if x.ndim == 2 and rank == 3 else x


def _several(op: str, tensors: Sequence[Tensor]) -> None:
    if len(tensors) == 0:
        raise ValueError(f"{op}: expected one tensor or more, got none")


@typed
@renamed("concat")
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along the first axis; vectors are rows.

    Parameters
    ----------
    tensors
        Tensors whose shapes agree except along the first axis.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If there is none, or the shapes do not agree.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.vstack((rl.tensor([1, 2]), rl.tensor([3, 4]))).tolist()
    [[1, 2], [3, 4]]
    """
    _several("vstack", tensors)
    return n.concat([_at_least(x, 2) for x in tensors], 0)


@typed
@renamed("concat")
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along the second axis, and vectors along their only one.

    Parameters
    ----------
    tensors
        Tensors whose shapes agree except along that axis.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If there is none, or the shapes do not agree.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.hstack((rl.tensor([1, 2]), rl.tensor([3]))).tolist()
    [1, 2, 3]
    """
    _several("hstack", tensors)
    return n.concat([_at_least(x, 1) for x in tensors], 0 if tensors[0].ndim <= 1 else 1)


@typed
@renamed("concat")
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along the third axis.

    Parameters
    ----------
    tensors
        Tensors whose shapes agree except along that axis; those of a lower rank get axes of size 1.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If there is none, or the shapes do not agree.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.dstack((rl.tensor([1, 2]), rl.tensor([3, 4]))).tolist()
    [[[1, 3], [2, 4]]]
    """
    _several("dstack", tensors)
    return n.concat([_at_least(x, 3) for x in tensors], 2)


@typed
@renamed("concat")
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along the second axis; vectors are columns.

    Parameters
    ----------
    tensors
        Tensors whose shapes agree except along that axis.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If there is none, or the shapes do not agree.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.column_stack((rl.tensor([1, 2]), rl.tensor([3, 4]))).tolist()
    [[1, 3], [2, 4]]
    """
    _several("column_stack", tensors)
    columns = [n.reshape(x, (-1 if x.size else 0, 1)) if x.ndim <= 1 else x for x in tensors]
    return n.concat(columns, 1)


@typed
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """Returns the distance of each row of one matrix to each row of another.

    It computes all differences, so that equal rows have the distance 0 and small distances lose no digits;
    this needs memory for ``n * m * k`` elements.

    Parameters
    ----------
    x1, x2
        Shapes ``(..., n, k)`` and ``(..., m, k)``, floating point; the leading axes broadcast.
    p
        The order of the norm: 0 counts differing elements, ``inf`` takes the largest difference.

    Returns
    -------
    Tensor
        Shape ``(..., n, m)``. Its gradient is 0 where a distance is 0.

    Raises
    ------
    ValueError
        If the ranks or sizes do not fit, or `p` is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cdist(rl.tensor([[0.0, 0.0]]), rl.tensor([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[5.0, 1.0]]
    """
    if x1.ndim < 2 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"cdist: shapes {x1.shape} and {x2.shape} are not rows of one length")
    if p < 0:
        raise ValueError(f"cdist: p is {p}, and may not be negative")
    from .statistics import norm

    return norm(n.expand_dims(x1, -2) - n.expand_dims(x2, -3), p, -1)
