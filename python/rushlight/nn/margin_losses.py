"""Losses that are 0 beyond a margin."""

from __future__ import annotations

from collections.abc import Callable

from rushlight._native import Tensor

from . import functional as F
from ._layer import Loss, PairLoss
from .functional._arguments import Reduction

__all__ = [
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class HingeEmbeddingLoss(PairLoss):
    """The loss of distances of like and unlike pairs, see `rushlight.nn.functional.hinge_embedding_loss`.

    Parameters
    ----------
    margin
        The distance at which the loss of a negative pair becomes 0.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.HingeEmbeddingLoss()(rl.tensor([0.25]), rl.tensor([-1])))
    0.75
    """

    ops = ("sub", "where_cond", "mean")
    _shown = ("margin",)

    def __init__(self, margin: float = 1.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, self.margin, self.reduction)


class MarginRankingLoss(Loss):
    """The loss of scores in the wrong order, see `rushlight.nn.functional.margin_ranking_loss`.

    Parameters
    ----------
    margin
        The difference at which the loss becomes 0.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.MarginRankingLoss()(rl.tensor([1.0]), rl.tensor([3.0]), rl.tensor([1.0])))
    2.0
    """

    ops = ("sub", "mul", "where_cond", "mean")
    _shown = ("margin",)

    def __init__(self, margin: float = 0.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        input1, input2
            The tensors to compare.
        target
            1 or -1.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` one loss for each pair.
        """
        return F.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class MultiMarginLoss(PairLoss):
    """The hinge loss of class scores, see `rushlight.nn.functional.multi_margin_loss`.

    Parameters
    ----------
    p
        1 or 2.
    margin
        The lead of the target's score at which the loss becomes 0.
    weight
        A factor for the targets of each class, or None.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.MultiMarginLoss()(rl.tensor([[0.0, 2.0]]), rl.tensor([0])).item()
    1.5
    """

    ops = ("gather", "sub", "where_cond", "mean")
    _shown = ("p", "margin")

    weight: Tensor | None

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: Reduction = "mean"
    ) -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)
        self.p = p
        self.margin = margin

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, self.reduction)


class MultiLabelMarginLoss(PairLoss):
    """The hinge loss of class scores with several targets.

    See `rushlight.nn.functional.multilabel_margin_loss`.

    Parameters
    ----------
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.MultiLabelMarginLoss()(rl.tensor([[0.0, 2.0]]), rl.tensor([[0, -1]])).item()
    1.5
    """

    ops = ("gather", "sub", "where_cond", "mean")

    def __init__(self, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, self.reduction)


class CosineEmbeddingLoss(Loss):
    """The loss of the angles of like and unlike pairs, see `rushlight.nn.functional.cosine_embedding_loss`.

    Parameters
    ----------
    margin
        The cosine at and below which the loss of a negative pair is 0.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[1.0, 0.0]])
    >>> float(rl.nn.CosineEmbeddingLoss()(x, -x, rl.tensor([1])))
    2.0
    """

    ops = ("mul", "sum", "sqrt", "div", "where_cond", "mean")
    _shown = ("margin",)

    def __init__(self, margin: float = 0.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        input1, input2
            The tensors to compare.
        target
            1 or -1.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` one loss for each pair.
        """
        return F.cosine_embedding_loss(input1, input2, target, self.margin, self.reduction)


class TripletMarginLoss(Loss):
    """The triplet loss of distances, see `rushlight.nn.functional.triplet_margin_loss`.

    Parameters
    ----------
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
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> a, b = rl.zeros((1, 2)), rl.tensor([[3.0, 4.0]])
    >>> round(float(rl.nn.TripletMarginLoss()(a, b, a)), 3)
    6.0
    """

    ops = ("sub", "sum", "sqrt", "where_cond", "mean")
    _shown = ("margin", "p", "eps", "swap")

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        anchor, positive, negative
            Vectors along the last axis.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` one loss for each triplet.
        """
        return F.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(Loss):
    """The triplet loss with any distance, see `rushlight.nn.functional.triplet_margin_with_distance_loss`.

    Parameters
    ----------
    distance_function
        Returns the distances of two tensors; the Euclidean one if None.
    margin
        The difference of the distances at which the loss becomes 0.
    swap
        Whether the distance of the negative is the smaller one of its distances from the anchor and the
        positive.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> a, b = rl.zeros((1, 2)), rl.tensor([[3.0, 4.0]])
    >>> round(float(rl.nn.TripletMarginWithDistanceLoss()(a, b, a)), 3)
    6.0
    """

    ops = ("where_cond", "mean")
    _shown = ("margin", "swap")

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction)
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        anchor, positive, negative
            Vectors along the last axis.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` one loss for each triplet.
        """
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
