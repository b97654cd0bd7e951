"""Products, blocks, combinations and powers, by PyTorch's names."""

from __future__ import annotations

import builtins
import itertools

from .. import _native as n
from .. import _types as t
from .._check import renamed, typed
from .._native import Tensor
from .arithmetic import _added
from .axes import one_axis
from .complex import conj
from .matrices import bmm, diag
from .powers import _powers
from .products import dot, outer
from .shapes import meshgrid

__all__ = [
    "addbmm",
    "addr",
    "adjoint",
    "block_diag",
    "cartesian_prod",
    "combinations",
    "diagflat",
    "msort",
    "renorm",
    "vander",
    "vdot",
]


@typed
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Adds the sum of products of matrices: ``beta * input + alpha * sum(batch1 @ batch2)``.

    Parameters
    ----------
    input
        A tensor that broadcasts to a product.
    batch1, batch2
        Batches of shapes ``(b, n, k)`` and ``(b, k, m)``.
    beta, alpha
        Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

    Returns
    -------
    Tensor
        Shape ``(n, m)``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.addbmm(rl.ones(1), rl.ones((2, 1, 3)), rl.ones((2, 3, 1))).tolist()
    [[7.0]]
    """
    return _added(input, n.sum(bmm(batch1, batch2), axis=0), beta, alpha)


@typed
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Adds the outer product of two vectors: ``beta * input + alpha * outer(vec1, vec2)``.

    Parameters
    ----------
    input
        A tensor that broadcasts to the product.
    vec1, vec2
        Vectors of ``n`` and ``m`` elements.
    beta, alpha
        Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

    Returns
    -------
    Tensor
        Shape ``(n, m)``.

    Raises
    ------
    ValueError
        If one is not a vector, or the shapes do not broadcast.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.addr(rl.ones((1, 2)), rl.tensor([2.0]), rl.tensor([3.0, 4.0])).tolist()
    [[7.0, 9.0]]
    """
    if vec1.ndim != 1 or vec2.ndim != 1:
        raise ValueError(f"addr: expected two vectors, got shapes {vec1.shape} and {vec2.shape}")
    return _added(input, outer(vec1, vec2), beta, alpha)


@typed
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Sums the products of two vectors, of which the first one is conjugated.

    Parameters
    ----------
    input, other
        Vectors of one size.

    Returns
    -------
    Tensor
        A scalar.

    Raises
    ------
    ValueError
        If one is not a vector, or the sizes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.vdot(rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0])).item()
    11.0
    """
    if input.ndim != 1 or input.shape != other.shape:
        raise ValueError(f"vdot: expected vectors of one size, got shapes {input.shape} and {other.shape}")
    return dot(conj(input), other)


@typed
def adjoint(input: Tensor) -> Tensor:
    """Transposes and conjugates matrices.

    Parameters
    ----------
    input
        Rank 2 or more.

    Returns
    -------
    Tensor
        With the last two axes exchanged: a view of a real tensor, a copy of a complex one.

    Raises
    ------
    ValueError
        If the rank is less than 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.adjoint(rl.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    if input.ndim < 2:
        raise ValueError(f"adjoint: expected rank 2 or more, got shape {input.shape}")
    return n.matrix_transpose(conj(input))


@typed
def block_diag(*tensors: Tensor) -> Tensor:
    """Returns a matrix with matrices along its diagonal, and zeros elsewhere.

    Parameters
    ----------
    *tensors
        Matrices; vectors are rows, and scalars matrices of one element.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If a rank is more than 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.block_diag(rl.tensor([[1, 2]]), rl.tensor([[3], [4]])).tolist()
    [[1, 2, 0], [0, 0, 3], [0, 0, 4]]
    """
    if any(x.ndim > 2 for x in tensors):
        raise ValueError(f"block_diag: expected rank 2 or less, got shapes {[x.shape for x in tensors]}")
    blocks = [n.reshape(x, (1,) * (2 - x.ndim) + x.shape) for x in tensors]
    width, left, rows = builtins.sum(x.shape[1] for x in blocks), 0, []
    for x in blocks:
        height, size = x.shape
        sides = [n.zeros((height, w), dtype=x.dtype, device=x.device) for w in (left, width - left - size)]
        rows.append(n.concat((sides[0], x, sides[1]), 1))
        left += size
    return n.concat(rows, 0) if rows else n.zeros((1, 0))


@typed
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Returns all combinations of one element of each vector.

    Parameters
    ----------
    *tensors
        Vectors of one dtype.

    Returns
    -------
    Tensor
        One row for each combination, the last element changing first; a single vector is returned unchanged.

    Raises
    ------
    ValueError
        If one is not a vector, or there is none.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cartesian_prod(rl.tensor([1, 2]), rl.tensor([3, 4])).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    if not tensors or any(x.ndim != 1 for x in tensors):
        raise ValueError(f"cartesian_prod: expected vectors, got shapes {[x.shape for x in tensors]}")
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors, indexing="ij")
    return n.stack([n.reshape(grid, (grid.size,)) for grid in grids], 1)


