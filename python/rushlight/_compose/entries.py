"""Elements at masks and indices: chosen, filled, written, by PyTorch's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .axes import Number, one_axis
from .further import index_add
from .matrices import diagonal
from .pieces import _key
from .sets import searchsorted
from .shapes import broadcast_arrays, moveaxis

__all__ = [
    "bucketize",
    "diagonal_scatter",
    "index_copy",
    "index_fill",
    "index_put",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "put",
]


def _mask(op: str, mask: Tensor) -> None:
    if mask.dtype != t.bool:
        raise TypeError(f"{op}: the mask must be bool, not {mask.dtype}")


def axis_of_entries(op: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> int:
    """Return the axis, from 0 on, of which `source` has an entry for each index of a vector."""
    at = one_axis(op, dim, input.ndim)
    if source.dtype != input.dtype:
        raise TypeError(f"{op}: the tensor is {input.dtype}, and source {source.dtype}")
    shape = (*input.shape[:at], index.size, *input.shape[at + 1 :])
    if index.ndim != 1 or source.shape != shape:
        raise ValueError(
            f"{op}: expected a vector of indices and source of shape {shape}, "
            f"got shapes {index.shape} and {source.shape}"
        )
    return at


@typed
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Returns the elements where a mask is True, as a vector.

    Parameters
    ----------
    input
        Any shape and dtype.
    mask
        bool; it and `input` broadcast.

    Returns
    -------
    Tensor
        The elements in row-major order.

    Raises
    ------
    TypeError
        If the mask is not of dtype bool.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1, 2, 3])
    >>> rl.masked_select(x, x > 1).tolist()
    [2, 3]
    """
    _mask("masked_select", mask)
    x, chosen = broadcast_arrays(input, mask)
    return x[chosen]


@typed
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """Returns a copy with a number where a mask is True.

    Parameters
    ----------
    input
        Any shape and dtype.
    mask
        bool; it and `input` broadcast.
    value
        The number, or a scalar tensor.

    Returns
    -------
    Tensor
        Of the broadcast shape and the dtype of `input`.

    Raises
    ------
    TypeError
        If the mask is not of dtype bool.
    ValueError
        If `value` is a tensor, but not a scalar.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.masked_fill(rl.tensor([1, 2]), rl.tensor([True, False]), 0).tolist()
    [0, 2]
    """
    _mask("masked_fill", mask)
    if not isinstance(value, Tensor):
        return input.masked_fill(mask, value)
    if value.ndim:
        raise ValueError(f"masked_fill: expected a number or a scalar tensor, got shape {value.shape}")
    return n.where(mask, value.astype(input.dtype), input)


@typed
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Returns a copy in which the elements where a mask is True are the first ones of another tensor.

    Parameters
    ----------
    input
        Any shape.
    mask
        bool; it and `input` broadcast.
    source
        The new elements in row-major order, of the dtype of `input`.

    Returns
    -------
    Tensor
        Of the broadcast shape and the dtype of `input`.

    Raises
    ------
    TypeError
        If the mask is not of dtype bool, or the dtypes of `input` and `source` differ.
    ValueError
        If `source` has too few elements.

    Examples
    --------
    >>> import rushlight as rl
    >>> mask = rl.tensor([True, False, True])
    >>> rl.masked_scatter(rl.zeros(3), mask, rl.tensor([5.0, 7.0])).tolist()
    [5.0, 0.0, 7.0]
    """
    _mask("masked_scatter", mask)
    if source.dtype != input.dtype:
        raise TypeError(f"masked_scatter: the tensor is {input.dtype}, and source {source.dtype}")
    x, chosen = broadcast_arrays(input, mask)
    rank = n.cumulative_sum(n.reshape(chosen, (chosen.size,)).astype(t.int64))
    count = int(rank[-1].item()) if rank.size else 0
    if count > source.size:
        raise ValueError(f"masked_scatter: source has {source.size} elements, and the mask chooses {count}")
    if count == 0:
        return x.clone()
    taken = n.take(n.reshape(source, (source.size,)), n.clip(rank - 1, 0, None), axis=0)
    return n.where(chosen, n.reshape(taken, x.shape), x)


@typed
def index_fill(input: Tensor, dim: int, index: Tensor, value: Number) -> Tensor:
    """Returns a copy with a value written at entries of an axis.

    Parameters
    ----------
    input
        Any shape and dtype.
    dim
        The axis.
    index
        A vector of the entries.
    value
        The number to write.

    Returns
    -------
    Tensor
        A new tensor.

    Raises
    ------
    IndexError
        If the axis or an index is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.index_fill(rl.zeros(3), 0, rl.tensor([0, 2]), 5.0).tolist()
    [5.0, 0.0, 5.0]
    """
    at = one_axis("index_fill", dim, input.ndim)
    ones = n.ones(index.shape, dtype=t.int64, device=input.device)
    hit = n.index_add(n.zeros(input.shape[at], dtype=t.int64, device=input.device), 0, index, ones) > 0
    shape = [1] * input.ndim
    shape[at] = input.shape[at]
    return input.masked_fill(n.reshape(hit, shape), value)


@typed
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Returns a copy with entries of an axis replaced by those of another tensor.

    Parameters
    ----------
    input
        Rank 1 or more.
    dim
        The axis.
    index
        A vector of different entries.
    source
        The new entries: the shape of `input` with one entry for each index.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If the axis or an index is out of range.
    TypeError
        If the dtypes of `input` and `source` differ.
    ValueError
        If `source` has another shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.index_copy(rl.zeros(3), 0, rl.tensor([2, 0]), rl.tensor([5.0, 7.0])).tolist()
    [7.0, 0.0, 5.0]
    """
    at = axis_of_entries("index_copy", input, dim, index, source)
    out = input.clone()
    out[_key(at, index)] = source
    return out


