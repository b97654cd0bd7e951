"""Rearranging, indices of triangles, and ranks, by PyTorch's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Device, DType, Tensor
from .axes import all_axes, one_axis
from .matrices import _at_least, on_diagonal

__all__ = [
    "argwhere",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "diag_embed",
    "fliplr",
    "flipud",
    "kron",
    "logspace",
    "rot90",
    "take_along_dim",
    "tril_indices",
    "triu_indices",
    "unflatten",
]


@typed
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Selects one element for each index along an axis: `take_along_axis` with PyTorch's arguments.

    Parameters
    ----------
    input
        Any shape.
    indices
        Integers; the other axes broadcast.
    dim
        The axis; None takes from the flattened tensor.

    Returns
    -------
    Tensor
        The elements, in the shape of `indices`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[3, 1], [2, 4]])
    >>> rl.take_along_dim(x, x.argsort(1), 1).tolist()
    [[1, 3], [2, 4]]
    """
    if dim is None:
        return n.reshape(
            n.take(n.reshape(input, (input.size,)), n.reshape(indices, (indices.size,)), axis=0), (-1,)
        )
    return n.take_along_axis(input, indices, dim)


@typed
def fliplr(input: Tensor) -> Tensor:
    """Reverses the second axis.

    Parameters
    ----------
    input
        Rank 2 or more.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fliplr(rl.tensor([[1, 2]])).tolist()
    [[2, 1]]
    """
    return n.flip(input, one_axis("fliplr", 1, input.ndim))


@typed
def flipud(input: Tensor) -> Tensor:
    """Reverses the first axis.

    Parameters
    ----------
    input
        Rank 1 or more.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.flipud(rl.tensor([1, 2])).tolist()
    [2, 1]
    """
    return n.flip(input, one_axis("flipud", 0, input.ndim))


