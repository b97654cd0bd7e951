"""Pooling layers."""

from __future__ import annotations

from rushlight._native import Tensor

from . import functional as F
from ._settings import numbers
from .module import Module

__all__ = ["AvgPool2d", "MaxPool2d"]


class _Pool2d(Module):
    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] | None = None,
        padding: int | tuple[int, int] = 0,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        for what, value, least in (
            ("kernel_size", kernel_size, 1),
            ("stride", self.stride, 1),
            ("padding", padding, 0),
        ):
            numbers(type(self).__name__, what, value, 2, least)

    def extra_repr(self) -> str:
        """Returns window, step and padding.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool2d(_Pool2d):
    """The maximum of each window of the last two axes, see `rushlight.nn.functional.max_pool2d`.

    Parameters
    ----------
    kernel_size
        Height and width of the window, or one number for both.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side, at most half the window.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.MaxPool2d(2)(rl.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    ops = ("max_pool2d",)

    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] | None = None,
        padding: int | tuple[int, int] = 0,
    ) -> None:
        super().__init__(kernel_size, stride, padding)

    def forward(self, input: Tensor) -> Tensor:
        """Pools the last two axes.

        Parameters
        ----------
        input
            Shape ``(N, C, H, W)``.

        Returns
        -------
        Tensor
            Shape ``(N, C, H_out, W_out)``, of the dtype of `input`.
        """
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding)


class AvgPool2d(_Pool2d):
    """The mean of each window of the last two axes, see `rushlight.nn.functional.avg_pool2d`.

    Parameters
    ----------
    kernel_size
        Height and width of the window, or one number for both.
    stride
        Steps of the window; its own size if None.
    padding
        Margin on each side, at most half the window.
    count_include_pad
        Whether the zeros of the padding count in the divisor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AvgPool2d(2)(rl.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    ops = ("avg_pool2d",)

    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] | None = None,
        padding: int | tuple[int, int] = 0,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Pools the last two axes.

        Parameters
        ----------
        input
            Shape ``(N, C, H, W)``.

        Returns
        -------
        Tensor
            Shape ``(N, C, H_out, W_out)``, of the dtype of `input`.
        """
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, False, self.count_include_pad)
