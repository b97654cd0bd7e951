"""Elements reduced at indices: sums, means, products and extremes of elements with the same index."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import DType, Tensor
from .axes import Number, one_axis
from .entries import axis_of_entries
from .further import scatter_add

__all__ = ["index_reduce", "scatter_reduce"]

_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
_INDEXED = _REDUCTIONS[1:]


def _neutral(reduce: str, dtype: DType) -> Number:
    """Return the number that a reduction leaves out: x is kept by max(x, -inf), x * 1, x + 0."""
    if reduce == "prod":
        return 1
    if reduce not in ("amax", "amin"):
        return 0
    if dtype.kind == "real floating":
        return -math.inf if reduce == "amax" else math.inf
    signed = dtype.kind == "signed integer"
    values = 8 * dtype.itemsize - signed
    return (-(1 << values) if signed else 0) if reduce == "amax" else (1 << values) - 1


def _combined(
    input: Tensor, at: int, index: Tensor, src: Tensor, reduce: str, include_self: builtins.bool
) -> Tensor:
    """Reduce elements of `src` with those of `input` at `index`, of the shape of `src`."""
    dtype = input.dtype
    if reduce == "mean" and dtype in (t.float16, t.bfloat16):
        # Counts above 2048 are not exact in 16 bits, and the mean is rounded once.
        input, src = input.astype(t.float32), src.astype(t.float32)
    base = input
    if not include_self:
        base = n.scatter(input, at, index, n.full_like(src, _neutral(reduce, src.dtype)))
    combine: dict[str, Callable[[Tensor, builtins.int, Tensor, Tensor], Tensor]] = {
        "sum": scatter_add,
        "mean": scatter_add,
        "prod": n._scatter_prod,
        "amax": n._scatter_max,
        "amin": n._scatter_min,
    }
    out = combine[reduce](base, at, index, src)
    if reduce != "mean":
        return out
    counted = n._real(input).dtype if dtype.is_complex else input.dtype
    ones = n.ones(src.shape, dtype=counted, device=input.device)
    start = n.full(input.shape, 1 if include_self else 0, dtype=counted, device=input.device)
    count = n.clip(scatter_add(start, at, index, ones), 1, None)
    divided = dtype.is_floating_point or dtype.is_complex
    return (out / count).astype(dtype) if divided else n.floor_divide(out, count)


@typed
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: builtins.bool = True,
) -> Tensor:
    """Returns a copy with elements reduced at indices.

    For dimension 0, ``out[index[i, j], j]`` is the reduction of itself and of each ``src[i, j]`` of that
    index. The result does not depend on the order in which a GPU handles the elements, but for sums and means
    of floats. Elements that give the same extreme share its gradient.

    Parameters
    ----------
    input
        A tensor of numbers.
    dim
        The dimension that the indices are of.
    index
        Indices, of an integer dtype, and of a shape that fits into those of `src` and, but for `dim`, of
        `input`.
    src
        The elements to reduce, of the dtype of `input`.
    reduce
        ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``. Means of integers are rounded down.
    include_self
        Whether elements of `input` belong to the reduction. Those without an index are kept in any case.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If the dimension or an index is out of range.
    TypeError
        If the dtypes of `input` and `src` differ.
    ValueError
        If the shapes do not fit, or `reduce` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, at = rl.tensor([1.0, 2.0]), rl.tensor([1, 1])
    >>> rl.scatter_reduce(x, 0, at, rl.tensor([5.0, 7.0]), "amax").tolist()
    [1.0, 7.0]
    >>> rl.scatter_reduce(x, 0, at, rl.tensor([5.0, 7.0]), "mean", include_self=False).tolist()
    [1.0, 6.0]
    """
    if reduce not in _REDUCTIONS:
        raise ValueError(f"scatter_reduce: reduce must be one of {', '.join(_REDUCTIONS)}, not {reduce!r}")
    if src.dtype != input.dtype:
        raise TypeError(f"scatter_reduce: the tensor is {input.dtype}, and src {src.dtype}")
    at = one_axis("scatter_reduce", dim, input.ndim)
    if index.ndim != src.ndim or any(i > s for i, s in zip(index.shape, src.shape, strict=True)):
        raise ValueError(
            f"scatter_reduce: index of shape {index.shape} does not fit into src of shape {src.shape}"
        )
    src = src[tuple(slice(0, size) for size in index.shape)]
    return _combined(input, at, index, src, reduce, include_self)


@typed
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: builtins.bool = True,
) -> Tensor:
    """Returns a copy with entries of an axis reduced at indices.

    For axis 0, ``out[index[i]]`` is the reduction of itself and of each ``source[i]`` of that index.

    Parameters
    ----------
    input
        A tensor of numbers.
    dim
        The axis that the indices are of.
    index
        A vector of indices, of an integer dtype.
    source
        The entries: the shape of `input` with one entry for each index, and its dtype.
    reduce
        ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``. Means of integers are rounded down.
    include_self
        Whether entries of `input` belong to the reduction. Those without an index are kept in any case.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If the axis or an index is out of range.
    TypeError
        If the dtypes of `input` and `source` differ.
    ValueError
        If the shapes do not fit, or `reduce` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> rl.index_reduce(x, 0, rl.tensor([1, 1]), rl.tensor([[5.0, 6.0], [2.0, 9.0]]), "amax").tolist()
    [[1.0, 2.0], [5.0, 9.0]]
    """
    if reduce not in _INDEXED:
        raise ValueError(f"index_reduce: reduce must be one of {', '.join(_INDEXED)}, not {reduce!r}")
    at = axis_of_entries("index_reduce", input, dim, index, source)
    around = [1] * input.ndim
    around[at] = index.size
    index = n.broadcast_to(n.reshape(index, tuple(around)), source.shape)
    return _combined(input, at, index, source, reduce, include_self)
