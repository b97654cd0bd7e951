"""Maxima of windows at random steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis, widened
from ._batch import unbatched

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]


@typed
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Returns the maxima of windows of the last two axes that begin at random steps (Graham 2014).

    The windows of a channel overlap. Window ``i`` of an axis begins at ``int((i + u) a) - int(u a)``, with
    ``a = (length - kernel) / (windows - 1)`` and a number ``u`` in [0, 1) for each channel and axis, from the
    generator that `rushlight.manual_seed` seeds; the last window ends with the axis.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point.
    kernel_size
        Height and width of the windows, or one number for both.
    output_size
        Number of windows along the axes, or one number for both.
    output_ratio
        Instead of `output_size`: numbers of windows as shares of the lengths, between 0 and 1.
    return_indices
        Whether the positions of the maxima are returned, too.
    _random_samples
        The numbers ``u`` instead of drawn ones: shape ``(N, C, 2)``, that of the width first.

    Returns
    -------
    Tensor, or tuple of (Tensor, Tensor)
        The maxima, shape ``(N, C, *output_size)``; and their positions in the flattened last two axes, int64,
        as `max_unpool2d` takes them.

    Raises
    ------
    ValueError
        If neither size nor ratio is given, or windows do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.fractional_max_pool2d(rl.ones((1, 1, 8, 8)), 2, output_ratio=0.7).shape
    (1, 1, 5, 5)
    """
    found = _pool("fractional_max_pool2d", 2, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


@typed
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Returns the maxima of windows of the last three axes that begin at random steps.

    `fractional_max_pool2d` says where windows begin.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point.
    kernel_size
        Depth, height and width of the windows, or one number for all.
    output_size
        Number of windows along the axes, or one number for all.
    output_ratio
        Instead of `output_size`: numbers of windows as shares of the lengths, between 0 and 1.
    return_indices
        Whether the positions of the maxima are returned, too.
    _random_samples
        The numbers ``u`` instead of drawn ones: shape ``(N, C, 3)``.

    Returns
    -------
    Tensor, or tuple of (Tensor, Tensor)
        The maxima, shape ``(N, C, *output_size)``; and their positions in the flattened last three axes,
        int64, as `max_unpool3d` takes them.

    Raises
    ------
    ValueError
        If neither size nor ratio is given, or windows do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.fractional_max_pool3d(rl.ones((1, 1, 8, 8, 8)), 2, output_size=(3, 4, 5)).shape
    (1, 1, 3, 4, 5)
    """
    found = _pool("fractional_max_pool3d", 3, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


def ratios(op: str, value: float | Sequence[float], rank: int) -> tuple[float, ...]:
    """One share for each axis."""
    found = (value,) * rank if isinstance(value, (int, float)) else tuple(value)
    if len(found) != rank or not all(0 < ratio < 1 for ratio in found):
        raise ValueError(
            f"{op}: output_ratio is one number between 0 and 1, or one for each of {rank} axes, got {value}"
        )
    return found


def _pool(
    op: str,
    rank: int,
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None,
    output_ratio: float | Sequence[float] | None,
    samples: Tensor | None,
) -> tuple[Tensor, Tensor]:
    batch, single = unbatched(op, input, rank)
    lengths = batch.shape[2:]
    kernel = per_axis(op, "kernel_size", kernel_size, rank)
    if output_size is not None:
        counts = per_axis(op, "output_size", output_size, rank)
    elif output_ratio is not None:
        shares = ratios(op, output_ratio, rank)
        counts = tuple(int(length * share) for length, share in zip(lengths, shares, strict=True))
    else:
        raise ValueError(f"{op}: give output_size or output_ratio")
    for length, k, count in zip(lengths, kernel, counts, strict=True):
        if k < 1 or count < 1 or k + count - 1 > length:
            raise ValueError(f"{op}: {count} windows of {k} do not fit the length {length}")
    lead = batch.shape[:2]
    real = widened(batch).dtype
    if samples is None:
        samples = rl.rand((*lead, rank), dtype=real, device=input.device)
    elif samples.shape != (*lead, rank):
        raise ValueError(f"{op}: _random_samples {samples.shape} is not of shape {(*lead, rank)}")
    # The numbers of a channel are in the order of PyTorch's: width before height in two dimensions.
    order = (1, 0) if rank == 2 else (0, 1, 2)
    index: Tensor | None = None
    for axis, (length, k, count) in enumerate(zip(lengths, kernel, counts, strict=True)):
        begin = _starts(samples[..., order[axis]], length, k, count)
        at = begin[..., None] + rl.arange(k, dtype=rl.int64, device=input.device)
        if index is None:
            index = at
            continue
        # (N, C, windows before, windows here, elements before, elements here)
        shape = (*lead, index.shape[2] * count, index.shape[3] * k)
        index = rl.reshape(index[:, :, :, None, :, None] * length + at[:, :, None, :, None, :], shape)
    assert index is not None
    windows, size = math.prod(counts), math.prod(kernel)
    flat = rl.reshape(batch, (*lead, math.prod(lengths)))
    values = rl.gather(flat.detach(), 2, rl.reshape(index, (*lead, windows * size)))
    # argmax takes the first NaN, else the first maximum.
    best = rl.argmax(rl.reshape(values, (*lead, windows, size)), axis=3)
    position = rl.squeeze(rl.gather(index, 3, best[..., None]), axis=3)
    out = rl.reshape(rl.gather(flat, 2, position), (*lead, *counts))
    position = rl.reshape(position, out.shape)
    if single:
        return rl.squeeze(out, axis=0), rl.squeeze(position, axis=0)
    return out, position


def _starts(sample: Tensor, length: int, kernel: int, count: int) -> Tensor:
    """Where the windows of each channel begin along an axis: shape (N, C, count), int64."""
    last = rl.full((*sample.shape, 1), length - kernel, dtype=rl.int64, device=sample.device)
    if count == 1:
        return last
    # Rounded step by step in the dtype of the numbers, as PyTorch rounds them.
    step = rl.full((), length - kernel, dtype=sample.dtype, device=sample.device) / (count - 1)
    at = sample[..., None] + rl.arange(count - 1, dtype=sample.dtype, device=sample.device)
    first = (at * step).astype(rl.int64) - (sample * step).astype(rl.int64)[..., None]
    return rl.concat([first, last], axis=2)
