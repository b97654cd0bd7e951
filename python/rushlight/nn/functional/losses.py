"""Losses."""

from __future__ import annotations

import rushlight as rl
from rushlight import Tensor, _native

from .arguments import Reduction, check_reduction

__all__ = [
    "cross_entropy",
    "mse_loss",
    "nll_loss",
]


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
) -> Tensor:
    """Negative log-likelihood of class indices.

    Parameters
    ----------
    input
        Log-probabilities ``(N, C)`` or ``(N, C, ...)``.
    target
        Class indices ``(N,)`` or ``(N, ...)`` of integer dtype.
    weight
        A factor for each class, shape ``(C,)``; the mean then divides by the sum of factors.
    ignore_index
        Targets equal to this count neither in the sum nor in the mean.
    reduction
        ``"mean"`` over the targets that count (NaN if there are none), ``"sum"``, or ``"none"``.

    Raises
    ------
    IndexError
        If a target is neither below ``C`` nor `ignore_index`.
    """
    check_reduction("nll_loss", reduction)
    return _native.nll_loss(input, target, weight, ignore_index, reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """``nll_loss(log_softmax(input, 1), target)`` as one op; arguments as `nll_loss`.

    `label_smoothing` is the share of each target that is spread over all classes evenly.

    Examples
    --------
    >>> import rushlight as rl
    >>> logits = rl.asarray([[2.0, 0.0], [0.0, 2.0]])
    >>> loss = rl.functional.cross_entropy(logits, rl.asarray([0, 1]))
    >>> round(float(loss), 4)
    0.1269
    """
    check_reduction("cross_entropy", reduction)
    return _native.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def mse_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """Squared difference of two tensors of one shape."""
    check_reduction("mse_loss", reduction)
    if input.shape != target.shape:
        raise ValueError(f"mse_loss: shapes {input.shape} and {target.shape} differ")
    square = rl.square(input - target)
    if reduction == "none":
        return square
    return rl.mean(square) if reduction == "mean" else rl.sum(square)