def index_put(
    input: Tensor, indices: Sequence[Tensor], values: Tensor | Number, accumulate: builtins.bool = False
) -> Tensor:
    """Returns a copy with values written at indices, or added there.

    Parameters
    ----------
    input
        Rank 1 or more.
    indices
        One tensor of integers for each of the first axes, or a mask; integers broadcast.
    values
        A tensor that broadcasts to the elements, or a number.
    accumulate
        Whether values are added to the elements; those of equal indices are all added.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If an index is out of range.
    ValueError
        If there are more indices than axes, or the values do not broadcast.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.index_put(rl.zeros(3), (rl.tensor([0, 2]),), rl.tensor([5.0, 7.0])).tolist()
    [5.0, 0.0, 7.0]
    >>> rl.index_put(rl.zeros(3), (rl.tensor([1, 1]),), rl.ones(2), accumulate=True).tolist()
    [0.0, 2.0, 0.0]
    """
    if not accumulate:
        out = input.clone()
        out[tuple(indices)] = values
        return out
    positions: list[Tensor] = []
    for index in indices:
        # A mask stands for the indices of its elements.
        positions += index.nonzero(as_tuple=True) if index.dtype == t.bool else [index]
    if len(positions) > input.ndim:
        raise ValueError(f"index_put: {len(positions)} indices for a tensor of rank {input.ndim}")
    positions = list(broadcast_arrays(*positions))
    flat = n.zeros(positions[0].shape, dtype=t.int64, device=input.device)
    for position, size in zip(positions, input.shape, strict=False):
        low = position.astype(t.int64)
        if position.size and bool(n.any(n.logical_or(low < -size, low >= size))):
            raise IndexError(f"index_put: an index is out of range for an axis of size {size}")
        flat = flat * size + n.where(low < 0, low + size, low)
    inside = input.shape[len(positions) :]
    values = n.asarray(values, dtype=input.dtype, device=input.device)
    added = n.broadcast_to(values, (*flat.shape, *inside))
    rows = n.reshape(input, (math.prod(input.shape[: len(positions)]), *inside))
    rows = index_add(rows, 0, n.reshape(flat, (flat.size,)), n.reshape(added, (flat.size, *inside)))
    return n.reshape(rows, input.shape)


@typed
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """Returns a copy with elements written at indices of the flattened tensor, or added there.

    Parameters
    ----------
    input
        Any shape.
    index
        Integers, of any shape.
    source
        As many elements, of the dtype of `input`.
    accumulate
        Whether elements are added; those of equal indices are all added.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If an index is out of range.
    TypeError
        If the dtypes of `input` and `source` differ.
    ValueError
        If there is another number of elements than of indices.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.put(rl.zeros((2, 2)), rl.tensor([0, 3]), rl.tensor([5.0, 7.0])).tolist()
    [[5.0, 0.0], [0.0, 7.0]]
    """
    if source.dtype != input.dtype:
        raise TypeError(f"put: the tensor is {input.dtype}, and source {source.dtype}")
    if source.size != index.size:
        raise ValueError(f"put: {index.size} indices for {source.size} elements")
    flat, positions = n.reshape(input, (input.size,)), n.reshape(index, (index.size,))
    out = index_put(flat, (positions,), n.reshape(source, (source.size,)), accumulate)
    return n.reshape(out, input.shape)


@typed
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Returns a copy with a diagonal over two axes replaced.

    Parameters
    ----------
    input
        Rank 2 or more.
    src
        The new diagonal, in the shape of `diagonal` of the same arguments.
    offset
        The diagonal: 0 is the main one, positive ones lie above it.
    dim1, dim2
        The axes of the rows and of the columns.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `src` has another shape, or both axes are the same.
    IndexError
        If an axis is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.diagonal_scatter(rl.zeros((2, 2)), rl.tensor([5.0, 7.0])).tolist()
    [[5.0, 0.0], [0.0, 7.0]]
    """
    a, b = one_axis("diagonal_scatter", dim1, input.ndim), one_axis("diagonal_scatter", dim2, input.ndim)
    if a == b:
        raise ValueError(f"diagonal_scatter: dim1 and dim2 are both axis {a}")
    shape = diagonal(input, offset, a, b).shape
    if src.shape != shape:
        raise ValueError(f"diagonal_scatter: src has shape {src.shape}, and the diagonal {shape}")
    first = n.arange(shape[-1], device=input.device)
    out = moveaxis(input, (a, b), (-2, -1)).clone()
    out[..., first + builtins.max(0, -offset), first + builtins.max(0, offset)] = src
    return moveaxis(out, (-2, -1), (a, b))


@typed
def bucketize(
    input: Tensor | Number,
    boundaries: Tensor,
    *,
    out_int32: builtins.bool = False,
    right: builtins.bool = False,
) -> Tensor:
    """Returns the bucket of each element: the number of boundaries below it.

    Parameters
    ----------
    input
        A tensor of any shape, or a number.
    boundaries
        A sorted vector.
    out_int32
        Whether the result is int32.
    right
        Whether an element that equals a boundary lies above it.

    Returns
    -------
    Tensor
        int64 or int32, of the shape of `input`.

    Raises
    ------
    ValueError
        If `boundaries` is not a vector.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.bucketize(rl.tensor([0, 3, 9]), rl.tensor([1, 3, 5])).tolist()
    [0, 1, 3]
    """
    if boundaries.ndim != 1:
        raise ValueError(f"bucketize: the boundaries must be a vector, not {boundaries.shape}")
    found = searchsorted(boundaries, input, side="right" if right else "left")
    return found.to(t.int32) if out_int32 else found
