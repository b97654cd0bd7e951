"""Moving elements between channels and positions."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

__all__ = [
    "channel_shuffle",
    "pixel_shuffle",
    "pixel_unshuffle",
]


@typed
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Moves blocks of channels into an image that is larger by a factor.

    Parameters
    ----------
    input
        Shape ``(..., C * r * r, H, W)``, `r` being the factor.
    upscale_factor
        The factor of both axes.

    Returns
    -------
    Tensor
        Shape ``(..., C, H * r, W * r)``.

    Raises
    ------
    ValueError
        If the rank is below 3, or the channels are not a multiple of the factor's square.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.pixel_shuffle(rl.tensor([[[1]], [[2]], [[3]], [[4]]]), 2).tolist()
    [[[1, 2], [3, 4]]]
    """
    r = upscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-3] % (r * r):
        raise ValueError(f"pixel_shuffle: the channels of {input.shape} must be a multiple of {r} squared")
    *lead, channels, height, width = input.shape
    parts = rl.reshape(input, (-1, channels // (r * r), r, r, height, width))
    moved = rl.permute_dims(parts, (0, 1, 4, 2, 5, 3))
    return rl.reshape(moved, (*lead, channels // (r * r), height * r, width * r))


@typed
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Moves the pixels of blocks into channels: the inverse of `pixel_shuffle`.

    Parameters
    ----------
    input
        Shape ``(..., C, H * r, W * r)``, `r` being the factor.
    downscale_factor
        The factor of both axes.

    Returns
    -------
    Tensor
        Shape ``(..., C * r * r, H, W)``.

    Raises
    ------
    ValueError
        If the rank is below 3, or height and width are not multiples of the factor.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.pixel_unshuffle(rl.tensor([[[1, 2], [3, 4]]]), 2).tolist()
    [[[1]], [[2]], [[3]], [[4]]]
    """
    r = downscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-2] % r or input.shape[-1] % r:
        raise ValueError(f"pixel_unshuffle: height and width of {input.shape} must be multiples of {r}")
    *lead, channels, height, width = input.shape
    parts = rl.reshape(input, (-1, channels, height // r, r, width // r, r))
    moved = rl.permute_dims(parts, (0, 1, 3, 5, 2, 4))
    return rl.reshape(moved, (*lead, channels * r * r, height // r, width // r))


@typed
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleaves groups of channels (Zhang et al. 2018).

    Parameters
    ----------
    input
        Shape ``(N, C, ...)``, rank 3 or more.
    groups
        Number of groups, a divisor of ``C``.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Raises
    ------
    ValueError
        If the rank is below 3, or `groups` does not divide the channels.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.channel_shuffle(rl.tensor([[[1], [2], [3], [4]]]), 2).tolist()
    [[[1], [3], [2], [4]]]
    """
    if input.ndim < 3 or groups < 1 or input.shape[1] % groups:
        raise ValueError(f"channel_shuffle: {groups} groups do not divide the channels of {input.shape}")
    batch, channels, *rest = input.shape
    parts = rl.reshape(input, (batch, groups, channels // groups, *rest))
    return rl.reshape(rl.swapaxes(parts, 1, 2), input.shape)
