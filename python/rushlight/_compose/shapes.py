"""Functions of shapes: moving axes, joining, repeating, broadcasting."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import integers, renamed, several, typed
from .._native import Tensor
from .axes import all_axes, axis_or_dim, one_axis
from .sets import searchsorted

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "cat",
    "meshgrid",
    "moveaxis",
    "permute",
    "repeat",
    "repeat_interleave",
    "roll",
    "swapaxes",
    "tile",
    "transpose",
    "unsqueeze",
]


@typed
def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the shape that tensors of these shapes broadcast to.

    Parameters
    ----------
    *shapes
        The shapes.

    Returns
    -------
    tuple of int
        Their common shape.

    Raises
    ------
    ValueError
        If they do not broadcast.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    rank = builtins.max((len(s) for s in shapes), default=0)
    out = [1] * rank
    for shape in shapes:
        for i, size in enumerate(reversed(shape), start=1):
            if out[-i] == 1:
                out[-i] = size
            elif size not in (1, out[-i]):
                raise ValueError(f"shapes {shapes} do not stretch to one shape")
    return tuple(out)


@typed
def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Broadcasts tensors to their common shape.

    Parameters
    ----------
    *arrays
        Tensors of any dtypes.

    Returns
    -------
    tuple of Tensor
        Views, without copies.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> import rushlight as rl
    >>> [t.shape for t in rl.broadcast_arrays(rl.ones((2, 1)), rl.ones(3))]
    [(2, 3), (2, 3)]
    """
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(n.broadcast_to(a, shape) for a in arrays)


