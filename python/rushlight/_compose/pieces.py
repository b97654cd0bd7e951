"""Pieces of tensors: splitting at indices, and single entries, by PyTorch's names."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _native as n
from .._check import integer, integers, typed
from .._native import Tensor
from .._types import int64
from .axes import one_axis

__all__ = [
    "clone",
    "detach",
    "dsplit",
    "hsplit",
    "narrow",
    "select",
    "select_scatter",
    "slice_scatter",
    "t",
    "tensor_split",
    "unravel_index",
    "vsplit",
]


def _key(at: int, entry: int | slice | Tensor) -> tuple[int | slice | Tensor, ...]:
    """Return the key that takes entries of one axis."""
    return (*(slice(None),) * at, entry)


@typed
def clone(input: Tensor) -> Tensor:
    """Copies a tensor; the copy is part of the gradient graph.

    Parameters
    ----------
    input
        Any shape and dtype.

    Returns
    -------
    Tensor
        A copy with its own memory.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.clone(rl.tensor([1, 2])).tolist()
    [1, 2]
    """
    return input.clone()


@typed
def detach(input: Tensor) -> Tensor:
    """Returns the elements without gradient history, over the same memory.

    Parameters
    ----------
    input
        Any shape and dtype.

    Returns
    -------
    Tensor
        A tensor that requires no gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.detach(rl.ones(2, requires_grad=True)).requires_grad
    False
    """
    return input.detach()


@typed
def t(input: Tensor) -> Tensor:
    """Transposes a matrix; a vector or a scalar is returned unchanged.

    Parameters
    ----------
    input
        Rank 2 or less.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    ValueError
        If the rank is more than 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.t(rl.ones((2, 3))).shape
    (3, 2)
    """
    return input.t()


@typed
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Returns a range of entries of an axis.

    Parameters
    ----------
    input
        Any shape and dtype.
    dim
        The axis.
    start
        The first entry.
    length
        Number of entries.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If the range leaves the axis.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.narrow(rl.arange(5), 0, 1, 2).tolist()
    [1, 2]
    """
    return input.narrow(dim, start, length)


