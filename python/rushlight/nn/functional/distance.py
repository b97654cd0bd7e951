"""Norms, distances and angles of vectors."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._compose.axes import all_axes
from rushlight._native import Tensor

from ._arguments import clamp_min, rounded_once, widened
from ._norm import vector_norm

__all__ = [
    "cosine_similarity",
    "normalize",
    "pairwise_distance",
    "pdist",
]


@typed
@rounded_once
def normalize(input: Tensor, p: float = 2.0, dim: int | tuple[int, ...] = 1, eps: float = 1e-12) -> Tensor:
    """Divides by the norm along an axis.

    Parameters
    ----------
    input
        Any shape that has the axis; floating point.
    p
        The norm's order.
    dim
        The axis or axes.
    eps
        The least divisor.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.normalize(rl.tensor([3.0, 4.0]), dim=0).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    all_axes("normalize", dim, input.ndim)
    wide = widened(input)
    return (wide / clamp_min(vector_norm(wide, p, dim, True), eps)).astype(input.dtype)


@typed
@rounded_once
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Returns the cosine of the angle between vectors along an axis.

    Parameters
    ----------
    x1, x2
        Shapes that broadcast; floating point.
    dim
        The axis of the vectors.
    eps
        The least norm of a vector.

    Returns
    -------
    Tensor
        The broadcast shape without the axis.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.cosine_similarity(rl.tensor([[1.0, 0.0]]), rl.tensor([[2.0, 0.0]])).tolist()
    [1.0]
    """
    a, b = rl.broadcast_arrays(widened(x1), widened(x2))
    # As in PyTorch, the gradient is computed as if there were no limit.
    norms = [vector_norm(x, 2.0, dim, True) for x in (a, b)]
    first, second = (norm + rl.maximum(eps - norm.detach(), 0.0) for norm in norms)
    return rl.sum(a / first * (b / second), axis=dim).astype(rl.result_type(x1, x2))


@typed
@rounded_once
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Returns the norm of ``x1 - x2 + eps`` along the last axis.

    Parameters
    ----------
    x1, x2
        Shapes that broadcast; floating point.
    p
        The norm's order.
    eps
        Added to each difference, which keeps the gradient finite.
    keepdim
        Whether the last axis stays, with length 1.

    Returns
    -------
    Tensor
        The broadcast shape without the last axis, or with 1 there.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.pairwise_distance(rl.tensor([[3.0, 4.0]]), rl.zeros((1, 2)), eps=0.0).tolist()
    [5.0]
    """
    return vector_norm(x1 - x2 + eps, p, -1, keepdim)


@typed
@rounded_once
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Returns the distance of every pair of rows.

    Parameters
    ----------
    input
        Shape ``(N, M)``; floating point.
    p
        The norm's order.

    Returns
    -------
    Tensor
        Shape ``(N * (N - 1) / 2,)``: the pairs (0, 1), (0, 2) to (N - 2, N - 1).

    Raises
    ------
    ValueError
        If the rank is not 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.pdist(rl.tensor([[0.0], [1.0], [4.0]])).tolist()
    [1.0, 4.0, 3.0]
    """
    if input.ndim != 2:
        raise ValueError(f"pdist: rank 2 is needed, got shape {input.shape}")
    rows = input.shape[0]
    count = rl.arange(rows, device=input.device)
    first, second = rl.nonzero(rl.expand_dims(count, axis=1) < rl.expand_dims(count, axis=0))
    return vector_norm(rl.take(input, first, axis=0) - rl.take(input, second, axis=0), p, -1, False)