@typed
def combinations(input: Tensor, r: int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """Returns all combinations of elements of a vector, as `itertools.combinations`.

    Parameters
    ----------
    input
        A vector.
    r
        Number of elements of a combination.
    with_replacement
        Whether an element may be taken again.

    Returns
    -------
    Tensor
        One row for each combination.

    Raises
    ------
    ValueError
        If `input` is not a vector, or `r` is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.combinations(rl.tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    if input.ndim != 1:
        raise ValueError(f"combinations: expected a vector, got shape {input.shape}")
    if r < 0:
        raise ValueError(f"combinations: r is {r}, and may not be negative")
    if r == 0:
        return n.zeros(0, dtype=input.dtype, device=input.device)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input.size), r))
    index = n.tensor([i for row in rows for i in row], dtype=t.int64, device=input.device)
    return n.reshape(n.take(input, index, axis=0), (len(rows), r))


@typed
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Returns a square matrix with all elements on a diagonal, and zeros elsewhere.

    Parameters
    ----------
    input
        Any shape; the elements are taken in row-major order.
    offset
        The diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    Tensor
        A matrix of the dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.diagflat(rl.tensor([[1], [2]])).tolist()
    [[1, 0], [0, 2]]
    """
    return diag(n.reshape(input, (input.size,)), offset)


@typed
def msort(input: Tensor) -> Tensor:
    """Sorts along the first axis, in ascending order.

    Parameters
    ----------
    input
        Rank 1 or more.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If `input` is a scalar.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.msort(rl.tensor([[3, 1], [2, 4]])).tolist()
    [[2, 1], [3, 4]]
    """
    return n.sort(input, axis=one_axis("msort", 0, input.ndim))


@typed
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Scales the entries of an axis whose norm is larger than a limit down to the limit.

    Parameters
    ----------
    input
        Rank 2 or more; floating point.
    p
        The order of the norm, over all other axes.
    dim
        The axis.
    maxnorm
        The limit.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If the rank is less than 2, `p` is not positive, or `maxnorm` is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[1.0, 0.0], [0.0, 4.0]])
    >>> rl.renorm(x, 2, 0, 2.0).round().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    from .statistics import norm

    if input.ndim < 2:
        raise ValueError(f"renorm: expected rank 2 or more, got shape {input.shape}")
    if p <= 0 or maxnorm < 0:
        raise ValueError(f"renorm: p is {p} and maxnorm {maxnorm}; p is positive, and maxnorm not negative")
    at = one_axis("renorm", dim, input.ndim)
    size = norm(input, p, tuple(a for a in range(input.ndim) if a != at), keepdim=True)
    # PyTorch adds the same number to the norm.
    return input * n.where(size > maxnorm, maxnorm / (size + 1e-7), 1.0)


@typed
@renamed("alloc")
def vander(x: Tensor, N: int | None = None, increasing: builtins.bool = False) -> Tensor:
    """Returns the powers of a vector's elements as columns.

    Parameters
    ----------
    x
        A vector.
    N
        Number of columns; the number of elements if None.
    increasing
        Whether the first column holds the power 0; otherwise the last.

    Returns
    -------
    Tensor
        One row for each element.

    Raises
    ------
    ValueError
        If `x` is not a vector, or `N` is negative or more than a tensor can have.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.vander(rl.tensor([1, 2, 3])).tolist()
    [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    """
    if x.ndim != 1:
        raise ValueError(f"vander: expected a vector, got shape {x.shape}")
    count = x.size if N is None else N
    if count < 0:
        raise ValueError(f"vander: N is {count}, and may not be negative")
    powers = _powers(x, count)
    return powers if increasing else n.flip(powers, axis=1)
