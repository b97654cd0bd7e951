"""Windows over the axes behind the first two, as indices, for settings that no op supports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rushlight import _core as rl
from rushlight._native import Device, Tensor

__all__ = ["Windows", "like_input", "output_length", "regular", "unbatched"]


@dataclass(frozen=True)
class Windows:
    """The elements that each window covers."""

    index: Tensor
    """Shape (windows, size): positions in the flattened axes, 0 where a window reaches outside."""
    inside: Tensor
    """Of the same shape: whether the window is inside there."""
    lengths: tuple[int, ...]
    """The number of windows along each axis."""
    size: int
    """Number of elements of all axes."""

    def of(self, input: Tensor, fill: float) -> Tensor:
        """Return the elements, of shape (N, C, windows, size); `fill` outside of the input."""
        flat = rl.reshape(input, (*input.shape[:2], self.size))
        return rl.where(self.inside, rl.take(flat, self.index, axis=2), fill)

    def shaped(self, output: Tensor) -> Tensor:
        """Give the axis of windows the shape of the windows along each axis."""
        return rl.reshape(output, (*output.shape[:2], *self.lengths))


def output_length(length: int, kernel: int, stride: int, pad: int, dilation: int, ceil_mode: bool) -> int:
    """Return the number of windows along an axis; with `ceil_mode` the last one may be incomplete."""
    room = length + 2 * pad - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    # The last window begins inside the input or the padding before it.
    return count - 1 if (count - 1) * stride >= length + pad else count


def regular(
    op: str,
    lengths: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    device: Device,
) -> Windows:
    """Return windows of one size in regular steps."""
    axes = []
    for length, k, s, p, d in zip(lengths, kernel, stride, pad, dilation, strict=True):
        count = output_length(length, k, s, p, d, ceil_mode)
        if k < 1 or s < 1 or d < 1 or p < 0 or count < 1:
            raise ValueError(
                f"{op}: a window of {k} with stride {s}, padding {p} and dilation {d} "
                f"does not fit the length {length}"
            )
        axes.append([[i * s - p + j * d for j in range(k)] for i in range(count)])
    return _joined(lengths, axes, device)


def _joined(lengths: Sequence[int], axes: Sequence[list[list[int]]], device: Device) -> Windows:
    """Join the positions along each axis; those outside 0..length are marked."""
    index, inside = rl.zeros((1, 1), dtype=rl.int64), rl.ones((1, 1), dtype=rl.bool)
    for length, positions in zip(lengths, axes, strict=True):
        size = len(positions[0]) if positions else 0
        at = rl.asarray(positions, dtype=rl.int64).reshape(len(positions), size)
        fits = (at >= 0) & (at < length)
        at = rl.where(fits, at, 0)
        shape = (index.shape[0] * len(positions), index.shape[1] * size)
        # (windows before, windows here, size before, size here)
        index = rl.reshape(index[:, None, :, None] * length + at[None, :, None, :], shape)
        inside = rl.reshape(inside[:, None, :, None] & fits[None, :, None, :], shape)
    counts = tuple(len(positions) for positions in axes)
    return Windows(index.to(device=device), inside.to(device=device), counts, math.prod(lengths))


def unbatched(op: str, input: Tensor, rank: int) -> tuple[Tensor, bool]:
    """Return the input with a batch axis, and whether the axis was added."""
    if input.ndim not in (rank + 1, rank + 2):
        raise ValueError(f"{op}: rank {rank + 1} or {rank + 2} is needed, got shape {input.shape}")
    return (input, False) if input.ndim == rank + 2 else (rl.expand_dims(input, axis=0), True)


def like_input(output: Tensor, single: bool) -> Tensor:
    """Returns the output without its batch axis where the input had none (`single`)."""
    return rl.squeeze(output, axis=0) if single else output
