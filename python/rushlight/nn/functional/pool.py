"""Pooling and resizing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "interpolate",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]


@typed
def max_pool1d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> Tensor:
    """Returns the maximum of each window of the last axis.

    NaN counts as the greatest. The gradient goes to the first maximum of a window.

    Parameters
    ----------
    input
        Shape ``(N, C, L)``, floating point.
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side that is never the maximum, at most half the window.

    Returns
    -------
    Tensor
        Shape ``(N, C, L_out)``, each length being
        ``(L + 2 * padding - kernel_size) // stride + 1``; the dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 4)
    >>> rl.nn.functional.max_pool1d(x, 2).tolist()
    [[[2.0, 5.0]]]
    """
    return _pool("max_pool1d", 1, input, kernel_size, stride, padding)


@typed
def max_pool2d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> Tensor:
    """Returns the maximum of each window of the last two axes.

    NaN counts as the greatest. The gradient goes to the first maximum of a window.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)``, floating point.
    kernel_size
        Size of the window, one number or height and width.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side that is never the maximum, at most half the window.

    Returns
    -------
    Tensor
        Shape ``(N, C, H_out, W_out)``, each length being
        ``(L + 2 * padding - kernel_size) // stride + 1``; the dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 2, 2)
    >>> rl.nn.functional.max_pool2d(x, 2).tolist()
    [[[[5.0]]]]
    """
    return _pool("max_pool2d", 2, input, kernel_size, stride, padding)


@typed
def max_pool3d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> Tensor:
    """Returns the maximum of each window of the last three axes.

    NaN counts as the greatest. The gradient goes to the first maximum of a window.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)``, floating point.
    kernel_size
        Size of the window, one number or depth, height and width.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side that is never the maximum, at most half the window.

    Returns
    -------
    Tensor
        Shape ``(N, C, D_out, H_out, W_out)``, each length being
        ``(L + 2 * padding - kernel_size) // stride + 1``; the dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 2, 2)
    >>> rl.nn.functional.max_pool3d(x, (1, 2, 2)).tolist()
    [[[[[5.0]]]]]
    """
    return _pool("max_pool3d", 3, input, kernel_size, stride, padding)


@typed
def avg_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: Literal[False] = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Returns the mean of each window of the last axis.

    Parameters
    ----------
    input
        Shape ``(N, C, L)``, floating point.
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    padding
        Zeros on each side, at most half the window.
    ceil_mode
        Only False is supported: incomplete windows are left out.
    count_include_pad
        Whether the added zeros count in the divisor.

    Returns
    -------
    Tensor
        Shape ``(N, C, L_out)``, each length being
        ``(L + 2 * padding - kernel_size) // stride + 1``; the dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 4)
    >>> rl.nn.functional.avg_pool1d(x, 2).tolist()
    [[[1.5, 4.0]]]
    """
    return _pool("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@typed
def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: Literal[False] = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Returns the mean of each window of the last two axes.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)``, floating point.
    kernel_size
        Size of the window, one number or height and width.
    stride
        Steps of the window; its own size if None.
    padding
        Zeros on each side, at most half the window.
    ceil_mode
        Only False is supported: incomplete windows are left out.
    count_include_pad
        Whether the added zeros count in the divisor.

    Returns
    -------
    Tensor
        Shape ``(N, C, H_out, W_out)``, each length being
        ``(L + 2 * padding - kernel_size) // stride + 1``; the dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 2, 2)
    >>> rl.nn.functional.avg_pool2d(x, 2).tolist()
    [[[[2.75]]]]
    """
    return _pool("avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@typed
def avg_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: Literal[False] = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Returns the mean of each window of the last three axes.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)``, floating point.
    kernel_size
        Size of the window, one number or depth, height and width.
    stride
        Steps of the window; its own size if None.
    padding
        Zeros on each side, at most half the window.
    ceil_mode
        Only False is supported: incomplete windows are left out.
    count_include_pad
        Whether the added zeros count in the divisor.

    Returns
    -------
    Tensor
        Shape ``(N, C, D_out, H_out, W_out)``, each length being
        ``(L + 2 * padding - kernel_size) // stride + 1``; the dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1.0, 2.0, 3.0, 5.0]).reshape(1, 1, 1, 2, 2)
    >>> rl.nn.functional.avg_pool3d(x, (1, 2, 2)).tolist()
    [[[[[2.75]]]]]
    """
    return _pool("avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def _pool(
    op: str,
    rank: int,
    input: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    ceil_mode: bool = False,
    *more: Any,
) -> Tensor:
    if ceil_mode:
        raise NotImplementedError(f"{op}: ceil_mode=True is not supported")
    window = per_axis(op, "kernel_size", kernel_size, rank)
    steps = window if stride is None else per_axis(op, "stride", stride, rank)
    pads = per_axis(op, "padding", padding, rank)
    out: Tensor = getattr(_native, f"_{op}")(input, window, steps, pads, *more)
    return out


@typed
def interpolate(
    input: Tensor,
    size: Size | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Resizes the axes after the first two.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(N, C, H, W)``; ``"bilinear"`` needs the latter. Floating point.
    size
        The new lengths. Give this or `scale_factor`.
    scale_factor
        Factors of the lengths; the results are rounded down, and the factor itself (not the ratio
        of the lengths) maps positions, as in PyTorch.
    mode
        ``"nearest"`` or ``"bilinear"``.
    align_corners
        For ``"bilinear"``: whether the corner pixels keep their positions.

    Returns
    -------
    Tensor
        Shape ``(N, C, *lengths)``, of the dtype of `input`.

    Raises
    ------
    ValueError
        If the rank, the mode or the sizes are not supported.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[[1.0, 2.0]]])
    >>> rl.nn.functional.interpolate(x, scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    rank = input.ndim - 2
    if rank not in (1, 2):
        raise ValueError(f"interpolate: rank 3 or 4 is needed, got shape {input.shape}")
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: give size or scale_factor, one of them")
    lengths: tuple[int, ...] | None = None
    factors: tuple[float, ...] | None = None
    if size is not None:
        lengths = per_axis("interpolate", "size", size, rank)
    elif isinstance(scale_factor, (int, float, Real)):
        factors = (float(scale_factor),) * rank
    elif scale_factor is not None:
        factors = tuple(float(f) for f in scale_factor)
    if factors is not None and (len(factors) != rank or any(not 0 < f < math.inf for f in factors)):
        raise ValueError(
            f"interpolate: scale_factor is a positive number, or one for each of {rank} axes, "
            f"got {scale_factor!r}"
        )
    if mode == "nearest":
        if align_corners is not None:
            raise ValueError("interpolate: align_corners goes with mode 'bilinear'")
        call = _native.upsample_nearest1d if rank == 1 else _native.upsample_nearest2d
        return call(input, lengths, factors)
    if mode == "bilinear":
        if rank != 2:
            raise ValueError(f"interpolate: 'bilinear' needs rank 4, got shape {input.shape}")
        return _native.upsample_bilinear2d(input, lengths, factors, bool(align_corners))
    raise ValueError(f"interpolate: mode {mode!r} is neither 'nearest' nor 'bilinear'")
