"""Norms of windows, and the partial inverse of max pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis, widened
from ._batch import like_input, unbatched
from .pool import avg_pool1d, avg_pool2d, avg_pool3d

__all__ = [
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]


@typed
def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Returns the p-norm of each window of the last axis.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``, floating point.
    norm_type
        The norm's order.
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    ceil_mode
        Whether incomplete windows at the end count.

    Returns
    -------
    Tensor
        The axes behind the channels have lengths ``(L - kernel_size) // stride + 1``, rounded up with
        `ceil_mode`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.lp_pool1d(rl.tensor([3.0, 4.0]).reshape(1, 1, 2), 2, 2).tolist()
    [[[5.0]]]
    """
    return _norm("lp_pool1d", 1, input, norm_type, kernel_size, stride, ceil_mode)


@typed
def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Returns the p-norm of each window of the last two axes.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point.
    norm_type
        The norm's order.
    kernel_size
        Size of the window, one number or height and width.
    stride
        Steps of the window; its own size if None.
    ceil_mode
        Whether incomplete windows at the end count.

    Returns
    -------
    Tensor
        The axes behind the channels have lengths ``(L - kernel_size) // stride + 1``, rounded up with
        `ceil_mode`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.lp_pool2d(rl.tensor([3.0, 4.0]).reshape(1, 1, 1, 2), 2, (1, 2)).tolist()
    [[[[5.0]]]]
    """
    return _norm("lp_pool2d", 2, input, norm_type, kernel_size, stride, ceil_mode)


@typed
def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Returns the p-norm of each window of the last three axes.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point.
    norm_type
        The norm's order.
    kernel_size
        Size of the window, one number or depth, height and width.
    stride
        Steps of the window; its own size if None.
    ceil_mode
        Whether incomplete windows at the end count.

    Returns
    -------
    Tensor
        The axes behind the channels have lengths ``(L - kernel_size) // stride + 1``, rounded up with
        `ceil_mode`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.lp_pool3d(rl.tensor([3.0, 4.0]).reshape(1, 1, 1, 1, 2), 2, (1, 1, 2)).tolist()
    [[[[[5.0]]]]]
    """
    return _norm("lp_pool3d", 3, input, norm_type, kernel_size, stride, ceil_mode)


@typed
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts maxima at their positions, and 0 elsewhere.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``, floating point.
    indices
        The positions that `max_pool1d` returned, of the same shape.
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    padding
        The padding of the pooling.
    output_size
        The lengths of the result, or its whole shape; by default the shortest that pooling reduces to those
        of `input`.

    Returns
    -------
    Tensor
        The axes behind the channels have the lengths before the pooling.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 4)
    >>> y, at = F.max_pool1d(x, 2, return_indices=True)
    >>> F.max_unpool1d(y, at, 2).tolist()
    [[[0.0, 2.0, 0.0, 5.0]]]
    """
    return _unpool("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size)


@typed
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts maxima at their positions, and 0 elsewhere.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point.
    indices
        The positions that `max_pool2d` returned, of the same shape.
    kernel_size
        Size of the window, one number or height and width.
    stride
        Steps of the window; its own size if None.
    padding
        The padding of the pooling.
    output_size
        The lengths of the result, or its whole shape; by default the shortest that pooling reduces to those
        of `input`.

    Returns
    -------
    Tensor
        The axes behind the channels have the lengths before the pooling.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 2, 2)
    >>> y, at = F.max_pool2d(x, 2, return_indices=True)
    >>> F.max_unpool2d(y, at, 2).tolist()
    [[[[0.0, 0.0], [0.0, 5.0]]]]
    """
    return _unpool("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)


@typed
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts maxima at their positions, and 0 elsewhere.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point.
    indices
        The positions that `max_pool3d` returned, of the same shape.
    kernel_size
        Size of the window, one number or depth, height and width.
    stride
        Steps of the window; its own size if None.
    padding
        The padding of the pooling.
    output_size
        The lengths of the result, or its whole shape; by default the shortest that pooling reduces to those
        of `input`.

    Returns
    -------
    Tensor
        The axes behind the channels have the lengths before the pooling.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 2, 2)
    >>> y, at = F.max_pool3d(x, (1, 2, 2), return_indices=True)
    >>> F.max_unpool3d(y, at, (1, 2, 2)).tolist()
    [[[[[0.0, 0.0], [0.0, 5.0]]]]]
    """
    return _unpool("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)


def _norm(
    op: str,
    rank: int,
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None,
    ceil_mode: bool,
) -> Tensor:
    window = per_axis(op, "kernel_size", kernel_size, rank)
    pool = (avg_pool1d, avg_pool2d, avg_pool3d)[rank - 1]
    wide = widened(input)
    power = wide * wide if norm_type == 2 else rl.pow(wide, norm_type)
    mean = pool(power, window, stride, 0, ceil_mode)
    # Sums of odd powers may be negative; they count as 0.
    total = rl.where(mean > 0, mean, 0.0) * math.prod(window)
    still = total == 0
    return rl.where(still, 0.0, rl.pow(rl.where(still, 1.0, total), 1 / norm_type)).astype(input.dtype)


def _unpool(
    op: str,
    rank: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    output_size: Sequence[int] | None,
) -> Tensor:
    if input.shape != indices.shape:
        raise ValueError(f"{op}: shapes {input.shape} of input and {indices.shape} of indices differ")
    window = per_axis(op, "kernel_size", kernel_size, rank)
    steps = window if stride is None else per_axis(op, "stride", stride, rank)
    pads = per_axis(op, "padding", padding, rank)
    batch, single = unbatched(op, input, rank)
    least = tuple(
        (n - 1) * s + k - 2 * p for n, s, k, p in zip(batch.shape[2:], steps, window, pads, strict=True)
    )
    lengths = least if output_size is None else tuple(output_size)[-rank:]
    if len(lengths) != rank or any(
        not n - s < given < n + s for n, s, given in zip(least, steps, lengths, strict=True)
    ):
        raise ValueError(f"{op}: output_size {output_size} is not within one stride of {least}")
    lead, size = batch.shape[:2], math.prod(lengths)
    flat = rl.zeros((*lead, size), dtype=input.dtype, device=input.device)
    at = rl.reshape(indices, (*lead, math.prod(batch.shape[2:])))
    out = rl.reshape(rl.scatter(flat, 2, at, rl.reshape(batch, at.shape)), (*lead, *lengths))
    return like_input(out, single)
