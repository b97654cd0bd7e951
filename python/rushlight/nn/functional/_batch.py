"""The batch axis, which inputs of layers may lack."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = ["like_input", "unbatched"]


def unbatched(op: str, input: Tensor, rank: int) -> tuple[Tensor, bool]:
    """Return the input with a batch axis, and whether the axis was added."""
    if input.ndim not in (rank + 1, rank + 2):
        raise ValueError(f"{op}: rank {rank + 1} or {rank + 2} is needed, got shape {input.shape}")
    return (input, False) if input.ndim == rank + 2 else (rl.expand_dims(input, axis=0), True)


def like_input(output: Tensor, single: bool) -> Tensor:
    """Returns the output without its batch axis where the input had none (`single`)."""
    return rl.squeeze(output, axis=0) if single else output
