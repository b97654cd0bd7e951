"""Loss functions as modules."""

from __future__ import annotations

from rushlight import Tensor

from . import functional as F
from .functional.arguments import Reduction, check_reduction
from .module import Module


class _Loss(Module):
    def __init__(self, reduction: Reduction = "mean") -> None:
        super().__init__()
        check_reduction(type(self).__name__, reduction)
        self.reduction: Reduction = reduction

    def extra_repr(self) -> str:
        """How the elements' losses are combined."""
        return f"reduction={self.reduction!r}"


class _ClassLoss(_Loss):
    """Of class indices; `weight` has a factor for each class."""

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
    """Cross-entropy of logits ``(N, C, ...)`` with class indices ``(N, ...)``."""

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
        """Compute the loss."""
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(_ClassLoss):
    """Negative log-likelihood of log-probabilities ``(N, C, ...)`` with class indices ``(N, ...)``."""

    ops = ("nll_loss",)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.nll_loss(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )


class MSELoss(_Loss):
    """Squared difference."""

    ops = ("sub", "square", "mean")

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.mse_loss(input, target, reduction=self.reduction)
