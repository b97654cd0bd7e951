"""Windows of images as columns, and the sum of columns into windows."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis
from ._batch import like_input, unbatched

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
    settings = _settings("unfold", kernel_size, dilation, padding, stride)
    batch, single = unbatched("unfold", input, 2)
    _windows("unfold", batch.shape[2:], *settings)
    return like_input(_native._im2col(batch, *settings), single)


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
    settings = _settings("fold", kernel_size, dilation, padding, stride)
    size = per_axis("fold", "output_size", output_size, 2)
    if input.ndim not in (2, 3):
        raise ValueError(f"fold: rank 2 or 3 is needed, got shape {input.shape}")
    single = input.ndim == 2
    batch = rl.expand_dims(input, axis=0) if single else input
    count, area = _windows("fold", size, *settings), math.prod(settings[0])
    if batch.shape[1] % area:
        raise ValueError(
            f"fold: the rows of input {input.shape} are not a multiple of the {area} elements of kernel_size "
            f"{settings[0]}"
        )
    if batch.shape[2] != count:
        raise ValueError(
            f"fold: output_size {size} has {count} windows with these settings, and input {input.shape} has "
            f"{batch.shape[2]} columns"
        )
    return like_input(_native._col2im(batch, size, *settings), single)


def _windows(op: str, size: tuple[int, ...], *settings: tuple[int, ...]) -> int:
    """Return the number of windows of images of a size; settings as `_settings` returns them."""
    count = 1
    for length, kernel, dilation, padding, stride in zip(size, *settings, strict=True):
        span = dilation * (kernel - 1) + 1
        if min(kernel, dilation, stride) < 1 or padding < 0:
            raise ValueError(f"{op}: kernel_size, dilation, padding and stride {settings} are not positive")
        if length + 2 * padding < span:
            raise ValueError(
                f"{op}: a window of {span} elements does not fit into {length} with padding {padding}; "
                f"the images have height and width {size}, and kernel_size is {settings[0]}"
            )
        count *= (length + 2 * padding - span) // stride + 1
    return count


def _settings(op: str, *values: Size) -> tuple[tuple[int, ...], ...]:
    names = ("kernel_size", "dilation", "padding", "stride")
    return tuple(per_axis(op, name, value, 2) for name, value in zip(names, values, strict=True))
