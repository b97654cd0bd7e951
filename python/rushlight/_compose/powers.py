"""Products, powers and diagonals of matrices."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Sequence

from .. import _native as native
from .._check import one_integer, renamed, typed
from .._native import DType, Tensor
from .matrices import diagonal as _diagonal
from .solve import inv


@typed
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Returns a diagonal of matrices.

    Parameters
    ----------
    A
        Rank 2 or more.
    offset
        The diagonal: 0 is the main one, positive ones lie above it.
    dim1, dim2
        The axes of the rows and of the columns.

    Returns
    -------
    Tensor
        The other axes, then the diagonal.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.diagonal(rl.tensor([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    return _diagonal(A, offset, dim1, dim2)


@typed
def trace(x: Tensor, *, offset: int = 0, dtype: DType | str | None = None) -> Tensor:
    """Sums a diagonal of matrices.

    Parameters
    ----------
    x
        Rank 2 or more.
    offset
        The diagonal: 0 is the main one, positive ones lie above it.
    dtype
        Dtype of the sum; 64-bit for integers by default.

    Returns
    -------
    Tensor
        One number for each matrix.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.trace(rl.tensor([[1, 2], [3, 4]])).item()
    5
    """
    return native.sum(_diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)


@typed
def matrix_power(A: Tensor, n: int) -> Tensor:
    """Multiplies matrices by themselves.

    Parameters
    ----------
    A
        Square matrices.
    n
        The power; 0 gives unit matrices, a negative one powers of the inverses.

    Returns
    -------
    Tensor
        Of the shape of `A`.

    Raises
    ------
    LinAlgError
        If `n` is negative and a matrix is singular.
    ValueError
        If the matrices are not square.
    TypeError
        If `n` is not an integer.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.matrix_power(rl.tensor([[1.0, 1.0], [0.0, 1.0]]), 5).tolist()
    [[1.0, 5.0], [0.0, 1.0]]
    """
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ValueError(f"matrix_power: expected square matrices, got shape {A.shape}")
    power = one_integer(n, "matrix_power: n")
    base, power = (inv(A), -power) if power < 0 else (A, power)
    out: Tensor | None = None
    while power:
        if power & 1:
            out = base if out is None else out @ base
        power >>= 1
        base = base @ base if power else base
    return _unit_like(A) if out is None else out


def _unit_like(x: Tensor) -> Tensor:
    return native.broadcast_to(native.eye(x.shape[-1], dtype=x.dtype, device=x.device), x.shape).clone()


@typed
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Multiplies several matrices in the order that needs the fewest multiplications.

    Parameters
    ----------
    tensors
        Two matrices or more. The first and the last may be vectors: a row and a column.

    Returns
    -------
    Tensor
        The product, without the axes of vectors.

    Raises
    ------
    ValueError
        If there are fewer than two, or the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.multi_dot([rl.ones((2, 3)), rl.ones((3, 4)), rl.ones(4)]).tolist()
    [12.0, 12.0]
    """
    found = list(tensors)
    if len(found) < 2:
        raise ValueError(f"multi_dot: expected two tensors or more, got {len(found)}")
    row, column = found[0].ndim == 1, found[-1].ndim == 1
    if row:
        found[0] = native.expand_dims(found[0], 0)
    if column:
        found[-1] = native.expand_dims(found[-1], -1)
    fit = [a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0] for a, b in itertools.pairwise(found)]
    if not builtins.all(fit):
        raise ValueError(f"multi_dot: shapes {[x.shape for x in tensors]} do not fit")
    out = _chain(found)
    if row:
        out = native.squeeze(out, 0)
    return native.squeeze(out, -1) if column else out


def _chain(found: list[Tensor]) -> Tensor:
    """Multiply matrices in the cheapest order (Cormen et al., Introduction to Algorithms, matrix chains)."""
    sizes = [found[0].shape[0], *(x.shape[1] for x in found)]
    count = len(found)
    cost = [[0.0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = [
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            ]
            cost[i][j], split[i][j] = builtins.min(costs)

    def product(i: int, j: int) -> Tensor:
        k = split[i][j]
        return found[i] if i == j else product(i, k) @ product(k + 1, j)

    return product(0, count - 1)


def _powers(x: Tensor, count: int) -> Tensor:
    """Return the powers from 0 up to, but without, `count`, as a new last axis."""
    # An error of a size that no memory has comes here, before any power is computed.
    native.empty((*x.shape, count), dtype=x.dtype, device=x.device)
    x = native.expand_dims(x, -1)
    powers = native.ones_like(x)
    # The powers below k, and x**k, give those below 2 k.
    size, factor = 1, x
    while size < count:
        powers = native.concat([powers, (powers * factor).narrow(-1, 0, min(size, count - size))], axis=-1)
        size, factor = size * 2, factor * factor
    return powers.narrow(-1, 0, count)


@typed
@renamed("alloc")
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Returns the powers of vectors' elements, from the power 0 on, as columns.

    Parameters
    ----------
    x
        Vectors.
    N
        Number of columns; the number of elements if None.

    Returns
    -------
    Tensor
        A matrix for each vector.

    Raises
    ------
    ValueError
        If `x` is a scalar, or `N` is not positive, or more than a tensor can have.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.vander(rl.tensor([1, 2, 3])).tolist()
    [[1, 1, 1], [1, 2, 4], [1, 3, 9]]
    """
    if x.ndim == 0:
        raise ValueError("vander: expected vectors, got a scalar")
    count = x.shape[-1] if N is None else N
    if count < 0 or (N is not None and count < 1):
        raise ValueError(f"vander: N is {count}, and must be positive")
    return _powers(x, count)
