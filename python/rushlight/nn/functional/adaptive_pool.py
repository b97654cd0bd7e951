"""Pooling to a given size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis
from ._batch import like_input, unbatched

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
]


@typed
def adaptive_avg_pool1d(input: Tensor, output_size: Size) -> Tensor:
    """Returns the means of a given number of windows of the last axis.

    Window i of n goes from ``floor(i * L / n)`` to ``ceil((i + 1) * L / n)``.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``, floating point.
    output_size
        The new length. One number.

    Returns
    -------
    Tensor
        The axes behind the channels have the given lengths; the dtype of `input`.

    Raises
    ------
    ValueError
        If the rank or the size does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 4)
    >>> F.adaptive_avg_pool1d(x, 2).tolist()
    [[[1.5, 4.0]]]
    """
    return _mean("adaptive_avg_pool1d", 1, input, output_size)


@typed
def adaptive_avg_pool2d(input: Tensor, output_size: Size | Sequence[int | None] | None) -> Tensor:
    """Returns the means of a given number of windows of the last two axes.

    Window i of n goes from ``floor(i * L / n)`` to ``ceil((i + 1) * L / n)``.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point.
    output_size
        The new height and width. One number or one for each axis; None keeps the length.

    Returns
    -------
    Tensor
        The axes behind the channels have the given lengths; the dtype of `input`.

    Raises
    ------
    ValueError
        If the rank or the size does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 4)
    >>> F.adaptive_avg_pool2d(x, (1, 2)).tolist()
    [[[[1.5, 4.0]]]]
    """
    return _mean("adaptive_avg_pool2d", 2, input, output_size)


@typed
def adaptive_avg_pool3d(input: Tensor, output_size: Size | Sequence[int | None] | None) -> Tensor:
    """Returns the means of a given number of windows of the last three axes.

    Window i of n goes from ``floor(i * L / n)`` to ``ceil((i + 1) * L / n)``.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point.
    output_size
        The new depth, height and width. One number or one for each axis; None keeps the length.

    Returns
    -------
    Tensor
        The axes behind the channels have the given lengths; the dtype of `input`.

    Raises
    ------
    ValueError
        If the rank or the size does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 1, 4)
    >>> F.adaptive_avg_pool3d(x, (1, 1, 2)).tolist()
    [[[[[1.5, 4.0]]]]]
    """
    return _mean("adaptive_avg_pool3d", 3, input, output_size)


@typed
def adaptive_max_pool1d(input: Tensor, output_size: Size, return_indices: bool = False) -> Any:
    """Returns the maxima of a given number of windows of the last axis.

    Window i of n goes from ``floor(i * L / n)`` to ``ceil((i + 1) * L / n)``; the gradient goes to the first
    maximum.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``, floating point.
    output_size
        The new length. One number.
    return_indices
        Whether the positions of the maxima in the flattened axes are returned, too.

    Returns
    -------
    Tensor or tuple of Tensor
        The axes behind the channels have the given lengths; the dtype of `input`. With `return_indices` a
        pair, of which the second is int64.

    Raises
    ------
    ValueError
        If the rank or the size does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 4)
    >>> F.adaptive_max_pool1d(x, 2).tolist()
    [[[2.0, 5.0]]]
    """
    return _most("adaptive_max_pool1d", 1, input, output_size, return_indices)


@typed
def adaptive_max_pool2d(
    input: Tensor, output_size: Size | Sequence[int | None] | None, return_indices: bool = False
) -> Any:
    """Returns the maxima of a given number of windows of the last two axes.

    Window i of n goes from ``floor(i * L / n)`` to ``ceil((i + 1) * L / n)``; the gradient goes to the first
    maximum.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point.
    output_size
        The new height and width. One number or one for each axis; None keeps the length.
    return_indices
        Whether the positions of the maxima in the flattened axes are returned, too.

    Returns
    -------
    Tensor or tuple of Tensor
        The axes behind the channels have the given lengths; the dtype of `input`. With `return_indices` a
        pair, of which the second is int64.

    Raises
    ------
    ValueError
        If the rank or the size does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 4)
    >>> F.adaptive_max_pool2d(x, (1, 2)).tolist()
    [[[[2.0, 5.0]]]]
    """
    return _most("adaptive_max_pool2d", 2, input, output_size, return_indices)


@typed
def adaptive_max_pool3d(
    input: Tensor, output_size: Size | Sequence[int | None] | None, return_indices: bool = False
) -> Any:
    """Returns the maxima of a given number of windows of the last three axes.

    Window i of n goes from ``floor(i * L / n)`` to ``ceil((i + 1) * L / n)``; the gradient goes to the first
    maximum.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point.
    output_size
        The new depth, height and width. One number or one for each axis; None keeps the length.
    return_indices
        Whether the positions of the maxima in the flattened axes are returned, too.

    Returns
    -------
    Tensor or tuple of Tensor
        The axes behind the channels have the given lengths; the dtype of `input`. With `return_indices` a
        pair, of which the second is int64.

    Raises
    ------
    ValueError
        If the rank or the size does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 1, 4)
    >>> F.adaptive_max_pool3d(x, (1, 1, 2)).tolist()
    [[[[[2.0, 5.0]]]]]
    """
    return _most("adaptive_max_pool3d", 3, input, output_size, return_indices)


def _counts(op: str, lengths: tuple[int, ...], size: Any) -> tuple[int, ...]:
    """Return the number of windows along each axis."""
    sizes = (size,) * len(lengths) if size is None or isinstance(size, int) else tuple(size)
    if len(sizes) == 1:
        sizes = sizes * len(lengths)
    kept = tuple(length if s is None else s for s, length in zip(sizes, lengths, strict=False))
    found = per_axis(op, "output_size", kept, len(lengths))
    if len(sizes) != len(lengths) or any(n < 0 for n in found) or (0 in lengths and any(found)):
        raise ValueError(f"{op}: output_size {size!r} does not fit the lengths {lengths}")
    return found


def _mean(op: str, rank: int, input: Tensor, size: Any) -> Tensor:
    batch, single = unbatched(op, input, rank)
    counts = _counts(op, batch.shape[2:], size)
    return like_input(getattr(_native, f"_{op}")(batch, counts), single)


def _most(op: str, rank: int, input: Tensor, size: Any, return_indices: bool) -> Any:
    batch, single = unbatched(op, input, rank)
    counts = _counts(op, batch.shape[2:], size)
    values = like_input(getattr(_native, f"_{op}")(batch, counts), single)
    if not return_indices:
        return values
    return values, like_input(getattr(_native, f"_{op}_indices")(batch, counts), single)
