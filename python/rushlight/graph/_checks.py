"""Checks of indices of nodes, edges and groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = ["edges_of", "naming", "places_of"]

# An error of the native functions for an index out of range; `naming` raises one that names the argument.
_INDEX = re.compile(r"^\w+:? (?:invalid )?index (-?\d+) (?:with dim|is out of range for) size (\d+)")


def places_of(name: str, what: str, index: Tensor) -> Tensor:
    """Return integers as indices of which negative ones are out of range, not counted from the end.

    The indices become unsigned, so that the function that uses them finds the error, also on a GPU.
    """
    if not isinstance(index, Tensor):
        raise TypeError(f"{name}: {what} is a Tensor of integers, got {type(index).__name__}")
    if "integer" not in index.dtype.kind:
        raise TypeError(f"{name}: {what} holds integers, got {index.dtype}")
    return index.to(rl.uint64) if index.dtype.kind == "signed integer" else index


def edges_of(name: str, edge_index: Tensor) -> Tensor:
    """Check that a tensor has the shape of edges; their nodes are not checked."""
    places_of(name, "edge_index", edge_index[:0] if isinstance(edge_index, Tensor) else edge_index)
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise ValueError(f"{name}: edge_index must have shape (2, edges), not {edge_index.shape}")
    return edge_index


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Let an error of an index name the function that the user called."""
    try:
        yield
    except IndexError as error:
        error.args = (_INDEX.sub(rf"{name}: index \1 is out of range for size \2", str(error)),)
        raise
