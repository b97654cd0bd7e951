"""Convolutions whose windows or weights depend on the position."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis
from .fold import unfold

__all__ = [
    "deform_conv2d",
    "locally_connected2d",
]


@typed
def deform_conv2d(
    input: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    dilation: Size = 1,
    mask: Tensor | None = None,
) -> Tensor:
    """Returns the deformable convolution of images, as torchvision's function of this name.

    Each element of a window is sampled linearly at its position plus an offset (Dai et al. 2017), and
    multiplied by the mask (Zhu et al. 2019). Outside of the image are zeros.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)``, floating point.
    offset
        Shape ``(N, 2 * offset_groups * kernel_height * kernel_width, H_out, W_out)``: for each element of a
        window the offset of the row, then that of the column.
    weight
        Shape ``(C_out, C / groups, kernel_height, kernel_width)``.
    bias
        Shape ``(C_out,)``.
    stride
        Steps of the window, one number or height and width.
    padding
        Zeros on each side.
    dilation
        Steps between the elements of a window.
    mask
        Shape ``(N, offset_groups * kernel_height * kernel_width, H_out, W_out)``.

    Returns
    -------
    Tensor
        Shape ``(N, C_out, H_out, W_out)``, of the dtype of `input`.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> F.deform_conv2d(x, rl.full((1, 2, 2, 2), 0.5), rl.ones((1, 1, 1, 1))).tolist()
    [[[[2.5, 1.5], [1.75, 1.0]]]]
    """
    names = ("stride", "padding", "dilation")
    settings = [
        per_axis("deform_conv2d", name, value, 2)
        for name, value in zip(names, (stride, padding, dilation), strict=True)
    ]
    return _native._deform_conv2d(input, offset, weight, bias, mask, *settings)


@typed
def locally_connected2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    dilation: Size = 1,
) -> Tensor:
    """Returns a convolution whose weights differ from position to position.

    The windows become columns, which one batched product multiplies by the weights of their positions.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)``, floating point.
    weight
        Shape ``(H_out, W_out, C_out, C, kernel_height, kernel_width)``.
    bias
        Shape ``(C_out, H_out, W_out)``.
    stride
        Steps of the window, one number or height and width.
    padding
        Zeros on each side.
    dilation
        Steps between the elements of a window.

    Returns
    -------
    Tensor
        Shape ``(N, C_out, H_out, W_out)``, of the dtype of `input`.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([[[[1.0, 2.0, 3.0]]]])
    >>> weight = rl.tensor([10.0, 100.0, 1000.0]).reshape(1, 3, 1, 1, 1, 1)
    >>> F.locally_connected2d(x, weight).tolist()
    [[[[10.0, 200.0, 3000.0]]]]
    """
    if input.ndim != 4 or weight.ndim != 6 or input.shape[1] != weight.shape[3]:
        raise ValueError(f"locally_connected2d: weight {weight.shape} does not fit input {input.shape}")
    height, width, outputs, channels, *window = weight.shape
    columns = unfold(input, tuple(window), dilation, padding, stride)
    if columns.shape[2] != height * width:
        raise ValueError(
            f"locally_connected2d: there are {columns.shape[2]} windows, weight {weight.shape} is for "
            f"{height * width}"
        )
    terms = channels * math.prod(window)
    matrices = rl.reshape(weight, (height * width, outputs, terms))
    # (positions, terms, N)
    found = rl.matmul(matrices, rl.permute_dims(columns, (2, 1, 0)))
    out = rl.reshape(rl.permute_dims(found, (2, 1, 0)), (input.shape[0], outputs, height, width))
    return out if bias is None else out + bias
