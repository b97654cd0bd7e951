"""Losses of predicted numbers."""

from __future__ import annotations

from typing import Literal

from rushlight._native import Tensor

from . import functional as F
from ._layer import Loss, PairLoss
from .functional._arguments import Reduction

__all__ = [
    "GaussianNLLLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "PoissonNLLLoss",
    "SmoothL1Loss",
]


class MSELoss(PairLoss):
    """The squared difference, see `rushlight.nn.functional.mse_loss`.

    Parameters
    ----------
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.MSELoss()(rl.zeros(2), rl.tensor([1.0, 3.0])))
    5.0
    """

    ops = ("sub", "square", "mean")

    def __init__(self, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(PairLoss):
    """The absolute difference, see `rushlight.nn.functional.l1_loss`.

    Parameters
    ----------
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.L1Loss()(rl.zeros(2), rl.tensor([1.0, -3.0])))
    2.0
    """

    ops = ("sub", "abs", "mean")

    def __init__(self, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class HuberLoss(PairLoss):
    """Half the squared difference up to `delta`, then a line, see `rushlight.nn.functional.huber_loss`.

    Parameters
    ----------
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.
    delta
        Where the line begins.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.HuberLoss()(rl.zeros(2), rl.tensor([1.0, -3.0])))
    1.5
    """

    ops = ("sub", "abs", "square", "where_cond", "mean")
    _shown = ("delta",)

    def __init__(self, reduction: Reduction = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, self.reduction, self.delta)


class SmoothL1Loss(PairLoss):
    """The Huber loss divided by `beta`, see `rushlight.nn.functional.smooth_l1_loss`.

    Parameters
    ----------
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.
    beta
        Where the line of slope 1 begins.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.SmoothL1Loss()(rl.zeros(2), rl.tensor([1.0, -3.0])))
    1.5
    """

    ops = ("sub", "abs", "square", "where_cond", "mean")
    _shown = ("beta",)

    def __init__(self, reduction: Reduction = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, self.reduction, self.beta)


class KLDivLoss(PairLoss):
    """The Kullback-Leibler divergence of log-probabilities, see `rushlight.nn.functional.kl_div`.

    Parameters
    ----------
    reduction
        ``"mean"``, ``"batchmean"``, ``"sum"`` or ``"none"``.
    log_target
        Whether the target holds logarithms.

    Examples
    --------
    >>> import rushlight as rl
    >>> p = rl.tensor([[0.5, 0.5]])
    >>> float(rl.nn.KLDivLoss("batchmean")(p.log(), p))
    0.0
    """

    ops = ("log", "mul", "sub", "mean")
    _shown = ("log_target",)

    def __init__(
        self, reduction: Literal["mean", "batchmean", "sum", "none"] = "mean", log_target: bool = False
    ) -> None:
        super().__init__("mean" if reduction == "batchmean" else reduction)
        self.reduction = reduction  # type: ignore[assignment]
        self.log_target = log_target

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, self.reduction, self.log_target)


class PoissonNLLLoss(PairLoss):
    """The negative log-likelihood of counts, see `rushlight.nn.functional.poisson_nll_loss`.

    Parameters
    ----------
    log_input
        Whether the input holds logarithms.
    full
        Whether to add Stirling's approximation.
    eps
        Added to a count before its logarithm.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.PoissonNLLLoss()(rl.zeros(2), rl.tensor([0.0, 3.0])))
    1.0
    """

    ops = ("exp", "mul", "sub", "mean")
    _shown = ("log_input", "full", "eps")

    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: Reduction = "mean"
    ) -> None:
        super().__init__(reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(input, target, self.log_input, self.full, self.eps, self.reduction)


class GaussianNLLLoss(Loss):
    """The negative log-likelihood of values under normal distributions.

    See `rushlight.nn.functional.gaussian_nll_loss`.

    Parameters
    ----------
    full
        Whether to add the constant term.
    eps
        The least variance.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.GaussianNLLLoss()(rl.zeros(2), rl.ones(2), rl.ones(2)))
    0.5
    """

    ops = ("log", "square", "div", "mean")
    _shown = ("full", "eps")

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        input, target
            The means and the values.
        var
            The variances.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` the broadcast shape.
        """
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)
