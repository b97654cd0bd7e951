"""Functions of shapes: moving axes, joining, repeating, stretching."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import integers
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
    "roll",
    "swapaxes",
    "tile",
    "transpose",
    "unsqueeze",
]


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that tensors of these shapes stretch to."""
    rank = builtins.max((len(s) for s in shapes), default=0)
    out = [1] * rank
    for shape in shapes:
        for i, size in enumerate(reversed(shape), start=1):
            if out[-i] == 1:
                out[-i] = size
            elif size not in (1, out[-i]):
                raise ValueError(f"shapes {shapes} do not stretch to one shape")
    return tuple(out)


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Stretch tensors to their common shape."""
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(n.broadcast_to(a, shape) for a in arrays)


def moveaxis(x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Tensor:
    """Move axes to new places; the others keep their order."""
    src, dst = all_axes("moveaxis", source, x.ndim), all_axes("moveaxis", destination, x.ndim)
    if len(src) != len(dst):
        raise ValueError("moveaxis: source and destination must have as many axes")
    order = [a for a in range(x.ndim) if a not in src]
    for to, axis in sorted(zip(dst, src, strict=True)):
        order.insert(to, axis)
    return n.permute_dims(x, order)


def permute(x: Tensor, dims: Sequence[int], /) -> Tensor:
    """Reorder the axes: PyTorch's name for `permute_dims`."""
    return n.permute_dims(x, dims)


def transpose(x: Tensor, dim0: int, dim1: int, /) -> Tensor:
    """Swap two axes."""
    return x.transpose(dim0, dim1)


def swapaxes(x: Tensor, axis1: int, axis2: int, /) -> Tensor:
    """Swap two axes."""
    return x.transpose(axis1, axis2)


def unsqueeze(x: Tensor, dim: int, /) -> Tensor:
    """Add an axis of size 1: PyTorch's name for `expand_dims`."""
    return x.unsqueeze(dim)


def cat(tensors: Sequence[Tensor], /, axis: int = 0, *, dim: int | None = None) -> Tensor:
    """Join along an axis: PyTorch's name for `concat`."""
    return n.concat(tensors, axis, dim=dim)


def roll(
    x: Tensor,
    /,
    shift: int | tuple[int, ...],
    axis: int | tuple[int, ...] | None = None,
    *,
    dim: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Shift entries along axes, those that leave coming in at the other end; None rolls the flat tensor."""
    axis = axis_or_dim(axis, dim, None)
    given = integers(shift, "roll: shift")
    if axis is None:
        if not isinstance(given, int) and len(given) != 1:
            raise ValueError("roll: several shifts need as many axes")
        return n.reshape(roll(n.reshape(x, (-1,)) if x.size else x, shift, axis=0), x.shape) if x.size else x
    along = integers(axis, "roll: axis")
    axes = (along,) if isinstance(along, int) else along
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


def repeat(
    x: Tensor, repeats: int | Sequence[int] | Tensor, /, axis: int | None = None, *, dim: int | None = None
) -> Tensor:
    """Repeat each entry of an axis (NumPy's meaning; PyTorch's ``repeat`` is `tile`)."""
    axis = axis_or_dim(axis, dim, None)
    if axis is None:
        x, axis = n.reshape(x, (x.size,)), 0
    place = one_axis("repeat", axis, x.ndim)
    size = x.shape[place]
    given = integers(repeats, "repeat: repeats")
    counts = (given,) if isinstance(given, int) else given
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


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Repeat the whole tensor along each axis."""
    given = integers(repetitions, "tile: repetitions")
    times = [given] if isinstance(given, int) else list(given)
    if builtins.any(count < 0 for count in times):
        raise ValueError(f"tile: repetitions {repetitions} may not be negative")
    rank = builtins.max(len(times), x.ndim)
    times = [1] * (rank - len(times)) + times
    shape = (1,) * (rank - x.ndim) + x.shape
    paired = [size for count, d in zip(times, shape, strict=True) for size in (count, d)]
    spread = n.reshape(x, [size for d in shape for size in (1, d)])
    merged = [count * d for count, d in zip(times, shape, strict=True)]
    return n.reshape(n.broadcast_to(spread, paired), merged)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return coordinate grids of vectors; ``"xy"`` swaps the first two axes."""
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
