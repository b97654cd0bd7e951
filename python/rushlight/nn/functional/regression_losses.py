"""Losses of predicted numbers."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Reduction, check_reduction, matched, pointwise_loss, reduce, rounded_once

__all__ = [
    "gaussian_nll_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
]


@typed
def mse_loss(
    input: Tensor, target: Tensor, reduction: Reduction = "mean", weight: Tensor | None = None
) -> Tensor:
    """Returns the squared difference of two tensors.

    Parameters
    ----------
    input, target
        Of one shape, floating point. Other shapes are broadcast, with a warning.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.
    weight
        A factor for each element, or None; the mean then divides by the sum of the factors.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `input`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> float(F.mse_loss(rl.zeros(2), rl.tensor([1.0, 3.0])))
    5.0
    """
    check_reduction("mse_loss", reduction)
    matched("mse_loss", input, target)
    return _weighted("mse", input, target, weight, reduction)


@typed
def l1_loss(
    input: Tensor, target: Tensor, reduction: Reduction = "mean", weight: Tensor | None = None
) -> Tensor:
    """Returns the absolute difference of two tensors.

    Parameters
    ----------
    input, target
        Of one shape, floating point. Other shapes are broadcast, with a warning.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.
    weight
        A factor for each element, or None; the mean then divides by the sum of the factors.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `input`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> float(F.l1_loss(rl.zeros(2), rl.tensor([1.0, -3.0])))
    2.0
    """
    check_reduction("l1_loss", reduction)
    matched("l1_loss", input, target)
    return _weighted("l1", input, target, weight, reduction)


@typed
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: Reduction = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Returns half the squared difference up to `delta`, and beyond it a line of slope `delta`.

    Parameters
    ----------
    input, target
        Of one shape, floating point. Other shapes are broadcast, with a warning.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.
    delta
        Where the line begins, positive.
    weight
        A factor for each element, or None; the mean divides by the number of elements.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `input`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, `delta` is not positive, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.huber_loss(rl.zeros(2), rl.tensor([1.0, -3.0]), reduction="none").tolist()
    [0.5, 2.5]
    """
    check_reduction("huber_loss", reduction)
    matched("huber_loss", input, target)
    if delta <= 0:
        raise ValueError(f"huber_loss: delta {delta} is not positive")
    return pointwise_loss("huber", input, target, reduction, delta, weight)


@typed
def smooth_l1_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean", beta: float = 1.0) -> Tensor:
    """Returns `huber_loss` divided by `beta`; with ``beta=0`` the absolute difference.

    Parameters
    ----------
    input, target
        Of one shape, floating point. Other shapes are broadcast, with a warning.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.
    beta
        Where the line of slope 1 begins, not negative.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `input`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, `beta` is negative, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.smooth_l1_loss(rl.zeros(2), rl.tensor([1.0, -3.0]), reduction="none", beta=2.0).tolist()
    [0.25, 2.0]
    """
    check_reduction("smooth_l1_loss", reduction)
    matched("smooth_l1_loss", input, target)
    if beta < 0:
        raise ValueError(f"smooth_l1_loss: beta {beta} is negative")
    return pointwise_loss("smooth_l1" if beta else "l1", input, target, reduction, beta)


@typed
def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """Returns the Kullback-Leibler divergence of log-probabilities from a target distribution.

    Parameters
    ----------
    input
        Log-probabilities.
    target
        Probabilities, or with `log_target` their logarithms; a shape that broadcasts with that of `input`.
    reduction
        ``"mean"``, ``"batchmean"`` (the sum divided by the length of the first axis: the divergence),
        ``"sum"``, or ``"none"``.
    log_target
        Whether `target` holds logarithms.

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
    >>> p = rl.tensor([[0.5, 0.5]])
    >>> float(F.kl_div(p.log(), p, reduction="batchmean"))
    0.0
    """
    if reduction != "batchmean":
        check_reduction("kl_div", reduction)
    kind = "kl_div_log" if log_target else "kl_div"
    if reduction != "batchmean":
        return pointwise_loss(kind, input, target, reduction)
    return _batch_mean(kind, input, target)


@rounded_once
def _batch_mean(kind: str, input: Tensor, target: Tensor) -> Tensor:
    return pointwise_loss(kind, input, target, "sum") / (input.shape[0] if input.ndim else 1)


@typed
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: Reduction = "mean",
) -> Tensor:
    """Returns the negative log-likelihood of counts under a Poisson distribution.

    Parameters
    ----------
    input
        The expected counts, or with `log_input` their logarithms.
    target
        The counts; a shape that broadcasts with that of `input`.
    log_input
        Whether `input` holds logarithms.
    full
        Whether to add Stirling's approximation of ``log(target!)`` where the target exceeds 1.
    eps
        Added to a count before its logarithm.
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
    >>> float(F.poisson_nll_loss(rl.zeros(2), rl.tensor([0.0, 3.0])))
    1.0
    """
    check_reduction("poisson_nll_loss", reduction)
    kind = f"poisson_nll{'_log' if log_input else ''}{'_full' if full else ''}"
    return pointwise_loss(kind, input, target, reduction, eps)


@typed
@rounded_once
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: Reduction = "mean",
) -> Tensor:
    """Returns the negative log-likelihood of values under normal distributions.

    Parameters
    ----------
    input, target
        The means and the values, of shapes that broadcast.
    var
        The variances: a number, or a tensor of the shape of `input`, without its last axis or with 1 there.
    full
        Whether to add the constant term.
    eps
        The least variance; the limit has no influence on the gradient.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the broadcast shape.

    Raises
    ------
    ValueError
        If shapes do not fit, a variance is negative, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> float(F.gaussian_nll_loss(rl.zeros(2), rl.ones(2), 1.0))
    0.5
    """
    check_reduction("gaussian_nll_loss", reduction)
    if isinstance(var, (int, float)):
        var = rl.full(input.shape, var, dtype=input.dtype, device=input.device)
    elif var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = rl.expand_dims(var, axis=-1)
        elif not (input.ndim == var.ndim and input.shape[:-1] == var.shape[:-1] and var.shape[-1] == 1):
            raise ValueError(f"gaussian_nll_loss: var {var.shape} does not fit input {input.shape}")
    if bool(rl.any(var.detach() < 0)):
        raise ValueError("gaussian_nll_loss: var has a negative element")
    fixed = var + rl.maximum(eps - var.detach(), 0.0)
    losses = 0.5 * (rl.log(fixed) + rl.square(input - target) / fixed)
    return reduce(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def _weighted(kind: str, input: Tensor, target: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    if weight is None or reduction != "mean":
        return pointwise_loss(kind, input, target, reduction, weight=weight)
    return _weighted_mean(input, target, weight, kind)


@rounded_once
def _weighted_mean(input: Tensor, target: Tensor, weight: Tensor, kind: str) -> Tensor:
    losses = pointwise_loss(kind, input, target, "none", weight=weight)
    return rl.sum(losses) / rl.sum(rl.broadcast_to(weight, losses.shape))