@typed
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Rotates by quarter turns in the plane of two axes.

    Parameters
    ----------
    input
        Rank 2 or more.
    k
        Number of quarter turns, from the first axis towards the second.
    dims
        The two axes.

    Returns
    -------
    Tensor
        The rotated tensor.

    Raises
    ------
    ValueError
        If there are not two axes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.rot90(rl.tensor([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    axes = all_axes("rot90", dims, input.ndim)
    if len(axes) != 2:
        raise ValueError(f"rot90: expected two axes, got {list(dims)}")
    a, b = axes
    match k % 4:
        case 1:
            return n.flip(input, b).transpose(a, b)
        case 2:
            return n.flip(input, (a, b))
        case 3:
            return n.flip(input.transpose(a, b), b)
    return input.clone()


@typed
def diag_embed(input: Tensor, offset: int = 0) -> Tensor:
    """Returns matrices with the last axis on a diagonal, and zeros elsewhere.

    Parameters
    ----------
    input
        Rank 1 or more.
    offset
        The diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    Tensor
        The last axis is replaced by two.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.diag_embed(rl.tensor([[1, 2]])).tolist()
    [[[1, 0], [0, 2]]]
    """
    one_axis("diag_embed", -1, input.ndim)
    return on_diagonal(input, offset)


@typed
def kron(input: Tensor, other: Tensor) -> Tensor:
    """Returns the Kronecker product.

    Parameters
    ----------
    input, other
        Numeric tensors; the lower rank gets axes of size 1.

    Returns
    -------
    Tensor
        Each size is the product of the two.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.kron(rl.tensor([1, 2]), rl.tensor([3, 4])).tolist()
    [3, 4, 6, 8]
    """
    rank = builtins.max(input.ndim, other.ndim)
    a = (1,) * (rank - input.ndim) + input.shape
    b = (1,) * (rank - other.ndim) + other.shape
    left = n.reshape(input, [v for size in a for v in (size, 1)])
    right = n.reshape(other, [v for size in b for v in (1, size)])
    return n.reshape(left * right, [p * q for p, q in zip(a, b, strict=True)])


@typed
def tril_indices(row: int, col: int, offset: int = 0, *, device: Device | str | None = None) -> Tensor:
    """Returns the indices of the lower triangle of a matrix.

    Parameters
    ----------
    row, col
        The sizes of the matrix.
    offset
        The highest diagonal: 0 is the main one.
    device
        The device; the CPU by default.

    Returns
    -------
    Tensor
        int64, shape ``(2, count)``: rows and columns.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tril_indices(2, 2).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    return n.stack(n.nonzero(n.tril(n.ones((row, col), dtype=t.bool, device=device), offset)))


@typed
def triu_indices(row: int, col: int, offset: int = 0, *, device: Device | str | None = None) -> Tensor:
    """Returns the indices of the upper triangle of a matrix.

    Parameters
    ----------
    row, col
        The sizes of the matrix.
    offset
        The lowest diagonal: 0 is the main one.
    device
        The device; the CPU by default.

    Returns
    -------
    Tensor
        int64, shape ``(2, count)``: rows and columns.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.triu_indices(2, 2).tolist()
    [[0, 0, 1], [0, 1, 1]]
    """
    return n.stack(n.nonzero(n.triu(n.ones((row, col), dtype=t.bool, device=device), offset)))


@typed
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Splits one axis into several.

    Parameters
    ----------
    input
        Any shape and dtype.
    dim
        The axis.
    sizes
        The sizes; one may be -1.

    Returns
    -------
    Tensor
        A view where that is possible.

    Raises
    ------
    ValueError
        If the sizes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.unflatten(rl.ones((2, 6)), 1, (3, -1)).shape
    (2, 3, 2)
    """
    at = one_axis("unflatten", dim, input.ndim)
    given = list(sizes)
    if given.count(-1) > 1:
        raise ValueError(f"unflatten: only one size may be -1, got {given}")
    if -1 in given:
        rest = math.prod(size for size in given if size != -1)
        given[given.index(-1)] = input.shape[at] // rest if rest else 0
    if math.prod(given) != input.shape[at]:
        raise ValueError(f"unflatten: axis {dim} of size {input.shape[at]} cannot be {list(sizes)}")
    return n.reshape(input, (*input.shape[:at], *given, *input.shape[at + 1 :]))


@typed
def argwhere(input: Tensor) -> Tensor:
    """Returns the indices of the elements that are not zero, one row for each.

    Parameters
    ----------
    input
        Rank 1 or more.

    Returns
    -------
    Tensor
        int64, shape ``(count, rank)``, in row-major order.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.argwhere(rl.tensor([0, 3, 4])).tolist()
    [[1], [2]]
    """
    return input.nonzero()


@typed
def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Returns powers of a base whose exponents are evenly spaced.

    Parameters
    ----------
    start, end
        The first and the last exponent.
    steps
        Number of powers.
    base
        The base.
    dtype
        The dtype; the default one if None.
    device
        The device; the CPU by default.

    Returns
    -------
    Tensor
        Shape ``(steps,)``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    exponents = n.linspace(start, end, steps, dtype=t.float64, device=device)
    powers = n.pow(n.full((), float(base), dtype=t.float64, device=device), exponents)
    return powers.to(dtype or n.get_default_dtype())


@typed
def atleast_1d(input: Tensor) -> Tensor:
    """Returns a tensor of rank 1 or more, with axes of size 1 added.

    Parameters
    ----------
    input
        Any shape and dtype.

    Returns
    -------
    Tensor
        The tensor itself where its rank suffices, and a view otherwise.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.atleast_1d(rl.tensor(3)).shape
    (1,)
    """
    return _at_least(input, 1)


@typed
def atleast_2d(input: Tensor) -> Tensor:
    """Returns a tensor of rank 2 or more, with axes of size 1 added.

    Parameters
    ----------
    input
        Any shape and dtype.

    Returns
    -------
    Tensor
        The tensor itself where its rank suffices, and a view otherwise.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.atleast_2d(rl.tensor(3)).shape
    (1, 1)
    """
    return _at_least(input, 2)


@typed
def atleast_3d(input: Tensor) -> Tensor:
    """Returns a tensor of rank 3 or more, with axes of size 1 added.

    Parameters
    ----------
    input
        Any shape and dtype.

    Returns
    -------
    Tensor
        The tensor itself where its rank suffices, and a view otherwise.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.atleast_3d(rl.tensor(3)).shape
    (1, 1, 1)
    """
    return _at_least(input, 3)
