"""Reductions of entries by group: sums, means, extremes and softmax of the entries with the same index."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._compose.axes import one_axis
from rushlight._native import Tensor
from rushlight._shared_docs import documented

from ._checks import naming, places_of

__all__ = ["edge_softmax", "scatter", "segment_max", "segment_mean", "segment_min", "segment_sum"]

_NAMES = {
    "sum": "sum",
    "add": "sum",
    "mean": "mean",
    "mul": "prod",
    "max": "amax",
    "min": "amin",
}


def scatter(
    src: Tensor, index: Tensor, dim: int = 0, dim_size: int | None = None, reduce: str = "sum"
) -> Tensor:
    """Reduce the entries of an axis by group, as `torch_geometric.utils.scatter` does.

    Parameters
    ----------
    src
        The entries, of a dtype of numbers.
    index
        The group of each entry: a vector of integers from 0 on, or a tensor of the shape of `src`.
    dim
        The axis of the entries.
    dim_size
        The number of groups; by default, as many as the largest index needs.
    reduce
        ``"sum"`` (or ``"add"``), ``"mean"``, ``"mul"``, ``"max"`` or ``"min"``. Means of integers are rounded
        down.

    Returns
    -------
    Tensor
        `src` with one entry for each group in place of axis `dim`. A group without entries has 0, and 1 if
        `reduce` is ``"mul"``.

    Raises
    ------
    IndexError
        If the axis or an index is out of range.
    TypeError
        If `index` is not a tensor of integers.
    ValueError
        If `index` has another shape, or `reduce` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.graph.scatter(rl.tensor([5.0, 7.0, 2.0]), rl.tensor([2, 0, 2]), reduce="max").tolist()
    [7.0, 0.0, 5.0]
    """
    if reduce not in _NAMES:
        raise ValueError(f"scatter: reduce must be one of {', '.join(_NAMES)}, not {reduce!r}")
    at = one_axis("scatter", dim, src.ndim)
    groups = places_of("scatter", "index", index)
    if index.ndim == 1 and index.size == src.shape[at]:
        groups = groups.reshape([-1 if k == at else 1 for k in range(src.ndim)]).expand(src.shape)
    if groups.shape != src.shape:
        raise ValueError(
            f"scatter: index of shape {index.shape} is neither a vector of {src.shape[at]} indices "
            f"nor of shape {src.shape}"
        )
    if dim_size is None:
        dim_size = int(rl.max(index).item()) + 1 if index.size else 0
    shape = (*src.shape[:at], dim_size, *src.shape[at + 1 :])
    start = rl.full(shape, 1 if reduce == "mul" else 0, dtype=src.dtype, device=src.device)
    with naming("scatter"):
        return rl.scatter_reduce(
            start, at, groups, src, _NAMES[reduce], include_self=reduce in ("sum", "add", "mul")
        )


def _segment(name: str, data: Tensor, segment_ids: Tensor, num_segments: int | None, reduce: str) -> Tensor:
    places_of(name, "index" if name == "edge_softmax" else "segment_ids", segment_ids)
    if segment_ids.ndim != 1 or data.ndim == 0 or segment_ids.size != data.shape[0]:
        raise ValueError(
            f"{name}: expected one index for each entry of axis 0, got indices of shape {segment_ids.shape} "
            f"for data of shape {data.shape}"
        )
    with naming(name):
        return scatter(data, segment_ids, 0, num_segments, reduce)


_SECTIONS = """
Parameters
----------
data
    The entries, of a dtype of numbers.{more}
segment_ids
    A vector with the index of each entry, 0 or more.
num_segments
    The number of segments; by default, as many as the largest index needs.

Returns
-------
Tensor
    One entry for each segment; an empty one has 0.

Raises
------
IndexError
    If an index is out of range.
TypeError
    If the indices are not a tensor of integers.
ValueError
    If there is another number of indices than of entries.

Examples
--------
>>> import rushlight as rl
>>> rl.graph.{name}(rl.tensor([1.0, 2.0, 4.0]), rl.tensor([1, 0, 1]), 3).tolist()
{result}
"""


@documented(_SECTIONS, more="", result="[2.0, 5.0, 0.0]")
def segment_sum(data: Tensor, segment_ids: Tensor, num_segments: int | None = None) -> Tensor:
    """Return the sums of the entries of axis 0 with the same index; indices need not be sorted."""
    return _segment("segment_sum", data, segment_ids, num_segments, "sum")


@documented(_SECTIONS, more=" Means of integers are rounded down.", result="[2.0, 2.5, 0.0]")
def segment_mean(data: Tensor, segment_ids: Tensor, num_segments: int | None = None) -> Tensor:
    """Return the means of the entries of axis 0 with the same index; indices need not be sorted."""
    return _segment("segment_mean", data, segment_ids, num_segments, "mean")


@documented(_SECTIONS, more="", result="[2.0, 4.0, 0.0]")
def segment_max(data: Tensor, segment_ids: Tensor, num_segments: int | None = None) -> Tensor:
    """Return the largest of the entries of axis 0 with the same index; indices need not be sorted."""
    return _segment("segment_max", data, segment_ids, num_segments, "max")


@documented(_SECTIONS, more="", result="[2.0, 1.0, 0.0]")
def segment_min(data: Tensor, segment_ids: Tensor, num_segments: int | None = None) -> Tensor:
    """Return the smallest of the entries of axis 0 with the same index; indices need not be sorted."""
    return _segment("segment_min", data, segment_ids, num_segments, "min")


def edge_softmax(src: Tensor, index: Tensor, num_nodes: int | None = None) -> Tensor:
    """Return the softmax of the entries of axis 0 with the same index: of the edges that lead to a node.

    ``exp(src - m) / sum(exp(src - m))`` with m the largest entry of the group (Velickovic and others 2018).

    Parameters
    ----------
    src
        One entry for each edge, of a float dtype: shape ``(m,)`` or ``(m, ...)``.
    index
        A vector with the node of each edge, 0 or more.
    num_nodes
        The number of nodes; by default, as many as the largest index needs.

    Returns
    -------
    Tensor
        Of the shape and dtype of `src`; the entries of each node add to 1.

    Raises
    ------
    IndexError
        If an index is out of range.
    TypeError
        If the indices are not a tensor of integers.
    ValueError
        If there is another number of indices than of entries.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.graph.edge_softmax(rl.tensor([0.0, 3.0, 0.0]), rl.tensor([1, 0, 1])).tolist()
    [0.5, 1.0, 0.5]
    """
    top = _segment("edge_softmax", src.detach(), index, num_nodes, "max")
    at = places_of("edge_softmax", "index", index)
    with naming("edge_softmax"):
        weights = (src - rl.take(top, at, axis=0)).exp()
        total = scatter(weights, at, 0, top.shape[0])
        return weights / rl.take(total, at, axis=0)
