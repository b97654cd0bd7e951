"""Losses of binary labels."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import (
    Reduction,
    broadcastable,
    check_reduction,
    pointwise_loss,
    reduce,
    rounded_once,
    same_shape,
)
from .smooth import logsigmoid

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "multilabel_soft_margin_loss",
    "sigmoid_focal_loss",
    "soft_margin_loss",
]


@typed
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: Reduction = "mean"
) -> Tensor:
    """Returns the cross-entropy of probabilities and targets from 0 to 1.

    `binary_cross_entropy_with_logits` is more accurate where the probabilities come from a sigmoid.

    Parameters
    ----------
    input
        Probabilities, floating point.
    target
        Of the shape of `input`.
    weight
        A factor for each element, of a shape that broadcasts, or None.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `input`.

    Raises
    ------
    ValueError
        If shapes do not fit, an element of `input` is outside [0, 1], or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> round(float(F.binary_cross_entropy(rl.tensor([0.5]), rl.tensor([1.0]))), 4)
    0.6931
    """
    check_reduction("binary_cross_entropy", reduction)
    same_shape("binary_cross_entropy", input, target)
    broadcastable("binary_cross_entropy", input=input, weight=weight)
    given = input.detach()
    # Two reductions find an element below 0 or above 1; if one is NaN, all elements are compared.
    if (
        given.size
        and not bool(rl.minimum(rl.min(given), 1 - rl.max(given)) >= 0)
        and bool(rl.any((given < 0) | (given > 1)))
    ):
        raise ValueError("binary_cross_entropy: the input has an element outside [0, 1]")
    # Logarithms are limited to -100, and the derivative is to 1e12, as in PyTorch.
    return pointwise_loss("bce", input, target, reduction, weight=weight)


@typed
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Returns the cross-entropy of the sigmoid of logits and targets from 0 to 1.

    Parameters
    ----------
    input
        Logits, floating point.
    target
        Of the shape of `input`.
    weight
        A factor for each element, of a shape that broadcasts, or None.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.
    pos_weight
        A factor for the part of positive targets, of a shape that broadcasts, or None.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `input`.

    Raises
    ------
    ValueError
        If shapes do not fit, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> round(float(F.binary_cross_entropy_with_logits(rl.tensor([0.0]), rl.tensor([1.0]))), 4)
    0.6931
    """
    check_reduction("binary_cross_entropy_with_logits", reduction)
    same_shape("binary_cross_entropy_with_logits", input, target)
    broadcastable("binary_cross_entropy_with_logits", input=input, weight=weight, pos_weight=pos_weight)
    if pos_weight is None:
        return pointwise_loss("bce_with_logits", input, target, reduction, weight=weight)
    return _positives_weighted(input, target, weight, reduction, pos_weight)


@rounded_once
def _positives_weighted(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, pos_weight: Tensor
) -> Tensor:
    losses = (1 - target) * input - (1 + (pos_weight - 1) * target) * logsigmoid(input)
    return reduce(losses if weight is None else losses * weight, reduction)


@typed
def soft_margin_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """Returns ``log(1 + exp(-target * input))``, computed without overflow.

    Parameters
    ----------
    input
        Scores, floating point.
    target
        1 or -1, of a shape that broadcasts with that of `input`.
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
    >>> round(float(F.soft_margin_loss(rl.tensor([0.0]), rl.tensor([1.0]))), 4)
    0.6931
    """
    check_reduction("soft_margin_loss", reduction)
    broadcastable("soft_margin_loss", input=input, target=target)
    return pointwise_loss("soft_margin", input, target, reduction)


@typed
@rounded_once
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: Reduction = "mean"
) -> Tensor:
    """Returns the mean over the classes of the cross-entropy of logits and several labels.

    Parameters
    ----------
    input
        Logits ``(N, C)`` or ``(C,)``, floating point.
    target
        0 or 1, of the shape of `input`.
    weight
        A factor for each class, shape ``(C,)``, or None.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `input` without the last axis.

    Raises
    ------
    ValueError
        If shapes do not fit, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> round(float(F.multilabel_soft_margin_loss(rl.zeros((1, 3)), rl.ones((1, 3)))), 4)
    0.6931
    """
    check_reduction("multilabel_soft_margin_loss", reduction)
    same_shape("multilabel_soft_margin_loss", input, target)
    broadcastable("multilabel_soft_margin_loss", input=input, weight=weight)
    losses = _native._pointwise_loss(input, target, "bce_with_logits")
    return reduce(rl.mean(losses if weight is None else losses * weight, axis=-1), reduction)


@typed
@rounded_once
def sigmoid_focal_loss(
    inputs: Tensor,
    targets: Tensor,
    alpha: float = 0.25,
    gamma: float = 2,
    reduction: Reduction = "none",
) -> Tensor:
    """Returns the binary cross-entropy of logits, weighted down where it is small (Lin et al. 2017).

    The name and the arguments are torchvision's.

    Parameters
    ----------
    inputs
        Logits, floating point.
    targets
        0 or 1, of the shape of `inputs`.
    alpha
        The factor of positive targets; negative ones have ``1 - alpha``. -1 for no factors.
    gamma
        The exponent of the weight ``1 - p``.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        The shape of `inputs`; a scalar unless ``reduction="none"``.

    Raises
    ------
    ValueError
        If shapes do not fit, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> round(float(F.sigmoid_focal_loss(rl.zeros(1), rl.ones(1))[0]), 4)
    0.0433
    """
    check_reduction("sigmoid_focal_loss", reduction)
    losses = binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    chance = rl.sigmoid(inputs)
    wrong = chance * (1 - targets) + (1 - chance) * targets
    losses = losses * rl.pow(wrong, gamma)
    if alpha >= 0:
        losses = (alpha * targets + (1 - alpha) * (1 - targets)) * losses
    return reduce(losses, reduction)
