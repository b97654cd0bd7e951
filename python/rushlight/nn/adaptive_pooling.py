"""Pooling to a given size, norms of windows, and the partial inverse of max pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer
from .functional._arguments import Size
from .module import Module

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class AdaptiveAvgPool1d(Layer):
    """The means of a given number of windows of the last axis.

    See `rushlight.nn.functional.adaptive_avg_pool1d`.

    Parameters
    ----------
    output_size
        The new lengths: one number.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AdaptiveAvgPool1d(4)(rl.ones((1, 3, 8))).shape
    (1, 3, 4)
    """

    ops = ("avg_pool1d",)
    _shown = ("output_size",)

    def __init__(self, output_size: Size) -> None:
        super().__init__()
        self.output_size = output_size

    def _run(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(Layer):
    """The means of a given number of windows of the last two axes.

    See `rushlight.nn.functional.adaptive_avg_pool2d`.

    Parameters
    ----------
    output_size
        The new lengths: one number or one for each axis; None keeps a length.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AdaptiveAvgPool2d(4)(rl.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    ops = ("avg_pool2d",)
    _shown = ("output_size",)

    def __init__(self, output_size: Size | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def _run(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(Layer):
    """The means of a given number of windows of the last three axes.

    See `rushlight.nn.functional.adaptive_avg_pool3d`.

    Parameters
    ----------
    output_size
        The new lengths: one number or one for each axis; None keeps a length.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AdaptiveAvgPool3d(4)(rl.ones((1, 3, 8, 8, 8))).shape
    (1, 3, 4, 4, 4)
    """

    ops = ("avg_pool3d",)
    _shown = ("output_size",)

    def __init__(self, output_size: Size | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def _run(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(Layer):
    """The maxima of a given number of windows of the last axis.

    See `rushlight.nn.functional.adaptive_max_pool1d`.

    Parameters
    ----------
    output_size
        The new lengths: one number.
    return_indices
        Whether to return the positions of the maxima too.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AdaptiveMaxPool1d(4)(rl.ones((1, 3, 8))).shape
    (1, 3, 4)
    """

    ops = ("gather",)
    _shown = ("output_size",)

    def __init__(self, output_size: Size, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def _run(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(Layer):
    """The maxima of a given number of windows of the last two axes.

    See `rushlight.nn.functional.adaptive_max_pool2d`.

    Parameters
    ----------
    output_size
        The new lengths: one number or one for each axis; None keeps a length.
    return_indices
        Whether to return the positions of the maxima too.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AdaptiveMaxPool2d(4)(rl.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    ops = ("gather",)
    _shown = ("output_size",)

    def __init__(self, output_size: Size | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def _run(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(Layer):
    """The maxima of a given number of windows of the last three axes.

    See `rushlight.nn.functional.adaptive_max_pool3d`.

    Parameters
    ----------
    output_size
        The new lengths: one number or one for each axis; None keeps a length.
    return_indices
        Whether to return the positions of the maxima too.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AdaptiveMaxPool3d(4)(rl.ones((1, 3, 8, 8, 8))).shape
    (1, 3, 4, 4, 4)
    """

    ops = ("gather",)
    _shown = ("output_size",)

    def __init__(self, output_size: Size | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def _run(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class LPPool1d(Layer):
    """The p-norm of each window of the last axis, see `rushlight.nn.functional.lp_pool1d`.

    Parameters
    ----------
    norm_type
        The norm's order.
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    ceil_mode
        Whether incomplete windows at the end count.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.LPPool1d(2, 2)(rl.ones((1, 3, 8))).shape
    (1, 3, 4)
    """

    ops = ("avg_pool1d", "pow")
    _shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def _run(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(Layer):
    """The p-norm of each window of the last two axes, see `rushlight.nn.functional.lp_pool2d`.

    Parameters
    ----------
    norm_type
        The norm's order.
    kernel_size
        Height and width of the window, or one number for both.
    stride
        Steps of the window; its own size if None.
    ceil_mode
        Whether incomplete windows at the end count.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.LPPool2d(2, 2)(rl.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    ops = ("avg_pool2d", "pow")
    _shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def _run(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(Layer):
    """The p-norm of each window of the last three axes, see `rushlight.nn.functional.lp_pool3d`.

    Parameters
    ----------
    norm_type
        The norm's order.
    kernel_size
        Depth, height and width of the window, or one number for all.
    stride
        Steps of the window; its own size if None.
    ceil_mode
        Whether incomplete windows at the end count.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.LPPool3d(2, 2)(rl.ones((1, 3, 8, 8, 8))).shape
    (1, 3, 4, 4, 4)
    """

    ops = ("avg_pool3d", "pow")
    _shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def _run(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class MaxUnpool1d(Module):
    """The partial inverse of `MaxPool1d`, see `rushlight.nn.functional.max_unpool1d`.

    Parameters
    ----------
    kernel_size
        Size of the window.
    stride
        Steps of the window; its own size if None.
    padding
        The padding of the pooling.

    Examples
    --------
    >>> import rushlight as rl
    >>> pool, back = rl.nn.MaxPool1d(2, return_indices=True), rl.nn.MaxUnpool1d(2)
    >>> back(*pool(rl.ones((1, 3, 8)))).shape
    (1, 3, 8)
    """

    ops = ("scatter",)

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Puts the maxima at their positions.

        Parameters
        ----------
        input
            The maxima.
        indices
            Their positions.
        output_size
            The lengths of the result, or its whole shape; the shortest that fit if None.

        Returns
        -------
        Tensor
            The maxima in their positions, 0 elsewhere.
        """
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool2d(Module):
    """The partial inverse of `MaxPool2d`.

    See `rushlight.nn.functional.max_unpool2d`.

    Parameters
    ----------
    kernel_size
        Height and width of the window, or one number for both.
    stride
        Steps of the window; its own size if None.
    padding
        The padding of the pooling.

    Examples
    --------
    >>> import rushlight as rl
    >>> pool, back = rl.nn.MaxPool2d(2, return_indices=True), rl.nn.MaxUnpool2d(2)
    >>> back(*pool(rl.ones((1, 3, 8, 8)))).shape
    (1, 3, 8, 8)
    """

    ops = ("scatter",)

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Puts the maxima at their positions.

        Parameters
        ----------
        input
            The maxima.
        indices
            Their positions.
        output_size
            The lengths of the result, or its whole shape; the shortest that fit if None.

        Returns
        -------
        Tensor
            The maxima in their positions, 0 elsewhere.
        """
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool3d(Module):
    """The partial inverse of `MaxPool3d`.

    See `rushlight.nn.functional.max_unpool3d`.

    Parameters
    ----------
    kernel_size
        Depth, height and width of the window, or one number for all.
    stride
        Steps of the window; its own size if None.
    padding
        The padding of the pooling.

    Examples
    --------
    >>> import rushlight as rl
    >>> pool, back = rl.nn.MaxPool3d(2, return_indices=True), rl.nn.MaxUnpool3d(2)
    >>> back(*pool(rl.ones((1, 3, 8, 8, 8)))).shape
    (1, 3, 8, 8, 8)
    """

    ops = ("scatter",)

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Puts the maxima at their positions.

        Parameters
        ----------
        input
            The maxima.
        indices
            Their positions.
        output_size
            The lengths of the result, or its whole shape; the shortest that fit if None.

        Returns
        -------
        Tensor
            The maxima in their positions, 0 elsewhere.
        """
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
