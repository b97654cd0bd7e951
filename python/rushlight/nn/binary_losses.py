"""Losses of binary labels, and of label sequences."""

from __future__ import annotations

from rushlight._native import Tensor

from . import functional as F
from ._layer import Loss, PairLoss
from .functional._arguments import Reduction

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "MultiLabelSoftMarginLoss",
    "SoftMarginLoss",
]


class BCELoss(PairLoss):
    """The cross-entropy of probabilities, see `rushlight.nn.functional.binary_cross_entropy`.

    Parameters
    ----------
    weight
        A factor for each element, of a shape that broadcasts, or None.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> round(float(rl.nn.BCELoss()(rl.tensor([0.5]), rl.ones(1))), 4)
    0.6931
    """

    ops = ("log", "log1p", "mul", "mean")

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(PairLoss):
    """The cross-entropy of logits, see `rushlight.nn.functional.binary_cross_entropy_with_logits`.

    Parameters
    ----------
    weight
        A factor for each element, of a shape that broadcasts, or None.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.
    pos_weight
        A factor for the part of positive targets, or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> round(float(rl.nn.BCEWithLogitsLoss()(rl.zeros(1), rl.ones(1))), 4)
    0.6931
    """

    ops = ("minimum", "exp", "log1p", "mul", "mean")

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self, weight: Tensor | None = None, reduction: Reduction = "mean", pos_weight: Tensor | None = None
    ) -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(input, target, self.weight, self.reduction, self.pos_weight)


class SoftMarginLoss(PairLoss):
    """The logistic loss of labels 1 and -1, see `rushlight.nn.functional.soft_margin_loss`.

    Parameters
    ----------
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> round(float(rl.nn.SoftMarginLoss()(rl.zeros(1), rl.ones(1))), 4)
    0.6931
    """

    ops = ("minimum", "exp", "log1p", "mul", "mean")

    def __init__(self, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, self.reduction)


class MultiLabelSoftMarginLoss(PairLoss):
    """The mean cross-entropy of logits and several labels.

    See `rushlight.nn.functional.multilabel_soft_margin_loss`.

    Parameters
    ----------
    weight
        A factor for each class, shape ``(C,)``, or None.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> round(float(rl.nn.MultiLabelSoftMarginLoss()(rl.zeros((1, 3)), rl.ones((1, 3)))), 4)
    0.6931
    """

    ops = ("minimum", "exp", "log1p", "mul", "mean")

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, self.weight, self.reduction)


class CTCLoss(Loss):
    """The loss of label sequences without an alignment, see `rushlight.nn.functional.ctc_loss`.

    Parameters
    ----------
    blank
        The index of the blank label.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.
    zero_infinity
        Whether the loss of a sequence that is too short is 0 instead of infinite.

    Examples
    --------
    >>> import rushlight as rl
    >>> even = rl.zeros((2, 1, 2)).log_softmax(2)
    >>> round(float(rl.nn.CTCLoss()(even, rl.tensor([[1]]), (2,), (1,))), 4)
    0.2877
    """

    ops = ("gather", "exp", "log")
    _shown = ("blank", "zero_infinity")

    def __init__(self, blank: int = 0, reduction: Reduction = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor | tuple[int, ...],
        target_lengths: Tensor | tuple[int, ...],
    ) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        log_probs
            Log-probabilities ``(T, N, C)`` or ``(T, C)``.
        targets
            Labels ``(N, S)``, or all of them in one axis.
        input_lengths, target_lengths
            The length of each sequence.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` shape ``(N,)``.
        """
        return F.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
