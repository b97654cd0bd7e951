"""Layers that resize, unfold and fold, and normalize over channels."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer
from .functional._arguments import Size
from .functional.resize import check_mode

__all__ = [
    "Fold",
    "LocalResponseNorm",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]


class Upsample(Layer):
    """The layer that resizes, see `rushlight.nn.functional.interpolate`.

    Parameters
    ----------
    size
        The new lengths. Give this or `scale_factor`.
    scale_factor
        Factors of the lengths.
    mode
        ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"`` or ``"trilinear"``.
    align_corners
        For the last four: whether the corner elements keep their positions.
    recompute_scale_factor
        Whether the ratio of the lengths maps positions instead of the factor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Upsample(scale_factor=2)(rl.ones((1, 3, 4, 4))).shape
    (1, 3, 8, 8)
    """

    _shown = ("size", "scale_factor", "mode")

    def __init__(
        self,
        size: Size | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        check_mode(type(self).__name__, mode)
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def _run(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )


class UpsamplingNearest2d(Upsample):
    """The layer that resizes images to the nearest pixels, see `rushlight.nn.functional.interpolate`.

    Parameters
    ----------
    size
        The new lengths. Give this or `scale_factor`.
    scale_factor
        Factors of the lengths.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.UpsamplingNearest2d(scale_factor=2)(rl.ones((1, 3, 4, 4))).shape
    (1, 3, 8, 8)
    """

    ops = ("upsample_nearest2d",)

    def __init__(self, size: Size | None = None, scale_factor: float | Sequence[float] | None = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """The layer that resizes images bilinearly and keeps the corners.

    See `rushlight.nn.functional.interpolate`.

    Parameters
    ----------
    size
        The new lengths. Give this or `scale_factor`.
    scale_factor
        Factors of the lengths.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.UpsamplingBilinear2d(scale_factor=2)(rl.ones((1, 3, 4, 4))).shape
    (1, 3, 8, 8)
    """

    ops = ("upsample_bilinear2d",)

    def __init__(self, size: Size | None = None, scale_factor: float | Sequence[float] | None = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class Unfold(Layer):
    """The layer of the windows of images as columns, see `rushlight.nn.functional.unfold`.

    Parameters
    ----------
    kernel_size
        Size of the window, one number or height and width.
    dilation
        Steps between the elements of a window.
    padding
        Zeros on each side.
    stride
        Steps of the window.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Unfold(3)(rl.ones((1, 2, 4, 4))).shape
    (1, 18, 4)
    """

    ops = ("gather",)
    _shown = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def _run(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(Layer):
    """The layer that adds columns to the windows of images, see `rushlight.nn.functional.fold`.

    Parameters
    ----------
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

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Fold((4, 4), 3)(rl.ones((1, 18, 4))).shape
    (1, 2, 4, 4)
    """

    ops = ("index_add",)
    _shown = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, output_size: Size, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def _run(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


class LocalResponseNorm(Layer):
    """The normalization over neighbouring channels, see `rushlight.nn.functional.local_response_norm`.

    Parameters
    ----------
    size
        Number of neighbouring channels.
    alpha, beta, k
        The divisor is ``(k + alpha * mean) ** beta``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.LocalResponseNorm(2)(rl.zeros((1, 2, 3))).shape
    (1, 2, 3)
    """

    ops = ("mul", "avg_pool2d", "pow", "div")
    _shown = ("size", "alpha", "beta", "k")

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def _run(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)
