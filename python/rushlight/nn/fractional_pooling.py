"""Layers of maxima of windows at random steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer
from ._settings import numbers
from .functional._arguments import Size
from .functional.fractional_pool import ratios

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class _FractionalMaxPool(Layer):
    ops = ("gather",)
    _rank: ClassVar[int]

    def __init__(
        self,
        kernel_size: Size,
        output_size: Size | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = numbers(name, "kernel_size", kernel_size, self._rank, 1)
        if (output_size is None) == (output_ratio is None):
            raise ValueError(f"{name}: give one of output_size and output_ratio")
        self.output_size = (
            None if output_size is None else numbers(name, "output_size", output_size, self._rank, 1)
        )
        self.output_ratio = None if output_ratio is None else ratios(name, output_ratio, self._rank)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples, persistent=False)

    def _run(self, input: Tensor) -> Any:
        pool = F.fractional_max_pool2d if self._rank == 2 else F.fractional_max_pool3d
        return pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maxima of windows of the last two axes that begin at random steps.

    See `rushlight.nn.functional.fractional_max_pool2d`.

    Parameters
    ----------
    kernel_size
        Height and width of the windows, or one number for both.
    output_size
        Number of windows along the axes, or one number for both.
    output_ratio
        Instead of `output_size`: numbers of windows as shares of the lengths, between 0 and 1.
    return_indices
        Whether the positions of the maxima are returned, too.
    _random_samples
        The numbers by which windows begin, instead of drawn ones.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.FractionalMaxPool2d(2, output_size=(5, 4))(rl.ones((1, 3, 8, 8))).shape
    (1, 3, 5, 4)
    """

    _rank = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """The maxima of windows of the last three axes that begin at random steps.

    See `rushlight.nn.functional.fractional_max_pool3d`.

    Parameters
    ----------
    kernel_size
        Depth, height and width of the windows, or one number for all.
    output_size
        Number of windows along the axes, or one number for all.
    output_ratio
        Instead of `output_size`: numbers of windows as shares of the lengths, between 0 and 1.
    return_indices
        Whether the positions of the maxima are returned, too.
    _random_samples
        The numbers by which windows begin, instead of drawn ones.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.FractionalMaxPool3d(2, output_ratio=0.5)(rl.ones((1, 3, 8, 8, 8))).shape
    (1, 3, 4, 4, 4)
    """

    _rank = 3