@typed
def moveaxis(x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Tensor:
    """Moves axes to new positions; the others keep their order.

    Parameters
    ----------
    x
        Any shape and dtype.
    source, destination
        Old and new positions of one axis or of several.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    ValueError
        If the two have different lengths.
    IndexError
        If an axis is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.moveaxis(rl.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    src, dst = all_axes("moveaxis", source, x.ndim), all_axes("moveaxis", destination, x.ndim)
    if len(src) != len(dst):
        raise ValueError("moveaxis: source and destination must have as many axes")
    order = [a for a in range(x.ndim) if a not in src]
    for to, axis in sorted(zip(dst, src, strict=True)):
        order.insert(to, axis)
    return n.permute_dims(x, order)


@typed
@renamed("permute_dims")
def permute(x: Tensor, dims: Sequence[int]) -> Tensor:
    """Reorders the axes: PyTorch's name for `permute_dims`.

    Parameters
    ----------
    x
        Any shape and dtype.
    dims
        For each axis of the result its index in `x`.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.permute(rl.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return n.permute_dims(x, dims)


@typed
def transpose(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swaps two axes.

    Parameters
    ----------
    x
        Any shape and dtype.
    dim0, dim1
        The axes.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.transpose(rl.ones((2, 3)), 0, 1).shape
    (3, 2)
    """
    return x.transpose(dim0, dim1)


@typed
@renamed("transpose")
def swapaxes(x: Tensor, axis1: int, axis2: int, /) -> Tensor:
    """Swaps two axes.

    Parameters
    ----------
    x
        Any shape and dtype.
    axis1, axis2
        The axes.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.swapaxes(rl.ones((2, 3)), 0, 1).shape
    (3, 2)
    """
    return x.transpose(axis1, axis2)


@typed
@renamed("expand_dims")
def unsqueeze(x: Tensor, dim: int) -> Tensor:
    """Adds an axis of size 1: PyTorch's name for `expand_dims`.

    Parameters
    ----------
    x
        Any shape and dtype.
    dim
        Index of the new axis in the result.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.unsqueeze(rl.ones(3), 0).shape
    (1, 3)
    """
    return x.unsqueeze(dim)


@typed
@renamed("concat")
def cat(tensors: Sequence[Tensor], /, axis: int = 0, *, dim: int | None = None) -> Tensor:
    """Joins tensors along an axis: PyTorch's name for `concat`.

    Parameters
    ----------
    tensors
        Tensors whose shapes agree except along the axis; those of shape ``(0,)`` are left out.
    axis, dim
        The axis, by either name.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If there is none, or the shapes do not agree.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cat([rl.ones(2), rl.zeros(1)]).tolist()
    [1.0, 1.0, 0.0]
    """
    if len(tensors) == 0:
        raise ValueError("cat: expected one tensor or more, got none")
    # PyTorch leaves out tensors of shape (0,), which fit nowhere else than among vectors.
    kept = [x for x in tensors if getattr(x, "shape", None) != (0,)]
    if not kept or len(kept) == len(tensors):
        return n.concat(tensors, axis, dim=dim)
    return n.concat(kept, axis, dim=dim).astype(n._promote(*tensors))


@typed
def roll(
    x: Tensor,
    /,
    shift: int | Sequence[int] | None = None,
    axis: int | Sequence[int] | None = None,
    *,
    dim: int | Sequence[int] | None = None,
    shifts: int | Sequence[int] | None = None,
    dims: int | Sequence[int] | None = None,
) -> Tensor:
    """Shifts entries along axes; entries shifted past an end come in at the other end.

    Parameters
    ----------
    x
        Any shape and dtype.
    shift, shifts
        Number of entries to shift by, under either name; one number for all axes, or one for each.
    axis, dim, dims
        The axis, by any of the names; several as a tuple, None rolls the flattened tensor.

    Returns
    -------
    Tensor
        Of the shape and dtype of `x`.

    Raises
    ------
    ValueError
        If the numbers of shifts and axes differ.
    TypeError
        If the shift is missing, or given by two names.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.roll(rl.tensor([1, 2, 3]), 1).tolist()
    [3, 1, 2]
    """
    axis = axis_or_dim(axis_or_dim(axis, dim, None), dims, None)
    if (shift is None) == (shifts is None):
        raise TypeError("roll: give the shift, by one of the names shift and shifts")
    given = integers(shifts if shift is None else shift, "roll: shift")
    if axis is None:
        if not isinstance(given, int) and len(given) != 1:
            raise ValueError("roll: several shifts need as many axes")
        return n.reshape(roll(n.reshape(x, (-1,)), given, axis=0), x.shape) if x.size else x
    axes = several(axis, "roll: axis")
    shifts = (given,) * len(axes) if isinstance(given, int) else given
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for by, a in zip(shifts, axes, strict=True):
        place = one_axis("roll", a, x.ndim)
        size = x.shape[place]
        if size and by % size:
            head, tail = n.split(x, (size - by % size, by % size), place)
            x = n.concat((tail, head), place)
    return x


@typed
def repeat(
    x: Tensor, repeats: int | Sequence[int] | Tensor, /, axis: int | None = None, *, dim: int | None = None
) -> Tensor:
    """Repeats each entry of an axis (NumPy's meaning; PyTorch's ``Tensor.repeat`` is `tile`).

    Parameters
    ----------
    x
        Any shape and dtype.
    repeats
        Number of repeats: one number, or one for each entry.
    axis, dim
        The axis, by either name; None repeats the flattened tensor.

    Returns
    -------
    Tensor
        Of the dtype of `x`.

    Raises
    ------
    ValueError
        If there are too many or too few repeats, or one is negative.
    MemoryError
        If the result has more than 2**63 entries.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.repeat(rl.tensor([1, 2]), 2).tolist()
    [1, 1, 2, 2]
    """
    axis = axis_or_dim(axis, dim, None)
    if axis is None:
        x, axis = n.reshape(x, (x.size,)), 0
    place = one_axis("repeat", axis, x.ndim)
    size = x.shape[place]
    counts = several(repeats, "repeat: repeats")
    if len(counts) == 1:
        (times,) = counts
        if times < 0:
            raise ValueError(f"repeat: {times} repeats")
        before, after = x.shape[: place + 1], x.shape[place + 1 :]
        spread = n.broadcast_to(n.reshape(x, (*before, 1, *after)), (*before, times, *after))
        return n.reshape(spread, (*before[:-1], size * times, *after))
    if len(counts) != size or builtins.any(c < 0 for c in counts):
        raise ValueError(f"repeat: {len(counts)} repeats for {size} entries, and none may be negative")
    total = builtins.sum(counts)
    if total >= 2**63:
        raise MemoryError(f"repeat: {total} entries")
    ends = n.cumulative_sum(n.tensor(counts, dtype=t.int64, device=x.device))
    places = searchsorted(ends, n.arange(total, device=x.device), side="right")
    return n.take(x, places, axis=place)


@typed
@renamed("repeat")
def repeat_interleave(
    input: Tensor,
    repeats: int | Sequence[int] | Tensor | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
    axis: int | None = None,
) -> Tensor:
    """Repeats each entry of an axis: `repeat` with PyTorch's arguments.

    Parameters
    ----------
    input
        Any shape and dtype; without `repeats` it holds the numbers of repeats.
    repeats
        Number of repeats: one number, or one for each entry; by default those of `input`, for the indices 0,
        1 and so on.
    dim, axis
        The axis, by either name; None repeats the flattened tensor.
    output_size
        Accepted as in PyTorch, without effect.

    Returns
    -------
    Tensor
        Of the dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.repeat_interleave(rl.tensor([1, 2]), repeats=2).tolist()
    [1, 1, 2, 2]
    >>> rl.repeat_interleave(rl.tensor([2, 0, 1])).tolist()
    [0, 0, 2]
    """
    if repeats is None:
        indices = n.arange(input.shape[0], dtype=t.int64, device=input.device)
        return repeat(indices, input)
    return repeat(input, repeats, axis if dim is None else dim)


@typed
def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Repeats the tensor along each axis.

    Parameters
    ----------
    x
        Any shape and dtype.
    repetitions
        Number of repeats along each of the last axes; new axes come first.

    Returns
    -------
    Tensor
        Of the dtype of `x`.

    Raises
    ------
    ValueError
        If a number is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tile(rl.tensor([1, 2]), (2, 2)).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    times = list(several(repetitions, "tile: repetitions"))
    if builtins.any(count < 0 for count in times):
        raise ValueError(f"tile: repetitions {repetitions} may not be negative")
    rank = builtins.max(len(times), x.ndim)
    times = [1] * (rank - len(times)) + times
    shape = (1,) * (rank - x.ndim) + x.shape
    paired = [size for count, d in zip(times, shape, strict=True) for size in (count, d)]
    spread = n.reshape(x, [size for d in shape for size in (1, d)])
    merged = [count * d for count, d in zip(times, shape, strict=True)]
    return n.reshape(n.broadcast_to(spread, paired), merged)


@typed
def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Returns the coordinate grids of vectors.

    Parameters
    ----------
    *arrays
        Vectors of lengths ``n1``, ``n2`` and so on.
    indexing
        ``"ij"`` for grids of shape ``(n1, n2, ..)``, ``"xy"`` for the first two axes swapped.

    Returns
    -------
    tuple of Tensor
        One grid for each vector, of its dtype.

    Raises
    ------
    ValueError
        If one is not a vector, or `indexing` is neither.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, y = rl.meshgrid(rl.tensor([1, 2, 3]), rl.tensor([4, 5]))
    >>> x.tolist(), y.tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    if builtins.any(a.ndim != 1 for a in arrays):
        raise ValueError("meshgrid takes vectors")
    rank = len(arrays)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    columns = []
    for i, a in enumerate(arrays):
        shape = [1] * rank
        shape[order[i]] = -1 if a.size else 0
        columns.append(n.reshape(a, shape))
    return tuple(g.contiguous() for g in broadcast_arrays(*columns))
