"""Pooling layers."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer
from ._settings import numbers
from .functional._arguments import Size

__all__ = [
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]


class _Pool(Layer):
    _rank: ClassVar[int]

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        self.kernel_size: Size = kernel_size
        self.stride: Size = kernel_size if stride is None else stride
        self.padding: Size = padding
        for name, value, least in (
            ("kernel_size", kernel_size, 1),
            ("stride", self.stride, 1),
            ("padding", padding, 0),
        ):
            numbers(type(self).__name__, name, value, self._rank, least)


class MaxPool1d(_Pool):
    """The maximum of each window of the last axis, see `rushlight.nn.functional.max_pool1d`.

    Parameters
    ----------
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side, at most half the window.
    dilation
        Steps between the elements of a window.
    return_indices
        Whether to return the positions of the maxima too.
    ceil_mode
        Whether incomplete windows at the end count.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.MaxPool1d(2)(rl.ones((1, 3, 8))).shape
    (1, 3, 4)
    """

    _rank = 1
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    ops = ("max_pool1d",)

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _run(self, input: Tensor) -> Any:
        return F.max_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )


class MaxPool2d(_Pool):
    """The maximum of each window of the last two axes, see `rushlight.nn.functional.max_pool2d`.

    Parameters
    ----------
    kernel_size
        Height and width of the window, or one number for both.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side, at most half the window.
    dilation
        Steps between the elements of a window.
    return_indices
        Whether to return the positions of the maxima too.
    ceil_mode
        Whether incomplete windows at the end count.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.MaxPool2d(2)(rl.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    _rank = 2
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    ops = ("max_pool2d",)

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _run(self, input: Tensor) -> Any:
        return F.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )


class MaxPool3d(_Pool):
    """The maximum of each window of the last three axes, see `rushlight.nn.functional.max_pool3d`.

    Parameters
    ----------
    kernel_size
        Depth, height and width of the window, or one number for all.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side, at most half the window.
    dilation
        Steps between the elements of a window.
    return_indices
        Whether to return the positions of the maxima too.
    ceil_mode
        Whether incomplete windows at the end count.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.MaxPool3d(2)(rl.ones((1, 3, 8, 8, 8))).shape
    (1, 3, 4, 4, 4)
    """

    _rank = 3
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    ops = ("max_pool3d",)

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _run(self, input: Tensor) -> Any:
        return F.max_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )


class AvgPool1d(_Pool):
    """The mean of each window of the last axis, see `rushlight.nn.functional.avg_pool1d`.

    Parameters
    ----------
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side, at most half the window.
    ceil_mode
        Whether incomplete windows at the end count.
    count_include_pad
        Whether the zeros of the padding count in the divisor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AvgPool1d(2)(rl.ones((1, 3, 8))).shape
    (1, 3, 4)
    """

    _rank = 1
    _shown = ("kernel_size", "stride", "padding")
    ops = ("avg_pool1d",)

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def _run(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
        )


class AvgPool2d(_Pool):
    """The mean of each window of the last two axes, see `rushlight.nn.functional.avg_pool2d`.

    Parameters
    ----------
    kernel_size
        Height and width of the window, or one number for both.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side, at most half the window.
    ceil_mode
        Whether incomplete windows at the end count.
    count_include_pad
        Whether the zeros of the padding count in the divisor.
    divisor_override
        The divisor, instead of the number of elements.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AvgPool2d(2)(rl.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    _rank = 2
    _shown = ("kernel_size", "stride", "padding")
    ops = ("avg_pool2d",)

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _run(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3d(_Pool):
    """The mean of each window of the last three axes, see `rushlight.nn.functional.avg_pool3d`.

    Parameters
    ----------
    kernel_size
        Depth, height and width of the window, or one number for all.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side, at most half the window.
    ceil_mode
        Whether incomplete windows at the end count.
    count_include_pad
        Whether the zeros of the padding count in the divisor.
    divisor_override
        The divisor, instead of the number of elements.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AvgPool3d(2)(rl.ones((1, 3, 8, 8, 8))).shape
    (1, 3, 4, 4, 4)
    """

    _rank = 3
    _shown = ("kernel_size", "stride", "padding")
    ops = ("avg_pool3d",)

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _run(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )
