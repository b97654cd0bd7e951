"""Windows of images as columns, and the sum of columns into windows."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis
from ._windows import like_input, regular, unbatched

__all__ = [
    "fold",
    "unfold",
]


@typed
def unfold(
    input: Tensor, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1
) -> Tensor:
    """Returns the windows of images as columns (im2col).

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``.
    kernel_size
        Size of the window, one number or height and width.
    dilation
        Steps between the elements of a window.
    padding
        Zeros on each side.
    stride
        Steps of the window.

    Returns
    -------
    Tensor
        Shape ``(N, C * kernel_height * kernel_width, windows)``, or without ``N``.

    Raises
    ------
    ValueError
        If the rank or a setting does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.unfold(rl.ones((1, 2, 4, 4)), 3).shape
    (1, 18, 4)
    """
    window, apart, pads, steps = _settings("unfold", kernel_size, dilation, padding, stride)
    batch, single = unbatched("unfold", input, 2)
    found = regular("unfold", batch.shape[2:], window, steps, pads, apart, False, input.device)
    columns = rl.matrix_transpose(found.of(batch, 0))
    rows = batch.shape[1] * math.prod(window)
    out = rl.reshape(columns, (batch.shape[0], rows, math.prod(found.lengths)))
    return like_input(out, single)


@typed
def fold(
    input: Tensor,
    output_size: Size,
    kernel_size: Size,
    dilation: Size = 1,
    padding: Size = 0,
    stride: Size = 1,
) -> Tensor:
    """Adds columns to the windows of images (col2im): the gradient of `unfold`.

    Parameters
    ----------
    input
        Shape ``(N, C * kernel_height * kernel_width, windows)``, or without ``N``.
    output_size
        Height and width of the images.
    kernel_size
        Size of the window, one number or height and width.
    dilation
        Steps between the elements of a window.
    padding
        Zeros on each side.
    stride
        Steps of the window.

    Returns
    -------
    Tensor
        Shape ``(N, C, *output_size)``, or without ``N``; where windows overlap, the sums.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.fold(rl.ones((1, 18, 4)), (4, 4), 3).shape
    (1, 2, 4, 4)
    """
    window, apart, pads, steps = _settings("fold", kernel_size, dilation, padding, stride)
    lengths = per_axis("fold", "output_size", output_size, 2)
    if input.ndim not in (2, 3):
        raise ValueError(f"fold: rank 2 or 3 is needed, got shape {input.shape}")
    batch = input if input.ndim == 3 else rl.expand_dims(input, axis=0)
    found = regular("fold", lengths, window, steps, pads, apart, False, input.device)
    size, windows = math.prod(window), math.prod(found.lengths)
    if batch.shape[1] % size or batch.shape[2] != windows:
        raise ValueError(
            f"fold: input {input.shape} does not have {windows} columns of a multiple of {size} rows"
        )
    channels = batch.shape[1] // size
    flat = rl.reshape(batch, (batch.shape[0], channels, size * windows))
    # Elements outside the image are added to an element behind its end, which is dropped.
    at = rl.where(found.inside, found.index, found.size)
    zeros = rl.zeros((*flat.shape[:2], found.size + 1), dtype=flat.dtype, device=flat.device)
    total = rl.index_add(zeros, 2, rl.reshape(rl.matrix_transpose(at), (-1,)), flat)
    out = rl.reshape(total.narrow(2, 0, found.size), (*flat.shape[:2], *lengths))
    return out if input.ndim == 3 else rl.squeeze(out, axis=0)


def _settings(op: str, *values: Size) -> tuple[tuple[int, ...], ...]:
    names = ("kernel_size", "dilation", "padding", "stride")
    return tuple(per_axis(op, name, value, 2) for name, value in zip(names, values, strict=True))
