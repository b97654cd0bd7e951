"""Losses of class indices."""

from __future__ import annotations

from rushlight._native import Tensor

from . import functional as F
from ._layer import Loss
from .functional._arguments import Reduction

__all__ = ["CrossEntropyLoss", "NLLLoss"]


class _ClassLoss(Loss):
    """The losses of class indices; `weight` has a factor for each class."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index


class CrossEntropyLoss(_ClassLoss):
    """The cross-entropy of logits and class indices, see `rushlight.nn.functional.cross_entropy`.

    Parameters
    ----------
    weight
        A factor for each class, shape ``(C,)``; the mean then divides by the sum of the factors.
    ignore_index
        Targets equal to this count neither in the sum nor in the mean.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.
    label_smoothing
        Share of each target, from 0 to 1, that goes to all classes evenly.

    Raises
    ------
    ValueError
        If `label_smoothing` is not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> loss = rl.nn.CrossEntropyLoss()
    >>> round(float(loss(rl.zeros((1, 2)), rl.tensor([0]))), 4)
    0.6931
    """

    ops = ("cross_entropy",)

    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, ignore_index=ignore_index, reduction=reduction)
        if not 0.0 <= label_smoothing <= 1.0:
            raise ValueError(f"CrossEntropyLoss: label_smoothing {label_smoothing} is not in [0, 1]")
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        input
            Logits of shape ``(N, C)`` or ``(N, C, ...)``, floating point.
        target
            Class indices of shape ``(N,)`` or ``(N, ...)``, of an integer dtype; or probabilities.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` the shape of `target`.
        """
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(_ClassLoss):
    """The negative log-likelihood of class indices, see `rushlight.nn.functional.nll_loss`.

    Parameters
    ----------
    weight
        A factor for each class, shape ``(C,)``; the mean then divides by the sum of the factors.
    ignore_index
        Targets equal to this count neither in the sum nor in the mean.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> loss = rl.nn.NLLLoss()
    >>> float(loss(rl.tensor([[-0.5, -1.0]]), rl.tensor([1])))
    1.0
    """

    ops = ("nll_loss",)

    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(weight, ignore_index=ignore_index, reduction=reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        input
            Log-probabilities of shape ``(N, C)`` or ``(N, C, ...)``, floating point.
        target
            Class indices of shape ``(N,)`` or ``(N, ...)``, of an integer dtype.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` the shape of `target`.
        """
        return F.nll_loss(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )
