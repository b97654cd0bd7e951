"""Losses that are 0 beyond a margin."""

from __future__ import annotations

from collections.abc import Callable

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import (
    Reduction,
    broadcastable,
    check_reduction,
    clamp_min,
    pointwise_loss,
    reduce,
    rounded_once,
    same_shape,
)
from ._norm import vector_norm
from .distance import pairwise_distance

__all__ = [
    "contrastive_loss",
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


@typed
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """Returns a distance where the target is 1, and ``max(0, margin - distance)`` where it is -1.

    Parameters
    ----------
    input
        Distances, floating point.
    target
        1 or -1, of a shape that broadcasts with that of `input`.
    margin
        The distance at which the loss of a negative pair becomes 0.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the broadcast shape.

    Raises
    ------
    ValueError
        If `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.hinge_embedding_loss(rl.tensor([0.25, 0.25]), rl.tensor([1, -1]), reduction="none").tolist()
    [0.25, 0.75]
    """
    check_reduction("hinge_embedding_loss", reduction)
    broadcastable("hinge_embedding_loss", input=input, target=target)
    return pointwise_loss("hinge_embedding", input, target, reduction, margin)


@typed
@rounded_once
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: Reduction = "mean"
) -> Tensor:
    """Returns ``max(0, -target * (input1 - input2) + margin)``.

    Parameters
    ----------
    input1, input2
        Scores of one rank, of shapes that broadcast.
    target
        1 where the first should be higher, -1 where the second should.
    margin
        The difference at which the loss becomes 0.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the broadcast shape.

    Raises
    ------
    ValueError
        If the ranks differ, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> float(F.margin_ranking_loss(rl.tensor([1.0]), rl.tensor([3.0]), rl.tensor([1.0])))
    2.0
    """
    check_reduction("margin_ranking_loss", reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise ValueError(
            f"margin_ranking_loss: shapes {input1.shape}, {input2.shape}, {target.shape} differ in rank"
        )
    broadcastable("margin_ranking_loss", input1=input1, input2=input2, target=target)
    return pointwise_loss("margin_ranking", input1 - input2, target, reduction, margin)


def _scores(op: str, rows: Tensor, classes: Tensor) -> Tensor:
    """Return the elements of rows at class indices; the error names the function and the target."""
    try:
        return rl.gather(rows, 1, classes)
    except IndexError as error:
        raise IndexError(
            f"{op}: a target is not one of the {rows.shape[1]} classes of input: {error}"
        ) from None


@typed
@rounded_once
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Returns the mean over the classes of ``max(0, margin - x[target] + x[i]) ** p``.

    Parameters
    ----------
    input
        Scores ``(N, C)`` or ``(C,)``, floating point.
    target
        Class indices ``(N,)``, or one without an axis.
    p
        1 or 2.
    margin
        The lead of the target's score at which the loss becomes 0.
    weight
        A factor for the targets of each class, shape ``(C,)``, or None.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `target`.

    Raises
    ------
    ValueError
        If shapes do not fit, `p` is neither 1 nor 2, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.multi_margin_loss(rl.tensor([[0.0, 2.0]]), rl.tensor([0])).item()
    1.5
    """
    check_reduction("multi_margin_loss", reduction)
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: p is 1 or 2, got {p}")
    rows = input if input.ndim == 2 else rl.reshape(input, (1, -1))
    at = rl.reshape(target, (-1, 1))
    if input.ndim not in (1, 2) or at.shape[0] != rows.shape[0]:
        raise ValueError(f"multi_margin_loss: target {target.shape} does not fit input {input.shape}")
    terms = clamp_min(margin - _scores("multi_margin_loss", rows, at) + rows, 0.0)
    terms = terms if p == 1 else rl.square(terms)
    if weight is not None:
        terms = terms * rl.expand_dims(rl.take(weight, rl.reshape(target, (-1,)), axis=0), axis=1)
    classes = rl.arange(rows.shape[1], device=rows.device)
    losses = rl.sum(rl.where(classes == at, 0.0, terms), axis=1) / rows.shape[1]
    return reduce(losses if target.ndim else losses[0], reduction)


@typed
@rounded_once
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """Returns the mean over the classes of ``max(0, 1 - x[target] + x[i])``, over several targets.

    Parameters
    ----------
    input
        Scores ``(N, C)`` or ``(C,)``, floating point.
    target
        Class indices of the shape of `input`; the first -1 of a row ends it.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` one loss for each row.

    Raises
    ------
    ValueError
        If the shapes differ, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.multilabel_margin_loss(rl.tensor([[0.0, 2.0]]), rl.tensor([[0, -1]])).item()
    1.5
    """
    check_reduction("multilabel_margin_loss", reduction)
    same_shape("multilabel_margin_loss", input, target)
    rows = input if input.ndim == 2 else rl.reshape(input, (1, -1))
    at = rl.reshape(target, rows.shape).astype(rl.int64)
    ended = rl.cumulative_sum((at < 0).astype(rl.int64), axis=1) > 0
    chosen = rl.where(ended, 0, at)
    classes = rl.arange(rows.shape[1], device=rows.device)
    # (N, target, class)
    hit = (rl.expand_dims(chosen, axis=2) == classes) & ~rl.expand_dims(ended, axis=2)
    scores = rl.expand_dims(_scores("multilabel_margin_loss", rows, chosen), axis=2)
    terms = clamp_min(1 - scores + rl.expand_dims(rows, axis=1), 0.0)
    counts = ~rl.expand_dims(ended, axis=2) & ~rl.any(hit, axis=1, keepdims=True)
    losses = rl.sum(rl.where(counts, terms, 0.0), axis=(1, 2)) / rows.shape[1]
    return reduce(losses if input.ndim == 2 else losses[0], reduction)


@typed
@rounded_once
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: Reduction = "mean"
) -> Tensor:
    """Returns ``1 - cos`` where the target is 1, and ``max(0, cos - margin)`` where it is -1.

    Parameters
    ----------
    input1, input2
        Vectors ``(N, D)`` or ``(D,)``, floating point.
    target
        1 or -1, shape ``(N,)`` or no axis.
    margin
        The cosine at and below which the loss of a negative pair is 0.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `target`.

    Raises
    ------
    ValueError
        If shapes do not fit, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([[1.0, 0.0]])
    >>> float(F.cosine_embedding_loss(x, -x, rl.tensor([1])))
    2.0
    """
    check_reduction("cosine_embedding_loss", reduction)
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1 or target.ndim > 1:
        raise ValueError(
            f"cosine_embedding_loss: target {target.shape} does not fit {input1.shape} and {input2.shape}"
        )
    broadcastable("cosine_embedding_loss", input1=input1, input2=input2)
    rows = rl.broadcast_shapes(input1.shape, input2.shape)[:-1]
    if target.ndim and rows != target.shape and 1 not in (rows[0], target.shape[0]):
        raise ValueError(
            f"cosine_embedding_loss: target {target.shape} does not fit {input1.shape} and {input2.shape}"
        )
    first, second = (rl.sum(rl.square(x), axis=-1) + 1e-12 for x in (input1, input2))
    cosine = rl.sum(input1 * input2, axis=-1) / rl.sqrt(first * second)
    near = rl.where(target == 1, 1 - cosine, 0.0)
    return reduce(near + rl.where(target == -1, clamp_min(cosine - margin, 0.0), 0.0), reduction)


@typed
@rounded_once
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """Returns ``max(0, d(anchor, positive) - d(anchor, negative) + margin)``, `d` being the p-norm distance.

    Parameters
    ----------
    anchor, positive, negative
        Vectors along the last axis, of shapes that broadcast; floating point.
    margin
        The difference of the distances at which the loss becomes 0.
    p
        The order of the distances' norm.
    eps
        Added to each difference of elements.
    swap
        Whether the distance of the negative is the smaller one of its distances from the anchor and the
        positive.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the broadcast shape without the last axis.

    Raises
    ------
    ValueError
        If `margin` is not positive, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> a, b = rl.zeros((1, 2)), rl.tensor([[3.0, 4.0]])
    >>> round(float(F.triplet_margin_loss(a, b, a)), 3)
    6.0
    """
    broadcastable("triplet_margin_loss", anchor=anchor, positive=positive, negative=negative)
    return triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        distance_function=lambda a, b: pairwise_distance(a, b, p, eps),
        margin=margin,
        swap=swap,
        reduction=reduction,
    )


@typed
@rounded_once
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """Returns `triplet_margin_loss` with any distance.

    Parameters
    ----------
    anchor, positive, negative
        The arguments of the distance function.
    distance_function
        Returns the distances of two tensors; `pairwise_distance` if None.
    margin
        The difference of the distances at which the loss becomes 0; positive.
    swap
        Whether the distance of the negative is the smaller one of its distances from the anchor and the
        positive.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of the distances.

    Raises
    ------
    ValueError
        If `margin` is not positive, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> a, b = rl.zeros((1, 2)), rl.tensor([[3.0, 4.0]])
    >>> def l1(x, y):
    ...     return (x - y).abs().sum(dim=-1)
    >>> float(F.triplet_margin_with_distance_loss(a, b, a, distance_function=l1))
    8.0
    """
    check_reduction("triplet_margin_loss", reduction)
    if margin <= 0:
        raise ValueError(f"triplet_margin_loss: margin {margin} is not positive")
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = rl.minimum(far, distance(positive, negative))
    return reduce(clamp_min(margin + near - far, 0.0), reduction)


@typed
@rounded_once
def contrastive_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """Returns the squared distance of like pairs, and ``max(0, margin - distance) ** 2`` of unlike ones.

    PyTorch has no such function; the loss is that of Hadsell et al. (2006).

    Parameters
    ----------
    input1, input2
        Vectors along the last axis, of shapes that broadcast; floating point.
    target
        1 for a like pair, 0 for an unlike one, of the shape of `input1` without the last axis.
    margin
        The distance at which the loss of an unlike pair becomes 0.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the broadcast shape without the last axis.

    Raises
    ------
    ValueError
        If `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> a, b = rl.zeros((1, 2)), rl.tensor([[3.0, 4.0]])
    >>> float(F.contrastive_loss(a, b, rl.tensor([1.0])))
    25.0
    """
    check_reduction("contrastive_loss", reduction)
    broadcastable("contrastive_loss", input1=input1, input2=input2)
    difference = input1 - input2
    near = rl.sum(rl.square(difference), axis=-1)
    far = rl.square(clamp_min(margin - vector_norm(difference, 2.0, -1, False), 0.0))
    return reduce(target * near + (1 - target) * far, reduction)
