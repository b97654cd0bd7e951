"""Layers that rearrange elements without changing their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer
from ._settings import numbers

__all__ = [
    "ChannelShuffle",
    "Flatten",
    "Identity",
    "PixelShuffle",
    "PixelUnshuffle",
    "Unflatten",
]


class Identity(Layer):
    """The layer that returns its input.

    Parameters
    ----------
    *args, **kwargs
        Accepted and not used.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Identity(54)(rl.ones(2)).tolist()
    [1.0, 1.0]
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def _run(self, input: Any) -> Any:
        return input


class Flatten(Layer):
    """The layer that merges axes into one, see `rushlight.nn.functional.flatten`.

    Parameters
    ----------
    start_dim, end_dim
        First and last of the axes that are merged.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Flatten()(rl.ones((2, 3, 4))).shape
    (2, 12)
    """

    _shown = ("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def _run(self, input: Tensor) -> Tensor:
        return F.flatten(input, self.start_dim, self.end_dim)


class Unflatten(Layer):
    """The layer that splits an axis into several.

    Parameters
    ----------
    dim
        The axis.
    unflattened_size
        The new lengths; one of them may be -1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Unflatten(1, (2, -1))(rl.ones((3, 8))).shape
    (3, 2, 4)
    """

    _shown = ("dim", "unflattened_size")

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def _run(self, input: Tensor) -> Tensor:
        axis = self.dim if self.dim >= 0 else self.dim + input.ndim
        if not 0 <= axis < input.ndim:
            raise IndexError(f"Unflatten: shape {input.shape} has no axis {self.dim}")
        known = math.prod(size for size in self.unflattened_size if size != -1)
        length, open_sizes = input.shape[axis], self.unflattened_size.count(-1)
        if open_sizes > 1 or (length % known if open_sizes and known else length != known):
            raise ValueError(f"Unflatten: an axis of {length} cannot be split into {self.unflattened_size}")
        sizes = (length // known if size == -1 else size for size in self.unflattened_size)
        return input.reshape(*input.shape[:axis], *sizes, *input.shape[axis + 1 :])


class PixelShuffle(Layer):
    """The layer that moves channels into a larger image, see `rushlight.nn.functional.pixel_shuffle`.

    Parameters
    ----------
    upscale_factor
        The factor of both axes.

    Raises
    ------
    ValueError
        If `upscale_factor` is below 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.PixelShuffle(2)(rl.ones((1, 8, 3, 3))).shape
    (1, 2, 6, 6)
    """

    _shown = ("upscale_factor",)

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        (self.upscale_factor,) = numbers("PixelShuffle", "upscale_factor", upscale_factor, 1, 1)

    def _run(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Layer):
    """The layer that moves pixels into channels, see `rushlight.nn.functional.pixel_unshuffle`.

    Parameters
    ----------
    downscale_factor
        The factor of both axes.

    Raises
    ------
    ValueError
        If `downscale_factor` is below 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.PixelUnshuffle(2)(rl.ones((1, 2, 6, 6))).shape
    (1, 8, 3, 3)
    """

    _shown = ("downscale_factor",)

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        (self.downscale_factor,) = numbers("PixelUnshuffle", "downscale_factor", downscale_factor, 1, 1)

    def _run(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Layer):
    """The layer that interleaves groups of channels, see `rushlight.nn.functional.channel_shuffle`.

    Parameters
    ----------
    groups
        Number of groups.

    Raises
    ------
    ValueError
        If `groups` is below 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ChannelShuffle(2)(rl.ones((1, 4, 3))).shape
    (1, 4, 3)
    """

    _shown = ("groups",)

    def __init__(self, groups: int) -> None:
        super().__init__()
        (self.groups,) = numbers("ChannelShuffle", "groups", groups, 1, 1)

    def _run(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)
