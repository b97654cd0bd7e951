"""Maxima and means of windows."""

from __future__ import annotations

from typing import Any

from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis
from ._batch import like_input, unbatched

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]


@typed
def max_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Returns the maximum of each window of the last axis.

    NaN counts as the greatest. The gradient goes to the first maximum of a window.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``, floating point.
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side that is never the maximum, at most half the window.
    dilation
        Steps between the elements of a window.
    ceil_mode
        Whether incomplete windows at the end count.
    return_indices
        Whether the positions of the maxima in the flattened axes are returned, too.

    Returns
    -------
    Tensor or tuple of Tensor
        The axes behind the channels have lengths ``(L + 2 * padding - dilation * (kernel_size - 1) - 1) //
        stride + 1``, rounded up with `ceil_mode`; the dtype of `input`. With `return_indices` a pair, of
        which the second is int64.

    Raises
    ------
    ValueError
        If the rank or a setting does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 4)
    >>> F.max_pool1d(x, 2).tolist()
    [[[2.0, 5.0]]]
    """
    return _max("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@typed
def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Returns the maximum of each window of the last two axes.

    NaN counts as the greatest. The gradient goes to the first maximum of a window.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point.
    kernel_size
        Size of the window, one number or height and width.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side that is never the maximum, at most half the window.
    dilation
        Steps between the elements of a window.
    ceil_mode
        Whether incomplete windows at the end count.
    return_indices
        Whether the positions of the maxima in the flattened axes are returned, too.

    Returns
    -------
    Tensor or tuple of Tensor
        The axes behind the channels have lengths ``(L + 2 * padding - dilation * (kernel_size - 1) - 1) //
        stride + 1``, rounded up with `ceil_mode`; the dtype of `input`. With `return_indices` a pair, of
        which the second is int64.

    Raises
    ------
    ValueError
        If the rank or a setting does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 2, 2)
    >>> F.max_pool2d(x, 2).tolist()
    [[[[5.0]]]]
    """
    return _max("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@typed
def max_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Returns the maximum of each window of the last three axes.

    NaN counts as the greatest. The gradient goes to the first maximum of a window.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point.
    kernel_size
        Size of the window, one number or depth, height and width.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side that is never the maximum, at most half the window.
    dilation
        Steps between the elements of a window.
    ceil_mode
        Whether incomplete windows at the end count.
    return_indices
        Whether the positions of the maxima in the flattened axes are returned, too.

    Returns
    -------
    Tensor or tuple of Tensor
        The axes behind the channels have lengths ``(L + 2 * padding - dilation * (kernel_size - 1) - 1) //
        stride + 1``, rounded up with `ceil_mode`; the dtype of `input`. With `return_indices` a pair, of
        which the second is int64.

    Raises
    ------
    ValueError
        If the rank or a setting does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 2, 2)
    >>> F.max_pool3d(x, (1, 2, 2)).tolist()
    [[[[[5.0]]]]]
    """
    return _max("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@typed
def avg_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Returns the mean of each window of the last axis.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``, floating point.
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    padding
        Zeros on each side, at most half the window.
    ceil_mode
        Whether incomplete windows at the end count.
    count_include_pad
        Whether the added zeros count in the divisor.

    Returns
    -------
    Tensor
        The axes behind the channels have lengths ``(L + 2 * padding - kernel_size) // stride + 1``, rounded
        up with `ceil_mode`; the dtype of `input`.

    Raises
    ------
    ValueError
        If the rank or a setting does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 4)
    >>> F.avg_pool1d(x, 2).tolist()
    [[[1.5, 4.0]]]
    """
    return _avg("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


@typed
def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Returns the mean of each window of the last two axes.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point.
    kernel_size
        Size of the window, one number or height and width.
    stride
        Steps of the window; its own size if None.
    padding
        Zeros on each side, at most half the window.
    ceil_mode
        Whether incomplete windows at the end count.
    count_include_pad
        Whether the added zeros count in the divisor.
    divisor_override
        The divisor of the sums, instead of the number of elements.

    Returns
    -------
    Tensor
        The axes behind the channels have lengths ``(L + 2 * padding - kernel_size) // stride + 1``, rounded
        up with `ceil_mode`; the dtype of `input`.

    Raises
    ------
    ValueError
        If the rank or a setting does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 2, 2)
    >>> F.avg_pool2d(x, 2).tolist()
    [[[[2.75]]]]
    """
    return _avg(
        "avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


@typed
def avg_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Returns the mean of each window of the last three axes.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point.
    kernel_size
        Size of the window, one number or depth, height and width.
    stride
        Steps of the window; its own size if None.
    padding
        Zeros on each side, at most half the window.
    ceil_mode
        Whether incomplete windows at the end count.
    count_include_pad
        Whether the added zeros count in the divisor.
    divisor_override
        The divisor of the sums, instead of the number of elements.

    Returns
    -------
    Tensor
        The axes behind the channels have lengths ``(L + 2 * padding - kernel_size) // stride + 1``, rounded
        up with `ceil_mode`; the dtype of `input`.

    Raises
    ------
    ValueError
        If the rank or a setting does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 2, 2)
    >>> F.avg_pool3d(x, (1, 2, 2)).tolist()
    [[[[[2.75]]]]]
    """
    return _avg(
        "avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def _settings(
    op: str, rank: int, kernel_size: Size, stride: Size | None, padding: Size
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    window = per_axis(op, "kernel_size", kernel_size, rank)
    # As in PyTorch, an empty stride means None.
    if stride is None or (isinstance(stride, (tuple, list)) and not stride):
        steps = window
    else:
        steps = per_axis(op, "stride", stride, rank)
    pads = per_axis(op, "padding", padding, rank)
    if any(2 * p > k for p, k in zip(pads, window, strict=True)):
        raise ValueError(f"{op}: padding {pads} is more than half the window {window}")
    return window, steps, pads


def _max(
    op: str,
    rank: int,
    input: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    dilation: Size,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    window, steps, pads = _settings(op, rank, kernel_size, stride, padding)
    apart = per_axis(op, "dilation", dilation, rank)
    batch, single = unbatched(op, input, rank)
    settings = (window, steps, pads, apart, ceil_mode)
    values = like_input(getattr(_native, f"_{op}")(batch, *settings), single)
    if not return_indices:
        return values
    return values, like_input(getattr(_native, f"_{op}_indices")(batch, *settings), single)


def _avg(
    op: str,
    rank: int,
    input: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Tensor:
    window, steps, pads = _settings(op, rank, kernel_size, stride, padding)
    batch, single = unbatched(op, input, rank)
    if divisor == 0:
        raise ValueError(f"{op}: divisor_override is 0")
    native = getattr(_native, f"_{op}")
    return like_input(native(batch, window, steps, pads, ceil_mode, count_include_pad, divisor or 0), single)
