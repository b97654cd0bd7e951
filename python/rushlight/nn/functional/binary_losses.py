"""Losses of binary labels."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Reduction, check_reduction, reduce, rounded_once, same_shape
from .smooth import logsigmoid

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "multilabel_soft_margin_loss",
    "sigmoid_focal_loss",
    "soft_margin_loss",
]


@typed
@rounded_once
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
    given = input.detach()
    if bool(rl.any((given < 0) | (given > 1))):
        raise ValueError("binary_cross_entropy: the input has an element outside [0, 1]")
    # Where `input` is 0 or 1, the loss is limited to 100 and its derivative to 1e12, as in PyTorch.
    edge = given * (1 - given) <= 1e-12
    inner = rl.where(edge, 0.5, input)
    losses = -(target * rl.log(inner) + (1 - target) * rl.log1p(-inner))
    logs = rl.maximum(rl.log(given), -100.0), rl.maximum(rl.log1p(-given), -100.0)
    slope = (given - target.detach()) * 1e12
    outer = -(target * logs[0] + (1 - target) * logs[1]) + (input - given) * slope
    losses = rl.where(edge, outer, losses)
    return reduce(losses if weight is None else losses * weight, reduction)


@typed
@rounded_once
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
    positive = target if pos_weight is None else 1 + (pos_weight - 1) * target
    tail = logsigmoid(input)
    losses = (1 - target) * input - (tail if pos_weight is None else positive * tail)
    return reduce(losses if weight is None else losses * weight, reduction)


@typed
@rounded_once
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
    return reduce(-logsigmoid(target * input), reduction)


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
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
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
