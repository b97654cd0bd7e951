"""Tensors of given values in every layout. The results of ops must not depend on the layout."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import rushlight as rl
from compare import Array, to_rl

NAMES = ("contiguous", "offset", "step", "transposed", "stretched", "empty", "rank6")


def shape_of(layout: str) -> tuple[int, ...]:
    """Return the shape of the tensor in a layout."""
    return {"empty": (3, 0, 4), "rank6": (2, 1, 2, 3, 1, 2)}.get(layout, (3, 4, 5))


def tensor(layout: str, value: Array, dtype: str) -> rl.Tensor:
    """Return a tensor of `value`, whose shape is `shape_of(layout)`, in a dtype and in that layout."""
    if layout == "contiguous":
        return to_rl(value, dtype)
    if layout == "offset":
        junk = np.concatenate([value[:1], value], axis=0)
        return to_rl(junk, dtype)[1:]
    if layout == "step":
        return to_rl(np.repeat(value, 2, axis=1), dtype)[:, ::2]
    if layout == "transposed":
        return rl.permute_dims(to_rl(value.transpose(2, 0, 1), dtype), (1, 2, 0))
    if layout == "stretched":
        return rl.broadcast_to(to_rl(value[:1], dtype), value.shape)
    if layout == "rank6":
        flat = to_rl(value.transpose(5, 4, 3, 2, 1, 0), dtype)
        return rl.permute_dims(flat, (5, 4, 3, 2, 1, 0))
    assert layout == "empty"
    return to_rl(value, dtype)


def draw(layout: str, make: object, rng: np.random.Generator) -> Array:
    """Values for a layout; a stretched tensor repeats its first plane."""
    assert callable(make)
    value: Array = np.asarray(make(rng, shape_of(layout)))
    if layout == "stretched":
        value = np.broadcast_to(value[:1], value.shape).copy()
    return value


def each() -> Iterator[str]:
    """Yield the names of the layouts, to parametrize a test."""
    yield from NAMES