@typed
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Returns one entry of an axis, without the axis.

    Parameters
    ----------
    input
        Rank 1 or more.
    dim
        The axis.
    index
        The entry; a negative one counts from the end.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    IndexError
        If the axis or the entry is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.select(rl.tensor([[1, 2], [3, 4]]), 1, 0).tolist()
    [1, 3]
    """
    at = one_axis("select", dim, input.ndim)
    return n.squeeze(input.narrow(at, _entry("select", index, input.shape[at], dim), 1), at)


def _entry(op: str, index: int, length: int, dim: int) -> int:
    """Return the index of an entry from the beginning of its axis."""
    if not -length <= index < length:
        raise IndexError(f"{op}: index {index} is out of range for axis {dim} of size {length}")
    return index % length


@typed
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Returns a copy with one entry of an axis replaced.

    Parameters
    ----------
    input
        Rank 1 or more.
    src
        The new entry, in the shape of ``input.select(dim, index)``.
    dim
        The axis.
    index
        The entry; a negative one counts from the end.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If the axis or the entry is out of range.
    ValueError
        If `src` has another shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.select_scatter(rl.zeros((2, 2)), rl.ones(2), 0, 1).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    at = one_axis("select_scatter", dim, input.ndim)
    position = _entry("select_scatter", index, input.shape[at], dim)
    return _replaced("select_scatter", input, src, _key(at, position))


@typed
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """Returns a copy with a slice of an axis replaced.

    Parameters
    ----------
    input
        Rank 1 or more.
    src
        The new entries, in the shape of the slice.
    dim
        The axis.
    start, end, step
        The slice ``start:end:step``.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If `src` has another shape, or the step is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.slice_scatter(rl.zeros(4), rl.ones(2), step=2).tolist()
    [1.0, 0.0, 1.0, 0.0]
    """
    at = one_axis("slice_scatter", dim, input.ndim)
    if step < 1:
        raise ValueError(f"slice_scatter: step is {step}, and must be positive")
    return _replaced("slice_scatter", input, src, _key(at, slice(start, end, step)))


def _replaced(op: str, input: Tensor, src: Tensor, key: tuple[int | slice | Tensor, ...]) -> Tensor:
    """Return a copy with the entries of a key replaced by those of `src`, which has their shape."""
    out = input.clone()
    if out[key].shape != src.shape:
        raise ValueError(f"{op}: src has shape {src.shape}, and the entries {out[key].shape}")
    out[key] = src
    return out


@typed
def tensor_split(
    input: Tensor, indices_or_sections: int | Sequence[int] | Tensor, dim: int = 0
) -> tuple[Tensor, ...]:
    """Cuts an axis into pieces, of sizes that differ by 1 at most, or at indices.

    Parameters
    ----------
    input
        Rank 1 or more.
    indices_or_sections
        Number of pieces, of which the first are larger; or the index at which each piece but the first
        begins.
    dim
        The axis.

    Returns
    -------
    tuple of Tensor
        Views.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If the number of pieces is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> [x.tolist() for x in rl.tensor_split(rl.arange(5), 3)]
    [[0, 1], [2, 3], [4]]
    >>> [x.tolist() for x in rl.tensor_split(rl.arange(5), (1, 4))]
    [[0], [1, 2, 3], [4]]
    """
    at = one_axis("tensor_split", dim, input.ndim)
    return _cut("tensor_split", input, indices_or_sections, at)


def _cut(
    op: str, input: Tensor, given: int | Sequence[int] | Tensor, at: int, equal: bool = False
) -> tuple[Tensor, ...]:
    """Cut an axis; `equal` demands pieces of one size."""
    if input.ndim == 0:
        raise ValueError(f"{op}: a scalar has no axis to cut")
    length = input.shape[at]
    found = integers(given, f"{op}: indices_or_sections")
    if integer(given) is not None or (isinstance(given, Tensor) and given.ndim == 0):
        count = found if isinstance(found, int) else found[0]
        if count < 1:
            raise ValueError(f"{op}: cannot cut into {count} pieces")
        if equal and length % count:
            raise ValueError(
                f"{op}: axis {at} of size {length} cannot be cut into {count} equal pieces; use tensor_split"
            )
        size, more = divmod(length, count)
        bounds = [size * i + min(i, more) for i in range(1, count)]
    else:
        bounds = [] if isinstance(found, int) else list(found)
    ends = [*bounds, length]
    return tuple(input[_key(at, slice(start, end))] for start, end in zip([0, *bounds], ends, strict=True))


@typed
def hsplit(input: Tensor, indices_or_sections: int | Sequence[int] | Tensor) -> tuple[Tensor, ...]:
    """Cuts the second axis, or the only axis of a vector, into equal pieces or at indices.

    Parameters
    ----------
    input
        Rank 1 or more.
    indices_or_sections
        Number of pieces, or the index at which each piece but the first begins.

    Returns
    -------
    tuple of Tensor
        Views.

    Raises
    ------
    ValueError
        If the pieces would not have one size, or `input` is a scalar.

    Examples
    --------
    >>> import rushlight as rl
    >>> [x.tolist() for x in rl.hsplit(rl.tensor([[1, 2], [3, 4]]), 2)]
    [[[1], [3]], [[2], [4]]]
    """
    return _cut("hsplit", input, indices_or_sections, min(input.ndim - 1, 1), equal=True)


@typed
def vsplit(input: Tensor, indices_or_sections: int | Sequence[int] | Tensor) -> tuple[Tensor, ...]:
    """Cuts the first axis into equal pieces or at indices.

    Parameters
    ----------
    input
        Rank 2 or more.
    indices_or_sections
        Number of pieces, or the index at which each piece but the first begins.

    Returns
    -------
    tuple of Tensor
        Views.

    Raises
    ------
    ValueError
        If the pieces would not have one size, or the rank is less than 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> [x.tolist() for x in rl.vsplit(rl.tensor([[1, 2], [3, 4]]), 2)]
    [[[1, 2]], [[3, 4]]]
    """
    if input.ndim < 2:
        raise ValueError(f"vsplit: expected rank 2 or more, got shape {input.shape}")
    return _cut("vsplit", input, indices_or_sections, 0, equal=True)


@typed
def dsplit(input: Tensor, indices_or_sections: int | Sequence[int] | Tensor) -> tuple[Tensor, ...]:
    """Cuts the third axis into equal pieces or at indices.

    Parameters
    ----------
    input
        Rank 3 or more.
    indices_or_sections
        Number of pieces, or the index at which each piece but the first begins.

    Returns
    -------
    tuple of Tensor
        Views.

    Raises
    ------
    ValueError
        If the pieces would not have one size, or the rank is less than 3.

    Examples
    --------
    >>> import rushlight as rl
    >>> [x.tolist() for x in rl.dsplit(rl.tensor([[[1, 2]]]), 2)]
    [[[[1]]], [[[2]]]]
    """
    if input.ndim < 3:
        raise ValueError(f"dsplit: expected rank 3 or more, got shape {input.shape}")
    return _cut("dsplit", input, indices_or_sections, 2, equal=True)


@typed
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Converts indices of the flattened tensor to one index for each axis.

    Parameters
    ----------
    indices
        Integers from 0 to the number of elements, excluded.
    shape
        The shape of the tensor.

    Returns
    -------
    tuple of Tensor
        int64, one tensor for each axis, in the shape of `indices`.

    Raises
    ------
    TypeError
        If `indices` are not integers.
    ValueError
        If a size is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> [x.tolist() for x in rl.unravel_index(rl.tensor([1, 5]), (2, 3))]
    [[0, 1], [1, 2]]
    """
    if "integer" not in indices.dtype.kind:
        raise TypeError(f"unravel_index: expected integers, got {indices.dtype}")
    found = integers(shape, "unravel_index: a size")
    sizes = (found,) if isinstance(found, int) else found
    if any(size < 0 for size in sizes):
        raise ValueError(f"unravel_index: the shape {sizes} has a negative size")
    rest, out = indices.to(int64), []
    for size in reversed(sizes):
        out.append(n.remainder(rest, size))
        rest = n.floor_divide(rest, size)
    return tuple(reversed(out))
